/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an object holds, as a hash: texts are cut, and floats in arrays rounded, but ranks whose values
 * differ must not be taken for equal. Content counts, never an address: instances that have no content
 * which their text would show count by their type alone. Dictionaries and sets count without order. */
#include "base/hash.h"
#include "python/value-private.h"
#include <string.h>

#define MAX_DEPTH 64u
#define OBJECT_COST 128u /* of the budget, as of so many bytes */
#define CHUNK_BYTES (1u << 16)
#define READ_BYTES (1u << 20)
#define MAX_GATHERED (G_GUINT64_CONSTANT (64) << 20)
#define MAX_DEQUE 20000u
#define BATCH 256u
enum { TYPE_LONG_DOUBLE = 13, TYPE_LONG_COMPLEX = 16, TYPE_OBJECT = 17, TYPE_VOID = 20 };

struct _PythonDigest {
    guint64 budget;      /* bytes that may still be read */
    gboolean is_partial; /* there is more than that, or some of it cannot be read */
    guint depth;
    guint64 path[MAX_DEPTH]; /* the objects that hold the present one */
};

static gboolean
spend (PythonDigest *digest, guint64 bytes)
{
    if (bytes > digest->budget) {
        digest->budget = 0;
        digest->is_partial = TRUE;
        return FALSE;
    }
    digest->budget -= bytes;
    return TRUE;
}

/* ---- memory ---- */

/* Bytes come in any pieces; the hash is of the whole. */
typedef struct {
    guint64 hash;
    gsize used;
    guint8 chunk[CHUNK_BYTES];
} Stream;

static void
feed (Stream *stream, const guint8 *bytes, gsize size)
{
    while (size > 0) {
        gsize part = MIN (size, CHUNK_BYTES - stream->used);

        memcpy (stream->chunk + stream->used, bytes, part);
        stream->used += part;
        bytes += part;
        size -= part;
        if (stream->used == CHUNK_BYTES) {
            stream->hash = base_hash_bytes (stream->hash, stream->chunk, stream->used);
            stream->used = 0;
        }
    }
}

static guint64
end_stream (Stream *stream)
{
    return base_hash_bytes (stream->hash, stream->chunk, stream->used);
}

static gboolean
feed_memory (PythonRuntime *runtime, Stream *stream, guint64 address, guint64 size)
{
    g_autofree guint8 *bytes = g_malloc (MIN (size, READ_BYTES) + 1);

    while (size > 0) {
        gsize part = MIN (size, READ_BYTES);

        if (base_memory_read_some (runtime->memory, address, bytes, part) != part) {
            return FALSE;
        }
        feed (stream, bytes, part);
        address += part;
        size -= part;
    }
    return TRUE;
}

static guint64
digest_memory (PythonPrinter *printer, guint64 address, guint64 size)
{
    guint8 few[256];
    g_autofree Stream *stream = NULL;

    if (!spend (printer->digest, size)) {
        return size;
    }
    if (size <= sizeof few) {
        printer->digest->is_partial |= size > 0
                                       && !python_read (printer->runtime, address, few, size);
        return base_hash_bytes (0, few, size);
    }
    stream = g_new (Stream, 1);
    stream->hash = stream->used = 0;
    printer->digest->is_partial |= !feed_memory (printer->runtime, stream, address, size);
    return end_stream (stream);
}

/* ---- arrays ---- */

static gboolean
is_contiguous (const PythonArray *array, guint64 width)
{
    gint64 expected = (gint64) width;

    for (guint i = array->n_dimensions; i > 0; i--) {
        if (array->shape[i - 1] > 1 && array->strides[i - 1] != expected) {
            return FALSE;
        }
        expected *= array->shape[i - 1];
    }
    return TRUE;
}

/* A block of memory that holds all elements, and the way through it in C order. */
typedef struct {
    const PythonArray *array;
    guint64 width;
    gboolean is_long_double; /* 10 of 16 bytes count */
    const guint8 *bytes;
    Stream *stream;
} Gather;

static void
gather (const Gather *all, guint dimension, gint64 offset)
{
    const PythonArray *array = all->array;

    if (dimension < array->n_dimensions) {
        for (gint64 i = 0; i < array->shape[dimension]; i++) {
            gather (all, dimension + 1, offset + i * array->strides[dimension]);
        }
    } else if (all->is_long_double) {
        for (guint64 at = 0; at + 16 <= all->width; at += 16) {
            feed (all->stream, all->bytes + offset + at, 10);
        }
    } else {
        feed (all->stream, all->bytes + offset, all->width);
    }
}

static void
measure (const PythonArray *array, guint64 width, gint64 *ret_low, gint64 *ret_high)
{
    *ret_low = 0;
    *ret_high = (gint64) width;
    for (guint i = 0; i < array->n_dimensions; i++) {
        gint64 extent = (array->shape[i] - 1) * array->strides[i];

        *(extent < 0 ? ret_low : ret_high) += extent;
    }
}

static gboolean
gather_memory (PythonPrinter *printer, const PythonArray *array, guint64 width, Stream *stream)
{
    Gather all = { array, width,
                   array->type == TYPE_LONG_DOUBLE || array->type == TYPE_LONG_COMPLEX, NULL,
                   stream };
    g_autofree guint8 *bytes = NULL;
    gint64 low, high;

    measure (array, width, &low, &high);
    if (high - low <= 0 || (guint64) (high - low) > MAX_GATHERED
        || !spend (printer->digest, (guint64) (high - low))) {
        return FALSE;
    }
    bytes = g_malloc ((gsize) (high - low));
    if (base_memory_read_some (printer->runtime->memory, array->data + (guint64) low, bytes,
                               (gsize) (high - low))
        != (gsize) (high - low)) {
        return FALSE;
    }
    all.bytes = bytes - low;
    gather (&all, 0, 0);
    return TRUE;
}

static guint64
digest_numbers (PythonPrinter *printer, const PythonArray *array, gint64 size, guint64 width)
{
    g_autofree Stream *stream = g_new (Stream, 1);
    gboolean is_done;

    stream->hash = stream->used = 0;
    if (width == 0 || (guint64) size > G_MAXINT64 / width) {
        printer->digest->is_partial = TRUE;
        return 0;
    }
    if (is_contiguous (array, width) && array->type != TYPE_LONG_DOUBLE
        && array->type != TYPE_LONG_COMPLEX) {
        is_done = spend (printer->digest, (guint64) size * width)
                  && feed_memory (printer->runtime, stream, array->data,
                                  (guint64) size * width);
    } else {
        is_done = gather_memory (printer, array, width, stream);
    }
    printer->digest->is_partial |= !is_done;
    return end_stream (stream);
}

/* Elements that refer to objects, in C order. */
static guint64
digest_references (PythonPrinter *printer, const PythonArray *array, guint dimension,
                   guint64 address)
{
    guint64 hash = dimension, object = 0;

    if (dimension == array->n_dimensions) {
        return python_read_u64 (printer->runtime, address, &object) && object != 0
                   ? python_digest_object (printer, object)
                   : 0;
    }
    for (gint64 i = 0; i < array->shape[dimension] && printer->digest->budget > 0; i++) {
        hash = base_hash_word (
            hash, digest_references (printer, array, dimension + 1,
                                     address + (guint64) (i * array->strides[dimension])));
    }
    return hash;
}

static guint64
digest_array (PythonPrinter *printer, const PythonArray *array)
{
    gint64 size = python_array_get_size (array);
    g_autofree PythonArray *fields = NULL;
    guint64 hash = base_hash_bytes ((guint64) array->type, array->shape,
                                    array->n_dimensions * 8);
    guint n_fields = 0;

    if (size == 0) {
        return hash;
    }
    if (array->type == TYPE_OBJECT) {
        return base_hash_word (hash, digest_references (printer, array, 0, array->data));
    }
    if (array->type == TYPE_VOID && printer->digest->depth < MAX_DEPTH) {
        fields = g_new (PythonArray, PYTHON_MAX_ARRAY_FIELDS);
        n_fields = python_array_read_fields (printer->runtime, array, fields);
    }
    printer->digest->depth++;
    for (guint i = 0; i < n_fields; i++) { /* what lies between them is nobody's */
        hash = base_hash_word (hash, digest_array (printer, &fields[i]));
    }
    printer->digest->depth--;
    return n_fields > 0
               ? hash
               : base_hash_word (hash, digest_numbers (printer, array, size,
                                                       python_array_get_element_size (array)));
}

/* ---- objects ---- */

static guint64
digest_str (PythonPrinter *printer, guint64 object)
{
    guint64 address, length;
    guint width;

    if (!python_find_characters (printer->runtime, object, &address, &width, &length)) {
        printer->digest->is_partial = TRUE;
        return 0;
    }
    return base_hash_word (width, digest_memory (printer, address, length * width));
}

static guint64
digest_int (PythonPrinter *printer, guint64 object)
{
    const PythonLayout *layout = printer->runtime->layout;
    guint64 tag = 0, count;

    printer->digest->is_partial |= !python_read_u64 (printer->runtime,
                                                     object + layout->long_tag, &tag);
    count = layout->minor >= 12 ? tag >> 3 : (gint64) tag < 0 ? 0 - tag : tag;
    return base_hash_word (layout->minor >= 12 ? tag & ~(guint64) 4 : tag,
                           digest_memory (printer, object + layout->long_digits, count * 4));
}

static guint64
digest_items (PythonPrinter *printer, const PythonType *type, guint64 object)
{
    guint64 first = 0, count = 0, hash, items[BATCH];

    if (!python_find_items (printer->runtime, type, object, &first, &count)) {
        printer->digest->is_partial = TRUE;
        return 0;
    }
    hash = count;
    for (guint64 done = 0; done < count && printer->digest->budget > 0;) {
        guint64 part = MIN (count - done, BATCH);

        if (!python_read (printer->runtime, first + done * 8, items, part * 8)) {
            printer->digest->is_partial = TRUE;
            return hash;
        }
        for (guint64 i = 0; i < part; i++) {
            hash = base_hash_word (hash, python_digest_object (printer, items[i]));
        }
        done += part;
    }
    return hash;
}

typedef struct {
    PythonPrinter *printer;
    guint64 sum;
} Members;

static gboolean
add_entry (guint64 key, guint64 value, gpointer user)
{
    Members *members = user;
    guint64 hash = python_digest_object (members->printer, key);

    members->sum += value == key
                        ? base_hash_word (1, hash)
                        : base_hash_word (hash, python_digest_object (members->printer, value));
    return members->printer->digest->budget > 0;
}

static guint64
digest_entries (PythonPrinter *printer, guint64 object, gboolean is_dict)
{
    Members members = { printer, 0 };

    printer->digest->is_partial
        |= is_dict ? !python_dict_foreach (printer->runtime, object, add_entry, &members)
                   : !python_set_foreach (printer->runtime, object, add_entry, &members);
    return members.sum;
}

static guint64
digest_deque (PythonPrinter *printer, guint64 object)
{
    guint64 count = 0, hash, item;

    python_read_u64 (printer->runtime, object + printer->runtime->layout->var_size, &count);
    printer->digest->is_partial |= count > MAX_DEQUE;
    hash = count;
    for (guint64 i = 0; i < MIN (count, MAX_DEQUE) && printer->digest->budget > 0
                        && python_deque_index (printer->runtime, object, (gint64) i, &item);
         i++) {
        hash = base_hash_word (hash, python_digest_object (printer, item));
    }
    return hash;
}

static gboolean
is_named (const PythonType *type, const char *name)
{
    return strcmp (type->full_name, name) == 0;
}

/* Whatever else its text would show, were there no limits. */
static guint64
digest_text (PythonPrinter *printer, guint64 object)
{
    g_autoptr (GString) text = g_string_new (NULL);

    python_append_known (printer, text, object, MAX_DEPTH * 2);
    return base_hash_bytes (0, text->str, text->len);
}

static guint64
digest_content (PythonPrinter *printer, const PythonType *type, guint64 object)
{
    PythonRuntime *runtime = printer->runtime;
    PythonArray array;
    PythonRaw raw;

    if ((type->flags & PYTHON_FLAG_STR) != 0) {
        return digest_str (printer, object);
    }
    if ((type->flags & PYTHON_FLAG_LONG) != 0) {
        return digest_int (printer, object);
    }
    if (is_named (type, "float")) {
        return digest_memory (printer, object + (guint64) runtime->layout->float_value, 8);
    }
    if (((type->flags & PYTHON_FLAG_BYTES) != 0 || is_named (type, "bytearray")
         || is_named (type, "array.array") || is_named (type, "memoryview"))
        && python_buffer_read (runtime, type, object, &array)) {
        return digest_array (printer, &array);
    }
    if ((type->flags & (PYTHON_FLAG_LIST | PYTHON_FLAG_TUPLE)) != 0) {
        return digest_items (printer, type, object);
    }
    if ((type->flags & PYTHON_FLAG_DICT) != 0 && !is_named (type, "collections.OrderedDict")) {
        return digest_entries (printer, object, TRUE);
    }
    if (is_named (type, "set") || is_named (type, "frozenset")) {
        return digest_entries (printer, object, FALSE);
    }
    if (is_named (type, "collections.deque")) {
        return digest_deque (printer, object);
    }
    if (python_type_has_base (runtime, type, "numpy.ndarray")
        && python_array_read (runtime, object, &array)) {
        guint64 mask = python_array_find_mask (runtime, type, object);

        return digest_array (printer, &array)
               ^ (mask != 0 ? python_digest_object (printer, mask) * 3 : 0);
    }
    if (python_ctypes_is_instance (runtime, type) && python_ctypes_read (runtime, object, &raw)
        && python_ctypes_get_length (runtime, &raw) >= 0) {
        return digest_memory (printer, raw.address, raw.size);
    }
    return digest_text (printer, object);
}

guint64
python_digest_object (PythonPrinter *printer, guint64 object)
{
    PythonDigest *digest = printer->digest;
    const PythonType *type = python_find_object_type (printer->runtime, object);
    guint64 hash;

    if (type == NULL || !spend (digest, OBJECT_COST)) {
        digest->is_partial = TRUE;
        return 0;
    }
    for (guint i = 0; i < digest->depth; i++) {
        if (digest->path[i] == object) {
            return digest->depth - i; /* it holds itself */
        }
    }
    if (digest->depth >= MAX_DEPTH) {
        digest->is_partial = TRUE;
        return 0;
    }
    digest->path[digest->depth++] = object;
    hash = base_hash_bytes (digest_content (printer, type, object), type->full_name,
                            strlen (type->full_name));
    digest->depth--;
    return hash;
}

/* ---- from outside ---- */

typedef struct {
    PythonDigest digest;
    PythonPrinter printer;
} Whole;

static void
begin (Whole *whole, PythonRuntime *runtime, guint64 budget)
{
    static const PythonLimits unlimited = { G_MAXINT, G_MAXINT, G_MAXINT, G_MAXINT, 0 };

    whole->digest = (PythonDigest){ .budget = budget };
    whole->printer = (PythonPrinter){
        .runtime = runtime, .limits = unlimited, .nodes = G_MAXINT, .digest = &whole->digest
    };
}

static void
note (JobValue *value, const Whole *whole, guint64 hash)
{
    value->rest = hash != 0 ? hash : 1; /* 0: nobody has looked */
    if (whole->digest.is_partial) {
        char *text = g_strconcat (value->text, JOB_VALUE_TOO_LARGE, NULL);

        g_free (value->text);
        value->text = text;
    }
}

/* What a line shows whole needs no hash. */
static gboolean
is_wanted (PythonRuntime *runtime, const JobValue *value, guint64 object)
{
    const PythonType *type = value->is_number || value->is_problem
                                 ? NULL
                                 : python_find_object_type (runtime, object);

    return type != NULL && (type->flags & PYTHON_FLAG_TYPE) == 0 && !is_named (type, "NoneType")
           && !is_named (type, "module") && !is_named (type, "function");
}

guint64
python_value_compare (PythonRuntime *runtime, JobValue *value, guint64 object, guint64 budget)
{
    Whole whole;

    if (budget > 0 && is_wanted (runtime, value, object)) {
        begin (&whole, runtime, budget);
        note (value, &whole, python_digest_object (&whole.printer, object));
        return budget - whole.digest.budget;
    }
    return 0;
}

void
python_array_compare (PythonRuntime *runtime, JobValue *value, const PythonArray *array,
                      guint64 budget)
{
    Whole whole;

    if (budget > 0 && !value->is_number && !value->is_problem) {
        begin (&whole, runtime, budget);
        note (value, &whole, digest_array (&whole.printer, array));
    }
}
