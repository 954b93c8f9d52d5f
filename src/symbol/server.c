/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows the files that were asked about, where their indexes are kept, and the socket. */
#include "base/channel.h"
#include "symbol/server.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <glib/gstdio.h>

#include "base/error.h"
#include "index/image.h"
#include "symbol/bind.h"
#include "symbol/demangle.h"
#include "symbol/fetch.h"
#include "symbol/once.h"
#include "symbol/scanner.h"

#define MAX_QUESTION (1u << 20)
#define MAX_CLIENTS 16
#define WAIT_MS 12000        /* for another process that makes the same index */

typedef struct {
    char *identity, *index_path;
    SymbolDwarf *dwarf;       /* loaded when needed */
    SymbolBinder *binder;
} File;

struct _SymbolServer {
    char *cache_folder, *spare_folder;
    gboolean owns_spare;
    gboolean was_late;        /* another process was waited for in vain: nobody is any more */
    GHashTable *files;        /* path to File */
    SymbolFetcher *fetcher;
};

static void
free_file (gpointer data)
{
    File *file = data;
    symbol_binder_free (file->binder);
    symbol_dwarf_free (file->dwarf);
    g_free (file->identity);
    g_free (file->index_path);
    g_free (file);
}

SymbolServer *
symbol_server_new (const char *cache_folder, const char *spare_folder)
{
    SymbolServer *server = g_new0 (SymbolServer, 1);
    server->cache_folder = cache_folder ? g_strdup (cache_folder)
                                        : g_build_filename (g_get_user_cache_dir (), "pddt", NULL);
    server->spare_folder = g_strdup (spare_folder);
    server->files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_file);
    server->fetcher = symbol_fetcher_new ();
    return server;
}

void
symbol_server_free (SymbolServer *server)
{
    if (!server)
        return;
    symbol_fetcher_free (server->fetcher);
    g_hash_table_unref (server->files);
    if (server->owns_spare)
        g_rmdir (server->spare_folder);
    g_free (server->cache_folder);
    g_free (server->spare_folder);
    g_free (server);
}

static char *
make_identity (const char *path, GError **error)
{
    struct stat info;
    if (stat (path, &info) != 0) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND, "cannot open %s: %s", path,
                     g_strerror (errno));
        return NULL;
    }
    return g_strdup_printf ("%s:%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT ":%" G_GINT64_FORMAT
                            ":%" G_GINT64_FORMAT ".%" G_GINT64_FORMAT, path,
                            (guint64) info.st_dev, (guint64) info.st_ino, (gint64) info.st_size,
                            (gint64) info.st_mtim.tv_sec, (gint64) info.st_mtim.tv_nsec);
}

static File *
find_file (SymbolServer *server, const char *path, GError **error)
{
    g_autofree char *identity = make_identity (path, error);
    if (!identity)
        return NULL;
    File *file = g_hash_table_lookup (server->files, path);
    if (file && strcmp (file->identity, identity) == 0)
        return file;
    file = g_new0 (File, 1);
    file->identity = g_steal_pointer (&identity);
    g_hash_table_replace (server->files, g_strdup (path), file);
    return file;
}

/* Says where its debug file is when a server had it; asks for it when nobody has one here. */
static SymbolElf *
open_elf (SymbolServer *server, const char *path, GError **error)
{
    SymbolElf *elf = symbol_elf_open (path, error);
    /* not for the vdso and what has no name any more */
    if (elf && elf->build_id && !g_str_has_prefix (path, "/proc/") &&
        !symbol_elf_has_section (elf, ".debug_info")) {
        g_autoptr (SymbolElf) here = symbol_elf_open_debug (elf);
        if (!here)
            elf->fetched = symbol_fetcher_find (server->fetcher, elf->build_id, path);
    }
    return elf;
}

static gboolean
load_file (SymbolServer *server, File *file, const char *path, GError **error)
{
    if (file->dwarf)
        return TRUE;
    SymbolElf *elf = open_elf (server, path, error);
    if (!elf)
        return FALSE;
    file->dwarf = symbol_dwarf_new (elf);
    file->binder = symbol_binder_new (file->dwarf);
    return TRUE;
}

/* By the build-id with what else decides the content: size, and the debug file's. */
static char *
make_index_name (const File *file, const SymbolElf *elf, const SymbolElf *debug)
{
    g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA1);
    g_checksum_update (sum, (const guchar *) file->identity, -1);
    if (!elf->build_id)
        return g_strdup_printf ("%s.idx", g_checksum_get_string (sum));
    return g_strdup_printf ("%s-%" G_GSIZE_MODIFIER "x-%" G_GSIZE_MODIFIER "x.idx",
                            elf->build_id, elf->size, debug ? debug->size : 0);
}

static gboolean
has_index (const char *index_path)
{
    IndexImage *image = index_image_open (index_path, NULL);
    gboolean good = image != NULL;
    index_image_unref (image);
    return good;
}

/* For what cannot be kept, or should not: a file that was missing may be there next time. */
static gboolean
write_spare (SymbolServer *server, File *file, const char *path, const char *name)
{
    if (!server->spare_folder) {
        server->spare_folder = g_dir_make_tmp ("pddt-index-XXXXXX", NULL);
        server->owns_spare = TRUE;
    }
    if (!server->spare_folder)
        return FALSE;
    g_autofree char *spare = g_build_filename (server->spare_folder, name, NULL);
    if (!symbol_scan_write (file->dwarf, path, spare, NULL))
        return FALSE;
    file->index_path = g_steal_pointer (&spare);
    return TRUE;
}

/* Nobody else makes the one at `cached`. */
static gboolean
write_index (SymbolServer *server, File *file, const char *path, const char *name,
             const char *cached, GError **error)
{
    g_autoptr (GError) local = NULL;
    if (!load_file (server, file, path, error))
        return FALSE;
    if (file->dwarf->n_missing && write_spare (server, file, path, name))
        return TRUE;
    if (symbol_scan_write (file->dwarf, path, cached, &local)) {
        file->index_path = g_strdup (cached);
        return TRUE;
    }
    if (write_spare (server, file, path, name))
        return TRUE;
    g_propagate_error (error, g_steal_pointer (&local));
    return FALSE;
}

static gboolean
make_index (SymbolServer *server, File *file, const char *path, GError **error)
{
    /* nothing is inflated or read before it is known that there is no index yet */
    g_autoptr (SymbolElf) elf = open_elf (server, path, error);
    if (!elf)
        return FALSE;
    g_autoptr (SymbolElf) debug = symbol_elf_open_debug (elf);
    g_autofree char *name = make_index_name (file, elf, debug);
    g_autofree char *cached = g_build_filename (server->cache_folder, name, NULL);
    gboolean late = FALSE;
    g_mkdir_with_parents (server->cache_folder, 0700);
    gboolean known = has_index (cached);
    if (!known) {
        int lock = symbol_once_begin (cached, server->was_late ? 0 : WAIT_MS, &late);
        server->was_late |= late;
        known = has_index (cached);
        gboolean made = known || write_index (server, file, path, name, cached, error);
        symbol_once_end (cached, lock);
        if (!made)
            return FALSE;
    }
    if (known)
        file->index_path = g_steal_pointer (&cached);
    return TRUE;
}

/* "" when nothing is. */
static char *
describe_missing (const SymbolDwarf *dwarf)
{
    if (!dwarf || !dwarf->n_missing)
        return g_strdup ("");
    g_autofree char *name = g_utf8_make_valid (dwarf->missing, -1);
    if (dwarf->n_missing == 1)
        return g_strdup_printf ("its debug information in %s is not to be found", name);
    return g_strdup_printf ("its debug information in %s and %u other files is not to be found",
                            name, dwarf->n_missing - 1);
}

static GVariant *
answer_open (SymbolServer *server, GVariant *arguments, GError **error)
{
    const char *path;
    g_variant_get (arguments, "(^&ay)", &path);
    File *file = find_file (server, path, error);
    if (!file)
        return NULL;
    if ((!file->index_path || access (file->index_path, R_OK) != 0) &&
        !make_index (server, file, path, error))
        return NULL;
    g_autofree char *note = describe_missing (file->dwarf);
    return g_variant_new ("(sbs)", file->index_path, symbol_fetcher_is_busy (server->fetcher), note);
}

/* Files whose debug information has come from a server since then are read again when asked for. */
static GVariant *
answer_arrivals (SymbolServer *server, GVariant *arguments, GError **error)
{
    guint32 from;
    g_variant_get (arguments, "(u)", &from);
    gboolean busy = symbol_fetcher_is_busy (server->fetcher);
    g_auto (GStrv) paths = symbol_fetcher_list (server->fetcher, from);
    for (guint i = 0; paths[i]; i++)
        g_hash_table_remove (server->files, paths[i]);
    return g_variant_new ("(b^aay)", busy, paths);
}

static GVariant *
answer_bind (SymbolServer *server, GVariant *arguments, GError **error)
{
    const char *path, *expression;
    guint64 pc;
    guint32 depth;
    g_variant_get (arguments, "(^&aytu^&ay)", &path, &pc, &depth, &expression);
    File *file = find_file (server, path, error);
    if (!file || !load_file (server, file, path, error))
        return NULL;
    return symbol_bind_expression (file->binder, pc, depth, expression, error);
}

static GVariant *
answer_variables (SymbolServer *server, GVariant *arguments, GError **error)
{
    const char *path;
    guint64 pc;
    guint32 depth;
    guint32 which;
    g_variant_get (arguments, "(^&aytuu)", &path, &pc, &depth, &which);
    File *file = find_file (server, path, error);
    if (!file || !load_file (server, file, path, error))
        return NULL;
    return symbol_bind_variables (file->binder, pc, depth, which, error);
}

static GVariant *
answer_type (SymbolServer *server, GVariant *arguments, GError **error)
{
    const char *path, *expression;
    guint64 pc;
    guint32 depth;
    gboolean expand;
    g_variant_get (arguments, "(^&aytu^&ayb)", &path, &pc, &depth, &expression, &expand);
    File *file = find_file (server, path, error);
    if (!file || !load_file (server, file, path, error))
        return NULL;
    g_autofree char *text = symbol_bind_type (file->binder, pc, depth, expression, expand, error);
    return text ? g_variant_new_take_string (g_utf8_make_valid (text, -1)) : NULL;
}

#define MAX_TYPES 1000

static GVariant *
answer_types (SymbolServer *server, GVariant *arguments, GError **error)
{
    const char *path, *part;
    g_variant_get (arguments, "(^&ay^&ay)", &path, &part);
    File *file = find_file (server, path, error);
    if (!file || !load_file (server, file, path, error))
        return NULL;
    return symbol_bind_type_names (file->binder, part, MAX_TYPES);
}

static GVariant *
answer_entry (SymbolServer *server, GVariant *arguments, GError **error)
{
    const char *path, *callee;
    guint64 pc;
    gsize size;
    g_autoptr (GVariant) bytes = NULL;
    g_variant_get (arguments, "(^&ayt^&ay@ay)", &path, &pc, &callee, &bytes);
    File *file = find_file (server, path, error);
    if (!file || !load_file (server, file, path, error))
        return NULL;
    const guint8 *expression = g_variant_get_fixed_array (bytes, &size, 1);
    GVariant *program = symbol_bind_entry_value (file->binder, pc, callee, expression, size);
    if (!program)
        g_set_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND, "the caller does not say");
    return program;
}

static GVariant *
answer_name (SymbolServer *server, GVariant *arguments, GError **error)
{
    const char *symbol;
    g_variant_get (arguments, "(^&ay)", &symbol);
    g_autofree char *name = symbol_demangle (symbol);
    g_autofree char *valid = g_utf8_make_valid (name ? name : symbol, -1);
    return g_variant_new_string (valid);
}

static const struct {
    const char *verb, *type;
    GVariant *(*answer) (SymbolServer *server, GVariant *arguments, GError **error);
} verbs[] = {
    { "open", "(ay)", answer_open },
    { "arrivals", "(u)", answer_arrivals },
    { "bind", "(aytuay)", answer_bind },
    { "variables", "(aytuu)", answer_variables },
    { "type", "(aytuayb)", answer_type },
    { "types", "(ayay)", answer_types },
    { "name", "(ay)", answer_name },
    { "entry", "(aytayay)", answer_entry },
};

GVariant *
symbol_server_answer (SymbolServer *server, GVariant *question)
{
    g_autoptr (GError) error = NULL;
    const char *verb;
    g_autoptr (GVariant) arguments = NULL;
    GVariant *content = NULL;
    g_variant_get (question, "(&sv)", &verb, &arguments);
    for (guint i = 0; i < G_N_ELEMENTS (verbs); i++) {
        if (strcmp (verbs[i].verb, verb) == 0 &&
            g_variant_is_of_type (arguments, G_VARIANT_TYPE (verbs[i].type)))
            content = verbs[i].answer (server, arguments, &error);
    }
    if (content)
        return g_variant_new ("(bv)", TRUE, content);
    g_autofree char *message = g_utf8_make_valid (error ? error->message
                                                        : "cannot understand question", -1);
    return g_variant_new ("(bv)", FALSE,
                          g_variant_new ("(is)", error ? error->code : BASE_ERROR_INVALID,
                                         message));
}

static gboolean
transfer (int fd, void *data, gsize size, gboolean out)
{
    guint8 *at = data;
    while (size) {
        gssize done = out ? send (fd, at, size, MSG_NOSIGNAL) : recv (fd, at, size, 0);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return FALSE;
        at += done;
        size -= done;
    }
    return TRUE;
}

/* FALSE: close the client. */
static gboolean
serve_question (SymbolServer *server, int fd)
{
    guint32 wire;
    if (!transfer (fd, &wire, 4, FALSE))
        return FALSE;
    guint32 size = GUINT32_FROM_LE (wire);
    if (!size || size > MAX_QUESTION)
        return FALSE;
    guint8 *bytes = g_malloc (size);
    if (!transfer (fd, bytes, size, FALSE)) {
        g_free (bytes);
        return FALSE;
    }
    g_autoptr (GVariant) question = g_variant_ref_sink (
        g_variant_new_from_data (G_VARIANT_TYPE ("(sv)"), bytes, size, FALSE, g_free, bytes));
    if (!g_variant_is_normal_form (question))
        return FALSE;
    g_autoptr (GVariant) answer = g_variant_ref_sink (symbol_server_answer (server, question));
    guint32 length = g_variant_get_size (answer);
    wire = GUINT32_TO_LE (length);
    return transfer (fd, &wire, 4, TRUE) &&
           transfer (fd, (void *) g_variant_get_data (answer), length, TRUE);
}

void
symbol_server_run (SymbolServer *server, int listen_fd)
{
    struct pollfd fds[MAX_CLIENTS + 1] = { { listen_fd, POLLIN, 0 } };
    guint n = 1;
    for (;;) {
        fds[0].events = n <= MAX_CLIENTS ? POLLIN : 0;
        if (poll (fds, n, -1) < 0 && errno != EINTR)
            return;
        for (guint i = n; i-- > 1;) {
            if (!fds[i].revents || ((fds[i].revents & POLLIN) && serve_question (server, fds[i].fd)))
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
            fds[n++] = (struct pollfd) { fd, POLLIN, 0 };
        else if (fd >= 0)
            close (fd);
    }
}
