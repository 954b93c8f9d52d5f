/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/waits.h"
#include "profile/private.h"

/* of the run, and in s: less is not worth a sentence */
#define LEAST_SHARE 0.02
#define LEAST_S 0.01

const char *
profile_wait_get_name (ProfileWaitKind kind)
{
    static const char *const names[PROFILE_N_WAITS] = {
        "late sender",  "late receiver", "wait at barrier",
        "wait for all", "late root",     "root too early",
    };

    return kind < PROFILE_N_WAITS ? names[kind] : "";
}

static void
clear_wait (gpointer data)
{
    ProfileWait *wait = data;

    g_free (wait->call);
    g_free (wait->place);
    g_free (wait->cause_place);
}

void
profile_waits_init (ProfileModel *model)
{
    model->waits = g_array_new (FALSE, FALSE, sizeof (ProfileWait));
    g_array_set_clear_func (model->waits, clear_wait);
    model->traffic = g_array_new (FALSE, FALSE, sizeof (ProfileTraffic));
}

void
profile_waits_clear (ProfileModel *model)
{
    g_array_unref (model->waits);
    g_array_unref (model->traffic);
}

void
profile_model_add_wait (ProfileModel *model, const ProfileWait *wait)
{
    ProfileWait copy = *wait;

    copy.call = g_strdup (wait->call);
    copy.place = g_strdup (wait->place);
    copy.cause_place = g_strdup (wait->cause_place);
    g_array_append_val (model->waits, copy);
}

void
profile_model_add_traffic (ProfileModel *model, const ProfileTraffic *traffic)
{
    g_array_append_val (model->traffic, *traffic);
}

const GArray *
profile_model_get_waits (const ProfileModel *model)
{
    return model->waits;
}

const GArray *
profile_model_get_traffic (const ProfileModel *model)
{
    return model->traffic;
}

/* What the cause did. */
static const char *
get_deed (guint32 kind)
{
    static const char *const deeds[PROFILE_N_WAITS] = {
        "which sent late", "which received late",       "which came last",
        "which came last", "the root, which came late", "which came last",
    };

    return kind < PROFILE_N_WAITS ? deeds[kind] : "";
}

char *
profile_wait_format (const ProfileWait *wait)
{
    return g_strdup_printf ("rank %u has waited for %.3g s in %s%s%s for rank %u, %s%s%s",
                            wait->rank, wait->seconds, wait->call,
                            *wait->place != '\0' ? " in " : "", wait->place, wait->cause,
                            get_deed (wait->kind), *wait->cause_place != '\0' ? " in " : "",
                            wait->cause_place);
}

char *
profile_format_wait (const ProfileModel *model)
{
    const ProfileWait *worst = model->waits->len > 0
                                   ? &g_array_index (model->waits, ProfileWait, 0)
                                   : NULL;
    double longest = 0;

    for (guint i = 0; i < profile_model_get_n_ranks (model); i++) {
        longest = MAX (longest, profile_model_get_duration (model, i));
    }
    return worst != NULL && worst->seconds >= LEAST_SHARE * longest && worst->seconds >= LEAST_S
               ? profile_wait_format (worst)
               : NULL;
}
