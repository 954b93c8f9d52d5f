/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A report as values: sections of sentences, tables and text. Each form that it is written in has the
 * same words and numbers, because numbers become text here. */
#pragma once
#include <glib.h>

typedef struct _ProfilePage ProfilePage;

typedef enum {
    PROFILE_COLUMN_TEXT,
    PROFILE_COLUMN_CODE, /* a name or a place of the program */
    PROFILE_COLUMN_NUMBER,
    PROFILE_COLUMN_BYTES, /* a number, for people "1.4 MiB", for scripts and spreadsheets all of it */
    PROFILE_COLUMN_SHARE, /* percent: drawn too */
} ProfileColumnKind;

typedef struct {
    const char *title; /* copied */
    const char *unit;  /* copied; NULL: none */
    ProfileColumnKind kind;
    const char *colour; /* static: of its shares, "#rrggbb"; NULL: the page's */
} ProfileColumn;

typedef enum {
    PROFILE_TABLE_PLAIN,
    PROFILE_TABLE_CARDS,   /* one row: the figures to see first */
    PROFILE_TABLE_STACKED, /* the shares of a row are drawn as one bar */
} ProfileTableStyle;

ProfilePage *profile_page_new (const char *title);
void profile_page_free (ProfilePage *page); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfilePage, profile_page_free)

/* What follows goes into it. */
void profile_page_begin_section (ProfilePage *page, const char *title);
/* A paragraph; is_important: it stands out. */
void profile_page_add_text (ProfilePage *page, const char *text, gboolean is_important);
/* Lines whose form stays as it is, such as what a program has written. May be "". */
void profile_page_add_lines (ProfilePage *page, const char *text);
/* A table, then its cells, row by row. A text of NULL is "not measured". */
void profile_page_begin_table (ProfilePage *page, ProfileTableStyle style,
                               const ProfileColumn *columns, guint n_columns);
void profile_page_add_cell (ProfilePage *page, const char *text);
void profile_page_add_number (ProfilePage *page, double number, guint digits);
void profile_page_add_count (ProfilePage *page, guint64 count);
/* Stretches of time beside each other: a row for each begin_row, and in it spans that follow each other. */
void profile_page_begin_timeline (ProfilePage *page, double end_s);
void profile_page_begin_row (ProfilePage *page, const char *label);
/* colour is static. */
void profile_page_add_span (ProfilePage *page, double begin_s, double end_s, const char *label,
                            const char *colour);

/* For a terminal, and for scripts. Caller owns. */
char *profile_page_format_text (const ProfilePage *page);
char *profile_page_format_json (const ProfilePage *page);
/* INVALID: the path does not end in .html, .txt, .csv or .json. */
gboolean profile_page_check_path (const char *path, GError **error);
/* Writes it in the form that the path's suffix names. The error of profile_page_check_path, or of the
 * file. */
gboolean profile_page_save (const ProfilePage *page, const char *path, GError **error);
