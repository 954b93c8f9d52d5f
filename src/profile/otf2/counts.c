/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/otf2/counts.h"
#include "profile/otf2/metrics.h"
#include <string.h>

#define CONTEXT_ATTRIBUTE 0u /* the only one that a profile has */

static const char *
get_name (JobCount count)
{
    return job_metric_get_info (job_count_get_metric (count))->name;
}

void
profile_otf2_counts_put (ProfileOtf2Out *to, OTF2_EvtWriter *out, guint64 time,
                         OTF2_MetricRef metric, guint32 set, OTF2_CallingContextRef context,
                         const JobCounts *counts)
{
    OTF2_AttributeList *list = OTF2_AttributeList_New ();

    OTF2_AttributeList_AddCallingContextRef (list, CONTEXT_ATTRIBUTE, context);
    profile_otf2_metrics_put (to, out, list, time, metric, set, counts->values);
    OTF2_AttributeList_Delete (list);
}

static void
define_member (ProfileOtf2Out *to, OTF2_MetricMemberRef member, JobCount count)
{
    const JobMetricInfo *info = job_metric_get_info (job_count_get_metric (count));
    g_autofree char *name = g_strconcat (PROFILE_OTF2_AT, info->name, NULL);
    g_autofree char *about = g_strdup_printf ("%s, at one place", info->about);
    OTF2_StringRef name_ref = profile_otf2_put_string (to, name),
                   about_ref = profile_otf2_put_string (to, about),
                   unit = profile_otf2_put_string (to, info->unit);

    profile_otf2_note (to, OTF2_GlobalDefWriter_WriteMetricMember (to->out, member, name_ref,
                                                                   about_ref,
                                                                   OTF2_METRIC_TYPE_OTHER,
                                                                   OTF2_METRIC_RELATIVE_POINT,
                                                                   OTF2_TYPE_UINT64,
                                                                   OTF2_BASE_DECIMAL, 0, unit));
}

static void
define_class (ProfileOtf2Out *to, OTF2_MetricRef metric, OTF2_MetricMemberRef first,
              guint32 set)
{
    OTF2_MetricMemberRef members[JOB_N_COUNTS];
    guint8 n = 0;

    for (guint i = 0; i < JOB_N_COUNTS; i++) {
        if (set & 1u << i) {
            members[n++] = first + i;
        }
    }
    profile_otf2_note (to, OTF2_GlobalDefWriter_WriteMetricClass (to->out, metric, n, members,
                                                                  OTF2_METRIC_ASYNCHRONOUS,
                                                                  OTF2_RECORDER_KIND_CPU));
}

void
profile_otf2_counts_define (ProfileOtf2Out *to, OTF2_MetricMemberRef first, const GArray *sets)
{
    OTF2_StringRef name, about;

    if (sets->len == 0) {
        return;
    }
    name = profile_otf2_put_string (to, PROFILE_OTF2_CONTEXT);
    about = profile_otf2_put_string (to, "the calling context where that was counted");
    profile_otf2_note (to,
                       OTF2_GlobalDefWriter_WriteAttribute (to->out, CONTEXT_ATTRIBUTE, name,
                                                            about, OTF2_TYPE_CALLING_CONTEXT));
    for (guint i = 0; i < JOB_N_COUNTS; i++) {
        define_member (to, first + i, i);
    }
    for (guint i = 0; i < sets->len; i++) {
        define_class (to, i, first, g_array_index (sets, guint32, i));
    }
}

void
profile_otf2_counts_put_set (ProfileOtf2Out *to, guint32 group, guint32 set)
{
    g_autoptr (GString) names = g_string_new (NULL);

    for (guint i = 0; i < JOB_N_COUNTS; i++) {
        if (set & 1u << i) {
            g_string_append_printf (names, "%s%s", names->len > 0 ? "," : "", get_name (i));
        }
    }
    profile_otf2_put_group_text (to, group, PROFILE_OTF2_COUNTED, names->str);
}

guint32
profile_otf2_counts_parse_set (const char *text)
{
    g_auto (GStrv) names = g_strsplit (text, ",", 64);
    guint32 set = 0;

    for (guint i = 0; i < JOB_N_COUNTS; i++) {
        set |= g_strv_contains ((const char *const *) names, get_name (i)) ? 1u << i : 0;
    }
    return set;
}

JobCount
profile_otf2_counts_find_member (const char *name)
{
    JobCount count = 0;

    if (!g_str_has_prefix (name, PROFILE_OTF2_AT)) {
        return JOB_N_COUNTS;
    }
    while (count < JOB_N_COUNTS
           && strcmp (name + strlen (PROFILE_OTF2_AT), get_name (count)) != 0) {
        count++;
    }
    return count;
}
