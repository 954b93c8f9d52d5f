/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/source/source-style.h"
#include "gui/kit/theme.h"

static void
colour_line (GtkTextTagTable *tags, const char *name, const GdkRGBA *colour)
{
    g_object_set (gtk_text_tag_table_lookup (tags, name), "paragraph-background-rgba", colour,
                  NULL);
}

void
gui_source_style_colour (GtkSourceBuffer *buffer, gboolean is_dark)
{
    const GdkRGBA here = { is_dark ? 0.3 : 1, is_dark ? 0.25 : 0.95, is_dark ? 0.03 : 0.6, 1 };
    const double grey = is_dark ? 0.27 : 0.9;
    const GdkRGBA there = { grey, grey, grey, 1 };
    GtkTextTagTable *tags = gtk_text_buffer_get_tag_table (GTK_TEXT_BUFFER (buffer));
    GtkSourceStyleSchemeManager *schemes = gtk_source_style_scheme_manager_get_default ();

    gtk_source_buffer_set_style_scheme (buffer, gtk_source_style_scheme_manager_get_scheme (
                                                    schemes, gui_theme_get_scheme (is_dark)));
    colour_line (tags, "here", &here);
    colour_line (tags, "there", &there);
}

void
gui_source_style_begin (GtkSourceBuffer *buffer, const char *file, gboolean is_dark)
{
    GtkSourceLanguage *language = gtk_source_language_manager_guess_language (
        gtk_source_language_manager_get_default (), file, NULL);

    gtk_source_buffer_set_language (buffer, language);
    gtk_source_buffer_set_highlight_matching_brackets (buffer, FALSE);
    gtk_text_buffer_create_tag (GTK_TEXT_BUFFER (buffer), "here", NULL);
    gtk_text_buffer_create_tag (GTK_TEXT_BUFFER (buffer), "there", NULL);
    gui_source_style_colour (buffer, is_dark);
}
