/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of jobs that wait to be debugged. */
#include "session/backend/offers-private.h"
#include "base/array.h"
#include "base/error.h"
#include "base/escape.h"
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define GROUP "Offer"
#define MAX_SIZE (64u << 10)
#define MAX_OFFERS 1000
#define UNSEEN_US                                                                              \
    (24 * 3600 * (gint64) G_USEC_PER_SEC) /* so long an archive may be out of sight */

void
session_offer_free (gpointer data)
{
    SessionOffer *offer = data;

    g_free (offer->id);
    g_free (offer->host);
    g_free (offer->job);
    g_free (offer->command);
    g_free (offer->boot);
    g_free (offer->submitted);
    g_free (offer->archive);
    g_free (offer);
}

static char *
read_boot (void)
{
    char *text = NULL;

    return g_file_get_contents ("/proc/sys/kernel/random/boot_id", &text, NULL, NULL)
               ? g_strstrip (text)
               : g_strdup ("");
}

/* By the variables in which queues say their number. */
static char *
find_job (void)
{
    static const char *const names[] = { "SLURM_JOB_ID", "PBS_JOBID",    "LSB_JOBID",
                                         "FLUX_JOB_ID",  "COBALT_JOBID", "JOB_ID" };

    for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
        const char *value = g_getenv (names[i]);

        if (value != NULL && *value != '\0') {
            return g_strdup (value);
        }
    }
    return NULL;
}

SessionOffer *
session_offer_new (const char *id, const char *const *argv)
{
    SessionOffer *offer = g_new0 (SessionOffer, 1);
    g_autoptr (GString) command = g_string_new (NULL);

    for (guint i = 0; argv[i] != NULL; i++) {
        gboolean is_plain = argv[i][strcspn (argv[i], " \t\n\"'\\$`*?;&|<>()")] == '\0'
                            && *argv[i] != '\0';
        g_autofree char *quoted = is_plain ? g_strdup (argv[i]) : g_shell_quote (argv[i]);

        g_string_append_printf (command, "%s%s", i > 0 ? " " : "", quoted);
    }
    g_string_truncate (command, MIN (command->len, 4000));
    offer->id = g_strdup (id);
    offer->host = g_strdup (g_get_host_name ());
    offer->job = find_job ();
    offer->command = g_utf8_make_valid (command->str, -1);
    offer->boot = read_boot ();
    offer->submitted = g_strdup (g_getenv ("PDDT_SUBMITTED"));
    offer->pid = (guint64) getpid ();
    offer->since_us = g_get_real_time ();
    return offer;
}

/* ---- the folder ---- */

static char *
find_folder (void)
{
    const char *given = g_getenv ("PDDT_CONNECT_FOLDER"), *state = g_getenv ("XDG_STATE_HOME");

    if (given != NULL && *given != '\0') {
        return g_strdup (given);
    }
    return state != NULL && *state != '\0'
               ? g_build_filename (state, "pddt", "connect", NULL)
               : g_build_filename (g_get_home_dir (), ".local", "state", "pddt", "connect",
                                   NULL);
}

/* Its descriptor, when nobody else can have a hand in it; -1 with DENIED, or NOT_FOUND. */
static int
open_folder (const char *path, GError **error)
{
    int fd = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    struct stat info;

    if (fd < 0) {
        base_error_set (error, errno == ENOENT ? BASE_ERROR_NOT_FOUND : BASE_ERROR_DENIED,
                        "cannot use the folder %s: %s", path, g_strerror (errno));
        return -1;
    }
    if (fstat (fd, &info) == 0 && info.st_uid == geteuid () && (info.st_mode & 077) == 0) {
        return fd;
    }
    if (info.st_uid == geteuid ()) {
        base_error_set (error, BASE_ERROR_DENIED,
                        "cannot use the folder %s: others can enter it; run chmod 700 on it",
                        path);
    } else {
        base_error_set (error, BASE_ERROR_DENIED,
                        "cannot use the folder %s: it is another user's", path);
    }
    close (fd);
    return -1;
}

/* Written, and then there at once, under a name that was not there before. */
static gboolean
put (int folder, const char *name, const char *text, gsize size)
{
    g_autofree char *half = g_strdup_printf (".%s-%u", name, (guint) getpid ());
    int fd = openat (folder, half, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    gboolean ok = fd >= 0 && write (fd, text, size) == (gssize) size && fsync (fd) == 0;
    int reason = errno;

    if (fd >= 0) {
        close (fd);
    }
    if (ok && renameat (folder, half, folder, name) == 0) {
        return TRUE;
    }
    reason = ok ? errno : reason;
    unlinkat (folder, half, 0);
    errno = reason;
    return FALSE;
}

static void
put_facts (const SessionOffer *offer, GKeyFile *file, const char *group)
{
    g_key_file_set_string (file, group, "Host", offer->host);
    g_key_file_set_string (file, group, "Boot", offer->boot);
    g_key_file_set_string (file, group, "Submitted",
                           offer->submitted != NULL ? offer->submitted : "");
    g_key_file_set_uint64 (file, group, "Pid", offer->pid);
    g_key_file_set_string (file, group, "Job", offer->job != NULL ? offer->job : "");
    g_key_file_set_string (file, group, "Command", offer->command);
    g_key_file_set_int64 (file, group, "Since", offer->since_us);
    g_key_file_set_boolean (file, group, "Taken", offer->is_taken);
    g_key_file_set_boolean (file, group, "Left", offer->is_left);
    if (offer->archive != NULL) {
        g_key_file_set_string (file, group, "Archive", offer->archive);
    }
}

void
session_offer_put (const SessionOffer *offer, GKeyFile *file, const char *group)
{
    put_facts (offer, file, group);
    g_key_file_set_string (file, group, "Id", offer->id);
}

gboolean
session_offer_write (const SessionOffer *offer, GError **error)
{
    g_autofree char *path = find_folder (), *text = NULL;
    g_autoptr (GKeyFile) file = g_key_file_new ();
    gsize size;
    gboolean ok;
    int folder;

    g_mkdir_with_parents (path, 0700);
    folder = open_folder (path, error);
    if (folder < 0) {
        return FALSE;
    }
    put_facts (offer, file, GROUP);
    text = g_key_file_to_data (file, &size, NULL);
    ok = put (folder, offer->id, text, size);
    if (!ok) {
        base_error_set (error, BASE_ERROR_DENIED, "cannot write to the folder %s: %s", path,
                        g_strerror (errno));
    }
    close (folder);
    return ok;
}

void
session_offer_remove (const SessionOffer *offer)
{
    g_autofree char *path = find_folder ();
    int folder = open_folder (path, NULL);

    if (folder >= 0) {
        unlinkat (folder, offer->id, 0);
        close (folder);
    }
}

int
session_offer_lock (const char *id)
{
    g_autofree char *path = find_folder ();
    int folder = open_folder (path, NULL);
    int fd = folder >= 0 ? openat (folder, id, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
    struct stat info;

    if (fd >= 0
        && ((flock (fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
            || fstat (fd, &info) != 0 || info.st_nlink == 0)) {
        close (fd);
        fd = -1;
    }
    if (folder >= 0) {
        close (folder);
    }
    return fd;
}

/* ---- reading ---- */

char *
session_offer_make_id (void)
{
    guint64 number = 0;

    return getrandom (&number, sizeof number, 0) == sizeof number
               ? g_strdup_printf ("%016" G_GINT64_MODIFIER "x", number)
               : NULL;
}

gboolean
session_offer_is_id (const char *name)
{
    return strlen (name) == 16 && name[strspn (name, "0123456789abcdef")] == '\0';
}

static char *
get_text (GKeyFile *file, const char *group, const char *key)
{
    char *text = g_key_file_get_string (file, group, key, NULL);

    return text != NULL ? base_escape_take (text, BASE_ESCAPE_NAME) : g_strdup ("");
}

static gboolean
is_host_name (const char *text)
{
    return *text != '\0' && *text != '-' && strlen (text) < 256
           && text[strspn (text,
                           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_")]
                  == '\0';
}

/* NULL: it is none. */
static SessionOffer *
get_facts (GKeyFile *file, const char *group, const char *id)
{
    g_autoptr (SessionOffer) offer = g_new0 (SessionOffer, 1);

    offer->id = g_strdup (id);
    offer->host = get_text (file, group, "Host");
    offer->boot = get_text (file, group, "Boot");
    offer->command = get_text (file, group, "Command");
    offer->submitted = get_text (file, group, "Submitted");
    offer->job = get_text (file, group, "Job");
    if (*offer->job == '\0') {
        g_clear_pointer (&offer->job, g_free);
    }
    offer->pid = g_key_file_get_uint64 (file, group, "Pid", NULL);
    offer->since_us = g_key_file_get_int64 (file, group, "Since", NULL);
    offer->is_taken = g_key_file_get_boolean (file, group, "Taken", NULL);
    offer->is_left = g_key_file_get_boolean (file, group, "Left", NULL);
    offer->archive = g_key_file_get_string (file, group, "Archive", NULL);
    if (offer->archive != NULL && !g_path_is_absolute (offer->archive)) {
        return NULL;
    }
    return is_host_name (offer->host) ? g_steal_pointer (&offer) : NULL;
}

SessionOffer *
session_offer_get (GKeyFile *file, const char *group)
{
    g_autofree char *id = g_key_file_get_string (file, group, "Id", NULL);

    return id != NULL && session_offer_is_id (id) ? get_facts (file, group, id) : NULL;
}

static SessionOffer *
read_offer (int folder, const char *name)
{
    g_autoptr (GKeyFile) file = g_key_file_new ();
    const BasePlace place = { folder, (char *) name };
    g_autofree char *text = base_file_read_place (&place, MAX_SIZE);

    return text != NULL && g_key_file_load_from_data (file, text, strlen (text), 0, NULL)
               ? get_facts (file, GROUP, name)
               : NULL;
}

static gboolean
is_here (const SessionOffer *offer)
{
    return strcmp (offer->host, g_get_host_name ()) == 0;
}

/* Only this host can know. */
static gboolean
is_over (const SessionOffer *offer, const char *boot)
{
    return is_here (offer)
           && (strcmp (offer->boot, boot) != 0 || offer->pid == 0 || offer->pid > G_MAXINT32
               || (kill ((pid_t) offer->pid, 0) != 0 && errno == ESRCH));
}

BASE_ORDER_POINTERS (compare_offers, SessionOffer, BASE_BY (since_us))

/* It is not to be seen: it may not be seen yet, as shared file systems remember for a while what was not there. */
static gboolean
is_out_of_sight (const SessionOffer *measured)
{
    return access (measured->archive, F_OK) != 0;
}

static GPtrArray *
list (gboolean is_measured, GError **error)
{
    g_autoptr (GPtrArray) offers = g_ptr_array_new_with_free_func (session_offer_free);
    g_autofree char *path = find_folder (), *boot = read_boot ();
    g_autoptr (GError) problem = NULL;
    int folder = open_folder (path, &problem);
    g_autoptr (GDir) dir = folder >= 0 ? g_dir_open (path, 0, NULL) : NULL;
    const char *name;

    if (folder < 0 && !g_error_matches (problem, BASE_ERROR, BASE_ERROR_NOT_FOUND)) {
        g_propagate_error (error, g_steal_pointer (&problem));
        return NULL;
    }
    while (dir != NULL && offers->len < MAX_OFFERS && (name = g_dir_read_name (dir)) != NULL) {
        g_autoptr (SessionOffer) offer = session_offer_is_id (name) ? read_offer (folder, name)
                                                                    : NULL;

        if (offer == NULL || (offer->archive != NULL) != is_measured) {
            continue;
        }
        if (is_measured
                ? is_out_of_sight (offer) && g_get_real_time () - offer->since_us > UNSEEN_US
                : is_over (offer, boot)) {
            unlinkat (folder, name, 0);
        } else if (!is_measured || !is_out_of_sight (offer)) {
            g_ptr_array_add (offers, g_steal_pointer (&offer));
        }
    }
    if (folder >= 0) {
        close (folder);
    }
    g_ptr_array_sort (offers, compare_offers);
    return g_steal_pointer (&offers);
}

GPtrArray *
session_offers_list (GError **error)
{
    return list (FALSE, error);
}

/* ---- measured ---- */

gboolean
session_measured_note (const char *archive, const char *const *argv, GError **error)
{
    g_autofree char *id = session_offer_make_id ();
    g_autoptr (SessionOffer) offer = id != NULL ? session_offer_new (id, argv) : NULL;

    if (offer == NULL) {
        base_error_set (error, BASE_ERROR_DENIED, "the system has no random numbers");
        return FALSE;
    }
    offer->archive = g_canonicalize_filename (archive, NULL);
    return session_offer_write (offer, error);
}

GPtrArray *
session_measured_list (void)
{
    GPtrArray *measured = list (TRUE, NULL);

    return measured != NULL ? measured : g_ptr_array_new ();
}

void
session_measured_forget (const char *archive)
{
    g_autoptr (GPtrArray) measured = session_measured_list ();
    g_autofree char *path = g_canonicalize_filename (archive, NULL);

    for (guint i = 0; i < measured->len; i++) {
        const SessionOffer *offer = measured->pdata[i];

        if (strcmp (offer->archive, path) == 0) {
            session_offer_remove (offer);
        }
    }
}

char *
session_offer_describe (const SessionOffer *offer)
{
    if (offer->archive != NULL) {
        return offer->job != NULL ? g_strdup_printf ("Job %s on %s has been measured: %s",
                                                     offer->job, offer->host, offer->command)
                                  : g_strdup_printf ("A job on %s has been measured: %s",
                                                     offer->host, offer->command);
    }
    if (offer->is_left) {
        return g_strdup_printf ("Job %s on %s lives on without a window: %s",
                                offer->job != NULL ? offer->job : offer->id, offer->host,
                                offer->command);
    }
    return offer->job != NULL ? g_strdup_printf ("Job %s on %s wants to be debugged: %s",
                                                 offer->job, offer->host, offer->command)
                              : g_strdup_printf ("A job on %s wants to be debugged: %s",
                                                 offer->host, offer->command);
}

static gboolean
is_plain_number (const char *text)
{
    return text != NULL && *text != '\0' && text[strspn (text, "0123456789")] == '\0';
}

gboolean
session_offer_drop_dead (const SessionOffer *offer)
{
    char *words[] = { (char *) "squeue", (char *) "-h", (char *) "-j", offer->job,
                      (char *) "-o",     (char *) "%T", NULL };
    g_autofree char *said = NULL, *complaint = NULL;
    int status = 0;
    gboolean is_dead;

    if (!is_plain_number (offer->job)
        || !g_spawn_sync (NULL, words, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &said, &complaint,
                          &status, NULL)) {
        return FALSE;
    }
    is_dead = status == 0 ? *g_strstrip (said) == '\0'
                          : strstr (complaint, "Invalid job id") != NULL;
    if (is_dead) {
        session_offer_remove (offer);
    }
    return is_dead;
}

char **
session_offer_dup_way (const SessionOffer *offer, const char *pddt)
{
    g_autoptr (GPtrArray) words = g_ptr_array_new ();
    g_autofree char *srun = g_find_program_in_path ("srun");

    if (is_here (offer)) {
        return NULL;
    }
    if (srun != NULL && is_plain_number (offer->job)) {
        g_ptr_array_add (words, g_strdup (srun));
        g_ptr_array_add (words, g_strdup_printf ("--jobid=%s", offer->job));
        g_ptr_array_add (words, g_strdup_printf ("--nodelist=%s", offer->host));
        for (const char *const *word = (const char *const[]){ "--overlap", "-n1", "-N1",
                                                              "--unbuffered", NULL };
             *word != NULL; word++) {
            g_ptr_array_add (words, g_strdup (*word));
        }
    } else {
        g_ptr_array_add (words, g_strdup ("ssh"));
        g_ptr_array_add (words, g_strdup ("-T"));
        g_ptr_array_add (words, g_strdup ("--"));
        g_ptr_array_add (words, g_strdup (offer->host));
    }
    g_ptr_array_add (words, g_strdup (pddt));
    g_ptr_array_add (words, g_strdup_printf ("--serve=%s", offer->id));
    g_ptr_array_add (words, NULL);
    return (char **) g_ptr_array_free (g_steal_pointer (&words), FALSE);
}
