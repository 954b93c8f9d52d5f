/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options and skips of a scripted session: one value for all who ask, and none that the ranks are not
 * told, also if it was set before they came. */
#include "session/options.h"
#include "session/sources.h"

typedef struct {
    Session *session;
    GPtrArray *sent; /* of JobRequest */
} Rig;

static void
on_send (const JobRequest *request, gpointer user)
{
    g_ptr_array_add (((Rig *) user)->sent, job_request_dup (request));
}

static void
open_rig (Rig *rig, guint32 n)
{
    rig->session = session_new ();
    rig->sent = g_ptr_array_new_with_free_func ((GDestroyNotify) job_request_free);
    session_start_scripted (rig->session, n, on_send, rig);
}

static void
close_rig (Rig *rig)
{
    g_object_unref (rig->session);
    g_ptr_array_unref (rig->sent);
}

static const JobRequest *
get_last (const Rig *rig)
{
    g_assert_cmpuint (rig->sent->len, >, 0);
    return g_ptr_array_index (rig->sent, rig->sent->len - 1);
}

static void
test_values (void)
{
    Rig rig;
    JobRequest *request;

    open_rig (&rig, 2);
    g_assert_cmpstr (session_get_option (rig.session, "limit-items"), ==, "8");
    g_assert_cmpstr (session_get_option_at_python (rig.session, "limit-items"), ==, "200");
    g_assert_null (session_get_option_at_python (rig.session, "just-my-code"));
    g_assert_null (session_get_option_at_python (rig.session, "no-such-option"));
    request = session_set_option (rig.session, "limit-items", "20");
    g_assert_cmpint (request->verb, ==, JOB_VERB_OPTION);
    g_assert_cmpstr (request->text, ==, "limit-items");
    g_assert_cmpstr (request->text2, ==, "20");
    g_assert_cmpuint (job_rank_set_get_count (request->ranks), ==, 2);
    session_submit (rig.session, request);
    g_assert_cmpstr (session_get_option (rig.session, "limit-items"), ==, "20");
    g_assert_null (session_get_option_at_python (rig.session, "limit-items"));
    g_assert_null (session_get_option (rig.session, "no-such-option"));
    close_rig (&rig);
}

/* What only the session knows of. */
static void
test_own (void)
{
    Rig rig;
    g_autofree char *kept = NULL, *shown = NULL;

    open_rig (&rig, 2);
    g_assert_null (session_get_source_folders (rig.session));
    g_assert_null (session_set_option (rig.session, "source-folders", "/there"));
    g_assert_cmpstr (session_get_source_folders (rig.session), ==, "/there");
    g_assert_null (session_set_option (rig.session, "source-folders", "none"));
    g_assert_null (session_get_source_folders (rig.session));
    shown = session_dup_output_line (rig.session, "a\033[2Jb");
    g_assert_cmpstr (shown, !=, "a\033[2Jb");
    g_assert_null (session_set_option (rig.session, "output-escapes", "on"));
    kept = session_dup_output_line (rig.session, "a\033[2Jb");
    g_assert_cmpstr (kept, ==, "a\033[2Jb");
    g_assert_cmpuint (rig.sent->len, ==, 0);
    close_rig (&rig);
}

static void
on_located (GObject *source, GAsyncResult *result, gpointer user)
{
    g_assert_true (session_locate_source_finish (result, NULL));
    *(gboolean *) user = TRUE;
}

static void
locate (Session *session, const char *path, const char *there)
{
    gboolean is_done = FALSE;

    session_locate_source_async (session, path, there, NULL, on_located, &is_done);
    while (!is_done) {
        g_main_context_iteration (NULL, TRUE);
    }
}

/* A file at the root, and one that was found at the root. */
static void
test_located_roots (void)
{
    Rig rig;

    open_rig (&rig, 2);
    session_script_source (rig.session, "/there/a.c", "");
    session_script_source (rig.session, "/a.c", "");
    locate (rig.session, "/a.c", "/there/a.c");
    g_assert_cmpstr (session_get_source_folders (rig.session), ==, "/=/there");
    locate (rig.session, "/b/a.c", "/a.c");
    g_assert_cmpstr (session_get_source_folders (rig.session), ==, "/b=/:/=/there");
    close_rig (&rig);
}

/* Ranks that come later are told before anybody hears that they are ready. */
static void
test_early (void)
{
    Rig rig;
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, 2);
    g_autoptr (JobEvent) ranks = job_event_new (JOB_EVENT_RANKS, 0, all);
    g_autoptr (JobEvent) state = job_event_new (JOB_EVENT_STATE, 0, all);

    open_rig (&rig, 0);
    g_assert_null (session_set_option (rig.session, "just-my-code", "off"));
    g_assert_cmpstr (session_get_option (rig.session, "just-my-code"), ==, "off");
    g_assert_cmpuint (session_add_skip (rig.session, "function f"), ==, 1);
    g_assert_null (session_make_skip_request (rig.session));
    g_assert_cmpuint (rig.sent->len, ==, 0);
    ranks->processes = job_process_list_new ();
    for (guint32 rank = 0; rank < 2; rank++) {
        JobProcess process = { .rank = rank, .slot = rank, .size = 2 };

        g_array_append_val (ranks->processes, process);
    }
    session_apply (rig.session, ranks);
    state->state = JOB_STATE_STOPPED;
    session_apply (rig.session, state);
    g_assert_true (session_is_ready (rig.session));
    g_assert_cmpuint (rig.sent->len, ==, 2);
    for (guint i = 0; i < 2; i++) {
        const JobRequest *request = g_ptr_array_index (rig.sent, i);
        gboolean is_skip = g_str_equal (request->text, JOB_OPTION_SKIP);

        g_assert_cmpint (request->verb, ==, JOB_VERB_OPTION);
        g_assert_cmpstr (request->text2, ==, is_skip ? "function f" : "off");
        g_assert_cmpuint (job_rank_set_get_count (request->ranks), ==, 2);
    }
    close_rig (&rig);
}

static void
test_skips (void)
{
    Rig rig;

    open_rig (&rig, 2);
    g_assert_cmpuint (session_add_skip (rig.session, "function f"), ==, 1);
    g_assert_cmpuint (session_add_skip (rig.session, "file g.c"), ==, 2);
    session_submit (rig.session, session_make_skip_request (rig.session));
    g_assert_cmpstr (get_last (&rig)->text2, ==, "function f\nfile g.c");
    g_assert_true (session_remove_skip (rig.session, 1));
    g_assert_false (session_remove_skip (rig.session, 1));
    g_assert_false (session_remove_skip (rig.session, 3));
    session_submit (rig.session, session_make_skip_request (rig.session));
    g_assert_cmpstr (get_last (&rig)->text2, ==, "file g.c");
    g_assert_cmpuint (session_get_skips (rig.session)->len, ==, 2); /* numbers stay */
    close_rig (&rig);
}

int
main (int argc, char *argv[])
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/session/options/values", test_values);
    g_test_add_func ("/session/options/own", test_own);
    g_test_add_func ("/session/options/located-roots", test_located_roots);
    g_test_add_func ("/session/options/early", test_early);
    g_test_add_func ("/session/options/skips", test_skips);
    return g_test_run ();
}
