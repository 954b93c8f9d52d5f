/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stepi and nexti with counts, against gdb on the same program: the same instruction after each, through
 * resolvers, the linkage table, recursion and callbacks; and in C's own words: advance and jump. */
#include "engine/control/control.h"
#include "engine/modules/modules.h"
#include "rig.h"
#include <signal.h>
#include <string.h>

typedef struct {
    JobVerb verb;
    guint32 count;
} Walk;

/* Long enough to come through most of main, short enough not to come to its end. */
static const Walk walks[] = {
    { JOB_VERB_STEPI, 1 },   { JOB_VERB_STEPI, 7 },  { JOB_VERB_NEXTI, 3 },
    { JOB_VERB_STEPI, 0 },   { JOB_VERB_STEPI, 90 }, { JOB_VERB_NEXTI, 2 },
    { JOB_VERB_STEPI, 300 }, { JOB_VERB_NEXTI, 5 },  { JOB_VERB_STEPI, 400 },
    { JOB_VERB_NEXTI, 10 },  { JOB_VERB_STEPI, 35 }, { JOB_VERB_STEPI, 500 },
    { JOB_VERB_NEXTI, 7 },   { JOB_VERB_STEPI, 50 },
};

/* The rig's mask is nothing for gdb, which waits for children by their signal. */
static void
unblock (gpointer data)
{
    sigset_t none;

    sigemptyset (&none);
    sigprocmask (SIG_SETMASK, &none, NULL);
}

/* gdb's pc after each walk; NULL without gdb. */
static GArray *
ask_gdb (const char *program)
{
    g_autoptr (GPtrArray) arguments = g_ptr_array_new_with_free_func (g_free);
    g_auto (GStrv) environment = g_environ_setenv (g_get_environ (), "DEBUGINFOD_URLS", "",
                                                   TRUE);
    static const char *const start[] = { "-nx", "-batch",
                                         "-ex", "set startup-with-shell off",
                                         "-ex", "unset environment LINES",
                                         "-ex", "unset environment COLUMNS",
                                         "-ex", "break main",
                                         "-ex", "run" };
    g_autofree char *gdb = g_find_program_in_path ("gdb"), *output = NULL;
    GArray *places = g_array_new (FALSE, FALSE, sizeof (guint64));

    if (gdb == NULL) {
        g_array_unref (places);
        return NULL;
    }
    g_ptr_array_add (arguments, g_strdup (gdb));
    for (guint i = 0; i < G_N_ELEMENTS (start); i++) {
        g_ptr_array_add (arguments, g_strdup (start[i]));
    }
    for (guint i = 0; i < G_N_ELEMENTS (walks); i++) {
        g_ptr_array_add (arguments, g_strdup ("-ex"));
        g_ptr_array_add (arguments, g_strdup_printf ("%s %u", job_verb_get_name (walks[i].verb),
                                                     MAX (walks[i].count, 1)));
        g_ptr_array_add (arguments, g_strdup ("-ex"));
        g_ptr_array_add (arguments, g_strdup ("printf \"place %lx\\n\", $pc"));
    }
    g_ptr_array_add (arguments, g_strdup (program));
    g_ptr_array_add (arguments, NULL);
    g_assert_true (g_spawn_sync (NULL, (char **) arguments->pdata, environment,
                                 G_SPAWN_STDERR_TO_DEV_NULL, unblock, NULL, &output, NULL, NULL,
                                 NULL));
    for (const char *at = strstr (output, "place "); at != NULL;
         at = strstr (at + 1, "place ")) {
        guint64 pc = g_ascii_strtoull (at + strlen ("place "), NULL, 16);

        g_array_append_val (places, pc);
    }
    return places;
}

static guint64
read_pc (Rig *rig, guint32 slot)
{
    JobRequest *request = job_request_new (JOB_VERB_PRINT, NULL);
    const JobEvent *event;
    const JobValueGroup *group;

    request->text = g_strdup ("(long) $pc");
    rig_send (rig, slot, request);
    event = rig_wait (rig, slot, JOB_EVENT_VALUES);
    group = g_ptr_array_index (((const JobValueRow *) g_ptr_array_index (event->table->rows, 0))
                                   ->groups,
                               0);
    g_assert_true (group->value->is_number);
    return (guint64) group->value->number;
}

static void
test_counts (gconstpointer data)
{
    g_autofree char *program = rig_dup_inferior (data);
    g_autoptr (GArray) places = ask_gdb (program);
    Rig rig;
    guint32 slot;

    if (places == NULL) {
        g_test_skip ("gdb is not there to compare with");
        return;
    }
    g_assert_cmpuint (places->len, ==, G_N_ELEMENTS (walks));
    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, data, NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    for (guint i = 0; i < G_N_ELEMENTS (walks); i++) {
        JobRequest *request = job_request_new (walks[i].verb, NULL);
        guint64 pc;

        request->number = walks[i].count;
        rig_send (&rig, slot, request);
        rig_expect (&rig, slot, JOB_STATE_STOPPED, NULL, 0);
        pc = read_pc (&rig, slot);
        if (pc != g_array_index (places, guint64, i)) {
            g_error ("walk %u, %s %u: at 0x%lx, gdb at 0x%lx", i,
                     job_verb_get_name (walks[i].verb), walks[i].count, (gulong) pc,
                     (gulong) g_array_index (places, guint64, i));
        }
    }
    rig_close (&rig);
}

static void
go_to (Rig *rig, guint32 slot, JobVerb verb, const char *mark, const char *function)
{
    JobRequest *request = job_request_new (verb, NULL);
    g_autofree char *where = g_strdup_printf ("ways.c:%u", rig_find_mark ("ways.c", mark));

    g_assert_true (job_where_parse (where, &request->where, NULL));
    rig_send (rig, slot, request);
    if (function != NULL && verb == JOB_VERB_UNTIL) {
        rig_expect (rig, slot, JOB_STATE_STOPPED, function, rig_find_mark ("ways.c", mark));
    }
}

/* Forward past resolvers and recursion, back by a jump, and forward again: the sum differs then. */
static void
test_words (void)
{
    Rig rig;
    guint32 slot;

    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, "inferior-ways", NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_do (&rig, slot, JOB_VERB_NEXT); /* initialisations of the array, then of the pointer */
    rig_wait_stop (&rig, slot);
    rig_do (&rig, slot, JOB_VERB_NEXT);
    rig_wait_stop (&rig, slot);
    rig_do (&rig, slot, JOB_VERB_STEP); /* the resolver is nothing to step into */
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "add", rig_find_mark ("ways.c", "add"));
    go_to (&rig, slot, JOB_VERB_UNTIL, "recursion", NULL); /* no further than the frame's end */
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", rig_find_mark ("ways.c", "chosen"));
    go_to (&rig, slot, JOB_VERB_UNTIL, "recursion", "main");
    go_to (&rig, slot, JOB_VERB_UNTIL, "sort", "main");
    rig_break (&rig, slot, 1, "add", NULL);
    rig_wait (&rig, slot, JOB_EVENT_BREAKPOINT);
    go_to (&rig, slot, JOB_VERB_JUMP, "end", "main");
    rig_expect (&rig, slot, JOB_STATE_FAILED, NULL, 0); /* nothing has been sorted */
    rig_close (&rig);
}

static guint64
break_at (Rig *rig, guint32 slot, guint32 number, const char *symbol)
{
    g_autofree char *where = NULL;
    guint64 address;

    g_assert_true (engine_process_find_symbol (engine_find_process (rig->engine, slot), symbol,
                                               &address));
    where = g_strdup_printf ("*0x%" G_GINT64_MODIFIER "x", address);
    return rig_break (rig, slot, number, where, NULL);
}

/* The kernel would never let a thread out of a restartable sequence that has a trap. */
static void
test_restartable (void)
{
    guint32 slot;
    Rig rig;

    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, "inferior-restart", NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    break_at (&rig, slot, 1, "inside_sequence");
    g_assert_nonnull (strstr (rig_wait (&rig, slot, JOB_EVENT_BREAKPOINT)->text,
                              "restartable sequence"));
    break_at (&rig, slot, 2, "behind_sequence");
    for (guint i = 0; i < 3; i++) {
        rig_do (&rig, slot, JOB_VERB_CONTINUE);
        rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "main", 0);
    }
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_EXITED, NULL, 0);
    rig_close (&rig);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_data_func ("/engine/instructions/lazy", "inferior-ways-lazy", test_counts);
    g_test_add_data_func ("/engine/instructions/now", "inferior-ways", test_counts);
    g_test_add_func ("/engine/instructions/words", test_words);
    g_test_add_func ("/engine/instructions/restartable", test_restartable);
    return g_test_run ();
}
