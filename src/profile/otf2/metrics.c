/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/otf2/metrics.h"

void
profile_otf2_metrics_put (ProfileOtf2Out *to, OTF2_EvtWriter *out, OTF2_AttributeList *list,
                          guint64 time, OTF2_MetricRef metric, guint32 set,
                          const guint64 *values)
{
    OTF2_Type types[JOB_N_METRICS];
    OTF2_MetricValue known[JOB_N_METRICS];
    guint8 n = 0;

    for (guint i = 0; i < JOB_N_METRICS; i++) {
        if (set & 1u << i) {
            types[n] = OTF2_TYPE_UINT64;
            known[n++].unsigned_int = values[i];
        }
    }
    profile_otf2_note (to, OTF2_EvtWriter_Metric (out, list, time, metric, n, types, known));
}

static OTF2_MetricMemberRef
get_member (JobMetric metric, guint32 used)
{
    return (OTF2_MetricMemberRef) __builtin_popcount (used & ((1u << metric) - 1));
}

static OTF2_MetricMode
get_mode (JobMetric metric, guint32 lasting)
{
    gboolean is_sum = job_metric_get_info (metric)->is_sum;

    return lasting & 1u << metric
               ? is_sum ? OTF2_METRIC_ACCUMULATED_NEXT : OTF2_METRIC_ABSOLUTE_NEXT
           : is_sum ? OTF2_METRIC_ACCUMULATED_START
                    : OTF2_METRIC_ABSOLUTE_POINT;
}

void
profile_otf2_metrics_define_members (ProfileOtf2Out *to, guint32 set, guint32 lasting)
{
    for (guint i = 0; i < JOB_N_METRICS; i++) {
        const JobMetricInfo *info = job_metric_get_info (i);
        g_autofree char *name = NULL;
        OTF2_StringRef text, about, unit;

        if ((set & 1u << i) == 0) {
            continue;
        }
        name = g_strconcat (PROFILE_OTF2_METRIC, info->name, NULL);
        text = profile_otf2_put_string (to, name);
        about = profile_otf2_put_string (to, info->about);
        unit = profile_otf2_put_string (to, info->unit);
        profile_otf2_note (to,
                           OTF2_GlobalDefWriter_WriteMetricMember (to->out, get_member (i, set),
                                                                   text, about,
                                                                   OTF2_METRIC_TYPE_OTHER,
                                                                   get_mode (i, lasting),
                                                                   OTF2_TYPE_UINT64,
                                                                   OTF2_BASE_DECIMAL, 0, unit));
    }
}

void
profile_otf2_metrics_define_class (ProfileOtf2Out *to, OTF2_MetricRef metric, guint32 set,
                                   guint32 used)
{
    OTF2_MetricMemberRef members[JOB_N_METRICS];
    guint8 n = 0;

    for (guint i = 0; i < JOB_N_METRICS; i++) {
        if (set & 1u << i) {
            members[n++] = get_member (i, used);
        }
    }
    profile_otf2_note (to, OTF2_GlobalDefWriter_WriteMetricClass (to->out, metric, n, members,
                                                                  OTF2_METRIC_ASYNCHRONOUS,
                                                                  OTF2_RECORDER_KIND_CPU));
}
