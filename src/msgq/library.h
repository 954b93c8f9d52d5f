/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One message queue library, loaded into this process, and what it says of ranks. It is foreign
 * code: whoever calls these functions is a process that may crash or hang. */
#pragma once
#include "job/message-queue.h"
#include "msgq/image.h"

typedef struct _MsgqLibrary MsgqLibrary;

typedef struct {
    guint32 rank, size;  /* of the job; size 0: not known */
    int memory;          /* descriptor of the rank's memory */
} MsgqRank;

/* NOT_FOUND: it cannot be loaded, or lacks a function; UNSUPPORTED: it speaks another version, or
 * says that the program is not one of its kind. Takes the image. */
MsgqLibrary *msgq_library_open (const char *path, MsgqImage *image, GError **error);
/* The same files, where they lie in the rank that is asked about next. */
void msgq_library_move (MsgqLibrary *library, const GArray *modules);
void msgq_library_close (MsgqLibrary *library);
/* Communicators and operations, source DLL, rank and flags as of job_message_queue_new.
 * UNSUPPORTED, with the library's own sentence; CORRUPT: what it says cannot be. */
JobMessageQueue *msgq_library_read (MsgqLibrary *library, const MsgqRank *rank, GError **error);
