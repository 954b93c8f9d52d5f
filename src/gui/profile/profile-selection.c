/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/profile-selection.h"
#include "gui/kit/template.h"
#include "gui/profile/profile-colours.h"
#include "gui/profile/profile-common.h"
#include <glib/gi18n.h>

#define LEAST_S 1e-6

struct _GuiProfileSelection {
    GObject parent;
    const ProfileModel *model;
    ProfileModel *slice; /* NULL: to be made */
    double duration, begin, end;
    JobRankSet *ranks; /* NULL: all */
    gboolean is_own;   /* the program's own functions alone */
    int class;
    guint32 context;
    gboolean has_location;
    JobLocation location; /* texts are the model's */
};

G_DEFINE_TYPE (GuiProfileSelection, gui_profile_selection, G_TYPE_OBJECT)

enum { PROP_BEGIN = 1, PROP_END, PROP_CLASS, PROP_CONTEXT, N_PROPERTIES };
static GParamSpec *properties[N_PROPERTIES];
static guint changed_signal;

static void
emit (GuiProfileSelection *self, guint what)
{
    if ((what & (GUI_PROFILE_CHANGE_MODEL | GUI_PROFILE_CHANGE_SLICE)) != 0) {
        g_clear_pointer (&self->slice, profile_model_free);
        g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BEGIN]);
        g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_END]);
        g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CLASS]);
    }
    if ((what & GUI_PROFILE_CHANGE_PLACE) != 0) {
        g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CONTEXT]);
    }
    if (what != 0) {
        g_signal_emit (self, changed_signal, 0, what);
    }
}

/* ---- the model ---- */

void
gui_profile_selection_set_model (GuiProfileSelection *self, const ProfileModel *model)
{
    self->model = model;
    self->duration = model != NULL ? profile_model_get_end (model) : 0;
    self->begin = 0;
    self->end = self->duration;
    g_clear_pointer (&self->ranks, job_rank_set_free);
    self->class = PROFILE_ALL_CLASSES;
    self->context = 0;
    self->has_location = FALSE;
    emit (self, GUI_PROFILE_CHANGE_MODEL | GUI_PROFILE_CHANGE_SLICE | GUI_PROFILE_CHANGE_PLACE);
}

void
gui_profile_selection_update (GuiProfileSelection *self)
{
    gboolean is_all = gui_profile_selection_is_all_time (self);

    if (self->model == NULL) {
        return;
    }
    self->duration = profile_model_get_end (self->model);
    if (is_all) {
        self->begin = 0;
        self->end = self->duration;
    }
    emit (self, GUI_PROFILE_CHANGE_MODEL | GUI_PROFILE_CHANGE_SLICE);
}

const ProfileModel *
gui_profile_selection_get_model (GuiProfileSelection *self)
{
    return self->model;
}

const ProfileModel *
gui_profile_selection_get_slice (GuiProfileSelection *self)
{
    if (self->slice == NULL && self->model != NULL) {
        /* The end belongs to it where it is the last sample's. */
        ProfileSlice slice = { self->begin,
                               self->end >= self->duration ? G_MAXDOUBLE : self->end,
                               self->ranks, self->class };

        self->slice = profile_model_new_slice (self->model, &slice);
    }
    return self->slice;
}

/* ---- time ---- */

double
gui_profile_selection_get_duration (GuiProfileSelection *self)
{
    return self->duration;
}

double
gui_profile_selection_get_begin (GuiProfileSelection *self)
{
    return self->begin;
}

double
gui_profile_selection_get_end (GuiProfileSelection *self)
{
    return self->end;
}

gboolean
gui_profile_selection_is_all_time (GuiProfileSelection *self)
{
    return self->begin <= 0 && self->end >= self->duration;
}

void
gui_profile_selection_set_time (GuiProfileSelection *self, double begin_s, double end_s)
{
    double low = CLAMP (MIN (begin_s, end_s), 0, self->duration);
    double high = CLAMP (MAX (begin_s, end_s), 0, self->duration);

    if (high - low < LEAST_S) {
        low = MAX (0, high - LEAST_S);
        high = MIN (self->duration, low + LEAST_S);
    }
    if (low != self->begin || high != self->end) {
        self->begin = low;
        self->end = high;
        emit (self, GUI_PROFILE_CHANGE_SLICE);
    }
}

/* ---- ranks and class ---- */

const JobRankSet *
gui_profile_selection_get_ranks (GuiProfileSelection *self)
{
    return self->ranks;
}

/* Those of the set that have samples; NULL: all or none of them. */
static JobRankSet *
choose_ranks (const ProfileModel *model, const JobRankSet *set)
{
    guint n = model != NULL ? profile_model_get_n_ranks (model) : 0;
    JobRankSet *chosen = job_rank_set_new ();

    for (guint i = 0; set != NULL && i < n; i++) {
        if (job_rank_set_contains (set, profile_model_get_rank (model, i))) {
            job_rank_set_add (chosen, profile_model_get_rank (model, i));
        }
    }
    if (job_rank_set_is_empty (chosen) || job_rank_set_get_count (chosen) == n) {
        g_clear_pointer (&chosen, job_rank_set_free);
    }
    return chosen;
}

void
gui_profile_selection_set_ranks (GuiProfileSelection *self, const JobRankSet *ranks)
{
    JobRankSet *chosen = choose_ranks (self->model, ranks);

    if (chosen == self->ranks
        || (chosen != NULL && self->ranks != NULL
            && job_rank_set_equal (chosen, self->ranks))) {
        g_clear_pointer (&chosen, job_rank_set_free);
        return;
    }
    g_clear_pointer (&self->ranks, job_rank_set_free);
    self->ranks = chosen;
    emit (self, GUI_PROFILE_CHANGE_SLICE);
}

void
gui_profile_selection_set_own (GuiProfileSelection *self, gboolean is_own)
{
    if (is_own != self->is_own) {
        self->is_own = is_own;
        emit (self, GUI_PROFILE_CHANGE_SLICE);
    }
}

ProfileCosts *
gui_profile_selection_new_costs (GuiProfileSelection *self)
{
    const ProfileModel *slice = gui_profile_selection_get_slice (self);

    return slice == NULL  ? NULL
           : self->is_own ? profile_costs_new_own (slice)
                          : profile_costs_new (slice);
}

int
gui_profile_selection_get_class (GuiProfileSelection *self)
{
    return self->class;
}

void
gui_profile_selection_set_class (GuiProfileSelection *self, int class)
{
    int chosen = class >= 0 && class < JOB_N_CLASSES ? class : PROFILE_ALL_CLASSES;

    if (chosen != self->class) {
        self->class = chosen;
        emit (self, GUI_PROFILE_CHANGE_SLICE);
    }
}

void
gui_profile_selection_reset (GuiProfileSelection *self)
{
    if (gui_profile_selection_is_all_time (self) && self->ranks == NULL
        && self->class == PROFILE_ALL_CLASSES) {
        return;
    }
    self->begin = 0;
    self->end = self->duration;
    g_clear_pointer (&self->ranks, job_rank_set_free);
    self->class = PROFILE_ALL_CLASSES;
    emit (self, GUI_PROFILE_CHANGE_SLICE);
}

/* ---- the place ---- */

guint32
gui_profile_selection_get_context (GuiProfileSelection *self)
{
    return self->context;
}

const JobLocation *
gui_profile_selection_get_location (GuiProfileSelection *self)
{
    return self->has_location ? &self->location : NULL;
}

static void
set_place (GuiProfileSelection *self, guint32 context, const JobLocation *location)
{
    gboolean is_same = self->context == context
                       && job_location_equal (gui_profile_selection_get_location (self),
                                              location);

    self->context = context;
    self->has_location = location != NULL;
    if (location != NULL) {
        self->location = *location;
    }
    emit (self, is_same ? 0 : GUI_PROFILE_CHANGE_PLACE);
}

void
gui_profile_selection_set_context (GuiProfileSelection *self, guint32 context)
{
    const JobContextTree *tree = self->model != NULL ? profile_model_get_contexts (self->model)
                                                     : NULL;

    if (tree == NULL || context == 0 || context > job_context_tree_get_count (tree)) {
        set_place (self, 0, NULL);
    } else {
        set_place (self, context, &job_context_tree_get (tree, context)->location);
    }
}

void
gui_profile_selection_set_location (GuiProfileSelection *self, const JobLocation *location)
{
    set_place (self, 0, location);
}

/* ---- as text ---- */

static guint
count_digits (double span)
{
    guint digits = 1;

    for (double step = 1; digits < 6 && span < step; step /= 10) {
        digits++;
    }
    return digits;
}

static char *
format_ranks (GuiProfileSelection *self)
{
    g_autoptr (JobRankSet) all = profile_model_dup_ranks (self->model);

    for (guint i = 0; i < profile_model_get_n_ranks (self->model); i++) {
        job_rank_set_add (all, profile_model_get_rank (self->model, i)); /* children, too */
    }
    return gui_profile_format_set (self->model, self->ranks != NULL ? self->ranks : all, TRUE);
}

char *
gui_profile_selection_format (GuiProfileSelection *self)
{
    g_autofree char *ranks = NULL;
    guint digits = count_digits (self->end - self->begin);

    if (self->model == NULL || profile_model_get_n_ranks (self->model) == 0) {
        return g_strdup (_ ("No samples yet"));
    }
    ranks = format_ranks (self);
    if (self->class != PROFILE_ALL_CLASSES) {
        /* Time, ranks, class: "0.0–12.4 s, ranks 0-31, MPI". */
        return g_strdup_printf (_ ("%.*f–%.*f s, %s, %s"), digits, self->begin, digits,
                                self->end, ranks, gui_profile_colours_get_title (self->class));
    }
    /* Time and ranks: "0.0–12.4 s, ranks 0-31". */
    return g_strdup_printf (_ ("%.*f–%.*f s, %s"), digits, self->begin, digits, self->end,
                            ranks);
}

/* ---- the object ---- */

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
    GuiProfileSelection *self = GUI_PROFILE_SELECTION (object);

    switch (id) {
    case PROP_BEGIN: g_value_set_double (value, self->begin); break;
    case PROP_END: g_value_set_double (value, self->end); break;
    case PROP_CLASS: g_value_set_int (value, self->class); break;
    case PROP_CONTEXT: g_value_set_uint (value, self->context); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
    }
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
    GuiProfileSelection *self = GUI_PROFILE_SELECTION (object);

    switch (id) {
    case PROP_BEGIN:
        gui_profile_selection_set_time (self, g_value_get_double (value), self->end);
        break;
    case PROP_END:
        gui_profile_selection_set_time (self, self->begin, g_value_get_double (value));
        break;
    case PROP_CLASS: gui_profile_selection_set_class (self, g_value_get_int (value)); break;
    case PROP_CONTEXT:
        gui_profile_selection_set_context (self, g_value_get_uint (value));
        break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
    }
}

GUI_FINALIZE (gui_profile_selection, GuiProfileSelection, profile_model_free (self->slice);
              g_clear_pointer (&self->ranks, job_rank_set_free))

static void
gui_profile_selection_class_init (GuiProfileSelectionClass *klass)
{
    GObjectClass *object = G_OBJECT_CLASS (klass);
    GParamFlags flags = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

    object->get_property = get_property;
    object->set_property = set_property;
    object->finalize = gui_profile_selection_finalize;
    properties[PROP_BEGIN] = g_param_spec_double ("begin", "begin", "Begin of the time, s", 0,
                                                  G_MAXDOUBLE, 0, flags);
    properties[PROP_END] = g_param_spec_double ("end", "end", "End of the time, s", 0,
                                                G_MAXDOUBLE, 0, flags);
    properties[PROP_CLASS] = g_param_spec_int ("class", "class", "Class of the samples",
                                               PROFILE_ALL_CLASSES, JOB_N_CLASSES - 1,
                                               PROFILE_ALL_CLASSES, flags);
    properties[PROP_CONTEXT] = g_param_spec_uint ("context", "context", "Selected context", 0,
                                                  G_MAXUINT32, 0, flags);
    g_object_class_install_properties (object, N_PROPERTIES, properties);
    changed_signal = GUI_SIGNAL (klass, "changed", G_TYPE_UINT);
}

static void
gui_profile_selection_init (GuiProfileSelection *self)
{
    self->class = PROFILE_ALL_CLASSES;
}

GuiProfileSelection *
gui_profile_selection_new (void)
{
    return g_object_new (GUI_TYPE_PROFILE_SELECTION, NULL);
}
