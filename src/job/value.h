/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A value as the user sees it, and the same expression's values over many ranks. */
#pragma once
#include "job/rank-set.h"
#include "job/text.h"

typedef struct _JobValue JobValue;
struct _JobValue {
    char *name; /* member, element or variable; NULL for a whole expression */
    char *type; /* "int", "double [8]", "ndarray"; NULL when unknown */
    char *text; /* the whole value in the frame's language: "3", "{x = 1, y = 2}" */
    gboolean is_number;
    double number;       /* when is_number */
    gboolean is_problem; /* text is a reason, e.g. "<optimised out>": not a value */
    gboolean expandable; /* has parts, whether fetched or not */
    guint64 rest;        /* hash of what text leaves out; 0: nothing, or not computed */
    JobText *said;       /* how text was formed where it is a reason with arguments; NULL */
    GPtrArray *children; /* of JobValue; NULL when none fetched */
    char *
        path; /* of a part: the expression for it where its name does not say that; NULL; is not sent */
};

JobValue *job_value_new (const char *name, const char *type, const char *text);
JobValue *job_value_new_number (const char *name, const char *type, const char *text,
                                double number);
void job_value_free (JobValue *value);
JobValue *job_value_dup (const JobValue *value);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (JobValue, job_value_free)
/* Its text; for a window with the reasons in it, whole or as parts, in the user's language. Caller owns. */
char *job_value_print (BaseTextForm form, const JobValue *value);
/* What a reason says. Caller owns. */
JobText *job_value_dup_said (const JobValue *value);
/* A value that is not known, and why. Takes said. */
JobValue *job_value_new_problem (const char *name, const char *type, JobText *said);
/* Whether a condition with this value holds, in whichever language it was printed: neither zero, a
 * null pointer, false, nor empty. FALSE for a problem: that is not known. */
gboolean job_value_is_true (const JobValue *value);

typedef struct {
    JobRankSet *ranks;
    JobValue *value;
} JobValueGroup;

/* All that a summary says of numbers, whatever their order. */
typedef struct {
    double min, max;            /* of the finite ones */
    guint32 min_rank, max_rank; /* lowest rank that has it */
    guint32 n_finite;
    JobRankSet *nan_ranks, *inf_ranks;
    GArray *sums, *scaled_sums; /* of double: the exact sum; value-summary.c */
} JobValueNumbers;

/* Ranks whose values hosts have summed up, because they were too many. */
typedef struct {
    JobRankSet *ranks; /* in none of the row's groups; what they have may be what groups have */
    guint32 n_values;  /* so many different ones at least */
    gboolean is_numeric; /* all are numbers: see numbers */
    gboolean is_integer;
    JobValueNumbers numbers;
} JobValueRest;

/* One expression or variable over ranks: a group for each distinct value. */
typedef struct {
    char *name;
    GPtrArray *groups;  /* of JobValueGroup, ordered by lowest rank */
    JobValueRest *rest; /* NULL: the groups are all; never of who has not asked for a summary */
} JobValueRow;

/* Rows in the order of first appearance. */
typedef struct {
    GPtrArray *rows; /* of JobValueRow */
} JobValueTable;

JobValueTable *job_value_table_new (void);
void job_value_table_free (JobValueTable *table);
JobValueTable *job_value_table_dup (const JobValueTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (JobValueTable, job_value_table_free)
void job_value_table_add (JobValueTable *table, const char *name, const JobRankSet *ranks,
                          const JobValue *value);
void job_value_table_merge (JobValueTable *table, const JobValueTable *other);
GVariant *job_value_table_encode (const JobValueTable *table);
JobValueTable *job_value_table_decode (GVariant *variant, guint32 limit, GError **error);

/* Of a row whose values are all numbers. Mean from the exactly rounded sum (Shewchuk 1997,
 * "Adaptive Precision Floating-Point Arithmetic", grow-expansion), so that the order of ranks
 * does not matter. */
typedef struct {
    double min, max, mean;      /* of the finite ones */
    guint32 min_rank, max_rank; /* lowest rank that has it */
    guint32 n_finite;
    JobRankSet *nan_ranks, *inf_ranks;
} JobValueSummary;
/* FALSE when the row has anything but numbers. */
gboolean job_value_row_summarise (const JobValueRow *row, JobValueSummary *ret_summary);
void job_value_summary_clear (JobValueSummary *summary);

/* The one form of a number in ranges and summaries: whole where all values of its row are. Caller owns. */
char *job_value_format_number (double number, gboolean is_integer);
gboolean job_value_row_is_integer (const JobValueRow *row);
/* The groups to show of a row: at most max, those of most ranks, by lowest rank. Of JobValueGroup,
 * borrowed; caller owns the list. The others are counted. */
GPtrArray *job_value_row_choose (const JobValueRow *row, guint max, guint *ret_rest,
                                 guint32 *ret_rest_ranks);
#define JOB_VALUE_MAX_SHOWN 8 /* groups, wherever a row is shown */
/* Of a row with more groups than most only those of most ranks stay, `kept` of them; the others become its rest. */
void job_value_row_cut (JobValueRow *row, guint most, guint kept);
/* The rest's ranks become what map makes of them, which it owns. */
void job_value_rest_map (JobValueRest *rest,
                         JobRankSet *(*map) (const JobRankSet *ranks, gpointer user),
                         gpointer user);
gboolean job_value_rest_is_within (const JobValueRest *rest, const JobRankSet *allowed);
JobValueRest *job_value_rest_dup (const JobValueRest *rest); /* NULL of NULL */
void job_value_rest_free (JobValueRest *rest);               /* NULL is fine */
/* "at least 12 different values in 30 further ranks (…)": what: "values". Caller owns. */
char *job_value_rest_format (guint32 n_values, const JobRankSet *ranks, const char *what);
/* Behind the text of a value of which `rest` is not the whole. */
#define JOB_VALUE_TOO_LARGE " (too large to compare whole)"
