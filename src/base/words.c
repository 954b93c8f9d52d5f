/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds translations relative to the program: an installation works wherever it is moved to. */
#include "base/words.h"
#include <glib.h>
#include <libintl.h>

void
base_words_init (const char *domain, const char *installed)
{
    g_autofree char *exe = g_file_read_link ("/proc/self/exe", NULL);
    g_autofree char *folder = exe != NULL ? g_path_get_dirname (exe) : g_strdup (".");
    static const char *const places[] = { "../../po", "../share/locale", "../../share/locale" };
    g_autofree char *file = g_strconcat (domain, ".mo", NULL), *found = NULL;

    for (guint i = 0; i < G_N_ELEMENTS (places) && found == NULL; i++) {
        g_autofree char *some = g_build_filename (folder, places[i], "de", "LC_MESSAGES", file,
                                                  NULL);

        if (g_file_test (some, G_FILE_TEST_IS_REGULAR)) {
            found = g_build_filename (folder, places[i], NULL);
        }
    }
    bindtextdomain (domain, found != NULL ? found : installed);
    bind_textdomain_codeset (domain, "UTF-8");
    textdomain (domain);
}
