/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A test's own folder. */
#pragma once

/* Removes the folder with all that is in it, also what a process that was just killed has still
 * written meanwhile; fails the test when something is left after five seconds. */
void folder_remove (const char *path);
