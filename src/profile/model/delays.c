/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/delays.h"
#include "profile/private.h"

static void
clear_delay (gpointer data)
{
    ProfileDelay *delay = data;

    g_free (delay->function);
    g_free (delay->file);
}

static void
clear_part (gpointer data)
{
    ProfilePathPart *part = data;

    g_free (part->function);
    g_free (part->file);
}

void
profile_delays_init (ProfileModel *model)
{
    model->delays = g_array_new (FALSE, FALSE, sizeof (ProfileDelay));
    g_array_set_clear_func (model->delays, clear_delay);
    model->path = g_array_new (FALSE, FALSE, sizeof (ProfilePathPart));
    g_array_set_clear_func (model->path, clear_part);
}

void
profile_delays_clear (ProfileModel *model)
{
    g_array_unref (model->delays);
    g_array_unref (model->path);
}

void
profile_model_add_delay (ProfileModel *model, const ProfileDelay *delay)
{
    ProfileDelay copy = *delay;

    copy.function = g_strdup (delay->function);
    copy.file = g_strdup (delay->file);
    g_array_append_val (model->delays, copy);
}

void
profile_model_add_path_part (ProfileModel *model, const ProfilePathPart *part)
{
    ProfilePathPart copy = *part;

    copy.function = g_strdup (part->function);
    copy.file = g_strdup (part->file);
    g_array_append_val (model->path, copy);
}

const GArray *
profile_model_get_delays (const ProfileModel *model)
{
    return model->delays;
}

const GArray *
profile_model_get_path (const ProfileModel *model)
{
    return model->path;
}
