/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/native.h"
#include "profile/private.h"

static void
clear_file_use (gpointer data)
{
    g_free (((ProfileFileUse *) data)->path);
}

static void
clear_lock_wait (gpointer data)
{
    ProfileLockWait *wait = data;

    g_free (wait->call);
    g_free (wait->place);
    g_free (wait->owner_place);
}

static void
clear_allocation (gpointer data)
{
    ProfileAllocation *allocation = data;

    g_free (allocation->place);
    g_free (allocation->code);
    g_free (allocation->callers);
}

void
profile_native_init (ProfileModel *model)
{
    model->allocations = g_array_new (FALSE, FALSE, sizeof (ProfileAllocation));
    g_array_set_clear_func (model->allocations, clear_allocation);
    model->file_uses = g_array_new (FALSE, FALSE, sizeof (ProfileFileUse));
    g_array_set_clear_func (model->file_uses, clear_file_use);
    model->lock_waits = g_array_new (FALSE, FALSE, sizeof (ProfileLockWait));
    g_array_set_clear_func (model->lock_waits, clear_lock_wait);
}

void
profile_native_clear (ProfileModel *model)
{
    g_array_unref (model->file_uses);
    g_array_unref (model->lock_waits);
    g_array_unref (model->allocations);
}

void
profile_model_add_file_use (ProfileModel *model, const ProfileFileUse *use)
{
    ProfileFileUse copy = *use;

    copy.path = g_strdup (use->path);
    g_array_append_val (model->file_uses, copy);
}

void
profile_model_add_lock_wait (ProfileModel *model, const ProfileLockWait *wait)
{
    ProfileLockWait copy = *wait;

    copy.call = g_strdup (wait->call);
    copy.place = g_strdup (wait->place);
    copy.owner_place = g_strdup (wait->owner_place);
    g_array_append_val (model->lock_waits, copy);
}

void
profile_model_add_allocation (ProfileModel *model, const ProfileAllocation *allocation)
{
    ProfileAllocation copy = *allocation;

    copy.place = g_strdup (allocation->place);
    copy.code = g_strdup (allocation->code);
    copy.callers = g_strdup (allocation->callers);
    g_array_append_val (model->allocations, copy);
}

const GArray *
profile_model_get_allocations (const ProfileModel *model)
{
    return model->allocations;
}

const GArray *
profile_model_get_file_uses (const ProfileModel *model)
{
    return model->file_uses;
}

const GArray *
profile_model_get_lock_waits (const ProfileModel *model)
{
    return model->lock_waits;
}
