/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the console window share: its fields, and the calls between them. */
#pragma once
#include "gui/chart/selection-bar.h"
#include "gui/chart/state-chart.h"
#include "gui/chart/state-legend.h"
#include "gui/console/console-window.h"
#include "gui/console/log-view.h"
#include "gui/console/output-view.h"
#include "gui/console/session-keeper.h"
#include "gui/group/group-view.h"
#include "gui/kit/command-panel.h"
#include "gui/kit/progress-line.h"
#include "gui/waits/wait-view.h"

struct _GuiConsoleWindow {
    GtkApplicationWindow parent;
    GtkWidget *header, *toolbar, *info_bar, *info_icon, *info_text, *info_open, *info_do,
        *act_on, *act_on_entry, *summary, *age, *auto_update, *chart_box, *legend_box, *pages,
        *menu, *group, *moves, *restart, *stop, *help, *rows, *view_box, *summary_row;
    GuiSelectionBar *selection;
    GtkWidget *only_selected;
    char *acts_on; /* what the chooser shows of the focus */
    GuiStateChart *chart;
    GuiStateLegend *legend;
    GuiGroupView *view; /* of the ranks acted on */
    GuiCommandPanel *panel;
    GuiOutputView *output;
    GuiWaitView *waits;
    GuiProgressLine *progress;
    GtkWidget *groups, *ranks, *breakpoints;
    GuiLogView *log;
    guint32 ranks_size; /* number of ranks in the table */
    Session *session;
    GuiSessionKeeper *keeper;
    GtkApplication *application;
    JobRankSet *bad;   /* ranks of the info bar */
    char *offer;       /* command of the info bar's button; NULL none */
    GPtrArray *severe; /* of JobEvent: what the info bar reports, until it is closed */
    guint tick, age_source, auto_source;
    gint64 started_us, changed_us;  /* changed: the last state event */
    gint64 shown_us;                /* when the text was last updated, by the frame clock */
    guint n_soon;                   /* updates in quick succession */
    gboolean is_closing, may_close; /* may: the user has said what becomes of the ranks */
    GtkWidget *closing;             /* that question, while it is asked; NULL */
};

/* console-window.c */
JobRankSet *gui_console_window_dup_focus (gpointer window);
/* Shows changes with the next frame. */
void gui_console_window_queue_update (GuiConsoleWindow *self);
/* Updates only the line of counts, whose ages have changed. */
void gui_console_window_update_summary (GuiConsoleWindow *self);

/* console-build.c */
void gui_console_build (GuiConsoleWindow *self);
/* Fits the window into its default size, once that is known. */
void gui_console_build_share_room (GuiConsoleWindow *self);

/* console-actions.c */
void gui_console_actions_add (GuiConsoleWindow *self);
/* Enables Restart and Stop where they can work. */
void gui_console_actions_update (GuiConsoleWindow *self);

/* console-profile.c */
void gui_console_profile_add (GuiConsoleWindow *self);
/* The button's state is what the panel's commands have made it. */
void gui_console_profile_update (GuiConsoleWindow *self);

/* console-age.c */
void gui_console_age_update (GuiConsoleWindow *self);
/* Keeps the age and the title up to date, and follows the settings for auto-refresh and
 * just-my-code. */
void gui_console_age_connect (GuiConsoleWindow *self);
/* Applies the user's settings to a job that is ready. */
void gui_console_age_apply_settings (GuiConsoleWindow *self);
void gui_console_age_clear (GuiConsoleWindow *self);

/* console-closing.c */
/* TRUE: ranks would be killed, and the user is asked; the answer closes the window. */
gboolean gui_console_closing_ask (GuiConsoleWindow *self);

/* console-info.c */
/* Follows the session's messages: shows problems in the info bar. */
void gui_console_info_connect (GuiConsoleWindow *self);
void gui_console_info_clear (GuiConsoleWindow *self);
