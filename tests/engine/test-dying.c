/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rank is killed during a request, for every verb: each request is answered, the rank's end
 * is reported once, and another rank is unharmed. */
#include "rig.h"
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define DEADLINE_US (120 * G_USEC_PER_SEC)

/* DIES_SEEN: what a request needs to know of it is known, but it can no longer be changed. */
typedef enum { DIES_STOPPED, DIES_SEEN, DIES_RUNNING, DIES_MOVING, DIES_BEFORE } Way;

typedef struct {
    Rig rig;
    guint32 slot, other;
    pid_t pid;
} Pair;

static void
open_pair (Pair *pair)
{
    g_autofree char *path = rig_dup_inferior ("inferior-signals");

    rig_open (&pair->rig, "main");
    pair->other = rig_start (&pair->rig, (char *[]){ path, "loop", NULL }, NULL);
    rig_expect (&pair->rig, pair->other, JOB_STATE_STOPPED, "main", 0);
}

static void
start_victim (Pair *pair)
{
    g_autofree char *path = rig_dup_inferior ("inferior-signals");

    pair->slot = rig_start (&pair->rig, (char *[]){ path, "loop", NULL }, &pair->pid);
    rig_expect (&pair->rig, pair->slot, JOB_STATE_STOPPED, "main", 0);
}

static JobRequest *
new_request (const Pair *pair, JobVerb verb)
{
    JobRequest *request = job_request_new (verb, NULL);
    const char *text = verb == JOB_VERB_CATCH                           ? "fork"
                       : verb == JOB_VERB_HANDLE                        ? "SIGUSR2"
                       : verb == JOB_VERB_EXAMINE                       ? "4xw $sp"
                       : verb == JOB_VERB_CALL                          ? "divide (1)"
                       : verb == JOB_VERB_WATCH || verb == JOB_VERB_SET ? "seen"
                                                                        : "seen + 1";

    request->text = verb == JOB_VERB_DUMP ? g_build_filename (pair->rig.folder, "core", NULL)
                                          : g_strdup (text);
    request->text2 = g_strdup (verb == JOB_VERB_HANDLE ? "nostop" : "3");
    request->number = verb == JOB_VERB_THREAD ? 1 : 7;
    if (verb == JOB_VERB_BREAK || verb == JOB_VERB_UNTIL || verb == JOB_VERB_JUMP) {
        g_assert_true (job_where_parse ("divide", &request->where, NULL));
    }
    return request;
}

static gboolean
is_answered (Pair *pair, guint64 id)
{
    for (guint i = 0; i < pair->rig.events->len; i++) {
        const JobEvent *event = g_ptr_array_index (pair->rig.events, i);

        if (event->request == id && event->final
            && job_rank_set_contains (event->ranks, pair->slot)) {
            return TRUE;
        }
    }
    return FALSE;
}

static guint
count_ends (Pair *pair)
{
    guint count = 0;

    for (guint i = 0; i < pair->rig.events->len; i++) {
        const JobEvent *event = g_ptr_array_index (pair->rig.events, i);

        if (event->kind == JOB_EVENT_STATE && event->request != 0
            && job_rank_set_contains (event->ranks, pair->slot)
            && job_state_get_info (event->state)->is_ended) {
            count++;
        }
    }
    return count;
}

static void
kill_victim (Pair *pair)
{
    kill (pair->pid, SIGKILL);
}

static void
check (Pair *pair, JobVerb verb, Way way)
{
    gint64 end = g_get_monotonic_time () + DEADLINE_US;
    guint64 id;

    start_victim (pair);
    if (way == DIES_RUNNING) {
        rig_do (&pair->rig, pair->slot, JOB_VERB_CONTINUE);
    }
    if (way == DIES_SEEN) {
        guint64 seen = rig_do (&pair->rig, pair->slot, JOB_VERB_WHERE);

        while (!is_answered (pair, seen)) {
            g_assert_cmpint (g_get_monotonic_time (), <, end);
            rig_pump (&pair->rig, 10);
        }
    }
    if (way != DIES_MOVING) {
        kill_victim (pair);
    }
    while (way == DIES_BEFORE && count_ends (pair) == 0) {
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        rig_pump (&pair->rig, 10);
    }
    id = rig_send (&pair->rig, pair->slot, new_request (pair, verb));
    if (way == DIES_MOVING) {
        kill_victim (pair);
    }
    /* a cancel has no answer itself */
    while ((verb != JOB_VERB_CANCEL && !is_answered (pair, id)) || count_ends (pair) == 0) {
        if (g_get_monotonic_time () > end) {
            g_error ("%s, way %d: %s", job_verb_get_name (verb), (int) way,
                     is_answered (pair, id) ? "the end is not told" : "no answer");
        }
        rig_pump (&pair->rig, 10);
    }
    g_assert_cmpuint (count_ends (pair), ==,
                      verb == JOB_VERB_STATE && way == DIES_BEFORE ? 2 : 1);
}

static void
test_verbs (gconstpointer data)
{
    Way way = (Way) GPOINTER_TO_INT (data);
    Pair pair;

    open_pair (&pair);
    for (guint verb = JOB_VERB_NONE + 1; verb < JOB_N_VERBS; verb++) {
        if (verb != JOB_VERB_START) {
            check (&pair, (JobVerb) verb, way);
        }
    }
    rig_do (&pair.rig, pair.other, JOB_VERB_STEP);
    rig_expect (&pair.rig, pair.other, JOB_STATE_STOPPED, "main", 0);
    rig_close (&pair.rig);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_data_func ("/engine/dying/stopped", GINT_TO_POINTER (DIES_STOPPED), test_verbs);
    g_test_add_data_func ("/engine/dying/seen", GINT_TO_POINTER (DIES_SEEN), test_verbs);
    g_test_add_data_func ("/engine/dying/running", GINT_TO_POINTER (DIES_RUNNING), test_verbs);
    g_test_add_data_func ("/engine/dying/moving", GINT_TO_POINTER (DIES_MOVING), test_verbs);
    g_test_add_data_func ("/engine/dying/before", GINT_TO_POINTER (DIES_BEFORE), test_verbs);
    return g_test_run ();
}
