/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drives a fuzz target without a fuzzer: each file of the command line as it is, cut, and with
 * bytes changed in a fixed order of random numbers. `target ROUNDS FILE…`; without files, noise. */
#include <glib.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

static void
run_rounds (const guint8 *content, gsize size, guint rounds)
{
    g_autoptr (GRand) random = g_rand_new_with_seed (size);
    if (content)
        LLVMFuzzerTestOneInput (content, size);
    for (guint round = 0; round < rounds; round++) {
        g_autofree guint8 *bytes = g_malloc (size + 1);
        for (gsize i = 0; i < size; i++)
            bytes[i] = content ? content[i] : (guint8) g_rand_int (random);
        for (guint n = 0; size && n < 1 + round % 16; n++)
            bytes[g_rand_int_range (random, 0, size)] = round % 3 ? (guint8) g_rand_int (random)
                                                                  : 0xff;
        LLVMFuzzerTestOneInput (bytes, round % 10 == 9
                                           ? (gsize) g_rand_int_range (random, 0, size + 1)
                                           : size);
    }
}

int
main (int argc, char **argv)
{
    guint rounds = argc > 1 ? strtoul (argv[1], NULL, 10) : 100;
    for (int i = 2; i < argc; i++) {
        g_autofree char *content = NULL;
        gsize size;
        if (!g_file_get_contents (argv[i], &content, &size, NULL))
            return 1;
        run_rounds ((const guint8 *) content, size, rounds);
    }
    for (gsize size = 0; argc <= 2 && size < 300; size += 7)
        run_rounds (NULL, size, rounds);
    return 0;
}
