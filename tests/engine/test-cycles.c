/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attach, break, step, watch, detach, again and again, on a program with threads that come and go,
 * children and signals: its result must be right, and not a byte of its code may change. How
 * often: PDDT_CYCLES, 30 without. */
#include "rig.h"
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What is kept of a rank that is no more: its state, for who asks, and an address space without anything. */
#define RANK_BYTES 6144u
#define SESSION_BYTES 16384u

typedef struct {
    pid_t pid;
    int input;
    GArray *starts;   /* of guint64: executable maps, with their bytes */
    GPtrArray *bytes; /* of GBytes */
} Busy;

static void
start_busy (Busy *busy)
{
    g_autofree char *path = rig_dup_inferior ("inferior-busy");
    int ends[2], ready[2];
    char byte;

    g_assert_cmpint (pipe2 (ends, O_CLOEXEC), ==, 0);
    g_assert_cmpint (pipe2 (ready, O_CLOEXEC), ==, 0);
    busy->pid = fork ();
    g_assert_cmpint (busy->pid, >=, 0);
    if (busy->pid == 0) {
        sigset_t none;

        prctl (PR_SET_PDEATHSIG, SIGKILL);
        sigemptyset (&none);
        sigprocmask (SIG_SETMASK, &none, NULL);
        dup2 (ends[0], 0);
        dup2 (ready[1], 1);
        execl (path, path, NULL);
        _exit (126);
    }
    close (ends[0]);
    close (ready[1]);
    g_assert_cmpint (read (ready[0], &byte, 1), ==, 1);
    close (ready[0]);
    busy->input = ends[1];
}

/* All code of the program and its libraries as it stands in memory. */
static void
read_code (Busy *busy, GArray *starts, GPtrArray *bytes)
{
    g_autofree char *maps_path = g_strdup_printf ("/proc/%d/maps", (int) busy->pid);
    g_autofree char *memory_path = g_strdup_printf ("/proc/%d/mem", (int) busy->pid);
    g_autofree char *maps = NULL;
    g_auto (GStrv) lines = NULL;
    int memory = open (memory_path, O_RDONLY | O_CLOEXEC);

    g_assert_true (g_file_get_contents (maps_path, &maps, NULL, NULL));
    lines = g_strsplit (maps, "\n", -1);
    for (guint i = 0; lines[i] != NULL; i++) {
        unsigned long start, end;
        char flags[8];

        if (sscanf (lines[i], "%lx-%lx %7s", &start, &end, flags) == 3 && flags[2] == 'x'
            && strchr (lines[i], '/') != NULL) {
            guint64 address = start;
            guint8 *data = g_malloc (end - start);

            g_assert_cmpint (pread (memory, data, end - start, (off_t) start), ==,
                             (gssize) (end - start));
            g_array_append_val (starts, address);
            g_ptr_array_add (bytes, g_bytes_new_take (data, end - start));
        }
    }
    close (memory);
}

static void
check_code (Busy *busy)
{
    g_autoptr (GArray) starts = g_array_new (FALSE, FALSE, sizeof (guint64));
    g_autoptr (GPtrArray) bytes
        = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

    read_code (busy, starts, bytes);
    if (starts->len == 0) {
        int status = -1;

        waitpid (busy->pid, &status, 0);
        g_error ("the program has ended: status 0x%x", (guint) status);
    }
    g_assert_cmpuint (starts->len, ==, busy->starts->len);
    for (guint i = 0; i < starts->len; i++) {
        g_assert_cmpuint (g_array_index (starts, guint64, i), ==,
                          g_array_index (busy->starts, guint64, i));
        g_assert_true (g_bytes_equal (g_ptr_array_index (bytes, i),
                                      g_ptr_array_index (busy->bytes, i)));
    }
}

static void
check_untraced (Busy *busy)
{
    int status = -1;

    if (waitpid (busy->pid, &status, WNOHANG) != 0) {
        g_error ("the program has ended: status 0x%x", (guint) status);
    }
    g_autofree char *path = g_strdup_printf ("/proc/%d/status", (int) busy->pid);
    g_autofree char *text = NULL;

    g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
    g_assert_nonnull (strstr (text, "TracerPid:\t0\n"));
}

static const JobEvent *
move (Rig *rig, guint32 slot, JobVerb verb)
{
    const JobEvent *event;

    rig_do (rig, slot, verb);
    event = rig_wait_stop (rig, slot);
    g_assert_false (job_state_get_info (event->state)->is_ended);
    return event;
}

static void
watch (Rig *rig, guint32 slot)
{
    JobRequest *request = job_request_new (JOB_VERB_WATCH, NULL);

    request->number = 1000 + slot;
    request->text = g_strdup ("counted");
    rig_send (rig, slot, request);
    rig_wait (rig, slot, JOB_EVENT_BREAKPOINT);
    g_assert_cmpint (move (rig, slot, JOB_VERB_CONTINUE)->state, ==, JOB_STATE_BREAKPOINT);
}

/* A different mixture each time; it leaves wherever it is. */
static void
play (Rig *rig, guint32 slot, guint cycle)
{
    static const JobVerb verbs[] = { JOB_VERB_STEP, JOB_VERB_NEXT, JOB_VERB_STEPI,
                                     JOB_VERB_NEXTI, JOB_VERB_FINISH };
    const char *condition = cycle % 4 == 1 ? "i < 0" : cycle % 4 == 2 ? "i % 5 == 3" : NULL;

    rig_break (rig, slot, slot + 1, "hit", condition);
    rig_wait (rig, slot, JOB_EVENT_BREAKPOINT);
    rig_do (rig, slot, JOB_VERB_CONTINUE);
    if (cycle % 4 == 1) {
        gint64 end = g_get_monotonic_time () + 20000; /* false conditions meanwhile */

        while (g_get_monotonic_time () < end) {
            rig_pump (rig, 5);
        }
        return;
    }
    rig_expect (rig, slot, JOB_STATE_BREAKPOINT, "hit", 0);
    for (guint i = 0; i < 3; i++) {
        move (rig, slot, verbs[(cycle + i) % G_N_ELEMENTS (verbs)]);
    }
    if (cycle % 5 == 0) {
        watch (rig, slot);
    }
    if (cycle % 3 == 0) {
        rig_do (rig, slot, JOB_VERB_CONTINUE);
    }
}

static void
leave (Rig *rig, guint32 slot)
{
    const JobEvent *event;

    rig_do (rig, slot, JOB_VERB_DETACH);
    do {
        event = rig_wait (rig, slot, JOB_EVENT_STATE);
    } while (event->state != JOB_STATE_LOST);
    /* Breakpoints of an earlier attachment must not exist in the next one. */
    for (guint i = 0; i < 2; i++) {
        rig_delete (rig, slot, i == 0 ? slot + 1 : 1000 + slot);
    }
}

/* Whether one of the folder's processes or threads is traced by this process. */
static gboolean
has_tracee_in (const char *place)
{
    g_autofree char *wanted = g_strdup_printf ("TracerPid:\t%d\n", (int) getpid ());
    g_autoptr (GDir) folder = g_dir_open (place, 0, NULL);
    gboolean found = FALSE;
    const char *name;

    while (!found && folder != NULL && (name = g_dir_read_name (folder)) != NULL) {
        g_autofree char *path = g_build_filename (place, name, "status", NULL);
        g_autofree char *text = NULL;

        found = g_ascii_isdigit (name[0]) && g_file_get_contents (path, &text, NULL, NULL)
                && strstr (text, wanted) != NULL;
    }
    return found;
}

static gboolean
has_tracee (const Busy *busy)
{
    g_autofree char *threads = g_strdup_printf ("/proc/%d/task", (int) busy->pid);

    return has_tracee_in ("/proc") || has_tracee_in (threads);
}

/* Bytes that this process has allocated, without what the test itself has recorded. */
static gsize
count_heap (Rig *rig)
{
    g_ptr_array_set_size (rig->events, 0);
    rig->seen = 0;
    return mallinfo2 ().uordblks + mallinfo2 ().hblkhd;
}

static void
test_cycles (void)
{
    const char *wanted = g_getenv ("PDDT_CYCLES");
    guint n_cycles = wanted != NULL ? (guint) atoi (wanted) : 30;
    Rig rig;
    Busy busy = { .starts = g_array_new (FALSE, FALSE, sizeof (guint64)),
                  .bytes = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref) };
    gsize heap = 0, grown;
    int status = -1;

    rig_open (&rig, NULL);
    start_busy (&busy);
    for (guint cycle = 0; cycle < n_cycles; cycle++) {
        EngineRankInfo info = { .pid = busy.pid, .size = 1, .launched = FALSE, .input_fd = -1 };
        g_autoptr (GError) error = NULL;
        guint32 slot = 0;

        g_assert_true (engine_adopt (rig.engine, &info, &slot, &error));
        rig_expect (&rig, slot, JOB_STATE_STOPPED, NULL, 0);
        if (busy.starts->len == 0) {
            rig_do (&rig, slot, JOB_VERB_DETACH);
            rig_wait_stop (&rig, slot);
            read_code (&busy, busy.starts, busy.bytes);
            continue;
        }
        if (cycle == n_cycles / 3 / 5 * 5) {
            heap = count_heap (&rig);
        }
        play (&rig, slot, cycle);
        leave (&rig, slot);
        count_heap (&rig); /* or what is recorded would be counted */
        check_untraced (&busy);
        check_code (&busy);
    }
    grown = count_heap (&rig) > heap ? count_heap (&rig) - heap : 0;
    g_test_message ("%" G_GSIZE_FORMAT " bytes more for each of %u ranks that were let go",
                    grown / (n_cycles - n_cycles / 3), n_cycles);
    g_assert_cmpuint (grown / (n_cycles - n_cycles / 3), <, RANK_BYTES);
    engine_abandon (rig.engine);
    g_assert_false (has_tracee (&busy)); /* nor who was born during the last detach */
    close (busy.input);
    g_assert_cmpint (waitpid (busy.pid, &status, 0), ==, busy.pid);
    g_assert_cmpint (status, ==, 0);
    rig_close (&rig);
    g_array_unref (busy.starts);
    g_ptr_array_unref (busy.bytes);
}

static void
look (Rig *rig, guint32 slot, JobVerb verb, const char *text, JobEventKind kind)
{
    JobRequest *request = job_request_new (verb, NULL);

    request->text = g_strdup (text);
    rig_send (rig, slot, request);
    rig_wait (rig, slot, kind);
}

/* The motions and queries of an ordinary session. */
static void
work (Rig *rig, guint32 slot, guint number)
{
    rig_break (rig, slot, number, "turn", number % 2 ? "*counter >= 0" : NULL);
    rig_wait (rig, slot, JOB_EVENT_BREAKPOINT);
    rig_do (rig, slot, JOB_VERB_CONTINUE);
    rig_expect (rig, slot, JOB_STATE_BREAKPOINT, "turn", 0);
    look (rig, slot, JOB_VERB_WHERE, NULL, JOB_EVENT_STACKS);
    look (rig, slot, JOB_VERB_PRINT, "*counter + 1", JOB_EVENT_VALUES);
    look (rig, slot, JOB_VERB_PRINT, "no_such_name", JOB_EVENT_FAILURE);
    look (rig, slot, JOB_VERB_LOCALS, NULL, JOB_EVENT_VALUES);
    look (rig, slot, JOB_VERB_REGISTERS, NULL, JOB_EVENT_DETAILS);
    look (rig, slot, JOB_VERB_DISASSEMBLE, NULL, JOB_EVENT_DETAILS);
    move (rig, slot, JOB_VERB_STEP);
    move (rig, slot, JOB_VERB_FINISH);
    rig_delete (rig, slot, number);
    move (rig, slot, JOB_VERB_STEPI);
    move (rig, slot, JOB_VERB_NEXT);
}

/* However long a session lasts, the memory that it needs does not grow. */
static void
test_session (void)
{
    const char *wanted = g_getenv ("PDDT_CYCLES");
    guint n_rounds = wanted != NULL ? (guint) atoi (wanted) : 60;
    gsize heap = 0, end = 0;
    guint32 slot;
    Rig rig;

    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, "inferior-loops", "/");
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    for (guint i = 0; i < n_rounds; i++) {
        work (&rig, slot, i + 1);
        end = count_heap (&rig);
        if (i == n_rounds / 3) {
            heap = end;
        }
    }
    g_test_message ("%" G_GSIZE_FORMAT " bytes, then %" G_GSIZE_FORMAT, heap, end);
    g_assert_cmpuint (end, <, heap + SESSION_BYTES);
    rig_do (&rig, slot, JOB_VERB_KILL);
    rig_wait_stop (&rig, slot);
    rig_close (&rig);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/engine/cycles/attach", test_cycles);
    g_test_add_func ("/engine/cycles/session", test_session);
    return g_test_run ();
}
