/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/words.h"

char *
analysis_words_format_line (const JobLocation *place)
{
    g_autofree char *file = NULL;

    if (place == NULL || place->file == NULL || place->line == 0) {
        return NULL;
    }
    file = g_path_get_basename (place->file);
    return g_strdup_printf ("%s:%u", file, place->line);
}

char *
analysis_words_add_line (BaseTextForm form, char *label, const JobLocation *place)
{
    g_autofree char *owned = label, *line = analysis_words_format_line (place);

    if (line == NULL) {
        return g_steal_pointer (&owned);
    }
    /* Translators: a call, and the line that makes it: "MPI_Recv (app.c:12)". */
    return base_text_print_in (form, "call and its line", "%s (%s)", owned, line);
}

char *
analysis_words_add_place (BaseTextForm form, char *clause, const JobLocation *place)
{
    g_autofree char *owned = clause, *line = analysis_words_format_line (place);

    if (line != NULL) {
        /* Translators: what a rank does, and a line: "3 is computing at app.c:12". */
        return base_text_print_in (form, "what and its line", "%s at %s", owned, line);
    }
    if (place != NULL && place->function != NULL) {
        /* Translators: what a rank does, and a function: "3 is computing in main". */
        return base_text_print_in (form, "what and its function", "%s in %s", owned,
                                   place->function);
    }
    return g_steal_pointer (&owned);
}

void
analysis_words_append (BaseTextForm form, GString *sentence, char *clause)
{
    if (clause != NULL && sentence->len > 0) {
        g_autofree char *join = base_text_print_in (form, "between clauses", "; ");

        g_string_append (sentence, join);
    }
    g_string_append (sentence, clause != NULL ? clause : "");
    g_free (clause);
}
