/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/group/group-panes.h"
#include <glib/gi18n.h>
#include "gui/lists/rank-table.h"
#include "gui/group/grey-panes.h"
#include "gui/group/place-list.h"
#include "gui/group/stack-view.h"
#include "gui/group/text-pane.h"
#include "gui/kit/properties.h"
#include "gui/kit/rank-set.h"
#include "gui/kit/settings.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "gui/values/value-pane.h"
#include "session/options.h"

struct _GuiGroupPanes {
    GtkPaned parent;
    GtkWidget *upper, *lower, *sample, *alone;
    GuiStackView *stack;
    GuiTextPane *threads, *registers, *code;
    GuiValuePane *locals, *line, *watches;
    GuiPlaceList *places; /* this and table: NULL without lists */
    GuiRankTable *table;
    GuiBreakpointList *breakpoints;
    Session *session;
    SessionSelection *selection;
    JobRankSet *ranks;
    guint shown_by;
    GuiGreyPanes *grey;
    gboolean has_lists, is_stale, is_grey;
    guint fit_source;
};

G_DEFINE_TYPE (GuiGroupPanes, gui_group_panes, GTK_TYPE_PANED)

enum {
    RUN_LINE,
    THREAD_LINE,
    SHOW_VALUE,
    PLACE_CHOSEN,
    FRAME_CHOSEN,
    SET_CHOSEN,
    RANK_CHOSEN,
    INLINE_TEXT,
    N_SIGNALS
};
static guint signals[N_SIGNALS];

/* ---- what is asked of it ---- */

void
gui_group_panes_select_frame (GuiGroupPanes *self)
{
    const SessionRank info = session_get_rank (self->session, self->shown_by);
    guint32 frame;
    gboolean is_chosen = session_selection_find_frame (self->selection, self->shown_by, &frame);

    if (info.is_there) {
        gui_stack_view_select (self->stack, self->shown_by, frame,
                               is_chosen ? NULL : info.place);
    }
}

void
gui_group_panes_show_stack (GuiGroupPanes *self, const JobStackTree *tree,
                            const JobRankSet *sampled)
{
    g_autoptr (JobRankSet) others = tree != NULL
                                        ? job_rank_set_subtract (self->ranks, tree->root->ranks)
                                        : job_rank_set_dup (self->ranks);

    gui_grey_panes_except (self->grey, tree == NULL ? self->stack : NULL);
    gui_stack_view_set_tree (self->stack, tree, sampled);
    gui_stack_view_set_others (self->stack, others);
    gui_group_panes_select_frame (self);
}

void
gui_group_panes_refresh_values (GuiGroupPanes *self)
{
    gui_value_pane_refresh (self->locals);
    gui_value_pane_refresh (self->line);
    gui_value_pane_refresh (self->watches);
    gui_text_pane_refresh (self->registers);
    gui_text_pane_refresh (self->code);
}

void
gui_group_panes_refresh_threads (GuiGroupPanes *self)
{
    gui_text_pane_refresh (self->threads);
}

static void
on_alone (GuiGroupPanes *self)
{
    gboolean is_alone = gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->alone));

    g_signal_emit (self, signals[RUN_LINE], 0,
                   is_alone ? "set option scheduler-locking on"
                            : "set option scheduler-locking off");
}

/* Somebody else may have set it, too. */
static void
show_alone (GuiGroupPanes *self)
{
    const char *value = self->session != NULL
                            ? session_get_option (self->session, "scheduler-locking")
                            : NULL;

    g_signal_handlers_block_by_func (self->alone, on_alone, self);
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->alone),
                                  g_strcmp0 (value, "on") == 0);
    g_signal_handlers_unblock_by_func (self->alone, on_alone, self);
}

void
gui_group_panes_update_ages (GuiGroupPanes *self)
{
    show_alone (self);
    if (self->has_lists) {
        gui_rank_table_update_ages (self->table);
        gui_place_list_update_ages (self->places);
    }
    gui_stack_view_update_ages (self->stack);
}

void
gui_group_panes_set_line (GuiGroupPanes *self, char **words)
{
    gui_value_pane_set_expressions (self->line, words);
}

static void
on_line_read (GuiGroupPanes *self)
{
    gboolean is_wanted;
    g_autofree char *text = NULL;

    g_object_get (self->line, "is-needed", &is_wanted, NULL);
    text = is_wanted ? gui_value_pane_format (self->line) : NULL;
    g_signal_emit (self, signals[INLINE_TEXT], 0, text);
}

/* A preference. */
static void
follow_inline (GuiGroupPanes *self)
{
    g_object_set (self->line, "is-needed",
                  g_settings_get_boolean (gui_settings_get (), "inline-values"), NULL);
    on_line_read (self);
}

void
gui_group_panes_watch (GuiGroupPanes *self, const char *expression)
{
    gui_value_pane_add (self->watches, expression);
    gui_theme_show_page (GTK_WIDGET (self->watches));
}

void
gui_group_panes_edit_breakpoint (GuiGroupPanes *self, guint number, const char *text)
{
    if (self->breakpoints == NULL) {
        return;
    }
    gui_theme_show_page (GTK_WIDGET (self->breakpoints));
    if (number != 0) {
        gui_breakpoint_list_edit (self->breakpoints, number);
    } else {
        gui_breakpoint_list_begin (self->breakpoints, text);
    }
}

/* The focus goes to the stack, else to the locals. */
static void
focus (GuiGroupPanes *self, gboolean stack)
{
    GtkWidget *pages = stack ? self->upper : self->lower;

    gtk_notebook_set_current_page (GTK_NOTEBOOK (pages), 0);
    gtk_widget_child_focus (gtk_notebook_get_nth_page (GTK_NOTEBOOK (pages), 0),
                            GTK_DIR_TAB_FORWARD);
}

/* The stack as text. Caller owns. */
static char *
format_stack (GuiGroupPanes *self)
{
    return gui_stack_view_format (self->stack);
}

static void
activate_pane (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    focus (user, g_str_equal (g_action_get_name (G_ACTION (action)), "show-stack"));
}

static void
activate_copy (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    g_autofree char *text = format_stack (user);

    gtk_clipboard_set_text (gtk_widget_get_clipboard (user, GDK_SELECTION_CLIPBOARD), text, -1);
}

static const GActionEntry entries[] = {
    { "show-stack", activate_pane, NULL, NULL, NULL, { 0 } },
    { "show-locals", activate_pane, NULL, NULL, NULL, { 0 } },
    { "copy-stack", activate_copy, NULL, NULL, NULL, { 0 } },
};

void
gui_group_panes_add_actions (GuiGroupPanes *self, GActionMap *window)
{
    g_action_map_add_action_entries (window, entries, G_N_ELEMENTS (entries), self);
}

void
gui_group_panes_offer_sample (GuiGroupPanes *self)
{
    g_autoptr (JobRankSet) running = session_dup_ranks_in_state (self->session,
                                                                 JOB_STATE_RUNNING);

    gtk_widget_set_visible (self->sample, job_rank_set_intersects (running, self->ranks));
}

/* ---- between runs of its program ---- */

char **
gui_group_panes_dup_watches (GuiGroupPanes *self)
{
    return gui_value_pane_dup_expressions (self->watches);
}

void
gui_group_panes_add_watches (GuiGroupPanes *self, char **expressions)
{
    for (guint i = 0; expressions != NULL && expressions[i] != NULL; i++) {
        gui_value_pane_add (self->watches, expressions[i]);
    }
}

void
gui_group_panes_get_pages (GuiGroupPanes *self, int *ret_upper, int *ret_lower)
{
    *ret_upper = MAX (gtk_notebook_get_current_page (GTK_NOTEBOOK (self->upper)), 0);
    *ret_lower = MAX (gtk_notebook_get_current_page (GTK_NOTEBOOK (self->lower)), 0);
}

void
gui_group_panes_set_pages (GuiGroupPanes *self, int upper, int lower)
{
    gtk_notebook_set_current_page (GTK_NOTEBOOK (self->upper), upper);
    gtk_notebook_set_current_page (GTK_NOTEBOOK (self->lower), lower);
}

/* ---- what the user does ---- */

static void
on_run_line (GuiGroupPanes *self, const char *line)
{
    g_signal_emit (self, signals[RUN_LINE], 0, line);
}

static void
on_thread_line (GuiGroupPanes *self, const char *line)
{
    g_signal_emit (self, signals[THREAD_LINE], 0, line);
}

static void
on_show_value (GuiGroupPanes *self, const char *as, const char *expression)
{
    g_signal_emit (self, signals[SHOW_VALUE], 0, as, expression);
}

static void
on_place_chosen (GuiGroupPanes *self, const char *file, guint line)
{
    g_signal_emit (self, signals[PLACE_CHOSEN], 0, file, line);
}

static void
on_frame_chosen (GuiGroupPanes *self, const JobRankSet *set, guint number)
{
    g_signal_emit (self, signals[FRAME_CHOSEN], 0, set, number);
}

static void
on_set_chosen (GuiGroupPanes *self, const JobRankSet *set)
{
    g_signal_emit (self, signals[SET_CHOSEN], 0, set);
}

static void
on_rank_chosen (GuiGroupPanes *self, guint rank)
{
    g_signal_emit (self, signals[RANK_CHOSEN], 0, rank);
}

/* ---- room for tabs ---- */

enum { TAB_PX = 12 }; /* beside its label */

/* As wide as its text: GTK hides the label of a page that is hidden, which then seems to need no room, and the page would
 * come and go for ever. */
static int
get_tab_width (GuiGroupPanes *self, int page)
{
    GtkNotebook *notebook = GTK_NOTEBOOK (self->lower);
    GtkWidget *child = gtk_notebook_get_nth_page (notebook, page);
    GtkWidget *label = gtk_notebook_get_tab_label (notebook, child);
    g_autoptr (PangoLayout) layout
        = gtk_widget_create_pango_layout (label, gtk_label_get_text (GTK_LABEL (label)));
    int width;

    pango_layout_get_pixel_size (layout, &width, NULL);
    return width + TAB_PX;
}

static gboolean
fit_tabs (gpointer user)
{
    GuiGroupPanes *self = user;
    int wanted = 0;

    self->fit_source = 0;
    for (int i = 0; i < gtk_notebook_get_n_pages (GTK_NOTEBOOK (self->lower)); i++) {
        wanted += get_tab_width (self, i);
    }
    gtk_widget_set_visible (GTK_WIDGET (self->line),
                            gtk_widget_get_allocated_width (self->lower) >= wanted);
    return G_SOURCE_REMOVE;
}

/* The page of the current line is there where all tabs have room: what it shows, the source can, too. */
static void
on_lower_size (GuiGroupPanes *self)
{
    if (self->fit_source == 0) {
        self->fit_source = g_idle_add (fit_tabs, self);
    }
}

/* ---- its properties ---- */

static void
enter_stale (gpointer user)
{
    GuiGroupPanes *self = user;

    gui_grey_panes_follow (self->grey, self->is_stale);
    if (!self->is_stale && self->is_grey) {
        self->is_grey = FALSE;
        g_object_notify (G_OBJECT (self), "is-grey");
    }
}

static void
on_grey (gpointer user)
{
    GuiGroupPanes *self = user;

    self->is_grey = TRUE;
    gui_value_pane_note_stale (self->locals);
    gui_value_pane_note_stale (self->line);
    gui_value_pane_note_stale (self->watches);
    g_object_notify (G_OBJECT (self), "is-grey");
}

static void
enter_ranks (gpointer user)
{
    GuiGroupPanes *self = user;

    if (self->ranks == NULL) {
        self->ranks = job_rank_set_new ();
    }
}

/* ---- its life ---- */

static void
insert_page (GtkWidget *notebook, gpointer pane, const char *title, int position)
{
    gtk_widget_show (pane);
    gtk_notebook_insert_page (GTK_NOTEBOOK (notebook), pane, NULL, position);
    gtk_notebook_set_tab_label_text (GTK_NOTEBOOK (notebook), pane, title);
}

static void
add_lists (GuiGroupPanes *self)
{
    GtkWidget *breakpoints = gui_breakpoint_list_new ();

    self->places = GUI_PLACE_LIST (gui_place_list_new ());
    self->table = GUI_RANK_TABLE (gui_rank_table_new ());
    insert_page (self->upper, self->places, _ ("Places"), 1);
    insert_page (self->upper, self->table, _ ("Ranks"), 2);
    insert_page (self->lower, breakpoints, _ ("Breakpoints"), 2);
    g_object_set (self, "breakpoints", breakpoints, NULL);
    gui_properties_share (self, "session", self->places, self->table, breakpoints, NULL);
    gui_properties_share (self, "ranks", self->places, self->table, breakpoints, NULL);
    g_signal_connect_swapped (self->table, "rank-chosen", G_CALLBACK (on_rank_chosen), self);
    g_signal_connect_swapped (self->places, "set-chosen", G_CALLBACK (on_set_chosen), self);
    g_signal_connect_swapped (breakpoints, "run-line", G_CALLBACK (on_run_line), self);
}

/* Said once, before there is a session. */
static void
enter_has_lists (gpointer user)
{
    g_return_if_fail (GUI_GROUP_PANES (user)->places == NULL);
    add_lists (user);
}

GUI_DISPOSE (gui_group_panes, GuiGroupPanes,
             g_clear_handle_id (&self->fit_source, g_source_remove);
             g_clear_pointer (&self->grey, gui_grey_panes_free);
             gui_properties_clear (self, GUI_TYPE_GROUP_PANES))

static void
gui_group_panes_class_init (GuiGroupPanesClass *klass)
{
    G_OBJECT_CLASS (klass)->dispose = gui_group_panes_dispose;
    GUI_PROPERTIES (klass, GuiGroupPanes, (has_lists, G_TYPE_BOOLEAN, .enter = enter_has_lists),
                    (session, SESSION_TYPE_SESSION), (selection, SESSION_TYPE_SELECTION),
                    (ranks, GUI_TYPE_RANK_SET, .enter = enter_ranks), (shown_by, G_TYPE_UINT),
                    (breakpoints, GUI_TYPE_BREAKPOINT_LIST),
                    (is_stale, G_TYPE_BOOLEAN, .enter = enter_stale),
                    (is_grey, G_TYPE_BOOLEAN, .flags = G_PARAM_READABLE));
    signals[RUN_LINE] = GUI_SIGNAL (klass, "run-line", G_TYPE_STRING);
    signals[THREAD_LINE] = GUI_SIGNAL (klass, "thread-line", G_TYPE_STRING);
    signals[SHOW_VALUE] = GUI_SIGNAL (klass, "show-value", G_TYPE_STRING, G_TYPE_STRING);
    signals[PLACE_CHOSEN] = GUI_SIGNAL (klass, "place-chosen", G_TYPE_STRING, G_TYPE_UINT);
    signals[FRAME_CHOSEN] = GUI_SIGNAL (klass, "frame-chosen", G_TYPE_POINTER, G_TYPE_UINT);
    signals[SET_CHOSEN] = GUI_SIGNAL (klass, "set-chosen", G_TYPE_POINTER);
    signals[RANK_CHOSEN] = GUI_SIGNAL (klass, "rank-chosen", G_TYPE_UINT);
    signals[INLINE_TEXT] = GUI_SIGNAL (klass, "inline-text", G_TYPE_STRING);
    GUI_ENSURE (GUI_TYPE_STACK_VIEW, GUI_TYPE_TEXT_PANE, GUI_TYPE_VALUE_PANE);
    GUI_TEMPLATE (klass, "group-panes.ui");
    GUI_CHILDREN (klass, GuiGroupPanes, upper, sample, alone, lower, stack, threads, locals,
                  line, watches, registers, code);
    GUI_CALLBACKS (klass, on_run_line, on_thread_line, on_alone, show_alone, on_show_value,
                   gui_group_panes_watch, on_place_chosen, on_frame_chosen, on_set_chosen,
                   on_line_read);
}

static void
gui_group_panes_init (GuiGroupPanes *self)
{
    self->ranks = job_rank_set_new ();
    self->grey = gui_grey_panes_new (on_grey, self);
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name (self->sample, "sample-stacks", NULL);
    gui_theme_name (self->alone, "step-alone", NULL);
    gui_theme_guard_notebook (GTK_NOTEBOOK (self->upper));
    gui_theme_guard_notebook (GTK_NOTEBOOK (self->lower));
    gui_properties_share (self, "session", self->stack, self->threads, self->locals, self->line,
                          self->watches, self->registers, self->code, NULL);
    gui_properties_share (self, "selection", self->threads, self->locals, self->line,
                          self->watches, self->registers, self->code, NULL);
    g_signal_connect_object (self->lower, "size-allocate", G_CALLBACK (on_lower_size), self,
                             G_CONNECT_SWAPPED);
    if (gui_settings_get () != NULL) {
        g_signal_connect_object (gui_settings_get (), "changed::inline-values",
                                 G_CALLBACK (follow_inline), self, G_CONNECT_SWAPPED);
        follow_inline (self);
    }

    gpointer const panes[] = { self->stack,   self->locals,    self->line, self->watches,
                               self->threads, self->registers, self->code };
    for (guint i = 0; i < G_N_ELEMENTS (panes); i++) {
        gui_grey_panes_add (self->grey, panes[i]);
    }
}
