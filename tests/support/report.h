/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a started program reports of itself before it waits. */
#pragma once
#include <glib.h>

/* All text up to the line "end", which must come within the time. To be freed. */
char *report_read (int fd, guint seconds);
