/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Templates of batch systems: the fields of DDT's, what is in the script for an empty one, and what a queue's words mean. */
#include "launch/queue.h"
#include "base/error.h"
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static const char qtf[]
    = "#!/bin/bash\n# Name: Site\n# submit: sbatch -x\n# display: squeue\n# job regexp: job (\\d+)\n"
      "# cancel: scancel JOB_ID_TAG\n"
      "# WALL_TAG: {type=text,label=\"Wall, clock\",default=\"00:30:00\",mask=\"09:09:09\"}\n"
      "# CLASS_TAG: {type=select,label=\"Class\",options=\"debug|long\"}\n"
      "# MAIL_TAG: {type=check,label=\"Mail\",checked=\"-m e\",unchecked=\"\",default=\"checked\"}\n"
      "# MEM_TAG: {type=number,label=Memory,default=4,min=1}\n"
      "#SBATCH -t WALL_TAG -p CLASS_TAG MAIL_TAG --mem=MEM_TAG -N NUM_NODES_TAG "
      "-m PROCS_PER_NODE_TAG\nAUTO_LAUNCH_TAG\n";

static char *
write_template (const char *name, const char *text)
{
    char *path = g_strdup_printf ("%s/%u-%s", g_get_tmp_dir (), (guint) getpid (), name);

    g_assert_true (g_file_set_contents_full (path, text, -1, G_FILE_SET_CONTENTS_NONE, 0600,
                                             NULL));
    return path;
}

static LaunchQueue *
load (const char *name, const char *text)
{
    g_autofree char *path = write_template (name, text);
    g_autoptr (GError) error = NULL;
    LaunchQueue *queue = launch_queue_load (path, &error);

    g_assert_no_error (error);
    g_unlink (path);
    return queue;
}

static void
test_qtf (void)
{
    static const struct {
        const char *name, *label, *value;
        guint n_choices;
    } expected[] = { { "WALL_TAG", "Wall, clock", "00:30:00", 0 },
                     { "CLASS_TAG", "Class", "debug", 2 },
                     { "MAIL_TAG", "Mail", "-m e", 2 },
                     { "MEM_TAG", "Memory", "4", 0 },
                     { "NUM_NODES_TAG", "Nodes", "1", 0 } };
    const char *const argv[] = { "mpirun", "-np", "8", "./app", NULL };
    g_autoptr (LaunchQueue) queue = load ("pddt-test-queue.qtf", qtf);
    g_autofree char *script = NULL, *line = NULL;
    g_autoptr (GError) error = NULL;

    for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
        const LaunchQueueField *field = launch_queue_get_field (queue, i);

        g_assert_cmpstr (field->name, ==, expected[i].name);
        g_assert_cmpstr (field->label, ==, expected[i].label);
        g_assert_cmpstr (field->value, ==, expected[i].value);
        g_assert_cmpuint (field->choices != NULL ? g_strv_length (field->choices) : 0, ==,
                          expected[i].n_choices);
    }
    g_assert_null (launch_queue_get_field (queue, G_N_ELEMENTS (expected)));
    g_assert_false (launch_queue_set (queue, "CLASS_TAG=medium", &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_INVALID);
    g_clear_error (&error);
    g_assert_false (launch_queue_set (queue, "MEM_TAG=4;reboot", &error));
    g_assert_true (launch_queue_set (queue, "NUM_NODES_TAG=3", NULL));
    g_assert_true (launch_queue_set (queue, "MAIL_TAG=", NULL));
    script = launch_queue_compose (queue, argv, "pddt --connect --", NULL);
    g_assert_nonnull (strstr (script, "#SBATCH -t 00:30:00 -p debug  --mem=4 -N 3 -m 3\n"
                                      "pddt --connect -- mpirun -np 8 ./app\n"));
    line = launch_queue_make_submit (queue, "/a b");
    g_assert_cmpstr (line, ==, "sbatch -x '/a b'");
}

#define OWN                                                                                    \
    "[Queue]\nSubmit=s\nId=(\\d+)\nState=q\nWaiting=^PD\nRunning=^R\nReason=^PD (.+)$\n%s"     \
    "[Field account]\nLine=#S -A @VALUE@\n[Script]\n#!/bin/sh\n@account@\n@JOB@\n"

static void
test_lines (void)
{
    const char *const argv[] = { "true", NULL };
    g_autofree char *text = g_strdup_printf (OWN, ""), *empty = NULL, *set = NULL;
    g_autoptr (LaunchQueue) queue = load ("pddt-test-queue.pddt-queue", text);

    empty = launch_queue_compose (queue, argv, "p --", NULL);
    g_assert_cmpstr (empty, ==, "#!/bin/sh\n\np -- true\n");
    g_assert_true (launch_queue_set (queue, "account=me", NULL));
    set = launch_queue_compose (queue, argv, "p --", NULL);
    g_assert_cmpstr (set, ==, "#!/bin/sh\n#S -A me\np -- true\n");
}

static void
test_states (void)
{
    static const struct {
        const char *said, *complaint;
        gboolean ok;
        LaunchQueueState with, without; /* Over */
    } cases[] = {
        { "PD Resources\n", "", TRUE, LAUNCH_QUEUE_WAITS, LAUNCH_QUEUE_WAITS },
        { "R\n", "", TRUE, LAUNCH_QUEUE_RUNS, LAUNCH_QUEUE_RUNS },
        { "\n", "", TRUE, LAUNCH_QUEUE_OVER, LAUNCH_QUEUE_OVER },
        { "CG\n", "", TRUE, LAUNCH_QUEUE_UNKNOWN, LAUNCH_QUEUE_OVER },
        { "DONE\n", "", TRUE, LAUNCH_QUEUE_OVER, LAUNCH_QUEUE_OVER },
        { "", "no such job\n", FALSE, LAUNCH_QUEUE_OVER, LAUNCH_QUEUE_OVER },
        { "", "cannot contact\n", FALSE, LAUNCH_QUEUE_UNKNOWN, LAUNCH_QUEUE_OVER },
        { "PD\n", "cannot contact\n", FALSE, LAUNCH_QUEUE_UNKNOWN, LAUNCH_QUEUE_OVER },
    };
    g_autofree char *with = g_strdup_printf (OWN, "Over=^DONE|no such job\n"),
                    *without = g_strdup_printf (OWN, ""), *reason = NULL;
    g_autoptr (LaunchQueue) one = load ("pddt-test-queue.pddt-queue", with);
    g_autoptr (LaunchQueue) other = load ("pddt-test-queue.pddt-queue", without);
    guint n;

    for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
        g_assert_cmpint (launch_queue_find_state (one, "1", cases[i].said, cases[i].complaint,
                                                  cases[i].ok),
                         ==, cases[i].with);
        g_assert_cmpint (launch_queue_find_state (other, "1", cases[i].said, cases[i].complaint,
                                                  cases[i].ok),
                         ==, cases[i].without);
    }
    reason = launch_queue_find_reason (one, "PD Resources\n");
    g_assert_cmpstr (reason, ==, "Resources");
    g_assert_null (launch_queue_find_reason (one, "R\n"));
    g_assert_cmpuint (launch_queue_find_place ("47", " 4711 x\n  47 y\n\n5\n", &n), ==, 2);
    g_assert_cmpuint (n, ==, 3);
    g_assert_cmpuint (launch_queue_find_place ("471", " 4711 x\n", &n), ==, 0);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/launch/queue/qtf", test_qtf);
    g_test_add_func ("/launch/queue/lines", test_lines);
    g_test_add_func ("/launch/queue/states", test_states);
    return g_test_run ();
}
