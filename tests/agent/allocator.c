/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A foreign allocator whose functions have other names than malloc. It waits for standard input
 * when a program requests 4711 bytes. */
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
