/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows bound to GSettings keys. Everything follows the settings, so that changes by another
 * pddt or `gsettings set` apply here, too. */
#include "gui/dialogs/preferences.h"
#include <glib/gi18n.h>
#include "gui/kit/keys.h"
#include "gui/kit/settings.h"
#include "gui/kit/theme.h"

static GtkWidget *the_window; /* NULL: not open */

static void
apply_theme (GSettings *settings)
{
    g_autofree char *theme = g_settings_get_string (settings, "theme");
    GtkSettings *gtk = gtk_settings_get_default ();

    if (g_str_equal (theme, "system")) {
        gtk_settings_reset_property (gtk, "gtk-application-prefer-dark-theme");
    } else {
        g_object_set (gtk, "gtk-application-prefer-dark-theme", g_str_equal (theme, "dark"),
                      NULL);
    }
}

static void
apply_font (GSettings *settings)
{
    g_autofree char *font = g_settings_get_string (settings, "font");

    gui_theme_set_font (font);
}

static void
apply_keys (GSettings *settings, const char *key, GtkApplication *application)
{
    g_autofree char *name = g_settings_get_string (settings, "key-set");

    gui_keys_apply (application, gui_keys_find_set (name));
}

void
gui_preferences_apply (GtkApplication *application)
{
    GSettings *settings = gui_settings_get ();

    if (settings == NULL) {
        gui_keys_apply (application, GUI_KEYS_VSCODE);
        return;
    }
    g_autoptr (GAction) keys = g_settings_create_action (settings, "key-set");
    g_action_map_add_action (G_ACTION_MAP (application), keys);
    g_signal_connect (settings, "changed::theme", G_CALLBACK (apply_theme), NULL);
    g_signal_connect (settings, "changed::font", G_CALLBACK (apply_font), NULL);
    g_signal_connect_object (settings, "changed::key-set", G_CALLBACK (apply_keys), application,
                             0);
    apply_theme (settings);
    apply_font (settings);
    apply_keys (settings, NULL, application);
}

static void
add_row (GtkGrid *grid, int row, const char *label, GtkWidget *widget, const char *id)
{
    GtkWidget *text = gtk_label_new_with_mnemonic (label);
    g_autofree char *name = NULL;

    gtk_label_set_xalign (GTK_LABEL (text), 1);
    gtk_label_set_mnemonic_widget (GTK_LABEL (text), widget);
    name = g_strdup (gtk_label_get_text (GTK_LABEL (text)));
    gui_theme_name (widget, id, name);
    gtk_widget_set_hexpand (widget, TRUE);
    gtk_grid_attach (grid, text, 0, row, 1, 1);
    gtk_grid_attach (grid, widget, 1, row, 1, 1);
}

typedef struct {
    const char *id, *title;
} Choice;

static GtkWidget *
new_choice (const char *key, const Choice *choices, guint n)
{
    GtkWidget *combo = gtk_combo_box_text_new ();

    for (guint i = 0; i < n; i++) {
        gtk_combo_box_text_append (GTK_COMBO_BOX_TEXT (combo), choices[i].id,
                                   _ (choices[i].title));
    }
    g_settings_bind (gui_settings_get (), key, combo, "active-id", G_SETTINGS_BIND_DEFAULT);
    return combo;
}

static gboolean
read_interval (GValue *value, GVariant *variant, gpointer user)
{
    g_value_take_string (value, g_strdup_printf ("%d", g_variant_get_int32 (variant)));
    return TRUE;
}

static GVariant *
write_interval (const GValue *value, const GVariantType *type, gpointer user)
{
    const char *id = g_value_get_string (value);

    return id != NULL ? g_variant_new_int32 ((gint32) g_ascii_strtoll (id, NULL, 10)) : NULL;
}

static GtkWidget *
new_interval (void)
{
    static const Choice choices[] = { { "0", N_ ("Never") },
                                      { "1", N_ ("Every 1 s") },
                                      { "5", N_ ("Every 5 s") },
                                      { "30", N_ ("Every 30 s") } };
    GtkWidget *combo = gtk_combo_box_text_new ();

    for (guint i = 0; i < G_N_ELEMENTS (choices); i++) {
        gtk_combo_box_text_append (GTK_COMBO_BOX_TEXT (combo), choices[i].id,
                                   _ (choices[i].title));
    }
    g_settings_bind_with_mapping (gui_settings_get (), "update-interval", combo, "active-id",
                                  G_SETTINGS_BIND_DEFAULT, read_interval, write_interval, NULL,
                                  NULL);
    return combo;
}

static void
on_font_default (GtkButton *button)
{
    g_settings_reset (gui_settings_get (), "font");
}

static GtkWidget *
new_font (GtkWidget **ret_button)
{
    GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
    GtkWidget *reset = gtk_button_new_with_mnemonic (_ ("_Default"));

    *ret_button = gtk_font_button_new ();
    gtk_font_chooser_set_level (GTK_FONT_CHOOSER (*ret_button),
                                GTK_FONT_CHOOSER_LEVEL_FAMILY | GTK_FONT_CHOOSER_LEVEL_SIZE);
    g_settings_bind (gui_settings_get (), "font", *ret_button, "font", G_SETTINGS_BIND_DEFAULT);
    gtk_widget_set_tooltip_text (reset, _ ("Default font"));
    gui_theme_name (reset, "font-default", NULL);
    gtk_box_pack_start (GTK_BOX (box), *ret_button, TRUE, TRUE, 0);
    gtk_box_pack_start (GTK_BOX (box), reset, FALSE, FALSE, 0);
    g_signal_connect (reset, "clicked", G_CALLBACK (on_font_default), NULL);
    return box;
}

static void
add_check (GtkGrid *grid, int row, const char *label, const char *key, const char *tip)
{
    GtkWidget *check = gtk_check_button_new_with_mnemonic (label);

    gtk_widget_set_tooltip_text (check, tip);
    gui_theme_name (check, key, NULL);
    g_settings_bind (gui_settings_get (), key, check, "active", G_SETTINGS_BIND_DEFAULT);
    gtk_grid_attach (grid, check, 1, row, 1, 1);
}

static GtkWidget *
build_grid (void)
{
    static const Choice themes[] = { { "system", N_ ("Follow System") },
                                     { "light", N_ ("Light") },
                                     { "dark", N_ ("Dark") } };
    static const Choice sets[] = { { "vscode", "VS Code" },
                                   { "ddt", "DDT" },
                                   { "eclipse", "Eclipse" },
                                   { "gdb", N_ ("gdb letters") } };
    GtkGrid *grid = GTK_GRID (gtk_grid_new ());
    GtkWidget *font, *font_box = new_font (&font);

    gtk_grid_set_row_spacing (grid, 10);
    gtk_grid_set_column_spacing (grid, 12);
    g_object_set (grid, "margin", 18, NULL);
    add_row (grid, 0, _ ("_Theme"), new_choice ("theme", themes, G_N_ELEMENTS (themes)),
             "theme");
    add_row (grid, 1, _ ("_Key Set"), new_choice ("key-set", sets, G_N_ELEMENTS (sets)),
             "key-set");
    add_row (grid, 2, _ ("_Auto-refresh"), new_interval (), "interval");
    add_row (grid, 3, _ ("_Font of source and commands"), font_box, "font-row");
    gui_theme_name (font, "font", _ ("Font"));
    add_check (grid, 4, _ ("Step only into _my own code"), "just-my-code",
               _ ("Steps pass over functions of libraries (set option just-my-code)"));
    add_check (grid, 5, _ ("Keep _breakpoints, sets and windows of a program"), "keep-sessions",
               _ ("Restores them when you debug the program again"));
    return GTK_WIDGET (grid);
}

static gboolean
on_key (GtkWidget *window, GdkEventKey *event)
{
    if (event->keyval == GDK_KEY_Escape) {
        gtk_window_close (GTK_WINDOW (window));
        return TRUE;
    }
    return FALSE;
}

void
gui_preferences_show (GtkWindow *parent)
{
    GtkWidget *window = the_window, *header;

    if (window == NULL) {
        the_window = window = gtk_window_new (GTK_WINDOW_TOPLEVEL);
        header = gtk_header_bar_new ();
        gtk_header_bar_set_title (GTK_HEADER_BAR (header), _ ("Preferences"));
        gtk_header_bar_set_show_close_button (GTK_HEADER_BAR (header), TRUE);
        gtk_window_set_titlebar (GTK_WINDOW (window), header);
        gtk_window_set_title (GTK_WINDOW (window), _ ("Preferences"));
        gtk_window_set_resizable (GTK_WINDOW (window), FALSE);
        gtk_container_add (GTK_CONTAINER (window), build_grid ());
        gtk_window_set_transient_for (GTK_WINDOW (window), parent);
        gtk_window_set_type_hint (GTK_WINDOW (window), GDK_WINDOW_TYPE_HINT_DIALOG);
        gtk_window_set_position (GTK_WINDOW (window), GTK_WIN_POS_CENTER_ON_PARENT);
        gtk_window_set_destroy_with_parent (GTK_WINDOW (window), TRUE);
        g_signal_connect (window, "key-press-event", G_CALLBACK (on_key), NULL);
        g_signal_connect (window, "destroy", G_CALLBACK (gtk_widget_destroyed), &the_window);
        gtk_widget_show_all (window);
    }
    gtk_window_present (GTK_WINDOW (window));
}

void
gui_preferences_show_about (GtkWindow *parent)
{
    GtkWidget *about = gtk_about_dialog_new ();

    g_object_set (about, "program-name", "pddt", "version", PDDT_VERSION, "logo-icon-name",
                  "org.pddt.Pddt", "license-type", GTK_LICENSE_GPL_3_0, "comments",
                  _ ("Debugger for parallel programs in C, C++, Fortran and Python"), NULL);
    gtk_window_set_transient_for (GTK_WINDOW (about), parent);
    gtk_window_set_destroy_with_parent (GTK_WINDOW (about), TRUE);
    g_signal_connect (about, "response", G_CALLBACK (gtk_widget_destroy), NULL);
    gtk_window_present (GTK_WINDOW (about));
}
