/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of a debugging session: what happened, kept while it runs. At each stop it asks for the
 * ranks' stacks and variables, before the next command can move them. */
#pragma once
#include "command/command.h"

typedef struct _CommandRecord CommandRecord;

/* version: pddt's. */
CommandRecord *command_record_new (Session *session, const char *version);
void command_record_free (CommandRecord *record); /* NULL is fine */

/* A command begins. */
void command_record_take_command (CommandRecord *record, const char *line, JobVerb verb);
/* What was answered or said, as it was written. */
void command_record_take_text (CommandRecord *record, const char *text);
/* A line of output; ranks NULL: nobody knows whose. stream: 1 or 2. */
void command_record_take_output (CommandRecord *record, const JobRankSet *ranks, guint stream,
                                 const char *data, gsize size);
/* A sentence that the report begins with. Each one once. */
void command_record_take_finding (CommandRecord *record, const char *text);

/* Asks ranks that still run where they are and what they wait for, and runs the main loop until that
 * and what was asked before is answered, or for some seconds. What happens later is not
 * kept, but output is. */
void command_record_close (CommandRecord *record);
/* Writes the report to this path (profile_page_save). */
gboolean command_record_save (const CommandRecord *record, const char *path, GError **error);
