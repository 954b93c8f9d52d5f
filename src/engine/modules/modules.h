/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that a process has mapped: their symbols, sources and names. */
#pragma once
#include "engine/private.h"

/* ---- modules and their symbols ---- */
void engine_map_make (EngineProcess *process); /* its part of a new one */
void engine_map_free (EngineProcess *process);
void engine_modules_forget (EngineProcess *process);
/* Forgets what was read of the modules' tables: others stand in their place for a while. */
void engine_modules_forget_tables (EngineProcess *process);
/* The loader has changed the map, or may have: it is read again at the next halt. */
void engine_modules_note_change (EngineProcess *process);
void engine_modules_refresh_stale (EngineProcess *process); /* reads it again if so */
/* As they are in a measured rank now, which may have loaded others since its last sample. Waits for nothing: who hears of
 * changes does when they are refreshed. */
StackModules *engine_modules_get_present (EngineProcess *process);
/* Who hears of changes does of those that it has found meanwhile. May wait for an index. */
void engine_modules_tell_present (EngineProcess *process);
/* Code of a measured rank is in no module: reads the map again, unless that was in vain just now. TRUE: it has changed. */
gboolean engine_modules_look_again (EngineProcess *process);
/* pddt's trap in the loader is at that address. */
gboolean engine_modules_is_loader_trap (const EngineProcess *process, guint64 address);
/* Adds the addresses (guint64, each once) that the module's resolver at address has returned so
 * far for symbols of this name. */
void engine_modules_find_resolved (EngineProcess *process, const StackModule *module,
                                   guint64 resolver, const char *name, GArray *targets);
/* The symbol of jump slot `index` (a PLT entry's) of the module around address. NULL. */
char *engine_modules_dup_jump_name (EngineProcess *process, guint64 address, guint32 index);
char *engine_modules_dup_slot_name (EngineProcess *process, guint64 slot); /* by its address */
StackModule *engine_modules_find_image (EngineProcess *process, guint64 address,
                                        IndexImage **ret_image);
/* The symbol that covers an address of the process, as the linker knows it, and how far inside; NULL. */
const char *engine_modules_find_symbol_at (EngineProcess *process, guint64 address,
                                           guint64 *ret_offset);
/* Reads maps again, rebuilds modules; tells those whose places depend on them. */
void engine_process_refresh_modules (EngineProcess *process);
/* A function of that name is in the module's dynamic table; a variable, also a thread-local one. */
gboolean engine_module_shares_function (EngineProcess *process, const StackModule *module,
                                        const char *name);
gboolean engine_module_shares_variable (EngineProcess *process, const StackModule *module,
                                        const char *name);
/* The variable (STT_OBJECT) or function (STT_FUNC) of that name that files of the process share:
 * the program's own one comes first. */
gboolean engine_process_find_shared (EngineProcess *process, const char *name, guint type,
                                     gboolean in_libraries, guint64 *ret_address);
/* Symbol in any module (index first): address in the process. */
gboolean engine_process_find_symbol (EngineProcess *process, const char *name,
                                     guint64 *ret_address);
/* A function that libraries share; the module that has it. resolver: to be called for its address
 * (STT_GNU_IFUNC). NULL. */
StackModule *engine_process_find_function (EngineProcess *process, const char *name,
                                           guint64 *ret_address, gboolean *ret_is_resolver);

/* TRUE when there are lines at pc (an address in the process) that one would walk: the user's own,
 * or those of the module at `home` (its start), where the step began. */
gboolean engine_modules_has_lines (EngineProcess *process, guint64 pc, guint64 home);

/* ---- names and places ---- */
void engine_names_handle (Engine *engine, const JobRequest *request); /* NAMES */
typedef struct {
    guint64 address;
    JobLocation *location;
    gboolean is_resolver; /* a resolver: never stop there */
} EnginePlace;
void engine_place_free (EnginePlace *place);
/* Executable memory without a file: code that the program has made at run time. */
gboolean engine_code_is_made (EngineProcess *process, guint64 address);
/* An address in it as a place; NULL: it is none. */
EnginePlace *engine_code_dup_place (EngineProcess *process, const JobWhere *where);
/* TRUE when the address is in pddt's recorder of MPI calls. */
gboolean engine_modules_is_recorder (EngineProcess *process, guint64 address);
/* Adds the places of a WHERE in the process (EnginePlace). file_known: some module has the file
 * (or the function). only: NULL for all modules. */
void engine_modules_find_places (EngineProcess *process, const JobWhere *where,
                                 const StackModule *only, GPtrArray *places,
                                 gboolean *file_known);
/* Of the function that counts as the program's first one: of EnginePlace; empty: not known. */
GPtrArray *engine_modules_find_main (EngineProcess *process);

/* ---- the interpreter ---- */
/* Opens it at the first use. NULL: there is none, or it cannot be read, which is said once. */
PythonRuntime *engine_runtime_find (EngineProcess *process);
/* TRUE: its files are named after a version for which pddt has no agent. Also of a process that has ended. */
gboolean engine_runtime_is_too_old (EngineProcess *process);
void engine_runtime_forget (EngineProcess *process);
void engine_runtime_retry (EngineProcess *process); /* other modules are mapped */
/* The absolute path of a relative file name of Python code, as far as there is one such file; NULL: not
 * known. A PythonDupPath of the process. */
gboolean
engine_runtime_is_unsupported (const EngineProcess
                                   *process); /* it is a CPython, of no version that is known */

/* ---- sources ---- */
/* Reports once that the source at the last stop is newer than the program. */
void engine_sources_check (EngineProcess *process);

/* ---- debug files that arrive ---- */
/* Checks for debug files from the user's servers while any is being fetched. */
void engine_arrivals_watch (Engine *engine);
/* Notices of files whose debug information is partly missing. */
void engine_arrivals_tell (Engine *engine);

/* ---- what is known of an ended rank ---- */
/* The process has ended, and its address space is not forgotten yet. */
void engine_remains_keep (EngineProcess *process);
void engine_remains_free (EngineProcess *process);
/* Replaces its memory by its files until the matching end. FALSE: the files are not known. */
gboolean engine_remains_lend (EngineProcess *process);
void engine_remains_take_back (EngineProcess *process);
/* TRUE: the current answer uses initial values of variables. */
gboolean engine_remains_are_used (const EngineProcess *process);
