/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A class of calls in the legend of the Performance window: its colour and its name on a button. Properties:
 * "class" (guint JobClass), given at construction; "active": the button is down. */
#pragma once
#include <gtk/gtk.h>
#include "gui/profile/profile-colours.h"

#define GUI_TYPE_CLASS_ITEM (gui_class_item_get_type ())
G_DECLARE_FINAL_TYPE (GuiClassItem, gui_class_item, GUI, CLASS_ITEM, GtkFlowBoxChild)

GtkWidget *gui_class_item_new (JobClass class);
JobClass gui_class_item_get_class (GuiClassItem *item);
gboolean gui_class_item_is_active (GuiClassItem *item);
