/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One question of a pane to the ranks: sends the request, gathers the events that answer it (by
 * request id), and calls back once. Dropping the query drops the answer. */
#pragma once
#include "session/session.h"

typedef struct _GuiQuery GuiQuery;
/* events: of JobEvent (STACKS, VALUES, FAILURE, …), merged; missing: ranks without an answer. */
typedef void (*GuiQueryDone) (GuiQuery *query, GPtrArray *events, const JobRankSet *missing,
                              gpointer user);
/* Takes the request. `done` may come before this returns. */
GuiQuery *gui_query_new (Session *session, JobRequest *request, GuiQueryDone done, gpointer user);
void gui_query_free (GuiQuery *query);
