/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of a group window share: its fields, and the calls between them. */
#pragma once
#include "gui/console/breakpoint-list.h"
#include "gui/console/rank-table.h"
#include "gui/group/face-bar.h"
#include "gui/group/group-window.h"
#include "gui/group/place-list.h"
#include "gui/group/stack-view.h"
#include "gui/group/text-pane.h"
#include "gui/kit/command-panel.h"
#include "gui/kit/progress-line.h"
#include "gui/source/open-bar.h"
#include "gui/source/place-history.h"
#include "gui/source/source-view.h"
#include "gui/values/value-hover.h"
#include "gui/values/value-pane.h"
#include "session/query.h"

struct _GuiGroupWindow {
    GtkApplicationWindow parent;
    GtkWidget *header, *acts_on, *representative, *age, *columns, *rows, *source_box, *side,
        *upper, *lower, *bottom;
    GuiSourceView *source;
    GuiStackView *stack;
    GuiValuePane *locals, *watches;
    GuiTextPane *threads, *registers, *code;
    GuiPlaceList *places;
    GuiOpenBar *open_bar;
    GuiRankTable *table;
    GuiBreakpointList *breakpoints;
    GuiFaceBar *face;
    GuiCommandPanel *panel;
    GuiProgressLine *progress;
    GtkApplication *application;
    Session *session;
    SessionSelection *selection; /* the panel's */
    JobRankSet *ranks;
    char *name;
    guint32 shown_by, shown_thread; /* its thread in the stack; 0: the one that has stopped */
    SessionQuery *stack_query;
    GuiValueHover *hover;
    GuiPlaceHistory *history;
    guint64 shown_stops, seen_stops; /* signatures of the group's stops */
    gint64 shown_us;
    guint tick, settle_source, age_source;
    gboolean is_filling, is_chosen; /* of the viewed rank: pddt is filling the list; the user
                                       chose it */
};

/* group-window.c */
/* Runs the line for the ranks of the window. */
void gui_group_window_run_on_ranks (GuiGroupWindow *self, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
/* Stopped ranks of the group, and a number that changes with any of their stops. */
JobRankSet *gui_group_window_dup_stopped (GuiGroupWindow *self, guint64 *ret_signature);
void gui_group_window_update_marks (GuiGroupWindow *self);
void gui_group_window_set_shown_by (GuiGroupWindow *self, guint32 rank);
void gui_group_window_watch (GuiGroupWindow *self, const char *expression);
void gui_group_window_show_array (GuiGroupWindow *self, const char *expression);

/* group-build.c */
void gui_group_build (GuiGroupWindow *self);
/* Places the window beside the console, with room for the source. */
void gui_group_build_place (GuiGroupWindow *self);

/* group-source.c */
/* Connects the source's actions and signals; call it once the window has its session. */
void gui_group_source_connect (GuiGroupWindow *self);
