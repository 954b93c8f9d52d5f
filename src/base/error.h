/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one error domain. Codes are named by what the caller does next; messages are lower case,
 * without a full stop, "cannot VERB OBJECT: REASON". */
#pragma once
#include <glib.h>

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

/* "not-found", "invalid", …; "unknown" for a number that is no code. */
const char *base_error_get_name (int code);
