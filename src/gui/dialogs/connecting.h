/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a user sees while --remote connects, which may take long where ssh asks, or nobody answers. */
#pragma once
#include <glib.h>

/* As SessionRemoteWait: after a moment a dialog says where pddt connects to, and cancels that. */
gboolean gui_connecting_wait (const char *host, guint waited_ms);
/* The same while an archive is brought from there. */
gboolean gui_connecting_wait_archive (const char *host, guint waited_ms);
void gui_connecting_end (void); /* takes the dialog away */
