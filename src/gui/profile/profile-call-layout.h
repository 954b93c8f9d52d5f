/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where calls are in the Calls view: a row for each level, the root first, or a ring. Arithmetic
 * only. */
#pragma once
#include "profile/call-tree.h"

typedef struct {
    guint32 call;      /* index in the tree; of a rest: of the caller of those calls */
    guint32 level;     /* 0: the root */
    double begin, end; /* 0 to 1 of the root */
    guint n_rest;      /* > 0: so many calls that are too small to be drawn */
} GuiProfileCallBox;

typedef struct {
    GArray *boxes;   /* of GuiProfileCallBox, callers before what they call */
    guint32 root;    /* index in the tree */
    guint n_levels;  /* that have boxes */
    gboolean is_cut; /* there are levels below the last */
} GuiProfileCallLayout;

/* Levels 0 to max_levels - 1. least: what has less of the root's time, 0 to 1, is part of a rest. */
void gui_profile_call_layout_init (GuiProfileCallLayout *layout, const ProfileCallTree *tree,
                                   guint32 root, guint max_levels, double least);
void gui_profile_call_layout_clear (GuiProfileCallLayout *layout); /* zeros are fine */
/* -1: nothing is there. position: 0 to 1. */
int gui_profile_call_layout_find (const GuiProfileCallLayout *layout, guint level,
                                  double position);
/* The call's box; -1: it has none. */
int gui_profile_call_layout_find_call (const GuiProfileCallLayout *layout, guint32 call);

typedef enum {
    GUI_PROFILE_CALL_OUT,    /* the caller */
    GUI_PROFILE_CALL_IN,     /* the most expensive of the calls inside */
    GUI_PROFILE_CALL_BEFORE, /* the neighbours of the same level, whoever has called them */
    GUI_PROFILE_CALL_AFTER
} GuiProfileCallStep;

/* -1: there is none. Rests are passed over. */
int gui_profile_call_layout_find_next (const GuiProfileCallLayout *layout, int index,
                                       GuiProfileCallStep step);

/* How the boxes lie on the picture. */
typedef struct {
    gboolean is_polar;
    double width, height;
    double row;    /* height of a row or a ring */
    double x, y;   /* polar: centre */
    double radius; /* polar: of the root's disc */
} GuiProfileCallFrame;

/* text: height of a line of text, in px, which a row has room for. */
void gui_profile_call_frame_init (GuiProfileCallFrame *frame, gboolean is_polar, double width,
                                  double height, guint n_levels, double text);
/* What is at this point; FALSE: it is beside the picture. */
gboolean gui_profile_call_frame_find (const GuiProfileCallFrame *frame, double x, double y,
                                      guint *ret_level, double *ret_position);
/* The middle of the box: where a test or a menu may point. */
void gui_profile_call_frame_get_middle (const GuiProfileCallFrame *frame,
                                        const GuiProfileCallBox *box, double *ret_x,
                                        double *ret_y);
