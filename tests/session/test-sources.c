/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands where the job is: from a script, for which this host has nothing, and from this host. */
#include "session/sources.h"
#include "base/error.h"
#include "session/options.h"
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static void
on_done (GObject *source, GAsyncResult *result, gpointer user)
{
    *(GAsyncResult **) user = g_object_ref (result);
}

static GAsyncResult *
wait_for (GAsyncResult **result)
{
    g_assert_null (*result); /* never from within the call */
    while (*result == NULL) {
        g_main_context_iteration (NULL, TRUE);
    }
    return *result;
}

static char *
read_text (Session *session, const char *path, gsize *ret_size, GError **error)
{
    g_autoptr (GAsyncResult) result = NULL;

    session_read_source_async (session, path, 1000, NULL, on_done, &result);
    return session_read_source_finish (wait_for (&result), ret_size, error);
}

static GPtrArray *
list_folder (Session *session, const char *path, guint limit, GError **error)
{
    g_autoptr (GAsyncResult) result = NULL;

    session_list_folder_async (session, path, limit, NULL, on_done, &result);
    return session_list_folder_finish (wait_for (&result), error);
}

static GPtrArray *
list_running (Session *session)
{
    g_autoptr (GAsyncResult) result = NULL;

    session_list_running_async (session, NULL, on_done, &result);
    return session_list_running_finish (wait_for (&result), NULL);
}

static GPtrArray *
list_cores (Session *session, const char *folder, const char *pattern)
{
    g_autoptr (GAsyncResult) result = NULL;

    session_list_cores_async (session, folder, pattern, NULL, on_done, &result);
    return session_list_cores_finish (wait_for (&result), NULL);
}

static char *
find_program (Session *session, const char *folder, const char *program, gboolean is_script,
              GError **error)
{
    g_autoptr (GAsyncResult) result = NULL;

    session_find_program_async (session, folder, program, is_script, NULL, on_done, &result);
    return session_find_program_finish (wait_for (&result), error);
}

static char *
name_process (Session *session, guint32 pid, GError **error)
{
    g_autoptr (GAsyncResult) result = NULL;

    session_name_process_async (session, pid, NULL, on_done, &result);
    return session_name_process_finish (wait_for (&result), error);
}

static gboolean
locate (Session *session, const char *path, const char *there, GError **error)
{
    g_autoptr (GAsyncResult) result = NULL;

    session_locate_source_async (session, path, there, NULL, on_done, &result);
    return session_locate_source_finish (wait_for (&result), error);
}

static void
test_scripted (void)
{
    const SessionRunning running = { .pid = 7,
                                     .n_ranks = 4,
                                     .is_launcher = TRUE,
                                     .user = (char *) "eve",
                                     .command = (char *) "mpirun -np 4 app" };
    g_autoptr (Session) session = session_new ();
    g_autoptr (GPtrArray) names = NULL, list = NULL, cores = NULL;
    g_autoptr (GError) error = NULL;
    g_autofree char *text = NULL;
    gsize size = 0;

    session_start_scripted (session, 2, NULL, NULL);
    session_script_source (session, "/far/app.c", "int x;\n");
    session_script_source (session, "/far/app.h", "");
    session_script_source (session, "/far/lib/other.c", "");
    session_script_running (session, &running);
    text = read_text (session, "/far/app.c", &size, &error);
    g_assert_no_error (error);
    g_assert_cmpstr (text, ==, "int x;\n");
    g_assert_cmpuint (size, ==, 7);
    g_assert_null (read_text (session, "/etc/passwd", NULL, &error)); /* this host has one */
    g_assert_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND);
    names = list_folder (session, "/far", 10, NULL);
    g_assert_cmpuint (names->len, ==, 2);
    list = list_running (session);
    g_assert_cmpuint (list->len, ==, 1);
    g_assert_cmpstr (((SessionRunning *) list->pdata[0])->command, ==, "mpirun -np 4 app");
    cores = list_cores (session, "/", "*");
    g_assert_cmpuint (cores->len, ==, 0);
}

typedef struct {
    const char *folder, *program;
    gboolean is_script;
    const char *found; /* NULL: it is not */
    int code;          /* then */
} Look;

static void
assert_looks (Session *session, const Look *looks, guint n)
{
    for (guint i = 0; i < n; i++) {
        g_autoptr (GError) error = NULL;
        g_autofree char *found = find_program (session, looks[i].folder, looks[i].program,
                                               looks[i].is_script, &error);

        g_assert_cmpstr (found, ==, looks[i].found);
        if (looks[i].found == NULL) {
            g_assert_error (error, BASE_ERROR, looks[i].code);
        }
    }
}

/* Programs and processes of the script's host, which has none of this one's. */
static void
test_scripted_programs (void)
{
    const SessionRunning running
        = { .pid = 1, .user = (char *) "eve", .command = (char *) "far --away" };
    const Look looks[] = {
        { "/far", "./app", FALSE, "/far/app", 0 },
        { NULL, "/far/app", FALSE, "/far/app", 0 },
        { "/elsewhere", "app", FALSE, "/far/app", 0 },
        { "/far", "data", TRUE, "/far/data", 0 },
        { "/far", "./data", FALSE, NULL, BASE_ERROR_DENIED },
        { "/far", "./none", FALSE, NULL, BASE_ERROR_NOT_FOUND },
        { "/far", "sh", FALSE, NULL, BASE_ERROR_NOT_FOUND },
        { "/", "/bin/sh", FALSE, NULL, BASE_ERROR_NOT_FOUND },
    };
    g_autoptr (Session) session = session_new ();
    g_autoptr (GError) error = NULL;
    g_autofree char *name = NULL;

    session_start_scripted (session, 2, NULL, NULL);
    session_script_program (session, "/far/app");
    session_script_source (session, "/far/data", "");
    session_script_running (session, &running);
    assert_looks (session, looks, G_N_ELEMENTS (looks));
    name = name_process (session, 1, NULL);
    g_assert_cmpstr (name, ==, "far");
    g_assert_null (name_process (session, (guint32) getpid (), &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND);
}

/* What the user has found on this host's disk is nothing where the job's host has no such file. */
static void
test_scripted_located (void)
{
    g_autofree char *folder = g_dir_make_tmp ("pddt-located-XXXXXX", NULL);
    g_autofree char *here = g_build_filename (folder, "app.c", NULL);
    g_autoptr (Session) session = session_new ();
    g_autoptr (GError) error = NULL;

    g_assert_true (g_file_set_contents (here, "int z;\n", -1, NULL));
    session_start_scripted (session, 2, NULL, NULL);
    g_assert_false (locate (session, "/build/app.c", here, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND);
    g_assert_null (session_get_source_folders (session));
    session_script_source (session, "/far/app.c", "int x;\n");
    g_assert_true (locate (session, "/build/app.c", "/far/app.c", NULL));
    g_assert_cmpstr (session_get_source_folders (session), ==, "/build=/far");
    g_unlink (here);
    g_rmdir (folder);
}

/* As test_scripted_programs on this host. */
static void
test_programs_here (void)
{
    g_autofree char *folder = g_dir_make_tmp ("pddt-programs-XXXXXX", NULL);
    g_autofree char *tool = g_build_filename (folder, "tool", NULL);
    g_autofree char *data = g_build_filename (folder, "data", NULL);
    g_autofree char *shell = g_find_program_in_path ("sh"), *name = NULL, *own = NULL;
    const Look looks[] = {
        { folder, "tool", TRUE, tool, 0 },
        { NULL, tool, FALSE, tool, 0 },
        { folder, "sh", FALSE, shell, 0 },
        { folder, "data", TRUE, data, 0 },
        { NULL, data, FALSE, NULL, BASE_ERROR_DENIED },
        { folder, "./none", FALSE, NULL, BASE_ERROR_NOT_FOUND },
        { folder, "no-such-program-anywhere", FALSE, NULL, BASE_ERROR_NOT_FOUND },
        { NULL, folder, FALSE, NULL, BASE_ERROR_INVALID }, /* a folder is no program */
    };
    g_autoptr (GError) error = NULL;

    g_assert_true (g_file_set_contents (tool, "", 0, NULL));
    g_assert_true (g_file_set_contents (data, "", 0, NULL));
    g_assert_cmpint (g_chmod (tool, 0755), ==, 0);
    assert_looks (NULL, looks, G_N_ELEMENTS (looks));
    own = g_path_get_basename (g_get_prgname ());
    own[MIN (strlen (own), 15)] = '\0'; /* as much as the kernel keeps */
    name = name_process (NULL, (guint32) getpid (), &error);
    g_assert_no_error (error);
    g_assert_cmpstr (name, ==, own);
    g_assert_null (name_process (NULL, G_MAXINT32, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND);
    g_unlink (tool);
    g_unlink (data);
    g_rmdir (folder);
}

static void
test_here (void)
{
    g_autofree char *folder = g_dir_make_tmp ("pddt-sources-XXXXXX", NULL);
    g_autofree char *path = g_build_filename (folder, "core.c", NULL);
    g_autofree char *moved = g_strdup_printf ("/nowhere=%s", folder);
    g_autoptr (Session) session = session_new ();
    g_autoptr (GPtrArray) names = NULL, list = NULL, cores = NULL;
    g_autoptr (GError) error = NULL;
    g_autofree char *text = NULL, *again = NULL;
    gboolean is_there = FALSE;

    g_assert_true (g_file_set_contents (path, "int y;\n", -1, NULL));
    text = read_text (session, path, NULL, &error);
    g_assert_cmpstr (text, ==, "int y;\n");
    g_assert_null (read_text (session, "/nowhere/core.c", NULL, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND);
    g_clear_error (&error);
    job_request_free (session_set_option (session, "source-folders", moved));
    again = read_text (session, "/nowhere/core.c", NULL, &error);
    g_assert_cmpstr (again, ==, "int y;\n");
    names = list_folder (session, folder, 10, &error);
    g_assert_cmpuint (names->len, ==, 1);
    g_assert_null (list_folder (session, "/nowhere", 10, &error));
    g_assert_nonnull (error);
    list = list_running (NULL);
    for (guint i = 0; i < list->len; i++) {
        is_there |= ((SessionRunning *) list->pdata[i])->pid == (guint32) getppid ();
    }
    g_assert_true (is_there);
    cores = list_cores (NULL, folder, "core*"); /* by its content it is none */
    g_assert_cmpuint (cores->len, ==, 0);
    g_unlink (path);
    g_rmdir (folder);
}

/* The text of each file is its path. */
static void
put_file (const char *path)
{
    g_autofree char *folder = g_path_get_dirname (path);

    g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
    g_assert_true (g_file_set_contents (path, path, -1, NULL));
}

static void
count (guint *n)
{
    ++*n;
}

/* One file that the user has found leads to those that moved with it; the newest answer counts. */
static void
test_located (void)
{
    g_autofree char *folder = g_dir_make_tmp ("pddt-moved-XXXXXX", NULL);
    g_autofree char *there = g_build_filename (folder, "new/src/solve.c", NULL);
    g_autofree char *beside = g_build_filename (folder, "new/src/part/grid.c", NULL);
    g_autofree char *relative = g_build_filename (folder, "flat.c", NULL);
    g_autofree char *colon = g_build_filename (folder, "a:b/solve.c", NULL);
    const char *paths[] = { "/build/app/src/solve.c", "/build/app/src/part/grid.c", "flat.c" };
    const char *files[] = { there, beside, relative, colon };
    g_autoptr (Session) session = session_new ();
    g_autoptr (GError) error = NULL;
    guint n_moved = 0;

    for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
        put_file (files[i]);
    }
    g_signal_connect_swapped (session, "sources-moved", G_CALLBACK (count), &n_moved);
    g_assert_true (locate (session, "flat.c", relative, NULL));
    g_assert_true (locate (session, paths[0], there, NULL));
    g_assert_cmpuint (n_moved, ==, 2);
    for (guint i = 0; i < G_N_ELEMENTS (paths); i++) {
        g_autofree char *text = read_text (session, paths[i], NULL, &error);

        g_assert_no_error (error);
        g_assert_cmpstr (text, ==, files[i]);
    }
    g_assert_null (read_text (session, "/build/other/solve.c", NULL, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND);
    g_clear_error (&error);
    g_assert_false (locate (session, paths[0], beside, &error));
    g_assert_nonnull (strstr (error->message, "is not called solve.c"));
    g_clear_error (&error);
    g_assert_false (locate (session, paths[0], colon, &error));
    g_assert_nonnull (strstr (error->message, "source-folders"));
    g_assert_cmpuint (n_moved, ==, 2);
    for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
        g_remove (files[i]);
    }
    for (guint i = 0; i < 5; i++) {
        static const char *const folders[] = { "new/src/part", "new/src", "new", "a:b", "." };
        g_autofree char *path = g_build_filename (folder, folders[i], NULL);

        g_assert_cmpint (g_rmdir (i < 4 ? path : folder), ==, 0);
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/sources/scripted", test_scripted);
    g_test_add_func ("/sources/scripted-programs", test_scripted_programs);
    g_test_add_func ("/sources/scripted-located", test_scripted_located);
    g_test_add_func ("/sources/here", test_here);
    g_test_add_func ("/sources/programs-here", test_programs_here);
    g_test_add_func ("/sources/located", test_located);
    return g_test_run ();
}
