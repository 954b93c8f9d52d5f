/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where calls lie in icicle and sunburst, what is at a point, and that both are painted there. */
#include "gui/profile/profile-call-paint.h"
#include "gui/profile/profile-call-search.h"
#include "profile-sample.h"
#include <math.h>
#include <string.h>

static const char *examples;

typedef struct {
    ProfileModel *model;
    ProfileCosts *costs;
    ProfileCallTree *tree;
    GuiProfileCallLayout layout;
} Rig;

static void
rig_init (Rig *rig, guint n_ranks, guint n_samples, guint n_more, guint max_levels,
          double least)
{
    *rig = (Rig){ NULL };
    rig->model = profile_sample_new (n_ranks, n_samples, n_more, examples);
    rig->costs = profile_costs_new (rig->model);
    rig->tree = profile_call_tree_new (rig->costs);
    gui_profile_call_layout_init (&rig->layout, rig->tree, 0, max_levels, least);
}

static void
rig_clear (Rig *rig)
{
    gui_profile_call_layout_clear (&rig->layout);
    profile_call_tree_free (rig->tree);
    profile_costs_free (rig->costs);
    profile_model_free (rig->model);
}

static const GuiProfileCallBox *
get_box (const Rig *rig, int index)
{
    return &g_array_index (rig->layout.boxes, GuiProfileCallBox, index);
}

static guint32
find_call (const Rig *rig, const char *name)
{
    for (guint32 i = 0; i < rig->tree->calls->len; i++) {
        g_autofree char *its
            = gui_profile_call_dup_name (rig->costs,
                                         profile_call_tree_get (rig->tree, i)->function);

        if (strcmp (its, name) == 0) {
            return i;
        }
    }
    g_assert_not_reached ();
}

static void
assert_near (double value, double wanted)
{
    if (fabs (value - wanted) > 1e-9) {
        g_error ("%.12f instead of %.12f", value, wanted);
    }
}

/* Every box is as wide as its time, lies in its caller's and overlaps none of its level. */
static void
test_layout (void)
{
    g_autofree double *ends = NULL;
    guint n_rests = 0;
    Rig rig;

    rig_init (&rig, 4, 1000, 300, 100, 0.002);
    ends = g_new0 (double, rig.layout.n_levels);
    g_assert_cmpuint (rig.layout.n_levels, >, 10);
    g_assert_false (rig.layout.is_cut);
    for (guint i = 0; i < rig.layout.boxes->len; i++) {
        const GuiProfileCallBox *box = get_box (&rig, (int) i);
        const ProfileCall *call = profile_call_tree_get (rig.tree, box->call);
        int outer = gui_profile_call_layout_find_call (&rig.layout, box->n_rest > 0
                                                                        ? box->call
                                                                        : call->parent);

        n_rests += box->n_rest;
        if (box->n_rest == 0) {
            assert_near (box->end - box->begin, call->total / rig.costs->total);
            g_assert_cmpfloat (box->end - box->begin, >=, 0.002 - 1e-12);
        }
        if (box->level > 0) {
            g_assert_cmpint (outer, >=, 0);
            g_assert_cmpuint (get_box (&rig, outer)->level, ==, box->level - 1);
            g_assert_cmpfloat (box->begin, >=, get_box (&rig, outer)->begin - 1e-9);
            g_assert_cmpfloat (box->end, <=, get_box (&rig, outer)->end + 1e-9);
        }
        g_assert_cmpfloat (box->begin, >=, ends[box->level] - 1e-9);
        ends[box->level] = box->end;
    }
    g_assert_cmpuint (n_rests, >, 0);
    rig_clear (&rig);
}

static void
test_levels_and_root (void)
{
    Rig rig;
    guint32 step;

    rig_init (&rig, 4, 1000, 0, 3, 0);
    g_assert_cmpuint (rig.layout.n_levels, ==, 3);
    g_assert_true (rig.layout.is_cut);
    step = find_call (&rig, "time_step");
    g_assert_cmpint (gui_profile_call_layout_find_call (&rig.layout, step), ==, -1);
    gui_profile_call_layout_clear (&rig.layout);

    gui_profile_call_layout_init (&rig.layout, rig.tree, step, 10, 0);
    g_assert_cmpuint (get_box (&rig, 0)->call, ==, step);
    assert_near (get_box (&rig, 0)->begin, 0);
    assert_near (get_box (&rig, 0)->end, 1);
    g_assert_cmpuint (get_box (&rig, 1)->level, ==, 1);
    assert_near (get_box (&rig, 1)->end, profile_call_tree_get (rig.tree, step + 1)->total
                                             / profile_call_tree_get (rig.tree, step)->total);
    g_assert_cmpint (gui_profile_call_layout_find_call (&rig.layout,
                                                        find_call (&rig, "MPI_Allreduce")),
                     ==, -1);
    rig_clear (&rig);
}

/* Whatever is painted is found again at its middle, in both shapes. */
static void
test_hits (void)
{
    Rig rig;

    rig_init (&rig, 4, 1000, 200, 100, 0.001);
    for (guint shape = 0; shape < 2; shape++) {
        GuiProfileCallFrame frame;

        gui_profile_call_frame_init (&frame, shape == 1, 1000, 700, rig.layout.n_levels, 13);
        for (guint i = 0; i < rig.layout.boxes->len; i++) {
            double x, y, position;
            guint level;

            gui_profile_call_frame_get_middle (&frame, get_box (&rig, (int) i), &x, &y);
            g_assert_true (gui_profile_call_frame_find (&frame, x, y, &level, &position));
            g_assert_cmpint (gui_profile_call_layout_find (&rig.layout, level, position), ==,
                             (int) i);
        }
    }
    g_assert_cmpint (gui_profile_call_layout_find (&rig.layout, 500, 0.5), ==, -1);
    rig_clear (&rig);
}

static void
test_steps (void)
{
    Rig rig;
    int main, step, index;

    rig_init (&rig, 4, 1000, 0, 100, 0);
    main = gui_profile_call_layout_find_call (&rig.layout, find_call (&rig, "main"));
    step = gui_profile_call_layout_find_call (&rig.layout, find_call (&rig, "time_step"));
    g_assert_cmpint (gui_profile_call_layout_find_next (&rig.layout, main, GUI_PROFILE_CALL_IN),
                     ==, step);
    g_assert_cmpint (gui_profile_call_layout_find_next (&rig.layout, step,
                                                        GUI_PROFILE_CALL_OUT),
                     ==, main);
    g_assert_cmpint (gui_profile_call_layout_find_next (&rig.layout, 0, GUI_PROFILE_CALL_OUT),
                     ==, -1);
    index = gui_profile_call_layout_find_next (&rig.layout, step, GUI_PROFILE_CALL_AFTER);
    g_assert_cmpuint (get_box (&rig, index)->call, ==, find_call (&rig, "MPI_Allreduce"));
    g_assert_cmpint (gui_profile_call_layout_find_next (&rig.layout, index,
                                                        GUI_PROFILE_CALL_BEFORE),
                     ==, step);
    index = gui_profile_call_layout_find_call (&rig.layout, find_call (&rig, "opal_progress"));
    g_assert_cmpint (gui_profile_call_layout_find_next (&rig.layout, index,
                                                        GUI_PROFILE_CALL_IN),
                     ==, -1);
    rig_clear (&rig);
}

/* What a match has called counts with it: MPI_Sendrecv is inside exchange. */
static void
test_search (void)
{
    GuiProfileCallSearch search;
    Rig rig;

    rig_init (&rig, 4, 1000, 0, 100, 0);
    gui_profile_call_search_init (&search, rig.costs, rig.tree, 0, "");
    g_assert_null (search.is_found);
    gui_profile_call_search_init (&search, rig.costs, rig.tree, 0, "EXCHANGE");
    g_assert_cmpuint (search.n_functions, ==, 1);
    assert_near (search.seconds,
                 profile_call_tree_get (rig.tree, find_call (&rig, "exchange"))->total);
    g_assert_true (search.is_found[find_call (&rig, "exchange")]);
    g_assert_false (search.is_found[find_call (&rig, "MPI_Sendrecv")]);
    gui_profile_call_search_clear (&search);
    gui_profile_call_search_init (&search, rig.costs, rig.tree, 0,
                                  "e"); /* each inside another */
    g_assert_cmpuint (search.n_functions, >, 5);
    assert_near (search.seconds, profile_call_tree_get (rig.tree, 1)->total);
    gui_profile_call_search_clear (&search);
    gui_profile_call_search_init (&search, rig.costs, rig.tree, find_call (&rig, "exchange"),
                                  "e"); /* in it, and nowhere else */
    assert_near (search.seconds,
                 profile_call_tree_get (rig.tree, find_call (&rig, "exchange"))->total);
    g_assert_false (search.is_found[1]);
    gui_profile_call_search_clear (&search);
    gui_profile_call_search_init (&search, rig.costs, rig.tree, 0, "nowhere");
    g_assert_nonnull (search.is_found);
    g_assert_cmpuint (search.n_functions, ==, 0);
    gui_profile_call_search_clear (&search);
    rig_clear (&rig);
}

/* ---- painting ---- */

static guint32
get_pixel (cairo_surface_t *surface, double x, double y)
{
    const guint8 *data = cairo_image_surface_get_data (surface);
    int stride = cairo_image_surface_get_stride (surface);
    guint32 pixel;

    memcpy (&pixel, data + (gsize) y * (gsize) stride + (gsize) x * 4, sizeof pixel);
    return pixel & 0xffffff;
}

/* As far as both are from the same colour. */
static double
get_distance (guint32 a, guint32 b)
{
    double sum = 0;

    for (guint shift = 0; shift <= 16; shift += 8) {
        double difference = (double) (a >> shift & 255) - (double) (b >> shift & 255);

        sum += difference * difference;
    }
    return sqrt (sum);
}

static cairo_surface_t *
paint (const Rig *rig, gboolean is_polar, gboolean is_dark, const guint8 *is_found,
       int selected, GuiProfileCallFrame *frame)
{
    cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 1000, 700);
    cairo_t *cr = cairo_create (surface);
    GuiProfileColours colours;
    GuiProfileCallPicture picture = { rig->costs, rig->tree, &rig->layout, &colours,
                                      13,         is_found,  selected,     -1 };

    gui_profile_colours_fill_theme (is_dark, &colours);
    gui_profile_set_colour (cr, colours.background, 1);
    cairo_paint (cr);
    gui_profile_call_frame_init (frame, is_polar, 1000, 700, rig->layout.n_levels, 13);
    gui_profile_call_paint (cr, frame, &picture);
    cairo_destroy (cr);
    cairo_surface_flush (surface);
    return surface;
}

/* At the end of a box, where no text is. */
static guint32
get_box_pixel (cairo_surface_t *surface, const GuiProfileCallFrame *frame,
               const GuiProfileCallBox *box)
{
    GuiProfileCallBox end = *box;
    double x, y;

    end.begin = box->end - (box->end - box->begin) * 0.1;
    gui_profile_call_frame_get_middle (frame, &end, &x, &y);
    return get_pixel (surface, x, y);
}

/* Whether the colour lies between the background and the other: cosine of the two directions. */
static double
get_likeness (guint32 background, guint32 a, guint32 b)
{
    double product = 0, left = 0, right = 0;

    for (guint shift = 0; shift <= 16; shift += 8) {
        double x = (double) (a >> shift & 255) - (double) (background >> shift & 255);
        double y = (double) (b >> shift & 255) - (double) (background >> shift & 255);

        product += x * y;
        left += x * x;
        right += y * y;
    }
    return product / sqrt (left * right);
}

/* A call that is only MPI has a tint of MPI's colour and of no other class's, in each shape and theme;
 * native code likewise. */
static void
test_colours (void)
{
    static const struct {
        const char *name;
        JobClass class;
    } cases[] = { { "opal_progress", JOB_CLASS_MPI }, { "heat_step", JOB_CLASS_NATIVE } };
    Rig rig;

    rig_init (&rig, 4, 1000, 0, 100, 0);
    for (guint i = 0; i < 8; i++) {
        gboolean is_polar = i & 1, is_dark = (i & 2) != 0;
        int box = gui_profile_call_layout_find_call (&rig.layout,
                                                     find_call (&rig, cases[i / 4].name));
        GuiProfileCallFrame frame;
        cairo_surface_t *surface = paint (&rig, is_polar, is_dark, NULL, -1, &frame);
        guint32 pixel = get_box_pixel (surface, &frame, get_box (&rig, box));
        GuiProfileColours colours;

        gui_profile_colours_fill_theme (is_dark, &colours);
        g_assert_cmpuint (pixel, !=, colours.background);
        for (guint class = 0; class < JOB_N_CLASSES; class ++) {
            double likeness = get_likeness (colours.background, pixel, colours.classes[class]);

            if (class == cases[i / 4].class) {
                g_assert_cmpfloat (likeness, >, 0.999);
            } else {
                g_assert_cmpfloat (likeness, <, 0.999);
            }
        }
        cairo_surface_destroy (surface);
    }
    rig_clear (&rig);
}

/* What the search does not match fades; the selected one has an outline. */
static void
test_search_and_selection (void)
{
    g_autofree guint8 *is_found = NULL;
    GuiProfileCallFrame frame;
    cairo_surface_t *plain, *found;
    GuiProfileColours colours;
    int mpi, heat;
    Rig rig;

    rig_init (&rig, 4, 1000, 0, 100, 0);
    gui_profile_colours_fill_theme (FALSE, &colours);
    is_found = g_new0 (guint8, rig.tree->calls->len);
    is_found[find_call (&rig, "opal_progress")] = 1;
    mpi = gui_profile_call_layout_find_call (&rig.layout, find_call (&rig, "opal_progress"));
    heat = gui_profile_call_layout_find_call (&rig.layout, find_call (&rig, "heat_step"));
    plain = paint (&rig, FALSE, FALSE, NULL, -1, &frame);
    found = paint (&rig, FALSE, FALSE, is_found, mpi, &frame);
    g_assert_cmpuint (get_box_pixel (plain, &frame, get_box (&rig, mpi)), ==,
                      get_box_pixel (found, &frame, get_box (&rig, mpi)));
    g_assert_cmpfloat (get_distance (get_box_pixel (found, &frame, get_box (&rig, heat)),
                                     colours.background),
                       <,
                       get_distance (get_box_pixel (plain, &frame, get_box (&rig, heat)),
                                     colours.background)
                           / 2);
    g_assert_cmpuint (get_pixel (found, get_box (&rig, mpi)->begin * 1000 + 30,
                                 get_box (&rig, mpi)->level * frame.row + 1),
                      ==, colours.selection);
    cairo_surface_destroy (plain);
    cairo_surface_destroy (found);
    rig_clear (&rig);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_assert_cmpint (argc, ==, 2);
    examples = argv[1];
    g_test_add_func ("/gui/profile-calls/layout", test_layout);
    g_test_add_func ("/gui/profile-calls/levels-and-root", test_levels_and_root);
    g_test_add_func ("/gui/profile-calls/hits", test_hits);
    g_test_add_func ("/gui/profile-calls/steps", test_steps);
    g_test_add_func ("/gui/profile-calls/search", test_search);
    g_test_add_func ("/gui/profile-calls/colours", test_colours);
    g_test_add_func ("/gui/profile-calls/search-and-selection", test_search_and_selection);
    return g_test_run ();
}
