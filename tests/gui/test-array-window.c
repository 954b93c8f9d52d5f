/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The array window asks the rank that it was opened for, and says which that is, however many
 * ranks there are. What it shows ages, and a pointer's length is asked for. */
#include "base/words.h"
#include "gui/arrays/array-length.h"
#include "gui/arrays/array-window.h"
#include "gui/kit/settings.h"
#include "script.h"
#include <string.h>

enum { N_RANKS = 700, LIMIT_S = 120 };

static const char *sample;

typedef struct {
    char *ranks; /* that the last array is of; NULL: none has come */
} Heard;

static void
on_event (Session *session, const JobEvent *event, gpointer user)
{
    Heard *heard = user;

    if (event->kind == JOB_EVENT_ARRAY) {
        g_free (heard->ranks);
        heard->ranks = job_rank_set_format (event->ranks);
    }
}

static gboolean
fail_late (gpointer what)
{
    g_error ("waited %d s for %s", LIMIT_S, (const char *) what);
    return G_SOURCE_REMOVE;
}

static void
find_combo (GtkWidget *widget, gpointer user)
{
    GtkWidget **found = user;

    if (GTK_IS_COMBO_BOX_TEXT (widget)) {
        g_autofree char *text
            = gtk_combo_box_text_get_active_text (GTK_COMBO_BOX_TEXT (widget));

        *found = text != NULL && g_str_has_prefix (text, "rank ") ? widget : *found;
    } else if (GTK_IS_CONTAINER (widget)) {
        gtk_container_forall (GTK_CONTAINER (widget), find_combo, user);
    }
}

static void
assert_shown (GtkWidget *window, guint32 rank)
{
    g_autofree char *expected = g_strdup_printf ("rank %u", rank), *text = NULL;
    GtkWidget *combo = NULL;

    find_combo (window, &combo);
    g_assert_nonnull (combo);
    text = gtk_combo_box_text_get_active_text (GTK_COMBO_BOX_TEXT (combo));
    g_assert_cmpstr (text, ==, expected);
}

static void
test_rank (gconstpointer data)
{
    guint32 rank = GPOINTER_TO_UINT (data);
    Script *script = script_new (N_RANKS, sample);
    Session *session = script_get_session (script);
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (1, N_RANKS);
    g_autofree char *expected = g_strdup_printf ("%u", rank);
    guint limit = g_timeout_add_seconds (LIMIT_S, fail_late, (gpointer) "the array");
    Heard heard = { NULL };
    GtkWidget *window;

    session_add_listener (session, on_event, &heard);
    window = gui_array_window_open (NULL, session, NULL, ranks, rank, "grid");
    while (heard.ranks == NULL) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_source_remove (limit);
    g_assert_cmpstr (heard.ranks, ==, expected);
    assert_shown (window, rank);
    gtk_widget_destroy (window);
    session_remove_listener (session, on_event, &heard);
    g_free (heard.ranks);
}

static void
find_sensitive_save (GtkWidget *widget, gpointer user)
{
    GtkWidget **found = user;

    if (GTK_IS_BUTTON (widget)
        && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (widget)), "Save .csv") == 0) {
        *found = gtk_widget_is_sensitive (widget) ? widget : *found;
    } else if (GTK_IS_CONTAINER (widget)) {
        gtk_container_forall (GTK_CONTAINER (widget), find_sensitive_save, user);
    }
}

static guint
count_choosers (void)
{
    g_autoptr (GList) windows = gtk_window_list_toplevels ();
    guint n = 0;

    for (GList *link = windows; link != NULL; link = link->next) {
        n += GTK_IS_FILE_CHOOSER_DIALOG (link->data) && gtk_widget_get_visible (link->data);
    }
    return n;
}

/* A chooser that stayed would save into a window that is no more. */
static void
test_chooser_goes (void)
{
    Script *script = script_new (2, sample);
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (0, 2);
    guint limit = g_timeout_add_seconds (LIMIT_S, fail_late, (gpointer) "the chooser");
    GtkWidget *window = gui_array_window_open (NULL, script_get_session (script), NULL, ranks,
                                               0, "grid");
    GtkWidget *save = NULL;

    while (save == NULL) {
        g_main_context_iteration (NULL, TRUE);
        find_sensitive_save (window, &save);
    }
    g_assert_cmpuint (count_choosers (), ==, 0);
    gtk_button_clicked (GTK_BUTTON (save));
    while (count_choosers () == 0) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_source_remove (limit);
    gtk_widget_destroy (window);
    g_assert_cmpuint (count_choosers (), ==, 0);
}

typedef struct {
    const char *text; /* that the label begins with */
    GtkWidget *label;
} Wanted;

static void
find_label (GtkWidget *widget, gpointer user)
{
    Wanted *wanted = user;

    if (GTK_IS_LABEL (widget)) {
        gboolean fits = g_str_has_prefix (gtk_label_get_text (GTK_LABEL (widget)),
                                          wanted->text);

        wanted->label = fits ? widget : wanted->label;
    } else if (GTK_IS_CONTAINER (widget)) {
        gtk_container_forall (GTK_CONTAINER (widget), find_label, user);
    }
}

static gboolean
has_label (GtkWidget *root, const char *text)
{
    Wanted wanted = { text, NULL };

    find_label (root, &wanted);
    return wanted.label != NULL;
}

static void
find_stale (GtkWidget *widget, gpointer user)
{
    gboolean *found = user;

    *found = *found
             || gtk_style_context_has_class (gtk_widget_get_style_context (widget),
                                             "pddt-stale");
    if (GTK_IS_CONTAINER (widget)) {
        gtk_container_forall (GTK_CONTAINER (widget), find_stale, user);
    }
}

static gboolean
is_stale (GtkWidget *window)
{
    gboolean found = FALSE;

    find_stale (window, &found);
    return found;
}

static void
await_array (GtkWidget *window)
{
    guint limit = g_timeout_add_seconds (LIMIT_S, fail_late, (gpointer) "the array");

    while (!has_label (window, "384 elements")) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_source_remove (limit);
}

/* Only what happens to the rank that was read makes it old; Update makes it new. */
static void
test_ages (void)
{
    Script *script = script_new (3, sample);
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (0, 3);
    GtkWidget *window = gui_array_window_open (NULL, script_get_session (script), NULL, ranks,
                                               1, "grid");
    gint64 end_us;
    guint limit;

    await_array (window);
    g_assert_false (is_stale (window));
    script_play (script, "state 0 stopped work 20");
    end_us = g_get_monotonic_time () + G_USEC_PER_SEC / 2;
    while (g_get_monotonic_time () < end_us) {
        g_main_context_iteration (NULL, FALSE);
    }
    g_assert_false (is_stale (window));
    script_play (script, "state 1 stopped work 20");
    limit = g_timeout_add_seconds (LIMIT_S, fail_late, (gpointer) "the age");
    while (!is_stale (window) || !has_label (window, "as of ")) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_source_remove (limit);
    gtk_widget_destroy (window);
}

static void
find_entry (GtkWidget *widget, gpointer user)
{
    GtkWidget **found = user;

    if (GTK_IS_ENTRY (widget)) {
        *found = widget;
    } else if (GTK_IS_CONTAINER (widget)) {
        gtk_container_forall (GTK_CONTAINER (widget), find_entry, user);
    }
}

static GtkWidget *
await_window (GType type)
{
    guint limit = g_timeout_add_seconds (LIMIT_S, fail_late, (gpointer) g_type_name (type));
    GtkWidget *window = NULL;

    while (window == NULL) {
        g_autoptr (GList) windows = gtk_window_list_toplevels ();

        for (GList *link = windows; link != NULL; link = link->next) {
            window = G_TYPE_CHECK_INSTANCE_TYPE (link->data, type)
                             && gtk_widget_get_visible (link->data)
                         ? link->data
                         : window;
        }
        if (window == NULL) {
            g_main_context_iteration (NULL, TRUE);
        }
    }
    g_source_remove (limit);
    return window;
}

/* A pointer's window opens once its length is known, an array's at once. */
static void
test_length (void)
{
    Script *script = script_new (2, sample);
    Session *session = script_get_session (script);
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (0, 2);
    GtkWidget *parent = gtk_window_new (GTK_WINDOW_TOPLEVEL), *dialog, *entry = NULL, *window;

    gui_array_length_open (GTK_WINDOW (parent), session, NULL, ranks, 1, "grid");
    window = await_window (GUI_TYPE_ARRAY_WINDOW);
    g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (window)), ==, "grid");
    gtk_widget_destroy (window);

    gui_array_length_open (GTK_WINDOW (parent), session, NULL, ranks, 1, "p->data");
    dialog = await_window (GTK_TYPE_DIALOG);
    g_assert_true (has_label (dialog, "p->data is a pointer."));
    find_entry (dialog, &entry);
    gtk_dialog_response (GTK_DIALOG (dialog), GTK_RESPONSE_OK); /* of nothing: it asks on */
    gtk_entry_set_text (GTK_ENTRY (entry), " n + 1 ");
    gtk_dialog_response (GTK_DIALOG (dialog), GTK_RESPONSE_OK);
    window = await_window (GUI_TYPE_ARRAY_WINDOW);
    g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (window)), ==, "*(p->data)@(n + 1)");
    await_array (window);
    gtk_widget_destroy (parent); /* what belongs to it goes, too */
}

static void
find_named (GtkWidget *widget, gpointer user)
{
    gpointer *search = user;

    if (g_strcmp0 (atk_object_get_accessible_id (gtk_widget_get_accessible (widget)), search[0])
        == 0) {
        search[1] = widget;
    } else if (GTK_IS_CONTAINER (widget)) {
        gtk_container_forall (GTK_CONTAINER (widget), find_named, user);
    }
}

static gpointer
get_named (GtkWidget *window, const char *id)
{
    gpointer search[] = { (gpointer) id, NULL };

    find_named (window, search);
    g_assert_nonnull (search[1]);
    return search[1];
}

static void
await_label (GtkWidget *window, const char *text)
{
    guint limit = g_timeout_add_seconds (LIMIT_S, fail_late, (gpointer) text);

    while (!has_label (window, text)) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_source_remove (limit);
}

/* The first column is the index. Caller owns. */
static char *
dup_indices (GtkWidget *window)
{
    GtkTreeModel *model = gtk_tree_view_get_model (get_named (window, "array-table"));
    GString *text = g_string_new (NULL);
    GtkTreeIter iter;

    for (gboolean more = gtk_tree_model_get_iter_first (model, &iter); more;
         more = gtk_tree_model_iter_next (model, &iter)) {
        g_autofree char *index = NULL;

        gtk_tree_model_get (model, &iter, 0, &index, -1);
        g_string_append_printf (text, "%s%s", text->len > 0 ? "|" : "", index);
    }
    return g_string_free (text, FALSE);
}

static void
filter (GtkWidget *window, const char *text)
{
    GtkWidget *entry = get_named (window, "array-filter");

    gtk_entry_set_text (GTK_ENTRY (entry), text);
    gtk_widget_activate (entry);
}

/* The hill of 24 by 16 has 4 elements above 95. */
static void
test_filter (void)
{
    Script *script = script_new (2, sample);
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (0, 2);
    GtkWidget *window = gui_array_window_open (NULL, script_get_session (script), NULL, ranks,
                                               0, "grid");
    g_autofree char *some = NULL, *none = NULL, *all = NULL;

    await_array (window);
    filter (window, "value > 95");
    await_label (window, "Only where value > 95: 4 elements");
    some = dup_indices (window);
    g_assert_cmpstr (some, ==, "11|12");
    filter (window, "value > 1000");
    await_label (window, "Only where value > 1000: 0 elements");
    none = dup_indices (window);
    g_assert_cmpstr (none, ==, "");
    filter (window, "valu > 1");
    await_label (window, "cannot understand \"valu > 1\"");
    g_assert_true (has_label (window, "384 elements"));
    filter (window, "");
    await_label (window, "384 elements");
    all = dup_indices (window);
    g_assert_true (g_str_has_suffix (all, "|22|23"));
    gtk_widget_destroy (window);
}

/* The parts of all ranks as one, in an order. */
static void
test_joined (void)
{
    Script *script = script_new (3, sample);
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (0, 3);
    GtkWidget *window = gui_array_window_open (NULL, script_get_session (script), NULL, ranks,
                                               0, "grid");
    g_autofree char *rows = NULL;
    GtkWidget *order;

    await_array (window);
    gtk_combo_box_set_active_id (get_named (window, "array-rank"), "all");
    await_label (window, "1152 elements");
    gtk_combo_box_set_active (get_named (window, "array-how"), 1);
    order = get_named (window, "array-order");
    gtk_entry_set_text (GTK_ENTRY (order), "2,0");
    gtk_widget_activate (order);
    await_label (window, "768 elements");
    rows = dup_indices (window);
    g_assert_true (g_str_has_prefix (rows, "rank 2: 0|1|2|"));
    g_assert_nonnull (strstr (rows, "|23|rank 0: 24|25|"));
    gtk_entry_set_text (GTK_ENTRY (order), "2,5");
    gtk_widget_activate (order);
    await_label (window, "cannot take the order of ranks \"2,5\"");
    gtk_widget_destroy (window);
}

static void
test_pointers (void)
{
    static const char *const pointers[] = { "double *", "const double * const", "struct grid *",
                                            "int *&",   "float *restrict",      "char **" };
    static const char *const others[] = { "double [8]",    "ndarray",      "void *", "int",
                                          "double (*)[8]", "const void *", "" };
    g_autofree char *plain = gui_array_length_format ("p", "10");
    g_autofree char *none = gui_array_length_format ("p", "  ");

    for (guint i = 0; i < G_N_ELEMENTS (pointers); i++) {
        g_assert_true (gui_array_length_is_pointer (pointers[i]));
    }
    for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
        g_assert_false (gui_array_length_is_pointer (others[i]));
    }
    g_assert_cmpstr (plain, ==, "*p@10");
    g_assert_null (none);
}

int
main (int argc, char **argv)
{
    static const guint32 ranks[] = { 1, 255, 256, 257, 699 };

    gtk_test_init (&argc, &argv, NULL);
    g_assert_cmpint (argc, ==, 2);
    sample = argv[1];
    base_words_init ("pddt", "/nonexistent");
    gui_settings_init ();
    for (guint i = 0; i < G_N_ELEMENTS (ranks); i++) {
        g_autofree char *path = g_strdup_printf ("/array-window/rank-%u", ranks[i]);

        g_test_add_data_func (path, GUINT_TO_POINTER (ranks[i]), test_rank);
    }
    g_test_add_func ("/array-window/chooser-goes", test_chooser_goes);
    g_test_add_func ("/array-window/ages", test_ages);
    g_test_add_func ("/array-window/pointers", test_pointers);
    g_test_add_func ("/array-window/length", test_length);
    g_test_add_func ("/array-window/filter", test_filter);
    g_test_add_func ("/array-window/joined", test_joined);
    return g_test_run ();
}
