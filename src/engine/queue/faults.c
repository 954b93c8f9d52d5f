/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mistakes within one rank: overlapping buffers of two requests, and what is neither completed
 * nor freed at MPI_Finalize. */
#include "engine/queue/private.h"
#include <string.h>

#define MAX_NAMED 8
#define LAST_CALL 0xffff /* instead of a request's number */

/* ---- requests under way ---- */

static void
append_line (GString *text, const JobLocation *place)
{
    g_autofree char *base = place != NULL && place->line != 0
                                ? g_path_get_basename (place->file)
                                : NULL;

    if (base != NULL) {
        g_string_append_printf (text, " (%s:%u)", base, place->line);
    }
}

static void
append_operation (GString *text, const JobMessageOperation *operation)
{
    g_autofree char *peer = job_message_peer_format (operation->peer);

    g_string_append_printf (text, "%s%s", text->len > 0 ? "; " : "", operation->name);
    if (operation->peer != JOB_MESSAGE_NONE) {
        g_string_append_printf (text, " %s %s",
                                operation->kind == JOB_MESSAGE_SEND ? "to" : "from", peer);
    }
    if (operation->tag >= 0) {
        g_string_append_printf (text, ", tag %d", operation->tag);
    }
    append_line (text, operation->place);
}

void
engine_queue_say_open (EngineProcess *process)
{
    g_autoptr (EngineQueueCopy) copy = process->engine->catch_mpi_errors
                                           ? engine_queue_copy (process, NULL)
                                           : NULL;
    g_autoptr (JobMessageQueue) queue = copy != NULL ? engine_queue_fill (process, copy, FALSE)
                                                     : NULL;
    g_autoptr (GString) text = g_string_new (NULL);

    for (guint i = 0; queue != NULL && i < queue->operations->len && i < MAX_NAMED; i++) {
        append_operation (text, g_ptr_array_index (queue->operations, i));
    }
    if (text->len > 0) {
        g_autofree char *notice
            = g_strdup_printf ("enters MPI_Finalize with %u request%s never completed: %s%s",
                               queue->operations->len, queue->operations->len == 1 ? "" : "s",
                               text->str, queue->operations->len > MAX_NAMED ? "; …" : "");

        engine_emit_notice (process, notice);
    }
}

/* ---- buffers ---- */

static const JobMessageOperation *
find_operation (const JobMessageQueue *queue, const EngineQueueCopy *copy, guint32 index)
{
    for (guint i = 0; index < copy->queue->requests_high && i < queue->operations->len; i++) {
        const JobMessageOperation *operation = g_ptr_array_index (queue->operations, i);

        if (operation->request == copy->requests[index].handle
            && !(operation->flags & JOB_MESSAGE_IN_CALL)) {
            return operation;
        }
    }
    return NULL;
}

static void
append_call (GString *text, const JobMessageCall *call)
{
    g_string_append (text, call->name);
    append_line (text, call->place);
}

gboolean
engine_queue_say_overlap (EngineProcess *process, guint32 code)
{
    g_autoptr (EngineQueueCopy) copy = engine_queue_copy (process, NULL);
    g_autoptr (JobMessageQueue) queue = copy != NULL ? engine_queue_fill (process, copy, FALSE)
                                                     : NULL;
    const JobMessageOperation *one, *other;
    g_autoptr (GString) first = g_string_new (NULL);
    g_autoptr (GString) second = g_string_new (NULL);
    g_autofree char *text = NULL;

    one = queue != NULL ? find_operation (queue, copy, code >> 16) : NULL;
    other = queue != NULL ? find_operation (queue, copy, code & 0xffff) : NULL;
    if (other == NULL
        || (one == NULL && (code >> 16 != LAST_CALL || queue->recent->len == 0))) {
        return FALSE;
    }
    if (one != NULL) {
        append_operation (first, one);
    } else {
        append_call (first, g_ptr_array_index (queue->recent, queue->recent->len - 1));
    }
    append_operation (second, other);
    text = g_strdup_printf ("the buffer of %s overlaps that of %s, which is not complete",
                            first->str, second->str);
    engine_emit_notice (process, text);
    return TRUE;
}

/* ---- what was made and not freed ---- */

enum { COMMUNICATORS, WINDOWS, FILES, DATATYPES, REQUESTS, N_KINDS };
static const char *const kinds[N_KINDS] = { "communicator", "window", "file", "datatype",
                                            "persistent request" };

typedef struct {
    EngineProcess *process;
    guint counts[N_KINDS], n;
    GString *names;
} Left;

/* mpi4py makes for the program what its lines ask for. */
static gboolean
is_programs (EngineProcess *process, guint64 caller)
{
    StackModule *module = caller != 0 && process->modules != NULL
                              ? stack_modules_find (process->modules, caller - 1)
                              : NULL;

    return module != NULL && (module->is_user || strstr (module->path, "mpi4py") != NULL);
}

static void
add_left (Left *left, guint kind, const char *name, guint64 caller)
{
    g_autoptr (JobLocation) place = NULL;

    if (!is_programs (left->process, caller)) {
        return;
    }
    left->counts[kind]++;
    if (left->n++ < MAX_NAMED) {
        place = engine_queue_locate (left->process, caller, NULL);
        g_string_append_printf (left->names, "%s%s", left->names->len > 0 ? "; " : "", name);
        append_line (left->names, place);
    }
}

static void
add_communicators (Left *left, const EngineQueueCopy *copy)
{
    for (guint32 i = 0; i < copy->queue->communicators_high; i++) {
        const struct pddt_queue_communicator *entry = &copy->communicators[i];
        guint kind = entry->flags & PDDT_QUEUE_WINDOW ? WINDOWS
                     : entry->flags & PDDT_QUEUE_FILE ? FILES
                                                      : COMMUNICATORS;

        if (entry->in_use && entry->handle != 0
            && !(entry->flags & (PDDT_QUEUE_FREED | PDDT_QUEUE_HIDDEN))) {
            g_autofree char *name = entry->name[0] != '\0'
                                        ? g_strdup (entry->name)
                                        : g_strconcat ("unnamed ", kinds[kind], NULL);

            add_left (left, kind, name, entry->maker);
        }
    }
}

static const char *
get_call_name (EngineProcess *process, guint32 call)
{
    const struct pddt_queue_call *entry = engine_queue_get_call (process, call);

    return entry != NULL ? entry->name : "MPI";
}

static void
add_others (Left *left, const EngineQueueCopy *copy)
{
    for (guint32 i = 0; i < copy->queue->made_high; i++) {
        if (copy->made[i].handle != 0) {
            add_left (left, DATATYPES, get_call_name (left->process, copy->made[i].call),
                      copy->made[i].caller);
        }
    }
    for (guint32 i = 0; i < copy->queue->requests_high; i++) {
        if (copy->requests[i].state == PDDT_QUEUE_RESTING) {
            add_left (left, REQUESTS, get_call_name (left->process, copy->requests[i].call),
                      copy->requests[i].caller);
        }
    }
}

void
engine_queue_say_unfreed (EngineProcess *process, const EngineQueueCopy *copy)
{
    g_autoptr (GString) names = g_string_new (NULL);
    g_autoptr (GString) text = g_string_new ("enters MPI_Finalize with ");
    Left left = { .process = process, .names = names };
    guint n_kinds = 0;

    add_communicators (&left, copy);
    add_others (&left, copy);
    for (guint i = 0; i < N_KINDS; i++) {
        if (left.counts[i] > 0) {
            g_string_append_printf (text, "%s%u %s%s", n_kinds++ > 0 ? ", " : "",
                                    left.counts[i], kinds[i], left.counts[i] == 1 ? "" : "s");
        }
    }
    if (left.n > 0) {
        g_string_append_printf (text, " never freed: %s%s", names->str,
                                left.n > MAX_NAMED ? "; …" : "");
        engine_emit_notice (process, text->str);
    }
}
