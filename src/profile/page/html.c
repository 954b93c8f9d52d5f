/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One file that is XML, too, and loads nothing: it can be mailed, and opened years later. */
#include "profile/page/private.h"
#include <math.h>

static const char style[]
    = ":root{color-scheme:light dark;--ink:#1c2024;--soft:#60646c;--page:#f6f7f9;--card:#fff;"
      "--line:#e2e5ea;--accent:#3b7ddd;--note:#fff6e0;--note-line:#e0a92e}\n"
      "@media(prefers-color-scheme:dark){:root{--ink:#e6e8eb;--soft:#9ba1a9;--page:#16181b;"
      "--card:#1f2226;--line:#33373d;--accent:#6ea8ff;--note:#332a14;--note-line:#b98a26}}\n"
      "*{box-sizing:border-box}\n"
      "body{margin:0;background:var(--page);color:var(--ink);"
      "font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}\n"
      "main{max-width:1100px;margin:0 auto;padding:28px 20px 48px}\n"
      "h1{font-size:24px;line-height:1.3;margin:0 0 16px;overflow-wrap:anywhere}\n"
      "h2{font-size:17px;margin:0 0 10px}\n"
      "section{background:var(--card);border:1px solid var(--line);border-radius:10px;"
      "padding:16px 18px;margin:0 0 16px}\n"
      "p{margin:0 0 10px;max-width:80em;overflow-wrap:anywhere}\n"
      "p.note{background:var(--note);border-left:4px solid var(--note-line);border-radius:4px;"
      "padding:8px 12px}\n"
      ".wide{overflow-x:auto;margin:0 0 10px}\n"
      "table{border-collapse:collapse;width:100%;font-size:14px}\n"
      "th{text-align:left;font-weight:600;color:var(--soft);font-size:12.5px;vertical-align:bottom}\n"
      "th,td{padding:5px 14px 5px 0;border-bottom:1px solid var(--line)}\n"
      "td{vertical-align:top}tr:last-child td{border-bottom:0}\n"
      "th.n,td.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}\n"
      "th.n:first-child,td.n:first-child{width:1%}\n"
      "code,pre{font:13px/1.45 ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}\n"
      "code{overflow-wrap:anywhere}\n"
      "td.k{white-space:nowrap}\n"
      "pre{background:var(--page);border:1px solid var(--line);border-radius:6px;padding:10px 12px;"
      "margin:0 0 10px;max-height:30em;overflow:auto;white-space:pre}\n"
      ".none{color:var(--soft);font-style:italic}\n"
      ".meter,.stack{display:block;height:8px;border-radius:4px;background:var(--line);"
      "overflow:hidden}\n"
      ".meter{display:inline-block;width:72px;vertical-align:middle;margin-right:9px}\n"
      ".meter b,.stack b{display:block;height:100%;float:left}\n"
      ".stack{height:16px;min-width:220px;margin:3px 0 0}\n"
      ".dot{display:inline-block;width:10px;height:10px;border-radius:3px;margin-right:5px}\n"
      ".cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(126px,1fr));gap:10px;margin:0 0 12px}\n"
      ".cards div{border:1px solid var(--line);border-radius:8px;padding:9px 12px;"
      "overflow-wrap:anywhere}\n"
      ".cards dfn{display:block;font-style:normal;color:var(--soft);font-size:12.5px}\n"
      ".cards b{font-size:19px;font-weight:600;font-variant-numeric:tabular-nums}\n"
      ".cards b.none{font-size:14px;font-weight:400}\n"
      ".time{display:grid;grid-template-columns:max-content 1fr;gap:4px 12px;margin:0 0 10px;"
      "font-size:13px;align-items:center}\n"
      ".track{position:relative;height:18px;background:var(--line);border-radius:4px;overflow:hidden}\n"
      ".track i{position:absolute;top:0;bottom:0;min-width:1px}\n"
      ".axis{display:flex;justify-content:space-between;color:var(--soft);font-size:12px}\n"
      ".legend{color:var(--soft);font-size:12.5px}.legend .dot{margin:0 5px 0 10px}\n"
      "footer{color:var(--soft);font-size:12.5px}\n"
      "@media print{body{background:#fff}section{break-inside:avoid}pre{max-height:none}}\n";

enum { UNBROKEN = 24 }; /* characters: a text that is no longer stays on one line */

static void
append_width (GString *html, double percent)
{
    profile_text_append_number (html, isfinite (percent) ? CLAMP (percent, 0, 100) : 0, 2);
    g_string_append_c (html, '%');
}

static double
get_share (const ProfileBlock *block, guint row, guint column)
{
    const char *text = profile_block_get_shown (block, row, column);

    return text != NULL ? g_ascii_strtod (text, NULL) : 0;
}

static const char *
get_colour (const ProfileColumn *column)
{
    return column->colour != NULL ? column->colour : "var(--accent)";
}

static void
append_head (GString *html, const ProfileBlock *block)
{
    g_string_append (html, "<thead><tr>");
    for (guint i = 0; i < block->columns->len; i++) {
        const ProfileColumn *column = &g_array_index (block->columns, ProfileColumn, i);

        g_string_append (html, profile_column_is_number (column) ? "<th class=\"n\">" : "<th>");
        if (block->style == PROFILE_TABLE_STACKED && column->kind == PROFILE_COLUMN_SHARE) {
            g_string_append_printf (html, "<span class=\"dot\" style=\"background:%s\"></span>",
                                    get_colour (column));
        }
        profile_text_append_xml (html, column->title);
        if (profile_column_get_shown_unit (column) != NULL) {
            g_string_append (html, " <small>(");
            profile_text_append_xml (html, profile_column_get_shown_unit (column));
            g_string_append (html, ")</small>");
        }
        g_string_append (html, "</th>");
        if (block->style == PROFILE_TABLE_STACKED && i == 0) {
            g_string_append (html, "<th class=\"chart\"></th>");
        }
    }
    g_string_append (html, "</tr></thead>\n");
}

static void
append_cell (GString *html, const ProfileBlock *block, guint row, guint i)
{
    const ProfileColumn *column = &g_array_index (block->columns, ProfileColumn, i);
    const char *text = profile_block_get_shown (block, row, i);
    gboolean has_meter = column->kind == PROFILE_COLUMN_SHARE
                         && block->style != PROFILE_TABLE_STACKED && text != NULL;

    g_string_append (html, profile_column_is_number (column) ? "<td class=\"n\">"
                           : text != NULL && g_utf8_strlen (text, -1) <= UNBROKEN
                               ? "<td class=\"k\">"
                               : "<td>");
    if (has_meter) {
        g_string_append (html, "<span class=\"meter\"><b style=\"width:");
        append_width (html, get_share (block, row, i));
        g_string_append_printf (html, ";background:%s\"></b></span>", get_colour (column));
    }
    if (text == NULL) {
        g_string_append (html, "<span class=\"none\">" PROFILE_NOT_MEASURED "</span>");
    } else if (column->kind == PROFILE_COLUMN_CODE) {
        g_string_append (html, "<code>");
        profile_text_append_xml (html, text);
        g_string_append (html, "</code>");
    } else {
        profile_text_append_xml (html, text);
    }
    g_string_append (html, "</td>");
}

static void
append_stack (GString *html, const ProfileBlock *block, guint row)
{
    g_string_append (html, "<td class=\"chart\"><span class=\"stack\">");
    for (guint i = 0; i < block->columns->len; i++) {
        const ProfileColumn *column = &g_array_index (block->columns, ProfileColumn, i);

        if (column->kind == PROFILE_COLUMN_SHARE && get_share (block, row, i) > 0) {
            g_string_append (html, "<b style=\"width:");
            append_width (html, get_share (block, row, i));
            g_string_append_printf (html, ";background:%s\"></b>", get_colour (column));
        }
    }
    g_string_append (html, "</span></td>");
}

static void
append_table (GString *html, const ProfileBlock *block)
{
    g_string_append (html, "<div class=\"wide\"><table>\n");
    append_head (html, block);
    g_string_append (html, "<tbody>\n");
    for (guint row = 0; row < profile_block_get_n_rows (block); row++) {
        g_string_append (html, "<tr>");
        for (guint i = 0; i < block->columns->len; i++) {
            append_cell (html, block, row, i);
            if (block->style == PROFILE_TABLE_STACKED && i == 0) {
                append_stack (html, block, row);
            }
        }
        g_string_append (html, "</tr>\n");
    }
    g_string_append (html, "</tbody></table></div>\n");
}

static void
append_cards (GString *html, const ProfileBlock *block)
{
    g_string_append (html, "<div class=\"cards\">\n");
    for (guint i = 0; i < block->columns->len; i++) {
        const ProfileColumn *column = &g_array_index (block->columns, ProfileColumn, i);
        const char *text = profile_block_get_shown (block, 0, i);

        g_string_append (html, "<div data-unit=\"");
        profile_text_append_xml (html, profile_column_get_shown_unit (column) != NULL
                                           ? profile_column_get_shown_unit (column)
                                           : "");
        g_string_append (html, "\"><dfn>");
        profile_text_append_xml (html, column->title);
        g_string_append (html, text != NULL ? "</dfn><b>" : "</dfn><b class=\"none\">");
        profile_text_append_xml (html, text != NULL ? text : PROFILE_NOT_MEASURED);
        g_string_append (html, "</b>");
        if (text != NULL && profile_column_get_shown_unit (column) != NULL) {
            g_string_append (html, " <small>");
            profile_text_append_xml (html, profile_column_get_shown_unit (column));
            g_string_append (html, "</small>");
        }
        g_string_append (html, "</div>\n");
    }
    g_string_append (html, "</div>\n");
}

static void
append_span (GString *html, const ProfileBlock *block, const ProfileSpan *span)
{
    g_string_append (html, "<i style=\"left:");
    append_width (html, 100 * span->begin_s / block->end_s);
    g_string_append (html, ";width:");
    append_width (html, 100 * (span->end_s - span->begin_s) / block->end_s);
    g_string_append_printf (html, ";background:%s\" title=\"", span->colour);
    profile_text_append_number (html, span->begin_s, 2);
    g_string_append (html, " s to ");
    profile_text_append_number (html, span->end_s, 2);
    g_string_append (html, " s: ");
    profile_text_append_xml (html, span->label);
    g_string_append (html, "\"></i>");
}

/* Each label once. */
static void
append_legend (GString *html, const ProfileBlock *block)
{
    g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);

    g_string_append (html, "<p class=\"legend\">");
    for (guint i = 0; i < block->rows->len; i++) {
        const ProfileTimelineRow *row = g_ptr_array_index (block->rows, i);

        for (guint j = 0; j < row->spans->len; j++) {
            const ProfileSpan *span = &g_array_index (row->spans, ProfileSpan, j);

            if (g_hash_table_add (known, span->label)) {
                g_string_append_printf (html,
                                        "<span class=\"dot\" style=\"background:%s\"></span>",
                                        span->colour);
                profile_text_append_xml (html, span->label);
                g_string_append_c (html, ' ');
            }
        }
    }
    g_string_append (html, "</p>\n");
}

static void
append_timeline (GString *html, const ProfileBlock *block)
{
    g_string_append (html, "<div class=\"time\">\n");
    for (guint i = 0; i < block->rows->len; i++) {
        const ProfileTimelineRow *row = g_ptr_array_index (block->rows, i);

        g_string_append (html, "<span>");
        profile_text_append_xml (html, row->label);
        g_string_append (html, "</span><div class=\"track\">");
        for (guint j = 0; j < row->spans->len; j++) {
            append_span (html, block, &g_array_index (row->spans, ProfileSpan, j));
        }
        g_string_append (html, "</div>\n");
    }
    g_string_append (html, "<span></span><div class=\"axis\"><span>0 s</span><span>");
    profile_text_append_number (html, block->end_s, 1);
    g_string_append (html, " s</span></div>\n</div>\n");
    append_legend (html, block);
}

static void
append_paragraph (GString *html, const char *begin, const char *text, const char *end)
{
    g_string_append (html, begin);
    profile_text_append_xml (html, text);
    g_string_append (html, end);
}

static void
append_block (GString *html, const ProfileBlock *block)
{
    switch (block->kind) {
    case PROFILE_BLOCK_TEXT: append_paragraph (html, "<p>", block->text, "</p>\n"); break;
    case PROFILE_BLOCK_IMPORTANT:
        append_paragraph (html, "<p class=\"note\">", block->text, "</p>\n");
        break;
    case PROFILE_BLOCK_LINES: append_paragraph (html, "<pre>", block->text, "</pre>\n"); break;
    case PROFILE_BLOCK_TABLE:
        (block->style == PROFILE_TABLE_CARDS ? append_cards : append_table) (html, block);
        break;
    case PROFILE_BLOCK_TIMELINE: append_timeline (html, block); break;
    }
}

char *
profile_page_format_html (const ProfilePage *page)
{
    GString *html = g_string_new (
        "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\"><head>\n"
        "<meta charset=\"utf-8\"/>\n"
        "<meta http-equiv=\"Content-Security-Policy\" "
        "content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>");

    profile_text_append_xml (html, page->title);
    g_string_append_printf (html, "</title>\n<style>\n%s</style>\n</head><body><main>\n<h1>",
                            style);
    profile_text_append_xml (html, page->title);
    g_string_append (html, "</h1>\n");
    for (guint i = 0; i < page->sections->len; i++) {
        const ProfileSection *section = g_ptr_array_index (page->sections, i);

        g_string_append (html, "<section>\n");
        if (*section->title != '\0') {
            append_paragraph (html, "<h2>", section->title, "</h2>\n");
        }
        for (guint j = 0; j < section->blocks->len; j++) {
            append_block (html, g_ptr_array_index (section->blocks, j));
        }
        g_string_append (html, "</section>\n");
    }
    g_string_append (html, "<footer>Written by pddt.</footer>\n</main></body></html>\n");
    return g_string_free (html, FALSE);
}
