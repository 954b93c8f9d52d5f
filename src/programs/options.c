/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of options and their valid values; the programs act on them. */
#include "programs/options.h"
#include "base/place.h"
#include "job/metric.h"
#include "profile/archive.h"
#include "profile/export.h"
#include "profile/page.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEAST_BUFFER (256u << 10)
#define DEFAULT_BUFFER (64u << 20)
#define MAX_BUFFER (G_GUINT64_CONSTANT (1) << 40)

typedef enum {
    FLAG,
    VALUE,
    LINE,
    CORE,
    REPORT,
    EXPORT,
    FUNCTION,
    FIELD,
    MEMORY,
    DAP,
    SERVE
} Kind;

static const struct {
    const char *name, *value; /* value: its word in the help */
    Kind kind;
    gsize offset;
    const char *help;    /* NULL: not for users */
    const char *heading; /* of the group in the help that begins with this row; NULL: none */
} table[] = {
#define AT(field) G_STRUCT_OFFSET (ProgramOptions, field)
    { "--attach", "PID", VALUE, AT (attach), "attach to these processes, separated by commas",
      "Which processes, and how they start" },
    { "--attach-job", "PID", VALUE, AT (attach_job),
      "attach to every rank of this running launcher" },
    { "--attach-ranks", "SET", VALUE, AT (attach_ranks),
      "with --attach-job: attach to these ranks only" },
    { "--core", "FILE", CORE, AT (cores), "open core files: all words that follow are files" },
    { "--stop-at", "WHERE", VALUE, AT (stop_at),
      "where ranks stop first: main (default), mpi-init, none, "
      "start" },
    { "--input", "SET", VALUE, AT (input),
      "give these ranks an input of their own, for the command input" },
    { "--timeout", "SECONDS", VALUE, AT (timeout),
      "how long to wait for all ranks after the first report (60)" },
    { "--keep", NULL, FLAG, AT (keep),
      "let the ranks run on when pddt ends (attached ones always do)" },
    { "--carry", NULL, FLAG, AT (carry),
      "bring pddt's daemon to hosts of the job that have no pddt: by the launcher's ssh, or in a job of Slurm" },
    { "--trust", NULL, FLAG, AT (trust), "trust a .pddt file that pddt did not write for you" },
    { "--choose", "attach|core", VALUE, AT (choose),
      "choose in a window what to attach to, or which core files to open" },
    { "--remote", "[USER@]HOST[:FOLDER]", VALUE, AT (remote),
      "the job and all files are on HOST (in FOLDER), which ssh connects to; only the window or the prompt is "
      "here. pddt is installed there, too",
      "A job on another host, or one that waits for you" },
    { "--remote-program", "COMMAND", VALUE, AT (remote_program),
      "how pddt is called on HOST, for the shell there (pddt)" },
    { "--keep-for", "MINUTES", VALUE, AT (keep_for),
      "how long the job on HOST lives on when the connection is lost (60)" },
    { "--submit", "TEMPLATE", VALUE, AT (submit),
      "submit the job to a batch system, and take it when it starts; TEMPLATE: slurm, pbs, lsf, sge, flux, or a file "
      "of yours, also one of DDT's (.qtf)" },
    { "--field", "NAME=VALUE", FIELD, AT (fields),
      "of --submit: what the template leaves open, such as time=01:00:00; repeatable" },
    { "--connect", NULL, FLAG, AT (connect),
      "in a batch script: wait until a window, or pddt --cli, of this user takes the job; with --keep run it without "
      "pddt when nobody does" },
    { "--connect-timeout", "SECONDS", VALUE, AT (connect_timeout),
      "how long --connect waits (without limit)" },
    { "--take", "ID", VALUE, AT (take), "take the job that waits with that number" },
    { "--decline", "ID", VALUE, AT (decline),
      "decline that job: it ends, or runs without pddt if it was started with --keep" },
    { "--cli", NULL, FLAG, AT (cli),
      "use the command language on this terminal, or from a pipe, instead "
      "of a window",
      "Commands, scripts and editors" },
    { "-e", "COMMAND", LINE, AT (lines), "run COMMAND; repeatable; implies --cli" },
    { "-x", "FILE", LINE, AT (lines),
      "run the commands in FILE, one per line; a line that begins with # is a comment; a FILE that ends in .py is "
      "run by the Python inside pddt" },
    { "-i", NULL, FLAG, AT (interactive), "stay interactive after -e and -x" },
    { "--json", NULL, FLAG, AT (json),
      "write every answer and event as one JSON object per line" },
    { "--report", "FILE", REPORT, AT (reports),
      "write a report: with -e, -x, -i, --json or --cli of what happens; otherwise measure the job, as "
      "--profile does, and report where its time went; FILE ends in .html, .txt, .csv or .json; "
      "repeatable" },
    { "--dap", "[=SOCKET]", DAP, AT (dap),
      "debug for an editor, which speaks the Debug Adapter Protocol on standard input and output, or on the UNIX "
      "socket SOCKET, which pddt makes" },
    { "--profile", NULL, FLAG, AT (profile),
      "run the job without stopping it, and measure where its time goes", "Measuring a job" },
    { "--trace", NULL, FLAG, AT (trace),
      "run the job without stopping it, and record every call of its Python code and of MPI" },
    { "--output", "FOLDER", VALUE, AT (output),
      "where --profile and --trace write their archive (pddt-PROGRAM-N)" },
    { "--duration", "SECONDS", VALUE, AT (duration),
      "end a measurement after that time: an attached job then runs on" },
    { "--rate", "HZ", VALUE, AT (rate), "samples of each thread in a second (100)" },
    { "--metrics", "LIST", VALUE, AT (metrics),
      "what --profile and --trace measure over time, of rss, cpu, io, switches, threads, node, energy, gpu "
      "(all that there are)" },
    { "--export", "FORMAT[=FILE]", EXPORT, AT (exports),
      "write the profile for other tools, too: pstats, speedscope, perfetto, chrome, collapsed, dot, tau, cubex, csv or "
      "lprof; repeatable" },
    { "--filter", "FILE", VALUE, AT (filter),
      "which functions --trace records: a filter file as Score-P has it",
      "What --trace records" },
    { "--lines", "FUNCTION", FUNCTION, AT (functions),
      "count how often each line of this Python function runs, and for how long; repeatable; implies --trace" },
    { "--c-functions", NULL, FLAG, AT (c_functions),
      "record calls of built-in functions, too; implies --trace" },
    { "--memory", "[=native]", MEMORY, AT (memory),
      "record where Python allocates memory and what it still holds at the end, with =native what C, C++ and "
      "Fortran code does, too; implies --trace" },
    { "--when-full", "flush|keep-first|keep-last", VALUE, AT (when_full),
      "what --trace does with its events: write all of them to the disk (flush, as without this option), or keep "
      "the first or the last ones of each process, as much as --buffer says" },
    { "--buffer", "SIZE", VALUE, AT (buffer),
      "bytes of events that each process keeps with --when-full keep-first or keep-last: a number, maybe with K, M "
      "or G (64M)" },
    { "--score", NULL, FLAG, AT (score),
      "print which functions take the room of an archive's trace, as scorep-score does",
      "Archives" },
    { "--finalize", "FOLDER", VALUE, AT (finalize),
      "write the archive of a measurement that was cut off" },
    { "--doctor", NULL, FLAG, AT (doctor),
      "say what on this machine would keep pddt from working, and what to do; with a launcher's line without "
      "a program (mpirun -np 2 -H a,b) on the hosts that it names",
      "About pddt and this machine" },
    { "--version", NULL, FLAG, AT (version), "print the version" },
    { "--help", NULL, FLAG, AT (help), "print this" },
    { "-h", NULL, FLAG, AT (help), NULL },
    { "--trace-settings", "FILE", VALUE, AT (trace_settings),
      NULL },                                        /* for python3 -m scorep */
    { "--serve", "[=ID]", SERVE, AT (serve), NULL }, /* ssh runs it */
    { "--print-reference", NULL, FLAG, AT (reference), NULL },
    { "--print-completion", "bash|zsh", VALUE, AT (completion), NULL },
#undef AT
};

/* The words of a text in lines of at most 80 columns, the later ones below the first. */
static void
append_wrapped (GString *text, const char *help)
{
    enum { INDENT = 22, WIDTH = 80 };
    g_auto (GStrv) words = g_strsplit (help, " ", -1);
    gsize column = INDENT;

    for (guint i = 0; words[i] != NULL; i++) {
        if (i > 0 && column + 1 + strlen (words[i]) > WIDTH) {
            g_string_append_printf (text, "\n%*s", INDENT, "");
            column = INDENT;
        } else if (i > 0) {
            g_string_append_c (text, ' ');
            column++;
        }
        g_string_append (text, words[i]);
        column += strlen (words[i]);
    }
    g_string_append_c (text, '\n');
}

char *
program_options_format_usage (void)
{
    GString *text = g_string_new (NULL);

    for (guint i = 0; i < G_N_ELEMENTS (table); i++) {
        if (table[i].help != NULL) {
            g_autofree char *words
                = g_strdup_printf ("%s%s%s", table[i].name,
                                   table[i].value != NULL
                                           && !g_str_has_prefix (table[i].value, "[=")
                                       ? " "
                                       : "",
                                   table[i].value != NULL ? table[i].value : "");

            if (table[i].heading != NULL) {
                g_string_append_printf (text, "%s%s:\n", i > 0 ? "\n" : "", table[i].heading);
            }
            g_string_append_printf (text, "  %-18s%s", words,
                                    strlen (words) <= 18 ? "  " : "\n                      ");
            append_wrapped (text, table[i].help);
        }
    }
    return g_string_free (text, FALSE);
}

gboolean
program_options_get (guint index, ProgramOption *ret_option)
{
    if (index >= G_N_ELEMENTS (table)) {
        return FALSE;
    }
    *ret_option = (ProgramOption){ table[index].name, table[index].value, table[index].help };
    return TRUE;
}

static gboolean
take_line (ProgramOptions *options, char letter, const char *value, char **ret_complaint)
{
    g_ptr_array_add (options->lines, g_strdup_printf ("%c:%s", letter, value));
    if (letter == 'x' && access (value, R_OK) != 0) {
        *ret_complaint = g_strdup_printf ("cannot read %s: %s", value, g_strerror (errno));
        return FALSE;
    }
    return TRUE;
}

/* A run of hours is not to end with a report that cannot be written, so that is tried now. */
static gboolean
take_report (ProgramOptions *options, const char *path, char **ret_complaint)
{
    g_auto (BasePlace) place = { .folder = -1 };
    g_autoptr (GError) error = NULL;
    struct stat facts;
    gboolean is_new;
    int fd = -1;

    if (!profile_page_check_path (path, &error)) {
        *ret_complaint = g_strdup (error->message);
        return FALSE;
    }
    if (base_place_find (path, TRUE, &place)) {
        is_new = fstatat (place.folder, place.name, &facts, AT_SYMLINK_NOFOLLOW) != 0;
        fd = base_place_open (&place, O_WRONLY | O_CREAT | O_NONBLOCK, 0666);
    }
    if (fd < 0) {
        *ret_complaint = g_strdup_printf ("cannot write %s: %s", path,
                                          errno == ELOOP ? BASE_PLACE_LINK
                                                         : g_strerror (errno));
        return FALSE;
    }
    close (fd);
    if (is_new) {
        unlinkat (place.folder, place.name, 0);
    }
    g_ptr_array_add (options->reports, (gpointer) path);
    return TRUE;
}

static gboolean
take_export (ProgramOptions *options, const char *what, char **ret_complaint)
{
    g_autofree char *format = g_strndup (what, strcspn (what, "="));

    if (!g_strv_contains (profile_export_get_formats (), format)) {
        g_autofree char *known = g_strjoinv (", ", (char **) profile_export_get_formats ());

        *ret_complaint
            = g_strdup_printf ("there is no format \"%s\" to export to; there are: %s", format,
                               known);
        return FALSE;
    }
    g_ptr_array_add (options->exports, (gpointer) what);
    return TRUE;
}

/* The word behind it is the command's: "--memory" or "--memory=native". */
static gboolean
take_memory (ProgramOptions *options, const char *value, char **ret_complaint)
{
    if (value != NULL && strcmp (value, "native") != 0) {
        *ret_complaint = g_strdup_printf ("--memory has no value, or native, not \"%s\"",
                                          value);
        return FALSE;
    }
    options->memory = TRUE;
    options->native_memory |= value != NULL;
    return TRUE;
}

/* "--name=VALUE" or "--name VALUE". */
static gboolean
take_option (ProgramOptions *options, guint row, char **argv, int *index, const char *equals,
             char **ret_complaint)
{
    char *field = (char *) options + table[row].offset;
    const char *value = equals != NULL ? equals + 1 : NULL;

    if (table[row].kind == FLAG) {
        *(gboolean *) (void *) field = TRUE;
        return TRUE;
    }
    if (table[row].kind == MEMORY) {
        return take_memory (options, value, ret_complaint);
    }
    if (table[row].kind == DAP) {
        options->dap = TRUE;
        options->socket = value;
        return TRUE;
    }
    if (table[row].kind == SERVE) {
        options->serve = TRUE;
        options->resume = value;
        return TRUE;
    }
    if (value == NULL && argv[*index + 1] == NULL) {
        *ret_complaint = g_strdup_printf ("%s needs a value", argv[*index]);
        return FALSE;
    }
    value = value != NULL ? value : argv[++*index];
    switch (table[row].kind) {
    case LINE: return take_line (options, table[row].name[1], value, ret_complaint);
    case REPORT: return take_report (options, value, ret_complaint);
    case EXPORT: return take_export (options, value, ret_complaint);
    case CORE: g_ptr_array_add (options->cores, (gpointer) value); return TRUE;
    case FIELD: g_ptr_array_add (options->fields, (gpointer) value); return TRUE;
    case FUNCTION: g_ptr_array_add (options->functions, (gpointer) value); return TRUE;
    default: *(const char **) (void *) field = value; return TRUE;
    }
}

static gboolean
parse_option (ProgramOptions *options, char **argv, int *index, char **ret_complaint)
{
    const char *word = argv[*index];
    const char *equals = g_str_has_prefix (word, "--") ? strchr (word, '=') : NULL;
    gsize length = equals != NULL ? (gsize) (equals - word) : strlen (word);

    for (guint i = 0; i < G_N_ELEMENTS (table); i++) {
        if (strlen (table[i].name) == length && strncmp (table[i].name, word, length) == 0
            && (equals == NULL || table[i].kind != FLAG)) {
            return take_option (options, i, argv, index, equals, ret_complaint);
        }
    }
    *ret_complaint = g_strdup_printf ("no option \"%s\"; pddt --help lists them", word);
    return FALSE;
}

/* The files after the first core are words. */
static void
take_cores (ProgramOptions *options)
{
    while (options->cores->len > 0 && *options->words != NULL) {
        g_ptr_array_add (options->cores, *options->words++);
    }
    if (options->cores->len > 0) {
        g_ptr_array_add (options->cores, NULL);
    }
}

gboolean
program_options_measures (const ProgramOptions *options)
{
    return options->profile || options->trace
           || (options->reports->len + options->exports->len > 0 && !options->cli
               && !options->json && !options->interactive && options->lines->len == 0);
}

/* "64M" in bytes. FALSE: it is none. */
static gboolean
parse_size (const char *text, guint64 *ret_size)
{
    static const char units[] = "KMG";
    g_autofree char *number = g_strdup (text);
    gsize length = strlen (number);
    const char *unit = length > 0 ? strchr (units, g_ascii_toupper (number[length - 1])) : NULL;
    guint shift = unit != NULL ? 10 * (guint) (unit - units + 1) : 0;

    if (unit != NULL) {
        number[length - 1] = '\0';
    }
    if (!g_ascii_string_to_unsigned (number, 10, 1, MAX_BUFFER >> shift, ret_size, NULL)) {
        return FALSE;
    }
    *ret_size <<= shift;
    return *ret_size >= LEAST_BUFFER;
}

/* Of those that say what a trace keeps. */
static char *
find_buffer_complaint (ProgramOptions *options)
{
    static const char *const ways[] = { "flush", "keep-first", "keep-last", NULL };

    options->buffer_size = DEFAULT_BUFFER;
    if ((options->when_full != NULL || options->buffer != NULL) && !options->trace) {
        return g_strdup ("--when-full and --buffer need --trace");
    }
    if (options->when_full != NULL && !g_strv_contains (ways, options->when_full)) {
        return g_strdup_printf ("--when-full needs flush, keep-first or keep-last, not \"%s\"",
                                options->when_full);
    }
    if (options->buffer != NULL
        && (options->when_full == NULL || strcmp (options->when_full, ways[0]) == 0)) {
        return g_strdup (
            "--buffer needs --when-full keep-first or keep-last: without them the disk has all events, and "
            "no buffer gets full");
    }
    if (options->buffer != NULL && !parse_size (options->buffer, &options->buffer_size)) {
        return g_strdup_printf (
            "--buffer needs a size from 256K to 1024G, such as 64M, not \"%s\"",
            options->buffer);
    }
    return NULL;
}

/* Of the options for measured runs. */
static char *
find_measure_complaint (ProgramOptions *options)
{
    g_autoptr (GError) error = NULL;
    guint64 rate = 0;
    double seconds = 0;
    char *end = NULL, *complaint;

    if (!program_options_measures (options)
        && (options->rate != NULL || options->output != NULL || options->duration != NULL
            || options->metrics != NULL)) {
        return g_strdup ("--rate, --output, --duration and --metrics need --profile");
    }
    if (options->trace && (options->attach != NULL || options->attach_job != NULL)) {
        return g_strdup (
            "--trace needs a job that pddt starts: what runs already was not traced "
            "from its beginning; --profile measures it");
    }
    if (options->filter != NULL && !options->trace) {
        return g_strdup ("--filter needs --trace");
    }
    if ((complaint = find_buffer_complaint (options)) != NULL) {
        return complaint;
    }
    if (options->metrics != NULL
        && !job_metric_parse_list (options->metrics, &options->metric_set, &error)) {
        return g_strdup_printf ("--metrics: %s", error->message);
    }
    if (options->rate != NULL
        && !g_ascii_string_to_unsigned (options->rate, 10, 1, 1000, &rate, NULL)) {
        return g_strdup_printf ("--rate needs a number from 1 to 1000, not \"%s\"",
                                options->rate);
    }
    if (options->duration != NULL) {
        seconds = g_ascii_strtod (options->duration, &end);
        if (end == options->duration || *end != '\0' || !(seconds > 0)
            || seconds > G_MAXINT32 / 1000) {
            return g_strdup_printf ("--duration needs a number of seconds, not \"%s\"",
                                    options->duration);
        }
    }
    options->rate_hz = (guint) rate;
    options->duration_ms = (guint) MAX (seconds * 1000, seconds > 0 ? 1 : 0);
    if ((options->profile || options->trace)
        && (options->cli || options->json || options->interactive || options->lines->len > 0
            || options->stop_at != NULL || options->input != NULL)) {
        return g_strdup (
            "--profile and --trace run the job without stopping it: --cli, --json, -e, -x, -i, "
            "--stop-at and --input do not go with it");
    }
    if (options->exports->len > 0 && !program_options_measures (options)) {
        return g_strdup (
            "--export is for measured runs and their archives: leave --cli, --json, -e, -x and -i out, "
            "or use the command profile save");
    }
    if (options->exports->len > 0 && options->words[0] != NULL && options->words[1] != NULL
        && program_options_is_archive (options)) {
        return g_strdup ("--export is for one archive, and --report compares two");
    }
    if (program_options_measures (options) && options->cores->len > 0) {
        return g_strdup ("--profile needs a job that runs: core files have no time to measure");
    }
    return NULL;
}

/* Of those that have to do with another host. */
static char *
find_remote_complaint (ProgramOptions *options)
{
    guint64 minutes = 60, seconds = 0;

    if (options->connect_timeout != NULL
        && (!options->connect
            || !g_ascii_string_to_unsigned (options->connect_timeout, 10, 1, G_MAXINT32 / 1000,
                                            &seconds, NULL))) {
        return g_strdup ("--connect-timeout needs --connect, and a number of seconds");
    }
    options->connect_timeout_s = (guint) seconds;
    if (options->connect
        && (options->words[0] == NULL || options->remote != NULL || options->take != NULL
            || options->lines->len > 0 || options->cli || options->json || options->interactive
            || options->dap || program_options_measures (options))) {
        return g_strdup (
            "--connect needs a command to run, and whoever takes the job says what to do with it: "
            "only --stop-at, --input, --timeout and --keep go with it");
    }
    if (options->submit == NULL ? options->fields->len > 0
                                : options->words[0] == NULL || options->connect
                                      || options->take != NULL || options->dap) {
        return g_strdup ("--submit needs a command to run: --connect, --take and --dap do not "
                         "go with it; --field needs --submit");
    }
    if (options->decline != NULL && (options->words[0] != NULL || options->take != NULL)) {
        return g_strdup (
            "--decline declines a job that waits: no command and no --take go with it");
    }
    if (options->take != NULL && options->words[0] != NULL) {
        return g_strdup ("--take takes a job that waits: no command goes with it");
    }
    if ((options->remote_program != NULL || options->keep_for != NULL)
        && options->remote == NULL) {
        return g_strdup ("--remote-program and --keep-for need --remote");
    }
    if (options->remote != NULL && (*options->remote == '\0' || *options->remote == '-')) {
        return g_strdup_printf ("--remote needs a host, not \"%s\"", options->remote);
    }
    if (options->keep_for != NULL
        && !g_ascii_string_to_unsigned (options->keep_for, 10, 0, 30 * 24 * 60, &minutes,
                                        NULL)) {
        return g_strdup_printf ("--keep-for needs a number of minutes, not \"%s\"",
                                options->keep_for);
    }
    options->keep_for_s = (guint) minutes * 60;
    if (options->remote != NULL && (options->dap || options->doctor)) {
        return g_strdup ("--dap and --doctor do not go with --remote: run pddt there, by ssh");
    }
    if (options->remote != NULL
        && (options->score || options->finalize != NULL
            || program_options_is_archive (options))) {
        return g_strdup (
            "--remote does not show archives that are there: log in, and run pddt there");
    }
    return NULL;
}

static char *
find_complaint (ProgramOptions *options)
{
    static const char *const places[] = { "main", "mpi-init", "none", "start", NULL };
    guint n_wanted = (options->attach != NULL) + (options->attach_job != NULL)
                     + (options->cores->len > 0);
    guint64 seconds = 0;
    char *complaint;

    if (options->stop_at != NULL && !g_strv_contains (places, options->stop_at)) {
        return g_strdup_printf ("--stop-at needs main, mpi-init, none or start, not \"%s\"",
                                options->stop_at);
    }
    if (options->timeout != NULL
        && !g_ascii_string_to_unsigned (options->timeout, 10, 1, G_MAXINT32 / 1000, &seconds,
                                        NULL)) {
        return g_strdup_printf ("--timeout needs a number of seconds, not \"%s\"",
                                options->timeout);
    }
    options->timeout_s = (guint) seconds;
    if ((complaint = find_remote_complaint (options)) != NULL) {
        return complaint;
    }
    if (options->choose != NULL && strcmp (options->choose, "attach") != 0
        && strcmp (options->choose, "core") != 0) {
        return g_strdup_printf ("--choose needs attach or core, not \"%s\"", options->choose);
    }
    if (options->dap
        && (n_wanted > 0 || options->words[0] != NULL || options->cli || options->json
            || options->interactive || options->lines->len > 0 || options->stop_at != NULL
            || options->input != NULL || program_options_measures (options))) {
        return g_strdup (
            "--dap gets the job and how to start it from the editor: only --keep and --timeout go with it");
    }
    if (options->socket != NULL && *options->socket == '\0') {
        return g_strdup ("--dap=SOCKET needs the path of a socket to make");
    }
    if (n_wanted > 1 || (n_wanted == 1 && options->words[0] != NULL)) {
        return g_strdup (
            "a command to run, --attach, --attach-job and --core exclude each other");
    }
    return find_measure_complaint (options);
}

gboolean
program_options_parse (ProgramOptions *options, char **argv, char **ret_complaint)
{
    int index = 1;
    char *complaint;

    memset (options, 0, sizeof *options);
    options->lines = g_ptr_array_new_with_free_func (g_free);
    options->cores = g_ptr_array_new ();
    options->reports = g_ptr_array_new ();
    options->exports = g_ptr_array_new ();
    options->functions = g_ptr_array_new ();
    options->fields = g_ptr_array_new ();
    for (; argv[index] != NULL && argv[index][0] == '-' && argv[index][1] != '\0'; index++) {
        if (strcmp (argv[index], "--") == 0) {
            index++;
            break;
        }
        if (!parse_option (options, argv, &index, ret_complaint)) {
            return FALSE;
        }
    }
    options->words = argv + index;
    options->trace |= options->functions->len > 0 || options->c_functions || options->memory;
    take_cores (options);
    complaint = find_complaint (options);
    if (complaint != NULL) {
        *ret_complaint = complaint;
    }
    return complaint == NULL;
}

void
program_options_clear (ProgramOptions *options)
{
    g_clear_pointer (&options->taken, g_free);
    g_clear_pointer (&options->lines, g_ptr_array_unref);
    g_clear_pointer (&options->cores, g_ptr_array_unref);
    g_clear_pointer (&options->reports, g_ptr_array_unref);
    g_clear_pointer (&options->exports, g_ptr_array_unref);
    g_clear_pointer (&options->functions, g_ptr_array_unref);
    g_clear_pointer (&options->fields, g_ptr_array_unref);
}

gboolean
program_options_is_saved (const ProgramOptions *options)
{
    return options->words[0] != NULL && options->words[1] == NULL
           && g_str_has_suffix (options->words[0], ".pddt");
}

/* Which is said to be no archive, or not to be comparable, instead of that it cannot be started. */
static gboolean
is_folder (const char *word)
{
    g_autofree char *program = g_find_program_in_path (word);

    return program == NULL && g_file_test (word, G_FILE_TEST_IS_DIR);
}

gboolean
program_options_is_archive (const ProgramOptions *options)
{
    if (options->words[0] == NULL || options->profile || options->trace) {
        return FALSE;
    }
    return (options->words[1] == NULL && is_folder (options->words[0]))
           || (profile_archive_is (options->words[0])
               && (options->words[1] == NULL
                   || (options->words[2] == NULL
                       && (profile_archive_is (options->words[1])
                           || is_folder (options->words[0])))));
}

gboolean
program_options_has_subject (const ProgramOptions *options)
{
    return options->words[0] != NULL || options->attach != NULL || options->attach_job != NULL
           || options->cores->len > 0 || options->take != NULL;
}
