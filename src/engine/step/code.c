/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code as stepping sees it: calls, entries of linkage tables, prologues, and values that are returned. */
#include "engine/control/control.h"
#include "engine/modules/modules.h"
#include "engine/step/private.h"
#include "index/format.h"
#include <string.h>

gboolean
engine_step_is_call (EngineProcess *process, guint64 pc)
{
    guint8 code[MACHINE_MAX_INSTRUCTION];
    gsize size = base_memory_read_some (engine_process_get_memory (process), pc, code,
                                        sizeof code);

    return machine_code_is_call (code, size);
}

/* An entry of a linkage table that the loader has not resolved: the name tells. */
static guint64
find_by_name (EngineProcess *process, guint64 pc, guint64 lazy)
{
    guint8 code[MACHINE_MAX_INSTRUCTION];
    gsize size = base_memory_read_some (engine_process_get_memory (process), lazy, code,
                                        sizeof code);
    g_autofree char *name = NULL;
    guint64 address;
    guint32 index;

    if (!machine_code_find_unresolved (code, size, &index)) {
        return 0;
    }
    name = engine_modules_dup_jump_name (process, pc, index);
    return name != NULL && engine_process_find_symbol (process, name, &address) ? address : 0;
}

/* What frame 0 would be called at pc; NULL. */
static const char *
find_function (EngineProcess *process, guint64 pc)
{
    IndexImage *image;
    StackModule *module = engine_modules_find_image (process, pc, &image);
    IndexFrame frame = { 0 };

    return image != NULL && index_image_find_frames (image, pc - module->bias, &frame, 1) == 1
               ? frame.function
               : NULL;
}

/* The function at pc is one that compilers put in front of a virtual one, to correct the object's address: that one.
 * 0: it is none, or the code of that one has become its own. */
static guint64
find_behind_thunk (EngineProcess *process, guint64 pc, const guint8 *code, gsize size)
{
    static const char thunk[] = "virtual thunk to ";
    const char *name = find_function (process, pc), *behind;
    const char *at = name != NULL ? strstr (name, thunk) : NULL;
    g_autofree char *last = NULL;
    gsize length;
    guint64 target;

    if (at == NULL || (at != name && !g_str_has_prefix (name, "non-"))) {
        return 0;
    }
    target = machine_code_find_behind_thunk (code, size, pc);
    behind = target != 0 ? find_function (process, target) : NULL;
    if (behind == NULL) {
        return 0;
    }
    /* compilers and linkers spell the arguments of templates differently */
    behind = index_find_last_component (behind, &length);
    last = g_strndup (behind, length);
    return strstr (at + strlen (thunk), last) != NULL ? target : 0;
}

guint64
engine_step_find_target (EngineProcess *process, guint64 pc)
{
    /* a thunk keeps all arguments where nothing is optimised */
    guint8 code[32 * MACHINE_MAX_INSTRUCTION];
    gsize size = base_memory_read_some (engine_process_get_memory (process), pc, code,
                                        sizeof code);
    guint64 slot, value, target;

    target = find_behind_thunk (process, pc, code, size);
    if (target != 0) {
        return target;
    }
    if (!machine_code_find_slot (code, size, pc, &slot)
        || !base_memory_read_u64 (engine_process_get_memory (process), slot, &value, NULL)) {
        return pc;
    }
    if (stack_modules_find (engine_process_get_modules (process), value)
        != stack_modules_find (engine_process_get_modules (process), pc)) {
        return value;
    }
    target = find_by_name (process, pc, value);
    return target != 0 ? target : value;
}

guint64
engine_step_find_body (EngineProcess *process, guint64 pc)
{
    IndexImage *image;
    StackModule *module = engine_modules_find_image (process, pc, &image);

    return image != NULL ? index_image_find_body (image, pc - module->bias) + module->bias : pc;
}

/* ---- returned values ---- */

static char *
ask_type (EngineProcess *process, guint64 pc, const char *expression, gboolean expand)
{
    StackModule *module = stack_modules_find (engine_process_get_modules (process), pc);

    if (module == NULL || process->symbols == NULL || expression == NULL) {
        return NULL;
    }
    return index_client_describe_type (process->symbols, stack_module_get_file (module),
                                       pc - module->bias, 0, expression, expand, NULL);
}

/* "double (int, char *)" is what a function's type reads like. */
char *
engine_step_dup_return_type (EngineProcess *process, guint64 pc, const char *function)
{
    g_autofree char *text = ask_type (process, pc, function, FALSE);
    char *bracket = text != NULL ? strchr (text, '(') : NULL;

    /* integer(kind=4) (…): a kind is no list of arguments. */
    if (bracket != NULL && g_str_has_prefix (bracket, "(kind=")) {
        bracket = strchr (bracket + 1, '(');
    }
    if (bracket == NULL) {
        return NULL;
    }
    *bracket = '\0';
    return g_strdup (g_strstrip (text));
}

typedef enum {
    KIND_NONE,
    KIND_SIGNED,
    KIND_UNSIGNED,
    KIND_FLOAT,
    KIND_POINTER,
    KIND_BOOL,
    KIND_LOGICAL
} Kind;

static Kind
find_kind (const char *type, guint *ret_size)
{
    static const struct {
        const char *name;
        Kind kind;
        guint size;
    } rows[] = {
        { "int", KIND_SIGNED, 4 },
        { "long int", KIND_SIGNED, 8 },
        { "long", KIND_SIGNED, 8 },
        { "long long int", KIND_SIGNED, 8 },
        { "long long", KIND_SIGNED, 8 },
        { "short int", KIND_SIGNED, 2 },
        { "short", KIND_SIGNED, 2 },
        { "signed char", KIND_SIGNED, 1 },
        { "char", KIND_SIGNED, 1 },
        { "unsigned int", KIND_UNSIGNED, 4 },
        { "unsigned", KIND_UNSIGNED, 4 },
        { "long unsigned int", KIND_UNSIGNED, 8 },
        { "unsigned long", KIND_UNSIGNED, 8 },
        { "long long unsigned int", KIND_UNSIGNED, 8 },
        { "short unsigned int", KIND_UNSIGNED, 2 },
        { "unsigned char", KIND_UNSIGNED, 1 },
        { "float", KIND_FLOAT, 4 },
        { "double", KIND_FLOAT, 8 },
        { "bool", KIND_BOOL, 1 },
        { "_Bool", KIND_BOOL, 1 },
        { "integer(kind=4)", KIND_SIGNED, 4 },
        { "integer(kind=8)", KIND_SIGNED, 8 },
        { "real(kind=4)", KIND_FLOAT, 4 },
        { "real(kind=8)", KIND_FLOAT, 8 },
        { "logical(kind=4)", KIND_LOGICAL, 4 },
        { "size_t", KIND_UNSIGNED, 8 },
        { "ssize_t", KIND_SIGNED, 8 },
        { "int32_t", KIND_SIGNED, 4 },
        { "int64_t", KIND_SIGNED, 8 },
        { "uint32_t", KIND_UNSIGNED, 4 },
        { "uint64_t", KIND_UNSIGNED, 8 },
        { "unsigned long long", KIND_UNSIGNED, 8 },
    };

    if (g_str_has_prefix (type, "const ")) {
        type += strlen ("const ");
    }
    if (g_str_has_suffix (type, "*")) {
        *ret_size = 8;
        return KIND_POINTER;
    }
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        if (strcmp (type, rows[i].name) == 0) {
            *ret_size = rows[i].size;
            return rows[i].kind;
        }
    }
    return KIND_NONE;
}

static JobValue *
new_float (EngineThread *thread, const char *type, guint size)
{
    MachineResult result;
    double number;
    float small;
    g_autofree char *text = NULL;

    if (!engine_call_read_result (thread, &result)) {
        return NULL;
    }
    memcpy (&number, result.vectors, sizeof number);
    memcpy (&small, result.vectors, sizeof small);
    number = size == 4 ? (double) small : number;
    text = g_strdup_printf ("%.6g", number);
    return job_value_new_number (NULL, type, text, number);
}

JobValue *
engine_step_read_value (EngineThread *thread, const char *type)
{
    guint size = 0;
    Kind kind = type != NULL ? find_kind (type, &size) : KIND_NONE;
    guint shift = 64 - 8 * size;
    guint64 raw;
    g_autofree char *text = NULL;

    if (kind == KIND_NONE || !engine_thread_load_registers (thread)) {
        return NULL;
    }
    if (kind == KIND_FLOAT) {
        return new_float (thread, type, size);
    }
    raw = machine_registers_get_result (&thread->registers, 0) << shift >> shift;
    switch (kind) {
    case KIND_POINTER:
        text = g_strdup_printf ("0x%" G_GINT64_MODIFIER "x", raw);
        return job_value_new (NULL, type, text);
    case KIND_BOOL:
        return job_value_new_number (NULL, type, raw ? "true" : "false", raw ? 1 : 0);
    case KIND_LOGICAL: return job_value_new (NULL, type, raw ? ".true." : ".false.");
    case KIND_SIGNED:
        text = g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) (raw << shift) >> shift);
        return job_value_new_number (NULL, type, text,
                                     (double) ((gint64) (raw << shift) >> shift));
    default:
        text = g_strdup_printf ("%" G_GUINT64_FORMAT, raw);
        return job_value_new_number (NULL, type, text, (double) raw);
    }
}
