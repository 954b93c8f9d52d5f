/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes and threads, for the files that control them. */
#pragma once
#include "engine/control/control.h"

/* ---- the process and its threads ---- */
void engine_process_forget_space (EngineProcess *process); /* everything that depends on the
                                                            * address space */
/* ---- the memory that it runs in: space.c ---- */
/* The process leaves its space for a new one: of its program; of a program whose other users are not ours, so that nothing
 * may be planted there. */
void engine_space_open (EngineProcess *process);
void engine_space_share (EngineProcess *process);
/* What is planted there is out until it is planted again as often. FALSE: it takes nothing. */
gboolean engine_space_lift (EngineSpace *space);
void engine_space_plant_again (EngineSpace *space);
gboolean engine_space_is_lifted (const EngineSpace *space);
/* One more user, who is no process, leaves again. */
EngineSpace *engine_space_use (EngineSpace *space);
/* It is reached by way of that process, which runs in it, too, from now on. */
void engine_space_move (EngineSpace *space, pid_t pid);
/* All halted: what is planted, and the displaced copies, are taken out. */
void engine_space_clear (EngineSpace *space);
/* The program is about to end: nothing is planted there any more. What was is kept for engine_space_clean_child. */
void engine_space_retire (EngineSpace *space);
/* A forked child, which is stopped, has inherited what is or was planted: it gets the program's own bytes. */
void engine_space_clean_child (EngineSpace *space, pid_t child);
/* Addresses (guint64) that instructions are known to begin at. */
GHashTable *engine_process_get_boundaries (const EngineProcess *process);
void engine_process_drop_other_threads (EngineThread *thread);
void engine_thread_queue_stop (EngineThread *thread, const TargetStop *stop); /* held until it
                                                                               * resumes */
/* It stops or ends before the motion that is under way has come to its end. */
void engine_process_end_motion (EngineProcess *process);
void engine_process_drop_thread (EngineThread *thread);
/* The thread may have been interrupted between a trap and the trap's signal, which arrives
 * before any further instruction. The signal would end a call made in the thread, and kill an
 * untraced one. This takes the signal and holds it. */
void engine_thread_take_pending_trap (EngineThread *thread);
/* The same in all threads of a halted process. FALSE: the process has ended. */
gboolean engine_process_take_pending_traps (EngineProcess *process);

/* A stopped thread goes on to its next stop, past nothing of ours: with the signal or 0; is_call: to a system call, too. NOT: it
 * has not come there in time, or has been killed. */
EngineCame engine_thread_go_to_stop (EngineThread *thread, int signal, gboolean is_call,
                                     gint64 timeout_us, TargetStop *ret_stop);

/* ---- threads that do not stop ---- */
gboolean
engine_thread_is_stoppable (const EngineThread
                                *thread); /* it runs, and nothing keeps it from stopping */
/* Before a trap is taken out of a halted process: waits, half a minute at most, for those that run although they were told
 * to stop. */
void engine_process_await_runaways (EngineProcess *process);
/* The process has stopped: says which threads have not, once until they have. */
void engine_process_tell_given_up (EngineProcess *process);

/* ---- debug registers ---- */
/* Before a stopped thread resumes: sets the debug registers of its process. */
void engine_watch_load (EngineThread *thread);
void engine_watch_unload (EngineThread *thread); /* it is let go */
/* After a SIGTRAP stop: notes whether a debug register did it. */
void engine_watch_note (EngineThread *thread);

/* ---- system calls ---- */
/* The thread has stopped at one: reads which. */
void engine_thread_note_call (EngineThread *thread);

/* ---- single steps ---- */
/* The stopped thread goes on by a step of ours, or without one. */
void engine_thread_note_step (EngineThread *thread);
void engine_thread_note_no_step (EngineThread *thread);
/* FALSE: the stop is of a trap that the program has raised itself: a signal of its own. Call engine_watch_note first. */
gboolean engine_thread_is_own_step (EngineThread *thread, const TargetStop *stop);
/* A step of ours has ended: takes the trap flag out of what the instruction may have put on the stack. */
void engine_thread_end_step (EngineThread *thread);

/* ---- programs ---- */
void engine_exec_follow (EngineProcess *process,
                         gboolean is_vfork); /* pid is another, stopped */

/* ---- children ---- */
void engine_fork_take (EngineThread *thread,
                       TargetStopKind kind);            /* TARGET_STOP_FORK or VFORK */
void engine_fork_forget_newborn (EngineThread *thread); /* the child will not be followed */
void engine_fork_take_clone (EngineThread *thread);
void engine_fork_take_vfork_done (EngineThread *thread);
/* The process has just been attached to and halted: threads that were already waiting in vfork have a child, which
 * nobody traces, in the memory of the process. Nothing is planted there until they have stopped. */
void engine_fork_find_vforks (EngineProcess *process);
/* The process executes another program, its other threads have ended: children that they had may never be told of. Call
 * before its threads and its address space are forgotten. */
void engine_fork_on_exec (EngineProcess *process);
/* The process has ended or was detached: detaches children that were not reported yet. Call
 * before its address space is forgotten. */
void engine_fork_on_gone (EngineProcess *process);

/* System calls of a new child that are looked at: see loop/gain.c. */
enum { ENGINE_WATCHED_CALLS = 300 };

/* ---- a followed child of vfork ---- */
/* It uses the space of the caller's process. */
EngineVfork *engine_vfork_new (EngineProcess *parent);
/* The parent's thread, which is stopped: it goes on, with the signal or 0, when the child leaves. */
void engine_vfork_hold (EngineVfork *vfork, pid_t tid, int signal);
/* The process is the child now, and enters that space. */
void engine_vfork_enter (EngineProcess *process);
/* All threads of the halted process are known and stand still, none but the caller is in vfork, and no other process
 * shares its memory. */
gboolean engine_vfork_can_hold (const EngineThread *caller);
/* The process, a followed child, runs beside the thread's process in its memory. */
void engine_vfork_begin_beside (EngineProcess *process, const EngineThread *parent);
/* The thread goes before the child that it waits for: what is lifted is planted again when that leaves the memory. FALSE: no
 * followed child is there. */
gboolean engine_vfork_hand_over (EngineThread *thread);
void engine_vfork_stay (
    EngineProcess *process); /* it is let go, and runs on there: nothing may be planted again */
/* The space with what is planted in the memory that the process runs in: mostly its own. */
EngineSpace *engine_vfork_get_host (const EngineProcess *process);
/* For one who has left it. */
void engine_vfork_plant_again (Engine *engine, EngineSpace *host);
/* The followed child is leaving its parent's memory: takes out what is planted there, and lets the parent go.
 * Nothing where it shares none. */
void engine_vfork_end (EngineProcess *process);

/* ---- a program that starts the rank as its child ---- */
/* Follows the child of a rank that may only start another program. FALSE: it is no such
 * child. */
gboolean engine_script_follow (EngineProcess *process, pid_t child);
/* The status of a followed child. FALSE: it is none. */
gboolean engine_script_take (Engine *engine, const TargetStop *stop);
void engine_script_let_go (Engine *engine); /* detaches all of them, as soon as they stop */

/* ---- letting go ---- */
/* Detaches it as engine_process_detach does, but the rank remains, without threads and memory. vfork: its threads
 * are not detached, but held there; NULL. FALSE: it has ended. */
gboolean engine_process_let_go (EngineProcess *process, EngineVfork *vfork);

/* A stop of a thread that could not stop when its process was let go: it is detached now. FALSE: it is none. */
gboolean engine_leaver_take_stop (Engine *engine, const TargetStop *stop);
gboolean engine_leavers_are_in_calls (const Engine *engine); /* some of them */

/* ---- traps ---- */
EngineTrapTable *engine_trap_table_new (void);
void engine_trap_table_free (EngineTrapTable *table);
void engine_trap_clear (EngineProcess *process); /* their owners are forgotten */
/* Runs the instruction under the trap by emulation, while the others run. FALSE: the instruction is not supported. */
gboolean engine_trap_emulate (EngineThread *thread);

/* ---- displaced instructions ---- */
/* A space's part: none yet. */
EngineDisplaced *engine_displaced_new (void);
void engine_displaced_free (EngineDisplaced *displaced);
/* Takes the copies out of the space's memory, and forgets them; out of a forked child's, which may have them. */
void engine_displaced_clear (EngineDisplaced *displaced, BaseMemoryReader *memory);
void engine_displaced_clean_child (const EngineDisplaced *displaced, pid_t child);
/* The displaced copy of the instruction at address, so that the trap there can stay. */
gboolean engine_displaced_find (EngineProcess *process, guint64 address, guint64 *ret_slot);
/* The thread's registers have just been read: maps a pc in a copy back to the original. */
void engine_displaced_fix (EngineThread *thread);
/* Room for other code in such padding, which copies leave alone, and forked children keep; 0: there is none. */
guint64 engine_displaced_reserve (EngineProcess *process, gsize size);

/* ---- where instructions begin ---- */
/* INVALID: the address is inside an instruction, by the code of its function. An
 * address that cannot be checked passes. */
gboolean engine_boundary_check (EngineProcess *process, guint64 address, GError **error);

/* ---- signals ---- */
/* What is done about signals in the one is done in the other from now on. */
void engine_signal_inherit (EngineProcess *child, const EngineProcess *parent);

/* ---- calls in the rank ---- */
/* The thread is gone: so is a call that it was left in. */
void engine_call_forget (EngineThread *thread);
/* A system call of its own stops such a thread, which concerns the call alone. */
gboolean engine_call_is_watched (const EngineThread *thread);
/* Its system calls are looked at: they may replace what the kernel has noted of the program's. */
gboolean engine_call_wants_calls (const EngineThread *thread);
/* Its process is detached: hands over what such a thread had in its registers before. FALSE: it is in no call. */
gboolean engine_call_leave (EngineThread *thread, MachineRegisters *ret_saved,
                            GBytes **ret_extended);
/* A stop of a thread whose call was given up while the kernel did not let it stop: puts the thread back to where it was
 * before the call. FALSE: it is not such a thread, or its program has ended. */
gboolean engine_call_take_stop (EngineThread *thread, const TargetStop *stop);

/* ---- signals that are sent again ---- */
/* The pending signal, for the thread's next ptrace request; 0: there is none, or it had to be sent again. */
int engine_signal_take_pending (EngineThread *thread);
/* Before a stopped thread goes on, with the signal or 0: SIGTRAP, where the program handles it, is not blocked in a step
 * and in handlers. */
void engine_trap_mask_begin (EngineThread *thread, int signal);
/* Its step is over a system call that sets the mask, under a trap. */
gboolean engine_thread_steps_mask (EngineThread *thread);
/* Its next step, with the signal or 0, is over a system call. */
gboolean engine_thread_will_step_call (EngineThread *thread, int signal);
gboolean engine_thread_goes_by_steps (const EngineThread *thread);
/* At its next stop. */
void engine_trap_mask_end (EngineThread *thread, const TargetStop *stop);
void engine_trap_mask_leave (EngineThread *thread); /* before it is detached */
/* Before a stopped thread goes on: what its program does about SIGTRAP is as it was, or a process that outlives its tracer
 * has a handler for the time of that one's death. FALSE: the thread has ended. */
gboolean engine_trap_action_check (EngineThread *thread);
/* The same before a stopped thread is made to call a function, where it cannot be asked: the call returns to a trap. */
gboolean engine_trap_action_check_call (EngineThread *thread);
void engine_trap_action_begin (EngineThread *thread);    /* it goes on */
void engine_trap_action_expire (EngineProcess *process); /* it is looked at again */
void engine_trap_action_end (EngineProcess *process);    /* halted, before it is let go */
void engine_trap_action_forget (EngineProcess *process);
/* From a stop at a system call, which it makes if it has not yet, to one behind it. FALSE: it cannot, or is gone. */
gboolean engine_thread_leave_call (EngineThread *thread);
/* Has the stopped thread make a system call that does not block, by code that stands in its process (machine/rescue.h).
 * NOT: it is at a stop where it cannot, or has ended. LEFT: the thread is not back in time; it comes
 * back without us, and *ret_result is the call's if it is known (else -1). The rank may have ended or executed another program meanwhile. */
typedef enum { ENGINE_INSERTED, ENGINE_INSERTED_NOT, ENGINE_INSERTED_LEFT } EngineInserted;
EngineInserted engine_thread_insert_call (EngineThread *thread, guint64 code, gint64 number,
                                          const guint64 *arguments, guint n_arguments,
                                          gint64 *ret_result);
/* Hands the pending signal and all held ones that pass to a thread that is about to be detached, in their order and
 * with their siginfo. Returns the last one, for PTRACE_DETACH; 0: none is left. */
int engine_signal_deliver_all (EngineThread *thread);

/* ---- standard input ---- */
/* Takes fd, the write end of the rank's input. The program that runs an engine must ignore
 * SIGPIPE. */
EngineInput *engine_input_new (int fd);
void engine_input_free (EngineInput *input); /* discards unsent input */

/* ---- whose process it is ---- */
/* Notes the owner of a process when it is first seen. */
void engine_owner_note (EngineProcess *process);

/* ---- core files ---- */
void engine_core_close (EngineProcess *process);
GBytes *engine_core_read_extended (EngineThread *thread);

/* ---- socket-end.c ---- */
/* For "socket:[4711]" as /proc shows it: "TCP port 8080" that it listens at, "TCP 127.0.0.1:8080" that it is connected to,
 * or its path. other: the number of the socket at the other end if it is of this host, else 0. NULL: not known. Caller
 * owns. */
char *engine_socket_describe (const EngineProcess *process, const char *file,
                              gulong *ret_other);
/* ---- shared.c ---- */
/* Memory that other processes may have, too, which alone can wake this one there. C++'s atomic waits leave out
 * FUTEX_PRIVATE_FLAG for any memory. TRUE of a core, too, of which it is not known. */
gboolean engine_memory_is_shared (const EngineProcess *process, guint64 address);
/* Notes who holds what the wait is for: the process of that thread, or JOB_WAIT_LEFT; nothing, where the process numbers
 * its threads in another namespace. */
void engine_wait_note_owner (JobWait *wait, const EngineProcess *process, pid_t tid);
/* ---- other-end.c ---- */
/* "4711 (python3)" */
char *engine_process_dup_name (pid_t pid);
/* Notes who holds the lock that the call waits for, has the other end of its pipe or connection, or is its child. */
void engine_wait_find_peer (JobWait *wait, const EngineProcess *process,
                            const EngineSystemCall *call);
