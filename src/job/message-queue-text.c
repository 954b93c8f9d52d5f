/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text for the contents of queues. */
#include "job/message-queue.h"
#include <glib/gi18n.h>

static const char *const sources[JOB_MESSAGE_N_SOURCES] = {
    [JOB_MESSAGE_SOURCE_NONE] = "nothing",
    [JOB_MESSAGE_SOURCE_STACK] = "stack",
    [JOB_MESSAGE_SOURCE_DLL] = "message queue library",
    [JOB_MESSAGE_SOURCE_RECORDER] = "recorder",
};

static const char *const kinds[JOB_MESSAGE_N_KINDS] = {
    [JOB_MESSAGE_LOCAL] = "local",
    [JOB_MESSAGE_POLL] = "poll",
    [JOB_MESSAGE_SEND] = "send",
    [JOB_MESSAGE_RECV] = "recv",
    [JOB_MESSAGE_PROBE] = "probe",
    [JOB_MESSAGE_SENDRECV] = "sendrecv",
    [JOB_MESSAGE_WAIT_ALL] = "wait-all",
    [JOB_MESSAGE_WAIT_ANY] = "wait-any",
    [JOB_MESSAGE_COLLECTIVE] = "collective",
    [JOB_MESSAGE_RMA] = "rma",
    [JOB_MESSAGE_OUTER] = "outer",
    [JOB_MESSAGE_INIT] = "init",
    [JOB_MESSAGE_FINALIZE] = "finalize",
};

const char *
job_message_source_get_name (JobMessageSource source)
{
    return (guint) source < JOB_MESSAGE_N_SOURCES ? sources[source] : sources[0];
}

const char *
job_message_kind_get_name (JobMessageKind kind)
{
    return (guint) kind < JOB_MESSAGE_N_KINDS ? kinds[kind] : kinds[0];
}

char *
job_message_peer_format (gint32 peer)
{
    switch (peer) {
    case JOB_MESSAGE_ANY: return g_strdup ("any");
    case JOB_MESSAGE_NONE: return g_strdup ("none");
    case JOB_MESSAGE_OUTSIDE: return g_strdup ("outside");
    default: return peer >= 0 ? g_strdup_printf ("%d", peer) : g_strdup ("?");
    }
}

static char *
print_digits (BaseTextForm form, gulong number)
{
    gboolean is_teen = number / 10 % 10 == 1;

    switch (is_teen ? 0 : number % 10) {
    case 1: return base_text_print_in (form, "number of a collective", "%lust", number);
    case 2: return base_text_print_in (form, "number of a collective", "%lund", number);
    case 3: return base_text_print_in (form, "number of a collective", "%lurd", number);
    default: return base_text_print_in (form, "number of a collective", "%luth", number);
    }
}

char *
job_message_format_ordinal (BaseTextForm form, guint64 number)
{
    /* Translators: numbers that stand in "the first collective on halo", however the sentence goes
       on: digits where the word would have several forms. */
    static const char *const words[]
        = { NC_ ("number of a collective", "first"),   NC_ ("number of a collective", "second"),
            NC_ ("number of a collective", "third"),   NC_ ("number of a collective", "fourth"),
            NC_ ("number of a collective", "fifth"),   NC_ ("number of a collective", "sixth"),
            NC_ ("number of a collective", "seventh"), NC_ ("number of a collective", "eighth"),
            NC_ ("number of a collective", "ninth") };

    if (number < 1 || number > G_N_ELEMENTS (words)) {
        return print_digits (form, (gulong) number);
    }
    return g_strdup (form == BASE_TEXT_SHOWN
                         ? g_dpgettext2 (NULL, "number of a collective", words[number - 1])
                         : words[number - 1]);
}

char *
job_message_queue_format_communicator (const JobMessageQueue *queue, guint64 id)
{
    const JobMessageCommunicator *communicator;

    if (id == JOB_MESSAGE_UNKNOWN_ID) {
        return g_strdup ("?");
    }
    communicator = job_message_queue_find_communicator (queue, id);
    if (communicator != NULL && communicator->name != NULL && communicator->name[0] != '\0') {
        return g_strdup (communicator->name);
    }
    if (id == JOB_MESSAGE_WORLD_ID) {
        return g_strdup ("MPI_COMM_WORLD");
    }
    /* Four digits distinguish the few communicators of a program; JSON has all digits. */
    return g_strdup_printf ("communicator #%04x", (guint) (id & 0xffff));
}

char *
job_message_format_first (const guint8 *first, guint32 n_first)
{
    GString *text = g_string_new (NULL);

    for (guint32 i = 0; i < n_first && i < JOB_MESSAGE_MAX_BYTES; i++) {
        if (first[i] == '\\' || first[i] == '"') {
            g_string_append_printf (text, "\\%c", first[i]);
        } else if (g_ascii_isprint (first[i])) {
            g_string_append_c (text, (char) first[i]);
        } else {
            g_string_append_printf (text, "\\x%02x", first[i]);
        }
    }
    return g_string_free (text, FALSE);
}
