/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the user's command line to a running launcher: words, hooks, keys, the guard. */
#pragma once
#include <gio/gio.h>

typedef struct {
    char *id;                      /* random, hex; names the session on every host */
    char *directory;               /* 0700, $XDG_STATE_HOME/pddt/ID (absolute, no spaces) */
    char *server_key;              /* Z85, 40 characters: the front end's public CURVE key */
    char *public_key, *secret_key; /* the daemons' pair; the front end's secret is not here */
    char *endpoint;       /* where the front end listens; set by launch_session_publish */
    gboolean randomise;   /* TRUE: the system randomises addresses; FALSE: always the same */
    gboolean is_measured; /* the job runs as if pddt were not there: see LaunchLine */
    char *trace_folder;   /* where ranks record what they do, absolute; NULL: nowhere */
    int hold_fd;          /* lock that shows that the front end is alive; -1 in the daemon */
} LaunchSession;

/* New directory and keys. The caller gets the keys from the net layer. Removes directories that
 * this user's killed sessions left on this host. DENIED. */
LaunchSession *launch_session_new (const char *server_key, const char *public_key,
                                   const char *secret_key, GError **error);
/* Writes DIRECTORY/key (0600): endpoint and keys, by write and rename. */
gboolean launch_session_publish (LaunchSession *session, const char *endpoint, GError **error);
/* The same as one word, for hosts that cannot access the directory: a line for an agent's
 * standard input, or the value of PDDT_KEY in the launcher's environment, never an argument.
 * Free with base_secret_free. */
char *launch_session_format_key (const LaunchSession *session);
/* For the shim: writes the content of that word, decrypted by MUNGE if necessary, to
 * DIRECTORY/key (0600). */
gboolean launch_session_unpack_key (const char *directory, const char *key, GError **error);
/* For the daemon: reads it back. */
LaunchSession *launch_session_load (const char *directory, GError **error);
/* Removes the directory (front end, at the end); frees. */
void launch_session_remove (LaunchSession *session);
/* For the guard, when the front end could not do it. */
void launch_session_remove_directory (const char *directory);
/* TRUE: its front end, on this host, has ended, or has removed the directory, which must have been there. */
gboolean launch_session_is_over (const char *directory);
void launch_session_free (LaunchSession *session);

/* Where pddt's own programs are: installed libexec, or the build tree next to the program that
 * runs (from /proc/self/exe). NULL with NOT_FOUND. Names: "pddt-start", "pddt-guard", "pddtd",
 * "pddt-symbols", "pddt-window", "pddt". */
char *launch_find_program (const char *name, GError **error);
/* Absolute path of the Python runner (src/agent in the build tree, agent in libexec/pddt). */
char *launch_find_runner (GError **error);
/* pddt's own template of a batch system with that file name; NULL: there is none. */
char *launch_find_queue (const char *name);
/* The recorder of MPI calls with that file name; NULL when it is missing. */
char *launch_find_recorder (const char *name);

/* Targets (GPtrArray of LaunchTarget, launch/hand-over.h) of "PID,PID…": ranks from their
 * launchers' variables if all living ones have distinct ranks, else in the order given.
 * INVALID. */
GPtrArray *launch_targets_parse (const char *pids, GError **error);
/* The ranks of a running launcher: from its MPIR process table (read from outside), else its
 * descendants with rank variables. Leaves out ranks on other hosts and names them in
 * *ret_elsewhere ("4-7 on node2"; NULL when there are none). INVALID, NOT_FOUND, DENIED. */
GPtrArray *launch_targets_find (pid_t launcher, char **ret_elsewhere, GError **error);
/* The same, including other hosts: *ret_remote is a GPtrArray of LaunchRemote, perhaps empty.
 * The result is empty when all ranks are elsewhere. If *launcher is a script that started a
 * launcher, it is replaced by the launcher. */
typedef struct {
    char *host;         /* as the launcher calls it */
    GPtrArray *targets; /* of LaunchTarget */
    char *words;        /* if the launcher does not list them: what identifies its daemon there;
                           NULL */
    gboolean by_slurm;  /* that daemon was started by srun */
} LaunchRemote;
GPtrArray *launch_targets_find_all (pid_t *launcher, GPtrArray **ret_remote, GError **error);
/* The size of the targets' job, from their launcher's variables; 0 unknown. */
guint32 launch_targets_find_size (GPtrArray *targets);
/* Hands the targets to that host's daemon through the agent with which the launcher reaches the
 * host (rsh agent, srun --overlap, Hydra's launcher), and passes the key on the agent's
 * standard input. With words, searches there for the targets, only those in `ranks` (NULL:
 * all). Calls done once, later: reason NULL on success, the remote with the targets handed
 * over. */
typedef void (*LaunchRemoteDone) (const LaunchRemote *remote, const GError *reason,
                                  gpointer user);
void launch_remote_attach (pid_t launcher, const LaunchRemote *remote, const char *ranks,
                           const LaunchSession *session, LaunchRemoteDone done, gpointer user);
GPtrArray *launch_targets_from_cores (const char *const *paths, GError **error); /* NOT_FOUND */

typedef enum {
    LAUNCH_NONE,
    LAUNCH_OPEN_MPI_4,
    LAUNCH_OPEN_MPI_5,
    LAUNCH_HYDRA,
    LAUNCH_SRUN
} LaunchKind;

/* How a launcher marks its output by rank. */
typedef enum {
    LAUNCH_TAGS_NONE,
    LAUNCH_TAGS_STREAM,  /* "[JOB,RANK]<stdout>:", Open MPI 4 */
    LAUNCH_TAGS_SPACED,  /* "[JOB,RANK]<stdout>: ", PRRTE: Open MPI 5 */
    LAUNCH_TAGS_PATTERN, /* "[JOB,RANK]<pddt>:", Hydra with pddt's pattern */
    LAUNCH_TAGS_LABEL,   /* "RANK: ", Slurm */
} LaunchTagForm;

typedef struct {
    char **argv;         /* the user's words, %python_debug% already replaced by the runner */
    LaunchKind kind;     /* NONE: a plain program */
    gboolean has_runner; /* the line had %python_debug%, and means it */
    /* The word is left out, the output has no tags, and the launcher has this process's standard
     * descriptors, process group and terminal. */
    gboolean is_measured;
    char **environment; /* additions "NAME=value" for the launcher (hook, line tags, …) */
    char **final_argv;  /* the actual command, with the shim where there is no hook */
    char *session_directory;   /* the guard removes it when the front end dies; NULL: none */
    gboolean leaves_host;      /* ranks may run on other hosts than this one */
    gboolean is_abort_delayed; /* the launcher may wait long before it ends the remaining
                                  ranks */
    LaunchTagForm tags;        /* on the launcher's output */
} LaunchLine;

/* Checks the program, finds the launcher's kind, places hook or shim. input_ranks: text of
 * --input (rank set, or "all") or NULL. NOT_FOUND (no such program), INVALID (words), UNSUPPORTED. */
LaunchLine *launch_line_new (const char *const *argv, const LaunchSession *session,
                             const char *input_ranks, GError **error);
/* Starts to ask the launcher that the words begin with, if they do, for its version: a launch_line_new that
 * follows waits for the rest only. */
void launch_line_begin (const char *const *argv);
/* Asks the launcher that the words begin with, if they do, for its version in a thread, so that a
 * launch_line_new that follows does not wait for it. Calls back once, in the caller's main context;
 * cancelled, when the launcher has been ended.
 * finish: FALSE with TIMEOUT or DENIED; all other errors are left to launch_line_new. */
void launch_line_ask_version_async (const char *const *argv, GCancellable *cancellable,
                                    GAsyncReadyCallback done, gpointer user);
gboolean launch_line_ask_version_finish (GAsyncResult *result, GError **error);
/* Puts pddt-start before the agent (ssh, rsh, …) that starts the launcher's daemons, so that
 * hosts without access to the session's directory get the key on the agent's standard input.
 * Call it after launch_session_publish. FALSE: the launcher has no such agent (a batch system
 * starts its daemons). */
gboolean launch_carry_by_agent (LaunchLine *line, const LaunchSession *session);
/* --carry: lines that launch_line_new makes from now on, and launch_remote_attach, bring pddt's daemon to hosts that have
 * no pddt. */
void launch_parcel_want (void);
gboolean launch_parcel_is_wanted (void); /* it was called */
/* Brings it to the line's hosts, if that is wanted and no agent does it when the launcher starts (has_agent: what
 * launch_carry_by_agent said). It may take seconds. DENIED, UNSUPPORTED. */
gboolean launch_parcel_send (const LaunchLine *line, gboolean has_agent, GError **error);
/* TRUE when the session's directory is on a network file system. */
gboolean launch_session_is_shared (const LaunchSession *session);
/* Passes the key if neither works: as PDDT_KEY in the launcher's environment, which launchers
 * send to their daemons unencrypted. It is encrypted by MUNGE if Slurm starts them, else the
 * name of a file in the job's folder (NULL: the current one) if that is on a shared file
 * system, else the key itself. Never on a command line. Call it after
 * launch_session_publish. */
void launch_batch_carry_key (LaunchLine *line, const LaunchSession *session,
                             const char *folder);
/* Makes a launcher that ends the job after losing a rank or host wait first, so that the user
 * can inspect the survivors. Only for Open MPI; does nothing if the user has set a time. */
void launch_line_delay_abort (LaunchLine *line, guint seconds);
/* The words as they are without pddt: none of its own is among them. g_strfreev. */
char **launch_line_dup_plain (const char *const *argv);
/* What the words run, by their names alone: "app" of mpirun -np 8 python3 -u app.py. Caller owns. */
char *launch_line_dup_program_name (const char *const *argv);
/* The first word of what a launcher's line runs; NULL: nothing, or the launcher is unknown. Borrowed. */
const char *launch_line_find_program (const char *const *argv);
/* How many ranks it requests; 0 if it leaves that to the launcher. */
guint32 launch_line_find_size (const LaunchLine *line);
void launch_line_free (LaunchLine *line);

/* A started launcher under its guard. Its output arrives split by the tags of its lines. */
typedef struct _LaunchJob LaunchJob;
/* rank: G_MAXUINT32 when not known (shown as "job"). stream 1 or 2. Text as bytes, whole lines
 * with their '\n' where the program wrote one. */
typedef void (*LaunchOutput) (LaunchJob *job, guint32 rank, int stream, GBytes *text,
                              gpointer user);
/* The launcher ended: wait status; the guard's if that was killed. After the last output. */
typedef void (*LaunchEnded) (LaunchJob *job, int wait_status, gpointer user);
/* folder NULL: the current one. extra environment NULL-terminated "NAME=value" or NULL. */
LaunchJob *launch_job_start (const LaunchLine *line, const char *folder,
                             const char *const *extra, LaunchOutput on_output,
                             LaunchEnded on_ended, gpointer user, GError **error);
/* Feeds the launcher's standard input (mpirun gives it to rank 0). eof closes it after. GONE where
 * it is closed, BUSY with 16 MB that the launcher has not taken yet. */
gboolean launch_job_write_input (LaunchJob *job, const char *text, gsize size, gboolean eof,
                                 GError **error);
/* Bytes that it has not accepted yet. */
gsize launch_job_get_waiting_input (const LaunchJob *job);
/* While held, the launcher's output is not read: its pipe fills up, and it blocks. */
void launch_job_hold_output (LaunchJob *job, gboolean held);
pid_t launch_job_get_pid (const LaunchJob *job); /* launcher's, 0 when ended */
/* The guard was killed: the launcher is being ended as launch_job_end does it, and nobody will know how it ended. */
typedef void (*LaunchGuardLost) (LaunchJob *job, gpointer user);
void launch_job_watch_guard (LaunchJob *job, LaunchGuardLost on_guard_lost); /* with its user */
/* SIGTERM, 10 s (3 s where its abort is delayed), SIGKILL to the launcher's group, by the guard;
 * returns at once. */
void launch_job_end (LaunchJob *job);
/* Lets the launcher run on without the front end; the guard copies its output to this process's
 * stdout and stderr. No more callbacks; frees job. */
void launch_job_keep (LaunchJob *job);
void launch_job_free (LaunchJob *job); /* ends it too */
