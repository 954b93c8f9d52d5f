/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queries to the agent at a Python stop: breakpoints, values, statements, and the frames that
 * an uncaught exception passed through. */
#include "engine/breakpoint/breakpoint.h"
#include "engine/inspect/inspect.h"
#include "engine/modules/modules.h"
#include "engine/python/private.h"
#include <string.h>

/* ---- breakpoints ---- */

static gboolean
is_native_file (const char *file)
{
    static const char *endings[] = { ".c", ".h",   ".cc",  ".cpp", ".cxx", ".hpp", ".hh", ".cu",
                                     ".f", ".for", ".f90", ".f95", ".f03", ".f08", ".s" };
    g_autofree char *lower = g_ascii_strdown (file, -1);

    return BASE_ANY (i, G_N_ELEMENTS (endings), g_str_has_suffix (lower, endings[i]));
}

/* A name that no Python function has, or that would only cost the program its speed. */
static gboolean
is_native_function (const char *function)
{
    return strstr (function, "::") != NULL || g_str_has_prefix (function, "MPI_")
           || g_str_has_prefix (function, "PMPI_") || g_str_has_prefix (function, "__cxa_");
}

gboolean
engine_python_is_breakpoint_verb (const JobRequest *request)
{
    switch (request->verb) {
    case JOB_VERB_BREAK:
        return request->where.kind == JOB_WHERE_LINE
                   ? request->where.file != NULL && !is_native_file (request->where.file)
                   : request->where.kind == JOB_WHERE_FUNCTION
                         && request->where.function != NULL
                         && (request->where.file == NULL
                             || !is_native_file (request->where.file))
                         && !is_native_function (request->where.function);
    case JOB_VERB_CATCH:
        return request->text != NULL && g_str_has_prefix (request->text, "exception");
    case JOB_VERB_DELETE:
    case JOB_VERB_ENABLE:
    case JOB_VERB_DISABLE: return TRUE;
    default: return FALSE;
    }
}

gboolean
engine_python_is_in_native_code (EngineProcess *process, guint32 number)
{
    EngineBreakpointSite *site
        = engine_breakpoint_find_site (engine_breakpoint_find (process->engine, number),
                                       process);

    for (guint i = 0; site != NULL && i < site->places->len; i++) {
        const EnginePlace *place = g_ptr_array_index (site->places, i);
        const StackModule *module = stack_modules_find (engine_process_get_modules (process),
                                                        place->address);

        if (module != NULL && module->is_user) {
            return TRUE;
        }
    }
    return FALSE;
}

static void
append_word (GByteArray *bytes, const char *word)
{
    word = word != NULL ? word : "";
    g_byte_array_append (bytes, (const guint8 *) word, (guint) strlen (word) + 1);
}

G_STATIC_ASSERT (PDDT_MAILBOX_EVERY_FROM == JOB_EVERY_FROM);

static GByteArray *
encode_breakpoint (EngineProcess *process, const JobRequest *request, guint64 thread)
{
    GByteArray *bytes = g_byte_array_new ();
    const EngineBreakpointSite *site
        = engine_breakpoint_find_site (engine_breakpoint_find (process->engine,
                                                               request->number),
                                       process);
    gboolean is_line = request->verb == JOB_VERB_BREAK && request->where.kind == JOB_WHERE_LINE;
    struct pddt_mailbox_breakpoint point = {
        .number = request->number,
        .line = is_line ? request->where.line : 0,
        .every = request->every,
        .temporary = (request->flags & JOB_REQUEST_TEMPORARY) != 0,
        .enabled = site == NULL || site->enabled,
        .thread = thread,
    };

    g_byte_array_append (bytes, (const guint8 *) &point, sizeof point);
    if (request->verb == JOB_VERB_CATCH) {
        g_autofree char *type = g_strstrip (g_strdup (request->text + strlen ("exception")));

        append_word (bytes, type);
        append_word (bytes, request->condition);
    } else {
        append_word (bytes, request->where.file);
        append_word (bytes, is_line ? "" : request->where.function);
        append_word (bytes, request->condition);
        append_word (bytes, request->log);
    }
    append_word (bytes, "");
    append_word (bytes, "");
    return bytes;
}

/* From *at on. */
static GPtrArray *
take_places (const PythonAnswer *answer, gsize *at)
{
    GPtrArray *places = g_ptr_array_new_with_free_func ((GDestroyNotify) job_location_free);
    const char *function, *file, *line;

    while ((function = engine_python_next_word (answer, at)) != NULL
           && (file = engine_python_next_word (answer, at)) != NULL
           && (line = engine_python_next_word (answer, at)) != NULL) {
        JobLocation *place = job_location_new (function, file,
                                               (guint32) g_ascii_strtoull (line, NULL, 10));

        place->language = JOB_LANGUAGE_PYTHON;
        g_ptr_array_add (places, place);
    }
    return places;
}

/* Native code has the name, too, or may come to have it: the condition is in its language then. */
static gboolean
may_be_native (EngineProcess *process, const JobRequest *request, const GPtrArray *places)
{
    const char *file = request->where.file;

    return request->verb == JOB_VERB_BREAK && (file == NULL || !g_str_has_suffix (file, ".py"))
           && (places->len == 0 || engine_python_is_in_native_code (process, request->number));
}

/* The agent's answer to a breakpoint, which is reported. FALSE, INVALID: its condition or log is not Python. */
static gboolean
take_point (EngineThread *thread, const JobRequest *request, const PythonAnswer *answer,
            GError **error)
{
    EngineProcess *process = thread->process;
    gsize at = 0;
    const char *reason = engine_python_next_word (answer, &at);
    g_autoptr (GPtrArray) places = NULL;

    if (answer->status < 0 || reason == NULL) {
        engine_say (process, "breakpoint %u: %s", request->number, (const char *) answer->out);
        return TRUE;
    }
    places = take_places (answer, &at);
    if (answer->status == 2 && may_be_native (process, request, places)) {
        if (engine_python_is_in_native_code (process, request->number)) {
            engine_python_converse (thread, PDDT_COMMAND_DELETE_BREAKPOINT, request->number, 0,
                                    NULL, 0, NULL, NULL);
        }
        return TRUE;
    }
    engine_breakpoint_report_python (process, request->number, places,
                                     answer->status == 1 ? reason : "");
    if (answer->status == 2) {
        g_set_error_literal (error, BASE_ERROR, BASE_ERROR_INVALID, reason);
    }
    return answer->status != 2;
}

void
engine_python_report_unanswered (EngineProcess *process, const JobRequest *request)
{
    g_autoptr (GPtrArray) none = g_ptr_array_new ();

    if (request->verb == JOB_VERB_BREAK || request->verb == JOB_VERB_CATCH) {
        engine_breakpoint_report_python (process, request->number, none,
                                         "pddt's agent has not answered yet");
    }
}

void
engine_python_queue (EngineProcess *process, const JobRequest *request)
{
    g_ptr_array_add (process->python->queue, job_request_dup (request));
    engine_python_report_unanswered (process, request);
}

/* Until the agent has answered. */
static void
await_late_point (EngineThread *thread, const JobRequest *request)
{
    EnginePython *python = thread->process->python;

    if (python->late_request != NULL) { /* and its answer will not be recognised: once more */
        g_ptr_array_insert (python->queue, 0, python->late_request);
    }
    python->late_request = job_request_dup (request);
    python->late_request_id = python->last_command_id;
    engine_python_report_unanswered (thread->process, request);
    for (guint i = 0; i < python->queue->len; i++) {
        engine_python_report_unanswered (thread->process, g_ptr_array_index (python->queue, i));
    }
    engine_say (
        thread->process,
        "breakpoint %u is pending: pddt's agent has not answered in %u s and needs more "
        "time while the rank runs",
        request->number, thread->process->engine->limit_s);
}

static void
say_refusal (EngineProcess *process, const JobRequest *request, const GError *error)
{
    engine_say (process, "breakpoint %u: %s", request->number, error->message);
}

void
engine_python_take_late_point (EngineThread *thread)
{
    EnginePython *python = thread->process->python;
    g_autoptr (JobRequest) request = NULL;
    g_auto (PythonAnswer) answer = { 0 };
    g_autoptr (GError) error = NULL;
    guint32 id;

    if (python->late_request == NULL
        || !engine_python_fetch_answer (thread->process, &answer, &id, NULL)
        || id != python->late_request_id) {
        return;
    }
    request = g_steal_pointer (&python->late_request);
    if (!take_point (thread, request, &answer, &error)) {
        say_refusal (thread->process, request, error);
    }
}

static gboolean
tell_new (EngineThread *thread, const JobRequest *request, GError **error)
{
    EngineProcess *process = thread->process;
    g_autoptr (GByteArray) bytes = NULL;
    g_autoptr (GError) failure = NULL;
    g_auto (PythonAnswer) answer = { 0 };
    guint64 name;

    if (!engine_awaited_name_thread (process, request->thread, &name)) {
        engine_say (process,
                    "breakpoint %u: too many Python breakpoints wait for threads that have not "
                    "started yet",
                    request->number);
        return TRUE;
    }
    bytes = encode_breakpoint (process, request, name);
    if (!engine_python_converse (thread,
                                 request->verb == JOB_VERB_CATCH ? PDDT_COMMAND_CATCH
                                                                 : PDDT_COMMAND_SET_BREAKPOINT,
                                 request->number, 0, bytes->data, bytes->len, &answer,
                                 &failure)) {
        if (request->number != PYTHON_UNTIL_NUMBER
            && g_error_matches (failure, BASE_ERROR, BASE_ERROR_TIMEOUT)) {
            process->python->has_logs |= request->log != NULL;
            await_late_point (thread, request);
        } else {
            engine_emit_notice (process, failure->message);
        }
        return TRUE;
    }
    if (request->number == PYTHON_UNTIL_NUMBER) {
        return TRUE;
    }
    process->python->has_logs |= request->log != NULL;
    return take_point (thread, request, &answer, error);
}

gboolean
engine_python_tell (EngineThread *thread, const JobRequest *request, GError **error)
{
    guint32 command = request->verb == JOB_VERB_DELETE    ? PDDT_COMMAND_DELETE_BREAKPOINT
                      : request->verb == JOB_VERB_ENABLE  ? PDDT_COMMAND_ENABLE_BREAKPOINT
                      : request->verb == JOB_VERB_DISABLE ? PDDT_COMMAND_DISABLE_BREAKPOINT
                                                          : PDDT_COMMAND_NONE;

    if (!engine_python_is_listening (thread)) {
        engine_python_queue (thread->process, request);
        return TRUE;
    }
    if (command == PDDT_COMMAND_NONE) {
        return tell_new (thread, request, error);
    }
    engine_python_converse (thread, command, request->number, 0, NULL, 0, NULL, NULL);
    return TRUE;
}

void
engine_python_tell_late (EngineThread *thread, const JobRequest *request)
{
    EngineProcess *process = thread->process;
    g_autoptr (GError) error = NULL;

    if (!engine_python_tell (thread, request, &error)) {
        say_refusal (process, request, error);
    }
}

gboolean
engine_python_tell_until (EngineThread *thread, const JobRequest *request, GError **error)
{
    g_autoptr (GByteArray) bytes = encode_breakpoint (thread->process, request, 0);
    g_auto (PythonAnswer) answer = { 0 };

    if (!engine_python_converse (thread, PDDT_COMMAND_SET_BREAKPOINT, request->number, 0,
                                 bytes->data, bytes->len, &answer, error)) {
        thread->process->python->until_is_set = TRUE; /* perhaps it comes to be set */
        engine_python_forget_until (thread->process);
        return FALSE;
    }
    if (answer.status != 0 && answer.out_size > 0 && answer.out[0] != '\0') {
        engine_python_converse (thread, PDDT_COMMAND_DELETE_BREAKPOINT, request->number, 0,
                                NULL, 0, NULL, NULL);
        g_set_error_literal (error, BASE_ERROR, BASE_ERROR_INVALID, (const char *) answer.out);
        return FALSE;
    }
    return TRUE;
}

void
engine_python_report_places (EngineThread *thread, const JobRequest *request)
{
    g_auto (PythonAnswer) answer = { 0 };

    if (engine_python_converse (thread, PDDT_COMMAND_PLACES, request->number, 0, NULL, 0,
                                &answer, NULL)
        && answer.status >= 0) {
        take_point (thread, request, &answer, NULL);
    }
}

/* ---- values ---- */

JobValue *
engine_python_take_value (const char *name, const PythonAnswer *answer, gsize *at,
                          guint64 *ret_address)
{
    const char *type = engine_python_next_word (answer, at);
    const char *text = engine_python_next_word (answer, at);
    const char *number = engine_python_next_word (answer, at);
    gboolean is_number = number != NULL && number[0] != '\0' && number[0] != '+'
                         && number[0] != '@';
    const char *address = number != NULL && !is_number ? strchr (number, '@') : NULL;
    JobValue *value;

    if (type == NULL || text == NULL) {
        return NULL;
    }
    value = is_number ? job_value_new_number (name, type, text, g_ascii_strtod (number, NULL))
                      : job_value_new (name, type, text);
    value->expandable = number != NULL && number[0] == '+';
    if (ret_address != NULL) {
        *ret_address = address != NULL ? g_ascii_strtoull (address + 1, NULL, 16) : 0;
    }
    return value;
}

/* The same, compared with other ranks' by all that its object holds, which the walker reads. */
static JobValue *
take_whole (EngineProcess *process, const char *name, const PythonAnswer *answer, gsize *at,
            guint64 budget, guint64 *spent)
{
    guint64 address = 0;
    JobValue *value = engine_python_take_value (name, answer, at, &address);
    PythonRuntime *runtime = address != 0 ? engine_runtime_find (process) : NULL;

    if (value != NULL && runtime != NULL) {
        *spent += python_value_compare (runtime, value, address, budget);
    }
    return value;
}

static JobEvent *
new_answer (EngineProcess *process, JobEventKind kind, const JobRequest *request)
{
    g_autoptr (JobRankSet) slot = job_rank_set_new_range (process->slot, process->slot + 1);
    JobEvent *event = job_event_new (kind, request->id, slot);

    event->final = TRUE;
    return event;
}

/* The parts that follow a value in the answer. */
static void
take_parts (JobValue *value, const PythonAnswer *answer, gsize *at)
{
    const char *name;

    while ((name = engine_python_next_word (answer, at)) != NULL) {
        JobValue *part = engine_python_take_value (name, answer, at, NULL);

        if (part == NULL) {
            return;
        }
        if (value->children == NULL) {
            value->children = g_ptr_array_new_with_free_func ((GDestroyNotify) job_value_free);
        }
        g_ptr_array_add (value->children, part);
    }
}

static void
emit_value (EngineProcess *process, const JobRequest *request, const char *name,
            const PythonAnswer *answer)
{
    gsize at = 0;
    guint64 spent = 0;
    g_autoptr (JobValue) value = take_whole (process, NULL, answer, &at, ENGINE_MAX_COMPARED,
                                             &spent);
    JobEvent *event = new_answer (process, JOB_EVENT_VALUES, request);

    event->table = job_value_table_new ();
    if (value != NULL) {
        take_parts (value, answer, &at);
        engine_inspect_apply_letter (value, request->text2 != NULL ? request->text2[0] : '\0');
        job_value_table_add (event->table, name, event->ranks, value);
    }
    engine_emit (process->engine, event);
}

static void
emit_values (EngineProcess *process, const JobRequest *request, const PythonAnswer *answer)
{
    JobEvent *event = new_answer (process, JOB_EVENT_VALUES, request);
    guint64 spent = 0;
    gsize at = 0;
    const char *name;

    event->table = job_value_table_new ();
    while ((name = engine_python_next_word (answer, &at)) != NULL) {
        g_autoptr (JobValue) value
            = take_whole (process, name, answer, &at,
                          PYTHON_SHARE (ENGINE_MAX_COMPARED_LOCALS - spent), &spent);

        if (value != NULL) {
            job_value_table_add (event->table, name, event->ranks, value);
        }
    }
    engine_emit (process->engine, event);
}

static void
emit_text (EngineProcess *process, const JobRequest *request, const char *text)
{
    JobEvent *event;
    gsize size = strlen (text);

    if (size == 0) {
        engine_emit_accepted (process, request->id);
        return;
    }
    event = new_answer (process, JOB_EVENT_TEXT, request);
    event->text = g_strndup (text, text[size - 1] == '\n' ? size - 1 : size);
    engine_emit (process->engine, event);
}

/* As it is: a part of a file. */
static void
emit_source (EngineProcess *process, const JobRequest *request, const char *text)
{
    JobEvent *event = new_answer (process, JOB_EVENT_TEXT, request);

    event->text = g_utf8_make_valid (text, -1);
    engine_emit (process->engine, event);
}

/* The elements of the object that the expression gave, which the agent keeps meanwhile. */
static void
emit_array (EngineProcess *process, const JobRequest *request, const PythonAnswer *answer)
{
    gsize at = 0;
    guint64 address = 0;
    g_autoptr (GError) error = NULL;
    g_autoptr (JobValue) value = engine_python_take_value (NULL, answer, &at, &address);
    PythonRuntime *runtime = engine_runtime_find (process);
    g_autofree char *shape = NULL;
    GBytes *bytes = NULL;
    JobEvent *event;

    if (value == NULL || runtime == NULL || address == 0) {
        base_error_set (&error, BASE_ERROR_UNSUPPORTED,
                        "cannot show \"%s\" as an array: not a numpy array", request->text);
    } else {
        bytes = python_object_read_array (runtime, address, request->text, &shape, &error);
    }
    if (bytes == NULL) {
        engine_emit_failure (process, request->id, error);
        return;
    }
    event = new_answer (process, JOB_EVENT_ARRAY, request);
    event->text = g_steal_pointer (&shape);
    event->bytes = bytes;
    engine_emit (process->engine, event);
}

static void
emit_answer (EngineProcess *process, const JobRequest *request, const PythonAnswer *answer)
{
    g_autoptr (GError) error = NULL;

    if (answer->status < 0) {
        error = g_error_new_literal (BASE_ERROR, BASE_ERROR_INVALID,
                                     (const char *) answer->out);
        engine_emit_failure (process, request->id, error);
        return;
    }
    switch (request->verb) {
    case JOB_VERB_LOCALS:
    case JOB_VERB_GLOBALS: emit_values (process, request, answer); break;
    case JOB_VERB_ARRAY: emit_array (process, request, answer); break;
    case JOB_VERB_EXEC: emit_text (process, request, (const char *) answer->out); break;
    case JOB_VERB_SET: engine_emit_accepted (process, request->id); break;
    case JOB_VERB_INFO: emit_source (process, request, (const char *) answer->out); break;
    case JOB_VERB_WHATIS:
    case JOB_VERB_PTYPE: emit_text (process, request, (const char *) answer->out); break;
    default: emit_value (process, request, request->text, answer); break;
    }
}

/* Command and its text for the verb; NONE: not for the agent. Text to be freed. */
static guint32
choose_command (const JobRequest *request, char **ret_text)
{
    switch (request->verb) {
    case JOB_VERB_PRINT:
    case JOB_VERB_CALL:
    case JOB_VERB_WHATIS:
    case JOB_VERB_PTYPE:
    case JOB_VERB_ARRAY:
        *ret_text = g_strdup (request->text);
        return request->text != NULL ? PDDT_COMMAND_EVAL : PDDT_COMMAND_NONE;
    case JOB_VERB_EXEC:
        *ret_text = g_strdup (request->text);
        return request->text != NULL ? PDDT_COMMAND_EXEC : PDDT_COMMAND_NONE;
    case JOB_VERB_SET:
        *ret_text = request->text != NULL && request->text2 != NULL
                        ? job_request_dup_assignment (request)
                        : NULL;
        return *ret_text != NULL ? PDDT_COMMAND_EXEC : PDDT_COMMAND_NONE;
    case JOB_VERB_INFO:
        *ret_text = g_strdup (request->text2);
        return request->text2 != NULL ? PDDT_COMMAND_SOURCE : PDDT_COMMAND_NONE;
    case JOB_VERB_LOCALS: return PDDT_COMMAND_LOCALS;
    case JOB_VERB_GLOBALS: return PDDT_COMMAND_GLOBALS;
    default: return PDDT_COMMAND_NONE;
    }
}

/* The frames are the same: the thread stands in the same stop. */
static void
forget_values (EngineProcess *process)
{
    if (process->runtime != NULL) {
        python_runtime_invalidate (process->runtime);
    }
    for (guint i = 0; process->stack != NULL && i < process->stack->frames->len; i++) {
        JobFrame *frame = g_ptr_array_index (process->stack->frames, i);

        g_clear_pointer (&frame->arguments, g_free);
    }
}

static void
answer_query (EngineProcess *process, const JobRequest *request, EngineThread *thread,
              PythonTalkAnswer talked)
{
    g_autoptr (GError) error = NULL;
    g_auto (PythonAnswer) answer = { 0 };

    if (!engine_python_read_reply (process, thread, talked, &answer, &error)) {
        if (talked == PYTHON_TALK_GOES_ON
            && engine_inspect_answer_from_outside (process, request)) {
            engine_say (process,
                        "Python code has not answered in %u s (option limit-time): values are "
                        "shown as they are read from outside",
                        process->engine->limit_s);
            return;
        }
        engine_emit_failure (process, request->id, error);
        return;
    }
    if (talked == PYTHON_TALK_CUT && answer.status < 0) {
        error = g_error_new_literal (BASE_ERROR, BASE_ERROR_INVALID, "interrupted");
        engine_emit_failure (process, request->id, error);
        forget_values (process);
        return;
    }
    engine_process_begin_caching (process);
    /* code that ran may have changed what was read before */
    forget_values (process);
    emit_answer (process, request, &answer);
    engine_process_end_caching (process);
}

gboolean
engine_python_handle_query (EngineProcess *process, const JobRequest *request,
                            guint32 python_index)
{
    EngineThread *thread = engine_process_get_stopped (process);
    g_autofree char *text = NULL;
    g_autoptr (GError) error = NULL;
    guint32 command = choose_command (request, &text);

    if (command == PDDT_COMMAND_NONE || !engine_python_is_stop (process)) {
        return FALSE;
    }
    if (!engine_python_write_question (thread, command,
                                       command == PDDT_COMMAND_SOURCE ? request->number : 0,
                                       python_index, text, text != NULL ? strlen (text) + 1 : 0,
                                       &error)) {
        engine_emit_failure (process, request->id, error);
        return TRUE;
    }
    if (request->flags & JOB_REQUEST_WHOLE) {
        engine_python_write_whole (process, request);
    }
    answer_query (process, request, thread, engine_python_talk (thread, TRUE));
    engine_watch_read_again (
        process); /* if it runs another function of the user's, or sets a variable */
    return TRUE;
}

/* ---- an exception's frames ---- */

static JobFrame *
make_frame (const char *function, const char *file, const char *line, guint32 index)
{
    JobFrame *frame = job_frame_new ();

    frame->location.function = g_strdup (function);
    frame->location.file = g_strdup (file);
    frame->location.line = (guint32) g_ascii_strtoull (line, NULL, 10);
    frame->location.language = JOB_LANGUAGE_PYTHON;
    frame->native_index = index;
    return frame;
}

void
engine_python_show_traceback (EngineProcess *process, EngineThread *thread, guint32 own_frame)
{
    g_auto (PythonAnswer) answer = { 0 };
    Stack *stack;
    gsize at = 0;
    guint n = 0;
    const char *function, *file, *line;

    if (!engine_python_converse (thread, PDDT_COMMAND_STACK, 0, 0, NULL, 0, &answer, NULL)
        || (stack = engine_inspect_get_stack (process)) == NULL) {
        return;
    }
    /* what the thread's own stack shows is only how the agent came to be told */
    for (guint i = 0; i < stack->frames->len; i++) {
        JobFrame *frame = g_ptr_array_index (stack->frames, i);

        frame->flags |= JOB_FRAME_INTERPRETER;
    }
    while ((function = engine_python_next_word (&answer, &at)) != NULL
           && (file = engine_python_next_word (&answer, &at)) != NULL
           && (line = engine_python_next_word (&answer, &at)) != NULL) {
        g_ptr_array_insert (stack->frames, (gint) n, make_frame (function, file, line, n));
        n++;
    }
    process->selected_frame = process->stop_frame = own_frame < n ? own_frame : 0;
}

gboolean
engine_python_answer_stop (EngineProcess *process, const JobRequest *request,
                           guint32 python_index)
{
    return engine_python_is_stop (process)
           && engine_python_handle_query (process, request, python_index);
}
