/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a configuration sets before anything runs: a time limit, options, and lines for the console. */
#include "dap/private.h"
#include <string.h>

static void
note (DapRequest *request, const char *sentence)
{
    if (request->problem == NULL) {
        request->problem = g_strdup (sentence);
    }
}

static void
take_lines (DapRequest *request)
{
    const json_t *list = dap_request_get_list (request, request->arguments, "initCommands");
    g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
    const json_t *line;
    size_t i;

    json_array_foreach (list, i, line)
    {
        const char *text = json_string_value (line);

        if (text == NULL || strchr (text, '\n') != NULL) {
            note (request, "\"initCommands\" must be a list of lines");
            return;
        }
        g_ptr_array_add (lines, g_strdup (text));
    }
    g_clear_pointer (&request->server->setup_lines, g_ptr_array_unref);
    request->server->setup_lines = g_steal_pointer (&lines);
}

void
dap_setup_take (DapRequest *request, guint *ret_timeout_s)
{
    gint64 timeout_s = dap_request_get_number (request, request->arguments, "timeout", 0);
    const json_t *options = dap_request_get_object (request, request->arguments, "options");
    const char *name;
    json_t *value;

    if (timeout_s < 0 || timeout_s > G_MAXINT32 / 1000) {
        note (request, "\"timeout\" must be a number of seconds");
    }
    *ret_timeout_s = (guint) CLAMP (timeout_s, 0, G_MAXINT32 / 1000);
    json_object_foreach ((json_t *) options, name, value)
    {
        if (!json_is_string (value) && !json_is_integer (value) && !json_is_boolean (value)) {
            note (request, "\"options\" must be an object of texts, numbers, true and false");
        }
    }
    take_lines (request);
}

/* As it is typed. Caller owns. */
static char *
format_value (const json_t *value)
{
    return json_is_boolean (value) ? g_strdup (json_is_true (value) ? "on" : "off")
           : json_is_integer (value)
               ? g_strdup_printf ("%" JSON_INTEGER_FORMAT, json_integer_value (value))
               : g_strdup (json_string_value (value));
}

static void
on_option_set (gboolean ok, gpointer is_set)
{
    *(gboolean *) is_set = ok;
}

/* Nobody is there yet who would have to be asked, so it is set at once. Caller owns; NULL: it is set. */
static char *
set_option (DapServer *server, const char *name, const char *value)
{
    g_autofree char *word = command_quote_word (name);
    g_autofree char *line = g_strdup_printf ("set option %s %s", word, value);
    gboolean is_set = FALSE;
    GString *text;

    server->setup_text = g_string_new (NULL);
    if (strchr (value, '\n') == NULL) {
        command_run (server->context, line, on_option_set, &is_set);
        command_context_flush (server->context);
    }
    text = g_steal_pointer (&server->setup_text);
    return g_string_free (text, is_set);
}

gboolean
dap_setup_apply (DapRequest *request)
{
    const json_t *options = dap_request_get_object (request, request->arguments, "options");
    const char *name;
    json_t *value;

    json_object_foreach ((json_t *) options, name, value)
    {
        g_autofree char *text = format_value (value);
        g_autofree char *problem = set_option (request->server, name, text);

        if (problem != NULL) {
            const char *sentence = g_str_has_prefix (problem, "error: ")
                                       ? problem + strlen ("error: ")
                                       : problem;

            dap_fail (request, "%s: \"options\": %s", request->command,
                      *sentence != '\0' ? sentence : "a value must be one line");
            return FALSE;
        }
    }
    return TRUE;
}

static void
on_line_done (gboolean ok, gpointer data)
{
    DapServer *server = data;

    server->n_setup--;
    dap_life_begin_if_ready (server);
}

void
dap_setup_run (DapServer *server)
{
    g_autoptr (GPtrArray) lines = g_steal_pointer (&server->setup_lines);

    server->n_setup = lines != NULL ? lines->len : 0;
    for (guint i = 0; lines != NULL && i < lines->len; i++) {
        command_run (server->context, g_ptr_array_index (lines, i), on_line_done, server);
    }
}
