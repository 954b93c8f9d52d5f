/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was spent in each context, by rank and by class: the views that show where the time went are
 * all made from this. The model may be a slice (profile/slice.h). */
#pragma once
#include "profile/counts.h"

/* What a rank has spent in a context itself. */
typedef struct {
    guint32 context; /* in the model's tree; 0: stacks that could not be read */
    double seconds;
} ProfileCost;

typedef struct {
    guint index; /* in the model */
    guint32 rank;
    gboolean is_child; /* forked by a rank: it is not compared with the ranks */
    guint n_members;   /* a group of so many ranks: times are those of all; 1: a rank */
    guint first, end;  /* its part of costs */
} ProfileCostRank;

/* Valid until the model's next batch. */
typedef struct {
    const ProfileModel *model;
    gint64 begin_us, end_us; /* of its samples, on the front end's clock; 0 without any */
    guint32 n_contexts;      /* contexts are 0 to this */
    double *self;            /* of each context, all ranks together, in s */
    double *classes;         /* the same by class: JOB_N_CLASSES for each context */
    double total;            /* of all, in s */
    JobCounts *counts;   /* of each context itself, all ranks together; NULL: none are known */
    guint32 counted;     /* set of JobCount that are known of all ranks */
    guint64 *calls;      /* of each context, all ranks together, as far as they were recorded */
    GArray *ranks;       /* of ProfileCostRank, ascending, also those without any time */
    GArray *costs;       /* of ProfileCost, by rank */
    guint32 *functions;  /* function of each context, from 1 on; 0 has 0 */
    guint32 n_functions; /* functions are 1 to this */
    guint32 *examples;   /* a context of each function */
    guint8 *is_outermost; /* of each context: its function is not in the stack outside it */
    guint8 *
        is_hidden; /* of each context: a library's code, which counts for its caller; NULL: of none */
} ProfileCosts;

ProfileCosts *profile_costs_new (const ProfileModel *model);
/* The same of the program's own code alone: what libraries spent counts for the function that called them. Libraries that
 * call the program stay, as nobody has called them. */
ProfileCosts *profile_costs_new_own (const ProfileModel *model);
void profile_costs_free (ProfileCosts *costs); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfileCosts, profile_costs_free)
/* The time of each context with all that it has called, of all ranks; inclusive[0] gets the total. */
void profile_costs_fill_inclusive (const ProfileCosts *costs, double *inclusive);
/* The same of one rank, by its position in ranks. */
void profile_costs_fill_rank (const ProfileCosts *costs, guint position, double *inclusive);

/* A sample that counts. */
typedef struct {
    guint position;          /* of its rank in ranks */
    guint32 context;         /* in the model's tree */
    guint class;             /* JobClass */
    gint64 begin_us, end_us; /* of the front end's time */
} ProfilePiece;
typedef void (*ProfilePieceFunc) (const ProfilePiece *piece, gpointer user);
/* All of them, rank by rank. */
void profile_costs_walk (const ProfileModel *model, ProfilePieceFunc func, gpointer user);
