/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ranks of a scripted session: accepts motions, sets breakpoints where requested, and
 * answers everything else from the test's queue. */
#include "rig.h"
#include "base/error.h"
#include <math.h>
#include <string.h>

#define LIMIT_S 120

static void
on_write (CommandOutKind kind, int stream, const char *text, gpointer user)
{
    Rig *rig = user;

    g_string_append_printf (rig->text, "%s%s\n", stream == 2 ? "2> " : "", text);
}

static void
reply (Rig *rig, JobEvent *event, const JobRequest *request)
{
    event->request = request->id;
    event->final = TRUE;
    session_apply (rig->session, event);
    job_event_free (event);
}

static void
on_send (const JobRequest *request, gpointer user)
{
    Rig *rig = user;
    gboolean any = FALSE;

    g_ptr_array_add (rig->requests, job_request_dup (request));
    if (rig->silent) {
        return;
    }
    while (!g_queue_is_empty (rig->answers)) {
        JobEvent *event = g_queue_pop_head (rig->answers);

        if (event == NULL) {
            break;
        }
        any = TRUE;
        reply (rig, event, request);
    }
    if (!any) {
        JobEvent *event = job_event_new (JOB_EVENT_ACCEPTED, 0, request->ranks);

        if (job_verb_is_motion (request->verb)) {
            event->kind = JOB_EVENT_STATE;
            event->state = request->verb == JOB_VERB_CONTINUE ? JOB_STATE_RUNNING
                                                              : JOB_STATE_STEPPING;
        }
        reply (rig, event, request);
    }
}

Rig *
rig_new (guint32 n_ranks, gboolean json)
{
    Rig *rig = g_new0 (Rig, 1);

    rig->session = session_new ();
    rig->text = g_string_new (NULL);
    rig->requests = g_ptr_array_new_with_free_func ((GDestroyNotify) job_request_free);
    rig->answers = g_queue_new ();
    session_start_scripted (rig->session, n_ranks, on_send, rig);
    rig->context = command_context_new (rig->session, json, on_write, rig);
    return rig;
}

void
rig_free (Rig *rig)
{
    command_context_free (rig->context);
    g_object_unref (rig->session);
    g_string_free (rig->text, TRUE);
    g_ptr_array_unref (rig->requests);
    g_queue_free_full (rig->answers, (GDestroyNotify) job_event_free);
    g_free (rig);
}

JobLocation *
rig_place (const char *text)
{
    g_auto (GStrv) halves = g_strsplit (text, " at ", 2);
    g_auto (GStrv) place = g_strsplit (halves[1], ":", 2);

    return job_location_new (halves[0], place[0], (guint32) atoi (place[1]));
}

JobEvent *
rig_event (JobEventKind kind, const char *ranks)
{
    g_autoptr (JobRankSet) set = job_rank_set_parse (ranks, 1000, NULL);

    return job_event_new (kind, 0, set);
}

void
rig_state (Rig *rig, const char *ranks, JobState state, gint32 number, const char *text,
           const char *place)
{
    g_autoptr (JobEvent) event = rig_event (JOB_EVENT_STATE, ranks);

    event->state = state;
    event->number = number;
    event->text = g_strdup (text);
    event->place = place != NULL ? rig_place (place) : NULL;
    session_apply (rig->session, event);
}

JobEvent *
rig_failure (const char *ranks, const char *text)
{
    JobEvent *event = rig_event (JOB_EVENT_FAILURE, ranks);

    event->code = BASE_ERROR_NOT_FOUND;
    event->text = g_strdup (text);
    return event;
}

void
rig_add_value (JobEvent *event, const char *name, const char *ranks, const char *text,
               double number)
{
    g_autoptr (JobRankSet) set = job_rank_set_parse (ranks, 1000, NULL);
    g_autoptr (JobValue) value = isnan (number) && strcmp (text, "nan") != 0
                                     ? job_value_new (NULL, "char *", text)
                                     : job_value_new_number (NULL, "int", text, number);

    if (event->table == NULL) {
        event->table = job_value_table_new ();
    }
    job_value_table_add (event->table, name, set, value);
}

void
rig_answer (Rig *rig, JobEvent *event, ...)
{
    va_list list;

    va_start (list, event);
    for (; event != NULL; event = va_arg (list, JobEvent *)) {
        g_queue_push_tail (rig->answers, event);
    }
    va_end (list);
    g_queue_push_tail (rig->answers, NULL);
}

static void
on_done (gboolean ok, gpointer user)
{
    Rig *rig = user;

    rig->n_done++;
    rig->n_failed += !ok;
}

static gboolean
fail_late (gpointer data)
{
    g_error ("\"%s\" did not end within %d s", (const char *) data, LIMIT_S);
    return G_SOURCE_REMOVE;
}

char *
rig_run (Rig *rig, const char *line)
{
    guint before = rig->n_done;
    guint limit = g_timeout_add_seconds (LIMIT_S, fail_late, (gpointer) line);
    char *text;

    g_string_truncate (rig->text, 0);
    command_run (rig->context, line, on_done, rig);
    while (rig->n_done == before) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_source_remove (limit);
    text = g_strdup (rig->text->str);
    g_string_truncate (rig->text, 0);
    return text;
}

void
rig_assert (Rig *rig, const char *line, const char *expected)
{
    g_autofree char *text = rig_run (rig, line);

    g_assert_cmpstr (text, ==, expected);
}
