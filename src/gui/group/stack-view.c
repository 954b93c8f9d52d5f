/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small GtkTreeStore, filled anew with each answer. */
#include "gui/group/stack-view.h"
#include <glib/gi18n.h>
#include "base/clock.h"
#include "gui/kit/age.h"
#include "gui/kit/hint.h"
#include "gui/kit/properties.h"
#include "gui/kit/rank-set.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "session/group-list.h"

/* stack-view.ui has numbers of these. */
enum {
    FRAME,
    PLACE, /* FRAME without its marks */
    RANKS,
    COUNT,
    TIP,
    FILE_NAME,
    LINE,
    SET,
    COLOUR,
    N_FRAMES,
    FOLDS,
    GROUP, /* ranks whose stacks are not here; NULL: a frame */
    N_COLUMNS
};
enum { MAX_NODES = 20000, MAX_RANKS_TEXT = 20, MAX_OTHERS = 200 };
enum { MANY_RANKS = 4096 }; /* to follow what each of so many does would take too long */
/* Characters. Where the pane is narrow the places need its room: of the ranks the first are shown, and their
 * number and the frames' marks are in the tooltip. */
enum { NARROW_CHARS = 50, FEW_CHARS = 6, RANKS_CHARS = 12 };

struct _GuiStackView {
    GtkScrolledWindow parent;
    Session *session; /* NULL: none yet */
    GtkTreeStore *store;
    GtkWidget *view;
    guint n_nodes;
    gboolean is_filling;
    GHashTable *opened; /* texts of the folded rows that the user has opened */
    GtkCellRenderer *frame_cell, *ranks_cell;
    GtkTreeViewColumn *frame, *count;
    gboolean is_narrow;
    SessionGroupList *others; /* of the ranks whose stacks are not here; NULL: there are none */
    int n_roots;              /* rows before theirs */
    JobRankSet *sampled;      /* whose stacks were read while they ran; NULL: nobody's */
    gint64 sampled_us;
    JobRankSet *many; /* so many that one row stands for all of them; NULL */
};

G_DEFINE_TYPE (GuiStackView, gui_stack_view, GTK_TYPE_SCROLLED_WINDOW)

enum { PLACE_CHOSEN, FRAME_CHOSEN, SET_CHOSEN, N_SIGNALS };
static guint signals[N_SIGNALS];

/* ret_place: without its marks. */
static char *
format_frame (Session *session, const JobStackNode *node, char **ret_place)
{
    const JobLocation *location = &node->location;
    const char *language = location->language == JOB_LANGUAGE_PYTHON ? " [py]" : "";
    g_autofree char *marks = job_frame_format_marks (BASE_TEXT_SHOWN, node->flags);

    if (location->file != NULL && location->line > 0) {
        *ret_place = session_format_place (BASE_TEXT_SHOWN, session, location);
    } else {
        const char *function = job_location_get_function (BASE_TEXT_SHOWN, location);

        *ret_place = g_strdup_printf ("%s (%s)", function != NULL ? function : "??",
                                      location->module != NULL ? location->module : "?");
    }
    return g_strconcat (*ret_place, language, marks, NULL);
}

static char *
format_ranks (const JobRankSet *set)
{
    g_autofree char *text = job_rank_set_format_brief (set);

    if (g_utf8_strlen (text, -1) > MAX_RANKS_TEXT) {
        g_autofree char *head = g_utf8_substring (text, 0, MAX_RANKS_TEXT - 1);

        return g_strconcat (head, "…", NULL);
    }
    return g_steal_pointer (&text);
}

static gboolean
is_library (const JobStackNode *node)
{
    return node->location.line == 0
           || (node->flags & (JOB_FRAME_LIBRARY | JOB_FRAME_INTERPRETER)) != 0;
}

/* It and all frames inside it are a library's: the user's code is in none of them. */
static gboolean
is_library_only (const JobStackNode *node)
{
    for (;;) {
        if (!is_library (node)) {
            return FALSE;
        }
        if (node->children == NULL || node->children->len == 0) {
            return TRUE;
        }
        for (guint i = 1; i < node->children->len; i++) {
            if (!is_library_only (g_ptr_array_index (node->children, i))) {
                return FALSE;
            }
        }
        node = g_ptr_array_index (node->children, 0); /* stacks may be 100,000 frames deep */
    }
}

static gboolean
is_sampled (const GuiStackView *self, const JobRankSet *ranks)
{
    return self->sampled != NULL && job_rank_set_is_subset (ranks, self->sampled);
}

/* A row below `parent` (NULL: a root) of the frame, or, n_frames over 1, of as many from it on.
 * place: the text without its marks. folds: what is inside it is not of interest until the row is
 * opened. */
static void
add_row (GuiStackView *self, GtkTreeIter *ret_iter, GtkTreeIter *parent, const char *text,
         const char *place, const JobStackNode *node, guint n_frames, gboolean folds)
{
    const char *dim = n_frames > 1 || is_library (node) ? gui_age_get_colour (self->view)
                                                        : NULL;
    guint32 count = job_rank_set_get_count (node->ranks);
    g_autofree char *ranks = format_ranks (node->ranks);
    g_autofree char *all = job_rank_set_format_brief (node->ranks);
    g_autofree char *who = g_strdup_printf (ngettext ("%u rank: %s", "%u ranks: %s", count),
                                            count, all);
    g_autofree char *tip = is_sampled (self, node->ranks)
                               ? g_markup_printf_escaped ("%s\n%s\n%s", text, who,
                                                          _ ("sampled while running"))
                               : g_markup_printf_escaped ("%s\n%s", text, who);

    gtk_tree_store_insert_with_values (self->store, ret_iter, parent, -1, FRAME, text, PLACE,
                                       place, RANKS, ranks, COUNT, count, TIP, tip, FILE_NAME,
                                       node->location.file, LINE, node->location.line, SET,
                                       node->ranks, COLOUR, dim, N_FRAMES, n_frames, FOLDS,
                                       folds, -1);
}

static void add_nodes (GuiStackView *self, Session *session, GtkTreeIter *parent,
                       const JobStackNode *node, gboolean is_inside_user);

/* The first repetition, a row for those that are hidden, and what follows. */
static void
add_folded (GuiStackView *self, Session *session, GtkTreeIter *parent, const JobStackNode *node,
            const JobStackFold *fold, gboolean is_inside_user)
{
    const JobStackNode *hidden = job_stack_fold_skip (node, fold->period);
    g_autofree char *places = session_format_fold (BASE_TEXT_SHOWN, session, hidden, fold);
    g_autofree char *text = g_strdup_printf (ngettext ("… %u more frame: %s",
                                                       "… %u more frames: %s", fold->n_hidden),
                                             fold->n_hidden, places);
    GtkTreeIter iter, outer;

    for (guint i = 0; i < fold->period; i++) {
        const JobStackNode *shown = job_stack_fold_skip (node, i);
        g_autofree char *place = NULL;
        g_autofree char *frame = format_frame (session, shown, &place);

        add_row (self, &iter, parent, frame, place, shown, 1, FALSE);
        outer = iter;
        parent = &outer;
    }
    add_row (self, &iter, parent, text, text, hidden, fold->n_hidden, FALSE);
    self->n_nodes += fold->period + 1;
    add_nodes (self, session, &iter, job_stack_fold_skip (hidden, fold->n_hidden - 1),
               is_inside_user || !is_library (node));
}

/* Says that further calls of the node are not shown. */
static void
add_cut (GuiStackView *self, GtkTreeIter *parent, const JobStackNode *node, guint first)
{
    guint n = node->children->len - first;
    g_autofree char *text
        = g_strdup_printf (ngettext ("%u more call is not shown: select fewer ranks",
                                     "%u more calls are not shown: select fewer ranks", n),
                           n);
    GtkTreeIter iter;

    add_row (self, &iter, parent, text, "", node, 0, FALSE);
}

/* is_inside_user: a frame outside them is of the user's code. */
static void
add_nodes (GuiStackView *self, Session *session, GtkTreeIter *parent, const JobStackNode *node,
           gboolean is_inside_user)
{
    for (guint i = 0; node->children != NULL && i < node->children->len; i++) {
        JobStackNode *child = node->children->pdata[i];
        g_autofree char *place = NULL;
        g_autofree char *frame = format_frame (session, child, &place);
        JobStackFold fold;
        GtkTreeIter iter;

        if (self->n_nodes++ >= MAX_NODES) {
            add_cut (self, parent, node, i);
            return;
        }
        if (job_stack_fold_find (child, &fold)) {
            add_folded (self, session, parent, child, &fold, is_inside_user);
            continue;
        }
        add_row (self, &iter, parent, frame, place, child, 1,
                 is_inside_user && is_library_only (child));
        add_nodes (self, session, &iter, child, is_inside_user || !is_library (child));
    }
}

static gboolean
fold_row (GtkTreeModel *model, GtkTreePath *path, GtkTreeIter *iter, gpointer user)
{
    GuiStackView *self = user;
    g_autofree char *text = NULL;
    gboolean folds = FALSE;

    gtk_tree_model_get (model, iter, FRAME, &text, FOLDS, &folds, -1);
    if (folds && !g_hash_table_contains (self->opened, text)) {
        gtk_tree_view_collapse_row (GTK_TREE_VIEW (self->view), path);
    }
    return FALSE;
}

/* ---- ranks whose stacks are not here ---- */

static const char *
tell_why (const JobEvent *event)
{
    const JobStateInfo *info = job_state_get_info (event->state);

    return info->is_moving ? _ (
               "Running: Update reads its stack where it waits, Sample Stacks stops it briefly")
           : info->is_stopped ? _ ("This stack has not arrived: Update asks again")
                              : _ ("There is no stack to read");
}

static char *
format_other (const char *text, const JobEvent *event, gint64 stale_us)
{
    guint32 count = job_rank_set_get_count (event->ranks);
    g_autofree char *all = job_rank_set_format_brief (event->ranks);
    g_autofree char *who = g_strdup_printf (ngettext ("%u rank: %s", "%u ranks: %s", count),
                                            count, all);
    g_autofree char *age = stale_us != 0 ? gui_age_format (stale_us) : NULL;

    return g_markup_printf_escaped ("%s%s%s\n%s\n%s", text, age != NULL ? " · " : "",
                                    age != NULL ? age : "", who, tell_why (event));
}

static void
fill_other (GuiStackView *self, GtkTreeIter *iter, SessionGroup *group)
{
    const JobEvent *event = session_group_get_event (group);
    const char *text = session_group_get_text (group);
    g_autofree char *ranks = format_ranks (event->ranks);
    g_autofree char *tip = format_other (text, event,
                                         session_group_get_stale_us (group, self->session));
    const JobLocation *place = job_state_get_info (event->state)->is_ended ? NULL
                                                                           : event->place;
    g_autofree char *where = session_format_place (BASE_TEXT_SHOWN, self->session, place);
    /* The glyph of a rank that runs looks as if there were rows to open. */
    g_autofree char *brief
        = *where == '\0' || event->state == JOB_STATE_RUNNING
              ? g_strdup (text)
              : g_strdup_printf ("%s %s", job_state_get_info (event->state)->glyph, where);

    gtk_tree_store_set (self->store, iter, FRAME, text, PLACE, brief, RANKS, ranks, COUNT,
                        job_rank_set_get_count (event->ranks), TIP, tip, FILE_NAME,
                        place != NULL ? place->file : NULL, LINE,
                        place != NULL ? place->line : 0, SET, event->ranks, COLOUR,
                        gui_age_get_colour (self->view), N_FRAMES, 1, GROUP, group, -1);
}

static void
add_many (GuiStackView *self)
{
    g_autofree char *ranks = format_ranks (self->many);
    GtkTreeIter iter;

    gtk_tree_store_append (self->store, &iter, NULL);
    gtk_tree_store_set (self->store, &iter, FRAME, _ ("not read"), PLACE, _ ("not read"), RANKS,
                        ranks, COUNT, job_rank_set_get_count (self->many), SET, self->many,
                        COLOUR, gui_age_get_colour (self->view), N_FRAMES, 0, -1);
}

/* Rows that are there stay: one that is made anew takes no click until it has been laid out. */
static void
fill_others (GuiStackView *self)
{
    GtkTreeModel *model = GTK_TREE_MODEL (self->store);
    guint n = self->others != NULL ? g_list_model_get_n_items (G_LIST_MODEL (self->others)) : 0;
    GtkTreeIter iter;

    n = MIN (n, MAX_OTHERS);
    for (guint i = 0; i < n; i++) {
        g_autoptr (SessionGroup) group = g_list_model_get_item (G_LIST_MODEL (self->others), i);

        if (!gtk_tree_model_iter_nth_child (model, &iter, NULL, self->n_roots + (int) i)) {
            gtk_tree_store_append (self->store, &iter, NULL);
        }
        fill_other (self, &iter, group);
    }
    while (gtk_tree_model_iter_nth_child (model, &iter, NULL, self->n_roots + (int) n)) {
        gtk_tree_store_remove (self->store, &iter);
    }
    if (self->many != NULL) {
        add_many (self);
    }
}

/* The lowest rank of the selected row, if that is of other ranks. */
static gboolean
find_selected_other (GuiStackView *self, guint32 *ret_rank)
{
    GtkTreeSelection *selection = gtk_tree_view_get_selection (GTK_TREE_VIEW (self->view));
    g_autoptr (SessionGroup) group = NULL;
    g_autoptr (JobRankSet) set = NULL;
    GtkTreeIter iter;

    if (!gtk_tree_selection_get_selected (selection, NULL, &iter)) {
        return FALSE;
    }
    gtk_tree_model_get (GTK_TREE_MODEL (self->store), &iter, GROUP, &group, SET, &set, -1);
    *ret_rank = group != NULL ? job_rank_set_get_lowest (set) : 0;
    return group != NULL;
}

static void
update_others (GuiStackView *self)
{
    guint32 rank = 0;
    gboolean is_selected = find_selected_other (self, &rank);

    self->is_filling = TRUE;
    fill_others (self);
    self->is_filling = FALSE;
    if (is_selected) {
        gui_stack_view_select (self, rank, 0, NULL);
    }
}

static void
set_awake (GuiStackView *self, gboolean is_awake)
{
    if (self->others != NULL) {
        session_group_list_set_awake (self->others, is_awake);
    }
}

void
gui_stack_view_set_others (GuiStackView *self, const JobRankSet *ranks)
{
    gboolean are_many = job_rank_set_get_count (ranks) > MANY_RANKS;

    g_clear_pointer (&self->many, job_rank_set_free);
    self->many = are_many ? job_rank_set_dup (ranks) : NULL;
    if (are_many || job_rank_set_is_empty (ranks)) {
        g_clear_object (&self->others);
    } else if (self->others != NULL) {
        session_group_list_set_ranks (self->others, ranks);
    } else {
        self->others = session_group_list_new (self->session, ranks, SESSION_BY_PLACE);
        set_awake (self, gtk_widget_get_mapped (GTK_WIDGET (self)));
        g_signal_connect_object (self->others, "items-changed", G_CALLBACK (update_others),
                                 self, G_CONNECT_SWAPPED);
    }
    update_others (self);
}

void
gui_stack_view_update_ages (GuiStackView *self)
{
    GtkTreeModel *model = GTK_TREE_MODEL (self->store);
    GtkTreeIter iter;

    if (self->sampled != NULL) {
        gtk_widget_queue_draw (self->view);
    }
    if (self->others == NULL || !gtk_widget_get_mapped (GTK_WIDGET (self))) {
        return;
    }
    for (gboolean more = gtk_tree_model_iter_nth_child (model, &iter, NULL, self->n_roots);
         more; more = gtk_tree_model_iter_next (model, &iter)) {
        g_autoptr (SessionGroup) group = NULL;

        gtk_tree_model_get (model, &iter, GROUP, &group, -1);
        if (session_group_get_stale_us (group, self->session) != 0) {
            g_autofree char *tip
                = format_other (session_group_get_text (group), session_group_get_event (group),
                                session_group_get_stale_us (group, self->session));

            gtk_tree_store_set (self->store, &iter, TIP, tip, -1);
        }
    }
}

static void
render_sampled (GuiStackView *self, GtkCellRenderer *cell, const char *text)
{
    g_autofree char *age = gui_age_format_sample (self->sampled_us);
    g_autofree char *whole = g_strdup_printf ("%s (%s)", text, age);

    g_object_set (cell, "text", self->is_narrow ? text : whole, "foreground",
                  gui_age_get_colour (self->view), NULL);
}

/* Where there is no room for a mark or an age, the tooltip has it. */
static void
render_frame (GtkTreeViewColumn *column, GtkCellRenderer *cell, GtkTreeModel *model,
              GtkTreeIter *iter, gpointer user)
{
    GuiStackView *self = user;
    g_autoptr (SessionGroup) group = NULL;
    g_autofree char *place = NULL, *frame = NULL;
    g_autoptr (JobRankSet) ranks = NULL;

    gtk_tree_model_get (model, iter, GROUP, &group, PLACE, &place, FRAME, &frame, SET, &ranks,
                        -1);
    if (group == NULL && ranks != NULL && is_sampled (self, ranks)) {
        render_sampled (self, cell, self->is_narrow ? place : frame);
    } else if (self->is_narrow) {
        g_object_set (cell, "text", place, NULL);
    } else if (group != NULL) {
        gui_age_render (cell, self->view, session_group_get_text (group),
                        session_group_get_stale_us (group, self->session));
        g_object_set (cell, "foreground", gui_age_get_colour (self->view), NULL);
    }
    g_object_set (cell, "style", group != NULL ? PANGO_STYLE_ITALIC : PANGO_STYLE_NORMAL, NULL);
}

void
gui_stack_view_set_tree (GuiStackView *self, const JobStackTree *tree,
                         const JobRankSet *sampled)
{
    double scrolled = gtk_adjustment_get_value (
        gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self)));

    g_clear_pointer (&self->sampled, job_rank_set_free);
    if (sampled != NULL && !job_rank_set_is_empty (sampled)) {
        self->sampled = job_rank_set_dup (sampled);
        self->sampled_us = base_clock_get_us ();
    }
    self->is_filling = TRUE;
    gtk_tree_store_clear (self->store);
    self->n_nodes = 0;
    if (tree != NULL) {
        add_nodes (self, self->session, NULL, tree->root, FALSE);
    }
    self->n_roots = gtk_tree_model_iter_n_children (GTK_TREE_MODEL (self->store), NULL);
    fill_others (self);
    gtk_tree_view_expand_all (GTK_TREE_VIEW (self->view));
    gtk_tree_model_foreach (GTK_TREE_MODEL (self->store), fold_row, self);
    gtk_tree_view_columns_autosize (
        GTK_TREE_VIEW (self->view)); /* not as wide as what is folded */
    gtk_adjustment_set_value (gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self)),
                              scrolled);
    self->is_filling = FALSE;
}

static gboolean
has_rank (GuiStackView *self, GtkTreeIter *iter, guint32 rank)
{
    g_autoptr (JobRankSet) set = NULL;

    gtk_tree_model_get (GTK_TREE_MODEL (self->store), iter, SET, &set, -1);
    return set != NULL && job_rank_set_contains (set, rank);
}

/* The row below `parent` (NULL: the roots) on which the rank is. */
static gboolean
find_child (GuiStackView *self, GtkTreeIter *parent, guint32 rank, GtkTreeIter *ret_child)
{
    GtkTreeModel *model = GTK_TREE_MODEL (self->store);

    for (gboolean more = gtk_tree_model_iter_children (model, ret_child, parent); more;
         more = gtk_tree_model_iter_next (model, ret_child)) {
        if (has_rank (self, ret_child, rank)) {
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean
is_row_at (GtkTreeModel *model, GtkTreeIter *iter, const JobLocation *place)
{
    g_autofree char *file = NULL;
    guint line = 0;

    gtk_tree_model_get (model, iter, FILE_NAME, &file, LINE, &line, -1);
    return line == place->line && g_strcmp0 (file, place->file) == 0;
}

static guint32
get_n_frames (GtkTreeModel *model, GtkTreeIter *iter)
{
    guint n_frames = 1;

    gtk_tree_model_get (model, iter, N_FRAMES, &n_frames, -1);
    return n_frames;
}

/* Which number the innermost row at the place has, counted outward from `iter`; 0: none is there. */
static guint32
find_number (GtkTreeModel *model, const GtkTreeIter *iter, const JobLocation *place)
{
    GtkTreeIter at = *iter, next;

    for (guint32 number = 0;; at = next) {
        if (is_row_at (model, &at, place)) {
            return number;
        }
        if (!gtk_tree_model_iter_parent (model, &next, &at)) {
            return 0;
        }
        number += get_n_frames (model, &at);
    }
}

void
gui_stack_view_select (GuiStackView *self, guint32 rank, guint32 number,
                       const JobLocation *place)
{
    GtkTreeModel *model = GTK_TREE_MODEL (self->store);
    GtkTreeIter iter, next;
    GtkTreeIter *at = NULL;

    while (find_child (self, at, rank, &next)) {
        iter = next;
        at = &iter;
    }
    if (at != NULL && place != NULL && place->line != 0) {
        number = find_number (model, at, place);
    }
    while (at != NULL && number >= get_n_frames (model, &iter)) {
        number -= get_n_frames (model, &iter);
        if (!gtk_tree_model_iter_parent (model, &next, &iter)) {
            return;
        }
        iter = next;
    }
    if (at != NULL) {
        g_autoptr (GtkTreePath) path = gtk_tree_model_get_path (model, &iter);

        self->is_filling = TRUE;
        if (gtk_tree_model_iter_parent (model, &next, &iter)) {
            g_autoptr (GtkTreePath) outer = gtk_tree_model_get_path (model, &next);

            gtk_tree_view_expand_to_path (GTK_TREE_VIEW (self->view), outer);
        }
        gtk_tree_view_set_cursor (GTK_TREE_VIEW (self->view), path, NULL, FALSE);
        self->is_filling = FALSE;
    }
}

/* Ranks may go on below the row by different lengths: each of them has its own number for it. */
static void
emit_frames (GuiStackView *self, GtkTreeIter *iter, guint depth)
{
    GtkTreeModel *model = GTK_TREE_MODEL (self->store);
    g_autoptr (JobRankSet) ends = NULL;
    GtkTreeIter child;

    gtk_tree_model_get (model, iter, SET, &ends, -1);
    for (gboolean more = gtk_tree_model_iter_children (model, &child, iter); more;
         more = gtk_tree_model_iter_next (model, &child)) {
        g_autoptr (JobRankSet) deeper = NULL;
        JobRankSet *rest;

        gtk_tree_model_get (model, &child, SET, &deeper, -1);
        rest = job_rank_set_subtract (ends, deeper);
        job_rank_set_free (ends);
        ends = rest;
        emit_frames (self, &child, depth + get_n_frames (model, &child));
    }
    if (!job_rank_set_is_empty (ends)) {
        g_signal_emit (self, signals[FRAME_CHOSEN], 0, ends, depth);
    }
}

static gboolean
append_text (GtkTreeModel *model, GtkTreePath *path, GtkTreeIter *iter, gpointer user)
{
    g_autofree char *frame = NULL, *ranks = NULL;
    g_autoptr (JobRankSet) set = NULL;
    guint count;

    gtk_tree_model_get (model, iter, FRAME, &frame, SET, &set, COUNT, &count, -1);
    ranks = job_rank_set_format (set);
    g_string_append_printf (user, "%*s%s %u %s\n", 2 * (gtk_tree_path_get_depth (path) - 1), "",
                            ranks, count, frame);
    return FALSE;
}

char *
gui_stack_view_format (GuiStackView *self)
{
    GString *text = g_string_new (NULL);

    gtk_tree_model_foreach (GTK_TREE_MODEL (self->store), append_text, text);
    return g_string_free (text, FALSE);
}

static void
on_selected (GtkTreeSelection *selection, GuiStackView *self)
{
    g_autoptr (SessionGroup) group = NULL;
    g_autofree char *file = NULL;
    guint line = 0, n_frames = 0;
    GtkTreeIter iter;

    if (self->is_filling || !gtk_tree_selection_get_selected (selection, NULL, &iter)) {
        return;
    }
    gtk_tree_model_get (GTK_TREE_MODEL (self->store), &iter, FILE_NAME, &file, LINE, &line,
                        GROUP, &group, N_FRAMES, &n_frames, -1);
    if (file != NULL && line > 0) {
        g_signal_emit (self, signals[PLACE_CHOSEN], 0, file, line);
    }
    if (group == NULL && n_frames > 0) {
        emit_frames (self, &iter, 0);
    }
}

static void
on_activated (GtkTreeView *view, GtkTreePath *path, GtkTreeViewColumn *column,
              GuiStackView *self)
{
    g_autoptr (JobRankSet) set = NULL;
    GtkTreeIter iter;

    if (gtk_tree_model_get_iter (GTK_TREE_MODEL (self->store), &iter, path)) {
        gtk_tree_model_get (GTK_TREE_MODEL (self->store), &iter, SET, &set, -1);
        if (set != NULL) {
            g_signal_emit (self, signals[SET_CHOSEN], 0, set);
        }
    }
}

static void
note_opened (GuiStackView *self, GtkTreeIter *iter, gboolean is_opened)
{
    g_autofree char *text = NULL;
    gboolean folds = FALSE;

    gtk_tree_model_get (GTK_TREE_MODEL (self->store), iter, FRAME, &text, FOLDS, &folds, -1);
    if (self->is_filling || !folds) {
        return;
    }
    if (is_opened) {
        g_hash_table_add (self->opened, g_steal_pointer (&text));
    } else {
        g_hash_table_remove (self->opened, text);
    }
}

static void
on_expanded (GtkTreeView *view, GtkTreeIter *iter, GtkTreePath *path, GuiStackView *self)
{
    note_opened (self, iter, TRUE);
}

static void
on_collapsed (GtkTreeView *view, GtkTreeIter *iter, GtkTreePath *path, GuiStackView *self)
{
    note_opened (self, iter, FALSE);
}

static void
on_size (GuiStackView *self, const GtkAllocation *allocation)
{
    gboolean is_narrow = allocation->width
                         < NARROW_CHARS * gui_theme_get_char_width (self->view);

    if (is_narrow != self->is_narrow) {
        self->is_narrow = is_narrow;
        g_object_set (self->ranks_cell, "width-chars", is_narrow ? FEW_CHARS : RANKS_CHARS,
                      NULL);
        gtk_tree_view_column_set_visible (self->count, !is_narrow);
        gtk_tree_view_columns_autosize (GTK_TREE_VIEW (self->view));
    }
}

static void
on_map (GuiStackView *self)
{
    set_awake (self, TRUE);
}

static void
on_unmap (GuiStackView *self)
{
    set_awake (self, FALSE);
}

GUI_FINALIZE (gui_stack_view, GuiStackView, gui_properties_clear (self, GUI_TYPE_STACK_VIEW);
              g_object_unref (self->store); g_clear_object (&self->others);
              job_rank_set_free (self->many); job_rank_set_free (self->sampled);
              g_hash_table_unref (self->opened))

static void
gui_stack_view_class_init (GuiStackViewClass *klass)
{
    GUI_PROPERTIES (klass, GuiStackView, (session, SESSION_TYPE_SESSION));
    G_OBJECT_CLASS (klass)->finalize = gui_stack_view_finalize;
    signals[PLACE_CHOSEN] = GUI_SIGNAL (klass, "place-chosen", G_TYPE_STRING, G_TYPE_UINT);
    signals[FRAME_CHOSEN] = GUI_SIGNAL (klass, "frame-chosen", G_TYPE_POINTER, G_TYPE_UINT);
    signals[SET_CHOSEN] = GUI_SIGNAL (klass, "set-chosen", G_TYPE_POINTER);
    GUI_TEMPLATE (klass, "stack-view.ui");
    GUI_CHILDREN (klass, GuiStackView, view, frame, frame_cell, ranks_cell, count);
    GUI_CALLBACKS (klass, on_size, on_map, on_unmap, on_selected, on_activated, on_expanded,
                   on_collapsed);
}

static void
gui_stack_view_init (GuiStackView *self)
{
    self->store = gtk_tree_store_new (N_COLUMNS, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING,
                                      G_TYPE_UINT, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_UINT,
                                      GUI_TYPE_RANK_SET, G_TYPE_STRING, G_TYPE_UINT,
                                      G_TYPE_BOOLEAN, SESSION_TYPE_GROUP);
    self->opened = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    gtk_widget_init_template (GTK_WIDGET (self));
    gtk_tree_view_set_model (GTK_TREE_VIEW (self->view), GTK_TREE_MODEL (self->store));
    gtk_tree_view_set_tooltip_column (GTK_TREE_VIEW (self->view), TIP);
    gtk_tree_view_column_set_cell_data_func (self->frame, self->frame_cell, render_frame, self,
                                             NULL);
    gui_theme_name (self->view, "stack", _ ("Merged stack"));
    gui_hint_set (self->view, _ ("Appears when a rank stops"));
}
