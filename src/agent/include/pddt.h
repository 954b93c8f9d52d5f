/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions, parameters and metrics of a C or C++ program in its pddt trace. The macros need no library: unless
 * `pddt --trace` runs the program, each is one call that returns. With PDDT_OFF defined they are nothing. Linux with
 * glibc, GCC or Clang.
 *
 *     PDDT_REGION_BEGIN ("solve");  …  PDDT_REGION_END ("solve");
 *     { PDDT_REGION ("assemble");  … }     to the end of the block, however it is left
 *     PDDT_PARAMETER_INT ("step", step);
 *     PDDT_METRIC ("residual", residual, "m");
 *     PDDT_DISABLE ();  …  PDDT_ENABLE ();    nothing is recorded in between, in all threads */
#ifndef PDDT_H
#define PDDT_H

#ifdef PDDT_OFF
#define PDDT_REGION_BEGIN(name) ((void) 0)
#define PDDT_REGION_END(name) ((void) 0)
#define PDDT_REGION(name) ((void) 0)
#define PDDT_PARAMETER_INT(name, value) ((void) 0)
#define PDDT_PARAMETER_UINT(name, value) ((void) 0)
#define PDDT_PARAMETER_STRING(name, value) ((void) 0)
#define PDDT_METRIC(name, value, unit) ((void) 0)
#define PDDT_ENABLE() ((void) 0)
#define PDDT_DISABLE() ((void) 0)
#else
#include <dlfcn.h>
#pragma weak dlsym /* before glibc 2.34 it is in a library of its own */

struct pddt_functions {
    int is_looked_up;
    void (*region_begin) (const char *, const char *, int);
    void (*region_end) (const char *);
    void (*parameter_int) (const char *, long long);
    void (*parameter_uint) (const char *, unsigned long long);
    void (*parameter_string) (const char *, const char *);
    void (*metric) (const char *, double, const char *);
    void (*set_recording) (int);
};

static __inline__ void
pddt_find (void *to, const char *name)
{
    void *found = dlsym != 0 ? dlsym ((void *) 0, name) : (void *) 0;

    __builtin_memcpy (to, &found, sizeof found);
}

static __inline__ const struct pddt_functions *
pddt_get (void)
{
    static struct pddt_functions functions;

    if (!__atomic_load_n (&functions.is_looked_up, __ATOMIC_ACQUIRE)) {
        pddt_find (&functions.region_begin, "pddt_trace_region_begin");
        pddt_find (&functions.region_end, "pddt_trace_region_end");
        pddt_find (&functions.parameter_int, "pddt_trace_parameter_int");
        pddt_find (&functions.parameter_uint, "pddt_trace_parameter_uint");
        pddt_find (&functions.parameter_string, "pddt_trace_parameter_string");
        pddt_find (&functions.metric, "pddt_trace_metric");
        pddt_find (&functions.set_recording, "pddt_trace_switch");
        __atomic_store_n (&functions.is_looked_up, 1, __ATOMIC_RELEASE);
    }
    return &functions;
}

#define PDDT_CALL_(function, ...)                                                              \
    do {                                                                                       \
        if (pddt_get ()->function != 0) {                                                      \
            pddt_get ()->function (__VA_ARGS__);                                               \
        }                                                                                      \
    } while (0)
#define PDDT_REGION_BEGIN(name) PDDT_CALL_ (region_begin, name, __FILE__, __LINE__)
#define PDDT_REGION_END(name) PDDT_CALL_ (region_end, name)
#define PDDT_PARAMETER_INT(name, value) PDDT_CALL_ (parameter_int, name, value)
#define PDDT_PARAMETER_UINT(name, value) PDDT_CALL_ (parameter_uint, name, value)
#define PDDT_PARAMETER_STRING(name, value) PDDT_CALL_ (parameter_string, name, value)
#define PDDT_METRIC(name, value, unit) PDDT_CALL_ (metric, name, value, unit)
#define PDDT_ENABLE() PDDT_CALL_ (set_recording, 1)
#define PDDT_DISABLE() PDDT_CALL_ (set_recording, 0)

static __inline__ const char *
pddt_begin_scope (const char *name, const char *file, int line)
{
    if (pddt_get ()->region_begin != 0) {
        pddt_get ()->region_begin (name, file, line);
    }
    return name;
}

static __inline__ void
pddt_end_scope (const char **name)
{
    PDDT_REGION_END (*name);
}

#define PDDT_JOIN_(a, b) a##b
#define PDDT_SCOPE_(name, line)                                                                \
    const char *PDDT_JOIN_ (pddt_scope_, line)                                                 \
        __attribute__ ((cleanup (pddt_end_scope), unused))                                     \
        = pddt_begin_scope (name, __FILE__, __LINE__)
#define PDDT_REGION(name) PDDT_SCOPE_ (name, __LINE__)
#endif
#endif
