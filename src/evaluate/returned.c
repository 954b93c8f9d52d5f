/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The classification of the psABI, field by field. */
#include "evaluate/returned.h"
#include "evaluate/program-private.h"
#include <string.h>

#define MAX_DEPTH 12u

typedef struct {
    const EvaluateProgram *program;
    EvaluateClass classes[4];
    gboolean is_unknown;
} Classifier;

static EvaluateClass
merge_classes (EvaluateClass a, EvaluateClass b)
{
    if (a == b || b == EVALUATE_CLASS_NONE)
        return a;
    if (a == EVALUATE_CLASS_NONE)
        return b;
    if (a == EVALUATE_CLASS_MEMORY || b == EVALUATE_CLASS_MEMORY)
        return EVALUATE_CLASS_MEMORY;
    if (a == EVALUATE_CLASS_INTEGER || b == EVALUATE_CLASS_INTEGER)
        return EVALUATE_CLASS_INTEGER;
    if (a == EVALUATE_CLASS_X87 || a == EVALUATE_CLASS_X87_UP || b == EVALUATE_CLASS_X87
        || b == EVALUATE_CLASS_X87_UP)
        return EVALUATE_CLASS_MEMORY;
    return EVALUATE_CLASS_SSE;
}

static void
put_class (Classifier *classifier, guint64 offset, EvaluateClass class)
{
    guint64 at = offset / 8;

    if (at < G_N_ELEMENTS (classifier->classes))
        classifier->classes[at] = merge_classes (classifier->classes[at], class);
}

/* A field that is not aligned by its size makes the whole go to memory. */
static void
put_number (Classifier *classifier, guint64 offset, guint64 size, EvaluateClass class)
{
    guint64 alignment = MIN (MAX (size, 1), 16);

    if (offset % alignment != 0)
        put_class (classifier, 0, EVALUATE_CLASS_MEMORY);
    for (guint64 at = offset; at < offset + size; at += 8)
        put_class (classifier, at, class);
}

static void
put_float (Classifier *classifier, guint64 offset, const EvaluateType *type, guint64 size)
{
    gboolean is_x87 = size == 16 && g_strrstr (type->name, "long double") != NULL;

    if (size != 16) {
        put_number (classifier, offset, size, EVALUATE_CLASS_SSE);
        return;
    }
    if (offset % 16 != 0)
        put_class (classifier, 0, EVALUATE_CLASS_MEMORY);
    put_class (classifier, offset, is_x87 ? EVALUATE_CLASS_X87 : EVALUATE_CLASS_SSE);
    put_class (classifier, offset + 8, is_x87 ? EVALUATE_CLASS_X87_UP : EVALUATE_CLASS_SSE_UP);
}

static const EvaluateType *
resolve (const EvaluateProgram *program, guint32 number)
{
    const EvaluateType *type = &program->types[number];

    for (guint i = 0; type->kind == EVALUATE_TYPE_TYPEDEF && i < 100; i++)
        type = &program->types[type->target];
    return type;
}

static void classify (Classifier *classifier, const EvaluateType *type, guint64 offset,
                      guint depth);

static void
classify_members (Classifier *classifier, const EvaluateType *type, guint64 offset, guint depth)
{
    for (guint i = 0; i < type->n_members; i++) {
        const EvaluateMember *member = &type->members[i];

        if (member->bit_offset == EVALUATE_MEMBER_VIRTUAL)
            put_class (classifier, 0, EVALUATE_CLASS_MEMORY);
        else if (member->bit_size > 0 && !EVALUATE_MEMBER_ELSEWHERE (member->bit_offset))
            put_class (classifier, offset + member->offset + member->bit_offset / 8,
                       EVALUATE_CLASS_INTEGER);
        else if (!EVALUATE_MEMBER_ELSEWHERE (member->bit_offset))
            classify (classifier, resolve (classifier->program, member->type),
                      offset + member->offset, depth + 1);
    }
}

/* __m64 and __m128. Larger ones come in registers that not every processor has: which way, only the
 * compiler's options tell. */
static void
put_vector (Classifier *classifier, guint64 offset, guint64 size)
{
    if (size != 8 && size != 16) {
        classifier->is_unknown = TRUE;
        return;
    }
    if (offset % size != 0)
        put_class (classifier, 0, EVALUATE_CLASS_MEMORY);
    put_class (classifier, offset, EVALUATE_CLASS_SSE);
    if (size == 16)
        put_class (classifier, offset + 8, EVALUATE_CLASS_SSE_UP);
}

static void
classify_elements (Classifier *classifier, const EvaluateType *type, guint64 offset,
                   guint depth)
{
    const EvaluateType *element = resolve (classifier->program, type->target);

    if (element->size == 0 || type->count > 32)
        classifier->is_unknown = TRUE;
    for (guint64 i = 0; i < type->count && !classifier->is_unknown; i++)
        classify (classifier, element, offset + i * element->size, depth + 1);
}

static void
classify (Classifier *classifier, const EvaluateType *type, guint64 offset, guint depth)
{
    if (depth > MAX_DEPTH
        || (type->flags & (EVALUATE_TYPE_INCOMPLETE | EVALUATE_TYPE_UNSURE))) {
        classifier->is_unknown = TRUE;
        return;
    }
    switch (type->kind) {
    case EVALUATE_TYPE_BOOL:
    case EVALUATE_TYPE_CHAR:
    case EVALUATE_TYPE_UCHAR:
    case EVALUATE_TYPE_SIGNED:
    case EVALUATE_TYPE_UNSIGNED:
    case EVALUATE_TYPE_ENUM:
        put_number (classifier, offset, type->size, EVALUATE_CLASS_INTEGER);
        break;
    case EVALUATE_TYPE_POINTER:
    case EVALUATE_TYPE_REFERENCE:
        put_number (classifier, offset, 8, EVALUATE_CLASS_INTEGER);
        break;
    case EVALUATE_TYPE_FLOAT: put_float (classifier, offset, type, type->size); break;
    case EVALUATE_TYPE_COMPLEX:
        if (type->flags & EVALUATE_TYPE_WHOLE) {
            put_number (classifier, offset, type->size / 2, EVALUATE_CLASS_INTEGER);
            put_number (classifier, offset + type->size / 2, type->size / 2,
                        EVALUATE_CLASS_INTEGER);
            break;
        }
        put_float (classifier, offset, type, type->size / 2);
        put_float (classifier, offset + type->size / 2, type, type->size / 2);
        break;
    case EVALUATE_TYPE_STRUCT:
    case EVALUATE_TYPE_UNION:
        if (type->flags & (EVALUATE_TYPE_BY_REFERENCE | EVALUATE_TYPE_DYNAMIC))
            put_class (classifier, 0, EVALUATE_CLASS_MEMORY);
        if ((type->flags & EVALUATE_TYPE_DECIMAL) && type->size == 4)
            put_number (classifier, offset, type->size, EVALUATE_CLASS_SSE);
        else if (type->flags & EVALUATE_TYPE_DECIMAL)
            put_vector (classifier, offset, type->size);
        classify_members (classifier, type, offset, depth);
        break;
    case EVALUATE_TYPE_ARRAY:
        if (type->flags & EVALUATE_TYPE_VECTOR)
            put_vector (classifier, offset, type->size);
        else if (depth == 0)
            classifier->is_unknown = TRUE;
        else
            classify_elements (classifier, type, offset, depth);
        break;
    default: classifier->is_unknown = TRUE;
    }
}

static gboolean
has_class (const Classifier *classifier, EvaluateClass class)
{
    for (guint i = 0; i < G_N_ELEMENTS (classifier->classes); i++)
        if (classifier->classes[i] == class)
            return TRUE;
    return FALSE;
}

void
evaluate_return_assemble (const EvaluateReturn *plan, const EvaluateCallResult *registers,
                          guint8 *ret_bytes)
{
    guint n_integers = 0, n_vectors = 0, n_floats = 0;
    guint8 bytes[48] = { 0 };

    for (guint i = 0; i < G_N_ELEMENTS (plan->classes); i++) {
        switch (plan->classes[i]) {
        case EVALUATE_CLASS_INTEGER:
            memcpy (bytes + 8 * i, &registers->integers[n_integers++ & 1], 8);
            break;
        case EVALUATE_CLASS_SSE:
            memcpy (bytes + 8 * i, registers->vectors[n_vectors++ & 1], 8);
            break;
        case EVALUATE_CLASS_SSE_UP:
            memcpy (bytes + 8 * i, registers->vectors[(n_vectors - 1) & 1] + 8, 8);
            break;
        case EVALUATE_CLASS_X87:
            memcpy (bytes + 8 * i, registers->floats[n_floats++ & 1], 10);
            break;
        default: break;
        }
    }
    memcpy (ret_bytes, bytes, MIN (plan->size, 32));
}

void
evaluate_program_classify_return (const EvaluateProgram *program, EvaluateReturn *ret_return)
{
    evaluate_program_classify (program, program->type, ret_return);
}

void
evaluate_program_classify (const EvaluateProgram *program, guint32 number,
                           EvaluateReturn *ret_return)
{
    const EvaluateType *type = resolve (program, number);
    Classifier classifier = { .program = program };
    gboolean is_long_complex = type->kind == EVALUATE_TYPE_COMPLEX && type->size == 32;

    *ret_return = (EvaluateReturn){ .size = type->size };
    if (type->size > 16 && !is_long_complex) {
        ret_return->kind = type->kind == EVALUATE_TYPE_STRUCT
                                   || type->kind == EVALUATE_TYPE_UNION
                               ? EVALUATE_RETURN_MEMORY
                               : EVALUATE_RETURN_UNKNOWN;
        if (type->flags & (EVALUATE_TYPE_INCOMPLETE))
            ret_return->kind = EVALUATE_RETURN_UNKNOWN;
        return;
    }
    classify (&classifier, type, 0, 0);
    if (classifier.is_unknown || type->size == 0)
        return;
    if (has_class (&classifier, EVALUATE_CLASS_MEMORY)
        || (classifier.classes[0] != EVALUATE_CLASS_X87
            && classifier.classes[1] == EVALUATE_CLASS_X87_UP)) {
        ret_return->kind = EVALUATE_RETURN_MEMORY;
        return;
    }
    if (classifier.classes[1] == EVALUATE_CLASS_SSE_UP
        && classifier.classes[0] != EVALUATE_CLASS_SSE)
        classifier.classes[1] = EVALUATE_CLASS_SSE;
    ret_return->kind = EVALUATE_RETURN_REGISTERS;
    for (guint i = 0; i < G_N_ELEMENTS (ret_return->classes); i++)
        ret_return->classes[i] = classifier.classes[i];
}
