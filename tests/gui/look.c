/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks at a window for what is wrong with it, as every-window.c says, and takes pictures. Language, theme, scale and
 * TEXT_DPI are the environment's. */
#include "look.h"
#include "gui/kit/settings.h"
#include "gui/kit/theme.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_WIDTH = 1280,
    MAX_HEIGHT = 800,
    MIN_TARGET = 20,
    QUIET_MS = 15,
    N_QUIET = 2,
    MAX_SETTLE = 60,
    LIMIT_S = 120,
    MAX_STOPS = 200,
    MAX_TWICE = 12
};

/* ---- the main loop, until everything that was begun is shown ---- */

static gboolean
count_quiet (gpointer count)
{
    ++*(guint *) count;
    return G_SOURCE_CONTINUE;
}

void
look_settle (void)
{
    guint count = 0, source = g_timeout_add_full (G_PRIORITY_LOW + 100, QUIET_MS, count_quiet,
                                                  &count, NULL);

    while (count < N_QUIET) {
        gtk_main_iteration ();
    }
    g_source_remove (source);
}

static gboolean
fail_late (gpointer what)
{
    g_error ("waited %d s for %s", LIMIT_S, (const char *) what);
    return G_SOURCE_REMOVE;
}

void
look_await (const char *what, gboolean (*is_so) (GtkWidget *widget), GtkWidget *widget)
{
    guint limit = g_timeout_add_seconds (LIMIT_S, fail_late, (gpointer) what);

    while (!is_so (widget)) {
        gtk_main_iteration ();
    }
    g_source_remove (limit);
    look_settle ();
}

/* ---- finding ---- */

typedef struct {
    const char *id;
    GType type;
    GPtrArray *found;
} Search;

static void
search (GtkWidget *widget, gpointer user)
{
    Search *wanted = user;

    if (!gtk_widget_get_visible (widget)) {
        return;
    }
    if (wanted->id != NULL) {
        const char *id = atk_object_get_accessible_id (gtk_widget_get_accessible (widget));

        if (g_strcmp0 (id, wanted->id) == 0) {
            g_ptr_array_add (wanted->found, widget);
        }
    } else if (g_type_is_a (G_OBJECT_TYPE (widget), wanted->type)) {
        g_ptr_array_add (wanted->found, widget);
    }
    if (GTK_IS_CONTAINER (widget)) {
        gtk_container_forall (GTK_CONTAINER (widget), search, user);
    }
}

GPtrArray *
look_find_all (GtkWidget *root, GType type)
{
    Search wanted = { .type = type, .found = g_ptr_array_new () };

    search (root, &wanted);
    return wanted.found;
}

GtkWidget *
look_find (GtkWidget *root, const char *id)
{
    g_autoptr (GPtrArray) found = g_ptr_array_new ();
    Search wanted = { .id = id, .found = found };

    search (root, &wanted);
    if (found->len == 0) {
        g_error ("there is no \"%s\" in %s", id, gtk_window_get_title (GTK_WINDOW (root)));
    }
    return found->pdata[0];
}

/* ---- inspecting ---- */

static void complain (Tour *tour, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
complain (Tour *tour, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list list;

    va_start (list, format);
    text = g_strdup_vprintf (format, list);
    va_end (list);
    g_ptr_array_add (tour->pending, g_steal_pointer (&text));
}

static void
say_pending (Tour *tour)
{
    for (guint i = 0; i < tour->pending->len; i++) {
        if (!g_hash_table_contains (tour->said, tour->pending->pdata[i])) {
            printf ("# %s: %s\n", tour->state, (const char *) tour->pending->pdata[i]);
            g_hash_table_add (tour->said, g_strdup (tour->pending->pdata[i]));
            tour->n_bad++;
        }
    }
    g_ptr_array_set_size (tour->pending, 0);
}

/* Containers that the focus only passes through, and parts that speak with their owner's name. */
static gboolean
needs_no_name (GtkWidget *widget)
{
    GtkWidget *parent = gtk_widget_get_parent (widget);

    return GTK_IS_SCROLLED_WINDOW (widget) || GTK_IS_VIEWPORT (widget) || GTK_IS_WINDOW (widget)
           || GTK_IS_NOTEBOOK (widget) || GTK_IS_PANED (widget)
           || GTK_IS_FLOW_BOX_CHILD (widget) || GTK_IS_LIST_BOX_ROW (widget)
           || GTK_IS_POPOVER (widget) || GTK_IS_MENU_SHELL (widget) || GTK_IS_FLOW_BOX (widget)
           || (GTK_IS_LABEL (widget) && *gtk_label_get_text (GTK_LABEL (widget)) == '\0')
           || (parent != NULL && gtk_widget_get_ancestor (parent, GTK_TYPE_COMBO_BOX) != NULL
               && !GTK_IS_ENTRY (widget))
           || (GTK_IS_BUTTON (widget) && GTK_IS_TREE_VIEW (parent)); /* a column's head */
}

static void
check_name (Tour *tour, GtkWidget *widget)
{
    AtkObject *object = gtk_widget_get_accessible (widget);
    const char *name = atk_object_get_name (object);
    const char *id = atk_object_get_accessible_id (object);
    g_autoptr (AtkRelationSet) relations = NULL;

    if (!gtk_widget_get_can_focus (widget) || needs_no_name (widget)) {
        return;
    }
    relations = atk_object_ref_relation_set (object);
    if ((name == NULL || *name == '\0')
        && !atk_relation_set_contains (relations, ATK_RELATION_LABELLED_BY)) {
        complain (tour, "no name for a %s \"%s\" in a %s", G_OBJECT_TYPE_NAME (widget),
                  id != NULL ? id : "", G_OBJECT_TYPE_NAME (gtk_widget_get_parent (widget)));
    }
}

/* The tooltip of a button names its shortcut as this user's keyboard does. */
static void
check_shortcut (Tour *tour, GtkWidget *widget)
{
    const char *action = gtk_actionable_get_action_name (GTK_ACTIONABLE (widget));
    g_autofree char *tip = gtk_widget_get_tooltip_text (widget), *label = NULL;
    g_auto (GStrv) keys = NULL;
    GdkModifierType modifiers;
    guint key;

    if (action == NULL) {
        return;
    }
    keys
        = gtk_application_get_accels_for_action (GTK_APPLICATION (g_application_get_default ()),
                                                 action);
    if (keys[0] == NULL) {
        return;
    }
    gtk_accelerator_parse (keys[0], &key, &modifiers);
    label = gtk_accelerator_get_label (key, modifiers);
    if (tip == NULL || strstr (tip, label) == NULL) {
        complain (tour, "the button for %s has the tooltip \"%s\", without %s", action,
                  tip != NULL ? tip : "", label);
    }
}

static gboolean
is_told_whole (GtkWidget *widget)
{
    for (GtkWidget *at = widget; at != NULL && !GTK_IS_WINDOW (at);
         at = gtk_widget_get_parent (at)) {
        if (gtk_widget_get_has_tooltip (at)) {
            return TRUE;
        }
    }
    return FALSE;
}

static void
check_label (Tour *tour, GtkWidget *widget)
{
    GtkLabel *label = GTK_LABEL (widget);
    PangoLayout *layout = gtk_label_get_layout (label);
    int width, height, given = gtk_widget_get_allocated_width (widget);

    if (pango_layout_is_ellipsized (layout)) {
        if (!is_told_whole (widget)) {
            complain (tour, "cut: \"%s\"", gtk_label_get_text (label));
        }
        return;
    }
    pango_layout_get_pixel_size (layout, &width, &height);
    if (!gtk_label_get_line_wrap (label) && width > given + 1) {
        complain (tour, "clipped, %d of %d: \"%s\"", given, width, gtk_label_get_text (label));
    }
    if (pango_layout_get_unknown_glyphs_count (layout) > 0) {
        complain (tour, "no glyphs for \"%s\"", gtk_label_get_text (label));
    }
}

static void
check_pages (Tour *tour, GtkNotebook *notebook)
{
    for (int i = 0; i < gtk_notebook_get_n_pages (notebook); i++) {
        GtkWidget *label = gtk_notebook_get_tab_label (notebook,
                                                       gtk_notebook_get_nth_page (notebook, i));

        if (gtk_notebook_get_show_tabs (notebook) && gtk_widget_get_visible (label)
            && !gtk_widget_get_child_visible (label)) {
            complain (tour, "no room for the tab \"%s\"",
                      GTK_IS_LABEL (label) ? gtk_label_get_text (GTK_LABEL (label))
                                           : G_OBJECT_TYPE_NAME (label));
        }
    }
}

static void
check (GtkWidget *widget, gpointer user)
{
    Tour *tour = user;

    if (!gtk_widget_get_mapped (widget)) {
        return;
    }
    check_name (tour, widget);
    if (GTK_IS_BUTTON (widget) && !GTK_IS_MODEL_BUTTON (widget)) { /* those show it beside */
        check_shortcut (tour, widget);
    }
    if (GTK_IS_LABEL (widget)) {
        check_label (tour, widget);
    } else if (GTK_IS_NOTEBOOK (widget)) {
        check_pages (tour, GTK_NOTEBOOK (widget));
    } else if (GTK_IS_BUTTON (widget) && gtk_widget_get_allocated_width (widget) > 1
               && MIN (gtk_widget_get_allocated_width (widget),
                       gtk_widget_get_allocated_height (widget))
                      < MIN_TARGET) {
        complain (tour, "too small to hit: %s \"%s\", %d x %d", G_OBJECT_TYPE_NAME (widget),
                  gtk_button_get_label (GTK_BUTTON (widget)),
                  gtk_widget_get_allocated_width (widget),
                  gtk_widget_get_allocated_height (widget));
    }
    if (GTK_IS_CONTAINER (widget)) {
        gtk_container_forall (GTK_CONTAINER (widget), check, tour);
    }
}

static gboolean
is_equal (GdkPixbuf *one, GdkPixbuf *other)
{
    return one != NULL && gdk_pixbuf_get_byte_length (one) == gdk_pixbuf_get_byte_length (other)
           && memcmp (gdk_pixbuf_read_pixels (one), gdk_pixbuf_read_pixels (other),
                      gdk_pixbuf_get_byte_length (one))
                  == 0;
}

/* Not painted yet: the screen is still black. */
static gboolean
is_blank (GdkPixbuf *picture)
{
    const guint8 *pixels = gdk_pixbuf_read_pixels (picture);
    gsize size = gdk_pixbuf_get_byte_length (picture);

    return size < 2 || memcmp (pixels, pixels + 1, size - 1) == 0;
}

/* The picture on the screen once two in a row are equal; for a menu, with the window behind
 * it. */
static void
take_picture (Tour *tour, GtkWidget *widget)
{
    GdkWindow *window = gtk_widget_get_window (gtk_widget_get_toplevel (widget));
    g_autoptr (GError) error = NULL;
    g_autoptr (GdkPixbuf) picture = NULL, last = NULL;
    g_autofree char *name = g_strdup_printf ("%s/%s.png", tour->folder, tour->state);

    for (guint i = 0;
         i < MAX_SETTLE && (picture == NULL || is_blank (picture) || !is_equal (last, picture));
         i++) {
        g_set_object (&last, picture);
        g_clear_object (&picture);
        look_settle ();
        picture = gdk_pixbuf_get_from_window (window, 0, 0, gdk_window_get_width (window),
                                              gdk_window_get_height (window));
    }
    if (!gdk_pixbuf_save (picture, name, "png", &error, NULL)) {
        g_error ("%s", error->message);
    }
}

/* A choice of one among several is a single stop of Tab; arrow keys do the rest. */
static gboolean
is_reached_otherwise (GtkWidget *widget, GHashTable *reached)
{
    GtkWidget *parent = gtk_widget_get_parent (widget);

    for (GSList *link = GTK_IS_RADIO_BUTTON (widget)
                            ? gtk_radio_button_get_group (GTK_RADIO_BUTTON (widget))
                            : NULL;
         link != NULL; link = link->next) {
        if (g_hash_table_contains (reached, link->data)) {
            return TRUE;
        }
    }
    return needs_no_name (widget) || GTK_IS_LABEL (widget) || GTK_IS_POPOVER (parent)
           || gtk_widget_get_ancestor (widget, GTK_TYPE_FLOW_BOX) != NULL
           || gtk_widget_get_ancestor (widget, GTK_TYPE_POPOVER) != NULL;
}

typedef struct {
    Tour *tour;
    GHashTable *reached;
} Reach;

static void
check_reached (GtkWidget *widget, gpointer user)
{
    Reach *reach = user;

    if (!gtk_widget_get_mapped (widget) || !gtk_widget_is_sensitive (widget)) {
        return;
    }
    if (gtk_widget_get_can_focus (widget) && !g_hash_table_contains (reach->reached, widget)
        && !is_reached_otherwise (widget, reach->reached)) {
        complain (reach->tour, "Tab never comes to a %s \"%s\"", G_OBJECT_TYPE_NAME (widget),
                  atk_object_get_name (gtk_widget_get_accessible (widget)));
    }
    if (GTK_IS_CONTAINER (widget)) {
        gtk_container_forall (GTK_CONTAINER (widget), check_reached, user);
    }
}

/* Tab must reach every control of a window. */
static void
check_keyboard (Tour *tour, GtkWidget *window)
{
    GtkWidget *before = gtk_window_get_focus (GTK_WINDOW (window));
    g_autoptr (GHashTable) reached = g_hash_table_new (NULL, NULL);
    Reach reach = { tour, reached };
    guint n_twice = 0;

    for (guint i = 0; i < MAX_STOPS && n_twice < MAX_TWICE; i++) {
        GtkWidget *focus;

        gtk_widget_child_focus (window, GTK_DIR_TAB_FORWARD);
        focus = gtk_window_get_focus (GTK_WINDOW (window));
        n_twice += focus == NULL || !g_hash_table_add (reached, focus);
    }
    check_reached (window, &reach);
    if (before != NULL) {
        gtk_widget_grab_focus (before);
    }
}

/* What is wrong with it, and still is when it had its time: columns find their widths and texts
 * their places in the frames that follow, which a busy machine is late with. */
static void
check_patiently (Tour *tour, GtkWidget *widget)
{
    for (guint i = 0; i < MAX_SETTLE; i++) {
        look_settle ();
        g_ptr_array_set_size (tour->pending, 0);
        check (widget, tour);
        if (GTK_IS_WINDOW (widget)) {
            check_keyboard (tour, widget);
        }
        if (tour->pending->len == 0) {
            return;
        }
    }
}

void
look_at (Tour *tour, GtkWidget *widget, const char *name, const char *part)
{
    int width, height;
    GdkRectangle screen;

    g_free (tour->state);
    tour->state = part != NULL ? g_strdup_printf ("%s-%s", name, part) : g_strdup (name);
    tour->n_states++;
    check_patiently (tour, widget);
    if (GTK_IS_WINDOW (widget)) {
        GtkRequisition least;

        gtk_window_get_size (GTK_WINDOW (widget), &width, &height);
        gtk_widget_get_preferred_size (widget, &least, NULL);
        gdk_monitor_get_workarea (gdk_display_get_monitor (gdk_display_get_default (), 0),
                                  &screen);
        if (least.width > MAX_WIDTH || least.height > MAX_HEIGHT) {
            complain (tour, "%d x %d is too large for a small screen", least.width,
                      least.height);
        }
        if (width > screen.width || height > screen.height) {
            complain (tour, "%d x %d does not fit this screen", width, height);
        }
    }
    say_pending (tour);
    if (tour->folder != NULL) {
        take_picture (tour, widget);
    }
}

void
look_at_pages (Tour *tour, GtkWidget *window, const char *name)
{
    g_autoptr (GPtrArray) notebooks = look_find_all (window, GTK_TYPE_NOTEBOOK);

    for (guint i = 0; i < notebooks->len; i++) {
        GtkNotebook *notebook = notebooks->pdata[i];
        int current = gtk_notebook_get_current_page (notebook);

        for (int page = 0; page < gtk_notebook_get_n_pages (notebook); page++) {
            g_autofree char *part = g_strdup_printf ("page-%u-%d", i, page);

            gtk_notebook_set_current_page (notebook, page);
            look_at (tour, window, name, part);
        }
        gtk_notebook_set_current_page (notebook, current);
    }
}

/* What the window's menu buttons open. */
void
look_at_menus (Tour *tour, GtkWidget *window, const char *name)
{
    g_autoptr (GPtrArray) buttons = look_find_all (window, GTK_TYPE_MENU_BUTTON);

    for (guint i = 0; i < buttons->len; i++) {
        GtkWidget *popover = GTK_WIDGET (gtk_menu_button_get_popover (buttons->pdata[i]));
        g_autofree char *part = g_strdup_printf ("menu-%u", i);

        if (popover != NULL && gtk_widget_get_mapped (buttons->pdata[i])
            && gtk_widget_is_sensitive (buttons->pdata[i])) {
            gtk_popover_popup (GTK_POPOVER (popover));
            look_at (tour, popover, name, part);
            gtk_popover_popdown (GTK_POPOVER (popover));
            look_settle ();
        }
    }
}
