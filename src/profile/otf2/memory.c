/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks may be freed by another thread than the one that has allocated them, so a process's events are put into the order
 * of their times before they are matched. */
#include "profile/otf2/memory.h"
#include "base/array.h"
#include <string.h>

#define KEY(id) GUINT_TO_POINTER ((guint) (id))
#define MOST_SITES 1000u
#define MOST_CALLERS 3u /* that are told of a site */

/* ---- writing ---- */

/* Libraries that allocate for whoever calls them, and the interpreter, whose frames say less than those of Python. */
static gboolean
is_runtime (const char *module)
{
    static const char *const names[] = { "libc.so",     "ld-linux",     "libstdc++.so",
                                         "libc++.so",   "libc++abi.so", "libgfortran.so",
                                         "libgcc_s.so", "libpython",    "python3" };
    g_autofree char *name = g_path_get_basename (module);

    return BASE_ANY (i, G_N_ELEMENTS (names), g_str_has_prefix (name, names[i]));
}

/* The first frame to tell: one with a line, in one of the program's own files if there is any, else one that is not the
 * runtime's. */
static guint
choose_first (const ProfileTraceEvent *event, const guint32 *ids, guint n)
{
    guint first = n, first_line = n;

    for (guint i = 0; i < n; i++) {
        const char *module, *text = profile_trace_file_get_place (event->file, ids[i], &module);

        if (text == NULL || is_runtime (module)) {
            continue;
        }
        if (strchr (text, ':') != NULL && !g_str_has_prefix (text, "/usr/")) {
            return i;
        }
        first_line = strchr (text, ':') != NULL ? MIN (first_line, i) : first_line;
        first = MIN (first, i);
    }
    first = first_line < n ? first_line : first;
    return first < n ? first : 0;
}

/* What has called main, or the thread's function, tells nothing. */
static gboolean
is_outside (const ProfileTraceEvent *event, guint32 id)
{
    const char *module, *text = profile_trace_file_get_place (event->file, id, &module);

    return text == NULL || is_runtime (module) || g_str_has_suffix (text, " (_start)");
}

/* NULL: Python has allocated it. Caller owns. */
static char *
dup_stack (const ProfileTraceEvent *event)
{
    guint32 ids[PDDT_TRACE_MAX_MORE * 4];
    guint n = event->n_more > 1 ? (event->n_more - 1) * 4 : 0;
    g_autoptr (GString) text = g_string_new (NULL);
    guint first;

    if (n == 0) {
        return NULL;
    }
    memcpy (ids, (const char *) event->payload + sizeof (struct pddt_trace_memory),
            n * sizeof *ids);
    while (n > 0 && ids[n - 1] == 0) {
        n--;
    }
    first = choose_first (event, ids, n);
    while (n > first + 1 && is_outside (event, ids[n - 1])) {
        n--;
    }
    for (guint i = first; i < n; i++) {
        const char *module,
            *place = profile_trace_file_get_place (event->file, ids[i], &module);

        g_string_append_printf (text, "%s%s", text->len > 0 ? PROFILE_OTF2_CALLER : "",
                                place != NULL ? place : "?");
    }
    return g_string_free (g_steal_pointer (&text), FALSE);
}

guint
profile_otf2_memory_put (ProfileOtf2Values *values, const ProfileTrace *trace,
                         ProfileOtf2Out *to, OTF2_EvtWriter *out, OTF2_AttributeList *list,
                         guint64 time, const ProfileTraceEvent *event,
                         const ProfileOtf2MemoryAttributes *attributes)
{
    const OTF2_Type type = OTF2_TYPE_UINT64;
    gboolean is_allocated = event->kind == PDDT_TRACE_ALLOCATED;
    guint32 number = is_allocated && event->id != 0
                         ? profile_trace_file_get_region (event->file, event->id)
                         : 0;
    g_autofree char *stack = NULL;
    struct pddt_trace_memory memory;
    OTF2_MetricValue value;
    OTF2_MetricRef metric;

    if ((!is_allocated && event->kind != PDDT_TRACE_FREED) || event->n_more < 1) {
        return 0;
    }
    memcpy (&memory, event->payload, sizeof memory);
    OTF2_AttributeList_AddUint64 (list, attributes->address, memory.address);
    if (number != 0) {
        const ProfileTraceRegion *region = &g_array_index (trace->regions, ProfileTraceRegion,
                                                           number);
        g_autofree char *place = g_strdup_printf ("%s:%u", region->file,
                                                  event->extra != 0 ? event->extra
                                                                    : region->line);

        OTF2_AttributeList_AddRegionRef (list, attributes->region, number - 1);
        OTF2_AttributeList_AddStringRef (list, attributes->place,
                                         profile_otf2_values_add_text (values, place));
    }
    stack = is_allocated ? dup_stack (event) : NULL;
    if (stack != NULL) {
        OTF2_AttributeList_AddStringRef (list, attributes->stack,
                                         profile_otf2_values_add_text (values, stack));
    }
    value.unsigned_int = memory.bytes;
    metric = profile_otf2_values_add_metric (values,
                                             is_allocated ? PROFILE_OTF2_ALLOCATED
                                                          : PROFILE_OTF2_FREED,
                                             "bytes");
    profile_otf2_note (to, OTF2_EvtWriter_Metric (out, list, time, metric, 1, &type, &value));
    return 1;
}

static void
define_attribute (ProfileOtf2Out *to, OTF2_AttributeRef number, const char *name,
                  const char *about, OTF2_Type type)
{
    OTF2_StringRef name_ref = profile_otf2_put_string (to, name),
                   about_ref = profile_otf2_put_string (to, about);

    profile_otf2_note (to, OTF2_GlobalDefWriter_WriteAttribute (to->out, number, name_ref,
                                                                about_ref, type));
}

void
profile_otf2_memory_define (ProfileOtf2Out *to, const ProfileOtf2MemoryAttributes *attributes)
{
    define_attribute (to, attributes->address, PROFILE_OTF2_ADDRESS, "of a block of memory",
                      OTF2_TYPE_UINT64);
    define_attribute (to, attributes->region, PROFILE_OTF2_REGION,
                      "the function that has allocated it", OTF2_TYPE_REGION);
    define_attribute (to, attributes->stack, PROFILE_OTF2_STACK,
                      "the native code that has allocated it, and its callers",
                      OTF2_TYPE_STRING);
}

/* ---- reading ---- */

typedef struct {
    guint64 time, address, bytes;
    gboolean is_allocated;
    OTF2_RegionRef region; /* G_MAXUINT32: not known */
    guint32 place, stack;  /* strings; G_MAXUINT32: not known, Python's */
} Event;

/* The events of one process. */
typedef struct {
    guint32 rank;
    GArray *events;
    guint64 first, last; /* the whole time of its threads */
    guint64 longest,
        end; /* of the Python code that its first thread has been in, from its Enter to its Leave, and that Leave */
} Process;

typedef struct {
    const ProfileOtf2Definitions *definitions;
    GHashTable *members; /* id to 1: allocated, 2: freed */
    GHashTable *metrics; /* id to the same */
    ProfileOtf2MemoryAttributes attributes;
    GHashTable *processes; /* location group to Process */
} Pass;

typedef struct {
    Pass *pass;
    Process *process;
    gboolean is_first; /* thread of its process */
    guint depth;
    guint64 entered;    /* the outermost region … */
    gboolean is_python; /* … which is Python code */
} Stream;

static OTF2_CallbackCode
on_member (void *user, OTF2_MetricMemberRef self, OTF2_StringRef name, OTF2_StringRef about,
           OTF2_MetricType type, OTF2_MetricMode mode, OTF2_Type value_type, OTF2_Base base,
           int64_t exponent, OTF2_StringRef unit)
{
    Pass *pass = user;
    const char *text = g_hash_table_lookup (pass->definitions->strings, KEY (name));
    guint kind = g_strcmp0 (text, PROFILE_OTF2_ALLOCATED) == 0 ? 1
                 : g_strcmp0 (text, PROFILE_OTF2_FREED) == 0   ? 2
                                                               : 0;

    if (kind != 0 && value_type == OTF2_TYPE_UINT64) {
        g_hash_table_insert (pass->members, KEY (self), KEY (kind));
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_class (void *user, OTF2_MetricRef self, uint8_t n, const OTF2_MetricMemberRef *members,
          OTF2_MetricOccurrence occurrence, OTF2_RecorderKind kind)
{
    Pass *pass = user;
    gpointer known = n == 1 ? g_hash_table_lookup (pass->members, KEY (members[0])) : NULL;

    if (known != NULL) {
        g_hash_table_insert (pass->metrics, KEY (self), known);
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_attribute (void *user, OTF2_AttributeRef self, OTF2_StringRef name, OTF2_StringRef about,
              OTF2_Type type)
{
    Pass *pass = user;
    const char *text = g_hash_table_lookup (pass->definitions->strings, KEY (name));

    if (type == OTF2_TYPE_UINT64 && g_strcmp0 (text, PROFILE_OTF2_ADDRESS) == 0) {
        pass->attributes.address = self;
    } else if (type == OTF2_TYPE_REGION && g_strcmp0 (text, PROFILE_OTF2_REGION) == 0) {
        pass->attributes.region = self;
    } else if (type == OTF2_TYPE_STRING && g_strcmp0 (text, PROFILE_OTF2_PLACE) == 0) {
        pass->attributes.place = self;
    } else if (type == OTF2_TYPE_STRING && g_strcmp0 (text, PROFILE_OTF2_STACK) == 0) {
        pass->attributes.stack = self;
    }
    return OTF2_CALLBACK_SUCCESS;
}

static void
read_definitions (Pass *pass, OTF2_Reader *reader)
{
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New ();

    OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback (callbacks, on_member);
    OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback (callbacks, on_class);
    OTF2_GlobalDefReaderCallbacks_SetAttributeCallback (callbacks, on_attribute);
    profile_otf2_read_global (reader, callbacks, pass, NULL);
}

static void
note_time (Stream *stream, guint64 time)
{
    stream->process->first = MIN (stream->process->first, time);
    stream->process->last = MAX (stream->process->last, time);
}

static OTF2_CallbackCode
on_enter (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
          OTF2_AttributeList *list, OTF2_RegionRef region)
{
    Stream *stream = user;

    note_time (stream, time);
    if (stream->depth++ == 0) {
        const ProfileOtf2Region *known
            = g_hash_table_lookup (stream->pass->definitions->regions, KEY (region));

        stream->entered = time;
        stream->is_python = known != NULL && known->language == JOB_LANGUAGE_PYTHON;
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_leave (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
          OTF2_AttributeList *list, OTF2_RegionRef region)
{
    Stream *stream = user;

    note_time (stream, time);
    stream->depth -= stream->depth > 0;
    if (stream->depth == 0 && stream->is_first && stream->is_python
        && time - stream->entered > stream->process->longest) {
        stream->process->longest = time - stream->entered;
        stream->process->end = time;
    }
    return OTF2_CALLBACK_SUCCESS;
}

static gboolean
read_attribute (OTF2_AttributeList *list, OTF2_AttributeRef attribute, OTF2_Type wanted,
                OTF2_AttributeValue *value)
{
    OTF2_Type type;

    return attribute != G_MAXUINT32 && OTF2_AttributeList_TestAttributeByID (list, attribute)
           && OTF2_AttributeList_GetAttributeByID (list, attribute, &type, value)
                  == OTF2_SUCCESS
           && type == wanted;
}

static OTF2_CallbackCode
on_metric (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
           OTF2_AttributeList *list, OTF2_MetricRef id, uint8_t n, const OTF2_Type *types,
           const OTF2_MetricValue *values)
{
    Stream *stream = user;
    const ProfileOtf2MemoryAttributes *attributes = &stream->pass->attributes;
    guint kind = GPOINTER_TO_UINT (g_hash_table_lookup (stream->pass->metrics, KEY (id)));
    Event event = { .time = time, .is_allocated = kind == 1 };
    OTF2_AttributeValue value;

    note_time (stream, time);
    event.region = event.place = event.stack = G_MAXUINT32;
    if (kind == 0 || n != 1 || types[0] != OTF2_TYPE_UINT64
        || !read_attribute (list, attributes->address, OTF2_TYPE_UINT64, &value)) {
        return OTF2_CALLBACK_SUCCESS;
    }
    event.address = value.uint64;
    event.bytes = values[0].unsigned_int;
    if (read_attribute (list, attributes->region, OTF2_TYPE_REGION, &value)) {
        event.region = value.regionRef;
    }
    if (read_attribute (list, attributes->place, OTF2_TYPE_STRING, &value)) {
        event.place = value.stringRef;
    }
    if (read_attribute (list, attributes->stack, OTF2_TYPE_STRING, &value)) {
        event.stack = value.stringRef;
    }
    g_array_append_val (stream->process->events, event);
    return OTF2_CALLBACK_SUCCESS;
}

/* ---- processes ---- */

static void
free_process (gpointer data)
{
    g_array_unref (((Process *) data)->events);
    g_free (data);
}

/* As read.c numbers them. */
static void
number_processes (Pass *pass)
{
    guint32 next = 0;

    for (guint i = 0; i < pass->definitions->group_list->len; i++) {
        const ProfileOtf2Group *group = g_ptr_array_index (pass->definitions->group_list, i);
        Process *process;

        if (!group->is_process) {
            continue;
        }
        process = g_new0 (Process, 1);
        process->rank = group->rank != G_MAXUINT32 ? group->rank : next;
        process->events = g_array_new (FALSE, FALSE, sizeof (Event));
        process->first = G_MAXUINT64;
        next = process->rank + 1;
        g_hash_table_insert (pass->processes, KEY (group->self), process);
    }
}

static void
read_location (Pass *pass, OTF2_Reader *reader, const ProfileOtf2Location *location,
               GHashTable *seen)
{
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader (reader, location->self);
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New ();
    Stream stream = { .pass = pass,
                      .process = g_hash_table_lookup (pass->processes, KEY (location->group)) };

    stream.is_first = stream.process != NULL && g_hash_table_add (seen, stream.process);
    OTF2_EvtReaderCallbacks_SetEnterCallback (callbacks, on_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback (callbacks, on_leave);
    OTF2_EvtReaderCallbacks_SetMetricCallback (callbacks, on_metric);
    if (events != NULL && stream.process != NULL) {
        OTF2_Reader_RegisterEvtCallbacks (reader, events, callbacks, &stream);
        profile_otf2_read_all (reader, events, location);
    }
    if (events != NULL) {
        OTF2_Reader_CloseEvtReader (reader, events);
    }
    OTF2_EvtReaderCallbacks_Delete (callbacks);
}

static void
read_events (Pass *pass, OTF2_Reader *reader)
{
    const GArray *locations = pass->definitions->locations;
    g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

    for (guint i = 0; i < locations->len; i++) {
        OTF2_Reader_SelectLocation (reader,
                                    g_array_index (locations, ProfileOtf2Location, i).self);
    }
    profile_otf2_read_locals (reader, pass->definitions);
    if (OTF2_Reader_OpenEvtFiles (reader) != OTF2_SUCCESS) {
        return;
    }
    for (guint i = 0; i < locations->len; i++) {
        read_location (pass, reader, &g_array_index (locations, ProfileOtf2Location, i), seen);
    }
    OTF2_Reader_CloseEvtFiles (reader);
}

/* ---- sums ---- */

typedef struct {
    ProfileAllocation sum; /* texts are its own */
    GHashTable *callers;   /* the callers of native code, to bytes (guint64) */
} Site;

typedef struct {
    GHashTable *sites; /* place and code to Site */
    GHashTable *live;  /* address to Event */
    const Pass *pass;
    const Process *process;
} Sums;

BASE_FREE (free_site, Site, site, g_free (site->sum.place); g_free (site->sum.code);
           g_free (site->sum.callers); g_hash_table_unref (site->callers))

/* "solve at app.c:12" of each place; the first MOST_CALLERS + 1 of them. Caller owns. */
static char **
split_stack (const Sums *sums, const char *text)
{
    char **places = g_strsplit (text, PROFILE_OTF2_CALLER, MOST_CALLERS + 2);

    for (guint i = 0; places[i] != NULL; i++) {
        char *place = profile_otf2_dup_code (sums->pass->definitions, places[i]);

        g_free (places[i]);
        places[i] = place;
    }
    if (g_strv_length (places) == MOST_CALLERS + 2) {
        g_free (places[MOST_CALLERS + 1]);
        places[MOST_CALLERS + 1] = g_strdup ("…");
    }
    return places;
}

static void
note_callers (Site *site, char **places, guint64 bytes)
{
    char *text = g_strjoinv (PROFILE_OTF2_CALLER, *places != NULL ? places + 1 : places);
    guint64 *known = g_hash_table_lookup (site->callers, text);

    if (known != NULL) {
        *known += bytes;
        g_free (text);
    } else {
        g_hash_table_insert (site->callers, text, g_memdup2 (&bytes, sizeof bytes));
    }
}

/* bytes: that it counts for now; of the site's callers those that have asked for most are told. */
static Site *
find_site (Sums *sums, const Event *event, guint64 bytes)
{
    const ProfileOtf2Definitions *definitions = sums->pass->definitions;
    const char *stack = event->stack != G_MAXUINT32
                            ? g_hash_table_lookup (definitions->strings, KEY (event->stack))
                            : NULL;
    g_auto (GStrv) places = stack != NULL ? split_stack (sums, stack) : NULL;
    g_autofree char *place = profile_otf2_dup_place (definitions, event->region, event->place);
    const char *code = places == NULL ? NULL : *places != NULL ? *places : "";
    g_autofree char *key = g_strdup_printf ("%s\n%s%s", place, code != NULL ? "native " : "",
                                            code != NULL ? code : "");
    Site *site = g_hash_table_lookup (sums->sites, key);

    if (site == NULL) {
        site = g_new0 (Site, 1);
        site->sum.rank = sums->process->rank;
        site->sum.place = g_strdup (place);
        site->sum.code = g_strdup (code);
        site->callers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
        g_hash_table_insert (sums->sites, g_steal_pointer (&key), site);
    }
    if (places != NULL && bytes > 0) {
        note_callers (site, places, bytes);
    }
    return site;
}

static void
choose_callers (Site *site)
{
    gpointer text, bytes;
    guint64 most = 0;

    BASE_WALK (site->callers, &text, &bytes) {
        if (*(const guint64 *) bytes > most) {
            most = *(const guint64 *) bytes;
            g_free (site->sum.callers);
            site->sum.callers = g_strdup (text);
        }
    }
}

/* What is live now is held at that moment. */
static void
note_moment (Sums *sums, gboolean is_end)
{
    gpointer value;

    BASE_WALK (sums->live, NULL, &value) {
        Site *site = find_site (sums, value, 0);

        *(is_end ? &site->sum.held_end : &site->sum.held_middle)
            += ((const Event *) value)->bytes;
    }
}

static gint
compare_times (gconstpointer a, gconstpointer b)
{
    const Event *left = a, *right = b;

    if (left->time != right->time) {
        return left->time < right->time ? -1 : 1;
    }
    return left->is_allocated
           - right->is_allocated; /* an address is freed before it is used again */
}

BASE_ORDER_POINTERS (compare_sites, ProfileAllocation,
                     BASE_BY_DOWN (held_end) ?: BASE_BY_DOWN (allocated)
                         ?: strcmp (left->place, right->place)
                         ?: g_strcmp0 (left->code, right->code))

static void
put_sites (Sums *sums, ProfileSpool *to)
{
    g_autoptr (GPtrArray) list = g_ptr_array_new ();
    gpointer value;

    BASE_WALK (sums->sites, NULL, &value) {
        choose_callers (value);
        g_ptr_array_add (list, &((Site *) value)->sum);
    }
    g_ptr_array_sort (list, compare_sites);
    for (guint i = 0; i < MIN (list->len, MOST_SITES); i++) {
        profile_spool_put_allocation (to, g_ptr_array_index (list, i));
    }
}

/* The interpreter frees nearly everything when it ends: what is held at the end is held when the program's own code ends,
 * which is what the first thread has been in for the longest time. */
static void
sum_process (const Pass *pass, Process *process, ProfileSpool *to)
{
    Sums sums = { g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_site),
                  g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, NULL), pass,
                  process };
    guint64 end = process->end > 0 ? process->end : process->last;
    guint64 middle = process->first + (end - MIN (process->first, end)) / 2;
    gboolean has_middle = FALSE, has_end = FALSE;

    g_array_sort (process->events, compare_times);
    for (guint i = 0; i <= process->events->len; i++) {
        const Event *event = i < process->events->len
                                 ? &g_array_index (process->events, Event, i)
                                 : NULL;

        if (!has_middle && (event == NULL || event->time > middle)) {
            note_moment (&sums, FALSE);
            has_middle = TRUE;
        }
        if (!has_end && (event == NULL || event->time > end)) {
            note_moment (&sums, TRUE);
            has_end = TRUE;
        }
        if (event != NULL && event->is_allocated) {
            Site *site = find_site (&sums, event, event->bytes);

            site->sum.n_samples++;
            site->sum.allocated += event->bytes;
            g_hash_table_insert (sums.live, (gpointer) &event->address, (gpointer) event);
        } else if (event != NULL) {
            g_hash_table_remove (sums.live, &event->address);
        }
    }
    put_sites (&sums, to);
    g_hash_table_unref (sums.live);
    g_hash_table_unref (sums.sites);
}

void
profile_otf2_memory_read (const char *anchor, const ProfileOtf2Definitions *definitions,
                          ProfileSpool *to)
{
    OTF2_Reader *reader = definitions->has_memory ? profile_otf2_open_reader (anchor, NULL)
                                                  : NULL;
    Pass pass = { .definitions = definitions,
                  .attributes = { G_MAXUINT32, G_MAXUINT32, G_MAXUINT32, G_MAXUINT32 } };
    gpointer value;

    if (reader == NULL) {
        return;
    }
    pass.members = g_hash_table_new (NULL, NULL);
    pass.metrics = g_hash_table_new (NULL, NULL);
    pass.processes = g_hash_table_new_full (NULL, NULL, NULL, free_process);
    read_definitions (&pass, reader);
    if (g_hash_table_size (pass.metrics) > 0) {
        number_processes (&pass);
        read_events (&pass, reader);
    }
    OTF2_Reader_Close (reader);
    BASE_WALK (pass.processes, NULL, &value) {
        sum_process (&pass, value, to);
    }
    g_hash_table_unref (pass.members);
    g_hash_table_unref (pass.metrics);
    g_hash_table_unref (pass.processes);
}
