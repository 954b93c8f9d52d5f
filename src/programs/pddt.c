/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pddt's main: reads its own options up to the first word that is none, then hands over to the
 * window or runs the command language here. Links no GTK. */
#include "base/error.h"
#include "base/log.h"
#include "command/command.h"
#include "launch/launch.h"
#include "session/saved.h"
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    gboolean cli, json, interactive, keep;
    gboolean help, version, reference;
    const char *stop_at, *input;
    const char *attach, *attach_job, *attach_ranks, *choose;
    GPtrArray *cores;   /* of char*, ended by NULL; NULL: none */
    guint timeout_s;
    GPtrArray *lines;   /* of char* */
    char **words;       /* the user's command */
} Options;

static const char usage[] =
    "pddt [OPTION…] [--] COMMAND [ARG…]     debug a job; COMMAND is mpirun, mpiexec, srun … or a "
    "plain program\n"
    "pddt [OPTION…] --attach PID[,PID…]     attach to processes\n"
    "pddt [OPTION…] --attach-job PID [--attach-ranks SET]\n"
    "                                       attach to every rank, or to those, of a running launcher\n"
    "pddt [OPTION…] --core FILE…            open core files\n"
    "pddt FILE.pddt                         open a saved session\n"
    "pddt                                   open the window's Run dialog\n"
    "\n"
    "  --cli               the command language on this terminal instead of a window\n"
    "  -e COMMAND          run COMMAND; repeatable; implies --cli\n"
    "  -x FILE             the same from a file, one command a line, # comments\n"
    "  -i                  stay interactive after -e and -x\n"
    "  --json              every answer and event is one JSON object a line\n"
    "  --stop-at WHERE     main (default), mpi-init, none, start\n"
    "  --input SET         give these ranks an input that the command input feeds\n"
    "  --timeout SECONDS   from the first rank's report until all are there (60)\n"
    "  --keep              when pddt ends, let the ranks run on (attached ones always do)\n"
    "  --choose attach|core  choose in a window what to attach to, or which core files to open\n"
    "  --version, --help\n"
    "\n"
    "A word %python_debug% in COMMAND becomes pddt's runner for Python programs:\n"
    "  pddt mpirun -np 8 python3 %python_debug% app.py\n";

static void say (const char *format, ...) G_GNUC_PRINTF (1, 2);

static void
say (const char *format, ...)
{
    va_list arguments;

    fputs ("pddt: ", stderr);
    va_start (arguments, format);
    vfprintf (stderr, format, arguments);
    va_end (arguments);
    fputc ('\n', stderr);
}

/* The value of "--name=VALUE" or "--name VALUE"; NULL: it is missing, and that was said. */
static const char *
take_value (char **argv, int *index, const char *equals)
{
    if (equals != NULL) {
        return equals + 1;
    }
    if (argv[*index + 1] == NULL) {
        say ("%s needs a value", argv[*index]);
        return NULL;
    }
    return argv[++*index];
}

static gboolean
note_value (Options *options, const char *name, const char *value)
{
    static const char *const places[] = { "main", "mpi-init", "none", "start", NULL };
    guint64 seconds;

    if (strcmp (name, "-e") == 0 || strcmp (name, "-x") == 0) {
        g_ptr_array_add (options->lines, g_strdup_printf ("%c:%s", name[1], value));
        if (name[1] == 'x' && access (value, R_OK) != 0) {
            say ("cannot read %s: %s", value, g_strerror (errno));
            return FALSE;
        }
    } else if (strcmp (name, "--stop-at") == 0) {
        options->stop_at = value;
        if (!g_strv_contains (places, value)) {
            say ("--stop-at needs main, mpi-init, none or start, not \"%s\"", value);
            return FALSE;
        }
    } else if (strcmp (name, "--input") == 0) {
        options->input = value;
    } else if (strcmp (name, "--attach") == 0) {
        options->attach = value;
    } else if (strcmp (name, "--attach-job") == 0) {
        options->attach_job = value;
    } else if (strcmp (name, "--attach-ranks") == 0) {
        options->attach_ranks = value;
    } else if (strcmp (name, "--choose") == 0) {
        options->choose = value;
    } else if (strcmp (name, "--core") == 0) {
        g_ptr_array_add (options->cores, (gpointer) value);
    } else if (g_ascii_string_to_unsigned (value, 10, 1, G_MAXINT32 / 1000, &seconds, NULL)) {
        options->timeout_s = (guint) seconds;
    } else {
        say ("--timeout needs seconds, not \"%s\"", value);
        return FALSE;
    }
    return TRUE;
}

static gboolean
note_flag (Options *options, const char *name)
{
    const struct { const char *name; gboolean *flag; } flags[] = {
        { "--cli", &options->cli },         { "--json", &options->json },
        { "-i", &options->interactive },    { "--keep", &options->keep },
        { "--help", &options->help },       { "-h", &options->help },
        { "--version", &options->version }, { "--print-reference", &options->reference },
    };

    for (guint i = 0; i < G_N_ELEMENTS (flags); i++) {
        if (strcmp (name, flags[i].name) == 0) {
            *flags[i].flag = TRUE;
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean
parse_option (Options *options, char **argv, int *index)
{
    static const char *const with_value[] = { "-e", "-x", "--stop-at", "--input", "--timeout",
                                              "--attach", "--attach-job", "--attach-ranks", "--core",
                                              "--choose", NULL };
    const char *word = argv[*index];
    const char *equals = g_str_has_prefix (word, "--") ? strchr (word, '=') : NULL;
    g_autofree char *name = equals != NULL ? g_strndup (word, (gsize) (equals - word))
                                           : g_strdup (word);

    if (equals == NULL && note_flag (options, name)) {
        return TRUE;
    }
    if (g_strv_contains (with_value, name)) {
        const char *value = take_value (argv, index, equals);

        return value != NULL && note_value (options, name, value);
    }
    say ("no option \"%s\"; pddt --help lists them", word);
    return FALSE;
}

static gboolean
parse_options (Options *options, char **argv)
{
    int index = 1;

    for (; argv[index] != NULL && argv[index][0] == '-' && argv[index][1] != '\0'; index++) {
        if (strcmp (argv[index], "--") == 0) {
            index++;
            break;
        }
        if (!parse_option (options, argv, &index)) {
            return FALSE;
        }
    }
    options->words = argv + index;
    return TRUE;
}

static gboolean
has_display (void)
{
    const char *x = g_getenv ("DISPLAY"), *wayland = g_getenv ("WAYLAND_DISPLAY");

    return (x != NULL && *x != '\0') || (wayland != NULL && *wayland != '\0');
}

/* Returns only when there is no window program to become. */
static void
exec_window (char **argv)
{
    g_autoptr (GError) error = NULL;
    g_autofree char *path = launch_find_program ("pddt-window", &error);

    if (path != NULL) {
        execv (path, argv);
        g_debug ("cannot run %s: %s", path, g_strerror (errno));
    }
}

static gboolean
is_saved (const Options *options)
{
    return options->words[0] != NULL && options->words[1] == NULL
        && g_str_has_suffix (options->words[0], ".pddt");
}

static int
run_terminal (const Options *options)
{
    g_autoptr (Session) session = session_new ();
    g_autoptr (SessionSaved) saved = NULL;
    g_autoptr (GError) error = NULL;
    SessionOptions start = {
        .argv = (const char *const *) options->words,
        .stop_at = options->stop_at,
        .input_ranks = options->input,
        .timeout_s = options->timeout_s,
        .keep = options->keep,
        .is_patient = options->interactive && isatty (STDIN_FILENO),
        .attach = options->attach,
        .attach_job = options->attach_job,
        .attach_ranks = options->attach_ranks,
        .cores = options->cores->len > 0 ? (const char *const *) options->cores->pdata : NULL,
    };
    CommandTerminalOptions terminal = { options->json, options->interactive, options->lines };

    if (is_saved (options)) {
        saved = session_saved_load (options->words[0], &error);
        if (saved == NULL) {
            say ("%s", error->message);
            return 2;
        }
        start = session_saved_get_options (saved);
        g_ptr_array_insert (options->lines, 0, g_strdup_printf ("e:load %s", options->words[0]));
    }
    if (!session_start (session, &start, &error)) {
        say ("%s", error->message);
        return g_error_matches (error, BASE_ERROR, BASE_ERROR_INVALID) ? 2 : 3;
    }
    return command_terminal_run (session, &terminal);
}

/* The files after the first one are words. */
static void
take_cores (Options *options)
{
    static char *no_words[] = { NULL };

    if (options->cores->len > 0) {
        for (guint i = 0; options->words[i] != NULL; i++) {
            g_ptr_array_add (options->cores, options->words[i]);
        }
        options->words = no_words;
        g_ptr_array_add (options->cores, NULL);
    }
}

/* What cannot be done is said before anything is started; 0: go on. */
static int
check_words (const Options *options)
{
    const char *word = options->words[0];
    guint n_wanted = (options->attach != NULL) + (options->attach_job != NULL)
                     + (options->cores->len > 0);

    if (n_wanted > 1 || (n_wanted == 1 && word != NULL)) {
        say ("a command to run, --attach, --attach-job and --core exclude each other");
        return 2;
    }
    return 0;
}

static gboolean
has_subject (const Options *options)
{
    return options->words[0] != NULL || options->attach != NULL || options->attach_job != NULL
           || options->cores->len > 0;
}

static int
run (Options *options, char **argv)
{
    gboolean has_list = options->lines->len > 0;
    gboolean wants_terminal = options->cli || options->json || options->interactive || has_list;
    int status;

    take_cores (options);
    status = check_words (options);
    if (status != 0) {
        return status;
    }
    if (!wants_terminal) {
        if (has_display ()) {
            exec_window (argv);
        }
        if (has_subject (options) && isatty (STDIN_FILENO)) {
            say ("no display, using the command language");
        }
    }
    if (options->choose != NULL) {
        say ("--choose needs a display; say --attach-job PID, --attach PID or --core FILE");
        return 2;
    }
    if (!has_subject (options)) {
        say ("nothing to debug: say pddt [OPTION…] COMMAND [ARG…]; pddt --help tells more");
        return 2;
    }
    /* A pipe may command pddt, but only where that was asked for. */
    if (!has_list && !isatty (STDIN_FILENO) && !options->interactive && !options->json) {
        say ("no display, no terminal and no -e: there is nothing to command pddt with; say "
             "-e COMMAND or -x FILE");
        return 2;
    }
    options->interactive |= !has_list;
    return run_terminal (options);
}

int
main (int argc, char **argv)
{
    Options options = { 0 };
    int status;

    setlocale (LC_CTYPE, "");
    g_set_prgname ("pddt");
    base_log_init ("pddt", NULL);
    options.lines = g_ptr_array_new_with_free_func (g_free);
    options.cores = g_ptr_array_new ();
    if (!parse_options (&options, argv)) {
        status = 2;
    } else if (options.help) {
        status = fputs (usage, stdout) < 0;
    } else if (options.version) {
        status = printf ("pddt %s\n", PDDT_VERSION) < 0;
    } else if (options.reference) {
        g_autofree char *text = command_format_reference ();

        status = fputs (text, stdout) < 0;
    } else {
        status = run (&options, argv);
    }
    g_ptr_array_unref (options.lines);
    g_ptr_array_unref (options.cores);
    return status;
}
