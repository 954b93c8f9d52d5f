/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a set does not proceed: a verdict and a sentence, computed from the values of all
 * ranks. */
#pragma once
#include "analysis/waits.h"
#include "base/text.h"

/* In order of preference. */
typedef enum {
    ANALYSIS_VERDICT_CRASHED,     /* waits for ranks stopped by a fault of their own */
    ANALYSIS_VERDICT_HELD,        /* waits for ranks that the user has paused */
    ANALYSIS_VERDICT_ENDED,       /* for ranks that exited, failed, are lost or left MPI */
    ANALYSIS_VERDICT_MISMATCH,    /* a collective is not the same in all members */
    ANALYSIS_VERDICT_CYCLE,       /* ranks wait for each other */
    ANALYSIS_VERDICT_NO_PARTNER,  /* for a message that no rank can send or receive */
    ANALYSIS_VERDICT_SYSTEM_CALL, /* for a rank that is in a system call */
    ANALYSIS_VERDICT_MISSING,     /* for members of a collective that are still computing */
    ANALYSIS_VERDICT_COMPUTING,   /* for a rank that computes: no fault */
    ANALYSIS_VERDICT_UNKNOWN,     /* for something that pddt cannot see: not known */
    ANALYSIS_VERDICT_FREE,        /* no rank of the set waits in MPI */
    ANALYSIS_N_VERDICTS
} AnalysisVerdictKind;

/* Ranks that do the same at the same place, as one part of the sentence. */
typedef struct {
    JobRankSet *ranks;
    char *call;         /* "MPI_Recv"; NULL outside MPI */
    JobLocation *place; /* NULL unknown */
    BaseText *caption;  /* what one of them does: "computing at a.c:7"; NULL: the call */
    gboolean is_culprit;
} AnalysisVerdictPart;

typedef struct _AnalysisVerdict AnalysisVerdict;
struct _AnalysisVerdict {
    AnalysisVerdictKind kind;
    gboolean is_unexplained; /* UNKNOWN: the last rank of the way waits for nobody */
    gboolean is_certain;  /* FALSE: from stacks or incomplete tables; the text says "appears" */
    JobRankSet *waiting;  /* the ranks of the set that the sentence is about */
    JobRankSet *culprits; /* the ranks that it finally waits for; the ranks of a cycle */
    JobRankSet *behind;   /* further ranks that nothing can free */
    JobRankSet *stuck;    /* all ranks of the job that no moving rank can free */
    JobRankSet *inside;   /* all ranks of the job that make no progress inside MPI */
    JobRankSet *placeless; /* culprits with unknown places: sample them and ask again */
    JobRankSet *helped;    /* the culprits that the command is for */
    GPtrArray *parts;      /* of AnalysisVerdictPart */
    char *command;  /* would free it, or shows where to look; ends in a blank if the user has to
                             complete it; NULL none */
    BaseText *text; /* one sentence without a full stop */
    JobMessageSource source; /* the poorest one used */
    AnalysisVerdict *next;   /* another, independent fault; NULL */
};

/* The faults of the set's ranks and of all that they wait for: the gravest first, the others by
 * `next`. */
AnalysisVerdict *analysis_verdict_new (const AnalysisRank *ranks, guint32 n_ranks,
                                       const JobRankSet *set);
void analysis_verdict_free (AnalysisVerdict *verdict);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AnalysisVerdict, analysis_verdict_free)
/* The sentences of all faults, with the separator between them. Caller owns. */
char *analysis_verdict_dup_text (const AnalysisVerdict *verdict, BaseTextForm form,
                                 const char *separator);
/* "crashed", "held", "ended", "mismatch", "cycle", "no-partner", "system-call", "missing",
 * "computing", "unknown", "free". */
const char *analysis_verdict_kind_get_name (AnalysisVerdictKind kind);
