/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/home.h"
#include <glib.h>
#include <pwd.h>
#include <unistd.h>

void
base_home_settle (void)
{
    g_autofree char *given = g_strdup (g_getenv ("HOME"));
    struct passwd *account;

    if (given != NULL && g_path_is_absolute (given)) {
        return;
    }
    account = getpwuid (getuid ());
    g_setenv ("HOME",
              account != NULL && g_path_is_absolute (account->pw_dir) ? account->pw_dir : "/",
              TRUE);
    /* GLib remembers each of them. */
    g_get_home_dir ();
    g_get_user_cache_dir ();
    g_get_user_config_dir ();
    g_get_user_data_dir ();
    g_get_user_state_dir ();
    g_get_user_runtime_dir ();
    if (given != NULL) {
        g_setenv ("HOME", given, TRUE);
    } else {
        g_unsetenv ("HOME");
    }
}
