/* SPDX-License-Identifier: GPL-3.0-or-later */
/* This process's connection to the server of --remote: ssh, the first words, and another ssh when the connection is
 * broken. */
#include "session/remote.h"
#include "base/error.h"
#include "base/escape.h"
#include "session/backend/remote-private.h"
#include "session/backend/remote-way-private.h"
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    BEAT_S = 1,
    LATE_S = 4, /* a beat that comes later: the process was stopped */
    PING_S = 4,
    SILENT_S = 9,         /* then the connection counts as lost */
    ATTEMPT_S = 60,       /* of one more ssh, until the server answers */
    FIRST_ATTEMPT_S = 15, /* of the first one, which may go by a connection that is dead, too */
    ASKED_S = 600,        /* of one by which a user is asked */
    MAX_PAUSE_S = 20,
    TURN_MS = 200,
    BYE_MS = 3000,
};

typedef struct {
    GTask *task;
    SessionAsk ask;
} Question;

typedef struct {
    char *host, *folder, *program, *release;
    char **words;  /* the way to a job that waits; NULL: ssh's */
    char *wanted;  /* the id of a job that waits there; NULL: none */
    char *askpass; /* by which a window's ssh asks for passwords; NULL */
    SessionWay *way;
    GVariant *job;      /* that was offered; NULL: none */
    GVariant *sessions; /* that live there already; NULL: none */
    GPtrArray *living;  /* of SessionLiving, which the user chooses of; NULL: no question */
    guint keep_for_s;
    guint32 turn; /* that the server has given; 0: none yet */
    gboolean starts_at_once;
    SessionChooseLiving choose;
    SessionRemoteWait wait;
    gpointer user; /* of choose */
    SessionLink *link;
    const char *broken; /* why the connection has ended last; static */
    char *id, *why;     /* why: it is refused, in a sentence; NULL: it is not */
    gboolean is_up, has_offer, is_leaving,
        asks; /* asks: a user must be asked to connect again */
    gint64 lost_us, attempt_us, beat_us, ping_us; /* lost_us 0: it is not */
    gint64 begin_us, awake_us; /* awake_us: since then this process has listened */
    guint beat_source, retry_source, n_attempts;
    gulong network_handler; /* 0: nothing has broken yet */
    GHashTable *grounds;    /* number to SessionRemoteGround, not owned */
    GHashTable *asked;      /* id to Question */
    guint32 last_number, last_ask;
} Remote;

static Remote *remote; /* of this process; NULL: none */

BASE_FREE (free_question, Question, question, g_object_unref (question->task))

/* ---- the way ---- */

static void
say_hello (void)
{
    g_autofree char *name = g_strdup_printf ("%s on %s", g_get_user_name (),
                                             g_get_host_name ());
    g_autofree char *who = g_utf8_make_valid (name, -1);

    if (remote->starts_at_once && remote->turn == 0) {
        session_link_send (remote->link, SESSION_FRAME_CHOOSE,
                           g_variant_new ("(sb)", "", FALSE));
    }
    session_link_send (remote->link, SESSION_FRAME_HELLO,
                       g_variant_new ("(usstu^ayu)", SESSION_REMOTE_PROTOCOL, remote->release,
                                      who, session_link_get_received (remote->link),
                                      remote->keep_for_s, remote->folder, remote->turn));
}

/* Nothing is known of the other side yet, which gets what is sent now together with the first words. */
static gboolean
is_beginning (void)
{
    return remote != NULL && remote->id == NULL && remote->starts_at_once;
}

/* The first time, and after ssh has said that it may not connect without one, a user is asked. */
static gboolean
begin_way (GError **error)
{
    const char *id = remote->id != NULL ? remote->id : remote->wanted;
    g_autofree char *command = id != NULL
                                   ? g_strdup_printf ("%s --serve=%s", remote->program, id)
                                   : g_strdup_printf ("%s --serve", remote->program);
    const SessionWayWanted wanted = { .host = remote->host,
                                      .command = command,
                                      .words = remote->words,
                                      .askpass = remote->askpass,
                                      .asks = remote->id == NULL || remote->asks,
                                      .is_again = remote->id != NULL,
                                      .is_alone = remote->n_attempts % 2 == 0 };
    int fd = session_way_open (remote->way, &wanted, error);

    if (fd < 0) {
        return FALSE;
    }
    remote->has_offer = FALSE;
    remote->attempt_us = g_get_monotonic_time ();
    session_link_open (remote->link, fd, TRUE);
    say_hello ();
    if (remote->id == NULL) {
        session_link_be_served (remote->link, FALSE); /* until somebody waits for the answer */
    }
    return !is_beginning () || session_link_resume (remote->link, 0);
}

/* ---- what the server says ---- */

static gboolean
on_offered (const char *text, gpointer unused)
{
    g_auto (GStrv) words = g_strsplit (text, " ", 2);
    guint64 protocol = 0;

    remote->has_offer = TRUE;
    if (words[0] != NULL
        && g_ascii_string_to_unsigned (words[0], 10, 1, G_MAXUINT32, &protocol, NULL)
        && protocol == SESSION_REMOTE_PROTOCOL) {
        return TRUE;
    }
    g_free (remote->why);
    remote->why = base_escape_take (
        g_strdup_printf (
            "pddt on %s is release %.40s, this one is %s, and they do not understand each "
            "other: install the same release on both sides",
            remote->host, words[0] != NULL && words[1] != NULL ? words[1] : "unknown",
            remote->release),
        BASE_ESCAPE_NAME);
    return FALSE;
}

static void
for_each_ground (void (*function) (SessionRemoteGround *ground, gpointer user), gpointer user)
{
    g_autoptr (GList) grounds = g_hash_table_get_values (remote->grounds);

    for (const GList *l = grounds; l != NULL; l = l->next) {
        guint32 number = ((SessionRemoteGround *) l->data)->number;

        if (g_hash_table_lookup (remote->grounds, GUINT_TO_POINTER (number)) == l->data) {
            function (l->data, user);
        }
    }
}

static void
note_back (SessionRemoteGround *ground, gpointer user)
{
    session_remote_note_back (ground, remote->host, *(const guint *) user);
}

static void
note_lost (SessionRemoteGround *ground, gpointer user)
{
    session_remote_note_lost (ground, remote->host, remote->keep_for_s);
}

static void
note_gone (SessionRemoteGround *ground, gpointer why)
{
    session_remote_note_gone (ground, why);
}

static gboolean
is_server_id (const char *id)
{
    return strlen (id) == 16 && id[strspn (id, "0123456789abcdef")] == '\0';
}

static gboolean
welcome (GVariant *body)
{
    g_autoptr (GVariant) job = NULL, sessions = NULL;
    const char *there, *id;
    guint64 received;
    guint32 turn;
    guint away_s = (guint) ((g_get_monotonic_time () - remote->lost_us) / G_USEC_PER_SEC);
    gboolean was_lost = remote->lost_us != 0;

    g_variant_get (body, "(u&s&stu@a{sv}@a(ua{sv}))", NULL, &there, &id, &received, &turn, &job,
                   &sessions);
    if (remote->is_up || !is_server_id (id) || turn == 0
        || (remote->turn != 0 && remote->turn != turn)) {
        return FALSE;
    }
    if (remote->id == NULL) {
        remote->id = g_strdup (id);
        remote->turn = turn;
        remote->job = g_variant_n_children (job) > 0 ? g_variant_ref (job) : NULL;
        remote->sessions = g_variant_ref (sessions);
    }
    remote->is_up = TRUE;
    remote->lost_us = 0;
    remote->n_attempts = 0;
    if (was_lost) {
        for_each_ground (note_back, &away_s);
    }
    return session_link_resume (remote->link, received);
}

BASE_FREE (free_living, SessionLiving, living, g_free (living->id); g_free (living->who);
           g_free (living->command))

/* Servers that live there, before one of them, or another one, is connected to; or the one that is wanted, if another front
 * end has it. */
static gboolean
take_living (GVariant *body)
{
    g_autoptr (GVariant) list = NULL;
    GVariantIter iter;
    SessionLiving one;

    if (remote->is_up || remote->id != NULL
        || (remote->living != NULL && remote->living->len > 0)) {
        return FALSE;
    }
    if (remote->starts_at_once) {
        return TRUE; /* it was said before that none of them is wanted */
    }
    g_clear_pointer (&remote->living, g_ptr_array_unref);
    remote->living = g_ptr_array_new_with_free_func (free_living);
    one.is_named = remote->wanted != NULL || remote->words != NULL;
    g_variant_get (body, "(@a(sbsxsu))", &list);
    g_variant_iter_init (&iter, list);
    while (g_variant_iter_next (&iter, "(sbsxsu)", &one.id, &one.is_held, &one.who,
                                &one.since_us, &one.command, &one.n_ranks)) {
        one.who = base_escape_take (one.who, BASE_ESCAPE_NAME);
        one.command = base_escape_take (one.command, BASE_ESCAPE_NAME);
        g_ptr_array_add (remote->living, g_memdup2 (&one, sizeof one));
        if (!is_server_id (one.id)) {
            return FALSE;
        }
    }
    return remote->living->len > 0;
}

static gboolean
take_answer (GVariant *body)
{
    g_autoptr (GVariant) answer = NULL;
    gpointer found;
    Question *question;
    guint32 id;
    gboolean ok;

    g_variant_get (body, "(ubv)", &id, &ok, &answer);
    if (!g_hash_table_steal_extended (remote->asked, GUINT_TO_POINTER (id), NULL, &found)) {
        return FALSE;
    }
    question = found;
    ok = session_remote_give_answer (question->task, question->ask, ok, answer);
    free_question (question);
    return ok;
}

static gboolean
on_frame (SessionFrameKind kind, GVariant *body, gpointer unused)
{
    SessionRemoteGround *ground;
    const char *text;
    guint32 number;

    if (kind == SESSION_FRAME_WELCOME) {
        return welcome (body);
    }
    if (kind == SESSION_FRAME_LIVING) {
        return take_living (body);
    }
    if (kind == SESSION_FRAME_REFUSE) {
        g_variant_get (body, "(&s)", &text);
        g_free (remote->why);
        remote->why = base_escape_dup (text, BASE_ESCAPE_NAME);
        return FALSE;
    }
    if (!remote->is_up || kind < SESSION_FRAME_ANSWER) {
        return FALSE;
    }
    if (kind == SESSION_FRAME_ANSWER) {
        return take_answer (body);
    }
    g_variant_get_child (body, 0, "u", &number);
    ground = g_hash_table_lookup (remote->grounds, GUINT_TO_POINTER (number));
    return ground == NULL /* it is over here */ || session_remote_take (ground, kind, body);
}

/* ---- when it breaks ---- */

/* Nothing more comes from there. */
static void
give_up (const char *why)
{
    gpointer value;

    BASE_WALK (remote->asked, NULL, &value) {
        g_task_return_new_error (((Question *) value)->task, BASE_ERROR, BASE_ERROR_LOST, "%s",
                                 why);
    }
    g_hash_table_remove_all (remote->asked);
    for_each_ground (note_gone, (gpointer) why);
}

static gboolean
try_again (gpointer unused)
{
    g_autoptr (GError) error = NULL;

    remote->retry_source = 0;
    remote->n_attempts++;
    if (!begin_way (&error)) {
        remote->retry_source = g_timeout_add_seconds (MAX_PAUSE_S, try_again, NULL);
    }
    return G_SOURCE_REMOVE;
}

/* The laptop is awake, or its cable is back. */
static void
on_network_changed (GNetworkMonitor *monitor, gboolean is_there, gpointer unused)
{
    gint64 pause_us = g_get_monotonic_time () - remote->attempt_us;

    if (is_there && remote->retry_source != 0 && pause_us > G_USEC_PER_SEC) {
        g_source_remove (remote->retry_source);
        try_again (NULL);
    }
}

static void
on_closed (const char *why, gpointer unused)
{
    gint64 now_us = g_get_monotonic_time ();

    remote->broken = why;
    if (!remote->is_leaving && session_way_is_too_new (remote->way) && begin_way (NULL)) {
        return;
    }
    if (remote->id == NULL || remote->is_leaving) {
        return; /* whoever connects, or leaves, sees it */
    }
    session_way_listen (remote->way);
    remote->asks = remote->askpass != NULL && !remote->is_up
                   && session_way_is_denied (remote->way);
    session_way_close (remote->way);
    remote->is_up = FALSE;
    if (remote->network_handler == 0) {
        remote->network_handler = g_signal_connect (g_network_monitor_get_default (),
                                                    "network-changed",
                                                    G_CALLBACK (on_network_changed), NULL);
    }
    if (remote->lost_us == 0) {
        remote->lost_us = now_us;
        if (remote->why == NULL) {
            for_each_ground (note_lost, NULL);
        }
    }
    if (remote->why != NULL) {
        give_up (remote->why);
    } else if (now_us - remote->lost_us
               > (gint64) (remote->keep_for_s + ATTEMPT_S) * G_USEC_PER_SEC) {
        give_up ("nobody could connect to its host for as long as it lives there without you");
    } else if (remote->retry_source == 0) {
        remote->retry_source = g_timeout_add_seconds (MIN (1u << MIN (remote->n_attempts, 8),
                                                           MAX_PAUSE_S),
                                                      try_again, NULL);
    }
}

/* So long the other side may be silent. */
static guint
get_limit_s (void)
{
    return remote->is_up             ? SILENT_S
           : remote->asks            ? ASKED_S
           : remote->n_attempts <= 1 ? FIRST_ATTEMPT_S
                                     : ATTEMPT_S;
}

/* A process that was stopped has itself not listened. */
static gboolean
on_beat (gpointer unused)
{
    gint64 now_us = g_get_monotonic_time (), heard_us, silent_s;
    gboolean is_late = now_us - remote->beat_us > LATE_S * G_USEC_PER_SEC;

    remote->beat_us = now_us;
    remote->awake_us = is_late ? now_us : remote->awake_us;
    session_way_listen (remote->way);
    if (!session_link_is_open (remote->link)) {
        return G_SOURCE_CONTINUE;
    }
    heard_us = remote->is_up ? session_link_get_heard_us (remote->link) : remote->attempt_us;
    silent_s = (now_us - MAX (heard_us, remote->awake_us)) / G_USEC_PER_SEC;
    if ((remote->is_up || remote->id != NULL) && silent_s >= get_limit_s ()) {
        session_link_close (remote->link, "the other side does not answer");
    } else if (remote->is_up && now_us - remote->ping_us > PING_S * G_USEC_PER_SEC) {
        remote->ping_us = now_us;
        session_link_ping (remote->link);
    }
    return G_SOURCE_CONTINUE;
}

/* ---- for sessions ---- */

SessionLink *
session_remote_get_link (void)
{
    return remote != NULL ? remote->link : NULL;
}

gboolean
session_remote_is_connected (void)
{
    return remote != NULL;
}

gboolean
session_remote_is_up (void)
{
    return remote != NULL && remote->is_up;
}

const char *
session_remote_get_host (void)
{
    return remote != NULL ? remote->host : NULL;
}

char *
session_remote_dup_address (void)
{
    return remote == NULL || remote->words != NULL || remote->job != NULL ? NULL
           : *remote->folder != '\0' ? g_strdup_printf ("%s:%s", remote->host, remote->folder)
                                     : g_strdup (remote->host);
}

char *
session_remote_dup_folder (void)
{
    return remote != NULL ? g_strdup (remote->folder) : NULL;
}

const char *
session_remote_get_program (void)
{
    return remote != NULL ? remote->program : NULL;
}

gboolean
session_remote_add (SessionRemoteGround *ground, GError **error)
{
    if (!session_remote_is_up () && !is_beginning ()) {
        base_error_set (error, BASE_ERROR_LOST,
                        "cannot start a job on %s: there is no connection at the moment",
                        remote != NULL ? remote->host : "");
        return FALSE;
    }
    if (ground->number == 0) {
        ground->number = remote->last_number + 1;
    }
    remote->last_number = MAX (remote->last_number, ground->number);
    g_hash_table_insert (remote->grounds, GUINT_TO_POINTER (ground->number), ground);
    return TRUE;
}

void
session_remote_remove (SessionRemoteGround *ground)
{
    if (remote != NULL
        && g_hash_table_lookup (remote->grounds, GUINT_TO_POINTER (ground->number)) == ground) {
        g_hash_table_remove (remote->grounds, GUINT_TO_POINTER (ground->number));
    }
}

void
session_remote_ask (SessionAsk ask, GTask *task)
{
    Question *question;

    if (remote == NULL || remote->why != NULL) {
        g_task_return_new_error (task, BASE_ERROR, BASE_ERROR_LOST, "there is no connection");
        return;
    }
    question = g_new (Question, 1);
    *question = (Question){ g_object_ref (task), ask };
    remote->last_ask++;
    g_hash_table_insert (remote->asked, GUINT_TO_POINTER (remote->last_ask), question);
    session_link_send (remote->link, SESSION_FRAME_ASK,
                       session_remote_encode_wanted (remote->last_ask, ask,
                                                     g_task_get_task_data (task)));
}

/* ---- begin and end ---- */

void
session_remote_split_host (const char *given, char **ret_host, char **ret_folder)
{
    const char *colon = given;

    do {
        colon = strchr (colon + (colon != given), ':');
    } while (colon != NULL && strchr ("/~.", colon[1]) == NULL);
    *ret_host = colon != NULL ? g_strndup (given, (gsize) (colon - given)) : g_strdup (given);
    *ret_folder = g_strdup (colon != NULL && colon[1] != '\0' ? colon + 1 : "");
}

static void
free_remote (void)
{
    session_way_free (remote->way);
    g_clear_handle_id (&remote->beat_source, g_source_remove);
    g_clear_handle_id (&remote->retry_source, g_source_remove);
    if (remote->network_handler != 0) {
        g_signal_handler_disconnect (g_network_monitor_get_default (), remote->network_handler);
    }
    g_clear_pointer (&remote->link, session_link_free);
    g_hash_table_unref (remote->grounds);
    g_hash_table_unref (remote->asked);
    g_strfreev (remote->words);
    g_free (remote->askpass);
    g_free (remote->wanted);
    g_clear_pointer (&remote->job, g_variant_unref);
    g_clear_pointer (&remote->sessions, g_variant_unref);
    g_clear_pointer (&remote->living, g_ptr_array_unref);
    g_free (remote->host);
    g_free (remote->folder);
    g_free (remote->program);
    g_free (remote->release);
    g_free (remote->id);
    g_free (remote->why);
    g_clear_pointer (&remote, g_free);
}

static void
make_remote (const SessionRemoteOptions *options)
{
    static const SessionLinkHandler handler = { on_frame, on_offered, on_closed };

    remote = g_new0 (Remote, 1);
    if (options->offer != NULL) {
        char **way = session_offer_dup_way (options->offer, options->own);
        g_autofree char *serve = g_strdup_printf ("--serve=%s", options->offer->id);

        remote->words = way != NULL
                            ? way
                            : g_strdupv (((char *[]){ (char *) options->own, serve, NULL }));
        remote->host = g_strdup (options->offer->host);
        remote->folder = g_strdup ("");
    } else {
        session_remote_split_host (options->host, &remote->host, &remote->folder);
    }
    remote->program = g_strdup (options->program != NULL ? options->program : "pddt");
    remote->release = g_strdup (options->release);
    remote->keep_for_s = options->keep_for_s;
    remote->starts_at_once = options->starts_at_once;
    remote->choose = options->choose;
    remote->wait = options->wait;
    remote->user = options->user;
    remote->begin_us = g_get_monotonic_time ();
    remote->askpass = g_strdup (options->askpass);
    remote->wanted = g_strdup (options->take);
    remote->way = session_way_new ();
    remote->grounds = g_hash_table_new (NULL, NULL);
    remote->asked = g_hash_table_new_full (NULL, NULL, NULL, free_question);
    remote->link = session_link_new (&handler, NULL);
}

/* FALSE: the user has gone away. */
static gboolean
choose (void)
{
    SessionLivingChoice choice = SESSION_LIVING_NEW;
    g_autofree char *id = NULL;
    gboolean is_held = FALSE;
    guint index = 0;

    if (remote->choose != NULL) {
        choice = remote->choose (remote->living, remote->host, &index, remote->user);
    }
    if (choice == SESSION_LIVING_TAKE && index < remote->living->len) {
        const SessionLiving *living = remote->living->pdata[index];

        id = g_strdup (living->id);
        is_held = living->is_held;
    }
    g_ptr_array_set_size (remote->living, 0);
    if (choice == SESSION_LIVING_LEAVE) {
        return FALSE;
    }
    session_link_send (remote->link, SESSION_FRAME_CHOOSE,
                       g_variant_new ("(sb)", id != NULL ? id : "", is_held));
    return TRUE;
}

/* FALSE: the user does not want it any more. */
static gboolean
await_answer (void)
{
    gint64 waited_us = g_get_monotonic_time () - remote->begin_us;

    if (remote->wait != NULL && !remote->wait (remote->host, (guint) (waited_us / 1000))) {
        return FALSE;
    }
    session_link_turn (remote->link, TURN_MS);
    session_way_listen (remote->way);
    if (remote->living != NULL && remote->living->len > 0 && !choose ()) {
        return FALSE;
    }
    if (waited_us > ASKED_S * G_USEC_PER_SEC && !remote->is_up) {
        session_link_close (remote->link, "pddt does not answer there");
    }
    return TRUE;
}

/* Serves the connection alone. Without it there is no remote afterwards. */
static gboolean
await_welcome (GError **error)
{
    while (session_link_is_open (remote->link) && !remote->is_up) { /* ssh may ask a user */
        if (!await_answer ()) {
            g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "nothing was chosen");
            free_remote ();
            return FALSE;
        }
    }
    if (!remote->is_up) {
        g_autofree char *why
            = remote->why != NULL
                  ? g_strdup (remote->why)
                  : session_way_explain (remote->way, remote->host,
                                         session_link_get_greeting (remote->link),
                                         remote->broken != NULL ? remote->broken
                                                                : "ssh has ended");

        g_set_error_literal (error, BASE_ERROR,
                             remote->why != NULL ? BASE_ERROR_DENIED : BASE_ERROR_LOST, why);
        free_remote ();
        return FALSE;
    }
    session_link_be_served (remote->link, TRUE);
    remote->beat_us = g_get_monotonic_time ();
    remote->beat_source = g_timeout_add_seconds (BEAT_S, on_beat, NULL);
    return TRUE;
}

gboolean
session_remote_begin (const SessionRemoteOptions *options, GError **error)
{
    make_remote (options);
    if (*remote->host == '\0' || *remote->host == '-') {
        base_error_set (error, BASE_ERROR_INVALID, "--remote needs a host, not \"%s\"",
                        options->host);
        free_remote ();
        return FALSE;
    }
    if (!begin_way (error)) {
        free_remote ();
        return FALSE;
    }
    return TRUE;
}

gboolean
session_remote_connect (const SessionRemoteOptions *options, GError **error)
{
    if (remote == NULL && !session_remote_begin (options, error)) {
        return FALSE;
    }
    return options->starts_at_once || await_welcome (error);
}

gboolean
session_remote_wait (SessionRemoteGround *ground, GError **error)
{
    if (!remote->is_up && is_beginning () && !await_welcome (error)) {
        ground->is_starting = FALSE;
        return FALSE;
    }
    while (ground->is_starting && ground->failure == NULL) {
        if (!session_link_is_open (remote->link)) {
            base_error_set (error, BASE_ERROR_LOST,
                            "cannot start the job: the connection to %s is lost", remote->host);
            ground->is_starting = FALSE;
            return FALSE;
        }
        session_link_turn (remote->link, TURN_MS);
    }
    ground->is_starting = FALSE;
    if (ground->failure != NULL) {
        g_propagate_error (error, g_steal_pointer (&ground->failure));
        return FALSE;
    }
    return TRUE;
}

gboolean
session_remote_find_job (SessionOptions *ret_options, GPtrArray *owner)
{
    if (remote == NULL || remote->job == NULL) {
        return FALSE;
    }
    session_remote_decode_options (remote->job, ret_options, owner);
    return ret_options->argv != NULL && ret_options->argv[0] != NULL;
}

gboolean
session_remote_find_living (guint index, SessionOptions *ret_options, GPtrArray *owner)
{
    g_autoptr (GVariant) packed = NULL;
    guint32 number;

    if (remote == NULL || remote->sessions == NULL
        || index >= g_variant_n_children (remote->sessions)) {
        return FALSE;
    }
    g_variant_get_child (remote->sessions, index, "(u@a{sv})", &number, &packed);
    session_remote_decode_options (packed, ret_options, owner);
    ret_options->living = MAX (number, 1);
    return TRUE;
}

void
session_remote_decline (void)
{
    if (session_remote_is_up ()) {
        session_link_send (remote->link, SESSION_FRAME_DECLINE, g_variant_new ("()"));
    }
    session_remote_disconnect ();
}

void
session_remote_disconnect (void)
{
    gint64 end_us = g_get_monotonic_time () + BYE_MS * 1000;

    if (remote == NULL) {
        return;
    }
    remote->is_leaving = TRUE;
    if (remote->is_up) {
        session_link_send (remote->link, SESSION_FRAME_BYE, g_variant_new ("()"));
        while (session_link_is_open (remote->link) && g_get_monotonic_time () < end_us) {
            session_link_turn (remote->link, TURN_MS);
        }
    }
    give_up ("pddt has ended");
    free_remote ();
}
