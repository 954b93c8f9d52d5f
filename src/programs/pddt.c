/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pddt's main: starts the window program or runs the command language here. Does not link
 * GTK. */
#include "base/error.h"
#include "base/inherited.h"
#include "base/home.h"
#include "base/limits.h"
#include "base/log.h"
#include "command/command.h"
#include "command/measure.h"
#if PDDT_HAS_DAP
#include "dap/dap.h"
#endif
#include "launch/launch.h"
#include "profile/archive.h"
#include "programs/completion.h"
#include "programs/connect.h"
#include "programs/doctor.h"
#include "programs/options.h"
#include "programs/remote-measure.h"
#include "programs/submit.h"
#include "script/script.h"
#include "session/remote.h"
#include "session/saved.h"
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[]
    = "pddt [OPTION…] [--] COMMAND [ARG…]     debug a job; COMMAND is mpirun, mpiexec, srun … or a "
      "plain program\n"
      "pddt [OPTION…] --attach PID[,PID…]     attach to processes\n"
      "pddt [OPTION…] --attach-job PID [--attach-ranks SET]\n"
      "                                       attach to every rank, or to those, of a running launcher\n"
      "pddt [OPTION…] --core FILE…            open core files\n"
      "pddt FILE.pddt                         open a saved session\n"
      "pddt --profile [OPTION…] COMMAND | --attach PID | --attach-job PID\n"
      "                                       measure a job that runs as it does without pddt\n"
      "pddt --trace [OPTION…] COMMAND         record every call of Python and MPI while it runs\n"
      "pddt FOLDER | FILE.otf2                show an archive: ours, Score-P's or TAU's\n"
      "pddt --score FOLDER                    print which functions take the room of a trace\n"
      "pddt BEFORE NOW                        compare two archives, function by function\n"
      "pddt --finalize FOLDER                 write the archive of a measurement that was cut off\n"
      "pddt --remote [USER@]HOST [OPTION…] COMMAND\n"
      "                                       the same, with the job on HOST and the window or prompt here\n"
      "pddt --connect [OPTION…] COMMAND       in a batch script: wait until a window or pddt --cli takes the job\n"
      "pddt --submit TEMPLATE [OPTION…] COMMAND\n"
      "                                       submit to a batch system, and take the job when it starts\n"
      "pddt --dap[=SOCKET]                    debug for an editor (Debug Adapter Protocol)\n"
      "pddt --doctor [-- LAUNCHER [OPTION…]]  say what would keep pddt from working on this machine\n"
      "pddt                                   open the window's Run dialog\n"
      "\n";

static const char usage_end[]
    = "\nThe word %python_debug% in COMMAND stands for pddt's Python runner:\n  pddt mpirun -np 8 python3 "
      "%python_debug% app.py\n";

static gboolean
has_display (void)
{
    const char *x = g_getenv ("DISPLAY"), *wayland = g_getenv ("WAYLAND_DISPLAY");

    return (x != NULL && *x != '\0') || (wayland != NULL && *wayland != '\0');
}

static const char *
why_no_window (void)
{
    return has_display () ? "no window in this build of pddt" : "no display";
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

/* A file that pddt did not write may start anything: shows it, and asks on a terminal. */
static gboolean
may_start (const ProgramOptions *options, const SessionSaved *saved)
{
    g_autofree char *facts = session_saved_describe (saved);
    char answer[16] = "";

    if (saved->is_own || options->trust) {
        return TRUE;
    }
    base_log_say ("pddt did not write %s for you. It would start:", options->words[0]);
    fprintf (stderr, "%s\n", facts);
    if (!isatty (STDIN_FILENO) || !isatty (STDERR_FILENO)) {
        base_log_say ("not started; give --trust to start it");
        return FALSE;
    }
    fputs ("Start it? [y/N] ", stderr);
    return fgets (answer, sizeof answer, stdin) != NULL
           && (answer[0] == 'y' || answer[0] == 'Y');
}

/* Where nothing is said to be debugged, a job that lives there, or one that waits there. */
static gboolean
connect_for_terminal (const ProgramOptions *options, GError **error)
{
    g_autoptr (GPtrArray) owner = g_ptr_array_new_with_free_func (g_free);
    SessionOptions living = { .living = 0 };
    const ProgramWay way = { .release = PDDT_VERSION,
                             .choose = program_connect_ask_living,
                             .starts_at_once = TRUE };
    ProgramOptions again = *options;
    g_autofree char *waiting = NULL;

    if (!program_connect (options, &way, error)) {
        return FALSE;
    }
    if (options->remote == NULL || program_options_has_subject (options)
        || program_connect_find_living (&living, owner)
        || (waiting = program_connect_choose_there ()) == NULL) {
        return TRUE;
    }
    session_remote_disconnect ();
    again.take = waiting;
    return program_connect (&again, &(ProgramWay){ .release = PDDT_VERSION }, error);
}

/* --finalize FOLDER, pddt FOLDER, or two of them: archives, and no job. */
static int
run_archive (const ProgramOptions *options)
{
    const CommandMeasureOutputs outputs = { options->reports, options->exports };
    g_autoptr (GError) error = NULL;
    g_autofree char *archive_program = launch_find_program ("pddt-archive", &error);

    if (archive_program == NULL) {
        base_log_say ("%s", error->message);
        return 3;
    }
    for (guint i = 0; options->finalize == NULL && options->words[i] != NULL; i++) {
        session_measured_forget (options->words[i]);
    }
    return options->finalize != NULL
               ? command_measure_finalize (archive_program, options->finalize)
           : options->words[1] != NULL
               ? command_measure_compare (archive_program, options->words[0], options->words[1],
                                          options->json, options->reports)
               : command_measure_print (archive_program, options->words[0], options->json,
                                        &outputs);
}

/* pddt at its own path: on a host behind this one, a shell may not find it by name. */
static int
run_server (const ProgramOptions *options, const char *name)
{
    g_autofree char *own = launch_find_program ("pddt", NULL);

    return session_serve_run (options->resume, own != NULL ? own : name, PDDT_VERSION);
}

/* What a job has measured in a queue, whose reports are there already (has_reports), or on another host. */
static int
show_measured (const ProgramOptions *options, char *own, char *archive, gboolean has_reports)
{
    char *words[] = { own, archive, NULL };
    g_autoptr (GPtrArray) none = g_ptr_array_new ();
    const ProgramOptions shown = { .words = words + 1,
                                   .json = options->json,
                                   .reports = has_reports ? none : options->reports,
                                   .exports = has_reports ? none : options->exports };

    if (!options->cli && !options->json && has_display ()
        && shown.reports->len + shown.exports->len == 0) {
        exec_window (words);
    }
    return run_archive (&shown);
}

static int
run_terminal (const ProgramOptions *options)
{
    g_autoptr (Session) session = session_new ();
    g_autoptr (SessionSaved) saved = NULL;
    g_autoptr (GPtrArray) owner = g_ptr_array_new_with_free_func (g_free);
    g_autoptr (GError) error = NULL;
    SessionOptions start = {
        .argv = (const char *const *) options->words,
        .stop_at = options->stop_at,
        .input_ranks = options->input,
        .timeout_s = options->timeout_s,
        .keep = options->keep,
        .carry = options->carry,
        .is_patient = options->interactive && isatty (STDIN_FILENO),
        .attach = options->attach,
        .attach_job = options->attach_job,
        .attach_ranks = options->attach_ranks,
        .cores = options->cores->len > 0 ? (const char *const *) options->cores->pdata : NULL,
    };
    g_autofree char *archive = NULL;
    CommandTerminalOptions terminal = { options->json, options->interactive, options->lines,
                                        options->reports, PDDT_VERSION };
    int status;

    if (!connect_for_terminal (options, &error)
        || !program_connect_bring (options, NULL, &archive, &error)) {
        base_log_say ("%s", error->message);
        return g_error_matches (error, BASE_ERROR, BASE_ERROR_INVALID) ? 2 : 3;
    }
    if (archive != NULL) {
        session_remote_disconnect ();
        base_log_say ("the archive is in %s", archive);
        return show_measured (options, (char *) "pddt", archive, FALSE);
    }
    program_connect_fill (&start, owner);
    if (!program_connect_find_living (&start, owner) && start.argv[0] == NULL
        && !program_options_has_subject (options)) {
        base_log_say (
            "nothing to debug: no job of yours waits on %s, and none lives on without "
            "a window; run pddt --remote HOST COMMAND",
            session_remote_get_host ());
        return 2;
    }
    if (options->trust) {
        session_saved_accept (NULL);
    }
    if (program_options_is_saved (options)) {
        saved = session_saved_load (options->words[0], &error);
        if (saved == NULL) {
            base_log_say ("%s", error->message);
            return 2;
        }
        if (!may_start (options, saved)) {
            return 2;
        }
        session_saved_accept (saved); /* exactly the content that was shown */
        start = session_saved_get_options (saved);
        g_ptr_array_insert (options->lines, 0,
                            g_strdup_printf ("e:load %s", options->words[0]));
    }
    if (!session_start (session, &start, &error)) {
        base_log_say ("%s", error->message);
        command_terminal_fail_start (session, &terminal, error->message);
        return g_error_matches (error, BASE_ERROR, BASE_ERROR_INVALID) ? 2 : 3;
    }
    script_install (launch_find_program);
    status = command_terminal_run (session, &terminal);
    script_end ();
    return status;
}

static int
run_measured (const ProgramOptions *options)
{
    g_autoptr (Session) session = NULL;
    g_autoptr (GError) error = NULL;
    g_autofree char *archive_program = launch_find_program ("pddt-archive", &error);
    CommandMeasureOptions measure = {
        .start = { .argv = options->words[0] != NULL ? (const char *const *) options->words
                                                     : NULL,
                   .is_measured = TRUE,
                   .rate = options->rate_hz,
                   .metrics = options->metric_set,
                   .timeout_s = options->timeout_s,
                   .attach = options->attach,
                   .attach_job = options->attach_job,
                   .attach_ranks = options->attach_ranks },
        .is_sampled = options->profile || !options->trace,
        .is_traced = options->trace,
        .trace = { options->filter, options->functions, options->c_functions, options->memory,
                   options->native_memory, options->when_full, options->buffer_size },
        .output = options->output,
        .duration_ms = options->duration_ms,
        .archive_program = archive_program,
        .outputs = { options->reports, options->exports },
    };
    int status;

    if (!program_options_has_subject (options)) {
        base_log_say ("nothing to measure: run pddt --profile COMMAND [ARG…]");
        return 2;
    }
    if (archive_program == NULL) {
        base_log_say ("%s", error->message);
        return 3;
    }
    session = session_new ();
    status = command_measure_run (session, &measure);
    if (g_getenv ("PDDT_SUBMITTED") != NULL && options->output != NULL
        && profile_archive_is (options->output)
        && !session_measured_note (options->output, measure.start.argv, &error)) {
        base_log_say ("%s", error->message);
    }
    return status;
}

/* --score FOLDER */
static int
run_score (const ProgramOptions *options)
{
    g_autoptr (GError) error = NULL;
    g_autofree char *archive_program = launch_find_program ("pddt-archive", &error);

    if (archive_program == NULL) {
        base_log_say ("%s", error->message);
        return 3;
    }
    if (options->words[0] == NULL || options->words[1] != NULL) {
        base_log_say ("--score needs the folder of one archive");
        return 2;
    }
    return command_measure_print_score (archive_program, options->words[0]);
}

static int
run_editor (const ProgramOptions *options)
{
#if PDDT_HAS_DAP
    const DapOptions dap = { .socket = options->socket,
                             .version = PDDT_VERSION,
                             .keep = options->keep,
                             .timeout_s = options->timeout_s };

    script_install (launch_find_program);
    return dap_run (&dap);
#else
    base_log_say (
        "this build of pddt has no --dap: it was built without the library jansson (Debian: libjansson-dev)");
    return 3;
#endif
}

static int
run_measured_there (const ProgramOptions *options, char **argv)
{
    g_autofree char *archive = NULL;
    int status = program_measure_there (options, argv, &archive), shown;

    if (archive == NULL) {
        return status != 0 ? status : 3;
    }
    base_log_say ("the archive is in %s", archive);
    shown = show_measured (options, argv[0], archive, FALSE);
    return status != 0 ? status : shown;
}

static gboolean
connect_to_submit (const ProgramOptions *options)
{
    g_autoptr (GError) error = NULL;
    gboolean ok = options->remote == NULL
                  || program_connect (options, &(ProgramWay){ .release = PDDT_VERSION },
                                      &error);

    if (!ok) {
        base_log_say ("%s", error->message);
    }
    return ok;
}

/* Submits, and goes on with the job that waits then, if there is one. */
static int
run_submitted (ProgramOptions *options, char **argv, gboolean wants_terminal)
{
    g_autoptr (GPtrArray) words = g_ptr_array_new ();
    g_autofree char *archive = NULL;
    gboolean is_taken;
    int status;

    if (!connect_to_submit (options)) {
        return 3;
    }
    is_taken = program_submit (options, argv, &archive, &status);
    session_remote_disconnect ();
    if (!is_taken) {
        return archive != NULL
                   ? show_measured (options, argv[0], archive, options->remote == NULL)
                   : status;
    }
    g_ptr_array_add (words, argv[0]);
    if (options->remote != NULL) {
        g_ptr_array_add (words, (char *) "--remote");
        g_ptr_array_add (words, (char *) options->remote);
    }
    if (options->remote_program != NULL) {
        g_ptr_array_add (words, (char *) "--remote-program");
        g_ptr_array_add (words, (char *) options->remote_program);
    }
    g_ptr_array_add (words, (char *) "--take");
    g_ptr_array_add (words, (char *) options->take);
    g_ptr_array_add (words, NULL);
    if (!wants_terminal && has_display ()) {
        exec_window ((char **) words->pdata);
    }
    options->interactive |= options->lines->len == 0;
    return run_terminal (options);
}

static int
run (ProgramOptions *options, char **argv)
{
    gboolean has_list = options->lines->len > 0;
    gboolean wants_terminal = options->cli || options->json || options->interactive || has_list;

    if (options->submit == NULL && options->finalize == NULL
        && program_options_is_archive (options) && options->words[1] == NULL && !wants_terminal
        && options->reports->len + options->exports->len == 0 && has_display ()) {
        exec_window (argv);
    }
    if (options->submit != NULL) {
        return run_submitted (options, argv, wants_terminal);
    }
    if (options->connect) {
        return program_connect_wait (options, PDDT_VERSION);
    }
    if (options->decline != NULL) {
        return program_connect_decline (options, PDDT_VERSION);
    }
    if (options->dap) {
        return run_editor (options);
    }
    if (options->doctor) {
        return program_doctor_run (options->words);
    }
    if (options->score) {
        return run_score (options);
    }
    if (options->trace_settings != NULL) {
        return command_measure_print_settings (options->trace_settings);
    }
    if (options->finalize != NULL || program_options_is_archive (options)) {
        return run_archive (options);
    }
    if (program_options_measures (options)) {
        return options->remote != NULL ? run_measured_there (options, argv)
                                       : run_measured (options);
    }
    if (!wants_terminal) {
        if (has_display ()) {
            exec_window (argv);
        }
        if (program_options_has_subject (options) && isatty (STDIN_FILENO)) {
            base_log_say ("%s, using the command language", why_no_window ());
        }
    }
    if (options->choose != NULL) {
        base_log_say (
            "--choose needs a display; give --attach-job PID, --attach PID or --core FILE");
        return 2;
    }
    if (!program_options_has_subject (options) && wants_terminal && options->remote == NULL) {
        int status;

        if (!program_connect_choose (options, &status)) {
            return status;
        }
    }
    if (!program_options_has_subject (options) && options->remote == NULL) {
        base_log_say (
            "nothing to debug: run pddt [OPTION…] COMMAND [ARG…]; pddt --help lists the options");
        return 2;
    }
    /* A pipe may command pddt, but only where that was asked for: a job that a script starts must not
     * take the script's own input for commands. */
    if (!has_list && !isatty (STDIN_FILENO) && !options->interactive && !options->json
        && !options->cli) {
        base_log_say (
            "%s, no terminal and no -e: pddt has nothing to read commands from; give -e "
            "COMMAND or -x FILE, or --cli to read commands from standard input",
            why_no_window ());
        return 2;
    }
    options->interactive |= !has_list;
    return run_terminal (options);
}

int
main (int argc, char **argv)
{
    ProgramOptions options;
    g_autofree char *complaint = NULL;
    int status;

#if PDDT_HAS_DAP
    if (argc == 3 && strcmp (argv[1], DAP_TERMINAL_OPTION) == 0) { /* no option for users */
        return dap_terminal_serve (argv[2]);
    }
#endif
    base_inherited_note ();
    base_limits_catch_size ();
    base_home_settle ();
    setlocale (LC_CTYPE, "");
    g_set_prgname ("pddt");
    base_log_init ("pddt", NULL);
    if (!program_options_parse (&options, argv, &complaint)) {
        base_log_say ("%s", complaint);
        status = 2;
    } else if (options.help) {
        g_autofree char *table = program_options_format_usage ();

        status = printf ("%s%s%s", usage, table, usage_end) < 0;
    } else if (options.version) {
        status = printf ("pddt %s\n", PDDT_VERSION) < 0;
    } else if (options.reference) {
        g_autofree char *text = command_format_reference ();

        status = fputs (text, stdout) < 0;
    } else if (options.completion != NULL) {
        g_autofree char *text = program_completion_format (options.completion);

        status = text == NULL ? 2 : fputs (text, stdout) < 0;
        if (text == NULL) {
            base_log_say ("--print-completion knows bash and zsh");
        }
    } else {
        if (options.carry) {
            launch_parcel_want ();
        }
        status = options.serve ? run_server (&options, argv[0]) : run (&options, argv);
        session_remote_disconnect ();
    }
    program_options_clear (&options);
    return status;
}
