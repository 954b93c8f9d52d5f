/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/typed.h"

#include <string.h>

#include "base/error.h"
#include "symbol/bind-private.h"

#define MAX_TYPES 120 /* in one answer */
#define MAX_PARTS 4000

typedef struct {
    SymbolBinding *binding;
    GString *text;
    GArray *wanted; /* of guint64: entries, in the order in which they were met */
    GHashTable *known;
} Writer;

static void
want (Writer *writer, guint64 offset)
{
    if (offset && writer->wanted->len < MAX_TYPES
        && g_hash_table_add (writer->known, GSIZE_TO_POINTER (offset)))
        g_array_append_val (writer->wanted, offset);
}

/* Names hold no tabs, but a file may be crafted. */
static void
put_name (Writer *writer, const char *name)
{
    g_autofree char *valid = g_utf8_make_valid (name ? name : "", -1);
    g_strdelimit (valid, "\t\n", ' ');
    g_string_append_printf (writer->text, "\t%s\n", valid);
}

static guint64
get_origin (const Writer *writer, guint32 type)
{
    return type ? symbol_type_get (writer->binding, type)->origin : 0;
}

static void
put_members (Writer *writer, const SymbolType *type)
{
    for (guint i = 0; type->members && i < type->members->len && i < MAX_PARTS; i++) {
        const SymbolMember *member = &g_array_index (type->members, SymbolMember, i);
        guint64 of = get_origin (writer, member->type);
        gboolean is_base = member->name[0] == '<', is_placed = FALSE;
        guint flags = is_base;
        switch (member->bit_offset) {
        case EVALUATE_MEMBER_STATIC: flags |= 2; break;
        case EVALUATE_MEMBER_CONSTANT: flags |= 4; break;
        case EVALUATE_MEMBER_VIRTUAL: flags |= 8; break;
        default: is_placed = TRUE; break;
        }
        g_autofree char *name = is_base
                                    ? g_strndup (member->name + 1, strlen (member->name) - 2)
                                    : g_strdup (member->name);
        g_string_append_printf (writer->text,
                                "F\t%" G_GUINT64_FORMAT "\t%" G_GUINT64_FORMAT "\t%u\t%u", of,
                                is_placed ? member->offset * 8 + member->bit_offset
                                          : member->offset,
                                member->bit_size, flags);
        put_name (writer, name);
        want (writer, of);
    }
}

/* letter: G, or K of a pack. */
static void
put_argument (Writer *writer, const SymbolDie *die, char letter)
{
    guint64 of = symbol_type_find_target (writer->binding->dwarf, die);
    if (die->tag == DW_TAG_template_type_parameter)
        g_string_append_printf (writer->text, "%c\tT\t%" G_GUINT64_FORMAT "\n", letter, of);
    else
        g_string_append_printf (writer->text,
                                "%c\tV\t%" G_GUINT64_FORMAT "\t%" G_GINT64_FORMAT "\n", letter,
                                of,
                                (gint64) symbol_die_get_number (writer->binding->dwarf, die,
                                                                DW_AT_const_value, 0));
    want (writer, of);
}

static void
put_enumerator (Writer *writer, const SymbolDie *die)
{
    g_autofree char *name = symbol_imports_get_language (writer->binding, die->unit)
                                    == JOB_LANGUAGE_CXX
                                ? symbol_names_dup_qualified (writer->binding->binder, die)
                                : NULL;
    g_string_append_printf (writer->text, "E\t%" G_GINT64_FORMAT,
                            (gint64) symbol_die_get_number (writer->binding->dwarf, die,
                                                            DW_AT_const_value, 0));
    put_name (writer, name ? name : symbol_die_get_name (writer->binding->dwarf, die));
}

static void
put_dimension (Writer *writer, const SymbolDie *die)
{
    gint64 low = symbol_array_find_lower (writer->binding, die);
    guint64 count = symbol_array_find_count (writer->binding, die);
    gint64 high = count == G_MAXUINT64 || count > G_MAXINT32 ? low - 1
                                                             : low + (gint64) count - 1;
    g_string_append_printf (writer->text, "R\t%" G_GINT64_FORMAT "\t%" G_GINT64_FORMAT "\n",
                            low, high);
}

static void
put_pack (Writer *writer, const SymbolDie *die)
{
    SymbolDie child;
    guint n = 0;
    if (!symbol_die_first_child (writer->binding->dwarf, die, &child))
        return;
    do {
        if (child.tag == DW_TAG_template_type_parameter
            || child.tag == DW_TAG_template_value_parameter)
            put_argument (writer, &child, 'K');
    } while (++n < MAX_PARTS && symbol_die_next (writer->binding->dwarf, &child, &child));
}

static void
put_parts (Writer *writer, const SymbolDie *die)
{
    SymbolDie child;
    guint n = 0;
    if (!symbol_die_first_child (writer->binding->dwarf, die, &child))
        return;
    do {
        switch (child.tag) {
        case DW_TAG_template_type_parameter:
        case DW_TAG_template_value_parameter: put_argument (writer, &child, 'G'); break;
        case DW_TAG_GNU_template_parameter_pack: put_pack (writer, &child); break;
        case DW_TAG_enumerator: put_enumerator (writer, &child); break;
        case DW_TAG_subrange_type: put_dimension (writer, &child); break;
        case DW_TAG_formal_parameter:
            g_string_append_printf (writer->text, "P\t%" G_GUINT64_FORMAT "\n",
                                    symbol_type_find_target (writer->binding->dwarf, &child));
            want (writer, symbol_type_find_target (writer->binding->dwarf, &child));
            break;
        default: break;
        }
    } while (++n < MAX_PARTS && symbol_die_next (writer->binding->dwarf, &child, &child));
}

static void
put_type (Writer *writer, guint64 offset)
{
    SymbolDie die;
    guint32 number = symbol_type_build (writer->binding, offset);
    const SymbolType *type = symbol_type_get (writer->binding, number);
    guint64 place = type->die && type->kind == EVALUATE_TYPE_STRUCT
                        ? type->die
                        : offset; /* of its definition */
    if (!symbol_die_find (writer->binding->dwarf, place, &die))
        return;
    guint64 target = symbol_type_find_target (writer->binding->dwarf, &die);
    guint flags = (type->flags & EVALUATE_TYPE_INCOMPLETE ? 1u : 0) | (type->view ? 2u : 0)
                  | (type->flags & EVALUATE_TYPE_DYNAMIC ? 4u : 0)
                  | (symbol_imports_get_language (writer->binding, die.unit) == JOB_LANGUAGE_CXX
                         ? 8u
                         : 0);
    g_autofree char *name = symbol_die_get_name (writer->binding->dwarf, &die)
                                ? symbol_names_dup_qualified (writer->binding->binder, &die)
                                : NULL;
    guint64 size = symbol_die_get_number (writer->binding->dwarf, &die, DW_AT_byte_size,
                                          type->size);
    g_string_append_printf (writer->text,
                            "T\t%" G_GUINT64_FORMAT "\t%u\t%" G_GUINT64_FORMAT
                            "\t%u\t%" G_GUINT64_FORMAT "\t%u",
                            offset, die.tag, size,
                            (guint) symbol_die_get_number (writer->binding->dwarf, &die,
                                                           DW_AT_encoding, 0),
                            target, flags);
    put_name (writer, name);
    want (writer, target);
    if (die.tag == DW_TAG_structure_type || die.tag == DW_TAG_class_type
        || die.tag == DW_TAG_union_type)
        put_members (writer, type);
    put_parts (writer, &die);
}

/* What stands for a type that was made for an expression. */
static void
put_spec (Writer *writer, guint32 number, guint depth)
{
    static const char *const kinds[] = { [EVALUATE_TYPE_BOOL] = "bool",
                                         [EVALUATE_TYPE_CHAR] = "char",
                                         [EVALUATE_TYPE_SIGNED] = "signed",
                                         [EVALUATE_TYPE_UNSIGNED] = "unsigned",
                                         [EVALUATE_TYPE_FLOAT] = "float" };
    const SymbolType *type = symbol_type_get (writer->binding, number);
    if (!number || depth > 20) {
        g_string_append (writer->text, "\td\t0");
    } else if (type->origin) {
        g_string_append_printf (writer->text, "\td\t%" G_GUINT64_FORMAT, type->origin);
        want (writer, type->origin);
    } else if (type->kind == EVALUATE_TYPE_POINTER || type->kind == EVALUATE_TYPE_REFERENCE) {
        g_string_append (writer->text, type->kind == EVALUATE_TYPE_POINTER ? "\tp" : "\tr");
        put_spec (writer, symbol_type_get_target (writer->binding, number), depth + 1);
    } else if (type->kind == EVALUATE_TYPE_TYPEDEF) {
        g_string_append (writer->text, "\tc");
        put_spec (writer, type->target, depth + 1);
    } else if (type->kind == EVALUATE_TYPE_ARRAY) {
        g_string_append_printf (writer->text, "\ta\t%" G_GUINT64_FORMAT, type->count);
        put_spec (writer, type->target, depth + 1);
    } else {
        const char *kind = type->kind < G_N_ELEMENTS (kinds) ? kinds[type->kind] : NULL;
        g_string_append_printf (writer->text, "\tb\t%s\t%" G_GUINT64_FORMAT "\t%s",
                                kind ? kind : "unknown", type->size, type->name);
    }
}

/* FALSE: there is none. */
static gboolean
find_type (SymbolBinding *binding, const char *what, const char *text, guint32 *ret_type,
           GError **error)
{
    SymbolNode node;
    if (strcmp (what, "of") != 0) {
        if (symbol_expression_parse_type (binding, text, ret_type))
            return TRUE;
        base_error_set (error, BASE_ERROR_NOT_FOUND, "no type \"%s\"", text);
        return FALSE;
    }
    if (!symbol_expression_parse (binding, text, &node, error))
        return FALSE;
    *ret_type = node.type;
    g_byte_array_unref (node.code);
    return TRUE;
}

char *
symbol_typed_answer (SymbolBinder *binder, guint64 pc, guint inline_depth, const char *what,
                     const char *text, GError **error)
{
    SymbolBinding binding;
    guint32 type = 0;
    symbol_binding_init (&binding, binder, pc, inline_depth);
    Writer writer = { &binding, g_string_new (NULL),
                      g_array_new (FALSE, FALSE, sizeof (guint64)),
                      g_hash_table_new (NULL, NULL) };
    gboolean good = TRUE;
    if (strcmp (what, "at") == 0) {
        want (&writer, g_ascii_strtoull (text, NULL, 10));
    } else {
        good = find_type (&binding, what, text, &type, error);
        if (good) {
            g_string_append (writer.text, "I");
            put_spec (&writer, type, 0);
            g_string_append_c (writer.text, '\n');
        }
    }
    for (guint i = 0; good && i < writer.wanted->len; i++)
        put_type (&writer, g_array_index (writer.wanted, guint64, i));
    g_array_unref (writer.wanted);
    g_hash_table_unref (writer.known);
    symbol_binding_clear (&binding);
    return g_string_free (writer.text, !good);
}
