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
/* The same where the last argument is a reason that is a text for translators itself, marked N_ ("…"), without
 * directives. Only for daemons: it is translated where the error is shown. */
void base_error_set_because (GError **error, int code, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
void base_error_set_valist (GError **error, int code, const char *format, va_list arguments)
    G_GNUC_PRINTF (3, 0);
/* The same with a text that is formed already, which it takes: with a reason that is an error of this
 * domain itself. */
void base_error_set_text (GError **error, int code, BaseText *text);
/* An error that another process has formed: its message, and the form that base_error_get_form returned there; format
 * may be NULL. */
void base_error_set_formed (GError **error, int code, const char *message, const char *format,
                            const char *const *arguments, gboolean has_reason);
/* The format that the message was formed by, and the texts that took the place of its directives, which are %s, %u and
 * %d only: for a process that knows another language. *ret_has_reason: the last of them is a text for translators itself.
 * NULL: it was formed otherwise, or has been changed since. Owned by error. */
const char *base_error_get_form (const GError *error, const char *const **ret_arguments,
                                 gboolean *ret_has_reason);
/* The message as windows show it; of other domains, and where there is no other, the message itself. Owned by
 * error. */
const char *base_error_get_shown (const GError *error);
/* Both. Caller owns. */
BaseText *base_error_dup_text (const GError *error);
/* One of the two. */
const char *base_error_get (const GError *error, BaseTextForm form);

/* "not-found", "invalid", …; "unknown" for a number that is no code. */
const char *base_error_get_name (int code);
