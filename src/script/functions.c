/* SPDX-License-Identifier: GPL-3.0-or-later */
/* $NAME (…) of scripts. Ranks cannot call them: they refuse the expression, and what Python makes of its arguments in each rank
 * stands in place of that. */
#include "base/error.h"
#include "script/private.h"
#include <string.h>

static GHashTable *names; /* of functions that scripts have defined; NULL: none */

void
script_function_add (const char *name)
{
    if (names == NULL) {
        names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    }
    g_hash_table_add (names, g_strdup (name));
}

/* Behind the bracket that ends what began before `at`; NULL: nothing does. */
static const char *
skip_arguments (const char *at)
{
    char quote = '\0';

    for (guint depth = 1; *at != '\0'; at++) {
        if (quote != '\0') {
            at += *at == '\\' && at[1] != '\0';
            quote = *at == quote ? '\0' : quote;
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else if (strchr ("([{", *at) != NULL) {
            depth++;
        } else if (strchr (")]}", *at) != NULL && --depth == 0) {
            return at + 1;
        }
    }
    return NULL;
}

gboolean
script_function_is_call (const JobRequest *request)
{
    g_autofree char *text = g_strstrip (g_strdup (request->text != NULL ? request->text : ""));
    gsize length = *text == '$' ? strcspn (text + 1, " \t(") : 0;
    g_autofree char *name = g_strndup (text + (length > 0), length);
    const char *open = text + length + (length > 0), *end;

    if (names == NULL || length == 0 || !g_hash_table_contains (names, name)
        || strpbrk (text, "\t\n") != NULL) {
        return FALSE;
    }
    open += strspn (open, " ");
    end = *open == '(' ? skip_arguments (open + 1) : NULL;
    return end != NULL && *end == '\0';
}

char *
script_function_describe (const JobRequest *request, const SessionAnswer *answer)
{
    g_autofree char *ranks = job_rank_set_format (answer->answered);

    return job_rank_set_is_empty (answer->answered)
               ? NULL
               : g_strdup_printf ("%s\t%s", ranks, request->text);
}

/* ---- what it returned ---- */

typedef struct {
    SessionAnswer *answer;
    JobValueTable *table;
    JobRankSet *ranks; /* that have a value */
    const char *expression;
    guint64 id;
} Result;

static int
find_code (const char *name)
{
    for (int code = 0; code <= BASE_ERROR_TIMEOUT; code++) {
        if (strcmp (base_error_get_name (code), name) == 0) {
            return code;
        }
    }
    return BASE_ERROR_UNSUPPORTED;
}

static void
add_failure (Result *result, const JobRankSet *ranks, const char *code, const char *reason)
{
    g_autoptr (GError) error = g_error_new_literal (BASE_ERROR, find_code (code), reason);

    if (!job_rank_set_is_empty (ranks)) {
        g_ptr_array_add (result->answer->failures,
                         job_event_new_failure (result->id, ranks, error));
        job_rank_set_merge (result->answer->failed, ranks);
    }
}

/* "=", RANKS, NUMBER or nothing, TYPE, TEXT, or "!", RANKS, CODE, "", REASON; anything else says nothing. */
static void
take_line (Result *result, const char *line)
{
    g_auto (GStrv) words = g_strsplit (line, "\t", 5);
    g_autofree char *plain = g_strv_length (words) == 5 ? g_strcompress (words[4]) : NULL;
    g_autofree char *text = plain != NULL ? g_utf8_make_valid (plain, -1) : NULL;
    g_autoptr (JobRankSet) here = text != NULL
                                      ? job_rank_set_parse (words[1], G_MAXUINT32, NULL)
                                      : NULL;
    g_autoptr (JobValue) value = NULL;

    if (here == NULL) {
        return;
    }
    if (*words[0] != '=') {
        add_failure (result, here, words[2], text);
        return;
    }
    value = *words[2] != '\0'
                ? job_value_new_number (NULL, words[3], text, g_ascii_strtod (words[2], NULL))
                : job_value_new (NULL, words[3], text);
    job_value_table_add (result->table, result->expression, here, value);
    job_rank_set_merge (result->ranks, here);
}

void
script_function_answer (const JobRequest *request, guint64 id, SessionAnswer *answer,
                        const char *text, const char *reason)
{
    g_auto (GStrv) lines = g_strsplit (text != NULL ? text : "", "\n", 0);
    g_autoptr (JobRankSet) ranks = job_rank_set_new ();
    g_autoptr (JobRankSet) told = NULL, silent = NULL;
    Result result = { answer, job_value_table_new (), ranks, request->text, id };
    JobEvent *event;

    g_ptr_array_set_size (answer->groups, 0);
    g_ptr_array_set_size (answer->failures, 0);
    job_rank_set_clear (answer->failed);
    for (guint i = 0; lines[i] != NULL; i++) {
        take_line (&result, lines[i]);
    }
    told = job_rank_set_union (ranks, answer->failed);
    silent = job_rank_set_subtract (answer->answered, told);
    add_failure (&result, silent, "busy", reason);
    job_event_list_merge (answer->failures);
    event = job_event_new (JOB_EVENT_VALUES, id, ranks);
    event->final = TRUE;
    event->table = result.table;
    g_ptr_array_add (answer->groups, event);
    if (job_rank_set_is_empty (ranks)) {
        g_ptr_array_set_size (answer->groups, 0);
    }
    answer->ok = job_rank_set_is_empty (answer->failed)
                 && job_rank_set_is_empty (answer->missing);
}
