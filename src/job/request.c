/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests: their verbs' names and their bytes. */
#include "job/request.h"
#include "job/wire-private.h"

/* id, verb, flags, ranks, number, delta, every, thread, where, text, text2, condition, log */
#define WHERE_TYPE "(uayuayt)"
#define REQUEST_TYPE "(tuuayuitu" WHERE_TYPE "ayayayay)"

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
    [JOB_VERB_KILL] = "kill",
    [JOB_VERB_DETACH] = "detach",
    [JOB_VERB_BREAK] = "break",
    [JOB_VERB_DELETE] = "delete",
    [JOB_VERB_ENABLE] = "enable",
    [JOB_VERB_DISABLE] = "disable",
    [JOB_VERB_CATCH] = "catch",
    [JOB_VERB_WATCH] = "watch",
    [JOB_VERB_HANDLE] = "handle",
    [JOB_VERB_STATE] = "state",
    [JOB_VERB_WHERE] = "where",
    [JOB_VERB_PRINT] = "print",
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
    [JOB_VERB_SIGNALS] = "signals",
    [JOB_VERB_REGISTERS] = "registers",
    [JOB_VERB_DISASSEMBLE] = "disassemble",
    [JOB_VERB_EXAMINE] = "examine",
    [JOB_VERB_QUEUE] = "queue",
    [JOB_VERB_OPTION] = "option",
    [JOB_VERB_INPUT] = "input",
    [JOB_VERB_ARRAY] = "array",
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
    return copy;
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
    g_free (request);
}

gboolean
job_verb_is_motion (JobVerb verb)
{
    return verb >= JOB_VERB_CONTINUE && verb <= JOB_VERB_DETACH;
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

    return g_variant_new ("(tuu@ayuitu(u@ayu@ayt)@ay@ay@ay@ay)", request->id,
                          (guint32) request->verb, request->flags,
                          job_wire_put_ranks (request->ranks), request->number, request->delta,
                          request->every, request->thread, (guint32) where->kind,
                          job_wire_put_text (where->file), where->line,
                          job_wire_put_text (where->function), where->address,
                          job_wire_put_text (request->text), job_wire_put_text (request->text2),
                          job_wire_put_text (request->condition),
                          job_wire_put_text (request->log));
}

static void
decode_where (JobWire *wire, GVariant *tuple, JobWhere *where)
{
    guint32 kind;

    g_variant_get_child (tuple, 0, "u", &kind);
    where->file = job_wire_take_text (wire, tuple, 1);
    g_variant_get_child (tuple, 2, "u", &where->line);
    where->function = job_wire_take_text (wire, tuple, 3);
    g_variant_get_child (tuple, 4, "t", &where->address);
    wire->failed |= kind > JOB_WHERE_ADDRESS;
    where->kind = (JobWhereKind) kind;
}

JobRequest *
job_request_decode (GVariant *variant, guint32 limit, GError **error)
{
    g_autoptr (JobRequest) request = NULL;
    g_autoptr (GVariant) where = NULL;
    JobWire wire = { limit, JOB_WIRE_MAX_RANGES, FALSE };
    guint32 verb;

    if (!job_wire_check (variant, REQUEST_TYPE, error)) {
        return NULL;
    }
    request = g_new0 (JobRequest, 1);
    g_variant_get_child (variant, 0, "t", &request->id);
    g_variant_get_child (variant, 1, "u", &verb);
    g_variant_get_child (variant, 2, "u", &request->flags);
    request->ranks = job_wire_take_ranks (&wire, variant, 3);
    g_variant_get_child (variant, 4, "u", &request->number);
    g_variant_get_child (variant, 5, "i", &request->delta);
    g_variant_get_child (variant, 6, "t", &request->every);
    g_variant_get_child (variant, 7, "u", &request->thread);
    where = g_variant_get_child_value (variant, 8);
    decode_where (&wire, where, &request->where);
    request->text = job_wire_take_text (&wire, variant, 9);
    request->text2 = job_wire_take_text (&wire, variant, 10);
    request->condition = job_wire_take_text (&wire, variant, 11);
    request->log = job_wire_take_text (&wire, variant, 12);
    if (wire.failed || verb >= JOB_N_VERBS) {
        job_wire_fail (error, "a request");
        return NULL;
    }
    request->verb = (JobVerb) verb;
    return g_steal_pointer (&request);
}
