/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Displaced stepping: copies the instruction under a trap, with a jump back, into the padding
 * after the last code of its module. Nothing else uses that padding, every relative address
 * reaches it, and no thread has to wait for another. A thread that stops in a copy is shown,
 * and resumes, at the original instruction. */
#include "base/elf.h"
#include "engine/control/private.h"
#include <elf.h>
#include <string.h>
#include <unistd.h>

#define MIN_AREA 32u

/* What fills the last page of a module's code. */
typedef struct {
    guint64 module; /* its start */
    guint64 start, end, next;
    guint8 *original; /* end - start bytes; NULL: they could not be read */
    guint8 *copied;   /* the same with the copies in it */
} Area;

typedef struct {
    guint64 address, slot; /* slot 0: this instruction is not copied */
    guint length;
} Copy;

struct _EngineDisplaced {
    GArray *areas;      /* of Area */
    GHashTable *copies; /* address → Copy */
    guint64 reserved;   /* where other code begins; 0: nowhere */
};

EngineDisplaced *
engine_displaced_new (void)
{
    EngineDisplaced *displaced = g_new0 (EngineDisplaced, 1);

    displaced->areas = g_array_new (FALSE, TRUE, sizeof (Area));
    displaced->copies = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
    return displaced;
}

gboolean
engine_displaced_is_used (const EngineProcess *process)
{
    return engine_process_get_displaced (process)->areas->len > 0;
}

/* ---- areas ---- */

static Area
find_area (EngineProcess *process, const StackModule *module, guint64 address)
{
    guint64 reserved = engine_process_get_displaced (process)->reserved;
    Area area = { .module = module->start };
    guint64 page = base_memory_get_page_size ();
    const BaseElfImage image = base_elf_in_memory (engine_process_get_memory (process),
                                                   module->start);
    BaseElfHeader header;

    if (!base_elf_read_header (&image, &header)) {
        return area;
    }
    for (guint i = 0; i < MIN (header.n_segments, BASE_ELF_MAX_LOADED); i++) {
        Elf64_Phdr segment;
        guint64 end;

        if (!base_elf_read_segment (&image, &header, i, &segment) || segment.p_type != PT_LOAD
            || !(segment.p_flags & PF_X) || (segment.p_flags & PF_W)) {
            continue;
        }
        end = module->bias + segment.p_vaddr + segment.p_memsz;
        if (address >= module->bias + segment.p_vaddr && address < end) {
            area.start = area.next = (end + 15) & ~(guint64) 15;
            area.end = (end + page - 1) & ~(page - 1);
            if (reserved > area.start && reserved < area.end) {
                area.end = reserved;
            }
        }
    }
    return area;
}

static Area *
get_area (EngineProcess *process, guint64 address)
{
    EngineDisplaced *displaced = engine_process_get_displaced (process);
    StackModule *module = engine_process_get_modules (process) != NULL
                              ? stack_modules_find (engine_process_get_modules (process),
                                                    address)
                              : NULL;
    Area area;

    if (module == NULL) {
        return NULL;
    }
    for (guint i = 0; i < displaced->areas->len; i++) {
        Area *known = &g_array_index (displaced->areas, Area, i);

        if (known->module == module->start) {
            return known->original != NULL ? known : NULL;
        }
    }
    area = find_area (process, module, address);
    if (area.end >= area.start + MIN_AREA) {
        area.original = g_malloc (area.end - area.start);
        if (!base_memory_read (engine_process_get_memory (process), area.start, area.original,
                               area.end - area.start, NULL)) {
            g_clear_pointer (&area.original, g_free);
        }
        area.copied = g_memdup2 (area.original,
                                 area.original != NULL ? area.end - area.start : 0);
    }
    g_array_append_val (displaced->areas, area);
    return area.original != NULL
               ? &g_array_index (displaced->areas, Area, displaced->areas->len - 1)
               : NULL;
}

/* ---- copies ---- */

static void
make_copy (EngineProcess *process, Copy *copy)
{
    Area *area = get_area (process, copy->address);
    guint8 bytes[MACHINE_MAX_INSTRUCTION];
    MachineCopy moved;
    gsize size;

    if (area == NULL) {
        return;
    }
    size = base_memory_read_some (engine_process_get_memory (process), copy->address, bytes,
                                  sizeof bytes);
    if (machine_code_displace (bytes, size, copy->address, area->next, &moved)
        && area->next + moved.size <= area->end
        && base_memory_write (engine_process_get_memory (process), area->next, moved.bytes,
                              moved.size, NULL)) {
        memcpy (area->copied + (area->next - area->start), moved.bytes, moved.size);
        copy->length = moved.length;
        copy->slot = area->next;
        area->next += (moved.size + 7) & ~7u;
    }
}

gboolean
engine_displaced_find (EngineProcess *process, guint64 address, guint64 *ret_slot)
{
    EngineDisplaced *displaced = engine_process_get_displaced (process);
    Copy *copy = g_hash_table_lookup (displaced->copies, &address);

    if (copy == NULL) {
        copy = g_new0 (Copy, 1);
        copy->address = address;
        g_hash_table_insert (displaced->copies, &copy->address, copy);
        make_copy (process, copy);
    }
    *ret_slot = copy->slot;
    return copy->slot != 0;
}

void
engine_displaced_fix (EngineThread *thread)
{
    EngineDisplaced *displaced = engine_process_get_displaced (thread->process);
    guint64 pc = machine_registers_get_pc (&thread->registers);
    GHashTableIter iter;
    gpointer value;
    gboolean is_inside = FALSE;

    for (guint i = 0; i < displaced->areas->len && !is_inside; i++) {
        const Area *area = &g_array_index (displaced->areas, Area, i);

        is_inside = pc >= area->start && pc < area->next;
    }
    g_hash_table_iter_init (&iter, displaced->copies);
    while (is_inside && g_hash_table_iter_next (&iter, NULL, &value)) {
        const Copy *copy = value;

        if (copy->slot != 0 && (pc == copy->slot || pc == copy->slot + copy->length)) {
            gboolean is_done = pc != copy->slot;

            machine_registers_set_pc (&thread->registers,
                                      copy->address + (is_done ? copy->length : 0));
            thread->registers_changed = TRUE;
            thread->handled_trap = is_done ? thread->handled_trap : copy->address;
            return;
        }
    }
}

guint64
engine_displaced_reserve (EngineProcess *process, gsize size)
{
    guint64 entry = 0;

    for (guint i = 0; i <= process->threads->len; i++) {
        guint64 address = i > 0 ? engine_thread_get_pc (g_ptr_array_index (process->threads,
                                                                           i - 1))
                          : target_process_read_auxv (process->pid, AT_ENTRY, &entry) ? entry
                                                                                      : 0;
        Area *area = get_area (process, address);

        if (area != NULL && area->next + size + MIN_AREA <= area->end) {
            area->end = (area->end - size) & ~(guint64) 15;
            engine_process_get_displaced (process)->reserved = area->end;
            return area->end;
        }
    }
    return 0;
}

/* ---- the end ---- */

static void
drop_area (EngineDisplaced *displaced, guint index)
{
    Area *area = &g_array_index (displaced->areas, Area, index);
    gpointer value;

    BASE_WALK (displaced->copies, NULL, &value) {
        const Copy *copy = value;

        if (copy->slot == 0 || (copy->slot >= area->start && copy->slot < area->end)) {
            g_hash_table_iter_remove (&iter);
        }
    }
    g_free (area->original);
    g_free (area->copied);
    g_array_remove_index (displaced->areas, index);
}

/* The copies stand in that memory, as they were written. */
static gboolean
is_there (const Area *area, BaseMemoryReader *memory)
{
    gsize used = area->next - area->start;
    g_autofree guint8 *now = area->original != NULL ? g_malloc (used) : NULL;

    return now != NULL && base_memory_read (memory, area->start, now, used, NULL)
           && memcmp (now, area->copied, used) == 0;
}

void
engine_displaced_on_modules (EngineProcess *process)
{
    EngineDisplaced *displaced = engine_process_get_displaced (process);

    for (guint i = displaced->areas->len; i-- > 0;) {
        const Area *area = &g_array_index (displaced->areas, Area, i);
        const StackModule *module = stack_modules_find (engine_process_get_modules (process),
                                                        area->module);

        /* Unloaded, or another one in its place: the copies are no longer there. */
        if (module == NULL || module->start != area->module
            || (area->next > area->start
                && !is_there (area, engine_process_get_memory (process)))) {
            drop_area (displaced, i);
        }
    }
}

static void
restore (const EngineDisplaced *displaced, BaseMemoryReader *memory)
{
    for (guint i = 0; i < displaced->areas->len; i++) {
        const Area *area = &g_array_index (displaced->areas, Area, i);

        if (area->next > area->start && is_there (area, memory)) {
            base_memory_write (memory, area->start, area->original, area->next - area->start,
                               NULL);
        }
    }
}

void
engine_displaced_clear (EngineDisplaced *displaced, BaseMemoryReader *memory)
{
    restore (displaced, memory);
    while (displaced->areas->len > 0) {
        drop_area (displaced, displaced->areas->len - 1);
    }
    g_hash_table_remove_all (displaced->copies);
    displaced->reserved = 0;
}

void
engine_displaced_clean_child (const EngineDisplaced *displaced, pid_t child)
{
    BaseMemoryReader *memory = displaced->areas->len > 0 ? target_memory_new_of_child (child)
                                                         : NULL;

    if (memory != NULL) {
        restore (displaced, memory);
    }
    target_memory_free (memory);
}

void
engine_displaced_free (EngineDisplaced *displaced)
{
    while (displaced->areas->len > 0) {
        drop_area (displaced, displaced->areas->len - 1);
    }
    g_array_unref (displaced->areas);
    g_hash_table_unref (displaced->copies);
    g_free (displaced);
}
