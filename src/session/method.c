/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mpi4py method that a Python line calls. Its lower-case methods use other MPI calls than
 * their names suggest, so only the source shows what the user wrote. Reads each line once. */
#include "base/file.h"
#include "session/private.h"

#define MAX_SOURCE (16 << 20)

static const char pattern[]
    = "([A-Za-z_][\\w.\\[\\]]*\\.(?:[Ii]?(?:[Aa]ll)?[Rr]educe(?:_scatter(?:_block)?)?|[Ii]?[Bb]cast|"
      "[Ii]?(?:[Aa]ll)?[Gg]atherv?|[Ii]?[Ss]catterv?|[Ii]?[Aa]lltoall[vw]?|"
      "[Ii]?[BbSsRr]?[Ss]end|[Ii]?[Rr]ecv|[Ii]?[Ss]endrecv(?:_replace)?|[Ii]?(?:[Ee]x)?[Ss]can|"
      "[Ii]?[Mm]?[Pp]robe|[Ii]?[Bb]arrier|[Ww]ait(?:all|any|some)?|[Tt]est(?:all|any|some)?|"
      "Fence|Lock(?:_all)?|Dup|Split|Create_cart))\\s*\\(";

static char **
read_lines (const char *path)
{
    g_autofree char *text = NULL;

    text = base_file_read (path, MAX_SOURCE, NULL, NULL);
    if (text == NULL) {
        return g_new0 (char *, 1);
    }
    return g_strsplit (text, "\n", -1);
}

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

static char *
read_method (const JobLocation *place)
{
    g_auto (GStrv) lines = read_lines (place->file);

    return place->line <= g_strv_length (lines) ? find_in_line (lines[place->line - 1]) : NULL;
}

const char *
session_find_method (Session *session, const JobLocation *place)
{
    gpointer known;

    if (place == NULL || place->language != JOB_LANGUAGE_PYTHON || place->file == NULL
        || place->line == 0) {
        return NULL;
    }
    place = session_ranks_intern_place (session, place);
    if (!g_hash_table_lookup_extended (session->methods, place, NULL, &known)) {
        known = read_method (place);
        g_hash_table_insert (session->methods, (gpointer) place, known);
    }
    return known;
}
