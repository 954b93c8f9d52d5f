/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long a program's index takes: made from the file, and opened when it is there already.
 * Arguments: program, and a name to keep the index under. */
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "index/search.h"
#include "symbol/scanner.h"

static double
get_ms (gint64 since)
{
    return (g_get_monotonic_time () - since) / 1000.0;
}

/* The slowest of what somebody types for a completion. */
static double
measure_search (const char *path)
{
    static const char *const texts[] = { "m", "push", "std::vec", "work",
                                         "nothing_is_called_so" };
    IndexImage *image = index_image_open (path, NULL);
    double worst = 0;
    for (guint i = 0; image != NULL && i < G_N_ELEMENTS (texts); i++) {
        double best = 1e9;
        for (guint round = 0; round < 5; round++) {
            g_autoptr (JobNames) names = job_names_new (200);
            gint64 start = g_get_monotonic_time ();
            index_search_names (image, texts[i], JOB_NAME_ANY, FALSE, names);
            best = MIN (best, get_ms (start));
        }
        if (g_getenv ("PDDT_BENCH_EACH") != NULL) {
            printf ("%s %.2f ms\n", texts[i], best);
        }
        worst = MAX (worst, best);
    }
    index_image_unref (image);
    return worst;
}

int
main (int argc, char **argv)
{
    g_autofree char *folder = g_dir_make_tmp ("pddt-bench-XXXXXX", NULL);
    g_autofree char *path = g_build_filename (folder, "index", NULL);
    g_autoptr (GError) error = NULL;
    struct rusage usage;
    double best_open = 1e9;
    gint64 start = g_get_monotonic_time ();
    SymbolElf *elf = argc > 1 ? symbol_elf_open (argv[1], &error) : NULL;
    if (elf == NULL) {
        fprintf (stderr, "bench-index: %s\n",
                 error != NULL ? error->message : "no program named");
        return 1;
    }
    g_autoptr (SymbolDwarf) dwarf = symbol_dwarf_new (elf);
    double units = get_ms (start);
    if (!symbol_scan_write (dwarf, argv[1], path, &error)) {
        fprintf (stderr, "bench-index: %s\n", error->message);
        return 1;
    }
    double whole = get_ms (start);
    for (guint i = 0; i < 5; i++) {
        start = g_get_monotonic_time ();
        IndexImage *image = index_image_open (path, NULL);
        GArray *places = image != NULL ? index_image_find_function (image, "main") : NULL;
        best_open = MIN (best_open, get_ms (start));
        if (places != NULL)
            g_array_unref (places);
        index_image_unref (image);
    }
    GStatBuf info;
    g_stat (path, &info);
    getrusage (RUSAGE_SELF, &usage);
    double search = measure_search (path);
    printf ("index %.1f ms (units %.1f), opened %.2f ms, a name searched %.2f ms, %.1f MB, "
            "%.0f MB resident\n",
            whole, units, best_open, search, info.st_size / 1e6, usage.ru_maxrss / 1e3);
    if (argc < 3 || g_rename (path, argv[2]) != 0) {
        g_unlink (path);
    }
    g_rmdir (folder);
    return 0;
}
