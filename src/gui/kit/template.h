/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a class names in class_init: its properties, its signals, the types of its template's objects, the
 * template, and then what it has of that. Lists of at most 64. And how it ends. */
#pragma once
#include "gui/kit/properties.h"
#include <gtk/gtk.h>

/* Each (field, type, leave, enter, flags) as in GuiProperty; what is left out at the end is NULL or 0. */
#define GUI_PROPERTIES(klass, Type, ...)                                                       \
    do {                                                                                       \
        const GuiProperty list[] = { GUI_EACH (GUI_PROPERTY, klass, Type, __VA_ARGS__) };      \
        gui_properties_install (G_OBJECT_CLASS (klass), list, G_N_ELEMENTS (list));            \
    } while (0)
/* A signal with arguments of these types, which returns nothing; its id. */
#define GUI_SIGNAL(klass, ...) GUI_SIGNAL_OF (klass, __VA_ARGS__, 0)
#define GUI_SIGNAL_OF(klass, name, ...)                                                        \
    gui_signal_new (klass, name, (const GType[]){ __VA_ARGS__ })
/* Classes that the template names, and nothing else has needed so far. */
#define GUI_ENSURE(...) gui_types_ensure ((const GType[]){ __VA_ARGS__, 0 })
/* Of ui/FILE. */
#define GUI_TEMPLATE(klass, file)                                                              \
    gtk_widget_class_set_template_from_resource (GTK_WIDGET_CLASS (klass),                     \
                                                 "/org/pddt/Pddt/" file)
/* Fields of the class's struct that are objects of the template, each by its name. */
#define GUI_CHILDREN(klass, Type, ...) GUI_EACH (GUI_CHILD, klass, Type, __VA_ARGS__)
/* Functions that the template's signals call. */
#define GUI_CALLBACKS(klass, ...) GUI_EACH (GUI_CALLBACK, klass, , __VA_ARGS__)

/* Define gui_x_dispose and gui_x_finalize, of `prefix` gui_x: statements that give back what `self` has, and then what
 * the class above does. */
#define GUI_DISPOSE(prefix, Type, ...) GUI_GIVE_BACK (prefix, Type, dispose, __VA_ARGS__)
#define GUI_FINALIZE(prefix, Type, ...) GUI_GIVE_BACK (prefix, Type, finalize, __VA_ARGS__)
#define GUI_GIVE_BACK(prefix, Type, step, ...)                                                 \
    static void prefix##_##step (GObject *object)                                              \
    {                                                                                          \
        Type *self = (Type *) object;                                                          \
                                                                                               \
        __VA_ARGS__;                                                                           \
        G_OBJECT_CLASS (prefix##_parent_class)->step (object);                                 \
    }

#define GUI_PROPERTY(klass, Type, row) GUI_PROPERTY_ROW (Type, GUI_UNPACK row)
#define GUI_UNPACK(...) __VA_ARGS__
#define GUI_PROPERTY_ROW(...) GUI_PROPERTY_FIELD (__VA_ARGS__)
#define GUI_PROPERTY_FIELD(Type, field, kind, ...)                                             \
    { .name = #field, .type = kind, .offset = G_STRUCT_OFFSET (Type, field), __VA_ARGS__ },
#define GUI_CHILD(klass, Type, field)                                                          \
    gtk_widget_class_bind_template_child (GTK_WIDGET_CLASS (klass), Type, field);
#define GUI_CALLBACK(klass, Type, function)                                                    \
    gtk_widget_class_bind_template_callback (GTK_WIDGET_CLASS (klass), function);

/* A macro is not expanded within itself: each of these has what is left over expanded anew. */
#define GUI_EACH(...)                                                                          \
    GUI_EACH_4 (GUI_EACH_4 (GUI_EACH_4 (GUI_EACH_4 (GUI_EACH_NEXT (__VA_ARGS__)))))
#define GUI_EACH_4(...) GUI_EACH_1 (GUI_EACH_1 (GUI_EACH_1 (GUI_EACH_1 (__VA_ARGS__))))
#define GUI_EACH_1(...) GUI_EACH_0 (GUI_EACH_0 (GUI_EACH_0 (GUI_EACH_0 (__VA_ARGS__))))
#define GUI_EACH_0(...) __VA_ARGS__
#define GUI_EACH_NEXT(call, klass, Type, item, ...)                                            \
    call (klass, Type, item)                                                                   \
        __VA_OPT__ (GUI_EACH_AGAIN GUI_EACH_PARENS (call, klass, Type, __VA_ARGS__))
#define GUI_EACH_AGAIN() GUI_EACH_NEXT
#define GUI_EACH_PARENS ()
