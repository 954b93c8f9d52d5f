/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of other files in an expression: looks up names that the frame's file does not know
 * in the dynamic symbol tables, and finds the return type in the file that defines them. */
#include "engine/control/control.h"
#include "engine/inspect/private.h"
#include "engine/modules/modules.h"
#include <string.h>

#define RESOLVE_TIMEOUT_MS 1000u
#define MAX_OUTSIDE 4u

char *
engine_inspect_dup_missing (const GError *error)
{
    const char *text = error != NULL
                               && g_error_matches (error, BASE_ERROR, BASE_ERROR_NOT_FOUND)
                               && g_str_has_prefix (error->message, "no symbol \"")
                           ? error->message + strlen ("no symbol \"")
                           : NULL;
    const char *end = text != NULL ? strchr (text, '"') : NULL;

    return end != NULL ? g_strndup (text, (gsize) (end - text)) : NULL;
}

static gboolean
is_word (char c)
{
    return g_ascii_isalnum (c) || c == '_';
}

/* Where the name is called in the text; NULL. */
static const char *
find_call (const char *text, const char *name)
{
    gsize length = strlen (name);

    for (const char *at = strstr (text, name); at != NULL; at = strstr (at + 1, name)) {
        const char *after = at + length + strspn (at + length, " ");

        if (*after == '(' && !is_word (at[length]) && (at == text || !is_word (at[-1])))
            return at;
    }
    return NULL;
}

/* The name by which the debug information knows the function, which may be another one. */
static const char *
find_own_name (EngineProcess *process, StackModule *module, guint64 address)
{
    IndexImage *image = engine_process_open_image (process, module);
    IndexFrame frames[1];

    return image != NULL
                   && index_image_find_frames (image, address - module->bias, frames, 1) > 0
               ? frames[0].function
               : NULL;
}

/* "unsigned long", "char *" of "unsigned long (const char *)", when every file knows these words. */
static char *
dup_return_type (EngineProcess *process, StackModule *module, guint64 address)
{
    static const char *const known[] = { "void",   "char",     "short",  "int",
                                         "long",   "unsigned", "signed", "float",
                                         "double", "const",    "",       NULL };
    const char *name = find_own_name (process, module, address);
    g_autofree char *type = name == NULL
                                ? NULL
                                : index_client_describe_type (process->symbols, module->path,
                                                              address - module->bias, 0, name,
                                                              FALSE, NULL);
    char *end = type != NULL ? strchr (type, '(') : NULL;
    g_auto (GStrv) words = NULL;

    if (end == NULL || end == type)
        return NULL;
    *end = '\0';
    g_strstrip (type);
    if (strcmp (type, "size_t") == 0)
        return g_strdup ("unsigned long");
    words = g_strsplit_set (type, " *", -1);
    for (guint i = 0; words[i] != NULL; i++)
        if (!g_strv_contains (known, words[i]))
            return NULL;
    return g_steal_pointer (&type);
}

static gboolean
ask_resolver (EngineThread *thread, guint64 *address)
{
    EngineProcess *process = thread->process;
    gboolean is_found;

    engine_process_end_caching (
        process); /* its code runs: what was read before may have changed */
    is_found = engine_call (thread, *address, 0, 0, RESOLVE_TIMEOUT_MS, address, NULL);
    engine_process_begin_caching (process);
    return is_found;
}

static gboolean
find_address (EngineThread *thread, const char *name, StackModule **ret_module,
              guint64 *ret_address)
{
    gboolean is_resolver = FALSE;

    *ret_module = engine_process_find_function (thread->process, name, ret_address,
                                                &is_resolver);
    return *ret_module != NULL && (!is_resolver || ask_resolver (thread, ret_address));
}

gboolean
engine_inspect_find_chosen (const EngineNative *scope, const char *name, guint64 *ret_address)
{
    gboolean is_resolver = FALSE;

    if (engine_process_find_function (scope->process, name, ret_address, &is_resolver) == NULL
        || !is_resolver)
        return FALSE;
    return scope->context.call == NULL || ask_resolver (scope->thread, ret_address);
}

/* The text with the first missing function's address in its place; NULL: it is not a function that
 * anybody shares. */
static char *
dup_rewritten (EngineThread *thread, const char *text, const GError *error)
{
    g_autofree char *name = engine_inspect_dup_missing (error);
    const char *at = name != NULL ? find_call (text, name) : NULL;
    g_autofree char *type = NULL;
    StackModule *module;
    guint64 address;

    if (at == NULL || !find_address (thread, name, &module, &address))
        return NULL;
    type = dup_return_type (thread->process, module, address);
    return g_strdup_printf ("%.*s%s%s%s%c%" G_GINT64_MODIFIER "x %s%c%s", (int) (at - text),
                            text, type != NULL ? "(" : "", type != NULL ? type : "",
                            type != NULL ? ") " : "", EVALUATE_OUTSIDE_MARK, address, name,
                            EVALUATE_OUTSIDE_MARK, at + strlen (name));
}

void
engine_inspect_expand (EngineNative *scope, char **text)
{
    char *expanded = index_client_ask_text (scope->process->symbols, "macros",
                                            stack_module_get_file (scope->module),
                                            scope->lookup, scope->inline_depth, "value", *text,
                                            NULL);

    if (expanded != NULL) {
        g_free (*text);
        *text = expanded;
    }
}

const EvaluateProgram *
engine_inspect_bind_outside (EngineNative *scope, const char *text, GError **error)
{
    g_autofree char *rewritten = g_strdup (text);
    IndexClient *symbols = scope->process->symbols;

    for (guint i = 0; i < MAX_OUTSIDE && error != NULL; i++) {
        char *next = dup_rewritten (scope->thread, rewritten, *error);
        const EvaluateProgram *program;

        if (next == NULL)
            return NULL;
        g_free (rewritten);
        rewritten = next;
        g_clear_error (error);
        program = index_client_bind (symbols, scope->module->path, scope->lookup,
                                     scope->inline_depth, rewritten, error);
        if (program != NULL)
            return program;
    }
    return NULL;
}

gboolean
engine_inspect_answer_from_outside (EngineProcess *process, const JobRequest *request)
{
    EngineInspection look;
    const JobFrame *frame;
    gboolean is_answered;

    if ((request->verb != JOB_VERB_LOCALS && request->verb != JOB_VERB_GLOBALS
         && request->verb != JOB_VERB_PRINT)
        || (request->flags & JOB_REQUEST_TRUTH) != 0
        || !engine_inspect_open (&look, process, NULL)) {
        return FALSE;
    }
    if (process->runtime != NULL) {
        python_runtime_invalidate (process->runtime);
    }
    frame = engine_inspect_find_value_frame (process, request, NULL);
    is_answered = frame != NULL && engine_inspect_answer_in_frame (&look, request, frame, NULL);
    engine_inspect_close (&look);
    return is_answered;
}
