/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why does a set not get on? One verdict and one sentence from the values of all ranks. */
#pragma once
#include "analysis/waits.h"

/* In the order in which they are preferred. */
typedef enum {
    ANALYSIS_VERDICT_CRASHED,     /* it waits for ranks that have stopped at a fault of their own */
    ANALYSIS_VERDICT_HELD,        /* it waits for ranks that the user holds */
    ANALYSIS_VERDICT_ENDED,       /* for ranks that have exited, failed, are lost or left MPI */
    ANALYSIS_VERDICT_MISMATCH,    /* a collective is not the same in all members */
    ANALYSIS_VERDICT_CYCLE,       /* ranks wait for each other */
    ANALYSIS_VERDICT_NO_PARTNER,  /* for a message that nobody is there to send or take */
    ANALYSIS_VERDICT_SYSTEM_CALL, /* for a rank that is in a system call */
    ANALYSIS_VERDICT_MISSING,     /* for members of a collective that have not come and compute */
    ANALYSIS_VERDICT_COMPUTING,   /* for a rank that computes: no fault is claimed */
    ANALYSIS_VERDICT_UNKNOWN,     /* for what nobody here can see: no claim is made */
    ANALYSIS_VERDICT_FREE,        /* nobody of the set waits in MPI */
    ANALYSIS_N_VERDICTS
} AnalysisVerdictKind;

/* Ranks that do the same at the same place, in the order of the sentence. */
typedef struct {
    JobRankSet *ranks;
    char *call;         /* "MPI_Recv"; NULL outside MPI */
    JobLocation *place; /* NULL unknown */
    char *words;        /* what the sentence says of one of them: "is computing at a.c:7"; NULL: the call says it */
    gboolean is_culprit;
} AnalysisVerdictPart;

typedef struct _AnalysisVerdict AnalysisVerdict;
struct _AnalysisVerdict {
    AnalysisVerdictKind kind;
    gboolean is_certain;  /* FALSE: from stacks or incomplete tables; the text says "appears" */
    JobRankSet *waiting;  /* those of the set that the sentence is about */
    JobRankSet *culprits; /* whom it waits for, in the end; of a cycle its ranks */
    JobRankSet *behind;   /* further ranks that nothing can free */
    JobRankSet *stuck;    /* all ranks of the job that nothing which moves can free */
    JobRankSet *inside;   /* all ranks of the job that are inside MPI without getting on */
    JobRankSet *placeless; /* culprits whose place the sentence lacks: sample them, ask again */
    GPtrArray *parts;     /* of AnalysisVerdictPart */
    char *command;        /* that would free it, or shows where to look; NULL */
    char *text;           /* one sentence without a full stop */
    JobMessageSource source; /* the poorest that was used */
    AnalysisVerdict *next;   /* another fault, which has nothing to do with those before it; NULL */
};

/* The set's ranks and all that they wait for: the gravest fault first, `next` leads to the others. */
AnalysisVerdict *analysis_verdict_new (const AnalysisRank *ranks, guint32 n_ranks,
                                       const JobRankSet *set);
void analysis_verdict_free (AnalysisVerdict *verdict);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AnalysisVerdict, analysis_verdict_free)
/* The sentences of all faults, with the separator between them. Caller owns. */
char *analysis_verdict_dup_text (const AnalysisVerdict *verdict, const char *separator);
/* "crashed", "held", "ended", "mismatch", "cycle", "no-partner", "system-call", "missing",
 * "computing", "unknown", "free". */
const char *analysis_verdict_kind_get_name (AnalysisVerdictKind kind);
