/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where vector registers stand: by this processor, by a core file's note, and by the state's own size. */
#include "machine/vectors.h"
#include <glib.h>
#include <string.h>

#define AVX512_PARTS G_GUINT64_CONSTANT (0xe7)

static void
expect (MachineVectors vectors, guint32 ymm_upper, guint32 masks, guint32 zmm_upper,
        guint32 zmm_more)
{
    g_assert_cmpuint (vectors.ymm_upper, ==, ymm_upper);
    g_assert_cmpuint (vectors.masks, ==, masks);
    g_assert_cmpuint (vectors.zmm_upper, ==, zmm_upper);
    g_assert_cmpuint (vectors.zmm_more, ==, zmm_more);
}

static MachineVectors
guess (guint64 parts, gsize size)
{
    g_autofree guint8 *state = g_malloc0 (size);

    if (size >= 472) {
        memcpy (state + 464, &parts, sizeof parts);
    }
    return machine_vectors_guess (state, size);
}

static void
test_guess (void)
{
    expect (guess (AVX512_PARTS, 2688), 576, 1088, 1152, 1664);
    expect (guess (AVX512_PARTS | 0x200, 2696), 576, 1088, 1152, 1664);
    expect (guess (AVX512_PARTS | 0x60200, 11008), 576, 1088, 1152, 1664);
    expect (guess (AVX512_PARTS, 2432), 576, 832, 896, 1408);
    expect (guess (AVX512_PARTS | 0x200, 2440), 576, 832, 896, 1408);
    expect (guess (AVX512_PARTS, 2500), 576, 0, 0, 0); /* of nobody who is known */
    expect (guess (7, 832), 576, 0, 0, 0);
    expect (guess (3, 576), 0, 0, 0, 0);
    expect (guess (0, 100), 0, 0, 0, 0);
}

static void
test_note (void)
{
    static const guint32 rows[][4] = { { 2, 0, 576, 256 },
                                       { 5, 0, 832, 64 },
                                       { 6, 0, 896, 512 },
                                       { 7, 0, 1408, 1024 },
                                       { 9, 0, 2432, 8 } };

    expect (machine_vectors_read ((const guint8 *) rows, sizeof rows), 576, 832, 896, 1408);
    expect (machine_vectors_read ((const guint8 *) rows, sizeof rows[0] + 15), 576, 0, 0,
            0); /* cut off */
    expect (machine_vectors_read (NULL, 0), 0, 0, 0, 0);
}

/* Two halves of a vector, the stack of floats from its top, and control words; nothing beyond the state. */
static void
test_registers (void)
{
    static const MachineVectors vectors = { .ymm_upper = 576 };
    guint8 state[832] = { 0 }, value[16], found[16];
    guint64 word;

    memset (value, 7, sizeof value);
    memset (state + 576, 1, 256); /* left by somebody, and not in use */
    for (guint number = 0; number < 300; number++) {
        gboolean is_vector = number >= 17 && number <= 32;

        g_assert_cmpint (machine_vectors_get (&vectors, state, 832, number, TRUE, found), ==,
                         is_vector);
        g_assert_cmpint (machine_vectors_get (&vectors, state, 512, number, FALSE, found), ==,
                         is_vector || (number >= 33 && number <= 40));
        g_assert_false (machine_vectors_get (&vectors, state, 831, number, TRUE, found));
        g_assert_false (machine_vectors_get (&vectors, state, 511, number, FALSE, found));
    }
    g_assert_true (machine_vectors_get (&vectors, state, 832, 20, TRUE, found));
    g_assert_cmpint (found[0] + found[15], ==, 0);
    g_assert_true (machine_vectors_set (&vectors, state, 832, 32, TRUE, value));
    g_assert_true (machine_vectors_get (&vectors, state, 832, 32, TRUE, found));
    g_assert_cmpmem (found, 16, value, 16);
    g_assert_true (machine_vectors_get (&vectors, state, 832, 20, TRUE, found));
    g_assert_cmpint (found[0] + found[15] + state[576], ==, 0);
    g_assert_cmphex (state[512], ==, 4);
    g_assert_true (machine_vectors_set (&vectors, state, 832, 18, FALSE, value));
    g_assert_cmpmem (state + 176, 16, value, 16);
    g_assert_cmphex (state[512], ==, 6);
    state[3] = 5 << 3; /* the top is the sixth */
    g_assert_true (machine_vectors_set (&vectors, state, 832, 36, FALSE, value));
    g_assert_cmpmem (state + 80, 16, value, 16);
    g_assert_cmphex (state[4], ==, 1 << 0); /* (5 + 3) mod 8 */
    g_assert_cmphex (state[512], ==, 7);
    g_assert_true (machine_vectors_set_control (state, 832, 64, 0x11f80));
    g_assert_true (machine_vectors_get_control (state, 832, 64, &word));
    g_assert_cmphex (word, ==, 0x11f80);
    g_assert_true (machine_vectors_get_control (state, 832, 66, &word));
    g_assert_cmphex (word, ==, 5 << 11);
    g_assert_false (machine_vectors_set_control (state, 832, 66, 0));
    g_assert_false (machine_vectors_get_control (NULL, 0, 64, &word));
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/machine/vectors/guess", test_guess);
    g_test_add_func ("/machine/vectors/note", test_note);
    g_test_add_func ("/machine/vectors/registers", test_registers);
    return g_test_run ();
}
