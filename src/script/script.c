/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The main loop's side of scripts. Starts the thread of Python with the first one, gives it what is to run, one after the other,
 * and answers what it asks: lines of the command language, which run in contexts of their own. Never waits for it. */
#include "script/script.h"
#include "base/error.h"
#include "base/patience.h"
#include "script/private.h"
#include "session/filter.h"
#include "session/moment.h"
#include "session/query.h"
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#define STUBBORN_MS 5000 /* after an interrupt */
#define END_US 1000000

typedef struct {
    guint64 id;
    CommandContext *context; /* that asked; NULL: it is gone */
    CommandScriptDone done;
    gpointer user;
    ScriptMessage *message; /* not yet sent; NULL: it runs */
} Task;

/* A line of the language, and what it has answered so far. */
typedef struct {
    guint64 id;
    guint place; /* of its context; one runs in each */
    GString *text;
} Line;

#define N_CONTEXTS (2 * SCRIPT_MAX_DEPTH) /* by depth, of JSON and of text */

static struct {
    ScriptFind find;
    GAsyncQueue *to_python; /* of ScriptMessage; NULL: it has not begun */
    GThread *thread;
    ScriptPythonInterrupt interrupt;
    char *problem; /* why there is no Python; NULL */
    gboolean is_started, is_listening, is_abandoned, is_ended;
    guint64 last_id;
    GQueue tasks; /* of Task: the first one runs */
    guint stubborn_source;
    Session *session; /* of the contexts; NULL */
    CommandContext *contexts[N_CONTEXTS];
    Line *lines[N_CONTEXTS];
    CommandContext *shown; /* where scripts print; borrowed, NULL: nowhere */
    GCond ended;
    GMutex mutex;
    gboolean has_clock; /* of the processor time of Python's thread; under the mutex */
    clockid_t clock;
} state;

static void begin_task (void);

/* ---- messages ---- */

guint64
script_next_id (void)
{
    return ++state.last_id;
}

void
script_post (ScriptMessage *message)
{
    g_async_queue_push (state.to_python, message);
}

void
script_answer (guint64 id, const char *text, gboolean ok)
{
    ScriptMessage *message = script_message_new (SCRIPT_ANSWER, id, text);

    message->number = ok;
    script_post (message);
}

static ScriptMessage *
take (gint64 timeout_us)
{
    return timeout_us < 0 ? g_async_queue_pop (state.to_python)
                          : g_async_queue_timeout_pop (state.to_python, (guint64) timeout_us);
}

/* ---- contexts ---- */

static void
on_write (CommandOutKind kind, int stream, const char *text, gpointer user)
{
    guint place = GPOINTER_TO_UINT (user);
    Line *line = state.lines[place];

    if (kind == COMMAND_OUT_EVENT || kind == COMMAND_OUT_OUTPUT) {
        if (state.is_listening && place == 0) {
            script_post (script_message_new (SCRIPT_EVENT, 0, text));
        }
    } else if (line != NULL) {
        g_string_append_printf (line->text, "%s%s", line->text->len > 0 ? "\n" : "", text);
    }
}

/* A script said `quit`: whoever asked for it sees that when it has ended. */
static void
quit_all (void)
{
    for (GList *at = state.tasks.head; at != NULL; at = at->next) {
        Task *task = at->data;

        if (task->context != NULL) {
            command_script_quit (task->context);
        }
    }
}

static void
on_line_done (gboolean ok, gpointer user)
{
    guint place = GPOINTER_TO_UINT (user);
    Line *line = g_steal_pointer (&state.lines[place]);

    if (state.contexts[place] != NULL && command_context_is_quit (state.contexts[place])) {
        quit_all ();
    }
    if (line != NULL) {
        script_answer (line->id, line->text->str, ok);
        g_string_free (line->text, TRUE);
        g_free (line);
    }
}

static void
close_contexts (void)
{
    for (guint i = 0; i < N_CONTEXTS; i++) {
        g_clear_pointer (&state.contexts[i], command_context_free);
        on_line_done (FALSE, GUINT_TO_POINTER (i));
    }
    script_hits_forget (state.session);
    g_clear_object (&state.session);
}

static CommandContext *
get_context (guint place)
{
    Session *session = state.shown != NULL ? command_context_get_session (state.shown)
                                           : state.session;

    if (session != state.session) {
        close_contexts ();
        state.session = g_object_ref (session);
    }
    if (state.contexts[place] == NULL && session != NULL) {
        state.contexts[place] = command_context_new (session, place % 2 == 0, on_write,
                                                     GUINT_TO_POINTER (place));
    }
    return state.contexts[place];
}

/* ---- tasks ---- */

static void
free_task (Task *task)
{
    script_message_free (task->message);
    g_free (task);
}

static void
end_task (Task *task, const char *problem)
{
    CommandScriptDone done = task->context != NULL ? task->done : NULL;
    gpointer user = task->user;

    free_task (task);
    if (done != NULL) {
        done (problem, user);
    }
}

static void
fail_all (const char *problem)
{
    Task *task;

    while ((task = g_queue_pop_head (&state.tasks)) != NULL) {
        end_task (task, problem);
    }
}

/* It does not listen. What it still sends is answered, so that it may end. */
static gboolean
on_stubborn (gpointer data)
{
    state.stubborn_source = 0;
    state.is_abandoned = TRUE;
    fail_all (
        "the script does not end when it is interrupted; no other script runs until it has ended");
    return G_SOURCE_REMOVE;
}

static void
interrupt (void)
{
    Task *task = g_queue_peek_head (&state.tasks);

    if (task == NULL || task->message != NULL) { /* none has begun */
        fail_all ("interrupted");
    } else {
        state.interrupt ();
        script_post (script_message_new (SCRIPT_WAKE, 0, NULL));
        if (state.stubborn_source == 0) {
            state.stubborn_source = base_patience_add (STUBBORN_MS, on_stubborn, NULL, NULL);
        }
    }
}

static void
begin_task (void)
{
    Task *task = g_queue_peek_head (&state.tasks);

    if (task != NULL && task->message != NULL && state.is_started && !state.is_abandoned) {
        if (task->context != NULL) {
            state.shown = task->context;
            command_context_follow (get_context (0), task->context);
            command_context_follow (get_context (1), task->context);
        }
        script_post (g_steal_pointer (&task->message));
    }
}

static void
take_done (const ScriptMessage *message)
{
    Task *task = g_queue_peek_head (&state.tasks);

    g_clear_handle_id (&state.stubborn_source, g_source_remove);
    state.is_abandoned = FALSE;
    if (task != NULL && task->id == message->id) {
        g_queue_pop_head (&state.tasks);
        end_task (task, message->text);
        task = g_queue_peek_head (&state.tasks);
        if (task != NULL && task->message == NULL) {
            state.shown = task->context; /* it had called the other one */
        }
    }
    begin_task ();
}

/* ---- what scripts ask ---- */

static void
run_line (const ScriptMessage *message)
{
    guint place = (guint) (message->number & SCRIPT_PLACE) % N_CONTEXTS;
    gboolean is_new = state.contexts[place] == NULL;
    CommandContext *context = state.is_abandoned ? NULL : get_context (place);

    if (context == NULL) {
        script_answer (message->id, NULL, FALSE);
        return;
    }
    if (state.lines[place]
        != NULL) { /* of a script that was interrupted while it waited for it */
        command_cancel (context);
        on_line_done (FALSE, GUINT_TO_POINTER (place));
    }
    if (is_new && place > 1 && (message->number & SCRIPT_IN_CALLBACK) == 0) {
        command_context_follow (context, get_context (0));
    }
    state.lines[place] = g_new0 (Line, 1);
    state.lines[place]->id = message->id;
    state.lines[place]->text = g_string_new (NULL);
    command_run (context, message->text, on_line_done, GUINT_TO_POINTER (place));
}

static void
add_command (const ScriptMessage *message)
{
    g_autoptr (GError) error = NULL;
    gboolean ok = command_script_add (message->text, message->text2, &error);

    script_answer (message->id, ok ? NULL : error->message, ok);
}

static void
tell_facts (const ScriptMessage *message)
{
    Session *session = get_context (0) != NULL ? state.session : NULL;
    g_autoptr (JobRankSet) all = session != NULL ? session_dup_all (session)
                                                 : job_rank_set_new ();
    g_autofree char *ranks = job_rank_set_format (all);
    g_autofree char *focus = session != NULL ? job_rank_set_format (session_get_focus (session))
                                             : NULL;
    g_autofree char *text = g_strdup_printf ("%s|%s|%" G_GUINT64_FORMAT "|%d", ranks,
                                             focus != NULL ? focus : "",
                                             session != NULL ? session_get_start (session) : 0,
                                             session == NULL || session_is_ended (session));

    script_answer (message->id, text, TRUE);
}

static void
tell_moment (const ScriptMessage *message)
{
    Session *session = get_context (0) != NULL ? state.session : NULL;
    g_autoptr (JobRankSet) ranks = session != NULL
                                       ? command_parse_set (session, message->text, NULL)
                                       : NULL;
    g_autofree char *text
        = g_strdup_printf ("%" G_GUINT64_FORMAT,
                           ranks != NULL ? session_sign_moment (session, ranks) : 0);

    script_answer (message->id, text, ranks != NULL);
}

typedef struct {
    guint64 id;
    SessionQuery *query;
} ArrayQuestion;

static void
add_text (GString *text, GByteArray *bytes, const char *ranks, const char *what,
          const char *said)
{
    gsize size = strlen (said);

    g_string_append_printf (text, "text\t%s\t%s\t%" G_GSIZE_FORMAT "\n", ranks, what, size);
    g_byte_array_append (bytes, (const guint8 *) said, (guint) size);
}

/* "p" of a problem, else "n" and the number, or "v"; a space and the type. Caller owns. */
static char *
describe_value (const JobValue *value)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE] = "";
    g_autofree char *type = g_strdup (value->type != NULL ? value->type : "");

    if (value->is_number) {
        g_ascii_dtostr (number, sizeof number, value->number);
    }
    return g_strdup_printf ("%s%s %s",
                            value->is_problem  ? "p"
                            : value->is_number ? "n"
                                               : "v",
                            number, g_strdelimit (type, "\t\n", ' '));
}

/* What a rank says in words, or as a value. */
static void
add_texts (GString *text, GByteArray *bytes, const JobEvent *event, const char *ranks)
{
    if (event->kind == JOB_EVENT_TEXT && event->text != NULL) {
        add_text (text, bytes, ranks, "", event->text);
    }
    for (guint i = 0;
         event->kind == JOB_EVENT_VALUES && event->table != NULL && i < event->table->rows->len;
         i++) {
        const JobValueRow *row = g_ptr_array_index (event->table->rows, i);

        BASE_EACH (row->groups, const JobValueGroup, group) {
            g_autofree char *who = job_rank_set_format (group->ranks);

            g_autofree char *what = describe_value (group->value);

            add_text (text, bytes, who, what,
                      group->value->text != NULL ? group->value->text : "");
        }
    }
}

static void
on_array (SessionQuery *query, SessionAnswer *found, gpointer user)
{
    ArrayQuestion *question = user;
    g_autoptr (GString) text = g_string_new (NULL);
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    ScriptMessage *message;

    BASE_EACH (found->groups, const JobEvent, event) {
        g_autofree char *ranks = job_rank_set_format (event->ranks);
        gsize size = 0;
        const guint8 *data = job_event_get_bytes (event) != NULL
                                 ? g_bytes_get_data (job_event_get_bytes (event), &size)
                                 : NULL;

        if (event->kind == JOB_EVENT_ARRAY) {
            g_string_append_printf (text, "array\t%s\t%s\t%" G_GSIZE_FORMAT "\n", ranks,
                                    event->text, size);
            g_byte_array_append (bytes, data, (guint) size);
        } else {
            add_texts (text, bytes, event, ranks);
        }
    }
    BASE_EACH (found->failures, const JobEvent, event) {
        g_autofree char *ranks = job_rank_set_format (event->ranks);

        g_string_append_printf (text, "failure\t%s\t%s\t%s\n", ranks,
                                base_error_get_name (event->code), event->text);
    }
    if (found->missing != NULL && !job_rank_set_is_empty (found->missing)) {
        g_autofree char *ranks = job_rank_set_format (found->missing);

        g_string_append_printf (text, "missing\t%s\t\t\n", ranks);
    }
    message = script_message_new (SCRIPT_ANSWER, question->id, text->str);
    message->data = g_bytes_new (bytes->data, bytes->len);
    message->number = found->ok;
    script_post (message);
    session_query_free (question->query);
    g_free (question);
}

/* As what is shown is asked about; else as scripts are. */
static void
select_frame (CommandContext *context, JobRequest *request)
{
    const JobRequest *shown = script_show_get_request (state.session);

    if (shown == NULL) {
        session_selection_mark (command_context_get_selection (context), request);
        return;
    }
    request->thread = shown->thread;
    BASE_EACH (shown->selections, const JobSelection, selection) {
        g_autoptr (JobRankSet) here = job_rank_set_intersect (selection->ranks, request->ranks);

        if (!job_rank_set_is_empty (here)) {
            job_request_select (request, here, selection->thread, selection->has_frame,
                                selection->frame);
        }
    }
}

static JobRequest *
make_question (const ScriptMessage *message, const JobRankSet *ranks)
{
    const char *what = message->text2 != NULL ? message->text2 : "";
    gboolean is_value = message->kind == SCRIPT_OBJECT && g_str_has_prefix (what, "print ");
    JobRequest *request = job_request_new (message->kind == SCRIPT_ARRAY ? JOB_VERB_ARRAY
                                           : is_value                    ? JOB_VERB_PRINT
                                                                         : JOB_VERB_INFO,
                                           ranks);

    if (message->kind == SCRIPT_ARRAY || is_value) {
        request->text = g_strdup (is_value ? what + strlen ("print ") : what);
    } else {
        request->text = g_strdup ("object");
        request->text2 = g_strdup (what);
    }
    return request;
}

static void
ask_ranks (const ScriptMessage *message)
{
    CommandContext *context = get_context (0);
    g_autoptr (JobRankSet) ranks = context != NULL
                                       ? command_parse_set (state.session, message->text, NULL)
                                       : NULL;
    ArrayQuestion *question;
    JobRequest *request;

    if (ranks == NULL || state.is_abandoned) {
        script_answer (message->id, "", FALSE);
        return;
    }
    request = make_question (message, ranks);
    select_frame (context, request);
    question = g_new0 (ArrayQuestion, 1);
    question->id = message->id;
    question->query = session_query_new_plain (state.session, request, on_array, question);
}

static void
write_text (const ScriptMessage *message)
{
    if (state.shown == NULL || state.is_abandoned || message->text == NULL) {
        /* nobody reads it */
    } else if (message->number == 0) {
        command_script_fail (state.shown, message->text);
    } else {
        command_script_write (state.shown, (int) message->number, message->text);
    }
    script_answer (message->id, NULL, TRUE);
}

static void
own_breakpoint (const ScriptMessage *message)
{
    if (get_context (0) != NULL) {
        script_hits_own (state.session, (guint32) message->number);
    }
    script_answer (message->id, NULL, state.session != NULL);
}

static void
ask_profile (const ScriptMessage *message)
{
    CommandContext *contexts[N_CONTEXTS + 1];

    memcpy (contexts, state.contexts, sizeof state.contexts);
    contexts[N_CONTEXTS] = state.shown;
    script_profiles_ask (message, command_profile_find_last (contexts, G_N_ELEMENTS (contexts)),
                         state.find);
}

static void
take_started (const ScriptMessage *message)
{
    state.is_started = message->text == NULL;
    if (message->text != NULL) {
        state.problem = g_strdup_printf ("Python does not run: %s", message->text);
        fail_all (state.problem);
    }
    begin_task ();
}

static gboolean
on_message (gpointer data)
{
    const ScriptMessage *message = data;

    switch (message->kind) {
    case SCRIPT_STARTED: take_started (message); break;
    case SCRIPT_DONE: take_done (message); break;
    case SCRIPT_JUDGED: script_hits_take_judged (message->id); break;
    case SCRIPT_COMMAND: run_line (message); break;
    case SCRIPT_WRITE: write_text (message); break;
    case SCRIPT_ADD: add_command (message); break;
    case SCRIPT_OWN: own_breakpoint (message); break;
    case SCRIPT_DISOWN: script_hits_disown ((guint32) message->number); break;
    case SCRIPT_LISTEN: state.is_listening = message->number != 0; break;
    case SCRIPT_FACTS: tell_facts (message); break;
    case SCRIPT_MOMENT: tell_moment (message); break;
    case SCRIPT_ARRAY:
    case SCRIPT_OBJECT: ask_ranks (message); break;
    case SCRIPT_PROFILE: ask_profile (message); break;
    case SCRIPT_SHOWING: script_show_begin (message->id); break;
    case SCRIPT_SHOWN: script_show_take (message->id, message->text); break;
    case SCRIPT_ARM:
        if (message->text != NULL) {
            script_function_add (message->text);
        } else {
            script_show_arm ();
        }
        script_answer (message->id, NULL, TRUE);
        break;
    default: break;
    }
    return G_SOURCE_REMOVE;
}

/* ---- the thread ---- */

static void
send (ScriptMessage *message)
{
    g_main_context_invoke_full (NULL, G_PRIORITY_DEFAULT, on_message, message,
                                (GDestroyNotify) script_message_free);
}

static gpointer
run_python (gpointer data)
{
    static const ScriptPort port = { take, send, script_message_free, script_message_new };
    ScriptPythonRun run = (ScriptPythonRun) data;
    clockid_t clock;

    g_mutex_lock (&state.mutex);
    state.has_clock = pthread_getcpuclockid (pthread_self (), &clock) == 0;
    state.clock = clock;
    g_mutex_unlock (&state.mutex);
    run (&port);
    g_mutex_lock (&state.mutex);
    state.has_clock = FALSE;
    state.is_ended = TRUE;
    g_cond_signal (&state.ended);
    g_mutex_unlock (&state.mutex);
    return NULL;
}

/* RTLD_GLOBAL: Python's extension modules are not linked to libpython. */
static gboolean
start (GError **error)
{
    g_autofree char *path = state.find ("pddt-python.so", error);
    void *library;
    ScriptPythonRun run;

    if (path == NULL) {
        return FALSE;
    }
    library = dlopen (path, RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL) {
        g_set_error (
            error, BASE_ERROR, BASE_ERROR_NOT_FOUND,
            "scripts need Python's library, which cannot be loaded: %s (Debian: python3-dev)",
            dlerror ());
        return FALSE;
    }
    run = (ScriptPythonRun) dlsym (library, SCRIPT_PYTHON_RUN);
    state.interrupt = (ScriptPythonInterrupt) dlsym (library, SCRIPT_PYTHON_INTERRUPT);
    g_assert (run != NULL && state.interrupt != NULL);
    state.to_python = g_async_queue_new ();
    state.thread = g_thread_new ("python", run_python, (gpointer) run);
    return TRUE;
}

gboolean
script_prepare (Session *session, GError **error)
{
    if (state.problem != NULL || state.is_abandoned
        || (state.to_python == NULL && !start (error))) {
        return FALSE;
    }
    if (state.session == NULL) { /* no script has run yet */
        state.session = g_object_ref (session);
    }
    return state.session == session;
}

gint64
script_get_python_time_us (void)
{
    struct timespec used = { 0, 0 };

    g_mutex_lock (&state.mutex);
    if (state.has_clock) {
        clock_gettime (state.clock, &used);
    }
    g_mutex_unlock (&state.mutex);
    return used.tv_sec * G_USEC_PER_SEC + used.tv_nsec / 1000;
}

gboolean
script_is_running (void)
{
    const Task *task = g_queue_peek_head (&state.tasks);

    return task != NULL && task->message == NULL;
}

void
script_interrupt_python (void)
{
    state.interrupt ();
    script_post (script_message_new (SCRIPT_WAKE, 0, NULL));
}

/* ---- hooks ---- */

static gboolean
is_ours (const CommandContext *context)
{
    return BASE_ANY (i, N_CONTEXTS, state.contexts[i] == context);
}

static gboolean
push_task (CommandContext *context, ScriptMessage *message, CommandScriptDone done,
           gpointer user, GError **error)
{
    Task *task;

    message->id = script_next_id ();
    if (state.problem != NULL || state.is_abandoned) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_BUSY, "%s",
                     state.problem != NULL ? state.problem
                                           : "a script that was interrupted has not ended yet");
        script_message_free (message);
        return FALSE;
    }
    if (state.to_python == NULL && !start (error)) {
        script_message_free (message);
        return FALSE;
    }
    task = g_new0 (Task, 1);
    task->id = message->id;
    task->context = context;
    task->done = done;
    task->user = user;
    if (is_ours (context)) { /* the running script has asked for it, and waits */
        g_queue_push_head (&state.tasks, task);
        state.shown = context;
        script_post (message);
        return TRUE;
    }
    task->message = message;
    g_queue_push_tail (&state.tasks, task);
    if (g_queue_get_length (&state.tasks) == 1) {
        begin_task ();
    }
    return TRUE;
}

static gboolean
run_text (CommandContext *context, const JobRankSet *ranks, const char *text, const char *file,
          guint line, CommandScriptDone done, gpointer user, GError **error)
{
    ScriptMessage *message = script_message_new (SCRIPT_RUN, 0, text);

    message->text2 = g_strdup (file);
    message->text3 = job_rank_set_format (ranks);
    message->number = line;
    return push_task (context, message, done, user, error);
}

static gboolean
call (CommandContext *context, const JobRankSet *ranks, const char *name, const char *arguments,
      CommandScriptDone done, gpointer user, GError **error)
{
    ScriptMessage *message = script_message_new (SCRIPT_CALL, 0, name);

    message->text2 = g_strdup (arguments);
    message->text3 = job_rank_set_format (ranks);
    return push_task (context, message, done, user, error);
}

/* Its script runs on, for nobody. */
static void
forget (CommandContext *context)
{
    for (GList *at = state.tasks.head; at != NULL; at = at->next) {
        Task *task = at->data;

        task->context = task->context == context ? NULL : task->context;
    }
    state.shown = state.shown == context ? NULL : state.shown;
}

void
script_install (ScriptFind find)
{
    static const CommandScripts scripts = {
        .run = run_text,
        .call = call,
        .interrupt = interrupt,
        .forget = forget,
        .is_judging = script_hits_is_judging,
        .has_breakpoint = script_hits_has,
    };

    state.find = find;
    command_set_scripts (&scripts);
    script_show_install ();
}

void
script_end (void)
{
    gint64 end_us = g_get_monotonic_time () + END_US;

    if (state.thread == NULL) {
        return;
    }
    if (!g_queue_is_empty (&state.tasks) && state.is_started) {
        state.interrupt ();
        script_post (script_message_new (SCRIPT_WAKE, 0, NULL));
    }
    script_post (script_message_new (SCRIPT_END, 0, NULL));
    g_mutex_lock (&state.mutex);
    while (!state.is_ended && g_cond_wait_until (&state.ended, &state.mutex, end_us)) {
    }
    g_mutex_unlock (&state.mutex);
    close_contexts ();
}
