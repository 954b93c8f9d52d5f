/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows the conversation with pddt-symbols (messages as base/channel.h has them): question (uusv), user and
 * group whose rights the reader of the file has, verb, arguments; answer (bv). A failed answer carries an
 * error as base/channel.h packs it. Paths and expressions are bytes ("ay", with their NUL).
 *   open   (ay)            (bs) debug files are being fetched; what is missing. The index comes as a
 *                          descriptor of sealed memory
 *   arrivals (u)           (baay) the same; files whose debug information has come, from that one on
 *   bind   (aytuay)        program
 *   variables (aytuu)      array of programs (which: EvaluateVariables)
 *   type   (aytuayb)       s
 *   macros (aytusay)       (ay) what (symbol/macros.h) is asked about a text's macros
 *   typed (aytusay)        (ay) types, as symbol/typed.h has them
 *   name   (ay)            s    a symbol as people write it
 *   entry  (aytayay)       program; arguments: path, return address, callee ("": not asked), DWARF
 *                          (empty: of the call's target) */
#include "index/client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/array.h"
#include "base/channel.h"
#include "base/error.h"
#include "evaluate/code.h"

#define TIMEOUT_S 20
#define MAX_WAITING 32 /* questions at once, each with a connection */
#define AT_ONCE_MS                                                                             \
    10 /* so long an answer is waited for before others are served: most come sooner */
#define BEHIND_MS                                                                              \
    1000 /* for a question that holds up all, while another waits without doing so */
#define SLOW_MS 3000 /* a file that has not been read by then is told of */
#define HUNG_MS 2000 /* as it has not answered last time */
#define HUNG_BEHIND_MS 100
#define N_LATELY 512u
#define REST_US 2000000 /* until it is asked again, by who holds up all or while it hangs */

struct _IndexClient {
    char *path;
    guint32 uid, gid;                /* whose rights the reader has */
    int fd;                          /* free for the next question; -1: there is none */
    int late_fd;                     /* of an answer that did not come in time; -1: of none */
    const IndexClientWaiter *waiter; /* NULL: all wait */
    guint n_waiting;                 /* questions that wait while others are served */
    gboolean is_hung;                /* the last answer that was due has not come */
    gint64 rest_until; /* whoever holds up all is refused until then; while it hangs, all are */
    GPtrArray *old_programs,
        *old_variables; /* forgotten; a question that still waits may use them */
    /* the last question was answered, or has ended a connection that stood */
    gboolean is_final;
    GHashTable *images;    /* identity to IndexImage */
    GHashTable *programs;  /* question to EvaluateProgram */
    GHashTable *variables; /* question to GPtrArray */
    GHashTable *failures;  /* question to GError: what cannot be bound stays so */
    GHashTable *texts;
    GQueue notes;        /* of what is missing, not told yet */
    gboolean is_waiting; /* debug files are being fetched */
    guint32 n_arrivals;
    GHashTable *identities; /* path to the identity that was opened last */
    struct {
        gpointer key; /* of variables; NULL: the place is free */
        guint64 pc, scope;
        GPtrArray *programs;
    } lately[N_LATELY]; /* as each frame of each stack asks for its own */
    GHashTable *asked;  /* what is being asked: identities and questions */
};

void
index_client_set_waiter (IndexClient *client, const IndexClientWaiter *waiter)
{
    client->waiter = waiter;
}

IndexClient *
index_client_new (const char *socket_path)
{
    return index_client_new_for (socket_path, geteuid (), getegid ());
}

IndexClient *
index_client_new_for (const char *socket_path, guint32 uid, guint32 gid)
{
    IndexClient *client = g_new0 (IndexClient, 1);
    client->uid = uid;
    client->gid = gid;
    client->path = g_strdup (socket_path);
    client->fd = client->late_fd = -1;
    client->images = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                            (GDestroyNotify) index_image_unref);
    client->programs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                              (GDestroyNotify) evaluate_program_free);
    client->variables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                               (GDestroyNotify) g_ptr_array_unref);
    client->failures = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                              (GDestroyNotify) g_error_free);
    client->texts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    client->identities = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    client->asked = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    client->old_programs
        = g_ptr_array_new_with_free_func ((GDestroyNotify) evaluate_program_free);
    client->old_variables = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
    return client;
}

/* One is enough for the questions that are asked one after the other. */
static void
put_back_connection (IndexClient *client, int fd)
{
    if (client->fd >= 0)
        close (client->fd);
    client->fd = fd;
}

void
index_client_free (IndexClient *client)
{
    if (!client)
        return;
    put_back_connection (client, -1);
    if (client->late_fd >= 0)
        close (client->late_fd);
    g_hash_table_unref (client->images);
    g_hash_table_unref (client->programs);
    g_hash_table_unref (client->variables);
    g_hash_table_unref (client->failures);
    g_hash_table_unref (client->texts);
    g_hash_table_unref (client->identities);
    g_hash_table_unref (client->asked);
    g_ptr_array_unref (client->old_programs);
    g_ptr_array_unref (client->old_variables);
    g_queue_clear_full (&client->notes, g_free);
    g_free (client->path);
    g_free (client);
}

/* -1: it cannot be reached; *ret_is_late: it takes no more, as it has not taken those before. */
static int
take_connection (IndexClient *client, gboolean *ret_is_late)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    struct timeval limit = { 1, 0 };
    int fd = client->fd;
    client->fd = -1;
    if (fd >= 0 || strlen (client->path) >= sizeof address.sun_path)
        return fd;
    strcpy (address.sun_path, client->path);
    fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    setsockopt (fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (connect (fd, (struct sockaddr *) &address, sizeof address) == 0
        && base_channel_is_own (fd) && fcntl (fd, F_SETFL, 0) == 0)
        return fd;
    *ret_is_late = errno == EAGAIN;
    close (fd);
    return -1;
}

static gboolean
is_readable (int fd, int limit_ms)
{
    struct pollfd waiting = { .fd = fd, .events = POLLIN };
    return poll (&waiting, 1, limit_ms) > 0;
}

typedef enum { EXCHANGE_DONE, EXCHANGE_GONE, EXCHANGE_LATE, EXCHANGE_INTERRUPTED } Exchange;

static gint64
choose_limit_ms (const IndexClient *client, gboolean serves_others)
{
    if (client->is_hung)
        return serves_others ? HUNG_MS : HUNG_BEHIND_MS;
    return serves_others || client->n_waiting == 0 ? TIMEOUT_S * 1000 : BEHIND_MS;
}

static gboolean
is_there (IndexClient *client, int fd, gint64 end)
{
    return client->waiter->wait (fd, end) && is_readable (fd, 0);
}

/* While others are served. file: NULL: nobody is told of it. */
static gboolean
wait_beside (IndexClient *client, int fd, const char *file, gint64 end)
{
    gint64 slow = MIN (end, g_get_monotonic_time () + SLOW_MS * 1000);
    if (!file || slow == end)
        return is_there (client, fd, end);
    if (is_there (client, fd, slow))
        return TRUE;
    if (g_get_monotonic_time () < slow)
        return FALSE;
    client->waiter->tell (file, INDEX_CLIENT_READING);
    gboolean has_come = is_there (client, fd, end);
    client->waiter->tell (file, has_come ? INDEX_CLIENT_READ : INDEX_CLIENT_NOT_READ);
    return has_come;
}

/* Until the answer begins. */
static Exchange
wait_for_answer (IndexClient *client, int fd, const char *file, gboolean serves_others,
                 gint64 limit_ms)
{
    gint64 end = g_get_monotonic_time () + limit_ms * 1000;
    gboolean has_come;
    if (is_readable (fd,
                     serves_others ? (client->n_waiting > 0 ? 0 : AT_ONCE_MS) : (int) limit_ms))
        return EXCHANGE_DONE;
    if (serves_others) {
        client->n_waiting++;
        has_come = wait_beside (client, fd, file, end);
        client->n_waiting--;
        if (has_come)
            return EXCHANGE_DONE;
        if (g_get_monotonic_time () < end)
            return EXCHANGE_INTERRUPTED;
    }
    client->is_hung |= limit_ms == TIMEOUT_S * 1000;
    client->rest_until = g_get_monotonic_time () + REST_US;
    return EXCHANGE_LATE;
}

/* An answer that nobody waits for any more has come, or its connection has ended: it can be asked again. */
static void
look_for_recovery (IndexClient *client)
{
    if (client->late_fd < 0 || !is_readable (client->late_fd, 0))
        return;
    close (client->late_fd);
    client->late_fd = -1;
    client->is_hung = FALSE;
    client->rest_until = 0;
}

/* file: that is read for it; NULL. The caller owns *ret_fd (-1: none came). */
static Exchange
exchange (IndexClient *client, GVariant *question, const char *file, GVariant **ret_answer,
          int *ret_fd)
{
    gboolean serves_others = client->waiter && client->waiter->serves_others ();
    gint64 limit_ms = choose_limit_ms (client, serves_others);
    Exchange state = EXCHANGE_GONE;
    gboolean is_late = FALSE;
    client->is_final = FALSE;
    look_for_recovery (client);
    if ((!serves_others || client->is_hung) && g_get_monotonic_time () < client->rest_until)
        return EXCHANGE_LATE;
    while (serves_others && client->n_waiting >= MAX_WAITING)
        if (!client->waiter->pause ())
            return EXCHANGE_INTERRUPTED;
    gint64 end = g_get_monotonic_time () + limit_ms * 1000;
    int fd = take_connection (client, &is_late);
    while (fd < 0 && is_late && serves_others && g_get_monotonic_time () < end) {
        if (!client->waiter->pause ())
            return EXCHANGE_INTERRUPTED;
        is_late = FALSE;
        fd = take_connection (client, &is_late);
    }
    if (fd < 0)
        return is_late ? EXCHANGE_LATE : EXCHANGE_GONE;
    if (base_channel_send (fd, question, -1))
        state = wait_for_answer (client, fd, file, serves_others, limit_ms);
    if (state == EXCHANGE_DONE) {
        client->n_waiting += serves_others;
        *ret_answer = base_channel_receive_beside (fd, "(bv)", TIMEOUT_S * 1000,
                                                   serves_others ? client->waiter->wait : NULL,
                                                   ret_fd, &is_late);
        client->n_waiting -= serves_others;
        state = *ret_answer ? EXCHANGE_DONE : is_late ? EXCHANGE_LATE : EXCHANGE_GONE;
    }
    client->is_final = state == EXCHANGE_DONE || state == EXCHANGE_GONE;
    if (state == EXCHANGE_DONE) {
        client->is_hung = FALSE;
        client->rest_until = 0;
        put_back_connection (client, fd);
    } else if (state == EXCHANGE_LATE && client->late_fd < 0) {
        client->late_fd = fd;
    } else {
        close (fd);
    }
    return state;
}

/* The content of a good answer, of the type; caller owns. */
static GVariant *
take_answer (GVariant *answer, const char *type, GError **error)
{
    gboolean good;
    g_autoptr (GVariant) content = NULL;
    if (!g_variant_is_normal_form (answer)) {
        base_error_set (error, BASE_ERROR_CORRUPT,
                        "cannot use the answer of pddt-symbols: it is malformed");
        return NULL;
    }
    g_variant_get (answer, "(bv)", &good, &content);
    if (good && g_variant_is_of_type (content, G_VARIANT_TYPE (type)))
        return g_steal_pointer (&content);
    if (!good && g_variant_is_of_type (content, G_VARIANT_TYPE (BASE_CHANNEL_ERROR))) {
        base_channel_unpack_error (content, error);
        return NULL;
    }
    base_error_set (error, BASE_ERROR_CORRUPT,
                    "cannot use the answer of pddt-symbols: it is malformed");
    return NULL;
}

/* Where many ranks want to know the same, one asks, and the others find what came of it. */
static void
await_other (IndexClient *client, const char *key)
{
    gboolean may_wait = client->waiter && client->waiter->serves_others ();
    while (may_wait && g_hash_table_contains (client->asked, key))
        may_wait = client->waiter->pause ();
}

static GVariant *
ask_for_file (IndexClient *client, const char *key, const char *verb, GVariant *arguments,
              const char *file, const char *type, int *ret_fd, GError **error)
{
    g_autoptr (GVariant) question = g_variant_ref_sink (g_variant_new ("(uusv)", client->uid,
                                                                       client->gid, verb,
                                                                       arguments));
    g_autoptr (GVariant) answer = NULL;
    Exchange state = EXCHANGE_GONE;
    *ret_fd = -1;
    g_hash_table_add (client->asked, g_strdup (key));
    for (guint attempt = 0; attempt < 2 && state == EXCHANGE_GONE; attempt++)
        state = exchange (client, question, file, &answer, ret_fd);
    g_hash_table_remove (client->asked, key);
    switch (state) {
    case EXCHANGE_DONE: return take_answer (answer, type, error);
    case EXCHANGE_INTERRUPTED:
        base_error_set (error, BASE_ERROR_TIMEOUT,
                        "interrupted: pddt-symbols has not answered yet");
        return NULL;
    case EXCHANGE_LATE:
        base_error_set (error, BASE_ERROR_TIMEOUT,
                        "cannot ask pddt-symbols: it does not answer in time; ask again later");
        return NULL;
    case EXCHANGE_GONE:
    default:
        base_error_set (error, BASE_ERROR_CORRUPT,
                        "cannot ask pddt-symbols: it does not answer");
        return NULL;
    }
}

static GVariant *
ask (IndexClient *client, const char *key, const char *verb, GVariant *arguments,
     const char *type, GError **error)
{
    int fd;
    GVariant *content = ask_for_file (client, key, verb, arguments, NULL, type, &fd, error);
    if (fd >= 0)
        close (fd);
    return content;
}

static char *
make_identity (const char *path)
{
    struct stat info;
    if (stat (path, &info) != 0)
        return NULL;
    return g_strdup_printf ("%s:%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT ":%" G_GINT64_FORMAT
                            ":%" G_GINT64_FORMAT,
                            path, (guint64) info.st_dev, (guint64) info.st_ino,
                            (gint64) info.st_mtim.tv_sec, (gint64) info.st_mtim.tv_nsec);
}

static gboolean
is_about (gpointer key, gpointer value, gpointer user_data)
{
    const char *path = user_data;
    gsize length = strlen (path);
    return strncmp (key, path, length) == 0 && ((const char *) key)[length] == '\n';
}

static void
retire (GHashTable *table, const char *path, GPtrArray *old)
{
    gpointer key, value;
    BASE_WALK (table, &key, &value) {
        if (is_about (key, value, (gpointer) path)) {
            g_hash_table_iter_steal (&iter);
            g_free (key);
            g_ptr_array_add (old, value);
        }
    }
}

static void
forget_bound (IndexClient *client, const char *path)
{
    if (client->n_waiting == 0) {
        g_ptr_array_set_size (client->old_programs, 0);
        g_ptr_array_set_size (client->old_variables, 0);
    }
    retire (client->programs, path, client->old_programs);
    retire (client->variables, path, client->old_variables);
    memset (client->lately, 0, sizeof client->lately);
    g_hash_table_foreach_remove (client->failures, is_about, (gpointer) path);
}

/* Another file stands under the name: what was bound is of the one before. */
static void
note_identity (IndexClient *client, const char *path, const char *identity)
{
    const char *before = g_hash_table_lookup (client->identities, path);
    if (before && strcmp (before, identity) == 0)
        return;
    if (before)
        forget_bound (client, path);
    g_hash_table_insert (client->identities, g_strdup (path), g_strdup (identity));
}

static gboolean
refuse_gone (const char *path, GError **error)
{
    if (!g_str_has_suffix (path, INDEX_CLIENT_GONE))
        return FALSE;
    g_autofree char *file = g_strndup (path, strlen (path) - strlen (INDEX_CLIENT_GONE));
    base_error_set (error, BASE_ERROR_GONE,
                    "cannot use %s: it was replaced or changed after the program loaded it",
                    file);
    return TRUE;
}

/* The same of a path that is kept somewhere since before the file was replaced. */
static gboolean
refuse_other (IndexClient *client, const char *path, GError **error)
{
    const char *known = g_hash_table_lookup (client->identities, path);
    g_autofree char *identity = known ? make_identity (path) : NULL;
    g_autofree char *gone = g_strconcat (path, INDEX_CLIENT_GONE, NULL);
    if (!known || g_strcmp0 (known, identity) == 0)
        return refuse_gone (path, error);
    return refuse_gone (gone, error);
}

IndexImage *
index_client_open_image (IndexClient *client, const char *path, GError **error)
{
    if (refuse_gone (path, error))
        return NULL;
    g_autofree char *identity = make_identity (path);
    if (!identity) {
        base_error_set (error, BASE_ERROR_NOT_FOUND, "cannot open %s: %s", path,
                        g_strerror (errno));
        return NULL;
    }
    note_identity (client, path, identity);
    IndexImage *image = g_hash_table_lookup (client->images, identity);
    if (image)
        return image;
    await_other (client, identity);
    image = g_hash_table_lookup (client->images, identity);
    if (image)
        return image;
    const GError *known = g_hash_table_lookup (client->failures, identity);
    if (known) {
        if (error)
            *error = g_error_copy (known);
        return NULL;
    }
    g_autoptr (GError) local = NULL;
    int fd;
    g_autoptr (GVariant) answer = ask_for_file (client, identity, "open",
                                                g_variant_new ("(^ay)", path), path, "(bs)",
                                                &fd, &local);
    if (answer) {
        const char *note;
        gboolean waiting;
        g_variant_get (answer, "(b&s)", &waiting, &note);
        if (note[0])
            g_queue_push_tail (&client->notes, g_strdup_printf ("%s: %s", path, note));
        client->is_waiting |= waiting;
        image = index_image_open_fd (fd, &local);
    }
    if (fd >= 0)
        close (fd);
    if (!image) {
        /* a file that ends pddt-symbols twice would do so at each stop */
        if (client->is_final)
            g_hash_table_insert (client->failures, g_steal_pointer (&identity),
                                 g_error_copy (local));
        g_propagate_error (error, g_steal_pointer (&local));
        return NULL;
    }
    IndexImage *other = g_hash_table_lookup (client->images, identity);
    if (other) {
        index_image_unref (image); /* who waited side by side has had it first */
        return other;
    }
    g_hash_table_insert (client->images, g_steal_pointer (&identity), image);
    return image;
}

char *
index_client_take_note (IndexClient *client)
{
    return g_queue_pop_head (&client->notes);
}

gboolean
index_client_is_waiting (const IndexClient *client)
{
    return client->is_waiting;
}

static gboolean
is_image_of (gpointer key, gpointer value, gpointer user_data)
{
    return g_str_has_prefix (key, user_data) && ((const char *) key)[strlen (user_data)] == ':';
}

char **
index_client_take_arrivals (IndexClient *client)
{
    g_autoptr (GVariant) answer = ask (client, "arrivals", "arrivals",
                                       g_variant_new ("(u)", client->n_arrivals), "(baay)",
                                       NULL);
    char **paths = NULL;
    gboolean waiting = FALSE;
    if (answer)
        g_variant_get (answer, "(b^aay)", &waiting, &paths);
    client->is_waiting = waiting;
    for (guint i = 0; paths && paths[i]; i++) {
        client->n_arrivals++;
        g_hash_table_remove (client->identities, paths[i]);
        g_hash_table_foreach_remove (client->images, is_image_of, paths[i]);
        g_hash_table_foreach_remove (client->failures, is_image_of, paths[i]);
        forget_bound (client, paths[i]);
    }
    return paths;
}

/* Remembers why a question has no answer, unless pddt-symbols itself was the reason. */
static void
keep_failure (IndexClient *client, const char *key, GError *local, GError **error)
{
    if (local->code == BASE_ERROR_NOT_FOUND || local->code == BASE_ERROR_INVALID
        || local->code == BASE_ERROR_UNSUPPORTED)
        g_hash_table_replace (client->failures, g_strdup (key), g_error_copy (local));
    g_propagate_error (error, local);
}

static gboolean
find_failure (IndexClient *client, const char *key, GError **error)
{
    const GError *known = g_hash_table_lookup (client->failures, key);
    if (known && error)
        *error = g_error_copy (known);
    return known != NULL;
}

/* Takes the program, of which another may have come while this one was waited for. */
static const EvaluateProgram *
keep_program (IndexClient *client, const char *key, EvaluateProgram *program)
{
    const EvaluateProgram *other = g_hash_table_lookup (client->programs, key);
    if (other) {
        evaluate_program_free (program);
        return other;
    }
    g_hash_table_insert (client->programs, g_strdup (key), program);
    return program;
}

/* The answer to a question of which nothing is kept under the key yet, kept from now on. Takes the
 * arguments, which are floating. */
static const EvaluateProgram *
ask_for_program (IndexClient *client, const char *path, const char *key, const char *verb,
                 GVariant *arguments, GError **error)
{
    g_autoptr (GVariant) question = g_variant_ref_sink (arguments);
    await_other (client, key);
    const EvaluateProgram *other = g_hash_table_lookup (client->programs, key);
    if (other)
        return other;
    if (refuse_other (client, path, error) || find_failure (client, key, error))
        return NULL;
    GError *local = NULL;
    g_autoptr (GVariant) answer = ask (client, key, verb, question, EVALUATE_PROGRAM_TYPE,
                                       &local);
    EvaluateProgram *program = answer ? evaluate_program_decode (answer, &local) : NULL;
    if (program)
        return keep_program (client, key, program);
    keep_failure (client, key, local, error);
    return NULL;
}

const EvaluateProgram *
index_client_bind (IndexClient *client, const char *path, guint64 pc, guint inline_depth,
                   const char *expression, GError **error)
{
    g_autofree char *key = g_strdup_printf ("%s\n%" G_GINT64_MODIFIER "x\n%u\n%s", path, pc,
                                            inline_depth, expression);
    const EvaluateProgram *program = g_hash_table_lookup (client->programs, key);
    return program ? program
                   : ask_for_program (client, path, key, "bind",
                                      g_variant_new ("(^aytu^ay)", path, pc, inline_depth,
                                                     expression),
                                      error);
}

const EvaluateProgram *
index_client_bind_type (IndexClient *client, const char *path, guint64 pc, guint inline_depth,
                        const char *expression, gboolean expand, GError **error)
{
    g_autofree char *key = g_strdup_printf ("%s\n%" G_GINT64_MODIFIER "x\n%u\n%s\n%d", path, pc,
                                            inline_depth, expression, expand);
    const EvaluateProgram *program = g_hash_table_lookup (client->programs, key);
    return program ? program
                   : ask_for_program (client, path, key, "type",
                                      g_variant_new ("(^aytu^ayb)", path, pc, inline_depth,
                                                     expression, expand),
                                      error);
}

GPtrArray *
index_client_bind_variables (IndexClient *client, const char *path, guint64 pc,
                             guint inline_depth, EvaluateVariables which, GError **error)
{
    guint64 scope = (guint64) inline_depth << 4 | which;
    guint at = (guint) ((pc * 31 + scope) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) >> 32)
               % N_LATELY;
    if (client->lately[at].key && client->lately[at].pc == pc
        && client->lately[at].scope == scope
        && is_about (client->lately[at].key, NULL, (gpointer) path))
        return client->lately[at].programs;
    g_autofree char *key = g_strdup_printf ("%s\n%" G_GINT64_MODIFIER "x\n%" G_GUINT64_FORMAT,
                                            path, pc, scope);
    gpointer kept = NULL, found = NULL;
    if (g_hash_table_lookup_extended (client->variables, key, &kept, &found)) {
        client->lately[at].key = kept;
        client->lately[at].pc = pc;
        client->lately[at].scope = scope;
        client->lately[at].programs = found;
        return found;
    }
    await_other (client, key);
    GPtrArray *programs = g_hash_table_lookup (client->variables, key);
    if (programs)
        return programs;
    if (refuse_other (client, path, error))
        return NULL;
    g_autoptr (GVariant) answer = ask (client, key, "variables",
                                       g_variant_new ("(^aytuu)", path, pc, inline_depth,
                                                      (guint32) which),
                                       "a" EVALUATE_PROGRAM_TYPE, error);
    if (!answer)
        return NULL;
    programs = g_ptr_array_new_with_free_func ((GDestroyNotify) evaluate_program_free);
    for (gsize i = 0; i < g_variant_n_children (answer); i++) {
        g_autoptr (GVariant) child = g_variant_get_child_value (answer, i);
        EvaluateProgram *program = evaluate_program_decode (child, error);
        if (!program) {
            g_ptr_array_unref (programs);
            return NULL;
        }
        g_ptr_array_add (programs, program);
    }
    GPtrArray *other = g_hash_table_lookup (client->variables, key);
    if (other) {
        g_ptr_array_unref (programs);
        return other;
    }
    g_hash_table_insert (client->variables, g_steal_pointer (&key), programs);
    return programs;
}

char *
index_client_describe_type (IndexClient *client, const char *path, guint64 pc,
                            guint inline_depth, const char *expression, gboolean expand,
                            GError **error)
{
    const EvaluateProgram *program = index_client_bind_type (client, path, pc, inline_depth,
                                                             expression, expand, error);
    return program ? evaluate_program_write_type (program, NULL) : NULL;
}

char *
index_client_ask_text (IndexClient *client, const char *verb, const char *path, guint64 pc,
                       guint inline_depth, const char *what, const char *text, GError **error)
{
    char *answered = NULL;
    if (refuse_other (client, path, error))
        return NULL;
    g_autoptr (GVariant) answer = ask (client, text, verb,
                                       g_variant_new ("(^aytus^ay)", path, pc, inline_depth,
                                                      what, text),
                                       "(ay)", error);
    if (answer)
        g_variant_get (answer, "(^ay)", &answered);
    return answered;
}

char **
index_client_find_namelist (IndexClient *client, const char *path, guint64 pc,
                            guint inline_depth, const char *name)
{
    if (refuse_other (client, path, NULL))
        return NULL;
    g_autoptr (GVariant) answer
        = ask (client, name, "namelist",
               g_variant_new ("(^aytu^ay)", path, pc, inline_depth, name), "as", NULL);
    return answer && g_variant_n_children (answer) > 0 ? g_variant_dup_strv (answer, NULL)
                                                       : NULL;
}

char **
index_client_find_types (IndexClient *client, const char *path, const char *text)
{
    if (refuse_other (client, path, NULL))
        return NULL;
    g_autoptr (GVariant) answer = ask (client, text, "types",
                                       g_variant_new ("(^ay^ay)", path, text), "as", NULL);
    return answer ? g_variant_dup_strv (answer, NULL) : NULL;
}

const char *
index_client_find_name (IndexClient *client, const char *symbol)
{
    const char *name = g_hash_table_lookup (client->texts, symbol);
    if (name || !g_str_has_prefix (symbol, "_Z"))
        return name ? name : symbol;
    await_other (client, symbol);
    name = g_hash_table_lookup (client->texts, symbol);
    if (name)
        return name;
    g_autoptr (GVariant) answer = ask (client, symbol, "name", g_variant_new ("(^ay)", symbol),
                                       "s", NULL);
    if (!answer)
        return symbol;
    if (!g_hash_table_contains (client->texts, symbol))
        g_hash_table_insert (client->texts, g_strdup (symbol),
                             g_variant_dup_string (answer, NULL));
    return g_hash_table_lookup (client->texts, symbol);
}

const EvaluateProgram *
index_client_bind_entry (IndexClient *client, const char *path, guint64 return_pc,
                         const char *callee, const guint8 *expression, gsize size)
{
    g_autofree char *hex = NULL;
    GString *text = g_string_new (NULL);
    for (gsize i = 0; i < size; i++)
        g_string_append_printf (text, "%02x", expression[i]);
    hex = g_string_free (text, FALSE);
    g_autofree char *key = g_strdup_printf ("%s\n%" G_GINT64_MODIFIER "x\n%s\n@%s", path,
                                            return_pc, callee ? callee : "", hex);
    EvaluateProgram *program = g_hash_table_lookup (client->programs, key);
    if (!program) {
        await_other (client, key);
        program = g_hash_table_lookup (client->programs, key);
    }
    if (program || refuse_other (client, path, NULL) || find_failure (client, key, NULL))
        return program;
    GError *local = NULL;
    GVariant *bytes = g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, expression, size, 1);
    g_autoptr (GVariant) answer = ask (client, key, "entry",
                                       g_variant_new ("(^ayt^ay@ay)", path, return_pc,
                                                      callee ? callee : "", bytes),
                                       EVALUATE_PROGRAM_TYPE, &local);
    program = answer ? evaluate_program_decode (answer, &local) : NULL;
    if (program)
        return keep_program (client, key, program);
    g_autoptr (GError) ignored = NULL;
    keep_failure (client, key, local, &ignored);
    return NULL;
}
