/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queries a message queue library in the required order and converts its answers to values.
 * Rejects implausible answers: a rank outside a communicator invalidates the whole answer. */
#include "msgq/library.h"
#include "base/array.h"
#include "base/error.h"
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#define MAX_COMMUNICATORS 10000
#define MAX_OPERATIONS 100000 /* of one communicator and class */
#define MAX_SAME 50           /* of one communicator, in a row */
#define MAX_SIZE (1 << 22)    /* of a communicator */
#define MAX_FETCH (64 << 20)

struct _MsgqProcess {
    MsgqImage *image;
    const MsgqRank *rank;
    MsgqTheirs *theirs;
};

struct _MsgqLibrary {
    void *handle;
    char *name; /* of the file, without folders */
    MsgqFunctions functions;
    MsgqImage *image;
};

/* ---- what the library asks of us ---- */

static void
print_nothing (const char *text)
{
}

static char *
get_our_error (int code)
{
    return (char *) (code == MSGQ_OK ? "no error" : "not available");
}

static void
put_image (MsgqImage *image, MsgqTheirs *theirs)
{
    *msgq_image_get_theirs (image) = theirs;
}

static MsgqTheirs *
get_image_info (MsgqImage *image)
{
    return *msgq_image_get_theirs (image);
}

static void
put_process (MsgqProcess *process, MsgqTheirs *theirs)
{
    process->theirs = theirs;
}

static MsgqTheirs *
get_process_info (MsgqProcess *process)
{
    return process->theirs;
}

static void
get_sizes (MsgqProcess *process, MsgqSizes *sizes)
{
    *sizes = (MsgqSizes){ .of_short = sizeof (short),
                          .of_int = sizeof (int),
                          .of_long = sizeof (long),
                          .of_long_long = sizeof (long long),
                          .of_pointer = sizeof (void *),
                          .of_bool = sizeof (_Bool),
                          .of_size_t = sizeof (size_t) };
}

static int
find_symbol (MsgqImage *image, char *name, MsgqAddress *ret_address)
{
    MsgqAddress address;

    if (!msgq_image_find_symbol (image, name, &address)) {
        return MSGQ_NO_INFORMATION;
    }
    if (ret_address != NULL) {
        *ret_address = address;
    }
    return MSGQ_OK;
}

static int
find_function (MsgqImage *image, char *name, int language, MsgqAddress *ret_address)
{
    return find_symbol (image, name, ret_address);
}

static MsgqType *
find_type (MsgqImage *image, char *name, int language)
{
    return msgq_image_find_type (image, name);
}

static int
get_offset (MsgqType *type, char *field)
{
    return type != NULL ? msgq_type_get_offset (type, field) : -1;
}

static int
get_size (MsgqType *type)
{
    return type != NULL ? msgq_type_get_size (type) : -1;
}

static int
get_global_rank (MsgqProcess *process)
{
    return (int) process->rank->rank;
}

static MsgqImage *
get_image (MsgqProcess *process)
{
    return process->image;
}

static int
fetch (MsgqProcess *process, MsgqAddress address, int size, void *memory)
{
    for (int done = 0; done < size;) {
        ssize_t n = pread (process->rank->memory, (char *) memory + done,
                           (size_t) (size - done), (off_t) (address + (MsgqAddress) done));

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            memset (memory, 0, (size_t) size); /* some libraries ignore the result */
            return MSGQ_NO_INFORMATION;
        }
        done += (int) n;
    }
    return size < 0 || size > MAX_FETCH ? MSGQ_NO_INFORMATION : MSGQ_OK;
}

static void
copy_to_host (MsgqProcess *process, const void *from, void *to, int size)
{
    if (size > 0) {
        memcpy (to, from, (size_t) size);
    }
}

static const MsgqBasicCallbacks basic_callbacks = {
    g_malloc,  g_free,         print_nothing, get_our_error,
    put_image, get_image_info, put_process,   get_process_info,
};
static const MsgqImageCallbacks image_callbacks = {
    get_sizes, find_function, find_symbol, find_type, get_offset, get_size,
};
static const MsgqProcessCallbacks process_callbacks = {
    get_global_rank,
    get_image,
    fetch,
    copy_to_host,
};

/* ---- what we ask of the library ---- */

static char *
dup_line (const char *text)
{
    g_autofree char *valid = g_utf8_make_valid (text, -1);

    for (char *at = valid; *at != '\0'; at++) {
        *at = g_ascii_iscntrl (*at) ? ' ' : *at;
    }
    return g_strstrip (g_steal_pointer (&valid));
}

/* Its own words for the code, and those about this program. */
static void
set_refusal (const MsgqLibrary *library, int code, const char *message, GError **error)
{
    const char *text = library->functions.get_error (code);
    g_autofree char *general = dup_line (text != NULL ? text : "");
    g_autofree char *special = dup_line (message != NULL ? message : "");
    gboolean has_both = general[0] != '\0' && special[0] != '\0';

    g_set_error (error, BASE_ERROR, BASE_ERROR_UNSUPPORTED,
                 "MPI's queue library %s says: %s%s%s%s", library->name, general,
                 has_both ? " (" : "", special,
                 has_both                                   ? ")"
                 : general[0] == '\0' && special[0] == '\0' ? "nothing"
                                                            : "");
}

static gboolean
find_functions (MsgqLibrary *library, GError **error)
{
    MsgqFunctions *functions = &library->functions;

#define MSGQ_FIND(member, word, result, parameters)                                            \
    functions->member = (result (*) parameters) dlsym (library->handle, "mqs_" #word);         \
    if (functions->member == NULL) {                                                           \
        g_set_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND,                                  \
                     "MPI's queue library %s has no function mqs_" #word, library->name);      \
        return FALSE;                                                                          \
    }
    MSGQ_ENTRIES (MSGQ_FIND)
#undef MSGQ_FIND
    return TRUE;
}

static gboolean
check_version (MsgqLibrary *library, GError **error)
{
    int version = library->functions.get_compatibility ();
    int width = library->functions.get_address_width ();

    if (version > MSGQ_COMPATIBILITY || width != (int) sizeof (MsgqAddress)) {
        base_error_set (
            error, BASE_ERROR_UNSUPPORTED,
            "MPI's queue library %s uses version %d of the interface and addresses of %d bytes, "
            "which pddt does not support",
            library->name, version, width);
        return FALSE;
    }
    return TRUE;
}

static gboolean
begin_image (MsgqLibrary *library, GError **error)
{
    char *message = NULL;
    int code;

    library->functions.setup_basic (&basic_callbacks);
    code = library->functions.setup_image (library->image, &image_callbacks);
    if (code == MSGQ_OK) {
        code = library->functions.check_image (library->image, &message);
    }
    if (code != MSGQ_OK) {
        set_refusal (library, code, message, error);
        return FALSE;
    }
    return TRUE;
}

MsgqLibrary *
msgq_library_open (const char *path, MsgqImage *image, GError **error)
{
    MsgqLibrary *library = g_new0 (MsgqLibrary, 1);

    library->image = image;
    library->name = g_path_get_basename (path);
    library->handle = dlopen (path, RTLD_NOW | RTLD_LOCAL);
    if (library->handle == NULL) {
        base_error_set (error, BASE_ERROR_NOT_FOUND, "cannot load MPI's queue library: %s",
                        dlerror ());
        msgq_library_close (library);
        return NULL;
    }
    if (!find_functions (library, error) || !check_version (library, error)
        || !begin_image (library, error)) {
        msgq_library_close (library);
        return NULL;
    }
    return library;
}

/* Never unloads it: callbacks that it has registered elsewhere would dangle. */
BASE_FREE_PUBLIC (msgq_library_close, MsgqLibrary, library, msgq_image_free (library->image);
                  g_free (library->name))

void
msgq_library_move (MsgqLibrary *library, const GArray *modules)
{
    msgq_image_move (library->image, modules);
}

/* ---- answers ---- */

typedef struct {
    MsgqLibrary *library;
    MsgqProcess *process;
    JobMessageQueue *queue;
    MsgqCommunicator present;
    JobMessageCommunicator *communicator;
    GError **error;
} Reading;

static gboolean
refuse (Reading *reading, const char *what, gint64 number, gint64 size)
{
    g_set_error (reading->error, BASE_ERROR, BASE_ERROR_CORRUPT,
                 "MPI's queue library %s speaks of %s %" G_GINT64_FORMAT
                 " in a communicator of %" G_GINT64_FORMAT ": nothing of its answer is shown",
                 reading->library->name, what, number, size);
    return FALSE;
}

static guint64
make_id (const Reading *reading, const GArray *members)
{
    guint64 hash = G_GUINT64_CONSTANT (0xcbf29ce484222325) ^ reading->present.id;

    for (guint i = 0; i < members->len; i++) {
        hash = (hash ^ g_array_index (members, guint32, i))
               * G_GUINT64_CONSTANT (0x100000001b3);
    }
    return MIN (MAX (hash, 1), JOB_MESSAGE_UNKNOWN_ID - 1);
}

static gboolean
is_world (const Reading *reading)
{
    const MsgqRank *rank = reading->process->rank;

    return strcmp (reading->present.name, "MPI_COMM_WORLD") == 0
           && (rank->size == 0 || reading->present.size == (MsgqWord) rank->size);
}

/* If the library does not give the members (of a smaller communicator, or another job's), only
 * the size is known. */
static GArray *
read_members (Reading *reading)
{
    gsize size = (gsize) reading->present.size;
    g_autofree int *group = g_new (int, size + 1);
    GArray *members = g_array_sized_new (FALSE, FALSE, sizeof (guint32), (guint) size);

    for (gsize i = 0; i < size; i++) {
        group[i] = -1;
    }
    reading->library->functions.get_group (reading->process, group);
    for (gsize i = 0; i < size; i++) {
        guint32 member = group[i] >= 0
                                 && (reading->process->rank->size == 0
                                     || group[i] < (int) reading->process->rank->size)
                             ? (guint32) group[i]
                             : G_MAXUINT32;

        g_array_append_val (members, member);
    }
    return members;
}

static gboolean
add_communicator (Reading *reading)
{
    MsgqCommunicator *present = &reading->present;
    g_autoptr (GArray) members = NULL;
    g_autofree char *name = NULL;

    present->name[sizeof present->name - 1] = '\0';
    if (present->size < 0 || present->size > MAX_SIZE) {
        return refuse (reading, "a size", present->size, present->size);
    }
    if (present->local_rank >= present->size) {
        return refuse (reading, "rank", present->local_rank, present->size);
    }
    members = read_members (reading);
    name = g_utf8_make_valid (present->name, -1);
    reading->communicator = job_message_communicator_new (is_world (reading)
                                                              ? JOB_MESSAGE_WORLD_ID
                                                              : make_id (reading, members),
                                                          name[0] != '\0' ? name : NULL);
    reading->communicator->size = (guint32) present->size;
    reading->communicator->local_rank = (gint32) present->local_rank;
    reading->communicator->members = is_world (reading) ? NULL : g_steal_pointer (&members);
    g_ptr_array_add (reading->queue->communicators, reading->communicator);
    return TRUE;
}

/* The rank in the job, from the rank in the communicator: the library's own value is not always
 * right. */
static gint32
map_peer (const Reading *reading, gint32 local)
{
    const GArray *members = reading->communicator->members;
    guint32 global;

    if (local < 0) {
        return JOB_MESSAGE_ANY;
    }
    if (members == NULL) {
        return local;
    }
    global = g_array_index (members, guint32, (guint) local);
    return global == G_MAXUINT32 ? JOB_MESSAGE_UNKNOWN : (gint32) global;
}

static void
read_first (const Reading *reading, const MsgqOperation *from, JobMessageOperation *operation)
{
    gsize size = MIN (operation->bytes, JOB_MESSAGE_MAX_BYTES);

    if (from->buffer != 0 && size > 0
        && fetch (reading->process, from->buffer, (int) size, operation->first) == MSGQ_OK) {
        operation->n_first = (guint32) size;
    }
}

/* Wildcards come as -1 of any width. A matched operation is in transit or complete, and waits
 * for no peer. Open MPI's library reports a request that a thread waits for
 * (MPI_THREAD_MULTIPLE) as complete; but a completed receive has a sender, so one without a
 * sender is pending. */
static gboolean
add_operation (Reading *reading, const MsgqOperation *from, int which)
{
    gboolean is_matched = from->status != MSGQ_PENDING
                          && (which != MSGQ_RECEIVES || (gint32) from->local >= 0);
    gboolean is_actual = which == MSGQ_UNEXPECTED || (is_matched && which == MSGQ_RECEIVES);
    gint32 local = (gint32) (is_actual ? from->local : from->wanted_local);
    JobMessageOperation *operation;

    if (local < -1 || local >= (gint32) reading->present.size) {
        return refuse (reading, "rank", local, reading->present.size);
    }
    operation = job_message_operation_new (which == MSGQ_SENDS      ? JOB_MESSAGE_SEND
                                           : which == MSGQ_RECEIVES ? JOB_MESSAGE_RECV
                                                                    : JOB_MESSAGE_LOCAL,
                                           NULL);
    operation->communicator = reading->communicator->id;
    operation->local_peer = local < 0 ? JOB_MESSAGE_ANY : local;
    operation->peer = map_peer (reading, local);
    operation->tag = is_actual          ? (gint32) from->tag
                     : from->is_any_tag ? JOB_MESSAGE_ANY
                                        : (gint32) from->wanted_tag;
    operation->bytes = (guint64) MAX (is_actual ? from->length : from->wanted_length, 0);
    operation->count = operation->bytes;
    operation->buffer = from->buffer;
    operation->flags = is_matched || which == MSGQ_UNEXPECTED ? JOB_MESSAGE_MATCHED : 0;
    if (which != MSGQ_RECEIVES) {
        read_first (reading, from, operation);
    }
    g_ptr_array_add (reading->queue->operations, operation);
    return TRUE;
}

static gboolean
read_operations (Reading *reading, int which)
{
    const MsgqFunctions *functions = &reading->library->functions;
    MsgqOperation operation;
    guint n = 0;

    if (functions->first_operation (reading->process, which) != MSGQ_OK) {
        return TRUE; /* it knows nothing of that kind */
    }
    for (;;) {
        memset (&operation, 0, sizeof operation);
        if (functions->next_operation (reading->process, &operation) != MSGQ_OK) {
            return TRUE;
        }
        if (++n > MAX_OPERATIONS) {
            return refuse (reading, "a queue longer than", MAX_OPERATIONS,
                           reading->present.size);
        }
        if (!add_operation (reading, &operation, which)) {
            return FALSE;
        }
    }
}

/* The list is endless or repeats one element. */
static gboolean
is_endless (Reading *reading, guint n, guint n_same)
{
    if (n <= MAX_COMMUNICATORS && n_same <= MAX_SAME) {
        return FALSE;
    }
    base_error_set (
        reading->error, BASE_ERROR_CORRUPT,
        "MPI's queue library %s returns an endless list of communicators: pddt ignores its answer",
        reading->library->name);
    return TRUE;
}

static gboolean
read_communicators (Reading *reading)
{
    const MsgqFunctions *functions = &reading->library->functions;
    MsgqCommunicator before = { 0 };
    guint n = 0, n_same = 0;
    int code;

    functions->update_communicators (reading->process);
    code = functions->first_communicator (reading->process);
    for (; code == MSGQ_OK; code = functions->next_communicator (reading->process)) {
        before = reading->present;
        memset (&reading->present, 0, sizeof reading->present);
        if (functions->get_communicator (reading->process, &reading->present) != MSGQ_OK
            || reading->present.size == 0) {
            continue; /* MPI_COMM_NULL is one of them */
        }
        n_same = memcmp (&before, &reading->present, sizeof before) == 0 ? n_same + 1 : 0;
        if (is_endless (reading, ++n, n_same)) {
            return FALSE;
        }
        if (!add_communicator (reading)) {
            return FALSE;
        }
        if (BASE_ANY (which, MSGQ_N_CLASSES, !read_operations (reading, which))) {
            return FALSE;
        }
    }
    return TRUE;
}

BASE_ORDER_POINTERS (compare_ids, JobMessageCommunicator, BASE_BY (id))

static gboolean
begin_process (MsgqLibrary *library, MsgqProcess *process, GError **error)
{
    char *message = NULL;
    int code = library->functions.setup_process (process, &process_callbacks);

    if (code == MSGQ_OK) {
        code = library->functions.check_process (process, &message);
    }
    if (code != MSGQ_OK) {
        set_refusal (library, code, message, error);
        return FALSE;
    }
    return TRUE;
}

JobMessageQueue *
msgq_library_read (MsgqLibrary *library, const MsgqRank *rank, GError **error)
{
    g_autoptr (JobMessageQueue) queue = job_message_queue_new (rank->rank);
    MsgqProcess process = { .image = library->image, .rank = rank };
    Reading reading
        = { .library = library, .process = &process, .queue = queue, .error = error };
    gboolean good = begin_process (library, &process, error) && read_communicators (&reading);

    if (process.theirs != NULL) {
        library->functions.destroy_process (process.theirs);
    }
    if (!good) {
        return NULL;
    }
    queue->source = JOB_MESSAGE_SOURCE_DLL;
    queue->world_rank = rank->rank;
    queue->world_size = rank->size;
    queue->library = g_strdup (library->name);
    g_ptr_array_sort (queue->communicators, compare_ids);
    return g_steal_pointer (&queue);
}
