/* SPDX-License-Identifier: GPL-3.0-or-later */
/* WHERE of the command language: FILE:LINE, FUNCTION or *ADDRESS. */
#pragma once
#include <glib.h>

typedef enum { JOB_WHERE_NONE, JOB_WHERE_LINE, JOB_WHERE_FUNCTION, JOB_WHERE_ADDRESS } JobWhereKind;

typedef struct {
    JobWhereKind kind;
    char *file;       /* LINE, FUNCTION (may be NULL): as typed, matched as a suffix of the path on a
                         folder boundary */
    guint32 line;     /* LINE; 1-based */
    char *function;   /* FUNCTION: suffix of a C++ name or of Python's module and qualified name */
    guint64 address;  /* ADDRESS; unless `function` is there: then that one's first instruction */
} JobWhere;

/* file may be NULL after parsing a bare line number: the caller fills it. INVALID otherwise. */
gboolean job_where_parse (const char *text, JobWhere *ret_where, GError **error);
char *job_where_format (const JobWhere *where);
void job_where_copy (const JobWhere *from, JobWhere *to); /* to is overwritten, not cleared */
void job_where_clear (JobWhere *where);
/* The bracket that the parameters of a C++ function begin with, "f(int) const"; NULL: the name has none. Those of
 * "operator()", "(anonymous namespace)" and template arguments are none. */
const char *job_where_find_parameters (const char *function);
/* TRUE when `pattern` is `path`, or its end after a '/'. */
gboolean job_where_match_file (const char *pattern, const char *path);
/* TRUE when `pattern` is `name`, or its end after "::" or "."; behind "::" at its front only all of it. */
gboolean job_where_match_function (const char *pattern, const char *name);
