/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "script/port.h"
#include "base/array.h"

ScriptMessage *
script_message_new (ScriptKind kind, guint64 id, const char *text)
{
    ScriptMessage *message = g_new0 (ScriptMessage, 1);

    message->kind = kind;
    message->id = id;
    message->text = g_strdup (text);
    return message;
}

BASE_FREE_PUBLIC (script_message_free, ScriptMessage, message, g_free (message->text);
                  g_free (message->text2); g_free (message->text3);
                  g_clear_pointer (&message->data, g_bytes_unref))
