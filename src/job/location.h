/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A place in the program as the user names it. */
#pragma once
#include "base/text.h"

typedef enum {
    JOB_LANGUAGE_UNKNOWN,
    JOB_LANGUAGE_C,
    JOB_LANGUAGE_CXX,
    JOB_LANGUAGE_FORTRAN,
    JOB_LANGUAGE_PYTHON,
    JOB_LANGUAGE_ASSEMBLER
} JobLanguage;

typedef struct {
    char *function; /* "work", "<module>", "MPI_Recv"; NULL when unknown */
    char *file;     /* absolute path as the program knows it; NULL without lines */
    guint32 line;   /* 1-based; 0 without */
    char *module;   /* basename of the ELF file; for frames without lines; may be NULL */
    guint64 offset; /* in module, link-time address; 0 when module is NULL */
    JobLanguage language;
} JobLocation;

JobLocation *job_location_new (const char *function, const char *file, guint32 line);
JobLocation *job_location_dup (const JobLocation *location); /* NULL gives NULL */
/* NULL: not known. One that the debugger has made up, "<signal handler called>", in the user's language. Not owned. */
const char *job_location_get_function (BaseTextForm form, const JobLocation *location);
void job_location_free (JobLocation *location);
void job_location_clear (JobLocation *location);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (JobLocation, job_location_free)
/* Same function, file and line; without a line same module and offset too. NULL equals NULL. */
gboolean job_location_equal (const JobLocation *a, const JobLocation *b);
guint job_location_hash (const JobLocation *location);
const char *
job_language_get_name (JobLanguage language); /* "c", "c++", "fortran", "python", "" */
JobLanguage job_language_find (const char *name);
