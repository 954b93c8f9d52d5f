/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shows C++ types that hold or point to a value without being containers. The manager's address
 * of a std::any determines its type. */
#include <glib/gi18n.h>
#include <string.h>

#include "evaluate/program-private.h"

#define MAX_BITS (1u << 20)

static JobValue *
take (JobValue *child, const char *name, const EvaluateType *type, char *text)
{
    JobValue *shown = job_value_new (name, type->name, text);
    g_free (text);
    shown->is_problem = child->is_problem;
    shown->said = job_text_dup (child->said);
    shown->children = g_ptr_array_new_with_free_func ((GDestroyNotify) job_value_free);
    g_ptr_array_add (shown->children, child);
    shown->expandable = TRUE;
    return shown;
}

static JobValue *
format_inner (EvaluateRun *run, const char *name, guint32 type, guint64 address, guint depth)
{
    EvaluateValue part = { .type = type, .place = EVALUATE_PLACE_MEMORY, .address = address };
    run->depth++;
    JobValue *child = evaluate_run_format (run, name, &part, depth);
    run->depth--;
    evaluate_value_clear (&part);
    return child;
}

/* What a duration counts, as libstdc++'s own printers write it. */
static char *
dup_unit (guint64 numerator, guint64 denominator)
{
    static const struct {
        guint64 numerator, denominator;
        const char *unit;
    } units[] = {
        { 1, 1, "s" },    { 1, 1000, "ms" }, { 1, 1000000, "us" }, { 1, 1000000000, "ns" },
        { 60, 1, "min" }, { 3600, 1, "h" },  { 86400, 1, "d" },
    };
    return BASE_CHOOSE (i, G_N_ELEMENTS (units),
                        units[i].numerator == numerator && units[i].denominator == denominator,
                        g_strdup (units[i].unit),
                        denominator == 1
                            ? g_strdup_printf ("[%" G_GUINT64_FORMAT "]s", numerator)
                            : g_strdup_printf ("[%" G_GUINT64_FORMAT "/%" G_GUINT64_FORMAT "]s",
                                               numerator, denominator));
}

static JobValue *
format_wrap (EvaluateRun *run, const char *name, const EvaluateType *type, guint64 address,
             guint depth)
{
    const guint64 *numbers = type->view_numbers;
    guint style = (guint) numbers[1];
    const char *inner;
    JobValue *child = format_inner (run,
                                    style == EVALUATE_WRAP_ADAPTER ? "c" : "[contained value]",
                                    type->view_types[0], address + numbers[0], depth);
    g_autofree char *head = evaluate_view_dup_head (type);
    g_autofree char *unit = style == EVALUATE_WRAP_DURATION ? dup_unit (numbers[2], numbers[3])
                                                            : NULL;
    switch (style) {
    case EVALUATE_WRAP_ADAPTER:
        return take (child, name, type, g_strdup_printf ("%s wrapping: %s", head, child->text));
    case EVALUATE_WRAP_PATH:
        return take (child, name, type, g_strdup_printf ("filesystem::path %s", child->text));
    case EVALUATE_WRAP_ATOMIC:
        return take (child, name, type,
                     g_strdup_printf ("%s = { %s }", type->name, child->text));
    case EVALUATE_WRAP_TIME:
        inner = strstr (child->text, " = { ");
        return take (child, name, type,
                     inner ? g_strdup_printf ("%s%s", head, inner)
                           : g_strdup_printf ("%s = { %s }", head, child->text));
    default:
        return take (child, name, type,
                     g_strdup_printf ("%s = { %s%s }", head, child->text, unit));
    }
}

static JobValue *
format_bitset (EvaluateRun *run, const char *name, const EvaluateType *type, guint64 address)
{
    g_autoptr (GString) text = g_string_new ("std::bitset");
    guint64 bits = MIN (type->view_numbers[1], MAX_BITS), word = 0;
    gboolean any = FALSE;
    for (guint64 i = 0; i < bits; i++) {
        if (i % 64 == 0
            && base_memory_read_some (run->context->memory,
                                      address + type->view_numbers[0] + i / 8, &word, 8)
                   < 8)
            return NULL;
        if (!((word >> (i % 64)) & 1))
            continue;
        g_string_append_printf (text, "%s[%" G_GUINT64_FORMAT "] = 1", any ? ", " : " = {", i);
        any = TRUE;
    }
    g_string_append (text, any ? "}" : "");
    return job_value_new (name, type->name, text->str);
}

/* The header of libstdc++'s tree is red, and its parent's parent; the root is black. */
static gboolean
is_header (EvaluateRun *run, guint64 node)
{
    guint64 parent = 0, back = 0;
    guint32 colour = 1;
    BaseMemoryReader *memory = run->context->memory;
    return base_memory_read_some (memory, node, &colour, 4) == 4 && !colour
           && base_memory_read_some (memory, node + 8, &parent, 8) == 8
           && (!parent
               || (base_memory_read_some (memory, parent + 8, &back, 8) == 8 && back == node));
}

static JobValue *
format_iterator (EvaluateRun *run, const char *name, const EvaluateType *type, guint64 address,
                 guint depth)
{
    const guint64 *numbers = type->view_numbers;
    guint64 pointer = 0;
    if (base_memory_read_some (run->context->memory, address + numbers[0], &pointer, 8) < 8)
        return NULL;
    if (!pointer)
        return job_value_new (name, type->name, N_ ("<points to nothing>"));
    if (numbers[2] && is_header (run, pointer))
        return job_value_new (name, type->name, N_ ("<the container's end>"));
    JobValue *child = format_inner (run, name, type->view_types[0], pointer + numbers[1],
                                    depth);
    g_free (child->type);
    child->type = g_strdup (type->name);
    return child;
}

static JobValue *
format_any (EvaluateRun *run, const char *name, const EvaluateType *type, guint64 address,
            guint depth)
{
    const guint64 *numbers = type->view_numbers;
    guint64 manager = 0, place = address + numbers[1];
    if (base_memory_read_some (run->context->memory, address + numbers[0], &manager, 8) < 8)
        return NULL;
    if (!manager)
        return job_value_new (name, type->name, "std::any [no contained value]");
    for (guint i = 0; i < type->n_view_types; i++) {
        if (numbers[2 + 2 * i] + run->context->bias != manager)
            continue;
        if (numbers[3 + 2 * i]
            && base_memory_read_some (run->context->memory, place, &place, 8) < 8)
            return NULL;
        JobValue *child = format_inner (run, "[contained value]", type->view_types[i], place,
                                        depth + 1);
        g_autoptr (GString) text = g_string_new ("std::any containing ");
        evaluate_view_append_name (text, run->program->types[type->view_types[i]].name);
        g_string_append_printf (text, " = {[contained value] = %s}", child->text);
        return take (child, name, type, g_string_free (g_steal_pointer (&text), FALSE));
    }
    return NULL; /* put there by another file: shown as it lies */
}

/* The function that it calls when that is one by itself, else the code that was made to call what is in it,
 * whose name says what that is. */
static JobValue *
format_function (EvaluateRun *run, const char *name, const EvaluateType *type, guint64 address)
{
    const guint64 *numbers = type->view_numbers;
    const EvaluateContext *context = run->context;
    guint64 manager = 0, words[2] = { 0 };
    if (base_memory_read_some (context->memory, address + numbers[0], &manager, 8) < 8
        || base_memory_read_some (context->memory, address + numbers[1], &words[0], 8) < 8
        || base_memory_read_some (context->memory, address + numbers[2], &words[1], 8) < 8)
        return NULL;
    g_autofree char *head = g_strdup_printf (manager ? "%s = {" : "%s [empty]", type->name);
    if (!manager)
        return job_value_new (name, type->name, head);
    g_autofree char *invoker = context->describe_address
                                   ? context->describe_address (context->user, words[0])
                                   : NULL;
    g_autofree char *target = context->describe_address
                                  ? context->describe_address (context->user, words[1])
                                  : NULL;
    gboolean plain = target && !strchr (target, '+');
    g_autofree char *text = g_strdup_printf ("%s0x%" G_GINT64_MODIFIER "x%s%s%s}", head,
                                             words[plain], plain || invoker ? " <" : "",
                                             plain     ? target
                                             : invoker ? invoker
                                                       : "",
                                             plain || invoker ? ">" : "");
    return job_value_new (name, type->name, text);
}

JobValue *
evaluate_wrapper_format (EvaluateRun *run, const char *name, const EvaluateType *type,
                         guint64 address, guint depth)
{
    switch (type->view) {
    case EVALUATE_VIEW_WRAP: return format_wrap (run, name, type, address, depth);
    case EVALUATE_VIEW_BITSET: return format_bitset (run, name, type, address);
    case EVALUATE_VIEW_ITERATOR: return format_iterator (run, name, type, address, depth);
    case EVALUATE_VIEW_ANY: return format_any (run, name, type, address, depth);
    case EVALUATE_VIEW_FUNCTION: return format_function (run, name, type, address);
    default: return NULL;
    }
}
