/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Python lines, and the mpi4py method that each calls. */
#include "session/sources.h"
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
add_call (JobMessageTable *table, const JobLocation *place)
{
    JobMessageQueue *queue = job_message_queue_new (place->line);
    JobMessageCall *call = job_message_call_new (JOB_MESSAGE_RECV, "MPI_Recv");

    call->place = job_location_dup (place);
    g_ptr_array_add (queue->calls, call);
    job_message_table_add (table, queue);
}

static void
on_loaded (gpointer user)
{
    (*(guint *) user)++;
}

/* A table of calls in each of the lines. */
static JobMessageTable *
make_table (JobLocation *place)
{
    JobMessageTable *table = job_message_table_new ();

    for (guint i = 0; i <= G_N_ELEMENTS (lines); i++) { /* also one behind the last */
        place->line = i + 1;
        add_call (table, place);
    }
    return table;
}

static void
load (Session *session, const JobMessageTable *table, guint n_known)
{
    guint n = n_known;

    session_load_methods (session, table, NULL, on_loaded, &n);
    while (n == n_known) {
        g_main_context_iteration (NULL, TRUE);
    }
}

static void
check (Session *session, JobLocation *place)
{
    for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
        place->line = i + 1;
        g_assert_cmpstr (session_find_method (session, place), ==, lines[i].method);
    }
    place->line = G_N_ELEMENTS (lines) + 1;
    g_assert_null (session_find_method (session, place));
}

static char *
join_lines (void)
{
    GString *text = g_string_new (NULL);

    for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
        g_string_append_printf (text, "%s\n", lines[i].line);
    }
    return g_string_free (text, FALSE);
}

static void
test_lines (void)
{
    g_autofree char *folder = g_dir_make_tmp ("pddt-method-XXXXXX", NULL);
    g_autofree char *path = g_build_filename (folder, "app.py", NULL);
    g_autofree char *text = join_lines ();
    g_autoptr (Session) session = session_new ();
    g_autoptr (JobLocation) place = job_location_new ("work", path, 1);
    g_autoptr (JobMessageTable) foreign = make_table (place), table = NULL;
    guint n = 0;

    g_assert_true (g_file_set_contents (path, text, -1, NULL));
    session_load_methods (session, foreign, NULL, on_loaded, &n); /* not Python's */
    g_assert_cmpuint (n, ==, 1);
    place->line = 1;
    g_assert_null (session_find_method (session, place));
    place->language = JOB_LANGUAGE_PYTHON;
    table = make_table (place);
    g_assert_null (session_find_method (session, place)); /* not read yet */
    load (session, table, 0);
    check (session, place);
    g_unlink (path); /* what has been read is kept */
    session_load_methods (session, table, NULL, on_loaded, &n);
    g_assert_cmpuint (n, ==, 2);
    check (session, place);
    g_assert_null (session_find_method (session, NULL));
    g_rmdir (folder);
}

/* The same from a job that is elsewhere: there is no such file here. */
static void
test_scripted (void)
{
    g_autofree char *text = join_lines ();
    g_autoptr (Session) session = session_new ();
    g_autoptr (JobLocation) place = job_location_new ("work", "/far/away/app.py", 1);
    g_autoptr (JobMessageTable) table = NULL;

    session_start_scripted (session, 2, NULL, NULL);
    session_script_source (session, place->file, text);
    place->language = JOB_LANGUAGE_PYTHON;
    table = make_table (place);
    load (session, table, 0);
    check (session, place);
}

static void
test_cancelled (void)
{
    g_autoptr (Session) session = session_new ();
    g_autoptr (JobLocation) place = job_location_new ("work", "/far/away/app.py", 1);
    g_autoptr (GCancellable) cancellable = g_cancellable_new ();
    g_autoptr (JobMessageTable) table = NULL;
    guint n = 0;

    session_start_scripted (session, 2, NULL, NULL);
    place->language = JOB_LANGUAGE_PYTHON;
    table = make_table (place);
    session_load_methods (session, table, cancellable, on_loaded, &n);
    g_cancellable_cancel (cancellable);
    while (g_main_context_iteration (NULL, FALSE)) {
    }
    g_assert_cmpuint (n, ==, 0);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/session/method/lines", test_lines);
    g_test_add_func ("/session/method/scripted", test_scripted);
    g_test_add_func ("/session/method/cancelled", test_cancelled);
    return g_test_run ();
}
