/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A value's text for a window. Reasons stand in it within < and >, in place of what is not known: those with arguments
 * came with their form, the others are in the catalogue as they stand. Texts within quotes are the program's. */
#include "job/value.h"
#include <glib/gi18n.h>
#include <string.h>

/* That of this value or of one of its parts whose text is the reason; NULL: none. Borrowed. */
static const JobText *
find_said (const JobValue *value, const char *reason)
{
    const JobText *said = value->is_problem && g_strcmp0 (value->text, reason) == 0
                              ? value->said
                              : NULL;

    for (guint i = 0; said == NULL && value->children != NULL && i < value->children->len;
         i++) {
        said = find_said (g_ptr_array_index (value->children, i), reason);
    }
    return said;
}

/* One past the '>' of the '<' at `at`; NULL: there is none. */
static const char *
find_end (const char *at)
{
    guint depth = 0;

    for (; *at != '\0' && *at != '\n'; at++) {
        depth += *at == '<' ? 1 : 0;
        if (*at == '>' && --depth == 0) {
            return at + 1;
        }
    }
    return NULL;
}

/* One past the quoted text at `at`. */
static const char *
skip_quoted (const char *at)
{
    char quote = *at;

    for (at++; *at != '\0' && *at != quote; at++) {
        at += *at == '\\' && at[1] != '\0' ? 1 : 0;
    }
    return *at != '\0' ? at + 1 : at;
}

/* NULL: it is no reason that is known. */
static char *
translate (const JobValue *value, const char *reason)
{
    const JobText *said = find_said (value, reason);
    const char *shown;

    if (said != NULL) {
        return job_text_print (BASE_TEXT_SHOWN, said);
    }
    shown = gettext (reason);
    return shown != reason ? g_strdup (shown) : NULL;
}

char *
job_value_print (BaseTextForm form, const JobValue *value)
{
    g_autoptr (GString) text = NULL;
    const char *at = value->text != NULL ? value->text : "";

    if (form == BASE_TEXT_ENGLISH || strchr (at, '<') == NULL) {
        return g_strdup (at);
    }
    text = g_string_new (NULL);
    while (*at != '\0') {
        const char *end = *at == '<'                  ? find_end (at)
                          : *at == '"' || *at == '\'' ? skip_quoted (at)
                                                      : at + 1;
        g_autofree char *reason = *at == '<' && end != NULL ? g_strndup (at, (gsize) (end - at))
                                                            : NULL;
        g_autofree char *shown = reason != NULL ? translate (value, reason) : NULL;

        if (shown != NULL) {
            g_string_append (text, shown);
        } else {
            end = *at == '<' || end == NULL ? at + 1 : end;
            g_string_append_len (text, at, end - at);
        }
        at = end;
    }
    return g_string_free (g_steal_pointer (&text), FALSE);
}
