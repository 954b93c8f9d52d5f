/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An allocator of somebody else's, with functions that have names of their own: malloc itself is gone from the
 * stack. It waits for standard input when it is asked for 4711 bytes. */
#include <stddef.h>
#include <unistd.h>

extern void *__libc_malloc (size_t size);
void *malloc (size_t size);

static __attribute__ ((noinline)) void *
find_region (size_t size)
{
    char byte;

    if (size == 4711 && read (0, &byte, 1) < 0) {
        return NULL;
    }
    return __libc_malloc (size);
}

void *
malloc (size_t size)
{
    return find_region (size);
}
