/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x/FMT ADDR: memory in the formats and unit sizes that gdb's x knows. */
#include "engine/inspect/private.h"
#include <glib/gi18n.h>
#include <string.h>

#define MAX_EXAMINED 4096
#define MAX_STRING 4096

typedef struct {
    guint count, size; /* size 0: the format's own */
    char format;
} Format;

static gboolean
parse_format (const char *text, Format *format, GError **error)
{
    char *end = NULL;
    guint64 count = text != NULL ? g_ascii_strtoull (text, &end, 10) : 0;

    *format = (Format){ .count = end != text && count > 0 ? (guint) MIN (count, MAX_EXAMINED)
                                                          : 1,
                        .format = 'x' };
    for (const char *c = end != NULL ? end : ""; *c != '\0'; c++) {
        static const char sizes[] = "bhwg";
        const char *found = strchr (sizes, *c);

        if (found != NULL) {
            format->size = 1u << (found - sizes);
        } else if (strchr ("xduotzacfsi", *c) != NULL) {
            format->format = *c;
        } else {
            base_error_set (
                error, BASE_ERROR_INVALID,
                "cannot read the format \"%s\": a count, one of x d u o t z a c f s i, and a "
                "size of b h w g",
                text);
            return FALSE;
        }
    }
    if (format->format == 'a') {
        format->size = 8;
    } else if (format->size == 0) {
        format->size = format->format == 'c' ? 1 : format->format == 'f' ? 8 : 4;
    }
    if (format->format == 'f' && format->size < 4) {
        format->format = 'd';
    }
    return TRUE;
}

static void
append_binary (GString *text, guint64 value, guint n_bits)
{
    for (guint i = n_bits; i > 0; i--) {
        g_string_append_c (text, value >> (i - 1) & 1 ? '1' : '0');
    }
}

static void
append_character (GString *text, gint64 value)
{
    static const char escapes[] = "\aa\bb\ff\nn\rr\tt\vv\\\\''";
    guchar byte = (guchar) value;

    g_string_append_printf (text, "%d '", (int) (gint8) byte);
    for (guint i = 0; escapes[i] != '\0'; i += 2) {
        if (byte == (guchar) escapes[i]) {
            g_string_append_printf (text, "\\%c'", escapes[i + 1]);
            return;
        }
    }
    g_string_append_printf (text, g_ascii_isprint (byte) ? "%c'" : "\\%03o'", byte);
}

static void
append_float (GString *text, const guint8 *bytes, guint size)
{
    char buffer[64];

    if (size == 8) {
        double number;

        memcpy (&number, bytes, 8);
        g_string_append (text, g_ascii_formatd (buffer, sizeof buffer, "%.17g", number));
    } else {
        float number;

        memcpy (&number, bytes, 4);
        g_string_append (text,
                         g_ascii_formatd (buffer, sizeof buffer, "%.9g", (double) number));
    }
}

static void
append_unit (EngineProcess *process, GString *text, const guint8 *bytes, const Format *format)
{
    guint n_bits = 8 * format->size;
    guint64 value = 0;
    gint64 extended;

    memcpy (&value, bytes, format->size);
    extended = (gint64) (value << (64 - n_bits)) >> (64 - n_bits);
    switch (format->format) {
    case 'd': g_string_append_printf (text, "%" G_GINT64_FORMAT, extended); break;
    case 'u': g_string_append_printf (text, "%" G_GUINT64_FORMAT, value); break;
    case 'o':
        g_string_append_printf (text, value == 0 ? "0" : "0%" G_GINT64_MODIFIER "o", value);
        break;
    case 't': append_binary (text, value, n_bits); break;
    case 'c': append_character (text, extended); break;
    case 'f': append_float (text, bytes, format->size); break;
    case 'a': {
        g_autofree char *name = engine_inspect_dup_symbol (process, value, NULL);

        g_string_append_printf (text, "0x%" G_GINT64_MODIFIER "x%s%s", value,
                                name != NULL ? " " : "", name != NULL ? name : "");
        break;
    }
    default: /* x and z: as many digits as the unit has */
        g_string_append_printf (text, "0x%0*" G_GINT64_MODIFIER "x", (int) format->size * 2,
                                value);
        break;
    }
}

/* As gdb does: $_ is where the last unit is, $__ what it is, which text and instructions have not. */
static void
keep_last (EngineProcess *process, guint64 address, const guint8 *bytes, guint size)
{
    const char *type = size == 8   ? "long"
                       : size == 4 ? "int"
                       : size == 2 ? "short"
                                   : "signed char";
    g_autofree char *pointer = g_strconcat (type, " *", NULL);

    engine_kept_set (process, "_", pointer, &address, sizeof address);
    engine_kept_set (process, "__", bytes != NULL ? type : NULL, bytes, size);
}

/* A line of memory, whose text it takes. */
static void
add_line (EngineProcess *process, GPtrArray *details, guint64 address, char *text)
{
    g_autofree char *name = engine_inspect_dup_symbol (process, address, NULL);
    g_autofree char *owned = text;

    g_ptr_array_add (details, job_detail_new (JOB_DETAIL_MEMORY, address, name, owned));
}

static gboolean
add_strings (EngineProcess *process, GPtrArray *details, guint64 address, guint count,
             GError **error)
{
    for (guint i = 0; i < count; i++) {
        gboolean is_cut = FALSE;
        g_autofree char *string = base_memory_read_string (engine_process_get_memory (process),
                                                           address, MAX_STRING, &is_cut,
                                                           i == 0 ? error : NULL);
        g_autofree char *escaped = string != NULL ? g_strescape (string, NULL) : NULL;

        if (string == NULL) {
            return i > 0;
        }
        add_line (process, details, address,
                  g_strdup_printf ("\"%s\"%s", escaped, is_cut ? "…" : ""));
        keep_last (process, address, NULL, 1);
        address += strlen (string) + (is_cut ? 0 : 1);
    }
    return TRUE;
}

/* What can be read, up to the first byte that cannot, which is named. */
static gboolean
add_units (EngineProcess *process, GPtrArray *details, guint64 address, const Format *format,
           GError **error)
{
    guint in_line = format->format == 'a'
                        ? 2
                        : MAX (16 / format->size / (format->format == 't' ? 2 : 1), 1);
    g_autofree guint8 *bytes = g_malloc ((gsize) format->count * format->size);
    gsize size = base_memory_read_some (engine_process_get_memory (process), address, bytes,
                                        (gsize) format->count * format->size);
    guint count = (guint) (size / format->size);

    for (guint first = 0; first < count; first += in_line) {
        GString *text = g_string_new (NULL);

        for (guint i = first; i < MIN (first + in_line, count); i++) {
            g_string_append (text, i > first ? "  " : "");
            append_unit (process, text, bytes + (gsize) i * format->size, format);
        }
        add_line (process, details, address + (guint64) first * format->size,
                  g_string_free (text, FALSE));
    }
    if (count == 0) {
        const char *loss = base_memory_find_loss (engine_process_get_memory (process), address);
        g_autofree char *at = base_text_format_address (address);

        if (loss != NULL) {
            base_error_set_because (error, BASE_ERROR_FAULT,
                                    "cannot read memory at %s: it is %s", at, loss);
        } else {
            base_error_set (error, BASE_ERROR_FAULT, "cannot read memory at %s", at);
        }
        return FALSE;
    }
    keep_last (process, address + (guint64) (count - 1) * format->size,
               bytes + (gsize) (count - 1) * format->size, format->size);
    if (count < format->count) {
        g_ptr_array_add (details, job_detail_new (JOB_DETAIL_MEMORY,
                                                  address + (guint64) count * format->size,
                                                  NULL, N_ ("<cannot be read>")));
    }
    return TRUE;
}

gboolean
engine_inspect_answer_memory (EngineInspection *look, const JobRequest *request, GError **error)
{
    EngineProcess *process = look->process;
    g_autoptr (GPtrArray) details = job_detail_list_new ();
    guint64 address = request->where.address;
    gboolean done;
    Format format;

    if (!parse_format (request->text, &format, error)) {
        return FALSE;
    }
    if (format.format == 's') {
        done = add_strings (process, details, address, format.count, error);
    } else if (format.format == 'i') {
        done = engine_inspect_list_code (process, details, address, G_MAXUINT64, format.count,
                                         FALSE, error);
        if (done && details->len > 0) {
            const JobDetail *last = g_ptr_array_index (details, details->len - 1);

            keep_last (process, last->number, NULL, 1);
        }
    } else {
        done = add_units (process, details, address, &format, error);
    }
    return done
           && engine_inspect_answer_details (look, request->id, g_steal_pointer (&details));
}
