/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merges lists that ranks answer line by line (registers, memory, modules): equal lines become
 * one, and different lines with the same key stay adjacent. */
#include "command/private.h"
#include <string.h>

typedef struct {
    char *text;
    gsize key; /* length of the first word */
    JobRankSet *ranks;
} Line;

BASE_FREE (free_line, Line, line, g_free (line->text); job_rank_set_free (line->ranks))

static Line *
make_line (const char *text, const JobRankSet *ranks)
{
    Line *line = g_new0 (Line, 1);

    line->text = g_strdup (text);
    line->key = strcspn (text, " ");
    line->ranks = job_rank_set_dup (ranks);
    return line;
}

static gboolean
has_key_of (const Line *line, const char *text)
{
    return line->key > 0 && strncmp (line->text, text, line->key) == 0
           && (text[line->key] == ' ' || text[line->key] == '\0');
}

/* Adds the ranks to a line of this text at or after `from`, or puts a new one after those of the
 * same first word, else at `from`. The place behind it. */
static guint
put_line (GPtrArray *lines, guint from, const char *text, const JobRankSet *ranks)
{
    guint after = from;

    for (guint i = from; i < lines->len; i++) {
        Line *line = g_ptr_array_index (lines, i);

        if (strcmp (line->text, text) == 0) {
            job_rank_set_merge (line->ranks, ranks);
            return i + 1;
        }
        if (has_key_of (line, text)) {
            after = i + 1;
        } else if (after > from) {
            break;
        }
    }
    g_ptr_array_insert (lines, (gint) after, make_line (text, ranks));
    return after + 1;
}

char *
command_format_merged_lines (const GPtrArray *events)
{
    g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (free_line);
    g_autoptr (GString) rests = g_string_new (NULL);
    GString *joined = g_string_new (NULL);

    BASE_EACH (events, const JobEvent, event) {
        g_autofree char *details = event->kind == JOB_EVENT_DETAILS
                                       ? job_detail_list_format (event->details)
                                       : NULL;
        const char *text = event->kind == JOB_EVENT_TEXT ? event->text : details;
        g_auto (GStrv) texts = NULL;
        guint at = 0;

        if (event->flags & JOB_EVENT_REST) {
            g_autofree char *rest = command_format_rest (event);

            g_string_append_printf (rests, "\n%s", rest);
            continue;
        }
        if (text == NULL) {
            continue;
        }
        texts = g_strsplit (text, "\n", -1);
        for (guint j = 0; texts[j] != NULL; j++) {
            if (*texts[j] != '\0') {
                at = put_line (lines, at, texts[j], event->ranks);
            }
        }
    }
    for (guint i = 0; i < lines->len; i++) {
        const Line *line = g_ptr_array_index (lines, i);
        g_autofree char *ranks = job_rank_set_format (line->ranks);

        g_string_append_printf (joined, "%s%s: %s", i > 0 ? "\n" : "", ranks, line->text);
    }
    g_string_append (joined, rests->str);
    return g_string_free (joined, FALSE);
}
