/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of keys: none twice in a set, all can be parsed, letters only in gdb's set. */
#include "gui/kit/keys.h"

static void
test_set (gconstpointer data)
{
    GuiKeySet set = GPOINTER_TO_UINT (data);
    g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    guint n;
    const GuiKeyRow *rows = gui_keys_get_table (&n);

    for (guint i = 0; i < n; i++) {
        g_auto (GStrv) keys = gui_keys_dup (&rows[i], set);

        g_assert_nonnull (gui_keys_get_title (rows[i].action));

        for (guint j = 0; keys[j] != NULL; j++) {
            GdkModifierType modifiers;
            guint key;

            gtk_accelerator_parse (keys[j], &key, &modifiers);
            g_assert_cmpuint (key, !=, 0);
            char *name = gtk_accelerator_name (key, modifiers);
            if (!g_hash_table_add (seen, name)) {
                g_test_fail_printf ("%s twice in %s", keys[j], gui_keys_get_set_name (set));
            }
            g_assert_true (set == GUI_KEYS_GDB || modifiers != 0
                           || gdk_keyval_to_unicode (key) == 0);
        }
    }
    g_assert_cmpint (gui_keys_find_set (gui_keys_get_set_name (set)), ==, set);
}

int
main (int argc, char **argv)
{
    gtk_test_init (&argc, &argv, NULL);
    for (guint i = 0; i < GUI_N_KEY_SETS; i++) {
        g_autofree char *path = g_strconcat ("/keys/", gui_keys_get_set_name (i), NULL);

        g_test_add_data_func (path, GUINT_TO_POINTER (i), test_set);
    }
    return g_test_run ();
}
