/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Standard input of ranks that pddt feeds. What does not fit into the pipe is queued here until
 * the rank has read. */
#include "engine/control/private.h"
#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <unistd.h>

#define MAX_WAITING (16u << 20) /* bytes of a rank */

struct _EngineInput {
    int fd;
    GByteArray *waiting;
    guint source;  /* for room in the pipe; 0 */
    gboolean ends; /* when all is written */
};

EngineInput *
engine_input_new (int fd)
{
    EngineInput *input = g_new0 (EngineInput, 1);

    fcntl (fd, F_SETFL, fcntl (fd, F_GETFL) | O_NONBLOCK);
    input->fd = fd;
    input->waiting = g_byte_array_new ();
    return input;
}

static void
end (EngineInput *input)
{
    g_clear_handle_id (&input->source, g_source_remove);
    g_byte_array_set_size (input->waiting, 0);
    if (input->fd >= 0) {
        close (input->fd);
        input->fd = -1;
    }
}

BASE_FREE_PUBLIC (engine_input_free, EngineInput, input, end (input);
                  g_byte_array_unref (input->waiting))

static gboolean on_room (int fd, GIOCondition condition, gpointer user);

/* As much as there is room for. FALSE: nobody reads it any more. */
static gboolean
flush (EngineInput *input)
{
    while (input->waiting->len > 0) {
        ssize_t size = write (input->fd, input->waiting->data, input->waiting->len);

        if (size < 0 && errno == EINTR) {
            continue;
        } else if (size < 0 && errno != EAGAIN) {
            end (input);
            return FALSE;
        } else if (size <= 0) {
            break;
        }
        g_byte_array_remove_range (input->waiting, 0, (guint) size);
    }
    if (input->waiting->len == 0 && input->ends) {
        end (input);
    } else if (input->waiting->len > 0 && input->source == 0) {
        input->source = g_unix_fd_add (input->fd, G_IO_OUT | G_IO_ERR | G_IO_HUP, on_room,
                                       input);
    }
    return TRUE;
}

static gboolean
on_room (int fd, GIOCondition condition, gpointer user)
{
    EngineInput *input = user;

    input->source = 0;
    flush (input);
    return G_SOURCE_REMOVE;
}

static gboolean
feed (EngineProcess *process, const JobRequest *request, GError **error)
{
    EngineInput *input = process->input;
    gsize size = request->text != NULL ? strlen (request->text) : 0;

    if (process->ended) {
        base_error_set (error, BASE_ERROR_GONE, "cannot send input: the rank has ended");
    } else if (input == NULL) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "cannot send input: the rank's input is its launcher's (see --input)");
    } else if (input->fd < 0 || input->ends) {
        base_error_set (error, BASE_ERROR_GONE,
                        "cannot send input: the rank's standard input is closed");
    } else if (size > MAX_WAITING - input->waiting->len) {
        base_error_set (error, BASE_ERROR_BUSY,
                        "cannot send input: the rank does not read its input");
    } else {
        g_byte_array_append (input->waiting, (const guint8 *) request->text, (guint) size);
        input->ends = (request->flags & JOB_REQUEST_EOF) != 0;
        if (flush (input)) {
            return TRUE;
        }
        base_error_set (error, BASE_ERROR_GONE,
                        "cannot send input: the rank has closed its standard input");
    }
    return FALSE;
}

void
engine_input_handle (Engine *engine, const JobRequest *request)
{
    JOB_EACH_RANK (request->ranks, slot) {
        EngineProcess *process = engine_find_process (engine, slot);
        g_autoptr (GError) error = NULL;

        if (process == NULL) {
            continue;
        }
        if (feed (process, request, &error)) {
            engine_emit_accepted (process, request->id);
        } else {
            engine_emit_failure (process, request->id, error);
        }
    }
}
