/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A message queue library, loaded into this process, and its answers about ranks. It is foreign
 * code: a process that calls these functions may crash or hang. */
#pragma once
#include "job/message-queue.h"
#include "msgq/image.h"

typedef struct _MsgqLibrary MsgqLibrary;

typedef struct {
    guint32 rank, size; /* of the job; size 0: not known */
    int memory;         /* descriptor of the rank's memory */
} MsgqRank;

/* NOT_FOUND: it cannot be loaded, or lacks a function; UNSUPPORTED: it has another version or
 * does not support the program. Takes the image. */
MsgqLibrary *msgq_library_open (const char *path, MsgqImage *image, GError **error);
/* Sets the files' addresses in the next rank. */
void msgq_library_move (MsgqLibrary *library, const GArray *modules);
void msgq_library_close (MsgqLibrary *library);
/* Communicators and operations, source DLL, rank and flags as of job_message_queue_new.
 * UNSUPPORTED, with the library's message; CORRUPT: its answer is inconsistent. */
JobMessageQueue *msgq_library_read (MsgqLibrary *library, const MsgqRank *rank, GError **error);
