/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The error domain's quark and the names of its codes. */
#include "base/error.h"

static const char *const names[] = {
    "not-found", "invalid",     "fault",   "gone", "busy",
    "denied",    "unsupported", "corrupt", "lost", "timeout",
};

typedef struct {
    char *shown; /* NULL: the message */
} BaseErrorPrivate;

static void
base_error_private_init (BaseErrorPrivate *private)
{
    private->shown = NULL;
}

static void
base_error_private_copy (const BaseErrorPrivate *from, BaseErrorPrivate *to)
{
    to->shown = g_strdup (from->shown);
}

static void
base_error_private_clear (BaseErrorPrivate *private)
{
    g_clear_pointer (&private->shown, g_free);
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

void
base_error_set (GError **error, int code, const char *format, ...)
{
    va_list arguments;

    va_start (arguments, format);
    base_error_set_text (error, code, base_text_new_valist (format, arguments));
    va_end (arguments);
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
