/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mistakes within one rank: overlapping buffers of two requests, and what is neither completed
 * nor freed at MPI_Finalize. */
#include "engine/queue/private.h"
#include <string.h>

#define MAX_NAMED 8
#define LAST_CALL 0xffff /* instead of a request's number */

/* ---- requests under way ---- */

/* Without a line: "BI_Srecv in libscalapack-openmpi.so.2.2". NULL: not even that is known. */
static char *
format_library (const JobLocation *place)
{
    if (place == NULL || place->module == NULL) {
        return NULL;
    }
    return place->function != NULL
               ? g_strdup_printf ("%s in %s", place->function, place->module)
               : g_strdup_printf ("%s+0x%" G_GINT64_MODIFIER "x", place->module, place->offset);
}

/* Takes the text; behind it "(app.c:12)", or "(BI_Srecv in libscalapack.so)", where the place is known. */
static JobText *
add_line (JobText *text, const JobLocation *place)
{
    g_autofree char *base = place != NULL && place->line != 0
                                ? g_path_get_basename (place->file)
                                : NULL;
    g_autofree char *library = base == NULL ? format_library (place) : NULL;
    JobText *both;

    if (library != NULL) {
        /* Translators: what a program does, and the function and library that do it. */
        both = job_text_new ("%s (%s)", "", library);
        job_text_nest (both, 0, text);
        return both;
    }
    if (base == NULL) {
        return text;
    }
    /* Translators: what a program does, and the file and line where. */
    both = job_text_new ("%s (%s:%u)", "", base, place->line);
    job_text_nest (both, 0, text);
    return both;
}

static JobText *
describe_operation (const JobMessageOperation *operation)
{
    g_autofree char *peer = job_message_peer_format (operation->peer);
    gboolean has_peer = operation->peer != JOB_MESSAGE_NONE;
    gboolean has_tag = job_message_tag_is_number (operation->tag);
    const char *name = operation->name;
    JobText *text = NULL;

    if (has_peer && operation->kind == JOB_MESSAGE_SEND) {
        text = has_tag ? job_text_new ("%s to %s, tag %d", name, peer, operation->tag)
                       : job_text_new ("%s to %s", name, peer);
    } else if (has_peer) {
        text = has_tag ? job_text_new ("%s from %s, tag %d", name, peer, operation->tag)
                       : job_text_new ("%s from %s", name, peer);
    } else {
        text = has_tag ? job_text_new ("%s, tag %d", name, operation->tag)
                       : job_text_new_plain (name);
    }
    return add_line (text, operation->place);
}

void
engine_queue_say_open (EngineProcess *process)
{
    g_autoptr (EngineQueueCopy) copy = process->engine->catch_mpi_errors
                                           ? engine_queue_copy (process, NULL)
                                           : NULL;
    g_autoptr (JobMessageQueue) queue = copy != NULL ? engine_queue_fill (process, copy, FALSE)
                                                     : NULL;
    guint n = queue != NULL ? queue->operations->len : 0;
    JobText *list = NULL, *text;

    if (n == 0) {
        return;
    }
    for (guint i = 0; i < MIN (n, MAX_NAMED); i++) {
        list = job_text_join (list, describe_operation (queue->operations->pdata[i]));
    }
    if (n > MAX_NAMED) {
        list = job_text_join (list, job_text_new_plain ("…"));
    }
    text = job_text_new_plural ("enters MPI_Finalize with %u request never completed: %s",
                                "enters MPI_Finalize with %u requests never completed: %s", n,
                                n, "");
    job_text_nest (text, 1, list);
    engine_emit_text (process, text);
}

/* ---- buffers ---- */

static const JobMessageOperation *
find_operation (const JobMessageQueue *queue, const EngineQueueCopy *copy, guint32 index)
{
    return BASE_FIND (index < copy->queue->requests_high ? queue->operations : NULL,
                      const JobMessageOperation, operation,
                      operation->request == copy->requests[index].handle
                          && !(operation->flags & JOB_MESSAGE_IN_CALL));
}

static JobText *
describe_call (const JobMessageCall *call)
{
    return add_line (job_text_new_plain (call->name), call->place);
}

gboolean
engine_queue_say_overlap (EngineProcess *process, guint32 code)
{
    g_autoptr (EngineQueueCopy) copy = engine_queue_copy (process, NULL);
    g_autoptr (JobMessageQueue) queue = copy != NULL ? engine_queue_fill (process, copy, FALSE)
                                                     : NULL;
    const JobMessageOperation *one, *other;
    JobText *text;

    one = queue != NULL ? find_operation (queue, copy, code >> 16) : NULL;
    other = queue != NULL ? find_operation (queue, copy, code & 0xffff) : NULL;
    if (other == NULL
        || (one == NULL && (code >> 16 != LAST_CALL || queue->recent->len == 0))) {
        return FALSE;
    }
    text = job_text_new ("the buffer of %s overlaps that of %s, which is not complete", "", "");
    job_text_nest (text, 0,
                   one != NULL ? describe_operation (one)
                               : describe_call (queue->recent->pdata[queue->recent->len - 1]));
    job_text_nest (text, 1, describe_operation (other));
    engine_emit_text (process, text);
    return TRUE;
}

/* ---- what was made and not freed ---- */

enum { COMMUNICATORS, WINDOWS, FILES, DATATYPES, REQUESTS, N_KINDS };

typedef struct {
    EngineProcess *process;
    guint counts[N_KINDS], n;
    JobText *names; /* NULL: none yet */
} Left;

/* Translators: an MPI object without a name, in a list of those that were not freed. */
static JobText *
name_unnamed (guint kind)
{
    return kind == WINDOWS ? job_text_new ("unnamed window")
           : kind == FILES ? job_text_new ("unnamed file")
                           : job_text_new ("unnamed communicator");
}

static JobText *
count_kind (guint kind, guint n)
{
    switch (kind) {
    case COMMUNICATORS:
        return job_text_new_plural ("%u communicator", "%u communicators", n, n);
    case WINDOWS: return job_text_new_plural ("%u window", "%u windows", n, n);
    case FILES: return job_text_new_plural ("%u file", "%u files", n, n);
    case DATATYPES: return job_text_new_plural ("%u datatype", "%u datatypes", n, n);
    default:
        return job_text_new_plural ("%u persistent request", "%u persistent requests", n, n);
    }
}

/* mpi4py makes for the program what its lines ask for. */
static gboolean
is_programs (EngineProcess *process, guint64 caller)
{
    StackModule *module = caller != 0 && engine_process_get_modules (process) != NULL
                              ? stack_modules_find (engine_process_get_modules (process),
                                                    caller - 1)
                              : NULL;

    return module != NULL && (module->is_user || strstr (module->path, "mpi4py") != NULL);
}

/* Takes the name. */
static void
add_left (Left *left, guint kind, JobText *name, guint64 caller)
{
    g_autoptr (JobLocation) place = NULL;

    if (!is_programs (left->process, caller)) {
        job_text_free (name);
        return;
    }
    left->counts[kind]++;
    if (left->n++ < MAX_NAMED) {
        place = engine_queue_locate (left->process, caller, NULL);
        left->names = job_text_join (left->names, add_line (name, place));
    } else {
        job_text_free (name);
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
            add_left (left, kind,
                      entry->name[0] != '\0' ? job_text_new_plain (entry->name)
                                             : name_unnamed (kind),
                      entry->maker);
        }
    }
}

static JobText *
name_call (EngineProcess *process, guint32 call)
{
    const struct pddt_queue_call *entry = engine_queue_get_call (process, call);

    return job_text_new_plain (entry != NULL ? entry->name : "MPI");
}

static void
add_others (Left *left, const EngineQueueCopy *copy)
{
    for (guint32 i = 0; i < copy->queue->made_high; i++) {
        if (copy->made[i].handle != 0) {
            add_left (left, DATATYPES, name_call (left->process, copy->made[i].call),
                      copy->made[i].caller);
        }
    }
    for (guint32 i = 0; i < copy->queue->requests_high; i++) {
        if (copy->requests[i].state == PDDT_QUEUE_RESTING) {
            add_left (left, REQUESTS, name_call (left->process, copy->requests[i].call),
                      copy->requests[i].caller);
        }
    }
}

void
engine_queue_say_unfreed (EngineProcess *process, const EngineQueueCopy *copy)
{
    Left left = { .process = process };
    JobText *counts = NULL, *text;

    add_communicators (&left, copy);
    add_others (&left, copy);
    for (guint i = 0; i < N_KINDS; i++) {
        if (left.counts[i] > 0) {
            counts = job_text_append (counts, count_kind (i, left.counts[i]));
        }
    }
    if (left.n == 0) {
        return;
    }
    if (left.n > MAX_NAMED) {
        left.names = job_text_join (left.names, job_text_new_plain ("…"));
    }
    /* Translators: "enters MPI_Finalize with 2 communicators, 1 file never freed: …" */
    text = job_text_new ("enters MPI_Finalize with %s never freed: %s", "", "");
    job_text_nest (text, 0, counts);
    job_text_nest (text, 1, left.names);
    engine_emit_text (process, text);
}
