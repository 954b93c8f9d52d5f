/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The changed limits and their original values. */
#include "base/limits.h"
#include "base/array.h"
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

/* is_changed: before holds what it was. */
static struct {
    int resource;
    gboolean is_changed;
    struct rlimit before;
} changes[] = { { .resource = RLIMIT_CORE }, { .resource = RLIMIT_NOFILE } };

static void
change (guint index, rlim_t soft, rlim_t hard)
{
    struct rlimit limit;

    if (getrlimit ((__rlimit_resource_t) changes[index].resource, &limit) < 0) {
        return;
    }
    if (!changes[index].is_changed) {
        changes[index].before = limit;
        changes[index].is_changed = TRUE;
    }
    limit.rlim_cur = MIN (soft, limit.rlim_max);
    limit.rlim_max = MIN (hard, limit.rlim_max);
    if (setrlimit ((__rlimit_resource_t) changes[index].resource, &limit) < 0) {
        g_warning ("cannot change a limit of this process");
    }
}

void
base_limits_protect (void)
{
    change (0, 0, RLIM_INFINITY);
    if (prctl (PR_SET_DUMPABLE, 0, 0, 0, 0) < 0) {
        g_warning ("other processes of this user can read this process's memory");
    }
}

void
base_limits_raise_files (void)
{
    change (1, RLIM_INFINITY, RLIM_INFINITY);
}

void
base_limits_restore (gpointer unused)
{
    for (gsize i = 0; i < G_N_ELEMENTS (changes); i++) {
        if (changes[i].is_changed) {
            setrlimit ((__rlimit_resource_t) changes[i].resource, &changes[i].before);
        }
    }
}

static void
ignore_limit (int number)
{
}

/* A handler, because children would inherit SIG_IGN. */
void
base_limits_catch_size (void)
{
    struct sigaction old, action = { .sa_handler = ignore_limit, .sa_flags = SA_RESTART };

    if (sigaction (SIGXFSZ, NULL, &old) == 0 && old.sa_handler == SIG_DFL) {
        sigaction (SIGXFSZ, &action, NULL);
    }
}

void
base_limits_free_size (void)
{
    struct rlimit limit, none = { RLIM_INFINITY, RLIM_INFINITY };

    if (setrlimit (RLIMIT_FSIZE, &none) < 0 && getrlimit (RLIMIT_FSIZE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit (RLIMIT_FSIZE, &limit);
    }
    base_limits_catch_size ();
}

BASE_FREE_PUBLIC (base_secret_free, char, text, explicit_bzero (text, strlen (text)))
