/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters and metrics that a traced program has named, in its archive. Only pddt-archive links this. */
#pragma once
#include "profile/otf2/private.h"
#include "profile/trace-files.h"

typedef struct _ProfileOtf2Values ProfileOtf2Values;

ProfileOtf2Values *profile_otf2_values_new (void);
void profile_otf2_values_free (ProfileOtf2Values *values); /* NULL is fine */
/* Writes the event, if it is a PARAMETER or METRIC. Returns the number of records: 0 or 1. */
guint profile_otf2_values_put (ProfileOtf2Values *values, ProfileOtf2Out *to,
                               OTF2_EvtWriter *out, guint64 time,
                               const ProfileTraceEvent *event);
/* The string of where the call stands that an Enter or Leave is of; G_MAXUINT32: it does not say. */
OTF2_StringRef profile_otf2_values_find_place (ProfileOtf2Values *values,
                                               const ProfileTraceEvent *event);
/* A string of the archive, which events may name before it is defined. */
OTF2_StringRef profile_otf2_values_add_text (ProfileOtf2Values *values, const char *text);
/* A metric of pddt's own, of natural numbers that add up. */
OTF2_MetricRef profile_otf2_values_add_metric (ProfileOtf2Values *values, const char *name,
                                               const char *unit);
/* Writes what a rank and its host have used. Returns the number of records: 0 or 1. */
guint profile_otf2_values_put_metrics (ProfileOtf2Values *values, ProfileOtf2Out *to,
                                       OTF2_EvtWriter *out, guint64 time,
                                       const JobMetrics *metrics);
/* Defines what has been named. */
void profile_otf2_values_define (const ProfileOtf2Values *values, ProfileOtf2Out *to);
