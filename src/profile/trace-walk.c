/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events of a thread, from all of its writers by time, and balanced. */
#include "profile/trace-file-private.h"

/* Where the next event of one file is. */
typedef struct {
    ProfileTracePart part;
    guint chunk;                          /* of the part */
    guint32 slot;                         /* of the chunk */
    const struct pddt_trace_event *event; /* NULL: no more */
} Cursor;

typedef struct {
    guint32 region;
    const ProfileTraceFile *file;
} Open;

typedef struct {
    ProfileTraceFunc func;
    gpointer user;
    GArray *stack; /* of Open */
    guint64 last_ns;
    gboolean is_whole;
} Walk;

/* FALSE: the chunk is broken here, and the rest of it left out. */
static gboolean
find_event (Cursor *cursor)
{
    gboolean is_whole = TRUE;

    cursor->event = NULL;
    while (cursor->event == NULL && cursor->chunk < cursor->part.n) {
        const ProfileTraceChunk *chunk = &cursor->part.first[cursor->chunk];
        const struct pddt_trace_event *event
            = (const struct pddt_trace_event *) (chunk->chunk + 1) + cursor->slot;

        if (cursor->slot < chunk->n_used && cursor->slot + event->n_more < chunk->n_used) {
            cursor->event = event;
        } else {
            is_whole = is_whole && cursor->slot >= chunk->n_used;
            cursor->chunk++;
            cursor->slot = 0;
        }
    }
    return is_whole;
}

static void
tell (Walk *walk, const ProfileTraceFile *file, guint64 time_ns, guint32 kind, guint32 id,
      guint32 extra, const struct pddt_trace_event *event)
{
    ProfileTraceEvent told = { .time_ns = MAX (time_ns, walk->last_ns),
                               .kind = kind,
                               .id = id,
                               .extra = extra,
                               .file = file };

    if (event != NULL) {
        told.payload = event + 1;
        told.n_more = event->n_more;
    }
    walk->last_ns = told.time_ns;
    walk->func (&told, walk->user);
}

static void
leave_top (Walk *walk, guint64 time_ns, guint32 extra)
{
    Open top = g_array_index (walk->stack, Open, walk->stack->len - 1);

    g_array_set_size (walk->stack, walk->stack->len - 1);
    tell (walk, top.file, time_ns, PDDT_TRACE_LEAVE, top.region, extra, NULL);
}

/* What another program image of this process has left open when the process became the next one. */
static void
leave_image (Walk *walk, const ProfileTraceFile *file, guint64 time_ns)
{
    while (walk->stack->len > 0) {
        const ProfileTraceFile *other
            = g_array_index (walk->stack, Open, walk->stack->len - 1).file;

        if (other == file || other->header.writer != file->header.writer) {
            break;
        }
        leave_top (walk, time_ns, 0);
    }
}

static void
leave (Walk *walk, const ProfileTraceFile *file, const struct pddt_trace_event *event)
{
    guint32 region = event->id != 0 ? profile_trace_file_get_region (file, event->id) : 0;
    guint at = walk->stack->len;

    if (event->id == 0 && at > 0) {
        leave_top (walk, event->time_ns, event->extra);
        return;
    }
    while (at > 0
           && (g_array_index (walk->stack, Open, at - 1).region != region
               || g_array_index (walk->stack, Open, at - 1).file != file)) {
        at--;
    }
    while (at > 0 && walk->stack->len >= at) { /* at 0: it was never entered */
        leave_top (walk, event->time_ns, walk->stack->len == at ? event->extra : 0);
    }
}

static void
take_event (Walk *walk, const Cursor *cursor)
{
    const struct pddt_trace_event *event = cursor->event;
    const ProfileTraceFile *file = cursor->part.file;
    Open open = { 0, file };

    leave_image (walk, file, event->time_ns);
    switch (event->kind) {
    case PDDT_TRACE_NOTHING: break;
    case PDDT_TRACE_ENTER:
        open.region = profile_trace_file_get_region (file, event->id);
        if (open.region == 0) {
            walk->is_whole = FALSE;
            break;
        }
        g_array_append_val (walk->stack, open);
        tell (walk, file, event->time_ns, event->kind, open.region, event->extra, event);
        break;
    case PDDT_TRACE_LEAVE: leave (walk, file, event); break;
    default: tell (walk, file, event->time_ns, event->kind, event->id, event->extra, event);
    }
}

static GArray *
make_cursors (const ProfileTraceThread *thread)
{
    GArray *cursors = g_array_new (FALSE, FALSE, sizeof (Cursor));

    for (guint i = 0; i < thread->parts->len; i++) {
        Cursor cursor = { .part = g_array_index (thread->parts, ProfileTracePart, i) };

        g_array_append_val (cursors, cursor);
    }
    return cursors;
}

/* The earliest of them; of equal times the first file's. NULL: no more. */
static Cursor *
choose (GArray *cursors)
{
    Cursor *best = NULL;

    for (guint i = 0; i < cursors->len; i++) {
        Cursor *cursor = &g_array_index (cursors, Cursor, i);

        if (cursor->event != NULL
            && (best == NULL || cursor->event->time_ns < best->event->time_ns)) {
            best = cursor;
        }
    }
    return best;
}

gboolean
profile_trace_walk (const ProfileTraceThread *thread, ProfileTraceFunc func, gpointer user)
{
    g_autoptr (GArray) cursors = make_cursors (thread);
    g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (Open));
    Walk walk = { func, user, stack, 0, TRUE };
    Cursor *next;

    for (guint i = 0; i < cursors->len; i++) {
        walk.is_whole &= find_event (&g_array_index (cursors, Cursor, i));
    }
    while ((next = choose (cursors)) != NULL) {
        take_event (&walk, next);
        next->slot += 1u + next->event->n_more;
        walk.is_whole &= find_event (next);
    }
    while (stack->len > 0) {
        leave_top (&walk, walk.last_ns, 0);
    }
    return walk.is_whole;
}
