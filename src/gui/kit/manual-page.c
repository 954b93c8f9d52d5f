/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One pass over the text; what is open is counted. */
#include "gui/kit/manual-page.h"
#include <stdlib.h>
#include <string.h>

enum { INDENT_PX = 24, MAX_PICTURE_PX = 640, MAX_DEPTH = 6 };
#define LINK "pddt-link"

/* What is written in another way while it is open. */
enum { BOLD, CODE, HEADING, CELL, PRE, HIDDEN, N_STYLES };

typedef struct {
    GtkTextBuffer *buffer;
    const char *folder;
    guint open[N_STYLES];
    guint depth;      /* of lists */
    guint n_breaks;   /* newlines that stand at the end */
    gboolean is_bare; /* nothing was written since the line began */
    GtkTextTag *link; /* NULL: none is open */
} Writer;

static const struct {
    const char *element;
    guint style;
} styles[] = {
    { "b", BOLD },     { "strong", BOLD },  { "th", BOLD },       { "code", CODE },
    { "h1", HEADING }, { "h2", HEADING },   { "h3", HEADING },    { "h4", HEADING },
    { "pre", PRE },    { "title", HIDDEN }, { "script", HIDDEN }, { "style", HIDDEN },
};

static GtkTextTag *
get_tag (Writer *self, const char *name, const char *property, int value)
{
    GtkTextTagTable *table = gtk_text_buffer_get_tag_table (self->buffer);
    GtkTextTag *tag = gtk_text_tag_table_lookup (table, name);

    return tag != NULL ? tag
                       : gtk_text_buffer_create_tag (self->buffer, name, property, value, NULL);
}

static void
add_style (Writer *self, const char *name, const char *property, int value,
           const GtkTextIter *begin, const GtkTextIter *end)
{
    gtk_text_buffer_apply_tag (self->buffer, get_tag (self, name, property, value), begin, end);
}

static void
apply_styles (Writer *self, const GtkTextIter *begin, const GtkTextIter *end)
{
    g_autofree char *indent = g_strdup_printf ("indent-%u", self->depth + self->open[CELL]);

    if (self->open[BOLD] + self->open[HEADING] > 0) {
        add_style (self, "bold", "weight", PANGO_WEIGHT_BOLD, begin, end);
    }
    if (self->open[CODE] + self->open[PRE] > 0) {
        GtkTextTag *code = get_tag (self, "code", "wrap-mode", GTK_WRAP_WORD_CHAR);

        g_object_set (code, "family", "monospace", NULL);
        gtk_text_buffer_apply_tag (self->buffer, code, begin, end);
    }
    if (self->open[HEADING] > 0) {
        GtkTextTag *heading = get_tag (self, "heading", "pixels-above-lines", 12);

        g_object_set (heading, "scale", PANGO_SCALE_LARGE, NULL);
        gtk_text_buffer_apply_tag (self->buffer, heading, begin, end);
    }
    if (self->depth + self->open[CELL] > 0) {
        add_style (self, indent, "left-margin",
                   (int) (MIN (self->depth + self->open[CELL], MAX_DEPTH) * INDENT_PX), begin,
                   end);
    }
    if (self->link != NULL) {
        gtk_text_buffer_apply_tag (self->buffer, self->link, begin, end);
    }
}

static void
put (Writer *self, const char *text)
{
    GtkTextIter begin, end;
    int offset;

    if (self->open[HIDDEN] > 0 || *text == '\0') {
        return;
    }
    gtk_text_buffer_get_end_iter (self->buffer, &end);
    offset = gtk_text_iter_get_offset (&end);
    gtk_text_buffer_insert (self->buffer, &end, text, -1);
    gtk_text_buffer_get_iter_at_offset (self->buffer, &begin, offset);
    apply_styles (self, &begin, &end);
}

/* So many newlines at the end; none at the beginning of the page. */
static void
break_line (Writer *self, guint n)
{
    for (; self->n_breaks < n; self->n_breaks++) {
        put (self, "\n");
    }
    self->is_bare = TRUE;
}

/* Blanks are one, none where a line begins, and as they are in what is preformatted. */
static void
put_text (Writer *self, const char *text)
{
    g_autoptr (GString) line = g_string_new (NULL);

    if (self->open[HIDDEN] > 0) {
        return;
    }
    if (self->open[PRE] > 0) {
        put (self, text);
        self->n_breaks = g_str_has_suffix (text, "\n");
        self->is_bare = self->n_breaks > 0;
        return;
    }
    for (const char *at = text; *at != '\0'; at++) {
        gboolean is_blank = g_ascii_isspace (*at);

        if (!is_blank) {
            g_string_append_c (line, *at);
            self->is_bare = FALSE;
        } else if (!self->is_bare && (line->len == 0 || line->str[line->len - 1] != ' ')) {
            g_string_append_c (line, ' ');
        }
    }
    if (strspn (line->str, " ") < line->len) {
        self->n_breaks = 0;
    }
    put (self, line->str);
}

/* &lt; &#8217; and the like. Caller owns. */
static char *
decode (const char *text, gsize size)
{
    static const char *const names[][2]
        = { { "amp", "&" }, { "lt", "<" }, { "gt", ">" }, { "quot", "\"" }, { "nbsp", " " } };
    GString *plain = g_string_new (NULL);

    for (const char *at = text; at < text + size;) {
        const char *end = *at == '&' ? memchr (at, ';', (gsize) (text + size - at)) : NULL;
        g_autofree char *name = end != NULL ? g_strndup (at + 1, (gsize) (end - at - 1)) : NULL;
        gboolean is_known = FALSE;

        for (guint i = 0; name != NULL && i < G_N_ELEMENTS (names); i++) {
            if (strcmp (name, names[i][0]) == 0) {
                g_string_append (plain, names[i][1]);
                is_known = TRUE;
            }
        }
        if (name != NULL && name[0] == '#') {
            gunichar c = (gunichar) strtoul (name[1] == 'x' ? name + 2 : name + 1, NULL,
                                             name[1] == 'x' ? 16 : 10);

            is_known = g_unichar_validate (c) && c != 0;
            if (is_known) {
                g_string_append_unichar (plain, c);
            }
        }
        if (is_known) {
            at = end + 1;
        } else {
            g_string_append_c (plain, *at++);
        }
    }
    return g_string_free (plain, FALSE);
}

/* Of an element's text, such as a href="x". Caller owns; NULL: it has none. */
static char *
dup_attribute (const char *element, const char *name)
{
    g_autofree char *wanted = g_strdup_printf (" %s=\"", name);
    const char *at = strstr (element, wanted);
    const char *end = at != NULL ? strchr (at + strlen (wanted), '"') : NULL;

    return end != NULL ? decode (at + strlen (wanted), (gsize) (end - at) - strlen (wanted))
                       : NULL;
}

static void
put_picture (Writer *self, const char *element)
{
    g_autofree char *source = dup_attribute (element, "src");
    g_autofree char *text = dup_attribute (element, "alt");
    g_autofree char *base = g_path_get_basename (source != NULL ? source : "none");
    g_autofree char *path = g_build_filename (self->folder, base, NULL);
    g_autoptr (GdkPixbuf) picture = gdk_pixbuf_new_from_file_at_scale (path, MAX_PICTURE_PX, -1,
                                                                       TRUE, NULL);
    GtkTextIter end;

    if (picture != NULL && self->open[HIDDEN] == 0) {
        gtk_text_buffer_get_end_iter (self->buffer, &end);
        gtk_text_buffer_insert_pixbuf (self->buffer, &end, picture);
        self->n_breaks = 0;
        break_line (self, 1);
    }
    put_text (self, text != NULL ? text : "");
}

static void
begin_link (Writer *self, const char *element)
{
    g_autofree char *href = dup_attribute (element, "href");

    self->link = NULL;
    if (href != NULL) {
        self->link = gtk_text_buffer_create_tag (self->buffer, NULL, "underline",
                                                 PANGO_UNDERLINE_SINGLE, NULL);
        g_object_set_data_full (G_OBJECT (self->link), LINK, g_steal_pointer (&href), g_free);
    }
}

/* How many newlines stand before and behind a block; 0: it is none. */
static guint
get_breaks (const char *name)
{
    static const char *const paragraphs[] = { "p",  "pre", "table",      "h1", "h2",
                                              "h3", "h4",  "blockquote", NULL };
    static const char *const lines[]
        = { "li", "tr", "td", "th", "br", "div", "ul", "ol", NULL };

    return g_strv_contains (paragraphs, name) ? 2 : g_strv_contains (lines, name) ? 1 : 0;
}

static void
note_id (Writer *self, const char *element)
{
    g_autofree char *id = dup_attribute (element, "id");
    GtkTextIter end;

    if (id != NULL && gtk_text_buffer_get_mark (self->buffer, id) == NULL) {
        gtk_text_buffer_get_end_iter (self->buffer, &end);
        gtk_text_buffer_create_mark (self->buffer, id, &end, TRUE);
    }
}

static void
begin_element (Writer *self, const char *name, const char *element)
{
    guint n = get_breaks (name);
    GtkTextIter end;

    gtk_text_buffer_get_end_iter (self->buffer, &end);
    if (n > 0 && !gtk_text_iter_is_start (&end)) {
        break_line (self, self->depth > 0 || self->open[CELL] > 0 ? 1 : n);
    }
    note_id (self, element);
    for (guint i = 0; i < G_N_ELEMENTS (styles); i++) {
        self->open[styles[i].style] += strcmp (styles[i].element, name) == 0;
    }
    if (strcmp (name, "ul") == 0 || strcmp (name, "ol") == 0) {
        self->depth++;
    } else if (strcmp (name, "td") == 0) {
        self->open[CELL]++;
    } else if (strcmp (name, "tr") == 0) {
        self->open[CELL] = 0;
    } else if (strcmp (name, "li") == 0) {
        put (self, "• ");
        self->n_breaks = 2; /* what it is about follows in the same line */
    } else if (strcmp (name, "a") == 0) {
        begin_link (self, element);
    } else if (strcmp (name, "img") == 0) {
        put_picture (self, element);
    }
}

static void
end_element (Writer *self, const char *name)
{
    guint n = get_breaks (name);

    for (guint i = 0; i < G_N_ELEMENTS (styles); i++) {
        guint *open = &self->open[styles[i].style];

        *open -= *open > 0 && strcmp (styles[i].element, name) == 0;
    }
    if (strcmp (name, "a") == 0) {
        self->link = NULL;
    } else if (strcmp (name, "ul") == 0 || strcmp (name, "ol") == 0) {
        self->depth -= self->depth > 0;
    } else if (strcmp (name, "table") == 0) {
        self->open[CELL] = 0;
    }
    if (n > 0) {
        break_line (self, self->depth > 0 || self->open[CELL] > 0 ? 1 : n);
    }
}

/* What stands between < and >. */
static void
take_element (Writer *self, const char *element)
{
    gboolean is_end = element[0] == '/';
    const char *at = element + is_end;
    g_autofree char *name = g_strndup (at, strspn (at, "abcdefghijklmnopqrstuvwxyz0123456789"));

    if (is_end) {
        end_element (self, name);
    } else if (*name != '\0') {
        begin_element (self, name, element);
    }
}

GtkTextBuffer *
gui_manual_page_new (const char *html, const char *folder)
{
    Writer self = { .buffer = gtk_text_buffer_new (NULL), .folder = folder, .is_bare = TRUE };
    g_autofree char *valid = g_utf8_make_valid (html, -1);

    for (const char *at = valid; *at != '\0';) {
        /* In scripts and styles a < may be their own. */
        gboolean is_element = *at == '<' && (self.open[HIDDEN] == 0 || at[1] == '/');
        const char *end = is_element ? strchr (at, '>') : at + 1 + strcspn (at + 1, "<");

        if (end == NULL) {
            break;
        }
        if (is_element) {
            g_autofree char *element = g_strndup (at + 1, (gsize) (end - at - 1));

            take_element (&self, element);
            at = end + 1;
        } else {
            g_autofree char *text = decode (at, (gsize) (end - at));

            put_text (&self, text);
            at = end;
        }
    }
    return self.buffer;
}

const char *
gui_manual_page_find_link (const GtkTextIter *iter)
{
    GSList *tags = gtk_text_iter_get_tags (iter);
    const char *target = NULL;

    for (GSList *link = tags; link != NULL; link = link->next) {
        const char *href = g_object_get_data (link->data, LINK);

        target = href != NULL ? href : target;
    }
    g_slist_free (tags);
    return target;
}

gboolean
gui_manual_page_find_id (GtkTextBuffer *buffer, const char *id, GtkTextIter *ret_iter)
{
    GtkTextMark *mark = gtk_text_buffer_get_mark (buffer, id);

    if (mark != NULL) {
        gtk_text_buffer_get_iter_at_mark (buffer, ret_iter, mark);
    }
    return mark != NULL;
}
