/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scripted-window RANKS FILE: the window on a job that does not exist (script.h); lines on stdin
 * make things happen. */
#include "base/words.h"
#include "gui/application.h"
#include "gui/kit/settings.h"
#include "gui/kit/theme.h"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "script.h"

static gboolean
on_input (GIOChannel *channel, GIOCondition condition, gpointer user)
{
    g_autofree char *line = NULL;
    gsize end;

    if (g_io_channel_read_line (channel, &line, NULL, &end, NULL) != G_IO_STATUS_NORMAL) {
        return G_SOURCE_REMOVE;
    }
    line[end] = '\0';
    script_play (user, line);
    return G_SOURCE_CONTINUE;
}

int
main (int argc, char **argv)
{
    Script *script;
    g_autoptr (GIOChannel) input = g_io_channel_unix_new (0);
    guint64 n = 0;

    if (argc != 3 || !g_ascii_string_to_unsigned (argv[1], 10, 0, 2000000, &n, NULL)) {
        fprintf (stderr, "scripted-window RANKS FILE\n");
        return 2;
    }
    g_set_prgname ("pddt");
    setlocale (LC_ALL, "");
    setlocale (LC_NUMERIC, "C");
    base_words_init ("pddt", "/nonexistent");
    gui_settings_init ();
    if (!gui_theme_open_display ()) {
        return 77;
    }
    script = script_new ((guint32) n, argv[2]);
    g_io_add_watch (input, G_IO_IN | G_IO_HUP, on_input, script);
    return gui_application_run (script_get_session (script), NULL, NULL);
}
