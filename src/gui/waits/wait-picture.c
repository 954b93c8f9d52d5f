/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrows come from the calls' own arguments; the verdict determines the culprits. */
#include "gui/waits/wait-picture.h"
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "gui/waits/wait-layout.h"
#include "base/array.h"

enum { MAX_NODES = 24, MAX_NAMED = 4, MAX_HEIGHT = 1200 };
enum { CAPTION_LINES = 2, CAPTION_EMS = 9 };
#define LEAST_SCALE 0.7

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
        GuiWaitEdge edge = { from, 0 };

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

    BASE_EACH_ROW (self->edges, const GuiWaitEdge, edge) {
        g_string_append_printf (text, _ ("%u waits for %u. "),
                                g_array_index (self->nodes, Node, edge->from).rank,
                                g_array_index (self->nodes, Node, edge->to).rank);
    }
    BASE_EACH_ROW (self->nodes, const Node, node) {
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
    return BASE_ANY (i, self->edges->len,
                     g_array_index (self->edges, GuiWaitEdge, i).to == index);
}

/* Culprits without an arrow, as in a collective: ranks without another peer wait for them. */
static void
add_edges_to (GuiWaitPicture *self, const AnalysisVerdict *verdict, guint32 culprit,
              guint n_nodes)
{
    for (guint32 i = 0; i < n_nodes; i++) {
        const Node *node = &g_array_index (self->nodes, Node, i);
        GuiWaitEdge edge = { i, culprit };

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
        BASE_EACH (table->queues, const JobMessageQueue, queue) {
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

BASE_ORDER (compare_nodes, Node, BASE_BY (rank))

/* In the order of ranks neighbours stand beside each other, and fewest arrows cross. */
static void
sort_nodes (GuiWaitPicture *self)
{
    g_autofree guint32 *ranks = g_new (guint32, self->nodes->len + 1);

    for (guint i = 0; i < self->nodes->len; i++) {
        ranks[i] = g_array_index (self->nodes, Node, i).rank;
    }
    g_array_sort (self->nodes, compare_nodes);
    BASE_EACH_ROW (self->edges, GuiWaitEdge, edge) {
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

/* ---- its room ---- */

/* Where all stands in a picture of one width. */
typedef struct {
    GuiWaitNode *nodes;
    double radius, width, height; /* height: with the legend */
    double scale;                 /* of what is drawn: below 1 in a low picture */
} Plan;

/* The call that all who are inside MPI are in, when they are too many to have it written at each; NULL. */
static const char *
find_common_call (GuiWaitPicture *self)
{
    const char *common = NULL;

    BASE_EACH_ROW (self->nodes, const Node, node) {
        const char *call = node->is_inside ? node->does : NULL;

        if (call != NULL && common != NULL && strcmp (call, common) != 0) {
            return NULL;
        }
        common = call != NULL ? call : common;
    }
    return self->nodes->len > MAX_NAMED ? common : NULL;
}

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

/* What is true of all, below the picture. NULL: nothing is. */
static PangoLayout *
new_legend (GuiWaitPicture *self, double width)
{
    const char *common = find_common_call (self);
    guint n_left_out = (guint) job_rank_set_get_count (self->left_out);
    g_autofree char *all = common != NULL ? g_strdup_printf (_ ("waiting in %s"), common)
                                          : g_strdup ("");
    g_autofree char *more = n_left_out > 0
                                ? g_strdup_printf (_ ("%u more are not drawn"), n_left_out)
                                : g_strdup ("");
    g_autofree char *text = g_strconcat (all, *all != '\0' && *more != '\0' ? "\n" : "", more,
                                         NULL);
    PangoLayout *layout;

    if (*text == '\0') {
        return NULL;
    }
    layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), text);
    pango_layout_set_width (layout, (int) (width * PANGO_SCALE));
    pango_layout_set_alignment (layout, PANGO_ALIGN_CENTER);
    return layout;
}

/* The numbers stand in the nodes, in the user's font. */
static double
measure_radius (GuiWaitPicture *self, double *ret_most)
{
    g_autoptr (PangoLayout) layout = NULL;
    g_autofree char *number = NULL;
    guint32 highest = 0;
    int width, height;

    for (guint i = 0; i < self->nodes->len; i++) {
        highest = MAX (highest, g_array_index (self->nodes, Node, i).rank);
    }
    number = g_strdup_printf ("%u", highest);
    layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), number);
    pango_layout_get_pixel_size (layout, &width, &height);
    *ret_most = CAPTION_EMS * height;
    return MAX (hypot (width, height) / 2 + 3, height);
}

static void
clear_plan (Plan *plan)
{
    g_clear_pointer (&plan->nodes, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Plan, clear_plan)

static void
make_plan (GuiWaitPicture *self, double width, Plan *plan)
{
    const char *common = find_common_call (self);
    g_autoptr (PangoLayout) legend = new_legend (self, width);
    guint n = self->nodes->len;
    double most;
    int legend_height = 0;

    *plan = (Plan){ .nodes = g_new0 (GuiWaitNode, n + 1), .width = width, .scale = 1 };
    plan->radius = measure_radius (self, &most);
    for (guint i = 0; i < n; i++) {
        const char *text = get_caption (self, &g_array_index (self->nodes, Node, i), common);
        g_autoptr (PangoLayout) caption = text != NULL
                                              ? new_caption (self, text, MIN (most, width - 8))
                                              : NULL;
        PangoRectangle box;

        if (caption != NULL) {
            pango_layout_get_pixel_extents (caption, NULL, &box);
            plan->nodes[i].caption_width = box.width;
            plan->nodes[i].caption_height = box.height + 1;
        }
    }
    gui_wait_layout_find_faults (plan->nodes, n, (const GuiWaitEdge *) self->edges->data,
                                 self->edges->len);
    plan->height = gui_wait_layout_place (plan->nodes, n, plan->radius, width);
    if (legend != NULL) {
        pango_layout_get_pixel_size (legend, NULL, &legend_height);
    }
    plan->height += legend_height;
}

/* As large as it fits the height, down to the least scale; what is lower still is scrolled. */
static void
fit_plan (GuiWaitPicture *self, double width, double height, Plan *plan)
{
    for (double scale = 1;; scale -= 0.1) {
        make_plan (self, width / scale, plan);
        plan->scale = scale;
        if (plan->height * scale <= height || scale < LEAST_SCALE + 0.05) {
            break;
        }
        clear_plan (plan);
    }
    if (plan->height * plan->scale > height) { /* it was not given what it asked for */
        plan->scale = height / plan->height;
    }
}

static int
find_height (GuiWaitPicture *self, int width, double scale)
{
    g_auto (Plan) plan = { 0 };

    make_plan (self, width / scale, &plan);
    return (int) MIN (ceil (plan.height * scale), MAX_HEIGHT);
}

static GtkSizeRequestMode
get_request_mode (GtkWidget *widget)
{
    return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
get_width (GtkWidget *widget, int *least, int *natural)
{
    double most;

    measure_radius (GUI_WAIT_PICTURE (widget), &most);
    *least = *natural = MAX ((int) (1.5 * most), 200);
}

static void
get_height (GtkWidget *widget, int width, int *least, int *natural)
{
    *natural = find_height (GUI_WAIT_PICTURE (widget), width, 1);
    *least = MIN (find_height (GUI_WAIT_PICTURE (widget), width, LEAST_SCALE), *natural);
}

static void
get_any_height (GtkWidget *widget, int *least, int *natural)
{
    int width;

    get_width (widget, &width, &width);
    get_height (widget, width, least, natural);
}

/* ---- what is drawn ---- */

/* At the origin, from where the line comes. */
static void
draw_head (cairo_t *cr, double angle)
{
    cairo_save (cr);
    cairo_rotate (cr, angle);
    cairo_move_to (cr, 0, 0);
    cairo_line_to (cr, -10, -5);
    cairo_line_to (cr, -10, 5);
    cairo_close_path (cr);
    cairo_fill (cr);
    cairo_restore (cr);
}

/* A third node stands where a straight line would be. */
static gboolean
is_barred (const Plan *plan, guint n_nodes, const GuiWaitEdge *edge)
{
    const GuiWaitNode *from = &plan->nodes[edge->from], *to = &plan->nodes[edge->to];
    double across = to->x - from->x, down = to->y - from->y;
    double square = across * across + down * down;

    for (guint i = 0; i < n_nodes && square > 0; i++) {
        const GuiWaitNode *node = &plan->nodes[i];
        double share = ((node->x - from->x) * across + (node->y - from->y) * down) / square;

        if (i != edge->from && i != edge->to && share > 0 && share < 1
            && hypot (from->x + share * across - node->x, from->y + share * down - node->y)
                   < plan->radius + 2) {
            return TRUE;
        }
    }
    return FALSE;
}

/* Around what stands between: the first node is at the origin, the other one so far to the right. */
static void
draw_bow (cairo_t *cr, double radius, double distance)
{
    double side = radius * 3, end_x = distance - radius * 0.75, end_y = radius * 0.75 + 2;

    cairo_move_to (cr, radius * 0.75, end_y);
    cairo_curve_to (cr, radius * 2, side, distance - radius * 2, side, end_x, end_y);
    cairo_stroke (cr);
    cairo_translate (cr, end_x, end_y);
    draw_head (cr, atan2 (end_y - side, radius * 1.25));
}

static void
draw_edge (cairo_t *cr, const Plan *plan, guint n_nodes, const GuiWaitEdge *edge)
{
    const GuiWaitNode *from = &plan->nodes[edge->from], *to = &plan->nodes[edge->to];
    double angle = atan2 (to->y - from->y, to->x - from->x);
    double length = hypot (to->x - from->x, to->y - from->y) - plan->radius - 2;

    if (length <= plan->radius) {
        return;
    }
    cairo_save (cr);
    cairo_translate (cr, from->x, from->y);
    cairo_rotate (cr, angle);
    if (is_barred (plan, n_nodes, edge)) {
        draw_bow (cr, plan->radius, length + plan->radius + 2);
    } else {
        cairo_move_to (cr, plan->radius + 2, 3);
        cairo_line_to (cr, length - 8, 3);
        cairo_stroke (cr);
        cairo_translate (cr, length, 3);
        draw_head (cr, 0);
    }
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

/* Under a node, within the picture. */
static void
draw_caption (GuiWaitPicture *self, cairo_t *cr, const Plan *plan, const GuiWaitNode *place,
              const char *text)
{
    double space = plan->width - 8, x;
    g_autoptr (PangoLayout) layout = new_caption (self, text,
                                                  MIN (place->caption_width + 1, space));
    PangoRectangle box;

    pango_layout_get_pixel_extents (layout, NULL, &box);
    x = CLAMP (place->x - box.width / 2.0, 4, MAX (4, space + 4 - box.width));
    gtk_render_layout (gtk_widget_get_style_context (GTK_WIDGET (self)), cr, x - box.x,
                       place->y + plan->radius + 1, layout);
}

static void
draw_node (GuiWaitPicture *self, cairo_t *cr, const Plan *plan, guint index, const GdkRGBA *ink)
{
    const Node *node = &g_array_index (self->nodes, Node, index);
    const GuiWaitNode *place = &plan->nodes[index];
    g_autofree char *number = g_strdup_printf ("%u", node->rank);
    const char *caption = get_caption (self, node, find_common_call (self));

    cairo_new_path (cr);
    cairo_arc (cr, place->x, place->y, plan->radius, 0, 2 * G_PI);
    if (node->is_culprit) {
        cairo_set_source_rgba (cr, 0.84, 0.37, 0, 0.45);
    } else {
        cairo_set_source_rgba (cr, ink->red, ink->green, ink->blue, 0.08);
    }
    cairo_fill_preserve (cr);
    gdk_cairo_set_source_rgba (cr, ink);
    cairo_stroke (cr);
    draw_text (self, cr, place->x, place->y, number);
    if (caption != NULL) {
        draw_caption (self, cr, plan, place, caption);
    }
}

static gboolean
draw (GtkWidget *widget, cairo_t *cr)
{
    GuiWaitPicture *self = GUI_WAIT_PICTURE (widget);
    GtkStyleContext *style = gtk_widget_get_style_context (widget);
    int width = gtk_widget_get_allocated_width (widget);
    int height = gtk_widget_get_allocated_height (widget);
    g_autoptr (PangoLayout) legend = NULL;
    g_auto (Plan) plan = { 0 };
    int legend_height;
    GdkRGBA ink;

    fit_plan (self, width, height, &plan);
    gtk_style_context_get_color (style, gtk_style_context_get_state (style), &ink);
    cairo_translate (cr, MAX (width - plan.width * plan.scale, 0) / 2,
                     MAX (height - plan.height * plan.scale, 0) / 2);
    cairo_scale (cr, plan.scale, plan.scale);
    cairo_set_line_width (cr, 1.5);
    gdk_cairo_set_source_rgba (cr, &ink);
    for (guint i = 0; i < self->edges->len; i++) {
        draw_edge (cr, &plan, self->nodes->len, &g_array_index (self->edges, GuiWaitEdge, i));
    }
    for (guint i = 0; i < self->nodes->len; i++) {
        draw_node (self, cr, &plan, i, &ink);
    }
    legend = new_legend (self, plan.width);
    if (legend != NULL) {
        pango_layout_get_pixel_size (legend, NULL, &legend_height);
        gtk_render_layout (style, cr, 0, plan.height - legend_height, legend);
    }
    return FALSE;
}

GUI_FINALIZE (gui_wait_picture, GuiWaitPicture, g_array_unref (self->nodes);
              g_array_unref (self->edges); job_rank_set_free (self->left_out))

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
    self->edges = g_array_new (FALSE, TRUE, sizeof (GuiWaitEdge));
    self->left_out = job_rank_set_new ();
}
