/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows how values look in C, as gdb prints them: numbers, text, pointers, aggregates, and the
 * tree of their parts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "index/program-private.h"

#define MAX_NESTING 40
#define MAX_PARTS 400

static void
append_character (GString *text, guint8 byte, char quote)
{
    static const char named[] = "\a\b\t\n\v\f\r\033";
    static const char letters[] = "abtnvfre";
    const char *found = byte ? strchr (named, byte) : NULL;
    if (found)
        g_string_append_printf (text, "\\%c", letters[found - named]);
    else if (byte == (guint8) quote || byte == '\\')
        g_string_append_printf (text, "\\%c", byte);
    else if (byte < 32 || byte == 127)
        g_string_append_printf (text, "\\%03o", byte);
    else
        g_string_append_c (text, byte);
}

/* As it is when it is UTF-8, otherwise octal. */
static char *
quote_text (const guint8 *bytes, gsize size, gboolean cut)
{
    GString *text = g_string_new ("\"");
    gboolean plain = g_utf8_validate ((const char *) bytes, size, NULL);
    for (gsize i = 0; i < size; i++) {
        if (bytes[i] >= 128 && !plain)
            g_string_append_printf (text, "\\%03o", bytes[i]);
        else
            append_character (text, bytes[i], '"');
    }
    g_string_append (text, cut ? "\"..." : "\"");
    return g_string_free (text, FALSE);
}

static char *
format_real (long double real, guint64 size)
{
    char buffer[64];
    if (isnan (real))
        return g_strdup (signbit (real) ? "-nan" : "nan");
    if (isinf (real))
        return g_strdup (real < 0 ? "-inf" : "inf");
    int last = size == 4 ? 9 : size == 8 ? 17 : 21;
    for (int digits = size == 4 ? 6 : size == 8 ? 15 : 18; digits <= last; digits++) {
        g_snprintf (buffer, sizeof buffer, "%.*Lg", digits, real);
        long double back = strtold (buffer, NULL);
        if ((size == 4 && (float) back == (float) real) ||
            (size == 8 && (double) back == (double) real) || (size > 8 && back == real))
            break;
    }
    return g_strdup (buffer);
}

static char *
format_enum (const IndexType *type, gint64 number)
{
    GString *text = NULL;
    gint64 rest = number;
    for (guint i = 0; i < type->n_enumerators; i++)
        if (type->enumerators[i].value == number)
            return g_strdup (type->enumerators[i].name);
    for (guint i = 0; i < type->n_enumerators; i++) {
        gint64 flag = type->enumerators[i].value;
        if (flag <= 0 || (flag & (flag - 1)) || !(rest & flag))
            continue;
        if (!text)
            text = g_string_new ("(");
        else
            g_string_append (text, " | ");
        g_string_append (text, type->enumerators[i].name);
        rest &= ~flag;
    }
    if (text && !rest) {
        g_string_append_c (text, ')');
        return g_string_free (text, FALSE);
    }
    if (text)
        g_string_free (text, TRUE);
    return g_strdup_printf ("%" G_GINT64_FORMAT, number);
}

static char *
format_pointer (IndexRun *run, const IndexType *type, const char *name, guint64 address,
                guint depth)
{
    if (type->flags & INDEX_TYPE_TO_CHAR && address) {
        g_autofree guint8 *bytes = g_malloc (run->limits->bytes + 1);
        gsize done = base_memory_read_some (run->context->memory, address, bytes,
                                            run->limits->bytes + 1);
        const guint8 *end = done ? memchr (bytes, 0, done) : NULL;
        if (done) {
            gsize size = end ? (gsize) (end - bytes) : MIN (done, run->limits->bytes);
            g_autofree char *quoted = quote_text (bytes, size, !end);
            return g_strdup_printf ("0x%" G_GINT64_MODIFIER "x %s", address, quoted);
        }
        return g_strdup_printf ("0x%" G_GINT64_MODIFIER "x <cannot read memory>", address);
    }
    if (depth || type->flags & INDEX_TYPE_TO_CHAR)
        return g_strdup_printf ("0x%" G_GINT64_MODIFIER "x", address);
    return g_strdup_printf ("(%s) 0x%" G_GINT64_MODIFIER "x", name, address);
}

static char *
format_integer (const IndexType *type, const IndexScalar *scalar)
{
    GString *text;
    switch (type->kind) {
    case INDEX_TYPE_BOOL:
        return scalar->integer > 1 ? g_strdup_printf ("%" G_GUINT64_FORMAT, scalar->integer)
                                   : g_strdup (scalar->integer ? "true" : "false");
    case INDEX_TYPE_CHAR:
    case INDEX_TYPE_UCHAR:
        text = g_string_new (NULL);
        if (type->kind == INDEX_TYPE_CHAR)
            g_string_append_printf (text, "%" G_GINT64_FORMAT " '", (gint64) scalar->integer);
        else
            g_string_append_printf (text, "%" G_GUINT64_FORMAT " '", scalar->integer);
        if (type->size == 1 && (guint8) scalar->integer >= 128)
            g_string_append_printf (text, "\\%03o", (guint8) scalar->integer);
        else
            append_character (text, scalar->integer, '\'');
        g_string_append_c (text, '\'');
        return g_string_free (text, FALSE);
    case INDEX_TYPE_ENUM:
        return format_enum (type, scalar->integer);
    default:
        return scalar->kind == INDEX_SCALAR_SIGNED
                   ? g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) scalar->integer)
                   : g_strdup_printf ("%" G_GUINT64_FORMAT, scalar->integer);
    }
}

static JobValue *
format_problem (const char *name, const char *type, const char *problem)
{
    JobValue *shown = job_value_new (name, type, problem ? problem : "<unknown value>");
    shown->is_problem = TRUE;
    return shown;
}

static JobValue *
format_scalar (IndexRun *run, const char *name, IndexValue *value, guint depth)
{
    const IndexType *type = index_run_get_type (run, value->type);
    const char *type_name = run->program->types[value->type].name;
    IndexScalar scalar;
    if (!index_value_read_scalar (run, value, &scalar))
        return format_problem (name, type_name, value->problem);
    g_autofree char *text = NULL;
    if (type->kind == INDEX_TYPE_POINTER) {
        text = format_pointer (run, type, type_name, scalar.integer, depth);
        JobValue *shown = job_value_new (name, type_name, text);
        shown->expandable = (type->flags & INDEX_TYPE_TO_AGGREGATE) && scalar.integer;
        return shown;
    }
    if (type->kind == INDEX_TYPE_FLOAT) {
        text = format_real (scalar.real, type->size);
        return job_value_new_number (name, type_name, text, scalar.real);
    }
    text = format_integer (type, &scalar);
    double number = scalar.kind == INDEX_SCALAR_SIGNED ? (double) (gint64) scalar.integer
                                                       : (double) scalar.integer;
    return job_value_new_number (name, type_name, text, number);
}

/* 128-bit integers and complex numbers: what no scalar holds. */
static JobValue *
format_wide (IndexRun *run, const char *name, IndexValue *value)
{
    const IndexType *type = index_run_get_type (run, value->type);
    const char *type_name = run->program->types[value->type].name;
    if (type->size > 32 || !index_value_fetch (run, value, type->size))
        return format_problem (name, type_name, value->problem);
    const guint8 *bytes = value->bytes->data;
    g_autofree char *text = NULL;
    if (type->kind == INDEX_TYPE_COMPLEX) {
        guint64 half = type->size / 2;
        IndexType part = { .kind = INDEX_TYPE_FLOAT, .size = half };
        long double real[2] = { 0, 0 };
        for (guint i = 0; i < 2; i++) {
            float single;
            double twice;
            memcpy (&single, bytes + i * half, MIN (half, 4));
            if (half == 4)
                real[i] = single;
            else if (half == 8)
                memcpy (&twice, bytes + i * half, 8), real[i] = twice;
            else
                memcpy (&real[i], bytes + i * half, MIN (half, 10));
        }
        g_autofree char *a = format_real (real[0], part.size);
        g_autofree char *b = format_real (real[1], part.size);
        text = g_strdup_printf ("%s + %si", a, b);
    } else {
        guint64 low, high;
        memcpy (&low, bytes, 8);
        memcpy (&high, bytes + 8, 8);
        text = high ? g_strdup_printf ("0x%" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x",
                                       high, low)
                    : g_strdup_printf ("%" G_GUINT64_FORMAT, low);
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

static JobValue *
format_struct (IndexRun *run, const char *name, IndexValue *value, guint depth)
{
    const IndexType *type = index_run_get_type (run, value->type);
    const char *type_name = run->program->types[value->type].name;
    if (type->flags & INDEX_TYPE_INCOMPLETE)
        return format_problem (name, type_name, "<incomplete type>");
    if (depth >= run->limits->depth || run->depth > MAX_NESTING) {
        JobValue *shown = job_value_new (name, type_name, "{...}");
        shown->expandable = type->n_members > 0;
        return shown;
    }
    gsize wanted = MIN (type->size, 1 << 16);
    if (value->problem || !index_value_fetch (run, value, wanted))
        return format_problem (name, type_name, value->problem);
    g_autoptr (GString) text = g_string_new ("{");
    JobValue *shown = job_value_new (name, type_name, "");
    run->depth++;
    for (guint i = 0; i < type->n_members && i < MAX_PARTS; i++) {
        const IndexMember *member = &type->members[i];
        IndexValue part;
        index_value_take_part (value, member->type, member->offset, &part);
        part.bit_size = member->bit_size;
        part.bit_offset = member->bit_offset;
        JobValue *child = index_run_format (run, member->name[0] ? member->name : NULL, &part,
                                            depth + 1);
        g_string_append (text, i ? ", " : "");
        if (member->name[0])
            g_string_append_printf (text, "%s = ", member->name);
        g_string_append (text, child->text);
        add_child (shown, child);
        index_value_clear (&part);
    }
    run->depth--;
    g_string_append_c (text, '}');
    g_free (shown->text);
    shown->text = g_strdup (text->str);
    shown->expandable = type->n_members > 0;
    return shown;
}

static JobValue *
format_text (IndexRun *run, const char *name, IndexValue *value, guint64 count)
{
    const char *type_name = run->program->types[value->type].name;
    gsize size = MIN (count, (guint64) run->limits->bytes);
    if (!index_value_fetch (run, value, MAX (size, 1)))
        return format_problem (name, type_name, value->problem);
    gboolean cut = count > size && !memchr (value->bytes->data, 0, size);
    if (count > size && !cut)
        size = strnlen ((const char *) value->bytes->data, size);
    while (!cut && size && value->bytes->data[size - 1] == 0)
        size--;
    g_autofree char *text = quote_text (value->bytes->data, size, cut);
    return job_value_new (name, type_name, text);
}

static JobValue *
format_array (IndexRun *run, const char *name, IndexValue *value, guint depth)
{
    const IndexType *type = index_run_get_type (run, value->type);
    const char *type_name = run->program->types[value->type].name;
    const IndexType *element = index_run_get_type (run, type->target);
    if (value->problem)
        return format_problem (name, type_name, value->problem);
    guint64 count = index_run_find_count (run, type), size = element->size;
    if (element->kind == INDEX_TYPE_ARRAY && element->count == G_MAXUINT64)
        size = 0;
    if ((element->kind == INDEX_TYPE_CHAR || element->kind == INDEX_TYPE_UCHAR) && size == 1 &&
        count)
        return format_text (run, name, value, count);
    if (!count || !size || depth >= run->limits->depth || run->depth > MAX_NESTING) {
        JobValue *shown = job_value_new (name, type_name, count ? "{...}" : "{}");
        shown->expandable = count > 0;
        return shown;
    }
    guint64 items = MIN (count, MAX (run->limits->items, 1));
    if (size < 1 << 16 && items * size < 1 << 20 &&
        !index_value_fetch (run, value, items * size))
        return format_problem (name, type_name, value->problem);
    g_autoptr (GString) text = g_string_new ("{");
    JobValue *shown = job_value_new (name, type_name, "");
    run->depth++;
    for (guint64 i = 0; i < items; i++) {
        g_autofree char *label = g_strdup_printf ("[%" G_GUINT64_FORMAT "]", i);
        IndexValue part;
        index_value_take_part (value, type->target, i * size, &part);
        JobValue *child = index_run_format (run, label, &part, depth + 1);
        g_string_append_printf (text, "%s%s", i ? ", " : "", child->text);
        add_child (shown, child);
        index_value_clear (&part);
    }
    run->depth--;
    g_string_append (text, items < count ? "...}" : "}");
    g_free (shown->text);
    shown->text = g_strdup (text->str);
    shown->expandable = TRUE;
    return shown;
}

JobValue *
index_run_format (IndexRun *run, const char *name, IndexValue *value, guint depth)
{
    const IndexType *type = index_run_get_type (run, value->type);
    const char *type_name = run->program->types[value->type].name;
    g_autofree char *text = NULL;
    if (value->problem)
        return format_problem (name, type_name, value->problem);
    switch (type->kind) {
    case INDEX_TYPE_STRUCT:
    case INDEX_TYPE_UNION:
        return format_struct (run, name, value, depth);
    case INDEX_TYPE_ARRAY:
        return format_array (run, name, value, depth);
    case INDEX_TYPE_VOID:
        return job_value_new (name, type_name, "void");
    case INDEX_TYPE_FUNCTION:
        text = g_strdup_printf ("{%s} 0x%" G_GINT64_MODIFIER "x", type_name, value->address);
        return job_value_new (name, type_name, text);
    case INDEX_TYPE_COMPLEX:
        return format_wide (run, name, value);
    default:
        if (type->size == 16 && type->kind != INDEX_TYPE_FLOAT)
            return format_wide (run, name, value);
        return format_scalar (run, name, value, depth);
    }
}
