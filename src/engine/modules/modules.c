/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The modules of a process, the loader's breakpoint that reports new ones, symbols from dynamic
 * symbol tables (elf(5), and the GNU hash table as the loader itself walks it). Everything read
 * from the process is checked, because its memory may be damaged. */
#include "base/elf.h"
#include "engine/control/control.h"
#include "engine/modules/private.h"
#include "engine/notices.h"
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_JUMPS 100000u
#define MAX_SECTIONS 4096u
#define MAX_RELOCATIONS 200000
#define VERSION_HIDDEN 0x8000u

typedef struct {
    guint64 start; /* of the module, and its path (interned) */
    const char *path;
    guint64 symbols, strings, strings_size, gnu_hash, versions;
    guint64 jump_relocations, jump_size, relocations, relocations_size;
    guint64 list_at; /* of the loader's list; 0 */
} Dynamic;

/* ---- dynamic symbols ---- */

/* Tables that the loader leaves as they are: from the file, which all ranks share, where it has them. */
static gboolean
read_table (EngineProcess *process, guint64 address, gpointer data, gsize size)
{
    return (engine_process_get_modules (process) != NULL
            && stack_modules_read_file (engine_process_get_modules (process), address, data,
                                        size))
           || base_memory_read (engine_process_get_memory (process), address, data, size, NULL);
}

typedef struct {
    EngineProcess *process;
    guint64 start; /* where offset 0 is */
} Tables;

static gboolean
read_image (const BaseElfImage *image, guint64 offset, void *data, gsize size)
{
    const Tables *tables = image->other;

    return read_table (tables->process, tables->start + offset, data, size);
}

static gboolean
is_named (EngineProcess *process, const Dynamic *dynamic, const Elf64_Sym *symbol,
          const char *name)
{
    gsize size = strlen (name) + 1;
    g_autofree char *text = g_malloc (size);

    return symbol->st_name < dynamic->strings_size
           && read_table (process, dynamic->strings + symbol->st_name, text, size)
           && memcmp (text, name, size) == 0;
}

static guint64
relocate (const StackModule *module, guint64 address)
{
    return address >= module->start && address < module->end ? address : address + module->bias;
}

static void
read_entries (BaseMemoryReader *memory, const StackModule *module, guint64 address,
              guint64 size, Dynamic *dynamic)
{
    g_autofree Elf64_Dyn *entries = g_malloc0 (MIN (size, 65536) + sizeof (Elf64_Dyn));
    gsize done = base_memory_read_some (memory, address, entries, MIN (size, 65536));

    for (gsize i = 0; i < done / sizeof (Elf64_Dyn) && entries[i].d_tag != DT_NULL; i++) {
        guint64 value = entries[i].d_un.d_val;

        switch (entries[i].d_tag) {
        case DT_SYMTAB: dynamic->symbols = relocate (module, value); break;
        case DT_STRTAB: dynamic->strings = relocate (module, value); break;
        case DT_GNU_HASH: dynamic->gnu_hash = relocate (module, value); break;
        case DT_VERSYM: dynamic->versions = relocate (module, value); break;
        case DT_JMPREL: dynamic->jump_relocations = relocate (module, value); break;
        case DT_RELA: dynamic->relocations = relocate (module, value); break;
        case DT_RELASZ: dynamic->relocations_size = value; break;
        case DT_STRSZ: dynamic->strings_size = value; break;
        case DT_PLTRELSZ: dynamic->jump_size = value; break;
        case DT_DEBUG:
            dynamic->list_at = address + i * sizeof *entries
                               + G_STRUCT_OFFSET (Elf64_Dyn, d_un);
            break;
        default: break;
        }
    }
}

/* A static program has no dynamic section: where its relocations stand, only its file says. */
static void
read_static (const StackModule *module, Dynamic *dynamic)
{
    int fd = open (stack_module_get_file (module),
                   O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const BaseElfImage image = base_elf_in_file (fd);
    struct stat info;
    BaseElfHeader header;
    Elf64_Shdr section;
    /* the program may have put a pipe in its own place */
    gboolean is_good = fd >= 0 && fstat (fd, &info) == 0 && S_ISREG (info.st_mode)
                       && base_elf_read_header (&image, &header);

    for (guint i = 0; is_good && i < MIN (header.n_sections, MAX_SECTIONS); i++) {
        /* what stays of them in a linked program is mapped, and all of it asks resolvers */
        if (base_elf_read_section (&image, &header, i, &section) && section.sh_type == SHT_RELA
            && (section.sh_flags & SHF_ALLOC) != 0) {
            dynamic->jump_relocations = module->bias + section.sh_addr;
            dynamic->jump_size = section.sh_size;
        }
    }
    if (fd >= 0) {
        close (fd);
    }
}

static Dynamic *
read_dynamic (EngineProcess *process, const StackModule *module)
{
    Dynamic *dynamic = g_new0 (Dynamic, 1);
    gboolean is_static = TRUE;
    Tables tables = { process, module->start };
    const BaseElfImage image = { .read = read_image, .other = &tables };
    BaseElfHeader header;

    dynamic->start = module->start;
    dynamic->path = module->path;
    if (!base_elf_read_header (&image, &header)) {
        return dynamic;
    }
    for (guint i = 0; i < MIN (header.n_segments, BASE_ELF_MAX_LOADED); i++) {
        Elf64_Phdr segment;

        if (base_elf_read_segment (&image, &header, i, &segment)
            && segment.p_type == PT_DYNAMIC) {
            read_entries (engine_process_get_memory (process), module,
                          module->bias + segment.p_vaddr, segment.p_memsz, dynamic);
            is_static = FALSE;
        }
    }
    if (is_static && module->is_executable) {
        read_static (module, dynamic);
    }
    return dynamic;
}

void
engine_map_make (EngineProcess *process)
{
    process->map = g_new0 (EngineMap, 1);
    process->map->dynamics = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                                    g_free);
}

void
engine_map_free (EngineProcess *process)
{
    g_hash_table_unref (process->map->dynamics);
    g_free (process->map);
}

void
engine_modules_note_change (EngineProcess *process)
{
    process->map->is_stale = TRUE;
}

gboolean
engine_modules_is_loader_trap (const EngineProcess *process, guint64 address)
{
    return address != 0 && address == process->map->loader_trap;
}

void
engine_modules_forget_tables (EngineProcess *process)
{
    g_hash_table_remove_all (process->map->dynamics);
}

static const Dynamic *
get_dynamic (EngineProcess *process, const StackModule *module)
{
    Dynamic *dynamic = g_hash_table_lookup (process->map->dynamics, &module->start);

    if (dynamic == NULL) {
        dynamic = read_dynamic (process, module);
        g_hash_table_insert (process->map->dynamics,
                             g_memdup2 (&module->start, sizeof module->start), dynamic);
    }
    return dynamic;
}

static gboolean
check_symbol (EngineProcess *process, const StackModule *module, const Dynamic *dynamic,
              guint32 index, const char *name, guint64 *ret_address, guint *ret_type)
{
    Elf64_Sym symbol;

    if (!read_table (process, dynamic->symbols + index * sizeof symbol, &symbol, sizeof symbol)
        || symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0
        || !is_named (process, dynamic, &symbol, name)) {
        return FALSE;
    }
    *ret_address = module->bias + symbol.st_value;
    *ret_type = ELF64_ST_TYPE (symbol.st_info);
    return *ret_type != STT_TLS;
}

typedef struct {
    EngineProcess *process;
    const StackModule *module;
    const Dynamic *dynamic;
    const char *name;
    guint64 *ret_address;
    guint *ret_type;
    gboolean any; /* ret_… are set */
} Search;

/* A version for programs that were linked long ago: those of today mean the default one. */
static gboolean
is_hidden (const Search *search, guint32 symbol)
{
    guint16 version = 0;

    return search->dynamic->versions != 0
           && read_table (search->process, search->dynamic->versions + symbol * sizeof version,
                          &version, sizeof version)
           && (version & VERSION_HIDDEN) != 0;
}

static gboolean
is_it (guint32 symbol, gpointer user)
{
    Search *search = user;
    gboolean is_default = !is_hidden (search, symbol);

    if (search->any && !is_default) {
        return FALSE;
    }
    if (!check_symbol (search->process, search->module, search->dynamic, symbol, search->name,
                       search->ret_address, search->ret_type)) {
        return FALSE;
    }
    search->any = TRUE;
    return is_default;
}

static gboolean
find_dynamic_symbol (EngineProcess *process, const StackModule *module, const char *name,
                     guint64 *ret_address, guint *ret_type)
{
    const Dynamic *dynamic = get_dynamic (process, module);
    Tables tables = { process, 0 };
    const BaseElfImage image = { .read = read_image, .other = &tables };
    Search search = { process, module, dynamic, name, ret_address, ret_type, FALSE };

    return dynamic->gnu_hash != 0 && dynamic->symbols != 0 && dynamic->strings != 0
           && (base_elf_find_hashed (&image, dynamic->gnu_hash, name, is_it, &search)
               || search.any);
}

char *
engine_modules_dup_jump_name (EngineProcess *process, guint64 address, guint32 index)
{
    StackModule *module = engine_process_get_modules (process) != NULL
                              ? stack_modules_find (engine_process_get_modules (process),
                                                    address)
                              : NULL;
    const Dynamic *dynamic = module != NULL ? get_dynamic (process, module) : NULL;
    Elf64_Rela relocation;
    Elf64_Sym symbol;

    if (dynamic == NULL || ((guint64) index + 1) * sizeof relocation > dynamic->jump_size
        || !read_table (process, dynamic->jump_relocations + index * sizeof relocation,
                        &relocation, sizeof relocation)
        || !read_table (process,
                        dynamic->symbols + ELF64_R_SYM (relocation.r_info) * sizeof symbol,
                        &symbol, sizeof symbol)
        || symbol.st_name >= dynamic->strings_size) {
        return NULL;
    }
    return base_memory_read_string (engine_process_get_memory (process),
                                    dynamic->strings + symbol.st_name, 1000, NULL, NULL);
}

char *
engine_modules_dup_slot_name (EngineProcess *process, guint64 slot)
{
    StackModule *module = engine_process_get_modules (process) != NULL
                              ? stack_modules_find (engine_process_get_modules (process), slot)
                              : NULL;
    const Dynamic *dynamic = module != NULL ? get_dynamic (process, module) : NULL;
    guint32 n = dynamic != NULL ? (guint32) (dynamic->jump_size / sizeof (Elf64_Rela)) : 0;

    for (guint32 i = 0; i < MIN (n, MAX_JUMPS); i++) {
        guint64 offset;

        if (!read_table (process, dynamic->jump_relocations + i * sizeof (Elf64_Rela), &offset,
                         sizeof offset)) {
            return NULL;
        }
        if (offset + module->bias == slot) {
            return engine_modules_dup_jump_name (process, slot, i);
        }
    }
    return NULL;
}

/* ---- functions that are decided when the program is linked ---- */

typedef struct {
    EngineProcess *process;
    const StackModule *module; /* that has the resolver */
    guint64 resolver;
    const char *name;
    GArray *targets;
} Resolved;

static gboolean
is_meant (const Resolved *resolved, const StackModule *module, const Dynamic *dynamic,
          const Elf64_Rela *relocation)
{
    Elf64_Sym symbol;
    guint size;
    MachineRelocation kind = machine_relocation_find (ELF64_R_TYPE (relocation->r_info), &size);

    if (kind == MACHINE_RELOCATION_RESOLVER) {
        return module == resolved->module
               && module->bias + relocation->r_addend == resolved->resolver;
    }
    if ((kind != MACHINE_RELOCATION_SLOT && kind != MACHINE_RELOCATION_ADDRESS)
        || !read_table (resolved->process,
                        dynamic->symbols + ELF64_R_SYM (relocation->r_info) * sizeof symbol,
                        &symbol, sizeof symbol)
        || symbol.st_name == 0) {
        return FALSE;
    }
    return is_named (resolved->process, dynamic, &symbol, resolved->name);
}

/* A slot that nobody has called through yet leads into a linkage table, not to a function. */
static void
take_slot (const Resolved *resolved, const StackModule *owner, guint64 slot)
{
    EngineProcess *process = resolved->process;
    StackModule *module;
    IndexImage *image = NULL;
    IndexFrame frame;
    guint64 target;

    if (!base_memory_read_u64 (engine_process_get_memory (process), slot, &target, NULL)
        || target == resolved->resolver) {
        return;
    }
    module = engine_modules_find_image (process, target, &image);
    if (module == NULL
        || !((image != NULL
              && index_image_find_frames (image, target - module->bias, &frame, 1) > 0
              && frame.low == target - module->bias)
             || (module == resolved->module && owner != module))) {
        return;
    }
    if (BASE_ANY (i, resolved->targets->len,
                  g_array_index (resolved->targets, guint64, i) == target)) {
        return;
    }
    g_array_append_val (resolved->targets, target);
}

static void
take_slots (const Resolved *resolved, const StackModule *module, const Dynamic *dynamic,
            guint64 address, guint64 size)
{
    gsize wanted = MIN (size, MAX_RELOCATIONS * sizeof (Elf64_Rela));
    g_autofree Elf64_Rela *table = address != 0 ? g_malloc (wanted + sizeof *table) : NULL;
    gsize done = table == NULL ? 0
                 : read_table (resolved->process, address, table, wanted)
                     ? wanted
                     : base_memory_read_some (engine_process_get_memory (resolved->process),
                                              address, table, wanted);

    for (gsize i = 0; i < done / sizeof *table; i++) {
        if (is_meant (resolved, module, dynamic, &table[i])) {
            take_slot (resolved, module, table[i].r_offset + module->bias);
        }
    }
}

void
engine_modules_find_resolved (EngineProcess *process, const StackModule *module,
                              guint64 resolver, const char *name, GArray *targets)
{
    Resolved resolved = { process, module, resolver, name, targets };

    ENGINE_EACH_MODULE (process, owner) {
        const Dynamic *dynamic = get_dynamic (process, owner);

        take_slots (&resolved, owner, dynamic, dynamic->jump_relocations, dynamic->jump_size);
        take_slots (&resolved, owner, dynamic, dynamic->relocations, dynamic->relocations_size);
    }
}

gboolean
engine_module_shares_function (EngineProcess *process, const StackModule *module,
                               const char *name)
{
    guint64 address;
    guint type;

    return find_dynamic_symbol (process, module, name, &address, &type) && type == STT_FUNC;
}

gboolean
engine_module_shares_variable (EngineProcess *process, const StackModule *module,
                               const char *name)
{
    guint64 address;
    guint type;

    return find_dynamic_symbol (process, module, name, &address, &type)
           && (type == STT_OBJECT || type == STT_TLS);
}

gboolean
engine_process_find_shared (EngineProcess *process, const char *name, guint type,
                            gboolean in_libraries, guint64 *ret_address)
{
    ENGINE_EACH_MODULE (process, module) {
        guint found;

        if ((module->is_executable || in_libraries)
            && find_dynamic_symbol (process, module, name, ret_address, &found)
            && found == type) {
            return TRUE;
        }
    }
    return FALSE;
}

gboolean
engine_process_find_symbol (EngineProcess *process, const char *name, guint64 *ret_address)
{
    ENGINE_EACH_MODULE (process, module) {
        IndexImage *image;
        guint64 size;
        guint type;

        if (find_dynamic_symbol (process, module, name, ret_address, &type)) {
            return TRUE;
        }
        if (!module->is_executable) {
            continue; /* what others share is in their dynamic table */
        }
        image = engine_process_open_image (process, module);
        if (image != NULL && index_image_find_symbol (image, name, ret_address, &size)) {
            *ret_address += module->bias;
            return TRUE;
        }
    }
    return FALSE;
}

StackModule *
engine_process_find_function (EngineProcess *process, const char *name, guint64 *ret_address,
                              gboolean *ret_is_resolver)
{
    guint type;

    ENGINE_EACH_MODULE (process, module) {
        if (find_dynamic_symbol (process, module, name, ret_address, &type)
            && (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE)) {
            *ret_is_resolver = type == STT_GNU_IFUNC;
            return module;
        }
    }
    return NULL;
}

/* ---- the loader ---- */

/* Does anything have to be planted in a new library at once? Else it is read at the next stop. */
static gboolean
is_somebody_waiting (EngineProcess *process)
{
    return process->phase != ENGINE_START_STARTED || process->engine->breakpoints->len > 0
           || engine_ask (process, process->engine->notices->wants_modules);
}

/* Paths of modules that `known` does not have; those found are added to it. */
static GPtrArray *
list_new_modules (EngineProcess *process, GHashTable *known)
{
    GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);

    ENGINE_EACH_MODULE (process, module) {
        if (g_hash_table_add (known, g_strdup (module->path))) {
            g_ptr_array_add (paths, g_strdup (module->path));
        }
    }
    return paths;
}

static gboolean
refresh_and_catch (EngineThread *thread)
{
    g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                          NULL);
    g_autoptr (GPtrArray) before = list_new_modules (thread->process, known);
    g_autoptr (GPtrArray) loaded = NULL;

    engine_process_refresh_modules (thread->process);
    loaded = list_new_modules (thread->process, known);
    return thread->process->engine->notices->loaded (thread, loaded);
}

static EngineTrapAnswer
on_loader (EngineThread *thread, guint64 address, gpointer owner)
{
    EngineProcess *process = thread->process;
    guint32 state = 0;

    /* r_debug.r_state (link.h): 0 consistent, else maps are being changed. */
    if (process->map->loader_state == 0
        || !base_memory_read_u32 (engine_process_get_memory (process),
                                  process->map->loader_state, &state, NULL)
        || state == 0) {
        engine_modules_note_change (process);
        if (engine_ask (process, process->engine->notices->wants_load)) {
            return refresh_and_catch (thread) ? ENGINE_TRAP_STOP : ENGINE_TRAP_RESUME;
        }
        if (is_somebody_waiting (process)) {
            engine_process_refresh_modules (process);
        }
    }
    return ENGINE_TRAP_RESUME;
}

static const StackModule *
find_loader (EngineProcess *process)
{
    ENGINE_EACH_MODULE (process, module) {
        g_autofree char *base = g_path_get_basename (module->path);

        if (g_str_has_prefix (base, "ld-linux") || g_str_has_prefix (base, "ld-2.")
            || g_str_has_prefix (base, "ld.so") || g_str_has_prefix (base, "ld-musl")) {
            return module;
        }
    }
    return NULL;
}

guint64
engine_modules_find_list (EngineProcess *process)
{
    ENGINE_EACH_MODULE (process, module) {
        if (module->is_executable && get_dynamic (process, module)->list_at != 0) {
            return get_dynamic (process, module)->list_at;
        }
    }
    return 0;
}

static void
watch_loader (EngineProcess *process)
{
    const StackModule *loader = process->map->loader_trap == 0
                                        && !process->engine->is_measured /* see loads.c */
                                    ? find_loader (process)
                                    : NULL;
    guint64 function, debug;
    guint type;
    g_autoptr (GError) error = NULL;

    if (loader == NULL
        || (!find_dynamic_symbol (process, loader, "_dl_debug_state", &function, &type)
            && !find_dynamic_symbol (process, loader, "_dl_debug_notify", &function, &type))) {
        return;
    }
    if (find_dynamic_symbol (process, loader, "_r_debug", &debug, &type)) {
        process->map->loader_state = debug + 24;
    }
    if (!engine_trap_add (process, function, on_loader, process, &error)) {
        g_message ("libraries loaded later will not be seen: %s", error->message);
        return;
    }
    process->map->loader_trap = function;
}

/* ---- modules ---- */

static guint64
hash_maps (const GArray *maps)
{
    guint64 hash = 14695981039346656037ull;

    for (guint i = 0; i < maps->len; i++) {
        const TargetMap *map = &g_array_index (maps, TargetMap, i);

        if (map->inode != 0) {
            hash = (hash ^ map->start) * 1099511628211ull;
            hash = (hash ^ map->inode ^ map->end << 20 ^ (map->executable ? 1 : 0))
                   * 1099511628211ull;
        }
    }
    return hash | 1;
}

void
engine_modules_forget (EngineProcess *process)
{
    engine_runtime_forget (process);
    engine_modules_forget_tables (process);
    process->map->is_stale = process->map->is_untold = FALSE;
    process->map_hash = 0;
    process->map->loader_trap = process->map->loader_state = 0;
    process->map->loads = (EngineLoads){ 0 };
}

/* Tables of modules that are no more. */
static void
drop_dynamics (EngineProcess *process)
{
    gpointer value;

    BASE_WALK (process->map->dynamics, NULL, &value) {
        const Dynamic *dynamic = value;
        const StackModule *module = stack_modules_find (engine_process_get_modules (process),
                                                        dynamic->start);

        if (module == NULL || module->start != dynamic->start
            || module->path != dynamic->path) {
            g_hash_table_iter_remove (&iter);
        }
    }
}

/* Waits for nothing, and so tells nobody. */
static void
read_modules (EngineProcess *process)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (GArray) maps = NULL;
    guint64 hash;

    process->map->is_stale = FALSE;
    if (process->engine->is_measured && engine_process_can_read (process)) {
        engine_loads_note (process); /* what comes later is seen at the next look */
    }
    maps = target_maps_read (process->pid, &error);
    if (maps == NULL || !engine_process_can_read (process)) {
        return;
    }
    hash = hash_maps (maps);
    engine_loads_note_result (process, hash != process->map_hash);
    if (hash == process->map_hash && engine_process_get_modules (process) != NULL) {
        return;
    }
    process->map_hash = hash;
    engine_owner_refresh (process);
    g_clear_pointer (&process->stack, stack_free);
    g_clear_pointer (&process->stop_stack, stack_free);
    engine_process_set_modules (process,
                                stack_modules_new (maps, process->pid,
                                                   engine_process_get_memory (process),
                                                   process->symbols,
                                                   engine_process_get_modules (process)));
    drop_dynamics (process);
    engine_runtime_retry (process);
    process->map->is_untold = TRUE;
}

static void
tell_change (EngineProcess *process)
{
    if (process->map->is_untold) {
        process->map->is_untold = FALSE;
        engine_displaced_on_modules (process);
        watch_loader (process);
        engine_tell (process, process->engine->notices->modules_change);
    }
}

void
engine_process_refresh_modules (EngineProcess *process)
{
    read_modules (process);
    tell_change (process);
}

StackModules *
engine_modules_get_present (EngineProcess *process)
{
    if (engine_loads_have_changed (process)) {
        read_modules (process);
    }
    return engine_process_get_modules (process);
}

void
engine_modules_refresh_stale (EngineProcess *process)
{
    if (process->map->is_stale || engine_loads_have_changed (process)) {
        read_modules (process);
    }
    tell_change (process);
}

void
engine_modules_tell_present (EngineProcess *process)
{
    if (process->map->is_stale) {
        read_modules (process);
    }
    tell_change (process);
}

StackModule *
engine_modules_find_image (EngineProcess *process, guint64 address, IndexImage **ret_image)
{
    StackModule *module = engine_process_get_modules (process) != NULL
                              ? stack_modules_find (engine_process_get_modules (process),
                                                    address)
                              : NULL;

    *ret_image = module != NULL ? engine_process_open_image (process, module) : NULL;
    return module;
}

const char *
engine_modules_find_symbol_at (EngineProcess *process, guint64 address, guint64 *ret_offset)
{
    IndexImage *image;
    StackModule *module = engine_modules_find_image (process, address, &image);

    return image != NULL
               ? index_image_find_symbol_at (image, address - module->bias, ret_offset)
               : NULL;
}

gboolean
engine_modules_has_lines (EngineProcess *process, guint64 pc, guint64 home)
{
    IndexImage *image;
    StackModule *module = engine_modules_find_image (process, pc, &image);
    guint64 low, high;
    guint32 line;

    return image != NULL && (module->is_user || module->start == home)
           && index_image_find_step_range (image, pc - module->bias, &low, &high, &line)
           && line != 0;
}
