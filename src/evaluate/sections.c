/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations on whole Fortran arrays: sections, a component of each element, bounds; and
 * comparing and joining text. */
#include <glib/gi18n.h>
#include <string.h>

#include "evaluate/program-private.h"

/* What EVALUATE_OP_SECTION finds on the stack for one dimension. */
typedef struct {
    gboolean is_section;
    gint64 first, last, step;
} Subscript;

/* The operands of all dimensions, the innermost on top. FALSE: one is unknown, or there are too
 * few; its problem is on the stack. */
static gboolean
pop_subscripts (EvaluateMachine *machine, guint32 type, Subscript *subscripts, guint n)
{
    for (guint i = n; i-- > 0;) {
        EvaluateScalar scalar[3];
        guint wanted = subscripts[i].is_section ? 3 : 1;
        for (guint j = wanted; j-- > 0;) {
            if (evaluate_machine_pop_scalar (machine, type, &scalar[j]))
                continue;
            for (guint rest = j; rest > 0; rest--)
                evaluate_machine_drop_below (machine);
            for (guint k = 0; k < i; k++)
                for (guint rest = subscripts[k].is_section ? 3 : 1; rest > 0; rest--)
                    evaluate_machine_drop_below (machine);
            evaluate_machine_drop_below (machine);
            return FALSE;
        }
        subscripts[i].first = scalar[0].integer;
        subscripts[i].last = wanted == 3 ? (gint64) scalar[1].integer
                                         : (gint64) scalar[0].integer;
        subscripts[i].step = wanted == 3 ? (gint64) scalar[2].integer : 1;
    }
    return TRUE;
}

/* The distance of two elements comes from the extents of the dimensions inside, if nothing else says it. */
static gboolean
knows_extents (EvaluateRun *run, const EvaluateType *array)
{
    const EvaluateType *inner = evaluate_run_get_type (run, array->target);
    if (array->codes[EVALUATE_CODE_UPPER].size && !evaluate_run_knows_count (run, array))
        return FALSE;
    for (; inner->kind == EVALUATE_TYPE_ARRAY && !array->codes[EVALUATE_CODE_STRIDE].size;
         inner = evaluate_run_get_type (run, inner->target))
        if (!evaluate_run_knows_count (run, inner))
            return FALSE;
    return TRUE;
}

/* One dimension of value, whose type is `array`: moves the address, keeps what is a section. */
static void
apply_subscript (EvaluateRun *run, EvaluateValue *value, const EvaluateType *array,
                 const Subscript *subscript, guint level)
{
    gboolean known = level < value->n_sections;
    if (!known && !knows_extents (run, array)) {
        evaluate_value_set_problem (value,
                                    g_strdup (N_ ("<the array's extents are not known here>")));
        return;
    }
    gint64 lower = known ? 1 : evaluate_run_find_lower (run, array);
    gint64 count = known ? value->sections[level].count
                         : (gint64) evaluate_run_find_count (run, array);
    gint64 stride = known ? value->sections[level].stride
                          : evaluate_run_find_stride (run, array);
    gint64 first = subscript->first == G_MININT64 ? lower : subscript->first;
    gint64 last = subscript->last == G_MAXINT64 ? lower + count - 1 : subscript->last;
    gboolean unknown = !known && array->count == G_MAXUINT64
                       && !array->codes[EVALUATE_CODE_UPPER].size;
    gint64 step = subscript->step, low = step < 0 ? last : first,
           high = step < 0 ? first : last;
    gboolean empty = subscript->is_section && low > high;
    if (!step || (!empty && (low < lower || (!unknown && high > lower + count - 1)))) {
        evaluate_value_set_problem (value, g_strdup (N_ ("<outside the array's bounds>")));
        return;
    }
    value->address += (first - lower) * stride;
    if (!subscript->is_section)
        return;
    value->sections[EVALUATE_MAX_SECTIONS - 1].stride = stride * step;
    value->sections[EVALUATE_MAX_SECTIONS - 1].count = empty ? 0 : (last - first) / step + 1;
}

void
evaluate_machine_run_section (EvaluateMachine *machine, guint32 type)
{
    BaseCursor *cursor = &machine->cursor;
    EvaluateRun *run = machine->run;
    Subscript subscripts[EVALUATE_MAX_SECTIONS] = { 0 };
    EvaluateValue value, kept = { 0 };
    guint n = base_cursor_read_uleb (cursor);
    if (n > EVALUATE_MAX_SECTIONS - 1 || n == 0) {
        machine->broken = TRUE;
        return;
    }
    for (guint i = 0; i < n; i++)
        subscripts[i].is_section = base_cursor_read_u8 (cursor) != 0;
    if (!pop_subscripts (machine, type, subscripts, n)
        || !evaluate_machine_pop (machine, &value))
        return;
    guint rank = n;
    if ((evaluate_run_get_type (run, value.type)->flags & EVALUATE_TYPE_RANKED)
        && evaluate_run_take_rank (run, &value, &rank) && rank != n)
        evaluate_value_set_problem (
            &value, evaluate_run_say (run, job_text_new_plural ("<the array has %u dimension>",
                                                                "<the array has %u dimensions>",
                                                                rank, rank)));
    guint32 at = value.type;
    /* one that is no longer in memory: an element of it */
    gboolean is_bytes = value.place == EVALUATE_PLACE_NONE && value.bytes && !value.problem;
    for (guint i = 0; i < n && is_bytes; i++)
        is_bytes = !subscripts[i].is_section;
    for (guint i = 0; i < n && evaluate_run_resolve (run, &value); i++) {
        const EvaluateType *array = evaluate_run_get_type (run, at);
        if (array->kind != EVALUATE_TYPE_ARRAY
            || (value.place != EVALUATE_PLACE_MEMORY && !is_bytes)) {
            evaluate_value_set_problem (&value, g_strdup (N_ ("<not an array in memory>")));
            break;
        }
        apply_subscript (run, &value, array, &subscripts[i], i);
        if (subscripts[i].is_section)
            kept.sections[kept.n_sections++] = value.sections[EVALUATE_MAX_SECTIONS - 1];
        at = array->target;
    }
    for (guint i = n; i < value.n_sections && kept.n_sections < EVALUATE_MAX_SECTIONS - 1; i++)
        kept.sections[kept.n_sections++] = value.sections[i];
    memcpy (value.sections, kept.sections, sizeof kept.sections);
    value.n_sections = kept.n_sections;
    if (is_bytes && !value.problem && value.address < value.bytes->len)
        g_byte_array_remove_range (value.bytes, 0, (guint) value.address);
    else
        g_clear_pointer (&value.bytes, g_byte_array_unref);
    value.type = type;
    value.resolved = value.n_sections > 0;
    machine->stack[machine->n++] = value;
}

/* Elements and bytes from one to the next at a level of an array value; type: the array there. */
static void
find_dimension (EvaluateRun *run, const EvaluateValue *value, const EvaluateType *type,
                guint level, gint64 *ret_count, gint64 *ret_stride)
{
    gboolean cut = level < value->n_sections;
    *ret_count = cut ? value->sections[level].count
                     : (gint64) evaluate_run_find_count (run, type);
    *ret_stride = cut ? value->sections[level].stride : evaluate_run_find_stride (run, type);
}

void
evaluate_machine_run_component (EvaluateMachine *machine, guint32 type)
{
    guint64 offset = base_cursor_read_uleb (&machine->cursor);
    EvaluateRun *run = machine->run;
    EvaluateValue value;
    guint n = 0;
    if (!evaluate_machine_pop (machine, &value))
        return;
    const EvaluateType *array = evaluate_run_get_type (run, value.type);
    if (evaluate_run_resolve (run, &value) && value.place != EVALUATE_PLACE_MEMORY)
        evaluate_value_set_problem (&value, g_strdup (N_ ("<not an array in memory>")));
    for (;
         !value.problem && array->kind == EVALUATE_TYPE_ARRAY && n < EVALUATE_MAX_SECTIONS - 1;
         array = evaluate_run_get_type (run, array->target), n++)
        find_dimension (run, &value, array, n, &value.sections[n].count,
                        &value.sections[n].stride);
    value.n_sections = n;
    value.resolved = TRUE;
    value.address += offset;
    value.type = type;
    g_clear_pointer (&value.bytes, g_byte_array_unref);
    machine->stack[machine->n++] = value;
}

/* One number about the array at a level, whose type is given. */
static gint64
find_number (EvaluateRun *run, const EvaluateValue *value, const EvaluateType *array,
             guint level, guint shape)
{
    gint64 count, stride;
    find_dimension (run, value, array, level, &count, &stride);
    gint64 lower = level < value->n_sections || !count ? 1
                                                       : evaluate_run_find_lower (run, array);
    return shape == EVALUATE_SHAPE_LOWER   ? lower
           : shape == EVALUATE_SHAPE_UPPER ? lower + count - 1
                                           : count;
}

/* Numbers of all dimensions, the innermost first. Their count; 0: one is unknown. */
static guint
list_numbers (EvaluateRun *run, const EvaluateValue *value, guint shape, gint64 *numbers,
              guint room)
{
    const EvaluateType *array = evaluate_run_get_type (run, value->type);
    guint n = 0;
    for (; array->kind == EVALUATE_TYPE_ARRAY && n < room;
         array = evaluate_run_get_type (run, array->target)) {
        const EvaluateType *element = evaluate_run_get_type (run, array->target);
        gboolean is_text = (array->flags & EVALUATE_TYPE_FORTRAN)
                           && element->kind == EVALUATE_TYPE_UCHAR;
        if (is_text)
            break;
        if (n >= value->n_sections && !evaluate_run_knows_count (run, array)
            && shape != EVALUATE_SHAPE_LOWER)
            return 0;
        numbers[n] = find_number (run, value, array, n, shape);
        n++;
    }
    for (guint i = 0; i < n / 2; i++) {
        gint64 kept = numbers[i];
        numbers[i] = numbers[n - 1 - i];
        numbers[n - 1 - i] = kept;
    }
    return n;
}

static void
push_shape (EvaluateMachine *machine, guint32 type, const EvaluateValue *value, guint shape,
            guint dimension)
{
    gint64 numbers[EVALUATE_MAX_SECTIONS];
    guint n = list_numbers (machine->run, value, shape, numbers, EVALUATE_MAX_SECTIONS);
    const EvaluateType *result = evaluate_run_get_type (machine->run, type);
    EvaluateScalar scalar = { EVALUATE_SCALAR_SIGNED, 1, 0 };
    gint64 stride;
    if (shape == EVALUATE_SHAPE_LENGTH) {
        const EvaluateType *text = evaluate_run_get_type (machine->run, value->type);
        gint64 length;
        if (!value->n_sections && !evaluate_run_knows_count (machine->run, text)) {
            evaluate_machine_push_problem (machine, type, N_ ("<length unknown>"));
            return;
        }
        find_dimension (machine->run, value, text, 0, &length, &stride);
        scalar.integer = (guint64) length;
        evaluate_machine_push_scalar (machine, type, &scalar);
    } else if (!n || dimension > n) {
        evaluate_machine_push_problem (machine, type,
                                       n ? N_ ("<no such dimension>")
                                         : N_ ("<length unknown>"));
    } else if (result->kind == EVALUATE_TYPE_ARRAY) {
        EvaluateValue *array = evaluate_machine_push (machine, type);
        if (array
            && evaluate_run_get_type (machine->run, result->target)->size != sizeof numbers[0])
            array->problem = g_strdup (N_ ("<not a number>"));
        else if (array)
            array->bytes = g_byte_array_append (g_byte_array_new (), (const guint8 *) numbers,
                                                n * sizeof numbers[0]);
    } else {
        for (guint i = 0; i < n && !dimension; i++)
            scalar.integer *= (guint64) numbers[i];
        if (dimension)
            scalar.integer = (guint64) numbers[dimension - 1];
        evaluate_machine_push_scalar (machine, type, &scalar);
    }
}

static void
push_presence (EvaluateMachine *machine, guint32 type, const EvaluateValue *value)
{
    gboolean is_absent = value->problem ? !strcmp (value->problem, EVALUATE_NOT_PRESENT)
                                        : value->place == EVALUATE_PLACE_MEMORY
                                              && !value->address && !value->bytes;
    EvaluateScalar scalar = { EVALUATE_SCALAR_SIGNED, !is_absent, 0 };
    if (value->problem && !is_absent)
        evaluate_machine_push_problem (machine, type, value->problem);
    else
        evaluate_machine_push_scalar (machine, type, &scalar);
}

void
evaluate_machine_run_shape (EvaluateMachine *machine, guint32 type)
{
    guint64 shape = base_cursor_read_uleb (&machine->cursor);
    guint64 dimension = base_cursor_read_uleb (&machine->cursor);
    EvaluateScalar scalar = { EVALUATE_SCALAR_SIGNED, 0, 0 };
    gboolean exists;
    EvaluateValue value;
    if (shape >= EVALUATE_N_SHAPES || dimension > EVALUATE_MAX_SECTIONS
        || !evaluate_machine_pop (machine, &value)) {
        machine->broken = TRUE;
        return;
    }
    if (shape == EVALUATE_SHAPE_PRESENT) {
        push_presence (machine, type, &value);
        evaluate_value_clear (&value);
        return;
    }
    guint rank = 0;
    gboolean is_ranked = evaluate_run_take_rank (machine->run, &value, &rank);
    scalar.integer = rank;
    if (shape == EVALUATE_SHAPE_RANK && is_ranked) {
        evaluate_machine_push_scalar (machine, type, &scalar);
        evaluate_value_clear (&value);
        return;
    }
    if (shape == EVALUATE_SHAPE_EXISTS
        && evaluate_run_find_existence (machine->run, &value, &exists)) {
        scalar.integer = exists;
        evaluate_machine_push_scalar (machine, type, &scalar);
    } else if (shape == EVALUATE_SHAPE_EXISTS
               || evaluate_run_get_type (machine->run, value.type)->kind != EVALUATE_TYPE_ARRAY
               || !evaluate_run_resolve (machine->run, &value)) {
        evaluate_machine_push_problem (machine, type,
                                       value.problem ? value.problem : N_ ("<unknown>"));
    } else {
        push_shape (machine, type, &value, (guint) shape, (guint) dimension);
    }
    evaluate_value_clear (&value);
}

#define MAX_TEXT (1 << 20)

GByteArray *
evaluate_run_read_text (EvaluateRun *run, EvaluateValue *value)
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    gint64 count, stride, width;
    if (type->kind != EVALUATE_TYPE_ARRAY || !evaluate_run_resolve (run, value))
        return NULL;
    width = (gint64) evaluate_run_get_type (run, type->target)->size;
    find_dimension (run, value, type, 0, &count, &stride);
    if (count < 0 || count > MAX_TEXT || width < 1 || width > 4
        || (stride == width
            && !evaluate_value_fetch (run, value, MAX ((gsize) (count * width), 1)))) {
        if (!value->problem)
            value->problem = g_strdup (N_ ("<not a string>"));
        return NULL;
    }
    g_autoptr (GByteArray) text = g_byte_array_new ();
    if (stride == width)
        g_byte_array_append (text, value->bytes->data, count * width);
    for (gint64 i = 0; i < count && stride != width; i++) {
        EvaluateValue part;
        evaluate_run_take_element (run, value, i, &part);
        gboolean good = evaluate_value_fetch (run, &part, width);
        if (good)
            g_byte_array_append (text, part.bytes->data, width);
        else
            value->problem = g_strdup (part.problem);
        evaluate_value_clear (&part);
        if (!good)
            return NULL;
    }
    return g_steal_pointer (&text);
}

static guint32
get_character (const GByteArray *text, gsize width, gsize at)
{
    guint32 c = 0;
    if ((at + 1) * width > text->len)
        return ' ';
    memcpy (&c, text->data + at * width, width);
    return c;
}

/* As Fortran does it: the shorter one is extended by blanks. */
static gint
compare_texts (const GByteArray *left, const GByteArray *right, gsize width)
{
    for (gsize i = 0; i * width < MAX (left->len, right->len); i++) {
        guint32 a = get_character (left, width, i), b = get_character (right, width, i);
        if (a != b)
            return a < b ? -1 : 1;
    }
    return 0;
}

static void
push_joined (EvaluateMachine *machine, guint32 type, GByteArray *left, const GByteArray *right,
             gsize width)
{
    EvaluateValue *value = evaluate_machine_push (machine, type);
    if (!value)
        return;
    g_byte_array_append (left, right->data, right->len);
    value->bytes = g_byte_array_ref (left);
    value->sections[0].stride = (gint64) width;
    value->sections[0].count = (gint64) (left->len / width);
    value->n_sections = 1;
    value->resolved = TRUE;
}

void
evaluate_machine_run_text (EvaluateMachine *machine, guint32 type)
{
    guint64 operator_id = base_cursor_read_uleb (&machine->cursor);
    EvaluateRun *run = machine->run;
    EvaluateValue left = { 0 }, right = { 0 };
    EvaluateScalar result = { 0 };
    if (!evaluate_machine_pop (machine, &right) || !evaluate_machine_pop (machine, &left)) {
        evaluate_value_clear (&right);
        return;
    }
    g_autoptr (GByteArray) a = evaluate_run_read_text (run, &left),
                           b = a ? evaluate_run_read_text (run, &right) : NULL;
    gsize width = a && b
                      ? evaluate_run_get_type (run,
                                               evaluate_run_get_type (run, left.type)->target)
                            ->size
                      : 0;
    if (!a || !b)
        evaluate_machine_push_problem (machine, type, a ? right.problem : left.problem);
    else if (width
             != evaluate_run_get_type (run, evaluate_run_get_type (run, right.type)->target)
                    ->size)
        evaluate_machine_push_problem (machine, type, N_ ("<strings of different kinds>"));
    else if (!operator_id)
        push_joined (machine, type, a, b, width);
    else if (evaluate_scalar_compute ((guint) operator_id,
                                      (guint64) (gint64) compare_texts (a, b, width), 0, TRUE,
                                      &result))
        evaluate_machine_push_scalar (machine, type, &result);
    else
        machine->broken = TRUE;
    evaluate_value_clear (&left);
    evaluate_value_clear (&right);
}
