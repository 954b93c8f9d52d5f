/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks through a type, field by field. */
#include "evaluate/returned.h"
#include "evaluate/program-private.h"

#define MAX_DEPTH 12u

typedef struct {
    const EvaluateProgram *program;
    MachinePassing *passing;
} Walk;

static void
add (Walk *walk, MachinePartKind kind, guint64 offset, guint64 size)
{
    machine_passing_add (walk->passing, kind, offset, size);
}

static void
add_float (Walk *walk, guint64 offset, const EvaluateType *type, guint64 size)
{
    gboolean is_long = size == 16 && g_strrstr (type->name, "long double") != NULL;

    add (walk, is_long ? MACHINE_PART_LONG_DOUBLE : MACHINE_PART_FLOAT, offset, size);
}

static const EvaluateType *
resolve (const EvaluateProgram *program, guint32 number)
{
    const EvaluateType *type = &program->types[number];

    for (guint i = 0; type->kind == EVALUATE_TYPE_TYPEDEF && i < 100; i++)
        type = &program->types[type->target];
    return type;
}

static void classify (Walk *walk, const EvaluateType *type, guint64 offset, guint depth);

static void
classify_members (Walk *walk, const EvaluateType *type, guint64 offset, guint depth)
{
    for (guint i = 0; i < type->n_members; i++) {
        const EvaluateMember *member = &type->members[i];

        if (member->bit_offset == EVALUATE_MEMBER_VIRTUAL)
            add (walk, MACHINE_PART_FIXED, 0, 0);
        else if (member->bit_size > 0 && !EVALUATE_MEMBER_ELSEWHERE (member->bit_offset))
            add (walk, MACHINE_PART_BITS, offset + member->offset + member->bit_offset / 8, 0);
        else if (!EVALUATE_MEMBER_ELSEWHERE (member->bit_offset))
            classify (walk, resolve (walk->program, member->type), offset + member->offset,
                      depth + 1);
    }
}

static void
classify_elements (Walk *walk, const EvaluateType *type, guint64 offset, guint depth)
{
    const EvaluateType *element = resolve (walk->program, type->target);

    if (element->size == 0 || type->count > 32) {
        add (walk, MACHINE_PART_UNKNOWN, offset, 0);
        return;
    }
    for (guint64 i = 0; i < type->count; i++)
        classify (walk, element, offset + i * element->size, depth + 1);
}

static void
classify (Walk *walk, const EvaluateType *type, guint64 offset, guint depth)
{
    if (depth > MAX_DEPTH
        || (type->flags & (EVALUATE_TYPE_INCOMPLETE | EVALUATE_TYPE_UNSURE))) {
        add (walk, MACHINE_PART_UNKNOWN, offset, 0);
        return;
    }
    switch (type->kind) {
    case EVALUATE_TYPE_BOOL:
    case EVALUATE_TYPE_CHAR:
    case EVALUATE_TYPE_UCHAR:
    case EVALUATE_TYPE_SIGNED:
    case EVALUATE_TYPE_UNSIGNED:
    case EVALUATE_TYPE_ENUM: add (walk, MACHINE_PART_INTEGER, offset, type->size); break;
    case EVALUATE_TYPE_POINTER:
    case EVALUATE_TYPE_REFERENCE:
        add (walk, MACHINE_PART_INTEGER, offset, 8);
        if (type->flags & EVALUATE_TYPE_TO_METHOD)
            add (walk, MACHINE_PART_INTEGER, offset + 8, 8);
        break;
    case EVALUATE_TYPE_FLOAT: add_float (walk, offset, type, type->size); break;
    case EVALUATE_TYPE_COMPLEX:
        if (type->flags & EVALUATE_TYPE_WHOLE) {
            add (walk, MACHINE_PART_INTEGER, offset, type->size / 2);
            add (walk, MACHINE_PART_INTEGER, offset + type->size / 2, type->size / 2);
            break;
        }
        add_float (walk, offset, type, type->size / 2);
        add_float (walk, offset + type->size / 2, type, type->size / 2);
        break;
    case EVALUATE_TYPE_STRUCT:
    case EVALUATE_TYPE_UNION:
        if (type->flags & (EVALUATE_TYPE_BY_REFERENCE | EVALUATE_TYPE_DYNAMIC))
            add (walk, MACHINE_PART_FIXED, 0, 0);
        if (type->flags & EVALUATE_TYPE_DECIMAL)
            add (walk, type->size == 4 ? MACHINE_PART_FLOAT : MACHINE_PART_VECTOR, offset,
                 type->size);
        classify_members (walk, type, offset, depth);
        break;
    case EVALUATE_TYPE_ARRAY:
        if (type->flags & EVALUATE_TYPE_VECTOR)
            add (walk, MACHINE_PART_VECTOR, offset, type->size);
        else if (depth == 0)
            add (walk, MACHINE_PART_UNKNOWN, offset, 0);
        else
            classify_elements (walk, type, offset, depth);
        break;
    default: add (walk, MACHINE_PART_UNKNOWN, offset, 0);
    }
}

void
evaluate_program_classify_return (const EvaluateProgram *program, MachinePassing *ret_passing)
{
    evaluate_program_classify (program, program->type, ret_passing);
}

static MachineValueKind
find_kind (const EvaluateType *type)
{
    switch (type->kind) {
    case EVALUATE_TYPE_STRUCT:
    case EVALUATE_TYPE_UNION: return MACHINE_VALUE_AGGREGATE;
    case EVALUATE_TYPE_COMPLEX: return MACHINE_VALUE_COMPLEX;
    default: return MACHINE_VALUE_NUMBER;
    }
}

void
evaluate_program_classify (const EvaluateProgram *program, guint32 number,
                           MachinePassing *ret_passing)
{
    const EvaluateType *type = resolve (program, number);
    Walk walk = { program, ret_passing };

    if (machine_passing_begin (ret_passing, find_kind (type), type->size)) {
        classify (&walk, type, 0, 0);
        machine_passing_finish (ret_passing);
    } else if (type->flags & EVALUATE_TYPE_INCOMPLETE) {
        ret_passing->kind = MACHINE_PASSING_UNKNOWN;
    }
}
