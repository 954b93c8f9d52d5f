/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window program: reads the options that mean something to a window, starts the session, and
 * shows it. Everything else on the line, and a display that cannot be opened, is pddt's. */
#include "base/error.h"
#include "base/log.h"
#include "gui/application.h"
#include "gui/settings.h"
#include "launch/launch.h"
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const char *stop_at, *input, *attach, *attach_job, *attach_ranks, *choose;
    GPtrArray *cores; /* of char*, ended by NULL; NULL: none */
    guint timeout_s;
    gboolean keep;
    char **words; /* the user's command; may be empty */
} Options;

/* Becomes `pddt --cli` with the same words; returns only when that is not possible. */
static int
become_terminal (char **argv)
{
    g_autoptr (GError) error = NULL;
    g_autofree char *path = launch_find_program ("pddt", &error);
    g_autoptr (GPtrArray) words = g_ptr_array_new ();

    if (path == NULL) {
        fprintf (stderr, "pddt: %s\n", error->message);
        return 3;
    }
    g_ptr_array_add (words, (char *) "pddt");
    g_ptr_array_add (words, (char *) "--cli");
    for (guint i = 1; argv[i] != NULL; i++) {
        g_ptr_array_add (words, argv[i]);
    }
    g_ptr_array_add (words, NULL);
    execv (path, (char **) words->pdata);
    fprintf (stderr, "pddt: cannot run %s: %s\n", path, g_strerror (errno));
    return 3;
}

/* "--name=VALUE" or "--name VALUE"; NULL when it is another option or the value is missing. */
static const char *
find_value (char **argv, int *index, const char *name)
{
    gsize length = strlen (name);

    if (strncmp (argv[*index], name, length) != 0) {
        return NULL;
    }
    if (argv[*index][length] == '=') {
        return argv[*index] + length + 1;
    }
    return argv[*index][length] == '\0' && argv[*index + 1] != NULL ? argv[++*index] : NULL;
}

static gboolean
read_option (Options *options, char **argv, int *index)
{
    static const char *const places[] = { "main", "mpi-init", "none", "start", NULL };
    const char *value;
    guint64 seconds;

    if (strcmp (argv[*index], "--keep") == 0) {
        options->keep = TRUE;
        return TRUE;
    }
    if ((value = find_value (argv, index, "--stop-at")) != NULL) {
        options->stop_at = value;
        return g_strv_contains (places, value);
    }
    if ((value = find_value (argv, index, "--attach-job")) != NULL) {
        options->attach_job = value;
        return options->attach == NULL;
    }
    if ((value = find_value (argv, index, "--attach-ranks")) != NULL) {
        options->attach_ranks = value;
        return TRUE;
    }
    if ((value = find_value (argv, index, "--choose")) != NULL) {
        options->choose = value;
        return strcmp (value, "attach") == 0 || strcmp (value, "core") == 0;
    }
    if ((value = find_value (argv, index, "--core")) != NULL) {
        if (options->cores == NULL) {
            options->cores = g_ptr_array_new ();
        }
        g_ptr_array_add (options->cores, (gpointer) value);
        return TRUE;
    }
    if ((value = find_value (argv, index, "--attach")) != NULL) {
        options->attach = value;
        return options->attach_job == NULL;
    }
    if ((value = find_value (argv, index, "--input")) != NULL) {
        options->input = value;
        return TRUE;
    }
    if ((value = find_value (argv, index, "--timeout")) != NULL
        && g_ascii_string_to_unsigned (value, 10, 1, G_MAXINT32 / 1000, &seconds, NULL)) {
        options->timeout_s = (guint) seconds;
        return TRUE;
    }
    return FALSE;
}

/* FALSE: a word that pddt has to answer for. */
static gboolean
read_options (Options *options, char **argv)
{
    int index = 1;

    for (; argv[index] != NULL && argv[index][0] == '-' && argv[index][1] != '\0'; index++) {
        if (strcmp (argv[index], "--") == 0) {
            index++;
            break;
        }
        if (!read_option (options, argv, &index)) {
            return FALSE;
        }
    }
    options->words = argv + index;
    if (options->cores != NULL) { /* the files after the first one are words */
        for (; *options->words != NULL; options->words++) {
            g_ptr_array_add (options->cores, *options->words);
        }
        g_ptr_array_add (options->cores, NULL);
        return options->attach == NULL && options->attach_job == NULL;
    }
    if (options->attach != NULL || options->attach_job != NULL) {
        return options->words[0] == NULL;
    }
    return TRUE;
}

static gboolean
is_saved (const Options *options)
{
    return options->words[0] != NULL && options->words[1] == NULL
        && g_str_has_suffix (options->words[0], ".pddt");
}

static Session *
start (const Options *options, int *ret_status)
{
    g_autoptr (Session) session = session_new ();
    g_autoptr (GError) error = NULL;
    SessionOptions wanted = {
        .argv = (const char *const *) options->words,
        .stop_at = options->stop_at,
        .input_ranks = options->input,
        .timeout_s = options->timeout_s,
        .keep = options->keep,
        .is_patient = TRUE,
        .attach = options->attach,
        .attach_job = options->attach_job,
        .attach_ranks = options->attach_ranks,
        .cores = options->cores != NULL ? (const char *const *) options->cores->pdata : NULL,
    };

    if (!session_start (session, &wanted, &error)) {
        fprintf (stderr, "pddt: %s\n", error->message);
        *ret_status = g_error_matches (error, BASE_ERROR, BASE_ERROR_INVALID) ? 2 : 3;
        return NULL;
    }
    return g_steal_pointer (&session);
}

int
main (int argc, char **argv)
{
    Options options = { .timeout_s = 60 };
    g_autoptr (Session) session = NULL;
    const char *saved = NULL;
    int status = 0;

    setlocale (LC_ALL, "");
    setlocale (LC_NUMERIC, "C"); /* numbers of the program look as in its source */
    gui_settings_init_words (GETTEXT_PACKAGE, PDDT_LOCALE_DIR);
    g_set_prgname ("pddt");
    base_log_init ("pddt-window", NULL);
    if (!read_options (&options, argv)) {
        return become_terminal (argv);
    }
    gui_settings_init ();
    gtk_disable_setlocale ();
    if (!gtk_init_check (NULL, NULL)) {
        fputs ("pddt: cannot open the display, using the command language\n", stderr);
        return become_terminal (argv);
    }
    if (is_saved (&options)) {
        saved = options.words[0];
    } else if (options.words[0] != NULL || options.attach != NULL || options.attach_job != NULL
               || options.cores != NULL) {
        session = start (&options, &status);
        if (session == NULL) {
            return status;
        }
    }
    status = gui_application_run (session, saved, options.choose);
    g_clear_pointer (&options.cores, g_ptr_array_unref);
    return status == 0 && session != NULL && session_get_failure (session) != NULL ? 3 : status;
}
