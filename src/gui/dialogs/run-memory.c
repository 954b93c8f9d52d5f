/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/dialogs/run-memory.h"
#include <glib/gi18n.h>
#include <string.h>

enum { MAX_RECENT = 12 };

static char *
get_path (void)
{
    return g_build_filename (g_get_user_data_dir (), "pddt", "recent", NULL);
}

GKeyFile *
gui_run_memory_load (void)
{
    g_autofree char *path = get_path ();
    GKeyFile *memory = g_key_file_new ();

    g_key_file_load_from_file (memory, path, G_KEY_FILE_NONE, NULL);
    return memory;
}

void
gui_run_memory_save (GKeyFile *memory)
{
    g_autofree char *path = get_path (), *folder = g_path_get_dirname (path);
    g_auto (GStrv) groups = NULL;
    gsize n;

    groups = g_key_file_get_groups (memory, &n);
    while (n > MAX_RECENT) {
        const char *oldest = groups[0];
        g_autofree char *oldest_when = NULL;

        for (gsize i = 0; i < g_strv_length (groups); i++) {
            char *when = g_key_file_get_string (memory, groups[i], "when", NULL);

            if (when != NULL && (oldest_when == NULL || strcmp (when, oldest_when) < 0)) {
                oldest = groups[i];
                g_free (oldest_when);
                oldest_when = g_steal_pointer (&when);
            }
            g_free (when);
        }
        g_key_file_remove_group (memory, oldest, NULL);
        n--;
    }
    g_mkdir_with_parents (folder, 0700);
    g_key_file_save_to_file (memory, path, NULL);
}

char *
gui_run_memory_describe (const SessionSaved *saved)
{
    g_autofree char *points = g_strdup_printf (ngettext ("%u breakpoint", "%u breakpoints",
                                                         saved->points->len),
                                               saved->points->len);
    g_autofree char *sets = g_strdup_printf (ngettext ("%u set", "%u sets", saved->sets->len),
                                             saved->sets->len);
    g_autofree char *windows = g_strdup_printf (ngettext ("%u window", "%u windows",
                                                          saved->windows->len),
                                                saved->windows->len);

    return g_strdup_printf ("%s, %s, %s", points, sets, windows);
}

/* Automatically saved sessions, without unreadable ones. */
static guint
add_sessions (GtkComboBoxText *recent)
{
    g_auto (GStrv) files = session_saved_list (MAX_RECENT);
    guint n = 0;

    for (guint i = 0; files[i] != NULL; i++) {
        g_autoptr (SessionSaved) saved = session_saved_load (files[i], NULL);

        if (saved != NULL) {
            const char *program
                = session_saved_find_program ((const char *const *) saved->argv);
            g_autofree char *base = g_path_get_basename (program);
            g_autofree char *contents = gui_run_memory_describe (saved);
            /* Translators: a program, and what is saved for it, such as "2 breakpoints". */
            g_autofree char *title = g_strdup_printf (_ ("%s — session: %s"), base, contents);

            gtk_combo_box_text_append (recent, files[i], title);
            n++;
        }
    }
    return n;
}

/* The last one that was run comes first. */
static int
compare_times (gconstpointer a, gconstpointer b, gpointer memory)
{
    gint64 left = g_key_file_get_int64 (memory, *(const char *const *) a, "when", NULL);
    gint64 right = g_key_file_get_int64 (memory, *(const char *const *) b, "when", NULL);

    return (left < right) - (left > right);
}

void
gui_run_memory_fill (GKeyFile *memory, GtkComboBoxText *recent)
{
    g_auto (GStrv) groups = g_key_file_get_groups (memory, NULL);
    g_autoptr (GPtrArray) programs = g_ptr_array_new ();
    guint n_sessions;

    for (guint i = 0; groups[i] != NULL; i++) {
        g_ptr_array_add (programs, groups[i]);
    }
    g_ptr_array_sort_with_data (programs, compare_times, memory);
    for (guint i = 0; i < programs->len; i++) {
        const char *program = g_ptr_array_index (programs, i);
        gboolean use_mpi = g_key_file_get_boolean (memory, program, "mpi", NULL);
        int n_ranks = g_key_file_get_integer (memory, program, "ranks", NULL);
        g_autofree char *title
            = use_mpi
                  /* Translators: a program, and with how many ranks it was run. */
                  ? g_strdup_printf (ngettext ("%s — %d rank", "%s — %d ranks",
                                               (gulong) MAX (n_ranks, 0)),
                                     program, n_ranks)
                  : g_strdup (program);

        gtk_combo_box_text_append (recent, program, title);
    }
    n_sessions = add_sessions (recent);
    gtk_widget_set_sensitive (GTK_WIDGET (recent), programs->len > 0 || n_sessions > 0);
}
