/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/trace-places.h"
#include "base/limits.h"
#include "profile/trace/private.h"
#include <gio/gio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
    GString *questions; /* a line for each */
    GHashTable *known;  /* such a line to its number + 1 */
    GPtrArray *places;  /* of ProfileTracePlace, to be named … */
    GArray *numbers;    /* … of guint: by the answer to that question */
} Questions;

/* Without a build-id it is the same file if it lies on the same host and has not been written since. */
static gboolean
is_unchanged (const ProfileTraceFile *file, const char *path)
{
    struct stat status;
    guint64 written_ns = G_MAXUINT64;

    if (strcmp (file->header.host, g_get_host_name ()) == 0 && stat (path, &status) == 0) {
        written_ns = (guint64) status.st_mtim.tv_sec * 1000000000u
                     + (guint64) status.st_mtim.tv_nsec;
    }
    return written_ns <= file->header.begin_real_ns;
}

static void
ask (Questions *questions, const ProfileTraceFile *file, ProfileTracePlace *place)
{
    g_autofree char *line = NULL;
    guint number;

    if (place->module == NULL || *place->module != '/' || strchr (place->module, '\n') != NULL
        || (*place->build_id == '\0' && !is_unchanged (file, place->module))) {
        return;
    }
    line = g_strdup_printf ("%s %" G_GINT64_MODIFIER "x %s\n",
                            *place->build_id != '\0' ? place->build_id : "-", place->offset,
                            place->module);
    number = GPOINTER_TO_UINT (g_hash_table_lookup (questions->known, line));
    if (number == 0) {
        g_string_append (questions->questions, line);
        number = g_hash_table_size (questions->known) + 1;
        g_hash_table_insert (questions->known, g_steal_pointer (&line),
                             GUINT_TO_POINTER (number));
    }
    number--;
    g_ptr_array_add (questions->places, place);
    g_array_append_val (questions->numbers, number);
}

/* NULL: it cannot be asked. Caller owns. */
static char **
exchange (const char *program, const char *questions)
{
    g_autoptr (GSubprocessLauncher) launcher
        = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDIN_PIPE
                                     | G_SUBPROCESS_FLAGS_STDOUT_PIPE
                                     | G_SUBPROCESS_FLAGS_STDERR_SILENCE);
    g_autoptr (GSubprocess) process = NULL;
    g_autoptr (GBytes) input = g_bytes_new (questions, strlen (questions)), output = NULL;
    g_autofree char *text = NULL;

    g_subprocess_launcher_set_child_setup (launcher, base_limits_restore, NULL, NULL);
    process = g_subprocess_launcher_spawn (launcher, NULL, program, "--name", NULL);
    if (process == NULL
        || !g_subprocess_communicate (process, input, NULL, &output, NULL, NULL)) {
        return NULL;
    }
    text = g_strndup (g_bytes_get_data (output, NULL), g_bytes_get_size (output));
    return g_strsplit (text, "\n", -1);
}

/* answer: FUNCTION, FILE and LINE, with tabs in between; any may be missing. */
static void
name (ProfileTrace *trace, ProfileTracePlace *place, const char *answer)
{
    g_auto (GStrv) parts = g_strsplit (answer, "\t", 3);
    g_autofree char *where = NULL, *text = NULL;

    if (g_strv_length (parts) != 3 || (*parts[0] == '\0' && *parts[1] == '\0')) {
        return;
    }
    where = *parts[1] != '\0' ? g_strdup_printf ("%s:%s", parts[1], parts[2])
                              : g_strdup (place->text);
    text = *parts[0] != '\0' ? g_strdup_printf ("%s (%s)", where, parts[0])
                             : g_steal_pointer (&where);
    place->text = profile_trace_intern (trace, text, strlen (text));
}

void
profile_trace_places_name (ProfileTrace *trace, const char *program)
{
    g_autoptr (GString) text = g_string_new (NULL);
    g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                          NULL);
    g_autoptr (GPtrArray) places = g_ptr_array_new ();
    g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint));
    Questions questions = { text, known, places, numbers };
    g_auto (GStrv) answers = NULL;

    for (guint i = 0; i < trace->files->len; i++) {
        ProfileTraceFile *file = g_ptr_array_index (trace->files, i);

        for (guint id = 1; id < file->places->len; id++) {
            ask (&questions, file, &g_array_index (file->places, ProfileTracePlace, id));
        }
    }
    answers = places->len > 0 ? exchange (program, text->str) : NULL;
    if (answers == NULL || g_strv_length (answers) < g_hash_table_size (known)) {
        return;
    }
    for (guint i = 0; i < places->len; i++) {
        name (trace, g_ptr_array_index (places, i), answers[g_array_index (numbers, guint, i)]);
    }
}
