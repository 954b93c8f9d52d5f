/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory of a live process: batches by process_vm_readv, the rest and all writes by
 * /proc/PID/mem, which also reaches text. Shows the program's own bytes under traps. */
#include "base/error.h"
#include "target/private.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

#define LOOK_US 200 /* between looks for a child's first stop */
#define MAX_LOOKS 5000u

/* If the first thread has ended and others live on, only theirs can be opened. */
static int
open_other (pid_t pid)
{
    g_autoptr (GArray) tids = target_process_list_threads (pid);
    int fd = -1;

    for (guint i = 0; i < tids->len && fd < 0; i++) {
        g_autofree char *path = g_strdup_printf ("/proc/%d/task/%d/mem", (int) pid,
                                                 (int) g_array_index (tids, pid_t, i));

        fd = open (path, O_RDWR | O_CLOEXEC);
    }
    return fd;
}

static int
find_descriptor (TargetMemory *memory)
{
    if (memory->fd < 0) {
        g_autofree char *path = g_strdup_printf ("/proc/%d/mem", (int) memory->pid);

        memory->fd = open (path, O_RDWR | O_CLOEXEC);
        if (memory->fd < 0) {
            memory->fd = open_other (memory->pid);
        }
        if (memory->fd < 0) { /* writing is forbidden */
            memory->fd = open (path, O_RDONLY | O_CLOEXEC);
        }
    }
    return memory->fd;
}

/* ---- cached pages ---- */

#define PAGE_BYTES 4096u
#define N_PAGES 64u

typedef struct {
    guint64 address;
    gsize size; /* number of its bytes that could be read; 0: the slot is empty */
    guint8 bytes[PAGE_BYTES];
} CachedPage;

/* The process whose inspection has begun last has the pages; of others, whose works wait meanwhile, memory is read directly. */
static CachedPage *cached_pages;
static TargetMemory *cache_owner;

static void
forget_pages (TargetMemory *memory)
{
    for (guint i = 0; cache_owner == memory && i < N_PAGES; i++) {
        cached_pages[i].size = 0;
    }
}

gsize
target_memory_read_raw (TargetMemory *memory, guint64 address, void *data, gsize size)
{
    struct iovec local = { data, size };
    struct iovec remote = { (void *) (gsize) address, size };
    ssize_t done = memory->is_refused
                       ? -1
                       : process_vm_readv (memory->pid, &local, 1, &remote, 1, 0);
    gboolean is_refused = done < 0 && (errno == EPERM || errno == ENOSYS);
    gsize total = done > 0 ? (gsize) done : 0;

    while (total < size && find_descriptor (memory) >= 0) {
        done = pread (memory->fd, (guint8 *) data + total, size - total,
                      (off_t) (address + total));
        if (done <= 0) {
            break;
        }
        total += (gsize) done;
        memory->is_refused |= is_refused;
    }
    return total;
}

/* Where the kernel lets nobody write through /proc (proc_mem.force_override, since 6.12), a tracer still may, by
 * way of a thread that it has stopped. */
gboolean
target_thread_poke (pid_t tid, guint64 address, const guint8 *data, gsize size)
{
    guint64 word;
    gboolean done = TRUE;

    for (gsize at = 0; done && at < size;) {
        guint64 start = (address + at) & ~(guint64) (sizeof word - 1);
        gsize within = address + at - start, part = MIN (sizeof word - within, size - at);

        errno = 0;
        word = (guint64) ptrace (PTRACE_PEEKDATA, tid, (void *) (gsize) start, NULL);
        done = errno == 0;
        memcpy ((guint8 *) &word + within, data + at, part);
        done = done
               && ptrace (PTRACE_POKEDATA, tid, (void *) (gsize) start, (void *) (gsize) word)
                      == 0;
        at += part;
    }
    return done;
}

static gboolean
poke_by_threads (pid_t pid, guint64 address, const guint8 *data, gsize size)
{
    g_autoptr (GArray) tids = target_process_list_threads (pid);
    gboolean done = FALSE;

    for (guint i = 0; i < tids->len && !done; i++) {
        done = target_thread_poke (g_array_index (tids, pid_t, i), address, data, size);
    }
    return done;
}

/* A newborn child comes to its first stop by itself. On a busy machine this process does not run either: looks count, not
 * time. */
static gboolean
poke_by_any (TargetMemory *memory, guint64 address, const guint8 *data, gsize size)
{
    int reason = errno;
    gboolean done, is_coming;

    do {
        char state = memory->n_looks > 0 ? target_thread_get_state (memory->pid, memory->pid)
                                         : 0;

        is_coming = state == 'R' || state == 'S' || state == 'D';
        done = poke_by_threads (memory->pid, address, data, size);
        if (!done && is_coming) {
            memory->n_looks--;
            g_usleep (LOOK_US);
        }
    } while (!done && is_coming);
    errno = reason;
    return done;
}

gboolean
target_memory_write_raw (TargetMemory *memory, guint64 address, const void *data, gsize size,
                         GError **error)
{
    ssize_t done = -1;

    forget_pages (memory);
    if (find_descriptor (memory) >= 0) {
        done = pwrite (memory->fd, data, size, (off_t) address);
    }
    if (done < 0 && poke_by_any (memory, address, data, size)) {
        return TRUE;
    }
    if (done < 0 || (gsize) done != size) {
        const char *reason = done < 0 ? g_strerror (errno) : NULL;
        g_autofree char *at = base_text_format_address (address);

        if (reason != NULL) {
            base_error_set (error, BASE_ERROR_FAULT, "cannot write memory at %s: %s", at,
                            reason);
        } else {
            base_error_set (error, BASE_ERROR_FAULT,
                            "cannot write memory at %s: not all of it is mapped", at);
        }
        return FALSE;
    }
    return TRUE;
}

void
target_memory_begin_caching (BaseMemoryReader *reader)
{
    TargetMemory *memory = (TargetMemory *) reader;

    if (cached_pages == NULL) {
        cached_pages = g_new (CachedPage, N_PAGES);
    }
    if (memory->n_caching++ == 0) {
        cache_owner = memory;
        forget_pages (memory);
    }
}

void
target_memory_forget_cache (BaseMemoryReader *reader)
{
    forget_pages ((TargetMemory *) reader);
}

void
target_memory_end_caching (BaseMemoryReader *reader)
{
    TargetMemory *memory = (TargetMemory *) reader;

    if (memory->n_caching > 0 && --memory->n_caching == 0 && cache_owner == memory) {
        cache_owner = NULL;
    }
}

static const CachedPage *
find_page (TargetMemory *memory, guint64 address)
{
    guint64 start = address & ~(guint64) (PAGE_BYTES - 1);
    CachedPage *page = &cached_pages[start / PAGE_BYTES % N_PAGES];

    if (page->size == 0 || page->address != start) {
        page->address = start;
        page->size = target_memory_read_raw (memory, start, page->bytes, PAGE_BYTES);
    }
    return page;
}

/* FALSE: some of it is in pages that cannot be read completely. */
static gboolean
read_from_pages (TargetMemory *memory, BaseMemoryItem *item)
{
    gsize done = 0;

    if (memory->n_caching == 0 || cache_owner != memory || item->size > PAGE_BYTES) {
        return FALSE;
    }
    while (done < item->size) {
        guint64 at = item->address + done;
        gsize within = at % PAGE_BYTES, part = MIN (item->size - done, PAGE_BYTES - within);
        const CachedPage *page = find_page (memory, at);

        if (within + part > page->size) {
            return FALSE;
        }
        memcpy ((guint8 *) item->data + done, page->bytes + within, part);
        done += part;
    }
    item->done = done;
    return TRUE;
}

static void
read_one (TargetMemory *memory, BaseMemoryItem *item)
{
    if (item->size > 0 && read_from_pages (memory, item)) {
        return;
    }
    item->done = item->size == 0
                     ? 0
                     : target_memory_read_raw (memory, item->address, item->data, item->size);
}

/* Reads all items with one call. FALSE: the kernel stopped early. */
static gboolean
read_gathered (TargetMemory *memory, BaseMemoryItem *items, guint n_items)
{
    struct iovec local[64], remote[64];
    gsize wanted = 0;
    ssize_t done;

    for (guint i = 0; i < n_items; i++) {
        local[i] = (struct iovec){ items[i].data, items[i].size };
        remote[i] = (struct iovec){ (void *) (gsize) items[i].address, items[i].size };
        wanted += items[i].size;
    }
    done = memory->is_refused
               ? -1
               : process_vm_readv (memory->pid, local, n_items, remote, n_items, 0);
    if (done < 0 || (gsize) done != wanted) {
        return FALSE;
    }
    for (guint i = 0; i < n_items; i++) {
        items[i].done = items[i].size;
    }
    return TRUE;
}

static void
read_items (BaseMemoryReader *reader, BaseMemoryItem *items, guint n_items)
{
    TargetMemory *memory = (TargetMemory *) reader;

    for (guint first = 0; first < n_items; first += 64) {
        guint count = MIN (64, n_items - first);

        if (count == 1 || memory->n_caching > 0
            || !read_gathered (memory, items + first, count)) {
            for (guint i = first; i < first + count; i++) {
                read_one (memory, &items[i]);
            }
        }
    }
    for (guint i = 0; memory->traps != NULL && i < n_items; i++) {
        target_traps_hide (memory->traps, items[i].address, items[i].data, items[i].done);
    }
}

static gboolean
write_bytes (BaseMemoryReader *reader, guint64 address, const void *data, gsize size,
             GError **error)
{
    TargetMemory *memory = (TargetMemory *) reader;
    g_autofree guint8 *copy = NULL;

    if (size == 0) {
        return TRUE;
    }
    if (memory->traps == NULL) {
        return target_memory_write_raw (memory, address, data, size, error);
    }
    copy = g_memdup2 (data, size);
    target_traps_absorb (memory->traps, address, copy, size);
    return target_memory_write_raw (memory, address, copy, size, error);
}

gboolean
target_memory_load_word (BaseMemoryReader *reader, guint64 address, guint64 *ret_value)
{
    TargetMemory *memory = (TargetMemory *) reader;
    struct iovec local = { ret_value, sizeof *ret_value };
    struct iovec remote = { (void *) (gsize) address, sizeof *ret_value };

    /* Not by /proc/PID/mem, which reads and writes also what the program itself may not. */
    if (memory->is_refused
        || process_vm_readv (memory->pid, &local, 1, &remote, 1, 0)
               != (ssize_t) sizeof *ret_value) {
        return FALSE;
    }
    if (memory->traps != NULL) {
        target_traps_hide (memory->traps, address, (guint8 *) ret_value, sizeof *ret_value);
    }
    return TRUE;
}

gboolean
target_memory_store_word (BaseMemoryReader *reader, guint64 address, guint64 value)
{
    TargetMemory *memory = (TargetMemory *) reader;
    struct iovec local = { &value, sizeof value };
    struct iovec remote = { (void *) (gsize) address, sizeof value };

    /* If the value crosses a page boundary and the second page refuses the write, half of it
     * would be written. */
    if (address % PAGE_BYTES > PAGE_BYTES - sizeof value
        || (memory->traps != NULL
            && target_traps_has_any (memory->traps, address, sizeof value))) {
        return FALSE;
    }
    forget_pages (memory);
    return process_vm_writev (memory->pid, &local, 1, &remote, 1, 0) == (ssize_t) sizeof value;
}

BaseMemoryReader *
target_memory_new (pid_t pid)
{
    TargetMemory *memory = g_new0 (TargetMemory, 1);

    memory->reader.read = read_items;
    memory->reader.write = write_bytes;
    memory->pid = pid;
    memory->fd = -1;
    return &memory->reader;
}

BaseMemoryReader *
target_memory_new_of_child (pid_t child)
{
    BaseMemoryReader *reader = target_memory_new (child);

    ((TargetMemory *) reader)->n_looks = MAX_LOOKS;
    return reader;
}

void
target_memory_move (TargetMemory *memory, pid_t pid)
{
    find_descriptor (
        memory); /* which stays that of the memory, whatever becomes of the process */
    memory->pid = pid;
}

void
target_memory_free (BaseMemoryReader *reader)
{
    TargetMemory *memory = (TargetMemory *) reader;

    if (memory == NULL) {
        return;
    }
    if (cache_owner == memory) {
        cache_owner = NULL;
    }
    if (memory->fd >= 0) {
        close (memory->fd);
    }
    g_free (memory);
}
