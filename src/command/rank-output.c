/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ranks' output as lines: joins pieces for each rank and stream, and merges equal lines of
 * many ranks that arrive at about the same time. Each rank's own lines keep their order. */
#include "command/private.h"
#include "base/utf8.h"
#include <string.h>

#define MAX_PARTIAL 65536 /* of a line without an end; what is longer is shown in pieces */
#define HOLD_MS 20
#define MAX_HELD 4096 /* lines */

typedef struct {
    JobRankSet *ranks; /* NULL: nobody knows whose it is */
    guint stream;
    GBytes *text;
    guint64 order; /* in which lines are shown */
    guint n_last;  /* of the ranks: those whose last line it is */
} Held;

/* Lines that wait for equal ones. */
struct _CommandHeldOutput {
    GArray *lines;       /* of Held */
    GHashTable *by_text; /* GBytes to its newest line's number + 1, one table for each stream */
    GHashTable *by_text_of_errors;
    GHashTable *by_rank; /* rank to the number + 1 of its last line */
    guint64 order;       /* the last one given */
    guint source;
};

static void
clear_held (gpointer data)
{
    Held *held = data;

    g_clear_pointer (&held->ranks, job_rank_set_free);
    g_bytes_unref (held->text);
}

CommandHeldOutput *
command_held_output_new (void)
{
    CommandHeldOutput *output = g_new0 (CommandHeldOutput, 1);

    output->lines = g_array_new (FALSE, FALSE, sizeof (Held));
    g_array_set_clear_func (output->lines, clear_held);
    output->by_text = g_hash_table_new (g_bytes_hash, g_bytes_equal);
    output->by_text_of_errors = g_hash_table_new (g_bytes_hash, g_bytes_equal);
    output->by_rank = g_hash_table_new (NULL, NULL);
    return output;
}

void
command_held_output_free (CommandHeldOutput *output)
{
    g_clear_handle_id (&output->source, g_source_remove);
    g_hash_table_unref (output->by_text);
    g_hash_table_unref (output->by_text_of_errors);
    g_hash_table_unref (output->by_rank);
    g_array_unref (output->lines);
    g_free (output);
}

/* NUL bytes, which end a string, are U+FFFD; all others are as they came. Caller owns. */
static char *
dup_text_line (const char *ranks, const char *data, gsize size)
{
    GString *line = g_string_new (ranks);

    g_string_append (line, "| ");
    for (gsize start = 0; start < size;) {
        const char *end = memchr (data + start, '\0', size - start);
        gsize length = end != NULL ? (gsize) (end - data) - start : size - start;

        g_string_append_len (line, data + start, (gssize) length);
        g_string_append (line, end != NULL ? "\357\277\275" : "");
        start += length + 1;
    }
    return g_string_free (line, FALSE);
}

static void
write_held (CommandContext *context, const Held *held)
{
    g_autofree char *line = NULL;
    g_autofree char *rank_text = NULL;
    gsize size;
    const char *data = g_bytes_get_data (held->text, &size);

    if (context->json) {
        line = command_json_format_output (held->ranks, held->stream, data, size);
    } else {
        rank_text = held->ranks != NULL ? job_rank_set_format (held->ranks) : g_strdup ("job");
        line = dup_text_line (rank_text, data, size);
    }
    context->write (COMMAND_OUT_OUTPUT, (int) held->stream, line, context->user);
}

BASE_ORDER (compare_held, Held, BASE_BY (order))

void
command_context_flush_held (CommandContext *context)
{
    CommandHeldOutput *output = context->held;
    g_autoptr (GArray) lines = NULL;

    g_clear_handle_id (&output->source, g_source_remove);
    if (output->lines->len == 0) {
        return;
    }
    lines = output->lines;
    output->lines = g_array_new (FALSE, FALSE, sizeof (Held));
    g_array_set_clear_func (output->lines, clear_held);
    g_hash_table_remove_all (output->by_text);
    g_hash_table_remove_all (output->by_text_of_errors);
    g_hash_table_remove_all (output->by_rank);
    g_array_sort (lines, compare_held);
    for (guint i = 0; i < lines->len; i++) {
        write_held (context, &g_array_index (lines, Held, i));
    }
}

static gboolean
on_held (gpointer data)
{
    CommandContext *context = data;

    context->held->source = 0;
    command_context_flush_held (context);
    return G_SOURCE_REMOVE;
}

static Held *
get_held (CommandHeldOutput *output, GHashTable *table, gconstpointer key)
{
    guint number = GPOINTER_TO_UINT (g_hash_table_lookup (table, key));

    return number != 0 ? &g_array_index (output->lines, Held, number - 1) : NULL;
}

/* The line that the rank's may join: an equal one that is shown behind all of the rank's own, or can
 * be, as its ranks have written nothing since. NULL: none. */
static Held *
find_equal (CommandHeldOutput *output, GHashTable *by_text, const GBytes *text, guint32 rank)
{
    Held *equal = get_held (output, by_text, text);
    const Held *last = get_held (output, output->by_rank, GUINT_TO_POINTER (rank));

    if (equal == NULL || last == NULL || last->order < equal->order) {
        return equal;
    }
    if (last == equal || equal->n_last < job_rank_set_get_count (equal->ranks)) {
        return NULL;
    }
    equal->order = ++output->order;
    return equal;
}

static void
note_last (CommandHeldOutput *output, guint32 rank, Held *held)
{
    Held *before = get_held (output, output->by_rank, GUINT_TO_POINTER (rank));
    guint number = (guint) (held - &g_array_index (output->lines, Held, 0)) + 1;

    if (before != NULL) {
        before->n_last--;
    }
    held->n_last++;
    g_hash_table_insert (output->by_rank, GUINT_TO_POINTER (rank), GUINT_TO_POINTER (number));
}

static Held *
add_line (CommandHeldOutput *output, const JobRankSet *ranks, guint stream, GBytes *text)
{
    BASE_APPEND (output->lines, Held, ranks != NULL ? job_rank_set_dup (ranks) : NULL, stream,
                 g_bytes_ref (text), ++output->order, 0);
    return &g_array_index (output->lines, Held, output->lines->len - 1);
}

static void
hold (CommandContext *context, const JobRankSet *ranks, guint stream, const char *data,
      gsize size)
{
    CommandHeldOutput *output = context->held;
    GHashTable *by_text = stream == 2 ? output->by_text_of_errors : output->by_text;
    g_autoptr (GBytes) text = g_bytes_new (data, size);
    guint32 rank;
    Held *held;

    if (context->record != NULL) {
        command_record_take_output (context->record, ranks, stream, data, size);
    }
    if (ranks == NULL || job_rank_set_get_count (ranks) != 1) { /* nothing may pass it */
        add_line (output, ranks, stream, text);
        command_context_flush_held (context);
        return;
    }
    rank = job_rank_set_get_lowest (ranks);
    held = find_equal (output, by_text, text, rank);
    if (held != NULL) {
        job_rank_set_merge (held->ranks, ranks);
    } else {
        held = add_line (output, ranks, stream, text);
        g_hash_table_replace (by_text, held->text, GUINT_TO_POINTER (output->lines->len));
    }
    note_last (output, rank, held);
    if (output->lines->len >= MAX_HELD) {
        command_context_flush_held (context);
    } else if (output->source == 0) {
        output->source = g_timeout_add (HOLD_MS, on_held, context);
    }
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
            hold (context, ranks, stream, partial->str, partial->len);
            g_string_truncate (partial, 0);
            start = i + 1;
        }
    }
    g_string_append_len (partial, data + start, (gssize) (size - start));
    if (partial->len > MAX_PARTIAL) {
        gsize cut = base_utf8_find_cut (partial->str, partial->len);

        hold (context, ranks, stream, partial->str, cut);
        g_string_erase (partial, 0, (gssize) cut);
    }
}

void
command_context_flush_output (CommandContext *context)
{
    gpointer key, value;

    BASE_WALK (context->partials, &key, &value) {
        GString *partial = value;
        const char *text = key;
        g_autoptr (JobRankSet) ranks = text[1] != '\0'
                                           ? job_rank_set_parse (text + 1, G_MAXUINT32, NULL)
                                           : NULL;

        if (partial->len > 0) {
            hold (context, ranks, text[0] == '2' ? 2 : 1, partial->str, partial->len);
            g_string_truncate (partial, 0);
        }
    }
    command_context_flush_held (context);
}

void
command_output_free_partial (gpointer string)
{
    g_string_free (string, TRUE);
}
