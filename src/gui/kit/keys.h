/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One table of actions and keys. */
#pragma once
#include <gtk/gtk.h>

typedef enum {
    GUI_KEYS_VSCODE,
    GUI_KEYS_DDT,
    GUI_KEYS_ECLIPSE,
    GUI_KEYS_GDB,
    GUI_N_KEY_SETS
} GuiKeySet;

enum { GUI_KEYS_N_WINDOWS = 9 }; /* Alt+1 … Alt+9, "app.window(uint32 1)" … */

typedef struct {
    const char *action; /* "win.continue" */
    /* accelerators, spaces between; NULL none. For GDB: letters besides the VS Code set */
    const char *keys[GUI_N_KEY_SETS];
} GuiKeyRow;

const GuiKeyRow *gui_keys_get_table (guint *ret_n_rows);
const char *gui_keys_get_set_name (GuiKeySet set);  /* "vscode", "ddt", "eclipse", "gdb" */
const char *gui_keys_get_set_title (GuiKeySet set); /* for the user */
GuiKeySet gui_keys_find_set (const char *name);     /* VSCODE for unknown names */
/* What the action does, in the user's language; NULL for one that is not in the table. Borrowed. */
const char *gui_keys_get_title (const char *action);
/* The accelerators of a row in a set; NULL-terminated, caller owns. */
char **gui_keys_dup (const GuiKeyRow *row, GuiKeySet set);
/* Puts the keys of a window's actions into the tooltips of its buttons; again when they change. */
void gui_keys_explain (GtkWindow *window);
void gui_keys_apply (GtkApplication *application, GuiKeySet set);
/* For a window's key-press-event: passes keys that type text to the focused text widget before
 * accelerators. TRUE when it used the key. */
gboolean gui_keys_prefer_text (GtkWindow *window, GdkEventKey *event);
