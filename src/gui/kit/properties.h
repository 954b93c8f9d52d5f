/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Properties whose values are fields of their class's struct, and signals. A class lists the former; setting one to another
 * value, from C, from a template or by a binding, stores it, tells the class, and notifies. */
#pragma once
#include <glib-object.h>

typedef struct {
    const char *name; /* the field's, with '-' for '_' */
    /* An object's, GUI_TYPE_RANK_SET or another boxed one, G_TYPE_STRING, G_TYPE_BOOLEAN or G_TYPE_UINT. */
    GType type;
    glong offset; /* of the field, by G_STRUCT_OFFSET; it owns what it points to */
    /* leave: the value, an object, text or a set, will be another one or none; enter: it is another
     * one, or none. Either may be NULL. */
    void (*leave) (gpointer self);
    void (*enter) (gpointer self);
    /* 0: read and written; G_PARAM_CONSTRUCT_ONLY: written by g_object_new alone;
     * G_PARAM_READABLE: only read, the class writes the field and notifies. */
    GParamFlags flags;
} GuiProperty;

/* In class_init; once a class: GUI_PROPERTIES of template.h. It sets the class's set_property and
 * get_property. */
void gui_properties_install (GObjectClass *klass, const GuiProperty *properties, guint n);
/* The property of this name of the children, up to NULL, is what it is of the parent, now and later. It is
 * what bind-source does in a template, but for objects, for which GTK 3 cannot do it. */
void gui_properties_share (gpointer parent, const char *name, gpointer child,
                           ...) G_GNUC_NULL_TERMINATED;
/* GUI_SIGNAL of template.h. The types end with 0. */
guint gui_signal_new (gpointer klass, const char *name, const GType *types);
/* GUI_ENSURE of template.h. The types end with 0. */
void gui_types_ensure (const GType *types);
/* In dispose: leaves and releases the values of the properties of this class of the object, without
 * notification; may be called again. */
void gui_properties_clear (gpointer object, GType type);
/* The dispose of a class that has nothing else to do then. */
void gui_properties_dispose (GObject *object);
