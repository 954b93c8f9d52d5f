/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conversation with the agent. */
#pragma once
#include "agent/mailbox.h"
#include "engine/control/control.h"
#include "engine/python/python.h"

/* ---- the agent and its stops ---- */
typedef struct _EngineBoundary EngineBoundary;
#define PYTHON_UNTIL_NUMBER 0xfffffff0u /* the agent's breakpoint of `until` */
/* What is known of the Python in a process. */
struct _EnginePython {
    gboolean is_agent_expected; /* the runner is on its command line */
    gboolean is_interpreter;    /* that command line begins with python */
    gboolean has_agent;         /* mailbox found and trap planted */
    guint64 mailbox, stop_function, wake_function, here_function, left_function;
    pid_t stopped_tid; /* thread inside pddt_python_stop now; 0 */
    guint32 event;     /* of the present stop */
    /* the thread whose evaluation took too long and is held in its middle, 0; once it has answered, it executes
     * the motion that was asked for meanwhile, of the frame of that index */
    pid_t late_tid;
    guint32 late_command, late_count, late_frame;
    guint32 last_command_id; /* of the mailbox's commands */
    /* the breakpoint whose command was not answered in time, and that command's number; NULL */
    JobRequest *late_request;
    guint32 late_request_id;
    /* breakpoints of this number and greater ones are still to be asked for their places; 0: none */
    guint32 places_from;
    gboolean sync_wanted; /* breakpoints changed while the agent could not be
                                        notified */
    gboolean begun;       /* past READY */
    gboolean has_logs;    /* breakpoints that log: the agent's ring is looked at */
    guint n_awaited;      /* rows of the mailbox's table of threads that come later */
    GPtrArray *queue;     /* of JobRequest: breakpoint verbs not sent to the agent yet */
    gboolean until_is_set, wants_mpi_init, has_wake_failed;
    gint64 wake_due_us;         /* when to wake the interpreter again; 0: not at all */
    guint n_wakes, n_reminders; /* how many of these attempts failed, and how often it was
                                   notified again */
    gboolean wants_pause;       /* stop at the first Python line once the agent is there */
    gboolean is_missing;        /* the runner could not load its agent; reported */
    gboolean is_injected; /* the interpreter of a running program was asked to load the agent */
    JobRequest *
        agent_request; /* the breakpoint that needs the agent, while no thread can make the call; NULL */
    gint64 agent_due_us,
        agent_deadline_us; /* the next attempt, or look at agent_status; end of attempts */
    guint n_agent_failures;
    /* address in the rank where a failure to load it is written; 0: not asked */
    guint64 agent_status;
    /* memory for a line that the interpreter has not been asked to execute; 0: none */
    guint64 unused_line;
    /* address of the line that the main thread has been asked to execute; 0: none */
    guint64 agent_line;
    guint n_idle_looks;       /* how often it has not waited since */
    gboolean is_by_traceback; /* the current stop's frames are those of a traceback */
    EngineBoundary *boundary; /* traps of the present motion; NULL */
    guint64 code_trap;        /* where module code begins, while the agent waits for the
                                   program's first code; 0 */
    guint64 mpi_init[2];      /* addresses of traps for --stop-at mpi-init; 0 */
};
/* Handles the stop's event, as when a running rank hits the trap. */
EngineTrapAnswer engine_python_take_event (EngineThread *thread);
/* `until` has ended elsewhere: tells the agent with the next query. */
void engine_python_forget_until (EngineProcess *process);
/* What the mailbox's text says was returned. */
void engine_python_emit_returned (EngineProcess *process, const struct pddt_mailbox *box);

/* ---- talks ---- */
typedef enum {
    PYTHON_TALK_GOES_ON, /* timed out; it is held in the middle */
    PYTHON_TALK_HELD,    /* the same before the timeout, on request */
    PYTHON_TALK_DONE,    /* the thread is in the stop, or has finished the detour for the
                               query */
    PYTHON_TALK_CUT,     /* the same, but interrupted on request before the timeout */
    PYTHON_TALK_FAULT,   /* it has crashed and is stopped there */
    PYTHON_TALK_GONE,    /* the thread, the rank or its program has ended */
} PythonTalkAnswer;
/* The thread, which stands in the stop or was sent on its way to it, goes on until it stands there. Other threads of a
 * stopped rank stay as they are, but are let go when it takes long (the GIL may have to change hands); those of a rank that
 * counts as running keep running. Waits as the work that it is part of. may_hurry: it runs the user's code, which is
 * interrupted when somebody else wants the rank. The thread is there for DONE, CUT and FAULT only. */
PythonTalkAnswer engine_python_talk (EngineThread *thread, gboolean may_hurry);
/* Resumes it for that long at most. TRUE: it is in the stop. */
gboolean engine_python_run_for (EngineThread *thread, gint64 duration_us);
/* Of a thread that was sent on its way: where it stands now; *ret_is_left: it is done with being asked. GONE,
 * TIMEOUT: it stands elsewhere. */
gboolean engine_python_read_arrival (EngineProcess *process, EngineThread *thread,
                                     PythonTalkAnswer answer, gboolean *ret_is_left,
                                     GError **error);

/* ---- the mailbox ---- */
/* The mailbox's event part (everything before `command`); caller frees. NULL: unreadable. */
struct pddt_mailbox *engine_python_read_event (EngineProcess *process);
gboolean engine_python_read_u32 (EngineProcess *process, gsize offset, guint32 *ret_value);
gboolean engine_python_write_u32 (EngineProcess *process, gsize offset, guint32 value);
#define PYTHON_OFFSET(member) G_STRUCT_OFFSET (struct pddt_mailbox, member)
/* The agent's command when it resumes. */
gboolean engine_python_write_command (EngineProcess *process, guint32 command, guint32 count);
/* The thread waits for a command. FALSE: it is in the middle of one that was not answered in time, which nothing
 * in the mailbox may disturb, or it is elsewhere or gone. */
gboolean engine_python_is_listening (EngineThread *thread);
/* Skips the stop's one-byte nop, so that resuming needs no step over the trap. */
void engine_python_pass_stop (EngineThread *thread, guint64 stop_function);
typedef struct {
    gint32 status;
    guint8 *out; /* out_size bytes and a NUL more */
    guint32 out_size;
} PythonAnswer;
void engine_python_answer_clear (PythonAnswer *answer);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PythonAnswer, engine_python_answer_clear)
/* After the question: its answer is shown whole. */
void engine_python_write_whole (EngineProcess *process, const JobRequest *request);
/* Writes the command for the next talk. INVALID, FAULT; BUSY: the thread is not listening. */
gboolean engine_python_write_question (EngineThread *thread, guint32 command, guint32 number,
                                       guint32 frame, const void *in, gsize in_size,
                                       GError **error);
/* The answer that the mailbox holds; *ret_id: the number of its command. CORRUPT: it holds none. */
gboolean engine_python_fetch_answer (EngineProcess *process, PythonAnswer *ret_answer,
                                     guint32 *ret_id, GError **error);
/* Its result. TIMEOUT: the code is unfinished and held in the middle; FAULT, GONE. */
gboolean engine_python_read_reply (EngineProcess *process, EngineThread *thread,
                                   PythonTalkAnswer talked, PythonAnswer *ret_answer,
                                   GError **error);
/* Query, talk (waits for it) and reply: not for user code. */
gboolean engine_python_converse (EngineThread *thread, guint32 command, guint32 number,
                                 guint32 frame, const void *in, gsize in_size,
                                 PythonAnswer *ret_answer, GError **error);
/* The next NUL-terminated word of an answer; NULL at its end. */
const char *engine_python_next_word (const PythonAnswer *answer, gsize *at);

/* ---- questions ---- */
gboolean engine_python_is_breakpoint_verb (const JobRequest *request);
/* The breakpoint stands in native code of the user's own. */
gboolean engine_python_is_in_native_code (EngineProcess *process, guint32 number);
/* Sends one breakpoint verb to the agent, and reports places. A thread that is not listening gets it later: it is
 * queued. One that does not answer in time leaves the breakpoint pending until engine_python_take_late_point.
 * FALSE, INVALID: its condition or log is not Python: until it is deleted or replaced, it stops wherever it is hit. */
gboolean engine_python_tell (EngineThread *thread, const JobRequest *request, GError **error);
/* What the agent does with the breakpoint is not known: it is reported as pending. */
void engine_python_report_unanswered (EngineProcess *process, const JobRequest *request);
/* Keeps one until the agent can be told. */
void engine_python_queue (EngineProcess *process, const JobRequest *request);
/* What is refused later than it was answered stays, and stops wherever it is hit. */
void engine_python_tell_late (EngineThread *thread, const JobRequest *request);
/* The thread is back in the stop: if it has now answered the command of a breakpoint that it was late with, reports
 * where that stands. */
void engine_python_take_late_point (EngineThread *thread);
/* The same for the breakpoint of `until`; INVALID when its place has no code. */
gboolean engine_python_tell_until (EngineThread *thread, const JobRequest *request,
                                   GError **error);
void engine_python_report_places (EngineThread *thread, const JobRequest *request);
/* Replaces the Python frames of the stopped thread's stack by those of the traceback. */
void engine_python_show_traceback (EngineProcess *process, EngineThread *thread,
                                   guint32 own_frame);
/* ret_address: of its object, 0 unknown; may be NULL. */
JobValue *engine_python_take_value (const char *name, const PythonAnswer *answer, gsize *at,
                                    guint64 *ret_address);

/* ---- motions ---- */
/* At a Python stop, before it resumes: plants traps for the end of the motion in native
 * code. */
void engine_python_plant_boundary (EngineThread *thread, JobVerb verb);
void engine_python_free_boundary (EngineBoundary *boundary);

/* ---- loading the agent where nothing runs ---- */
/* Loads the agent in the main thread where that waits outside the interpreter and nobody has the
 * interpreter's lock; it begins with the next line that any thread executes. */
gboolean engine_python_load_idle (EngineProcess *process);
/* FALSE, BUSY: a thread of the halted process holds what loading the agent needs. */
gboolean engine_python_check_others (EngineProcess *process, GError **error);
/* The agent has been loaded. FALSE, BUSY: it is not there. */
gboolean engine_python_connect_loaded (EngineProcess *process, GError **error);
/* A function that may hold a lock which any Python code may need. */
gboolean engine_python_is_dangerous (const JobFrame *frame);
/* FALSE; BUSY: "cannot run Python code here", with the reason. */
gboolean engine_python_refuse (GError **error, const char *reason);
/* The main thread need not execute the line any more: it becomes an empty one. */
void engine_python_take_line_back (EngineProcess *process);

/* ---- waking the interpreter ---- */
/* Makes the interpreter take the mailbox's request at its next chance; all threads are
 * stopped. */
gboolean engine_python_wake (EngineProcess *process);
/* The same, or as soon as possible after it has resumed. */
void engine_python_wake_soon (EngineProcess *process);

/* ---- loading the agent ---- */
/* Asks the interpreter to load the agent at its next bytecode; the READY stop tells when it has.
 * TRUE also if already requested. UNSUPPORTED, BUSY, GONE. */
gboolean engine_python_inject (EngineProcess *process, GError **error);
/* The exception that kept the interpreter from loading the agent; NULL: none yet. The caller owns it. */
char *engine_python_dup_failure (EngineProcess *process);
/* Loads the agent at once, in this thread; no thread may hold the GIL. UNSUPPORTED, BUSY, GONE, TIMEOUT. */
gboolean engine_python_inject_in (EngineThread *thread, guint timeout_ms, GError **error);

/* ---- an agent that is needed later ---- */
/* An EngineWork: loads the agent into a rank that runs Python without it, if the breakpoint needs it. If no
 * thread can make the call now, or the interpreter fails, engine_python_bring_again retries at agent_due_us. */
/* Breakpoints for the agent were set before the process became a Python without it: it is loaded as soon as
 * the program's own code begins. */
void engine_python_await_code (EngineProcess *process);
void engine_python_bring_agent (EngineProcess *process, const JobRequest *request);
void engine_python_bring_again (EngineProcess *process);
/* The interpreter has been asked; a failure shows later. */
void engine_python_look_later (EngineProcess *process);

/* ---- threads that come later ---- */
/* The thread of that number (0: any) as the mailbox's breakpoints name it; the rank stands in the stop.
 * FALSE: it comes later, and the table of such threads is full. */
gboolean engine_awaited_name_thread (EngineProcess *process, guint number, guint64 *ret_name);
