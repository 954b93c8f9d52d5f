/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One pass over the events collects operations on files and waits for locks; a second one, over the threads that had a
 * lock, looks up where they were then. */
#include "profile/otf2/native.h"
#include "profile/native.h"
#include "base/array.h"
#include <string.h>

#define KEY(id) GUINT_TO_POINTER ((guint) (id))
#define MOST_FILES 1000u
#define MOST_WAITS 1000u

/* A thread has waited for a lock. Times are in ticks. */
typedef struct {
    guint location, owner; /* indices of locations; owner: G_MAXUINT: not known */
    OTF2_RegionRef call, caller, owner_region; /* G_MAXUINT32: none */
    guint32 place, owner_place;                /* string of the archive; G_MAXUINT32: none */
    guint64 begin, end;
} Wait;

typedef struct {
    OTF2_RegionRef region;
    guint64 enter;
    guint32 place;
    guint wait; /* number + 1 of the wait in it; 0: none */
} Open;

typedef struct _ProfileOtf2Uses {
    const ProfileOtf2Definitions *definitions;
    GHashTable *handles; /* id to file + 1 */
    GHashTable *files;   /* id to text */
    OTF2_AttributeRef place, owner;
    GHashTable *uses; /* "RANK PATH" to ProfileFileUse */
    GArray *waits;    /* of Wait */
} Pass;

typedef struct {
    Pass *pass;
    guint location;
    GArray *stack;      /* of Open */
    GHashTable *begun;  /* operation's id to when it began */
    GPtrArray *queries; /* second pass: of Wait, by their begin; NULL: the first one */
    guint next;         /* of them */
} Stream;

static Stream *
get_stream (void *streams)
{
    return ((const ProfileOtf2Streams *) streams)->native;
}

/* ---- definitions ---- */

static OTF2_CallbackCode
on_file (void *user, OTF2_IoFileRef self, OTF2_StringRef name, OTF2_SystemTreeNodeRef scope)
{
    Pass *pass = user;

    g_hash_table_insert (pass->files, KEY (self),
                         g_hash_table_lookup (pass->definitions->strings, KEY (name)));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_handle (void *user, OTF2_IoHandleRef self, OTF2_StringRef name, OTF2_IoFileRef file,
           OTF2_IoParadigmRef paradigm, OTF2_IoHandleFlag flags, OTF2_CommRef comm,
           OTF2_IoHandleRef parent)
{
    Pass *pass = user;

    g_hash_table_insert (pass->handles, KEY (self), KEY (file + 1));
    if (parent
        != OTF2_UNDEFINED_IO_HANDLE) { /* MPI's, or a stream's: it works through this one */
        g_hash_table_remove (pass->handles, KEY (parent));
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_attribute (void *user, OTF2_AttributeRef self, OTF2_StringRef name, OTF2_StringRef about,
              OTF2_Type type)
{
    Pass *pass = user;
    const char *text = g_hash_table_lookup (pass->definitions->strings, KEY (name));

    if (type == OTF2_TYPE_STRING && g_strcmp0 (text, PROFILE_OTF2_PLACE) == 0) {
        pass->place = self;
    } else if (type == OTF2_TYPE_LOCATION && g_strcmp0 (text, PROFILE_OTF2_OWNER) == 0) {
        pass->owner = self;
    }
    return OTF2_CALLBACK_SUCCESS;
}

static void
read_definitions (Pass *pass, OTF2_Reader *reader)
{
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New ();

    OTF2_GlobalDefReaderCallbacks_SetIoRegularFileCallback (callbacks, on_file);
    OTF2_GlobalDefReaderCallbacks_SetIoHandleCallback (callbacks, on_handle);
    OTF2_GlobalDefReaderCallbacks_SetAttributeCallback (callbacks, on_attribute);
    profile_otf2_read_global (reader, callbacks, pass, NULL);
}

/* ---- files ---- */

static const ProfileOtf2Group *
get_group (const Pass *pass, guint location)
{
    const ProfileOtf2Location *found = &g_array_index (pass->definitions->locations,
                                                       ProfileOtf2Location, location);

    return g_hash_table_lookup (pass->definitions->groups, KEY (found->group));
}

guint32
profile_otf2_find_rank (const ProfileOtf2Definitions *definitions, guint location)
{
    const ProfileOtf2Location *found = &g_array_index (definitions->locations,
                                                       ProfileOtf2Location, location);
    const ProfileOtf2Group *wanted = g_hash_table_lookup (definitions->groups,
                                                          KEY (found->group));
    guint32 next = 0;

    for (guint i = 0; wanted != NULL && i < definitions->group_list->len; i++) {
        const ProfileOtf2Group *group = g_ptr_array_index (definitions->group_list, i);
        guint32 rank = group->rank != G_MAXUINT32 ? group->rank : next;

        if (group == wanted) {
            return rank;
        }
        next = group->is_process ? rank + 1 : next;
    }
    return 0;
}

static guint32
get_rank (const Pass *pass, guint location)
{
    return profile_otf2_find_rank (pass->definitions, location);
}

static double
get_seconds (const Pass *pass, guint64 begin, guint64 end)
{
    return end > begin
               ? (double) (end - begin) / (double) MAX (pass->definitions->resolution, 1)
               : 0;
}

static void
free_use (gpointer data)
{
    g_free (((ProfileFileUse *) data)->path);
    g_free (data);
}

/* NULL: it is not known which file. */
static ProfileFileUse *
find_use (const Stream *stream, OTF2_IoHandleRef handle)
{
    const Pass *pass = stream->pass;
    guint file = GPOINTER_TO_UINT (g_hash_table_lookup (pass->handles, KEY (handle)));
    const char *path = file != 0 ? g_hash_table_lookup (pass->files, KEY (file - 1)) : NULL;
    guint32 rank = get_rank (pass, stream->location);
    g_autofree char *key = NULL;
    ProfileFileUse *use;

    if (path == NULL) {
        return NULL;
    }
    key = g_strdup_printf ("%u %s", rank, path);
    use = g_hash_table_lookup (pass->uses, key);
    if (use == NULL) {
        use = g_new0 (ProfileFileUse, 1);
        use->rank = rank;
        use->path = g_strdup (path);
        g_hash_table_insert (pass->uses, g_steal_pointer (&key), use);
    }
    return use;
}

static OTF2_CallbackCode
on_create (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
           OTF2_AttributeList *list, OTF2_IoHandleRef handle, OTF2_IoAccessMode mode,
           OTF2_IoCreationFlag created, OTF2_IoStatusFlag status)
{
    ProfileFileUse *use = find_use (get_stream (user), handle);

    if (use != NULL) {
        use->n_opened++;
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_destroy (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
            OTF2_AttributeList *list, OTF2_IoHandleRef handle)
{
    ProfileFileUse *use = find_use (get_stream (user), handle);

    if (use != NULL) {
        use->n_closed++;
    }
    return OTF2_CALLBACK_SUCCESS;
}

typedef struct {
    guint64 time;
    OTF2_IoOperationMode mode;
} Begun;

static OTF2_CallbackCode
on_begin (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
          OTF2_AttributeList *list, OTF2_IoHandleRef handle, OTF2_IoOperationMode mode,
          OTF2_IoOperationFlag flags, uint64_t wanted, uint64_t id)
{
    Stream *stream = get_stream (user);
    Begun begun = { time, mode };

    g_hash_table_insert (stream->begun, g_memdup2 (&id, sizeof id),
                         g_memdup2 (&begun, sizeof begun));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_complete (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
             OTF2_AttributeList *list, OTF2_IoHandleRef handle, uint64_t bytes, uint64_t id)
{
    Stream *stream = get_stream (user);
    const Begun *begun = g_hash_table_lookup (stream->begun, &id);
    ProfileFileUse *use = begun != NULL ? find_use (stream, handle) : NULL;
    double seconds = begun != NULL ? get_seconds (stream->pass, begun->time, time) : 0;

    if (use != NULL && begun->mode == OTF2_IO_OPERATION_MODE_READ) {
        use->n_reads++;
        use->read += bytes;
        use->read_s += seconds;
    } else if (use != NULL && begun->mode == OTF2_IO_OPERATION_MODE_WRITE) {
        use->n_writes++;
        use->written += bytes;
        use->write_s += seconds;
    } else if (use != NULL) {
        use->n_syncs++;
        use->sync_s += seconds;
    }
    g_hash_table_remove (stream->begun, &id);
    return OTF2_CALLBACK_SUCCESS;
}

/* ---- locks ---- */

static guint32
read_place (const Pass *pass, OTF2_AttributeList *list)
{
    OTF2_Type type;
    OTF2_AttributeValue value;

    return pass->place != G_MAXUINT32
                   && OTF2_AttributeList_TestAttributeByID (list, pass->place)
                   && OTF2_AttributeList_GetAttributeByID (list, pass->place, &type, &value)
                          == OTF2_SUCCESS
                   && type == OTF2_TYPE_STRING
               ? value.stringRef
               : G_MAXUINT32;
}

/* The innermost function that is none of the C library's; NULL: it is in none. */
static const Open *
find_function (const Stream *stream)
{
    for (guint i = stream->stack->len; i > 0; i--) {
        const Open *open = &g_array_index (stream->stack, Open, i - 1);
        const ProfileOtf2Region *region
            = g_hash_table_lookup (stream->pass->definitions->regions, KEY (open->region));

        if (region == NULL
            || (region->class != JOB_CLASS_IO && region->class != JOB_CLASS_LOCK
                && region->class != JOB_CLASS_WAIT)) {
            return open;
        }
    }
    return NULL;
}

/* Where the thread was at the times that are asked for, up to this one. */
static void
answer (Stream *stream, guint64 time)
{
    while (stream->queries != NULL && stream->next < stream->queries->len) {
        Wait *wait = g_ptr_array_index (stream->queries, stream->next);
        const Open *open;

        if (wait->begin >= time) {
            break;
        }
        open = find_function (stream);
        wait->owner_region = open != NULL ? open->region : G_MAXUINT32;
        wait->owner_place = open != NULL ? open->place : G_MAXUINT32;
        stream->next++;
    }
}

/* Of a thread that is asked nothing more, no more events are read. */
static OTF2_CallbackCode
go_on (const Stream *stream)
{
    return stream->queries != NULL && stream->next == stream->queries->len
               ? OTF2_CALLBACK_INTERRUPT
               : OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode
profile_otf2_native_enter (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                           void *user, OTF2_AttributeList *list, OTF2_RegionRef region)
{
    Stream *stream = get_stream (user);
    Open open = { region, time, read_place (stream->pass, list), 0 };

    answer (stream, time);
    g_array_append_val (stream->stack, open);
    return go_on (stream);
}

OTF2_CallbackCode
profile_otf2_native_leave (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                           void *user, OTF2_AttributeList *list, OTF2_RegionRef region)
{
    Stream *stream = get_stream (user);

    answer (stream, time);
    if (stream->stack->len > 0) {
        const Open *open = &g_array_index (stream->stack, Open, stream->stack->len - 1);
        guint32 place = open->wait != 0 ? read_place (stream->pass, list) : G_MAXUINT32;

        if (place != G_MAXUINT32) { /* better than that of native code */
            g_array_index (stream->pass->waits, Wait, open->wait - 1).place = place;
        }
        g_array_set_size (stream->stack, stream->stack->len - 1);
    }
    return go_on (stream);
}

static guint
find_location (const Pass *pass, OTF2_LocationRef id)
{
    const GArray *locations = pass->definitions->locations;

    return BASE_CHOOSE (i, locations->len,
                        g_array_index (locations, ProfileOtf2Location, i).self == id, i,
                        G_MAXUINT);
}

static guint
read_owner (const Pass *pass, OTF2_AttributeList *list)
{
    OTF2_Type type;
    OTF2_AttributeValue value;

    return pass->owner != G_MAXUINT32
                   && OTF2_AttributeList_GetAttributeByID (list, pass->owner, &type, &value)
                          == OTF2_SUCCESS
                   && type == OTF2_TYPE_LOCATION
               ? find_location (pass, value.locationRef)
               : G_MAXUINT;
}

/* It was waited for since its function was entered. */
static OTF2_CallbackCode
on_acquire (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
            OTF2_AttributeList *list, OTF2_Paradigm paradigm, uint32_t lock, uint32_t order)
{
    Stream *stream = get_stream (user);
    Open *open = stream->stack->len > 0
                     ? &g_array_index (stream->stack, Open, stream->stack->len - 1)
                     : NULL;
    Wait wait = { .location = stream->location,
                  .owner = read_owner (stream->pass, list),
                  .caller = G_MAXUINT32,
                  .owner_region = G_MAXUINT32,
                  .owner_place = G_MAXUINT32,
                  .end = time };

    if (open == NULL) {
        return OTF2_CALLBACK_SUCCESS;
    }
    wait.call = open->region;
    wait.place = open->place;
    wait.begin = open->enter;
    if (stream->stack->len > 1) {
        wait.caller = g_array_index (stream->stack, Open, stream->stack->len - 2).region;
    }
    g_array_append_val (stream->pass->waits, wait);
    open->wait = stream->pass->waits->len;
    return OTF2_CALLBACK_SUCCESS;
}

/* ---- passes ---- */

void
profile_otf2_native_set_callbacks (OTF2_EvtReaderCallbacks *callbacks)
{
    OTF2_EvtReaderCallbacks_SetIoCreateHandleCallback (callbacks, on_create);
    OTF2_EvtReaderCallbacks_SetIoDestroyHandleCallback (callbacks, on_destroy);
    OTF2_EvtReaderCallbacks_SetIoOperationBeginCallback (callbacks, on_begin);
    OTF2_EvtReaderCallbacks_SetIoOperationCompleteCallback (callbacks, on_complete);
    OTF2_EvtReaderCallbacks_SetThreadAcquireLockCallback (callbacks, on_acquire);
}

gpointer
profile_otf2_native_begin (ProfileOtf2Uses *uses, guint location)
{
    Stream *stream;

    if (uses == NULL) {
        return NULL;
    }
    stream = g_new0 (Stream, 1);
    stream->pass = uses;
    stream->location = location;
    stream->stack = g_array_new (FALSE, FALSE, sizeof (Open));
    stream->begun = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
    return stream;
}

void
profile_otf2_native_end (gpointer data)
{
    Stream *stream = data;

    if (stream != NULL) {
        answer (stream, G_MAXUINT64);
        g_array_unref (stream->stack);
        g_hash_table_unref (stream->begun);
        g_free (stream);
    }
}

/* A second pass. */
static void
ask_location (Pass *pass, OTF2_Reader *reader, guint location, GPtrArray *queries)
{
    Stream *stream = profile_otf2_native_begin (pass, location);
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New ();
    ProfileOtf2Streams streams = { NULL, stream };

    stream->queries = queries;
    OTF2_EvtReaderCallbacks_SetEnterCallback (callbacks, profile_otf2_native_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback (callbacks, profile_otf2_native_leave);
    profile_otf2_read_stream (reader,
                              &g_array_index (pass->definitions->locations, ProfileOtf2Location,
                                              location),
                              callbacks, &streams);
    profile_otf2_native_end (stream);
    OTF2_EvtReaderCallbacks_Delete (callbacks);
}

BASE_ORDER_POINTERS (compare_begins, Wait, BASE_BY (begin))

/* One of ours that a location is asked for, in the order of their times. Caller owns. */
static GPtrArray *
list_queries (const Pass *pass, guint owner)
{
    GPtrArray *list = g_ptr_array_new ();

    for (guint i = 0; i < pass->waits->len; i++) {
        Wait *wait = &g_array_index (pass->waits, Wait, i);

        if (wait->owner == owner) {
            g_ptr_array_add (list, wait);
        }
    }
    g_ptr_array_sort (list, compare_begins);
    return list;
}

static void
find_owners (Pass *pass, const char *anchor)
{
    OTF2_Reader *reader = pass->waits->len > 0
                              ? profile_otf2_open_events (anchor, pass->definitions)
                              : NULL;

    for (guint i = 0; reader != NULL && i < pass->definitions->locations->len; i++) {
        g_autoptr (GPtrArray) queries = list_queries (pass, i);

        if (queries->len > 0) {
            ask_location (pass, reader, i, queries);
        }
    }
    if (reader != NULL) {
        profile_otf2_close_events (reader);
    }
}

/* ---- sums ---- */

BASE_ORDER_POINTERS (compare_uses, ProfileFileUse,
                     BASE_COMPARE (right->read_s + right->write_s + right->sync_s,
                                   left->read_s + left->write_s + left->sync_s)
                         ?: BASE_BY (rank) ?: strcmp (left->path, right->path))

static void
put_uses (const Pass *pass, ProfileSpool *to)
{
    g_autoptr (GPtrArray) list = g_ptr_array_new ();
    gpointer value;

    BASE_WALK (pass->uses, NULL, &value) {
        g_ptr_array_add (list, value);
    }
    g_ptr_array_sort (list, compare_uses);
    for (guint i = 0; i < MIN (list->len, MOST_FILES); i++) {
        profile_spool_put_file_use (to, g_ptr_array_index (list, i));
    }
}

BASE_FREE (free_lock_wait, ProfileLockWait, wait, g_free (wait->call); g_free (wait->place);
           g_free (wait->owner_place))

BASE_ORDER_POINTERS (compare_waits, ProfileLockWait, BASE_BY_DOWN (seconds))

static guint32
get_thread (const Pass *pass, guint location)
{
    guint32 number = location != G_MAXUINT ? g_array_index (pass->definitions->locations,
                                                            ProfileOtf2Location, location)
                                                 .thread
                                           : 0;

    if (number != 0 || location == G_MAXUINT) {
        return number;
    }
    for (guint i = 0; i <= location; i++) { /* as read.c counts */
        number += get_group (pass, i) == get_group (pass, location);
    }
    return number;
}

static void
sum_wait (const Pass *pass, const Wait *wait, GHashTable *sums)
{
    const ProfileOtf2Region *call = g_hash_table_lookup (pass->definitions->regions,
                                                         KEY (wait->call));
    double seconds = get_seconds (pass, wait->begin, wait->end);
    ProfileLockWait fresh
        = { get_rank (pass, wait->location),
            get_thread (pass, wait->location),
            get_thread (pass, wait->owner),
            g_strdup (call != NULL && call->name != NULL ? call->name : ""),
            profile_otf2_dup_place (pass->definitions, wait->caller, wait->place),
            profile_otf2_dup_place (pass->definitions, wait->owner_region, G_MAXUINT32),
            0,
            0,
            0 };
    g_autofree char *key = g_strdup_printf ("%u %u %u %s\n%s\n%s", fresh.rank, fresh.thread,
                                            fresh.owner, fresh.call, fresh.place,
                                            fresh.owner_place);
    ProfileLockWait *sum = g_hash_table_lookup (sums, key);

    if (sum == NULL) {
        sum = g_memdup2 (&fresh, sizeof fresh);
        g_hash_table_insert (sums, g_steal_pointer (&key), sum);
    } else {
        g_free (fresh.call);
        g_free (fresh.place);
        g_free (fresh.owner_place);
    }
    sum->n++;
    sum->seconds += seconds;
    sum->longest_s = MAX (sum->longest_s, seconds);
}

static void
put_waits (const Pass *pass, ProfileSpool *to)
{
    g_autoptr (GHashTable) sums = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                         free_lock_wait);
    g_autoptr (GPtrArray) list = g_ptr_array_new ();
    gpointer value;

    for (guint i = 0; i < pass->waits->len; i++) {
        sum_wait (pass, &g_array_index (pass->waits, Wait, i), sums);
    }
    BASE_WALK (sums, NULL, &value) {
        g_ptr_array_add (list, value);
    }
    g_ptr_array_sort (list, compare_waits);
    for (guint i = 0; i < MIN (list->len, MOST_WAITS); i++) {
        profile_spool_put_lock_wait (to, g_ptr_array_index (list, i));
    }
}

ProfileOtf2Uses *
profile_otf2_native_new_uses (const char *anchor, const ProfileOtf2Definitions *definitions)
{
    OTF2_Reader *reader = definitions->has_files || definitions->has_owners
                              ? profile_otf2_open_reader (anchor, NULL)
                              : NULL;
    Pass *pass;

    if (reader == NULL) {
        return NULL;
    }
    pass = g_new0 (Pass, 1);
    pass->definitions = definitions;
    pass->place = pass->owner = G_MAXUINT32;
    pass->handles = g_hash_table_new (NULL, NULL);
    pass->files = g_hash_table_new (NULL, NULL);
    pass->uses = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_use);
    pass->waits = g_array_new (FALSE, FALSE, sizeof (Wait));
    read_definitions (pass, reader);
    OTF2_Reader_Close (reader);
    return pass;
}

void
profile_otf2_native_put_uses (ProfileOtf2Uses *uses, const char *anchor, ProfileSpool *to)
{
    if (uses == NULL) {
        return;
    }
    find_owners (uses, anchor);
    put_uses (uses, to);
    put_waits (uses, to);
    g_hash_table_unref (uses->handles);
    g_hash_table_unref (uses->files);
    g_hash_table_unref (uses->uses);
    g_array_unref (uses->waits);
    g_free (uses);
}
