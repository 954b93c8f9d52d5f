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
/* One of the two, for what is formed of parts that are texts themselves (a label within a sentence):
 * a function with such an argument is called once for each. */
typedef enum { BASE_TEXT_ENGLISH, BASE_TEXT_SHOWN } BaseTextForm;
/* A sentence, or a label that others take as it stands, in that form; one and many as above.
 * xgettext knows these functions: no N_. Caller owns. */
char *base_text_print (BaseTextForm form, const char *format, ...) G_GNUC_PRINTF (2, 3);
char *base_text_print_plural (BaseTextForm form, const char *one, const char *many, gulong n,
                              ...) G_GNUC_PRINTF (2, 5) G_GNUC_PRINTF (3, 5);
/* context: tells translators what a format is for that says little by itself: "%s in %s". */
char *base_text_print_in (BaseTextForm form, const char *context, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
/* The text in that form. */
const char *base_text_get (const BaseText *text, BaseTextForm form);
/* Takes both. */
BaseText *base_text_new_take (char *english, char *shown);
/* An address, as an argument of sentences that are sent, which have %s, %u and %d only: "0x4010f0". Caller owns. */
char *base_text_format_address (guint64 address);
/* What another program or the system has said: the same in both. Caller owns. */
BaseText *base_text_new_foreign (const char *text);
BaseText *base_text_dup (const BaseText *text);
void base_text_free (BaseText *text);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (BaseText, base_text_free)

/* Where a format's next directive begins, and what follows it; NULL at the end. *ret_kind: 's', 'u', 'd', '%', or 0 for
 * any other, which texts that are sent may not have; *ret_index: of its argument ("%2$s": 1), -1 where the format
 * does not say. */
const char *base_text_find_directive (const char *format, const char **ret_begin,
                                      char *ret_kind, int *ret_index);
