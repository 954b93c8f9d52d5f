/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the exporters share: the functions of a profile with what they have cost, and files. */
#pragma once
#include "profile/counts.h"
#include "profile/export.h"
#include "profile/export/text.h"
#include "profile/messages.h"

#define PROFILE_ALL_RANKS G_MAXUINT
#define PROFILE_NO_CALL G_MAXUINT32

/* A function of the program. Texts are UTF-8 without control characters. */
typedef struct {
    char *name;   /* "MODULE+0xOFFSET" where only that is known; never NULL */
    char *file;   /* its path; else its module; else "" */
    guint32 line; /* the one where most of its own time went; 0: none is known */
    JobLanguage language;
    char *short_name; /* as Python's code object has it: without its class and module */
} ProfileExportFunction;

typedef struct {
    guint32 caller, callee; /* functions */
} ProfileExportCall;

/* Number 0 of contexts and of functions are the stacks that could not be read. */
typedef struct {
    const ProfileModel *model;
    const JobContextTree *contexts;
    guint32 n_contexts;   /* with number 0 */
    GPtrArray *functions; /* of ProfileExportFunction */
    guint32 *function_of; /* of each context */
    GArray *calls;        /* of ProfileExportCall: each pair once */
    gboolean is_traced;   /* calls were counted; a function's line is its first */
    guint32 *call_of;     /* of each context: how it was called; PROFILE_NO_CALL: outermost */
} ProfileExportTable;

ProfileExportTable *profile_export_table_new (const ProfileModel *model);
void profile_export_table_free (ProfileExportTable *table); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfileExportTable, profile_export_table_free)
const ProfileExportFunction *profile_export_table_get (const ProfileExportTable *table,
                                                       guint32 function);

/* Two numbers as a key (guint64): g_int64_hash takes only one of them. */
guint profile_export_hash_pair (gconstpointer key);

/* Times are in s. A stack counts once for a function, however often that is in it. */
typedef struct {
    double self, total;
    guint64 n_self, n_total; /* samples in which it was innermost; in which it was there */
    guint64 n_inner;         /* samples in what it has called */
    /* Of a trace n_total is the number of calls, n_inner that of calls that it has made, and n_self
     * 0. */
    guint64 n_primitive; /* of n_total, those that were not made inside another one */
} ProfileExportCost;

typedef struct {
    double *seconds; /* of each context itself */
    guint64 *samples;
    ProfileExportCost *functions; /* of each function */
    ProfileExportCost *calls;     /* of each call; self: of the callee, when called so */
    double total;
    guint64 n_samples;
    JobCounts *counts; /* of each function itself */
    guint32 counted;   /* set of JobCount that these have */
} ProfileExportCosts;

/* There is neither a call nor time. */
static inline gboolean
profile_export_cost_is_nothing (const ProfileExportCost *cost)
{
    return cost->n_total == 0 && cost->total <= 0;
}

/* Of the rank with this index, or of PROFILE_ALL_RANKS. */
ProfileExportCosts *profile_export_costs_new (const ProfileExportTable *table, guint index);
void profile_export_costs_free (ProfileExportCosts *costs); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfileExportCosts, profile_export_costs_free)

/* A function inside the functions that have called it; lines do not matter, calls of itself do. */
typedef struct {
    guint32 parent; /* stack; lower than its own number; 0: outermost */
    guint32 function;
    guint32 depth; /* 1: outermost */
} ProfileExportStack;

/* Number 0 is none; what it costs are the stacks that could not be read. */
typedef struct {
    GArray *stacks;    /* of ProfileExportStack */
    guint32 *stack_of; /* of each context */
    guint32
        *order; /* all but 0, each before those inside it and before the next one beside it */
} ProfileExportStacks;

ProfileExportStacks *profile_export_stacks_new (const ProfileExportTable *table);
void profile_export_stacks_free (ProfileExportStacks *stacks); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfileExportStacks, profile_export_stacks_free)
const ProfileExportStack *profile_export_stacks_get (const ProfileExportStacks *stacks,
                                                     guint32 number);

/* A thread was in one stack (0: it could not be read), in µs of the front end's clock. */
typedef struct {
    gint64 begin_us, end_us;
    guint32 stack;
} ProfileExportStretch;

/* GArray of ProfileExportStretch, one after the other: what has the same stack and follows at once is one. with_waits: also
 * where a thread that is not the first one waits, which counts for no time elsewhere. Caller unrefs. */
GArray *profile_export_stretches_new (const ProfileExportTable *table,
                                      const ProfileExportStacks *stacks, guint index,
                                      guint thread, gboolean with_waits, guint32 *ret_number);
/* When the first of its ranks was measured first, of the front end's clock. */
gint64 profile_export_find_begin (const ProfileModel *model);

/* ---- for formats that have a run over time ---- */

typedef struct _ProfileExportWriter ProfileExportWriter;

/* What is being written; a format's own struct begins with it. */
typedef struct {
    const ProfileExportTable *table;
    const ProfileExportWriter *writer;
    const ProfileExportStacks *stacks;
    gint64 begin_us;      /* of the run */
    guint32 rank, thread; /* of what the writer is told */
    GArray *open;         /* of guint32: functions, the outermost first */
    guint64 n_slices;     /* that were begun */
} ProfileExportTimeline;

/* Each takes the ProfileExportTimeline that was given. Times are in µs since the run's beginning, never negative. */
struct _ProfileExportWriter {
    void (*name_rank) (gpointer to, const char *name, const char *note); /* note: or NULL */
    void (*name_thread) (gpointer to, const char *name);
    void (*begin) (gpointer to, gint64 time_us, guint32 function);
    void (*end) (gpointer to, gint64 time_us); /* of the function that was begun last */
    void (*count) (gpointer to, gint64 time_us, const char *name, const char *unit,
                   double value); /* unit: or "" */
    void (*message) (gpointer to, guint32 number, const ProfileMessage *message, gint64 sent_us,
                     gint64 received_us);
};

/* All of a run: each rank, its threads with their functions, its counters; then the messages. */
void profile_export_timeline_write (ProfileExportTimeline *timeline,
                                    const ProfileExportTable *table,
                                    const ProfileExportWriter *writer);
/* What the slices of a trace are not; NULL: none is needed. Caller owns. */
char *profile_export_timeline_dup_note (const ProfileExportTable *table);

/* The path with "_RANK" before its suffix, or "_NUMBER-pidPID" of a child process, whose number no user knows. Caller owns. */
char *profile_export_dup_rank_path (const ProfileModel *model, const char *path, guint32 rank);
/* ---- one for each format: the whole of it at path ---- */
gboolean profile_export_pstats (const ProfileExportTable *table, const char *path,
                                GError **error);
gboolean profile_export_speedscope (const ProfileExportTable *table, const char *path,
                                    GError **error);
gboolean profile_export_chrome (const ProfileExportTable *table, const char *path,
                                GError **error);
gboolean profile_export_perfetto (const ProfileExportTable *table, const char *path,
                                  GError **error);
gboolean profile_export_collapsed (const ProfileExportTable *table, const char *path,
                                   GError **error);
gboolean profile_export_dot (const ProfileExportTable *table, const char *path, GError **error);
gboolean profile_export_tau (const ProfileExportTable *table, const char *path, GError **error);
gboolean profile_export_cubex (const ProfileExportTable *table, const char *path,
                               GError **error);
gboolean profile_export_lprof (const ProfileExportTable *table, const char *path,
                               GError **error);
gboolean profile_export_csv (const ProfileExportTable *table, const char *path, GError **error);
