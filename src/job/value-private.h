/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of value share. */
#pragma once
#include "job/value.h"

JobValueGroup *job_value_group_new (JobRankSet *ranks, JobValue *value); /* takes both */
JobValueRow *job_value_row_new (char *name);                             /* takes name */
