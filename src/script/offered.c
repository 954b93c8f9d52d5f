/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a value may have a printer that came with a library's package: which of the libraries that a rank has mapped have one
 * is asked once in a job, so that Python is not started where it has nothing to say. */
#include "script/private.h"
#include "session/filter.h"
#include "session/moment.h"
#include <string.h>

#define FOLDER "/usr/share/gdb/auto-load"
#define END "-gdb.py"
#define MAX_DEPTH 8

static struct {
    Session *session; /* that was asked; borrowed, only compared */
    guint64 start;
    gboolean offered; /* one of them has one */
    SessionQuery *query;
    void (*done) (gpointer user);
    gpointer user;
} known;

gboolean
script_offered_is_possible (const JobValue *value)
{
    gboolean is_open = value->text != NULL && *value->text == '{';
    gboolean is_pointer = value->text != NULL && *value->text == '(' && value->type != NULL
                          && g_str_has_suffix (value->type, "*");

    return value->type != NULL && !value->is_problem && (is_open || is_pointer)
           && !g_str_has_prefix (value->type, "std::");
}

gboolean
script_offered_is_known (Session *session, gboolean *ret_offered)
{
    *ret_offered = known.offered;
    return known.session == session && known.start == session_get_start (session)
           && known.query == NULL;
}

/* Paths of libraries for which there are files below the folder. */
static void
find_files (const char *folder, guint depth, GHashTable *names)
{
    GDir *opened = g_dir_open (folder, 0, NULL);
    const char *name;

    while (opened != NULL && depth < MAX_DEPTH && (name = g_dir_read_name (opened)) != NULL) {
        g_autofree char *path = g_build_filename (folder, name, NULL);

        if (g_str_has_suffix (name, END)) {
            g_hash_table_add (names, g_strndup (name, strlen (name) - strlen (END)));
        } else if (g_file_test (path, G_FILE_TEST_IS_DIR)) {
            find_files (path, depth + 1, names);
        }
    }
    g_clear_pointer (&opened, g_dir_close);
}

static void
on_modules (SessionQuery *query, SessionAnswer *answer, gpointer user)
{
    g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                          NULL);
    void (*done) (gpointer) = known.done;
    gpointer asked = known.user;

    find_files (FOLDER, 0, names);
    BASE_EACH (answer->groups, const JobEvent, event) {
        for (guint j = 0;
             job_event_get_details (event) != NULL && j < job_event_get_details (event)->len;
             j++) {
            const JobDetail *detail = g_ptr_array_index (job_event_get_details (event), j);
            g_autofree char *base = detail->name != NULL ? g_path_get_basename (detail->name)
                                                         : g_strdup ("");

            /* the types of these two libraries have views of pddt's own */
            known.offered |= g_hash_table_contains (names, base)
                             && !g_str_has_prefix (base, "libstdc++")
                             && !g_str_has_prefix (base, "libc.so");
        }
    }
    session_query_free (g_steal_pointer (&known.query));
    known.done = NULL;
    if (done != NULL) {
        done (asked);
    }
}

gboolean
script_offered_ask (Session *session, guint32 rank, void (*done) (gpointer user), gpointer user)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (rank, rank + 1);

    if (known.query != NULL) {
        return FALSE;
    }
    known.session = session;
    known.start = session_get_start (session);
    known.offered = FALSE;
    known.done = done;
    known.user = user;
    known.query = session_query_new_plain (session, job_request_new (JOB_VERB_MODULES, ranks),
                                           on_modules, NULL);
    return TRUE;
}

void
script_offered_forget (gpointer user)
{
    if (known.user == user) {
        known.done = NULL;
    }
}
