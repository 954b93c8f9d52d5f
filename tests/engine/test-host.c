/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a host uses, from folders and a library that stand for the kernel's and NVIDIA's. */
#include "../support/folder.h"
#include "engine/sampling/host-private.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEADLINE_US (120 * G_USEC_PER_SEC)

static char *folder;

static void
put_file (const char *name, const char *text)
{
    g_autofree char *path = g_build_filename (folder, name, NULL);
    g_autofree char *above = g_path_get_dirname (path);

    g_assert_cmpint (g_mkdir_with_parents (above, 0755), ==, 0);
    g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static EngineSamplingHost *
open_host (guint32 wanted)
{
    return engine_sampling_host_new (folder, folder, "/no/such/library.so", wanted);
}

static JobMetrics
read_host (EngineSamplingHost *host)
{
    JobMetrics metrics;

    job_metrics_init (&metrics, 1);
    engine_sampling_host_read (host, &metrics);
    return metrics;
}

static void
test_memory (void)
{
    EngineSamplingHost *host = open_host (JOB_METRIC_ALL);
    JobMetrics metrics = read_host (host);

    g_assert_cmpuint (job_metrics_get_known (&metrics), ==, 0); /* there is nothing yet */
    put_file ("meminfo", "MemTotal:       16000000 kB\nMemFree:         1000000 kB\n"
                         "MemAvailable:    6000000 kB\nBuffers: 3 kB\n");
    metrics = read_host (host);
    g_assert_cmpuint (metrics.values[JOB_METRIC_NODE_TOTAL], ==,
                      G_GUINT64_CONSTANT (16000000) << 10);
    g_assert_cmpuint (metrics.values[JOB_METRIC_NODE_USED], ==,
                      G_GUINT64_CONSTANT (10000000) << 10);
    put_file ("meminfo", "MemTotal:       16000000 kB\nMemFree:         1000000 kB\n");
    metrics = read_host (host); /* a kernel of before 3.14 */
    g_assert_cmpuint (job_metrics_get_known (&metrics), ==, 1u << JOB_METRIC_NODE_TOTAL);
    engine_sampling_host_free (host);
    host = open_host (1u << JOB_METRIC_ENERGY);
    metrics = read_host (host);
    g_assert_cmpuint (job_metrics_get_known (&metrics), ==, 0);
    engine_sampling_host_free (host);
}

/* All processors together, in hundredths of a second, and how many there are; not more often than once a second. */
static void
test_processors (void)
{
    EngineSamplingHost *host;
    JobMetrics metrics;

    put_file ("stat", "cpu  100 20 30 5000 60 7 8 900 0 0\ncpu0 50 10 15 2500 30 3 4 450 0 0\n"
                      "cpu1 50 10 15 2500 30 4 4 450 0 0\nintr 5 cpu\n");
    host = open_host (1u << JOB_METRIC_NODE_BUSY | 1u << JOB_METRIC_NODE_CORES);
    metrics = read_host (host);
    g_assert_cmpuint (metrics.values[JOB_METRIC_NODE_BUSY], ==,
                      165 * G_USEC_PER_SEC / (guint64) sysconf (_SC_CLK_TCK));
    g_assert_cmpuint (metrics.values[JOB_METRIC_NODE_CORES], ==, 2);
    metrics = read_host (host);
    g_assert_cmpuint (job_metrics_get_known (&metrics), ==, 0);
    engine_sampling_host_free (host);
    put_file ("stat", "cpu  100 20 30\n");
    host = open_host (1u << JOB_METRIC_NODE_BUSY);
    metrics = read_host (host);
    g_assert_cmpuint (job_metrics_get_known (&metrics), ==, 0);
    engine_sampling_host_free (host);
}

/* Two packages, one of which wraps; a part of one and a sum of both count once. */
static void
test_energy (void)
{
    EngineSamplingHost *host;
    JobMetrics metrics;

    put_file ("class/powercap/intel-rapl/enabled", "1\n");
    put_file ("class/powercap/intel-rapl:0/name", "package-0\n");
    put_file ("class/powercap/intel-rapl:0/energy_uj", "1000000\n");
    put_file ("class/powercap/intel-rapl:0/max_energy_range_uj", "262143328850\n");
    put_file ("class/powercap/intel-rapl:1/name", "package-1\n");
    put_file ("class/powercap/intel-rapl:1/energy_uj", "262143328000\n");
    put_file ("class/powercap/intel-rapl:1/max_energy_range_uj", "262143328850\n");
    put_file ("class/powercap/intel-rapl:2/name", "psys\n");
    put_file ("class/powercap/intel-rapl:2/energy_uj", "5\n");
    put_file ("class/powercap/intel-rapl:0:0/name", "core\n");
    put_file ("class/powercap/intel-rapl:0:0/energy_uj", "5\n");
    host = open_host (JOB_METRIC_ALL & ~(1u << JOB_METRIC_NODE_TOTAL));
    metrics = read_host (host);
    g_assert_cmpuint (metrics.values[JOB_METRIC_ENERGY], ==, 0);
    put_file ("class/powercap/intel-rapl:0/energy_uj", "1700000\n");
    put_file ("class/powercap/intel-rapl:2/energy_uj", "900000\n");
    put_file ("class/powercap/intel-rapl:0:0/energy_uj", "900000\n");
    metrics = read_host (host);
    g_assert_cmpuint (metrics.values[JOB_METRIC_ENERGY], ==, 700000);
    put_file ("class/powercap/intel-rapl:1/energy_uj", "150\n");
    metrics = read_host (host);
    g_assert_cmpuint (metrics.values[JOB_METRIC_ENERGY], ==, 700000 + 850 + 150);
    put_file ("class/powercap/intel-rapl:0/energy_uj", "not a number\n");
    put_file ("class/powercap/intel-rapl:1/energy_uj", "\n");
    metrics = read_host (host);
    g_assert_cmpuint (metrics.values[JOB_METRIC_ENERGY], ==, JOB_METRIC_UNKNOWN);
    engine_sampling_host_free (host);
}

static EngineSamplingHost *
open_stand_in (const char *how)
{
    g_setenv ("NVML_STAND_IN", how, TRUE);
    return engine_sampling_host_new ("/no/proc", "/no/sys", g_getenv ("PDDT_NVML"),
                                     JOB_METRIC_ALL);
}

static void
test_accelerators (void)
{
    gint64 end_us = g_get_monotonic_time () + DEADLINE_US;
    EngineSamplingHost *host = open_stand_in ("");
    JobMetrics metrics;

    do { /* its thread reads it */
        metrics = read_host (host);
        g_thread_yield ();
    } while (job_metrics_get_known (&metrics) == 0 && g_get_monotonic_time () < end_us);
    g_assert_cmpuint (metrics.values[JOB_METRIC_GPU_USE], ==, 61); /* of 90 and 31 */
    g_assert_cmpuint (metrics.values[JOB_METRIC_GPU_MEMORY], ==, G_GUINT64_CONSTANT (3) << 30);
    g_assert_cmpuint (metrics.values[JOB_METRIC_GPU_POWER], ==, 123456);
    engine_sampling_host_free (host);
}

/* Nobody waits for a driver that hangs: neither who reads nor who ends. */
static void
test_hanging (void)
{
    gint64 begin_us = g_get_monotonic_time ();
    EngineSamplingHost *host = open_stand_in ("hang");

    while (g_get_monotonic_time () < begin_us + 300000) {
        JobMetrics metrics = read_host (host);

        g_assert_cmpuint (job_metrics_get_known (&metrics), ==, 0);
        g_thread_yield ();
    }
    engine_sampling_host_free (host);
    g_assert_cmpint (g_get_monotonic_time (), <, begin_us + DEADLINE_US);
}

static void
test_none (void)
{
    static const char *const libraries[] = { "/no/such/library.so", "libm.so.6" };

    for (guint i = 0; i < G_N_ELEMENTS (libraries); i++) {
        EngineSamplingHost *host = engine_sampling_host_new ("/no", "/no", libraries[i],
                                                             JOB_METRIC_ALL);
        JobMetrics metrics = read_host (host);

        g_assert_cmpuint (job_metrics_get_known (&metrics), ==, 0);
        engine_sampling_host_free (host);
    }
}

static void
test_leader (void)
{
    EngineSamplingHost *host = open_host (1u << JOB_METRIC_NODE_TOTAL);

    g_assert_true (engine_sampling_host_is_led_by (host, "a"));
    g_assert_false (engine_sampling_host_is_led_by (host, "b"));
    engine_sampling_host_forget (host, "b");
    g_assert_false (engine_sampling_host_is_led_by (host, "b"));
    engine_sampling_host_forget (host, "a");
    g_assert_true (engine_sampling_host_is_led_by (host, "b"));
    g_assert_false (engine_sampling_host_is_led_by (host, "a"));
    engine_sampling_host_free (host);
}

int
main (int argc, char **argv)
{
    int status;

    g_test_init (&argc, &argv, NULL);
    folder = g_dir_make_tmp ("pddt-host-XXXXXX", NULL);
    g_assert_nonnull (folder);
    g_test_add_func ("/memory", test_memory);
    g_test_add_func ("/processors", test_processors);
    g_test_add_func ("/energy", test_energy);
    g_test_add_func ("/accelerators", test_accelerators);
    g_test_add_func ("/hanging", test_hanging);
    g_test_add_func ("/none", test_none);
    g_test_add_func ("/leader", test_leader);
    status = g_test_run ();
    folder_remove (folder);
    g_free (folder);
    return status;
}
