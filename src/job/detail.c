/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Entries of a rank's lists: their lines, lists of them, and their bytes. */
#include "job/detail.h"
#include "base/array.h"
#include "base/escape.h"
#include <glib/gi18n.h>
#include "job/wire-private.h"

JobDetail *
job_detail_new (JobDetailKind kind, guint64 number, const char *name, const char *text)
{
    JobDetail *detail = g_new0 (JobDetail, 1);

    detail->kind = kind;
    detail->number = number;
    detail->name = g_strdup (name);
    detail->text = g_strdup (text);
    return detail;
}

JobDetail *
job_detail_dup (const JobDetail *detail)
{
    JobDetail *copy = g_new (JobDetail, 1);

    *copy = *detail;
    copy->name = g_strdup (detail->name);
    copy->text = g_strdup (detail->text);
    copy->place = job_location_dup (detail->place);
    return copy;
}

BASE_FREE_PUBLIC (job_detail_free, JobDetail, detail, g_free (detail->name);
                  g_free (detail->text); job_location_free (detail->place))

/* ---- lines ---- */

static char *
dup_base_name (const JobLocation *place)
{
    return place != NULL && place->file != NULL ? g_path_get_basename (place->file) : NULL;
}

/* "work at app.c:12", "?" */
static char *
format_place (BaseTextForm form, const JobLocation *place)
{
    g_autofree char *base = dup_base_name (place);
    const char *function = place != NULL && place->function != NULL ? place->function : "?";

    return base != NULL ? base_text_print_in (form, "function and line", "%s at %s:%u",
                                              function, base, place->line)
                        : g_strdup (function);
}

static char *
format_thread (BaseTextForm form, const JobDetail *detail)
{
    g_autofree char *place = format_place (form, detail->place);
    g_autofree char *what = detail->flags & JOB_DETAIL_LOCK
                                /* Translators: a thread is in this function. It has Python's
                                 * global interpreter lock. */
                                ? base_text_print (form, "%s (holds the GIL)", place)
                                : g_steal_pointer (&place);
    const char *name = detail->name;
    const char *state = form == BASE_TEXT_SHOWN && detail->text != NULL ? gettext (detail->text)
                                                                        : detail->text;

    return g_strdup_printf ("%c %" G_GUINT64_FORMAT "%s%s%s  %s%s%s%s",
                            detail->flags & JOB_DETAIL_HERE ? '*' : ' ', detail->number,
                            name != NULL ? " \"" : "", name != NULL ? name : "",
                            name != NULL ? "\"" : "", what, state != NULL ? " (" : "",
                            state != NULL ? state : "", state != NULL ? ")" : "");
}

/* "app.c:12  TEXT" */
static char *
format_source (const JobDetail *detail)
{
    g_autofree char *base = dup_base_name (detail->place);

    return g_strdup_printf ("%s:%u%s%s", base != NULL ? base : "?",
                            detail->place != NULL ? detail->place->line : 0,
                            detail->text != NULL ? "  " : "",
                            detail->text != NULL ? detail->text : "");
}

static char *
format_more (BaseTextForm form, guint64 end)
{
    g_autofree char *address = g_strdup_printf ("0x%" G_GINT64_MODIFIER "x", end);
    /* Translators: instructions up to that address are left out. */
    g_autofree char *text = base_text_print (form, "… up to %s", address);

    return g_strconcat ("   ", text, NULL);
}

/* Why there is nothing, in place of what a register or memory has. */
static const char *
get_text (BaseTextForm form, const char *text)
{
    return form == BASE_TEXT_SHOWN && *text == '<' ? gettext (text) : text;
}

static char *
format_module (BaseTextForm form, const JobDetail *detail)
{
    const char *name = detail->name != NULL ? detail->name : "";
    const char *text = detail->text != NULL && *detail->text != '\0' ? detail->text : NULL;
    g_autofree char *file
        = detail->flags & JOB_DETAIL_GONE
              ? base_text_print (form, "%s (replaced or changed after the program loaded it)",
                                 name)
              : g_strdup (name);

    return g_strdup_printf ("0x%012" G_GINT64_MODIFIER "x-0x%012" G_GINT64_MODIFIER
                            "x  %-10s  %s",
                            detail->number, detail->end,
                            text == NULL ? ""
                            : form == BASE_TEXT_SHOWN
                                ? g_dpgettext2 (NULL, "symbols of a file", text)
                                : text,
                            file);
}

static char *
format_map (BaseTextForm form, const JobDetail *detail)
{
    g_autofree char *file
        = detail->name == NULL ? base_text_print (form, "(no file)")
          : detail->flags & JOB_DETAIL_GONE
              /* Translators: a file that has been deleted since it was mapped. */
              ? base_text_print (form, "%s (deleted)", detail->name)
              : g_strdup (detail->name);

    return g_strdup_printf ("0x%012" G_GINT64_MODIFIER "x-0x%012" G_GINT64_MODIFIER
                            "x %c%c%c 0x%08" G_GINT64_MODIFIER "x  %s",
                            detail->number, detail->end,
                            detail->flags & JOB_DETAIL_READABLE ? 'r' : '-',
                            detail->flags & JOB_DETAIL_WRITABLE ? 'w' : '-',
                            detail->flags & JOB_DETAIL_EXECUTABLE ? 'x' : '-', detail->offset,
                            file);
}

static char *
format_signal (const JobDetail *detail)
{
    return g_strdup_printf ("%-10s %-4s %-5s %s", detail->name != NULL ? detail->name : "?",
                            detail->flags & JOB_DETAIL_STOP ? "yes" : "no",
                            detail->flags & JOB_DETAIL_PRINT ? "yes" : "no",
                            detail->flags & JOB_DETAIL_PASS ? "yes" : "no");
}

char *
job_detail_format (BaseTextForm form, const JobDetail *detail)
{
    const char *name = detail->name != NULL ? detail->name : "";
    const char *text = detail->text != NULL ? detail->text : "";

    switch (detail->kind) {
    case JOB_DETAIL_THREAD: return format_thread (form, detail);
    case JOB_DETAIL_REGISTER: return g_strdup_printf ("%-7s %s", name, get_text (form, text));
    case JOB_DETAIL_INSTRUCTION:
        return g_strdup_printf ("%s 0x%012" G_GINT64_MODIFIER "x %s%s%s",
                                detail->flags & JOB_DETAIL_HERE ? "=>" : "  ", detail->number,
                                name, detail->name != NULL ? "  " : " ", text);
    case JOB_DETAIL_SOURCE: return format_source (detail);
    case JOB_DETAIL_MODULE: return format_module (form, detail);
    case JOB_DETAIL_MORE: return format_more (form, detail->end);
    case JOB_DETAIL_MAP: return format_map (form, detail);
    case JOB_DETAIL_SIGNAL: return format_signal (detail);
    case JOB_DETAIL_MEMORY:
        return g_strdup_printf ("0x%" G_GINT64_MODIFIER "x%s%s:  %s", detail->number,
                                detail->name != NULL ? " " : "", name, get_text (form, text));
    default: return g_strdup (text);
    }
}

char *
job_detail_dup_key (const JobDetail *detail)
{
    return detail->kind == JOB_DETAIL_REGISTER
               ? g_strdup (detail->name)
               : g_strdup_printf ("%d %" G_GINT64_MODIFIER "x", detail->kind, detail->number);
}

/* ---- lists ---- */

GPtrArray *
job_detail_list_new (void)
{
    return g_ptr_array_new_with_free_func ((GDestroyNotify) job_detail_free);
}

GPtrArray *
job_detail_list_dup (const GPtrArray *list)
{
    GPtrArray *copy = list != NULL ? job_detail_list_new () : NULL;

    for (guint i = 0; list != NULL && i < list->len; i++) {
        g_ptr_array_add (copy, job_detail_dup (g_ptr_array_index (list, i)));
    }
    return copy;
}

static gboolean
is_equal (const JobDetail *a, const JobDetail *b)
{
    return a->kind == b->kind && a->flags == b->flags && a->number == b->number
           && a->end == b->end && a->offset == b->offset && g_strcmp0 (a->name, b->name) == 0
           && g_strcmp0 (a->text, b->text) == 0 && job_location_equal (a->place, b->place);
}

gboolean
job_detail_list_equal (const GPtrArray *a, const GPtrArray *b)
{
    guint n = a != NULL ? a->len : 0;

    if (n != (b != NULL ? b->len : 0)) {
        return FALSE;
    }
    return BASE_ALL (i, n, is_equal (g_ptr_array_index (a, i), g_ptr_array_index (b, i)));
}

char *
job_detail_list_format (const GPtrArray *list)
{
    const JobDetail *first = list != NULL && list->len > 0 ? g_ptr_array_index (list, 0) : NULL;
    GString *text = g_string_new (first != NULL && first->kind == JOB_DETAIL_SIGNAL
                                      ? "signal     stop print pass\n"
                                      : NULL);

    for (guint i = 0; list != NULL && i < list->len; i++) {
        g_autofree char *line = job_detail_format (BASE_TEXT_ENGLISH,
                                                   g_ptr_array_index (list, i));

        g_string_append_printf (text, "%s%s", i > 0 ? "\n" : "", line);
    }
    return g_string_free (text, FALSE);
}

/* ---- bytes: a count, then the fields of each ---- */

GVariant *
job_wire_put_details (const GPtrArray *list)
{
    g_autoptr (GByteArray) bytes = g_byte_array_new ();

    base_bytes_put_uleb (bytes, list->len);
    BASE_EACH (list, const JobDetail, detail) {
        base_bytes_put_uleb (bytes, detail->kind);
        base_bytes_put_uleb (bytes, detail->flags);
        base_bytes_put_uleb (bytes, detail->number);
        base_bytes_put_uleb (bytes, detail->end);
        base_bytes_put_uleb (bytes, detail->offset);
        job_wire_write_text (bytes, detail->name);
        job_wire_write_text (bytes, detail->text);
        base_bytes_put_uleb (bytes, detail->place != NULL);
        if (detail->place != NULL) {
            job_wire_write_place (bytes, detail->place);
        }
    }
    return g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, bytes->data, bytes->len, 1);
}

static JobDetail *
take_detail (JobWire *wire, BaseCursor *cursor)
{
    JobDetail *detail = g_new0 (JobDetail, 1);
    guint32 kind = job_wire_read_number (wire, cursor), has_place;

    detail->kind = (JobDetailKind) kind;
    detail->flags = job_wire_read_number (wire, cursor);
    detail->number = base_cursor_read_uleb (cursor);
    detail->end = base_cursor_read_uleb (cursor);
    detail->offset = base_cursor_read_uleb (cursor);
    detail->name = job_wire_read_name (wire, cursor);
    detail->text = base_escape_take (job_wire_read_text (wire, cursor), BASE_ESCAPE_KEEP_TABS);
    has_place = job_wire_read_number (wire, cursor);
    wire->failed |= cursor->failed || kind >= JOB_N_DETAILS || has_place > 1;
    if (has_place == 1 && !wire->failed && job_wire_spend (wire, sizeof *detail->place)) {
        detail->place = job_wire_read_place (wire, cursor);
    }
    return detail;
}

GPtrArray *
job_wire_take_details (JobWire *wire, GVariant *block)
{
    GPtrArray *list = job_detail_list_new ();
    gsize size;
    const guint8 *data = g_variant_get_fixed_array (block, &size, 1);
    BaseCursor cursor = BASE_CURSOR_INIT (data, size);
    guint32 n = job_wire_read_number (wire, &cursor);

    for (guint32 i = 0; i < n && !wire->failed; i++) {
        if (job_wire_spend (wire, sizeof (JobDetail) + sizeof (gpointer))) {
            g_ptr_array_add (list, take_detail (wire, &cursor));
        }
    }
    wire->failed |= cursor.failed || base_cursor_get_left (&cursor) != 0;
    return list;
}
