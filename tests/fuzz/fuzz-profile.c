/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file of a measured run, damaged anywhere, and everything that is made of what can be read of it.
 * `fuzz-profile [ROUNDS]`. */
#include "mutate.h"
#include "base/cursor.h"
#include "base/hash.h"
#include "profile/balance.h"
#include "profile/call-tree.h"
#include "profile/moment.h"
#include "profile/report.h"
#include "profile/slice.h"
#include "profile/spool.h"
#include "profile/summary.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define N_BINS 50u
#define MAX_RANKS 100u /* shown: what is not there takes no time */

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

static GBytes *
make_batch (guint32 rank)
{
    g_autoptr (JobContextTree) tree = job_context_tree_new ();
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GArray) metrics = g_array_new (FALSE, FALSE, sizeof (JobMetrics));
    g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (JobContextCounts));
    guint32 contexts[6] = { 0 };

    for (guint i = 1; i < G_N_ELEMENTS (contexts); i++) {
        g_autofree char *name = g_strdup_printf (i % 2 ? "f%u" : "MPI_%u \377", i);
        const JobLocation place = { .function = name,
                                    .file = (char *) (i % 3 ? "/src/app.py" : NULL),
                                    .module = (char *) "/lib/libm.so",
                                    .line = i,
                                    .offset = 16 * i,
                                    .language = JOB_LANGUAGE_PYTHON };

        contexts[i] = job_context_tree_add (tree, contexts[i / 2], &place, i % 2);
    }
    for (guint i = 1; i <= 60; i++) {
        JobSample sample = { 1000000 + 10000 * i, 10000,     contexts[i % 6], 1 + i % 2,
                             i % JOB_N_CLASSES,   i % 4 == 0 };
        JobMetrics used;

        g_array_append_val (samples, sample);
        job_metrics_init (&used, sample.time_us);
        used.values[JOB_METRIC_RSS] = 1000 * (rank + i);
        used.values[JOB_METRIC_CPU] = 10000 * i;
        g_array_append_val (metrics, used);
        if (i < 6) {
            JobContextCounts counted = { contexts[i], { { 100 * i, 90 * i, i, 0, 3 } } };

            g_array_append_val (counts, counted);
        }
    }
    return job_sample_batch_encode_all (tree, 1, samples, 3,
                                        &(JobSampleExtras){ metrics, counts, 0x1b });
}

static GByteArray *
read_all (int fd)
{
    GByteArray *bytes = g_byte_array_new ();
    guint8 part[4096];
    gssize n;

    lseek (fd, 0, SEEK_SET);
    while ((n = read (fd, part, sizeof part)) > 0) {
        g_byte_array_append (bytes, part, (guint) n);
    }
    return bytes;
}

static GByteArray *
make_spool (void)
{
    int fd = memfd_create ("spool", MFD_CLOEXEC);
    ProfileSpool *spool = profile_spool_open_stream (fd);
    const ProfileInfo info = { .command = (char *) "'mpirun' 'app'",
                               .begin_us = 900000,
                               .end_us = 2000000,
                               .begin_real_us = 1700000000000000,
                               .rate = 100 };
    GByteArray *bytes;

    profile_spool_put_info (spool, &info);
    for (guint32 rank = 0; rank < 3; rank++) {
        const ProfileProcess process = { .parent = rank == 2 ? 1 : 0,
                                         .pid = 100 + (gint32) rank,
                                         .host = (char *) (rank == 1 ? "node1" : "node2"),
                                         .program = (char *) "app",
                                         .offset_us = rank == 1 ? -5000 : 0 };
        const ProfileClockPoint points[] = { { 1000000 + rank, -5000, 100 },
                                             { 9000000 + rank, -5100, 50 } };
        g_autoptr (GBytes) batch = make_batch (rank);

        profile_spool_put_process (spool, rank, &process);
        profile_spool_put_clock (spool, "node1", &points[0], FALSE);
        profile_spool_put_clock (spool, "node1", &points[1], rank == 2);
        profile_spool_put_batch (spool, rank, batch);
    }
    profile_spool_put_problem (spool, &(const BaseText){ "cut off", "abgeschnitten" });
    profile_spool_free (spool);
    bytes = read_all (fd);
    close (fd);
    return bytes;
}

static void
use_lists (const ProfileModel *model)
{
    const ProfileReportFacts facts = { "app", "today", 100 };
    g_autofree char *said = profile_format_summary (model);
    g_autoptr (ProfileNode) root = profile_tree_new (model);
    g_autoptr (GPtrArray) functions = profile_functions_new (model);
    g_autoptr (GPtrArray) lines = profile_lines_new (model, TRUE);
    g_autoptr (ProfileBalance) balance = profile_balance_new (model);
    g_autoptr (ProfilePage) page = profile_report_new (model, &facts, BASE_TEXT_ENGLISH);
    ProfileCosts *costs = profile_costs_new (model);

    profile_call_tree_free (profile_call_tree_new (costs));
    profile_costs_free (costs);
}

static void
use_times (const ProfileModel *model)
{
    double end_s = profile_model_get_end (model);
    const ProfileSlice slice = { end_s / 4, end_s / 2, NULL, PROFILE_ALL_CLASSES };
    g_autoptr (ProfileModel) part = profile_model_new_slice (model, &slice);
    g_autofree float *shares = g_new (float, N_BINS *JOB_N_CLASSES);
    g_autofree ProfileBand *bands = g_new (ProfileBand, N_BINS);

    profile_model_get_activity (model, NULL, 0, end_s, N_BINS, shares);
    profile_model_get_activity (model, NULL, end_s / 3, end_s, N_BINS, shares);
    profile_model_get_bands (model, NULL, JOB_METRIC_RSS, 0, end_s, N_BINS, bands);
    profile_model_get_bands (model, NULL, JOB_METRIC_CPU, 0, end_s, N_BINS, bands);
    use_lists (part);
}

/* The hashes of damaged records are put right, as far as they are found: else nothing behind them would be tried. */
static void
seal (guint8 *data, gsize size)
{
    const guint8 *line = memchr (data, '\n', size);
    BaseCursor at = BASE_CURSOR_INIT (data, size);

    base_cursor_read_bytes (&at, line != NULL ? (gsize) (line - data) + 1 : size);
    while (!at.failed && base_cursor_get_left (&at) > 0) {
        guint64 kind = base_cursor_read_uleb (&at), length = base_cursor_read_uleb (&at), hash;
        const guint8 *bytes = length <= size ? base_cursor_read_bytes (&at, (gsize) length)
                                             : NULL;
        const guint8 *place = base_cursor_read_bytes (&at, sizeof hash);

        if (at.failed || bytes == NULL || place == NULL) {
            break;
        }
        hash = GUINT64_TO_LE (base_hash_bytes (kind, bytes, (gsize) length));
        memcpy (data + (place - data), &hash, sizeof hash);
    }
}

/* TRUE: a model came of it. */
static gboolean
use_bytes (const guint8 *data, gsize size)
{
    int fd = memfd_create ("damaged", MFD_CLOEXEC);
    ProfileModel *model = NULL;

    if (fd >= 0 && write (fd, data, size) == (gssize) size && lseek (fd, 0, SEEK_SET) == 0) {
        model = profile_spool_read (fd, NULL);
    }
    close (fd);
    if (model == NULL) {
        return FALSE;
    }
    if (profile_model_get_n_ranks (model) < MAX_RANKS) {
        use_lists (model);
        use_times (model);
    }
    profile_model_free (model);
    return TRUE;
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
    g_autofree guint8 *sealed = g_memdup2 (data, size);

    use_bytes (data, size);
    if (size > 0) {
        seal (sealed, size);
        use_bytes (sealed, size);
    }
    return 0;
}

#ifndef FUZZ_WITHOUT_MAIN
int
main (int argc, char **argv)
{
    guint rounds = argc > 1 ? (guint) strtoul (argv[1], NULL, 10) : 3000, n = 0;
    g_autoptr (GRand) random = mutate_new_random ();
    g_autoptr (GByteArray) whole = make_spool ();

    g_assert_true (use_bytes (whole->data, whole->len));
    for (guint cut = 0; cut < whole->len; cut += 1 + whole->len / 500) {
        use_bytes (whole->data, cut);
    }
    for (guint round = 0; round < rounds; round++) {
        g_autoptr (GByteArray) damaged = mutate_bytes (random, whole->data, whole->len,
                                                       whole->data, whole->len);

        use_bytes (damaged->data, damaged->len);
        seal (damaged->data, damaged->len);
        n += use_bytes (damaged->data, damaged->len);
    }
    printf ("# %u bytes damaged %u times, %u models\n", whole->len, rounds, n);
    return 0;
}
#endif
