/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the group view share: its fields, and the calls between them. */
#pragma once
#include "gui/console/rank-table.h"
#include "gui/group/face-bar.h"
#include "gui/group/group-view.h"
#include "gui/group/place-list.h"
#include "gui/group/stack-view.h"
#include "gui/group/text-pane.h"
#include "gui/source/open-bar.h"
#include "gui/source/place-history.h"
#include "gui/source/source-view.h"
#include "gui/values/value-hover.h"
#include "gui/values/value-pane.h"
#include "session/query.h"

struct _GuiGroupView {
    GtkBox parent;
    GtkWidget *columns, *source_box, *side, *upper, *lower, *chooser, *representative, *age;
    GuiSourceView *source;
    GuiStackView *stack;
    GuiValuePane *locals, *watches;
    GuiTextPane *threads, *registers, *code;
    GuiOpenBar *open_bar;
    GuiFaceBar *face;
    GuiPlaceList *places; /* this and table: NULL where the window has such lists */
    GuiRankTable *table;
    GuiBreakpointList *breakpoints;
    gboolean has_lists;
    GActionMap *window;     /* that has its actions; not owned */
    GuiCommandPanel *panel; /* the window's */
    Session *session;
    SessionSelection *selection; /* the panel's */
    JobRankSet *ranks;
    const JobLocation *blocked_at;  /* the viewed rank's, shown; NULL: it is not blocked */
    guint32 shown_by, shown_thread; /* its thread in the stack; 0: the one that has stopped */
    SessionQuery *stack_query;
    GuiValueHover *hover;
    GuiPlaceHistory *history;
    guint64 shown_stops, seen_stops; /* signatures of the group's stops */
    gint64 shown_us;
    guint tick, pace_source, settle_source, age_source;
    guint grey_source; /* the panes are stale, and turn grey soon */
    gboolean is_stale;
    gboolean is_filling, is_chosen; /* of the viewed rank: pddt is filling the list; the user
                                       chose it */
};

/* Runs the line for the ranks of the view. */
void gui_group_view_run_on_ranks (GuiGroupView *self, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
/* Stopped ranks of the group, and a number that changes with any of their stops. */
JobRankSet *gui_group_view_dup_stopped (GuiGroupView *self, guint64 *ret_signature);
void gui_group_view_update_marks (GuiGroupView *self);
void gui_group_view_watch (GuiGroupView *self, const char *expression);
void gui_group_view_show_array (GuiGroupView *self, const char *expression);

/* group-source.c */
/* Connects the source's actions and signals; call it once the view has its session. */
void gui_group_source_connect (GuiGroupView *self, GActionMap *window);
