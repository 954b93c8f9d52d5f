/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/kit/suggestion.h"
#include <glib/gi18n.h>
#include <string.h>
#include "gui/kit/theme.h"

enum { MAX_RANKS_TEXT = 24 }; /* longer lists of ranks would widen the window */

/* Continuing helps, unless the ranks wait for themselves. */
static gboolean
is_to_continue (const AnalysisVerdict *verdict)
{
    return verdict->kind == ANALYSIS_VERDICT_HELD
           && g_str_has_suffix (verdict->command, " continue");
}

static char *
format_label (const AnalysisVerdict *verdict)
{
    guint n = job_rank_set_get_count (verdict->helped);
    g_autofree char *ranks = job_rank_set_format_brief (verdict->helped);

    if (strlen (ranks) > MAX_RANKS_TEXT) {
        return is_to_continue (verdict) ? g_strdup_printf (_ ("Continue %u Ranks"), n)
               : verdict->kind == ANALYSIS_VERDICT_SYSTEM_CALL
                   ? g_strdup_printf (_ ("Input for %u Ranks…"), n)
                   : g_strdup_printf (_ ("Show %u Ranks"), n);
    }
    if (is_to_continue (verdict)) {
        return g_strdup_printf (ngettext ("Continue Rank %s", "Continue Ranks %s", n), ranks);
    }
    if (verdict->kind == ANALYSIS_VERDICT_SYSTEM_CALL) {
        return g_strdup_printf (ngettext ("Input for Rank %s…", "Input for Ranks %s…", n),
                                ranks);
    }
    return g_strdup_printf (ngettext ("Show Rank %s", "Show Ranks %s", n), ranks);
}

/* Labels the button with what the verdict's command does ("Show Rank 5"); the tooltip is the command
 * itself. Hides the button if the verdict has no command. verdict: NULL, none. */
static void
show_suggestion (GtkWidget *button, const AnalysisVerdict *verdict)
{
    gboolean is_there = verdict != NULL && verdict->command != NULL;

    if (is_there) {
        g_autofree char *label = format_label (verdict);

        gtk_button_set_label (GTK_BUTTON (button), label);
        gtk_widget_set_tooltip_text (button, verdict->command);
        gui_theme_name (button, NULL, label);
    }
    gtk_widget_set_visible (button, is_there);
}

/* ---- further faults ---- */

#define LINE "pddt-suggestion"

static void
on_other (GtkWidget *button, GuiSuggestionRun run)
{
    run (g_object_get_data (G_OBJECT (button), "pddt-user"),
         g_object_get_data (G_OBJECT (button), LINE));
}

void
gui_suggestion_show_all (GtkWidget *first, const AnalysisVerdict *verdict, GuiSuggestionRun run,
                         gpointer user)
{
    GtkWidget *box = gtk_widget_get_parent (first);
    g_autoptr (GList) children = gtk_container_get_children (GTK_CONTAINER (box));

    for (GList *at = children; at != NULL; at = at->next) {
        if (g_object_get_data (at->data, LINE) != NULL) {
            gtk_widget_destroy (at->data);
        }
    }
    show_suggestion (first, verdict);
    for (const AnalysisVerdict *one = verdict != NULL ? verdict->next : NULL; one != NULL;
         one = one->next) {
        GtkWidget *button;

        if (one->kind >= ANALYSIS_VERDICT_COMPUTING || one->command == NULL) {
            continue;
        }
        button = gtk_button_new ();
        show_suggestion (button, one);
        g_object_set_data_full (G_OBJECT (button), LINE, g_strdup (one->command), g_free);
        g_object_set_data (G_OBJECT (button), "pddt-user", user);
        g_signal_connect (button, "clicked", G_CALLBACK (on_other), run);
        gtk_container_add (GTK_CONTAINER (box), button);
    }
}
