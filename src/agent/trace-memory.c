/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that Python allocates, sampled by bytes: a sample stands for the line that was running. All three domains pass
 * here; a block that one of them takes from another counts once, and so does one that it takes from the C library, where
 * libpddt-memory.so samples that. */
#include "agent/trace-allocator.h"
#include "agent/trace-blocks.h"
#include "agent/trace-python.h"
#include <pthread.h>

/* Below pymalloc's SMALL_REQUEST_THRESHOLD, with what debug hooks add. */
enum { N_DOMAINS = 3, MOST_SMALL = 448 };

typedef struct {
    struct trace_allocator base;
    size_t most_own; /* blocks up to that size it takes from no other domain */
    int has_gil;     /* whoever calls it holds the interpreter's lock */
} Domain;

int trace_wants_memory;
static Domain domains[N_DOMAINS];
static __thread struct {
    int is_inside;
    struct trace_beat beat;
} own __attribute__ ((tls_model ("initial-exec")));
/* Where the mark is that this thread is inside an allocator, from `own` on: libpddt-memory.so has one that both know. */
static ptrdiff_t mark_offset;

static inline int *
get_mark (void)
{
    return (int *) ((char *) &own + mark_offset);
}

/* ---- where the program is ---- */

static struct {
    int (*get_frame_line) (PyObject *); /* PyFrame_GetLineNumber */
    int (*get_line) (void *);           /* 3.12: PyUnstable_InterpreterFrame_GetLine */
    int (*find_line) (PyObject *, int); /* 3.11: PyCode_Addr2Line */
    void *(*get_own_state) (void);      /* of this thread, whoever has the GIL */
    void *(*get_current_state) (void);  /* of whoever has it */
    long code_size;                     /* where the instructions of a code object begin */
    int has_layout;
} api;

#define AT(pointer, offset) (*(void **) ((char *) (pointer) + (offset)))

/* The innermost frame of this thread, as the interpreter has it: asking for a frame object would make one. The offsets
 * are those of src/python/layout-fields.h. */
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

/* From 3.14 on what frames hold has tags in its lowest bits. */
static PyObject *
get_code (void *frame)
{
    uintptr_t code = (uintptr_t) AT (frame, trace_minor <= 11 ? 32 : 0);

    return (PyObject *) (trace_minor >= 14 ? code & ~(uintptr_t) 3 : code);
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

/* ---- samples ---- */

static void __attribute__ ((noinline)) take_sample (const Domain *domain, const void *address)
{
    uint64_t bytes, before;
    int line = 0;
    uint32_t region;

    if (*get_mark ()) {
        return; /* around a fork: the next one stands for this, too */
    }
    bytes = trace_beat_take (&own.beat);
    if (bytes == 0) {
        return;
    }
    *get_mark () = 1;
    if (!(trace_pause & TRACE_NO_RECORDING) && trace_blocks_keep (address, bytes, &before)) {
        if (before > 0) {
            trace_blocks_put_freed (address, before);
        }
        region = domain->has_gil ? find_place (&line) : 0;
        trace_blocks_put_allocated (region, line, address, bytes, NULL, 0);
    }
    *get_mark () = 0;
}

/* The block is about to be freed. Returns what trace_blocks_forget does. */
static inline uint64_t
let_go (const void *address)
{
    return trace_blocks_may_have (address) ? trace_blocks_forget (address) : 0;
}

static void
put_freed (const void *address, uint64_t bytes)
{
    int *mark = get_mark (), was_inside = *mark;

    *mark = 1;
    trace_blocks_put_freed (address, bytes);
    *mark = was_inside;
}

/* ---- what the interpreter calls ---- */

/* Of nearly all blocks this is all that happens, and the function that does it ends in the one that allocates: what would
 * come after it costs as much as all the rest. */
static inline int
is_due (size_t size)
{
    own.beat.left -= (int64_t) size;
    return __builtin_expect (own.beat.left < 0, 0);
}

static void
count (const Domain *domain, const void *address, size_t size)
{
    if (address != NULL && is_due (size)) {
        take_sample (domain, address);
    }
}

/* The block is counted already, and is the one to be sampled. */
static void *__attribute__ ((noinline)) sample (const Domain *domain, void *address)
{
    if (address != NULL) {
        take_sample (domain, address);
    }
    return address;
}

static void *__attribute__ ((noinline)) allocate_large (const Domain *domain, size_t size)
{
    int *mark = get_mark ();
    void *address;

    if (*mark) {
        return domain->base.malloc (domain->base.context, size);
    }
    *mark = 1;
    address = domain->base.malloc (domain->base.context, size);
    *mark = 0;
    count (domain, address, size);
    return address;
}

static void *
on_malloc (void *context, size_t size)
{
    const Domain *domain = context;

    if (size > domain->most_own) {
        return allocate_large (domain, size);
    }
    if (is_due (size)) {
        return sample (domain, domain->base.malloc (domain->base.context, size));
    }
    return domain->base.malloc (domain->base.context, size);
}

static void *__attribute__ ((noinline))
allocate_large_zeros (const Domain *domain, size_t n, size_t size)
{
    int *mark = get_mark ();
    void *address;

    if (*mark) {
        return domain->base.calloc (domain->base.context, n, size);
    }
    *mark = 1;
    address = domain->base.calloc (domain->base.context, n, size);
    *mark = 0;
    count (domain, address, n * size); /* it did not overflow, or there is no block */
    return address;
}

static void *
on_calloc (void *context, size_t n, size_t size)
{
    const Domain *domain = context;
    size_t whole;

    if (__builtin_mul_overflow (n, size, &whole) || whole > domain->most_own) {
        return allocate_large_zeros (domain, n, size);
    }
    if (is_due (whole)) {
        return sample (domain, domain->base.calloc (domain->base.context, n, size));
    }
    return domain->base.calloc (domain->base.context, n, size);
}

static void *
on_realloc (void *context, void *before, size_t size)
{
    const Domain *domain = context;
    int *mark = get_mark ();
    uint64_t bytes, other;
    void *address;

    if (*mark) {
        return domain->base.realloc (domain->base.context, before, size);
    }
    bytes = before != NULL ? let_go (before)
                           : 0; /* first: another thread may get its address */
    *mark = 1;
    address = domain->base.realloc (domain->base.context, before, size);
    *mark = 0;
    if (bytes > 0 && (address != NULL || !trace_blocks_keep (before, bytes, &other))) {
        put_freed (before, bytes);
    }
    count (domain, address, size);
    return address;
}

static void __attribute__ ((noinline)) free_known (const Domain *domain, void *address)
{
    uint64_t bytes = *get_mark () ? 0 : trace_blocks_forget (address);

    if (bytes > 0) {
        put_freed (address, bytes);
    }
    domain->base.free (domain->base.context, address);
}

/* Where another domain frees it, that one finds nothing any more. */
static void
on_free (void *context, void *address)
{
    const Domain *domain = context;

    if (trace_blocks_may_have (address)) {
        free_known (domain, address);
    } else {
        domain->base.free (domain->base.context, address);
    }
}

/* ---- begin ---- */

/* What others do around the fork may allocate. */
static void
before_fork (void)
{
    *get_mark () = 1;
    trace_blocks_lock ();
}

static void
after_fork (void)
{
    trace_blocks_unlock ();
    *get_mark () = 0;
}

/* Of the C library's memory that this thread allocates while it holds the interpreter's lock: the line that was running is
 * known. FALSE: it does not, or runs no Python code that is recorded. */
static int
put_native (const void *address, uint64_t bytes, const uintptr_t *frames, unsigned n_frames)
{
    void *state = api.get_own_state ();
    uint32_t region = 0;
    int line = 0;

    if (state == NULL || state != api.get_current_state ()
        || (trace_pause & TRACE_NO_RECORDING)) {
        return 0;
    }
    region = find_place (&line);
    if (region != 0) {
        trace_blocks_put_allocated (region, line, address, bytes, frames, n_frames);
    }
    return region != 0;
}

/* FALSE: there is no libpddt-memory.so, which samples what the C library allocates. */
static int
join_native (void)
{
    int *(*get_native_mark) (void) = NULL;
    void (*set_python) (int (*) (const void *, uint64_t, const uintptr_t *, unsigned)) = NULL;

    *(void **) &get_native_mark = trace_find_symbol ("pddt_memory_get_mark");
    *(void **) &set_python = trace_find_symbol ("pddt_memory_set_python");
    *(void **) &api.get_own_state = trace_find_symbol ("PyGILState_GetThisThreadState");
    *(void **) &api.get_current_state = trace_find_symbol (trace_minor >= 13
                                                               ? "PyThreadState_GetUnchecked"
                                                               : "_PyThreadState_UncheckedGet");
    if (get_native_mark == NULL || set_python == NULL) {
        return 0;
    }
    mark_offset = (char *) get_native_mark () - (char *) &own; /* the same in all threads */
    if (api.get_own_state != NULL && api.get_current_state != NULL) {
        set_python (put_native);
    }
    return 1;
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
                                             : trace_minor <= 14 && api.get_line != NULL);
    PyErr_Clear ();
}

void
trace_memory_start (void)
{
    void (*get) (int, struct trace_allocator *) = NULL;
    void (*set) (int, struct trace_allocator *) = NULL;
    int has_native;

    *(void **) &get = trace_find_symbol ("PyMem_GetAllocator");
    *(void **) &set = trace_find_symbol ("PyMem_SetAllocator");
    if (get == NULL || set == NULL) {
        return;
    }
    pthread_atfork (before_fork, after_fork, after_fork);
    look_up ();
    has_native = join_native ();
    for (int i = 0; i < N_DOMAINS; i++) {
        struct trace_allocator ours = { &domains[i], on_malloc, on_calloc, on_realloc,
                                        on_free };

        get (i, &domains[i].base);
        domains[i].has_gil = i != TRACE_DOMAIN_RAW;
        domains[i].most_own = i != TRACE_DOMAIN_RAW && !has_native ? MOST_SMALL : 0;
        set (i, &ours);
    }
}
