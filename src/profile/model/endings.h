/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once
#include "profile/model.h"

/* "Not all ranks ended well: rank 1 was killed by SIGSEGV"; NULL: as far as is known all did. Caller owns. */
char *profile_format_endings (const ProfileModel *model, BaseTextForm form);
/* What samples have of processes with the number of a rank that is another process; NULL: there are none. Caller owns. */
char *profile_format_namesakes (const ProfileModel *model, BaseTextForm form);
