/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/page/private.h"
#include "base/array.h"
#include "base/error.h"
#include "base/escape.h"
#include <math.h>
#include <string.h>

static void
free_columns (GArray *columns)
{
    for (guint i = 0; columns != NULL && i < columns->len; i++) {
        g_free ((char *) g_array_index (columns, ProfileColumn, i).title);
        g_free ((char *) g_array_index (columns, ProfileColumn, i).unit);
    }
    g_clear_pointer (&columns, g_array_unref);
}

static void
clear_span (gpointer data)
{
    g_free (((ProfileSpan *) data)->label);
}

BASE_FREE (free_row, ProfileTimelineRow, row, g_free (row->label); g_array_unref (row->spans))

BASE_FREE (free_block, ProfileBlock, block, g_free (block->text); free_columns (block->columns);
           g_clear_pointer (&block->cells, g_ptr_array_unref);
           g_clear_pointer (&block->shown, g_ptr_array_unref);
           g_clear_pointer (&block->rows, g_ptr_array_unref))

BASE_FREE (free_section, ProfileSection, section, g_free (section->title);
           g_ptr_array_unref (section->blocks))

/* What no reader of text may take for something else is escaped once, for all forms. */
static char *
dup_clean (const char *text, BaseEscapeFlags flags)
{
    g_autofree char *escaped = base_escape_dup (text, flags);

    return escaped != NULL ? g_utf8_make_valid (escaped, -1) : NULL;
}

ProfilePage *
profile_page_new (const char *title)
{
    ProfilePage *page = g_new0 (ProfilePage, 1);

    page->title = dup_clean (title, BASE_ESCAPE_NAME);
    page->sections = g_ptr_array_new_with_free_func (free_section);
    return page;
}

BASE_FREE_PUBLIC (profile_page_free, ProfilePage, page, g_free (page->title);
                  g_ptr_array_unref (page->sections))

void
profile_page_begin_section (ProfilePage *page, const char *title)
{
    ProfileSection *section = g_new0 (ProfileSection, 1);

    section->title = dup_clean (title, BASE_ESCAPE_NAME);
    section->blocks = g_ptr_array_new_with_free_func (free_block);
    g_ptr_array_add (page->sections, section);
}

static ProfileBlock *
add_block (ProfilePage *page, ProfileBlockKind kind)
{
    ProfileBlock *block = g_new0 (ProfileBlock, 1);
    ProfileSection *section;

    if (page->sections->len == 0) {
        profile_page_begin_section (page, "");
    }
    section = g_ptr_array_index (page->sections, page->sections->len - 1);
    block->kind = kind;
    g_ptr_array_add (section->blocks, block);
    return block;
}

static ProfileBlock *
get_last (ProfilePage *page)
{
    ProfileSection *section = g_ptr_array_index (page->sections, page->sections->len - 1);

    return g_ptr_array_index (section->blocks, section->blocks->len - 1);
}

void
profile_page_add_text (ProfilePage *page, const char *text, gboolean is_important)
{
    ProfileBlock *block = add_block (page, is_important ? PROFILE_BLOCK_IMPORTANT
                                                        : PROFILE_BLOCK_TEXT);

    block->text = dup_clean (text, BASE_ESCAPE_NAME);
}

void
profile_page_add_lines (ProfilePage *page, const char *text)
{
    add_block (page, PROFILE_BLOCK_LINES)->text = dup_clean (text, BASE_ESCAPE_KEEP_LINES);
}

void
profile_page_begin_table (ProfilePage *page, ProfileTableStyle style,
                          const ProfileColumn *columns, guint n_columns)
{
    ProfileBlock *block = add_block (page, PROFILE_BLOCK_TABLE);

    block->style = style;
    block->columns = g_array_new (FALSE, FALSE, sizeof (ProfileColumn));
    block->cells = g_ptr_array_new_with_free_func (g_free);
    block->shown = g_ptr_array_new_with_free_func (g_free);
    for (guint i = 0; i < n_columns; i++) {
        ProfileColumn column = columns[i];

        column.title = g_strdup (column.title);
        column.unit = g_strdup (column.unit);
        g_array_append_val (block->columns, column);
    }
}

/* Caller owns. */
static char *
format_bytes (const char *text)
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
    double bytes = g_ascii_strtod (text, NULL);
    GString *shown = g_string_new (NULL);
    guint unit = 0;

    for (; fabs (bytes) >= 1024 && unit + 1 < G_N_ELEMENTS (units); unit++) {
        bytes /= 1024;
    }
    if (unit == 0) {
        g_string_append (shown, text);
    } else {
        profile_text_append_number (shown, bytes, 1);
    }
    g_string_append_printf (shown, " %s", units[unit]);
    return g_string_free (shown, FALSE);
}

void
profile_page_add_cell (ProfilePage *page, const char *text)
{
    ProfileBlock *block = get_last (page);
    const ProfileColumn *column = &g_array_index (block->columns, ProfileColumn,
                                                  block->cells->len % block->columns->len);

    g_ptr_array_add (block->cells, dup_clean (text, BASE_ESCAPE_NAME));
    g_ptr_array_add (block->shown, column->kind == PROFILE_COLUMN_BYTES && text != NULL
                                       ? format_bytes (text)
                                       : NULL);
}

void
profile_page_add_number (ProfilePage *page, double number, guint digits)
{
    GString *text = g_string_new (NULL);

    profile_text_append_number (text, isfinite (number) ? number : 0, digits);
    profile_page_add_cell (page, text->str);
    g_string_free (text, TRUE);
}

void
profile_page_add_count (ProfilePage *page, guint64 count)
{
    g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, count);

    profile_page_add_cell (page, text);
}

void
profile_page_begin_timeline (ProfilePage *page, double end_s)
{
    ProfileBlock *block = add_block (page, PROFILE_BLOCK_TIMELINE);

    block->rows = g_ptr_array_new_with_free_func (free_row);
    block->end_s = MAX (end_s, 1e-3);
}

void
profile_page_begin_row (ProfilePage *page, const char *label)
{
    ProfileTimelineRow *row = g_new0 (ProfileTimelineRow, 1);

    row->label = dup_clean (label, BASE_ESCAPE_NAME);
    row->spans = g_array_new (FALSE, FALSE, sizeof (ProfileSpan));
    g_array_set_clear_func (row->spans, clear_span);
    g_ptr_array_add (get_last (page)->rows, row);
}

void
profile_page_add_span (ProfilePage *page, double begin_s, double end_s, const char *label,
                       const char *colour)
{
    GPtrArray *rows = get_last (page)->rows;
    ProfileTimelineRow *row = g_ptr_array_index (rows, rows->len - 1);

    BASE_APPEND (row->spans, ProfileSpan, begin_s, end_s, dup_clean (label, BASE_ESCAPE_NAME),
                 colour);
}

const char *
profile_block_get_cell (const ProfileBlock *block, guint row, guint column)
{
    guint at = row * block->columns->len + column;

    return at < block->cells->len ? g_ptr_array_index (block->cells, at) : NULL;
}

const char *
profile_block_get_shown (const ProfileBlock *block, guint row, guint column)
{
    guint at = row * block->columns->len + column;
    const char *shown = at < block->shown->len ? g_ptr_array_index (block->shown, at) : NULL;

    return shown != NULL ? shown : profile_block_get_cell (block, row, column);
}

const char *
profile_column_get_shown_unit (const ProfileColumn *column)
{
    return column->kind == PROFILE_COLUMN_BYTES ? NULL : column->unit;
}

guint
profile_block_get_n_rows (const ProfileBlock *block)
{
    return (block->cells->len + block->columns->len - 1) / block->columns->len;
}

gboolean
profile_column_is_number (const ProfileColumn *column)
{
    return column->kind == PROFILE_COLUMN_NUMBER || column->kind == PROFILE_COLUMN_BYTES
           || column->kind == PROFILE_COLUMN_SHARE;
}

static const struct {
    const char *suffix;
    char *(*format) (const ProfilePage *page);
} forms[] = {
    { ".html", profile_page_format_html },
    { ".txt", profile_page_format_text },
    { ".csv", profile_page_format_csv },
    { ".json", profile_page_format_json },
};

static gint
find_form (const char *path, GError **error)
{
    for (guint i = 0; i < G_N_ELEMENTS (forms); i++) {
        if (g_str_has_suffix (path, forms[i].suffix)) {
            return (gint) i;
        }
    }
    g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                 "a report needs a file that ends in .html, .txt, .csv or .json, not \"%s\"",
                 path);
    return -1;
}

gboolean
profile_page_check_path (const char *path, GError **error)
{
    return find_form (path, error) >= 0;
}

gboolean
profile_page_save (const ProfilePage *page, const char *path, GError **error)
{
    gint form = find_form (path, error);
    g_autofree char *text = form >= 0 ? forms[form].format (page) : NULL;

    return text != NULL && profile_text_save (path, text, strlen (text), error);
}
