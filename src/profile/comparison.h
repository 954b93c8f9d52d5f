/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two measurements of a program beside each other: before and after a change, or on few and on many ranks. */
#pragma once
#include "profile/model.h"
#include "profile/page.h"

typedef struct {
    const ProfileModel *model;
    const char *name; /* of its archive */
} ProfileCompared;

/* form: English for files and terminals. Functions are the same where their names and their files' names are; a change that is no larger than
 * chance explains at the rates of both (95 %) says so. */
ProfilePage *profile_comparison_new (const ProfileCompared *before, const ProfileCompared *now,
                                     BaseTextForm form);
