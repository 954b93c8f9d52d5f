/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many elements of an array of plain numbers: they come as bytes and get their texts here, because a value that is made,
 * compared and packed for each costs ten times as much. What has other texts than its number (characters, enumerators,
 * truth values, typedefs that may be one of them) is printed. */
#include "base/cursor.h"
#include "base/real.h"
#include "dap/private.h"
#include <string.h>

#define MOST 100000 /* elements of one answer */

/* In the words of gcc and clang. */
static const char *const numbers[] = { "float",
                                       "double",
                                       "int",
                                       "long",
                                       "short",
                                       "unsigned int",
                                       "unsigned long",
                                       "long int",
                                       "short int",
                                       "long unsigned int",
                                       "short unsigned int",
                                       "unsigned short",
                                       "long long",
                                       "long long int",
                                       "unsigned long long",
                                       "long long unsigned int",
                                       NULL };

/* "double" of "double [8]"; NULL: they are no plain numbers. Caller owns. */
static char *
dup_element_type (const char *type)
{
    const char *bracket = type != NULL ? strstr (type, " [") : NULL;
    g_autofree char *element = NULL;

    if (bracket == NULL || strchr (bracket + 2, '[') != NULL) {
        return NULL;
    }
    element = g_strndup (type, (gsize) (bracket - type));
    return g_strv_contains (numbers, element) ? g_steal_pointer (&element) : NULL;
}

gboolean
dap_elements_are_plain (const DapHandle *handle, gint64 count)
{
    g_autofree char *element = dup_element_type (handle->type);

    return element != NULL && count <= MOST
           && (handle->place == NULL || handle->place->language != JOB_LANGUAGE_PYTHON);
}

const JobEvent *
dap_elements_find (SessionAnswer *answer)
{
    return BASE_FIND (answer->groups, const JobEvent, event,
                      event->kind == JOB_EVENT_ARRAY && event->text != NULL
                          && event->bytes != NULL);
}

static char *
format_element (char kind, guint size, guint64 bits)
{
    guint shift = 64 - 8 * size;
    double real;
    float single;
    guint32 half = (guint32) bits;

    if (kind == 'i') {
        return g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) (bits << shift) >> shift);
    }
    if (kind == 'u') {
        return g_strdup_printf ("%" G_GUINT64_FORMAT, bits);
    }
    memcpy (&real, &bits, sizeof real);
    memcpy (&single, &half, sizeof single);
    return base_real_format (size == 4 ? single : real, size);
}

gboolean
dap_elements_write (GString *body, const DapHandle *handle, const JobEvent *event, gint64 first)
{
    g_autofree char *type = dup_element_type (handle->type);
    gsize n_bytes;
    const guint8 *data = g_bytes_get_data (event->bytes, &n_bytes);
    BaseCursor cursor = BASE_CURSOR_INIT (data, n_bytes);
    char kind = event->text[0] == '<' ? event->text[1] : '\0';
    guint size = kind != '\0' ? (guint) g_ascii_strtoull (event->text + 2, NULL, 10) : 0;

    if (strchr ("iuf", kind) == NULL || (size != 2 && size != 4 && size != 8)
        || (kind == 'f' && size == 2)) {
        return FALSE;
    }
    for (gint64 i = first; base_cursor_get_left (&cursor) >= size; i++) {
        g_autofree char *text = format_element (kind, size,
                                                base_cursor_read_uint (&cursor, size));
        g_autofree char *name = g_strdup_printf ("[%" G_GINT64_FORMAT "]", i);
        g_autofree char *path = g_strconcat (handle->path, name, NULL);

        dap_write_begin (body, NULL, '{');
        dap_write_text (body, "name", name);
        dap_write_text (body, "value", text);
        dap_write_text (body, "type", type);
        dap_write_text (body, "evaluateName", path);
        dap_write_number (body, "variablesReference", 0);
        dap_write_end (body, '}');
    }
    return TRUE;
}
