/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Of an archive's definitions those that waits need and nothing else does: communicators, windows, MPI's ranks. */
#include "profile/otf2/waits-private.h"
#include "base/array.h"

#define KEY(id) GUINT_TO_POINTER ((guint) (id))

static OTF2_CallbackCode
on_group (void *user, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
          OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t n, const uint64_t *members)
{
    ProfileWaitDefinitions *to = user;

    if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS && paradigm == OTF2_PARADIGM_MPI) {
        g_array_set_size (to->leaders, 0);
        g_array_append_vals (to->leaders, members, n);
    } else if (type == OTF2_GROUP_TYPE_COMM_GROUP && paradigm == OTF2_PARADIGM_MPI) {
        GArray *list = g_array_new (FALSE, FALSE, sizeof (guint64));

        g_array_append_vals (list, members, n);
        g_hash_table_insert (to->groups, KEY (self), list);
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_comm (void *user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
         OTF2_CommRef parent, OTF2_CommFlag flags)
{
    ProfileWaitDefinitions *to = user;

    if (g_hash_table_contains (to->groups, KEY (group))) {
        g_hash_table_insert (to->comms, KEY (self), KEY (group + 1));
        g_hash_table_insert (to->waits->comm_names, KEY (self),
                             g_hash_table_lookup (to->definitions->strings, KEY (name)));
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_intercomm (void *user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef first,
              OTF2_GroupRef second, OTF2_CommRef common, OTF2_CommFlag flags)
{
    ProfileWaitDefinitions *to = user;

    on_comm (user, self, name, first, common, flags);
    if (g_hash_table_contains (to->groups, KEY (second))) {
        g_hash_table_insert (to->others, KEY (self), KEY (second + 1));
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_window (void *user, OTF2_RmaWinRef self, OTF2_StringRef name, OTF2_CommRef comm,
           OTF2_RmaWinFlag flags)
{
    g_hash_table_insert (((ProfileWaitDefinitions *) user)->windows, KEY (self),
                         KEY (comm + 1));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_attribute (void *user, OTF2_AttributeRef self, OTF2_StringRef name, OTF2_StringRef about,
              OTF2_Type type)
{
    ProfileWaitDefinitions *to = user;
    const char *text = g_hash_table_lookup (to->definitions->strings, KEY (name));

    if (type == OTF2_TYPE_STRING && g_strcmp0 (text, PROFILE_OTF2_PLACE) == 0) {
        to->place = self;
    } else if (type == OTF2_TYPE_UINT64 && g_strcmp0 (text, PROFILE_OTF2_NUMBER) == 0) {
        to->number = self;
    }
    return OTF2_CALLBACK_SUCCESS;
}

/* Ranks of processes that say none count in the order of their definition. */
static void
number_locations (ProfileWaitDefinitions *to)
{
    for (guint i = 0; i < to->definitions->locations->len; i++) {
        const ProfileOtf2Location *location = &g_array_index (to->definitions->locations,
                                                              ProfileOtf2Location, i);
        guint32 rank = 0;

        for (guint j = 0; j < to->definitions->group_list->len; j++) {
            const ProfileOtf2Group *group = g_ptr_array_index (to->definitions->group_list, j);

            if (group->self == location->group) {
                rank = group->rank != G_MAXUINT32 ? group->rank : rank;
                break;
            }
            rank += group->is_process;
        }
        g_hash_table_insert (to->locations, GSIZE_TO_POINTER ((gsize) location->self),
                             KEY (rank + 1));
    }
}

guint32
profile_wait_definitions_find_rank (const ProfileWaitDefinitions *to, guint64 location)
{
    return GPOINTER_TO_UINT (g_hash_table_lookup (to->locations,
                                                  GSIZE_TO_POINTER ((gsize) location)))
           - 1;
}

/* Appends the members of a communicator's group as ranks. groups: communicator to group + 1. */
static void
append_members (const ProfileWaitDefinitions *to, GHashTable *groups, gpointer comm,
                GArray *ranks)
{
    guint group = GPOINTER_TO_UINT (g_hash_table_lookup (groups, comm));
    const GArray *members = group != 0 ? g_hash_table_lookup (to->groups, KEY (group - 1))
                                       : NULL;

    for (guint i = 0; members != NULL && i < members->len; i++) {
        guint64 index = g_array_index (members, guint64, i);
        guint32 rank = index < to->leaders->len
                           ? profile_wait_definitions_find_rank (to,
                                                                 g_array_index (to->leaders,
                                                                                guint64, index))
                           : G_MAXUINT32;

        g_array_append_val (ranks, rank);
    }
}

static void
resolve_comms (ProfileWaitDefinitions *to)
{
    gpointer key;

    BASE_WALK (to->comms, &key, NULL) {
        GArray *ranks = g_array_new (FALSE, FALSE, sizeof (guint32));

        append_members (to, to->comms, key, ranks);
        if (g_hash_table_contains (to->others, key)) {
            g_hash_table_insert (to->waits->firsts, key, KEY (ranks->len));
            append_members (to, to->others, key, ranks);
        }
        g_hash_table_insert (to->waits->comms, key, ranks);
    }
}

void
profile_wait_definitions_read (ProfileWaitDefinitions *to, OTF2_Reader *reader,
                               const ProfileOtf2Definitions *definitions, ProfileWaits *waits)
{
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New ();

    to->definitions = definitions;
    to->waits = waits;
    to->place = to->number = G_MAXUINT32;
    to->locations = g_hash_table_new (NULL, NULL);
    to->leaders = g_array_new (FALSE, FALSE, sizeof (guint64));
    to->groups = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
    to->comms = g_hash_table_new (NULL, NULL);
    to->others = g_hash_table_new (NULL, NULL);
    to->windows = g_hash_table_new (NULL, NULL);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback (callbacks, on_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback (callbacks, on_comm);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback (callbacks, on_intercomm);
    OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback (callbacks, on_window);
    OTF2_GlobalDefReaderCallbacks_SetAttributeCallback (callbacks, on_attribute);
    profile_otf2_read_global (reader, callbacks, to, NULL);
    number_locations (to);
    resolve_comms (to);
}

gboolean
profile_wait_definitions_is_leader (const ProfileWaitDefinitions *more, guint location)
{
    guint64 self
        = g_array_index (more->definitions->locations, ProfileOtf2Location, location).self;

    return BASE_ANY (i, more->leaders->len, g_array_index (more->leaders, guint64, i) == self);
}

void
profile_wait_definitions_clear (ProfileWaitDefinitions *self)
{
    g_hash_table_unref (self->locations);
    g_array_unref (self->leaders);
    g_hash_table_unref (self->groups);
    g_hash_table_unref (self->comms);
    g_hash_table_unref (self->others);
    g_hash_table_unref (self->windows);
}
