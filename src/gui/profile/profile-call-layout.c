/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/profile-call-layout.h"
#include <math.h>

void
gui_profile_call_layout_clear (GuiProfileCallLayout *layout)
{
    g_clear_pointer (&layout->boxes, g_array_unref);
}

/* From the index on, the calls in the same caller are too small: they become one box. Returns the first
 * index after them. */
static guint32
add_rest (GuiProfileCallLayout *layout, const ProfileCallTree *tree, guint32 index,
          guint32 level, double from, double scale)
{
    guint32 parent = profile_call_tree_get (tree, index)->parent;
    guint32 end = profile_call_tree_get (tree, parent)->end;
    GuiProfileCallBox box = { .call = parent,
                              .level = level,
                              .begin = (profile_call_tree_get (tree, index)->begin - from)
                                       * scale };

    box.end = box.begin;
    for (guint32 at = index; at < end; at = profile_call_tree_get (tree, at)->end) {
        box.end += profile_call_tree_get (tree, at)->total * scale;
        box.n_rest++;
    }
    g_array_append_val (layout->boxes, box);
    return end;
}

void
gui_profile_call_layout_init (GuiProfileCallLayout *layout, const ProfileCallTree *tree,
                              guint32 root, guint max_levels, double least)
{
    const ProfileCall *top = profile_call_tree_get (tree, root);
    double scale = top->total > 0 ? 1 / top->total : 0;
    guint32 index = root;

    *layout = (GuiProfileCallLayout){ .root = root };
    layout->boxes = g_array_new (FALSE, FALSE, sizeof (GuiProfileCallBox));
    while (index < top->end) {
        const ProfileCall *call = profile_call_tree_get (tree, index);
        GuiProfileCallBox box = { .call = index, .level = call->depth - top->depth };

        layout->is_cut = layout->is_cut || box.level >= max_levels;
        if (box.level >= max_levels) {
            index = profile_call_tree_get (tree, call->parent)->end;
            continue;
        }
        layout->n_levels = MAX (layout->n_levels, box.level + 1);
        if (index != root && call->total * scale < least) { /* later ones are smaller still */
            index = add_rest (layout, tree, index, box.level, top->begin, scale);
            continue;
        }
        box.begin = (call->begin - top->begin) * scale;
        box.end = box.begin + call->total * scale;
        if (index == root) {
            box.end = 1;
        }
        g_array_append_val (layout->boxes, box);
        index++;
    }
}

int
gui_profile_call_layout_find (const GuiProfileCallLayout *layout, guint level, double position)
{
    for (guint i = 0; i < layout->boxes->len; i++) {
        const GuiProfileCallBox *box = &g_array_index (layout->boxes, GuiProfileCallBox, i);

        if (box->level == level && position >= box->begin && position < box->end) {
            return (int) i;
        }
    }
    return -1;
}

int
gui_profile_call_layout_find_call (const GuiProfileCallLayout *layout, guint32 call)
{
    for (guint i = 0; i < layout->boxes->len; i++) {
        const GuiProfileCallBox *box = &g_array_index (layout->boxes, GuiProfileCallBox, i);

        if (box->call == call && box->n_rest == 0) {
            return (int) i;
        }
    }
    return -1;
}

/* Boxes stand in preorder: the caller is the last one before of a level less, what is called the first
 * one after of a level more. */
int
gui_profile_call_layout_find_next (const GuiProfileCallLayout *layout, int index,
                                   GuiProfileCallStep step)
{
    const GuiProfileCallBox *boxes
        = (const GuiProfileCallBox *) (const void *) layout->boxes->data;
    gboolean is_back = step == GUI_PROFILE_CALL_OUT || step == GUI_PROFILE_CALL_BEFORE;
    guint wanted = boxes[index].level + (step == GUI_PROFILE_CALL_IN ? 1 : 0)
                   - (step == GUI_PROFILE_CALL_OUT ? 1 : 0);

    if (step == GUI_PROFILE_CALL_OUT && boxes[index].level == 0) {
        return -1;
    }
    for (int i = index + (is_back ? -1 : 1); i >= 0 && i < (int) layout->boxes->len;
         i += is_back ? -1 : 1) {
        if (step == GUI_PROFILE_CALL_IN && boxes[i].level < wanted) {
            return -1; /* it is outside the box */
        }
        if (boxes[i].level == wanted && boxes[i].n_rest == 0) {
            return i;
        }
    }
    return -1;
}

/* ---- on the picture ---- */

void
gui_profile_call_frame_init (GuiProfileCallFrame *frame, gboolean is_polar, double width,
                             double height, guint n_levels, double text)
{
    double radius = MAX (MIN (width, height) / 2 - 4, 1);

    *frame = (GuiProfileCallFrame){ .is_polar = is_polar, .width = width, .height = height };
    if (is_polar) {
        frame->x = width / 2;
        frame->y = height / 2;
        frame->row = radius / (MAX (n_levels, 1) + 0.4); /* the root's disc is a little more */
        frame->radius = frame->row * 1.4;
    } else {
        frame->row = CLAMP (floor (height / MAX (n_levels, 1)), ceil (text * 1.35) + 2,
                            ceil (text * 1.9));
    }
}

gboolean
gui_profile_call_frame_find (const GuiProfileCallFrame *frame, double x, double y,
                             guint *ret_level, double *ret_position)
{
    if (frame->is_polar) {
        double distance = hypot (x - frame->x, y - frame->y);
        double angle = atan2 (x - frame->x, frame->y - y); /* clockwise from the top */

        *ret_level = distance < frame->radius
                         ? 0
                         : 1 + (guint) ((distance - frame->radius) / frame->row);
        *ret_position = angle < 0 ? 1 + angle / (2 * G_PI) : angle / (2 * G_PI);
        return TRUE;
    }
    if (x < 0 || x >= frame->width || y < 0) {
        return FALSE;
    }
    *ret_level = (guint) (y / frame->row);
    *ret_position = x / frame->width;
    return TRUE;
}

void
gui_profile_call_frame_get_middle (const GuiProfileCallFrame *frame,
                                   const GuiProfileCallBox *box, double *ret_x, double *ret_y)
{
    double middle = (box->begin + box->end) / 2;

    if (!frame->is_polar) {
        *ret_x = middle * frame->width;
        *ret_y = (box->level + 0.5) * frame->row;
    } else if (box->level == 0) {
        *ret_x = frame->x;
        *ret_y = frame->y;
    } else {
        double distance = frame->radius + (box->level - 0.5) * frame->row;

        *ret_x = frame->x + distance * sin (middle * 2 * G_PI);
        *ret_y = frame->y - distance * cos (middle * 2 * G_PI);
    }
}
