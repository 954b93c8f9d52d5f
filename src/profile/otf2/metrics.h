/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What ranks and their hosts have used (job/metric.h), as records of an archive. Only pddt-archive links this. */
#pragma once
#include "profile/otf2/private.h"

/* The members are numbered in the order of the metrics that are used; others have higher numbers. A class has those that
 * are told at the same time: an unknown one would take nine bytes each time. */

/* metric: the class of the set, of which all are known; values: by what the set has, as JobMetrics and JobCounts have
 * them. list: NULL: none. */
void profile_otf2_metrics_put (ProfileOtf2Out *to, OTF2_EvtWriter *out,
                               OTF2_AttributeList *list, guint64 time, OTF2_MetricRef metric,
                               guint32 set, const guint64 *values);
/* Those of the set. lasting: of these, those whose value holds until the next record that has them, so that records leave
 * them out while they do not change. */
void profile_otf2_metrics_define_members (ProfileOtf2Out *to, guint32 set, guint32 lasting);
/* used: what define_members has had. */
void profile_otf2_metrics_define_class (ProfileOtf2Out *to, OTF2_MetricRef metric, guint32 set,
                                        guint32 used);
