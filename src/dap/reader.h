/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes of a client to messages: "Content-Length: N", an empty line, N bytes of JSON. What comes is not trusted;
 * memory is bounded by the longest message that is taken. */
#pragma once
#include <glib.h>
#include <jansson.h>

typedef struct _DapReader DapReader;

#define DAP_READER_MAX_BODY (16u << 20) /* bytes of a message */
#define DAP_READER_MAX_HEAD 4096        /* bytes in front of it */

typedef enum {
    DAP_READER_MORE,    /* there is no whole message yet */
    DAP_READER_MESSAGE, /* *ret_message is an object; caller owns (json_decref) */
    DAP_READER_BAD,     /* one message is none: error says why. The next one can be read */
    DAP_READER_BROKEN,  /* where messages begin is not known any more: error says why */
} DapReaderResult;

DapReader *dap_reader_new (void);
void dap_reader_free (DapReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DapReader, dap_reader_free)
void dap_reader_add (DapReader *reader, const char *bytes, gsize size);
/* Call it until it wants more. error: INVALID. */
DapReaderResult dap_reader_take (DapReader *reader, json_t **ret_message, GError **error);
