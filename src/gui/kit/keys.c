/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of keys, and a workaround for GTK 3, in which accelerators take precedence over the
 * focused entry. */
#include "gui/kit/keys.h"
#include "base/array.h"
#include <glib/gi18n.h>

static const GuiKeyRow rows[] = {
    { "win.continue", { "F5", "F9", "F8", "c" } },
    { "win.pause", { "F6", "F10", "<Shift>F8", NULL } },
    { "win.step-over", { "F10", "F8", "F6", "n" } },
    { "win.step-in", { "F11", "F5", "F5", "s" } },
    { "win.step-out", { "<Shift>F11", "F6", "F7", "f" } },
    { "win.instruction-over", { NULL, NULL, NULL, "o" } },
    { "win.instruction-in", { NULL, NULL, NULL, "i" } },
    { "win.run-to-cursor", { "<Control>F10", "<Control>F10", "<Control>r", NULL } },
    { "win.toggle-breakpoint", { "F9", "<Control><Shift>b", "<Control><Shift>b", "b" } },
    { "win.toggle-enabled", { "<Control>F9", "<Control>F9", "<Control>F9", NULL } },
    { "win.frame-up", { "<Control>Up", "<Control>u", "<Control>Up", "u" } },
    { "win.frame-down", { "<Control>Down", "<Control>d", "<Control>Down", "d" } },
    { "win.frame-bottom", { NULL, "<Control>b", NULL, NULL } },
    { "win.align-stacks", { NULL, "<Control>a", NULL, NULL } },
    { "win.show-locals",
      { "<Control><Shift>l", "<Control><Shift>l", "<Control><Shift>l", "v" } },
    { "win.show-stack",
      { "<Control><Shift>t", "<Control><Shift>t", "<Control><Shift>t", "w" } },
    { "win.stop-job", { "<Shift>F5", "<Shift>F5", "<Control>F2", NULL } },
    { "win.restart",
      { "<Control><Shift>F5", "<Control><Shift>F5", "<Control><Shift>F5", NULL } },
    { "win.update", { "<Control>r", "<Control>r", "<Control>u", NULL } },
    { "win.auto-update",
      { "<Control><Shift>r", "<Control><Shift>r", "<Control><Shift>u", NULL } },
    { "win.place-back", { "<Alt>Left", "<Alt>Left", "<Alt>Left", NULL } },
    { "win.place-forward", { "<Alt>Right", "<Alt>Right", "<Alt>Right", NULL } },
    { "win.go-to-line", { "<Control>g", "<Control>g", "<Control>l", NULL } },
    { "win.open", { "<Control>p", "<Control>p", "<Control><Shift>r", NULL } },
    { "win.find", { "<Control>f", "<Control>f", "<Control>f", NULL } },
    { "win.close-file", { "<Control>w", "<Control>w", "<Control>w", NULL } },
    { "win.group-window",
      { "<Control><Shift>g", "<Control><Shift>g", "<Control><Shift>g", NULL } },
    { "win.focus-command", { "<Control>k", "<Control>k", "<Control>k", NULL } },
    { "win.copy-stack",
      { "<Control><Shift>c", "<Control><Shift>c", "<Control><Shift>c", NULL } },
    { "app.manual", { "F1", "F1", "F1", NULL } },
    { "win.keys", { "<Control>question", "<Control>question", "<Control>question", NULL } },
};

static const struct {
    const char *action, *title;
} titles[] = {
    { "win.continue", N_ ("Continue") },
    { "win.pause", N_ ("Pause") },
    { "win.step-over", N_ ("Step over calls") },
    { "win.step-in", N_ ("Step into calls") },
    { "win.step-out", N_ ("Run until the function returns") },
    { "win.instruction-over", N_ ("One instruction, over calls") },
    { "win.instruction-in", N_ ("One instruction, into calls") },
    { "win.run-to-cursor", N_ ("Run to the line of the cursor") },
    { "win.toggle-breakpoint", N_ ("Toggle the breakpoint") },
    { "win.toggle-enabled", N_ ("Enable or disable the breakpoint") },
    { "win.frame-up", N_ ("The calling frame") },
    { "win.frame-down", N_ ("The called frame") },
    { "win.frame-bottom", N_ ("The innermost frame") },
    { "win.align-stacks", N_ ("The same frame on all ranks") },
    { "win.show-locals", N_ ("Locals") },
    { "win.show-stack", N_ ("Stack") },
    { "win.stop-job", N_ ("Stop the job") },
    { "win.restart", N_ ("Restart the job") },
    { "win.update", N_ ("Update") },
    { "win.auto-update", N_ ("Toggle auto-refresh") },
    { "win.place-back", N_ ("Back") },
    { "win.place-forward", N_ ("Forward") },
    { "win.go-to-line", N_ ("Go to a line") },
    { "win.open", N_ ("Open a file or function") },
    { "win.find", N_ ("Find in the source") },
    { "win.close-file", N_ ("Close the file shown") },
    { "win.group-window", N_ ("Group window for the selected ranks") },
    { "win.focus-command", N_ ("Focus the command line") },
    { "win.copy-stack", N_ ("Copy the stack") },
    { "app.manual", N_ ("Manual") },
    { "win.keys", N_ ("Keyboard Shortcuts") },
};

static const char *const names[] = { "vscode", "ddt", "eclipse", "gdb" };

const GuiKeyRow *
gui_keys_get_table (guint *ret_n_rows)
{
    *ret_n_rows = G_N_ELEMENTS (rows);
    return rows;
}

const char *
gui_keys_get_title (const char *action)
{
    return BASE_CHOOSE (i, G_N_ELEMENTS (titles), g_str_equal (titles[i].action, action),
                        _ (titles[i].title), NULL);
}

const char *
gui_keys_get_set_title (GuiKeySet set)
{
    static const char *const set_titles[] = { "VS Code", "DDT", "Eclipse", N_ ("gdb letters") };

    return _ (set_titles[MIN (set, GUI_N_KEY_SETS - 1)]);
}

const char *
gui_keys_get_set_name (GuiKeySet set)
{
    return names[MIN (set, GUI_N_KEY_SETS - 1)];
}

GuiKeySet
gui_keys_find_set (const char *name)
{
    return BASE_CHOOSE (i, GUI_N_KEY_SETS, g_strcmp0 (names[i], name) == 0, i, GUI_KEYS_VSCODE);
}

char **
gui_keys_dup (const GuiKeyRow *row, GuiKeySet set)
{
    GPtrArray *keys = g_ptr_array_new ();

    if (set == GUI_KEYS_GDB && row->keys[GUI_KEYS_VSCODE] != NULL) {
        g_ptr_array_add (keys, g_strdup (row->keys[GUI_KEYS_VSCODE]));
    }
    if (row->keys[set] != NULL) {
        g_ptr_array_add (keys, g_strdup (row->keys[set]));
    }
    g_ptr_array_add (keys, NULL);
    return (char **) g_ptr_array_free (keys, FALSE);
}

/* The tooltip as it was written, with the keys behind it. */
static void
explain (GtkWidget *widget, gpointer application)
{
    const char *action = GTK_IS_ACTIONABLE (widget)
                             ? gtk_actionable_get_action_name (GTK_ACTIONABLE (widget))
                             : NULL;
    const char *base = g_object_get_data (G_OBJECT (widget), "pddt-tip");

    if (action != NULL) {
        g_auto (GStrv) keys = gtk_application_get_accels_for_action (application, action);

        if (base == NULL) {
            g_autofree char *written = gtk_widget_get_tooltip_text (widget);

            base = written != NULL ? written : gui_keys_get_title (action);
            g_object_set_data_full (G_OBJECT (widget), "pddt-tip", g_strdup (base), g_free);
            base = g_object_get_data (G_OBJECT (widget), "pddt-tip");
        }
        if (base != NULL && keys[0] != NULL) {
            guint key;
            GdkModifierType modifiers;
            g_autofree char *label = NULL, *tip = NULL;

            gtk_accelerator_parse (keys[0], &key, &modifiers);
            label = gtk_accelerator_get_label (key, modifiers);
            tip = g_strdup_printf ("%s (%s)", base, label);
            gtk_widget_set_tooltip_text (widget, tip);
        } else if (base != NULL) {
            gtk_widget_set_tooltip_text (widget, base);
        }
    }
    if (GTK_IS_CONTAINER (widget)) {
        gtk_container_forall (GTK_CONTAINER (widget), explain, application);
    }
}

void
gui_keys_explain (GtkWindow *window)
{
    GtkApplication *application = gtk_window_get_application (window);

    if (application != NULL) {
        explain (GTK_WIDGET (window), application);
    }
}

void
gui_keys_apply (GtkApplication *application, GuiKeySet set)
{
    for (guint i = 1; i <= GUI_KEYS_N_WINDOWS; i++) {
        g_autofree char *action = g_strdup_printf ("app.window(uint32 %u)", i);
        g_autofree char *key = g_strdup_printf ("<Alt>%u", i);
        const char *const keys[] = { key, NULL };

        gtk_application_set_accels_for_action (application, action, keys);
    }
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        g_auto (GStrv) keys = gui_keys_dup (&rows[i], set);

        gtk_application_set_accels_for_action (application, rows[i].action,
                                               (const char *const *) keys);
    }
    for (GList *link = gtk_application_get_windows (application); link != NULL;
         link = link->next) {
        gui_keys_explain (link->data);
    }
}

/* The terminal of the output does not: nothing is typed into it. */
static gboolean
takes_text (GtkWidget *widget)
{
    return GTK_IS_EDITABLE (widget)
           || (GTK_IS_TEXT_VIEW (widget)
               && gtk_text_view_get_editable (GTK_TEXT_VIEW (widget)));
}

gboolean
gui_keys_prefer_text (GtkWindow *window, GdkEventKey *event)
{
    GtkWidget *focus = gtk_window_get_focus (window);

    return focus != NULL && takes_text (focus) && (event->state & GDK_MOD1_MASK) == 0
           && gdk_keyval_to_unicode (event->keyval) != 0
           && gtk_window_propagate_key_event (window, event);
}
