/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the names of an expression are looked for: in the frame's file and in the others of the process. In a library's
 * frame the program's names come before those that only other units of the library have, as gdb has it. */
#include "engine/inspect/private.h"
#include "engine/modules/modules.h"

#include <string.h>

#define MAX_NAMES 32u /* that are looked at in an expression */

gboolean
engine_inspect_is_library (const StackModule *module)
{
    return !module->is_executable && !module->is_user;
}

static const EvaluateProgram *
bind_at (const EngineNative *scope, const StackModule *module, guint64 lookup,
         guint inline_depth, const EngineBound *bound, GError **error)
{
    IndexClient *symbols = scope->process->symbols;
    const char *path = stack_module_get_file (module);

    return bound->is_type
               ? index_client_bind_type (symbols, path, lookup, inline_depth, bound->text,
                                         bound->expand, error)
               : index_client_bind (symbols, path, lookup, inline_depth, bound->text, error);
}

static void
enter_module (EngineNative *scope, StackModule *module)
{
    scope->module = module;
    scope->lookup = 0;
    scope->inline_depth = 0;
    scope->context.bias = module->bias;
    scope->context.tls_offset = engine_native_get_tls_offset (module);
}

const EvaluateProgram *
engine_inspect_bind_elsewhere (EngineNative *scope, const EngineBound *bound,
                               gboolean in_libraries, GError **error)
{
    EngineProcess *process = scope->process;
    g_autofree char *name = error != NULL ? engine_inspect_dup_missing (*error) : NULL;

    ENGINE_EACH_MODULE (process, module) {
        g_autoptr (GError) local = NULL;
        gboolean is_library = engine_inspect_is_library (module);
        gboolean is_meant = module != scope->module && is_library == in_libraries
                            && (!is_library
                                || (name != NULL
                                    && engine_module_shares_variable (process, module, name)));
        IndexImage *image = is_meant ? engine_process_open_image (process, module) : NULL;
        const EvaluateProgram *program = image == NULL || !index_image_has_lines (image)
                                             ? NULL
                                             : bind_at (scope, module, 0, 0, bound, &local);

        if (!in_libraries && g_error_matches (local, BASE_ERROR, BASE_ERROR_INVALID)) {
            /* it is there, more than once */
            g_clear_error (error);
            g_propagate_error (error, g_steal_pointer (&local));
            return NULL;
        }
        if (program == NULL)
            continue;
        enter_module (scope, module);
        return program;
    }
    return NULL;
}

const EvaluateProgram *
engine_inspect_bind_here (EngineNative *scope, const EngineBound *bound, GError **error)
{
    g_autoptr (GError) local = NULL;
    const EvaluateProgram *program = bind_at (scope, scope->module, scope->lookup,
                                              scope->inline_depth, bound, &local);

    /* main's own, so that the answer is that they are gone */
    if (program == NULL && scope->process->ended && scope->inline_depth == EVALUATE_NO_FRAME
        && g_error_matches (local, BASE_ERROR, BASE_ERROR_NOT_FOUND))
        program = bind_at (scope, scope->module, scope->lookup, 0, bound, NULL);
    if (program == NULL)
        g_propagate_error (error, g_steal_pointer (&local));
    return program;
}

/* A file of the program has code of that name, not only its declaration. */
static gboolean
has_code (EngineProcess *process, const char *name)
{
    ENGINE_EACH_MODULE (process, module) {
        IndexImage *image = engine_inspect_is_library (module)
                                ? NULL
                                : engine_process_open_image (process, module);
        g_autoptr (GArray) found = image != NULL ? index_image_find_function (image, name)
                                                 : NULL;

        if (found != NULL && found->len > 0)
            return TRUE;
    }
    return FALSE;
}

/* The program itself has what it means by the name. What the frame's library shares is the same for both; a function that
 * the program only calls is another file's. */
static gboolean
is_the_programs (const EngineNative *scope, const char *name)
{
    const EngineBound bound = { .text = name };
    g_autoptr (GError) local = NULL;
    EngineNative other = *scope;
    const EvaluateProgram *program = engine_inspect_bind_elsewhere (&other, &bound, FALSE,
                                                                    &local);
    const char *type = program != NULL ? evaluate_program_get_type_name (program) : NULL;

    if (type == NULL)
        return local != NULL && strstr (local->message, " is ambiguous") != NULL;
    if (strchr (type, '(') != NULL && strstr (type, "(*") == NULL)
        return has_code (scope->process, name);
    return !engine_module_shares_variable (scope->process, scope->module, name);
}

static gboolean
is_name (char c)
{
    return g_ascii_isalnum (c) || c == '_' || c == ':';
}

/* The next name of the text that is neither a member's nor within quotes; *at is behind it then. NULL: there is none.
 * Caller owns. */
static char *
take_name (const char **at)
{
    const char *start, *before = "";

    while (**at != '\0') {
        start = *at;
        if (**at == '"' || **at == '\'') {
            for ((*at)++; **at != '\0' && **at != *start; (*at)++)
                *at += **at == '\\' && (*at)[1] != '\0';
            *at += **at != '\0';
        } else if (is_name (**at)) {
            while (is_name (**at))
                (*at)++;
            if (!g_ascii_isdigit (*start) && *before != '.' && *before != '>' && *before != '$'
                && *before != '\'' && strspn (start, ":") < (gsize) (*at - start))
                return g_strndup (start, (gsize) (*at - start));
        } else {
            (*at)++;
        }
        before = *start != ' ' ? *at - 1 : before;
    }
    return NULL;
}

/* A name that the frame and its unit do not know, but the program. NULL: there is none. Caller owns. */
static char *
dup_programs (const EngineNative *scope, const char *text)
{
    for (guint i = 0; i < MAX_NAMES; i++) {
        g_autofree char *name = take_name (&text);
        const EngineBound bound = { .text = name };
        g_autoptr (GError) error = NULL;

        if (name == NULL)
            return NULL;
        if (bind_at (scope, scope->module, scope->lookup,
                     scope->inline_depth | EVALUATE_OWN_UNIT, &bound, &error)
                == NULL
            && g_error_matches (error, BASE_ERROR, BASE_ERROR_NOT_FOUND)
            && is_the_programs (scope, name))
            return g_steal_pointer (&name);
    }
    return NULL;
}

/* Neither all the frame's own nor all the program's. FALSE: the program has none of the names. */
static gboolean
fail_mixed (const EngineNative *scope, const char *text, const GError *programs, GError **error)
{
    g_autofree char *name = dup_programs (scope, text);

    if (name == NULL)
        return FALSE;
    if (programs != NULL && g_error_matches (programs, BASE_ERROR, BASE_ERROR_INVALID))
        base_error_set (error, BASE_ERROR_INVALID, "%s", programs->message);
    else
        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "\"%s\" here is the program's, and other names are the library's: "
                        "ask for each alone",
                        name);
    return TRUE;
}

gboolean
engine_inspect_bind_first (EngineNative *scope, const EngineBound *bound,
                           const EvaluateProgram **ret_program, GError **error)
{
    g_autofree char *text = g_strdup (bound->text);
    EngineBound there = *bound;
    g_autoptr (GError) own = NULL, programs = NULL;

    *ret_program = NULL;
    if (!engine_inspect_is_library (scope->module) || scope->inline_depth == EVALUATE_NO_FRAME)
        return FALSE;
    *ret_program = bind_at (scope, scope->module, scope->lookup,
                            scope->inline_depth | EVALUATE_OWN_UNIT, bound, &own);
    if (*ret_program != NULL)
        return TRUE;
    if (!g_error_matches (own, BASE_ERROR, BASE_ERROR_NOT_FOUND))
        return FALSE;
    if (!bound->is_type)
        engine_inspect_expand (scope, &text); /* its macros are this place's */
    there.text = text;
    *ret_program = engine_inspect_bind_elsewhere (scope, &there, FALSE, &programs);
    return *ret_program != NULL || fail_mixed (scope, text, programs, error);
}
