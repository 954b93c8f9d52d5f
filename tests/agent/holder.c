/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Repeatedly locks the mutexes of an interpreter for a moment until it is told to end. In C,
 * because Python itself locks them between instructions. */
#include <stddef.h>
#include <unistd.h>

#define MOMENT_US 3000

void hold (void (*lock) (void *), void (*unlock) (void *), void *const *mutexes, const volatile int *is_over);

/* The mutexes end with NULL. */
void
hold (void (*lock) (void *), void (*unlock) (void *), void *const *mutexes, const volatile int *is_over)
{
    while (!*is_over) {
        for (size_t i = 0; mutexes[i] != NULL; i++)
            lock (mutexes[i]);
        usleep (MOMENT_US);
        for (size_t i = 0; mutexes[i] != NULL; i++)
            unlock (mutexes[i]);
        usleep (MOMENT_US);
    }
}
