/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a daemon says: as it was printed there, in another language here, over the wire, and damaged on its way. */
#include <errno.h>
#include "base/channel.h"
#include "base/error.h"
#include "job/wire-private.h"
#include "../support/pseudo.h"

static gboolean has_language;

/* The event's text, in both forms, before and after it has been sent. */
static void
check (JobText *said, const char *english)
{
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_NOTICE, 0, NULL);
    g_autoptr (GVariant) sent = NULL;
    g_autoptr (JobEvent) copy = NULL, dup = NULL;
    g_autofree char *shown = NULL;

    job_event_say (event, said);
    g_assert_cmpstr (event->text, ==, english);
    sent = g_variant_ref_sink (job_event_encode (event));
    copy = job_event_decode (sent, 10, NULL, NULL);
    g_assert_nonnull (copy);
    dup = job_event_dup (copy);
    g_assert_cmpstr (dup->text, ==, english);
    g_assert_null (dup->shown);
    shown = job_event_dup_shown (dup);
    if (has_language) {
        pseudo_check (english, shown);
        g_assert_cmpstr (shown, !=, english);
    } else {
        g_assert_cmpstr (shown, ==, english);
    }
}

static void
test_forms (void)
{
    JobText *list = NULL, *text;

    check (job_text_new ("received %s", "SIGUSR1"), "received SIGUSR1");
    check (job_text_new ("process %d, forked by process %d, is debugged as a rank of its own",
                         -7, 5),
           "process -7, forked by process 5, is debugged as a rank of its own");
    check (job_text_new ("breakpoint %u: %s", 3u, "100 %d"), "breakpoint 3: 100 %d");
    list = job_text_join (list, job_text_new ("%s to %s, tag %d", "MPI_Isend", "3", 7));
    list = job_text_join (list, job_text_new ("%s from %s", "MPI_Irecv", "any"));
    list = job_text_join (list, job_text_new ("unnamed window"));
    text = job_text_new_plural ("enters MPI_Finalize with %u request never completed: %s",
                                "enters MPI_Finalize with %u requests never completed: %s", 3,
                                3u, "");
    job_text_nest (text, 1, list);
    check (text, "enters MPI_Finalize with 3 requests never completed: MPI_Isend to 3, tag 7; "
                 "MPI_Irecv from any; unnamed window");
    text = job_text_new_plural ("enters MPI_Finalize with %u request never completed: %s",
                                "enters MPI_Finalize with %u requests never completed: %s", 1,
                                1u, "MPI_Isend");
    check (text, "enters MPI_Finalize with 1 request never completed: MPI_Isend");
}

/* A failure as a daemon sends it, of an error that another process may have sent before. */
static void
check_failure (const GError *error, const char *shown)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (3, 5);
    g_autoptr (GVariant) packed = g_variant_ref_sink (base_channel_pack_error (error));
    g_autoptr (GError) again = NULL;
    g_autoptr (JobEvent) event = NULL, copy = NULL;
    g_autoptr (GVariant) sent = NULL;
    g_autofree char *found = NULL;

    base_channel_unpack_error (packed, &again);
    g_assert_cmpint (again->code, ==, error->code);
    event = job_event_new_failure (7, ranks, again);
    sent = g_variant_ref_sink (job_event_encode (event));
    copy = job_event_decode (sent, 10, NULL, NULL);
    g_assert_nonnull (copy);
    g_assert_cmpstr (copy->text, ==, error->message);
    g_assert_cmpint (copy->code, ==, error->code);
    found = job_event_dup_shown (copy);
    g_assert_cmpstr (found, ==, has_language ? shown : error->message);
}

/* An error's format is translated where it is shown, and so is a reason that is a text itself. */
static void
test_failure (void)
{
    g_autoptr (GError) error = NULL, copy = NULL;
    g_autofree char *path = NULL;

    base_error_set (&error, BASE_ERROR_NOT_FOUND, "no thread %u", 7u);
    check_failure (error, "‹no thread 7›");
    copy = g_error_copy (error);
    g_prefix_error (&error, "cannot watch it: ");
    check_failure (error, error->message);
    check_failure (copy, "‹no thread 7›");
    g_clear_error (&error);
    base_error_set_because (&error, BASE_ERROR_BUSY, "cannot %s: %s", "step",
                            "the rank is running");
    check_failure (error, "‹cannot step: ‹the rank is running››");
    g_clear_error (&error);
    base_error_set_because (&error, BASE_ERROR_UNSUPPORTED,
                            "cannot load pddt's agent into this interpreter: %s",
                            "it does not execute Python now; start the program with "
                            "%python_debug%, or set the breakpoint later");
    path = g_strdup_printf ("‹cannot load pddt's agent into this interpreter: ‹%s››",
                            strchr (error->message, ':') + 2);
    check_failure (error, path);
    g_clear_pointer (&path, g_free);
    g_clear_error (&error);
    path = g_strdup_printf ("cannot read /nowhere: %s", g_strerror (ENOENT));
    base_error_set (&error, BASE_ERROR_NOT_FOUND, "cannot read %s: %s", "/nowhere",
                    g_strerror (ENOENT));
    g_assert_cmpstr (error->message, ==, path);
    g_clear_pointer (&path, g_free);
    path = g_strdup_printf ("‹cannot read /nowhere: %s›", g_strerror (ENOENT));
    check_failure (error, path);
    g_clear_error (&error);
    g_set_error (&error, BASE_ERROR, BASE_ERROR_LOST, "something of %d words", 4);
    check_failure (error, error->message);
}

/* A text of two arguments, "a" and "b", with that format, as it may come from anywhere; NULL: refused. */
static JobText *
receive (const char *format, guint32 n_arguments, guint n_sent)
{
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    JobWire wire = { 10, 10000, FALSE, FALSE };
    BaseCursor cursor;
    JobText *text;

    job_wire_write_text (bytes, format);
    job_wire_write_text (bytes, NULL);
    base_bytes_put_uleb (bytes, 0);
    base_bytes_put_uleb (bytes, n_arguments + 1);
    for (guint i = 0; i < n_sent; i++) {
        g_autoptr (JobText) argument = job_text_new_plain (i == 0 ? "a" : "b");

        job_wire_write_said (bytes, argument);
    }
    cursor = (BaseCursor) BASE_CURSOR_INIT (bytes->data, bytes->len);
    text = job_wire_read_said (&wire, &cursor);
    g_assert_true ((text == NULL) == wire.failed);
    return text;
}

/* Formats that come from somewhere else are data: none is trusted to fit its arguments. */
static void
test_hostile (void)
{
    static const struct {
        const char *format, *text;
    } cases[] = {
        { "%n %s", "%n %s" },
        { "%s%s%s", "%s%s%s" },
        { "%1$s%1$s", "%1$s%1$s" },
        { "%2$s and %1$s", "b and a" },
        { "%9$s%s", "%9$s%s" },
        { "%", "%" },
        { "%s and %s", "a and b" },
        { "none", "none" },
        { "%5s%s", "%5s%s" },
        { "%s %% %s", "a % b" },
        { "", "" },
        { "%0$s%s", "%0$s%s" },
    };

    for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
        g_autoptr (JobText) text = receive (cases[i].format, 2, 2);
        g_autofree char *english = job_text_print (BASE_TEXT_ENGLISH, text);
        g_autofree char *shown = job_text_print (BASE_TEXT_SHOWN, text);

        g_assert_cmpstr (english, ==, cases[i].text);
        g_assert_cmpstr (shown, ==, cases[i].text);
    }
    g_assert_null (receive ("%s", 1000, 2));
    g_assert_null (receive ("%s%s", 2, 1)); /* it ends too early */
    g_assert_null (receive (NULL, 2, 2));
}

/* One within the other, deeper than anything that is said. */
static void
test_deep (void)
{
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    JobWire wire = { 10, 100000, FALSE, FALSE };
    BaseCursor cursor;

    for (guint i = 0; i < 100; i++) {
        job_wire_write_text (bytes, "%s%s");
        job_wire_write_text (bytes, NULL);
        base_bytes_put_uleb (bytes, 0);
        base_bytes_put_uleb (bytes, 3);
    }
    cursor = (BaseCursor) BASE_CURSOR_INIT (bytes->data, bytes->len);
    g_assert_null (job_wire_read_said (&wire, &cursor));
    g_assert_true (wire.failed);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    has_language = pseudo_open ();
    g_test_add_func ("/job/text/failure", test_failure);
    g_test_add_func ("/job/text/forms", test_forms);
    g_test_add_func ("/job/text/hostile", test_hostile);
    g_test_add_func ("/job/text/deep", test_deep);
    return g_test_run ();
}
