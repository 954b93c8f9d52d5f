/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code as stepping sees it: calls, PLT entries (System V psABI x86-64, 5.2 "Procedure Linkage
 * Table"), prologues, and the registers that values are returned in (psABI 3.2.3). */
#include "engine/step-private.h"
#include <string.h>

gboolean
engine_step_is_call (EngineThread *thread)
{
    guint8 code[16];
    gsize size = base_memory_read_some (thread->process->memory, engine_thread_get_pc (thread),
                                        code, sizeof code);
    gsize i = 0;

    while (i < size
           && (code[i] == 0xf2 || code[i] == 0x3e || code[i] == 0x66
               || (code[i] & 0xf0) == 0x40)) {
        i++;
    }
    if (i >= size) {
        return FALSE;
    }
    return code[i] == 0xe8
           || (code[i] == 0xff && i + 1 < size && ((code[i + 1] >> 3) & 6) == 2);
}

static gsize
skip_landing (const guint8 *code, gsize size)
{
    static const guint8 endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

    return size >= 4 && memcmp (code, endbr64, 4) == 0 ? 4 : 0;
}

gboolean
engine_step_has_lines (EngineProcess *process, guint64 pc, guint64 home)
{
    IndexImage *image;
    StackModule *module = engine_modules_find_image (process, pc, &image);
    guint64 low, high;
    guint32 line;

    return image != NULL && (module->is_user || module->start == home)
           && index_image_find_step_range (image, pc - module->bias, &low, &high, &line)
           && line != 0;
}

/* push INDEX of an entry that the loader has not resolved: the name tells. */
static guint64
find_by_name (EngineProcess *process, guint64 pc, guint64 lazy)
{
    guint8 code[16];
    gsize size = base_memory_read_some (process->memory, lazy, code, sizeof code);
    gsize i = skip_landing (code, size);
    g_autofree char *name = NULL;
    guint64 address;
    guint32 index;

    if (i + 5 > size || code[i] != 0x68) {
        return 0;
    }
    memcpy (&index, code + i + 1, 4);
    name = engine_modules_dup_jump_name (process, pc, index);
    return name != NULL && engine_process_find_symbol (process, name, &address) ? address : 0;
}

/* The function at pc is one that compilers put in front of a virtual one, to correct the object's address. */
static gboolean
is_thunk (EngineProcess *process, guint64 pc)
{
    IndexImage *image;
    StackModule *module = engine_modules_find_image (process, pc, &image);
    IndexFrame frame = { 0 };

    return image != NULL && index_image_find_frames (image, pc - module->bias, &frame, 1) == 1
           && frame.function != NULL
           && (g_str_has_prefix (frame.function, "non-virtual thunk to ")
               || g_str_has_prefix (frame.function, "virtual thunk to "));
}

/* Where a thunk jumps to: behind additions to the object's address, which is in rdi, maybe of what its
 * vtable says (Itanium C++ ABI, 3.2.3). 0: it does something else. */
static guint64
find_behind_thunk (EngineProcess *process, guint64 pc)
{
    static const struct {
        guint8 bytes[3];
        guint size, operand;
    } skipped[] = {
        { { 0x48, 0x83, 0xef }, 3, 1 }, { { 0x48, 0x81, 0xef }, 3, 4 },
        { { 0x48, 0x83, 0xc7 }, 3, 1 }, { { 0x48, 0x81, 0xc7 }, 3, 4 },
        { { 0x4c, 0x8b, 0x17 }, 3, 0 }, { { 0x49, 0x03, 0x7a }, 3, 1 },
        { { 0x49, 0x03, 0xba }, 3, 4 },
    };
    guint8 code[48];
    gsize size = base_memory_read_some (process->memory, pc, code, sizeof code),
          i = skip_landing (code, size);
    gboolean is_found = TRUE;
    gint32 by;

    while (is_found) {
        is_found = FALSE;
        for (guint j = 0; j < G_N_ELEMENTS (skipped) && !is_found; j++) {
            is_found = i + 8 <= size
                       && memcmp (code + i, skipped[j].bytes, skipped[j].size) == 0;
            i += is_found ? skipped[j].size + skipped[j].operand : 0;
        }
    }
    if (i + 2 <= size && code[i] == 0xeb) {
        return pc + i + 2 + (guint64) (gint64) (gint8) code[i + 1];
    }
    if (i + 5 > size || code[i] != 0xe9) {
        return 0;
    }
    memcpy (&by, code + i + 1, 4);
    return pc + i + 5 + (guint64) (gint64) by;
}

guint64
engine_step_find_target (EngineProcess *process, guint64 pc)
{
    guint8 code[16];
    gsize size, i;
    gint32 displacement;
    guint64 slot, value, target;

    if (is_thunk (process, pc)) {
        target = find_behind_thunk (process, pc);
        return target != 0 ? target : pc;
    }
    size = base_memory_read_some (process->memory, pc, code, sizeof code);
    i = skip_landing (code, size);
    i += i < size && code[i] == 0xf2;
    if (i + 6 > size || code[i] != 0xff || code[i + 1] != 0x25) {
        return pc;
    }
    memcpy (&displacement, code + i + 2, 4);
    slot = pc + i + 6 + (guint64) (gint64) displacement;
    if (!base_memory_read_u64 (process->memory, slot, &value, NULL)) {
        return pc;
    }
    if (stack_modules_find (process->modules, value)
        != stack_modules_find (process->modules, pc)) {
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
    StackModule *module = stack_modules_find (process->modules, pc);

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
    IndexCallResult result;
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
