/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages by their size, their tag and their communicator: each of them counts once in each of the three. */
#include "profile/otf2/waits-private.h"
#include "base/array.h"

enum { MOST_ROWS = 100 };

static guint64
get_size_class (guint64 bytes)
{
    return bytes == 0 ? 0 : G_GUINT64_CONSTANT (1) << (g_bit_storage (bytes) - 1);
}

static char *
dup_comm_name (const ProfileWaits *waits, guint32 comm)
{
    const char *name = g_hash_table_lookup (waits->comm_names, GUINT_TO_POINTER (comm));
    const GArray *ranks = g_hash_table_lookup (waits->comms, GUINT_TO_POINTER (comm));

    return name != NULL && *name != '\0' ? g_strdup (name)
                                         : g_strdup_printf ("communicator %u of %u ranks", comm,
                                                            ranks != NULL ? ranks->len : 0);
}

static guint64
get_value (const ProfileWaitMessage *send, ProfileMessageSumKind kind)
{
    return kind == PROFILE_SUM_SIZE  ? get_size_class (send->bytes)
           : kind == PROFILE_SUM_TAG ? send->tag
                                     : send->comm;
}

/* The sum that the send counts in. */
static ProfileMessageSum *
find_sum (GHashTable *sums, const ProfileWaitMessage *send, ProfileMessageSumKind kind)
{
    guint64 value = get_value (send, kind);
    ProfileMessageSum *sum = g_hash_table_lookup (sums, &value);

    if (sum == NULL) {
        sum = g_new0 (ProfileMessageSum, 1);
        sum->kind = kind;
        sum->value = value;
        g_hash_table_insert (sums, g_memdup2 (&value, sizeof value), sum);
    }
    return sum;
}

static gint
compare_sums (gconstpointer a, gconstpointer b)
{
    const ProfileMessageSum *left = *(ProfileMessageSum *const *) a,
                            *right = *(ProfileMessageSum *const *) b;

    if (left->kind == PROFILE_SUM_SIZE
        || (left->bytes == right->bytes && left->n == right->n)) {
        return (left->value > right->value) - (left->value < right->value);
    }
    return left->bytes != right->bytes ? (left->bytes < right->bytes ? 1 : -1)
                                       : (left->n < right->n ? 1 : -1);
}

static void
add_sum (ProfileMessageSum *to, const ProfileMessageSum *from)
{
    to->n += from->n;
    to->bytes += from->bytes;
    to->n_received += from->n_received;
    to->seconds += from->seconds;
}

static void
put_sums (const ProfileWaits *waits, GHashTable *sums, ProfileMessageSumKind kind,
          ProfileSpool *to)
{
    g_autoptr (GPtrArray) list = g_ptr_array_new ();
    ProfileMessageSum others = { .kind = kind, .name = (char *) "(others)" };
    gpointer value;

    BASE_WALK (sums, NULL, &value) {
        g_ptr_array_add (list, value);
    }
    g_ptr_array_sort (list, compare_sums);
    for (guint i = 0; i < list->len; i++) {
        ProfileMessageSum *sum = g_ptr_array_index (list, i);
        g_autofree char *name = kind == PROFILE_SUM_COMM
                                    ? dup_comm_name (waits, (guint32) sum->value)
                                    : g_strdup ("");

        if (i < MOST_ROWS) {
            sum->name = name;
            profile_spool_put_message_sum (to, sum);
            sum->name = NULL;
        } else {
            add_sum (&others, sum);
        }
    }
    if (others.n > 0) {
        profile_spool_put_message_sum (to, &others);
    }
}

static double
get_seconds (const ProfileWaits *waits, const ProfileWaitMessage *send,
             const ProfileWaitMessage *receive)
{
    guint64 end = g_array_index (waits->calls, ProfileWaitCall, receive->call).leave;

    return end != G_MAXUINT64 && end > send->time
               ? (double) (end - send->time) / (double) MAX (waits->definitions->resolution, 1)
               : 0;
}

static void
put_kind (const ProfileWaits *waits, ProfileMessageSumKind kind, ProfileSpool *to)
{
    g_autoptr (GHashTable) sums = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                                         g_free);

    for (guint i = 0; i < waits->sends->len; i++) {
        const ProfileWaitMessage *send = &g_array_index (waits->sends, ProfileWaitMessage, i);
        ProfileMessageSum *sum = find_sum (sums, send, kind);

        sum->n++;
        sum->bytes += send->bytes;
    }
    for (guint i = 0; i < waits->receives->len; i++) {
        const ProfileWaitMessage *receive = &g_array_index (waits->receives, ProfileWaitMessage,
                                                            i);

        if (receive->sent != 0) {
            const ProfileWaitMessage *send = &g_array_index (waits->sends, ProfileWaitMessage,
                                                             receive->sent - 1);
            ProfileMessageSum *sum = find_sum (sums, send, kind);

            sum->n_received++;
            sum->seconds += get_seconds (waits, send, receive);
        }
    }
    put_sums (waits, sums, kind, to);
}

void
profile_wait_states_put_message_sums (const ProfileWaits *waits, ProfileSpool *to)
{
    for (ProfileMessageSumKind kind = 0; kind < PROFILE_N_SUMS; kind++) {
        put_kind (waits, kind, to);
    }
}
