/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a class with a template names in class_init, once the template is set: lists of at most 64. */
#pragma once
#include <gtk/gtk.h>

/* Fields of the class's struct that are objects of the template, each by its name. */
#define GUI_CHILDREN(widget_class, Type, ...)                                                  \
    GUI_EACH (GUI_CHILD, widget_class, Type, __VA_ARGS__)
/* Functions that the template's signals call. */
#define GUI_CALLBACKS(widget_class, ...) GUI_EACH (GUI_CALLBACK, widget_class, , __VA_ARGS__)

#define GUI_CHILD(widget_class, Type, field)                                                   \
    gtk_widget_class_bind_template_child (widget_class, Type, field);
#define GUI_CALLBACK(widget_class, Type, function)                                             \
    gtk_widget_class_bind_template_callback (widget_class, function);

/* A macro is not expanded within itself: each of these has what is left over expanded anew. */
#define GUI_EACH(...)                                                                          \
    GUI_EACH_4 (GUI_EACH_4 (GUI_EACH_4 (GUI_EACH_4 (GUI_EACH_NEXT (__VA_ARGS__)))))
#define GUI_EACH_4(...) GUI_EACH_1 (GUI_EACH_1 (GUI_EACH_1 (GUI_EACH_1 (__VA_ARGS__))))
#define GUI_EACH_1(...) GUI_EACH_0 (GUI_EACH_0 (GUI_EACH_0 (GUI_EACH_0 (__VA_ARGS__))))
#define GUI_EACH_0(...) __VA_ARGS__
#define GUI_EACH_NEXT(call, widget_class, Type, item, ...)                                     \
    call (widget_class, Type, item)                                                            \
        __VA_OPT__ (GUI_EACH_AGAIN GUI_EACH_PARENS (call, widget_class, Type, __VA_ARGS__))
#define GUI_EACH_AGAIN() GUI_EACH_NEXT
#define GUI_EACH_PARENS ()
