/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The error domain's quark and the names of its codes. */
#include "base/error.h"
#include <string.h>

static const char *const names[] = {
    "not-found", "invalid",     "fault",   "gone", "busy",
    "denied",    "unsupported", "corrupt", "lost", "timeout",
};

typedef struct {
    char *shown;      /* NULL: the message */
    char *formed;     /* the message as it was, by: */
    char *format;     /* NULL: not known */
    char **arguments; /* of that; NULL: not known */
    gboolean has_reason;
} BaseErrorPrivate;

static void
base_error_private_init (BaseErrorPrivate *private)
{
    *private = (BaseErrorPrivate){ NULL };
}

static void
base_error_private_copy (const BaseErrorPrivate *from, BaseErrorPrivate *to)
{
    *to = (BaseErrorPrivate){ g_strdup (from->shown), g_strdup (from->formed),
                              g_strdup (from->format), g_strdupv (from->arguments),
                              from->has_reason };
}

static void
base_error_private_clear (BaseErrorPrivate *private)
{
    g_clear_pointer (&private->shown, g_free);
    g_clear_pointer (&private->formed, g_free);
    g_clear_pointer (&private->format, g_free);
    g_clear_pointer (&private->arguments, g_strfreev);
}

G_DEFINE_EXTENDED_ERROR (BaseError, base_error)

void
base_error_set_text (GError **error, int code, BaseText *text)
{
    g_autoptr (BaseText) owned = text;

    g_set_error_literal (error, BASE_ERROR, code, owned->english);
    if (error != NULL) {
        base_error_get_private (*error)->shown = g_steal_pointer (&owned->shown);
    }
}

/* NULL: the format has a directive that others do not know. */
static char **
read_arguments (const char *format, va_list arguments)
{
    g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
    const char *begin;
    char kind;
    int index;

    while ((format = base_text_find_directive (format, &begin, &kind, &index)) != NULL) {
        if (kind == '\0' || index >= 0) {
            return NULL;
        }
        if (kind == 's') {
            const char *text = va_arg (arguments, const char *);

            g_ptr_array_add (texts, g_strdup (text != NULL ? text : "(null)"));
        } else if (kind == 'u') {
            g_ptr_array_add (texts, g_strdup_printf ("%u", va_arg (arguments, guint)));
        } else if (kind == 'd') {
            g_ptr_array_add (texts, g_strdup_printf ("%d", va_arg (arguments, int)));
        }
    }
    g_ptr_array_add (texts, NULL);
    return (char **) g_ptr_array_free (g_steal_pointer (&texts), FALSE);
}

static void
set_form (GError *error, const char *format, char **arguments, gboolean has_reason)
{
    BaseErrorPrivate *private = base_error_get_private (error);

    private->formed = g_strdup (error->message);
    private->format = g_strdup (format);
    private->arguments = arguments;
    private->has_reason = has_reason;
}

static void
set_error (GError **error, int code, const char *format, va_list arguments, gboolean has_reason)
{
    va_list again;

    if (error == NULL) { /* nobody wants to know: tried often, where memory is looked through */
        return;
    }
    va_copy (again, arguments);
    base_error_set_text (error, code, base_text_new_valist (format, arguments));
    set_form (*error, format, read_arguments (format, again), has_reason);
    va_end (again);
}

void
base_error_set_valist (GError **error, int code, const char *format, va_list arguments)
{
    set_error (error, code, format, arguments, FALSE);
}

void
base_error_set_because (GError **error, int code, const char *format, ...)
{
    va_list arguments;

    va_start (arguments, format);
    set_error (error, code, format, arguments, TRUE);
    va_end (arguments);
}

void
base_error_set (GError **error, int code, const char *format, ...)
{
    va_list arguments;

    va_start (arguments, format);
    base_error_set_valist (error, code, format, arguments);
    va_end (arguments);
}

void
base_error_set_formed (GError **error, int code, const char *message, const char *format,
                       const char *const *arguments, gboolean has_reason)
{
    g_set_error_literal (error, BASE_ERROR, code, message);
    if (error != NULL && format != NULL) {
        set_form (*error, format, g_strdupv ((char **) arguments), has_reason);
    }
}

const char *
base_error_get_form (const GError *error, const char *const **ret_arguments,
                     gboolean *ret_has_reason)
{
    const BaseErrorPrivate *private = error->domain == BASE_ERROR
                                          ? base_error_get_private (error)
                                          : NULL;

    if (private == NULL || private->arguments == NULL
        || strcmp (private->formed, error->message) != 0) {
        return NULL;
    }
    *ret_arguments = (const char *const *) private->arguments;
    *ret_has_reason = private->has_reason;
    return private->format;
}

const char *
base_error_get_shown (const GError *error)
{
    const BaseErrorPrivate *private = error->domain == BASE_ERROR
                                          ? base_error_get_private (error)
                                          : NULL;

    return private != NULL && private->shown != NULL ? private->shown : error->message;
}

BaseText *
base_error_dup_text (const GError *error)
{
    return base_text_new_take (g_strdup (error->message),
                               g_strdup (base_error_get_shown (error)));
}

const char *
base_error_get (const GError *error, BaseTextForm form)
{
    return form == BASE_TEXT_SHOWN ? base_error_get_shown (error) : error->message;
}

const char *
base_error_get_name (int code)
{
    if (code < 0 || (gsize) code >= G_N_ELEMENTS (names)) {
        return "unknown";
    }
    return names[code];
}
