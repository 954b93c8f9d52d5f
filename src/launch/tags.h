/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses launchers' line tags. Open MPI 4 writes "[JOB,RANK]<stdout>:" and Hydra its
 * -prepend-pattern at the start of each line and of each piece that they forward, so tags also
 * occur between two pieces of a line. They never forward an empty piece, so text always follows
 * a tag. srun writes "RANK: " only at the start of a line. */
#pragma once
#include "launch/launch.h"

typedef struct _LaunchTags LaunchTags;
/* Gets whole lines, or parts of lines as they arrive. rank G_MAXUINT32: not a rank's (mpirun's
 * own messages). */
typedef void (*LaunchTagsText) (guint32 rank, const char *text, gsize size, gpointer user);

/* default_rank: for text without a tag. LAUNCH_TAGS_NONE: does not look for tags. */
LaunchTags *launch_tags_new (LaunchTagForm form, guint32 default_rank, int stream,
                             LaunchTagsText on_text, gpointer user);
void launch_tags_feed (LaunchTags *tags, const char *text, gsize size);
/* Unfinished lines are kept until they end. If that takes long, as with a prompt, call
 * launch_tags_give_open to emit them. */
gboolean launch_tags_has_open (const LaunchTags *tags);
void launch_tags_give_open (LaunchTags *tags);
/* The stream ended: emits text that might have been the start of a tag. */
void launch_tags_finish (LaunchTags *tags);
void launch_tags_free (LaunchTags *tags);
