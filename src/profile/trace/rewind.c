/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/trace/rewind.h"
#include "profile/trace/private.h"
#include "base/array.h"

typedef struct {
    guint64 from_ns, to_ns;
} Part;

struct _ProfileTraceRewinds {
    ProfileTraceFunc func;
    gpointer user;
    GArray *parts;   /* of Part, by time; none overlaps another */
    GArray *entered; /* of ProfileTraceEvent: calls begun in this part and not ended */
    GArray *left;    /* of ProfileTraceEvent: calls ended in this part that began before */
    guint next;      /* of parts */
    gboolean is_inside;
};

/* ---- which parts ---- */

static void
collect (const ProfileTracePart *part, GArray *parts)
{
    for (guint i = 0; i < part->n; i++) {
        const ProfileTraceChunk *chunk = &part->first[i];
        const struct pddt_trace_event *events = (const struct pddt_trace_event *) (chunk->chunk
                                                                                   + 1);

        for (guint32 slot = 0; slot < chunk->n_used; slot += 1u + events[slot].n_more) {
            const struct pddt_trace_event *event = &events[slot];
            struct pddt_trace_value value;

            if (event->kind != PDDT_TRACE_REWOUND || event->n_more != 1
                || slot + 1 >= chunk->n_used) {
                continue;
            }
            memcpy (&value, event + 1, sizeof value);
            if (value.value.natural < event->time_ns) {
                BASE_APPEND (parts, Part, value.value.natural, event->time_ns);
            }
        }
    }
}

BASE_ORDER (compare, Part, BASE_BY (from_ns))

/* One that lies in another, or overlaps it, is a part of it. */
static void
join (GArray *parts)
{
    guint n = 0;

    g_array_sort (parts, compare);
    for (guint i = 0; i < parts->len; i++) {
        Part part = g_array_index (parts, Part, i);
        Part *last = n > 0 ? &g_array_index (parts, Part, n - 1) : NULL;

        if (last != NULL && part.from_ns <= last->to_ns) {
            last->to_ns = MAX (last->to_ns, part.to_ns);
        } else {
            g_array_index (parts, Part, n++) = part;
        }
    }
    g_array_set_size (parts, n);
}

static gboolean
may_have_parts (const ProfileTraceThread *thread)
{
    for (guint i = 0; i < thread->parts->len; i++) {
        const ProfileTraceFile *file = g_array_index (thread->parts, ProfileTracePart, i).file;
        guint32 n = profile_trace_file_get_n (file, PDDT_TRACE_PROPERTY);

        for (guint32 id = 1; id <= n; id++) {
            const struct pddt_trace_named *named = (const struct pddt_trace_named *)
                profile_trace_file_get_definition (file, PDDT_TRACE_PROPERTY, id);
            const char *name = named != NULL && named->head.size >= sizeof *named
                                   ? profile_trace_file_get_string (file, named->name)
                                   : NULL;

            if (g_strcmp0 (name, PDDT_TRACE_REWINDS) == 0) {
                return TRUE;
            }
        }
    }
    return FALSE;
}

ProfileTraceRewinds *
profile_trace_rewinds_new (const ProfileTraceThread *thread, ProfileTraceFunc func,
                           gpointer user)
{
    g_autoptr (GArray) parts = NULL;
    ProfileTraceRewinds *rewinds;

    if (func == NULL || !may_have_parts (thread)) {
        return NULL;
    }
    parts = g_array_new (FALSE, FALSE, sizeof (Part));
    for (guint i = 0; i < thread->parts->len; i++) {
        collect (&g_array_index (thread->parts, ProfileTracePart, i), parts);
    }
    if (parts->len == 0) {
        return NULL;
    }
    join (parts);
    rewinds = g_new0 (ProfileTraceRewinds, 1);
    rewinds->func = func;
    rewinds->user = user;
    rewinds->parts = g_steal_pointer (&parts);
    rewinds->entered = g_array_new (FALSE, FALSE, sizeof (ProfileTraceEvent));
    rewinds->left = g_array_new (FALSE, FALSE, sizeof (ProfileTraceEvent));
    return rewinds;
}

BASE_FREE_PUBLIC (profile_trace_rewinds_free, ProfileTraceRewinds, rewinds,
                  g_array_unref (rewinds->parts);
                  g_array_unref (rewinds->entered); g_array_unref (rewinds->left))

/* ---- events ---- */

static void
tell (const ProfileTraceRewinds *rewinds, ProfileTraceEvent event, guint64 time_ns)
{
    event.time_ns = time_ns;
    rewinds->func (&event, rewinds->user);
}

static void
tell_switch (const ProfileTraceRewinds *rewinds, const ProfileTraceEvent *event, guint32 kind,
             guint64 time_ns)
{
    ProfileTraceEvent told = { .kind = kind, .file = event->file };

    tell (rewinds, told, time_ns);
}

/* What is different behind it, at its end. */
static void
end_part (ProfileTraceRewinds *rewinds, const ProfileTraceEvent *event, guint64 time_ns)
{
    tell_switch (rewinds, event, PDDT_TRACE_ON, time_ns);
    for (guint i = 0; i < rewinds->left->len; i++) {
        tell (rewinds, g_array_index (rewinds->left, ProfileTraceEvent, i), time_ns);
    }
    for (guint i = 0; i < rewinds->entered->len; i++) {
        ProfileTraceEvent entered = g_array_index (rewinds->entered, ProfileTraceEvent, i);

        entered.extra |= PDDT_TRACE_OPENED;
        tell (rewinds, entered, time_ns);
    }
    g_array_set_size (rewinds->left, 0);
    g_array_set_size (rewinds->entered, 0);
    rewinds->is_inside = FALSE;
    rewinds->next++;
}

static void
take_inside (ProfileTraceRewinds *rewinds, const ProfileTraceEvent *event)
{
    if (event->kind == PDDT_TRACE_ENTER) {
        g_array_append_vals (rewinds->entered, event, 1);
    } else if (event->kind == PDDT_TRACE_LEAVE && rewinds->entered->len > 0) {
        g_array_set_size (rewinds->entered, rewinds->entered->len - 1);
    } else if (event->kind == PDDT_TRACE_LEAVE) {
        g_array_append_vals (rewinds->left, event, 1);
    }
}

void
profile_trace_rewinds_take (ProfileTraceRewinds *rewinds, const ProfileTraceEvent *event)
{
    const Part *part = rewinds->next < rewinds->parts->len
                           ? &g_array_index (rewinds->parts, Part, rewinds->next)
                           : NULL;

    if (part != NULL && !rewinds->is_inside && event->time_ns >= part->from_ns) {
        tell_switch (rewinds, event, PDDT_TRACE_OFF, part->from_ns);
        rewinds->is_inside = TRUE;
    }
    if (rewinds->is_inside && event->time_ns >= part->to_ns) {
        if (event->kind == PDDT_TRACE_REWOUND) {
            end_part (rewinds, event, part->to_ns);
            return;
        }
        if (event->time_ns > part->to_ns) {
            end_part (rewinds, event, part->to_ns);
            profile_trace_rewinds_take (rewinds, event);
            return;
        }
    }
    if (rewinds->is_inside) {
        take_inside (rewinds, event);
    } else if (event->kind != PDDT_TRACE_REWOUND) {
        rewinds->func (event, rewinds->user);
    }
}
