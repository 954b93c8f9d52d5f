/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of an archive to samples: each stands for the time between two events of its location. */
#include "profile/losses.h"
#include "profile/otf2/counts.h"
#include "profile/otf2/fill.h"
#include "profile/otf2/processes.h"

typedef ProfileOtf2Process Process;

#define KEY(id) GUINT_TO_POINTER ((guint) (id))
#define MAX_DEPTH 10000u
#define PART 50000u /* samples in one batch */

/* One location while it is read. */
typedef struct {
    const ProfileOtf2Definitions *definitions;
    ProfileSpool *to;
    Process *process;
    guint32 thread;
    gint32 tid;               /* 0: not known */
    gboolean is_measured;     /* the time since before_us is known to be its */
    gboolean is_off;          /* the program has switched recording off, in `current` */
    gint64 first_us, last_us; /* of its events */
    gint64 before_us, metric_us;
    ProfileOtf2FillThread *fill; /* NULL: nobody has sampled it */
    guint64 before;              /* the time of the last event, in ticks */
    GArray *stack;               /* of guint32: numbers that were entered */
    guint n_deeper;              /* more of them, in the innermost one */
    guint32 current;             /* where it is as far as events say; 0 nowhere */
    GArray *samples;             /* of JobSample */
    GArray *metrics;             /* of JobMetrics */
    JobMetrics lasting;          /* what holds until it changes */
} Stream;

/* Of most archives the division is one of 64 bits, which takes a tenth of the time. */
static guint64
scale (const ProfileOtf2Definitions *definitions, guint64 time, guint64 a_second)
{
    unsigned __int128 scaled;

    if (definitions->resolution == 1000000000) {
        return a_second == 1000000000 ? time : time / (1000000000 / a_second);
    }
    scaled = (unsigned __int128) time * a_second / MAX (definitions->resolution, 1);
    return scaled > G_MAXINT64 / 4 ? G_MAXINT64 / 4 : (guint64) scaled;
}

gint64
profile_otf2_get_us (const ProfileOtf2Definitions *definitions, guint64 time)
{
    const ProfilePart *part = definitions->part;
    gint64 ns;

    if (part == NULL) {
        return (gint64) MIN (scale (definitions, time, G_USEC_PER_SEC), G_MAXINT64 / 4);
    }
    ns = (gint64) MIN (scale (definitions, time, 1000000000), (guint64) G_MAXINT64);
    return (CLAMP (ns, part->begin_ns, part->end_ns) - part->begin_ns)
           / profile_part_get_unit_ns (part);
}

static void
put_batch (Stream *stream)
{
    Process *process = stream->process;
    const JobSampleThread thread = { stream->thread, stream->tid };
    g_autoptr (GArray) threads = g_array_new (FALSE, FALSE, sizeof (JobSampleThread));
    const JobSampleExtras extras = { stream->metrics, process->place_counts, process->counted,
                                     threads };
    g_autoptr (GBytes) batch = NULL;

    if (stream->tid != 0) {
        g_array_append_val (threads, thread);
    }
    batch = job_sample_batch_encode_all (process->tree, process->n_told + 1, stream->samples,
                                         process->missed, &extras);
    process->n_told = job_context_tree_get_count (process->tree);
    profile_spool_put_batch (stream->to, process->rank, batch);
    g_array_set_size (stream->samples, 0);
    g_array_set_size (stream->metrics, 0);
    if (process->place_counts != NULL) {
        g_array_set_size (process->place_counts, 0);
    }
}

/* The time from the last event, or the sample after it, until time_us. what: without times and thread. */
static void
put_sample (Stream *stream, gint64 time_us, const JobSample *what)
{
    JobSample sample = *what;

    if (time_us <= stream->before_us) {
        return;
    }
    sample.thread = stream->thread;
    while (stream->before_us < time_us) { /* a weight has 32 bits */
        gint64 weight_us = MIN (time_us - stream->before_us, (gint64) G_MAXUINT32);

        stream->before_us += weight_us;
        sample.time_us = stream->before_us;
        sample.weight_us = (guint32) weight_us;
        g_array_append_val (stream->samples, sample);
        if (stream->samples->len >= PART) {
            put_batch (stream);
        }
        if (weight_us == G_MAXUINT32) { /* nobody measures for hours without an event */
            stream->before_us = time_us;
        }
    }
}

/* ---- events ---- */

/* Where recording is switched off, that is a function of its own in the one that was running. */
static guint32
find_spent (const Stream *stream)
{
    return !stream->is_off || stream->current == 0
                   || profile_otf2_process_get_class (stream->process, stream->current)
                          == JOB_CLASS_UNSAMPLED
               ? stream->current
               : profile_otf2_process_enter_off (stream->definitions, stream->process,
                                                 stream->current);
}

static void
move_on (Stream *stream, OTF2_TimeStamp time)
{
    stream->before_us = MAX (stream->before_us,
                             profile_otf2_get_us (stream->definitions, time));
    stream->before = MAX (stream->before, time);
}

/* The time until then; what: as put_sample has it. */
static void
spend (Stream *stream, OTF2_TimeStamp time, const JobSample *what)
{
    put_sample (stream, profile_otf2_get_us (stream->definitions, time), what);
    if (stream->thread == 1 || !what->is_blocked) {
        profile_otf2_process_get_count (stream->process, what->context)->self_s
            += time > stream->before ? (double) (time - stream->before)
                                           / (double) MAX (stream->definitions->resolution, 1)
                                     : 0;
    }
    move_on (stream, time);
}

/* As far as samples tell more of the call than its events, or of a time without any call. */
static void
fill_span (Stream *stream, OTF2_TimeStamp time, guint32 spent, guint8 class)
{
    guint64 begin_ns, end_ns;

    if (stream->before == 0 && profile_otf2_fill_get_span (stream->fill, &begin_ns, &end_ns)) {
        move_on (stream, MIN (begin_ns, time));
    }
    profile_otf2_fill_enter (stream->fill);
    while (stream->before < time) {
        const ProfileOtf2FillPiece piece = profile_otf2_fill_next (stream->fill, stream->before,
                                                                   time, spent, class);
        const JobSample what = { .context = piece.context,
                                 .class = piece.class,
                                 .is_blocked = piece.is_blocked,
                                 .is_spread = piece.is_spread };

        if (piece.context == 0) {
            move_on (stream, piece.end_ns);
            continue;
        }
        if (piece.is_filled) {
            profile_otf2_process_note_class (stream->process, piece.context, piece.class);
        }
        spend (stream, piece.end_ns, &what);
    }
}

/* What operations themselves do says nothing of the program. */
static gboolean
can_be_filled (const Stream *stream, guint32 spent, guint8 class)
{
    return stream->fill != NULL
           && (spent == 0 ? stream->is_measured || stream->before == 0
                          : class == JOB_CLASS_NATIVE || class == JOB_CLASS_PYTHON);
}

/* The time until now was spent where the events before have led. */
static void
close_span (Stream *stream, OTF2_TimeStamp time)
{
    guint32 spent = stream->is_measured ? find_spent (stream) : 0;
    const JobSample what = { .context = spent,
                             .class = profile_otf2_process_get_class (stream->process, spent) };

    stream->last_us = MAX (stream->last_us, profile_otf2_get_us (stream->definitions, time));
    stream->first_us = stream->first_us != 0 ? stream->first_us : stream->last_us;
    if (can_be_filled (stream, spent, what.class)) {
        fill_span (stream, time, spent, what.class);
    } else if (spent != 0) {
        spend (stream, time, &what);
    }
    move_on (stream, time);
    stream->is_measured = TRUE;
}

/* What comes behind the part is not asked for. */
static OTF2_CallbackCode
go_on (const Stream *stream, OTF2_TimeStamp time)
{
    const ProfilePart *part = stream->definitions->part;

    return part != NULL
                   && scale (stream->definitions, time, 1000000000) > (guint64) part->end_ns
               ? OTF2_CALLBACK_INTERRUPT
               : OTF2_CALLBACK_SUCCESS;
}

static gboolean
is_call (const Stream *stream, const OTF2_AttributeList *attributes)
{
    return stream->definitions->opened == G_MAXUINT32
           || !OTF2_AttributeList_TestAttributeByID (attributes, stream->definitions->opened);
}

static void
push (Stream *stream, guint32 number, const OTF2_AttributeList *attributes)
{
    profile_otf2_process_get_count (stream->process, number)->n_calls += is_call (stream,
                                                                                  attributes);
    if (stream->stack->len >= MAX_DEPTH) {
        stream->n_deeper++;
        return;
    }
    g_array_append_val (stream->stack, number);
    stream->current = number;
}

static void
pop (Stream *stream)
{
    if (stream->n_deeper > 0) {
        stream->n_deeper--;
        return;
    }
    if (stream->stack->len > 0) {
        g_array_set_size (stream->stack, stream->stack->len - 1);
    }
    stream->current = stream->stack->len > 0
                          ? g_array_index (stream->stack, guint32, stream->stack->len - 1)
                          : 0;
}

static OTF2_CallbackCode
on_enter (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
          OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    Stream *stream = user;

    close_span (stream, time);
    push (stream,
          profile_otf2_process_enter (stream->definitions, stream->process, stream->current,
                                      region),
          attributes);
    return go_on (stream, time);
}

static OTF2_CallbackCode
on_leave (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
          OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    close_span (user, time);
    pop (user);
    return go_on (user, time);
}

static OTF2_CallbackCode
on_context_enter (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
                  OTF2_AttributeList *attributes, OTF2_CallingContextRef context,
                  uint32_t unwind_distance)
{
    Stream *stream = user;

    close_span (stream, time);
    push (stream, profile_otf2_process_find (stream->definitions, stream->process, context),
          attributes);
    return go_on (stream, time);
}

static OTF2_CallbackCode
on_context_leave (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
                  OTF2_AttributeList *attributes, OTF2_CallingContextRef context)
{
    close_span (user, time);
    pop (user);
    return go_on (user, time);
}

/* A context that has none of its own has that of its region, if it can have lost none. */
static guint8
get_context_class (const Stream *stream, const ProfileOtf2Context *context, guint32 number)
{
    const ProfileOtf2Definitions *definitions = stream->definitions;

    return context == NULL                  ? JOB_CLASS_UNKNOWN
           : context->class < JOB_N_CLASSES ? context->class
           : definitions->has_classes && !definitions->is_whole
               ? JOB_CLASS_UNKNOWN
               : profile_otf2_process_get_class (stream->process, number);
}

/* The first of a location that does not say when measuring began stands for no known time. */
static OTF2_CallbackCode
on_sample (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
           OTF2_AttributeList *attributes, OTF2_CallingContextRef id, uint32_t unwind_distance,
           OTF2_InterruptGeneratorRef generator)
{
    Stream *stream = user;
    const ProfileOtf2Context *context = g_hash_table_lookup (stream->definitions->contexts,
                                                             KEY (id));
    gint64 now_us = profile_otf2_get_us (stream->definitions, time);
    guint32 number = profile_otf2_process_find (stream->definitions, stream->process, id);
    const JobSample what = { .context = number,
                             .class = get_context_class (stream, context, number),
                             .is_blocked = context != NULL && context->is_blocked };

    if (stream->is_measured) {
        put_sample (stream, now_us, &what);
    }
    stream->before_us = MAX (stream->before_us, now_us);
    stream->is_measured = TRUE;
    return go_on (stream, time);
}

static OTF2_CallbackCode
on_switch (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
           OTF2_AttributeList *attributes, OTF2_MeasurementMode mode)
{
    Stream *stream = user;

    if (mode == OTF2_MEASUREMENT_ON) {
        if (stream->is_off) {
            close_span (stream, time);
        }
        move_on (stream, time);
        stream->is_off = FALSE;
        stream->is_measured = TRUE;
    } else {
        close_span (stream, time);
        stream->is_off = stream->current != 0;
        stream->is_measured = stream->is_off;
    }
    return OTF2_CALLBACK_SUCCESS;
}

static void
note_count (const Stream *stream, const OTF2_AttributeList *attributes, const JobCounts *counts)
{
    OTF2_CallingContextRef context = OTF2_UNDEFINED_CALLING_CONTEXT;
    JobContextCounts each = { 0, *counts };

    if (stream->process->place_counts != NULL && stream->definitions->context != G_MAXUINT32) {
        OTF2_AttributeList_GetCallingContextRef (attributes, stream->definitions->context,
                                                 &context);
        each.context = profile_otf2_process_find (stream->definitions, stream->process,
                                                  context);
        g_array_append_val (stream->process->place_counts, each);
    }
}

/* Of those that are ours. */
static OTF2_CallbackCode
on_metric (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
           OTF2_AttributeList *attributes, OTF2_MetricRef id, uint8_t n, const OTF2_Type *types,
           const OTF2_MetricValue *values)
{
    Stream *stream = user;
    const GArray *members = g_hash_table_lookup (stream->definitions->metrics, KEY (id));
    JobMetrics metrics = stream->lasting;
    JobCounts counts = { { 0 } };
    gboolean is_ours = FALSE, is_count = FALSE;

    for (guint i = 0; members != NULL && i < MIN (n, members->len); i++) {
        guint8 which = g_array_index (members, guint8, i);

        if (which < JOB_N_METRICS && types[i] == OTF2_TYPE_UINT64) {
            metrics.values[which] = values[i].unsigned_int;
            is_ours = TRUE;
        } else if (which >= PROFILE_OTF2_FIRST_COUNT && types[i] == OTF2_TYPE_UINT64) {
            counts.values[which - PROFILE_OTF2_FIRST_COUNT] = values[i].unsigned_int;
            is_count = TRUE;
        }
    }
    if (is_count) {
        note_count (stream, attributes, &counts);
    }
    if (!is_ours) {
        return OTF2_CALLBACK_SUCCESS;
    }
    /* whatever the archive says */
    metrics.time_us = MAX (profile_otf2_get_us (stream->definitions, time), stream->metric_us);
    stream->metric_us = metrics.time_us;
    g_array_append_val (stream->metrics, metrics);
    for (guint i = 0; i < JOB_N_METRICS; i++) {
        if (stream->definitions->lasting & 1u << i) {
            stream->lasting.values[i] = metrics.values[i];
        }
    }
    return OTF2_CALLBACK_SUCCESS;
}

/* ---- locations ---- */

static void
put_loss (ProfileSpool *to, const Process *process, guint32 thread, guint64 n, gint64 edge_us)
{
    ProfileLoss loss = { process->rank, thread, n,
                         process->kept < PROFILE_N_KEPT ? (ProfileKept) process->kept
                                                        : PROFILE_KEPT_SOME,
                         edge_us };

    if (n > 0 && profile_spool_is_time (edge_us)) {
        profile_spool_put_loss (to, &loss);
    }
}

/* Up to when there was room for all of it; 0: there always was, or that is not known. */
static gint64
get_whole_us (const ProfileOtf2Definitions *definitions, const Process *process)
{
    return process->kept == PROFILE_KEPT_SOME && process->whole > 0
               ? profile_otf2_get_us (definitions, process->whole)
               : 0;
}

/* Of the thread: what is left begins or ends where the rest was lost. */
static void
note_loss (const Stream *stream, guint64 n)
{
    Process *process = stream->process;

    process->n_told_missed += n;
    put_loss (stream->to, process, stream->thread, n,
              process->kept == PROFILE_KEPT_LAST ? stream->first_us
              : process->kept == PROFILE_KEPT_FIRST
                  ? stream->last_us
                  : get_whole_us (stream->definitions, process));
}

static OTF2_EvtReaderCallbacks *
make_callbacks (void)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New ();

    OTF2_EvtReaderCallbacks_SetEnterCallback (callbacks, on_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback (callbacks, on_leave);
    OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback (callbacks, on_context_enter);
    OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback (callbacks, on_context_leave);
    OTF2_EvtReaderCallbacks_SetCallingContextSampleCallback (callbacks, on_sample);
    OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback (callbacks, on_switch);
    OTF2_EvtReaderCallbacks_SetMetricCallback (callbacks, on_metric);
    return callbacks;
}

/* What samples have seen after the last event, or without any. */
static void
fill_end (Stream *stream)
{
    guint64 begin_ns, end_ns;

    if (profile_otf2_fill_get_span (stream->fill, &begin_ns, &end_ns)) {
        fill_span (stream, end_ns, 0, JOB_CLASS_UNKNOWN);
    }
}

static gboolean
read_location (OTF2_Reader *reader, const ProfileOtf2Location *location, Stream *stream)
{
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader (reader, location->self);
    OTF2_EvtReaderCallbacks *callbacks = make_callbacks ();
    gboolean is_whole = FALSE;
    OTF2_ErrorCode code;

    stream->stack = g_array_new (FALSE, FALSE, sizeof (guint32));
    stream->samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    stream->metrics = g_array_new (FALSE, FALSE, sizeof (JobMetrics));
    if (events != NULL) {
        OTF2_Reader_RegisterEvtCallbacks (reader, events, callbacks, stream);
        code = profile_otf2_read_all (reader, events, location);
        is_whole = code == OTF2_SUCCESS
                   || (stream->definitions->part != NULL
                       && code == OTF2_ERROR_INTERRUPTED_BY_CALLBACK);
        OTF2_Reader_CloseEvtReader (reader, events);
    }
    stream->process->counted = is_whole ? stream->process->counted : 0; /* some are lost */
    if (stream->fill != NULL && stream->current == 0) {
        fill_end (stream);
    }
    put_batch (stream);
    OTF2_EvtReaderCallbacks_Delete (callbacks);
    g_array_unref (stream->stack);
    g_array_unref (stream->samples);
    g_array_unref (stream->metrics);
    return is_whole;
}

/* Samples are a picture of the calls; these are the calls themselves. A trace of ours has them, if none, also where there
 * was no room for a single event. */
static void
put_counts (const ProfileOtf2Processes *processes, const ProfileOtf2Definitions *definitions,
            ProfileSpool *to)
{
    for (guint i = 0; i < processes->all->len; i++) {
        Process *process = g_ptr_array_index (processes->all, i);

        for (guint32 number = 1; number < process->counts->len; number++) {
            profile_otf2_process_get_count (process, number)->class
                = profile_otf2_process_get_class (process, number);
        }
        if (process->counts->len > 0 || definitions->opened != G_MAXUINT32) {
            profile_spool_put_counts (to, process->rank, process->counts);
            put_loss (to, process, 0,
                      process->missed - MIN (process->n_told_missed, process->missed),
                      get_whole_us (definitions, process));
        }
    }
}

/* ---- what nobody but samples has seen ---- */

/* unused: of the process's threads in the samples. */
static void
put_sampled_thread (Process *process, const ProfileOtf2Definitions *definitions,
                    ProfileOtf2Fill *fill, guint unused, ProfileSpool *to)
{
    const ProfileModel *samples = profile_otf2_fill_get_samples (fill);
    Stream stream = { .definitions = definitions, .to = to, .process = process };
    const GArray *metrics = profile_samples_get_metrics (samples, process->sampled);
    guint32 number;

    profile_samples_get (samples, process->sampled, unused, &number);
    stream.thread = MAX (number, process->n_threads + 1);
    process->n_threads = stream.thread;
    stream.tid = profile_samples_get_tid (samples, process->sampled, unused);
    stream.fill = profile_otf2_fill_begin_unused (fill, process->sampled, unused,
                                                  process->tree);
    stream.samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    stream.metrics = g_array_new (FALSE, FALSE, sizeof (JobMetrics));
    if (process->n_locations == 0 && definitions->part == NULL && unused == 0) {
        g_array_append_vals (stream.metrics, metrics->data, metrics->len);
    }
    fill_end (&stream);
    put_batch (&stream);
    profile_otf2_fill_end (stream.fill);
    g_array_unref (stream.samples);
    g_array_unref (stream.metrics);
}

/* Where either archive lacks the ids of threads, and others than the first one have recorded events, too, nobody knows
 * which of the sampled ones these are. */
static void
put_sampled_threads (const ProfileOtf2Processes *processes,
                     const ProfileOtf2Definitions *definitions, ProfileOtf2Fill *fill,
                     ProfileSpool *to)
{
    for (guint i = 0; i < processes->all->len; i++) {
        Process *process = g_ptr_array_index (processes->all, i);
        gboolean is_known
            = process->sampled != G_MAXUINT
              && (process->n_locations <= 1
                  || (process->n_nameless == 0
                      && profile_otf2_fill_knows_threads (fill, process->sampled)));
        g_autoptr (GArray) unused = is_known
                                        ? profile_otf2_fill_dup_unused (fill, process->sampled)
                                        : NULL;

        for (guint j = 0; unused != NULL && j < unused->len; j++) {
            put_sampled_thread (process, definitions, fill, g_array_index (unused, guint, j),
                                to);
        }
    }
}

guint
profile_otf2_read_events (OTF2_Reader *reader, const ProfileOtf2Definitions *definitions,
                          ProfileOtf2Fill *fill, ProfileSpool *to, guint *ret_n_undefined)
{
    g_autoptr (ProfileOtf2Processes) processes = profile_otf2_processes_put (definitions, fill,
                                                                             to);
    GHashTableIter iter;
    gpointer region;
    guint n_broken = 0;

    for (guint i = 0; i < definitions->locations->len; i++) {
        OTF2_Reader_SelectLocation (reader, g_array_index (definitions->locations,
                                                           ProfileOtf2Location, i)
                                                .self);
    }
    g_hash_table_iter_init (&iter, definitions->regions);
    while (fill != NULL && g_hash_table_iter_next (&iter, NULL, &region)) {
        const ProfileOtf2Region *its = region;

        if (its->name != NULL && its->is_mpi) {
            profile_otf2_fill_add_recorded (fill, its->name, NULL);
        } else if (its->name != NULL && its->file != NULL && its->is_function
                   && its->language == JOB_LANGUAGE_PYTHON) {
            profile_otf2_fill_add_recorded (fill, its->name, its->file);
        }
    }
    *ret_n_undefined = profile_otf2_read_locals (reader, definitions);
    if (OTF2_Reader_OpenEvtFiles (reader) != OTF2_SUCCESS) {
        return definitions->locations->len;
    }
    for (guint i = 0; i < definitions->locations->len; i++) {
        const ProfileOtf2Location *location = &g_array_index (definitions->locations,
                                                              ProfileOtf2Location, i);
        Process *process = profile_otf2_processes_find (processes, definitions, location);
        Stream stream = { .definitions = definitions, .to = to, .process = process };

        if (process == NULL) {
            continue;
        }
        job_metrics_init (&stream.lasting, 0);
        stream.thread = location->thread != 0 ? location->thread : process->n_threads + 1;
        stream.tid = location->tid;
        process->n_threads = MAX (process->n_threads, stream.thread);
        process->n_locations++;
        process->n_nameless += stream.tid == 0;
        stream.fill = fill != NULL && process->sampled != G_MAXUINT
                          ? profile_otf2_fill_begin (fill, process->sampled, stream.thread,
                                                     stream.tid, process->tree)
                          : NULL;
        n_broken += !read_location (reader, location, &stream);
        profile_otf2_fill_end (stream.fill);
        if (definitions->part == NULL) {
            note_loss (&stream, location->missed);
        }
    }
    OTF2_Reader_CloseEvtFiles (reader);
    if (fill != NULL) {
        profile_otf2_processes_put_sampled (processes, definitions, fill, to);
        put_sampled_threads (processes, definitions, fill, to);
    }
    if (definitions->part == NULL) {
        put_counts (processes, definitions, to);
    }
    return n_broken;
}
