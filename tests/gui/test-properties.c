/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Properties that are fields: what is stored, when the class is told, who owns what, and that nothing is
 * notified that has not changed. Then every class of the front end that has a session: one comes, another
 * one, none, and nothing is left behind in it. */
#include "base/words.h"
#include "gui/chart/selection-bar.h"
#include "gui/chart/state-chart.h"
#include "gui/chart/state-legend.h"
#include "gui/lists/breakpoint-list.h"
#include "gui/console/console-window.h"
#include "gui/console/group-list.h"
#include "gui/lists/log-view.h"
#include "gui/console/output-view.h"
#include "gui/group/group-panes.h"
#include "gui/group/group-source.h"
#include "gui/group/group-view.h"
#include "gui/group/group-window.h"
#include "gui/kit/template.h"
#include "gui/kit/rank-set.h"
#include "gui/kit/settings.h"
#include "gui/kit/theme.h"
#include "gui/profile/profile-source.h"
#include "gui/waits/wait-view.h"
#include "session/messages.h"
#include "session/model.h"
#include "session/operations.h"

/* ---- a class of its own ---- */

#define TYPE_THING (thing_get_type ())
G_DECLARE_FINAL_TYPE (Thing, thing, TEST, THING, GObject)

struct _Thing {
    GObject parent;
    GObject *object;
    JobRankSet *ranks;
    char *text;
    gboolean flag;
    guint number;
    char *made_of;
    guint n_left, n_entered, n_seen;
};

G_DEFINE_TYPE (Thing, thing, G_TYPE_OBJECT)

static void
leave (gpointer user)
{
    Thing *self = user;

    g_assert_nonnull (self->object);
    self->n_left++;
}

static void
enter (gpointer user)
{
    TEST_THING (user)->n_entered++;
}

static void
thing_dispose (GObject *object)
{
    gui_properties_clear (object, TYPE_THING);
    gui_properties_clear (object, TYPE_THING);
    g_assert_null (TEST_THING (object)->object);
    g_assert_null (TEST_THING (object)->ranks);
    g_assert_null (TEST_THING (object)->text);
    G_OBJECT_CLASS (thing_parent_class)->dispose (object);
}

static void
thing_class_init (ThingClass *klass)
{
    G_OBJECT_CLASS (klass)->dispose = thing_dispose;
    GUI_PROPERTIES (klass, Thing, (object, G_TYPE_OBJECT, leave, enter),
                    (ranks, GUI_TYPE_RANK_SET), (text, G_TYPE_STRING),
                    (flag, G_TYPE_BOOLEAN, .enter = enter), (number, G_TYPE_UINT),
                    (made_of, G_TYPE_STRING, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (n_seen, G_TYPE_UINT, .flags = G_PARAM_READABLE));
}

static void
thing_init (Thing *self)
{
}

static void
on_notify (Thing *self, GParamSpec *spec, GString *names)
{
    g_string_append_printf (names, "%s ", spec->name);
}

static void
assert_notified (GString *names, const char *wanted)
{
    g_assert_cmpstr (names->str, ==, wanted);
    g_string_truncate (names, 0);
}

static void
test_values (void)
{
    g_autoptr (Thing) thing = g_object_new (TYPE_THING, "made-of", "wood", NULL);
    g_autoptr (JobRankSet) some = job_rank_set_new_range (2, 5), same = NULL, back = NULL;
    g_autoptr (GString) names = g_string_new (NULL);
    g_autofree char *text = NULL;
    gboolean flag;
    guint number;

    g_signal_connect (thing, "notify", G_CALLBACK (on_notify), names);
    g_object_set (thing, "text", "a", NULL);
    assert_notified (names, "text ");
    g_object_set (thing, "text", "a", "number", 0u, "flag", FALSE, "ranks", NULL, NULL);
    assert_notified (names, "");
    g_object_set (thing, "ranks", some, NULL);
    same = job_rank_set_dup (some);
    assert_notified (names, "ranks ");
    g_object_set (thing, "ranks", same, NULL); /* another set with the same ranks */
    assert_notified (names, "");
    g_object_set (thing, "number", 7u, NULL);
    g_object_set (thing, "flag", TRUE, NULL);
    assert_notified (names, "number flag ");
    g_assert_cmpuint (thing->n_entered, ==, 1);
    g_object_get (thing, "text", &text, "number", &number, "flag", &flag, "ranks", &back, NULL);
    g_assert_cmpstr (text, ==, "a");
    g_assert_cmpuint (number, ==, 7);
    g_assert_true (flag);
    g_assert_true (job_rank_set_equal (back, some));
    g_assert_true (back != thing->ranks);
    g_object_set (thing, "text", NULL, "ranks", NULL, NULL);
    g_assert_null (thing->text);
    g_assert_null (thing->ranks);
    g_assert_cmpstr (thing->made_of, ==, "wood");
    g_clear_pointer (&thing->made_of, g_free);
}

static void
test_objects (void)
{
    g_autoptr (Thing) thing = g_object_new (TYPE_THING, NULL);
    g_autoptr (GObject) first = g_object_new (G_TYPE_OBJECT, NULL);
    g_autoptr (GObject) second = g_object_new (G_TYPE_OBJECT, NULL);

    g_object_set (thing, "object", first, NULL);
    g_assert_cmpuint (thing->n_left, ==, 0);
    g_assert_cmpuint (thing->n_entered, ==, 1);
    g_assert_cmpuint (first->ref_count, ==, 2);
    g_object_set (thing, "object", first, NULL);
    g_assert_cmpuint (thing->n_entered, ==, 1);
    g_object_set (thing, "object", second, NULL);
    g_assert_cmpuint (thing->n_left, ==, 1);
    g_assert_cmpuint (thing->n_entered, ==, 2);
    g_assert_cmpuint (first->ref_count, ==, 1);
    g_object_set (thing, "object", NULL, NULL);
    g_assert_cmpuint (thing->n_left, ==, 2);
    g_assert_cmpuint (second->ref_count, ==, 1);
    g_object_set (thing, "object", first, NULL);
    g_clear_object (&thing);
    g_assert_cmpuint (first->ref_count, ==, 1);
}

static void
test_access (void)
{
    GObjectClass *klass = g_type_class_ref (TYPE_THING);
    GParamSpec *fixed = g_object_class_find_property (klass, "made-of");
    GParamSpec *read = g_object_class_find_property (klass, "n-seen");
    GParamSpec *usual = g_object_class_find_property (klass, "text");

    g_assert_cmpuint (fixed->flags & (G_PARAM_CONSTRUCT_ONLY | G_PARAM_READWRITE), ==,
                      G_PARAM_CONSTRUCT_ONLY | G_PARAM_READWRITE);
    g_assert_cmpuint (read->flags & G_PARAM_READWRITE, ==, G_PARAM_READABLE);
    g_assert_cmpuint (usual->flags & G_PARAM_READWRITE, ==, G_PARAM_READWRITE);
    g_type_class_unref (klass);
}

/* As a template's binding does it. */
static void
test_binding (void)
{
    g_autoptr (Thing) one = g_object_new (TYPE_THING, NULL);
    g_autoptr (Thing) other = g_object_new (TYPE_THING, NULL);
    g_autoptr (JobRankSet) some = job_rank_set_new_range (0, 3);

    g_object_bind_property (one, "ranks", other, "ranks", 0);
    g_object_bind_property (one, "object", other, "object", 0);
    g_object_set (one, "ranks", some, "object", other, NULL);
    g_assert_true (job_rank_set_equal (other->ranks, some));
    g_assert_true (other->object == G_OBJECT (other));
    g_object_set (one, "object", NULL, NULL);
    g_assert_null (other->object);
}

/* ---- the classes of the front end ---- */

/* A class is found below when it is registered: the first of these have templates with further ones. */
static void
register_classes (void)
{
    GType const types[] = { GUI_TYPE_CONSOLE_WINDOW, GUI_TYPE_GROUP_WINDOW,
                            GUI_TYPE_GROUP_VIEW,     GUI_TYPE_GROUP_PANES,
                            GUI_TYPE_GROUP_SOURCE,   GUI_TYPE_STATE_CHART,
                            GUI_TYPE_STATE_LEGEND,   GUI_TYPE_SELECTION_BAR,
                            GUI_TYPE_GROUP_LIST,     GUI_TYPE_BREAKPOINT_LIST,
                            GUI_TYPE_LOG_VIEW,       GUI_TYPE_OUTPUT_VIEW,
                            GUI_TYPE_WAIT_VIEW,      GUI_TYPE_PROFILE_SOURCE };

    for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
        g_type_class_unref (g_type_class_ref (types[i]));
    }
}

/* The classes of the front end below this one that take a session at any time. */
static void
find_classes (GType type, GArray *found)
{
    g_autofree GType *children = g_type_children (type, NULL);

    for (guint i = 0; children[i] != 0; i++) {
        find_classes (children[i], found);
    }
    if (g_str_has_prefix (g_type_name (type), "Gui") && !G_TYPE_IS_ABSTRACT (type)) {
        GObjectClass *klass = g_type_class_ref (type);
        GParamSpec *spec = g_object_class_find_property (klass, "session");

        if (spec != NULL
            && (spec->flags & (G_PARAM_WRITABLE | G_PARAM_CONSTRUCT_ONLY))
                   == G_PARAM_WRITABLE) {
            g_array_append_val (found, type);
        }
        g_type_class_unref (klass);
    }
}

static gboolean
has_handler_of (Session *session, gpointer widget)
{
    GListModel *const lists[] = { session_get_message_list (session),
                                  session_get_operation_list (session),
                                  session_get_breakpoint_list (session),
                                  session_get_set_list (session) };
    gboolean is_followed
        = g_signal_handler_find (session, G_SIGNAL_MATCH_DATA, 0, 0, NULL, NULL, widget) != 0;

    for (guint i = 0; i < G_N_ELEMENTS (lists); i++) {
        is_followed |= g_signal_handler_find (lists[i], G_SIGNAL_MATCH_DATA, 0, 0, NULL, NULL,
                                              widget)
                       != 0;
    }
    return is_followed;
}

static void
settle (void)
{
    while (g_main_context_iteration (NULL, FALSE)) {
    }
}

static void
count_notify (GtkWidget *widget, GParamSpec *spec, guint *n)
{
    (*n)++;
}

static Session *
new_session (void)
{
    Session *session = session_new ();

    session_start_scripted (session, 4, NULL, NULL);
    return session;
}

/* A view of profiles has a selection from the start. */
static GtkWidget *
new_widget (GType type)
{
    g_autoptr (GuiProfileSelection) selection = gui_profile_selection_new ();
    GtkWidget *widget = type == GUI_TYPE_PROFILE_SOURCE ? gui_profile_source_new (selection)
                                                        : g_object_new (type, NULL);

    gtk_widget_show (widget);
    return widget;
}

static void
check_class (GType type)
{
    GtkWidget *window = gtk_window_new (GTK_WINDOW_TOPLEVEL);
    GtkWidget *widget = new_widget (type);
    g_autoptr (Session) first = new_session (), second = new_session ();
    guint first_count, second_count, n = 0;
    gboolean is_followed;

    g_test_message ("%s", g_type_name (type));
    settle ();
    first_count = G_OBJECT (first)->ref_count;
    second_count = G_OBJECT (second)->ref_count;
    gtk_container_add (GTK_CONTAINER (window), widget);
    gtk_widget_show (window);
    g_signal_connect (widget, "notify::session", G_CALLBACK (count_notify), &n);
    g_object_set (widget, "session", first, NULL);
    is_followed = has_handler_of (first, widget);
    settle ();
    g_object_set (widget, "session", first, NULL);
    g_assert_cmpuint (n, ==, 1);
    g_assert_cmpuint (G_OBJECT (first)->ref_count, >, first_count);
    g_object_set (widget, "session", second, NULL);
    g_assert_cmpuint (n, ==, 2);
    settle ();
    g_assert_false (has_handler_of (first, widget));
    g_assert_cmpuint (G_OBJECT (first)->ref_count, ==, first_count);
    g_assert_cmpint (has_handler_of (second, widget), ==, is_followed);
    g_object_set (widget, "session", NULL, NULL);
    settle ();
    g_assert_false (has_handler_of (second, widget));
    g_assert_cmpuint (G_OBJECT (second)->ref_count, ==, second_count);
    g_object_set (widget, "session", first, NULL);
    settle ();
    g_object_add_weak_pointer (G_OBJECT (widget), (gpointer *) &widget);
    gtk_widget_destroy (window);
    settle ();
    g_assert_null (widget);
    g_assert_cmpuint (G_OBJECT (first)->ref_count, ==, first_count);
}

static void
test_classes (void)
{
    g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (GType));

    register_classes ();
    find_classes (GTK_TYPE_WIDGET, found);
    for (guint i = 0; i < found->len; i++) {
        check_class (g_array_index (found, GType, i));
    }
    g_assert_cmpuint (found->len, >=, 15);
}

int
main (int argc, char **argv)
{
    gtk_test_init (&argc, &argv, NULL);
    base_words_init ("pddt", "/nonexistent");
    gui_settings_init ();
    gui_theme_init ();
    g_test_add_func ("/gui/properties/values", test_values);
    g_test_add_func ("/gui/properties/objects", test_objects);
    g_test_add_func ("/gui/properties/access", test_access);
    g_test_add_func ("/gui/properties/binding", test_binding);
    g_test_add_func ("/gui/properties/classes", test_classes);
    return g_test_run ();
}
