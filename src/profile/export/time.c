/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What threads did one after the other, for formats that show a run over time. */
#include "profile/export/private.h"
#include "profile/private.h"

/* More than this between two samples: the thread was not measured there. */
#define GAP_US 1

GArray *
profile_export_stretches_new (const ProfileExportTable *table,
                              const ProfileExportStacks *stacks, guint index, guint thread,
                              gboolean with_waits, guint32 *ret_number)
{
    GArray *stretches = g_array_new (FALSE, FALSE, sizeof (ProfileExportStretch));
    const GArray *samples = profile_samples_get (table->model, index, thread, ret_number);
    gint64 offset_us = profile_model_get_process (table->model, index)->offset_us;

    for (guint i = 0; i < samples->len; i++) {
        const ProfileSample *sample = &g_array_index (samples, ProfileSample, i);
        gint64 end_us = sample->time_us + offset_us;
        ProfileExportStretch next
            = { end_us - (gint64) sample->weight_us, end_us,
                stacks->stack_of[profile_samples_get_seen (table->model, index, sample)] };
        ProfileExportStretch *last = stretches->len > 0
                                         ? &g_array_index (stretches, ProfileExportStretch,
                                                           stretches->len - 1)
                                         : NULL;

        if (sample->is_blocked && *ret_number != 1 && !with_waits) {
            continue;
        }
        next.begin_us = last != NULL ? MAX (next.begin_us, last->end_us) : next.begin_us;
        if (last != NULL && last->stack == next.stack
            && next.begin_us - last->end_us <= GAP_US) {
            last->end_us = next.end_us;
        } else {
            g_array_append_val (stretches, next);
        }
    }
    return stretches;
}

gint64
profile_export_find_begin (const ProfileModel *model)
{
    gint64 begin_us = G_MAXINT64;

    for (guint i = 0; i < model->ranks->len; i++) {
        const ProfileRank *rank = g_ptr_array_index (model->ranks, i);

        if (rank->last_us != 0) {
            begin_us = MIN (begin_us, rank->first_us + rank->process.offset_us);
        }
    }
    return begin_us != G_MAXINT64 ? begin_us : 0;
}
