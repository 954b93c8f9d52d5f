/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who connects to the server's socket: a front end that begins, one that was here before, one that wants to take over
 * what lives here, or another server that asks what that is. */
#include "session/backend/served-server-private.h"
#include <unistd.h>

enum { MAX_CALLERS = 16, SAYING_S = 60, ASKED_S = 600 };

typedef struct {
    SessionServer *server;
    SessionLink *link; /* without a socket: it may go */
    GVariant
        *hello; /* while its user is asked whether the session is taken from who has it; NULL */
    gboolean is_forced, only_asks;
} Caller;

BASE_FREE (free_caller, Caller, caller, session_link_free (caller->link);
           g_clear_pointer (&caller->hello, g_variant_unref))

/* Where another front end has what it wants, its user is asked. FALSE: the caller is sent away. */
static gboolean
take_hello (Caller *caller, GVariant *hello)
{
    GVariant *held = caller->is_forced || caller->hello != NULL
                         ? NULL
                         : session_served_find_held (caller->server, hello);

    if (held == NULL) {
        return session_served_greet (caller->server, caller->link, hello, caller->is_forced);
    }
    caller->hello = g_variant_ref (hello);
    session_link_send (caller->link, SESSION_FRAME_LIVING,
                       g_variant_new ("(@a(sbsxsu))", g_variant_new_array (NULL, &held, 1)));
    return TRUE;
}

/* id "": what lives here is not wanted. */
static gboolean
take_choice (Caller *caller, const char *id)
{
    g_autoptr (GVariant) hello = g_steal_pointer (&caller->hello);

    if (hello == NULL) {
        return TRUE;
    }
    if (*id != '\0') {
        return session_served_greet (caller->server, caller->link, hello, caller->is_forced);
    }
    session_served_refuse_held (caller->server, caller->link);
    return FALSE;
}

static gboolean
on_frame (SessionFrameKind kind, GVariant *body, gpointer user)
{
    Caller *caller = user;
    GVariant *description;
    const char *id;

    switch (kind) {
    case SESSION_FRAME_DESCRIBE:
        caller->only_asks = TRUE;
        description = session_served_describe (caller->server);
        if (description != NULL) {
            session_link_send (caller->link, SESSION_FRAME_DESCRIPTION, description);
        }
        return description != NULL;
    case SESSION_FRAME_CHOOSE:
        g_variant_get (body, "(&sb)", &id, &caller->is_forced);
        return take_choice (caller, id);
    case SESSION_FRAME_HELLO: return take_hello (caller, body);
    default: return FALSE;
    }
}

/* It has no socket now, by which it is found. A server of --remote is there for who has begun it. */
static void
on_closed (const char *why, gpointer user)
{
    const Caller *caller = user;

    g_debug ("%s", why);
    if (!caller->only_asks && !caller->server->is_greeted && caller->server->job == NULL) {
        session_served_die_in (caller->server, 1);
    }
}

void
session_served_open_door (SessionServer *server)
{
    server->callers = g_ptr_array_new_with_free_func (free_caller);
}

void
session_served_close_door (SessionServer *server)
{
    g_ptr_array_unref (server->callers);
}

void
session_served_look_at_door (SessionServer *server, gint64 now_us)
{
    for (guint i = server->callers->len; i-- > 0;) {
        const Caller *caller = server->callers->pdata[i];
        gint64 limit_s = caller->hello != NULL ? ASKED_S : SAYING_S;

        if (!session_link_is_open (caller->link)
            || now_us - session_link_get_heard_us (caller->link) > limit_s * G_USEC_PER_SEC) {
            g_ptr_array_remove_index (server->callers, i);
        }
    }
}

void
session_served_let_in (SessionServer *server, int fd)
{
    static const SessionLinkHandler handler = { .frame = on_frame, .closed = on_closed };
    Caller *caller;

    session_served_look_at_door (server, g_get_monotonic_time ());
    if (server->callers->len >= MAX_CALLERS) {
        close (fd);
        return;
    }
    caller = g_new0 (Caller, 1);
    caller->server = server;
    caller->link = session_link_new (&handler, caller);
    session_link_open (caller->link, fd, FALSE);
    g_ptr_array_add (server->callers, caller);
}
