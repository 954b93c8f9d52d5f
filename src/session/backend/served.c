/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The server of --remote: it is the front end for daemons, guard and launcher, and hands on what happens to a session
 * elsewhere. Its own sessions have a relay: they know which ranks there are, and judge nothing. */
#include "session/backend/served-server-private.h"
#include "base/channel.h"
#include "base/error.h"
#include "session/backend/queues-private.h"
#include "session/backend/remote-private.h"
#include <errno.h>
#include <glib-unix.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    BEAT_S = 5,
    SILENT_S = 15,    /* then the connection counts as broken */
    GREETING_S = 120, /* until the first front end must have come */
    MAX_KEEP_S = 30 * 24 * 3600,
    FEED_MS = 20,
    DETACH_MS = 3000,
    MAX_SESSIONS = 64,
};
#define MOST_INPUT (64u << 20) /* bytes under way */
#define MUCH (4u << 20)        /* bytes that a slow front end has not got yet: output waits */
#define LITTLE (1u << 20)
#define MOST (64u << 20) /* bytes kept for one that is away: more output is left out */
#define OWN_IDS (1u << 31)

/* ---- what happens ---- */

void
session_served_tell (SessionServed *served, SessionFrameKind kind, GVariant *body)
{
    g_autoptr (GVariant) owned = g_variant_ref_sink (body);

    if (served->is_told) {
        session_link_send (served->server->link, kind, owned);
    }
}

static void
on_event (SessionRelay *relay, Session *session, const JobEvent *event)
{
    SessionServed *served = (SessionServed *) relay;
    g_autoptr (GVariant) body = g_variant_ref_sink (g_variant_new ("(uv)", served->number,
                                                                   job_event_encode (event)));

    session_served_note_event (served, event, body);
    if (!session_served_hold_state (served, event, body)) {
        session_served_tell (served, SESSION_FRAME_EVENT, body);
    }
    session_served_send_source (served, event);
    session_served_ask_held (served, event);
}

void
session_served_say (SessionServed *served, guint severity, const char *text)
{
    g_autofree char *valid = g_utf8_make_valid (text, -1);
    g_autoptr (GVariant) body = g_variant_ref_sink (g_variant_new ("(uus)", served->number,
                                                                   severity, valid));

    session_served_note_said (served, body);
    session_served_tell (served, SESSION_FRAME_SAY, body);
}

static void
on_say (SessionRelay *relay, guint severity, const char *text)
{
    session_served_release_states ((SessionServed *) relay);
    session_served_say ((SessionServed *) relay, severity, text);
}

static void
on_note (SessionRelay *relay, SessionTold told, const JobRankSet *ranks, gint64 a, gint64 b)
{
    SessionServed *served = (SessionServed *) relay;

    session_served_release_states (served);
    session_served_note_told (served, told, a);
    session_served_tell (served, SESSION_FRAME_NOTE,
                         g_variant_new ("(uu@ayxx)", served->number, (guint) told,
                                        session_remote_encode_ranks (ranks), a, b));
}

static void
hold_all (SessionServer *server)
{
    gpointer value;

    BASE_WALK (server->sessions, NULL, &value) {
        SessionServed *served = value;

        session_hold_output (served->session, served->is_held || server->is_holding);
    }
}

/* A slow front end holds the output up, as a slow terminal does; one that is away does not: the job is not to wait
 * for it. */
static void
check_output (SessionServer *server)
{
    gsize waiting = session_link_get_waiting (server->link);
    gboolean wanted = session_link_is_open (server->link)
                      && waiting > (server->is_holding ? LITTLE : MUCH);

    if (wanted != server->is_holding) {
        server->is_holding = wanted;
        hold_all (server);
    }
}

static void
on_output (Session *session, const JobRankSet *ranks, guint stream, GBytes *bytes,
           gpointer user)
{
    SessionServed *served = user;
    SessionServer *server = served->server;
    g_autoptr (GVariant) body = NULL;

    if (session_link_get_waiting (server->link) > MOST) {
        served->left_out += g_bytes_get_size (bytes);
        return;
    }
    if (served->left_out > 0) {
        g_autofree char *text = g_strdup_printf (
            "%" G_GUINT64_FORMAT
            " bytes of the job's output were left out while nobody was there",
            served->left_out);

        served->left_out = 0;
        on_say (&served->relay, 1, text);
    }
    body = g_variant_ref_sink (g_variant_new ("(u@ayu@ay)", served->number,
                                              session_remote_encode_ranks (ranks), stream,
                                              g_variant_new_from_bytes (G_VARIANT_TYPE ("ay"),
                                                                        bytes, TRUE)));
    session_served_note_output (served, body);
    session_served_tell (served, SESSION_FRAME_OUTPUT, body);
    check_output (server);
}

static void
on_clock (Session *session, const SessionClockReading *reading, gpointer user)
{
    SessionServed *served = user;

    session_served_tell (served, SESSION_FRAME_CLOCK,
                         g_variant_new ("(usxxx)", served->number, reading->host,
                                        reading->sent_us, reading->received_us,
                                        reading->there_us));
}

/* ---- what is wanted ---- */

static void
free_served (gpointer data)
{
    SessionServed *served = data;

    g_clear_handle_id (&served->feed_source, g_source_remove);
    g_object_unref (served->session);
    job_request_free (served->start);
    session_served_stop_telling (served);
    session_served_forget (served);
    session_served_note_motion (served, 0);
    g_free (served);
}

static SessionServed *
find_served (SessionServer *server, GVariant *body)
{
    guint32 number;

    g_variant_get_child (body, 0, "u", &number);
    return g_hash_table_lookup (server->sessions, GUINT_TO_POINTER (number));
}

/* start may be NULL; options: of START. */
static SessionServed *
make_served (SessionServer *server, guint32 number, JobRequest *start, GVariant *options)
{
    SessionServed *served = g_new0 (SessionServed, 1);

    served->is_told = TRUE;
    served->options = g_variant_ref (options);

    served->relay = (SessionRelay){ start, on_event, on_say, on_note };
    served->server = server;
    served->number = number;
    served->start = start;
    served->last_request = start != NULL ? start->id : 0;
    served->session = session_new ();
    served->session->relay = &served->relay;
    served->session->ask->last_id = OWN_IDS;
    g_signal_connect (served->session, "output", G_CALLBACK (on_output), served);
    g_signal_connect (served->session, "clock", G_CALLBACK (on_clock), served);
    return served;
}

static void
say_failed (SessionServer *server, guint32 number, const GError *error)
{
    g_autofree char *text = g_utf8_make_valid (error->message, -1);

    session_link_send (server->link, SESSION_FRAME_FAILED,
                       g_variant_new ("(uis)", number,
                                      error->domain == BASE_ERROR ? error->code
                                                                  : BASE_ERROR_UNSUPPORTED,
                                      text));
}

void
session_served_say_started (SessionServed *served)
{
    const Session *session = served->session;
    GVariantDict facts;

    g_variant_dict_init (&facts, NULL);
    g_variant_dict_insert (&facts, "size", "u", session->backend->find_size (session));
    g_variant_dict_insert (&facts, "lingers", "b", session->backend->lingers (session));
    g_variant_dict_insert (&facts, "attached", "b", session->life->is_attached);
    g_variant_dict_insert (&facts, "wanted", "u", session->life->n_wanted);
    g_variant_dict_insert (&facts, "searched", "u", session->life->n_searched);
    g_variant_dict_insert (&facts, "last-request", "t", served->last_request);
    g_variant_dict_insert (&facts, "last-breakpoint", "u", session->breakpoints->last);
    g_variant_dict_insert (&facts, "start-request", "t", session->life->start_request);
    g_variant_dict_insert (&facts, "stop-at-none", "b", session->life->stop_at_none);
    if (served->kept != NULL) {
        g_variant_dict_insert (&facts, "kept", "s", served->kept);
    }
    session_served_tell (served, SESSION_FRAME_STARTED,
                         g_variant_new ("(u@a{sv})", served->number,
                                        g_variant_dict_end (&facts)));
}

static gboolean
start_session (SessionServer *server, GVariant *body)
{
    g_autoptr (GVariant) packed = NULL, request = NULL;
    g_autoptr (GPtrArray) owner = g_ptr_array_new_with_free_func (g_free);
    g_autoptr (GError) error = NULL;
    JobRequest *start = NULL;
    SessionOptions options;
    SessionServed *served;
    guint32 number;

    g_variant_get (body, "(u@a{sv}mv)", &number, &packed, &request);
    if (request != NULL
        && (start = job_request_decode (request, SESSION_REMOTE_MAX_RANKS, NULL)) == NULL) {
        return FALSE;
    }
    session_remote_decode_options (packed, &options, owner);
    if (g_hash_table_contains (server->sessions, GUINT_TO_POINTER (number))
        || g_hash_table_size (server->sessions) >= MAX_SESSIONS
        || (start == NULL) == (options.argv != NULL && options.argv[0] != NULL)) {
        job_request_free (start);
        return FALSE;
    }
    served = make_served (server, number, start, packed);
    if (!session_start (served->session, &options, &error)) {
        say_failed (server, number, error);
        free_served (served);
        return TRUE;
    }
    g_hash_table_insert (server->sessions, GUINT_TO_POINTER (number), served);
    session_served_say_started (served);
    return TRUE;
}

static gboolean
send_request (SessionServed *served, GVariant *body)
{
    g_autoptr (GVariant) packed = NULL;
    g_autoptr (JobRequest) request = NULL;

    g_variant_get (body, "(uv)", NULL, &packed);
    request = job_request_decode (packed, SESSION_REMOTE_MAX_RANKS, NULL);
    if (request != NULL) {
        session_served_note_request (served, request);
        if (job_verb_is_motion (request->verb)) {
            session_served_note_motion (served, request->id);
        }
        session_life_send (served->session, request);
    }
    return request != NULL;
}

static gboolean
say_fed (gpointer data)
{
    SessionServed *served = data;

    if (session_is_input_full (served->session)) {
        return G_SOURCE_CONTINUE;
    }
    served->feed_source = 0;
    session_served_tell (served, SESSION_FRAME_FED,
                         g_variant_new ("(ut)", served->number, served->unfed));
    served->unfed = 0;
    return G_SOURCE_REMOVE;
}

static gboolean
write_input (SessionServed *served, GVariant *body)
{
    g_autoptr (GVariant) bytes = NULL;
    gboolean eof;
    gsize size;
    gconstpointer data;

    g_variant_get (body, "(u@ayb)", NULL, &bytes, &eof);
    data = g_variant_get_fixed_array (bytes, &size, 1);
    if (served->unfed + size > MOST_INPUT) {
        return FALSE;
    }
    served->unfed += size;
    session_forward_input (served->session, size > 0 ? data : "", size, eof);
    if (served->feed_source == 0) {
        served->feed_source = g_timeout_add (FEED_MS, say_fed, served);
    }
    return TRUE;
}

typedef struct {
    SessionServer *server;
    guint32 id, turn;
    SessionAsk ask;
} Question;

static void
on_answer (GObject *source, GAsyncResult *result, gpointer user)
{
    g_autofree Question *question = user;

    g_autoptr (GVariant) body
        = g_variant_ref_sink (session_remote_encode_answer (question->id, question->ask,
                                                            G_TASK (result)));

    if (question->turn == question->server->turn) {
        session_link_send (question->server->link, SESSION_FRAME_ANSWER, body);
    }
}

static gboolean
answer (SessionServer *server, GVariant *body)
{
    void (*const functions[SESSION_N_ASKS]) (Session *, GTask *) = {
        session_sources_read_here,         session_sources_time_here,
        session_sources_list_here,         session_sources_list_running_here,
        session_sources_list_cores_here,   session_sources_find_program_here,
        session_sources_name_process_here, session_queues_ask_here,
    };
    g_autofree Question *question = g_new0 (Question, 1);
    SessionWanted *wanted = session_remote_decode_wanted (body, &question->id, &question->ask);
    g_autoptr (GTask) task = NULL;
    SessionAsk ask = question->ask;

    if (wanted == NULL) {
        return FALSE;
    }
    question->server = server;
    question->turn = server->turn;
    task = g_task_new (NULL, NULL, on_answer, g_steal_pointer (&question));
    g_task_set_task_data (task, wanted, session_wanted_free);
    functions[ask](NULL, task);
    return TRUE;
}

/* ---- the connection ---- */

static gboolean
die (gpointer data)
{
    SessionServer *server = data;

    server->death_source = 0;
    server->end = server->is_greeted || server->job == NULL ? SESSION_SERVED_OVER
                                                            : SESSION_SERVED_LATE;
    g_main_loop_quit (server->loop);
    return G_SOURCE_REMOVE;
}

void
session_served_die_in (SessionServer *server, guint seconds)
{
    g_clear_handle_id (&server->death_source, g_source_remove);
    if (seconds > 0) {
        server->death_source = g_timeout_add_seconds (seconds, die, server);
    }
}

/* FALSE: it cannot; *ret_why says so, which the caller owns. */
static gboolean
go_to_folder (const char *folder, char **ret_why)
{
    g_autofree char *path = g_str_has_prefix (folder, "~")
                                    && (folder[1] == '\0' || folder[1] == '/')
                                ? g_build_filename (g_get_home_dir (), folder + 1, NULL)
                                : g_strdup (folder);

    if (*path != '\0' && chdir (path) != 0) {
        *ret_why = g_strdup_printf ("cannot go to the folder %s: %s", path, g_strerror (errno));
        return FALSE;
    }
    return TRUE;
}

static void
say_welcome (SessionServer *server)
{
    GVariant *job = server->job != NULL ? server->job->job : NULL;
    GVariantDict none;

    g_variant_dict_init (&none, NULL);
    session_link_send (server->link, SESSION_FRAME_WELCOME,
                       g_variant_new ("(usstu@a{sv}@a(ua{sv}))", SESSION_REMOTE_PROTOCOL,
                                      g_get_host_name (), server->id,
                                      session_link_get_received (server->link), server->turn,
                                      job != NULL ? job : g_variant_dict_end (&none),
                                      session_served_list (server)));
}

static void
note_offer (SessionServer *server, gboolean is_taken)
{
    SessionOffer *offer = server->job != NULL ? server->job->offer : NULL;

    if (offer != NULL && offer->is_taken != is_taken) {
        offer->is_taken = is_taken;
        offer->is_left = !is_taken;
        session_offer_write (offer, NULL);
    }
}

static gboolean on_link_frame (SessionFrameKind kind, GVariant *body, gpointer user);
static void on_link_closed (const char *why, gpointer user);

/* Another front end has it from now on, which knows nothing of it yet. */
static void
begin_turn (SessionServer *server, const char *who)
{
    static const SessionLinkHandler handler = { .frame = on_link_frame,
                                                .closed = on_link_closed };
    gpointer value;

    if (server->is_greeted && session_link_is_open (server->link)) {
        g_autofree char *why = g_strdup_printf ("%s has taken it over", who);

        session_link_send (server->link, SESSION_FRAME_REFUSE, g_variant_new ("(s)", why));
    }
    if (server->is_greeted) {
        session_link_free (server->link);
        server->link = session_link_new (&handler, server);
    }
    BASE_WALK (server->sessions, NULL, &value) {
        session_served_stop_telling (value);
    }
    g_free (server->who);
    server->who = g_strdup (who);
    server->turn++;
}

static gboolean
is_held (const SessionServer *server, guint32 turn)
{
    return turn == 0 && server->is_greeted && session_link_is_open (server->link);
}

GVariant *
session_served_find_held (const SessionServer *server, GVariant *hello)
{
    guint32 protocol, turn;

    g_variant_get_child (hello, 0, "u", &protocol);
    g_variant_get_child (hello, 6, "u", &turn);
    return protocol == SESSION_REMOTE_PROTOCOL && is_held (server, turn)
               ? session_served_describe (server)
               : NULL;
}

static char *
describe_holder (const SessionServer *server)
{
    return g_strdup_printf ("another pddt has taken it already: %s", server->who);
}

/* Why not; caller owns. NULL: it may come in. */
static char *
find_objection (const SessionServer *server, const char *folder, guint32 turn,
                gboolean is_forced)
{
    char *why = NULL;

    if (turn != 0 && turn != server->turn) {
        return g_strdup_printf ("%s has taken it over",
                                server->who != NULL ? server->who : "?");
    }
    if (is_held (server, turn) && !is_forced) {
        return describe_holder (server);
    }
    if (!server->is_greeted) {
        go_to_folder (folder, &why);
    }
    return why;
}

static void
refuse (SessionLink *caller, const char *why)
{
    g_autofree char *valid = g_utf8_make_valid (why, -1);

    session_link_send (caller, SESSION_FRAME_REFUSE, g_variant_new ("(s)", valid));
}

void
session_served_refuse_held (const SessionServer *server, SessionLink *caller)
{
    g_autofree char *why = describe_holder (server);

    refuse (caller, why);
}

gboolean
session_served_greet (SessionServer *server, SessionLink *caller, GVariant *body,
                      gboolean is_forced)
{
    g_autofree char *why = NULL;
    const char *release, *who, *folder;
    guint32 protocol, keep_for_s, turn;
    guint64 received;

    g_variant_get (body, "(u&s&stu^&ayu)", &protocol, &release, &who, &received, &keep_for_s,
                   &folder, &turn);
    if (protocol != SESSION_REMOTE_PROTOCOL) {
        return FALSE; /* the front end has read the magic line, and does not go on itself */
    }
    why = find_objection (server, folder, turn, is_forced);
    if (why != NULL) {
        refuse (caller, why);
        if (server->job == NULL && !server->is_greeted) {
            session_served_die_in (server, 1);
        }
        return FALSE;
    }
    if (turn == 0) {
        begin_turn (server, who);
    }
    session_link_move (caller, server->link); /* in the place of one that is broken */
    server->is_greeted = TRUE;
    server->since_us = g_get_real_time ();
    server->keep_for_s = MIN (keep_for_s, MAX_KEEP_S);
    session_served_die_in (server, 0);
    note_offer (server, TRUE);
    say_welcome (server);
    return session_link_resume (server->link, received);
}

static gboolean
take_decline (SessionServer *server)
{
    if (server->job == NULL || g_hash_table_size (server->sessions) > 0) {
        return FALSE;
    }
    server->end = SESSION_SERVED_DECLINED;
    g_main_loop_quit (server->loop);
    return TRUE;
}

static gboolean
serve_session (SessionServed *served, SessionFrameKind kind, GVariant *body)
{
    Session *session = served->session;
    gint32 number;

    switch (kind) {
    case SESSION_FRAME_REQUEST: return send_request (served, body);
    case SESSION_FRAME_AHEAD: return session_served_hold (served, body);
    case SESSION_FRAME_INPUT: return write_input (served, body);
    case SESSION_FRAME_CLOCKS: session_ask_clocks (session); return TRUE;
    case SESSION_FRAME_SIGNAL:
        g_variant_get (body, "(ui)", NULL, &number);
        if (number > 0 && number < NSIG) {
            session_signal_launcher (session, number);
        }
        return TRUE;
    case SESSION_FRAME_HOLD:
        g_variant_get (body, "(ub)", NULL, &served->is_held);
        session_hold_output (session, served->is_held || served->server->is_holding);
        return TRUE;
    case SESSION_FRAME_KEEP: {
        const char *text;

        g_variant_get (body, "(u&s)", NULL, &text);
        g_free (served->kept);
        served->kept = g_strdup (text);
        return TRUE;
    }
    case SESSION_FRAME_TAKE: session_served_hand_over (served); return TRUE;
    case SESSION_FRAME_END:
        g_variant_get (body, "(ub)", NULL, &session->life->keep);
        session->life->ending = TRUE;
        session->backend->end (session);
        return TRUE;
    case SESSION_FRAME_CLEAR:
        g_variant_get (body, "(ub)", NULL, &session->life->keep);
        g_hash_table_remove (served->server->sessions, GUINT_TO_POINTER (served->number));
        return TRUE;
    default: return FALSE;
    }
}

static gboolean
on_link_frame (SessionFrameKind kind, GVariant *body, gpointer user)
{
    SessionServer *server = user;
    SessionServed *served;

    switch (kind) {
    case SESSION_FRAME_HELLO:
    case SESSION_FRAME_LIVING:
    case SESSION_FRAME_CHOOSE:
    case SESSION_FRAME_DESCRIBE:
    case SESSION_FRAME_DESCRIPTION: return FALSE; /* of those at the door */
    case SESSION_FRAME_DECLINE: return take_decline (server);
    case SESSION_FRAME_BYE: g_main_loop_quit (server->loop); return TRUE;
    case SESSION_FRAME_ASK: return answer (server, body);
    case SESSION_FRAME_START: return start_session (server, body);
    case SESSION_FRAME_WELCOME:
    case SESSION_FRAME_REFUSE: return FALSE;
    default: break;
    }
    served = kind < SESSION_FRAME_ANSWER ? find_served (server, body) : NULL;
    return served != NULL ? serve_session (served, kind, body) : kind < SESSION_FRAME_ANSWER;
}

static void
on_link_closed (const char *why, gpointer user)
{
    SessionServer *server = user;

    g_debug ("%s", why);
    server->since_us = g_get_real_time ();
    check_output (server);
    note_offer (server, FALSE);
    session_measured_release ();
    session_served_die_in (server, MAX (server->keep_for_s, 1));
}

/* A process that was stopped has itself not listened. */
static gboolean
on_beat (gpointer data)
{
    SessionServer *server = data;
    gint64 now_us = g_get_monotonic_time ();

    if (now_us - server->beat_us > 2 * BEAT_S * G_USEC_PER_SEC) {
        server->awake_us = now_us;
    }
    server->beat_us = now_us;
    if (session_link_is_open (server->link)
        && now_us - MAX (session_link_get_heard_us (server->link), server->awake_us)
               > SILENT_S * G_USEC_PER_SEC) {
        session_link_close (server->link, "the front end does not answer");
    }
    check_output (server);
    session_served_look_at_door (server, now_us);
    return G_SOURCE_CONTINUE;
}

static gboolean
on_connection (int listener, GIOCondition condition, gpointer data)
{
    SessionServer *server = data;
    int fd = accept4 (listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd >= 0 && !base_channel_is_own (fd)) {
        close (fd);
    } else if (fd >= 0) {
        session_served_let_in (server, fd);
    }
    return G_SOURCE_CONTINUE;
}

static gboolean
on_signal (gpointer data)
{
    ((SessionServer *) data)->end = SESSION_SERVED_BROKEN;
    g_main_loop_quit (((SessionServer *) data)->loop);
    return G_SOURCE_CONTINUE;
}

/* Ranks that are to run on without pddt are let go. */
static void
end_kept (SessionServer *server)
{
    gint64 end_us = g_get_monotonic_time () + DETACH_MS * 1000;
    gboolean is_waiting = FALSE;
    GHashTableIter iter;
    gpointer value;

    g_hash_table_iter_init (&iter, server->sessions);
    while (g_hash_table_iter_next (&iter, NULL, &value)) {
        Session *session = ((SessionServed *) value)->session;
        g_autoptr (JobRankSet) alive = session_ranks_dup_alive (session);

        if (session->life->keep && !job_rank_set_is_empty (alive)) {
            g_autoptr (JobRequest) request = job_request_new (JOB_VERB_DETACH, alive);

            request->id = ++session->ask->last_id;
            session_life_send (session, request);
            is_waiting = TRUE;
        }
    }
    while (is_waiting && g_get_monotonic_time () < end_us) {
        is_waiting = FALSE;
        g_main_context_iteration (NULL, FALSE);
        g_usleep (10000);
        g_hash_table_iter_init (&iter, server->sessions);
        while (g_hash_table_iter_next (&iter, NULL, &value)) {
            Session *session = ((SessionServed *) value)->session;
            g_autoptr (JobRankSet) alive = session_ranks_dup_alive (session);

            is_waiting |= session->life->keep && !job_rank_set_is_empty (alive);
        }
    }
}

SessionServedEnd
session_served_run (int listener, const char *id, const char *release,
                    const SessionServedJob *job)
{
    static const SessionLinkHandler handler = { .frame = on_link_frame,
                                                .closed = on_link_closed };
    SessionServer server = { .id = id, .release = release, .job = job };
    guint accepting = g_unix_fd_add (listener, G_IO_IN, on_connection, &server);
    guint beat = g_timeout_add_seconds (BEAT_S, on_beat, &server);
    guint term = g_unix_signal_add (SIGTERM, on_signal, &server);
    guint interrupt = job != NULL ? g_unix_signal_add (SIGINT, on_signal, &server) : 0;

    server.link = session_link_new (&handler, &server);
    server.loop = g_main_loop_new (NULL, FALSE);
    session_served_open_door (&server);
    server.sessions = g_hash_table_new_full (NULL, NULL, NULL, free_served);
    session_served_die_in (&server, job == NULL ? GREETING_S : job->timeout_s);
    g_main_loop_run (server.loop);
    g_source_remove (accepting);
    g_source_remove (beat);
    g_source_remove (term);
    g_clear_handle_id (&interrupt, g_source_remove);
    close (listener);
    session_served_die_in (&server, 0);
    end_kept (&server);
    session_served_close_door (&server);
    g_hash_table_unref (server.sessions);
    session_link_free (server.link);
    g_free (server.who);
    g_main_loop_unref (server.loop);
    return server.end;
}
