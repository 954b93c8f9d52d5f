/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the fetcher in a separate process, because it needs threads and the network, which
 * pddt-symbols, which forks its readers, and the readers themselves must not have. */
#include "symbol/fetch.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/channel.h"

#define QUESTION                                                                               \
    "(ayayu)" /* build-id ("": nothing is looked for), path, arrivals from that one on */
#define ANSWER                                                                                 \
    "(bayaay)" /* busy, where the debug file is (""), files whose debug information has come */
#define LIMIT_MS 5000

struct _SymbolFetchHelper {
    pid_t pid;
    int fd;
};

static _Noreturn void
serve (int fd, pid_t parent)
{
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    if (getppid () != parent)
        _exit (0);
    SymbolFetcher *fetcher = symbol_fetcher_new ();
    for (;;) {
        const char *build_id, *path;
        guint32 from;
        g_autoptr (GVariant) question = base_channel_receive (fd, QUESTION, -1, NULL, NULL);
        if (!question)
            _exit (0);
        g_variant_get (question, "(^&ay^&ayu)", &build_id, &path, &from);
        g_autofree char *place = *build_id ? symbol_fetcher_find (fetcher, build_id, path)
                                           : NULL;
        g_auto (GStrv) paths = symbol_fetcher_list (fetcher, from);
        g_autoptr (GVariant) answer
            = g_variant_ref_sink (g_variant_new ("(b^ay^aay)", symbol_fetcher_is_busy (fetcher),
                                                 place ? place : "", paths));
        if (!base_channel_send (fd, answer, -1))
            _exit (0);
    }
}

SymbolFetchHelper *
symbol_fetch_helper_new (void)
{
    const char *servers = g_getenv ("DEBUGINFOD_URLS");
    int pair[2];
    pid_t self = getpid ();
    if (!servers || !*servers || socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return NULL;
    pid_t pid = fork ();
    if (pid == 0) {
        close (pair[0]);
        serve (pair[1], self);
    }
    close (pair[1]);
    if (pid < 0) {
        close (pair[0]);
        return NULL;
    }
    SymbolFetchHelper *helper = g_new0 (SymbolFetchHelper, 1);
    *helper = (SymbolFetchHelper){ pid, pair[0] };
    return helper;
}

void
symbol_fetch_helper_free (SymbolFetchHelper *helper)
{
    if (!helper)
        return;
    close (helper->fd);
    kill (helper->pid, SIGKILL);
    while (waitpid (helper->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    g_free (helper);
}

/* NULL: it is not there, or does not answer. */
static GVariant *
ask (SymbolFetchHelper *helper, const char *build_id, const char *path, guint from)
{
    if (!helper || helper->fd < 0)
        return NULL;
    g_autoptr (GVariant) question = g_variant_ref_sink (g_variant_new ("(^ay^ayu)", build_id,
                                                                       path, from));
    GVariant *answer = base_channel_send (helper->fd, question, -1)
                           ? base_channel_receive (helper->fd, ANSWER, LIMIT_MS, NULL, NULL)
                           : NULL;
    if (!answer) {
        close (helper->fd);
        helper->fd = -1;
    }
    return answer;
}

char *
symbol_fetch_helper_find (SymbolFetchHelper *helper, const char *build_id, const char *elf_path)
{
    g_autoptr (GVariant) answer = ask (helper, build_id, elf_path, G_MAXUINT32);
    const char *place = "";
    if (answer)
        g_variant_get_child (answer, 1, "^&ay", &place);
    return *place ? g_strdup (place) : NULL;
}

gboolean
symbol_fetch_helper_is_busy (SymbolFetchHelper *helper)
{
    g_autoptr (GVariant) answer = ask (helper, "", "", G_MAXUINT32);
    gboolean is_busy = FALSE;
    if (answer)
        g_variant_get_child (answer, 0, "b", &is_busy);
    return is_busy;
}

char **
symbol_fetch_helper_list (SymbolFetchHelper *helper, guint from)
{
    g_autoptr (GVariant) answer = ask (helper, "", "", from);
    char **paths = NULL;
    if (answer)
        g_variant_get_child (answer, 2, "^aay", &paths);
    return paths ? paths : g_new0 (char *, 1);
}
