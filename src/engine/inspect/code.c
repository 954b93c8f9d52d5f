/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine code of a rank, mixed with the source that it comes from, the modules, and the map of
 * memory. */
#include "engine/control/control.h"
#include "engine/inspect/private.h"
#include "engine/modules/modules.h"
#include "base/escape.h"
#include "base/file.h"
#include "target/core.h"
#include <glib/gi18n.h>

#define MAX_CODE_BYTES 65536
#define MAX_SOURCE (8u << 20)

static gboolean
answer_modules (EngineInspection *look, const JobRequest *request)
{
    GPtrArray *details = job_detail_list_new ();

    ENGINE_EACH_MODULE (look->process, module) {
        IndexImage *image = engine_process_open_image (look->process, module);
        const char *found = image == NULL ? NC_ ("symbols of a file", "no symbols")
                            : index_image_has_lines (image)
                                ? NC_ ("symbols of a file", "lines")
                                : NC_ ("symbols of a file", "symbols");
        g_autofree char *path = base_escape_dup (module->path, BASE_ESCAPE_NAME);
        JobDetail *detail = job_detail_new (JOB_DETAIL_MODULE, module->start, path, found);

        detail->end = module->end;
        detail->flags = stack_module_is_gone (module) ? JOB_DETAIL_GONE : 0;
        g_ptr_array_add (details, detail);
    }
    return engine_inspect_answer_details (look, request->id, details);
}

/* What is mapped where, as /proc/PID/maps has it; of a core file what it says was. */
static gboolean
answer_maps (EngineInspection *look, const JobRequest *request, GError **error)
{
    EngineProcess *process = look->process;
    g_autoptr (GArray) maps = process->core != NULL ? target_core_dup_maps (process->core)
                                                    : target_maps_read (process->pid, error);
    g_autoptr (GPtrArray) details = job_detail_list_new ();

    for (guint i = 0; maps != NULL && i < maps->len; i++) {
        const TargetMap *map = &g_array_index (maps, TargetMap, i);
        g_autofree char *path = map->path[0] != '\0'
                                    ? base_escape_dup (map->path, BASE_ESCAPE_NAME)
                                    : NULL;
        JobDetail *detail = job_detail_new (JOB_DETAIL_MAP, map->start, path, NULL);

        detail->end = map->end;
        detail->offset = map->offset;
        detail->flags = (map->readable ? JOB_DETAIL_READABLE : 0)
                        | (map->writable ? JOB_DETAIL_WRITABLE : 0)
                        | (map->executable ? JOB_DETAIL_EXECUTABLE : 0)
                        | (map->deleted ? JOB_DETAIL_GONE : 0);
        g_ptr_array_add (details, detail);
    }
    return maps != NULL
           && engine_inspect_answer_details (look, request->id, g_steal_pointer (&details));
}

char *
engine_inspect_dup_symbol (EngineProcess *process, guint64 address, guint64 *ret_low)
{
    IndexImage *image = NULL;
    StackModule *module = engine_process_get_modules (process) != NULL
                              ? engine_modules_find_image (process, address, &image)
                              : NULL;
    IndexFrame frames[16];
    guint n = image != NULL
                  ? index_image_find_frames (image, address - module->bias, frames, 16)
                  : 0;
    const IndexFrame *outer = n > 0 ? &frames[MIN (n, 16) - 1] : NULL;
    guint64 offset;

    if (outer == NULL || outer->function == NULL || outer->low >= outer->high) {
        return NULL;
    }
    g_autofree char *function = base_escape_dup (outer->function, BASE_ESCAPE_NAME);
    offset = address - module->bias - outer->low;
    if (ret_low != NULL) {
        *ret_low = outer->low + module->bias;
    }
    return offset == 0 ? g_strdup_printf ("<%s>", function)
                       : g_strdup_printf ("<%s+%" G_GUINT64_FORMAT ">", function, offset);
}

/* ---- source ---- */

/* The lines of the source that was shown last. */
typedef struct {
    const char *file;
    guint32 line;
    char *path;
    char **lines;
    guint n_lines;
} Source;

static void
load_source (Source *source, const char *file)
{
    g_autofree char *text = NULL;

    if (g_strcmp0 (source->path, file) == 0) {
        return;
    }
    g_clear_pointer (&source->lines, g_strfreev);
    g_free (source->path);
    source->path = g_strdup (file);
    source->n_lines = 0;
    text = base_file_read (file, MAX_SOURCE, NULL, NULL);
    if (text != NULL) {
        source->lines = g_strsplit (text, "\n", -1);
        source->n_lines = g_strv_length (source->lines);
    }
}

/* A line where it is another one than before. */
static void
add_source (Source *source, GPtrArray *details, const IndexFrame *frame)
{
    JobDetail *detail;

    if (frame->line == 0 || frame->file == NULL
        || (frame->line == source->line && g_strcmp0 (frame->file, source->file) == 0)) {
        return;
    }
    source->file = frame->file;
    source->line = frame->line;
    load_source (source, frame->file);
    detail = job_detail_new (JOB_DETAIL_SOURCE, 0, NULL, NULL);
    detail->place = job_location_new (NULL, frame->file, frame->line);
    detail->place->file = base_escape_take (detail->place->file, BASE_ESCAPE_NAME);
    if (frame->line <= source->n_lines) {
        detail->text = g_strchomp (g_utf8_make_valid (source->lines[frame->line - 1], -1));
    }
    g_ptr_array_add (details, detail);
}

/* ---- instructions ---- */

/* The name in the jump slot that an entry of a linkage table goes through. */
static char *
dup_plt_name (EngineProcess *process, guint64 entry)
{
    guint8 code[MACHINE_MAX_INSTRUCTION];
    gsize size = base_memory_read_some (engine_process_get_memory (process), entry, code,
                                        sizeof code);
    guint64 slot;

    return machine_code_find_slot (code, size, entry, &slot)
               ? engine_modules_dup_slot_name (process, slot)
               : NULL;
}

/* "<work+4>", "<printf@plt>"; NULL. */
static char *
dup_target_name (EngineProcess *process, guint64 target)
{
    g_autofree char *name = base_escape_take (dup_plt_name (process, target), BASE_ESCAPE_NAME);

    return name != NULL && *name != '\0' ? g_strdup_printf ("<%s@plt>", name)
                                         : engine_inspect_dup_symbol (process, target, NULL);
}

#define BYTES_WIDTH 21 /* of seven bytes, as objdump has it */

static void
append_bytes (GString *text, const guint8 *bytes, gsize size)
{
    for (gsize i = 0; i < size; i++) {
        g_string_append_printf (text, "%02x ", bytes[i]);
    }
    g_string_append_printf (text, "%*s", MAX (BYTES_WIDTH - (int) text->len, 0), "");
}

/* bytes: to be shown; NULL. */
static JobDetail *
describe_instruction (EngineProcess *process, const MachineInstruction *own,
                      const guint8 *bytes)
{
    g_autofree char *name = engine_inspect_dup_symbol (process, own->address, NULL);
    g_autoptr (GString) text = g_string_new (NULL);

    if (bytes != NULL) {
        append_bytes (text, bytes, own->length);
    }
    g_string_append_printf (text, "%-6s %s", own->mnemonic, own->operands);
    if (own->is_code) {
        g_autofree char *target_name = dup_target_name (process, own->target);

        if (target_name != NULL) {
            g_string_append_printf (text, " %s", target_name);
        }
    } else if (own->target != 0) {
        g_autofree char *target_name = engine_inspect_dup_symbol (process, own->target, NULL);

        g_string_append_printf (text, "  # 0x%" G_GINT64_MODIFIER "x%s%s", own->target,
                                target_name != NULL ? " " : "",
                                target_name != NULL ? target_name : "");
    }
    return job_detail_new (JOB_DETAIL_INSTRUCTION, own->address, name, text->str);
}

/* Instructions that begin within the first `within` bytes, of `size` that are there. */
static void
list_all (EngineProcess *process, GPtrArray *details, MachineText *reader, const guint8 *bytes,
          gsize size, gsize within, guint64 address, guint count, gboolean mixed,
          gboolean with_bytes)
{
    EngineThread *thread = engine_process_get_selected (process);
    guint64 pc = thread != NULL ? engine_thread_get_pc (thread) : 0;
    Source source = { 0 };

    for (gsize i = 0, at = 0; i < count && at < within; i++) {
        IndexImage *image = NULL;
        StackModule *module = engine_modules_find_image (process, address + at, &image);
        IndexFrame frame = { 0 };
        MachineInstruction instruction;
        JobDetail *detail;

        if (mixed && image != NULL
            && index_image_find_frames (image, address + at - module->bias, &frame, 1) > 0) {
            add_source (&source, details, &frame);
        }
        if (machine_text_read (reader, bytes + at, size - at, address + at, &instruction)) {
            detail = describe_instruction (process, &instruction,
                                           with_bytes ? bytes + at : NULL);
            at += instruction.length;
        } else {
            g_autofree char *text = g_strdup_printf (".byte 0x%02x", bytes[at]);

            detail = job_detail_new (JOB_DETAIL_INSTRUCTION, address + at, NULL, text);
            at++;
        }
        detail->flags = detail->number == pc ? JOB_DETAIL_HERE : 0;
        g_ptr_array_add (details, detail);
    }
    g_clear_pointer (&source.lines, g_strfreev);
    g_free (source.path);
}

gboolean
engine_inspect_list_code (EngineProcess *process, GPtrArray *details, guint64 low, guint64 high,
                          guint count, gboolean with_bytes, GError **error)
{
    gboolean is_range = high != G_MAXUINT64;
    gsize wanted = is_range ? MIN (high - low, MAX_CODE_BYTES)
                            : MIN ((gsize) count * MACHINE_MAX_INSTRUCTION, MAX_CODE_BYTES);
    /* the last one may end behind the range */
    gsize room = wanted + MACHINE_MAX_INSTRUCTION;
    g_autofree guint8 *bytes = g_malloc (room);
    gsize size = base_memory_read_some (engine_process_get_memory (process), low, bytes, room);
    gsize within = MIN (size, wanted);
    g_autoptr (MachineText) reader = NULL;

    if (size == 0) {
        g_autofree char *at = base_text_format_address (low);

        base_error_set (error, BASE_ERROR_FAULT, "cannot read code at %s", at);
        return FALSE;
    }
    reader = machine_text_new (error);
    if (reader == NULL) {
        return FALSE;
    }
    list_all (process, details, reader, bytes, size, within, low, is_range ? G_MAXUINT : count,
              is_range, with_bytes);
    if (is_range && high - low > within) {
        JobDetail *more = job_detail_new (JOB_DETAIL_MORE, 0, NULL, NULL);

        more->end = high;
        g_ptr_array_add (details, more);
    }
    return TRUE;
}

/* The function around an address; without one known, from there on. */
static void
find_function (EngineProcess *process, guint64 address, guint64 *ret_low, guint64 *ret_high)
{
    IndexFrame frames[16];
    IndexImage *image = NULL;
    StackModule *module = engine_modules_find_image (process, address, &image);
    guint n = image != NULL
                  ? MIN (index_image_find_frames (image, address - module->bias, frames, 16),
                         16)
                  : 0;

    *ret_low = address;
    *ret_high = address + 64;
    if (n > 0 && frames[n - 1].low < frames[n - 1].high) {
        *ret_low = frames[n - 1].low + module->bias;
        *ret_high = frames[n - 1].high + module->bias;
    }
}

/* Each function once, though a line may have code in several places of it. */
static gboolean
list_functions (EngineProcess *process, const JobRequest *request, GPtrArray *details,
                GError **error)
{
    g_autoptr (GPtrArray) places = engine_inspect_find_places (process, request, NULL, error);
    g_autoptr (GHashTable) seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                                         NULL);

    for (guint i = 0; places != NULL && i < places->len; i++) {
        const EnginePlace *place = g_ptr_array_index (places, i);
        guint64 low, high;

        find_function (process, place->address, &low, &high);
        if (g_hash_table_add (seen, g_memdup2 (&low, sizeof low))
            && !engine_inspect_list_code (process, details, low, high, G_MAXUINT,
                                          request->text != NULL, error)) {
            return FALSE;
        }
    }
    return places != NULL;
}

/* The function around the selected frame's pc, or that of a place; `every` bytes from an address on. */
static gboolean
answer_disassembly (EngineInspection *look, const JobRequest *request, GError **error)
{
    EngineProcess *process = look->process;
    g_autoptr (GPtrArray) details = job_detail_list_new ();
    const JobFrame *frame = NULL;
    guint64 low, high;
    gboolean done;

    if (request->where.kind == JOB_WHERE_NONE) {
        frame = engine_inspect_find_frame (process, process->selected_frame, error);
        if (frame == NULL) {
            return FALSE;
        }
        if (job_frame_is_python (frame)) {
            base_error_set (
                error, BASE_ERROR_INVALID,
                "a Python frame has no machine code: choose a native one with up or down");
            return FALSE;
        }
        find_function (process, frame->pc, &low, &high);
        done = engine_inspect_list_code (process, details, low, high, G_MAXUINT,
                                         request->text != NULL, error);
    } else if (request->bytes != 0) {
        low = request->where.address;
        high = request->bytes > G_MAXUINT64 - 1 - low ? G_MAXUINT64 - 1 : low + request->bytes;
        done = engine_inspect_list_code (process, details, low, high, G_MAXUINT,
                                         request->text != NULL, error);
    } else {
        done = list_functions (process, request, details, error);
    }
    return done
           && engine_inspect_answer_details (look, request->id, g_steal_pointer (&details));
}

gboolean
engine_inspect_answer_code (EngineInspection *look, const JobRequest *request, GError **error)
{
    switch (request->verb) {
    case JOB_VERB_MODULES: return answer_modules (look, request);
    case JOB_VERB_MAPS: return answer_maps (look, request, error);
    case JOB_VERB_REGISTERS: return engine_inspect_answer_registers (look, request, error);
    case JOB_VERB_DISASSEMBLE: return answer_disassembly (look, request, error);
    default: return engine_inspect_answer_memory (look, request, error);
    }
}
