/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What has been sampled in all ranks, as one calling-context tree: every view and every report of a
 * profile reads it from here. Of each rank its first thread counts whatever it does, and the
 * others while they run: a pool of threads that only waits would hide everything else. */
#pragma once
#include "base/text.h"
#include "job/costs.h"
#include "job/counts.h"
#include "job/rank-set.h"
#include "job/sample.h"

typedef struct _ProfileModel ProfileModel;

/* The run that was measured. Times are those of the front end's CLOCK_MONOTONIC, in µs. */
typedef struct {
    char *command;        /* quoted for a shell; NULL unknown */
    gint64 begin_us;      /* 0 unknown */
    gint64 end_us;        /* 0: it has not come to its end, or nobody saw that */
    gint64 begin_real_us; /* since 1970; 0 unknown */
    guint32 rate;         /* samples a second that were wanted; 0 unknown */
    gint32 wait_status;   /* of the launcher */
    gboolean is_foreign; /* another program has written the archive: it says only what it has */
} ProfileInfo;

/* One rank's process. */
typedef struct {
    guint32 parent; /* its parent's number + 1, when it was forked; 0: none */
    gint32 pid;     /* 0 unknown */
    char *host;     /* NULL unknown */
    char *program;  /* quoted for a shell; NULL unknown */
    const char *
        ending; /* interned: the signal that has killed it, "SIGSEGV", or a status that is not 0; NULL: neither is
                           known */
    gint64 offset_us; /* add it to the host's times to have the front end's */
    gint32
        namesake; /* pid of another process with this rank's number, which is left out; 0: none */
} ProfileProcess;

/* The thread was there for all of the time since its sample before, or since it was measured again. */
typedef struct {
    gint64 time_us;    /* CLOCK_MONOTONIC of the rank's host */
    guint32 weight_us; /* that time */
    guint32 context;   /* number in the rank's tree; 0: not known */
    guint16 class;     /* JobClass */
    guint8 is_blocked; /* it waited in the kernel */
    guint8 is_spread;  /* as JobSample has it */
} ProfileSample;

ProfileModel *profile_model_new (void);
void profile_model_free (ProfileModel *model); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfileModel, profile_model_free)

/* The rank's next batch. FALSE with CORRUPT: this one and all later ones of the rank are left
 * out. */
gboolean profile_model_add (ProfileModel *model, guint32 rank, GBytes *batch, GError **error);

/* Sums of ranks, none of which the model has yet; takes costs. Each group of them counts as one rank below:
 * its lowest stands for all, and its times are the sums of all, so that what compares ranks divides by their
 * number. It has no samples over time. Views have a number for each group and function: join what is alike
 * before there are too many. */
void profile_model_add_costs (ProfileModel *model, JobCosts *costs);
guint32 profile_model_get_n_members (const ProfileModel *model, guint index); /* 1: a rank */
void profile_model_add_members (const ProfileModel *model, guint index, JobRankSet *to);

/* What it lacks of the archive that it was read from; NULL: nothing. */
const char *profile_model_get_problem (const ProfileModel *model, BaseTextForm form);
const ProfileInfo *profile_model_get_info (const ProfileModel *model);
void profile_model_set_info (ProfileModel *model, const ProfileInfo *info); /* copies */
/* What is known exactly of a context, since each call of it was recorded. */
typedef struct {
    guint64 n_calls;
    double self_s; /* its own time */
    guint32 class; /* of that time: JobClass */
} ProfileCount;

/* counts: of ProfileCount, of the contexts from `first` on in the rank's tree. They replace what samples say of the
 * times. */
void profile_model_set_counts (ProfileModel *model, guint32 rank, guint32 first,
                               const GArray *counts);
/* TRUE: calls were recorded, and not only sampled. */
gboolean profile_model_is_traced (const ProfileModel *model);
/* TRUE: samples tell, too, what ran between the calls. */
gboolean profile_model_is_filled (const ProfileModel *model);
/* TRUE: it knows how many. A part of the time of a trace does not. */
gboolean profile_model_has_calls (const ProfileModel *model);
guint64 profile_model_get_n_calls (const ProfileModel *model);
/* Adds the rank's calls of each context, as profile_model_add_self does it. */
void profile_model_add_calls (const ProfileModel *model, guint index, guint64 *calls);
/* Of rank `rank`, whether it has samples or not. */
void profile_model_set_process (ProfileModel *model, guint32 rank,
                                const ProfileProcess *process); /* copies */

/* Ranks with samples, in ascending order, are counted from 0 below. */
guint profile_model_get_n_ranks (const ProfileModel *model);
guint32 profile_model_get_rank (const ProfileModel *model, guint index);
/* Those that count: the periods of the rate that was wanted which they stand for, where that is known. */
guint64 profile_model_get_n_samples (const ProfileModel *model);
guint64 profile_model_get_n_dropped (const ProfileModel *model);
/* From the first sample of the rank to its last one, in s. */
double profile_model_get_duration (const ProfileModel *model, guint index);
double profile_model_get_longest (const ProfileModel *model); /* of these */
/* From before the launcher until after its end, in s; 0: not known. */
double profile_model_get_run (const ProfileModel *model);
/* Time of the rank's threads in this class, in s. */
double profile_model_get_class (const ProfileModel *model, guint index, JobClass class);
/* Time of threads that do not count, because they waited. */
double profile_model_get_idle (const ProfileModel *model, guint index);

const ProfileProcess *profile_model_get_process (const ProfileModel *model, guint index);
/* Forked by a rank: it is there for a part of the time only, and for another task, so that it is not
 * compared with the ranks. */
gboolean profile_model_is_child (const ProfileModel *model, guint index);
guint profile_model_get_n_children (const ProfileModel *model);
/* "rank 3", "ranks 0-7" of a group, "process 4711 (child of rank 3)". */
char *profile_model_format_rank (BaseTextForm form, const ProfileModel *model, guint index);
/* The ranks, without children. Caller owns. */
JobRankSet *profile_model_dup_ranks (const ProfileModel *model);
/* Each thread keeps at most so many samples: when there are more, one stands for two, with the time of
 * both. */
#define PROFILE_MAX_SAMPLES 10000u
/* Each rank keeps at most so many records of what it has used. */
#define PROFILE_MAX_METRICS 500u
/* How often that has come: the rank needs to be sampled half as often each time. */
guint profile_model_get_n_halvings (const ProfileModel *model, guint index);
guint profile_samples_get_n_threads (const ProfileModel *model, guint index);
/* Of ProfileSample, in the order of their times; borrowed until the next batch. */
const GArray *profile_samples_get (const ProfileModel *model, guint index, guint thread,
                                   guint32 *ret_number);
/* What its host's kernel calls the thread; 0: not known. */
gint32 profile_samples_get_tid (const ProfileModel *model, guint index, guint thread);
/* The first one (of ProfileSample) that ends after that time of the rank's host. */
guint profile_samples_find (const GArray *samples, double time_us);
/* Of JobMetrics, ten a second or fewer in the order of their times; borrowed until the next batch. */
const GArray *profile_samples_get_metrics (const ProfileModel *model, guint index);
/* JOB_METRIC_UNKNOWN: nobody knows. */
guint64 profile_samples_find_most (const ProfileModel *model, guint index, JobMetric metric);
/* The number in the model's tree of one in the rank's. */
guint32 profile_model_get_merged (const ProfileModel *model, guint index, guint32 context);
/* Where the rank was for certain then, in the model's tree: of a sample that is spread, the call that was recorded. */
guint32 profile_samples_get_seen (const ProfileModel *model, guint index,
                                  const ProfileSample *sample);
/* Number of the rank's threads, as far as they were seen, and the time of all but the first of them
 * while they ran, in s. */
guint profile_model_get_n_threads (const ProfileModel *model, guint index);
double profile_model_get_others (const ProfileModel *model, guint index);
/* Of all ranks; borrowed until the next batch. */
const JobContextTree *profile_model_get_contexts (const ProfileModel *model);
/* Adds what the rank has spent in each context itself, in s, and the number of those samples. The arrays have an
 * element for 0, the stacks that could not be read, and for each context. */
void profile_model_add_self (const ProfileModel *model, guint index, double *seconds,
                             guint64 *samples);

/* A function, whoever has called it. Times are in s. */
typedef struct {
    JobLocation location; /* line: the one where most of its own time went */
    guint32 flags;        /* JobFrameFlags */
    double self, total;   /* of all ranks; where it has called itself its total counts once */
    double *ranks;        /* its own time in each rank */
    JobCounts
        counts; /* of its own time, in all ranks: see profile/counts.h for what is known */
} ProfileFunction;

/* "work", or "libfoo.so+0x1234" of code that has no name; "??". Caller owns. */
char *profile_dup_name (const JobLocation *location);
/* GPtrArray of ProfileFunction with free function, those with the most time of their own first. */
GPtrArray *profile_functions_new (const ProfileModel *model);

/* No function: the time in which nobody has looked, or recorded anything. */
gboolean profile_is_gap (const JobLocation *location);

/* A line of the user's in one function, with what it has called in code that is none; or, without a line, the function of the
 * program's, or of a library, that no such line has called. */
typedef struct {
    JobLocation location; /* texts are the model's */
    double self;          /* of all ranks, in s */
    double *ranks;        /* of each rank */
} ProfileLine;

/* GPtrArray of ProfileLine with free function, the most expensive first. only_computing: without what was
 * spent in MPI, in system calls and waiting. */
GPtrArray *profile_lines_new (const ProfileModel *model, gboolean only_computing);

/* Functions that call each other in turn: so many are looked at for a circle. */
#define PROFILE_MAX_TURN 8u

/* A function inside its callers: lines of it are one, and so are its calls of itself, and those that go the same way
 * around as the calls before: even, odd, even and odd again is in the first odd. Times are in s and inclusive. */
typedef struct _ProfileNode ProfileNode;
struct _ProfileNode {
    JobLocation location; /* line: the one where most of the time went; texts are the model's */
    guint32 flags;        /* JobFrameFlags */
    gboolean is_recursive; /* it has called itself */
    double total, self;    /* of all ranks */
    double *ranks;         /* total of each rank */
    ProfileNode *parent;   /* NULL: the root */
    GPtrArray *children;   /* of ProfileNode, the most expensive first */
};

/* The root has no location: its children are the outermost functions. Valid as long as the model. */
ProfileNode *profile_tree_new (const ProfileModel *model);
void profile_tree_free (ProfileNode *root);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfileNode, profile_tree_free)
