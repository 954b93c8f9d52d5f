/* SPDX-License-Identifier: GPL-3.0-or-later */
/* WHERE of the command language: FILE:LINE, FUNCTION or *ADDRESS. */
#pragma once
#include <glib.h>

typedef enum {
    JOB_WHERE_NONE,
    JOB_WHERE_LINE,
    JOB_WHERE_FUNCTION,
    JOB_WHERE_ADDRESS
} JobWhereKind;

typedef struct {
    JobWhereKind kind;
    char *file; /* LINE, FUNCTION (may be NULL): as typed, matched as a suffix of the path on a
                         folder boundary */
    guint32 line; /* LINE; 1-based */
    /* FUNCTION: suffix of a C++ name or of Python's module and qualified name */
    char *function;
    guint64 address; /* ADDRESS; with `function` set: its first instruction instead */
} JobWhere;

/* After parsing a bare line number, file is NULL and the caller fills it in. INVALID. */
gboolean job_where_parse (const char *text, JobWhere *ret_where, GError **error);
char *job_where_format (const JobWhere *where);
void job_where_copy (const JobWhere *from, JobWhere *to); /* to is overwritten, not cleared */
void job_where_clear (JobWhere *where);
/* The bracket before the parameters of a C++ function, as in "f(int) const"; NULL: the name has
 * none. Brackets of "operator()", "(anonymous namespace)" and template arguments do not
 * count. */
const char *job_where_find_parameters (const char *function);
/* TRUE when `pattern` is `path`, or its end after a '/'. */
gboolean job_where_match_file (const char *pattern, const char *path);
/* TRUE when `pattern` is `name`, or its end after "::" or "."; a pattern that starts with "::"
 * must match completely. */
gboolean job_where_match_function (const char *pattern, const char *name);
