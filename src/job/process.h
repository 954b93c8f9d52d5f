/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of the ranks' processes, a million at most. Equal texts are shared. */
#pragma once
#include <glib.h>

typedef struct {
    guint32 slot;       /* on the wire; in the front end = rank */
    guint32 rank, size; /* of a child: its parent's, until the session has given it a number */
    guint32 parent;     /* slot + 1 of the rank that forked it; 0: none has */
    gint32 pid;
    char *host;    /* GRefString; NULL unknown */
    char *program; /* argv of the program, shell-quoted; GRefString; NULL unknown */
} JobProcess;

#define JOB_PROCESS(list, i) (&g_array_index ((list), JobProcess, (i)))

/* Of JobProcess; g_array_unref. */
GArray *job_process_list_new (void);
GArray *job_process_list_dup (const GArray *list); /* NULL returns NULL */
/* Texts are copied, or shared with the entry before. */
void job_process_list_add (GArray *list, const JobProcess *process);
/* Appends other's entries. */
void job_process_list_append (GArray *list, const GArray *other);
/* Sorts by slot. A list of sorted parts, one per host, takes a single copy. */
void job_process_list_sort (GArray *list);
