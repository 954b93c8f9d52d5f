/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Levels: the first has all, each next one the longest of so many neighbours of the one before. In a level
 * blocks know how far their stretches reach. */
#include "profile/model/stretches.h"
#include "base/array.h"

#define BLOCK 256u
#define NEIGHBOURS 4u

typedef struct {
    GArray *list;  /* of ProfileStretch, by begin */
    gint64 *reach; /* of each block: the last end in it */
} Level;

struct _ProfileStretches {
    GArray *levels; /* of Level */
};

static const ProfileStretch *
get (const Level *level, guint index)
{
    return &g_array_index (level->list, ProfileStretch, index);
}

BASE_ORDER (compare_begins, ProfileStretch, BASE_BY (begin_us) ?: BASE_BY (number))

static gboolean
is_sorted (const GArray *list)
{
    for (guint i = 1; i < list->len; i++) {
        if (compare_begins (&g_array_index (list, ProfileStretch, i - 1),
                            &g_array_index (list, ProfileStretch, i))
            > 0) {
            return FALSE;
        }
    }
    return TRUE;
}

static void
add_level (ProfileStretches *stretches, GArray *list)
{
    Level level = { list, g_new (gint64, list->len / BLOCK + 1) };

    for (guint i = 0; i < list->len; i++) {
        gint64 *reach = &level.reach[i / BLOCK];

        *reach = i % BLOCK == 0 ? get (&level, i)->end_us
                                : MAX (*reach, get (&level, i)->end_us);
    }
    g_array_append_val (stretches->levels, level);
}

/* Of equal ones any, and the same each time: the first would always be, say, the lowest rank's. */
static gboolean
is_longer (const ProfileStretch *one, const ProfileStretch *other)
{
    gint64 left = one->end_us - one->begin_us, right = other->end_us - other->begin_us;

    return left != right ? left > right
                         : one->number * 2654435761u > other->number * 2654435761u;
}

static GArray *
choose_longest (const Level *level)
{
    GArray *list = g_array_new (FALSE, FALSE, sizeof (ProfileStretch));

    for (guint first = 0; first < level->list->len; first += NEIGHBOURS) {
        const ProfileStretch *longest = get (level, first);

        for (guint i = first; i < MIN (first + NEIGHBOURS, level->list->len); i++) {
            const ProfileStretch *other = get (level, i);

            longest = is_longer (other, longest) ? other : longest;
        }
        g_array_append_val (list, *longest);
    }
    return list;
}

ProfileStretches *
profile_stretches_new (GArray *list)
{
    ProfileStretches *stretches = g_new0 (ProfileStretches, 1);

    if (!is_sorted (list)) {
        g_array_sort (list, compare_begins);
    }
    stretches->levels = g_array_new (FALSE, FALSE, sizeof (Level));
    add_level (stretches, list);
    while (list->len > BLOCK) {
        list = choose_longest (&g_array_index (stretches->levels, Level,
                                               stretches->levels->len - 1));
        add_level (stretches, list);
    }
    return stretches;
}

void
profile_stretches_free (ProfileStretches *stretches)
{
    if (stretches == NULL) {
        return;
    }
    for (guint i = 0; i < stretches->levels->len; i++) {
        Level *level = &g_array_index (stretches->levels, Level, i);

        g_array_unref (level->list);
        g_free (level->reach);
    }
    g_array_unref (stretches->levels);
    g_free (stretches);
}

/* The number of those that begin until then. */
static guint
find_end (const Level *level, gint64 end_us)
{
    return BASE_BISECT (middle, 0, level->list->len, get (level, middle)->begin_us <= end_us);
}

/* FALSE: there are more than `most`, of which `to` has some. */
static gboolean
collect (const Level *level, gint64 begin_us, gint64 end_us, guint most, GArray *to)
{
    guint end = find_end (level, end_us), before = to->len;

    for (guint block = 0; block * BLOCK < end; block++) {
        if (level->reach[block] < begin_us) {
            continue;
        }
        for (guint i = block * BLOCK; i < MIN ((block + 1) * BLOCK, end); i++) {
            if (get (level, i)->end_us < begin_us) {
                continue;
            }
            if (to->len - before >= most) {
                return FALSE;
            }
            g_array_append_val (to, get (level, i)->number);
        }
    }
    return TRUE;
}

gboolean
profile_stretches_find (const ProfileStretches *stretches, gint64 begin_us, gint64 end_us,
                        guint most, GArray *to)
{
    guint before = to->len;

    for (guint i = 0; i < stretches->levels->len; i++) {
        if (collect (&g_array_index (stretches->levels, Level, i), begin_us, end_us, most,
                     to)) {
            return i == 0;
        }
        g_array_set_size (to, before);
    }
    /* The last level is a block: of it what there is room for. */
    collect (&g_array_index (stretches->levels, Level, stretches->levels->len - 1), begin_us,
             end_us, most, to);
    return FALSE;
}
