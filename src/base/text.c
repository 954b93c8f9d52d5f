/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Both forms take the same arguments, which are read once for each. */
#include "base/text.h"
#include <glib/gi18n.h>

static BaseText *
take (char *english, char *shown)
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
    return take (english, shown);
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
    return take (english, shown);
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

BaseText *
base_text_new_foreign (const char *foreign)
{
    return take (g_strdup (foreign), g_strdup (foreign));
}

void
base_text_free (BaseText *text)
{
    if (text != NULL) {
        g_free (text->english);
        g_free (text->shown);
        g_free (text);
    }
}
