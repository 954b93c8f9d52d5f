/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MPI's messages and collectives in an archive of events, and the communicators that they name. Only
 * pddt-archive links this. */
#pragma once
#include "profile/otf2/private.h"
#include "profile/trace-files.h"

typedef struct _ProfileOtf2Messages ProfileOtf2Messages;

/* number: the attribute PROFILE_OTF2_NUMBER. */
ProfileOtf2Messages *profile_otf2_messages_new (const ProfileTrace *trace,
                                                OTF2_AttributeRef number);
void profile_otf2_messages_begin_location (ProfileOtf2Messages *messages);
void profile_otf2_messages_free (ProfileOtf2Messages *messages); /* NULL is fine */
/* Writes what OTF2 has of the event, which is none of ENTER, LEAVE, ON and OFF. Returns the number of records: 0 or 1. */
guint profile_otf2_messages_put (ProfileOtf2Messages *messages, ProfileOtf2Out *to,
                                 OTF2_EvtWriter *out, guint64 time,
                                 const ProfileTraceEvent *event);
/* A communicator of the process's threads, whose locations begin with first: the same each time. Returns its number. */
OTF2_CommRef profile_otf2_messages_get_threads (ProfileOtf2Messages *messages,
                                                const ProfileTraceProcess *process,
                                                OTF2_LocationRef first);
gboolean profile_otf2_messages_has_threads (const ProfileOtf2Messages *messages);
/* Whether MPI_COMM_WORLD is to be defined: it has the first numbers of communicators and groups. */
gboolean profile_otf2_messages_has_world (const ProfileOtf2Messages *messages);
/* Defines the groups and communicators that were named. leaders: of guint64, the first location of each rank. */
void profile_otf2_messages_define (const ProfileOtf2Messages *messages, ProfileOtf2Out *to,
                                   const GArray *leaders);
