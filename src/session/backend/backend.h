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
    void (*ask_queue) (Session *session, GTask *task);    /* char*: a text of queues.c's */
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
void session_queues_ask_here (Session *session, GTask *task); /* queues.c */
/* Which one is asked. */
const SessionBackend *session_sources_get_backend (const Session *session);

extern const SessionBackend session_tree_backend;
extern const SessionBackend session_scripted_backend;
extern const SessionBackend session_remote_backend;

/* A job's start and end. */
typedef struct {
    gboolean started, ready, ended, ending, keep, stop_at_none, is_measured;
    const char *trace_folder;    /* of the options; only while it starts */
    gboolean is_detaching;       /* session_end waits for the hosts, in a loop of its own */
    gboolean is_given_up;        /* the start, by the user */
    gboolean is_core;            /* so are core files, which never move */
    gboolean is_attached;        /* there is no launcher of ours */
    guint32 n_wanted, n_refused; /* processes that were to be attached to */
    guint n_searched;            /* hosts where they are still looked for */
    guint32 told_wanted, told_searched; /* to the relay */
    guint64 start_request;
    guint timeout_s, timeout_source, grace_source, nobody_source, served_source;
    int wait_status;
    char *failure;
    char **argv;
} SessionLife;

/* How the job was started, for once more. */
typedef struct {
    SessionOptions options; /* its strings are those below */
    char **argv, **environment, *stop_at, *input_ranks, *folder, *input_file, *output_folder;
    gboolean is_known, is_running;
    guint source;
    GCancellable *asking; /* the launcher what it is; NULL: not now */
    GPtrArray *settings;  /* of JobRequest: HANDLE and OPTION, in their order */
} SessionRestart;

typedef struct _SessionFiles SessionFiles;

/* Of a session whose user is elsewhere (served.c): it knows the ranks, and tells what happens instead of judging
 * it. */
typedef enum {
    SESSION_TOLD_SILENT,   /* ranks; ms */
    SESSION_TOLD_DROP,     /* ranks: session_requests_drop */
    SESSION_TOLD_CUT_OFF,  /* ranks: cut_off */
    SESSION_TOLD_LAUNCHER, /* has ended; its wait status */
    SESSION_TOLD_ENDED,
    SESSION_TOLD_READY,  /* with those that have come */
    SESSION_TOLD_WANTED, /* n_wanted, n_searched */
    SESSION_N_TOLD
} SessionTold;
typedef struct _SessionRelay SessionRelay;
struct _SessionRelay {
    const JobRequest *start; /* the request START, of the user's session; NULL: attached */
    void (*event) (SessionRelay *relay, Session *session, const JobEvent *event);
    void (*say) (SessionRelay *relay, guint severity, const char *text); /* 3: failure */
    void (*note) (SessionRelay *relay, SessionTold told, const JobRankSet *ranks, gint64 a,
                  gint64 b);
};

/* files.c */
/* NOT_FOUND, DENIED. */
gboolean session_files_open (Session *session, const SessionOptions *options, GError **error);
void session_files_feed (Session *session); /* the launcher runs */
void session_files_close (Session *session);

/* running.c: from this host's /proc. Of SessionRunning; caller owns (unref). */
GPtrArray *session_running_list_here (void);

/* remote-backend.c: for session_prepare_async. */
gboolean session_remote_is_connected (void);

/* restart.c */
/* What is to be said to the ranks of the next start again. */
void session_restart_note_setting (Session *session, const JobRequest *request);
void session_restart_note_options (Session *session, const SessionOptions *options);
void session_restart_on_ended (Session *session);
/* Nothing is known of a rank any more; numbers of requests and breakpoints go on. */
void session_restart_forget (Session *session);
/* No new job starts any more. Serves the main loop for as long as it takes to end a launcher that
 * does not answer, a second at most. */
void session_restart_cancel (Session *session);
void session_restart_clear (Session *session);
/* life.c */
void session_life_be_ready (Session *session); /* with those that have come */
void session_life_check_ready (Session *session);
void session_life_send (Session *session, const JobRequest *request);
void session_life_clear (Session *session);
void session_life_begin_timeout (Session *session);
void session_life_check_ended (Session *session);
void session_life_end (Session *session); /* "ended" is said */
/* Its ranks count as lost, and answer no more. */
void session_life_mark_lost (Session *session, const JobRankSet *ranks);
/* pddt-guard was killed, and the job is being ended. */
void session_life_note_guard_lost (Session *session);
void session_life_note_launcher_ended (Session *session, int wait_status);

/* A FAILURE of nobody's: a rank that the system does not let be debugged. */
void session_life_apply_refusal (Session *session, const JobEvent *event);

/* TRUE for the text of a LOST state that was wanted. */
gboolean session_is_detached_text (const char *text);
