/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waits for Python's lock (GIL): who waited, and who had it. Of all threads, also of those that do not count elsewhere because
 * they wait. */
#include "profile/report/private.h"
#include "base/array.h"
#include <string.h>

#define MAX_ROWS 10u

typedef struct {
    guint32 waiter, holder; /* contexts of the model's tree; 0: not known */
    double seconds;
} Wait;

static guint
hash_wait (gconstpointer key)
{
    return ((const Wait *) key)->waiter * 31 + ((const Wait *) key)->holder;
}

static gboolean
equal_waits (gconstpointer a, gconstpointer b)
{
    return ((const Wait *) a)->waiter == ((const Wait *) b)->waiter
           && ((const Wait *) a)->holder == ((const Wait *) b)->holder;
}

BASE_ORDER_POINTERS (compare_waits, Wait, BASE_BY_DOWN (seconds))

/* The innermost function of the user's, or else of anybody's in Python. */
static guint32
find_waiter (const JobContextTree *tree, guint32 number)
{
    guint32 first = 0;

    for (; number != 0; number = job_context_tree_get (tree, number)->parent) {
        const JobContext *context = job_context_tree_get (tree, number);

        if (context->location.file != NULL && context->location.line > 0) {
            first = first == 0 ? number : first;
            if ((context->flags & JOB_FRAME_LIBRARY) == 0) {
                return number;
            }
        }
    }
    return first;
}

/* Functions are compared, not stacks: equal texts of the tree are the same, so its first context with them stands for all. */
static guint32
find_first (const JobContextTree *tree, GHashTable *firsts, guint32 number, gboolean with_line)
{
    const JobLocation *location = number != 0 ? &job_context_tree_get (tree, number)->location
                                              : NULL;
    gpointer found;
    g_autofree char *key = NULL;

    if (location == NULL) {
        return 0;
    }
    key = g_strdup_printf ("%p %p %u", (void *) location->function, (void *) location->file,
                           with_line ? location->line : 0);
    found = g_hash_table_lookup (firsts, key);
    if (found == NULL) {
        found = GUINT_TO_POINTER (number);
        g_hash_table_insert (firsts, g_steal_pointer (&key), found);
    }
    return GPOINTER_TO_UINT (found);
}

static void
note_sample (const JobContextTree *tree, GHashTable *firsts, GHashTable *waits, guint32 number,
             double seconds)
{
    const JobContext *context = number != 0 ? job_context_tree_get (tree, number) : NULL;
    gboolean is_held = context != NULL && context->location.function != NULL
                       && g_str_has_prefix (context->location.function, JOB_SAMPLE_HELD_BY);
    Wait wait = { find_first (tree, firsts, find_waiter (tree, number), TRUE),
                  is_held ? find_first (tree, firsts, number, FALSE) : 0, seconds };
    Wait *known = g_hash_table_lookup (waits, &wait);

    if (known == NULL) {
        known = g_memdup2 (&wait, sizeof wait);
        g_hash_table_add (waits, known);
    } else {
        known->seconds += seconds;
    }
}

static GHashTable *
find_waits (const ProfileModel *model)
{
    const JobContextTree *tree = profile_model_get_contexts (model);
    GHashTable *waits = g_hash_table_new_full (hash_wait, equal_waits, g_free, NULL);
    g_autoptr (GHashTable) firsts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                           NULL);

    for (guint i = 0; i < profile_model_get_n_ranks (model); i++) {
        for (guint j = 0; j < profile_samples_get_n_threads (model, i); j++) {
            guint32 number;
            const GArray *samples = profile_samples_get (model, i, j, &number);

            for (guint k = 0; k < samples->len; k++) {
                const ProfileSample *each = &g_array_index (samples, ProfileSample, k);

                if (each->class == JOB_CLASS_GIL) {
                    note_sample (tree, firsts, waits,
                                 profile_model_get_merged (model, i, each->context),
                                 (double) each->weight_us / G_USEC_PER_SEC);
                }
            }
        }
    }
    return waits;
}

static void
add_holder (ProfileReport *report, const JobContextTree *tree, guint32 number)
{
    const char *text = number != 0 ? job_context_tree_get (tree, number)->location.function
                                   : NULL;
    g_autofree char *name = NULL;

    if (text == NULL) {
        profile_report_add_word (report, N_ ("not known"));
        return;
    }
    name = g_strndup (text + strlen (JOB_SAMPLE_HELD_BY),
                      strlen (text) - strlen (JOB_SAMPLE_HELD_BY)
                          - (g_str_has_suffix (text, ")") ? 1 : 0));
    profile_page_add_cell (report->page, name);
}

static void
add_waiter (ProfileReport *report, const JobContextTree *tree, guint32 number)
{
    if (number == 0) {
        profile_report_add_word (report, N_ ("not known"));
    } else {
        const JobLocation *location = &job_context_tree_get (tree, number)->location;
        g_autofree char *base = g_path_get_basename (location->file);
        g_autofree char *name = profile_dup_name (location);
        g_autofree char *text = g_strdup_printf ("%s, %s:%u", name, base, location->line);

        profile_page_add_cell (report->page, text);
    }
}

void
profile_report_add_gil (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { N_ ("Had Python's lock (GIL)"), NULL, PROFILE_COLUMN_CODE, NULL },
        { N_ ("Waited for it"), NULL, PROFILE_COLUMN_CODE, NULL },
        { N_ ("Time"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Share"), "%", PROFILE_COLUMN_SHARE, NULL },
    };
    g_autoptr (GHashTable) waits = find_waits (report->model);
    const JobContextTree *tree = profile_model_get_contexts (report->model);
    g_autoptr (GPtrArray) order = g_ptr_array_new ();
    gpointer key;
    double whole = 0;

    BASE_WALK (waits, &key, NULL) {
        g_ptr_array_add (order, key);
        whole += ((const Wait *) key)->seconds;
    }
    if (order->len == 0) {
        return;
    }
    g_ptr_array_sort (order, compare_waits);
    profile_report_begin_section (report, N_ ("Waiting for Python's lock"));
    profile_report_begin_table (report, PROFILE_TABLE_PLAIN, columns, G_N_ELEMENTS (columns));
    for (guint i = 0; i < MIN (order->len, MAX_ROWS); i++) {
        const Wait *wait = g_ptr_array_index (order, i);

        add_holder (report, tree, wait->holder);
        add_waiter (report, tree, wait->waiter);
        profile_page_add_number (report->page, wait->seconds, 3);
        profile_page_add_number (report->page, whole > 0 ? 100 * wait->seconds / whole : 0, 1);
    }
    profile_report_add_text (
        report,
        N_ ("Of all threads. Who had the lock is the function that its thread was in, or had called another one from, "
            "when the waiting thread was looked at; it is not known where the lock was changing hands."),
        FALSE);
}
