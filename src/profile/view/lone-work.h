/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ranks that were the last ones at work, moment by moment, while others were in MPI: where ranks are slow in turn,
 * sums over the whole run show no slow one. */
#pragma once
#include "profile/model.h"

typedef struct {
    guint32 rank;
    double seconds; /* of all ranks that were in MPI while this one alone worked */
    char *
        place; /* where it did so for the most of them: "solve at app.c:120"; NULL: at no line of the program's own */
} ProfileLoneWork;

/* GArray of ProfileLoneWork with free function, the most first, of the ranks' first threads. Only what lasts for several
 * samples counts, of work as well as of MPI after MPI_Init: the order of shorter ones is not known. Of a trace, which
 * knows each wait itself, there are none. */
GArray *profile_lone_work_new (const ProfileModel *model);
