/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An archive of events: Enter and Leave of regions, and what was recorded between them. */
#include "profile/otf2-trace.h"
#include "profile/otf2/memory.h"
#include "profile/otf2/messages.h"
#include "profile/otf2/native.h"
#include "profile/otf2/private.h"
#include "profile/otf2/program.h"
#include "profile/otf2/values.h"
#include "base/array.h"
#include <string.h>

typedef struct {
    const ProfileTrace *trace;
    ProfileOtf2Out to;
    ProfileOtf2Messages *messages;
    ProfileOtf2Values *values;
    ProfileOtf2Native *native;
    ProfileOtf2Programs *programs;
    gboolean has_memory;
    GArray *n_events; /* of guint64, of each location */
    guint64 first_ns, last_ns;
    gint culprit; /* whose events could not be written; -1: nobody's */
} Writer;

/* One location while it is written. */
typedef struct {
    Writer *writer;
    OTF2_EvtWriter *out;
    OTF2_AttributeList *attributes;
    const ProfileTraceProcess *process;
    guint64 moved; /* the last time, where the host has a clock of its own */
    guint64 n_events;
    const GArray
        *metrics;    /* of JobMetrics, of the process, at its first location; NULL: none */
    guint n_metrics; /* written */
    guint32 born;    /* of the thread, until it has begun; 0 */
    guint64 born_ns;
    OTF2_RegionRef program; /* OTF2_UNDEFINED_REGION: it has none */
    guint64
        begin_ns; /* when it was entered, unless an event is earlier; 0: with the first one */
    gboolean is_entered; /* the program */
    guint image;         /* which of its process's programs that is */
    gboolean is_first;   /* the thread is its process's first one */
    guint64 from_ns;     /* that of the thread */
    OTF2_CommRef
        comm; /* of its process's threads, once it has begun; G_MAXUINT32: nobody has seen that */
    guint64 now_ns;     /* of the event that is being written */
    GArray *constructs; /* of OTF2_RegionRef: of OpenMP, as they are open */
    ProfileOtf2NativeStream native;
} Stream;

enum {
    OPENED_ATTRIBUTE,
    PLACE_ATTRIBUTE,
    OWNER_ATTRIBUTE,
    NUMBER_ATTRIBUTE,
    ADDRESS_ATTRIBUTE,
    REGION_ATTRIBUTE,
    STACK_ATTRIBUTE
};
static const ProfileOtf2MemoryAttributes memory_attributes
    = { ADDRESS_ATTRIBUTE, REGION_ATTRIBUTE, PLACE_ATTRIBUTE, STACK_ATTRIBUTE };

/* ---- events ---- */

static void
note (Stream *stream, OTF2_ErrorCode code)
{
    profile_otf2_note (&stream->writer->to, code);
    stream->n_events++;
}

/* ---- regions ---- */

/* The names that the tracer gives them (src/agent/native-openmp.c). */
static OTF2_RegionRole
choose_openmp_role (const char *name)
{
    static const struct {
        const char *name;
        OTF2_RegionRole role;
    } roles[] = {
        { "omp parallel", OTF2_REGION_ROLE_PARALLEL },
        { "omp implicit task", OTF2_REGION_ROLE_TASK },
        { "omp for", OTF2_REGION_ROLE_LOOP },
        { "omp sections", OTF2_REGION_ROLE_SECTIONS },
        { "omp single", OTF2_REGION_ROLE_SINGLE },
        { "omp workshare", OTF2_REGION_ROLE_WORKSHARE },
        { "omp distribute", OTF2_REGION_ROLE_LOOP },
        { "omp taskloop", OTF2_REGION_ROLE_LOOP },
    };

    return BASE_CHOOSE (i, G_N_ELEMENTS (roles), strcmp (name, roles[i].name) == 0,
                        roles[i].role, OTF2_REGION_ROLE_FUNCTION);
}

static OTF2_RegionRole
choose_role (const ProfileTraceRegion *region)
{
    if (region->flags & PDDT_TRACE_IS_UNRECORDED) {
        return OTF2_REGION_ROLE_ARTIFICIAL;
    }
    if (region->flags & PDDT_TRACE_IS_BARRIER) {
        return OTF2_REGION_ROLE_BARRIER;
    }
    if (region->flags & PDDT_TRACE_IS_COLLECTIVE) {
        return OTF2_REGION_ROLE_COLL_OTHER;
    }
    if (region->flags & PDDT_TRACE_IS_MESSAGE) {
        return OTF2_REGION_ROLE_POINT2POINT;
    }
    if (region->flags & PDDT_TRACE_IS_ONE_SIDED) {
        return OTF2_REGION_ROLE_RMA;
    }
    if (region->flags & PDDT_TRACE_IS_LOCK) {
        return OTF2_REGION_ROLE_THREAD_WAIT;
    }
    if (region->flags & PDDT_TRACE_IS_WAIT) {
        return region->paradigm == PDDT_TRACE_IN_OPENMP ? OTF2_REGION_ROLE_TASK_WAIT
                                                        : OTF2_REGION_ROLE_THREAD_WAIT;
    }
    return region->paradigm == PDDT_TRACE_IN_OPENMP ? choose_openmp_role (region->name)
           : region->paradigm == PDDT_TRACE_IN_IO   ? OTF2_REGION_ROLE_FILE_IO
           : region->paradigm == PDDT_TRACE_IN_USER ? OTF2_REGION_ROLE_CODE
                                                    : OTF2_REGION_ROLE_FUNCTION;
}

static const ProfileTraceRegion *
get_region (const Writer *writer, guint32 number)
{
    return &g_array_index (writer->trace->regions, ProfileTraceRegion, number);
}

/* Each construct of OpenMP is a region of its own, as two functions are. */
static OTF2_RegionRef
choose_region (Stream *stream, const ProfileTraceEvent *event)
{
    const ProfileTraceRegion *region = get_region (stream->writer, event->id);
    guint32 place = event->extra >> PDDT_TRACE_PLACE_SHIFT;
    const char *module, *text = NULL;
    OTF2_RegionRef found;

    if (region->paradigm != PDDT_TRACE_IN_OPENMP) {
        return event->id - 1;
    }
    if (event->kind == PDDT_TRACE_LEAVE && stream->constructs->len > 0) {
        found = g_array_index (stream->constructs, OTF2_RegionRef, stream->constructs->len - 1);
        g_array_set_size (stream->constructs, stream->constructs->len - 1);
        return found;
    }
    if (place != 0) {
        text = profile_trace_file_get_place (event->file, place, &module);
    }
    found = profile_otf2_programs_find_construct (stream->writer->programs, region->full_name,
                                                  choose_role (region), text);
    found = found != OTF2_UNDEFINED_REGION ? found : event->id - 1;
    if (event->kind == PDDT_TRACE_ENTER) {
        g_array_append_val (stream->constructs, found);
    }
    return found;
}

/* ---- events ---- */

/* NULL: it says none. */
static OTF2_AttributeList *
add_place (Stream *stream, const ProfileTraceEvent *event)
{
    OTF2_StringRef place = event->extra >> PDDT_TRACE_PLACE_SHIFT != 0
                               ? profile_otf2_values_find_place (stream->writer->values, event)
                               : G_MAXUINT32;

    if (place == G_MAXUINT32) {
        return NULL;
    }
    OTF2_AttributeList_AddStringRef (stream->attributes, PLACE_ATTRIBUTE, place);
    return stream->attributes;
}

static void
enter (Stream *stream, guint64 time, const ProfileTraceEvent *event)
{
    OTF2_AttributeList *list = add_place (stream, event);

    if (event->extra & PDDT_TRACE_OPENED) {
        list = stream->attributes;
        OTF2_AttributeList_AddUint8 (list, OPENED_ATTRIBUTE, 1);
    }
    note (stream,
          OTF2_EvtWriter_Enter (stream->out, list, time, choose_region (stream, event)));
}

/* ---- threads ---- */

static OTF2_CommRef
find_threads (const Stream *stream)
{
    return profile_otf2_messages_get_threads (stream->writer->messages, stream->native.process,
                                              stream->native.first);
}

/* Of a thread that has recorded nothing nobody needs to know. */
static void
create_thread (Stream *stream, guint64 time, guint32 number)
{
    const GPtrArray *threads = stream->native.process->threads;

    for (guint i = 0; i < threads->len; i++) {
        if (((const ProfileTraceThread *) g_ptr_array_index (threads, i))->born == number) {
            note (stream, OTF2_EvtWriter_ThreadCreate (stream->out, NULL, time,
                                                       find_threads (stream), number));
            break;
        }
    }
}

/* Before its first event, whatever its creator has recorded. Returns when. */
static guint64
begin_thread (Stream *stream, guint64 time)
{
    time = MIN (time, profile_trace_move (stream->process, stream->born_ns));
    time = MAX (time, stream->native.before);
    stream->writer->first_ns = MIN (stream->writer->first_ns, time);
    stream->comm = find_threads (stream);
    note (stream,
          OTF2_EvtWriter_ThreadBegin (stream->out, NULL, time, stream->comm, stream->born));
    stream->born = 0;
    return time;
}

static void
enter_program (Stream *stream, guint64 time)
{
    if (stream->program != OTF2_UNDEFINED_REGION && !stream->is_entered) {
        stream->native.before = MAX (time, stream->native.before);
        note (stream,
              OTF2_EvtWriter_Enter (stream->out, NULL, stream->native.before, stream->program));
        stream->is_entered = TRUE;
    }
}

static void
leave_program (Stream *stream, guint64 time)
{
    if (stream->is_entered) {
        stream->native.before = MAX (time, stream->native.before);
        note (stream,
              OTF2_EvtWriter_Leave (stream->out, NULL, stream->native.before, stream->program));
        stream->is_entered = FALSE;
    }
}

static void
end_thread (Stream *stream)
{
    if (stream->comm != G_MAXUINT32) {
        note (stream, OTF2_EvtWriter_ThreadEnd (stream->out, NULL, stream->native.before,
                                                stream->comm, OTF2_UNDEFINED_UINT64));
    }
}

/* ---- events ---- */

static void
put_memory (Stream *stream, guint64 time, const ProfileTraceEvent *event)
{
    Writer *writer = stream->writer;

    writer->has_memory = TRUE;
    stream->n_events += profile_otf2_memory_put (writer->values, writer->trace, &writer->to,
                                                 stream->out, stream->attributes, time, event,
                                                 &memory_attributes);
}

/* That of the front end. */
static guint64
move_time (Stream *stream, guint64 time_ns)
{
    guint64 time = profile_trace_move (stream->process, time_ns);

    if (stream->process->clock != NULL) {
        time = stream->moved = MAX (time, stream->moved);
    }
    stream->writer->first_ns = MIN (stream->writer->first_ns, time);
    stream->writer->last_ns = MAX (stream->writer->last_ns, time);
    return time;
}

/* Those of the process up to that time, which is an event's. */
static void
put_metrics (Stream *stream, guint64 until_ns)
{
    while (stream->metrics != NULL && stream->n_metrics < stream->metrics->len) {
        const JobMetrics *metrics = &g_array_index (stream->metrics, JobMetrics,
                                                    stream->n_metrics);
        guint64 time_ns = (guint64) MAX (metrics->time_us, 0) * 1000;

        if (time_ns > until_ns) {
            break;
        }
        stream->n_events += profile_otf2_values_put_metrics (stream->writer->values,
                                                             &stream->writer->to, stream->out,
                                                             move_time (stream, time_ns),
                                                             metrics);
        stream->n_metrics++;
    }
}

/* The record that an operation on a file has begun bears the time of the event before. */
static void
on_begun (gpointer user)
{
    Stream *stream = user;

    put_metrics (stream, stream->now_ns);
}

static const ProfileTraceImage *
get_image (const Stream *stream, guint number)
{
    return &g_array_index (stream->process->images, ProfileTraceImage, number);
}

static void
open_region (Stream *stream, OTF2_RegionRef region)
{
    OTF2_AttributeList_AddUint8 (stream->attributes, OPENED_ATTRIBUTE, 1);
    note (stream, OTF2_EvtWriter_Enter (stream->out, stream->attributes, stream->native.before,
                                        region));
}

static void
close_region (Stream *stream, OTF2_RegionRef region, guint64 time_ns)
{
    put_metrics (stream, time_ns);
    stream->native.before = MAX (move_time (stream, time_ns), stream->native.before);
    note (stream, OTF2_EvtWriter_Leave (stream->out, NULL, stream->native.before, region));
}

/* From the last event on nobody knows what it did, or it did not run. */
static void
put_unrecorded (Stream *stream, guint64 until_ns)
{
    OTF2_RegionRef region = profile_otf2_programs_find_unrecorded (stream->writer->programs);

    open_region (stream, region);
    close_region (stream, region, until_ns);
}

/* From begin_ns up to that time the loader was at work, whose calls are not counted. How long it computed is known: first
 * of all the process was held, until its host's daemon had seen it. */
static void
put_start (Stream *stream, guint64 begin_ns, guint64 until_ns)
{
    OTF2_RegionRef start = profile_otf2_programs_find_start (stream->writer->programs);
    guint64 loading_ns = get_image (stream, stream->image)->loading_ns;

    open_region (stream, start);
    if (loading_ns < until_ns - begin_ns) {
        put_unrecorded (stream, until_ns - loading_ns);
    }
    close_region (stream, start, until_ns);
}

/* The process's first thread enters its program before its next event, which is at that time. */
static void
begin_program (Stream *stream, guint64 next_ns)
{
    guint64 begin_ns = MIN (stream->begin_ns, next_ns);
    guint64 loaded_ns = MIN (get_image (stream, stream->image)->loaded_ns, next_ns);

    if (begin_ns == 0 || stream->is_entered) {
        return;
    }
    put_metrics (stream, begin_ns);
    enter_program (stream, move_time (stream, begin_ns));
    if (stream->is_entered && loaded_ns > begin_ns) {
        put_start (stream, begin_ns, loaded_ns);
    }
}

/* It has executed programs up to that one. */
static void
go_to_image (Stream *stream, guint number)
{
    while (stream->image < number) {
        guint64 left_ns = get_image (stream, stream->image)->left_ns;
        const ProfileTraceImage *next = get_image (stream, stream->image + 1);

        begin_program (stream, left_ns != 0 ? left_ns : G_MAXUINT64);
        put_metrics (stream, left_ns);
        leave_program (stream, left_ns != 0 ? move_time (stream, left_ns) : 0);
        stream->image++;
        stream->program = profile_otf2_programs_find (stream->writer->programs, next, NULL);
        stream->begin_ns = next->begin_ns > stream->from_ns ? next->begin_ns : 0;
    }
}

/* Up to that time the process was still there, but its program's code had come to its end. */
static void
put_exit (Stream *stream, guint64 end_ns)
{
    guint64 exit_ns = get_image (stream, stream->image)->exit_ns;

    if (stream->is_entered && exit_ns != 0 && exit_ns < end_ns) {
        put_metrics (stream, exit_ns);
        stream->native.before = MAX (move_time (stream, exit_ns), stream->native.before);
        put_unrecorded (stream, end_ns);
    }
}

static void
on_event (const ProfileTraceEvent *event, gpointer user)
{
    Stream *stream = user;
    guint64 time;

    stream->now_ns = event->time_ns;
    if (stream->is_first) {
        go_to_image (stream, profile_trace_file_get_image (event->file));
        begin_program (stream, event->time_ns);
    }
    if (event->kind < PDDT_TRACE_IO_READ || event->kind > PDDT_TRACE_IO_SYNC) {
        put_metrics (stream, event->time_ns);
    }
    time = move_time (stream, event->time_ns);
    enter_program (stream, stream->born != 0 ? begin_thread (stream, time) : time);
    switch (event->kind) {
    case PDDT_TRACE_THREAD_CREATE: create_thread (stream, time, event->id); break;
    case PDDT_TRACE_ENTER: enter (stream, time, event); break;
    case PDDT_TRACE_LEAVE:
        note (stream, OTF2_EvtWriter_Leave (stream->out, add_place (stream, event), time,
                                            choose_region (stream, event)));
        break;
    case PDDT_TRACE_ALLOCATED:
    case PDDT_TRACE_FREED: put_memory (stream, time, event); break;
    case PDDT_TRACE_OFF:
    case PDDT_TRACE_ON:
        note (stream, OTF2_EvtWriter_MeasurementOnOff (stream->out, NULL, time,
                                                       event->kind == PDDT_TRACE_ON
                                                           ? OTF2_MEASUREMENT_ON
                                                           : OTF2_MEASUREMENT_OFF));
        break;
    default:
        stream->n_events += profile_otf2_messages_put (stream->writer->messages,
                                                       &stream->writer->to, stream->out, time,
                                                       event);
        stream->n_events += profile_otf2_values_put (stream->writer->values,
                                                     &stream->writer->to, stream->out, time,
                                                     event);
        stream->n_events += profile_otf2_native_put (stream->writer->native, &stream->native,
                                                     time, event, OWNER_ATTRIBUTE);
        break;
    }
    stream->native.before = time;
}

/* The number of what its host's daemon has told of the process; -1: nothing. */
static int
find_in_run (const Writer *writer, const ProfileTraceProcess *process)
{
    const ProfileModel *run = writer->trace->run;

    for (guint i = 0; run != NULL && i < profile_model_get_n_ranks (run); i++) {
        const ProfileProcess *known = profile_model_get_process (run, i);

        if (known->pid == process->process.pid
            && g_strcmp0 (known->host, process->process.host) == 0) {
            return (int) i;
        }
    }
    return -1;
}

static const GArray *
find_metrics (const Writer *writer, const ProfileTraceProcess *process)
{
    int index = find_in_run (writer, process);

    return index >= 0 ? profile_samples_get_metrics (writer->trace->run, (guint) index) : NULL;
}

/* What is lost at its beginning or end does not count for the program either. */
static void
walk (Stream *stream, const ProfileTraceProcess *process, const ProfileTraceThread *thread)
{
    guint64 until_ns = thread != NULL ? thread->until_ns : G_MAXUINT64, end_ns = 0;
    guint last = process->images->len - 1;

    stream->is_first = thread == NULL || thread->number == 1;
    stream->from_ns = thread != NULL ? thread->from_ns : 0;
    if (stream->is_first && stream->from_ns == 0) {
        stream->begin_ns = profile_otf2_program_get_begin (process, stream->metrics);
    }
    if (thread != NULL && !profile_trace_walk (thread, on_event, stream)) {
        profile_trace_note_damage (stream->writer->trace, process, FALSE);
    }
    if (stream->is_first) {
        while (stream->image < last
               && get_image (stream, stream->image + 1)->begin_ns < until_ns) {
            go_to_image (stream, stream->image + 1);
        }
        end_ns = stream->image == last ? profile_otf2_program_get_end (process, stream->metrics)
                                       : get_image (stream, stream->image)->left_ns;
        end_ns = MIN (end_ns, until_ns);
        begin_program (stream, G_MAXUINT64);
        put_exit (stream, end_ns);
    }
    put_metrics (stream, end_ns);
    leave_program (stream, end_ns > 0 ? move_time (stream, end_ns) : 0);
    end_thread (stream);
}

/* The first thread of a forked process was another one before, which its parent has made. */
static gboolean
has_birth (const ProfileTraceThread *thread)
{
    return thread != NULL && thread->number != 1 && thread->from_ns == 0;
}

/* first: the location of the process's first thread */
static void
write_thread (Writer *writer, const ProfileTraceProcess *process,
              const ProfileTraceThread *thread, OTF2_LocationRef first)
{
    Stream stream = { .writer = writer,
                      .process = process,
                      .born = has_birth (thread) ? thread->born : 0,
                      .born_ns = thread != NULL ? thread->born_ns : 0,
                      .comm = G_MAXUINT32 };

    stream.out = OTF2_Archive_GetEvtWriter (writer->to.archive, writer->n_events->len);
    if (stream.out == NULL) {
        profile_otf2_note (&writer->to, OTF2_ERROR_PROCESSED_WITH_FAULTS);
        return;
    }
    profile_otf2_messages_begin_location (writer->messages);
    stream.attributes = OTF2_AttributeList_New ();
    stream.constructs = g_array_new (FALSE, FALSE, sizeof (OTF2_RegionRef));
    stream.native = (ProfileOtf2NativeStream){
        &writer->to, stream.out, stream.attributes, process, first, 0, 0
    };
    stream.native.between = on_begun;
    stream.native.user = &stream;
    stream.program
        = profile_otf2_programs_find (writer->programs,
                                      get_image (&stream,
                                                 thread != NULL && thread->number != 1
                                                     ? profile_trace_thread_get_image (thread)
                                                     : 0),
                                      thread);
    if (first == writer->n_events->len) {
        stream.metrics = find_metrics (writer, process);
    }
    walk (&stream, process, thread);
    put_metrics (&stream, G_MAXUINT64);
    OTF2_AttributeList_Delete (stream.attributes);
    g_array_unref (stream.constructs);
    g_array_append_val (writer->n_events, stream.n_events);
    profile_otf2_note (&writer->to,
                       OTF2_Archive_CloseEvtWriter (writer->to.archive, stream.out));
}

/* A process has a location, even where it has recorded nothing. */
static guint
count_locations (const ProfileTraceProcess *process)
{
    return MAX (process->threads->len, 1);
}

static guint
count_all_locations (const ProfileTrace *trace)
{
    return BASE_SUM (guint, i, trace->processes->len,
                     count_locations (g_ptr_array_index (trace->processes, i)));
}

static const ProfileTraceThread *
get_thread (const ProfileTraceProcess *process, guint index)
{
    return index < process->threads->len ? g_ptr_array_index (process->threads, index) : NULL;
}

static void
write_events (Writer *writer)
{
    for (guint i = 0; i < writer->trace->processes->len; i++) {
        const ProfileTraceProcess *process = g_ptr_array_index (writer->trace->processes, i);
        OTF2_LocationRef first = writer->n_events->len;

        for (guint j = 0; j < count_locations (process) && writer->to.code == OTF2_SUCCESS;
             j++) {
            write_thread (writer, process, get_thread (process, j), first);
        }
        if (writer->to.code != OTF2_SUCCESS && writer->culprit < 0) {
            writer->culprit = (gint) i;
        }
    }
    profile_otf2_close_locals (&writer->to, writer->n_events->len, NULL, NULL);
}

/* ---- definitions ---- */

/* When the process has lost the first event for which there was no room; 0: it has lost none, or that is not known. */
static guint64
find_first_loss (const ProfileTraceProcess *process)
{
    guint64 first_ns = 0;

    for (guint i = 0; i < process->files->len; i++) {
        const struct pddt_trace_header *header
            = profile_trace_file_get_header (g_ptr_array_index (process->files, i));

        if (header->keep == PDDT_TRACE_KEEP_ALL && header->full.time_ns != 0
            && (first_ns == 0 || header->full.time_ns < first_ns)) {
            first_ns = header->full.time_ns;
        }
    }
    return first_ns != 0 ? profile_trace_move (process, first_ns) : 0;
}

static void
put_processes (Writer *writer)
{
    g_autoptr (GArray) leaders = g_array_new (FALSE, FALSE, sizeof (guint64));
    OTF2_LocationRef location = 0;

    for (guint i = 0; i < writer->trace->processes->len; i++) {
        const ProfileTraceProcess *process = g_ptr_array_index (writer->trace->processes, i);

        ProfileProcess known = process->process;
        int index = find_in_run (writer, process);

        known.ending
            = index >= 0 ? profile_model_get_process (writer->trace->run, (guint) index)->ending
                         : NULL;
        profile_otf2_put_process (&writer->to, i, process->rank, &known, process->n_lost,
                                  process->n_lost > 0 ? process->keep : 0);
        if (process->n_lost > 0 && find_first_loss (process) > 0) {
            profile_otf2_put_whole (&writer->to, i, find_first_loss (process));
        }
        if (process->process.parent == 0) {
            g_array_append_val (leaders, location);
        }
        for (guint j = 0; j < count_locations (process); j++) {
            const ProfileTraceThread *thread = get_thread (process, j);

            profile_otf2_put_thread (&writer->to, location, thread != NULL ? thread->number : 1,
                                     thread != NULL ? thread->tid : process->process.pid,
                                     g_array_index (writer->n_events, guint64, location), i,
                                     thread != NULL ? thread->n_lost : 0);
            location++;
        }
    }
    if (profile_otf2_messages_has_world (writer->messages)) {
        profile_otf2_put_world (&writer->to, leaders);
    }
    profile_otf2_messages_define (writer->messages, &writer->to, leaders);
    profile_otf2_values_define (writer->values, &writer->to);
    profile_otf2_native_define (writer->native, &writer->to,
                                profile_otf2_messages_has_threads (writer->messages));
}

static OTF2_Paradigm
choose_paradigm (guint32 paradigm)
{
    switch (paradigm) {
    case PDDT_TRACE_IN_MPI: return OTF2_PARADIGM_MPI;
    case PDDT_TRACE_IN_OPENMP: return OTF2_PARADIGM_OPENMP;
    case PDDT_TRACE_IN_PTHREAD: return OTF2_PARADIGM_PTHREAD;
    case PDDT_TRACE_IN_PYTHON: return OTF2_PARADIGM_COMPILER;
    default: return OTF2_PARADIGM_USER;
    }
}

static void
put_region (Writer *writer, guint32 number)
{
    const ProfileTraceRegion *region = get_region (writer, number);
    OTF2_StringRef name = profile_otf2_put_string (&writer->to, region->full_name);
    OTF2_StringRef canonical = profile_otf2_put_string (&writer->to, region->name);
    OTF2_StringRef about
        = profile_otf2_put_string (&writer->to,
                                   region->paradigm == PDDT_TRACE_IN_PYTHON
                                       ? job_language_get_name (JOB_LANGUAGE_PYTHON)
                                       : "");
    OTF2_StringRef file = *region->file != '\0'
                              ? profile_otf2_put_string (&writer->to, region->file)
                              : OTF2_UNDEFINED_STRING;

    profile_otf2_note (&writer->to,
                       OTF2_GlobalDefWriter_WriteRegion (writer->to.out, number - 1, name,
                                                         canonical, about, choose_role (region),
                                                         choose_paradigm (region->paradigm),
                                                         OTF2_REGION_FLAG_NONE, file,
                                                         region->line != 0
                                                             ? region->line
                                                             : OTF2_UNDEFINED_UINT32,
                                                         OTF2_UNDEFINED_UINT32));
}

static void
write_definitions (Writer *writer)
{
    OTF2_StringRef name, about;

    if (!profile_otf2_begin_definitions (&writer->to, &writer->trace->info,
                                         MIN (writer->first_ns, writer->last_ns),
                                         writer->last_ns)) {
        return;
    }
    name = profile_otf2_put_string (&writer->to, PROFILE_OTF2_OPENED);
    about = profile_otf2_put_string (&writer->to,
                                     "the call was under way when recording began");
    profile_otf2_note (&writer->to,
                       OTF2_GlobalDefWriter_WriteAttribute (writer->to.out, OPENED_ATTRIBUTE,
                                                            name, about, OTF2_TYPE_UINT8));
    name = profile_otf2_put_string (&writer->to, PROFILE_OTF2_PLACE);
    about = profile_otf2_put_string (&writer->to, "where the call stands in its caller");
    profile_otf2_note (&writer->to,
                       OTF2_GlobalDefWriter_WriteAttribute (writer->to.out, PLACE_ATTRIBUTE,
                                                            name, about, OTF2_TYPE_STRING));
    name = profile_otf2_put_string (&writer->to, PROFILE_OTF2_OWNER);
    about = profile_otf2_put_string (&writer->to, "the thread that had the lock");
    profile_otf2_note (&writer->to,
                       OTF2_GlobalDefWriter_WriteAttribute (writer->to.out, OWNER_ATTRIBUTE,
                                                            name, about, OTF2_TYPE_LOCATION));
    name = profile_otf2_put_string (&writer->to, PROFILE_OTF2_NUMBER);
    about = profile_otf2_put_string (
        &writer->to, "how many collective operations the member has begun there, with "
                     "those that are not recorded");
    profile_otf2_note (&writer->to,
                       OTF2_GlobalDefWriter_WriteAttribute (writer->to.out, NUMBER_ATTRIBUTE,
                                                            name, about, OTF2_TYPE_UINT64));
    if (writer->has_memory) {
        profile_otf2_memory_define (&writer->to, &memory_attributes);
    }
    put_processes (writer);
    for (guint32 i = 1; i < writer->trace->regions->len && writer->to.code == OTF2_SUCCESS;
         i++) {
        put_region (writer, i);
    }
    profile_otf2_programs_define (writer->programs, &writer->to);
}

static void
write_all (gpointer user)
{
    Writer *writer = user;

    if (writer->trace->is_sampled) {
        profile_otf2_note (&writer->to,
                           OTF2_Archive_SetProperty (writer->to.archive, PROFILE_OTF2_SAMPLED,
                                                     "1", true));
    }
    write_events (writer);
    if (writer->to.code == OTF2_SUCCESS) {
        write_definitions (writer);
    }
}

gboolean
profile_otf2_write_trace (const ProfileTrace *trace, const char *folder, gint *ret_culprit,
                          GError **error)
{
    Writer writer = { .trace = trace, .first_ns = G_MAXUINT64, .culprit = -1 };
    gboolean is_done;

    writer.n_events = g_array_new (FALSE, FALSE, sizeof (guint64));
    writer.messages = profile_otf2_messages_new (trace, NUMBER_ATTRIBUTE);
    writer.programs = profile_otf2_programs_new (trace->regions->len - 1);
    writer.values = profile_otf2_values_new ();
    writer.native = profile_otf2_native_new ();
    is_done = profile_otf2_put_archive (&writer.to, folder, &trace->info,
                                        count_all_locations (trace), write_all, &writer, error);
    *ret_culprit = profile_otf2_is_full (&writer.to) ? -1 : writer.culprit;
    profile_otf2_messages_free (writer.messages);
    profile_otf2_values_free (writer.values);
    profile_otf2_native_free (writer.native);
    profile_otf2_programs_free (writer.programs);
    g_array_unref (writer.n_events);
    return is_done;
}
