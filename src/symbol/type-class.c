/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows the bodies of structures, classes and enumerations as gdb's ptype writes them: bases, access,
 * members, methods, typedefs; what template arguments and typedefs of the class are called in it. */
#include <string.h>

#include "base/escape.h"
#include "symbol/type-private.h"

enum { PUBLIC = 1, PROTECTED, PRIVATE }; /* DW_ACCESS_… */

#define MAX_NAMES 200 /* that bases may give to types */

typedef struct {
    SymbolTypeWriter writer; /* of the parts */
    const SymbolDie *class;
    GString *text;
    guint section;        /* the access that was written last; 0 none */
    gboolean is_labelled; /* the members' access is written too */
    guint64 end;          /* bits up to the end of the last member */
} Body;

static const SymbolDwarf *
get_dwarf (const Body *body)
{
    return body->writer.binding->dwarf;
}

static guint
get_column (const Body *body)
{
    return symbol_type_get_column (&body->writer, body->writer.indent);
}

static guint
find_access (const Body *body, const SymbolDie *die)
{
    guint usual = body->class->tag == DW_TAG_class_type ? PRIVATE : PUBLIC;
    /* the compiler's own: pointers to vtables */
    if (die->tag == DW_TAG_member
        && symbol_die_get_number (get_dwarf (body), die, DW_AT_artificial, 0))
        return PRIVATE;
    return (guint) symbol_die_get_number (get_dwarf (body), die, DW_AT_accessibility, usual);
}

static gboolean
is_static_member (const Body *body, const SymbolDie *die)
{
    return die->tag == DW_TAG_variable
           || (die->tag == DW_TAG_member
               && (symbol_die_get_number (get_dwarf (body), die, DW_AT_external, 0)
                   || symbol_die_get_number (get_dwarf (body), die, DW_AT_declaration, 0)));
}

static gboolean
is_member (const SymbolDie *die)
{
    return die->tag == DW_TAG_member || die->tag == DW_TAG_variable;
}

static gboolean
is_own (const Body *body, const SymbolDie *die)
{
    return !symbol_die_get_number (get_dwarf (body), die, DW_AT_artificial, 0);
}

/* Access is written where it is not what the keyword says. */
static gboolean
needs_labels (const Body *body)
{
    SymbolDie die;
    gboolean is_class = body->class->tag == DW_TAG_class_type;
    if (!symbol_die_first_child (get_dwarf (body), body->class, &die))
        return FALSE;
    do {
        if (!is_member (&die) && die.tag != DW_TAG_subprogram && die.tag != DW_TAG_typedef)
            continue;
        guint access = find_access (body, &die);
        if (is_class ? access != PRIVATE : access != PUBLIC)
            return TRUE;
    } while (symbol_die_next (get_dwarf (body), &die, &die));
    return FALSE;
}

static void
put_access (Body *body, guint access)
{
    static const char *const words[] = { "", "public", "protected", "private" };
    if (body->section == access || access < PUBLIC || access > PRIVATE)
        return;
    body->section = access;
    g_string_append_printf (body->text, "%*s%s:\n", (int) get_column (body) - 2, "",
                            words[access]);
}

/* writer, which writes the member, goes on into what lies in the class itself. */
static void
put_place (Body *body, const SymbolDie *die, SymbolTypeWriter *writer)
{
    SymbolTypePlace place = symbol_type_find_place (writer, die);
    g_autoptr (GString) qualifiers = g_string_new (NULL);
    SymbolDie type;
    symbol_type_put_place (writer, &place, body->class->tag == DW_TAG_union_type, &body->end,
                           body->text);
    guint64 offset
        = symbol_type_read_qualifiers (writer, symbol_type_find_target (get_dwarf (body), die),
                                       qualifiers);
    gboolean is_class = offset && symbol_die_find (get_dwarf (body), offset, &type)
                        && (type.tag == DW_TAG_structure_type || type.tag == DW_TAG_class_type
                            || type.tag == DW_TAG_union_type);
    writer->base = is_class ? writer->base + place.bit : 0;
    writer->show += is_class;
}

static void
put_member (Body *body, const SymbolDie *die)
{
    g_autofree char *name = symbol_type_dup_name (get_dwarf (body), die);
    guint64 bits = symbol_die_get_number (get_dwarf (body), die, DW_AT_bit_size, 0);
    if ((name && g_str_has_prefix (name, "_vptr") && (name[5] == '.' || name[5] == '$'))
        || (is_static_member (body, die) && !is_own (body, die)))
        return;
    if (body->is_labelled)
        put_access (body, find_access (body, die));
    SymbolTypeWriter writer = body->writer;
    if (is_static_member (body, die))
        writer.value = NULL;
    else
        symbol_type_enter_member (&writer, body->class, die);
    gboolean is_placed = (writer.flags & SYMBOL_TYPE_OFFSETS) && !is_static_member (body, die);
    if (is_placed)
        put_place (body, die, &writer);
    g_autofree char *line = symbol_type_write (&writer,
                                               symbol_type_find_target (get_dwarf (body), die),
                                               name ? name : "");
    g_string_append_printf (body->text, "%*s%s%s",
                            (int) (is_placed ? writer.indent : get_column (body)), "",
                            is_static_member (body, die) ? "static " : "", line);
    if (bits)
        g_string_append_printf (body->text, " : %" G_GUINT64_FORMAT, bits);
    g_string_append (body->text, ";\n");
}

/* The class's own name, or one that converts: they have no type in front of them. */
static gboolean
has_no_result (const Body *body, const char *name)
{
    const char *class = symbol_die_get_name (get_dwarf (body), body->class);
    gsize length = class ? strcspn (class, "<") : 0;
    gboolean is_conversion = g_str_has_prefix (name, "operator ")
                             && strcmp (name, "operator new")
                             && strcmp (name, "operator delete")
                             && strcmp (name, "operator new []")
                             && strcmp (name, "operator delete []");
    return name[0] == '~' || is_conversion
           || (length && strncmp (name, class, length) == 0
               && (!name[length] || name[length] == '<'));
}

/* FALSE: the method has none. The arguments of a template may stand in front of its first parameter. */
static gboolean
find_object (const Body *body, const SymbolDie *method, SymbolDie *ret_parameter)
{
    gboolean found = symbol_die_first_child (get_dwarf (body), method, ret_parameter);
    while (found && ret_parameter->tag != DW_TAG_formal_parameter)
        found = symbol_die_next (get_dwarf (body), ret_parameter, ret_parameter);
    return found
           && symbol_die_get_number (get_dwarf (body), ret_parameter, DW_AT_artificial, 0);
}

/* What the object is inside a method: "const ". */
static void
put_object_qualifiers (Body *body, const SymbolDie *method)
{
    SymbolDie parameter, pointer;
    if (!find_object (body, method, &parameter))
        return;
    guint64 offset = symbol_type_find_target (get_dwarf (body), &parameter);
    g_autoptr (GString) words = g_string_new (NULL);
    SymbolTypeWriter whole = body->writer;
    whole.show = 1;
    offset = symbol_type_read_qualifiers (&whole, offset, words);
    g_string_truncate (words, 0);
    if (!offset || !symbol_die_find (get_dwarf (body), offset, &pointer)
        || pointer.tag != DW_TAG_pointer_type)
        return;
    symbol_type_read_qualifiers (&body->writer,
                                 symbol_type_find_target (get_dwarf (body), &pointer), words);
    g_strchomp (words->str);
    if (words->str[0])
        g_string_append_printf (body->text, " %s", words->str);
}

static void
put_method (Body *body, const SymbolDie *method, const char *name)
{
    SymbolTypeWriter names = body->writer;
    SymbolDie object;
    gboolean is_static = !find_object (body, method, &object);
    const char *word = symbol_die_get_number (get_dwarf (body), method, DW_AT_virtuality, 0)
                           ? "virtual "
                       : is_static ? "static "
                                   : "";
    names.show = -1;
    put_access (body, find_access (body, method));
    g_string_append_printf (body->text, "%*s%s", (int) get_column (body), "", word);
    if (!has_no_result (body, name)) {
        g_autofree char *result
            = symbol_type_write (&names, symbol_type_find_target (get_dwarf (body), method),
                                 "");
        g_string_append_printf (body->text, "%s ", result);
    }
    names.show = 0;
    g_autofree char *parameters = symbol_type_write_parameters (&names, method, TRUE);
    g_autofree char *shown = symbol_type_dup_name (get_dwarf (body), method);
    g_string_append_printf (body->text, "%s%s", shown, parameters);
    if (!is_static)
        put_object_qualifiers (body, method);
    g_string_append (body->text, ";\n");
}

/* Those of one name stand together, where the first of them does. */
static void
put_methods (Body *body)
{
    g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
    SymbolDie die, other;
    gboolean any = FALSE;
    if (!symbol_die_first_child (get_dwarf (body), body->class, &die))
        return;
    do {
        const char *name = die.tag == DW_TAG_subprogram
                               ? symbol_die_get_name (get_dwarf (body), &die)
                               : NULL;
        if (!name || !is_own (body, &die) || !g_hash_table_add (seen, (gpointer) name))
            continue;
        if (!any && body->section)
            g_string_append_c (body->text, '\n');
        any = TRUE;
        other = die;
        do {
            const char *own = other.tag == DW_TAG_subprogram
                                  ? symbol_die_get_name (get_dwarf (body), &other)
                                  : NULL;
            if (own && strcmp (own, name) == 0 && is_own (body, &other))
                put_method (body, &other, name);
        } while (symbol_die_next (get_dwarf (body), &other, &other));
    } while (symbol_die_next (get_dwarf (body), &die, &die));
}

static void
put_typedefs (Body *body, gboolean is_first)
{
    SymbolDie die;
    if (!symbol_die_first_child (get_dwarf (body), body->class, &die))
        return;
    do {
        if (die.tag != DW_TAG_typedef)
            continue;
        g_autofree char *name = symbol_type_dup_name (get_dwarf (body), &die);
        SymbolTypeWriter names = body->writer;
        GArray *before = (GArray *) body->writer.names;
        if (!is_first)
            g_string_append_c (body->text, '\n');
        is_first = TRUE;
        if (body->is_labelled)
            put_access (body, find_access (body, &die));
        /* a typedef is not written as itself */
        g_autoptr (GArray) others = g_array_copy (before);
        for (guint i = others->len; i-- > 0;)
            if (g_strcmp0 (g_array_index (others, SymbolTypeName, i).name, name) == 0)
                g_array_remove_index (others, i);
        names.names = others;
        g_autofree char *line
            = symbol_type_write (&names, symbol_type_find_target (get_dwarf (body), &die),
                                 name ? name : "");
        g_string_append_printf (body->text, "%*stypedef %s;\n", (int) get_column (body), "",
                                line);
    } while (symbol_die_next (get_dwarf (body), &die, &die));
}

/* ": public A, private virtual B " */
static void
put_bases (Body *body)
{
    SymbolDie die;
    gboolean any = FALSE;
    static const char *const words[] = { "", "public", "protected", "private" };
    if (!symbol_die_first_child (get_dwarf (body), body->class, &die))
        return;
    do {
        if (die.tag != DW_TAG_inheritance)
            continue;
        guint access = find_access (body, &die);
        SymbolTypeWriter names = body->writer;
        names.show = -1;
        g_autofree char *base
            = symbol_type_write (&names, symbol_type_find_target (get_dwarf (body), &die), "");
        g_string_append_printf (body->text, "%s%s%s %s", any ? ", " : ": ",
                                access <= PRIVATE ? words[access] : "",
                                symbol_die_get_number (get_dwarf (body), &die, DW_AT_virtuality,
                                                       0)
                                    ? " virtual"
                                    : "",
                                base);
        any = TRUE;
    } while (symbol_die_next (get_dwarf (body), &die, &die));
    if (any)
        g_string_append_c (body->text, ' ');
}

static void
clear_name (gpointer data)
{
    g_free ((char *) ((SymbolTypeName *) data)->text);
}

/* A name for the type that die's DW_AT_type is, without typedefs. */
static void
add_name (const Body *body, const SymbolDie *die, gboolean is_inherited, GArray *names)
{
    SymbolDie type;
    guint64 offset = symbol_type_find_target (get_dwarf (body), die);
    const char *name = symbol_die_get_name (get_dwarf (body), die);
    for (guint i = 0; i < 100 && symbol_die_find (get_dwarf (body), offset, &type)
                      && type.tag == DW_TAG_typedef;
         i++)
        offset = symbol_type_find_target (get_dwarf (body), &type);
    if (!offset || !name)
        return;
    SymbolTypeName entry = { offset, is_inherited, name,
                             symbol_type_describe (body->writer.binding, offset, "", 0) };
    for (guint i = 0; i < names->len; i++)
        if (g_array_index (names, SymbolTypeName, i).offset == offset) {
            clear_name (&entry);
            return;
        }
    g_array_append_val (names, entry);
}

/* "[with T = int] "; the names that hold in the body. */
static GArray *
put_arguments (Body *body)
{
    GArray *names = g_array_new (FALSE, FALSE, sizeof (SymbolTypeName));
    SymbolDie die;
    gboolean any = FALSE;
    g_array_set_clear_func (names, clear_name);
    if (!symbol_die_first_child (get_dwarf (body), body->class, &die))
        return names;
    do {
        g_autofree char *name = die.tag == DW_TAG_template_type_param
                                    ? symbol_type_dup_name (get_dwarf (body), &die)
                                    : NULL;
        if (!name)
            continue;
        g_autofree char *type
            = symbol_type_describe (body->writer.binding,
                                    symbol_type_find_target (get_dwarf (body), &die), "", 0);
        g_string_append_printf (body->text, "%s%s = %s", any ? ", " : "[with ", name, type);
        any = TRUE;
        add_name (body, &die, FALSE, names);
    } while (symbol_die_next (get_dwarf (body), &die, &die));
    if (any)
        g_string_append (body->text, "] ");
    return names;
}

/* Of the class, then of its bases. */
static void
add_typedefs (const Body *body, const SymbolDie *class, guint depth, GArray *names)
{
    SymbolDie die, base;
    if (depth > SYMBOL_TYPE_MAX_DEPTH || names->len > MAX_NAMES
        || !symbol_die_first_child (get_dwarf (body), class, &die))
        return;
    do {
        if (die.tag == DW_TAG_typedef)
            add_name (body, &die, depth > 0, names);
    } while (symbol_die_next (get_dwarf (body), &die, &die));
    symbol_die_first_child (get_dwarf (body), class, &die);
    do {
        if (die.tag == DW_TAG_inheritance
            && symbol_type_strip_die (get_dwarf (body),
                                      symbol_type_find_target (get_dwarf (body), &die), &base))
            add_typedefs (body, &base, depth + 1, names);
    } while (symbol_die_next (get_dwarf (body), &die, &die));
}

static void
put_body (Body *body, gboolean is_declared)
{
    SymbolDie die;
    guint n_members = 0, n_methods = 0, n_typedefs = 0;
    gboolean any = symbol_die_first_child (get_dwarf (body), body->class, &die);
    while (any) {
        n_members += is_member (&die) || die.tag == DW_TAG_inheritance;
        n_methods += die.tag == DW_TAG_subprogram;
        n_typedefs += die.tag == DW_TAG_typedef;
        any = symbol_die_next (get_dwarf (body), &die, &die);
    }
    if (!n_members && !n_methods && !n_typedefs) {
        g_string_append_printf (body->text, "%*s%s\n", (int) get_column (body), "",
                                is_declared ? "<incomplete type>" : "<no data fields>");
        return;
    }
    body->is_labelled = needs_labels (body);
    for (any = symbol_die_first_child (get_dwarf (body), body->class, &die); any;
         any = symbol_die_next (get_dwarf (body), &die, &die))
        if (is_member (&die))
            put_member (body, &die);
    if (!(body->writer.flags & SYMBOL_TYPE_NO_METHODS))
        put_methods (body);
    if (!(body->writer.flags & SYMBOL_TYPE_NO_TYPEDEFS))
        put_typedefs (body, !n_members && !n_methods);
}

/* The definition of what is only declared here, if there is one. */
static gboolean
accept_class (guint32 tag, guint32 wanted)
{
    return tag == wanted
           || ((tag == DW_TAG_structure_type || tag == DW_TAG_class_type)
               && (wanted == DW_TAG_structure_type || wanted == DW_TAG_class_type));
}

static gboolean
find_definition (const SymbolTypeWriter *writer, const SymbolDie *die, SymbolDie *ret_die)
{
    SymbolBinding binding = *writer->binding;
    *ret_die = *die;
    if (!symbol_die_get_number (binding.dwarf, die, DW_AT_declaration, 0))
        return TRUE;
    g_autofree char *name = symbol_names_dup_qualified (binding.binder, die);
    return name && symbol_scope_find_global (&binding, name, accept_class, die->tag, ret_die);
}

char *
symbol_type_write_class (const SymbolTypeWriter *writer, const SymbolDie *die)
{
    SymbolDie definition;
    gboolean is_declared = !find_definition (writer, die, &definition);
    gboolean is_cxx = symbol_imports_get_language (writer->binding, die->unit)
                      == JOB_LANGUAGE_CXX;
    SymbolTypeWriter names = *writer;
    Body body = { symbol_type_get_inner (writer), &definition, g_string_new (NULL), 0, FALSE };
    const char *keyword = definition.tag == DW_TAG_union_type   ? "union "
                          : definition.tag == DW_TAG_class_type ? "class "
                                                                : "struct ";
    body.writer.indent = writer->indent + 4;
    g_string_append (body.text, keyword);
    names.show = -1;
    if (symbol_die_get_name (writer->binding->dwarf, &definition)) {
        g_autofree char *name = symbol_type_write_name (&names, &definition);
        gsize skipped = is_cxx || !g_str_has_prefix (name, keyword) ? 0 : strlen (keyword);
        g_string_append_printf (body.text, "%s ", name + skipped);
    }
    g_autoptr (GArray) local = is_cxx && !(writer->flags & SYMBOL_TYPE_RAW)
                                   ? put_arguments (&body)
                                   : NULL;
    if (local)
        body.writer.names = local;
    if (is_cxx)
        put_bases (&body);
    if (local)
        add_typedefs (&body, &definition, 0, local);
    g_string_append (body.text, "{\n");
    put_body (&body, is_declared);
    if ((writer->flags & SYMBOL_TYPE_OFFSETS) && writer->show > 0)
        symbol_type_put_size (writer,
                              symbol_die_get_number (writer->binding->dwarf, &definition,
                                                     DW_AT_byte_size, 0),
                              body.end, body.writer.indent, body.text);
    guint column = symbol_type_get_column (writer, writer->indent);
    if ((writer->flags & SYMBOL_TYPE_OFFSETS) && !writer->indent)
        column += 2;
    g_string_append_printf (body.text, "%*s}", (int) column, "");
    return g_string_free (body.text, FALSE);
}

char *
symbol_type_write_enumeration (const SymbolTypeWriter *writer, const SymbolDie *die)
{
    const SymbolBinding *binding = writer->binding;
    GString *text = g_string_new ("enum ");
    gboolean is_cxx = symbol_imports_get_language (binding, die->unit) == JOB_LANGUAGE_CXX,
             any = FALSE;
    gint64 expected = 0;
    SymbolDie child;
    SymbolTypeWriter names = *writer;
    names.show = -1;
    if (symbol_die_get_number (binding->dwarf, die, DW_AT_enum_class, 0))
        g_string_append (text, "class ");
    if (symbol_die_get_name (binding->dwarf, die)) {
        g_autofree char *name = symbol_type_write_name (&names, die);
        g_string_append_printf (text, "%s ", name + (is_cxx ? 0 : strlen ("enum ")));
    }
    guint64 underlying = is_cxx ? symbol_type_find_target (binding->dwarf, die) : 0;
    if (underlying) {
        names.show = 1;
        g_autofree char *name = symbol_type_write (&names, underlying, "");
        g_string_append_printf (text, ": %s ", name);
    }
    g_string_append_c (text, '{');
    if (symbol_die_first_child (binding->dwarf, die, &child)) {
        do {
            if (child.tag != DW_TAG_enumerator)
                continue;
            g_autofree char *name
                = is_cxx
                      ? base_escape_take (symbol_names_dup_qualified (binding->binder, &child),
                                          BASE_ESCAPE_NAME)
                      : symbol_type_dup_name (binding->dwarf, &child);
            gint64 value = (gint64) symbol_die_get_number (binding->dwarf, &child,
                                                           DW_AT_const_value, 0);
            g_string_append_printf (text, "%s%s", any ? ", " : "", name ? name : "");
            if (value != expected)
                g_string_append_printf (text, " = %" G_GINT64_FORMAT, value);
            expected = value + 1;
            any = TRUE;
        } while (symbol_die_next (binding->dwarf, &child, &child));
    }
    g_string_append_c (text, '}');
    return g_string_free (text, FALSE);
}
