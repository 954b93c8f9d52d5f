/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two clients of one session, as the prompt and a window or two windows are: what is the session's is the
 * same for both. */
#include "command/private.h"
#include "rig.h"
#include <string.h>

typedef struct {
    Rig *rig; /* with the first client */
    CommandContext *second;
    GString *text;
    guint n_done;
} Clients;

static void
on_write (CommandOutKind kind, int stream, const char *text, gpointer user)
{
    g_string_append_printf (((Clients *) user)->text, "%s\n", text);
}

static void
on_done (gboolean ok, gpointer user)
{
    ((Clients *) user)->n_done++;
}

static void
open_clients (Clients *clients)
{
    *clients = (Clients){ 0 };
    clients->rig = rig_new (4, FALSE);
    clients->text = g_string_new (NULL);
    clients->second = command_context_new (clients->rig->session, FALSE, on_write, clients);
}

static void
close_clients (Clients *clients)
{
    command_context_free (clients->second);
    g_string_free (clients->text, TRUE);
    rig_free (clients->rig);
}

/* Runs a line in the second client. */
static void
assert_second (Clients *clients, const char *line, const char *expected)
{
    guint before = clients->n_done;
    gint64 limit_us = g_get_monotonic_time () + 10 * G_USEC_PER_SEC;

    g_string_truncate (clients->text, 0);
    command_run (clients->second, line, on_done, clients);
    while (clients->n_done == before && g_get_monotonic_time () < limit_us) {
        g_main_context_iteration (NULL, FALSE);
    }
    g_assert_cmpuint (clients->n_done, ==, before + 1);
    g_assert_cmpstr (clients->text->str, ==, expected);
}

static void
test_options (void)
{
    Clients clients;
    g_autofree char *shown = NULL;

    open_clients (&clients);
    rig_assert (clients.rig, "set option limit-items 20", "");
    assert_second (&clients, "set option just-my-code off", "");
    shown = rig_run (clients.rig, "show options");
    g_assert_nonnull (strstr (shown, "limit-items = 20\n"));
    g_assert_nonnull (strstr (shown, "just-my-code = off\n"));
    assert_second (&clients, "show options", shown);
    close_clients (&clients);
}

static void
test_skips (void)
{
    Clients clients;
    const JobRequest *last;

    open_clients (&clients);
    rig_assert (clients.rig, "skip f", "skip 1: function f\n");
    assert_second (&clients, "skip file g.c", "skip 2: file g.c\n");
    last = g_ptr_array_index (clients.rig->requests, clients.rig->requests->len - 1);
    g_assert_cmpstr (last->text2, ==, "function f\nfile g.c"); /* not the second alone */
    rig_assert (clients.rig, "show skips", "skip 1: function f\nskip 2: file g.c\n");
    assert_second (&clients, "skip delete 1", "");
    rig_assert (clients.rig, "show skips", "skip 2: file g.c\n");
    close_clients (&clients);
}

int
main (int argc, char *argv[])
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/command/clients/options", test_options);
    g_test_add_func ("/command/clients/skips", test_skips);
    return g_test_run ();
}
