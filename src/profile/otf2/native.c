/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file is one for all processes that name it, and each of them has one handle for it: descriptors may be opened by one
 * thread and closed by another, and threads are written one after the other. */
#include "profile/otf2/native.h"
#include "base/array.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { POSIX_IO };     /* OTF2's number of that paradigm */
enum { MACHINE_NODE }; /* of the system tree */

typedef struct {
    guint32 file;
    gboolean is_opened; /* else it was there when the process began */
} Handle;

struct _ProfileOtf2Native {
    GPtrArray *files;          /* of char*, by number */
    GHashTable *known_files;   /* path to number + 1 */
    GArray *handles;           /* of Handle, by number */
    GHashTable *known_handles; /* "FIRST-LOCATION FILE" to number + 1 */
    GHashTable *known_locks;   /* "FIRST-LOCATION ADDRESS" to number + 1 */
    GArray *orders;            /* of guint32: how often each lock was taken */
    guint64 n_operations;
};

ProfileOtf2Native *
profile_otf2_native_new (void)
{
    ProfileOtf2Native *native = g_new0 (ProfileOtf2Native, 1);

    native->files = g_ptr_array_new_with_free_func (g_free);
    native->known_files = g_hash_table_new (g_str_hash, g_str_equal);
    native->handles = g_array_new (FALSE, FALSE, sizeof (Handle));
    native->known_handles = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    native->known_locks = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    native->orders = g_array_new (FALSE, TRUE, sizeof (guint32));
    return native;
}

BASE_FREE_PUBLIC (profile_otf2_native_free, ProfileOtf2Native, native,
                  g_hash_table_unref (native->known_files);
                  g_hash_table_unref (native->known_handles);
                  g_hash_table_unref (native->known_locks); g_ptr_array_unref (native->files);
                  g_array_unref (native->handles); g_array_unref (native->orders))

/* ---- files ---- */

static guint32
find_file (ProfileOtf2Native *native, const char *path)
{
    guint number = GPOINTER_TO_UINT (g_hash_table_lookup (native->known_files, path));

    if (number == 0) {
        char *own = g_strdup (path);

        g_ptr_array_add (native->files, own);
        number = native->files->len;
        g_hash_table_insert (native->known_files, own, GUINT_TO_POINTER (number));
    }
    return number - 1;
}

/* The number of what has that key, a new one where it is new; *ret_is_new says so. */
static guint32
find_number (GHashTable *known, OTF2_LocationRef first, guint64 what, guint32 next,
             gboolean *ret_is_new)
{
    g_autofree char *key = g_strdup_printf ("%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT,
                                            (guint64) first, what);
    guint number = GPOINTER_TO_UINT (g_hash_table_lookup (known, key));

    *ret_is_new = number == 0;
    if (number == 0) {
        number = next + 1;
        g_hash_table_insert (known, g_steal_pointer (&key), GUINT_TO_POINTER (number));
    }
    return number - 1;
}

/* G_MAXUINT32: the event names no file. */
static guint32
find_handle (ProfileOtf2Native *native, const ProfileOtf2NativeStream *stream,
             const ProfileTraceEvent *event)
{
    const struct pddt_trace_named *definition
        = event->id != 0 ? (const struct pddt_trace_named *)
                  profile_trace_file_get_definition (event->file, PDDT_TRACE_FILE, event->id)
                         : NULL;
    const char *path = definition != NULL && definition->head.size >= sizeof *definition
                           ? profile_trace_file_get_string (event->file, definition->name)
                           : NULL;
    Handle handle = { 0 };
    gboolean is_new;
    guint32 number;

    if (path == NULL) {
        return G_MAXUINT32;
    }
    handle.file = find_file (native, path);
    number = find_number (native->known_handles, stream->first, handle.file,
                          native->handles->len, &is_new);
    if (is_new) {
        g_array_append_val (native->handles, handle);
    }
    return number;
}

static void
note (const ProfileOtf2NativeStream *stream, OTF2_ErrorCode code)
{
    profile_otf2_note (stream->to, code);
}

static OTF2_IoAccessMode
get_mode (guint64 flags)
{
    switch (flags & O_ACCMODE) {
    case O_RDONLY: return OTF2_IO_ACCESS_MODE_READ_ONLY;
    case O_WRONLY: return OTF2_IO_ACCESS_MODE_WRITE_ONLY;
    default: return OTF2_IO_ACCESS_MODE_READ_WRITE;
    }
}

static guint
put_open (ProfileOtf2Native *native, ProfileOtf2NativeStream *stream, guint64 time,
          guint32 handle, guint64 flags)
{
    guint32 created = ((flags & O_CREAT) != 0 ? OTF2_IO_CREATION_FLAG_CREATE : 0)
                      | ((flags & O_TRUNC) != 0 ? OTF2_IO_CREATION_FLAG_TRUNCATE : 0)
                      | ((flags & O_EXCL) != 0 ? OTF2_IO_CREATION_FLAG_EXCLUSIVE : 0);
    guint32 status = (flags & O_APPEND) != 0 ? OTF2_IO_STATUS_FLAG_APPEND : 0;

    g_array_index (native->handles, Handle, handle).is_opened = TRUE;
    note (stream, OTF2_EvtWriter_IoCreateHandle (stream->out, NULL, time, handle,
                                                 get_mode (flags), created, status));
    return 1;
}

/* It has begun when its function was entered: nothing was recorded since. */
static guint
put_operation (ProfileOtf2Native *native, ProfileOtf2NativeStream *stream, guint64 time,
               guint32 handle, OTF2_IoOperationMode mode, const struct pddt_trace_io *io)
{
    guint64 id = native->n_operations++;

    note (stream,
          OTF2_EvtWriter_IoOperationBegin (stream->out, NULL, MIN (stream->before, time),
                                           handle, mode, OTF2_IO_OPERATION_FLAG_NONE,
                                           io->wanted, id));
    stream->between (stream->user);
    note (stream,
          OTF2_EvtWriter_IoOperationComplete (stream->out, NULL, time, handle, io->done, id));
    return 2;
}

static guint
put_seek (ProfileOtf2NativeStream *stream, guint64 time, guint32 handle,
          const struct pddt_trace_io *io)
{
    static const OTF2_IoSeekOption options[] = {
        [SEEK_SET] = OTF2_IO_SEEK_FROM_START, [SEEK_CUR] = OTF2_IO_SEEK_FROM_CURRENT,
        [SEEK_END] = OTF2_IO_SEEK_FROM_END,   [SEEK_DATA] = OTF2_IO_SEEK_DATA,
        [SEEK_HOLE] = OTF2_IO_SEEK_HOLE,
    };

    if (io->error != 0 || io->position < 0 || io->position >= (gint64) G_N_ELEMENTS (options)) {
        return 0;
    }
    note (stream, OTF2_EvtWriter_IoSeek (stream->out, NULL, time, handle, (gint64) io->wanted,
                                         options[io->position], io->done));
    return 1;
}

static guint
put_io (ProfileOtf2Native *native, ProfileOtf2NativeStream *stream, guint64 time,
        const ProfileTraceEvent *event)
{
    guint32 handle = find_handle (native, stream, event);
    struct pddt_trace_io io;

    if (event->n_more < 2 || handle == G_MAXUINT32) {
        return 0;
    }
    memcpy (&io, event->payload, sizeof io);
    switch (event->kind) {
    case PDDT_TRACE_IO_OPEN:
        return io.error == 0 ? put_open (native, stream, time, handle, io.wanted) : 0;
    case PDDT_TRACE_IO_CLOSE:
        note (stream, OTF2_EvtWriter_IoDestroyHandle (stream->out, NULL, time, handle));
        return 1;
    case PDDT_TRACE_IO_READ:
        return put_operation (native, stream, time, handle, OTF2_IO_OPERATION_MODE_READ, &io);
    case PDDT_TRACE_IO_WRITE:
        return put_operation (native, stream, time, handle, OTF2_IO_OPERATION_MODE_WRITE, &io);
    case PDDT_TRACE_IO_SYNC:
        return put_operation (native, stream, time, handle, OTF2_IO_OPERATION_MODE_FLUSH, &io);
    case PDDT_TRACE_IO_SEEK: return put_seek (stream, time, handle, &io);
    default: return 0;
    }
}

/* ---- locks ---- */

/* OTF2_UNDEFINED_LOCATION: the thread has recorded nothing. */
static OTF2_LocationRef
find_owner (const ProfileOtf2NativeStream *stream)
{
    const GPtrArray *threads = stream->process->threads;

    for (guint i = 0; stream->owner != 0 && i < threads->len; i++) {
        if (((const ProfileTraceThread *) g_ptr_array_index (threads, i))->tid
            == stream->owner) {
            return stream->first + i;
        }
    }
    return OTF2_UNDEFINED_LOCATION;
}

static guint
put_lock (ProfileOtf2Native *native, ProfileOtf2NativeStream *stream, guint64 time,
          const ProfileTraceEvent *event, OTF2_AttributeRef attribute)
{
    struct pddt_trace_lock lock;
    OTF2_AttributeList *list = NULL;
    OTF2_LocationRef owner;
    gboolean is_new;
    guint32 number, *order;

    if (event->n_more < 1) {
        return 0;
    }
    memcpy (&lock, event->payload, sizeof lock);
    if (event->kind == PDDT_TRACE_LOCK_WANTED) {
        stream->owner = (gint32) lock.owner;
        return 0;
    }
    number = find_number (native->known_locks, stream->first, lock.address, native->orders->len,
                          &is_new);
    if (is_new) {
        g_array_set_size (native->orders, native->orders->len + 1);
    }
    order = &g_array_index (native->orders, guint32, number);
    if (event->kind == PDDT_TRACE_LOCK_RELEASED) {
        note (stream, OTF2_EvtWriter_ThreadReleaseLock (stream->out, NULL, time,
                                                        OTF2_PARADIGM_PTHREAD, number, *order));
        return 1;
    }
    owner = find_owner (stream);
    if (owner != OTF2_UNDEFINED_LOCATION) {
        list = stream->attributes;
        OTF2_AttributeList_AddLocationRef (list, attribute, owner);
    }
    (*order)++;
    note (stream, OTF2_EvtWriter_ThreadAcquireLock (stream->out, list, time,
                                                    OTF2_PARADIGM_PTHREAD, number, *order));
    stream->owner = 0;
    return 1;
}

guint
profile_otf2_native_put (ProfileOtf2Native *native, ProfileOtf2NativeStream *stream,
                         guint64 time, const ProfileTraceEvent *event,
                         OTF2_AttributeRef attribute)
{
    switch (event->kind) {
    case PDDT_TRACE_IO_OPEN:
    case PDDT_TRACE_IO_CLOSE:
    case PDDT_TRACE_IO_READ:
    case PDDT_TRACE_IO_WRITE:
    case PDDT_TRACE_IO_SYNC:
    case PDDT_TRACE_IO_SEEK: return put_io (native, stream, time, event);
    case PDDT_TRACE_LOCK_WANTED:
    case PDDT_TRACE_LOCK_TAKEN:
    case PDDT_TRACE_LOCK_RELEASED: return put_lock (native, stream, time, event, attribute);
    default: return 0;
    }
}

/* ---- definitions ---- */

static void
define_paradigm (ProfileOtf2Out *to)
{
    OTF2_StringRef id = profile_otf2_put_string (to, "POSIX"),
                   name = profile_otf2_put_string (to, "POSIX I/O");

    profile_otf2_note (to, OTF2_GlobalDefWriter_WriteIoParadigm (to->out, POSIX_IO, id, name,
                                                                 OTF2_IO_PARADIGM_CLASS_SERIAL,
                                                                 OTF2_IO_PARADIGM_FLAG_OS, 0,
                                                                 NULL, NULL, NULL));
}

static void
define_handle (ProfileOtf2Out *to, guint32 number, const Handle *handle)
{
    OTF2_StringRef empty = profile_otf2_put_string (to, "");

    profile_otf2_note (to, OTF2_GlobalDefWriter_WriteIoHandle (
                               to->out, number, empty, handle->file, POSIX_IO,
                               handle->is_opened ? OTF2_IO_HANDLE_FLAG_NONE
                                                 : OTF2_IO_HANDLE_FLAG_PRE_CREATED,
                               OTF2_UNDEFINED_COMM, OTF2_UNDEFINED_IO_HANDLE));
    if (!handle->is_opened) {
        profile_otf2_note (to, OTF2_GlobalDefWriter_WriteIoPreCreatedHandleState (
                                   to->out, number, OTF2_IO_ACCESS_MODE_READ_WRITE,
                                   OTF2_IO_STATUS_FLAG_NONE));
    }
}

void
profile_otf2_native_define (const ProfileOtf2Native *native, ProfileOtf2Out *to,
                            gboolean has_threads)
{
    if (native->orders->len > 0 || has_threads) {
        OTF2_StringRef name = profile_otf2_put_string (to, "POSIX threads");

        profile_otf2_note (
            to, OTF2_GlobalDefWriter_WriteParadigm (to->out, OTF2_PARADIGM_PTHREAD, name,
                                                    OTF2_PARADIGM_CLASS_THREAD_CREATE_WAIT));
    }
    if (native->files->len > 0) {
        define_paradigm (to);
    }
    for (guint32 i = 0; i < native->files->len; i++) {
        OTF2_StringRef name = profile_otf2_put_string (to,
                                                       g_ptr_array_index (native->files, i));

        profile_otf2_note (to, OTF2_GlobalDefWriter_WriteIoRegularFile (to->out, i, name,
                                                                        MACHINE_NODE));
    }
    for (guint32 i = 0; i < native->handles->len; i++) {
        define_handle (to, i, &g_array_index (native->handles, Handle, i));
    }
}
