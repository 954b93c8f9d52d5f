/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objects as Python's repr would show them, with limits and without running code: what a user's
 * __repr__ does is not known here, so instances show their type, address and attributes. */
#include "python/value-private.h"
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define MAX_ITEMS (1u << 26)
#define MAX_SORTED (1u << 16)

static gboolean
is_named (const PythonType *type, const char *name)
{
    return strcmp (type->full_name, name) == 0;
}

gboolean
python_find_items (PythonRuntime *runtime, const PythonType *type, guint64 object,
                   guint64 *ret_first, guint64 *ret_count)
{
    const PythonLayout *layout = runtime->layout;

    if (!python_read_u64 (runtime, object + layout->var_size, ret_count)
        || *ret_count > MAX_ITEMS) {
        return FALSE;
    }
    if ((type->flags & PYTHON_FLAG_TUPLE) != 0) {
        *ret_first = object + (guint64) layout->tuple_items;
        return TRUE;
    }
    return python_read_u64 (runtime, object + layout->list_items, ret_first);
}

static void
append_sequence (PythonPrinter *printer, GString *text, const PythonType *type, guint64 object,
                 guint depth)
{
    gboolean is_tuple = (type->flags & PYTHON_FLAG_TUPLE) != 0;
    guint64 first = 0;
    guint64 count = 0;

    if (!python_find_items (printer->runtime, type, object, &first, &count)) {
        g_string_append (text, is_tuple ? N_ ("<unreadable tuple>") : N_ ("<unreadable list>"));
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
        python_append_object (printer, text, item, depth - 1);
    }
    g_string_append (text, is_tuple ? (count == 1 ? ",)" : ")") : "]");
}

gboolean
python_append_entry (guint64 key, guint64 value, gpointer user)
{
    PythonEntries *items = user;

    g_string_append (items->text, items->count > 0 ? ", " : "");
    if (items->count++ >= items->printer->limits.items || items->depth == 0) {
        g_string_append (items->text, "...");
        return FALSE;
    }
    python_append_object (items->printer, items->text, key, items->depth - 1);
    g_string_append (items->text, ": ");
    python_append_object (items->printer, items->text, value, items->depth - 1);
    return TRUE;
}

void
python_append_dict (PythonPrinter *printer, GString *text, guint64 object, guint depth)
{
    PythonEntries items = { printer, text, depth, 0 };

    g_string_append_c (text, '{');
    if (!python_dict_foreach (printer->runtime, object, python_append_entry, &items)) {
        g_string_append (text, N_ ("<unreadable>"));
    }
    g_string_append_c (text, '}');
}

/* The members of a set lie in the order of their hashes, which no two ranks share: equal sets are
 * shown equal by the order of their numbers, or of their texts. */
typedef struct {
    PythonPrinter *printer;
    guint depth;
    GPtrArray *texts;
} Texts;

static gboolean
add_text (guint64 key, guint64 value, gpointer user)
{
    Texts *texts = user;
    GString *text = g_string_new (NULL);
    guint nodes = texts->printer->nodes;

    python_append_object (texts->printer, text, key, texts->depth - 1);
    texts->printer->nodes = nodes;
    g_ptr_array_add (texts->texts, g_string_free (text, FALSE));
    return texts->texts->len < MAX_SORTED;
}

static int
compare_texts (gconstpointer a, gconstpointer b)
{
    const char *left = *(char *const *) a, *right = *(char *const *) b;
    char *left_end, *right_end;
    double difference = g_ascii_strtod (left, &left_end) - g_ascii_strtod (right, &right_end);

    if (left_end != left && right_end != right && difference != 0) {
        return difference < 0 ? -1 : 1;
    }
    return strcmp (left, right);
}

static gboolean
append_members (PythonPrinter *printer, GString *text, guint64 object, guint depth)
{
    g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
    Texts all = { printer, depth, texts };

    if (!python_set_foreach (printer->runtime, object, add_text, &all)) {
        return FALSE;
    }
    g_ptr_array_sort (texts, compare_texts);
    for (guint i = 0; i < texts->len; i++) {
        g_string_append (text, i > 0 ? ", " : "");
        if (i >= printer->limits.items) {
            g_string_append (text, "...");
            break;
        }
        g_string_append (text, g_ptr_array_index (texts, i));
    }
    return TRUE;
}

static void
append_set (PythonPrinter *printer, GString *text, const PythonType *type, guint64 object,
            guint depth)
{
    gboolean is_plain = is_named (type, "set");
    guint64 used = 0;

    python_read_u64 (printer->runtime, object + printer->runtime->layout->set_used, &used);
    if (used == 0) {
        g_string_append_printf (text, "%s()", type->name);
        return;
    }
    g_string_append_printf (text, is_plain ? "{" : "%s({", type->name);
    if (depth == 0) {
        g_string_append (text, "...");
    } else if (!append_members (printer, text, object, depth)) {
        g_string_append (text, N_ ("<unreadable>"));
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
        python_append_object (printer, text, item, depth - 1);
        g_string_append_c (text, ')');
    } else {
        python_append_object (printer, text, args, depth > 0 ? depth - 1 : 0);
    }
}

/* "'__main__.Plain'": classes written in Python keep their module in their dict. */
static void
append_class (PythonRuntime *runtime, GString *text, guint64 object)
{
    const PythonType *self = python_find_type (runtime, object);
    g_autofree char *module = NULL;
    g_autofree char *name = NULL;
    guint64 found = 0;

    if (self == NULL) {
        g_string_append (text, "<class '?'>");
        return;
    }
    if ((self->flags & PYTHON_FLAG_HEAP) != 0) {
        if (self->dict != 0
            && python_dict_find_str (runtime, self->dict, "__module__", &found)) {
            module = python_read_str (runtime, found, 200, NULL);
        }
        if (python_read_u64 (runtime, object + (guint64) runtime->layout->type_qualname,
                             &found)) {
            name = python_read_str (runtime, found, 200, NULL);
        }
    }
    if (module == NULL || name == NULL || strcmp (module, "builtins") == 0) {
        g_string_append_printf (text, "<class '%s'>", self->full_name);
    } else {
        g_string_append_printf (text, "<class '%s.%s'>", module, name);
    }
}

/* Of PyCFunctionObject and PyMethodObject: what they call, and on what. */
#define FUNCTION_DEFINITION 16
#define METHOD_FUNCTION 16
#define METHOD_SELF 24
#define FUNCTION_SELF 24

static void
append_built_in (PythonPrinter *printer, GString *text, guint64 object)
{
    PythonRuntime *runtime = printer->runtime;
    guint64 definition = 0, name = 0, self = 0;
    const PythonType *type;
    char bytes[64] = { 0 };

    python_read_u64 (runtime, object + FUNCTION_DEFINITION, &definition);
    python_read_u64 (runtime, definition, &name);
    for (guint i = 0; i + 1 < sizeof bytes && python_read (runtime, name + i, bytes + i, 1)
                      && bytes[i] != '\0';
         i++) {
    }
    bytes[sizeof bytes - 1] = '\0';
    if (bytes[0] == '\0' || !g_utf8_validate (bytes, -1, NULL)) {
        strcpy (bytes, "?");
    }
    python_read_u64 (runtime, object + FUNCTION_SELF, &self);
    type = self != 0 ? python_find_object_type (runtime, self) : NULL;
    if (type == NULL || is_named (type, "module")) {
        g_string_append_printf (text, "<built-in function %s>", bytes);
    } else {
        g_string_append_printf (text,
                                "<built-in method %s of %s object at 0x%" G_GINT64_MODIFIER
                                "x>",
                                bytes, type->name, printer->digest != NULL ? 0 : self);
    }
}

static char *
read_function_name (PythonRuntime *runtime, guint64 function)
{
    const PythonType *type = python_find_object_type (runtime, function);
    guint64 name = 0;

    if (type == NULL || strcmp (type->full_name, "function") != 0
        || !python_read_u64 (runtime, function + (guint64) runtime->layout->function_qualname,
                             &name)) {
        return NULL;
    }
    return python_read_str (runtime, name, 200, NULL);
}

void
python_append_bound (PythonPrinter *printer, GString *text, guint64 function, guint64 self)
{
    g_autofree char *name = read_function_name (printer->runtime, function);

    g_string_append_printf (text, "<bound method %s of ", name != NULL ? name : "?");
    python_append_object (printer, text, self, 0);
    g_string_append_c (text, '>');
}

static void
append_named (PythonPrinter *printer, GString *text, const PythonType *type, guint64 object)
{
    PythonRuntime *runtime = printer->runtime;
    g_autofree char *name = NULL;
    guint64 at = 0, self = 0;

    if ((type->flags & PYTHON_FLAG_TYPE) != 0) {
        append_class (runtime, text, object);
    } else if (is_named (type, "builtin_function_or_method")) {
        append_built_in (printer, text, object);
    } else if (is_named (type, "function")) {
        name = read_function_name (runtime, object);
        g_string_append_printf (text, "<function %s at 0x%" G_GINT64_MODIFIER "x>",
                                name != NULL ? name : "?",
                                printer->digest != NULL ? 0 : object);
    } else if (is_named (type, "method")) {
        python_read_u64 (runtime, object + METHOD_FUNCTION, &at);
        python_read_u64 (runtime, object + METHOD_SELF, &self);
        python_append_bound (printer, text, at, self);
    } else if (is_named (type, "module")) {
        if (python_read_u64 (runtime, object + (guint64) runtime->layout->module_dict, &at)
            && python_dict_find_str (runtime, at, "__name__", &at)) {
            name = python_read_str (runtime, at, 200, NULL);
        }
        g_string_append_printf (text, "<module '%s'>", name != NULL ? name : "?");
    } else {
        g_string_append_printf (text, "<%s at 0x%" G_GINT64_MODIFIER "x>", type->name,
                                printer->digest != NULL ? 0 : object);
    }
}

static gboolean
append_number (PythonPrinter *printer, GString *text, const PythonType *type, guint64 object,
               double *ret_number)
{
    const PythonLayout *layout = printer->runtime->layout;
    g_autofree char *scalar = NULL;
    double parts[2] = { 0, 0 };

    if ((type->flags & PYTHON_FLAG_LONG) != 0) {
        gint64 value = 0;

        if (is_named (type, "bool") && python_read_int (printer->runtime, object, &value)) {
            g_string_append (text, value != 0 ? "True" : "False");
            *ret_number = (double) value;
        } else {
            *ret_number = python_append_int (printer, text, object);
        }
        return TRUE;
    }
    if (is_named (type, "float")) {
        python_read (printer->runtime, object + layout->float_value, ret_number, 8);
        python_append_double (text, *ret_number);
        return TRUE;
    }
    scalar = python_scalar_format (printer->runtime, type, object, ret_number);
    if (scalar != NULL) {
        g_string_append (text, scalar);
        return TRUE;
    }
    if (is_named (type, "complex")) {
        python_read (printer->runtime, object + layout->complex_value, parts, sizeof parts);
        python_append_complex (text, parts[0], parts[1]);
        *ret_number = NAN;
        return TRUE;
    }
    return FALSE;
}

void
python_append_known (PythonPrinter *printer, GString *text, guint64 object, guint depth)
{
    const PythonType *type = python_find_object_type (printer->runtime, object);
    double number;

    if (type == NULL) {
        g_string_append_printf (text, "<unreadable object at 0x%" G_GINT64_MODIFIER "x>",
                                object);
    } else if (python_library_append (printer, text, type, object, depth)
               || python_ctypes_append (printer, text, type, object, depth)
               || python_mpi_append (printer, text, type, object)) {
        return;
    } else if ((type->flags & PYTHON_FLAG_STR) != 0) {
        python_append_str (printer, text, object);
    } else if ((type->flags & PYTHON_FLAG_BYTES) != 0) {
        python_append_bytes (printer, text, object);
    } else if ((type->flags & (PYTHON_FLAG_LIST | PYTHON_FLAG_TUPLE)) != 0) {
        append_sequence (printer, text, type, object, depth);
    } else if ((type->flags & PYTHON_FLAG_DICT) != 0) {
        python_append_dict (printer, text, object, depth);
    } else if (is_named (type, "set") || is_named (type, "frozenset")) {
        append_set (printer, text, type, object, depth);
    } else if (is_named (type, "NoneType")) {
        g_string_append (text, "None");
    } else if (is_named (type, "ellipsis")) {
        g_string_append (text, "Ellipsis");
    } else if ((type->flags & PYTHON_FLAG_EXCEPTION) != 0) {
        append_exception (printer, text, type, object, depth);
    } else if (python_type_has_base (printer->runtime, type, "numpy.ndarray")) {
        PythonArray array;
        g_autoptr (JobValue) value = NULL;

        if (python_array_read (printer->runtime, object, &array)) {
            PythonPrinter flat = *printer;

            flat.limits.depth = 0;
            value = python_array_print_object (&flat, NULL, type, object, &array);
        }
        g_string_append (text, value != NULL ? value->text : N_ ("<unreadable ndarray>"));
    } else if (!append_number (printer, text, type, object, &number)) {
        append_named (printer, text, type, object);
    }
}

void
python_append_object (PythonPrinter *printer, GString *text, guint64 object, guint depth)
{
    if (printer->digest != NULL) {
        g_string_append_printf (text, "%016" G_GINT64_MODIFIER "x",
                                python_digest_object (printer, object));
        return;
    }
    if (printer->nesting >= PYTHON_MAX_NESTING) {
        g_string_append (text, "...");
        return;
    }
    printer->nesting++;
    python_append_known (printer, text, object, depth);
    printer->nesting--;
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
    python_append_object (parts->printer, name, key, 1);
    g_string_append_c (name, ']');
    return add_part (parts->printer, parts->value, name->str, object);
}

static void
add_items (PythonPrinter *printer, JobValue *value, const PythonType *type, guint64 object)
{
    guint64 first = 0;
    guint64 count = 0;

    if (!python_find_items (printer->runtime, type, object, &first, &count)) {
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
is_set (const PythonType *type)
{
    return is_named (type, "set") || is_named (type, "frozenset");
}

/* Items of a set have no index: they are numbered as they lie. */
static gboolean
add_member (guint64 key, guint64 object, gpointer user)
{
    Parts *parts = user;
    g_autofree char *name = g_strdup_printf ("[%u]", parts->count);

    return parts->count++ < parts->printer->limits.items
           && add_part (parts->printer, parts->value, name, key);
}

static void
add_deque (PythonPrinter *printer, JobValue *value, guint64 object)
{
    guint64 item = 0;

    for (guint i = 0; i < printer->limits.items; i++) {
        g_autofree char *name = g_strdup_printf ("[%u]", i);

        if (!python_deque_index (printer->runtime, object, i, &item)
            || !add_part (printer, value, name, item)) {
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

    if ((type->flags & (PYTHON_FLAG_LIST | PYTHON_FLAG_TUPLE)) != 0) {
        return python_read_u64 (runtime, object + runtime->layout->var_size, &count)
               && count > 0;
    }
    if ((type->flags & PYTHON_FLAG_DICT) != 0) {
        return python_dict_get_size (runtime, object) > 0;
    }
    if (is_set (type)) {
        return python_read_u64 (runtime, object + runtime->layout->set_used, &count)
               && count > 0;
    }
    if (is_named (type, "collections.deque")) {
        return python_read_u64 (runtime, object + runtime->layout->var_size, &count)
               && count > 0;
    }
    if ((type->flags
         & (PYTHON_FLAG_LONG | PYTHON_FLAG_BYTES | PYTHON_FLAG_STR | PYTHON_FLAG_TYPE))
            != 0
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
    if ((type->flags & (PYTHON_FLAG_LIST | PYTHON_FLAG_TUPLE)) != 0) {
        add_items (printer, value, type, object);
    } else if ((type->flags & PYTHON_FLAG_DICT) != 0) {
        python_dict_foreach (printer->runtime, object, add_entry, &parts);
    } else if (is_set (type)) {
        python_set_foreach (printer->runtime, object, add_member, &parts);
    } else if (is_named (type, "collections.deque")) {
        add_deque (printer, value, object);
    } else {
        parts.are_attributes = TRUE;
        python_attributes_foreach (printer->runtime, object, add_entry, &parts);
    }
    printer->limits.depth++;
}

static JobValue *
print_ctypes (PythonPrinter *printer, const char *name, const PythonType *type, guint64 object)
{
    g_autoptr (GString) text = g_string_new (NULL);
    PythonRaw raw;
    JobValue *value;

    if (!python_ctypes_read (printer->runtime, object, &raw)) {
        value = job_value_new (name, type->name, N_ ("<unreadable>"));
        value->is_problem = TRUE;
        return value;
    }
    python_ctypes_append (printer, text, type, object, 2);
    value = python_ctypes_print (printer, name, &raw);
    g_free (value->text);
    value->text = g_strdup (text->str);
    return value;
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
        g_autofree char *at = base_text_format_address (object);

        return job_value_new_problem (name, NULL,
                                      job_text_new ("<unreadable object at %s>", at));
    }
    if (python_type_has_base (printer->runtime, type, "numpy.ndarray")
        && python_array_read (printer->runtime, object, &array)) {
        return python_array_print_object (printer, name, type, object, &array);
    }
    if (python_type_has_base (printer->runtime, type, "numpy.void")
        && python_array_read_void (printer->runtime, object, &array)) {
        return python_array_print (printer, name, &array);
    }
    if (python_ctypes_is_instance (printer->runtime, type)) {
        return print_ctypes (printer, name, type, object);
    }
    if (!python_is_enum (printer->runtime, type)
        && append_number (printer, text, type, object, &number)) {
        /* Only complex and huge integers are no numbers here; a float may be nan. */
        gboolean is_number = !isnan (number) || is_named (type, "float")
                             || g_str_has_prefix (type->full_name, "numpy.float");

        return is_number ? job_value_new_number (name, type->name, text->str, number)
                         : job_value_new (name, type->name, text->str);
    }
    python_append_object (printer, text, object, 2);
    if ((is_named (type, "array.array") || is_named (type, "memoryview"))
        && python_buffer_read (printer->runtime, type, object, &array)) {
        value = python_array_print (printer, name, &array);
        g_free (value->text);
        g_free (value->type);
        value->text = g_strdup (text->str);
        value->type = g_strdup (type->name);
        return value;
    }
    value = job_value_new (name, type->name, text->str);
    add_parts (printer, value, type, object);
    return value;
}

JobValue *
python_value_read (PythonRuntime *runtime, const char *name, guint64 object,
                   const PythonLimits *limits)
{
    PythonPrinter printer = { .runtime = runtime, .limits = *limits, .nodes = limits->nodes };

    return python_print (&printer, name, object);
}
