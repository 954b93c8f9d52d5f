/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The exact lines that scripts match: answers and events as text. State lines are the session's. */
#include "command/private.h"
#include <math.h>
#include <string.h>

#define INITIAL_MARK " (initial value)"
#define STALE_MARK " (stale)" /* of an earlier moment */

#define MAX_INDENT 100 /* levels; a runaway recursion must not fill the disk with spaces */

static void
append_ranks (GString *line, const char *word, const JobRankSet *ranks)
{
    if (ranks != NULL && !job_rank_set_is_empty (ranks)) {
        g_autofree char *text = job_rank_set_format (ranks);

        g_string_append_printf (line, " %s at %s", word, text);
    }
}

static void
append_summary (GString *line, const JobValueRow *row, const JobValueSummary *summary)
{
    gboolean is_integer = job_value_row_is_integer (row);

    if (summary->n_finite > 0) {
        g_autofree char *min = job_value_format_number (summary->min, is_integer);
        g_autofree char *max = job_value_format_number (summary->max, is_integer);

        g_string_append_printf (line, " [%s..%s] min %s at %u max %s at %u mean %.6g", min, max,
                                min, summary->min_rank, max, summary->max_rank, summary->mean);
    }
    append_ranks (line, "nan", summary->nan_ranks);
    append_ranks (line, "inf", summary->inf_ranks);
}

static JobRankSet *
dup_row_ranks (const JobValueRow *row)
{
    JobRankSet *ranks = job_rank_set_new ();

    for (guint i = 0; i < row->groups->len; i++) {
        job_rank_set_merge (ranks,
                            ((JobValueGroup *) g_ptr_array_index (row->groups, i))->ranks);
    }
    if (row->rest != NULL) {
        job_rank_set_merge (ranks, row->rest->ranks);
    }
    return ranks;
}

/* Another group looks the same, as far as it is shown. */
static gboolean
differs_further_on (const JobValueRow *row, const JobValueGroup *group)
{
    return BASE_HAS (row->groups, const JobValueGroup, other,
                     other != group && other->value->rest != group->value->rest
                         && g_strcmp0 (other->value->text, group->value->text) == 0);
}

/* A text of several lines begins on a line of its own, so that its columns stay what they are. */
static void
append_text (GString *lines, const char *verb, const char *text)
{
    if (strchr (text, '\n') == NULL) {
        g_string_append_printf (lines, "%s%s%s", verb, *verb != '\0' ? " " : "", text);
        return;
    }
    g_string_append (lines, verb);
    for (const char *end; text != NULL; text = *end != '\0' ? end + 1 : NULL) {
        end = text + strcspn (text, "\n");
        g_string_append_printf (lines, "\n  %.*s", (int) (end - text), text);
    }
}

/* `verb` stands between the name and the value: " =" or " returned"; both are "" for a value alone. */
static void
append_groups (GString *lines, const JobValueRow *row, const char *name, const char *verb,
               const char *mark)
{
    guint rest;
    guint32 rest_ranks;
    g_autoptr (GPtrArray) groups = job_value_row_choose (row, JOB_VALUE_MAX_SHOWN, &rest,
                                                         &rest_ranks);

    BASE_EACH (groups, const JobValueGroup, group) {
        g_autofree char *ranks = job_rank_set_format (group->ranks);

        g_string_append_printf (lines, "%s%s: %s", lines->len > 0 ? "\n" : "", ranks, name);
        append_text (lines, verb, group->value->text != NULL ? group->value->text : "");
        g_string_append_printf (lines, "%s%s",
                                differs_further_on (row, group) ? " (differs further on)" : "",
                                mark);
    }
    if (rest > 0) {
        g_string_append_printf (lines, "\n%s%s%s%u more values in %u ranks%s", name, verb,
                                *verb != '\0' ? " " : "", rest, rest_ranks, mark);
    }
    if (row->rest != NULL) {
        g_autofree char *text = job_value_rest_format (row->rest->n_values, row->rest->ranks,
                                                       "values");

        g_string_append_printf (lines, "\n%s%s%s%s%s", name, verb, *verb != '\0' ? " " : "",
                                text, mark);
    }
}

static char *
format_row (const JobValueRow *row, const char *name, const char *verb, const char *mark)
{
    GString *lines = g_string_new (NULL);
    JobValueSummary summary;

    if ((row->groups->len > 1 || row->rest != NULL)
        && job_value_row_summarise (row, &summary)) {
        g_autoptr (JobRankSet) ranks = dup_row_ranks (row);
        g_autofree char *text = job_rank_set_format (ranks);

        g_string_append_printf (lines, "%s:%s%s%s", text, *name != '\0' ? " " : "", name, verb);
        append_summary (lines, row, &summary);
        g_string_append (lines, mark);
        job_value_summary_clear (&summary);
    } else {
        append_groups (lines, row, name, verb, mark);
    }
    return g_string_free (lines, FALSE);
}

char *
command_format_row (const JobValueRow *row, const char *expression, guint32 flags)
{
    const char *name = row->name != NULL    ? row->name
                       : expression != NULL ? expression
                                            : "value";
    const char *mark = flags & JOB_EVENT_INITIAL   ? INITIAL_MARK
                       : flags & JOB_EVENT_STALE   ? STALE_MARK
                       : flags & JOB_EVENT_SAMPLED ? " (sampled)"
                                                   : "";

    return *name == '\0' ? format_row (row, "", "", mark) : format_row (row, name, " =", mark);
}

static char *
format_table (const JobEvent *event, const char *expression)
{
    GString *lines = g_string_new (event->text);

    for (guint i = 0;
         job_event_get_table (event) != NULL && i < job_event_get_table (event)->rows->len;
         i++) {
        g_autofree char *row
            = command_format_row (g_ptr_array_index (job_event_get_table (event)->rows, i),
                                  expression, event->flags);

        g_string_append_printf (lines, "%s%s", lines->len > 0 ? "\n" : "", row);
    }
    if (lines->len == 0) {
        g_autofree char *ranks = job_rank_set_format (event->ranks);

        g_string_append_printf (lines, "%s: no variables", ranks);
    }
    return g_string_free (lines, FALSE);
}

/* ---- the stack tree ---- */

GArray *
command_list_nodes (const JobStackTree *tree)
{
    GArray *nodes = g_array_new (FALSE, FALSE, sizeof (CommandNode));
    g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (CommandNode));

    BASE_APPEND (open, CommandNode, tree->root, 0);
    while (open->len > 0) {
        CommandNode at = g_array_index (open, CommandNode, open->len - 1);

        g_array_set_size (open, open->len - 1);
        if (at.node != tree->root) {
            g_array_append_val (nodes, at);
        }
        for (guint i = at.node->children != NULL ? at.node->children->len : 0; i > 0; i--) {
            BASE_APPEND (open, CommandNode, g_ptr_array_index (at.node->children, i - 1),
                         at.depth + (at.node != tree->root));
        }
    }
    return nodes;
}

/* How many frames are below each node on its longest branch: a single rank's frame numbers. */
static guint *
number_nodes (const GArray *nodes)
{
    guint *numbers = g_new0 (guint, nodes->len + 1);
    g_autoptr (GArray) heights = g_array_new (FALSE, TRUE, sizeof (guint)); /* by depth */

    for (guint i = nodes->len; i > 0; i--) {
        guint depth = g_array_index (nodes, CommandNode, i - 1).depth, up;

        if (heights->len < depth + 2) {
            g_array_set_size (heights, depth + 2);
        }
        numbers[i - 1] = g_array_index (heights, guint, depth + 1);
        g_array_index (heights, guint, depth + 1) = 0;
        up = MAX (g_array_index (heights, guint, depth), numbers[i - 1] + 1);
        g_array_index (heights, guint, depth) = up;
    }
    return numbers;
}

static void
append_node (GString *lines, Session *session, const JobStackNode *node)
{
    const JobLocation *place = &node->location;
    g_autofree char *ranks = job_rank_set_format (node->ranks);
    const char *function = place->function != NULL ? place->function : "??";
    g_autofree char *marks = job_frame_format_marks (BASE_TEXT_ENGLISH, node->flags);

    g_string_append_printf (lines, "%s %u %s", ranks, job_rank_set_get_count (node->ranks),
                            function);
    if (node->arguments != NULL) {
        g_string_append_printf (lines, " %s", node->arguments);
    }
    if (place->file != NULL) {
        g_autofree char *file = session_dup_short_file (session, place->file);

        g_string_append_printf (lines, " at %s:%u", file, place->line);
    }
    g_string_append (lines, place->language == JOB_LANGUAGE_PYTHON ? " [py]" : "");
    g_string_append (lines, marks);
    if (place->file == NULL && place->module != NULL) {
        g_string_append_printf (lines, " (%s+0x%" G_GINT64_MODIFIER "x)", place->module,
                                place->offset);
    }
}

/* Below the frame, deeper than the next one. */
static void
append_locals (GString *lines, const JobStackNode *node, guint depth)
{
    const char *text = node->locals;

    for (char *variable;
         text != NULL && (variable = job_stack_take_variable (&text)) != NULL;) {
        gsize name = strcspn (variable, "=");

        g_string_append_printf (lines, "\n%*s%.*s = %s",
                                (int) (2 * MIN (depth, MAX_INDENT) + 4), "", (int) name,
                                variable, variable + name + (variable[name] == '=' ? 1 : 0));
        g_free (variable);
    }
}

/* Where the indentation of what is inside a fold goes on. */
typedef struct {
    guint depth; /* of the innermost hidden frame */
    guint shift; /* levels that this fold and those around it save */
} Shift;

static guint
find_shift (GArray *shifts, guint depth)
{
    while (shifts->len > 0 && g_array_index (shifts, Shift, shifts->len - 1).depth >= depth) {
        g_array_set_size (shifts, shifts->len - 1);
    }
    return shifts->len > 0 ? g_array_index (shifts, Shift, shifts->len - 1).shift : 0;
}

/* What stands for the frames between the first and the last repetition; the first hidden one is at `at`. */
static void
append_fold (GString *lines, Session *session, const CommandNode *at, const JobStackFold *fold,
             guint shift)
{
    g_autofree char *places = session_format_fold (BASE_TEXT_ENGLISH, session, at->node, fold);

    g_string_append_printf (lines, "\n%*s... %u more frames: %s",
                            (int) (2 * MIN (at->depth - shift, MAX_INDENT)), "", fold->n_hidden,
                            places);
}

static char *
format_tree (Session *session, const JobStackTree *tree, gboolean sampled)
{
    g_autoptr (GArray) nodes = command_list_nodes (tree),
                       shifts = g_array_new (FALSE, FALSE, sizeof (Shift));
    gboolean is_single = job_rank_set_get_count (tree->root->ranks) == 1;
    g_autofree guint *numbers = is_single ? number_nodes (nodes) : NULL;
    GString *lines = g_string_new (NULL);
    JobStackFold fold = { 0 };

    for (guint i = 0, n_shown = 0; i < nodes->len; i++) {
        const CommandNode *at = &g_array_index (nodes, CommandNode, i);
        guint shift = find_shift (shifts, at->depth);

        if (n_shown > 0 && --n_shown == 0) {
            Shift inner = { at->depth + fold.n_hidden - 1, shift + fold.n_hidden - 1 };

            append_fold (lines, session, at, &fold, shift);
            g_array_append_val (shifts, inner);
            i += fold.n_hidden - 1;
            continue;
        }
        if (n_shown == 0 && job_stack_fold_find (at->node, &fold)) {
            n_shown = fold.period;
        }
        g_string_append (lines, lines->len > 0 ? "\n" : "");
        if (numbers != NULL) {
            g_string_append_printf (lines, "#%u ", numbers[i]);
        }
        g_string_append_printf (lines, "%*s", (int) (2 * MIN (at->depth - shift, MAX_INDENT)),
                                "");
        append_node (lines, session, at->node);
        g_string_append (lines, sampled && at->depth == 0 ? " (sampled)" : "");
        append_locals (lines, at->node, at->depth - shift);
    }
    return g_string_free (lines, FALSE);
}

/* ---- the rest ---- */

static char *
name_pending (Session *session, guint32 number)
{
    const SessionBreakpoint *breakpoint = session_find_breakpoint (session, number);

    if (breakpoint == NULL || breakpoint->where.kind == JOB_WHERE_NONE) {
        return NULL;
    }
    if (breakpoint->reason != NULL) {
        return g_strdup (breakpoint->reason);
    }
    if (breakpoint->where.kind == JOB_WHERE_LINE) {
        return g_strdup_printf ("no file \"%s\" yet",
                                breakpoint->where.file != NULL ? breakpoint->where.file : "");
    }
    if (breakpoint->where.function != NULL) {
        return g_strdup_printf ("no function \"%s\" yet", breakpoint->where.function);
    }
    return g_strdup_printf ("no address 0x%" G_GINT64_MODIFIER "x yet",
                            breakpoint->where.address);
}

static gboolean
is_caught (const SessionBreakpoint *breakpoint)
{
    return breakpoint != NULL && strcmp (breakpoint->kind, "break") != 0;
}

char *
command_format_breakpoint (Session *session, const JobRankSet *ranks, guint32 number,
                           GPtrArray *places, const char *text)
{
    const SessionBreakpoint *breakpoint = session_find_breakpoint (session, number);
    g_autofree char *rank_text = job_rank_set_format (ranks);
    GString *line = g_string_new (NULL);
    gboolean has_places = places != NULL && places->len > 0, is_pending = !has_places;

    if (is_caught (breakpoint)) {
        text = text != NULL ? text : breakpoint->reason;
        is_pending = text != NULL && g_str_has_prefix (text, "no exception ");
    }
    g_string_append_printf (line, "%s: breakpoint %u %s", rank_text, number,
                            is_pending ? "pending" : "set");
    for (guint i = 0; has_places && i < places->len; i++) {
        g_autofree char *place = session_format_place (BASE_TEXT_ENGLISH, session,
                                                       g_ptr_array_index (places, i));

        g_string_append_printf (line, "%s %s", i == 0 ? "," : ";", place);
    }
    if (is_caught (breakpoint)) {
        g_string_append_printf (line, ", %s %s", breakpoint->kind,
                                breakpoint->where.function != NULL ? breakpoint->where.function
                                                                   : "");
    } else if (!has_places) {
        g_autofree char *reason = text != NULL ? g_strdup (text)
                                               : name_pending (session, number);

        g_string_append_printf (line, "%s%s", reason != NULL ? ", " : "",
                                reason != NULL ? reason : "");
    }
    if (text != NULL && (has_places || is_caught (breakpoint))) {
        g_string_append_printf (line, *text == '(' ? " %s" : " (%s)", text);
    }
    return g_string_free (line, FALSE);
}

static char *
format_lines (const JobRankSet *set, const char *text)
{
    g_autofree char *ranks = job_rank_set_format (set);
    g_auto (GStrv) lines = g_strsplit (text != NULL ? text : "", "\n", -1);
    GString *joined = g_string_new (NULL);

    for (guint i = 0; lines[i] != NULL; i++) {
        if (*lines[i] != '\0' || lines[i + 1] != NULL) {
            g_string_append_printf (joined, "%s%s: %s", joined->len > 0 ? "\n" : "", ranks,
                                    lines[i]);
        }
    }
    return g_string_free (joined, FALSE);
}

/* As the line of an answer, without the ranks, which it only counts. */
char *
command_format_rest (const JobEvent *event)
{
    return job_value_rest_format ((guint32) event->number, event->ranks,
                                  event->kind == JOB_EVENT_TEXT ? "texts" : "lists");
}

static char *
format_text (const JobEvent *event)
{
    g_autofree char *text = g_strconcat (event->text != NULL ? event->text : "",
                                         event->flags & JOB_EVENT_INITIAL ? INITIAL_MARK : "",
                                         NULL);

    return format_lines (event->ranks, text);
}

static char *
format_details (const JobEvent *event)
{
    g_autofree char *text = job_detail_list_format (event->details);

    return format_lines (event->ranks, text);
}

static char *
format_returned (const JobEvent *event)
{
    const char *function = event->place != NULL && event->place->function != NULL
                               ? event->place->function
                               : "the function";

    return event->table != NULL && event->table->rows->len > 0
               ? format_row (g_ptr_array_index (event->table->rows, 0), function,
                             event->text != NULL ? " yielded" : " returned", "")
               : g_strdup ("");
}

/* Ranks of a run of which the same is known have the same reason. */
static void
add_reason (Session *session, JobValueTable *table, JobState state, guint32 first, guint32 end)
{
    const SessionRank now = session_get_rank (session, first);
    g_autofree char *text = NULL;
    g_autoptr (JobValue) value = NULL;
    g_autoptr (JobRankSet) ranks = NULL;

    if (!now.is_there || now.state != state || now.text2 == NULL || *now.text2 == '\0') {
        return;
    }
    text = g_strdup_printf ("%s: %s", now.text, now.text2);
    value = job_value_new (NULL, NULL, g_strdelimit (text, "\n\r\t", ' '));
    ranks = job_rank_set_new_range (first, end);
    job_value_table_add (table, NULL, ranks, value);
}

/* "SIGSEGV: a null pointer (address 0x0)", by what the ranks say. */
static JobValueTable *
collect_reasons (Session *session, const GPtrArray *states)
{
    JobValueTable *table = job_value_table_new ();

    BASE_EACH (states, const JobEvent, event) {
        gboolean may_say = event->state == JOB_STATE_SIGNAL
                           || event->state == JOB_STATE_EXCEPTION;

        for (guint j = 0; may_say && j < event->ranks->ranges->len; j++) {
            const JobRankRange *range = &g_array_index (event->ranks->ranges, JobRankRange, j);

            for (guint32 rank = range->first, end; rank < range->end; rank = end) {
                end = rank < session_get_size (session) ? session_find_run_end (session, rank)
                                                        : range->end;
                end = MIN (end, range->end);
                add_reason (session, table, event->state, rank, end);
            }
        }
    }
    return table;
}

char *
command_format_reasons (Session *session, const GPtrArray *states)
{
    g_autoptr (JobValueTable) table = collect_reasons (session, states);
    GString *lines = g_string_new (NULL);
    g_autoptr (GPtrArray) groups = NULL;
    guint rest = 0;
    guint32 rest_ranks = 0;

    if (table->rows->len == 0) {
        return g_string_free (lines, FALSE);
    }
    groups = job_value_row_choose (g_ptr_array_index (table->rows, 0), JOB_VALUE_MAX_SHOWN,
                                   &rest, &rest_ranks);
    for (guint i = 0; i < groups->len; i++) {
        const JobValueGroup *group = g_ptr_array_index (groups, i);
        g_autofree char *ranks = job_rank_set_format (group->ranks);

        g_string_append_printf (lines, "%snote: %s (%s)", i > 0 ? "\n" : "", group->value->text,
                                ranks);
    }
    if (rest > 0) {
        g_string_append_printf (lines, "\nnote: %u more reasons on %u ranks", rest, rest_ranks);
    }
    return g_string_free (lines, FALSE);
}

static char *
format_with_ranks (const char *word, const JobEvent *event)
{
    g_autofree char *ranks = job_rank_set_format (event->ranks);
    g_auto (GStrv) lines = g_strsplit (event->text != NULL ? event->text : "", "\n", -1);
    g_autofree char *text = g_strjoinv ("\n  ",
                                        lines); /* no line but the first is one of its own */

    return *ranks != '\0' ? g_strdup_printf ("%s: %s (%s)", word, text, ranks)
                          : g_strdup_printf ("%s: %s", word, text);
}

static char *
format_frame (Session *session, const JobEvent *event)
{
    g_autofree char *ranks = job_rank_set_format (event->ranks);
    g_autofree char *place = session_format_place (BASE_TEXT_ENGLISH, session, event->place);

    return g_strdup_printf ("%s: #%d %s", ranks, event->number, place);
}

static char *
format_gone (const JobEvent *event)
{
    g_autofree char *ranks = job_rank_set_format (event->ranks);

    return g_strdup_printf ("%s: breakpoint %d gone, %s", ranks, event->number, event->text);
}

static char *
format_event (Session *session, const JobEvent *event, const char *expression)
{
    switch (event->kind) {
    case JOB_EVENT_STATE: return session_format_state_event (BASE_TEXT_ENGLISH, session, event);
    case JOB_EVENT_BREAKPOINT:
        if (event->flags & JOB_EVENT_GONE) {
            return format_gone (event);
        }
        return command_format_breakpoint (session, event->ranks, (guint32) event->number,
                                          event->places, event->text);
    case JOB_EVENT_STACKS:
        return event->tree != NULL
                   ? format_tree (session, event->tree, event->flags & JOB_EVENT_SAMPLED)
                   : NULL;
    case JOB_EVENT_VALUES: return format_table (event, expression);
    case JOB_EVENT_TEXT:
        return event->flags & JOB_EVENT_REST ? command_format_rest (event)
                                             : format_text (event);
    case JOB_EVENT_DETAILS:
        return event->flags & JOB_EVENT_REST ? command_format_rest (event)
                                             : format_details (event);
    case JOB_EVENT_LOG: return format_lines (event->ranks, event->text);
    case JOB_EVENT_RETURNED: return format_returned (event);
    case JOB_EVENT_FAILURE: return format_with_ranks ("error", event);
    case JOB_EVENT_NOTICE: return format_with_ranks ("note", event);
    case JOB_EVENT_FRAME: return format_frame (session, event);
    default: return NULL;
    }
}

char *
command_format_event (Session *session, const JobEvent *event, const char *expression)
{
    g_autofree char *text = format_event (session, event, expression);

    /* values bear the mark in each row */
    return text != NULL && (event->flags & JOB_EVENT_STALE) && event->kind != JOB_EVENT_VALUES
               ? g_strconcat (text, STALE_MARK, NULL)
               : g_steal_pointer (&text);
}
