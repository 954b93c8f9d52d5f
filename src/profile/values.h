/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a traced program has said of itself: metrics and parameters of its own. */
#pragma once
#include "profile/model.h"

enum { PROFILE_MAX_POINTS = 2048 };

typedef struct {
    gint64 time_us; /* the front end's clock */
    double value;
} ProfilePoint;

/* Of one rank. Texts are UTF-8 and never NULL. */
typedef struct {
    guint32 rank;
    char *name, *unit; /* unit: "" none */
    guint64 n;         /* how often it was said */
    double least, most, sum, last;
    GArray *points; /* of ProfilePoint, by time: of very many, each so many one */
} ProfileOwnMetric;

typedef struct {
    guint32 rank;
    char *name, *value;
    guint64 n;       /* how often it was set to that */
    gint64 first_us; /* when first, by the front end's clock */
} ProfileParameter;

/* Copies. */
void profile_model_add_own_metric (ProfileModel *model, const ProfileOwnMetric *metric);
void profile_model_add_parameter (ProfileModel *model, const ProfileParameter *parameter);
/* Of ProfileOwnMetric and ProfileParameter; borrowed. */
const GArray *profile_model_get_own_metrics (const ProfileModel *model);
const GArray *profile_model_get_parameters (const ProfileModel *model);
