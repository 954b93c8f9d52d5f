/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/otf2/fill.h"
#include "profile/otf2/private.h"
#include "profile/slice.h"
#include "base/array.h"
#include <string.h>

#define NEAR_NS 1000000u /* between two samples: less is nothing */
#define USUAL_RATE 100u
#define NO_LEAF G_MAXUINT32 /* the sample says nothing of the call */

struct _ProfileOtf2Fill {
    const ProfileModel *samples;
    guint64 period_ns;
    GHashTable *recorded; /* set of keys, as make_key has them */
    GHashTable **
        leaves; /* of each process: context, sample's and class as a text, to a number of its tree */
    GHashTable **classes; /* the same: number of its tree to 1 + the class of its own time */
    GHashTable **used;    /* the same: set of threads, as the model counts them */
};

/* When somebody has looked, and the time since the last look. */
typedef struct {
    guint64 begin_ns, end_ns;
    const ProfileSample *sample;
} Look;

/* Of a call, what its samples stand for elsewhere. */
typedef struct {
    guint64 left_ns;
    guint32 leaf;
    guint8 class;
} Credit;

struct _ProfileOtf2FillThread {
    const ProfileModel *model;
    guint index;
    GArray *samples; /* of ProfileSample */
    guint next;
    guint64 taken_ns; /* of that one */
    guint64 period_ns;
    JobContextTree *tree;
    GHashTable *leaves, *classes; /* the process's */
    const GHashTable *recorded;   /* the fill's */
    GHashTable *credits;          /* context to Credit */
    ProfileOtf2FillPiece last;    /* since the last event */
    gboolean has_last;
    gboolean is_alone; /* nobody but samples has seen the thread */
};

ProfileOtf2Fill *
profile_otf2_fill_new (const ProfileModel *samples)
{
    ProfileOtf2Fill *fill = g_new0 (ProfileOtf2Fill, 1);
    guint32 rate = profile_model_get_info (samples)->rate;

    fill->samples = samples;
    fill->recorded = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    fill->period_ns = 1000000000u / (rate != 0 ? rate : USUAL_RATE);
    fill->leaves = g_new0 (GHashTable *, profile_model_get_n_ranks (samples));
    fill->classes = g_new0 (GHashTable *, profile_model_get_n_ranks (samples));
    fill->used = g_new0 (GHashTable *, profile_model_get_n_ranks (samples));
    for (guint i = 0; i < profile_model_get_n_ranks (samples); i++) {
        fill->leaves[i] = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
        fill->classes[i] = g_hash_table_new (NULL, NULL);
        fill->used[i] = g_hash_table_new (NULL, NULL);
    }
    return fill;
}

void
profile_otf2_fill_free (ProfileOtf2Fill *fill)
{
    if (fill == NULL) {
        return;
    }
    for (guint i = 0; i < profile_model_get_n_ranks (fill->samples); i++) {
        g_hash_table_unref (fill->leaves[i]);
        g_hash_table_unref (fill->classes[i]);
        g_hash_table_unref (fill->used[i]);
    }
    g_free (fill->used);
    g_hash_table_unref (fill->recorded);
    g_free (fill->leaves);
    g_free (fill->classes);
    g_free (fill);
}

const ProfileModel *
profile_otf2_fill_get_samples (const ProfileOtf2Fill *fill)
{
    return fill->samples;
}

static const char *
find_last_part (const char *text, char separator)
{
    const char *at = text != NULL ? strrchr (text, separator) : NULL;

    return at != NULL && at[1] != '\0' ? at + 1 : text != NULL ? text : "";
}

/* Events have a Python function's qualified name where there is one, and samples perhaps its plain one. file: NULL: a call
 * of MPI. Caller owns. */
static char *
make_key (const char *name, const char *file)
{
    return file != NULL ? g_strdup_printf ("%s\n%s", find_last_part (name, '.'),
                                           find_last_part (file, '/'))
                        : g_strdup (name);
}

void
profile_otf2_fill_add_recorded (ProfileOtf2Fill *fill, const char *name, const char *file)
{
    g_hash_table_add (fill->recorded, make_key (name, file));
}

guint
profile_otf2_fill_find (const ProfileOtf2Fill *fill, const char *host, gint32 pid)
{
    for (guint i = 0; i < profile_model_get_n_ranks (fill->samples); i++) {
        const ProfileProcess *process = profile_model_get_process (fill->samples, i);

        if (process->pid == pid && pid != 0 && g_strcmp0 (process->host, host) == 0) {
            return i;
        }
    }
    return G_MAXUINT;
}

/* ---- looks ---- */

static ProfileOtf2FillThread *
make_thread (ProfileOtf2Fill *fill, guint index, JobContextTree *tree)
{
    ProfileOtf2FillThread *thread = g_new0 (ProfileOtf2FillThread, 1);

    thread->model = fill->samples;
    thread->index = index;
    thread->samples = g_array_new (FALSE, FALSE, sizeof (ProfileSample));
    thread->period_ns = fill->period_ns;
    thread->tree = tree;
    thread->leaves = fill->leaves[index];
    thread->classes = fill->classes[index];
    thread->recorded = fill->recorded;
    thread->credits = g_hash_table_new_full (NULL, NULL, NULL, g_free);
    return thread;
}

BASE_ORDER (compare_times, ProfileSample, BASE_BY (time_us))

/* Of the model's process. */
static void
use_thread (ProfileOtf2Fill *fill, ProfileOtf2FillThread *to, guint number)
{
    guint32 unused;
    const GArray *samples = profile_samples_get (fill->samples, to->index, number, &unused);

    g_hash_table_add (fill->used[to->index], GUINT_TO_POINTER (number));
    g_array_append_vals (to->samples, samples->data, samples->len);
}

static gboolean
is_thread (const ProfileOtf2Fill *fill, guint index, guint number, guint32 thread, gint32 tid)
{
    gint32 its_tid = profile_samples_get_tid (fill->samples, index, number);
    guint32 its_number;

    profile_samples_get (fill->samples, index, number, &its_number);
    return tid != 0 && its_tid != 0 ? its_tid == tid : thread == 1 && its_number == 1;
}

ProfileOtf2FillThread *
profile_otf2_fill_begin (ProfileOtf2Fill *fill, guint index, guint32 number, gint32 tid,
                         JobContextTree *tree)
{
    ProfileOtf2FillThread *thread = NULL;
    guint n = 0;

    for (guint i = 0; i < profile_samples_get_n_threads (fill->samples, index); i++) {
        if (is_thread (fill, index, i, number, tid)) {
            thread = thread != NULL ? thread : make_thread (fill, index, tree);
            use_thread (fill, thread, i);
            n++;
        }
    }
    if (n > 1) {
        g_array_sort (thread->samples, compare_times);
    }
    return thread;
}

GArray *
profile_otf2_fill_dup_unused (const ProfileOtf2Fill *fill, guint index)
{
    GArray *numbers = g_array_new (FALSE, FALSE, sizeof (guint));

    for (guint i = 0; i < profile_samples_get_n_threads (fill->samples, index); i++) {
        if (!g_hash_table_contains (fill->used[index], GUINT_TO_POINTER (i))) {
            g_array_append_val (numbers, i);
        }
    }
    return numbers;
}

gboolean
profile_otf2_fill_knows_threads (const ProfileOtf2Fill *fill, guint index)
{
    return BASE_ALL (i, profile_samples_get_n_threads (fill->samples, index),
                     profile_samples_get_tid (fill->samples, index, i) != 0);
}

ProfileOtf2FillThread *
profile_otf2_fill_begin_unused (ProfileOtf2Fill *fill, guint index, guint unused,
                                JobContextTree *tree)
{
    ProfileOtf2FillThread *thread = make_thread (fill, index, tree);

    use_thread (fill, thread, unused);
    thread->is_alone = TRUE;
    return thread;
}

BASE_FREE_PUBLIC (profile_otf2_fill_end, ProfileOtf2FillThread, thread,
                  g_array_unref (thread->samples);
                  g_hash_table_unref (thread->credits))

/* A long wait is one sample, though somebody has looked in each period of it. */
static gboolean
peek (const ProfileOtf2FillThread *thread, Look *ret_look)
{
    const ProfileSample *sample;
    guint64 end_ns, left_ns;

    if (thread->next >= thread->samples->len) {
        return FALSE;
    }
    sample = &g_array_index (thread->samples, ProfileSample, thread->next);
    end_ns = (guint64) MAX (sample->time_us, 0) * 1000;
    left_ns = MIN (end_ns, (guint64) sample->weight_us * 1000) - thread->taken_ns;
    ret_look->sample = sample;
    ret_look->begin_ns = end_ns - left_ns;
    ret_look->end_ns = sample->is_blocked && left_ns > thread->period_ns * 3 / 2
                           ? ret_look->begin_ns + thread->period_ns
                           : end_ns;
    return TRUE;
}

static void
advance (ProfileOtf2FillThread *thread, const Look *look)
{
    guint64 end_ns = (guint64) MAX (look->sample->time_us, 0) * 1000;

    if (look->end_ns >= end_ns) {
        thread->next++;
        thread->taken_ns = 0;
    } else {
        thread->taken_ns += look->end_ns - look->begin_ns;
    }
}

gboolean
profile_otf2_fill_get_span (const ProfileOtf2FillThread *thread, guint64 *ret_begin_ns,
                            guint64 *ret_end_ns)
{
    Look look;

    if (!peek (thread, &look)) {
        return FALSE;
    }
    *ret_begin_ns = look.begin_ns;
    *ret_end_ns = (guint64) MAX (g_array_index (thread->samples, ProfileSample,
                                                thread->samples->len - 1)
                                     .time_us,
                                 0)
                  * 1000;
    return TRUE;
}

/* ---- frames ---- */

static gboolean
is_same_function (const JobLocation *one, const JobLocation *other)
{
    return strcmp (find_last_part (one->function, '.'), find_last_part (other->function, '.'))
               == 0
           && strcmp (find_last_part (one->file, '/'), find_last_part (other->file, '/')) == 0;
}

static gboolean
is_recorded (const ProfileOtf2FillThread *thread, const JobContext *frame)
{
    const char *name = frame->location.function;
    gboolean is_python = frame->location.language == JOB_LANGUAGE_PYTHON;
    g_autofree char *key = NULL;

    if (name == NULL || (is_python && frame->location.file == NULL)) { /* or built in */
        return FALSE;
    }
    name = !is_python && g_str_has_prefix (name, "PMPI_") ? name + 1 : name;
    key = make_key (name, is_python ? frame->location.file : NULL);
    return g_hash_table_contains ((GHashTable *) thread->recorded, key);
}

/* Whether Python functions that are called inside the call have events. */
static gboolean
records_python (const ProfileOtf2FillThread *thread, guint32 context)
{
    return context != 0
           && g_strcmp0 (job_context_tree_get (thread->tree, context)->location.function,
                         PROFILE_OTF2_UNRECORDED)
                  != 0;
}

/* How many frames of the stack, outermost first, are those of calls that were recorded: up to the innermost of Python's that
 * the call is in. FALSE: the stack is another one, that of a moment earlier or later. */
static gboolean
count_recorded (const ProfileOtf2FillThread *thread, const GArray *stack, guint32 context,
                guint *ret_n)
{
    const JobContextTree *samples = profile_model_get_contexts (thread->model);
    const JobContext *call = NULL;

    *ret_n = 0;
    for (guint32 at = context; at != 0 && call == NULL;) {
        const JobContext *one = job_context_tree_get (thread->tree, at);

        at = one->parent;
        if (one->location.language == JOB_LANGUAGE_PYTHON && is_recorded (thread, one)) {
            call = one; /* a region or a built-in function is no frame */
        }
    }
    for (guint i = call != NULL ? stack->len : 0; i > 0; i--) {
        const JobContext *frame = job_context_tree_get (samples,
                                                        g_array_index (stack, guint32, i - 1));

        if (frame->location.language == JOB_LANGUAGE_PYTHON
            && is_same_function (&call->location, &frame->location)) {
            *ret_n = i;
            return TRUE;
        }
    }
    return call == NULL;
}

/* One whose own time is of two classes is there twice. */
static guint32
add_leaf (ProfileOtf2FillThread *thread, guint32 parent, const JobContext *frame, guint class)
{
    guint32 flags = frame->flags | (class != JOB_CLASS_UNSAMPLED ? JOB_FRAME_SAMPLED : 0u);
    guint32 number = job_context_tree_add (thread->tree, parent, &frame->location, flags);
    guint known = GPOINTER_TO_UINT (g_hash_table_lookup (thread->classes,
                                                         GUINT_TO_POINTER (number)));

    if (known == 0) {
        g_hash_table_insert (thread->classes, GUINT_TO_POINTER (number),
                             GUINT_TO_POINTER (class + 1));
    } else if (known != class + 1) {
        number = job_context_tree_add (thread->tree, parent, &frame->location,
                                       flags | (class + 1) << JOB_FRAME_TWIN_SHIFT);
    }
    return number;
}

static guint32
add_frames (ProfileOtf2FillThread *thread, guint32 context, guint32 sampled, guint class)
{
    const JobContextTree *samples = profile_model_get_contexts (thread->model);
    g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (guint32));
    gboolean has_python = records_python (thread, context);
    guint n;

    for (guint32 at = sampled; at != 0; at = job_context_tree_get (samples, at)->parent) {
        g_array_prepend_val (stack, at);
    }
    if (!count_recorded (thread, stack, context, &n)) {
        return NO_LEAF;
    }
    for (guint i = n; i < stack->len; i++) {
        const JobContext *frame = job_context_tree_get (samples,
                                                        g_array_index (stack, guint32, i));

        if ((has_python || frame->location.language != JOB_LANGUAGE_PYTHON)
            && is_recorded (thread, frame)) { /* its call would be there */
            return NO_LEAF;
        }
        context = i + 1 == stack->len
                      ? add_leaf (thread, context, frame, class)
                      : job_context_tree_add (thread->tree, context, &frame->location,
                                              frame->flags | JOB_FRAME_SAMPLED);
    }
    return context;
}

/* Where the sample was inside the call: the call itself, if that was its own code; NO_LEAF. That nobody has looked is
 * said of a thread without events alone: else these tell more. */
static guint32
find_leaf (ProfileOtf2FillThread *thread, guint32 context, const ProfileSample *sample)
{
    guint32 sampled = sample->context != 0
                          ? profile_model_get_merged (thread->model, thread->index,
                                                      sample->context)
                          : 0;
    g_autofree char *key = NULL;
    gpointer known;

    if (sampled == 0 || (sample->class == JOB_CLASS_UNSAMPLED && !thread->is_alone)
        || sample->class == JOB_CLASS_UNKNOWN) {
        return NO_LEAF;
    }
    key = g_strdup_printf ("%x %x %x", context, sampled, sample->class);
    if (!g_hash_table_lookup_extended (thread->leaves, key, NULL, &known)) {
        known = GUINT_TO_POINTER (add_frames (thread, context, sampled, sample->class));
        g_hash_table_insert (thread->leaves, g_steal_pointer (&key), known);
    }
    return GPOINTER_TO_UINT (known);
}

/* ---- time ---- */

void
profile_otf2_fill_enter (ProfileOtf2FillThread *thread)
{
    thread->has_last = FALSE;
}

static Credit *
find_credit (ProfileOtf2FillThread *thread, guint32 context)
{
    Credit *credit = g_hash_table_lookup (thread->credits, GUINT_TO_POINTER (context));

    if (credit == NULL) {
        credit = g_new0 (Credit, 1);
        g_hash_table_insert (thread->credits, GUINT_TO_POINTER (context), credit);
    }
    return credit;
}

/* Up to the look, which lies before the next event. */
static ProfileOtf2FillPiece
use_look (ProfileOtf2FillThread *thread, const Look *look, guint64 from, guint32 context,
          guint8 class)
{
    ProfileOtf2FillPiece piece = { look->begin_ns, context, class, FALSE, FALSE, FALSE };
    guint32 leaf;
    Credit *credit;

    if (look->begin_ns > from) { /* nobody has looked for so long */
        return piece;
    }
    advance (thread, look);
    piece.end_ns = look->end_ns;
    leaf = find_leaf (thread, context, look->sample);
    if (leaf != NO_LEAF && leaf != context) {
        piece.context = leaf;
        piece.class = (guint8) look->sample->class;
        piece.is_filled = TRUE;
        piece.is_blocked = look->sample->is_blocked && context == 0;
    }
    if (leaf != NO_LEAF && context != 0) {
        credit = find_credit (thread, context);
        credit->left_ns += from - look->begin_ns;
        credit->leaf = piece.context;
        credit->class = piece.class;
    }
    thread->last = piece;
    thread->has_last = TRUE;
    return piece;
}

/* Up to the next event, in front of which nobody has looked any more. */
static ProfileOtf2FillPiece
use_rest (ProfileOtf2FillThread *thread, const Look *look, guint64 from, guint64 until,
          guint32 context, guint8 class)
{
    ProfileOtf2FillPiece piece = { until, context, class, FALSE, FALSE, FALSE };
    Credit *credit;

    if (thread->has_last) {
        if (look != NULL && look->begin_ns <= from + NEAR_NS && thread->last.end_ns == from) {
            piece = thread->last;
            piece.end_ns = until;
            credit = context != 0 ? find_credit (thread, context) : NULL;
            if (credit != NULL) {
                credit->left_ns -= MIN (credit->left_ns, until - from);
            }
        }
        return piece;
    }
    credit = context != 0 ? g_hash_table_lookup (thread->credits, GUINT_TO_POINTER (context))
                          : NULL;
    if (credit != NULL && credit->left_ns > 0) {
        piece.end_ns = MIN (until, from + credit->left_ns);
        credit->left_ns -= piece.end_ns - from;
        piece.is_filled = piece.is_spread = credit->leaf != context;
        piece.context = credit->leaf;
        piece.class = credit->class;
    }
    return piece;
}

ProfileOtf2FillPiece
profile_otf2_fill_next (ProfileOtf2FillThread *thread, guint64 from, guint64 until,
                        guint32 context, guint8 class)
{
    Look look;
    gboolean has_look;

    while ((has_look = peek (thread, &look)) && look.end_ns <= from) {
        advance (thread, &look);
    }
    return has_look && look.end_ns <= until
               ? use_look (thread, &look, from, context, class)
               : use_rest (thread, has_look ? &look : NULL, from, until, context, class);
}
