/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many tables as one, in a time that grows as their rows do. */
#pragma once
#include "job/value.h"

/* As job_value_table_merge with each of the others (of JobValueTable, borrowed). */
void job_value_table_merge_all (JobValueTable *table, const GPtrArray *others);
