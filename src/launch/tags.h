/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Takes launchers' line tags apart. Open MPI 4 writes "[JOB,RANK]<stdout>:" and Hydra what its
 * -prepend-pattern says, both at the start of each line and of each piece of a line that they
 * forward, so that such a tag may also stand where two pieces meet; they forward no empty piece, so
 * that what follows a tag is always text. srun writes "RANK: " at the start of a line alone. */
#pragma once
#include "launch/launch.h"

typedef struct _LaunchTags LaunchTags;
/* Pieces as long as can be said: whole lines, or the part of a line that came. rank G_MAXUINT32:
 * not a rank's (mpirun's own words). */
typedef void (*LaunchTagsText) (guint32 rank, const char *text, gsize size, gpointer user);

/* default_rank: of text without a tag. LAUNCH_TAGS_NONE: no text is looked at. */
LaunchTags *launch_tags_new (LaunchTagForm form, guint32 default_rank, int stream,
                             LaunchTagsText on_text, gpointer user);
void launch_tags_feed (LaunchTags *tags, const char *text, gsize size);
/* Lines that have begun and not ended are kept until they end; when they take their time (a
 * prompt), give them out as they are. */
gboolean launch_tags_has_open (const LaunchTags *tags);
void launch_tags_give_open (LaunchTags *tags);
/* The stream ended: gives out what could have become a tag. */
void launch_tags_finish (LaunchTags *tags);
void launch_tags_free (LaunchTags *tags);
