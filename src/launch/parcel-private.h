/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folder with what a host of a job needs of pddt, on its way there (--carry). It stands in the user's cache folder,
 * on each host at the same path, whose name has pddt's version and the checksum of its files; each host checks both, and
 * that nobody else can write to it, before it runs anything from there. */
#pragma once
#include "launch/launch.h"

/* Front end: makes the folder on this host, and has pddt-start and the Python runner taken from it. DENIED. */
gboolean launch_parcel_make (GError **error);
/* pddt-start before an agent: TRUE when this program runs from such a folder. */
gboolean launch_parcel_is_here (void);
/* pddt-start before an agent: brings its own folder to the host. words: agent, options and host, without NULL. host: what
 * a sentence calls it. has_shell: a shell of the host reads what follows, as with ssh, but not with srun. FALSE: the host
 * is there and cannot have it (DENIED). An agent that fails is left to who calls it next. */
gboolean launch_parcel_bring (GPtrArray *words, const char *host, gboolean has_shell,
                              GError **error);
