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

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/machine/vectors/guess", test_guess);
    g_test_add_func ("/machine/vectors/note", test_note);
    return g_test_run ();
}
