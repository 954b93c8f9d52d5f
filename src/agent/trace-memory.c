/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that Python allocates, sampled by bytes: of each 64 to 512 KiB that a thread allocates, one block stands for
 * all of it until it is freed, and for the line that was running. All three domains pass here; a block that one of them
 * takes from another counts once. Other blocks cost a subtraction, and a look at a byte when they are freed. */
#include "agent/trace-python.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A thread that allocates much is sampled less and less often: what a sample costs is a µs. */
enum {
    LEAST_INTERVAL = 64 << 10,
    DOUBLED_AFTER = 256,
    MOST_DOUBLED = 3,
    N_DOMAINS = 3,
    RAW = 0
};
enum { N_BUCKETS = 1 << 14, MAX_BLOCKS = 1 << 16, N_FILTER = 1 << 12 };

/* PyMemAllocatorEx, which is not in the limited API. */
typedef struct {
    void *context;
    void *(*malloc) (void *, size_t);
    void *(*calloc) (void *, size_t, size_t);
    void *(*realloc) (void *, void *, size_t);
    void (*free) (void *, void *);
} Allocator;

typedef struct {
    Allocator base;
    int has_gil; /* whoever calls it holds the interpreter's lock */
} Domain;

typedef struct {
    const void *address;
    uint64_t bytes; /* that it stands for */
    uint32_t next;  /* number + 1; 0: the last one */
} Block;

int trace_wants_memory;
static Domain domains[N_DOMAINS];
static struct {
    pthread_mutex_t lock;
    Block blocks[MAX_BLOCKS];
    uint32_t heads[N_BUCKETS]; /* number + 1 */
    uint32_t n, unused;        /* begun; head of those that are free again */
} * known;
static uint16_t filter[N_FILTER]; /* how many known blocks hash there */
static __thread struct {
    int is_inside;
    int64_t left; /* bytes until the next sample */
    int64_t interval;
    uint64_t random;
    uint32_t n; /* samples */
} own __attribute__ ((tls_model ("initial-exec")));

/* ---- where the program is ---- */

static struct {
    int (*get_frame_line) (PyObject *); /* PyFrame_GetLineNumber */
    int (*get_line) (void *);           /* 3.12: PyUnstable_InterpreterFrame_GetLine */
    int (*find_line) (PyObject *, int); /* 3.11: PyCode_Addr2Line */
    long code_size;                     /* where the instructions of a code object begin */
    int has_layout;
} api;

#define AT(pointer, offset) (*(void **) ((char *) (pointer) + (offset)))

/* The innermost frame of this thread, as the interpreter has it: asking for a frame object would make one. The offsets
 * are those of src/python/layout.c. */
static void *
get_frame (void)
{
    void *state = PyThreadState_Get (), *frame;

    if (trace_minor <= 10) {
        return AT (state, 24);
    }
    if (trace_minor >= 13) {
        return AT (state, 72);
    }
    frame = AT (state, 56);
    return frame != NULL ? AT (frame, trace_minor == 11 ? 8 : 0) : NULL;
}

static PyObject *
get_code (void *frame)
{
    return AT (frame, trace_minor <= 11 ? 32 : 0);
}

static void *
get_back (void *frame)
{
    return AT (frame, trace_minor <= 10 ? 24 : trace_minor == 11 ? 48 : 8);
}

static int
get_line (void *frame)
{
    if (trace_minor <= 10) {
        return api.get_frame_line (frame);
    }
    return trace_minor == 11
               ? api.find_line (get_code (frame),
                                (int) ((char *) AT (frame, 56) - (char *) get_code (frame)
                                       - api.code_size))
               : api.get_line (frame);
}

/* The region of the innermost function that is recorded, and its line; 0: none. */
static uint32_t
find_place (int *ret_line)
{
    void *frame = api.has_layout ? get_frame () : NULL;

    *ret_line = 0;
    for (int i = 0; frame != NULL && i < 64; i++) {
        uint32_t region = trace_codes_peek (get_code (frame));

        if (region != 0) {
            *ret_line = get_line (frame);
            return region;
        }
        frame = get_back (frame);
    }
    return 0;
}

/* ---- blocks that stand for others ---- */

static uint32_t
hash (const void *address)
{
    return (uint32_t) (((uintptr_t) address >> 4) * 0x9e3779b97f4a7c15ull >> 40);
}

/* 0: there is no room. */
static int
keep (const void *address, uint64_t bytes)
{
    uint32_t at = hash (address) % N_BUCKETS, number = 0;

    pthread_mutex_lock (&known->lock);
    if (known->unused != 0) {
        number = known->unused;
        known->unused = known->blocks[number - 1].next;
    } else if (known->n < MAX_BLOCKS) {
        number = ++known->n;
    }
    if (number != 0) {
        known->blocks[number - 1] = (Block){ address, bytes, known->heads[at] };
        known->heads[at] = number;
        __atomic_fetch_add (&filter[hash (address) % N_FILTER], 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock (&known->lock);
    return number != 0;
}

/* The bytes that the block stood for; 0: it is none of those. */
static uint64_t
forget (const void *address)
{
    uint32_t *link = &known->heads[hash (address) % N_BUCKETS], number;
    uint64_t bytes = 0;

    pthread_mutex_lock (&known->lock);
    while (*link != 0 && known->blocks[*link - 1].address != address) {
        link = &known->blocks[*link - 1].next;
    }
    number = *link;
    if (number != 0) {
        Block *block = &known->blocks[number - 1];

        bytes = block->bytes;
        *link = block->next;
        block->next = known->unused;
        known->unused = number;
        __atomic_fetch_sub (&filter[hash (address) % N_FILTER], 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock (&known->lock);
    return bytes;
}

static void
put (uint8_t kind, uint32_t region, int line, const void *address, uint64_t bytes)
{
    struct pddt_trace_memory memory = { bytes, (uintptr_t) address };

    trace_put_with (kind, region, line > 0 && line <= UINT16_MAX ? (uint16_t) line : 0, &memory,
                    sizeof memory);
}

/* Intervals differ, so that a program that allocates in a rhythm is not always seen at the same beat. */
static void
begin_interval (void)
{
    uint32_t doubled = own.n++ / DOUBLED_AFTER;
    int64_t size = (int64_t) LEAST_INTERVAL
                   << (doubled < MOST_DOUBLED ? doubled : MOST_DOUBLED);

    if (own.random == 0) {
        own.random = (uintptr_t) &own | 1;
    }
    own.random ^= own.random << 13;
    own.random ^= own.random >> 7;
    own.random ^= own.random << 17;
    own.interval = size / 2 + (int64_t) (own.random % (uint64_t) size);
    own.left = own.interval;
}

static void __attribute__ ((noinline)) take_sample (const Domain *domain, const void *address)
{
    uint64_t bytes = (uint64_t) (own.interval - own.left);
    int is_first = own.interval == 0, line = 0;
    uint32_t region;

    begin_interval ();
    if (is_first) { /* of the thread: the interval begins here */
        return;
    }
    own.is_inside = 1;
    if (!(trace_pause & TRACE_NO_RECORDING) && keep (address, bytes)) {
        region = domain->has_gil ? find_place (&line) : 0;
        put (PDDT_TRACE_ALLOCATED, region, line, address, bytes);
    }
    own.is_inside = 0;
}

/* The block is about to be freed. Returns what forget does. */
static inline uint64_t
let_go (const void *address)
{
    return __builtin_expect (__atomic_load_n (&filter[hash (address) % N_FILTER],
                                              __ATOMIC_RELAXED)
                                 != 0,
                             0)
               ? forget (address)
               : 0;
}

static void
put_freed (const void *address, uint64_t bytes)
{
    int was_inside = own.is_inside;

    own.is_inside = 1;
    put (PDDT_TRACE_FREED, 0, 0, address, bytes);
    own.is_inside = was_inside;
}

/* ---- what the interpreter calls ---- */

static inline void
count (const Domain *domain, const void *address, size_t size)
{
    if (address != NULL) {
        own.left -= (int64_t) size;
        if (__builtin_expect (own.left < 0, 0)) {
            take_sample (domain, address);
        }
    }
}

static void *
on_malloc (void *context, size_t size)
{
    const Domain *domain = context;
    void *address;

    if (own.is_inside) {
        return domain->base.malloc (domain->base.context, size);
    }
    own.is_inside = 1;
    address = domain->base.malloc (domain->base.context, size);
    own.is_inside = 0;
    count (domain, address, size);
    return address;
}

static void *
on_calloc (void *context, size_t n, size_t size)
{
    const Domain *domain = context;
    void *address;

    if (own.is_inside) {
        return domain->base.calloc (domain->base.context, n, size);
    }
    own.is_inside = 1;
    address = domain->base.calloc (domain->base.context, n, size);
    own.is_inside = 0;
    count (domain, address, n * size); /* it did not overflow, or there is no block */
    return address;
}

static void *
on_realloc (void *context, void *before, size_t size)
{
    const Domain *domain = context;
    uint64_t bytes;
    void *address;

    if (own.is_inside) {
        return domain->base.realloc (domain->base.context, before, size);
    }
    bytes = before != NULL ? let_go (before)
                           : 0; /* first: another thread may get its address */
    own.is_inside = 1;
    address = domain->base.realloc (domain->base.context, before, size);
    own.is_inside = 0;
    if (bytes > 0 && (address != NULL || !keep (before, bytes))) {
        put_freed (before, bytes);
    }
    count (domain, address, size);
    return address;
}

static void
on_free (void *context, void *address)
{
    const Domain *domain = context;
    uint64_t bytes;

    if (own.is_inside) {
        domain->base.free (domain->base.context, address);
        return;
    }
    bytes = address != NULL ? let_go (address) : 0;
    if (bytes > 0) {
        put_freed (address, bytes);
    }
    own.is_inside = 1;
    domain->base.free (domain->base.context, address);
    own.is_inside = 0;
}

/* ---- begin ---- */

static void
before_fork (void)
{
    pthread_mutex_lock (&known->lock);
}

static void
after_fork (void)
{
    pthread_mutex_unlock (&known->lock);
}

/* A debug build has other layouts. */
static void
look_up (void)
{
    PyObject *type = NULL, *size;

    *(void **) &api.get_frame_line = trace_find_symbol ("PyFrame_GetLineNumber");
    *(void **) &api.get_line = trace_find_symbol ("PyUnstable_InterpreterFrame_GetLine");
    *(void **) &api.find_line = trace_find_symbol ("PyCode_Addr2Line");
    if (trace_minor == 11) {
        type = trace_find_symbol ("PyCode_Type");
        size = type != NULL ? PyObject_GetAttrString (type, "__basicsize__") : NULL;
        api.code_size = size != NULL ? PyLong_AsLong (size) : 0;
        Py_XDECREF (size);
    }
    api.has_layout = PySys_GetObject ("gettotalrefcount") == NULL
                     && (trace_minor <= 10   ? api.get_frame_line != NULL
                         : trace_minor == 11 ? api.find_line != NULL && api.code_size > 0
                                             : trace_minor <= 13 && api.get_line != NULL);
    PyErr_Clear ();
}

void
trace_memory_start (void)
{
    void (*get) (int, Allocator *) = NULL, (*set) (int, Allocator *) = NULL;

    *(void **) &get = trace_find_symbol ("PyMem_GetAllocator");
    *(void **) &set = trace_find_symbol ("PyMem_SetAllocator");
    known = get != NULL && set != NULL ? calloc (1, sizeof *known) : NULL;
    if (known == NULL) {
        return;
    }
    pthread_mutex_init (&known->lock, NULL);
    pthread_atfork (before_fork, after_fork, after_fork);
    look_up ();
    for (int i = 0; i < N_DOMAINS; i++) {
        Allocator ours = { &domains[i], on_malloc, on_calloc, on_realloc, on_free };

        get (i, &domains[i].base);
        domains[i].has_gil = i != RAW;
        set (i, &ours);
    }
}
