/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that a program consists of, as a message queue library asks about them: symbols by
 * name and types by name, out of ELF tables and debug information. */
#pragma once
#include "msgq/interface.h"
#include <glib.h>

typedef struct {
    char *path;      /* to be opened by; it may be one of /proc */
    guint64 bias;    /* address in the rank minus address in the file */
} MsgqModule;

/* modules: of MsgqModule, copied; files that cannot be read are passed over. types: a folder of files
 * mpi-types-BUILDID.so, each with debug information for the module of that build-id. */
MsgqImage *msgq_image_new (const GArray *modules, const char *types);
void msgq_image_free (MsgqImage *image);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (MsgqImage, msgq_image_free)
/* The same modules at other addresses. */
void msgq_image_move (MsgqImage *image, const GArray *modules);
/* All files that say something of symbols: of a process that has none, that is none. */
gboolean msgq_image_find_symbol (MsgqImage *image, const char *name, MsgqAddress *ret_address);
/* Of typedefs what they stand for. Borrowed; NULL: no file knows it. */
MsgqType *msgq_image_find_type (MsgqImage *image, const char *name);
int msgq_type_get_size (const MsgqType *type);                      /* -1: unknown */
int msgq_type_get_offset (const MsgqType *type, const char *field); /* -1: it has none of it */
/* What the library has hung on it. */
MsgqTheirs **msgq_image_get_theirs (MsgqImage *image);
