/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Breakpoints, watchpoints and catchpoints: what the user has set, and its site in each process. */
#pragma once
#include "engine/private.h"

/* ---- breakpoints and their sites ---- */
/* What the user has set, by its number: a breakpoint, watchpoint or catchpoint. */
typedef struct _EngineWatch EngineWatch;
typedef enum {
    ENGINE_BREAKPOINT_CODE, /* break, and catches at a function's entry */
    ENGINE_BREAKPOINT_WATCH,
    ENGINE_BREAKPOINT_FORK,
    ENGINE_BREAKPOINT_VFORK,
    ENGINE_BREAKPOINT_EXEC,
    ENGINE_BREAKPOINT_EXIT,
    ENGINE_BREAKPOINT_LOAD,
    ENGINE_BREAKPOINT_SIGNAL,
    ENGINE_BREAKPOINT_SYSTEM_CALL,
    ENGINE_BREAKPOINT_THROW,
    ENGINE_BREAKPOINT_CATCH,
    ENGINE_BREAKPOINT_RETHROW,
    ENGINE_BREAKPOINT_MPI_ERROR,
} EngineBreakpointKind;
typedef struct {
    guint32 number;
    EngineBreakpointKind kind;
    JobRequest *request;
    char *name;       /* SIGNAL, LOAD, SYSTEM_CALL: only this one; THROW, CATCH, RETHROW: only
                            types of that name, or that match; NULL any */
    GPtrArray *sites; /* of EngineBreakpointSite */
    guint64 modified_by; /* the last request that changed its condition; 0 */
} EngineBreakpoint;
/* It in one process. */
typedef struct {
    EngineBreakpoint *breakpoint;
    EngineProcess *process;
    GPtrArray *places;        /* of EnginePlace, planted when enabled */
    GPtrArray *python_places; /* of JobLocation */
    gboolean is_pythons;      /* Python has the function: ignore functions of that name in
                                 libraries */
    GHashTable *searched;     /* modules by start and path */
    GArray *resolutions;      /* running resolvers: their return addresses */
    guint64 hits;
    guint64 every; /* as it was at the last hit: a count of JOB_EVERY_FROM begins anew */
    gboolean enabled, answered, file_known;
    char *refusal;        /* why the last place was refused; NULL */
    char *python_reason;  /* why Python has no place for it; NULL: not known */
    EngineWatch *watch;   /* of a watchpoint; else NULL */
    gboolean is_withheld; /* said to wait for a child of vfork */
} EngineBreakpointSite;
EngineBreakpoint *engine_breakpoint_find (Engine *engine, guint32 number); /* NULL */
EngineBreakpointSite *engine_breakpoint_find_site (EngineBreakpoint *breakpoint,
                                                   const EngineProcess *process); /* NULL */

/* ---- breakpoints ---- */
void engine_breakpoint_handle (Engine *engine, const JobRequest *request);
/* Modules of the process changed: resolve pending ones and plant; emits BREAKPOINT events. */
void engine_breakpoint_resolve (EngineProcess *process);
/* All stand still: the same, if it is due for files whose names did not come in time. */
void engine_breakpoint_search_again (EngineProcess *process);
/* The child has every breakpoint and catch of its parent, before its memory is known; watchpoints
 * stay where they are. */
void engine_breakpoint_inherit (EngineProcess *child, const EngineProcess *parent);
/* Removes its places there; the next resolve looks for them again. */
void engine_breakpoint_forget_module (EngineProcess *process, const StackModule *module);
/* The breakpoints to hand to the agent: GPtrArray of JobRequest (BREAK ones that hold for this
 * process), borrowed. */
GPtrArray *engine_breakpoint_list (EngineProcess *process);
/* What the agent has answered (places empty: pending there too; reason: why, or empty). Emits one BREAKPOINT
 * event a process: set if native or Python places exist, else pending. */
void engine_breakpoint_report_python (EngineProcess *process, guint32 number, GPtrArray *places,
                                      const char *reason);
/* The child of vfork has left the memory of the process: breakpoints that were said to wait for that do no more. */
void engine_breakpoint_end_wait (EngineProcess *process);
/* At exec or exit: addresses become invalid; at exec places are pending again. */
void engine_breakpoint_forget (EngineProcess *process);
void engine_breakpoint_free (gpointer breakpoint);
void engine_breakpoint_free_all (Engine *engine);

/* ---- watchpoints ---- */
void engine_watch_rearrange (Engine *engine); /* hardware_watch has changed */
/* The kernel gives none to a thread: whoever goes on from here goes by single steps. */
void engine_watch_give_up_registers (EngineProcess *process);
/* The thread has stopped where a watched value may have changed. TRUE: the process has stopped. */
gboolean engine_watch_check (EngineThread *thread);
/* Values have changed, but not by the program: its next change is told from what they are now. */
void engine_watch_read_again (EngineProcess *process);
/* Its address space is about to end. is_exec: what was watched is said to be gone. */
void engine_watch_forget (EngineProcess *process, gboolean is_exec);
/* It is let go, for ever or for a child that is followed instead. */
void engine_watch_on_leave (EngineProcess *process);

/* ---- catchpoints ---- */
/* Stops the process if a catchpoint of it matches. TRUE: stopped (or ended); for an MPI error
 * the caller has to stop it. */
gboolean engine_catch_fork (EngineThread *thread, gboolean is_vfork);
gboolean engine_catch_exec (EngineThread *thread);
gboolean engine_catch_exit (EngineThread *thread); /* at TARGET_STOP_EXIT */
gboolean engine_catch_wants_event (EngineThread *thread,
                                   TargetStopKind kind); /* of FORK, VFORK or EXIT */
gboolean engine_catch_signal (EngineThread *thread, int signal);
gboolean engine_catch_wants_calls (EngineProcess *process); /* it has to stop at system calls */
gboolean engine_catch_wants_call (EngineThread *thread);    /* a catchpoint is for this call */
gboolean engine_catch_call (EngineThread *thread);          /* TRUE: one of them stops here */
/* paths: of char *, modules that were not there before. */
gboolean engine_catch_load (EngineThread *thread, GPtrArray *paths);
gboolean engine_catch_wants_load (EngineProcess *process);
/* MPI has returned an error, or is about to abort because of one. */
gboolean engine_catch_mpi_error (EngineThread *thread);
/* Of the C++ exception at whose catchpoint it has stopped. NULL: at none. Caller owns. */
char *engine_catch_dup_exception (EngineThread *thread, guint64 *ret_object);
gboolean engine_catch_wants_mpi_errors (EngineProcess *process);

/* ---- C++ exceptions ---- */
/* A C++ exception of a process: its type information and the object. */
typedef struct {
    guint64 type, object;
} EngineException;
/* In a thread that aborts: the uncaught exception that caused it. FALSE: there is none. */
gboolean engine_exception_find_uncaught (EngineThread *thread, EngineException *ret_exception);
/* With its text, if it is a number, a pointer to text, or (derived from) a standard library
 * class with a text: "int: 7", "std::runtime_error: two". The text is the program's. */
char *engine_exception_describe (EngineProcess *process, const EngineException *exception);

/* ---- inlined calls ---- */
/* Hides the inlined calls that begin at the thread's pc, up to one of the name `asked` (NULL: any that
 * a breakpoint is in): the thread is shown before them. */
void engine_inlines_hide (EngineThread *thread, const char *asked);
/* How many of the innermost frames at the thread's pc are inlined calls that begin there, up to one of
 * which a breakpoint is or, when not NULL, that has the name `asked`. */
guint engine_inlines_find (EngineThread *thread, const char *asked);
/* The function of the place at pc; NULL. places: of EnginePlace, or NULL. */
const char *engine_inlines_get_asked (const GPtrArray *places, guint64 pc);
