/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Short text for the values of many ranks, for cells and tooltips. */
#pragma once
#include "job/value.h"

/* "same", "[0..7]", "3 values", "only 3". everybody: all ranks that answered. n_ranks: those who were to be
 * compared; where not all of them answered, "same" is "same on 6 of 8", or "not compared" when one alone did;
 * "" of one rank, which has no others. */
char *gui_value_text_format_across (const JobValueRow *row, const JobRankSet *everybody,
                                    guint32 n_ranks);
/* What is said further of n_ranks where fewer could be compared: why. NULL: all were. Caller owns. */
char *gui_value_text_format_uncompared (guint32 n_compared, guint32 n_ranks);
/* Lines such as "0-3: 5", at most eight and the number of others; for more numbers the
 * smallest, largest and mean. A value of several lines begins in a line of its own. Not markup. */
char *gui_value_text_format_groups (const JobValueRow *row);
/* Ranks that have the row. Caller owns. */
JobRankSet *gui_value_text_dup_ranks (const JobValueRow *row);
/* The type as narrow columns show it: without "struct", "const", "std::" and the like, and without the
 * template arguments that the standard library adds by itself. Caller owns. */
char *gui_value_text_shorten_type (const char *type);
/* The text without a leading "(TYPE) ", which has a column of its own; reasons in the user's language. Caller owns. */
char *gui_value_text_dup_short (const JobValue *value);
/* For a row, whose tooltip has all of it: the lines of the text behind each other. Caller owns. */
char *gui_value_text_join_lines (const char *text);
/* The same on one line: the first of several, with an ellipsis. Caller owns. */
char *gui_value_text_dup_line (const JobValue *value);
