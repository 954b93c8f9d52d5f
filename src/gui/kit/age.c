/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formats ages the same way in all windows. */
#include "gui/kit/age.h"
#include <glib/gi18n.h>
#include "base/clock.h"
#include "gui/kit/theme.h"

#define MOMENT_US (1 * G_USEC_PER_SEC)

char *
gui_age_format (gint64 since_us)
{
    gint64 age = MAX (base_clock_get_us () - since_us, 0) / G_USEC_PER_SEC;

    return age < 120 ? g_strdup_printf (_ ("as of %u s ago"), (guint) age)
                     : g_strdup_printf (_ ("as of %u min ago"), (guint) (age / 60));
}

char *
gui_age_format_sample (gint64 since_us)
{
    gint64 age = MAX (base_clock_get_us () - since_us, 0) / G_USEC_PER_SEC;

    return age < 120 ? g_strdup_printf (_ ("sampled %u s ago"), (guint) age)
                     : g_strdup_printf (_ ("sampled %u min ago"), (guint) (age / 60));
}

const char *
gui_age_get_colour (GtkWidget *widget)
{
    return gui_theme_is_dark (widget) ? "#9a9a9a" : "#767676";
}

void
gui_age_render (GtkCellRenderer *cell, GtkWidget *view, const char *text, gint64 since_us)
{
    gboolean is_stale = since_us != 0 && base_clock_get_us () - since_us >= MOMENT_US;
    g_autofree char *age = is_stale ? gui_age_format (since_us) : NULL;
    g_autofree char *whole = is_stale ? g_strdup_printf ("%s (%s)", text, age) : NULL;

    g_object_set (cell, "text", is_stale ? whole : text, "foreground",
                  is_stale ? gui_age_get_colour (view) : NULL, NULL);
}
