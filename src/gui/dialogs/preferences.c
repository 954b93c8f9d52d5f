/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows bound to GSettings keys. Everything follows the settings, so that changes by another
 * pddt or `gsettings set` apply here, too. */
#include "gui/dialogs/preferences.h"
#include <glib/gi18n.h>
#include "gui/kit/keys.h"
#include "gui/kit/settings.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"

struct _GuiPreferences {
    GtkWindow parent;
    GtkWidget *theme, *key_set, *interval, *font, *font_row, *font_default, *just_my_code,
        *keep_sessions, *inline_values, *editor;
};

G_DEFINE_TYPE (GuiPreferences, gui_preferences, GTK_TYPE_WINDOW)

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

static void
on_font_default (GtkButton *button)
{
    g_settings_reset (gui_settings_get (), "font");
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

static void
gui_preferences_class_init (GuiPreferencesClass *klass)
{
    GUI_TEMPLATE (klass, "preferences.ui");
    GUI_CHILDREN (klass, GuiPreferences, theme, key_set, interval, font, font_row, font_default,
                  just_my_code, keep_sessions, inline_values, editor);
    GUI_CALLBACKS (klass, on_font_default, on_key);
}

static void
gui_preferences_init (GuiPreferences *self)
{
    GSettings *settings = gui_settings_get ();

    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name_by_label (self->theme, self->theme, "theme");
    gui_theme_name_by_label (self->key_set, self->key_set, "key-set");
    gui_theme_name_by_label (self->interval, self->interval, "interval");
    gui_theme_name_by_label (self->font_row, self->font, "font-row");
    gui_theme_name (self->font, "font", _ ("Font"));
    gui_theme_name (self->font_default, "font-default", NULL);
    gui_theme_name (self->just_my_code, "just-my-code", NULL);
    gui_theme_name (self->keep_sessions, "keep-sessions", NULL);
    gui_theme_name (self->inline_values, "inline-values", NULL);
    gui_theme_name_by_label (self->editor, self->editor, "editor");
    g_settings_bind (settings, "theme", self->theme, "active-id", G_SETTINGS_BIND_DEFAULT);
    g_settings_bind (settings, "key-set", self->key_set, "active-id", G_SETTINGS_BIND_DEFAULT);
    g_settings_bind_with_mapping (settings, "update-interval", self->interval, "active-id",
                                  G_SETTINGS_BIND_DEFAULT, read_interval, write_interval, NULL,
                                  NULL);
    g_settings_bind (settings, "font", self->font, "font", G_SETTINGS_BIND_DEFAULT);
    g_settings_bind (settings, "just-my-code", self->just_my_code, "active",
                     G_SETTINGS_BIND_DEFAULT);
    g_settings_bind (settings, "inline-values", self->inline_values, "active",
                     G_SETTINGS_BIND_DEFAULT);
    g_settings_bind (settings, "editor", self->editor, "text", G_SETTINGS_BIND_DEFAULT);
    g_settings_bind (settings, "keep-sessions", self->keep_sessions, "active",
                     G_SETTINGS_BIND_DEFAULT);
}

void
gui_preferences_show (GtkWindow *parent)
{
    if (the_window == NULL) {
        the_window = g_object_new (GUI_TYPE_PREFERENCES, "transient-for", parent,
                                   "destroy-with-parent", TRUE, "type-hint",
                                   GDK_WINDOW_TYPE_HINT_DIALOG, "window-position",
                                   GTK_WIN_POS_CENTER_ON_PARENT, NULL);
        g_signal_connect (the_window, "destroy", G_CALLBACK (gtk_widget_destroyed),
                          &the_window);
    }
    gtk_window_present (GTK_WINDOW (the_window));
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
