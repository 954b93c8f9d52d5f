/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts a million keys without comparisons. */

#include "symbol/scan-private.h"

#define DIGIT_BITS 11
#define N_DIGITS (1 << DIGIT_BITS)

typedef struct {
    guint64 key;
    guint32 number;
} Item;

guint32 *
symbol_scan_sort (const guint64 *keys, guint n)
{
    g_autofree Item *items = g_new (Item, n + 1);
    g_autofree Item *other = g_new (Item, n + 1);
    Item *from = items, *to = other;
    guint64 differs = 0;
    gboolean sorted = TRUE;
    for (guint i = 0; i < n; i++) {
        items[i] = (Item){ keys[i], i };
        differs |= keys[i] ^ keys[0];
        sorted = sorted && (!i || keys[i - 1] <= keys[i]);
    }
    for (guint shift = 0; shift < 64 && !sorted; shift += DIGIT_BITS) {
        guint32 at[N_DIGITS] = { 0 }, sum = 0;
        if (!(differs >> shift & (N_DIGITS - 1)))
            continue;
        for (guint i = 0; i < n; i++)
            at[from[i].key >> shift & (N_DIGITS - 1)]++;
        for (guint i = 0; i < N_DIGITS; i++) {
            guint32 count = at[i];
            at[i] = sum;
            sum += count;
        }
        for (guint i = 0; i < n; i++)
            to[at[from[i].key >> shift & (N_DIGITS - 1)]++] = from[i];
        Item *swapped = from;
        from = to;
        to = swapped;
    }
    guint32 *order = g_new (guint32, n + 1);
    for (guint i = 0; i < n; i++)
        order[i] = from[i].number;
    return order;
}
