/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formats are filled in here and not by printf: one that comes from the net is data, and may be anything. */
#include "job/text.h"
#include <glib/gi18n.h>
#include <string.h>
#include "base/array.h"
#include "base/error.h"
#include "base/escape.h"
#include "job/wire-private.h"

enum { MAX_DEPTH = 32, MAX_ARGUMENTS = 16, N_REASONS = 134 };

struct _JobText {
    char *format, *many;  /* many NULL: there is no number */
    guint32 n;            /* of plain text: the errno(3) whose reason it is; 0: of none */
    GPtrArray *arguments; /* of JobText; NULL: format is plain text */
};

static JobText *
make_text (const char *format, const char *many, guint32 n)
{
    JobText *text = g_new0 (JobText, 1);

    text->format = g_strdup (format);
    text->many = g_strdup (many);
    text->n = n;
    return text;
}

static void
take_argument (JobText *text, JobText *argument)
{
    g_ptr_array_add (text->arguments, argument);
}

static void
read_arguments (JobText *text, const char *format, va_list arguments)
{
    const char *begin;
    char kind;
    int index;

    text->arguments = g_ptr_array_new_with_free_func ((GDestroyNotify) job_text_free);
    while ((format = base_text_find_directive (format, &begin, &kind, &index)) != NULL
           && kind != '\0') {
        g_autofree char *number = NULL;

        if (kind == 's') {
            const char *one = va_arg (arguments, const char *);

            take_argument (text, job_text_new_plain (one != NULL ? one : "?"));
        } else if (kind == 'u') {
            number = g_strdup_printf ("%u", va_arg (arguments, guint));
        } else if (kind == 'd') {
            number = g_strdup_printf ("%d", va_arg (arguments, int));
        }
        if (number != NULL) {
            take_argument (text, job_text_new_plain (number));
        }
    }
}

JobText *
job_text_new_valist (const char *format, va_list arguments)
{
    JobText *text = make_text (format, NULL, 0);

    read_arguments (text, format, arguments);
    return text;
}

JobText *
job_text_new (const char *format, ...)
{
    JobText *text;
    va_list arguments;

    va_start (arguments, format);
    text = job_text_new_valist (format, arguments);
    va_end (arguments);
    return text;
}

JobText *
job_text_new_plural (const char *one, const char *many, guint n, ...)
{
    JobText *text = make_text (one, many, n);
    va_list arguments;

    va_start (arguments, n);
    read_arguments (text, many, arguments);
    va_end (arguments);
    return text;
}

JobText *
job_text_new_plain (const char *text)
{
    return make_text (text, NULL, 0);
}

JobText *
job_text_new_formed (const char *format, const char *const *arguments)
{
    JobText *text = make_text (format, NULL, 0);

    text->arguments = g_ptr_array_new_with_free_func ((GDestroyNotify) job_text_free);
    for (guint i = 0; arguments[i] != NULL; i++) {
        take_argument (text, job_text_new_plain (arguments[i]));
    }
    return text;
}

JobText *
job_text_new_reason (const char *reason)
{
    const char *const none[] = { NULL };

    return job_text_new_formed (reason, none);
}

/* 0: it is none of the system's reasons. */
static guint32
find_reason (const char *text)
{
    guint32 number = 1;

    while (number < N_REASONS && strcmp (text, g_strerror ((int) number)) != 0) {
        number++;
    }
    return number < N_REASONS ? number : 0;
}

JobText *
job_text_new_error (const GError *error)
{
    const char *const *arguments;
    gboolean has_reason;
    const char *format = base_error_get_form (error, &arguments, &has_reason);
    JobText *text;

    if (format == NULL) {
        return NULL;
    }
    text = make_text (format, NULL, 0);
    text->arguments = g_ptr_array_new_with_free_func ((GDestroyNotify) job_text_free);
    for (guint i = 0; arguments[i] != NULL; i++) {
        JobText *argument = make_text (arguments[i], NULL, find_reason (arguments[i]));

        if (has_reason && arguments[i + 1] == NULL) {
            argument->n = 0;
            argument->arguments = g_ptr_array_new ();
        }
        take_argument (text, argument);
    }
    return text;
}

void
job_text_nest (JobText *text, guint index, JobText *argument)
{
    g_return_if_fail (text->arguments != NULL && index < text->arguments->len);
    job_text_free (text->arguments->pdata[index]);
    text->arguments->pdata[index] = argument;
}

/* Takes all. */
static JobText *
put_beside (JobText *both, JobText *first, JobText *next)
{
    job_text_nest (both, 0, first);
    job_text_nest (both, 1, next);
    return both;
}

JobText *
job_text_join (JobText *first, JobText *next)
{
    /* Translators: joins two entries of a list within a sentence. */
    return first != NULL ? put_beside (job_text_new ("%s; %s", "", ""), first, next) : next;
}

JobText *
job_text_append (JobText *first, JobText *next)
{
    /* Translators: joins two short entries of a list within a sentence. */
    return first != NULL ? put_beside (job_text_new ("%s, %s", "", ""), first, next) : next;
}

JobText *
job_text_dup (const JobText *text)
{
    JobText *copy;

    if (text == NULL) {
        return NULL;
    }
    copy = make_text (text->format, text->many, text->n);
    if (text->arguments != NULL) {
        copy->arguments = g_ptr_array_new_with_free_func ((GDestroyNotify) job_text_free);
        for (guint i = 0; i < text->arguments->len; i++) {
            take_argument (copy, job_text_dup (text->arguments->pdata[i]));
        }
    }
    return copy;
}

BASE_FREE_PUBLIC (job_text_free, JobText, text, g_free (text->format); g_free (text->many);
                  g_clear_pointer (&text->arguments, g_ptr_array_unref))

/* Whether the format takes each of n arguments once. */
static gboolean
fits (const char *format, guint n)
{
    const char *begin;
    guint32 taken = 0;
    char kind;
    int index;

    for (guint i = 0;
         (format = base_text_find_directive (format, &begin, &kind, &index)) != NULL;) {
        guint at = index >= 0 ? (guint) index : i;

        if (kind == '%') {
            continue;
        }
        if (kind == '\0' || at >= n || (taken & (1u << at)) != 0) {
            return FALSE;
        }
        taken |= 1u << at;
        i++;
    }
    return taken == (1u << n) - 1;
}

/* A format that fits. */
static char *
fill_in (BaseTextForm form, const char *format, const GPtrArray *arguments)
{
    GString *line = g_string_new (NULL);
    const char *begin, *next;
    char kind;
    int index;
    guint n = 0;

    while ((next = base_text_find_directive (format, &begin, &kind, &index)) != NULL) {
        g_string_append_len (line, format, begin - format);
        format = next;
        if (kind == '%') {
            g_string_append_c (line, '%');
        } else {
            g_autofree char *argument
                = job_text_print (form, arguments->pdata[index >= 0 ? (guint) index : n]);

            g_string_append (line, argument);
            n++;
        }
    }
    g_string_append (line, format);
    return g_string_free (line, FALSE);
}

/* gettext has a header for "". */
static const char *
translate (const JobText *text)
{
    if (*text->format == '\0') {
        return text->format;
    }
    return text->many != NULL ? ngettext (text->format, text->many, text->n)
                              : gettext (text->format);
}

char *
job_text_print (BaseTextForm form, const JobText *text)
{
    const char *english = text->many != NULL && text->n != 1 ? text->many : text->format;
    const char *shown = form == BASE_TEXT_SHOWN && text->arguments != NULL ? translate (text)
                                                                           : english;
    guint n = text->arguments != NULL ? text->arguments->len : 0;

    if (text->arguments == NULL && form == BASE_TEXT_SHOWN && text->n > 0
        && text->n < N_REASONS) {
        return g_strdup (g_strerror ((int) text->n));
    }
    if (text->arguments != NULL && n == 0 && strchr (english, '%') != NULL
        && strstr (english, "%%") == NULL) {
        return g_strdup (shown); /* a reason with a word such as %python_debug% */
    }
    if (text->arguments == NULL || (!fits (shown, n) && !fits (english, n))) {
        return g_strdup (english);
    }
    return fill_in (form, fits (shown, n) ? shown : english, text->arguments);
}

const JobText *
job_text_get_argument (const JobText *text, guint index)
{
    return text->arguments != NULL && index < text->arguments->len
               ? g_ptr_array_index (text->arguments, index)
               : NULL;
}

void
job_text_raise (const JobText *text, int code, GError **error)
{
    g_autofree char *english = job_text_print (BASE_TEXT_ENGLISH, text);
    g_autoptr (GPtrArray) arguments = g_ptr_array_new_with_free_func (g_free);
    const JobText *last = NULL;

    for (guint i = 0; (text->arguments != NULL) && i < text->arguments->len; i++) {
        last = g_ptr_array_index (text->arguments, i);
        g_ptr_array_add (arguments, job_text_print (BASE_TEXT_ENGLISH, last));
    }
    g_ptr_array_add (arguments, NULL);
    base_error_set_formed (error, code, english, text->many == NULL ? text->format : NULL,
                           (const char *const *) arguments->pdata,
                           last != NULL && last->arguments != NULL);
}

/* ---- bytes: format, many, number, whether it is plain, else its arguments ---- */

void
job_wire_write_said (GByteArray *block, const JobText *text)
{
    guint n = text->arguments != NULL ? text->arguments->len : 0;

    job_wire_write_text (block, text->format);
    job_wire_write_text (block, text->many);
    base_bytes_put_uleb (block, text->n);
    base_bytes_put_uleb (block, text->arguments != NULL ? n + 1 : 0);
    for (guint i = 0; i < n; i++) {
        job_wire_write_said (block, text->arguments->pdata[i]);
    }
}

static JobText *
read_said (JobWire *wire, BaseCursor *block, guint depth)
{
    g_autoptr (JobText) text = g_new0 (JobText, 1);
    guint32 n;

    job_wire_spend (wire, sizeof *text);
    text->format = base_escape_take (job_wire_read_text (wire, block), BASE_ESCAPE_KEEP_LINES);
    text->many = base_escape_take (job_wire_read_text (wire, block), BASE_ESCAPE_KEEP_LINES);
    text->n = job_wire_read_number (wire, block);
    n = job_wire_read_number (wire, block);
    wire->failed |= text->format == NULL || n > MAX_ARGUMENTS + 1 || depth > MAX_DEPTH;
    if (n > 0 && !wire->failed) {
        text->arguments = g_ptr_array_new_with_free_func ((GDestroyNotify) job_text_free);
    }
    for (guint32 i = 1; i < n && !wire->failed; i++) {
        JobText *argument = read_said (wire, block, depth + 1);

        if (argument != NULL) {
            take_argument (text, argument);
        }
    }
    return wire->failed ? NULL : g_steal_pointer (&text);
}

JobText *
job_wire_read_said (JobWire *wire, BaseCursor *block)
{
    return read_said (wire, block, 0);
}
