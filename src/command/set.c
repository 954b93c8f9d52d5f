/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SET of the language: parsed into parts, evaluated from the session's knowledge, and by asking
 * the ranks where only they know. */
#include "command/private.h"
#include "base/error.h"
#include <string.h>

#define MAX_DEPTH 16 /* live sets that name live sets */

typedef enum {
    PART_RANGE,
    PART_ALL,
    PART_EVEN,
    PART_ODD,
    PART_NOF,
    PART_NAME,
    PART_LIVE,
    PART_STATE,
    PART_AT,
    PART_IN,
    PART_HOST,
    PART_SAME,
    PART_WHERE
} PartKind;

typedef struct {
    PartKind kind;
    guint32 first, last, period;
    JobState state;
    char *text;
    JobWhere where;
    CommandSet *live;
    CommandSetQuestion question;
} Part;

struct _CommandSet {
    GPtrArray *parts, *except; /* of Part; except NULL when absent */
};

BASE_FREE (free_part, Part, part, g_free (part->text); job_where_clear (&part->where);
           command_set_free (part->live); job_rank_set_free (part->question.answer))

BASE_FREE_PUBLIC (command_set_free, CommandSet, set, g_ptr_array_unref (set->parts);
                  g_clear_pointer (&set->except, g_ptr_array_unref))

static gboolean
fail (GError **error, const char *format, const char *what)
{
    g_autofree char *quoted = g_strdup_printf ("\"%s\"", what);

    g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, format, quoted);
    return FALSE;
}

/* "3", "0-7", "0-30/2". */
static gboolean
parse_range (Part *part, const char *word, GError **error)
{
    g_auto (GStrv) halves = g_strsplit (word, "/", 2);
    g_auto (GStrv) ends = g_strsplit (halves[0], "-", 2);

    part->kind = PART_RANGE;
    part->period = 1;
    if (!command_parse_number (ends[0], G_MAXUINT32 - 1, &part->first)
        || (ends[1] != NULL && !command_parse_number (ends[1], G_MAXUINT32 - 1, &part->last))
        || (halves[1] != NULL
            && (ends[1] == NULL
                || !command_parse_number (halves[1], G_MAXUINT32 - 1, &part->period)
                || part->period == 0))) {
        return fail (error, "%s is not a rank or a range of ranks", word);
    }
    if (ends[1] == NULL) {
        part->last = part->first;
    }
    if (part->last < part->first) {
        return fail (error, "%s ends before it begins", word);
    }
    return TRUE;
}

static gboolean
parse_rank_of (Part *part, PartKind kind, const char **text, const char *keyword,
               GError **error)
{
    g_autofree char *word = command_take_word (text, ",", error);

    part->kind = kind;
    if (word != NULL && (strcmp (word, "node") == 0 || strcmp (word, "rank") == 0)) {
        g_free (word);
        word = command_take_word (text, ",", error);
    }
    if (!command_parse_number (word, G_MAXUINT32 - 1, &part->first)) {
        if (error == NULL || *error == NULL) {
            fail (error, "%s needs a rank", keyword);
        }
        return FALSE;
    }
    part->question.rank = part->first;
    part->question.ask = kind == PART_NOF ? COMMAND_ASK_NEAR : COMMAND_ASK_SAME;
    return TRUE;
}

static gboolean
parse_text_of (Part *part, PartKind kind, const char **text, const char *keyword,
               GError **error)
{
    part->kind = kind;
    part->text = kind == PART_WHERE ? command_take_brackets (text, error)
                                    : command_take_word (text, ",", error);
    if (part->text == NULL) {
        if (error == NULL || *error == NULL) {
            fail (error, "%s needs a word after it", keyword);
        }
        return FALSE;
    }
    part->question.ask = kind == PART_WHERE ? COMMAND_ASK_TRUE : COMMAND_ASK_IN;
    part->question.text = part->text;
    return kind != PART_AT || job_where_parse (part->text, &part->where, error);
}

static CommandSet *parse_set (Session *session, const char **text, guint depth, GError **error);

static gboolean
parse_name (Session *session, Part *part, const char *word, guint depth, GError **error)
{
    const char *live_text = NULL;
    const JobRankSet *set = session_find_named (session, word, &live_text);

    part->text = g_strdup (word);
    if (set == NULL) {
        return fail (error, "no set %s", word);
    }
    part->kind = PART_NAME;
    if (live_text != NULL) {
        if (depth >= MAX_DEPTH) {
            return fail (error, "the live set %s refers to itself", word);
        }
        part->kind = PART_LIVE;
        part->live = parse_set (session, &live_text, depth + 1, error);
    }
    return live_text == NULL || part->live != NULL;
}

static gboolean
parse_keyword (Session *session, Part *part, const char *word, const char **text, guint depth,
               GError **error)
{
    static const struct {
        const char *word;
        PartKind kind;
    } plain[] = {
        { "all", PART_ALL },
        { "even", PART_EVEN },
        { "odd", PART_ODD },
    };

    for (guint i = 0; i < G_N_ELEMENTS (plain); i++) {
        if (strcmp (word, plain[i].word) == 0) {
            part->kind = plain[i].kind;
            return TRUE;
        }
    }
    if (strcmp (word, "nof") == 0) {
        return parse_rank_of (part, PART_NOF, text, word, error);
    }
    if (strcmp (word, "same") == 0) {
        return parse_rank_of (part, PART_SAME, text, word, error);
    }
    if (strcmp (word, "at") == 0) {
        return parse_text_of (part, PART_AT, text, word, error);
    }
    if (strcmp (word, "in") == 0) {
        return parse_text_of (part, PART_IN, text, word, error);
    }
    if (strcmp (word, "host") == 0) {
        return parse_text_of (part, PART_HOST, text, word, error);
    }
    if (strcmp (word, "where") == 0) {
        return parse_text_of (part, PART_WHERE, text, word, error);
    }
    if (job_state_find (word, &part->state) && part->state != JOB_STATE_NONE) {
        part->kind = PART_STATE;
        part->question.ask = COMMAND_ASK_BLOCKED;
        return TRUE;
    }
    return parse_name (session, part, word, depth, error);
}

static gboolean
is_rank_word (const char *word)
{
    return strcmp (word, "node") == 0 || strcmp (word, "nodes") == 0
           || strcmp (word, "rank") == 0 || strcmp (word, "ranks") == 0;
}

static gboolean
parse_part (Session *session, GPtrArray *parts, const char **text, guint depth, GError **error)
{
    Part *part = g_new0 (Part, 1);
    g_autofree char *word = NULL;

    g_ptr_array_add (parts, part);
    word = command_take_word (text, ",(", error);
    if (word != NULL && is_rank_word (word)) {
        g_free (word);
        word = command_take_word (text, ",(", error);
    }
    if (word == NULL) {
        if (error == NULL || *error == NULL) {
            g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "a set of ranks is missing%s%s",
                         **text != '\0' ? " before " : "", *text);
        }
        return FALSE;
    }
    if (g_ascii_isdigit (*word)) {
        return parse_range (part, word, error);
    }
    return parse_keyword (session, part, word, text, depth, error);
}

static GPtrArray *
parse_parts (Session *session, const char **text, guint depth, GError **error)
{
    g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (free_part);
    const char *next;

    do {
        if (!parse_part (session, parts, text, depth, error)) {
            return NULL;
        }
        next = command_skip_spaces (*text);
        if (*next == ',') {
            *text = next + 1;
        }
    } while (*next == ',');
    return g_steal_pointer (&parts);
}

static CommandSet *
parse_set (Session *session, const char **text, guint depth, GError **error)
{
    CommandSet *set;
    g_autoptr (GPtrArray) parts = parse_parts (session, text, depth, error);
    g_autoptr (GPtrArray) except = NULL;
    const char *next;

    if (parts == NULL) {
        return NULL;
    }
    next = command_skip_spaces (*text);
    if (strncmp (next, "except", 6) == 0 && (next[6] == '\0' || g_ascii_isspace (next[6]))) {
        *text = next + 6;
        except = parse_parts (session, text, depth, error);
        if (except == NULL) {
            return NULL;
        }
    }
    set = g_new0 (CommandSet, 1);
    set->parts = g_steal_pointer (&parts);
    set->except = g_steal_pointer (&except);
    return set;
}

CommandSet *
command_set_parse (Session *session, const char **text, GError **error)
{
    return parse_set (session, text, 0, error);
}

/* Parts that the ranks must be asked for, unless nobody is there to answer. */
static gboolean
is_question (Session *session, const Part *part)
{
    const SessionRank rank = session_get_rank (session, part->first);

    switch (part->kind) {
    case PART_WHERE:
    case PART_IN: return TRUE;
    case PART_SAME:
    case PART_NOF:
        return rank.is_there && rank.state != JOB_STATE_NONE
               && !job_state_get_info (rank.state)->is_ended;
    case PART_STATE:
        return part->state == JOB_STATE_BLOCKED
               && session_get_counts (session)[JOB_STATE_RUNNING]
                          + session_get_counts (session)[JOB_STATE_STEPPING]
                      > 0;
    default: return FALSE;
    }
}

static CommandSetQuestion *
find_question (Session *session, GPtrArray *parts)
{
    BASE_EACH (parts, Part, part) {
        CommandSetQuestion *inner = part->live != NULL
                                        ? command_set_find_question (session, part->live)
                                        : NULL;

        if (inner != NULL) {
            return inner;
        }
        if (!part->question.known && is_question (session, part)) {
            return &part->question;
        }
    }
    return NULL;
}

static gboolean
is_changing (const GPtrArray *parts)
{
    return BASE_HAS (parts, const Part, part,
                     part->kind == PART_STATE || part->kind == PART_AT || part->kind == PART_IN
                         || part->kind == PART_SAME || part->kind == PART_WHERE
                         || (part->live != NULL && command_set_is_changing (part->live)));
}

gboolean
command_set_is_changing (const CommandSet *set)
{
    return is_changing (set->parts) || is_changing (set->except);
}

CommandSetQuestion *
command_set_find_question (Session *session, CommandSet *set)
{
    CommandSetQuestion *question = find_question (session, set->parts);

    return question != NULL ? question : find_question (session, set->except);
}

static gboolean
add_range (Session *session, const Part *part, JobRankSet *set, GError **error)
{
    guint32 size = session_get_size (session);

    if (part->first >= size || part->last >= size) {
        if (size == 0) {
            g_set_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND, "no rank has reported yet");
        } else {
            g_set_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND, "no rank %u: ranks are 0-%u",
                         part->first >= size ? part->first : part->last, size - 1);
        }
        return FALSE;
    }
    if (part->period == 1) {
        job_rank_set_add_range (set, part->first, part->last + 1);
    } else {
        for (guint64 rank = part->first; rank <= part->last; rank += part->period) {
            job_rank_set_add (set, (guint32) rank);
        }
    }
    return TRUE;
}

static gboolean
is_at (const SessionRank *rank, const JobWhere *where)
{
    if (rank->place == NULL || !job_state_get_info (rank->state)->is_stopped) {
        return FALSE;
    }
    if (where->kind == JOB_WHERE_LINE) {
        return rank->place->line == where->line
               && (where->file == NULL
                   || job_where_match_file (where->file, rank->place->file));
    }
    return where->kind == JOB_WHERE_FUNCTION
           && (where->file == NULL || job_where_match_file (where->file, rank->place->file))
           && job_where_match_function (where->function, rank->place->function);
}

static gboolean
is_member (Session *session, const Part *part, guint32 index)
{
    const SessionRank rank = session_get_rank (session, index);

    switch (part->kind) {
    case PART_EVEN: return index % 2 == 0;
    case PART_ODD: return index % 2 == 1;
    case PART_AT: return is_at (&rank, &part->where);
    case PART_IN: /* not asked: what is known without asking */
        return rank.place != NULL && job_state_get_info (rank.state)->is_stopped
               && job_where_match_function (part->text, rank.place->function);
    case PART_SAME:
        return job_location_equal (rank.place, session_get_rank (session, part->first).place);
    case PART_HOST: return rank.host != NULL && g_pattern_match_simple (part->text, rank.host);
    default: return FALSE;
    }
}

static gboolean
add_members (Session *session, const Part *part, JobRankSet *set, GError **error)
{
    gboolean is_alternate = part->kind == PART_EVEN || part->kind == PART_ODD;

    if (part->kind == PART_SAME && part->first >= session_get_size (session)) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND, "no rank %u", part->first);
        return FALSE;
    }
    if (part->kind == PART_SAME
        && job_state_get_info (session_get_rank (session, part->first).state)->is_ended) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_GONE, "rank %u has ended: it has no stack",
                     part->first);
        return FALSE;
    }
    for (guint32 rank = 0, end; rank < session_get_size (session); rank = end) {
        end = is_alternate ? rank + 1 : session_find_run_end (session, rank);
        if (is_member (session, part, rank)) {
            job_rank_set_add_range (set, rank, end);
        }
    }
    return TRUE;
}

static gboolean
add_part (Session *session, Part *part, JobRankSet *set, GError **error)
{
    g_autoptr (JobRankSet) found = NULL;

    if (part->question.known) {
        job_rank_set_merge (set, part->question.answer);
        if (part->kind != PART_STATE) {
            return TRUE;
        }
    }
    switch (part->kind) {
    case PART_RANGE: return add_range (session, part, set, error);
    case PART_ALL:
        found = session_dup_all (session);
        job_rank_set_merge (set, found);
        return TRUE;
    case PART_NOF:
        if (part->first >= session_get_size (session)) {
            g_set_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND, "no rank %u", part->first);
            return FALSE;
        }
        found = command_set_dup_next (session, part->first);
        break;
    case PART_NAME:
        job_rank_set_merge (set, session_find_named (session, part->text, NULL));
        return TRUE;
    case PART_LIVE: found = command_set_evaluate (session, part->live, error); break;
    case PART_STATE: found = session_dup_ranks_in_state (session, part->state); break;
    case PART_WHERE:
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                     "where (%s) can only be evaluated by the ranks: use it in a command",
                     part->text);
        return FALSE;
    default: return add_members (session, part, set, error);
    }
    if (found == NULL) {
        return FALSE;
    }
    job_rank_set_merge (set, found);
    return TRUE;
}

static JobRankSet *
evaluate_parts (Session *session, GPtrArray *parts, GError **error)
{
    g_autoptr (JobRankSet) set = job_rank_set_new ();

    if (BASE_ANY (i, parts->len,
                  !add_part (session, g_ptr_array_index (parts, i), set, error))) {
        return NULL;
    }
    return g_steal_pointer (&set);
}

JobRankSet *
command_set_evaluate (Session *session, CommandSet *set, GError **error)
{
    g_autoptr (JobRankSet) members = evaluate_parts (session, set->parts, error);
    g_autoptr (JobRankSet) except = NULL;

    if (members == NULL || set->except == NULL) {
        return g_steal_pointer (&members);
    }
    except = evaluate_parts (session, set->except, error);
    return except != NULL ? job_rank_set_subtract (members, except) : NULL;
}

JobRankSet *
command_parse_set (Session *session, const char *text, GError **error)
{
    CommandSet *set = command_set_parse (session, &text, error);
    JobRankSet *members;

    if (set == NULL) {
        return NULL;
    }
    text = command_skip_spaces (text);
    if (*text != '\0') {
        command_set_free (set);
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                     "unexpected \"%s\" after the set of ranks", text);
        return NULL;
    }
    members = command_set_evaluate (session, set, error);
    command_set_free (set);
    return members;
}
