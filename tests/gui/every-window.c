/* SPDX-License-Identifier: GPL-3.0-or-later */
/* every-window FILE [FOLDER]: opens every window, dialog, page and menu on a job that does not exist
 * (script.h) and looks at each: a control that screen readers have no name for, a text that is cut
 * and nowhere told whole, a page that cannot be reached, a button too small to hit, a window wider
 * than a small screen. With a folder, pictures of them. Language, theme, scale and TEXT_DPI
 * are the environment's. */
#include "base/words.h"
#include "gui/application.h"
#include "gui/arrays/array-window.h"
#include "gui/arrays/array-length.h"
#include "gui/compare/compare-window.h"
#include "gui/console/closing-dialog.h"
#include "gui/chart/selection-bar.h"
#include "gui/dialogs/askpass-dialog.h"
#include "gui/dialogs/living-dialog.h"
#include "gui/dialogs/queue-window.h"
#include "gui/dialogs/run-dialog.h"
#include "gui/kit/manual-window.h"
#include "gui/profile/measure-lines.h"
#include "gui/profile/profile-window.h"
#include "gui/group/group-window.h"
#include "gui/kit/settings.h"
#include "gui/kit/theme.h"
#include "session/sources.h"
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include "look.h"
#include "profile-sample.h"

enum { N_RANKS = 16 };

static GtkWidget *
find_newest_window (GList *before)
{
    g_autoptr (GList) now = gtk_window_list_toplevels ();

    for (GList *link = now; link != NULL; link = link->next) {
        if (gtk_widget_get_mapped (link->data) && g_list_find (before, link->data) == NULL
            && gtk_window_get_window_type (link->data) == GTK_WINDOW_TOPLEVEL) {
            return link->data;
        }
    }
    return NULL;
}

/* Runs the function and returns the window that it has opened. */
static GtkWidget *
open_by (void (*act) (gpointer user), gpointer user, const char *what)
{
    g_autoptr (GList) before = gtk_window_list_toplevels ();
    GtkWidget *window;

    act (user);
    look_settle ();
    window = find_newest_window (before);
    if (window == NULL) {
        g_error ("%s opens no window", what);
    }
    return window;
}

static void
type_line (GtkWidget *window, const char *line)
{
    GtkWidget *entry = look_find (window, "command");

    gtk_entry_set_text (GTK_ENTRY (entry), line);
    gtk_widget_activate (entry);
    look_settle ();
}

static void
act (GtkWidget *window, const char *action)
{
    g_action_group_activate_action (G_ACTION_GROUP (window), action, NULL);
    look_settle ();
}

static gboolean
has_source (GtkWidget *window)
{
    g_autoptr (GPtrArray) views = look_find_all (window, GTK_TYPE_TEXT_VIEW);

    for (guint i = 0; i < views->len; i++) {
        GtkTextBuffer *buffer = gtk_text_view_get_buffer (views->pdata[i]);

        if (!gtk_text_view_get_editable (views->pdata[i])
            && gtk_text_buffer_get_line_count (buffer) > 20) {
            return TRUE;
        }
    }
    return FALSE;
}

static void
close_window (GtkWidget *window)
{
    gtk_widget_destroy (window);
    look_settle ();
}

static void
happen (Tour *tour)
{
    static const char *const lines[] = {
        "state 0-9 breakpoint work 20",
        "state 6 stopped main 10",
        "state 10-11 running work 20",
        "state 12 blocked work 23",
        "state 13 signal work 23 SIGFPE",
        "state 14 exited main 14",
        "state 15 failed main 14",
        "output 0-3 residual 0.125",
        "output 5 a line that is longer than most of the lines that programs like this one write",
        "message 1 no debug information in libheat.so: its functions are shown without lines",
    };

    for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
        script_play (tour->script, lines[i]);
    }
}

/* What each rank writes at the third breakpoint, a residual that falls. */
static void
write_logs (Tour *tour)
{
    for (guint step = 1; step <= 20; step++) {
        for (guint rank = 0; rank < 10; rank++) {
            g_autofree char *line = g_strdup_printf ("log %u 3 residual %.4f after %u steps",
                                                     rank,
                                                     exp (-0.2 * step) * (1 + 0.3 * (rank % 4)),
                                                     step);

            script_play (tour->script, line);
        }
    }
}

static void
visit_console (Tour *tour, GtkWidget *console)
{
    g_autoptr (JobRankSet) some = job_rank_set_new_range (2, 9);

    look_at (tour, console, "console", "fresh");
    look_at_pages (tour, console, "console-fresh");
    happen (tour);
    type_line (console, "break sample.c:10");
    type_line (console, "on 3-5 break sample.c:23 if i > 3 every 2");
    type_line (console, "break sample.c:20 log \"residual {r} after {n} steps\"");
    write_logs (tour);
    type_line (console, "set left = 0-7");
    type_line (console, "live set bad = signal,failed");
    type_line (console, "show state");
    act (console, "queue");
    look_at (tour, console, "console", NULL);
    look_at_pages (tour, console, "console");
    g_signal_emit_by_name (look_find (console, "chart"), "set-chosen", some, GUI_SELECT_ONLY);
    look_at (tour, console, "console", "selection");
    look_at_menus (tour, console, "console");
    script_play (tour->script,
                 "message 2 host node7 has been lost: its 4 ranks cannot be reached");
    look_at (tour, console, "console", "error");
}

static void
visit_comparison (Tour *tour, GtkWidget *group, const JobRankSet *ranks)
{
    Session *session = script_get_session (tour->script);
    g_autoptr (SessionSelection) selection = session_selection_new (session);
    GtkWidget *window;

    window = gui_compare_window_open (GTK_WINDOW (group), session, selection, ranks, 1, "rank");
    look_at (tour, window, "compare", NULL);
    look_at_pages (tour, window, "compare");
    close_window (window);
    window = gui_compare_window_open (GTK_WINDOW (group), session, selection, ranks, 1,
                                      "nothing?");
    look_at (tour, window, "compare", "no value");
    close_window (window);
}

static void
visit_group (Tour *tour, GtkWidget *console)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (0, 10);
    Session *session = script_get_session (tour->script);
    GtkWidget *group = gui_group_window_open (gtk_window_get_application (GTK_WINDOW (console)),
                                              session, ranks, "Workers");
    SessionSavedWindow *saved = gui_group_window_dup_saved (GUI_GROUP_WINDOW (group));
    GtkWidget *array;

    look_await ("the source", has_source, group);
    g_strfreev (saved->watches);
    saved->watches = g_strsplit ("step nothing?", " ", -1);
    gui_group_window_restore (GUI_GROUP_WINDOW (group), saved);
    look_at (tour, group, "group", NULL);
    look_at_pages (tour, group, "group");
    look_at_menus (tour, group, "group");
    act (group, "find");
    look_at (tour, group, "group", "find");
    act (group, "open");
    look_at (tour, group, "group", "open");
    act (group, "go-to-line");
    look_at (tour, group, "group", "go-to-line");
    array = gui_array_window_open (GTK_WINDOW (group), session, NULL, ranks, 1, "grid");
    look_at (tour, array, "array", NULL);
    look_at_pages (tour, array, "array");
    close_window (array);
    array = gui_array_window_open (GTK_WINDOW (group), session, NULL, ranks, 1, "");
    look_at (tour, array, "array", "empty");
    close_window (array);
    visit_comparison (tour, group, ranks);
    close_window (group);
}

/* A page after the other, first as it opens, then with something selected. */
static void
visit_performance (Tour *tour, GtkWidget *console)
{
    ProfileModel *model = profile_sample_new (N_RANKS, 400, 40, tour->examples);
    GtkWidget *window
        = gui_profile_window_new (gtk_window_get_application (GTK_WINDOW (console)), model,
                                  "heat");
    const JobContextTree *tree = profile_model_get_contexts (model);

    profile_sample_add_messages (model, N_RANKS, tour->examples);
    gui_profile_selection_update (
        gui_profile_window_get_selection (GUI_PROFILE_WINDOW (window)));
    gtk_window_present (GTK_WINDOW (window));
    look_at (tour, window, "performance", NULL);
    look_at_pages (tour, window, "performance");
    for (guint32 i = 1; i <= job_context_tree_get_count (tree); i++) {
        if (g_strcmp0 (job_context_tree_get (tree, i)->location.function, "heat_step") == 0) {
            gui_profile_selection_set_context (
                gui_profile_window_get_selection (GUI_PROFILE_WINDOW (window)), i);
        }
    }
    look_at_pages (tour, window, "performance-selected");
    look_at_menus (tour, window, "performance");
    close_window (window);
}

static void
open_keys (gpointer console)
{
    act (console, "keys");
}

static void
open_by_application (gpointer action)
{
    g_action_group_activate_action (G_ACTION_GROUP (g_application_get_default ()), action,
                                    NULL);
}

static void
open_attach (gpointer run)
{
    gui_run_dialog_choose (run, "attach");
}

static void
open_cores (gpointer run)
{
    gui_run_dialog_choose (run, "core");
}

static void
open_measure_lines (gpointer console)
{
    gui_measure_lines_open (console, "pddt", "solve", "mpirun -np 8 python3 app.py");
}

static void
open_manual (gpointer console)
{
    g_autofree char *folder = g_path_get_dirname (g_getenv ("GSETTINGS_SCHEMA_DIR"));
    g_autofree char *page = g_build_filename (folder, "doc", "windows.html", NULL);

    gui_manual_window_open (console, page);
}

static void
open_array_length (gpointer console)
{
    gtk_window_present (g_object_new (GUI_TYPE_ARRAY_LENGTH, "transient-for", console,
                                      "expression", "cells", NULL));
}

static void
visit_dialogs (Tour *tour, GtkWidget *console)
{
    static const char *const actions[] = { "preferences", "about" };
    GtkWidget *window = open_by (open_keys, console, "keys"), *run;

    look_at (tour, window, "keys", NULL);
    close_window (window);
    for (guint i = 0; i < G_N_ELEMENTS (actions); i++) {
        window = open_by (open_by_application, (gpointer) actions[i], actions[i]);
        look_at (tour, window, actions[i], NULL);
        look_at_pages (tour, window, actions[i]);
        close_window (window);
    }
    run = open_by (open_by_application, "new-session", "new-session");
    look_at (tour, run, "run", NULL);
    gtk_entry_set_text (GTK_ENTRY (look_find (run, "program")), "/nonexistent/program.py");
    look_at (tour, run, "run", "problem");
    look_at_menus (tour, run, "run");
    window = open_by (open_attach, run, "attach");
    look_at (tour, window, "attach", NULL);
    close_window (window);
    window = open_by (open_cores, run, "core-files");
    look_at (tour, window, "core-files", NULL);
    close_window (window);
    close_window (run);
}

/* Before there is a session. */
static void
visit_living (Tour *tour)
{
    SessionLiving living[] = { { (char *) "0123456789abcdef", (char *) "me on laptop",
                                 (char *) "mpirun -np 64 ./application --with-a-long-option",
                                 FALSE, FALSE, 1, 64 },
                               { (char *) "0123456789abcdef", (char *) "me on desktop",
                                 (char *) "srun ./other", TRUE, FALSE, 1, 8 } };
    g_autoptr (GPtrArray) list = g_ptr_array_new ();

    for (guint i = 0; i < G_N_ELEMENTS (living); i++) {
        GtkWidget *window;

        g_ptr_array_add (list, &living[i]);
        window = gui_living_dialog_new (list, "login.cluster");
        gtk_window_present (GTK_WINDOW (window));
        look_at (tour, window, "living", i == 0 ? NULL : "several");
        close_window (window);
    }
}

/* New Session with a batch system, and a job that waits in it. */
static void
visit_queue (Tour *tour)
{
    static const char queues[]
        = "[0]\nId=slurm\nName=Slurm\n[0 0]\nName=nodes\nLabel=Nodes\nValue=1\n[0 1]\nName="
          "class\nLabel=Class\nValue=debug\nChoices=debug;long;\n[0 2]\nName=extra\nLabel="
          "Further lines\nValue=#SBATCH --mem=1G\nLines=true\n[0 3]\nName=time\nLabel=Time "
          "limit\nValue=soon\nPattern=[0-9:]+\n[1]\nId=site\nName=site\nProblem=others than "
          "you and root can write it\n";
    const SessionSubmitted submitted = { (char *) "slurm", (char *) "Slurm", (char *) "4711",
                                         (char *) "0" };
    g_autoptr (Session) session = session_new ();
    GtkWidget *window;

    session_start_scripted (session, 0, NULL, NULL);
    session_script_program (session, "/bin/app");
    session_script_queues (session, "list", queues);
    session_script_queues (session, "look",
                           "[Queue]\nState=1\nReason=Resources\nPlace=2\nWaiting=3\n");
    window = g_object_new (GUI_TYPE_RUN_DIALOG, "session", session, NULL);
    gtk_window_present (GTK_WINDOW (window));
    gtk_entry_set_text (GTK_ENTRY (look_find (window, "program")), "/bin/app");
    while (!gtk_widget_get_sensitive (look_find (window, "queue"))) {
        g_main_context_iteration (NULL, TRUE);
    }
    for (int i = 1; i <= 2; i++) {
        gtk_combo_box_set_active (GTK_COMBO_BOX (look_find (window, "queue")), i);
        g_assert_true (gtk_widget_get_visible (look_find (window, "queue-problem")));
        look_at (tour, window, "run", i == 1 ? "queue" : "queue-unusable");
    }
    close_window (window);
    window = gui_queue_window_new (GTK_APPLICATION (g_application_get_default ()), session,
                                   &submitted, "mpirun -np 8 ./app");
    gtk_window_present (GTK_WINDOW (window));
    look_at (tour, window, "queue", NULL);
    gtk_widget_destroy (window);
}

static void
visit_askpass (Tour *tour)
{
    static const char *const questions[] = {
        "(me@login) Verification code: ",
        "The authenticity of host 'login (192.0.2.1)' can't be established.\nED25519 key "
        "fingerprint is SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA.\nAre you sure you "
        "want to continue connecting (yes/no/[fingerprint])? "
    };

    for (guint i = 0; i < G_N_ELEMENTS (questions); i++) {
        GtkWidget *window = gui_askpass_dialog_new ("login", questions[i], NULL);

        gtk_window_present (GTK_WINDOW (window));
        look_at (tour, window, "askpass", i == 0 ? NULL : "key");
        close_window (window);
    }
}

/* What other windows open to ask for something. */
static void
visit_questions (Tour *tour, GtkWidget *console)
{
    static const struct {
        void (*open) (gpointer console);
        const char *name;
    } questions[] = {
        { open_measure_lines, "measure-lines" },
        { open_array_length, "array-length" },
        { open_manual, "manual" },
    };
    GtkWidget *window;

    for (guint i = 0; i < G_N_ELEMENTS (questions); i++) {
        window = open_by (questions[i].open, console, questions[i].name);
        look_at (tour, window, questions[i].name, NULL);
        close_window (window);
    }
    visit_living (tour);
    visit_queue (tour);
    visit_askpass (tour);
    window = gui_closing_dialog_new (GTK_WINDOW (console), script_get_session (tour->script));
    gtk_window_present (GTK_WINDOW (window));
    look_at (tour, window, "closing", NULL);
    close_window (window);
}

static gboolean
walk (gpointer user)
{
    Tour *tour = user;
    GtkWidget *console = find_newest_window (NULL);

    visit_console (tour, console);
    visit_group (tour, console);
    visit_performance (tour, console);
    visit_dialogs (tour, console);
    visit_questions (tour, console);
    printf ("%s 1 every window\n1..1\n# %u views, %u complaints\n",
            tour->n_bad == 0 ? "ok" : "not ok", tour->n_states, tour->n_bad);
    fflush (stdout);
    _Exit (tour->n_bad != 0);
    return G_SOURCE_REMOVE;
}

int
main (int argc, char **argv)
{
    g_autofree char *folder = NULL;
    Tour tour = { 0 };

    if (argc < 2) {
        fprintf (stderr, "every-window FILE [FOLDER]\n");
        return 2;
    }
    g_set_prgname ("pddt");
    setlocale (LC_ALL, "");
    setlocale (LC_NUMERIC, "C");
    base_words_init ("pddt", "/nonexistent");
    gui_settings_init ();
    if (!gui_theme_open_display ()) {
        return 77;
    }
    g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE,
                  "gtk-cursor-blink", FALSE, NULL);
    if (g_getenv ("TEXT_DPI") != NULL) {
        g_object_set (gtk_settings_get_default (), "gtk-xft-dpi",
                      (int) g_ascii_strtoll (g_getenv ("TEXT_DPI"), NULL, 10) * 1024, NULL);
    }
    tour.folder = argc > 2 ? argv[2] : NULL;
    tour.pending = g_ptr_array_new_with_free_func (g_free);
    tour.said = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    tour.script = script_new (N_RANKS, argv[1]);
    folder = g_path_get_dirname (argv[1]);
    tour.examples = g_build_filename (folder, "..", "..", "data", "examples", NULL);
    g_timeout_add_full (G_PRIORITY_LOW, 200, walk, &tour, NULL);
    return gui_application_run (script_get_session (tour.script), NULL, NULL);
}
