/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Run dialog's fields become the line that it shows. */
#include "gui/dialogs/run-line.h"
#include "base/error.h"

static char *
build (GuiRunLine line, GError **error)
{
    g_auto (GStrv) argv = gui_run_line_dup_argv (&line, error);

    return argv != NULL ? g_strjoinv ("|", argv) : NULL;
}

static void
test_lines (void)
{
    g_autofree char *python = build ((GuiRunLine){ .program = "app.py",
                                                   .arguments = "--steps 10 'a b'",
                                                   .use_mpi = TRUE,
                                                   .n_ranks = 8,
                                                   .launcher = "mpirun",
                                                   .launcher_options = "--oversubscribe" },
                                     NULL);
    g_autofree char *plain = build ((GuiRunLine){ .program = "sh" }, NULL);
    g_autofree char *slurm = build ((GuiRunLine){ .program = "./tool",
                                                  .use_mpi = TRUE,
                                                  .n_ranks = 2,
                                                  .launcher = "srun" },
                                    NULL);

    g_assert_cmpstr (
        python, ==,
        "mpirun|-np|8|--oversubscribe|python3|%python_debug%|app.py|--steps|10|a b");
    g_assert_cmpstr (plain, ==, "sh");
    g_assert_cmpstr (slurm, ==, "srun|-n|2|./tool");
}

static void
test_problems (void)
{
    static const struct {
        const char *program, *arguments;
        int code;
    } cases[] = {
        { "", "", BASE_ERROR_NOT_FOUND },
        { "app.py", "it's", BASE_ERROR_INVALID },
    };

    for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
        g_autoptr (GError) error = NULL;

        g_assert_null (build ((GuiRunLine){ .program = cases[i].program,
                                            .arguments = cases[i].arguments },
                              &error));
        g_assert_error (error, BASE_ERROR, cases[i].code);
    }
}

static void
test_environment (void)
{
    GuiRunLine good = { .environment = "A=1 B='x y'" }, bad = { .environment = "A" };
    g_autoptr (GError) error = NULL;
    g_auto (GStrv) words = gui_run_line_dup_environment (&good, NULL);

    g_assert_cmpstr (words[0], ==, "A=1");
    g_assert_cmpstr (words[1], ==, "B=x y");
    g_assert_null (gui_run_line_dup_environment (&bad, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_INVALID);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/run-line/lines", test_lines);
    g_test_add_func ("/run-line/problems", test_problems);
    g_test_add_func ("/run-line/environment", test_environment);
    return g_test_run ();
}
