/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objects as Python's repr would show them, with limits and without running code: what a user's
 * __repr__ does is not known here, so instances show their type, address and attributes. */
#include "python/value-private.h"
#include <math.h>
#include <string.h>

#define FLAG_LONG (1u << 24)
#define FLAG_LIST (1u << 25)
#define FLAG_TUPLE (1u << 26)
#define FLAG_BYTES (1u << 27)
#define FLAG_UNICODE (1u << 28)
#define FLAG_DICT (1u << 29)
#define FLAG_EXCEPTION (1u << 30)
#define FLAG_TYPE (1u << 31)
#define MAX_DIGITS 400u
#define MAX_ITEMS (1u << 26)

static void append_object (PythonPrinter *printer, GString *text, guint64 object, guint depth);

static gboolean
is_named (const PythonType *type, const char *name)
{
    return strcmp (type->full_name, name) == 0;
}

void
python_append_repr (GString *text, const char *string, gboolean is_bytes, gsize size)
{
    char quote = memchr (string, '\'', size) != NULL && memchr (string, '"', size) == NULL ? '"'
                                                                                         : '\'';

    g_string_append_printf (text, "%s%c", is_bytes ? "b" : "", quote);
    for (gsize i = 0; i < size; i++) {
        guint8 byte = (guint8) string[i];

        if (byte == (guint8) quote || byte == '\\') {
            g_string_append_printf (text, "\\%c", byte);
        } else if (byte == '\n' || byte == '\t' || byte == '\r') {
            g_string_append (text, byte == '\n' ? "\\n" : byte == '\t' ? "\\t" : "\\r");
        } else if (byte < 32 || byte == 127 || (is_bytes && byte > 127)) {
            g_string_append_printf (text, "\\x%02x", byte);
        } else {
            g_string_append_c (text, (char) byte);
        }
    }
    g_string_append_c (text, quote);
}

static void
append_str (PythonPrinter *printer, GString *text, guint64 object)
{
    gboolean is_cut = FALSE;
    g_autofree char *string = python_read_str (printer->runtime, object, printer->limits.bytes,
                                               &is_cut);

    if (string == NULL) {
        g_string_append (text, "<unreadable str>");
        return;
    }
    python_append_repr (text, string, FALSE, strlen (string));
    g_string_append (text, is_cut ? "..." : "");
}

static void
append_bytes (PythonPrinter *printer, GString *text, guint64 object)
{
    const PythonLayout *layout = printer->runtime->layout;
    guint64 size = 0;
    gsize shown;
    g_autofree char *data = NULL;

    python_read_u64 (printer->runtime, object + layout->var_size, &size);
    shown = MIN (size, printer->limits.bytes);
    data = g_malloc (shown + 1);
    if (shown > 0 && !python_read (printer->runtime, object + layout->bytes_data, data, shown)) {
        g_string_append (text, "<unreadable bytes>");
        return;
    }
    python_append_repr (text, data, TRUE, shown);
    g_string_append (text, shown < size ? "..." : "");
}

/* Digits of 30 bits, lowest first, to decimal: repeated division by 10**9. */
static void
append_digits (GString *text, guint32 *digits, gsize count)
{
    g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (guint32));

    while (count > 0) {
        guint64 rest = 0;
        guint32 part;

        for (gsize i = count; i > 0; i--) {
            rest = rest << 30 | digits[i - 1];
            digits[i - 1] = (guint32) (rest / 1000000000);
            rest %= 1000000000;
        }
        while (count > 0 && digits[count - 1] == 0) {
            count--;
        }
        part = (guint32) rest;
        g_array_append_val (parts, part);
    }
    for (guint i = parts->len; i > 0; i--) {
        g_string_append_printf (text, i == parts->len ? "%u" : "%09u",
                                g_array_index (parts, guint32, i - 1));
    }
}

static double
append_int (PythonPrinter *printer, GString *text, guint64 object)
{
    const PythonLayout *layout = printer->runtime->layout;
    guint32 digits[MAX_DIGITS];
    guint64 tag = 0;
    guint64 count;
    gboolean negative;
    double number = 0;

    python_read_u64 (printer->runtime, object + layout->long_tag, &tag);
    negative = layout->minor >= 12 ? (tag & 3) == 2 : (gint64) tag < 0;
    count = layout->minor >= 12 ? tag >> 3 : negative ? 0 - tag : tag;
    if (layout->minor >= 12 && (tag & 3) == 1) {
        count = 0;
    }
    if (count == 0) {
        g_string_append_c (text, '0');
        return 0;
    }
    if (count > MAX_DIGITS) {
        g_string_append_printf (text, "<int of %" G_GUINT64_FORMAT " bits>", count * 30);
        return NAN;
    }
    if (!python_read (printer->runtime, object + layout->long_digits, digits, count * 4)) {
        g_string_append (text, "<unreadable int>");
        return NAN;
    }
    for (guint64 i = count; i > 0; i--) {
        number = number * 1073741824.0 + digits[i - 1];
    }
    g_string_append (text, negative ? "-" : "");
    append_digits (text, digits, count);
    return negative ? -number : number;
}

/* As repr does: the shortest text that reads back as the same number. */
static void
append_double (GString *text, double number)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];

    if (isnan (number) || isinf (number)) {
        g_string_append (text, isnan (number) ? "nan" : number < 0 ? "-inf" : "inf");
        return;
    }
    for (guint precision = 1; precision <= 17; precision++) {
        char format[8];

        g_snprintf (format, sizeof format, "%%.%ug", precision);
        g_ascii_formatd (buffer, sizeof buffer, format, number);
        if (g_ascii_strtod (buffer, NULL) == number) {
            break;
        }
    }
    if (strchr (buffer, 'e') != NULL && fabs (number) < 1e16 && fabs (number) >= 1) {
        g_ascii_formatd (buffer, sizeof buffer, "%.0f", number);
    }
    g_string_append (text, buffer);
    if (strpbrk (buffer, ".e") == NULL) {
        g_string_append (text, ".0");
    }
}

/* The items of a sequence: address of the first pointer, and how many. */
static gboolean
find_items (PythonRuntime *runtime, const PythonType *type, guint64 object, guint64 *ret_first,
            guint64 *ret_count)
{
    const PythonLayout *layout = runtime->layout;

    if (!python_read_u64 (runtime, object + layout->var_size, ret_count)
        || *ret_count > MAX_ITEMS) {
        return FALSE;
    }
    if ((type->flags & FLAG_TUPLE) != 0) {
        *ret_first = object + (guint64) layout->tuple_items;
        return TRUE;
    }
    return python_read_u64 (runtime, object + layout->list_items, ret_first);
}

static void
append_sequence (PythonPrinter *printer, GString *text, const PythonType *type, guint64 object,
                 guint depth)
{
    gboolean is_tuple = (type->flags & FLAG_TUPLE) != 0;
    guint64 first = 0;
    guint64 count = 0;

    if (!find_items (printer->runtime, type, object, &first, &count)) {
        g_string_append_printf (text, "<unreadable %s>", type->name);
        return;
    }
    g_string_append_c (text, is_tuple ? '(' : '[');
    for (guint64 i = 0; i < count; i++) {
        guint64 item = 0;

        g_string_append (text, i > 0 ? ", " : "");
        if (i >= printer->limits.items || depth == 0) {
            g_string_append (text, "...");
            break;
        }
        python_read_u64 (printer->runtime, first + i * 8, &item);
        append_object (printer, text, item, depth - 1);
    }
    g_string_append (text, is_tuple ? (count == 1 ? ",)" : ")") : "]");
}

typedef struct {
    PythonPrinter *printer;
    GString *text;
    guint depth;
    guint count;
    gboolean has_values;
} Items;

static gboolean
append_entry (guint64 key, guint64 value, gpointer user)
{
    Items *items = user;

    g_string_append (items->text, items->count > 0 ? ", " : "");
    if (items->count++ >= items->printer->limits.items || items->depth == 0) {
        g_string_append (items->text, "...");
        return FALSE;
    }
    append_object (items->printer, items->text, key, items->depth - 1);
    if (items->has_values) {
        g_string_append (items->text, ": ");
        append_object (items->printer, items->text, value, items->depth - 1);
    }
    return TRUE;
}

static void
append_dict (PythonPrinter *printer, GString *text, guint64 object, guint depth)
{
    Items items = { printer, text, depth, 0, TRUE };

    g_string_append_c (text, '{');
    if (!python_dict_foreach (printer->runtime, object, append_entry, &items)) {
        g_string_append (text, "<unreadable>");
    }
    g_string_append_c (text, '}');
}

static void
append_set (PythonPrinter *printer, GString *text, const PythonType *type, guint64 object,
            guint depth)
{
    Items items = { printer, text, depth, 0, FALSE };
    gboolean is_plain = is_named (type, "set");
    guint64 used = 0;

    python_read_u64 (printer->runtime, object + printer->runtime->layout->set_used, &used);
    if (used == 0) {
        g_string_append_printf (text, "%s()", type->name);
        return;
    }
    g_string_append_printf (text, is_plain ? "{" : "%s({", type->name);
    if (!python_set_foreach (printer->runtime, object, append_entry, &items)) {
        g_string_append (text, "<unreadable>");
    }
    g_string_append (text, is_plain ? "}" : "})");
}

static void
append_exception (PythonPrinter *printer, GString *text, const PythonType *type, guint64 object,
                  guint depth)
{
    guint64 args = 0;
    guint64 count = 0;
    guint64 item = 0;
    const PythonLayout *layout = printer->runtime->layout;

    python_read_u64 (printer->runtime, object + layout->exception_args, &args);
    g_string_append (text, type->name);
    python_read_u64 (printer->runtime, args + layout->var_size, &count);
    if (count == 1 && depth > 0
        && python_read_u64 (printer->runtime, args + layout->tuple_items, &item)) {
        g_string_append_c (text, '(');
        append_object (printer, text, item, depth - 1);
        g_string_append_c (text, ')');
    } else {
        append_object (printer, text, args, depth > 0 ? depth - 1 : 0);
    }
}

static void
append_named (PythonPrinter *printer, GString *text, const PythonType *type, guint64 object)
{
    const PythonLayout *layout = printer->runtime->layout;
    g_autofree char *name = NULL;
    const PythonType *self;
    guint64 name_at = 0;

    if ((type->flags & FLAG_TYPE) != 0) {
        self = python_find_type (printer->runtime, object);
        g_string_append_printf (text, "<class '%s'>", self != NULL ? self->full_name : "?");
        return;
    }
    if (is_named (type, "function")
        && python_read_u64 (printer->runtime, object + layout->function_qualname, &name_at)) {
        name = python_read_str (printer->runtime, name_at, 200, NULL);
        g_string_append_printf (text, "<function %s at 0x%" G_GINT64_MODIFIER "x>",
                                name != NULL ? name : "?", object);
        return;
    }
    if (is_named (type, "module")
        && python_read_u64 (printer->runtime, object + layout->module_dict, &name_at)
        && python_dict_find_str (printer->runtime, name_at, "__name__", &name_at)) {
        name = python_read_str (printer->runtime, name_at, 200, NULL);
        g_string_append_printf (text, "<module '%s'>", name != NULL ? name : "?");
        return;
    }
    g_string_append_printf (text, "<%s at 0x%" G_GINT64_MODIFIER "x>", type->name, object);
}

static gboolean
append_number (PythonPrinter *printer, GString *text, const PythonType *type, guint64 object,
               double *ret_number)
{
    const PythonLayout *layout = printer->runtime->layout;
    g_autofree char *scalar = NULL;
    double parts[2] = { 0, 0 };

    if ((type->flags & FLAG_LONG) != 0) {
        gint64 value = 0;

        if (is_named (type, "bool") && python_read_int (printer->runtime, object, &value)) {
            g_string_append (text, value != 0 ? "True" : "False");
            *ret_number = (double) value;
        } else {
            *ret_number = append_int (printer, text, object);
        }
        return TRUE;
    }
    if (is_named (type, "float")) {
        python_read (printer->runtime, object + layout->float_value, ret_number, 8);
        append_double (text, *ret_number);
        return TRUE;
    }
    scalar = python_scalar_format (printer->runtime, type, object, ret_number);
    if (scalar != NULL) {
        g_string_append (text, scalar);
        return TRUE;
    }
    if (is_named (type, "complex")) {
        python_read (printer->runtime, object + layout->complex_value, parts, sizeof parts);
        g_string_append_printf (text, "(%.6g%+.6gj)", parts[0], parts[1]);
        *ret_number = NAN;
        return TRUE;
    }
    return FALSE;
}

static void
append_object (PythonPrinter *printer, GString *text, guint64 object, guint depth)
{
    const PythonType *type = python_find_object_type (printer->runtime, object);
    double number;

    if (type == NULL) {
        g_string_append_printf (text, "<unreadable object at 0x%" G_GINT64_MODIFIER "x>", object);
    } else if ((type->flags & FLAG_UNICODE) != 0) {
        append_str (printer, text, object);
    } else if ((type->flags & FLAG_BYTES) != 0) {
        append_bytes (printer, text, object);
    } else if ((type->flags & (FLAG_LIST | FLAG_TUPLE)) != 0) {
        append_sequence (printer, text, type, object, depth);
    } else if ((type->flags & FLAG_DICT) != 0) {
        append_dict (printer, text, object, depth);
    } else if (is_named (type, "set") || is_named (type, "frozenset")) {
        append_set (printer, text, type, object, depth);
    } else if (is_named (type, "NoneType")) {
        g_string_append (text, "None");
    } else if (is_named (type, "ellipsis")) {
        g_string_append (text, "Ellipsis");
    } else if ((type->flags & FLAG_EXCEPTION) != 0) {
        append_exception (printer, text, type, object, depth);
    } else if (is_named (type, "numpy.ndarray")) {
        PythonArray array;
        g_autoptr (JobValue) value = NULL;

        if (python_array_read (printer->runtime, object, &array)) {
            PythonPrinter flat = *printer;

            flat.limits.depth = 0;
            value = python_array_print (&flat, NULL, &array);
        }
        g_string_append (text, value != NULL ? value->text : "<unreadable ndarray>");
    } else if (!append_number (printer, text, type, object, &number)) {
        append_named (printer, text, type, object);
    }
}

typedef struct {
    PythonPrinter *printer;
    JobValue *value;
    guint count;
    gboolean are_attributes;
} Parts;

static gboolean
add_part (PythonPrinter *printer, JobValue *value, const char *name, guint64 object)
{
    if (printer->nodes == 0) {
        return FALSE;
    }
    printer->nodes--;
    g_ptr_array_add (value->children, python_print (printer, name, object));
    return TRUE;
}

static gboolean
add_entry (guint64 key, guint64 object, gpointer user)
{
    Parts *parts = user;
    g_autofree char *attribute = NULL;
    g_autoptr (GString) name = g_string_new ("[");

    /* Attributes are told by name and few, items by the limit. */
    if (!parts->are_attributes && parts->count++ >= parts->printer->limits.items) {
        return FALSE;
    }
    if (parts->are_attributes) {
        attribute = python_read_str (parts->printer->runtime, key, 200, NULL);
        return add_part (parts->printer, parts->value, attribute != NULL ? attribute : "?",
                         object);
    }
    append_object (parts->printer, name, key, 1);
    g_string_append_c (name, ']');
    return add_part (parts->printer, parts->value, name->str, object);
}

static void
add_items (PythonPrinter *printer, JobValue *value, const PythonType *type, guint64 object)
{
    guint64 first = 0;
    guint64 count = 0;

    if (!find_items (printer->runtime, type, object, &first, &count)) {
        return;
    }
    for (guint64 i = 0; i < MIN (count, printer->limits.items); i++) {
        g_autofree char *name = g_strdup_printf ("[%" G_GUINT64_FORMAT "]", i);
        guint64 item = 0;

        python_read_u64 (printer->runtime, first + i * 8, &item);
        if (!add_part (printer, value, name, item)) {
            return;
        }
    }
}

static gboolean
note_one (guint64 key, guint64 object, gpointer user)
{
    *(gboolean *) user = TRUE;
    return FALSE;
}

static gboolean
has_parts (PythonRuntime *runtime, const PythonType *type, guint64 object)
{
    guint64 count = 0;
    gboolean has_one = FALSE;

    if ((type->flags & (FLAG_LIST | FLAG_TUPLE)) != 0) {
        return python_read_u64 (runtime, object + runtime->layout->var_size, &count) && count > 0;
    }
    if ((type->flags & FLAG_DICT) != 0) {
        return python_dict_get_size (runtime, object) > 0;
    }
    if ((type->flags & (FLAG_LONG | FLAG_BYTES | FLAG_UNICODE | FLAG_TYPE)) != 0
        || is_named (type, "module") || is_named (type, "function")) {
        return FALSE;
    }
    python_attributes_foreach (runtime, object, note_one, &has_one);
    return has_one;
}

static void
add_parts (PythonPrinter *printer, JobValue *value, const PythonType *type, guint64 object)
{
    Parts parts = { printer, value, 0, FALSE };

    value->expandable = has_parts (printer->runtime, type, object);
    if (!value->expandable || printer->limits.depth == 0) {
        return;
    }
    value->children = g_ptr_array_new_with_free_func ((GDestroyNotify) job_value_free);
    printer->limits.depth--;
    if ((type->flags & (FLAG_LIST | FLAG_TUPLE)) != 0) {
        add_items (printer, value, type, object);
    } else if ((type->flags & FLAG_DICT) != 0) {
        python_dict_foreach (printer->runtime, object, add_entry, &parts);
    } else {
        parts.are_attributes = TRUE;
        python_attributes_foreach (printer->runtime, object, add_entry, &parts);
    }
    printer->limits.depth++;
}

JobValue *
python_print (PythonPrinter *printer, const char *name, guint64 object)
{
    const PythonType *type = python_find_object_type (printer->runtime, object);
    g_autoptr (GString) text = g_string_new (NULL);
    double number = NAN;
    PythonArray array;
    JobValue *value;

    if (type == NULL) {
        append_object (printer, text, object, 0);
        value = job_value_new (name, NULL, text->str);
        value->is_problem = TRUE;
        return value;
    }
    if (is_named (type, "numpy.ndarray")
        && python_array_read (printer->runtime, object, &array)) {
        return python_array_print (printer, name, &array);
    }
    if (append_number (printer, text, type, object, &number)) {
        /* Only complex and huge integers are no numbers here; a float may be nan. */
        gboolean is_number = !isnan (number) || is_named (type, "float")
                             || g_str_has_prefix (type->full_name, "numpy.float");

        return is_number ? job_value_new_number (name, type->name, text->str, number)
                         : job_value_new (name, type->name, text->str);
    }
    append_object (printer, text, object, 2);
    value = job_value_new (name, type->name, text->str);
    add_parts (printer, value, type, object);
    return value;
}

JobValue *
python_value_read (PythonRuntime *runtime, const char *name, guint64 object,
                   const PythonLimits *limits)
{
    PythonPrinter printer = { runtime, *limits, limits->nodes };

    return python_print (&printer, name, object);
}
