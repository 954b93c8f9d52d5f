/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For chrome://tracing, and for Perfetto, too: Chrome's Trace Event Format (JSON) as its description ("Trace Event Format",
 * Google) has it: processes are ranks, begin and end of each function are events B and E, memory is a counter C, and a
 * message is a flow from s to f. */
#include "profile/export/private.h"
#include "base/json.h"
#include "profile/messages.h"
#include <string.h>

typedef struct {
    ProfileExportTimeline timeline;
    GString *json;
} Chrome;

static void
begin_event (Chrome *to, const char *kind, guint32 rank, guint32 thread, gint64 time_us)
{
    g_string_append_printf (to->json,
                            ",\n{\"ph\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":%" G_GINT64_FORMAT,
                            kind, rank, thread, time_us);
}

static void
begin_own (Chrome *to, const char *kind, gint64 time_us)
{
    begin_event (to, kind, to->timeline.rank, to->timeline.thread, time_us);
}

static void
put_text (Chrome *to, const char *name, const char *text)
{
    g_string_append_printf (to->json, "\"%s\":", name);
    base_json_append_string (to->json, text, strlen (text));
}

static void
put_name (Chrome *to, const char *what, const char *key, const char *name)
{
    begin_own (to, "M", 0);
    g_string_append_printf (to->json, ",\"name\":\"%s\",\"args\":{", what);
    put_text (to, key, name);
    g_string_append (to->json, "}}");
}

static void
name_rank (gpointer data, const char *name, const char *note)
{
    put_name (data, "process_name", "name", name);
    if (note != NULL) {
        put_name (data, "process_labels", "labels", note);
    }
}

static void
name_thread (gpointer data, const char *name)
{
    put_name (data, "thread_name", "name", name);
}

static void
begin_function (gpointer data, gint64 time_us, guint32 number)
{
    Chrome *to = data;
    const ProfileExportFunction *function = profile_export_table_get (to->timeline.table,
                                                                      number);

    begin_own (to, "B", time_us);
    g_string_append_c (to->json, ',');
    put_text (to, "name", function->name);
    if (*function->file != '\0') {
        g_autofree char *place = function->line > 0
                                     ? g_strdup_printf ("%s:%u", function->file, function->line)
                                     : g_strdup (function->file);

        g_string_append (to->json, ",\"args\":{");
        put_text (to, "place", place);
        g_string_append_c (to->json, '}');
    }
    g_string_append_c (to->json, '}');
}

static void
end_function (gpointer data, gint64 time_us)
{
    Chrome *to = data;

    begin_own (to, "E", time_us);
    g_string_append_c (to->json, '}');
}

static void
put_value (gpointer data, gint64 time_us, const char *name, const char *unit, double value)
{
    Chrome *to = data;
    const char *key = *unit != '\0' ? unit : "value";
    char number[G_ASCII_DTOSTR_BUF_SIZE];

    begin_own (to, "C", time_us);
    g_string_append_c (to->json, ',');
    put_text (to, "name", name);
    g_string_append (to->json, ",\"args\":{");
    base_json_append_string (to->json, key, strlen (key));
    g_string_append_printf (to->json, ":%s}}", g_ascii_dtostr (number, sizeof number, value));
}

static void
put_end_of_flow (Chrome *to, const char *kind, guint32 rank, gint64 time_us, guint32 number)
{
    begin_event (to, kind, rank, 1, time_us);
    g_string_append_printf (to->json, ",\"cat\":\"message\",\"name\":\"message\",\"id\":%u",
                            number);
}

static void
put_message (gpointer data, guint32 number, const ProfileMessage *message, gint64 sent_us,
             gint64 received_us)
{
    Chrome *to = data;

    put_end_of_flow (to, "s", message->from, sent_us, number);
    g_string_append_printf (to->json,
                            ",\"args\":{\"to\":%u,\"tag\":%u,\"bytes\":%" G_GUINT64_FORMAT "}}",
                            message->to, message->tag, message->bytes);
    put_end_of_flow (to, "f", message->to, received_us, number);
    g_string_append (to->json, ",\"bp\":\"e\"}");
}

static const ProfileExportWriter writer = { name_rank,    name_thread, begin_function,
                                            end_function, put_value,   put_message };

static void
put_totals (Chrome *to)
{
    g_autofree char *note = profile_export_timeline_dup_note (to->timeline.table);

    if (note != NULL) {
        g_string_append_printf (to->json,
                                ",\"recorded calls\":\"%" G_GUINT64_FORMAT
                                "\",\"slices\":\"%" G_GUINT64_FORMAT "\",",
                                profile_model_get_n_calls (to->timeline.table->model),
                                to->timeline.n_slices);
        put_text (to, "note", note);
    }
}

gboolean
profile_export_chrome (const ProfileExportTable *table, const char *path, GError **error)
{
    Chrome to = { 0 };
    gboolean ok;

    /* an event at the beginning, so that all others follow a comma */
    to.json = g_string_new (
        "{\"displayTimeUnit\":\"ms\",\n\"traceEvents\":["
        "{\"ph\":\"M\",\"pid\":0,\"tid\":0,\"ts\":0,\"name\":\"trace_name\",\"args\":{\"name\":"
        "\"pddt\"}}");
    profile_export_timeline_write (&to.timeline, table, &writer);
    g_string_append (to.json, "],\n\"otherData\":{\"exporter\":\"pddt\"");
    put_totals (&to);
    g_string_append (to.json, "}}\n");
    ok = profile_text_save (path, to.json->str, to.json->len, error);
    g_string_free (to.json, TRUE);
    return ok;
}
