/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assigns requests to workers, decides whether an index must be made, and limits the time for
 * each file. */
#include "symbol/dispatcher.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/array.h"
#include "base/channel.h"
#include "base/error.h"
#include "symbol/cache.h"
#include "symbol/fetch.h"
#include "symbol/identity.h"
#include "symbol/once.h"
#include "symbol/server.h"
#include "symbol/worker.h"

#define QUESTION                                                                               \
    "(uusv)" /* user and group whose rights the reader has, and what symbol/server.h says */
#define MAX_CLIENTS 64
#define MAX_WORKERS 16
#define WAIT_MS 12000 /* for another process that makes the same index */
#define OWN_LIMIT_MS                                                                           \
    300000 /* of this user's own files; the index is kept, whoever waits for it */
#define OTHER_LIMIT_MS 20000
#define REST_MS 2000 /* of a question that has begun */

typedef struct {
    SymbolWorker *worker;
    guint64 used;
} Desk;

struct _SymbolDispatcher {
    SymbolCache *cache;
    SymbolFetchHelper *fetcher; /* NULL: no servers are named */
    gboolean was_late;          /* another process was waited for in vain: nobody is any more */
    GHashTable *desks;   /* "uid gid path", those of libdwarf with '!' in front, to Desk */
    GHashTable *unread;  /* "uid gid path" to why the macros cannot be read */
    GHashTable *fetched; /* path to where its debug file is that a server gave */
    guint64 n_used;
};

typedef struct {
    guint32 uid, gid;
    const char *verb, *path;
    GVariant *arguments;
    gboolean is_own;
    gboolean by_libdwarf; /* by a worker of its own, as that may crash */
} Question;

BASE_FREE (free_desk, Desk, desk, symbol_worker_free (desk->worker))

SymbolDispatcher *
symbol_dispatcher_new (const char *cache_folder)
{
    SymbolDispatcher *dispatcher = g_new0 (SymbolDispatcher, 1);
    g_autofree char *folder = cache_folder
                                  ? g_strdup (cache_folder)
                                  : g_build_filename (g_get_user_cache_dir (), "pddt", NULL);
    dispatcher->fetcher = symbol_fetch_helper_new ();
    dispatcher->cache = symbol_cache_new (folder);
    dispatcher->desks = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_desk);
    dispatcher->unread = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    dispatcher->fetched = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    return dispatcher;
}

BASE_FREE_PUBLIC (symbol_dispatcher_free, SymbolDispatcher, dispatcher,
                  g_hash_table_unref (dispatcher->desks);
                  g_hash_table_unref (dispatcher->unread);
                  g_hash_table_unref (dispatcher->fetched);
                  symbol_cache_free (dispatcher->cache);
                  symbol_fetch_helper_free (dispatcher->fetcher))

static GVariant *
new_failure (const GError *error)
{
    return g_variant_ref_sink (g_variant_new (SYMBOL_SERVER_ANSWER, FALSE,
                                              base_channel_pack_error (error)));
}

static GVariant *
refuse (void)
{
    g_autoptr (GError) error = NULL;
    base_error_set (&error, BASE_ERROR_INVALID, "cannot answer: the request is malformed");
    return new_failure (error);
}

/* ---- workers ---- */

static void
end_oldest (SymbolDispatcher *dispatcher)
{
    gpointer key, value, oldest = NULL;
    guint64 used = G_MAXUINT64;
    BASE_WALK (dispatcher->desks, &key, &value) {
        if (((Desk *) value)->used < used) {
            used = ((Desk *) value)->used;
            oldest = key;
        }
    }
    if (oldest)
        g_hash_table_remove (dispatcher->desks, oldest);
}

static char *
make_key (const Question *question)
{
    return g_strdup_printf ("%s%u %u %s", question->by_libdwarf ? "!" : "", question->uid,
                            question->gid, question->path);
}

static SymbolWorker *
find_worker (SymbolDispatcher *dispatcher, const Question *question)
{
    g_autofree char *key = make_key (question);
    Desk *desk = g_hash_table_lookup (dispatcher->desks, key);
    if (!desk) {
        if (g_hash_table_size (dispatcher->desks) >= MAX_WORKERS)
            end_oldest (dispatcher);
        SymbolWorker *worker = symbol_worker_new (question->uid, question->gid);
        if (!worker)
            return NULL;
        desk = g_new0 (Desk, 1);
        desk->worker = worker;
        g_hash_table_insert (dispatcher->desks, g_steal_pointer (&key), desk);
    }
    desk->used = ++dispatcher->n_used;
    return desk->worker;
}

static void
end_worker (SymbolDispatcher *dispatcher, const Question *question)
{
    g_autofree char *key = make_key (question);
    g_hash_table_remove (dispatcher->desks, key);
}

static GVariant *
describe_end (const Question *question, gboolean is_late, guint limit_ms)
{
    g_autofree char *path = g_utf8_make_valid (question->path, -1);
    g_autoptr (GError) error = NULL;
    if (question->by_libdwarf && !is_late)
        base_error_set (&error, BASE_ERROR_CORRUPT,
                        "cannot read the macros of %s: libdwarf, which reads them, crashes",
                        path);
    else if (is_late)
        base_error_set (&error, BASE_ERROR_TIMEOUT,
                        "cannot read debug information of %s: it took longer than %u s", path,
                        limit_ms / 1000);
    else
        base_error_set (&error, BASE_ERROR_CORRUPT,
                        "cannot read debug information of %s: every process that reads it "
                        "crashes",
                        path);
    return new_failure (error);
}

/* Retries once after a worker was killed from outside; one that its file crashes would crash
 * again. */
static GVariant *
ask_worker (SymbolDispatcher *dispatcher, const Question *question, GVariant *words,
            int *ret_fd)
{
    guint limit_ms = question->is_own && !question->by_libdwarf ? OWN_LIMIT_MS : OTHER_LIMIT_MS;
    gboolean is_late = FALSE;
    GVariant *answer = NULL;
    *ret_fd = -1;
    for (guint attempt = 0; attempt < 2 && !answer && !is_late; attempt++) {
        SymbolWorker *worker = find_worker (dispatcher, question);
        const char *place = g_hash_table_lookup (dispatcher->fetched, question->path);
        if (!worker) {
            g_autoptr (GError) error = NULL;
            base_error_set (&error, BASE_ERROR_DENIED,
                            "cannot read debug information: cannot start a process for it");
            return new_failure (error);
        }
        if (place) {
            gboolean late = FALSE;
            int none = -1;
            g_autoptr (GVariant) told
                = g_variant_ref_sink (g_variant_new (SYMBOL_SERVER_QUESTION, "fetched",
                                                     g_variant_new ("(^ay^ay)", question->path,
                                                                    place)));
            g_autoptr (GVariant) heard = symbol_worker_ask (worker, told, OTHER_LIMIT_MS, &none,
                                                            &late);
            if (none >= 0)
                close (none);
        }
        answer = symbol_worker_ask (worker, words, (int) limit_ms, ret_fd, &is_late);
        if (!answer)
            end_worker (dispatcher, question);
    }
    return answer ? answer : describe_end (question, is_late, limit_ms);
}

/* ---- macros ---- */

/* The text as bytes, with what it means: of an answer of the kind "(ay)". NULL: it has failed, and *ret_why says so. Caller
 * owns both. */
static char *
take_expanded (GVariant *answered, char **ret_why)
{
    g_autoptr (GVariant) content = NULL;
    g_autoptr (GError) error = NULL;
    gboolean good;
    char *text = NULL;
    g_variant_get (answered, SYMBOL_SERVER_ANSWER, &good, &content);
    if (good && g_variant_is_of_type (content, G_VARIANT_TYPE ("(ay)")))
        g_variant_get (content, "(^ay)", &text);
    else if (!good && g_variant_is_of_type (content, G_VARIANT_TYPE (BASE_CHANNEL_ERROR)))
        base_channel_unpack_error (content, &error);
    *ret_why = text ? NULL : g_strdup (error ? error->message : "its macros cannot be read");
    return text;
}

/* The expression with its macros replaced; NULL: they cannot be read, and *ret_why says so, which is not tried again. */
static char *
expand (SymbolDispatcher *dispatcher, const Question *question, guint64 pc, guint32 depth,
        const char *expression, char **ret_why)
{
    Question asked = *question;
    g_autofree char *key = make_key (question);
    const char *unread = g_hash_table_lookup (dispatcher->unread, key);
    int none = -1;
    if (unread) {
        *ret_why = g_strdup (unread);
        return NULL;
    }
    asked.by_libdwarf = TRUE;
    g_autoptr (GVariant) words
        = g_variant_ref_sink (g_variant_new (SYMBOL_SERVER_QUESTION, "macros",
                                             g_variant_new ("(^aytus^ay)", question->path, pc,
                                                            depth, "value", expression)));
    g_autoptr (GVariant) answered = ask_worker (dispatcher, &asked, words, &none);
    if (none >= 0)
        close (none);
    g_autofree char *desk = make_key (&asked);
    char *text = take_expanded (answered, ret_why);
    if (!text && !g_hash_table_contains (dispatcher->desks, desk))
        g_hash_table_insert (dispatcher->unread, g_steal_pointer (&key), g_strdup (*ret_why));
    return text;
}

/* Asks once more, with the macros of the expression replaced. */
static GVariant *
answer_expanded (SymbolDispatcher *dispatcher, const Question *question, int *ret_fd)
{
    g_autofree char *expression = NULL, *why = NULL, *expanded = NULL;
    gsize n = g_variant_n_children (question->arguments);
    guint64 pc;
    guint32 depth;
    GVariantBuilder arguments;
    g_variant_get_child (question->arguments, 1, "t", &pc);
    g_variant_get_child (question->arguments, 2, "u", &depth);
    g_variant_get_child (question->arguments, 3, "^ay", &expression);
    expanded = expand (dispatcher, question, pc, depth, expression, &why);
    g_variant_builder_init (&arguments, G_VARIANT_TYPE_TUPLE);
    for (gsize i = 0; i < n; i++) {
        g_autoptr (GVariant) child = g_variant_get_child_value (question->arguments, i);
        g_variant_builder_add_value (&arguments, child);
    }
    g_variant_builder_add (&arguments, "^ay", expanded ? expanded : expression);
    g_variant_builder_add (&arguments, "s", why ? why : "");
    g_autoptr (GVariant) words
        = g_variant_ref_sink (g_variant_new (SYMBOL_SERVER_QUESTION, question->verb,
                                             g_variant_builder_end (&arguments)));
    return ask_worker (dispatcher, question, words, ret_fd);
}

static gboolean
is_to_expand (GVariant *answered)
{
    g_autoptr (GVariant) content = NULL;
    gboolean good;
    g_variant_get (answered, SYMBOL_SERVER_ANSWER, &good, &content);
    return good && g_variant_is_of_type (content, G_VARIANT_TYPE (SYMBOL_SERVER_EXPAND));
}

static GVariant *
answer_words (SymbolDispatcher *dispatcher, const Question *question, GVariant *words,
              int *ret_fd)
{
    g_autoptr (GVariant) answered = ask_worker (dispatcher, question, words, ret_fd);
    gboolean is_bound = strcmp (question->verb, "bind") == 0
                        || strcmp (question->verb, "type") == 0;
    return is_bound && is_to_expand (answered) ? answer_expanded (dispatcher, question, ret_fd)
                                               : g_steal_pointer (&answered);
}

/* ---- indexes ---- */

static GVariant *
new_opened (SymbolDispatcher *dispatcher, const char *note)
{
    gboolean is_busy = symbol_fetch_helper_is_busy (dispatcher->fetcher);
    return g_variant_ref_sink (g_variant_new (SYMBOL_SERVER_ANSWER, TRUE,
                                              g_variant_new ("(bs)", is_busy, note)));
}

/* TRUE: a server's debug file is here, and the worker is to look again. Else its coming is noted among the
 * companions. */
static gboolean
look_for_debug (SymbolDispatcher *dispatcher, const Question *question, const char *build_id,
                GVariant **companions)
{
    GVariantBuilder all;
    if (!*build_id || !dispatcher->fetcher || !question->is_own
        || g_hash_table_contains (dispatcher->fetched, question->path))
        return FALSE;
    char *place = symbol_fetch_helper_find (dispatcher->fetcher, build_id, question->path);
    if (place) {
        g_hash_table_insert (dispatcher->fetched, g_strdup (question->path), place);
        return TRUE;
    }
    g_autofree char *wanted = symbol_fetcher_make_place (build_id);
    g_autofree char *identity = symbol_identity_read (wanted);
    g_variant_builder_init (&all, G_VARIANT_TYPE (SYMBOL_CACHE_COMPANIONS));
    for (gsize i = 0; i < g_variant_n_children (*companions); i++) {
        g_autoptr (GVariant) child = g_variant_get_child_value (*companions, i);
        g_variant_builder_add_value (&all, child);
    }
    g_variant_builder_add (&all, "(^ays)", wanted, identity);
    g_variant_unref (*companions);
    *companions = g_variant_ref_sink (g_variant_builder_end (&all));
    return FALSE;
}

/* The worker's index, as the answer to the client; entry NULL: it is not kept. */
static GVariant *
make_index (SymbolDispatcher *dispatcher, const Question *question, const char *entry,
            int *ret_fd)
{
    g_autoptr (GVariant) words
        = g_variant_ref_sink (g_variant_new (SYMBOL_SERVER_QUESTION, "open",
                                             g_variant_new ("(^ay)", question->path)));
    for (guint turn = 0; turn < 2; turn++) {
        g_autoptr (GVariant) answer = ask_worker (dispatcher, question, words, ret_fd);
        g_autoptr (GVariant) content = NULL, companions = NULL;
        const char *note, *build_id;
        gboolean good;
        g_variant_get (answer, SYMBOL_SERVER_ANSWER, &good, &content);
        if (!good || !g_variant_is_of_type (content, G_VARIANT_TYPE (SYMBOL_SERVER_OPENED)))
            return g_steal_pointer (&answer);
        g_variant_get (content, "(&s@" SYMBOL_CACHE_COMPANIONS "&s)", &note, &companions,
                       &build_id);
        if (turn == 0 && look_for_debug (dispatcher, question, build_id, &companions)) {
            if (*ret_fd >= 0)
                close (*ret_fd);
            continue;
        }
        if (*ret_fd < 0 || !symbol_cache_is_sealed (*ret_fd))
            break;
        /* a file that was missing may be there next time */
        if (entry && !*note)
            symbol_cache_store (dispatcher->cache, entry, companions, *ret_fd);
        return new_opened (dispatcher, note);
    }
    return describe_end (question, FALSE, 0);
}

static GVariant *
answer_open (SymbolDispatcher *dispatcher, const Question *question, int *ret_fd)
{
    g_autofree char *entry = question->is_own
                                 ? symbol_cache_make_path (dispatcher->cache, question->path,
                                                           dispatcher->fetcher != NULL)
                                 : NULL;
    gboolean late = FALSE;
    g_autofree char *key = make_key (question);
    g_hash_table_remove (dispatcher->unread, key);
    if (!entry)
        return make_index (dispatcher, question, NULL, ret_fd);
    *ret_fd = symbol_cache_find (entry);
    if (*ret_fd >= 0)
        return new_opened (dispatcher, "");
    int lock = symbol_once_begin (entry, dispatcher->was_late ? 0 : WAIT_MS, &late);
    dispatcher->was_late |= late;
    *ret_fd = symbol_cache_find (entry);
    GVariant *answer = *ret_fd >= 0 ? new_opened (dispatcher, "")
                                    : make_index (dispatcher, question, entry, ret_fd);
    symbol_once_end (entry, lock);
    return answer;
}

/* Files whose debug information has come from a server since then are read again when asked for. */
static GVariant *
answer_arrivals (SymbolDispatcher *dispatcher, GVariant *arguments)
{
    guint32 from;
    g_variant_get (arguments, "(u)", &from);
    gboolean is_busy = symbol_fetch_helper_is_busy (dispatcher->fetcher);
    g_auto (GStrv) paths = symbol_fetch_helper_list (dispatcher->fetcher, from);
    for (guint i = 0; paths[i]; i++) {
        Question question = { geteuid (), getegid (), NULL, paths[i], NULL, TRUE, FALSE };
        g_hash_table_remove (dispatcher->fetched, paths[i]);
        end_worker (dispatcher, &question);
        question.by_libdwarf = TRUE;
        end_worker (dispatcher, &question);
    }
    return g_variant_ref_sink (g_variant_new (SYMBOL_SERVER_ANSWER, TRUE,
                                              g_variant_new ("(b^aay)", is_busy, paths)));
}

static GVariant *
answer (SymbolDispatcher *dispatcher, GVariant *message, int *ret_fd)
{
    Question question = { 0 };
    g_autoptr (GVariant) arguments = NULL, first = NULL;
    *ret_fd = -1;
    g_variant_get (message, "(uu&sv)", &question.uid, &question.gid, &question.verb,
                   &arguments);
    question.arguments = arguments;
    question.is_own = question.uid == geteuid ();
    if (strcmp (question.verb, "arrivals") == 0
        && g_variant_is_of_type (arguments, G_VARIANT_TYPE ("(u)")))
        return answer_arrivals (dispatcher, arguments);
    if (!g_variant_is_of_type (arguments, G_VARIANT_TYPE ("r"))
        || g_variant_n_children (arguments) == 0)
        return refuse ();
    first = g_variant_get_child_value (arguments, 0);
    if (!g_variant_is_of_type (first, G_VARIANT_TYPE ("ay")))
        return refuse ();
    /* names of symbols are of any file */
    question.path = strcmp (question.verb, "name") == 0 ? "" : g_variant_get_bytestring (first);
    if (strcmp (question.verb, "open") == 0)
        return answer_open (dispatcher, &question, ret_fd);
    g_autoptr (GVariant) words = g_variant_ref_sink (g_variant_new (SYMBOL_SERVER_QUESTION,
                                                                    question.verb, arguments));
    question.by_libdwarf = strcmp (question.verb, "macros") == 0;
    return answer_words (dispatcher, &question, words, ret_fd);
}

/* FALSE: close the client. */
static gboolean
serve_question (SymbolDispatcher *dispatcher, int fd)
{
    int made = -1;
    g_autoptr (GVariant) question = base_channel_receive (fd, QUESTION, REST_MS, NULL, NULL);
    if (!question)
        return FALSE;
    g_autoptr (GVariant) said = answer (dispatcher, question, &made);
    gboolean good = base_channel_send (fd, said, made);
    if (made >= 0)
        close (made);
    return good;
}

void
symbol_dispatcher_run (SymbolDispatcher *dispatcher, int listen_fd)
{
    struct pollfd fds[MAX_CLIENTS + 1] = { { listen_fd, POLLIN, 0 } };
    guint n = 1;
    for (;;) {
        fds[0].events = n <= MAX_CLIENTS ? POLLIN : 0;
        if (poll (fds, n, -1) < 0 && errno != EINTR)
            return;
        for (guint i = n; i-- > 1;) {
            if (!fds[i].revents
                || ((fds[i].revents & POLLIN) && serve_question (dispatcher, fds[i].fd)))
                continue;
            close (fds[i].fd);
            fds[i] = fds[--n];
        }
        if (fds[0].revents & (POLLERR | POLLHUP | POLLNVAL))
            return;
        if (!(fds[0].revents & POLLIN))
            continue;
        int fd = accept4 (listen_fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0 && base_channel_is_own (fd))
            fds[n++] = (struct pollfd){ fd, POLLIN, 0 };
        else if (fd >= 0)
            close (fd);
    }
}
