/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `printf "TEXT", EXPR…`: C's conversions of values of the selected frame; and gdb's format
 * letters for Python integers. */
#include "engine/inspect/private.h"
#include "base/real.h"
#include "evaluate/letter.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STRING 4096u
#define MAX_WIDTH 4096u

/* ---- Python's numbers ---- */

#define MAX_WORDS 1024 /* of 32 bits: more than Python's 4,300 digits */

/* The digits of a decimal number of any size, in base 2**shift, most significant first; NULL: it is too large. */
static char *
write_power (const char *decimal, guint shift, const char *prefix)
{
    g_autofree guint32 *words = g_new0 (guint32, MAX_WORDS + 1);
    GString *digits = g_string_new (NULL);
    guint n = 1;

    for (; *decimal != '\0'; decimal++) {
        guint64 carry = (guint64) (*decimal - '0');

        for (guint i = 0; i < n; i++) {
            carry += (guint64) words[i] * 10;
            words[i] = (guint32) carry;
            carry >>= 32;
        }
        if (carry != 0 && n == MAX_WORDS) {
            g_string_free (digits, TRUE);
            return NULL;
        }
        words[n] = n < MAX_WORDS ? (guint32) carry : 0;
        n += carry != 0;
    }
    for (guint bit = 0; bit < n * 32; bit += shift) {
        guint64 two = words[bit / 32]
                      | (guint64) (bit / 32 + 1 < n ? words[bit / 32 + 1] : 0) << 32;

        g_string_append_c (digits, "0123456789abcdef"[two >> bit % 32 & ((1u << shift) - 1)]);
    }
    while (digits->len > 1 && digits->str[digits->len - 1] == '0') {
        g_string_truncate (digits, digits->len - 1);
    }
    g_strreverse (digits->str);
    g_string_prepend (digits, prefix);
    return g_string_free (digits, FALSE);
}

static char *
format_any_size (char letter, const char *decimal)
{
    return letter == 'o'   ? write_power (decimal, 3, "0")
           : letter == 't' ? write_power (decimal, 1, "")
           : letter == 'c' ? NULL
                           : write_power (decimal, 4, "0x");
}

void
engine_inspect_apply_letter (JobValue *value, char letter)
{
    char *end = NULL;
    gboolean is_negative;
    gint64 number;

    if (evaluate_letter_is_plain (letter) || letter == 'd' || letter == 'u' || letter == 'f'
        || value->text == NULL || value->text[strspn (value->text, "-0123456789")] != '\0') {
        return;
    }
    is_negative = value->text[0] == '-';
    number = g_ascii_strtoll (value->text, &end, 10);
    if (end == value->text || *end != '\0') {
        return;
    }
    /* Python's integers have a sign and no size. */
    g_autofree char *plain = number == G_MAXINT64 || number == G_MININT64
                                 ? format_any_size (letter, value->text + is_negative)
                                 : evaluate_letter_format_bits (letter, (guint64) ABS (number),
                                                                64, FALSE);

    if (plain == NULL) {
        return;
    }
    g_free (value->text);
    value->text = g_strdup_printf ("%s%s", is_negative ? "-" : "", plain);
    value->is_number = FALSE;
}

/* ---- the text ---- */

/* "\n", "\101" … at text; the byte, and how many were read. */
static char
take_escape (const char *text, guint *ret_size)
{
    static const char letters[] = "abefnrtv\\\"'", bytes[] = "\a\b\033\f\n\r\t\v\\\"'";
    const char *found = text[1] != '\0' ? strchr (letters, text[1]) : NULL;
    guint n = 1, value = 0;

    if (found != NULL) {
        *ret_size = 2;
        return bytes[found - letters];
    }
    while (n < 4 && text[n] >= '0' && text[n] <= '7') {
        value = value * 8 + (guint) (text[n++] - '0');
    }
    *ret_size = n;
    return n > 1 ? (char) value : '\\';
}

/* What stands between the quotes of a shown text: 0x1234 "a\tb"; NULL: there is none. */
static char *
dup_shown_text (const char *shown)
{
    const char *at = strpbrk (shown, "\"'"), *end = at != NULL ? strrchr (at + 1, *at) : NULL;
    GString *text;
    guint size;

    if (end == NULL) {
        return NULL;
    }
    text = g_string_new (NULL);
    for (at++; at < end; at += size) {
        size = 1;
        g_string_append_c (text, *at == '\\' ? take_escape (at, &size) : *at);
    }
    return g_string_free (text, FALSE);
}

typedef struct {
    EngineInspection *look;
    const JobFrame *frame;
    const char *at; /* the next expression; NULL: none is left */
} Arguments;

char *
engine_inspect_take_expression (const char **next)
{
    const char *start = *next, *at = start;
    int depth = 0;
    char quote = '\0';

    if (start == NULL) {
        return NULL;
    }
    for (; *at != '\0' && (*at != ',' || depth > 0 || quote != '\0'); at++) {
        if (quote != '\0') {
            at += *at == '\\' && at[1] != '\0';
            quote = *at == quote ? '\0' : quote;
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else {
            depth += (strchr ("([{", *at) != NULL) - (strchr (")]}", *at) != NULL);
        }
    }
    *next = *at == ',' ? at + 1 : NULL;
    return g_strstrip (g_strndup (start, (gsize) (at - start)));
}

gboolean
engine_inspect_check_value (const JobValue *value, const char *expression, GError **error)
{
    g_autoptr (JobText) text = NULL;

    if (!value->is_problem) {
        return TRUE;
    }
    /* Translators: an expression, and why its value is not known: "x is <optimised out>". */
    text = job_text_new ("%s is %s", expression, value->text);
    job_text_nest (text, 1, job_value_dup_said (value));
    job_text_raise (text, BASE_ERROR_INVALID, error);
    return FALSE;
}

/* A number with more digits than a double holds, which its text has all. FALSE: it is none. */
static gboolean
find_wide_real (const JobValue *value, BaseReal *ret_real)
{
    const char *type = value->type != NULL ? value->type : "",
               *text = value->text != NULL ? value->text : "";
    gsize n_digits = 0;
    gboolean is_quad, is_extended, is_beyond;

    for (const char *at = text + strspn (text, "-0."); *at != '\0' && *at != 'e'; at++) {
        n_digits += g_ascii_isdigit (*at) ? 1 : 0;
    }
    /* the name of a typedef says nothing, but no shorter number has so many digits */
    is_quad = strstr (type, "loat128") != NULL || strstr (type, "(kind=16)") != NULL
              || n_digits > 21;
    is_extended = strstr (type, "long double") != NULL || strstr (type, "(kind=10)") != NULL
                  || n_digits > 17;
    /* nor does one lie beyond a double's range */
    is_beyond = isinf (value->number) || (value->number == 0 && strpbrk (text, "123456789"));
    if (!value->is_number || text[strspn (text, "-+.e0123456789")] != '\0'
        || !(is_quad || is_extended || is_beyond)) {
        return FALSE;
    }
    *ret_real = is_quad || is_beyond ? base_real_parse (value->text)
                                     : (BaseReal) strtold (value->text, NULL);
    return TRUE;
}

/* As C converts it: without "l" and the like to an int, but what does not fit into that stays whole. */
static gint64
cut_number (gint64 number, const char *size, gboolean is_signed)
{
    if (g_str_has_prefix (size, "hh")) {
        return is_signed ? (gint8) number : (guint8) number;
    }
    if (*size == 'h') {
        return is_signed ? (gint16) number : (guint16) number;
    }
    return !is_signed && strchr ("lLjzt", *size) == NULL && number < 0 && number >= G_MININT32
               ? (guint32) number
               : number;
}

/* size: of the conversion, "hh", "l" …; what follows it does not count. */
static gboolean
append_number (Arguments *arguments, GString *text, const char *flags, const char *size,
               char conversion, const char *expression, GError **error)
{
    gboolean is_real = strchr ("eEfFgGaA", conversion) != NULL;
    g_autoptr (JobValue) value = engine_inspect_evaluate_here (arguments->look,
                                                               arguments->frame, expression,
                                                               '\0', error);
    g_autofree char *format = g_strdup_printf ("%%%s%s%c", flags,
                                               is_real ? "" : G_GINT64_MODIFIER, conversion);
    const char *shown = value != NULL ? value->text : "";
    const char *hex = strstr (shown, "0x");
    gint64 number;
    BaseReal real;

    if (value == NULL) {
        return FALSE;
    }
    if (!engine_inspect_check_value (value, expression, error)) {
        return FALSE;
    }
    if (!value->is_number && hex == NULL) {
        base_error_set (error, BASE_ERROR_INVALID, "%s is not a number", expression);
        return FALSE;
    }
    if (is_real && find_wide_real (value, &real)) {
        g_autofree char *wide = base_real_print (flags, conversion, real);

        g_string_append (text, wide);
        return TRUE;
    }
    _Pragma ("GCC diagnostic push")
        _Pragma ("GCC diagnostic ignored \"-Wformat-nonliteral\"") if (is_real)
    {
        g_string_append_printf (text, format, value->number);
    }
    else
    {
        /* exactly, where the text is the number; a character's, an enumerator's is the value's */
        number = shown[strspn (shown, "-0123456789")] == '\0' && shown[0] != '\0'
                     ? (shown[0] == '-' ? g_ascii_strtoll (shown, NULL, 10)
                                        : (gint64) g_ascii_strtoull (shown, NULL, 10))
                 : value->is_number ? (gint64) value->number
                                    : (gint64) g_ascii_strtoull (hex, NULL, 16);
        number = cut_number (number, size, strchr ("di", conversion) != NULL);
        g_string_append_printf (text, format, number);
    }
    _Pragma ("GCC diagnostic pop") return TRUE;
}

/* Pads as C does: "-8" to the left, "8.3" cut to three. */
static void
append_padded (GString *text, const char *flags, const char *what)
{
    gboolean is_left = strchr (flags, '-') != NULL;
    const char *dot = strchr (flags, '.');
    gsize size = strlen (what),
          width = (gsize) g_ascii_strtoull (flags + strspn (flags, "-+ #0"), NULL, 10);

    size = dot != NULL ? MIN (size, (gsize) g_ascii_strtoull (dot + 1, NULL, 10)) : size;
    width = MIN (width, MAX_WIDTH);
    for (gsize i = size; !is_left && i < width; i++) {
        g_string_append_c (text, ' ');
    }
    g_string_append_len (text, what, (gssize) size);
    for (gsize i = size; is_left && i < width; i++) {
        g_string_append_c (text, ' ');
    }
}

static gboolean
append_string (Arguments *arguments, GString *text, const char *flags, const char *expression,
               GError **error)
{
    EvaluateLimits limits = arguments->look->process->engine->limits;
    g_autoptr (JobValue) value = NULL;
    g_autofree char *plain = NULL;

    limits.bytes = MAX (limits.bytes, MAX_STRING);
    value = engine_inspect_evaluate_within (arguments->look, arguments->frame, expression,
                                            &limits, error);
    if (value == NULL) {
        return FALSE;
    }
    if (!engine_inspect_check_value (value, expression, error)) {
        return FALSE;
    }
    plain = value->text != NULL ? dup_shown_text (value->text) : NULL;
    if (plain == NULL) {
        base_error_set (error, BASE_ERROR_INVALID, "%s is not a string", expression);
        return FALSE;
    }
    append_padded (text, flags, plain);
    return TRUE;
}

static gboolean
append_other (Arguments *arguments, GString *text, const char *flags, char conversion,
              const char *expression, GError **error)
{
    g_autoptr (JobValue) value = engine_inspect_evaluate_here (arguments->look,
                                                               arguments->frame, expression,
                                                               conversion == 'p' ? 'x' : '\0',
                                                               error);
    char byte[2] = { 0 };

    if (value == NULL) {
        return FALSE;
    }
    if (!engine_inspect_check_value (value, expression, error)) {
        return FALSE;
    }
    if (conversion == 'p') {
        append_padded (text, flags, value->text);
        return TRUE;
    }
    if (!value->is_number) {
        base_error_set (error, BASE_ERROR_INVALID, "%s is not a number", expression);
        return FALSE;
    }
    byte[0] = (char) (gint64) value->number;
    append_padded (text, flags, byte);
    return TRUE;
}

/* One conversion at *text, '%' first; behind it. NULL: error says why. */
static const char *
append_conversion (Arguments *arguments, GString *result, const char *text, GError **error)
{
    const char *at = text + 1 + strspn (text + 1, "-+ #0123456789.");
    g_autofree char *flags = g_strndup (text + 1, (gsize) (at - text - 1));
    g_autofree char *expression = NULL;
    const char *size = at;
    gboolean done;

    at += strspn (at, "hlLjzt");
    if (*at == '%') {
        g_string_append_c (result, '%');
        return at + 1;
    }
    if (*at == '\0' || strchr ("diouxXcsp", *at) == NULL) {
        if (*at == '\0' || strchr ("eEfFgGaA", *at) == NULL) {
            g_autofree char *conversion = g_strndup (text, (gsize) (at - text) + (*at != '\0'));

            base_error_set (error, BASE_ERROR_INVALID,
                            "printf does not support the conversion \"%s\"", conversion);
            return NULL;
        }
    }
    expression = engine_inspect_take_expression (&arguments->at);
    if (expression == NULL || *expression == '\0') {
        base_error_set (error, BASE_ERROR_INVALID,
                        "printf has more conversions than expressions");
        return NULL;
    }
    if (g_ascii_strtoull (flags + strspn (flags, "-+ #0"), NULL, 10) > MAX_WIDTH) {
        base_error_set (error, BASE_ERROR_INVALID, "printf: the width \"%s\" is too large",
                        flags);
        return NULL;
    }
    done = *at == 's' ? append_string (arguments, result, flags, expression, error)
           : *at == 'c' || *at == 'p'
               ? append_other (arguments, result, flags, *at, expression, error)
               : append_number (arguments, result, flags, size, *at, expression, error);
    return done ? at + 1 : NULL;
}

gboolean
engine_inspect_answer_printf (EngineInspection *look, const JobRequest *request,
                              const JobFrame *frame, GError **error)
{
    Arguments arguments = { look, frame, request->text2 };
    g_autoptr (GString) result = g_string_new (NULL);
    guint size;

    for (const char *at = request->text != NULL ? request->text : "";
         at != NULL && *at != '\0';) {
        if (*at == '%') {
            at = append_conversion (&arguments, result, at, error);
            if (at == NULL) {
                return FALSE;
            }
            continue;
        }
        size = 1;
        g_string_append_c (result, *at == '\\' ? take_escape (at, &size) : *at);
        at += size;
    }
    if (arguments.at != NULL) {
        base_error_set (error, BASE_ERROR_INVALID,
                        "printf has more expressions than conversions");
        return FALSE;
    }
    if (result->len > 0 && result->str[result->len - 1] == '\n') {
        g_string_truncate (result, result->len - 1);
    }
    return engine_inspect_answer_text (look, request->id, result->str);
}
