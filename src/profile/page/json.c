/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/page/private.h"
#include "base/json.h"
#include <string.h>

static void
put_string (GString *json, const char *text)
{
    base_json_append_string (json, text, strlen (text));
}

static void
put_columns (GString *json, const ProfileBlock *block)
{
    g_string_append (json, "\"columns\":[");
    for (guint i = 0; i < block->columns->len; i++) {
        const ProfileColumn *column = &g_array_index (block->columns, ProfileColumn, i);

        g_string_append (json, i > 0 ? ",{\"title\":" : "{\"title\":");
        put_string (json, column->title);
        if (column->unit != NULL) {
            g_string_append (json, ",\"unit\":");
            put_string (json, column->unit);
        }
        g_string_append_c (json, '}');
    }
    g_string_append_c (json, ']');
}

/* A column of numbers may have a word in one row, such as "others"; what C calls nan or inf is no number of
 * JSON either. */
static gboolean
is_number (const char *text)
{
    char *end;

    g_ascii_strtod (text, &end);
    return *text != '\0' && *end == '\0' && strspn (text, "-+.0123456789e") == strlen (text);
}

/* null: not measured. */
static void
put_cell (GString *json, const ProfileColumn *column, const char *text)
{
    if (text == NULL) {
        g_string_append (json, "null");
    } else if (profile_column_is_number (column) && is_number (text)) {
        g_string_append (json, text);
    } else {
        put_string (json, text);
    }
}

static void
put_table (GString *json, const ProfileBlock *block)
{
    put_columns (json, block);
    g_string_append (json, ",\"rows\":[");
    for (guint row = 0; row < profile_block_get_n_rows (block); row++) {
        g_string_append (json, row > 0 ? ",\n[" : "\n[");
        for (guint i = 0; i < block->columns->len; i++) {
            g_string_append (json, i > 0 ? "," : "");
            put_cell (json, &g_array_index (block->columns, ProfileColumn, i),
                      profile_block_get_cell (block, row, i));
        }
        g_string_append_c (json, ']');
    }
    g_string_append_c (json, ']');
}

static void
put_block (GString *json, const ProfileBlock *block)
{
    g_string_append_c (json, '{');
    if (block->kind == PROFILE_BLOCK_TABLE) {
        put_table (json, block);
    } else {
        g_string_append (json, block->kind == PROFILE_BLOCK_LINES ? "\"lines\":" : "\"text\":");
        put_string (json, block->text);
    }
    g_string_append_c (json, '}');
}

char *
profile_page_format_json (const ProfilePage *page)
{
    GString *json = g_string_new ("{\"title\":");

    put_string (json, page->title);
    g_string_append (json, ",\"sections\":[");
    for (guint i = 0; i < page->sections->len; i++) {
        const ProfileSection *section = g_ptr_array_index (page->sections, i);
        gboolean is_first = TRUE;

        g_string_append (json, i > 0 ? ",\n{\"title\":" : "\n{\"title\":");
        put_string (json, section->title);
        g_string_append (json, ",\"blocks\":[");
        for (guint j = 0; j < section->blocks->len; j++) {
            const ProfileBlock *block = g_ptr_array_index (section->blocks, j);

            if (block->kind != PROFILE_BLOCK_TIMELINE) {
                g_string_append (json, is_first ? "\n" : ",\n");
                put_block (json, block);
                is_first = FALSE;
            }
        }
        g_string_append (json, "]}");
    }
    g_string_append (json, "]}\n");
    return g_string_free (json, FALSE);
}
