/* SPDX-License-Identifier: GPL-3.0-or-later */
/* C++ exceptions as the runtime keeps them (Itanium C++ ABI, exception handling 2.2, and 2.9.4 and 2.9.5
 * for the types; libstdc++ and libc++abi lay both out so): the type that was thrown, the text that it
 * carries, and the one that nobody caught. All of it is read; no code of the program runs for it. */
#include "engine/breakpoint/private.h"
#include "engine/control/control.h"
#include "engine/inspect/inspect.h"
#include "engine/modules/modules.h"
#include <string.h>

#define HEADER_SIZE 112  /* of struct __cxa_exception on 64-bit machines; the object follows */
#define UNWIND_OFFSET 80 /* in it: what the unwinder is given */
#define CLASS_GNU 0x474e5543432b2b00ull /* "GNUCC++\0" */
#define CLASS_GNU_AGAIN                                                                        \
    0x474e5543432b2b01ull /* std::rethrow_exception's own: its first word is the object */
#define CLASS_CLANG 0x434c4e47432b2b00ull /* "CLNGC++\0" */
#define MAX_BASES 64
#define MAX_DEPTH 32
#define MAX_TEXT 400
#define STRING "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"

/* ---- which one ---- */

gboolean
engine_exception_find_thrown (EngineThread *thread, EngineException *ret_exception)
{
    if (!engine_thread_load_registers (thread)) {
        return FALSE;
    }
    *ret_exception = (EngineException){ machine_registers_get_argument (&thread->registers, 1),
                                        machine_registers_get_argument (&thread->registers,
                                                                        0) };
    return ret_exception->type != 0;
}

/* The class tells whose exception it is; another language's has no type here. */
static gboolean
read_header (EngineProcess *process, guint64 header, EngineException *ret_exception)
{
    guint64 class, object;

    if (!base_memory_read_u64 (engine_process_get_memory (process), header + UNWIND_OFFSET,
                               &class, NULL)) {
        return FALSE;
    }
    if (class == CLASS_GNU_AGAIN
        && base_memory_read_u64 (engine_process_get_memory (process), header, &object, NULL)) {
        header = object - HEADER_SIZE;
        if (!base_memory_read_u64 (engine_process_get_memory (process), header + UNWIND_OFFSET,
                                   &class, NULL)) {
            return FALSE;
        }
    }
    if ((class != CLASS_GNU && class != CLASS_CLANG)
        || !base_memory_read_u64 (engine_process_get_memory (process), header,
                                  &ret_exception->type, NULL)) {
        return FALSE;
    }
    ret_exception->object = header + HEADER_SIZE;
    return ret_exception->type != 0;
}

gboolean
engine_exception_find_caught (EngineThread *thread, EngineException *ret_exception)
{
    return engine_thread_load_registers (thread)
           && read_header (thread->process,
                           machine_registers_get_argument (&thread->registers, 0)
                               - UNWIND_OFFSET,
                           ret_exception);
}

/* The thread's struct __cxa_eh_globals. Its place is no symbol; the function that returns it says where:
 * by the loader's two numbers, or as a distance from the thread pointer in a static program. */
static gboolean
find_globals (EngineThread *thread, guint64 *ret_address)
{
    EngineProcess *process = thread->process;
    guint64 code, slot, offset, numbers[2], block;
    guint8 bytes[48];

    if (!engine_process_find_symbol (process, "__cxa_get_globals_fast", &code)
        || base_memory_read_some (engine_process_get_memory (process), code, bytes,
                                  sizeof bytes)
               < sizeof bytes
        || !machine_code_find_thread_place (bytes, sizeof bytes, code, &slot, &offset)) {
        return FALSE;
    }
    if (slot == 0) {
        *ret_address = machine_registers_get_thread_pointer (&thread->registers) + offset;
        return TRUE;
    }
    if (base_memory_read_some (engine_process_get_memory (process), slot, numbers,
                               sizeof numbers)
            < sizeof numbers
        || !engine_native_find_tls_block (thread, numbers[0], &block)) {
        return FALSE;
    }
    *ret_address = block + numbers[1] + offset;
    return TRUE;
}

/* The runtime's function that throws has not been left: what it threw found no handler. A program that
 * calls abort where it catches something has left it. */
static gboolean
is_throwing (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    g_autoptr (GArray) frames = stack_unwind (engine_process_get_modules (process),
                                              engine_process_get_memory (process),
                                              &thread->registers, MAX_DEPTH);

    for (guint i = 0; i < frames->len; i++) {
        guint64 offset, pc = g_array_index (frames, StackNativeFrame, i).pc - 1;
        const char *name = engine_modules_find_symbol_at (process, pc, &offset);

        if (name != NULL
            && (strcmp (name, "__cxa_throw") == 0 || strcmp (name, "__cxa_rethrow") == 0
                || g_str_has_prefix (name, "_ZSt17rethrow_exception"))) {
            return TRUE;
        }
    }
    return FALSE;
}

gboolean
engine_exception_find_current (EngineThread *thread, EngineException *ret_exception)
{
    guint64 globals, header;

    return engine_process_get_modules (thread->process) != NULL
           && engine_thread_load_registers (thread) && find_globals (thread, &globals)
           && base_memory_read_u64 (engine_process_get_memory (thread->process), globals,
                                    &header, NULL)
           && header != 0 && read_header (thread->process, header, ret_exception);
}

gboolean
engine_exception_find_uncaught (EngineThread *thread, EngineException *ret_exception)
{
    return engine_exception_find_current (thread, ret_exception) && is_throwing (thread);
}

/* ---- its type ---- */

/* As the type information has it: "i", "N3app7troubleE". Caller owns; NULL. */
static char *
dup_mangled (EngineProcess *process, guint64 type)
{
    guint64 address;
    g_autofree char *name = base_memory_read_u64 (engine_process_get_memory (process), type + 8,
                                                  &address, NULL)
                                ? base_memory_read_string (engine_process_get_memory (process),
                                                           address, 1000, NULL, NULL)
                                : NULL;

    /* A star says that it is compared by its address. */
    return name != NULL && g_utf8_validate (name, -1, NULL) ? g_strdup (name + (*name == '*'))
                                                            : NULL;
}

char *
engine_exception_dup_type (EngineProcess *process, const EngineException *exception)
{
    static const char before[] = "typeinfo for ";
    g_autofree char *mangled = dup_mangled (process, exception->type);
    g_autofree char *symbol = mangled != NULL ? g_strconcat ("_ZTI", mangled, NULL) : NULL;
    const char *name;

    if (g_strcmp0 (mangled, STRING) == 0) {
        return g_strdup ("std::string");
    }
    if (symbol == NULL || process->symbols == NULL) {
        return g_steal_pointer (&mangled);
    }
    name = index_client_find_name (process->symbols, symbol);
    return g_str_has_prefix (name, before) ? g_strdup (name + strlen (before))
                                           : g_steal_pointer (&mangled);
}

/* ---- its text ---- */

/* Whose type information it is, by the name of its virtual table. */
static gboolean
has_class (EngineProcess *process, guint64 type, const char *table)
{
    guint64 address, offset;

    return base_memory_read_u64 (engine_process_get_memory (process), type, &address, NULL)
           && g_strcmp0 (engine_modules_find_symbol_at (process, address - 16, &offset), table)
                  == 0;
}

/* Where in an object of the type its base of one of the two classes lies that keep a text; they are never
 * virtual bases here, whose place the object itself would have to say. */
static gboolean
find_standard_base (EngineProcess *process, guint64 type, guint depth, gint64 *offset)
{
    g_autofree char *name = dup_mangled (process, type);
    guint64 base, flags;
    guint32 counts[2];

    if (name == NULL || depth == 0) {
        return FALSE;
    }
    if (strcmp (name, "St13runtime_error") == 0 || strcmp (name, "St11logic_error") == 0) {
        return TRUE;
    }
    if (has_class (process, type, "_ZTVN10__cxxabiv120__si_class_type_infoE")) {
        return base_memory_read_u64 (engine_process_get_memory (process), type + 16, &base,
                                     NULL)
               && find_standard_base (process, base, depth - 1, offset);
    }
    if (!has_class (process, type, "_ZTVN10__cxxabiv121__vmi_class_type_infoE")
        || base_memory_read_some (engine_process_get_memory (process), type + 16, counts,
                                  sizeof counts)
               < sizeof counts) {
        return FALSE;
    }
    for (guint i = 0; i < MIN (counts[1], MAX_BASES); i++) {
        gint64 inside = *offset;

        if (base_memory_read_u64 (engine_process_get_memory (process), type + 24 + i * 16,
                                  &base, NULL)
            && base_memory_read_u64 (engine_process_get_memory (process), type + 32 + i * 16,
                                     &flags, NULL)
            && (flags & 1) == 0) {
            inside += (gint64) flags >> 8;
            if (find_standard_base (process, base, depth - 1, &inside)) {
                *offset = inside;
                return TRUE;
            }
        }
    }
    return FALSE;
}

/* The class may say something else than it was made with: then its what() is not the library's. */
static gboolean
has_own_words (EngineProcess *process, guint64 object)
{
    guint64 table, function, offset;
    const char *name = base_memory_read_u64 (engine_process_get_memory (process), object,
                                             &table, NULL)
                               && base_memory_read_u64 (engine_process_get_memory (process),
                                                        table + 16, &function, NULL)
                           ? engine_modules_find_symbol_at (process, function, &offset)
                           : NULL;

    return name == NULL
           || !(g_str_has_prefix (name, "_ZNKSt") && g_str_has_suffix (name, "4whatEv"));
}

static char *
quote_text (EngineProcess *process, guint64 address)
{
    gboolean is_cut = FALSE;
    g_autofree char *bytes = base_memory_read_string (engine_process_get_memory (process),
                                                      address, MAX_TEXT, &is_cut, NULL);
    g_autofree char *valid = bytes != NULL ? g_utf8_make_valid (bytes, -1) : NULL;

    return valid != NULL
               ? g_strconcat (g_strdelimit (valid, "\n\r\t", ' '), is_cut ? "…" : NULL, NULL)
               : NULL;
}

static char *
dup_class_text (EngineProcess *process, const EngineException *exception)
{
    gint64 offset = 0;
    guint64 text;

    if (!find_standard_base (process, exception->type, MAX_DEPTH, &offset)
        || has_own_words (process, exception->object + (guint64) offset)
        || !base_memory_read_u64 (engine_process_get_memory (process),
                                  exception->object + (guint64) offset + 8, &text, NULL)) {
        return NULL;
    }
    return quote_text (process, text);
}

/* Of the types that are thrown without a class: numbers and text. NULL: of no such type. */
static char *
dup_plain_text (EngineProcess *process, const EngineException *exception, const char *mangled)
{
    static const struct {
        char letter;
        guint8 size;
        gboolean is_signed;
    } kinds[] = {
        { 'b', 1, FALSE }, { 'c', 1, TRUE },  { 'a', 1, TRUE }, { 'h', 1, FALSE },
        { 's', 2, TRUE },  { 't', 2, FALSE }, { 'i', 4, TRUE }, { 'j', 4, FALSE },
        { 'l', 8, TRUE },  { 'm', 8, FALSE }, { 'x', 8, TRUE }, { 'y', 8, FALSE },
    };
    guint64 raw = 0;

    if (strcmp (mangled, "PKc") == 0 || strcmp (mangled, "Pc") == 0
        || strcmp (mangled, STRING) == 0) {
        g_autofree char *text = base_memory_read_u64 (engine_process_get_memory (process),
                                                      exception->object, &raw, NULL)
                                    ? quote_text (process, raw)
                                    : NULL;

        return text != NULL ? g_strdup_printf ("\"%s\"", text) : NULL;
    }
    for (guint i = 0; i < G_N_ELEMENTS (kinds) && mangled[1] == '\0'; i++) {
        guint unused = 64 - 8u * kinds[i].size;

        if (*mangled != kinds[i].letter
            || base_memory_read_some (engine_process_get_memory (process), exception->object,
                                      &raw, kinds[i].size)
                   < kinds[i].size) {
            continue;
        }
        return kinds[i].is_signed
                   ? g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) (raw << unused) >> unused)
                   : g_strdup_printf ("%" G_GUINT64_FORMAT, raw);
    }
    return NULL;
}

char *
engine_exception_describe (EngineProcess *process, const EngineException *exception)
{
    g_autofree char *mangled = dup_mangled (process, exception->type);
    g_autofree char *type = engine_exception_dup_type (process, exception);
    g_autofree char *text = NULL;

    if (mangled == NULL || type == NULL) {
        return NULL;
    }
    text = dup_plain_text (process, exception, mangled);
    if (text == NULL) {
        text = dup_class_text (process, exception);
    }
    return text != NULL ? g_strdup_printf ("%s: %s", type, text) : g_steal_pointer (&type);
}
