/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once
#include "profile/model.h"

typedef struct {
    guint32 rank;
    gboolean is_broken;
    JobContextTree *tree; /* its own, as its daemon counts */
    GArray *merged;       /* of guint32: number in the model's tree of each of them */
    GArray *self;         /* of double: µs of each of them */
    double classes[JOB_N_CLASSES];
    double idle; /* µs */
    gint64 first_us, last_us;
    guint64 n_samples, n_dropped;
} ProfileRank;

struct _ProfileModel {
    GPtrArray *ranks; /* of ProfileRank, ascending */
    JobContextTree *tree;
};
