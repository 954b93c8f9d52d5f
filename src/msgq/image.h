/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of a program, for a message queue library: finds symbols and types by name in ELF
 * tables and debug information. */
#pragma once
#include "msgq/interface.h"
#include <glib.h>

typedef struct {
    char *path;   /* for opening the file; may be in /proc */
    guint64 bias; /* address in the rank minus address in the file */
} MsgqModule;

/* modules: of MsgqModule, copied; skips unreadable files. types: a folder with files
 * mpi-types-BUILDID.so, each with debug information for the module of that build-id. */
MsgqImage *msgq_image_new (const GArray *modules, const char *types);
void msgq_image_free (MsgqImage *image);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (MsgqImage, msgq_image_free)
/* The same modules at other addresses. */
void msgq_image_move (MsgqImage *image, const GArray *modules);
/* Searches all files. */
gboolean msgq_image_find_symbol (MsgqImage *image, const char *name, MsgqAddress *ret_address);
/* Resolves typedefs. Borrowed; NULL: not found. */
MsgqType *msgq_image_find_type (MsgqImage *image, const char *name);
int msgq_type_get_size (const MsgqType *type);                      /* -1: unknown */
int msgq_type_get_offset (const MsgqType *type, const char *field); /* -1: it has none of it */
/* The library's data for the image. */
MsgqTheirs **msgq_image_get_theirs (MsgqImage *image);
