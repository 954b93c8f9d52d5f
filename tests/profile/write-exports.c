/* SPDX-License-Identifier: GPL-3.0-or-later */
/* write-exports FOLDER: writes a profile of five ranks in every format, its report in every form, and its samples
 * into FOLDER/samples, a line each: rank, class, µs, and the frames from the outermost on, between
 * tabs. */
#include "profile/export.h"
#include "profile/report.h"
#include <stdio.h>
#include <string.h>

#define FRAME(name_, file_, line_, language_)                                                  \
    {                                                                                          \
        .function = (char *) (name_), .file = (char *) (file_), .line = (line_),               \
        .language = JOB_LANGUAGE_##language_                                                   \
    }

static const JobLocation frames[] = {
    FRAME ("main", "/home/me/app.c", 3, C),
    FRAME ("main", "/home/me/app.c", 4, C),
    FRAME ("<module>", "/home/me/gr\303\266\303\237e.py", 9, PYTHON),
    FRAME ("solve", "/home/me/gr\303\266\303\237e.py", 21, PYTHON),
    FRAME ("solve", "/home/me/gr\303\266\303\237e.py", 22, PYTHON),
    FRAME ("operator<<", "/home/me/a b;c.cpp", 5, CXX),
    FRAME ("quo\"te\\n&amp;<script>alert(1)</script>", "/home/me/app.c", 7, C),
    FRAME ("fib", "/home/me/app.c", 30, C),
    FRAME ("solve", "/home/me/other.py", 21, PYTHON),
    FRAME ("=HYPERLINK(1)", "+1+cmd.c", 30, C),
    { .module = (char *) "libblas.so.3", .offset = 0x1234 },
    { .module = (char *) "libblas.so.3", .offset = 0x2000 },
    { .function = (char *) "dgemm_", .module = (char *) "libblas.so.3", .offset = 0x99 },
    { .function = (char *) "MPI_Barrier", .module = (char *) "libmpi.so.40", .offset = 0x10 },
    { .function = (char *) "PMPI_Recv", .module = (char *) "libmpi.so.40", .offset = 0x20 },
};

static void
print_sample (FILE *file, guint rank, const JobContextTree *tree, const JobSample *sample)
{
    g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

    for (guint32 at = sample->context; at != 0; at = job_context_tree_get (tree, at)->parent) {
        const JobLocation *place = &job_context_tree_get (tree, at)->location;
        g_autofree char *name = place->function != NULL
                                    ? g_strdup (place->function)
                                    : g_strdup_printf ("%s+0x%x", place->module,
                                                       (guint) place->offset);

        g_ptr_array_insert (names, 0,
                            g_strdup_printf ("%s|%u|%s",
                                             place->file != NULL ? place->file : place->module,
                                             place->line, name));
    }
    fprintf (file, "%u\t%s\t%u", rank, job_class_get_name (sample->class), sample->weight_us);
    for (guint i = 0; i < names->len; i++) {
        fprintf (file, "\t%s", (char *) g_ptr_array_index (names, i));
    }
    fputc ('\n', file);
}

static guint32
make_stack (GRand *random, JobContextTree *tree, gboolean waits)
{
    guint32 at = 0;
    guint depth = (guint) g_rand_int_range (random, 1, 9);

    for (guint i = 0; i < depth; i++) {
        guint last = waits && i + 1 == depth ? 2 : G_N_ELEMENTS (frames) - 2;
        guint first = waits && i + 1 == depth ? G_N_ELEMENTS (frames) - 2 : 0;

        at = job_context_tree_add (
            tree, at, &frames[first + (guint) g_rand_int_range (random, 0, (gint) last)], 0);
    }
    return at;
}

/* Three cycles a microsecond, six instructions, and a page fault, of which rank 7 knows nothing. */
static guint32
count_all (const GArray *samples, guint rank, GArray *counts)
{
    for (guint i = 0; i < samples->len; i++) {
        const JobSample *sample = &g_array_index (samples, JobSample, i);
        JobContextCounts each
            = { sample->context,
                { { [JOB_COUNT_CYCLES] = 3 * (guint64) sample->weight_us,
                    [JOB_COUNT_INSTRUCTIONS] = 6 * (guint64) sample->weight_us,
                    [JOB_COUNT_FAULTS] = rank == 7 ? 0 : 1 } } };

        g_array_append_val (counts, each);
    }
    return 1u << JOB_COUNT_CYCLES | 1u << JOB_COUNT_INSTRUCTIONS
           | (rank == 7 ? 0 : 1u << JOB_COUNT_FAULTS);
}

static void
add_rank (ProfileModel *model, GRand *random, guint rank, FILE *file)
{
    g_autoptr (JobContextTree) tree = job_context_tree_new ();
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GBytes) batch = NULL;
    g_autoptr (GError) error = NULL;
    g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (JobContextCounts));
    JobSampleExtras extras = { .counts = counts };
    gint64 now_us = 1000000;

    for (guint i = 0; i < 600; i++) {
        gboolean waits = rank == 7 || g_rand_int_range (random, 0, 4) == 0;
        JobSample sample = { .weight_us = (guint32) g_rand_int_range (random, 5000, 15000),
                             .thread = 1,
                             .class = waits ? JOB_CLASS_MPI : JOB_CLASS_NATIVE };

        sample.context = i % 150 == 149 ? 0 : make_stack (random, tree, waits);
        now_us += sample.weight_us;
        sample.time_us = now_us;
        g_array_append_val (samples, sample);
        print_sample (file, rank, tree, &sample);
    }
    extras.counted = count_all (samples, rank, counts);
    batch = job_sample_batch_encode_all (tree, 1, samples, 5, &extras);
    if (!profile_model_add (model, rank, batch, &error)) {
        g_error ("%s", error->message);
    }
}

/* 200 ranks, of which the second half only waits; rank N < 100 computes for N + 50 ms of 200. */
static void
write_many (const char *folder)
{
    static const char *const suffixes[] = { "html", "txt", "csv", "json" };
    g_autoptr (ProfileModel) model = profile_model_new ();
    ProfileReportFacts facts = { 0 };

    for (guint rank = 0; rank < 200; rank++) {
        g_autoptr (JobContextTree) tree = job_context_tree_new ();
        g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
        g_autoptr (GBytes) batch = NULL;
        guint work_ms = rank < 100 ? rank + 50 : 0;
        JobSample work = { .time_us = 1000000 + work_ms * 1000,
                           .weight_us = work_ms * 1000,
                           .thread = 1,
                           .class = JOB_CLASS_NATIVE };
        JobSample wait = { .time_us = 1200000,
                           .weight_us = (200 - work_ms) * 1000,
                           .thread = 1,
                           .class = JOB_CLASS_WAIT };

        work.context = wait.context = job_context_tree_add (tree, 0, &frames[0], 0);
        g_array_append_val (samples, work);
        g_array_append_val (samples, wait);
        batch = job_sample_batch_encode (tree, 1, samples, 0);
        if (!profile_model_add (model, rank, batch, NULL)) {
            g_error ("rank %u", rank);
        }
    }
    for (guint i = 0; i < G_N_ELEMENTS (suffixes); i++) {
        g_autofree char *path = g_strdup_printf ("%s/many.%s", folder, suffixes[i]);

        if (!profile_report_write (model, path, &facts, NULL)) {
            g_error ("%s", path);
        }
    }
}

/* frequent.prof: a function of five thousand million calls. */
static void
write_frequent (const char *folder)
{
    g_autofree char *path = g_build_filename (folder, "frequent.prof", NULL);
    g_autoptr (ProfileModel) model = profile_model_new ();
    g_autoptr (JobContextTree) tree = job_context_tree_new ();
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GArray) counts = g_array_new (FALSE, TRUE, sizeof (ProfileCount));
    const ProfileCount known[] = { { 0 }, { 5000000000, 1, JOB_CLASS_NATIVE } };
    JobSample sample = { .time_us = 2000000, .weight_us = 1000000, .thread = 1 };
    g_autoptr (GBytes) batch = NULL;

    sample.context = job_context_tree_add (tree, 0, &frames[0], 0);
    g_array_append_val (samples, sample);
    batch = job_sample_batch_encode (tree, 1, samples, 0);
    g_array_append_vals (counts, known, G_N_ELEMENTS (known));
    if (!profile_model_add (model, 0, batch, NULL)) {
        g_error ("rank 0");
    }
    profile_model_set_counts (model, 0, 0, counts);
    if (!profile_export (model, "pstats", path, NULL)) {
        g_error ("%s", path);
    }
}

static void
write_reports (const ProfileModel *model, const ProfileModel *empty, const char *folder)
{
    static const char *const suffixes[] = { "html", "txt", "csv", "json" };
    ProfileReportFacts facts = { .command = "mpirun -np 5 ./app '<b>&\"' \033[31m",
                                 .begun = "2024-05-06 07:08:09",
                                 .rate = 100 };
    ProfileReportFacts none = { 0 };
    g_autoptr (GError) error = NULL;

    for (guint i = 0; i < G_N_ELEMENTS (suffixes); i++) {
        g_autofree char *path = g_strdup_printf ("%s/report.%s", folder, suffixes[i]);
        g_autofree char *nothing = g_strdup_printf ("%s/empty.%s", folder, suffixes[i]);

        if (!profile_report_write (model, path, &facts, &error)
            || !profile_report_write (empty, nothing, &none, &error)) {
            g_error ("%s", error->message);
        }
    }
    if (profile_report_write (model, "/tmp/report.pdf", &facts, &error)
        || profile_report_write (model, "/no/such/folder.html", &facts, NULL)) {
        g_error ("a report where there can be none");
    }
    if (strstr (error->message, ".html") == NULL) {
        g_error ("%s", error->message);
    }
}

int
main (int argc, char **argv)
{
    static const guint ranks[] = { 0, 1, 2, 3, 7 };
    g_autoptr (ProfileModel) model = profile_model_new ();
    g_autoptr (ProfileModel) empty = profile_model_new ();
    g_autoptr (GRand) random = g_rand_new_with_seed (23);
    g_autofree char *path = g_build_filename (argv[1], "samples", NULL);
    FILE *file = fopen (path, "w");
    const char *const *formats = profile_export_get_formats ();

    g_return_val_if_fail (argc == 2 && file != NULL, 1);
    for (guint i = 0; i < G_N_ELEMENTS (ranks); i++) {
        add_rank (model, random, ranks[i], file);
    }
    fclose (file);
    write_reports (model, empty, argv[1]);
    write_many (argv[1]);
    write_frequent (argv[1]);
    for (guint i = 0; formats[i] != NULL; i++) {
        g_autofree char *named = g_strdup_printf ("%s/named.%s", argv[1], formats[i]);
        g_autofree char *nowhere = g_strdup_printf ("%s/no/such/file", argv[1]);
        g_autoptr (GError) error = NULL;

        if (!profile_export_is_possible (model, formats[i])) { /* no lines were counted */
            if (profile_export (model, formats[i], argv[1], &error)) {
                g_error ("%s of nothing", formats[i]);
            }
            continue;
        }
        if (!profile_export (model, formats[i], argv[1], &error)
            || !profile_export (model, formats[i], named, &error)) {
            g_error ("%s", error->message);
        }
        if (profile_export (model, formats[i], nowhere, &error)) {
            g_error ("%s was written into %s", formats[i], nowhere);
        }
        printf ("%s\n", error->message);
        g_clear_error (&error);
        if (profile_export (model, formats[i], "/dev/full", &error)) {
            g_error ("%s was written to a full disk", formats[i]);
        }
        printf ("%s\n", error->message);
        g_clear_error (&error);
        if (profile_export (empty, formats[i], argv[1], &error)) {
            g_error ("%s of nothing", formats[i]);
        }
        printf ("%s\n", error->message);
    }
    return 0;
}
