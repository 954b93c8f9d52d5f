/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folder of an experiment as Score-P leaves it, of a run that python3 -m scorep has recorded. */
#pragma once
#include "profile/model.h"

/* TRUE: the folder was prepared by python3 -m scorep. */
gboolean profile_experiment_is (const char *folder);
/* Puts profile.cubex and MANIFEST.md beside the archive, takes the trace out where it is not wanted, and moves the folder
 * to where the experiment is to be; one that is there is kept under another name. unmatched: rules of the filter that have
 * matched nothing, which MANIFEST.md then says; NULL: none. Returns where it is now, caller owns; NULL: it is incomplete. */
char *profile_experiment_complete (const ProfileModel *model, const char *folder,
                                   const char *unmatched, GError **error);
