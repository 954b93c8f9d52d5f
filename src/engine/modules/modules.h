/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that a process has mapped: their symbols, sources and names. */
#pragma once
#include "engine/private.h"

/* ---- modules and their symbols ---- */
EngineMap *engine_map_new (void);
void engine_map_free (EngineMap *map);
void engine_modules_forget (EngineProcess *process);
/* Forgets what was read of the modules' tables: others stand in their place for a while. */
void engine_modules_forget_tables (EngineProcess *process);
/* Changes whenever what is mapped does; 0: not read yet. */
guint64 engine_modules_get_hash (const EngineProcess *process);
/* The loader has changed the map, or may have: it is read again at the next halt. */
void engine_modules_note_change (EngineProcess *process);
gboolean engine_modules_are_stale (const EngineProcess *process);
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

/* ---- sources ---- */
/* Reports once that the source at the last stop is newer than the program. */
void engine_sources_check (EngineProcess *process);

/* ---- debug files that arrive ---- */
/* Checks for debug files from the user's servers while any is being fetched. */
void engine_arrivals_watch (Engine *engine);
/* Notices of files whose debug information is partly missing. */
void engine_arrivals_tell (Engine *engine);
