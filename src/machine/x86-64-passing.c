/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See passing.h: the System V psABI for x86-64, 3.2.3 "Parameter Passing", whose words are eightbytes. */
#include "machine/passing.h"
#include <string.h>

#define N_VECTORS 8u

enum {
    CLASS_NONE,
    CLASS_INTEGER, /* returned in rax, then rdx */
    CLASS_SSE,     /* xmm0, then xmm1 */
    CLASS_SSE_UP,  /* upper half of the last xmm */
    CLASS_X87,     /* st0; st1 for the imaginary part */
    CLASS_X87_UP,
    CLASS_MEMORY,
};

static guint8
merge_classes (guint8 a, guint8 b)
{
    if (a == b || b == CLASS_NONE) {
        return a;
    }
    if (a == CLASS_NONE) {
        return b;
    }
    if (a == CLASS_MEMORY || b == CLASS_MEMORY) {
        return CLASS_MEMORY;
    }
    if (a == CLASS_INTEGER || b == CLASS_INTEGER) {
        return CLASS_INTEGER;
    }
    return a == CLASS_X87 || a == CLASS_X87_UP || b == CLASS_X87 || b == CLASS_X87_UP
               ? CLASS_MEMORY
               : CLASS_SSE;
}

static void
put_class (MachinePassing *passing, guint64 offset, guint8 class)
{
    guint64 at = offset / 8;

    if (at < G_N_ELEMENTS (passing->classes)) {
        passing->classes[at] = merge_classes (passing->classes[at], class);
    }
}

/* A number that is not aligned by its size makes the whole go to memory. */
static void
put_number (MachinePassing *passing, guint64 offset, guint64 size, guint8 class)
{
    passing->is_in_memory |= offset % MIN (MAX (size, 1), 16) != 0;
    for (guint64 at = offset; at < offset + size; at += 8) {
        put_class (passing, at, class);
    }
}

static void
put_wide (MachinePassing *passing, guint64 offset, guint8 class, guint8 upper)
{
    passing->is_in_memory |= offset % 16 != 0;
    put_class (passing, offset, class);
    put_class (passing, offset + 8, upper);
}

/* __m64 and __m128. Larger ones come in registers that not every processor has: which way, only the
 * compiler's options tell. */
static void
put_vector (MachinePassing *passing, guint64 offset, guint64 size)
{
    if (size == 16) {
        put_wide (passing, offset, CLASS_SSE, CLASS_SSE_UP);
    } else if (size == 8) {
        put_number (passing, offset, size, CLASS_SSE);
    } else {
        passing->is_unknown = TRUE;
    }
}

gboolean
machine_passing_begin (MachinePassing *passing, MachineValueKind kind, guint64 size)
{
    gboolean decides = size > 16 && !(kind == MACHINE_VALUE_COMPLEX && size == 32);

    *passing = (MachinePassing){ .size = size };
    if (decides && kind == MACHINE_VALUE_AGGREGATE) {
        passing->kind = MACHINE_PASSING_MEMORY;
    }
    return !decides;
}

void
machine_passing_add (MachinePassing *passing, MachinePartKind kind, guint64 offset,
                     guint64 size)
{
    switch (kind) {
    case MACHINE_PART_INTEGER: put_number (passing, offset, size, CLASS_INTEGER); break;
    case MACHINE_PART_BITS: put_class (passing, offset, CLASS_INTEGER); break;
    case MACHINE_PART_FLOAT:
        if (size == 16) {
            put_wide (passing, offset, CLASS_SSE, CLASS_SSE_UP);
        } else {
            put_number (passing, offset, size, CLASS_SSE);
        }
        break;
    case MACHINE_PART_LONG_DOUBLE: put_wide (passing, offset, CLASS_X87, CLASS_X87_UP); break;
    case MACHINE_PART_VECTOR: put_vector (passing, offset, size); break;
    case MACHINE_PART_FIXED: passing->is_in_memory = TRUE; break;
    case MACHINE_PART_UNKNOWN:
    default: passing->is_unknown = TRUE; break;
    }
}

static gboolean
has_memory (const MachinePassing *passing)
{
    gboolean found = passing->is_in_memory;

    for (guint i = 0; i < G_N_ELEMENTS (passing->classes); i++) {
        found |= passing->classes[i] == CLASS_MEMORY;
    }
    return found || (passing->classes[0] != CLASS_X87 && passing->classes[1] == CLASS_X87_UP);
}

void
machine_passing_finish (MachinePassing *passing)
{
    if (passing->is_unknown || passing->size == 0) {
        return;
    }
    passing->kind = has_memory (passing) ? MACHINE_PASSING_MEMORY : MACHINE_PASSING_REGISTERS;
    if (passing->classes[1] == CLASS_SSE_UP && passing->classes[0] != CLASS_SSE) {
        passing->classes[1] = CLASS_SSE;
    }
}

void
machine_passing_assemble (const MachinePassing *passing, const MachineResult *result,
                          guint8 *ret_bytes)
{
    guint n_integers = 0, n_vectors = 0, n_floats = 0;
    guint8 bytes[48] = { 0 };

    for (guint i = 0; i < G_N_ELEMENTS (passing->classes); i++) {
        switch (passing->classes[i]) {
        case CLASS_INTEGER:
            memcpy (bytes + 8 * i, &result->integers[n_integers++ & 1], 8);
            break;
        case CLASS_SSE: memcpy (bytes + 8 * i, result->vectors[n_vectors++ & 1], 8); break;
        case CLASS_SSE_UP:
            memcpy (bytes + 8 * i, result->vectors[(n_vectors - 1) & 1] + 8, 8);
            break;
        case CLASS_X87: memcpy (bytes + 8 * i, result->floats[n_floats++ & 1], 10); break;
        default: break;
        }
    }
    memcpy (ret_bytes, bytes, MIN (passing->size, 32));
}

/* ---- arguments ---- */

guint
machine_arguments_add_word (MachineArguments *arguments, guint64 word)
{
    if (arguments->n_words < MACHINE_N_ARGUMENTS) {
        arguments->words[arguments->n_words] = word;
        return arguments->n_words++;
    }
    g_array_append_val (arguments->stack, word);
    return MACHINE_MAX_WORDS + arguments->stack->len - 1;
}

static guint64
get_word (const MachinePassing *passing, const guint8 *bytes, gsize offset)
{
    guint64 word = 0;

    memcpy (&word, bytes + offset, MIN (passing->size - offset, 8));
    return word;
}

static void
put_on_stack (MachineArguments *arguments, const MachinePassing *passing, const guint8 *bytes,
              gboolean is_wide)
{
    guint64 word = 0;

    if (is_wide && arguments->stack->len % 2 != 0) {
        g_array_append_val (arguments->stack, word);
    }
    for (gsize i = 0; i < passing->size; i += 8) {
        word = get_word (passing, bytes, i);
        g_array_append_val (arguments->stack, word);
    }
}

static guint
count_class (const MachinePassing *passing, guint8 class)
{
    guint n = 0;

    for (guint i = 0;
         passing->kind == MACHINE_PASSING_REGISTERS && i < G_N_ELEMENTS (passing->classes);
         i++) {
        n += passing->classes[i] == class;
    }
    return n;
}

void
machine_arguments_add_value (MachineArguments *arguments, const MachinePassing *passing,
                             const guint8 *bytes)
{
    gboolean is_wide = count_class (passing, CLASS_X87) > 0;

    if (passing->kind == MACHINE_PASSING_MEMORY || is_wide
        || arguments->n_words + count_class (passing, CLASS_INTEGER) > MACHINE_N_ARGUMENTS
        || arguments->n_vectors + count_class (passing, CLASS_SSE) > N_VECTORS) {
        put_on_stack (arguments, passing, bytes, is_wide);
        return;
    }
    for (guint i = 0; i < G_N_ELEMENTS (passing->classes) && i * 8 < passing->size; i++) {
        guint64 word = get_word (passing, bytes, 8 * i);

        if (passing->classes[i] == CLASS_INTEGER) {
            machine_arguments_add_word (arguments, word);
        } else if (passing->classes[i] == CLASS_SSE) {
            memcpy (arguments->vectors[arguments->n_vectors++], &word, 8);
        } else if (passing->classes[i] == CLASS_SSE_UP) {
            memcpy (arguments->vectors[arguments->n_vectors - 1] + 8, &word, 8);
        }
    }
}
