/* SPDX-License-Identifier: GPL-3.0-or-later */
/* WHERE as text: parsing, printing and matching against what files are really called. */
#include "job/where.h"
#include "base/escape.h"
#include "base/error.h"
#include <string.h>

/* The ':' between file and line: the last one that is no half of "::"; NULL when there is none. */
static const char *
find_colon (const char *text)
{
    const char *colon = strrchr (text, ':');

    if (colon == NULL || (colon > text && colon[-1] == ':')) {
        return NULL;
    }
    return colon;
}

/* The ':' between a file and a function: the first one that is no half of "::" ("a.c:::f" is "::f" of "a.c"), behind
 * what has a point or a slash in it. NULL when there is none. */
static const char *
find_file_colon (const char *text)
{
    const char *colon = text + strcspn (text, ":");
    gsize length = (gsize) (colon - text);

    if (*colon != ':' || (colon[1] == ':' && colon[2] != ':') || colon[1] == '\0'
        || (memchr (text, '.', length) == NULL && memchr (text, '/', length) == NULL)) {
        return NULL;
    }
    return colon;
}

static gboolean
is_dotted_name (const char *text, gsize length)
{
    static const char first[] = G_CSET_A_2_Z G_CSET_a_2_z "_";
    gsize at = 0;

    for (gboolean begins = TRUE; at < length; at++) {
        if (text[at] == '.'
                ? begins
                : strchr (first, text[at]) == NULL && (begins || !g_ascii_isdigit (text[at]))) {
            return FALSE;
        }
        begins = text[at] == '.';
    }
    return length > 0 && text[length - 1] != '.';
}

/* "package.module:Class.method", as Python's entry points are written, is the function's name with its module. What has
 * a point may be a file: "a.py:work". */
static gboolean
is_in_module (const char *text, const char *colon)
{
    return colon != NULL && colon > text && find_file_colon (text) == NULL
           && is_dotted_name (text, (gsize) (colon - text))
           && is_dotted_name (colon + 1, strlen (colon + 1));
}

static gboolean
parse_line (const char *digits, guint32 *ret_line)
{
    guint64 value;

    if (!g_ascii_string_to_unsigned (digits, 10, 1, G_MAXUINT32, &value, NULL)) {
        return FALSE;
    }
    *ret_line = (guint32) value;
    return TRUE;
}

static gboolean
parse_address (const char *text, guint64 *ret_address)
{
    gboolean is_hex = g_str_has_prefix (text, "0x") || g_str_has_prefix (text, "0X");

    return g_ascii_string_to_unsigned (is_hex ? text + 2 : text, is_hex ? 16 : 10, 0,
                                       G_MAXUINT64, ret_address, NULL);
}

gboolean
job_where_parse (const char *text, JobWhere *ret_where, GError **error)
{
    g_autofree char *stripped = g_strstrip (g_strdup (text != NULL ? text : ""));
    const char *colon = find_colon (stripped);
    JobWhere where = { .kind = JOB_WHERE_LINE };

    if (*stripped == '\0') {
        base_error_set (error, BASE_ERROR_INVALID, "cannot read place \"%s\": it is empty",
                        stripped);
        return FALSE;
    }
    if (*stripped == '*') {
        where.kind = JOB_WHERE_ADDRESS;
        if (!parse_address (g_strchug (stripped + 1), &where.address)) {
            base_error_set (error, BASE_ERROR_INVALID,
                            "cannot read place \"%s\": there is no address after the *",
                            stripped);
            return FALSE;
        }
    } else if (g_ascii_isdigit (*stripped) && colon == NULL) {
        if (!parse_line (stripped, &where.line)) {
            base_error_set (error, BASE_ERROR_INVALID,
                            "cannot read place \"%s\": a line is a number from 1 on", stripped);
            return FALSE;
        }
    } else if (is_in_module (stripped, colon)) {
        where.kind = JOB_WHERE_FUNCTION;
        where.function = g_strdup_printf ("%.*s.%s", (int) (colon - stripped), stripped,
                                          colon + 1);
    } else if (colon != NULL) {
        if (colon == stripped) {
            base_error_set (error, BASE_ERROR_INVALID,
                            "cannot read place \"%s\": there is no file before the colon",
                            stripped);
            return FALSE;
        }
        if (!parse_line (colon + 1, &where.line)) {
            if (g_ascii_isdigit (colon[1]) || find_file_colon (stripped) != colon) {
                base_error_set (
                    error, BASE_ERROR_INVALID,
                    "cannot read place \"%s\": there is no line number after the colon",
                    stripped);
                return FALSE;
            }
            where.kind = JOB_WHERE_FUNCTION;
            where.function = g_strstrip (g_strdup (colon + 1));
        }
        where.file = g_strndup (stripped, (gsize) (colon - stripped));
    } else {
        colon = find_file_colon (stripped);
        where.kind = JOB_WHERE_FUNCTION;
        where.file = colon != NULL ? g_strndup (stripped, (gsize) (colon - stripped)) : NULL;
        where.function = g_strstrip (g_strdup (colon != NULL ? colon + 1 : stripped));
    }
    *ret_where = where;
    return TRUE;
}

char *
job_where_format (const JobWhere *where)
{
    switch (where->kind) {
    case JOB_WHERE_LINE:
        return where->file != NULL ? g_strdup_printf ("%s:%u", where->file, where->line)
                                   : g_strdup_printf ("%u", where->line);
    case JOB_WHERE_FUNCTION:
        return g_strconcat (where->file != NULL ? where->file : "",
                            where->file != NULL ? ":" : "", where->function, NULL);
    case JOB_WHERE_ADDRESS:
        if (where->function != NULL) {
            return g_strconcat ("*", where->function, NULL);
        }
        return g_strdup_printf ("*0x%" G_GINT64_MODIFIER "x", where->address);
    default: return g_strdup ("");
    }
}

void
job_where_copy (const JobWhere *from, JobWhere *to)
{
    JobWhere copy = *from;

    copy.file = g_strdup (from->file);
    copy.function = g_strdup (from->function);
    *to = copy;
}

void
job_where_clear (JobWhere *where)
{
    g_free (where->file);
    g_free (where->function);
    memset (where, 0, sizeof *where);
}

static gboolean
is_path_suffix (const char *pattern, const char *path)
{
    gsize n_pattern = strlen (pattern), n_path = strlen (path);

    if (n_pattern == 0 || n_pattern > n_path
        || strcmp (path + n_path - n_pattern, pattern) != 0) {
        return FALSE;
    }
    return n_pattern == n_path || path[n_path - n_pattern - 1] == '/';
}

gboolean
job_where_match_file (const char *pattern, const char *path)
{
    g_autofree char *shown = NULL;

    if (pattern == NULL || path == NULL) {
        return FALSE;
    }
    while (g_str_has_prefix (pattern, "./")) {
        pattern += 2;
    }
    if (is_path_suffix (pattern, path)) {
        return TRUE;
    }
    /* the user types what was shown */
    shown = strchr (pattern, '\\') != NULL ? base_escape_dup (path, BASE_ESCAPE_NAME) : NULL;
    return shown != NULL && is_path_suffix (pattern, shown);
}

gboolean
job_where_match_function (const char *pattern, const char *name)
{
    gsize n_pattern, start;

    if (pattern == NULL || name == NULL || *pattern == '\0') {
        return FALSE;
    }
    if (g_str_has_prefix (pattern, "::")) {
        return strcmp (pattern + 2, name) == 0;
    }
    n_pattern = strlen (pattern);
    if (n_pattern > strlen (name)) {
        return FALSE;
    }
    start = strlen (name) - n_pattern;
    if (strcmp (name + start, pattern) != 0) {
        return FALSE;
    }
    return start == 0 || name[start - 1] == '.'
           || (start >= 2 && name[start - 1] == ':' && name[start - 2] == ':');
}

/* Behind the bracket that closes the one at `at`; the end of the text when none does. */
static const char *
find_close (const char *at)
{
    int depth = 0;

    for (; *at != '\0'; at++) {
        depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
        if (depth == 0) {
            return at + 1;
        }
    }
    return at;
}

static gboolean
is_operator (const char *name, const char *at)
{
    return g_str_has_prefix (at, "operator")
           && (at == name || (!g_ascii_isalnum (at[-1]) && at[-1] != '_'))
           && !g_ascii_isalnum (at[8]) && at[8] != '_';
}

const char *
job_where_find_parameters (const char *function)
{
    int depth = 0;

    for (const char *at = function; *at != '\0';) {
        if (is_operator (function, at)) {
            at += strlen ("operator");
            at += strspn (at, " ");
            at += g_str_has_prefix (at, "()") ? 2 : strspn (at, "<>=!+-*/%^&|~,[]");
        } else if (*at == '(') {
            const char *end = find_close (at);

            if (depth == 0 && !g_str_has_prefix (end, "::")) {
                return at;
            }
            at = end;
        } else {
            depth += *at == '<' ? 1 : *at == '>' && depth > 0 ? -1 : 0;
            at++;
        }
    }
    return NULL;
}
