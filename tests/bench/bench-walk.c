/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One walk of a Python stack after a stop, when the code objects have been seen before. Arguments:
 * script, then interpreters. */
#include "python/live.h"
#include <stdlib.h>
#include <time.h>

#define N_WALKS 2000
#define N_ROUNDS 9

/* Of the walking thread, so that a machine that is busy counts less. */
static double
get_cpu_us (void)
{
    struct timespec time;

    clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
    return (double) time.tv_sec * 1e6 + (double) time.tv_nsec / 1e3;
}

static double
measure (PythonRuntime *runtime, const PythonThread *thread, guint *ret_frames)
{
    double best = G_MAXDOUBLE;

    for (guint round = 0; round < N_ROUNDS; round++) {
        double begin = get_cpu_us ();

        for (guint i = 0; i < N_WALKS; i++) {
            g_autoptr (GPtrArray) frames = NULL;

            python_runtime_invalidate (runtime);
            frames = python_runtime_read_frames (runtime, thread, NULL);
            *ret_frames = frames->len;
        }
        best = MIN (best, (get_cpu_us () - begin) / N_WALKS);
    }
    return best;
}

int
main (int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        Live *live = live_start (argv[i], argv[1]);
        PythonRuntime *runtime = python_runtime_open (live->memory,
                                                      (PythonImage *) live->images->data,
                                                      live->images->len, NULL);
        g_autoptr (GArray) threads = python_runtime_read_threads (runtime, NULL);
        guint n_frames = 0;
        double warm = measure (runtime, &g_array_index (threads, PythonThread, 0), &n_frames);

        g_print ("walk of %u Python frames, %s: %.1f us\n", n_frames, argv[i], warm);
        python_runtime_free (runtime);
        live_stop (live);
    }
    return 0;
}
