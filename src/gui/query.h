/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pane's query to the ranks: sends the request, collects the events that answer it (by
 * request id), and calls back once. Freeing the query discards the answer. */
#pragma once
#include "session/session.h"

typedef struct _GuiQuery GuiQuery;
/* events: of JobEvent (STACKS, VALUES, FAILURE, …), merged; missing: ranks without an answer. */
typedef void (*GuiQueryDone) (GuiQuery *query, GPtrArray *events, const JobRankSet *missing,
                              gpointer user);
/* Takes the request. `done` may come before this returns. */
GuiQuery *gui_query_new (Session *session, JobRequest *request, GuiQueryDone done,
                         gpointer user);
void gui_query_free (GuiQuery *query);
