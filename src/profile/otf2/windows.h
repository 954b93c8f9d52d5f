/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MPI's windows in an archive of events, and the calls that let ranks into them. Only pddt-archive links this. */
#pragma once
#include "profile/otf2/private.h"
#include "profile/trace-files.h"

typedef struct _ProfileOtf2Windows ProfileOtf2Windows;

ProfileOtf2Windows *profile_otf2_windows_new (void);
void profile_otf2_windows_free (ProfileOtf2Windows *windows); /* NULL is fine */
/* event: one of RMA_…; comm: the window's members. Returns the number of records. */
guint profile_otf2_windows_put (ProfileOtf2Windows *windows, ProfileOtf2Out *to,
                                OTF2_EvtWriter *out, guint64 time,
                                const ProfileTraceEvent *event, OTF2_CommRef comm);
/* Defines the windows that were named, whose communicators are defined. */
void profile_otf2_windows_define (const ProfileOtf2Windows *windows, ProfileOtf2Out *to);
