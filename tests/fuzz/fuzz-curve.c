/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Both ends of ZMTP and CURVE from the greeting on, before authentication. The first byte is
 * the number of handshake steps that succeed; the following bytes are XORed into the other
 * end's next bytes (so zeros change nothing), which arrive in pieces. The second half goes
 * unchanged to an established connection. `fuzz-curve [ROUNDS]`. */
#include "mutate.h"
#include "net/wire-private.h"
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_PART 4096
#define N_STEPS 8 /* six frames of the handshake, and a message each way */

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

static NetCurveKeys server_keys, client_keys;

static void
make_keys (void)
{
    if (sodium_is_zero (server_keys.public_key, sizeof server_keys.public_key)) {
        g_assert_cmpint (sodium_init (), >=, 0);
        crypto_box_keypair (server_keys.public_key, server_keys.secret_key);
        crypto_box_keypair (client_keys.public_key, client_keys.secret_key);
        memcpy (server_keys.other_key, client_keys.public_key, sizeof server_keys.other_key);
        memcpy (client_keys.other_key, server_keys.public_key, sizeof client_keys.other_key);
    }
}

/* Everything in pieces whose sizes the data tells; FALSE: it was refused. ret_parts: how many came. */
static gboolean
feed (NetCurve *curve, GByteArray *in, guint piece, GByteArray *out, guint *ret_parts)
{
    for (guint at = 0, end = 0; end < in->len;) {
        end = MIN (end + piece, in->len);
        for (gssize taken = 1; taken > 0;) {
            NetCurvePart part;
            g_autofree guint8 *exact = g_memdup2 (in->data + at,
                                                  end - at); /* a read past it is seen */
            taken = net_curve_take (curve, exact, end - at, out, &part);
            if (taken < 0) {
                return FALSE;
            }
            g_assert_cmpuint ((guint) taken, <=, end - at);
            at += (guint) taken;
            if (part.data != NULL) {
                g_assert_true (part.data >= exact && part.data + part.size <= exact + taken);
                ++*ret_parts;
            }
        }
    }
    return TRUE;
}

/* What the two say to each other, one step at a time; damaged from that step on. */
static void
talk (const guint8 *data, gsize size, guint good_steps, guint piece)
{
    NetCurve *ends[2] = { net_curve_new_client (&client_keys, "name", MAX_PART),
                          net_curve_new_server (&server_keys, MAX_PART) };
    GByteArray *said[2] = { g_byte_array_new (), g_byte_array_new () };
    gboolean goes_on = TRUE, is_damaged = FALSE;
    net_curve_begin (ends[0], said[0]);
    net_curve_begin (ends[1], said[1]);
    for (guint step = 0; step < N_STEPS && goes_on; step++) {
        guint speaker = step % 2, n_parts = 0;
        GByteArray *in = said[speaker];
        said[speaker] = g_byte_array_new ();
        for (guint i = 0; step >= good_steps && i < MIN (in->len, size); i++) {
            in->data[i] ^= data[i];
            is_damaged |= data[i] != 0;
        }
        if (step >= good_steps && size > in->len) { /* and more behind it */
            g_byte_array_append (in, data + in->len, (guint) (size - in->len));
            is_damaged = TRUE;
        }
        goes_on = feed (ends[1 - speaker], in, piece, said[1 - speaker], &n_parts);
        g_byte_array_unref (in);
        g_assert_true (n_parts == 0 || net_curve_is_open (ends[1 - speaker]));
        if (net_curve_is_open (ends[speaker])) {
            net_curve_put (ends[speaker], "header", 6, TRUE, said[speaker]);
        }
    }
    g_assert_true (is_damaged || (net_curve_is_open (ends[0]) && net_curve_is_open (ends[1])));
    for (guint i = 0; i < 2; i++) {
        net_curve_free (ends[i]);
        g_byte_array_unref (said[i]);
    }
}

static void
on_packets (NetWire *wire, gpointer user)
{
    g_assert_not_reached (); /* nobody here has the key */
}

static void
on_closed (NetWire *wire, gpointer user)
{
    *(gboolean *) user = TRUE;
}

/* The bytes on a socket, as they are. */
static void
connect_whole (const guint8 *data, gsize size)
{
    static const NetWireHandler handler = { on_packets, on_closed };
    int pair[2];
    gboolean is_closed = FALSE;
    g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), ==, 0);
    NetWire *wire = net_wire_new_accepted (pair[0], &server_keys, MAX_PART, 60000, &handler,
                                           &is_closed);
    g_assert_true (send (pair[1], data, size, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0 || size == 0);
    shutdown (pair[1], SHUT_WR);
    while (!is_closed) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_assert_false (net_wire_is_open (wire));
    net_wire_free (wire);
    close (pair[1]);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
    make_keys ();
    if (size >= 2) {
        talk (data + 2, size - 2, data[0] % (N_STEPS + 1), 1 + data[1]);
        connect_whole (data + 2, MIN (size - 2, 65536));
    }
    return 0;
}

#ifndef FUZZ_WITHOUT_MAIN

int
main (int argc, char **argv)
{
    guint rounds = argc > 1 ? (guint) strtoul (argv[1], NULL, 10) : 2000;
    g_autoptr (GRand) random = mutate_new_random ();
    for (guint round = 0; round < rounds; round++) {
        guint8 data[1200] = { (guint8) round, (guint8) g_rand_int (random) };
        gsize size = 2 + (gsize) g_rand_int_range (random, 0, sizeof data - 2);
        guint n_changes = round % 5 == 0 ? 0 : (guint) g_rand_int_range (random, 1, 9);
        if (n_changes == 0) {
            size = 2;
        }
        for (guint i = 0; i < n_changes; i++) {
            data[2 + g_rand_int (random) % (round % 3 == 0 ? 300 : 70)]
                = (guint8) g_rand_int (random);
        }
        g_autofree guint8 *exact = g_memdup2 (data, size);
        LLVMFuzzerTestOneInput (exact, size);
    }
    printf ("# %u handshakes\n", rounds);
    return 0;
}

#endif
