/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ranks of this host as the engine runs and stops them: processes and threads, their
 * programs and children, traps, signals, calls, core files. */
#pragma once
#include "engine/private.h"
#include "job/wait.h"

/* ---- the door to their states: see state.c ---- */
gboolean engine_process_is_stopped (const EngineProcess *process);
/* The kernel's registers are to be read anew. */
void engine_thread_set_state (EngineThread *thread, EngineThreadState state);
/* What is told of it, with the number and the texts (copied; NULL: none) that belong to the state, as yet without a place. */
void engine_process_set_state (EngineProcess *process, JobState state, gint32 number,
                               const char *text, const char *text2);
/* Of a process that moves: where it does, or that it cannot go on, and why stays as it was told. */
void engine_process_set_motion (EngineProcess *process, JobState state,
                                const JobLocation *place);
/* Where it has stopped (taken; NULL: not known). */
void engine_process_take_place (EngineProcess *process, JobLocation *place);
/* Code that a stopped process was made to run has met a stop of its own: the process counts as running while that is
 * judged, and is then as it was, if it has not stopped there. */
void engine_process_leave_stop (EngineProcess *process);
void engine_process_return_to_stop (EngineProcess *process, JobState state);
/* Each suspension is ended by who began it, or all are, when the process is let go or has ended. */
void engine_process_suspend (EngineProcess *process, EngineSuspender by);
void engine_process_unsuspend (EngineProcess *process, EngineSuspender by);
void engine_process_end_suspensions (EngineProcess *process);
void engine_thread_suspend (EngineThread *thread, EngineSuspender by);
void engine_thread_unsuspend (EngineThread *thread, EngineSuspender by);
void engine_thread_end_suspensions (EngineThread *thread); /* it executes another program */

/* ---- the process and its threads ---- */
EngineProcess *engine_process_new (Engine *engine, const EngineRankInfo *info);
void engine_process_free (EngineProcess *process);
EngineThread *engine_process_add_thread (EngineProcess *process, pid_t tid);
EngineThread *engine_process_get_main (EngineProcess *process); /* NULL: none left */
EngineThread *engine_process_find_thread (const EngineProcess *process,
                                          guint number); /* NULL */
/* No other one moves alone. */
gboolean engine_thread_may_go (const EngineThread *thread);
/* Resumes a thread from its handled stop, over the trap at its pc. */
void engine_thread_go_on (EngineThread *thread);
/* Stops a running thread for a moment, until engine_thread_resume; its rank goes on. FALSE: it did not
 * stop within timeout_us, or for another reason, which has been dealt with. */
gboolean engine_thread_pause (EngineThread *thread, gint64 timeout_us);
/* Of a thread that stands because it was asked to, since a moment ago: a system call that the kernel does not restart
 * after that begins again, unless it was a signal that ended it. */
void engine_thread_undo_interruption (EngineThread *thread);
/* Resumes without stepping over traps. */
gboolean engine_thread_resume (EngineThread *thread);
/* The thread is gone; the process too when it was the leader. */
void engine_thread_end (EngineThread *thread, const TargetStop *stop);
/* It belongs to the process no more, which goes on. */
void engine_thread_leave (EngineThread *thread);
/* Stops all threads and waits for that (some ms at most). Holds statuses of other events.
 * FALSE: it ended meanwhile. No state change: for inspecting and planting. */
gboolean engine_process_halt (EngineProcess *process);
/* Undoes engine_process_halt if the process was running before: resumes all threads as they
 * were. */
void engine_process_release (EngineProcess *process);
/* Or ends the halt and resumes nothing: the process is stopped, or about to be. */
void engine_process_keep_halted (EngineProcess *process);
/* Its work has ended: does what came up meanwhile and had to wait. */
void engine_process_end_work (EngineProcess *process);
/* A real stop: halts all threads, sets the state, increments the stop number, computes the
 * place, and emits an event with the motion's id. text may be NULL. place NULL: the
 * thread's own. */
void engine_process_stop (EngineProcess *process, EngineThread *thread, JobState state,
                          gint32 number, const char *text, const char *text2,
                          const JobLocation *place);
/* A motion: resumes all threads (over traps if needed), state RUNNING or STEPPING. */
void engine_process_go_on (EngineProcess *process, JobState state);
/* Stopped and attached: makes sure that it survives the death of this process. */
void engine_process_make_safe (EngineProcess *process);
/* Of a stopped process: its memory is read only once until the matching end. May be nested. */
void engine_process_begin_caching (EngineProcess *process);
void engine_process_end_caching (EngineProcess *process);
void engine_process_forget_cache (EngineProcess *process); /* a thread runs in between */
/* It moves: its stacks, and which frame is selected. */
void engine_process_forget_stacks (EngineProcess *process);
gboolean engine_thread_load_registers (EngineThread *thread);
/* The extended state (XSAVE's standard form) of a stopped thread; NULL. */
GBytes *engine_thread_read_extended (EngineThread *thread);
void engine_thread_set_pc (EngineThread *thread, guint64 pc);
guint64 engine_thread_get_pc (EngineThread *thread);
/* How many inlined calls that begin at its pc are not shown: see engine_inlines_hide. */
guint engine_thread_count_hidden (EngineThread *thread);
/* The stepped thread has ended: stops its process and reports that. */
void engine_process_leave_step (EngineProcess *process);
/* Writes changed registers to the kernel. FALSE: the thread is gone. */
gboolean engine_thread_store_registers (EngineThread *thread);

/* ---- programs ---- */
void engine_exec_seize (EngineProcess *process); /* a running process: seizes all threads and
                                                     asks them to stop */
/* An EngineWork, in a seized process: waits for the stops and inspects it. */
void engine_exec_attach (EngineProcess *process, const JobRequest *request);
/* An EngineWork: one that was attached to runs on, where the job is measured. */
void engine_exec_run_on (EngineProcess *process, const JobRequest *request);
/* An EngineWork, of a measured job: what a child of vfork runs in its parent's memory is its own program until it executes
 * another one. */
void engine_exec_open_guest (EngineProcess *process, const JobRequest *request);
/* A program that does not count as the job's, but starts another one: a shell, env, numactl. */
gboolean engine_exec_is_wrapper (const char *executable);
/* argv of its program, borrowed; NULL: the process has ended. */
char *const *engine_exec_get_command (EngineProcess *process);
void engine_emit_ranks (EngineProcess *process);
void engine_exec_handle (EngineThread *thread); /* at TARGET_STOP_EXEC */

/* ---- children ---- */
/* Finally detaches every remaining tracee, within a second. */
void engine_fork_let_newborns_go (Engine *engine);
/* Those whose birth nobody has told in time are taken as what /proc says they are. */
void engine_fork_check (Engine *engine);
int engine_fork_get_timeout_ms (Engine *engine); /* until then; -1: never */
/* No trap is in the memory of the process, which it shares with a child of vfork's that nobody traces. */
gboolean engine_fork_has_lifted (const EngineProcess *process);
/* While a thread's child of vfork runs in its memory no trap stands there, not even where a call is to return, which would
 * go on into the program's start: waits until they do. FALSE: not in time. */
gboolean engine_fork_await_traps (EngineProcess *process, gint64 timeout_us);
/* With follow-fork child: makes the child the rank and detaches its parent. FALSE: not with this
 * option; with both, which makes the child a rank beside its parent. */
gboolean engine_fork_follow (EngineThread *thread);
/* The thread, a process that shared the rank's memory, has executed a program: it is let go. */
void engine_fork_release_sharer (EngineThread *thread);
/* A status of a thread that belongs to no rank (yet). */
void engine_fork_take_unknown (Engine *engine, const TargetStop *stop);

/* ---- letting go ---- */
void engine_leaver_free (gpointer leaver); /* of engine->leavers */
/* Detaches it and removes all traps. */
void engine_process_detach (EngineProcess *process);
/* With SIGKILL; answers the request. */
void engine_process_kill (EngineProcess *process, const JobRequest *request);

/* ---- stops as they come ---- */
/* A stop has come: what it says of the thread is noted. */
void engine_thread_note_stop (EngineThread *thread, const TargetStop *stop);
/* As the engine handles it: the program's own trap is a signal, and a step over the rest of a system call a step. */
TargetStop engine_thread_classify_stop (EngineThread *thread, const TargetStop *stop);
/* Events that are dealt with at once, whatever the process does. FALSE: it is another stop. */
gboolean engine_thread_take_event (EngineThread *thread, TargetStopKind kind);
/* The first thread leaves alone by pthread_exit, in the middle of its step: its end is reported with the last one's. */
gboolean engine_thread_leaves_step (EngineThread *thread);
/* A stop of a thread that must not resume now: does what cannot wait, and keeps the rest until
 * it resumes. */
void engine_thread_hold (EngineThread *thread, const TargetStop *stop);
/* The same of one that engine_thread_await has brought. */
void engine_thread_hold_noted (EngineThread *thread, const TargetStop *stop);
/* The one way to wait for what a thread does next: at most timeout_us, and may_hurry: no longer than the work it is part of
 * has time. NOT: nothing yet. END: it has ended, which has been dealt with, or was. STOP: it stands where *ret_stop says,
 * which the caller judges. */
typedef enum { ENGINE_CAME_NOT, ENGINE_CAME_TO_END, ENGINE_CAME_TO_STOP } EngineCame;
EngineCame engine_thread_await (EngineThread *thread, gint64 timeout_us, gboolean may_hurry,
                                TargetStop *ret_stop);
/* For one that is only to stand still: its stop is held. FALSE: there was none yet. */
gboolean engine_thread_await_held (EngineThread *thread, gint64 timeout_us);

/* ---- traps ---- */
/* A trap's owner decides what a hit means. Called with all threads of the rank still running
 * except `thread`, whose pc is at the trap. RESUME: nothing happened for this owner. STOP: it
 * has called engine_process_stop itself, or the default stop follows. */
typedef enum { ENGINE_TRAP_RESUME, ENGINE_TRAP_STOP } EngineTrapAnswer;
typedef EngineTrapAnswer (*EngineTrapHit) (EngineThread *thread, guint64 address,
                                           gpointer owner);
/* DENIED: the job is measured. */
gboolean engine_trap_add (EngineProcess *process, guint64 address, EngineTrapHit hit,
                          gpointer owner, GError **error);
void engine_trap_remove (EngineProcess *process, guint64 address, EngineTrapHit hit,
                         gpointer owner);
/* Of all owners, in a process that stands: its job is measured, and nothing is planted there any more. */
void engine_trap_remove_all (EngineProcess *process);
gboolean engine_trap_is_planted (EngineProcess *process, guint64 address);
/* The same, and also one that could not be removed: without owners, it is only gone over. */
gboolean engine_trap_is_in_memory (EngineProcess *process, guint64 address);
/* Of a thread of a stopped rank: the traps at its pc have been handled, or were planted while
 * it was stopped there. */
gboolean engine_trap_is_seen (EngineThread *thread);
/* Runs the one instruction under the trap at the thread's pc; all others are halted. TRUE: the
 * thread is stopped after it. FALSE: it is gone, faulted (status held) or still in the kernel. */
gboolean engine_trap_step_over (EngineThread *thread);

/* Its calls and returns are the processor's alone. */
gboolean engine_thread_has_shadow_stack (EngineThread *thread);
/* The thread is at a planted trap: asks the owners. TRUE: the process has stopped or ended. */
gboolean engine_trap_hit (EngineThread *thread, guint64 address);

/* ---- displaced instructions ---- */
/* There are copies, in which a thread may stand. */
gboolean engine_displaced_is_used (const EngineProcess *process);
void engine_displaced_on_modules (EngineProcess *process); /* the map has changed */

/* ---- calls in the rank ---- */
/* Calls function(arg1, arg2) on a halted thread and waits for its return; restores the
 * registers. Other threads stay halted. TIMEOUT: it waits in the kernel after timeout_ms. BUSY,
 * FAULT, GONE. */
gboolean engine_call (EngineThread *thread, guint64 function, guint64 arg1, guint64 arg2,
                      guint timeout_ms, guint64 *ret_value, GError **error);
/* Any call; the registers after it. One that the user asks for is ended after timeout_ms wherever it is. */
gboolean engine_call_any (EngineThread *thread, const EvaluateCall *call, guint timeout_ms,
                          MachineResult *ret_result, GError **error);
/* The registers that values come back in, as they are now. */
gboolean engine_call_read_result (EngineThread *thread, MachineResult *ret_result);
/* A call that was given up is still under way, because the kernel does not let the thread stop. */
gboolean engine_thread_is_in_call (const EngineThread *thread);
#define ENGINE_CALL_N_ARGUMENTS 6
gboolean engine_call_with (EngineThread *thread, guint64 function, const guint64 *arguments,
                           guint timeout_ms, guint64 *ret_value, GError **error);

/* ---- signals ---- */
int engine_signal_find (const char *name); /* 0 unknown */
gboolean engine_signal_is_pass (const EngineProcess *process, int signal);
void engine_signal_handle (Engine *engine, const JobRequest *request); /* HANDLE, SIGNALS */
const char *engine_signal_get_name (int signal); /* "SIGSEGV"; "SIG34" … */
gboolean engine_signal_is_stop (const EngineProcess *process, int signal);
gboolean engine_signal_is_print (const EngineProcess *process, int signal);
/* At a signal's stop: puts the siginfo back if the signal was sent again. TRUE: the program gets it silently. */
gboolean engine_signal_take_resent (EngineThread *thread, TargetStop *stop);
/* Of the stops that a thread held, the first is handled now: sends the signals of the others again. */
void engine_signal_resend_held (EngineThread *thread);

/* ---- what a thread waits for ---- */
/* What a thread of a running rank waits for, as a phrase after the rank: "is in read of
 * standard input", "waits for a mutex that thread 4 holds". NULL: nothing, or not known. Adds
 * JOB_MESSAGE_QUEUE_INPUT to the flags where it is so. */
JobWait *engine_dup_system_call (EngineProcess *process, pid_t tid, guint32 *flags);
/* The program has one thread; those of MPI do not count. */
gboolean engine_process_is_single (const EngineProcess *process);
/* Which other ranks of this host have that memory, as text: "0,2-3". NULL: none, or it is not known. Caller owns. */
char *engine_memory_dup_sharers (const EngineProcess *process, guint64 address);
/* A file of /proc/PID/task/TID, or of /proc/PID (tid: 0), kept open where not too many are. All zero: not open. */
typedef struct {
    int fd; /* plus one */
} EngineTaskFile;
/* Its first size - 1 bytes, with a zero behind them. file: of this thread and this name; NULL: it is not kept. Returns
 * their number; none or less: the thread has ended, or it may not be read. */
gssize engine_task_file_read (const EngineProcess *process, pid_t tid, const char *name,
                              EngineTaskFile *file, char *text, gsize size);
void engine_task_file_close (EngineTaskFile *file);
/* The line of proc(5), syscall: the call's number and arguments, the stack pointer and the pc. NULL: the
 * thread runs, or has ended. */
char *engine_dup_sleep (const EngineProcess *process, pid_t tid);
/* The same, read: -1 is no call, as in a page fault. Of a call that a stop has interrupted, and that the
 * kernel goes on with under a number of its own, the number is the program's. */
typedef struct {
    pid_t tid;
    long number;
    guint64 arguments[6];
    guint64 sp, pc;
} EngineSystemCall;
gboolean engine_system_call_read (EngineProcess *process, pid_t tid,
                                  EngineSystemCall *ret_call);
/* By its file, which is kept for the next time. */
gboolean engine_system_call_read_again (EngineProcess *process, pid_t tid, EngineTaskFile *file,
                                        EngineSystemCall *ret_call);
/* The native stack of a thread that is not stopped, but sleeps in the kernel. Caller owns; NULL: it cannot be read. */
Stack *engine_system_call_read_stack (EngineProcess *process, pid_t tid);
/* What is known of its registers meanwhile, for stack_make_waiting. */
void engine_system_call_fill_registers (const EngineSystemCall *call,
                                        MachineRegisters *ret_registers);
/* The thread sleeps, without a time limit, until another thread of the same process wakes it or ends: in a
 * mutex, a condition, a join, a semaphore that no other process has, a lock of Python's or a pool of workers. */
gboolean engine_needs_thread (EngineProcess *process, pid_t tid);
/* How often the thread has begun to wait. Equal ones: it has slept, or run, all the time in between. */
guint64 engine_count_turns (const EngineProcess *process, pid_t tid);

/* ---- standard input ---- */
void engine_input_handle (Engine *engine, const JobRequest *request); /* INPUT */

/* ---- the memory that it runs in: space.c ---- */
/* A new one, with the caller as its user, of memory that is never written and lives longer: a core file's, or what the files of
 * an ended program say. modules: taken. */
EngineSpace *engine_space_new_of_files (Engine *engine, BaseMemoryReader *memory,
                                        StackModules *modules);
/* In place of those before, which works may be looking at; taken. */
void engine_process_set_modules (EngineProcess *process, StackModules *modules);
StackModules *engine_process_steal_modules (EngineProcess *process);
/* The process leaves its space for that one, or NULL, when it is freed. */
void engine_space_enter (EngineProcess *process, EngineSpace *space);
void engine_space_close (EngineProcess *process); /* the same for that of no program */
void engine_space_leave (EngineSpace *space);     /* one of its users */
/* NULL: it has no users any more. A reference is no use. */
BaseMemoryReader *engine_space_find_memory (const EngineSpace *space);
EngineSpace *engine_space_ref (EngineSpace *space);
void engine_space_unref (EngineSpace *space); /* NULL: nothing */
TargetTraps *engine_process_get_traps (const EngineProcess *process);
EngineDisplaced *engine_process_get_displaced (const EngineProcess *process);
/* FALSE: it has no program, or runs in the memory of another one, which untraced threads run in, too. */
gboolean engine_space_takes_traps (const EngineProcess *process);

/* ---- whose process it is ---- */
/* Reads the owner again, after an exec or another change of what it runs. */
void engine_owner_refresh (EngineProcess *process);
/* The process has exactly the rights of process->owner, who could trace it: files that its
 * memory names may be loaded with these rights. owner loses rights that the process has
 * dropped, and never gains any. */
gboolean engine_owner_is_plain (EngineProcess *process);
