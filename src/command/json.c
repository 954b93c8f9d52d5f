/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same words as JSON, one object a line; reference.c lists the events and their fields. */
#include "command/private.h"
#include "command/queue-private.h"
#include "base/error.h"
#include "base/json.h"
#include <math.h>
#include <string.h>

static void
begin_field (GString *json, const char *name)
{
    g_string_append_printf (json, "%s\"%s\":", json->str[json->len - 1] == '{' ? "" : ",",
                            name);
}

/* Bytes that are not UTF-8 come as {"base64":"…"}. */
static void
put_bytes (GString *json, const char *name, const char *data, gsize size)
{
    begin_field (json, name);
    if (g_utf8_validate_len (data, size, NULL)) {
        base_json_append_string (json, data, size);
    } else {
        g_autofree char *encoded = g_base64_encode ((const guchar *) data, size);

        g_string_append_printf (json, "{\"base64\":\"%s\"}", encoded);
    }
}

static void
put_text (GString *json, const char *name, const char *text)
{
    if (text != NULL) {
        put_bytes (json, name, text, strlen (text));
    }
}

static void
put_number (GString *json, const char *name, gint64 number)
{
    begin_field (json, name);
    g_string_append_printf (json, "%" G_GINT64_FORMAT, number);
}

/* Only where there is one. */
static void
put_count (GString *json, const char *name, gint64 count)
{
    if (count > 0) {
        put_number (json, name, count);
    }
}

static void
put_flag (GString *json, const char *name, gboolean is_true)
{
    begin_field (json, name);
    g_string_append (json, is_true ? "true" : "false");
}

/* Only where it is true. */
static void
put_mark (GString *json, const char *name, gboolean is_true)
{
    if (is_true) {
        put_flag (json, name, TRUE);
    }
}

static void
put_double (GString *json, const char *name, double number)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];

    begin_field (json, name);
    g_string_append (json, isfinite (number) ? g_ascii_dtostr (buffer, sizeof buffer, number)
                                             : "null");
}

static void
put_ranks (GString *json, const char *name, const JobRankSet *ranks)
{
    g_autofree char *text = job_rank_set_format (ranks);

    put_text (json, name, text);
}

static void
put_place (GString *json, const JobLocation *place)
{
    if (place == NULL) {
        return;
    }
    put_text (json, "function", place->function);
    put_text (json, "file", place->file);
    put_count (json, "line", place->line);
    if (place->file == NULL && place->module != NULL) {
        put_text (json, "module", place->module);
        put_number (json, "offset", (gint64) place->offset);
    }
    if (place->language != JOB_LANGUAGE_UNKNOWN) {
        put_text (json, "language", job_language_get_name (place->language));
    }
}

/* Let go by the user's wish. */
static gboolean
is_detached (const JobEvent *event)
{
    return event->state == JOB_STATE_LOST && g_strcmp0 (event->text, "detached") == 0;
}

static const char *
name_state_event (const JobEvent *event)
{
    const JobStateInfo *info = job_state_get_info (event->state);

    if (event->flags & JOB_EVENT_FRESH) {
        return "state";
    }
    if (event->state == JOB_STATE_LOST) {
        return is_detached (event) ? "detached" : "lost";
    }
    return info->is_stopped ? "stopped" : info->is_ended ? "exited" : "running";
}

static void
put_state (GString *json, const JobEvent *event)
{
    put_text (json, "state",
              is_detached (event) ? event->text : job_state_get_info (event->state)->word);
    switch (event->state) {
    case JOB_STATE_BREAKPOINT: put_number (json, "breakpoint", event->number); break;
    case JOB_STATE_SIGNAL:
        put_text (json, "signal", event->text);
        put_text (json, "message", event->text2);
        break;
    case JOB_STATE_EXCEPTION:
        put_text (json, "exception", event->text);
        put_text (json, "message", event->text2);
        break;
    case JOB_STATE_EXITED: put_number (json, "status", 0); break;
    case JOB_STATE_FAILED:
        if (event->text != NULL) {
            put_text (json, "signal", event->text);
        } else {
            put_number (json, "status", event->number);
        }
        break;
    case JOB_STATE_LOST:
        put_text (json, "host", is_detached (event) ? NULL : event->text);
        break;
    default: break;
    }
    if (!job_state_get_info (event->state)->is_ended) {
        put_place (json, event->place);
    }
}

static void
put_places (GString *json, GPtrArray *places)
{
    begin_field (json, "places");
    g_string_append_c (json, '[');
    for (guint i = 0; places != NULL && i < places->len; i++) {
        g_string_append (json, i > 0 ? ",{" : "{");
        put_place (json, g_ptr_array_index (places, i));
        g_string_append_c (json, '}');
    }
    g_string_append_c (json, ']');
}

static void
put_frame (GString *json, const CommandNode *at)
{
    static const struct {
        guint32 flag;
        const char *name;
    } marks[] = {
        { JOB_FRAME_INLINED, "inlined" },
        { JOB_FRAME_TAIL_CALL, "tail_call" },
        { JOB_FRAME_AFTER_GAP, "calls_missing" },
        { JOB_FRAME_INCOMPLETE, "incomplete" },
    };

    g_string_append_c (json, '{');
    put_number (json, "depth", at->depth);
    put_ranks (json, "ranks", at->node->ranks);
    put_number (json, "count", job_rank_set_get_count (at->node->ranks));
    put_place (json, &at->node->location);
    put_text (json, "arguments", at->node->arguments);
    put_text (json, "locals", at->node->locals);
    for (guint i = 0; i < G_N_ELEMENTS (marks); i++) {
        put_mark (json, marks[i].name, at->node->flags & marks[i].flag);
    }
    g_string_append_c (json, '}');
}

static void
put_class_seconds (GString *json, const ProfileModel *model)
{
    begin_field (json, "classes");
    g_string_append_c (json, '{');
    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        double seconds = 0;

        for (guint i = 0; i < profile_model_get_n_ranks (model); i++) {
            seconds += profile_model_get_class (model, i, class);
        }
        put_double (json, job_class_get_name (class), seconds);
    }
    g_string_append_c (json, '}');
}

static void
put_profile_node (GString *json, const ProfileModel *model, const ProfileNode *node,
                  guint depth)
{
    g_string_append_c (json, '{');
    put_number (json, "depth", depth);
    put_place (json, &node->location);
    put_double (json, "total", node->total);
    put_double (json, "self", node->self);
    put_mark (json, "is_sampled", (node->flags & JOB_FRAME_SAMPLED) != 0);
    begin_field (json, "ranks");
    g_string_append_c (json, '[');
    for (guint i = 0; i < profile_model_get_n_ranks (model); i++) {
        char text[G_ASCII_DTOSTR_BUF_SIZE];

        g_string_append_printf (json, "%s%s", i > 0 ? "," : "",
                                g_ascii_dtostr (text, sizeof text, node->ranks[i]));
    }
    g_string_append (json, "]}");
}

typedef struct {
    const ProfileNode *node;
    guint depth;
} OpenProfile;

/* Only where a time stands for several ranks: who they are, in the order of the times. */
static void
put_groups_of_ranks (GString *json, const ProfileModel *model)
{
    guint n = profile_model_get_n_ranks (model);
    gboolean has_groups = FALSE;

    for (guint i = 0; i < n; i++) {
        has_groups = has_groups || profile_model_get_n_members (model, i) > 1;
    }
    if (!has_groups) {
        return;
    }
    begin_field (json, "groups");
    g_string_append_c (json, '[');
    for (guint i = 0; i < n; i++) {
        g_autoptr (JobRankSet) members = job_rank_set_new ();
        g_autofree char *text = NULL;

        profile_model_add_members (model, i, members);
        text = job_rank_set_format (members);
        g_string_append_printf (json, "%s\"%s\"", i > 0 ? "," : "", text);
    }
    g_string_append_c (json, ']');
}

/* Flat too; the times are seconds, those of each rank, or of each group together, in their order. */
static void
put_profile (GString *json, const ProfileModel *model, const ProfileNode *root)
{
    g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (OpenProfile));
    OpenProfile first = { root, 0 };
    gboolean is_first = TRUE;

    begin_field (json, "frames");
    g_string_append_c (json, '[');
    g_array_append_val (open, first);
    while (open->len > 0) {
        OpenProfile at = g_array_index (open, OpenProfile, open->len - 1);

        g_array_set_size (open, open->len - 1);
        if (at.node != root) {
            g_string_append (json, is_first ? "" : ",");
            put_profile_node (json, model, at.node, at.depth - 1);
            is_first = FALSE;
        }
        for (guint i = at.node->children->len; i > 0; i--) {
            BASE_APPEND (open, OpenProfile, g_ptr_array_index (at.node->children, i - 1),
                         at.depth + 1);
        }
    }
    g_string_append_c (json, ']');
}

/* Flat, with depths: readers of JSON have limits on nesting, stacks have none. */
static void
put_tree (GString *json, const JobStackTree *tree)
{
    g_autoptr (GArray) nodes = command_list_nodes (tree);

    begin_field (json, "frames");
    g_string_append_c (json, '[');
    for (guint i = 0; i < nodes->len; i++) {
        g_string_append (json, i > 0 ? "," : "");
        put_frame (json, &g_array_index (nodes, CommandNode, i));
    }
    g_string_append_c (json, ']');
}

static void
put_summary (GString *json, const JobValueRow *row)
{
    JobValueSummary summary;

    if (row->groups->len < 2 || !job_value_row_summarise (row, &summary)) {
        return;
    }
    begin_field (json, "summary");
    g_string_append_c (json, '{');
    if (summary.n_finite > 0) {
        put_double (json, "min", summary.min);
        put_number (json, "min_at", summary.min_rank);
        put_double (json, "max", summary.max);
        put_number (json, "max_at", summary.max_rank);
        put_double (json, "mean", summary.mean);
    }
    if (summary.nan_ranks != NULL && !job_rank_set_is_empty (summary.nan_ranks)) {
        put_ranks (json, "nan_at", summary.nan_ranks);
    }
    if (summary.inf_ranks != NULL && !job_rank_set_is_empty (summary.inf_ranks)) {
        put_ranks (json, "inf_at", summary.inf_ranks);
    }
    g_string_append_c (json, '}');
    job_value_summary_clear (&summary);
}

static void
put_group (GString *json, const JobValueGroup *group)
{
    g_string_append_c (json, '{');
    put_ranks (json, "ranks", group->ranks);
    put_text (json, "text", group->value->text);
    put_text (json, "type", group->value->type);
    if (group->value->is_number) {
        put_double (json, "number", group->value->number);
    }
    if (group->value->rest != 0) {
        begin_field (json, "digest");
        g_string_append_printf (json, "\"%016" G_GINT64_MODIFIER "x\"", group->value->rest);
    }
    put_mark (json, "problem", group->value->is_problem);
    g_string_append_c (json, '}');
}

static void
put_table (GString *json, const JobValueTable *table, const char *expression)
{
    begin_field (json, "values");
    g_string_append_c (json, '[');
    for (guint i = 0; table != NULL && i < table->rows->len; i++) {
        const JobValueRow *row = g_ptr_array_index (table->rows, i);

        g_string_append (json, i > 0 ? ",{" : "{");
        put_text (json, "name", row->name != NULL ? row->name : expression);
        begin_field (json, "groups");
        g_string_append_c (json, '[');
        for (guint j = 0; j < row->groups->len; j++) {
            g_string_append (json, j > 0 ? "," : "");
            put_group (json, g_ptr_array_index (row->groups, j));
        }
        g_string_append_c (json, ']');
        put_summary (json, row);
        g_string_append_c (json, '}');
    }
    g_string_append_c (json, ']');
}

static GString *
begin_event (const char *name, guint64 request, const JobRankSet *ranks)
{
    GString *json = g_string_new ("{");

    put_text (json, "event", name);
    put_number (json, "request", (gint64) request);
    if (ranks != NULL) {
        put_ranks (json, "ranks", ranks);
    }
    return json;
}

static char *
end_event (GString *json)
{
    g_string_append_c (json, '}');
    return g_string_free (json, FALSE);
}

char *
command_json_format_profile (guint64 request, const JobRankSet *ranks,
                             const ProfileModel *model, const ProfileNode *root)
{
    GString *json = begin_event ("profile", request, ranks);
    double longest = 0;

    for (guint i = 0; i < profile_model_get_n_ranks (model); i++) {
        longest = MAX (longest, profile_model_get_duration (model, i));
    }
    put_double (json, "seconds", longest);
    put_number (json, "samples", (gint64) profile_model_get_n_samples (model));
    put_number (json, "missed", (gint64) profile_model_get_n_dropped (model));
    put_class_seconds (json, model);
    put_groups_of_ranks (json, model);
    put_profile (json, model, root);
    return end_event (json);
}

/* Addresses as texts: they exceed what readers of numbers take exactly. */
static void
put_address (GString *json, const char *name, guint64 address)
{
    g_autofree char *text = g_strdup_printf ("0x%" G_GINT64_MODIFIER "x", address);

    put_text (json, name, text);
}

/* Those that are so. */
static void
put_flags (GString *json, const JobDetail *detail)
{
    static const struct {
        JobDetailFlags flag;
        const char *name;
    } names[] = {
        { JOB_DETAIL_HERE, "here" },
        { JOB_DETAIL_GONE, "gone" },
        { JOB_DETAIL_READABLE, "readable" },
        { JOB_DETAIL_WRITABLE, "writable" },
        { JOB_DETAIL_EXECUTABLE, "executable" },
        { JOB_DETAIL_STOP, "stop" },
        { JOB_DETAIL_PRINT, "print" },
        { JOB_DETAIL_PASS, "pass" },
    };

    for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
        put_mark (json, names[i].name, detail->flags & names[i].flag);
    }
}

static void
put_detail (GString *json, const JobDetail *detail)
{
    static const char *const kinds[JOB_N_DETAILS] = {
        "thread", "register", "instruction", "source", "module",
        "more",   "map",      "signal",      "memory",
    };

    put_text (json, "kind", kinds[detail->kind]);
    if (detail->kind == JOB_DETAIL_THREAD || detail->kind == JOB_DETAIL_SIGNAL) {
        put_number (json, "number", (gint64) detail->number);
    } else if (detail->number != 0) {
        put_address (json, "address", detail->number);
    }
    if (detail->end != 0) {
        put_address (json, "end", detail->end);
    }
    put_text (json, "name", detail->name);
    put_text (json, "text", detail->text);
    put_place (json, detail->place);
    if (detail->kind == JOB_DETAIL_MAP) {
        put_address (json, "offset", detail->offset);
    }
    put_flags (json, detail);
}

static void
put_details (GString *json, const GPtrArray *details)
{
    g_autofree char *text = job_detail_list_format (details);

    put_text (json, "text", text);
    begin_field (json, "details");
    g_string_append_c (json, '[');
    for (guint i = 0; details != NULL && i < details->len; i++) {
        g_string_append (json, i > 0 ? ",{" : "{");
        put_detail (json, g_ptr_array_index (details, i));
        g_string_append_c (json, '}');
    }
    g_string_append_c (json, ']');
}

static void
put_content (GString *json, const JobEvent *event, const char *expression)
{
    switch (event->kind) {
    case JOB_EVENT_STATE: put_state (json, event); break;
    case JOB_EVENT_BREAKPOINT:
        put_number (json, "breakpoint", event->number);
        put_places (json, event->places);
        put_text (json, "text", event->text);
        put_mark (json, "gone", event->flags & JOB_EVENT_GONE);
        break;
    case JOB_EVENT_STACKS:
        if (event->tree != NULL) {
            put_tree (json, event->tree);
        }
        break;
    case JOB_EVENT_RETURNED:
        put_mark (json, "yielded", event->text != NULL);
        put_place (json, event->place);
        put_table (json, event->table, expression);
        break;
    case JOB_EVENT_VALUES:
        put_text (json, "text", event->text);
        put_table (json, event->table, expression);
        break;
    case JOB_EVENT_DETAILS: put_details (json, event->details); break;
    case JOB_EVENT_FAILURE:
        put_text (json, "code", base_error_get_name (event->code));
        put_text (json, "text", event->text);
        break;
    case JOB_EVENT_LOG:
        put_number (json, "breakpoint", event->number);
        put_text (json, "text", event->text);
        break;
    case JOB_EVENT_FRAME:
        put_number (json, "number", event->number);
        put_place (json, event->place);
        break;
    default: put_text (json, "text", event->text); break;
    }
    put_mark (json, "sampled", event->flags & JOB_EVENT_SAMPLED);
    put_mark (json, "stale", event->flags & JOB_EVENT_STALE);
    put_mark (json, "initial", event->flags & JOB_EVENT_INITIAL);
}

char *
command_json_format_event (Session *session, const JobEvent *event, const char *expression)
{
    const char *name = event->kind == JOB_EVENT_STATE ? name_state_event (event)
                       : event->kind == JOB_EVENT_DETAILS
                           ? "text"
                           : job_event_kind_get_name (event->kind);
    GString *json;

    if (event->kind == JOB_EVENT_NONE || event->kind == JOB_EVENT_ACCEPTED
        || event->kind == JOB_EVENT_OUTPUT) {
        return NULL;
    }
    json = begin_event (name, event->request, event->ranks);
    put_content (json, event, expression);
    return end_event (json);
}

char *
command_json_format_text (const char *event, guint64 request, const JobRankSet *ranks,
                          const char *text)
{
    GString *json = begin_event (event, request, ranks);

    put_text (json, "text", text);
    return end_event (json);
}

char *
command_json_format_done (guint64 request, gboolean ok, const JobRankSet *missing)
{
    GString *json = begin_event ("done", request, NULL);

    put_flag (json, "ok", ok);
    if (missing != NULL && !job_rank_set_is_empty (missing)) {
        put_ranks (json, "missing", missing);
    }
    return end_event (json);
}

char *
command_json_format_progress (guint64 request, guint arrived, guint asked)
{
    return g_strdup_printf ("{\"event\":\"progress\",\"request\":%" G_GUINT64_FORMAT
                            ",\"arrived\":%u,\"of\":%u}",
                            request, arrived, asked);
}

char *
command_json_format_output (const JobRankSet *ranks, guint stream, const char *data, gsize size)
{
    GString *json = g_string_new ("{\"event\":\"output\"");

    if (ranks != NULL) {
        put_ranks (json, "ranks", ranks);
    }
    put_text (json, "stream", stream == 2 ? "stderr" : "stdout");
    put_bytes (json, "text", data, size);
    return end_event (json);
}

static void
put_parts (GString *json, GPtrArray *parts)
{
    begin_field (json, "parts");
    g_string_append_c (json, '[');
    for (guint i = 0; i < parts->len; i++) {
        const AnalysisVerdictPart *part = g_ptr_array_index (parts, i);

        g_string_append (json, i > 0 ? ",{" : "{");
        put_ranks (json, "ranks", part->ranks);
        put_text (json, "call", part->call);
        put_place (json, part->place);
        put_flag (json, "culprit", part->is_culprit);
        g_string_append_c (json, '}');
    }
    g_string_append_c (json, ']');
}

char *
command_json_format_verdict (guint64 request, const AnalysisVerdict *verdict)
{
    GString *json = begin_event ("why", request, verdict->waiting);

    put_text (json, "verdict", analysis_verdict_kind_get_name (verdict->kind));
    put_text (json, "text", verdict->text->english);
    put_ranks (json, "culprits", verdict->culprits);
    put_ranks (json, "behind", verdict->behind);
    put_ranks (json, "stuck", verdict->stuck);
    put_text (json, "command", verdict->command);
    put_text (json, "source", job_message_source_get_name (verdict->source));
    put_flag (json, "certain", verdict->is_certain);
    put_parts (json, verdict->parts);
    return end_event (json);
}

/* Tags are numbers, or "any" and the like. */
static void
put_tag (GString *json, gint32 tag)
{
    g_autofree char *word = job_message_tag_format (tag);

    if (job_message_tag_is_number (tag)) {
        put_number (json, "tag", tag);
    } else if (tag == JOB_MESSAGE_ANY || tag == JOB_MESSAGE_TAG_UNKNOWN) {
        put_text (json, "tag", word);
    }
}

/* Peers are numbers, or "any" and the like. */
static void
put_peer (GString *json, const char *name, gint32 peer)
{
    g_autofree char *word = peer < 0 ? job_message_peer_format (peer) : NULL;

    if (peer == JOB_MESSAGE_NONE) {
        return;
    }
    if (word != NULL) {
        put_text (json, name, word);
    } else {
        put_number (json, name, peer);
    }
}

char *
command_json_format_queue (guint64 request, const CommandQueueRow *row)
{
    GString *json = begin_event ("queue", request, row->ranks);

    put_text (json, "what", row->what);
    put_text (json, "text", row->text);
    put_text (json, "operation", row->operation);
    put_text (json, "method", row->method);
    put_text (json, "communicator", row->communicator);
    put_peer (json, row->sequence > 0 ? "root" : "peer", row->peer);
    put_tag (json, row->tag);
    put_text (json, "datatype", row->datatype);
    put_count (json, "bytes", (gint64) row->bytes);
    put_count (json, "collective", (gint64) row->sequence);
    put_count (json, "requests", row->n_requests);
    put_count (json, "messages", (gint64) row->count);
    if (row->n_first > 0) {
        put_bytes (json, "first", (const char *) row->first, row->n_first);
    }
    put_place (json, row->place);
    return end_event (json);
}
