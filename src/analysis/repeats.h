/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The few calls that a rank makes over and over: a loop that looks for something with calls that succeed, as
 * MPI_Fetch_and_op with MPI_Win_flush. */
#pragma once
#include "analysis/communicators.h"

/* "MPI_Fetch_and_op and MPI_Win_flush (a.c:99-100)", if the rank has returned from nothing else between its two
 * readings, and from each of them several times; else NULL. Caller owns. */
char *analysis_repeats_format (BaseTextForm form, const AnalysisRank *rank);
