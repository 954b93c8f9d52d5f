/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program's output by lines, in bounded memory: older lines are on disk. An unfinished line
 * is a line of its own, which the next output of the same ranks continues. */
#pragma once
#include "job/rank-set.h"

typedef struct _GuiOutputLog GuiOutputLog;
/* ranks NULL: of the job. text: without the newline; is_open: there was none. */
typedef void (*GuiOutputLine) (const JobRankSet *ranks, guint stream, const char *text,
                               gboolean is_open, gpointer user);

/* memory_bytes 0: 16 MB. */
GuiOutputLog *gui_output_log_new (gsize memory_bytes);
void gui_output_log_free (GuiOutputLog *log);
void gui_output_log_append (GuiOutputLog *log, const JobRankSet *ranks, guint stream,
                            const char *text, gboolean is_open);
guint64 gui_output_log_get_count (const GuiOutputLog *log);
/* Lines first to end - 1, in order. */
void gui_output_log_foreach (GuiOutputLog *log, guint64 first, guint64 end,
                             GuiOutputLine on_line, gpointer user);
/* Neither memory nor disk accept more: append nothing until they do. */
gboolean gui_output_log_is_full (GuiOutputLog *log);
const char *gui_output_log_get_problem (const GuiOutputLog *log); /* the disk's; NULL */
