/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tracer's end of the conversation with pddt-symbols: synchronous, over a Unix socket, with a
 * time limit; reconnects and asks once more when pddt-symbols was restarted, then CORRUPT.
 * Protocol: see index/client.c. */
#pragma once
#include "index/code.h"
#include "index/image.h"
#include "index/program.h"

typedef struct _IndexClient IndexClient;

IndexClient *index_client_new (const char *socket_path); /* connects at first use */
/* For the programs of another user: their files are read with that user's rights. */
IndexClient *index_client_new_for (const char *socket_path, guint32 uid, guint32 gid);
void index_client_free (IndexClient *client);

/* At the end of a path: the file that a process has mapped is not to be had any more, and what stands
 * under its name is another one. Every question about such a path is answered GONE, with a sentence. */
#define INDEX_CLIENT_GONE "\001gone"

/* The index of an ELF file, made (or found in the cache) by pddt-symbols. Images are
 * kept and shared: the same path, device, inode and time give the same image, borrowed from the
 * client; index_image_ref what outlives it. Debug files by
 * build-id and .gnu_debuglink are found by pddt-symbols. */
IndexImage *index_client_open_image (IndexClient *client, const char *path, GError **error);

/* What is missing to a file opened since: "PATH: …". NULL: nothing more. Caller owns. */
char *index_client_take_note (IndexClient *client);
/* TRUE: pddt-symbols fetches debug files from the user's servers (debuginfod) for images it gave. */
gboolean index_client_is_waiting (const IndexClient *client);
/* Paths of files whose debug information has come since the last call; what was known of them is
 * forgotten: images are to be opened again. NULL: none can be asked. Caller owns. */
char **index_client_take_arrivals (IndexClient *client);

/* Binds an expression of the frame's language at a link-time pc of an image. Kept: asked once per
 * (image, pc's innermost scope, text). INVALID: syntax; NOT_FOUND: `no symbol "x"`.
 * inline_depth: 0 for the innermost inlined function at pc, rising outwards; INDEX_NO_FRAME: what the file
 * around pc sees outside of all functions. */
const IndexProgram *index_client_bind (IndexClient *client, const char *path, guint64 pc,
                                       guint inline_depth, const char *expression, GError **error);
/* Borrowed array of IndexProgram. */
GPtrArray *index_client_bind_variables (IndexClient *client, const char *path, guint64 pc,
                                        guint inline_depth, IndexVariables which, GError **error);
/* whatis (expand FALSE) and ptype (TRUE), for index_program_write_type. Kept as index_client_bind's are. */
const IndexProgram *index_client_bind_type (IndexClient *client, const char *path, guint64 pc,
                                            guint inline_depth, const char *expression, gboolean expand,
                                            GError **error);
/* The same with nothing known of the frame's values. Caller owns. */
char *index_client_describe_type (IndexClient *client, const char *path, guint64 pc,
                                  guint inline_depth, const char *expression, gboolean expand,
                                  GError **error);
/* Names of types that hold the text, some of them when there are very many. Caller owns; NULL: none can be
 * asked. */
char **index_client_find_types (IndexClient *client, const char *path, const char *text);
/* A C++ symbol as people write it; any other as it is. Borrowed. */
const char *index_client_find_name (IndexClient *client, const char *symbol);
/* What the caller knew of a value on entry to callee, which returns to the link-time address
 * return_pc: a program for the caller's frame, kept. NULL: it does not say. callee NULL: whoever it
 * calls; expression NULL: whom it calls, where that is worked out as it runs. */
const IndexProgram *index_client_bind_entry (IndexClient *client, const char *path,
                                             guint64 return_pc, const char *callee,
                                             const guint8 *expression, gsize size);
