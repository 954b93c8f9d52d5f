/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a page consists of, for those that write or draw it. Nothing here is changed from outside. */
#pragma once
#include "profile/page.h"

#define PROFILE_NOT_MEASURED "not measured"

typedef enum {
    PROFILE_BLOCK_TEXT,
    PROFILE_BLOCK_IMPORTANT,
    PROFILE_BLOCK_LINES,
    PROFILE_BLOCK_TABLE,
    PROFILE_BLOCK_TIMELINE
} ProfileBlockKind;

typedef struct {
    double begin_s, end_s;
    char *label;
    const char *colour;
} ProfileSpan;

typedef struct {
    char *label;
    GArray *spans; /* of ProfileSpan */
} ProfileTimelineRow;

typedef struct {
    ProfileBlockKind kind;
    char *text;
    ProfileTableStyle style;
    GArray *columns;  /* of ProfileColumn, whose texts are the block's */
    GPtrArray *cells; /* of char* or NULL */
    GPtrArray *shown; /* of char*: what people read instead; NULL: the cell as it is */
    GPtrArray *rows;  /* of ProfileTimelineRow */
    double end_s;
} ProfileBlock;

typedef struct {
    char *title;
    GPtrArray *blocks; /* of ProfileBlock */
} ProfileSection;

struct _ProfilePage {
    char *title;
    GPtrArray *sections; /* of ProfileSection */
};

/* NULL: not measured. */
const char *profile_block_get_cell (const ProfileBlock *block, guint row, guint column);
/* The same as people read it. */
const char *profile_block_get_shown (const ProfileBlock *block, guint row, guint column);
const char *profile_column_get_shown_unit (const ProfileColumn *column); /* NULL: none */
guint profile_block_get_n_rows (const ProfileBlock *block);
gboolean profile_column_is_number (const ProfileColumn *column);
