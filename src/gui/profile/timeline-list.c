/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/timeline-list.h"
#include "gui/profile/timeline-counters.h"
#include "gui/profile/timeline-levels.h"
#include "profile/slice.h"

struct _GuiTimelineList {
    GArray *rows;        /* of GuiTimelineRow */
    GHashTable *open;    /* ranks whose threads are shown */
    GHashTable *deep;    /* keys of threads whose calls are shown, level by level */
    GHashTable *by_rank; /* rank to the number of its row + 1 */
};

GuiTimelineList *
gui_timeline_list_new (void)
{
    GuiTimelineList *self = g_new (GuiTimelineList, 1);

    self->rows = g_array_new (FALSE, FALSE, sizeof (GuiTimelineRow));
    self->open = g_hash_table_new (NULL, NULL);
    self->deep = g_hash_table_new (NULL, NULL);
    self->by_rank = g_hash_table_new (NULL, NULL);
    return self;
}

void
gui_timeline_list_free (GuiTimelineList *self)
{
    g_array_unref (self->rows);
    g_hash_table_unref (self->open);
    g_hash_table_unref (self->deep);
    g_hash_table_unref (self->by_rank);
    g_free (self);
}

static gpointer
make_key (guint32 rank, guint thread)
{
    return GSIZE_TO_POINTER ((gsize) rank << 24 | thread);
}

/* A rank's only thread has the rank's own row. */
static void
add_threads (GuiTimelineList *self, const ProfileModel *model, guint index)
{
    guint n = profile_samples_get_n_threads (model, index);

    for (guint thread = 0; thread < n; thread++) {
        GuiTimelineRow row = { index, thread, 0, 0 };

        if (n > 1) {
            g_array_append_val (self->rows, row);
        }
        if (n > 1 ? g_hash_table_contains (self->deep,
                                           make_key (profile_model_get_rank (model, index),
                                                     thread))
                  : n == 1) {
            gui_timeline_levels_append (self->rows, model, &row);
        }
    }
}

void
gui_timeline_list_build (GuiTimelineList *self, const ProfileModel *model,
                         const JobRankSet *ranks)
{
    g_array_set_size (self->rows, 0);
    g_hash_table_remove_all (self->by_rank);
    for (guint i = 0; model != NULL && i < profile_model_get_n_ranks (model); i++) {
        guint32 rank = profile_model_get_rank (model, i);
        GuiTimelineRow row = { i, PROFILE_COUNTED_THREADS, 0, 0 };

        if (ranks != NULL && !job_rank_set_contains (ranks, rank)) {
            continue;
        }
        g_array_append_val (self->rows, row);
        g_hash_table_insert (self->by_rank, GUINT_TO_POINTER (rank),
                             GUINT_TO_POINTER (self->rows->len));
        if (g_hash_table_contains (self->open, GUINT_TO_POINTER (rank))) {
            add_threads (self, model, i);
            gui_timeline_counters_append (self->rows, model, i);
        }
    }
}

GArray *
gui_timeline_list_get_rows (GuiTimelineList *self)
{
    return self->rows;
}

GHashTable *
gui_timeline_list_get_by_rank (GuiTimelineList *self)
{
    return self->by_rank;
}

void
gui_timeline_list_close (GuiTimelineList *self)
{
    g_hash_table_remove_all (self->open);
    g_hash_table_remove_all (self->deep);
}

void
gui_timeline_list_open (GuiTimelineList *self, const ProfileModel *model, guint index,
                        guint thread)
{
    guint32 rank = profile_model_get_rank (model, index);

    g_hash_table_add (self->open, GUINT_TO_POINTER (rank));
    g_hash_table_add (self->deep, make_key (rank, thread));
}

static void
toggle (GHashTable *set, gpointer key)
{
    if (!g_hash_table_remove (set, key)) {
        g_hash_table_add (set, key);
    }
}

void
gui_timeline_list_toggle_rank (GuiTimelineList *self, guint32 rank)
{
    toggle (self->open, GUINT_TO_POINTER (rank));
}

void
gui_timeline_list_toggle (GuiTimelineList *self, const ProfileModel *model,
                          const GuiTimelineRow *row)
{
    guint32 rank = profile_model_get_rank (model, row->index);

    if (row->thread == PROFILE_COUNTED_THREADS
        || profile_samples_get_n_threads (model, row->index) < 2) {
        gui_timeline_list_toggle_rank (self, rank);
    } else {
        toggle (self->deep, make_key (rank, row->thread));
    }
}

gboolean
gui_timeline_list_is_open (GuiTimelineList *self, const ProfileModel *model,
                           const GuiTimelineRow *row)
{
    guint32 rank = profile_model_get_rank (model, row->index);

    return row->thread == PROFILE_COUNTED_THREADS
               ? g_hash_table_contains (self->open, GUINT_TO_POINTER (rank))
               : g_hash_table_contains (self->deep, make_key (rank, row->thread));
}
