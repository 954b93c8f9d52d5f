/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window program: reads the options that concern the window, starts the session, and shows
 * it. Everything else on the line, and a display that cannot be opened, is pddt's. */
#include "base/words.h"
#include "base/error.h"
#include "base/inherited.h"
#include "base/home.h"
#include "base/limits.h"
#include "base/log.h"
#include "gui/application.h"
#include "gui/dialogs/askpass-dialog.h"
#include "gui/dialogs/connecting.h"
#include "gui/dialogs/living-dialog.h"
#include "gui/kit/settings.h"
#include "gui/kit/theme.h"
#include "launch/launch.h"
#include "programs/connect.h"
#include "programs/options.h"
#include "script/script.h"
#include "session/remote.h"
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <unistd.h>

#define DISPLAY_LIMIT_S 20 /* one of a host that does not answer */

/* Becomes pddt with the same words, for the command language where is_terminal; returns only when that
 * is not possible. */
static int
become_pddt (char **argv, gboolean is_terminal)
{
    g_autoptr (GError) error = NULL;
    g_autofree char *path = launch_find_program ("pddt", &error);
    g_autoptr (GPtrArray) words = g_ptr_array_new ();

    if (path == NULL) {
        fprintf (stderr, "pddt: %s\n", error->message);
        return 3;
    }
    g_ptr_array_add (words, (char *) "pddt");
    if (is_terminal) {
        g_ptr_array_add (words, (char *) "--cli");
    }
    for (guint i = 1; argv[i] != NULL; i++) {
        g_ptr_array_add (words, argv[i]);
    }
    g_ptr_array_add (words, NULL);
    execv (path, (char **) words->pdata);
    fprintf (stderr, "pddt: cannot run %s: %s\n", path, g_strerror (errno));
    return 3;
}

static int
do_without_display (char **argv)
{
    if (!isatty (STDIN_FILENO)) {
        fputs (
            "pddt: cannot open the display, and there is no terminal: give -e COMMAND or -x FILE, or "
            "--cli to read commands from standard input\n",
            stderr);
        return 2;
    }
    fputs ("pddt: cannot open the display, using the command language\n", stderr);
    return become_pddt (argv, TRUE);
}

/* FALSE: pddt must handle this option. */
static gboolean
is_for_window (const ProgramOptions *options)
{
    return !options->serve && !options->connect && options->decline == NULL
           && options->submit == NULL && !options->cli && !options->json
           && !options->interactive && !options->help && !options->version
           && !options->reference && options->completion == NULL && options->lines->len == 0
           && options->finalize == NULL && options->reports->len + options->exports->len == 0;
}

/* It may fail to open for all that. */
static gboolean
has_display (void)
{
    const char *x = g_getenv ("DISPLAY"), *wayland = g_getenv ("WAYLAND_DISPLAY");

    return (x != NULL && *x != '\0') || (wayland != NULL && *wayland != '\0');
}

/* An archive in the Performance window. */
static int
show_archive (const char *path)
{
    g_autoptr (GError) error = NULL;
    g_autofree char *program = launch_find_program ("pddt-archive", &error);
    g_autofree char *pddt = launch_find_program ("pddt", NULL);

    if (program == NULL) {
        fprintf (stderr, "pddt: %s\n", error->message);
        return 3;
    }
    session_measured_forget (path);
    return gui_application_run_archive (path, program, pddt);
}

/* Where it was not started from a terminal, nobody sees standard error. Returns the exit status. */
static int
say_unstarted (const GError *error, gboolean is_remote)
{
    GtkWidget *dialog;

    if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
        return 0; /* the user has ended it */
    }
    fprintf (stderr, "pddt: %s\n", error->message);
    if (is_remote && !isatty (STDIN_FILENO)) {
        gui_theme_init ();
        dialog = gtk_message_dialog_new (NULL, 0, GTK_MESSAGE_ERROR, GTK_BUTTONS_CLOSE, "%s",
                                         error->message);
        gtk_window_set_title (GTK_WINDOW (dialog), "pddt");
        gtk_dialog_run (GTK_DIALOG (dialog));
        gtk_widget_destroy (dialog);
    }
    return g_error_matches (error, BASE_ERROR, BASE_ERROR_INVALID) ? 2 : 3;
}

typedef struct {
    const ProgramOptions *options;
    int status; /* when it cannot */
} Start;

static gboolean
start (Session *session, gpointer user)
{
    Start *begun = user;
    const ProgramOptions *options = begun->options;
    g_autoptr (GPtrArray) owner = g_ptr_array_new_with_free_func (g_free);
    g_autoptr (GError) error = NULL;
    SessionOptions wanted = {
        .argv = (const char *const *) options->words,
        .stop_at = options->stop_at,
        .input_ranks = options->input,
        .timeout_s = options->timeout_s,
        .keep = options->keep,
        .carry = options->carry,
        .is_patient = TRUE,
        .attach = options->attach,
        .attach_job = options->attach_job,
        .attach_ranks = options->attach_ranks,
        .cores = options->cores->len > 0 ? (const char *const *) options->cores->pdata : NULL,
    };
    gboolean is_started;

    program_connect_fill (&wanted, owner);
    program_connect_find_living (&wanted, owner);
    is_started = session_start (session, &wanted, &error);
    gui_connecting_end ();
    if (!is_started) {
        begun->status = say_unstarted (error, options->remote != NULL);
    }
    return is_started;
}

/* There is a session to be taken over. */
static gboolean
lives (void)
{
    g_autoptr (GPtrArray) owner = g_ptr_array_new_with_free_func (g_free);
    SessionOptions unused;

    return session_remote_find_living (0, &unused, owner);
}

/* What can be done meanwhile is done at first. */
static gboolean
wait_for_host (const char *host, guint waited_ms)
{
    gui_application_make_window ();
    return gui_connecting_wait (host, waited_ms);
}

static SessionLivingChoice
choose (const GPtrArray *living, const char *host, guint *ret_index, gpointer user)
{
    gui_connecting_end ();
    return gui_living_dialog_choose (living, host, ret_index, user);
}

/* Takes a question of ssh's to the user. */
static int
answer_ssh (const char *host, const char *question)
{
    gui_settings_init ();
    gtk_disable_setlocale ();
    if (!gui_theme_open_display ()) {
        return 1;
    }
    gui_theme_init ();
    return gui_askpass_dialog_run (host, question, g_getenv ("SSH_ASKPASS_PROMPT"));
}

/* What goes on while the display is opened. */
static void
begin (const ProgramOptions *options, const ProgramWay *way, GError **error)
{
    if (program_options_is_archive (options)) {
        return;
    }
    if (options->remote != NULL && has_display ()) {
        program_connect_begin (options, way, error);
    } else if (options->remote == NULL && options->words[0] != NULL
               && !program_options_is_saved (options)) {
        session_begin_questions ((const char *const *) options->words);
    }
}

/* *error may be set already. *ret_archive: of a measured job, which --take names; NULL: none. Caller owns. */
static gboolean
connect_there (const ProgramOptions *options, const ProgramWay *way, char **ret_archive,
               GError **error)
{
    gboolean ok = *error == NULL && program_connect (options, way, error);

    gui_connecting_end ();
    ok = ok && program_connect_bring (options, gui_connecting_wait_archive, ret_archive, error);
    gui_connecting_end ();
    return ok;
}

int
main (int argc, char **argv)
{
    ProgramOptions options;
    g_autofree char *complaint = NULL, *archive = NULL,
                    *self = g_file_read_link ("/proc/self/exe", NULL);
    g_autoptr (Session) session = NULL;
    g_autoptr (GError) error = NULL;
    const ProgramWay way = { .release = PDDT_VERSION,
                             .choose = choose,
                             .wait = wait_for_host,
                             .askpass = self,
                             .starts_at_once = TRUE };
    const char *saved = NULL, *asked_for = g_getenv ("PDDT_ASKPASS");
    Start begun = { .options = &options };
    gboolean is_far = FALSE;
    int status = 0;

    base_inherited_note ();
    base_limits_catch_size ();
    base_home_settle ();
    setlocale (LC_ALL, "");
    setlocale (LC_NUMERIC, "C"); /* numbers look the same as in the source */
    base_words_init (GETTEXT_PACKAGE, PDDT_LOCALE_DIR);
    g_set_prgname ("pddt");
    base_log_init ("pddt-window", NULL);
    if (asked_for != NULL && argc == 2) { /* as ssh starts it, which this program has started */
        return answer_ssh (asked_for, argv[1]);
    }
    if (!program_options_parse (&options, argv, &complaint) || !is_for_window (&options)) {
        return become_pddt (argv, FALSE);
    }
    /* pddt asks whether the display can be opened, and gets no other answer. */
    if (options.doctor) {
        alarm (DISPLAY_LIMIT_S);
        return gui_theme_open_display () ? 0 : 1;
    }
    if (options.carry) {
        launch_parcel_want ();
    }
    begin (&options, &way, &error);
    gui_settings_init ();
    gtk_disable_setlocale ();
    if (!gui_theme_open_display ()) {
        session_remote_disconnect ();
        return program_options_is_archive (&options) ? become_pddt (argv, TRUE)
                                                     : do_without_display (argv);
    }
    if (!connect_there (&options, &way, &archive, &error)) {
        return say_unstarted (error, TRUE);
    }
    if (archive != NULL || program_options_is_archive (&options)) {
        session_remote_disconnect ();
        status = show_archive (archive != NULL ? archive : options.words[0]);
        program_options_clear (&options);
        return status;
    }
    if (program_options_is_saved (&options)) {
        saved = options.words[0];
    } else if (program_options_has_subject (&options) || lives ()) {
        session = session_new ();
        is_far = options.remote != NULL && options.words[0] != NULL;
        if (!is_far && !start (session, &begun)) {
            return begun.status;
        }
    }
    script_install (launch_find_program);
    status = is_far ? gui_application_run_started (session, start, &begun)
                    : gui_application_run (session, saved, options.choose);
    script_end ();
    program_options_clear (&options);
    status = status != 0                                                ? status
             : session != NULL && session_get_failure (session) != NULL ? 3
                                                                        : begun.status;
    g_clear_object (&session);
    session_remote_disconnect ();
    return status;
}
