/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each function once, whoever has called it, with how its time is spread over the ranks. */
#pragma once
#include "profile/costs.h"

/* More ranks than this share bars: each bar is the rank with the most of them. */
#define PROFILE_MAX_BARS 96u

typedef struct {
    guint32 function; /* of ProfileCosts */
    guint32
        context; /* the most expensive of its contexts by its own time, else by inclusive time */
    JobLocation location; /* line: that context's; texts are the model's */
    double self, total;   /* of all ranks, in s; total counts a function once in each stack */
    guint64 n_calls;      /* that were recorded */
    JobCounts counts;     /* of self; 0 where the costs have none */
    /* Over the ranks, of self or of total; without children that ranks have forked. */
    double min, mean, max;
    double deviation; /* of all ranks, not estimated from some */
    double imbalance; /* max / mean - 1; 0 when there is no time */
    float *bars;      /* n_bars of them, in s */
} ProfileFunctionRow;

typedef struct {
    GArray *rows;   /* of ProfileFunctionRow, those with time, the most of its own first */
    guint n_ranks;  /* that are compared */
    guint n_groups; /* that these are; as many as ranks where each has times of its own */
    gboolean has_calls;
    guint n_bars;
    double most; /* the highest bar of all */
} ProfileFunctionTable;

/* by_total: inclusive times are compared over the ranks, else the functions' own. */
ProfileFunctionTable *profile_function_table_new (const ProfileCosts *costs, gboolean by_total);
void profile_function_table_free (ProfileFunctionTable *table); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfileFunctionTable, profile_function_table_free)
