/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Theme: style.css, and style-dark.css on top when the background is dark, whatever the theme's
 * name is. */
#include "gui/kit/theme.h"
#include <gtksourceview/gtksource.h>
#include <string.h>
#include "gui/kit/palette.h"
#include "gui/kit/resources.h"

#define MOST_TEXT 1.5 /* what the rows of the chart have room for */

static GtkCssProvider *dark_provider;
static gboolean is_dark;

static double
get_luminance (const GdkRGBA *colour)
{
    return 0.2126 * colour->red + 0.7152 * colour->green + 0.0722 * colour->blue;
}

static void
choose_sheet (GtkSettings *settings)
{
    g_autoptr (GtkWidget) window = g_object_ref_sink (gtk_window_new (GTK_WINDOW_TOPLEVEL));
    GtkStyleContext *context = gtk_widget_get_style_context (window);
    GdkRGBA background = { 1, 1, 1, 1 };

    gtk_style_context_lookup_color (context, "theme_bg_color", &background);
    is_dark = get_luminance (&background) < 0.5;
    gtk_widget_destroy (window);
    gtk_style_context_remove_provider_for_screen (gdk_screen_get_default (),
                                                  GTK_STYLE_PROVIDER (dark_provider));
    if (is_dark) {
        gtk_style_context_add_provider_for_screen (gdk_screen_get_default (),
                                                   GTK_STYLE_PROVIDER (dark_provider),
                                                   GTK_STYLE_PROVIDER_PRIORITY_APPLICATION + 1);
    }
}

gboolean
gui_theme_open_display (void)
{
    gboolean is_own = g_getenv ("GDK_GL") == NULL, is_open;

    if (is_own) {
        g_setenv ("GDK_GL", "disable", TRUE);
    }
    is_open = gtk_init_check (NULL, NULL);
    if (is_own) {
        g_unsetenv ("GDK_GL"); /* the debugged program's is the user's own */
    }
    return is_open;
}

void
gui_theme_init (void)
{
    GtkCssProvider *provider;

    if (dark_provider != NULL) {
        return;
    }
    g_resources_register (gui_get_resource ());
    gtk_icon_theme_add_resource_path (gtk_icon_theme_get_default (), "/org/pddt/Pddt/icons");
    gtk_window_set_default_icon_name ("org.pddt.Pddt");
    provider = gtk_css_provider_new ();
    gtk_css_provider_load_from_resource (provider, "/org/pddt/Pddt/style.css");
    gtk_style_context_add_provider_for_screen (gdk_screen_get_default (),
                                               GTK_STYLE_PROVIDER (provider),
                                               GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
    g_object_unref (provider);
    dark_provider = gtk_css_provider_new ();
    gtk_css_provider_load_from_resource (dark_provider, "/org/pddt/Pddt/style-dark.css");
    choose_sheet (gtk_settings_get_default ());
    g_signal_connect (gtk_settings_get_default (), "notify::gtk-theme-name",
                      G_CALLBACK (choose_sheet), NULL);
    g_signal_connect (gtk_settings_get_default (), "notify::gtk-application-prefer-dark-theme",
                      G_CALLBACK (choose_sheet), NULL);
}

gboolean
gui_theme_is_dark (GtkWidget *widget)
{
    return is_dark;
}

int
gui_theme_get_char_width (GtkWidget *widget)
{
    PangoContext *context = gtk_widget_get_pango_context (widget);
    PangoFontMetrics *metrics = pango_context_get_metrics (context, NULL, NULL);
    int width = PANGO_PIXELS_CEIL (pango_font_metrics_get_approximate_char_width (metrics));

    pango_font_metrics_unref (metrics);
    return MAX (width, 1);
}

static gboolean
unpack_scheme (const char *folder, const char *name)
{
    g_autofree char *file = g_strdup_printf ("%s.style.xml", name);
    g_autofree char *resource = g_strconcat ("/org/pddt/Pddt/", file, NULL);
    g_autofree char *path = g_strdup_printf ("%s/%s.xml", folder, name);
    g_autofree char *old = NULL;
    g_autoptr (GBytes) bytes = g_resources_lookup_data (resource, 0, NULL);
    gsize size, old_size;
    const char *text = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

    if (text == NULL) {
        return FALSE;
    }
    return (g_file_get_contents (path, &old, &old_size, NULL) && old_size == size
            && memcmp (old, text, size) == 0)
           || g_file_set_contents (path, text, (gssize) size, NULL);
}

const char *
gui_theme_get_scheme (gboolean dark)
{
    static gboolean is_tried, is_there;
    GtkSourceStyleSchemeManager *manager = gtk_source_style_scheme_manager_get_default ();
    const char *own = dark ? "pddt-dark" : "pddt-light";

    if (!is_tried) {
        g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "pddt", "styles",
                                                    NULL);

        is_tried = TRUE;
        is_there = g_mkdir_with_parents (folder, 0700) == 0
                   && unpack_scheme (folder, "pddt-light")
                   && unpack_scheme (folder, "pddt-dark");
        gtk_source_style_scheme_manager_append_search_path (manager, folder);
    }
    if (is_there && gtk_source_style_scheme_manager_get_scheme (manager, own) != NULL) {
        return own;
    }
    return dark ? "oblivion" : "classic";
}

void
gui_theme_set_font (const char *font)
{
    static GtkCssProvider *provider;
    PangoFontDescription *description = pango_font_description_from_string (font);
    const char *family = pango_font_description_get_family (description);
    double size = pango_font_description_get_size (description) / (double) PANGO_SCALE;
    g_autofree char *rule = NULL;
    char number[G_ASCII_DTOSTR_BUF_SIZE];

    if (provider == NULL) {
        provider = gtk_css_provider_new ();
        gtk_style_context_add_provider_for_screen (gdk_screen_get_default (),
                                                   GTK_STYLE_PROVIDER (provider),
                                                   GTK_STYLE_PROVIDER_PRIORITY_APPLICATION + 2);
    }
    if (*font != '\0' && family != NULL && strpbrk (family, "\"\\{};") == NULL) {
        rule = g_strdup_printf (".pddt-source, .pddt-transcript, .pddt-transcript text, "
                                ".pddt-command { font-family: \"%s\"; font-size: %spt; }",
                                family,
                                g_ascii_formatd (number, sizeof number, "%.1f",
                                                 size > 0 ? size : 10));
    }
    gtk_css_provider_load_from_data (provider, rule != NULL ? rule : "", -1, NULL);
    pango_font_description_free (description);
}

static guint32
pack (const GdkRGBA *colour)
{
    return (guint32) (colour->red * 255 + 0.5) << 16
           | (guint32) (colour->green * 255 + 0.5) << 8 | (guint32) (colour->blue * 255 + 0.5);
}

void
gui_theme_fill_colours (GtkWidget *widget, GuiPaletteColours *colours)
{
    GtkStyleContext *context = gtk_widget_get_style_context (widget);
    g_autofree char *theme = NULL;
    GdkRGBA colour;

    for (guint i = 0; i < JOB_N_STATES; i++) {
        g_autofree char *name = g_strconcat ("pddt_", job_state_get_info (i)->colour, NULL);

        colours->colours[i] = gtk_style_context_lookup_color (context, name, &colour)
                                  ? pack (&colour)
                                  : gui_palette_get (i, is_dark);
    }
    gtk_style_context_get_color (context, gtk_style_context_get_state (context), &colour);
    colours->foreground = pack (&colour);
    g_object_get (gtk_settings_get_default (), "gtk-theme-name", &theme, NULL);
    colours->text = CLAMP (gdk_screen_get_resolution (gtk_widget_get_screen (widget)) / 96, 1,
                           MOST_TEXT);
    colours->outline_alpha = theme != NULL && g_str_has_prefix (theme, "HighContrast") ? 1
                                                                                       : 0.6;
}

void
gui_theme_name (GtkWidget *widget, const char *id, const char *name)
{
    AtkObject *object = gtk_widget_get_accessible (widget);

    if (id != NULL) {
        atk_object_set_accessible_id (object, id);
    }
    if (name != NULL) {
        atk_object_set_name (object, name);
    }
}

void
gui_theme_name_by_label (GtkWidget *widget, GtkWidget *labelled, const char *id)
{
    g_autoptr (GList) labels = gtk_widget_list_mnemonic_labels (labelled);

    gui_theme_name (widget, id, gtk_label_get_text (GTK_LABEL (labels->data)));
}

static void
name_button (GtkWidget *widget, gpointer name)
{
    AtkObject *object = gtk_widget_get_accessible (widget);
    const char *known = atk_object_get_name (object);

    if (GTK_IS_BUTTON (widget) && (known == NULL || *known == '\0')) {
        atk_object_set_name (object, name);
    } else if (GTK_IS_CONTAINER (widget)) {
        gtk_container_forall (GTK_CONTAINER (widget), name_button, name);
    }
}

void
gui_theme_name_buttons (GtkWidget *root, const char *name)
{
    name_button (root, (gpointer) name);
}

static void
on_notebook_destroyed (GtkWidget *notebook)
{
    g_signal_handlers_block_matched (notebook, G_SIGNAL_MATCH_ID | G_SIGNAL_MATCH_DATA,
                                     g_signal_lookup ("page-removed", GTK_TYPE_NOTEBOOK), 0,
                                     NULL, NULL, NULL);
}

void
gui_theme_guard_notebook (GtkNotebook *notebook)
{
    g_signal_connect (notebook, "destroy", G_CALLBACK (on_notebook_destroyed), NULL);
}

void
gui_theme_show_page (GtkWidget *page)
{
    GtkWidget *notebook = gtk_widget_get_ancestor (page, GTK_TYPE_NOTEBOOK);

    if (notebook != NULL) {
        gtk_notebook_set_current_page (GTK_NOTEBOOK (notebook),
                                       gtk_notebook_page_num (GTK_NOTEBOOK (notebook), page));
    }
}

static void
drop_label (GtkWidget *button, gpointer user)
{
    g_autofree char *label = g_strdup (gtk_button_get_label (GTK_BUTTON (button)));

    gtk_button_set_label (GTK_BUTTON (button), NULL);
    gui_theme_name (button, NULL, label);
}

void
gui_theme_drop_labels (GtkWidget *box)
{
    gtk_container_foreach (GTK_CONTAINER (box), drop_label, NULL);
}
