/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random programs under random requests: each ends as it does alone, writes the same, and keeps no trap; the engine
 * outlives it. Each seed runs in processes of its own; with each fourth one children are debugged, too. PDDT_SEEDS: how
 * many; PDDT_SEED: the first. "/failing": the same while system calls of the engine fail; then it only has to live, and
 * to notice the program's end. With PDDT_TRAP_FLAG programs step themselves, too. */
#include "base/crash.h"
#include "engine/control/control.h"
#include "../support/folder.h"
#include "failing.h"
#include "rig.h"
#include <elf.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define USUAL_SEEDS 6
#define PATIENCE_US (120 * G_USEC_PER_SEC)
#define PLAY_US (2 * G_USEC_PER_SEC) /* so long requests come; then the program is left alone */

static char *
make_file (const char *folder, const char *name)
{
    return g_build_filename (folder, name, NULL);
}

/* ---- the program ---- */

/* A program and the process that starts it, waits for it, and tells how it ended: the engine takes the ends of its own
 * process's children for itself. */
typedef struct {
    pid_t pid;
    int told; /* to be read: how it ended */
} Started;

/* Its children are debugged, too: they have traps of their own. */
static gboolean
is_followed (guint seed)
{
    return seed % 4 == 0;
}

static void
become (const char *file, guint seed, int gate)
{
    g_autofree char *path = rig_dup_inferior ("inferior-random");
    g_autofree char *number = g_strdup_printf ("%u", seed);
    char *argv[] = { path, (char *) file, number, (char *) "3", NULL };
    sigset_t none;
    int nowhere = open ("/dev/null", O_RDWR);
    char go;

    dup2 (nowhere, 1);
    dup2 (nowhere, 2);
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    sigemptyset (&none);
    sigprocmask (SIG_SETMASK, &none, NULL);
    g_unsetenv ("G_MESSAGES_DEBUG");
    if (is_followed (seed)) {
        g_setenv ("PDDT_FOLLOWED", "", TRUE);
    }
    if (gate < 0 || read (gate, &go, 1) == 1) {
        execv (path, argv);
    }
    _exit (126);
}

static void
keep (const char *file, guint seed, int gate, int tell)
{
    pid_t pid;
    int status = 0;

    prctl (PR_SET_PDEATHSIG, SIGKILL);
    pid = fork ();
    if (pid == 0) {
        become (file, seed, gate);
    }
    if (write (tell, &pid, sizeof pid) != sizeof pid || waitpid (pid, &status, 0) != pid
        || write (tell, &status, sizeof status) != sizeof status) {
        _exit (1);
    }
    _exit (0);
}

/* With a gate it begins with the first byte from there. */
static Started
start (const char *file, guint seed, int gate)
{
    Started started = { 0 };
    int ends[2];
    pid_t keeper;

    g_assert_cmpint (pipe2 (ends, O_CLOEXEC), ==, 0);
    keeper = fork ();
    g_assert_cmpint (keeper, >=, 0);
    if (keeper == 0) {
        close (ends[0]);
        keep (file, seed, gate, ends[1]);
    }
    close (ends[1]);
    g_assert_cmpint (read (ends[0], &started.pid, sizeof started.pid), ==, sizeof started.pid);
    g_assert_cmpint (started.pid, >, 0);
    started.told = ends[0];
    return started;
}

/* As the wait status tells it; the core flag is nobody's. */
static int
get_end (int status)
{
    return WIFSIGNALED (status) ? -WTERMSIG (status) : WEXITSTATUS (status);
}

/* G_MAXINT: it has not ended in time. With a rig the engine's work goes on meanwhile. */
static int
await (const Started *started, Rig *rig, gint64 patience_us)
{
    gint64 end = g_get_monotonic_time () + patience_us;
    int status = 0;

    do {
        struct pollfd told = { started->told, POLLIN, 0 };

        if (rig != NULL) {
            rig_pump (rig, 1);
        }
        if (poll (&told, 1, rig != NULL ? 0 : 10) > 0) {
            g_assert_cmpint (read (started->told, &status, sizeof status), ==, sizeof status);
            return get_end (status);
        }
    } while (g_get_monotonic_time () < end);
    return G_MAXINT;
}

/* Of the file's code, without what is unused of its last page: a process that is let go in the middle of vfork keeps
 * pddt's handler of SIGTRAP there. */
static gsize
get_code_size (int file, guint64 offset)
{
    Elf64_Ehdr header;
    Elf64_Phdr segment;

    g_assert_cmpint (pread (file, &header, sizeof header, 0), ==, sizeof header);
    for (guint i = 0; i < header.e_phnum; i++) {
        off_t at = (off_t) (header.e_phoff + i * sizeof segment);

        g_assert_cmpint (pread (file, &segment, sizeof segment, at), ==, sizeof segment);
        if (segment.p_type == PT_LOAD && segment.p_offset == offset) {
            return segment.p_filesz;
        }
    }
    return 0;
}

/* Bytes of the process's code that are not those of its file; -1: it cannot be read (any more). */
static gint
count_changed (pid_t pid)
{
    g_autofree char *exe = g_strdup_printf ("/proc/%d/exe", (int) pid);
    g_autofree char *mem = g_strdup_printf ("/proc/%d/mem", (int) pid);
    g_autoptr (GArray) maps = target_maps_read (pid, NULL);
    int there = open (mem, O_RDONLY | O_CLOEXEC), here = open (exe, O_RDONLY | O_CLOEXEC);
    gint n = maps != NULL && there >= 0 && here >= 0 ? 0 : -1;

    for (guint i = 0; n >= 0 && i < maps->len; i++) {
        const TargetMap *map = &g_array_index (maps, TargetMap, i);
        gsize size = map->end - map->start;
        g_autofree guint8 *own = NULL, *wanted = NULL;

        /* a sanitizer maps terabytes */
        if (!map->executable || map->path == NULL
            || !g_str_has_suffix (map->path, "/inferior-random")) {
            continue;
        }
        own = g_malloc0 (size);
        wanted = g_malloc0 (size);
        if (pread (there, own, size, (off_t) map->start) != (gssize) size) {
            n = -1;
            break;
        }
        size = (gsize) MAX (pread (here, wanted, size, (off_t) map->offset), 0);
        size = MIN (size, get_code_size (here, map->offset));
        for (gsize j = 0; j < size; j++) {
            n += own[j] != wanted[j];
        }
    }
    close (there);
    close (here);
    return n;
}

/* ---- the requests ---- */

typedef struct {
    Rig rig;
    guint32 slot;
    Started started;
    GRand *random;
    guint n_breakpoints;
    guint64 profile;
} Play;

static JobRequest *
new_text (JobVerb verb, const char *text)
{
    JobRequest *request = job_request_new (verb, NULL);

    request->text = g_strdup (text);
    return request;
}

static JobRequest *
new_number (JobVerb verb, guint32 number)
{
    JobRequest *request = job_request_new (verb, NULL);

    request->number = number;
    return request;
}

static JobRequest *
new_break (Play *play)
{
    static const char *const places[] = { "work",       "twice",      "do_fork", "do_vfork",
                                          "on_signal",  "run_thread", "end",     "do_leaf",
                                          "run_shared", "execute" };
    static const char *const conditions[] = { NULL, NULL, "watched % 7 == 3", "0",
                                              "twice (2) == 4" };
    JobRequest *request = new_number (JOB_VERB_BREAK, ++play->n_breakpoints);

    job_where_parse (places[g_rand_int_range (play->random, 0, G_N_ELEMENTS (places))],
                     &request->where, NULL);
    request->condition
        = g_strdup (conditions[g_rand_int_range (play->random, 0, G_N_ELEMENTS (conditions))]);
    return request;
}

static JobRequest *
new_watch (Play *play)
{
    JobRequest *request = new_text (JOB_VERB_WATCH,
                                    g_rand_boolean (play->random) ? "watched" : "n_user");

    request->number = ++play->n_breakpoints;
    return request;
}

static JobRequest *
new_catch (Play *play)
{
    static const char *const what[] = { "fork", "exec",           "exit",
                                        "load", "signal SIGUSR1", "syscall" };
    JobRequest *request
        = new_text (JOB_VERB_CATCH,
                    what[g_rand_int_range (play->random, 0, G_N_ELEMENTS (what))]);

    request->number = ++play->n_breakpoints;
    return request;
}

static JobRequest *
new_where (Play *play)
{
    JobRequest *request = job_request_new (JOB_VERB_WHERE, NULL);

    request->flags = g_rand_boolean (play->random) ? JOB_REQUEST_THREADS : JOB_REQUEST_FULL;
    return request;
}

static JobRequest *
new_profile (Play *play)
{
    JobRequest *request = job_request_new (JOB_VERB_PROFILE, NULL);

    request->number = g_rand_boolean (play->random) ? 1000 : 100;
    request->every = (guint64) g_rand_int_range (play->random, 20, 400);
    return request;
}

/* NULL: the program is let go. */
static JobRequest *
draw_request (Play *play)
{
    static const JobVerb moves[] = { JOB_VERB_STEP, JOB_VERB_NEXT, JOB_VERB_FINISH,
                                     JOB_VERB_STEPI, JOB_VERB_NEXTI };

    switch (g_rand_int_range (play->random, 0, 24)) {
    case 0:
    case 1: return new_break (play);
    case 2: return new_watch (play);
    case 3: return new_catch (play);
    case 4:
        return new_number (g_rand_boolean (play->random) ? JOB_VERB_DELETE : JOB_VERB_DISABLE,
                           (guint32) g_rand_int_range (play->random, 1,
                                                       (gint32) play->n_breakpoints + 2));
    case 5:
    case 6: return new_where (play);
    case 7: return new_text (JOB_VERB_PRINT, "watched + n_user");
    case 8: return new_text (JOB_VERB_CALL, "twice (21)");
    case 9:
    case 10: return new_profile (play);
    case 11: return job_request_new (JOB_VERB_THREADS, NULL);
    case 12: return job_request_new (JOB_VERB_LOCALS, NULL);
    case 13:
    case 14:
    case 15: return job_request_new (JOB_VERB_PAUSE, NULL);
    case 16:
        return g_rand_int_range (play->random, 0, 10) == 0
                   ? NULL
                   : job_request_new (JOB_VERB_MODULES, NULL);
    case 17:
    case 18:
    case 19:
        return new_number (moves[g_rand_int_range (play->random, 0, G_N_ELEMENTS (moves))], 1);
    default: return job_request_new (JOB_VERB_CONTINUE, NULL);
    }
}

static EngineProcess *
get_process (Play *play)
{
    return engine_find_process (play->rig.engine, play->slot);
}

/* Until nothing moves it any more without a request. */
static gboolean
is_over (Play *play)
{
    return get_process (play)->ended;
}

/* It, and its children that are debugged. */
static void
go_on (Play *play)
{
    const GPtrArray *processes = play->rig.engine->processes;

    for (guint i = 0; i < processes->len; i++) {
        const EngineProcess *process = g_ptr_array_index (processes, i);

        if (!process->ended && engine_process_is_stopped (process)) {
            rig_do (&play->rig, process->slot, JOB_VERB_CONTINUE);
        }
    }
}

static void
send_to_all (Play *play, JobVerb verb, guint32 number)
{
    const GPtrArray *processes = play->rig.engine->processes;

    for (guint i = 0; i < processes->len; i++) {
        const EngineProcess *process = g_ptr_array_index (processes, i);

        if (!process->ended) {
            rig_send (&play->rig, process->slot, new_number (verb, number));
        }
    }
}

static gboolean
play_on (Play *play)
{
    gint64 end = g_get_monotonic_time () + PLAY_US;

    while (!is_over (play) && g_get_monotonic_time () < end) {
        JobRequest *request;

        rig_pump (&play->rig, g_rand_int_range (play->random, 0, 6));
        if (g_rand_int_range (play->random, 0, 3) != 0) {
            go_on (play);
            continue;
        }
        if (play->rig.symbols != 0 && g_rand_int_range (play->random, 0, 400) == 0) {
            kill (play->rig.symbols, SIGKILL);
        }
        request = draw_request (play);
        if (request == NULL) {
            return FALSE;
        }
        rig_send (&play->rig, play->slot, request);
    }
    return TRUE;
}

/* Without breakpoints, to its end. */
static void
end_play (Play *play)
{
    gint64 end = g_get_monotonic_time () + PATIENCE_US / 2;

    for (guint i = 1; i <= play->n_breakpoints && !is_over (play); i++) {
        send_to_all (play, JOB_VERB_DELETE, i);
    }
    while (!is_over (play) && g_get_monotonic_time () < end) {
        go_on (play);
        rig_pump (&play->rig, 20);
    }
}

/* Children that are debugged still may come to stops. */
static int
await_end (Play *play)
{
    gint64 end = g_get_monotonic_time () + PATIENCE_US / 2;
    int answer;

    do {
        go_on (play);
        answer = await (&play->started, &play->rig, 20000);
    } while (answer == G_MAXINT && g_get_monotonic_time () < end);
    return answer;
}

static void
let_go (Play *play)
{
    gint64 end = g_get_monotonic_time () + PATIENCE_US / 2;

    send_to_all (play, JOB_VERB_DETACH, 0);
    while (!is_over (play) && g_get_monotonic_time () < end) {
        rig_pump (&play->rig, 20);
    }
}

/* ---- one seed ---- */

/* gdb's usual treatment keeps SIGTRAP from the program. */
static void
pass_traps (Play *play)
{
    JobRequest *request = new_text (JOB_VERB_HANDLE, "SIGTRAP");

    request->text2 = g_strdup ("nostop noprint pass");
    rig_send (&play->rig, play->slot, request);
}

static void
set_option (Play *play, const char *name, const char *value)
{
    JobRequest *request = new_text (JOB_VERB_OPTION, name);

    request->text2 = g_strdup (value);
    rig_send (&play->rig, play->slot, request);
}

/* alone_us: so long it takes alone. */
static void
begin (Play *play, const char *file, guint seed, gint64 alone_us)
{
    EngineRankInfo info = { .size = 1, .input_fd = -1 };
    int gate[2];

    info.launched = !g_rand_boolean (play->random);
    rig_open (&play->rig, g_rand_boolean (play->random) ? "main" : "none");
    g_assert_cmpint (pipe2 (gate, O_CLOEXEC), ==, 0);
    play->started = start (file, seed, info.launched ? gate[0] : -1);
    info.pid = play->started.pid;
    if (!info.launched) {
        g_usleep ((gulong) g_rand_int_range (play->random, 0,
                                             (gint32) CLAMP (alone_us, 1000, 20000)));
    }
    if (!engine_adopt (play->rig.engine, &info, &play->slot, NULL)) {
        _exit (await (&play->started, NULL, PATIENCE_US) == G_MAXINT ? 3
                                                                     : 4); /* it ended first */
    }
    g_assert_cmpint (write (gate[1], "G", 1), ==, 1);
    close (gate[0]);
    close (gate[1]);
}

static void
report (const char *file, int end, gint changed)
{
    g_autofree char *text = g_strdup_printf ("%d %d", end, changed);

    g_assert_true (g_file_set_contents (file, text, -1, NULL));
}

static int
get_told_end (const EngineProcess *process)
{
    return process->state == JOB_STATE_EXITED ? 0
           : process->state_text != NULL      ? -process->state_number
                                              : process->state_number;
}

/* In a process of its own; writes how the program ended, and how many bytes of its code were changed then. */
static void
run_under (const char *folder, guint seed, gint64 alone_us, gboolean is_failing)
{
    g_autofree char *file = make_file (folder, "under"), *result = make_file (folder, "result");
    Play play = { .random = g_rand_new_with_seed (seed) };
    EngineProcess *process;
    gint changed = 0;
    int end;

    base_crash_install ();
    begin (&play, file, seed, alone_us);
    pass_traps (&play);
    if (is_followed (seed)) {
        set_option (&play, "follow-fork", "both");
    }
    if (g_rand_int_range (play.random, 0, 4) == 0) {
        set_option (&play, "scheduler-locking", "on");
    }
    if (is_failing) {
        failing_begin (seed, 60);
    }
    if (play_on (&play)) {
        end_play (&play);
    }
    if (!is_over (&play) && !is_failing) {
        let_go (&play);
        changed = count_changed (play.started.pid);
    }
    failing_end ();
    if (!is_over (&play)) {
        kill (play.started.pid, SIGKILL);
        end_play (&play);
    }
    process = get_process (&play);
    if (!process->ended) {
        _exit (5);
    }
    end = await_end (&play);
    if (!process->detached && end != get_told_end (process)) {
        _exit (6);
    }
    rig_close (&play.rig);
    report (result, end, changed);
    _exit (0);
}

static char *
read_file (const char *folder, const char *name)
{
    g_autofree char *path = make_file (folder, name);
    char *text = NULL;

    return g_file_get_contents (path, &text, NULL, NULL) ? text : g_strdup ("");
}

/* G_MAXINT: it has not ended in time. */
static int
await_engine (pid_t pid)
{
    gint64 end = g_get_monotonic_time () + 2 * PATIENCE_US;
    int status = 0;

    while (g_get_monotonic_time () < end) {
        pid_t found = waitpid (pid, &status, WNOHANG);

        if (found == pid) {
            return get_end (status);
        }
        g_assert_cmpint (found, ==, 0);
        g_usleep (1000);
    }
    return G_MAXINT;
}

/* NULL: as it should be. */
static char *
run_seed_in (const char *folder, guint seed, gboolean is_failing)
{
    g_autofree char *file = make_file (folder, "plain");
    g_autofree char *plain = NULL, *under = NULL, *result = NULL, *wanted = NULL;
    gint64 alone_us;
    Started started;
    pid_t pid;
    int end, engine;

    alone_us = g_get_monotonic_time ();
    started = start (file, seed, -1);
    end = await (&started, NULL, PATIENCE_US);
    alone_us = g_get_monotonic_time () - alone_us;
    close (started.told);
    pid = fork ();
    g_assert_cmpint (pid, >=, 0);
    if (pid == 0) {
        prctl (PR_SET_PDEATHSIG, SIGKILL);
        g_setenv ("TMPDIR", folder, TRUE); /* however it ends, what it leaves is found there */
        run_under (folder, seed, alone_us, is_failing);
    }
    engine = await_engine (pid);
    if (engine == G_MAXINT) {
        kill (pid, g_getenv ("PDDT_CORE") != NULL ? SIGABRT : SIGKILL);
        waitpid (pid, NULL, 0);
        return g_strdup ("the engine hangs");
    }
    if (engine == 4) {
        g_test_message ("seed %u ended before it was attached to", seed);
        return NULL;
    }
    if (engine != 0) {
        return g_strdup_printf ("the engine ended with %d", engine);
    }
    plain = read_file (folder, "plain");
    under = read_file (folder, "under");
    result = read_file (folder, "result");
    wanted = g_strdup_printf ("%d ", end);
    if (is_failing) {
        return NULL;
    }
    if (!g_str_has_prefix (result, wanted)) {
        return g_strdup_printf ("it ended with %s, alone with %d; it wrote\n%sand alone\n%s",
                                result, end, under, plain);
    }
    if (!g_str_has_suffix (result, " 0") && !g_str_has_suffix (result, " -1")) {
        return g_strdup_printf ("its code was changed: %s", result);
    }
    return strcmp (plain, under) != 0
               ? g_strdup_printf ("it wrote\n%sand alone\n%s", under, plain)
               : NULL;
}

static char *
run_seed (guint seed, gboolean is_failing)
{
    g_autofree char *folder = NULL;
    const char *place = g_getenv ("TMPDIR"); /* g_get_tmp_dir would keep it for the child */
    char *what;

    folder = g_mkdtemp (g_build_filename (place != NULL ? place : "/tmp", "pddt-test-XXXXXX",
                                          NULL));
    g_assert_nonnull (folder);
    what = run_seed_in (folder, seed, is_failing);
    folder_remove (folder);
    return what;
}

static guint
get_number (const char *name, guint usual)
{
    const char *text = g_getenv (name);

    return text != NULL ? (guint) g_ascii_strtoull (text, NULL, 10) : usual;
}

static void
run_seeds (gboolean is_failing)
{
    guint first = get_number ("PDDT_SEED", 1), n = get_number ("PDDT_SEEDS", USUAL_SEEDS),
          n_bad = 0;

    for (guint seed = first; seed < first + n; seed++) {
        g_autofree char *what = run_seed (seed, is_failing);

        if (what != NULL) {
            n_bad++;
            g_test_message ("seed %u: %s", seed, what);
        }
    }
    g_assert_cmpuint (n_bad, ==, 0);
}

static void
test_requests (void)
{
    run_seeds (FALSE);
}

/* What has failed now and then. */
static void
test_again (void)
{
    static const guint seeds[] = { 3256 };
    guint n = get_number ("PDDT_SEEDS", USUAL_SEEDS) >= 1000 ? 60 : 3;

    for (guint i = 0; i < n * G_N_ELEMENTS (seeds); i++) {
        g_autofree char *what = run_seed (seeds[i % G_N_ELEMENTS (seeds)], FALSE);

        g_assert_cmpstr (what, ==, NULL);
    }
}

static void
test_failing (void)
{
    run_seeds (TRUE);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/requests", test_requests);
    g_test_add_func ("/again", test_again);
    g_test_add_func ("/failing", test_failing);
    return g_test_run ();
}
