/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A launcher's untrusted process table: this program is also the launcher, and reads the memory
 * of its child after damaging the table. `fuzz-launcher [ROUNDS]`. */
#include "launch/hand-over.h"
#include "launch/targets-private.h"
#include "mutate.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 8

typedef struct {
    char *host, *executable;
    int pid;
} ProcDesc; /* MPIR_PROCDESC */

extern ProcDesc *MPIR_proctable;
extern int MPIR_proctable_size;
ProcDesc *MPIR_proctable;
int MPIR_proctable_size;

typedef struct {
    ProcDesc entries[N];
    char names[N][16];
    ProcDesc *table;
    int size;
} Image;

static Image image;

static void
fill (void)
{
    for (int i = 0; i < N; i++) {
        snprintf (image.names[i], sizeof image.names[i], "node%d", i / 2);
        image.entries[i] = (ProcDesc){ image.names[i], image.names[i], 1000 + i };
    }
    image.table = image.entries;
    image.size = N;
}

static void
poke (pid_t pid, gpointer address, gconstpointer data, gsize size)
{
    struct iovec local = { (gpointer) data, size }, remote = { address, size };
    g_assert_cmpint (process_vm_writev (pid, &local, 1, &remote, 1, 0), ==, (gssize) size);
}

/* TRUE when ranks were found. */
static gboolean
look (pid_t pid, guint *ret_n)
{
    g_autoptr (GPtrArray) targets = launch_targets_new ();
    g_autoptr (GHashTable) others = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                           (GDestroyNotify) g_ptr_array_unref);
    g_autoptr (GError) error = NULL;
    gboolean is_read = launch_proctable_read (pid, targets, others, &error);
    GHashTableIter iter;
    gpointer list;
    g_assert_true (is_read == (error == NULL));
    *ret_n = targets->len;
    g_hash_table_iter_init (&iter, others);
    while (g_hash_table_iter_next (&iter, NULL, &list)) {
        *ret_n += ((GPtrArray *) list)->len;
    }
    return is_read;
}

int
main (int argc, char **argv)
{
    guint rounds = argc > 1 ? (guint) strtoul (argv[1], NULL, 10) : 10000, n, n_found = 0;
    g_autoptr (GRand) random = mutate_new_random ();
    MPIR_proctable = image.entries;
    MPIR_proctable_size = N;
    fill ();
    pid_t pid = fork ();
    if (pid == 0) {
        prctl (PR_SET_PDEATHSIG, SIGKILL);
        pause ();
        _exit (0);
    }
    g_assert_true (look (pid, &n));
    g_assert_cmpuint (n, ==, N);
    for (guint round = 0; round < rounds; round++) {
        g_autoptr (GByteArray) bytes = mutate_bytes (random, (const guint8 *) &image,
                                                     sizeof image, (const guint8 *) &image,
                                                     sizeof image);
        g_byte_array_set_size (bytes, sizeof image);
        const Image *damaged = (const Image *) (gconstpointer) bytes->data;
        poke (pid, &image, bytes->data, sizeof image);
        poke (pid, &MPIR_proctable, &damaged->table, sizeof damaged->table);
        poke (pid, &MPIR_proctable_size, &damaged->size, sizeof damaged->size);
        n_found += look (pid, &n);
        g_assert_cmpuint (n, <=, 1u << 20);
    }
    kill (pid, SIGKILL);
    waitpid (pid, NULL, 0);
    printf ("# launcher's table: %u damaged, ranks found in %u of them\n", rounds, n_found);
    return 0;
}
