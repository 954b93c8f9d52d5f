/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Call frame instructions (DWARF 5 section 6.4.2, as .eh_frame has them: LSB core, section
 * 10.6) at one pc: finds the canonical frame address as register plus offset, for callers that
 * need it often without outer frames, and unwinds code that is about to switch stacks, like
 * longjmp, which libunwind cannot. */
#include "stack/modules-private.h"
#include "stack/table-private.h"
#include "base/cursor.h"
#include "machine/code.h"
#include <string.h>

#define MAX_RECORD 65536u
#define N_REMEMBERED 8u
#define MAX_ROWS 16384u /* of a file */
#define MAX_CODE (256u << 10)
#define NO_NUMBER MACHINE_N_GENERAL

typedef struct {
    guint64 address; /* of its length word */
    guint8 *bytes;   /* from there on, with the length word */
    gsize size;
} Record;

typedef struct {
    guint64 code_align;
    gint64 data_align;
    guint8 encoding;
    gboolean has_augmentation;
    gsize instructions; /* offset in the record */
} Common;

/* Where the caller's value of a register is: unchanged; in memory at an offset from the CFA; in
 * another register; nowhere; or somewhere unsupported. */
typedef enum {
    PLACE_SAME,
    PLACE_MEMORY,
    PLACE_REGISTER,
    PLACE_UNDEFINED,
    PLACE_OTHER
} PlaceKind;

typedef struct {
    PlaceKind kind;
    gint64 value;
} Place;

typedef struct {
    StackCfaRule rule;
    gboolean is_known;
    Place places[MACHINE_N_GENERAL];
} State;

typedef struct {
    State state, initial; /* initial: as the CIE has it */
    State remembered[N_REMEMBERED];
    guint n_remembered;
    guint64 at; /* first pc of the row that is being described */
} Row;

static gboolean
read_record (const StackModules *modules, guint64 address, Record *record)
{
    guint32 length;

    if (!stack_modules_read_file (modules, address, &length, sizeof length) || length < 8
        || length > MAX_RECORD) {
        return FALSE;
    }
    record->address = address;
    record->size = (gsize) length + sizeof length;
    record->bytes = g_malloc (record->size);
    return stack_modules_read_file (modules, address, record->bytes, record->size);
}

static gboolean
read_common (const Record *record, Common *common)
{
    BaseCursor cursor = BASE_CURSOR_INIT (record->bytes, record->size);
    const char *augmentation;
    guint8 version;
    guint64 size;
    gsize begin;

    base_cursor_skip (&cursor, 8);
    version = base_cursor_read_u8 (&cursor);
    augmentation = base_cursor_read_string (&cursor);
    if (cursor.failed || (version != 1 && version != 3)
        || (*augmentation != '\0' && *augmentation != 'z')) {
        return FALSE;
    }
    common->code_align = base_cursor_read_uleb (&cursor);
    common->data_align = base_cursor_read_sleb (&cursor);
    if (version == 1) {
        base_cursor_read_u8 (&cursor);
    } else {
        base_cursor_read_uleb (&cursor);
    }
    common->encoding = STACK_TABLE_ABSOLUTE;
    common->has_augmentation = *augmentation == 'z';
    size = common->has_augmentation ? base_cursor_read_uleb (&cursor) : 0;
    begin = cursor.offset;
    for (const char *c = augmentation + common->has_augmentation; *c != '\0' && !cursor.failed;
         c++) {
        if (*c == 'R') {
            common->encoding = base_cursor_read_u8 (&cursor);
        } else if (*c == 'L') {
            base_cursor_read_u8 (&cursor);
        } else if (*c == 'P') {
            guint kind = base_cursor_read_u8 (&cursor) & 7u;

            base_cursor_skip (&cursor, kind == 0 || kind == 4 ? 8 : kind == 2 ? 2 : 4);
        } else {
            return FALSE; /* a signal's frame, or something new */
        }
    }
    base_cursor_seek (&cursor, begin);
    base_cursor_skip (&cursor, size);
    common->instructions = cursor.offset;
    return !cursor.failed;
}

/* ---- instructions ---- */

static gboolean
set_rule (Row *row, guint64 number, gint64 offset)
{
    row->state.rule.number = (guint) MIN (number, NO_NUMBER);
    row->state.rule.offset = offset;
    row->state.is_known = number < NO_NUMBER;
    return TRUE;
}

static gboolean
keep_state (Row *row, gboolean is_remembered)
{
    if (is_remembered) {
        row->remembered[row->n_remembered % N_REMEMBERED] = row->state;
        return row->n_remembered++ < N_REMEMBERED;
    }
    if (row->n_remembered == 0) {
        return FALSE;
    }
    row->state = row->remembered[--row->n_remembered];
    return TRUE;
}

static void
set_place (Row *row, guint64 number, PlaceKind kind, gint64 value)
{
    if (number < MACHINE_N_GENERAL) {
        row->state.places[number] = (Place){ kind, value };
    }
}

static void
restore_place (Row *row, guint64 number)
{
    if (number < MACHINE_N_GENERAL) {
        row->state.places[number] = row->initial.places[number];
    }
}

/* Instructions about where one register is. FALSE: it is none of them. */
static gboolean
take_place (BaseCursor *cursor, guint8 code, const Common *common, Row *row)
{
    guint64 number;

    if (!((code >= 0x05 && code <= 0x09) || code == 0x10 || code == 0x11
          || (code >= 0x14 && code <= 0x16) || code == 0x2f)) {
        return FALSE;
    }
    number = base_cursor_read_uleb (cursor);
    switch (code) {
    case 0x05: /* offset_extended */
        set_place (row, number, PLACE_MEMORY,
                   (gint64) base_cursor_read_uleb (cursor) * common->data_align);
        return TRUE;
    case 0x11: /* offset_extended_sf */
        set_place (row, number, PLACE_MEMORY,
                   base_cursor_read_sleb (cursor) * common->data_align);
        return TRUE;
    case 0x06: /* restore_extended */ restore_place (row, number); return TRUE;
    case 0x07: /* undefined */ set_place (row, number, PLACE_UNDEFINED, 0); return TRUE;
    case 0x08: /* same_value */ set_place (row, number, PLACE_SAME, 0); return TRUE;
    case 0x09: /* register */
        set_place (row, number, PLACE_REGISTER, (gint64) base_cursor_read_uleb (cursor));
        return TRUE;
    case 0x10:
    case 0x16: /* expression, val_expression */
        base_cursor_skip (cursor, base_cursor_read_uleb (cursor));
        break;
    default: /* val_offset, val_offset_sf, GNU_negative_offset_extended: one number */
        base_cursor_read_uleb (cursor);
        break;
    }
    set_place (row, number, PLACE_OTHER, 0);
    return TRUE;
}

/* Those whose two highest bits are 0. FALSE: the rule cannot be told beyond it. */
static gboolean
take_extended (BaseCursor *cursor, guint8 code, const Common *common, Row *row)
{
    guint64 number;

    switch (code) {
    case 0x00: /* nop */ return TRUE;
    case 0x02:
    case 0x03:
    case 0x04: /* advance_loc1, 2, 4 */
        row->at += base_cursor_read_uint (cursor, 1u << (code - 2)) * common->code_align;
        return TRUE;
    case 0x2e: /* GNU_args_size */ base_cursor_read_uleb (cursor); return TRUE;
    case 0x0a:
    case 0x0b: /* remember_state, restore_state */ return keep_state (row, code == 0x0a);
    case 0x0c: /* def_cfa */
        number = base_cursor_read_uleb (cursor);
        return set_rule (row, number, (gint64) base_cursor_read_uleb (cursor));
    case 0x12: /* def_cfa_sf */
        number = base_cursor_read_uleb (cursor);
        return set_rule (row, number, base_cursor_read_sleb (cursor) * common->data_align);
    case 0x0d: /* def_cfa_register */
        return set_rule (row, base_cursor_read_uleb (cursor), row->state.rule.offset);
    case 0x0e: /* def_cfa_offset */
        return set_rule (row, row->state.rule.number, (gint64) base_cursor_read_uleb (cursor));
    case 0x13: /* def_cfa_offset_sf */
        return set_rule (row, row->state.rule.number,
                         base_cursor_read_sleb (cursor) * common->data_align);
    case 0x0f: /* def_cfa_expression */
        base_cursor_skip (cursor, base_cursor_read_uleb (cursor));
        row->state.is_known = FALSE;
        return TRUE;
    default: return take_place (cursor, code, common, row);
    }
}

static gboolean
run (BaseCursor *cursor, const Common *common, guint64 pc, Row *row)
{
    while (base_cursor_get_left (cursor) > 0 && !cursor->failed) {
        guint8 code = base_cursor_read_u8 (cursor);
        State before = row->state;

        switch (code >> 6) {
        case 1: /* advance_loc */ row->at += (code & 63u) * common->code_align; break;
        case 2: /* offset */
            set_place (row, code & 63u, PLACE_MEMORY,
                       (gint64) base_cursor_read_uleb (cursor) * common->data_align);
            break;
        case 3: /* restore */ restore_place (row, code & 63u); break;
        default:
            if (!take_extended (cursor, code, common, row)) {
                return FALSE;
            }
        }
        if (row->at > pc) {
            row->state = before;
            return !cursor->failed;
        }
    }
    return !cursor->failed;
}

/* ---- finding ---- */

/* The pair of the search table that pc belongs to: address of its FDE. */
static gboolean
find_fde (const StackModules *modules, const StackModuleEntry *entry, guint64 pc,
          guint64 *ret_fde)
{
    gboolean is_ours = entry->table != NULL;
    guint64 base = is_ours ? entry->module.start : entry->module.eh_frame_hdr;
    guint64 low = 0, high = is_ours ? entry->table_count : entry->module.fde_count;
    gint32 pair[2];

    if (base == 0) {
        return FALSE;
    }
    while (low < high) {
        guint64 middle = low + (high - low) / 2;
        gboolean is_read = is_ours
                               ? stack_file_read (entry->table, middle * 8, pair, sizeof pair)
                               : stack_modules_read_file (modules, base + 12 + middle * 8, pair,
                                                          sizeof pair);

        if (!is_read) {
            return FALSE;
        }
        if (base + (guint64) (gint64) pair[0] > pc) {
            high = middle;
        } else {
            low = middle + 1;
            *ret_fde = base + (guint64) (gint64) pair[1];
        }
    }
    return low > 0;
}

/* Reads the FDE's range of code; leaves the cursor after it. */
static gboolean
read_range (BaseCursor *cursor, const Record *record, const StackModule *module,
            guint8 encoding, guint64 *ret_start, guint64 *ret_end)
{
    guint64 size;

    base_cursor_skip (cursor, 8);
    if (!stack_table_read_range (cursor, record->address + 8, module->bias, encoding, ret_start,
                                 &size)) {
        return FALSE;
    }
    *ret_end = *ret_start + size;
    return TRUE;
}

static gboolean
find_row (const Record *fde, const Record *cie, const StackModule *module, guint64 pc, Row *row)
{
    BaseCursor cursor = BASE_CURSOR_INIT (fde->bytes, fde->size);
    BaseCursor initial = BASE_CURSOR_INIT (cie->bytes, cie->size);
    Common common = { 0 };
    guint64 start, end;

    if (!read_common (cie, &common)
        || !read_range (&cursor, fde, module, common.encoding, &start, &end) || pc < start
        || pc >= end) {
        return FALSE;
    }
    if (common.has_augmentation) {
        base_cursor_skip (&cursor, base_cursor_read_uleb (&cursor));
    }
    row->at = start;
    base_cursor_seek (&initial, common.instructions);
    if (cursor.failed || !run (&initial, &common, pc, row)) {
        return FALSE;
    }
    row->initial = row->state;
    return run (&cursor, &common, pc, row);
}

static gboolean
find_state (const StackModules *modules, const StackModuleEntry *entry, guint64 pc,
            State *ret_state)
{
    Record fde = { 0 }, cie = { 0 };
    Row row = { 0 };
    guint64 address = 0;
    guint32 back;
    gboolean found = FALSE;

    if (find_fde (modules, entry, pc, &address) && read_record (modules, address, &fde)) {
        memcpy (&back, fde.bytes + 4, sizeof back);
        found = back != 0 && read_record (modules, address + 4 - back, &cie)
                && find_row (&fde, &cie, &entry->module, pc, &row) && row.state.is_known;
    }
    g_free (fde.bytes);
    g_free (cie.bytes);
    if (found) {
        *ret_state = row.state;
    }
    return found;
}

/* ---- rows that were found before ---- */

/* Where the caller's value is, as an offset from the CFA. */
static gint32
pack_place (const Place *place)
{
    return place->kind == PLACE_SAME     ? STACK_ROW_SAME
           : place->kind == PLACE_MEMORY ? (gint32) place->value
                                         : STACK_ROW_UNDEFINED;
}

static gboolean
is_plain_place (const Place *place)
{
    return place->kind == PLACE_SAME || place->kind == PLACE_UNDEFINED
           || (place->kind == PLACE_MEMORY && ABS (place->value) < STACK_ROW_SAME);
}

static void
fill_row (const State *state, StackRow *row)
{
    const Place *pc = &state->places[machine_pc_number];

    row->rule = state->rule;
    row->has_other_stack = state->places[machine_sp_number].kind == PLACE_REGISTER;
    row->is_plain = state->places[machine_sp_number].kind == PLACE_SAME
                    && pc->kind != PLACE_SAME && is_plain_place (pc);
    row->pc_at = pack_place (pc);
    for (guint i = 0; i < MACHINE_N_PRESERVED; i++) {
        const Place *place = &state->places[machine_preserved_numbers[i]];

        row->is_plain = row->is_plain && is_plain_place (place);
        row->saved_at[i] = pack_place (place);
    }
}

/* Whatever process has mapped the file, its tables say the same. */
static StackRow *
find_known (StackModules *modules, guint64 pc)
{
    static StackRow none = { .rule.number = NO_NUMBER };
    const StackModuleEntry *entry = stack_modules_find_entry (modules, pc);
    GHashTable *rows = entry != NULL ? stack_file_get_rows (entry->file) : NULL;
    guint64 address = entry != NULL ? pc - entry->module.bias : 0;
    StackRow *row;
    State state;

    if (rows == NULL) {
        return &none;
    }
    row = g_hash_table_lookup (rows, &address);
    if (row == NULL) {
        if (g_hash_table_size (rows) >= MAX_ROWS) {
            g_hash_table_remove_all (rows);
        }
        row = g_new0 (StackRow, 1);
        row->address = address;
        row->rule.number = NO_NUMBER;
        if (find_state (modules, entry, pc, &state)) {
            fill_row (&state, row);
        }
        g_hash_table_add (rows, row);
    }
    return row;
}

const StackRow *
stack_find_row (StackModules *modules, guint64 pc)
{
    return find_known (modules, pc);
}

gboolean
stack_find_cfa_rule (StackModules *modules, guint64 pc, StackCfaRule *ret_rule)
{
    const StackRow *known = find_known (modules, pc);

    if (known->rule.number == NO_NUMBER || known->has_other_stack) {
        return FALSE;
    }
    *ret_rule = known->rule;
    return TRUE;
}

gboolean
stack_find_code_range (StackModules *modules, guint64 pc, guint64 *ret_start, guint64 *ret_end)
{
    const StackModuleEntry *entry = stack_modules_find_entry (modules, pc);
    Record fde = { 0 }, cie = { 0 };
    guint64 address = 0, start = 0, end = 0;
    guint32 back;
    gboolean found = FALSE;

    if (entry != NULL && find_fde (modules, entry, pc, &address)
        && read_record (modules, address, &fde)) {
        BaseCursor cursor = BASE_CURSOR_INIT (fde.bytes, fde.size);
        Common common = { 0 };

        memcpy (&back, fde.bytes + 4, sizeof back);
        found = back != 0 && read_record (modules, address + 4 - back, &cie)
                && read_common (&cie, &common)
                && read_range (&cursor, &fde, &entry->module, common.encoding, &start, &end)
                && pc >= start && pc < end;
    }
    g_free (fde.bytes);
    g_free (cie.bytes);
    *ret_start = found ? start : *ret_start;
    *ret_end = found ? end : *ret_end;
    return found;
}

/* By the instructions from the function's beginning to pc. */
static gint64
find_depth (StackModules *modules, guint64 pc, const StackCfaRule *rule)
{
    guint64 start, end;
    StackCfaRule first;
    gint64 depth = -1;

    if (stack_find_code_range (modules, pc, &start, &end) && end - start <= MAX_CODE
        && stack_find_cfa_rule (modules, start, &first) && first.number == machine_sp_number) {
        g_autofree guint8 *code = g_malloc (end - start);

        if (!stack_modules_read_file (modules, start, code, end - start)
            || !machine_code_find_depth (code, end - start, pc - start, first.offset,
                                         rule->offset, &depth)
            || depth <= 0) {
            depth = -1;
        }
    }
    return depth;
}

gboolean
stack_find_frame_pointer (StackModules *modules, guint64 pc, guint64 sp, guint64 *ret_pointer)
{
    StackRow *known;
    StackCfaRule rule;
    gint64 depth;

    if (!stack_find_cfa_rule (modules, pc, &rule) || rule.number != machine_fp_number) {
        return FALSE;
    }
    depth = find_known (modules, pc)->depth;
    if (depth == 0) {
        depth = find_depth (modules, pc, &rule);
        known = find_known (modules, pc);
        known->depth = depth;
    }
    *ret_pointer = sp + (guint64) (depth - rule.offset);
    return depth > 0;
}

/* ---- onto another stack ---- */

static gboolean
read_place (const Place *place, BaseMemoryReader *memory, const MachineRegisters *registers,
            guint number, guint64 cfa, guint64 *ret_value)
{
    switch (place->kind) {
    case PLACE_SAME: return machine_registers_get (registers, number, ret_value);
    case PLACE_REGISTER:
        return machine_registers_get (registers, (guint) place->value, ret_value);
    case PLACE_MEMORY:
        return base_memory_read_u64 (memory, cfa + (guint64) place->value, ret_value, NULL);
    default: return FALSE;
    }
}

gboolean
stack_step_to_other_stack (StackModules *modules, BaseMemoryReader *memory,
                           MachineRegisters *registers)
{
    guint8 needed[MACHINE_N_PRESERVED + 2];
    MachineRegisters caller = *registers;
    State state;
    guint64 base, value;

    if (!find_known (modules, machine_registers_get_pc (registers))->has_other_stack
        || !find_state (modules,
                        stack_modules_find_entry (modules,
                                                  machine_registers_get_pc (registers)),
                        machine_registers_get_pc (registers), &state)
        || !machine_registers_get (registers, state.rule.number, &base)) {
        return FALSE;
    }
    memcpy (needed, machine_preserved_numbers, MACHINE_N_PRESERVED);
    needed[MACHINE_N_PRESERVED] = machine_sp_number;
    needed[MACHINE_N_PRESERVED + 1] = machine_pc_number;
    for (guint i = 0; i < G_N_ELEMENTS (needed); i++) {
        if (!read_place (&state.places[needed[i]], memory, registers, needed[i],
                         base + (guint64) state.rule.offset, &value)) {
            return FALSE;
        }
        machine_registers_set (&caller, needed[i], value);
    }
    if (stack_modules_find_entry (modules, machine_registers_get_pc (&caller)) == NULL
        || machine_registers_get_pc (&caller) == machine_registers_get_pc (registers)) {
        return FALSE;
    }
    *registers = caller;
    return TRUE;
}
