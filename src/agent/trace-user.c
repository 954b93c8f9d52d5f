/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions, parameters and metrics that a native program names, and the switch of recording for all writers of the
 * process. The file begins with the first of them. */
#include "agent/native.h"
#include "agent/trace-last.h"
#include "agent/trace-ring.h"
#include "agent/trace-switch.h"
#include <pthread.h>
#include <string.h>

#define EXPORT __attribute__ ((visibility ("default")))

enum { MAX_WATCHERS = 8, NAMES = 2048, MAX_DEPTH = 128 };
enum { REGION, PARAMETER, METRIC };

static struct {
    pthread_mutex_t lock; /* of what follows, when something is added */
    struct {
        const char *name; /* own copy; NULL: an empty place */
        uint32_t id;
        uint8_t kind;
    } names[NAMES];
    void (*watchers[MAX_WATCHERS]) (int);
    int n_watchers;
    char texts[NAMES * 32];
    size_t n_texts;
} user = { .lock = PTHREAD_MUTEX_INITIALIZER };
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_open, is_on = 1;
static __thread int is_naming __attribute__ ((tls_model ("initial-exec")));

/* Chunks of events that the writers of this process have taken of its buffer (trace-keep.c). */
EXPORT uint64_t pddt_trace_n_chunks;

/* The regions that are open, innermost last. */
static __thread struct {
    uint32_t ids[MAX_DEPTH];
    unsigned n;
} open_regions __attribute__ ((tls_model ("initial-exec")));

static void
open_file (void)
{
    is_open = trace_open (PDDT_TRACE_USER) == 0;
}

int
trace_user_open (void)
{
    pthread_once (&once, open_file);
    return is_open;
}

int
trace_user_is_on (void)
{
    return __atomic_load_n (&is_on, __ATOMIC_RELAXED);
}

/* Of libpddt-memory.so. */
EXPORT int
pddt_trace_is_on (void)
{
    return native_is_on ();
}

static int
is_recording (void)
{
    return trace_user_open () && trace_user_is_on ();
}

/* ---- switching ---- */

EXPORT void
pddt_trace_watch (void (*function) (int))
{
    pthread_mutex_lock (&user.lock);
    if (user.n_watchers < MAX_WATCHERS) {
        user.watchers[user.n_watchers] = function;
        __atomic_store_n (&user.n_watchers, user.n_watchers + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock (&user.lock);
}

EXPORT void
pddt_trace_switch (int wanted)
{
    int n;

    wanted = wanted != 0;
    native_runs_end ();
    if (__atomic_exchange_n (&is_on, wanted, __ATOMIC_ACQ_REL) == wanted) {
        return;
    }
    native_runs_renew ();
    n = __atomic_load_n (&user.n_watchers, __ATOMIC_ACQUIRE); /* also in a signal's handler */
    for (int i = 0; i < n; i++) {
        user.watchers[i](wanted);
    }
}

/* ---- names ---- */

static unsigned
hash_name (const char *name, uint8_t kind)
{
    uint64_t hash = 0xcbf29ce484222325ull + kind;

    for (; *name != '\0'; name++) {
        hash = (hash ^ (uint8_t) *name) * 0x100000001b3ull;
    }
    return (unsigned) (hash ^ hash >> 29) % NAMES;
}

/* The place of the name, or an empty one; NAMES: there is none. */
static unsigned
find_name (const char *name, uint8_t kind)
{
    unsigned at = hash_name (name, kind);

    for (unsigned i = 0; i < NAMES; i++, at = (at + 1) % NAMES) {
        const char *known = __atomic_load_n (&user.names[at].name, __ATOMIC_ACQUIRE);

        if (known == NULL || (user.names[at].kind == kind && strcmp (known, name) == 0)) {
            return at;
        }
    }
    return NAMES;
}

static uint32_t
define (uint8_t kind, const char *name, const char *more, int line, enum pddt_trace_type type)
{
    switch (kind) {
    case REGION:
        return trace_define_region (name, NULL, more, line > 0 ? (uint32_t) line : 0,
                                    PDDT_TRACE_IN_USER, 0);
    case PARAMETER: return trace_define_named (PDDT_TRACE_PARAMETER_NAME, name, 0, type, 0);
    default:
        return trace_define_named (PDDT_TRACE_METRIC_NAME, name,
                                   more != NULL ? trace_define_string (more, -1) : 0, type, 0);
    }
}

/* more: a region's file, or a metric's unit. 0: there is no room for another name, or not now. */
static uint32_t
get_id (uint8_t kind, const char *name, const char *more, int line, enum pddt_trace_type type)
{
    unsigned at = find_name (name, kind);
    size_t size = strlen (name) + 1;
    uint32_t id = 0;

    if (at < NAMES && user.names[at].name != NULL) {
        return user.names[at].id;
    }
    if (is_naming
        || trace_is_busy ()) { /* in a signal's handler, which cannot wait for its own thread */
        return 0;
    }
    is_naming = 1;
    __atomic_signal_fence (__ATOMIC_SEQ_CST);
    pthread_mutex_lock (&user.lock);
    at = find_name (name, kind);
    if (at < NAMES && user.names[at].name != NULL) {
        id = user.names[at].id;
    } else if (at < NAMES && user.n_texts + size <= sizeof user.texts) {
        char *own = memcpy (user.texts + user.n_texts, name, size);

        user.n_texts += size;
        id = user.names[at].id = define (kind, name, more, line, type);
        user.names[at].kind = kind;
        __atomic_store_n (&user.names[at].name, own, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock (&user.lock);
    __atomic_signal_fence (__ATOMIC_SEQ_CST);
    is_naming = 0;
    return id;
}

/* ---- what the program says ---- */

EXPORT void
pddt_trace_region_begin (const char *name, const char *file, int line)
{
    uint32_t id;

    if (name == NULL || !is_recording ()) {
        return;
    }
    id = get_id (REGION, name, file, line, 0);
    native_runs_end ();
    if (open_regions.n < MAX_DEPTH) {
        open_regions.ids[open_regions.n] = id;
    }
    open_regions.n++; /* also without an id: its end is not that of the region around it */
    if (id != 0) {
        trace_put (PDDT_TRACE_ENTER, id, 0);
    }
}

/* Also while nothing is recorded: it may have begun before. */
EXPORT void
pddt_trace_region_end (const char *name)
{
    unsigned n = open_regions.n < MAX_DEPTH ? open_regions.n : MAX_DEPTH;
    uint32_t id = 0;

    if (!is_open || open_regions.n == 0) {
        return;
    }
    native_runs_end ();
    if (name == NULL) {
        id = open_regions.n <= MAX_DEPTH ? open_regions.ids[n - 1] : 0;
        open_regions.n--;
    } else {
        id = get_id (REGION, name, NULL, 0, 0);
        while (n > 0 && open_regions.ids[n - 1] != id) {
            n--;
        }
        if (n == 0 && open_regions.n <= MAX_DEPTH) {
            return; /* it was not begun */
        }
        open_regions.n = n > 0 ? n - 1 : open_regions.n - 1;
    }
    if (id != 0) {
        trace_put (PDDT_TRACE_LEAVE, id, 0);
    }
}

static void
put_value (uint8_t kind, uint32_t id, struct pddt_trace_value value)
{
    if (id != 0) {
        trace_put_with (kind, id, 0, &value, sizeof value);
    }
}

EXPORT void
pddt_trace_parameter_int (const char *name, long long value)
{
    if (name != NULL && is_recording ()) {
        put_value (PDDT_TRACE_PARAMETER, get_id (PARAMETER, name, NULL, 0, PDDT_TRACE_INTEGER),
                   (struct pddt_trace_value){ { .integer = value }, PDDT_TRACE_INTEGER });
    }
}

EXPORT void
pddt_trace_parameter_uint (const char *name, unsigned long long value)
{
    if (name != NULL && is_recording ()) {
        put_value (PDDT_TRACE_PARAMETER, get_id (PARAMETER, name, NULL, 0, PDDT_TRACE_NATURAL),
                   (struct pddt_trace_value){ { .natural = value }, PDDT_TRACE_NATURAL });
    }
}

EXPORT void
pddt_trace_parameter_string (const char *name, const char *value)
{
    if (name != NULL && value != NULL && is_recording ()) {
        put_value (PDDT_TRACE_PARAMETER,
                   get_id (PARAMETER, name, NULL, 0, PDDT_TRACE_STRING_ID),
                   (struct pddt_trace_value){ { .string = trace_define_string (value, -1) },
                                              PDDT_TRACE_STRING_ID });
    }
}

EXPORT void
pddt_trace_metric (const char *name, double value, const char *unit)
{
    if (name != NULL && is_recording ()) {
        put_value (PDDT_TRACE_METRIC, get_id (METRIC, name, unit, 0, PDDT_TRACE_REAL),
                   (struct pddt_trace_value){ { .real = value }, PDDT_TRACE_REAL });
    }
}

__attribute__ ((destructor)) static void
end (void)
{
    if (is_open) {
        native_runs_end ();
        trace_exit ();
    }
    trace_last_end ();
}
