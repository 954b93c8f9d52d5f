/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list with a current position. */
#include "gui/source/place-history.h"
#include "base/array.h"

enum { MAX_PLACES = 100 };

typedef struct {
    char *file;
    guint line;
} Place;

struct _GuiPlaceHistory {
    GPtrArray *places; /* of Place */
    guint at;          /* of the place that is shown */
};

static void
free_place (gpointer data)
{
    g_free (((Place *) data)->file);
    g_free (data);
}

GuiPlaceHistory *
gui_place_history_new (void)
{
    GuiPlaceHistory *history = g_new0 (GuiPlaceHistory, 1);

    history->places = g_ptr_array_new_with_free_func (free_place);
    return history;
}

BASE_FREE_PUBLIC (gui_place_history_free, GuiPlaceHistory, history,
                  g_ptr_array_unref (history->places))

void
gui_place_history_visit (GuiPlaceHistory *history, const char *file, guint line)
{
    const Place *shown = history->places->len > 0 ? history->places->pdata[history->at] : NULL;
    Place *place;

    if (shown != NULL && shown->line == line && g_str_equal (shown->file, file)) {
        return;
    }
    if (shown != NULL) {
        g_ptr_array_set_size (history->places, (int) history->at + 1);
    }
    if (history->places->len == MAX_PLACES) {
        g_ptr_array_remove_index (history->places, 0);
    }
    place = g_new (Place, 1);
    *place = (Place){ g_strdup (file), line };
    g_ptr_array_add (history->places, place);
    history->at = history->places->len - 1;
}

const char *
gui_place_history_go (GuiPlaceHistory *history, int by, guint *ret_line)
{
    gint64 at = (gint64) history->at + by;

    if (at < 0 || at >= (gint64) history->places->len) {
        return NULL;
    }
    history->at = (guint) at;
    *ret_line = ((Place *) history->places->pdata[at])->line;
    return ((Place *) history->places->pdata[at])->file;
}
