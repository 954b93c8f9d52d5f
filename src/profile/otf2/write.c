/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/otf2.h"
#include "profile/otf2/counts.h"
#include "profile/otf2/metrics.h"
#include "profile/otf2/private.h"
#include "profile/private.h"

#define GAP_US 1000 /* of time that no sample stands for: less is not told */
#define NO_CLASS JOB_N_CLASSES
#define USUAL_RATE 100u
#define MAX_SETS 24u                      /* of metrics, each of which is a definition */
#define BEYOND_US (365 * G_TIME_SPAN_DAY) /* the last answer: no run takes longer */

/* A calling context of the archive. */
typedef struct {
    guint32 number; /* in the model's tree; 0: the stack could not be read */
    guint8 class;   /* of its samples; NO_CLASS: it has none */
    gboolean is_blocked;
} Variant;

typedef struct {
    const ProfileModel *model;
    ProfileOtf2Out to;
    guint32 *own; /* id + 1 of each number of the tree; 0: no sample that is kept needs it */
    GArray *variants;    /* of Variant, by id; the tree's are the first */
    GHashTable *ids;     /* Variant as a number, to id + 1 */
    GHashTable *regions; /* of JobLocation to id + 1 */
    GArray *flags;       /* of guint32: those of each region's first context */
    GHashTable *places;  /* file as a string of the archive and line, to id + 1 */
    GArray *metric_sets; /* of guint32: the metrics of each class, behind those of: */
    GArray *count_sets;  /* of guint32: what ranks have counted at places */
    GArray *densities;   /* of guint: halvings, of each interrupt generator */
    guint32 metrics;     /* that anybody has said */
    guint32 lasting;     /* of these, those that who has said them once has always said */
    GArray *n_events;    /* of guint64, of each location */
    GPtrArray *owners;   /* of ProfileRank, of each location */
    gint64 first_us, last_us;
} Writer;

static void
note (Writer *writer, OTF2_ErrorCode code)
{
    profile_otf2_note (&writer->to, code);
}

/* ---- contexts ---- */

static gint64
name_variant (guint32 number, guint class, gboolean is_blocked)
{
    return (gint64) number << 8 | class << 1 | (is_blocked ? 1 : 0);
}

static void
add_variant (Writer *writer, guint32 number, guint class, gboolean is_blocked, guint32 id)
{
    gint64 key = name_variant (number, class, is_blocked);

    g_hash_table_insert (writer->ids, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (id + 1));
}

/* Those where something was counted are kept, too. */
static void
list_counts (Writer *writer, const ProfileRank *rank)
{
    g_autoptr (GArray) counts = profile_counts_dup (rank);
    guint set = 0;

    for (guint i = 0; counts != NULL && i < counts->len; i++) {
        guint32 context = g_array_index (counts, JobContextCounts, i).context;

        writer->own[g_array_index (rank->merged, guint32, context)] = 1;
    }
    while (set < writer->count_sets->len
           && g_array_index (writer->count_sets, guint32, set) != rank->counted) {
        set++;
    }
    if (set == writer->count_sets->len && rank->counted != 0) {
        g_array_append_val (writer->count_sets, rank->counted);
    }
}

/* Those of samples that are kept, and their callers: of a long run many others have been seen. */
static void
list_contexts (Writer *writer)
{
    const ProfileModel *model = writer->model;
    guint32 count = job_context_tree_get_count (model->tree);

    writer->own = g_new0 (guint32, (gsize) count + 1);
    for (guint i = 0; i < model->ranks->len; i++) {
        const ProfileRank *rank = g_ptr_array_index (model->ranks, i);

        for (guint j = 0; j < rank->threads->len; j++) {
            const GArray *samples
                = ((const ProfileThread *) g_ptr_array_index (rank->threads, j))->samples;

            for (guint k = 0; k < samples->len; k++) {
                guint32 context = g_array_index (samples, ProfileSample, k).context;

                writer->own[g_array_index (rank->merged, guint32, context)] = 1;
            }
        }
        list_counts (writer, rank);
    }
    for (guint32 number = count; number > 0; number--) { /* parents have lower numbers */
        if (writer->own[number] != 0) {
            writer->own[job_context_tree_get (model->tree, number)->parent] = 1;
        }
    }
    for (guint32 number = 1; number <= count; number++) {
        if (writer->own[number] != 0) {
            BASE_APPEND (writer->variants, Variant, number, NO_CLASS, FALSE);
            writer->own[number] = writer->variants->len;
        }
    }
}

/* The context that a sample is in. The first class that is seen in a context is that of the tree's own. */
static guint32
find_variant (Writer *writer, guint32 number, guint class, gboolean is_blocked)
{
    gint64 key = name_variant (number, class, is_blocked);
    guint32 id = GPOINTER_TO_UINT (g_hash_table_lookup (writer->ids, &key));
    Variant fresh = { number, (guint8) class, is_blocked }, *own;

    if (id != 0) {
        return id - 1;
    }
    own = number > 0 ? &g_array_index (writer->variants, Variant, writer->own[number] - 1)
                     : NULL;
    if (own != NULL && own->class == NO_CLASS) {
        *own = fresh;
        id = writer->own[number] - 1;
    } else {
        id = writer->variants->len;
        g_array_append_val (writer->variants, fresh);
    }
    add_variant (writer, number, class, is_blocked, id);
    return id;
}

/* Frames that were entered since the sample before, and one; see OTF2's unwindDistance. */
static guint32
count_entered (const Writer *writer, guint32 id, guint32 before)
{
    const JobContextTree *tree = writer->model->tree;
    const Variant *now = &g_array_index (writer->variants, Variant, id);
    guint32 a = now->number, b, n = 1;

    if (before == G_MAXUINT32 || a == 0) {
        for (; a != 0; a = job_context_tree_get (tree, a)->parent) {
            n++;
        }
        return n;
    }
    if (id == before) {
        return 1;
    }
    b = g_array_index (writer->variants, Variant, before).number;
    if (a == b) {
        return 2;
    }
    while (a != b) { /* parents have lower numbers */
        if (a > b) {
            a = job_context_tree_get (tree, a)->parent;
            n++;
        } else {
            b = job_context_tree_get (tree, b)->parent;
        }
    }
    return n;
}

/* ---- events ---- */

/* That of the record: where a host's clock is known, the location's ClockOffsets make the front end's time
 * of it, for whoever reads it. */
static guint64
get_time (const Writer *writer, const ProfileRank *rank, gint64 time_us)
{
    gint64 offset_us = profile_model_get_clock (writer->model, rank) != NULL
                           ? 0
                           : rank->process.offset_us;

    return (guint64) MAX (time_us + offset_us, 0) * 1000;
}

static gint64
get_here_us (const Writer *writer, const ProfileRank *rank, gint64 time_us)
{
    const ProfileClock *clock = profile_model_get_clock (writer->model, rank);

    return time_us
           + (clock != NULL ? profile_clock_get_offset (clock, time_us)
                            : rank->process.offset_us);
}

static void
note_times (Writer *writer, const ProfileRank *rank, gint64 begin_us, gint64 end_us)
{
    writer->first_us = MIN (writer->first_us, get_here_us (writer, rank, begin_us));
    writer->last_us = MAX (writer->last_us, get_here_us (writer, rank, end_us));
}

static void
list_metrics (Writer *writer)
{
    guint32 passing = 0;

    for (guint i = 0; i < writer->model->ranks->len; i++) {
        const GArray *metrics
            = ((const ProfileRank *) g_ptr_array_index (writer->model->ranks, i))->metrics;
        guint32 before = 0;

        for (guint j = 0; j < metrics->len; j++) {
            guint32 known = job_metrics_get_known (&g_array_index (metrics, JobMetrics, j));

            writer->metrics |= known;
            passing |= before & ~known;
            before = known;
        }
    }
    writer->lasting = writer->metrics & ~passing;
}

/* What has to be told, and more where a class for just that would be one too many. known: what can be. */
static OTF2_MetricRef
find_metric_class (Writer *writer, guint32 set, guint32 known)
{
    const guint32 *sets = (const guint32 *) (void *) writer->metric_sets->data;
    guint n = writer->metric_sets->len, best = n;

    for (guint id = 0; id < n; id++) {
        if (sets[id] == set) {
            return id;
        }
        if ((set & ~sets[id]) == 0 && (sets[id] & ~known) == 0
            && (best == n || __builtin_popcount (sets[id]) < __builtin_popcount (sets[best]))) {
            best = id;
        }
    }
    if (best == n || n < MAX_SETS) {
        g_array_append_val (writer->metric_sets, set);
        return n;
    }
    return best;
}

/* before: NULL for the first of a rank. */
static guint32
find_changes (const Writer *writer, const JobMetrics *before, const JobMetrics *now)
{
    guint32 known = job_metrics_get_known (now), set = known;

    for (guint i = 0; before != NULL && i < JOB_N_METRICS; i++) {
        if (writer->lasting & 1u << i && before->values[i] == now->values[i]) {
            set &= ~(1u << i);
        }
    }
    return set != 0 ? set : known & -known; /* that nothing has changed is told, too */
}

/* Those up to that time which have not been written yet: events come in the order of their times. */
static guint64
write_metrics (Writer *writer, const ProfileRank *rank, guint *at, gint64 until_us,
               OTF2_EvtWriter *out)
{
    guint64 n = 0;

    for (; *at < rank->metrics->len; (*at)++) {
        const JobMetrics *metrics = &g_array_index (rank->metrics, JobMetrics, *at);
        OTF2_MetricRef class;
        guint32 set;

        if (metrics->time_us > until_us) {
            break;
        }
        set = find_changes (writer, *at > 0 ? metrics - 1 : NULL, metrics);
        if (set != 0) {
            class = find_metric_class (writer, set, job_metrics_get_known (metrics));
            profile_otf2_metrics_put (&writer->to, out, NULL,
                                      get_time (writer, rank, metrics->time_us),
                                      writer->count_sets->len + class,
                                      g_array_index (writer->metric_sets, guint32, class),
                                      metrics->values);
            note_times (writer, rank, metrics->time_us, metrics->time_us);
            n++;
        }
    }
    return n;
}

/* The first one takes the least room in each sample: it is 0. */
static OTF2_InterruptGeneratorRef
find_generator (Writer *writer, guint n_halvings)
{
    guint id = 0;

    while (id < writer->densities->len
           && g_array_index (writer->densities, guint, id) != n_halvings) {
        id++;
    }
    if (id == writer->densities->len) {
        g_array_append_val (writer->densities, n_halvings);
    }
    return id;
}

/* Behind all other events, at that time or the last one of metrics. */
static guint64
write_counts (Writer *writer, const ProfileRank *rank, gint64 time_us, OTF2_EvtWriter *out)
{
    g_autoptr (GArray) counts = rank->counted != 0 ? profile_counts_dup (rank) : NULL;
    OTF2_MetricRef class = 0;

    if (counts == NULL) {
        return 0;
    }
    while (g_array_index (writer->count_sets, guint32, class) != rank->counted) {
        class ++;
    }
    if (rank->metrics->len > 0) {
        time_us
            = MAX (time_us,
                   g_array_index (rank->metrics, JobMetrics, rank->metrics->len - 1).time_us);
    }
    for (guint i = 0; i < counts->len; i++) {
        const JobContextCounts *each = &g_array_index (counts, JobContextCounts, i);
        guint32 number = g_array_index (rank->merged, guint32, each->context);

        profile_otf2_counts_put (&writer->to, out, get_time (writer, rank, time_us), class,
                                 rank->counted,
                                 number != 0 ? writer->own[number] - 1
                                             : OTF2_UNDEFINED_CALLING_CONTEXT,
                                 &each->counts);
    }
    return counts->len;
}

/* A rank's metrics are at its first location, and what it has counted at places. */
static guint64
write_samples (Writer *writer, const ProfileRank *rank, const ProfileThread *thread,
               OTF2_EvtWriter *out)
{
    gboolean is_first = thread == g_ptr_array_index (rank->threads, 0);
    guint at = is_first ? 0 : rank->metrics->len;
    OTF2_InterruptGeneratorRef generator = find_generator (writer, rank->n_halvings);
    gint64 before_us = G_MININT64 / 2;
    guint32 before = G_MAXUINT32;
    guint64 n = 0;

    for (guint i = 0; i < thread->samples->len; i++) {
        const ProfileSample *sample = &g_array_index (thread->samples, ProfileSample, i);
        guint32 id = find_variant (writer,
                                   g_array_index (rank->merged, guint32, sample->context),
                                   sample->class, sample->is_blocked);
        gint64 begin_us = MAX (sample->time_us - (gint64) sample->weight_us, before_us);

        if (begin_us - before_us > GAP_US) {
            if (i > 0) {
                note (writer,
                      OTF2_EvtWriter_MeasurementOnOff (out, NULL,
                                                       get_time (writer, rank, before_us),
                                                       OTF2_MEASUREMENT_OFF));
            }
            n += write_metrics (writer, rank, &at, begin_us, out);
            note (writer,
                  OTF2_EvtWriter_MeasurementOnOff (out, NULL, get_time (writer, rank, begin_us),
                                                   OTF2_MEASUREMENT_ON));
            n += i > 0 ? 2 : 1;
            note_times (writer, rank, begin_us, begin_us);
        }
        n += write_metrics (writer, rank, &at, sample->time_us, out);
        note (writer,
              OTF2_EvtWriter_CallingContextSample (out, NULL,
                                                   get_time (writer, rank, sample->time_us), id,
                                                   count_entered (writer, id, before),
                                                   generator));
        n++;
        before = id;
        before_us = sample->time_us;
    }
    n += write_metrics (writer, rank, &at, G_MAXINT64, out);
    n += is_first ? write_counts (writer, rank, before_us, out) : 0;
    if (thread->samples->len > 0) {
        note_times (writer, rank, before_us, before_us);
    }
    return n;
}

static void
write_rank (Writer *writer, const ProfileRank *rank)
{
    for (guint i = 0; i < MAX (rank->threads->len, 1); i++) {
        OTF2_LocationRef location = writer->n_events->len;
        OTF2_EvtWriter *out = OTF2_Archive_GetEvtWriter (writer->to.archive, location);
        guint64 n = 0;

        if (out == NULL) {
            note (writer, OTF2_ERROR_PROCESSED_WITH_FAULTS);
            return;
        }
        if (i < rank->threads->len) {
            n = write_samples (writer, rank, g_ptr_array_index (rank->threads, i), out);
        }
        g_array_append_val (writer->n_events, n);
        g_ptr_array_add (writer->owners, (gpointer) rank);
        note (writer, OTF2_Archive_CloseEvtWriter (writer->to.archive, out));
    }
}

static void
write_offset (Writer *writer, OTF2_DefWriter *out, gint64 there_us, gint64 offset_us,
              gint64 round_us)
{
    note (writer, OTF2_DefWriter_WriteClockOffset (out, (guint64) MAX (there_us, 0) * 1000,
                                                   offset_us * 1000, (double) round_us * 500));
}

/* Beyond the first and the last point the library would go on along their line; here the offset stays. */
static void
write_clock (guint location, OTF2_DefWriter *out, gpointer user)
{
    Writer *writer = user;
    const ProfileRank *rank = g_ptr_array_index (writer->owners, location);
    const ProfileClock *clock = profile_model_get_clock (writer->model, rank);
    const GArray *points = clock != NULL ? profile_clock_get_points (clock) : NULL;
    const ProfileClockPoint *first, *last;

    if (points == NULL || points->len == 0) {
        return;
    }
    first = &g_array_index (points, ProfileClockPoint, 0);
    last = &g_array_index (points, ProfileClockPoint, points->len - 1);
    write_offset (writer, out, 0, first->offset_us, first->round_us);
    for (guint i = 0; i < points->len; i++) {
        const ProfileClockPoint *point = &g_array_index (points, ProfileClockPoint, i);

        write_offset (writer, out, point->there_us, point->offset_us, point->round_us);
    }
    write_offset (writer, out, last->there_us + BEYOND_US, last->offset_us, last->round_us);
}

static void
write_events (Writer *writer)
{
    for (guint i = 0; i < writer->model->ranks->len && writer->to.code == OTF2_SUCCESS; i++) {
        write_rank (writer, g_ptr_array_index (writer->model->ranks, i));
    }
    profile_otf2_close_locals (&writer->to, writer->n_events->len, write_clock, writer);
}

/* ---- definitions ---- */

static gboolean
is_mpi (const char *name)
{
    return name != NULL
           && (g_str_has_prefix (name, "MPI_") || g_str_has_prefix (name, "PMPI_"));
}

/* *ret_is_new: the context that has it is its first. */
static OTF2_RegionRef
put_region (Writer *writer, const JobLocation *location, gboolean *ret_is_new)
{
    guint id = GPOINTER_TO_UINT (g_hash_table_lookup (writer->regions, location));
    g_autofree char *name = NULL;

    *ret_is_new = id == 0;
    if (id != 0) {
        return id - 1;
    }
    id = g_hash_table_size (writer->regions) + 1;
    g_hash_table_insert (writer->regions, (gpointer) location, GUINT_TO_POINTER (id));
    name = profile_dup_name (location);
    {
        OTF2_StringRef text = profile_otf2_put_string (&writer->to, name),
                       about
                       = profile_otf2_put_string (&writer->to,
                                                  job_language_get_name (location->language)),
                       file = location->file != NULL
                                  ? profile_otf2_put_string (&writer->to, location->file)
                                  : OTF2_UNDEFINED_STRING;

        note (writer,
              OTF2_GlobalDefWriter_WriteRegion (writer->to.out, id - 1, text, text, about,
                                                OTF2_REGION_ROLE_FUNCTION,
                                                is_mpi (location->function)
                                                    ? OTF2_PARADIGM_MPI
                                                    : OTF2_PARADIGM_SAMPLING,
                                                OTF2_REGION_FLAG_NONE, file,
                                                OTF2_UNDEFINED_UINT32, OTF2_UNDEFINED_UINT32));
    }
    return id - 1;
}

static void
put_text_property (Writer *writer, guint32 id, const char *name, const char *text)
{
    OTF2_StringRef key = profile_otf2_put_string (&writer->to, name);
    OTF2_AttributeValue value = { .stringRef = profile_otf2_put_string (&writer->to, text) };

    note (writer, OTF2_GlobalDefWriter_WriteCallingContextProperty (writer->to.out, id, key,
                                                                    OTF2_TYPE_STRING, value));
}

static void
put_number_property (Writer *writer, guint32 id, const char *name, guint64 number)
{
    OTF2_StringRef key = profile_otf2_put_string (&writer->to, name);
    OTF2_AttributeValue value = { .uint64 = number };

    note (writer, OTF2_GlobalDefWriter_WriteCallingContextProperty (writer->to.out, id, key,
                                                                    OTF2_TYPE_UINT64, value));
}

static OTF2_SourceCodeLocationRef
put_place (Writer *writer, const JobLocation *location)
{
    OTF2_StringRef file;
    gint64 key;
    guint id;

    if (location->file == NULL) {
        return OTF2_UNDEFINED_SOURCE_CODE_LOCATION;
    }
    file = profile_otf2_put_string (&writer->to, location->file);
    key = (gint64) file << 32 | location->line;
    id = GPOINTER_TO_UINT (g_hash_table_lookup (writer->places, &key));
    if (id == 0) {
        id = g_hash_table_size (writer->places) + 1;
        g_hash_table_insert (writer->places, g_memdup2 (&key, sizeof key),
                             GUINT_TO_POINTER (id));
        note (writer, OTF2_GlobalDefWriter_WriteSourceCodeLocation (writer->to.out, id - 1,
                                                                    file, location->line));
    }
    return id - 1;
}

/* Most contexts of a function have what its first one has: it is said there, once. */
static void
put_frame (Writer *writer, guint32 id, const JobContext *context, OTF2_RegionRef region,
           gboolean is_first)
{
    const JobLocation *location = &context->location;

    if (is_first) {
        g_array_append_val (writer->flags, context->flags);
    }
    if (is_first || g_array_index (writer->flags, guint32, region) != context->flags) {
        put_number_property (writer, id, PROFILE_OTF2_FRAME, context->flags);
    }
    if (is_first && location->function == NULL) {
        put_number_property (writer, id, PROFILE_OTF2_NAMELESS, 1);
    }
    if (is_first && location->module != NULL) {
        put_text_property (writer, id, PROFILE_OTF2_MODULE, location->module);
    }
    if (location->module != NULL && location->offset != 0
        && (location->function == NULL ? is_first : location->line == 0)) {
        put_number_property (writer, id, PROFILE_OTF2_OFFSET, location->offset);
    }
}

static void
put_context (Writer *writer, guint32 id)
{
    static const JobContext unread = { 0 };
    const Variant *variant = &g_array_index (writer->variants, Variant, id);
    const JobContext *context = variant->number > 0 ? job_context_tree_get (writer->model->tree,
                                                                            variant->number)
                                                    : &unread;
    gboolean is_first;
    OTF2_RegionRef region = put_region (writer, &context->location, &is_first);
    OTF2_SourceCodeLocationRef place = put_place (writer, &context->location);

    note (writer,
          OTF2_GlobalDefWriter_WriteCallingContext (writer->to.out, id, region, place,
                                                    context->parent > 0
                                                        ? writer->own[context->parent] - 1
                                                        : OTF2_UNDEFINED_CALLING_CONTEXT));
    if (variant->class != NO_CLASS) {
        put_text_property (writer, id, PROFILE_OTF2_CLASS, job_class_get_name (variant->class));
    }
    if (variant->is_blocked) {
        put_number_property (writer, id, PROFILE_OTF2_BLOCKED, 1);
    }
    if (variant->number == 0) {
        put_number_property (writer, id, PROFILE_OTF2_UNREAD, 1);
    }
    put_frame (writer, id, context, region, is_first);
}

static void
put_ranks (Writer *writer)
{
    g_autoptr (GArray) leaders = g_array_new (FALSE, FALSE, sizeof (guint64));
    OTF2_LocationRef location = 0;

    for (guint i = 0; i < writer->model->ranks->len; i++) {
        const ProfileRank *rank = g_ptr_array_index (writer->model->ranks, i);

        profile_otf2_put_process (&writer->to, i, rank->rank, &rank->process, rank->n_dropped,
                                  0);
        if (rank->counted != 0) {
            profile_otf2_counts_put_set (&writer->to, i, rank->counted);
        }
        if (rank->process.parent == 0) {
            g_array_append_val (leaders, location);
        }
        for (guint j = 0; j < MAX (rank->threads->len, 1); j++) {
            const ProfileThread *thread = j < rank->threads->len
                                              ? g_ptr_array_index (rank->threads, j)
                                              : NULL;

            profile_otf2_put_thread (&writer->to, location, thread != NULL ? thread->number : 1,
                                     thread != NULL ? thread->tid : rank->process.pid,
                                     g_array_index (writer->n_events, guint64, location), i, 0);
            location++;
        }
    }
    if (leaders->len > 1) {
        profile_otf2_put_world (&writer->to, leaders);
    }
}

/* One for each density of samples that is used. */
static void
put_generators (Writer *writer)
{
    guint rate = writer->model->info.rate != 0 ? writer->model->info.rate : USUAL_RATE;
    OTF2_StringRef name = profile_otf2_put_string (&writer->to, "sampling");

    for (guint i = 0; i < writer->densities->len; i++) {
        guint n_halvings = g_array_index (writer->densities, guint, i);

        note (writer, OTF2_GlobalDefWriter_WriteInterruptGenerator (
                          writer->to.out, i, name, OTF2_INTERRUPT_GENERATOR_MODE_TIME,
                          OTF2_BASE_DECIMAL, -9,
                          (G_GUINT64_CONSTANT (1000000000) / rate) << MIN (n_halvings, 30)));
    }
}

static void
write_definitions (Writer *writer)
{
    gint64 first_us = MIN (writer->first_us, writer->last_us);

    if (!profile_otf2_begin_definitions (&writer->to, &writer->model->info,
                                         (guint64) MAX (first_us, 0) * 1000,
                                         (guint64) MAX (writer->last_us, 0) * 1000)) {
        return;
    }
    put_ranks (writer);
    put_generators (writer);
    profile_otf2_metrics_define_members (&writer->to, writer->metrics, writer->lasting);
    profile_otf2_counts_define (&writer->to,
                                (OTF2_MetricMemberRef) __builtin_popcount (writer->metrics),
                                writer->count_sets);
    for (guint id = 0; id < writer->metric_sets->len; id++) {
        profile_otf2_metrics_define_class (&writer->to, writer->count_sets->len + id,
                                           g_array_index (writer->metric_sets, guint32, id),
                                           writer->metrics);
    }
    for (guint32 id = 0; id < writer->variants->len && writer->to.code == OTF2_SUCCESS; id++) {
        put_context (writer, id);
    }
}

/* ---- the archive ---- */

static void
write_all (gpointer user)
{
    Writer *writer = user;

    write_events (writer);
    if (writer->to.code == OTF2_SUCCESS) {
        write_definitions (writer);
    }
}

gboolean
profile_otf2_write (const ProfileModel *model, const char *folder, GError **error)
{
    Writer writer = { .model = model, .first_us = G_MAXINT64 };
    gboolean is_done;

    writer.ids = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
    writer.regions = g_hash_table_new (profile_hash_function, profile_equal_functions);
    writer.variants = g_array_new (FALSE, FALSE, sizeof (Variant));
    writer.owners = g_ptr_array_new ();
    writer.n_events = g_array_new (FALSE, FALSE, sizeof (guint64));
    writer.metric_sets = g_array_new (FALSE, FALSE, sizeof (guint32));
    writer.count_sets = g_array_new (FALSE, FALSE, sizeof (guint32));
    writer.densities = g_array_new (FALSE, FALSE, sizeof (guint));
    writer.flags = g_array_new (FALSE, FALSE, sizeof (guint32));
    writer.places = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
    list_contexts (&writer);
    list_metrics (&writer);
    is_done = profile_otf2_put_archive (&writer.to, folder, &model->info, 0, write_all, &writer,
                                        error);
    g_hash_table_unref (writer.ids);
    g_hash_table_unref (writer.regions);
    g_array_unref (writer.variants);
    g_array_unref (writer.flags);
    g_array_unref (writer.densities);
    g_hash_table_unref (writer.places);
    g_free (writer.own);
    g_array_unref (writer.n_events);
    g_ptr_array_unref (writer.owners);
    g_array_unref (writer.metric_sets);
    g_array_unref (writer.count_sets);
    return is_done;
}
