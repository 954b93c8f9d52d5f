/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an editor sends to `pddt --dap`: well-formed messages that were damaged. Whatever comes, in whatever pieces, is
 * read alike, and takes no more memory than it has bytes. */
#include "dap/reader.h"
#include "mutate.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

/* A line for each message, mistake and end. */
static char *
read_all (const guint8 *data, gsize size, gsize piece)
{
    g_autoptr (DapReader) reader = dap_reader_new ();
    GString *seen = g_string_new (NULL);

    for (gsize at = 0; at < size; at += piece) {
        DapReaderResult result;
        json_t *message = NULL;

        dap_reader_add (reader, (const char *) data + at, MIN (piece, size - at));
        do {
            g_autoptr (GError) error = NULL;

            result = dap_reader_take (reader, &message, &error);
            if (result == DAP_READER_MESSAGE) {
                char *text = json_dumps (message, JSON_SORT_KEYS);

                g_assert_true (json_is_object (message) && error == NULL);
                g_string_append_printf (seen, "%s\n", text != NULL ? text : "?");
                free (text);
                json_decref (message);
            } else if (result != DAP_READER_MORE) {
                g_assert_nonnull (error);
                g_string_append_printf (seen, "%d %s\n", result, error->message);
            }
        } while (result == DAP_READER_MESSAGE || result == DAP_READER_BAD);
    }
    return g_string_free (seen, FALSE);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
    g_autofree char *whole = read_all (data, size, MAX (size, 1));
    g_autofree char *pieces = read_all (data, size, 1 + size % 7);

    g_assert_cmpstr (whole, ==, pieces);
    return 0;
}

#ifndef FUZZ_WITHOUT_MAIN

static const char *const bodies[] = {
    "{\"seq\":1,\"type\":\"request\",\"command\":\"initialize\",\"arguments\":{\"adapterID\":\"pddt\"}}",
    "{\"seq\":2,\"type\":\"request\",\"command\":\"evaluate\",\"arguments\":{\"expression\":\"\\u00e9 \\ud83d\\ude00\"}}",
    "{\"seq\":3,\"type\":\"request\",\"command\":\"launch\",\"arguments\":{\"env\":{\"A\":\"b\"},\"args\":[[[[[]]]]]}}",
    "[1e308,-9223372036854775808]",
    "",
};

static void
test_good (void)
{
    const char *two
        = "Content-Length: 9\r\nContent-Type: x\r\n\r\n{\"seq\":1}content-length:2\r\n\r\n{}";
    g_autofree char *seen = read_all ((const guint8 *) two, strlen (two), 3);

    g_assert_cmpstr (seen, ==, "{\"seq\": 1}\n{}\n");
}

int
main (int argc, char **argv)
{
    guint rounds = argc > 1 ? (guint) strtoul (argv[1], NULL, 10) : 10000;
    g_autoptr (GRand) random = mutate_new_random ();
    g_autoptr (GString) stream = g_string_new (NULL);

    test_good ();
    for (guint i = 0; i < G_N_ELEMENTS (bodies); i++) {
        g_string_append_printf (stream, "Content-Length: %zu\r\n\r\n%s", strlen (bodies[i]),
                                bodies[i]);
    }
    for (guint round = 0; round < rounds; round++) {
        const char *body = bodies[round % G_N_ELEMENTS (bodies)];
        g_autoptr (GByteArray) bytes = mutate_bytes (random, (const guint8 *) stream->str,
                                                     stream->len, (const guint8 *) body,
                                                     strlen (body));

        LLVMFuzzerTestOneInput (bytes->data, bytes->len);
    }
    printf ("# %u streams\n", rounds);
    return 0;
}

#endif
