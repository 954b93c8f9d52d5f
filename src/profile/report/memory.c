/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sections of a report that only a trace with --memory has: which lines of Python code have allocated memory, and which
 * of them hold it at the end; and with --memory=native the same of native code. */
#include "profile/native.h"
#include "profile/report/private.h"
#include "base/array.h"
#include <string.h>

#define MOST_ROWS 30u

/* A place in all ranks. */
typedef struct {
    const char *place, *code, *callers; /* as in ProfileAllocation */
    guint n_ranks;
    guint64 allocated, held_middle, held_end, most; /* most: of one rank, at the end */
    guint32 rank;                                   /* which holds it */
} Site;

BASE_ORDER_POINTERS (compare_sites, Site,
                     BASE_BY_DOWN (held_end) ?: BASE_BY_DOWN (allocated)
                         ?: strcmp (left->place, right->place)
                         ?: g_strcmp0 (left->code, right->code))

static void
add_to (Site *site, const ProfileAllocation *allocation)
{
    if (allocation->held_end > site->most || site->n_ranks == 0) {
        site->most = allocation->held_end;
        site->rank = allocation->rank;
    }
    site->n_ranks++;
    site->allocated += allocation->allocated;
    site->held_middle += allocation->held_middle;
    site->held_end += allocation->held_end;
}

/* Of Site; total: of all of them. Caller owns. */
static GPtrArray *
sum_sites (const GArray *allocations, gboolean is_native, Site *total)
{
    GPtrArray *sites = g_ptr_array_new_with_free_func (g_free);
    g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                          NULL);

    for (guint i = 0; i < allocations->len; i++) {
        const ProfileAllocation *allocation = &g_array_index (allocations, ProfileAllocation,
                                                              i);
        g_autofree char *key = NULL;
        Site *site;

        if ((allocation->code != NULL) != is_native) {
            continue;
        }
        key = g_strdup_printf ("%s\n%s", allocation->place, is_native ? allocation->code : "");
        site = g_hash_table_lookup (known, key);
        if (site == NULL) {
            site = g_new0 (Site, 1);
            site->place = allocation->place;
            site->code = allocation->code;
            site->callers = allocation->callers;
            g_ptr_array_add (sites, site);
            g_hash_table_insert (known, g_steal_pointer (&key), site);
        }
        add_to (site, allocation);
        add_to (total, allocation);
    }
    g_ptr_array_sort (sites, compare_sites);
    return sites;
}

static void
add_growth (ProfileReport *report, const Site *site)
{
    profile_page_add_number (report->page, (double) site->held_end - (double) site->held_middle,
                             0);
}

static void
add_numbers (ProfileReport *report, const Site *site)
{
    profile_page_add_count (report->page, site->n_ranks);
    profile_page_add_count (report->page, site->allocated);
    profile_page_add_count (report->page, site->held_middle);
    profile_page_add_count (report->page, site->held_end);
    add_growth (report, site);
    profile_page_add_count (report->page, site->rank);
}

static void
add_table (ProfileReport *report, const GPtrArray *sites, gboolean is_native)
{
    static const ProfileColumn columns[] = {
        { "Place", NULL, PROFILE_COLUMN_CODE, NULL },
        { "Called by", NULL, PROFILE_COLUMN_CODE, NULL },
        { "Ranks", NULL, PROFILE_COLUMN_NUMBER, NULL },
        { "Allocated", "bytes", PROFILE_COLUMN_BYTES, NULL },
        { "Held at half-time", "bytes", PROFILE_COLUMN_BYTES, NULL },
        { "Held at the end", "bytes", PROFILE_COLUMN_BYTES, NULL },
        { "Growth", "bytes", PROFILE_COLUMN_BYTES, NULL },
        { "Most in rank", NULL, PROFILE_COLUMN_NUMBER, NULL },
    };
    ProfileColumn shown[G_N_ELEMENTS (columns)];
    guint n = 0;

    for (guint i = 0; i < G_N_ELEMENTS (columns); i++) {
        if (is_native || i != 1) {
            shown[n++] = columns[i];
        }
    }
    profile_page_begin_table (report->page, PROFILE_TABLE_PLAIN, shown, n);
    for (guint i = 0; i < MIN (sites->len, MOST_ROWS); i++) {
        const Site *site = g_ptr_array_index (sites, i);
        const char *caller = *site->place != '\0'    ? site->place
                             : site->callers != NULL ? site->callers
                                                     : "";

        if (is_native) {
            profile_page_add_cell (report->page,
                                   *site->code != '\0' ? site->code : "unknown code");
            profile_page_add_cell (report->page, caller);
        } else {
            profile_page_add_cell (report->page,
                                   *site->place != '\0' ? site->place : "outside Python");
        }
        add_numbers (report, site);
    }
}

static void
add_section (ProfileReport *report, gboolean is_native, gboolean has_native)
{
    Site total = { 0 };
    g_autoptr (GPtrArray) sites = sum_sites (profile_model_get_allocations (report->model),
                                             is_native, &total);
    g_autofree char *text = NULL, *allocated = NULL, *held = NULL;

    if (sites->len == 0) {
        return;
    }
    profile_page_begin_section (report->page, is_native
                                                  ? "Memory that native code has allocated"
                                                  : "Memory that Python has allocated");
    allocated = g_format_size_full (total.allocated, G_FORMAT_SIZE_IEC_UNITS);
    held = g_format_size_full (total.held_end, G_FORMAT_SIZE_IEC_UNITS);
    text = g_strdup_printf (
        is_native
            ? "C, C++ and Fortran code has allocated some %s, and held %s of it at the end. Of each 64 to 512 KiB one block was recorded, which stands "
              "for the others. What Python's own allocators have taken is not in it.%s"
            : "Python has allocated some %s, and held %s of it when the program's code ended. Of each 64 to 512 KiB one block was "
              "recorded, which stands for the others.%s",
        allocated, held,
        is_native || has_native ? ""
                                : " Memory that compiled code allocates by itself, such as the "
                                  "data of NumPy's arrays, is not in it: --memory=native "
                                  "records that, too.");
    profile_page_add_text (report->page, text, FALSE);
    add_table (report, sites, is_native);
}

void
profile_report_add_allocations (ProfileReport *report)
{
    const GArray *all = profile_model_get_allocations (report->model);
    gboolean has_native = FALSE;

    for (guint i = 0; i < all->len; i++) {
        has_native |= g_array_index (all, ProfileAllocation, i).code != NULL;
    }
    add_section (report, FALSE, has_native);
    add_section (report, TRUE, has_native);
}
