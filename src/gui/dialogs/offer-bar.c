/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/dialogs/offer-bar.h"
#include <glib/gi18n.h>
#include "gui/kit/theme.h"
#include "session/offers.h"
#include "session/remote.h"

enum { LOOK_S = 1 };

struct _GuiOfferBar {
    GtkInfoBar parent;
    GtkWidget *text, *take, *decline;
    char *id; /* of the one that is shown; NULL: none */
    gboolean is_left;
    guint source;
};

G_DEFINE_TYPE (GuiOfferBar, gui_offer_bar, GTK_TYPE_INFO_BAR)

void
gui_offer_bar_run (const char *option, const char *value)
{
    g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
    char *words[] = { self, (char *) option, (char *) value, NULL };
    g_autoptr (GError) error = NULL;

    if (self == NULL
        || !g_spawn_async (NULL, words, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, &error)) {
        g_warning ("cannot run pddt: %s", error != NULL ? error->message : "no program");
    }
}

static void
on_take (GuiOfferBar *self)
{
    if (self->id != NULL) {
        gui_offer_bar_run ("--take", self->id);
    }
}

/* The job's server withdraws it, by which the bar goes. */
static void
on_decline (GuiOfferBar *self)
{
    if (self->id != NULL) {
        gtk_widget_set_sensitive (self->decline, FALSE);
        gui_offer_bar_run ("--decline", self->id);
    }
}

static const SessionOffer *
find_first (const GPtrArray *offers)
{
    for (guint i = 0; offers != NULL && i < offers->len; i++) {
        if (!((const SessionOffer *) offers->pdata[i])->is_taken) {
            return offers->pdata[i];
        }
    }
    return NULL;
}

static gboolean
look (gpointer data)
{
    GuiOfferBar *self = data;
    g_autoptr (GPtrArray) offers = session_offers_list (NULL);
    const SessionOffer *offer = find_first (offers);

    if (offer != NULL
        && (g_strcmp0 (offer->id, self->id) != 0 || offer->is_left != self->is_left)) {
        g_autofree char *text
            = offer->is_left
                  /* Translators: a job's number, its host, and its command line. */
                  ? g_strdup_printf (_ ("Job %s on %s lives on without a window: %s"),
                                     offer->job != NULL ? offer->job : offer->id, offer->host,
                                     offer->command)
                  /* Translators: a job's number, its host, and its command line. */
                  : offer->job != NULL
                        ? g_strdup_printf (_ ("Job %s on %s wants to be debugged: %s"),
                                           offer->job, offer->host, offer->command)
                        /* Translators: a host, and a command line. */
                        : g_strdup_printf (_ ("A job on %s wants to be debugged: %s"),
                                           offer->host, offer->command);

        gtk_label_set_text (GTK_LABEL (self->text), text);
        gtk_widget_set_sensitive (self->decline, TRUE);
        gtk_widget_set_visible (self->decline, !offer->is_left);
        self->is_left = offer->is_left;
    }
    g_free (self->id);
    self->id = offer != NULL ? g_strdup (offer->id) : NULL;
    gtk_info_bar_set_revealed (GTK_INFO_BAR (self), offer != NULL);
    return G_SOURCE_CONTINUE;
}

static void
gui_offer_bar_map (GtkWidget *widget)
{
    GuiOfferBar *self = GUI_OFFER_BAR (widget);

    GTK_WIDGET_CLASS (gui_offer_bar_parent_class)->map (widget);
    if (session_remote_get_host () == NULL && self->source == 0) {
        self->source = g_timeout_add_seconds (LOOK_S, look, self);
        look (self);
    }
}

static void
gui_offer_bar_unmap (GtkWidget *widget)
{
    g_clear_handle_id (&GUI_OFFER_BAR (widget)->source, g_source_remove);
    GTK_WIDGET_CLASS (gui_offer_bar_parent_class)->unmap (widget);
}

static void
gui_offer_bar_finalize (GObject *object)
{
    GuiOfferBar *self = GUI_OFFER_BAR (object);

    g_clear_handle_id (&self->source, g_source_remove);
    g_free (self->id);
    G_OBJECT_CLASS (gui_offer_bar_parent_class)->finalize (object);
}

static void
gui_offer_bar_class_init (GuiOfferBarClass *klass)
{
    GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

    G_OBJECT_CLASS (klass)->finalize = gui_offer_bar_finalize;
    widget->map = gui_offer_bar_map;
    widget->unmap = gui_offer_bar_unmap;
    gtk_widget_class_set_template_from_resource (widget, "/org/pddt/Pddt/offer-bar.ui");
    gtk_widget_class_bind_template_child (widget, GuiOfferBar, text);
    gtk_widget_class_bind_template_child (widget, GuiOfferBar, take);
    gtk_widget_class_bind_template_child (widget, GuiOfferBar, decline);
    gtk_widget_class_bind_template_callback (widget, on_take);
    gtk_widget_class_bind_template_callback (widget, on_decline);
}

static void
gui_offer_bar_init (GuiOfferBar *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name (self->text, "offer", NULL);
    gui_theme_name (self->take, "take-offer", _ ("Debug This Job"));
    gui_theme_name (self->decline, "decline-offer", _ ("Decline"));
}
