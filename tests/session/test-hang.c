/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How soon a deadlock of ranks that were continued is announced, unasked. The main loop runs in a time of
 * the test's own: where it would wait, the clock goes on, so that every delay is played exactly and takes
 * no time. */
#include "../analysis/zoo.h"
#include "base/clock.h"
#include "session/private.h"
#include "session/sources.h"
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_MS 5000
#define MS G_GINT64_CONSTANT (1000)

static gint64 time_us; /* 0: the system's own clock */

/* Instead of libc's, for GLib too. */
int
clock_gettime (clockid_t clock, struct timespec *now)
{
    if (time_us == 0 || clock != CLOCK_MONOTONIC) {
        return (int) syscall (SYS_clock_gettime, clock, now);
    }
    now->tv_sec = time_us / G_USEC_PER_SEC;
    now->tv_nsec = time_us % G_USEC_PER_SEC * 1000;
    return 0;
}

static gint
pass_time (GPollFD *fds, guint n_fds, gint timeout_ms)
{
    gint n_ready = g_poll (fds, n_fds, timeout_ms < 0 ? -1 : 0);

    if (n_ready == 0 && timeout_ms > 0) {
        time_us += timeout_ms * MS;
    }
    return n_ready;
}

/* ---- three ranks ---- */

typedef enum {
    ENDS_IN_CYCLE,  /* at quiet_us 0 and 1 begin to wait for each other */
    ENDS_WITH_EXIT, /* 0 has waited for 1 for long; at quiet_us 1 exits */
    STIRS,          /* ENDS_IN_CYCLE, but one of them gets on by itself */
    STIRS_MEANWHILE, /* ENDS_IN_CYCLE, but one gets on while the answer about them is under way */
    NEVER_ENDS,      /* 0 has waited for 1 for long, which computes */
} Story;

typedef struct {
    Session *session;
    Story story;
    gint64 quiet_us, announced_us;     /* 0: not */
    guint reading_ms;                  /* from a request to its answer */
    guint n_looks, n_readings, n_open; /* open: not answered yet */
    guint64 n_calls;
    guint n_withdrawn;
    gint64 stirred_us; /* 0: not yet */
    SessionBackend backend;
} Rig;

typedef struct {
    Rig *rig;
    guint64 request;
    JobMessageTable *table; /* as it was when it was asked for */
} Reading;

/* Rank 2 computes, and so does rank 1, until it is quiet; 0 is in another call each time or in one. */
static JobMessageTable *
make_table (Rig *rig)
{
    gboolean is_quiet = time_us >= rig->quiet_us;
    Zoo *zoo = zoo_new (3);
    JobMessageTable *table = job_message_table_new ();

    zoo_in (zoo, 0, JOB_MESSAGE_RECV, "MPI_Recv", 1, 7, JOB_MESSAGE_WORLD_ID, 12);
    if (is_quiet && rig->story != ENDS_WITH_EXIT && rig->story != NEVER_ENDS) {
        zoo_in (zoo, 1, JOB_MESSAGE_RECV, "MPI_Recv", 0, 7, JOB_MESSAGE_WORLD_ID, 12);
        if (rig->story == STIRS && rig->announced_us != 0
            && time_us > rig->announced_us + 2 * G_USEC_PER_SEC) {
            zoo_queue (zoo, 1)->completed += 1;
        }
        zoo_queue (zoo, 1)->completed += rig->stirred_us != 0;
    } else if (rig->story == ENDS_IN_CYCLE) {
        JobMessageCall *call = zoo_queue (zoo, 0)->calls->pdata[0];

        call->number += ++rig->n_calls;
        zoo_queue (zoo, 0)->completed = rig->n_calls;
    }
    for (guint32 rank = 0; rank < zoo->n; rank++) {
        if (rank != 1 || rig->story != ENDS_WITH_EXIT || !is_quiet) {
            job_message_table_add (table, job_message_queue_dup (zoo_queue (zoo, rank)));
        }
    }
    zoo_free (zoo);
    return table;
}

static gboolean
answer (gpointer data)
{
    Reading *reading = data;
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (0, 3);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_QUEUES, reading->request, ranks);

    if (reading->rig->session == NULL) { /* it is over */
        return G_SOURCE_REMOVE;
    }
    event->final = TRUE;
    event->queues = g_steal_pointer (&reading->table);
    session_apply (reading->rig->session, event);
    return G_SOURCE_REMOVE;
}

static void
free_reading (gpointer data)
{
    Reading *reading = data;

    reading->rig->n_open--;
    job_message_table_free (reading->table);
    g_free (reading);
}

static void
on_send (const JobRequest *request, gpointer user)
{
    Rig *rig = user;
    Reading *reading;
    gboolean is_look = g_strcmp0 (request->text, "collectives") == 0;
    guint slowness = 1;

    if (request->verb != JOB_VERB_QUEUE) {
        return;
    }
    *(is_look ? &rig->n_looks : &rig->n_readings) += 1;
    if (rig->story == STIRS_MEANWHILE) { /* looks come between two readings and their answer */
        slowness = is_look ? 1 : 60;
        rig->stirred_us = is_look && rig->n_readings >= 2 && rig->stirred_us == 0
                              ? time_us
                              : rig->stirred_us;
    }
    reading = g_new0 (Reading, 1);
    reading->rig = rig;
    rig->n_open++;
    reading->request = request->id;
    reading->table = make_table (rig);
    g_timeout_add_full (G_PRIORITY_DEFAULT, rig->reading_ms * slowness, answer, reading,
                        free_reading);
}

static void
on_verdict (Session *session, const AnalysisVerdict *verdict, Rig *rig)
{
    g_assert_cmpint (rig->announced_us, ==, 0);
    g_assert_cmpint (verdict->kind, ==,
                     rig->story != ENDS_WITH_EXIT ? ANALYSIS_VERDICT_CYCLE
                                                  : ANALYSIS_VERDICT_ENDED);
    rig->announced_us = time_us;
}

static void
on_message (Session *session, guint severity, const char *english, const char *shown, Rig *rig)
{
    rig->n_withdrawn += strstr (english, "moved on after all") != NULL;
}

static void
apply_state (Rig *rig, guint32 first, guint32 end, JobState state)
{
    g_autoptr (JobRankSet) set = job_rank_set_new_range (first, end);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STATE, 0, set);

    event->state = state;
    session_apply (rig->session, event);
}

static gboolean
on_quiet (gpointer data)
{
    Rig *rig = data;

    if (rig->story == ENDS_WITH_EXIT) {
        apply_state (rig, 1, 2, JOB_STATE_EXITED);
    }
    return G_SOURCE_REMOVE;
}

static gboolean
on_over (gpointer data)
{
    *(gboolean *) data = TRUE;
    return G_SOURCE_REMOVE;
}

/* From being continued until end_ms; it goes quiet at quiet_ms. */
static void
play (Rig *rig, Story story, guint reading_ms, guint quiet_ms, guint end_ms)
{
    gboolean is_over = FALSE;

    *rig = (Rig){ .story = story, .reading_ms = reading_ms };
    time_us = 1000 * G_USEC_PER_SEC;
    g_main_context_set_poll_func (NULL, pass_time);
    rig->quiet_us = time_us + quiet_ms * MS;
    rig->session = session_new ();
    session_start_scripted (rig->session, 3, on_send, rig);
    rig->backend = session_scripted_backend;
    rig->backend.is_polled = TRUE;
    rig->session->backend = &rig->backend;
    g_signal_connect (rig->session, "verdict", G_CALLBACK (on_verdict), rig);
    g_signal_connect (rig->session, "message", G_CALLBACK (on_message), rig);
    apply_state (rig, 0, 3, JOB_STATE_RUNNING);
    g_timeout_add (quiet_ms, on_quiet, rig);
    g_timeout_add (end_ms, on_over, &is_over);
    while (!is_over) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_clear_object (&rig->session);
    while (rig->n_open > 0) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_main_context_set_poll_func (NULL, NULL);
    time_us = 0;
}

/* Every moment between two looks, as fast and as slow as looks may be. */
static void
test_in_time (gconstpointer data)
{
    static const guint reading_ms[] = { 1, 10, 40, 60, 150, 300 };
    Story story = GPOINTER_TO_INT (data);
    guint64 longest_ms = 0;
    Rig rig;

    for (guint i = 0; i < G_N_ELEMENTS (reading_ms); i++) {
        for (guint later_ms = 0; later_ms < 1700; later_ms += 37) {
            play (&rig, story, reading_ms[i], 20000 + later_ms, 20000 + later_ms + LIMIT_MS);
            if (rig.announced_us == 0) {
                g_error (
                    "nothing was announced within %d ms: readings take %u ms, quiet after %u ms",
                    LIMIT_MS, reading_ms[i], 20000 + later_ms);
            }
            g_assert_cmpint (rig.announced_us, >=, rig.quiet_us);
            longest_ms = MAX (longest_ms, (guint64) ((rig.announced_us - rig.quiet_us) / MS));
        }
    }
    g_test_message ("at most %" G_GUINT64_FORMAT " ms", longest_ms);
}

/* Who waits for a rank that computes is looked at about once a second, and asked about ever less often. */
static void
test_in_vain (void)
{
    Rig rig;

    play (&rig, NEVER_ENDS, 10, 0, 300000);
    g_assert_cmpint (rig.announced_us, ==, 0);
    g_assert_cmpuint (rig.n_looks, >, 290);
    g_assert_cmpuint (rig.n_looks, <, 5 * 300);
    g_assert_cmpuint (rig.n_readings, >=, 2 * 5);
    g_assert_cmpuint (rig.n_readings, <=, 2 * 12);
}

/* What turns out to be false is taken back, once. */
static void
test_withdrawn (void)
{
    Rig rig;

    play (&rig, STIRS, 10, 0, 9000);
    g_assert_cmpint (rig.announced_us, !=, 0);
    g_assert_cmpuint (rig.n_withdrawn, ==, 1);
}

/* An answer about ranks of which one has got on since the question is not told. */
static void
test_outdated (void)
{
    Rig rig;

    play (&rig, STIRS_MEANWHILE, 10, 0, 12000);
    g_assert_cmpint (rig.stirred_us, !=, 0);
    g_assert_cmpint (rig.announced_us, >, rig.stirred_us + G_USEC_PER_SEC);
    g_assert_cmpuint (rig.n_withdrawn, ==, 0);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_data_func ("/session/still/cycle", GINT_TO_POINTER (ENDS_IN_CYCLE),
                          test_in_time);
    g_test_add_data_func ("/session/still/exit", GINT_TO_POINTER (ENDS_WITH_EXIT),
                          test_in_time);
    g_test_add_func ("/session/still/in-vain", test_in_vain);
    g_test_add_func ("/session/still/withdrawn", test_withdrawn);
    g_test_add_func ("/session/still/outdated", test_outdated);
    return g_test_run ();
}
