/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the entries visible at a pc: in blocks from the innermost out, the unit, all units, and
 * the ELF symbols. */
#include <glib/gi18n.h>
#include <string.h>

#include "symbol/bind-private.h"

#define MAX_DEPTH 100

BASE_ORDER (compare_ranges, SymbolUnitRange, BASE_BY (low))

static void
read_function_ranges (const SymbolDwarf *dwarf, const SymbolDie *parent, GArray *ranges,
                      guint depth)
{
    SymbolDie die;
    if (depth > 8 || !symbol_die_first_child (dwarf, parent, &die))
        return;
    do {
        if (die.tag == DW_TAG_subprogram)
            symbol_die_read_ranges (dwarf, &die, ranges);
        else if (die.tag == DW_TAG_namespace || die.tag == DW_TAG_module)
            read_function_ranges (dwarf, &die, ranges, depth + 1);
    } while (symbol_die_next (dwarf, &die, &die));
}

static void
load_unit_ranges (SymbolBinder *binder)
{
    SymbolDwarf *dwarf = binder->dwarf;
    g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (SymbolRange));
    binder->unit_ranges = g_array_new (FALSE, FALSE, sizeof (SymbolUnitRange));
    BASE_EACH (dwarf->units, const SymbolUnit, unit) {
        SymbolDie root;
        if (!symbol_unit_is_read (unit) || unit->part->is_alternate
            || !symbol_die_read (dwarf, unit, unit->first_die, &root))
            continue;
        g_array_set_size (ranges, 0);
        symbol_unit_read_ranges (dwarf, unit, ranges);
        if (!ranges->len)
            read_function_ranges (dwarf, &root, ranges, 0);
        BASE_EACH_ROW (ranges, const SymbolRange, range) {
            BASE_APPEND (binder->unit_ranges, SymbolUnitRange, range->low, range->high, unit);
        }
    }
    g_array_sort (binder->unit_ranges, compare_ranges);
}

static const SymbolUnit *
find_unit (SymbolBinder *binder, guint64 pc)
{
    if (!binder->unit_ranges)
        load_unit_ranges (binder);
    guint low = 0, high = binder->unit_ranges->len;
    while (low < high) {
        guint middle = (low + high) / 2;
        if (g_array_index (binder->unit_ranges, SymbolUnitRange, middle).low <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    for (guint back = 0; low && back < 8; low--, back++) {
        const SymbolUnitRange *range = &g_array_index (binder->unit_ranges, SymbolUnitRange,
                                                       low - 1);
        if (pc < range->high)
            return range->unit;
    }
    return NULL;
}

static gboolean
has_pc (const SymbolDwarf *dwarf, const SymbolDie *die, guint64 pc)
{
    g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (SymbolRange));
    symbol_die_read_ranges (dwarf, die, ranges);
    BASE_EACH_ROW (ranges, const SymbolRange, range) {
        if (pc >= range->low && pc < range->high)
            return TRUE;
    }
    return FALSE;
}

/* Appends the entries around pc below parent; TRUE when there was one. */
static gboolean
find_path (SymbolBinding *binding, const SymbolDie *parent, guint depth)
{
    SymbolDie die;
    if (depth > MAX_DEPTH || !symbol_die_first_child (binding->dwarf, parent, &die))
        return FALSE;
    do {
        switch (die.tag) {
        case DW_TAG_subprogram:
        case DW_TAG_inlined_subroutine:
        case DW_TAG_lexical_block:
        case DW_TAG_try_block:
        case DW_TAG_catch_block:
            if (has_pc (binding->dwarf, &die, binding->pc)) {
                g_array_append_val (binding->path, die);
                find_path (binding, &die, depth + 1);
                return TRUE;
            }
            /* the procedures that one contains lie outside its code */
            if (binding->is_nested
                || (die.tag == DW_TAG_subprogram
                    && die.unit->language == JOB_LANGUAGE_FORTRAN)) {
                g_array_append_val (binding->path, die);
                if (find_path (binding, &die, depth + 1))
                    return TRUE;
                g_array_set_size (binding->path, binding->path->len - 1);
            }
            break;
        case DW_TAG_namespace:
        case DW_TAG_module:
            if (find_path (binding, &die, depth + 1))
                return TRUE;
            break;
        default: break;
        }
    } while (symbol_die_next (binding->dwarf, &die, &die));
    return FALSE;
}

/* A lambda's code is a member of a class inside another function, whose code is elsewhere. */
static gboolean
find_member_path (SymbolBinding *binding, const SymbolDie *parent, guint depth)
{
    SymbolDie die;
    gboolean inside = parent->tag == DW_TAG_class_type || parent->tag == DW_TAG_structure_type;
    if (depth > MAX_DEPTH || !symbol_die_first_child (binding->dwarf, parent, &die))
        return FALSE;
    do {
        switch (die.tag) {
        case DW_TAG_subprogram:
            if (inside && has_pc (binding->dwarf, &die, binding->pc)) {
                g_array_append_val (binding->path, die);
                find_path (binding, &die, depth + 1);
                return TRUE;
            }
            /* fall through */
        case DW_TAG_lexical_block:
        case DW_TAG_class_type:
        case DW_TAG_structure_type:
        case DW_TAG_namespace:
            if (die.abbrev->has_children && find_member_path (binding, &die, depth + 1))
                return TRUE;
            break;
        default: break;
        }
    } while (symbol_die_next (binding->dwarf, &die, &die));
    return FALSE;
}

static void
search_place (SymbolBinding *binding, const SymbolDie *root)
{
    if (find_path (binding, root, 0)
        || (binding->unit->language == JOB_LANGUAGE_CXX && find_member_path (binding, root, 0)))
        return;
    /* what OpenMP's regions became stands in the block of the region, whose code is elsewhere */
    binding->is_nested = TRUE;
    find_path (binding, root, 0);
}

/* The unit of pc, and the path to it, which is the same for all that is bound there. */
static void
find_place (SymbolBinding *binding)
{
    SymbolBinder *binder = binding->binder;
    SymbolDie root;
    if (!binder->place || binder->place_pc != binding->pc) {
        binding->unit = find_unit (binder, binding->pc);
        if (binding->unit
            && symbol_die_read (binding->dwarf, binding->unit, binding->unit->first_die, &root))
            search_place (binding, &root);
        if (binder->place)
            g_array_unref (binder->place);
        binder->place = g_array_copy (binding->path);
        binder->place_pc = binding->pc;
        binder->place_unit = binding->unit;
        binder->place_is_nested = binding->is_nested;
        return;
    }
    binding->unit = binder->place_unit;
    binding->is_nested = binder->place_is_nested;
    g_array_append_vals (binding->path, binder->place->data, binder->place->len);
}

static const SymbolDie *
get_path (const SymbolBinding *binding, guint at)
{
    return &g_array_index (binding->path, SymbolDie, at);
}

static void
choose_inline (SymbolBinding *binding, guint inline_depth)
{
    binding->head = 0;
    binding->end = inline_depth == EVALUATE_NO_FRAME ? 0 : binding->path->len;
    guint seen = 0;
    for (guint i = binding->end; i-- > 0;) {
        guint32 tag = get_path (binding, i)->tag;
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
            continue;
        if (seen++ == inline_depth || i == 0) {
            binding->head = i;
            return;
        }
        binding->end = i;
    }
}

static void
free_type (gpointer data)
{
    SymbolType *type = data;
    g_free (type->name);
    for (guint i = 0; i < EVALUATE_N_CODES; i++)
        g_clear_pointer (&type->codes[i], g_byte_array_unref);
    if (type->view_numbers)
        g_array_unref (type->view_numbers);
    if (type->view_types)
        g_array_unref (type->view_types);
    if (type->parameters)
        g_array_unref (type->parameters);
    g_free (type->qualifiers);
    if (type->members)
        g_array_unref (type->members);
    if (type->enumerators)
        g_variant_builder_unref (type->enumerators);
    g_free (type);
}

static gboolean
begins_at (const SymbolDwarf *dwarf, const SymbolDie *function, guint64 pc)
{
    g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (SymbolRange));
    symbol_die_read_ranges (dwarf, function, ranges);
    return ranges->len > 0 && g_array_index (ranges, SymbolRange, 0).low == pc;
}

void
symbol_binding_init (SymbolBinding *binding, SymbolBinder *binder, guint64 pc,
                     guint inline_depth)
{
    *binding = (SymbolBinding){ .binder = binder, .dwarf = binder->dwarf, .pc = pc };
    if (inline_depth != EVALUATE_NO_FRAME && (inline_depth & EVALUATE_OWN_UNIT)) {
        binding->is_own = TRUE;
        inline_depth &= ~EVALUATE_OWN_UNIT;
    }
    binding->path = g_array_new (FALSE, FALSE, sizeof (SymbolDie));
    binding->types = g_ptr_array_new_with_free_func (free_type);
    binding->by_die = g_hash_table_new (NULL, NULL);
    binding->by_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    symbol_type_get_basic (binding, EVALUATE_TYPE_VOID, 1, "void");
    find_place (binding);
    choose_inline (binding, inline_depth);
    for (guint i = 0; i < binding->path->len; i++) {
        if (get_path (binding, i)->tag != DW_TAG_subprogram)
            continue;
        binding->at_entry = begins_at (binding->dwarf, get_path (binding, i), pc);
        symbol_die_find_location (binding->dwarf, get_path (binding, i), DW_AT_frame_base, pc,
                                  FALSE, &binding->frame_base, &binding->frame_base_size);
    }
}

void
symbol_binding_clear (SymbolBinding *binding)
{
    g_array_unref (binding->path);
    g_ptr_array_unref (binding->types);
    g_hash_table_unref (binding->by_die);
    g_hash_table_unref (binding->by_name);
    if (binding->prefixes)
        g_array_unref (binding->prefixes);
    if (binding->block_usings)
        g_array_unref (binding->block_usings);
    if (binding->block_variables)
        g_array_unref (binding->block_variables);
    g_free (binding->clash);
    if (binding->bound)
        g_byte_array_unref (binding->bound);
}

static gboolean
is_value (guint32 tag)
{
    return tag == DW_TAG_variable || tag == DW_TAG_formal_parameter || tag == DW_TAG_subprogram
           || tag == DW_TAG_constant;
}

/* `using N::name` in a block of C++. */
static gboolean
find_imported (SymbolBinding *binding, const SymbolDie *declaration, const char *name,
               gboolean (*accept) (guint32, guint32), guint32 wanted, SymbolDie *ret_die)
{
    SymbolValue value;
    SymbolDie target;
    if (!binding->unit || binding->unit->language != JOB_LANGUAGE_CXX
        || !symbol_die_get (binding->dwarf, declaration, DW_AT_import, &value)
        || value.kind != SYMBOL_VALUE_REFERENCE
        || !symbol_die_find (binding->dwarf, value.number, &target)
        || !accept (target.tag, wanted))
        return FALSE;
    const char *own = symbol_die_get_name (binding->dwarf, &target);
    if (!own || strcmp (own, name) != 0)
        return FALSE;
    /* the namespace only declares it */
    g_autofree char *whole = symbol_names_dup_qualified (binding->binder, &target);
    if (!whole || !symbol_names_find_exact (binding, whole, accept, wanted, ret_die))
        *ret_die = target;
    return TRUE;
}

gboolean
symbol_scope_find_child (SymbolBinding *binding, const SymbolDie *parent, const char *name,
                         gboolean (*accept) (guint32, guint32), guint32 wanted,
                         SymbolDie *ret_die)
{
    SymbolDie die, inner;
    gboolean found = FALSE;
    if (!symbol_die_first_child (binding->dwarf, parent, &die))
        return FALSE;
    do {
        if (((die.tag == DW_TAG_enumeration_type && accept (DW_TAG_enumerator, wanted))
             || die.tag == DW_TAG_common_block)
            && symbol_scope_find_child (binding, &die, name, accept, wanted, &inner)) {
            *ret_die = inner;
            return TRUE;
        }
        if (die.tag == DW_TAG_imported_declaration
            && find_imported (binding, &die, name, accept, wanted, ret_die))
            return TRUE;
        if (!accept (die.tag, wanted))
            continue;
        const char *own = symbol_die_get_name (binding->dwarf, &die);
        if (!own || strcmp (own, name) != 0
            || (parent->tag == DW_TAG_lexical_block && symbol_blocks_has (binding, &die)))
            continue;
        /* also the length of a parameter that clang passes under the same name to an outlined function, in front of it;
         * all parameters of the function that calls that one are artificial */
        gboolean made_up = die.tag == DW_TAG_formal_parameter
                           && symbol_die_get_number (binding->dwarf, &die, DW_AT_artificial, 0);
        if (!made_up && symbol_host_find_copy (binding->dwarf, &die, ret_die))
            return TRUE;
        gboolean declared = made_up || symbol_die_is_declaration (binding->dwarf, &die);
        if (!found || !declared || made_up)
            *ret_die = die;
        if (!declared)
            return TRUE;
        found = TRUE;
    } while (symbol_die_next (binding->dwarf, &die, &die));
    return found;
}

static gboolean
accept_value (guint32 tag, guint32 wanted)
{
    return is_value (tag) || tag == DW_TAG_enumerator;
}

static gboolean
is_type (guint32 tag)
{
    return tag == DW_TAG_base_type || tag == DW_TAG_typedef || tag == DW_TAG_structure_type
           || tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type
           || tag == DW_TAG_class_type;
}

static gboolean
accept_type (guint32 tag, guint32 wanted)
{
    if (wanted == DW_TAG_structure_type)
        return tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
    return wanted ? tag == wanted : is_type (tag);
}

static gboolean
find_in_imports (SymbolBinding *binding, const char *name,
                 gboolean (*accept) (guint32, guint32), guint32 wanted, SymbolDie *ret_die)
{
    const GPtrArray *list = symbol_imports_find (binding->binder, binding->unit);
    BASE_EACH (list, const SymbolUnit, unit) {
        SymbolDie root;
        if (symbol_die_read (binding->dwarf, unit, unit->first_die, &root)
            && symbol_scope_find_child (binding, &root, name, accept, wanted, ret_die))
            return TRUE;
    }
    return FALSE;
}

gboolean
symbol_scope_is_strange (SymbolBinding *binding, const SymbolDie *die)
{
    return binding->is_own && die->unit != binding->unit
           && !(binding->unit
                && symbol_imports_has (binding->binder, binding->unit, die->unit));
}

/* One of the whole program's names, which other files of the process may have, too; not what the scopes around pc lead
 * to, nor what the unit declares. */
static gboolean
is_from_outside (SymbolBinding *binding, const SymbolDie *die, const char *name,
                 gboolean (*accept) (guint32, guint32), guint32 wanted)
{
    SymbolDie root, own;
    if (!symbol_scope_is_strange (binding, die))
        return FALSE;
    name += g_str_has_prefix (name, "::") ? 2 : 0;
    if (binding->unit
        && ((symbol_die_read (binding->dwarf, binding->unit, binding->unit->first_die, &root)
             && symbol_scope_find_child (binding, &root, name, accept, wanted, &own))
            || find_in_imports (binding, name, accept, wanted, &own)))
        return FALSE;
    g_autofree char *whole = symbol_names_dup_qualified (binding->binder, die);
    g_autofree char *reduced = symbol_names_reduce (whole ? whole : "");
    g_autofree char *asked = symbol_names_reduce (name);
    return strcmp (reduced, asked) == 0;
}

static gboolean
find_in_unit (SymbolBinding *binding, const char *name, gboolean (*accept) (guint32, guint32),
              guint32 wanted, SymbolDie *ret_die)
{
    SymbolDie root, found;
    gboolean plain = !binding->unit || binding->unit->language != JOB_LANGUAGE_CXX;
    if (symbol_use_find (binding, name, accept, wanted, ret_die))
        return TRUE;
    if (plain && binding->unit
        && symbol_die_read (binding->dwarf, binding->unit, binding->unit->first_die, &root)
        && (symbol_scope_find_child (binding, &root, name, accept, wanted, &found)
            || find_in_imports (binding, name, accept, wanted, &found))) {
        *ret_die = found;
        if (!symbol_die_is_declaration (binding->dwarf, &found))
            return TRUE;
        symbol_scope_find_global (binding, name, accept, wanted, ret_die);
        return TRUE;
    }
    return symbol_scope_find_global (binding, name, accept, wanted, ret_die)
           && !is_from_outside (binding, ret_die, name, accept, wanted);
}

gboolean
symbol_scope_find_abstract (const SymbolBinding *binding, const SymbolDie *block,
                            SymbolDie *ret_die)
{
    SymbolValue origin;
    return symbol_die_get (binding->dwarf, block, DW_AT_abstract_origin, &origin)
           && origin.kind == SYMBOL_VALUE_REFERENCE
           && symbol_die_find (binding->dwarf, origin.number, ret_die);
}

/* In the blocks from the innermost out, then in those of the abstract function, where variables that the
 * compiler dropped still stand, and the static ones of constructors. */
static gboolean
find_in_path (SymbolBinding *binding, const char *name, gboolean (*accept) (guint32, guint32),
              guint32 wanted, SymbolDie *ret_die)
{
    for (guint i = binding->end; i-- > binding->head;)
        if (symbol_scope_find_child (binding, get_path (binding, i), name, accept, wanted,
                                     ret_die))
            return TRUE;
    if (symbol_host_find (binding, name, accept, wanted, ret_die))
        return TRUE;
    for (guint i = binding->end; i-- > binding->head;) {
        SymbolDie abstract;
        if (symbol_scope_find_abstract (binding, get_path (binding, i), &abstract)
            && (symbol_scope_find_child (binding, &abstract, name, accept, wanted, ret_die)
                || (accept == accept_value
                    && symbol_names_find_static (binding, &abstract, name, ret_die))))
            return TRUE;
    }
    return FALSE;
}

static gboolean
find_in_blocks (SymbolBinding *binding, const char *name, gboolean (*accept) (guint32, guint32),
                guint32 wanted, SymbolDie *ret_die)
{
    return (accept == accept_value && symbol_blocks_find (binding, name, ret_die))
           || find_in_path (binding, name, accept, wanted, ret_die);
}

gboolean
symbol_scope_find_around (SymbolBinding *binding, const char *name, SymbolDie *ret_die)
{
    return find_in_path (binding, name, accept_value, 0, ret_die)
           || symbol_use_find (binding, name, accept_value, 0, ret_die);
}

gboolean
symbol_scope_find_outside (SymbolBinding *binding, const char *name, SymbolDie *ret_die)
{
    return find_in_unit (binding, name, accept_value, 0, ret_die);
}

gboolean
symbol_scope_find_local (SymbolBinding *binding, const char *name, SymbolDie *ret_die)
{
    if (!find_in_blocks (binding, name, accept_value, 0, ret_die))
        return symbol_names_find_template_argument (binding, name,
                                                    DW_TAG_template_value_parameter, ret_die);
    /* `extern int x;` in a block */
    SymbolDie global;
    if (ret_die->tag != DW_TAG_formal_parameter
        && symbol_die_is_declaration (binding->dwarf, ret_die)
        && find_in_unit (binding, name, accept_value, 0, &global))
        *ret_die = global;
    return TRUE;
}

gboolean
symbol_scope_find (SymbolBinding *binding, const char *name, SymbolDie *ret_die)
{
    return symbol_scope_find_local (binding, name, ret_die)
           || symbol_scope_find_outside (binding, name, ret_die);
}

/* What a parameter of a template stands for. */
static gboolean
find_template_type (SymbolBinding *binding, const char *name, SymbolDie *ret_die)
{
    SymbolDie parameter;
    return symbol_names_find_template_argument (binding, name, DW_TAG_template_type_parameter,
                                                &parameter)
           && symbol_die_find (binding->dwarf,
                               symbol_type_find_target (binding->dwarf, &parameter), ret_die);
}

gboolean
symbol_scope_find_type (SymbolBinding *binding, const char *name, guint32 tag,
                        SymbolDie *ret_die)
{
    return find_in_blocks (binding, name, accept_type, tag, ret_die)
           || (!tag && find_template_type (binding, name, ret_die))
           || (!tag && symbol_names_find_own_type (binding, name, ret_die))
           || find_in_unit (binding, name, accept_type, tag, ret_die)
           || (!tag && symbol_names_find_inherited_type (binding, name, ret_die));
}

gboolean
symbol_scope_find_type_anywhere (SymbolBinding *binding, const char *name, guint32 tag,
                                 SymbolDie *ret_die)
{
    gboolean is_own = binding->is_own;
    binding->is_own = FALSE;
    gboolean found = symbol_scope_find_type (binding, name, tag, ret_die);
    binding->is_own = is_own;
    return found;
}

gboolean
symbol_scope_find_elf (SymbolBinding *binding, const char *name, guint64 *ret_address)
{
    SymbolBinder *binder = binding->binder;
    if (!binder->symbols) {
        binder->symbol_list = g_array_new (FALSE, FALSE, sizeof (SymbolElfSymbol));
        binder->symbols = g_hash_table_new (g_str_hash, g_str_equal);
        symbol_elf_read_symbols (binder->dwarf->elf, binder->symbol_list);
        if (binder->dwarf->owns_debug)
            symbol_elf_read_symbols (binder->dwarf->debug, binder->symbol_list);
        BASE_EACH_ROW (binder->symbol_list, SymbolElfSymbol, symbol) {
            if (!g_hash_table_contains (binder->symbols, symbol->name))
                g_hash_table_insert (binder->symbols, (gpointer) symbol->name, symbol);
        }
    }
    const SymbolElfSymbol *found = g_hash_table_lookup (binder->symbols, name);
    if (found)
        *ret_address = found->address;
    return found != NULL;
}

gboolean
symbol_scope_is_code (SymbolBinding *binding, const char *name)
{
    const SymbolElfSymbol *found = g_hash_table_lookup (binding->binder->symbols, name);
    return found
           && (found->type == STT_FUNC || found->type == STT_GNU_IFUNC || found->code_end);
}

gboolean
symbol_scope_is_resolver (SymbolBinding *binding, const char *name)
{
    const SymbolElfSymbol *found = g_hash_table_lookup (binding->binder->symbols, name);
    return found && found->type == STT_GNU_IFUNC;
}

static void
emit_problem (GByteArray *code, guint32 type, const char *problem)
{
    symbol_code_put_op (code, EVALUATE_OP_PROBLEM, type);
    base_bytes_put_uleb (code, strlen (problem));
    g_byte_array_append (code, (const guint8 *) problem, strlen (problem));
}

static gboolean
emit_constant (SymbolBinding *binding, const SymbolDie *die, guint32 type, GByteArray *code)
{
    SymbolValue value;
    if (!symbol_die_get_deep (binding->dwarf, die, DW_AT_const_value, &value))
        return FALSE;
    const SymbolType *stripped = symbol_type_strip (binding, type);
    guint64 size = stripped->size;
    if (value.kind == SYMBOL_VALUE_CONSTANT) {
        guint8 bytes[16] = { 0 };
        gboolean is_signed = value.form == DW_FORM_sdata
                             || value.form == DW_FORM_implicit_const;
        memcpy (bytes, &value.number, 8);
        memset (bytes + 8, is_signed && (gint64) value.number < 0 ? 0xff : 0, 8);
        symbol_code_put_op (code, EVALUATE_OP_BYTES, type);
        base_bytes_put_uleb (code, CLAMP (size, 1, 16));
        g_byte_array_append (code, bytes, CLAMP (size, 1, 16));
    } else if (value.kind == SYMBOL_VALUE_BLOCK) {
        symbol_code_put_op (code, EVALUATE_OP_BYTES, type);
        /* clang leaves the ten bytes of a long double without what fills them up */
        static const guint8 zeros[16];
        gsize missing = stripped->kind == EVALUATE_TYPE_FLOAT && value.size == 10 && size > 10
                                && size <= 16
                            ? size - value.size
                            : 0;
        base_bytes_put_uleb (code, value.size + missing);
        g_byte_array_append (code, value.block, value.size);
        g_byte_array_append (code, zeros, missing);
    } else if (value.kind == SYMBOL_VALUE_STRING && value.string) {
        symbol_code_put_op (code, EVALUATE_OP_BYTES, type);
        base_bytes_put_uleb (code, strlen (value.string) + 1);
        g_byte_array_append (code, (const guint8 *) value.string, strlen (value.string) + 1);
    } else {
        return FALSE;
    }
    return TRUE;
}

static gboolean
is_dummy (const SymbolDie *die)
{
    return die->tag == DW_TAG_formal_parameter && die->unit->language == JOB_LANGUAGE_FORTRAN;
}

/* gfortran passes addresses; what gcc knows to be the address 0 it writes as if the dummy's value were 0, as it does of
 * one with the attribute VALUE. FALSE: it is not that. */
static gboolean
emit_absent (SymbolBinding *binding, const SymbolDie *die, guint32 type, GByteArray *code)
{
    EvaluateTypeKind kind = symbol_type_strip (binding, type)->kind;
    SymbolValue value;
    if (!is_dummy (die) || !symbol_die_get_deep (binding->dwarf, die, DW_AT_const_value, &value)
        || value.kind != SYMBOL_VALUE_CONSTANT || value.number
        || symbol_die_get_number (binding->dwarf, die, DW_AT_artificial, 0))
        return FALSE;
    emit_problem (code, type,
                  kind == EVALUATE_TYPE_BOOL || kind == EVALUATE_TYPE_SIGNED
                          || kind == EVALUATE_TYPE_POINTER
                      ? N_ ("<not present, or 0>")
                      : N_ ("<not present>"));
    return TRUE;
}

static void
emit_location (SymbolBinding *binding, const SymbolDie *die, guint32 type, const guint8 *block,
               gsize size, GByteArray *code)
{
    g_autoptr (GByteArray) rewritten = g_byte_array_new (), base = g_byte_array_new ();
    if (!symbol_location_rewrite (binding, die->unit, block, size, 0, rewritten)) {
        emit_problem (code, type, N_ ("<location not understood>"));
        return;
    }
    if (!symbol_host_find_base (binding, die, base) && memchr (block, DW_OP_fbreg, size)) {
        g_autofree char *problem = symbol_host_describe (binding, die);
        emit_problem (code, type, problem);
        return;
    }
    symbol_code_put_op (code,
                        die->unit->keeps_registers ? EVALUATE_OP_LOCATION_KEPT
                                                   : EVALUATE_OP_LOCATION,
                        type);
    base_bytes_put_uleb (code, base->len);
    g_byte_array_append (code, base->data, base->len);
    base_bytes_put_uleb (code, rewritten->len);
    g_byte_array_append (code, rewritten->data, rewritten->len);
}

/* Declared here, defined in another file of the process. */
static void
emit_shared (SymbolBinding *binding, const SymbolDie *die, guint32 type, const char *name,
             GByteArray *code)
{
    SymbolValue linkage;
    if (symbol_die_get_deep (binding->dwarf, die, DW_AT_linkage_name, &linkage)
        && linkage.kind == SYMBOL_VALUE_STRING && linkage.string)
        name = linkage.string;
    symbol_code_put_op (code, EVALUATE_OP_SHARED, type);
    base_bytes_put_uleb (code, strlen (name));
    g_byte_array_append (code, (const guint8 *) name, strlen (name));
}

static guint32
emit_function (SymbolBinding *binding, const SymbolDie *die, GByteArray *code)
{
    guint32 type = symbol_type_build (binding, die->offset);
    const char *name = symbol_die_get_name (binding->dwarf, die);
    guint64 address;
    if (!symbol_find_code (binding, die, &address)) {
        if (name && symbol_die_get_number (binding->dwarf, die, DW_AT_declaration, 0))
            emit_shared (binding, die, type, name, code);
        else
            emit_problem (code, type, N_ ("<optimised out>"));
        return type;
    }
    symbol_code_put_op (code, EVALUATE_OP_STATIC, type);
    base_bytes_put_uleb (code, address);
    return type;
}

/* The type of an array that an outlined function has by a reference, and its place; 0: it is none. What leads to pointers
 * may be one of them. */
static guint32
emit_captured (SymbolBinding *binding, const SymbolDie *die, guint32 type, const guint8 *block,
               gsize size, GByteArray *code)
{
    static const guint8 deref = DW_OP_deref;
    g_autoptr (GByteArray) place = g_byte_array_new ();
    SymbolDie lengths[8];
    guint n;
    if (symbol_type_strip (binding, type)->kind != EVALUATE_TYPE_REFERENCE || !size
        || (block[0] != DW_OP_fbreg && (block[0] < DW_OP_breg0 || block[0] > DW_OP_breg31)))
        return 0;
    n = symbol_host_find_lengths (binding, die, lengths, G_N_ELEMENTS (lengths));
    if (!n
        || symbol_type_strip (binding, symbol_type_get_target (binding, type))->kind
               == EVALUATE_TYPE_POINTER)
        return 0;
    type = symbol_array_build_captured (binding, type, lengths, n);
    g_byte_array_append (place, block, size);
    g_byte_array_append (place, &deref, 1);
    emit_location (binding, die, type, place->data, place->len, code);
    return type;
}

guint32
symbol_scope_emit (SymbolBinding *binding, const SymbolDie *die, GByteArray *code)
{
    const guint8 *block;
    gsize size;
    guint64 address;
    SymbolValue value;
    if (die->tag == DW_TAG_subprogram)
        return emit_function (binding, die, code);
    binding->holder = *die;
    guint32 type = symbol_type_build_of (binding, die);
    const char *name = symbol_die_get_name (binding->dwarf, die);
    if (die->tag == DW_TAG_enumerator) {
        type = symbol_type_build_enumeration (binding, die);
        symbol_code_put_op (code, EVALUATE_OP_CONSTANT, type);
        symbol_code_put_sleb (code, (gint64) symbol_die_get_number (binding->dwarf, die,
                                                                    DW_AT_const_value, 0));
        return type;
    }
    if (symbol_type_strip (binding, type)->kind == EVALUATE_TYPE_VOID) {
        emit_problem (code, type, N_ ("<unknown type>"));
        return type;
    }
    if (die->offset == binding->doubtful) {
        emit_problem (code, type, symbol_blocks_doubt);
        return type;
    }
    if (emit_absent (binding, die, type, code) || emit_constant (binding, die, type, code))
        return type;
    gboolean declared = symbol_die_get (binding->dwarf, die, DW_AT_declaration, &value);
    gboolean global = declared
                      || symbol_die_get_number (binding->dwarf, die, DW_AT_external, 0);
    if (symbol_host_is_initial (binding->dwarf, die)) {
        emit_problem (code, type, N_ ("<not known: clang describes only its first value>"));
    } else if (symbol_die_find_location (binding->dwarf, die, DW_AT_location, binding->pc,
                                         binding->at_entry, &block, &size)) {
        guint32 array = emit_captured (binding, die, type, block, size, code);
        if (array)
            return array;
        emit_location (binding, die, type, block, size, code);
        if (is_dummy (die))
            symbol_code_put_op (code, EVALUATE_OP_PRESENT, type);
    } else if (global && name && symbol_scope_find_elf (binding, name, &address)) {
        symbol_code_put_op (code, EVALUATE_OP_STATIC, type);
        base_bytes_put_uleb (code, address);
    } else if (declared && name) {
        emit_shared (binding, die, type, name, code);
    } else {
        g_autofree char *problem = symbol_host_describe (binding, die);
        emit_problem (code, type, problem ? problem : N_ ("<optimised out>"));
    }
    if (symbol_type_strip (binding, type)->kind == EVALUATE_TYPE_REFERENCE) {
        binding->followed = type;
        type = symbol_type_get_target (binding, type);
        symbol_code_put_op (code, EVALUATE_OP_DEREF, type);
        binding->followed_end = code->len;
    }
    return type;
}
