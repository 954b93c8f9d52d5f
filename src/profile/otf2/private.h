/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of the properties in which an archive of ours says what OTF2 has no field for. */
#pragma once
#include "profile/otf2.h"
#include "profile/otf2/fill.h"
#include "job/sample.h"
#include "profile/model.h"
#include <otf2/otf2.h>
#include <setjmp.h>

#define PROFILE_OTF2_CREATOR "pddt"

/* a region, of the artificial role */
#define PROFILE_OTF2_UNRECORDED "(not recorded)"
#define PROFILE_OTF2_START "(program start)"

/* of a calling context */
#define PROFILE_OTF2_CLASS "pddt::class"     /* of samples right there; job_class_get_name */
#define PROFILE_OTF2_BLOCKED "pddt::blocked" /* they waited in the kernel */
#define PROFILE_OTF2_UNREAD "pddt::unread"   /* their stack could not be read */
#define PROFILE_OTF2_OFFSET "pddt::offset"   /* where it is in its module, if it has no line */
/* of a calling context, and of the others of its region that have none of their own if it is the first of these */
#define PROFILE_OTF2_FRAME "pddt::frame" /* JobFrameFlags */
#define PROFILE_OTF2_MODULE "pddt::module"
#define PROFILE_OTF2_NAMELESS                                                                  \
    "pddt::nameless" /* the function is not known: it has the same offset everywhere */
/* the same of a calling context alone, as earlier versions wrote it */
#define PROFILE_OTF2_FLAGS "pddt::flags"
#define PROFILE_OTF2_LANGUAGE "pddt::language" /* job_language_get_name */
/* attribute of Enter and Leave: where the call stands in its caller, "FILE:LINE" in Python code, and in native code
 * "FILE:LINE (FUNCTION)", "MODULE+0xOFFSET (FUNCTION)" or "MODULE+0xOFFSET" */
#define PROFILE_OTF2_PLACE "pddt::place"
/* attribute of an Enter: the call was under way when recording began, and is not counted */
#define PROFILE_OTF2_OPENED "pddt::opened"
/* attribute of ThreadAcquireLock: the location of the thread that had the lock when this one began to wait */
/* of the end of a collective operation in front of which others of its communicator are not recorded: how many the member
 * has then begun there */
#define PROFILE_OTF2_NUMBER "pddt::number"
#define PROFILE_OTF2_OWNER "pddt::owner"
/* metrics of sampled memory, and their attributes */
#define PROFILE_OTF2_ALLOCATED "pddt::allocated"
#define PROFILE_OTF2_FREED "pddt::freed"
#define PROFILE_OTF2_ADDRESS "pddt::address"
#define PROFILE_OTF2_REGION "pddt::region"
#define PROFILE_OTF2_STACK "pddt::stack"
#define PROFILE_OTF2_CALLER " ← " /* between two places of a stack */
/* of a location group */
#define PROFILE_OTF2_RANK "pddt::rank"
#define PROFILE_OTF2_PARENT "pddt::parent" /* rank + 1 */
#define PROFILE_OTF2_PID "pddt::pid"
#define PROFILE_OTF2_PROGRAM "pddt::program"
#define PROFILE_OTF2_ENDING "pddt::ending" /* "SIGSEGV", or a status that is not 0 */
#define PROFILE_OTF2_MISSED "pddt::missed" /* also of a location, where it is not 0 */
#define PROFILE_OTF2_WHOLE                                                                     \
    "pddt::whole" /* when the first event was lost that had no room, in ticks; 0, none: not known */
#define PROFILE_OTF2_KEPT "pddt::kept" /* ProfileKept, where it is not 0 */
/* names of metric members: this and that of the metric */
#define PROFILE_OTF2_METRIC "pddt::"
/* the same of what was counted at places, an attribute of such records, and of a location group: which ones, as names with commas
 * between; without it there is none */
#define PROFILE_OTF2_AT "pddt::at_"
#define PROFILE_OTF2_CONTEXT "pddt::context"
#define PROFILE_OTF2_COUNTED "pddt::counted"
/* of a location: its number in the process, and what its host's kernel calls it, in both archives of a run, where that is
 * known; archives of earlier versions have numbers alone */
#define PROFILE_OTF2_THREAD "pddt::thread"
#define PROFILE_OTF2_TID "pddt::tid"
/* of the archive */
#define PROFILE_OTF2_COMMAND "PDDT::COMMAND"
#define PROFILE_OTF2_STATUS "PDDT::WAIT_STATUS"
#define PROFILE_OTF2_RATE "PDDT::RATE"
#define PROFILE_OTF2_BEGIN "PDDT::BEGIN_US"
#define PROFILE_OTF2_END "PDDT::END_US"
#define PROFILE_OTF2_REAL "PDDT::BEGIN_REAL_US"
/* 1: the run was sampled, too, and times have been moved as those of its samples */
#define PROFILE_OTF2_SAMPLED "PDDT::SAMPLED"
/* 1: traces.sums was written beside it */
#define PROFILE_OTF2_SUMMED "PDDT::SUMMED"

/* ---- an archive that is being written: out.c ---- */

typedef struct {
    OTF2_Archive *archive;
    OTF2_GlobalDefWriter *out;
    OTF2_ErrorCode code; /* the first one that was none of success */
    int number;          /* and errno at that time */
    jmp_buf *escape;     /* out of the library, which crashes if the disk is full; NULL: none */
    GHashTable *strings; /* text to id + 1 */
    GHashTable *hosts;   /* name to node of the system tree */
    GHashTable *origins; /* number of a child process to that of the rank that it comes from */
} ProfileOtf2Out;

/* Opens an archive, calls write, which puts events up to close_locals and definitions after begin_definitions, and closes
 * it. If the disk is full, write does not come to its end. to: zero at first, and valid in write only. n_members: the
 * most that a group has. It is the last archive that this process writes if FALSE with is_full. */
gboolean profile_otf2_put_archive (ProfileOtf2Out *to, const char *folder,
                                   const ProfileInfo *info, guint n_members,
                                   void (*write) (gpointer user), gpointer user,
                                   GError **error);
gboolean profile_otf2_is_full (const ProfileOtf2Out *to); /* the disk */
/* What is to be in a location's own definitions. */
typedef void (*ProfileOtf2Local) (guint location, OTF2_DefWriter *out, gpointer user);
void profile_otf2_close_locals (ProfileOtf2Out *to, guint n_locations, ProfileOtf2Local write,
                                gpointer user); /* 0 to n - 1; write: NULL: nothing */
gboolean profile_otf2_begin_definitions (ProfileOtf2Out *to, const ProfileInfo *info,
                                         guint64 first_ns, guint64 last_ns);
void profile_otf2_note (ProfileOtf2Out *to, OTF2_ErrorCode code);
OTF2_StringRef profile_otf2_put_string (ProfileOtf2Out *to, const char *text); /* NULL: "" */
void profile_otf2_put_process (ProfileOtf2Out *to, guint32 group, guint32 rank,
                               const ProfileProcess *process, guint64 n_missed, guint kept);
void profile_otf2_put_group_text (ProfileOtf2Out *to, guint32 group, const char *name,
                                  const char *text); /* NULL: nothing is put */
/* The process has all of its events up to then. */
void profile_otf2_put_whole (ProfileOtf2Out *to, guint32 group, guint64 time);
/* tid: 0: not known. */
void profile_otf2_put_thread (ProfileOtf2Out *to, OTF2_LocationRef location, guint32 number,
                              gint32 tid, guint64 n_events, guint32 group, guint64 n_missed);
/* leaders: of guint64, locations. Defines groups 0 and 1 and communicator 0. */
void profile_otf2_put_world (ProfileOtf2Out *to, const GArray *leaders);

/* ---- what is defined in an archive that is read ---- */

typedef struct {
    const char *name, *file; /* may be NULL */
    guint32 line;            /* its first; 0 unknown */
    guint8 class;            /* JobClass of the time right in it */
    gboolean is_mpi;
    gboolean is_function; /* FALSE: a region that the program has named itself, say */
    JobLanguage language;
    guint32 first; /* its first calling context; G_MAXUINT32: none */
} ProfileOtf2Region;

typedef struct {
    guint32 region, parent;
    const char *file, *module; /* NULL: the region's; none */
    guint32 line, flags;
    guint64 offset;
    guint8 class; /* JOB_N_CLASSES: as its regions say */
    gboolean is_blocked, is_unread, is_nameless;
    gboolean has_frame; /* PROFILE_OTF2_FRAME; see there */
    JobLanguage language;
    gboolean has_language;
} ProfileOtf2Context;

typedef struct {
    OTF2_LocationGroupRef self, creator;
    gboolean is_process, is_accelerator;
    const char *name;
    guint32 node, rank, parent, pid;
    const char *program, *ending;
    const char *counted; /* NULL: nothing at places */
    guint64 missed, kept, whole;
} ProfileOtf2Group;

typedef struct {
    OTF2_LocationRef self;
    OTF2_LocationGroupRef group;
    guint32 thread; /* 0: not said */
    gint32 tid;     /* the same */
    guint64 missed;
    guint64 n_events; /* as the definition says; 0: it does not */
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

#define PROFILE_OTF2_FIRST_COUNT (JOB_N_METRICS + 1u)

/* Ids are whatever the archive has. */
typedef struct {
    gboolean is_whole; /* FALSE: not all definitions could be read */
    guint64 n_read, n_defined;
    guint n_missing;    /* texts and files that definitions name and that are not there */
    GHashTable *strays; /* set of the regions and calling contexts that events name, the same */
    GHashTable *awaited; /* ids of texts that were not there when they were named */
    GHashTable *files,
        *used_files; /* sets of ids: those that are there, and that have handles */
    guint64 resolution, offset, length, real;
    const ProfilePart *part;                                  /* NULL: all of it */
    GHashTable *strings;                                      /* id to text */
    GHashTable *regions, *places, *contexts, *groups, *nodes; /* id to each */
    guint8 *last_class;        /* of the region or context that came last */
    GPtrArray *group_list;     /* in the order of their definition */
    GArray *locations;         /* of ProfileOtf2Location */
    OTF2_AttributeRef opened;  /* PROFILE_OTF2_OPENED; G_MAXUINT32: there is none */
    OTF2_AttributeRef context; /* PROFILE_OTF2_CONTEXT, the same */
    gboolean has_classes;      /* contexts have their own */
    gboolean has_files, has_owners, has_memory; /* handles; PROFILE_OTF2_OWNER; …_ALLOCATED */
    GHashTable *members; /* id to 1 + what metrics have, of those of ours */
    GHashTable *
        metrics; /* id to GArray of guint8: each member's JobMetric, or PROFILE_OTF2_FIRST_COUNT + its JobCount, or JOB_N_METRICS */
    guint32 lasting; /* set of JobMetric: records leave them out while they do not change */
} ProfileOtf2Definitions;

/* NULL with NOT_FOUND or INVALID. */
OTF2_Reader *profile_otf2_open_reader (const char *anchor, GError **error);
/* All events of a location, to its callbacks. In a file that was cut behind its first chunk the library goes round in circles:
 * OTF2_ERROR_INTEGRITY_FAULT, after as many events as the location says it has, in an archive of ours, or as the archive has
 * bytes. */
OTF2_ErrorCode profile_otf2_read_all (OTF2_Reader *reader, OTF2_EvtReader *events,
                                      const ProfileOtf2Location *location);
/* A time of the archive in µs; of a part of it in units since its begin, not before it and not after its end. */
gint64 profile_otf2_get_us (const ProfileOtf2Definitions *definitions, guint64 time);
/* Passes all global definitions to the callbacks, with user, and frees the callbacks. What cannot be read leaves out
 * the rest: FALSE. *ret_n_read: how many came, of which the last may be false then; NULL is fine. */
gboolean profile_otf2_read_global (OTF2_Reader *reader,
                                   OTF2_GlobalDefReaderCallbacks *callbacks, void *user,
                                   guint64 *ret_n_read);
/* The definitions of each location, which have to be read before its events; locations are selected. Returns of how
 * many locations they cannot be read. */
guint profile_otf2_read_locals (OTF2_Reader *reader, const ProfileOtf2Definitions *definitions);
/* The events as samples, counts and losses (read.c). fill: the samples of the same run; NULL: there are none. Returns how many locations could not be read to their end, and of
 * how many the own definitions. */
guint profile_otf2_read_events (OTF2_Reader *reader, const ProfileOtf2Definitions *definitions,
                                ProfileOtf2Fill *fill, ProfileSpool *to,
                                guint *ret_n_undefined);
ProfileOtf2Definitions *profile_otf2_definitions_read (OTF2_Reader *reader);
/* "work at app.py:12": the function `region` that has made a call, and the line where it did so, as exactly as it is
 * known; place: a string of the archive. G_MAXUINT32: not known. Caller owns. */
char *profile_otf2_dup_place (const ProfileOtf2Definitions *definitions, guint32 region,
                              guint32 place);
/* The same of native code alone, whose place says all of it. */
char *profile_otf2_dup_code (const ProfileOtf2Definitions *definitions, const char *text);
/* What is missing of them, for the user; NULL: nothing. Caller owns. */
char *profile_otf2_definitions_dup_damage (const ProfileOtf2Definitions *definitions,
                                           BaseTextForm form);
/* FALSE, with CORRUPT: something is missing. n_broken, n_undefined: locations whose events or whose own definitions could
 * not be read. */
gboolean profile_otf2_check_whole (const ProfileOtf2Definitions *definitions, guint n_broken,
                                   guint n_undefined, GError **error);
void profile_otf2_definitions_free (ProfileOtf2Definitions *definitions);
