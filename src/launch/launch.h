/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the user's command line to a running launcher: words, hooks, keys, the guard. */
#pragma once
#include <gio/gio.h>

typedef struct {
    char *id;            /* random, hex; names the session on every host */
    char *directory;     /* 0700, $XDG_STATE_HOME/pddt/ID (absolute, no spaces) */
    char *server_key;              /* Z85, 40 characters: the front end's public CURVE key */
    char *public_key, *secret_key; /* the daemons' pair; the front end's secret is not here */
    char *endpoint;      /* where the front end listens; set by launch_session_publish */
    gboolean randomise;  /* programs get the addresses that the system chooses; FALSE: always the same */
    int hold_fd;         /* says that the front end lives; -1 on the daemon's side */
} LaunchSession;

/* New directory and keys. The keys come from the net layer, given by caller. Directories
 * that killed sessions of this user left on this host are removed. DENIED. */
LaunchSession *launch_session_new (const char *server_key, const char *public_key, const char *secret_key,
                                   GError **error);
/* Writes DIRECTORY/key (0600): endpoint and keys, by write and rename. */
gboolean launch_session_publish (LaunchSession *session, const char *endpoint, GError **error);
/* The same bytes as one word, for hosts that do not see the directory: a line of an agent's standard input,
 * or the value of PDDT_KEY in the launcher's environment, never an argument. base_secret_free. */
char *launch_session_format_key (const LaunchSession *session);
/* A shim's side: writes that word's bytes, or those of one that MUNGE has encrypted, to DIRECTORY/key (0600). */
gboolean launch_session_unpack_key (const char *directory, const char *key, GError **error);
/* Daemon's side: reads it back. */
LaunchSession *launch_session_load (const char *directory, GError **error);
/* Removes the directory (front end, at the end); frees. */
void launch_session_remove (LaunchSession *session);
/* The same by the guard, when the front end could not do it any more. */
void launch_session_remove_directory (const char *directory);
void launch_session_free (LaunchSession *session);

/* Where pddt's own programs are: installed libexec, or the build tree next to the program that
 * runs (from /proc/self/exe). NULL with NOT_FOUND. Names: "pddt-start", "pddt-guard", "pddtd",
 * "pddt-symbols", "pddt-window", "pddt". */
char *launch_find_program (const char *name, GError **error);
/* Absolute path of the Python runner (src/agent/runner in the build tree or datadir). */
char *launch_find_runner (GError **error);
/* The recorder of MPI calls of that file name; NULL when it is not there. */
char *launch_find_recorder (const char *name);

/* Targets (GPtrArray of LaunchTarget, launch/hand-over.h) of "PID,PID…": ranks by the variables of
 * their launchers when all that live have distinct ones, else in the order given. INVALID. */
GPtrArray *launch_targets_parse (const char *pids, GError **error);
/* The ranks of a running launcher: by its MPIR process table (read from outside), else by those of
 * its descendants that carry rank variables. Ranks on other hosts are left out and named in
 * ret_elsewhere ("4-7 on node2"; NULL when there are none). INVALID, NOT_FOUND, DENIED. */
GPtrArray *launch_targets_find (pid_t launcher, char **ret_elsewhere, GError **error);
/* The same, with those of other hosts: ret_remote is a GPtrArray of LaunchRemote, perhaps empty, and so
 * may the answer be when all are elsewhere. `launcher` may be a script that has started one, which is
 * then put there. */
typedef struct {
    char *host;         /* as the launcher calls it */
    GPtrArray *targets; /* of LaunchTarget */
    char *words;        /* the launcher does not say which: what its daemon there is known by; NULL */
    gboolean by_slurm;  /* that daemon was started by srun */
} LaunchRemote;
GPtrArray *launch_targets_find_all (pid_t *launcher, GPtrArray **ret_remote, GError **error);
/* Ranks of the job that the targets are of, by their launcher's variables; 0 unknown. */
guint32 launch_targets_find_size (GPtrArray *targets);
/* Hands the targets to that host's daemon by the agent that the launcher itself reaches it with (rsh
 * agent, srun --overlap, Hydra's launcher). The key goes by the agent's standard input. With words the
 * targets are looked for there, those of `ranks` (NULL: all). done, later and once: reason NULL when it
 * worked, the remote with the targets that were handed over. */
typedef void (*LaunchRemoteDone) (const LaunchRemote *remote, const char *reason, gpointer user);
void launch_remote_attach (pid_t launcher, const LaunchRemote *remote, const char *ranks,
                           const LaunchSession *session, LaunchRemoteDone done, gpointer user);
GPtrArray *launch_targets_from_cores (const char *const *paths, GError **error); /* NOT_FOUND */

typedef enum { LAUNCH_NONE, LAUNCH_OPEN_MPI_4, LAUNCH_OPEN_MPI_5, LAUNCH_HYDRA, LAUNCH_SRUN } LaunchKind;

/* How a launcher's output tells of whose rank it is. */
typedef enum {
    LAUNCH_TAGS_NONE,
    LAUNCH_TAGS_STREAM,  /* "[JOB,RANK]<stdout>:", Open MPI 4 */
    LAUNCH_TAGS_PATTERN, /* "[JOB,RANK]<pddt>:", Hydra's pattern as pddt asks for it */
    LAUNCH_TAGS_LABEL,   /* "RANK: ", Slurm */
} LaunchTagForm;

typedef struct {
    char **argv;          /* the user's words, %python_debug% already replaced by the runner */
    LaunchKind kind;      /* NONE: a plain program */
    gboolean has_runner;  /* the line had %python_debug% */
    char **environment;   /* additions "NAME=value" for the launcher (hook, line tags, …) */
    char **final_argv;    /* what is really started, shim in place where there is no hook */
    char *session_directory; /* removed by the guard when the front end dies; NULL: none */
    gboolean leaves_host; /* ranks may come to other hosts than this one */
    gboolean is_abort_delayed; /* the launcher may wait for long before it ends what is left */
    LaunchTagForm tags;   /* on the launcher's output */
} LaunchLine;

/* Checks the program, finds the launcher's kind, places hook or shim. input_ranks: text of
 * --input (rank set, or "all") or NULL. NOT_FOUND (no such program), INVALID (words), UNSUPPORTED. */
LaunchLine *launch_line_new (const char *const *argv, const LaunchSession *session,
                             const char *input_ranks, GError **error);
/* Puts pddt-start before the agent (ssh, rsh, …) by which the launcher starts its daemons, so that hosts which
 * do not see the session's directory get the key by the agent's standard input. After publishing. FALSE: the
 * launcher has no such agent (a batch system starts its daemons). */
gboolean launch_carry_by_agent (LaunchLine *line, const LaunchSession *session);
/* The session's directory is on a file system that other hosts have too. */
gboolean launch_session_is_shared (const LaunchSession *session);
/* The way where neither is so: by PDDT_KEY in the launcher's environment, which launchers send to their daemons
 * in clear, encrypted with MUNGE where Slurm starts them, else as the name of a file in the job's folder (NULL: the
 * current one) where that is on a shared file system, else the key itself. After publishing; the key stays out of
 * every command line. */
void launch_batch_carry_key (LaunchLine *line, const LaunchSession *session, const char *folder);
/* A launcher that ends the job when it loses a rank or a host waits so long before it does, so that the
 * survivors can be looked at. Open MPI's alone; nothing where the user has a time of his own. */
void launch_line_delay_abort (LaunchLine *line, guint seconds);
/* How many ranks it asks for; 0 when it leaves that to the launcher. */
guint32 launch_line_find_size (const LaunchLine *line);
void launch_line_free (LaunchLine *line);

/* A started launcher under its guard. Output comes as tagged lines taken apart. */
typedef struct _LaunchJob LaunchJob;
/* rank: G_MAXUINT32 when it cannot be told (shown "job"). stream 1 or 2. Text as bytes, whole
 * lines with their '\n' where the program wrote one. */
typedef void (*LaunchOutput) (LaunchJob *job, guint32 rank, int stream, GBytes *text, gpointer user);
/* The launcher ended: wait status. After the last output. */
typedef void (*LaunchEnded) (LaunchJob *job, int wait_status, gpointer user);
/* folder NULL: the current one. extra environment NULL-terminated "NAME=value" or NULL. */
LaunchJob *launch_job_start (const LaunchLine *line, const char *folder, const char *const *extra,
                             LaunchOutput on_output, LaunchEnded on_ended, gpointer user,
                             GError **error);
/* Feeds the launcher's standard input (mpirun gives it to rank 0). eof closes it after. GONE where
 * it is closed, BUSY with 16 MB that the launcher has not taken yet. */
gboolean launch_job_write_input (LaunchJob *job, const char *text, gsize size, gboolean eof,
                                 GError **error);
/* What it has not taken yet, in bytes. */
gsize launch_job_get_waiting_input (const LaunchJob *job);
/* While held, what the launcher writes is not read: its pipe fills, and then it waits. */
void launch_job_hold_output (LaunchJob *job, gboolean held);
pid_t launch_job_get_pid (const LaunchJob *job); /* launcher's, 0 when ended */
/* SIGTERM, 10 s (3 s where its abort is delayed), SIGKILL to the launcher's group, by the guard;
 * returns at once. */
void launch_job_end (LaunchJob *job);
/* Lets the launcher run on without the front end; what it writes goes on to this process's
 * stdout and stderr, by the guard. No more callbacks; job is freed. */
void launch_job_keep (LaunchJob *job);
void launch_job_free (LaunchJob *job); /* ends it too */
