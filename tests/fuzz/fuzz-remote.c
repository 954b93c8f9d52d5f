/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a server of --remote sends that somebody else has in hand: well-formed frames that were damaged, through the front
 * end's own reader, to a session. `fuzz-remote [ROUNDS]`; mostly one body is damaged, so that frames are still frames. */
#include "mutate.h"
#include "samples.h"
#include "session/backend/remote-ahead.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEAD = 16, N_FRAMES = 12, ROUNDS_A_SESSION = 40 };

typedef struct {
    SessionFrameKind kind;
    GVariant *body;
} Sample;

typedef struct {
    SessionRemoteGround *ground;
    SessionAsk ask;
    guint n_taken, n_refused;
} Fuzz;

static void
free_sample (gpointer data)
{
    g_variant_unref (((Sample *) data)->body);
    g_free (data);
}

static void
add (GPtrArray *samples, SessionFrameKind kind, GVariant *body)
{
    Sample *sample = g_new (Sample, 1);

    *sample = (Sample){ kind, g_variant_ref_sink (body) };
    g_ptr_array_add (samples, sample);
}

static GVariant *
bytes (const char *text)
{
    return g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, text, strlen (text) + 1, 1);
}

static void
add_answers (GPtrArray *samples)
{
    GVariant *const answers[] = {
        bytes ("int main;\n"),
        g_variant_new_int64 (5),
        g_variant_new_parsed ("[b'a.c', b'b.c']"),
        g_variant_new_parsed ("[(uint32 5, uint32 8, true, int64 7, b'me', b'mpirun', b'')]"),
        g_variant_new_parsed ("[(b'core.1', b'/tmp/core.1', uint64 4096, int64 7)]"),
        bytes ("/usr/bin/app"),
        bytes ("[0]\nId=0123456789abcdef\nHost=node1\nCommand=app\n"),
        g_variant_new ("(is)", 1, "there is no such file")
    };

    for (guint i = 0; i < G_N_ELEMENTS (answers); i++) {
        add (samples, SESSION_FRAME_ANSWER,
             g_variant_new ("(ubv)", 1, i + 1 < G_N_ELEMENTS (answers), answers[i]));
    }
}

/* The first ones fit at any time. */
static GPtrArray *
make_samples (guint *ret_n_fitting)
{
    GPtrArray *samples = g_ptr_array_new_with_free_func (free_sample);
    g_autoptr (GPtrArray) events = samples_new_events (), requests = samples_new_requests ();
    g_autoptr (JobRankSet) some = job_rank_set_new_range (0, 3);

    for (guint i = 0; i < events->len; i++) {
        add (samples, SESSION_FRAME_EVENT,
             g_variant_new ("(uv)", 1, job_event_encode (events->pdata[i])));
    }
    for (guint told = 0; told < SESSION_N_TOLD; told++) {
        add (samples, SESSION_FRAME_NOTE,
             g_variant_new ("(uu@ayxx)", 1, told, session_remote_encode_ranks (some),
                            (gint64) 500, (gint64) 1));
    }
    add (samples, SESSION_FRAME_SAY, g_variant_new ("(uus)", 1, 3, "it cannot be"));
    add (samples, SESSION_FRAME_OUTPUT,
         g_variant_new ("(u@ayu@ay)", 1, session_remote_encode_ranks (some), 1,
                        bytes ("out\n")));
    add (samples, SESSION_FRAME_CLOCK,
         g_variant_new ("(usxxx)", 1, "node1", (gint64) 1, (gint64) 3, (gint64) 2));
    add (samples, SESSION_FRAME_FED, g_variant_new ("(ut)", 1, (guint64) 100));
    add (samples, SESSION_FRAME_SOURCE,
         g_variant_new ("(u@ayx@ay)", 1, bytes ("/a.c"), (gint64) 5, bytes ("int main;\n")));
    *ret_n_fitting = samples->len;
    for (guint i = 0; i < requests->len; i++) {
        add (samples, SESSION_FRAME_ASKED,
             g_variant_new ("(uv)", 1, job_request_encode (requests->pdata[i])));
    }
    add (samples, SESSION_FRAME_HITS,
         g_variant_new ("(uut@ay)", 1, 1, (guint64) 3, session_remote_encode_ranks (some)));
    add (samples, SESSION_FRAME_WHOLE, g_variant_new ("(u)", 1));
    add (samples, SESSION_FRAME_FAILED, g_variant_new ("(uis)", 1, 1, "no such program"));
    add_answers (samples);
    return samples;
}

/* ---- who hears it ---- */

static void
on_answer (GObject *source, GAsyncResult *result, gpointer user)
{
    SessionAsk ask = (SessionAsk) GPOINTER_TO_UINT (user);
    g_autoptr (GPtrArray) list = NULL;

    if (ask == SESSION_ASK_TIME) {
        g_task_propagate_int (G_TASK (result), NULL);
    } else if (ask == SESSION_ASK_SOURCE) {
        g_bytes_unref (g_task_propagate_pointer (G_TASK (result), NULL) ?: g_bytes_new ("", 0));
    } else if (ask == SESSION_ASK_PROGRAM || ask == SESSION_ASK_NAME
               || ask == SESSION_ASK_QUEUE) {
        g_free (g_task_propagate_pointer (G_TASK (result), NULL));
    } else {
        list = g_task_propagate_pointer (G_TASK (result), NULL);
    }
}

static gboolean
take_answer (Fuzz *fuzz, GVariant *body)
{
    g_autoptr (GTask) task = g_task_new (NULL, NULL, on_answer,
                                         GUINT_TO_POINTER ((guint) fuzz->ask));
    g_autoptr (GVariant) answer = NULL;
    SessionWanted *wanted = g_new0 (SessionWanted, 1);
    gboolean ok;

    wanted->limit = 64;
    g_task_set_task_data (task, wanted, session_wanted_free);
    g_variant_get (body, "(ubv)", NULL, &ok, &answer);
    return session_remote_give_answer (task, fuzz->ask, ok, answer);
}

static gboolean
on_frame (SessionFrameKind kind, GVariant *body, gpointer user)
{
    Fuzz *fuzz = user;
    gboolean ok
        = kind == SESSION_FRAME_ANSWER ? take_answer (fuzz, body)
          : kind > SESSION_FRAME_ANSWER
                  && kind != SESSION_FRAME_STARTED /* of the connection, which is not here */
              ? session_remote_take (fuzz->ground, kind, body)
              : FALSE;

    fuzz->n_taken += ok ? 1 : 0;
    fuzz->n_refused += ok ? 0 : 1;
    return ok;
}

static void
on_closed (const char *why, gpointer user)
{
}

static Session *
make_session (Fuzz *fuzz)
{
    Session *session = session_new ();
    SessionRemoteGround *ground = g_new0 (SessionRemoteGround, 1);

    session->backend = &session_remote_backend;
    session->backend_data = ground;
    session->life->started = TRUE;
    ground->session = session;
    ground->number = 1;
    ground->is_started = TRUE;
    ground->ahead = session_ahead_new (session);
    fuzz->ground = ground;
    return session;
}

/* ---- a round ---- */

static void
add_frame (GByteArray *stream, SessionFrameKind kind, guint64 number, const guint8 *body,
           gsize size)
{
    guint8 head[HEAD] = { 0 };
    guint32 length = GUINT32_TO_LE ((guint32) size);

    memcpy (head, &length, sizeof length);
    head[4] = (guint8) kind;
    number = GUINT64_TO_LE (number);
    memcpy (head + 8, &number, sizeof number);
    g_byte_array_append (stream, head, HEAD);
    g_byte_array_append (stream, body, (guint) size);
}

/* Damaged are all frames, or the body of the last one. */
static GByteArray *
make_stream (GRand *random, const GPtrArray *samples, guint n_fitting, gboolean is_whole)
{
    g_autoptr (GByteArray) stream = g_byte_array_new ();

    for (guint i = 1; i <= N_FRAMES; i++) {
        guint n = i < N_FRAMES ? n_fitting : samples->len;
        const Sample *sample = samples->pdata[g_rand_int_range (random, 0, (int) n)];
        const Sample *other = samples->pdata[g_rand_int_range (random, 0, (int) samples->len)];
        gconstpointer body = g_variant_get_data (sample->body);
        gsize size = g_variant_get_size (sample->body);
        g_autoptr (GByteArray) damaged = mutate_bytes (random, body, size,
                                                       g_variant_get_data (other->body),
                                                       g_variant_get_size (other->body));

        if (!is_whole && i == N_FRAMES) {
            add_frame (stream, sample->kind, i, damaged->data, damaged->len);
        } else {
            add_frame (stream, sample->kind, i, body, size);
        }
    }
    return is_whole
               ? mutate_bytes (random, stream->data, stream->len, stream->data, stream->len)
               : g_steal_pointer (&stream);
}

static void
hear (Fuzz *fuzz, const GByteArray *stream)
{
    static const SessionLinkHandler handler = { .frame = on_frame, .closed = on_closed };
    SessionLink *link = session_link_new (&handler, fuzz);
    int ends[2], wide = 1 << 20;

    g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), ==, 0);
    setsockopt (ends[1], SOL_SOCKET, SO_SNDBUF, &wide, sizeof wide);
    g_assert_cmpint (write (ends[1], stream->data, stream->len), ==, stream->len);
    close (ends[1]);
    session_link_open (link, ends[0], FALSE);
    while (session_link_is_open (link)) {
        session_link_turn (link, 1000);
    }
    session_link_free (link);
    while (g_main_context_iteration (NULL, FALSE)) {
    }
}

int
main (int argc, char **argv)
{
    guint rounds = argc > 1 ? (guint) strtoul (argv[1], NULL, 10) : 10000, n_fitting;
    g_autoptr (GRand) random = mutate_new_random ();
    g_autoptr (GPtrArray) samples = make_samples (&n_fitting);
    g_autoptr (Session) session = NULL;
    Fuzz fuzz = { NULL, 0, 0, 0 };

    for (guint round = 0; round < rounds; round++) {
        g_autoptr (GByteArray) stream = make_stream (random, samples, n_fitting,
                                                     round % 8 == 0);

        if (round % ROUNDS_A_SESSION == 0) {
            g_clear_object (&session);
            session = make_session (&fuzz);
        }
        fuzz.ground->is_learning = round % 2 == 0;
        fuzz.ask = (SessionAsk) g_rand_int_range (random, 0, SESSION_N_ASKS);
        hear (&fuzz, stream);
    }
    printf ("# %u streams: %u frames taken, %u refused\n", rounds, fuzz.n_taken,
            fuzz.n_refused);
    return fuzz.n_taken > rounds * N_FRAMES / 2 && fuzz.n_refused > 0 ? 0 : 1;
}
