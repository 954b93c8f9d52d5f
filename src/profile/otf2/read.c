/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of an archive to samples: each stands for the time between two events of its location. */
#include "profile/losses.h"
#include "profile/otf2/private.h"

#define KEY(id) GUINT_TO_POINTER ((guint) (id))
#define MAX_DEPTH 10000u
#define MAX_RANK (1u << 24)
#define NOT_RECORDED 0xfffffffeu /* instead of a region */
#define PART 50000u              /* samples in one batch */

/* The locations of one process. */
typedef struct {
    guint32 rank;
    JobContextTree *tree;
    guint32 n_told;
    GHashTable *known;   /* calling context of the archive to number in the tree */
    GHashTable *entered; /* number in the tree and region, to number */
    GArray *classes;     /* of guint8, by number in the tree: of Enter and Leave */
    GArray *counts; /* of ProfileCount, by number in the tree; empty: nothing was entered */
    guint32 n_threads;
    guint64 missed, kept, n_told_missed; /* told: of its threads */
    guint64 whole;                       /* in ticks; 0: not known */
} Process;

/* One location while it is read. */
typedef struct {
    const ProfileOtf2Definitions *definitions;
    ProfileSpool *to;
    Process *process;
    guint32 thread;
    gboolean is_measured; /* the time since before_us is known to be its */
    gboolean is_off;      /* the program has switched recording off, in `current` */
    gint64 first_us, before_us, metric_us;
    guint64 before;     /* the time of the last event, in ticks */
    GArray *stack;      /* of guint32: numbers that were entered */
    guint n_deeper;     /* more of them, in the innermost one */
    guint32 current;    /* where it is as far as events say; 0 nowhere */
    GArray *samples;    /* of JobSample */
    GArray *metrics;    /* of JobMetrics */
    JobMetrics lasting; /* what holds until it changes */
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
    g_autoptr (GBytes) batch = job_sample_batch_encode_all (process->tree, process->n_told + 1,
                                                            stream->samples, process->missed,
                                                            stream->metrics);

    process->n_told = job_context_tree_get_count (process->tree);
    profile_spool_put_batch (stream->to, process->rank, batch);
    g_array_set_size (stream->samples, 0);
    g_array_set_size (stream->metrics, 0);
}

/* The time from the last event until time_us. */
static void
put_sample (Stream *stream, gint64 time_us, guint32 context, guint8 class, gboolean is_blocked)
{
    JobSample sample = { .time_us = time_us,
                         .context = context,
                         .thread = stream->thread,
                         .class = class,
                         .is_blocked = is_blocked };

    if (time_us <= stream->before_us) {
        return;
    }
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

/* ---- contexts ---- */

static void
note_class (Process *process, guint32 number, guint8 class)
{
    if (process->classes->len <= number) {
        g_array_set_size (process->classes, number + 1);
    }
    g_array_index (process->classes, guint8, number) = class;
}

/* Numbers are those of the tree. */
static ProfileCount *
get_count (Process *process, guint32 number)
{
    if (process->counts->len <= number) {
        g_array_set_size (process->counts, number + 1);
    }
    return &g_array_index (process->counts, ProfileCount, number);
}

static guint8
get_class (const Process *process, guint32 number)
{
    return number < process->classes->len ? g_array_index (process->classes, guint8, number)
                                          : JOB_CLASS_UNKNOWN;
}

/* What the first context of its region says for all of them. */
static void
fill_from_first (const Stream *stream, const ProfileOtf2Region *region,
                 const ProfileOtf2Context *context, JobLocation *location, guint32 *flags)
{
    const ProfileOtf2Context *first = region != NULL
                                          ? g_hash_table_lookup (stream->definitions->contexts,
                                                                 KEY (region->first))
                                          : NULL;

    if (first == NULL || !first->has_frame || first == context) {
        return;
    }
    *flags = context->has_frame ? context->flags : first->flags;
    location->module = location->module != NULL ? location->module : (char *) first->module;
    if (first->is_nameless) {
        location->function = NULL;
        location->offset = first->offset;
    }
}

/* Inside an MPI call everything is MPI's. */
static guint32
add_frame (const Stream *stream, guint32 parent, const ProfileOtf2Region *region,
           const ProfileOtf2Context *context)
{
    Process *process = stream->process;
    JobLocation location = { .function = (char *) (region != NULL ? region->name : NULL) };
    guint8 class = region != NULL ? region->class : JOB_CLASS_UNKNOWN;
    guint32 number, flags = context != NULL ? context->flags : 0;

    location.file = (char *) (context != NULL && context->file != NULL ? context->file
                              : region != NULL                         ? region->file
                                                                       : NULL);
    location.language = context != NULL && context->has_language ? context->language
                        : region != NULL                         ? region->language
                                                                 : JOB_LANGUAGE_UNKNOWN;
    location.line = region != NULL ? region->line : 0;
    if (context != NULL) {
        location.line = context->line != 0 ? context->line : location.line;
        location.module = (char *) context->module;
        location.offset = context->offset;
        location.function = context->is_nameless ? NULL : location.function;
        fill_from_first (stream, region, context, &location, &flags);
    }
    number = job_context_tree_add (process->tree, parent, &location, flags);
    if (parent != 0 && get_class (process, parent) == JOB_CLASS_MPI) {
        class = JOB_CLASS_MPI;
    }
    note_class (process, number, class);
    return number;
}

static guint32
enter_region (const Stream *stream, guint32 parent, OTF2_RegionRef region)
{
    Process *process = stream->process;
    gint64 key = (gint64) parent << 32 | region;
    gpointer known = g_hash_table_lookup (process->entered, &key);

    if (known == NULL) {
        known
            = KEY (add_frame (stream, parent,
                              g_hash_table_lookup (stream->definitions->regions, KEY (region)),
                              NULL));
        g_hash_table_insert (process->entered, g_memdup2 (&key, sizeof key), known);
    }
    return GPOINTER_TO_UINT (known);
}

/* Parents may name each other: what is too deep has no more outer frames. */
static guint32
find_context (const Stream *stream, OTF2_CallingContextRef id)
{
    const ProfileOtf2Definitions *definitions = stream->definitions;
    Process *process = stream->process;
    g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (guint32));
    const ProfileOtf2Context *context;
    guint32 number = 0;

    while (open->len < MAX_DEPTH
           && (context = g_hash_table_lookup (definitions->contexts, KEY (id))) != NULL) {
        gpointer known = g_hash_table_lookup (process->known, KEY (id));

        if (known != NULL) {
            number = GPOINTER_TO_UINT (known);
            break;
        }
        g_array_append_val (open, id);
        id = context->parent;
    }
    for (guint i = open->len; i > 0; i--) {
        id = g_array_index (open, guint32, i - 1);
        context = g_hash_table_lookup (definitions->contexts, KEY (id));
        if (context->is_unread) {
            continue;
        }
        number = add_frame (stream, number,
                            g_hash_table_lookup (definitions->regions, KEY (context->region)),
                            context);
        g_hash_table_insert (process->known, KEY (id), KEY (number));
    }
    return number;
}

/* ---- events ---- */

/* Where recording is switched off, that is a function of its own in the one that was running. */
static guint32
find_spent (const Stream *stream)
{
    static const ProfileOtf2Region off = { .name = PROFILE_OTF2_UNRECORDED,
                                           .class = JOB_CLASS_UNSAMPLED };
    Process *process = stream->process;
    gint64 key = (gint64) stream->current << 32 | NOT_RECORDED;
    gpointer known;

    if (!stream->is_off || stream->current == 0
        || get_class (process, stream->current) == JOB_CLASS_UNSAMPLED) {
        return stream->current;
    }
    known = g_hash_table_lookup (process->entered, &key);
    if (known == NULL) {
        known = KEY (add_frame (stream, stream->current, &off, NULL));
        g_hash_table_insert (process->entered, g_memdup2 (&key, sizeof key), known);
    }
    return GPOINTER_TO_UINT (known);
}

/* The time until now was spent where the events before have led. */
static void
close_span (Stream *stream, OTF2_TimeStamp time)
{
    gint64 now_us = profile_otf2_get_us (stream->definitions, time);

    stream->first_us = stream->first_us != 0 ? stream->first_us : now_us;
    if (stream->is_measured && stream->current != 0) {
        guint32 spent = find_spent (stream);

        put_sample (stream, now_us, spent, get_class (stream->process, spent), FALSE);
        get_count (stream->process, spent)->self_s
            += time > stream->before ? (double) (time - stream->before)
                                           / (double) MAX (stream->definitions->resolution, 1)
                                     : 0;
    }
    stream->before_us = MAX (stream->before_us, now_us);
    stream->before = MAX (stream->before, time);
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
    get_count (stream->process, number)->n_calls += is_call (stream, attributes);
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
    push (stream, enter_region (stream, stream->current, region), attributes);
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
    push (stream, find_context (stream, context), attributes);
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
               : get_class (stream->process, number);
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
    guint32 number = find_context (stream, id);

    if (stream->is_measured) {
        put_sample (stream, now_us, number, get_context_class (stream, context, number),
                    context != NULL && context->is_blocked);
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
        stream->before_us = MAX (stream->before_us,
                                 profile_otf2_get_us (stream->definitions, time));
        stream->before = MAX (stream->before, time);
        stream->is_off = FALSE;
        stream->is_measured = TRUE;
    } else {
        close_span (stream, time);
        stream->is_off = stream->current != 0;
        stream->is_measured = stream->is_off;
    }
    return OTF2_CALLBACK_SUCCESS;
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
    gboolean is_ours = FALSE;

    for (guint i = 0; members != NULL && i < MIN (n, members->len); i++) {
        guint8 which = g_array_index (members, guint8, i);

        if (which < JOB_N_METRICS && types[i] == OTF2_TYPE_UINT64) {
            metrics.values[which] = values[i].unsigned_int;
            is_ours = TRUE;
        }
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

static Process *
new_process (guint32 rank, const ProfileOtf2Group *group)
{
    Process *process = g_new0 (Process, 1);

    process->rank = rank;
    process->missed = group->missed;
    process->kept = group->kept;
    process->whole = group->whole;
    process->tree = job_context_tree_new ();
    process->known = g_hash_table_new (NULL, NULL);
    process->entered = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
    process->classes = g_array_new (FALSE, TRUE, sizeof (guint8));
    process->counts = g_array_new (FALSE, TRUE, sizeof (ProfileCount));
    return process;
}

static void
free_process (gpointer data)
{
    Process *process = data;

    job_context_tree_free (process->tree);
    g_hash_table_unref (process->known);
    g_hash_table_unref (process->entered);
    g_array_unref (process->classes);
    g_array_unref (process->counts);
    g_free (process);
}

static const char *
find_host (const ProfileOtf2Definitions *definitions, guint32 id)
{
    const char *name = NULL;

    for (guint i = 0; i < 32; i++) {
        const ProfileOtf2Node *node = g_hash_table_lookup (definitions->nodes, KEY (id));

        if (node == NULL) {
            break;
        }
        name = node->is_host || name == NULL ? node->name : name;
        if (node->is_host) {
            break;
        }
        id = node->parent;
    }
    return name;
}

/* Ranks are what our archives say, else processes are counted in the order in which they are defined. */
static GHashTable *
put_processes (const ProfileOtf2Definitions *definitions, ProfileSpool *to)
{
    GHashTable *processes = g_hash_table_new_full (NULL, NULL, NULL, free_process);
    guint32 next = 0;

    for (guint i = 0; i < definitions->group_list->len; i++) {
        const ProfileOtf2Group *group = g_ptr_array_index (definitions->group_list, i);
        ProfileProcess process = { .parent = group->parent,
                                   .pid = (gint32) group->pid,
                                   .host = (char *) find_host (definitions, group->node),
                                   .program = (char *) group->program,
                                   .ending = group->ending };
        guint32 rank = group->rank != G_MAXUINT32 ? group->rank : next;

        if (!group->is_process || rank >= MAX_RANK) {
            continue;
        }
        next = rank + 1;
        profile_spool_put_process (to, rank, &process);
        g_hash_table_insert (processes, KEY (group->self), new_process (rank, group));
    }
    return processes;
}

/* An accelerator's streams are threads of the process that uses it. */
static Process *
find_process (const ProfileOtf2Definitions *definitions, GHashTable *processes,
              const ProfileOtf2Location *location)
{
    const ProfileOtf2Group *group = g_hash_table_lookup (definitions->groups,
                                                         KEY (location->group));

    return group == NULL
               ? NULL
               : g_hash_table_lookup (processes, KEY (group->is_accelerator ? group->creator
                                                                            : group->self));
}

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

/* Of the thread: what is left begins or ends where the rest was lost. */
static void
note_loss (const Stream *stream, guint64 n)
{
    Process *process = stream->process;

    process->n_told_missed += n;
    put_loss (stream->to, process, stream->thread, n,
              process->kept == PROFILE_KEPT_LAST    ? stream->first_us
              : process->kept == PROFILE_KEPT_FIRST ? stream->before_us
              : process->whole > 0 ? profile_otf2_get_us (stream->definitions, process->whole)
                                   : 0);
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

static gboolean
read_location (OTF2_Reader *reader, OTF2_LocationRef id, Stream *stream)
{
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader (reader, id);
    OTF2_EvtReaderCallbacks *callbacks = make_callbacks ();
    uint64_t n_read = 0;
    gboolean is_whole = FALSE;
    OTF2_ErrorCode code;

    stream->stack = g_array_new (FALSE, FALSE, sizeof (guint32));
    stream->samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    stream->metrics = g_array_new (FALSE, FALSE, sizeof (JobMetrics));
    if (events != NULL) {
        OTF2_Reader_RegisterEvtCallbacks (reader, events, callbacks, stream);
        code = OTF2_Reader_ReadAllLocalEvents (reader, events, &n_read);
        is_whole = code == OTF2_SUCCESS
                   || (stream->definitions->part != NULL
                       && code == OTF2_ERROR_INTERRUPTED_BY_CALLBACK);
        OTF2_Reader_CloseEvtReader (reader, events);
    }
    put_batch (stream);
    OTF2_EvtReaderCallbacks_Delete (callbacks);
    g_array_unref (stream->stack);
    g_array_unref (stream->samples);
    g_array_unref (stream->metrics);
    return is_whole;
}

/* Samples are a picture of the calls; these are the calls themselves. */
static void
put_counts (GHashTable *processes, ProfileSpool *to)
{
    GHashTableIter iter;
    gpointer value;

    g_hash_table_iter_init (&iter, processes);
    while (g_hash_table_iter_next (&iter, NULL, &value)) {
        Process *process = value;

        for (guint32 number = 1; number < process->counts->len; number++) {
            get_count (process, number)->class = get_class (process, number);
        }
        if (process->counts->len > 0) {
            profile_spool_put_counts (to, process->rank, process->counts);
            put_loss (to, process, 0,
                      process->missed - MIN (process->n_told_missed, process->missed), 0);
        }
    }
}

guint
profile_otf2_read_events (OTF2_Reader *reader, const ProfileOtf2Definitions *definitions,
                          ProfileSpool *to, guint *ret_n_undefined)
{
    g_autoptr (GHashTable) processes = put_processes (definitions, to);
    guint n_broken = 0;

    for (guint i = 0; i < definitions->locations->len; i++) {
        OTF2_Reader_SelectLocation (reader, g_array_index (definitions->locations,
                                                           ProfileOtf2Location, i)
                                                .self);
    }
    *ret_n_undefined = profile_otf2_read_locals (reader, definitions);
    if (OTF2_Reader_OpenEvtFiles (reader) != OTF2_SUCCESS) {
        return definitions->locations->len;
    }
    for (guint i = 0; i < definitions->locations->len; i++) {
        const ProfileOtf2Location *location = &g_array_index (definitions->locations,
                                                              ProfileOtf2Location, i);
        Process *process = find_process (definitions, processes, location);
        Stream stream = { .definitions = definitions, .to = to, .process = process };

        if (process == NULL) {
            continue;
        }
        job_metrics_init (&stream.lasting, 0);
        stream.thread = location->thread != 0 ? location->thread : process->n_threads + 1;
        process->n_threads = MAX (process->n_threads, stream.thread);
        n_broken += !read_location (reader, location->self, &stream);
        if (definitions->part == NULL) {
            note_loss (&stream, location->missed);
        }
    }
    OTF2_Reader_CloseEvtFiles (reader);
    if (definitions->part == NULL) {
        put_counts (processes, to);
    }
    return n_broken;
}
