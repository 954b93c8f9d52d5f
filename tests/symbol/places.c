/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables that lie in another file, in another thread, in a register. */
#include <pthread.h>
#include <stddef.h>

extern void library_probe (void);
int main_global = 77;
__thread int main_own = 4;
struct point { int x, y; } points[2] = { { 1, 2 }, { 3, 4 } };
double real = 1.5;
struct point *chosen = &points[1];

static void *
run (void *unused)
{
    library_probe ();
    library_probe ();
    return NULL;
}

int
main (void)
{
    pthread_t thread;
    pthread_create (&thread, NULL, run, NULL);
    pthread_join (thread, NULL);
    main_own++;
    library_probe ();
    return points[0].y == 20 && real == 2.25 && chosen->x == 30 ? 0 : 1;
}
