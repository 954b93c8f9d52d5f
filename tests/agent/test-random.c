/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random interleavings of pause, walk, step, breakpoint and continue on threads that allocate and
 * collect: no event is lost, and the program's result is right. Arguments: the runner,
 * interpreters. PDDT_INTERLEAVINGS says how many for each (30 without, 10,000 in ./check
 * --long). The seed is printed by g_test. */
#include "../engine/rig.h"
#include <stdlib.h>
#include <string.h>

#define PATIENCE_US (120 * G_USEC_PER_SEC)

static const char *runner;

typedef struct {
    Rig rig;
    guint32 slot;
    guint read; /* events looked at */
    JobState state;
    guint stops, stacks;
    char *flag;
} Storm;

/* Takes in what has come; the rank's state is that of its last event. */
static void
look (Storm *storm)
{
    for (; storm->read < storm->rig.events->len; storm->read++) {
        const JobEvent *event = g_ptr_array_index (storm->rig.events, storm->read);

        if (event->kind == JOB_EVENT_STATE
            && job_rank_set_contains (event->ranks, storm->slot)) {
            g_test_message ("%s %d %s", job_state_get_info (event->state)->word, event->number,
                            event->place != NULL ? event->place->function : "");
            storm->state = event->state;
            storm->stops += job_state_get_info (event->state)->is_stopped;
        }
        storm->stacks += event->kind == JOB_EVENT_STACKS;
        if (event->kind == JOB_EVENT_FAILURE || event->kind == JOB_EVENT_NOTICE) {
            g_test_message ("%s", event->text);
        }
    }
}

static gboolean
is_stopped (Storm *storm)
{
    look (storm);
    g_assert_false (job_state_get_info (storm->state)->is_ended);
    return job_state_get_info (storm->state)->is_stopped;
}

static gboolean
wait_stopped (Storm *storm, gint64 patience_us)
{
    gint64 end = g_get_monotonic_time () + patience_us;

    while (!is_stopped (storm) && g_get_monotonic_time () < end) {
        rig_pump (&storm->rig, 2);
    }
    return is_stopped (storm);
}

static void
pause_it (Storm *storm)
{
    rig_do (&storm->rig, storm->slot, JOB_VERB_PAUSE);
    if (!wait_stopped (storm, PATIENCE_US)) {
        g_error ("no stop came after a pause");
    }
}

static void
move (Storm *storm, JobVerb verb)
{
    guint stops = storm->stops;

    rig_do (&storm->rig, storm->slot, verb);
    look (storm);
    /* a step may take long (its line waits), and is then paused */
    if (verb != JOB_VERB_CONTINUE && storm->stops == stops
        && !wait_stopped (storm, g_test_rand_int_range (100, 50000))) {
        pause_it (storm);
    }
}

static void
walk_stack (Storm *storm)
{
    gint64 end = g_get_monotonic_time () + 120 * G_USEC_PER_SEC;
    guint stacks = storm->stacks;

    rig_do (&storm->rig, storm->slot, JOB_VERB_WHERE);
    while (storm->stacks == stacks && g_get_monotonic_time () < end) {
        rig_pump (&storm->rig, 10);
        look (storm);
    }
    g_assert_cmpuint (storm->stacks, >, stacks);
}

static void
set_breakpoint (Storm *storm)
{
    static guint32 number = 1;
    JobRequest *request = job_request_new (JOB_VERB_BREAK, NULL);

    request->number = ++number;
    request->where.kind = JOB_WHERE_FUNCTION;
    request->where.function = g_strdup (g_test_rand_bit () ? "work" : "fail");
    request->flags |= JOB_REQUEST_TEMPORARY;
    rig_send (&storm->rig, storm->slot, request);
}

static void
act (Storm *storm)
{
    static const JobVerb motions[] = { JOB_VERB_STEP, JOB_VERB_NEXT, JOB_VERB_FINISH,
                                       JOB_VERB_CONTINUE };

    if (!is_stopped (storm)) {
        if (g_test_rand_int_range (0, 8) == 0) {
            set_breakpoint (storm);
        }
        for (int i = g_test_rand_int_range (0, 4); i > 0; i--) {
            rig_pump (&storm->rig, g_test_rand_int_range (0, 3));
        }
        pause_it (storm);
        return;
    }
    if (g_test_rand_bit ()) {
        walk_stack (storm);
    }
    if (is_stopped (storm)) {
        move (storm, motions[g_test_rand_int_range (0, G_N_ELEMENTS (motions))]);
    }
}

static void
begin (Storm *storm, const char *python)
{
    g_autofree char *program = g_build_filename (g_getenv ("PDDT_INFERIOR_SOURCES"), "storm.py",
                                                 NULL);
    char *argv[6] = { (char *) python, (char *) "-B", (char *) runner, program, NULL, NULL };

    memset (storm, 0, sizeof *storm);
    rig_open (&storm->rig, "main");
    storm->flag = g_build_filename (storm->rig.folder, "end", NULL);
    argv[4] = storm->flag;
    storm->slot = rig_start (&storm->rig, argv, NULL);
    storm->state = JOB_STATE_RUNNING;
    if (!wait_stopped (storm, PATIENCE_US)) {
        g_error ("no first stop came");
    }
}

/* No breakpoint is left to stop it: it runs to its end, which tells whether all was right. */
static void
end (Storm *storm)
{
    gint64 limit = g_get_monotonic_time () + PATIENCE_US;

    g_assert_true (g_file_set_contents (storm->flag, "", 0, NULL));
    while (!job_state_get_info (storm->state)->is_ended && g_get_monotonic_time () < limit) {
        if (job_state_get_info (storm->state)->is_stopped) {
            rig_do (&storm->rig, storm->slot, JOB_VERB_CONTINUE);
        }
        rig_pump (&storm->rig, 10);
        look (storm);
    }
    look (storm);
    g_assert_cmpstr (job_state_get_info (storm->state)->word, ==,
                     job_state_get_info (JOB_STATE_FAILED)->word);
    for (guint i = storm->rig.events->len; i-- > 0;) {
        const JobEvent *event = g_ptr_array_index (storm->rig.events, i);

        if (event->kind == JOB_EVENT_STATE && job_state_get_info (event->state)->is_ended) {
            g_assert_cmpint (event->number, ==, 7);
            break;
        }
    }
    rig_close (&storm->rig);
    g_free (storm->flag);
}

static void
test_storm (gconstpointer python)
{
    const char *count = g_getenv ("PDDT_INTERLEAVINGS");
    guint64 rounds = count != NULL ? g_ascii_strtoull (count, NULL, 10) : 30;
    Storm storm;

    begin (&storm, python);
    for (guint64 i = 0; i < rounds; i++) {
        act (&storm);
    }
    end (&storm);
}

int
main (int argc, char **argv)
{
    g_autofree char *cache = g_dir_make_tmp ("pddt-random-XXXXXX", NULL);
    g_autofree char *remove = g_strdup_printf ("rm -r '%s'", cache);
    int status;

    g_test_init (&argc, &argv, NULL);
    g_assert_cmpint (argc, >=, 3);
    g_setenv ("PDDT_TEST_CACHE", cache, TRUE);
    runner = argv[1];
    for (int i = 2; i < argc; i++) {
        g_autofree char *path = g_strdup_printf ("/random%s", argv[i]);

        g_test_add_data_func (path, argv[i], test_storm);
    }
    status = g_test_run ();
    g_assert_cmpint (system (remove), ==, 0);
    return status;
}
