/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sections of a report that only a trace has: what was done with which file, and which threads have waited for each
 * other's locks. */
#include "profile/native.h"
#include "profile/report/private.h"
#include "base/array.h"
#include <string.h>

#define MOST_ROWS 30u

/* ---- files ---- */

/* The use of a file by all ranks. */
typedef struct {
    const char *path;
    GHashTable *ranks; /* set of those that have used it */
    ProfileFileUse sum;
} File;

static void
free_file (gpointer data)
{
    g_hash_table_unref (((File *) data)->ranks);
    g_free (data);
}

static double
get_time (const ProfileFileUse *use)
{
    return use->read_s + use->write_s + use->sync_s;
}

BASE_ORDER_POINTERS (compare_files, File,
                     BASE_COMPARE (get_time (&right->sum), get_time (&left->sum))
                         ?: strcmp (left->path, right->path))

static void
add_to (ProfileFileUse *sum, const ProfileFileUse *use)
{
    sum->n_opened += use->n_opened;
    sum->n_closed += use->n_closed;
    sum->n_reads += use->n_reads;
    sum->n_writes += use->n_writes;
    sum->n_syncs += use->n_syncs;
    sum->read += use->read;
    sum->written += use->written;
    sum->read_s += use->read_s;
    sum->write_s += use->write_s;
    sum->sync_s += use->sync_s;
}

/* Of File, those with the most time first; caller owns. total: of all of them. */
static GPtrArray *
sum_files (const GArray *uses, ProfileFileUse *total)
{
    GPtrArray *files = g_ptr_array_new_with_free_func (free_file);
    g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);

    for (guint i = 0; i < uses->len; i++) {
        const ProfileFileUse *use = &g_array_index (uses, ProfileFileUse, i);
        File *file = g_hash_table_lookup (known, use->path);

        if (file == NULL) {
            file = g_new0 (File, 1);
            file->path = use->path;
            file->ranks = g_hash_table_new (NULL, NULL);
            g_ptr_array_add (files, file);
            g_hash_table_insert (known, use->path, file);
        }
        g_hash_table_add (file->ranks, GUINT_TO_POINTER (use->rank));
        add_to (&file->sum, use);
        add_to (total, use);
    }
    g_ptr_array_sort (files, compare_files);
    return files;
}

static void
add_file (ProfileReport *report, const File *file)
{
    const ProfileFileUse *sum = &file->sum;

    profile_page_add_cell (report->page, file->path);
    profile_page_add_count (report->page, g_hash_table_size (file->ranks));
    profile_page_add_count (report->page, sum->n_opened);
    profile_page_add_count (report->page, sum->n_reads);
    profile_page_add_count (report->page, sum->read);
    profile_page_add_number (report->page, sum->read_s, 6);
    profile_page_add_count (report->page, sum->n_writes);
    profile_page_add_count (report->page, sum->written);
    profile_page_add_number (report->page, sum->write_s, 6);
    profile_page_add_count (report->page, sum->n_syncs);
    profile_page_add_number (report->page, sum->sync_s, 6);
}

void
profile_report_add_files (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { "File", NULL, PROFILE_COLUMN_CODE, NULL },
        { "Ranks", NULL, PROFILE_COLUMN_NUMBER, NULL },
        { "Opened", NULL, PROFILE_COLUMN_NUMBER, NULL },
        { "Reads", NULL, PROFILE_COLUMN_NUMBER, NULL },
        { "Read", "bytes", PROFILE_COLUMN_BYTES, NULL },
        { "Time in reads", "s", PROFILE_COLUMN_NUMBER, NULL },
        { "Writes", NULL, PROFILE_COLUMN_NUMBER, NULL },
        { "Written", "bytes", PROFILE_COLUMN_BYTES, NULL },
        { "Time in writes", "s", PROFILE_COLUMN_NUMBER, NULL },
        { "Syncs", NULL, PROFILE_COLUMN_NUMBER, NULL },
        { "Time in syncs", "s", PROFILE_COLUMN_NUMBER, NULL },
    };
    const GArray *uses = profile_model_get_file_uses (report->model);
    ProfileFileUse total = { 0 };
    g_autoptr (GPtrArray) files = sum_files (uses, &total);
    g_autofree char *text = NULL, *read = NULL, *written = NULL;

    if (files->len == 0) {
        return;
    }
    profile_page_begin_section (report->page, "Files");
    read = g_format_size_full (total.read, G_FORMAT_SIZE_IEC_UNITS);
    written = g_format_size_full (total.written, G_FORMAT_SIZE_IEC_UNITS);
    text = g_strdup_printf (
        "%u files: %" G_GUINT64_FORMAT " reads of %s in %.3f s, %" G_GUINT64_FORMAT
        " writes of %s in %.3f s. Each call of the C library was recorded; files that are mapped into "
        "memory are not in it, and neither are sockets and pipes.%s",
        files->len, total.n_reads, read, total.read_s, total.n_writes, written, total.write_s,
        files->len > MOST_ROWS ? " Those with the most time:" : "");
    profile_page_add_text (report->page, text, FALSE);
    profile_page_begin_table (report->page, PROFILE_TABLE_PLAIN, columns,
                              G_N_ELEMENTS (columns));
    for (guint i = 0; i < MIN (files->len, MOST_ROWS); i++) {
        add_file (report, g_ptr_array_index (files, i));
    }
}

/* ---- locks ---- */

static void
add_wait (ProfileReport *report, const ProfileLockWait *wait)
{
    profile_page_add_count (report->page, wait->rank);
    profile_page_add_count (report->page, wait->thread);
    profile_page_add_cell (report->page, wait->call);
    profile_page_add_cell (report->page, wait->place);
    if (wait->owner != 0) {
        profile_page_add_count (report->page, wait->owner);
    } else {
        profile_page_add_cell (report->page, NULL);
    }
    profile_page_add_cell (report->page, wait->owner_place);
    profile_page_add_count (report->page, wait->n);
    profile_page_add_number (report->page, wait->seconds, 6);
    profile_page_add_number (report->page, wait->longest_s, 6);
}

static void
add_sentence (ProfileReport *report, const ProfileLockWait *worst)
{
    g_autofree char *owner = worst->owner != 0
                                 ? g_strdup_printf (" for thread %u%s%s", worst->owner,
                                                    *worst->owner_place != '\0' ? ", in " : "",
                                                    worst->owner_place)
                                 : g_strdup ("");
    g_autofree char *text = g_strdup_printf (
        "The longest wait for a lock: thread %u of rank %u has waited for %.3g s in %s%s%s%s.",
        worst->thread, worst->rank, worst->seconds, worst->call,
        *worst->place != '\0' ? " in " : "", worst->place, owner);

    profile_page_add_text (report->page, text, TRUE);
}

void
profile_report_add_locks (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { "Rank", NULL, PROFILE_COLUMN_NUMBER, NULL },
        { "Thread", NULL, PROFILE_COLUMN_NUMBER, NULL },
        { "Call", NULL, PROFILE_COLUMN_CODE, NULL },
        { "Place", NULL, PROFILE_COLUMN_CODE, NULL },
        { "Waits for thread", NULL, PROFILE_COLUMN_NUMBER, NULL },
        { "Which was in", NULL, PROFILE_COLUMN_CODE, NULL },
        { "Times", NULL, PROFILE_COLUMN_NUMBER, NULL },
        { "Time", "s", PROFILE_COLUMN_NUMBER, NULL },
        { "Longest", "s", PROFILE_COLUMN_NUMBER, NULL },
    };
    const GArray *waits = profile_model_get_lock_waits (report->model);

    if (waits->len == 0) {
        return;
    }
    profile_page_begin_section (report->page, "Locks");
    add_sentence (report, &g_array_index (waits, ProfileLockWait, 0));
    profile_page_begin_table (report->page, PROFILE_TABLE_PLAIN, columns,
                              G_N_ELEMENTS (columns));
    for (guint i = 0; i < MIN (waits->len, MOST_ROWS); i++) {
        add_wait (report, &g_array_index (waits, ProfileLockWait, i));
    }
}
