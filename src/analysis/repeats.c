/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/repeats.h"
#include "analysis/words.h"
#include "base/array.h"

#define MAX_CALLS 3 /* different ones, in one round of the loop */
#define MIN_TIMES 2 /* that each of them is seen */

typedef struct {
    const JobMessageCall *call;
    guint n_times;
} Repeat;

static guint64
find_last (const JobMessageQueue *queue)
{
    guint64 last = 0;

    for (guint i = 0; i < queue->recent->len; i++) {
        last = MAX (last, ((JobMessageCall *) g_ptr_array_index (queue->recent, i))->number);
    }
    for (guint i = 0; i < queue->calls->len; i++) {
        last = MAX (last, ((JobMessageCall *) g_ptr_array_index (queue->calls, i))->number);
    }
    return last;
}

static gboolean
is_same (const JobMessageCall *a, const JobMessageCall *b)
{
    return g_strcmp0 (a->name, b->name) == 0 && (a->place == NULL) == (b->place == NULL)
           && (a->place == NULL
               || (a->place->line == b->place->line
                   && g_strcmp0 (a->place->file, b->place->file) == 0));
}

/* In the order in which the program makes them first. FALSE: there are too many. */
static gboolean
note (GArray *repeats, const JobMessageCall *call)
{
    Repeat fresh = { call, 1 };

    BASE_EACH_ROW (repeats, Repeat, repeat) {
        if (is_same (repeat->call, call)) {
            repeat->n_times++;
            return TRUE;
        }
    }
    g_array_append_val (repeats, fresh);
    return call->name != NULL && repeats->len <= MAX_CALLS;
}

static int
compare_lines (gconstpointer a, gconstpointer b)
{
    const JobLocation *left = ((const Repeat *) a)->call->place;
    const JobLocation *right = ((const Repeat *) b)->call->place;
    guint32 one = left != NULL ? left->line : 0, other = right != NULL ? right->line : 0;

    return one < other ? -1 : one > other;
}

/* NULL: it calls other things, too, or has not called enough. */
static GArray *
list_repeats (const AnalysisRank *rank)
{
    g_autoptr (GArray) repeats = g_array_new (FALSE, FALSE, sizeof (Repeat));
    guint64 last = find_last (rank->before);

    if (BASE_HAS (rank->queue->recent, const JobMessageCall, call,
                  call->number > last && !note (repeats, call))) {
        return NULL;
    }
    if (BASE_ANY (i, repeats->len, g_array_index (repeats, Repeat, i).n_times < MIN_TIMES)) {
        return NULL;
    }
    g_array_sort (repeats, compare_lines);
    return repeats->len > 0 ? g_steal_pointer (&repeats) : NULL;
}

/* "a.c:99-100"; NULL: they are not in one file. */
static char *
format_lines (const GArray *repeats)
{
    const JobLocation *first = g_array_index (repeats, Repeat, 0).call->place;
    const JobLocation *last = g_array_index (repeats, Repeat, repeats->len - 1).call->place;
    g_autofree char *line = analysis_words_format_line (first);

    for (guint i = 0; i < repeats->len; i++) {
        const JobLocation *place = g_array_index (repeats, Repeat, i).call->place;

        if (line == NULL || place == NULL || g_strcmp0 (place->file, first->file) != 0) {
            return NULL;
        }
    }
    return last->line > first->line ? g_strdup_printf ("%s-%u", line, last->line)
                                    : g_steal_pointer (&line);
}

/* "MPI_Get, MPI_Put and MPI_Win_flush" */
static char *
format_names (BaseTextForm form, const GArray *repeats)
{
    char *names = g_strdup (g_array_index (repeats, Repeat, 0).call->name);

    for (guint i = 1; i < repeats->len; i++) {
        const char *name = g_array_index (repeats, Repeat, i).call->name;
        g_autofree char *others = names;

        /* Translators: in these, names of calls: "MPI_Get, MPI_Put and MPI_Win_flush". */
        names = i + 1 < repeats->len
                    ? base_text_print_in (form, "list of calls", "%s, %s", others, name)
                    : base_text_print_in (form, "list of calls", "%s and %s", others, name);
    }
    return names;
}

char *
analysis_repeats_format (BaseTextForm form, const AnalysisRank *rank)
{
    g_autoptr (GArray) repeats = rank->moved && rank->before != NULL && rank->queue != NULL
                                         && rank->queue->source == JOB_MESSAGE_SOURCE_RECORDER
                                     ? list_repeats (rank)
                                     : NULL;
    g_autofree char *names = repeats != NULL ? format_names (form, repeats) : NULL;
    g_autofree char *lines = repeats != NULL ? format_lines (repeats) : NULL;

    return lines == NULL
               ? g_steal_pointer (&names)
               /* Translators: calls, and the lines that make them: "MPI_Get and MPI_Win_flush (a.c:9-10)". */
               : base_text_print_in (form, "call and its line", "%s (%s)", names, lines);
}
