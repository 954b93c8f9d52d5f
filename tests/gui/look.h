/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks at windows for what is wrong with them: a control that screen readers have no name for, a text that is cut and
 * nowhere told whole, a control that Tab never comes to, a button too small to hit, a window wider than a small screen. */
#pragma once
#include "script.h"
#include <gtk/gtk.h>

typedef struct {
    Script *script;
    const char *folder; /* for pictures; NULL: none */
    /* complaints that were made, so that each is made once, in whatever window */
    GHashTable *said;
    GPtrArray *pending; /* of char*: complaints of the current inspection */
    char *examples;     /* folder */
    char *state;        /* the name of what is being inspected */
    guint n_states, n_bad;
} Tour;

/* Runs the main loop until everything that was begun is shown. */
void look_settle (void);
/* Runs it until the widget is so, and fails when that takes too long. */
void look_await (const char *what, gboolean (*is_so) (GtkWidget *widget), GtkWidget *widget);
/* Visible widgets below root, borrowed: all of a type; the one with an id, which must be there. Caller owns the array. */
GPtrArray *look_find_all (GtkWidget *root, GType type);
GtkWidget *look_find (GtkWidget *root, const char *id);
/* Inspects a window or a popover, says what is wrong, and takes a picture NAME.png or NAME-PART.png; part may be NULL. */
void look_at (Tour *tour, GtkWidget *widget, const char *name, const char *part);
void look_at_pages (Tour *tour, GtkWidget *window,
                    const char *name); /* each page of its notebooks */
void look_at_menus (Tour *tour, GtkWidget *window,
                    const char *name); /* what its menu buttons open */
