/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tracer's connection to pddt-symbols, over a Unix socket, with a time limit. When pddt-symbols was
 * restarted it reconnects and asks once more; if that fails, CORRUPT. TIMEOUT: no answer in time; once it
 * owes one, a question that would hold up all others waits only a moment for it.
 * Protocol: see index/client.c. */
#pragma once
#include "evaluate/code.h"
#include "index/image.h"
#include "evaluate/program.h"

typedef struct _IndexClient IndexClient;

IndexClient *index_client_new (const char *socket_path); /* connects at first use */
/* For another user's programs: pddt-symbols reads their files with that user's rights. */
IndexClient *index_client_new_for (const char *socket_path, guint32 uid, guint32 gid);
void index_client_free (IndexClient *client);

typedef enum {
    INDEX_CLIENT_READING,
    INDEX_CLIENT_READ,
    INDEX_CLIENT_NOT_READ
} IndexClientReading;

/* How to wait for an answer so that others are served, who may ask the same client meanwhile. */
typedef struct {
    /* TRUE: whoever asks now may wait so. FALSE: all wait with him. */
    gboolean (*serves_others) (void);
    /* For something to read from fd, until end_us of g_get_monotonic_time. FALSE: nothing has come, or he is
     * not to wait any longer. */
    gboolean (*wait) (int fd, gint64 end_us);
    /* A moment, for what another one has asked. FALSE: he is not to wait any longer. */
    gboolean (*pause) (void);
    /* It takes long to read the file; later, whether it has been read. */
    void (*tell) (const char *path, IndexClientReading state);
} IndexClientWaiter;
void index_client_set_waiter (IndexClient *client,
                              const IndexClientWaiter *waiter); /* kept by the caller */

/* Suffix of a path: the file that a process has mapped is gone, and another one has its name.
 * Every request about such a path fails with GONE. */
#define INDEX_CLIENT_GONE "\001gone"

/* The index of an ELF file, which pddt-symbols makes or finds in the cache. The client shares
 * images: the same path, device, inode and time give the same one. Borrowed; index_image_ref it
 * to keep it longer. pddt-symbols finds debug files by build-id and .gnu_debuglink. */
IndexImage *index_client_open_image (IndexClient *client, const char *path, GError **error);

/* What a file opened since the last call lacks: "PATH: …". NULL: nothing more. Caller owns. */
char *index_client_take_note (IndexClient *client);
/* TRUE: pddt-symbols fetches debug files from the user's servers (debuginfod) for images it gave. */
gboolean index_client_is_waiting (const IndexClient *client);
/* Paths of files whose debug information has arrived since the last call. The client forgets
 * them: open their images again. NULL: pddt-symbols is not reachable. Caller owns. */
char **index_client_take_arrivals (IndexClient *client);

/* Binds an expression of the frame's language at a link-time pc of an image. Cached by image,
 * innermost scope of pc, and text. INVALID: syntax; NOT_FOUND: `no symbol "x"`. inline_depth: 0
 * for the innermost inlined function at pc, increasing outwards; EVALUATE_NO_FRAME: in the file's
 * scope, outside of all functions. */
const EvaluateProgram *index_client_bind (IndexClient *client, const char *path, guint64 pc,
                                          guint inline_depth, const char *expression,
                                          GError **error);
/* Borrowed array of EvaluateProgram. */
GPtrArray *index_client_bind_variables (IndexClient *client, const char *path, guint64 pc,
                                        guint inline_depth, EvaluateVariables which,
                                        GError **error);
/* whatis (expand FALSE) and ptype (TRUE), for evaluate_program_write_type. Cached like
 * index_client_bind. */
const EvaluateProgram *index_client_bind_type (IndexClient *client, const char *path,
                                               guint64 pc, guint inline_depth,
                                               const char *expression, gboolean expand,
                                               GError **error);
/* The same without a frame's values. Caller owns. */
char *index_client_describe_type (IndexClient *client, const char *path, guint64 pc,
                                  guint inline_depth, const char *expression, gboolean expand,
                                  GError **error);
/* What pddt-symbols says in a text. "macros" that are in force there: "expand" replaces those of a text, "once" does so once,
 * "info" tells where the one of that name is defined, "list" those whose names begin so. "typed": symbol/typed.h says what.
 * NOT_FOUND. Caller owns. */
char *index_client_ask_text (IndexClient *client, const char *verb, const char *path,
                             guint64 pc, guint inline_depth, const char *what, const char *text,
                             GError **error);
/* Names of the variables of a Fortran namelist; one that means another variable there has '?' in front. Caller owns; NULL:
 * there is none of that name. */
char **index_client_find_namelist (IndexClient *client, const char *path, guint64 pc,
                                   guint inline_depth, const char *name);
/* Names of types that contain the text, or some of them if there are very many. Caller owns;
 * NULL: pddt-symbols is not reachable. */
char **index_client_find_types (IndexClient *client, const char *path, const char *text);
/* The demangled name of a C++ symbol; any other unchanged. Borrowed. */
const char *index_client_find_name (IndexClient *client, const char *symbol);
/* A value on entry to callee, which returns to the link-time address return_pc: a program for
 * the caller's frame, cached. NULL: the call site does not describe it. callee NULL: any
 * function; expression NULL: the address of the called function, for indirect calls. */
const EvaluateProgram *index_client_bind_entry (IndexClient *client, const char *path,
                                                guint64 return_pc, const char *callee,
                                                const guint8 *expression, gsize size);
