/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The wait states that Scalasca knows, computed from pairs of messages and groups of collective calls. */
#include "profile/otf2/waits-private.h"
#include "base/array.h"
#include <string.h>

#define KEY(id) GUINT_TO_POINTER ((guint) (id))
#define LEAST_S 1e-6 /* less is the clock's noise */
#define MOST_WAITS 1000u
#define CLOCKS_S 1e-3 /* by which the clocks of two hosts may differ */

struct _ProfileWaitStates {
    ProfileWaits *waits;
    GHashTable *sums; /* text of all that is equal to ProfileWait */
    GArray *messages; /* of ProfileMessage: matched ones, of each so many one */
    guint64 n_messages;
    guint step;
    guint64 *explained; /* of each call: until when it has waited for a sender */
    GHashTable *
        at_once; /* pair of ranks (gint64) to guint64: the most bytes that MPI has sent without its receive */
};
typedef ProfileWaitStates State;

/* Where a call is. */
typedef struct {
    char *text; /* "work at app.py:12" */
    char *file; /* NULL unknown */
    guint32 line;
} Place;

static const ProfileWaitCall *
get_call (const State *state, guint32 number)
{
    return &g_array_index (state->waits->calls, ProfileWaitCall, number);
}

const char *
profile_otf2_get_region_name (const ProfileOtf2Definitions *definitions, guint32 region)
{
    const ProfileOtf2Region *definition = g_hash_table_lookup (definitions->regions,
                                                               KEY (region));

    return region != G_MAXUINT32 && definition != NULL && definition->name != NULL
               ? definition->name
               : "";
}

static void
clear_place (Place *place)
{
    g_free (place->text);
    g_free (place->file);
}

/* "FUNCTION" of a native place, "/home/me/app.c:12 (FUNCTION)" or "/usr/lib/libm.so.6+0x123 (FUNCTION)"; NULL: it is of
 * Python code, or nobody knows it. ret_where: what stands in front. Caller owns both. */
static char *
split_function (const char *text, char **ret_where)
{
    const char *at = text;

    while ((at = strstr (at, " (")) != NULL) {
        const char *digit = at;

        while (digit > text && g_ascii_isxdigit (digit[-1])) {
            digit--;
        }
        if (digit < at && digit > text && g_str_has_suffix (at, ")")
            && (digit[-1] == ':'
                || (digit > text + 2 && digit[-1] == 'x' && digit[-2] == '0'))) {
            *ret_where = g_strndup (text, (gsize) (at - text));
            return g_strndup (at + 2, strlen (at + 2) - 1);
        }
        at++;
    }
    *ret_where = g_strdup (text);
    return NULL;
}

/* "/home/me/app.py:12". FALSE: it is something else. */
static gboolean
split_line (const char *text, Place *place)
{
    const char *colon = text != NULL ? strrchr (text, ':') : NULL;
    guint64 line;

    if (colon == NULL || colon == text
        || !g_ascii_string_to_unsigned (colon + 1, 10, 1, G_MAXUINT32, &line, NULL)) {
        return FALSE;
    }
    place->file = g_strndup (text, (gsize) (colon - text));
    place->line = (guint32) line;
    return TRUE;
}

/* The function that has made the call, and the line where it did so, as exactly as it is known. text: a place; NULL. */
static void
find_place (const ProfileOtf2Definitions *definitions, guint32 region, const char *text,
            Place *place)
{
    const ProfileOtf2Region *caller = region != G_MAXUINT32
                                          ? g_hash_table_lookup (definitions->regions,
                                                                 KEY (region))
                                          : NULL;
    g_autofree char *path = NULL, *native = text != NULL ? split_function (text, &path) : NULL;
    g_autofree char *where = path != NULL ? g_path_get_basename (path) : NULL;
    gboolean is_native = native != NULL || (where != NULL && strstr (where, "+0x") != NULL);
    gboolean has_first = caller != NULL && caller->file != NULL && caller->line > 0;
    const char *function = profile_otf2_get_region_name (definitions, region);

    *place = (Place){ 0 };
    /* native code below Python's is the interpreter's, or a library's: what the user has written says more */
    if (has_first
        && (where == NULL || (is_native && caller->language == JOB_LANGUAGE_PYTHON))) {
        g_autofree char *file = g_path_get_basename (caller->file);

        g_free (where);
        where = g_strdup_printf ("%s:%u", file, caller->line);
        place->file = g_strdup (caller->file);
        place->line = caller->line;
    } else {
        split_line (path, place);
        function = native != NULL ? native : function;
    }
    place->text = where == NULL       ? g_strdup (function)
                  : *function != '\0' ? g_strdup_printf ("%s at %s", function, where)
                                      : g_steal_pointer (&where);
}

static const char *
find_text (const ProfileOtf2Definitions *definitions, guint32 string)
{
    return string != G_MAXUINT32 ? g_hash_table_lookup (definitions->strings, KEY (string))
                                 : NULL;
}

char *
profile_otf2_dup_place (const ProfileOtf2Definitions *definitions, guint32 region,
                        guint32 place)
{
    Place found;

    find_place (definitions, region, find_text (definitions, place), &found);
    g_free (found.file);
    return found.text;
}

char *
profile_otf2_dup_code (const ProfileOtf2Definitions *definitions, const char *text)
{
    Place found;

    find_place (definitions, G_MAXUINT32, text, &found);
    g_free (found.file);
    return found.text;
}

static void
fill_place (const State *state, const ProfileWaitCall *call, Place *place)
{
    const ProfileOtf2Definitions *definitions = state->waits->definitions;

    find_place (definitions, call->caller, find_text (definitions, call->place), place);
}

BASE_FREE (free_wait, ProfileWait, wait, g_free (wait->call); g_free (wait->place);
           g_free (wait->cause_place); g_free (wait->file); g_free (wait->cause_file))

static ProfileWait *
find_sum (State *state, ProfileWaitKind kind, const ProfileWaitCall *call,
          const ProfileWaitCall *cause)
{
    const char *name = profile_otf2_get_region_name (state->waits->definitions, call->region);
    Place place, cause_place;
    g_autofree char *key = NULL;
    ProfileWait *sum;

    fill_place (state, call, &place);
    fill_place (state, cause, &cause_place);
    key = g_strdup_printf ("%u %u %u %s\n%s\n%s", kind, call->rank, cause->rank, name,
                           place.text, cause_place.text);
    sum = g_hash_table_lookup (state->sums, key);
    if (sum == NULL) {
        sum = g_new0 (ProfileWait, 1);
        *sum = (ProfileWait){ .kind = kind,
                              .rank = call->rank,
                              .cause = cause->rank,
                              .call = g_strdup (name),
                              .place = g_steal_pointer (&place.text),
                              .cause_place = g_steal_pointer (&cause_place.text),
                              .file = g_steal_pointer (&place.file),
                              .line = place.line,
                              .cause_file = g_steal_pointer (&cause_place.file),
                              .cause_line = cause_place.line };
        g_hash_table_insert (state->sums, g_steal_pointer (&key), sum);
    }
    clear_place (&place);
    clear_place (&cause_place);
    return sum;
}

void
profile_wait_states_add (State *state, ProfileWaitKind kind, const ProfileWaitCall *call,
                         const ProfileWaitCall *cause, guint64 begin, guint64 end)
{
    double seconds = end > begin && end != G_MAXUINT64
                         ? (double) (end - begin)
                               / (double) MAX (state->waits->definitions->resolution, 1)
                         : 0;
    gint64 begin_us = profile_otf2_get_us (state->waits->definitions, begin);
    gint64 end_us = profile_otf2_get_us (state->waits->definitions, end);
    ProfileWait *sum;

    if (seconds < LEAST_S) {
        return;
    }
    if (call->is_leader && cause->is_leader) {
        BASE_APPEND (state->waits->instances, ProfileWaitInstance, call->rank, cause->rank,
                     begin, end, 0, 0);
    }
    sum = find_sum (state, kind, call, cause);
    sum->n++;
    sum->seconds += seconds;
    if (sum->n == 1 || end_us - begin_us > sum->end_us - sum->begin_us) {
        sum->begin_us = begin_us;
        sum->end_us = end_us;
    }
}

/* ---- messages ---- */

static gint
compare_messages (gconstpointer a, gconstpointer b)
{
    const ProfileWaitMessage *left = a, *right = b;

#define ORDER(field)                                                                           \
    if (left->field != right->field) {                                                         \
        return left->field < right->field ? -1 : 1;                                            \
    }
    ORDER (from)
    ORDER (to)
    ORDER (comm)
    ORDER (tag)
    ORDER (time)
    return 0;
}

static gint
compare_flows (const ProfileWaitMessage *left, const ProfileWaitMessage *right)
{
    ORDER (from)
    ORDER (to)
    ORDER (comm)
    ORDER (tag)
    return 0;
#undef ORDER
}

guint64
profile_wait_states_add_slack (const ProfileWaits *waits, guint64 time)
{
    guint64 slack = (guint64) ((double) waits->definitions->resolution * CLOCKS_S);

    return time < G_MAXUINT64 - slack ? time + slack : G_MAXUINT64;
}

/* Who probes waits there for the message that it receives next. */
static void
look_at_probe (State *state, const ProfileWaitMessage *send, const ProfileWaitMessage *receive)
{
    const ProfileWaitCall *probe = get_call (state, receive->wait);

    if (probe->enter < send->time
        && send->time <= profile_wait_states_add_slack (state->waits, probe->leave)) {
        profile_wait_states_add (state, PROFILE_WAIT_LATE_SENDER, probe,
                                 get_call (state, send->call), probe->enter,
                                 MIN (send->time, probe->leave));
    }
}

/* is_in_order: no message that was sent before this one is received after it. */
static void
look_at_sender (State *state, const ProfileWaitMessage *send, const ProfileWaitMessage *receive,
                gboolean is_in_order)
{
    const ProfileWaitCall *receiver = get_call (state, receive->call);
    guint64 end = MIN (send->time, receiver->leave);

    if (receive->wait != G_MAXUINT32) {
        look_at_probe (state, send, receive);
    }
    if (receiver->enter < send->time) {
        profile_wait_states_add (state,
                                 is_in_order ? PROFILE_WAIT_LATE_SENDER
                                             : PROFILE_WAIT_WRONG_ORDER,
                                 receiver, get_call (state, send->call), receiver->enter, end);
        state->explained[receive->call] = MAX (state->explained[receive->call], end);
    }
}

/* It waits for its receive, whatever its size. */
static gboolean
is_synchronous (const State *state, const ProfileWaitMessage *send)
{
    const char *name = profile_otf2_get_region_name (state->waits->definitions,
                                                     get_call (state, send->call)->region);

    return strcmp (name, "MPI_Ssend") == 0 || strcmp (name, "MPI_Issend") == 0;
}

static guint32
get_last_call (const ProfileWaitMessage *send)
{
    return send->is_blocking ? send->call : send->wait;
}

/* Messages that are out before their receive has begun show up to which size MPI does not wait for it. */
static void
note_size (State *state, const ProfileWaitMessage *send, const ProfileWaitMessage *receive)
{
    gint64 pair = (gint64) send->from << 32 | send->to;
    guint32 number = get_last_call (send);
    guint64 *most = g_hash_table_lookup (state->at_once, &pair);

    if (number == G_MAXUINT32
        || profile_wait_states_add_slack (state->waits, get_call (state, number)->leave)
               > receive->time) {
        return;
    }
    if (most == NULL) {
        most = g_new0 (guint64, 1);
        g_hash_table_insert (state->at_once, g_memdup2 (&pair, sizeof pair), most);
    }
    *most = MAX (*most, send->bytes);
}

static gboolean
is_at_once (const State *state, const ProfileWaitMessage *send)
{
    gint64 pair = (gint64) send->from << 32 | send->to;
    const guint64 *most = g_hash_table_lookup (state->at_once, &pair);

    return most != NULL && send->bytes <= *most && !is_synchronous (state, send);
}

/* A send that did not end before its receive began was held up by it, unless the same call has waited for a sender, or MPI
 * sends so little at once: then the rank had no processor. */
static void
look_at_receiver (State *state, const ProfileWaitMessage *send,
                  const ProfileWaitMessage *receive)
{
    guint32 number = get_last_call (send);
    const ProfileWaitCall *sender, *receiver = get_call (state, receive->call);
    guint64 begin;

    if (number == G_MAXUINT32 || receiver->enter < send->time || is_at_once (state, send)) {
        return;
    }
    sender = get_call (state, number);
    begin = MAX (sender->enter, state->explained[number]);
    if (receive->time > begin && sender->leave > receive->time) {
        profile_wait_states_add (state, PROFILE_WAIT_LATE_RECEIVER, sender, receiver, begin,
                                 receive->time);
    }
}

static void
note_message (State *state, const ProfileWaitMessage *send, const ProfileWaitMessage *receive)
{
    const ProfileWaitCall *receiver = get_call (state, receive->call);
    const ProfileOtf2Definitions *definitions = state->waits->definitions;
    guint64 received = receiver->leave != G_MAXUINT64 ? receiver->leave : receiver->enter;
    ProfileWaitSync sync = { received, G_MAXUINT32, send->from, send->to };
    ProfileMessage message = { send->from,
                               send->to,
                               send->tag,
                               send->bytes,
                               profile_otf2_get_us (definitions, send->time),
                               profile_otf2_get_us (definitions, received) };

    g_array_append_val (state->waits->syncs, sync);
    if (state->n_messages++ % state->step == 0) {
        g_array_append_val (state->messages, message);
    }
}

/* How many from `first` on are of its flow. */
static guint
count_flow (const GArray *list, guint first)
{
    guint n = 1;

    while (first + n < list->len
           && compare_flows (&g_array_index (list, ProfileWaitMessage, first),
                             &g_array_index (list, ProfileWaitMessage, first + n))
                  == 0) {
        n++;
    }
    return n;
}

/* Messages of a flow arrive in their order. What has arrived before the next one was sent is one whose send is not
 * recorded. */
static void
match_flow (State *state, const ProfileWaitMessage *sends, guint n_sends,
            ProfileWaitMessage *receives, guint n_receives)
{
    guint n = MIN (n_sends, n_receives), i = 0;

    if (state->waits->is_from_end) {
        sends += n_sends - n;
        receives += n_receives - n;
        n_sends = n_receives = n;
    }
    for (guint j = 0; i < n_sends && j < n_receives; j++) {
        guint64 leave = get_call (state, receives[j].call)->leave;

        if (profile_wait_states_add_slack (state->waits, leave) < sends[i].time) {
            continue;
        }
        receives[j].sent = (guint64) (sends + i
                                      - (const ProfileWaitMessage *) (const void *)
                                            state->waits->sends->data)
                           + 1;
        note_message (state, sends + i, receives + j);
        i++;
    }
}

static void
match (State *state)
{
    GArray *sends = state->waits->sends, *receives = state->waits->receives;
    guint i = 0, j = 0;

    state->step = MIN (sends->len, receives->len) / PROFILE_MAX_MESSAGES + 1;
    g_array_sort (sends, compare_messages);
    g_array_sort (receives, compare_messages);
    while (i < sends->len && j < receives->len) {
        const ProfileWaitMessage *send = &g_array_index (sends, ProfileWaitMessage, i);
        ProfileWaitMessage *receive = &g_array_index (receives, ProfileWaitMessage, j);
        gint order = compare_flows (send, receive);
        guint n_sends = order <= 0 ? count_flow (sends, i) : 0;
        guint n_receives = order >= 0 ? count_flow (receives, j) : 0;

        if (order == 0) {
            match_flow (state, send, n_sends, receive, n_receives);
        }
        i += n_sends;
        j += n_receives;
    }
}

/* ---- their order ---- */

static gint
compare_received (gconstpointer a, gconstpointer b, gpointer user)
{
    const State *state = user;
    const ProfileWaitMessage *left = &g_array_index (state->waits->receives, ProfileWaitMessage,
                                                     *(const guint32 *) a),
                             *right = &g_array_index (state->waits->receives,
                                                      ProfileWaitMessage, *(const guint32 *) b);
    guint64 early = get_call (state, left->call)->leave,
            late = get_call (state, right->call)->leave;

    return left->to != right->to ? (left->to < right->to ? -1 : 1)
                                 : (early > late) - (early < late);
}

/* Those that a rank has received when it received the message at `last`. earliest: when the first of those that it has
 * received later was sent. Returns how many they are. */
static guint
look_at_received (State *state, const guint32 *order, guint last, guint64 *earliest)
{
    guint64 found = *earliest;
    guint n = 0;

    do {
        const ProfileWaitMessage *receive
            = &g_array_index (state->waits->receives, ProfileWaitMessage, order[last - n]);
        const ProfileWaitMessage *send = &g_array_index (state->waits->sends,
                                                         ProfileWaitMessage, receive->sent - 1);

        look_at_sender (state, send, receive, *earliest >= send->time);
        found = MIN (found, send->time);
        n++;
    } while (n <= last && compare_received (order + last - n, order + last, state) == 0);
    *earliest = found;
    return n;
}

static void
look_at_pairs (State *state, const GArray *order,
               void (*look) (State *state, const ProfileWaitMessage *send,
                             const ProfileWaitMessage *receive))
{
    for (guint i = 0; i < order->len; i++) {
        const ProfileWaitMessage *receive = &g_array_index (state->waits->receives,
                                                            ProfileWaitMessage,
                                                            g_array_index (order, guint32, i));

        look (state,
              &g_array_index (state->waits->sends, ProfileWaitMessage, receive->sent - 1),
              receive);
    }
}

/* Each rank's messages, from the last one that it has received to the first one. */
static void
look_at_messages (State *state)
{
    GArray *receives = state->waits->receives;
    g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (guint32));
    guint64 earliest = G_MAXUINT64;
    guint32 rank = G_MAXUINT32;

    for (guint32 i = 0; i < receives->len; i++) {
        if (g_array_index (receives, ProfileWaitMessage, i).sent != 0) {
            g_array_append_val (order, i);
        }
    }
    g_array_sort_with_data (order, compare_received, state);
    for (guint i = order->len; i > 0;) {
        guint32 last = g_array_index (order, guint32, i - 1);
        const ProfileWaitMessage *receive = &g_array_index (receives, ProfileWaitMessage, last);

        earliest = receive->to == rank ? earliest : G_MAXUINT64;
        rank = receive->to;
        i -= look_at_received (state, (const guint32 *) (const void *) order->data, i - 1,
                               &earliest);
    }
    look_at_pairs (state, order, note_size);
    look_at_pairs (state, order, look_at_receiver);
}

static void
put_traffic (const State *state, ProfileSpool *to)
{
    const GArray *sends = state->waits->sends; /* sorted */
    ProfileTraffic sum = { 0 };

    for (guint i = 0; i < sends->len; i++) {
        const ProfileWaitMessage *send = &g_array_index (sends, ProfileWaitMessage, i);

        if (sum.n > 0 && (sum.from != send->from || sum.to != send->to)) {
            profile_spool_put_traffic (to, &sum);
            sum.n = sum.bytes = 0;
        }
        sum.from = send->from;
        sum.to = send->to;
        sum.n++;
        sum.bytes += send->bytes;
    }
    if (sum.n > 0) {
        profile_spool_put_traffic (to, &sum);
    }
}

/* ---- the result ---- */

BASE_ORDER_POINTERS (compare_waits, ProfileWait, BASE_BY_DOWN (seconds))

void
profile_wait_states_put (ProfileWaits *waits, ProfileSpool *to)
{
    State state = { .waits = waits };
    g_autoptr (GArray) messages = g_array_new (FALSE, FALSE, sizeof (ProfileMessage));
    g_autoptr (GPtrArray) list = g_ptr_array_new ();
    gpointer value;

    guint n_collectives;

    state.sums = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_wait);
    state.messages = messages;
    state.explained = g_new0 (guint64, waits->calls->len);
    state.at_once = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
    match (&state);
    look_at_messages (&state);
    profile_spool_put_messages (to, messages);
    n_collectives = profile_wait_states_add_collectives (&state, waits, to);
    profile_wait_states_add_windows (&state, waits);
    profile_spool_put_n_messages (to, state.n_messages, n_collectives);
    put_traffic (&state, to);
    profile_wait_states_put_message_sums (waits, to);
    profile_wait_states_put_delays (waits, to);
    BASE_WALK (state.sums, NULL, &value) {
        g_ptr_array_add (list, value);
    }
    g_ptr_array_sort (list, compare_waits);
    for (guint i = 0; i < MIN (list->len, MOST_WAITS); i++) {
        profile_spool_put_wait (to, g_ptr_array_index (list, i));
    }
    g_hash_table_unref (state.sums);
    g_free (state.explained);
    g_hash_table_unref (state.at_once);
}
