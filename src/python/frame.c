/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread's Python frames, innermost first, each with the address on the C stack of the
 * activation of the evaluation loop that runs it. */
#include "base/error.h"
#include "python/runtime-private.h"
#include <glib/gi18n.h>
#include <string.h>

#define MAX_FRAMES 200000u
#define MAX_LINKS (MAX_FRAMES + MAX_FRAMES / 4) /* of a chain: some are of no frame */
#define HEAD_SIZE 128u
#define OWNER_THREAD 0u
#define OWNER_GENERATOR 1u
#define OWNER_SHIM 3u

/* Chunks of a thread's stack of frames come in whole pages, behind three words. */
#define CHUNK_BYTES 4096u
#define CHUNK_HEAD_BYTES 24u

#define KIND_HIDDEN                                                                            \
    0x10u /* from 3.12 on: of a comprehension within a module's or class's own code */
#define KIND_CELL 0x40u
#define KIND_FREE 0x80u

static void
free_frame (PythonFrame *frame)
{
    if (frame == NULL) {
        return;
    }
    g_free (frame->function);
    g_free (frame->file);
    g_free (frame);
}

static guint64
get_word (const guint8 *bytes, gint32 offset)
{
    guint64 word;

    memcpy (&word, bytes + offset, sizeof word);
    return word;
}

/* From 3.14 on frames have references whose lowest bits say who counts them (pycore_stackref.h). */
static guint64
clear_tag (const PythonRuntime *runtime, guint64 reference)
{
    return runtime->layout->minor >= 14 ? reference & ~(guint64) 3 : reference;
}

static guint64
get_code (const PythonRuntime *runtime, const guint8 *head)
{
    return clear_tag (runtime, get_word (head, runtime->layout->frame_code));
}

/* Byte offset in the bytecode of the instruction that runs. */
static gint64
get_offset (const PythonRuntime *runtime, const PythonCode *code, const guint8 *head)
{
    const PythonLayout *layout = runtime->layout;
    gint32 last;

    if (layout->chain != PYTHON_CHAIN_OBJECTS) {
        return (gint64) (get_word (head, layout->frame_instruction) - code->bytecode);
    }
    memcpy (&last, head + layout->frame_instruction, sizeof last);
    return layout->minor >= 10 ? (gint64) last * 2 : last;
}

static PythonFrame *
make_frame (PythonRuntime *runtime, guint64 address, const guint8 *head, const PythonCode *code)
{
    PythonFrame *frame = g_new0 (PythonFrame, 1);

    frame->frame = address;
    frame->code = get_code (runtime, head);
    if (code == NULL) {
        frame->setup = TRUE;
        frame->function = g_strdup (N_ ("<frame being set up>"));
        frame->code = 0;
        return frame;
    }
    frame->function = g_strdup (code->function);
    frame->file = g_strdup (code->file);
    frame->line = python_code_find_line (runtime, code, get_offset (runtime, code, head));
    return frame;
}

/* Entered and not begun, or a helper that the interpreter pushes for itself (from 3.12 around
 * __init__): Python shows neither, so that frames count here as they count there. */
static gboolean
is_unbegun (PythonRuntime *runtime, const guint8 *head, const PythonCode *code)
{
    const PythonLayout *layout = runtime->layout;

    if (layout->chain == PYTHON_CHAIN_OBJECTS || head[layout->frame_owner] == OWNER_GENERATOR) {
        return FALSE;
    }
    return code != NULL
           && get_offset (runtime, code, head) < (gint64) code->first_traceable * 2;
}

static gboolean
set_corrupt (GError **error, const char *what)
{
    base_error_set (error, BASE_ERROR_CORRUPT, "cannot read Python frames: %s", what);
    return FALSE;
}

static void
set_anchor (GPtrArray *frames, guint from, guint64 anchor)
{
    for (guint i = from; i < frames->len; i++) {
        ((PythonFrame *) g_ptr_array_index (frames, i))->anchor = anchor;
    }
}

/* 3.11: the activation outside of `cframe`, and its current frame. Two activations with the same
 * current frame: the inner one has entered none yet, or left its last. */
static guint64
find_outer_cframe (PythonRuntime *runtime, guint64 cframe, guint64 *ret_current)
{
    const PythonLayout *layout = runtime->layout;
    guint64 outer = 0;

    *ret_current = 0;
    return python_read_u64 (runtime, cframe + (guint64) layout->cframe_previous, &outer)
                   && outer != 0
                   && python_read_u64 (runtime, outer + (guint64) layout->cframe_frame,
                                       ret_current)
               ? outer
               : 0;
}

static gsize
get_head_size (const PythonLayout *layout)
{
    gsize size = (gsize) layout->frame_slots;

    return layout->chain == PYTHON_CHAIN_OBJECTS ? MIN (size, HEAD_SIZE) : size;
}

/* Frames of calls lie side by side on the thread's own stack, which goes on in another chunk when
 * one is full; `head` is that of the outer one. */
static gboolean
is_next_to (PythonRuntime *runtime, guint64 address, const guint8 *head, guint64 inner)
{
    const PythonLayout *layout = runtime->layout;
    const PythonCode *code = python_find_code (runtime, get_code (runtime, head));
    guint64 words = (guint64) layout->frame_slots / 8;

    if (code == NULL) {
        return FALSE;
    }
    words += code->n_slots + code->stack_size;
    return address + words * 8 == inner || inner % CHUNK_BYTES == CHUNK_HEAD_BYTES;
}

/* The walk along one thread's chain. */
typedef struct {
    PythonRuntime *runtime;
    GPtrArray *frames;
    guint first;       /* of the activation that is not closed yet */
    guint64 cframe;    /* 3.11: that activation */
    guint64 begun;     /* a frame that is just being entered: its link may not be written yet */
    gboolean is_whole; /* the last one seen may be the outermost */
} Walk;

static void
close_activation (Walk *walk, guint64 anchor)
{
    set_anchor (walk->frames, walk->first, anchor);
    walk->first = walk->frames->len;
}

/* 3.11: a frame where an outer activation stands begins that one. A generator that something is
 * thrown through has a frame in the chain and no activation of its own. */
static void
pass_cframes (Walk *walk, guint64 address)
{
    guint64 current = 0;
    guint64 outer = walk->cframe != 0
                        ? find_outer_cframe (walk->runtime, walk->cframe, &current)
                        : 0;

    for (guint i = 0; outer != 0 && current == address && i < MAX_FRAMES; i++) {
        close_activation (walk, walk->cframe);
        walk->cframe = outer;
        outer = find_outer_cframe (walk->runtime, outer, &current);
    }
}

/* FALSE: the link that led to this frame is none. */
static gboolean
take_frame (Walk *walk, guint64 address, const guint8 *head)
{
    PythonRuntime *runtime = walk->runtime;
    const PythonLayout *layout = runtime->layout;
    gboolean has_owner = layout->chain != PYTHON_CHAIN_OBJECTS;
    guint8 owner = has_owner ? head[layout->frame_owner] : 0;
    const PythonCode *code;

    walk->is_whole = !has_owner
                     || (layout->chain == PYTHON_CHAIN_CFRAMES && head[layout->frame_is_entry]);
    if (layout->chain == PYTHON_CHAIN_SHIMS && owner >= OWNER_SHIM) {
        close_activation (walk, address);
        walk->is_whole = TRUE;
        return TRUE;
    }
    if (walk->begun != 0 && has_owner && owner == OWNER_THREAD) {
        if (!is_next_to (runtime, address, head, walk->begun)) {
            return FALSE;
        }
        walk->begun = 0;
    }
    code = python_find_code (runtime, get_code (runtime, head));
    if (code == NULL) {
        return FALSE;
    }
    if (layout->chain == PYTHON_CHAIN_CFRAMES) {
        pass_cframes (walk, address);
    }
    if (!is_unbegun (runtime, head, code)) {
        g_ptr_array_add (walk->frames, make_frame (runtime, address, head, code));
    } else if (walk->frames->len == 0 && owner == OWNER_THREAD) {
        walk->begun = address;
    }
    return TRUE;
}

static void
mark_incomplete (GPtrArray *frames)
{
    if (frames->len > 0) {
        ((PythonFrame *) g_ptr_array_index (frames, frames->len - 1))->is_incomplete = TRUE;
    }
}

static void
walk_chain (Walk *walk, guint64 address)
{
    PythonRuntime *runtime = walk->runtime;
    guint8 head[HEAD_SIZE];

    for (guint n_links = 0; address != 0; n_links++) {
        if (n_links >= MAX_LINKS || walk->frames->len >= MAX_FRAMES || address % 8 != 0
            || !python_read (runtime, address, head, get_head_size (runtime->layout))
            || !take_frame (walk, address, head)) {
            walk->is_whole = FALSE;
            return;
        }
        address = get_word (head, runtime->layout->frame_previous);
    }
}

/* The frame that a thread was about to enter is better than none. */
static void
keep_begun (Walk *walk)
{
    guint8 head[HEAD_SIZE];

    if (walk->frames->len == 0 && walk->begun != 0
        && python_read (walk->runtime, walk->begun, head,
                        get_head_size (walk->runtime->layout))) {
        g_ptr_array_add (walk->frames,
                         make_frame (walk->runtime, walk->begun, head,
                                     python_find_code (walk->runtime,
                                                       get_code (walk->runtime, head))));
    }
}

/* A thread stopped between two stores of the interpreter has a link that is missing or old: what
 * was walked until then stands, and says that there is more. Where the evaluation loop was just
 * entered (to 3.12), the activation outside it is told by its own record. */
static gboolean
walk_thread (PythonRuntime *runtime, guint64 address, guint64 cframe, GPtrArray *frames,
             GError **error)
{
    const PythonLayout *layout = runtime->layout;
    Walk walk = { runtime, frames, 0, cframe, 0, FALSE };
    guint64 outer;

    walk_chain (&walk, address);
    if (!walk.is_whole && frames->len == 0 && cframe != 0
        && python_read_u64 (runtime, cframe + layout->cframe_previous, &outer) && outer != 0
        && python_read_u64 (runtime, outer + layout->cframe_frame, &address)) {
        Walk again = { runtime, frames, 0, outer, 0, FALSE };

        walk_chain (&again, address);
        again.begun = again.begun != 0 ? again.begun : walk.begun;
        walk = again;
    }
    if (layout->chain == PYTHON_CHAIN_CFRAMES) {
        close_activation (&walk, walk.cframe);
    }
    if (!walk.is_whole) {
        keep_begun (&walk);
        mark_incomplete (frames);
    }
    return walk.is_whole || frames->len > 0
           || set_corrupt (error, "the chain of frames is broken");
}

/* NULL with an error when nothing can be read; no frames are no error. */
static GPtrArray *
read_state (PythonRuntime *runtime, guint64 state, GError **error)
{
    const PythonLayout *layout = runtime->layout;
    g_autoptr (GPtrArray) frames = g_ptr_array_new_with_free_func ((GDestroyNotify) free_frame);
    guint64 address = 0;
    guint64 cframe = 0;

    if (!python_read_u64 (runtime, state + layout->thread_frame, &address)) {
        set_corrupt (error, "the thread has ended");
        return NULL;
    }
    if (layout->cframe_previous != 0) {
        cframe = address;
        if (!python_read_u64 (runtime, cframe + layout->cframe_frame, &address)) {
            set_corrupt (error, "the thread has no frame yet");
            return NULL;
        }
    }
    if (address != 0 && !walk_thread (runtime, address, cframe, frames, error)) {
        return NULL;
    }
    return g_steal_pointer (&frames);
}

static gint
compare_anchors (gconstpointer a, gconstpointer b)
{
    const PythonFrame *x = *(PythonFrame *const *) a;
    const PythonFrame *y = *(PythonFrame *const *) b;

    return x->anchor == 0 || y->anchor == 0 ? 0
                                            : (x->anchor > y->anchor) - (x->anchor < y->anchor);
}

/* By their places on the thread's one stack; to 3.10 the newer interpreter is taken for the inner
 * one. g_ptr_array_sort is stable, so frames of one activation keep their order. */
static void
add_outer (GPtrArray *frames, GPtrArray *outer)
{
    g_ptr_array_extend_and_steal (frames, outer);
    g_ptr_array_sort (frames, compare_anchors);
}

GPtrArray *
python_runtime_read_frames (PythonRuntime *runtime, const PythonThread *thread, GError **error)
{
    GPtrArray *frames = read_state (runtime, thread->state, error);

    for (guint i = 0; frames != NULL && i < thread->n_outer; i++) {
        GPtrArray *outer = read_state (runtime, thread->outer[i], NULL);

        if (outer != NULL) {
            add_outer (frames, outer);
        }
    }
    return frames;
}

static gboolean
read_cell (PythonRuntime *runtime, guint64 *object)
{
    const PythonType *type = python_find_object_type (runtime, *object);

    if (type != NULL && strcmp (type->full_name, "cell") == 0) {
        return python_read_u64 (runtime, *object + runtime->layout->cell_value, object);
    }
    return TRUE;
}

/* count names of a tuple for as many slots from `slots` on. FALSE: the callback had enough. */
static gboolean
walk_slots (PythonRuntime *runtime, guint64 names, const guint8 *kinds, gboolean are_cells,
            guint64 slots, guint64 count, PythonOnLocal on_local, gpointer user)
{
    for (guint64 i = 0; i < count; i++) {
        g_autofree char *name = NULL;
        guint64 name_at;
        guint64 object = 0;
        gboolean is_cell = are_cells || (kinds != NULL && (kinds[i] & (KIND_CELL | KIND_FREE)));

        if (!python_read_u64 (runtime, slots + i * 8, &object)
            || (object = clear_tag (runtime, object)) == 0
            || (is_cell && (!read_cell (runtime, &object) || object == 0))
            || !python_read_u64 (runtime, names + runtime->layout->tuple_items + i * 8,
                                 &name_at)) {
            continue;
        }
        name = python_read_str (runtime, name_at, 1024, NULL);
        if (name != NULL && !on_local (name, object, user)) {
            return FALSE;
        }
    }
    return TRUE;
}

static guint64
get_length (PythonRuntime *runtime, guint64 tuple)
{
    guint64 length = 0;

    python_read_u64 (runtime, tuple + runtime->layout->var_size, &length);
    return MIN (length, 65536);
}

typedef struct {
    PythonRuntime *runtime;
    PythonOnLocal on_local;
    gpointer user;
    GHashTable *hidden; /* names of variables of comprehensions, which are not in the dict */
} DictLocals;

static gboolean
pass_hidden (const char *name, guint64 object, gpointer user)
{
    DictLocals *locals = user;

    g_hash_table_add (locals->hidden, g_strdup (name));
    return locals->on_local (name, object, locals->user);
}

static gboolean
walk_hidden (PythonRuntime *runtime, const PythonCode *code, guint64 slots, DictLocals *locals)
{
    g_autoptr (GBytes) kinds = runtime->layout->chain == PYTHON_CHAIN_SHIMS
                                   ? python_read_bytes (runtime, code->slot_kinds, 65536)
                                   : NULL;
    gsize n = 0;
    const guint8 *kind = kinds != NULL ? g_bytes_get_data (kinds, &n) : NULL;

    for (guint64 i = 0; i < MIN (n, code->n_slots); i++) {
        if ((kind[i] & KIND_HIDDEN) != 0
            && !walk_slots (runtime, code->slot_names + i * 8, &kind[i], FALSE, slots + i * 8,
                            1, pass_hidden, locals)) {
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean
pass_entry (guint64 key, guint64 value, gpointer user)
{
    DictLocals *locals = user;
    g_autofree char *name = python_read_str (locals->runtime, key, 1024, NULL);

    return name == NULL || g_hash_table_contains (locals->hidden, name)
           || locals->on_local (name, value, locals->user);
}

static gboolean
walk_dict_locals (PythonRuntime *runtime, guint64 frame, const PythonCode *code, guint64 slots,
                  PythonOnLocal on_local, gpointer user)
{
    g_autoptr (GHashTable) hidden = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                           NULL);
    DictLocals locals = { runtime, on_local, user, hidden };
    guint64 dict = 0;

    return !walk_hidden (runtime, code, slots, &locals)
           || (python_read_u64 (runtime, frame + runtime->layout->frame_locals, &dict)
               && dict != 0 && python_dict_foreach (runtime, dict, pass_entry, &locals));
}

static gboolean
walk_object_slots (PythonRuntime *runtime, guint64 slots, const PythonCode *code,
                   PythonOnLocal on_local, gpointer user)
{
    guint64 n_cells = get_length (runtime, code->cells);

    return walk_slots (runtime, code->locals, NULL, FALSE, slots, code->n_slots, on_local, user)
           && walk_slots (runtime, code->cells, NULL, TRUE, slots + code->n_slots * 8, n_cells,
                          on_local, user)
           && walk_slots (runtime, code->frees, NULL, TRUE,
                          slots + (code->n_slots + n_cells) * 8,
                          get_length (runtime, code->frees), on_local, user);
}

gboolean
python_locals_foreach (PythonRuntime *runtime, guint64 frame, PythonOnLocal on_local,
                       gpointer user)
{
    const PythonLayout *layout = runtime->layout;
    guint64 slots = frame + (guint64) layout->frame_slots;
    guint64 address = 0;
    const PythonCode *code;
    g_autoptr (GBytes) kinds = NULL;
    gsize n_kinds;
    const guint8 *kind;

    if (!python_read_u64 (runtime, frame + layout->frame_code, &address)) {
        return FALSE;
    }
    code = python_find_code (runtime, clear_tag (runtime, address));
    if (code == NULL || code->n_slots > 65536) {
        return FALSE;
    }
    if ((code->flags & PYTHON_FLAG_OPTIMIZED) == 0) {
        return walk_dict_locals (runtime, frame, code, slots, on_local, user);
    }
    if (layout->chain == PYTHON_CHAIN_OBJECTS) {
        walk_object_slots (runtime, slots, code, on_local, user);
        return TRUE;
    }
    kinds = python_read_bytes (runtime, code->slot_kinds, 65536);
    kind = kinds != NULL ? g_bytes_get_data (kinds, &n_kinds) : NULL;
    if (kind == NULL || n_kinds < code->n_slots) {
        return FALSE;
    }
    walk_slots (runtime, code->slot_names, kind, FALSE, slots, code->n_slots, on_local, user);
    return TRUE;
}

static gboolean
has_name (PythonRuntime *runtime, guint64 names, const char *name)
{
    guint64 length = get_length (runtime, names);

    for (guint64 i = 0; i < length; i++) {
        guint64 at;
        g_autofree char *text
            = python_read_u64 (runtime, names + runtime->layout->tuple_items + i * 8, &at)
                  ? python_read_str (runtime, at, 1024, NULL)
                  : NULL;

        if (g_strcmp0 (text, name) == 0) {
            return TRUE;
        }
    }
    return FALSE;
}

gboolean
python_code_has_variable (PythonRuntime *runtime, guint64 address, const char *name)
{
    const PythonCode *code = python_find_code (runtime, address);

    if (code == NULL || (code->flags & PYTHON_FLAG_OPTIMIZED) == 0) {
        return FALSE;
    }
    return runtime->layout->chain == PYTHON_CHAIN_OBJECTS
               ? has_name (runtime, code->locals, name) || has_name (runtime, code->cells, name)
                     || has_name (runtime, code->frees, name)
               : has_name (runtime, code->slot_names, name);
}
