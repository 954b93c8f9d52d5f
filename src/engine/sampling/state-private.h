/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of a rank that is sampled, and of its threads. */
#pragma once
#include "engine/sampling/counters-private.h"
#include "engine/sampling/private.h"
#include "engine/sampling/sums-private.h"
#include "engine/sampling/thread-counters-private.h"

/* That a sample stands for, unless samples come more rarely anyway. */
#define SAMPLED_MOST_US 100000

typedef struct {
    gint64 last_us;    /* time of its last sample; 0: none since it last ran */
    gint64 held_us;    /* until then it was held, after what was captured of it */
    gint64 seen_us;    /* since when it runs; 0: the rank has stood since */
    guint64 stop;      /* the rank's stops before that */
    char schedule[64]; /* its schedstat then; "" not known */
    EngineTaskFile schedule_file, call_file;
    EngineSamplingQueued queued;
    EngineSamplingSwitches switches;
    guint64 last_queued_ns;        /* at its last sample */
    EngineThreadCounters counters; /* taken at its last sample, or when it was first seen */
    PythonThread python;           /* as the interpreter has listed it; state 0: it has not */
    JobSample last;
    guint32 waiting;     /* the context that it waits in; last's may say who has the lock */
    gint64 usual_us;     /* between two of its samples; 0: not known yet */
    gboolean is_awaited; /* it has been asked to stop, for its sample: */
    gint64 asked_us;     /* then, */
    guint64 asked_ran_ns, asked_turns; /* when it had run for so long, in so many turns, */
    guint64 asked_queued_ns;           /* and waited for a processor for so long */
    gboolean is_crowded;               /* that was most of the time since the one before */
    gboolean is_late;                  /* it needed long for that the last time */
    guint round;                       /* in which it was seen */
} SampledThread;

/* Who had Python's lock when that was last asked. */
typedef struct {
    guint round;    /* then */
    guint64 thread; /* its state in the interpreter; 0: not asked yet */
    char *text;     /* as a function's name; NULL: it could not be read */
} EngineSamplingHolder;

/* That what a process has used is read from. */
typedef enum {
    ENGINE_SAMPLING_STATM,
    ENGINE_SAMPLING_STAT,
    ENGINE_SAMPLING_IO,
    ENGINE_SAMPLING_N_FILES
} EngineSamplingFile;

struct _EngineSampling {
    guint64 request;
    gint64 period_us, due_us;
    gboolean is_adapted;    /* the period is the host's choice */
    gboolean has_no_stacks; /* only metrics are taken: the rank records by itself */
    gint64 begun_us;        /* it samples what is done from then on */
    gint64 since_us; /* the first thread's first sample counts from then on; 0: it has come */
    gint64 end_us;   /* 0: until it is told to end */
    gint64 tell_us;
    JobContextTree *tree;
    guint32 n_told;    /* contexts that the front end has */
    gint64 told_us;    /* time of the last sample that it has */
    GArray *samples;   /* of JobSample, not told yet */
    GArray *metrics;   /* of JobMetrics, the same */
    gint64 metrics_us; /* when they are read again */
    EngineTaskFile files[ENGINE_SAMPLING_N_FILES];
    EngineSamplingCounters *counters; /* of its processors; NULL: not wanted */
    gboolean has_counts;              /* places are to be counted for: */
    guint32 counted;        /* set of JobCount that still are, in all of its threads */
    GArray *counts;         /* of JobContextCounts, not told yet; NULL: none */
    GHashTable *count_of;   /* context to its position there + 1 */
    JobCounts count_sums;   /* of all that was told, and will be */
    EngineSamplingOwn *own; /* NULL: it tells samples, not sums */
    guint64 n_dropped;      /* until now */
    guint n_unseen;         /* threads that have ended without a sample */
    guint64 queued_ns;      /* of threads that have ended */
    gboolean knows_queued;
    EngineSamplingSwitches ended; /* of threads that have */
    EngineSamplingHolder holder;
    GHashTable *threads; /* tid to SampledThread */
    GArray *fresh;       /* of JobSampleThread, not told yet */
    GPtrArray *captures; /* of Capture, not named yet */
    guint n_looks;       /* at the threads, since there were none; kept are those of each: */
    guint stride;
    guint round;
    GArray *tids; /* of the round's threads; of them are done so many: */
    guint n_tids;
    gboolean is_unfinished; /* the round: threads are left, or captures */
    gboolean is_busy;       /* samples are being taken, perhaps in a work that waits */
    gboolean is_over;       /* it is to be freed when they are */
};

/* metrics.c: how long its threads have waited for a processor, also those that have ended. */
guint64 engine_sampling_sum_queued_us (const EngineSampling *sampling);
/* place-counts.c: begins to count in the thread, which is seen for the first time, or has lost its counters. */
void engine_sampling_count_thread (EngineProcess *process, SampledThread *known, pid_t tid);
/* What was counted belongs to that context. */
void engine_sampling_credit (EngineSampling *sampling, guint32 context,
                             const JobCounts *counts);
/* Of JobContextCounts, since they were last taken; NULL: nothing is counted by place. Caller owns. */
GArray *engine_sampling_take_counts (EngineSampling *sampling, guint32 *ret_counted);
void engine_sampling_free_counts (EngineSampling *sampling); /* all counters, but of threads */
/* holder.c: the state of the thread that has Python's lock; 0: nobody, this one, or it is not known. runtime: NULL for none. */
guint64 engine_sampling_find_holder (PythonRuntime *runtime, const SampledThread *known);
/* A thread that waits for Python's lock has its holder, which that was, as the innermost function. */
void engine_sampling_note_holder (EngineProcess *process, EngineSampling *sampling,
                                  const SampledThread *known, JobSample *sample,
                                  guint64 holder);
/* The same of who has it now. */
void engine_sampling_note_holder_now (EngineProcess *process, EngineSampling *sampling,
                                      const SampledThread *known, JobSample *sample);

/* sampling.c: at that rate a second, from now on. */
EngineSampling *engine_sampling_begin (EngineProcess *process, guint64 request, guint rate);
/* gaps.c: a sample that was taken now, of the thread with this number, counts for the time since the one before, and for
 * what the thread has counted meanwhile. is_same_wait: the thread has slept in one place since then. */
void engine_sampling_add (EngineSampling *sampling, guint32 number, SampledThread *known,
                          JobSample *sample, const JobCounts *counts, gint64 now,
                          gboolean is_same_wait);
/* For that long until then the thread did what no sample tells. */
void engine_sampling_add_unseen (EngineSampling *sampling, guint32 number, gint64 unseen_us,
                                 gint64 until_us, const JobCounts *counts);
/* rests.c: since when the thread can have run without having been sampled. */
gint64 engine_sampling_get_begin (const EngineSampling *sampling, const EngineThread *thread);
/* The thread is held since then. */
void engine_sampling_add_rest (EngineThread *thread, EngineSampling *sampling,
                               SampledThread *known, gint64 until_us);
void engine_sampling_end_thread (EngineThread *thread, EngineSampling *sampling);
/* tell.c: what there is since that was last done, with final also where that is nothing. */
void engine_sampling_tell (EngineProcess *process, gboolean final);
