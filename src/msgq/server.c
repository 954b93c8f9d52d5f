/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Manages the worker: for whom it was started, the error when it dies, and how long a failed
 * library is not tried again. */
#include "msgq/server.h"
#include "base/array.h"
#include "base/channel.h"
#include "base/confine.h"
#include "base/patience.h"
#include "msgq/library.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUESTION "(uuuuuaya(ayt))"
#define ANSWER "(bsv)"
#define READINGS 4 /* until two are equal */
#define REST_US (10 * G_USEC_PER_SEC)
#define WORKER_CHANNEL 3
#define MOST_TIMES                                                                             \
    4 /* of its time, where it waits for a processor: less than the daemon's patience */
#define MEMORY_AT_LEAST (G_GUINT64_CONSTANT (1) << 30)

typedef struct {
    const char *types;
    guint limit_ms;
    char *key; /* what the worker was made for; NULL: there is none */
    pid_t worker;
    int channel;          /* to the worker */
    GHashTable *failures; /* user and library to Failure */
} Server;

typedef struct {
    char *sentence;
    gint64 at;
} Failure;

typedef struct {
    guint32 pid, uid, gid; /* whose rights the library gets */
    MsgqRank rank;
    const char *library;
    GArray *modules; /* of MsgqModule */
} Question;

BASE_FREE (free_failure, Failure, failure, g_free (failure->sentence))

static void
clear_module (gpointer data)
{
    g_free (((MsgqModule *) data)->path);
}

static GVariant *
new_failure (const char *sentence)
{
    return g_variant_ref_sink (g_variant_new (ANSWER, FALSE, sentence,
                                              g_variant_new_boolean (FALSE)));
}

static void
parse_question (GVariant *variant, Question *question)
{
    g_autoptr (GVariantIter) modules = NULL;
    const char *path;
    guint64 bias;

    g_variant_get (variant, "(uuuuu^&aya(ayt))", &question->pid, &question->uid, &question->gid,
                   &question->rank.rank, &question->rank.size, &question->library, &modules);
    question->modules = g_array_new (FALSE, FALSE, sizeof (MsgqModule));
    g_array_set_clear_func (question->modules, clear_module);
    while (g_variant_iter_next (modules, "(^&ayt)", &path, &bias)) {
        BASE_APPEND (question->modules, MsgqModule, g_strdup (path), bias);
    }
}

/* ---- the worker ---- */

static GVariant *
dup_table (JobMessageQueue *queue)
{
    g_autoptr (JobMessageTable) table = job_message_table_new ();

    queue->rank = 0; /* the client knows its number */
    job_message_table_add (table, queue);
    return g_variant_ref_sink (job_message_table_encode (table));
}

/* A running rank changes while it is read. */
static GVariant *
read_steadily (MsgqLibrary *library, const MsgqRank *rank, GError **error)
{
    g_autoptr (GVariant) before = NULL;

    for (guint i = 0; i < READINGS; i++) {
        g_autoptr (JobMessageQueue) queue = msgq_library_read (library, rank, error);
        g_autoptr (GVariant) table = NULL;

        if (queue == NULL) {
            return NULL;
        }
        if (i == READINGS - 1) {
            queue->flags |= JOB_MESSAGE_QUEUE_CHANGING;
        }
        table = dup_table (g_steal_pointer (&queue));
        if (before != NULL && g_variant_equal (before, table)) {
            return g_steal_pointer (&table);
        }
        g_clear_pointer (&before, g_variant_unref);
        before = g_steal_pointer (&table);
    }
    return g_steal_pointer (&before);
}

static GVariant *
answer_in_worker (MsgqLibrary **library, const Question *question, const char *types)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (GVariant) table = NULL;

    if (*library == NULL) {
        *library = msgq_library_open (question->library,
                                      msgq_image_new (question->modules, types), &error);
    }
    if (*library != NULL) {
        msgq_library_move (*library, question->modules);
        table = read_steadily (*library, &question->rank, &error);
    }
    if (table == NULL) {
        g_autofree char *valid = g_utf8_make_valid (error->message, -1);

        return new_failure (valid);
    }
    return g_variant_ref_sink (g_variant_new (ANSWER, TRUE, "", table));
}

/* Half of the machine's, for the debug information that the library asks for. */
static guint64
get_memory_limit (void)
{
    guint64 all = (guint64) MAX (sysconf (_SC_PHYS_PAGES), 0)
                  * (guint64) MAX (sysconf (_SC_PAGESIZE), 0);

    return MAX (all / 2, MEMORY_AT_LEAST);
}

/* The rank's memory names the library: it gets at most the rights of the rank's owner,
 * restricted to reading the rank. Discards its output. */
static _Noreturn void
work (int client, const Question *first, pid_t server, const char *types)
{
    const BaseConfinement confinement = { .uid = first->uid,
                                          .gid = first->gid,
                                          .parent = server,
                                          .may_load = TRUE,
                                          .memory_bytes = get_memory_limit () };
    const int channel = WORKER_CHANNEL;
    MsgqLibrary *library = NULL;

    if (!base_confine (&confinement, client)) {
        _exit (1);
    }
    for (;;) {
        Question question = { 0 };
        g_autoptr (GVariant) message = base_channel_receive (channel, QUESTION, -1,
                                                             &question.rank.memory, NULL);
        g_autoptr (GVariant) answer = NULL;

        if (message == NULL) {
            _exit (0);
        }
        parse_question (message, &question);
        answer = answer_in_worker (&library, &question, types);
        g_array_unref (question.modules);
        close (question.rank.memory);
        if (!base_channel_send (channel, answer, -1)) {
            _exit (0);
        }
    }
}

/* ---- the server ---- */

static int
end_worker (Server *server, gboolean by_force)
{
    int status = 0;

    if (server->key == NULL) {
        return 0;
    }
    close (server->channel);
    if (by_force) {
        kill (server->worker, SIGKILL);
    }
    while (waitpid (server->worker, &status, 0) < 0 && errno == EINTR) {
    }
    g_clear_pointer (&server->key, g_free);
    return status;
}

static gboolean
start_worker (Server *server, const char *key, const Question *question)
{
    pid_t self = getpid ();
    int pair[2];

    if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
        return FALSE;
    }
    server->worker = fork ();
    if (server->worker == 0) {
        work (pair[1], question, self, server->types);
    }
    close (pair[1]);
    if (server->worker < 0) {
        close (pair[0]);
        return FALSE;
    }
    server->channel = pair[0];
    server->key = g_strdup (key);
    return TRUE;
}

/* A worker serves the ranks of one program and user, wherever its libraries are mapped. */
static char *
make_key (const Question *question)
{
    GString *key = g_string_new (NULL);

    g_string_append_printf (key, "%u:%u\n%s", question->uid, question->gid, question->library);
    for (guint i = 0; i < question->modules->len; i++) {
        g_string_append_printf (key, "\n%s",
                                g_array_index (question->modules, MsgqModule, i).path);
    }
    return g_string_free (key, FALSE);
}

static char *
describe_end (const char *library, int status, gboolean is_late, guint limit_ms)
{
    g_autofree char *name = g_path_get_basename (library);
    g_autofree char *valid = g_utf8_make_valid (name, -1);

    if (is_late) {
        return g_strdup_printf (
            "MPI's queue library %s did not answer within %.3g s; pddt ended it", valid,
            limit_ms / 1000.);
    }
    if (WIFSIGNALED (status)) {
        return g_strdup_printf ("MPI's queue library %s crashed: %s", valid,
                                strsignal (WTERMSIG (status)));
    }
    return g_strdup_printf ("MPI's queue library %s ended the process that had loaded it",
                            valid);
}

static char *
make_failure_key (const Question *question)
{
    return g_strdup_printf ("%u %s", question->uid, question->library);
}

static GVariant *
fail (Server *server, const Question *question, gboolean is_late)
{
    int status = end_worker (server, is_late);
    Failure *failure = g_new0 (Failure, 1);

    failure->sentence = describe_end (question->library, status, is_late, server->limit_ms);
    failure->at = g_get_monotonic_time ();
    g_hash_table_replace (server->failures, make_failure_key (question), failure);
    return new_failure (failure->sentence);
}

/* NULL: it may be loaded. */
static GVariant *
refuse_library (const Question *question)
{
    g_autofree char *real = realpath (question->library, NULL);
    g_autofree char *name = g_path_get_basename (question->library);
    g_autofree char *valid = g_utf8_make_valid (name, -1), *sentence = NULL;

    if (real == NULL || base_confine_is_safe_path (real, question->uid)) {
        return NULL; /* the worker reports a missing file */
    }
    sentence = g_strdup_printf (
        "pddt does not load MPI's queue library %s: users other than the program's "
        "owner can change it or a folder above it",
        valid);
    return new_failure (sentence);
}

/* A worker that hardly gets a processor is none that does not answer. FALSE: it is late. */
static gboolean
await_worker (const Server *server)
{
    GPollFD waiting = { server->channel, G_IO_IN, 0 };
    gint64 begin = g_get_monotonic_time (),
           queued_us = base_patience_get_queued_us (server->worker),
           limit_us = (gint64) server->limit_ms * 1000, left_us = limit_us, passed_us;
    gboolean has_come;

    do {
        has_come = g_poll (&waiting, 1, (gint) (left_us / 1000)) != 0;
        passed_us = g_get_monotonic_time () - begin;
        left_us = limit_us - passed_us + base_patience_get_queued_us (server->worker)
                  - queued_us;
    } while (!has_come && left_us > 1000 && passed_us < MOST_TIMES * limit_us);
    return has_come;
}

static GVariant *
answer_question (Server *server, GVariant *message, int memory)
{
    Question question = { 0 };
    g_autofree char *key = NULL, *failure_key = NULL;
    GVariant *answer = NULL;
    const Failure *failure;
    gboolean is_late = FALSE;

    parse_question (message, &question);
    key = make_key (&question);
    failure_key = make_failure_key (&question);
    failure = g_hash_table_lookup (server->failures, failure_key);
    if (failure != NULL && g_get_monotonic_time () - failure->at < REST_US) {
        answer = new_failure (failure->sentence);
    }
    if (answer == NULL && g_strcmp0 (key, server->key) != 0) {
        end_worker (server, TRUE);
        answer = refuse_library (&question);
        if (answer == NULL && !start_worker (server, key, &question)) {
            answer = new_failure (
                "cannot load MPI's queue library: cannot start a process for it");
        }
    }
    if (answer == NULL && base_channel_send (server->channel, message, memory)
        && !(is_late = !await_worker (server))) {
        answer = base_channel_receive (server->channel, ANSWER, (int) server->limit_ms, NULL,
                                       &is_late);
    }
    if (answer == NULL) {
        answer = fail (server, &question, is_late);
    }
    g_array_unref (question.modules);
    return answer;
}

/* Accepts the first client of this user and refuses all others. -1: no client. */
static int
accept_own (int listen_fd)
{
    int client;

    do {
        client = accept4 (listen_fd, NULL, NULL, SOCK_CLOEXEC);
        if (client >= 0 && base_channel_is_own (client)) {
            return client;
        }
        if (client >= 0) {
            close (client);
        }
    } while (client >= 0 || errno == EINTR || errno == ECONNABORTED);
    return -1;
}

void
msgq_server_run (int listen_fd, const char *types, guint limit_ms)
{
    Server server = { .types = types, .limit_ms = limit_ms };
    int client = accept_own (listen_fd);
    gboolean good = client >= 0;

    server.failures = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_failure);
    while (good) {
        int memory = -1;
        g_autoptr (GVariant) question = base_channel_receive (client, QUESTION, -1, &memory,
                                                              NULL);
        g_autoptr (GVariant) answer = question != NULL && memory >= 0
                                          ? answer_question (&server, question, memory)
                                          : NULL;

        good = answer != NULL && base_channel_send (client, answer, -1);
        if (memory >= 0) {
            close (memory);
        }
    }
    if (client >= 0) {
        close (client);
    }
    end_worker (&server, TRUE);
    g_hash_table_unref (server.failures);
}
