/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once
#include "base/array.h"
#include "job/costs.h"
#include "profile/clock.h"
#include "profile/model.h"
#include "profile/run.h"

/* The samples of one thread that are kept. */
typedef struct {
    guint32 number;
    gint32 tid;      /* its host's kernel's; 0: not known */
    GArray *samples; /* of ProfileSample, in the order of their times */
} ProfileThread;

typedef struct {
    guint32 rank;
    gboolean is_broken;
    JobContextTree *tree; /* its own, as its daemon counts */
    GArray *merged;       /* of guint32: number in the model's tree of each of them */
    GArray *self;         /* of double: µs of each of them */
    GArray *computing;    /* the same, of the classes native and Python alone */
    GArray *samples;      /* of guint32: number of each of them */
    GArray *calls;        /* of guint64: how often each was called; NULL: not known */
    GArray *kinds;        /* of guint8: what its own time is (JobClass), with calls */
    GArray *counts;       /* of JobCounts, of each of them; NULL: nobody has said any */
    guint32 counted;      /* set of JobCount that these have */
    double classes[JOB_N_CLASSES];
    double idle, others; /* µs; others: of threads after the first that ran */
    guint32 n_threads;
    gint64 first_us, last_us;
    guint64 n_samples, n_dropped;
    GPtrArray *threads;    /* of ProfileThread, in the order of their coming */
    GHashTable *by_number; /* number to ProfileThread */
    GHashTable *tids;      /* number of a thread to what its host's kernel calls it */
    gsize n_kept;          /* samples of all of them */
    GArray *metrics;       /* of JobMetrics, in the order of their times */
    gint64 metrics_us;     /* that they are apart, by and large; 0: as they come */
    guint n_halvings;
    double grain_us;  /* that a sample stands for at least, by and large; 0: whatever it does */
    gboolean is_full; /* so many threads have come that not even one sample of each is kept */
    ProfileProcess process; /* texts are its own */
    /* A group of ranks of which only sums are known (groups.c): it stands for all of them, and `rank` is the
     * lowest. It has no tree, self, computing, samples and no threads: see profile_model_get_sums. */
    const JobCosts *costs; /* the model's; NULL: a rank */
    guint group;           /* its number there */
    guint32 n_members;     /* 0: a rank */
} ProfileRank;

/* What a rank, or all ranks of a group together, have spent in each context, as ProfileRank has it. */
typedef struct {
    GArray *merged, *self, *computing, *samples;
} ProfileSums;

typedef struct _ProfileMessages ProfileMessages;

struct _ProfileModel {
    GPtrArray *ranks;   /* of ProfileRank, ascending */
    GHashTable *clocks; /* host to ProfileClock, of other hosts than the front end's */
    JobContextTree *tree;
    ProfileInfo info;                 /* texts are its own */
    GPtrArray *exact_lines;           /* of ProfileExactLine; NULL: not looked for */
    BaseText *problem;                /* why it may lack something; NULL: nothing */
    gboolean is_slice;                /* the tree is another model's */
    gboolean is_traced;               /* calls were recorded; a slice may lack their numbers */
    GArray *waits, *traffic;          /* of ProfileWait, of ProfileTraffic */
    GArray *message_sums;             /* of ProfileMessageSum */
    GArray *own_metrics, *parameters; /* of ProfileOwnMetric, of ProfileParameter */
    GArray *delays, *path;            /* of ProfileDelay, of ProfilePathPart */
    GArray *allocations;              /* of ProfileAllocation */
    GArray *file_uses, *lock_waits;   /* of ProfileFileUse, of ProfileLockWait */
    GArray *losses;                   /* of ProfileLoss */
    ProfileMessages *messages;
    GPtrArray *costs;      /* of JobCosts, of groups */
    GPtrArray *no_threads; /* what a group has of them, empty */
    GArray *no_metrics;
    ProfileSums *scratch; /* of the group that was asked for last */
};

/* model.c: adds one, if the rank is new. */
ProfileRank *profile_model_find_rank (ProfileModel *model, guint32 number);
/* NULL: the rank's times are the front end's, or their offset is all that is known. */
const ProfileClock *profile_model_get_clock (const ProfileModel *model,
                                             const ProfileRank *rank);
/* As job_context_tree_add, in the model's tree, where relative paths have no "." and "..". */
guint32 profile_model_add_context (ProfileModel *model, guint32 parent,
                                   const JobContext *context);
/* Counts the weight for what the sample was in. */
void profile_model_count (ProfileRank *rank, guint32 thread, const ProfileSample *sample,
                          double weight_us);

/* groups.c: borrowed until the sums of another rank are asked for. */
void profile_groups_init (ProfileModel *model);
void profile_groups_clear (ProfileModel *model);
ProfileSums profile_model_get_sums (const ProfileModel *model, const ProfileRank *rank);
/* The same group in a model whose tree is the other one's. */
void profile_groups_add_column (ProfileModel *model, const ProfileRank *column);

/* functions.c: of JobLocation, without its line: the function that it is in. Texts are those of one
 * tree, where equal ones are the same. */
guint profile_hash_function (gconstpointer key);
gboolean profile_equal_functions (gconstpointer a, gconstpointer b);

/* lines.c: the innermost frame at a line of the user's; 0: none, or nobody has looked. */
guint32 profile_find_line (const JobContextTree *tree, guint32 number);
/* The same, or else the innermost function of the program, or else the innermost of all; 0: nobody has looked. */
guint32 profile_find_place (const JobContextTree *tree, guint32 number);

/* messages.c */
ProfileMessages *profile_messages_new (void);
void profile_messages_free (ProfileMessages *messages);

/* slice.c: when the first sample began, on the front end's clock. */
gint64 profile_model_find_first (const ProfileModel *model);

/* waits.c */
void profile_values_init (ProfileModel *model);
void profile_values_clear (ProfileModel *model);
void profile_delays_init (ProfileModel *model);
void profile_delays_clear (ProfileModel *model);
void profile_waits_init (ProfileModel *model);
void profile_waits_clear (ProfileModel *model);

/* losses.c */
void profile_losses_init (ProfileModel *model);
void profile_losses_clear (ProfileModel *model);

/* native.c */
void profile_native_init (ProfileModel *model);
void profile_native_clear (ProfileModel *model);

/* counts.c: of JobContextCounts, with the set of JobCount that is known. */
void profile_counts_take (ProfileRank *rank, guint32 counted, const GArray *contexts);
/* The same as it was taken; NULL: nothing was. Caller owns. */
GArray *profile_counts_dup (const ProfileRank *rank);

/* samples.c */
void profile_samples_init (ProfileRank *rank);
void profile_samples_clear (ProfileRank *rank);
/* Adds it, if the thread is new. */
ProfileThread *profile_samples_find_thread (ProfileRank *rank, guint32 number);
/* The thread's id, before its first sample or after. */
void profile_samples_note_thread (ProfileRank *rank, const JobSampleThread *thread);
void profile_samples_keep_metrics (ProfileRank *rank, const JobMetrics *metrics);
/* Keeps it; what is too much makes room for the rest, and the sums follow. */
void profile_samples_keep (ProfileRank *rank, const JobSample *sample);
