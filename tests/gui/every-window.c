/* SPDX-License-Identifier: GPL-3.0-or-later */
/* every-window FILE [FOLDER]: opens every window, dialog, page and menu on a job that does not exist
 * (script.h) and looks at each: a control that screen readers have no name for, a text that is cut
 * and nowhere told whole, a page that cannot be reached, a button too small to hit, a window wider
 * than a small screen. With a folder, pictures of them. Language, theme, scale and TEXT_DPI
 * are the environment's. */
#include "gui/application.h"
#include "gui/arrays/array-window.h"
#include "gui/compare/compare-window.h"
#include "gui/chart/selection-bar.h"
#include "gui/dialogs/run-dialog.h"
#include "gui/profile/profile-window.h"
#include "gui/group/group-window.h"
#include "gui/kit/settings.h"
#include "gui/kit/theme.h"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "profile-sample.h"
#include "script.h"

enum {
    N_RANKS = 16,
    MAX_WIDTH = 1280,
    MAX_HEIGHT = 800,
    MIN_TARGET = 20,
    QUIET_MS = 15,
    N_QUIET = 2,
    MAX_SETTLE = 60,
    LIMIT_S = 120,
    MAX_STOPS = 200,
    MAX_TWICE = 12
};

typedef struct {
    Script *script;
    const char *folder;
    /* complaints that were made, so that each is made once, in whatever window */
    GHashTable *said;
    GPtrArray *pending; /* of char*: complaints of the current inspection */
    char *examples;     /* folder */
    char *state;        /* the name of what is being inspected */
    guint n_states, n_bad;
} Tour;

/* ---- the main loop, until everything that was begun is shown ---- */

static gboolean
count_quiet (gpointer count)
{
    ++*(guint *) count;
    return G_SOURCE_CONTINUE;
}

static void
settle (void)
{
    guint count = 0, source = g_timeout_add_full (G_PRIORITY_LOW + 100, QUIET_MS, count_quiet,
                                                  &count, NULL);

    while (count < N_QUIET) {
        gtk_main_iteration ();
    }
    g_source_remove (source);
}

static gboolean
fail_late (gpointer what)
{
    g_error ("waited %d s for %s", LIMIT_S, (const char *) what);
    return G_SOURCE_REMOVE;
}

static void
await (const char *what, gboolean (*is_so) (GtkWidget *widget), GtkWidget *widget)
{
    guint limit = g_timeout_add_seconds (LIMIT_S, fail_late, (gpointer) what);

    while (!is_so (widget)) {
        gtk_main_iteration ();
    }
    g_source_remove (limit);
    settle ();
}

/* ---- finding ---- */

typedef struct {
    const char *id;
    GType type;
    GPtrArray *found;
} Search;

static void
search (GtkWidget *widget, gpointer user)
{
    Search *wanted = user;

    if (!gtk_widget_get_visible (widget)) {
        return;
    }
    if (wanted->id != NULL) {
        const char *id = atk_object_get_accessible_id (gtk_widget_get_accessible (widget));

        if (g_strcmp0 (id, wanted->id) == 0) {
            g_ptr_array_add (wanted->found, widget);
        }
    } else if (g_type_is_a (G_OBJECT_TYPE (widget), wanted->type)) {
        g_ptr_array_add (wanted->found, widget);
    }
    if (GTK_IS_CONTAINER (widget)) {
        gtk_container_forall (GTK_CONTAINER (widget), search, user);
    }
}

static GPtrArray *
find_all (GtkWidget *root, GType type)
{
    Search wanted = { .type = type, .found = g_ptr_array_new () };

    search (root, &wanted);
    return wanted.found;
}

static GtkWidget *
find (GtkWidget *root, const char *id)
{
    g_autoptr (GPtrArray) found = g_ptr_array_new ();
    Search wanted = { .id = id, .found = found };

    search (root, &wanted);
    if (found->len == 0) {
        g_error ("there is no \"%s\" in %s", id, gtk_window_get_title (GTK_WINDOW (root)));
    }
    return found->pdata[0];
}

/* ---- inspecting ---- */

static void complain (Tour *tour, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
complain (Tour *tour, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list list;

    va_start (list, format);
    text = g_strdup_vprintf (format, list);
    va_end (list);
    g_ptr_array_add (tour->pending, g_steal_pointer (&text));
}

static void
say_pending (Tour *tour)
{
    for (guint i = 0; i < tour->pending->len; i++) {
        if (!g_hash_table_contains (tour->said, tour->pending->pdata[i])) {
            printf ("# %s: %s\n", tour->state, (const char *) tour->pending->pdata[i]);
            g_hash_table_add (tour->said, g_strdup (tour->pending->pdata[i]));
            tour->n_bad++;
        }
    }
    g_ptr_array_set_size (tour->pending, 0);
}

/* Containers that the focus only passes through, and parts that speak with their owner's name. */
static gboolean
needs_no_name (GtkWidget *widget)
{
    GtkWidget *parent = gtk_widget_get_parent (widget);

    return GTK_IS_SCROLLED_WINDOW (widget) || GTK_IS_VIEWPORT (widget) || GTK_IS_WINDOW (widget)
           || GTK_IS_NOTEBOOK (widget) || GTK_IS_PANED (widget)
           || GTK_IS_FLOW_BOX_CHILD (widget) || GTK_IS_LIST_BOX_ROW (widget)
           || GTK_IS_POPOVER (widget) || GTK_IS_MENU_SHELL (widget) || GTK_IS_FLOW_BOX (widget)
           || (GTK_IS_LABEL (widget) && *gtk_label_get_text (GTK_LABEL (widget)) == '\0')
           || (parent != NULL && gtk_widget_get_ancestor (parent, GTK_TYPE_COMBO_BOX) != NULL
               && !GTK_IS_ENTRY (widget))
           || (GTK_IS_BUTTON (widget) && GTK_IS_TREE_VIEW (parent)); /* a column's head */
}

static void
check_name (Tour *tour, GtkWidget *widget)
{
    AtkObject *object = gtk_widget_get_accessible (widget);
    const char *name = atk_object_get_name (object);
    const char *id = atk_object_get_accessible_id (object);
    g_autoptr (AtkRelationSet) relations = NULL;

    if (!gtk_widget_get_can_focus (widget) || needs_no_name (widget)) {
        return;
    }
    relations = atk_object_ref_relation_set (object);
    if ((name == NULL || *name == '\0')
        && !atk_relation_set_contains (relations, ATK_RELATION_LABELLED_BY)) {
        complain (tour, "no name for a %s \"%s\" in a %s", G_OBJECT_TYPE_NAME (widget),
                  id != NULL ? id : "", G_OBJECT_TYPE_NAME (gtk_widget_get_parent (widget)));
    }
}

/* The tooltip of a button names its shortcut as this user's keyboard does. */
static void
check_shortcut (Tour *tour, GtkWidget *widget)
{
    const char *action = gtk_actionable_get_action_name (GTK_ACTIONABLE (widget));
    g_autofree char *tip = gtk_widget_get_tooltip_text (widget), *label = NULL;
    g_auto (GStrv) keys = NULL;
    GdkModifierType modifiers;
    guint key;

    if (action == NULL) {
        return;
    }
    keys
        = gtk_application_get_accels_for_action (GTK_APPLICATION (g_application_get_default ()),
                                                 action);
    if (keys[0] == NULL) {
        return;
    }
    gtk_accelerator_parse (keys[0], &key, &modifiers);
    label = gtk_accelerator_get_label (key, modifiers);
    if (tip == NULL || strstr (tip, label) == NULL) {
        complain (tour, "the button for %s has the tooltip \"%s\", without %s", action,
                  tip != NULL ? tip : "", label);
    }
}

static gboolean
is_told_whole (GtkWidget *widget)
{
    for (GtkWidget *at = widget; at != NULL && !GTK_IS_WINDOW (at);
         at = gtk_widget_get_parent (at)) {
        if (gtk_widget_get_has_tooltip (at)) {
            return TRUE;
        }
    }
    return FALSE;
}

static void
check_label (Tour *tour, GtkWidget *widget)
{
    GtkLabel *label = GTK_LABEL (widget);
    PangoLayout *layout = gtk_label_get_layout (label);
    int width, height, given = gtk_widget_get_allocated_width (widget);

    if (pango_layout_is_ellipsized (layout)) {
        if (!is_told_whole (widget)) {
            complain (tour, "cut: \"%s\"", gtk_label_get_text (label));
        }
        return;
    }
    pango_layout_get_pixel_size (layout, &width, &height);
    if (!gtk_label_get_line_wrap (label) && width > given + 1) {
        complain (tour, "clipped, %d of %d: \"%s\"", given, width, gtk_label_get_text (label));
    }
    if (pango_layout_get_unknown_glyphs_count (layout) > 0) {
        complain (tour, "no glyphs for \"%s\"", gtk_label_get_text (label));
    }
}

static void
check_pages (Tour *tour, GtkNotebook *notebook)
{
    for (int i = 0; i < gtk_notebook_get_n_pages (notebook); i++) {
        GtkWidget *label = gtk_notebook_get_tab_label (notebook,
                                                       gtk_notebook_get_nth_page (notebook, i));

        if (gtk_notebook_get_show_tabs (notebook) && gtk_widget_get_visible (label)
            && !gtk_widget_get_child_visible (label)) {
            complain (tour, "no room for the tab \"%s\"",
                      GTK_IS_LABEL (label) ? gtk_label_get_text (GTK_LABEL (label))
                                           : G_OBJECT_TYPE_NAME (label));
        }
    }
}

static void
check (GtkWidget *widget, gpointer user)
{
    Tour *tour = user;

    if (!gtk_widget_get_mapped (widget)) {
        return;
    }
    check_name (tour, widget);
    if (GTK_IS_BUTTON (widget) && !GTK_IS_MODEL_BUTTON (widget)) { /* those show it beside */
        check_shortcut (tour, widget);
    }
    if (GTK_IS_LABEL (widget)) {
        check_label (tour, widget);
    } else if (GTK_IS_NOTEBOOK (widget)) {
        check_pages (tour, GTK_NOTEBOOK (widget));
    } else if (GTK_IS_BUTTON (widget) && gtk_widget_get_allocated_width (widget) > 1
               && MIN (gtk_widget_get_allocated_width (widget),
                       gtk_widget_get_allocated_height (widget))
                      < MIN_TARGET) {
        complain (tour, "too small to hit: %s \"%s\", %d x %d", G_OBJECT_TYPE_NAME (widget),
                  gtk_button_get_label (GTK_BUTTON (widget)),
                  gtk_widget_get_allocated_width (widget),
                  gtk_widget_get_allocated_height (widget));
    }
    if (GTK_IS_CONTAINER (widget)) {
        gtk_container_forall (GTK_CONTAINER (widget), check, tour);
    }
}

static gboolean
is_equal (GdkPixbuf *one, GdkPixbuf *other)
{
    return one != NULL && gdk_pixbuf_get_byte_length (one) == gdk_pixbuf_get_byte_length (other)
           && memcmp (gdk_pixbuf_read_pixels (one), gdk_pixbuf_read_pixels (other),
                      gdk_pixbuf_get_byte_length (one))
                  == 0;
}

/* Not painted yet: the screen is still black. */
static gboolean
is_blank (GdkPixbuf *picture)
{
    const guint8 *pixels = gdk_pixbuf_read_pixels (picture);
    gsize size = gdk_pixbuf_get_byte_length (picture);

    return size < 2 || memcmp (pixels, pixels + 1, size - 1) == 0;
}

/* The picture on the screen once two in a row are equal; for a menu, with the window behind
 * it. */
static void
take_picture (Tour *tour, GtkWidget *widget)
{
    GdkWindow *window = gtk_widget_get_window (gtk_widget_get_toplevel (widget));
    g_autoptr (GError) error = NULL;
    g_autoptr (GdkPixbuf) picture = NULL, last = NULL;
    g_autofree char *name = g_strdup_printf ("%s/%s.png", tour->folder, tour->state);

    for (guint i = 0;
         i < MAX_SETTLE && (picture == NULL || is_blank (picture) || !is_equal (last, picture));
         i++) {
        g_set_object (&last, picture);
        g_clear_object (&picture);
        settle ();
        picture = gdk_pixbuf_get_from_window (window, 0, 0, gdk_window_get_width (window),
                                              gdk_window_get_height (window));
    }
    if (!gdk_pixbuf_save (picture, name, "png", &error, NULL)) {
        g_error ("%s", error->message);
    }
}

/* A choice of one among several is a single stop of Tab; arrow keys do the rest. */
static gboolean
is_reached_otherwise (GtkWidget *widget, GHashTable *reached)
{
    GtkWidget *parent = gtk_widget_get_parent (widget);

    for (GSList *link = GTK_IS_RADIO_BUTTON (widget)
                            ? gtk_radio_button_get_group (GTK_RADIO_BUTTON (widget))
                            : NULL;
         link != NULL; link = link->next) {
        if (g_hash_table_contains (reached, link->data)) {
            return TRUE;
        }
    }
    return needs_no_name (widget) || GTK_IS_LABEL (widget) || GTK_IS_POPOVER (parent)
           || gtk_widget_get_ancestor (widget, GTK_TYPE_FLOW_BOX) != NULL
           || gtk_widget_get_ancestor (widget, GTK_TYPE_POPOVER) != NULL;
}

typedef struct {
    Tour *tour;
    GHashTable *reached;
} Reach;

static void
check_reached (GtkWidget *widget, gpointer user)
{
    Reach *reach = user;

    if (!gtk_widget_get_mapped (widget) || !gtk_widget_is_sensitive (widget)) {
        return;
    }
    if (gtk_widget_get_can_focus (widget) && !g_hash_table_contains (reach->reached, widget)
        && !is_reached_otherwise (widget, reach->reached)) {
        complain (reach->tour, "Tab never comes to a %s \"%s\"", G_OBJECT_TYPE_NAME (widget),
                  atk_object_get_name (gtk_widget_get_accessible (widget)));
    }
    if (GTK_IS_CONTAINER (widget)) {
        gtk_container_forall (GTK_CONTAINER (widget), check_reached, user);
    }
}

/* Tab must reach every control of a window. */
static void
check_keyboard (Tour *tour, GtkWidget *window)
{
    GtkWidget *before = gtk_window_get_focus (GTK_WINDOW (window));
    g_autoptr (GHashTable) reached = g_hash_table_new (NULL, NULL);
    Reach reach = { tour, reached };
    guint n_twice = 0;

    for (guint i = 0; i < MAX_STOPS && n_twice < MAX_TWICE; i++) {
        GtkWidget *focus;

        gtk_widget_child_focus (window, GTK_DIR_TAB_FORWARD);
        focus = gtk_window_get_focus (GTK_WINDOW (window));
        n_twice += focus == NULL || !g_hash_table_add (reached, focus);
    }
    check_reached (window, &reach);
    if (before != NULL) {
        gtk_widget_grab_focus (before);
    }
}

/* What is wrong with it, and still is when it had its time: columns find their widths and texts
 * their places in the frames that follow, which a busy machine is late with. */
static void
check_patiently (Tour *tour, GtkWidget *widget)
{
    for (guint i = 0; i < MAX_SETTLE; i++) {
        settle ();
        g_ptr_array_set_size (tour->pending, 0);
        check (widget, tour);
        if (GTK_IS_WINDOW (widget)) {
            check_keyboard (tour, widget);
        }
        if (tour->pending->len == 0) {
            return;
        }
    }
}

static void
look (Tour *tour, GtkWidget *widget, const char *name, const char *part)
{
    int width, height;
    GdkRectangle screen;

    g_free (tour->state);
    tour->state = part != NULL ? g_strdup_printf ("%s-%s", name, part) : g_strdup (name);
    tour->n_states++;
    check_patiently (tour, widget);
    if (GTK_IS_WINDOW (widget)) {
        GtkRequisition least;

        gtk_window_get_size (GTK_WINDOW (widget), &width, &height);
        gtk_widget_get_preferred_size (widget, &least, NULL);
        gdk_monitor_get_workarea (gdk_display_get_monitor (gdk_display_get_default (), 0),
                                  &screen);
        if (least.width > MAX_WIDTH || least.height > MAX_HEIGHT) {
            complain (tour, "%d x %d is too large for a small screen", least.width,
                      least.height);
        }
        if (width > screen.width || height > screen.height) {
            complain (tour, "%d x %d does not fit this screen", width, height);
        }
    }
    say_pending (tour);
    if (tour->folder != NULL) {
        take_picture (tour, widget);
    }
}

static void
look_at_pages (Tour *tour, GtkWidget *window, const char *name)
{
    g_autoptr (GPtrArray) notebooks = find_all (window, GTK_TYPE_NOTEBOOK);

    for (guint i = 0; i < notebooks->len; i++) {
        GtkNotebook *notebook = notebooks->pdata[i];
        int current = gtk_notebook_get_current_page (notebook);

        for (int page = 0; page < gtk_notebook_get_n_pages (notebook); page++) {
            g_autofree char *part = g_strdup_printf ("page-%u-%d", i, page);

            gtk_notebook_set_current_page (notebook, page);
            look (tour, window, name, part);
        }
        gtk_notebook_set_current_page (notebook, current);
    }
}

/* What the window's menu buttons open. */
static void
look_at_menus (Tour *tour, GtkWidget *window, const char *name)
{
    g_autoptr (GPtrArray) buttons = find_all (window, GTK_TYPE_MENU_BUTTON);

    for (guint i = 0; i < buttons->len; i++) {
        GtkWidget *popover = GTK_WIDGET (gtk_menu_button_get_popover (buttons->pdata[i]));
        g_autofree char *part = g_strdup_printf ("menu-%u", i);

        if (popover != NULL && gtk_widget_get_mapped (buttons->pdata[i])
            && gtk_widget_is_sensitive (buttons->pdata[i])) {
            gtk_popover_popup (GTK_POPOVER (popover));
            look (tour, popover, name, part);
            gtk_popover_popdown (GTK_POPOVER (popover));
            settle ();
        }
    }
}

/* ---- the tour ---- */

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
    settle ();
    window = find_newest_window (before);
    if (window == NULL) {
        g_error ("%s opens no window", what);
    }
    return window;
}

static void
type_line (GtkWidget *window, const char *line)
{
    GtkWidget *entry = find (window, "command");

    gtk_entry_set_text (GTK_ENTRY (entry), line);
    gtk_widget_activate (entry);
    settle ();
}

static void
act (GtkWidget *window, const char *action)
{
    g_action_group_activate_action (G_ACTION_GROUP (window), action, NULL);
    settle ();
}

static gboolean
has_source (GtkWidget *window)
{
    g_autoptr (GPtrArray) views = find_all (window, GTK_TYPE_TEXT_VIEW);

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
    settle ();
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

static void
visit_console (Tour *tour, GtkWidget *console)
{
    g_autoptr (JobRankSet) some = job_rank_set_new_range (2, 9);

    look (tour, console, "console", "fresh");
    look_at_pages (tour, console, "console-fresh");
    happen (tour);
    type_line (console, "break sample.c:10");
    type_line (console, "on 3-5 break sample.c:23 if i > 3 every 2");
    type_line (console, "set left = 0-7");
    type_line (console, "live set bad = signal,failed");
    type_line (console, "show state");
    act (console, "queue");
    look (tour, console, "console", NULL);
    look_at_pages (tour, console, "console");
    g_signal_emit_by_name (find (console, "chart"), "set-chosen", some, GUI_SELECT_ONLY);
    look (tour, console, "console", "selection");
    look_at_menus (tour, console, "console");
    script_play (tour->script,
                 "message 2 host node7 has been lost: its 4 ranks cannot be reached");
    look (tour, console, "console", "error");
}

static void
visit_comparison (Tour *tour, GtkWidget *group, const JobRankSet *ranks)
{
    Session *session = script_get_session (tour->script);
    g_autoptr (SessionSelection) selection = session_selection_new (session);
    GtkWidget *window;

    window = gui_compare_window_open (GTK_WINDOW (group), session, selection, ranks, 1, "rank");
    look (tour, window, "compare", NULL);
    look_at_pages (tour, window, "compare");
    close_window (window);
    window = gui_compare_window_open (GTK_WINDOW (group), session, selection, ranks, 1, "nothing?");
    look (tour, window, "compare", "no value");
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

    await ("the source", has_source, group);
    g_strfreev (saved->watches);
    saved->watches = g_strsplit ("step nothing?", " ", -1);
    gui_group_window_restore (GUI_GROUP_WINDOW (group), saved);
    look (tour, group, "group", NULL);
    look_at_pages (tour, group, "group");
    look_at_menus (tour, group, "group");
    act (group, "find");
    look (tour, group, "group", "find");
    act (group, "open");
    look (tour, group, "group", "open");
    act (group, "go-to-line");
    look (tour, group, "group", "go-to-line");
    array = gui_array_window_open (GTK_WINDOW (group), session, NULL, ranks, 1, "grid");
    look (tour, array, "array", NULL);
    look_at_pages (tour, array, "array");
    close_window (array);
    array = gui_array_window_open (GTK_WINDOW (group), session, NULL, ranks, 1, "");
    look (tour, array, "array", "empty");
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
    look (tour, window, "performance", NULL);
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
visit_dialogs (Tour *tour, GtkWidget *console)
{
    static const char *const actions[] = { "preferences", "about" };
    GtkWidget *window = open_by (open_keys, console, "keys"), *run;

    look (tour, window, "keys", NULL);
    close_window (window);
    for (guint i = 0; i < G_N_ELEMENTS (actions); i++) {
        window = open_by (open_by_application, (gpointer) actions[i], actions[i]);
        look (tour, window, actions[i], NULL);
        look_at_pages (tour, window, actions[i]);
        close_window (window);
    }
    run = open_by (open_by_application, "new-session", "new-session");
    look (tour, run, "run", NULL);
    gtk_entry_set_text (GTK_ENTRY (find (run, "program")), "/nonexistent/program.py");
    look (tour, run, "run", "problem");
    look_at_menus (tour, run, "run");
    window = open_by (open_attach, run, "attach");
    look (tour, window, "attach", NULL);
    close_window (window);
    close_window (run);
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
    gui_settings_init_words ("pddt", "/nonexistent");
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
