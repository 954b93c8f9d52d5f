/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The focus and the named sets. The command layer interprets the text of live sets. */
#include "session/private.h"

typedef struct {
    JobRankSet *set;
    char *live_text;
} NamedSet;

BASE_FREE (free_named, NamedSet, named, job_rank_set_free (named->set);
           g_free (named->live_text))

void
session_sets_init (Session *session)
{
    session->sets->named = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_named);
    session->sets->focus = job_rank_set_new ();
    session->sets->focus_is_all = TRUE;
}

void
session_sets_clear (Session *session)
{
    g_hash_table_unref (session->sets->named);
    job_rank_set_free (session->sets->focus);
    g_clear_pointer (&session->sets->input_ranks, job_rank_set_free);
}

const JobRankSet *
session_get_focus (const Session *session)
{
    return session->sets->focus;
}

void
session_set_focus (Session *session, const JobRankSet *set)
{
    const SessionChange change = { .kind = SESSION_CHANGE_FOCUS, .ranks = set };

    session_apply_change (session, &change);
}

void
session_sets_apply_focus (Session *session, const JobRankSet *set)
{
    g_autoptr (JobRankSet) all = session_dup_all (session);
    JobRankSet *focus = job_rank_set_dup (set);

    job_rank_set_free (session->sets->focus);
    session->sets->focus = focus;
    session->sets->focus_is_all = job_rank_set_equal (focus, all);
    g_signal_emit (session, session_signals[SESSION_SETS_CHANGED], 0);
}

void
session_sets_apply (Session *session, const char *name, const JobRankSet *set,
                    const char *live_text)
{
    g_autofree char *key = g_strdup (name); /* it may be the item's own */

    if (set == NULL && live_text == NULL) {
        g_hash_table_remove (session->sets->named, name);
    } else {
        NamedSet *named = g_new0 (NamedSet, 1);

        named->set = set != NULL ? job_rank_set_dup (set) : job_rank_set_new ();
        named->live_text = g_strdup (live_text);
        g_hash_table_replace (session->sets->named, g_strdup (name), named);
    }
    session_model_note_set (session, key);
}

void
session_set_named (Session *session, const char *name, const JobRankSet *set,
                   const char *live_text)
{
    const SessionChange change
        = { .kind = SESSION_CHANGE_SET, .name = name, .ranks = set, .text = live_text };

    g_return_if_fail (set != NULL || live_text != NULL);
    session_apply_change (session, &change);
}

gboolean
session_remove_named (Session *session, const char *name)
{
    const SessionChange change = { .kind = SESSION_CHANGE_SET, .name = name };

    if (!g_hash_table_contains (session->sets->named, name)) {
        return FALSE;
    }
    session_apply_change (session, &change);
    return TRUE;
}

const JobRankSet *
session_find_named (const Session *session, const char *name, const char **ret_live_text)
{
    NamedSet *named = g_hash_table_lookup (session->sets->named, name);

    if (ret_live_text != NULL) {
        *ret_live_text = named != NULL ? named->live_text : NULL;
    }
    return named != NULL ? named->set : NULL;
}

char **
session_dup_set_names (const Session *session)
{
    g_autoptr (GPtrArray) names = g_ptr_array_new ();
    gpointer name;

    BASE_WALK (session->sets->named, &name, NULL) {
        g_ptr_array_add (names, g_strdup (name));
    }
    g_ptr_array_sort (names, base_order_texts);
    g_ptr_array_add (names, NULL);
    return (char **) g_ptr_array_free (g_steal_pointer (&names), FALSE);
}

char *
session_dup_set_name (const Session *session, const JobRankSet *set)
{
    g_auto (GStrv) names = session_dup_set_names (session);

    for (guint i = 0; names[i] != NULL; i++) {
        const char *live = NULL;
        const JobRankSet *named = session_find_named (session, names[i], &live);

        if (live == NULL && job_rank_set_equal (named, set)) {
            return g_strdup (names[i]);
        }
    }
    return NULL;
}
