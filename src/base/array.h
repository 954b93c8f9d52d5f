/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays and tables: how they are searched, sorted, walked and freed. A search is an expression, and so are its
 * `condition` and `value`, of the index `i` or the element `item` that it names; `n` and `array` are computed once, and
 * an array that is NULL is empty. */
#pragma once
#include <string.h>
#include <glib.h>

#define BASE_SEEK_(i, n, condition)                                                            \
    const __typeof__ ((n) + 0u) n_##i = (n);                                                   \
    __typeof__ ((n) + 0u) i = 0;                                                               \
    while (i < n_##i && !(condition)) {                                                        \
        i++;                                                                                   \
    }

/* Whether the condition is true for one of the indices below n, in their order, or for all. */
#define BASE_ANY(i, n, condition)                                                              \
    ({                                                                                         \
        BASE_SEEK_ (i, n, condition)                                                           \
        i < n_##i;                                                                             \
    })
#define BASE_ALL(i, n, condition) (!BASE_ANY (i, n, !(condition)))

/* A value for the first index whose condition is true. */
#define BASE_CHOOSE(i, n, condition, value, otherwise)                                         \
    ({                                                                                         \
        BASE_SEEK_ (i, n, condition)                                                           \
        i < n_##i ? (value) : (otherwise);                                                     \
    })

/* The sum of a value for all indices below n. */
#define BASE_SUM(type, i, n, value)                                                            \
    ({                                                                                         \
        const __typeof__ ((n) + 0u) n_##i = (n);                                               \
        type sum_##i = 0;                                                                      \
        for (__typeof__ ((n) + 0u) i = 0; i < n_##i; i++) {                                    \
            sum_##i += (value);                                                                \
        }                                                                                      \
        sum_##i;                                                                               \
    })

/* The first index from low to high for which the condition is false, or high. It is true for all before that one,
 * and false for all behind it. */
#define BASE_BISECT(i, low, high, condition)                                                   \
    ({                                                                                         \
        __typeof__ ((high) + 0u) low_##i = (low), high_##i = (high);                           \
        while (low_##i < high_##i) {                                                           \
            const __typeof__ ((high) + 0u) i = low_##i + (high_##i - low_##i) / 2;             \
            if (condition) {                                                                   \
                low_##i = i + 1;                                                               \
            } else {                                                                           \
                high_##i = i;                                                                  \
            }                                                                                  \
        }                                                                                      \
        low_##i;                                                                               \
    })

#define BASE_SEEK_ITEM_(array, type, item, get)                                                \
    __auto_type array_##item = (array);                                                        \
    type *item = NULL;                                                                         \
    for (guint at_##item = 0;                                                                  \
         item == NULL && array_##item != NULL && at_##item < array_##item->len; at_##item++) { \
        item = get;                                                                            \
    }
#define BASE_SEEK_POINTER_(array, type, item, condition)                                       \
    BASE_SEEK_ITEM_ (array, type, item,                                                        \
                     (item = g_ptr_array_index (array_##item, at_##item),                      \
                      (condition) ? item : NULL))
#define BASE_SEEK_ROW_(array, type, item, condition)                                           \
    BASE_SEEK_ITEM_ (array, type, item,                                                        \
                     (item = &g_array_index (array_##item, type, at_##item),                   \
                      (condition) ? item : NULL))

/* The first element of a GPtrArray whose condition is true, as `type *`, or NULL; whether there is one; a value for
 * it. Those with ROW take a GArray of `type`. */
#define BASE_FIND(array, type, item, condition)                                                \
    ({                                                                                         \
        BASE_SEEK_POINTER_ (array, type, item, condition)                                      \
        item;                                                                                  \
    })
#define BASE_FIND_ROW(array, type, item, condition)                                            \
    ({                                                                                         \
        BASE_SEEK_ROW_ (array, type, item, condition)                                          \
        item;                                                                                  \
    })
#define BASE_HAS(array, type, item, condition)                                                 \
    (BASE_FIND (array, type, item, condition) != NULL)
#define BASE_HAS_ROW(array, type, item, condition)                                             \
    (BASE_FIND_ROW (array, type, item, condition) != NULL)
#define BASE_PICK(array, type, item, condition, value, otherwise)                              \
    ({                                                                                         \
        BASE_SEEK_POINTER_ (array, type, item, condition)                                      \
        item != NULL ? (value) : (otherwise);                                                  \
    })
#define BASE_PICK_ROW(array, type, item, condition, value, otherwise)                          \
    ({                                                                                         \
        BASE_SEEK_ROW_ (array, type, item, condition)                                          \
        item != NULL ? (value) : (otherwise);                                                  \
    })

/* A loop over the elements of a GPtrArray, each as `type *item`, or with ROW of a GArray of `type`. */
#define BASE_EACH(array, type, item)                                                           \
    BASE_EACH_OF_ (array, type, item, g_ptr_array_index (array, at_##item))
#define BASE_EACH_ROW(array, type, item)                                                       \
    BASE_EACH_OF_ (array, type, item, &g_array_index (array, type, at_##item))
/* The inner loop runs once; a break in it leaves go_ 0, which ends the outer one. */
#define BASE_EACH_OF_(array, type, item, get)                                                  \
    for (guint at_##item = 0, go_##item = 1;                                                   \
         go_##item && (array) != NULL && at_##item < (array)->len; at_##item++)                \
        for (type *item = (go_##item = 0, get); !go_##item; go_##item = 1)

/* The entries of a GHashTable, whose keys and values go to the two gpointers at `key` and `value`, which may be NULL. */
#define BASE_WALK(table, key, value)                                                           \
    for (GHashTableIter iter = base_table_begin (table);                                       \
         g_hash_table_iter_next (&iter, key, value);)

static inline GHashTableIter
base_table_begin (GHashTable *table)
{
    GHashTableIter iter;

    g_hash_table_iter_init (&iter, table);
    return iter;
}

/* Appends to a GArray of `type` an element of these members. */
#define BASE_APPEND(array, type, ...) g_array_append_vals (array, &(type){ __VA_ARGS__ }, 1)

/* For sorting: BASE_ORDER defines a function that compares two elements of a GArray, `left` and `right`, each a
 * `const type *`; BASE_ORDER_POINTERS one for the elements of a GPtrArray. `answer` is below 0 where left comes first:
 * BASE_BY (rank) ?: BASE_BY (line) compares the lines of those with the same rank. */
#define BASE_COMPARE(x, y)                                                                     \
    ({                                                                                         \
        const __auto_type x_ = (x);                                                            \
        const __auto_type y_ = (y);                                                            \
        (x_ > y_) - (x_ < y_);                                                                 \
    })
#define BASE_BY(field) BASE_COMPARE (left->field, right->field)
#define BASE_BY_DOWN(field) BASE_COMPARE (right->field, left->field)

#define BASE_ORDER(name, type, answer)                                                         \
    static int name (gconstpointer a, gconstpointer b)                                         \
    {                                                                                          \
        const type *left = a, *right = b;                                                      \
                                                                                               \
        return answer;                                                                         \
    }
#define BASE_ORDER_POINTERS(name, type, answer)                                                \
    static int name (gconstpointer a, gconstpointer b)                                         \
    {                                                                                          \
        const type *left = *(const type *const *) a, *right = *(const type *const *) b;        \
                                                                                               \
        return answer;                                                                         \
    }

/* Elements that are texts. */
static inline int
base_order_texts (gconstpointer a, gconstpointer b)
{
    return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Defines the function that frees an element: statements that free what it has, and then itself. */
#define BASE_FREE(name, type, item, ...)                                                       \
    static void name (gpointer data)                                                           \
    {                                                                                          \
        type *item = data;                                                                     \
                                                                                               \
        __VA_ARGS__;                                                                           \
        g_free (item);                                                                         \
    }
/* The same for a public type's function, which takes NULL. */
#define BASE_FREE_PUBLIC(name, type, item, ...)                                                \
    void name (type *item)                                                                     \
    {                                                                                          \
        if (item != NULL) {                                                                    \
            __VA_ARGS__;                                                                       \
            g_free (item);                                                                     \
        }                                                                                      \
    }
