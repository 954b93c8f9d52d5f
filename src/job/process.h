/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who the ranks are: lists of processes, a million at most. Texts are shared by those that have the
 * same. */
#pragma once
#include <glib.h>

typedef struct {
    guint32 slot;    /* on the wire; in the front end = rank */
    guint32 rank, size;
    gint32 pid;
    char *host;      /* GRefString; NULL unknown */
    char *program;   /* argv of the program, shell-quoted; GRefString; NULL unknown */
} JobProcess;

#define JOB_PROCESS(list, i) (&g_array_index ((list), JobProcess, (i)))

/* Of JobProcess; g_array_unref. */
GArray *job_process_list_new (void);
GArray *job_process_list_dup (const GArray *list); /* NULL of NULL */
/* Texts are copied, or shared with the entry before. */
void job_process_list_add (GArray *list, const JobProcess *process);
/* Behind what is there. */
void job_process_list_append (GArray *list, const GArray *other);
/* By slot. What is made of parts in order, as hosts bring them, costs one copy. */
void job_process_list_sort (GArray *list);
