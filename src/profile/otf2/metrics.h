/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What ranks and their hosts have used (job/metric.h), as records of an archive. Only pddt-archive links this. */
#pragma once
#include "profile/otf2/private.h"

/* The members of the metrics have their numbers; others have higher ones. A class has those that are known at the same
 * time: an unknown one would take nine bytes each time. */

/* metric: the class of the set of those that are known, which is not empty. */
void profile_otf2_metrics_put (ProfileOtf2Out *to, OTF2_EvtWriter *out, guint64 time,
                               OTF2_MetricRef metric, const JobMetrics *values);
void profile_otf2_metrics_define_members (ProfileOtf2Out *to);
void profile_otf2_metrics_define_class (ProfileOtf2Out *to, OTF2_MetricRef metric, guint32 set);
