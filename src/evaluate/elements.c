/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The elements of arrays of numbers, packed: C's, Fortran's with their bounds and strides, sections
 * of them, and the C++ containers whose elements lie side by side. */
#include <glib/gi18n.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "evaluate/program-private.h"

#define MAX_BYTES (256u << 20)
enum { MAX_DIMENSIONS = 8, N_PIECES = 1024 };

typedef struct {
    guint n;
    gint64 counts[MAX_DIMENSIONS], strides[MAX_DIMENSIONS],
        lowers[MAX_DIMENSIONS]; /* outermost first */
    const EvaluateType *element;
    gboolean is_fortran;
    guint64 n_bytes;
} Layout;

static const char *
find_letter (const EvaluateType *type)
{
    switch (type->kind) {
    case EVALUATE_TYPE_BOOL: return type->size == 1 ? "|b" : "<i";
    case EVALUATE_TYPE_CHAR:
    case EVALUATE_TYPE_SIGNED:
    case EVALUATE_TYPE_ENUM: return "<i";
    case EVALUATE_TYPE_UCHAR:
    case EVALUATE_TYPE_UNSIGNED: return "<u";
    case EVALUATE_TYPE_FLOAT: return type->flags & EVALUATE_TYPE_QUAD ? "<q" : "<f";
    case EVALUATE_TYPE_COMPLEX:
        return type->flags & (EVALUATE_TYPE_QUAD | EVALUATE_TYPE_WHOLE) ? NULL : "<c";
    default: return NULL;
    }
}

static gboolean
add_dimension (Layout *layout, gint64 count, gint64 stride, gint64 lower)
{
    if (layout->n == MAX_DIMENSIONS)
        return FALSE;
    layout->counts[layout->n] = count;
    layout->strides[layout->n] = stride;
    layout->lowers[layout->n++] = lower;
    return TRUE;
}

/* std::vector, std::array: value becomes the place of the first element. */
static gboolean
find_container (EvaluateRun *run, EvaluateValue *value, Layout *layout)
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    guint64 count, first = 0;

    if ((type->view != EVALUATE_VIEW_VECTOR && type->view != EVALUATE_VIEW_ARRAY)
        || type->n_view_types < 1 || !evaluate_view_is_complete (type)
        || !evaluate_view_find_count (run, value, &count)
        || (count > 0 && !evaluate_view_find_element (run, value, 0, &first)))
        return FALSE;
    layout->element = evaluate_run_get_type (run, type->view_types[0]);
    value->address = first;
    return add_dimension (layout, (gint64) count, (gint64) layout->element->size, 0);
}

/* FALSE: no array of numbers, or one that nobody knows the length of. */
static gboolean
find_layout (EvaluateRun *run, EvaluateValue *value, Layout *layout)
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);

    if (type->kind != EVALUATE_TYPE_ARRAY)
        return find_container (run, value, layout) && find_letter (layout->element);
    layout->is_fortran = (type->flags & EVALUATE_TYPE_FORTRAN) != 0;
    for (guint i = 0; type->kind == EVALUATE_TYPE_ARRAY; i++) {
        gboolean cut = i < value->n_sections;
        gint64 count = cut ? value->sections[i].count
                           : (gint64) evaluate_run_find_count (run, type);
        gint64 stride = cut ? value->sections[i].stride : evaluate_run_find_stride (run, type);
        gint64 lower = cut ? 1 : layout->is_fortran ? evaluate_run_find_lower (run, type) : 0;

        if ((!cut && !evaluate_run_knows_count (run, type))
            || !add_dimension (layout, count, stride, lower))
            return FALSE;
        type = evaluate_run_get_type (run, type->target);
    }
    layout->element = type;
    return find_letter (type) != NULL;
}

static gboolean
measure (Layout *layout, guint64 limit)
{
    guint64 n = layout->element->size;

    if (BASE_ANY (i, layout->n,
                  layout->counts[i] < 0
                      || !g_uint64_checked_mul (&n, n, (guint64) layout->counts[i])
                      || n > limit))
        return FALSE;
    layout->n_bytes = n;
    return layout->element->size > 0;
}

/* How many of the outer dimensions are walked one by one; the bytes that lie together below them. */
static guint
find_runs (const Layout *layout, guint64 *ret_size)
{
    guint outer = layout->n;

    *ret_size = layout->element->size;
    while (outer > 0 && layout->strides[outer - 1] == (gint64) *ret_size) {
        *ret_size *= (guint64) layout->counts[outer - 1];
        outer--;
    }
    return outer;
}

static gboolean
read_pieces (BaseMemoryReader *memory, BaseMemoryItem *items, guint n)
{
    memory->read (memory, items, n);
    return BASE_ALL (i, n, items[i].done == items[i].size);
}

/* Next of the outer indices, the last one fastest; FALSE: that was the last. */
static gboolean
advance (const Layout *layout, guint outer, gint64 *indices)
{
    for (guint i = outer; i-- > 0;) {
        if (++indices[i] < layout->counts[i])
            return TRUE;
        indices[i] = 0;
    }
    return FALSE;
}

static gboolean
gather (EvaluateRun *run, guint64 address, const Layout *layout, guint8 *bytes)
{
    g_autofree BaseMemoryItem *items = g_new0 (BaseMemoryItem, N_PIECES);
    gint64 indices[MAX_DIMENSIONS] = { 0 };
    guint64 size, done = 0;
    guint outer = find_runs (layout, &size), n = 0;

    while (done < layout->n_bytes) {
        guint64 at = address;

        for (guint i = 0; i < outer; i++)
            at += (guint64) (indices[i] * layout->strides[i]);
        items[n++] = (BaseMemoryItem){ .address = at, .data = bytes + done, .size = size };
        done += size;
        if (n == N_PIECES || done == layout->n_bytes) {
            if (!read_pieces (run->context->memory, items, n))
                return FALSE;
            n = 0;
        }
        if (!advance (layout, outer, indices))
            break;
    }
    return done == layout->n_bytes;
}

/* Equal elements in another shape are another value. */
static guint64
mix_shape (const Layout *layout, guint64 hash)
{
    return base_hash_bytes (hash, (const guint8 *) layout->counts,
                            layout->n * sizeof layout->counts[0]);
}

gboolean
evaluate_elements_note_rest (EvaluateRun *run, const EvaluateValue *value)
{
    EvaluateValue place = *value; /* its bytes and problem stay the value's */
    gint64 indices[MAX_DIMENSIONS] = { 0 };
    Layout layout = { 0 };
    guint64 size, hash = 0;
    guint outer;

    if (run->limits->compared == 0)
        return TRUE;
    if (value->place != EVALUATE_PLACE_MEMORY || !find_layout (run, &place, &layout))
        return FALSE;
    if (!measure (&layout, G_MAXUINT64)) {
        run->is_partial |= layout.element->size > 0;
        return TRUE;
    }
    if (!evaluate_rest_spend (run, layout.n_bytes))
        return TRUE;
    outer = find_runs (&layout, &size);
    do {
        guint64 at = place.address;

        for (guint i = 0; i < outer; i++)
            at += (guint64) (indices[i] * layout.strides[i]);
        if (!evaluate_rest_read (run, at, size, &hash)) {
            run->is_partial = TRUE;
            break;
        }
    } while (advance (&layout, outer, indices));
    evaluate_rest_note (run, mix_shape (&layout, hash));
    return TRUE;
}

static char *
describe (const Layout *layout)
{
    g_autoptr (GString) text = g_string_new (NULL);

    g_string_printf (text, "%s%u", find_letter (layout->element),
                     (guint) layout->element->size);
    for (guint i = 0; i < layout->n; i++)
        g_string_append_printf (text, " %" G_GINT64_FORMAT,
                                layout->counts[layout->is_fortran ? layout->n - 1 - i : i]);
    if (layout->is_fortran)
        g_string_append (text, " F");
    for (guint i = 0; layout->is_fortran && i < layout->n; i++)
        g_string_append_printf (text, " %" G_GINT64_FORMAT, layout->lowers[layout->n - 1 - i]);
    return g_string_free (g_steal_pointer (&text), FALSE);
}

static GBytes *
read_elements (EvaluateRun *run, EvaluateValue *value, char **ret_shape, GError **error)
{
    g_autoptr (GByteArray) bytes = NULL;
    Layout layout = { 0 };

    if (!evaluate_run_resolve (run, value)) {
        evaluate_run_fail (run, value->problem, error);
        return NULL;
    }
    if (!find_layout (run, value, &layout)) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "cannot show it as an array: not an array "
                        "of numbers of known length; for a pointer, use *POINTER@COUNT");
        return NULL;
    }
    if (!measure (&layout, MAX_BYTES)) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "cannot show it as an array: it is larger than 256 MiB");
        return NULL;
    }
    bytes = g_byte_array_new ();
    g_byte_array_set_size (bytes, (guint) layout.n_bytes);
    if (value->place != EVALUATE_PLACE_MEMORY && layout.n_bytes > 0) {
        if (!evaluate_value_fetch (run, value, layout.n_bytes)) {
            evaluate_run_fail (run,
                               value->problem ? value->problem : N_ ("its value is not known"),
                               error);
            return NULL;
        }
        memcpy (bytes->data, value->bytes->data, layout.n_bytes);
    } else if (!gather (run, value->address, &layout, bytes->data)) {
        base_error_set (error, BASE_ERROR_FAULT, "cannot read the array's memory");
        return NULL;
    }
    *ret_shape = describe (&layout);
    return g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
}

GBytes *
evaluate_program_read_array (const EvaluateProgram *program, const EvaluateContext *context,
                             char **ret_shape, GError **error)
{
    static const EvaluateLimits limits = EVALUATE_LIMITS_DEFAULT;
    EvaluateContext copy = *context;
    g_auto (EvaluateRun) run = { program, &copy, &limits, 0 };
    EvaluateValue value = { 0 };
    GBytes *bytes;

    if (!evaluate_run_code (&run, program->code, program->code_size, &value, error))
        return NULL;
    bytes = read_elements (&run, &value, ret_shape, error);
    evaluate_value_clear (&value);
    return bytes;
}
