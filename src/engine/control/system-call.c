/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The system call that a running rank is in, without stopping it (proc(5), syscall), and what a
 * futex wait waits for: a mutex (nptl's struct __pthread_mutex_s: lock, count, owner) and who
 * holds it, or the end of a thread (pthread_join waits on the thread's own id until the kernel
 * clears it). */
#include "base/escape.h"
#include "engine/control/control.h"
#include "engine/control/private.h"
#include "machine/code.h"
#include "machine/registers.h"
#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PASSED_WORDS 16u /* of the stack, among which the number is */
#define PASSED_CODE 40u  /* before the call that it is for */
#define MAX_SYSTEM_CALL 1024u

/* Of glibc's mutexes, in the word `kind`. */
#define MUTEX_SHARED 128u
#define MUTEX_ROBUST 16u

/* Of its read-write locks: the words that begin one, and what they are while a writer has it and others sleep. */
enum {
    RWLOCK_READERS,
    RWLOCK_WRITERS,
    RWLOCK_PHASE, /* readers sleep here, */
    RWLOCK_NEXT,  /* writers here */
    RWLOCK_PADDING,
    RWLOCK_MORE_PADDING,
    RWLOCK_WRITER, /* the thread that has it */
    RWLOCK_SHARED, /* between processes: 1 */
    RWLOCK_N_WORDS
};
#define RWLOCK_WRITTEN 3u  /* RWLOCK_READERS: locked, and for writing */
#define RWLOCK_SLEPT_AT 3u /* where they sleep: closed, and in use */

static const struct {
    long number;
    const char *name;
    gboolean has_file;
} system_calls[] = {
    { SYS_read, "read", TRUE },
    { SYS_readv, "read", TRUE },
    { SYS_pread64, "read", TRUE },
    { SYS_write, "write", TRUE },
    { SYS_writev, "write", TRUE },
    { SYS_pwrite64, "write", TRUE },
    { SYS_recvfrom, "recv", TRUE },
    { SYS_recvmsg, "recv", TRUE },
    { SYS_sendto, "send", TRUE },
    { SYS_sendmsg, "send", TRUE },
    { SYS_accept, "accept", TRUE },
    { SYS_accept4, "accept", TRUE },
    { SYS_connect, "connect", TRUE },
    { SYS_fsync, "fsync", TRUE },
    { SYS_flock, "flock", TRUE },
    { SYS_recvmmsg, "recvmmsg", TRUE },
    { SYS_sendmmsg, "sendmmsg", TRUE },
    { SYS_preadv, "read", TRUE },
    { SYS_pwritev, "write", TRUE },
    { SYS_preadv2, "read", TRUE },
    { SYS_pwritev2, "write", TRUE },
    { SYS_fcntl, "fcntl", TRUE },
    { SYS_ioctl, "ioctl", TRUE },
    { SYS_splice, "splice", TRUE },
    { SYS_tee, "tee", TRUE },
    { SYS_vmsplice, "vmsplice", TRUE },
    { SYS_sendfile, "sendfile", TRUE },
    { SYS_copy_file_range, "copy_file_range", TRUE },
    { SYS_fdatasync, "fdatasync", TRUE },
    { SYS_sync_file_range, "sync_file_range", TRUE },
    { SYS_syncfs, "syncfs", TRUE },
    { SYS_ftruncate, "ftruncate", TRUE },
    { SYS_fallocate, "fallocate", TRUE },
    { SYS_getdents64, "getdents", TRUE },
    { SYS_close, "close", TRUE },
    { SYS_mq_timedreceive, "mq_receive", TRUE },
    { SYS_mq_timedsend, "mq_send", TRUE },
    { SYS_semop, "semop", FALSE },
    { SYS_semtimedop, "semop", FALSE },
    { SYS_msgrcv, "msgrcv", FALSE },
    { SYS_msgsnd, "msgsnd", FALSE },
    { SYS_rt_sigtimedwait, "sigwait", FALSE },
    { SYS_io_getevents, "io_getevents", FALSE },
    { SYS_io_uring_enter, "io_uring_enter", FALSE },
    { SYS_clone, "clone", FALSE },
    { SYS_execve, "execve", FALSE },
    { SYS_openat, "open", FALSE },
    { SYS_ppoll, "poll", FALSE },
    { SYS_pselect6, "select", FALSE },
    { SYS_epoll_pwait, "epoll_wait", FALSE },
    { SYS_nanosleep, "nanosleep", FALSE },
    { SYS_clock_nanosleep, "nanosleep", FALSE },
    { SYS_wait4, "wait", FALSE },
    { SYS_waitid, "wait", FALSE },
    { SYS_restart_syscall, NULL, FALSE },
    { SYS_rt_sigsuspend, "sigsuspend", FALSE },
#ifdef SYS_open /* calls that newer architectures lack */
    { SYS_open, "open", FALSE },
    { SYS_poll, "poll", FALSE },
    { SYS_select, "select", FALSE },
    { SYS_epoll_wait, "epoll_wait", FALSE },
    { SYS_pause, "pause", FALSE },
    { SYS_vfork, "vfork", FALSE },
#endif
#ifdef SYS_epoll_pwait2
    { SYS_epoll_pwait2, "epoll_pwait2", FALSE },
#endif
#ifdef SYS_openat2
    { SYS_openat2, "open", FALSE },
#endif
};

static void
find_file (JobWait *wait, const EngineProcess *process, guint64 descriptor)
{
    g_autofree char *path = NULL;

    if (descriptor == STDIN_FILENO) {
        wait->kind = JOB_WAIT_INPUT;
        return;
    }
    path = g_strdup_printf ("/proc/%d/fd/%" G_GUINT64_FORMAT, (int) process->pid, descriptor);
    wait->file = base_escape_take (g_file_read_link (path, NULL), BASE_ESCAPE_NAME);
    wait->number = descriptor;
    wait->kind = wait->file != NULL ? JOB_WAIT_FILE : JOB_WAIT_DESCRIPTOR;
}

/* glibc from 2.41 on has one place for all calls that can be cancelled; who comes there has put the number on the stack,
 * above the address to which it returns. */
static gboolean
find_passed_number (EngineProcess *process, const EngineSystemCall *call, long *ret_number)
{
    guint64 words[PASSED_WORDS];
    gsize n = base_memory_read_some (engine_process_get_memory (process), call->sp, words,
                                     sizeof words)
              / sizeof words[0];

    for (gsize i = 0; i + 1 < n; i++) {
        guint8 code[PASSED_CODE];

        if (words[i + 1] < MAX_SYSTEM_CALL
            && base_memory_read (engine_process_get_memory (process), words[i] - sizeof code,
                                 code, sizeof code, NULL)
            && machine_code_passes_number (code, sizeof code, words[i + 1])) {
            *ret_number = (long) words[i + 1];
            return TRUE;
        }
    }
    return FALSE;
}

/* A call that a stop has interrupted goes on under another number. Which one it is the code says that
 * made it. */
static void
find_restarted (EngineProcess *process, guint64 pc, EngineSystemCall *call)
{
    guint8 code[MACHINE_MAX_NUMBERED_CALL] = { 0 };
    guint32 number;

    if (base_memory_read (engine_process_get_memory (process), pc - sizeof code, code,
                          sizeof code, NULL)
        && machine_code_find_system_call (code, &number)) {
        call->number = (long) number;
        return;
    }
    find_passed_number (process, call, &call->number);
}

/* NULL: the thread runs, or has ended. file: NULL, or kept. */
static char *
dup_line (const EngineProcess *process, pid_t tid, EngineTaskFile *file)
{
    char text[256]; /* nine numbers, or "running" */

    return engine_task_file_read (process, tid, "syscall", file, text, sizeof text) > 0
                   && (g_ascii_isdigit (text[0]) || text[0] == '-')
               ? g_strdup (text)
               : NULL;
}

char *
engine_dup_sleep (const EngineProcess *process, pid_t tid)
{
    char *text = dup_line (process, tid, NULL);

    if (text != NULL && text[0] == '-') { /* blocked in a page fault: it does not sleep */
        g_clear_pointer (&text, g_free);
    }
    return text;
}

/* A core has the registers of each thread. */
static gboolean
read_kept (EngineProcess *process, pid_t tid, EngineSystemCall *ret_call)
{
    for (guint i = 0; i < process->threads->len; i++) {
        EngineThread *thread = g_ptr_array_index (process->threads, i);

        if (thread->tid == tid && engine_thread_load_registers (thread)) {
            ret_call->number = (long) machine_registers_get_system_call (&thread->registers);
            for (guint j = 0; j < G_N_ELEMENTS (ret_call->arguments); j++) {
                ret_call->arguments[j]
                    = machine_registers_get_system_argument (&thread->registers, j);
            }
            ret_call->sp = machine_registers_get_sp (&thread->registers);
            ret_call->pc = machine_registers_get_pc (&thread->registers);
            return TRUE;
        }
    }
    return FALSE;
}

gboolean
engine_system_call_read (EngineProcess *process, pid_t tid, EngineSystemCall *ret_call)
{
    return engine_system_call_read_again (process, tid, NULL, ret_call);
}

gboolean
engine_system_call_read_again (EngineProcess *process, pid_t tid, EngineTaskFile *file,
                               EngineSystemCall *ret_call)
{
    g_autofree char *text = process->core == NULL ? dup_line (process, tid, file) : NULL;
    char *at;

    *ret_call = (EngineSystemCall){ .tid = tid, .number = -1 };
    if (process->core != NULL) {
        return read_kept (process, tid, ret_call);
    }
    if (text == NULL) {
        return FALSE;
    }
    ret_call->number = (long) g_ascii_strtoll (text, &at, 10);
    for (guint i = 0; ret_call->number >= 0 && i < G_N_ELEMENTS (ret_call->arguments); i++) {
        ret_call->arguments[i] = g_ascii_strtoull (at, &at, 16);
    }
    ret_call->sp = g_ascii_strtoull (at, &at, 16);
    ret_call->pc = g_ascii_strtoull (at, &at, 16);
    if (ret_call->number == SYS_restart_syscall) {
        find_restarted (process, ret_call->pc, ret_call);
    }
    return TRUE;
}

void
engine_system_call_fill_registers (const EngineSystemCall *call,
                                   MachineRegisters *ret_registers)
{
    machine_registers_fill_waiting (ret_registers, call->number, call->arguments, call->sp,
                                    call->pc);
}

Stack *
engine_system_call_read_stack (EngineProcess *process, pid_t tid)
{
    MachineRegisters registers;
    EngineSystemCall call;

    if (engine_process_get_modules (process) == NULL
        || !engine_system_call_read (process, tid, &call)) {
        return NULL;
    }
    engine_system_call_fill_registers (&call, &registers);
    return stack_make_waiting (engine_process_get_modules (process),
                               engine_process_get_memory (process), &registers, NULL, NULL);
}

/* 0: none of this process. */
static guint
find_thread_number (EngineProcess *process, pid_t tid)
{
    return BASE_PICK (process->threads, const EngineThread, thread, thread->tid == tid,
                      thread->number, 0);
}

/* pthread_join waits for the word that the kernel clears when the thread ends. */
static gboolean
is_join (EngineProcess *process, const EngineSystemCall *call)
{
    guint32 word = 0;

    return base_memory_read_u32 (engine_process_get_memory (process), call->arguments[0], &word,
                                 NULL)
           && (pid_t) word != call->tid && word == (guint32) call->arguments[2]
           && find_thread_number (process, (pid_t) word) != 0;
}

/* Which thread holds the mutex that processes share, and that is waited for at its first word: that is 2, or with a
 * robust one the thread and a bit. 0: it is something else. */
static pid_t
find_shared_owner (const EngineProcess *process, const EngineSystemCall *call)
{
    guint32 words[5] = { 0 }, expected = (guint32) call->arguments[2]; /* …, users, kind */
    gboolean is_robust;

    if (base_memory_read_some (engine_process_get_memory (process), call->arguments[0], words,
                               sizeof words)
            != sizeof words
        || words[0] != expected || (words[4] & MUTEX_SHARED) == 0) {
        return 0;
    }
    is_robust = (words[4] & MUTEX_ROBUST) != 0;
    if (is_robust && (expected & FUTEX_WAITERS)) {
        return (pid_t) (expected & FUTEX_TID_MASK);
    }
    return !is_robust && expected == 2 ? (pid_t) words[2] : 0;
}

/* The thread that has the read-write lock for writing, in one of whose words the thread sleeps. function: that it has
 * called. 0: it is something else, or readers have it, of whom glibc only keeps the number. */
static pid_t
find_writer (const EngineProcess *process, const EngineSystemCall *call,
             const char **ret_function)
{
    guint64 address = call->arguments[0]; /* the lock begins at a multiple of 8 */
    guint at = address % 8 == 0 ? RWLOCK_PHASE : RWLOCK_NEXT;
    guint32 words[RWLOCK_N_WORDS] = { 0 },
            shared = (call->arguments[1] & FUTEX_PRIVATE_FLAG) == 0;

    if (address % 4 != 0 || (guint32) call->arguments[2] != RWLOCK_SLEPT_AT
        || base_memory_read_some (engine_process_get_memory (process),
                                  address - at * sizeof words[0], words, sizeof words)
               != sizeof words
        || words[at] != RWLOCK_SLEPT_AT
        || (words[RWLOCK_READERS] & RWLOCK_WRITTEN) != RWLOCK_WRITTEN
        || words[RWLOCK_PADDING] != 0 || words[RWLOCK_MORE_PADDING] != 0
        || words[RWLOCK_SHARED] != shared) {
        return 0;
    }
    *ret_function = at == RWLOCK_PHASE ? "pthread_rwlock_rdlock" : "pthread_rwlock_wrlock";
    return (pid_t) words[RWLOCK_WRITER];
}

/* The thread that holds the private mutex, at whose first word the thread sleeps. 0: it is none, or nobody holds it. */
static pid_t
find_private_owner (const EngineProcess *process, const EngineSystemCall *call)
{
    guint32 words[5] = { 0 }; /* lock, count, owner, users, kind */

    base_memory_read_some (engine_process_get_memory (process), call->arguments[0], words,
                           sizeof words);
    if (words[0] == 2) { /* locked, and waited for */
        return (pid_t) words[2];
    }
    return (words[0] & FUTEX_WAITERS) && (words[4] & MUTEX_ROBUST)
               ? (pid_t) (words[0] & FUTEX_TID_MASK)
               : 0;
}

/* owner: of the lock that the function waits for; 0: it is none, or not known. */
static JobWait *
note_owner (EngineProcess *process, const EngineSystemCall *call, pid_t owner,
            const char *function, JobWait *wait)
{
    wait->kind = JOB_WAIT_SHARED;
    wait->number = call->arguments[0];
    wait->flags |= engine_process_is_single (process) && (wait->flags & JOB_WAIT_TIMED) == 0
                       ? JOB_WAIT_ALONE
                       : 0;
    if (owner > 0) {
        wait->name = g_strdup (function);
        engine_wait_note_owner (wait, process, owner);
    }
    return wait;
}

static JobWait *
note_shared_owner (EngineProcess *process, const EngineSystemCall *call, JobWait *wait)
{
    const char *function = "pthread_mutex_lock";
    pid_t owner = find_shared_owner (process, call);

    owner = owner != 0 ? owner : find_writer (process, call, &function);
    return note_owner (process, call, owner, function, wait);
}

/* A mutex with priority inheritance: its word is the thread that holds it, and bits. */
static JobWait *
read_inheriting (EngineProcess *process, const EngineSystemCall *call, JobWait *wait)
{
    guint32 word = 0;

    if (base_memory_read_u32 (engine_process_get_memory (process), call->arguments[0], &word,
                              NULL)) {
        wait->other = find_thread_number (process, (pid_t) (word & FUTEX_TID_MASK));
    }
    if (wait->other != 0) {
        wait->kind = JOB_WAIT_MUTEX;
    } else if ((word & FUTEX_TID_MASK) != 0 && (call->arguments[1] & FUTEX_PRIVATE_FLAG) == 0) {
        return note_owner (process, call, (pid_t) (word & FUTEX_TID_MASK), "pthread_mutex_lock",
                           wait);
    }
    return wait;
}

static JobWait *
read_futex (EngineProcess *process, const EngineSystemCall *call)
{
    guint operation = call->arguments[1] & FUTEX_CMD_MASK;
    guint32 word = 0;
    JobWait *wait = job_wait_new (JOB_WAIT_FUTEX);
    const char *function = NULL;
    guint number;

    wait->thread = find_thread_number (process, call->tid);
    wait->flags = call->arguments[3] != 0 ? JOB_WAIT_TIMED : 0;
    if (operation == FUTEX_LOCK_PI || operation == FUTEX_LOCK_PI2) {
        return read_inheriting (process, call, wait);
    }
    if ((operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET)
        && (call->arguments[1] & FUTEX_PRIVATE_FLAG) == 0 && !is_join (process, call)
        && engine_memory_is_shared (process, call->arguments[0])) {
        return note_shared_owner (process, call, wait);
    }
    if ((operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET)
        || !base_memory_read_u32 (engine_process_get_memory (process), call->arguments[0],
                                  &word, NULL)
        || word != (guint32) call->arguments[2]) {
        return wait;
    }
    number = find_thread_number (process, (pid_t) word);
    if (number != 0 && (pid_t) word != call->tid) {
        wait->kind = JOB_WAIT_END;
        wait->other = number;
        return wait;
    }
    number = find_thread_number (process, find_private_owner (process, call));
    if (number == 0) {
        number = find_thread_number (process, find_writer (process, call, &function));
    }
    if (number != 0) {
        wait->kind = JOB_WAIT_MUTEX;
        wait->other = number;
        wait->name = g_strdup (function);
    }
    return wait;
}

gboolean
engine_needs_thread (EngineProcess *process, pid_t tid)
{
    EngineSystemCall call;
    guint operation;

    if (!engine_system_call_read (process, tid, &call) || call.number != SYS_futex
        || call.arguments[3] != 0) {
        return FALSE;
    }
    operation = (guint) call.arguments[1] & FUTEX_CMD_MASK;
    return (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET)
           && ((call.arguments[1] & FUTEX_PRIVATE_FLAG) || is_join (process, &call)
               || !engine_memory_is_shared (process, call.arguments[0]));
}

guint64
engine_count_turns (const EngineProcess *process, pid_t tid)
{
    static const char name[] = "\nvoluntary_ctxt_switches:";
    g_autofree char *path = g_strdup_printf ("/proc/%d/task/%d/status", (int) process->pid,
                                             (int) tid);
    g_autofree char *text = NULL;
    const char *at = g_file_get_contents (path, &text, NULL, NULL) ? strstr (text, name) : NULL;

    return at != NULL ? g_ascii_strtoull (at + strlen (name), NULL, 10) : 0;
}

static JobWait *
read_call (EngineProcess *process, const EngineSystemCall *call)
{
    JobWait *wait = job_wait_new (JOB_WAIT_CALL);

    for (guint i = 0; i < G_N_ELEMENTS (system_calls); i++) {
        if (system_calls[i].number == call->number) {
            wait->name = g_strdup (system_calls[i].name);
            if (system_calls[i].has_file) {
                find_file (wait, process, call->arguments[0]);
            }
            break;
        }
    }
    engine_wait_find_peer (wait, process, call);
    return wait;
}

/* One that has a number sleeps in the kernel, whatever call it is. */
JobWait *
engine_dup_system_call (EngineProcess *process, pid_t tid, guint32 *flags)
{
    EngineSystemCall call;
    JobWait *wait;

    if (!engine_system_call_read (process, tid, &call) || call.number < 0) {
        return NULL;
    }
    if (call.number == SYS_futex) {
        wait = read_futex (process, &call);
    } else {
        wait = read_call (process, &call);
        wait->thread = find_thread_number (process, tid);
        *flags |= wait->kind == JOB_WAIT_INPUT ? JOB_MESSAGE_QUEUE_INPUT : 0;
    }
    /* read last: whoever has the same in a later reading has slept from here to there */
    wait->turns = wait->peer != 0 ? engine_count_turns (process, tid) : 0;
    return wait;
}
