/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events to packets and back. A daemon speaks for its own slots, an inner node for its group's. */
#include "net/events-private.h"
#include "base/error.h"
#include "net/packet-private.h"
#include "net/slots-private.h"

#define MAX_EVENT (60 * 1024 * 1024)
#define ALL_SLOTS (NET_BLOCK_SLOTS * NET_MAX_BLOCKS)

GVariant *
net_events_encode_one (const JobEvent *event)
{
    g_autoptr (GVariant) content = g_variant_ref_sink (job_event_encode (event));
    if (g_variant_get_size (content) <= MAX_EVENT) {
        return g_variant_ref_sink (g_variant_new_variant (content));
    }
    g_autoptr (GError) error = g_error_new (BASE_ERROR, BASE_ERROR_UNSUPPORTED,
                                            "cannot send the answer: it is larger than 60 MiB");
    g_autoptr (JobEvent) failure = job_event_new_failure (event->request, event->ranks, error);
    failure->final = event->final;
    return g_variant_ref_sink (g_variant_new_variant (job_event_encode (failure)));
}

static gboolean
check_processes (const JobEvent *event, guint32 limit, GError **error)
{
    for (guint i = 0; event->processes && i < event->processes->len; i++) {
        const JobProcess *process = JOB_PROCESS (event->processes, i);
        if (process->slot >= limit || process->rank >= process->size) {
            g_set_error (error, BASE_ERROR, BASE_ERROR_CORRUPT, "cannot read event: rank %u of %u",
                         process->rank, process->size);
            return FALSE;
        }
    }
    return TRUE;
}

static JobEvent *
read_event (GVariant *list, gsize index, guint32 limit, GError **error)
{
    g_autoptr (GVariant) boxed = g_variant_get_child_value (list, index);
    g_autoptr (GVariant) content = g_variant_get_variant (boxed);
    g_autoptr (JobEvent) event = job_event_decode (content, limit, error);
    return event && check_processes (event, limit, error) ? g_steal_pointer (&event) : NULL;
}

void
net_events_take (GVariant *list, guint32 base, const char *sender, GPtrArray *events,
                 guint32 *ret_end)
{
    gsize n = g_variant_n_children (list);
    for (gsize i = 0; i < n; i++) {
        g_autoptr (GError) error = NULL;
        JobEvent *event = read_event (list, i, NET_BLOCK_SLOTS, &error);
        if (!event) {
            g_warning ("%s: %s", sender, error->message);
            continue;
        }
        net_slots_globalise (event, base);
        for (guint j = 0; event->processes && j < event->processes->len; j++) {
            *ret_end = MAX (*ret_end, JOB_PROCESS (event->processes, j)->slot + 1);
        }
        g_ptr_array_add (events, event);
    }
}

void
net_events_take_merged (GVariant *list, const JobRankSet *allowed, const char *sender,
                        GPtrArray *events)
{
    gsize n = g_variant_n_children (list);
    for (gsize i = 0; i < n; i++) {
        g_autoptr (GError) error = NULL;
        g_autoptr (JobEvent) event = read_event (list, i, ALL_SLOTS, &error);
        if (event && job_rank_set_is_subset (event->ranks, allowed)) {
            g_ptr_array_add (events, g_steal_pointer (&event));
        } else {
            g_warning ("%s: %s", sender, error ? error->message
                                               : "an event of ranks that are not in its group");
        }
    }
}
