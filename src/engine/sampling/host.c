/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a whole host uses: processors, memory, energy and accelerators. Nobody is asked before ranks are sampled. */
#include "engine/sampling/host-private.h"
#include "engine/sampling/nvml-private.h"
#include "engine/sampling/private.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define POWERCAP "class/powercap"
#define BUSY_US                                                                                \
    G_USEC_PER_SEC /* the kernel adds that up over all its processors: so often is enough */
#define MAX_STAT (256u << 10) /* bytes of /proc/stat that are read: its processors come first */

/* A package of processors. */
typedef struct {
    char *path;     /* of its counter */
    guint64 before; /* µJ */
    guint64 range;  /* it begins again at 0 behind that; 0: not known */
} Zone;

struct _EngineSamplingHost {
    char *meminfo;
    char *stat;     /* NULL: not wanted */
    gint64 busy_us; /* when it is read again */
    guint n_events; /* that the processors count: */
    EngineSamplingEvent events[ENGINE_SAMPLING_MAX_EVENTS];
    GArray *zones;            /* of Zone, those that can be read */
    guint64 energy;           /* µJ of all zones since the start */
    EngineSamplingNvml *nvml; /* NULL: not wanted */
    const void *leader;
};

/* FALSE: there is none, or it may not be read. */
static gboolean
read_text (const char *path, char *text, gsize size)
{
    ssize_t n = -1;
    int fd = open (path, O_RDONLY | O_CLOEXEC);

    if (fd >= 0) {
        n = read (fd, text, size - 1);
        close (fd);
    }
    text[MAX (n, 0)] = '\0';
    return n > 0;
}

static gboolean
read_number (const char *path, guint64 *ret_number)
{
    char text[32];

    return read_text (path, text, sizeof text)
           && g_ascii_string_to_unsigned (g_strchomp (text), 10, 0, G_MAXUINT64, ret_number,
                                          NULL);
}

/* ---- energy ---- */

static void
clear_zone (gpointer data)
{
    g_free (((Zone *) data)->path);
}

/* "intel-rapl:0" is a package (of AMD's too), "intel-rapl:0:1" a part of it; "psys" is all packages and more. */
static void
add_zone (EngineSamplingHost *host, const char *folder, const char *name)
{
    g_autofree char *kind = g_build_filename (folder, name, "name", NULL);
    g_autofree char *range = g_build_filename (folder, name, "max_energy_range_uj", NULL);
    Zone zone = { g_build_filename (folder, name, "energy_uj", NULL), 0, 0 };
    const char *number = strchr (name, ':');
    char text[32];

    if (!g_str_has_prefix (name, "intel-rapl:") || strchr (number + 1, ':') != NULL
        || (read_text (kind, text, sizeof text) && g_str_has_prefix (text, "psys"))
        || !read_number (zone.path, &zone.before)) {
        g_free (zone.path);
        return;
    }
    if (!read_number (range, &zone.range)) {
        zone.range = 0;
    }
    g_array_append_val (host->zones, zone);
}

static void
find_zones (EngineSamplingHost *host, const char *sys)
{
    g_autofree char *folder = g_build_filename (sys, POWERCAP, NULL);
    g_autoptr (GDir) names = g_dir_open (folder, 0, NULL);
    const char *name;

    while (names != NULL && (name = g_dir_read_name (names)) != NULL) {
        add_zone (host, folder, name);
    }
}

/* One that can be read no more counts no more. */
static void
read_energy (EngineSamplingHost *host, JobMetrics *metrics)
{
    guint n_read = 0;

    for (guint i = 0; i < host->zones->len; i++) {
        Zone *zone = &g_array_index (host->zones, Zone, i);
        guint64 now;

        if (!read_number (zone->path, &now)) {
            continue;
        }
        if (now >= zone->before) {
            host->energy += now - zone->before;
        } else if (zone->range >= zone->before) {
            host->energy += zone->range - zone->before + now;
        }
        zone->before = now;
        n_read++;
    }
    if (n_read > 0) {
        metrics->values[JOB_METRIC_ENERGY] = host->energy;
    }
}

/* ---- memory ---- */

/* proc(5), in KiB; G_MAXUINT64: there is no such line. */
static guint64
find_memory (const char *text, const char *name)
{
    const char *line = g_str_has_prefix (text, name) ? text : strstr (text, name);

    return line != NULL && (line == text || line[-1] == '\n')
               ? g_ascii_strtoull (line + strlen (name), NULL, 10)
               : G_MAXUINT64;
}

static void
read_memory (const EngineSamplingHost *host, JobMetrics *metrics)
{
    char text[4096];
    guint64 total, available;

    if (!read_text (host->meminfo, text, sizeof text)) {
        return;
    }
    total = find_memory (text, "MemTotal:");
    available = find_memory (text, "MemAvailable:");
    if (total != G_MAXUINT64) {
        metrics->values[JOB_METRIC_NODE_TOTAL] = total << 10;
    }
    if (total != G_MAXUINT64 && available <= total) {
        metrics->values[JOB_METRIC_NODE_USED] = (total - available) << 10;
    }
}

/* ---- processors ---- */

/* proc(5): the first line sums up the others, one for each processor. Time that another virtual machine had is no use. */
static gboolean
read_busy (const char *text, guint64 *ret_us, guint64 *ret_n)
{
    unsigned long long user, nice_, system, irq, softirq;
    const char *line = strchr (text, '\n');

    if (sscanf (text, "cpu %llu %llu %llu %*u %*u %llu %llu", &user, &nice_, &system, &irq,
                &softirq)
        != 5) {
        return FALSE;
    }
    *ret_us = (user + nice_ + system + irq + softirq) * G_USEC_PER_SEC
              / (guint64) sysconf (_SC_CLK_TCK);
    *ret_n = 0;
    for (; line != NULL && g_str_has_prefix (line, "\ncpu"); line = strchr (line + 1, '\n')) {
        ++*ret_n;
    }
    return *ret_n > 0;
}

static void
read_processors (EngineSamplingHost *host, JobMetrics *metrics)
{
    g_autofree char *text = NULL;
    gint64 now = g_get_monotonic_time ();
    guint64 busy, n;

    if (now < host->busy_us) {
        return;
    }
    host->busy_us = now + BUSY_US;
    text = g_malloc (MAX_STAT);
    if (read_text (host->stat, text, MAX_STAT) && read_busy (text, &busy, &n)) {
        metrics->values[JOB_METRIC_NODE_BUSY] = busy;
        metrics->values[JOB_METRIC_NODE_CORES] = n;
    }
}

EngineSamplingCounters *
engine_sampling_host_count (const EngineSamplingHost *host, const GArray *tids)
{
    return engine_sampling_counters_new (host->events, host->n_events, tids);
}

const EngineSamplingEvent *
engine_sampling_host_get_events (const EngineSamplingHost *host, guint *ret_n)
{
    *ret_n = host->n_events;
    return host->events;
}

/* ---- all of it ---- */

EngineSamplingHost *
engine_sampling_host_new (const char *proc, const char *sys, const char *nvml, guint32 wanted)
{
    EngineSamplingHost *host = g_new0 (EngineSamplingHost, 1);
    g_autofree char *cpuinfo = g_build_filename (proc, "cpuinfo", NULL);

    if (wanted & (1u << JOB_METRIC_NODE_USED | 1u << JOB_METRIC_NODE_TOTAL)) {
        host->meminfo = g_build_filename (proc, "meminfo", NULL);
    }
    if (wanted & (1u << JOB_METRIC_NODE_BUSY | 1u << JOB_METRIC_NODE_CORES)) {
        host->stat = g_build_filename (proc, "stat", NULL);
    }
    host->n_events = engine_sampling_list_events (cpuinfo, wanted, host->events);
    host->zones = g_array_new (FALSE, FALSE, sizeof (Zone));
    g_array_set_clear_func (host->zones, clear_zone);
    if (wanted & 1u << JOB_METRIC_ENERGY) {
        find_zones (host, sys);
    }
    if (wanted
        & (1u << JOB_METRIC_GPU_USE | 1u << JOB_METRIC_GPU_MEMORY
           | 1u << JOB_METRIC_GPU_POWER)) {
        host->nvml = engine_sampling_nvml_new (nvml);
    }
    return host;
}

EngineSamplingHost *
engine_sampling_host_open (const Engine *engine)
{
    const char *nvml = g_getenv ("PDDT_NVML");

    return engine_sampling_host_new ("/proc", "/sys",
                                     nvml != NULL ? nvml : ENGINE_SAMPLING_NVML,
                                     engine_sampling_get_wanted (engine));
}

BASE_FREE_PUBLIC (engine_sampling_host_free, EngineSamplingHost, host,
                  engine_sampling_nvml_free (host->nvml);
                  g_array_unref (host->zones); g_free (host->meminfo); g_free (host->stat))

void
engine_sampling_host_read (EngineSamplingHost *host, JobMetrics *metrics)
{
    if (host->meminfo != NULL) {
        read_memory (host, metrics);
    }
    if (host->stat != NULL) {
        read_processors (host, metrics);
    }
    read_energy (host, metrics);
    if (host->nvml != NULL) {
        engine_sampling_nvml_read (host->nvml, metrics);
    }
}

gboolean
engine_sampling_host_is_led_by (EngineSamplingHost *host, const void *process)
{
    host->leader = host->leader != NULL ? host->leader : process;
    return host->leader == process;
}

void
engine_sampling_host_forget (EngineSamplingHost *host, const void *process)
{
    host->leader = host->leader == process ? NULL : host->leader;
}
