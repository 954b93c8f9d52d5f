/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The MPI operations that had begun and not ended when the queues of the whole job were last read, whoever
 * has asked why ranks wait: a GListModel. */
#pragma once
#include "session/session.h"

#define SESSION_TYPE_OPERATION (session_operation_get_type ())
G_DECLARE_FINAL_TYPE (SessionOperation, session_operation, SESSION, OPERATION, GObject)

/* Of SessionOperation, by rank; the first SESSION_MAX_OPERATIONS. Empty before the first reading. Borrowed, as
 * old as the session. */
#define SESSION_MAX_OPERATIONS 5000
GListModel *session_get_operation_list (const Session *session);

/* All borrowed from the operation, which does not change but for its freshness. */
guint32 session_operation_get_rank (const SessionOperation *operation);
const char *
session_operation_get_name (const SessionOperation *operation); /* "MPI_Irecv", "receive" */
gint32
session_operation_get_peer (const SessionOperation *operation); /* as JobMessageOperation's */
gint32 session_operation_get_tag (const SessionOperation *operation);
const char *session_operation_get_communicator (const SessionOperation *operation);
guint64 session_operation_get_bytes (const SessionOperation *operation);
/* NULL: not known. Lives as long as the list has the item. */
const JobLocation *session_operation_get_place (const SessionOperation *operation);
/* Freshness: when its queue was read. */
gint64 session_operation_get_read_us (const SessionOperation *operation);
/* Since when it may be over: its rank moves (a blocked one does not), has moved since or has ended. 0: it is what is known. */
gint64 session_operation_get_stale_us (const SessionOperation *operation,
                                       const Session *session);
