/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words, quotes and brackets of a command's text. */
#include "command/private.h"
#include "base/error.h"
#include <string.h>

const char *
command_skip_spaces (const char *text)
{
    while (g_ascii_isspace (*text)) {
        text++;
    }
    return text;
}

char *
command_take_word (const char **text, const char *stops, GError **error)
{
    const char *at = command_skip_spaces (*text);
    g_autoptr (GString) word = g_string_new (NULL);
    gboolean quoted = FALSE;
    char quote = '\0';

    for (; *at != '\0'; at++) {
        if (quote != '\0') {
            if (*at == quote) {
                quote = '\0';
            } else {
                g_string_append_c (word, *at);
            }
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
            quoted = TRUE;
        } else if (g_ascii_isspace (*at) || strchr (stops, *at) != NULL) {
            break;
        } else {
            g_string_append_c (word, *at);
        }
    }
    if (quote != '\0') {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "a quote (%c) is not closed",
                     quote);
        return NULL;
    }
    if (word->len == 0 && !quoted) {
        return NULL;
    }
    *text = at;
    return g_string_free (g_steal_pointer (&word), FALSE);
}

char *
command_quote_word (const char *text)
{
    GString *word = g_string_new (NULL);

    if (*text != '\0' && strpbrk (text, " \t\"',;#()") == NULL) {
        return g_string_free (g_string_append (word, text), FALSE);
    }
    /* Neither quote can stand within its own: what has one is quoted by the other, piece by piece. */
    do {
        char quote = *text == '"' ? '\'' : '"';
        gsize length = quote == '"' ? strcspn (text, "\"") : strspn (text, "\"");

        g_string_append_c (word, quote);
        g_string_append_len (word, text, (gssize) length);
        g_string_append_c (word, quote);
        text += length;
    } while (*text != '\0');
    return g_string_free (word, FALSE);
}

/* One byte further; knows whether it is inside quotes or brackets. */
typedef struct {
    char quote;
    int depth;
} Nesting;

static void
note_byte (Nesting *nesting, const char **at)
{
    char c = **at;

    if (nesting->quote != '\0') {
        if (c == '\\' && (*at)[1] != '\0') {
            (*at)++;
        } else if (c == nesting->quote) {
            nesting->quote = '\0';
        }
    } else if (c == '"' || c == '\'') {
        nesting->quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
        nesting->depth++;
    } else if (c == ')' || c == ']' || c == '}') {
        nesting->depth--;
    }
}

char *
command_take_brackets (const char **text, GError **error)
{
    const char *start = command_skip_spaces (*text), *at = start;
    Nesting nesting = { 0 };

    if (*start != '(') {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "where needs (EXPR)");
        return NULL;
    }
    for (; *at != '\0'; at++) {
        note_byte (&nesting, &at);
        if (nesting.depth == 0 && nesting.quote == '\0') {
            *text = at + 1;
            return g_strndup (start + 1, (gsize) (at - start - 1));
        }
    }
    g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "a bracket is not closed: %s", start);
    return NULL;
}

gboolean
command_parse_number (const char *text, guint32 max, guint32 *ret_number)
{
    guint64 value;

    if (text == NULL || !g_ascii_string_to_unsigned (text, 10, 0, max, &value, NULL)) {
        return FALSE;
    }
    *ret_number = (guint32) value;
    return TRUE;
}

const char *
command_find_outer_word (const char *text, const char *word)
{
    gsize size = strlen (word);
    Nesting nesting = { 0 };

    for (const char *at = text; *at != '\0'; at++) {
        gboolean begins = at == text || g_ascii_isspace (at[-1]);

        if (nesting.quote == '\0' && nesting.depth <= 0 && begins
            && strncmp (at, word, size) == 0
            && (at[size] == '\0' || g_ascii_isspace (at[size]))) {
            return at;
        }
        note_byte (&nesting, &at);
    }
    return NULL;
}
