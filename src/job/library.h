/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a library of a program is there for, as far as its file's name tells. */
#pragma once
#include <glib.h>

typedef enum {
    JOB_LIBRARY_OTHER,
    JOB_LIBRARY_SYSTEM,     /* libc, the loader, and what pddt adds to a rank */
    JOB_LIBRARY_MPI,        /* MPI and what carries its messages */
    JOB_LIBRARY_MPI_HELPER, /* what MPI's threads wait in; programs may use it themselves */
    JOB_LIBRARY_OPENMP,     /* workers do nothing of their own, and wait for their team */
    JOB_LIBRARY_POOL,       /* workers compute in the library itself */
} JobLibrary;

/* name: of the file, without a folder. */
JobLibrary job_library_get_kind (const char *name);
/* A source file that came with a compiler or a library, such as libstdc++'s: its lines are compiled into the program, but
 * are none of the program's own. */
gboolean job_library_is_header (const char *file);
