/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Planted bytes in a child that waits: hidden from readers, kept through writes, told in the
 * shared table, restored at once or in a forked copy. */
#include "base/error.h"
#include "base/trap-table.h"
#include "target/process.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEADLINE_US (120 * G_USEC_PER_SEC)

typedef struct {
    guint32 pid, used;
    guint64 address;
    guint8 original, pad[7];
} Entry;

static guint8 *area; /* at the same address in the child */

static pid_t
start_child (void)
{
    pid_t child = fork ();

    g_assert_cmpint (child, >=, 0);
    if (child == 0) {
        prctl (PR_SET_PDEATHSIG, SIGKILL);
        for (;;) {
            pause ();
        }
    }
    return child;
}

static void
end_child (pid_t child)
{
    kill (child, SIGKILL);
    g_assert_cmpint (waitpid (child, NULL, 0), ==, child);
}

static guint8
read_raw (pid_t pid, gconstpointer address)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/mem", (int) pid);
    int fd = open (path, O_RDONLY);
    guint8 byte = 0;

    g_assert_cmpint (pread (fd, &byte, 1, (off_t) (gsize) address), ==, 1);
    close (fd);
    return byte;
}

static void
test_hidden (void)
{
    pid_t child = start_child ();
    BaseMemoryReader *memory = target_memory_new (child);
    TargetTraps *traps = target_traps_new (child, memory, NULL);
    guint64 base = (guint64) (gsize) area;
    guint8 bytes[16];
    g_autoptr (GError) error = NULL;

    g_assert_true (target_traps_plant (traps, base + 3, &error));
    g_assert_true (target_traps_plant (traps, base + 9, &error));
    g_assert_true (target_traps_plant (traps, base + 9, &error)); /* twice is once */
    g_assert_no_error (error);
    g_assert_cmphex (read_raw (child, area + 3), ==, 0xcc);
    g_assert_true (base_memory_read (memory, base, bytes, sizeof bytes, &error));
    g_assert_cmpmem (bytes, sizeof bytes, area, sizeof bytes);
    g_assert_true (base_memory_read (memory, base + 9, bytes, 1, &error));
    g_assert_cmphex (bytes[0], ==, area[9]);
    g_assert_true (target_traps_find (traps, base + 9));
    /* A write through the trap is seen, and the trap stays. */
    g_assert_true (base_memory_write (memory, base + 8, "\x77\x78\x79", 3, &error));
    g_assert_cmphex (read_raw (child, area + 9), ==, 0xcc);
    g_assert_true (base_memory_read (memory, base + 8, bytes, 3, &error));
    g_assert_cmpmem (bytes, 3, "\x77\x78\x79", 3);
    g_assert_true (target_traps_remove (traps, base + 9, &error));
    g_assert_cmphex (read_raw (child, area + 9), ==, 0x78);
    target_traps_remove_all (traps);
    g_assert_cmphex (read_raw (child, area + 3), ==, area[3]);
    target_traps_free (traps);
    target_memory_free (memory);
    end_child (child);
}

static void
test_unmapped (void)
{
    pid_t child = start_child ();
    BaseMemoryReader *memory = target_memory_new (child);
    TargetTraps *traps = target_traps_new (child, memory, NULL);
    g_autoptr (GError) error = NULL;
    guint8 bytes[8];

    g_assert_false (target_traps_plant (traps, 16, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_FAULT);
    g_assert_cmpuint (base_memory_read_some (memory, 16, bytes, 8), ==, 0);
    g_assert_true (target_traps_remove (traps, 16, NULL));
    target_traps_free (traps);
    target_memory_free (memory);
    end_child (child);
}

/* Part of a batch fails: the rest is read all the same. */
static void
test_batch (void)
{
    pid_t child = start_child ();
    BaseMemoryReader *memory = target_memory_new (child);
    guint8 a[4], b[4], c[4];
    BaseMemoryItem items[] = { { (guint64) (gsize) area, a, 4, 0 },
                               { 16, b, 4, 0 },
                               { (guint64) (gsize) area + 4, c, 4, 0 } };

    memory->read (memory, items, 3);
    g_assert_cmpuint (items[0].done, ==, 4);
    g_assert_cmpuint (items[1].done, ==, 0);
    g_assert_cmpuint (items[2].done, ==, 4);
    g_assert_cmpmem (c, 4, area + 4, 4);
    target_memory_free (memory);
    end_child (child);
}

static void
test_table (void)
{
    g_autofree char *path = NULL;
    int file = g_file_open_tmp ("pddt-traps-XXXXXX", &path, NULL);
    guint32 head[2] = { 0x54544450u, 16 };
    pid_t child = start_child ();
    BaseMemoryReader *memory = target_memory_new (child);
    g_autoptr (GError) error = NULL;
    gpointer table;
    TargetTraps *traps;
    const Entry *entries;
    guint used = 0;

    g_assert_null (target_traps_map_table ("/nowhere/traps", &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND);
    g_clear_error (&error);
    g_assert_cmpint (ftruncate (file, 8 + 16 * sizeof (Entry)), ==, 0);
    g_assert_null (target_traps_map_table (path, &error)); /* no magic */
    g_assert_error (error, BASE_ERROR, BASE_ERROR_CORRUPT);
    g_clear_error (&error);
    g_assert_cmpint (pwrite (file, head, sizeof head, 0), ==, sizeof head);
    table = target_traps_map_table (path, &error);
    g_assert_no_error (error);
    entries = (const Entry *) ((guint8 *) table + 8);
    traps = target_traps_new (child, memory, table);
    for (guint i = 0; i < 20; i++) { /* none that the guard would not know of */
        gboolean has_room = target_traps_plant (traps, (guint64) (gsize) area + i, &error);

        g_assert_cmpint (has_room, ==, i < 16);
        g_assert_cmphex (read_raw (child, area + i), ==, i < 16 ? 0xcc : area[i]);
        if (!has_room) {
            g_assert_error (error, BASE_ERROR, BASE_ERROR_BUSY);
            g_clear_error (&error);
        }
    }
    for (guint i = 0; i < 16; i++) {
        used += entries[i].used;
        g_assert_cmpuint (entries[i].pid, ==, (guint32) child);
        g_assert_cmphex (entries[i].original, ==, area[entries[i].address - (gsize) area]);
    }
    g_assert_cmpuint (used, ==, 16);
    /* What the guard does when the tracer is dead. */
    g_assert_true (target_traps_remove (traps, entries[0].address, &error));
    g_assert_cmpuint (entries[0].used, ==, 0);
    g_assert_true (target_traps_plant (traps, (guint64) (gsize) area + 18,
                                       &error)); /* in its place */
    g_assert_cmphex (entries[0].address, ==, (gsize) area + 18);
    target_traps_remove_all (traps);
    for (guint i = 0; i < 20; i++) {
        g_assert_cmpuint (i < 16 ? entries[i].used : 0, ==, 0);
        g_assert_cmphex (read_raw (child, area + i), ==, area[i]);
    }
    target_traps_free (traps);
    target_memory_free (memory);
    munmap (table, 8 + 16 * sizeof (Entry));
    close (file);
    g_unlink (path);
    end_child (child);
}

static void
test_lifted (void)
{
    pid_t child = start_child ();
    BaseMemoryReader *memory = target_memory_new (child);
    TargetTraps *traps = target_traps_new (child, memory, NULL);
    guint64 base = (guint64) (gsize) area;

    g_assert_true (target_traps_plant (traps, base, NULL));
    target_traps_lift (traps);
    g_assert_cmphex (read_raw (child, area), ==, area[0]);
    g_assert_true (target_traps_plant (traps, base + 1, NULL));
    g_assert_cmphex (read_raw (child, area + 1), ==, area[1]);
    target_traps_plant_again (traps);
    g_assert_cmphex (read_raw (child, area), ==, 0xcc);
    g_assert_cmphex (read_raw (child, area + 1), ==, 0xcc);
    target_traps_lift_one (traps, base, TRUE);
    g_assert_cmphex (read_raw (child, area), ==, area[0]);
    target_traps_lift_one (traps, base, FALSE);
    g_assert_cmphex (read_raw (child, area), ==, 0xcc);
    target_traps_free (traps);
    target_memory_free (memory);
    end_child (child);
}

/* Two children with the same bytes stand for a fork of the one by the other. */
static void
test_clean_child (void)
{
    pid_t child = start_child (), copy = start_child ();
    BaseMemoryReader *memory = target_memory_new (child), *other = target_memory_new (copy);
    TargetTraps *traps = target_traps_new (child, memory, NULL);
    guint64 base = (guint64) (gsize) area;

    g_assert_true (target_traps_plant (traps, base + 5, NULL));
    g_assert_true (base_memory_write (other, base + 5, "\xcc", 1, NULL));
    target_traps_clean_child (traps, copy);
    g_assert_cmphex (read_raw (copy, area + 5), ==, area[5]);
    g_assert_cmphex (read_raw (child, area + 5), ==, 0xcc);
    target_traps_free (traps);
    target_memory_free (memory);
    target_memory_free (other);
    end_child (child);
    end_child (copy);
}

/* A process and its child of vfork, which lives on in the same memory when the process is killed. */
static pid_t
start_two (pid_t *ret_second)
{
    int ends[2];
    pid_t first;

    g_assert_cmpint (pipe (ends), ==, 0);
    first = fork ();
    if (first == 0) {
        prctl (PR_SET_PDEATHSIG, SIGKILL);
        if (vfork () == 0) {
            pid_t self = getpid ();

            alarm (60);
            write (ends[1], &self, sizeof self);
            for (;;) {
                pause ();
            }
        }
        _exit (0);
    }
    g_assert_cmpint (read (ends[0], ret_second, sizeof *ret_second), ==, sizeof *ret_second);
    close (ends[0]);
    close (ends[1]);
    return first;
}

static void
test_moved (void)
{
    guint64 base = (guint64) (gsize) area, words[2] = { 0 };
    BaseTrapTable *table = g_malloc0 (sizeof *table + 64 * sizeof (BaseTrap));
    pid_t second, first = start_two (&second);
    BaseMemoryReader *memory = target_memory_new (first);
    g_autoptr (GError) error = NULL;
    TargetTraps *traps;
    guint n = 0;

    table->capacity = 64;
    traps = target_traps_new (first, memory, table);
    g_assert_true (target_traps_plant (traps, base + 3, &error));
    target_traps_note_armed (traps);
    target_traps_move (traps, second);
    for (guint i = 0; i < table->capacity; i++) {
        n += table->traps[i].used != BASE_TRAP_FREE && table->traps[i].pid == (guint32) second;
    }
    g_assert_cmpuint (n, ==, 2);
    end_child (first);
    g_assert_true (base_memory_read (memory, base, words, sizeof words, &error));
    g_assert_cmpmem (words, sizeof words, area, sizeof words);
    g_assert_true (target_memory_load_word (memory, base, &words[0]));
    g_assert_cmphex (read_raw (second, area + 3), ==, 0xcc);
    target_traps_remove_all (traps);
    g_assert_cmphex (read_raw (second, area + 3), ==, area[3]);
    target_traps_free (traps);
    target_memory_free (memory);
    g_free (table);
    kill (second, SIGKILL);
}

/* Of an ended program nothing can be planted or taken out any more, but a child may still have it. */
static void
test_retired (void)
{
    pid_t child = start_child (), copy = start_child ();
    BaseMemoryReader *memory = target_memory_new (child), *other = target_memory_new (copy);
    TargetTraps *traps = target_traps_new (child, memory, NULL);
    guint64 base = (guint64) (gsize) area;
    g_autoptr (GError) error = NULL;

    g_assert_true (target_traps_plant (traps, base + 5, NULL));
    g_assert_true (base_memory_write (other, base + 5, "\xcc", 1, NULL));
    target_traps_retire (traps);
    target_memory_free (memory);
    g_assert_false (target_traps_takes_any (traps));
    g_assert_true (target_traps_is_empty (traps));
    g_assert_false (target_traps_find (traps, base + 5));
    g_assert_false (target_traps_plant (traps, base + 5, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_BUSY);
    g_assert_true (target_traps_remove (traps, base + 5, NULL));
    target_traps_remove_all (traps);
    target_traps_lift (traps);
    target_traps_plant_again (traps);
    target_traps_rest (traps, TRUE);
    target_traps_rest (traps, FALSE);
    target_traps_clean_child (traps, copy);
    g_assert_cmphex (read_raw (copy, area + 5), ==, area[5]);
    target_traps_free (traps);
    target_memory_free (other);
    end_child (child);
    end_child (copy);
}

static void
test_seize_errors (void)
{
    g_autoptr (GError) error = NULL;

    g_assert_false (target_thread_seize (0x7ffffffe, FALSE, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_GONE);
    g_clear_error (&error);
    g_assert_false (target_thread_seize (getpid (), FALSE, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_DENIED);
}

/* This system call gets this answer in this process from now on. */
static void
answer_with (guint32 number, guint32 answer)
{
    struct sock_filter code[] = {
        BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
        BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT (BPF_RET | BPF_K, answer),
        BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { G_N_ELEMENTS (code), code };

    g_assert_cmpint (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), ==, 0);
    g_assert_cmpint (prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), ==, 0);
}

/* Where a container forbids process_vm_readv, memory is read all the same, and the call is made once: the second filter
 * kills whoever makes it. */
static void
test_refused (void)
{
    pid_t child = start_child (), reader = fork ();
    int status;

    g_assert_cmpint (reader, >=, 0);
    if (reader == 0) {
        BaseMemoryReader *memory = target_memory_new (child);
        guint64 base = (guint64) (gsize) area, word;
        guint8 first[16], second[16];
        BaseMemoryItem items[] = { { base, first, sizeof first, 0 },
                                   { base + 100, second, sizeof second, 0 } };

        answer_with (SYS_process_vm_readv, SECCOMP_RET_ERRNO | EPERM);
        g_assert_true (base_memory_read (memory, base, first, sizeof first, NULL));
        g_assert_cmpmem (first, sizeof first, area, sizeof first);
        answer_with (SYS_process_vm_readv, SECCOMP_RET_KILL_PROCESS);
        memset (first, 0, sizeof first);
        memory->read (memory, items, G_N_ELEMENTS (items));
        g_assert_cmpmem (first, items[0].done, area, sizeof first);
        g_assert_cmpmem (second, items[1].done, area + 100, sizeof second);
        g_assert_false (target_memory_load_word (memory, base, &word));
        target_memory_free (memory);
        _exit (0);
    }
    g_assert_cmpint (waitpid (reader, &status, 0), ==, reader);
    g_assert_cmpint (status, ==, 0);
    end_child (child);
}

/* It forks when it is told to. */
static pid_t
start_parent (gint *may_fork)
{
    pid_t parent = fork ();

    g_assert_cmpint (parent, >=, 0);
    if (parent == 0) {
        prctl (PR_SET_PDEATHSIG, SIGKILL);
        while (!g_atomic_int_get (may_fork)) {
            sched_yield ();
        }
        fork ();
        for (;;) {
            pause ();
        }
    }
    return parent;
}

static void
seize (pid_t pid, gboolean exit_kill)
{
    TargetStop stop;

    g_assert_true (target_thread_seize (pid, exit_kill, NULL));
    g_assert_true (target_thread_interrupt (pid));
    g_assert_cmpint (target_wait_for (pid, DEADLINE_US, &stop), ==, TARGET_WAIT_STOP);
}

/* On one processor, which this process leaves only where it waits: its children have not run before that. */
static void
run_first (void)
{
    const struct sched_param first = { 1 };
    cpu_set_t one;

    CPU_ZERO (&one);
    CPU_SET (sched_getcpu (), &one);
    sched_setaffinity (0, sizeof one, &one);
    sched_setscheduler (0, SCHED_FIFO | SCHED_RESET_ON_FORK,
                        &first); /* refused: chance decides */
}

/* The kernel refuses writes by way of /proc: what is planted comes by way of a thread that stands, and a child that has not
 * come to its first stop is written there. */
static void
clean_unwritable (void)
{
    gint *may_fork = mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                           0);
    pid_t parent, child;
    BaseMemoryReader *memory;
    TargetTraps *traps;
    unsigned long message;
    TargetStop stop;
    siginfo_t info;
    g_autoptr (GError) error = NULL;

    run_first ();
    parent = start_parent (may_fork);
    answer_with (SYS_pwrite64, SECCOMP_RET_ERRNO | EPERM);
    memory = target_memory_new (parent);
    traps = target_traps_new (parent, memory, NULL);
    g_assert_false (target_traps_plant (traps, (guint64) (gsize) area + 5, &error));
    g_clear_error (&error);
    seize (parent, TRUE);
    g_assert_true (target_traps_plant (traps, (guint64) (gsize) area + 5, &error));
    g_assert_cmphex (read_raw (parent, area + 5), ==, 0xcc);
    g_atomic_int_set (may_fork, TRUE);
    g_assert_true (target_thread_continue (parent, 0));
    g_assert_cmpint (waitid (P_PID, (id_t) parent, &info, WSTOPPED | WNOWAIT | __WALL), ==, 0);
    g_assert_cmpint (target_wait_for (parent, DEADLINE_US, &stop), ==, TARGET_WAIT_STOP);
    g_assert_cmpint (stop.kind, ==, TARGET_STOP_FORK);
    g_assert_true (target_thread_get_event_message (parent, &message));
    child = (pid_t) message;
    target_traps_clean_child (traps, child);
    g_assert_cmphex (read_raw (child, area + 5), ==, area[5]);
    g_assert_cmphex (read_raw (parent, area + 5), ==, 0xcc);
    g_assert_cmpint (target_wait_for (child, DEADLINE_US, &stop), ==, TARGET_WAIT_STOP);
    g_assert_cmpint (stop.kind, ==, TARGET_STOP_ASKED);
    target_traps_free (traps);
    target_memory_free (memory);
    _exit (0);
}

static void
test_unwritable (void)
{
    pid_t tracer = fork ();
    int status;

    if (tracer == 0) {
        clean_unwritable ();
    }
    g_assert_cmpint (waitpid (tracer, &status, 0), ==, tracer);
    g_assert_cmpint (status, ==, 0);
}

/* ---- what its tracer leaves ---- */

static gint *n_told; /* shared with the child */

static void
on_signal (int number)
{
    g_atomic_int_inc (n_told);
}

static gpointer
trace (gpointer data)
{
    gint *state = data;

    seize (state[1], FALSE);
    g_atomic_int_set (&state[0], 1);
    while (g_atomic_int_get (&state[0]) == 1) {
        sched_yield ();
    }
    return NULL; /* the end of its tracees' tracer */
}

/* Its tracer is about to end. A signal that comes meanwhile is not lost. */
static void
test_disarm (void)
{
    g_autofree BaseTrapTable *table = g_malloc0 (sizeof *table + 64 * sizeof (BaseTrap));
    guint64 base = (guint64) (gsize) area;
    pid_t child;

    n_told = mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    signal (SIGUSR1, on_signal);
    child = start_child ();
    signal (SIGUSR1, SIG_DFL);
    table->capacity = 64;
    for (gint round = 0; round < 20; round++) {
        gint state[2] = { 0, child };
        GThread *tracer = g_thread_new ("tracer", trace, state);
        BaseMemoryReader *memory = target_memory_new (child);
        TargetTraps *traps = target_traps_new (child, memory, table);
        gint64 end = g_get_monotonic_time () + DEADLINE_US;

        while (g_atomic_int_get (&state[0]) == 0) {
            sched_yield ();
        }
        for (guint i = 0; i < 3; i++) {
            g_assert_true (target_traps_plant (traps, base + 2045 * i, NULL));
        }
        kill (child, SIGUSR1);
        g_atomic_int_set (&state[0], 2);
        target_process_disarm (child, table, end);
        g_thread_join (tracer);
        for (guint i = 0; i < 3; i++) {
            g_assert_cmphex (read_raw (child, area + 2045 * i), ==, area[2045 * i]);
        }
        while (g_atomic_int_get (n_told) <= round) {
            g_assert_cmpint (g_get_monotonic_time (), <, end);
            sched_yield ();
        }
        target_traps_free (traps);
        target_memory_free (memory);
    }
    end_child (child);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    area = mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    g_assert_true (area != MAP_FAILED);
    for (guint i = 0; i < 4096; i++) {
        area[i] = (guint8) (i % 200 + 1);
    }
    g_test_add_func ("/target/traps/hidden", test_hidden);
    g_test_add_func ("/target/traps/unmapped", test_unmapped);
    g_test_add_func ("/target/traps/batch", test_batch);
    g_test_add_func ("/target/traps/table", test_table);
    g_test_add_func ("/target/traps/lifted", test_lifted);
    g_test_add_func ("/target/traps/clean-child", test_clean_child);
    g_test_add_func ("/target/traps/moved", test_moved);
    g_test_add_func ("/target/traps/retired", test_retired);
    g_test_add_func ("/target/traps/seize-errors", test_seize_errors);
    g_test_add_func ("/target/traps/refused", test_refused);
    g_test_add_func ("/target/traps/unwritable", test_unwritable);
    g_test_add_func ("/target/traps/disarm", test_disarm);
    return g_test_run ();
}
