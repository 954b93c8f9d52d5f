/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks left over ".", "->", "::", "%" and "[…]"; rejects calls, because hovering must not run
 * the program's code. */
#include "gui/source/source-word.h"
#include <string.h>

static gboolean
is_name (char c)
{
    return g_ascii_isalnum (c) || c == '_' || (guchar) c >= 0x80;
}

static gsize
skip_name_left (const char *line, gsize at)
{
    while (at > 0 && is_name (line[at - 1])) {
        at--;
    }
    return at;
}

/* From just after "]" to its "[". G_MAXSIZE when there is none. */
static gsize
skip_brackets_left (const char *line, gsize at)
{
    guint depth = 0;

    while (at > 0) {
        at--;
        depth += line[at] == ']';
        if (line[at] == '[' && --depth == 0) {
            return at;
        }
    }
    return G_MAXSIZE;
}

/* The length of what joins a member to what stands left of `at`; 0: nothing does. */
static gsize
get_join (const char *line, gsize at)
{
    if (at >= 2
        && (strncmp (line + at - 2, "->", 2) == 0 || strncmp (line + at - 2, "::", 2) == 0)) {
        return 2;
    }
    return at >= 2 && (line[at - 1] == '.' || line[at - 1] == '%')
                   && (is_name (line[at - 2]) || line[at - 2] == ']')
               ? 1
               : 0;
}

char *
gui_source_word_find (const char *line, gsize at)
{
    gsize start, end = at, join;

    if (at >= strlen (line) || !is_name (line[at])) {
        return NULL;
    }
    while (is_name (line[end])) {
        end++;
    }
    start = skip_name_left (line, at);
    if (g_ascii_isdigit (line[start])) {
        return NULL;
    }
    while ((join = get_join (line, start)) > 0) {
        gsize left = start - join;

        while (left > 0 && line[left - 1] == ']') {
            left = skip_brackets_left (line, left);
            if (left == G_MAXSIZE) {
                return NULL;
            }
        }
        left = skip_name_left (line, left);
        if (left == start - join || g_ascii_isdigit (line[left])) {
            return NULL; /* the result of a call, or a number */
        }
        start = left;
    }
    if (start > 0 && (line[start - 1] == '.' || g_str_has_prefix (line + start - 1, ">"))
        && !(line[start - 1] == '>' && (start < 2 || line[start - 2] != '-'))) {
        return NULL; /* a member of something that has no name */
    }
    return g_strndup (line + start, end - start);
}

char *
gui_source_word_dup (GtkSourceBuffer *buffer, const GtkTextIter *iter)
{
    GtkTextIter start = *iter, end = *iter;
    g_autofree char *line = NULL;

    if (gtk_source_buffer_iter_has_context_class (buffer, iter, "comment")
        || gtk_source_buffer_iter_has_context_class (buffer, iter, "string")) {
        return NULL;
    }
    gtk_text_iter_set_line_offset (&start, 0);
    if (!gtk_text_iter_ends_line (&end)) {
        gtk_text_iter_forward_to_line_end (&end);
    }
    line = gtk_text_buffer_get_text (GTK_TEXT_BUFFER (buffer), &start, &end, TRUE);
    return gui_source_word_find (line, (gsize) gtk_text_iter_get_line_index (iter));
}
