/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One attribute, as pddt and as libdwarf read it. */
#include <string.h>

#include "beside-private.h"

static void
compare_number (Beside *beside, const SymbolDie *die, const SymbolValue *ours,
                SymbolValueKind kind, int result, guint64 theirs, Dwarf_Error *error)
{
    if (result != DW_DLV_OK || ours->kind != kind || ours->number != theirs)
        beside_fail (beside, die->offset,
                     "form 0x%x: kind %u, 0x%" G_GINT64_MODIFIER
                     "x; theirs kind %u, 0x%" G_GINT64_MODIFIER "x, %s",
                     ours->form, ours->kind, ours->number, kind, theirs,
                     beside_describe (beside, result, error));
}

static void
compare_block (Beside *beside, const SymbolDie *die, const SymbolValue *ours, int result,
               const void *bytes, guint64 size, Dwarf_Error *error)
{
    if (result != DW_DLV_OK || ours->kind != SYMBOL_VALUE_BLOCK || ours->size != size
        || memcmp (ours->block, bytes, size) != 0)
        beside_fail (beside, die->offset, "form 0x%x: kind %u of %zu bytes; theirs %zu, %s",
                     ours->form, ours->kind, ours->size, (gsize) size,
                     beside_describe (beside, result, error));
}

/* A type unit's; pddt has followed it where there is one. */
static void
compare_signature (Beside *beside, const SymbolDie *die, const SymbolValue *ours, int result,
                   const Dwarf_Sig8 *theirs, Dwarf_Error *error)
{
    guint64 signature;
    memcpy (&signature, theirs, sizeof signature);
    const SymbolSignature *known = g_hash_table_lookup (beside->dwarf->signatures, &signature);
    compare_number (beside, die, ours, known ? SYMBOL_VALUE_REFERENCE : SYMBOL_VALUE_SIGNATURE,
                    result, known ? known->die : signature, error);
}

static void
compare_reference (Beside *beside, const SymbolDie *die, const SymbolValue *ours,
                   Dwarf_Attribute theirs)
{
    const SymbolPart *part = die->unit->part;
    Dwarf_Error error = NULL;
    Dwarf_Off offset = 0;
    int result = dwarf_global_formref (theirs, &offset, &error);
    /* the library does not say that an offset is one of the other file */
    gboolean is_sup = ours->form == DW_FORM_ref_sup4 || ours->form == DW_FORM_ref_sup8;
    if (is_sup || ours->form == DW_FORM_GNU_ref_alt)
        part = part->alternate;
    /* libdwarf 20210528 does not read these */
    if (is_sup && result == DW_DLV_ERROR && dwarf_errno (error) == DW_DLE_BAD_REF_FORM) {
        beside_describe (beside, result, &error);
        return;
    }
    compare_number (beside, die, ours, SYMBOL_VALUE_REFERENCE, result,
                    offset + (part ? part->base : 0), &error);
}

static void
compare_string (Beside *beside, const SymbolDie *die, const SymbolValue *ours,
                Dwarf_Attribute theirs)
{
    char *text = NULL;
    Dwarf_Error error = NULL;
    int result = dwarf_formstring (theirs, &text, &error);
    if (result != DW_DLV_OK || ours->kind != SYMBOL_VALUE_STRING
        || g_strcmp0 (ours->string, text) != 0)
        beside_fail (beside, die->offset, "form 0x%x: \"%s\"; theirs \"%s\", %s", ours->form,
                     ours->string, text, beside_describe (beside, result, &error));
}

static void
compare_constant (Beside *beside, const SymbolDie *die, const SymbolValue *ours,
                  Dwarf_Attribute theirs)
{
    Dwarf_Error error = NULL;
    Dwarf_Unsigned number = 0;
    Dwarf_Signed whole = 0;
    gboolean is_signed = ours->form == DW_FORM_sdata || ours->form == DW_FORM_implicit_const;
    int result = is_signed ? dwarf_formsdata (theirs, &whole, &error)
                           : dwarf_formudata (theirs, &number, &error);
    compare_number (beside, die, ours, SYMBOL_VALUE_CONSTANT, result,
                    is_signed ? (guint64) whole : number, &error);
}

static void
compare_offset (Beside *beside, const SymbolDie *die, const SymbolValue *ours,
                Dwarf_Attribute theirs)
{
    Dwarf_Error error = NULL;
    Dwarf_Unsigned number = 0;
    int result = ours->form == DW_FORM_sec_offset
                     ? dwarf_global_formref (theirs, &number, &error)
                     : dwarf_formudata (theirs, &number, &error);
    compare_number (beside, die, ours, SYMBOL_VALUE_OFFSET, result, number, &error);
}

static void
compare_bytes (Beside *beside, const SymbolDie *die, const SymbolValue *ours,
               Dwarf_Attribute theirs)
{
    Dwarf_Error error = NULL;
    Dwarf_Block *block = NULL;
    Dwarf_Form_Data16 long_number;
    Dwarf_Unsigned size = 0;
    Dwarf_Ptr bytes = NULL;
    int result;
    if (ours->form == DW_FORM_data16) {
        result = dwarf_formdata16 (theirs, &long_number, &error);
        compare_block (beside, die, ours, result, &long_number, sizeof long_number, &error);
    } else if (ours->form == DW_FORM_exprloc) {
        result = dwarf_formexprloc (theirs, &size, &bytes, &error);
        compare_block (beside, die, ours, result, bytes, size, &error);
    } else {
        result = dwarf_formblock (theirs, &block, &error);
        compare_block (beside, die, ours, result, block ? block->bl_data : NULL,
                       block ? block->bl_len : 0, &error);
        if (result == DW_DLV_OK)
            dwarf_dealloc (beside->library->debug, block, DW_DLA_BLOCK);
    }
}

static void
compare_by_form (Beside *beside, const SymbolDie *die, const SymbolValue *ours,
                 Dwarf_Attribute theirs)
{
    Dwarf_Error error = NULL;
    Dwarf_Unsigned number = 0;
    Dwarf_Bool flag = 0;
    Dwarf_Sig8 signature = { { 0 } };
    int result;
    switch (ours->form) {
    case DW_FORM_addr:
    case DW_FORM_addrx:
    case DW_FORM_addrx1:
    case DW_FORM_addrx2:
    case DW_FORM_addrx3:
    case DW_FORM_addrx4:
    case DW_FORM_GNU_addr_index:
        result = dwarf_formaddr (theirs, &number, &error);
        compare_number (beside, die, ours, SYMBOL_VALUE_ADDRESS, result, number, &error);
        break;
    case DW_FORM_flag:
    case DW_FORM_flag_present:
        result = dwarf_formflag (theirs, &flag, &error);
        compare_number (beside, die, ours, SYMBOL_VALUE_FLAG, result, flag, &error);
        break;
    case DW_FORM_ref_sig8:
        result = dwarf_formsig8 (theirs, &signature, &error);
        compare_signature (beside, die, ours, result, &signature, &error);
        break;
    case DW_FORM_ref1:
    case DW_FORM_ref2:
    case DW_FORM_ref4:
    case DW_FORM_ref8:
    case DW_FORM_ref_udata:
    case DW_FORM_ref_addr:
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_ref_sup4:
    case DW_FORM_ref_sup8: compare_reference (beside, die, ours, theirs); break;
    case DW_FORM_sec_offset:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx: compare_offset (beside, die, ours, theirs); break;
    case DW_FORM_data16:
    case DW_FORM_exprloc:
    case DW_FORM_block:
    case DW_FORM_block1:
    case DW_FORM_block2:
    case DW_FORM_block4: compare_bytes (beside, die, ours, theirs); break;
    case DW_FORM_data1:
    case DW_FORM_data2:
    case DW_FORM_data4:
    case DW_FORM_data8:
    case DW_FORM_udata:
    case DW_FORM_sdata:
    case DW_FORM_implicit_const: compare_constant (beside, die, ours, theirs); break;
    default: compare_string (beside, die, ours, theirs);
    }
}

void
beside_compare_value (Beside *beside, const SymbolDie *die, guint32 attribute,
                      Dwarf_Attribute theirs)
{
    SymbolValue ours;
    Dwarf_Half form = 0;
    Dwarf_Error error = NULL;
    dwarf_whatform (theirs, &form, &error);
    if (!symbol_die_get (beside->dwarf, die, attribute, &ours))
        beside_fail (beside, die->offset, "attribute 0x%x is not read; theirs has form 0x%x",
                     attribute, form);
    else if (ours.form != form)
        beside_fail (beside, die->offset, "attribute 0x%x has form 0x%x; theirs 0x%x",
                     attribute, ours.form, form);
    else
        compare_by_form (beside, die, &ours, theirs);
}
