/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What scripts get of a profile: rows of the views that its reports and windows are made of, as arrays of JSON whose members
 * pddt_profile.py knows by their places. */
#include "script/private.h"
#include "base/json.h"
#include "profile/call-tree.h"
#include "profile/exact-lines.h"
#include "profile/function-table.h"
#include "profile/messages.h"
#include "profile/native.h"
#include "profile/slice.h"
#include "profile/summary.h"
#include "profile/waits.h"
#include <math.h>
#include <string.h>

/* ---- JSON ---- */

static void
separate (GString *json)
{
    if (json->len > 0 && json->str[json->len - 1] != '[') {
        g_string_append_c (json, ',');
    }
}

static void
begin (GString *json)
{
    separate (json);
    g_string_append_c (json, '[');
}

static void
end (GString *json)
{
    g_string_append_c (json, ']');
}

static void
add_text (GString *json, const char *text)
{
    separate (json);
    if (text == NULL) {
        g_string_append (json, "null");
    } else {
        g_autofree char *valid = g_utf8_make_valid (text, -1);

        base_json_append_string (json, valid, strlen (valid));
    }
}

static void
add_number (GString *json, guint64 number)
{
    separate (json);
    g_string_append_printf (json, "%" G_GUINT64_FORMAT, number);
}

static void
add_double (GString *json, double number)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];

    separate (json);
    g_string_append (json, isfinite (number) ? g_ascii_dtostr (buffer, sizeof buffer, number)
                                             : "null");
}

static void
add_ranks (GString *json, const JobRankSet *ranks)
{
    g_autofree char *text = job_rank_set_format (ranks);

    add_text (json, text);
}

static void
add_place (GString *json, const JobLocation *place)
{
    begin (json);
    add_text (json, place->function);
    add_text (json, place->file);
    add_number (json, place->line);
    add_text (json, place->module);
    add_number (json, place->offset);
    add_text (json, place->language != JOB_LANGUAGE_UNKNOWN
                        ? job_language_get_name (place->language)
                        : NULL);
    end (json);
}

/* Pairs of a rank's index in the model and its seconds, without those that have none. */
static void
add_times (GString *json, const ProfileModel *model, const double *seconds)
{
    begin (json);
    for (guint i = 0; i < profile_model_get_n_ranks (model); i++) {
        if (seconds[i] > 0) {
            add_number (json, i);
            add_double (json, seconds[i]);
        }
    }
    end (json);
}

/* ---- the whole ---- */

static void
add_classes (GString *json, const ProfileModel *model, guint index)
{
    begin (json);
    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        add_double (json, profile_model_get_class (model, index, class));
    }
    end (json);
}

static void
add_process (GString *json, const ProfileModel *model, guint index)
{
    const ProfileProcess *process = profile_model_get_process (model, index);
    g_autoptr (JobRankSet) members = job_rank_set_new ();

    profile_model_add_members (model, index, members);
    begin (json);
    add_ranks (json, members);
    add_number (json, process->parent);
    add_number (json, (guint64) MAX (process->pid, 0));
    add_text (json, process->host);
    add_text (json, process->program);
    add_text (json, process->ending);
    add_double (json, profile_model_get_duration (model, index));
    add_double (json, profile_model_get_idle (model, index));
    add_number (json, profile_model_get_n_threads (model, index));
    add_classes (json, model, index);
    end (json);
}

void
script_profile_add_head (GString *json, const ProfileModel *model,
                         const ProfileReportFacts *facts)
{
    g_autofree char *summary = profile_format_summary (model);

    begin (json);
    add_text (json, facts->command);
    add_text (json, facts->begun);
    add_number (json, facts->rate);
    add_double (json, profile_model_get_run (model));
    add_double (json, profile_model_get_end (model));
    add_number (json, profile_model_is_traced (model));
    add_number (json, profile_model_has_calls (model) ? profile_model_get_n_calls (model) : 0);
    add_number (json, profile_model_get_n_samples (model));
    add_number (json, profile_model_get_n_dropped (model));
    add_text (json, profile_model_get_problem (model, BASE_TEXT_ENGLISH));
    add_text (json, summary);
    begin (json);
    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        add_text (json, job_class_get_name (class));
    }
    end (json);
    begin (json);
    for (guint i = 0; i < profile_model_get_n_ranks (model); i++) {
        add_process (json, model, i);
    }
    end (json);
    end (json);
}

/* ---- where the time went ---- */

/* Own seconds of each function (row) in each rank (column). */
static double *
sum_functions (const ProfileCosts *costs)
{
    double *seconds = g_new0 (double, (gsize) (costs->n_functions + 1) * costs->ranks->len);

    for (guint i = 0; i < costs->ranks->len; i++) {
        const ProfileCostRank *rank = &g_array_index (costs->ranks, ProfileCostRank, i);

        for (guint j = rank->first; j < rank->end; j++) {
            const ProfileCost *cost = &g_array_index (costs->costs, ProfileCost, j);

            seconds[(gsize) costs->functions[cost->context] * costs->ranks->len + i]
                += cost->seconds;
        }
    }
    return seconds;
}

static void
add_functions (GString *json, const ProfileModel *model)
{
    g_autoptr (ProfileCosts) costs = profile_costs_new (model);
    g_autoptr (ProfileFunctionTable) table = profile_function_table_new (costs, FALSE);
    g_autofree double *seconds = sum_functions (costs);

    BASE_EACH_ROW (table->rows, const ProfileFunctionRow, row) {
        begin (json);
        add_place (json, &row->location);
        add_double (json, row->self);
        add_double (json, row->total);
        add_number (json, row->n_calls);
        add_double (json, row->imbalance);
        add_times (json, model, seconds + (gsize) row->function * costs->ranks->len);
        end (json);
    }
}

static void
add_lines (GString *json, const ProfileModel *model)
{
    g_autoptr (GPtrArray) lines = profile_lines_new (model, FALSE);

    BASE_EACH (lines, const ProfileLine, line) {
        if (line->location.line > 0) {
            begin (json);
            add_place (json, &line->location);
            add_double (json, line->self);
            add_times (json, model, line->ranks);
            end (json);
        }
    }
}

typedef struct {
    const ProfileNode *node;
    guint depth;
} OpenNode;

/* Flat, with depths; the root is left out. */
static void
add_tree (GString *json, const ProfileModel *model)
{
    g_autoptr (ProfileNode) root = profile_tree_new (model);
    g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (OpenNode));

    BASE_APPEND (open, OpenNode, root, 0);
    while (open->len > 0) {
        OpenNode at = g_array_index (open, OpenNode, open->len - 1);

        g_array_set_size (open, open->len - 1);
        if (at.node != root) {
            begin (json);
            add_number (json, at.depth);
            add_place (json, &at.node->location);
            add_double (json, at.node->self);
            add_double (json, at.node->total);
            add_number (json, at.node->is_recursive);
            add_times (json, model, at.node->ranks);
            end (json);
        }
        for (guint i = at.node->children->len; i > 0; i--) {
            BASE_APPEND (open, OpenNode, g_ptr_array_index (at.node->children, i - 1),
                         at.depth + 1);
        }
    }
}

/* ---- what a trace says ---- */

static void
add_waits (GString *json, const ProfileModel *model)
{
    const GArray *waits = profile_model_get_waits (model);

    BASE_EACH_ROW (waits, const ProfileWait, wait) {
        begin (json);
        add_text (json, profile_wait_get_name (wait->kind));
        add_number (json, wait->rank);
        add_number (json, wait->cause);
        add_text (json, wait->call);
        add_text (json, wait->place);
        add_text (json, wait->cause_place);
        add_text (json, wait->file);
        add_number (json, wait->line);
        add_text (json, wait->cause_file);
        add_number (json, wait->cause_line);
        add_number (json, wait->n);
        add_double (json, wait->seconds);
        add_double (json, profile_messages_get_seconds (model, wait->begin_us));
        add_double (json, profile_messages_get_seconds (model, wait->end_us));
        end (json);
    }
}

static void
add_traffic (GString *json, const ProfileModel *model)
{
    const GArray *traffic = profile_model_get_traffic (model);

    BASE_EACH_ROW (traffic, const ProfileTraffic, each) {
        begin (json);
        add_number (json, each->from);
        add_number (json, each->to);
        add_number (json, each->n);
        add_number (json, each->bytes);
        end (json);
    }
}

static void
add_messages (GString *json, const ProfileModel *model, const ScriptProfilePart *part)
{
    g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint32));

    profile_messages_find (model, part->begin_s, part->end_s, PROFILE_MAX_MESSAGES, numbers);
    for (guint i = 0; i < numbers->len; i++) {
        const ProfileMessage *message
            = profile_messages_get (model, g_array_index (numbers, guint32, i));

        if (part->ranks != NULL && !job_rank_set_contains (part->ranks, message->from)
            && !job_rank_set_contains (part->ranks, message->to)) {
            continue;
        }
        begin (json);
        add_number (json, message->from);
        add_number (json, message->to);
        add_number (json, message->tag);
        add_number (json, message->bytes);
        add_double (json, profile_messages_get_seconds (model, message->sent_us));
        add_double (json, profile_messages_get_seconds (model, message->received_us));
        end (json);
    }
}

static void
add_collectives (GString *json, const ProfileModel *model, const ScriptProfilePart *part)
{
    g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint32));

    profile_collectives_find (model, part->begin_s, part->end_s, PROFILE_MAX_MESSAGES, numbers);
    for (guint i = 0; i < numbers->len; i++) {
        const ProfileCollective *each
            = profile_collectives_get (model, g_array_index (numbers, guint32, i));

        begin (json);
        add_text (json, each->name);
        begin (json);
        for (guint32 j = each->first; j < each->first + each->n; j++) {
            const ProfileMember *member = profile_collectives_get_member (model, j);

            add_number (json, member->rank);
            add_double (json, profile_messages_get_seconds (model, member->begin_us));
            add_double (json, profile_messages_get_seconds (model, member->end_us));
        }
        end (json);
        end (json);
    }
}

static void
add_files (GString *json, const ProfileModel *model)
{
    const GArray *uses = profile_model_get_file_uses (model);

    BASE_EACH_ROW (uses, const ProfileFileUse, use) {
        begin (json);
        add_number (json, use->rank);
        add_text (json, use->path);
        add_number (json, use->n_opened);
        add_number (json, use->n_closed);
        add_number (json, use->n_reads);
        add_number (json, use->n_writes);
        add_number (json, use->n_syncs);
        add_number (json, use->read);
        add_number (json, use->written);
        add_double (json, use->read_s);
        add_double (json, use->write_s);
        add_double (json, use->sync_s);
        end (json);
    }
}

static void
add_locks (GString *json, const ProfileModel *model)
{
    const GArray *waits = profile_model_get_lock_waits (model);

    BASE_EACH_ROW (waits, const ProfileLockWait, wait) {
        begin (json);
        add_number (json, wait->rank);
        add_number (json, wait->thread);
        add_number (json, wait->owner);
        add_text (json, wait->call);
        add_text (json, wait->place);
        add_text (json, wait->owner_place);
        add_number (json, wait->n);
        add_double (json, wait->seconds);
        add_double (json, wait->longest_s);
        end (json);
    }
}

static void
add_allocations (GString *json, const ProfileModel *model)
{
    const GArray *allocations = profile_model_get_allocations (model);

    BASE_EACH_ROW (allocations, const ProfileAllocation, each) {
        begin (json);
        add_number (json, each->rank);
        add_text (json, each->place);
        add_text (json, each->code);
        add_text (json, each->callers);
        add_number (json, each->n_samples);
        add_number (json, each->allocated);
        add_number (json, each->held_middle);
        add_number (json, each->held_end);
        end (json);
    }
}

/* Lines that were counted exactly. */
static void
add_counted (GString *json, const char *path)
{
    g_autofree char *folder = path == NULL ? NULL
                              : g_file_test (path, G_FILE_TEST_IS_DIR)
                                  ? g_strdup (path)
                                  : g_path_get_dirname (path);
    g_autoptr (GPtrArray) lines = folder != NULL ? profile_exact_lines_load (folder) : NULL;

    BASE_EACH (lines, const ProfileExactLine, line) {
        begin (json);
        add_number (json, line->rank);
        add_text (json, line->name);
        add_text (json, line->file);
        add_number (json, line->line);
        add_number (json, line->hits);
        add_double (json, (double) line->ns / 1e9);
        end (json);
    }
}

/* ---- what was when ---- */

static void
add_contexts (GString *json, const JobContextTree *tree)
{
    begin (json);
    for (guint32 number = 1; number <= job_context_tree_get_count (tree); number++) {
        const JobContext *context = job_context_tree_get (tree, number);

        add_number (json, context->parent);
        add_place (json, &context->location);
    }
    end (json);
}

static void
add_thread (GString *json, const ProfileModel *model, guint index, guint thread,
            const ScriptProfilePart *part)
{
    guint32 number;
    const GArray *samples = profile_samples_get (model, index, thread, &number);

    BASE_EACH_ROW (samples, const ProfileSample, sample) {
        double end_s = profile_model_get_seconds (model, index, sample->time_us);
        double begin_s = profile_model_get_seconds (model, index,
                                                    sample->time_us - sample->weight_us);

        end_s = (end_s - part->offset) / part->scale;
        begin_s = (begin_s - part->offset) / part->scale;
        if (end_s <= part->begin_s || begin_s >= part->end_s) {
            continue;
        }
        add_number (json, index);
        add_number (json, number);
        add_double (json, begin_s);
        add_double (json, end_s);
        add_number (json, sample->class);
        add_number (json, profile_model_get_merged (model, index, sample->context));
    }
}

void
script_profile_add_samples (GString *json, const ProfileModel *model,
                            const ScriptProfilePart *part)
{
    begin (json);
    add_contexts (json, profile_model_get_contexts (model));
    begin (json);
    for (guint i = 0; i < profile_model_get_n_ranks (model); i++) {
        guint32 rank = profile_model_get_rank (model, i);

        for (guint j = 0; (part->ranks == NULL || job_rank_set_contains (part->ranks, rank))
                          && j < profile_samples_get_n_threads (model, i);
             j++) {
            add_thread (json, model, i, j, part);
        }
    }
    end (json);
    end (json);
}

static void
add_activity (GString *json, const ProfileModel *model, const ScriptProfilePart *part)
{
    g_autofree float *shares = g_new0 (float, (gsize) part->n_bins *JOB_N_CLASSES);

    profile_model_get_activity (model, part->ranks, part->begin_s, part->end_s, part->n_bins,
                                shares);
    for (guint i = 0; i < part->n_bins * JOB_N_CLASSES; i++) {
        add_double (json, (double) shares[i]);
    }
}

/* ---- what is asked ---- */

gboolean
script_profile_add_rows (GString *json, const char *what, const ProfileModel *model,
                         const char *path, const ScriptProfilePart *part)
{
    static const struct {
        const char *what;
        void (*add) (GString *json, const ProfileModel *model);
        void (*add_part) (GString *json, const ProfileModel *model,
                          const ScriptProfilePart *part);
    } rows[] = {
        { "functions", add_functions, NULL },
        { "lines", add_lines, NULL },
        { "tree", add_tree, NULL },
        { "waits", add_waits, NULL },
        { "traffic", add_traffic, NULL },
        { "messages", NULL, add_messages },
        { "collectives", NULL, add_collectives },
        { "files", add_files, NULL },
        { "locks", add_locks, NULL },
        { "allocations", add_allocations, NULL },
        { "activity", NULL, add_activity },
    };

    begin (json);
    if (strcmp (what, "counted") == 0) {
        add_counted (json, path);
        end (json);
        return TRUE;
    }
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        if (strcmp (what, rows[i].what) == 0) {
            if (rows[i].add != NULL) {
                rows[i].add (json, model);
            } else {
                rows[i].add_part (json, model, part);
            }
            end (json);
            return TRUE;
        }
    }
    return FALSE;
}
