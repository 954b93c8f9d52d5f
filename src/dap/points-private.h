/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What points.c does for every kind of breakpoint: those of a request replace those of the one before. */
#pragma once
#include "dap/private.h"

/* Of these, none is wanted any more; source NULL: of all. */
void dap_points_begin (DapServer *server, const char *kind, const char *source);
/* One that the client has said in the same words before, or a new one. Borrowed. */
DapPoint *dap_points_want (DapRequest *request, const char *kind, const char *source,
                           const json_t *said);
/* Deletes the unwanted, sets the new, and answers when they are set. ids: of gint64; taken. */
void dap_points_finish (DapRequest *request, const char *kind, const char *source, GArray *ids);
/* The list's members are objects with these members; FALSE: the request has failed. */
gboolean dap_points_check (DapRequest *request, const json_t *list, const char *text,
                           const char *number);
