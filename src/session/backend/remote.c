/* SPDX-License-Identifier: GPL-3.0-or-later */
/* This process's connection to the server of --remote: ssh, the first words, and another ssh when the connection is
 * broken. */
#include "session/remote.h"
#include "base/error.h"
#include "base/escape.h"
#include "session/backend/remote-private.h"
#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    BEAT_S = 2,
    PING_S = 4,
    SILENT_S = 10,  /* then the connection counts as lost */
    ATTEMPT_S = 60, /* of one more ssh, until the server answers */
    MAX_PAUSE_S = 20,
    TURN_MS = 200,
    BYE_MS = 3000,
    LAST_WORDS = 2000, /* looks, while ssh ends */
    MAX_COMPLAINT = 1 << 14,
};

typedef struct {
    GTask *task;
    SessionAsk ask;
} Question;

typedef struct {
    char *host, *folder, *program, *release;
    char **way;    /* to a job that waits; NULL: ssh's */
    GVariant *job; /* that was offered; NULL: none */
    guint keep_for_s;
    SessionLink *link;
    GPid ssh; /* 0: none */
    int complaint_fd;
    GString *complaint; /* what ssh has said */
    const char *broken; /* why the connection has ended last; static */
    char *id, *why;     /* why: it is refused, in a sentence; NULL: it is not */
    gboolean is_up, has_offer, is_leaving;
    gint64 lost_us, attempt_us, beat_us, ping_us; /* lost_us 0: it is not */
    gint64 awake_us;                              /* since then this process has listened */
    guint beat_source, retry_source, n_attempts;
    GHashTable *grounds; /* number to SessionRemoteGround, not owned */
    GHashTable *asked;   /* id to Question */
    guint32 last_number, last_ask;
} Remote;

static Remote *remote; /* of this process; NULL: none */

static void
free_question (gpointer data)
{
    Question *question = data;

    g_object_unref (question->task);
    g_free (question);
}

/* ---- ssh ---- */

/* Ctrl-C is for pddt, not for its connection. */
static void
set_up_child (gpointer unused)
{
    signal (SIGINT, SIG_IGN);
    signal (SIGQUIT, SIG_IGN);
    signal (SIGTSTP, SIG_IGN);
}

/* PDDT_SSH: another program that takes ssh's words, and words of its own before them. */
static GPtrArray *
make_line (GError **error)
{
    static const char *const options[] = { "-T",
                                           "-C",
                                           "-oServerAliveInterval=5",
                                           "-oServerAliveCountMax=3",
                                           "-oRemoteCommand=none",
                                           "-oClearAllForwardings=yes" };
    const char *own = g_getenv ("PDDT_SSH");
    g_auto (GStrv) words = NULL;
    GPtrArray *line = g_ptr_array_new_with_free_func (g_free);

    for (guint i = 0; remote->way != NULL && remote->way[i] != NULL; i++) {
        g_ptr_array_add (line, g_strdup (remote->way[i]));
    }
    if (remote->way != NULL) {
        g_ptr_array_add (line, NULL);
        return line;
    }
    if (!g_shell_parse_argv (own != NULL && *own != '\0' ? own : "ssh", NULL, &words, error)) {
        g_prefix_error (error, "PDDT_SSH is no command line: ");
        g_ptr_array_unref (line);
        return NULL;
    }
    for (guint i = 0; words[i] != NULL; i++) {
        g_ptr_array_add (line, g_strdup (words[i]));
    }
    for (guint i = 0; i < G_N_ELEMENTS (options); i++) {
        g_ptr_array_add (line, g_strdup (options[i]));
    }
    if (remote->id != NULL) { /* nobody is there to be asked */
        g_ptr_array_add (line, g_strdup ("-oBatchMode=yes"));
    }
    g_ptr_array_add (line, g_strdup ("--"));
    g_ptr_array_add (line, g_strdup (remote->host));
    g_ptr_array_add (line, remote->id != NULL
                               ? g_strdup_printf ("%s --serve=%s", remote->program, remote->id)
                               : g_strdup_printf ("%s --serve", remote->program));
    g_ptr_array_add (line, NULL);
    return line;
}

static void
on_reaped (GPid pid, int status, gpointer ret_status)
{
    if (ret_status != NULL) {
        *(int *) ret_status = status;
    }
    g_spawn_close_pid (pid);
}

static void
drop_ssh (void)
{
    if (remote->ssh != 0) {
        kill (remote->ssh, SIGTERM);
        g_child_watch_add (remote->ssh, on_reaped, NULL);
    }
    remote->ssh = 0;
    if (remote->complaint_fd >= 0) {
        close (remote->complaint_fd);
    }
    remote->complaint_fd = -1;
}

static void
read_complaint (void)
{
    char buffer[4096];
    gssize n;

    while (remote->complaint_fd >= 0
           && (n = read (remote->complaint_fd, buffer, sizeof buffer)) > 0) {
        g_string_append_len (remote->complaint, buffer, n);
    }
    if (remote->complaint->len > MAX_COMPLAINT) {
        g_string_erase (remote->complaint, 0,
                        (gssize) (remote->complaint->len - MAX_COMPLAINT));
    }
}

static gboolean
begin_ssh (GError **error)
{
    g_autoptr (GPtrArray) line = make_line (error);
    int ends[2], complaint[2];
    gboolean ok;

    if (line == NULL) {
        return FALSE;
    }
    if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0
        || !g_unix_open_pipe (complaint, FD_CLOEXEC, NULL)) {
        base_error_set (error, BASE_ERROR_DENIED, "cannot run ssh: %s", g_strerror (errno));
        return FALSE;
    }
    ok = g_spawn_async_with_fds (NULL, (char **) line->pdata, NULL,
                                 G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, set_up_child,
                                 NULL, &remote->ssh, ends[1], ends[1], complaint[1], error);
    close (ends[1]);
    close (complaint[1]);
    if (!ok) {
        remote->ssh = 0;
        close (ends[0]);
        close (complaint[0]);
        return FALSE;
    }
    g_unix_set_fd_nonblocking (ends[0], TRUE, NULL);
    g_unix_set_fd_nonblocking (complaint[0], TRUE, NULL);
    remote->complaint_fd = complaint[0];
    remote->has_offer = FALSE;
    remote->attempt_us = g_get_monotonic_time ();
    g_string_truncate (remote->complaint, 0);
    session_link_open (remote->link, ends[0], TRUE);
    session_link_send (remote->link, SESSION_FRAME_HELLO,
                       g_variant_new ("(ustu^ayb)", SESSION_REMOTE_PROTOCOL, remote->release,
                                      session_link_get_received (remote->link),
                                      remote->keep_for_s, remote->folder, remote->id != NULL));
    return TRUE;
}

/* The last line that says something; caller owns. */
static char *
find_last_line (const char *text)
{
    g_autofree char *clean = base_escape_dup (text, BASE_ESCAPE_KEEP_LINES);
    g_auto (GStrv) lines = g_strsplit (clean, "\n", -1);

    for (guint i = g_strv_length (lines); i-- > 0;) {
        g_strstrip (lines[i]);
        g_strdelimit (lines[i], "\r", ' ');
        if (*lines[i] != '\0') {
            return g_strdup (lines[i]);
        }
    }
    return g_strdup ("");
}

/* Why ssh has ended before the server answered. Caller owns. */
static char *
explain (const char *why)
{
    g_autofree char *said = NULL, *greeting = NULL;
    int status = -1;
    guint source = remote->ssh != 0 ? g_child_watch_add (remote->ssh, on_reaped, &status) : 0;
    gboolean is_missing;

    for (guint i = 0; source != 0 && status < 0 && i < LAST_WORDS; i++) {
        read_complaint ();
        g_main_context_iteration (NULL, FALSE);
        g_usleep (5000);
    }
    is_missing = status >= 0 && WIFEXITED (status) && WEXITSTATUS (status) == 127;
    if (source != 0 && status < 0) {
        g_source_remove (source); /* drop_ssh ends it */
    } else {
        remote->ssh = 0;
    }
    read_complaint ();
    said = find_last_line (remote->complaint->str);
    greeting = find_last_line (session_link_get_greeting (remote->link));
    if (is_missing) {
        return g_strdup_printf ("there is no pddt on %s (%s): say how it is called there with "
                                "--remote-program",
                                remote->host, *said != '\0' ? said : "status 127");
    }
    return g_strdup_printf ("cannot connect to %s: %s", remote->host,
                            *said != '\0'       ? said
                            : *greeting != '\0' ? greeting
                                                : why);
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
welcome (GVariant *body)
{
    g_autoptr (GVariant) job = NULL;
    const char *there, *id;
    guint64 received;
    guint away_s = (guint) ((g_get_monotonic_time () - remote->lost_us) / G_USEC_PER_SEC);
    gboolean was_lost = remote->lost_us != 0;

    g_variant_get (body, "(u&s&st@a{sv})", NULL, &there, &id, &received, &job);
    if (remote->is_up || strlen (id) != 16 || id[strspn (id, "0123456789abcdef")] != '\0') {
        return FALSE;
    }
    if (remote->id == NULL) {
        remote->id = g_strdup (id);
        remote->job = g_variant_n_children (job) > 0 ? g_variant_ref (job) : NULL;
    }
    remote->is_up = TRUE;
    remote->lost_us = 0;
    remote->n_attempts = 0;
    if (was_lost) {
        for_each_ground (note_back, &away_s);
    }
    return session_link_resume (remote->link, received);
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
    GHashTableIter iter;
    gpointer value;

    g_hash_table_iter_init (&iter, remote->asked);
    while (g_hash_table_iter_next (&iter, NULL, &value)) {
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
    if (!begin_ssh (&error)) {
        remote->retry_source = g_timeout_add_seconds (MAX_PAUSE_S, try_again, NULL);
    }
    return G_SOURCE_REMOVE;
}

static void
on_closed (const char *why, gpointer unused)
{
    gint64 now_us = g_get_monotonic_time ();

    remote->broken = why;
    if (remote->id == NULL || remote->is_leaving) {
        return; /* whoever connects, or leaves, sees it */
    }
    drop_ssh ();
    remote->is_up = FALSE;
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

/* A process that was stopped has itself not listened. */
static gboolean
on_beat (gpointer unused)
{
    gint64 now_us = g_get_monotonic_time (), heard_us, silent_s;
    gboolean is_late = now_us - remote->beat_us > 2 * BEAT_S * G_USEC_PER_SEC;

    remote->beat_us = now_us;
    remote->awake_us = is_late ? now_us : remote->awake_us;
    read_complaint ();
    if (!session_link_is_open (remote->link)) {
        return G_SOURCE_CONTINUE;
    }
    heard_us = remote->is_up ? session_link_get_heard_us (remote->link) : remote->attempt_us;
    silent_s = (now_us - MAX (heard_us, remote->awake_us)) / G_USEC_PER_SEC;
    if (remote->is_up ? silent_s >= SILENT_S : remote->id != NULL && silent_s >= ATTEMPT_S) {
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
    return remote == NULL || remote->way != NULL || remote->job != NULL ? NULL
           : *remote->folder != '\0' ? g_strdup_printf ("%s:%s", remote->host, remote->folder)
                                     : g_strdup (remote->host);
}

const char *
session_remote_get_program (void)
{
    return remote != NULL ? remote->program : NULL;
}

gboolean
session_remote_add (SessionRemoteGround *ground, GError **error)
{
    if (!session_remote_is_up ()) {
        base_error_set (error, BASE_ERROR_LOST,
                        "cannot start a job on %s: there is no connection at the moment",
                        remote != NULL ? remote->host : "");
        return FALSE;
    }
    ground->number = ++remote->last_number;
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

gboolean
session_remote_wait (SessionRemoteGround *ground, GError **error)
{
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

/* "HOST:FOLDER", where FOLDER begins with '/', '~' or '.': a host may have a ':', too. */
static void
split_host (const char *given)
{
    const char *colon = given;

    do {
        colon = strchr (colon + (colon != given), ':');
    } while (colon != NULL && strchr ("/~.", colon[1]) == NULL);
    remote->host = colon != NULL ? g_strndup (given, (gsize) (colon - given))
                                 : g_strdup (given);
    remote->folder = g_strdup (colon != NULL && colon[1] != '\0' ? colon + 1 : "");
}

static void
free_remote (void)
{
    drop_ssh ();
    g_clear_handle_id (&remote->beat_source, g_source_remove);
    g_clear_handle_id (&remote->retry_source, g_source_remove);
    g_clear_pointer (&remote->link, session_link_free);
    g_hash_table_unref (remote->grounds);
    g_hash_table_unref (remote->asked);
    g_string_free (remote->complaint, TRUE);
    g_strfreev (remote->way);
    g_clear_pointer (&remote->job, g_variant_unref);
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

        remote->way = way != NULL
                          ? way
                          : g_strdupv ((char *[]){ (char *) options->own, serve, NULL });
        remote->host = g_strdup (options->offer->host);
        remote->folder = g_strdup ("");
    } else {
        split_host (options->host);
    }
    remote->program = g_strdup (options->program != NULL ? options->program : "pddt");
    remote->release = g_strdup (options->release);
    remote->keep_for_s = options->keep_for_s;
    remote->complaint_fd = -1;
    remote->complaint = g_string_new (NULL);
    remote->grounds = g_hash_table_new (NULL, NULL);
    remote->asked = g_hash_table_new_full (NULL, NULL, NULL, free_question);
    remote->link = session_link_new (&handler, NULL);
}

gboolean
session_remote_connect (const SessionRemoteOptions *options, GError **error)
{
    make_remote (options);
    if (*remote->host == '\0' || *remote->host == '-') {
        base_error_set (error, BASE_ERROR_INVALID, "--remote needs a host, not \"%s\"",
                        options->host);
        free_remote ();
        return FALSE;
    }
    if (!begin_ssh (error)) {
        free_remote ();
        return FALSE;
    }
    while (session_link_is_open (remote->link) && !remote->is_up) { /* ssh may ask a user */
        session_link_turn (remote->link, TURN_MS);
        read_complaint ();
    }
    if (!remote->is_up) {
        g_autofree char *why = remote->why != NULL
                                   ? g_strdup (remote->why)
                                   : explain (remote->broken != NULL ? remote->broken
                                                                     : "ssh has ended");

        g_set_error_literal (error, BASE_ERROR, BASE_ERROR_LOST, why);
        free_remote ();
        return FALSE;
    }
    remote->beat_us = g_get_monotonic_time ();
    remote->beat_source = g_timeout_add_seconds (BEAT_S, on_beat, NULL);
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
