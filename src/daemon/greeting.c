/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/greeting.h"
#include "base/array.h"
#include <glib-unix.h>
#include <unistd.h>

/* Nobody waits for a guest, so it has the time that a machine may stand still between its two words. */
#define PATIENCE_MS 60000

struct _DaemonGreetings {
    DaemonGreeted on_greeted;
    gpointer user;
    GPtrArray *guests;
};

typedef struct {
    DaemonGreetings *greetings;
    int fd, input_fd;
    pid_t pid;
    guint source, timeout;
    gboolean has_hello;
    LaunchHello hello;
    GByteArray *targets; /* as far as they have come */
} Guest;

static void
free_guest (gpointer data)
{
    Guest *guest = data;

    g_clear_handle_id (&guest->source, g_source_remove);
    g_clear_handle_id (&guest->timeout, g_source_remove);
    if (guest->fd >= 0) {
        close (guest->fd);
    }
    if (guest->input_fd >= 0) {
        close (guest->input_fd);
    }
    g_byte_array_unref (guest->targets);
    g_free (guest);
}

static gboolean
on_silent (gpointer user)
{
    Guest *guest = user;

    g_message ("cannot read the greeting of process %d: it says nothing", (int) guest->pid);
    guest->timeout = 0;
    g_ptr_array_remove (guest->greetings->guests, guest);
    return G_SOURCE_REMOVE;
}

/* TRUE: it has said all, or what nobody understands. */
static gboolean
listen_to (Guest *guest, GPtrArray **ret_targets, GError **error)
{
    if (!guest->has_hello) {
        guest->has_hello = launch_hand_over_read_hello (guest->fd, &guest->hello,
                                                        &guest->input_fd, error);
        return !guest->has_hello || guest->hello.n_targets == 0;
    }
    return launch_hand_over_read_targets (guest->fd, guest->hello.n_targets, guest->targets,
                                          ret_targets, error);
}

static gboolean
on_word (int fd, GIOCondition condition, gpointer user)
{
    Guest *guest = user;
    DaemonGreetings *greetings = guest->greetings;
    g_autoptr (GPtrArray) targets = NULL;
    g_autoptr (GError) error = NULL;
    LaunchHello hello;
    int input_fd;
    pid_t pid;

    if (!listen_to (guest, &targets, &error)) {
        return G_SOURCE_CONTINUE;
    }
    guest->source = 0;
    if (error != NULL) {
        g_message ("%s", error->message);
        launch_hand_over_answer (guest->fd, error->message);
        guest->fd = -1;
        g_ptr_array_remove (greetings->guests, guest);
        return G_SOURCE_REMOVE;
    }
    hello = guest->hello;
    pid = guest->pid;
    input_fd = guest->input_fd;
    guest->fd = guest->input_fd = -1;
    g_ptr_array_remove (greetings->guests, guest);
    greetings->on_greeted (fd, pid, &hello, input_fd, targets, greetings->user);
    return G_SOURCE_REMOVE;
}

void
daemon_greetings_accept (DaemonGreetings *greetings, int listen_fd)
{
    g_autoptr (GError) error = NULL;
    pid_t pid;
    int fd = launch_hand_over_accept (listen_fd, &pid, &error);
    Guest *guest;

    if (fd < 0) {
        g_message ("%s", error->message);
        return;
    }
    guest = g_new0 (Guest, 1);
    *guest = (Guest){ .greetings = greetings,
                      .fd = fd,
                      .input_fd = -1,
                      .pid = pid,
                      .targets = g_byte_array_new () };
    guest->source = g_unix_fd_add (fd, G_IO_IN | G_IO_HUP, on_word, guest);
    guest->timeout = g_timeout_add (PATIENCE_MS, on_silent, guest);
    g_ptr_array_add (greetings->guests, guest);
}

DaemonGreetings *
daemon_greetings_new (DaemonGreeted on_greeted, gpointer user)
{
    DaemonGreetings *greetings = g_new (DaemonGreetings, 1);

    *greetings = (DaemonGreetings){ on_greeted, user,
                                    g_ptr_array_new_with_free_func (free_guest) };
    return greetings;
}

BASE_FREE_PUBLIC (daemon_greetings_free, DaemonGreetings, greetings,
                  g_ptr_array_unref (greetings->guests))
