/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dap/write.h"
#include "base/json.h"
#include <string.h>

static void
begin_value (GString *json, const char *name)
{
    if (json->len > 0 && strchr ("{[", json->str[json->len - 1]) == NULL) {
        g_string_append_c (json, ',');
    }
    if (name != NULL) {
        g_string_append_c (json, '"');
        g_string_append (json, name);
        g_string_append (json, "\":");
    }
}

void
dap_write_begin (GString *json, const char *name, char bracket)
{
    begin_value (json, name);
    g_string_append_c (json, bracket);
}

void
dap_write_end (GString *json, char bracket)
{
    g_string_append_c (json, bracket);
}

void
dap_write_text (GString *json, const char *name, const char *text)
{
    g_autofree char *valid = NULL;

    if (text == NULL) {
        return;
    }
    if (!g_utf8_validate (text, -1, NULL)) {
        text = valid = g_utf8_make_valid (text, -1);
    }
    begin_value (json, name);
    base_json_append_string (json, text, strlen (text));
}

void
dap_write_number (GString *json, const char *name, gint64 number)
{
    begin_value (json, name);
    g_string_append_printf (json, "%" G_GINT64_FORMAT, number);
}

void
dap_write_flag (GString *json, const char *name, gboolean flag)
{
    begin_value (json, name);
    g_string_append (json, flag ? "true" : "false");
}

void
dap_write_raw (GString *json, const char *name, const char *text)
{
    begin_value (json, name);
    g_string_append (json, text);
}

void
dap_write_address (GString *json, const char *name, guint64 address)
{
    begin_value (json, name);
    g_string_append_printf (json, "\"0x%" G_GINT64_MODIFIER "x\"", address);
}
