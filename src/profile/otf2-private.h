/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of the properties in which an archive of ours says what OTF2 has no field for. */
#pragma once
#include "job/sample.h"
#include <otf2/otf2.h>

#define PROFILE_OTF2_NAME "traces"
#define PROFILE_OTF2_CREATOR "pddt"

/* of a calling context */
#define PROFILE_OTF2_CLASS "pddt::class"     /* of samples right there; job_class_get_name */
#define PROFILE_OTF2_BLOCKED "pddt::blocked" /* they waited in the kernel */
#define PROFILE_OTF2_UNREAD "pddt::unread"   /* their stack could not be read */
#define PROFILE_OTF2_FLAGS "pddt::flags"     /* JobFrameFlags */
#define PROFILE_OTF2_MODULE "pddt::module"
#define PROFILE_OTF2_OFFSET "pddt::offset"
#define PROFILE_OTF2_NAMELESS "pddt::nameless" /* the function is not known */
#define PROFILE_OTF2_LANGUAGE "pddt::language" /* job_language_get_name */
/* of a location group */
#define PROFILE_OTF2_RANK "pddt::rank"
#define PROFILE_OTF2_PARENT "pddt::parent" /* rank + 1 */
#define PROFILE_OTF2_PID "pddt::pid"
#define PROFILE_OTF2_PROGRAM "pddt::program"
#define PROFILE_OTF2_MISSED "pddt::missed"
/* names of metric members: this and that of the metric */
#define PROFILE_OTF2_METRIC "pddt::"
/* of a location */
#define PROFILE_OTF2_THREAD "pddt::thread"
/* of the archive */
#define PROFILE_OTF2_COMMAND "PDDT::COMMAND"
#define PROFILE_OTF2_STATUS "PDDT::WAIT_STATUS"
#define PROFILE_OTF2_RATE "PDDT::RATE"
#define PROFILE_OTF2_BEGIN "PDDT::BEGIN_US"
#define PROFILE_OTF2_END "PDDT::END_US"
#define PROFILE_OTF2_REAL "PDDT::BEGIN_REAL_US"

/* ---- what is defined in an archive that is read ---- */

typedef struct {
    const char *name, *file; /* may be NULL */
    guint32 line;            /* its first; 0 unknown */
    JobClass class;          /* of the time right in it */
    gboolean is_mpi;
    JobLanguage language;
} ProfileOtf2Region;

typedef struct {
    guint32 region, parent;
    const char *file, *module; /* NULL: the region's; none */
    guint32 line, flags;
    guint64 offset;
    guint8 class; /* JOB_N_CLASSES: as its regions say */
    gboolean is_blocked, is_unread, is_nameless;
    JobLanguage language;
    gboolean has_language;
} ProfileOtf2Context;

typedef struct {
    OTF2_LocationGroupRef self, creator;
    gboolean is_process, is_accelerator;
    const char *name;
    guint32 node, rank, parent, pid;
    const char *program;
    guint64 missed;
} ProfileOtf2Group;

typedef struct {
    OTF2_LocationRef self;
    OTF2_LocationGroupRef group;
    guint32 thread; /* 0: not said */
} ProfileOtf2Location;

typedef struct {
    const char *name;
    gboolean is_host;
    guint32 parent;
} ProfileOtf2Node;

typedef struct {
    const char *file;
    guint32 line;
} ProfileOtf2Place;

/* Ids are whatever the archive has. */
typedef struct {
    guint64 resolution, offset, length, real;
    GHashTable *strings;                                      /* id to text */
    GHashTable *regions, *places, *contexts, *groups, *nodes; /* id to each */
    GPtrArray *group_list; /* in the order of their definition */
    GArray *locations;     /* of ProfileOtf2Location */
    GHashTable *members;   /* id to 1 + JobMetric, of those of ours */
    GHashTable *metrics; /* id to GArray of guint8: each member's JobMetric, or JOB_N_METRICS */
} ProfileOtf2Definitions;

ProfileOtf2Definitions *profile_otf2_definitions_read (OTF2_Reader *reader);
void profile_otf2_definitions_free (ProfileOtf2Definitions *definitions);
