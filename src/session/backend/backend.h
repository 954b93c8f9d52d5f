/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a session's ranks stand on. The session knows requests and events; how they reach processes, and
 * how those are started, is a backend's: the launcher and the tree of daemons (tree.c), or a script of a
 * test (scripted.c). A backend brings events by session_apply, with ranks, not slots. */
#pragma once
#include "session/session.h"

typedef struct {
    /* Starts a job, attaches to processes, or opens core files, as the options say. What has been begun
     * when it fails is cleared by the caller. NULL: its ranks are there. */
    gboolean (*start) (Session *session, const SessionOptions *options, GError **error);
    /* Accepts the request; its answers are events. Ranks that cannot be reached do not answer. */
    void (*send) (Session *session, const JobRequest *request);
    /* Ends the ranks, or with `keep` lets go of them. TRUE: it is over at once, else
     * session_life_end follows. */
    gboolean (*end) (Session *session);
    void (*clear) (Session *session); /* for another start, or for ever */
    void (*ask_clocks) (Session
                            *session); /* as session_ask_clocks; NULL: there are no others */
    /* The input that the job itself has, of which rank 0 reads. NULL: there is none. */
    gboolean (*write_input) (Session *session, const char *data, gsize size, gboolean eof,
                             GError **error);
    gsize (*get_waiting_input) (const Session *session); /* of it, in bytes; NULL: 0 */
    /* How many ranks are to come, 0 if that is not known; NULL: as many as there are. */
    guint32 (*find_size) (const Session *session);
    /* To what started the ranks; TERM ends it, if need be by force. NULL: nothing did. */
    void (*signal) (Session *session, int number);
    /* TRUE when it stays for a while after its last rank has ended. NULL: it does not. */
    gboolean (*lingers) (const Session *session);
    void (*hold_output) (Session *session, gboolean held); /* NULL: nothing comes */
    /* What stands where the job is (session/sources.h). The task's data is a SessionWanted; its answer, which
     * is given later and may take its time: GBytes of the text with a NUL, GPtrArray of char*, GPtrArray of
     * SessionRunning. session: NULL before there is one. */
    void (*read_source) (Session *session, GTask *task);
    void (*time_source) (Session *session, GTask *task); /* gint64 */
    void (*list_folder) (Session *session, GTask *task);
    void (*list_running) (Session *session, GTask *task);
    void (*list_cores) (Session *session, GTask *task);   /* of SessionCoreFile */
    void (*find_program) (Session *session, GTask *task); /* char*: its path */
    void (*name_process) (Session *session, GTask *task); /* char*: what it calls itself */
    gboolean comes_late; /* ranks report one after the other, and may fail to */
    gboolean feeds_all;  /* INPUT reaches every rank */
    gboolean is_polled;  /* running ranks may be looked at unasked, now and then */
} SessionBackend;

typedef struct {
    char *path;         /* NULL: of processes; of a program: as the command line has it */
    char *folders;      /* the option source-folders; NULL */
    char *pattern;      /* of core files; NULL */
    gsize limit;        /* bytes of a text, names of a folder */
    char *folder;       /* of a program: where the job is started; NULL: the backend's own */
    gboolean is_script; /* of a program: an interpreter reads it */
    guint32 pid;        /* of a process */
} SessionWanted;
/* Where the wanted file is by the option source-folders: the first place of which is_there says so, or else its path.
 * Caller owns. */
typedef gboolean (*SessionIsThere) (const char *path, gpointer user);
char *session_find_moved (const SessionWanted *wanted, SessionIsThere is_there, gpointer user);
/* Where the wanted program is: in its folder when it has a '/' or is a script, else where find_in_path says (NULL: nowhere;
 * caller owns). As session_find_program_finish. */
typedef struct {
    SessionIsThere is_there, is_executable; /* a regular file */
    char *(*find_in_path) (const char *name, gpointer user);
    SessionIsThere is_folder; /* NULL: nothing is */
} SessionPrograms;
char *session_find_program (const SessionWanted *wanted, const SessionPrograms *programs,
                            gpointer user, GError **error);
void session_wanted_free (gpointer wanted);
/* That the task's process is not there. */
void session_answer_gone (GTask *task);

/* For backends whose job is on this host (sources.c). */
void session_sources_read_here (Session *session, GTask *task);
void session_sources_time_here (Session *session, GTask *task);
void session_sources_list_here (Session *session, GTask *task);
void session_sources_list_running_here (Session *session, GTask *task);
void session_sources_list_cores_here (Session *session, GTask *task);
void session_sources_find_program_here (Session *session, GTask *task);
void session_sources_name_process_here (Session *session, GTask *task);

extern const SessionBackend session_tree_backend;
extern const SessionBackend session_scripted_backend;
extern const SessionBackend session_remote_backend;
