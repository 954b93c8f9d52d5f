/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Python lines, and the mpi4py method that each calls. */
#include "session/session.h"
#include <glib/gstdio.h>

static const struct {
    const char *line, *method;
} lines[] = {
    { "thing = comm.recv(source=other, tag=2)", "comm.recv" },
    { "    self.world.allreduce (x)", "self.world.allreduce" },
    { "MPI.COMM_WORLD.Barrier()", "MPI.COMM_WORLD.Barrier" },
    { "rows[1].Reduce_scatter(a, b)", "rows[1].Reduce_scatter" },
    { "request.wait()", "request.wait" },
    { "a, b = comm.recv(source=0), comm.recv(source=1)", NULL }, /* which of the two? */
    { "work(thing)", NULL },
    { "received(1)", NULL },
    { "", NULL },
    { "caf\xe9; comm.bcast(x)", "comm.bcast" }, /* Latin 1 */
};

static void
test_lines (void)
{
    g_autofree char *folder = g_dir_make_tmp ("pddt-method-XXXXXX", NULL);
    g_autofree char *path = g_build_filename (folder, "app.py", NULL);
    g_autoptr (GString) text = g_string_new (NULL);
    g_autoptr (Session) session = session_new ();
    g_autoptr (JobLocation) place = NULL;

    for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
        g_string_append_printf (text, "%s\n", lines[i].line);
    }
    g_assert_true (g_file_set_contents (path, text->str, -1, NULL));
    place = job_location_new ("work", path, 1);
    g_assert_null (session_find_method (session, place)); /* not Python's */
    place->language = JOB_LANGUAGE_PYTHON;
    for (guint again = 0; again < 2; again++) {
        for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
            place->line = i + 1;
            g_assert_cmpstr (session_find_method (session, place), ==, lines[i].method);
        }
        g_unlink (path); /* what has been read is kept */
    }
    place->line = 1000;
    g_assert_null (session_find_method (session, place));
    g_assert_null (session_find_method (session, NULL));
    g_rmdir (folder);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/session/method/lines", test_lines);
    return g_test_run ();
}
