/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dap/reader.h"
#include "base/array.h"
#include "base/error.h"
#include <string.h>

struct _DapReader {
    GByteArray *bytes;
    gsize at;       /* of them have been taken */
    guint64 skips;  /* bytes still to come of a message that is too long */
    gboolean knows; /* its head has been read */
    gsize size;     /* of its body */
    gboolean is_broken;
};

DapReader *
dap_reader_new (void)
{
    DapReader *reader = g_new0 (DapReader, 1);

    reader->bytes = g_byte_array_new ();
    return reader;
}

BASE_FREE_PUBLIC (dap_reader_free, DapReader, reader, g_byte_array_unref (reader->bytes))

void
dap_reader_add (DapReader *reader, const char *bytes, gsize size)
{
    gsize skipped = (gsize) MIN (reader->skips, size);

    reader->skips -= skipped;
    if (reader->at > 0) {
        g_byte_array_remove_range (reader->bytes, 0, (guint) reader->at);
        reader->at = 0;
    }
    if (!reader->is_broken) {
        g_byte_array_append (reader->bytes, (const guint8 *) bytes + skipped,
                             (guint) (size - skipped));
    }
}

static DapReaderResult
fail_broken (DapReader *reader, GError **error, const char *why)
{
    reader->is_broken = TRUE;
    g_byte_array_set_size (reader->bytes, 0);
    reader->at = 0;
    g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                 "this is not the Debug Adapter Protocol: %s", why);
    return DAP_READER_BROKEN;
}

/* The value of Content-Length among the lines of the head. FALSE: there is none that is a number. */
static gboolean
find_length (const char *head, guint64 *ret_length)
{
    g_auto (GStrv) lines = g_strsplit (head, "\r\n", -1);
    gboolean is_found = FALSE;

    for (guint i = 0; lines[i] != NULL; i++) {
        const char *colon = strchr (lines[i], ':');
        g_autofree char *name
            = colon != NULL ? g_strstrip (g_strndup (lines[i], (gsize) (colon - lines[i])))
                            : NULL;
        g_autofree char *value = colon != NULL ? g_strstrip (g_strdup (colon + 1)) : NULL;

        if (name != NULL && g_ascii_strcasecmp (name, "Content-Length") == 0) {
            if (is_found
                || !g_ascii_string_to_unsigned (value, 10, 0, G_MAXINT64, ret_length, NULL)) {
                return FALSE;
            }
            is_found = TRUE;
        }
    }
    return is_found;
}

/* Reads the head. */
static DapReaderResult
take_head (DapReader *reader, GError **error)
{
    const char *start = (const char *) reader->bytes->data + reader->at;
    gsize left = reader->bytes->len - reader->at;
    const char *end = left > 0 ? memmem (start, MIN (left, DAP_READER_MAX_HEAD), "\r\n\r\n", 4)
                               : NULL;
    g_autofree char *head = NULL;
    guint64 length;

    if (end == NULL) {
        return left < DAP_READER_MAX_HEAD
                   ? DAP_READER_MORE
                   : fail_broken (reader, error,
                                  "no message begins with so many bytes; each begins with "
                                  "\"Content-Length: N\" and an empty line");
    }
    head = g_strndup (start, (gsize) (end - start));
    if (strlen (head) != (gsize) (end - start) || !find_length (head, &length)) {
        return fail_broken (reader, error,
                            "a message begins with one line \"Content-Length: N\", N a number, "
                            "and an empty line");
    }
    reader->at += (gsize) (end - start) + 4;
    if (length > DAP_READER_MAX_BODY) {
        gsize there = (gsize) MIN (length, reader->bytes->len - reader->at);

        reader->at += there;
        reader->skips = length - there;
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                     "a message of %" G_GUINT64_FORMAT
                     " bytes is too long, it is skipped: at most %u are taken",
                     length, DAP_READER_MAX_BODY);
        return DAP_READER_BAD;
    }
    reader->knows = TRUE;
    reader->size = (gsize) length;
    return DAP_READER_MESSAGE;
}

DapReaderResult
dap_reader_take (DapReader *reader, json_t **ret_message, GError **error)
{
    json_error_t problem;
    json_t *message;
    const char *body;

    if (reader->is_broken || reader->skips > 0) {
        return DAP_READER_MORE;
    }
    if (!reader->knows) {
        DapReaderResult result = take_head (reader, error);

        if (result != DAP_READER_MESSAGE) {
            return result;
        }
    }
    if (reader->bytes->len - reader->at < reader->size) {
        return DAP_READER_MORE;
    }
    body = (const char *) reader->bytes->data + reader->at;
    message = json_loadb (body, reader->size, JSON_ALLOW_NUL, &problem);
    reader->at += reader->size;
    reader->knows = FALSE;
    if (message == NULL || !json_is_object (message)) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                     "a message is not an object of JSON, it is skipped: %s",
                     message == NULL ? problem.text : "it is another value");
        json_decref (message);
        return DAP_READER_BAD;
    }
    *ret_message = message;
    return DAP_READER_MESSAGE;
}
