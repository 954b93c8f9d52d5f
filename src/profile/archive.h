/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OTF2 archives, by pddt-archive: a program of its own reads them, because the library trusts its
 * files. */
#pragma once
#include "profile/model.h"

/* DENIED: root would make the folder in one of another user's, whose rights do not suffice to write into it then, and who
 * could put links in the way. */
gboolean profile_archive_check_place (const char *folder, GError **error);
/* Makes the archive of what FOLDER/spool has, which is removed then. *ret_problem, caller owns: what could not be kept, and the
 * spool stays; NULL: nothing. program: path of pddt-archive. */
gboolean profile_archive_write (const char *program, const char *folder, char **ret_problem,
                                GError **error);
/* scorep-score's table of an archive with calls. Caller owns. NOT_FOUND, CORRUPT. */
char *profile_archive_score (const char *program, const char *path, GError **error);
/* TRUE: a folder with an archive or a spool, or a file "….otf2". */
gboolean profile_archive_is (const char *path);
/* How windows call it: its folder, also where the path leads into it ("x/traces", "x/traces.otf2"). Caller owns. */
char *profile_archive_dup_name (const char *path);
/* An archive of ours, Score-P's or TAU's kind, or what a measurement that was cut off has left; of a folder with a trace and
 * the samples of the same run the calls of the trace, which samples fill. What can be read of
 * a damaged one; see profile_model_get_problem. NOT_FOUND, CORRUPT. */
ProfileModel *profile_archive_read (const char *program, const char *path, GError **error);
