/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pseudo.h"
#include <glib/gi18n.h>
#include <locale.h>
#include <string.h>

#define OPEN "‹"
#define CLOSE "›"

gboolean
pseudo_open (void)
{
    const char *folder = g_getenv ("PDDT_PSEUDO");

    g_assert_nonnull (folder);
    g_setenv ("LOCPATH", folder, TRUE); /* its en_US is C.UTF-8 by a name that is translated */
    if (setlocale (LC_ALL, "en_US.UTF-8") == NULL) {
        return FALSE;
    }
    g_setenv ("LANGUAGE", "xx", TRUE);
    bindtextdomain ("pddt", folder);
    bind_textdomain_codeset ("pddt", "UTF-8");
    textdomain ("pddt");
    return TRUE;
}

void
pseudo_check (const char *english, const char *shown)
{
    g_autoptr (GString) plain = g_string_new (NULL);
    guint depth = 0;

    for (const char *at = shown; *at != '\0';) {
        if (g_str_has_prefix (at, OPEN)) {
            depth++;
            at += strlen (OPEN);
        } else if (g_str_has_prefix (at, CLOSE)) {
            g_assert_cmpuint (depth, >, 0);
            depth--;
            at += strlen (CLOSE);
        } else {
            if (depth == 0 && *at != '\n') { /* lines are texts of their own */
                g_error ("\"%s\" in \"%s\" came through no catalogue", at, shown);
            }
            g_string_append_c (plain, *at++);
        }
    }
    g_assert_cmpuint (depth, ==, 0);
    g_assert_cmpstr (plain->str, ==, english);
}
