/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the two ways of hearing of OpenMP have in common: OMPT (native-openmp.c) and GCC's functions (native-libgomp.c). */
#pragma once
#include "agent/native.h"

#pragma GCC visibility push(hidden)

enum native_openmp {
    OPENMP_PARALLEL,
    OPENMP_TASK,
    OPENMP_FOR,
    OPENMP_SECTIONS,
    OPENMP_SINGLE,
    OPENMP_WORKSHARE,
    OPENMP_DISTRIBUTE,
    OPENMP_TASKLOOP,
    OPENMP_BARRIER,
    OPENMP_TASKWAIT,
    OPENMP_TASKGROUP,
    OPENMP_REDUCTION,
    OPENMP_LOCK,
    OPENMP_CRITICAL,
    OPENMP_ATOMIC,
    OPENMP_ORDERED,
    N_OPENMP
};

/* Between native_begin and native_rest: the id of its region. */
uint32_t native_openmp_get_region (enum native_openmp which);
/* Where the region stands that this thread begins next; NULL: where the runtime says. */
extern __thread const void *native_openmp_part __attribute__ ((tls_model ("initial-exec")));

#pragma GCC visibility pop
