/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formats numbers by the letters of gdb's print/F (x d u o t z a c f). */
#include <string.h>

#include "base/real.h"
#include "evaluate/letter.h"
#include "evaluate/program-private.h"

static void
append_binary (GString *text, guint64 bits)
{
    guint n = bits ? 64 - (guint) __builtin_clzll (bits) : 1;

    for (guint i = n; i > 0; i--)
        g_string_append_c (text, bits >> (i - 1) & 1 ? '1' : '0');
}

static void
append_character (GString *text, int number)
{
    static const char escapes[] = "\aa\bb\ff\nn\rr\tt\vv\\\\''";
    guint8 byte = (guint8) number;

    g_string_append_printf (text, "%d '", number);
    for (guint i = 0; escapes[i]; i += 2) {
        if (byte == (guint8) escapes[i]) {
            g_string_append_printf (text, "\\%c'", escapes[i + 1]);
            return;
        }
    }
    g_string_append_printf (text, g_ascii_isprint (byte) ? "%c'" : "\\%03o'", byte);
}

char *
evaluate_letter_format_bits (char letter, guint64 bits, guint n_bits, gboolean is_signed)
{
    GString *text = g_string_new (NULL);
    guint shift = 64 - n_bits;
    gint64 extended = (gint64) (bits << shift) >> shift;

    switch (letter) {
    case 'd': g_string_append_printf (text, "%" G_GINT64_FORMAT, extended); break;
    case 'u': g_string_append_printf (text, "%" G_GUINT64_FORMAT, bits); break;
    case 'o':
        g_string_append_printf (text, bits ? "0%" G_GINT64_MODIFIER "o" : "0", bits);
        break;
    case 't': append_binary (text, bits); break;
    case 'c': append_character (text, is_signed ? (gint8) bits : (guint8) bits); break;
    case 'z':
        g_string_append_printf (text, "0x%0*" G_GINT64_MODIFIER "x", (int) (n_bits + 7) / 8 * 2,
                                bits);
        break;
    case 'a':
        g_string_append_printf (text, "0x%" G_GINT64_MODIFIER "x",
                                is_signed ? (guint64) extended : bits);
        break;
    default: g_string_append_printf (text, "0x%" G_GINT64_MODIFIER "x", bits); break;
    }
    return g_string_free (text, FALSE);
}

/* The bits as a float of their size, where there is one. */
static gboolean
read_as_float (guint64 bits, guint size, double *ret_real)
{
    float single;

    if (size == 4) {
        guint32 low = (guint32) bits;

        memcpy (&single, &low, 4);
        *ret_real = (double) single;
    } else {
        memcpy (ret_real, &bits, 8);
    }
    return size == 4 || size == 8;
}

/* What a letter makes of a number's type: c and a are of its value, the others of its bits. */
static gboolean
take_bits (EvaluateRun *run, EvaluateValue *value, char letter, guint64 *ret_bits,
           guint *ret_n_bits, gboolean *ret_signed)
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    guint n_bits = (guint) type->size
                   * 8; /* also of a bit-field, whose sign goes on to the left */
    EvaluateScalar scalar;

    if (!evaluate_value_read_scalar (run, value, &scalar))
        return FALSE;
    *ret_signed = scalar.kind == EVALUATE_SCALAR_SIGNED && type->kind != EVALUATE_TYPE_ENUM;
    if (scalar.kind == EVALUATE_SCALAR_FLOAT && (letter == 'c' || letter == 'a')) {
        evaluate_scalar_convert (&scalar, FALSE);
        *ret_signed = TRUE;
        n_bits = 64;
    } else if (scalar.kind == EVALUATE_SCALAR_FLOAT) {
        scalar.integer = 0;
        memcpy (&scalar.integer, value->bytes->data, MIN (type->size, 8));
    }
    *ret_n_bits = n_bits;
    *ret_bits = n_bits < 64 ? scalar.integer & ((G_GUINT64_CONSTANT (1) << n_bits) - 1)
                            : scalar.integer;
    return TRUE;
}

gboolean
evaluate_letter_is_plain (char letter)
{
    return letter == '\0' || letter == 's' || letter == 'r';
}

__extension__ typedef unsigned __int128 Wide;

/* Digits of a base that is a power of two, at least one. */
static char *
write_power (Wide bits, guint n_bits_each, const char *prefix, guint width)
{
    char digits[160];
    guint at = sizeof digits - 1;

    digits[at] = '\0';
    do {
        digits[--at] = "0123456789abcdef"[(guint) bits & ((1u << n_bits_each) - 1)];
        bits >>= n_bits_each;
    } while (bits != 0 || sizeof digits - 1 - at < width);
    return g_strconcat (prefix, digits + at, NULL);
}

/* A number of 16 bytes, of which x87's floats fill ten. NULL: the letter is of its value, which is no more
 * than any other number's. */
static char *
format_wide (EvaluateRun *run, EvaluateValue *value, char letter)
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    gboolean is_float = type->kind == EVALUATE_TYPE_FLOAT;
    guint n_bytes = is_float && !(type->flags & EVALUATE_TYPE_QUAD) ? 10 : 16;
    Wide bits = 0;

    if ((is_float && strchr ("caf", letter)) || value->bit_size != 0
        || !evaluate_value_fetch (run, value, type->size))
        return NULL;
    memcpy (&bits, value->bytes->data, n_bytes);
    switch (letter) {
    case 'd': return evaluate_format_wide ((const guint8 *) &bits, TRUE);
    case 'u': return evaluate_format_wide ((const guint8 *) &bits, FALSE);
    case 'f':
        return evaluate_format_wide ((const guint8 *) &bits,
                                     type->kind == EVALUATE_TYPE_SIGNED);
    case 'c':
        return evaluate_letter_format_bits (letter, (guint8) bits, 8,
                                            type->kind == EVALUATE_TYPE_SIGNED);
    case 'o': return write_power (bits, 3, bits != 0 ? "0" : "", 1);
    case 't': return write_power (bits, 1, "", 1);
    default: return write_power (bits, 4, "0x", letter == 'z' ? 32 : 1);
    }
}

JobValue *
evaluate_letter_format (EvaluateRun *run, const char *name, EvaluateValue *value)
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    const char *type_name = run->program->types[value->type].name;
    char letter = run->limits->letter;
    gboolean is_signed = FALSE, is_real;
    guint64 bits = 0;
    guint n_bits = 0;
    double real = 0;
    g_autofree char *text = NULL, *symbol = NULL;

    if (evaluate_letter_is_plain (letter) || value->pointee || type->size > 16
        || type->size == 0 || type->kind < EVALUATE_TYPE_BOOL
        || type->kind >= EVALUATE_TYPE_REFERENCE || type->kind == EVALUATE_TYPE_COMPLEX
        || (letter == 'f' && type->kind == EVALUATE_TYPE_FLOAT))
        return NULL;
    text = type->size == 16 ? format_wide (run, value, letter) : NULL;
    if (text)
        return job_value_new (name, type_name, text);
    if (!take_bits (run, value, letter, &bits, &n_bits, &is_signed))
        return NULL;
    is_real = letter == 'f' && n_bits == type->size * 8
              && read_as_float (bits, (guint) type->size, &real);
    if (is_real)
        text = base_real_format (real, type->size);
    else if (letter == 'f')
        text = evaluate_letter_format_bits (is_signed ? 'd' : 'u', bits, n_bits, is_signed);
    else
        text = evaluate_letter_format_bits (letter, bits, n_bits, is_signed);
    if (letter == 'a' && bits && run->context->describe_address)
        symbol = run->context->describe_address (run->context->user, bits);
    if (symbol) {
        g_autofree char *plain = g_steal_pointer (&text);

        text = g_strdup_printf ("%s <%s>", plain, symbol);
    }
    if (letter == 'd' || letter == 'u' || letter == 'f')
        return job_value_new_number (name, type_name, text,
                                     is_real ? real : g_ascii_strtod (text, NULL));
    return job_value_new (name, type_name, text);
}
