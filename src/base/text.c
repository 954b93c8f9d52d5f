/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Both forms take the same arguments, which are read once for each. */
#include "base/text.h"
#include "base/array.h"
#include <glib/gi18n.h>
#include <stdlib.h>
#include <string.h>

BaseText *
base_text_new_take (char *english, char *shown)
{
    BaseText *text = g_new (BaseText, 1);

    *text = (BaseText){ english, shown };
    return text;
}

BaseText *
base_text_new_valist (const char *format, va_list arguments)
{
    char *english, *shown;
    va_list again;

    va_copy (again, arguments);
    english = g_strdup_vprintf (format, arguments);
    shown = g_strdup_vprintf (gettext (format), again);
    va_end (again);
    return base_text_new_take (english, shown);
}

BaseText *
base_text_new (const char *format, ...)
{
    BaseText *text;
    va_list arguments;

    va_start (arguments, format);
    text = base_text_new_valist (format, arguments);
    va_end (arguments);
    return text;
}

BaseText *
base_text_new_plural_valist (const char *one, const char *many, gulong n, va_list arguments)
{
    char *english, *shown;
    va_list again;

    va_copy (again, arguments);
    english = g_strdup_vprintf (n == 1 ? one : many, arguments);
    shown = g_strdup_vprintf (ngettext (one, many, n), again);
    va_end (again);
    return base_text_new_take (english, shown);
}

BaseText *
base_text_new_plural (const char *one, const char *many, gulong n, ...)
{
    BaseText *text;
    va_list arguments;

    va_start (arguments, n);
    text = base_text_new_plural_valist (one, many, n, arguments);
    va_end (arguments);
    return text;
}

char *
base_text_print (BaseTextForm form, const char *format, ...)
{
    char *text;
    va_list arguments;

    va_start (arguments, format);
    text = g_strdup_vprintf (form == BASE_TEXT_SHOWN ? gettext (format) : format, arguments);
    va_end (arguments);
    return text;
}

char *
base_text_print_plural (BaseTextForm form, const char *one, const char *many, gulong n, ...)
{
    const char *format = form == BASE_TEXT_SHOWN ? ngettext (one, many, n)
                         : n == 1                ? one
                                                 : many;
    char *text;
    va_list arguments;

    va_start (arguments, n);
    text = g_strdup_vprintf (format, arguments);
    va_end (arguments);
    return text;
}

char *
base_text_print_in (BaseTextForm form, const char *context, const char *format, ...)
{
    char *text;
    va_list arguments;

    va_start (arguments, format);
    text = g_strdup_vprintf (form == BASE_TEXT_SHOWN ? g_dpgettext2 (NULL, context, format)
                                                     : format,
                             arguments);
    va_end (arguments);
    return text;
}

char *
base_text_format_address (guint64 address)
{
    char text[2 + 2 * sizeof address + 1], *at = text + sizeof text - 1;

    *at = '\0';
    do { /* not by printf, as one stack has hundreds */
        *--at = "0123456789abcdef"[address & 15];
    } while ((address >>= 4) != 0);
    *--at = 'x';
    *--at = '0';
    return g_strdup (at);
}

const char *
base_text_get (const BaseText *text, BaseTextForm form)
{
    return form == BASE_TEXT_SHOWN ? text->shown : text->english;
}

BaseText *
base_text_new_foreign (const char *foreign)
{
    return base_text_new_take (g_strdup (foreign), g_strdup (foreign));
}

BaseText *
base_text_dup (const BaseText *text)
{
    return base_text_new_take (g_strdup (text->english), g_strdup (text->shown));
}

BASE_FREE_PUBLIC (base_text_free, BaseText, text, g_free (text->english); g_free (text->shown))

const char *
base_text_find_directive (const char *format, const char **ret_begin, char *ret_kind,
                          int *ret_index)
{
    const char *begin = strchr (format, '%'), *at;
    gsize n_digits;

    if (begin == NULL) {
        return NULL;
    }
    at = begin + 1;
    n_digits = strspn (at, "0123456789");
    *ret_begin = begin;
    *ret_index = -1;
    if (n_digits > 0 && n_digits < 3 && *at != '0' && at[n_digits] == '$') {
        *ret_index = atoi (at) - 1;
        at += n_digits + 1;
    }
    *ret_kind = *at != '\0' && strchr ("sud%", *at) != NULL ? *at : '\0';
    return *at != '\0' ? at + 1 : at;
}
