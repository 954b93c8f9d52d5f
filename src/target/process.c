/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ptrace and /proc, a system call a function. */
#include "target/private.h"
#include "base/error.h"
#include "base/file.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <unistd.h>

#define PEEKED 16 /* pending signals that are read at a time */

/* A line "NAME:\tVALUE" of /proc/PID/status: the value up to its first blank. */
static char *
dup_status_field (const char *status, const char *name)
{
    g_autofree char *wanted = g_strdup_printf ("\n%s:\t", name);
    const char *at = strstr (status, wanted);

    return at != NULL
               ? g_strndup (at + strlen (wanted), strcspn (at + strlen (wanted), " \t\n"))
               : g_strdup ("");
}

static char *
dup_process_name (const char *pid)
{
    g_autofree char *path = g_strdup_printf ("/proc/%s/comm", pid);
    char *name = NULL;

    if (!g_file_get_contents (path, &name, NULL, NULL)) {
        return g_strdup ("?");
    }
    return g_strchomp (name);
}

static gboolean
read_setting (const char *path, char *ret_first)
{
    g_autofree char *text = NULL;

    *ret_first = g_file_get_contents (path, &text, NULL, NULL) ? text[0] : '0';
    return *ret_first > '0';
}

static char *
explain_system (int reason)
{
    char first;

    if (read_setting ("/sys/fs/selinux/booleans/deny_ptrace", &first)) {
        return g_strdup (
            "SELinux forbids tracing (deny_ptrace): as root, setsebool deny_ptrace "
            "off (manual: Troubleshooting)");
    }
    if (read_setting ("/proc/sys/kernel/yama/ptrace_scope", &first) && first >= '3') {
        return g_strdup_printf (
            "the system forbids tracing to everybody "
            "(kernel.yama.ptrace_scope is %c): only a restart of the machine "
            "without that setting changes it (manual: Troubleshooting)",
            first);
    }
    if (first > '0' && geteuid () != 0) { /* root is above it */
        return g_strdup_printf (
            "the system forbids tracing (kernel.yama.ptrace_scope is %c): set "
            "it to 0 with sysctl, as root (manual: Troubleshooting)",
            first);
    }
    return g_strdup_printf ("the system forbids tracing (%s); in a container allow it with "
                            "--cap-add=SYS_PTRACE, and by a seccomp profile that lets ptrace "
                            "pass (manual: Troubleshooting)",
                            g_strerror (reason));
}

/* What /proc says of a process that cannot be seized. */
static char *
explain_seize (pid_t tid, int reason, BaseError *ret_code)
{
    g_autofree char *status = base_file_read_process (tid, "status", NULL);
    g_autofree char *state = NULL, *tracer = NULL, *user = NULL;

    *ret_code = BASE_ERROR_GONE;
    if (status == NULL && kill (tid, 0) != 0 && errno == EPERM) { /* /proc with hidepid */
        *ret_code = BASE_ERROR_DENIED;
        return g_strdup ("it belongs to another user");
    }
    if (status == NULL) {
        return g_strdup ("there is no such process");
    }
    state = dup_status_field (status, "State");
    tracer = dup_status_field (status, "TracerPid");
    user = dup_status_field (status, "Uid");
    if (state[0] == 'Z' || state[0] == 'X') {
        return g_strdup ("it has ended (a zombie)");
    }
    *ret_code = BASE_ERROR_DENIED;
    if (g_ascii_strtoull (tracer, NULL, 10) != 0) {
        g_autofree char *name = dup_process_name (tracer);

        return g_strdup_printf ("process %s (%s) is already tracing it", tracer, name);
    }
    if (geteuid () != 0 && g_ascii_strtoull (user, NULL, 10) != geteuid ()) {
        return g_strdup_printf ("it belongs to another user (uid %s)", user);
    }
    return explain_system (reason);
}

/* The links of the folder of threads are two and theirs (Linux, fs/proc/base.c): asked for with one call. */
gboolean
target_process_has_one_thread (pid_t pid)
{
    char path[32];
    struct stat status;

    g_snprintf (path, sizeof path, "/proc/%d/task", (int) pid);
    return stat (path, &status) == 0 && status.st_nlink == 3;
}

gboolean
target_process_check_tracers (pid_t pid, GError **error)
{
    g_autoptr (GArray) tids = NULL;
    g_autofree char *own = NULL;

    if (target_process_has_one_thread (pid)) {
        return TRUE; /* of the only one its seizure tells */
    }
    tids = target_process_list_threads (pid);
    own = g_strdup_printf ("%d", (int) getpid ());
    for (guint i = 0; i < tids->len; i++) {
        pid_t tid = g_array_index (tids, pid_t, i);
        g_autofree char *status = base_file_read_process (tid, "status", NULL);
        g_autofree char *tracer = status != NULL ? dup_status_field (status, "TracerPid")
                                                 : NULL;
        g_autofree char *name = NULL;

        if (tracer == NULL || strcmp (tracer, "0") == 0 || strcmp (tracer, own) == 0) {
            continue;
        }
        name = dup_process_name (tracer);
        if (tid == pid) {
            base_error_set (
                error, BASE_ERROR_DENIED,
                "cannot attach to process %d: process %s (%s) is already tracing it", (int) pid,
                tracer, name);
        } else {
            base_error_set (
                error, BASE_ERROR_DENIED,
                "cannot attach to process %d: process %s (%s) is already tracing its "
                "thread %d",
                (int) pid, tracer, name, (int) tid);
        }
        return FALSE;
    }
    return TRUE;
}

static void
set_seize_error (pid_t tid, int reason, GError **error)
{
    BaseError code;
    g_autofree char *why = explain_seize (tid, reason, &code);

    base_error_set (error, code, "cannot attach to process %d: %s", (int) tid, why);
}

#define OPTIONS                                                                                \
    (PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK       \
     | PTRACE_O_TRACEVFORKDONE | PTRACE_O_TRACEEXIT | PTRACE_O_TRACESYSGOOD)

gboolean
target_thread_seize (pid_t tid, gboolean exit_kill, GError **error)
{
    long options = OPTIONS | (exit_kill ? PTRACE_O_EXITKILL : 0);

    if (ptrace (PTRACE_SEIZE, tid, NULL, (void *) options) != 0) {
        set_seize_error (tid, errno, error);
        return FALSE;
    }
    if (exit_kill) {
        target_rescue_note_deadly (tid);
    }
    return TRUE;
}

void
target_thread_outlive (pid_t tid)
{
    if (ptrace (PTRACE_SETOPTIONS, tid, NULL, (void *) (long) OPTIONS) == 0) {
        target_rescue_forget_deadly (tid);
    }
}

gboolean
target_thread_interrupt (pid_t tid)
{
    return ptrace (PTRACE_INTERRUPT, tid, NULL, NULL) == 0;
}

gboolean
target_thread_continue (pid_t tid, int signal)
{
    return ptrace (PTRACE_CONT, tid, NULL, (void *) (long) signal) == 0;
}

gboolean
target_thread_step (pid_t tid, int signal)
{
    return ptrace (PTRACE_SINGLESTEP, tid, NULL, (void *) (long) signal) == 0;
}

gboolean
target_thread_continue_to_call (pid_t tid, int signal)
{
    return ptrace (PTRACE_SYSCALL, tid, NULL, (void *) (long) signal) == 0;
}

gboolean
target_thread_stop_again (pid_t tid)
{
    /* ptrace(2): after PTRACE_INTERRUPT of a stopped one another stop follows its PTRACE_CONT. */
    return target_thread_interrupt (tid) && target_thread_continue (tid, 0);
}

gboolean
target_thread_listen (pid_t tid)
{
    return ptrace (PTRACE_LISTEN, tid, NULL, NULL) == 0;
}

gboolean
target_thread_detach (pid_t tid, int signal)
{
    return ptrace (PTRACE_DETACH, tid, NULL, (void *) (long) signal) == 0;
}

gboolean
target_thread_get_event_message (pid_t tid, unsigned long *ret_message)
{
    return ptrace (PTRACE_GETEVENTMSG, tid, NULL, ret_message) == 0;
}

TargetSignalInfo
target_signal_info_make (const siginfo_t *info)
{
    gboolean is_sent = info->si_code <= 0; /* the two are one union */

    return (TargetSignalInfo){ info->si_code, is_sent ? 0 : (guint64) (gsize) info->si_addr,
                               is_sent ? info->si_pid : 0 };
}

gboolean
target_signal_info_is_asked (const TargetSignalInfo *info)
{
    return info->code == (SIGTRAP | PTRACE_EVENT_STOP << 8);
}

gboolean
target_thread_get_signal_info (pid_t tid, TargetSignalInfo *ret_info)
{
    siginfo_t info = { 0 };

    if (ptrace (PTRACE_GETSIGINFO, tid, NULL, &info) != 0) {
        return FALSE;
    }
    *ret_info = target_signal_info_make (&info);
    return TRUE;
}

gboolean
target_thread_set_signal_info (pid_t tid, const siginfo_t *info)
{
    return ptrace (PTRACE_SETSIGINFO, tid, NULL, (void *) info) == 0;
}

char
target_thread_get_state (pid_t pid, pid_t tid)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/task/%d/stat", (int) pid, (int) tid);
    g_autofree char *text = NULL;
    const char *after = g_file_get_contents (path, &text, NULL, NULL) ? strrchr (text, ')')
                                                                      : NULL;

    return after != NULL && after[1] == ' ' ? after[2] : 0;
}

/* Calls look for each pending signal of one queue, in its order, as long as look wants more. */
static void
peek_signals (pid_t tid, guint32 flags, gboolean (*look) (const siginfo_t *info, gpointer user),
              gpointer user)
{
    siginfo_t pending[PEEKED];
    struct __ptrace_peeksiginfo_args query = { 0, flags, PEEKED };
    long count;

    do {
        count = ptrace (PTRACE_PEEKSIGINFO, tid, &query, pending);
        for (long i = 0; i < count; i++) {
            if (!look (&pending[i], user)) {
                return;
            }
        }
        query.off += PEEKED;
    } while (count == PEEKED);
}

static gboolean
look_for_trap (const siginfo_t *info, gpointer user)
{
    *(gboolean *) user = info->si_signo == SIGTRAP && info->si_code > 0;
    return !*(gboolean *) user;
}

gboolean
target_thread_has_pending_trap (pid_t tid)
{
    gboolean found = FALSE;

    peek_signals (tid, 0, look_for_trap, &found);
    return found;
}

static gboolean
add_signal (const siginfo_t *info, gpointer user)
{
    *(guint64 *) user |= G_GUINT64_CONSTANT (1) << ((info->si_signo - 1) & 63);
    return TRUE;
}

guint64
target_thread_get_pending (pid_t tid)
{
    guint64 signals = 0;

    peek_signals (tid, 0, add_signal, &signals);
    peek_signals (tid, PTRACE_PEEKSIGINFO_SHARED, add_signal, &signals);
    return signals;
}

gboolean
target_thread_send_signal (pid_t pid, pid_t tid, int signal)
{
    return syscall (SYS_tgkill, pid, tid, signal) == 0;
}

gboolean
target_thread_queue_signal (pid_t pid, pid_t tid, const siginfo_t *info)
{
    siginfo_t copy = *info;

    if (copy.si_code >= 0 || copy.si_code == SI_TKILL) {
        copy.si_code = SI_QUEUE; /* rt_sigqueueinfo(2): the others are the kernel's own */
    }
    return (tid != 0 ? syscall (SYS_rt_tgsigqueueinfo, pid, tid, copy.si_signo, &copy)
                     : syscall (SYS_rt_sigqueueinfo, pid, copy.si_signo, &copy))
           == 0;
}

guint64
target_signal_get_bit (int signal)
{
    return G_GUINT64_CONSTANT (1) << (signal - 1);
}

gboolean
target_thread_get_mask (pid_t tid, guint64 *ret_mask)
{
    return ptrace (PTRACE_GETSIGMASK, tid, (void *) sizeof *ret_mask, ret_mask) == 0;
}

gboolean
target_thread_set_mask (pid_t tid, guint64 mask)
{
    return ptrace (PTRACE_SETSIGMASK, tid, (void *) sizeof mask, &mask) == 0;
}

gboolean
target_thread_blocks_signal (pid_t tid, int signal)
{
    guint64 mask = 0;

    return !target_thread_get_mask (tid, &mask) || (mask & target_signal_get_bit (signal)) != 0;
}

static gboolean
has_signal (const char *status, const char *name, int signal)
{
    g_autofree char *signals = dup_status_field (status, name);

    return (g_ascii_strtoull (signals, NULL, 16) & target_signal_get_bit (signal)) != 0;
}

TargetSignalUse
target_process_get_signal_use (pid_t pid, int signal)
{
    g_autofree char *status = base_file_read_process (pid, "status", NULL);

    return status == NULL                          ? TARGET_SIGNAL_UNKNOWN
           : has_signal (status, "SigCgt", signal) ? TARGET_SIGNAL_CAUGHT
           : has_signal (status, "SigIgn", signal) ? TARGET_SIGNAL_IGNORED
                                                   : TARGET_SIGNAL_DEFAULT;
}

GArray *
target_process_list_threads (pid_t pid)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/task", (int) pid);
    GArray *tids = g_array_new (FALSE, FALSE, sizeof (pid_t));
    DIR *folder = opendir (path);
    struct dirent *entry;

    while (folder != NULL && (entry = readdir (folder)) != NULL) {
        pid_t tid = (pid_t) atoi (entry->d_name);

        if (tid > 0) {
            g_array_append_val (tids, tid);
        }
    }
    if (folder != NULL) {
        closedir (folder);
    }
    return tids;
}

char **
target_process_read_command (pid_t pid)
{
    gsize size = 0;
    g_autofree char *text = base_file_read_process (pid, "cmdline", &size);
    g_autoptr (GPtrArray) words = NULL;

    if (text == NULL) {
        return NULL;
    }
    words = g_ptr_array_new ();
    for (gsize at = 0; at < size; at += strlen (text + at) + 1) {
        g_ptr_array_add (words, g_strdup (text + at));
    }
    g_ptr_array_add (words, NULL);
    return (char **) g_ptr_array_free (g_steal_pointer (&words), FALSE);
}

char *
target_process_read_executable (pid_t pid)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/exe", (int) pid);

    return g_file_read_link (path, NULL);
}

gboolean
target_process_read_auxv (pid_t pid, guint64 type, guint64 *ret_value)
{
    gsize size = 0;
    g_autofree char *text = base_file_read_process (pid, "auxv", &size);

    if (text == NULL) {
        return FALSE;
    }
    for (gsize at = 0; at + 16 <= size; at += 16) {
        guint64 pair[2];

        memcpy (pair, text + at, sizeof pair);
        if (pair[0] == type) {
            *ret_value = pair[1];
            return TRUE;
        }
    }
    return FALSE;
}

/* ---- one memory or two ---- */

/* core(5): what a core file has of shared pages of a DAX file system. */
#define FILTER_BIT 0x100u

static gboolean
read_filter (pid_t pid, guint32 *ret_filter)
{
    g_autofree char *text = base_file_read_process (pid, "coredump_filter", NULL);

    *ret_filter = text != NULL ? (guint32) strtoul (text, NULL, 16) : 0;
    return text != NULL && text[0] != '\0'; /* empty: it has no memory any more */
}

static gboolean
write_filter (pid_t pid, guint32 filter)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/coredump_filter", (int) pid);
    g_autofree char *text = g_strdup_printf ("0x%x", filter);
    int fd = open (path, O_WRONLY | O_CLOEXEC);
    gboolean done = fd >= 0 && write (fd, text, strlen (text)) == (gssize) strlen (text);

    if (fd >= 0) {
        close (fd);
    }
    return done;
}

/* Where the kernel does not compare them, as in containers: which kinds of pages a core file has is a setting of a memory, not
 * of a process, and no running program knows of it. One that the other memory has not is seen there if it is the same. */
static TargetSameMemory
try_filter (pid_t one, pid_t other)
{
    guint32 before, there, after = 0;
    gboolean is_tried;

    if (!read_filter (one, &before) || !read_filter (other, &there)) {
        return TARGET_MEMORY_UNKNOWN;
    }
    if (before != there) {
        return TARGET_MEMORY_OTHER;
    }
    is_tried = write_filter (other, there ^ FILTER_BIT) && read_filter (one, &after);
    write_filter (other, there);
    return !is_tried         ? TARGET_MEMORY_UNKNOWN
           : after == before ? TARGET_MEMORY_OTHER
                             : TARGET_MEMORY_SAME;
}

TargetSameMemory
target_process_compare_memory (pid_t one, pid_t other)
{
    long answer = syscall (SYS_kcmp, one, other, KCMP_VM, 0, 0);

    return answer < 0    ? try_filter (one, other)
           : answer == 0 ? TARGET_MEMORY_SAME
                         : TARGET_MEMORY_OTHER;
}
