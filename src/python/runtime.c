/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the runtime among the mapped files, tells its version, and lists its threads. */
#include "base/array.h"
#include "base/error.h"
#include "base/file.h"
#include "python/elf-private.h"
#include "python/runtime-private.h"
#include <string.h>
#include <sys/stat.h>

#define PAGE_BYTES 4096u
#define MAX_THREADS 100000u
#define MAX_INTERPRETERS 1000u
#define GIL_SIZE 208u /* with glibc, on 64 bits */

BASE_FREE (free_type, PythonType, type, g_free (type->full_name))

/* What was looked at before is asked for at once: one call into the kernel for a whole stack. */
static void
fetch_pages (PythonRuntime *runtime)
{
    BaseMemoryItem items[PYTHON_N_PAGES];
    PythonPage *pages[PYTHON_N_PAGES];
    guint count = 0;

    runtime->has_fetched = TRUE;
    for (guint i = 0; i < PYTHON_N_PAGES; i++) {
        PythonPage *page = &runtime->pages[i];

        if (page->was_used && page->size == 0) {
            items[count] = (BaseMemoryItem){ page->address, page->bytes, PAGE_BYTES, 0 };
            pages[count++] = page;
        }
    }
    if (count > 0) {
        runtime->memory->read (runtime->memory, items, count);
    }
    for (guint i = 0; i < count; i++) {
        pages[i]->size = MIN (items[i].done, PAGE_BYTES);
        pages[i]->was_used = FALSE;
    }
}

/* Where it is, or where it takes the place of the one that was not used for the longest time. */
static PythonPage *
find_page (PythonRuntime *runtime, guint64 start)
{
    PythonPage *set = &runtime->pages[start / PAGE_BYTES * PYTHON_N_WAYS % PYTHON_N_PAGES],
               *oldest = set;

    for (PythonPage *page = set; page < set + PYTHON_N_WAYS; page++) {
        if (page->address == start) {
            return page;
        }
        oldest = page->use < oldest->use ? page : oldest;
    }
    return oldest;
}

static gboolean
read_through_page (PythonRuntime *runtime, guint64 address, void *data, gsize size)
{
    guint64 start = address & ~(guint64) (PAGE_BYTES - 1);
    PythonPage *page;

    if (!runtime->has_fetched) {
        fetch_pages (runtime);
    }
    page = find_page (runtime, start);
    page->use = ++runtime->n_uses;
    if (page->size == 0 || page->address != start) {
        if (page->bytes == NULL) {
            page->bytes = g_malloc (PAGE_BYTES);
        }
        page->address = start;
        page->size = base_memory_read_some (runtime->memory, start, page->bytes, PAGE_BYTES);
    }
    page->was_used = TRUE;
    if (address - start + size > page->size) {
        return FALSE;
    }
    memcpy (data, page->bytes + (address - start), size);
    return TRUE;
}

gboolean
python_read (PythonRuntime *runtime, guint64 address, void *data, gsize size)
{
    guint8 *to = data;

    if (address < PAGE_BYTES || size > (64u << 20) || address + size < address) {
        return FALSE;
    }
    if (size > PAGE_BYTES) {
        return base_memory_read (runtime->memory, address, data, size, NULL);
    }
    while (size > 0) {
        gsize part = MIN (size, PAGE_BYTES - (gsize) (address % PAGE_BYTES));

        if (!read_through_page (runtime, address, to, part)) {
            return FALSE;
        }
        to += part;
        address += part;
        size -= part;
    }
    return TRUE;
}

gboolean
python_read_u64 (PythonRuntime *runtime, guint64 address, guint64 *ret_value)
{
    return python_read (runtime, address, ret_value, sizeof *ret_value);
}

gboolean
python_read_u32 (PythonRuntime *runtime, guint64 address, guint32 *ret_value)
{
    return python_read (runtime, address, ret_value, sizeof *ret_value);
}

/* 3.N of "libpython3.N.so.1.0", "python3.N"; 0 otherwise. */
static guint
find_minor_in_name (const char *path)
{
    const char *slash = strrchr (path, '/');
    const char *found = strstr (slash != NULL ? slash : path, "python3.");
    guint64 minor = found != NULL ? g_ascii_strtoull (found + strlen ("python3."), NULL, 10)
                                  : 0;

    return minor < 100 ? (guint) minor : 0;
}

static guint
find_version (PythonRuntime *runtime, PythonElf *elf, const PythonImage *images, guint n_images,
              guint chosen)
{
    guint64 address;
    guint64 size;
    guint64 words[3];
    guint32 version;
    guint minor;

    if (python_elf_find_symbol (elf, "Py_Version", &address, &size)
        && python_read_u32 (runtime, images[chosen].bias + address, &version)
        && version >> 24 == 3) {
        runtime->version_address = images[chosen].bias + address;
        return version;
    }
    if (python_read (runtime, runtime->address, words, sizeof words)
        && memcmp (words, "xdebugpy", 8) == 0 && (guint32) words[1] >> 24 == 3) {
        return (guint) words[1];
    }
    minor = find_minor_in_name (images[chosen].path);
    for (guint i = 0; i < n_images && minor == 0; i++) {
        minor = find_minor_in_name (images[i].path);
    }
    return minor != 0 ? 3u << 24 | minor << 16 : 0;
}

/* Which of a host's files are no interpreters is learned once; each process maps the same ones. */
typedef struct {
    guint64 device, inode, size, time_ns;
} FileIdentity;

static guint
hash_identity (gconstpointer key)
{
    const FileIdentity *identity = key;

    return (guint) (identity->inode * 31 + identity->device + identity->time_ns);
}

static gboolean
equal_identity (gconstpointer a, gconstpointer b)
{
    return memcmp (a, b, sizeof (FileIdentity)) == 0;
}

static gboolean
identify (const char *path, FileIdentity *identity)
{
    struct stat status;
    gint64 us;

    if (path == NULL || !base_file_stat_lately (path, &status, &us)) {
        return FALSE;
    }
    *identity = (FileIdentity){ status.st_dev, status.st_ino, (guint64) status.st_size,
                                (guint64) status.st_mtim.tv_sec * 1000000000u
                                    + (guint64) status.st_mtim.tv_nsec };
    return TRUE;
}

static gboolean
find_runtime (const PythonImage *image, guint64 *ret_address, PythonElf **ret_elf)
{
    static GHashTable *others; /* of FileIdentity: files that are not an interpreter */
    g_autoptr (PythonElf) elf = NULL;
    FileIdentity identity;
    guint64 size;

    if (!identify (image->path, &identity)) {
        return FALSE;
    }
    if (others == NULL) {
        others = g_hash_table_new_full (hash_identity, equal_identity, g_free, NULL);
    }
    if (g_hash_table_contains (others, &identity)) {
        return FALSE;
    }
    elf = python_elf_open (image->path);
    if (elf == NULL
        || (!python_elf_find_symbol (elf, "_PyRuntime", ret_address, &size)
            && !python_elf_find_section (elf, ".PyRuntime", ret_address))) {
        g_hash_table_add (others, g_memdup2 (&identity, sizeof identity));
        return FALSE;
    }
    *ret_address += image->bias;
    *ret_elf = g_steal_pointer (&elf);
    return TRUE;
}

static guint64
read_first_interpreter (PythonRuntime *runtime)
{
    guint64 interpreter = 0;

    python_read_u64 (runtime, runtime->address + runtime->layout->runtime_interpreters,
                     &interpreter);
    return interpreter;
}

guint64
python_runtime_find_sys (PythonRuntime *runtime, const char *name)
{
    guint64 interpreter = read_first_interpreter (runtime);
    guint64 sys = 0;
    guint64 object = 0;

    if (interpreter == 0) {
        return 0;
    }
    python_read_u64 (runtime, interpreter + (guint64) runtime->layout->interpreter_sysdict,
                     &sys);
    return sys != 0 && python_dict_find_str (runtime, sys, name, &object) ? object : 0;
}

/* The last judge of the table: sys.hexversion, read with it. TRUE too while there is nothing to
 * judge by yet. */
static gboolean
check_layout (PythonRuntime *runtime, GError **error)
{
    guint64 interpreter = read_first_interpreter (runtime);
    guint64 sys = 0;
    guint64 object = 0;
    gint64 version = 0;

    if (runtime->is_checked || interpreter == 0) {
        return TRUE;
    }
    python_read_u64 (runtime, interpreter + runtime->layout->interpreter_sysdict, &sys);
    if (sys == 0 || !python_dict_find_str (runtime, sys, "hexversion", &object)) {
        /* Being initialised, or no such interpreter: the threads will tell. */
        return TRUE;
    }
    if (!python_read_int (runtime, object, &version)
        || (guint64) version >> 16 != runtime->version >> 16) {
        g_autofree char *number = base_text_format_address ((guint64) version);

        base_error_set (error, BASE_ERROR_CORRUPT,
                        "cannot read Python %u.%u: sys.hexversion is %s",
                        runtime->version >> 24, runtime->version >> 16 & 0xff, number);
        return FALSE;
    }
    runtime->version = (guint) version;
    runtime->is_checked = TRUE;
    return TRUE;
}

/* From 3.13: its own word about where it keeps things. */
static gboolean
ask_interpreter (PythonRuntime *runtime, GError **error)
{
    guint8 bytes[PYTHON_OFFSETS_MAX_SIZE];
    gsize size = python_offsets_get_size (runtime->layout->minor);

    if (size == 0) {
        return TRUE;
    }
    runtime->own_layout = *runtime->layout;
    if (!python_read (runtime, runtime->address, bytes, size)) {
        base_error_set (error, BASE_ERROR_CORRUPT,
                        "cannot show Python frames: the interpreter's state cannot be read");
        return FALSE;
    }
    if (!python_offsets_decode (bytes, size, &runtime->own_layout, error)) {
        return FALSE;
    }
    runtime->layout = &runtime->own_layout;
    return TRUE;
}

static gboolean
choose_layout (PythonRuntime *runtime, GError **error)
{
    guint minor = runtime->version >> 16 & 0xff;

    runtime->layout = runtime->version >> 24 == 3 ? python_layout_find (minor) : NULL;
    if (runtime->version == 0) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "cannot show Python frames: the interpreter's version is not known");
        return FALSE;
    }
    if (runtime->layout == NULL) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "cannot show Python frames: this pddt does not support CPython 3.%u",
                        minor);
        return FALSE;
    }
    return ask_interpreter (runtime, error);
}

static PythonRuntime *
make_runtime (BaseMemoryReader *memory, const PythonImage *images, guint n_images, guint chosen,
              guint64 address, PythonElf *elf)
{
    PythonRuntime *runtime = g_new0 (PythonRuntime, 1);
    guint64 start;
    guint64 size;

    runtime->memory = memory;
    runtime->address = address;
    runtime->image_start = images[chosen].start;
    runtime->image_end = images[chosen].end;
    runtime->codes = g_hash_table_new_full (NULL, NULL, NULL,
                                            (GDestroyNotify) python_code_free);
    runtime->types = g_hash_table_new_full (NULL, NULL, NULL, free_type);
    runtime->version = find_version (runtime, elf, images, n_images, chosen);
    if (python_elf_find_symbol (elf, "_PyEval_EvalFrameDefault", &start, &size)) {
        runtime->evaluation_start = images[chosen].bias + start;
        runtime->evaluation_end = runtime->evaluation_start + size;
    }
    return runtime;
}

PythonRuntime *
python_runtime_open (BaseMemoryReader *memory, const PythonImage *images, guint n_images,
                     GError **error)
{
    PythonRuntime *first = NULL;
    g_autoptr (GError) first_error = NULL;

    /* ctypes can map a static interpreter a second time: the one that runs is wanted. */
    for (guint i = 0; i < n_images; i++) {
        g_autoptr (PythonElf) elf = NULL;
        PythonRuntime *runtime;
        guint64 address;

        if (!find_runtime (&images[i], &address, &elf)) {
            continue;
        }
        runtime = make_runtime (memory, images, n_images, i, address, elf);
        if (!choose_layout (runtime, first_error == NULL ? &first_error : NULL)
            || !check_layout (runtime, first_error == NULL ? &first_error : NULL)) {
            python_runtime_free (runtime);
            continue;
        }
        if (read_first_interpreter (runtime) != 0) {
            python_runtime_free (first);
            return runtime;
        }
        if (first == NULL) {
            first = runtime;
        } else {
            python_runtime_free (runtime);
        }
    }
    if (first == NULL && first_error != NULL) {
        g_propagate_error (error, g_steal_pointer (&first_error));
    }
    return first;
}

void
python_runtime_set_dup_path (PythonRuntime *runtime, PythonDupPath dup_path, gpointer user)
{
    runtime->dup_path = dup_path;
    runtime->dup_path_user = user;
}

void
python_runtime_free (PythonRuntime *runtime)
{
    if (runtime == NULL) {
        return;
    }
    for (guint i = 0; i < PYTHON_N_PAGES; i++) {
        g_free (runtime->pages[i].bytes);
    }
    g_hash_table_unref (runtime->codes);
    g_hash_table_unref (runtime->types);
    g_free (runtime);
}

void
python_runtime_invalidate (PythonRuntime *runtime)
{
    runtime->generation++;
    runtime->has_fetched = FALSE;
    g_hash_table_remove_all (runtime->types);
    for (guint i = 0; i < PYTHON_N_PAGES; i++) {
        runtime->pages[i].size = 0;
    }
}

guint
python_runtime_get_version (const PythonRuntime *runtime)
{
    return runtime->version;
}

void
python_runtime_get_image (const PythonRuntime *runtime, guint64 *ret_start, guint64 *ret_end)
{
    *ret_start = runtime->image_start;
    *ret_end = runtime->image_end;
}

gboolean
python_runtime_is_evaluation (const PythonRuntime *runtime, guint64 pc)
{
    return pc >= runtime->evaluation_start && pc < runtime->evaluation_end;
}

guint64
python_runtime_read_lock_holder (PythonRuntime *runtime, guint64 interpreter)
{
    const PythonLayout *layout = runtime->layout;
    BaseMemoryReader *memory = runtime->memory; /* not from the pages: it changes at any time */
    guint64 holder = 0;
    guint64 gil = 0;
    guint32 locked = 0;

    if (layout == NULL) {
        return 0;
    }
    if (layout->runtime_gil_current != 0) {
        base_memory_read_u64 (memory, runtime->address + (guint64) layout->runtime_gil_current,
                              &holder, NULL);
        return holder;
    }
    if (layout->interpreter_gil == 0
        || !base_memory_read_u64 (memory, interpreter + (guint64) layout->interpreter_gil, &gil,
                                  NULL)
        || gil == 0
        || !base_memory_read_u32 (memory, gil + (guint64) layout->gil_locked, &locked, NULL)
        || (gint32) locked <= 0
        || !base_memory_read_u64 (memory, gil + (guint64) layout->gil_holder, &holder, NULL)) {
        return 0;
    }
    return holder;
}

/* All that threads sleep in of struct _gil_runtime_state (Include/internal/pycore_gil.h), two conditions and two mutexes
 * behind four words, lies in it. To 3.11 it is a part of _PyRuntime, which has no other futexes: its locks are
 * allocated. */
static gboolean
is_in_lock (PythonRuntime *runtime, guint64 interpreter, guint64 futex)
{
    const PythonLayout *layout = runtime->layout;
    guint64 gil = 0;

    if (layout->runtime_gil_current != 0) {
        return futex > runtime->address
               && futex < runtime->address + (guint64) layout->runtime_gil_current;
    }
    return layout->interpreter_gil != 0
           && python_read_u64 (runtime, interpreter + layout->interpreter_gil, &gil) && gil != 0
           && futex >= gil && futex < gil + GIL_SIZE;
}

gboolean
python_runtime_find_lock_holder (PythonRuntime *runtime, guint64 futex,
                                 PythonThread *ret_holder)
{
    const PythonLayout *layout = runtime->layout;
    guint64 interpreter = layout != NULL ? read_first_interpreter (runtime) : 0, holder;
    g_autoptr (GArray) threads = NULL;

    *ret_holder = (PythonThread){ 0 };
    for (guint i = 0;
         i < MAX_INTERPRETERS && interpreter != 0 && !is_in_lock (runtime, interpreter, futex);
         i++) {
        if (!python_read_u64 (runtime, interpreter + layout->interpreter_next, &interpreter)) {
            return FALSE;
        }
    }
    if (interpreter == 0 || !is_in_lock (runtime, interpreter, futex)) {
        return FALSE;
    }
    holder = python_runtime_read_lock_holder (runtime, interpreter);
    threads = holder != 0 ? python_runtime_read_threads (runtime, NULL) : NULL;
    BASE_EACH_ROW (threads, const PythonThread, thread) {
        if (thread->state == holder) {
            *ret_holder = *thread;
        }
    }
    return TRUE;
}

static gboolean
set_corrupt (GError **error, const char *what)
{
    base_error_set (error, BASE_ERROR_CORRUPT, "cannot read Python threads: %s", what);
    return FALSE;
}

static gboolean
read_thread (PythonRuntime *runtime, guint64 state, guint64 interpreter, guint64 holder,
             GArray *threads, guint64 *ret_next)
{
    const PythonLayout *layout = runtime->layout;
    PythonThread thread
        = { .state = state, .interpreter = interpreter, .holds_gil = state == holder };
    guint64 owner = 0;
    guint64 tid = 0;

    if (!python_read_u64 (runtime, state + layout->thread_interpreter, &owner)
        || owner != interpreter
        || !python_read_u64 (runtime, state + layout->thread_next, ret_next)
        || !python_read_u64 (runtime, state + layout->thread_id, &thread.pthread)) {
        return FALSE;
    }
    if (layout->thread_native_id != 0) {
        python_read_u64 (runtime, state + layout->thread_native_id, &tid);
        thread.tid = (pid_t) tid;
    }
    g_array_append_val (threads, thread);
    return TRUE;
}

/* A thread enters a subinterpreter with a state of its own there: the newest stands for it. */
static void
link_states (GArray *threads)
{
    g_autoptr (GHashTable) newest = g_hash_table_new (NULL, NULL);

    BASE_EACH_ROW (threads, PythonThread, thread) {
        PythonThread *newer = g_hash_table_lookup (newest, GSIZE_TO_POINTER (thread->pthread));

        if (newer == NULL) {
            g_hash_table_insert (newest, GSIZE_TO_POINTER (thread->pthread), thread);
        } else if (thread->pthread != 0 && newer->n_outer < PYTHON_MAX_OUTER) {
            newer->outer[newer->n_outer++] = thread->state;
        }
    }
}

GArray *
python_runtime_read_threads (PythonRuntime *runtime, GError **error)
{
    const PythonLayout *layout = runtime->layout;
    g_autoptr (GArray) threads = g_array_new (FALSE, TRUE, sizeof (PythonThread));
    guint64 interpreter = read_first_interpreter (runtime);
    guint n_interpreters = 0;

    if (!check_layout (runtime, error)) {
        return NULL;
    }
    while (interpreter != 0) {
        guint64 holder = python_runtime_read_lock_holder (runtime, interpreter);
        guint64 state = 0;

        if (++n_interpreters > MAX_INTERPRETERS
            || !python_read_u64 (runtime, interpreter + layout->interpreter_threads, &state)) {
            set_corrupt (error, "the list of interpreters is broken");
            return NULL;
        }
        while (state != 0) {
            if (threads->len >= MAX_THREADS
                || !read_thread (runtime, state, interpreter, holder, threads, &state)) {
                set_corrupt (error, "the list of threads is inconsistent");
                return NULL;
            }
        }
        if (!python_read_u64 (runtime, interpreter + layout->interpreter_next, &interpreter)) {
            set_corrupt (error, "the list of interpreters is broken");
            return NULL;
        }
    }
    link_states (threads);
    return g_steal_pointer (&threads);
}

/* In all versions a thread's state begins with the links of its interpreter's list: prev, next. A state that was freed
 * is not in the list, whatever is left of its content. */
static gboolean
is_listed (PythonRuntime *runtime, const PythonThread *thread)
{
    const PythonLayout *layout = runtime->layout;
    guint64 previous, found = 0;

    if (!python_read_u64 (runtime, thread->state + layout->thread_next - 8, &previous)) {
        return FALSE;
    }
    python_read_u64 (runtime,
                     previous != 0 ? previous + layout->thread_next
                                   : thread->interpreter + layout->interpreter_threads,
                     &found);
    return found == thread->state;
}

gboolean
python_runtime_has_thread (PythonRuntime *runtime, const PythonThread *thread)
{
    const PythonLayout *layout = runtime->layout;
    guint64 owner, next, pthread, tid = 0;

    return thread->state != 0 && read_first_interpreter (runtime) == thread->interpreter
           && python_read_u64 (runtime, thread->interpreter + layout->interpreter_next, &next)
           && next == 0
           && python_read_u64 (runtime, thread->state + layout->thread_interpreter, &owner)
           && owner == thread->interpreter
           && python_read_u64 (runtime, thread->state + layout->thread_id, &pthread)
           && pthread == thread->pthread
           && (layout->thread_native_id == 0
               || (python_read_u64 (runtime, thread->state + layout->thread_native_id, &tid)
                   && (pid_t) tid == thread->tid))
           && is_listed (runtime, thread);
}
