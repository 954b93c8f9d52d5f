/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names in a program that match a search such as "solv", for completion and for opening
 * places. A list keeps the best matches without duplicates. */
#pragma once
#include <glib.h>

typedef enum {
    JOB_NAME_FUNCTION = 1 << 0,
    JOB_NAME_FILE = 1 << 1,
    JOB_NAME_VARIABLE = 1 << 2, /* outside of functions */
    JOB_NAME_TYPE = 1 << 3,
    JOB_NAME_BY_PATTERN = 1 << 4, /* in a request: search by regular expression, only the user's
                                     own functions with lines */
} JobNameKind;
#define JOB_NAME_ANY (JOB_NAME_FUNCTION | JOB_NAME_FILE | JOB_NAME_VARIABLE | JOB_NAME_TYPE)

/* How a name matches: the base of its score. Smaller is better; penalties are added. That of a library
 * is larger than all else: however a name of the program's own matches, it comes first. */
enum { JOB_NAME_EXACT = 16, JOB_NAME_PREFIX = 32, JOB_NAME_PART = 48, JOB_NAME_INSIDE = 64 };
enum { JOB_NAME_IS_LIBRARY = 128, JOB_NAME_IS_BARE = 2, JOB_NAME_IS_HIDDEN = 1 };

typedef struct {
    JobNameKind kind;
    guint32 score; /* smaller is better */
    guint32 line;  /* of `file`; 0 unknown */
    char *name;    /* as the language writes it: "ns::Type<int>::method", a path of a file */
    char *file;    /* that it is declared in; NULL unknown */
} JobName;

typedef struct _JobNames JobNames;

JobNames *job_names_new (guint max);
void job_names_free (JobNames *names);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (JobNames, job_names_free)
/* FALSE: the list would not keep it, so the caller can save the work of looking it up. */
gboolean job_names_wants (const JobNames *names, guint score, gsize length);
/* Copies. Of two with equal kind and name it keeps the better one. */
void job_names_add (JobNames *names, JobNameKind kind, guint score, const char *name,
                    const char *file, guint32 line);
/* Most useful first: by score, then the shorter, then by alphabet. Of JobName; borrowed. */
GPtrArray *job_names_get (JobNames *names);

/* One name a line, for the wire. Names with control characters are left out. */
char *job_names_format (JobNames *names);
/* Parses the output of job_names_format and adds it; skips malformed lines. */
void job_names_read (JobNames *names, const char *text);
