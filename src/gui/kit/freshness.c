/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Another number of the ranks' moment means that what is shown was so once. */
#include "gui/kit/freshness.h"
#include <glib/gi18n.h>
#include "base/array.h"
#include "base/clock.h"
#include "gui/kit/age.h"
#include "session/moment.h"

enum { SETTLE_MS = 100 }; /* states may change every few milliseconds */

struct _GuiFreshness {
    GtkWidget *label;
    GPtrArray *contents;         /* of GtkWidget, borrowed */
    Session *session;            /* NULL: nothing is shown */
    SessionSelection *selection; /* borrowed; NULL: frames do not matter */
    JobRankSet *ranks;
    guint64 signature, asked_frames;
    gint64 since_us;
    guint settle_source, age_source;
    gboolean is_aging, is_stale;
};

static void
show (GuiFreshness *self)
{
    gboolean is_ended = self->session != NULL && session_is_ended (self->session);
    gboolean is_stale = self->session != NULL && (self->is_stale || is_ended);
    g_autofree char *age = is_stale || (self->session != NULL && self->is_aging)
                               ? gui_age_format (self->since_us)
                               : g_strdup ("");
    /* Translators: an age such as "as of 7 s ago". */
    g_autofree char *text = is_ended ? g_strdup_printf (_ ("%s, the job has ended"), age)
                                     : g_strdup (age);

    gtk_label_set_text (GTK_LABEL (self->label), text);
    for (guint i = 0; i < self->contents->len; i++) {
        GtkStyleContext *style = gtk_widget_get_style_context (self->contents->pdata[i]);

        (is_stale ? gtk_style_context_add_class
                  : gtk_style_context_remove_class) (style, "pddt-stale");
    }
}

static guint64
sign_frames (const GuiFreshness *self, const JobRankSet *ranks)
{
    return self->selection != NULL ? session_selection_sign (self->selection, ranks) : 0;
}

static guint64
sign (const GuiFreshness *self)
{
    return session_sign_moment (self->session, self->ranks) + sign_frames (self, self->ranks);
}

static gboolean
on_settled (gpointer user)
{
    GuiFreshness *self = user;

    self->settle_source = 0;
    /* once stale, always: the same stop does not come back */
    self->is_stale = self->is_stale || sign (self) != self->signature;
    show (self);
    return G_SOURCE_REMOVE;
}

static void
on_changed (GuiFreshness *self)
{
    if (self->session != NULL && self->settle_source == 0) {
        self->settle_source = g_timeout_add (SETTLE_MS, on_settled, self);
    }
}

static gboolean
on_age (gpointer user)
{
    show (user);
    return G_SOURCE_CONTINUE;
}

void
gui_freshness_add (GuiFreshness *self, GtkWidget *content)
{
    g_ptr_array_add (self->contents, content);
}

GuiFreshness *
gui_freshness_new (GtkWidget *label, GtkWidget *content, gboolean is_aging)
{
    GuiFreshness *self = g_new0 (GuiFreshness, 1);

    self->label = label;
    self->contents = g_ptr_array_new ();
    self->is_aging = is_aging;
    gui_freshness_add (self, content);
    return self;
}

void
gui_freshness_follow (GuiFreshness *self, SessionSelection *selection)
{
    if (self->selection != NULL) {
        g_signal_handlers_disconnect_by_data (self->selection, self);
    }
    self->selection = selection;
    if (selection != NULL) {
        g_signal_connect_swapped (selection, "changed", G_CALLBACK (on_changed), self);
    }
}

void
gui_freshness_ask (GuiFreshness *self, const JobRankSet *ranks)
{
    self->asked_frames = sign_frames (self, ranks);
}

static void
forget (GuiFreshness *self)
{
    g_clear_handle_id (&self->settle_source, g_source_remove);
    g_clear_handle_id (&self->age_source, g_source_remove);
    if (self->session != NULL) {
        g_signal_handlers_disconnect_by_data (self->session, self);
    }
    g_clear_object (&self->session);
    g_clear_pointer (&self->ranks, job_rank_set_free);
}

BASE_FREE_PUBLIC (gui_freshness_free, GuiFreshness, self, gui_freshness_follow (self, NULL);
                  forget (self); g_ptr_array_unref (self->contents))

static void
note (GuiFreshness *self, Session *session, const JobRankSet *ranks, gint64 since_us,
      gboolean is_old)
{
    g_autoptr (JobRankSet) taken = job_rank_set_dup (ranks);

    g_object_ref (session);
    forget (self);
    self->session = session;
    self->ranks = g_steal_pointer (&taken);
    self->signature = sign (self);
    self->since_us = since_us;
    self->is_stale = is_old;
    self->age_source = g_timeout_add_seconds (1, on_age, self);
    g_signal_connect_swapped (session, "states-changed", G_CALLBACK (on_changed), self);
    g_signal_connect_swapped (session, "restarted", G_CALLBACK (on_changed), self);
    g_signal_connect_swapped (session, "ended", G_CALLBACK (on_changed), self);
    show (self);
}

void
gui_freshness_note (GuiFreshness *self, Session *session, const JobRankSet *ranks,
                    const JobRankSet *old)
{
    note (self, session, ranks, base_clock_get_us (),
          (old != NULL && !job_rank_set_is_empty (old))
              || self->asked_frames != sign_frames (self, ranks));
}

void
gui_freshness_note_past (GuiFreshness *self, Session *session, const JobRankSet *ranks,
                         gint64 since_us)
{
    note (self, session, ranks, since_us, TRUE);
}
