/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What traced processes have recorded, read from the files of a spool (agent/trace-layout.h) as one
 * run: processes, their threads, and the events of each thread in the order of their times, whichever
 * of its writers they come from. Enter and Leave always balance: what a killed process has left
 * open ends with its last event. */
#pragma once
#include "agent/trace-layout.h"
#include "profile/clock.h"
#include "profile/model.h"

#define PROFILE_TRACE_FOLDER "trace/spool" /* below the experiment's folder */
#define PROFILE_TRACE_NOTHING "no process has recorded anything"

/* Texts are UTF-8 and never NULL. */
typedef struct {
    const char *name, *full_name, *file; /* file: "" unknown */
    guint32 line;                        /* the first; 0 unknown */
    guint32 paradigm, flags;             /* enum pddt_trace_paradigm, pddt_trace_region_flags */
} ProfileTraceRegion;

typedef struct _ProfileTraceFile ProfileTraceFile;

typedef struct {
    gint32 tid;
    guint32 number; /* in the process: 1 is its first thread */
    char *name;
    GArray *parts; /* of ProfileTracePart: its events in each file */
    /* Outside of these times something was lost, so nothing counts. */
    guint64 from_ns, until_ns; /* 0, G_MAXUINT64: there is no such limit */
    guint64 n_lost;            /* events */
    guint32 born;              /* id of the THREAD_CREATE that has made it; 0: not known */
    guint64 born_ns;           /* when it was made; 0: not known */
} ProfileTraceThread;

/* A program that a process was, until it executed the next one. */
typedef struct {
    char *name;    /* the program's, without folder */
    guint32 image; /* of its files' headers */
    gboolean is_python;
    guint64
        begin_ns; /* when it was executed, was loaded, or has begun to record: the first of these that is known */
    guint64
        loaded_ns; /* until then the loader was at work, and no code of the program's; 0: not known */
    guint64
        loading_ns; /* of that, from begin_ns on, the processor time; what is left, it did not run */
    guint64 left_ns; /* when it executed another one; 0: it has not, or that is not known */
    guint64
        exit_ns; /* when its own code had come to its end; 0: that is not known, or it came to none */
} ProfileTraceImage;

typedef struct {
    ProfileProcess process;   /* texts are its own */
    guint32 rank;             /* of forked processes: beyond those of the launcher */
    guint64 begin_ns, end_ns; /* of its host's clock */
    gint64 offset_ns;         /* add it to have the front end's; see profile_trace_move */
    const ProfileClock *
        clock; /* its host's, of a run that was sampled, too; NULL: the offset is all that is known */
    gboolean is_cut;    /* it did not come to its end in order */
    guint64 n_lost;     /* events */
    guint32 keep;       /* PDDT_TRACE_KEEP_ALL, … */
    int problem;        /* errno of why it has lost them; 0 */
    GPtrArray *files;   /* of ProfileTraceFile */
    GArray *images;     /* of ProfileTraceImage, one at least, in the order of their time */
    GPtrArray *threads; /* of ProfileTraceThread, the first one first */
} ProfileTraceProcess;

typedef struct {
    ProfileInfo info;     /* texts are its own */
    ProfileModel *run;    /* what the front end has noted of the ranks; NULL: nothing */
    gboolean is_sampled;  /* that run: times are moved as those of its samples are */
    guint32 size;         /* ranks that the launcher has started, as far as known */
    GPtrArray *files;     /* of ProfileTraceFile, all of them */
    GPtrArray *processes; /* of ProfileTraceProcess, by rank */
    GArray *regions;      /* of ProfileTraceRegion, by number; number 0 is none */
    GHashTable *texts, *known_regions;
    GString *problems; /* sentences; files that could not be read */
} ProfileTrace;

/* A time of the process's host, by the front end's clock. Times that follow each other may come out in another order, by
 * less than a µs. */
guint64 profile_trace_move (const ProfileTraceProcess *process, guint64 time_ns);
/* Once more what a user is to know of it: what this process has recorded is damaged. */
void profile_trace_note_damage (const ProfileTrace *trace, const ProfileTraceProcess *process,
                                gboolean is_left_out);
/* Takes the process out, which could not be written, and says so. */
void profile_trace_drop (ProfileTrace *trace, guint process);
/* folder: the spool's. INVALID where it has no file of a traced process. */
ProfileTrace *profile_trace_load (const char *folder, GError **error);
void profile_trace_free (ProfileTrace *trace); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfileTrace, profile_trace_free)

typedef struct {
    guint64 time_ns; /* of the process's host; never runs backwards in a thread */
    guint32 kind;    /* PDDT_TRACE_ENTER, … */
    guint32 id;      /* ENTER, LEAVE: number of the region; else as in the file */
    guint32 extra;
    const void *payload; /* n_more * 16 bytes */
    guint n_more;
    const ProfileTraceFile *file;
} ProfileTraceEvent;
typedef void (*ProfileTraceFunc) (const ProfileTraceEvent *event, gpointer user);
/* Returns FALSE where the thread's events are broken somewhere: what follows there is left out. */
gboolean profile_trace_walk (const ProfileTraceThread *thread, ProfileTraceFunc func,
                             gpointer user);
/* Events that were recorded, and that profile_trace_walk leaves out because others around them were lost. */
guint64 profile_trace_count_left_out (const ProfileTraceThread *thread);

/* The number in the process's images; that of the first file that has events of the thread. */
guint profile_trace_file_get_image (const ProfileTraceFile *file);
guint profile_trace_thread_get_image (const ProfileTraceThread *thread);
const struct pddt_trace_header *profile_trace_file_get_header (const ProfileTraceFile *file);
/* The string with that id; NULL: there is none. */
const char *profile_trace_file_get_string (const ProfileTraceFile *file, guint32 id);
/* The definition of that kind (not STRING or REGION) and id, whole; NULL. */
const struct pddt_trace_definition *
profile_trace_file_get_definition (const ProfileTraceFile *file, guint32 kind, guint32 id);
guint32 profile_trace_file_get_n (const ProfileTraceFile *file, guint32 kind); /* ids: 1 to n */
/* Where the place with that id is, as PROFILE_OTF2_PLACE has it, and the path of its module ("": it is a line of Python
 * code); NULL: there is none. */
const char *profile_trace_file_get_place (const ProfileTraceFile *file, guint32 id,
                                          const char **ret_module);
/* Of its region with that id the number in the run's regions; 0: none. */
guint32 profile_trace_file_get_region (const ProfileTraceFile *file, guint32 id);
typedef struct {
    guint32 region, line; /* number of the region in the run */
    guint64 hits, ns;
} ProfileTraceLine;
typedef void (*ProfileTraceLineFunc) (const ProfileTraceLine *line, gpointer user);
/* Its exact lines (PDDT_TRACE_LINES). */
void profile_trace_file_walk_lines (const ProfileTraceFile *file, ProfileTraceLineFunc func,
                                    gpointer user);
