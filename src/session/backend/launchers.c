/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of launch/launcher.h, as far as forms show it. */
#include "session/launchers.h"
#include "launch/launcher.h"

const char *const *
session_launchers_list (void)
{
    return launch_launcher_list_names ();
}

const char *
session_launchers_get_size_word (const char *launcher)
{
    LaunchKind kind;

    if (launcher == NULL || !launch_launcher_has_name (launcher, &kind)) {
        launch_launcher_has_name (session_launchers_list ()[0], &kind);
    }
    return launch_launcher_get (kind)->size_word;
}
