/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps between Python and C under the engine, in every interpreter found: into C by step, over it
 * by next, out of it by finish, and back into a callback. Arguments: the runner, interpreters. */
#include "../engine/rig.h"
#include <stdlib.h>
#include <string.h>

static const char *runner;

/* The line of "@ mark" in a source file of the inferiors. */
static guint32
find_line (const char *file, const char *mark)
{
    g_autofree char *path = g_build_filename (g_getenv ("PDDT_INFERIOR_SOURCES"), file, NULL);
    g_autofree char *text = NULL, *wanted = g_strconcat ("@ ", mark, NULL);
    g_auto (GStrv) lines = NULL;

    g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
    lines = g_strsplit (text, "\n", -1);
    for (guint i = 0; lines[i] != NULL; i++) {
        if (g_str_has_suffix (lines[i], wanted)) {
            return i + 1;
        }
    }
    g_error ("no mark %s in %s", mark, file);
}

typedef struct {
    Rig rig;
    guint32 slot;
} Walk;

static void
begin (Walk *walk, const char *python, const char *mark)
{
    g_autofree char *program = g_build_filename (g_getenv ("PDDT_INFERIOR_SOURCES"),
                                                 "border.py", NULL);
    g_autofree char *where = g_strdup_printf ("border.py:%u", find_line ("border.py", mark));
    char *argv[] = { (char *) python, (char *) "-B", (char *) runner, program, NULL };

    g_test_message ("%s", python);
    rig_open (&walk->rig, "main");
    walk->slot = rig_start (&walk->rig, argv, NULL);
    rig_expect (&walk->rig, walk->slot, JOB_STATE_STOPPED, "<module>", 0);
    rig_break (&walk->rig, walk->slot, 1, where, NULL);
    rig_do (&walk->rig, walk->slot, JOB_VERB_CONTINUE);
    rig_expect (&walk->rig, walk->slot, JOB_STATE_BREAKPOINT, NULL,
                find_line ("border.py", mark));
}

static void
go (Walk *walk, JobVerb verb, const char *function, const char *file, const char *mark)
{
    rig_do (&walk->rig, walk->slot, verb);
    rig_expect (&walk->rig, walk->slot, JOB_STATE_STOPPED, function, find_line (file, mark));
}

static void
check_returned (Walk *walk, const char *function, const char *text)
{
    const JobEvent *event = rig_wait (&walk->rig, walk->slot, JOB_EVENT_RETURNED);
    const JobValueRow *row;
    const JobValueGroup *group;

    g_assert_nonnull (event);
    g_assert_cmpstr (event->place->function, ==, function);
    row = g_ptr_array_index (event->table->rows, 0);
    group = g_ptr_array_index (row->groups, 0);
    g_assert_cmpstr (group->value->text, ==, text);
}

static void
check_value (Walk *walk, const char *expression, const char *text)
{
    g_autoptr (JobRankSet) set = job_rank_set_new_range (walk->slot, walk->slot + 1);
    JobRequest *request = job_request_new (JOB_VERB_PRINT, set);
    const JobEvent *event;
    const JobValueRow *row;
    const JobValueGroup *group;

    request->text = g_strdup (expression);
    rig_send (&walk->rig, walk->slot, request);
    event = rig_wait (&walk->rig, walk->slot, JOB_EVENT_VALUES);
    g_assert_nonnull (event);
    row = g_ptr_array_index (event->table->rows, 0);
    group = g_ptr_array_index (row->groups, 0);
    g_assert_cmpstr (group->value->text, ==, text);
}

static void
end (Walk *walk)
{
    rig_do (&walk->rig, walk->slot, JOB_VERB_CONTINUE);
    rig_expect (&walk->rig, walk->slot, JOB_STATE_EXITED, NULL, 0);
    rig_close (&walk->rig);
}

static void
test_ctypes (gconstpointer python)
{
    Walk walk;

    begin (&walk, python, "main-add");
    go (&walk, JOB_VERB_STEP, "add", "border.c", "c-add");
    check_value (&walk, "a + b", "3");
    go (&walk, JOB_VERB_NEXT, "add", "border.c", "c-add-return");
    rig_do (&walk.rig, walk.slot, JOB_VERB_FINISH);
    check_returned (&walk, "add", "3");
    rig_expect (&walk.rig, walk.slot, JOB_STATE_STOPPED, NULL,
                find_line ("border.py", "main-add"));
    check_value (&walk, "sum([1, 2])", "3");
    go (&walk, JOB_VERB_NEXT, NULL, "border.py", "main-kind");
    go (&walk, JOB_VERB_STEP, NULL, "border.py", "main-apply");
    go (&walk, JOB_VERB_STEP, "apply", "border.c", "c-apply");
    go (&walk, JOB_VERB_NEXT, "apply", "border.c", "c-apply-call");
    go (&walk, JOB_VERB_STEP, "called", "border.py", "called");
    check_value (&walk, "value", "4");
    go (&walk, JOB_VERB_NEXT, "called", "border.py", "called-return");
    go (&walk, JOB_VERB_STEP, "apply", "border.c", "c-apply-after");
    go (&walk, JOB_VERB_STEP, "twice", "border.c", "c-twice");
    rig_do (&walk.rig, walk.slot, JOB_VERB_FINISH);
    check_returned (&walk, "twice", "28");
    rig_expect (&walk.rig, walk.slot, JOB_STATE_STOPPED, "apply",
                find_line ("border.c", "c-apply-after"));
    go (&walk, JOB_VERB_NEXT, "apply", "border.c", "c-apply-return");
    rig_do (&walk.rig, walk.slot, JOB_VERB_NEXT);
    rig_expect (&walk.rig, walk.slot, JOB_STATE_STOPPED, NULL, 0);
    go (&walk, JOB_VERB_NEXT, NULL, "border.py", "main-print");
    end (&walk);
}

static void
test_module (gconstpointer python)
{
    Walk walk;

    begin (&walk, python, "module-add");
    go (&walk, JOB_VERB_STEP, "add_two", "border_module.c", "m-add-parse");
    rig_do (&walk.rig, walk.slot, JOB_VERB_FINISH);
    rig_expect (&walk.rig, walk.slot, JOB_STATE_STOPPED, NULL,
                find_line ("border.py", "module-add"));
    go (&walk, JOB_VERB_NEXT, NULL, "border.py", "module-apply");
    go (&walk, JOB_VERB_STEP, "apply_one", "border_module.c", "m-apply");
    go (&walk, JOB_VERB_NEXT, "apply_one", "border_module.c", "m-apply-call");
    go (&walk, JOB_VERB_STEP, "called", "border.py", "called");
    rig_do (&walk.rig, walk.slot, JOB_VERB_FINISH);
    check_returned (&walk, "called", "17");
    rig_expect (&walk.rig, walk.slot, JOB_STATE_STOPPED, "apply_one",
                find_line ("border_module.c", "m-apply-call"));
    go (&walk, JOB_VERB_NEXT, "apply_one", "border_module.c", "m-apply-return");
    end (&walk);
}

static void
test_over (gconstpointer python)
{
    Walk walk;

    begin (&walk, python, "main-apply");
    go (&walk, JOB_VERB_NEXT, NULL, "border.py", "main-print");
    go (&walk, JOB_VERB_NEXT, NULL, "border.py", "module-add");
    go (&walk, JOB_VERB_NEXT, NULL, "border.py", "module-apply");
    go (&walk, JOB_VERB_NEXT, NULL, "border.py", "module-print");
    end (&walk);
}

/* An exception passes from a callback through C to a handler in Python. */
static void
test_exception (gconstpointer python)
{
    Walk walk;

    begin (&walk, python, "fails");
    go (&walk, JOB_VERB_NEXT, "apply_one", "border_module.c", "m-apply-return");
    rig_do (&walk.rig, walk.slot, JOB_VERB_FINISH);
    rig_expect (&walk.rig, walk.slot, JOB_STATE_STOPPED, "main", 0);
    go (&walk, JOB_VERB_NEXT, NULL, "border.py", "main-except");
    go (&walk, JOB_VERB_NEXT, NULL, "border.py", "main-handler");
    end (&walk);
}

int
main (int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run) (gconstpointer);
    } rows[] = {
        { "ctypes", test_ctypes },
        { "module", test_module },
        { "over", test_over },
        { "exception", test_exception },
    };

    g_autofree char *cache = g_dir_make_tmp ("pddt-border-XXXXXX", NULL);
    g_autofree char *remove = g_strdup_printf ("rm -r '%s'", cache);
    int status;

    g_test_init (&argc, &argv, NULL);
    g_assert_cmpint (argc, >=, 3);
    g_setenv ("PDDT_TEST_CACHE", cache, TRUE);
    runner = argv[1];
    for (int i = 2; i < argc; i++) {
        for (guint k = 0; k < G_N_ELEMENTS (rows); k++) {
            g_autofree char *path = g_strdup_printf ("/border/%s%s", rows[k].name, argv[i]);

            g_test_add_data_func (path, argv[i], rows[k].run);
        }
    }
    status = g_test_run ();
    g_assert_cmpint (system (remove), ==, 0);
    return status;
}
