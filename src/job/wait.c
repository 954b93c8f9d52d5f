/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/wait.h"
#include "base/array.h"

JobWait *
job_wait_new (JobWaitKind kind)
{
    JobWait *wait = g_new0 (JobWait, 1);

    wait->kind = kind;
    return wait;
}

JobWait *
job_wait_dup (const JobWait *wait)
{
    JobWait *copy = g_memdup2 (wait, sizeof *wait);

    copy->thread_name = g_strdup (wait->thread_name);
    copy->other_name = g_strdup (wait->other_name);
    copy->name = g_strdup (wait->name);
    copy->file = g_strdup (wait->file);
    return copy;
}

BASE_FREE_PUBLIC (job_wait_free, JobWait, wait, g_free (wait->thread_name);
                  g_free (wait->other_name); g_free (wait->name); g_free (wait->file))

GPtrArray *
job_wait_list_new (void)
{
    return g_ptr_array_new_with_free_func ((GDestroyNotify) job_wait_free);
}
