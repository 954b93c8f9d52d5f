/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libpddt-memory.so, which is preloaded beside libpddt-trace.so where --memory=native asks for it: what native code takes
 * from the C library, or from an allocator that stands in its place, sampled by bytes with the callers. What Python's
 * allocators take is the tracer's (trace-memory.c), which marks the thread.
 *
 * An allocator is called from everywhere: before the first constructor, in signal handlers, by the loader, between fork
 * and exec, by threads that have ended but for their destructors. What is not a sample takes no lock and no memory here. A
 * thread that is in the middle of a sample records nothing else, so a signal handler, and what the ring itself
 * calls, only pass through. */
#include "agent/trace-blocks.h"
#include "agent/trace-place.h"
#include "agent/trace-switch.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#define EXPORT __attribute__ ((visibility ("default")))

enum { EARLY_SIZE = 1 << 16, ALIGNMENT = 16, MAX_LATE = 256, MAX_DEPTH = TRACE_MAX_FRAMES + 8 };

void *memalign (size_t alignment, size_t size);
void *valloc (size_t size);
void *pvalloc (size_t size);
/* C23's, and jemalloc's: only from such an allocator do programs call them, on blocks of malloc's, too. */
void free_sized (void *address, size_t size);
void free_aligned_sized (void *address, size_t alignment, size_t size);
void sdallocx (void *address, size_t size, int flags);
void dallocx (void *address, int flags);

/* What the program would have called without pddt. */
static struct {
    void *(*malloc) (size_t);
    void *(*calloc) (size_t, size_t);
    void *(*realloc) (void *, size_t);
    void (*free) (void *);
    int (*posix_memalign) (void **, size_t, size_t);
    void *(*aligned_alloc) (size_t, size_t);
    void *(*memalign) (size_t, size_t);
    void *(*valloc) (size_t);
    void *(*pvalloc) (size_t);
    void (*free_sized) (void *, size_t);
    void (*free_aligned_sized) (void *, size_t, size_t);
    void (*sdallocx) (void *, size_t, int);
    void (*dallocx) (void *, int);
} real;

static __thread struct {
    int mark;    /* inside one of Python's allocators, or of pddt's: counts for nothing here */
    int is_busy; /* in the middle of a sample, or around a fork */
    int is_over; /* it ends: its ring is closed */
    int is_known;
    struct trace_beat beat;
} own __attribute__ ((tls_model ("initial-exec")));

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_open; /* atomic */
static int (*is_on) (void);
static int (*python_put) (const void *, uint64_t, const uintptr_t *, unsigned); /* atomic */
static struct trace_module interpreter; /* size 0: there is none */

/* Blocks that threads have freed at their end; another one records that. */
static struct {
    pthread_mutex_t lock;
    unsigned n; /* atomic */
    struct {
        const void *address;
        uint64_t bytes;
    } blocks[MAX_LATE];
} late = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- before the others are known ---- */

/* What is asked for while they are looked up; it is never given back. */
static _Alignas(ALIGNMENT) char early[EARLY_SIZE];
static size_t n_early;
static int is_looking;

static int
is_early (const void *address)
{
    return (uintptr_t) address - (uintptr_t) early < sizeof early;
}

static void *
take_early (size_t size)
{
    size_t whole = (size + ALIGNMENT - 1) & ~(size_t) (ALIGNMENT - 1);
    void *address = early + n_early;

    if (size > sizeof early || whole > sizeof early - n_early) {
        errno = ENOMEM;
        return NULL;
    }
    n_early += whole;
    return address;
}

/* The first call comes from the loader, before there is a second thread. FALSE: it comes from the search itself. */
static int __attribute__ ((noinline)) look_up (void)
{
    if (is_looking) {
        return 0;
    }
    is_looking = 1;
    *(void **) &real.calloc = dlsym (RTLD_NEXT, "calloc");
    *(void **) &real.realloc = dlsym (RTLD_NEXT, "realloc");
    *(void **) &real.free = dlsym (RTLD_NEXT, "free");
    *(void **) &real.posix_memalign = dlsym (RTLD_NEXT, "posix_memalign");
    *(void **) &real.aligned_alloc = dlsym (RTLD_NEXT, "aligned_alloc");
    *(void **) &real.memalign = dlsym (RTLD_NEXT, "memalign");
    *(void **) &real.valloc = dlsym (RTLD_NEXT, "valloc");
    *(void **) &real.pvalloc = dlsym (RTLD_NEXT, "pvalloc");
    *(void **) &real.malloc = dlsym (RTLD_NEXT, "malloc");
    is_looking = 0;
    return 1;
}

/* FALSE: it is not known what to call, and never will be, or not yet. */
#define IS_KNOWN(name)                                                                         \
    (__builtin_expect (real.name != NULL, 1) || (look_up () && real.name != NULL))

/* ---- the ring ---- */

static void
on_thread_end (void *data)
{
    own.is_over = 1;
}

/* Before those of the ring, which have been installed already: what others do in between may allocate. */
static void
before_fork (void)
{
    own.is_busy = 1;
    pthread_mutex_lock (&late.lock);
    trace_blocks_lock ();
}

static void
after_fork (void)
{
    trace_blocks_unlock ();
    pthread_mutex_unlock (&late.lock);
    own.is_busy = 0;
}

static void
open_ring (void)
{
    int has_key = pthread_key_create (&key, on_thread_end) == 0;

    __atomic_store_n (&is_open,
                      has_key && trace_open (PDDT_TRACE_NATIVE) == 0
                          && pthread_atfork (before_fork, after_fork, after_fork) == 0,
                      __ATOMIC_RELEASE);
}

/* FALSE: this thread records nothing. */
static int
is_ready (void)
{
    if (own.is_over || !__atomic_load_n (&is_open, __ATOMIC_ACQUIRE)) {
        return 0;
    }
    if (!own.is_known) {
        own.is_known = pthread_setspecific (key, &own) == 0;
    }
    return own.is_known;
}

static void
note_late (const void *address, uint64_t bytes)
{
    pthread_mutex_lock (&late.lock);
    if (late.n < MAX_LATE) {
        late.blocks[late.n].address = address;
        late.blocks[late.n].bytes = bytes;
        __atomic_store_n (&late.n, late.n + 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock (&late.lock);
}

static void
put_late (void)
{
    if (__atomic_load_n (&late.n, __ATOMIC_RELAXED) == 0) {
        return;
    }
    pthread_mutex_lock (&late.lock);
    for (unsigned i = 0; i < late.n; i++) {
        trace_blocks_put_freed (late.blocks[i].address, late.blocks[i].bytes);
    }
    __atomic_store_n (&late.n, 0, __ATOMIC_RELAXED);
    pthread_mutex_unlock (&late.lock);
}

static void
put_freed (const void *address, uint64_t bytes)
{
    if (is_ready ()) {
        put_late ();
        trace_blocks_put_freed (address, bytes);
    } else {
        note_late (address, bytes);
    }
}

/* ---- who has asked ---- */

typedef struct {
    uintptr_t frames[TRACE_MAX_FRAMES];
    unsigned n, depth;
    uintptr_t first;
} Walk;

static int
is_interpreter (uintptr_t code)
{
    return code - interpreter.begin < interpreter.size;
}

/* From the caller of malloc outwards. The interpreter's own frames say nothing: its first one ends it. */
static _Unwind_Reason_Code
on_frame (struct _Unwind_Context *context, void *data)
{
    Walk *walk = data;
    uintptr_t code = _Unwind_GetIP (context);

    if (walk->n > 0 || code == walk->first) {
        if (code == 0 || walk->n == TRACE_MAX_FRAMES) {
            return _URC_END_OF_STACK;
        }
        walk->frames[walk->n++] = code;
        if (is_interpreter (code)) {
            return _URC_END_OF_STACK;
        }
    }
    return ++walk->depth < MAX_DEPTH ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static void
record (const void *address, uint64_t bytes, const void *code)
{
    int (*put) (const void *, uint64_t, const uintptr_t *, unsigned)
        = __atomic_load_n (&python_put, __ATOMIC_ACQUIRE);
    Walk walk = { .first = (uintptr_t) code };

    _Unwind_Backtrace (on_frame, &walk);
    if (walk.n == 0) {
        walk.frames[walk.n++] = (uintptr_t) code;
    }
    if (put == NULL || !put (address, bytes, walk.frames, walk.n)) {
        trace_blocks_put_allocated (0, 0, address, bytes, walk.frames, walk.n);
    }
}

/* ---- samples ---- */

/* code: the instruction after the call */
static void __attribute__ ((noinline)) take_sample (const void *address, const void *code)
{
    int reason = errno;
    uint64_t bytes, before = 0;

    if (own.is_busy || own.is_over) {
        return; /* the next one stands for this, too */
    }
    own.is_busy = own.mark = 1;
    bytes = trace_beat_take (&own.beat);
    if (bytes > 0 && is_on != NULL && is_on () && !trace_place_is_own (code)) {
        pthread_once (&once, open_ring);
        if (is_ready () && trace_blocks_keep (address, bytes, &before)) {
            put_late ();
            if (before > 0) {
                trace_blocks_put_freed (address, before);
            }
            record (address, bytes, code);
        }
    }
    own.is_busy = own.mark = 0;
    errno = reason;
}

static inline void
count (const void *address, size_t size, const void *code)
{
    if (address != NULL && !own.mark) {
        own.beat.left -= (int64_t) size;
        if (__builtin_expect (own.beat.left < 0, 0)) {
            take_sample (address, code);
        }
    }
}

/* It may be one that stands for others. Returns the bytes; 0: it is none. In the middle of a sample nobody looks: the next
 * block at that address says that this one has ended. */
static uint64_t __attribute__ ((noinline)) forget (const void *address)
{
    int mark = own.mark, reason = errno;
    uint64_t bytes;

    if (own.is_busy) {
        return 0;
    }
    own.is_busy = own.mark = 1;
    bytes = trace_blocks_forget (address);
    own.is_busy = 0;
    own.mark = mark;
    errno = reason;
    return bytes;
}

static void __attribute__ ((noinline)) end_block (const void *address, uint64_t bytes)
{
    int mark = own.mark, reason = errno;

    own.is_busy = own.mark = 1;
    put_freed (address, bytes);
    own.is_busy = 0;
    own.mark = mark;
    errno = reason;
}

static inline uint64_t
let_go (const void *address)
{
    return trace_blocks_may_have (address) ? forget (address) : 0;
}

/* It was not freed after all. */
static void
keep_again (const void *address, uint64_t bytes)
{
    int mark = own.mark;
    uint64_t before;

    own.is_busy = own.mark = 1;
    trace_blocks_keep (address, bytes, &before);
    own.is_busy = 0;
    own.mark = mark;
}

/* ---- what the program calls ---- */

EXPORT void *
malloc (size_t size)
{
    void *address;

    if (!IS_KNOWN (malloc)) {
        return take_early (size);
    }
    address = real.malloc (size);
    count (address, size, __builtin_return_address (0));
    return address;
}

EXPORT void *
calloc (size_t n, size_t size)
{
    void *address;

    if (!IS_KNOWN (calloc)) { /* which is zero */
        return size == 0 || n <= sizeof early / size ? take_early (n * size) : NULL;
    }
    address = real.calloc (n, size);
    count (address, n * size, __builtin_return_address (0));
    return address;
}

static void *
move_early (const void *before, size_t size)
{
    size_t most = sizeof early - (size_t) ((const char *) before - early);
    void *address = real.malloc != NULL ? real.malloc (size) : take_early (size);

    if (address != NULL) {
        memcpy (address, before, size < most ? size : most);
    }
    return address;
}

EXPORT void *
realloc (void *before, size_t size)
{
    uint64_t bytes;
    void *address;

    if (__builtin_expect (!IS_KNOWN (realloc) || is_early (before), 0)) {
        return before != NULL ? move_early (before, size) : take_early (size);
    }
    bytes = before != NULL ? let_go (before)
                           : 0; /* first: another thread may get its address */
    address = real.realloc (before, size);
    if (bytes > 0 && address == NULL && size > 0) {
        keep_again (before, bytes);
    } else if (bytes > 0) {
        end_block (before, bytes);
    }
    count (address, size, __builtin_return_address (0));
    return address;
}

/* FALSE: it is none that an allocator knows. */
static inline int
take_leave (const void *address)
{
    uint64_t bytes = address != NULL ? let_go (address) : 0;

    if (__builtin_expect (bytes > 0, 0)) {
        end_block (address, bytes);
    }
    return !is_early (address) && IS_KNOWN (free);
}

EXPORT void
free (void *address)
{
    if (take_leave (address)) {
        real.free (address);
    }
}

/* Where no allocator has the function, who found ours calls the C library's free. */
#define FREE(name, parameters, ...)                                                            \
    EXPORT void name parameters                                                                \
    {                                                                                          \
        if (!take_leave (address)) {                                                           \
            return;                                                                            \
        }                                                                                      \
        if (real.name != NULL) {                                                               \
            real.name (__VA_ARGS__);                                                           \
        } else {                                                                               \
            real.free (address);                                                               \
        }                                                                                      \
    }
FREE (free_sized, (void *address, size_t size), address, size)
FREE (free_aligned_sized, (void *address, size_t alignment, size_t size), address, alignment,
      size)
FREE (sdallocx, (void *address, size_t size, int flags), address, size, flags)
FREE (dallocx, (void *address, int flags), address, flags)

EXPORT int
posix_memalign (void **ret_address, size_t alignment, size_t size)
{
    int result = IS_KNOWN (posix_memalign) ? real.posix_memalign (ret_address, alignment, size)
                                           : ENOMEM;

    if (result == 0) {
        count (*ret_address, size, __builtin_return_address (0));
    }
    return result;
}

#define ALIGNED(name)                                                                          \
    EXPORT void *name (size_t alignment, size_t size)                                          \
    {                                                                                          \
        void *address = IS_KNOWN (name) ? real.name (alignment, size) : NULL;                  \
                                                                                               \
        count (address, size, __builtin_return_address (0));                                   \
        return address;                                                                        \
    }
ALIGNED (aligned_alloc)
ALIGNED (memalign)

#define WHOLE_PAGES(name)                                                                      \
    EXPORT void *name (size_t size)                                                            \
    {                                                                                          \
        void *address = IS_KNOWN (name) ? real.name (size) : NULL;                             \
                                                                                               \
        count (address, size, __builtin_return_address (0));                                   \
        return address;                                                                        \
    }
WHOLE_PAGES (valloc)
WHOLE_PAGES (pvalloc)

/* ---- the others of pddt's libraries ---- */

EXPORT int *
pddt_memory_get_mark (void)
{
    return &own.mark;
}

EXPORT void
pddt_memory_set_python (int (*put) (const void *, uint64_t, const uintptr_t *, unsigned))
{
    __atomic_store_n (&python_put, put, __ATOMIC_RELEASE);
}

__attribute__ ((constructor)) static void
begin (void)
{
    const void *code = dlsym (RTLD_DEFAULT, "PyGILState_Ensure");

    look_up ();
    /* which may be nowhere: as early as the others they cannot be looked for in vain */
    *(void **) &real.free_sized = dlsym (RTLD_NEXT, "free_sized");
    *(void **) &real.free_aligned_sized = dlsym (RTLD_NEXT, "free_aligned_sized");
    *(void **) &real.sdallocx = dlsym (RTLD_NEXT, "sdallocx");
    *(void **) &real.dallocx = dlsym (RTLD_NEXT, "dallocx");
    *(void **) &is_on = dlsym (RTLD_DEFAULT, "pddt_trace_is_on");
    trace_find_threads ();
    if (code == NULL || !trace_place_find_module (code, &interpreter)) {
        interpreter.size = 0;
    }
    dlerror (); /* what was not found is none of the program's errors */
}

__attribute__ ((destructor)) static void
end (void)
{
    if (__atomic_load_n (&is_open, __ATOMIC_ACQUIRE) && !own.is_busy) {
        own.is_busy = own.mark = 1;
        if (is_ready ()) {
            put_late ();
        }
        trace_end ();
        own.is_busy = own.mark = 0;
    }
}
