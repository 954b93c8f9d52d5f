/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Greeting, handshake and boxes. Every length is checked before it is used; each frame's number
 * must be higher than the last one's, which prevents replays. */
#include "net/curve-private.h"
#include "base/array.h"
#include <sodium.h>
#include <string.h>

#define KEY NET_CURVE_KEY_SIZE
#define GREETING_SIZE 64
#define COOKIE_SIZE 96
#define BOX crypto_box_MACBYTES
#define NONCE crypto_box_NONCEBYTES
#define HELLO_SIZE 200
#define WELCOME_SIZE 168
#define INITIATE_MIN (9 + COOKIE_SIZE + 8 + BOX + VOUCHED_SIZE)
#define VOUCHED_SIZE (KEY + 16 + BOX + 2 * KEY) /* long-term key, the vouch and its nonce */
#define MAX_INITIATE 1024
#define MESSAGE_HEAD 16 /* its name and number */
#define FLAG_MORE 1
#define FLAG_LONG 2
#define FLAG_COMMAND 4
#define INNER_COMMAND 2 /* within the box */

typedef enum { AT_GREETING, AT_HELLO, AT_WELCOME, AT_INITIATE, AT_READY, AT_MESSAGES } Stage;

struct _NetCurve {
    gboolean is_server;
    Stage stage;
    gsize max_part;
    const char *identity;
    NetCurveKeys keys;
    guint8 own_public[KEY], own_secret[KEY]; /* this connection's */
    guint8 other_public[KEY];
    guint8 first_shared[crypto_box_BEFORENMBYTES]; /* with the server's long-term key */
    guint8 shared[crypto_box_BEFORENMBYTES];
    guint8 cookie[COOKIE_SIZE];
    guint64 sent, received; /* numbers of boxes */
};

static void
store_number (guint8 *to, guint64 number)
{
    guint64 big = GUINT64_TO_BE (number);
    memcpy (to, &big, sizeof big);
}

static guint64
load_number (const guint8 *from)
{
    guint64 big;
    memcpy (&big, from, sizeof big);
    return GUINT64_FROM_BE (big);
}

gboolean
net_curve_decode_key (const char *text, guint8 key[KEY])
{
    static const char digits[]
        = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
          ".-:+=^!/*?&<>()[]{}@%$#";
    if (strlen (text) != KEY / 4 * 5) {
        return FALSE;
    }
    for (guint i = 0; i < KEY / 4; i++) {
        guint64 word = 0;
        for (guint j = 0; j < 5; j++) {
            const char *digit = strchr (digits, text[5 * i + j]);
            if (!digit) {
                return FALSE;
            }
            word = word * 85 + (guint64) (digit - digits);
        }
        guint32 big = GUINT32_TO_BE ((guint32) word);
        if (word > G_MAXUINT32) {
            return FALSE;
        }
        memcpy (key + 4 * i, &big, sizeof big);
    }
    return TRUE;
}

gboolean
net_curve_keys_init (NetCurveKeys *keys, const char *public_key, const char *secret_key,
                     const char *other_key)
{
    gboolean is_good = net_curve_decode_key (public_key, keys->public_key)
                       && net_curve_decode_key (secret_key, keys->secret_key)
                       && net_curve_decode_key (other_key, keys->other_key);
    if (!is_good) {
        net_curve_keys_clear (keys);
    }
    return is_good;
}

void
net_curve_keys_clear (NetCurveKeys *keys)
{
    sodium_memzero (keys, sizeof *keys);
}

static NetCurve *
make_curve (const NetCurveKeys *keys, gsize max_part, gboolean is_server)
{
    NetCurve *curve = g_new0 (NetCurve, 1);
    curve->is_server = is_server;
    curve->max_part = max_part;
    curve->keys = *keys;
    if (sodium_init () < 0 || crypto_box_keypair (curve->own_public, curve->own_secret) != 0) {
        net_curve_free (curve);
        return NULL;
    }
    return curve;
}

NetCurve *
net_curve_new_client (const NetCurveKeys *keys, const char *identity, gsize max_part)
{
    NetCurve *curve = make_curve (keys, max_part, FALSE);
    if (curve) {
        curve->identity = identity;
    }
    return curve;
}

NetCurve *
net_curve_new_server (const NetCurveKeys *keys, gsize max_part)
{
    return make_curve (keys, max_part, TRUE);
}

BASE_FREE_PUBLIC (net_curve_free, NetCurve, curve, sodium_memzero (curve, sizeof *curve))

gboolean
net_curve_is_open (const NetCurve *curve)
{
    return curve->stage == AT_MESSAGES;
}

/* A nonce made of a name and an increasing number. */
static void
make_nonce (guint8 nonce[NONCE], const char *name, guint64 number)
{
    memcpy (nonce, name, NONCE - 8);
    store_number (nonce + NONCE - 8, number);
}

/* A nonce made of a name and 16 bytes that the sender chooses. */
static void
make_long_nonce (guint8 nonce[NONCE], const char *name, const guint8 rest[16])
{
    memcpy (nonce, name, 8);
    memcpy (nonce + 8, rest, 16);
}

static void
put_command (GByteArray *out, const guint8 *body, gsize size)
{
    guint8 head[9] = { FLAG_COMMAND, (guint8) size };
    if (size > 255) {
        head[0] |= FLAG_LONG;
        store_number (head + 1, size);
    }
    g_byte_array_append (out, head, size > 255 ? 9 : 2);
    g_byte_array_append (out, body, (guint) size);
}

/* C', and a box that shows that the sender knows the server's key. */
static void
put_hello (NetCurve *curve, GByteArray *out)
{
    static const guint8 zeros[64];
    guint8 body[HELLO_SIZE] = "\5HELLO\1", nonce[NONCE];
    memcpy (body + 80, curve->own_public, KEY);
    store_number (body + 112, ++curve->sent);
    make_nonce (nonce, "CurveZMQHELLO---", curve->sent);
    if (crypto_box_beforenm (curve->first_shared, curve->keys.other_key, curve->own_secret) == 0
        && crypto_box_easy_afternm (body + 120, zeros, sizeof zeros, nonce, curve->first_shared)
               == 0) {
        put_command (out, body, sizeof body);
    }
}

void
net_curve_begin (NetCurve *curve, GByteArray *out)
{
    guint8 greeting[GREETING_SIZE] = { 0xff };
    greeting[9] = 0x7f;
    greeting[10] = 3;
    memcpy (greeting + 12, "CURVE", 5);
    greeting[32] = curve->is_server;
    g_byte_array_append (out, greeting, sizeof greeting);
    if (!curve->is_server) {
        put_hello (curve, out); /* the server's greeting cannot change it */
    }
}

static gboolean
take_greeting (NetCurve *curve, const guint8 *data)
{
    static const guint8 mechanism[20] = "CURVE";
    if (data[0] != 0xff || (data[9] & 1) == 0 || data[10] < 3
        || memcmp (data + 12, mechanism, sizeof mechanism)
               != 0) { /* libzmq does not say who is server */
        return FALSE;
    }
    curve->stage = curve->is_server ? AT_HELLO : AT_WELCOME;
    return TRUE;
}

static gboolean
take_hello (NetCurve *curve, const guint8 *body, gsize size, GByteArray *out)
{
    static const guint8 zeros[64];
    guint8 nonce[NONCE], opened[64], plain[KEY + COOKIE_SIZE],
        answer[WELCOME_SIZE] = "\7WELCOME";
    if (size != HELLO_SIZE || memcmp (body, "\5HELLO\1\0", 8) != 0) {
        return FALSE;
    }
    memcpy (curve->other_public, body + 80, KEY);
    curve->received = load_number (body + 112);
    make_nonce (nonce, "CurveZMQHELLO---", curve->received);
    if (crypto_box_beforenm (curve->first_shared, curve->other_public, curve->keys.secret_key)
            != 0
        || crypto_box_open_easy_afternm (opened, body + 120, sizeof zeros + BOX, nonce,
                                         curve->first_shared)
               != 0
        || memcmp (opened, zeros, sizeof zeros) != 0) {
        return FALSE;
    }
    randombytes_buf (curve->cookie, COOKIE_SIZE);
    randombytes_buf (answer + 8, 16);
    make_long_nonce (nonce, "WELCOME-", answer + 8);
    memcpy (plain, curve->own_public, KEY);
    memcpy (plain + KEY, curve->cookie, COOKIE_SIZE);
    crypto_box_easy_afternm (answer + 24, plain, sizeof plain, nonce, curve->first_shared);
    put_command (out, answer, sizeof answer);
    curve->stage = AT_INITIATE;
    return TRUE;
}

/* The client's long-term key, and the vouch for its short-term key. */
static gboolean
write_vouch (NetCurve *curve, guint8 to[VOUCHED_SIZE])
{
    guint8 nonce[NONCE], plain[2 * KEY];
    memcpy (to, curve->keys.public_key, KEY);
    randombytes_buf (to + KEY, 16);
    make_long_nonce (nonce, "VOUCH---", to + KEY);
    memcpy (plain, curve->own_public, KEY);
    memcpy (plain + KEY, curve->keys.other_key, KEY);
    return crypto_box_easy (to + KEY + 16, plain, sizeof plain, nonce, curve->other_public,
                            curve->keys.secret_key)
           == 0;
}

static gboolean
take_welcome (NetCurve *curve, const guint8 *body, gsize size, GByteArray *out)
{
    static const guint8 about[] = "\13Socket-Type\0\0\0\6DEALER\10Identity\0\0\0";
    enum {
        ABOUT = sizeof about - 1,
        MAX_NAME = 255,
        PLAIN = VOUCHED_SIZE + ABOUT + 1 + MAX_NAME,
        HEAD = 9 + COOKIE_SIZE + 8
    };
    gsize name_size = MIN (strlen (curve->identity), MAX_NAME);
    gsize plain_size = VOUCHED_SIZE + ABOUT + 1 + name_size;
    guint8 nonce[NONCE], opened[KEY + COOKIE_SIZE], plain[PLAIN];
    guint8 answer[HEAD + BOX + PLAIN] = "\10INITIATE";
    if (size != WELCOME_SIZE || memcmp (body, "\7WELCOME", 8) != 0) {
        return FALSE;
    }
    make_long_nonce (nonce, "WELCOME-", body + 8);
    if (crypto_box_open_easy_afternm (opened, body + 24, sizeof opened + BOX, nonce,
                                      curve->first_shared)
        != 0) {
        return FALSE;
    }
    memcpy (curve->other_public, opened, KEY);
    if (crypto_box_beforenm (curve->shared, curve->other_public, curve->own_secret) != 0
        || !write_vouch (curve, plain)) {
        return FALSE;
    }
    memcpy (plain + VOUCHED_SIZE, about, ABOUT);
    plain[VOUCHED_SIZE + ABOUT] = (guint8) name_size;
    memcpy (plain + VOUCHED_SIZE + ABOUT + 1, curve->identity, name_size);
    memcpy (answer + 9, opened + KEY, COOKIE_SIZE);
    store_number (answer + 9 + COOKIE_SIZE, ++curve->sent);
    make_nonce (nonce, "CurveZMQINITIATE", curve->sent);
    crypto_box_easy_afternm (answer + HEAD, plain, plain_size, nonce, curve->shared);
    put_command (out, answer, HEAD + BOX + plain_size);
    curve->stage = AT_READY;
    return TRUE;
}

/* Accepts a client with the right key that vouches for this connection's short-term key. */
static gboolean
check_vouch (const NetCurve *curve, const guint8 vouched[VOUCHED_SIZE])
{
    guint8 nonce[NONCE], opened[2 * KEY];
    make_long_nonce (nonce, "VOUCH---", vouched + KEY);
    return sodium_memcmp (vouched, curve->keys.other_key, KEY) == 0
           && crypto_box_open_easy (opened, vouched + KEY + 16, sizeof opened + BOX, nonce,
                                    curve->keys.other_key, curve->own_secret)
                  == 0
           && sodium_memcmp (opened, curve->other_public, KEY) == 0
           && sodium_memcmp (opened + KEY, curve->keys.public_key, KEY) == 0;
}

static gboolean
take_initiate (NetCurve *curve, const guint8 *body, gsize size, GByteArray *out)
{
    static const guint8 about[] = "\13Socket-Type\0\0\0\6ROUTER";
    static const guint8 refusal[] = "\5ERROR\003400";
    guint8 nonce[NONCE], opened[MAX_INITIATE], answer[14 + BOX + sizeof about - 1] = "\5READY";
    const guint8 *box = body + 9 + COOKIE_SIZE + 8;
    if (size < INITIATE_MIN || size > MAX_INITIATE || memcmp (body, "\10INITIATE", 9) != 0
        || sodium_memcmp (body + 9, curve->cookie, COOKIE_SIZE) != 0
        || load_number (body + 9 + COOKIE_SIZE) <= curve->received) {
        return FALSE;
    }
    curve->received = load_number (body + 9 + COOKIE_SIZE);
    make_nonce (nonce, "CurveZMQINITIATE", curve->received);
    if (crypto_box_beforenm (curve->shared, curve->other_public, curve->own_secret) != 0
        || crypto_box_open_easy_afternm (opened, box, size - (gsize) (box - body), nonce,
                                         curve->shared)
               != 0) {
        return FALSE;
    }
    if (!check_vouch (curve, opened)) {
        g_message ("refused a peer with the wrong key");
        put_command (out, refusal, sizeof refusal - 1);
        return FALSE;
    }
    store_number (answer + 6, ++curve->sent);
    make_nonce (nonce, "CurveZMQREADY---", curve->sent);
    crypto_box_easy_afternm (answer + 14, about, sizeof about - 1, nonce, curve->shared);
    put_command (out, answer, sizeof answer);
    curve->stage = AT_MESSAGES;
    return TRUE;
}

static gboolean
take_ready (NetCurve *curve, const guint8 *body, gsize size)
{
    guint8 nonce[NONCE], opened[MAX_INITIATE];
    /* An ERROR also ends only this attempt: it is not authenticated, so anyone on the path
     * could have sent it. */
    if (size < 14 + BOX || size > MAX_INITIATE || memcmp (body, "\5READY", 6) != 0) {
        return FALSE;
    }
    curve->received = load_number (body + 6);
    make_nonce (nonce, "CurveZMQREADY---", curve->received);
    if (crypto_box_open_easy_afternm (opened, body + 14, size - 14, nonce, curve->shared)
        != 0) {
        return FALSE;
    }
    curve->stage = AT_MESSAGES;
    return TRUE;
}

static gboolean
take_message (NetCurve *curve, guint8 *body, gsize size, NetCurvePart *ret_part)
{
    guint8 nonce[NONCE], *box = body + MESSAGE_HEAD, *plain = box + BOX;
    if (size < MESSAGE_HEAD + BOX + 1 || memcmp (body, "\7MESSAGE", 8) != 0
        || load_number (body + 8) <= curve->received) {
        return FALSE;
    }
    make_nonce (nonce, curve->is_server ? "CurveZMQMESSAGEC" : "CurveZMQMESSAGES",
                load_number (body + 8));
    if (crypto_box_open_easy_afternm (plain, box, size - MESSAGE_HEAD, nonce, curve->shared)
        != 0) {
        return FALSE;
    }
    curve->received = load_number (body + 8);
    if ((plain[0] & INNER_COMMAND) == 0) {
        *ret_part = (NetCurvePart){ plain + 1, size - MESSAGE_HEAD - BOX - 1,
                                    (plain[0] & FLAG_MORE) != 0 };
    }
    return TRUE;
}

static gboolean
take_body (NetCurve *curve, guint8 flags, guint8 *body, gsize size, GByteArray *out,
           NetCurvePart *ret_part)
{
    if (curve->stage == AT_MESSAGES) {
        return take_message (curve, body, size, ret_part);
    }
    if ((flags & FLAG_COMMAND) == 0) {
        return FALSE;
    }
    return curve->stage == AT_HELLO      ? take_hello (curve, body, size, out)
           : curve->stage == AT_WELCOME  ? take_welcome (curve, body, size, out)
           : curve->stage == AT_INITIATE ? take_initiate (curve, body, size, out)
                                         : take_ready (curve, body, size);
}

gssize
net_curve_take (NetCurve *curve, guint8 *data, gsize size, GByteArray *out,
                NetCurvePart *ret_part)
{
    *ret_part = (NetCurvePart){ NULL, 0, FALSE };
    if (curve->stage == AT_GREETING) {
        return size < GREETING_SIZE ? 0 : take_greeting (curve, data) ? GREETING_SIZE : -1;
    }
    gsize head = size > 0 && (data[0] & FLAG_LONG) != 0 ? 9 : 2;
    if (size < head) {
        return 0;
    }
    guint64 length = head == 9 ? load_number (data + 1) : data[1];
    gsize limit = curve->stage == AT_MESSAGES ? curve->max_part + MESSAGE_HEAD + BOX + 1
                                              : MAX_INITIATE;
    if (data[0] > (FLAG_MORE | FLAG_LONG | FLAG_COMMAND) || length > limit) {
        return -1;
    }
    if (size - head < length) {
        return 0;
    }
    return take_body (curve, data[0], data + head, length, out, ret_part)
               ? (gssize) (head + length)
               : -1;
}

void
net_curve_put (NetCurve *curve, const void *data, gsize size, gboolean more, GByteArray *out)
{
    gsize length = MESSAGE_HEAD + BOX + 1 + size, head = length > 255 ? 9 : 2;
    guint at = out->len;
    guint8 nonce[NONCE];
    g_byte_array_set_size (out, at + (guint) (head + length));
    guint8 *frame = out->data + at, *body = frame + head, *plain = body + MESSAGE_HEAD + BOX;
    frame[0] = head == 9 ? FLAG_LONG : 0;
    frame[1] = (guint8) length;
    if (head == 9) {
        store_number (frame + 1, length);
    }
    memcpy (body, "\7MESSAGE", 8);
    store_number (body + 8, ++curve->sent);
    plain[0] = more ? FLAG_MORE : 0;
    if (size > 0) {
        memcpy (plain + 1, data, size);
    }
    make_nonce (nonce, curve->is_server ? "CurveZMQMESSAGES" : "CurveZMQMESSAGEC", curve->sent);
    crypto_box_easy_afternm (body + MESSAGE_HEAD, plain, size + 1, nonce, curve->shared);
}
