/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The object: its signals, its life as an object, and the one door through which state changes.
 * What an event means stands in ranks.c, breakpoints.c and requests.c. */
#include "session/messages.h"
#include "session/logged.h"
#include "session/operations.h"
#include "session/private.h"
#include "base/error.h"
#include "base/clock.h"

typedef struct {
    SessionListener listener; /* NULL: removed */
    gpointer user;
} Listener;

struct _SessionListeners {
    GArray *list;    /* of Listener */
    guint n_telling; /* calls under way */
};

G_DEFINE_TYPE (Session, session, G_TYPE_OBJECT)

guint session_signals[SESSION_N_SIGNALS];

static void
make_rooms (Session *session)
{
    session->listeners = g_new0 (SessionListeners, 1);
    session->ranks = g_new0 (SessionRanks, 1);
    session->texts = g_new0 (SessionTexts, 1);
    session->breakpoints = g_new0 (SessionBreakpoints, 1);
    session->sets = g_new0 (SessionSets, 1);
    session->silences = g_new0 (SessionSilences, 1);
    session->slots = g_new0 (SessionSlots, 1);
    session->lists = g_new0 (SessionLists, 1);
    session->ask = g_new0 (SessionAsked, 1);
    session->watch = g_new0 (SessionWatch, 1);
    session->life = g_new0 (SessionLife, 1);
    session->restart = g_new0 (SessionRestart, 1);
}

/* When what is in them is gone. */
static void
free_rooms (Session *session)
{
    g_free (session->listeners);
    g_free (session->ranks);
    g_free (session->texts);
    g_free (session->breakpoints);
    g_free (session->sets);
    g_free (session->silences);
    g_free (session->slots);
    g_free (session->lists);
    g_free (session->ask);
    g_free (session->watch->why);
    g_free (session->watch->collectives);
    g_free (session->watch);
    g_free (session->life);
    g_free (session->restart);
}

/* Before the parent does: it takes all handlers away, and inquiries have theirs. */
static void
session_dispose (GObject *object)
{
    session_why_clear (SESSION_SESSION (object));
    session_names_clear (SESSION_SESSION (object));
    G_OBJECT_CLASS (session_parent_class)->dispose (object);
}

static void
session_finalize (GObject *object)
{
    Session *session = SESSION_SESSION (object);

    session_hang_clear (session);
    session_collectives_clear (session);
    session_diverged_clear (session);
    session_silence_clear (session);
    session_files_close (session);
    session_options_clear (session);
    session_progress_clear (session);
    session_restart_clear (session);
    session_life_clear (session);
    session_requests_clear (session);
    session_group_lists_clear (session);
    session_messages_clear (session);
    session_operations_forget (session);
    g_object_unref (session->lists->operations);
    session_logged_forget (session);
    g_object_unref (session->lists->logged);
    session_ranks_clear (session);
    session_model_clear (session);
    session_sets_clear (session);
    session_moment_clear (session);
    g_array_unref (session->listeners->list);
    g_clear_pointer (&session->ask->selections, g_ptr_array_unref);
    g_clear_pointer (&session->displays, g_ptr_array_unref);
    g_ptr_array_unref (session->breakpoints->all);
    g_strfreev (session->life->argv);
    g_free (session->life->failure);
    free_rooms (session);
    G_OBJECT_CLASS (session_parent_class)->finalize (object);
}

static guint
add_signal (SessionClass *klass, const char *name, guint n, GType a, GType b, GType c)
{
    GType types[3] = { a, b, c };

    return g_signal_newv (name, G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, NULL, NULL, NULL,
                          NULL, G_TYPE_NONE, n, types);
}

static void
session_class_init (SessionClass *klass)
{
    const GType none = G_TYPE_NONE;

    G_OBJECT_CLASS (klass)->dispose = session_dispose;
    G_OBJECT_CLASS (klass)->finalize = session_finalize;
    session_signals[SESSION_STATES_CHANGED] = add_signal (klass, "states-changed", 2,
                                                          G_TYPE_UINT, G_TYPE_UINT, none);
    session_signals[SESSION_OUTPUT] = add_signal (klass, "output", 3, G_TYPE_POINTER,
                                                  G_TYPE_UINT, G_TYPE_BYTES);
    session_signals[SESSION_FINISHED] = add_signal (klass, "finished", 3, G_TYPE_UINT64,
                                                    G_TYPE_BOOLEAN, G_TYPE_POINTER);
    session_signals[SESSION_SAID] = add_signal (klass, "message", 3, G_TYPE_UINT, G_TYPE_STRING,
                                                G_TYPE_STRING);
    session_signals[SESSION_BREAKPOINTS_CHANGED] = add_signal (klass, "breakpoints-changed", 0,
                                                               none, none, none);
    session_signals[SESSION_SETS_CHANGED] = add_signal (klass, "sets-changed", 0, none, none,
                                                        none);
    session_signals[SESSION_READY] = add_signal (klass, "ready", 0, none, none, none);
    session_signals[SESSION_VERDICT] = add_signal (klass, "verdict", 1, G_TYPE_POINTER, none,
                                                   none);
    session_signals[SESSION_PROGRESS] = add_signal (klass, "progress", 3, G_TYPE_UINT64,
                                                    G_TYPE_UINT, G_TYPE_UINT);
    session_signals[SESSION_BUSY] = add_signal (klass, "busy", 1, G_TYPE_BOOLEAN, none, none);
    session_signals[SESSION_SOURCES_MOVED] = add_signal (klass, "sources-moved", 0, none, none,
                                                         none);
    session_signals[SESSION_CLOCK] = add_signal (klass, "clock", 1, G_TYPE_POINTER, none, none);
    session_signals[SESSION_RESTARTED] = add_signal (klass, "restarted", 0, none, none, none);
    session_signals[SESSION_ENDED] = add_signal (klass, "ended", 1, G_TYPE_INT, none, none);
}

static void
session_init (Session *session)
{
    make_rooms (session);
    session->listeners->list = g_array_new (FALSE, FALSE, sizeof (Listener));
    session_moment_init (session);
    session_options_init (session);
    session_progress_init (session);
    session_ranks_init (session);
    session_requests_init (session);
    session_model_init (session);
    session->lists->groups = g_ptr_array_new ();
    session_messages_init (session);
    session->lists->operations = session_list_new (SESSION_TYPE_OPERATION);
    session->lists->logged = session_list_new (SESSION_TYPE_LOGGED);
    session_sets_init (session);
    session_why_init (session);
    session_collectives_init (session);
    session_diverged_init (session);
    session->breakpoints->all = g_ptr_array_new_with_free_func (session_breakpoint_free);
}

Session *
session_new (void)
{
    return g_object_new (SESSION_TYPE_SESSION, NULL);
}

void
session_say_text (Session *session, guint severity, const BaseText *text)
{
    if (session->relay != NULL) {
        session->relay->say (session->relay, severity, text->english);
        return;
    }
    session_add_message (session, severity, text);
    g_signal_emit (session, session_signals[SESSION_SAID], 0, severity, text->english,
                   text->shown);
}

void
session_note (Session *session, const JobRankSet *ranks, BaseText *text)
{
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_NOTICE, 0, ranks);

    event->text = g_steal_pointer (&text->english);
    event->shown = g_steal_pointer (&text->shown);
    base_text_free (text);
    session_apply (session, event);
}

void
session_say (Session *session, guint severity, const char *format, ...)
{
    g_autoptr (BaseText) text = NULL;
    va_list arguments;

    va_start (arguments, format);
    text = base_text_new_valist (format, arguments);
    va_end (arguments);
    session_say_text (session, severity, text);
}

void
session_say_plural (Session *session, guint severity, const char *one, const char *many,
                    gulong n, ...)
{
    g_autoptr (BaseText) text = NULL;
    va_list arguments;

    va_start (arguments, n);
    text = base_text_new_plural_valist (one, many, n, arguments);
    va_end (arguments);
    session_say_text (session, severity, text);
}

void
session_say_error (Session *session, guint severity, const GError *error)
{
    g_autoptr (BaseText) text = base_error_dup_text (error);

    session_say_text (session, severity, text);
}

void
session_fail_text (Session *session, BaseText *text)
{
    g_autoptr (BaseText) owned = text;

    if (session->relay != NULL) {
        session->relay->say (session->relay, 3, text->english);
        return;
    }
    if (session->life->failure == NULL) {
        session->life->failure = g_strdup (owned->english);
    }
    session_say_text (session, 2, owned);
}

void
session_fail (Session *session, const char *format, ...)
{
    va_list arguments;

    va_start (arguments, format);
    session_fail_text (session, base_text_new_valist (format, arguments));
    va_end (arguments);
}

static void
emit_output (Session *session, const JobEvent *event)
{
    guint stream = event->number == 2 ? 2 : 1;

    if (job_event_get_bytes (event) != NULL) {
        g_signal_emit (session, session_signals[SESSION_OUTPUT], 0,
                       job_rank_set_is_empty (event->ranks) ? NULL : event->ranks, stream,
                       event->bytes);
    }
}

void
session_add_listener (Session *session, SessionListener listener, gpointer user)
{
    BASE_APPEND (session->listeners->list, Listener, listener, user);
}

static void
drop_removed (Session *session)
{
    for (guint i = session->listeners->list->len; i > 0 && session->listeners->n_telling == 0;
         i--) {
        if (g_array_index (session->listeners->list, Listener, i - 1).listener == NULL) {
            g_array_remove_index (session->listeners->list, i - 1);
        }
    }
}

void
session_remove_listener (Session *session, SessionListener listener, gpointer user)
{
    BASE_EACH_ROW (session->listeners->list, Listener, one) {
        if (one->listener == listener && one->user == user) {
            one->listener = NULL;
            break;
        }
    }
    drop_removed (session);
}

static void
tell_listeners (Session *session, const JobEvent *event)
{
    guint n = session->listeners->list->len; /* who comes now hears the next one */

    session->listeners->n_telling++;
    for (guint i = 0; i < n; i++) {
        Listener one = g_array_index (session->listeners->list, Listener, i);

        if (one.listener != NULL) {
            one.listener (session, event, one.user);
        }
    }
    session->listeners->n_telling--;
}

/* Only what is asked about later: who is there and how, and which breakpoints are set. */
static void
apply_for_another (Session *session, const JobEvent *event)
{
    if (event->kind == JOB_EVENT_RANKS) {
        session_ranks_apply_processes (session, event);
    } else if (event->kind == JOB_EVENT_STATE) {
        session_ranks_apply_state (session, event);
        session_breakpoints_apply_hit (session, event);
    } else if (event->kind == JOB_EVENT_BREAKPOINT) {
        session_breakpoints_apply (session, event);
    } else if (event->kind == JOB_EVENT_OUTPUT) {
        emit_output (session, event);
        return;
    }
    session->relay->event (session->relay, session, event);
    session_life_check_ready (session);
}

/* Who hears of a state, in this order: first what is believed, which all others ask for; then what looks at it by
 * itself. A listener of clients hears of it after them all. */
static void (*const on_state[]) (Session *session, const JobEvent *event) = {
    session_ranks_apply_state, session_breakpoints_apply_hit, session_hang_note_state,
    session_why_note_state,    session_diverged_note_state,   session_collectives_note_state,
};

/* What an event changes in what is believed. Arrivals are counted at the end, at once. */
static void
apply_to_model (Session *session, const JobEvent *event)
{
    session_progress_hold (session);
    if (event->kind == JOB_EVENT_RANKS) {
        session_ranks_apply_processes (session, event);
    } else if (event->kind == JOB_EVENT_BREAKPOINT) {
        session_breakpoints_apply (session, event);
    } else if (event->kind == JOB_EVENT_LOG) {
        session_logged_note (session, event);
    }
    for (guint i = 0; i < G_N_ELEMENTS (on_state) && event->kind == JOB_EVENT_STATE; i++) {
        on_state[i](session, event);
    }
    session_progress_release (session);
}

void
session_apply (Session *session, const JobEvent *event)
{
    g_autoptr (Session) alive = g_object_ref (session);

    if (event->kind == JOB_EVENT_FAILURE && event->request == 0
        && job_rank_set_is_empty (event->ranks)) {
        session_life_apply_refusal (session, event);
        return;
    }
    if (session->relay != NULL) {
        apply_for_another (session, event);
        return;
    }
    apply_to_model (session, event);
    if (event->kind == JOB_EVENT_OUTPUT) {
        emit_output (session, event);
        return;
    }
    if (event->kind == JOB_EVENT_QUEUES && event->request == 0 && event->queues != NULL) {
        session_collectives_apply (session, event);
        return;
    }
    session_messages_note (session, event);
    tell_listeners (session, event);
    session_requests_apply (session,
                            event); /* last: its answer is complete when all know of it */
    session_life_check_ready (session);
    session_life_check_ended (session);
}

static void
apply_restart (Session *session)
{
    session_moment_forget (session);
    session_children_forget (session);
    session_ranks_forget (session);
    session_breakpoints_reset (session);
}

void
session_apply_change (Session *session, const SessionChange *change)
{
    guint32 number = (guint32) change->number;

    switch (change->kind) {
    case SESSION_CHANGE_REQUEST:
        session_ranks_apply_request (session, change->request);
        session_breakpoints_apply_request (session, change->request);
        session_collectives_note_option (session, change->request);
        session_restart_note_setting (session, change->request);
        session_moment_note_write (session, change->request);
        break;
    case SESSION_CHANGE_BEGIN:
        session_ranks_begin_motion (session, change->ranks, change->number);
        break;
    case SESSION_CHANGE_GIVE_UP:
        session_ranks_clear_motion (session, change->ranks, change->number);
        break;
    case SESSION_CHANGE_STATE: session_ranks_apply_state (session, change->event); break;
    case SESSION_CHANGE_DROP: session_breakpoints_drop (session, number, change->ranks); break;
    case SESSION_CHANGE_CHILD:
        session_breakpoints_share (session, number, job_rank_set_get_lowest (change->ranks));
        break;
    case SESSION_CHANGE_OPTION:
        session_options_apply (session, change->name, change->text);
        break;
    case SESSION_CHANGE_SKIP: session_options_apply_skip (session, change->text, number); break;
    case SESSION_CHANGE_SET:
        session_sets_apply (session, change->name, change->ranks, change->text);
        break;
    case SESSION_CHANGE_FOCUS: session_sets_apply_focus (session, change->ranks); break;
    case SESSION_CHANGE_SILENCE: session_silence_apply (session, change->ranks, number); break;
    case SESSION_CHANGE_RESTART: apply_restart (session); break;
    case SESSION_CHANGE_HITS:
        session_breakpoints_apply_hits (session, number, change->ranks, change->count);
        break;
    }
}

void
session_ask_clocks (Session *session)
{
    if (session->backend != NULL && session->backend->ask_clocks != NULL) {
        session->backend->ask_clocks (session);
    }
}

guint32
session_get_size (const Session *session)
{
    return session->ranks->size;
}

gboolean
session_is_started (const Session *session)
{
    return session->life->started;
}

gboolean
session_is_ready (const Session *session)
{
    return session->life->ready;
}

gboolean
session_is_ended (const Session *session)
{
    return session->life->ended;
}

const char *
session_get_failure (const Session *session)
{
    return session->life->failure;
}

const char *const *
session_get_argv (const Session *session)
{
    return (const char *const *) session->life->argv;
}

gint64
session_get_updated_us (const Session *session)
{
    return session->ranks->updated_us;
}
