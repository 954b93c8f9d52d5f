/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of a profile, on one page: where the time went, what to try next, and what was not
 * measured. */
#pragma once
#include "base/text.h"
#include "profile/model.h"
#include "profile/page.h"

/* What the model does not know. All borrowed. */
typedef struct {
    const char *command; /* the user's; NULL: not known */
    const char *begun;   /* date and time; NULL: not known */
    guint rate;          /* samples of each thread in a second; 0: not known */
} ProfileReportFacts;

/* What the class is called: as in files, or as in the window's legend. Static. */
const char *profile_report_get_class_title (BaseTextForm form, JobClass class);

/* form: English for files, which are mailed and which scripts read; the user's language for windows. */
ProfilePage *profile_report_new (const ProfileModel *model, const ProfileReportFacts *facts,
                                 BaseTextForm form);
/* The same into a file, in English; its suffix, .html, .txt, .csv or .json, is the form. INVALID: it has none of
 * them; else the error of the file. */
gboolean profile_report_write (const ProfileModel *model, const char *path,
                               const ProfileReportFacts *facts, GError **error);
