/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/console/console-header.h"
#include <glib/gi18n.h>
#include "base/clock.h"
#include "base/escape.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "profile/command.h"
#include "session/remote.h"

struct _GuiConsoleHeader {
    GtkHeaderBar parent;
    GtkWidget *menu, *help;
    Session *session;
    gint64 started_us; /* when the job was begun */
};

G_DEFINE_TYPE (GuiConsoleHeader, gui_console_header, GTK_TYPE_HEADER_BAR)

static void
show_subtitle (GuiConsoleHeader *self)
{
    const char *const *argv = session_get_argv (self->session);
    g_autofree char *command = profile_command_format (argv);
    g_autofree char *line = base_escape_take (g_strdup (command != NULL ? command : ""),
                                              BASE_ESCAPE_NAME);
    gint64 seconds = (base_clock_get_us () - self->started_us) / G_USEC_PER_SEC;
    const char *host = session_remote_get_host ();
    g_autofree char *on = base_escape_take (host != NULL ? g_strconcat (host, " · ", NULL)
                                                         : g_strdup (""),
                                            BASE_ESCAPE_NAME);
    g_autofree char *subtitle = g_strdup_printf ("%s%s · %02u:%02u:%02u", on, line,
                                                 (guint) (seconds / 3600),
                                                 (guint) (seconds / 60 % 60),
                                                 (guint) (seconds % 60));

    gtk_header_bar_set_subtitle (GTK_HEADER_BAR (self), *line != '\0' ? subtitle : NULL);
}

void
gui_console_header_update (GuiConsoleHeader *self)
{
    if (self->session == NULL) {
        return;
    }
    if (session_is_restarting (self->session) || !session_is_started (self->session)) {
        self->started_us = base_clock_get_us (); /* another job */
    }
    if (!session_is_ended (self->session)) {
        show_subtitle (self);
    }
}

static void
enter_session (gpointer user)
{
    GuiConsoleHeader *self = user;

    self->started_us = base_clock_get_us ();
    if (self->session != NULL) {
        show_subtitle (self);
    }
}

static void
gui_console_header_class_init (GuiConsoleHeaderClass *klass)
{
    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiConsoleHeader,
                    (session, SESSION_TYPE_SESSION, .enter = enter_session));
    GUI_TEMPLATE (klass, "console-header.ui");
    GUI_CHILDREN (klass, GuiConsoleHeader, menu, help);
}

static void
gui_console_header_init (GuiConsoleHeader *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name (self->menu, "menu", _ ("Main menu"));
    gui_theme_name (self->help, "help", _ ("Help"));
}
