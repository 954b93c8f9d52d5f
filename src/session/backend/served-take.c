/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a front end that takes a session over is told: as much as the one before knew of the job, in the words in which
 * it has learned it. The server's own session knows states, breakpoints and settings; the rest is noted as it comes. */
#include "session/backend/served-server-private.h"
#include "base/clock.h"

enum { MAX_SAID = 200, MAX_OUTPUT = 64 << 10, MAX_POINTS = 1024 };

typedef struct {
    guint64 request;
    guint32 number;
} Point;

void
session_served_forget (SessionServed *served)
{
    g_clear_pointer (&served->options, g_variant_unref);
    g_clear_pointer (&served->ranks, g_ptr_array_unref);
    g_clear_pointer (&served->points, g_array_unref);
    g_queue_clear_full (&served->said, (GDestroyNotify) g_variant_unref);
    g_queue_clear_full (&served->output, (GDestroyNotify) g_variant_unref);
    g_free (served->kept);
}

/* ---- as it comes ---- */

static void
note_ranks (SessionServed *served, GVariant *body)
{
    if (served->ranks == NULL) {
        served->ranks = g_ptr_array_new_with_free_func ((GDestroyNotify) g_variant_unref);
    }
    g_ptr_array_add (served->ranks, g_variant_ref (body));
}

/* The ranks have refused a breakpoint. */
static void
note_refusal (SessionServed *served, const JobEvent *event)
{
    for (guint i = 0; served->points != NULL && i < served->points->len; i++) {
        const Point *point = &g_array_index (served->points, Point, i);
        const SessionChange change
            = { .kind = SESSION_CHANGE_DROP, .ranks = event->ranks, .number = point->number };

        if (point->request == event->request) {
            session_apply_change (served->session, &change);
        }
    }
}

void
session_served_note_event (SessionServed *served, const JobEvent *event, GVariant *body)
{
    if (event->kind == JOB_EVENT_RANKS) {
        note_ranks (served, body);
    } else if (event->kind == JOB_EVENT_FAILURE && event->request != 0) {
        note_refusal (served, event);
    }
}

void
session_served_note_said (SessionServed *served, GVariant *body)
{
    g_queue_push_tail (&served->said, g_variant_ref (body));
    if (served->said.length > MAX_SAID) {
        g_variant_unref (g_queue_pop_head (&served->said));
    }
}

void
session_served_note_output (SessionServed *served, GVariant *body)
{
    g_queue_push_tail (&served->output, g_variant_ref (body));
    served->output_size += g_variant_get_size (body);
    while (served->output_size > MAX_OUTPUT && served->output.length > 1) {
        GVariant *oldest = g_queue_pop_head (&served->output);

        served->output_size -= g_variant_get_size (oldest);
        g_variant_unref (oldest);
    }
}

void
session_served_note_told (SessionServed *served, SessionTold told, gint64 a)
{
    if (told == SESSION_TOLD_LAUNCHER) {
        served->launcher_ended = TRUE;
        served->wait_status = a;
    } else if (told == SESSION_TOLD_ENDED) {
        served->is_over = TRUE;
    } else if (told == SESSION_TOLD_READY) {
        served->is_ready = TRUE;
    }
}

void
session_served_note_request (SessionServed *served, const JobRequest *request)
{
    const SessionChange change = { .kind = SESSION_CHANGE_REQUEST, .request = request };

    served->last_request = MAX (served->last_request, request->id);
    session_apply_change (served->session, &change);
    if (request->verb == JOB_VERB_BREAK || request->verb == JOB_VERB_CATCH
        || request->verb == JOB_VERB_WATCH) {
        const Point point = { request->id, request->number };

        if (served->points == NULL) {
            served->points = g_array_new (FALSE, FALSE, sizeof (Point));
        }
        if (served->points->len >= MAX_POINTS) {
            g_array_remove_index (served->points, 0);
        }
        g_array_append_val (served->points, point);
    }
}

/* ---- to who takes it over ---- */

static void
say_event (SessionServed *served, const JobEvent *event)
{
    session_served_tell (served, SESSION_FRAME_EVENT,
                         g_variant_new ("(uv)", served->number, job_event_encode (event)));
}

static void
say_note (SessionServed *served, SessionTold told, const JobRankSet *ranks, gint64 a)
{
    session_served_tell (served, SESSION_FRAME_NOTE,
                         g_variant_new ("(uu@ayxx)", served->number, (guint) told,
                                        session_remote_encode_ranks (ranks), a, (gint64) 0));
}

static void
say_point (SessionServed *served, const SessionBreakpoint *breakpoint)
{
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_BREAKPOINT, 0, breakpoint->set_ranks);

    event->number = (gint32) breakpoint->number;
    event->text = g_strdup (breakpoint->reason);
    event->places = g_ptr_array_ref (breakpoint->places);
    if (breakpoint->places->len > 0 || breakpoint->reason != NULL) {
        say_event (served, event);
    }
}

static void
say_hits (SessionServed *served, const SessionBreakpoint *breakpoint)
{
    for (guint i = 0; i < breakpoint->hit_groups->len; i++) {
        const SessionHits *group = breakpoint->hit_groups->pdata[i];

        session_served_tell (served, SESSION_FRAME_HITS,
                             g_variant_new ("(uut@ay)", served->number, breakpoint->number,
                                            group->hits,
                                            session_remote_encode_ranks (group->ranks)));
    }
}

static void
say_points (SessionServed *served, void (*say) (SessionServed *, const SessionBreakpoint *))
{
    const GPtrArray *breakpoints = session_get_breakpoints (served->session);

    for (guint i = 0; i < breakpoints->len; i++) {
        say (served, breakpoints->pdata[i]);
    }
}

static void
say_states (SessionServed *served)
{
    g_autoptr (GPtrArray) events = session_ranks_dup_states (served->session);

    for (guint i = 0; i < events->len; i++) {
        say_event (served, events->pdata[i]);
    }
}

static void
say_silence (SessionServed *served)
{
    const Session *session = served->session;
    const JobRankSet *silent = session_find_silent (session);

    if (session->silences->cut_off != NULL) {
        say_note (served, SESSION_TOLD_CUT_OFF, session->silences->cut_off, 0);
    }
    if (silent != NULL) {
        gint64 ms = (base_clock_get_us () - session_get_silent_since_us (session, silent))
                    / 1000;

        say_note (served, SESSION_TOLD_SILENT, silent, MAX (ms, 1));
    }
}

/* Of one whose ranks were all there, or never will be. */
static void
say_end (SessionServed *served)
{
    if (served->session->life->ready || served->is_ready) {
        say_note (served, SESSION_TOLD_READY, NULL, 0);
    }
    if (served->launcher_ended) {
        say_note (served, SESSION_TOLD_LAUNCHER, NULL, served->wait_status);
    }
    if (served->is_over) {
        say_note (served, SESSION_TOLD_ENDED, NULL, 0);
    }
}

void
session_served_hand_over (SessionServed *served)
{
    g_autoptr (GPtrArray) requests = session_dup_restart_requests (served->session);

    served->is_told = TRUE;
    session_served_drop_held (served);
    session_served_say_started (served);
    for (guint i = 0; served->ranks != NULL && i < served->ranks->len; i++) {
        session_served_tell (served, SESSION_FRAME_EVENT, served->ranks->pdata[i]);
    }
    for (guint i = 0; i < requests->len; i++) {
        session_served_tell (served, SESSION_FRAME_ASKED,
                             g_variant_new ("(uv)", served->number,
                                            job_request_encode (requests->pdata[i])));
    }
    say_points (served, say_point);
    say_states (served);
    say_points (served, say_hits);
    say_silence (served);
    for (const GList *l = served->said.head; l != NULL; l = l->next) {
        session_served_tell (served, SESSION_FRAME_SAY, l->data);
    }
    for (const GList *l = served->output.head; l != NULL; l = l->next) {
        session_served_tell (served, SESSION_FRAME_OUTPUT, l->data);
    }
    say_end (served);
    session_served_tell (served, SESSION_FRAME_WHOLE, g_variant_new ("(u)", served->number));
}

/* ---- which there are ---- */

GVariant *
session_served_list (const SessionServer *server)
{
    GVariantBuilder builder;
    gpointer value;

    g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(ua{sv})"));
    BASE_WALK (server->sessions, NULL, &value) {
        const SessionServed *served = value;

        if (!served->is_told) {
            g_variant_builder_add (&builder, "(u@a{sv})", served->number, served->options);
        }
    }
    return g_variant_builder_end (&builder);
}

static char *
describe_command (const SessionServed *served)
{
    g_autoptr (GPtrArray) owner = g_ptr_array_new_with_free_func (g_free);
    g_autofree char *line = NULL;
    SessionOptions options;

    session_remote_decode_options (served->options, &options, owner);
    line = options.argv != NULL     ? g_strjoinv (" ", (char **) options.argv)
           : options.attach != NULL ? g_strdup_printf ("--attach %s", options.attach)
           : options.attach_job != NULL
               ? g_strdup_printf ("--attach-job %s", options.attach_job)
               : g_strdup ("--core");
    if (strlen (line) > 1000) {
        line[1000] = '\0';
    }
    return g_utf8_make_valid (line, -1);
}

GVariant *
session_served_describe (const SessionServer *server)
{
    const SessionServed *newest = NULL;
    g_autofree char *command = NULL;
    gpointer value;

    BASE_WALK (server->sessions, NULL, &value) {
        const SessionServed *served = value;

        newest = newest == NULL || served->number > newest->number ? served : newest;
    }
    if (newest == NULL || server->who == NULL) {
        return NULL;
    }
    command = describe_command (newest);
    return g_variant_new ("(sbsxsu)", server->id, session_link_is_open (server->link),
                          server->who, server->since_us, command,
                          session_get_size (newest->session));
}
