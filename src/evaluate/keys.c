/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks up maps by key, and compares texts of C and C++: std::string, string_view, arrays of
 * characters, pointers to them. */
#include <glib/gi18n.h>
#include <string.h>

#include "evaluate/program-private.h"

#define MAX_LOOKED_AT (1u << 18)
#define MAX_TEXT (1u << 20)
#define CHUNK 256u

/* Characters of `width` bytes up to a zero. */
static GByteArray *
read_terminated (EvaluateRun *run, guint64 address, gsize width)
{
    static const guint8 zero[4];
    g_autoptr (GByteArray) text = g_byte_array_new ();
    while (text->len < MAX_TEXT) {
        guint8 chunk[CHUNK];
        gsize done = base_memory_read_some (run->context->memory, address + text->len, chunk,
                                            CHUNK);
        done -= done % width;
        for (gsize i = 0; i < done; i += width)
            if (memcmp (chunk + i, zero, width) == 0) {
                g_byte_array_append (text, chunk, i);
                return g_steal_pointer (&text);
            }
        if (!done)
            return NULL;
        g_byte_array_append (text, chunk, done);
    }
    return NULL;
}

static GByteArray *
cut_terminated (GByteArray *text, gsize width)
{
    static const guint8 zero[4];
    gsize at = 0;
    while (at + width <= text->len && memcmp (text->data + at, zero, width) != 0)
        at += width;
    return g_byte_array_set_size (text, at);
}

/* NULL: it is no text, or cannot be read. */
static GByteArray *
read_string (EvaluateRun *run, EvaluateValue *value, gsize *ret_width)
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    EvaluateScalar pointer;
    guint64 address, length;
    if (type->view == EVALUATE_VIEW_STRING && value->place == EVALUATE_PLACE_MEMORY) {
        *ret_width = evaluate_run_get_type (run, type->view_types[0])->size;
        if (!evaluate_view_find_characters (run, type, value->address, &address, &length)
            || *ret_width < 1 || *ret_width > 4 || length > MAX_TEXT)
            return NULL;
        g_autoptr (GByteArray) text = g_byte_array_set_size (g_byte_array_new (),
                                                             length * *ret_width);
        return base_memory_read_some (run->context->memory, address, text->data, text->len)
                       == text->len
                   ? g_steal_pointer (&text)
                   : NULL;
    }
    if (type->kind == EVALUATE_TYPE_ARRAY) {
        EvaluateTypeKind kind = evaluate_run_get_type (run, type->target)->kind;
        *ret_width = evaluate_run_get_type (run, type->target)->size;
        GByteArray *text = kind == EVALUATE_TYPE_CHAR || kind == EVALUATE_TYPE_UCHAR
                               ? evaluate_run_read_text (run, value)
                               : NULL;
        return text ? cut_terminated (text, *ret_width) : NULL;
    }
    *ret_width = type->count;
    if (type->kind != EVALUATE_TYPE_POINTER || !(type->flags & EVALUATE_TYPE_TO_CHAR)
        || type->count < 1 || type->count > 4
        || !evaluate_value_read_scalar (run, value, &pointer))
        return NULL;
    return read_terminated (run, pointer.integer, *ret_width);
}

static gint
compare_strings (const GByteArray *left, const GByteArray *right, gsize width)
{
    for (gsize i = 0; i + width <= MIN (left->len, right->len); i += width) {
        guint32 a = 0, b = 0;
        memcpy (&a, left->data + i, width);
        memcpy (&b, right->data + i, width);
        if (a != b)
            return a < b ? -1 : 1;
    }
    return left->len < right->len ? -1 : left->len > right->len;
}

void
evaluate_machine_run_strings (EvaluateMachine *machine, guint32 type)
{
    guint64 operator_id = base_cursor_read_uleb (&machine->cursor);
    EvaluateValue left = { 0 }, right = { 0 };
    EvaluateScalar result = { 0 };
    gsize width = 0, other = 0;
    if (!evaluate_machine_pop (machine, &right) || !evaluate_machine_pop (machine, &left)) {
        evaluate_value_clear (&right);
        return;
    }
    g_autoptr (GByteArray) a = read_string (machine->run, &left, &width);
    g_autoptr (GByteArray) b = a ? read_string (machine->run, &right, &other) : NULL;
    if (!a || !b || width != other)
        evaluate_machine_push_problem (machine, type,
                                       left.problem    ? left.problem
                                       : right.problem ? right.problem
                                                       : N_ ("<not a string>"));
    else if (evaluate_scalar_compute ((guint) operator_id,
                                      (guint64) (gint64) compare_strings (a, b, width), 0, TRUE,
                                      &result))
        evaluate_machine_push_scalar (machine, type, &result);
    else
        machine->broken = TRUE;
    evaluate_value_clear (&left);
    evaluate_value_clear (&right);
}

static const char *
count_characters (EvaluateRun *run, EvaluateValue *values, EvaluateScalar *result)
{
    gsize width = 0;
    g_autoptr (GByteArray) text = read_string (run, &values[0], &width);
    if (!text)
        return N_ ("<not a string>");
    result->integer = text->len / width;
    return NULL;
}

static const char *
match_string (EvaluateRun *run, EvaluateValue *values, EvaluateScalar *result)
{
    static const guint8 zero;
    gsize width = 0, other = 0;
    g_autoptr (GByteArray) text = read_string (run, &values[0], &width);
    g_autoptr (GByteArray) pattern = text ? read_string (run, &values[1], &other) : NULL;
    if (!text || !pattern || width != 1 || other != 1)
        return N_ ("<not a string>");
    g_byte_array_append (pattern, &zero, 1);
    g_autoptr (GRegex) regex = g_regex_new ((const char *) pattern->data, G_REGEX_RAW, 0, NULL);
    if (!regex)
        return N_ ("<not a regular expression>");
    result->integer = g_regex_match_full (regex, (const char *) text->data, text->len, 0,
                                          G_REGEX_MATCH_ANCHORED, NULL, NULL);
    return NULL;
}

static const char *
compare_bytes (EvaluateRun *run, EvaluateValue *values, EvaluateScalar *result)
{
    EvaluateScalar numbers[3];
    if (BASE_ANY (i, G_N_ELEMENTS (numbers),
                  !evaluate_value_read_scalar (run, &values[i], &numbers[i])))
        return N_ ("<unknown value>");
    gsize size = numbers[2].integer;
    if (size > MAX_TEXT)
        return N_ ("<too many bytes to compare>");
    g_autofree guint8 *left = g_malloc0 (size + 1), *right = g_malloc0 (size + 1);
    if (base_memory_read_some (run->context->memory, numbers[0].integer, left, size) < size
        || base_memory_read_some (run->context->memory, numbers[1].integer, right, size) < size)
        return N_ ("<cannot read memory>");
    result->integer = memcmp (left, right, size) == 0;
    return NULL;
}

void
evaluate_machine_run_string (EvaluateMachine *machine, guint32 type)
{
    static const struct {
        guint n;
        const char *(*run) (EvaluateRun *run, EvaluateValue *values, EvaluateScalar *result);
    } functions[] = { [EVALUATE_STRING_LENGTH] = { 1, count_characters },
                      [EVALUATE_STRING_MATCHES] = { 2, match_string },
                      [EVALUATE_STRING_SAME_BYTES] = { 3, compare_bytes } };
    guint64 which = base_cursor_read_uleb (&machine->cursor);
    EvaluateValue values[3] = { { 0 } };
    EvaluateScalar result = { 0 };
    const char *problem = NULL;
    if (which >= EVALUATE_N_STRING_FUNCTIONS || machine->n < functions[which].n) {
        machine->broken = TRUE;
        return;
    }
    for (guint i = functions[which].n; i-- > 0;)
        evaluate_machine_pop (machine, &values[i]);
    problem = functions[which].run (machine->run, values, &result);
    for (guint i = functions[which].n; i-- > 0;)
        problem = problem && values[i].problem ? values[i].problem : problem;
    if (problem)
        evaluate_machine_push_problem (machine, type, problem);
    else
        evaluate_machine_push_scalar (machine, type, &result);
    for (guint i = 0; i < functions[which].n; i++)
        evaluate_value_clear (&values[i]);
}

typedef struct {
    EvaluateScalar number;
    GByteArray *text; /* NULL: it is a number */
    gsize width;
} Key;

/* FALSE: this one cannot be compared. */
static gboolean
compare_key (EvaluateRun *run, const Key *key, guint32 type, guint64 address,
             gboolean *ret_equal)
{
    EvaluateValue value = { .type = type, .place = EVALUATE_PLACE_MEMORY, .address = address };
    EvaluateScalar number, result, wanted = key->number;
    gboolean good;
    if (key->text) {
        gsize width = 0;
        g_autoptr (GByteArray) text = read_string (run, &value, &width);
        good = text && width == key->width;
        *ret_equal = good && compare_strings (text, key->text, width) == 0;
    } else {
        good = evaluate_run_get_type (run, type)->kind != EVALUATE_TYPE_ARRAY
               && evaluate_value_read_scalar (run, &value, &number);
        gboolean real = good
                        && (number.kind == EVALUATE_SCALAR_FLOAT
                            || wanted.kind == EVALUATE_SCALAR_FLOAT);
        if (good) {
            evaluate_scalar_convert (&number, real);
            evaluate_scalar_convert (&wanted, real);
            good = real ? evaluate_scalar_compute_real (EVALUATE_OPERATOR_EQUAL, &number,
                                                        &wanted, &result)
                        : evaluate_scalar_compute (EVALUATE_OPERATOR_EQUAL, number.integer,
                                                   wanted.integer, TRUE, &result);
        }
        *ret_equal = good && result.integer;
    }
    evaluate_value_clear (&value);
    return good;
}

/* The value with the key in *ret_place, 0: there is none. Its problem else. */
static const char *
find_key (EvaluateRun *run, const EvaluateValue *map, const Key *key, guint64 *ret_place)
{
    const EvaluateType *type = evaluate_run_get_type (run, map->type);
    g_autoptr (GArray) places = g_array_new (FALSE, FALSE, 8);
    guint64 count;
    if ((type->view != EVALUATE_VIEW_TREE && type->view != EVALUATE_VIEW_HASH)
        || map->place != EVALUATE_PLACE_MEMORY || !evaluate_view_find_count (run, map, &count))
        return N_ ("<no valid container>");
    if (count > MAX_LOOKED_AT)
        return N_ ("<too many elements to look through>");
    if (!evaluate_view_list_places (run, map, count, places))
        return N_ ("<no valid container>");
    for (guint i = 0; i < places->len; i++) {
        guint64 place = g_array_index (places, guint64, i);
        gboolean equal;
        if (!compare_key (run, key, type->view_types[0], place + type->view_numbers[3], &equal))
            return N_ ("<keys that cannot be compared>");
        if (!equal)
            continue;
        *ret_place = place;
        return NULL;
    }
    *ret_place = 0;
    return NULL;
}

void
evaluate_machine_run_key (EvaluateMachine *machine, guint32 type)
{
    gboolean asks = base_cursor_read_uleb (&machine->cursor) != 0;
    EvaluateRun *run = machine->run;
    EvaluateValue map = { 0 }, given = { 0 };
    Key key = { .text = NULL };
    guint64 place = 0;
    if (!evaluate_machine_pop (machine, &given) || !evaluate_machine_pop (machine, &map)) {
        evaluate_value_clear (&given);
        return;
    }
    const EvaluateType *holder = evaluate_run_get_type (run, map.type);
    key.text = read_string (run, &given, &key.width);
    gboolean known = key.text
                     || (evaluate_run_get_type (run, given.type)->kind != EVALUATE_TYPE_ARRAY
                         && evaluate_value_read_scalar (run, &given, &key.number));
    const char *problem = map.problem ? map.problem
                          : !known    ? given.problem ? given.problem : N_ ("<no such key>")
                                      : find_key (run, &map, &key, &place);
    EvaluateScalar found = { EVALUATE_SCALAR_SIGNED, place != 0, 0 };
    if (problem)
        evaluate_machine_push_problem (machine, type, problem);
    else if (asks)
        evaluate_machine_push_scalar (machine, type, &found);
    else if (!place || holder->n_view_types < 2)
        evaluate_machine_push_problem (machine, type, N_ ("<no such key>"));
    else
        evaluate_machine_push_place (machine, type, place + holder->view_numbers[4]);
    g_clear_pointer (&key.text, g_byte_array_unref);
    evaluate_value_clear (&map);
    evaluate_value_clear (&given);
}
