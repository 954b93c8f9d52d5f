/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/kit/properties.h"
#include "gui/kit/rank-set.h"

/* What a class has listed. */
typedef struct {
    GuiProperty *list;
    guint n;
} Table;

static Table *
find_table (GType type)
{
    return g_type_get_qdata (type, g_quark_from_static_string ("gui-properties"));
}

static gpointer
find_field (GObject *object, const GuiProperty *property)
{
    return (char *) object + property->offset;
}

static void
read_field (GObject *object, const GuiProperty *property, GValue *value)
{
    gpointer field = find_field (object, property);

    switch (G_TYPE_FUNDAMENTAL (property->type)) {
    case G_TYPE_OBJECT: g_value_set_object (value, *(gpointer *) field); break;
    case G_TYPE_BOXED: g_value_set_boxed (value, *(gpointer *) field); break;
    case G_TYPE_STRING: g_value_set_string (value, *(char **) field); break;
    case G_TYPE_BOOLEAN: g_value_set_boolean (value, *(gboolean *) field); break;
    default: g_value_set_uint (value, *(guint *) field);
    }
}

static gboolean
is_same_set (const JobRankSet *a, const JobRankSet *b)
{
    return a == b || (a != NULL && b != NULL && job_rank_set_equal (a, b));
}

static gboolean
is_same (GObject *object, const GuiProperty *property, const GValue *value)
{
    gpointer field = find_field (object, property);

    switch (G_TYPE_FUNDAMENTAL (property->type)) {
    case G_TYPE_OBJECT: return *(gpointer *) field == g_value_get_object (value);
    case G_TYPE_BOXED:
        return property->type == GUI_TYPE_RANK_SET
                   ? is_same_set (*(JobRankSet **) field, g_value_get_boxed (value))
                   : *(gpointer *) field == g_value_get_boxed (value);
    case G_TYPE_STRING: return g_strcmp0 (*(char **) field, g_value_get_string (value)) == 0;
    case G_TYPE_BOOLEAN: return *(gboolean *) field == g_value_get_boolean (value);
    default: return *(guint *) field == g_value_get_uint (value);
    }
}

static void
release (const GuiProperty *property, gpointer value)
{
    switch (G_TYPE_FUNDAMENTAL (property->type)) {
    case G_TYPE_OBJECT: g_object_unref (value); break;
    case G_TYPE_BOXED: g_boxed_free (property->type, value); break;
    default: g_free (value);
    }
}

static void
write_field (GObject *object, const GuiProperty *property, const GValue *value)
{
    gpointer *field = find_field (object, property), before;

    switch (G_TYPE_FUNDAMENTAL (property->type)) {
    case G_TYPE_BOOLEAN: *(gboolean *) field = g_value_get_boolean (value); return;
    case G_TYPE_UINT: *(guint *) field = g_value_get_uint (value); return;
    default: break;
    }
    before = *field;
    *field = G_VALUE_HOLDS_OBJECT (value)  ? g_value_dup_object (value)
             : G_VALUE_HOLDS_BOXED (value) ? g_value_dup_boxed (value)
                                           : (gpointer) g_value_dup_string (value);
    if (before != NULL) {
        release (property, before);
    }
}

static gboolean
has_pointer (GObject *object, const GuiProperty *property)
{
    GType kind = G_TYPE_FUNDAMENTAL (property->type);

    return kind != G_TYPE_BOOLEAN && kind != G_TYPE_UINT
           && *(gpointer *) find_field (object, property) != NULL;
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
    const GuiProperty *property = &find_table (spec->owner_type)->list[id - 1];

    if (is_same (object, property, value)) {
        return;
    }
    if (property->leave != NULL && has_pointer (object, property)) {
        property->leave (object);
    }
    write_field (object, property, value);
    if (property->enter != NULL) {
        property->enter (object);
    }
    g_object_notify_by_pspec (object, spec);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
    read_field (object, &find_table (spec->owner_type)->list[id - 1], value);
}

static GParamSpec *
new_spec (const GuiProperty *property)
{
    GParamFlags access = (property->flags & G_PARAM_READABLE) != 0 ? 0 : G_PARAM_READWRITE;
    GParamFlags flags = access | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY
                        | property->flags;

    switch (G_TYPE_FUNDAMENTAL (property->type)) {
    case G_TYPE_OBJECT:
        return g_param_spec_object (property->name, NULL, NULL, property->type, flags);
    case G_TYPE_STRING: return g_param_spec_string (property->name, NULL, NULL, NULL, flags);
    case G_TYPE_BOOLEAN: return g_param_spec_boolean (property->name, NULL, NULL, FALSE, flags);
    case G_TYPE_UINT:
        return g_param_spec_uint (property->name, NULL, NULL, 0, G_MAXUINT, 0, flags);
    default: return g_param_spec_boxed (property->name, NULL, NULL, property->type, flags);
    }
}

/* Parents may have it, too: this call is for the object's own class, or for the parent of that for which this was called
 * before. */
void
gui_properties_dispose (GObject *object)
{
    GQuark level = g_quark_from_static_string ("gui-dispose");
    GType before = (GType) g_object_get_qdata (object, level);
    GType type = before != 0 ? g_type_parent (before) : G_OBJECT_TYPE (object);
    GObjectClass *klass;

    while (find_table (type) == NULL
           || G_OBJECT_CLASS (g_type_class_peek (type))->dispose != gui_properties_dispose) {
        type = g_type_parent (type);
    }
    gui_properties_clear (object, type);
    klass = g_type_class_peek (g_type_parent (type));
    g_object_set_qdata (object, level, (gpointer) type);
    klass->dispose (object);
    g_object_set_qdata (object, level, (gpointer) before);
}

void
gui_properties_install (GObjectClass *klass, const GuiProperty *properties, guint n)
{
    GType type = G_OBJECT_CLASS_TYPE (klass);
    Table *table = g_new (Table, 1); /* as long as the class: for ever */

    g_assert (find_table (type) == NULL);
    *table = (Table){ g_memdup2 (properties, n * sizeof *properties), n };
    g_type_set_qdata (type, g_quark_from_static_string ("gui-properties"), table);
    klass->set_property = set_property;
    klass->get_property = get_property;
    for (guint i = 0; i < n; i++) {
        g_autofree char *name = g_strdelimit (g_strdup (properties[i].name), "_", '-');

        table->list[i].name = g_intern_string (name);
        g_object_class_install_property (klass, i + 1, new_spec (&table->list[i]));
    }
}

void
gui_properties_share (gpointer parent, const char *name, gpointer child, ...)
{
    va_list children;

    va_start (children, child);
    for (; child != NULL; child = va_arg (children, gpointer)) {
        g_object_bind_property (parent, name, child, name, G_BINDING_SYNC_CREATE);
    }
    va_end (children);
}

void
gui_properties_clear (gpointer object, GType type)
{
    const Table *table = find_table (type);

    for (guint i = 0; i < table->n; i++) {
        const GuiProperty *property = &table->list[i];

        if (!has_pointer (object, property)) {
            continue;
        }
        if (property->leave != NULL) {
            property->leave (object);
        }
        release (property, g_steal_pointer ((gpointer *) find_field (object, property)));
    }
}

guint
gui_signal_new (gpointer klass, const char *name, const GType *types)
{
    guint n = 0;

    while (types[n] != 0) {
        n++;
    }
    return g_signal_newv (name, G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, NULL, NULL, NULL,
                          NULL, G_TYPE_NONE, n, (GType *) types);
}

void
gui_types_ensure (const GType *types)
{
    for (; *types != 0; types++) {
        g_type_ensure (*types);
    }
}
