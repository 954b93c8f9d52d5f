/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Convenience variables (print $x = n) and the value history ($1, $2 …; $ the last, $$ the one
 * before). Each rank has its own. */
#include "engine/inspect/private.h"
#include "engine/notices.h"
#include <string.h>

#define MAX_KEPT 1000u
#define MAX_SHOWN 200u /* the last ones of those that were shown */

typedef struct {
    char *type; /* as an expression reads it */
    GBytes *bytes;
} Kept;

struct _EngineKept {
    GHashTable *values; /* convenience variables ($x) and the history, by name */
    guint n_shown;      /* values that were shown ($1, $2 …), the last ones kept */
    Kept *noted;        /* of the value that is being shown; NULL */
};

BASE_FREE (free_kept, Kept, kept, g_free (kept->type); g_bytes_unref (kept->bytes))

static Kept *
new_kept (const char *type, const guint8 *bytes, gsize size)
{
    Kept *kept = g_new0 (Kept, 1);

    kept->type = g_strdup (type);
    kept->bytes = g_bytes_new (bytes, size);
    return kept;
}

static void
replace (EngineProcess *process, const char *name, Kept *kept)
{
    g_hash_table_replace (process->kept->values, g_strdup (name), kept);
}

void
engine_kept_set (EngineProcess *process, const char *name, const char *type, const void *bytes,
                 gsize size)
{
    if (type != NULL) {
        replace (process, name, new_kept (type, bytes, size));
    } else {
        g_hash_table_remove (process->kept->values, name);
    }
}

void
engine_kept_make (EngineProcess *process)
{
    process->kept = g_new0 (EngineKept, 1);
    process->kept->values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_kept);
}

void
engine_kept_free (EngineProcess *process)
{
    EngineKept *kept = process->kept;

    g_hash_table_unref (kept->values);
    g_clear_pointer (&kept->noted, free_kept);
    g_free (kept);
}

void
engine_native_note_value (gpointer user, const char *type, const guint8 *bytes, gsize size)
{
    EngineProcess *process = ((EngineNative *) user)->process;

    g_clear_pointer (&process->kept->noted, free_kept);
    process->kept->noted = new_kept (type, bytes, size);
}

GBytes *
engine_kept_take_noted (EngineProcess *process)
{
    Kept *kept = g_steal_pointer (&process->kept->noted);
    GBytes *bytes = kept != NULL ? g_bytes_ref (kept->bytes) : NULL;

    if (kept != NULL)
        free_kept (kept);
    return bytes;
}

void
engine_kept_add_shown (EngineProcess *process, const JobValue *value)
{
    Kept *kept = g_steal_pointer (&process->kept->noted);

    if (value == NULL || value->is_problem || g_strcmp0 (value->type, "void") == 0) {
        if (kept != NULL)
            free_kept (kept);
        return;
    }
    process->kept->n_shown++;
    if (kept != NULL) {
        g_autofree char *name = g_strdup_printf ("%u", process->kept->n_shown);

        replace (process, name, kept);
    }
    if (process->kept->n_shown > MAX_SHOWN) {
        g_autofree char *old = g_strdup_printf ("%u", process->kept->n_shown - MAX_SHOWN);

        g_hash_table_remove (process->kept->values, old);
    }
}

GBytes *
engine_native_find_kept (gpointer user, const char *name)
{
    const EngineNative *scope = user;
    const Kept *kept = g_hash_table_lookup (scope->process->kept->values, name);

    return kept != NULL ? kept->bytes : NULL;
}

void
engine_native_keep (gpointer user, const char *name, const char *type, const guint8 *bytes,
                    gsize size)
{
    EngineProcess *process = ((EngineNative *) user)->process;

    if (bytes == NULL)
        g_hash_table_remove (process->kept->values, name);
    if (bytes == NULL
        || (g_hash_table_size (process->kept->values) >= MAX_KEPT + MAX_SHOWN
            && !g_hash_table_contains (process->kept->values, name)))
        return;
    replace (process, name, new_kept (type, bytes, size));
}

/* "$", "$$" and "$$N" get the number that they mean: "$7". */
static char *
dup_numbered (const EngineProcess *process, const char *text)
{
    GString *whole = g_string_new (NULL);
    char quote = '\0';

    for (const char *at = text; *at != '\0';) {
        gboolean is_double = at[0] == '$' && at[1] == '$';
        const char *rest = at + (is_double ? 2 : 1);
        char *end;
        guint64 back;

        if (*at == quote)
            quote = '\0';
        else if (quote == '\0' && (*at == '"' || *at == '\''))
            quote = *at;
        if (at[0] == '\\' && at[1] != '\0')
            g_string_append_c (whole, *at++);
        if (*at != '$' || quote != '\0' || g_ascii_isalpha (*rest) || *rest == '_'
            || (!is_double && g_ascii_isdigit (*rest)
                && (*rest != '0' || g_ascii_isdigit (rest[1])))) {
            g_string_append_c (whole, *at++);
            continue;
        }
        back = g_ascii_isdigit (*rest) ? g_ascii_strtoull (rest, &end, 10)
                                       : (guint64) is_double;
        g_string_append_printf (whole, "$%" G_GUINT64_FORMAT,
                                back < process->kept->n_shown ? process->kept->n_shown - back
                                                              : 0);
        at = g_ascii_isdigit (*rest) ? end : rest;
    }
    return g_string_free (whole, FALSE);
}

static void
keep_number (EngineProcess *process, const char *name, gint32 number)
{
    replace (process, name, new_kept ("int", (const guint8 *) &number, sizeof number));
}

/* What is asked for by gdb's own names: the selected thread's number, the last breakpoint that was set in
 * the rank, the one that it has stopped at, how it has ended, and what the kernel says of the signal that has stopped the thread. */
static void
keep_own (EngineProcess *process)
{
    const EngineThread *thread = engine_process_get_selected (process);
    gint32 number = thread != NULL ? (gint32) thread->number : 0;

    keep_number (process, "_thread", number);
    keep_number (process, "_gthread", number);
    if (process->last_point != 0) {
        keep_number (process, "bpnum", (gint32) process->last_point);
    }
    if (process->ended) {
        keep_number (process, process->state_text != NULL ? "_exitsignal" : "_exitcode",
                     process->state_number);
    }
    g_hash_table_remove (process->kept->values, "_siginfo");
    g_hash_table_remove (process->kept->values, "_hit_bpnum");
    if (process->state == JOB_STATE_BREAKPOINT) {
        keep_number (process, "_hit_bpnum", process->state_number);
    }
    if (thread != NULL && thread == engine_process_get_stopped (process)
        && process->state == JOB_STATE_SIGNAL
        && thread->pending_info.si_signo == process->state_number) {
        replace (process, "_siginfo",
                 new_kept ("_siginfo", (const guint8 *) &thread->pending_info,
                           sizeof thread->pending_info));
    }
}

/* By a reference, so that it can be changed. */
static void
keep_exception (EngineProcess *process)
{
    EngineThread *thread = engine_process_get_selected (process);
    guint64 object = 0;
    g_autofree char *type = thread != NULL
                                ? process->engine->notices->dup_exception (thread, &object)
                                : NULL;
    g_autofree char *reference = type != NULL ? g_strconcat (type, " &", NULL) : NULL;

    engine_kept_set (process, "_exception", reference, &object, sizeof object);
}

/* "$name" stands in it, no longer name. */
static gboolean
names (const char *text, const char *name)
{
    gsize length = strlen (name);

    for (const char *at = strchr (text, '$'); at != NULL; at = strchr (at + 1, '$'))
        if (strncmp (at + 1, name, length) == 0 && !g_ascii_isalnum (at[1 + length])
            && at[1 + length] != '_')
            return TRUE;
    return FALSE;
}

char *
engine_inspect_dup_with_kept (EngineProcess *process, const char *asked)
{
    g_autofree char *text = NULL;
    gpointer name, value;
    GString *whole;
    g_autoptr (GPtrArray) records = NULL;

    if (strchr (asked, '$') == NULL)
        return g_strdup (asked);
    text = dup_numbered (process, asked);
    keep_own (process);
    if (names (text, "_exception"))
        keep_exception (process);
    whole = g_string_new (text);
    g_string_append_c (whole, EVALUATE_KEPT_MARK);
    /* in one order, so that ranks that keep the same share what is bound */
    records = g_ptr_array_new_with_free_func (g_free);
    BASE_WALK (process->kept->values, &name, &value)
        if (names (text, name))
            g_ptr_array_add (records,
                             g_strdup_printf ("%s %s%c", (char *) name, ((Kept *) value)->type,
                                              EVALUATE_KEPT_MARK));
    g_ptr_array_sort (records, base_order_texts);
    for (guint i = 0; i < records->len; i++)
        g_string_append (whole, g_ptr_array_index (records, i));
    return g_string_free (whole, FALSE);
}
