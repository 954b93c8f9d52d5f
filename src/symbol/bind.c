/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Combines the parts of a binding into the answers of pddt-symbols. */
#include <string.h>

#include "symbol/bind-private.h"
#include "symbol/type-private.h"

#define MAX_GLOBALS 1000
#define MAX_NAMESPACES 16

SymbolBinder *
symbol_binder_new (SymbolDwarf *dwarf)
{
    SymbolBinder *binder = g_new0 (SymbolBinder, 1);
    binder->dwarf = dwarf;
    return binder;
}

void
symbol_binder_free (SymbolBinder *binder)
{
    if (!binder)
        return;
    if (binder->unit_ranges)
        g_array_unref (binder->unit_ranges);
    if (binder->place)
        g_array_unref (binder->place);
    if (binder->names)
        g_hash_table_unref (binder->names);
    if (binder->name_texts)
        g_string_chunk_free (binder->name_texts);
    if (binder->usings)
        g_hash_table_unref (binder->usings);
    if (binder->imports)
        g_hash_table_unref (binder->imports);
    if (binder->scopes)
        g_hash_table_unref (binder->scopes);
    if (binder->symbols)
        g_hash_table_unref (binder->symbols);
    if (binder->symbol_list)
        g_array_unref (binder->symbol_list);
    if (binder->constructs)
        g_hash_table_unref (binder->constructs);
    g_free (binder);
}

static GVariant *
make_program (SymbolBinding *binding, const char *name, guint32 type, GByteArray *code)
{
    g_autofree char *valid = g_utf8_make_valid (name, -1);
    g_autofree char *type_name = g_utf8_make_valid (symbol_type_get (binding, type)->name, -1);
    GVariant *bytes = g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, code->data, code->len, 1);
    return g_variant_new ("(ssu@a" EVALUATE_TYPE_TYPE "@ay)", valid, type_name, type,
                          symbol_type_encode (binding), bytes);
}

GVariant *
symbol_bind_block (SymbolBinding *binding, const SymbolUnit *unit, const guint8 *block,
                   gsize size)
{
    static const guint8 stack_value = DW_OP_stack_value;
    g_autoptr (GByteArray) rewritten = g_byte_array_new (), code = g_byte_array_new ();
    guint32 type = symbol_type_get_basic (binding, EVALUATE_TYPE_UNSIGNED, 8, "unsigned long");
    if (!symbol_location_rewrite (binding, unit, block, size, 0, rewritten))
        return NULL;
    g_byte_array_append (rewritten, &stack_value, 1);
    symbol_code_put_op (code,
                        unit->keeps_registers ? EVALUATE_OP_LOCATION_KEPT
                                              : EVALUATE_OP_LOCATION,
                        type);
    base_bytes_put_uleb (code, binding->frame_base_size);
    g_byte_array_append (code, binding->frame_base, binding->frame_base_size);
    base_bytes_put_uleb (code, rewritten->len);
    g_byte_array_append (code, rewritten->data, rewritten->len);
    return make_program (binding, "", type, code);
}

static GVariant *
bind_expression (SymbolBinder *binder, guint64 pc, guint inline_depth, const char *expression,
                 const char *shown, GError **error)
{
    SymbolBinding binding;
    SymbolNode node;
    GVariant *program = NULL;
    symbol_binding_init (&binding, binder, pc, inline_depth);
    if (symbol_expression_parse (&binding, expression, &node, error)) {
        g_autofree char *name = g_strndup (shown,
                                           strcspn (shown, (char[]){ EVALUATE_KEPT_MARK, 0 }));
        program = make_program (&binding, name, node.type, node.code);
        g_byte_array_unref (node.code);
    }
    symbol_binding_clear (&binding);
    return program;
}

GVariant *
symbol_bind_expression (SymbolBinder *binder, guint64 pc, guint inline_depth,
                        const char *expression, const char *expanded, GError **error)
{
    g_autoptr (GError) local = NULL;
    GVariant *program = expanded ? bind_expression (binder, pc, inline_depth, expanded,
                                                    expression, &local)
                                 : NULL;
    if (!program)
        program = bind_expression (binder, pc, inline_depth, expression, expression,
                                   local ? NULL : error);
    if (!program && local)
        g_propagate_error (error, g_steal_pointer (&local));
    return program;
}

/* "/FLAGS " in front of an expression. */
static guint
take_type_flags (const char **expression)
{
    guint flags = 0;
    if (**expression != '/')
        return 0;
    for ((*expression)++; **expression && **expression != ' '; (*expression)++) {
        switch (**expression) {
        case 'o':
            flags |= SYMBOL_TYPE_OFFSETS | SYMBOL_TYPE_NO_METHODS | SYMBOL_TYPE_NO_TYPEDEFS;
            break;
        case 'x': flags |= SYMBOL_TYPE_HEXADECIMAL; break;
        case 'd': flags &= ~(guint) SYMBOL_TYPE_HEXADECIMAL; break;
        case 'm': flags |= SYMBOL_TYPE_NO_METHODS; break;
        case 'M': flags &= ~(guint) SYMBOL_TYPE_NO_METHODS; break;
        case 't': flags |= SYMBOL_TYPE_NO_TYPEDEFS; break;
        case 'T': flags &= ~(guint) SYMBOL_TYPE_NO_TYPEDEFS; break;
        case 'r': flags |= SYMBOL_TYPE_RAW; break;
        default: break;
        }
    }
    return flags;
}

static char *
expand_type (SymbolBinding *binding, guint32 type, const GByteArray *value, gboolean expand)
{
    g_autofree char *text = symbol_type_expand (binding, type, expand, value);
    gboolean is_class = expand && symbol_type_get (binding, type)->members;
    return is_class && (binding->type_flags & SYMBOL_TYPE_OFFSETS)
               ? g_strconcat ("/* offset      |    size */  type = ", text, NULL)
               : g_steal_pointer (&text);
}

/* The type's text; NULL: error. */
static char *
describe_type (SymbolBinding *binding, const char *expression, gboolean expand, GError **error)
{
    SymbolNode node;
    guint32 type;
    char *namespace = symbol_usings_describe_namespace (binding, expression);
    if (namespace)
        return namespace;
    if (symbol_expression_parse_type (binding, expression, &type)) {
        /* of a typedef's name whatis tells what it stands for */
        if (!expand && symbol_type_get (binding, type)->kind == EVALUATE_TYPE_TYPEDEF
            && !symbol_type_get (binding, type)->qualifiers)
            type = symbol_type_get (binding, type)->target;
        return expand_type (binding, type, NULL, expand);
    }
    if (!symbol_expression_parse (binding, expression, &node, error))
        return NULL;
    gboolean is_reference = binding->followed_end > 0 && binding->followed_end == node.code->len
                            && binding->unit && binding->unit->language == JOB_LANGUAGE_CXX;
    char *text = expand_type (binding, is_reference ? binding->followed : node.type,
                              is_reference ? NULL : node.code, expand);
    g_byte_array_unref (node.code);
    return text;
}

static GVariant *
bind_type (SymbolBinder *binder, guint64 pc, guint inline_depth, const char *expression,
           gboolean expand, GError **error)
{
    SymbolBinding binding;
    GVariant *program = NULL;
    guint flags = take_type_flags (&expression);
    g_autoptr (GPtrArray) list
        = g_ptr_array_new_with_free_func ((GDestroyNotify) g_byte_array_unref);
    g_autoptr (GPtrArray) codes
        = g_ptr_array_new_with_free_func ((GDestroyNotify) g_byte_array_unref);
    symbol_binding_init (&binding, binder, pc, inline_depth);
    SymbolTypeBlanks blanks = { &binding, list, codes };
    binding.type_flags = binding.unit && binding.unit->language == JOB_LANGUAGE_FORTRAN ? 0
                                                                                        : flags;
    binding.blanks = &blanks;
    g_autofree char *text = describe_type (&binding, expression, expand, error);
    if (text) {
        g_autoptr (GByteArray) code = g_byte_array_new ();
        BASE_EACH (list, const GByteArray, blank) {
            g_byte_array_append (code, blank->data, blank->len);
        }
        if (!list->len)
            g_ptr_array_set_size (binding.types, 1); /* void: nothing else is asked for */
        program = make_program (&binding, text, 0, code);
    }
    symbol_binding_clear (&binding);
    return program;
}

GVariant *
symbol_bind_type (SymbolBinder *binder, guint64 pc, guint inline_depth, const char *expression,
                  const char *expanded, gboolean expand, GError **error)
{
    g_autoptr (GError) local = NULL;
    GVariant *program = expanded
                            ? bind_type (binder, pc, inline_depth, expanded, expand, &local)
                            : NULL;
    if (!program)
        program = bind_type (binder, pc, inline_depth, expression, expand,
                             local ? NULL : error);
    if (!program && local)
        g_propagate_error (error, g_steal_pointer (&local));
    return program;
}

/* Hides artificial variables, except `this`, captures of lambdas (a gcc variable), copies that OpenMP's regions have
 * (of clang), and array arguments of Fortran, whose descriptors are artificial. */
static gboolean
is_shown (const SymbolDwarf *dwarf, const SymbolDie *die, const char *name)
{
    gboolean artificial = symbol_die_get_number (dwarf, die, DW_AT_artificial, 0) != 0;
    if (strcmp (name, "this") == 0)
        return artificial;
    if (!artificial)
        return TRUE;
    return g_ascii_isalpha (name[0]) && !strchr (name, '.')
           && die->tag
                  == (die->unit->language == JOB_LANGUAGE_FORTRAN ? DW_TAG_formal_parameter
                                                                  : DW_TAG_variable);
}

/* As the program has it: Cython puts something before names, and has variables of its own, for which NULL is returned. */
static const char *
get_shown_name (const SymbolDwarf *dwarf, const SymbolDie *die)
{
    const char *name = symbol_die_get_name (dwarf, die);
    if (name && g_str_has_prefix (name, SYMBOL_CYTHON_VARIABLE))
        return name + strlen (SYMBOL_CYTHON_VARIABLE);
    return name && !g_str_has_prefix (name, "__pyx_") ? name : NULL;
}

/* A variable as print shows it: of Fortran's pointer to an array or a text, what it points to. */
static guint32
emit_variable (SymbolBinding *binding, const SymbolDie *die, GByteArray *code)
{
    guint32 number = symbol_scope_emit (binding, die, code);
    const SymbolType *type = symbol_type_strip (binding, number);
    if (type->kind != EVALUATE_TYPE_POINTER || !(type->flags & EVALUATE_TYPE_FORTRAN))
        return number;
    guint32 target = symbol_type_strip_number (binding,
                                               symbol_type_get_target (binding, number));
    if (symbol_type_get (binding, target)->kind != EVALUATE_TYPE_ARRAY)
        return number;
    symbol_code_put_op (code, EVALUATE_OP_DEREF, target);
    return target;
}

/* Adds a program for the variable unless its name is known. closed: names of a closure's variables; NULL of an abstract
 * block, in which those count that have a place of their own. */
static void
add_child (SymbolBinding *around, guint inline_depth, const SymbolDie *die,
           const GPtrArray *closed, GHashTable *seen, GVariantBuilder *programs)
{
    SymbolBinder *binder = around->binder;
    const char *name = get_shown_name (binder->dwarf, die);
    SymbolDie copy;
    SymbolValue place;
    if (!name || !is_shown (binder->dwarf, die, name)
        || symbol_host_find_copy (binder->dwarf, die, &copy)
        || symbol_die_is_declaration (binder->dwarf, die)
        || (!closed && !symbol_die_get (binder->dwarf, die, DW_AT_location, &place))
        || !g_hash_table_add (seen, g_strdup (name)))
        return;
    GVariant *program = closed
                                && g_ptr_array_find_with_equal_func ((GPtrArray *) closed, name,
                                                                     g_str_equal, NULL)
                            ? bind_expression (binder, around->pc, inline_depth, name, name,
                                               NULL)
                            : NULL;
    if (program) {
        g_variant_builder_add_value (programs, program);
        return;
    }
    SymbolBinding binding;
    symbol_binding_init (&binding, binder, around->pc, inline_depth);
    binding.doubtful = around->doubtful;
    g_autoptr (GByteArray) code = g_byte_array_new ();
    guint32 type = emit_variable (&binding, die, code);
    g_variant_builder_add_value (programs, make_program (&binding, name, type, code));
    symbol_binding_clear (&binding);
}

/* Those of the tag. */
static void
add_children (SymbolBinding *around, guint inline_depth, const SymbolDie *block, guint32 tag,
              const GPtrArray *closed, GHashTable *seen, GVariantBuilder *programs)
{
    SymbolDie die;
    if (!symbol_die_first_child (around->dwarf, block, &die))
        return;
    do {
        if (die.tag == DW_TAG_common_block || (!closed && die.tag == DW_TAG_lexical_block))
            add_children (around, inline_depth, &die, tag, closed, seen, programs);
        if (die.tag == tag
            && (block->tag != DW_TAG_lexical_block || !symbol_blocks_has (around, &die)))
            add_child (around, inline_depth, &die, closed, seen, programs);
    } while (symbol_die_next (around->dwarf, &die, &die));
}

/* Of Fortran's constructs. */
static void
add_of_blocks (SymbolBinding *around, guint inline_depth, const GPtrArray *closed,
               GHashTable *seen, GVariantBuilder *programs)
{
    BASE_EACH_ROW (symbol_blocks_list (around), const SymbolBlockVariable, variable) {
        const char *name = symbol_die_get_name (around->dwarf, &variable->die);
        SymbolDie die;
        if (variable->is_open && symbol_blocks_find (around, name, &die))
            add_child (around, inline_depth, &die, closed, seen, programs);
    }
    around->doubtful = 0;
}

static void
add_program (SymbolBinder *binder, guint64 pc, const SymbolDie *die, const char *name,
             GVariantBuilder *programs)
{
    SymbolBinding binding;
    g_autoptr (GByteArray) code = g_byte_array_new ();
    symbol_binding_init (&binding, binder, pc, 0);
    guint32 type = emit_variable (&binding, die, code);
    g_variant_builder_add_value (programs, make_program (&binding, name, type, code));
    symbol_binding_clear (&binding);
}

/* What a module of another file holds is only declared in the file that uses it. */
static gboolean
find_definition (SymbolBinder *binder, guint64 pc, SymbolDie *die)
{
    SymbolBinding binding;
    if (!symbol_die_is_declaration (binder->dwarf, die))
        return TRUE;
    const char *name = symbol_die_get_name (binder->dwarf, die);
    if (die->unit->language != JOB_LANGUAGE_FORTRAN || !name)
        return FALSE;
    symbol_binding_init (&binding, binder, pc, 0);
    gboolean found = symbol_scope_find_outside (&binding, name, die)
                     && die->tag == DW_TAG_variable;
    symbol_binding_clear (&binding);
    return found;
}

static void
add_globals (SymbolBinder *binder, guint64 pc, const SymbolDie *parent, guint depth,
             GHashTable *seen, GVariantBuilder *programs)
{
    SymbolDie die;
    if (depth > MAX_NAMESPACES || !symbol_die_first_child (binder->dwarf, parent, &die))
        return;
    do {
        if (die.tag == DW_TAG_namespace || die.tag == DW_TAG_module)
            add_globals (binder, pc, &die, depth + 1, seen, programs);
        SymbolDie variable = die;
        if (die.tag != DW_TAG_variable || g_hash_table_size (seen) >= MAX_GLOBALS
            || symbol_die_get_number (binder->dwarf, &die, DW_AT_artificial, 0)
            || !find_definition (binder, pc, &variable))
            continue;
        char *name = symbol_names_dup_qualified (binder, &variable);
        if (name && g_hash_table_add (seen, name))
            add_program (binder, pc, &variable, name, programs);
    } while (symbol_die_next (binder->dwarf, &die, &die));
}

/* What a function of Cython shares with others is not among its own variables, or only as it was at first. */
static void
add_closed (const SymbolBinding *binding, guint inline_depth, const GPtrArray *closed,
            GHashTable *seen, GVariantBuilder *programs)
{
    BASE_EACH (closed, const char, name) {
        GVariant *program = g_hash_table_contains (seen, name)
                                ? NULL
                                : bind_expression (binding->binder, binding->pc, inline_depth,
                                                   name, name, NULL);
        if (program) {
            g_hash_table_add (seen, g_strdup (name));
            g_variant_builder_add_value (programs, program);
        }
    }
}

/* Names of the variables of the blocks within the function, which hide its parameters of the same names. Borrowed. */
static GPtrArray *
list_inner (SymbolBinding *binding)
{
    const SymbolDwarf *dwarf = binding->binder->dwarf;
    GPtrArray *names = g_ptr_array_new ();
    BASE_EACH_ROW (symbol_blocks_list (binding), const SymbolBlockVariable, variable) {
        if (variable->is_open)
            g_ptr_array_add (names, (gpointer) symbol_die_get_name (dwarf, &variable->die));
    }
    for (guint i = binding->head + 1; i < binding->end; i++) {
        const SymbolDie *path = (const SymbolDie *) (gpointer) binding->path->data;
        SymbolDie die;
        gboolean any = symbol_die_first_child (dwarf, &path[i], &die);
        for (; any; any = symbol_die_next (dwarf, &die, &die)) {
            const char *name = die.tag == DW_TAG_variable ? get_shown_name (dwarf, &die) : NULL;
            if (name && is_shown (dwarf, &die, name) && !symbol_die_is_declaration (dwarf, &die)
                && !symbol_blocks_has (binding, &die))
                g_ptr_array_add (names, (gpointer) name);
        }
    }
    return names;
}

/* Those that a variable of a block within the function hides are arguments all the same. */
static void
add_arguments (SymbolBinding *binding, guint inline_depth, EvaluateVariables which,
               const GPtrArray *closed, GHashTable *seen, GVariantBuilder *programs)
{
    const SymbolDie *path = (const SymbolDie *) (gpointer) binding->path->data;
    g_autoptr (GPtrArray) inner = which == EVALUATE_VARIABLES_ARGUMENTS ? g_ptr_array_new ()
                                                                        : list_inner (binding);
    GVariantBuilder unused;
    if (binding->head >= binding->end)
        return;
    for (guint i = 0; i < inner->len; i++)
        g_hash_table_add (seen, g_strdup (inner->pdata[i]));
    g_variant_builder_init (&unused, G_VARIANT_TYPE ("a" EVALUATE_PROGRAM_TYPE));
    add_children (binding, inline_depth, &path[binding->head], DW_TAG_formal_parameter, closed,
                  seen, which == EVALUATE_VARIABLES_OWN ? &unused : programs);
    g_variant_builder_clear (&unused);
    for (guint i = 0; i < inner->len; i++)
        g_hash_table_remove (seen, inner->pdata[i]);
}

static void
add_locals (SymbolBinding *binding, guint inline_depth, EvaluateVariables which,
            GHashTable *seen, GVariantBuilder *programs)
{
    const SymbolDie *path = (const SymbolDie *) (gpointer) binding->path->data;
    g_autoptr (GPtrArray) closed = symbol_list_closed (binding);
    add_arguments (binding, inline_depth, which, closed, seen, programs);
    if (which == EVALUATE_VARIABLES_ARGUMENTS)
        return;
    add_closed (binding, inline_depth, closed, seen, programs);
    add_of_blocks (binding, inline_depth, closed, seen, programs);
    for (guint i = binding->end; i-- > binding->head;) {
        SymbolDie abstract;
        add_children (binding, inline_depth, &path[i], DW_TAG_variable, closed, seen, programs);
        if (symbol_scope_find_abstract (binding, &path[i], &abstract))
            add_children (binding, inline_depth, &abstract, DW_TAG_variable, NULL, seen,
                          programs);
    }
}

GVariant *
symbol_bind_variables (SymbolBinder *binder, guint64 pc, guint inline_depth,
                       EvaluateVariables which, GError **error)
{
    SymbolBinding binding;
    SymbolDie root;
    GVariantBuilder programs;
    g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    symbol_binding_init (&binding, binder, pc, inline_depth);
    g_variant_builder_init (&programs, G_VARIANT_TYPE ("a" EVALUATE_PROGRAM_TYPE));
    if (which != EVALUATE_VARIABLES_GLOBALS)
        add_locals (&binding, inline_depth, which, seen, &programs);
    else if (binding.unit
             && symbol_die_read (binder->dwarf, binding.unit, binding.unit->first_die, &root))
        add_globals (binder, pc, &root, 0, seen, &programs);
    symbol_binding_clear (&binding);
    return g_variant_builder_end (&programs);
}

/* Among the children of the entry. */
static gboolean
find_namelist (const SymbolDwarf *dwarf, const SymbolDie *parent, const char *wanted,
               SymbolDie *ret_list)
{
    if (!symbol_die_first_child (dwarf, parent, ret_list))
        return FALSE;
    do {
        const char *name = ret_list->tag == DW_TAG_namelist
                               ? symbol_die_get_name (dwarf, ret_list)
                               : NULL;
        if (name && g_ascii_strcasecmp (name, wanted) == 0)
            return TRUE;
    } while (symbol_die_next (dwarf, ret_list, ret_list));
    return FALSE;
}

/* In the modules of the unit, or beside them, where gfortran puts theirs. */
static gboolean
find_modules_namelist (const SymbolDwarf *dwarf, const SymbolUnit *unit, const char *wanted,
                       SymbolDie *ret_list)
{
    SymbolDie root, module;
    if (!unit || !symbol_die_read (dwarf, unit, unit->first_die, &root))
        return FALSE;
    if (find_namelist (dwarf, &root, wanted, ret_list))
        return TRUE;
    if (!symbol_die_first_child (dwarf, &root, &module))
        return FALSE;
    do {
        if (module.tag == DW_TAG_module && find_namelist (dwarf, &module, wanted, ret_list))
            return TRUE;
    } while (symbol_die_next (dwarf, &module, &module));
    return FALSE;
}

/* NULL: nothing that has a name. */
static const char *
get_item_name (const SymbolDwarf *dwarf, const SymbolDie *item)
{
    SymbolValue value;
    SymbolDie variable;
    return item->tag == DW_TAG_namelist_item
                   && symbol_die_get (dwarf, item, DW_AT_namelist_item, &value)
                   && symbol_die_find (dwarf, value.number, &variable)
               ? symbol_die_get_name (dwarf, &variable)
               : NULL;
}

/* One of the scopes inside that of the list has a variable of that name, which an expression means there. */
static gboolean
is_hidden (const SymbolBinding *binding, guint inside, const char *wanted)
{
    const SymbolDwarf *dwarf = binding->dwarf;
    SymbolDie die;
    for (guint i = inside; i < binding->end; i++) {
        if (!symbol_die_first_child (dwarf, &g_array_index (binding->path, SymbolDie, i), &die))
            continue;
        do {
            const char *name = die.tag == DW_TAG_variable || die.tag == DW_TAG_formal_parameter
                                   ? symbol_die_get_name (dwarf, &die)
                                   : NULL;
            if (name && g_ascii_strcasecmp (name, wanted) == 0)
                return TRUE;
        } while (symbol_die_next (dwarf, &die, &die));
    }
    return FALSE;
}

GVariant *
symbol_bind_namelist (SymbolBinder *binder, guint64 pc, guint inline_depth, const char *name)
{
    const SymbolDwarf *dwarf = binder->dwarf;
    SymbolBinding binding;
    GVariantBuilder names;
    SymbolDie list, item;
    gboolean found = FALSE;
    guint inside = 0; /* the first scope inside that of the list */
    symbol_binding_init (&binding, binder, pc, inline_depth);
    g_variant_builder_init (&names, G_VARIANT_TYPE ("as"));
    for (guint i = binding.end; !found && i-- > 0; inside = found ? i + 1 : 0)
        found = find_namelist (dwarf, &g_array_index (binding.path, SymbolDie, i), name, &list);
    if ((found || find_modules_namelist (dwarf, binding.unit, name, &list))
        && symbol_die_first_child (dwarf, &list, &item))
        do {
            const char *member = get_item_name (dwarf, &item);
            g_autofree char *hidden = member && is_hidden (&binding, inside, member)
                                          ? g_strconcat ("?", member, NULL)
                                          : NULL;
            if (member)
                g_variant_builder_add (&names, "s", hidden ? hidden : member);
        } while (symbol_die_next (dwarf, &item, &item));
    symbol_binding_clear (&binding);
    return g_variant_builder_end (&names);
}
