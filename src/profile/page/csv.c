/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One value a row, so that all tables of the page fit into one: the number of the row in its table, its
 * name, and the column's name, unit and value. */
#include "profile/page/private.h"

static void
append_row (GString *to, const char *section, guint row, const char *name, const char *quantity,
            const char *unit, const char *value)
{
    profile_text_append_csv (to, section);
    g_string_append_printf (to, ",%u,", row);
    profile_text_append_csv (to, name);
    g_string_append_c (to, ',');
    profile_text_append_csv (to, quantity);
    g_string_append_c (to, ',');
    profile_text_append_csv (to, unit != NULL ? unit : "");
    g_string_append_c (to, ',');
    profile_text_append_csv (to, value != NULL ? value : PROFILE_NOT_MEASURED);
    g_string_append (to, "\r\n");
}

/* A table's first column names its rows, unless it is a number. */
static void
append_table (GString *to, const char *section, const ProfileBlock *block)
{
    gboolean has_names = !profile_column_is_number (&g_array_index (block->columns,
                                                                    ProfileColumn, 0))
                         && block->style != PROFILE_TABLE_CARDS;

    for (guint row = 0; row < profile_block_get_n_rows (block); row++) {
        const char *name = has_names ? profile_block_get_cell (block, row, 0) : "";

        for (guint i = has_names ? 1 : 0; i < block->columns->len; i++) {
            const ProfileColumn *column = &g_array_index (block->columns, ProfileColumn, i);

            append_row (to, section, row + 1, name != NULL ? name : "", column->title,
                        column->unit, profile_block_get_cell (block, row, i));
        }
    }
}

char *
profile_page_format_csv (const ProfilePage *page)
{
    GString *to = g_string_new ("section,row,name,quantity,unit,value\r\n");

    append_row (to, "", 0, "", "title", NULL, page->title);
    for (guint i = 0; i < page->sections->len; i++) {
        const ProfileSection *section = g_ptr_array_index (page->sections, i);

        for (guint j = 0; j < section->blocks->len; j++) {
            const ProfileBlock *block = g_ptr_array_index (section->blocks, j);

            if (block->kind == PROFILE_BLOCK_TABLE) {
                append_table (to, section->title, block);
            } else if (block->kind != PROFILE_BLOCK_TIMELINE) {
                append_row (to, section->title, 0, "", "text", NULL, block->text);
            }
        }
    }
    return g_string_free (to, FALSE);
}
