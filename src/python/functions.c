/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions by name: in the modules that are loaded, and in the code of modules that still run, whose
 * functions are not all defined yet. */
#include "python/runtime-private.h"
#include "base/array.h"
#include <string.h>

#define MAX_WORD 200
#define MAX_FILE 4096
#define MAX_DEPTH 12u
#define MAX_CODES 20000u
#define MAX_WRAPPED 4u

typedef struct {
    PythonRuntime *runtime;
    const char *name;
    char **words; /* its parts */
    PythonOnFunction on_function;
    gpointer user;
    GHashTable *seen; /* addresses of code that was looked at */
} Search;

gboolean
python_is_agent_file (const char *file)
{
    static const char *const names[] = { "code",  "condition", "inject",  "names",
                                         "paths", "runner",    "sources", "support",
                                         "user",  "values",    NULL };
    const char *slash = strrchr (file, '/'), *name = slash != NULL ? slash + 1 : file;
    g_autofree char *word = g_str_has_prefix (name, "pddt_") && g_str_has_suffix (name, ".py")
                                ? g_strndup (name + 5, strlen (name) - 8)
                                : NULL;

    return g_str_has_prefix (file, "<pddt") || (word != NULL && g_strv_contains (names, word));
}

/* Where Python's own modules are: "…/lib/python3.11/…", on other systems "…/lib64/python3.11/…". */
static gboolean
is_standard (const char *file)
{
    static const char name[] = "/python3.";
    gboolean found = FALSE;

    /* the folder that Python is installed in may have such a name, too */
    for (const char *at = file; !found && (at = strstr (at, name)) != NULL; at++) {
        const char *minor = at + strlen (name);
        gsize n_digits = strspn (minor, G_CSET_DIGITS);

        found = n_digits > 0 && minor[n_digits + strspn (minor + n_digits, "dt")] == '/'
                && ((at - file >= 4 && strncmp (at - 4, "/lib", 4) == 0)
                    || (at - file >= 6 && strncmp (at - 6, "/lib64", 6) == 0));
    }
    return found;
}

gboolean
python_is_library_file (const char *file)
{
    return g_str_has_prefix (file, "<frozen ") || g_str_has_prefix (file, "<__array_function__")
           || g_str_has_prefix (file, "<decorator-gen")
           || g_str_has_prefix (file, "<attrs generated")
           || strstr (file, "/site-packages/") != NULL
           || strstr (file, "/dist-packages/") != NULL || is_standard (file);
}

char *
python_runtime_dup_code_file (PythonRuntime *runtime, guint64 code)
{
    const PythonCode *found = python_find_code (runtime, code);

    return found != NULL ? g_strdup (found->file) : NULL;
}

/* A module that is frozen into the interpreter tells the file that it was made of. */
static char *
find_frozen_file (Search *search, const char *file)
{
    g_autofree char *module = g_strndup (file + strlen ("<frozen "),
                                         strlen (file) - strlen ("<frozen >"));
    guint64 modules = python_runtime_find_sys (search->runtime, "modules"), object = 0,
            dict = 0, path = 0;

    return modules != 0 && python_dict_find_str (search->runtime, modules, module, &object)
                   && python_read_u64 (search->runtime,
                                       object + (guint64) search->runtime->layout->module_dict,
                                       &dict)
                   && python_dict_find_str (search->runtime, dict, "__file__", &path)
               ? python_read_str (search->runtime, path, MAX_FILE, NULL)
               : NULL;
}

static void
report (Search *search, const char *name, const PythonCode *code)
{
    g_autofree char *file = g_str_has_prefix (code->file, "<frozen ")
                                    && g_str_has_suffix (code->file, ">")
                                ? find_frozen_file (search, code->file)
                                : NULL;

    if (code->first_line > 0) {
        search->on_function (name, file != NULL ? file : code->file, code->first_line,
                             search->user);
    }
}

/* ---- objects ---- */

static guint64
find_code_of (PythonRuntime *runtime, guint64 function)
{
    for (guint64 at = 16; at <= 64; at += 8) {
        guint64 word;

        if (python_read_u64 (runtime, function + at, &word) && word != 0
            && python_find_code (runtime, word) != NULL) {
            return word;
        }
    }
    return 0;
}

/* The code that the source shows: of what a decorator, a property or a static method holds. */
static const PythonCode *
unwrap (PythonRuntime *runtime, guint64 object)
{
    const PythonCode *code = NULL;

    for (guint i = 0; i < MAX_WRAPPED && object != 0; i++) {
        const PythonType *type = python_find_object_type (runtime, object);
        guint64 inner = 0;

        if (type == NULL) {
            break;
        }
        if (strcmp (type->full_name, "function") == 0) {
            code = python_find_code (runtime, find_code_of (runtime, object));
        } else if (strcmp (type->full_name, "staticmethod") == 0
                   || strcmp (type->full_name, "classmethod") == 0
                   || strcmp (type->full_name, "property") == 0) {
            python_read_u64 (runtime, object + 16, &inner);
            object = inner;
            continue;
        }
        object = python_attributes_find (runtime, object, "__wrapped__");
    }
    return code;
}

/* What the words lead to from a module's names on. */
static void
follow (Search *search, guint64 dict, char **words)
{
    PythonRuntime *runtime = search->runtime;
    guint64 object = 0;

    if (words[0] == NULL || !python_dict_find_str (runtime, dict, words[0], &object)) {
        return;
    }
    for (guint i = 1; words[i] != NULL; i++) {
        const PythonType *type = python_find_object_type (runtime, object);
        const PythonType *self = type != NULL && (type->flags & PYTHON_FLAG_TYPE) != 0
                                     ? python_find_type (runtime, object)
                                     : NULL;
        guint64 inner = 0;

        if (self != NULL) {
            python_type_find (runtime, self, words[i], &inner, NULL);
        } else if (type != NULL && strcmp (type->full_name, "module") == 0
                   && python_read_u64 (runtime, object + (guint64) runtime->layout->module_dict,
                                       &dict)) {
            python_dict_find_str (runtime, dict, words[i], &inner);
        }
        if (inner == 0) {
            return;
        }
        object = inner;
    }
    const PythonCode *code = unwrap (runtime, object);

    if (code != NULL) {
        report (search, search->name, code);
    }
}

static gboolean
look_in_module (guint64 key, guint64 value, gpointer user)
{
    Search *search = user;
    g_autofree char *module = python_read_str (search->runtime, key, MAX_WORD, NULL);
    g_auto (GStrv) parts = module != NULL ? g_strsplit (module, ".", -1) : NULL;
    guint64 dict = 0;
    guint n = 0;

    if (module == NULL
        || !python_read_u64 (search->runtime,
                             value + (guint64) search->runtime->layout->module_dict, &dict)) {
        return TRUE;
    }
    follow (search, dict, search->words);
    while (parts[n] != NULL && search->words[n] != NULL
           && strcmp (parts[n], search->words[n]) == 0) {
        n++;
    }
    if (parts[n] == NULL && search->words[n] != NULL) {
        follow (search, dict, search->words + n);
    }
    return TRUE;
}

/* ---- code ---- */

static gboolean
ends_with (const char *path, const char *name)
{
    gsize length = strlen (path), n = strlen (name);

    return length >= n && strcmp (path + length - n, name) == 0
           && (length == n || path[length - n - 1] == '.');
}

static void look_in_code (Search *search, guint64 address, const char *path, guint depth);

/* co_consts is the one tuple of a code object that has code in it. */
static void
look_in_tuple (Search *search, guint64 tuple, const char *path, gboolean is_module, guint depth)
{
    PythonRuntime *runtime = search->runtime;
    guint64 count = 0;

    python_read_u64 (runtime, tuple + (guint64) runtime->layout->var_size, &count);
    for (guint64 i = 0; i < MIN (count, MAX_CODES); i++) {
        g_autofree char *inner = NULL;
        const PythonCode *code;
        const char *last;
        guint64 item = 0;

        if (!python_read_u64 (runtime, tuple + (guint64) runtime->layout->tuple_items + i * 8,
                              &item)
            || (code = python_find_code (runtime, item)) == NULL) {
            continue;
        }
        last = strrchr (code->function, '.');
        last = last != NULL ? last + 1 : code->function;
        inner = is_module ? g_strdup (last) : g_strconcat (path, ".", last, NULL);
        if (ends_with (inner, search->name)) {
            report (search, inner, code);
        }
        look_in_code (search, item, inner, depth + 1);
    }
}

static void
look_in_code (Search *search, guint64 address, const char *path, guint depth)
{
    PythonRuntime *runtime = search->runtime;
    gsize size = (gsize) runtime->layout->code_size;

    if (depth > MAX_DEPTH || g_hash_table_size (search->seen) > MAX_CODES
        || !g_hash_table_add (search->seen, GSIZE_TO_POINTER (address))) {
        return;
    }
    for (gsize at = 16; at + 8 <= size; at += 8) {
        guint64 word = 0;
        const PythonType *type;

        if (python_read_u64 (runtime, address + at, &word) && word != 0
            && (type = python_find_object_type (runtime, word)) != NULL
            && strcmp (type->full_name, "tuple") == 0) {
            look_in_tuple (search, word, path, strcmp (path, "<module>") == 0, depth);
        }
    }
}

static void
look_on_stacks (Search *search)
{
    g_autoptr (GArray) threads = python_runtime_read_threads (search->runtime, NULL);

    for (guint i = 0; threads != NULL && i < threads->len; i++) {
        g_autoptr (GPtrArray) frames
            = python_runtime_read_frames (search->runtime,
                                          &g_array_index (threads, PythonThread, i), NULL);

        BASE_EACH (frames, const PythonFrame, frame) {
            if (g_strcmp0 (frame->function, "<module>") == 0) {
                look_in_code (search, frame->code, frame->function, 0);
            }
        }
    }
}

void
python_runtime_find_functions (PythonRuntime *runtime, const char *name,
                               PythonOnFunction on_function, gpointer user)
{
    g_auto (GStrv) words = g_strsplit (name, ".", -1);
    g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
    Search search = { runtime, name, words, on_function, user, seen };
    guint64 modules = python_runtime_find_sys (runtime, "modules");

    if (*name == '\0') {
        return;
    }
    look_on_stacks (&search);
    if (modules != 0) {
        python_dict_foreach (runtime, modules, look_in_module, &search);
    }
}
