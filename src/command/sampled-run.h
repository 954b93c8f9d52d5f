/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A job that is being measured: what its ranks tell goes into a model, and into a file that survives
 * this process. */
#pragma once
#include "profile/model.h"
#include "session/session.h"

typedef struct _CommandSampledRun CommandSampledRun;

/* Begins with the session's next event. folder must be there. DENIED. */
CommandSampledRun *command_sampled_run_new (Session *session, const char *folder,
                                            const ProfileInfo *info, GError **error);
void command_sampled_run_free (CommandSampledRun *recording); /* NULL is fine */
/* The job is over: everything is in the file. */
void command_sampled_run_end (CommandSampledRun *recording, int wait_status);
const ProfileModel *command_sampled_run_get_model (const CommandSampledRun *recording);
/* Why the file does not have all of it; NULL: it does. */
const char *command_sampled_run_get_problem (const CommandSampledRun *recording);
