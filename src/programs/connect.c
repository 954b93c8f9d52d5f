/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs that are elsewhere, as the command line has them. */
#include "programs/connect.h"
#include "base/array.h"
#include "base/error.h"
#include "base/escape.h"
#include "base/log.h"
#include "launch/launch.h"
#include "session/queues.h"
#include "session/remote.h"
#include "session/saved.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LONG_MS = 20000, WAKE_MS = 200, SHOWN_S = 20 /* a shared file system may be late */ };

static SessionOffer *
find_offer (GPtrArray *offers, const char *id)
{
    return BASE_FIND (offers, SessionOffer, offer, strcmp (offer->id, id) == 0);
}

/* ssh may wait for a host, or whatever it has started there for its input. */
static gboolean
say_waiting (const char *host, guint waited_ms)
{
    static gboolean is_said;

    if (waited_ms > LONG_MS && !is_said) {
        is_said = TRUE;
        base_log_say ("pddt on %s has not answered yet: still waiting, Ctrl-C ends that", host);
    }
    return TRUE;
}

/* Connects to the server of that job. */
static gboolean
reach (const char *id, const char *release, guint keep_for_s, SessionChooseLiving choose,
       SessionRemoteWait wait, GError **error)
{
    g_autofree char *own = launch_find_program ("pddt", error);
    g_autoptr (GError) problem = NULL;
    g_autoptr (GPtrArray) offers = own != NULL ? session_offers_list (error) : NULL;
    const SessionOffer *offer = offers != NULL ? find_offer (offers, id) : NULL;
    SessionRemoteOptions remote = { .offer = offer,
                                    .own = own,
                                    .release = release,
                                    .keep_for_s = keep_for_s,
                                    .choose = choose,
                                    .wait = wait };

    if (offers == NULL) {
        return FALSE;
    }
    if (offer == NULL) {
        base_error_set (error, BASE_ERROR_NOT_FOUND, "no job %s waits to be debugged", id);
        return FALSE;
    }
    if (session_remote_connect (&remote, &problem)) {
        return TRUE;
    }
    if (g_error_matches (problem, BASE_ERROR, BASE_ERROR_LOST)
        && session_offer_drop_dead (offer)) {
        base_error_set (error, BASE_ERROR_LOST, "job %s is over: its offer is removed",
                        offer->job);
    } else {
        g_propagate_error (error, g_steal_pointer (&problem));
    }
    return FALSE;
}

/* The saved session that the command line names, if its job is on another host and the line does not say on which. Who
 * wrote the file does not decide to which host this user's ssh goes. NULL with an error, or without. Caller owns. */
static SessionSaved *
find_elsewhere (const ProgramOptions *options, GError **error)
{
    g_autoptr (SessionSaved) saved = options->remote == NULL
                                             && program_options_is_saved (options)
                                         ? session_saved_load (options->words[0], NULL)
                                         : NULL;

    if (saved == NULL || saved->host == NULL) {
        return NULL;
    }
    if (!saved->is_own && !options->trust) {
        base_error_set (
            error, BASE_ERROR_DENIED,
            "pddt did not write %s for you, and its job is on the host %s: to connect there, "
            "run pddt --remote HOST FILE",
            options->words[0], saved->host);
        return NULL;
    }
    return g_steal_pointer (&saved);
}

/* saved: which names the host; NULL: the line does. */
static SessionRemoteOptions
get_way (const ProgramOptions *options, const SessionSaved *saved, const ProgramWay *way)
{
    return (SessionRemoteOptions){
        .host = saved != NULL ? saved->host : options->remote,
        .program = saved != NULL ? saved->host_program : options->remote_program,
        .release = way->release,
        .keep_for_s = options->keep_for_s,
        .askpass = way->askpass,
        .take = options->take,
        .wait = way->wait != NULL ? way->wait : say_waiting,
        .choose = options->take == NULL && program_options_has_subject (options) ? NULL
                                                                                 : way->choose,
        .starts_at_once = way->starts_at_once && options->take == NULL
                          && program_options_has_subject (options)
                          && !program_options_is_saved (options),
    };
}

gboolean
program_connect_begin (const ProgramOptions *options, const ProgramWay *way, GError **error)
{
    const SessionRemoteOptions remote = get_way (options, NULL, way);

    return remote.host == NULL || session_remote_begin (&remote, error);
}

gboolean
program_connect (const ProgramOptions *options, const ProgramWay *way, GError **error)
{
    g_autoptr (GError) problem = NULL;
    g_autoptr (SessionSaved) saved = find_elsewhere (options, &problem);
    const SessionRemoteOptions remote = get_way (options, saved, way);

    if (problem != NULL) {
        g_propagate_error (error, g_steal_pointer (&problem));
        return FALSE;
    }
    return options->take != NULL && options->remote == NULL
               ? reach (options->take, way->release, options->keep_for_s, way->choose,
                        remote.wait, error)
           : remote.host != NULL ? session_remote_connect (&remote, error)
                                 : TRUE;
}

static char *
describe_living (const SessionLiving *living, const char *host)
{
    g_autoptr (GDateTime) since = g_date_time_new_from_unix_local (living->since_us
                                                                   / G_USEC_PER_SEC);
    g_autofree char *when = since != NULL ? g_date_time_format (since, "%H:%M")
                                          : g_strdup ("?");

    return living->is_held
               ? g_strdup_printf ("%s (%s) is in the hands of %s", living->command, host,
                                  living->who)
               : g_strdup_printf ("%s (%s) lives on without a window since %s; it was with %s",
                                  living->command, host, when, living->who);
}

SessionLivingChoice
program_connect_ask_living (const GPtrArray *living, const char *host, guint *ret_index,
                            gpointer unused)
{
    gboolean asks = isatty (STDIN_FILENO);

    for (guint i = 0; i < living->len; i++) {
        const SessionLiving *one = living->pdata[i];
        g_autofree char *text = describe_living (one, host);
        char answer[16] = "";

        *ret_index = i;
        base_log_say ("%s", text);
        if (!asks && !one->is_held) {
            return SESSION_LIVING_TAKE;
        }
        if (!asks) {
            continue;
        }
        fputs (one->is_held ? "Take it away from there? [y/N] " : "Take it over? [Y/n] ",
               stderr);
        if (fgets (answer, sizeof answer, stdin) == NULL) {
            return SESSION_LIVING_LEAVE;
        }
        g_strstrip (answer);
        if (*answer == 'y' || *answer == 'Y' || (*answer == '\0' && !one->is_held)) {
            return SESSION_LIVING_TAKE;
        }
    }
    return SESSION_LIVING_NEW;
}

gboolean
program_connect_find_living (SessionOptions *ret_options, GPtrArray *owner)
{
    SessionOptions one = { .living = 0 };

    for (guint i = 0; session_remote_find_living (i, &one, owner); i++) {
        if (i == 0 || one.living > ret_options->living) {
            *ret_options = one;
        }
    }
    return one.living != 0;
}

void
program_connect_fill (SessionOptions *ret_options, GPtrArray *owner)
{
    SessionOptions job;

    if (!session_remote_find_job (&job, owner)) {
        return;
    }
    ret_options->argv = job.argv;
    ret_options->folder = job.folder;
    ret_options->stop_at = ret_options->stop_at != NULL ? ret_options->stop_at : job.stop_at;
    ret_options->input_ranks = ret_options->input_ranks != NULL ? ret_options->input_ranks
                                                                : job.input_ranks;
    ret_options->timeout_s = ret_options->timeout_s != 0 ? ret_options->timeout_s
                                                         : job.timeout_s;
}

/* 'y', 'n' (leave it), 'd' (decline it). */
static char
ask (const SessionOffer *offer)
{
    g_autofree char *text = session_offer_describe (offer);
    char answer[16] = "";

    base_log_say ("%s", text);
    fputs ("Debug it? [Y/n, d to decline it] ", stderr);
    if (fgets (answer, sizeof answer, stdin) == NULL) {
        return 'n';
    }
    g_strstrip (answer);
    return *answer == '\0' ? 'y' : g_ascii_tolower (*answer);
}

static void
say_running (const char *id)
{
    base_log_say ("the job %s runs already: pddt --take %s debugs it", id, id);
}

static int
decline_here (const char *id, const char *release)
{
    g_autoptr (GPtrArray) offers = session_offers_list (NULL);
    const SessionOffer *offer = offers != NULL ? find_offer (offers, id) : NULL;
    g_autoptr (GError) error = NULL;

    if (offer != NULL && offer->is_left) {
        say_running (id);
        return 3;
    }
    if (!reach (id, release, 0, NULL, NULL, &error)) {
        base_log_say ("%s", error->message);
        return 3;
    }
    session_remote_decline ();
    return 0;
}

/* ---- where --remote is connected to ---- */

static void
on_answer (GObject *source, GAsyncResult *result, gpointer user)
{
    *(GAsyncResult **) user = g_object_ref (result);
}

static gboolean
wake_up (gpointer unused)
{
    return G_SOURCE_CONTINUE;
}

/* wait: NULL: nobody sees that it takes long. When that does not want it any more, the connection ends, and with it the
 * question. Caller owns. */
static GAsyncResult *
wait_for_answer (GAsyncResult **result, SessionRemoteWait wait)
{
    guint source = wait != NULL ? g_timeout_add (WAKE_MS, wake_up, NULL) : 0;
    gint64 begin_us = g_get_monotonic_time ();

    while (*result == NULL) {
        gint64 waited_us = g_get_monotonic_time () - begin_us;

        if (wait != NULL && session_remote_get_host () != NULL
            && !wait (session_remote_get_host (), (guint) (waited_us / 1000))) {
            session_remote_disconnect ();
        }
        g_main_context_iteration (NULL, TRUE);
    }
    g_clear_handle_id (&source, g_source_remove);
    return *result;
}

static GPtrArray *
list_offers_there (GError **error)
{
    g_autoptr (GAsyncResult) result = NULL;

    session_list_offers_async (NULL, NULL, on_answer, &result);
    return session_list_offers_finish (wait_for_answer (&result, NULL), error);
}

static void
say_measured_there (const SessionOffer *offer)
{
    g_autofree char *text = session_offer_describe (offer);
    g_autofree char *address = session_remote_dup_address ();

    base_log_say ("%s; pddt --remote %s --take %s brings its archive here and shows it", text,
                  address != NULL ? address : session_remote_get_host (), offer->id);
}

char *
program_connect_choose_there (void)
{
    g_autoptr (GPtrArray) offers = list_offers_there (NULL);
    gboolean asks = isatty (STDIN_FILENO);

    for (guint i = 0; offers != NULL && i < offers->len; i++) {
        if (((SessionOffer *) offers->pdata[i])->archive != NULL) {
            say_measured_there (offers->pdata[i]);
        }
    }
    BASE_EACH (offers, const SessionOffer, offer) {
        g_autofree char *text = session_offer_describe (offer);
        char answer[16] = "";

        if (offer->is_taken || offer->archive != NULL) {
            continue;
        }
        base_log_say ("%s", text);
        if (asks) {
            fputs ("Debug it? [Y/n] ", stderr);
        }
        if (!asks
            || (fgets (answer, sizeof answer, stdin) != NULL && *answer != 'n'
                && *answer != 'N')) {
            return g_strdup (offer->id);
        }
    }
    return NULL;
}

static void
forget_there (const char *id, SessionRemoteWait wait)
{
    g_autoptr (GAsyncResult) result = NULL;

    session_forget_measured_async (NULL, id, NULL, on_answer, &result);
    wait_for_answer (&result, wait);
}

/* A job that a queue has measured does not wait: it is offered no more. One that lives on without a window is not declined by
 * its server, either, and does not end. */
static int
decline_there (const ProgramOptions *options, const char *release)
{
    const SessionRemoteOptions there = { .host = options->remote,
                                         .program = options->remote_program,
                                         .take = options->decline,
                                         .release = release,
                                         .keep_for_s = options->keep_for_s };
    g_autoptr (GPtrArray) owner = g_ptr_array_new_with_free_func (g_free);
    g_autoptr (GError) error = NULL;
    SessionOptions job;
    gboolean runs;

    if (!session_remote_connect (&there, &error)) {
        base_log_say ("%s", error->message);
        return 3;
    }
    if (!session_remote_find_job (&job, owner)) {
        forget_there (options->decline, NULL);
        session_remote_disconnect ();
        return 0;
    }
    runs = session_remote_find_living (0, &job, owner);
    session_remote_decline ();
    if (runs) {
        say_running (options->decline);
    }
    return runs ? 3 : 0;
}

int
program_connect_decline (const ProgramOptions *options, const char *release)
{
    return options->remote != NULL ? decline_there (options, release)
                                   : decline_here (options->decline, release);
}

/* A name in the current folder that is free; what it is called there, if possible. Caller owns. */
static char *
choose_name (const char *archive)
{
    g_autofree char *base = g_path_get_basename (archive);
    const char *plain = strchr (base, '/') != NULL ? "measured" : base;

    for (guint i = 1;; i++) {
        g_autofree char *name = i == 1 ? g_strdup (plain) : g_strdup_printf ("%s-%u", plain, i);
        g_autofree char *path = g_canonicalize_filename (name, NULL);

        if (access (path, F_OK) != 0) {
            return g_steal_pointer (&path);
        }
    }
}

static gboolean
bring (const SessionOffer *offer, const char *folder, SessionRemoteWait wait, GError **error)
{
    g_autoptr (GAsyncResult) result = NULL;

    session_bring_measured_async (NULL, offer->id, folder, NULL, on_answer, &result);
    if (!session_bring_measured_finish (wait_for_answer (&result, wait), error)) {
        if (session_remote_get_host () == NULL) { /* wait does not want it any more */
            g_clear_error (error);
            g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "it is not wanted");
        }
        return FALSE;
    }
    forget_there (offer->id, wait);
    return TRUE;
}

gboolean
program_connect_bring_submitted (const char *token, const char *folder, GError **error)
{
    gint64 end_us = g_get_monotonic_time () + SHOWN_S * G_USEC_PER_SEC;

    do {
        g_autoptr (GPtrArray) offers = list_offers_there (error);

        if (offers == NULL) {
            return FALSE;
        }
        BASE_EACH (offers, const SessionOffer, offer) {
            if (offer->archive != NULL && g_strcmp0 (offer->submitted, token) == 0) {
                return bring (offer, folder, NULL, error);
            }
        }
        g_usleep (WAKE_MS * 1000);
    } while (g_get_monotonic_time () < end_us);
    base_error_set (error, BASE_ERROR_NOT_FOUND,
                    "the job has left no archive: see what it has written");
    return FALSE;
}

gboolean
program_connect_bring (const ProgramOptions *options, SessionRemoteWait wait,
                       char **ret_archive, GError **error)
{
    g_autoptr (GPtrArray) owner = g_ptr_array_new_with_free_func (g_free), offers = NULL;
    const SessionOffer *offer;
    SessionOptions job;

    *ret_archive = NULL;
    if (options->take == NULL || options->remote == NULL
        || session_remote_find_job (&job, owner)
        || session_remote_find_living (0, &job, owner)) {
        return TRUE;
    }
    offers = list_offers_there (error);
    offer = offers != NULL ? find_offer (offers, options->take) : NULL;
    if (offer == NULL || offer->archive == NULL) {
        if (offers != NULL) {
            base_error_set (error, BASE_ERROR_NOT_FOUND, "no job %s waits there any more",
                            options->take);
        }
        return FALSE;
    }
    *ret_archive = choose_name (offer->archive);
    if (!bring (offer, *ret_archive, wait, error)) {
        g_clear_pointer (ret_archive, g_free);
        return FALSE;
    }
    return TRUE;
}

static void
say_measured (void)
{
    g_autoptr (GPtrArray) measured = session_measured_list ();

    BASE_EACH (measured, const SessionOffer, offer) {
        g_autofree char *text = session_offer_describe (offer);
        g_autofree char *path = base_escape_dup (offer->archive, BASE_ESCAPE_NAME);

        base_log_say ("%s; pddt %s shows it", text, path);
    }
}

gboolean
program_connect_choose (ProgramOptions *options, int *ret_status)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (GPtrArray) offers = session_offers_list (&error);
    gboolean asks = isatty (STDIN_FILENO);

    *ret_status = 2;
    say_measured ();
    BASE_EACH (offers, const SessionOffer, offer) {
        char answer = offer->is_taken ? 'n' : asks ? ask (offer) : 'y';

        if (answer == 'd') {
            decline_here (offer->id, "");
        } else if (answer == 'y') {
            g_autofree char *text = session_offer_describe (offer);

            if (!asks) {
                base_log_say ("%s", text);
            }
            options->take = options->taken = g_strdup (offer->id);
            return TRUE;
        }
        *ret_status = offer->is_taken ? *ret_status : 0;
    }
    if (*ret_status != 0) {
        base_log_say (
            "%s", error != NULL
                      ? error->message
                      : "nothing to debug: run pddt [OPTION…] COMMAND [ARG…], and no job waits "
                        "(pddt --connect); pddt --help lists the options");
    }
    return FALSE;
}

static int
end_untaken (const ProgramOptions *options, const char *why)
{
    g_auto (GStrv) words = NULL;

    if (!options->keep) {
        base_log_say ("%s: nothing was started", why);
        return 3;
    }
    words = launch_line_dup_plain ((const char *const *) options->words);
    base_log_say ("%s: it runs without pddt", why);
    execvp (words[0], words);
    base_log_say ("cannot run %s: %s", words[0], g_strerror (errno));
    return 3;
}

int
program_connect_wait (const ProgramOptions *options, const char *release)
{
    g_autofree char *folder = g_get_current_dir ();
    const SessionOptions start = { .argv = (const char *const *) options->words,
                                   .folder = folder,
                                   .stop_at = options->stop_at,
                                   .input_ranks = options->input,
                                   .timeout_s = options->timeout_s };
    const SessionConnectOptions wanted = { &start, release, options->connect_timeout_s };
    g_autoptr (GError) error = NULL;

    switch (session_connect_run (&wanted, &error)) {
    case SESSION_CONNECT_OVER: return 0;
    case SESSION_CONNECT_DECLINED: return end_untaken (options, "the job was declined");
    case SESSION_CONNECT_LATE:
        return end_untaken (options, "no pddt took the job in the time of --connect-timeout");
    case SESSION_CONNECT_BROKEN: base_log_say ("ended by a signal"); return 3;
    case SESSION_CONNECT_FAILED: base_log_say ("%s", error->message); return 3;
    default: return 3;
    }
}
