/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The forms of PDDT_KEY: "FILE:FOLDER", what MUNGE has encrypted, or the key itself. */
#pragma once
#include "launch/launch.h"

/* What that variable, or the line on an agent's standard input, is to be for a host whose shim runs as that
 * user. is_slurm: the agent is srun. folder: the job's, NULL the current one; on a shared file system a copy of
 * the key's file is made in it, which goes with the session. base_secret_free. */
char *launch_batch_make_word (const LaunchSession *session, gboolean is_slurm, guint32 uid, const char *folder);
/* A shim's side: the folder with the key's file that the word names, for the session of that id. NULL: the word
 * is of another form. Whether it is this user's alone is seen when the file is read. */
char *launch_batch_find_copy (const char *word, const char *id);
