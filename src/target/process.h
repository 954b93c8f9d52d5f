/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ptrace operations on a process and its threads. Thin: a system call each, with pddt's errors;
 * no policy. Control calls only on the tracer's thread. */
#pragma once
#include "base/memory-reader.h"
#include "base/trap-table.h"
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

/* PTRACE_SEIZE with TRACECLONE, EXEC, FORK, VFORK, VFORKDONE, EXIT, TRACESYSGOOD (and
 * EXITKILL). Errors: DENIED, with a sentence that says what to do; GONE. */
gboolean target_thread_seize (pid_t tid, gboolean exit_kill, GError **error);
/* DENIED, with its name: another process traces a thread of this one. */
gboolean target_process_check_tracers (pid_t pid, GError **error);
/* Takes EXITKILL back from a stopped thread, and so from the threads and children that it will have: they run on when
 * this process dies. */
void target_thread_outlive (pid_t tid);
gboolean target_thread_interrupt (pid_t tid);
gboolean target_thread_continue (pid_t tid, int signal);
gboolean target_thread_step (pid_t tid, int signal);
/* Runs until it enters or leaves a system call, and stops there with SIGTRAP | 0x80. */
gboolean target_thread_continue_to_call (pid_t tid, int signal);
/* Lets a stopped thread go on to another stop before its next instruction, so that the kernel drops a
 * pending single step. FALSE: it has been killed, and its end is to be waited for. */
gboolean target_thread_stop_again (pid_t tid);
gboolean target_thread_listen (pid_t tid); /* stays in a group stop */
gboolean target_thread_detach (pid_t tid, int signal);
gboolean target_thread_get_registers (pid_t tid, MachineRegisters *ret_registers);
gboolean target_thread_set_registers (pid_t tid, const MachineRegisters *registers);
gboolean target_thread_set_pc (pid_t tid, guint64 pc); /* changes no other register */
gboolean target_thread_get_pc (pid_t tid, guint64 *ret_pc);
gboolean target_thread_get_event_message (pid_t tid, unsigned long *ret_message);
TargetSignalInfo target_signal_info_make (const siginfo_t *info);
/* Of a stopped thread: it has stopped as it was asked to, not with a signal or in a call. */
gboolean target_signal_info_is_asked (const TargetSignalInfo *info);
gboolean target_thread_get_signal_info (pid_t tid, TargetSignalInfo *ret_info);
/* The signals that are pending for the thread or its process: bit n - 1 stands for signal n.
 * Also 0 if that cannot be found out. */
guint64 target_thread_get_pending (pid_t tid);
/* tgkill(2). FALSE: the thread has ended. */
gboolean target_thread_send_signal (pid_t pid, pid_t tid, int signal);
/* Queues a signal with this siginfo, for the process if tid is 0. A code that only the kernel may give becomes SI_QUEUE; the rest stays. FALSE:
 * the thread has ended, or its queue is full. */
gboolean target_thread_queue_signal (pid_t pid, pid_t tid, const siginfo_t *info);
/* Of a stopped thread. Also TRUE if that cannot be found out. */
gboolean target_thread_blocks_signal (pid_t tid, int signal);
guint64 target_signal_get_bit (int signal); /* in a mask */
/* The signals that a stopped thread blocks. FALSE: it has ended. */
gboolean target_thread_get_mask (pid_t tid, guint64 *ret_mask);
gboolean target_thread_set_mask (pid_t tid, guint64 mask);
typedef enum {
    TARGET_SIGNAL_UNKNOWN, /* the process is gone */
    TARGET_SIGNAL_DEFAULT,
    TARGET_SIGNAL_IGNORED,
    TARGET_SIGNAL_CAUGHT
} TargetSignalUse;
/* What the program does about the signal. */
TargetSignalUse target_process_get_signal_use (pid_t pid, int signal);
/* Replaces the siginfo of the signal that the thread gets when it resumes. Only at a stop that
 * takes a signal. FALSE: the thread has ended. */
gboolean target_thread_set_signal_info (pid_t tid, const siginfo_t *info);
/* The kernel's letter for the state of a thread ("R", "S", "D" …); 0: it has ended. */
char target_thread_get_state (pid_t pid, pid_t tid);
/* The extended state (x87, SSE, AVX …) in the kernel's format and size, of which the oldest part, 512
 * bytes on x86-64, is all that there is without XSAVE; NULL: the thread has
 * ended. */
GBytes *target_thread_read_extended (pid_t tid);
gboolean target_thread_write_extended (pid_t tid, GBytes *state);
/* Is a SIGTRAP of the kernel's own pending for this thread? It is delivered before any other
 * signal, whatever is blocked. One that somebody sent does not count, because it may stay
 * pending for ever. */
gboolean target_thread_has_pending_trap (pid_t tid);
/* The program's own bytes have been restored. If there is no trap now where the thread met one, the trap was pddt's: its
 * instruction will run. Async-signal-safe. FALSE: the trap is the program's own, or the thread has ended. */
gboolean target_thread_undo_trap (pid_t tid);
/* Debug registers. Watches [address, address + size) for writes by this thread. size is 1, 2, 4
 * or 8, and address is aligned to it; size 0 clears the slot (0 to 3). FALSE: no debug register
 * is available. */
gboolean target_thread_set_watch (pid_t tid, guint slot, guint64 address, guint size);
/* Clears all slots. Async-signal-safe. */
void target_thread_clear_watches (pid_t tid);
/* The slots that have triggered since the last call, as bits. */
guint target_thread_take_watch_hits (pid_t tid);
/* For a process that nobody traces any more, called by a thread that does not trace it: stops
 * its threads, restores the bytes under its traps (NULL: there is no table), clears their debug registers, takes the signals
 * that all these have caused, and lets the threads go. Waits for a second at most, before that until until_us
 * (g_get_monotonic_time) for the end of its tracer. */
void target_process_disarm (pid_t pid, const BaseTrapTable *traps, gint64 until_us);
GArray *target_process_list_threads (pid_t pid);    /* of pid_t */
gboolean target_process_has_one_thread (pid_t pid); /* FALSE: more, or not known */
/* Whether two processes, of which the second stands still, run in one memory. */
typedef enum {
    TARGET_MEMORY_SAME,
    TARGET_MEMORY_OTHER,
    TARGET_MEMORY_UNKNOWN
} TargetSameMemory;
TargetSameMemory target_process_compare_memory (pid_t one, pid_t other);
char **target_process_read_command (pid_t pid);   /* argv; NULL: the process has ended */
char *target_process_read_executable (pid_t pid); /* path of /proc/PID/exe; NULL */
gboolean target_process_read_auxv (pid_t pid, guint64 type,
                                   guint64 *ret_value); /* AT_ENTRY … */

/* The thread is at the entry of a system call that executes a file with rights of its own (set-user-ID, set-group-ID or
 * capabilities), which it does not get as long as it is traced by this process. Its name without folders, caller owns;
 * NULL: it is not. */
char *target_thread_dup_gaining (pid_t tid);

/* Memory of a live process: reads by process_vm_readv, otherwise /proc/PID/mem; writes by
 * /proc/PID/mem. Hides the trap bytes of a TargetTraps that was made with it. pid 0: of none, where nothing can be read. */
BaseMemoryReader *target_memory_new (pid_t pid);
/* Of a child that this process traces from its birth on: where it can be written only while it stands, a write waits for its
 * first stop, which is left to be waited for. */
BaseMemoryReader *target_memory_new_of_child (pid_t child);
void target_memory_free (BaseMemoryReader *memory);
/* Between begin and end, which may be nested, all threads of the process are stopped and
 * nobody else changes its memory, so each page is read only once. Writes through the reader
 * are seen. */
void target_memory_begin_caching (BaseMemoryReader *memory);
void target_memory_end_caching (BaseMemoryReader *memory);
/* call it when a thread runs in between */
void target_memory_forget_cache (BaseMemoryReader *memory);
/* Access as the program itself has it. FALSE, with nothing written, if the pages do not allow
 * it (guard pages, text) or a trap is there. The reader above reaches everything that is
 * mapped. */
gboolean target_memory_load_word (BaseMemoryReader *memory, guint64 address,
                                  guint64 *ret_value);
gboolean target_memory_store_word (BaseMemoryReader *memory, guint64 address, guint64 value);

/* Planted trap bytes of one process, mirrored into the guard's shared table. memory NULL: it takes none (BUSY). */
typedef struct _TargetTraps TargetTraps;
TargetTraps *target_traps_new (pid_t pid, BaseMemoryReader *memory,
                               BaseTrapTable *shared_table);
void target_traps_free (TargetTraps *traps); /* does not restore the bytes */
gboolean target_traps_takes_any (const TargetTraps *traps);
gboolean target_traps_plant (TargetTraps *traps, guint64 address, GError **error);
gboolean target_traps_remove (TargetTraps *traps, guint64 address, GError **error);
void target_traps_remove_all (TargetTraps *traps);
gboolean target_traps_is_empty (const TargetTraps *traps);
gboolean
target_traps_are_out (const TargetTraps
                          *traps); /* none stands in the memory now, nor would a new one */
gboolean target_traps_find (TargetTraps *traps, guint64 address);
/* It has been there, among the last that were removed. */
gboolean target_traps_was_here (const TargetTraps *traps, guint64 address);
/* A forked child has inherited all traps: writes the original bytes into it. */
void target_traps_clean_child (TargetTraps *traps, pid_t child);
/* Another process runs in the same memory: it is reached by way of that one from now on, also by the guard. */
void target_traps_move (TargetTraps *traps, pid_t pid);
/* The process has ended: from now on the table takes no traps and has none, but for target_traps_clean_child. */
void target_traps_retire (TargetTraps *traps);
/* While a vfork child shares the memory: restores all bytes but remembers them; plants them
 * again when as many children have ended as have begun. */
void target_traps_lift (TargetTraps *traps);
void target_traps_plant_again (TargetTraps *traps);
gboolean target_traps_are_lifted (const TargetTraps *traps);
/* The same for a process whose threads are all stopped: without traps in its memory, it is not
 * harmed if its tracer is killed. resting FALSE plants them again. */
void target_traps_rest (TargetTraps *traps, gboolean resting);
/* The same for one trap, in order to run its instruction in place. */
void target_traps_lift_one (TargetTraps *traps, guint64 address, gboolean lifted);
/* Tells the guard that threads of the process may have debug registers set, until the table is
 * freed. */
void target_traps_note_armed (TargetTraps *traps);
/* Maps the guard's table (a file in the host's folder), shared; NULL with error. For the layout
 * see base/trap-table.h. If the guard's list of threads follows the table, SIGUSR2 makes this
 * process release the list's threads, wherever its loop hangs, and exit. */
BaseTrapTable *target_traps_map_table (const char *path, GError **error);
