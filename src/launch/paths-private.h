/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* pddt-start and the Python runner are taken from this folder, which stays the caller's and is on every host; NULL: from
 * beside this program. */
void launch_paths_set_host_folder (const char *folder);
