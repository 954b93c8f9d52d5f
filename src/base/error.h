/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one error domain. Codes are named by what the caller does next; messages are lower case,
 * without a full stop, "cannot VERB OBJECT: REASON". */
#pragma once
#include "base/text.h"

typedef enum {
    BASE_ERROR_NOT_FOUND,   /* name it differently, or wait until it is there */
    BASE_ERROR_INVALID,     /* the caller's words are wrong */
    BASE_ERROR_FAULT,       /* memory of a rank cannot be read or written there */
    BASE_ERROR_GONE,        /* the process, thread or frame no longer exists */
    BASE_ERROR_BUSY,        /* try again when it has stopped */
    BASE_ERROR_DENIED,      /* the system forbids it */
    BASE_ERROR_UNSUPPORTED, /* cannot be done here */
    BASE_ERROR_CORRUPT,     /* data from a rank, file or the net contradicts itself */
    BASE_ERROR_LOST,        /* the other side no longer answers */
    BASE_ERROR_TIMEOUT,     /* it took longer than allowed */
} BaseError;

#define BASE_ERROR (base_error_quark ())
GQuark base_error_quark (void);

/* As g_set_error in this domain, with the message in the language of the windows beside it. `format`, a whole
 * sentence, is what translators see; arguments are names, numbers and reasons that the system gave. xgettext
 * knows this function: no N_. */
void base_error_set (GError **error, int code, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* The same with a text that is formed already, which it takes: with a reason that is an error of this
 * domain itself. */
void base_error_set_text (GError **error, int code, BaseText *text);
/* The message as windows show it; of other domains, and where there is no other, the message itself. Owned by
 * error. */
const char *base_error_get_shown (const GError *error);
/* Both. Caller owns. */
BaseText *base_error_dup_text (const GError *error);
/* One of the two. */
const char *base_error_get (const GError *error, BaseTextForm form);

/* "not-found", "invalid", …; "unknown" for a number that is no code. */
const char *base_error_get_name (int code);
