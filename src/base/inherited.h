/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptors above 2 that this process was started with, as "exec 5<FILE" of a shell, a jobserver of make or "<(COMMAND)"
 * gives them: they are meant for the program that pddt starts, and reach it. */
#pragma once
#include <glib.h>

/* Remembers those that are open now: at the beginning of main. */
void base_inherited_note (void);
/* In a child before its exec: closes all descriptors above 2 but these and kept_fd. Async-signal-safe. */
void base_inherited_close_others (int kept_fd);
/* They have been passed on: closes them here, all but kept_fd. */
void base_inherited_drop (int kept_fd);
