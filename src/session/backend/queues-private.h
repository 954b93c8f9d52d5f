/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions that queues.c takes to where the job is, and that measured.c answers there. */
#pragma once
#include "session/session.h"

/* Takes asked, which may be NULL. The answer is read by session_queues_read_answer. */
void session_queues_ask (Session *session, const char *verb, GKeyFile *asked,
                         GCancellable *cancellable, GAsyncReadyCallback done, gpointer user);
/* NULL with an error. Caller owns. */
GKeyFile *session_queues_read_answer (GAsyncResult *result, GError **error);

#define SESSION_QUEUES_GROUP "Queue"

/* measured.c: of the archive of the measured job whose note has the id "Id". */
/* "Names", below its folder, and "Sizes". NOT_FOUND; DENIED; INVALID: it has names that are no UTF-8, or too many. */
gboolean session_measured_list_files (GKeyFile *asked, GKeyFile *answer, GError **error);
/* "Bytes", in base64, of all its files, one behind the other in the order of that list, from "Offset" on; so many as fit in
 * one answer, none behind the end. NOT_FOUND, DENIED. */
gboolean session_measured_read (GKeyFile *asked, GKeyFile *answer, GError **error);
/* Removes the note. */
gboolean session_measured_drop (GKeyFile *asked, GKeyFile *answer, GError **error);
