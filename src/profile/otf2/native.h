/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files and locks in an archive of events. Only pddt-archive links this. */
#pragma once
#include "profile/otf2/traced.h"
#include "profile/spool.h"
#include "profile/trace-files.h"

typedef struct _ProfileOtf2Native ProfileOtf2Native;

ProfileOtf2Native *profile_otf2_native_new (void);
void profile_otf2_native_free (ProfileOtf2Native *native); /* NULL is fine */

/* What is written, and where. */
typedef struct {
    ProfileOtf2Out *to;
    OTF2_EvtWriter *out;
    OTF2_AttributeList *attributes;     /* empty */
    const ProfileTraceProcess *process; /* whose thread it is */
    OTF2_LocationRef first;             /* the location of the process's first thread */
    guint64 before;                     /* the time of the record before */
    gint32 owner;                       /* zero at the thread's beginning; kept here */
    /* Called between the two records of an operation on a file: it may write what lies between. */
    void (*between) (gpointer user);
    gpointer user;
} ProfileOtf2NativeStream;
/* attribute: that of OTF2's ThreadAcquireLock which says who had the lock. Returns the number of records. */
guint profile_otf2_native_put (ProfileOtf2Native *native, ProfileOtf2NativeStream *stream,
                               guint64 time, const ProfileTraceEvent *event,
                               OTF2_AttributeRef attribute);
/* Defines what has been named. has_threads: there are records of POSIX threads, too. */
void profile_otf2_native_define (const ProfileOtf2Native *native, ProfileOtf2Out *to,
                                 gboolean has_threads);

/* ---- sums of what an archive, whoever has written it, says of files, and of locks that threads have waited for ---- */

typedef struct _ProfileOtf2Uses ProfileOtf2Uses;

/* NULL: it says nothing of them, or cannot be read. The others are as those of otf2-waits.h. */
ProfileOtf2Uses *profile_otf2_native_new_uses (const char *anchor,
                                               const ProfileOtf2Definitions *definitions);
gpointer profile_otf2_native_begin (ProfileOtf2Uses *uses, guint location);
void profile_otf2_native_end (gpointer stream);
void profile_otf2_native_set_callbacks (OTF2_EvtReaderCallbacks *callbacks);
OTF2_CallbackCode profile_otf2_native_enter (OTF2_LocationRef location, OTF2_TimeStamp time,
                                             uint64_t position, void *streams,
                                             OTF2_AttributeList *list, OTF2_RegionRef region);
OTF2_CallbackCode profile_otf2_native_leave (OTF2_LocationRef location, OTF2_TimeStamp time,
                                             uint64_t position, void *streams,
                                             OTF2_AttributeList *list, OTF2_RegionRef region);
/* Reads once more those threads that had a lock another one has waited for. */
void profile_otf2_native_put_uses (ProfileOtf2Uses *uses, const char *anchor, ProfileSpool *to);
