/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The forms of PDDT_KEY: "FILE:FOLDER", text encrypted by MUNGE, or the key itself. */
#pragma once
#include "launch/launch.h"

/* The value of PDDT_KEY, or the line for an agent's standard input, for a host whose shim runs
 * as that user. is_slurm: the agent is srun. folder: the job's, NULL the current one; if it is
 * on a shared file system, puts a copy of the key file there, which is removed with the
 * session. Free with base_secret_free. */
char *launch_batch_make_word (const LaunchSession *session, gboolean is_slurm, guint32 uid,
                              const char *folder);
/* For the shim: the folder with the key file that the word names, for the session of that id.
 * NULL: the word has another form. Does not check the owner; reading the file does. */
char *launch_batch_find_copy (const char *word, const char *id);
