/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Properties whose values are fields of their class's struct, and signals. A class lists the former; setting one to another
 * value, from C, from a template or by a binding, stores it, tells the class, and notifies. */
#pragma once
#include <glib-object.h>

typedef struct {
    const char *name; /* static */
    GType
        type; /* an object's, GUI_TYPE_RANK_SET, G_TYPE_STRING, G_TYPE_BOOLEAN or G_TYPE_UINT */
    glong offset; /* of the field, by G_STRUCT_OFFSET; it owns what it points to */
    GParamFlags
        flags; /* 0: read and written; G_PARAM_CONSTRUCT_ONLY: written by g_object_new alone;
                        * G_PARAM_READABLE: only read, the class writes the field and notifies */
    /* leave: the value, an object, text or a set, will be another one or none; enter: it is another
     * one, or none. Either may be NULL. */
    void (*leave) (gpointer self);
    void (*enter) (gpointer self);
} GuiProperty;

/* In class_init; once a class. It sets the class's set_property and get_property. */
void gui_properties_install (GObjectClass *klass, const GuiProperty *properties, guint n);
/* The property of this name of the children, up to NULL, is what it is of the parent, now and later. It is
 * what bind-source does in a template, but for objects, for which GTK 3 cannot do it. */
void gui_properties_share (gpointer parent, const char *name, gpointer child,
                           ...) G_GNUC_NULL_TERMINATED;
/* A signal of n arguments of these types, which returns nothing. In class_init; returns its id. */
guint gui_signal_new (const char *name, GType type, guint n, ...);
/* In dispose: leaves and releases the values of the properties of this class of the object, without
 * notification; may be called again. */
void gui_properties_clear (gpointer object, GType type);
/* The dispose of a class that has nothing else to do then. */
void gui_properties_dispose (GObject *object);
