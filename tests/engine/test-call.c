/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls into a stopped rank: the value comes back, and nothing of the rank has changed. */
#include "engine/control/control.h"
#include "engine/modules/modules.h"
#include "rig.h"
#include <glib/gstdio.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void
test_values (void)
{
    Rig rig;
    guint32 slot;
    EngineProcess *process;
    EngineThread *thread;
    MachineRegisters before, after;
    guint64 function, value = 0;
    g_autoptr (GError) error = NULL;

    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, "inferior-steps", NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    process = engine_find_process (rig.engine, slot);
    thread = engine_process_get_stopped (process);
    g_assert_true (engine_process_find_symbol (process, "add", &function));
    g_assert_true (engine_thread_load_registers (thread));
    before = thread->registers;
    for (guint i = 0; i < 50; i++) {
        g_assert_true (engine_call (thread, function, 40, i, 5000, &value, &error));
        g_assert_no_error (error);
        g_assert_cmpuint ((guint32) value, ==, 40 + i);
    }
    g_assert_true (engine_thread_load_registers (thread));
    after = thread->registers;
    g_assert_cmpmem (&before, sizeof before, &after, sizeof after);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_EXITED, NULL, 0);
    rig_close (&rig);
}

/* A breakpoint inside does not stop the call; a fault ends it. */
static void
test_in_the_way (void)
{
    Rig rig;
    guint32 slot;
    EngineProcess *process;
    guint64 function, value = 0;
    g_autoptr (GError) error = NULL;

    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, "inferior-steps", NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_break (&rig, slot, 1, "factorial", NULL);
    process = engine_find_process (rig.engine, slot);
    g_assert_true (engine_process_find_symbol (process, "factorial", &function));
    g_assert_true (engine_call (engine_process_get_stopped (process), function, 6, 0, 5000,
                                &value, &error));
    g_assert_cmpuint (value, ==, 720);
    g_assert_false (engine_call (engine_process_get_stopped (process), 16, 0, 0, 5000, &value,
                                 &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_FAULT);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "factorial", 0);
    rig_close (&rig);
}

/* A function that hardly gets a processor is none that does not return. */
static void
test_starved (void)
{
    Rig rig;
    guint32 slot;
    EngineProcess *process;
    EvaluateCall call = { .arguments = { .n_words = 1, .words = { 30 } } };
    MachineResult result;
    g_autoptr (GError) error = NULL;
    pid_t hog;

    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, "inferior-steps", NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    process = engine_find_process (rig.engine, slot);
    g_assert_true (engine_process_find_symbol (process, "compute", &call.function));
    if (!g_file_test ("/proc/self/schedstat", G_FILE_TEST_EXISTS)) {
        g_test_skip ("this kernel does not say how long a thread waits for a processor");
        rig_close (&rig);
        return;
    }
    hog = rig_starve (process->pid);
    engine_call_any (engine_process_get_stopped (process), &call, 250, &result, &error);
    kill (hog, SIGKILL);
    waitpid (hog, NULL, 0);
    g_assert_no_error (error);
    g_assert_cmpuint ((guint32) result.integers[0], ==, 30);
    rig_do (&rig, slot, JOB_VERB_KILL);
    rig_expect (&rig, slot, JOB_STATE_FAILED, NULL, 0);
    rig_close (&rig);
}

/* The kernel says of the process that the processor keeps its return addresses, too. FALSE: this process may not make it say
 * so. */
static gboolean
claim_shadow_stack (const Rig *rig, pid_t pid)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/status", (int) pid);
    g_autofree char *file = g_build_filename (rig->folder, "status", NULL);
    g_autofree char *text = NULL, *more = NULL;

    g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
    more = g_strconcat (text, "x86_Thread_features:\tshstk\n", NULL);
    g_assert_true (g_file_set_contents (file, more, -1, NULL));
    return unshare (CLONE_NEWNS) == 0 && mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0
           && mount (file, path, NULL, MS_BIND, NULL) == 0;
}

/* What would change where functions return to is refused; what goes over a trap is not. */
static void
test_shadow_stack (void)
{
    Rig rig;
    guint32 slot;
    EngineProcess *process;
    g_autofree char *path = NULL;
    guint64 function, value = 0;
    g_autoptr (GError) error = NULL;

    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, "inferior-steps", NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_break (&rig, slot, 1, "factorial", NULL);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "factorial", 0);
    process = engine_find_process (rig.engine, slot);
    g_assert_false (engine_thread_has_shadow_stack (engine_process_get_stopped (process)));
    g_assert_true (engine_process_find_symbol (process, "factorial", &function));
    if (!claim_shadow_stack (&rig, process->pid)) {
        g_test_skip ("nothing can be mounted here");
        rig_close (&rig);
        return;
    }
    path = g_strdup_printf ("/proc/%d/status", (int) process->pid);
    g_assert_false (engine_call (engine_process_get_stopped (process), function, 6, 0, 5000,
                                 &value, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_UNSUPPORTED);
    g_assert_nonnull (strstr (error->message, "shadow stack"));
    rig_do (&rig, slot, JOB_VERB_RETURN);
    g_assert_nonnull (strstr (rig_wait (&rig, slot, JOB_EVENT_FAILURE)->text, "shadow stack"));
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "factorial", 0);
    g_assert_cmpint (umount2 (path, MNT_DETACH), ==, 0);
    rig_close (&rig);
}

/* The call interrupts a system call, which continues afterwards; a call that does not return is
 * given up. */
static void
test_in_sleep (void)
{
    Rig rig;
    guint32 slot;
    EngineProcess *process;
    guint64 function, value = 0;
    g_autoptr (GError) error = NULL;

    rig_open (&rig, "none");
    slot = rig_start_inferior (&rig, "inferior-signals", "sleep");
    rig_wait (&rig, slot, JOB_EVENT_STATE);
    process = engine_find_process (rig.engine, slot);
    for (gint64 end = g_get_monotonic_time () + 120 * G_USEC_PER_SEC;;) {
        g_assert_true (engine_process_halt (process));
        if (engine_process_find_symbol (process, "pause", &function)) {
            break;
        }
        engine_process_release (process);
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        rig_pump (&rig, 10);
    }
    g_assert_false (engine_call (engine_process_get_main (process), function, 0, 0, 50, &value,
                                 &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_TIMEOUT);
    g_clear_error (&error);
    g_assert_true (engine_process_find_symbol (process, "getpid", &function));
    g_assert_true (engine_call (engine_process_get_main (process), function, 0, 0, 5000, &value,
                                &error));
    g_assert_cmpint ((gint) value, ==, process->pid);
    engine_process_release (process);
    rig_pump (&rig, 20);
    g_assert_cmpuint (engine_get_n_ranks (rig.engine), ==, 1);
    rig_close (&rig);
}

static EngineTrapAnswer
pass (EngineThread *thread, guint64 address, gpointer owner)
{
    (*(guint *) owner)++;
    return ENGINE_TRAP_RESUME;
}

static void
wait_for_threads (Rig *rig, const EngineProcess *process, guint count)
{
    for (gint64 end = g_get_monotonic_time () + 120 * G_USEC_PER_SEC;
         process->threads->len < count;) {
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        rig_pump (rig, 10);
    }
}

/* Threads are interrupted wherever they are, even on an int3 whose signal is still to come:
 * a call made there returns, and the trap is neither lost nor mistaken for a fault of the
 * call. */
static void
test_at_traps (void)
{
    enum { MAX_SPIN_US = 40 };
    const char *wanted = g_getenv ("PDDT_CALLS");
    guint n_calls = wanted ? strtoul (wanted, NULL, 10) : 1000;
    Rig rig;
    guint32 slot;
    guint n_hits = 0;
    EngineProcess *process;
    guint64 address, function, value = 0;
    g_autoptr (GError) error = NULL;
    g_autofree char *file = NULL;

    rig_open (&rig, "main");
    file = g_build_filename (rig.folder, "runs", NULL);
    g_assert_true (g_file_set_contents (file, "", 0, NULL));
    slot = rig_start_inferior (&rig, "inferior-hot", file);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    process = engine_find_process (rig.engine, slot);
    g_assert_true (engine_process_find_symbol (process, "touch", &address));
    g_assert_true (engine_process_find_symbol (process, "getpid", &function));
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    wait_for_threads (&rig, process, 2);
    g_assert_true (engine_process_halt (process));
    g_assert_true (engine_trap_add (process, address, pass, &n_hits, &error));
    engine_process_release (process);
    for (guint i = 0; i < n_calls; i++) {
        EngineThread *thread = g_ptr_array_index (process->threads, i % 2);
        gint64 end;

        rig_pump (&rig, 0);
        for (end = g_get_monotonic_time () + i % MAX_SPIN_US; g_get_monotonic_time () < end;) {
        }
        g_assert_true (engine_process_halt (process));
        engine_call (thread, function, 0, 0, 5000, &value, &error);
        g_assert_no_error (error);
        g_assert_cmpint ((gint) value, ==, process->pid);
        engine_process_release (process);
    }
    g_assert_cmpuint (n_hits, >, 0);
    g_assert_true (engine_process_halt (process));
    engine_trap_remove (process, address, pass, &n_hits);
    engine_process_release (process);
    g_remove (file);
    rig_expect (&rig, slot, JOB_STATE_EXITED, NULL, 0);
    rig_close (&rig);
}

/* With a FIFO that wait_in_vfork waits for. */
static guint32
start_latch (Rig *rig, const char *how, int *ret_latch)
{
    g_autofree char *program = rig_dup_inferior ("inferior-latch"), *fifo = NULL, *file = NULL;
    guint32 slot;

    rig_open (rig, "main");
    fifo = g_build_filename (rig->folder, "latch", NULL);
    g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
    *ret_latch = open (fifo, O_RDWR | O_CLOEXEC);
    file = g_build_filename (rig->folder, "end", NULL);
    slot = rig_start (rig, (char *[]){ program, (char *) how, fifo, file, NULL }, NULL);
    rig_expect (rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_break (rig, slot, 1, "hit", NULL); /* all is set up */
    rig_do (rig, slot, JOB_VERB_CONTINUE);
    rig_expect (rig, slot, JOB_STATE_BREAKPOINT, "hit", 0);
    rig_delete (rig, slot, 1);
    return slot;
}

static void
release_latch (int latch)
{
    g_assert_cmpint (write (latch, "", 1), ==, 1);
}

static gboolean
has_deep_thread (pid_t pid)
{
    g_autofree char *folder = g_strdup_printf ("/proc/%d/task", (int) pid);
    g_autoptr (GDir) tasks = g_dir_open (folder, 0, NULL);
    gboolean found = FALSE;
    const char *name;

    while (tasks != NULL && !found && (name = g_dir_read_name (tasks)) != NULL) {
        g_autofree char *path = g_strdup_printf ("%s/%s/stat", folder, name), *text = NULL;

        found = g_file_get_contents (path, &text, NULL, NULL) && strstr (text, ") D ") != NULL;
    }
    return found;
}

/* While a thread's child of vfork runs in the memory nothing would stop a call where it returns: there is none until then,
 * and the program goes on as it was. */
static void
test_beside_vfork (void)
{
    g_autofree char *program = rig_dup_inferior ("inferior-latch"), *fifo = NULL;
    gint64 end = g_get_monotonic_time () + 120 * G_USEC_PER_SEC;
    g_autoptr (GError) error = NULL;
    guint64 function, value = 0;
    EngineProcess *process;
    guint32 slot;
    int latch;
    Rig rig;

    rig_open (&rig, "main");
    fifo = g_build_filename (rig.folder, "latch", NULL);
    g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
    latch = open (fifo, O_RDWR | O_CLOEXEC);
    slot = rig_start (&rig, (char *[]){ program, "beside", fifo, NULL }, NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    process = engine_find_process (rig.engine, slot);
    while (!has_deep_thread (process->pid)) {
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        rig_pump (&rig, 1);
    }
    rig_do (&rig, slot, JOB_VERB_PAUSE);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, NULL, 0);
    g_assert_true (engine_process_find_symbol (process, "provoke", &function));
    g_assert_false (engine_call (engine_process_get_stopped (process), function, 0, 0, 50,
                                 &value, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_BUSY);
    g_assert_nonnull (strstr (error->message, "child of vfork"));
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    release_latch (latch);
    close (latch);
    rig_expect (&rig, slot, JOB_STATE_EXITED, NULL, 0);
    rig_close (&rig);
}

static void
call_and_leave (Rig *rig, guint32 slot)
{
    EngineProcess *process = engine_find_process (rig->engine, slot);
    EngineThread *thread = engine_process_get_stopped (process);
    g_autoptr (GError) error = NULL;
    guint64 function, value = 0;

    g_assert_true (engine_process_find_symbol (process, "wait_in_vfork", &function));
    g_assert_false (engine_call (thread, function, 0, 0, 50, &value, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_TIMEOUT);
    g_assert_nonnull (strstr (error->message, "waits in the kernel"));
    g_clear_error (&error);
    g_assert_true (engine_thread_is_in_call (thread));
    g_assert_false (engine_call (thread, function, 0, 0, 50, &value, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_BUSY);
    g_assert_nonnull (strstr (error->message, "called before"));
}

/* Meanwhile the thread is not shown as one that stands. */
static void
check_shown (Rig *rig, guint32 slot)
{
    g_autofree char *threads = NULL;

    rig_do (rig, slot, JOB_VERB_THREADS);
    threads = job_detail_list_format (rig_wait (rig, slot, JOB_EVENT_DETAILS)->details);
    g_assert_nonnull (strstr (threads, "(in a function that was called, not stopped)"));
}

/* A rank that runs may end meanwhile, and its threads with it. */
static gboolean
is_in_call (Rig *rig, guint32 slot)
{
    EngineProcess *process = engine_find_process (rig->engine, slot);
    EngineThread *thread = process != NULL && !process->ended
                               ? engine_process_get_main (process)
                               : NULL;

    return thread != NULL && engine_thread_is_in_call (thread);
}

/* A call waits where the kernel does not let it stop: the thread goes back when it leaves that, whatever the rank does
 * then, and the program does not begin again where the call should have returned. */
static void
test_left (gconstpointer data)
{
    gboolean is_running = GPOINTER_TO_INT (data);
    int latch;
    MachineRegisters before;
    EngineThread *thread;
    guint32 slot;
    Rig rig;

    slot = start_latch (&rig, "call", &latch);
    thread = engine_process_get_stopped (engine_find_process (rig.engine, slot));
    g_assert_true (engine_thread_load_registers (thread));
    before = thread->registers;
    call_and_leave (&rig, slot);
    check_shown (&rig, slot);
    if (is_running) {
        rig_do (&rig, slot, JOB_VERB_CONTINUE);
    }
    release_latch (latch);
    for (gint64 end = g_get_monotonic_time () + 120 * G_USEC_PER_SEC;
         is_in_call (&rig, slot);) {
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        rig_pump (&rig, 10);
    }
    if (!is_running) {
        g_assert_true (engine_thread_load_registers (thread));
        g_assert_cmpmem (&before, sizeof before, &thread->registers, sizeof before);
        rig_do (&rig, slot, JOB_VERB_CONTINUE);
    }
    rig_expect (&rig, slot, JOB_STATE_EXITED, NULL, 0);
    close (latch);
    rig_close (&rig);
}

/* The same when the rank is detached meanwhile. */
static void
test_left_detached (void)
{
    int latch;
    guint32 slot;
    Rig rig;

    slot = start_latch (&rig, "call", &latch);
    call_and_leave (&rig, slot);
    rig_do (&rig, slot, JOB_VERB_DETACH);
    release_latch (latch);
    rig_expect_told_end (&rig);
    g_assert_cmpuint (g_hash_table_size (rig.engine->leavers), ==, 0);
    close (latch);
    rig_close (&rig);
}

/* Two signals that came during a call arrive, in their order and with their siginfo: when the rank goes on, and when it is
 * detached. */
static void
test_held_signals (gconstpointer data)
{
    gboolean is_detached = GPOINTER_TO_INT (data);
    JobRequest *request = job_request_new (JOB_VERB_PRINT, NULL);
    const EngineProcess *process;
    const JobEvent *event;
    int latch;
    guint32 slot;
    Rig rig;

    slot = start_latch (&rig, is_detached ? "ordered" : "signals", &latch);
    close (latch);
    process = engine_find_process (rig.engine, slot);
    rig_handle (&rig, slot, "SIGUSR1", "nostop noprint");
    rig_handle (&rig, slot, "SIGUSR2", "nostop noprint");
    request->text = g_strdup ("provoke ()");
    rig_send (&rig, slot, request);
    event = rig_wait (&rig, slot, JOB_EVENT_VALUES);
    g_assert_cmpuint (event->table->rows->len, ==, 1);
    g_assert_cmpuint (engine_process_get_stopped (process)->held_stops->len, >=, 2);
    if (is_detached) {
        rig_do (&rig, slot, JOB_VERB_DETACH);
        rig_expect_told_end (&rig);
    } else {
        rig_do (&rig, slot, JOB_VERB_CONTINUE);
        rig_expect (&rig, slot, JOB_STATE_EXITED, NULL, 0);
    }
    rig_close (&rig);
}

/* ---- a thread that sleeps ---- */

typedef struct {
    const char *how;
    gint left; /* the index of the argument that says where what is left is written; -1: none */
    gint time; /* of that which says how long it sleeps; -1: it is no place */
} Rest;

static const Rest rests[] = { { "sleep", -1, 0 },
                              { "left", 1, 0 },
                              { "clock", 3, 2 },
                              { "futex", -1, 3 },
                              { "poll", -1, -1 } };

/* Stopped in its sleep. */
static EngineThread *
start_resting (Rig *rig, guint32 slot)
{
    EngineProcess *process = engine_find_process (rig->engine, slot);
    gint64 end = g_get_monotonic_time () + 30 * G_USEC_PER_SEC;

    rig_do (rig, slot, JOB_VERB_CONTINUE);
    while (target_thread_get_state (process->pid, process->pid) != 'S') {
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        rig_pump (rig, 1);
    }
    rig_do (rig, slot, JOB_VERB_PAUSE);
    g_assert_cmpint (rig_wait_stop (rig, slot)->state, ==, JOB_STATE_STOPPED);
    g_assert_true (engine_thread_load_registers (engine_process_get_stopped (process)));
    return engine_process_get_stopped (process);
}

static void
call_there (Rig *rig, guint32 slot, const char *text)
{
    JobRequest *request = job_request_new (JOB_VERB_CALL, NULL);

    request->text = g_strdup (text);
    rig_send (rig, slot, request);
    g_assert_cmpuint (rig_wait (rig, slot, JOB_EVENT_VALUES)->table->rows->len, ==, 1);
}

static guint64
get_argument (const MachineRegisters *registers, gint index)
{
    return machine_registers_get_system_argument (registers, (guint) index);
}

/* A function that sleeps is called there: the program's own sleep begins again, with what is left of it where the program
 * has a place for that. */
static void
check_again (Rig *rig, EngineThread *thread, const Rest *rest)
{
    const MachineRegisters before = thread->registers, *after = &thread->registers;
    BaseMemoryReader *memory = engine_process_get_memory (thread->process);
    const guint64 soon[2] = { 0, 1000000 };
    guint64 first[2] = { 0 }, now[2] = { 0 };

    if (rest->left >= 0) {
        base_memory_read (memory, get_argument (&before, rest->left), first, sizeof first,
                          NULL);
    }
    call_there (rig, thread->process->slot, "doze ()");
    g_assert_true (engine_thread_load_registers (thread));
    g_assert_false (machine_registers_has_noted_call (after));
    g_assert_cmphex (machine_registers_get_pc (after), <, machine_registers_get_pc (&before));
    for (gint i = 0; i < 6; i++) {
        g_assert_cmphex (get_argument (after, i), ==,
                         get_argument (&before,
                                       rest->left >= 0 && i == rest->time ? rest->left : i));
    }
    if (rest->time >= 0) {
        guint64 place = get_argument (after, rest->time);

        g_assert_true (base_memory_read (memory, place, now, sizeof now, NULL));
        if (rest->left >= 0) {
            g_assert_cmpuint (now[0] * 1000000000u + now[1], <,
                              first[0] * 1000000000u + first[1]);
            g_assert_cmpuint (now[0], >, 0);
        }
        g_assert_true (base_memory_write (memory, place, soon, sizeof soon, NULL));
    }
}

/* A function is called: the sleep goes on as if nothing had been, unless the function sleeps, too. */
static void
test_resting (void)
{
    Rig rig;

    rig_open (&rig, "main");
    for (guint i = 0; i < G_N_ELEMENTS (rests); i++) {
        guint32 slot = rig_start_inferior (&rig, "inferior-rests", rests[i].how);
        MachineRegisters before;
        EngineThread *thread;

        rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
        thread = start_resting (&rig, slot);
        before = thread->registers;
        g_assert_true (machine_registers_has_noted_call (&before));
        call_there (&rig, slot, "twice (21)");
        g_assert_true (engine_thread_load_registers (thread));
        g_assert_cmpmem (&before, sizeof before, &thread->registers, sizeof before);
        check_again (&rig, thread, &rests[i]);
        if (rests[i].time >= 0) {
            rig_do (&rig, slot, JOB_VERB_CONTINUE);
            rig_expect (&rig, slot, JOB_STATE_EXITED, NULL, 0);
        }
    }
    rig_close (&rig);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/engine/call/values", test_values);
    g_test_add_func ("/engine/call/in-the-way", test_in_the_way);
    g_test_add_func ("/engine/call/starved", test_starved);
    g_test_add_func ("/engine/call/shadow-stack", test_shadow_stack);
    g_test_add_func ("/engine/call/in-sleep", test_in_sleep);
    g_test_add_func ("/engine/call/resting", test_resting);
    g_test_add_func ("/engine/call/at-traps", test_at_traps);
    g_test_add_func ("/engine/call/beside-vfork", test_beside_vfork);
    g_test_add_data_func ("/engine/call/left", GINT_TO_POINTER (FALSE), test_left);
    g_test_add_data_func ("/engine/call/left-running", GINT_TO_POINTER (TRUE), test_left);
    g_test_add_func ("/engine/call/left-detached", test_left_detached);
    g_test_add_data_func ("/engine/call/held-signals", GINT_TO_POINTER (FALSE),
                          test_held_signals);
    g_test_add_data_func ("/engine/call/held-signals-detached", GINT_TO_POINTER (TRUE),
                          test_held_signals);
    return g_test_run ();
}
