/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Registers, machine code, memory and modules of a stopped rank, as text. */
#include "engine/inspect-private.h"

#include <capstone/capstone.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CODE_BYTES 16384
#define MAX_EXAMINED 1024

static const char *const register_names[17] = { "rax", "rdx", "rcx", "rbx", "rsi", "rdi",
                                                "rbp", "rsp", "r8",  "r9",  "r10", "r11",
                                                "r12", "r13", "r14", "r15", "rip" };

static gboolean
answer_registers (EngineInspection *look, const JobRequest *request, GError **error)
{
    EngineProcess *process = look->process;
    const JobFrame *frame = engine_inspect_find_frame (process, process->selected_frame, error);
    g_autoptr (GString) text = g_string_new (NULL);
    const StackNativeFrame *native;

    if (frame == NULL)
        return FALSE;
    if (job_frame_is_python (frame) || frame->native_index >= process->stack->native->len) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                     "a Python frame has no registers: choose a native one with up or down");
        return FALSE;
    }
    native = &g_array_index (process->stack->native, StackNativeFrame, frame->native_index);
    for (guint i = 0; i < G_N_ELEMENTS (register_names); i++) {
        if (text->len > 0)
            g_string_append_c (text, '\n');
        if (native->valid & (1u << i))
            g_string_append_printf (text, "%-4s 0x%016" G_GINT64_MODIFIER "x  %" G_GINT64_FORMAT,
                                    register_names[i], native->registers[i],
                                    (gint64) native->registers[i]);
        else
            g_string_append_printf (text, "%-4s <not saved>", register_names[i]);
    }
    if (frame->native_index == 0)
        g_string_append_printf (text, "\n%-4s 0x%08llx", "eflags",
                                (unsigned long long) process->selected_thread->registers.eflags);
    return engine_inspect_answer_text (look, request->id, text->str);
}

static gboolean
answer_modules (EngineInspection *look, const JobRequest *request)
{
    StackModules *modules = look->process->modules;
    g_autoptr (GString) text = g_string_new (NULL);

    for (guint i = 0; i < stack_modules_get_count (modules); i++) {
        StackModule *module = stack_modules_get (modules, i);
        IndexImage *image = stack_module_open_image (modules, module);
        g_string_append_printf (text, "%s0x%012" G_GINT64_MODIFIER "x  %s  %s", i > 0 ? "\n" : "",
                                module->start,
                                image != NULL && index_image_has_lines (image) ? "lines"
                                                                                : "no lines",
                                module->path);
    }
    return engine_inspect_answer_text (look, request->id, text->str);
}

static void
append_instruction (GString *text, const cs_insn *insn, const StackModule *module,
                    IndexImage *image, guint64 pc)
{
    IndexFrame frames[8];
    guint n = image != NULL ? index_image_find_frames (image, insn->address - module->bias, frames,
                                                       G_N_ELEMENTS (frames))
                            : 0;

    g_string_append_printf (text, "%s%s 0x%012" G_GINT64_MODIFIER "x", text->len > 0 ? "\n" : "",
                            insn->address == pc ? "=>" : "  ", (guint64) insn->address);
    if (n > 0 && frames[0].line > 0)
        g_string_append_printf (text, " :%-5u", frames[0].line);
    g_string_append_printf (text, " %s %s", insn->mnemonic, insn->op_str);
}

/* Code from the function's start (or pc) to its end, the present instruction marked. */
static gboolean
answer_disassembly (EngineInspection *look, const JobRequest *request, GError **error)
{
    EngineProcess *process = look->process;
    const JobFrame *frame = engine_inspect_find_frame (process, process->selected_frame, error);
    const StackModule *module = frame != NULL && !job_frame_is_python (frame)
                                    ? stack_modules_find (process->modules, frame->pc)
                                    : NULL;
    g_autoptr (GString) text = g_string_new (NULL);
    g_autofree guint8 *bytes = g_malloc (MAX_CODE_BYTES);
    guint64 low, high;
    IndexImage *image;
    IndexFrame frames[16];
    cs_insn *insn;
    csh handle;
    gsize size;
    guint n;

    if (module == NULL) {
        if (frame != NULL)
            g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                         "the selected frame has no machine code: choose a native one");
        return FALSE;
    }
    image = stack_module_open_image (process->modules, (StackModule *) module);
    n = image != NULL ? index_image_find_frames (image, frame->pc - module->bias, frames, 16) : 0;
    low = n > 0 && frames[n - 1].low < frames[n - 1].high ? frames[n - 1].low + module->bias : frame->pc;
    high = n > 0 && frames[n - 1].low < frames[n - 1].high ? frames[n - 1].high + module->bias : frame->pc + 64;
    size = base_memory_read_some (process->memory, low, bytes, MIN (high - low, MAX_CODE_BYTES));
    if (size == 0 || cs_open (CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_FAULT, "cannot read the code");
        return FALSE;
    }
    n = (guint) cs_disasm (handle, bytes, size, low, 0, &insn);
    for (guint i = 0; i < n; i++)
        append_instruction (text, &insn[i], module, image, frame->pc);
    if (n > 0)
        cs_free (insn, n);
    cs_close (&handle);
    return engine_inspect_answer_text (look, request->id, text->str);
}

static gboolean
parse_examine_format (const char *text, guint *ret_count, char *ret_format, guint *ret_size)
{
    char *end = NULL;
    guint64 count = text != NULL ? g_ascii_strtoull (text, &end, 10) : 0;

    *ret_count = end != text && count > 0 ? (guint) MIN (count, MAX_EXAMINED) : 1;
    *ret_format = 'x';
    *ret_size = 8;
    for (const char *c = end != NULL ? end : ""; *c != '\0'; c++) {
        const char *sizes = "bhwg";
        const char *found = strchr (sizes, *c);
        if (found != NULL)
            *ret_size = 1u << (found - sizes);
        else if (strchr ("xduocsf", *c) != NULL)
            *ret_format = *c;
        else
            return FALSE;
    }
    return TRUE;
}

static void
append_unit (GString *text, const guint8 *bytes, char format, guint size)
{
    guint64 value = 0;
    gint64 extended;

    memcpy (&value, bytes, size);
    extended = (gint64) (value << (64 - 8 * size)) >> (64 - 8 * size);
    if (format == 'd')
        g_string_append_printf (text, "  %" G_GINT64_FORMAT, extended);
    else if (format == 'u')
        g_string_append_printf (text, "  %" G_GUINT64_FORMAT, value);
    else if (format == 'o')
        g_string_append_printf (text, "  0%" G_GINT64_MODIFIER "o", value);
    else if (format == 'c')
        g_string_append_printf (text, "  '%c'", g_ascii_isprint ((char) value) ? (char) value : '.');
    else if (format == 'f' && size == 8) {
        double number;
        memcpy (&number, bytes, 8);
        g_string_append_printf (text, "  %.17g", number);
    } else if (format == 'f' && size == 4) {
        float number;
        memcpy (&number, bytes, 4);
        g_string_append_printf (text, "  %.9g", (double) number);
    } else
        g_string_append_printf (text, "  0x%0*" G_GINT64_MODIFIER "x", (int) size * 2, value);
}

static gboolean
answer_memory (EngineInspection *look, const JobRequest *request, GError **error)
{
    BaseMemoryReader *memory = look->process->memory;
    g_autoptr (GString) text = g_string_new (NULL);
    guint64 address = request->where.address;
    guint count, size;
    char format;

    if (!parse_examine_format (request->text, &count, &format, &size)) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                     "cannot read the format \"%s\": use a count, one of x d u o c s f, "
                     "and a size of b h w g", request->text);
        return FALSE;
    }
    if (format == 's') {
        g_autofree char *string = base_memory_read_string (memory, address, 4096, NULL, error);
        g_autofree char *escaped = string != NULL ? g_strescape (string, NULL) : NULL;
        g_autofree char *line = g_strdup_printf ("0x%" G_GINT64_MODIFIER "x: \"%s\"", address, escaped);
        return string != NULL && engine_inspect_answer_text (look, request->id, line);
    }
    for (guint i = 0; i < count; i++, address += size) {
        guint8 bytes[8];
        if (!base_memory_read (memory, address, bytes, size, error))
            return FALSE;
        if (i * size % 16 == 0)
            g_string_append_printf (text, "%s0x%" G_GINT64_MODIFIER "x:", i > 0 ? "\n" : "", address);
        append_unit (text, bytes, format, size);
    }
    return engine_inspect_answer_text (look, request->id, text->str);
}

gboolean
engine_inspect_answer_code (EngineInspection *look, const JobRequest *request, GError **error)
{
    switch (request->verb) {
    case JOB_VERB_MODULES:
        return answer_modules (look, request);
    case JOB_VERB_REGISTERS:
        return answer_registers (look, request, error);
    case JOB_VERB_DISASSEMBLE:
        return answer_disassembly (look, request, error);
    default:
        return answer_memory (look, request, error);
    }
}
