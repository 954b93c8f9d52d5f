/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a daemon says to the user, as its format and arguments: it does not know the user's language, the front end
 * does. */
#pragma once
#include "base/text.h"

typedef struct _JobText JobText;

/* format, a whole sentence, is what translators see; xgettext knows these functions: no N_. Its directives are %s,
 * %u and %d. Caller owns. */
JobText *job_text_new (const char *format, ...) G_GNUC_PRINTF (1, 2);
JobText *job_text_new_valist (const char *format, va_list arguments) G_GNUC_PRINTF (1, 0);
/* `one` where n is 1, else `many`; both take all arguments, of which n is not one by itself. */
JobText *job_text_new_plural (const char *one, const char *many, guint n, ...)
    G_GNUC_PRINTF (1, 4) G_GNUC_PRINTF (2, 4);
/* A name, or what another program has said: the same in every language. */
JobText *job_text_new_plain (const char *text);
/* A sentence or phrase without arguments that is known to translators: marked N_ ("…") where it stands. */
JobText *job_text_new_reason (const char *reason);
/* The same with arguments, up to NULL, for as many %s. */
JobText *job_text_new_formed (const char *format, const char *const *arguments);
/* What the error says; NULL: how it was formed is not known. Arguments that are the system's reasons ("No such file or
 * directory") are said in the front end's language. */
JobText *job_text_new_error (const GError *error);
/* The argument, counted from 0 on, is a text itself, which is taken; its directive is %s. */
void job_text_nest (JobText *text, guint index, JobText *argument);
/* `first`, then `next` behind a semicolon; takes both; first NULL: next. */
JobText *job_text_join (JobText *first, JobText *next);
JobText *job_text_append (JobText *first, JobText *next); /* behind a comma */
JobText *job_text_dup (const JobText *text);
void job_text_free (JobText *text);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (JobText, job_text_free)
/* A text that has come from a daemon may have any content: a translation that does not fit it is not taken. Caller
 * owns. */
char *job_text_print (BaseTextForm form, const JobText *text);
/* The argument, counted from 0 on; NULL: there are not as many. Owned by text. */
const JobText *job_text_get_argument (const JobText *text, guint index);
/* An error that says the text. */
void job_text_raise (const JobText *text, int code, GError **error);
