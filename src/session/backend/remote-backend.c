/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The backend of sessions whose job is on another host: what it is asked for goes to the server there (served.c), and
 * what comes back is applied here. */
#include "session/backend/remote-private.h"
#include "base/error.h"
#include "base/escape.h"
#include "session/remote.h"
#include "session/backend/remote-ahead.h"
#include "session/backend/tree-private.h"
#include <glib/gi18n.h>
#include <string.h>

#define MAX_OWN_ID (1u << 30) /* the server's own come behind */

enum { MAX_PIECE = 1 << 18, LOST_MS = 10000 };

static SessionRemoteGround *
get_ground (const Session *session)
{
    return session->backend_data;
}

/* Takes a floating body. */
static void
tell (Session *session, SessionFrameKind kind, GVariant *body)
{
    g_autoptr (GVariant) owned = g_variant_ref_sink (body);

    if (get_ground (session) != NULL && get_ground (session)->is_started
        && session_remote_get_link () != NULL) {
        session_link_send (session_remote_get_link (), kind, owned);
    }
}

/* ---- down ---- */

/* left NULL: of the start, which has not been answered yet. */
static void
tell_ahead (Session *session, guint64 motion, const JobRankSet *left,
            const JobRequest *question)
{
    const SessionRemoteGround *ground = get_ground (session);
    SessionLink *link = session_remote_get_link ();

    if (link != NULL && (ground->is_started || ground->is_starting)) {
        session_link_send (link, SESSION_FRAME_AHEAD,
                           g_variant_new ("(ut@ayv)", ground->number, motion,
                                          session_remote_encode_ranks (left),
                                          job_request_encode (question)));
    }
}

static void
send_start (SessionRemoteGround *ground, const SessionOptions *options)
{
    GVariant *start = ground->start != NULL
                          ? g_variant_new_variant (job_request_encode (ground->start))
                          : NULL;

    session_link_send (session_remote_get_link (), SESSION_FRAME_START,
                       g_variant_new ("(u@a{sv}m@v)", ground->number,
                                      session_remote_encode_options (options), start));
    for (guint i = 0;
         ground->session->ask->foreseen != NULL && i < ground->session->ask->foreseen->len;
         i++) {
        session_ahead_foresee (ground->ahead, ground->session->ask->foreseen->pdata[i],
                               tell_ahead);
    }
}

/* ---- what who takes it over needs beside the job's own ---- */

static void
keep_text (SessionRemoteGround *ground, const char *text)
{
    if (g_strcmp0 (text, ground->told) != 0) {
        g_free (ground->told);
        ground->told = g_strdup (text);
        tell (ground->session, SESSION_FRAME_KEEP,
              g_variant_new ("(us)", ground->number, text));
    }
}

void
session_remote_keep (Session *session, const char *text)
{
    SessionRemoteGround *ground = session->backend == &session_remote_backend
                                      ? get_ground (session)
                                      : NULL;

    if (ground != NULL) {
        ground->is_kept_above = TRUE;
        keep_text (ground, text);
    }
}

gboolean
session_remote_is_taken_over (const Session *session)
{
    return session->backend == &session_remote_backend && get_ground (session) != NULL
           && get_ground (session)->is_taken_over;
}

const SessionSaved *
session_remote_get_kept (const Session *session)
{
    return session->backend == &session_remote_backend && get_ground (session) != NULL
               ? get_ground (session)->kept
               : NULL;
}

static gboolean
keep_sets (gpointer data)
{
    SessionRemoteGround *ground = data;
    g_autoptr (SessionSaved) saved = session_dup_saved (ground->session);
    g_autofree char *text = saved != NULL ? session_saved_format (saved) : NULL;

    ground->keep_source = 0;
    if (text != NULL) {
        keep_text (ground, text);
    }
    return G_SOURCE_REMOVE;
}

static void
on_sets_changed (Session *session)
{
    SessionRemoteGround *ground = get_ground (session);

    if (ground != NULL && session->life->ready && !session->life->ended
        && !ground->is_kept_above && !ground->is_learning && ground->keep_source == 0) {
        ground->keep_source = g_idle_add (keep_sets, ground);
    }
}

/* Its breakpoints are set, which the server has said; what it would start runs. */
static void
restore_kept (SessionRemoteGround *ground)
{
    if (ground->kept != NULL) {
        g_autoptr (GPtrArray) none = NULL;

        g_ptr_array_set_size (ground->kept->points, 0);
        none = session_restore (ground->session, ground->kept);
    }
}

static gboolean
take_over (SessionRemoteGround *ground, GError **error)
{
    ground->is_learning = ground->is_taken_over = TRUE;
    session_link_send (session_remote_get_link (), SESSION_FRAME_TAKE,
                       g_variant_new ("(u)", ground->number));
    return session_remote_wait (ground, error);
}

static gboolean
start_there (Session *session, const SessionOptions *options, GError **error)
{
    SessionRemoteGround *ground = g_new0 (SessionRemoteGround, 1);

    session->backend_data = ground;
    ground->session = session;
    ground->ahead = session_ahead_new (session);
    if (options->is_measured) {
        base_error_set (
            error, BASE_ERROR_UNSUPPORTED,
            "cannot measure a job on another host from here: run pddt --profile there");
        return FALSE;
    }
    if (options->source_folders != NULL) {
        job_request_free (session_set_option (session, "source-folders",
                                              options->source_folders));
    }
    ground->number = options->living;
    if (!session_remote_add (ground, error)) {
        return FALSE;
    }
    ground->is_starting = TRUE;
    g_signal_connect (session, "sets-changed", G_CALLBACK (on_sets_changed), NULL);
    if (options->living != 0) {
        return take_over (ground, error);
    }
    if (options->attach == NULL && options->attach_job == NULL && options->cores == NULL) {
        session_tree_send_start (session, options); /* comes to send_there */
    }
    send_start (ground, options);
    return session_remote_wait (ground, error);
}

static void
cancel_there (SessionRemoteGround *ground, const JobRequest *request)
{
    g_autoptr (JobRequest) cancel = job_request_dup (request);

    cancel->cancels = session_ahead_find (ground->ahead, request->cancels);
    tell (ground->session, SESSION_FRAME_REQUEST,
          g_variant_new ("(uv)", ground->number, job_request_encode (cancel)));
}

static void
send_there (Session *session, const JobRequest *request)
{
    SessionRemoteGround *ground = get_ground (session);

    if (ground != NULL && ground->is_starting && request->verb == JOB_VERB_START) {
        job_request_free (ground->start);
        ground->start = job_request_dup (request);
        return;
    }
    if (ground == NULL || session_ahead_take (ground->ahead, request)) {
        return;
    }
    if (request->verb == JOB_VERB_CANCEL) {
        cancel_there (ground, request);
        return;
    }
    tell (session, SESSION_FRAME_REQUEST,
          g_variant_new ("(uv)", ground->number, job_request_encode (request)));
    if (job_verb_is_motion (request->verb)) {
        session_ahead_follow (ground->ahead, request, tell_ahead);
    }
}

static gboolean
end_there (Session *session)
{
    SessionRemoteGround *ground = get_ground (session);

    if (ground == NULL) {
        return TRUE;
    }
    tell (session, SESSION_FRAME_END,
          g_variant_new ("(ub)", ground->number, session->life->keep));
    return session->life->keep || session->life->is_attached || session->life->ended
           || ground->has_ended || !session_remote_is_up ();
}

static void
clear_there (Session *session)
{
    SessionRemoteGround *ground = get_ground (session);

    if (ground == NULL) {
        return;
    }
    tell (session, SESSION_FRAME_CLEAR,
          g_variant_new ("(ub)", ground->number, session->life->keep));
    session_remote_remove (ground);
    session->backend_data = NULL;
    session_ahead_free (ground->ahead);
    job_request_free (ground->start);
    g_clear_error (&ground->failure);
    g_signal_handlers_disconnect_by_func (session, on_sets_changed, NULL);
    g_clear_handle_id (&ground->keep_source, g_source_remove);
    session_saved_free (ground->kept);
    g_free (ground->told);
    g_free (ground);
}

static void
ask_clocks_there (Session *session)
{
    if (get_ground (session) != NULL) {
        tell (session, SESSION_FRAME_CLOCKS,
              g_variant_new ("(u)", get_ground (session)->number));
    }
}

static gboolean
write_input_there (Session *session, const char *data, gsize size, gboolean eof, GError **error)
{
    SessionRemoteGround *ground = get_ground (session);

    if (ground == NULL || !ground->is_started || ground->has_ended
        || session->life->is_attached) {
        return FALSE;
    }
    do {
        gsize piece = MIN (size, MAX_PIECE);
        GVariant *bytes = g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, data, piece, 1);

        tell (session, SESSION_FRAME_INPUT,
              g_variant_new ("(u@ayb)", ground->number, bytes, eof && piece == size));
        ground->unfed += piece;
        data += piece;
        size -= piece;
    } while (size > 0);
    return TRUE;
}

static gsize
get_input_on_its_way (const Session *session)
{
    return get_ground (session) != NULL ? get_ground (session)->unfed : 0;
}

static guint32
find_size_there (const Session *session)
{
    return get_ground (session) != NULL ? get_ground (session)->size : 0;
}

static void
signal_there (Session *session, int number)
{
    if (get_ground (session) != NULL) {
        tell (session, SESSION_FRAME_SIGNAL,
              g_variant_new ("(ui)", get_ground (session)->number, number));
    }
}

static gboolean
lingers_there (const Session *session)
{
    return get_ground (session) != NULL && get_ground (session)->lingers;
}

static void
hold_output_there (Session *session, gboolean held)
{
    if (get_ground (session) != NULL) {
        tell (session, SESSION_FRAME_HOLD,
              g_variant_new ("(ub)", get_ground (session)->number, held));
    }
}

/* ---- up ---- */

static gboolean
are_processes_sane (const JobEvent *event)
{
    for (guint i = 0;
         job_event_get_processes (event) != NULL && i < job_event_get_processes (event)->len;
         i++) {
        const JobProcess *process = JOB_PROCESS (job_event_get_processes (event), i);

        if (process->rank >= SESSION_REMOTE_MAX_RANKS
            || process->slot >= SESSION_REMOTE_MAX_RANKS
            || process->size > SESSION_REMOTE_MAX_RANKS) {
            return FALSE;
        }
    }
    return TRUE;
}

/* Its numbers are ranks already, as the server has mapped them. */
static gboolean
take_event (Session *session, GVariant *body)
{
    g_autoptr (GVariant) packed = NULL;
    g_autoptr (JobEvent) event = NULL;

    g_variant_get (body, "(uv)", NULL, &packed);
    event = job_event_decode (packed, SESSION_REMOTE_MAX_RANKS, NULL, NULL);
    if (event == NULL || !are_processes_sane (event)) {
        return FALSE;
    }
    if (event->kind == JOB_EVENT_RANKS) {
        session_children_number (session, event);
        session_slots_learn (session, event);
    }
    if (!session_ahead_apply (get_ground (session)->ahead, event)) {
        session_apply (session, event);
    }
    return TRUE;
}

static gboolean
take_said (Session *session, GVariant *body)
{
    guint32 severity;
    const char *text;
    g_autofree char *clean = NULL;
    BaseText said;

    g_variant_get (body, "(uu&s)", NULL, &severity, &text);
    clean = base_escape_dup (text, BASE_ESCAPE_KEEP_LINES);
    said = (BaseText){ clean, clean };
    if (severity >= 3) {
        session_fail_text (session, base_text_dup (&said));
    } else {
        session_say_text (session, severity, &said);
    }
    return TRUE;
}

static gboolean
take_output (Session *session, GVariant *body)
{
    g_autoptr (GVariant) packed = NULL, text = NULL;
    g_autoptr (JobRankSet) ranks = NULL;
    g_autoptr (GBytes) bytes = NULL;
    guint32 stream;
    gsize size;
    gconstpointer data;

    g_variant_get (body, "(u@ayu@ay)", NULL, &packed, &stream, &text);
    ranks = session_remote_decode_ranks (packed);
    if (ranks == NULL) {
        return FALSE;
    }
    if (session->life->ending) {
        return TRUE;
    }
    data = g_variant_get_fixed_array (text, &size, 1);
    bytes = g_bytes_new (data, size);
    g_signal_emit (session, session_signals[SESSION_OUTPUT], 0,
                   job_rank_set_is_empty (ranks) ? NULL : ranks, stream == 2 ? 2 : 1, bytes);
    return TRUE;
}

static gboolean
take_clock (Session *session, GVariant *body)
{
    SessionClockReading reading;
    const char *host;
    g_autofree char *clean = NULL;

    g_variant_get (body, "(u&sxxx)", NULL, &host, &reading.sent_us, &reading.received_us,
                   &reading.there_us);
    clean = base_escape_dup (host, BASE_ESCAPE_NAME);
    reading.host = clean;
    g_signal_emit (session, session_signals[SESSION_CLOCK], 0, &reading);
    return TRUE;
}

static void
take_launcher_end (SessionRemoteGround *ground, gint64 status)
{
    ground->has_ended = TRUE;
    session_life_note_launcher_ended (ground->session, (int) status);
}

static gboolean
take_note (SessionRemoteGround *ground, GVariant *body)
{
    Session *session = ground->session;
    g_autoptr (GVariant) packed = NULL;
    g_autoptr (JobRankSet) ranks = NULL;
    guint32 told;
    gint64 a, b;

    g_variant_get (body, "(uu@ayxx)", NULL, &told, &packed, &a, &b);
    ranks = session_remote_decode_ranks (packed);
    if (ranks == NULL || told >= SESSION_N_TOLD) {
        return FALSE;
    }
    switch ((SessionTold) told) {
    case SESSION_TOLD_SILENT:
        session_set_silent (session, ranks, (guint) CLAMP (a, 0, G_MAXINT32));
        break;
    case SESSION_TOLD_DROP: session_requests_drop (session, ranks); break;
    case SESSION_TOLD_CUT_OFF:
        g_clear_pointer (&session->silences->cut_off, job_rank_set_free);
        session->silences->cut_off = g_steal_pointer (&ranks);
        break;
    case SESSION_TOLD_LAUNCHER: take_launcher_end (ground, a); break;
    case SESSION_TOLD_ENDED: session_life_end (session); break;
    case SESSION_TOLD_READY:
        restore_kept (ground);
        session_life_be_ready (session);
        break;
    case SESSION_TOLD_WANTED:
        session->life->n_wanted = (guint32) CLAMP (a, 0, SESSION_REMOTE_MAX_RANKS);
        session->life->n_searched = (guint) CLAMP (b, 0, SESSION_REMOTE_MAX_RANKS);
        session_life_check_ready (session);
        break;
    default: break;
    }
    return TRUE;
}

/* Of a session that is taken over. */
static void
learn (SessionRemoteGround *ground, GVariantDict *facts)
{
    Session *session = ground->session;
    g_autofree char *kept = NULL;

    g_variant_dict_lookup (facts, "last-request", "t", &session->ask->last_id);
    g_variant_dict_lookup (facts, "last-breakpoint", "u", &session->breakpoints->last);
    g_variant_dict_lookup (facts, "start-request", "t", &session->life->start_request);
    g_variant_dict_lookup (facts, "stop-at-none", "b", &session->life->stop_at_none);
    session->ask->last_id = MIN (session->ask->last_id, MAX_OWN_ID);
    session->life->start_request = MIN (session->life->start_request, session->ask->last_id);
    if (g_variant_dict_lookup (facts, "kept", "s", &kept)) {
        ground->kept = session_saved_parse (kept, strlen (kept));
    }
}

static void
take_skips (Session *session, const char *text)
{
    g_auto (GStrv) lines = g_strsplit (text != NULL ? text : "", "\n", -1);

    for (guint i = 0; session_get_skips (session)->len <= i && lines[i] != NULL; i++) {
        if (*lines[i] != '\0') {
            session_add_skip (session, lines[i]);
        }
    }
}

static gboolean
take_asked (Session *session, GVariant *body)
{
    g_autoptr (GVariant) packed = NULL;
    g_autoptr (JobRequest) request = NULL;
    SessionChange change = { .kind = SESSION_CHANGE_REQUEST };

    g_variant_get (body, "(uv)", NULL, &packed);
    request = job_request_decode (packed, SESSION_REMOTE_MAX_RANKS, NULL);
    if (request == NULL) {
        return FALSE;
    }
    if (request->verb == JOB_VERB_OPTION && session_option_find (request->text) != NULL) {
        const SessionChange option
            = { .kind = SESSION_CHANGE_OPTION, .name = request->text, .text = request->text2 };

        session_apply_change (session, &option);
    }
    if (request->verb == JOB_VERB_OPTION && g_strcmp0 (request->text, JOB_OPTION_SKIP) == 0) {
        take_skips (session, request->text2);
    }
    change.request = request;
    session_apply_change (session, &change);
    return TRUE;
}

static gboolean
take_asked_ahead (SessionRemoteGround *ground, GVariant *body)
{
    g_autoptr (GVariant) packed = NULL;
    g_autoptr (JobRequest) request = NULL;

    g_variant_get (body, "(uv)", NULL, &packed);
    request = job_request_decode (packed, SESSION_REMOTE_MAX_RANKS, NULL);
    return request != NULL && session_ahead_note_asked (ground->ahead, request);
}

static gboolean
take_source (SessionRemoteGround *ground, GVariant *body)
{
    g_autoptr (GVariant) text = NULL;
    g_autoptr (GBytes) bytes = NULL;
    const char *path;
    gint64 time_us;

    g_variant_get (body, "(u^&ayx@ay)", NULL, &path, &time_us, &text);
    bytes = g_variant_get_data_as_bytes (text);
    return session_ahead_note_source (ground->ahead, path, time_us, bytes);
}

static gboolean
take_hits (Session *session, GVariant *body)
{
    g_autoptr (GVariant) packed = NULL;
    g_autoptr (JobRankSet) ranks = NULL;
    SessionChange change = { .kind = SESSION_CHANGE_HITS };
    guint32 number;

    g_variant_get (body, "(uut@ay)", NULL, &number, &change.count, &packed);
    ranks = session_remote_decode_ranks (packed);
    change.ranks = ranks;
    change.number = number;
    if (ranks != NULL) {
        session_apply_change (session, &change);
    }
    return ranks != NULL;
}

static gboolean
take_whole (SessionRemoteGround *ground)
{
    ground->is_learning = FALSE;
    session_say (ground->session, 0,
                 N_ ("the session is taken over: ranks, breakpoints and settings are as they "
                     "were left"));
    return TRUE;
}

static gboolean
take_started (SessionRemoteGround *ground, GVariant *body)
{
    Session *session = ground->session;
    g_autoptr (GVariant) packed = NULL;
    GVariantDict facts;
    gboolean is_attached = FALSE;

    if (!ground->is_starting) {
        return FALSE;
    }
    g_variant_get (body, "(u@a{sv})", NULL, &packed);
    g_variant_dict_init (&facts, packed);
    g_variant_dict_lookup (&facts, "size", "u", &ground->size);
    g_variant_dict_lookup (&facts, "lingers", "b", &ground->lingers);
    g_variant_dict_lookup (&facts, "wanted", "u", &session->life->n_wanted);
    g_variant_dict_lookup (&facts, "searched", "u", &session->life->n_searched);
    g_variant_dict_lookup (&facts, "attached", "b", &is_attached);
    if (is_attached) {
        session->life->is_attached = session->life->keep = TRUE;
    }
    if (ground->is_learning) {
        learn (ground, &facts);
    }
    ground->size = MIN (ground->size, SESSION_REMOTE_MAX_RANKS);
    session->life->n_wanted = MIN (session->life->n_wanted, SESSION_REMOTE_MAX_RANKS);
    g_variant_dict_clear (&facts);
    ground->is_starting = FALSE;
    ground->is_started = TRUE;
    session_link_leave_rest (
        session_remote_get_link ()); /* until somebody listens to the session */
    return TRUE;
}

static gboolean
take_failed (SessionRemoteGround *ground, GVariant *body)
{
    const char *text;
    g_autofree char *clean = NULL;
    gint32 code;

    if (!ground->is_starting || ground->failure != NULL) {
        return FALSE;
    }
    g_variant_get (body, "(ui&s)", NULL, &code, &text);
    clean = base_escape_dup (text, BASE_ESCAPE_KEEP_LINES);
    g_set_error_literal (&ground->failure, BASE_ERROR,
                         CLAMP (code, BASE_ERROR_NOT_FOUND, BASE_ERROR_TIMEOUT), clean);
    return TRUE;
}

gboolean
session_remote_take (SessionRemoteGround *ground, SessionFrameKind kind, GVariant *body)
{
    g_autoptr (Session) session = g_object_ref (ground->session);
    guint64 fed;

    if (kind == SESSION_FRAME_STARTED) {
        return take_started (ground, body);
    }
    if (kind == SESSION_FRAME_FAILED) {
        return take_failed (ground, body);
    }
    if (ground->is_learning) {
        switch (kind) {
        case SESSION_FRAME_ASKED: return take_asked (session, body);
        case SESSION_FRAME_HITS: return take_hits (session, body);
        case SESSION_FRAME_WHOLE: return take_whole (ground);
        default: break;
        }
    }
    switch (kind) {
    case SESSION_FRAME_EVENT: return take_event (session, body);
    case SESSION_FRAME_SAY: return take_said (session, body);
    case SESSION_FRAME_OUTPUT: return take_output (session, body);
    case SESSION_FRAME_CLOCK: return take_clock (session, body);
    case SESSION_FRAME_NOTE: return take_note (ground, body);
    case SESSION_FRAME_ASKED: return take_asked_ahead (ground, body);
    case SESSION_FRAME_SOURCE: return take_source (ground, body);
    case SESSION_FRAME_FED:
        g_variant_get (body, "(ut)", NULL, &fed);
        ground->unfed -= (gsize) MIN (fed, ground->unfed);
        return TRUE;
    default: return FALSE;
    }
}

/* ---- the connection ---- */

/* Nothing is known of them at the moment. */
void
session_remote_note_lost (SessionRemoteGround *ground, const char *host, guint keep_for_s)
{
    Session *session = ground->session;
    g_autoptr (JobRankSet) all = session_dup_all (session);

    if (session->life->ended || !session->life->started) {
        return;
    }
    /* Translators: a host, and minutes. */
    session_say (
        session, 1,
        N_ ("the connection to %s is lost: the job goes on there, for at most %u minutes "
            "without you; pddt connects again"),
        host, (keep_for_s + 59) / 60);
    session_set_silent (session, all, LOST_MS);
}

void
session_remote_note_back (SessionRemoteGround *ground, const char *host, guint away_s)
{
    Session *session = ground->session;
    g_autoptr (JobRankSet) all = session_dup_all (session);

    session_set_silent (session, all, 0);
    if (!session->life->ended && session->life->started) {
        /* Translators: a host, and seconds. */
        session_say (session, 0,
                     N_ ("connected to %s again, after %u s; what happened meanwhile follows"),
                     host, away_s);
    }
}

void
session_remote_note_gone (SessionRemoteGround *ground, const char *why)
{
    g_autoptr (Session) session = g_object_ref (ground->session);
    g_autoptr (JobRankSet) all = session_dup_all (session);

    ground->has_ended = TRUE;
    ground->is_started = FALSE;
    if (ground->is_starting) {
        if (ground->failure == NULL) {
            g_set_error_literal (&ground->failure, BASE_ERROR, BASE_ERROR_LOST, why);
        }
        return;
    }
    if (session->life->ended || !session->life->started) {
        return;
    }
    session_fail (session, N_ ("the job is out of reach: %s"), why);
    session_life_mark_lost (session, all);
    session_life_end (session);
}

/* ---- what stands there ---- */

/* session: NULL: of none. */
static void
ask_there (Session *session, SessionAsk ask, GTask *task)
{
    SessionRemoteGround *ground = session != NULL ? get_ground (session) : NULL;

    if (ground == NULL || !session_ahead_answer (ground->ahead, ask, task)) {
        session_remote_ask (ask, task);
    }
}

#define ASKS(name, ask)                                                                        \
    static void name (Session *session, GTask *task)                                           \
    {                                                                                          \
        ask_there (session, ask, task);                                                        \
    }
ASKS (read_there, SESSION_ASK_SOURCE)
ASKS (time_there, SESSION_ASK_TIME)
ASKS (list_there, SESSION_ASK_FOLDER)
ASKS (list_running_there, SESSION_ASK_RUNNING)
ASKS (list_cores_there, SESSION_ASK_CORES)
ASKS (find_program_there, SESSION_ASK_PROGRAM)
ASKS (name_process_there, SESSION_ASK_NAME)
ASKS (ask_queue_there, SESSION_ASK_QUEUE)

const SessionBackend session_remote_backend = {
    .start = start_there,
    .send = send_there,
    .end = end_there,
    .clear = clear_there,
    .ask_clocks = ask_clocks_there,
    .find_size = find_size_there,
    .signal = signal_there,
    .lingers = lingers_there,
    .get_waiting_input = get_input_on_its_way,
    .write_input = write_input_there,
    .hold_output = hold_output_there,
    .read_source = read_there,
    .time_source = time_there,
    .list_folder = list_there,
    .list_running = list_running_there,
    .list_cores = list_cores_there,
    .find_program = find_program_there,
    .name_process = name_process_there,
    .ask_queue = ask_queue_there,
    .comes_late = TRUE,
    .is_polled = TRUE,
};
