/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/follow.h"
#include <glib/gi18n.h>
#include <string.h>
#include "session/private.h"
#include "session/sources.h"

#define MAX_SOURCE (64u << 20)

/* What stood at the line of a breakpoint. */
typedef struct {
    char *file, *text; /* text: without blanks around it; NULL: it is being read */
    guint32 line;
} Kept;

BASE_FREE (free_kept, Kept, kept, g_free (kept->file); g_free (kept->text))

static GQuark
get_quark (void)
{
    return g_quark_from_static_string ("session-follow");
}

/* Breakpoint number to Kept. */
static GHashTable *
get_table (Session *session)
{
    GHashTable *table = g_object_get_qdata (G_OBJECT (session), get_quark ());

    if (table == NULL) {
        table = g_hash_table_new_full (NULL, NULL, NULL, free_kept);
        g_object_set_qdata_full (G_OBJECT (session), get_quark (), table,
                                 (GDestroyNotify) g_hash_table_unref);
    }
    return table;
}

/* NULL: there is no such line. Caller owns. */
static char *
dup_line (char **lines, guint32 line)
{
    return line > 0 && line <= g_strv_length (lines) ? g_strstrip (g_strdup (lines[line - 1]))
                                                     : NULL;
}

typedef struct {
    guint32 number;
    char *file;
} Reading;

static void
on_noted (GObject *source, GAsyncResult *result, gpointer user)
{
    g_autofree Reading *reading = user;
    g_autofree char *file = reading->file;
    g_autofree char *text = session_read_source_finish (result, NULL, NULL);
    Kept *kept = g_hash_table_lookup (get_table (SESSION_SESSION (source)),
                                      GUINT_TO_POINTER (reading->number));

    if (text != NULL && kept != NULL && strcmp (kept->file, file) == 0) {
        g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

        g_free (kept->text);
        kept->text = dup_line (lines, kept->line);
    }
}

void
session_follow_note (Session *session, const SessionBreakpoint *breakpoint)
{
    const JobWhere *where = &breakpoint->where;
    gpointer key = GUINT_TO_POINTER (breakpoint->number);
    Kept *kept = g_hash_table_lookup (get_table (session), key);
    const JobLocation *place = breakpoint->places->len > 0 ? breakpoint->places->pdata[0]
                                                           : NULL;
    Reading *reading;

    if (g_strcmp0 (breakpoint->kind, "break") != 0 || where->kind != JOB_WHERE_LINE
        || place == NULL || place->file == NULL
        || (kept != NULL && kept->line == where->line
            && strcmp (kept->file, place->file) == 0)) {
        return;
    }
    kept = g_new0 (Kept, 1);
    kept->file = g_strdup (place->file);
    kept->line = where->line;
    g_hash_table_replace (get_table (session), key, kept);
    reading = g_new (Reading, 1);
    *reading = (Reading){ breakpoint->number, g_strdup (place->file) };
    session_read_source_async (session, place->file, MAX_SOURCE, NULL, on_noted, reading);
}

/* ---- when it starts again ---- */

typedef struct {
    Session *session;
    GPtrArray *requests;
    guint next;
    GCancellable *cancellable; /* NULL */
    SessionFollowDone done;
    gpointer user;
} Following;

static guint32
find_nearest (char **lines, const Kept *kept)
{
    guint32 best = 0, n = g_strv_length (lines);

    for (guint32 line = 1; line <= n; line++) {
        g_autofree char *text = dup_line (lines, line);
        guint32 distance = MAX (line, kept->line) - MIN (line, kept->line);

        if (strcmp (text, kept->text) == 0
            && (best == 0 || distance < MAX (best, kept->line) - MIN (best, kept->line))) {
            best = line;
        }
    }
    return best;
}

static void
follow_one (Session *session, JobRequest *request, Kept *kept, const char *text)
{
    g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
    g_autofree char *now = dup_line (lines, kept->line);
    g_autofree char *base = g_path_get_basename (kept->file);
    guint32 line = kept->text[0] != '\0' ? find_nearest (lines, kept) : 0;

    if (g_strcmp0 (now, kept->text) == 0) {
        return;
    }
    if (line != 0) {
        session_say (session, 0, N_ ("breakpoint %u moves with its line, from %s:%u to %s:%u"),
                     request->number, base, kept->line, base, line);
        request->where.line = kept->line = line;
    } else {
        session_say (session, 1,
                     N_ ("breakpoint %u stays at %s:%u, where another text stands: its line "
                         "is gone"),
                     request->number, base, kept->line);
        g_free (kept->text);
        kept->text = g_steal_pointer (&now);
    }
}

static void go_on (Following *following);

static Kept *
find_kept (const Following *following, const JobRequest *request)
{
    Kept *kept = g_hash_table_lookup (get_table (following->session),
                                      GUINT_TO_POINTER (request->number));

    return request->verb == JOB_VERB_BREAK && request->where.kind == JOB_WHERE_LINE
                   && kept != NULL && kept->text != NULL && kept->line == request->where.line
               ? kept
               : NULL;
}

static void
free_following (Following *following)
{
    g_object_unref (following->session);
    g_clear_object (&following->cancellable);
    g_free (following);
}

static void
on_read (GObject *source, GAsyncResult *result, gpointer user)
{
    Following *following = user;
    g_autoptr (GError) error = NULL;
    g_autofree char *text = session_read_source_finish (result, NULL, &error);
    JobRequest *request;
    Kept *kept;

    if (g_cancellable_is_cancelled (following->cancellable)) {
        free_following (following); /* the requests may be gone */
        return;
    }
    request = g_ptr_array_index (following->requests, following->next++);
    kept = find_kept (following, request);
    if (text != NULL && kept != NULL) {
        follow_one (following->session, request, kept, text);
    }
    go_on (following);
}

static void
go_on (Following *following)
{
    for (; following->next < following->requests->len; following->next++) {
        const Kept *kept = find_kept (following,
                                      g_ptr_array_index (following->requests, following->next));

        if (kept != NULL) {
            session_read_source_async (following->session, kept->file, MAX_SOURCE,
                                       following->cancellable, on_read, following);
            return;
        }
    }
    following->done (following->user);
    free_following (following);
}

void
session_follow_async (Session *session, GPtrArray *requests, GCancellable *cancellable,
                      SessionFollowDone done, gpointer user)
{
    Following *following = g_new0 (Following, 1);

    following->session = g_object_ref (session);
    following->requests = requests;
    following->cancellable = cancellable != NULL ? g_object_ref (cancellable) : NULL;
    following->done = done;
    following->user = user;
    go_on (following);
}
