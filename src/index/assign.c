/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Storing a value into a place: memory, bits of it, a register or a part of one. */
#include <string.h>

#include "base/error.h"
#include "index/program-private.h"

#define MAX_ELEMENTS (1u << 20)

static gboolean
fail_invalid (GError **error, const char *what)
{
    g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "cannot assign: %s", what);
    return FALSE;
}

/* Puts bits into the bytes that are there. */
static gboolean
merge_bits (const IndexContext *context, const IndexValue *place, const IndexScalar *scalar,
            guint64 *ret_address, guint8 *bytes, gsize *ret_size, GError **error)
{
    guint first = place->bit_offset / 8, shift = place->bit_offset % 8;
    gsize size = (shift + place->bit_size + 7) / 8;
    guint8 old[16] = { 0 };
    if (size > 9 || !base_memory_read (context->memory, place->address + first, old, size,
                                       error))
        return FALSE;
    for (guint i = 0; i < place->bit_size; i++) {
        guint at = shift + i;
        guint8 bit = (scalar->integer >> i) & 1;
        old[at / 8] = (old[at / 8] & ~(1u << (at % 8))) | (guint8) (bit << (at % 8));
    }
    memcpy (bytes, old, size);
    *ret_address = place->address + first;
    *ret_size = size;
    return TRUE;
}

/* The register's bytes as they are, and how many it has; 0: not known. */
static gsize
read_register (const IndexContext *context, guint64 number, guint8 *ret_bytes)
{
    gboolean is_ymm = number >= INDEX_REGISTER_YMM;
    guint64 word;

    if (is_ymm || (number >= 17 && number <= 40)) {
        if (!context->read_wide_register || !context->write_wide_register ||
            !context->read_wide_register (context->user, is_ymm ? number - INDEX_REGISTER_YMM + 17 : number, FALSE,
                                          ret_bytes) ||
            (is_ymm && !context->read_wide_register (context->user, number, FALSE, ret_bytes + 16)))
            return 0;
        return is_ymm ? 32 : 16;
    }
    if (!context->read_register || !context->write_register ||
        !context->read_register (context->user, number, &word))
        return 0;
    memcpy (ret_bytes, &word, 8);
    return 8;
}

static gboolean
write_register (const IndexContext *context, guint64 number, const guint8 *bytes, gsize room)
{
    guint64 word;

    if (room == 32)
        return context->write_wide_register (context->user, number - INDEX_REGISTER_YMM + 17, bytes) &&
               context->write_wide_register (context->user, number, bytes + 16);
    if (room == 16)
        return context->write_wide_register (context->user, number, bytes);
    memcpy (&word, bytes, 8);
    return context->write_register (context->user, number, word);
}

/* What is to be stored: a number in the place's type, or all of an equal aggregate. */
static gboolean
take_bytes (IndexRun *left, IndexRun *right, const IndexValue *place, IndexValue *value,
            guint8 *ret_bytes, gsize *ret_size, GError **error)
{
    const IndexType *type = index_run_get_type (left, place->type);
    IndexScalar scalar;

    if (value->problem)
        return fail_invalid (error, value->problem);
    if (type->kind == INDEX_TYPE_STRUCT || type->kind == INDEX_TYPE_UNION ||
        type->kind == INDEX_TYPE_ARRAY) {
        const IndexType *from = index_run_get_type (right, value->type);
        if (from->kind != type->kind || from->size != type->size || type->size > INDEX_REGISTER_ROOM ||
            strcmp (from->name, type->name) != 0)
            return fail_invalid (error, "types differ");
        if (!index_value_fetch (right, value, type->size))
            return fail_invalid (error, value->problem);
        memcpy (ret_bytes, value->bytes->data, type->size);
        *ret_size = type->size;
        return TRUE;
    }
    if (!index_value_read_scalar (right, value, &scalar))
        return fail_invalid (error, value->problem ? value->problem : "not a number");
    if (place->bit_size || !index_scalar_store (type, &scalar, ret_bytes, ret_size))
        return fail_invalid (error, "not a number that a register holds");
    return TRUE;
}

/* The bytes beside the value's stay as they are. */
static gboolean
store_register (IndexRun *left, IndexRun *right, const IndexValue *place, IndexValue *value,
                GError **error)
{
    guint8 bytes[INDEX_REGISTER_ROOM] = { 0 }, whole[INDEX_REGISTER_ROOM] = { 0 };
    gsize size = 0, room;

    if (!take_bytes (left, right, place, value, bytes, &size, error))
        return FALSE;
    room = read_register (left->context, place->address, whole);
    if (place->inside <= room && size <= room - place->inside) {
        memcpy (whole + place->inside, bytes, size);
        if (write_register (left->context, place->address, whole, room))
            return TRUE;
    }
    g_set_error (error, BASE_ERROR, BASE_ERROR_UNSUPPORTED,
                 "cannot assign: the variable is in a register that cannot be changed here");
    return FALSE;
}

static gboolean store_value (IndexRun *left, IndexRun *right, IndexValue *place, IndexValue *value,
                             GError **error);

static gboolean
is_text (IndexRun *run, const IndexValue *value)
{
    const IndexType *type = index_run_get_type (run, value->type);
    if (type->kind != INDEX_TYPE_ARRAY)
        return FALSE;
    IndexTypeKind kind = index_run_get_type (run, type->target)->kind;
    return kind == INDEX_TYPE_CHAR || kind == INDEX_TYPE_UCHAR;
}

/* Fortran's text is cut or filled with blanks, C's must fit in and is filled with zeros. */
static gboolean
store_text (IndexRun *left, IndexRun *right, IndexValue *place, IndexValue *value, guint64 count,
            GError **error)
{
    const IndexType *type = index_run_get_type (left, place->type);
    gboolean fortran = (type->flags & INDEX_TYPE_FORTRAN) != 0;
    g_autoptr (GByteArray) text = index_run_read_text (right, value);
    guint64 width = index_run_get_type (left, type->target)->size;
    if (!text)
        return fail_invalid (error, value->problem);
    if (width != index_run_get_type (right, index_run_get_type (right, value->type)->target)->size)
        return fail_invalid (error, "texts of different kinds");
    if (!fortran && text->len > count * width)
        return fail_invalid (error, "the text is longer than the array");
    for (guint64 i = 0; i < count; i++) {
        guint32 blank = fortran ? ' ' : 0;
        gboolean there = (i + 1) * width <= text->len;
        IndexValue part;
        index_run_take_element (left, place, (gint64) i, &part);
        if (!base_memory_write (left->context->memory, part.address,
                                there ? text->data + i * width : (const guint8 *) &blank, width, error))
            return FALSE;
    }
    return TRUE;
}

/* Element by element: of an array of the same length, or in Fortran the same number into all. */
static gboolean
store_array (IndexRun *left, IndexRun *right, IndexValue *place, IndexValue *value, GError **error)
{
    const IndexType *type = index_run_get_type (left, place->type);
    const IndexType *from = index_run_get_type (right, value->type);
    gboolean is_array = from->kind == INDEX_TYPE_ARRAY, good = TRUE;
    if (!index_run_resolve (left, place) || (is_array && !index_run_resolve (right, value)))
        return fail_invalid (error, place->problem ? place->problem : value->problem);
    guint64 count = place->n_sections ? (guint64) place->sections[0].count : index_run_find_count (left, type);
    if (count > MAX_ELEMENTS)
        return fail_invalid (error, "the array is too long");
    if (is_text (left, place) && is_text (right, value))
        return store_text (left, right, place, value, count, error);
    if (is_array ? (value->n_sections ? (guint64) value->sections[0].count
                                      : index_run_find_count (right, from)) != count
                 : !(type->flags & INDEX_TYPE_FORTRAN))
        return fail_invalid (error, is_array ? "the arrays differ in length" : "types differ");
    for (guint64 i = 0; good && i < count; i++) {
        IndexValue to, part = { 0 };
        index_run_take_element (left, place, (gint64) i, &to);
        if (is_array)
            index_run_take_element (right, value, (gint64) i, &part);
        good = store_value (left, right, &to, is_array ? &part : value, error);
        index_value_clear (&to);
        index_value_clear (&part);
    }
    return good;
}

static gboolean
store_complex (IndexRun *left, IndexRun *right, const IndexValue *place, IndexValue *value, GError **error)
{
    const IndexType *type = index_run_get_type (left, place->type);
    long double parts[2];
    guint8 bytes[32];
    if (!index_value_read_complex (right, value, parts) || !index_complex_store (type, parts, bytes))
        return fail_invalid (error, value->problem ? value->problem : "not a number");
    return base_memory_write (left->context->memory, place->address, bytes, type->size, error);
}

static gboolean
store_value (IndexRun *left, IndexRun *right, IndexValue *place, IndexValue *value,
             GError **error)
{
    const IndexType *type = index_run_get_type (left, place->type);
    IndexScalar scalar;
    guint8 bytes[16] = { 0 };
    gsize size = 0;
    guint64 address = place->address;
    if (place->problem || place->place == INDEX_PLACE_NONE)
        return fail_invalid (error, place->problem ? place->problem : "not a place");
    if (place->place == INDEX_PLACE_REGISTER)
        return store_register (left, right, place, value, error);
    if (value->problem)
        return fail_invalid (error, value->problem);
    if (type->kind == INDEX_TYPE_STRUCT || type->kind == INDEX_TYPE_UNION) {
        const IndexType *from = index_run_get_type (right, value->type);
        if (from->kind != type->kind || from->size != type->size ||
            strcmp (from->name, type->name) != 0)
            return fail_invalid (error, "types differ");
        if (!index_value_fetch (right, value, type->size))
            return fail_invalid (error, value->problem);
        return base_memory_write (left->context->memory, address, value->bytes->data,
                                  type->size, error);
    }
    if (type->kind == INDEX_TYPE_ARRAY)
        return store_array (left, right, place, value, error);
    if (type->kind == INDEX_TYPE_COMPLEX)
        return store_complex (left, right, place, value, error);
    if (index_run_get_type (right, value->type)->kind == INDEX_TYPE_ARRAY &&
        type->kind != INDEX_TYPE_POINTER)
        return fail_invalid (error, "types differ");
    if (!index_value_read_scalar (right, value, &scalar))
        return fail_invalid (error, value->problem ? value->problem : "not a number");
    if (place->bit_size) {
        if (scalar.kind == INDEX_SCALAR_FLOAT)
            scalar.integer = (guint64) (gint64) scalar.real;
        if (!merge_bits (left->context, place, &scalar, &address, bytes, &size, error))
            return FALSE;
    } else if (!index_scalar_store (type, &scalar, bytes, &size)) {
        return fail_invalid (error, "not a number");
    }
    return base_memory_write (left->context->memory, address, bytes, size, error);
}

gboolean
index_program_assign (const IndexProgram *left, const IndexContext *context,
                      const IndexProgram *right, GError **error)
{
    static const IndexLimits defaults = INDEX_LIMITS_DEFAULT;
    IndexRun left_run = { left, context, &defaults, 0 };
    IndexRun right_run = { right, context, &defaults, 0 };
    IndexValue place = { 0 }, value = { 0 };
    if (!index_run_code (&left_run, left->code, left->code_size, &place, error))
        return FALSE;
    gboolean good = index_run_code (&right_run, right->code, right->code_size, &value, error) &&
                    store_value (&left_run, &right_run, &place, &value, error);
    index_value_clear (&place);
    index_value_clear (&value);
    return good;
}
