/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the process was started with. */
#include "agent/trace-ring.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_ENVIRONMENT = 4 << 20 };

char *
trace_read_whole (const char *path, size_t *ret_size)
{
    int fd = open (path, O_RDONLY | O_CLOEXEC);
    size_t room = 0, size = 0;
    char *text = NULL;

    while (fd >= 0 && size < MAX_ENVIRONMENT) {
        ssize_t n;

        if (room - size < 4096) {
            char *more = realloc (text, room = 2 * room + 8192);

            if (more == NULL) {
                break;
            }
            text = more;
        }
        n = read (fd, text + size, room - size - 1);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            break;
        }
        size += (size_t) n;
    }
    if (fd >= 0) {
        close (fd);
    }
    if (text != NULL) {
        text[size] = '\0';
    }
    *ret_size = size;
    return text;
}

static int
copy_setting (const char *text, char *value, size_t size)
{
    if (strlen (text) >= size) {
        return 0;
    }
    memcpy (value, text, strlen (text) + 1);
    return 1;
}

/* The kernel's copy, which is what the process was started with, is read once: twenty settings are looked for before a
 * program begins. Who reads it at the same time gets the same. */
static const char *
get_first_environment (size_t *ret_size)
{
    static char *first;
    static size_t first_size;
    char *known = __atomic_load_n (&first, __ATOMIC_ACQUIRE), *text;

    if (known == NULL) {
        text = trace_read_whole ("/proc/self/environ", ret_size);
        __atomic_store_n (&first_size, *ret_size, __ATOMIC_RELAXED);
        if (__atomic_compare_exchange_n (&first, &known, text, 0, __ATOMIC_ACQ_REL,
                                         __ATOMIC_ACQUIRE)) {
            return text;
        }
        free (text);
    }
    *ret_size = __atomic_load_n (&first_size, __ATOMIC_RELAXED);
    return known;
}

int
trace_find_setting (const char *name, char *value, size_t size)
{
    const char *now = getenv (name), *all;
    size_t length = strlen (name), n = 0;

    if (now != NULL) {
        return copy_setting (now, value, size);
    }
    all = get_first_environment (&n);
    for (size_t at = 0; all != NULL && at < n; at += strlen (all + at) + 1) {
        if (strncmp (all + at, name, length) == 0 && all[at + length] == '=') {
            return copy_setting (all + at + length + 1, value, size);
        }
    }
    return 0;
}

uint32_t
trace_find_number (const char *const *names)
{
    char text[32], *end;

    for (size_t i = 0; names[i] != NULL; i++) {
        if (trace_find_setting (names[i], text, sizeof text)) {
            unsigned long number = strtoul (text, &end, 10);

            if (end != text && *end == '\0' && number < PDDT_TRACE_UNKNOWN) {
                return (uint32_t) number;
            }
        }
    }
    return PDDT_TRACE_UNKNOWN;
}
