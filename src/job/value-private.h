/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of value share. */
#pragma once
#include "job/value.h"
#include <float.h>

#define JOB_VALUE_SCALE 0x1p-40

JobValueGroup *job_value_group_new (JobRankSet *ranks, JobValue *value); /* takes both */
JobValueRow *job_value_row_new (char *name);                             /* takes name */

JobValueRest *job_value_rest_new (void);
void job_value_rest_merge (JobValueRest *rest, const JobValueRest *other);
void job_value_numbers_init (JobValueNumbers *numbers);
void job_value_numbers_clear (JobValueNumbers *numbers);
void job_value_numbers_add (JobValueNumbers *numbers, double number, const JobRankSet *ranks);
void job_value_numbers_merge (JobValueNumbers *numbers, const JobValueNumbers *other);
gboolean job_value_is_whole (const JobValue *value); /* its text is that of an integer */
