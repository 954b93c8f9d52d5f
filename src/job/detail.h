/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of what a rank consists of (threads, registers, code, modules, mappings, signals, memory), entry by entry: who shows them
 * need not read them out of a text. */
#pragma once
#include "base/text.h"
#include "job/location.h"

typedef enum {
    JOB_DETAIL_THREAD,      /* number; name: its own, or NULL; place, or NULL */
    JOB_DETAIL_REGISTER,    /* name; text: its value in hexadecimal and as what it means */
    JOB_DETAIL_INSTRUCTION, /* number: its address; name: "<work+4>" or NULL; text */
    JOB_DETAIL_SOURCE, /* place: a line that the following instructions are of; text, or NULL */
    JOB_DETAIL_MODULE, /* number, end: where it is mapped; name: its path; text: what its
                               file tells, "lines", "symbols", "no symbols" */
    JOB_DETAIL_MORE,   /* instructions up to end are left out */
    JOB_DETAIL_MAP, /* number, end: what is mapped; name: its file's path, or NULL; offset: in
                               the file; READABLE and so on, GONE: the file is deleted */
    JOB_DETAIL_SIGNAL, /* number, name; STOP, PRINT, PASS: what pddt does with it */
    JOB_DETAIL_MEMORY, /* number: its address; name: "<array+8>" or NULL; text: what is there */
    JOB_N_DETAILS
} JobDetailKind;

typedef enum {
    JOB_DETAIL_HERE = 1 << 0, /* the selected thread, the instruction that comes next */
    JOB_DETAIL_LOCK = 1 << 1, /* the thread holds Python's interpreter lock */
    JOB_DETAIL_GONE = 1 << 2, /* the module's file has changed since it was loaded */
    JOB_DETAIL_READABLE = 1 << 3,
    JOB_DETAIL_WRITABLE = 1 << 4,
    JOB_DETAIL_EXECUTABLE = 1 << 5,
    JOB_DETAIL_STOP = 1 << 6,
    JOB_DETAIL_PRINT = 1 << 7,
    JOB_DETAIL_PASS = 1 << 8,
} JobDetailFlags;

typedef struct {
    JobDetailKind kind;
    guint32 flags;
    guint64 number, end, offset;
    char *name, *text;
    JobLocation *place;
} JobDetail;

JobDetail *job_detail_new (JobDetailKind kind, guint64 number, const char *name,
                           const char *text);
JobDetail *job_detail_dup (const JobDetail *detail);
void job_detail_free (JobDetail *detail);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (JobDetail, job_detail_free)
/* The line of the command language, or what a window shows of threads, registers and code; without ranks. Caller
 * owns. */
char *job_detail_format (BaseTextForm form, const JobDetail *detail);
/* What makes it the same entry in another list, whatever is said of it there: a register's name, an
 * address. Caller owns. */
char *job_detail_dup_key (const JobDetail *detail);

/* Lists, of JobDetail; NULL is the empty one. */
GPtrArray *job_detail_list_new (void);
GPtrArray *job_detail_list_dup (const GPtrArray *list);
gboolean job_detail_list_equal (const GPtrArray *a, const GPtrArray *b);
/* Lines, '\n' between; of signals with a heading. Caller owns. */
char *job_detail_list_format (const GPtrArray *list);
