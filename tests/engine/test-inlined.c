/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inlined calls are stepped to, into, over and out of like others, beside gdb: the same places, and
 * the same callers of them, in the same order. */
#include "engine/control/control.h"
#include "engine/inspect/inspect.h"
#include "rig.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define MOST 60u

static Rig rig;
static guint32 slot;

static guint32
line_of (const char *mark)
{
    return rig_find_mark ("inlined.c", mark);
}

/* "side:31 < main:51": the two innermost frames. */
static char *
dup_place (void)
{
    EngineProcess *process = engine_find_process (rig.engine, slot);
    Stack *stack = engine_inspect_get_stack (process);
    GString *text = g_string_new (NULL);

    for (guint i = 0; i < 2 && i < stack->frames->len; i++) {
        const JobFrame *frame = g_ptr_array_index (stack->frames, i);

        if (frame->flags & (JOB_FRAME_LIBRARY | JOB_FRAME_INTERPRETER)) {
            break;
        }
        g_string_append_printf (text, "%s%s:%u", i > 0 ? " < " : "", frame->location.function,
                                frame->location.line);
    }
    return g_string_free (text, FALSE);
}

/* The rig holds SIGCHLD back. */
static void
unblock (gpointer unused)
{
    sigset_t all;

    sigfillset (&all);
    sigprocmask (SIG_UNBLOCK, &all, NULL);
}

/* gdb's places of as many motions. Stops at the opening of a function, before it has begun, are left out:
 * a step of pddt into a function goes to where a breakpoint of that function is. */
static GPtrArray *
run_gdb (const char *program, const char *motion)
{
    g_autofree char *script = g_build_filename (rig.folder, "gdb", NULL);
    g_autoptr (GString) text = g_string_new ("set confirm off\ntbreak main\nrun\n");
    g_autofree char *output = NULL;
    g_auto (GStrv) lines = NULL;
    GPtrArray *places = g_ptr_array_new_with_free_func (g_free);
    const char *argv[] = { "gdb", "-nx", "-batch", "-x", script, program, NULL };

    for (guint i = 0; i < MOST; i++) {
        g_string_append_printf (text, "bt -frame-arguments none 2\n%s\n", motion);
    }
    g_assert_true (g_file_set_contents (script, text->str, -1, NULL));
    g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL,
                                 G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, unblock,
                                 NULL, &output, NULL, NULL, NULL));
    lines = g_strsplit (output, "\n", -1);
    for (guint i = 0; lines[i] != NULL; i++) {
        char function[2][64];
        guint line[2];
        guint n = 0;

        while (n < 2 && lines[i] != NULL && lines[i][0] == '#') {
            const char *name = strstr (lines[i], " in ");
            const char *at = strrchr (lines[i], ':');

            name = name != NULL ? name + 4 : lines[i] + 4;
            if (at == NULL || strstr (lines[i], "inlined.c:") == NULL
                || sscanf (name, "%63[^ ]", function[n]) != 1) {
                break;
            }
            line[n++] = (guint) g_ascii_strtoull (at + 1, NULL, 10);
            i++;
        }
        if (n == 0
            || (line[0] == line_of ("recurse-open") && strcmp (function[0], "recurse") == 0)) {
            continue;
        }
        g_ptr_array_add (places, n == 2 ? g_strdup_printf ("%s:%u < %s:%u", function[0],
                                                           line[0], function[1], line[1])
                                        : g_strdup_printf ("%s:%u", function[0], line[0]));
    }
    return places;
}

static void
compare (const char *program, JobVerb verb, const char *motion)
{
    g_autoptr (GPtrArray) expected = NULL;
    g_autofree char *gdb = g_find_program_in_path ("gdb"), *path = rig_dup_inferior (program);
    g_autofree char *opening = g_strdup_printf ("recurse:%u <", line_of ("recurse-open"));
    guint i = 0;

    if (gdb == NULL) {
        g_test_skip ("no gdb");
        return;
    }
    if (!g_file_test (path, G_FILE_TEST_EXISTS)) {
        g_test_skip ("no such compiler");
        return;
    }
    rig_open (&rig, "main");
    expected = run_gdb (path, motion);
    g_assert_cmpuint (expected->len, >, 4);
    slot = rig_start_inferior (&rig, program, NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    while (i < expected->len) {
        g_autofree char *place = dup_place ();

        if (g_str_has_prefix (place, "main:")
            && g_ascii_strtoull (place + 5, NULL, 10) >= line_of ("main-last")) {
            break; /* what is behind it belongs to libraries */
        }
        if (!g_str_has_prefix (place, opening)) {
            g_assert_cmpstr (place, ==, g_ptr_array_index (expected, i));
            i++;
        }
        rig_do (&rig, slot, verb);
        g_assert_cmpint (rig_wait_stop (&rig, slot)->state, ==, JOB_STATE_STOPPED);
    }
    g_assert_cmpuint (i, >, 4);
    rig_close (&rig);
}

static void
test_beside_gdb (gconstpointer program)
{
    compare (program, JOB_VERB_STEP, "step");
    compare (program, JOB_VERB_NEXT, "next");
}

static void
go (JobVerb verb)
{
    rig_do (&rig, slot, verb);
    g_assert_cmpint (rig_wait_stop (&rig, slot)->state, ==, JOB_STATE_STOPPED);
}

static void
expect (const char *function, const char *mark)
{
    g_autofree char *place = dup_place ();
    g_autofree char *expected = g_strdup_printf ("%s:%u", function, line_of (mark));

    g_assert_true (g_str_has_prefix (place, expected));
}

static void
hit (const char *where, const char *function, const char *mark)
{
    rig_break (&rig, slot, 1, where, NULL);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, function, line_of (mark));
    rig_do (&rig, slot, JOB_VERB_DELETE);
}

/* Before the call by its line, in it by its name; into it from there nothing moves; out of it. */
static void
test_places (void)
{
    g_autofree char *where = g_strdup_printf ("inlined.c:%u", line_of ("main-side"));
    EngineProcess *process;
    guint64 pc, stop;

    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, "inferior-inlined-og", NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    process = engine_find_process (rig.engine, slot);
    hit (where, "main", "main-side");
    pc = engine_thread_get_pc (engine_process_get_stopped (process));
    stop = process->stop;
    go (JOB_VERB_STEP);
    expect ("side", "side");
    g_assert_cmpuint (engine_thread_get_pc (engine_process_get_stopped (process)), ==, pc);
    g_assert_cmpuint (process->stop, >, stop);
    hit ("middle", "middle", "middle");
    go (JOB_VERB_STEP);
    expect ("innermost", "innermost");
    go (JOB_VERB_FINISH);
    g_autofree char *behind = dup_place ();
    g_assert_null (strstr (behind, "innermost"));
    rig_close (&rig);
}

/* Several steps, of which the first do not change the pc. */
static void
test_counts (void)
{
    g_autofree char *where = g_strdup_printf ("inlined.c:%u", line_of ("main-outer"));
    JobRequest *request = job_request_new (JOB_VERB_STEP, NULL);
    guint64 pc;

    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, "inferior-inlined-og", NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    hit (where, "main", "main-outer");
    pc = engine_thread_get_pc (engine_process_get_stopped (engine_find_process (rig.engine,
                                                                                slot)));
    request->number = 3;
    rig_send (&rig, slot, request);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "innermost", line_of ("innermost"));
    g_assert_cmpuint (engine_thread_get_pc (
                          engine_process_get_stopped (engine_find_process (rig.engine, slot))),
                      ==, pc);
    rig_close (&rig);
}

int
main (int argc, char **argv)
{
    static const char *const variants[] = { "o2", "og", "clang" };

    g_test_init (&argc, &argv, NULL);
    for (guint i = 0; i < G_N_ELEMENTS (variants); i++) {
        g_autofree char *path = g_strdup_printf ("/engine/inlined/gdb/%s", variants[i]);

        g_test_add_data_func_full (path, g_strdup_printf ("inferior-inlined-%s", variants[i]),
                                   test_beside_gdb, g_free);
    }
    g_test_add_func ("/engine/inlined/places", test_places);
    g_test_add_func ("/engine/inlined/counts", test_counts);
    return g_test_run ();
}
