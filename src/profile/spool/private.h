/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the spool and its records of what was traced. */
#pragma once
#include "base/cursor.h"
#include "profile/spool.h"

void profile_spool_put_record (ProfileSpool *spool, guint kind, const guint8 *bytes,
                               gsize size);
void profile_spool_put_text (GByteArray *block, const char *text); /* NULL: as none */
char *profile_spool_take_text (BaseCursor *block); /* NULL: none, or the block has failed */
/* A record of what was traced, or of a newer version's kind, which is left out. FALSE: it is damaged. */
gboolean profile_spool_take_traced (ProfileModel *model, guint64 kind, BaseCursor *block);
