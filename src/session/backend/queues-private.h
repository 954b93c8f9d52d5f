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

/* measured.c: of the archive of the measured job whose note has the id "Id". Who has asked for it has it alone from then on,
 * until its note is removed, it is released, or the process ends. */
/* "Names", below its folder, and "Sizes". NOT_FOUND; DENIED: as another process has it, too; INVALID: it has names that are no
 * UTF-8, or too many. */
gboolean session_measured_list_files (GKeyFile *asked, GKeyFile *answer, GError **error);
/* "Bytes", in base64, of all its files, one behind the other in the order of that list, "Size" of them from "Offset" on, none
 * behind the end. NOT_FOUND, DENIED. */
gboolean session_measured_read (GKeyFile *asked, GKeyFile *answer, GError **error);
/* Removes the note. */
gboolean session_measured_drop (GKeyFile *asked, GKeyFile *answer, GError **error);
/* Who has asked for it is gone. */
void session_measured_release (void);
