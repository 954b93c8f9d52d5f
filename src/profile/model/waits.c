/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/waits.h"
#include <glib/gi18n.h>
#include "profile/private.h"

/* of the run, and in s: less is not worth a sentence */
#define LEAST_SHARE 0.02
#define LEAST_S 0.01

const char *
profile_wait_get_name (ProfileWaitKind kind)
{
    static const char *const names[PROFILE_N_WAITS] = {
        N_ ("late sender"),
        N_ ("late receiver"),
        N_ ("wait at barrier"),
        N_ ("wait for all"),
        N_ ("late root"),
        N_ ("root too early"),
        N_ ("early scan"),
        N_ ("wrong order"),
        N_ ("wait at window creation"),
        N_ ("wait at freeing a window"),
        N_ ("wait at fence"),
        N_ ("late post"),
        N_ ("early wait"),
        N_ ("lock contention"),
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
    g_free (wait->file);
    g_free (wait->cause_file);
}

static void
clear_sum (gpointer data)
{
    g_free (((ProfileMessageSum *) data)->name);
}

void
profile_waits_init (ProfileModel *model)
{
    model->waits = g_array_new (FALSE, FALSE, sizeof (ProfileWait));
    g_array_set_clear_func (model->waits, clear_wait);
    model->traffic = g_array_new (FALSE, FALSE, sizeof (ProfileTraffic));
    model->message_sums = g_array_new (FALSE, FALSE, sizeof (ProfileMessageSum));
    g_array_set_clear_func (model->message_sums, clear_sum);
}

void
profile_waits_clear (ProfileModel *model)
{
    g_array_unref (model->waits);
    g_array_unref (model->traffic);
    g_array_unref (model->message_sums);
}

void
profile_model_add_wait (ProfileModel *model, const ProfileWait *wait)
{
    ProfileWait copy = *wait;

    copy.call = g_strdup (wait->call);
    copy.place = g_strdup (wait->place);
    copy.cause_place = g_strdup (wait->cause_place);
    copy.file = g_strdup (wait->file != NULL ? wait->file : "");
    copy.cause_file = g_strdup (wait->cause_file != NULL ? wait->cause_file : "");
    g_array_append_val (model->waits, copy);
}

void
profile_model_add_traffic (ProfileModel *model, const ProfileTraffic *traffic)
{
    g_array_append_val (model->traffic, *traffic);
}

void
profile_model_add_message_sum (ProfileModel *model, const ProfileMessageSum *sum)
{
    ProfileMessageSum copy = *sum;

    copy.name = g_strdup (sum->name != NULL ? sum->name : "");
    g_array_append_val (model->message_sums, copy);
}

const GArray *
profile_model_get_message_sums (const ProfileModel *model)
{
    return model->message_sums;
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

/* Where the cause's place is not known, it is left out. */
static const char *
choose_sentence (guint32 kind, gboolean has_place)
{
    static const char *const sentences[][2] = {
        /* Translators: rank, time, "MPI_Recv in work at app.py:12", rank, "solve at app.py:30" */
        [PROFILE_WAIT_LATE_SENDER]
        = { N_ ("rank %u has waited for %.3g s in %s for rank %u, which sent late"),
            N_ ("rank %u has waited for %.3g s in %s for rank %u, which sent late in %s") },
        [PROFILE_WAIT_LATE_RECEIVER]
        = { N_ ("rank %u has waited for %.3g s in %s for rank %u, which received late"),
            N_ ("rank %u has waited for %.3g s in %s for rank %u, which received late in %s") },
        [PROFILE_WAIT_BARRIER]
        = { N_ ("rank %u has waited for %.3g s in %s for rank %u, which came last"),
            N_ ("rank %u has waited for %.3g s in %s for rank %u, which came last in %s") },
        [PROFILE_WAIT_ALL]
        = { N_ ("rank %u has waited for %.3g s in %s for rank %u, which came last"),
            N_ ("rank %u has waited for %.3g s in %s for rank %u, which came last in %s") },
        [PROFILE_WAIT_LATE_ROOT]
        = { N_ ("rank %u has waited for %.3g s in %s for rank %u, the root, which came late"),
            N_ ("rank %u has waited for %.3g s in %s for rank %u, the root, which came late in %s") },
        [PROFILE_WAIT_EARLY_SCAN]
        = { N_ ("rank %u has waited for %.3g s in %s for rank %u, which came last"),
            N_ ("rank %u has waited for %.3g s in %s for rank %u, which came last in %s") },
        [PROFILE_WAIT_WRONG_ORDER]
        = { N_ ("rank %u has waited for %.3g s in %s for rank %u, which sent late, after a message that is received later"),
            N_ ("rank %u has waited for %.3g s in %s for rank %u, which sent late in %s, after a message that is received later") },
        [PROFILE_WAIT_CREATE]
        = { N_ ("rank %u has waited for %.3g s in %s for rank %u, which came last"),
            N_ ("rank %u has waited for %.3g s in %s for rank %u, which came last in %s") },
        [PROFILE_WAIT_FREE]
        = { N_ ("rank %u has waited for %.3g s in %s for rank %u, which came last"),
            N_ ("rank %u has waited for %.3g s in %s for rank %u, which came last in %s") },
        [PROFILE_WAIT_FENCE]
        = { N_ ("rank %u has waited for %.3g s in %s for rank %u, which came last"),
            N_ ("rank %u has waited for %.3g s in %s for rank %u, which came last in %s") },
        [PROFILE_WAIT_LATE_POST]
        = { N_ ("rank %u has waited for %.3g s in %s for rank %u, which let it in late"),
            N_ ("rank %u has waited for %.3g s in %s for rank %u, which let it in late in %s") },
        [PROFILE_WAIT_EARLY_WAIT]
        = { N_ ("rank %u has waited for %.3g s in %s for rank %u, which completed late"),
            N_ ("rank %u has waited for %.3g s in %s for rank %u, which completed late in %s") },
        [PROFILE_WAIT_LOCK]
        = { N_ ("rank %u has waited for %.3g s in %s for rank %u, which had the lock"),
            N_ ("rank %u has waited for %.3g s in %s for rank %u, which had the lock until %s") },
        [PROFILE_WAIT_EARLY_ROOT]
        = { N_ ("rank %u has waited for %.3g s in %s for rank %u, which came last"),
            N_ ("rank %u has waited for %.3g s in %s for rank %u, which came last in %s") },
    };

    return sentences[MIN (kind, PROFILE_N_WAITS - 1)][has_place ? 1 : 0];
}

char *
profile_wait_format (const ProfileWait *wait, BaseTextForm form)
{
    const char *sentence = choose_sentence (wait->kind, *wait->cause_place != '\0');
    g_autofree char *call = *wait->place != '\0'
                                ? base_text_print_in (form, "a call of MPI, and where it is",
                                                      "%s in %s", wait->call, wait->place)
                                : g_strdup (wait->call);

    /* What a sentence does not use is ignored. */
    return base_text_print (form, sentence, wait->rank, wait->seconds, call, wait->cause,
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
               ? profile_wait_format (worst, BASE_TEXT_ENGLISH)
               : NULL;
}
