/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shows C++ containers described by the symbol layer (code.h's views), in the format of gdb's
 * printers. Rejects memory that cannot be a container (not constructed yet). */
#include <string.h>

#include "evaluate/program-private.h"

#define MAX_COUNT (G_GUINT64_CONSTANT (1) << 40)
#define MAX_LEVELS 200

/* Numbers and types that each view needs at least. */
static const guint8 needs[EVALUATE_N_VIEWS][2] = {
    [EVALUATE_VIEW_STRING] = { 2, 1 },   [EVALUATE_VIEW_VECTOR] = { 3, 1 },
    [EVALUATE_VIEW_BITS] = { 4, 1 },     [EVALUATE_VIEW_ARRAY] = { 2, 1 },
    [EVALUATE_VIEW_DEQUE] = { 7, 1 },    [EVALUATE_VIEW_LIST] = { 2, 1 },
    [EVALUATE_VIEW_FORWARD] = { 2, 1 },  [EVALUATE_VIEW_TREE] = { 4, 1 },
    [EVALUATE_VIEW_HASH] = { 4, 1 },     [EVALUATE_VIEW_UNIQUE] = { 1, 1 },
    [EVALUATE_VIEW_SHARED] = { 4, 1 },   [EVALUATE_VIEW_OPTIONAL] = { 2, 1 },
    [EVALUATE_VIEW_VARIANT] = { 3, 1 },  [EVALUATE_VIEW_SPAN] = { 3, 1 },
    [EVALUATE_VIEW_BITSET] = { 2, 1 },   [EVALUATE_VIEW_WRAP] = { 2, 1 },
    [EVALUATE_VIEW_ITERATOR] = { 3, 1 }, [EVALUATE_VIEW_ANY] = { 2, 0 },
    [EVALUATE_VIEW_FUNCTION] = { 3, 0 },
};

gboolean
evaluate_view_is_complete (const EvaluateType *type)
{
    return type->n_view_numbers >= needs[type->view][0]
           && type->n_view_types >= needs[type->view][1]
           && (type->view != EVALUATE_VIEW_TUPLE || type->n_view_numbers == type->n_view_types)
           && (type->view != EVALUATE_VIEW_ANY
               || type->n_view_numbers == 2 + 2 * type->n_view_types)
           && (type->view != EVALUATE_VIEW_WRAP
               || (type->view_numbers[1] < EVALUATE_N_WRAPS
                   && (type->view_numbers[1] != EVALUATE_WRAP_DURATION
                       || type->n_view_numbers >= 4)))
           && ((type->view != EVALUATE_VIEW_TREE && type->view != EVALUATE_VIEW_HASH)
               || type->n_view_types == 1 || type->n_view_numbers >= 5);
}

static gboolean
read_word (EvaluateRun *run, guint64 address, guint size, guint64 *ret_word)
{
    *ret_word = 0;
    return size <= 8
           && base_memory_read_some (run->context->memory, address, ret_word, size) == size;
}

/* The word at a view's number `at`, counted from the container's address. */
static gboolean
read_number (EvaluateRun *run, const EvaluateType *type, guint64 address, guint at,
             guint64 *ret_word)
{
    return read_word (run, address + type->view_numbers[at], 8, ret_word);
}

static guint64
get_element_size (EvaluateRun *run, const EvaluateType *type)
{
    return MAX (evaluate_run_find_size (run, type->view_types[0]), 1);
}

typedef struct {
    GArray *places; /* guint64 addresses of the first elements */
    guint64 count;  /* of all */
    guint64 capacity;
} Elements;

static void
add_place (Elements *elements, guint64 place)
{
    g_array_append_val (elements->places, place);
}

static gboolean
list_vector (EvaluateRun *run, const EvaluateType *type, guint64 address, guint64 max,
             Elements *elements)
{
    guint64 first, last, end, size = get_element_size (run, type);
    if (!read_number (run, type, address, 0, &first)
        || !read_number (run, type, address, 1, &last)
        || !read_number (run, type, address, 2, &end) || last < first || end < last
        || (last - first) % size || (end - first) % size || (last - first) / size > MAX_COUNT)
        return FALSE;
    elements->count = (last - first) / size;
    elements->capacity = (end - first) / size;
    for (guint64 i = 0; i < MIN (elements->count, max); i++)
        add_place (elements, first + i * size);
    return TRUE;
}

static gboolean
list_deque (EvaluateRun *run, const EvaluateType *type, guint64 address, guint64 max,
            Elements *elements)
{
    guint64 at, node, last, last_first, last_node, block;
    guint64 size = get_element_size (run, type), a_node = type->view_numbers[6];
    if (!a_node || !read_number (run, type, address, 0, &at)
        || !read_number (run, type, address, 2, &node)
        || !read_number (run, type, address, 3, &last)
        || !read_number (run, type, address, 4, &last_first)
        || !read_number (run, type, address, 5, &last_node) || !read_word (run, node, 8, &block)
        || node > last_node || (last_node - node) % 8 || at < block || last < last_first
        || at - block > a_node * size || (at - block) % size || (last - last_first) % size
        || (last_node - node) / 8 > MAX_COUNT)
        return FALSE;
    guint64 skipped = (at - block) / size;
    elements->count = (last_node - node) / 8 * a_node + (last - last_first) / size - skipped;
    if (elements->count > MAX_COUNT)
        return FALSE;
    for (guint64 i = 0; i < MIN (elements->count, max); i++) {
        guint64 number = skipped + i;
        if ((number % a_node == 0 || i == 0)
            && !read_word (run, node + number / a_node * 8, 8, &block))
            return FALSE;
        add_place (elements, block + number % a_node * size);
    }
    return TRUE;
}

static gboolean
list_span (EvaluateRun *run, const EvaluateType *type, guint64 address, guint64 max,
           Elements *elements)
{
    guint64 first, count = type->view_numbers[1], size = get_element_size (run, type);
    if (!read_number (run, type, address, 0, &first)
        || (!type->view_numbers[2] && !read_number (run, type, address, 1, &count))
        || count > MAX_COUNT)
        return FALSE;
    elements->count = count;
    for (guint64 i = 0; i < MIN (count, max); i++)
        add_place (elements, first + i * size);
    return TRUE;
}

/* next: where in a node the pointer to the next one is; end: where the walk ends. */
static gboolean
walk_chain (EvaluateRun *run, guint64 first, guint64 end, guint64 next, guint64 value,
            guint64 max, Elements *elements)
{
    guint64 at = first;
    while (at && at != end && elements->places->len < max) {
        add_place (elements, at + value);
        if (!read_word (run, at + next, 8, &at))
            return FALSE;
    }
    if (at && at != end)
        elements->count = G_MAXUINT64; /* more than shown */
    else
        elements->count = elements->places->len;
    return TRUE;
}

static gboolean
list_hash (EvaluateRun *run, const EvaluateType *type, guint64 address, guint64 max,
           Elements *elements)
{
    guint64 first, count;
    if (!read_number (run, type, address, 0, &first)
        || !read_number (run, type, address, 1, &count) || count > MAX_COUNT
        || !walk_chain (run, first, 0, 0, type->view_numbers[2], MIN (max, count), elements)
        || elements->places->len != MIN (max, count))
        return FALSE;
    elements->count = count;
    return TRUE;
}

/* Where a node's pointers are. std::_Rb_tree_node_base is {colour, parent, left, right}; others say
 * it in the view. */
typedef struct {
    guint64 left, right, parent;
} Node;

static gboolean
find_successor (EvaluateRun *run, const Node *offsets, guint64 *node)
{
    guint64 at = *node, next;
    if (!read_word (run, at + offsets->right, 8, &next))
        return FALSE;
    if (next) {
        for (guint level = 0; next && level < MAX_LEVELS; level++) {
            at = next;
            if (!read_word (run, at + offsets->left, 8, &next))
                return FALSE;
        }
        *node = at;
        return !next;
    }
    for (guint level = 0; level < MAX_LEVELS; level++) {
        guint64 parent, left;
        if (!read_word (run, at + offsets->parent, 8, &parent)
            || !read_word (run, parent + offsets->left, 8, &left))
            return FALSE;
        gboolean was_left = left == at;
        at = parent;
        if (was_left) {
            *node = at;
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean
list_tree (EvaluateRun *run, const EvaluateType *type, guint64 address, guint64 max,
           Elements *elements)
{
    const guint64 *numbers = type->view_numbers;
    gboolean named = type->n_view_numbers >= 8;
    Node offsets = { 16, 24, 8 };
    if (named)
        offsets = (Node){ numbers[5], numbers[6], numbers[7] };
    guint64 node, count, header = address + numbers[0];
    if (!read_number (run, type, address, 1, &count) || count > MAX_COUNT
        || !read_word (run, header + (named ? 0 : offsets.left), 8, &node))
        return FALSE;
    elements->count = count;
    for (guint64 i = 0; i < MIN (count, max); i++) {
        if (!node || node == header || (i && !find_successor (run, &offsets, &node))
            || node == header)
            return FALSE;
        add_place (elements, node + numbers[2]);
    }
    return TRUE;
}

/* FALSE: this memory is no such container. */
static gboolean
list_elements (EvaluateRun *run, const EvaluateType *type, guint64 address, guint64 max,
               Elements *elements)
{
    guint64 word, next;
    switch (type->view) {
    case EVALUATE_VIEW_VECTOR: return list_vector (run, type, address, max, elements);
    case EVALUATE_VIEW_ARRAY:
        elements->count = type->view_numbers[1];
        for (guint64 i = 0; i < MIN (elements->count, max); i++)
            add_place (elements,
                       address + type->view_numbers[0] + i * get_element_size (run, type));
        return TRUE;
    case EVALUATE_VIEW_SPAN: return list_span (run, type, address, max, elements);
    case EVALUATE_VIEW_DEQUE: return list_deque (run, type, address, max, elements);
    case EVALUATE_VIEW_LIST:
        next = type->n_view_numbers > 2 ? type->view_numbers[2] : 0;
        return read_word (run, address + type->view_numbers[0] + next, 8, &word) && word
               && walk_chain (run, word, address + type->view_numbers[0], next,
                              type->view_numbers[1], max, elements);
    case EVALUATE_VIEW_FORWARD:
        return read_number (run, type, address, 0, &word)
               && walk_chain (run, word, 0, 0, type->view_numbers[1], max, elements);
    case EVALUATE_VIEW_TREE: return list_tree (run, type, address, max, elements);
    case EVALUATE_VIEW_HASH: return list_hash (run, type, address, max, elements);
    default: return FALSE;
    }
}

static char *
format_at (EvaluateRun *run, guint32 type, guint64 place, guint depth)
{
    EvaluateValue part = { .type = type, .place = EVALUATE_PLACE_MEMORY, .address = place };
    JobValue *shown = evaluate_run_format (run, NULL, &part, depth);
    char *text = g_steal_pointer (&shown->text);
    job_value_free (shown);
    evaluate_value_clear (&part);
    return text;
}

char *
evaluate_view_dup_head (const EvaluateType *type)
{
    gsize length = strcspn (type->name, "<");
    if (g_str_has_prefix (type->name, "std::__1::"))
        return g_strdup_printf ("std::%.*s", (int) length - 10, type->name + 10);
    return g_strndup (type->name, length);
}

static JobValue *
new_problem (const char *name, const EvaluateType *type)
{
    g_autofree char *short_name = evaluate_view_dup_head (type);
    /* Translators: a type: "<no valid std::map>". */
    return job_value_new_problem (name, type->name, job_text_new ("<no valid %s>", short_name));
}

static void
add_child (JobValue *shown, JobValue *child)
{
    if (!shown->children)
        shown->children = g_ptr_array_new_with_free_func ((GDestroyNotify) job_value_free);
    g_ptr_array_add (shown->children, child);
    shown->expandable = TRUE;
}

static void
format_head (const EvaluateType *type, const Elements *elements, GString *text)
{
    g_autofree char *name = evaluate_view_dup_head (type);
    const char *plural = elements->count == 1 ? "" : "s";
    switch (type->view) {
    case EVALUATE_VIEW_VECTOR:
        g_string_append_printf (text,
                                "%s of length %" G_GUINT64_FORMAT
                                ", capacity %" G_GUINT64_FORMAT,
                                name, elements->count, elements->capacity);
        break;
    case EVALUATE_VIEW_SPAN:
        g_string_append_printf (text, "%s of length %" G_GUINT64_FORMAT, name, elements->count);
        break;
    case EVALUATE_VIEW_LIST:
    case EVALUATE_VIEW_FORWARD:
        g_string_append_printf (text, "%s%s", elements->count ? "" : "empty ", name);
        break;
    default:
        g_string_append_printf (text, "%s with %" G_GUINT64_FORMAT " element%s", name,
                                elements->count, plural);
    }
}

gboolean
evaluate_view_is_map (const EvaluateType *type)
{
    return (type->view == EVALUATE_VIEW_TREE || type->view == EVALUATE_VIEW_HASH)
           && type->n_view_types > 1;
}

/* key_at: where the key is in a node's value; the same for what it maps to. */
static JobValue *
format_element (EvaluateRun *run, const EvaluateType *type, guint64 place, guint number,
                GString *text, guint depth)
{
    g_autofree char *label = NULL;
    EvaluateValue part = { .type = type->view_types[0], .place = EVALUATE_PLACE_MEMORY };
    if (evaluate_view_is_map (type)) {
        g_autofree char *key = format_at (run, type->view_types[0],
                                          place + type->view_numbers[3], depth + 1);
        label = g_strdup_printf ("[%s]", key);
        part.type = type->view_types[1];
        part.address = place + type->view_numbers[4];
    } else {
        label = g_strdup_printf ("[%u]", number);
        part.address = place;
    }
    JobValue *child = evaluate_run_format (run, label, &part, depth + 1);
    gboolean labelled = type->view != EVALUATE_VIEW_VECTOR && type->view != EVALUATE_VIEW_DEQUE
                        && type->view != EVALUATE_VIEW_ARRAY
                        && type->view != EVALUATE_VIEW_SPAN;
    if (labelled)
        g_string_append_printf (text, "%s = ", label);
    g_string_append (text, child->text);
    evaluate_value_clear (&part);
    return child;
}

static JobValue *
format_sequence (EvaluateRun *run, const char *name, const EvaluateType *type, guint64 address,
                 guint depth)
{
    g_autoptr (GArray) places = g_array_new (FALSE, FALSE, 8);
    Elements elements = { places, 0, 0 };
    guint64 items = MAX (run->limits->items, 1);
    if (!list_elements (run, type, address, items, &elements))
        return new_problem (name, type);
    g_autoptr (GString) text = g_string_new (NULL);
    JobValue *shown = job_value_new (name, type->name, "");
    format_head (type, &elements, text);
    shown->expandable = places->len > 0;
    if (depth >= run->limits->depth && places->len) {
        g_string_append (text, " = {...}");
        run->depth++;
        evaluate_rest_note_elements (run, type, address, 0);
        run->depth--;
    } else if (places->len) {
        g_string_append (text, " = {");
        run->depth++;
        for (guint i = 0; i < places->len; i++) {
            g_string_append (text, i ? ", " : "");
            add_child (shown, format_element (run, type, g_array_index (places, guint64, i), i,
                                              text, depth));
        }
        g_string_append (text, places->len < elements.count ? "...}" : "}");
        if (places->len < elements.count)
            evaluate_rest_note_elements (run, type, address, places->len);
        run->depth--;
    }
    g_free (shown->text);
    shown->text = g_strdup (text->str);
    return shown;
}

/* std::vector<bool>: the first word's address; ret_capacity may be NULL. */
static gboolean
find_bits (EvaluateRun *run, const EvaluateType *type, guint64 address, guint64 *ret_first,
           guint64 *ret_count, guint64 *ret_capacity)
{
    guint64 last, end, bit;
    if (!read_number (run, type, address, 0, ret_first)
        || !read_number (run, type, address, 1, &last)
        || !read_word (run, address + type->view_numbers[2], 4, &bit)
        || !read_number (run, type, address, 3, &end) || last < *ret_first || end < last
        || bit > 63 || (last - *ret_first) % 8 || last - *ret_first > MAX_COUNT
        || end - *ret_first > G_MAXINT64 / 8)
        return FALSE;
    *ret_count = (last - *ret_first) * 8 + bit;
    if (ret_capacity)
        *ret_capacity = (end - *ret_first) * 8;
    return TRUE;
}

static JobValue *
format_bits (EvaluateRun *run, const char *name, const EvaluateType *type, guint64 address)
{
    guint64 first, count, capacity, word = 0;
    if (!find_bits (run, type, address, &first, &count, &capacity))
        return new_problem (name, type);
    g_autoptr (GString) text = g_string_new (NULL);
    g_string_append_printf (text,
                            "std::vector<bool> of length %" G_GUINT64_FORMAT
                            ", capacity %" G_GUINT64_FORMAT,
                            count, capacity);
    guint64 items = MIN (count, MAX (run->limits->items, 1));
    for (guint64 i = 0; i < items; i++) {
        if (i % 64 == 0 && !read_word (run, first + i / 8, 8, &word))
            return new_problem (name, type);
        g_string_append_printf (text, "%s%s", i ? ", " : " = {",
                                (word >> (i % 64)) & 1 ? "true" : "false");
    }
    if (items)
        g_string_append (text, items < count ? "...}" : "}");
    if (items < count)
        evaluate_rest_note_memory (run, first, (count + 7) / 8);
    return job_value_new (name, type->name, text->str);
}

/* Where the characters are, and how many: with four numbers a short text lies in the object itself
 * when the lowest bit of the third is clear; its upper bits are the length. */
gboolean
evaluate_view_find_characters (EvaluateRun *run, const EvaluateType *type, guint64 address,
                               guint64 *ret_pointer, guint64 *ret_length)
{
    guint64 flags = 1;
    if (type->n_view_numbers >= 4
        && !read_word (run, address + type->view_numbers[2], 1, &flags))
        return FALSE;
    if (!(flags & 1)) {
        *ret_pointer = address + type->view_numbers[3];
        *ret_length = flags >> 1;
        return TRUE;
    }
    return read_number (run, type, address, 0, ret_pointer)
           && read_number (run, type, address, 1, ret_length);
}

static JobValue *
format_string (EvaluateRun *run, const char *name, const EvaluateType *type, guint64 address)
{
    guint64 pointer, length;
    const EvaluateType *character = evaluate_run_get_type (run, type->view_types[0]);
    if (!evaluate_view_find_characters (run, type, address, &pointer, &length)
        || length > MAX_COUNT || !character->size || character->size > 4)
        return new_problem (name, type);
    gsize shown = MIN (length, (guint64) run->limits->bytes) * character->size;
    g_autofree guint8 *bytes = g_malloc (shown + 1);
    if (base_memory_read_some (run->context->memory, pointer, bytes, shown) < shown)
        return new_problem (name, type);
    g_autofree char *text = evaluate_format_quote (bytes, shown, character->size,
                                                   character->lower,
                                                   length * character->size > shown);
    if (length * character->size > shown)
        evaluate_rest_note_memory (run, pointer, length * character->size);
    return job_value_new (name, type->name, text);
}

void
evaluate_view_append_name (GString *text, const char *name)
{
    static const char *const strings[] = { "std::__cxx11::basic_string<char",
                                           "std::__1::basic_string<char",
                                           "std::basic_string<char" };
    for (guint i = 0; i < G_N_ELEMENTS (strings); i++) {
        if (g_str_has_prefix (name, strings[i])) {
            g_string_append (text, "std::string");
            return;
        }
    }
    g_string_append (text, name);
}

static JobValue *
format_tuple (EvaluateRun *run, const char *name, const EvaluateType *type, guint64 address,
              guint depth)
{
    g_autoptr (GString) text = g_string_new (type->n_view_types ? "std::tuple containing = {"
                                                                : "empty std::tuple");
    JobValue *shown = job_value_new (name, type->name, "");
    run->depth++;
    for (guint i = 0; i < type->n_view_types; i++) {
        g_autofree char *label = g_strdup_printf ("[%u]", i); /* as std::get<> counts */
        EvaluateValue part = { .type = type->view_types[i],
                               .place = EVALUATE_PLACE_MEMORY,
                               .address = address + type->view_numbers[i] };
        JobValue *child = evaluate_run_format (run, label, &part, depth + 1);
        g_string_append_printf (text, "%s%s = %s", i ? ", " : "", label, child->text);
        add_child (shown, child);
        evaluate_value_clear (&part);
    }
    run->depth--;
    g_string_append (text, type->n_view_types ? "}" : "");
    g_free (shown->text);
    shown->text = g_strdup (text->str);
    return shown;
}

static gboolean
is_held (guint64 address)
{
    return address >= EVALUATE_HELD_AT;
}

static JobValue *
format_pointer (EvaluateRun *run, const char *name, const EvaluateType *type, guint64 address)
{
    guint64 pointer = 0, counts = 0, use = 0, weak = 0;
    g_autoptr (GString) text = g_string_new (NULL);
    const char *to = run->program->types[type->view_types[type->n_view_types - 1]].name;
    gsize length = strlen (to);
    /* that of a shared one may be gone while the counts are there */
    gboolean knows = read_number (run, type, address, 0, &pointer);
    if (!knows && (type->view != EVALUATE_VIEW_SHARED || !is_held (address)))
        return new_problem (name, type);
    g_autofree char *head = evaluate_view_dup_head (type);
    g_string_append_printf (text, "%s<", head);
    /* of an array it is a type of the class's own, and the class's only argument says which */
    const char *open = strstr (to, "::element_type") ? strchr (type->name, '<') : NULL;
    const char *close = open ? strrchr (open, '>') : NULL;
    g_autofree char *pointee = close
                                   ? g_strndup (open + 1, (gsize) (close - open - 1))
                                   : g_strndup (to, length && to[length - 1] == '*' ? length - 1
                                                                                    : length);
    evaluate_view_append_name (text, g_strchomp (pointee));
    /* what it points to is the first of an array */
    const char *array = strstr (type->name, "[]"); /* behind a space, or as clang has it */
    if (type->view == EVALUATE_VIEW_UNIQUE && array
        && array < type->name + strcspn (type->name, ","))
        g_string_append (text, " []");
    g_string_append (text, ">");
    if (type->view == EVALUATE_VIEW_SHARED) {
        if (!read_number (run, type, address, 1, &counts)
            || (counts
                && (!read_word (run, counts + type->view_numbers[2], 4, &use)
                    || !read_word (run, counts + type->view_numbers[3], 4, &weak))))
            return new_problem (name, type);
        use += type->n_view_numbers > 4 ? type->view_numbers[4] : 0;
        weak += type->n_view_numbers > 4 ? type->view_numbers[4] : 0;
        if (counts
            && ((gint32) use < 0 || (gint32) weak < 0)) /* as where it has been destroyed */
            return new_problem (name, type);
        if (!counts)
            g_string_append (text, " (empty)");
        else if ((guint32) use)
            g_string_append_printf (text, " (use count %u, weak count %u)", (guint) use,
                                    (guint) weak - 1);
        else
            g_string_append_printf (text, " (expired, weak count %u)", (guint) weak);
    }
    if (knows)
        g_string_append_printf (text, " = {get() = 0x%" G_GINT64_MODIFIER "x}", pointer);
    else
        g_string_append (text, " = {get() = <optimised out>}");
    JobValue *shown = job_value_new (name, type->name, text->str);
    shown->expandable = pointer != 0;
    return shown;
}

static JobValue *
format_choice (EvaluateRun *run, const char *name, const EvaluateType *type, guint64 address,
               guint depth)
{
    gboolean variant = type->view == EVALUATE_VIEW_VARIANT;
    guint64 index;
    g_autoptr (GString) text = g_string_new (variant ? "std::variant<" : "std::optional<");
    guint size = variant ? type->view_numbers[2] : 1;
    if (size > 8 || !read_word (run, address + type->view_numbers[1], size, &index))
        return new_problem (name, type);
    for (guint i = 0; i < type->n_view_types; i++) {
        g_string_append (text, i ? ", " : "");
        evaluate_view_append_name (text, run->program->types[type->view_types[i]].name);
    }
    g_string_append_c (text, '>');
    gboolean none = variant ? index >= type->n_view_types : !index;
    JobValue *shown = job_value_new (name, type->name, "");
    if (none) {
        g_string_append (text, " [no contained value]");
    } else {
        EvaluateValue part = { .type = type->view_types[variant ? index : 0],
                               .place = EVALUATE_PLACE_MEMORY,
                               .address = address + type->view_numbers[0] };
        run->depth++;
        JobValue *child = evaluate_run_format (run, "[contained value]", &part, depth + 1);
        run->depth--;
        if (variant)
            g_string_append_printf (text, " [index %u] = {%s}", (guint) index, child->text);
        else
            g_string_append_printf (text, " = {[contained value] = %s}", child->text);
        add_child (shown, child);
        evaluate_value_clear (&part);
    }
    g_free (shown->text);
    shown->text = g_strdup (text->str);
    return shown;
}

static JobValue *
format_view (EvaluateRun *run, const char *name, EvaluateValue *value, guint depth)
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    switch (type->view) {
    case EVALUATE_VIEW_NONE:
    case EVALUATE_VIEW_ARRAY: return NULL;
    case EVALUATE_VIEW_STRING: return format_string (run, name, type, value->address);
    case EVALUATE_VIEW_BITS: return format_bits (run, name, type, value->address);
    case EVALUATE_VIEW_TUPLE: return format_tuple (run, name, type, value->address, depth);
    case EVALUATE_VIEW_UNIQUE:
    case EVALUATE_VIEW_SHARED: return format_pointer (run, name, type, value->address);
    case EVALUATE_VIEW_OPTIONAL:
    case EVALUATE_VIEW_VARIANT: return format_choice (run, name, type, value->address, depth);
    case EVALUATE_VIEW_BITSET:
    case EVALUATE_VIEW_WRAP:
    case EVALUATE_VIEW_ITERATOR:
    case EVALUATE_VIEW_ANY:
    case EVALUATE_VIEW_FUNCTION:
        return evaluate_wrapper_format (run, name, type, value->address, depth);
    default: return format_sequence (run, name, type, value->address, depth);
    }
}

/* NULL: too little of it is known. */
static JobValue *
format_held (EvaluateRun *run, const char *name, EvaluateValue *value, guint depth)
{
    EvaluateHold hold;
    if (!evaluate_hold_begin (run, value, &hold))
        return NULL;
    JobValue *shown = format_view (run, name, &hold.value, depth);
    evaluate_hold_end (run, &hold);
    if (shown && shown->is_problem) {
        job_value_free (shown);
        shown = NULL;
    }
    return shown;
}

JobValue *
evaluate_view_format (EvaluateRun *run, const char *name, EvaluateValue *value, guint depth)
{
    if (value->problem || run->depth > 30)
        return NULL;
    if (value->place == EVALUATE_PLACE_MEMORY)
        return format_view (run, name, value, depth);
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    if (type->view == EVALUATE_VIEW_NONE || type->view == EVALUATE_VIEW_ARRAY)
        return NULL;
    return format_held (run, name, value, depth);
}

gboolean
evaluate_view_find_count (EvaluateRun *run, const EvaluateValue *value, guint64 *ret_count)
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    g_autoptr (GArray) places = g_array_new (FALSE, FALSE, 8);
    Elements elements = { places, 0, 0 };
    guint64 pointer;
    if (value->problem || value->place != EVALUATE_PLACE_MEMORY)
        return FALSE;
    if (type->view == EVALUATE_VIEW_STRING)
        return evaluate_view_find_characters (run, type, value->address, &pointer, ret_count);
    if (type->view == EVALUATE_VIEW_BITSET) {
        *ret_count = type->view_numbers[1];
        return TRUE;
    }
    if (type->view == EVALUATE_VIEW_BITS)
        return find_bits (run, type, value->address, &pointer, ret_count, NULL);
    gboolean chain = type->view == EVALUATE_VIEW_LIST || type->view == EVALUATE_VIEW_FORWARD;
    if (!list_elements (run, type, value->address, chain ? 1 << 20 : 0, &elements)
        || elements.count == G_MAXUINT64)
        return FALSE;
    *ret_count = elements.count;
    return TRUE;
}

gboolean
evaluate_view_find_element (EvaluateRun *run, const EvaluateValue *value, guint64 number,
                            guint64 *ret_address)
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    guint64 size = get_element_size (run, type), first, count;
    g_autoptr (GArray) places = g_array_new (FALSE, FALSE, 8);
    Elements elements = { places, 0, 0 };
    if (!evaluate_view_find_count (run, value, &count) || number >= count)
        return FALSE;
    if (type->view == EVALUATE_VIEW_STRING || type->view == EVALUATE_VIEW_VECTOR
        || type->view == EVALUATE_VIEW_SPAN) {
        if (type->view == EVALUATE_VIEW_STRING
                ? !evaluate_view_find_characters (run, type, value->address, &first, &count)
                : !read_number (run, type, value->address, 0, &first))
            return FALSE;
        *ret_address = first + number * size;
        return TRUE;
    }
    if (number > 1 << 20 || !list_elements (run, type, value->address, number + 1, &elements)
        || places->len <= number)
        return FALSE;
    *ret_address = g_array_index (places, guint64, number);
    return TRUE;
}

gboolean
evaluate_view_find_bit (EvaluateRun *run, const EvaluateValue *value, guint64 number,
                        gboolean *ret_bit)
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    guint64 first = value->address, count, word;
    if (value->problem || value->place != EVALUATE_PLACE_MEMORY
        || (type->view != EVALUATE_VIEW_BITS && type->view != EVALUATE_VIEW_BITSET))
        return FALSE;
    if (type->view == EVALUATE_VIEW_BITSET) {
        first += type->view_numbers[0];
        count = type->view_numbers[1];
    } else if (!find_bits (run, type, value->address, &first, &count, NULL)) {
        return FALSE;
    }
    if (number >= count || !read_word (run, first + number / 64 * 8, 8, &word))
        return FALSE;
    *ret_bit = (word >> (number % 64)) & 1;
    return TRUE;
}

gboolean
evaluate_view_list_places (EvaluateRun *run, const EvaluateValue *value, guint64 max,
                           GArray *places)
{
    Elements elements = { places, 0, 0 };
    return list_elements (run, evaluate_run_get_type (run, value->type), value->address, max,
                          &elements);
}
