/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What sentences about messages and ranks are made of: whole clauses, and labels that name a call,
 * a place or a list, in English or as windows show them. A clause or a label is one format for
 * translators; what is added to one (a line, a place) takes it whole. */
#pragma once
#include "base/text.h"
#include "job/location.h"

/* "app.c:12"; NULL without a line. Caller owns. */
char *analysis_words_format_line (const JobLocation *place);
/* The label, which it takes, with the line in brackets: "MPI_Recv (app.c:12)"; itself without a
 * line. Caller owns. */
char *analysis_words_add_line (BaseTextForm form, char *label, const JobLocation *place);
/* The clause, which it takes, with the place: "3 is computing at app.c:12", "3 is computing in
 * main"; itself when the place is not known. Caller owns. */
char *analysis_words_add_place (BaseTextForm form, char *clause, const JobLocation *place);
/* Adds a clause, which it takes, to a sentence of several; nothing when it is NULL. */
void analysis_words_append (BaseTextForm form, GString *sentence, char *clause);
