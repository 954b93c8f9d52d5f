/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Native unwinding over a snapshot of a stopped thread: registers and one block of its stack; unwind
 * tables come from the mapped files, everything else from the rank. Stacks whose frames all have plain
 * rows in these tables, as nearly all have, are walked by the rows that were found before (cfa.c);
 * libunwind walks the others. Does not handle names. */
#include "stack/library-private.h"
#include "machine/call.h"
#include "machine/code.h"
#include "stack/modules-private.h"
#include <string.h>

#define BLOCK_SIZE (64u << 10)
#define LEAST_BLOCK_SIZE 1024u
#define PAGE_BYTES 4096u
#define N_PAGES 8u
#define MAX_FRAMES 200000u /* more than a stack of 8 MiB usually holds */
#define MAX_LABELS                                                                             \
    4096u /* bytes of a function from its first label to the one that the pc is behind */

#define ALL_VALID ((1u << MACHINE_N_GENERAL) - 1)

typedef struct {
    guint64 address; /* page aligned; 0 empty */
    gsize size;
    guint8 bytes[PAGE_BYTES];
} SnapshotPage;

typedef struct {
    StackModules *modules;
    BaseMemoryReader *memory;
    const MachineRegisters *registers;
    guint32 known;         /* bit n: that register is */
    const StackSpan *span; /* that was read last; NULL */
    guint64 block_start;
    gsize block_size;
    guint8 *block;
    gsize room;          /* bytes that fit there */
    gboolean ends;       /* nothing behind it can be read */
    SnapshotPage *pages; /* N_PAGES, allocated at first use */
    guint next_page;
    gboolean is_innermost; /* the frame that is stepped out of */
    gboolean missed;       /* a pc had no unwind rule since the last look */
    gboolean has_guessed;  /* some frame was found without a rule */
} Snapshot;

/* At least so much, as long as it can be read, up to the end of a page: a stack ends with one, and the system is not
 * asked twice for what is not there. */
static void
read_block (Snapshot *snapshot, guint64 start, gsize least)
{
    gsize size = ((start + least + PAGE_BYTES - 1) & ~(guint64) (PAGE_BYTES - 1)) - start;

    if (size > snapshot->room) {
        g_free (snapshot->block);
        snapshot->block = g_malloc (size);
        snapshot->room = size;
    }
    snapshot->block_start = start;
    snapshot->block_size = base_memory_read_some (snapshot->memory, start, snapshot->block,
                                                  size);
    snapshot->ends = snapshot->block_size < size;
}

static void
init_snapshot (Snapshot *snapshot, StackModules *modules, BaseMemoryReader *memory,
               const MachineRegisters *registers)
{
    memset (snapshot, 0, sizeof *snapshot);
    snapshot->modules = modules;
    snapshot->memory = memory;
    snapshot->registers = registers;
    read_block (snapshot,
                (machine_registers_get_sp (registers) - machine_call_get_red_zone ())
                    & ~(guint64) 7,
                LEAST_BLOCK_SIZE);
}

static void
clear_snapshot (Snapshot *snapshot)
{
    g_free (snapshot->block);
    g_free (snapshot->pages);
}

static const SnapshotPage *
find_page (Snapshot *snapshot, guint64 address)
{
    guint64 start = address & ~(guint64) (PAGE_BYTES - 1);
    SnapshotPage *page;

    if (snapshot->pages == NULL) {
        snapshot->pages = g_new (SnapshotPage, N_PAGES);
        for (guint i = 0; i < N_PAGES; i++) {
            snapshot->pages[i].size = 0;
        }
    }
    for (guint i = 0; i < N_PAGES; i++) {
        if (snapshot->pages[i].size > 0 && snapshot->pages[i].address == start) {
            return &snapshot->pages[i];
        }
    }
    page = &snapshot->pages[snapshot->next_page];
    snapshot->next_page = (snapshot->next_page + 1) % N_PAGES;
    page->address = start;
    page->size = base_memory_read_some (snapshot->memory, start, page->bytes, PAGE_BYTES);
    return page;
}

static gboolean
read_word (Snapshot *snapshot, guint64 address, guint64 *ret_value)
{
    guint64 within = address - snapshot->block_start;
    const StackSpan *span;
    const SnapshotPage *page;

    if (within <= snapshot->block_size && snapshot->block_size - within >= 8) {
        memcpy (ret_value, snapshot->block + within, 8);
        return TRUE;
    }
    if (within < snapshot->block_size + BLOCK_SIZE && !snapshot->ends) { /* outer frames */
        read_block (snapshot, address & ~(guint64) 7,
                    MIN (2 * snapshot->block_size, BLOCK_SIZE));
        return read_word (snapshot, address, ret_value);
    }
    span = snapshot->span;
    if (span == NULL || address < span->start || address >= span->end) {
        span = stack_modules_find_span (snapshot->modules, address);
        snapshot->span = span;
    }
    if (span != NULL
        && stack_file_read (span->file, address - span->start + span->offset, ret_value, 8)) {
        return TRUE;
    }
    if (address % PAGE_BYTES <= PAGE_BYTES - 8) {
        page = find_page (snapshot, address);
        if (address % PAGE_BYTES + 8 <= page->size) {
            memcpy (ret_value, page->bytes + address % PAGE_BYTES, 8);
            return TRUE;
        }
    }
    return base_memory_read_u64 (snapshot->memory, address, ret_value, NULL);
}

static int
access_memory (unw_addr_space_t space, unw_word_t address, unw_word_t *value, int is_write,
               void *arg)
{
    guint64 word;

    if (is_write || !read_word (arg, address, &word)) {
        return -UNW_EINVAL;
    }
    *value = word;
    return 0;
}

static int
access_register (unw_addr_space_t space, unw_regnum_t number, unw_word_t *value, int is_write,
                 void *arg)
{
    const Snapshot *snapshot = arg;
    guint64 word;

    if (is_write || number < 0 || number >= (unw_regnum_t) MACHINE_N_GENERAL
        || !(snapshot->known & 1u << number)
        || !machine_registers_get (snapshot->registers, (guint) number, &word)) {
        return -UNW_EBADREG;
    }
    *value = word;
    return 0;
}

static int
access_float_register (unw_addr_space_t space, unw_regnum_t number, unw_fpreg_t *value,
                       int is_write, void *arg)
{
    return -UNW_EBADREG;
}

static int
find_proc_info (unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *ret_info, int need,
                void *arg)
{
    Snapshot *snapshot = arg;
    const StackModuleEntry *entry = stack_modules_find_entry (snapshot->modules, ip);
    unw_dyn_info_t table;
    int result = -UNW_ENOINFO;

    if (space != NULL && entry != NULL
        && (entry->module.eh_frame_hdr != 0 || entry->table != NULL)) {
        gboolean is_ours = entry->table != NULL;

        memset (&table, 0, sizeof table);
        table.format = UNW_INFO_FORMAT_REMOTE_TABLE;
        table.start_ip = entry->module.start;
        table.end_ip = entry->module.end;
        table.u.rti.segbase = is_ours ? entry->module.start : entry->module.eh_frame_hdr;
        table.u.rti.table_data = is_ours ? entry->table_address
                                         : entry->module.eh_frame_hdr + 12;
        table.u.rti.table_len = (is_ours ? entry->table_count : entry->module.fde_count) * 8
                                / sizeof (unw_word_t);
        result = stack_library_get ()->search_table (space, ip, &table, ret_info, need, arg);
    }
    if (result < 0) {
        snapshot->missed = TRUE;
    }
    return result;
}

static void
put_unwind_info (unw_addr_space_t space, unw_proc_info_t *info, void *arg)
{
}

static int
get_dynamic_list (unw_addr_space_t space, unw_word_t *ret_address, void *arg)
{
    return -UNW_ENOINFO;
}

static int
resume_nothing (unw_addr_space_t space, unw_cursor_t *cursor, void *arg)
{
    return -UNW_EINVAL;
}

static int
get_no_name (unw_addr_space_t space, unw_word_t address, char *buffer, size_t size,
             unw_word_t *ret_offset, void *arg)
{
    return -UNW_ENOINFO;
}

/* One for all processes and without a cache: a cache would cost 60 KB for each process, and
 * locking with all signals blocked for each frame. */
unw_addr_space_t
stack_unwind_get_space (void)
{
    static unw_addr_space_t space;
    static unw_accessors_t accessors = {
        .find_proc_info = find_proc_info,
        .put_unwind_info = put_unwind_info,
        .get_dyn_info_list_addr = get_dynamic_list,
        .access_mem = access_memory,
        .access_reg = access_register,
        .access_fpreg = access_float_register,
        .resume = resume_nothing,
        .get_proc_name = get_no_name,
    };

    const StackLibrary *library = stack_library_get ();

    if (library != NULL && g_once_init_enter ((gpointer *) &space)) {
        unw_addr_space_t fresh = library->create_addr_space (&accessors, 0);

        library->set_caching_policy (fresh, UNW_CACHE_NONE);
        g_once_init_leave ((gpointer *) &space, fresh);
    }
    return space;
}

gboolean
stack_native_find_saved (const StackNativeFrame *frame, guint number, guint64 *ret_address)
{
    for (guint i = 0; i < MACHINE_N_PRESERVED; i++) {
        if (machine_preserved_numbers[i] == number && frame->saved_at[i] != 0) {
            *ret_address = frame->saved_at[i];
            return TRUE;
        }
    }
    return FALSE;
}

/* Which of the preserved registers an outer frame has, and where: libunwind tells of no others. */
static guint32
find_places (unw_cursor_t *cursor, StackNativeFrame *frame)
{
    guint32 found = 0;

    for (guint i = 0; i < MACHINE_N_PRESERVED; i++) {
        guint number = machine_preserved_numbers[i];
        unw_save_loc_t place = { 0 };

        if (stack_library_get ()->get_save_loc (cursor, (int) number, &place) < 0
            || place.type == UNW_SLT_NONE) {
            continue;
        }
        found |= 1u << number;
        if (place.type == UNW_SLT_MEMORY) {
            frame->saved_at[i] = place.u.addr;
        } else if ((guint) place.u.regnum == number) {
            frame->unsaved |= 1u << number;
        }
    }
    return found;
}

/* Registers of an outer frame that its callees have kept or saved; the others are gone, and
 * libunwind would give the innermost frame's. After a signal frame all were saved. */
static void
read_registers (unw_cursor_t *cursor, gboolean all, StackNativeFrame *frame)
{
    guint32 wanted = find_places (cursor, frame) | (all ? ALL_VALID : 0);

    for (guint number = 0; number < MACHINE_N_GENERAL; number++) {
        unw_word_t value;

        if (number == machine_sp_number || number == machine_pc_number
            || !(wanted & 1u << number)
            || stack_library_get ()->get_reg (cursor, (int) number, &value) < 0) {
            continue;
        }
        frame->registers[number] = value;
        frame->valid |= 1u << number;
    }
    frame->registers[machine_sp_number] = frame->sp;
    frame->registers[machine_pc_number] = frame->pc;
    frame->valid |= 1u << machine_sp_number | 1u << machine_pc_number;
}

/* What is known in the caller of a function that has just begun. */
static guint32
get_kept (void)
{
    guint32 kept = 1u << machine_sp_number | 1u << machine_pc_number;

    for (guint i = 0; i < MACHINE_N_PRESERVED; i++) {
        kept |= 1u << machine_preserved_numbers[i];
    }
    return kept;
}

static void
fill_innermost (const MachineRegisters *registers, guint32 known, StackNativeFrame *frame)
{
    for (guint i = 0; i < MACHINE_N_GENERAL; i++) {
        machine_registers_get (registers, i, &frame->registers[i]);
    }
    frame->valid = known;
    frame->pc = frame->registers[machine_pc_number];
    frame->sp = frame->registers[machine_sp_number];
}

/* A return address follows a call; FALSE also where the code cannot be read. */
static gboolean
is_behind_call (Snapshot *snapshot, guint64 pc)
{
    guint64 word;
    guint8 code[MACHINE_MAX_CALL];

    G_STATIC_ASSERT (sizeof code == sizeof word);
    if (!read_word (snapshot, pc - sizeof code, &word)) {
        return FALSE;
    }
    memcpy (code, &word, sizeof code);
    return machine_code_ends_with_call (code);
}

/* A step without an unwind rule is libunwind's guess along the rbp chain: it counts only when it
 * leads up the stack to code that has a rule. */
static gboolean
is_guess_plausible (Snapshot *snapshot, const StackNativeFrame *from, guint64 pc, guint64 sp)
{
    unw_proc_info_t info;

    return sp > from->sp && sp - from->sp < (8u << 20) && is_behind_call (snapshot, pc)
           && find_proc_info (snapshot->modules->space, pc - 1, &info, 0, snapshot) >= 0;
}

/* What a signal's handler returns to. libunwind tells this of the frame outside it instead, depending on its
 * tables. */
static gboolean
is_at_trampoline (Snapshot *snapshot, guint64 pc)
{
    enum { BEFORE = MACHINE_SIGNAL_RETURN_BEFORE };
    guint64 words[1 + BEFORE / 8 + 1] = { 0 };

    if (!read_word (snapshot, pc, &words[1])
        || !machine_code_may_be_signal_return ((const guint8 *) &words[1])) {
        return FALSE;
    }
    read_word (snapshot, pc + 8, &words[2]);
    read_word (snapshot, pc - BEFORE, &words[0]);
    return machine_code_is_signal_return ((const guint8 *) words, sizeof words, BEFORE);
}

/* Nothing calls the first instruction of a function: whoever made the stack put its address there, as
 * makecontext does. */
static gboolean
is_made_up (Snapshot *snapshot, guint64 pc)
{
    gboolean missed = snapshot->missed;
    unw_proc_info_t info, before;
    gboolean is_start
        = find_proc_info (snapshot->modules->space, pc, &info, 0, snapshot) >= 0
          && info.start_ip == pc
          && find_proc_info (snapshot->modules->space, pc - 1, &before, 0, snapshot) < 0;

    snapshot->missed = missed;
    return is_start;
}

/* The innermost function has taken its return address off the stack, as vfork does. */
static gboolean
is_caller_in_register (Snapshot *snapshot, const StackNativeFrame *from, guint64 pc, guint64 sp)
{
    return snapshot->is_innermost && sp == from->sp && is_behind_call (snapshot, pc);
}

/* Steps from frame to the next; FALSE at the end. frame gets its CFA, and its mark when nothing
 * outside it is certain. */
static gboolean
step_out (Snapshot *snapshot, unw_cursor_t *cursor, StackNativeFrame *frame,
          StackNativeFrame *ret_next)
{
    unw_word_t pc = 0;
    unw_word_t sp = 0;
    gboolean was_guess;
    int result;

    snapshot->missed = FALSE;
    frame->is_trampoline = is_at_trampoline (snapshot, frame->pc);
    result = stack_library_get ()->step (cursor);
    was_guess = snapshot->missed && !frame->is_trampoline;
    memset (ret_next, 0, sizeof *ret_next);
    if (result > 0) {
        stack_library_get ()->get_reg (cursor, UNW_REG_IP, &pc);
        stack_library_get ()->get_reg (cursor, UNW_REG_SP, &sp);
    }
    if (result <= 0 || pc == 0) {
        frame->is_incomplete = (result < 0 || was_guess) && !is_made_up (snapshot, frame->pc);
        frame->cfa = 0;
        return FALSE;
    }
    if (was_guess && is_made_up (snapshot, frame->pc)) {
        frame->cfa = 0;
        return FALSE;
    }
    /* a function that nothing has called may have any data where its tables have the return address, and a program may have
     * written over it: the frame itself is as its tables say */
    if (!stack_modules_is_code (snapshot->modules, pc)) {
        frame->is_incomplete = !is_made_up (snapshot, frame->pc);
        frame->cfa = was_guess || snapshot->has_guessed || sp <= frame->sp ? 0 : sp;
        return FALSE;
    }
    /* behind a guess every frame has to show that it is one */
    if (snapshot->has_guessed && !frame->is_trampoline && !is_behind_call (snapshot, pc)) {
        frame->is_incomplete = TRUE;
        frame->cfa = 0;
        return FALSE;
    }
    snapshot->has_guessed |= was_guess;
    if (was_guess && !is_guess_plausible (snapshot, frame, pc, sp)) {
        frame->is_incomplete = TRUE;
        return FALSE;
    }
    if (!frame->is_trampoline && sp <= frame->sp
        && !is_caller_in_register (snapshot, frame, pc, sp)) {
        frame->is_incomplete = TRUE;
        return FALSE;
    }
    frame->is_incomplete = was_guess;
    frame->cfa = sp;
    ret_next->pc = pc;
    ret_next->sp = sp;
    ret_next->is_signal = frame->is_trampoline;
    read_registers (cursor, frame->is_trampoline, ret_next);
    return TRUE;
}

/* What is on top of the stack is where the thread came from. */
static gboolean
read_caller (Snapshot *snapshot, const MachineRegisters *registers, guint64 *ret_caller)
{
    unw_proc_info_t info;
    guint64 sp;

    return machine_call_read_return (registers, snapshot->memory, ret_caller, &sp)
           && find_proc_info (snapshot->modules->space, *ret_caller - 1, &info, 0, snapshot)
                  >= 0;
}

typedef enum { START_AS_IT_IS, START_AT_CALLER, START_AT_CALLER_GUESSED, START_IS_END } Start;

/* The pc is not in code, as after a call through a wild pointer: the return address is on top
 * of the stack, unless generated code has pushed more. */
static Start
judge_wild (Snapshot *snapshot, const MachineRegisters *registers)
{
    gboolean is_file = stack_modules_find_entry (snapshot->modules,
                                                 machine_registers_get_pc (registers))
                       != NULL;
    guint64 caller;

    if (!read_caller (snapshot, registers, &caller)) {
        return START_AS_IT_IS;
    }
    if (!stack_modules_is_code (snapshot->modules, machine_registers_get_pc (registers))) {
        return START_AT_CALLER;
    }
    return !is_file && is_behind_call (snapshot, caller) ? START_AT_CALLER_GUESSED
                                                         : START_AS_IT_IS;
}

/* The symbol that the pc is in, and how far; NULL. */
static const char *
find_symbol (StackModules *modules, const MachineRegisters *registers, guint64 *ret_offset)
{
    guint64 pc = machine_registers_get_pc (registers);
    StackModuleEntry *entry = stack_modules_find_entry (modules, pc);
    IndexImage *image = entry != NULL ? stack_module_open_image (modules, &entry->module)
                                      : NULL;

    return image != NULL
               ? index_image_find_symbol_at (image, pc - entry->module.bias, ret_offset)
               : NULL;
}

/* glibc's tables say nothing of the few instructions around the system call that makes a
 * thread: there the return address is on top of the stack, as at the entry, and the new thread
 * has none. */
static Start
judge_clone (Snapshot *snapshot, const char *name, const MachineRegisters *registers)
{
    static const char *const names[] = { "clone3", "__clone3", "clone", "__clone" };
    guint64 caller;

    for (guint i = 0; name != NULL && i < G_N_ELEMENTS (names); i++) {
        if (strcmp (name, names[i]) != 0) {
            continue;
        }
        if (read_caller (snapshot, registers, &caller) && is_behind_call (snapshot, caller)) {
            return START_AT_CALLER;
        }
        return machine_registers_get_result (registers, 0) == 0 ? START_IS_END : START_AS_IT_IS;
    }
    return START_AS_IT_IS;
}

/* A function of assembly that has no frame of its own: the address on top of the stack is behind a call of just
 * this function, or of a label in front of it. */
static Start
judge_frameless (Snapshot *snapshot, guint64 function, const MachineRegisters *registers)
{
    guint8 code[MACHINE_MAX_CALL];
    guint64 caller, word, target, sp;

    if (!machine_call_read_return (registers, snapshot->memory, &caller, &sp)
        || !read_word (snapshot, caller - sizeof code, &word)) {
        return START_AS_IT_IS;
    }
    memcpy (code, &word, sizeof code);
    if (!machine_code_find_called (code, sizeof code, caller, &target) || target > function
        || function - target > MAX_LABELS) {
        return START_AS_IT_IS;
    }
    return target == function ? START_AT_CALLER : START_AT_CALLER_GUESSED;
}

/* Where no table says how to go out of it. */
static Start
judge_start (Snapshot *snapshot, StackModules *modules, const MachineRegisters *registers)
{
    unw_proc_info_t info;
    const char *name;
    guint64 offset;
    Start how;

    if (find_proc_info (modules->space, machine_registers_get_pc (registers), &info, 0,
                        snapshot)
        >= 0) {
        return START_AS_IT_IS;
    }
    how = judge_wild (snapshot, registers);
    name = how == START_AS_IT_IS ? find_symbol (modules, registers, &offset) : NULL;
    if (name != NULL) {
        how = judge_clone (snapshot, name, registers);
    }
    if (name != NULL && how == START_AS_IT_IS) {
        how = judge_frameless (snapshot, machine_registers_get_pc (registers) - offset,
                               registers);
    }
    return how;
}

/* ---- by rows ---- */

/* One preserved register of the caller, by where the row has it. */
static void
follow_register (Snapshot *snapshot, const StackNativeFrame *frame, guint index,
                 gint32 saved_at, guint32 in_place, StackNativeFrame *ret_next)
{
    guint number = machine_preserved_numbers[index];
    guint32 bit = 1u << number;
    guint64 value = frame->registers[number];

    if (saved_at == STACK_ROW_UNDEFINED) {
        return;
    }
    if (saved_at == STACK_ROW_SAME) {
        ret_next->saved_at[index] = frame->saved_at[index];
        ret_next->unsaved |= in_place & bit;
        ret_next->valid |= frame->valid & bit;
    } else {
        ret_next->saved_at[index] = frame->cfa + (guint64) (gint64) saved_at;
        if (read_word (snapshot, ret_next->saved_at[index], &value)) {
            ret_next->valid |= bit;
        }
    }
    ret_next->registers[number] = (ret_next->valid & bit) != 0 ? value : 0;
}

typedef enum { PLAIN_STEP, PLAIN_END, PLAIN_NOT } Plain;

/* Goes from frame to its caller and sets frame's CFA. in_place: registers that no frame up to this one has saved. */
static Plain
step_plain (Snapshot *snapshot, const StackRow *row, guint32 in_place, StackNativeFrame *frame,
            StackNativeFrame *ret_next)
{
    guint32 bit = 1u << row->rule.number;

    memset (ret_next, 0, sizeof *ret_next);
    if (row->pc_at == STACK_ROW_UNDEFINED) {
        return PLAIN_END;
    }
    if ((frame->valid & bit) == 0) {
        return PLAIN_NOT;
    }
    ret_next->sp = frame->registers[row->rule.number] + (guint64) row->rule.offset;
    if (ret_next->sp <= frame->sp
        || !read_word (snapshot, ret_next->sp + (guint64) (gint64) row->pc_at, &ret_next->pc)) {
        return PLAIN_NOT;
    }
    if (ret_next->pc == 0) {
        return PLAIN_END;
    }
    frame->cfa = ret_next->sp;
    for (guint i = 0; i < MACHINE_N_PRESERVED; i++) {
        follow_register (snapshot, frame, i, row->saved_at[i], in_place, ret_next);
    }
    ret_next->registers[machine_sp_number] = ret_next->sp;
    ret_next->registers[machine_pc_number] = ret_next->pc;
    ret_next->valid |= 1u << machine_sp_number | 1u << machine_pc_number;
    return PLAIN_STEP;
}

static guint32
find_in_place (guint32 in_place, const StackRow *row)
{
    for (guint i = 0; i < MACHINE_N_PRESERVED; i++) {
        if (row->saved_at[i] != STACK_ROW_SAME) {
            in_place &= ~(1u << machine_preserved_numbers[i]);
        }
    }
    return in_place;
}

/* FALSE: some frame has no plain row, or is not where its callee's row has it; frames are as they were. */
static gboolean
walk_plain (Snapshot *snapshot, StackNativeFrame frame, guint max_frames, GArray *frames)
{
    guint before = frames->len;
    guint32 in_place = get_kept ();
    StackNativeFrame next;
    Plain how = PLAIN_STEP;

    while (how == PLAIN_STEP && frames->len < max_frames) {
        const StackRow *row = stack_find_row (snapshot->modules,
                                              frame.pc - (frames->len > before));

        how = row->is_plain ? step_plain (snapshot, row, in_place, &frame, &next) : PLAIN_NOT;
        if (how == PLAIN_NOT) {
            g_array_set_size (frames, before);
            return FALSE;
        }
        in_place = find_in_place (in_place, row);
        g_array_append_val (frames, frame);
        frame = next;
    }
    return TRUE;
}

/* ---- by libunwind ---- */

static void
walk (Snapshot *snapshot, unw_cursor_t *cursor, StackNativeFrame *frame, guint max_frames,
      GArray *frames)
{
    StackNativeFrame next;
    gboolean more = TRUE;

    while (more && frames->len < max_frames) {
        snapshot->is_innermost = frames->len == 0;
        more = step_out (snapshot, cursor, frame, &next);
        g_array_append_val (frames, *frame);
        *frame = next;
    }
}

GArray *
stack_unwind (StackModules *modules, BaseMemoryReader *memory,
              const MachineRegisters *registers, guint max_frames)
{
    return stack_unwind_known (modules, memory, registers, ALL_VALID, max_frames);
}

/* Steps out of a frame that no table tells of, as far as `how` says. FALSE: there is nothing outside. */
static gboolean
begin (Snapshot *snapshot, Start how, guint32 known, MachineRegisters *start,
       StackNativeFrame *frame, GArray *frames)
{
    guint64 caller = 0, sp;
    gboolean is_out = FALSE;

    if (how == START_AT_CALLER || how == START_AT_CALLER_GUESSED) {
        machine_call_read_return (start, snapshot->memory, &caller, &sp);
        machine_registers_set_pc (start, caller);
        machine_registers_set_sp (start, sp);
        frame->is_incomplete = how == START_AT_CALLER_GUESSED;
        is_out = TRUE;
    } else {
        is_out = stack_step_to_other_stack (snapshot->modules, snapshot->memory, start);
    }
    if (is_out) {
        frame->cfa = machine_registers_get_sp (start);
        g_array_append_val (frames, *frame);
        memset (frame, 0, sizeof *frame);
        fill_innermost (start, known & get_kept (), frame);
    }
    return how != START_IS_END;
}

/* Where rows are not enough. */
static void
walk_by_library (Snapshot *snapshot, guint32 known, guint max, StackNativeFrame frame,
                 GArray *frames)
{
    MachineRegisters start = *snapshot->registers;
    unw_cursor_t cursor;

    if (!begin (snapshot, judge_start (snapshot, snapshot->modules, &start), known, &start,
                &frame, frames)) {
        g_array_append_val (frames, frame);
    } else if (frames->len < max) {
        snapshot->registers = &start;
        if (snapshot->modules->space == NULL
            || stack_library_get ()->init_remote (&cursor, snapshot->modules->space, snapshot)
                   < 0) {
            frame.is_incomplete = TRUE;
            g_array_append_val (frames, frame);
        } else {
            walk (snapshot, &cursor, &frame, max, frames);
        }
    }
}

static GArray *
unwind (StackModules *modules, BaseMemoryReader *memory, const MachineRegisters *registers,
        guint32 known, guint max_frames, gboolean may_be_plain)
{
    GArray *frames = g_array_new (FALSE, TRUE, sizeof (StackNativeFrame));
    guint max = max_frames == 0 ? MAX_FRAMES : MIN (max_frames, MAX_FRAMES);
    StackNativeFrame frame = { 0 };
    Snapshot snapshot;

    init_snapshot (&snapshot, modules, memory, registers);
    snapshot.known = known;
    fill_innermost (registers, known, &frame);
    if (!may_be_plain || !walk_plain (&snapshot, frame, max, frames)) {
        walk_by_library (&snapshot, known, max, frame, frames);
    }
    clear_snapshot (&snapshot);
    return frames;
}

GArray *
stack_unwind_known (StackModules *modules, BaseMemoryReader *memory,
                    const MachineRegisters *registers, guint32 known, guint max_frames)
{
    return unwind (modules, memory, registers, known, max_frames, TRUE);
}

GArray *
stack_unwind_by_library (StackModules *modules, BaseMemoryReader *memory,
                         const MachineRegisters *registers, guint32 known)
{
    return unwind (modules, memory, registers, known, 0, FALSE);
}
