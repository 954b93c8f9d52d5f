/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers about batch systems that somebody else may have written, on the host of --remote: what is damaged is an error, what
 * is shown cannot move a terminal's cursor, and an offer's number is a number. */
#include "session/queues.h"
#include "base/error.h"
#include <glib/gstdio.h>
#include <string.h>

typedef struct {
    Session *session;
    GAsyncResult *result;
} Rig;

static void
on_answer (GObject *source, GAsyncResult *result, gpointer user)
{
    ((Rig *) user)->result = g_object_ref (result);
}

static GAsyncResult *
await (Rig *rig)
{
    while (rig->result == NULL) {
        g_main_context_iteration (NULL, TRUE);
    }
    return rig->result;
}

static void
open_rig (Rig *rig, const char *verb, const char *text)
{
    *rig = (Rig){ session_new (), NULL };
    session_start_scripted (rig->session, 0, NULL, NULL);
    session_script_queues (rig->session, verb, text);
}

static void
close_rig (Rig *rig)
{
    g_clear_object (&rig->result);
    g_object_unref (rig->session);
}

static const char *const damaged[] = { "\xff\xfe", "no group", "[0", "[Queue]\nState\n" };

static void
test_damaged (void)
{
    const SessionSubmitted job = { (char *) "slurm", (char *) "Slurm", (char *) "1",
                                   (char *) "0" };
    Rig rig;

    for (guint i = 0; i < G_N_ELEMENTS (damaged); i++) {
        g_autoptr (GError) error = NULL;

        open_rig (&rig, "list", damaged[i]);
        session_list_queues_async (rig.session, NULL, on_answer, &rig);
        g_assert_null (session_list_queues_finish (await (&rig), &error));
        g_assert_error (error, BASE_ERROR, BASE_ERROR_CORRUPT);
        close_rig (&rig);
        g_clear_error (&error);
        open_rig (&rig, "look", damaged[i]);
        session_look_queued_async (rig.session, &job, TRUE, NULL, on_answer, &rig);
        g_assert_null (session_look_queued_finish (await (&rig), &error));
        g_assert_error (error, BASE_ERROR, BASE_ERROR_CORRUPT);
        close_rig (&rig);
    }
}

static void
test_list (void)
{
    Rig rig;
    const SessionQueue *queue;
    const SessionQueueField *field;
    g_autoptr (GPtrArray) queues = NULL;

    open_rig (&rig, "list",
              "[0]\nId=slurm\nName=Sl\x1b[2Jurm\n[0 0]\nName=time\nLabel=Ti\x07me\nValue=1\n"
              "Pattern=(a+)+b\n[0 2]\nName=behind a gap\nLabel=x\nValue=\n[2]\nId=x\nName=x\n");
    session_list_queues_async (rig.session, NULL, on_answer, &rig);
    queues = session_list_queues_finish (await (&rig), NULL);
    g_assert_cmpuint (queues->len, ==, 1);
    queue = queues->pdata[0];
    g_assert_null (strpbrk (queue->name, "\x1b\x07"));
    g_assert_cmpuint (queue->fields->len, ==, 1);
    field = queue->fields->pdata[0];
    g_assert_null (strpbrk (field->label, "\x1b\x07"));
    g_assert_false (session_queue_field_check (
        field, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", NULL));
    g_assert_true (session_queue_field_check (field, "aab", NULL));
    close_rig (&rig);
}

static void
test_look (void)
{
    const SessionSubmitted submitted = { (char *) "slurm", (char *) "Slurm", (char *) "1",
                                         (char *) "0" };
    static const char *const offers[] = { "../../../etc/passwd", "-oProxyCommand=x",
                                          "0123456789abcdeg", "0123456789abcdef" };
    Rig rig;

    for (guint i = 0; i < G_N_ELEMENTS (offers); i++) {
        g_autofree char *text = g_strdup_printf (
            "[Queue]\nState=77\nPlace=-4\nWaiting=-1\nReason=\x1b]0;x\nOffer=%s\n", offers[i]);
        g_autoptr (SessionQueuedJob) job = NULL;

        open_rig (&rig, "look", text);
        session_look_queued_async (rig.session, &submitted, TRUE, NULL, on_answer, &rig);
        job = session_look_queued_finish (await (&rig), NULL);
        g_assert_cmpint (job->state, <=, SESSION_QUEUED_OVER);
        g_assert_cmpuint (job->place + job->n_waiting, ==, 0);
        g_assert_null (strchr (job->reason, '\x1b'));
        g_assert_cmpint (job->offer != NULL, ==, i == G_N_ELEMENTS (offers) - 1);
        close_rig (&rig);
    }
}

static void
test_offers (void)
{
    Rig rig;
    g_autoptr (GPtrArray) offers = NULL;

    open_rig (
        &rig, "list-offers",
        "[0]\nId=0123456789abcdef\nHost=node1\nCommand=a\x1b[2Jb\nJob=\x07\n[1]\nId="
        "0123456789abcdef\nHost=-oProxyCommand=touch\n[2]\nId=0123456789abcdef\nHost=x\n");
    session_list_offers_async (rig.session, NULL, on_answer, &rig);
    offers = session_list_offers_finish (await (&rig), NULL);
    g_assert_cmpuint (offers->len, ==, 1); /* the next one is no host */
    g_assert_null (strpbrk (((SessionOffer *) offers->pdata[0])->command, "\x1b"));
    g_assert_null (strpbrk (((SessionOffer *) offers->pdata[0])->job, "\x07"));
    close_rig (&rig);
}

/* What the other side says of an archive, its list and one piece. TRUE: it was brought to the folder. */
static gboolean
bring (const char *list, const char *piece, const char *folder, GError **error)
{
    gboolean ok;
    Rig rig;

    open_rig (&rig, "list-measured", list);
    session_script_queues (rig.session, "read-measured", piece);
    session_bring_measured_async (rig.session, "0123456789abcdef", folder, NULL, on_answer,
                                  &rig);
    ok = session_bring_measured_finish (await (&rig), error);
    close_rig (&rig);
    return ok;
}

static void
remove_all (const char *folder)
{
    g_autofree char *a = g_build_filename (folder, "a", NULL),
                    *t = g_build_filename (folder, "t", NULL),
                    *b = g_build_filename (folder, "t", "b", NULL);

    g_unlink (a);
    g_unlink (b);
    g_rmdir (t);
    g_rmdir (folder);
}

/* It writes below the new folder and nowhere else, no more than was said, and leaves no half of an archive. */
static void
test_bring (void)
{
    static const char *const lists[] = {
        "[Queue]\nNames=../a;\nSizes=2;\n",        "[Queue]\nNames=/tmp/pddt-a;\nSizes=2;\n",
        "[Queue]\nNames=t/../../a;\nSizes=2;\n",   "[Queue]\nNames=t//a;\nSizes=2;\n",
        "[Queue]\nNames=a;b;\nSizes=2;\n",         "[Queue]\nNames=a;\nSizes=-2;\n",
        "[Queue]\nNames=a/b/c/d/e/f;\nSizes=2;\n", "[Queue]\n"
    };
    static const char *const pieces[] = { "[Queue]\nBytes=YWJj\n", "[Queue]\nBytes=\n",
                                          "[Queue]\nBytes=!\n", "[Queue]\n" };
    const char *good = "[Queue]\nNames=a;t/b;\nSizes=2;0;\n", *piece = "[Queue]\nBytes=YWI=\n";
    g_autofree char *place = g_dir_make_tmp ("pddt-test-queues-XXXXXX", NULL),
                    *folder = g_build_filename (place, "new", NULL),
                    *a = g_build_filename (folder, "a", NULL),
                    *b = g_build_filename (folder, "t", "b", NULL), *text = NULL;
    g_autoptr (GError) there = NULL;

    for (guint i = 0; i < G_N_ELEMENTS (lists) + G_N_ELEMENTS (pieces); i++) {
        gboolean is_list = i < G_N_ELEMENTS (lists);
        g_autoptr (GError) error = NULL;

        g_assert_false (bring (is_list ? lists[i] : good,
                               is_list ? piece : pieces[i - G_N_ELEMENTS (lists)], folder,
                               &error));
        g_assert_error (error, BASE_ERROR, BASE_ERROR_CORRUPT);
        g_assert_false (g_file_test (folder, G_FILE_TEST_EXISTS));
    }
    g_assert_true (bring (good, piece, folder, NULL));
    g_assert_true (g_file_get_contents (a, &text, NULL, NULL));
    g_assert_cmpstr (text, ==, "ab");
    g_assert_true (g_file_test (b, G_FILE_TEST_IS_REGULAR));
    g_assert_false (bring (good, piece, folder, &there)); /* what is there stays */
    g_assert_error (there, BASE_ERROR, BASE_ERROR_DENIED);
    g_assert_true (g_file_test (b, G_FILE_TEST_IS_REGULAR));
    remove_all (folder);
    g_assert_cmpint (g_rmdir (place), ==, 0);
}

static void
test_submit (void)
{
    static const char *const argv[] = { "true", NULL }, *const bad[] = { "\xff", NULL };
    static const char *const texts[] = { "", "[Queue]\nName=Slurm\nToken=1\n" };
    SessionSubmission submission = { .queue = "slurm", .argv = argv };
    Rig rig;

    for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
        g_autoptr (GError) error = NULL;

        open_rig (&rig, "submit", texts[i]);
        session_submit_async (rig.session, &submission, NULL, on_answer, &rig);
        g_assert_null (session_submit_finish (await (&rig), &error));
        g_assert_error (error, BASE_ERROR, BASE_ERROR_CORRUPT);
        close_rig (&rig);
    }
    {
        g_autoptr (GError) error = NULL;

        submission.argv = bad;
        open_rig (&rig, "submit", "");
        session_submit_async (rig.session, &submission, NULL, on_answer, &rig);
        g_assert_null (session_submit_finish (await (&rig), &error));
        g_assert_error (error, BASE_ERROR, BASE_ERROR_INVALID);
        close_rig (&rig);
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/session/queues/damaged", test_damaged);
    g_test_add_func ("/session/queues/list", test_list);
    g_test_add_func ("/session/queues/look", test_look);
    g_test_add_func ("/session/queues/offers", test_offers);
    g_test_add_func ("/session/queues/bring", test_bring);
    g_test_add_func ("/session/queues/submit", test_submit);
    return g_test_run ();
}
