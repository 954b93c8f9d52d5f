/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of a profile, on one page: where the time went, what to try next, and what was not
 * measured. */
#pragma once
#include "profile/model.h"
#include "profile/page.h"

/* What the model does not know. All borrowed. */
typedef struct {
    const char *command; /* the user's; NULL: not known */
    const char *begun;   /* date and time; NULL: not known */
    guint rate;          /* samples of each thread in a second; 0: not known */
} ProfileReportFacts;

ProfilePage *profile_report_new (const ProfileModel *model, const ProfileReportFacts *facts);
/* The same into a file; its suffix, .html, .txt, .csv or .json, is the form. INVALID: it has none of
 * them; else the error of the file. */
gboolean profile_report_write (const ProfileModel *model, const char *path,
                               const ProfileReportFacts *facts, GError **error);
