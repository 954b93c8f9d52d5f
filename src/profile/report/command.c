/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/command.h"
#include <string.h>

static gboolean
is_plain (const char *word)
{
    return *word != '\0' && strpbrk (word, " \t\n'\"\\$`*?[](){}<>|&;#~!") == NULL;
}

char *
profile_command_format (const char *const *argv)
{
    GString *line = g_string_new (NULL);

    for (guint i = 0; argv != NULL && argv[i] != NULL; i++) {
        g_autofree char *quoted = is_plain (argv[i]) ? g_strdup (argv[i])
                                                     : g_shell_quote (argv[i]);

        g_string_append_printf (line, "%s%s", i > 0 ? " " : "", quoted);
    }
    return g_string_free (line, line->len == 0);
}

char *
profile_command_tidy (const char *line)
{
    g_auto (GStrv) words = NULL;

    if (line == NULL || !g_shell_parse_argv (line, NULL, &words, NULL)) {
        return g_strdup (line);
    }
    return profile_command_format ((const char *const *) words);
}
