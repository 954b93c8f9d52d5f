/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which functions take the room of a trace, as scorep-score tells it of a profile: here it is counted from the events
 * themselves, by the sizes that OTF2 estimates for each. */
#include "profile/otf2-score.h"
#include "base/array.h"
#include "base/error.h"
#include "base/escape.h"
#include "profile/otf2/private.h"
#include <otf2/OTF2_EventSizeEstimator.h>
#include <string.h>

#define KEY(id) GUINT_TO_POINTER ((guint) (id))
#define MEGABYTE 1000000.0
#define SPARE_BYTES 2000000u /* what Score-P needs beside its largest buffer, rounded up */

typedef enum { MPI, IO, USR, COM, N_TYPES } Type;
static const char *const type_names[N_TYPES] = { "MPI", "IO", "USR", "COM" };

typedef struct {
    const ProfileOtf2Region *definition;
    OTF2_RegionRef self;
    guint64 n_visits, n_events_bytes;
    guint64 time; /* own, in ticks */
    gboolean reaches_mpi;
    GHashTable *bytes; /* of each process: GUINT location group to guint64 */
} Region;

typedef struct {
    const ProfileOtf2Definitions *definitions;
    OTF2_EventSizeEstimator *sizes;
    GHashTable *regions; /* id to Region */
    GHashTable *buffers; /* location group to guint64: bytes */
    guint64 stamp_bytes, total_bytes;
} Score;

typedef struct {
    Region *region;
    gboolean reaches_mpi; /* so far */
} Open;

typedef struct {
    Score *score;
    OTF2_LocationGroupRef group;
    GArray *stack; /* of Open */
    OTF2_TimeStamp before;
    gboolean has_before;
} Stream;

BASE_FREE (free_region, Region, region, g_hash_table_unref (region->bytes))

static void
add_bytes (GHashTable *to, guint32 key, guint64 bytes)
{
    guint64 *sum = g_hash_table_lookup (to, KEY (key));

    if (sum == NULL) {
        sum = g_new0 (guint64, 1);
        g_hash_table_insert (to, KEY (key), sum);
    }
    *sum += bytes;
}

static Region *
find_region (Score *score, OTF2_RegionRef id)
{
    Region *region = g_hash_table_lookup (score->regions, KEY (id));

    if (region == NULL) {
        region = g_new0 (Region, 1);
        region->self = id;
        region->definition = g_hash_table_lookup (score->definitions->regions, KEY (id));
        region->bytes = g_hash_table_new_full (NULL, NULL, NULL, g_free);
        g_hash_table_insert (score->regions, KEY (id), region);
        if (region->definition == NULL) {
            g_hash_table_add (score->definitions->strays, KEY (id));
        }
    }
    return region;
}

/* ---- events ---- */

/* The time until now is the innermost region's. */
static void
spend (Stream *stream, OTF2_TimeStamp time)
{
    if (stream->stack->len > 0 && time > stream->before) {
        g_array_index (stream->stack, Open, stream->stack->len - 1).region->time
            += time - stream->before;
    }
}

/* An event of that size is of the innermost region. Equal times are written once. */
static void
charge (Stream *stream, OTF2_TimeStamp time, guint64 bytes)
{
    if (!stream->has_before || time != stream->before) {
        bytes += stream->score->stamp_bytes;
    }
    if (stream->stack->len > 0) {
        add_bytes (g_array_index (stream->stack, Open, stream->stack->len - 1).region->bytes,
                   stream->group, bytes);
    }
    add_bytes (stream->score->buffers, stream->group, bytes);
    stream->score->total_bytes += bytes;
    stream->before = time;
    stream->has_before = TRUE;
}

static guint64
get_list_size (Stream *stream, OTF2_AttributeList *list)
{
    return OTF2_AttributeList_GetNumberOfElements (list) > 0
               ? OTF2_EventSizeEstimator_GetSizeOfAttributeList (stream->score->sizes, list)
               : 0;
}

static OTF2_CallbackCode
on_enter (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
          OTF2_AttributeList *list, OTF2_RegionRef id)
{
    Stream *stream = user;
    Region *region = find_region (stream->score, id);
    Open open = { region, region->definition != NULL && region->definition->is_mpi };
    guint64 bytes = OTF2_EventSizeEstimator_GetSizeOfEnterEvent (stream->score->sizes)
                    + get_list_size (stream, list);

    spend (stream, time);
    region->n_visits++;
    g_array_append_val (stream->stack, open);
    charge (stream, time, bytes);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_leave (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
          OTF2_AttributeList *list, OTF2_RegionRef id)
{
    Stream *stream = user;
    Open top;

    spend (stream, time);
    charge (stream, time,
            OTF2_EventSizeEstimator_GetSizeOfLeaveEvent (stream->score->sizes)
                + get_list_size (stream, list));
    if (stream->stack->len == 0) {
        return OTF2_CALLBACK_SUCCESS;
    }
    top = g_array_index (stream->stack, Open, stream->stack->len - 1);
    g_array_set_size (stream->stack, stream->stack->len - 1);
    top.region->reaches_mpi |= top.reaches_mpi;
    if (top.reaches_mpi && stream->stack->len > 0) {
        g_array_index (stream->stack, Open, stream->stack->len - 1).reaches_mpi = TRUE;
    }
    return OTF2_CALLBACK_SUCCESS;
}

/* The others' sizes do not depend on what they say; these take one callback each. */
#define COUNTED(name, size, ...)                                                               \
    static OTF2_CallbackCode on_##name (OTF2_LocationRef location, OTF2_TimeStamp time,        \
                                        uint64_t position, void *user,                         \
                                        OTF2_AttributeList *list, __VA_ARGS__)                 \
    {                                                                                          \
        Stream *stream = user;                                                                 \
                                                                                               \
        spend (stream, time);                                                                  \
        charge (stream, time,                                                                  \
                OTF2_EventSizeEstimator_GetSizeOf##size + get_list_size (stream, list));       \
        return OTF2_CALLBACK_SUCCESS;                                                          \
    }
#define SIZES stream->score->sizes
COUNTED (send, MpiSendEvent (SIZES), uint32_t to, OTF2_CommRef comm, uint32_t tag, uint64_t n)
COUNTED (isend, MpiIsendEvent (SIZES), uint32_t to, OTF2_CommRef comm, uint32_t tag, uint64_t n,
         uint64_t request)
COUNTED (isend_complete, MpiIsendCompleteEvent (SIZES), uint64_t request)
COUNTED (irecv_request, MpiIrecvRequestEvent (SIZES), uint64_t request)
COUNTED (recv, MpiRecvEvent (SIZES), uint32_t from, OTF2_CommRef comm, uint32_t tag, uint64_t n)
COUNTED (irecv, MpiIrecvEvent (SIZES), uint32_t from, OTF2_CommRef comm, uint32_t tag,
         uint64_t n, uint64_t request)
COUNTED (test, MpiRequestTestEvent (SIZES), uint64_t request)
COUNTED (cancelled, MpiRequestCancelledEvent (SIZES), uint64_t request)
COUNTED (collective_end, MpiCollectiveEndEvent (SIZES), OTF2_CollectiveOp op, OTF2_CommRef comm,
         uint32_t root, uint64_t sent, uint64_t received)
COUNTED (collective_request, NonBlockingCollectiveRequestEvent (SIZES), uint64_t request)
COUNTED (collective_complete, NonBlockingCollectiveCompleteEvent (SIZES), OTF2_CollectiveOp op,
         OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received, uint64_t request)
COUNTED (switch, MeasurementOnOffEvent (SIZES), OTF2_MeasurementMode mode)
COUNTED (metric, MetricEvent (SIZES, n), OTF2_MetricRef metric, uint8_t n,
         const OTF2_Type *types, const OTF2_MetricValue *values)
COUNTED (integer, ParameterIntEvent (SIZES), OTF2_ParameterRef parameter, int64_t value)
COUNTED (natural, ParameterUnsignedIntEvent (SIZES), OTF2_ParameterRef parameter,
         uint64_t value)
COUNTED (text, ParameterStringEvent (SIZES), OTF2_ParameterRef parameter, OTF2_StringRef value)
COUNTED (io_create, IoCreateHandleEvent (SIZES), OTF2_IoHandleRef handle,
         OTF2_IoAccessMode mode, OTF2_IoCreationFlag flags, OTF2_IoStatusFlag status)
COUNTED (io_destroy, IoDestroyHandleEvent (SIZES), OTF2_IoHandleRef handle)
COUNTED (io_begin, IoOperationBeginEvent (SIZES), OTF2_IoHandleRef handle,
         OTF2_IoOperationMode mode, OTF2_IoOperationFlag flags, uint64_t n, uint64_t id)
COUNTED (io_complete, IoOperationCompleteEvent (SIZES), OTF2_IoHandleRef handle, uint64_t n,
         uint64_t id)
COUNTED (io_seek, IoSeekEvent (SIZES), OTF2_IoHandleRef handle, int64_t offset,
         OTF2_IoSeekOption whence, uint64_t result)
COUNTED (acquire, ThreadAcquireLockEvent (SIZES), OTF2_Paradigm model, uint32_t lock,
         uint32_t order)
COUNTED (release, ThreadReleaseLockEvent (SIZES), OTF2_Paradigm model, uint32_t lock,
         uint32_t order)
COUNTED (thread_create, ThreadCreateEvent (SIZES), OTF2_CommRef comm, uint64_t number)
COUNTED (thread_begin, ThreadBeginEvent (SIZES), OTF2_CommRef comm, uint64_t number)
COUNTED (thread_end, ThreadEndEvent (SIZES), OTF2_CommRef comm, uint64_t number)

static OTF2_CallbackCode
on_collective_begin (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                     void *user, OTF2_AttributeList *list)
{
    Stream *stream = user;

    spend (stream, time);
    charge (stream, time,
            OTF2_EventSizeEstimator_GetSizeOfMpiCollectiveBeginEvent (SIZES)
                + get_list_size (stream, list));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_EvtReaderCallbacks *
make_callbacks (void)
{
    OTF2_EvtReaderCallbacks *to = OTF2_EvtReaderCallbacks_New ();

    OTF2_EvtReaderCallbacks_SetEnterCallback (to, on_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback (to, on_leave);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback (to, on_send);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback (to, on_isend);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback (to, on_isend_complete);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback (to, on_irecv_request);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback (to, on_recv);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback (to, on_irecv);
    OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback (to, on_test);
    OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback (to, on_cancelled);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback (to, on_collective_begin);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback (to, on_collective_end);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback (to, on_collective_request);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback (to,
                                                                      on_collective_complete);
    OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback (to, on_switch);
    OTF2_EvtReaderCallbacks_SetMetricCallback (to, on_metric);
    OTF2_EvtReaderCallbacks_SetParameterIntCallback (to, on_integer);
    OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback (to, on_natural);
    OTF2_EvtReaderCallbacks_SetParameterStringCallback (to, on_text);
    OTF2_EvtReaderCallbacks_SetIoCreateHandleCallback (to, on_io_create);
    OTF2_EvtReaderCallbacks_SetIoDestroyHandleCallback (to, on_io_destroy);
    OTF2_EvtReaderCallbacks_SetIoOperationBeginCallback (to, on_io_begin);
    OTF2_EvtReaderCallbacks_SetIoOperationCompleteCallback (to, on_io_complete);
    OTF2_EvtReaderCallbacks_SetIoSeekCallback (to, on_io_seek);
    OTF2_EvtReaderCallbacks_SetThreadAcquireLockCallback (to, on_acquire);
    OTF2_EvtReaderCallbacks_SetThreadReleaseLockCallback (to, on_release);
    OTF2_EvtReaderCallbacks_SetThreadCreateCallback (to, on_thread_create);
    OTF2_EvtReaderCallbacks_SetThreadBeginCallback (to, on_thread_begin);
    OTF2_EvtReaderCallbacks_SetThreadEndCallback (to, on_thread_end);
    return to;
}

/* FALSE: not to its end. */
static gboolean
read_location (Score *score, OTF2_Reader *reader, const ProfileOtf2Location *location)
{
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader (reader, location->self);
    OTF2_EvtReaderCallbacks *callbacks = make_callbacks ();
    Stream stream = { .score = score, .group = location->group };
    gboolean is_whole = FALSE;

    stream.stack = g_array_new (FALSE, FALSE, sizeof (Open));
    if (events != NULL) {
        OTF2_Reader_RegisterEvtCallbacks (reader, events, callbacks, &stream);
        is_whole = profile_otf2_read_all (reader, events, location) == OTF2_SUCCESS;
        OTF2_Reader_CloseEvtReader (reader, events);
    }
    OTF2_EvtReaderCallbacks_Delete (callbacks);
    g_array_unref (stream.stack);
    return is_whole;
}

/* ---- the table ---- */

static Type
get_type (const Region *region)
{
    const ProfileOtf2Region *definition = region->definition;

    return definition != NULL && definition->is_mpi                  ? MPI
           : definition != NULL && definition->class == JOB_CLASS_IO ? IO
           : region->reaches_mpi                                     ? COM
                                                                     : USR;
}

static guint64
find_most (GHashTable *bytes)
{
    gpointer value;
    guint64 most = 0;

    BASE_WALK (bytes, NULL, &value) {
        most = MAX (most, *(guint64 *) value);
    }
    return most;
}

static gint
compare_regions (gconstpointer a, gconstpointer b)
{
    const Region *left = *(Region *const *) a, *right = *(Region *const *) b;
    guint64 most[2] = { find_most (left->bytes), find_most (right->bytes) };

    return most[0] != most[1] ? (most[0] < most[1] ? 1 : -1)
                              : (left->self > right->self) - (left->self < right->self);
}

/* "12,345,678"; caller owns. */
static char *
group_digits (guint64 number)
{
    g_autofree char *plain = g_strdup_printf ("%" G_GUINT64_FORMAT, number);
    GString *text = g_string_new (NULL);
    gsize n = strlen (plain);

    for (gsize i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0) {
            g_string_append_c (text, ',');
        }
        g_string_append_c (text, plain[i]);
    }
    return g_string_free (text, FALSE);
}

static void
put_row (GString *text, const char *type, guint64 buffer, guint64 visits, double seconds,
         double total_s, const char *name)
{
    g_autofree char *bytes = group_digits (buffer), *n = group_digits (visits);

    g_string_append_printf (text, "%-4s %15s %15s %10.2f %7.1f %14.2f  %s\n", type, bytes, n,
                            seconds, total_s > 0 ? 100 * seconds / total_s : 0,
                            visits > 0 ? 1e6 * seconds / (double) visits : 0, name);
}

typedef struct {
    guint64 n_visits, time;
    GHashTable *bytes;
} Sum;

static void
add_region (Sum *sum, const Region *region)
{
    gpointer key, value;

    sum->n_visits += region->n_visits;
    sum->time += region->time;
    BASE_WALK (region->bytes, &key, &value) {
        add_bytes (sum->bytes, GPOINTER_TO_UINT (key), *(guint64 *) value);
    }
}

static char *
get_name (const Region *region)
{
    const ProfileOtf2Region *definition = region->definition;

    if (definition == NULL || definition->name == NULL) {
        return g_strdup_printf ("region %u", region->self);
    }
    if (definition->file == NULL || definition->is_mpi) {
        return g_strdup (definition->name);
    }
    {
        g_autofree char *base = g_path_get_basename (definition->file);

        return definition->line > 0
                   ? g_strdup_printf ("%s at %s:%u", definition->name, base, definition->line)
                   : g_strdup_printf ("%s at %s", definition->name, base);
    }
}

static void
put_sizes (const Score *score, GString *text)
{
    guint64 most = find_most (score->buffers);
    guint64 needed = (most + SPARE_BYTES + (guint64) MEGABYTE - 1) / (guint64) MEGABYTE;

    g_string_append_printf (
        text,
        "Estimated aggregate size of event trace:                   %.2f MB\n"
        "Estimated requirements for largest trace buffer (max_buf): %.2f MB\n"
        "Estimated memory requirements (SCOREP_TOTAL_MEMORY):       "
        "%" G_GUINT64_FORMAT "MB\n"
        "(hint: with Score-P set SCOREP_TOTAL_MEMORY=%" G_GUINT64_FORMAT
        "MB, or leave USR functions out by a filter; pddt needs neither)\n\n",
        (double) score->total_bytes / MEGABYTE, (double) most / MEGABYTE, needed, needed);
}

static char *
format (const Score *score)
{
    GString *text = g_string_new (NULL);
    g_autoptr (GPtrArray) list = g_ptr_array_new ();
    double second = (double) MAX (score->definitions->resolution, 1);
    Sum sums[N_TYPES + 1] = { { 0, 0, NULL } }, *all = &sums[N_TYPES];
    gpointer value;

    for (guint i = 0; i <= N_TYPES; i++) {
        sums[i].bytes = g_hash_table_new_full (NULL, NULL, NULL, g_free);
    }
    BASE_WALK (score->regions, NULL, &value) {
        g_ptr_array_add (list, value);
        add_region (&sums[get_type (value)], value);
        add_region (all, value);
    }
    g_ptr_array_sort (list, compare_regions);
    put_sizes (score, text);
    g_string_append_printf (text, "%-4s %15s %15s %10s %7s %14s  %s\n", "type", "max_buf[B]",
                            "visits", "time[s]", "time[%]", "time/visit[us]", "region");
    put_row (text, "ALL", find_most (all->bytes), all->n_visits, (double) all->time / second,
             (double) all->time / second, "ALL");
    for (guint i = 0; i < N_TYPES; i++) {
        if (sums[i].n_visits > 0) {
            put_row (text, type_names[i], find_most (sums[i].bytes), sums[i].n_visits,
                     (double) sums[i].time / second, (double) all->time / second,
                     type_names[i]);
        }
    }
    g_string_append_c (text, '\n');
    for (guint i = 0; i < list->len; i++) {
        const Region *region = g_ptr_array_index (list, i);
        g_autofree char *name = base_escape_take (get_name (region), BASE_ESCAPE_NAME);

        if (region->n_visits > 0) {
            put_row (text, type_names[get_type (region)], find_most (region->bytes),
                     region->n_visits, (double) region->time / second,
                     (double) all->time / second, name);
        }
    }
    for (guint i = 0; i <= N_TYPES; i++) {
        g_hash_table_unref (sums[i].bytes);
    }
    return g_string_free (text, FALSE);
}

/* ---- the archive ---- */

/* FALSE, with CORRUPT: not all of them, or of what is defined, could be read. */
static gboolean
read_events (Score *score, OTF2_Reader *reader, GError **error)
{
    const GArray *locations = score->definitions->locations;
    guint n_broken = locations->len, n_undefined;

    score->sizes = OTF2_EventSizeEstimator_New ();
    OTF2_EventSizeEstimator_SetNumberOfRegionDefinitions (score->sizes,
                                                          g_hash_table_size (score->definitions
                                                                                 ->regions));
    OTF2_EventSizeEstimator_SetNumberOfStringDefinitions (score->sizes,
                                                          g_hash_table_size (score->definitions
                                                                                 ->strings));
    OTF2_EventSizeEstimator_SetNumberOfLocationDefinitions (score->sizes, locations->len);
    score->stamp_bytes = OTF2_EventSizeEstimator_GetSizeOfTimestamp (score->sizes);
    for (guint i = 0; i < locations->len; i++) {
        OTF2_Reader_SelectLocation (reader,
                                    g_array_index (locations, ProfileOtf2Location, i).self);
    }
    n_undefined = profile_otf2_read_locals (reader, score->definitions);
    if (OTF2_Reader_OpenEvtFiles (reader) == OTF2_SUCCESS) {
        for (guint i = 0; i < locations->len; i++) {
            n_broken -= read_location (score, reader,
                                       &g_array_index (locations, ProfileOtf2Location, i));
        }
        OTF2_Reader_CloseEvtFiles (reader);
    }
    OTF2_EventSizeEstimator_Delete (score->sizes);
    return profile_otf2_check_whole (score->definitions, n_broken, n_undefined, error);
}

char *
profile_otf2_score (const char *anchor, GError **error)
{
    OTF2_Reader *reader = profile_otf2_open_reader (anchor, error);
    ProfileOtf2Definitions *definitions;
    Score score = { .regions = NULL };
    char *text = NULL;

    if (reader == NULL) {
        return NULL;
    }
    definitions = profile_otf2_definitions_read (reader);
    score.definitions = definitions;
    score.regions = g_hash_table_new_full (NULL, NULL, NULL, free_region);
    score.buffers = g_hash_table_new_full (NULL, NULL, NULL, g_free);
    if (read_events (&score, reader, error)) {
        if (g_hash_table_size (score.regions) > 0) {
            text = format (&score);
        } else {
            g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                         "it was sampled, and has no calls to score");
        }
    }
    g_hash_table_unref (score.regions);
    g_hash_table_unref (score.buffers);
    OTF2_Reader_Close (reader);
    profile_otf2_definitions_free (definitions);
    return text;
}
