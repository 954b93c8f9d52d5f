/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the report of a profile. */
#pragma once
#include <glib/gi18n.h>
#include "profile/report.h"

typedef struct {
    ProfilePage *page;
    const ProfileModel *model;
    guint n_ranks;
    double total; /* s, of all ranks */
    BaseTextForm form;
    gboolean is_traced;  /* calls were recorded, and not sampled */
    gboolean has_calls;  /* and it is known how many */
    gboolean is_foreign; /* another program has written the archive */
} ProfileReport;

/* ---- words: all are marked N_ and come in the report's form ---- */
/* Static. */
const char *profile_report_get_word (const ProfileReport *report, const char *word);
void profile_report_begin_section (ProfileReport *report, const char *title);
void profile_report_begin_table (ProfileReport *report, ProfileTableStyle style,
                                 const ProfileColumn *columns, guint n_columns);
void profile_report_add_text (ProfileReport *report, const char *text, gboolean is_important);
void profile_report_add_word (ProfileReport *report, const char *word); /* a cell */
void profile_report_add_known (ProfileReport *report, gboolean is_known, guint64 number);

/* Percent of the whole; 0 when there is none. */
double profile_report_get_share (const ProfileReport *report, double seconds);
/* Of all ranks, in s. */
double profile_report_sum_class (const ProfileReport *report, JobClass class);
/* max / mean - 1 of the ranks, without their child processes, in percent; 0 for fewer than two. */
double profile_report_get_imbalance (const ProfileReport *report, const double *values);

/* What to try where the class has much of the time. Caller owns. */
char *profile_report_dup_advice (const ProfileReport *report, JobClass class);
void profile_report_add_sentence (ProfileReport *report); /* what comes first */

/* ---- one section each ---- */
void profile_report_add_efficiency (ProfileReport *report);
void profile_report_add_ranks (ProfileReport *report);
void profile_report_add_mpi (ProfileReport *report);
/* A part of it: the time in messages, with waiting for requests, and in collective operations. */
void profile_report_add_traffic (ProfileReport *report, double messages_s, double collectives_s,
                                 double moves_s);
/* Who waited for whom, and the messages between ranks, where a trace says it. */
void profile_report_add_waits (ProfileReport *report);
void
profile_report_add_values (ProfileReport *report); /* metrics and parameters of the program */
void profile_report_add_path (ProfileReport *report); /* the critical path of a trace of MPI */
void
profile_report_add_delays (ProfileReport *report); /* who others have waited for, and why */
/* Files, and locks that threads have waited for, where a trace says it. */
void profile_report_add_files (ProfileReport *report);
void profile_report_add_locks (ProfileReport *report);
void profile_report_add_gil (ProfileReport *report); /* who had Python's lock, of a profile */
void profile_report_add_allocations (ProfileReport *report);
void profile_report_add_losses (ProfileReport *report); /* events that a trace lacks */
void profile_report_add_functions (ProfileReport *report);
void profile_report_add_lines (ProfileReport *report);
void profile_report_add_io (ProfileReport *report);
void profile_report_add_threads (ProfileReport *report);
void profile_report_add_processors (ProfileReport *report);
void profile_report_add_machine (ProfileReport
                                     *report); /* processors, memory, energy, accelerators */

/* ---- ranks.c ---- */
/* The sentence about ranks that did nothing; NULL: there is none. Caller owns. */
char *profile_report_describe_idle (const ProfileReport *report);
