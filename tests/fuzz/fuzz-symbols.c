/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Both ends of the conversation with pddt-symbols: damaged questions to the one that reads debug
 * information, damaged answers to the tracer. `fuzz-symbols [ROUNDS]`. */
#include "index/client.h"
#include "mutate.h"
#include "symbol/server.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static GBytes *
own_bytes (GVariant *variant)
{
    g_autoptr (GVariant) held = g_variant_ref_sink (variant);
    return g_variant_get_data_as_bytes (held);
}

static GByteArray *
damage (GRand *random, GPtrArray *list, guint round)
{
    gsize size, other_size;
    const guint8 *data = g_bytes_get_data (list->pdata[round % list->len], &size);
    const guint8 *other = g_bytes_get_data (list->pdata[g_rand_int (random) % list->len],
                                            &other_size);
    return mutate_bytes (random, data, size, other, other_size);
}

static void
add (GPtrArray *list, const char *verb, GVariant *arguments)
{
    g_ptr_array_add (list, own_bytes (g_variant_new ("(sv)", verb, arguments)));
}

static GPtrArray *
make_questions (const char *path)
{
    GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
    const guint64 pc = (guint64) (gsize) make_questions;
    add (list, "open", g_variant_new ("(^ay)", path));
    add (list, "arrivals", g_variant_new ("(u)", 1u));
    add (list, "bind", g_variant_new ("(^aytu^ay)", path, pc, 0u, "list->pdata[2] + 1"));
    add (list, "variables", g_variant_new ("(^aytuu)", path, pc, 0u, 1u));
    add (list, "type", g_variant_new ("(^aytu^ayb)", path, pc, 0u, "struct _GBytes *", TRUE));
    add (list, "name", g_variant_new ("(^ay)", "_ZN3foo3barEiPKc"));
    return list;
}

static guint
ask_damaged (GRand *random, GPtrArray *questions, guint rounds)
{
    g_autofree char *folder = g_dir_make_tmp ("fuzz-XXXXXX", NULL);
    SymbolServer *server = symbol_server_new ();
    guint n = 0;
    for (guint round = 0; round < rounds; round++) {
        g_autoptr (GByteArray) bytes = damage (random, questions, round);
        g_autoptr (GBytes) copy = g_bytes_new (bytes->data, bytes->len);
        g_autoptr (GVariant) question
            = g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE ("(sv)"), copy,
                                                            FALSE));
        if (g_variant_is_normal_form (question)) {
            int made = -1;
            g_autoptr (GVariant) answer
                = g_variant_ref_sink (symbol_server_answer (server, question, &made));
            if (made >= 0) {
                close (made);
            }
            g_assert_true (g_variant_is_of_type (answer, G_VARIANT_TYPE ("(bv)")));
            n++;
        }
    }
    symbol_server_free (server);
    g_autofree char *words = g_strdup_printf ("rm -rf '%s'", folder);
    g_assert_cmpint (system (words), ==, 0);
    return n;
}

typedef struct {
    int listen_fd;
    GRand *random;
    GPtrArray *answers;
} Liar;

static gboolean
answer_one (Liar *liar, int fd, guint round)
{
    guint32 size;
    char question[4096];
    if (recv (fd, &size, 4, MSG_WAITALL) != 4 || size > sizeof question
        || recv (fd, question, size, MSG_WAITALL) != (gssize) size) {
        return FALSE;
    }
    g_autoptr (GByteArray) bytes = damage (liar->random, liar->answers, round);
    guint32 wire = GUINT32_TO_LE (bytes->len);
    return send (fd, &wire, 4, MSG_NOSIGNAL) == 4
           && send (fd, bytes->data, bytes->len, MSG_NOSIGNAL) == (gssize) bytes->len;
}

static gpointer
run_liar (gpointer user)
{
    Liar *liar = user;
    int fd;
    guint round = 0;
    while ((fd = accept (liar->listen_fd, NULL, NULL)) >= 0) {
        while (answer_one (liar, fd, round++)) {
        }
        close (fd);
    }
    return NULL;
}

static GPtrArray *
make_answers (GPtrArray *questions)
{
    GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
    g_autofree char *folder = g_dir_make_tmp ("fuzz-XXXXXX", NULL);
    SymbolServer *server = symbol_server_new ();
    for (guint i = 0; i < questions->len; i++) {
        g_autoptr (GVariant) question
            = g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE ("(sv)"),
                                                            questions->pdata[i], FALSE));
        int made = -1;
        g_ptr_array_add (list, own_bytes (symbol_server_answer (server, question, &made)));
        if (made >= 0) {
            close (made);
        }
    }
    symbol_server_free (server);
    g_autofree char *words = g_strdup_printf ("rm -rf '%s'", folder);
    g_assert_cmpint (system (words), ==, 0);
    return list;
}

static guint
hear_damaged (GRand *random, GPtrArray *answers, guint rounds)
{
    g_autofree char *folder = g_dir_make_tmp ("fuzz-XXXXXX", NULL);
    g_autofree char *path = g_build_filename (folder, "symbols", NULL);
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    Liar liar = { socket (AF_UNIX, SOCK_STREAM, 0), random, answers };
    guint n = 0;
    g_strlcpy (address.sun_path, path, sizeof address.sun_path);
    g_assert_cmpint (bind (liar.listen_fd, (struct sockaddr *) &address, sizeof address), ==,
                     0);
    g_assert_cmpint (listen (liar.listen_fd, 4), ==, 0);
    GThread *thread = g_thread_new ("liar", run_liar, &liar);
    IndexClient *client = index_client_new (path);
    for (guint round = 0; round < rounds; round++) {
        g_autofree char *text = g_strdup_printf ("x%u", round); /* nothing is asked twice */
        if (round % 3 == 0) {
            n += index_client_bind (client, "/a", round, 0, text, NULL) != NULL;
        } else if (round % 3 == 1) {
            g_autofree char *type = index_client_describe_type (client, "/a", round, 0, text,
                                                                TRUE, NULL);
            n += type != NULL;
        } else {
            n += strcmp (index_client_find_name (client, text), text) != 0;
        }
    }
    index_client_free (client);
    shutdown (liar.listen_fd, SHUT_RDWR);
    g_thread_join (thread);
    close (liar.listen_fd);
    unlink (path);
    rmdir (folder);
    return n;
}

int
main (int argc, char **argv)
{
    guint rounds = argc > 1 ? (guint) strtoul (argv[1], NULL, 10) : 10000;
    g_autoptr (GRand) random = mutate_new_random ();
    g_autofree char *path = g_file_read_link ("/proc/self/exe", NULL);
    g_autoptr (GPtrArray) questions = make_questions (path);
    g_autoptr (GPtrArray) answers = make_answers (questions);
    printf ("# questions: %u damaged, %u of them well-formed\n", rounds,
            ask_damaged (random, questions, rounds));
    printf ("# answers: %u damaged, %u of them of use\n", rounds,
            hear_damaged (random, answers, rounds));
    return 0;
}
