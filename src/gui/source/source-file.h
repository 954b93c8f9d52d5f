/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One file that the source view shows: its text, its gutter, and which of its lines is to be visible. */
#pragma once
#include "gui/source/debug-gutter.h"
#include "gui/source/source-text.h"

typedef struct {
    char *file;
    GtkWidget *page, *view;
    GtkSourceBuffer *buffer;
    GuiDebugGutter *gutter;
    gboolean is_loaded, is_missing, is_dark;
    gboolean is_restored; /* nobody has wanted to see it since */
    gint64 time_us;       /* of the file's text that is shown; 0 not known */
    gboolean is_timed;    /* it is being asked for */
    GuiSourceEncoding encoding;
    guint pending_line;
    gboolean is_wanted; /* keep the cursor's line visible until the user does something else */
    int height;
    guint idle;
} GuiSourceFile;

/* Nothing is loaded; the page is in no notebook. is_reader: nothing is debugged. */
GuiSourceFile *gui_source_file_new (const char *file, gboolean is_reader);
void gui_source_file_free (gpointer self);
/* The user has not closed it. */
gboolean gui_source_file_is_open (const GuiSourceFile *self);
/* The cursor's, or where it will be once there is a text. */
guint gui_source_file_get_line (const GuiSourceFile *self);
/* That line alone is coloured, as "here" or "there"; 0: none is. */
void gui_source_file_mark (GuiSourceFile *self, guint line, const char *as);
void gui_source_file_scroll_to (GuiSourceFile *self, guint line);
/* FALSE: this is what it shows already. */
gboolean gui_source_file_set_text (GuiSourceFile *self, const char *text, gsize size);
