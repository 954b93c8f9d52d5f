/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One pass over the events of an archive for all who collect something of them but calls. */
#pragma once
#include "profile/otf2/private.h"

/* What each of them has of the location that is being read; NULL: it is not interested. The callbacks' user data. */
typedef struct {
    gpointer waits, native, own;
} ProfileOtf2Streams;

/* Opens the archive anew: a reader has each location once. NULL: it cannot. */
OTF2_Reader *profile_otf2_open_events (const char *anchor,
                                       const ProfileOtf2Definitions *definitions);
void profile_otf2_close_events (OTF2_Reader *reader);
/* The rank of a location's process (an index), as read.c numbers processes. */
guint32 profile_otf2_find_rank (const ProfileOtf2Definitions *definitions, guint location);
/* Reads the location's events with the callbacks. */
void profile_otf2_read_stream (OTF2_Reader *reader, const ProfileOtf2Location *location,
                               OTF2_EvtReaderCallbacks *callbacks, ProfileOtf2Streams *streams);
