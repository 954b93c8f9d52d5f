/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options and skips: their values, what of them the session itself follows, and ranks that come later. */
#include "session/options.h"
#include <string.h>
#include "session/private.h"

struct _SessionOptionValues {
    GHashTable *values; /* by name, of those that were set */
    GHashTable *untold; /* set of names: no rank was there to be told */
    GPtrArray *skips;   /* of char*; NULL: removed */
};

#define ON_OR_OFF "on|off"

static const SessionOption options[] = {
    { "follow-fork", "parent", "parent|child|both",
      "after a fork, stay with the parent, follow the next child instead, or take every child as a "
      "rank of its own",
      NULL, "both", "debug the worker processes of multiprocessing beside their parents" },
    { "hardware-watch", "on", ON_OR_OFF,
      "watch values with debug registers; off where a machine has none that work: by single steps, "
      "which is slow",
      NULL, "off", "watch in a virtual machine whose debug registers do not work" },
    { "interpreter-frames", "off", ON_OR_OFF,
      "show the interpreter's own C functions in the stacks of Python programs", NULL, "on",
      "see where in the interpreter itself a rank hangs" },
    { "just-my-code", "on", ON_OR_OFF,
      "at a stop, select the innermost frame of the program's own code, not of a library; steps in "
      "Python pass over libraries",
      NULL, "off", "step into numpy or another library" },
    { "limit-bytes", "200", "", "how many bytes of a string are shown; 0 means all", "4000",
      "0", "read all of a long text" },
    { "limit-depth", "3", "", "how many levels of nested values are shown; 0 means all", "6",
      "1", "see only the first level of a large structure" },
    { "limit-items", "8", "",
      "how many elements of an array or container are shown; 0 means all", "200", "100",
      "see the first hundred elements of an array" },
    { "limit-repeats", "10", "",
      "how many equal characters of an array are written out; more are shown once, with their "
      "number; 0 means all",
      NULL, "0", "see each character of a buffer full of zeros" },
    { "limit-time", "2", "",
      "how many seconds Python code may take to answer; then pddt interrupts it; 0 means an hour",
      NULL, "30", "give a slow __repr__ half a minute" },
    { "mpi-errors", "on", ON_OR_OFF,
      "stop ranks at fatal MPI errors, and report mistakes in MPI calls", NULL, "off",
      "let the job abort at an MPI error as it does without pddt" },
    { "output-escapes", "off", ON_OR_OFF,
      "pass all control sequences in the ranks' output to the terminal, not only tabs and colours",
      NULL, "on", "see a progress bar as the program draws it" },
    { "printers", "own", NULL,
      "who shows values: own, gdb's pretty-printers that you named, then pddt's views, then those "
      "that packages of libraries have brought; all, these before pddt's views; off, pddt alone; "
      "a FILE of printers is run",
      NULL, "all", "see every value as gdb shows it with the same printers" },
    { "randomise", "off", ON_OR_OFF,
      "let the system randomise the addresses of launched programs, from the next restart on",
      NULL, "on", "look for a fault that depends on where memory lies" },
    { "scheduler-locking", "off", ON_OR_OFF,
      "keep a rank's other threads stopped while one steps", NULL, "on",
      "step while no other thread can change what you look at" },
    { "source-folders", "none", NULL,
      "where to look for source files that have moved: FOLDER:OLD=NEW:…, or none", NULL,
      "/build=/home/me/app", "find sources that were compiled in another folder" },
};

/* Those that no rank knows of. */
static const char *const own_options[] = { "output-escapes", "printers", "randomise",
                                           "source-folders", NULL };

void
session_options_init (Session *session)
{
    session->options = g_new (SessionOptionValues, 1);
    session->options->values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    session->options->untold = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    session->options->skips = g_ptr_array_new_with_free_func (g_free);
}

void
session_options_clear (Session *session)
{
    g_hash_table_unref (session->options->values);
    g_hash_table_unref (session->options->untold);
    g_ptr_array_unref (session->options->skips);
    g_free (session->options);
}

const SessionOption *
session_option_get (guint index)
{
    return index < G_N_ELEMENTS (options) ? &options[index] : NULL;
}

const SessionOption *
session_option_find (const char *name)
{
    return BASE_CHOOSE (i, G_N_ELEMENTS (options), g_strcmp0 (name, options[i].name) == 0,
                        &options[i], NULL);
}

const char *
session_get_option (const Session *session, const char *name)
{
    const SessionOption *option = session_option_find (name);
    const char *value = option != NULL ? g_hash_table_lookup (session->options->values, name)
                                       : NULL;

    return value != NULL || option == NULL ? value : option->value;
}

const char *
session_get_option_at_python (const Session *session, const char *name)
{
    const SessionOption *option = session_option_find (name);

    return option != NULL && !g_hash_table_contains (session->options->values, name)
               ? option->python
               : NULL;
}

gboolean
session_option_is_on (const Session *session, const char *name)
{
    return strcmp (session_get_option (session, name), "on") == 0;
}

const char *
session_get_source_folders (const Session *session)
{
    const char *value = session_get_option (session, "source-folders");

    return *value != '\0' && strcmp (value, "none") != 0 ? value : NULL;
}

static char *
join_skips (const Session *session)
{
    GString *lines = g_string_new (NULL);

    BASE_EACH (session->options->skips, const char, line) {
        if (line != NULL) {
            g_string_append_printf (lines, "%s%s", lines->len > 0 ? "\n" : "", line);
        }
    }
    return g_string_free (lines, FALSE);
}

static JobRequest *
make_request (Session *session, const char *name)
{
    g_autoptr (JobRankSet) all = session_dup_all (session);
    JobRequest *request;

    if (job_rank_set_is_empty (all)) {
        g_hash_table_add (session->options->untold, g_strdup (name));
        return NULL;
    }
    g_hash_table_remove (session->options->untold, name);
    request = job_request_new (JOB_VERB_OPTION, all);
    request->text = g_strdup (name);
    request->text2 = strcmp (name, JOB_OPTION_SKIP) == 0
                         ? join_skips (session)
                         : g_strdup (session_get_option (session, name));
    return request;
}

void
session_options_apply (Session *session, const char *name, const char *value)
{
    g_hash_table_replace (session->options->values, g_strdup (name), g_strdup (value));
}

JobRequest *
session_set_option (Session *session, const char *name, const char *value)
{
    const SessionChange change = { .kind = SESSION_CHANGE_OPTION, .name = name, .text = value };

    session_apply_change (session, &change);
    if (strcmp (name, "source-folders") == 0) {
        g_signal_emit (session, session_signals[SESSION_SOURCES_MOVED], 0);
    }
    return g_strv_contains (own_options, name) ? NULL : make_request (session, name);
}

void
session_options_tell (Session *session)
{
    g_autofree const char **names
        = (const char **) g_hash_table_get_keys_as_array (session->options->untold, NULL);

    for (guint i = 0; names[i] != NULL; i++) {
        g_autofree char *name = g_strdup (names[i]); /* it is taken out */
        JobRequest *request = make_request (session, name);

        if (request != NULL) {
            session_submit (session, request);
        }
    }
}

/* ---- skips ---- */

const GPtrArray *
session_get_skips (const Session *session)
{
    return session->options->skips;
}

void
session_options_apply_skip (Session *session, const char *line, guint32 number)
{
    if (line != NULL) {
        g_ptr_array_add (session->options->skips, g_strdup (line));
    } else {
        g_clear_pointer (&session->options->skips->pdata[number - 1], g_free);
    }
}

guint32
session_add_skip (Session *session, const char *line)
{
    const SessionChange change = { .kind = SESSION_CHANGE_SKIP, .text = line };

    session_apply_change (session, &change);
    return session->options->skips->len;
}

gboolean
session_remove_skip (Session *session, guint32 number)
{
    const SessionChange change = { .kind = SESSION_CHANGE_SKIP, .number = number };

    if (number < 1 || number > session->options->skips->len
        || g_ptr_array_index (session->options->skips, number - 1) == NULL) {
        return FALSE;
    }
    session_apply_change (session, &change);
    return TRUE;
}

JobRequest *
session_make_skip_request (Session *session)
{
    return make_request (session, JOB_OPTION_SKIP);
}
