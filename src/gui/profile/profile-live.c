/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/profile-live.h"
#include "profile/command.h"
#include "profile/rate.h"
#include "base/array.h"
#include <string.h>

struct _GuiProfileLive {
    Session *session;
    ProfileModel *model; /* NULL: nothing yet */
    guint64 request;     /* whose samples they are */
    GHashTable *offsets; /* host to gint64: what its clock is behind ours */
    GuiProfileLiveChanged changed;
    gpointer user;
};

/* Nothing arrives before it was sampled: the smallest difference is the closest one. */
static gint64
note_arrival (GuiProfileLive *live, const char *host, gint64 time_us)
{
    gint64 offset_us = g_get_monotonic_time () - time_us;
    gint64 *known = g_hash_table_lookup (live->offsets, host);

    if (known == NULL) {
        known = g_new (gint64, 1);
        *known = offset_us;
        g_hash_table_insert (live->offsets, g_strdup (host), known);
    }
    *known = MIN (*known, offset_us);
    return *known;
}

static gint64
get_last_time (const ProfileModel *model, guint index)
{
    gint64 last_us = 0;

    for (guint i = 0; i < profile_samples_get_n_threads (model, index); i++) {
        guint32 number;
        const GArray *samples = profile_samples_get (model, index, i, &number);

        if (samples->len > 0) {
            last_us = MAX (last_us,
                           g_array_index (samples, ProfileSample, samples->len - 1).time_us);
        }
    }
    return last_us;
}

static void
set_process (GuiProfileLive *live, guint32 rank)
{
    const SessionRank known = session_get_rank (live->session, rank);
    ProfileProcess process = { .pid = known.is_there ? known.pid : 0,
                               .host = known.is_there ? (char *) known.host : NULL };
    guint index;

    if (process.host != NULL && strcmp (process.host, g_get_host_name ()) != 0
        && profile_model_find_index (live->model, rank, &index)) {
        gint64 last_us = get_last_time (live->model, index);

        process.offset_us = last_us > 0 ? note_arrival (live, process.host, last_us) : 0;
    }
    profile_model_set_process (live->model, rank, &process);
}

static void
begin (GuiProfileLive *live, guint64 request)
{
    g_autoptr (ProfileModel) before = live->model;
    g_autofree char *command = profile_command_format (session_get_argv (live->session));
    const ProfileInfo info = { .command = command,
                               .begin_us = g_get_monotonic_time (),
                               .begin_real_us = g_get_real_time (),
                               .rate = PROFILE_RATE };

    live->model = profile_model_new ();
    live->request = request;
    profile_model_set_info (live->model, &info);
    live->changed (live->model, TRUE, live->user); /* before the old one is gone */
}

/* Of very many ranks: they come once, at the end, by groups of equal ranks. */
static void
take_sums (GuiProfileLive *live, const JobEvent *event)
{
    if (live->model == NULL || event->request != live->request) {
        begin (live, event->request);
    }
    profile_model_add_costs (live->model, job_costs_dup (event->costs));
    live->changed (live->model, FALSE, live->user);
}

static void
on_event (Session *session, const JobEvent *event, gpointer user)
{
    GuiProfileLive *live = user;

    if (event->kind == JOB_EVENT_COSTS && event->costs != NULL) {
        take_sums (live, event);
        return;
    }
    if (event->kind != JOB_EVENT_SAMPLES || event->bytes == NULL) {
        return;
    }
    if (live->model == NULL || event->request != live->request) {
        begin (live, event->request);
    }
    JOB_EACH_RANK (event->ranks, rank) {
        profile_model_add (live->model, rank, event->bytes,
                           NULL); /* the command says what is wrong */
        set_process (live, rank);
    }
    live->changed (live->model, FALSE, live->user);
}

GuiProfileLive *
gui_profile_live_new (Session *session, GuiProfileLiveChanged changed, gpointer user)
{
    GuiProfileLive *live = g_new0 (GuiProfileLive, 1);

    live->session = g_object_ref (session);
    live->offsets = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    live->changed = changed;
    live->user = user;
    session_add_listener (session, on_event, live);
    return live;
}

BASE_FREE_PUBLIC (gui_profile_live_free, GuiProfileLive, live,
                  session_remove_listener (live->session, on_event, live);
                  g_object_unref (live->session); g_hash_table_unref (live->offsets);
                  profile_model_free (live->model))
