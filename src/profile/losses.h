/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of a trace that were not kept: the buffer of a process was full, there was no more room on the disk, or they came
 * where nothing can be recorded. */
#pragma once
#include "base/text.h"
#include "profile/model.h"

/* What is left of the events. Archives have these numbers, which are those of agent/trace-layout.h. */
typedef enum {
    PROFILE_KEPT_SOME = 0, /* the rest could not be written; without an edge: single events */
    PROFILE_KEPT_FIRST,
    PROFILE_KEPT_LAST,
    PROFILE_N_KEPT
} ProfileKept;

typedef struct {
    guint32 rank;
    guint32
        thread; /* 0: threads that the archive does not have, or that nobody has told apart */
    guint64
        n_events; /* of SOME at least: a function that is first called later is not even described */
    ProfileKept kept;
    gint64
        edge_us; /* on the front end's clock, where what was kept ends or begins; of SOME: up to when all is there; 0 not known */
} ProfileLoss;

void profile_model_add_loss (ProfileModel *model, const ProfileLoss *loss); /* copies */
/* Of ProfileLoss; borrowed. */
const GArray *profile_model_get_losses (const ProfileModel *model);
/* "at least ", where more may be lost than has been counted; else "". */
const char *profile_losses_get_bound (const ProfileModel *model);
/* One sentence about all of them; NULL: nothing was lost. Caller owns. */
char *profile_format_losses (const ProfileModel *model, BaseTextForm form);
/* TRUE: several ranks were traced, and no call of MPI was recorded: how long they were in it is not known. */
gboolean profile_losses_lack_mpi (const ProfileModel *model);
/* The same as a sentence without its full stop; NULL: there are such calls. Caller owns. */
char *profile_format_unrecorded (const ProfileModel *model, BaseTextForm form);
