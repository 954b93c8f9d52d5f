/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sentence that is formed once and read twice: by scripts, JSON and logs, which match English, and
 * by a user of the windows. */
#pragma once
#include <glib.h>

typedef struct {
    char *english; /* for the command language, JSON and logs */
    char *shown;   /* for windows: in the language of their texts; a program without a text
                      domain has English here, too */
} BaseText;

/* `format`, a whole sentence, is what translators see: mark it N_ ("…"). Caller owns. */
BaseText *base_text_new (const char *format, ...) G_GNUC_PRINTF (1, 2);
BaseText *base_text_new_valist (const char *format, va_list arguments) G_GNUC_PRINTF (1, 0);
/* `one` where n is 1, else `many`, and in `shown` whatever the language has for n. Both take the
 * arguments, of which n is not one by itself. xgettext knows this function: no N_. Caller owns. */
BaseText *base_text_new_plural (const char *one, const char *many, gulong n, ...)
    G_GNUC_PRINTF (1, 4) G_GNUC_PRINTF (2, 4);
BaseText *base_text_new_plural_valist (const char *one, const char *many, gulong n,
                                       va_list arguments) G_GNUC_PRINTF (1, 0)
    G_GNUC_PRINTF (2, 0);
/* What another program or the system has said: the same in both. Caller owns. */
BaseText *base_text_new_foreign (const char *text);
void base_text_free (BaseText *text);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (BaseText, base_text_free)
