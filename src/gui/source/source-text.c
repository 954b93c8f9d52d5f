/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/source/source-text.h"
#include "base/array.h"
#include "base/escape.h"
#include <string.h>

/* Lines that end as on Windows. */
static char *
drop_returns (char *text)
{
    char *to = text;

    for (const char *from = text; *from != '\0'; from++) {
        if (from[0] != '\r' || from[1] != '\n') {
            *to++ = *from;
        }
    }
    *to = '\0';
    return text;
}

/* How many bytes are no part of a UTF-8 character, and how many characters have several. */
static void
count_bytes (const char *bytes, gsize size, gsize *ret_bad, gsize *ret_good)
{
    const char *at = bytes, *end = bytes + size, *stop;

    *ret_bad = *ret_good = 0;
    while (at < end) {
        g_utf8_validate_len (at, (gsize) (end - at), &stop);
        for (; at < stop; at = g_utf8_next_char (at)) {
            *ret_good += (guint8) *at >= 0x80;
        }
        *ret_bad += at < end;
        at += at < end;
    }
}

static gboolean
has_between (const char *bytes, gsize size, guint8 first, guint8 last)
{
    return BASE_ANY (i, size, (guint8) bytes[i] >= first && (guint8) bytes[i] <= last);
}

/* NULL: they are no text of such an encoding. */
static char *
convert_old (const char *bytes, gsize size, GuiSourceEncoding *ret_encoding)
{
    /* which are control characters in Latin-1, and letters and quotes in Windows-1252 */
    gboolean is_windows = has_between (bytes, size, 0x80, 0x9f);
    gsize n_bad, n_good;

    count_bytes (bytes, size, &n_bad, &n_good);
    if (memchr (bytes, 0, size) != NULL || n_good > n_bad) {
        return NULL;
    }
    *ret_encoding = is_windows ? GUI_SOURCE_WINDOWS : GUI_SOURCE_LATIN_1;
    return g_convert (bytes, (gssize) size, "UTF-8", is_windows ? "WINDOWS-1252" : "ISO-8859-1",
                      NULL, NULL, NULL);
}

char *
gui_source_text_dup (const char *bytes, gsize size, GuiSourceEncoding *ret_encoding)
{
    char *text = NULL;

    size -= size > 0 && bytes[size - 1] == '\n' ? 1 : 0; /* which ends the last line */
    *ret_encoding = GUI_SOURCE_UTF_8;
    if (g_utf8_validate_len (bytes, size, NULL)) {
        text = g_strndup (bytes, size);
    } else {
        text = convert_old (bytes, size, ret_encoding);
    }
    if (text == NULL) {
        *ret_encoding = GUI_SOURCE_DAMAGED;
        text = g_utf8_make_valid (bytes, (gssize) size);
    }
    return base_escape_take (drop_returns (text), BASE_ESCAPE_KEEP_LINES);
}

static gboolean
has_text (GtkTextBuffer *buffer, const char *text)
{
    g_autofree char *shown = NULL;
    GtkTextIter start, end;

    gtk_text_buffer_get_bounds (buffer, &start, &end);
    shown = gtk_text_buffer_get_text (buffer, &start, &end, TRUE);
    return strcmp (shown, text) == 0;
}

gboolean
gui_source_text_set (GtkTextView *view, const char *text, gsize size, gboolean is_shown,
                     GuiSourceEncoding *ret_encoding)
{
    GtkTextBuffer *buffer = gtk_text_view_get_buffer (view);
    GuiSourceEncoding encoding;
    g_autofree char *valid = gui_source_text_dup (text, size, &encoding);

    if (is_shown && has_text (buffer, valid)) {
        return FALSE;
    }
    g_object_ref (buffer);
    if (!is_shown) { /* at once: inserting pieces would repeat the layout */
        gtk_text_view_set_buffer (view, NULL);
    }
    gtk_source_buffer_begin_not_undoable_action (GTK_SOURCE_BUFFER (buffer));
    gtk_text_buffer_set_text (buffer, valid, -1);
    gtk_source_buffer_end_not_undoable_action (GTK_SOURCE_BUFFER (buffer));
    gtk_text_view_set_buffer (view, buffer);
    g_object_unref (buffer);
    *ret_encoding = encoding;
    return TRUE;
}
