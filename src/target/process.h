/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ptrace operations on a process and its threads. Thin: a system call each, with pddt's errors;
 * no policy. Control calls only on the tracer's thread. */
#pragma once
#include "base/memory-reader.h"
#include "machine/registers.h"
#include "target/stop.h"
#include <signal.h>
#include <sys/types.h>

/* What siginfo_t says of a signal, sigaction(2): address for faults, sender for what was sent. */
typedef struct {
    int code;
    guint64 address;
    pid_t sender;
} TargetSignalInfo;

/* PTRACE_SEIZE with TRACECLONE, EXEC, FORK, VFORK, VFORKDONE, EXIT, TRACESYSGOOD (and EXITKILL).
 * DENIED with the sentence what to do; GONE. */
gboolean target_thread_seize (pid_t tid, gboolean exit_kill, GError **error);
gboolean target_thread_interrupt (pid_t tid);
gboolean target_thread_continue (pid_t tid, int signal);
gboolean target_thread_step (pid_t tid, int signal);
/* Until it enters a system call or comes back from one: it stops there with SIGTRAP | 0x80. */
gboolean target_thread_continue_to_call (pid_t tid, int signal);
/* Of a stopped thread: stops it again without a single instruction in between, so that the kernel forgets
 * that it was to be stepped. Waits for that, which is another one only when it ends. FALSE: gone. */
gboolean target_thread_stop_again (pid_t tid, TargetStop *ret_stop);
gboolean target_thread_listen (pid_t tid); /* stay in a group stop */
gboolean target_thread_detach (pid_t tid, int signal);
gboolean target_thread_get_registers (pid_t tid, MachineRegisters *ret_registers);
gboolean target_thread_set_registers (pid_t tid, const MachineRegisters *registers);
gboolean target_thread_set_pc (pid_t tid, guint64 pc); /* and nothing else */
gboolean target_thread_get_pc (pid_t tid, guint64 *ret_pc);
gboolean target_thread_get_event_message (pid_t tid, unsigned long *ret_message);
TargetSignalInfo target_signal_info_make (const siginfo_t *info);
gboolean target_thread_get_signal_info (pid_t tid, TargetSignalInfo *ret_info);
/* The signals that wait for the thread or its process: bit n - 1 of signal n. 0 too where nobody can tell. */
guint64 target_thread_get_pending (pid_t tid);
/* What the signal is delivered with that it goes on with; at a stop that takes one. FALSE: gone. */
gboolean target_thread_set_signal_info (pid_t tid, const siginfo_t *info);
/* The letter that the kernel has for what a thread does ("R", "S", "D" …); 0: it is gone. */
char target_thread_get_state (pid_t pid, pid_t tid);
/* The extended state (x87, SSE, AVX …) as the kernel gives it, of whatever size; NULL: GONE. */
GBytes *target_thread_read_extended (pid_t tid);
gboolean target_thread_write_extended (pid_t tid, GBytes *state);
/* Does a SIGTRAP of the kernel's wait to be delivered to this very thread? It comes before any other
 * signal, whatever is blocked; one that was sent may wait for ever and does not count. */
gboolean target_thread_has_pending_trap (pid_t tid);
/* Debug registers. Watches [address, address + size) for writes by this thread; size 1, 2, 4 or 8,
 * address aligned to it; size 0 clears the slot (0 to 3). FALSE: there is none to be had. */
gboolean target_thread_set_watch (pid_t tid, guint slot, guint64 address, guint size);
/* Of all slots. Async-signal-safe. */
void target_thread_clear_watches (pid_t tid);
/* Slots that have triggered since the last call, as bits. */
guint target_thread_take_watch_hits (pid_t tid);
/* Of a process that nobody traces any more: stops its threads, clears their debug registers, takes
 * what these have triggered, and lets them go. For who does not trace it; waits a second at most. */
void target_process_disarm (pid_t pid);
GArray *target_process_list_threads (pid_t pid);  /* of pid_t */
char **target_process_read_command (pid_t pid);   /* argv; NULL when gone */
char *target_process_read_executable (pid_t pid); /* path of /proc/PID/exe; NULL */
gboolean target_process_read_auxv (pid_t pid, guint64 type,
                                   guint64 *ret_value); /* AT_ENTRY … */

/* Memory of a live process: process_vm_readv, else /proc/PID/mem; writes by /proc/PID/mem. Planted
 * bytes (target/traps.h) are hidden when a table is given. */
BaseMemoryReader *target_memory_new (pid_t pid);
void target_memory_free (BaseMemoryReader *memory);
/* From here to the end, which may be nested, nobody changes the memory: pages that were read once are
 * read no more. All threads of the process stand still; writes through the reader are seen. */
void target_memory_begin_look (BaseMemoryReader *memory);
void target_memory_end_look (BaseMemoryReader *memory);
void target_memory_forget_look (BaseMemoryReader *memory); /* a thread goes on in between */
/* As the program itself could: FALSE, with nothing written, where its pages do not allow it (guard
 * pages, text) or a trap stands. The readers above reach all that is mapped. */
gboolean target_memory_load_word (BaseMemoryReader *memory, guint64 address,
                                  guint64 *ret_value);
gboolean target_memory_store_word (BaseMemoryReader *memory, guint64 address, guint64 value);

/* Planted trap bytes of one process, mirrored into the guard's shared table. */
typedef struct _TargetTraps TargetTraps;
TargetTraps *target_traps_new (pid_t pid, BaseMemoryReader *memory, gpointer shared_table);
void target_traps_free (TargetTraps *traps); /* forgets; does not restore */
gboolean target_traps_plant (TargetTraps *traps, guint64 address, GError **error);
gboolean target_traps_remove (TargetTraps *traps, guint64 address, GError **error);
void target_traps_remove_all (TargetTraps *traps);
gboolean target_traps_find (TargetTraps *traps, guint64 address);
/* A forked child inherited all of them: write the original bytes into it. */
void target_traps_clean_child (TargetTraps *traps, pid_t child);
/* The process has ended: kept for target_traps_clean_child only, until it is freed. */
void target_traps_retire (TargetTraps *traps);
/* While a vfork child shares the memory: all bytes restored, but not forgotten; and back, when as
 * many have ended as began. */
void target_traps_lift (TargetTraps *traps);
void target_traps_plant_again (TargetTraps *traps);
/* The same for a process whose threads all stand still: without a trap in it, nothing happens to it
 * when its tracer is killed. FALSE: they are planted again. */
void target_traps_rest (TargetTraps *traps, gboolean resting);
/* The same for one of them, to run the instruction in place. */
void target_traps_lift_one (TargetTraps *traps, guint64 address, gboolean lifted);
/* Tells the guard that threads of the process may have armed debug registers, until it is freed. */
void target_traps_note_armed (TargetTraps *traps);
/* Maps the guard's table (file in the host directory) shared; NULL with error. The layout is
 * base/trap-table.h's. With the guard's list behind it, SIGUSR2 makes this process let the
 * list's threads go, wherever its loop hangs, and end. */
gpointer target_traps_map_table (const char *path, GError **error);
