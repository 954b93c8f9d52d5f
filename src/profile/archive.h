/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OTF2 archives, by pddt-archive: a program of its own reads them, because the library trusts its
 * files. */
#pragma once
#include "profile/model.h"

/* Makes the archive of what FOLDER/spool has, which is removed then. program: path of pddt-archive. */
gboolean profile_archive_write (const char *program, const char *folder, GError **error);
