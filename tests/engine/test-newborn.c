/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Children that are born while their parent dies, is let go or is left with the engine: none stays
 * traced, none keeps a trap, none dies with the tracer. */
#include "engine/inspect/inspect.h"
#include "failing.h"
#include "rig.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEADLINE_US (120 * G_USEC_PER_SEC)

static guint n_rounds = 3; /* more in PDDT_CYCLES */

typedef struct {
    long born, well;
} Counts;

typedef struct {
    Rig rig;
    char *path;
    Counts *counts;
    guint32 slot;
    pid_t pid;
} Nest;

static void
open_nest (Nest *nest, const char *renewals)
{
    g_autofree char *program = rig_dup_inferior ("inferior-brood");
    int file;

    rig_open (&nest->rig, "none");
    nest->path = g_build_filename (nest->rig.folder, "counts", NULL);
    file = open (nest->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    g_assert_cmpint (ftruncate (file, sizeof *nest->counts), ==, 0);
    nest->counts = mmap (NULL, sizeof *nest->counts, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                         0);
    g_assert_true (nest->counts != MAP_FAILED);
    close (file);
    nest->slot = rig_start (&nest->rig,
                            (char *[]){ program, nest->path,
                                        renewals != NULL ? (char *) "renew" : NULL,
                                        (char *) renewals, NULL },
                            &nest->pid);
    rig_wait (&nest->rig, nest->slot, JOB_EVENT_STATE);
    rig_break (&nest->rig, nest->slot, 1, "hit", NULL);
    rig_wait (&nest->rig, nest->slot, JOB_EVENT_BREAKPOINT);
}

static void
close_nest (Nest *nest)
{
    munmap (nest->counts, sizeof *nest->counts);
    rig_close (&nest->rig);
    g_free (nest->path);
}

static void
pump_until (Nest *nest, long n_born)
{
    gint64 end = g_get_monotonic_time () + DEADLINE_US;

    while (__atomic_load_n (&nest->counts->born, __ATOMIC_SEQ_CST) < n_born) {
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        rig_pump (&nest->rig, 1);
    }
}

static gboolean
has_tracee (void)
{
    g_autofree char *wanted = g_strdup_printf ("\nTracerPid:\t%d\n", (int) getpid ());
    g_autoptr (GDir) folder = g_dir_open ("/proc", 0, NULL);
    gboolean found = FALSE;
    const char *name;

    while (!found && (name = g_dir_read_name (folder)) != NULL) {
        g_autofree char *path = g_build_filename ("/proc", name, "status", NULL);
        g_autofree char *text = NULL;

        found = g_ascii_isdigit (name[0]) && g_file_get_contents (path, &text, NULL, NULL)
                && strstr (text, wanted) != NULL;
    }
    return found;
}

/* No child is traced any more: all that were forked run to their end. */
static void
check_counts (Nest *nest)
{
    gint64 end = g_get_monotonic_time () + DEADLINE_US;
    long born, well;

    do {
        g_usleep (100);
        born = __atomic_load_n (&nest->counts->born, __ATOMIC_SEQ_CST);
        well = __atomic_load_n (&nest->counts->well, __ATOMIC_SEQ_CST);
    } while (born != well && g_get_monotonic_time () < end);
    g_assert_cmpint (born, ==, well);
}

/* Forked by a parent that is killed meanwhile. */
static void
test_killed (void)
{
    for (guint round = 0; round < n_rounds; round++) {
        Nest nest;
        gint64 end = g_get_monotonic_time () + DEADLINE_US;

        open_nest (&nest, NULL);
        pump_until (&nest, 3 + round % 5);
        kill (nest.pid, SIGKILL);
        rig_expect (&nest.rig, nest.slot, JOB_STATE_FAILED, NULL, 0);
        while (has_tracee ()) {
            g_assert_cmpint (g_get_monotonic_time (), <, end);
            rig_pump (&nest.rig, 1);
        }
        check_counts (&nest);
        close_nest (&nest);
    }
}

/* Forked by a thread that ends in the same moment, because another one executes a program. */
static void
test_renewed (void)
{
    g_autofree char *renewals = g_strdup_printf ("%u", 10 * n_rounds);
    Nest nest;

    open_nest (&nest, renewals);
    rig_expect (&nest.rig, nest.slot, JOB_STATE_EXITED, NULL, 0);
    check_counts (&nest);
    close_nest (&nest);
}

/* Forked by a parent that is detached: by request, and because the engine ends. */
static void
test_left (gconstpointer data)
{
    gboolean is_pumped = GPOINTER_TO_INT (data);

    for (guint round = 0; round < n_rounds; round++) {
        Nest nest;
        gint64 end = g_get_monotonic_time () + DEADLINE_US;
        long born;

        open_nest (&nest, NULL);
        pump_until (&nest, 3 + round % 5);
        rig_do (&nest.rig, nest.slot, JOB_VERB_DETACH);
        if (is_pumped) {
            while (has_tracee ()) {
                g_assert_cmpint (g_get_monotonic_time (), <, end);
                rig_pump (&nest.rig, 1);
            }
        } else {
            engine_abandon (nest.rig.engine);
            g_assert_false (has_tracee ());
        }
        born = __atomic_load_n (&nest.counts->born, __ATOMIC_SEQ_CST);
        while (__atomic_load_n (&nest.counts->born, __ATOMIC_SEQ_CST) < born + 3) {
            g_assert_cmpint (g_get_monotonic_time (), <, end); /* it goes on */
            g_usleep (100);
        }
        kill (nest.pid, SIGKILL);
        g_assert_cmpint (waitpid (nest.pid, NULL, 0), ==, nest.pid);
        check_counts (&nest);
        close_nest (&nest);
    }
}

/* A process that shares the rank's memory meets its traps as a thread does; one that a
 * vfork-like clone makes with memory of its own has none. */
static void
test_shared (gconstpointer data)
{
    g_auto (GStrv) words = g_strsplit (data, " ", -1);
    const char *way = words[0];
    gboolean is_untold = g_strv_contains ((const char *const *) words, "untold");
    Rig rig;
    guint32 slot;
    JobRequest *request = job_request_new (JOB_VERB_BREAK, NULL);

    failing_refuse_comparison (g_strv_contains ((const char *const *) words, "uncompared"));
    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, "inferior-shares", way);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    request->number = 1;
    request->every = 10;
    g_assert_true (job_where_parse ("hit", &request->where, NULL));
    rig_send (&rig, slot, request);
    rig_wait (&rig, slot, JOB_EVENT_BREAKPOINT);
    failing_refuse_events (is_untold); /* the child is made before the parent's first stop */
    for (guint i = 0; i < 10; i++) {
        rig_do (&rig, slot, JOB_VERB_CONTINUE);
        rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "hit", 0);
        failing_refuse_events (FALSE);
    }
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_EXITED, NULL, 0);
    rig_close (&rig);
    failing_refuse_comparison (FALSE);
}

static void
follow_both (Rig *rig, guint32 slot)
{
    JobRequest *request = job_request_new (JOB_VERB_OPTION, NULL);

    request->text = g_strdup ("follow-fork");
    request->text2 = g_strdup ("both");
    rig_send (rig, slot, request);
}

/* A child that a vfork-like clone makes with memory of its own, followed beside its parent, has the breakpoints of its
 * parent's at once. */
static void
test_followed_apart (void)
{
    guint32 slot;
    Rig rig;

    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, "inferior-shares", "apart");
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    follow_both (&rig, slot);
    rig_break (&rig, slot, 1, "hit", "counted < 1");
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot + 1, JOB_STATE_BREAKPOINT, "hit", 0);
    rig_do (&rig, slot + 1, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "hit", 0);
    rig_close (&rig);
}

/* A followed child of vfork's ends before its own child of vfork, which goes on in the memory of its grandparent beside that:
 * no trap is planted there before it has left. */
static void
test_followed_outlived (void)
{
    guint32 slot;
    Rig rig;

    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, "inferior-shares", "outlived");
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    follow_both (&rig, slot);
    rig_break (&rig, slot, 1, "hit", NULL);
    rig_break (&rig, slot, 2, "end", NULL);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot + 1, JOB_STATE_FAILED, NULL, 0);
    rig_expect (&rig, slot + 2, JOB_STATE_EXITED, NULL, 0);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "end", 0);
    rig_close (&rig);
}

/* Of a thread of the process: in the kernel, where nothing can stop it. */
static void
wait_until_deep (pid_t pid)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/stat", (int) pid);
    gint64 end = g_get_monotonic_time () + DEADLINE_US;
    gboolean is_deep = FALSE;

    while (!is_deep) {
        g_autofree char *text = NULL;

        g_assert_cmpint (g_get_monotonic_time (), <, end);
        is_deep = g_file_get_contents (path, &text, NULL, NULL)
                  && strstr (text, ") D ") != NULL;
    }
}

/* The child of vfork reads from there: before that its parent may be in the kernel for other reasons, as when it is loaded. */
static int
await_reader (const char *fifo)
{
    gint64 end = g_get_monotonic_time () + DEADLINE_US;
    int fd;

    while ((fd = open (fifo, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0) {
        g_assert_cmpint (errno, ==, ENXIO);
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        g_usleep (1000);
    }
    return fd;
}

/* It is told with its place, and whether it has to wait. */
static void
expect_breakpoint (Rig *rig, guint32 slot, gint32 number, const char *remark)
{
    const JobEvent *event;

    do {
        event = rig_wait (rig, slot, JOB_EVENT_BREAKPOINT);
    } while (event->number != number || event->places->len == 0);
    g_assert_cmpstr (event->text, ==, remark);
}

static gboolean
tells_callers (Rig *rig, guint32 slot, gboolean is_last)
{
    EngineProcess *process = engine_find_process (rig->engine, slot);
    Stack *stack = engine_inspect_read_stack (engine_process_get_stopped (process), 0);
    gboolean has_caller = FALSE, has_main = FALSE;

    g_assert_nonnull (stack);
    for (guint i = 0; i < stack->frames->len; i++) {
        const JobFrame *frame = g_ptr_array_index (stack->frames, i);

        if (is_last) {
            g_test_message ("#%u %s%s", i, frame->location.function,
                            frame->flags & JOB_FRAME_INCOMPLETE ? " [incomplete]" : "");
        }
        has_caller |= g_strcmp0 (frame->location.function, "wait_in_vfork") == 0;
        has_main |= has_caller && g_strcmp0 (frame->location.function, "main") == 0;
    }
    stack_free (stack);
    return has_main;
}

/* The kernel does not let it stop, and vfork keeps the address that it returns to in a register: the stack is told all the
 * same, once the child, which runs on that stack, has come to where it waits. */
static void
check_stack_in_vfork (Rig *rig, guint32 slot)
{
    gint64 end = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;

    while (!tells_callers (rig, slot, g_get_monotonic_time () >= end)) {
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        rig_pump (rig, 1);
    }
}

/* Attaches to a process that waits in vfork: its child, which nobody traces, meets no trap in the memory that they share,
 * and once it has left the breakpoints are there. */
static void
test_attach_in_vfork (void)
{
    g_autofree char *program = rig_dup_inferior ("inferior-latch"), *fifo = NULL, *file = NULL;
    EngineRankInfo info = { .size = 1, .launched = FALSE, .input_fd = -1 };
    g_autoptr (GError) error = NULL;
    guint32 slot = 0;
    Rig rig;
    int fd;

    rig_open (&rig, NULL);
    fifo = g_build_filename (rig.folder, "latch", NULL);
    file = g_build_filename (rig.folder, "end", NULL);
    g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
    info.pid = fork ();
    if (info.pid == 0) {
        execl (program, program, "hold", fifo, file, NULL);
        _exit (126);
    }
    fd = await_reader (fifo);
    wait_until_deep (info.pid);
    g_assert_true (engine_adopt (rig.engine, &info, &slot, &error));
    rig_expect (&rig, slot, JOB_STATE_STOPPED, NULL, 0);
    check_stack_in_vfork (&rig, slot);
    for (guint i = 0; i < 3; i++) { /* what the child executes, and what its parent does */
        rig_break (&rig, slot, i + 1, ((const char *[]){ "open", "_exit", "hit" })[i], NULL);
    }
    expect_breakpoint (&rig, slot, 3,
                       "waits until the child of vfork has left the rank's memory");
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    g_assert_cmpint (write (fd, "", 1), ==, 1);
    close (fd);
    expect_breakpoint (&rig, slot, 3, NULL);
    for (guint i = 0; i < 20; i++) {
        rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "hit", 0);
        rig_do (&rig, slot, i < 19 ? JOB_VERB_CONTINUE : JOB_VERB_DETACH);
    }
    rig_expect (&rig, slot, JOB_STATE_LOST, NULL, 0);
    rig_expect_told_end (&rig);
    rig_close (&rig);
}

/* What /proc says of a process is read once to attach to it. */
static void
test_attach_opens_once (void)
{
    g_autoptr (GHashTable) counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                           NULL);
    EngineRankInfo info = { .size = 1, .launched = FALSE, .input_fd = -1 };
    g_autoptr (GError) error = NULL;
    g_autofree char *folder = NULL, *maps = NULL;
    GHashTableIter iter;
    gpointer path, count;
    guint32 slot = 0;
    Rig rig;

    info.pid = fork ();
    if (info.pid == 0) {
        prctl (PR_SET_PDEATHSIG, SIGKILL);
        pause ();
        _exit (0);
    }
    folder = g_strdup_printf ("/proc/%d/", (int) info.pid);
    maps = g_strconcat (folder, "maps", NULL);
    rig_open (&rig, NULL);
    failing_count_opens (counts);
    g_assert_true (engine_adopt (rig.engine, &info, &slot, &error));
    rig_expect (&rig, slot, JOB_STATE_STOPPED, NULL, 0);
    failing_count_opens (NULL);
    rig_close (&rig);
    g_assert_true (g_hash_table_contains (counts, maps));
    g_hash_table_iter_init (&iter, counts);
    while (g_hash_table_iter_next (&iter, &path, &count)) {
        gboolean is_state = g_str_has_suffix (path, "/stat"); /* as long as it does not stop */

        if (g_str_has_prefix (path, folder) && !is_state && GPOINTER_TO_UINT (count) != 1) {
            g_error ("%s is opened %u times", (char *) path, GPOINTER_TO_UINT (count));
        }
    }
    kill (info.pid, SIGKILL);
    g_assert_cmpint (waitpid (info.pid, NULL, 0), ==, info.pid);
}

/* Attaches, again and again, to a process whose threads start programs all the time. */
static void
test_attach_to_spawner (void)
{
    g_autofree char *program = rig_dup_inferior ("inferior-spawner");
    EngineRankInfo info = { .size = 1, .launched = FALSE, .input_fd = -1 };
    g_autoptr (GError) error = NULL;

    info.pid = fork ();
    if (info.pid == 0) {
        execl (program, program, "3", NULL);
        _exit (126);
    }
    for (guint round = 0; round < 4 * n_rounds; round++) {
        guint32 slot = 0;
        Rig rig;

        rig_open (&rig, NULL);
        g_assert_true (engine_adopt (rig.engine, &info, &slot, &error));
        rig_expect (&rig, slot, JOB_STATE_STOPPED, NULL, 0);
        rig_close (&rig);
        g_assert_cmpint (waitpid (info.pid, NULL, WNOHANG), ==, 0);
    }
    kill (info.pid, SIGKILL);
    g_assert_cmpint (waitpid (info.pid, NULL, 0), ==, info.pid);
}

/* A followed child of vfork, where nothing may be planted, vforks itself, or meets a trap of its own. */
static void
test_followed_vfork (gconstpointer data)
{
    g_autofree char *program = rig_dup_inferior ("inferior-latch");
    JobRequest *request;
    gboolean is_trap = strcmp (data, "trap") == 0;
    guint32 slot;
    Rig rig;

    rig_open (&rig, "main");
    slot = rig_start (&rig, (char *[]){ program, (char *) data, NULL }, NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    follow_both (&rig, slot);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    if (is_trap) {
        g_assert_cmpint (rig_wait_stop (&rig, slot + 1)->state, ==, JOB_STATE_SIGNAL);
        request = job_request_new (JOB_VERB_SIGNAL, NULL);
        request->text = g_strdup ("SIGTRAP");
        rig_send (&rig, slot + 1, request);
        g_assert_cmpint (rig_wait_stop (&rig, slot + 1)->state, ==, JOB_STATE_FAILED);
    }
    rig_expect (&rig, slot, JOB_STATE_EXITED, NULL, 0);
    rig_close (&rig);
}

/* Threads of the process that the tracer has stopped. */
static guint
count_standing (pid_t pid)
{
    g_autoptr (GArray) tids = target_process_list_threads (pid);
    guint n = 0;

    for (guint i = 0; i < tids->len; i++) {
        n += target_thread_get_state (pid, g_array_index (tids, pid_t, i)) == 't';
    }
    return n;
}

/* A process is killed while it makes a thread, so that nobody tells of the thread's birth: its end is seen. */
static void
test_untold_thread (void)
{
    g_autofree char *program = rig_dup_inferior ("inferior-threads");
    char *argv[] = { program, (char *) "4", (char *) "1", NULL };
    gint64 end = g_get_monotonic_time () + DEADLINE_US;
    guint32 slot;
    pid_t pid;
    Rig rig;

    rig_open (&rig, "main");
    slot = rig_start (&rig, argv, &pid);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    failing_refuse_events (TRUE);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    while (count_standing (pid) == 0 || g_hash_table_size (rig.engine->early_stops) == 0) {
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        rig_pump (&rig, 1);
    }
    failing_refuse_events (FALSE);
    kill (pid, SIGKILL);
    rig_expect (&rig, slot, JOB_STATE_FAILED, NULL, 0);
    g_assert_false (has_tracee ());
    rig_close (&rig);
}

/* The same where one thread is stepped and the others stand still. */
static void
test_killed_alone (void)
{
    JobRequest *request = job_request_new (JOB_VERB_OPTION, NULL);
    g_autofree char *program = rig_dup_inferior ("inferior-threads");
    char *argv[] = { program, (char *) "4", (char *) "1000000", (char *) "1000", NULL };
    gint64 end = g_get_monotonic_time () + DEADLINE_US;
    guint32 slot;
    pid_t pid;
    Rig rig;

    rig_open (&rig, "main");
    slot = rig_start (&rig, argv, &pid);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_break (&rig, slot, 1, "hit", NULL);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "hit", 0);
    request->text = g_strdup ("scheduler-locking");
    request->text2 = g_strdup ("on");
    rig_send (&rig, slot, request);
    rig_delete (&rig, slot, 1);
    request = job_request_new (JOB_VERB_STEP, NULL);
    request->number = 1000000;
    rig_send (&rig, slot, request);
    rig_pump (&rig, 1);
    kill (pid, SIGKILL);
    while (!engine_find_process (rig.engine, slot)->ended) {
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        rig_pump (&rig, 1);
    }
    g_assert_false (has_tracee ());
    rig_close (&rig);
}

int
main (int argc, char **argv)
{
    const char *wanted = g_getenv ("PDDT_CYCLES");

    g_test_init (&argc, &argv, NULL);
    n_rounds = wanted != NULL ? (guint) atoi (wanted) : n_rounds;
    g_test_add_func ("/engine/newborn/killed", test_killed);
    g_test_add_func ("/engine/newborn/renewed", test_renewed);
    g_test_add_data_func ("/engine/newborn/detached", GINT_TO_POINTER (TRUE), test_left);
    g_test_add_data_func ("/engine/newborn/abandoned", GINT_TO_POINTER (FALSE), test_left);
    g_test_add_data_func ("/engine/newborn/shared", "shared", test_shared);
    g_test_add_data_func ("/engine/newborn/shared-exec", "exec", test_shared);
    g_test_add_data_func ("/engine/newborn/vfork-apart", "apart", test_shared);
    g_test_add_data_func ("/engine/newborn/shared-uncompared", "shared uncompared",
                          test_shared);
    g_test_add_data_func ("/engine/newborn/vfork-apart-uncompared", "apart uncompared",
                          test_shared);
    g_test_add_data_func ("/engine/newborn/shared-untold", "shared untold", test_shared);
    g_test_add_data_func ("/engine/newborn/shared-untold-uncompared",
                          "shared untold uncompared", test_shared);
    g_test_add_func ("/engine/newborn/followed-apart", test_followed_apart);
    g_test_add_func ("/engine/newborn/followed-outlived", test_followed_outlived);
    g_test_add_func ("/engine/newborn/attach-in-vfork", test_attach_in_vfork);
    g_test_add_func ("/engine/newborn/untold-thread", test_untold_thread);
    g_test_add_func ("/engine/newborn/killed-alone", test_killed_alone);
    g_test_add_func ("/engine/newborn/attach-to-spawner", test_attach_to_spawner);
    g_test_add_func ("/engine/newborn/attach-opens-once", test_attach_opens_once);
    g_test_add_data_func ("/engine/newborn/followed-vforks", "twice", test_followed_vfork);
    g_test_add_data_func ("/engine/newborn/followed-traps", "trap", test_followed_vfork);
    return g_test_run ();
}
