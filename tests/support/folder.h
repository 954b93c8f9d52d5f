/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A test's own folder. */
#pragma once

/* Removes the folder with everything in it, including files that a process which was just
 * killed writes meanwhile. Fails the test if something is left after five seconds. */
void folder_remove (const char *path);
