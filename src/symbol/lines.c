/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the line number program (DWARF 4 and 5 section 6.2): header tables and state machine. */
#include "symbol/lines.h"
#include "base/array.h"
#include "index/format.h"

#define MAX_FILES 100000

typedef struct {
    const SymbolDwarf *dwarf;
    const SymbolUnit *unit;
    BaseCursor cursor;
    guint version, offset_size, minimum_length, opcode_base, line_range;
    GArray *array;  /* of the caller; NULL: no rows */
    IndexRow *rows; /* its content */
    guint first_row, n_rows, room;
    guint32 advance[256]; /* of special opcodes: bytes, and lines */
    gint16 move[256];
    gboolean default_stmt;
    gint line_base;
    guint8 lengths[256];
    GPtrArray *folders;
    SymbolLines *lines;
} Program;

BASE_FREE_PUBLIC (symbol_lines_free, SymbolLines, lines, g_ptr_array_unref (lines->files))

static char *
join_path (const char *folder, const char *name)
{
    if (!name)
        return NULL;
    if (name[0] == '/' || !folder || !folder[0])
        return g_path_is_absolute (name) ? g_canonicalize_filename (name, "/")
                                         : g_strdup (name);
    if (folder[0] != '/')
        return g_build_filename (folder, name, NULL);
    return g_canonicalize_filename (name, folder);
}

static void
add_folder (Program *program, const char *name)
{
    g_ptr_array_add (program->folders, join_path (program->unit->comp_dir, name));
}

static void
add_file (Program *program, const char *name, guint64 folder)
{
    const char *base = folder < program->folders->len ? program->folders->pdata[folder] : NULL;
    g_ptr_array_add (program->lines->files, join_path (base, name));
}

static void
read_old_tables (Program *program)
{
    BaseCursor *cursor = &program->cursor;
    add_folder (program, program->unit->comp_dir);
    while (!cursor->failed && program->folders->len < MAX_FILES) {
        const char *name = base_cursor_read_string (cursor);
        if (!name || !name[0])
            break;
        add_folder (program, name);
    }
    add_file (program, program->unit->name, 0);
    while (!cursor->failed && program->lines->files->len < MAX_FILES) {
        const char *name = base_cursor_read_string (cursor);
        if (!name || !name[0])
            break;
        guint64 folder = base_cursor_read_uleb (cursor);
        base_cursor_read_uleb (cursor);
        base_cursor_read_uleb (cursor);
        add_file (program, name, folder);
    }
}

/* One attribute of an entry; strings and numbers are all that the tables need. */
static void
read_entry_form (Program *program, guint64 form, const char **string, guint64 *number)
{
    SymbolUnit unit = *program->unit; /* whose strings they are */
    SymbolValue value = { 0 };
    unit.offset_size = program->offset_size;
    symbol_value_read (program->dwarf, &unit, &program->cursor, form, &value);
    *string = value.string;
    *number = value.number;
}

static void
read_new_table (Program *program, gboolean is_files)
{
    BaseCursor *cursor = &program->cursor;
    guint64 formats[32][2];
    guint n_formats = base_cursor_read_u8 (cursor);
    if (n_formats > G_N_ELEMENTS (formats))
        cursor->failed = TRUE;
    for (guint i = 0; i < n_formats && !cursor->failed; i++) {
        formats[i][0] = base_cursor_read_uleb (cursor);
        formats[i][1] = base_cursor_read_uleb (cursor);
    }
    guint64 n = base_cursor_read_uleb (cursor);
    for (guint64 i = 0; i < n && i < MAX_FILES && n_formats && !cursor->failed; i++) {
        const char *name = NULL;
        guint64 folder = 0;
        for (guint j = 0; j < n_formats && !cursor->failed; j++) {
            const char *string = NULL;
            guint64 number = 0;
            read_entry_form (program, formats[j][1], &string, &number);
            if (formats[j][0] == DW_LNCT_path)
                name = string;
            else if (formats[j][0] == DW_LNCT_directory_index)
                folder = number;
        }
        if (cursor->failed)
            break;
        if (is_files)
            add_file (program, name, folder);
        else
            add_folder (program, name);
    }
}

static gboolean
read_header (Program *program)
{
    BaseCursor *cursor = &program->cursor;
    base_cursor_seek (cursor, program->unit->stmt_list);
    guint64 length = base_cursor_read_u32 (cursor);
    program->offset_size = 4;
    if (length == 0xffffffff) {
        program->offset_size = 8;
        length = base_cursor_read_u64 (cursor);
    }
    if (cursor->failed || length > base_cursor_get_left (cursor))
        return FALSE;
    cursor->size = cursor->offset + length;
    program->version = base_cursor_read_u16 (cursor);
    if (program->version < 2 || program->version > 5)
        return FALSE;
    if (program->version >= 5)
        base_cursor_skip (cursor, 2);
    guint64 header = base_cursor_read_uint (cursor, program->offset_size);
    if (cursor->failed || header > base_cursor_get_left (cursor))
        return FALSE;
    guint64 start = cursor->offset + header;
    program->minimum_length = base_cursor_read_u8 (cursor);
    if (program->version >= 4)
        base_cursor_skip (cursor, 1);
    program->default_stmt = base_cursor_read_u8 (cursor) != 0;
    program->line_base = (gint8) base_cursor_read_u8 (cursor);
    program->line_range = base_cursor_read_u8 (cursor);
    program->opcode_base = base_cursor_read_u8 (cursor);
    for (guint i = 1; i < program->opcode_base; i++)
        program->lengths[i] = base_cursor_read_u8 (cursor);
    if (cursor->failed || !program->line_range || !program->opcode_base)
        return FALSE;
    if (program->version >= 5) {
        read_new_table (program, FALSE);
        read_new_table (program, TRUE);
    } else {
        read_old_tables (program);
    }
    gboolean good = !cursor->failed;
    cursor->failed = FALSE;
    base_cursor_seek (cursor, start);
    return good;
}

typedef struct {
    guint64 address;
    guint64 file;
    gint64 line;
    guint flags;                   /* INDEX_ROW_STMT, INDEX_ROW_PROLOGUE_END */
    gboolean has_part, is_divided; /* a discriminator is set; one was, since the line began */
} State;

/* As in gdb's reader: where discriminators divide a line into the parts of one statement, only the first of
 * its rows begins it. */
static inline guint
find_goes_on (const Program *program, State *state)
{
    const IndexRow *last = program->n_rows > program->first_row
                               ? &program->rows[program->n_rows - 1]
                               : NULL;
    gboolean is_same = last && !(last->flags & INDEX_ROW_END) && last->line == state->line
                       && last->file == state->file;
    state->is_divided = state->has_part || (is_same && state->is_divided);
    state->has_part = FALSE;
    return is_same && (last->flags & INDEX_ROW_STMT) && state->is_divided ? INDEX_ROW_GOES_ON
                                                                          : 0;
}

static void
grow_rows (Program *program)
{
    program->room = program->room * 2 + 1024;
    g_array_set_size (program->array, program->room);
    program->rows = (IndexRow *) (gpointer) program->array->data;
}

static inline void
emit_row (Program *program, State *state, guint extra)
{
    if (G_UNLIKELY (program->n_rows == program->room))
        grow_rows (program);
    guint goes_on = find_goes_on (program, state);
    program->rows[program->n_rows++]
        = (IndexRow){ state->address, (guint32) MIN (state->file, G_MAXUINT32),
                      state->line > 0 && state->line < INDEX_MAX_LINE ? state->line : 0,
                      state->flags | extra | goes_on };
    state->flags &= ~INDEX_ROW_PROLOGUE_END;
}

static void
reset_state (const Program *program, State *state)
{
    *state = (State){ 0, 1, 1, program->default_stmt ? INDEX_ROW_STMT : 0, FALSE, FALSE };
}

static void
run_extended (Program *program, State *state)
{
    BaseCursor *cursor = &program->cursor;
    guint64 length = base_cursor_read_uleb (cursor);
    if (!length || length > base_cursor_get_left (cursor)) {
        cursor->failed = TRUE;
        return;
    }
    guint64 end = cursor->offset + length;
    switch (base_cursor_read_u8 (cursor)) {
    case DW_LNE_end_sequence:
        emit_row (program, state, INDEX_ROW_END);
        reset_state (program, state);
        break;
    case DW_LNE_set_address:
        if (length - 1 <= 8 && length > 1)
            state->address = base_cursor_read_uint (cursor, length - 1);
        break;
    case DW_LNE_set_discriminator: state->has_part = base_cursor_read_uleb (cursor) != 0; break;
    case DW_LNE_define_file: {
        const char *name = base_cursor_read_string (cursor);
        guint64 folder = base_cursor_read_uleb (cursor);
        if (!cursor->failed && program->lines->files->len < MAX_FILES)
            add_file (program, name, folder);
        break;
    }
    default: break;
    }
    base_cursor_seek (cursor, end);
}

static void
run_standard (Program *program, State *state, guint opcode)
{
    BaseCursor *cursor = &program->cursor;
    guint step = (255 - program->opcode_base) / program->line_range;
    switch (opcode) {
    case DW_LNS_copy: emit_row (program, state, 0); break;
    case DW_LNS_advance_pc:
        state->address += base_cursor_read_uleb (cursor) * program->minimum_length;
        break;
    case DW_LNS_advance_line:
        state->line = (gint64) ((guint64) state->line + base_cursor_read_sleb (cursor));
        break;
    case DW_LNS_set_file: state->file = base_cursor_read_uleb (cursor); break;
    case DW_LNS_negate_stmt: state->flags ^= INDEX_ROW_STMT; break;
    case DW_LNS_const_add_pc: state->address += (guint64) step * program->minimum_length; break;
    case DW_LNS_fixed_advance_pc: state->address += base_cursor_read_u16 (cursor); break;
    case DW_LNS_set_prologue_end: state->flags |= INDEX_ROW_PROLOGUE_END; break;
    default:
        for (guint i = 0; i < program->lengths[opcode]; i++)
            base_cursor_read_uleb (cursor);
    }
}

static void
make_special (Program *program)
{
    for (guint opcode = program->opcode_base; opcode < 256; opcode++) {
        guint adjusted = opcode - program->opcode_base;
        program->advance[opcode] = adjusted / program->line_range * program->minimum_length;
        program->move[opcode] = program->line_base + (gint) (adjusted % program->line_range);
    }
}

static void
run_program (Program *program)
{
    BaseCursor *cursor = &program->cursor;
    guint before = program->array->len;
    State state;
    program->room = program->n_rows = program->first_row = before;
    program->rows = (IndexRow *) (gpointer) program->array->data;
    make_special (program);
    reset_state (program, &state);
    while (!cursor->failed && cursor->offset < cursor->size) {
        guint opcode = cursor->data[cursor->offset++];
        if (opcode >= program->opcode_base) {
            state.address += program->advance[opcode];
            state.line += program->move[opcode];
            emit_row (program, &state, 0);
        } else if (opcode == 0) {
            run_extended (program, &state);
        } else {
            run_standard (program, &state, opcode);
        }
    }
    while (program->n_rows > before
           && !(program->rows[program->n_rows - 1].flags & INDEX_ROW_END))
        program->n_rows--;
    g_array_set_size (program->array, program->n_rows);
}

SymbolLines *
symbol_lines_read (const SymbolDwarf *dwarf, const SymbolUnit *unit, GArray *rows)
{
    SymbolLines *lines = g_new0 (SymbolLines, 1);
    lines->files = g_ptr_array_new_with_free_func (g_free);
    if (!unit->has_lines)
        return lines;
    g_autoptr (GPtrArray) folders = g_ptr_array_new_with_free_func (g_free);
    Program program = { .dwarf = dwarf,
                        .unit = unit,
                        .cursor = unit->part->line,
                        .folders = folders,
                        .lines = lines,
                        .array = rows };
    if (read_header (&program) && rows)
        run_program (&program);
    return lines;
}
