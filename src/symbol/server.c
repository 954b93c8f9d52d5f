/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers requests about debug information, each for one file. */
#include "symbol/server.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/channel.h"
#include "base/error.h"
#include "symbol/bind.h"
#include "symbol/cache.h"
#include "symbol/demangle.h"
#include "symbol/macros.h"
#include "symbol/scanner.h"
#include "symbol/typed.h"

typedef struct {
    char *identity;
    SymbolDwarf *dwarf; /* loaded when needed */
    SymbolBinder *binder;
} File;

typedef struct {
    char *path, *identity;
} Companion;

struct _SymbolServer {
    GHashTable *files;   /* path to File */
    GHashTable *fetched; /* path to where its debug file is that a server gave */
    GArray *companions;  /* of Companion: files that were looked at */
};

BASE_FREE (free_file, File, file, symbol_binder_free (file->binder);
           symbol_dwarf_free (file->dwarf); g_free (file->identity))

static void
clear_companion (gpointer data)
{
    g_free (((Companion *) data)->path);
    g_free (((Companion *) data)->identity);
}

static void
note_companion (const char *path, const char *identity, gpointer user)
{
    SymbolServer *server = user;
    BASE_APPEND (server->companions, Companion, g_strdup (path), g_strdup (identity));
}

SymbolServer *
symbol_server_new (void)
{
    SymbolServer *server = g_new0 (SymbolServer, 1);
    server->files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_file);
    server->fetched = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    server->companions = g_array_new (FALSE, FALSE, sizeof (Companion));
    g_array_set_clear_func (server->companions, clear_companion);
    symbol_elf_set_witness (note_companion, server);
    return server;
}

BASE_FREE_PUBLIC (symbol_server_free, SymbolServer, server, symbol_elf_set_witness (NULL, NULL);
                  g_hash_table_unref (server->files); g_hash_table_unref (server->fetched);
                  g_array_unref (server->companions))

static char *
make_identity (const char *path, GError **error)
{
    struct stat info;
    if (stat (path, &info) != 0) {
        base_error_set (error, BASE_ERROR_NOT_FOUND, "cannot open %s: %s", path,
                        g_strerror (errno));
        return NULL;
    }
    return g_strdup_printf ("%s:%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT ":%" G_GINT64_FORMAT
                            ":%" G_GINT64_FORMAT ".%" G_GINT64_FORMAT,
                            path, (guint64) info.st_dev, (guint64) info.st_ino,
                            (gint64) info.st_size, (gint64) info.st_mtim.tv_sec,
                            (gint64) info.st_mtim.tv_nsec);
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

static gboolean
load_file (SymbolServer *server, File *file, const char *path, GError **error)
{
    if (file->dwarf)
        return TRUE;
    g_array_set_size (server->companions, 0);
    SymbolElf *elf = symbol_elf_open (path, error);
    if (!elf)
        return FALSE;
    elf->fetched = g_strdup (g_hash_table_lookup (server->fetched, path));
    file->dwarf = symbol_dwarf_new (elf);
    file->binder = symbol_binder_new (file->dwarf);
    return TRUE;
}

/* The index in sealed memory; -1. */
static int
make_index (const File *file, const char *path, GError **error)
{
    int memory = memfd_create ("pddt-index", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (memory < 0) {
        base_error_set (error, BASE_ERROR_DENIED, "cannot build the index of %s: %s", path,
                        g_strerror (errno));
        return -1;
    }
    if (symbol_scan_write_fd (file->dwarf, path, memory, error) && symbol_cache_seal (memory))
        return memory;
    if (error && !*error)
        base_error_set (error, BASE_ERROR_DENIED, "cannot seal the index of %s: %s", path,
                        g_strerror (errno));
    close (memory);
    return -1;
}

/* By which a server may know its debug file, when it has none here; not for the vdso and what has no name
 * any more. */
static const char *
get_wanted (const File *file, const char *path)
{
    const SymbolElf *elf = file->dwarf->elf;
    gboolean has_none = file->dwarf->debug == elf
                        && !symbol_elf_has_section (elf, ".debug_info");
    return has_none && elf->build_id && !g_str_has_prefix (path, "/proc/") ? elf->build_id : "";
}

/* "" when nothing is. */
static char *
describe_missing (const SymbolDwarf *dwarf)
{
    if (!dwarf || !dwarf->n_missing)
        return g_strdup ("");
    g_autofree char *name = g_utf8_make_valid (dwarf->missing, -1);
    if (dwarf->n_missing == 1)
        return g_strdup_printf ("its debug information in %s was not found", name);
    return g_strdup_printf ("its debug information in %s and %u other files was not found",
                            name, dwarf->n_missing - 1);
}

static GVariant *
answer_open (SymbolServer *server, GVariant *arguments, int *ret_fd, GError **error)
{
    const char *path;
    GVariantBuilder companions;
    g_variant_get (arguments, "(^&ay)", &path);
    g_hash_table_remove (server->files, path); /* what belongs to it is looked for anew */
    File *file = find_file (server, path, error);
    if (!file || !load_file (server, file, path, error))
        return NULL;
    int memory = make_index (file, path, error);
    if (memory < 0)
        return NULL;
    g_autofree char *note = describe_missing (file->dwarf);
    g_variant_builder_init (&companions, G_VARIANT_TYPE (SYMBOL_CACHE_COMPANIONS));
    BASE_EACH_ROW (server->companions, const Companion, companion) {
        g_variant_builder_add (&companions, "(^ays)", companion->path, companion->identity);
    }
    *ret_fd = memory;
    return g_variant_new (SYMBOL_SERVER_OPENED, note, &companions, get_wanted (file, path));
}

static GVariant *
answer_fetched (SymbolServer *server, GVariant *arguments, int *ret_fd, GError **error)
{
    const char *path, *place;
    g_variant_get (arguments, "(^&ay^&ay)", &path, &place);
    if (g_strcmp0 (g_hash_table_lookup (server->fetched, path), place) != 0) {
        g_hash_table_insert (server->fetched, g_strdup (path), g_strdup (place));
        g_hash_table_remove (server->files, path);
    }
    return g_variant_new ("(b)", TRUE);
}

/* What is to be done about the macros of an expression: "" in expanded, why: they have not been looked for; the same text: it
 * has none, or they could not be read, and why. */
typedef struct {
    const char *expanded, *why;
} Macros;

/* TRUE: the caller is to replace them first. */
static gboolean
wants_macros (const File *file, guint64 pc, guint32 depth, const char *expression,
              const Macros *macros)
{
    return !*macros->expanded && symbol_macros_are_there (file->binder, pc, depth, expression);
}

static const char *
get_expanded (const Macros *macros, const char *expression)
{
    return *macros->expanded && strcmp (macros->expanded, expression) != 0 ? macros->expanded
                                                                           : NULL;
}

/* What is not found may be one of those that could not be read. */
static void
say_why (const Macros *macros, GError **error)
{
    if (!*macros->why || !error || !g_error_matches (*error, BASE_ERROR, BASE_ERROR_NOT_FOUND))
        return;
    g_autofree char *message = (*error)->message;
    (*error)->message = g_strdup_printf ("%s; %s", message, macros->why);
}

static GVariant *
answer_bind (SymbolServer *server, GVariant *arguments, int *ret_fd, GError **error)
{
    const char *path, *expression;
    guint64 pc;
    guint32 depth;
    Macros macros = { "", "" };
    if (g_variant_n_children (arguments) == 6)
        g_variant_get (arguments, "(^&aytu^&ay^&ay&s)", &path, &pc, &depth, &expression,
                       &macros.expanded, &macros.why);
    else
        g_variant_get (arguments, "(^&aytu^&ay)", &path, &pc, &depth, &expression);
    File *file = find_file (server, path, error);
    if (!file || !load_file (server, file, path, error))
        return NULL;
    if (wants_macros (file, pc, depth, expression, &macros))
        return g_variant_new (SYMBOL_SERVER_EXPAND);
    GVariant *program = symbol_bind_expression (file->binder, pc, depth, expression,
                                                get_expanded (&macros, expression), error);
    if (!program)
        say_why (&macros, error);
    return program;
}

static GVariant *
answer_variables (SymbolServer *server, GVariant *arguments, int *ret_fd, GError **error)
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
answer_type (SymbolServer *server, GVariant *arguments, int *ret_fd, GError **error)
{
    const char *path, *expression;
    guint64 pc;
    guint32 depth;
    gboolean expand;
    Macros macros = { "", "" };
    if (g_variant_n_children (arguments) == 7)
        g_variant_get (arguments, "(^&aytu^&ayb^&ay&s)", &path, &pc, &depth, &expression,
                       &expand, &macros.expanded, &macros.why);
    else
        g_variant_get (arguments, "(^&aytu^&ayb)", &path, &pc, &depth, &expression, &expand);
    File *file = find_file (server, path, error);
    if (!file || !load_file (server, file, path, error))
        return NULL;
    if (wants_macros (file, pc, depth, expression, &macros))
        return g_variant_new (SYMBOL_SERVER_EXPAND);
    GVariant *program = symbol_bind_type (file->binder, pc, depth, expression,
                                          get_expanded (&macros, expression), expand, error);
    if (!program)
        say_why (&macros, error);
    return program;
}

/* Of an expression with what stands in front of it and behind it for the reader of expressions. */
static char *
expand_expression (const File *file, guint64 pc, guint32 depth, const char *expression,
                   GError **error)
{
    const char *from = expression, *end;
    if (*from == 1 && strchr (from + 1, 1))
        from = strchr (from + 1, 1) + 1;
    else if (*from == '/')
        from += strcspn (from, " ");
    end = from + strcspn (from, (char[]){ EVALUATE_KEPT_MARK, 0 });
    g_autofree char *front = g_strndup (expression, (gsize) (from - expression));
    g_autofree char *text = g_strndup (from, (gsize) (end - from));
    g_autofree char *expanded = symbol_macros_answer (file->binder, pc, depth, "value", text,
                                                      error);
    /* nothing is left to ask for: its names are those of variables */
    if (expanded && !*expanded)
        return g_strdup (expression);
    return expanded ? g_strconcat (front, *front == '/' ? " " : "", expanded, end, NULL) : NULL;
}

/* A text about a place in a file, and what is wanted of it; the texts are the arguments'. NULL: the file cannot be read. */
static File *
load_asked (SymbolServer *server, GVariant *arguments, guint64 *ret_pc, guint32 *ret_depth,
            const char **ret_what, const char **ret_text, GError **error)
{
    const char *path;
    g_variant_get (arguments, "(^&aytu&s^&ay)", &path, ret_pc, ret_depth, ret_what, ret_text);
    File *file = find_file (server, path, error);
    return file && load_file (server, file, path, error) ? file : NULL;
}

static GVariant *
answer_typed (SymbolServer *server, GVariant *arguments, int *ret_fd, GError **error)
{
    const char *what, *text;
    guint64 pc;
    guint32 depth;
    File *file = load_asked (server, arguments, &pc, &depth, &what, &text, error);
    if (!file)
        return NULL;
    g_autofree char *answered = symbol_typed_answer (file->binder, pc, depth, what, text,
                                                     error);
    return answered ? g_variant_new ("(^ay)", answered) : NULL;
}

static GVariant *
answer_macros (SymbolServer *server, GVariant *arguments, int *ret_fd, GError **error)
{
    const char *what, *text;
    guint64 pc;
    guint32 depth;
    File *file = load_asked (server, arguments, &pc, &depth, &what, &text, error);
    if (!file)
        return NULL;
    g_autofree char *answered = strcmp (what, "value") == 0
                                    ? expand_expression (file, pc, depth, text, error)
                                    : symbol_macros_answer (file->binder, pc, depth, what, text,
                                                            error);
    return answered ? g_variant_new ("(^ay)", answered) : NULL;
}

#define MAX_TYPES 1000

static GVariant *
answer_types (SymbolServer *server, GVariant *arguments, int *ret_fd, GError **error)
{
    const char *path, *part;
    g_variant_get (arguments, "(^&ay^&ay)", &path, &part);
    File *file = find_file (server, path, error);
    if (!file || !load_file (server, file, path, error))
        return NULL;
    return symbol_bind_type_names (file->binder, part, MAX_TYPES);
}

static GVariant *
answer_namelist (SymbolServer *server, GVariant *arguments, int *ret_fd, GError **error)
{
    const char *path, *name;
    guint64 pc;
    guint32 depth;
    g_variant_get (arguments, "(^&aytu^&ay)", &path, &pc, &depth, &name);
    File *file = find_file (server, path, error);
    if (!file || !load_file (server, file, path, error))
        return NULL;
    return symbol_bind_namelist (file->binder, pc, depth, name);
}

static GVariant *
answer_entry (SymbolServer *server, GVariant *arguments, int *ret_fd, GError **error)
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
        base_error_set (error, BASE_ERROR_NOT_FOUND,
                        "the caller's debug information does not "
                        "give the value");
    return program;
}

static GVariant *
answer_name (SymbolServer *server, GVariant *arguments, int *ret_fd, GError **error)
{
    const char *symbol;
    g_variant_get (arguments, "(^&ay)", &symbol);
    g_autofree char *name = symbol_demangle (symbol);
    g_autofree char *valid = g_utf8_make_valid (name ? name : symbol, -1);
    return g_variant_new_string (valid);
}

static const struct {
    const char *verb, *type;
    GVariant *(*answer) (SymbolServer *server, GVariant *arguments, int *ret_fd,
                         GError **error);
} verbs[] = {
    { "open", "(ay)", answer_open },
    { "fetched", "(ayay)", answer_fetched },
    { "bind", "(aytuay)", answer_bind },
    { "bind", "(aytuayays)", answer_bind },
    { "variables", "(aytuu)", answer_variables },
    { "type", "(aytuayb)", answer_type },
    { "type", "(aytuaybays)", answer_type },
    { "macros", "(aytusay)", answer_macros },
    { "typed", "(aytusay)", answer_typed },
    { "types", "(ayay)", answer_types },
    { "name", "(ay)", answer_name },
    { "entry", "(aytayay)", answer_entry },
    { "namelist", "(aytuay)", answer_namelist },
};

GVariant *
symbol_server_answer (SymbolServer *server, GVariant *question, int *ret_fd)
{
    g_autoptr (GError) error = NULL;
    const char *verb;
    g_autoptr (GVariant) arguments = NULL;
    GVariant *content = NULL;
    *ret_fd = -1;
    g_variant_get (question, "(&sv)", &verb, &arguments);
    for (guint i = 0; i < G_N_ELEMENTS (verbs); i++) {
        if (strcmp (verbs[i].verb, verb) == 0
            && g_variant_is_of_type (arguments, G_VARIANT_TYPE (verbs[i].type)))
            content = verbs[i].answer (server, arguments, ret_fd, &error);
    }
    if (content)
        return g_variant_new ("(bv)", TRUE, content);
    if (!error)
        base_error_set (&error, BASE_ERROR_INVALID, "cannot answer: the request is malformed");
    return g_variant_new ("(bv)", FALSE, base_channel_pack_error (error));
}
