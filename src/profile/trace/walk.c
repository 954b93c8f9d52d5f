/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events of a thread, from all of its writers by time, and balanced. Where its beginning was lost, the calls that
 * were under way then are entered at the time from which on all of its writers have everything. */
#include "profile/trace/private.h"
#include "profile/trace/rewind.h"
#include "profile/trace/window.h"
#include "base/array.h"

/* Where the next event of one file is. */
typedef struct {
    ProfileTracePart part;
    guint chunk;                          /* of the part */
    guint32 slot;                         /* of the chunk */
    const struct pddt_trace_event *event; /* NULL: no more */
} Cursor;

typedef struct {
    guint32 region, extra;
    const ProfileTraceFile *file;
    gboolean is_of_stack; /* entered in what is lost */
} Open;

typedef struct {
    ProfileTraceFunc func;
    gpointer user;
    GArray *stack;                /* of Open */
    ProfileTraceWindow *window;   /* NULL: the thread has lost nothing before its first event */
    ProfileTraceRewinds *rewinds; /* NULL: nothing was taken back */
    GHashTable *deeper; /* file to number of calls that its stack has no room for; NULL: none */
    guint64 last_ns, n_left_out;
    gboolean is_silent; /* what comes is before the thread's window */
    gboolean is_whole;
} Walk;

static gboolean
is_of_stack (const Cursor *cursor)
{
    return cursor->part.first[cursor->chunk].chunk->kind == PDDT_TRACE_STACK;
}

/* FALSE: the chunk is broken here, or has a time that cannot be, and the rest of it is left out. */
static gboolean
find_event (Cursor *cursor)
{
    gboolean is_whole = TRUE;

    cursor->event = NULL;
    while (cursor->event == NULL && cursor->chunk < cursor->part.n) {
        const ProfileTraceChunk *chunk = &cursor->part.first[cursor->chunk];
        const struct pddt_trace_event *event
            = (const struct pddt_trace_event *) (chunk->chunk + 1) + cursor->slot;

        if (cursor->slot < chunk->n_used && cursor->slot + event->n_more < chunk->n_used
            && event->time_ns >= cursor->part.file->first_possible_ns
            && event->time_ns <= cursor->part.file->last_possible_ns) {
            cursor->event = event;
        } else {
            is_whole = is_whole && cursor->slot >= chunk->n_used;
            cursor->chunk++;
            cursor->slot = 0;
        }
    }
    return is_whole;
}

/* payload: n_more slots. */
static void
tell_with (Walk *walk, const ProfileTraceFile *file, guint64 time_ns, guint32 kind, guint32 id,
           guint32 extra, const void *payload, guint n_more)
{
    ProfileTraceEvent told = { .time_ns = MAX (time_ns, walk->last_ns),
                               .kind = kind,
                               .id = id,
                               .extra = extra,
                               .payload = payload,
                               .n_more = n_more,
                               .file = file };

    if (walk->is_silent || walk->func == NULL) {
        return;
    }
    walk->last_ns = told.time_ns;
    if (walk->rewinds != NULL) {
        profile_trace_rewinds_take (walk->rewinds, &told);
    } else {
        walk->func (&told, walk->user);
    }
}

static void
tell (Walk *walk, const ProfileTraceFile *file, guint64 time_ns, guint32 kind, guint32 id,
      guint32 extra)
{
    tell_with (walk, file, time_ns, kind, id, extra, NULL, 0);
}

static void
leave_top (Walk *walk, guint64 time_ns, guint32 extra)
{
    Open top = g_array_index (walk->stack, Open, walk->stack->len - 1);

    g_array_set_size (walk->stack, walk->stack->len - 1);
    tell (walk, top.file, time_ns, PDDT_TRACE_LEAVE, top.region, extra);
}

/* Both are of one program that the process has executed. Where that is not known, a writer has one file in each. */
static gboolean
is_of_image (const ProfileTraceFile *file, const ProfileTraceFile *other)
{
    if (file->header.image != 0 && other->header.image != 0) {
        return file->header.image == other->header.image;
    }
    return other == file || other->header.writer != file->header.writer;
}

/* What another program image of this process has left open ends when the process became the next one, or with its last event
 * where that is not known. */
static void
leave_image (Walk *walk, const ProfileTraceFile *file, guint64 time_ns)
{
    while (walk->stack->len > 0) {
        const ProfileTraceFile *other
            = g_array_index (walk->stack, Open, walk->stack->len - 1).file;

        if (is_of_image (file, other)) {
            break;
        }
        leave_top (walk, MIN (MAX (other->left_ns, walk->last_ns), time_ns), 0);
    }
}

/* TRUE: what is left is a call that was under way in what is lost, and of which only that is known. */
static gboolean
leave_deeper (const Walk *walk, const ProfileTraceFile *file)
{
    guint n = walk->deeper != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (walk->deeper, file))
                                   : 0;

    for (guint at = walk->stack->len; n > 0 && at > 0; at--) {
        const Open *open = &g_array_index (walk->stack, Open, at - 1);

        if (open->file == file && !open->is_of_stack) {
            return FALSE;
        }
    }
    if (n > 0) {
        g_hash_table_insert (walk->deeper, (gpointer) file, GUINT_TO_POINTER (n - 1));
    }
    return n > 0;
}

static void
leave (Walk *walk, const ProfileTraceFile *file, const struct pddt_trace_event *event)
{
    guint32 region = event->id != 0 ? profile_trace_file_get_region (file, event->id) : 0;
    guint at = walk->stack->len;

    if (leave_deeper (walk, file)) {
        return;
    }
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
take_other (Walk *walk, const ProfileTraceFile *file, const struct pddt_trace_event *event)
{
    ProfileTraceWindowAdvice advice = { 0 };

    if (walk->window != NULL && !walk->is_silent) {
        advice = profile_trace_window_look (walk->window, event);
    }
    if (advice.begin != 0) {
        tell_with (walk, file, event->time_ns, advice.begin, event->id, event->extra,
                   advice.payload, advice.n_more);
    }
    if (!advice.is_left_out) {
        tell_with (walk, file, event->time_ns, event->kind, event->id, event->extra, event + 1,
                   event->n_more);
    }
}

static gboolean
is_kind (guint kind)
{
    static const struct {
        guint first, last;
    } kinds[] = { { PDDT_TRACE_NOTHING, PDDT_TRACE_REWOUND },
                  { PDDT_TRACE_SEND, PDDT_TRACE_PROBE },
                  { PDDT_TRACE_COLLECTIVE_BEGIN, PDDT_TRACE_COLLECTIVE_COMPLETE },
                  { PDDT_TRACE_RMA_PUT, PDDT_TRACE_RMA_COMPLETE },
                  { PDDT_TRACE_IO_OPEN, PDDT_TRACE_IO_SEEK },
                  { PDDT_TRACE_LOCK_WANTED, PDDT_TRACE_LOCK_RELEASED },
                  { PDDT_TRACE_THREAD_CREATE, PDDT_TRACE_THREAD_END },
                  { PDDT_TRACE_PARAMETER, PDDT_TRACE_MARK },
                  { PDDT_TRACE_ALLOCATED, PDDT_TRACE_FREED } };

    return BASE_ANY (i, G_N_ELEMENTS (kinds), kind >= kinds[i].first && kind <= kinds[i].last);
}

static void
take_event (Walk *walk, const Cursor *cursor)
{
    const struct pddt_trace_event *event = cursor->event;
    const ProfileTraceFile *file = cursor->part.file;
    Open open = { 0, event->extra, file, is_of_stack (cursor) };

    walk->n_left_out += walk->is_silent && !open.is_of_stack;
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
        tell (walk, file, event->time_ns, event->kind, open.region, event->extra);
        break;
    case PDDT_TRACE_LEAVE:
        walk->is_whole &= event->id == 0
                          || profile_trace_file_get_region (file, event->id) != 0;
        leave (walk, file, event);
        break;
    default:
        if (is_kind (event->kind)) {
            take_other (walk, file, event);
        } else {
            walk->is_whole = FALSE;
        }
    }
}

/* From here on the thread has all of its events. */
static void
begin_window (Walk *walk, guint64 time_ns)
{
    walk->is_silent = FALSE;
    for (guint i = 0; i < walk->stack->len; i++) {
        const Open *open = &g_array_index (walk->stack, Open, i);

        tell (walk, open->file, time_ns, PDDT_TRACE_ENTER, open->region,
              open->extra | PDDT_TRACE_OPENED);
    }
}

static GArray *
make_cursors (const ProfileTraceThread *thread)
{
    GArray *cursors = g_array_new (FALSE, FALSE, sizeof (Cursor));

    for (guint i = 0; i < thread->parts->len; i++) {
        BASE_APPEND (cursors, Cursor,
                     .part = g_array_index (thread->parts, ProfileTracePart, i));
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

/* What the stacks had no room for. */
static void
note_deeper (Walk *walk, const ProfileTracePart *part)
{
    for (guint i = 0; i < part->n; i++) {
        const struct pddt_trace_chunk *chunk = part->first[i].chunk;

        if (chunk->kind == PDDT_TRACE_STACK && chunk->n_deeper > 0) {
            walk->deeper = walk->deeper != NULL ? walk->deeper : g_hash_table_new (NULL, NULL);
            g_hash_table_insert (walk->deeper, (gpointer) part->file,
                                 GUINT_TO_POINTER (chunk->n_deeper));
        }
    }
}

static void
begin (Walk *walk, const ProfileTraceThread *thread, GArray *cursors)
{
    walk->is_whole = TRUE;
    walk->is_silent = thread->from_ns > 0;
    walk->window = thread->from_ns > 0 ? profile_trace_window_new () : NULL;
    walk->stack = g_array_new (FALSE, FALSE, sizeof (Open));
    for (guint i = 0; i < cursors->len; i++) {
        note_deeper (walk, &g_array_index (cursors, Cursor, i).part);
        walk->is_whole &= find_event (&g_array_index (cursors, Cursor, i));
    }
}

static void
go_on (Walk *walk, Cursor *cursor)
{
    cursor->slot += 1u + cursor->event->n_more;
    walk->is_whole &= find_event (cursor);
}

static void
walk_all (Walk *walk, const ProfileTraceThread *thread)
{
    g_autoptr (GArray) cursors = make_cursors (thread);
    Cursor *next;

    begin (walk, thread, cursors);
    while ((next = choose (cursors)) != NULL && next->event->time_ns <= thread->until_ns) {
        if (walk->is_silent && next->event->time_ns > thread->from_ns) {
            begin_window (walk, thread->from_ns);
        }
        take_event (walk, next);
        go_on (walk, next);
    }
    if (walk->is_silent) {
        begin_window (walk, thread->from_ns);
    }
    if (next != NULL) {
        walk->last_ns = MAX (walk->last_ns, thread->until_ns);
    }
    while (walk->stack->len > 0) {
        leave_top (walk, walk->last_ns, 0);
    }
    while ((next = choose (cursors)) != NULL) {
        walk->n_left_out++;
        go_on (walk, next);
    }
    g_array_unref (walk->stack);
    profile_trace_window_free (walk->window);
    g_clear_pointer (&walk->deeper, g_hash_table_unref);
}

gboolean
profile_trace_walk (const ProfileTraceThread *thread, ProfileTraceFunc func, gpointer user)
{
    Walk walk = { .func = func, .user = user };

    walk.rewinds = profile_trace_rewinds_new (thread, func, user);
    walk_all (&walk, thread);
    profile_trace_rewinds_free (walk.rewinds);
    return walk.is_whole;
}

guint64
profile_trace_count_left_out (const ProfileTraceThread *thread)
{
    Walk walk = { 0 };

    if (thread->from_ns > 0 || thread->until_ns < G_MAXUINT64) {
        walk_all (&walk, thread);
    }
    return walk.n_left_out;
}
