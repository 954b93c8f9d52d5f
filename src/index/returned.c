/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The classification of the psABI, field by field. */
#include "index/returned.h"
#include "index/program-private.h"
#include <string.h>

#define MAX_DEPTH 12u

typedef struct {
    const IndexProgram *program;
    IndexClass classes[4];
    gboolean is_unknown;
} Classifier;

static IndexClass
merge_classes (IndexClass a, IndexClass b)
{
    if (a == b || b == INDEX_CLASS_NONE)
        return a;
    if (a == INDEX_CLASS_NONE)
        return b;
    if (a == INDEX_CLASS_MEMORY || b == INDEX_CLASS_MEMORY)
        return INDEX_CLASS_MEMORY;
    if (a == INDEX_CLASS_INTEGER || b == INDEX_CLASS_INTEGER)
        return INDEX_CLASS_INTEGER;
    if (a == INDEX_CLASS_X87 || a == INDEX_CLASS_X87_UP || b == INDEX_CLASS_X87
        || b == INDEX_CLASS_X87_UP)
        return INDEX_CLASS_MEMORY;
    return INDEX_CLASS_SSE;
}

static void
put_class (Classifier *classifier, guint64 offset, IndexClass class)
{
    guint64 at = offset / 8;

    if (at < G_N_ELEMENTS (classifier->classes))
        classifier->classes[at] = merge_classes (classifier->classes[at], class);
}

/* A field that is not aligned by its size makes the whole go to memory. */
static void
put_number (Classifier *classifier, guint64 offset, guint64 size, IndexClass class)
{
    guint64 alignment = MIN (MAX (size, 1), 16);

    if (offset % alignment != 0)
        put_class (classifier, 0, INDEX_CLASS_MEMORY);
    for (guint64 at = offset; at < offset + size; at += 8)
        put_class (classifier, at, class);
}

static void
put_float (Classifier *classifier, guint64 offset, const IndexType *type, guint64 size)
{
    gboolean is_x87 = size == 16 && g_strrstr (type->name, "long double") != NULL;

    if (size != 16) {
        put_number (classifier, offset, size, INDEX_CLASS_SSE);
        return;
    }
    if (offset % 16 != 0)
        put_class (classifier, 0, INDEX_CLASS_MEMORY);
    put_class (classifier, offset, is_x87 ? INDEX_CLASS_X87 : INDEX_CLASS_SSE);
    put_class (classifier, offset + 8, is_x87 ? INDEX_CLASS_X87_UP : INDEX_CLASS_SSE_UP);
}

static const IndexType *
resolve (const IndexProgram *program, guint32 number)
{
    const IndexType *type = &program->types[number];

    for (guint i = 0; type->kind == INDEX_TYPE_TYPEDEF && i < 100; i++)
        type = &program->types[type->target];
    return type;
}

static void classify (Classifier *classifier, const IndexType *type, guint64 offset,
                      guint depth);

static void
classify_members (Classifier *classifier, const IndexType *type, guint64 offset, guint depth)
{
    for (guint i = 0; i < type->n_members; i++) {
        const IndexMember *member = &type->members[i];

        if (member->bit_offset == INDEX_MEMBER_VIRTUAL)
            put_class (classifier, 0, INDEX_CLASS_MEMORY);
        else if (member->bit_size > 0 && !INDEX_MEMBER_ELSEWHERE (member->bit_offset))
            put_class (classifier, offset + member->offset + member->bit_offset / 8,
                       INDEX_CLASS_INTEGER);
        else if (!INDEX_MEMBER_ELSEWHERE (member->bit_offset))
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
        put_class (classifier, 0, INDEX_CLASS_MEMORY);
    put_class (classifier, offset, INDEX_CLASS_SSE);
    if (size == 16)
        put_class (classifier, offset + 8, INDEX_CLASS_SSE_UP);
}

static void
classify_elements (Classifier *classifier, const IndexType *type, guint64 offset, guint depth)
{
    const IndexType *element = resolve (classifier->program, type->target);

    if (element->size == 0 || type->count > 32)
        classifier->is_unknown = TRUE;
    for (guint64 i = 0; i < type->count && !classifier->is_unknown; i++)
        classify (classifier, element, offset + i * element->size, depth + 1);
}

static void
classify (Classifier *classifier, const IndexType *type, guint64 offset, guint depth)
{
    if (depth > MAX_DEPTH || (type->flags & (INDEX_TYPE_INCOMPLETE | INDEX_TYPE_UNSURE))) {
        classifier->is_unknown = TRUE;
        return;
    }
    switch (type->kind) {
    case INDEX_TYPE_BOOL:
    case INDEX_TYPE_CHAR:
    case INDEX_TYPE_UCHAR:
    case INDEX_TYPE_SIGNED:
    case INDEX_TYPE_UNSIGNED:
    case INDEX_TYPE_ENUM:
        put_number (classifier, offset, type->size, INDEX_CLASS_INTEGER);
        break;
    case INDEX_TYPE_POINTER:
    case INDEX_TYPE_REFERENCE: put_number (classifier, offset, 8, INDEX_CLASS_INTEGER); break;
    case INDEX_TYPE_FLOAT: put_float (classifier, offset, type, type->size); break;
    case INDEX_TYPE_COMPLEX:
        if (type->flags & INDEX_TYPE_WHOLE) {
            put_number (classifier, offset, type->size / 2, INDEX_CLASS_INTEGER);
            put_number (classifier, offset + type->size / 2, type->size / 2,
                        INDEX_CLASS_INTEGER);
            break;
        }
        put_float (classifier, offset, type, type->size / 2);
        put_float (classifier, offset + type->size / 2, type, type->size / 2);
        break;
    case INDEX_TYPE_STRUCT:
    case INDEX_TYPE_UNION:
        if (type->flags & (INDEX_TYPE_BY_REFERENCE | INDEX_TYPE_DYNAMIC))
            put_class (classifier, 0, INDEX_CLASS_MEMORY);
        if ((type->flags & INDEX_TYPE_DECIMAL) && type->size == 4)
            put_number (classifier, offset, type->size, INDEX_CLASS_SSE);
        else if (type->flags & INDEX_TYPE_DECIMAL)
            put_vector (classifier, offset, type->size);
        classify_members (classifier, type, offset, depth);
        break;
    case INDEX_TYPE_ARRAY:
        if (type->flags & INDEX_TYPE_VECTOR)
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
has_class (const Classifier *classifier, IndexClass class)
{
    for (guint i = 0; i < G_N_ELEMENTS (classifier->classes); i++)
        if (classifier->classes[i] == class)
            return TRUE;
    return FALSE;
}

void
index_return_assemble (const IndexReturn *plan, const IndexCallResult *registers,
                       guint8 *ret_bytes)
{
    guint n_integers = 0, n_vectors = 0, n_floats = 0;
    guint8 bytes[48] = { 0 };

    for (guint i = 0; i < G_N_ELEMENTS (plan->classes); i++) {
        switch (plan->classes[i]) {
        case INDEX_CLASS_INTEGER:
            memcpy (bytes + 8 * i, &registers->integers[n_integers++ & 1], 8);
            break;
        case INDEX_CLASS_SSE:
            memcpy (bytes + 8 * i, registers->vectors[n_vectors++ & 1], 8);
            break;
        case INDEX_CLASS_SSE_UP:
            memcpy (bytes + 8 * i, registers->vectors[(n_vectors - 1) & 1] + 8, 8);
            break;
        case INDEX_CLASS_X87:
            memcpy (bytes + 8 * i, registers->floats[n_floats++ & 1], 10);
            break;
        default: break;
        }
    }
    memcpy (ret_bytes, bytes, MIN (plan->size, 32));
}

void
index_program_classify_return (const IndexProgram *program, IndexReturn *ret_return)
{
    index_program_classify (program, program->type, ret_return);
}

void
index_program_classify (const IndexProgram *program, guint32 number, IndexReturn *ret_return)
{
    const IndexType *type = resolve (program, number);
    Classifier classifier = { .program = program };
    gboolean is_long_complex = type->kind == INDEX_TYPE_COMPLEX && type->size == 32;

    *ret_return = (IndexReturn){ .size = type->size };
    if (type->size > 16 && !is_long_complex) {
        ret_return->kind = type->kind == INDEX_TYPE_STRUCT || type->kind == INDEX_TYPE_UNION
                               ? INDEX_RETURN_MEMORY
                               : INDEX_RETURN_UNKNOWN;
        if (type->flags & (INDEX_TYPE_INCOMPLETE))
            ret_return->kind = INDEX_RETURN_UNKNOWN;
        return;
    }
    classify (&classifier, type, 0, 0);
    if (classifier.is_unknown || type->size == 0)
        return;
    if (has_class (&classifier, INDEX_CLASS_MEMORY)
        || (classifier.classes[0] != INDEX_CLASS_X87
            && classifier.classes[1] == INDEX_CLASS_X87_UP)) {
        ret_return->kind = INDEX_RETURN_MEMORY;
        return;
    }
    if (classifier.classes[1] == INDEX_CLASS_SSE_UP && classifier.classes[0] != INDEX_CLASS_SSE)
        classifier.classes[1] = INDEX_CLASS_SSE;
    ret_return->kind = INDEX_RETURN_REGISTERS;
    for (guint i = 0; i < G_N_ELEMENTS (ret_return->classes); i++)
        ret_return->classes[i] = classifier.classes[i];
}
