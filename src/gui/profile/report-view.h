/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of what is selected, with the words and numbers of its files (`--report`). */
#pragma once
#include "gui/profile/profile-canvas.h"
#include "profile/page.h"

#define GUI_TYPE_REPORT_VIEW (gui_report_view_get_type ())
G_DECLARE_FINAL_TYPE (GuiReportView, gui_report_view, GUI, REPORT_VIEW, GuiProfileCanvas)

GtkWidget *gui_report_view_new (GuiProfileSelection *selection);
/* The report of that model. */
ProfilePage *gui_report_view_make_page (const ProfileModel *model);
/* The same into a file, in English: .html, .txt, .csv or .json. The errors are profile_report_write's. */
gboolean gui_report_view_write (const ProfileModel *model, const char *path, GError **error);
