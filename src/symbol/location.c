/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rewrites DWARF expressions for the evaluator's machine: replaces operands that are valid only inside
 * the file (address indexes, type entries, other variables). */
#include <string.h>

#include "symbol/bind-private.h"

#define MAX_DEPTH 3

#define PARAMETER_SIZE 9 /* bytes of an operation that names a parameter by its entry */

static void
put_byte (GByteArray *bytes, guint8 byte)
{
    g_byte_array_append (bytes, &byte, 1);
}

/* A base type as the machine wants it: encoding and size; 0 for the untyped one. */
static gboolean
put_type (SymbolBinding *binding, const SymbolUnit *unit, guint64 offset, GByteArray *out)
{
    SymbolDie die;
    if (!offset) {
        base_bytes_put_uleb (out, 0);
        return TRUE;
    }
    if (!symbol_die_read (binding->dwarf, unit, unit->offset + offset, &die)
        || die.tag != DW_TAG_base_type)
        return FALSE;
    base_bytes_put_uleb (out,
                         symbol_die_get_number (binding->dwarf, &die, DW_AT_encoding, 0) << 8
                             | (symbol_die_get_number (binding->dwarf, &die, DW_AT_byte_size, 0)
                                & 0xff));
    return TRUE;
}

/* The variable that a pointer without a place of its own points to: its location in place of the
 * entry, empty when it has none here. */
static gboolean
put_pointee (SymbolBinding *binding, guint64 offset, gint64 by, guint depth, GByteArray *out)
{
    SymbolDie die;
    SymbolValue value;
    const guint8 *block;
    gsize size;
    g_autoptr (GByteArray) inner = g_byte_array_new ();
    if (depth < MAX_DEPTH && symbol_die_find (binding->dwarf, offset, &die)) {
        if (symbol_die_find_location (binding->dwarf, &die, DW_AT_location, binding->pc,
                                      binding->at_entry, &block, &size)) {
            if (!symbol_location_rewrite (binding, die.unit, block, size, depth + 1, inner))
                return FALSE;
        } else if (symbol_die_get_deep (binding->dwarf, &die, DW_AT_const_value, &value)
                   && value.kind == SYMBOL_VALUE_CONSTANT) {
            put_byte (inner, DW_OP_implicit_value);
            base_bytes_put_uleb (inner, 8);
            g_byte_array_append (inner, (const guint8 *) &value.number, 8);
        }
    }
    put_byte (out, DW_OP_implicit_pointer);
    base_bytes_put_uleb (out, inner->len);
    g_byte_array_append (out, inner->data, inner->len);
    symbol_code_put_sleb (out, by);
    return TRUE;
}

/* The location of another variable of the unit, in place of its call. FALSE: it has none here. */
static gboolean
put_call (SymbolBinding *binding, const SymbolUnit *unit, guint64 offset, guint depth,
          GByteArray *out)
{
    SymbolDie die;
    const guint8 *block;
    gsize size;
    return depth < MAX_DEPTH
           && symbol_die_read (binding->dwarf, unit, unit->offset + offset, &die)
           && symbol_die_find_location (binding->dwarf, &die, DW_AT_location, binding->pc,
                                        binding->at_entry, &block, &size)
           && size && symbol_location_rewrite (binding, unit, block, size, depth + 1, out);
}

/* Bytes of operands of an operation that is copied as it is; -1: one that is not known here. */
static gboolean
skip_operands (BaseCursor *cursor, guint op)
{
    if ((op >= DW_OP_dup && op <= DW_OP_over) || (op >= DW_OP_swap && op <= DW_OP_plus)
        || (op >= DW_OP_shl && op <= DW_OP_xor) || (op >= DW_OP_eq && op <= DW_OP_ne)
        || (op >= DW_OP_lit0 && op <= DW_OP_reg31))
        return TRUE;
    if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
        base_cursor_read_sleb (cursor);
        return TRUE;
    }
    switch (op) {
    case DW_OP_addr:
    case DW_OP_const8u:
    case DW_OP_const8s: base_cursor_skip (cursor, 8); return TRUE;
    case DW_OP_const4u:
    case DW_OP_const4s: base_cursor_skip (cursor, 4); return TRUE;
    case DW_OP_const2u:
    case DW_OP_const2s:
    case DW_OP_skip:
    case DW_OP_bra: base_cursor_skip (cursor, 2); return TRUE;
    case DW_OP_const1u:
    case DW_OP_const1s:
    case DW_OP_pick:
    case DW_OP_deref_size: base_cursor_skip (cursor, 1); return TRUE;
    case DW_OP_constu:
    case DW_OP_plus_uconst:
    case DW_OP_regx:
    case DW_OP_piece: base_cursor_read_uleb (cursor); return TRUE;
    case DW_OP_consts:
    case DW_OP_fbreg: base_cursor_read_sleb (cursor); return TRUE;
    case DW_OP_bregx:
        base_cursor_read_uleb (cursor);
        base_cursor_read_sleb (cursor);
        return TRUE;
    case DW_OP_bit_piece:
        base_cursor_read_uleb (cursor);
        base_cursor_read_uleb (cursor);
        return TRUE;
    case DW_OP_implicit_value:
    case DW_OP_entry_value:
    case DW_OP_GNU_entry_value:
        base_cursor_skip (cursor, base_cursor_read_uleb (cursor));
        return TRUE;
    case DW_OP_deref:
    case DW_OP_nop:
    case DW_OP_push_object_address:
    case DW_OP_form_tls_address:
    case DW_OP_call_frame_cfa:
    case DW_OP_stack_value:
    case DW_OP_GNU_push_tls_address: return TRUE;
    default: return FALSE;
    }
}

/* The last operation of rewritten code in which no other code stands; 0: it is not known. */
static guint
find_last (const GByteArray *code)
{
    BaseCursor cursor = BASE_CURSOR_INIT (code->data, code->len);
    guint op = 0;
    while (base_cursor_get_left (&cursor) && !cursor.failed) {
        op = base_cursor_read_u8 (&cursor);
        if (!skip_operands (&cursor, op))
            return 0;
    }
    return cursor.failed ? 0 : op;
}

/* The number in another variable (gcc's bounds and lengths at -Og). FALSE: it has no place, or one in pieces. */
static gboolean
put_value (SymbolBinding *binding, guint64 offset, guint depth, GByteArray *out)
{
    SymbolDie die, type;
    SymbolValue value;
    const guint8 *block;
    gsize size;
    g_autoptr (GByteArray) place = g_byte_array_new ();
    if (depth >= MAX_DEPTH || !symbol_die_find (binding->dwarf, offset, &die))
        return FALSE;
    if (symbol_die_get_deep (binding->dwarf, &die, DW_AT_const_value, &value)) {
        put_byte (out, DW_OP_consts);
        symbol_code_put_sleb (out, (gint64) value.number);
        return value.kind == SYMBOL_VALUE_CONSTANT;
    }
    if (!symbol_die_find_location (binding->dwarf, &die, DW_AT_location, binding->pc,
                                   binding->at_entry, &block, &size)
        || !symbol_location_rewrite (binding, die.unit, block, size, depth + 1, place))
        return FALSE;
    guint last = find_last (place);
    if (last >= DW_OP_reg0 && last <= DW_OP_reg31 && place->len == 1) {
        put_byte (out, DW_OP_breg0 + (last - DW_OP_reg0));
        put_byte (out, 0);
        return TRUE;
    }
    if (!last || last == DW_OP_regx || last == DW_OP_piece || last == DW_OP_bit_piece
        || last == DW_OP_implicit_value)
        return FALSE;
    g_byte_array_append (out, place->data, place->len - (last == DW_OP_stack_value));
    if (last == DW_OP_stack_value)
        return TRUE;
    guint64 width = symbol_die_find (binding->dwarf,
                                     symbol_type_find_target (binding->dwarf, &die), &type)
                        ? symbol_die_get_number (binding->dwarf, &type, DW_AT_byte_size, 0)
                        : 0;
    put_byte (out, DW_OP_deref_size);
    put_byte (out, width);
    return width == 4 || width == 8;
}

/* gcc 12 writes the address of a thread's variable in the file where, in a split unit, the offset in
 * the thread's storage belongs. An offset is less than the storage's size, so that none is taken for
 * the other. FALSE: it is neither. */
static gboolean
fix_tls_offset (const SymbolElf *elf, guint64 *offset)
{
    for (guint i = 0; i < elf->n_segments; i++) {
        const Elf64_Phdr *segment = &elf->segments[i];
        if (segment->p_type != PT_TLS || *offset < segment->p_memsz)
            continue;
        *offset -= segment->p_vaddr;
        return *offset < segment->p_memsz;
    }
    return TRUE;
}

static gboolean
rewrite_indexed (SymbolBinding *binding, const SymbolUnit *unit, BaseCursor *cursor, guint op,
                 GByteArray *out)
{
    guint64 address;
    if (!symbol_unit_read_address (binding->dwarf, unit, base_cursor_read_uleb (cursor),
                                   &address))
        return FALSE;
    gboolean constant = op == DW_OP_constx || op == DW_OP_GNU_const_index;
    guint next = base_cursor_get_left (cursor) ? cursor->data[cursor->offset] : 0;
    if (constant && (next == DW_OP_form_tls_address || next == DW_OP_GNU_push_tls_address)
        && !fix_tls_offset (binding->dwarf->elf, &address))
        return FALSE;
    put_byte (out, constant ? DW_OP_const8u : DW_OP_addr);
    g_byte_array_append (out, (const guint8 *) &address, 8);
    return TRUE;
}

static gboolean
rewrite_typed (SymbolBinding *binding, const SymbolUnit *unit, BaseCursor *cursor, guint op,
               GByteArray *out)
{
    guint64 number;
    gsize size;
    const guint8 *bytes;
    switch (op) {
    case DW_OP_const_type:
    case DW_OP_GNU_const_type:
        put_byte (out, DW_OP_const_type);
        if (!put_type (binding, unit, base_cursor_read_uleb (cursor), out))
            return FALSE;
        size = base_cursor_read_u8 (cursor);
        bytes = base_cursor_read_bytes (cursor, size);
        put_byte (out, size);
        if (bytes)
            g_byte_array_append (out, bytes, size);
        return bytes != NULL;
    case DW_OP_regval_type:
    case DW_OP_GNU_regval_type:
        number = base_cursor_read_uleb (cursor);
        put_byte (out, DW_OP_regval_type);
        base_bytes_put_uleb (out, number);
        return put_type (binding, unit, base_cursor_read_uleb (cursor), out);
    case DW_OP_deref_type:
    case DW_OP_GNU_deref_type:
        number = base_cursor_read_u8 (cursor);
        put_byte (out, DW_OP_deref_type);
        put_byte (out, number);
        return put_type (binding, unit, base_cursor_read_uleb (cursor), out);
    case DW_OP_reinterpret:
    case DW_OP_GNU_reinterpret:
        put_byte (out, DW_OP_reinterpret);
        return put_type (binding, unit, base_cursor_read_uleb (cursor), out);
    default:
        put_byte (out, DW_OP_convert);
        return put_type (binding, unit, base_cursor_read_uleb (cursor), out);
    }
}

/* The entry value of a register read as a type: of the register, then its bits as that type. FALSE
 * and nothing taken for any other. */
static gboolean
rewrite_typed_entry (SymbolBinding *binding, const SymbolUnit *unit, BaseCursor *cursor,
                     GByteArray *out)
{
    BaseCursor inner = *cursor;
    gsize size = base_cursor_read_uleb (&inner), start = inner.offset;
    guint op = base_cursor_read_u8 (&inner);
    guint64 number = base_cursor_read_uleb (&inner), type = base_cursor_read_uleb (&inner);
    if ((op != DW_OP_regval_type && op != DW_OP_GNU_regval_type) || inner.failed || number > 31
        || inner.offset != start + size)
        return FALSE;
    guint before = out->len;
    put_byte (out, DW_OP_entry_value);
    put_byte (out, 1);
    put_byte (out, DW_OP_reg0 + number);
    put_byte (out, DW_OP_reinterpret);
    if (!put_type (binding, unit, type, out)) {
        g_byte_array_set_size (out, before);
        return FALSE;
    }
    *cursor = inner;
    return TRUE;
}

static gboolean
rewrite_operation (SymbolBinding *binding, const SymbolUnit *unit, BaseCursor *cursor,
                   guint depth, GByteArray *out, gboolean *ret_moved)
{
    gsize start = cursor->offset;
    guint op = base_cursor_read_u8 (cursor);
    guint64 entry;
    if ((op == DW_OP_entry_value || op == DW_OP_GNU_entry_value)
        && rewrite_typed_entry (binding, unit, cursor, out)) {
        *ret_moved = TRUE;
        return TRUE;
    }
    *ret_moved = TRUE;
    switch (op) {
    case DW_OP_GNU_uninit: return TRUE; /* gcc is not sure that all of it has a value */
    case DW_OP_GNU_parameter_ref:
        /* a parameter that is no longer passed: the call site still says it, by the entry. It goes the
         * way of entry values, as an operation with the entry's whole offset. */
        entry = GUINT64_TO_LE (unit->offset + base_cursor_read_u32 (cursor));
        put_byte (out, DW_OP_entry_value);
        put_byte (out, PARAMETER_SIZE);
        put_byte (out, DW_OP_GNU_parameter_ref);
        g_byte_array_append (out, (const guint8 *) &entry, sizeof entry);
        return !cursor->failed;
    case DW_OP_addrx:
    case DW_OP_GNU_addr_index:
    case DW_OP_constx:
    case DW_OP_GNU_const_index: return rewrite_indexed (binding, unit, cursor, op, out);
    case DW_OP_implicit_pointer:
    case DW_OP_GNU_implicit_pointer:
        entry = base_cursor_read_uint (cursor, unit->version <= 2 ? unit->address_size
                                                                  : unit->offset_size);
        if (entry >= unit->part->info.size)
            return FALSE;
        return put_pointee (binding, unit->part->base + entry, base_cursor_read_sleb (cursor),
                            depth, out);
    case DW_OP_GNU_variable_value:
        entry = base_cursor_read_uint (cursor, unit->offset_size);
        return entry < unit->part->info.size
               && put_value (binding, unit->part->base + entry, depth, out);
    case DW_OP_const_type:
    case DW_OP_GNU_const_type:
    case DW_OP_regval_type:
    case DW_OP_GNU_regval_type:
    case DW_OP_deref_type:
    case DW_OP_GNU_deref_type:
    case DW_OP_convert:
    case DW_OP_GNU_convert:
    case DW_OP_reinterpret:
    case DW_OP_GNU_reinterpret: return rewrite_typed (binding, unit, cursor, op, out);
    case DW_OP_call2:
    case DW_OP_call4:
        return put_call (binding, unit,
                         base_cursor_read_uint (cursor, op == DW_OP_call2 ? 2 : 4), depth, out);
    default:
        *ret_moved = FALSE;
        if (!skip_operands (cursor, op) || cursor->failed)
            return FALSE;
        g_byte_array_append (out, cursor->data + start, cursor->offset - start);
        return TRUE;
    }
}

gboolean
symbol_location_rewrite (SymbolBinding *binding, const SymbolUnit *unit, const guint8 *block,
                         gsize size, guint depth, GByteArray *out)
{
    BaseCursor cursor = BASE_CURSOR_INIT (block, size);
    gboolean jumps = FALSE, moved = FALSE, any;
    while (base_cursor_get_left (&cursor) && !cursor.failed) {
        jumps |= block[cursor.offset] == DW_OP_bra || block[cursor.offset] == DW_OP_skip;
        if (!rewrite_operation (binding, unit, &cursor, depth, out, &any))
            return FALSE;
        moved |= any;
    }
    /* what moved would be jumped to wrongly */
    return !cursor.failed && !(jumps && moved);
}

/* The entry of a call that returns to pc, anywhere in the blocks around it. */
static gboolean
find_call_site (SymbolBinding *binding, const SymbolDie *parent, guint64 pc, guint depth,
                SymbolDie *ret_site)
{
    SymbolDie die;
    SymbolValue value;
    if (depth > 20 || !symbol_die_first_child (binding->dwarf, parent, &die))
        return FALSE;
    do {
        if (die.tag == DW_TAG_call_site || die.tag == DW_TAG_GNU_call_site) {
            if ((symbol_die_get (binding->dwarf, &die, DW_AT_call_return_pc, &value)
                 || symbol_die_get (binding->dwarf, &die, DW_AT_low_pc, &value))
                && value.kind == SYMBOL_VALUE_ADDRESS && value.number == pc) {
                *ret_site = die;
                return TRUE;
            }
        } else if ((die.tag == DW_TAG_lexical_block || die.tag == DW_TAG_inlined_subroutine)
                   && find_call_site (binding, &die, pc, depth + 1, ret_site)) {
            return TRUE;
        }
    } while (symbol_die_next (binding->dwarf, &die, &die));
    return FALSE;
}

/* The call is one of the function named so: not of another that jumped there in the end. */
static gboolean
calls_function (SymbolBinding *binding, const SymbolDie *site, const char *callee)
{
    SymbolValue value;
    SymbolDie function;
    if (!callee[0])
        return TRUE;
    if ((!symbol_die_get (binding->dwarf, site, DW_AT_call_origin, &value)
         && !symbol_die_get (binding->dwarf, site, DW_AT_abstract_origin, &value))
        || value.kind != SYMBOL_VALUE_REFERENCE
        || !symbol_die_find (binding->dwarf, value.number, &function))
        return FALSE;
    g_autofree char *name = symbol_names_dup_qualified (binding->binder, &function);
    gsize length = name ? strlen (name) : 0, wanted = strlen (callee);
    /* what contains a Fortran procedure is part of its name only in the index */
    const char *longer = length > wanted ? name : callee,
               *shorter = length > wanted ? callee : name;
    gsize cut = length > wanted ? length - wanted : wanted - length;
    return name && strcmp (longer + cut, shorter) == 0
           && (!cut || (cut > 2 && strncmp (longer + cut - 2, "::", 2) == 0));
}

/* The call site's parameter is the one that the expression names: by where it was passed, or by its
 * entry. */
static gboolean
is_parameter (const SymbolDwarf *dwarf, const SymbolDie *parameter, const guint8 *expression,
              gsize size)
{
    SymbolValue place;
    guint64 entry;
    if (parameter->tag != DW_TAG_call_site_parameter
        && parameter->tag != DW_TAG_GNU_call_site_parameter)
        return FALSE;
    if (size == PARAMETER_SIZE && expression[0] == DW_OP_GNU_parameter_ref) {
        memcpy (&entry, expression + 1, sizeof entry);
        return (symbol_die_get (dwarf, parameter, DW_AT_call_parameter, &place)
                || symbol_die_get (dwarf, parameter, DW_AT_abstract_origin, &place))
               && place.kind == SYMBOL_VALUE_REFERENCE
               && place.number == GUINT64_FROM_LE (entry);
    }
    return symbol_die_get (dwarf, parameter, DW_AT_location, &place)
           && place.kind == SYMBOL_VALUE_BLOCK && place.size == size
           && memcmp (place.block, expression, size) == 0;
}

/* The address that a call site works out at run time. */
static GVariant *
bind_target (SymbolBinding *binding, const SymbolDie *site)
{
    SymbolValue value;
    if ((!symbol_die_get (binding->dwarf, site, DW_AT_call_target, &value)
         && !symbol_die_get (binding->dwarf, site, DW_AT_GNU_call_site_target, &value))
        || value.kind != SYMBOL_VALUE_BLOCK)
        return NULL;
    return symbol_bind_block (binding, site->unit, value.block, value.size);
}

GVariant *
symbol_bind_entry_value (SymbolBinder *binder, guint64 return_pc, const char *callee,
                         const guint8 *expression, gsize size)
{
    SymbolBinding binding;
    SymbolDie site, parameter;
    GVariant *program = NULL;
    symbol_binding_init (&binding, binder, return_pc - 1, 0);
    const SymbolDie *path = (const SymbolDie *) (gpointer) binding.path->data;
    if (!binding.path->len || !find_call_site (&binding, &path[0], return_pc, 0, &site)) {
        symbol_binding_clear (&binding);
        return NULL;
    }
    if (!size)
        program = bind_target (&binding, &site);
    if (size && calls_function (&binding, &site, callee)
        && symbol_die_first_child (binder->dwarf, &site, &parameter)) {
        do {
            SymbolValue value;
            if (!is_parameter (binder->dwarf, &parameter, expression, size)
                || (!symbol_die_get (binder->dwarf, &parameter, DW_AT_call_value, &value)
                    && !symbol_die_get (binder->dwarf, &parameter, DW_AT_GNU_call_site_value,
                                        &value))
                || value.kind != SYMBOL_VALUE_BLOCK)
                continue;
            program = symbol_bind_block (&binding, parameter.unit, value.block, value.size);
            break;
        } while (symbol_die_next (binder->dwarf, &parameter, &parameter));
    }
    symbol_binding_clear (&binding);
    return program;
}
