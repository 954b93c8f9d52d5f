/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The number of ranks on a launcher's command line; never guesses. */
#include "launch/launcher.h"
#include "launch/options-private.h"
#include <string.h>

enum { MAX_SIZE = 1 << 24 };

/* The option's name: one that says how many; where "=" or letters follow, what they say too. */
static gboolean
is_number_option (LaunchKind kind, const char *word, const char **ret_value)
{
    const LaunchLauncher *launcher = launch_launcher_get (kind);
    const char *name = word + strspn (word, "-");
    const char *equal = strchr (name, '=');
    g_autofree char *bare = g_strdup_printf (" %.*s ", (int) strcspn (name, "="), name);

    *ret_value = equal != NULL ? equal + 1 : NULL;
    if (launcher->joins_letters && word[1] == 'n' && g_ascii_isdigit (word[2])) { /* "-n4" */
        *ret_value = word + 2;
        return TRUE;
    }
    return strstr (launcher->size_options, bare) != NULL;
}

/* What the options of one part of the line say; 0: nothing. */
static guint32
read_part (LaunchKind kind, char **argv, guint at, guint end)
{
    guint64 size = 0;

    while (at < end) {
        const char *value = NULL, *next = argv[at + 1];
        const char *name = argv[at] + strspn (argv[at], "-");

        if (argv[at][0] == '-' && is_number_option (kind, argv[at], &value)) {
            if (value == NULL) {
                value = next;
                at++;
            }
            if (value == NULL
                || !g_ascii_string_to_unsigned (value, 10, 1, MAX_SIZE, &size, NULL)) {
                return 0;
            }
        } else if (argv[at][0] == '-' && strchr (name, '=') == NULL) {
            at += (guint) MAX (launch_options_find (kind, name, next), 0);
        }
        at++;
    }
    return (guint32) size;
}

guint32
launch_line_find_size (const LaunchLine *line)
{
    g_autoptr (GArray) programs = NULL;
    guint64 size = 0;
    guint at = 1;

    if (line->kind == LAUNCH_NONE) {
        return 1;
    }
    programs = launch_options_find_programs (line->kind, (const char *const *) line->argv,
                                             NULL);
    for (guint i = 0; programs != NULL && i < programs->len; i++) {
        guint program = g_array_index (programs, guint, i);
        guint32 part = read_part (line->kind, line->argv, at, program);

        if (part == 0) {
            return 0;
        }
        size += part;
        for (at = program; line->argv[at] != NULL && strcmp (line->argv[at], ":") != 0;) {
            at++;
        }
    }
    return (guint32) MIN (size, MAX_SIZE);
}
