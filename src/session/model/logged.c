/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A daemon sends a logpoint's line as text; what stands where the text has an expression is its value. The text between
 * two expressions says where the one before ends. */
#include "session/logged.h"
#include <math.h>
#include <string.h>
#include "base/clock.h"
#include "session/private.h"

/* What a rank wrote last. */
typedef struct {
    double number;
    char *text; /* NULL: it is that number, or the rank has written nothing */
    guint32 n_hits;
    gboolean is_number, is_integer;
} Last;

typedef struct {
    double sum;
    guint32 n;
} Hit;

struct _SessionLogged {
    GObject parent;
    guint32 breakpoint;
    char *template, *expression;
    char *text; /* as get_text says */
    guint64 n_lines;
    JobRankSet *ranks;
    gint64 last_us;
    GArray *last;                  /* of Last, by rank */
    Hit hits[SESSION_LOGGED_HITS]; /* of hit h at h % SESSION_LOGGED_HITS */
    guint32 n_hits;                /* of the rank with most of them */
};

G_DEFINE_FINAL_TYPE (SessionLogged, session_logged, G_TYPE_OBJECT)

static void
clear_last (gpointer last)
{
    g_free (((Last *) last)->text);
}

static void
session_logged_finalize (GObject *object)
{
    SessionLogged *logged = SESSION_LOGGED (object);

    g_free (logged->template);
    g_free (logged->expression);
    g_free (logged->text);
    job_rank_set_free (logged->ranks);
    g_array_unref (logged->last);
    G_OBJECT_CLASS (session_logged_parent_class)->finalize (object);
}

static void
session_logged_class_init (SessionLoggedClass *klass)
{
    G_OBJECT_CLASS (klass)->finalize = session_logged_finalize;
}

static void
session_logged_init (SessionLogged *logged)
{
    logged->ranks = job_rank_set_new ();
    logged->last = g_array_new (FALSE, TRUE, sizeof (Last));
    g_array_set_clear_func (logged->last, clear_last);
}

/* ---- texts ---- */

/* Literal text and expressions in turn, beginning and ending with a literal, which may be empty. Of char*; caller
 * owns. */
static GPtrArray *
split_template (const char *template)
{
    GPtrArray *parts = g_ptr_array_new_with_free_func (g_free);
    const char *at = template;

    for (const char *open = strchr (at, '{');
         open != NULL && parts->len < 2 * SESSION_MAX_LOGGED; open = strchr (at, '{')) {
        const char *end = strchr (open, '}');

        if (end == NULL) {
            break;
        }
        g_ptr_array_add (parts, g_strndup (at, (gsize) (open - at)));
        g_ptr_array_add (parts, g_strndup (open + 1, (gsize) (end - open - 1)));
        at = end + 1;
    }
    g_ptr_array_add (parts, g_strdup (at));
    return parts;
}

/* Where the value that begins at the text's `at` ends: before the literal that follows, which is the last one of the
 * line when the expression is. NULL: nowhere. */
static const char *
find_end (const char *at, const char *literal, gboolean is_last)
{
    gsize size = strlen (literal), left = strlen (at);

    if (!is_last) {
        return size > 0 ? strstr (at, literal) : NULL;
    }
    return left >= size && strcmp (at + left - size, literal) == 0 ? at + left - size : NULL;
}

/* The values of a line, for each expression of its template. Of char*; NULL: they cannot be told apart. Caller owns. */
static GPtrArray *
split_line (const GPtrArray *parts, const char *line)
{
    g_autoptr (GPtrArray) values = g_ptr_array_new_with_free_func (g_free);
    const char *first = parts->pdata[0], *at = line + strlen (first);

    if (!g_str_has_prefix (line, first)) {
        return NULL;
    }
    for (guint i = 1; i < parts->len; i += 2) {
        const char *literal = parts->pdata[i + 1];
        const char *end = find_end (at, literal, i + 2 >= parts->len);

        if (end == NULL) {
            return NULL;
        }
        g_ptr_array_add (values, g_strndup (at, (gsize) (end - at)));
        at = end + strlen (literal);
    }
    return g_steal_pointer (&values);
}

/* ---- what ranks have written ---- */

static void
note_hit (SessionLogged *logged, guint32 hit, double number)
{
    while (logged->n_hits < hit) {
        logged->hits[logged->n_hits++ % SESSION_LOGGED_HITS] = (Hit){ 0, 0 };
    }
    if (hit + SESSION_LOGGED_HITS > logged->n_hits && isfinite (number)) {
        Hit *slot = &logged->hits[(hit - 1) % SESSION_LOGGED_HITS];

        slot->sum += number;
        slot->n++;
    }
}

/* value NULL: a line that has none, or of which none can be told. */
static void
note_value (SessionLogged *logged, guint32 rank, const char *value)
{
    char *end = NULL;
    Last *last;

    if (rank >= logged->last->len) {
        g_array_set_size (logged->last, rank + 1);
    }
    last = &g_array_index (logged->last, Last, rank);
    last->n_hits++;
    g_clear_pointer (&last->text, g_free);
    last->number = value != NULL ? g_ascii_strtod (value, &end) : NAN;
    last->is_number = value != NULL && end != value && *end == '\0';
    last->is_integer = last->is_number && strspn (value, "+-0123456789") == strlen (value);
    last->text = last->is_number ? NULL : g_strdup (value);
    note_hit (logged, last->n_hits, last->is_number ? last->number : NAN);
}

static void
note_line (SessionLogged *logged, const JobRankSet *ranks, const char *value)
{
    JOB_EACH_RANK (ranks, rank) {
        note_value (logged, rank, value);
    }
    g_free (logged->text);
    logged->text = g_strdup (job_rank_set_is_empty (ranks)
                                 ? NULL
                                 : g_array_index (logged->last, Last,
                                                  job_rank_set_get_lowest (ranks))
                                       .text);
    logged->n_lines += job_rank_set_get_count (ranks);
    job_rank_set_merge (logged->ranks, ranks);
    logged->last_us = base_clock_get_us ();
}

/* ---- the list ---- */

static GPtrArray *
get_items (const Session *session)
{
    return session_list_get_items (session->lists->logged);
}

/* The first item of that logpoint, or where it would stand. */
static guint
find_first (const Session *session, guint32 number)
{
    GPtrArray *items = get_items (session);
    guint at = 0;

    while (at < items->len && SESSION_LOGGED (items->pdata[at])->breakpoint < number) {
        at++;
    }
    return at;
}

static guint
count_items (const Session *session, guint at, guint32 number)
{
    GPtrArray *items = get_items (session);
    guint n = 0;

    while (at + n < items->len && SESSION_LOGGED (items->pdata[at + n])->breakpoint == number) {
        n++;
    }
    return n;
}

void
session_logged_drop (Session *session, guint32 number)
{
    guint at = find_first (session, number), n = count_items (session, at, number);

    if (n > 0) {
        session_list_remove (session->lists->logged, at, n);
    }
}

void
session_logged_forget (Session *session)
{
    session_list_remove (session->lists->logged, 0, get_items (session)->len);
}

static void
add_items (Session *session, guint at, const SessionBreakpoint *breakpoint,
           const GPtrArray *parts)
{
    guint n = MAX (parts->len / 2, 1);

    for (guint i = 0; i < n; i++) {
        SessionLogged *logged = g_object_new (SESSION_TYPE_LOGGED, NULL);

        logged->breakpoint = breakpoint->number;
        logged->template = g_strdup (breakpoint->log);
        logged->expression = g_strdup (parts->len > 1 ? parts->pdata[2 * i + 1] : "");
        session_list_insert (session->lists->logged, at + i, logged);
    }
}

void
session_logged_note (Session *session, const JobEvent *event)
{
    const SessionBreakpoint *breakpoint
        = session_find_breakpoint (session, (guint32) MAX (event->number, 0));
    g_autoptr (GPtrArray) parts = NULL, values = NULL;
    GPtrArray *items = get_items (session);
    guint at, n;

    if (breakpoint == NULL || breakpoint->log == NULL || event->text == NULL) {
        return;
    }
    parts = split_template (breakpoint->log);
    values = split_line (parts, event->text);
    at = find_first (session, breakpoint->number);
    n = count_items (session, at, breakpoint->number);
    if (n > 0 && strcmp (SESSION_LOGGED (items->pdata[at])->template, breakpoint->log) != 0) {
        session_list_remove (session->lists->logged, at, n);
        n = 0;
    }
    if (n == 0) {
        add_items (session, at, breakpoint, parts);
        n = count_items (session, at, breakpoint->number);
    }
    for (guint i = 0; i < n; i++) {
        note_line (items->pdata[at + i], event->ranks,
                   values != NULL && i < values->len ? values->pdata[i] : NULL);
    }
    session_list_say_changed (session->lists->logged, at, n);
}

GListModel *
session_get_logged_list (const Session *session)
{
    return G_LIST_MODEL (session->lists->logged);
}

/* ---- an item ---- */

guint32
session_logged_get_breakpoint (const SessionLogged *logged)
{
    return logged->breakpoint;
}

const char *
session_logged_get_expression (const SessionLogged *logged)
{
    return logged->expression;
}

guint64
session_logged_get_lines (const SessionLogged *logged)
{
    return logged->n_lines;
}

const JobRankSet *
session_logged_get_ranks (const SessionLogged *logged)
{
    return logged->ranks;
}

gint64
session_logged_get_last_us (const SessionLogged *logged)
{
    return logged->last_us;
}

JobValueTable *
session_logged_dup_values (const SessionLogged *logged)
{
    JobValueTable *table = job_value_table_new ();

    for (guint32 rank = 0; rank < logged->last->len; rank++) {
        const Last *last = &g_array_index (logged->last, Last, rank);
        g_autoptr (JobRankSet) one = job_rank_set_new_range (rank, rank + 1);
        g_autoptr (JobValue) value = NULL;

        if (last->is_number) {
            g_autofree char *text = job_value_format_number (last->number, last->is_integer);

            value = job_value_new_number (NULL, NULL, text, last->number);
        } else if (last->text != NULL) {
            value = job_value_new (NULL, NULL, last->text);
        }
        if (value != NULL) {
            job_value_table_add (table, logged->expression, one, value);
        }
    }
    return table;
}

GArray *
session_logged_dup_hits (const SessionLogged *logged, guint32 *ret_first)
{
    GArray *hits = g_array_new (FALSE, FALSE, sizeof (double));
    guint32 first = logged->n_hits > SESSION_LOGGED_HITS ? logged->n_hits - SESSION_LOGGED_HITS
                                                         : 0;

    for (guint32 i = first; i < logged->n_hits; i++) {
        const Hit *hit = &logged->hits[i % SESSION_LOGGED_HITS];
        double mean = hit->n > 0 ? hit->sum / hit->n : NAN;

        g_array_append_val (hits, mean);
    }
    if (ret_first != NULL) {
        *ret_first = first + 1;
    }
    return hits;
}

GArray *
session_logged_dup_numbers (const SessionLogged *logged, gboolean *ret_is_integer)
{
    GArray *numbers = g_array_new (FALSE, FALSE, sizeof (double));
    gboolean is_integer = TRUE;

    JOB_EACH_RANK (logged->ranks, rank) {
        const Last *last = &g_array_index (logged->last, Last, rank);
        double number = last->is_number ? last->number : NAN;

        is_integer = is_integer && (!last->is_number || last->is_integer);
        g_array_append_val (numbers, number);
    }
    if (ret_is_integer != NULL) {
        *ret_is_integer = is_integer;
    }
    return numbers;
}

const char *
session_logged_get_text (const SessionLogged *logged)
{
    return logged->text;
}
