/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mpi4py method that a Python line calls. Its lower-case methods use other MPI calls than
 * their names suggest, so only the source shows what the user wrote. Reads each line once. */
#include "session/sources.h"
#include "session/private.h"
#include <string.h>

#define MAX_SOURCE (16 << 20)

static const char pattern[]
    = "([A-Za-z_][\\w.\\[\\]]*\\.(?:[Ii]?(?:[Aa]ll)?[Rr]educe(?:_scatter(?:_block)?)?|[Ii]?[Bb]cast|"
      "[Ii]?(?:[Aa]ll)?[Gg]atherv?|[Ii]?[Ss]catterv?|[Ii]?[Aa]lltoall[vw]?|"
      "[Ii]?[BbSsRr]?[Ss]end|[Ii]?[Rr]ecv|[Ii]?[Ss]endrecv(?:_replace)?|[Ii]?(?:[Ee]x)?[Ss]can|"
      "[Ii]?[Mm]?[Pp]robe|[Ii]?[Bb]arrier|[Ww]ait(?:all|any|some)?|[Tt]est(?:all|any|some)?|"
      "Fence|Lock(?:_all)?|Dup|Split|Create_cart))\\s*\\(";

/* With two calls in a line, it is not known which one. */
static char *
find_in_line (const char *line)
{
    g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_RAW, 0, NULL);
    g_autoptr (GMatchInfo) match = NULL;
    g_autofree char *method = NULL;

    if (regex == NULL || !g_regex_match (regex, line, 0, &match)) {
        return NULL;
    }
    method = g_match_info_fetch (match, 1);
    return g_match_info_next (match, NULL) || !g_utf8_validate (method, -1, NULL)
               ? NULL
               : g_steal_pointer (&method);
}

typedef struct {
    Session *session; /* the task under way has a reference */
    GCancellable *cancellable;
    SessionMethodsDone done;
    gpointer user;
    GHashTable *places; /* set of JobLocation, its own: lines that are not known yet */
    GPtrArray *files;   /* of char*: still to be read; the last one is next */
} Load;

static void
free_load (Load *load)
{
    g_clear_object (&load->cancellable);
    g_hash_table_unref (load->places);
    g_ptr_array_unref (load->files);
    g_free (load);
}

static gboolean
may_call (const JobLocation *place)
{
    return place != NULL && place->language == JOB_LANGUAGE_PYTHON && place->file != NULL
           && place->line > 0;
}

static void
add_place (Load *load, GHashTable *files, const JobLocation *place)
{
    const JobLocation *kept;

    if (!may_call (place)) {
        return;
    }
    kept = session_ranks_intern_place (load->session, place);
    if (g_hash_table_contains (load->session->texts->methods, kept)
        || g_hash_table_contains (load->places, kept)) {
        return;
    }
    g_hash_table_add (load->places, job_location_dup (kept));
    if (g_hash_table_add (files, g_strdup (kept->file))) {
        g_ptr_array_add (load->files, g_strdup (kept->file));
    }
}

static void
add_places (Load *load, const JobMessageTable *table)
{
    g_autoptr (GHashTable) files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                          NULL);

    BASE_EACH (table->queues, const JobMessageQueue, queue) {
        for (guint j = 0; j < queue->calls->len; j++) {
            add_place (load, files, ((JobMessageCall *) queue->calls->pdata[j])->place);
        }
        for (guint j = 0; j < queue->operations->len; j++) {
            add_place (load, files,
                       ((JobMessageOperation *) queue->operations->pdata[j])->place);
        }
    }
}

/* text NULL: the file cannot be read. */
static void
take_methods (Load *load, const char *file, const char *text)
{
    g_auto (GStrv) lines = g_strsplit (text != NULL ? text : "", "\n", -1);
    guint n_lines = g_strv_length (lines);
    gpointer key;

    BASE_WALK (load->places, &key, NULL) {
        const JobLocation *place = key;

        if (strcmp (place->file, file) == 0) {
            g_hash_table_insert (load->session->texts->methods,
                                 (gpointer) session_ranks_intern_place (load->session, place),
                                 place->line <= n_lines ? find_in_line (lines[place->line - 1])
                                                        : NULL);
        }
    }
}

static void read_next (Load *load);

static void
on_source (GObject *source, GAsyncResult *result, gpointer user)
{
    Load *load = user;
    g_autoptr (GError) error = NULL;
    g_autofree char *text = session_read_source_finish (result, NULL, &error);

    if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
        free_load (load);
        return;
    }
    take_methods (load, load->files->pdata[load->files->len - 1], text);
    g_ptr_array_set_size (load->files, (int) load->files->len - 1);
    read_next (load);
}

static void
read_next (Load *load)
{
    SessionMethodsDone done = load->done;
    gpointer user = load->user;

    if (load->files->len > 0) {
        session_read_source_async (load->session, load->files->pdata[load->files->len - 1],
                                   MAX_SOURCE, load->cancellable, on_source, load);
        return;
    }
    free_load (load);
    done (user);
}

void
session_load_methods (Session *session, const JobMessageTable *table, GCancellable *cancellable,
                      SessionMethodsDone done, gpointer user)
{
    Load *load = g_new0 (Load, 1);

    load->session = session;
    load->cancellable = cancellable != NULL ? g_object_ref (cancellable) : NULL;
    load->done = done;
    load->user = user;
    load->places = g_hash_table_new_full ((GHashFunc) job_location_hash,
                                          (GEqualFunc) job_location_equal,
                                          (GDestroyNotify) job_location_free, NULL);
    load->files = g_ptr_array_new_with_free_func (g_free);
    add_places (load, table);
    read_next (load);
}

const char *
session_find_method (Session *session, const JobLocation *place)
{
    return may_call (place) ? g_hash_table_lookup (session->texts->methods,
                                                   session_ranks_intern_place (session, place))
                            : NULL;
}
