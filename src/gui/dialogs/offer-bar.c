/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/dialogs/offer-bar.h"
#include <glib/gi18n.h>
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "session/queues.h"
#include "session/remote.h"
#include "base/array.h"

enum { LOOK_S = 1, LOOK_THERE_S = 5 };

struct _GuiOfferBar {
    GtkInfoBar parent;
    GtkWidget *text, *take, *decline;
    char *id;      /* of the one that is shown; NULL: none */
    char *archive; /* of one that has been measured; NULL: it waits */
    gboolean is_left;
    guint source;
    GCancellable *asking; /* NULL: not now */
};

G_DEFINE_TYPE (GuiOfferBar, gui_offer_bar, GTK_TYPE_INFO_BAR)

/* NULL after the last one. */
static void
run (const char *const *given)
{
    g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
    g_autoptr (GPtrArray) words = g_ptr_array_new ();
    g_autoptr (GError) error = NULL;

    g_ptr_array_add (words, self);
    for (guint i = 0; given[i] != NULL; i++) {
        g_ptr_array_add (words, (char *) given[i]);
    }
    g_ptr_array_add (words, NULL);
    if (self == NULL
        || !g_spawn_async (NULL, (char **) words->pdata, NULL, G_SPAWN_DEFAULT, NULL, NULL,
                           NULL, &error)) {
        g_warning ("cannot run pddt: %s", error != NULL ? error->message : "no program");
    }
}

void
gui_offer_bar_run (const char *option, const char *value)
{
    run ((const char *const[]){ option, value, NULL });
}

/* A job that waits here, or where this process is connected to. */
static void
run_for (const char *option, const char *id)
{
    g_autofree char *address = session_remote_dup_address ();

    if (address == NULL) {
        gui_offer_bar_run (option, id);
    } else {
        run ((const char *const[]){ "--remote", address, "--remote-program",
                                    session_remote_get_program (), option, id, NULL });
    }
}

void
gui_offer_bar_take (const char *id)
{
    run_for ("--take", id);
}

static void
on_take (GuiOfferBar *self)
{
    if (self->archive != NULL && session_remote_get_host () == NULL) {
        gui_offer_bar_run (self->archive, NULL);
    } else if (self->id != NULL) {
        gui_offer_bar_take (self->id);
    }
}

static gboolean look (gpointer data);

static void
on_forgotten (GObject *source, GAsyncResult *result, gpointer user)
{
    g_autoptr (GuiOfferBar) self = user;

    if (session_forget_measured_finish (result, NULL) && self->source != 0) {
        look (self);
    }
}

/* The job's server withdraws it, by which the bar goes. */
static void
on_decline (GuiOfferBar *self)
{
    if (self->archive != NULL) {
        session_forget_measured_async (NULL, self->id, NULL, on_forgotten, g_object_ref (self));
    } else if (self->id != NULL) {
        gtk_widget_set_sensitive (self->decline, FALSE);
        run_for ("--decline", self->id);
    }
}

/* One that waits comes first. */
static const SessionOffer *
find_first (const GPtrArray *offers)
{
    return BASE_FIND (offers, const SessionOffer, offer, !offer->is_taken);
}

static char *
describe (const SessionOffer *offer)
{
    if (offer->archive != NULL) {
        /* Translators: a job's number, its host, and its command line. */
        return offer->job != NULL ? g_strdup_printf (_ ("Job %s on %s has been measured: %s"),
                                                     offer->job, offer->host, offer->command)
                                  /* Translators: a host, and a command line. */
                                  : g_strdup_printf (_ ("A job on %s has been measured: %s"),
                                                     offer->host, offer->command);
    }
    if (offer->is_left) {
        /* Translators: a job's number, its host, and its command line. */
        return g_strdup_printf (_ ("Job %s on %s lives on without a window: %s"),
                                offer->job != NULL ? offer->job : offer->id, offer->host,
                                offer->command);
    }
    /* Translators: a job's number, its host, and its command line. */
    return offer->job != NULL ? g_strdup_printf (_ ("Job %s on %s wants to be debugged: %s"),
                                                 offer->job, offer->host, offer->command)
                              /* Translators: a host, and a command line. */
                              : g_strdup_printf (_ ("A job on %s wants to be debugged: %s"),
                                                 offer->host, offer->command);
}

static void
show (GuiOfferBar *self, const SessionOffer *offer)
{
    if (offer != NULL
        && (g_strcmp0 (offer->id, self->id) != 0 || offer->is_left != self->is_left)) {
        gboolean is_measured = offer->archive != NULL;
        g_autofree char *text = describe (offer);

        gtk_label_set_text (GTK_LABEL (self->text), text);
        gtk_button_set_label (GTK_BUTTON (self->take),
                              is_measured ? _ ("Show Archive") : _ ("Debug This Job"));
        gtk_button_set_label (GTK_BUTTON (self->decline),
                              is_measured ? _ ("Dismiss") : _ ("Decline"));
        gtk_widget_set_tooltip_text (
            self->decline,
            is_measured
                ? _ ("The archive stays where it is")
                : _ ("The job ends, or runs without pddt if it was started with --keep"));
        gui_theme_name (self->take, "take-offer",
                        gtk_button_get_label (GTK_BUTTON (self->take)));
        gui_theme_name (self->decline, "decline-offer",
                        gtk_button_get_label (GTK_BUTTON (self->decline)));
        gtk_widget_set_sensitive (self->decline, TRUE);
        gtk_widget_set_visible (self->decline, !offer->is_left);
        self->is_left = offer->is_left;
    }
    g_free (self->id);
    self->id = offer != NULL ? g_strdup (offer->id) : NULL;
    g_free (self->archive);
    self->archive = offer != NULL ? g_strdup (offer->archive) : NULL;
    gtk_info_bar_set_revealed (GTK_INFO_BAR (self), offer != NULL);
}

static void
on_offers (GObject *source, GAsyncResult *result, gpointer user)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (GPtrArray) offers = session_list_offers_finish (result, &error);
    GuiOfferBar *self = user;

    if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
        return; /* it is not seen any more */
    }
    g_clear_object (&self->asking);
    show (self, find_first (offers));
}

static gboolean
look (gpointer data)
{
    GuiOfferBar *self = data;

    if (self->asking == NULL) {
        self->asking = g_cancellable_new ();
        session_list_offers_async (NULL, self->asking, on_offers, self);
    }
    return G_SOURCE_CONTINUE;
}

static void
gui_offer_bar_map (GtkWidget *widget)
{
    GuiOfferBar *self = GUI_OFFER_BAR (widget);

    GTK_WIDGET_CLASS (gui_offer_bar_parent_class)->map (widget);
    if (self->source == 0) {
        self->source = g_timeout_add_seconds (session_remote_get_host () != NULL ? LOOK_THERE_S
                                                                                 : LOOK_S,
                                              look, self);
        look (self);
    }
}

static void
stop_looking (GuiOfferBar *self)
{
    g_clear_handle_id (&self->source, g_source_remove);
    g_cancellable_cancel (self->asking);
    g_clear_object (&self->asking);
}

static void
gui_offer_bar_unmap (GtkWidget *widget)
{
    stop_looking (GUI_OFFER_BAR (widget));
    GTK_WIDGET_CLASS (gui_offer_bar_parent_class)->unmap (widget);
}

GUI_FINALIZE (gui_offer_bar, GuiOfferBar, stop_looking (self); g_free (self->id);
              g_free (self->archive))

static void
gui_offer_bar_class_init (GuiOfferBarClass *klass)
{
    GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

    G_OBJECT_CLASS (klass)->finalize = gui_offer_bar_finalize;
    widget->map = gui_offer_bar_map;
    widget->unmap = gui_offer_bar_unmap;
    GUI_TEMPLATE (klass, "offer-bar.ui");
    GUI_CHILDREN (klass, GuiOfferBar, text, take, decline);
    GUI_CALLBACKS (klass, on_take, on_decline);
}

static void
gui_offer_bar_init (GuiOfferBar *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name (self->text, "offer", NULL);
    gui_theme_name (self->take, "take-offer", _ ("Debug This Job"));
    gui_theme_name (self->decline, "decline-offer", _ ("Decline"));
}
