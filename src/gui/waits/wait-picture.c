/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrows come from the calls' own arguments; the verdict determines the culprits. */
#include "gui/waits/wait-picture.h"
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>
#include "gui/kit/theme.h"

enum { MAX_NODES = 24, MAX_NAMED = 4, MAX_HEIGHT = 1200 };
enum { CAPTION_LINES = 2, CAPTION_EMS = 9, GAP = 6 };

typedef struct {
    guint32 from, to;
} Edge; /* indexes of nodes */

typedef struct {
    guint32 rank;
    char *does;         /* "MPI_Recv", "crashed with SIGSEGV"; NULL: not known */
    gboolean is_inside; /* MPI */
    gboolean has_peer;  /* it waits for a message of somebody */
    gboolean is_culprit;
} Node;

struct _GuiWaitPicture {
    GtkDrawingArea parent;
    GArray *nodes, *edges;
    JobRankSet *left_out;
};

G_DEFINE_TYPE (GuiWaitPicture, gui_wait_picture, GTK_TYPE_DRAWING_AREA)

static void
clear_node (gpointer node)
{
    g_free (((Node *) node)->does);
}

/* G_MAXUINT32 when there is no room. */
static guint32
take_node (GuiWaitPicture *self, guint32 rank)
{
    Node node = { .rank = rank };

    for (guint i = 0; i < self->nodes->len; i++) {
        if (g_array_index (self->nodes, Node, i).rank == rank) {
            return i;
        }
    }
    if (self->nodes->len >= MAX_NODES) {
        job_rank_set_add (self->left_out, rank);
        return G_MAXUINT32;
    }
    g_array_append_val (self->nodes, node);
    return self->nodes->len - 1;
}

static void
add_queue (GuiWaitPicture *self, const JobMessageQueue *queue)
{
    const JobMessageCall *call = job_message_queue_find_call (queue);
    guint32 from = call != NULL ? take_node (self, queue->rank) : G_MAXUINT32;
    Node *node;

    if (from == G_MAXUINT32) {
        return;
    }
    node = &g_array_index (self->nodes, Node, from);
    node->does = g_strdup (call->name);
    node->is_inside = TRUE;
    for (guint i = 0; i < call->waits->len; i++) {
        guint32 index = g_array_index (call->waits, guint32, i);
        const JobMessageOperation *operation = index < queue->operations->len
                                                   ? queue->operations->pdata[index]
                                                   : NULL;
        Edge edge = { from, 0 };

        if (operation == NULL || operation->peer < 0
            || operation->kind == JOB_MESSAGE_COLLECTIVE) {
            continue;
        }
        edge.to = take_node (self, (guint32) operation->peer);
        if (edge.to != G_MAXUINT32) {
            g_array_append_val (self->edges, edge);
            g_array_index (self->nodes, Node, from).has_peer = TRUE;
        }
    }
}

static void
describe (GuiWaitPicture *self)
{
    g_autoptr (GString) text = g_string_new (NULL);

    for (guint i = 0; i < self->edges->len; i++) {
        const Edge *edge = &g_array_index (self->edges, Edge, i);

        g_string_append_printf (text, _ ("%u waits for %u. "),
                                g_array_index (self->nodes, Node, edge->from).rank,
                                g_array_index (self->nodes, Node, edge->to).rank);
    }
    for (guint i = 0; i < self->nodes->len; i++) {
        const Node *node = &g_array_index (self->nodes, Node, i);

        if (node->does != NULL && !node->is_inside) {
            /* Translators: a rank, and what it does: "3: crashed with SIGSEGV at app.c:7". */
            g_string_append_printf (text, _ ("%u: %s. "), node->rank, node->does);
        }
    }
    atk_object_set_description (gtk_widget_get_accessible (GTK_WIDGET (self)), text->str);
}

/* Of those who are outside MPI the sentence says what they do. */
static void
add_words (GuiWaitPicture *self, const AnalysisVerdictPart *part)
{
    JobRankIter iter = { 0 };
    guint32 rank, index;

    while (part->caption != NULL && job_rank_set_next (part->ranks, &iter, &rank)) {
        index = take_node (self, rank);
        if (index != G_MAXUINT32 && g_array_index (self->nodes, Node, index).does == NULL) {
            g_array_index (self->nodes, Node, index).does = g_strdup (part->caption->shown);
        }
    }
}

static gboolean
is_waited_for (GuiWaitPicture *self, guint32 index)
{
    for (guint i = 0; i < self->edges->len; i++) {
        if (g_array_index (self->edges, Edge, i).to == index) {
            return TRUE;
        }
    }
    return FALSE;
}

/* Culprits without an arrow, as in a collective: ranks without another peer wait for them. */
static void
add_edges_to (GuiWaitPicture *self, const AnalysisVerdict *verdict, guint32 culprit,
              guint n_nodes)
{
    for (guint32 i = 0; i < n_nodes; i++) {
        const Node *node = &g_array_index (self->nodes, Node, i);
        Edge edge = { i, culprit };

        if (i != culprit && !node->has_peer
            && job_rank_set_contains (verdict->waiting, node->rank)) {
            g_array_append_val (self->edges, edge);
        }
    }
}

static void
add_culprits (GuiWaitPicture *self, const AnalysisVerdict *verdict)
{
    guint n_nodes = self->nodes->len;

    for (guint32 i = 0; i < n_nodes; i++) {
        Node *node = &g_array_index (self->nodes, Node, i);

        if (job_rank_set_contains (verdict->culprits, node->rank)) {
            node->is_culprit = TRUE;
            if (!node->is_inside && !is_waited_for (self, i)) {
                add_edges_to (self, verdict, i, n_nodes);
            }
        }
    }
}

/* Where there is no room for all, each fault has its own ranks drawn before others are. */
static void
take_culprits (GuiWaitPicture *self, const AnalysisVerdict *first)
{
    guint n_faults = 0, share;

    for (const AnalysisVerdict *verdict = first; verdict != NULL; verdict = verdict->next) {
        n_faults++;
    }
    share = n_faults > 0 ? MAX (MAX_NODES / n_faults, 1) : 0;
    for (const AnalysisVerdict *verdict = first; verdict != NULL; verdict = verdict->next) {
        JobRankIter iter = { 0 };
        guint32 rank;

        for (guint i = 0; i < share && job_rank_set_next (verdict->culprits, &iter, &rank);
             i++) {
            take_node (self, rank);
        }
    }
}

static void
add_queues (GuiWaitPicture *self, const JobMessageTable *table)
{
    guint n_culprits = self->nodes->len;

    for (guint pass = 0; pass < 2; pass++) {
        for (guint i = 0; i < table->queues->len; i++) {
            const JobMessageQueue *queue = table->queues->pdata[i];
            gboolean is_first = FALSE;

            for (guint j = 0; j < n_culprits && !is_first; j++) {
                is_first = g_array_index (self->nodes, Node, j).rank == queue->rank;
            }
            if (is_first == (pass == 0)) {
                add_queue (self, queue);
            }
        }
    }
}

static int
compare_nodes (gconstpointer a, gconstpointer b)
{
    const Node *left = a, *right = b;

    return left->rank < right->rank ? -1 : left->rank > right->rank;
}

/* In the order of ranks neighbours stand beside each other, and fewest arrows cross. */
static void
sort_nodes (GuiWaitPicture *self)
{
    g_autofree guint32 *ranks = g_new (guint32, self->nodes->len + 1);

    for (guint i = 0; i < self->nodes->len; i++) {
        ranks[i] = g_array_index (self->nodes, Node, i).rank;
    }
    g_array_sort (self->nodes, compare_nodes);
    for (guint i = 0; i < self->edges->len; i++) {
        Edge *edge = &g_array_index (self->edges, Edge, i);

        edge->from = take_node (self, ranks[edge->from]);
        edge->to = take_node (self, ranks[edge->to]);
    }
}

void
gui_wait_picture_set (GuiWaitPicture *self, const JobMessageTable *table,
                      const AnalysisVerdict *verdict)
{
    g_array_set_size (self->nodes, 0);
    g_array_set_size (self->edges, 0);
    job_rank_set_clear (self->left_out);
    take_culprits (self, verdict);
    if (table != NULL) {
        add_queues (self, table);
    }
    for (; verdict != NULL; verdict = verdict->next) {
        for (guint i = 0; i < verdict->parts->len; i++) {
            add_words (self, verdict->parts->pdata[i]);
        }
        add_culprits (self, verdict);
    }
    sort_nodes (self);
    describe (self);
    gtk_widget_queue_resize (GTK_WIDGET (self));
    gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* How large things are in the user's font. */
typedef struct {
    double radius;        /* of a node */
    double most;          /* how wide a line under a node may be */
    double caption_width; /* the widest that there is */
    double caption;       /* the height of the highest; 0: there is none */
} Metrics;

static const char *find_common_call (GuiWaitPicture *self);

/* What stands under a node; NULL: nothing. */
static const char *
get_caption (GuiWaitPicture *self, const Node *node, const char *common)
{
    if (node->does == NULL || (node->is_inside && common != NULL)) {
        return NULL;
    }
    return node->does;
}

/* On two lines if it is long. */
static PangoLayout *
new_caption (GuiWaitPicture *self, const char *text, double width)
{
    PangoLayout *layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), text);

    pango_layout_set_width (layout, (int) (width * PANGO_SCALE));
    pango_layout_set_height (layout, -CAPTION_LINES);
    pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
    pango_layout_set_alignment (layout, PANGO_ALIGN_CENTER);
    return layout;
}

static Metrics
measure (GuiWaitPicture *self)
{
    const char *common = find_common_call (self);
    g_autoptr (PangoLayout) layout = NULL;
    guint32 highest = 0;
    g_autofree char *number = NULL;
    Metrics metrics = { 0 };
    int width, height;

    for (guint i = 0; i < self->nodes->len; i++) {
        highest = MAX (highest, g_array_index (self->nodes, Node, i).rank);
    }
    number = g_strdup_printf ("%u", highest);
    layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), number);
    pango_layout_get_pixel_size (layout, &width, &height);
    metrics.radius = MAX (hypot (width, height) / 2 + 3, height);
    metrics.most = CAPTION_EMS * height;
    for (guint i = 0; i < self->nodes->len; i++) {
        const char *text = get_caption (self, &g_array_index (self->nodes, Node, i), common);
        g_autoptr (PangoLayout) caption = text != NULL ? new_caption (self, text, metrics.most)
                                                       : NULL;
        PangoRectangle box;

        if (caption != NULL) {
            pango_layout_get_pixel_extents (caption, NULL, &box);
            metrics.caption_width = MAX (metrics.caption_width, box.width);
            metrics.caption = MAX (metrics.caption, box.height + 1);
        }
    }
    return metrics;
}

static double
get_angle (GuiWaitPicture *self, guint index)
{
    return (self->nodes->len == 2 ? G_PI : -G_PI / 2)
           + 2 * G_PI * index / MAX (self->nodes->len, 1);
}

/* From the picture's middle to a node's at its side. */
static double
get_reach (const Metrics *metrics, double width)
{
    double least = metrics->radius + GAP;

    return MAX (width / 2
                    - (metrics->caption > 0 ? MAX (metrics->caption_width / 2, least) : least),
                metrics->radius);
}

static void
get_place (GuiWaitPicture *self, const Metrics *metrics, guint index, double *ret_x,
           double *ret_y)
{
    double width = gtk_widget_get_allocated_width (GTK_WIDGET (self));
    double height = gtk_widget_get_allocated_height (GTK_WIDGET (self));
    double top = metrics->radius + 2, bottom = height - metrics->radius - metrics->caption - 2;
    double angle = get_angle (self, index);

    *ret_x = width / 2 + cos (angle) * get_reach (metrics, width);
    *ret_y = (top + bottom) / 2 + sin (angle) * MAX ((bottom - top) / 2, 0);
}

/* How far one node must be below the other, which is that far beside it, to cover neither it nor its caption. */
static double
find_drop (const Metrics *metrics, double across)
{
    double apart = 2 * metrics->radius + GAP;

    if (metrics->caption > 0) {
        return across < MAX (metrics->caption_width, 2 * metrics->radius) + GAP
                   ? apart + metrics->caption
                   : 0;
    }
    return across < apart ? sqrt (apart * apart - across * across) : 0;
}

static int
find_height (GuiWaitPicture *self, int width)
{
    Metrics metrics = measure (self);
    double reach = 2 * metrics.radius;

    for (guint i = 0; self->nodes->len > 2 && i < self->nodes->len; i++) {
        double angle = get_angle (self, i), next = get_angle (self, i + 1);
        double down = fabs (sin (angle) - sin (next));

        if (down > 0.001) {
            reach = MAX (reach, find_drop (&metrics, fabs (cos (angle) - cos (next))
                                                         * get_reach (&metrics, width))
                                    / down);
        }
    }
    return (int) MIN (ceil (2 * reach + 2 * metrics.radius + metrics.caption + 4), MAX_HEIGHT);
}

static GtkSizeRequestMode
get_request_mode (GtkWidget *widget)
{
    return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
get_width (GtkWidget *widget, int *least, int *natural)
{
    Metrics metrics = measure (GUI_WAIT_PICTURE (widget));

    *least = *natural = MAX ((int) (1.5 * metrics.most), 200);
}

static void
get_height (GtkWidget *widget, int width, int *least, int *natural)
{
    *least = *natural = find_height (GUI_WAIT_PICTURE (widget), width);
}

static void
get_any_height (GtkWidget *widget, int *least, int *natural)
{
    int width;

    get_width (widget, &width, &width);
    get_height (widget, width, least, natural);
}

static void
draw_edge (GuiWaitPicture *self, cairo_t *cr, const Metrics *metrics, const Edge *edge)
{
    double x, y, to_x, to_y, length, angle, radius = metrics->radius;

    get_place (self, metrics, edge->from, &x, &y);
    get_place (self, metrics, edge->to, &to_x, &to_y);
    angle = atan2 (to_y - y, to_x - x);
    length = hypot (to_x - x, to_y - y) - radius - 2;
    if (length <= radius) {
        return;
    }
    cairo_save (cr);
    cairo_translate (cr, x, y);
    cairo_rotate (cr, angle);
    cairo_move_to (cr, radius + 2, 3);
    cairo_line_to (cr, length - 8, 3);
    cairo_stroke (cr);
    cairo_move_to (cr, length, 3);
    cairo_line_to (cr, length - 10, -2);
    cairo_line_to (cr, length - 10, 8);
    cairo_close_path (cr);
    cairo_fill (cr);
    cairo_restore (cr);
}

static void
draw_text (GuiWaitPicture *self, cairo_t *cr, double x, double y, const char *text)
{
    g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), text);
    int width, height;

    pango_layout_get_pixel_size (layout, &width, &height);
    gtk_render_layout (gtk_widget_get_style_context (GTK_WIDGET (self)), cr, x - width / 2.0,
                       y - height / 2.0, layout);
}

/* In the middle, where arrows pass. */
static void
draw_legend (GuiWaitPicture *self, cairo_t *cr, double y, const char *text)
{
    GtkWidget *widget = GTK_WIDGET (self);
    g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (widget, text);
    GtkStyleContext *style = gtk_widget_get_style_context (widget);
    double x = gtk_widget_get_allocated_width (widget) / 2.0;
    GdkRGBA ground = { 1, 1, 1, 1 };
    int width, height;

    pango_layout_get_pixel_size (layout, &width, &height);
    gtk_style_context_lookup_color (style, "theme_bg_color", &ground);
    ground.alpha = 0.85;
    gdk_cairo_set_source_rgba (cr, &ground);
    cairo_rectangle (cr, x - width / 2.0 - 3, y - height / 2.0, width + 6, height);
    cairo_fill (cr);
    gtk_render_layout (style, cr, x - width / 2.0, y - height / 2.0, layout);
}

/* Under a node, within the picture. */
static void
draw_caption (GuiWaitPicture *self, cairo_t *cr, const Metrics *metrics, double x, double top,
              const char *text)
{
    double space = gtk_widget_get_allocated_width (GTK_WIDGET (self)) - 8.0;
    g_autoptr (PangoLayout) layout = new_caption (self, text, MIN (metrics->most, space));
    PangoRectangle box;

    pango_layout_get_pixel_extents (layout, NULL, &box);
    x = CLAMP (x - box.width / 2.0, 4, MAX (4, space + 4 - box.width));
    gtk_render_layout (gtk_widget_get_style_context (GTK_WIDGET (self)), cr, x - box.x, top,
                       layout);
}

/* The call that all who are inside MPI are in, when they are too many to have it written at each; NULL. */
static const char *
find_common_call (GuiWaitPicture *self)
{
    const char *common = NULL;

    for (guint i = 0; i < self->nodes->len; i++) {
        const Node *node = &g_array_index (self->nodes, Node, i);
        const char *call = node->is_inside ? node->does : NULL;

        if (call != NULL && common != NULL && strcmp (call, common) != 0) {
            return NULL;
        }
        common = call != NULL ? call : common;
    }
    return self->nodes->len > MAX_NAMED ? common : NULL;
}

static void
draw_node (GuiWaitPicture *self, cairo_t *cr, const Metrics *metrics, guint index,
           const GdkRGBA *ink)
{
    const Node *node = &g_array_index (self->nodes, Node, index);
    g_autofree char *number = g_strdup_printf ("%u", node->rank);
    const char *caption;
    double x, y;

    get_place (self, metrics, index, &x, &y);
    cairo_new_path (cr);
    cairo_arc (cr, x, y, metrics->radius, 0, 2 * G_PI);
    if (node->is_culprit) {
        cairo_set_source_rgba (cr, 0.84, 0.37, 0, 0.45);
    } else {
        cairo_set_source_rgba (cr, ink->red, ink->green, ink->blue, 0.08);
    }
    cairo_fill_preserve (cr);
    gdk_cairo_set_source_rgba (cr, ink);
    cairo_stroke (cr);
    draw_text (self, cr, x, y, number);
    caption = get_caption (self, node, find_common_call (self));
    if (caption != NULL) {
        draw_caption (self, cr, metrics, x, y + metrics->radius + 1, caption);
    }
}

static gboolean
draw (GtkWidget *widget, cairo_t *cr)
{
    GuiWaitPicture *self = GUI_WAIT_PICTURE (widget);
    GtkStyleContext *style = gtk_widget_get_style_context (widget);
    Metrics metrics = measure (self);
    GdkRGBA ink;

    gtk_style_context_get_color (style, gtk_style_context_get_state (style), &ink);
    cairo_set_line_width (cr, 1.5);
    gdk_cairo_set_source_rgba (cr, &ink);
    for (guint i = 0; i < self->edges->len; i++) {
        draw_edge (self, cr, &metrics, &g_array_index (self->edges, Edge, i));
    }
    if (find_common_call (self) != NULL) {
        g_autofree char *all = g_strdup_printf (_ ("waiting in %s"), find_common_call (self));

        draw_legend (self, cr,
                     gtk_widget_get_allocated_height (widget) / 2.0
                         + (job_rank_set_is_empty (self->left_out) ? 0 : metrics.radius),
                     all);
    }
    if (!job_rank_set_is_empty (self->left_out)) {
        g_autofree char *text = g_strdup_printf (_ ("%u more are not drawn"),
                                                 job_rank_set_get_count (self->left_out));

        draw_legend (self, cr, gtk_widget_get_allocated_height (widget) / 2.0, text);
    }
    for (guint i = 0; i < self->nodes->len; i++) {
        draw_node (self, cr, &metrics, i, &ink);
    }
    return FALSE;
}

static void
gui_wait_picture_finalize (GObject *object)
{
    g_array_unref (GUI_WAIT_PICTURE (object)->nodes);
    g_array_unref (GUI_WAIT_PICTURE (object)->edges);
    job_rank_set_free (GUI_WAIT_PICTURE (object)->left_out);
    G_OBJECT_CLASS (gui_wait_picture_parent_class)->finalize (object);
}

static void
gui_wait_picture_class_init (GuiWaitPictureClass *klass)
{
    G_OBJECT_CLASS (klass)->finalize = gui_wait_picture_finalize;
    GTK_WIDGET_CLASS (klass)->draw = draw;
    GTK_WIDGET_CLASS (klass)->get_request_mode = get_request_mode;
    GTK_WIDGET_CLASS (klass)->get_preferred_width = get_width;
    GTK_WIDGET_CLASS (klass)->get_preferred_height = get_any_height;
    GTK_WIDGET_CLASS (klass)->get_preferred_height_for_width = get_height;
}

static void
gui_wait_picture_init (GuiWaitPicture *self)
{
    gui_theme_name (GTK_WIDGET (self), "wait-picture", _ ("Who waits for whom"));
    self->nodes = g_array_new (FALSE, TRUE, sizeof (Node));
    g_array_set_clear_func (self->nodes, clear_node);
    self->edges = g_array_new (FALSE, TRUE, sizeof (Edge));
    self->left_out = job_rank_set_new ();
}

GtkWidget *
gui_wait_picture_new (void)
{
    return g_object_new (GUI_TYPE_WAIT_PICTURE, NULL);
}
