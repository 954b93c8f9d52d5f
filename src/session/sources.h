/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands where the job is: the texts of its sources, its folders, the processes that one could attach to.
 * The session's backend reads them, so that they may be on another host; each answer comes later. With
 * session NULL they are those of this host. */
#pragma once
#include "session/running.h"
#include "session/session.h"

/* The text of a source file, found by the path that a place has: where the option source-folders says that it
 * has moved to, else there. finish: NUL-terminated, *ret_size (may be NULL) excludes the NUL; NULL with
 * base_file_read's errors, or cancelled. Caller owns. */
void session_read_source_async (Session *session, const char *path, gsize limit,
                                GCancellable *cancellable, GAsyncReadyCallback done,
                                gpointer user);
/* The same where the ranks (NULL: all) are asked, as far as they stand, for the text of Python code that is in no file: behind
 * -c, in an archive, of the interpreter itself. To be finished as session_read_source_async. */
void session_read_text_async (Session *session, const JobRankSet *ranks, const char *path,
                              gsize limit, GCancellable *cancellable, GAsyncReadyCallback done,
                              gpointer user);
char *session_read_source_finish (GAsyncResult *result, gsize *ret_size, GError **error);

/* Where that file would be on this host. Caller owns. */
char *session_dup_local_source (Session *session, const char *path);

/* When that file was last changed, in µs of the wall clock of the job's host. finish: 0: not known, there is none, or
 * cancelled. */
void session_time_source_async (Session *session, const char *path, GCancellable *cancellable,
                                GAsyncReadyCallback done, gpointer user);
gint64 session_time_source_finish (GAsyncResult *result);

/* The names in a folder, the first `limit` that the system gives. finish: of char*; NULL: there is no such
 * folder, or cancelled. Caller owns (unref). */
void session_list_folder_async (Session *session, const char *path, guint limit,
                                GCancellable *cancellable, GAsyncReadyCallback done,
                                gpointer user);
GPtrArray *session_list_folder_finish (GAsyncResult *result, GError **error);

/* The processes of this user (for root: everybody's), newest first. finish: of SessionRunning; NULL: cancelled.
 * Caller owns (unref). */
void session_list_running_async (Session *session, GCancellable *cancellable,
                                 GAsyncReadyCallback done, gpointer user);
GPtrArray *session_list_running_finish (GAsyncResult *result, GError **error);

/* A core file, recognised by its content. */
typedef struct {
    char *name, *path; /* name: as it is shown */
    guint64 size;
    gint64 when_us; /* of its last change, real time */
} SessionCoreFile;
void session_core_file_free (gpointer core);
/* Those in a folder whose shown names match the pattern (*, ?). finish: of SessionCoreFile, in no order;
 * NULL: there is no such folder, or cancelled. Caller owns (unref). */
void session_list_cores_async (Session *session, const char *folder, const char *pattern,
                               GCancellable *cancellable, GAsyncReadyCallback done,
                               gpointer user);
GPtrArray *session_list_cores_finish (GAsyncResult *result, GError **error);

/* The file of the program that a command line names: below the folder (NULL: where the backend is) when the name has
 * a '/' or is_script, so that an interpreter reads it; else in PATH. finish: its path; NULL with NOT_FOUND, DENIED (it is
 * not executable), in sentences for the user, or cancelled. Caller owns. */
void session_find_program_async (Session *session, const char *folder, const char *program,
                                 gboolean is_script, GCancellable *cancellable,
                                 GAsyncReadyCallback done, gpointer user);
char *session_find_program_finish (GAsyncResult *result, GError **error);

/* What a process calls itself. finish: NULL with NOT_FOUND: it is gone, or cancelled. Caller owns. */
void session_name_process_async (Session *session, guint32 pid, GCancellable *cancellable,
                                 GAsyncReadyCallback done, gpointer user);
char *session_name_process_finish (GAsyncResult *result, GError **error);

/* The user has found a source file: when the job's host has it, the option source-folders says from then on where it
 * is, and by it where those are that have moved with it. path: as a place has it; there: as that host has it. finish: FALSE
 * with INVALID: another file's name, or a path that the option cannot say; with read_source's errors; or cancelled. */
void session_locate_source_async (Session *session, const char *path, const char *there,
                                  GCancellable *cancellable, GAsyncReadyCallback done,
                                  gpointer user);
gboolean session_locate_source_finish (GAsyncResult *result, GError **error);

/* The mpi4py methods that the calls of the table are made by are known when `done` is called, which may be
 * before this returns; not when it is cancelled. */
typedef void (*SessionMethodsDone) (gpointer user);
void session_load_methods (Session *session, const JobMessageTable *table,
                           GCancellable *cancellable, SessionMethodsDone done, gpointer user);
/* "comm.recv": the mpi4py method that the Python line calls, NULL unless the line calls exactly one, and
 * its source is loaded and readable. Owned by the session. */
const char *session_find_method (Session *session, const JobLocation *place);

/* For tests: what a scripted session's backend answers. text NULL: there is no such file. */
void session_script_source (Session *session, const char *path, const char *text);
void session_script_program (Session *session, const char *path); /* executable, in PATH */
/* The scripted job is started again, with as many ranks that are stopped; requests go where they went. */
void session_script_restart (Session *session);
void session_script_running (Session *session, const SessionRunning *running); /* one more */
