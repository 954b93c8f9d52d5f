/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The declarations are those of NVIDIA's "NVML API Reference Guide"; Debian has no header of it. */
#include "engine/sampling/nvml-private.h"
#include <dlfcn.h>
#include <signal.h>

#define PERIOD_US 100000
#define STALE_US 1000000

typedef void *Device;

typedef struct {
    unsigned device, memory; /* percent of the time since the last sample of the driver's */
} Use;

typedef struct {
    unsigned long long total, free, used; /* bytes */
} Memory;

/* Each returns 0 when it has succeeded. */
typedef struct {
    int (*init) (void);
    int (*shutdown) (void);
    int (*get_count) (unsigned *ret_n);
    int (*get_device) (unsigned index, Device *ret_device);
    int (*get_use) (Device device, Use *ret_use);          /* NULL: the library has none */
    int (*get_memory) (Device device, Memory *ret_memory); /* NULL */
    int (*get_power) (Device device, unsigned *ret_mw);    /* NULL */
} Library;

/* Shared with the thread, which may outlive its user. */
struct _EngineSamplingNvml {
    GMutex mutex;
    GCond changed;
    char *name;
    gboolean is_over;
    gint64 read_us; /* 0: nothing has been read */
    JobMetrics last;
};

static void
clear_nvml (gpointer data)
{
    EngineSamplingNvml *nvml = data;

    g_mutex_clear (&nvml->mutex);
    g_cond_clear (&nvml->changed);
    g_free (nvml->name);
}

static gboolean
load (const char *name, Library *library)
{
    void *handle = dlopen (name, RTLD_LAZY | RTLD_LOCAL);
    struct {
        const char *name;
        void *to;
    } const functions[] = {
        { "nvmlInit_v2", &library->init },
        { "nvmlShutdown", &library->shutdown },
        { "nvmlDeviceGetCount_v2", &library->get_count },
        { "nvmlDeviceGetHandleByIndex_v2", &library->get_device },
        { "nvmlDeviceGetUtilizationRates", &library->get_use },
        { "nvmlDeviceGetMemoryInfo", &library->get_memory },
        { "nvmlDeviceGetPowerUsage", &library->get_power },
    };

    for (guint i = 0; handle != NULL && i < G_N_ELEMENTS (functions); i++) {
        *(void **) functions[i].to = dlsym (handle, functions[i].name);
    }
    return handle != NULL && library->init != NULL && library->get_count != NULL
           && library->get_device != NULL;
}

/* Sums; a device that does not tell something is left out of it. */
static void
read_device (const Library *library, Device device, JobMetrics *metrics, guint *n_uses)
{
    guint64 *values = metrics->values;
    Use use = { 0 };
    Memory memory = { 0 };
    unsigned power = 0;

    if (library->get_use != NULL && library->get_use (device, &use) == 0) {
        values[JOB_METRIC_GPU_USE] = (*n_uses)++ > 0 ? values[JOB_METRIC_GPU_USE] + use.device
                                                     : use.device;
    }
    if (library->get_memory != NULL && library->get_memory (device, &memory) == 0) {
        values[JOB_METRIC_GPU_MEMORY] = memory.used
                                        + (values[JOB_METRIC_GPU_MEMORY] != JOB_METRIC_UNKNOWN
                                               ? values[JOB_METRIC_GPU_MEMORY]
                                               : 0);
    }
    if (library->get_power != NULL && library->get_power (device, &power) == 0) {
        values[JOB_METRIC_GPU_POWER] = power
                                       + (values[JOB_METRIC_GPU_POWER] != JOB_METRIC_UNKNOWN
                                              ? values[JOB_METRIC_GPU_POWER]
                                              : 0);
    }
}

static void
read_devices (const Library *library, JobMetrics *metrics)
{
    unsigned n = 0;
    guint n_uses = 0;

    job_metrics_init (metrics, 0);
    if (library->get_count (&n) != 0) {
        n = 0;
    }
    for (unsigned i = 0; i < n; i++) {
        Device device = NULL;

        if (library->get_device (i, &device) == 0) {
            read_device (library, device, metrics, &n_uses);
        }
    }
    if (n_uses > 0) {
        metrics->values[JOB_METRIC_GPU_USE] = (metrics->values[JOB_METRIC_GPU_USE] + n_uses / 2)
                                              / n_uses;
    }
}

static gpointer
watch (gpointer data)
{
    EngineSamplingNvml *nvml = data;
    Library library = { 0 };
    gboolean is_loaded = load (nvml->name, &library) && library.init () == 0;

    g_mutex_lock (&nvml->mutex);
    while (is_loaded && !nvml->is_over) {
        JobMetrics metrics;

        g_mutex_unlock (&nvml->mutex);
        read_devices (&library, &metrics);
        g_mutex_lock (&nvml->mutex);
        nvml->last = metrics;
        nvml->read_us = g_get_monotonic_time ();
        if (!nvml->is_over) {
            g_cond_wait_until (&nvml->changed, &nvml->mutex, nvml->read_us + PERIOD_US);
        }
    }
    g_mutex_unlock (&nvml->mutex);
    if (is_loaded && library.shutdown != NULL) {
        library.shutdown ();
    }
    g_atomic_rc_box_release_full (nvml, clear_nvml);
    return NULL;
}

/* Signals are for the thread that traces. */
static GThread *
start_thread (EngineSamplingNvml *nvml)
{
    sigset_t all, before;
    GThread *thread;

    sigfillset (&all);
    pthread_sigmask (SIG_SETMASK, &all, &before);
    thread = g_thread_try_new ("nvml", watch, nvml, NULL);
    pthread_sigmask (SIG_SETMASK, &before, NULL);
    return thread;
}

EngineSamplingNvml *
engine_sampling_nvml_new (const char *library)
{
    EngineSamplingNvml *nvml = g_atomic_rc_box_new0 (EngineSamplingNvml);
    GThread *thread;

    g_mutex_init (&nvml->mutex);
    g_cond_init (&nvml->changed);
    nvml->name = g_strdup (library);
    thread = start_thread (g_atomic_rc_box_acquire (nvml));
    if (thread != NULL) {
        g_thread_unref (thread); /* nobody waits for it */
    } else {
        g_atomic_rc_box_release_full (nvml, clear_nvml);
    }
    return nvml;
}

void
engine_sampling_nvml_free (EngineSamplingNvml *nvml)
{
    if (nvml == NULL) {
        return;
    }
    g_mutex_lock (&nvml->mutex);
    nvml->is_over = TRUE;
    g_cond_signal (&nvml->changed);
    g_mutex_unlock (&nvml->mutex);
    g_atomic_rc_box_release_full (nvml, clear_nvml);
}

/* The mutex is never held while the library is asked. */
void
engine_sampling_nvml_read (EngineSamplingNvml *nvml, JobMetrics *metrics)
{
    g_mutex_lock (&nvml->mutex);
    if (nvml->read_us != 0 && g_get_monotonic_time () - nvml->read_us < STALE_US) {
        for (guint i = JOB_METRIC_GPU_USE; i <= JOB_METRIC_GPU_POWER; i++) {
            metrics->values[i] = nvml->last.values[i];
        }
    }
    g_mutex_unlock (&nvml->mutex);
}
