/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of timeout and time (GNU coreutils 9, GNU time 1.9). Wrappers that exec the
 * program, such as env, nice, taskset and numactl, need no special treatment. */
#include "launch/wrappers-private.h"
#include <string.h>

static const struct {
    const char *name;
    const char *plain;     /* options without an argument */
    const char *with_word; /* with one, behind "=", in the word itself or in the next */
    guint n_operands;      /* before the program */
} wrappers[] = {
    { "timeout", " --preserve-status --foreground -v --verbose ",
      " -k --kill-after -s --signal ", 1 },
    { "time", " -a --append -p --portability -v --verbose -q --quiet ",
      " -f --format -o --output ", 0 },
};

static gboolean
is_one_of (const char *list, const char *word, gsize length)
{
    g_autofree char *entry = g_strdup_printf (" %.*s ", (int) length, word);
    return strstr (list, entry) != NULL;
}

guint
launch_wrappers_find (char **program)
{
    g_autofree char *name = g_path_get_basename (program[0]);
    guint which = 0, at = 1;
    while (which < G_N_ELEMENTS (wrappers) && strcmp (wrappers[which].name, name) != 0) {
        which++;
    }
    if (which == G_N_ELEMENTS (wrappers)) {
        return 0;
    }
    for (; program[at] && program[at][0] == '-'; at++) {
        const char *word = program[at];
        gboolean is_long = word[1] == '-';
        gsize length = is_long ? strcspn (word, "=") : MIN (strlen (word), 2);
        if (strcmp (word, "--") == 0) {
            at++;
            break;
        }
        if (is_one_of (wrappers[which].with_word, word, length)) {
            at += word[length] == '\0';
        } else if (word[length] != '\0' || !is_one_of (wrappers[which].plain, word, length)) {
            return 0;
        }
        if (!program[at]) {
            return 0;
        }
    }
    for (guint i = 0; i < wrappers[which].n_operands; i++) {
        at += program[at] != NULL;
    }
    return program[at] ? at : 0;
}
