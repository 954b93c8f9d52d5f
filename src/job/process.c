/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of processes by value: a million of them come at the start of a large job. */
#include "job/process.h"
#include "base/array.h"
#include <string.h>

static void
clear_process (gpointer data)
{
    JobProcess *process = data;

    g_clear_pointer (&process->host, g_ref_string_release);
    g_clear_pointer (&process->program, g_ref_string_release);
}

GArray *
job_process_list_new (void)
{
    GArray *list = g_array_new (FALSE, FALSE, sizeof (JobProcess));

    g_array_set_clear_func (list, clear_process);
    return list;
}

GArray *
job_process_list_dup (const GArray *list)
{
    GArray *copy = list != NULL ? job_process_list_new () : NULL;

    if (copy != NULL) {
        job_process_list_append (copy, list);
    }
    return copy;
}

static char *
share_text (const char *text, char *last)
{
    if (text == NULL) {
        return NULL;
    }
    return last != NULL && strcmp (text, last) == 0 ? g_ref_string_acquire (last)
                                                    : g_ref_string_new (text);
}

void
job_process_list_add (GArray *list, const JobProcess *process)
{
    const JobProcess *last = list->len > 0 ? JOB_PROCESS (list, list->len - 1) : NULL;
    JobProcess copy = *process;

    copy.host = share_text (process->host, last != NULL ? last->host : NULL);
    copy.program = share_text (process->program, last != NULL ? last->program : NULL);
    g_array_append_val (list, copy);
}

void
job_process_list_append (GArray *list, const GArray *other)
{
    guint first = list->len;

    if (other->len == 0) {
        return;
    }
    g_array_append_vals (list, other->data, other->len);
    for (guint i = first; i < list->len; i++) {
        JobProcess *process = JOB_PROCESS (list, i);

        if (process->host != NULL) {
            g_ref_string_acquire (process->host);
        }
        if (process->program != NULL) {
            g_ref_string_acquire (process->program);
        }
    }
}

/* A part of the list that is in order. */
typedef struct {
    guint32 first_slot, last_slot;
    guint at, count;
} Run;

static GArray *
find_runs (const GArray *list)
{
    GArray *runs = g_array_new (FALSE, FALSE, sizeof (Run));

    for (guint i = 0; i < list->len;) {
        Run run = { JOB_PROCESS (list, i)->slot, JOB_PROCESS (list, i)->slot, i, 1 };

        for (i++; i < list->len && JOB_PROCESS (list, i)->slot >= run.last_slot;
             i++, run.count++) {
            run.last_slot = JOB_PROCESS (list, i)->slot;
        }
        g_array_append_val (runs, run);
    }
    return runs;
}

BASE_ORDER (compare_runs, Run, BASE_BY (first_slot))

BASE_ORDER (compare_slots, JobProcess, BASE_BY (slot))

/* Puts runs one behind the other; FALSE when two of them overlap. */
static gboolean
join_runs (GArray *list, GArray *runs)
{
    g_autofree JobProcess *joined = NULL;
    guint n = 0;

    g_array_sort (runs, compare_runs);
    for (guint i = 1; i < runs->len; i++) {
        if (g_array_index (runs, Run, i - 1).last_slot
            > g_array_index (runs, Run, i).first_slot) {
            return FALSE;
        }
    }
    joined = g_new (JobProcess, list->len);
    BASE_EACH_ROW (runs, const Run, run) {
        memcpy (joined + n, JOB_PROCESS (list, run->at), run->count * sizeof *joined);
        n += run->count;
    }
    memcpy (list->data, joined, list->len * sizeof *joined);
    return TRUE;
}

void
job_process_list_sort (GArray *list)
{
    g_autoptr (GArray) runs = find_runs (list);

    if (runs->len > 1 && !join_runs (list, runs)) {
        g_array_sort (list, compare_slots);
    }
}
