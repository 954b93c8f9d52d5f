/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/patience.h"

#define PARTS 8u /* of a time; however long one takes, it is one */

typedef struct {
    guint left;
    GSourceFunc function;
    gpointer user;
    GDestroyNotify destroy;
} Patience;

static void
free_patience (gpointer data)
{
    Patience *patience = data;

    if (patience->destroy != NULL) {
        patience->destroy (patience->user);
    }
    g_free (patience);
}

static gboolean
on_part (gpointer data)
{
    Patience *patience = data;

    if (--patience->left > 0) {
        return G_SOURCE_CONTINUE;
    }
    patience->left = PARTS;
    return patience->function (patience->user);
}

guint
base_patience_add (guint ms, GSourceFunc function, gpointer user, GDestroyNotify destroy)
{
    Patience *patience = g_new (Patience, 1);

    *patience = (Patience){ PARTS, function, user, destroy };
    return g_timeout_add_full (G_PRIORITY_DEFAULT, ms / PARTS + 1, on_part, patience,
                               free_patience);
}

gint
base_patience_poll (GPollFD *fds, guint n, gint ms)
{
    gint found = 0;

    for (guint i = 0; i < PARTS && found == 0; i++) {
        found = g_poll (fds, n, ms / (gint) PARTS + 1);
    }
    return found;
}

/* proc(5), schedstat: ns with a processor, ns in the queue for one. FALSE: not known. */
static gboolean
read_schedule (pid_t whom, guint64 *ret_ran_ns, guint64 *ret_queued_ns)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/schedstat", (int) whom);
    g_autofree char *text = NULL;
    char *end = NULL;

    if (!g_file_get_contents (path, &text, NULL, NULL)) {
        return FALSE;
    }
    *ret_ran_ns = g_ascii_strtoull (text, &end, 10);
    *ret_queued_ns = g_ascii_strtoull (end, NULL, 10);
    return TRUE;
}

gint64
base_patience_get_queued_us (pid_t whom)
{
    guint64 ran, queued;

    return read_schedule (whom, &ran, &queued) ? (gint64) (queued / 1000) : 0;
}

gint64
base_patience_get_ran_us (pid_t whom)
{
    guint64 ran, queued;

    return read_schedule (whom, &ran, &queued) ? (gint64) (ran / 1000) : -1;
}
