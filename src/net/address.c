/* SPDX-License-Identifier: GPL-3.0-or-later */
/* This host's addresses, and connecting to another host's. */
#include "net/address-private.h"
#include "base/array.h"
#include "base/channel.h"
#include "base/error.h"
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MAX_ENDPOINTS 16
#define LOCAL "ipc://"

static gboolean
is_facing (const struct ifaddrs *item)
{
    static const char *const inward[] = { "docker", "br-", "virbr", "veth",
                                          "cni",    "lxc", "podman" };
    const unsigned wanted = IFF_UP | IFF_RUNNING;
    if (!item->ifa_addr || (item->ifa_flags & wanted) != wanted
        || (item->ifa_flags & IFF_LOOPBACK) != 0) {
        return FALSE;
    }
    if (BASE_ANY (i, G_N_ELEMENTS (inward), g_str_has_prefix (item->ifa_name, inward[i]))) {
        return FALSE;
    }
    if (item->ifa_addr->sa_family == AF_INET6) {
        const struct sockaddr_in6 *address = (const struct sockaddr_in6 *) item->ifa_addr;
        return !IN6_IS_ADDR_LINKLOCAL (&address->sin6_addr);
    }
    return item->ifa_addr->sa_family == AF_INET;
}

GPtrArray *
net_address_list_facing (void)
{
    GPtrArray *found = g_ptr_array_new_with_free_func (g_free);
    struct ifaddrs *all = NULL;
    char text[NI_MAXHOST];
    if (getifaddrs (&all) < 0) {
        return found;
    }
    for (const struct ifaddrs *item = all; item && found->len < MAX_ENDPOINTS;
         item = item->ifa_next) {
        if (!is_facing (item)) {
            continue;
        }
        gboolean is_six = item->ifa_addr->sa_family == AF_INET6;
        socklen_t size = is_six ? sizeof (struct sockaddr_in6) : sizeof (struct sockaddr_in);
        if (getnameinfo (item->ifa_addr, size, text, sizeof text, NULL, 0, NI_NUMERICHOST)
            == 0) {
            g_ptr_array_add (found,
                             g_strdup_printf (is_six ? "tcp://[%s]:*" : "tcp://%s:*", text));
        }
    }
    freeifaddrs (all);
    return found;
}

/* endpoint: "tcp://ADDRESS:PORT", ADDRESS perhaps in []. NULL, or freeaddrinfo's. */
static struct addrinfo *
parse_endpoint (const char *endpoint)
{
    const char *colon = strrchr (endpoint, ':');
    if (!g_str_has_prefix (endpoint, "tcp://") || colon < endpoint + 7) {
        return NULL;
    }
    const char *start = endpoint + 6, *end = colon;
    if (*start == '[' && end[-1] == ']') {
        start++;
        end--;
    }
    g_autofree char *address = g_strndup (start, (gsize) (end - start));
    struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                              .ai_socktype = SOCK_STREAM };
    struct addrinfo *info = NULL;
    return getaddrinfo (address, colon + 1, &hints, &info) == 0 ? info : NULL;
}

/* FALSE: it is no UNIX socket's. */
static gboolean
parse_local (const char *endpoint, struct sockaddr_un *address, socklen_t *size)
{
    const char *path = endpoint + strlen (LOCAL);
    gsize length = strlen (endpoint) - strlen (LOCAL);
    if (!g_str_has_prefix (endpoint, LOCAL) || length == 0
        || length >= sizeof address->sun_path) {
        return FALSE;
    }
    *address = (struct sockaddr_un){ .sun_family = AF_UNIX };
    memcpy (address->sun_path, path, length);
    if (*path == '@') {
        address->sun_path[0] = '\0';
    }
    *size = (socklen_t) (offsetof (struct sockaddr_un, sun_path) + length
                         + (*path == '@' ? 0 : 1));
    return TRUE;
}

char *
net_address_format_local (const char *folder, const char *name)
{
    g_autofree char *path = folder ? g_build_filename (folder, "link", NULL) : NULL;
    return path && strlen (path) < sizeof ((struct sockaddr_un *) NULL)->sun_path
               ? g_strconcat (LOCAL, path, NULL)
               : g_strdup_printf (LOCAL "@pddt-%u-%s", (guint) geteuid (), name);
}

gboolean
net_address_is_endpoint (const char *endpoint)
{
    struct sockaddr_un local;
    socklen_t size;
    if (parse_local (endpoint, &local, &size)) {
        return TRUE;
    }
    struct addrinfo *info = parse_endpoint (endpoint);
    gboolean is_one = info != NULL;
    g_clear_pointer (&info, freeaddrinfo);
    return is_one;
}

/* Any user could own an abstract socket. */
static int
connect_local (const struct sockaddr_un *address, socklen_t size)
{
    int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0
        && (connect (fd, (const struct sockaddr *) address, size) < 0
            || !base_channel_is_own (fd))) {
        close (fd);
        fd = -1;
    }
    return fd;
}

int
net_address_connect (const char *endpoint)
{
    struct sockaddr_un local;
    socklen_t size;
    if (parse_local (endpoint, &local, &size)) {
        return connect_local (&local, size);
    }
    struct addrinfo *info = parse_endpoint (endpoint);
    if (!info) {
        return -1;
    }
    int fd = socket (info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && connect (fd, info->ai_addr, info->ai_addrlen) < 0 && errno != EINPROGRESS) {
        close (fd);
        fd = -1;
    }
    freeaddrinfo (info);
    return fd;
}

/* Index of the first established connection; -1: none in time. */
static int
wait_for_one (struct pollfd *polls, guint n, int limit_ms)
{
    gint64 end = g_get_monotonic_time () + (gint64) limit_ms * 1000;
    for (guint n_open = n; n_open > 0;) {
        gint64 left_ms = (end - g_get_monotonic_time ()) / 1000;
        if (left_ms <= 0 || (poll (polls, n, (int) left_ms) < 0 && errno != EINTR)) {
            return -1;
        }
        n_open = 0;
        for (guint i = 0; i < n; i++) {
            int reason = 0;
            socklen_t size = sizeof reason;
            if (polls[i].fd >= 0 && polls[i].revents != 0) {
                getsockopt (polls[i].fd, SOL_SOCKET, SO_ERROR, &reason, &size);
                if (reason == 0 && (polls[i].revents & POLLOUT) != 0) {
                    return (int) i;
                }
                close (polls[i].fd);
                polls[i].fd = -1;
            }
            n_open += polls[i].fd >= 0;
        }
    }
    return -1;
}

static char *
try_all (char **endpoints, int limit_ms)
{
    struct pollfd polls[MAX_ENDPOINTS];
    guint n = 0;
    for (; n < MAX_ENDPOINTS && endpoints[n]; n++) {
        polls[n] = (struct pollfd){ net_address_connect (endpoints[n]), POLLOUT, 0 };
    }
    int found = wait_for_one (polls, n, limit_ms);
    for (guint i = 0; i < n; i++) {
        if (polls[i].fd >= 0) {
            close (polls[i].fd);
        }
    }
    return found >= 0 ? g_strdup (endpoints[found]) : NULL;
}

/* FALSE: its folder is not accessible. A container may have the host's name but not its
 * files. */
static gboolean
is_here (const char *endpoint)
{
    const char *path = endpoint + strlen (LOCAL);
    return !g_str_has_prefix (endpoint, LOCAL) || *path == '@' || access (path, W_OK) == 0;
}

char *
net_address_choose (const char *endpoints, const char *host, int limit_ms, GError **error)
{
    g_auto (GStrv) words = g_strsplit (endpoints, " ", -1);
    guint n = g_strv_length (words);
    if (n < 2) {
        return g_strdup (endpoints);
    }
    if (strcmp (words[0], host) == 0 && (n == 2 || is_here (words[1]))) {
        return g_strdup (words[1]);
    }
    if (n == 2) {
        base_error_set (
            error, BASE_ERROR_LOST,
            "cannot reach pddt on %s from %s: pddt accepts "
            "connections only from its own host; name the other hosts on the launcher's command "
            "line",
            words[0], host);
        return NULL;
    }
    char *found = try_all (words + 2, limit_ms);
    if (!found) {
        g_autofree char *tried = g_strjoinv (" ", words + 2);
        base_error_set (error, BASE_ERROR_LOST,
                        "cannot reach pddt on %s from %s at %s: "
                        "allow TCP connections between the two",
                        words[0], host, tried);
    }
    return found;
}

static gboolean
is_loopback (const struct sockaddr *address)
{
    if (address->sa_family == AF_INET6) {
        const struct in6_addr *six = &((const struct sockaddr_in6 *) address)->sin6_addr;
        return IN6_IS_ADDR_LOOPBACK (six)
               || (IN6_IS_ADDR_V4MAPPED (six) && six->s6_addr[12] == IN_LOOPBACKNET);
    }
    return ntohl (((const struct sockaddr_in *) address)->sin_addr.s_addr) >> 24
           == IN_LOOPBACKNET;
}

/* This host's address on the route to the other host; NULL unknown, or loopback. */
static char *
find_own_address (const char *endpoint)
{
    struct addrinfo *info = parse_endpoint (endpoint);
    struct sockaddr_storage own = { 0 };
    socklen_t size = sizeof own;
    char text[NI_MAXHOST];
    int fd = info ? socket (info->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
    gboolean found = fd >= 0 && connect (fd, info->ai_addr, info->ai_addrlen) == 0
                     && getsockname (fd, (struct sockaddr *) &own, &size) == 0
                     && !is_loopback ((struct sockaddr *) &own)
                     && getnameinfo ((struct sockaddr *) &own, size, text, sizeof text, NULL, 0,
                                     NI_NUMERICHOST)
                            == 0;
    if (fd >= 0) {
        close (fd);
    }
    if (info) {
        freeaddrinfo (info);
    }
    gboolean is_six = own.ss_family == AF_INET6;
    return found ? g_strdup_printf (is_six ? "tcp://[%s]:*" : "tcp://%s:*", text) : NULL;
}

char *
net_address_find_inner (const char *endpoints, const char *chosen)
{
    g_auto (GStrv) words = g_strsplit (endpoints, " ", -1);
    char *own = find_own_address (chosen);
    if (!own
        && g_strv_length (words) > 2) { /* beside the front end: the address where it listens */
        char *colon = strrchr (words[2], ':');
        own = colon ? g_strdup_printf ("%.*s:*", (int) (colon - words[2]), words[2]) : NULL;
    }
    return own ? own : g_strdup ("tcp://127.0.0.1:*");
}

static char *
format_own_endpoint (int fd)
{
    struct sockaddr_storage own = { 0 };
    socklen_t size = sizeof own;
    char text[NI_MAXHOST], port[NI_MAXSERV];
    if (getsockname (fd, (struct sockaddr *) &own, &size) < 0
        || getnameinfo ((struct sockaddr *) &own, size, text, sizeof text, port, sizeof port,
                        NI_NUMERICHOST | NI_NUMERICSERV)
               != 0) {
        return NULL;
    }
    return g_strdup_printf (own.ss_family == AF_INET6 ? "tcp://[%s]:%s" : "tcp://%s:%s", text,
                            port);
}

int
net_address_listen (const char *address, char **ret_endpoint)
{
    gsize length = strlen (address);
    gboolean any_port = g_str_has_suffix (address, ":*");
    g_autofree char *numeric = g_strdup_printf ("%.*s%s", (int) (length - any_port), address,
                                                any_port ? "0" : "");
    struct addrinfo *info = parse_endpoint (numeric);
    if (!info) {
        errno = EINVAL;
        return -1;
    }
    int fd = socket (info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    g_autofree char *endpoint = NULL;
    if (fd >= 0
        && (bind (fd, info->ai_addr, info->ai_addrlen) < 0 || listen (fd, SOMAXCONN) < 0
            || !(endpoint = format_own_endpoint (fd)))) {
        close (fd);
        fd = -1;
    }
    freeaddrinfo (info);
    if (fd >= 0) {
        *ret_endpoint = g_steal_pointer (&endpoint);
    }
    return fd;
}
