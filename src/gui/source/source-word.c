/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks left over ".", "->", "::", "%" and "[…]"; rejects calls, because hovering must not run
 * the program's code. */
#include "gui/source/source-word.h"
#include "base/array.h"
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

char *
gui_source_word_dup_at (GtkTextView *view, int x, int y)
{
    GtkTextIter iter;
    int buffer_x, buffer_y;

    gtk_text_view_window_to_buffer_coords (view, GTK_TEXT_WINDOW_WIDGET, x, y, &buffer_x,
                                           &buffer_y);
    return gtk_text_view_get_iter_at_location (view, &iter, buffer_x, buffer_y)
               ? gui_source_word_dup (GTK_SOURCE_BUFFER (gtk_text_view_get_buffer (view)),
                                      &iter)
               : NULL;
}

/* Of C, C++, Fortran and Python, as far as a variable cannot have the name or nobody asks for its value. */
static gboolean
is_keyword (const char *word)
{
    static const char *const words[] = {
        "and",    "as",       "assert",  "auto",   "bool",     "break",  "call",     "case",
        "catch",  "char",     "class",   "const",  "continue", "def",    "del",      "delete",
        "do",     "double",   "elif",    "else",   "elseif",   "end",    "enddo",    "endif",
        "enum",   "except",   "exit",    "extern", "false",    "False",  "finally",  "float",
        "for",    "from",     "global",  "goto",   "if",       "import", "in",       "inline",
        "int",    "integer",  "is",      "lambda", "logical",  "long",   "new",      "None",
        "not",    "NULL",     "nullptr", "or",     "pass",     "print",  "raise",    "real",
        "return", "short",    "signed",  "sizeof", "static",   "struct", "switch",   "then",
        "throw",  "true",     "True",    "try",    "typedef",  "union",  "unsigned", "using",
        "void",   "volatile", "while",   "with",   "yield"
    };

    if (BASE_ANY (i, G_N_ELEMENTS (words), strcmp (words[i], word) == 0)) {
        return TRUE;
    }
    return g_ascii_strncasecmp (word, "MPI_", 4) == 0; /* a constant */
}

/* Behind a name: it is called, or what follows makes it longer. */
static gboolean
goes_on (const char *rest)
{
    const char *next = rest + strspn (rest, " \t");

    return *next == '(' || strncmp (rest, "->", 2) == 0 || strncmp (rest, "::", 2) == 0
           || ((*rest == '.' || *rest == '%') && is_name (rest[1]));
}

static void
add_word (GPtrArray *list, char *word)
{
    if (word != NULL && !is_keyword (word)
        && !g_ptr_array_find_with_equal_func (list, word, g_str_equal, NULL)) {
        g_ptr_array_add (list, word);
    } else {
        g_free (word);
    }
}

char **
gui_source_word_list (GtkSourceBuffer *buffer, guint line)
{
    GPtrArray *list = g_ptr_array_new ();
    g_autofree char *text = NULL;
    GtkTextIter start, end;

    gtk_text_buffer_get_iter_at_line (GTK_TEXT_BUFFER (buffer), &start, (int) line);
    end = start;
    if (!gtk_text_iter_ends_line (&end)) {
        gtk_text_iter_forward_to_line_end (&end);
    }
    text = gtk_text_buffer_get_text (GTK_TEXT_BUFFER (buffer), &start, &end, TRUE);
    for (gsize at = 0; text[at] != '\0'; at++) {
        if (is_name (text[at]) && !is_name (text[at + 1]) && !goes_on (text + at + 1)) {
            gtk_text_iter_set_line_index (&start, (int) skip_name_left (text, at));
            add_word (list, gui_source_word_dup (buffer, &start));
        }
    }
    g_ptr_array_add (list, NULL);
    return (char **) g_ptr_array_free (list, FALSE);
}
