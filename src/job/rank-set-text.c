/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of ranks as people write them: "0-3,5,8-14/2". */
#include "base/error.h"
#include "job/rank-set-private.h"
#include <glib/gi18n.h>

#define MAX_BRIEF 64 /* runs that are written out where a person reads */
#define N_BRIEF 12   /* those written of more */
#define RANGE(set, i) g_array_index ((set)->ranges, JobRankRange, (i))

static gboolean
is_single (const JobRankSet *set, guint i)
{
    return i < set->ranges->len && RANGE (set, i).end - RANGE (set, i).first == 1;
}

/* How many single ranks from range i on are equally spaced; 0 when i is none. */
static guint
count_stride (const JobRankSet *set, guint i)
{
    guint count = 1;
    guint32 period;

    if (!is_single (set, i)) {
        return 0;
    }
    if (!is_single (set, i + 1)) {
        return 1;
    }
    period = RANGE (set, i + 1).first - RANGE (set, i).first;
    while (is_single (set, i + count)
           && RANGE (set, i + count).first - RANGE (set, i + count - 1).first == period) {
        count++;
    }
    return count;
}

char *
job_rank_set_format (const JobRankSet *set)
{
    GString *text = g_string_new (NULL);
    guint i = 0;

    while (i < set->ranges->len) {
        guint count = count_stride (set, i);
        guint32 first = RANGE (set, i).first;

        if (text->len > 0) {
            g_string_append_c (text, ',');
        }
        if (count >= 3) {
            g_string_append_printf (text, "%u-%u/%u", first, RANGE (set, i + count - 1).first,
                                    RANGE (set, i + 1).first - first);
            i += count;
            continue;
        }
        if (count == 0) {
            g_string_append_printf (text, "%u-%u", first, RANGE (set, i).end - 1);
        } else {
            g_string_append_printf (text, "%u", first);
        }
        i++;
    }
    return g_string_free (text, FALSE);
}

char *
job_rank_set_format_brief (const JobRankSet *set)
{
    g_autoptr (JobRankSet) head = NULL;
    g_autofree char *text = NULL;

    if (set->ranges->len <= MAX_BRIEF) {
        return job_rank_set_format (set);
    }
    head = job_rank_set_new ();
    g_array_append_vals (head->ranges, set->ranges->data, N_BRIEF);
    text = job_rank_set_format (head);
    return g_strdup_printf ("%s,… (%u ranks)", text, job_rank_set_get_count (set));
}

static void
skip_spaces (const char **at)
{
    while (g_ascii_isspace (**at)) {
        (*at)++;
    }
}

/* A number and the spaces after it. Numbers past 32 bits stay too large to be a rank. */
static gboolean
parse_number (const char **at, guint64 *ret_value)
{
    guint64 value = 0;

    if (!g_ascii_isdigit (**at)) {
        return FALSE;
    }
    for (; g_ascii_isdigit (**at); (*at)++) {
        value = MIN (value * 10 + (guint64) (**at - '0'), (guint64) G_MAXUINT32 + 1);
    }
    skip_spaces (at);
    *ret_value = value;
    return TRUE;
}

/* After `mark`, if it is there, a number. FALSE when it is missing there. */
static gboolean
parse_mark (const char **at, char mark, guint64 *value)
{
    if (**at != mark) {
        return TRUE;
    }
    (*at)++;
    skip_spaces (at);
    return parse_number (at, value);
}

static char *
print_problem (BaseTextForm form, const char *text, const char *reason)
{
    /* Translators: what the user has typed, and what is wrong with it. */
    return base_text_print (form, "cannot read ranks \"%s\": %s", text,
                            form == BASE_TEXT_SHOWN ? _ (reason) : reason);
}

/* One of N, N-M and N-M/S. Returns NULL or why not. */
static const char *
parse_part (const char **at, guint32 limit, JobRankSet *set)
{
    guint64 first, last;
    guint64 stride = 1;
    const char *before_stride;

    if (!parse_number (at, &first)) {
        return N_ ("a rank is a number");
    }
    last = first;
    if (!parse_mark (at, '-', &last)) {
        return N_ ("there is no number after the -");
    }
    before_stride = *at;
    if (!parse_mark (at, '/', &stride) || (*at != before_stride && stride == 0)) {
        return N_ ("the stride after the / must be a number from 1 on");
    }
    if (last < first) {
        return N_ ("the range runs backwards");
    }
    if (last >= limit) {
        return N_ ("there are fewer ranks than that");
    }
    if (stride == 1) {
        job_rank_set_add_range (set, (guint32) first, (guint32) last + 1);
        return NULL;
    }
    for (guint64 rank = first; rank <= last; rank += stride) {
        job_rank_set_add (set, (guint32) rank);
    }
    return NULL;
}

JobRankSet *
job_rank_set_parse (const char *text, guint32 limit, GError **error)
{
    g_autoptr (JobRankSet) set = job_rank_set_new ();
    const char *at = text;
    const char *reason;

    skip_spaces (&at);
    reason = parse_part (&at, limit, set);
    while (reason == NULL && *at == ',') {
        at++;
        skip_spaces (&at);
        reason = parse_part (&at, limit, set);
    }
    if (reason == NULL && *at != '\0') {
        reason = N_ ("ranks are numbers, ranges and strides");
    }
    if (reason != NULL) {
        base_error_set_text (error, BASE_ERROR_INVALID,
                             base_text_new_take (print_problem (BASE_TEXT_ENGLISH, text,
                                                                reason),
                                                 print_problem (BASE_TEXT_SHOWN, text,
                                                                reason)));
        return NULL;
    }
    return g_steal_pointer (&set);
}
