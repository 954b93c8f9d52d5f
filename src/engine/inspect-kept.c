/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values that the user keeps in a rank by names of his own: print $x = n. Each rank has its
 * own. */
#include "engine/inspect-private.h"
#include <string.h>

#define MAX_KEPT 1000u

typedef struct {
    char *type; /* as an expression reads it */
    GBytes *bytes;
} Kept;

static void
free_kept (gpointer data)
{
    Kept *kept = data;

    g_free (kept->type);
    g_bytes_unref (kept->bytes);
    g_free (kept);
}

GBytes *
engine_native_find_kept (gpointer user, const char *name)
{
    const EngineNative *scope = user;
    const Kept *kept =
        scope->process->kept != NULL ? g_hash_table_lookup (scope->process->kept, name) : NULL;

    return kept != NULL ? kept->bytes : NULL;
}

void
engine_native_keep (gpointer user, const char *name, const char *type, const guint8 *bytes,
                    gsize size)
{
    EngineProcess *process = ((EngineNative *) user)->process;
    Kept *kept;

    if (process->kept == NULL)
        process->kept = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_kept);
    if (bytes == NULL) {
        g_hash_table_remove (process->kept, name);
        return;
    }
    if (g_hash_table_size (process->kept) >= MAX_KEPT &&
        !g_hash_table_contains (process->kept, name))
        return;
    kept = g_new0 (Kept, 1);
    kept->type = g_strdup (type);
    kept->bytes = g_bytes_new (bytes, size);
    g_hash_table_replace (process->kept, g_strdup (name), kept);
}

/* "$name" stands in it, no longer name. */
static gboolean
names (const char *text, const char *name)
{
    gsize length = strlen (name);

    for (const char *at = strchr (text, '$'); at != NULL; at = strchr (at + 1, '$'))
        if (strncmp (at + 1, name, length) == 0 && !g_ascii_isalnum (at[1 + length]) &&
            at[1 + length] != '_')
            return TRUE;
    return FALSE;
}

static gint
compare_texts (gconstpointer a, gconstpointer b)
{
    return strcmp (*(char *const *) a, *(char *const *) b);
}

char *
engine_inspect_dup_with_kept (EngineProcess *process, const char *text)
{
    GHashTableIter iter;
    gpointer name, value;
    GString *whole;
    g_autoptr (GPtrArray) records = NULL;

    if (strchr (text, '$') == NULL)
        return g_strdup (text);
    whole = g_string_new (text);
    g_string_append_c (whole, INDEX_KEPT_MARK);
    if (process->kept == NULL)
        return g_string_free (whole, FALSE);
    /* in one order, so that ranks that keep the same share what is bound */
    records = g_ptr_array_new_with_free_func (g_free);
    g_hash_table_iter_init (&iter, process->kept);
    while (g_hash_table_iter_next (&iter, &name, &value))
        if (names (text, name))
            g_ptr_array_add (records,
                             g_strdup_printf ("%s %s%c", (char *) name, ((Kept *) value)->type,
                                              INDEX_KEPT_MARK));
    g_ptr_array_sort (records, compare_texts);
    for (guint i = 0; i < records->len; i++)
        g_string_append (whole, g_ptr_array_index (records, i));
    return g_string_free (whole, FALSE);
}
