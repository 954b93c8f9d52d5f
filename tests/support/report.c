/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a started program's report from its pipe. */
#include "report.h"
#include <unistd.h>

char *
report_read (int fd, guint seconds)
{
    g_autoptr (GString) report = g_string_new (NULL);
    gint64 deadline = g_get_monotonic_time () + seconds * G_USEC_PER_SEC;

    while (!g_str_has_suffix (report->str, "end\n") && g_get_monotonic_time () < deadline) {
        GPollFD poll = { fd, G_IO_IN | G_IO_HUP, 0 };
        char buffer[4096];
        ssize_t done;

        if (g_poll (&poll, 1, 1000) <= 0) {
            continue;
        }
        done = read (fd, buffer, sizeof buffer);
        if (done <= 0) {
            break;
        }
        g_string_append_len (report, buffer, done);
    }
    g_assert_true (g_str_has_suffix (report->str, "end\n"));
    return g_string_free (g_steal_pointer (&report), FALSE);
}
