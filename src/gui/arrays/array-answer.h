/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arrays that ranks answer with. */
#pragma once
#include "session/query.h"

/* Of GuiArrayData, one for each rank in ret_ranks (of guint32, ascending), which is empty before. NULL: one of them cannot
 * be shown, as in gui_array_data_new. Caller owns. */
GPtrArray *gui_array_answer_read (const GPtrArray *events, GArray *ret_ranks, GError **error);
/* The ranks without such an array, and why; NULL: none. Caller owns. */
char *gui_array_answer_format_failures (const SessionAnswer *answer);
