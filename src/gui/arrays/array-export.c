/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Uses a temporary name until the file is complete. */
#include "gui/arrays/array-export.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include "base/error.h"

enum { PIECE = 1 << 20, PREFIX = 10, ALIGN = 64 };

struct _GuiArrayExport {
    const GuiArrayData *data;
    GuiArraySlice slice;
    gboolean is_csv;
    char *file, *part;
    FILE *stream;      /* NULL: whole, or failed */
    guint64 done, all; /* rows, or bytes */
    int permille;
};

static gboolean
fail (const GuiArrayExport *export, GError **error)
{
    base_error_set (error, BASE_ERROR_DENIED, "cannot write %s: %s", export->file,
                    g_strerror (errno));
    return FALSE;
}

static void
write_header (GuiArrayExport *export)
{
    const GuiArrayData *data = export->data;
    g_autofree char *shape = gui_array_data_format_shape (data);
    g_autoptr (GString) header = g_string_new (NULL);
    guint8 prefix[PREFIX] = { 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0 };

    g_string_printf (header, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }",
                     data->letters[1] == 'b' ? "|b1" : data->letters,
                     data->is_fortran ? "True" : "False", shape);
    while ((PREFIX + header->len + 1) % ALIGN != 0) {
        g_string_append_c (header, ' ');
    }
    g_string_append_c (header, '\n');
    prefix[8] = (guint8) (header->len & 255);
    prefix[9] = (guint8) (header->len >> 8);
    fwrite (prefix, 1, PREFIX, export->stream);
    fwrite (header->str, 1, header->len, export->stream);
}

GuiArrayExport *
gui_array_export_new (const GuiArrayData *data, const GuiArraySlice *slice, const char *file,
                      GError **error)
{
    GuiArrayExport *export;

    if (slice == NULL && data->is_quad) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "cannot write %s: numpy has no such numbers; save CSV", file);
        return NULL;
    }
    export = g_new0 (GuiArrayExport, 1);
    export->data = data;
    export->is_csv = slice != NULL;
    export->file = g_strdup (file);
    export->part = g_strconcat (file, ".part", NULL);
    export->stream = g_fopen (export->part, "wbe");
    if (slice != NULL) {
        export->slice = *slice;
    }
    export->all = slice != NULL ? data->shape[slice->rows] : g_bytes_get_size (data->bytes);
    if (export->stream == NULL) {
        fail (export, error);
        gui_array_export_free (export);
        return NULL;
    }
    if (slice == NULL) {
        write_header (export);
    }
    return export;
}

static void
write_row (GuiArrayExport *export)
{
    guint64 n = gui_array_slice_get_n_columns (export->data, &export->slice);

    for (guint64 column = 0; column < n; column++) {
        guint64 position = gui_array_slice_get_position (export->data, &export->slice,
                                                         export->done, column);
        g_autofree char *value = gui_array_data_is_hidden (export->data, position)
                                     ? g_strdup ("")
                                     : gui_array_data_format (export->data, position, TRUE);

        fputs (column > 0 ? "," : "", export->stream);
        fputs (value, export->stream);
    }
    fputc ('\n', export->stream);
    export->done++;
}

static void
write_piece (GuiArrayExport *export)
{
    const guint8 *bytes = g_bytes_get_data (export->data->bytes, NULL);
    gsize size = (gsize) MIN (export->all - export->done, PIECE);

    fwrite (bytes + export->done, 1, size, export->stream);
    export->done += size;
}

gboolean
gui_array_export_step (GuiArrayExport *export, gint64 budget_us, gboolean *ret_is_done,
                       GError **error)
{
    gint64 end_us = g_get_monotonic_time () + budget_us;

    while (export->done < export->all) {
        (export->is_csv ? write_row : write_piece) (export);
        if (ferror (export->stream)) {
            return fail (export, error);
        }
        if (g_get_monotonic_time () >= end_us && export->done < export->all) {
            export->permille = (int) (export->done * 1000 / export->all);
            *ret_is_done = FALSE;
            return TRUE;
        }
    }
    if (fclose (g_steal_pointer (&export->stream)) != 0
        || g_rename (export->part, export->file) != 0) {
        return fail (export, error);
    }
    g_clear_pointer (&export->part, g_free);
    *ret_is_done = TRUE;
    return TRUE;
}

const int *
gui_array_export_get_permille (const GuiArrayExport *export)
{
    return &export->permille;
}

void
gui_array_export_free (GuiArrayExport *export)
{
    if (export == NULL) {
        return;
    }
    if (export->stream != NULL) {
        fclose (export->stream);
    }
    if (export->part != NULL) {
        g_remove (export->part);
    }
    g_free (export->part);
    g_free (export->file);
    g_free (export);
}
