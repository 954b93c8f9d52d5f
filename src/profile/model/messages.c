/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/messages.h"
#include "profile/private.h"
#include "profile/model/stretches.h"
#include <stdlib.h>

struct _ProfileMessages {
    GArray *messages;    /* of ProfileMessage */
    GArray *collectives; /* of ProfileCollective */
    GArray *members;     /* of ProfileMember */
    GHashTable *names;   /* of collectives */
    guint64 n_messages, n_collectives;
    ProfileStretches *message_times, *collective_times; /* NULL: to be made */
};

ProfileMessages *
profile_messages_new (void)
{
    ProfileMessages *messages = g_new0 (ProfileMessages, 1);

    messages->messages = g_array_new (FALSE, FALSE, sizeof (ProfileMessage));
    messages->collectives = g_array_new (FALSE, FALSE, sizeof (ProfileCollective));
    messages->members = g_array_new (FALSE, FALSE, sizeof (ProfileMember));
    messages->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    return messages;
}

void
profile_messages_free (ProfileMessages *messages)
{
    profile_stretches_free (messages->message_times);
    profile_stretches_free (messages->collective_times);
    g_array_unref (messages->messages);
    g_array_unref (messages->collectives);
    g_array_unref (messages->members);
    g_hash_table_unref (messages->names);
    g_free (messages);
}

void
profile_model_add_message (ProfileModel *model, const ProfileMessage *message)
{
    g_array_append_val (model->messages->messages, *message);
    model->messages->n_messages++;
    g_clear_pointer (&model->messages->message_times, profile_stretches_free);
}

BASE_ORDER (compare_members, ProfileMember, BASE_BY (rank))

void
profile_model_add_collective (ProfileModel *model, const char *name, const GArray *members)
{
    ProfileMessages *to = model->messages;
    ProfileCollective collective = { NULL, to->members->len, members->len, G_MAXINT64,
                                     G_MININT64 };
    gpointer known;

    if (members->len == 0) {
        return;
    }
    if (!g_hash_table_lookup_extended (to->names, name, &known, NULL)) {
        known = g_strdup (name);
        g_hash_table_add (to->names, known);
    }
    collective.name = known;
    for (guint i = 0; i < members->len; i++) {
        const ProfileMember *member = &g_array_index (members, ProfileMember, i);

        collective.begin_us = MIN (collective.begin_us, member->begin_us);
        collective.end_us = MAX (collective.end_us, member->end_us);
    }
    g_array_append_vals (to->members, members->data, members->len);
    qsort (&g_array_index (to->members, ProfileMember, collective.first), members->len,
           sizeof (ProfileMember), compare_members);
    g_array_append_val (to->collectives, collective);
    to->n_collectives++;
    g_clear_pointer (&to->collective_times, profile_stretches_free);
}

void
profile_model_set_n_messages (ProfileModel *model, guint64 n_messages, guint64 n_collectives)
{
    model->messages->n_messages = n_messages;
    model->messages->n_collectives = n_collectives;
}

guint64
profile_model_get_n_messages (const ProfileModel *model)
{
    return model->messages->n_messages;
}

guint64
profile_messages_get_step (const ProfileModel *model)
{
    guint64 n_kept = MAX (model->messages->messages->len, 1u);

    return MAX ((model->messages->n_messages + n_kept - 1) / n_kept, 1u);
}

guint64
profile_model_get_n_collectives (const ProfileModel *model)
{
    return model->messages->n_collectives;
}

const ProfileMessage *
profile_messages_get (const ProfileModel *model, guint32 number)
{
    return &g_array_index (model->messages->messages, ProfileMessage, number);
}

const ProfileCollective *
profile_collectives_get (const ProfileModel *model, guint32 number)
{
    return &g_array_index (model->messages->collectives, ProfileCollective, number);
}

const ProfileMember *
profile_collectives_get_member (const ProfileModel *model, guint32 number)
{
    return &g_array_index (model->messages->members, ProfileMember, number);
}

double
profile_messages_get_seconds (const ProfileModel *model, gint64 time_us)
{
    return (double) (time_us - profile_model_find_first (model)) / G_USEC_PER_SEC;
}

/* ---- by time ---- */

/* A clock of another host may have it that a message came before it was sent. */
static void
add_stretch (GArray *list, gint64 begin_us, gint64 end_us, guint32 number)
{
    BASE_APPEND (list, ProfileStretch, MIN (begin_us, end_us), MAX (begin_us, end_us), number);
}

static gboolean
find (const ProfileModel *model, const ProfileStretches *times, double begin_s, double end_s,
      guint most, GArray *to)
{
    double first = (double) profile_model_find_first (model);

    return profile_stretches_find (times,
                                   (gint64) CLAMP (first + begin_s * G_USEC_PER_SEC, -4e18,
                                                   4e18),
                                   (gint64) CLAMP (first + end_s * G_USEC_PER_SEC, -4e18, 4e18),
                                   most, to);
}

gboolean
profile_messages_find (const ProfileModel *model, double begin_s, double end_s, guint most,
                       GArray *to)
{
    ProfileMessages *from = model->messages;

    if (from->message_times == NULL) {
        GArray *list = g_array_new (FALSE, FALSE, sizeof (ProfileStretch));

        for (guint32 i = 0; i < from->messages->len; i++) {
            const ProfileMessage *message = profile_messages_get (model, i);

            add_stretch (list, message->sent_us, message->received_us, i);
        }
        from->message_times = profile_stretches_new (list);
    }
    return find (model, from->message_times, begin_s, end_s, most, to)
           && from->messages->len == from->n_messages;
}

gboolean
profile_collectives_find (const ProfileModel *model, double begin_s, double end_s, guint most,
                          GArray *to)
{
    ProfileMessages *from = model->messages;

    if (from->collective_times == NULL) {
        GArray *list = g_array_new (FALSE, FALSE, sizeof (ProfileStretch));

        for (guint32 i = 0; i < from->collectives->len; i++) {
            const ProfileCollective *collective = profile_collectives_get (model, i);

            add_stretch (list, collective->begin_us, collective->end_us, i);
        }
        from->collective_times = profile_stretches_new (list);
    }
    return find (model, from->collective_times, begin_s, end_s, most, to)
           && from->collectives->len == from->n_collectives;
}
