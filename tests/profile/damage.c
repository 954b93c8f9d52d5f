/* SPDX-License-Identifier: GPL-3.0-or-later */
/* damage PDDT-ARCHIVE FOLDER FLIPS STRIDE: each file of an archive cut behind each of its bytes, and with one to five bytes
 * changed FLIPS times; each STRIDE-th of these. They are read in a child each, and some by pddt-archive. It has the numbers of the whole one, or a loss is said. Of an archive without
 * traces.sums nobody can tell a changed number from one that was recorded: where otf2-print, too, takes it for sound it is
 * counted, and is no failure. */
#include "../support/folder.h"
#include "base/error.h"
#include "profile/archive.h"
#include "profile/otf2.h"
#include "profile/report.h"
#include "profile/sums.h"
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define REAL 100u /* each so many-th is read by pddt-archive, too */
#define MOST_MEMORY ((rlim_t) 1 << 31)
#define MOST_S 60

static const char *program;
static char *copy; /* of the archive */
static guint n_equal, n_said, n_sound, n_false;

/* A name that has changed is no other number. */
static guint
get_depth (const ProfileModel *model, guint32 number)
{
    guint depth = 0;

    while (number != 0) {
        number = job_context_tree_get (profile_model_get_contexts (model), number)->parent;
        depth++;
    }
    return depth;
}

/* JSON without its texts. */
static void
append_numbers (GString *to, const char *report)
{
    gboolean is_in_text = FALSE;

    for (const char *at = report; *at != '\0'; at++) {
        if (is_in_text && *at == '\\') {
            at++;
        } else if (*at == '"') {
            is_in_text = !is_in_text;
        } else if (!is_in_text) {
            g_string_append_c (to, *at);
        }
    }
}

static void
print_thread (const ProfileModel *model, guint rank, guint thread, GString *text)
{
    guint32 number;
    const GArray *samples = profile_samples_get (model, rank, thread, &number);

    for (guint i = 0; i < samples->len; i++) {
        const ProfileSample *sample = &g_array_index (samples, ProfileSample, i);

        g_string_append_printf (text, "%u %u %" G_GINT64_FORMAT " %u %u %u %u\n",
                                profile_model_get_rank (model, rank), number, sample->time_us,
                                sample->weight_us, sample->class, sample->is_blocked,
                                get_depth (model, profile_model_get_merged (model, rank,
                                                                            sample->context)));
    }
}

static void
print_metrics (const ProfileModel *model, guint rank, GString *text)
{
    const GArray *metrics = profile_samples_get_metrics (model, rank);

    for (guint i = 0; i < metrics->len; i++) {
        const JobMetrics *each = &g_array_index (metrics, JobMetrics, i);

        g_string_append_printf (text, "%" G_GINT64_FORMAT, each->time_us);
        for (guint j = 0; j < JOB_N_METRICS; j++) {
            g_string_append_printf (text, " %" G_GINT64_MODIFIER "x", each->values[j]);
        }
        g_string_append_c (text, '\n');
    }
}

/* All numbers of the report, and of each sample and metric; NULL: a loss is said. Takes the model, NULL of an archive that is refused. Caller
 * owns. */
static char *
print_model (ProfileModel *taken)
{
    const ProfileReportFacts facts = { 0 };
    g_autofree char *path = g_build_filename (copy, "report.json", NULL), *report = NULL;
    g_autoptr (ProfileModel) model = taken;
    GString *text;

    if (model == NULL || profile_model_get_problem (model, BASE_TEXT_ENGLISH) != NULL) {
        g_assert_cmpstr (model != NULL ? profile_model_get_problem (model, BASE_TEXT_ENGLISH)
                                       : "refused",
                         !=, "");
        return NULL;
    }
    g_assert_true (profile_report_write (model, path, &facts, NULL));
    g_assert_true (g_file_get_contents (path, &report, NULL, NULL));
    g_unlink (path);
    text = g_string_new (NULL);
    append_numbers (text, report);
    for (guint rank = 0; rank < profile_model_get_n_ranks (model); rank++) {
        for (guint i = 0; i < profile_samples_get_n_threads (model, rank); i++) {
            print_thread (model, rank, i, text);
        }
        print_metrics (model, rank, text);
    }
    return g_string_free (text, FALSE);
}

/* As pddt-archive does it, without its start, and confined in its memory and time alone. */
static G_NORETURN void
read_and_end (const char *anchor, int to, int more)
{
    const struct rlimit memory = { MOST_MEMORY, MOST_MEMORY }, time = { MOST_S, MOST_S };
    g_autoptr (BaseText) problem = profile_sums_check (anchor, profile_otf2_is_summed (anchor));
    g_autoptr (BaseText) why = NULL;
    ProfileSpool *spool = profile_spool_open_stream (to);
    g_autoptr (GError) error = NULL;

    setrlimit (RLIMIT_AS, &memory);
    setrlimit (RLIMIT_CPU, &time);
    close (STDERR_FILENO); /* OTF2's library says much there */
    if (!profile_otf2_read (anchor, NULL, NULL, spool, &error)) {
        why = base_error_dup_text (error);
        profile_spool_put_problem (spool, why);
    } else if (problem != NULL) {
        profile_spool_put_problem (spool, problem);
    }
    profile_spool_free (spool);
    spool = profile_spool_open_stream (more);
    profile_otf2_read_traced (anchor, spool);
    profile_spool_free (spool);
    _exit (0);
}

/* What the archive tells; NULL: a loss is said. Caller owns. */
static char *
print_archive (void)
{
    g_autofree char *anchor = g_build_filename (copy, "traces.otf2", NULL);
    int to = memfd_create ("model", MFD_CLOEXEC), more = memfd_create ("more", MFD_CLOEXEC);
    ProfileModel *model;
    char *text = NULL;
    int status = 0;
    pid_t child;

    g_assert_cmpint (MIN (to, more), >=, 0);
    child = fork ();
    g_assert_cmpint (child, >=, 0);
    if (child == 0) {
        read_and_end (anchor, to, more);
    }
    g_assert_cmpint (waitpid (child, &status, 0), ==, child);
    lseek (to, 0, SEEK_SET);
    lseek (more, 0, SEEK_SET);
    model = status == 0 ? profile_spool_read (to, NULL) : NULL; /* as of a reader that fails */
    if (model != NULL) {
        profile_spool_read_more (model, more, NULL);
    }
    text = print_model (model);
    close (to);
    close (more);
    return text;
}

/* TRUE: the archive has no sums that would tell, and OTF2's own reader finds nothing wrong in it, unless it be snapshots, of
 * which there are none. */
static gboolean
is_sound (void)
{
    g_autofree char *anchor = g_build_filename (copy, "traces.otf2", NULL), *said = NULL;
    g_autofree char *sums = g_build_filename (copy, PROFILE_SUMS_NAME, NULL);
    const char *const argv[] = { "otf2-print", anchor, NULL };
    int status;

    return !g_file_test (sums, G_FILE_TEST_EXISTS)
           && g_spawn_sync (NULL, (char **) argv, NULL,
                            G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL,
                            &said, &status, NULL)
           && ((status == 0 && strstr (said, "rror") == NULL)
               || strstr (said, ".snap'") != NULL);
}

static void
print_difference (const char *whole, const char *found)
{
    g_auto (GStrv) left = g_strsplit (whole, "\n", -1), right = g_strsplit (found, "\n", -1);
    guint i = 0;

    while (left[i] != NULL && g_strcmp0 (left[i], right[i]) == 0) {
        i++;
    }
    printf ("  line %u: %s\n  and whole: %s\n", i, right[i], left[i]);
}

static void
judge (const char *whole, const char *name, guint number)
{
    static guint n_judged;
    g_autofree char *found = print_archive ();

    if (n_judged++ % REAL == 0) {
        g_autofree char *real = print_model (profile_archive_read (program, copy, NULL));

        g_assert_cmpstr (found, ==, real);
    }
    if (found == NULL) {
        n_said++;
    } else if (strcmp (found, whole) == 0) {
        n_equal++;
    } else if (is_sound ()) {
        n_sound++;
    } else {
        n_false++;
        printf ("%s, %u: other numbers without a word\n", name, number);
        print_difference (whole, found);
        fflush (stdout);
    }
}

/* number: below the size a cut there, else a change that the number decides. Caller owns. */
static char *
damage (const char *content, gsize size, guint number, gsize *ret_size)
{
    char *damaged = g_memdup2 (content, size);
    g_autoptr (GRand) random = g_rand_new_with_seed (number);
    guint n = (guint) g_rand_int_range (random, 1, 6);

    *ret_size = number < size ? number : size;
    for (guint i = 0; number >= size && i < n; i++) {
        gint32 at = g_rand_int_range (random, 0, (gint32) size);

        damaged[at] ^= (char) g_rand_int_range (random, 1, 256);
    }
    return damaged;
}

/* In place, and not written to a disk first, as g_file_set_contents does it. */
static void
write_file (const char *path, const char *content, gsize size)
{
    FILE *file = fopen (path, "we");

    g_assert_nonnull (file);
    g_assert_cmpuint (fwrite (content, 1, size, file), ==, size);
    g_assert_cmpint (fclose (file), ==, 0);
}

static void
try_file (const char *whole, const char *name, guint n_flips, guint stride)
{
    static guint n_skipped; /* by the stride, of the files together */
    g_autofree char *path = g_build_filename (copy, name, NULL), *content = NULL;
    gsize size;
    guint number = n_skipped, n;

    g_assert_true (g_file_get_contents (path, &content, &size, NULL));
    n = size > 0 ? (guint) size + n_flips : 0;
    for (; number < n; number += stride) {
        gsize damaged_size;
        g_autofree char *damaged = damage (content, size, number, &damaged_size);

        write_file (path, damaged, damaged_size);
        judge (whole, name, number);
    }
    n_skipped = number - n;
    write_file (path, content, size);
}

/* Those of the archive, by name. */
static void
copy_files (const char *folder, const char *below, GPtrArray *names)
{
    g_autofree char *from = g_build_filename (folder, below, NULL);
    g_autofree char *to = g_build_filename (copy, below, NULL);
    g_autoptr (GDir) files = g_dir_open (from, 0, NULL);
    const char *name;

    g_assert_nonnull (files);
    g_assert_cmpint (g_mkdir_with_parents (to, 0700), ==, 0);
    while ((name = g_dir_read_name (files)) != NULL) {
        g_autofree char *within = g_build_filename (below, name, NULL);
        g_autofree char *path = g_build_filename (folder, within, NULL);
        g_autofree char *target = g_build_filename (copy, within, NULL), *content = NULL;
        gsize size;

        if (!g_str_has_prefix (within, "traces")) {
            continue;
        }
        if (g_file_test (path, G_FILE_TEST_IS_DIR)) {
            copy_files (folder, within, names);
            continue;
        }
        g_assert_true (g_file_get_contents (path, &content, &size, NULL));
        write_file (target, content, size);
        g_ptr_array_add (names, g_steal_pointer (&within));
    }
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
    return strcmp (*(char *const *) a, *(char *const *) b);
}

int
main (int argc, char **argv)
{
    g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
    g_autofree char *whole = NULL;

    g_assert_cmpint (argc, ==, 5);
    program = argv[1];
    copy = g_dir_make_tmp ("pddt-damaged-XXXXXX", NULL);
    copy_files (argv[2], "", names);
    g_ptr_array_sort (names, compare_names);
    whole = print_archive ();
    g_assert_nonnull (whole);
    for (guint i = 0; i < names->len; i++) {
        try_file (whole, g_ptr_array_index (names, i), (guint) atoi (argv[3]),
                  (guint) MAX (atoi (argv[4]), 1));
    }
    folder_remove (copy);
    g_free (copy);
    printf ("%u equal, %u said, %u that otf2-print calls sound, %u false\n", n_equal, n_said,
            n_sound, n_false);
    return n_false > 0;
}
