/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Saved sessions: there and back, files that are broken at every byte, which word is the program. */
#include "session/saved.h"
#include "base/error.h"
#include <glib/gstdio.h>
#include <string.h>

static const char whole[]
    = "[pddt session]\nversion=1\ncommand=mpirun;-np;4;./a b;\nhost=login:/run\n"
      "host-program=module load x; pddt\nfolder=/tmp\nstop-at=none\n\n"
      "[breakpoint 1]\nkind=break\nwhere=a.c:12\nranks=0-2\ncondition=i == 3\nlog=at {i}\n"
      "every=5\nthread=2\nonce=true\nenabled=false\n\n"
      "[breakpoint 2]\nkind=catch\nwhere=signal SIGUSR1\nranks=all\ndisabled=1-3\n\n"
      "[set left]\nranks=0-1,7\n\n[set bad]\nlive=signal\n\n"
      "[display 2]\nexpression=a + 1\nformat=x\nranks=0-1\n\n[display 5]\nexpression=b\n\n"
      "[window 1]\nname=left\nranks=0-1\nwatches=a + 1;b\\;c;\ntabs=/a/b.c:12;/a/c\\;d:3;\n"
      "shown-by=1\nlayout=800;600;400;300;200;1;2;\n";

static char *
write_file (const char *text, gsize size)
{
    g_autofree char *folder = g_dir_make_tmp ("pddt-saved-XXXXXX", NULL);
    char *file = g_build_filename (folder, "x.pddt", NULL);

    g_assert_true (g_file_set_contents (file, text, (gssize) size, NULL));
    return file;
}

static void
remove_file (char *file)
{
    g_autofree char *folder = g_path_get_dirname (file);
    g_autofree char *before = g_strconcat (file, ".before", NULL);

    g_unlink (file);
    g_unlink (before);
    g_rmdir (folder);
    g_free (file);
}

static void
test_there_and_back (void)
{
    char *file = write_file (whole, strlen (whole));
    g_autoptr (GError) error = NULL;
    g_autoptr (SessionSaved) saved = session_saved_load (file, &error), again = NULL;
    g_autofree char *text = NULL, *other = NULL;

    g_assert_no_error (error);
    g_assert_cmpstr (saved->argv[3], ==, "./a b");
    g_assert_cmpstr (saved->host, ==, "login:/run");
    g_assert_cmpstr (saved->host_program, ==, "module load x; pddt");
    g_assert_cmpstr (((SessionSavedWindow *) saved->windows->pdata[0])->watches[1], ==, "b;c");
    g_assert_cmpstr (((SessionSavedWindow *) saved->windows->pdata[0])->tabs[1], ==,
                     "/a/c;d:3");
    g_assert_cmpint (((SessionSavedWindow *) saved->windows->pdata[0])->shown_by, ==, 1);
    g_assert_true (((SessionSavedWindow *) saved->windows->pdata[0])->has_layout);
    g_assert_cmpint (((SessionSavedWindow *) saved->windows->pdata[0])->layout[6], ==, 2);
    g_assert_cmpuint (saved->displays->len, ==, 2);
    g_assert_cmpint (((SessionSavedDisplay *) saved->displays->pdata[0])->letter, ==, 'x');
    g_assert_null (((SessionSavedDisplay *) saved->displays->pdata[1])->ranks);
    g_assert_false (((SessionSavedPoint *) saved->points->pdata[0])->is_enabled);
    g_assert_true (((SessionSavedPoint *) saved->points->pdata[1])->is_for_all);
    text = session_saved_format (saved);
    g_assert_true (session_saved_store (saved, file, &error));
    again = session_saved_load (file, &error);
    g_assert_no_error (error);
    other = session_saved_format (again);
    g_assert_cmpstr (text, ==, other);
    remove_file (file);
}

static void
test_restored (void)
{
    char *file = write_file (whole, strlen (whole));
    g_autoptr (SessionSaved) saved = session_saved_load (file, NULL);
    g_autoptr (Session) session = session_new ();
    g_autoptr (GPtrArray) requests = NULL;
    g_autofree char *ranks = NULL, *some = NULL;
    const char *live = NULL;

    session_start_scripted (session, 2, NULL, NULL);
    requests = session_restore (session, saved);
    g_assert_cmpuint (requests->len, ==, 4);
    const JobRequest *first = requests->pdata[0], *second = requests->pdata[1];
    ranks = job_rank_set_format (first->ranks);
    g_assert_cmpstr (ranks, ==, "0-1"); /* there are only two */
    g_assert_cmpint (first->verb, ==, JOB_VERB_BREAK);
    g_assert_cmpstr (first->condition, ==, "i == 3");
    g_assert_cmpuint (first->every, ==, 5);
    g_assert_cmpuint (first->thread, ==, 2);
    g_assert_true (first->flags & JOB_REQUEST_TEMPORARY);
    g_assert_cmpint (second->verb, ==, JOB_VERB_DISABLE);
    g_assert_cmpuint (second->number, ==, first->number);
    g_assert_cmpint (((JobRequest *) requests->pdata[2])->verb, ==, JOB_VERB_CATCH);
    g_assert_cmpint (((JobRequest *) requests->pdata[3])->verb, ==, JOB_VERB_DISABLE);
    some = job_rank_set_format (((JobRequest *) requests->pdata[3])->ranks);
    g_assert_cmpstr (some, ==, "1");
    g_assert_cmpuint (job_rank_set_get_count (session_find_named (session, "left", &live)), ==,
                      2);
    g_assert_null (live);
    session_find_named (session, "bad", &live);
    g_assert_cmpstr (live, ==, "signal");
    remove_file (file);
}

/* Cut off anywhere, or with a byte changed: read, or refused with one line; never written over. */
static void
test_broken (void)
{
    guint n_refused = 0;

    for (gsize i = 0; i < 2 * strlen (whole); i++) {
        gsize at = i / 2;
        g_autofree char *text = g_strdup (whole);
        g_autoptr (GError) error = NULL;
        g_autoptr (SessionSaved) saved = NULL;
        char *file;

        if (i % 2 == 0) {
            text[at] = "\x01\xff]=;["[i % 6];
        }
        file = write_file (text, i % 2 == 0 ? strlen (whole) : at);
        saved = session_saved_load (file, &error);
        g_assert_true ((saved != NULL) == (error == NULL));
        if (error != NULL) {
            n_refused++;
            g_assert_true (g_str_has_prefix (error->message, "cannot open "));
            g_assert_null (strchr (error->message, '\n'));
        }
        remove_file (file);
    }
    g_assert_cmpuint (n_refused, >, 50);
}

static void
test_not_written_over (void)
{
    char *file = write_file ("my own notes\n", 13);
    g_autofree char *before = g_strconcat (file, ".before", NULL), *kept = NULL;
    g_autoptr (SessionSaved) saved = session_saved_new ();

    saved->argv = g_strsplit ("true", " ", -1);
    g_assert_true (session_saved_store (saved, file, NULL));
    g_assert_true (g_file_get_contents (before, &kept, NULL, NULL));
    g_assert_cmpstr (kept, ==, "my own notes\n");
    remove_file (file);
}

static void
test_program (void)
{
    static const struct {
        const char *line, *program;
    } lines[] = {
        { "mpirun -np 8 python3 %python_debug% -u app.py --steps 10", "app.py" },
        { "mpirun -np 8 --host a,b ./app x", "./app" },
        { "/usr/bin/python3 app.py a b", "app.py" },
        { "./app -np 4", "./app" },
        { "true", "true" },
    };

    for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
        g_auto (GStrv) argv = g_strsplit (lines[i].line, " ", -1);
        g_auto (GStrv) fewer = g_strsplit (lines[i].line, " ", -1);
        g_autofree char *one = NULL, *two = NULL;

        g_assert_cmpstr (session_saved_find_program ((const char *const *) argv), ==,
                         lines[i].program);
        if (g_str_has_prefix (lines[i].line, "mpirun")) {
            g_free (fewer[2]);
            fewer[2] = g_strdup ("2");
        }
        one = session_saved_get_file ((const char *const *) argv, "/here");
        two = session_saved_get_file ((const char *const *) fewer, "/here");
        g_assert_cmpstr (one, ==, two); /* whatever the number of ranks is */
        g_free (two);
        two = session_saved_get_file ((const char *const *) argv, "/there");
        g_assert_true (g_str_equal (one, two) == (lines[i].program[0] == '/'));
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/saved/there-and-back", test_there_and_back);
    g_test_add_func ("/saved/restored", test_restored);
    g_test_add_func ("/saved/broken", test_broken);
    g_test_add_func ("/saved/not-written-over", test_not_written_over);
    g_test_add_func ("/saved/program", test_program);
    return g_test_run ();
}
