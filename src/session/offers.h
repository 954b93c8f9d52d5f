/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs that wait to be debugged (`pddt --connect`): each is a file in a folder that all hosts of a cluster see and that
 * only this user can enter, ~/.local/state/pddt/connect or PDDT_CONNECT_FOLDER. It says where a server waits; nothing
 * else is done through these files. The folder is listed each time and no name is used twice, as shared file systems
 * remember for a while what was not there. */
#pragma once
#include <glib.h>

typedef struct {
    char *id;   /* of the server */
    char *host; /* where it is */
    char *job;  /* the queue's number; NULL: none */
    char *command;
    char *submitted; /* by `pddt --submit`, with that word; NULL: it was not */
    char *boot;      /* which boot of that host */
    guint64 pid;
    gint64 since_us; /* real time, by that host's clock */
    gboolean is_taken;
    gboolean is_left; /* whoever has taken it is gone, and it lives on */
    char *archive;    /* it was measured, and has left that, a path; NULL: it waits */
} SessionOffer;

void session_offer_free (gpointer offer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SessionOffer, session_offer_free)
/* Of this process, for the server with that id. argv: of the job. Caller owns. */
SessionOffer *session_offer_new (const char *id, const char *const *argv);
/* Writes it, or writes it again. DENIED: the folder cannot be used, with a sentence that says why. */
gboolean session_offer_write (const SessionOffer *offer, GError **error);
void session_offer_remove (const SessionOffer *offer);
/* Of a job that cannot be reached: removes its offer where Slurm says that there is no such job any more. Runs squeue.
 * TRUE: it is removed. */
gboolean session_offer_drop_dead (const SessionOffer *offer);
/* Those of this user, the oldest first; those of this host whose process is gone are removed. Texts are escaped. NULL
 * with DENIED. Of SessionOffer; caller owns (unref). */
GPtrArray *session_offers_list (GError **error);
/* A job of the queue that this process has measured, and that has ended: whoever has submitted it may be gone, so that a
 * window which is opened later shows it. archive: a path. DENIED. */
gboolean session_measured_note (const char *archive, const char *const *argv, GError **error);
/* Those of which the archive is there, as session_offers_list. */
GPtrArray *session_measured_list (void);
/* That archive was shown, or is not wanted. */
void session_measured_forget (const char *archive);
/* "Job 4711 on node12 wants to be debugged: mpirun …". Caller owns. */
char *session_offer_describe (const SessionOffer *offer);
/* How the server is reached from here, a command line of which standard input and output are the connection; NULL: it
 * is on this host. Caller owns. */
char **session_offer_dup_way (const SessionOffer *offer, const char *pddt);
