/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile in the formats of other tools. */
#pragma once
#include "profile/model.h"

/* Their names, ended by NULL: "pstats", "speedscope", "collapsed", "dot", … */
const char *const *profile_export_get_formats (void);
/* FALSE: the profile has nothing of what the format is for: lprof is for lines that were counted. */
gboolean profile_export_is_possible (const ProfileModel *model, const char *format);
/* Writes the profile in that format. Where path is a folder it gets files with the format's usual
 * names; otherwise path is the file. Formats that have a file for each rank write those beside it,
 * "NAME_RANK.prof"; of tau, path is always a folder, and is made when it is not there. Existing
 * files are replaced. INVALID: there is no such format, or nothing was sampled; else the error of
 * the file, which the message names. */
gboolean profile_export (const ProfileModel *model, const char *format, const char *path,
                         GError **error);
/* Makes a folder for exports, unless there is one; a link is none. */
gboolean profile_export_make_folder (const char *path, GError **error);
