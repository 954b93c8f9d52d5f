/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/communication-view.h"
#include <glib/gi18n.h>
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "gui/profile/message-matrix.h"
#include "profile/messages.h"
#include "profile/waits.h"
#include "base/array.h"

/* Up to SECONDS as in communication-view.ui. */
enum { RANK, KIND, CALL, PLACE, CAUSE, CAUSE_PLACE, TIMES, SECONDS, NUMBER, ABOUT };
enum {
    SHOWN = SECONDS + 1,
    PAPER_ROW = 18,
    PAPER_TEXT = 11,
    PAPER_MATRIX = 280,
    MAX_PRINTED = 200
};

struct _GuiCommunicationView {
    GtkBox parent;
    GuiProfileSelection *selection;
    GtkWidget *matrix, *list, *sentence;
    GtkTreeViewColumn *time_column;
    GtkCellRenderer *time_cell;
    GtkListStore *store;
    gboolean is_stale;
};

static void view_init (GuiProfileViewInterface *iface);

G_DEFINE_TYPE_WITH_CODE (GuiCommunicationView, gui_communication_view, GTK_TYPE_BOX,
                         G_IMPLEMENT_INTERFACE (GUI_TYPE_PROFILE_VIEW, view_init))

static const ProfileModel *
get_model (GuiCommunicationView *self)
{
    return gui_profile_selection_get_model (self->selection);
}

gboolean
gui_communication_view_has_any (GuiCommunicationView *self)
{
    const ProfileModel *model = get_model (self);

    return model != NULL
           && (profile_model_get_waits (model)->len > 0
               || profile_model_get_traffic (model)->len > 0);
}

/* ---- messages ---- */

BASE_ORDER (compare_pairs, ProfileTraffic, BASE_BY (from) ?: BASE_BY (to))

/* Of the selected time, from the messages themselves. Where some are left out, the others stand for them. */
static GArray *
sum_messages (GuiCommunicationView *self)
{
    const ProfileModel *model = get_model (self);
    guint64 step = profile_messages_get_step (model);
    GArray *sums = g_array_new (FALSE, FALSE, sizeof (ProfileTraffic));
    g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint32));
    guint n = 0;

    profile_messages_find (model, gui_profile_selection_get_begin (self->selection),
                           gui_profile_selection_get_end (self->selection), G_MAXUINT, numbers);
    for (guint i = 0; i < numbers->len; i++) {
        const ProfileMessage *message
            = profile_messages_get (model, g_array_index (numbers, guint32, i));

        BASE_APPEND (sums, ProfileTraffic, message->from, message->to, step,
                     step * message->bytes);
    }
    g_array_sort (sums, compare_pairs);
    for (guint i = 1; i < sums->len; i++) {
        ProfileTraffic *last = &g_array_index (sums, ProfileTraffic, n);
        const ProfileTraffic *pair = &g_array_index (sums, ProfileTraffic, i);

        if (compare_pairs (last, pair) == 0) {
            last->n += pair->n;
            last->bytes += pair->bytes;
        } else {
            g_array_index (sums, ProfileTraffic, ++n) = *pair;
        }
    }
    g_array_set_size (sums, sums->len > 0 ? n + 1 : 0);
    return sums;
}

/* Up to the last one, whether it has sent and received anything or not. */
static guint32
count_ranks (const ProfileModel *model)
{
    g_autoptr (JobRankSet) ranks = profile_model_dup_ranks (model);
    guint32 n = 0;

    JOB_EACH_RANK (ranks, rank) {
        n = MAX (n, rank + 1);
    }
    return n;
}

static void
show_matrix (GuiCommunicationView *self)
{
    const ProfileModel *model = get_model (self);
    g_autoptr (GArray) part = gui_profile_selection_is_all_time (self->selection)
                                      || profile_model_get_n_messages (model) == 0
                                  ? NULL
                                  : sum_messages (self);

    gui_message_matrix_show (GUI_MESSAGE_MATRIX (self->matrix),
                             part != NULL ? part : profile_model_get_traffic (model),
                             count_ranks (model),
                             gui_profile_selection_get_ranks (self->selection),
                             part != NULL ? profile_messages_get_step (model) : 1);
}

/* ---- waits ---- */

static gboolean
is_selected (GuiCommunicationView *self, const ProfileWait *wait)
{
    const JobRankSet *ranks = gui_profile_selection_get_ranks (self->selection);

    return (ranks == NULL || job_rank_set_contains (ranks, wait->rank)
            || job_rank_set_contains (ranks, wait->cause))
           && (gui_profile_selection_is_all_time (self->selection)
               || (profile_messages_get_seconds (get_model (self), wait->begin_us)
                       <= gui_profile_selection_get_end (self->selection)
                   && profile_messages_get_seconds (get_model (self), wait->end_us)
                          >= gui_profile_selection_get_begin (self->selection)));
}

static void
add_wait (GuiCommunicationView *self, guint number)
{
    const ProfileWait *wait = &g_array_index (profile_model_get_waits (get_model (self)),
                                              ProfileWait, number);
    g_autofree char *place = g_utf8_make_valid (wait->place, -1);
    g_autofree char *cause_place = g_utf8_make_valid (wait->cause_place, -1);
    g_autofree char *sentence = profile_wait_format (wait, BASE_TEXT_SHOWN);
    g_autofree char *valid = g_utf8_make_valid (sentence, -1);
    g_autofree char *about = g_markup_escape_text (valid, -1);

    gtk_list_store_insert_with_values (self->store, NULL, -1, RANK, wait->rank, KIND,
                                       _ (profile_wait_get_name (wait->kind)), CALL, wait->call,
                                       PLACE, place, CAUSE, wait->cause, CAUSE_PLACE,
                                       cause_place, TIMES, wait->n, SECONDS, wait->seconds,
                                       NUMBER, number, ABOUT, about, -1);
}

/* Of those in the list; NULL: it is empty. */
static const ProfileWait *
find_longest (GuiCommunicationView *self)
{
    return BASE_FIND_ROW (profile_model_get_waits (get_model (self)), const ProfileWait, wait,
                          is_selected (self, wait));
}

static void
show_sentence (GuiCommunicationView *self, const ProfileWait *wait)
{
    const ProfileWait *longest = find_longest (self);
    g_autofree char *sentence = longest != NULL ? profile_wait_format (longest, BASE_TEXT_SHOWN)
                                                : NULL;
    g_autofree char *text = NULL;

    if (wait != NULL) {
        text = profile_wait_format (wait, BASE_TEXT_SHOWN);
    } else if (longest == NULL) {
        text = g_strdup (profile_model_get_waits (get_model (self))->len == 0
                             ? _ ("No rank has waited for another one in MPI.")
                             : _ ("No rank has its longest wait in the selection."));
    } else if (!gui_profile_selection_is_all_time (self->selection)) {
        text = g_strdup_printf (
            _ ("In the whole run: %s. The list has the waits whose longest one is in the selected time."),
            sentence);
    } else {
        text = g_strdup_printf (_ ("The longest wait: %s."), sentence);
    }
    gtk_label_set_text (GTK_LABEL (self->sentence), text);
    gtk_widget_set_tooltip_text (self->sentence, text);
}

static void
update (GuiCommunicationView *self)
{
    const GArray *waits;

    self->is_stale = FALSE;
    if (get_model (self) == NULL) {
        return;
    }
    show_matrix (self);
    gtk_list_store_clear (self->store);
    waits = profile_model_get_waits (get_model (self));
    for (guint i = 0; i < waits->len; i++) {
        if (is_selected (self, &g_array_index (waits, ProfileWait, i))) {
            add_wait (self, i);
        }
    }
    show_sentence (self, NULL);
}

/* ---- following the selection ---- */

static void
on_changed (GuiProfileSelection *selection, guint what, GuiCommunicationView *self)
{
    if ((what & GUI_PROFILE_CHANGE_MODEL) != 0) {
        gtk_list_store_clear (self->store);
    }
    if ((what & (GUI_PROFILE_CHANGE_MODEL | GUI_PROFILE_CHANGE_SLICE)) != 0) {
        self->is_stale = TRUE;
    }
    if (self->is_stale && gtk_widget_get_mapped (GTK_WIDGET (self))) {
        update (self);
    }
}

static void
gui_communication_view_map (GtkWidget *widget)
{
    GuiCommunicationView *self = GUI_COMMUNICATION_VIEW (widget);

    if (self->is_stale) {
        update (self);
    }
    GTK_WIDGET_CLASS (gui_communication_view_parent_class)->map (widget);
}

/* ---- the user ---- */

static const ProfileWait *
get_wait (GuiCommunicationView *self)
{
    const GArray *waits = get_model (self) != NULL ? profile_model_get_waits (get_model (self))
                                                   : NULL;
    GtkTreeModel *model;
    GtkTreeIter iter;
    guint number;

    if (!gtk_tree_selection_get_selected (
            gtk_tree_view_get_selection (GTK_TREE_VIEW (self->list)), &model, &iter)) {
        return NULL;
    }
    gtk_tree_model_get (model, &iter, NUMBER, &number, -1);
    return waits != NULL && number < waits->len ? &g_array_index (waits, ProfileWait, number)
                                                : NULL;
}

static void
on_selected (GuiCommunicationView *self)
{
    if (!self->is_stale && get_model (self) != NULL) {
        show_sentence (self, get_wait (self));
    }
}

/* Both ranks select what they have to do with each other; the same again: all. */
static void
on_chosen (GtkWidget *matrix, guint from, guint to, GuiCommunicationView *self)
{
    const JobRankSet *before = gui_profile_selection_get_ranks (self->selection);
    g_autoptr (JobRankSet) ranks = job_rank_set_new ();

    job_rank_set_add (ranks, from);
    job_rank_set_add (ranks, to);
    gui_profile_selection_set_ranks (self->selection,
                                     before != NULL && job_rank_set_equal (before, ranks)
                                         ? NULL
                                         : ranks);
}

static JobLocation
make_location (const ProfileWait *wait, gboolean is_cause)
{
    return (JobLocation){ .file = is_cause ? wait->cause_file : wait->file,
                          .line = is_cause ? wait->cause_line : wait->line };
}

static void
go_to_place (GuiCommunicationView *self)
{
    const ProfileWait *wait = get_wait (self);
    JobLocation location;

    if (wait != NULL) {
        location = make_location (wait, FALSE);
        gui_profile_view_go_to_source (GUI_PROFILE_VIEW (self), &location);
    }
}

static void
go_to_cause (GuiCommunicationView *self)
{
    const ProfileWait *wait = get_wait (self);
    JobLocation location;

    if (wait != NULL) {
        location = make_location (wait, TRUE);
        gui_profile_view_go_to_source (GUI_PROFILE_VIEW (self), &location);
    }
}

static void
debug_here (GuiCommunicationView *self)
{
    const ProfileWait *wait = get_wait (self);
    JobLocation location;

    if (wait != NULL) {
        location = make_location (wait, FALSE);
        gui_profile_view_debug_here (GUI_PROFILE_VIEW (self), &location);
    }
}

/* The longest of them, with as much time around it. */
static void
show_in_timeline (GuiCommunicationView *self)
{
    const ProfileWait *wait = get_wait (self);
    g_autoptr (JobRankSet) ranks = job_rank_set_new ();
    double begin, end, around;

    if (wait == NULL) {
        return;
    }
    begin = profile_messages_get_seconds (get_model (self), wait->begin_us);
    end = profile_messages_get_seconds (get_model (self), wait->end_us);
    around = (end - begin) / 2;
    job_rank_set_add (ranks, wait->rank);
    job_rank_set_add (ranks, wait->cause);
    gui_profile_selection_set_ranks (self->selection, ranks);
    gui_profile_selection_set_time (self->selection, begin - around, end + around);
    gui_profile_view_show_page (GUI_PROFILE_VIEW (self), "timeline");
}

static void
add_item (GuiCommunicationView *self, GtkWidget *menu, const char *id, const char *label,
          void (*action) (GuiCommunicationView *), gboolean is_sensitive)
{
    GtkWidget *item = gtk_menu_item_new_with_mnemonic (label);

    gui_theme_name (item, id, NULL);
    gtk_widget_set_sensitive (item, is_sensitive);
    g_signal_connect_swapped (item, "activate", G_CALLBACK (action), self);
    gtk_menu_shell_append (GTK_MENU_SHELL (menu), item);
}

static void
popup (GuiCommunicationView *self, const GdkEvent *event)
{
    const ProfileWait *wait = get_wait (self);
    GtkWidget *menu = gtk_menu_new ();

    gtk_menu_attach_to_widget (GTK_MENU (menu), GTK_WIDGET (self), NULL);
    add_item (self, menu, "go-to-source", _ ("_Go to Source"), go_to_place,
              wait != NULL && wait->line > 0);
    add_item (self, menu, "go-to-cause", _ ("Go to _Cause"), go_to_cause,
              wait != NULL && wait->cause_line > 0);
    add_item (self, menu, "show-in-timeline", _ ("Show in _Timeline"), show_in_timeline,
              wait != NULL && wait->end_us > 0);
    add_item (self, menu, "debug-here", _ ("_Debug Here"), debug_here,
              wait != NULL && wait->line > 0);
    gtk_widget_show_all (menu);
    if (event != NULL) {
        gtk_menu_popup_at_pointer (GTK_MENU (menu), event);
    } else {
        gtk_menu_popup_at_widget (GTK_MENU (menu), self->list, GDK_GRAVITY_CENTER,
                                  GDK_GRAVITY_NORTH_WEST, NULL);
    }
}

static gboolean
on_press (GtkWidget *list, GdkEventButton *event, GuiCommunicationView *self)
{
    GtkTreePath *path = NULL;

    if (!gdk_event_triggers_context_menu ((GdkEvent *) event)
        || !gtk_tree_view_get_path_at_pos (GTK_TREE_VIEW (list), (int) event->x, (int) event->y,
                                           &path, NULL, NULL, NULL)) {
        return FALSE;
    }
    gtk_tree_view_set_cursor (GTK_TREE_VIEW (list), path, NULL, FALSE);
    gtk_tree_path_free (path);
    popup (self, (GdkEvent *) event);
    return TRUE;
}

static gboolean
on_popup_menu (GtkWidget *list, GuiCommunicationView *self)
{
    popup (self, NULL);
    return TRUE;
}

/* ---- on paper ---- */

static char *
dup_cell (const ProfileWait *wait, int column)
{
    switch (column) {
    case RANK: return g_strdup_printf ("%u", wait->rank);
    case KIND: return g_strdup (_ (profile_wait_get_name (wait->kind)));
    case CALL: return g_strdup (wait->call);
    case PLACE: return g_utf8_make_valid (wait->place, -1);
    case CAUSE: return g_strdup_printf ("%u", wait->cause);
    case CAUSE_PLACE: return g_utf8_make_valid (wait->cause_place, -1);
    case TIMES: return g_strdup_printf ("%" G_GUINT64_FORMAT, wait->n);
    default: return gui_profile_format_time (wait->seconds);
    }
}

static gboolean
is_number (int column)
{
    return column == RANK || column == CAUSE || column >= TIMES;
}

static void
draw_row (GuiCommunicationView *self, cairo_t *cr, const ProfileWait *wait, double y,
          double width, const GuiProfileColours *colours)
{
    static const double shares[SHOWN] = { 0.06, 0.14, 0.13, 0.22, 0.09, 0.22, 0.06, 0.08 };
    double x = 0;

    for (int column = 0; column < SHOWN; column++) {
        double wide = shares[column] * width;
        GtkTreeViewColumn *shown = gtk_tree_view_get_column (GTK_TREE_VIEW (self->list),
                                                             column);
        g_autofree char *text = wait != NULL
                                    ? dup_cell (wait, column)
                                    : g_strdup (gtk_tree_view_column_get_title (shown));

        gui_profile_draw_text (cr, text, PAPER_TEXT, wait == NULL, colours->foreground,
                               is_number (column) ? GUI_PROFILE_RIGHT : GUI_PROFILE_LEFT,
                               is_number (column) ? x + wide - 8 : x + 4, y + 2, wide - 10);
        x += wide;
    }
}

static void
draw_view (GuiProfileView *view, cairo_t *cr, double width, double height,
           const GuiProfileColours *colours)
{
    GuiCommunicationView *self = GUI_COMMUNICATION_VIEW (view);
    double y = PAPER_MATRIX + PAPER_ROW;
    const GArray *waits;
    guint n = 0;

    if (self->is_stale) {
        update (self);
    }
    gui_profile_set_colour (cr, colours->background, 1);
    cairo_rectangle (cr, 0, 0, width, height);
    cairo_fill (cr);
    if (get_model (self) == NULL) {
        return;
    }
    waits = profile_model_get_waits (get_model (self));
    gui_message_matrix_paint (GUI_MESSAGE_MATRIX (self->matrix), cr, width, PAPER_MATRIX,
                              colours);
    draw_row (self, cr, NULL, y, width, colours);
    for (guint i = 0; i < waits->len && n < MAX_PRINTED && y + 2 * PAPER_ROW <= height; i++) {
        const ProfileWait *wait = &g_array_index (waits, ProfileWait, i);

        if (is_selected (self, wait)) {
            y += PAPER_ROW;
            n++;
            gui_profile_set_colour (cr, colours->grid, 1);
            cairo_rectangle (cr, 0, y, width, 1);
            cairo_fill (cr);
            draw_row (self, cr, wait, y, width, colours);
        }
    }
}

static double
get_height (GuiProfileView *view, double width)
{
    GuiCommunicationView *self = GUI_COMMUNICATION_VIEW (view);
    int n;

    if (self->is_stale) {
        update (self);
    }
    n = gtk_tree_model_iter_n_children (GTK_TREE_MODEL (self->store), NULL);
    return PAPER_MATRIX + PAPER_ROW * (3.0 + MIN (n, MAX_PRINTED));
}

/* ---- the object ---- */

static void
view_init (GuiProfileViewInterface *iface)
{
    iface->title = N_ ("Communication");
    iface->id = "communication";
    iface->draw = draw_view;
    iface->get_height = get_height;
}

static void
set_time (GtkTreeViewColumn *column, GtkCellRenderer *cell, GtkTreeModel *model,
          GtkTreeIter *iter, gpointer user)
{
    g_autofree char *text = NULL;
    double seconds;

    gtk_tree_model_get (model, iter, SECONDS, &seconds, -1);
    text = gui_profile_format_time (seconds);
    g_object_set (cell, "text", text, NULL);
}

static void
leave_selection (gpointer user)
{
    g_signal_handlers_disconnect_by_data (GUI_COMMUNICATION_VIEW (user)->selection, user);
}

static void
enter_selection (gpointer user)
{
    GuiCommunicationView *self = user;

    g_signal_connect (self->selection, "changed", G_CALLBACK (on_changed), self);
}

static void
gui_communication_view_destroy (GtkWidget *widget)
{
    GuiCommunicationView *self = GUI_COMMUNICATION_VIEW (widget);

    if (self->selection != NULL) {
        g_signal_handlers_disconnect_by_data (
            gtk_tree_view_get_selection (GTK_TREE_VIEW (self->list)), self);
    }
    gui_properties_clear (self, GUI_TYPE_COMMUNICATION_VIEW);
    GTK_WIDGET_CLASS (gui_communication_view_parent_class)->destroy (widget);
}

static void
gui_communication_view_class_init (GuiCommunicationViewClass *klass)
{
    GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

    GUI_PROPERTIES (klass, GuiCommunicationView,
                    (selection, GUI_TYPE_PROFILE_SELECTION, leave_selection, enter_selection,
                     G_PARAM_CONSTRUCT_ONLY));
    widget->destroy = gui_communication_view_destroy;
    widget->map = gui_communication_view_map;
    GUI_ENSURE (GUI_TYPE_MESSAGE_MATRIX);
    GUI_TEMPLATE (klass, "communication-view.ui");
    GUI_CHILDREN (klass, GuiCommunicationView, store, matrix, list, sentence, time_column,
                  time_cell);
    GUI_CALLBACKS (klass, on_chosen, go_to_place, on_press, on_popup_menu, on_selected);
}

static void
gui_communication_view_init (GuiCommunicationView *self)
{
    self->is_stale = TRUE;
    gtk_widget_init_template (GTK_WIDGET (self));
    gtk_tree_view_set_tooltip_column (GTK_TREE_VIEW (self->list), ABOUT);
    gtk_tree_view_column_set_cell_data_func (self->time_column, self->time_cell, set_time, NULL,
                                             NULL);
    gui_theme_name (self->list, "wait-list", _ ("Waiting in MPI"));
    gui_theme_name (self->sentence, "wait-sentence", NULL);
}

GtkWidget *
gui_communication_view_new (GuiProfileSelection *selection)
{
    return g_object_new (GUI_TYPE_COMMUNICATION_VIEW, "selection", selection, NULL);
}
