/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For a terminal, a mail or a bug report. */
#include "profile/page/private.h"

#define GAP 2

static void
append_spaces (GString *to, glong n)
{
    g_string_append_printf (to, "%*s", (int) CLAMP (n, 0, 4096), "");
}

static char *
format_title (const ProfileColumn *column)
{
    return profile_column_get_shown_unit (column) != NULL
               ? g_strdup_printf ("%s (%s)", column->title,
                                  profile_column_get_shown_unit (column))
               : g_strdup (column->title);
}

static const char *
show_cell (const ProfileBlock *block, guint row, guint column)
{
    const char *text = profile_block_get_shown (block, row, column);

    return text != NULL ? text : PROFILE_NOT_MEASURED;
}

static void
append_cards (GString *to, const ProfileBlock *block)
{
    for (guint i = 0; i < block->columns->len; i++) {
        const ProfileColumn *column = &g_array_index (block->columns, ProfileColumn, i);
        const char *text = profile_block_get_shown (block, 0, i);

        g_string_append_printf (to, "%s: %s%s%s\n", column->title,
                                text != NULL ? text : PROFILE_NOT_MEASURED,
                                text != NULL && profile_column_get_shown_unit (column) != NULL
                                    ? " "
                                    : "",
                                text != NULL && profile_column_get_shown_unit (column) != NULL
                                    ? profile_column_get_shown_unit (column)
                                    : "");
    }
}

/* Numbers to the right; the last text is not filled up. */
static void
append_aligned (GString *to, const char *text, glong width, gboolean is_number,
                gboolean is_last)
{
    glong n = g_utf8_strlen (text, -1);

    append_spaces (to, is_number ? width - n : 0);
    g_string_append (to, text);
    append_spaces (to, is_last ? 0 : GAP + (is_number ? 0 : width - n));
}

static void
append_table (GString *to, const ProfileBlock *block)
{
    guint n_columns = block->columns->len, n_rows = profile_block_get_n_rows (block);
    g_autofree glong *widths = g_new0 (glong, n_columns);

    for (guint i = 0; i < n_columns; i++) {
        g_autofree char *title = format_title (&g_array_index (block->columns, ProfileColumn,
                                                               i));

        widths[i] = g_utf8_strlen (title, -1);
        for (guint row = 0; row < n_rows; row++) {
            widths[i] = MAX (widths[i], g_utf8_strlen (show_cell (block, row, i), -1));
        }
    }
    for (guint row = 0; row <= n_rows; row++) {
        for (guint i = 0; i < n_columns; i++) {
            const ProfileColumn *column = &g_array_index (block->columns, ProfileColumn, i);
            g_autofree char *title = format_title (column);

            append_aligned (to, row == 0 ? title : show_cell (block, row - 1, i), widths[i],
                            profile_column_is_number (column), i + 1 == n_columns);
        }
        g_string_append_c (to, '\n');
    }
}

static void
append_block (GString *to, const ProfileBlock *block)
{
    switch (block->kind) {
    case PROFILE_BLOCK_TEXT: g_string_append_printf (to, "%s\n", block->text); break;
    case PROFILE_BLOCK_IMPORTANT: g_string_append_printf (to, "* %s\n", block->text); break;
    case PROFILE_BLOCK_LINES:
        g_string_append_printf (to, "%s%s", block->text,
                                g_str_has_suffix (block->text, "\n") ? "" : "\n");
        break;
    case PROFILE_BLOCK_TABLE:
        (block->style == PROFILE_TABLE_CARDS ? append_cards : append_table) (to, block);
        break;
    case PROFILE_BLOCK_TIMELINE: return; /* a drawing */
    }
    g_string_append_c (to, '\n');
}

static void
append_underlined (GString *to, const char *title, char line)
{
    g_string_append_printf (to, "%s\n", title);
    for (glong i = g_utf8_strlen (title, -1); i > 0; i--) {
        g_string_append_c (to, line);
    }
    g_string_append (to, "\n\n");
}

char *
profile_page_format_text (const ProfilePage *page)
{
    GString *to = g_string_new (NULL);

    append_underlined (to, page->title, '=');
    for (guint i = 0; i < page->sections->len; i++) {
        const ProfileSection *section = g_ptr_array_index (page->sections, i);

        if (*section->title != '\0') {
            append_underlined (to, section->title, '-');
        }
        for (guint j = 0; j < section->blocks->len; j++) {
            append_block (to, g_ptr_array_index (section->blocks, j));
        }
    }
    return g_string_free (to, FALSE);
}
