/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Short text for the values of many ranks, for cells and tooltips. */
#pragma once
#include "job/value.h"

/* "same", "[0..7]", "3 values", "only 3". everybody: all ranks that answered. */
char *gui_value_text_format_across (const JobValueRow *row, const JobRankSet *everybody);
/* Lines such as "0-3: 5", at most eight and the number of others; for more numbers the
 * smallest, largest and mean. Not markup. */
char *gui_value_text_format_groups (const JobValueRow *row);
/* Ranks that have the row. Caller owns. */
JobRankSet *gui_value_text_dup_ranks (const JobValueRow *row);
/* The text without a leading "(TYPE) ", which has a column of its own. */
const char *gui_value_text_get_short (const JobValue *value);
