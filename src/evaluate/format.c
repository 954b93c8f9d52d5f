/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formats values in C, as gdb does: numbers, text, pointers, aggregates, and the tree of their
 * parts. */
#include <glib/gi18n.h>
#include <string.h>

#include "base/hash.h"
#include "base/real.h"
#include "evaluate/letter.h"
#include "evaluate/program-private.h"

#define MAX_PARTS 400
#define MAX_RUN 65536 /* characters that are read to count equal ones */

/* As gdb has it: every value is one bit, or none. */
static gboolean
has_flags (const EvaluateType *type)
{
    for (guint i = 0; i < type->n_enumerators; i++) {
        guint64 flag = (guint64) type->enumerators[i].value;
        if (type->enumerators[i].value < 0 || (flag & (flag - 1)))
            return FALSE;
    }
    return TRUE;
}

static char *
format_enum (const EvaluateType *type, gint64 number)
{
    guint64 rest = (guint64) number;
    for (guint i = 0; i < type->n_enumerators; i++)
        if (type->enumerators[i].value == number)
            return g_strdup (type->enumerators[i].name);
    if (!number || !type->n_enumerators || !has_flags (type)) /* std::byte has none */
        return g_strdup_printf ("%" G_GINT64_FORMAT, number);
    if (type->size < 8)
        rest &= (G_GUINT64_CONSTANT (1) << (type->size * 8)) - 1;
    GString *text = g_string_new ("(");
    for (guint i = 0; i < type->n_enumerators; i++) {
        guint64 flag = (guint64) type->enumerators[i].value;
        if (!(rest & flag))
            continue;
        g_string_append_printf (text, "%s%s", text->len > 1 ? " | " : "",
                                type->enumerators[i].name);
        rest &= ~flag;
    }
    if (rest)
        g_string_append_printf (text, "%sunknown: 0x%" G_GINT64_MODIFIER "x",
                                text->len > 1 ? " | " : "", rest);
    g_string_append_c (text, ')');
    return g_string_free (text, FALSE);
}

/* Bytes until a zero character; *ret_cut: there was none. */
static gsize
measure_text (const guint8 *bytes, gsize size, guint width, gboolean *ret_cut)
{
    static const guint8 zero[4];
    gsize at = 0;
    while (at + width <= size && memcmp (bytes + at, zero, width) != 0)
        at += width;
    *ret_cut = at + width > size;
    return at;
}

static void
append_text_at (EvaluateRun *run, GString *text, const EvaluateType *type, guint64 address)
{
    guint width = type->count;
    gsize limit = (gsize) run->limits->bytes * width;
    g_autofree guint8 *bytes = g_malloc (limit + width);
    gsize done = base_memory_read_some (run->context->memory, address, bytes, limit + width);
    gboolean cut;
    gsize size = measure_text (bytes, done, width, &cut);
    if (!done) {
        g_string_append (text, " <cannot read memory>");
        return;
    }
    g_autofree char *quoted = evaluate_format_quote (bytes, MIN (size, limit), width,
                                                     type->lower, cut || size > limit);
    if (cut || size > limit)
        evaluate_rest_note_text (run, address, G_MAXUINT64 - address, width);
    g_string_append_c (text, ' ');
    g_string_append (text, quoted);
}

static void
append_adjustment (GString *text, gint64 adjustment)
{
    if (adjustment)
        g_string_append_printf (text, ", this adjustment %" G_GINT64_FORMAT, adjustment);
}

/* How far the object that a pointer to a method is for lies behind the one that it is used with. */
static gint64
find_adjustment (const EvaluateType *type, const EvaluateValue *value)
{
    gint64 adjustment = 0;
    if ((type->flags & EVALUATE_TYPE_TO_METHOD) && value->bytes && value->bytes->len >= 16)
        memcpy (&adjustment, value->bytes->data + 8, 8);
    return adjustment;
}

void
evaluate_format_pointer (EvaluateRun *run, GString *text, const EvaluateType *type,
                         const char *name, guint64 address, gint64 adjustment, guint depth)
{
    const EvaluateContext *context = run->context;
    gboolean is_text = (type->flags & EVALUATE_TYPE_TO_CHAR) && type->count >= 1
                       && type->count <= 4;
    gboolean is_virtual = (type->flags & EVALUATE_TYPE_TO_METHOD) && (address & 1);
    for (guint i = 0; i < type->n_enumerators; i++)
        if ((guint64) type->enumerators[i].value
            == (is_virtual ? EVALUATE_METHOD_KEY (address, adjustment) : address)) {
            g_string_append (text, type->enumerators[i].name);
            return;
        }
    if (is_virtual) {
        g_string_append_printf (text, "&virtual table offset %" G_GUINT64_FORMAT, address - 1);
        append_adjustment (text, adjustment);
        return;
    }
    if (!depth && !is_text) {
        g_string_append (text, type->flags & EVALUATE_TYPE_FORTRAN ? "(PTR TO -> ( " : "(");
        g_string_append (text, name);
        g_string_append (text, type->flags & EVALUATE_TYPE_FORTRAN ? " )) " : ") ");
    }
    g_autofree char *number = base_text_format_address (address);
    g_string_append (text, number);
    g_autofree char *symbol = address && context->describe_address
                                  ? context->describe_address (context->user, address)
                                  : NULL;
    if (symbol)
        g_string_append_printf (text, " <%s>", symbol);
    if (is_text && address)
        append_text_at (run, text, type, address);
    append_adjustment (text, adjustment);
}

char *
evaluate_format_integer (const EvaluateType *type, const EvaluateScalar *scalar)
{
    GString *text;
    switch (type->kind) {
    case EVALUATE_TYPE_BOOL:
        if (type->flags & EVALUATE_TYPE_FORTRAN)
            return g_strdup (scalar->integer & 1 ? ".true." : ".false.");
        return scalar->integer > 1 ? g_strdup_printf ("%" G_GUINT64_FORMAT, scalar->integer)
                                   : g_strdup (scalar->integer ? "true" : "false");
    case EVALUATE_TYPE_CHAR:
    case EVALUATE_TYPE_UCHAR:
        text = g_string_new (NULL);
        if (type->kind == EVALUATE_TYPE_CHAR)
            g_string_append_printf (text, "%" G_GINT64_FORMAT " '", (gint64) scalar->integer);
        else
            g_string_append_printf (text, "%" G_GUINT64_FORMAT " '", scalar->integer);
        if (type->lower)
            g_string_insert_c (text, text->len - 1, (char) type->lower);
        if (type->size == 1 && (guint8) scalar->integer >= 128)
            g_string_append_printf (text, "\\%03o", (guint8) scalar->integer);
        else
            evaluate_quote_append (text, scalar->integer, '\'');
        g_string_append_c (text, '\'');
        return g_string_free (text, FALSE);
    case EVALUATE_TYPE_ENUM: return format_enum (type, scalar->integer);
    default:
        return scalar->kind == EVALUATE_SCALAR_SIGNED
                   ? g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) scalar->integer)
                   : g_strdup_printf ("%" G_GUINT64_FORMAT, scalar->integer);
    }
}

/* A sentence that stands in the code needs no form of its own: it is in the catalogue. */
static JobValue *
format_problem (const EvaluateRun *run, const char *name, const char *type, const char *problem)
{
    const char *text = problem ? problem : N_ ("<unknown value>");
    const JobText *said = run->said ? g_hash_table_lookup (run->said, text) : NULL;
    JobValue *shown = job_value_new (name, type, text);
    shown->is_problem = TRUE;
    shown->said = job_text_dup (said);
    return shown;
}

/* x87's numbers have a bit for the 1 in front of the point: without it they are none (Intel SDM volume 1,
 * table 8-3). */
static gboolean
is_invalid_real (const EvaluateType *type, const EvaluateValue *value)
{
    const guint8 *bytes = value->bytes ? value->bytes->data : NULL;
    return type->size == 16 && !(type->flags & EVALUATE_TYPE_QUAD) && bytes
           && value->bytes->len >= 10 && (bytes[8] || bytes[9] & 0x7f) && !(bytes[7] & 0x80);
}

/* Not to a text, which is shown already, a function or nobody knows what. */
static gboolean
points_to_data (const EvaluateType *type)
{
    return (type->flags & EVALUATE_TYPE_TO_AGGREGATE)
           || (!(type->flags
                 & (EVALUATE_TYPE_TO_CHAR | EVALUATE_TYPE_TO_FUNCTION
                    | EVALUATE_TYPE_TO_METHOD))
               && !g_str_has_suffix (type->name, "void *"));
}

static JobValue *
format_scalar (EvaluateRun *run, const char *name, EvaluateValue *value, guint depth)
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    const char *type_name = run->program->types[value->type].name;
    EvaluateScalar scalar;
    g_autofree char *text = NULL;
    if (value->pointee && !value->problem) {
        gboolean plain = depth || (type->flags & EVALUATE_TYPE_TO_CHAR);
        text = g_strdup_printf (plain ? N_ ("<synthetic pointer>") : "(%s) <synthetic pointer>",
                                type_name);
        return job_value_new (name, type_name, text);
    }
    if (!evaluate_value_read_scalar (run, value, &scalar))
        return format_problem (run, name, type_name, value->problem);
    if (type->kind == EVALUATE_TYPE_POINTER) {
        g_autoptr (GString) pointer = g_string_new (NULL);
        evaluate_format_pointer (run, pointer, type, type_name, scalar.integer,
                                 find_adjustment (type, value), depth);
        JobValue *shown = job_value_new (name, type_name, pointer->str);
        shown->expandable = scalar.integer && points_to_data (type);
        return shown;
    }
    if (type->kind == EVALUATE_TYPE_REFERENCE) {
        text = g_strdup_printf ("@0x%" G_GINT64_MODIFIER "x", scalar.integer);
        return job_value_new (name, type_name, text);
    }
    if (type->kind == EVALUATE_TYPE_FLOAT && is_invalid_real (type, value))
        return format_problem (run, name, type_name, N_ ("<invalid float value>"));
    if (type->kind == EVALUATE_TYPE_FLOAT) {
        text = evaluate_real_format (scalar.real, type->size,
                                     (type->flags & EVALUATE_TYPE_QUAD) != 0);
        return job_value_new_number (name, type_name, text, (double) scalar.real);
    }
    text = evaluate_format_integer (type, &scalar);
    double number = scalar.kind == EVALUATE_SCALAR_SIGNED ? (double) (gint64) scalar.integer
                                                          : (double) scalar.integer;
    return job_value_new_number (name, type_name, text, number);
}

char *
evaluate_format_wide (const guint8 *bytes, gboolean is_signed)
{
    char digits[48];
    guint at = sizeof digits - 1;
    unsigned __int128 number;

    memcpy (&number, bytes, sizeof number);
    gboolean is_negative = is_signed && number >> 127;
    if (is_negative)
        number = -number;
    digits[at] = 0;
    do {
        digits[--at] = (char) ('0' + (int) (number % 10));
        number /= 10;
    } while (number);
    if (is_negative)
        digits[--at] = '-';
    return g_strdup (digits + at);
}

/* 128-bit integers and complex numbers: what no scalar holds. */
static JobValue *
format_wide (EvaluateRun *run, const char *name, EvaluateValue *value)
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    const char *type_name = run->program->types[value->type].name;
    if (type->size > 32 || !evaluate_value_fetch (run, value, type->size))
        return format_problem (run, name, type_name, value->problem);
    g_autofree char *text = NULL;
    if (type->kind == EVALUATE_TYPE_COMPLEX) {
        gboolean is_whole = (type->flags & EVALUATE_TYPE_WHOLE) != 0;
        gboolean is_quad = (type->flags & EVALUATE_TYPE_QUAD) != 0;
        BaseReal parts[2];
        if (!evaluate_value_read_complex (run, value, parts))
            return format_problem (run, name, type_name, value->problem);
        g_autofree char *a = is_whole
                                 ? g_strdup_printf ("%.0Lf", (long double) parts[0])
                                 : evaluate_real_format (parts[0], type->size / 2, is_quad);
        g_autofree char *b = is_whole
                                 ? g_strdup_printf ("%.0Lf", (long double) parts[1])
                                 : evaluate_real_format (parts[1], type->size / 2, is_quad);
        text = g_strdup_printf (type->flags & EVALUATE_TYPE_FORTRAN ? "(%s,%s)" : "%s + %si", a,
                                b);
    } else {
        text = evaluate_format_wide (value->bytes->data, type->kind == EVALUATE_TYPE_SIGNED);
    }
    return job_value_new (name, type_name, text);
}

static void
add_child (JobValue *shown, JobValue *child)
{
    if (!shown->children)
        shown->children = g_ptr_array_new_with_free_func ((GDestroyNotify) job_value_free);
    g_ptr_array_add (shown->children, child);
}

/* The part of value that a member is, wherever it lies. */
static void
take_member (EvaluateRun *run, EvaluateValue *value, const EvaluateMember *member,
             EvaluateValue *part)
{
    const EvaluateType *type = evaluate_run_get_type (run, member->type);
    guint64 vtable = 0;
    gint64 offset = 0;
    BaseMemoryReader *memory = run->context->memory;
    if (!EVALUATE_MEMBER_ELSEWHERE (member->bit_offset)) {
        evaluate_value_take_part (value, member->type, member->offset, part);
        part->bit_size = member->bit_size;
        part->bit_offset = member->bit_offset;
        return;
    }
    *part = (EvaluateValue){ .type = member->type };
    if (member->bit_offset == EVALUATE_MEMBER_CONSTANT) {
        part->bytes = g_byte_array_new ();
        g_byte_array_append (part->bytes, (const guint8 *) &member->offset,
                             MIN (type->size, 8));
        return;
    }
    part->place = EVALUATE_PLACE_MEMORY;
    part->address = run->context->bias + member->offset;
    if (member->bit_offset == EVALUATE_MEMBER_STATIC)
        return;
    part->address = value->address;
    if (value->place != EVALUATE_PLACE_MEMORY
        || base_memory_read_some (memory, value->address, &vtable, 8) < 8
        || base_memory_read_some (memory, vtable + member->offset, &offset, 8) < 8)
        part->problem = g_strdup (N_ ("<cannot find the virtual base>"));
    part->address += offset;
}

/* Bases of the standard library that hold nothing are left out by gdb's printer of pairs. */
static gboolean
is_hidden (const EvaluateRun *run, const EvaluateType *type, const EvaluateMember *member)
{
    return member->name[0] == '<' && g_str_has_prefix (type->name, "std::pair<")
           && !evaluate_run_get_type (run, member->type)->n_members;
}

/* A static object may hold itself. FALSE: it is being shown already. */
static gboolean
begin_static (EvaluateRun *run, const EvaluateMember *member, const EvaluateValue *part)
{
    const EvaluateType *type = evaluate_run_get_type (run, part->type);
    if (member->bit_offset != EVALUATE_MEMBER_STATIC || type->kind < EVALUATE_TYPE_STRUCT
        || type->kind > EVALUATE_TYPE_ARRAY)
        return TRUE;
    if (BASE_ANY (i, run->n_statics, run->statics[i] == part->address))
        return FALSE;
    if (run->n_statics < G_N_ELEMENTS (run->statics))
        run->statics[run->n_statics++] = part->address;
    return TRUE;
}

static JobValue *
format_member (EvaluateRun *run, const EvaluateMember *member, EvaluateValue *part, guint depth)
{
    const char *name = member->name[0] ? member->name : NULL;
    gboolean is_static = member->bit_offset == EVALUATE_MEMBER_STATIC;
    if (!begin_static (run, member, part))
        return job_value_new (name, run->program->types[part->type].name,
                              N_ ("<same as static member of an already seen type>"));
    run->static_depth += is_static;
    JobValue *shown = evaluate_run_format (run, name, part, depth);
    run->static_depth -= is_static;
    return shown;
}

static JobValue *
format_struct (EvaluateRun *run, const char *name, EvaluateValue *value, guint depth)
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    const char *type_name = run->program->types[value->type].name;
    gboolean fortran = type->flags & EVALUATE_TYPE_FORTRAN, any = FALSE;
    if (type->flags & EVALUATE_TYPE_INCOMPLETE)
        return format_problem (run, name, type_name, N_ ("<incomplete type>"));
    if (depth >= run->limits->depth || run->depth > EVALUATE_MAX_NESTING) {
        JobValue *shown = job_value_new (name, type_name, "{...}");
        shown->expandable = type->n_members > 0;
        evaluate_rest_note_value (run, value);
        return shown;
    }
    gsize wanted = MIN (type->size, 1 << 16);
    if (value->problem || (!value->gaps && !evaluate_value_fetch (run, value, wanted)))
        return format_problem (run, name, type_name, value->problem);
    g_autoptr (GString) text = g_string_new (fortran ? "( " : "{");
    JobValue *shown = job_value_new (name, type_name, "");
    run->depth++;
    guint n_statics = run->n_statics;
    run->is_partial |= type->n_members > MAX_PARTS;
    for (guint i = 0; i < type->n_members && i < MAX_PARTS; i++) {
        const EvaluateMember *member = &type->members[i];
        EvaluateValue part;
        if (is_hidden (run, type, member))
            continue;
        take_member (run, value, member, &part);
        gboolean fixed = member->bit_offset == EVALUATE_MEMBER_STATIC
                         || member->bit_offset == EVALUATE_MEMBER_CONSTANT;
        JobValue *child = format_member (run, member, &part, depth + 1);
        g_string_append (text, any ? ", " : "");
        any = TRUE;
        if (member->name[0])
            g_string_append_printf (text, "%s%s = ", fixed ? "static " : "", member->name);
        g_string_append (text, child->text);
        add_child (shown, child);
        evaluate_value_clear (&part);
    }
    run->depth--;
    if (!run->static_depth)
        run->n_statics = n_statics;
    g_string_append (text, fortran ? " )" : "}");
    g_free (shown->text);
    shown->text = g_strdup (text->str);
    shown->expandable = type->n_members > 0;
    return shown;
}

static gboolean
ends_in_zero (const guint8 *bytes, gsize size, guint width)
{
    static const guint8 zero[4];
    return size >= width && memcmp (bytes + size - width, zero, width) == 0;
}

/* The whole array, as gdb shows it with "print null-stop off": without one zero that ends it. */
static JobValue *
format_text (EvaluateRun *run, const char *name, EvaluateValue *value, guint64 count,
             const EvaluateType *character)
{
    const char *type_name = run->program->types[value->type].name;
    guint width = character->size;
    gboolean fortran = evaluate_run_get_type (run, value->type)->flags & EVALUATE_TYPE_FORTRAN;
    guint64 limit = MAX (run->limits->bytes, 1);
    /* a run of equal characters may go on behind the limit */
    gsize size = (fortran || count > MAX_RUN ? MIN (count, limit) : count) * width;
    gboolean cut = size < count * width;
    if (!evaluate_value_fetch (run, value, MAX (size, 1)))
        return format_problem (run, name, type_name, value->problem);
    if (!fortran && !cut && ends_in_zero (value->bytes->data, size, width))
        size -= width;
    g_autofree char *text = fortran
                                ? evaluate_quote_fortran (value->bytes->data, size, width, cut)
                                : evaluate_quote_array (value->bytes->data, size, character,
                                                        run->limits, &cut);
    if (cut && !fortran && value->place == EVALUATE_PLACE_MEMORY)
        evaluate_rest_note_memory (run, value->address, count * width);
    else if (cut)
        evaluate_elements_note_rest (run, value);
    return job_value_new (name, type_name, text);
}

/* Part of a text, or one that was computed. */
static JobValue *
format_section (EvaluateRun *run, const char *name, EvaluateValue *value,
                const EvaluateType *character)
{
    const char *type_name = run->program->types[value->type].name;
    g_autoptr (GByteArray) bytes = evaluate_run_read_text (run, value);
    if (!bytes)
        return format_problem (run, name, type_name, value->problem);
    gsize shown = MIN (bytes->len, (gsize) run->limits->bytes * character->size);
    g_autofree char *text = evaluate_quote_fortran (bytes->data, shown, character->size,
                                                    shown < bytes->len);
    if (shown < bytes->len)
        evaluate_rest_note (run, base_hash_bytes (0, bytes->data, bytes->len));
    return job_value_new (name, type_name, text);
}

static gboolean
is_character (const EvaluateType *type)
{
    return (type->kind == EVALUATE_TYPE_CHAR || type->kind == EVALUATE_TYPE_UCHAR)
           && (type->size == 1 || type->size == 2 || type->size == 4);
}

static JobValue *
format_decimal (EvaluateRun *run, const char *name, EvaluateValue *value)
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    const char *type_name = run->program->types[value->type].name;
    if (!evaluate_value_fetch (run, value, type->size))
        return format_problem (run, name, type_name, value->problem);
    g_autofree char *text = evaluate_decimal_format (value->bytes->data, type->size);
    return text ? job_value_new (name, type_name, text)
                : format_problem (run, name, type_name, NULL);
}

/* Those from first on, which are not shown. */
static void
note_elements (EvaluateRun *run, EvaluateValue *value, guint64 first, guint64 count)
{
    for (guint64 i = first; i < count && !run->is_partial; i++) {
        EvaluateValue part;

        evaluate_run_take_element (run, value, (gint64) i, &part);
        evaluate_rest_note_value (run, &part);
        evaluate_value_clear (&part);
    }
}

/* The elements' text between marks, and each as a child. */
static JobValue *
format_elements (EvaluateRun *run, const char *name, EvaluateValue *value, guint64 count,
                 guint depth)
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    const char *type_name = run->program->types[value->type].name;
    gboolean fortran = type->flags & EVALUATE_TYPE_FORTRAN;
    gboolean rows = evaluate_run_get_type (run, type->target)->kind == EVALUATE_TYPE_ARRAY
                    && !is_character (evaluate_run_get_type (
                        run, evaluate_run_get_type (run, type->target)->target));
    guint64 items = MIN (count, MAX (run->limits->items, 1));
    gint64 lower = value->n_sections || !fortran ? !!fortran
                                                 : evaluate_run_find_lower (run, type);
    g_autoptr (GString) text = g_string_new (fortran ? "(" : "{");
    JobValue *shown = job_value_new (name, type_name, "");
    run->depth++;
    for (guint64 i = 0; i < items; i++) {
        g_autofree char *label = g_strdup_printf (fortran ? "(%" G_GINT64_FORMAT ")"
                                                          : "[%" G_GINT64_FORMAT "]",
                                                  lower + (gint64) i);
        EvaluateValue part;
        evaluate_run_take_element (run, value, i, &part);
        JobValue *child = evaluate_run_format (run, label, &part, depth + 1);
        g_string_append_printf (text, "%s%s",
                                !i                ? ""
                                : fortran && rows ? " "
                                                  : ", ",
                                child->text);
        add_child (shown, child);
        evaluate_value_clear (&part);
    }
    g_string_append (text, items < count ? "..." : "");
    if (items < count && !evaluate_elements_note_rest (run, value))
        note_elements (run, value, items, count);
    run->depth--;
    g_string_append (text, fortran ? ")" : "}");
    g_free (shown->text);
    shown->text = g_strdup (text->str);
    shown->expandable = TRUE;
    return shown;
}

/* It came in pieces, some of which are there: each element is asked for on its own. */
static gboolean
has_known_part (const EvaluateValue *value)
{
    return value->gaps && memchr (value->gaps->data, 0, value->gaps->len);
}

/* One without elements, or too deep to be shown. C's [] at a structure's end goes on where it stands. */
static JobValue *
format_closed (const char *name, const char *type_name, const EvaluateValue *value,
               guint64 count, gboolean fortran)
{
    g_autofree char *open = !count && !fortran && value->place == EVALUATE_PLACE_MEMORY
                                ? g_strdup_printf ("0x%" G_GINT64_MODIFIER "x", value->address)
                                : NULL;
    JobValue *shown = job_value_new (name, type_name,
                                     count     ? "{...}"
                                     : open    ? open
                                     : fortran ? "()"
                                               : "{}");
    shown->expandable = count > 0;
    return shown;
}

static JobValue *
format_array (EvaluateRun *run, const char *name, EvaluateValue *value, guint depth)
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    const char *type_name = run->program->types[value->type].name;
    const EvaluateType *element = evaluate_run_get_type (run, type->target);
    gboolean fortran = type->flags & EVALUATE_TYPE_FORTRAN;
    if (!evaluate_run_resolve (run, value))
        return format_problem (run, name, type_name, value->problem);
    guint64 count = value->n_sections ? (guint64) value->sections[0].count
                                      : evaluate_run_find_count (run, type);
    guint64 size = evaluate_run_find_size (run, type->target);
    if (!count && !value->n_sections && !evaluate_run_knows_count (run, type))
        return format_problem (run, name, type_name, N_ ("<length unknown>"));
    gboolean is_text = is_character (element) && evaluate_letter_is_plain (run->limits->letter);
    if (is_text && fortran && value->n_sections)
        return format_section (run, name, value, element);
    if (is_text && (count || fortran) && !value->n_sections)
        return format_text (run, name, value, count, element);
    if (!count || (!size && value->n_sections < 2) || depth >= run->limits->depth
        || run->depth > EVALUATE_MAX_NESTING) {
        if (count && (size || value->n_sections >= 2))
            evaluate_rest_note_value (run, value);
        return format_closed (name, type_name, value, count, fortran);
    }
    guint64 items = MIN (count, MAX (run->limits->items, 1));
    gint64 stride = value->n_sections ? value->sections[0].stride
                                      : evaluate_run_find_stride (run, type);
    if (size && stride == (gint64) size && size < 1 << 16 && items * size < 1 << 20
        && !has_known_part (value) && !evaluate_value_fetch (run, value, items * size))
        return format_problem (run, name, type_name, value->problem);
    return format_elements (run, name, value, count, depth);
}

static JobValue *
format_function (EvaluateRun *run, const char *name, const EvaluateValue *value)
{
    const char *type_name = run->program->types[value->type].name;
    const EvaluateContext *context = run->context;
    g_autofree char *symbol = context->describe_address
                                  ? context->describe_address (context->user, value->address)
                                  : NULL;
    g_autofree char *text = g_strdup_printf ("{%s} 0x%" G_GINT64_MODIFIER "x%s%s%s", type_name,
                                             value->address, symbol ? " <" : "",
                                             symbol ? symbol : "", symbol ? ">" : "");
    return job_value_new (name, type_name, text);
}

/* An array of Fortran of which the program says how many dimensions it has. */
static JobValue *
format_ranked (EvaluateRun *run, const char *name, EvaluateValue *value, guint depth)
{
    guint rank;
    return evaluate_run_take_rank (run, value, &rank)
               ? evaluate_run_format (run, name, value, depth)
               : format_problem (run, name, run->program->types[value->type].name,
                                 value->problem);
}

JobValue *
evaluate_run_format (EvaluateRun *run, const char *name, EvaluateValue *value, guint depth)
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    const char *type_name = run->program->types[value->type].name;
    if (value->problem)
        return format_problem (run, name, type_name, value->problem);
    JobValue *view = type->view ? evaluate_view_format (run, name, value, depth) : NULL;
    if (!view)
        view = evaluate_letter_format (run, name, value);
    if (view)
        return view;
    switch (type->kind) {
    case EVALUATE_TYPE_STRUCT:
        if (type->flags & EVALUATE_TYPE_RANKED)
            return format_ranked (run, name, value, depth);
        if (type->flags & EVALUATE_TYPE_DECIMAL)
            return format_decimal (run, name, value);
        G_GNUC_FALLTHROUGH;
    case EVALUATE_TYPE_UNION: return format_struct (run, name, value, depth);
    case EVALUATE_TYPE_ARRAY: return format_array (run, name, value, depth);
    case EVALUATE_TYPE_VOID: return job_value_new (name, type_name, "void");
    case EVALUATE_TYPE_FUNCTION: return format_function (run, name, value);
    case EVALUATE_TYPE_COMPLEX: return format_wide (run, name, value);
    default:
        if (type->size == 16 && type->kind != EVALUATE_TYPE_FLOAT
            && type->kind != EVALUATE_TYPE_POINTER)
            return format_wide (run, name, value);
        return format_scalar (run, name, value, depth);
    }
}
