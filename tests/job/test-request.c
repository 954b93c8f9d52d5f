/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests keep all they carry; what is no request is refused. */
#include "base/error.h"
#include "job/request.h"

static JobRequest *
new_full (void)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (2, 6);
    JobRequest *request = job_request_new (JOB_VERB_BREAK, ranks);

    request->id = 77;
    request->flags = JOB_REQUEST_TEMPORARY;
    request->number = 3;
    request->delta = -1;
    request->every = 10;
    request->thread = 2;
    g_assert_true (job_where_parse ("app.py:12", &request->where, NULL));
    request->text = g_strdup ("x > \377");
    request->text2 = g_strdup ("");
    request->log = g_strdup ("x is {x}");
    job_request_select (request, ranks, 3, TRUE, 2);
    return request;
}

static void
assert_full (const JobRequest *request)
{
    g_autofree char *ranks = job_rank_set_format (request->ranks);
    g_autofree char *where = job_where_format (&request->where);

    g_assert_cmpuint (request->id, ==, 77);
    g_assert_cmpint (request->verb, ==, JOB_VERB_BREAK);
    g_assert_cmpuint (request->flags, ==, JOB_REQUEST_TEMPORARY);
    g_assert_cmpstr (ranks, ==, "2-5");
    g_assert_cmpuint (request->number, ==, 3);
    g_assert_cmpint (request->delta, ==, -1);
    g_assert_cmpuint (request->every, ==, 10);
    g_assert_cmpuint (request->thread, ==, 2);
    g_assert_cmpstr (where, ==, "app.py:12");
    g_assert_cmpstr (request->text, ==, "x > \377");
    g_assert_cmpstr (request->text2, ==, "");
    g_assert_null (request->condition);
    g_assert_cmpstr (request->log, ==, "x is {x}");
    g_assert_cmpuint (request->selections->len, ==, 1);
    g_assert_null (job_request_find_selection (request, 6));
    g_assert_cmpuint (job_request_find_selection (request, 5)->thread, ==, 3);
    g_assert_cmpuint (job_request_find_selection (request, 5)->frame, ==, 2);
    g_assert_true (job_request_find_selection (request, 5)->has_frame);
}

static void
test_wire (void)
{
    g_autoptr (JobRequest) request = new_full ();
    g_autoptr (JobRequest) copy = job_request_dup (request);
    g_autoptr (GVariant) variant = g_variant_ref_sink (job_request_encode (request));
    g_autoptr (JobRequest) again = job_request_decode (variant, 6, NULL);
    g_autoptr (GError) error = NULL;

    assert_full (copy);
    assert_full (again);
    g_assert_null (job_request_decode (variant, 5, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_CORRUPT);
}

static void
test_refuse (void)
{
    g_autoptr (JobRequest) request = job_request_new (JOB_N_VERBS, NULL);
    g_autoptr (GVariant) variant = g_variant_ref_sink (job_request_encode (request));
    g_autoptr (GVariant) other = g_variant_ref_sink (g_variant_new_string ("x"));
    g_autoptr (GError) error = NULL;

    g_assert_null (job_request_decode (variant, 5, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_CORRUPT);
    g_assert_null (job_request_decode (other, 5, NULL));
    g_assert_null (job_request_decode (NULL, 5, NULL));
}

static void
test_verbs (void)
{
    for (guint i = 0; i < JOB_N_VERBS; i++) {
        g_assert_nonnull (job_verb_get_name ((JobVerb) i));
    }
    g_assert_true (job_verb_is_motion (JOB_VERB_CONTINUE));
    g_assert_true (job_verb_is_motion (JOB_VERB_DETACH));
    g_assert_false (job_verb_is_motion (JOB_VERB_BREAK));
    g_assert_false (job_verb_is_motion (JOB_VERB_NONE));
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/job/request/wire", test_wire);
    g_test_add_func ("/job/request/refuse", test_refuse);
    g_test_add_func ("/job/request/verbs", test_verbs);
    return g_test_run ();
}
