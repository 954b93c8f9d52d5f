/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rig.h"
#include <string.h>
#include <unistd.h>

static void
on_host (NetRoot *root, guint index, const char *host, gpointer user)
{
    ((Rig *) user)->n_hosts++;
}

static void
on_events (NetRoot *root, GPtrArray *events, gpointer user)
{
    ((Rig *) user)->n_batches++;
    for (guint i = 0; i < events->len; i++) {
        g_ptr_array_add (((Rig *) user)->events, job_event_dup (events->pdata[i]));
    }
}

static void
on_liveness (NetRoot *root, guint index, const char *what, gpointer user)
{
    g_string_append_printf (((Rig *) user)->said, "%s ", what);
}

static void
on_clock (NetRoot *root, guint index, const NetClockReading *reading, gpointer user)
{
    ((Rig *) user)->n_clocks++;
    ((Rig *) user)->reading = *reading;
}

static void
on_welcome (NetLeaf *leaf, guint32 base, gpointer user)
{
    ((Rig *) user)->base = base;
    ((Rig *) user)->n_welcomes++;
}

static void
on_request (NetLeaf *leaf, const JobRequest *request, gpointer user)
{
    g_ptr_array_add (((Rig *) user)->requests, job_request_dup (request));
}

static void
on_end (NetLeaf *leaf, gpointer user)
{
    ((Rig *) user)->n_ends++;
}

static void
on_lost (NetLeaf *leaf, gboolean closed, gpointer user)
{
    ((Rig *) user)->n_lost++;
}

static const NetRootHandler root_handler = { on_host, on_events, on_liveness, on_clock };
const NetLeafHandler rig_leaf_handler = { on_welcome, on_request, on_end, on_lost };

gboolean
rig_on_late (gpointer user)
{
    *(gboolean *) user = TRUE;
    return G_SOURCE_REMOVE;
}

void
rig_open (Rig *rig)
{
    g_autoptr (GError) error = NULL;
    *rig = (Rig){ 0 };
    rig->events = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    rig->requests = g_ptr_array_new_with_free_func ((GDestroyNotify) job_request_free);
    rig->said = g_string_new (NULL);
    g_assert_true (net_make_keys (rig->public_key, rig->secret_key, &error));
    g_assert_true (net_make_keys (rig->daemon_key, rig->daemon_secret, &error));
    const NetRootKeys keys = { rig->public_key, rig->secret_key, rig->daemon_key };
    rig->folder = g_dir_make_tmp ("link-XXXXXX", &error);
    g_assert_no_error (error);
    rig->root = net_root_new ("session", rig->folder, &keys, &root_handler, rig, &error);
    g_assert_no_error (error);
}

const char *
rig_get_local (const Rig *rig)
{
    return strchr (net_root_get_endpoint (rig->root), ' ') + 1;
}

NetLeaf *
rig_make_leaf (Rig *rig, const char *session, const char *host)
{
    g_autoptr (GError) error = NULL;
    const NetLeafKeys keys = { rig->public_key, rig->daemon_key, rig->daemon_secret };
    NetLeaf *leaf = net_leaf_new (rig_get_local (rig), session, host, &keys, &rig_leaf_handler,
                                  rig, &error);
    g_assert_no_error (error);
    return leaf;
}

void
rig_close (Rig *rig)
{
    net_leaf_free (rig->leaf);
    net_root_free (rig->root);
    g_autofree char *path = g_build_filename (rig->folder, "link", NULL);
    unlink (path);
    g_assert_cmpint (rmdir (rig->folder), ==, 0);
    g_free (rig->folder);
    g_ptr_array_unref (rig->events);
    g_ptr_array_unref (rig->requests);
    g_string_free (rig->said, TRUE);
}

JobEvent *
rig_make_ranks_event (guint32 slot, guint32 rank)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (slot, slot + 1);
    JobEvent *event = job_event_new (JOB_EVENT_RANKS, 0, ranks);
    const JobProcess process = {
        .slot = slot, .rank = rank, .size = 8, .host = (char *) "h", .program = (char *) "p"
    };
    event->processes = job_process_list_new ();
    job_process_list_add (event->processes, &process);
    return event;
}

gboolean
rig_on_poll (gpointer user)
{
    return G_SOURCE_CONTINUE;
}
