/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Watchpoints: where values change, old values, which need single steps, and when they end. */
#include "rig.h"
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define N_PROGRAMS 20

static Rig rig;
static guint32 slot;

static void
start (void)
{
    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, "inferior-watched", NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
}

static const JobEvent *
watch_if (guint32 number, const char *expression, const char *condition, JobRequestFlags flags)
{
    JobRequest *request = job_request_new (JOB_VERB_WATCH, NULL);
    const JobEvent *event;

    request->number = number;
    request->text = g_strdup (expression);
    request->condition = g_strdup (condition);
    request->flags = flags;
    rig_send (&rig, slot, request);
    event = rig_wait (&rig, slot, JOB_EVENT_BREAKPOINT);
    g_assert_cmpint (event->number, ==, (gint32) number);
    return event;
}

static void
watch (guint32 number, const char *expression)
{
    g_assert_cmpstr (watch_if (number, expression, NULL, 0)->text, ==, "hardware");
}

static const char *
get_text (const JobValueTable *table, guint row)
{
    const JobValueRow *entry = g_ptr_array_index (table->rows, row);

    return ((const JobValueGroup *) g_ptr_array_index (entry->groups, 0))->value->text;
}

/* The next stop is the change of a watched value, on the line of the mark or the one after it. */
static void
expect_change (gint32 number, const char *function, const char *before, const char *after)
{
    const JobEvent *event;

    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    event = rig_wait_stop (&rig, slot);
    g_assert_cmpint (event->state, ==, JOB_STATE_BREAKPOINT);
    g_assert_cmpint (event->number, ==, number);
    g_assert_cmpstr (event->place->function, ==, function);
    event = rig_wait (&rig, slot, JOB_EVENT_VALUES);
    g_assert_cmpstr (get_text (event->table, 0), ==, before);
    g_assert_cmpstr (get_text (event->table, 1), ==, after);
}

static void
finish_well (void)
{
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_EXITED, NULL, 0);
    rig_close (&rig);
}

/* Writing the same value is no change. A write of another thread counts. */
static void
test_global (void)
{
    start ();
    watch (1, "global");
    expect_change (1, "set_global", "0", "1");
    expect_change (1, "set_global", "1", "2");
    expect_change (1, "set_global", "2", "3");
    expect_change (1, "set_global", "3", "77");
    finish_well ();
}

static void
ask (JobVerb verb, const char *text, JobEventKind kind)
{
    JobRequest *request = job_request_new (verb, NULL);

    request->text = g_strdup (text);
    rig_send (&rig, slot, request);
    rig_wait (&rig, slot, kind);
}

/* What the user has it do, or does to it, stops nothing; the program's next change is told from there. */
static void
test_own_writes (void)
{
    start ();
    watch (1, "global");
    ask (JOB_VERB_CALL, "set_global (50)", JOB_EVENT_ACCEPTED);
    ask (JOB_VERB_PRINT, "global = 60", JOB_EVENT_VALUES);
    expect_change (1, "set_global", "60", "0"); /* as it was before */
    expect_change (1, "set_global", "0", "1");
    ask (JOB_VERB_CALL, "set_global (50)", JOB_EVENT_ACCEPTED);
    expect_change (1, "set_global", "50", "2");
    expect_change (1, "set_global", "2", "3");
    expect_change (1, "set_global", "3", "77");
    finish_well ();
}

static void
test_condition_and_once (void)
{
    start ();
    watch_if (1, "global", "global == 3", JOB_REQUEST_TEMPORARY);
    expect_change (1, "set_global", "2", "3");
    finish_well ();
}

/* The watchpoint outlives the request that has set it. */
static void
test_condition_changed (void)
{
    JobRequest *request = job_request_new (JOB_VERB_CONDITION, NULL);
    const JobEvent *event;

    start ();
    watch (1, "global");
    expect_change (1, "set_global", "0", "1");
    request->number = 1;
    request->condition = g_strdup ("global == 3");
    rig_send (&rig, slot, request);
    rig_wait (&rig, slot, JOB_EVENT_ACCEPTED);
    expect_change (1, "set_global", "2", "3");
    event = g_ptr_array_index (rig.events, rig.seen - 1);
    g_assert_cmpstr (((const JobValueRow *) g_ptr_array_index (event->table->rows, 0))->name,
                     ==, "global before");
    g_assert_cmpstr (((const JobValueRow *) g_ptr_array_index (event->table->rows, 1))->name,
                     ==, "global");
    rig_delete (&rig, slot, 1);
    finish_well ();
}

static void
test_sizes (void)
{
    start ();
    watch (1, "first.byte");
    watch (2, "first.half");
    watch (3, "first.high");
    watch (4, "first.numbers[6]");
    expect_change (1, "main", "0 '\\000'", "120 'x'");
    expect_change (3, "main", "0", "9"); /* not of its neighbour in the same byte */
    expect_change (2, "main", "0", "300");
    expect_change (4, "main", "0", "1.5");
    finish_well ();
}

/* When the pointer moves, the expression means another variable. */
static void
test_pointer (void)
{
    start ();
    watch (1, "current->value");
    expect_change (1, "main", "0", "4");
    expect_change (1, "main", "4", "6"); /* second's value was 4 too when the pointer moved */
    finish_well ();
}

static void
test_software (void)
{
    start ();
    g_assert_true (g_str_has_prefix (watch_if (1, "first", NULL, 0)->text, "by single steps"));
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "main", 0);
    rig_delete (&rig, slot, 1);
    watch (2, "global");
    expect_change (2, "set_global", "3", "77");
    finish_well ();
}

static void
test_software_threads (void)
{
    start ();
    watch_if (1, "first.numbers", NULL, 0);
    watch_if (2, "global", "global == 77", 0);
    expect_change (1, "main", "{0, 0, 0, 0, 0, 0, 0, 0}", "{0, 0, 0, 0, 0, 0, 1.5, 0}");
    expect_change (2, "set_global", "3", "77");
    finish_well ();
}

/* As `perf stat -e mem:…` does: each takes one of the four. -1: not allowed to. */
static int
take_register (pid_t pid, gconstpointer address)
{
    struct perf_event_attr event = { .size = sizeof event,
                                     .type = PERF_TYPE_BREAKPOINT,
                                     .bp_type = HW_BREAKPOINT_W,
                                     .bp_addr = (gsize) address,
                                     .bp_len = HW_BREAKPOINT_LEN_8,
                                     .exclude_kernel = 1 };

    return (int) syscall (SYS_perf_event_open, &event, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* The registers were there when the watch was set, and are gone when the thread is to get them. The first one is
 * kept by the kernel for whoever has had it once. */
static void
test_taken (void)
{
    static guint64 words[4];
    g_autofree char *path = rig_dup_inferior ("inferior-watched");
    char *argv[] = { path, NULL };
    const JobEvent *event;
    guint n_taken = 0;
    int taken[4];
    pid_t pid;

    rig_open (&rig, "main");
    slot = rig_start (&rig, argv, &pid);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    watch (1, "first.high");
    watch (2, "global");
    for (guint i = 0; i < 4; i++) {
        taken[i] = take_register (pid, &words[i]);
        n_taken += taken[i] >= 0;
    }
    if (n_taken < 3) {
        g_test_skip ("no debug registers for perf_event_open");
    } else {
        rig_do (&rig, slot, JOB_VERB_CONTINUE);
        g_assert_nonnull (strstr (rig_wait (&rig, slot, JOB_EVENT_NOTICE)->text,
                                  "by single steps"));
        while ((event = rig_wait_stop (&rig, slot))->number != 2) {
            g_assert_cmpint (event->state, ==, JOB_STATE_BREAKPOINT);
            rig_do (&rig, slot, JOB_VERB_CONTINUE);
        }
        g_assert_cmpstr (event->place->function, ==, "set_global");
    }
    for (guint i = 0; i < 4; i++) {
        close (taken[i]);
    }
    rig_delete (&rig, slot, 1);
    rig_delete (&rig, slot, 2);
    finish_well ();
}

/* A local of the middle one of three frames of a function: neither the deeper one's return nor its
 * local is meant, and it ends with its own frame. */
static void
test_local (void)
{
    const JobEvent *event;
    g_autofree char *line = g_strdup_printf ("watched.c:%u",
                                             rig_find_mark ("watched.c", "nested-if"));

    start ();
    rig_break (&rig, slot, 1, line, "depth == 1");
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "nested", 0);
    rig_delete (&rig, slot, 1);
    watch (2, "local");
    expect_change (2, "nested", "10", "11");
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "nested", 0);
    event = rig_wait (&rig, slot, JOB_EVENT_BREAKPOINT);
    g_assert_cmpint (event->number, ==, 2);
    g_assert_true ((event->flags & JOB_EVENT_GONE) != 0);
    finish_well ();
}

/* The frame is left by longjmp: later writes to its memory are no change of the variable. */
static void
test_longjmp (void)
{
    g_autofree char *line = g_strdup_printf ("watched.c:%u",
                                             rig_find_mark ("watched.c", "leave-if"));
    const JobEvent *event;

    start ();
    rig_break (&rig, slot, 1, line, NULL);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "leave", 0);
    watch (2, "local");
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    event = rig_wait (&rig, slot, JOB_EVENT_BREAKPOINT);
    g_assert_true ((event->flags & JOB_EVENT_GONE) != 0);
    rig_expect (&rig, slot, JOB_STATE_EXITED, NULL, 0);
    rig_close (&rig);
}

/* A rank that is watched executes one program after the other: what is put away of each keeps no later one from being
 * what it is. */
static void
test_exec (void)
{
    const JobEvent *event;
    guint n_programs = 1;

    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, "inferior-chain", G_STRINGIFY (N_PROGRAMS));
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    rig_break (&rig, slot, 1, "main", NULL);
    rig_wait (&rig, slot, JOB_EVENT_BREAKPOINT);
    rig_break (&rig, slot, 2, "count", NULL);
    rig_wait (&rig, slot, JOB_EVENT_BREAKPOINT);
    for (;; n_programs++) {
        watch (2 + n_programs, "counted");
        rig_do (&rig, slot, JOB_VERB_CONTINUE);
        event = rig_wait_stop (&rig, slot);
        g_assert_cmpint (event->state, ==, JOB_STATE_BREAKPOINT);
        if (event->number != 1) {
            break;
        }
    }
    g_assert_cmpint (event->number, ==, 2);
    g_assert_cmpstr (event->place->function, ==, "count");
    g_assert_cmpuint (n_programs, ==, N_PROGRAMS + 1);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "count", 0); /* the value has changed */
    finish_well ();
}

static void
expect_refusal (const char *expression, const char *word)
{
    JobRequest *request = job_request_new (JOB_VERB_WATCH, NULL);

    request->number = 9;
    request->text = g_strdup (expression);
    rig_send (&rig, slot, request);
    g_assert_nonnull (strstr (rig_wait (&rig, slot, JOB_EVENT_FAILURE)->text, word));
}

static void
test_refusals (void)
{
    start ();
    expect_refusal ("3 + 4", "never changes");
    expect_refusal ("nowhere", "no symbol");
    expect_refusal ("*(int *) 8", "cannot read memory");
    watch (1, "global");
    rig_delete (&rig, slot, 1);
    finish_well ();
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/engine/watch/global", test_global);
    g_test_add_func ("/engine/watch/own-writes", test_own_writes);
    g_test_add_func ("/engine/watch/condition-and-once", test_condition_and_once);
    g_test_add_func ("/engine/watch/condition-changed", test_condition_changed);
    g_test_add_func ("/engine/watch/sizes", test_sizes);
    g_test_add_func ("/engine/watch/pointer", test_pointer);
    g_test_add_func ("/engine/watch/software", test_software);
    g_test_add_func ("/engine/watch/software-threads", test_software_threads);
    g_test_add_func ("/engine/watch/taken", test_taken);
    g_test_add_func ("/engine/watch/local", test_local);
    g_test_add_func ("/engine/watch/longjmp", test_longjmp);
    g_test_add_func ("/engine/watch/exec", test_exec);
    g_test_add_func ("/engine/watch/refusals", test_refusals);
    return g_test_run ();
}
