/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts workers and limits their resources. */
#include "symbol/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/channel.h"
#include "base/confine.h"
#include "base/error.h"
#include "symbol/server.h"

#define CHANNEL 3
#define CPU_S 1200
#define AT_LEAST (G_GUINT64_CONSTANT (1) << 30)
#define MAX_OUTPUT (G_GUINT64_CONSTANT (4) << 30)

struct _SymbolWorker {
    pid_t pid;
    int fd;
};

/* Without its limits nothing is read; whoever asks is not told that the file is at fault. */
static void
refuse (int fd)
{
    g_autoptr (GError) error = NULL;
    base_error_set (&error, BASE_ERROR_DENIED,
                    "cannot read debug information: the process for it cannot be confined; is "
                    "/dev/null there for all users?");
    g_autoptr (GVariant) answer
        = g_variant_ref_sink (g_variant_new (SYMBOL_SERVER_ANSWER, FALSE,
                                             base_channel_pack_error (error)));
    base_channel_send (fcntl (fd, F_GETFD) >= 0 ? fd : CHANNEL, answer, -1);
}

static _Noreturn void
work (int fd, guint32 uid, guint32 gid, pid_t parent)
{
    guint64 memory = (guint64) MAX (sysconf (_SC_PHYS_PAGES), 0)
                     * (guint64) MAX (sysconf (_SC_PAGESIZE), 0);
    const BaseConfinement confinement = { .uid = uid,
                                          .gid = gid,
                                          .parent = parent,
                                          .may_thread = TRUE,
                                          .cpu_s = CPU_S,
                                          .memory_bytes = MAX (memory / 2, AT_LEAST),
                                          .output_bytes = CLAMP (memory / 4, AT_LEAST,
                                                                 MAX_OUTPUT) };
    if (!base_confine (&confinement, fd)) {
        refuse (fd);
        _exit (1);
    }
    SymbolServer *server = symbol_server_new ();
    for (;;) {
        int made = -1;
        g_autoptr (GVariant) question = base_channel_receive (CHANNEL, SYMBOL_SERVER_QUESTION,
                                                              -1, NULL, NULL);
        if (!question)
            _exit (0);
        g_autoptr (GVariant) answer
            = g_variant_ref_sink (symbol_server_answer (server, question, &made));
        if (!base_channel_send (CHANNEL, answer, made))
            _exit (0);
        if (made >= 0)
            close (made);
    }
}

SymbolWorker *
symbol_worker_new (guint32 uid, guint32 gid)
{
    int pair[2];
    pid_t self = getpid ();
    if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return NULL;
    pid_t pid = fork ();
    if (pid == 0)
        work (pair[1], uid, gid, self);
    close (pair[1]);
    if (pid < 0) {
        close (pair[0]);
        return NULL;
    }
    SymbolWorker *worker = g_new0 (SymbolWorker, 1);
    *worker = (SymbolWorker){ pid, pair[0] };
    return worker;
}

void
symbol_worker_free (SymbolWorker *worker)
{
    if (!worker)
        return;
    close (worker->fd);
    kill (worker->pid, SIGKILL);
    while (waitpid (worker->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    g_free (worker);
}

GVariant *
symbol_worker_ask (SymbolWorker *worker, GVariant *question, int limit_ms, int *ret_fd,
                   gboolean *ret_is_late)
{
    *ret_fd = -1;
    *ret_is_late = FALSE;
    if (!base_channel_send (worker->fd, question, -1))
        return NULL;
    return base_channel_receive (worker->fd, SYMBOL_SERVER_ANSWER, limit_ms, ret_fd,
                                 ret_is_late);
}
