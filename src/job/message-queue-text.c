/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text for the contents of queues. */
#include "job/message-queue.h"
#include <glib/gi18n.h>
#include <string.h>

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

gboolean
job_message_tag_is_number (gint32 tag)
{
    return tag > JOB_MESSAGE_TAG_WINDOWS && tag != JOB_MESSAGE_ANY;
}

char *
job_message_tag_format (gint32 tag)
{
    return job_message_tag_is_number (tag)  ? g_strdup_printf ("%d", tag)
           : tag == JOB_MESSAGE_ANY         ? g_strdup ("any")
           : tag == JOB_MESSAGE_TAG_UNKNOWN ? g_strdup ("?")
                                            : g_strdup ("none");
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

/* Fortran's with their usual size (an engine sends no first bytes of others); not long double, whose bytes are not all
 * used. */
static const struct {
    const char *name;
    char class; /* i(nteger), u(nsigned), f(loat) */
    guint8 size;
} types[] = {
    { "MPI_SIGNED_CHAR", 'i', 1 },
    { "MPI_UNSIGNED_CHAR", 'u', 1 },
    { "MPI_SHORT", 'i', sizeof (short) },
    { "MPI_UNSIGNED_SHORT", 'u', sizeof (short) },
    { "MPI_INT", 'i', sizeof (int) },
    { "MPI_UNSIGNED", 'u', sizeof (int) },
    { "MPI_LONG", 'i', sizeof (long) },
    { "MPI_UNSIGNED_LONG", 'u', sizeof (long) },
    { "MPI_LONG_LONG", 'i', sizeof (long long) },
    { "MPI_LONG_LONG_INT", 'i', sizeof (long long) },
    { "MPI_UNSIGNED_LONG_LONG", 'u', sizeof (long long) },
    { "MPI_INT8_T", 'i', 1 },
    { "MPI_INT16_T", 'i', 2 },
    { "MPI_INT32_T", 'i', 4 },
    { "MPI_INT64_T", 'i', 8 },
    { "MPI_UINT8_T", 'u', 1 },
    { "MPI_UINT16_T", 'u', 2 },
    { "MPI_UINT32_T", 'u', 4 },
    { "MPI_UINT64_T", 'u', 8 },
    { "MPI_INTEGER1", 'i', 1 },
    { "MPI_INTEGER2", 'i', 2 },
    { "MPI_INTEGER4", 'i', 4 },
    { "MPI_INTEGER8", 'i', 8 },
    { "MPI_INTEGER", 'i', 4 },
    { "MPI_REAL", 'f', 4 },
    { "MPI_DOUBLE_PRECISION", 'f', 8 },
    { "MPI_FLOAT", 'f', 4 },
    { "MPI_DOUBLE", 'f', 8 },
    { "MPI_REAL4", 'f', 4 },
    { "MPI_REAL8", 'f', 8 },
};

/* As few digits as give the number back. */
static void
append_float (GString *text, double value, guint size)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];

    for (guint n = size == 4 ? 6 : 15;; n++) {
        char format[] = { '%', '.', (char) ('0' + n / 10), (char) ('0' + n % 10), 'g', '\0' };
        double back = g_ascii_strtod (g_ascii_formatd (digits, sizeof digits, format, value),
                                      NULL);

        if (n == (size == 4 ? 9 : 17) || back == value
            || (size == 4 && (float) back == (float) value)) {
            g_string_append (text, digits);
            return;
        }
    }
}

/* Ranks and pddt have the same order of bytes. */
static void
append_value (GString *text, char class, guint size, const guint8 *bytes)
{
    guint64 value = 0;
    gint64 number;
    double real;
    float single;

    memcpy (&value, bytes, size);
    switch (class) {
    case 'u': g_string_append_printf (text, "%" G_GUINT64_FORMAT, value); break;
    case 'i':
        number = (gint64) (value << (64 - 8 * size)) >> (64 - 8 * size);
        g_string_append_printf (text, "%" G_GINT64_FORMAT, number);
        break;
    default:
        memcpy (&single, bytes, sizeof single);
        if (size == sizeof real) {
            memcpy (&real, bytes, sizeof real);
        } else {
            real = (double) single;
        }
        append_float (text, real, size);
    }
}

char *
job_message_format_values (const char *datatype, const guint8 *first, guint32 n_first,
                           guint64 bytes)
{
    GString *text;
    guint at = 0, size;

    while (at < G_N_ELEMENTS (types) && g_strcmp0 (types[at].name, datatype) != 0) {
        at++;
    }
    if (at == G_N_ELEMENTS (types)) {
        return NULL;
    }
    size = types[at].size;
    n_first = MIN (n_first, JOB_MESSAGE_MAX_BYTES);
    if (n_first < size || bytes % size != 0) {
        return NULL;
    }
    text = g_string_new (NULL);
    for (guint i = 0; i + size <= n_first; i += size) {
        g_string_append (text, i > 0 ? ", " : "");
        append_value (text, types[at].class, size, first + i);
    }
    g_string_append (text, n_first < bytes ? ", …" : "");
    return g_string_free (text, FALSE);
}
