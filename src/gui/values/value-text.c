/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/values/value-text.h"
#include "base/array.h"
#include <glib/gi18n.h>
#include <string.h>

enum { MAX_TEXT = 120, MAX_LINES = 10 };

JobRankSet *
gui_value_text_dup_ranks (const JobValueRow *row)
{
    JobRankSet *set = job_rank_set_new ();

    for (guint i = 0; i < row->groups->len; i++) {
        job_rank_set_merge (set, ((JobValueGroup *) row->groups->pdata[i])->ranks);
    }
    return set;
}

/* Python's objects say where they are: "<Intracomm object at 0x7f60>". Caller owns. */
static char *
dup_without_address (const char *text)
{
    GString *rest = g_string_new (NULL);
    const char *at;

    while (text != NULL && (at = strstr (text, " at 0x")) != NULL) {
        g_string_append_len (rest, text, at - text);
        text = at + strlen (" at 0x");
        text += strspn (text, "0123456789abcdefABCDEF");
        if (*text != '>') { /* not an object's */
            g_string_append_len (rest, at, text - at);
        }
    }
    return g_string_free (g_string_append (rest, text != NULL ? text : ""), FALSE);
}

/* Objects of which nothing else is shown but that they are not in the same place. */
static gboolean
are_alike (const JobValueRow *row)
{
    g_autofree char *first = NULL;
    guint n = 0;

    BASE_EACH (row->groups, const JobValueGroup, group) {
        g_autofree char *whole = job_value_print (BASE_TEXT_ENGLISH, group->value);
        char *text = dup_without_address (whole);

        n += strlen (text) < strlen (whole);
        if (first == NULL) {
            first = text;
        } else {
            gboolean is_same = strcmp (first, text) == 0;

            g_free (text);
            if (!is_same) {
                return FALSE;
            }
        }
    }
    return n > 1;
}

/* format: of the ranks, of which there may be none. */
static void
add_ranks (GString *text, const char *format, const JobRankSet *ranks)
{
    g_autofree char *brief = job_rank_set_format_brief (ranks);

    if (!job_rank_set_is_empty (ranks)) {
        g_string_append (text, text->len > 0 ? ", " : "");
        g_string_append_printf (text, format, brief);
    }
}

/* What is no number comes first: it is what is looked for, and the column may be narrow. */
static char *
format_range (const JobValueSummary *summary, gboolean is_integer)
{
    GString *text = g_string_new (NULL);
    g_autofree char *min = job_value_format_number (summary->min, is_integer);
    g_autofree char *max = job_value_format_number (summary->max, is_integer);

    /* Translators: of these ranks a value is not a number, or infinite. */
    add_ranks (text, _ ("nan at %s"), summary->nan_ranks);
    add_ranks (text, _ ("inf at %s"), summary->inf_ranks);
    if (summary->n_finite > 0) {
        g_string_append_printf (text, "%s[%s..%s]", text->len > 0 ? ", " : "", min, max);
    }
    return g_string_free (text, FALSE);
}

char *
gui_value_text_format_across (const JobValueRow *row, const JobRankSet *everybody,
                              guint32 n_ranks)
{
    g_autoptr (JobRankSet) ranks = gui_value_text_dup_ranks (row);
    guint32 n_compared = job_rank_set_get_count (everybody);
    JobValueSummary summary;

    if (n_ranks == 1) {
        return g_strdup (""); /* there are no others */
    }
    if (row->groups->len == 0) {
        return g_strdup (_ ("not compared"));
    }
    if (row->groups->len <= 1 && !job_rank_set_equal (ranks, everybody)) {
        g_autofree char *text = job_rank_set_format_brief (ranks);

        return g_strdup_printf (_ ("only %s"), text);
    }
    if (row->groups->len <= 1 && n_compared >= n_ranks) {
        return g_strdup (_ ("same"));
    }
    if (row->groups->len <= 1) {
        /* Translators: a variable has the same value on 6 of 8 ranks; the others were not compared. */
        return n_compared > 1 ? g_strdup_printf (_ ("same on %u of %u"), n_compared, n_ranks)
                              : g_strdup (_ ("not compared"));
    }
    if (job_value_row_summarise (row, &summary)) {
        char *text = format_range (&summary, job_value_row_is_integer (row));

        job_value_summary_clear (&summary);
        return text;
    }
    if (are_alike (row)) {
        /* Translators: the objects of the ranks are others, but they show the same. */
        return g_strdup (_ ("same content"));
    }
    return g_strdup_printf (ngettext ("%u value", "%u values", row->groups->len),
                            row->groups->len);
}

char *
gui_value_text_format_uncompared (guint32 n_compared, guint32 n_ranks)
{
    guint32 n_others = n_ranks - MIN (n_compared, n_ranks);

    return n_others > 0 ? g_strdup_printf (
               ngettext (
                   "%u of %u ranks was not compared: it is elsewhere, not stopped or did not answer",
                   "%u of %u ranks were not compared: they are elsewhere, not stopped or did not answer",
                   n_others),
               n_others, n_ranks)
                        : NULL;
}

/* The length of a word that says nothing in a narrow column; 0: of none. */
static gsize
find_filler (const char *at)
{
    static const char *const fillers[] = { "struct ", "class ",    "union ",    "enum ",
                                           "const ",  "volatile ", "__cxx11::", "std::" };

    return BASE_CHOOSE (i, G_N_ELEMENTS (fillers), g_str_has_prefix (at, fillers[i]),
                        strlen (fillers[i]), 0);
}

/* Behind the template argument that begins here, which may have arguments itself. */
static const char *
skip_argument (const char *at)
{
    guint depth = 0;

    for (; *at != '\0' && (depth > 0 || (*at != ',' && *at != '>')); at++) {
        depth += *at == '<' ? 1 : *at == '>' ? (guint) -1 : 0;
    }
    return at;
}

/* ", std::allocator<int> ": nobody wrote it. at: the comma. */
static gboolean
is_usual_argument (const char *at)
{
    static const char *const usual[] = { "allocator<", "char_traits<", "default_delete<",
                                         "less<",      "equal_to<",    "hash<" };

    at += 1 + strspn (at + 1, " ");
    at += g_str_has_prefix (at, "std::") ? 5 : 0;
    return *at != '\0' && BASE_ANY (i, G_N_ELEMENTS (usual), g_str_has_prefix (at, usual[i]));
}

char *
gui_value_text_shorten_type (const char *type)
{
    GString *text = g_string_new (NULL);
    const char *at = type;

    while (*at != '\0') {
        gboolean is_begin = at == type || (!g_ascii_isalnum (at[-1]) && at[-1] != '_');
        gsize filler = is_begin ? find_filler (at) : 0;

        if (filler > 0) {
            at += filler;
        } else if (*at == ',' && is_usual_argument (at)) {
            at = skip_argument (at + 1);
        } else {
            g_string_append_c (text, *at++);
        }
    }
    /* "vector<int >": the blank stood before what was left out. */
    for (char *blank = strstr (text->str, " >"); blank != NULL;
         blank = strstr (text->str, " >")) {
        g_string_erase (text, blank - text->str, 1);
    }
    return g_string_free (text, FALSE);
}

static char *
shorten (const char *text)
{
    g_autofree char *valid = g_utf8_make_valid (text != NULL ? text : "", -1);
    glong limit = strchr (valid, '\n') != NULL ? MAX_LINES * MAX_TEXT : MAX_TEXT;

    if (g_utf8_strlen (valid, -1) > limit) {
        g_autofree char *head = g_utf8_substring (valid, 0, limit);

        return g_strconcat (head, "…", NULL);
    }
    return g_steal_pointer (&valid);
}

char *
gui_value_text_format_groups (const JobValueRow *row)
{
    GString *text = g_string_new (NULL);
    JobValueSummary summary;
    guint rest;
    guint32 rest_ranks;
    g_autoptr (GPtrArray) groups = job_value_row_choose (row, JOB_VALUE_MAX_SHOWN, &rest,
                                                         &rest_ranks);

    for (guint i = 0; i < groups->len; i++) {
        const JobValueGroup *group = g_ptr_array_index (groups, i);
        g_autofree char *ranks = job_rank_set_format_brief (group->ranks);
        g_autofree char *whole = job_value_print (BASE_TEXT_SHOWN, group->value);
        g_autofree char *value = shorten (whole);

        /* the columns of several lines stay below each other */
        g_string_append_printf (text, "%s%s:%c%s", i > 0 ? "\n" : "", ranks,
                                strchr (value, '\n') != NULL ? '\n' : ' ', value);
    }
    if (rest > 0) {
        g_string_append_c (text, '\n');
        g_string_append_printf (text,
                                ngettext ("and %u more value", "and %u more values", rest),
                                rest);
    }
    if (row->groups->len > 1 && are_alike (row)) {
        g_string_append_printf (text, "\n%s", _ ("Different objects, same content"));
    }
    if (row->groups->len > 2 && job_value_row_summarise (row, &summary)) {
        gboolean is_integer = job_value_row_is_integer (row);
        g_autofree char *min = job_value_format_number (summary.min, is_integer);
        g_autofree char *max = job_value_format_number (summary.max, is_integer);

        g_string_append_c (text, '\n');
        g_string_append_printf (text, _ ("from %s at %u to %s at %u, mean %.6g"), min,
                                summary.min_rank, max, summary.max_rank, summary.mean);
        job_value_summary_clear (&summary);
    }
    return g_string_free (text, FALSE);
}

char *
gui_value_text_dup_short (const JobValue *value)
{
    g_autofree char *text = job_value_print (BASE_TEXT_SHOWN, value);
    gsize length = value->type != NULL ? strlen (value->type) : 0;

    return length > 0 && text[0] == '(' && strncmp (text + 1, value->type, length) == 0
                   && g_str_has_prefix (text + 1 + length, ") ")
               ? g_strdup (text + length + 3)
               : g_steal_pointer (&text);
}

char *
gui_value_text_join_lines (const char *text)
{
    g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

    for (guint i = 0; lines[i] != NULL; i++) {
        g_strstrip (lines[i]);
    }
    return lines[0] != NULL && lines[1] != NULL ? g_strjoinv (" ", lines) : g_strdup (text);
}

char *
gui_value_text_dup_line (const JobValue *value)
{
    char *text = gui_value_text_dup_short (value), *end = strchr (text, '\n');

    if (end != NULL) {
        g_autofree char *whole = text;

        *end = '\0';
        text = g_strconcat (g_strstrip (text), " …", NULL);
    }
    return text;
}
