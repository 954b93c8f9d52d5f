/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chunks are taken from the end of the file by an atomic count, reserved on the disk before they are mapped (a
 * write into a hole of a full disk would be a SIGBUS), and the file is opened anew for each: a
 * program may close any descriptor that it did not open. */
#include "agent/trace-file.h"
#include "agent/trace-keep.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_FILES = 10000, MAX_ENDS = 2 };

__thread struct trace_thread trace_thread __attribute__ ((tls_model ("initial-exec")));

static struct {
    pthread_mutex_t lock; /* of the list of threads, of lines, and of a new file */
    struct trace_thread *threads;
    struct pddt_trace_header *header; /* NULL: no file */
    char folder[3072], name[PDDT_TRACE_NAME];
    uint32_t writer, rank, size;
    uint32_t n_threads;
    uint32_t n_defined[16];
    int is_wanted; /* a file is to be there: it is begun with the next event */
    int is_broken; /* there is no more room, for good */
    int is_full;   /* KEEP_FIRST: no more events are recorded */
    int is_prepared;
    pthread_key_t key;
    struct pddt_trace_chunk *lines;
    uint64_t lines_sum; /* of its head */
    void (*on_fork) (void);
    void (*on_thread_end) (void);
    unsigned (*get_thread) (unsigned long long
                                *); /* of libpddt-trace.so; NULL: it is not there */
    int knows_threads;              /* whether it is there has been found out */
    /* of a forked process, for its header */
    char inherited[PDDT_TRACE_NAME];
    uint32_t n_inherited[16];
    int32_t forked_tid;
} ring = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int32_t
get_tid (void)
{
    return (int32_t) syscall (SYS_gettid);
}

/* ---- the file ---- */

static int
open_file (int flags)
{
    char path[sizeof ring.folder + sizeof ring.name + 1];

    snprintf (path, sizeof path, "%s/%s", ring.folder, ring.name);
    return open (path, O_RDWR | O_CLOEXEC | flags, 0666);
}

static void
fill_header (struct pddt_trace_header *header, const char *host)
{
    header->writer = ring.writer;
    header->first_rank = ring.rank;
    header->first_size = ring.size;
    memcpy (header->inherited, ring.inherited, sizeof header->inherited);
    memcpy (header->n_inherited, ring.n_inherited, sizeof header->n_inherited);
    header->forked_tid = ring.forked_tid;
    header->keep = trace_keep;
    trace_file_describe (header, host);
    header->magic = PDDT_TRACE_MAGIC;
    __atomic_store_n (&header->sum,
                      pddt_trace_sum (0, header, offsetof (struct pddt_trace_header, sum)),
                      __ATOMIC_RELEASE);
}

/* With the lock. A name is never taken twice: an exec keeps the process id. */
static int
begin_file (void)
{
    static const char *const writers[] = { "", "python", "mpi", "user", "native" };
    char host[PDDT_TRACE_HOST] = "";
    int fd = -1, result;

    ring.is_wanted = 0;
    gethostname (host, sizeof host - 1);
    for (int i = 0; i < MAX_FILES && fd < 0; i++) {
        snprintf (ring.name, sizeof ring.name, "%.60s-%d-%s-%d%s", host, (int) getpid (),
                  ring.writer < 5 ? writers[ring.writer] : "", i, PDDT_TRACE_SUFFIX);
        fd = open_file (O_CREAT | O_EXCL);
        if (fd < 0 && errno != EEXIST) {
            break;
        }
    }
    result = fd < 0 ? errno : trace_file_reserve (fd, 0, PDDT_TRACE_HEADER_SIZE);
    if (result == 0) {
        ring.header = trace_file_map (fd, 0, PDDT_TRACE_HEADER_SIZE);
        result = ring.header != NULL ? 0 : errno;
    }
    if (fd >= 0) {
        close (fd);
    }
    if (result == 0) {
        fill_header (ring.header, host);
    } else {
        ring.is_broken = 1;
    }
    return result;
}

/* ---- chunks ---- */

static void
unmap (struct pddt_trace_chunk **chunk)
{
    if (*chunk != NULL) {
        munmap (*chunk, PDDT_TRACE_CHUNK_SIZE);
    }
    *chunk = NULL;
}

static void
break_off (int reason)
{
    ring.is_broken = 1;
    if (ring.header != NULL) {
        ring.header->problem = (uint64_t) reason * PDDT_TRACE_UNIT;
    }
}

struct pddt_trace_chunk *
trace_ring_map (uint64_t index)
{
    off_t offset = PDDT_TRACE_FIRST_CHUNK + (off_t) index * PDDT_TRACE_CHUNK_SIZE;
    int fd = open_file (0);
    struct pddt_trace_chunk *chunk = NULL;

    if (fd >= 0) {
        chunk = trace_file_map (fd, offset, PDDT_TRACE_CHUNK_SIZE);
        close (fd);
    }
    return chunk;
}

struct pddt_trace_chunk *
trace_ring_extend (uint64_t *ret_index)
{
    struct pddt_trace_chunk *chunk = NULL;
    int fd = open_file (0), result = fd < 0 ? errno : 0;

    if (result == 0) {
        uint64_t index = __atomic_fetch_add (&ring.header->n_chunks, 1, __ATOMIC_RELAXED);
        off_t offset = PDDT_TRACE_FIRST_CHUNK + (off_t) index * PDDT_TRACE_CHUNK_SIZE;

        *ret_index = index;
        result = trace_file_reserve (fd, offset, PDDT_TRACE_CHUNK_SIZE);
        if (result
            == 0) { /* without MAP_POPULATE, which would map pages that cannot be written yet */
            chunk = trace_file_map (fd, offset, PDDT_TRACE_CHUNK_SIZE);
            result = chunk != NULL ? 0 : errno;
        }
        close (fd);
    }
    errno = result;
    return chunk;
}

/* Returns the sum of what is in it: nothing. */
static uint64_t
label (struct pddt_trace_chunk *chunk, uint32_t kind, uint32_t number)
{
    unsigned long long born_ns = 0;
    uint64_t sum;

    __atomic_store_n (&chunk->filled, 0, __ATOMIC_RELEASE);
    chunk->tid = trace_thread.tid;
    chunk->thread = trace_thread.number;
    chunk->number = number;
    chunk->begin_ns = trace_now ();
    chunk->born = ring.get_thread != NULL ? ring.get_thread (&born_ns) : 0;
    chunk->born_ns = born_ns;
    memset (chunk->name, 0, sizeof chunk->name);
    pthread_getname_np (pthread_self (), chunk->name, sizeof chunk->name);
    __atomic_store_n (&chunk->kind, kind, __ATOMIC_RELEASE);
    sum = pddt_trace_begin_sum (chunk, kind);
    __atomic_store_n (&chunk->filled, pddt_trace_fill (0, sum), __ATOMIC_RELEASE);
    return sum;
}

void
trace_ring_count (void)
{
    __atomic_fetch_add (&ring.header->n_begun, PDDT_TRACE_UNIT, __ATOMIC_RELAXED);
}

/* NULL: there is none, and never will be. ret_sum: of what is in it, nothing. */
static struct pddt_trace_chunk *
new_chunk (uint32_t kind, uint32_t number, uint64_t *ret_index, uint64_t *ret_sum)
{
    struct pddt_trace_chunk *chunk = trace_ring_extend (ret_index);

    if (chunk == NULL) {
        break_off (errno);
        return NULL;
    }
    *ret_sum = label (chunk, kind, number);
    trace_ring_count ();
    return chunk;
}

/* ---- what is lost ---- */

/* NULL: there are too many threads. */
static uint64_t *
find_loss (int32_t tid)
{
    uint64_t wanted = (uint64_t) tid * PDDT_TRACE_UNIT;

    for (int i = 0; tid > 0 && i < PDDT_TRACE_LOST_THREADS; i++) {
        struct pddt_trace_loss *loss = &ring.header->lost[i];
        uint64_t other = 0;

        if (__atomic_load_n (&loss->tid, __ATOMIC_RELAXED) == wanted
            || __atomic_compare_exchange_n (&loss->tid, &other, wanted, 0, __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED)
            || other == wanted) {
            return &loss->n;
        }
    }
    return NULL;
}

static void
add_lost (uint64_t *of_thread, uint64_t n)
{
    __atomic_fetch_add (&ring.header->n_lost, n * PDDT_TRACE_UNIT, __ATOMIC_RELAXED);
    if (of_thread != NULL) {
        __atomic_fetch_add (of_thread, n * PDDT_TRACE_UNIT, __ATOMIC_RELAXED);
    }
}

void
trace_ring_lose (int32_t tid, uint64_t n)
{
    add_lost (find_loss (tid), n);
}

/* Up to now there was room for everything. */
static void
note_end (void)
{
    struct pddt_trace_full *full = &ring.header->full;
    uint64_t never = 0, now = trace_now ();

    if (__atomic_compare_exchange_n (&full->time_ns, &never, now, 0, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED)) {
        __atomic_store_n (&full->sum, pddt_trace_close (pddt_trace_mix (0, now, 0)),
                          __ATOMIC_RELAXED);
    }
}

void
trace_lose (unsigned n)
{
    struct trace_thread *thread = &trace_thread;

    if (ring.header == NULL) {
        return;
    }
    if (thread->lost == NULL) {
        thread->lost = find_loss (thread->tid != 0 ? thread->tid : get_tid ());
    }
    if (trace_keep == PDDT_TRACE_KEEP_ALL && ring.is_broken
        && ring.header->full.time_ns == 0) { /* one that came too late is missing alone */
        note_end ();
    }
    add_lost (thread->lost, n);
}

/* ---- threads ---- */

static void
leave_list (struct trace_thread *thread)
{
    *thread->link = thread->following;
    if (thread->following != NULL) {
        thread->following->link = thread->link;
    }
    thread->link = NULL;
}

/* Between them a handler of a signal that the thread gets records nothing: it would wait for a lock that its own thread
 * holds, or write where that one writes. */
static void
begin_busy (void)
{
    trace_thread.is_busy = 1;
    __atomic_signal_fence (__ATOMIC_SEQ_CST);
}

static void
end_busy (void)
{
    __atomic_signal_fence (__ATOMIC_SEQ_CST);
    trace_thread.is_busy = 0;
}

int
trace_is_busy (void)
{
    return trace_thread.is_busy || trace_thread.is_defining;
}

/* The thread ends: what it still records (in other destructors) begins a further chunk, but not without end: there are as
 * many rounds of destructors as PTHREAD_DESTRUCTOR_ITERATIONS says, and nobody would take it from the list after the last.
 * So that each round counts, the thread is told of the next one, too. */
static void
on_thread_end (void *data)
{
    struct trace_thread *thread = data;

    if (++thread->n_ends < MAX_ENDS) {
        pthread_setspecific (ring.key, thread);
    }
    if (thread->link == NULL) { /* it has recorded nothing since the last round */
        return;
    }
    if (ring.on_thread_end != NULL) {
        ring.on_thread_end ();
    }
    begin_busy ();
    pthread_mutex_lock (&ring.lock);
    leave_list (thread);
    if (trace_keep == PDDT_TRACE_KEEP_LAST && thread->tid != 0) {
        if (thread->chunk != NULL) {
            trace_keep_add (thread->number, thread->index);
        }
        trace_keep_end (thread->number);
    }
    thread->tid = 0;
    pthread_mutex_unlock (&ring.lock);
    thread->next = thread->end = NULL;
    unmap (&thread->chunk);
    unmap (&thread->definitions);
    end_busy ();
}

void
trace_await_end (void)
{
    if (__atomic_load_n (&ring.is_prepared, __ATOMIC_ACQUIRE)) {
        begin_busy ();
        pthread_setspecific (ring.key, &trace_thread);
        end_busy ();
    }
}

static void
enter_list (void)
{
    struct trace_thread *thread = &trace_thread;

    thread->tid = get_tid ();
    thread->number = ring.n_threads++;
    thread->n_chunks = thread->n_definitions = 0;
    thread->following = ring.threads;
    if (ring.threads != NULL) {
        ring.threads->link = &thread->following;
    }
    thread->link = &ring.threads;
    ring.threads = thread;
    pthread_setspecific (ring.key, thread);
}

/* FALSE: nothing is recorded. Whether there is to be a file is known with the lock alone: another thread may be about to
 * begin it. */
static int
make_ready (void)
{
    int is_ready, was_busy = trace_thread.is_busy;

    if (ring.is_broken || trace_thread.n_ends >= MAX_ENDS) {
        return 0;
    }
    if (trace_thread.tid != 0 && __atomic_load_n (&ring.header, __ATOMIC_ACQUIRE) != NULL) {
        return 1;
    }
    begin_busy ();
    pthread_mutex_lock (&ring.lock);
    if (ring.header == NULL && ring.is_wanted) {
        begin_file ();
    }
    is_ready = ring.header != NULL && !ring.is_broken;
    if (is_ready && trace_thread.tid == 0) {
        enter_list ();
    }
    pthread_mutex_unlock (&ring.lock);
    __atomic_signal_fence (__ATOMIC_SEQ_CST);
    trace_thread.is_busy = was_busy;
    return is_ready;
}

/* Of those that keep what comes first: this is where it ends. */
static void
fill_up (void)
{
    note_end ();
    ring.is_full = 1;
}

/* In place of the one that is full, whose thread this is. NULL: there is none. */
static struct pddt_trace_chunk *
get_next_chunk (struct trace_thread *thread)
{
    struct pddt_trace_chunk *chunk = NULL;

    if (trace_keep == PDDT_TRACE_KEEP_LAST) {
        pthread_mutex_lock (&ring.lock);
        if (thread->chunk != NULL) {
            trace_keep_add (thread->number, thread->index);
        }
        if (!trace_keep_take ()) { /* each thread has at least one */
            chunk = trace_keep_recycle (&thread->index);
        }
        pthread_mutex_unlock (&ring.lock);
    } else if (!trace_keep_take ()) {
        fill_up ();
        unmap (&thread->chunk);
        return NULL;
    }
    unmap (&thread->chunk);
    if (chunk != NULL) {
        thread->sum = label (chunk, PDDT_TRACE_EVENTS, thread->n_chunks++);
        return chunk;
    }
    return new_chunk (PDDT_TRACE_EVENTS, thread->n_chunks++, &thread->index, &thread->sum);
}

static struct pddt_trace_event *
get_end (struct pddt_trace_chunk *chunk)
{
    return (struct pddt_trace_event *) (chunk + 1) + PDDT_TRACE_SLOTS;
}

struct pddt_trace_event *
trace_refill (unsigned n_slots)
{
    struct trace_thread *thread = &trace_thread;
    int is_writing = thread->chunk != NULL && thread->end != get_end (thread->chunk);
    int reason = errno, is_nested = thread->is_busy || is_writing;

    if (ring.is_full || is_nested) {
        trace_lose (1);
        return NULL;
    }
    begin_busy ();
    thread->next = thread->end = NULL;
    if (n_slots <= PDDT_TRACE_SLOTS && make_ready ()) {
        thread->chunk = get_next_chunk (thread);
    }
    end_busy ();
    if (thread->chunk == NULL || ring.is_broken) {
        trace_lose (1);
        errno = reason;
        return NULL;
    }
    thread->next = thread->end = (struct pddt_trace_event *) (thread->chunk + 1);
    errno = reason;
    return thread->next;
}

/* ---- fork ---- */

static void
before_fork (void)
{
    begin_busy ();
    pthread_mutex_lock (&ring.lock);
}

static void
after_fork (void)
{
    pthread_mutex_unlock (&ring.lock);
    end_busy ();
}

static void
forget_parent (void)
{
    for (struct trace_thread *thread = ring.threads; thread != NULL;) {
        struct trace_thread *following = thread->following;

        unmap (&thread->chunk);
        unmap (&thread->definitions);
        thread->next = thread->end = NULL;
        thread->link = NULL;
        thread->lost = NULL;
        thread->tid = 0;
        thread = following;
    }
    ring.threads = NULL;
    ring.n_threads = 0;
    ring.is_full = 0;
    trace_thread.lost = NULL;
    trace_keep_forget ();
    unmap (&ring.lines);
}

static void
in_child (void)
{
    int32_t tid = trace_thread.tid;

    forget_parent ();
    if (ring.header != NULL) { /* one that was not begun yet inherits what its parent does */
        ring.forked_tid = tid;
        memcpy (ring.inherited, ring.name, sizeof ring.inherited);
        memcpy (ring.n_inherited, ring.n_defined, sizeof ring.n_inherited);
        ring.is_wanted = !ring.is_broken;
        munmap (ring.header, PDDT_TRACE_HEADER_SIZE);
        ring.header = NULL;
    }
    after_fork ();
    if (ring.on_fork != NULL) {
        ring.on_fork ();
    }
}

void
trace_on_fork (void (*function) (void))
{
    ring.on_fork = function;
}

void
trace_on_thread_end (void (*function) (void))
{
    ring.on_thread_end = function;
}

/* ---- begin and end ---- */

static void
load_settings (void)
{
    char path[sizeof ring.folder + sizeof "/settings"];
    size_t size;
    char *text;

    snprintf (path, sizeof path, "%s/settings", ring.folder);
    text = trace_read_whole (path, &size);
    trace_keep_load (text);
    free (text);
}

void
trace_find_threads (void)
{
    if (!ring.knows_threads) {
        *(void **) &ring.get_thread = dlsym (RTLD_DEFAULT, "pddt_trace_get_thread");
        ring.knows_threads = 1;
    }
}

int
trace_open (uint32_t writer)
{
    static const char *const rank_names[] = { "PDDT_TRACE_RANK", "OMPI_COMM_WORLD_RANK",
                                              "PMIX_RANK",       "PMI_RANK",
                                              "SLURM_PROCID",    NULL };
    static const char *const size_names[] = { "PDDT_TRACE_SIZE", "OMPI_COMM_WORLD_SIZE",
                                              "PMI_SIZE", "SLURM_NTASKS", NULL };
    int result;

    if (ring.header != NULL) {
        return 0;
    }
    if (!trace_find_setting (TRACE_FOLDER_VARIABLE, ring.folder, sizeof ring.folder)
        || ring.folder[0] != '/') {
        return ENOENT;
    }
    load_settings ();
    if (!ring.is_prepared
        && (pthread_key_create (&ring.key, on_thread_end) != 0
            || pthread_atfork (before_fork, after_fork, in_child) != 0)) {
        return EAGAIN;
    }
    __atomic_store_n (&ring.is_prepared, 1, __ATOMIC_RELEASE);
    trace_find_threads ();
    ring.writer = writer;
    ring.rank = trace_find_number (rank_names);
    ring.size = trace_find_number (size_names);
    begin_busy ();
    pthread_mutex_lock (&ring.lock);
    result = begin_file ();
    pthread_mutex_unlock (&ring.lock);
    end_busy ();
    return result;
}

static void
set_end (uint32_t state, uint32_t is_exit)
{
    struct pddt_trace_end *end = &ring.header->end;

    __atomic_store_n (&end->sum, 0, __ATOMIC_RELEASE);
    trace_file_get_times (&end->end_ns, &end->end_real_ns);
    end->state = state;
    end->is_exit = is_exit;
    __atomic_store_n (&end->sum, pddt_trace_sum_end (end), __ATOMIC_RELEASE);
}

void
trace_end (void)
{
    if (ring.header != NULL) {
        set_end (PDDT_TRACE_ENDED, 0);
    }
}

void
trace_exit (void)
{
    if (ring.header != NULL) {
        set_end (PDDT_TRACE_ENDED, 1);
    }
}

void
trace_execute (void)
{
    if (ring.header != NULL && ring.header->pid == getpid ()) {
        set_end (PDDT_TRACE_EXECUTED, 0);
    }
}

void
trace_go_on (void)
{
    if (ring.header != NULL && ring.header->pid == getpid ()) {
        __atomic_store_n (&ring.header->end.sum, 0, __ATOMIC_RELEASE);
    }
}

void
trace_set_rank (uint32_t rank, uint32_t size)
{
    ring.rank = rank;
    ring.size = size;
    if (ring.header != NULL) {
        struct pddt_trace_rank *later = &ring.header->later;

        __atomic_store_n (&later->sum, 0, __ATOMIC_RELEASE);
        later->rank = rank;
        later->size = size;
        __atomic_store_n (&later->sum, pddt_trace_sum_rank (later), __ATOMIC_RELEASE);
    }
}

/* ---- definitions ---- */

/* Room for it in the thread's chunk; NULL: there is none. */
static struct pddt_trace_definition *
find_room (size_t whole)
{
    struct trace_thread *thread = &trace_thread;
    uint64_t index;

    if (!make_ready ()) {
        return NULL;
    }
    if (thread->definitions == NULL
        || PDDT_TRACE_CHUNK_ROOM - pddt_trace_get_used (thread->definitions) < whole) {
        unmap (&thread->definitions);
        thread->definitions = new_chunk (PDDT_TRACE_DEFINITIONS, thread->n_definitions++,
                                         &index, &thread->definitions_sum);
    }
    return thread->definitions != NULL ? (void *) ((char *) (thread->definitions + 1)
                                                   + pddt_trace_get_used (thread->definitions))
                                       : NULL;
}

struct pddt_trace_definition *
trace_ring_begin_definition (uint32_t kind, size_t size)
{
    size_t whole = (size + 15) & ~(size_t) 15;
    struct pddt_trace_definition *definition;

    if (whole > PDDT_TRACE_CHUNK_ROOM || trace_is_busy ()) {
        return NULL;
    }
    trace_thread.is_defining = 1;
    __atomic_signal_fence (__ATOMIC_SEQ_CST);
    definition = find_room (whole);
    if (definition == NULL) {
        trace_thread.is_defining = 0;
        return NULL;
    }
    definition->size = (uint32_t) size;
    definition->kind = kind;
    definition->id = __atomic_add_fetch (&ring.n_defined[kind], 1, __ATOMIC_RELAXED);
    return definition;
}

uint32_t
trace_ring_end_definition (const struct pddt_trace_definition *definition)
{
    struct trace_thread *thread = &trace_thread;
    struct pddt_trace_chunk *chunk = thread->definitions;
    uint32_t whole = (definition->size + 15) & ~15u, id = definition->id;

    thread->definitions_sum = pddt_trace_sum (thread->definitions_sum, definition, whole);
    __atomic_store_n (&chunk->filled,
                      pddt_trace_fill (pddt_trace_get_used (chunk) + whole,
                                       thread->definitions_sum),
                      __ATOMIC_RELEASE);
    __atomic_signal_fence (__ATOMIC_SEQ_CST);
    thread->is_defining = 0;
    return id;
}

/* Threads share these chunks. */
struct pddt_trace_line *
trace_new_line (uint32_t region, uint32_t number)
{
    struct pddt_trace_line *line = NULL;
    uint64_t index;
    uint32_t used;

    if (trace_is_busy ()) {
        return NULL;
    }
    begin_busy ();
    if (!make_ready ()) {
        end_busy ();
        return NULL;
    }
    pthread_mutex_lock (&ring.lock);
    if (ring.lines == NULL || pddt_trace_get_used (ring.lines) + 2 > PDDT_TRACE_SLOTS) {
        /* the full one stays mapped: its lines are counted up there */
        ring.lines = new_chunk (PDDT_TRACE_LINES, 0, &index, &ring.lines_sum);
    }
    if (ring.lines != NULL) {
        used = pddt_trace_get_used (ring.lines);
        line = (void *) ((struct pddt_trace_event *) (ring.lines + 1) + used);
        line->region = region;
        line->line = number;
        line->time = (pddt_trace_pair){ 0, pddt_trace_sum_line (line, 0) };
        __atomic_store_n (&ring.lines->filled,
                          pddt_trace_fill (used + 2,
                                           pddt_trace_mix (ring.lines_sum, used + 2, 0)),
                          __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock (&ring.lock);
    end_busy ();
    return line;
}
