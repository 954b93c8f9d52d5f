/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads elements in place, without unpacking. */
#include "gui/arrays/array-data.h"
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/error.h"
#include "base/real.h"

static gboolean
parse_letters (GuiArrayData *data, const char *word)
{
    data->letters = g_strdup (word);
    if (strlen (word) < 3 || strchr ("<>|", word[0]) == NULL
        || strchr ("biufcq", word[1]) == NULL) {
        return FALSE;
    }
    data->is_swapped = word[0] == '>';
    data->is_quad = word[1] == 'q';
    data->kind = data->is_quad ? 'f' : word[1];
    data->size = (guint) strtoul (word + 2, NULL, 10);
    switch (data->kind) {
    case 'b': return data->size == 1;
    case 'f':
        return data->is_quad
                   ? data->size == 2 || (data->size == 16 && BASE_REAL_IS_QUAD)
                   : data->size == 2 || data->size == 4 || data->size == 8 || data->size == 16;
    case 'c': return data->size == 8 || data->size == 16;
    default: return data->size == 1 || data->size == 2 || data->size == 4 || data->size == 8;
    }
}

/* What follows "F": a lower bound for each dimension. */
static gboolean
parse_bounds (GuiArrayData *data, char **words)
{
    data->is_fortran = TRUE;
    return !BASE_ANY (i, data->n_dimensions,
                      words[i] == NULL
                          || !g_ascii_string_to_signed (words[i], 10, G_MININT32, G_MAXINT32,
                                                        &data->lower[i], NULL))
           && words[data->n_dimensions] == NULL;
}

static gboolean
parse_shape (GuiArrayData *data, char **words)
{
    data->n_elements = 1;
    for (guint i = 0; words[i] != NULL; i++) {
        guint64 count;

        if (i > 0 && strcmp (words[i], "F") == 0) {
            return parse_bounds (data, words + i + 1);
        }
        if (i >= GUI_ARRAY_MAX_DIMENSIONS
            || !g_ascii_string_to_unsigned (words[i], 10, 0, G_MAXUINT32, &count, NULL)) {
            return FALSE;
        }
        data->shape[data->n_dimensions++] = count;
        if (!g_uint64_checked_mul (&data->n_elements, data->n_elements, count)) {
            return FALSE;
        }
    }
    return data->n_dimensions > 0;
}

GuiArrayData *
gui_array_data_new (const char *text, GBytes *bytes, GError **error)
{
    g_autoptr (GuiArrayData) data = g_new0 (GuiArrayData, 1);
    g_auto (GStrv) words = g_strsplit (text != NULL ? text : "", " ", -1);

    if (words[0] == NULL || !parse_letters (data, words[0])) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED, "cannot show elements of kind \"%s\"",
                        words[0] != NULL ? words[0] : "");
        return NULL;
    }
    if (!parse_shape (data, words + 1) || bytes == NULL
        || data->n_elements > G_MAXSIZE / data->size
        || g_bytes_get_size (bytes) != data->n_elements * data->size) {
        base_error_set (error, BASE_ERROR_CORRUPT,
                        "cannot show the array: its bytes do "
                        "not fit its shape");
        return NULL;
    }
    data->bytes = g_bytes_ref (bytes);
    return g_steal_pointer (&data);
}

BASE_FREE_PUBLIC (gui_array_data_free, GuiArrayData, data,
                  g_clear_pointer (&data->bytes, g_bytes_unref);
                  g_free (data->letters); g_free (data->ranks);
                  g_clear_pointer (&data->parts, g_array_unref); g_free (data->hidden))

/* The text of a stack of n arrays like `first`: its slowest dimension is the new one. */
static char *
describe_stack (const GuiArrayData *first, guint n)
{
    GString *text = g_string_new (first->letters);

    g_string_append_printf (text, first->is_fortran ? "" : " %u", n);
    for (guint i = 0; i < first->n_dimensions; i++) {
        g_string_append_printf (text, " %" G_GUINT64_FORMAT, first->shape[i]);
    }
    if (first->is_fortran) {
        g_string_append_printf (text, " %u F", n);
        for (guint i = 0; i < first->n_dimensions; i++) {
            g_string_append_printf (text, " %" G_GINT64_FORMAT, first->lower[i]);
        }
        g_string_append (text, " 0");
    }
    return g_string_free (text, FALSE);
}

GuiArrayData *
gui_array_data_stack (GPtrArray *arrays, const guint32 *ranks, GError **error)
{
    const GuiArrayData *first = arrays->pdata[0];
    g_autoptr (GByteArray) all = g_byte_array_new ();
    g_autofree char *text = describe_stack (first, arrays->len);
    g_autoptr (GBytes) bytes = NULL;
    GuiArrayData *stack;

    BASE_EACH (arrays, const GuiArrayData, data) {
        gsize size;
        const guint8 *part = g_bytes_get_data (data->bytes, &size);

        if (data->n_dimensions != first->n_dimensions
            || strcmp (data->letters, first->letters) != 0
            || data->is_fortran != first->is_fortran
            || memcmp (data->shape, first->shape, sizeof first->shape) != 0) {
            g_autofree char *a = gui_array_data_format_shape (first);
            g_autofree char *b = gui_array_data_format_shape (data);

            base_error_set (error, BASE_ERROR_INVALID,
                            "cannot show all ranks as one: shapes differ, %s and %s", a, b);
            return NULL;
        }
        g_byte_array_append (all, part, (guint) size);
    }
    bytes = g_byte_array_free_to_bytes (g_steal_pointer (&all));
    stack = gui_array_data_new (text, bytes, error);
    if (stack != NULL) {
        stack->ranks = g_memdup2 (ranks, arrays->len * sizeof *ranks);
        stack->rank_dimension = stack->is_fortran ? stack->n_dimensions - 1 : 0;
    }
    return stack;
}

/* How many elements follow each other before the index of the dimension changes. */
static guint64
count_inner (const GuiArrayData *data, guint dimension)
{
    guint64 n = 1;

    for (guint i = data->is_fortran ? 0 : dimension + 1;
         i < (data->is_fortran ? dimension : data->n_dimensions); i++) {
        n *= data->shape[i];
    }
    return n;
}

/* They are alike but for the length of that dimension. */
static gboolean
can_join (const GuiArrayData *a, const GuiArrayData *b, guint dimension)
{
    return !BASE_ANY (i, a->n_dimensions, i != dimension && a->shape[i] != b->shape[i])
           && a->n_dimensions == b->n_dimensions && strcmp (a->letters, b->letters) == 0
           && a->is_fortran == b->is_fortran;
}

/* The text of an array like `first` with another length of the dimension. */
static char *
describe_joined (const GuiArrayData *first, guint dimension, guint64 length)
{
    GString *text = g_string_new (first->letters);

    for (guint i = 0; i < first->n_dimensions; i++) {
        g_string_append_printf (text, " %" G_GUINT64_FORMAT,
                                i == dimension ? length : first->shape[i]);
    }
    for (guint i = 0; first->is_fortran && i < first->n_dimensions; i++) {
        g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i == 0 ? " F " : " ",
                                first->lower[i]);
    }
    return g_string_free (text, FALSE);
}

/* A run of the dimension of each part in turn, as they stand in memory. */
static GBytes *
join_bytes (GPtrArray *arrays, guint dimension)
{
    g_autoptr (GByteArray) all = g_byte_array_new ();
    const GuiArrayData *first = arrays->pdata[0];
    guint64 inner = count_inner (first, dimension) * first->size;
    guint64 n_outer = 1;

    for (guint i = first->is_fortran ? dimension + 1 : 0;
         i < (first->is_fortran ? first->n_dimensions : dimension); i++) {
        n_outer *= first->shape[i];
    }
    for (guint64 i = 0; i < n_outer; i++) {
        BASE_EACH (arrays, const GuiArrayData, part) {
            guint64 run = inner * part->shape[dimension];
            const guint8 *bytes = g_bytes_get_data (part->bytes, NULL);

            g_byte_array_append (all, bytes + i * run, (guint) run);
        }
    }
    return g_byte_array_free_to_bytes (g_steal_pointer (&all));
}

GuiArrayData *
gui_array_data_join (GPtrArray *arrays, const guint32 *ranks, guint dimension, GError **error)
{
    const GuiArrayData *first = arrays->pdata[0];
    g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (GuiArrayPart));
    g_autoptr (GBytes) bytes = NULL;
    g_autofree char *text = NULL;
    GuiArrayData *joined;
    guint64 length = 0;

    if (dimension >= first->n_dimensions) {
        base_error_set (error, BASE_ERROR_INVALID,
                        "cannot join the arrays: they have no dimension %u", dimension);
        return NULL;
    }
    for (guint i = 0; i < arrays->len; i++) {
        const GuiArrayData *data = arrays->pdata[i];
        GuiArrayPart part = { ranks[i], length };

        if (!can_join (first, data, dimension)) {
            g_autofree char *a = gui_array_data_format_shape (first);
            g_autofree char *b = gui_array_data_format_shape (data);

            base_error_set (error, BASE_ERROR_INVALID,
                            "cannot join the arrays: rank %u has %s, rank %u has %s", ranks[0],
                            a, ranks[i], b);
            return NULL;
        }
        g_array_append_val (parts, part);
        length += data->shape[dimension];
    }
    text = describe_joined (first, dimension, length);
    bytes = join_bytes (arrays, dimension);
    joined = gui_array_data_new (text, bytes, error);
    if (joined != NULL) {
        joined->parts = g_steal_pointer (&parts);
        joined->join_dimension = dimension;
    }
    return joined;
}

/* From the first to the last rank of a range, either way. FALSE: one is not of the set, or is there already. */
static gboolean
add_range (GArray *order, const JobRankSet *ranks, guint64 first, guint64 last)
{
    gint64 step = first <= last ? 1 : -1;

    for (gint64 at = (gint64) first;; at += step) {
        guint32 rank = (guint32) at;

        if (BASE_ANY (i, order->len, g_array_index (order, guint32, i) == rank)) {
            return FALSE;
        }
        if (!job_rank_set_contains (ranks, rank)) {
            return FALSE;
        }
        g_array_append_val (order, rank);
        if ((guint64) at == last) {
            return TRUE;
        }
    }
}

GArray *
gui_array_data_parse_order (const char *text, const JobRankSet *ranks, GError **error)
{
    g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_auto (GStrv) words = g_strsplit_set (text, ", ", -1);

    for (guint i = 0; words[i] != NULL; i++) {
        g_auto (GStrv) ends = g_strsplit (words[i], "-", 2);
        guint64 first, last;

        if (*words[i] == '\0') {
            continue;
        }
        if (!g_ascii_string_to_unsigned (ends[0], 10, 0, G_MAXUINT32, &first, NULL)
            || !g_ascii_string_to_unsigned (ends[1] != NULL ? ends[1] : ends[0], 10, 0,
                                            G_MAXUINT32, &last, NULL)
            || !add_range (order, ranks, first, last)) {
            base_error_set (error, BASE_ERROR_INVALID,
                            "cannot take the order of ranks \"%s\": name ranks of this window, "
                            "each once, such as 0-3 or 3,2,1,0",
                            text);
            return NULL;
        }
    }
    if (order->len == 0) {
        base_error_set (error, BASE_ERROR_INVALID, "the order of ranks is empty");
        return NULL;
    }
    return g_steal_pointer (&order);
}

guint32
gui_array_data_find_rank (const GuiArrayData *data, const gint64 *coordinates, guint32 rank)
{
    if (data->ranks != NULL) {
        return (guint32) coordinates[data->rank_dimension];
    }
    BASE_EACH_ROW (data->parts, const GuiArrayPart, part) {
        gint64 index = coordinates[data->join_dimension] - data->lower[data->join_dimension];

        if ((guint64) index < part->begin) {
            break;
        }
        rank = part->rank;
    }
    return rank;
}

gboolean
gui_array_data_is_hidden (const GuiArrayData *data, guint64 position)
{
    return data->hidden != NULL && (data->hidden[position / 8] >> position % 8 & 1) != 0;
}

static void
read_part (const GuiArrayData *data, guint64 position, guint offset, guint size,
           guint8 *ret_bytes)
{
    const guint8 *from = (const guint8 *) g_bytes_get_data (data->bytes, NULL)
                         + position * data->size + offset;

    for (guint i = 0; i < size; i++) {
        ret_bytes[data->is_swapped ? size - 1 - i : i] = from[i];
    }
}

/* IEEE 754 binary16. */
static double
read_half (const guint8 *bytes)
{
    guint bits = bytes[0] | (guint) bytes[1] << 8, exponent = bits >> 10 & 31,
          part = bits & 1023;
    double value = exponent == 0    ? part / 16777216.0
                   : exponent == 31 ? (part != 0 ? __builtin_nan ("") : __builtin_inf ())
                                    : (1024 + part) / 33554432.0 * (double) (1u << exponent);

    return bits & 0x8000 ? -value : value;
}

/* bfloat16: the upper half of a binary32. */
static double
read_brain (const guint8 *bytes)
{
    guint32 bits = (guint32) bytes[0] << 16 | (guint32) bytes[1] << 24;
    float single;

    memcpy (&single, &bits, sizeof single);
    return (double) single;
}

/* 16 bytes. */
static BaseReal
read_wide (const GuiArrayData *data, guint64 position)
{
    guint8 bytes[16];
    BaseReal quad;
    long double extended = 0;

    read_part (data, position, 0, 16, bytes);
    if (data->is_quad) {
        memcpy (&quad, bytes, sizeof quad);
        return quad;
    }
    memcpy (&extended, bytes, MIN (sizeof extended, 16));
    return extended;
}

static double
read_float (const GuiArrayData *data, guint64 position, guint offset, guint size)
{
    guint8 bytes[16];
    float single;
    double value;

    if (size == 16) {
        return (double) read_wide (data, position);
    }
    read_part (data, position, offset, size, bytes);
    switch (size) {
    case 2: return data->is_quad ? read_brain (bytes) : read_half (bytes);
    case 4: memcpy (&single, bytes, 4); return single;
    default: memcpy (&value, bytes, 8); return value;
    }
}

static gint64
read_signed (const GuiArrayData *data, guint64 position)
{
    guint8 bytes[8];
    gint8 a;
    gint16 b;
    gint32 c;
    gint64 d;

    read_part (data, position, 0, data->size, bytes);
    switch (data->size) {
    case 1: memcpy (&a, bytes, 1); return a;
    case 2: memcpy (&b, bytes, 2); return b;
    case 4: memcpy (&c, bytes, 4); return c;
    default: memcpy (&d, bytes, 8); return d;
    }
}

static guint64
read_unsigned (const GuiArrayData *data, guint64 position)
{
    guint8 bytes[8] = { 0 };
    guint64 value;

    read_part (data, position, 0, data->size, bytes);
    memcpy (&value, bytes, 8);
    return value;
}

double
gui_array_data_get (const GuiArrayData *data, guint64 position)
{
    switch (data->kind) {
    case 'f': return read_float (data, position, 0, data->size);
    case 'i': return (double) read_signed (data, position);
    case 'c': {
        double a = read_float (data, position, 0, data->size / 2);
        double b = read_float (data, position, data->size / 2, data->size / 2);
        return __builtin_sqrt (a * a + b * b);
    }
    default: return (double) read_unsigned (data, position);
    }
}

char *
gui_array_data_format (const GuiArrayData *data, guint64 position, gboolean exact)
{
    const char *format = !exact                                 ? "%.6g"
                         : data->size == 4 || data->kind == 'c' ? "%.9g"
                                                                : "%.17g";
    char text[64], more[64];

    switch (data->kind) {
    case 'i': return g_strdup_printf ("%" G_GINT64_FORMAT, read_signed (data, position));
    case 'b': return g_strdup (read_unsigned (data, position) ? "true" : "false");
    case 'u': return g_strdup_printf ("%" G_GUINT64_FORMAT, read_unsigned (data, position));
    case 'c':
        format = exact && data->size == 16 ? "%.17g" : format;
        g_ascii_formatd (text, sizeof text, format,
                         read_float (data, position, 0, data->size / 2));
        g_ascii_formatd (more, sizeof more, format,
                         read_float (data, position, data->size / 2, data->size / 2));
        return g_strdup_printf ("%s%s%sj", text, more[0] == '-' ? "" : "+", more);
    default:
        if (exact && data->size == 16) {
            return data->is_quad
                       ? base_real_format_quad (read_wide (data, position))
                       : base_real_format ((long double) read_wide (data, position), 16);
        }
        return g_strdup (g_ascii_formatd (text, sizeof text, format,
                                          gui_array_data_get (data, position)));
    }
}

char *
gui_array_data_format_shape (const GuiArrayData *data)
{
    GString *text = g_string_new ("(");

    for (guint i = 0; i < data->n_dimensions; i++) {
        g_string_append_printf (text, "%s%" G_GUINT64_FORMAT, i > 0 ? ", " : "",
                                data->shape[i]);
    }
    g_string_append (text, data->n_dimensions == 1 ? ",)" : ")");
    return g_string_free (text, FALSE);
}

char *
gui_array_data_format_type (const GuiArrayData *data)
{
    static const struct {
        char kind;
        const char *name;
    } kinds[] = {
        { 'i', "int" },
        { 'u', "uint" },
        { 'f', "float" },
        { 'c', "complex" },
    };

    if (data->is_quad && data->size == 2) {
        return g_strdup ("bfloat16");
    }
    return BASE_CHOOSE (i, G_N_ELEMENTS (kinds), kinds[i].kind == data->kind,
                        g_strdup_printf ("%s%u%s", kinds[i].name, 8 * data->size,
                                         data->is_swapped ? " (big-endian)" : ""),
                        g_strdup ("bool"));
}

void
gui_array_data_find_coordinates (const GuiArrayData *data, guint64 position,
                                 gint64 *ret_coordinates)
{
    for (guint i = 0; i < data->n_dimensions; i++) {
        guint dimension = data->is_fortran ? i : data->n_dimensions - 1 - i;

        ret_coordinates[dimension]
            = gui_array_data_get_coordinate (data, dimension,
                                             position % data->shape[dimension]);
        position /= data->shape[dimension];
    }
}

char *
gui_array_data_format_index (const GuiArrayData *data, guint64 position)
{
    GString *text = g_string_new (NULL);
    gint64 numbers[GUI_ARRAY_MAX_DIMENSIONS];
    gboolean first = TRUE;

    gui_array_data_find_coordinates (data, position, numbers);
    if (data->ranks != NULL) {
        g_string_append_printf (text, "%" G_GINT64_FORMAT ": ", numbers[data->rank_dimension]);
    }
    for (guint i = 0; i < data->n_dimensions; i++) {
        if (data->ranks == NULL || i != data->rank_dimension) {
            g_string_append_printf (text,
                                    data->is_fortran ? "%s%" G_GINT64_FORMAT
                                                     : "%s%" G_GINT64_FORMAT "]",
                                    !data->is_fortran ? "["
                                    : first           ? "("
                                                      : ",",
                                    numbers[i]);
            first = FALSE;
        }
    }
    g_string_append (text, data->is_fortran ? ")" : "");
    return g_string_free (text, FALSE);
}

gint64
gui_array_data_get_coordinate (const GuiArrayData *data, guint dimension, guint64 index)
{
    return data->ranks != NULL && dimension == data->rank_dimension
               ? (gint64) data->ranks[index]
               : data->lower[dimension] + (gint64) index;
}

void
gui_array_data_summarise (const GuiArrayData *data, GuiArrayStatistics *ret)
{
    double squares = 0;

    *ret = (GuiArrayStatistics){ 0 };
    for (guint64 i = 0; i < data->n_elements; i++) {
        double value = gui_array_data_get (data, i), delta;

        if (gui_array_data_is_hidden (data, i)) {
            continue;
        }
        ret->n_shown++;
        if (__builtin_isnan (value)) {
            ret->n_nan++;
            continue;
        }
        if (__builtin_isinf (value)) {
            ret->n_inf++;
            continue;
        }
        ret->n_zero += value == 0;
        if (ret->n_finite == 0 || value < ret->min) {
            ret->min = value;
            ret->min_at = i;
        }
        if (ret->n_finite == 0 || value > ret->max) {
            ret->max = value;
            ret->max_at = i;
        }
        ret->n_finite++;
        delta = value - ret->mean; /* Welford's updating, 1962 */
        ret->mean += delta / (double) ret->n_finite;
        squares += delta * (value - ret->mean);
    }
    ret->deviation = ret->n_finite > 0 ? __builtin_sqrt (squares / (double) ret->n_finite) : 0;
}

guint64
gui_array_slice_get_position (const GuiArrayData *data, const GuiArraySlice *slice, guint64 row,
                              guint64 column)
{
    guint64 position = 0;

    for (guint n = 0; n < data->n_dimensions; n++) { /* the slowest first */
        guint i = data->is_fortran ? data->n_dimensions - 1 - n : n;
        guint64 index = i == slice->rows ? row : i == slice->columns ? column : slice->fixed[i];

        position = position * data->shape[i] + index;
    }
    return position;
}

guint64
gui_array_slice_get_n_columns (const GuiArrayData *data, const GuiArraySlice *slice)
{
    return slice->columns < data->n_dimensions ? data->shape[slice->columns] : 1;
}
