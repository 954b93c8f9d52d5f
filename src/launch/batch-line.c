/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The key's word on a launcher's line. Not in batch.c, which the daemon has too: what makes lines ready needs GIO,
 * whose libraries would be most of the daemon's start. */
#include "base/limits.h"
#include "launch/batch-private.h"
#include "launch/hosts-private.h"
#include "launch/launch.h"
#include <unistd.h>

static gboolean
is_by_slurm (const LaunchLine *line)
{
    const char *job = g_getenv ("SLURM_JOB_ID");
    return line->kind == LAUNCH_SRUN || (job && *job);
}

void
launch_batch_carry_key (LaunchLine *line, const LaunchSession *session, const char *folder)
{
    char *word = launch_batch_make_word (session, is_by_slurm (line), geteuid (), folder);
    launch_line_carry_word (line, word);
    base_secret_free (word);
}
