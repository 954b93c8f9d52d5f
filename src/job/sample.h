/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples of the threads of one rank: where each was, what it was doing there, and for how long it
 * counts. */
#pragma once
#include "job/context.h"
#include "job/counts.h"
#include "job/metric.h"

/* What a thread was doing. */
typedef enum {
    JOB_CLASS_NATIVE,      /* computing in native code */
    JOB_CLASS_PYTHON,      /* computing in the interpreter */
    JOB_CLASS_MPI,         /* inside an MPI call, whether it computes or waits there */
    JOB_CLASS_IO,          /* a system call on a file */
    JOB_CLASS_NETWORK,     /* a system call on a socket */
    JOB_CLASS_LOCK,        /* waiting for another thread */
    JOB_CLASS_WAIT,        /* sleeping, or waiting for something outside the rank */
    JOB_CLASS_OPENMP,      /* waiting for its OpenMP team */
    JOB_CLASS_ACCELERATOR, /* inside an accelerator's library */
    JOB_CLASS_GIL,         /* waiting until another thread leaves the interpreter */
    JOB_CLASS_UNSAMPLED,   /* nobody knows: the sampler was late */
    JOB_CLASS_UNKNOWN,     /* what says so is lost */
    JOB_N_CLASSES
} JobClass;

/* A thread that waits for Python's lock has a function of this name innermost: behind it come the function that holds the
 * lock, its file, and ")". */
#define JOB_SAMPLE_HELD_BY "(GIL held by "

const char *job_class_get_name (JobClass class); /* "native", "Python", "MPI", … */

typedef struct {
    gint64 time_us;      /* CLOCK_MONOTONIC of the rank's host */
    guint32 weight_us;   /* since the thread's last sample: the time that this one stands for */
    guint32 context;     /* number in the rank's tree; 0: its stack could not be read */
    guint32 thread;      /* number in the rank, from 1 */
    guint8 class;        /* JobClass */
    gboolean is_blocked; /* it waited in the kernel */
    gboolean
        is_spread; /* nobody has looked then: it counts for what samples of the same call have seen at other times */
} JobSample;

/* What a daemon tells of one rank at a time: the contexts of its tree from `first` on, the samples
 * (of JobSample, in the order of their times) since the last batch, and how many more were due and have not been taken, until
 * now. */
GBytes *job_sample_batch_encode (const JobContextTree *tree, guint32 first,
                                 const GArray *samples, guint64 n_dropped);
/* What its host's kernel calls a thread. */
typedef struct {
    guint32 number; /* in the rank, as samples have it */
    gint32 tid;
} JobSampleThread;

/* What else a batch may have. */
typedef struct {
    GArray *metrics; /* of JobMetrics, in the order of their times; NULL: none */
    GArray
        *counts; /* of JobContextCounts, since the last batch; NULL: it says nothing of them */
    guint32
        counted; /* set of JobCount: with counts, what is still known of all threads since the first batch */
    GArray *threads; /* of JobSampleThread, which no batch before needs to have; NULL: none */
} JobSampleExtras;

GBytes *job_sample_batch_encode_all (const JobContextTree *tree, guint32 first,
                                     const GArray *samples, guint64 n_dropped,
                                     const JobSampleExtras *extras);
gboolean job_sample_batch_is_empty (GBytes *batch); /* neither contexts nor samples */
/* Adds the contexts to the rank's tree, which all earlier batches have been added to, and appends
 * the samples. Names are escaped (base/escape.h). CORRUPT, after which neither is whole. */
gboolean job_sample_batch_decode (GBytes *batch, JobContextTree *tree, GArray *samples,
                                  guint64 *ret_n_dropped, GError **error);
/* The same; extras: metrics and counts are there, and are appended to, as are threads unless NULL. *ret_has_counts: the
 * batch says something of counts, which is in counted, too. */
gboolean job_sample_batch_decode_all (GBytes *batch, JobContextTree *tree, GArray *samples,
                                      guint64 *ret_n_dropped, JobSampleExtras *extras,
                                      gboolean *ret_has_counts, GError **error);
