/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shows the result of the analysis; decides nothing itself. */
#include "gui/group/face-bar.h"
#include <glib/gi18n.h>
#include <string.h>
#include "base/array.h"
#include "base/clock.h"
#include "gui/kit/properties.h"
#include "gui/kit/rank-set.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"

static const struct {
    const char *icon, *style, *name;
} faces[] = {
    [ANALYSIS_FACE_TOGETHER] = { "pddt-together-symbolic", "together", N_ ("happy face") },
    [ANALYSIS_FACE_DIVERGED] = { "pddt-diverged-symbolic", "diverged", N_ ("sad face") },
    [ANALYSIS_FACE_UNKNOWN] = { "pddt-unknown-symbolic", "unknown", N_ ("state unknown") },
    [ANALYSIS_FACE_ENDED] = { "pddt-unknown-symbolic", "unknown",
                              N_ ("face of an ended group") },
    [ANALYSIS_FACE_BLOCKED] = { "pddt-diverged-symbolic", "blocked",
                                N_ ("sad face of blocked ranks") },
    [ANALYSIS_FACE_CRASHED] = { "pddt-crashed-symbolic", "crashed", N_ ("face of a crash") },
};

enum { MAX_PLACES = 12, MAX_SPLIT_TEXT = 16, MAX_LATE_TEXT = 40, MAX_LATE = 4096 };

struct _GuiFaceBar {
    GtkBox parent;
    GtkWidget *icon, *text, *split, *places, *menu;
    JobRankSet *diverged; /* have crashed, or are not at the most frequent place; NULL: none */
    AnalysisFace *face;
    Session *session;
    JobRankSet *ranks;
    gboolean hides_places;
};

G_DEFINE_TYPE (GuiFaceBar, gui_face_bar, GTK_TYPE_BOX)

static guint set_chosen_signal;

static void
on_place (GtkWidget *item, GuiFaceBar *self)
{
    g_signal_emit (self, set_chosen_signal, 0, g_object_get_data (G_OBJECT (item), "ranks"));
}

/* A model button takes an underscore for a mnemonic, and names of functions have them. */
static void
show_underscores (GtkWidget *widget, gpointer user)
{
    if (GTK_IS_LABEL (widget)) {
        gtk_label_set_use_underline (GTK_LABEL (widget), FALSE);
    } else if (GTK_IS_CONTAINER (widget)) {
        gtk_container_forall (GTK_CONTAINER (widget), show_underscores, user);
    }
}

static void
fill_menu (GuiFaceBar *self)
{
    GPtrArray *groups = self->face->groups;
    g_autoptr (GList) old = gtk_container_get_children (GTK_CONTAINER (self->menu));

    g_list_foreach (old, (GFunc) (void (*) (void)) gtk_widget_destroy, NULL);
    for (guint i = 0; i < groups->len && i < MAX_PLACES; i++) {
        AnalysisPlaceGroup *group = groups->pdata[i];
        g_autofree char *ranks = job_rank_set_format_brief (group->ranks);
        g_autofree char *place = group->place != NULL
                                     ? session_format_place (BASE_TEXT_SHOWN, self->session,
                                                             group->place)
                                     : g_strdup (_ (job_state_get_info (group->state)->title));
        g_autofree char *label = g_strdup_printf (_ ("Group window for %s — %s"), ranks, place);
        GtkWidget *item = gtk_model_button_new ();

        g_object_set (item, "text", label, NULL);
        show_underscores (item, NULL);
        g_object_set_data_full (G_OBJECT (item), "ranks", job_rank_set_dup (group->ranks),
                                (GDestroyNotify) job_rank_set_free);
        g_signal_connect (item, "clicked", G_CALLBACK (on_place), self);
        gtk_widget_show (item);
        gtk_container_add (GTK_CONTAINER (self->menu), item);
    }
}

/* While it is open it stays as it is. */
static void
on_menu (GuiFaceBar *self)
{
    if (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->places)) && self->face != NULL) {
        fill_menu (self);
    }
}

static gboolean
is_everybody (const GPtrArray *groups, const JobRankSet *ranks)
{
    return !BASE_HAS (groups, const AnalysisPlaceGroup, group,
                      !job_rank_set_is_subset (group->ranks, ranks));
}

/* The ranks that are not at the most frequent place. */
static void
find_departed (GuiFaceBar *self)
{
    const AnalysisPlaceGroup *most = NULL;
    GPtrArray *groups = self->face->groups;

    g_clear_pointer (&self->diverged, job_rank_set_free);
    BASE_EACH (groups, const AnalysisPlaceGroup, group) {
        if (most == NULL
            || job_rank_set_get_count (group->ranks) > job_rank_set_get_count (most->ranks)) {
            most = group;
        }
    }
    if (self->face->kind == ANALYSIS_FACE_CRASHED) {
        if (groups->len > 1 && !is_everybody (groups, self->face->crashed)) {
            self->diverged = job_rank_set_dup (self->face->crashed);
        }
    } else if (self->face->kind == ANALYSIS_FACE_DIVERGED) {
        self->diverged = job_rank_set_new ();
        for (guint i = 0; i < groups->len; i++) {
            if (groups->pdata[i] != most) {
                job_rank_set_merge (self->diverged,
                                    ((AnalysisPlaceGroup *) groups->pdata[i])->ranks);
            }
        }
    }
    gtk_widget_set_visible (self->split, self->diverged != NULL);
    if (self->diverged != NULL) {
        g_autofree char *ranks = job_rank_set_format_brief (self->diverged);
        g_autofree char *text = strlen (ranks) > MAX_SPLIT_TEXT
                                    ? g_strdup_printf (_ ("Split Off %u Ranks"),
                                                       job_rank_set_get_count (self->diverged))
                                    : g_strdup_printf (_ ("Split Off %s"), ranks);

        gtk_button_set_label (GTK_BUTTON (self->split), text);
    }
}

static void
on_split (GuiFaceBar *self)
{
    if (self->diverged != NULL) {
        g_signal_emit (self, set_chosen_signal, 0, self->diverged);
    }
}

char *
gui_face_bar_format_progress (Session *session, const JobRankSet *set)
{
    g_autoptr (JobRankSet) late = NULL;
    g_autofree char *ranks = NULL;
    guint32 arrived, asked;

    if (!session_find_progress (session, set, &arrived, &asked) || arrived >= asked
        || asked < 2) {
        return NULL;
    }
    late = asked <= MAX_LATE ? session_dup_late (session, set) : job_rank_set_new ();
    ranks = job_rank_set_format_brief (late);
    return *ranks == '\0' || strlen (ranks) > MAX_LATE_TEXT
               ? g_strdup_printf (_ ("Step: %u of %u arrived"), arrived, asked)
               : g_strdup_printf (_ ("Step: %u of %u arrived, not yet %s"), arrived, asked,
                                  ranks);
}

char *
gui_face_bar_format_silence (Session *session, const JobRankSet *set)
{
    const JobRankSet *silent = session_find_silent (session);
    g_autoptr (JobRankSet) here = silent != NULL ? job_rank_set_intersect (silent, set) : NULL;
    guint n = here != NULL ? job_rank_set_get_count (here) : 0;
    guint seconds
        = n > 0 ? (guint) ((base_clock_get_us () - session_get_silent_since_us (session, here))
                           / G_USEC_PER_SEC)
                : 0;

    return n == 0 ? NULL
                  : g_strdup_printf (ngettext ("%u rank has not answered for %u s",
                                               "%u ranks have not answered for %u s", n),
                                     n, seconds);
}

/* "2 of 2 arrived (0-1)": of a step that some of the set were not asked for. NULL: all were, or
 * there was none. */
static char *
format_partial (Session *session, const JobRankSet *set)
{
    const JobRankSet *asked = session_find_last_step (session, set);
    g_autoptr (JobRankSet) others = asked != NULL ? job_rank_set_subtract (set, asked) : NULL;
    g_autofree char *ranks = NULL;
    guint n;

    if (others == NULL || job_rank_set_is_empty (others)) {
        return NULL;
    }
    n = job_rank_set_get_count (asked);
    ranks = job_rank_set_format_brief (asked);
    /* Translators: of a step: how many have arrived, of how many that were asked, and which. */
    return g_strdup_printf (_ ("Step: %u of %u arrived (%s)"), n, n, ranks);
}

/* Behind what it is the reason of, before what the others do. */
static char *
add_reason (const AnalysisFace *face, Session *session, const char *reason)
{
    g_autofree char *main = g_strndup (face->text, face->main_length);
    g_autofree char *whole = session_format_state_and_reason (BASE_TEXT_SHOWN, session, main,
                                                              reason);

    return g_strconcat (whole, face->text + face->main_length, NULL);
}

/* With the text of their signal or exception, if it is the same for all. */
static void
show_text (GuiFaceBar *self, Session *session, const JobRankSet *set, const AnalysisFace *face)
{
    gboolean is_crash = face->kind == ANALYSIS_FACE_CRASHED;
    g_autoptr (GPtrArray) states
        = face->kind == ANALYSIS_FACE_TOGETHER || is_crash
              ? session_dup_state_groups (session, is_crash ? face->crashed : set)
              : NULL;
    const JobEvent *only = states != NULL && states->len == 1 ? g_ptr_array_index (states, 0)
                                                              : NULL;
    g_autofree char *silence = gui_face_bar_format_silence (session, set);
    g_autofree char *progress = silence == NULL ? gui_face_bar_format_progress (session, set)
                                                : NULL;
    g_autofree char *partial = silence == NULL && progress == NULL
                                       && face->kind == ANALYSIS_FACE_DIVERGED
                                   ? format_partial (session, set)
                                   : NULL;
    const char *first = silence != NULL ? silence : partial;
    g_autofree char *state = only != NULL && only->text2 != NULL
                                 ? add_reason (face, session, only->text2)
                                 : g_strdup (face->text);
    g_autofree char *text = first != NULL      ? g_strdup_printf ("%s · %s", first, state)
                            : progress == NULL ? g_strdup (state)
                            : is_crash         ? g_strdup_printf ("%s · %s", state, progress)
                                               : g_strdup (progress);

    gtk_label_set_text (GTK_LABEL (self->text), text);
    gtk_widget_set_tooltip_text (self->text, text);
}

void
gui_face_bar_update (GuiFaceBar *self)
{
    GtkStyleContext *style = gtk_widget_get_style_context (GTK_WIDGET (self));
    const JobRankSet *set = self->ranks, *silent;
    AnalysisFace *face;
    guint kind;

    if (self->session == NULL) {
        return;
    }
    face = session_dup_face (self->session, set);
    kind = MIN ((guint) face->kind, G_N_ELEMENTS (faces) - 1);
    silent = session_find_silent (self->session);
    if (silent != NULL && job_rank_set_intersects (silent, set)) {
        face->kind = kind = ANALYSIS_FACE_UNKNOWN; /* it may no longer be true */
    }
    for (guint i = 0; i < G_N_ELEMENTS (faces); i++) {
        gtk_style_context_remove_class (style, faces[i].style);
    }
    gtk_style_context_add_class (style, faces[kind].style);
    gtk_image_set_from_icon_name (GTK_IMAGE (self->icon), faces[kind].icon,
                                  GTK_ICON_SIZE_BUTTON);
    if (self->face == NULL || self->face->kind != face->kind) {
        gui_theme_name (self->icon, NULL, _ (faces[kind].name));
    }
    show_text (self, self->session, set, face);
    gtk_widget_set_sensitive (self->places, face->groups->len > 0);
    analysis_face_free (self->face);
    self->face = face;
    find_departed (self);
}

static void
enter_ranks (gpointer user)
{
    GuiFaceBar *self = user;

    if (self->ranks == NULL) {
        self->ranks = job_rank_set_new ();
    }
}

static void
enter_hides_places (gpointer user)
{
    GuiFaceBar *self = user;

    gtk_widget_set_visible (self->places, !self->hides_places);
}

GUI_FINALIZE (gui_face_bar, GuiFaceBar, analysis_face_free (self->face);
              job_rank_set_free (self->diverged);
              gui_properties_clear (self, GUI_TYPE_FACE_BAR))

static void
gui_face_bar_class_init (GuiFaceBarClass *klass)
{
    G_OBJECT_CLASS (klass)->finalize = gui_face_bar_finalize;
    GUI_PROPERTIES (klass, GuiFaceBar, (session, SESSION_TYPE_SESSION),
                    (ranks, GUI_TYPE_RANK_SET, .enter = enter_ranks),
                    (hides_places, G_TYPE_BOOLEAN, .enter = enter_hides_places));
    set_chosen_signal = GUI_SIGNAL (klass, "set-chosen", G_TYPE_POINTER);
    GUI_TEMPLATE (klass, "face-bar.ui");
    GUI_CHILDREN (klass, GuiFaceBar, icon, text, split, places, menu);
    GUI_CALLBACKS (klass, on_split);
}

static void
gui_face_bar_init (GuiFaceBar *self)
{
    self->ranks = job_rank_set_new ();
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name (self->icon, "face", _ (faces[ANALYSIS_FACE_UNKNOWN].name));
    gui_theme_name (self->text, "face-text", NULL);
    gui_theme_name (self->places, "face-places", _ ("Places"));
    g_signal_connect_swapped (self->places, "toggled", G_CALLBACK (on_menu), self);
    gui_theme_name (self->split, "split-off", NULL);
}
