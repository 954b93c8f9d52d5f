/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See rig.h. The loop is poll on a signalfd, as small as a caller of the engine can be. */
#include "rig.h"
#include "../support/folder.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_TURNS 50
#define DEADLINE_US (120 * G_USEC_PER_SEC)

static void
record (const JobEvent *event, gpointer user)
{
    Rig *rig = user;

    if (g_getenv ("RIG_VERBOSE") != NULL) {
        g_autofree char *ranks = job_rank_set_format (event->ranks);

        g_printerr ("# %s %s req %d final %d state %s number %d text %s place %s:%u %s\n",
                    ranks, job_event_kind_get_name (event->kind), (int) event->request,
                    event->final, job_state_get_info (event->state)->word, event->number,
                    event->text, event->place != NULL ? event->place->file : "-",
                    event->place != NULL ? event->place->line : 0,
                    event->place != NULL ? event->place->function : "-");
    }
    g_ptr_array_add (rig->events, job_event_dup (event));
}

static void
start_symbols (Rig *rig, const char *socket)
{
    const char *program = g_getenv ("PDDT_SYMBOLS");
    const char *shared
        = g_getenv ("PDDT_TEST_CACHE"); /* of a test that opens large files again */
    g_autofree char *cache = shared != NULL ? g_strdup (shared)
                                            : g_build_filename (rig->folder, "cache", NULL);

    if (program == NULL) {
        return;
    }
    rig->symbols = fork ();
    g_assert_cmpint (rig->symbols, >=, 0);
    if (rig->symbols == 0) {
        prctl (PR_SET_PDEATHSIG, SIGKILL);
        g_setenv ("XDG_CACHE_HOME", cache, TRUE);
        execl (program, program, "--socket", socket, NULL);
        _exit (127);
    }
    for (gint64 end = g_get_monotonic_time () + DEADLINE_US;
         !g_file_test (socket, G_FILE_TEST_EXISTS);) {
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        g_usleep (1000);
    }
}

void
rig_open (Rig *rig, const char *start_at)
{
    EngineOptions options = { .emit = record, .user = rig };
    g_autoptr (GError) error = NULL;
    g_autofree char *socket = NULL;
    sigset_t set;

    memset (rig, 0, sizeof *rig);
    sigemptyset (&set);
    sigaddset (&set, SIGCHLD);
    sigprocmask (SIG_BLOCK, &set, NULL);
    rig->signals = signalfd (-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    rig->events = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    rig->folder = g_dir_make_tmp ("pddt-test-XXXXXX", &error);
    g_assert_no_error (error);
    socket = g_build_filename (rig->folder, "symbols", NULL);
    start_symbols (rig, socket);
    options.symbols_socket = rig->symbols != 0 ? socket : NULL;
    rig->engine = engine_new (&options);
    if (start_at != NULL) {
        g_autoptr (JobRequest) request = job_request_new (JOB_VERB_START, NULL);

        request->id = rig->start_request = ++rig->last_request;
        request->text = g_strdup (start_at);
        engine_handle (rig->engine, request);
    }
}

void
rig_close (Rig *rig)
{
    engine_free (rig->engine);
    if (rig->symbols != 0) {
        kill (rig->symbols, SIGKILL);
        waitpid (rig->symbols, NULL, 0);
    }
    close (rig->signals);
    g_ptr_array_unref (rig->events);
    folder_remove (rig->folder);
    g_free (rig->folder);
}

gboolean
rig_has_symbols (const Rig *rig)
{
    return rig->symbols != 0;
}

char *
rig_dup_inferior (const char *name)
{
    g_assert_nonnull (g_getenv ("PDDT_INFERIORS"));
    return g_build_filename (g_getenv ("PDDT_INFERIORS"), name, NULL);
}

guint32
rig_find_mark (const char *file, const char *mark)
{
    g_autofree char *path = g_build_filename (g_getenv ("PDDT_INFERIOR_SOURCES"), file, NULL);
    g_autofree char *text = NULL;
    g_autofree char *wanted = g_strdup_printf ("@ %s ", mark);
    g_auto (GStrv) lines = NULL;

    g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
    lines = g_strsplit (text, "\n", -1);
    for (guint i = 0; lines[i] != NULL; i++) {
        if (strstr (lines[i], wanted) != NULL) {
            return i + 1;
        }
    }
    g_error ("no mark %s in %s", mark, file);
}

guint32
rig_start (Rig *rig, char **argv, pid_t *ret_pid)
{
    EngineRankInfo info = { .size = 1, .launched = TRUE, .input_fd = -1 };
    g_autoptr (GError) error = NULL;
    guint32 slot = 0;
    int gate[2];
    char go = 'G';

    g_assert_cmpint (pipe2 (gate, O_CLOEXEC), ==, 0);
    info.pid = fork ();
    g_assert_cmpint (info.pid, >=, 0);
    if (info.pid == 0) {
        sigset_t none;

        sigemptyset (&none);
        sigprocmask (SIG_SETMASK, &none, NULL);
        personality (ADDR_NO_RANDOMIZE);
        setpgid (
            0, 0); /* a group with a parent outside: SIGTSTP stops it wherever the test runs */
        dup2 (open ("/dev/null", O_WRONLY), 1);
        if (read (gate[0], &go, 1) == 1) {
            execvp (argv[0], argv);
        }
        _exit (126);
    }
    g_assert_true (engine_adopt (rig->engine, &info, &slot, &error));
    g_assert_no_error (error);
    g_assert_cmpint (write (gate[1], &go, 1), ==, 1);
    close (gate[0]);
    close (gate[1]);
    if (ret_pid != NULL) {
        *ret_pid = info.pid;
    }
    return slot;
}

guint32
rig_start_inferior (Rig *rig, const char *name, const char *argument)
{
    g_autofree char *path = rig_dup_inferior (name);
    char *argv[] = { path, (char *) argument, NULL };

    return rig_start (rig, argv, NULL);
}

guint64
rig_send (Rig *rig, guint32 slot, JobRequest *request)
{
    guint64 id = ++rig->last_request;

    request->id = id;
    job_rank_set_add (request->ranks, slot);
    engine_handle (rig->engine, request);
    job_request_free (request);
    return id;
}

guint64
rig_do (Rig *rig, guint32 slot, JobVerb verb)
{
    return rig_send (rig, slot, job_request_new (verb, NULL));
}

guint64
rig_break (Rig *rig, guint32 slot, guint32 number, const char *where, const char *condition)
{
    JobRequest *request = job_request_new (JOB_VERB_BREAK, NULL);
    g_autoptr (GError) error = NULL;

    request->number = number;
    request->condition = g_strdup (condition);
    g_assert_true (job_where_parse (where, &request->where, &error));
    return rig_send (rig, slot, request);
}

void
rig_pump (Rig *rig, int timeout_ms)
{
    struct pollfd poll_fds[] = { { rig->signals, POLLIN, 0 },
                                 { engine_get_answers_fd (rig->engine), POLLIN, 0 } };
    int wanted = engine_get_timeout_ms (rig->engine);
    struct signalfd_siginfo info;

    poll (poll_fds, G_N_ELEMENTS (poll_fds),
          wanted >= 0 ? MIN (wanted, timeout_ms) : timeout_ms);
    while (read (rig->signals, &info, sizeof info) == sizeof info) {
    }
    /* where a hot trap is met faster than a loaded machine handles it, there is always more to do */
    for (guint i = 0; engine_pump (rig->engine) && i < MAX_TURNS; i++) {
    }
}

void
rig_delete (Rig *rig, guint32 slot, guint32 number)
{
    JobRequest *request = job_request_new (JOB_VERB_DELETE, NULL);

    request->number = number;
    rig_send (rig, slot, request);
}

void
rig_catch (Rig *rig, guint32 slot, guint32 number, const char *what)
{
    JobRequest *request = job_request_new (JOB_VERB_CATCH, NULL);

    request->number = number;
    request->text = g_strdup (what);
    rig_send (rig, slot, request);
}

void
rig_handle (Rig *rig, guint32 slot, const char *signal, const char *words)
{
    JobRequest *request = job_request_new (JOB_VERB_HANDLE, NULL);

    request->text = g_strdup (signal);
    request->text2 = g_strdup (words);
    rig_send (rig, slot, request);
}

const JobEvent *
rig_wait (Rig *rig, guint32 slot, JobEventKind kind)
{
    gint64 end = g_get_monotonic_time () + DEADLINE_US;

    for (;;) {
        while (rig->seen < rig->events->len) {
            const JobEvent *event = g_ptr_array_index (rig->events, rig->seen++);

            if (event->kind == kind && job_rank_set_contains (event->ranks, slot)) {
                return event;
            }
        }
        if (g_get_monotonic_time () > end) {
            g_error ("no event %s came for slot %u", job_event_kind_get_name (kind), slot);
        }
        rig_pump (rig, 100);
    }
}

double
rig_ask_number (Rig *rig, guint32 slot, JobVerb verb, const char *expression)
{
    JobRequest *request = job_request_new (verb, NULL);
    const JobEvent *event;
    const JobValueGroup *group;

    request->text = g_strdup (expression);
    rig_send (rig, slot, request);
    event = rig_wait (rig, slot, JOB_EVENT_VALUES);
    g_assert_cmpuint (event->table->rows->len, ==, 1);
    group = g_ptr_array_index (((const JobValueRow *) g_ptr_array_index (event->table->rows, 0))
                                   ->groups,
                               0);
    g_assert_true (group->value->is_number);
    return group->value->number;
}

const JobEvent *
rig_wait_stop (Rig *rig, guint32 slot)
{
    const JobEvent *event;

    do {
        event = rig_wait (rig, slot, JOB_EVENT_STATE);
    } while (job_state_get_info (event->state)->is_moving);
    return event;
}

void
rig_expect (Rig *rig, guint32 slot, JobState state, const char *function, guint32 line)
{
    const JobEvent *event = rig_wait_stop (rig, slot);

    g_assert_cmpstr (job_state_get_info (event->state)->word, ==,
                     job_state_get_info (state)->word);
    if (function != NULL) {
        g_assert_nonnull (event->place);
        g_assert_cmpstr (event->place->function, ==, function);
    }
    if (line != 0) {
        g_assert_nonnull (event->place);
        g_assert_cmpuint (event->place->line, ==, line);
    }
}

void
rig_expect_told_end (Rig *rig)
{
    g_autofree char *file = g_build_filename (rig->folder, "end", NULL);
    gint64 end = g_get_monotonic_time () + DEADLINE_US;
    g_autofree char *text = NULL;

    while (text == NULL || strchr (text, '\n') == NULL) {
        g_clear_pointer (&text, g_free);
        g_file_get_contents (file, &text, NULL, NULL);
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        rig_pump (rig, 10);
    }
    g_assert_cmpstr (text, ==, "0\n");
}

pid_t
rig_starve (pid_t pid)
{
    cpu_set_t all, one;
    pid_t hog;
    int cpu = 0;

    g_assert_cmpint (sched_getaffinity (0, sizeof all, &all), ==, 0);
    while (!CPU_ISSET (cpu, &all)) {
        cpu++;
    }
    CPU_ZERO (&one);
    CPU_SET (cpu, &one);
    hog = fork ();
    g_assert_cmpint (hog, >=, 0);
    if (hog == 0) {
        prctl (PR_SET_PDEATHSIG, SIGKILL);
        sched_setaffinity (0, sizeof one, &one);
        for (;;) {
        }
    }
    g_assert_cmpint (setpriority (PRIO_PROCESS, (id_t) pid, 10), ==, 0);
    g_assert_cmpint (sched_setaffinity (pid, sizeof one, &one), ==, 0);
    return hog;
}
