/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A native frame as bound programs see it: registers, thread-local storage, call site values,
 * and what is at an address. */
#include "engine/control/control.h"
#include "engine/inspect/private.h"
#include "engine/modules/modules.h"

#include <elf.h>

#define CALL_TIMEOUT_MS 2000u

gboolean
engine_native_read_register (gpointer user, guint number, guint64 *ret_value)
{
    const StackNativeFrame *native = user;

    if (number >= G_N_ELEMENTS (native->registers) || !(native->valid & (1u << number)))
        return FALSE;
    *ret_value = native->registers[number];
    return TRUE;
}

/* Flags, segments, and the units' control words: only as they are now; what the thread's storage begins at
 * holds for all frames. */
static gboolean
read_control (const EngineNative *scope, guint number, guint64 *ret_value)
{
    g_autoptr (GBytes) state = NULL;
    gsize size = 0;
    const guint8 *bytes;

    if (scope->number > 0 && !machine_registers_is_threads (number))
        return FALSE;
    if (number >= MACHINE_N_GENERAL
        && machine_registers_get (&scope->thread->registers, number, ret_value)) {
        return TRUE;
    }
    state = engine_thread_read_extended (scope->thread);
    bytes = state != NULL ? g_bytes_get_data (state, &size) : NULL;
    return machine_vectors_get_control (bytes, size, number, ret_value);
}

static gboolean
read_frame_register (gpointer user, guint number, guint64 *ret_value)
{
    const EngineNative *scope = user;

    return number >= MACHINE_N_GENERAL
               ? read_control (scope, number, ret_value)
               : engine_native_read_register ((gpointer) scope->native, number, ret_value);
}

/* Only of the innermost frame, as it is now. bytes: of a wide register; NULL: the control word `value`. */
static gboolean
write_extended (const EngineNative *scope, guint number, gboolean is_upper, const guint8 *bytes,
                guint64 value)
{
    g_autoptr (GBytes) state = NULL, changed = NULL;
    MachineVectors vectors;
    gboolean is_set;
    guint8 *data;
    gsize size;

    if (scope->number > 0 || scope->process->core != NULL)
        return FALSE;
    state = engine_thread_read_extended (scope->thread);
    if (state == NULL)
        return FALSE;
    vectors = engine_inspect_find_vectors (scope->process, state);
    data = g_bytes_unref_to_data (g_steal_pointer (&state), &size);
    is_set = bytes != NULL ? machine_vectors_set (&vectors, data, size, number, is_upper, bytes)
                           : machine_vectors_set_control (data, size, number, value);
    changed = g_bytes_new_take (data, size);
    return is_set && target_thread_write_extended (scope->thread->tid, changed);
}

/* An outer frame's register is where a callee has saved it, or in the thread's own as long as none has. Other
 * frames may have theirs in the same place: the stack is read anew. */
static gboolean
write_saved (EngineNative *scope, guint number, guint64 value)
{
    MachineRegisters *registers = &scope->thread->registers;
    const StackNativeFrame *native = scope->native;
    BaseMemoryReader *memory = engine_process_get_memory (scope->process);
    guint64 address, old;

    if (number >= G_N_ELEMENTS (native->registers) || !(native->valid & (1u << number)))
        return FALSE;
    if (stack_native_find_saved (native, number, &address)) {
        /* what a rule computes is saved nowhere, though it is given as an address */
        if (!base_memory_read_u64 (memory, address, &old, NULL)
            || old != native->registers[number]
            || !base_memory_write (memory, address, &value, sizeof value, NULL))
            return FALSE;
    } else if (!(native->unsaved & (1u << number))
               || !machine_registers_set (registers, number, value)) {
        return FALSE;
    } else {
        scope->thread->registers_changed = TRUE;
    }
    scope->has_called = TRUE;
    return TRUE;
}

static gboolean
write_register (gpointer user, guint number, guint64 value)
{
    EngineNative *scope = user;

    if (scope->process->core != NULL || !engine_thread_load_registers (scope->thread))
        return FALSE;
    if (scope->number > 0) {
        if (!write_saved (scope, number, value))
            return FALSE;
    } else if (!machine_registers_set (&scope->thread->registers, number, value)) {
        return write_extended (scope, number, FALSE, NULL, value);
    }
    scope->thread->registers_changed |= scope->number == 0;
    if (number
        < G_N_ELEMENTS (scope->native->registers)) /* the rest of the expression sees it */
        ((StackNativeFrame *) scope->native)->registers[number] = value;
    return TRUE;
}

/* A procedure that is there several times may be around this one in any of its frames. */
static gboolean
find_caller (gpointer user, guint64 low, guint64 size, guint64 *ret_cfa)
{
    const EngineNative *scope = user;
    gboolean found = FALSE;

    for (guint i = scope->number + 1; !scope->stack->incomplete && i < scope->stack->n_native;
         i++) {
        const StackNativeFrame *native = &scope->stack->native[i];
        guint64 pc = native->pc - scope->module->bias - (native->is_signal ? 0 : 1);

        if (pc < low || pc - low >= size || native->cfa == 0)
            continue;
        if (found)
            return FALSE;
        *ret_cfa = native->cfa;
        found = TRUE;
    }
    return found;
}

/* As it is in the innermost frame that knows it. */
static gboolean
read_kept_register (gpointer user, guint number, guint64 *ret_value)
{
    const EngineNative *scope = user;

    for (guint i = scope->number; i-- > 0;) {
        const StackNativeFrame *native = &scope->stack->native[i];

        if (engine_native_read_register ((gpointer) native, number, ret_value))
            return TRUE;
        if (native->is_signal)
            return FALSE;
    }
    return FALSE;
}

/* The upper half of a vector register is one of its own for programs. */
static gboolean
is_upper_half (guint *number)
{
    if (*number < EVALUATE_REGISTER_YMM) {
        return FALSE;
    }
    *number -= EVALUATE_REGISTER_YMM - MACHINE_FIRST_VECTOR;
    return TRUE;
}

/* Only what stands in them now is known. */
static gboolean
read_wide_register (gpointer user, guint number, gboolean is_kept, guint8 *ret_bytes)
{
    const EngineNative *scope = user;
    gboolean is_upper = is_upper_half (&number);
    MachineVectors vectors;
    g_autoptr (GBytes) state = NULL;
    const guint8 *bytes;
    gsize size;

    if (scope->number > 0 && !is_kept)
        return FALSE;
    if (BASE_ANY (i, scope->number, scope->stack->native[i].is_signal))
        return FALSE;
    state = engine_thread_read_extended (scope->thread);
    if (state == NULL)
        return FALSE;
    bytes = g_bytes_get_data (state, &size);
    vectors = engine_inspect_find_vectors (scope->process, state);
    return machine_vectors_get (&vectors, bytes, size, number, is_upper, ret_bytes);
}

static gboolean
write_wide_register (gpointer user, guint number, const guint8 *data)
{
    gboolean is_upper = is_upper_half (&number);

    return write_extended (user, number, is_upper, data, 0);
}

char *
engine_native_dup_symbol (EngineProcess *process, guint64 address)
{
    guint64 offset;
    const char *symbol = engine_modules_find_symbol_at (process, address, &offset);

    if (symbol == NULL)
        return NULL;
    symbol = index_client_find_name (process->symbols, symbol);
    return offset == 0 ? g_strdup (symbol)
                       : g_strdup_printf ("%s+%" G_GUINT64_FORMAT, symbol, offset);
}

static char *
describe_address (gpointer user, guint64 address)
{
    return engine_native_dup_symbol (((const EngineNative *) user)->process, address);
}

static guint64
find_copy (gpointer user, guint64 address)
{
    const EngineNative *scope = user;
    const StackModule *module = scope->module->is_executable ? NULL : scope->module;
    IndexImage *image = NULL;
    guint64 offset, copy;
    const char *symbol;

    if (module == NULL || engine_modules_find_image (scope->process, address, &image) != module
        || image == NULL)
        return address;
    symbol = index_image_find_symbol_at (image, address - module->bias, &offset);
    return symbol != NULL
                   && engine_process_find_shared (scope->process, symbol, STT_OBJECT, FALSE,
                                                  &copy)
               ? copy + offset
               : address;
}

static gboolean
find_shared (gpointer user, const char *name, guint64 *ret_address)
{
    const EngineNative *scope = user;

    return engine_process_find_shared (scope->process, name, STT_OBJECT, TRUE, ret_address)
           || engine_process_find_shared (scope->process, name, STT_FUNC, TRUE, ret_address)
           || engine_inspect_find_chosen (scope, name, ret_address);
}

guint
engine_inspect_count_inlined (const Stack *stack, const JobFrame *frame)
{
    guint depth = frame->native_index == 0 ? stack->n_hidden : 0;

    for (guint i = 0; i < stack->frames->len; i++) {
        const JobFrame *other = g_ptr_array_index (stack->frames, i);
        if (other == frame)
            break;
        if (!job_frame_is_python (other) && other->native_index == frame->native_index)
            depth++;
    }
    return depth;
}

guint64
engine_native_get_tls_offset (const StackModule *module)
{
    guint64 align = MAX (module->tls_align, 1);

    if (!module->is_executable || module->tls_size == 0 || (align & (align - 1)) != 0)
        return 0;
    /* as glibc has it: it begins as far from a multiple of its alignment as in the file */
    return module->tls_size + (-(module->tls_address + module->tls_size) & (align - 1));
}

/* glibc says in its own symbols, which libthread_db reads too, where its structures have what. */
static gboolean
read_field (EngineProcess *process, const char *symbol, guint64 base, guint64 *ret_value)
{
    guint32 field[3]; /* bits, number of elements, offset */
    guint64 address;

    *ret_value = 0;
    return engine_process_find_symbol (process, symbol, &address)
           && base_memory_read_some (engine_process_get_memory (process), address, field,
                                     sizeof field)
                  == sizeof field
           && field[0] <= 64
           && base_memory_read_some (engine_process_get_memory (process), base + field[2],
                                     ret_value, field[0] / 8)
                  == field[0] / 8;
}

gboolean
engine_native_find_tls_block (EngineThread *thread, guint64 number, guint64 *ret_block)
{
    BaseMemoryReader *memory = engine_process_get_memory (thread->process);
    guint64 vector, size, block;

    if (number == 0 || number > 1 << 20
        || !read_field (thread->process, "_thread_db_pthread_dtvp",
                        machine_registers_get_thread_pointer (&thread->registers), &vector)
        || base_memory_read_some (memory, vector - 16, &size, 8) < 8 || number > size
        || base_memory_read_some (memory, vector + number * 16, &block, 8) < 8
        || block == G_MAXUINT64 || block == 0)
        return FALSE;
    *ret_block = block;
    return TRUE;
}

/* The block of a shared library: by the loader's number of the module, in the thread's vector. */
static gboolean
find_tls_block (gpointer user, guint64 *ret_address)
{
    const EngineNative *scope = user;
    EngineProcess *process = scope->process;
    guint64 debug, map = 0, number, link[4];

    if (!engine_process_find_symbol (process, "_r_debug", &debug)
        || base_memory_read_some (engine_process_get_memory (process), debug + 8, &map, 8) < 8)
        return FALSE;
    for (guint i = 0; map != 0 && i < 4096; i++, map = link[3]) {
        if (base_memory_read_some (engine_process_get_memory (process), map, link, sizeof link)
            < sizeof link)
            return FALSE;
        if (link[0] == scope->module->bias && !(i == 0 && !scope->module->is_executable))
            break;
    }
    return map != 0 && read_field (process, "_thread_db_link_map_l_tls_modid", map, &number)
           && engine_native_find_tls_block (scope->thread, number, ret_address);
}

static gboolean find_entry_value (gpointer user, const guint8 *expression, gsize size,
                                  guint64 *ret_value);

/* Looks from the process's main file, outside of all functions. FALSE: it has no main function. */
static gboolean
look_from_main (EngineNative *scope)
{
    EngineProcess *process = scope->process;
    g_autoptr (GPtrArray) places = engine_modules_find_main (process);
    const EnginePlace *place = places->len > 0 ? g_ptr_array_index (places, 0) : NULL;

    scope->inline_depth = EVALUATE_NO_FRAME;
    scope->module = place != NULL ? stack_modules_find (engine_process_get_modules (process),
                                                        place->address)
                                  : NULL;
    if (scope->module == NULL) {
        return FALSE;
    }
    scope->lookup = place->address - scope->module->bias;
    return TRUE;
}

/* Of the native frame `number`. Code that belongs to no file, as programs make it while they run, has no names of its own:
 * it is seen from main's file. FAULT: its registers are not known; NOT_FOUND: no such file either. */
static gboolean
open_native (EngineNative *scope, EngineThread *thread, const Stack *stack, guint number,
             GError **error)
{
    EngineProcess *process = thread->process;
    const StackNativeFrame *native;
    gboolean is_return;

    if (number >= stack->n_native) {
        base_error_set (error, BASE_ERROR_FAULT, "the frame's registers are not known");
        return FALSE;
    }
    native = &stack->native[number];
    is_return = number > 0 && !native->is_signal;
    *scope = (EngineNative){
        .process = process, .thread = thread, .stack = stack, .number = number, .native = native
    };
    scope->module = stack_modules_find (engine_process_get_modules (process), native->pc);
    if (scope->module != NULL) {
        scope->lookup = native->pc - scope->module->bias - (is_return ? 1 : 0);
    } else if (!look_from_main (scope)) {
        base_error_set (error, BASE_ERROR_NOT_FOUND,
                        "no file is mapped at the frame's address");
        return FALSE;
    }
    scope->context = (EvaluateContext){
        .memory = engine_process_get_memory (process),
        .read_register = read_frame_register,
        .user = scope,
        .describe_address = describe_address,
        .find_copy = find_copy,
        .find_shared = find_shared,
        .find_entry_value = find_entry_value,
        .find_caller = find_caller,
        .read_kept_register = read_kept_register,
        .read_wide_register = read_wide_register,
        .find_tls_block = find_tls_block,
        .write_register = write_register,
        .write_wide_register = write_wide_register,
        .bias = scope->module->bias,
        .cfa = native->cfa,
        .fs_base = machine_registers_get_thread_pointer (&thread->registers),
        .tls_offset = engine_native_get_tls_offset (scope->module)
    };
    if (process->symbols == NULL) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "cannot evaluate: no symbol service runs");
        return FALSE;
    }
    return TRUE;
}

/* TRUE: the call's target, worked out in the caller's frame, is the function at entry. */
static gboolean
is_called_there (const EngineNative *caller, guint64 entry)
{
    const EvaluateProgram *program
        = index_client_bind_entry (caller->process->symbols,
                                   stack_module_get_file (caller->module), caller->lookup + 1,
                                   NULL, NULL, 0);
    g_autoptr (JobValue) value
        = program != NULL ? evaluate_program_run (program, &caller->context, NULL, NULL) : NULL;

    return value != NULL && !value->is_problem && value->text != NULL
           && g_ascii_strtoull (value->text, NULL, 10) == entry;
}

/* What the caller said of a value when it called the scope's function; NULL when it was another one,
 * or may have been. */
static const EvaluateProgram *
bind_entry (const EngineNative *scope, const EngineNative *caller, const guint8 *expression,
            gsize size)
{
    EngineProcess *process = scope->process;
    IndexFrame frames[16];
    IndexImage *image;
    guint64 entry;
    StackEntry state = stack_find_entry (engine_process_get_modules (process),
                                         engine_process_get_memory (process),
                                         scope->lookup + scope->module->bias,
                                         caller->native->pc, &entry);
    const char *callee = NULL;
    guint n;

    if (state == STACK_ENTRY_OTHER)
        return NULL;
    if (state == STACK_ENTRY_UNKNOWN && !is_called_there (caller, entry)) {
        /* the debug information may still name whom it calls */
        if (engine_modules_find_image (process, scope->native->pc, &image) == NULL
            || image == NULL)
            return NULL;
        n = index_image_find_frames (image, scope->lookup, frames, G_N_ELEMENTS (frames));
        if (n == 0 || frames[n - 1].inlined || frames[n - 1].function == NULL)
            return NULL;
        callee = frames[n - 1].is_cython /* which is named in C there */
                     ? index_image_find_symbol_at (image, scope->lookup, &entry)
                     : frames[n - 1].function;
    }
    return index_client_bind_entry (process->symbols, stack_module_get_file (caller->module),
                                    caller->lookup + 1, callee, expression, size);
}

/* The caller's frame, by the call site that its pc returns to. */
static gboolean
find_entry_value (gpointer user, const guint8 *expression, gsize size, guint64 *ret_value)
{
    const EngineNative *scope = user;
    EngineNative caller;

    if (scope->number + 1 >= scope->stack->n_native || scope->native->is_signal
        || scope->native->is_after_gap || scope->number > 60
        || !open_native (&caller, scope->thread, scope->stack, scope->number + 1, NULL)
        || caller.inline_depth == EVALUATE_NO_FRAME || caller.native->is_signal)
        return FALSE;
    const EvaluateProgram *program = bind_entry (scope, &caller, expression, size);
    g_autoptr (JobValue) value
        = program != NULL ? evaluate_program_run (program, &caller.context, NULL, NULL) : NULL;
    if (value == NULL || value->is_problem || value->text == NULL)
        return FALSE;
    *ret_value = g_ascii_strtoull (value->text, NULL, 10);
    return TRUE;
}

/* Of a process that has ended. */
static gboolean
open_remains (EngineNative *scope, EngineThread *thread, GError **error)
{
    EngineProcess *process = thread->process;

    *scope = (EngineNative){ .process = process, .thread = thread };
    if (!look_from_main (scope) || process->symbols == NULL) {
        base_error_set (
            error, BASE_ERROR_GONE,
            "the rank has ended, and its program's file has no main function to look from");
        return FALSE;
    }
    scope->context = (EvaluateContext){ .memory = engine_process_get_memory (process),
                                        .user = scope,
                                        .bias = scope->module->bias,
                                        .describe_address = describe_address,
                                        .find_copy = find_copy,
                                        .find_shared = find_shared };
    return TRUE;
}

gboolean
engine_native_open_inlined (EngineNative *scope, EngineThread *thread, const Stack *stack,
                            const JobFrame *frame, guint depth, GError **error)
{
    if (thread->process->ended)
        return open_remains (scope, thread, error);
    if (!open_native (scope, thread, stack, frame->native_index, error))
        return FALSE;
    if (scope->inline_depth != EVALUATE_NO_FRAME)
        scope->inline_depth = depth;
    return TRUE;
}

gboolean
engine_native_open_frame (EngineNative *scope, EngineThread *thread, const Stack *stack,
                          const JobFrame *frame, GError **error)
{
    /* a rank that has ended has no stack */
    guint depth = stack != NULL ? engine_inspect_count_inlined (stack, frame) : 0;

    return engine_native_open_inlined (scope, thread, stack, frame, depth, error);
}

/* ---- calls ---- */

static const char *
find_mpi_call (const Stack *stack)
{
    for (guint i = 0; i < stack->frames->len; i++) {
        const JobFrame *frame = g_ptr_array_index (stack->frames, i);
        const char *function = frame->location.function;

        if (function != NULL && g_str_has_prefix (function, "PMPI_"))
            return function + 1;
        if (function != NULL && g_str_has_prefix (function, "MPI_"))
            return function;
    }
    return NULL;
}

void
engine_native_note_change (gpointer user)
{
    EngineNative *scope = user;

    scope->has_called = TRUE;
}

gboolean
engine_native_call (gpointer user, const EvaluateCall *call, MachineResult *ret_result,
                    GError **error)
{
    EngineNative *scope = user;
    EngineProcess *process = scope->process;
    const char *inside = find_mpi_call (scope->stack);
    gboolean good;

    if (inside != NULL && !scope->has_called) {
        engine_say (
            process,
            "the function was called inside %s: if it uses MPI itself, the result is undefined",
            inside);
    }
    scope->has_called = TRUE;
    engine_process_end_caching (process);
    good = engine_call_any (scope->thread, call, CALL_TIMEOUT_MS, ret_result, error);
    engine_process_begin_caching (process);
    return good;
}
