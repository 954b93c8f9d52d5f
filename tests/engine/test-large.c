/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Large values of several ranks: distinguished even if they differ beyond the shown part, and
 * never sent. */
#include "rig.h"
#include <string.h>

#define N_RANKS 4u
#define WIRE_BYTES                                                                             \
    8192u /* of a rank's answer, by what is shown of a value and not by its size */

static void
start_all (Rig *rig, guint32 *slots)
{
    for (guint i = 0; i < N_RANKS; i++) {
        g_autofree char *number = g_strdup_printf ("%u", i);
        const JobEvent *event;

        slots[i] = rig_start_inferior (rig, "inferior-large", number);
        rig_expect (rig, slots[i], JOB_STATE_STOPPED, "main", 0);
        rig_break (rig, slots[i], i + 1, "stand", NULL);
        do {
            event = rig_wait (rig, slots[i], JOB_EVENT_BREAKPOINT);
        } while (event->number != (gint32) i + 1);
        rig_do (rig, slots[i], JOB_VERB_CONTINUE);
        rig_expect (rig, slots[i], JOB_STATE_BREAKPOINT, "stand", 0);
    }
}

/* What the ranks say, merged as the daemon does it. */
static JobValueTable *
print (Rig *rig, const guint32 *slots, const char *expression)
{
    JobValueTable *table = job_value_table_new ();

    for (guint i = 0; i < N_RANKS; i++) {
        JobRequest *request = job_request_new (JOB_VERB_PRINT, NULL);
        const JobEvent *event;
        g_autoptr (GVariant) bytes = NULL;

        request->text = g_strdup (expression);
        rig_send (rig, slots[i], request);
        event = rig_wait (rig, slots[i], JOB_EVENT_VALUES);
        bytes = g_variant_ref_sink (job_event_encode (event));
        g_assert_cmpuint (g_variant_get_size (bytes), <, WIRE_BYTES);
        job_value_table_merge (table, event->table);
    }
    return table;
}

static void
check (Rig *rig, const guint32 *slots, const char *expression, guint n_groups, guint n_texts)
{
    g_autoptr (JobValueTable) table = print (rig, slots, expression);
    const JobValueRow *row = g_ptr_array_index (table->rows, 0);
    g_autoptr (GHashTable) texts = g_hash_table_new (g_str_hash, g_str_equal);

    for (guint i = 0; i < row->groups->len; i++) {
        g_hash_table_add (texts, ((const JobValueGroup *) g_ptr_array_index (row->groups, i))
                                     ->value->text);
    }
    if (row->groups->len != n_groups || g_hash_table_size (texts) != n_texts) {
        g_error ("%s: %u groups, %u texts, expected %u and %u", expression, row->groups->len,
                 g_hash_table_size (texts), n_groups, n_texts);
    }
}

static void
test_large (void)
{
    guint32 slots[N_RANKS];
    Rig rig;

    rig_open (&rig, "main");
    start_all (&rig, slots);
    check (&rig, slots, "large", 2, 1); /* 0 and 1 in its last element */
    check (&rig, slots, "grid", 3, 1);
    check (&rig, slots, "grid[38]", 1, 1);
    check (&rig, slots, "grid[39]", 3, 1);
    check (&rig, slots, "large[0:9]", 1, 1);
    check (&rig, slots, "text", 2, 2); /* its run of equal letters is folded */
    check (&rig, slots, "string", 2,
           1); /* by its address the same everywhere: not randomised */
    check (&rig, slots, "words[11]", 4, 1); /* not the same behind its zero */
    check (&rig, slots, "small", 1, 1);
    check (&rig, slots, "large[13107199]", 2, 2);
    for (guint i = 0; i < N_RANKS; i++) {
        rig_do (&rig, slots[i], JOB_VERB_KILL);
        rig_wait_stop (&rig, slots[i]);
    }
    rig_close (&rig);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/engine/large", test_large);
    return g_test_run ();
}
