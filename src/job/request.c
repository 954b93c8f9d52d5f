/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests: their verbs' names and their bytes. */
#include "job/request.h"
#include "job/wire-private.h"
#include "base/array.h"

/* One block: every daemon of a job reads each. */
#define REQUEST_TYPE "ay"

static const char *const names[JOB_N_VERBS] = {
    [JOB_VERB_NONE] = "none",
    [JOB_VERB_CONTINUE] = "continue",
    [JOB_VERB_PAUSE] = "pause",
    [JOB_VERB_STEP] = "step",
    [JOB_VERB_NEXT] = "next",
    [JOB_VERB_FINISH] = "finish",
    [JOB_VERB_STEPI] = "stepi",
    [JOB_VERB_NEXTI] = "nexti",
    [JOB_VERB_UNTIL] = "until",
    [JOB_VERB_JUMP] = "jump",
    [JOB_VERB_RETURN] = "return",
    [JOB_VERB_SIGNAL] = "signal",
    [JOB_VERB_INFO] = "info",
    [JOB_VERB_KILL] = "kill",
    [JOB_VERB_DETACH] = "detach",
    [JOB_VERB_BREAK] = "break",
    [JOB_VERB_DELETE] = "delete",
    [JOB_VERB_ENABLE] = "enable",
    [JOB_VERB_DISABLE] = "disable",
    [JOB_VERB_CONDITION] = "condition",
    [JOB_VERB_CATCH] = "catch",
    [JOB_VERB_WATCH] = "watch",
    [JOB_VERB_HANDLE] = "handle",
    [JOB_VERB_STATE] = "state",
    [JOB_VERB_WHERE] = "where",
    [JOB_VERB_PRINT] = "print",
    [JOB_VERB_PRINTF] = "printf",
    [JOB_VERB_SET] = "set",
    [JOB_VERB_CALL] = "call",
    [JOB_VERB_EXEC] = "exec",
    [JOB_VERB_LOCALS] = "locals",
    [JOB_VERB_GLOBALS] = "globals",
    [JOB_VERB_WHATIS] = "whatis",
    [JOB_VERB_PTYPE] = "ptype",
    [JOB_VERB_FRAME] = "frame",
    [JOB_VERB_THREAD] = "thread",
    [JOB_VERB_THREADS] = "threads",
    [JOB_VERB_MODULES] = "modules",
    [JOB_VERB_MAPS] = "maps",
    [JOB_VERB_SIGNALS] = "signals",
    [JOB_VERB_REGISTERS] = "registers",
    [JOB_VERB_DISASSEMBLE] = "disassemble",
    [JOB_VERB_EXAMINE] = "examine",
    [JOB_VERB_FIND] = "find",
    [JOB_VERB_DUMP] = "generate-core-file",
    [JOB_VERB_QUEUE] = "queue",
    [JOB_VERB_NAMES] = "names",
    [JOB_VERB_OPTION] = "option",
    [JOB_VERB_INPUT] = "input",
    [JOB_VERB_ARRAY] = "array",
    [JOB_VERB_PROFILE] = "profile",
    [JOB_VERB_CANCEL] = "cancel",
    [JOB_VERB_START] = "start",
};

JobRequest *
job_request_new (JobVerb verb, const JobRankSet *ranks)
{
    JobRequest *request = g_new0 (JobRequest, 1);

    request->verb = verb;
    request->ranks = ranks != NULL ? job_rank_set_dup (ranks) : job_rank_set_new ();
    return request;
}

JobRequest *
job_request_dup (const JobRequest *request)
{
    JobRequest *copy;

    if (request == NULL) {
        return NULL;
    }
    copy = g_new (JobRequest, 1);
    *copy = *request;
    copy->ranks = job_rank_set_dup (request->ranks);
    job_where_copy (&request->where, &copy->where);
    copy->text = g_strdup (request->text);
    copy->text2 = g_strdup (request->text2);
    copy->condition = g_strdup (request->condition);
    copy->log = g_strdup (request->log);
    copy->selections = NULL;
    BASE_EACH (request->selections, const JobSelection, selection) {
        job_request_select (copy, selection->ranks, selection->thread, selection->has_frame,
                            selection->frame);
    }
    return copy;
}

BASE_FREE (free_selection, JobSelection, selection, job_rank_set_free (selection->ranks))

/* Takes the ranks. */
static void
add_selection (JobRequest *request, JobRankSet *ranks, guint32 thread, gboolean has_frame,
               guint32 frame)
{
    JobSelection *selection = g_new (JobSelection, 1);

    *selection = (JobSelection){ ranks, thread, frame, has_frame };
    if (request->selections == NULL) {
        request->selections = g_ptr_array_new_with_free_func (free_selection);
    }
    g_ptr_array_add (request->selections, selection);
}

void
job_request_select (JobRequest *request, const JobRankSet *ranks, guint32 thread,
                    gboolean has_frame, guint32 frame)
{
    add_selection (request, job_rank_set_dup (ranks), thread, has_frame, frame);
}

const JobSelection *
job_request_find_selection (const JobRequest *request, guint32 rank)
{
    return BASE_FIND (request->selections, const JobSelection, selection,
                      job_rank_set_contains (selection->ranks, rank));
}

void
job_request_copy_modifiers (const JobRequest *from, JobRequest *to)
{
    g_free (to->condition);
    g_free (to->log);
    to->condition = g_strdup (from->condition);
    to->log = g_strdup (from->log);
    to->every = from->every;
}

char *
job_request_dup_assignment (const JobRequest *request)
{
    const char *left = request->text != NULL ? request->text : "";
    gsize length = strlen (left);
    gboolean computes = length > 0 && strchr ("+-*/%&|^<>", left[length - 1]) != NULL;

    return g_strconcat (left, computes ? "= " : " = ", request->text2, NULL);
}

void
job_request_free (JobRequest *request)
{
    if (request == NULL) {
        return;
    }
    job_rank_set_free (request->ranks);
    job_where_clear (&request->where);
    g_free (request->text);
    g_free (request->text2);
    g_free (request->condition);
    g_free (request->log);
    g_clear_pointer (&request->selections, g_ptr_array_unref);
    g_free (request);
}

gboolean
job_verb_is_motion (JobVerb verb)
{
    return verb >= JOB_VERB_CONTINUE && verb <= JOB_VERB_DETACH;
}

gboolean
job_verb_is_step (JobVerb verb)
{
    return verb == JOB_VERB_STEP || verb == JOB_VERB_NEXT || verb == JOB_VERB_FINISH
           || verb == JOB_VERB_UNTIL || verb == JOB_VERB_STEPI || verb == JOB_VERB_NEXTI;
}

gboolean
job_verb_is_write (JobVerb verb)
{
    return verb >= JOB_VERB_SET && verb <= JOB_VERB_EXEC;
}

const char *
job_verb_get_name (JobVerb verb)
{
    return (guint) verb < JOB_N_VERBS ? names[verb] : names[JOB_VERB_NONE];
}

GVariant *
job_request_encode (const JobRequest *request)
{
    const JobWhere *where = &request->where;
    g_autoptr (GByteArray) block = g_byte_array_sized_new (128);

    base_bytes_put_uleb (block, request->id);
    base_bytes_put_uleb (block, (guint) request->verb);
    base_bytes_put_uleb (block, request->flags);
    job_wire_write_ranks (block, request->ranks);
    base_bytes_put_uleb (block, request->number);
    job_wire_write_signed (block, request->delta);
    base_bytes_put_uleb (block, request->every);
    base_bytes_put_uleb (block, request->thread);
    base_bytes_put_uleb (block, (guint) where->kind);
    job_wire_write_text (block, where->file);
    base_bytes_put_uleb (block, where->line);
    job_wire_write_text (block, where->function);
    base_bytes_put_uleb (block, where->address);
    job_wire_write_text (block, request->text);
    job_wire_write_text (block, request->text2);
    job_wire_write_text (block, request->condition);
    job_wire_write_text (block, request->log);
    base_bytes_put_uleb (block, request->selections != NULL ? request->selections->len : 0);
    BASE_EACH (request->selections, const JobSelection, selection) {
        job_wire_write_ranks (block, selection->ranks);
        base_bytes_put_uleb (block, selection->thread);
        base_bytes_put_uleb (block, selection->frame);
        base_bytes_put_uleb (block, selection->has_frame ? 1 : 0);
    }
    return g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, block->data, block->len, 1);
}

static void
read_where (JobWire *wire, BaseCursor *block, JobWhere *where)
{
    guint32 kind = job_wire_read_number (wire, block);

    where->file = job_wire_read_text (wire, block);
    where->line = job_wire_read_number (wire, block);
    where->function = job_wire_read_text (wire, block);
    where->address = base_cursor_read_uleb (block);
    wire->failed |= kind > JOB_WHERE_ADDRESS;
    where->kind = (JobWhereKind) kind;
}

static void
read_selections (JobWire *wire, BaseCursor *block, JobRequest *request)
{
    guint32 n = job_wire_read_number (wire, block);

    for (guint32 i = 0; i < n && !wire->failed; i++) {
        JobRankSet *ranks = job_wire_read_ranks (wire, block);
        guint32 thread = job_wire_read_number (wire, block);
        guint32 frame = job_wire_read_number (wire, block);
        guint32 has_frame = job_wire_read_number (wire, block);

        wire->failed |= has_frame > 1;
        job_wire_spend (wire, sizeof (JobSelection));
        add_selection (request, ranks, thread, has_frame == 1, frame);
    }
}

JobRequest *
job_request_decode (GVariant *variant, guint32 limit, GError **error)
{
    g_autoptr (JobRequest) request = NULL;
    JobWire wire = { limit, JOB_RANK_SET_MAX_BYTES, FALSE, FALSE };
    gsize size;

    if (!job_wire_check (variant, REQUEST_TYPE, error)) {
        return NULL;
    }
    const guint8 *data = g_variant_get_fixed_array (variant, &size, 1);
    BaseCursor block = BASE_CURSOR_INIT (data, size);
    request = g_new0 (JobRequest, 1);
    request->id = base_cursor_read_uleb (&block);
    request->verb = (JobVerb) job_wire_read_number (&wire, &block);
    request->flags = job_wire_read_number (&wire, &block);
    request->ranks = job_wire_read_ranks (&wire, &block);
    request->number = job_wire_read_number (&wire, &block);
    request->delta = job_wire_read_signed (&wire, &block);
    request->every = base_cursor_read_uleb (&block);
    request->thread = job_wire_read_number (&wire, &block);
    read_where (&wire, &block, &request->where);
    request->text = job_wire_read_text (&wire, &block);
    request->text2 = job_wire_read_text (&wire, &block);
    request->condition = job_wire_read_text (&wire, &block);
    request->log = job_wire_read_text (&wire, &block);
    read_selections (&wire, &block, request);
    if (wire.failed || block.failed || base_cursor_get_left (&block) != 0
        || (guint) request->verb >= JOB_N_VERBS) {
        job_wire_fail (&wire, error, "a request");
        return NULL;
    }
    return g_steal_pointer (&request);
}
