/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of timeout and time (GNU coreutils 9, GNU time 1.9) and of Apptainer 1.4's exec, without those that hide
 * this host's processes or temporary folder. Wrappers that exec the program, such as env, nice, taskset and numactl, need
 * no special treatment. */
#include "launch/wrappers-private.h"
#include <string.h>

#define CONTAINER_PLAIN                                                                                                \
    " -e --cleanenv -f --fakeroot -i --ipc --nv --nvccli --rocm -w --writable --writable-tmpfs --no-home -u --userns " \
    "--keep-privs --no-privs --allow-setuid --no-eval --no-umask --unsquash "
#define CONTAINER_WITH_WORD                                                                                               \
    " -B --bind --mount --env --env-file -H --home -W --workdir --pwd --cwd -S --scratch -o --overlay --app --fusemount " \
    "--add-caps --drop-caps --security --apply-cgroups "

static const struct {
    const char *name;
    const char *command;   /* of a container's program: the word behind its name; NULL */
    const char *plain;     /* options without an argument */
    const char *with_word; /* with one, behind "=", in the word itself or in the next */
    guint n_operands;      /* before the program */
} wrappers[] = {
    { "timeout", NULL, " --preserve-status --foreground -v --verbose ",
      " -k --kill-after -s --signal ", 1 },
    { "time", NULL, " -a --append -p --portability -v --verbose -q --quiet ",
      " -f --format -o --output ", 0 },
    { "apptainer", "exec", CONTAINER_PLAIN, CONTAINER_WITH_WORD, 1 },
    { "singularity", "exec", CONTAINER_PLAIN, CONTAINER_WITH_WORD, 1 },
};

static gboolean
is_one_of (const char *list, const char *word, gsize length)
{
    g_autofree char *entry = g_strdup_printf (" %.*s ", (int) length, word);
    return strstr (list, entry) != NULL;
}

guint
launch_wrappers_find (char **program, gboolean *ret_is_container)
{
    g_autofree char *name = g_path_get_basename (program[0]);
    guint which = 0, at = 1;
    while (which < G_N_ELEMENTS (wrappers) && strcmp (wrappers[which].name, name) != 0) {
        which++;
    }
    *ret_is_container = FALSE;
    if (which == G_N_ELEMENTS (wrappers)) {
        return 0;
    }
    if (wrappers[which].command) {
        if (g_strcmp0 (program[at++], wrappers[which].command) != 0) {
            return 0;
        }
        *ret_is_container = TRUE;
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
