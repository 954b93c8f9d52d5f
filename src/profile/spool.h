/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file that grows while a job is measured, and the form in which archives of other tools come from their
 * reader: a line of text, then records (kind, size, bytes, a hash of them). What is cut off or
 * damaged anywhere is read up to there. */
#pragma once
#include "profile/clock.h"
#include "profile/delays.h"
#include "profile/losses.h"
#include "profile/messages.h"
#include "profile/model.h"
#include "profile/native.h"
#include "profile/values.h"
#include "profile/waits.h"

#define PROFILE_SPOOL_NAME "spool"

typedef struct _ProfileSpool ProfileSpool;

/* For FOLDER/spool, which must not exist. NULL with DENIED. */
ProfileSpool *profile_spool_create (const char *folder, GError **error);
/* For a stream; fd stays open. */
ProfileSpool *profile_spool_open_stream (int fd);
/* What is put goes to the model at once. */
ProfileSpool *profile_spool_open_model (ProfileModel *model);
void profile_spool_free (ProfileSpool *spool); /* NULL is fine; what was put is written */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfileSpool, profile_spool_free)

void profile_spool_put_info (ProfileSpool *spool, const ProfileInfo *info);
void profile_spool_put_process (ProfileSpool *spool, guint32 rank,
                                const ProfileProcess *process);
/* Why there is no more than what has been put. */
void profile_spool_put_problem (ProfileSpool *spool, const BaseText *problem);
/* counts: of ProfileCount, by number in the rank's tree, after all batches of the rank. */
void profile_spool_put_counts (ProfileSpool *spool, guint32 rank, const GArray *counts);
void profile_spool_put_wait (ProfileSpool *spool, const ProfileWait *wait);
void profile_spool_put_own_metric (ProfileSpool *spool, const ProfileOwnMetric *metric);
void profile_spool_put_parameter (ProfileSpool *spool, const ProfileParameter *parameter);
void profile_spool_put_delay (ProfileSpool *spool, const ProfileDelay *delay);
void profile_spool_put_path_part (ProfileSpool *spool, const ProfilePathPart *part);
void profile_spool_put_traffic (ProfileSpool *spool, const ProfileTraffic *traffic);
void profile_spool_put_message_sum (ProfileSpool *spool, const ProfileMessageSum *sum);
void profile_spool_put_file_use (ProfileSpool *spool, const ProfileFileUse *use);
void profile_spool_put_allocation (ProfileSpool *spool, const ProfileAllocation *allocation);
void profile_spool_put_loss (ProfileSpool *spool, const ProfileLoss *loss);
void profile_spool_put_lock_wait (ProfileSpool *spool, const ProfileLockWait *wait);
/* messages: of ProfileMessage. */
void profile_spool_put_messages (ProfileSpool *spool, const GArray *messages);
/* members: of ProfileMember. */
void profile_spool_put_collective (ProfileSpool *spool, const char *name,
                                   const GArray *members);
/* How many there are; after all of them. */
void profile_spool_put_n_messages (ProfileSpool *spool, guint64 n_messages,
                                   guint64 n_collectives);
void profile_spool_put_batch (ProfileSpool *spool, guint32 rank, GBytes *batch);
/* How far a host's clock is from the front end's; is_limit: at most. */
void profile_spool_put_clock (ProfileSpool *spool, const char *host,
                              const ProfileClockPoint *point, gboolean is_limit);
/* What is in memory goes to the file. FALSE: it could not be written, now or earlier; nothing is written
 * any more. */
gboolean profile_spool_flush (ProfileSpool *spool);
/* Nothing more is put: from now on `pddt --finalize` takes it. */
void profile_spool_unlock (ProfileSpool *spool);
const char *profile_spool_get_problem (const ProfileSpool *spool); /* NULL: none */
guint64 profile_spool_get_size (const ProfileSpool *spool);
/* Replaces the file by one with what the model has kept. FALSE: it stays as it is. */
gboolean profile_spool_rewrite (ProfileSpool *spool, const ProfileModel *model);

gboolean profile_spool_is_time (gint64 us); /* since 1970, not far from now */

/* Everything that the file or stream has. Records that are not whole are left out from there on. INVALID: it is
 * none; NOT_FOUND, DENIED. */
ProfileModel *profile_spool_load (const char *path, GError **error);
ProfileModel *profile_spool_read (int fd, GError **error);
/* The same of a stream with more of what the model has. FALSE with INVALID: it is none, and the model is as it was. */
gboolean profile_spool_read_more (ProfileModel *model, int fd, GError **error);
