/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether what a pane shows is still so: its content turns grey, and a label tells its age, once a rank
 * that it was read from has moved, ended or been started again. */
#pragma once
#include <gtk/gtk.h>
#include "session/selection.h"

typedef struct _GuiFreshness GuiFreshness;

/* Borrows label and content, which may be a container; call gui_freshness_free before they go. is_aging:
 * the age is told from the start, as it may be running ranks that were read. */
GuiFreshness *gui_freshness_new (GtkWidget *label, GtkWidget *content, gboolean is_aging);
/* Another widget that turns grey with the content; borrowed. */
void gui_freshness_add (GuiFreshness *freshness, GtkWidget *content);
/* What is shown is of the frames that are selected there: it is old once others are. Borrowed, until it is called again;
 * NULL: of none. */
void gui_freshness_follow (GuiFreshness *freshness, SessionSelection *selection);
/* These ranks are asked now, in the frames that are selected now; the answer comes with gui_freshness_note. */
void gui_freshness_ask (GuiFreshness *freshness, const JobRankSet *ranks);
void gui_freshness_free (GuiFreshness *freshness);
/* What is shown was read from the ranks just now; old: those that have moved since they were read (SessionAnswer), or
 * NULL. */
void gui_freshness_note (GuiFreshness *freshness, Session *session, const JobRankSet *ranks,
                         const JobRankSet *old);
/* The same, but it was so at that time, by the monotonic clock, and is old. */
void gui_freshness_note_past (GuiFreshness *freshness, Session *session,
                              const JobRankSet *ranks, gint64 since_us);
