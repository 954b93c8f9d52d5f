/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The user's home, where the environment names none. */
#pragma once

/* To be called before any other thread is there and before anything asks GLib for a folder of the user's. Without a
 * HOME that is an absolute path (an empty one makes them folders of the working folder) these folders are those of the
 * user's account, and without an account, as in containers, those below "/", without a word of GLib's. The environment
 * stays as it is: the programs that this one starts see it. */
void base_home_settle (void);
