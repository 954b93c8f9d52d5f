/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the ranks write, as lines: pieces are put together for each rank and stream. */
#include "command/private.h"

#define MAX_PARTIAL 65536 /* of a line without an end; what is longer is shown in pieces */

static void
write_output (CommandContext *context, const JobRankSet *ranks, guint stream, const char *data,
              gsize size)
{
    g_autofree char *line = NULL;
    g_autofree char *rank_text = NULL;

    if (context->json) {
        line = command_json_format_output (ranks, stream, data, size);
    } else {
        rank_text = ranks != NULL ? job_rank_set_format (ranks) : g_strdup ("job");
        line = g_strdup_printf ("%s| %.*s", rank_text, (int) MIN (size, G_MAXINT), data);
    }
    context->write (COMMAND_OUT_OUTPUT, (int) stream, line, context->user);
}

static GString *
get_partial (CommandContext *context, const JobRankSet *ranks, guint stream)
{
    g_autofree char *text = ranks != NULL ? job_rank_set_format (ranks) : g_strdup ("");
    g_autofree char *key = g_strdup_printf ("%u%s", stream, text);
    GString *partial = g_hash_table_lookup (context->partials, key);

    if (partial == NULL) {
        partial = g_string_new (NULL);
        g_hash_table_insert (context->partials, g_steal_pointer (&key), partial);
    }
    return partial;
}

void
command_context_take_output (Session *session, JobRankSet *ranks, guint stream, GBytes *bytes,
                             CommandContext *context)
{
    gsize size, start = 0;
    const char *data = g_bytes_get_data (bytes, &size);
    GString *partial = get_partial (context, ranks, stream);

    for (gsize i = 0; i < size; i++) {
        if (data[i] == '\n') {
            g_string_append_len (partial, data + start, (gssize) (i - start));
            write_output (context, ranks, stream, partial->str, partial->len);
            g_string_truncate (partial, 0);
            start = i + 1;
        }
    }
    g_string_append_len (partial, data + start, (gssize) (size - start));
    if (partial->len > MAX_PARTIAL) {
        write_output (context, ranks, stream, partial->str, partial->len);
        g_string_truncate (partial, 0);
    }
}

void
command_context_flush_output (CommandContext *context)
{
    GHashTableIter iter;
    gpointer key, value;

    g_hash_table_iter_init (&iter, context->partials);
    while (g_hash_table_iter_next (&iter, &key, &value)) {
        GString *partial = value;
        const char *text = key;
        g_autoptr (JobRankSet) ranks = text[1] != '\0'
            ? job_rank_set_parse (text + 1, G_MAXUINT32, NULL) : NULL;

        if (partial->len > 0) {
            write_output (context, ranks, text[0] == '2' ? 2 : 1, partial->str, partial->len);
            g_string_truncate (partial, 0);
        }
    }
}

void
command_output_free_partial (gpointer string)
{
    g_string_free (string, TRUE);
}
