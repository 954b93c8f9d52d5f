/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The face: groups ranks by place, and describes them in one sentence. */
#include "analysis/face.h"
#include <glib/gi18n.h>

/* The number of places that the sentence names; it counts the others. */
#define MAX_NAMED 4
#define N_RECENT 64 /* groups found without comparing places by content */

typedef struct {
    guint n_all;
    guint n_stopped;
    guint n_in_state[JOB_N_STATES];
    guint n_placeless; /* stopped ones without a place */
} Counts;

static void
free_group (gpointer data)
{
    AnalysisPlaceGroup *group = data;

    job_rank_set_free (group->ranks);
    job_location_free (group->place);
    g_free (group);
}

/* Groups of one class stand together: all stopped states are one, each other is its own. */
static guint
get_class (JobState state)
{
    return job_state_get_info (state)->is_stopped ? (guint) JOB_STATE_STOPPED : (guint) state;
}

static guint
hash_group (gconstpointer data)
{
    const AnalysisPlaceGroup *group = data;

    return job_location_hash (group->place) * 31 + get_class (group->state);
}

static gboolean
is_equal_group (gconstpointer a, gconstpointer b)
{
    const AnalysisPlaceGroup *left = a;
    const AnalysisPlaceGroup *right = b;

    return get_class (left->state) == get_class (right->state)
           && job_location_equal (left->place, right->place);
}

static int
compare_groups (gconstpointer a, gconstpointer b)
{
    const AnalysisPlaceGroup *left = *(AnalysisPlaceGroup *const *) a;
    const AnalysisPlaceGroup *right = *(AnalysisPlaceGroup *const *) b;
    guint32 n_left = job_rank_set_get_count (left->ranks);
    guint32 n_right = job_rank_set_get_count (right->ranks);
    guint32 low_left = job_rank_set_get_lowest (left->ranks);
    guint32 low_right = job_rank_set_get_lowest (right->ranks);

    if (n_left != n_right) {
        return n_left > n_right ? -1 : 1;
    }
    return low_left < low_right ? -1 : low_left > low_right;
}

static AnalysisPlaceGroup *
find_group (GPtrArray *groups, GHashTable *known, const AnalysisMember *member)
{
    gboolean is_ended = job_state_get_info (member->state)->is_ended;
    AnalysisPlaceGroup key = { .place = is_ended ? NULL : (JobLocation *) member->place,
                               .state = member->state };
    AnalysisPlaceGroup *group = g_hash_table_lookup (known, &key);

    if (group == NULL) {
        group = g_new0 (AnalysisPlaceGroup, 1);
        group->ranks = job_rank_set_new ();
        group->place = job_location_dup (key.place);
        group->state = member->state;
        g_ptr_array_add (groups, group);
        g_hash_table_add (known, group);
    }
    return group;
}

GPtrArray *
analysis_face_dup_groups (const AnalysisMember *members, guint n_members)
{
    GPtrArray *groups = g_ptr_array_new_with_free_func (free_group);
    g_autoptr (GHashTable) known = g_hash_table_new (hash_group, is_equal_group);
    struct {
        const AnalysisMember *like;
        AnalysisPlaceGroup *group;
    } recent[N_RECENT] = { { NULL, NULL } };

    for (guint i = 0; i < n_members; i++) {
        const AnalysisMember *member = &members[i];
        guint slot = (g_direct_hash (member->place) / 16 + member->state) % N_RECENT;
        const AnalysisMember *like = recent[slot].like;
        AnalysisPlaceGroup *group = recent[slot].group;

        if (like == NULL || like->place != member->place || like->state != member->state) {
            group = find_group (groups, known, member);
            recent[slot].like = member;
            recent[slot].group = group;
        }
        if (job_state_get_info (member->state)->severity
            > job_state_get_info (group->state)->severity) {
            group->state = member->state;
        }
        job_rank_set_add_range (group->ranks, member->rank, member->rank + 1 + member->n_more);
    }
    g_ptr_array_sort (groups, compare_groups);
    return groups;
}

static Counts
count_members (const AnalysisMember *members, guint n_members)
{
    Counts counts = { 0 };

    for (guint i = 0; i < n_members; i++) {
        const JobStateInfo *info = job_state_get_info (members[i].state);
        guint state = (guint) members[i].state < JOB_N_STATES ? members[i].state
                                                              : JOB_STATE_NONE;
        guint n = members[i].n_more + 1;

        counts.n_all += n;
        counts.n_in_state[state] += n;
        counts.n_stopped += info->is_stopped ? n : 0;
        counts.n_placeless += info->is_stopped && members[i].place == NULL ? n : 0;
    }
    return counts;
}

static AnalysisFaceKind
judge_members (const Counts *counts, GPtrArray *groups)
{
    guint n_ended = counts->n_in_state[JOB_STATE_EXITED] + counts->n_in_state[JOB_STATE_FAILED];

    if (counts->n_all == 0 || counts->n_stopped + n_ended < counts->n_all) {
        return ANALYSIS_FACE_UNKNOWN;
    }
    if (n_ended == counts->n_all) {
        return ANALYSIS_FACE_ENDED;
    }
    if (counts->n_placeless == counts->n_all) {
        return ANALYSIS_FACE_UNKNOWN;
    }
    return groups->len == 1 ? ANALYSIS_FACE_TOGETHER : ANALYSIS_FACE_DIVERGED;
}

/* "app.py:12"; without a line the function or the place in its module. */
static char *
format_place (const JobLocation *place)
{
    g_autofree char *name = NULL;

    if (place == NULL) {
        return g_strdup (_ ("an unknown place"));
    }
    if (place->file != NULL && place->line > 0) {
        name = g_path_get_basename (place->file);
        return g_strdup_printf ("%s:%u", name, place->line);
    }
    if (place->function != NULL) {
        return g_strdup (place->function);
    }
    return g_strdup_printf ("%s+0x%" G_GINT64_MODIFIER "x",
                            place->module != NULL ? place->module : "?", place->offset);
}

/* As format_place, or longer when another group would read the same. */
static char *
format_group (GPtrArray *groups, guint index)
{
    const AnalysisPlaceGroup *group = g_ptr_array_index (groups, index);
    g_autofree char *text = format_place (group->place);

    for (guint i = 0; group->place != NULL && i < groups->len; i++) {
        const AnalysisPlaceGroup *other = g_ptr_array_index (groups, i);
        g_autofree char *other_text = i != index ? format_place (other->place) : NULL;

        if (g_strcmp0 (text, other_text) == 0) {
            return g_strdup_printf ("%s, %s:%u",
                                    group->place->function != NULL ? group->place->function
                                                                   : "?",
                                    group->place->file != NULL ? group->place->file : "?",
                                    group->place->line);
        }
    }
    return g_steal_pointer (&text);
}

static char *
describe_together (GPtrArray *groups)
{
    const AnalysisPlaceGroup *group = g_ptr_array_index (groups, 0);
    g_autofree char *place = format_place (group->place);
    guint n_ranks = job_rank_set_get_count (group->ranks);

    if (group->place->function == NULL || group->place->line == 0) {
        /* Translators: the number of ranks, and a place such as "app.c:12". */
        return g_strdup_printf (ngettext ("Together: %u rank at %s", "Together: %u ranks at %s",
                                          n_ranks),
                                n_ranks, place);
    }
    /* Translators: the number of ranks, a function, and a place such as "app.c:12". */
    return g_strdup_printf (ngettext ("Together: %u rank at %s, %s",
                                      "Together: %u ranks at %s, %s", n_ranks),
                            n_ranks, group->place->function, place);
}

static void
append_group (GString *text, GPtrArray *groups, guint index, guint n_all)
{
    const AnalysisPlaceGroup *group = g_ptr_array_index (groups, index);
    guint n_ranks = job_rank_set_get_count (group->ranks);
    g_autofree char *ranks = job_rank_set_format_brief (group->ranks);
    g_autofree char *place = NULL;

    if (job_state_get_info (group->state)->is_ended) {
        /* Translators: a number of ranks, their state, and which ranks these are. */
        g_string_append_printf (text, _ (" · %u %s (%s)"), n_ranks,
                                job_state_get_info (group->state)->word, ranks);
        return;
    }
    place = format_group (groups, index);
    if (index == 0) {
        /* Translators: a number of ranks, that of all, and a place; those of other places follow. */
        g_string_append_printf (text, _ ("Diverged: %u of %u at %s"), n_ranks, n_all, place);
    } else {
        /* Translators: a number of ranks, a place, and which ranks these are, such as "0-3,5". */
        g_string_append_printf (text, _ (" · %u at %s (%s)"), n_ranks, place, ranks);
    }
}

static char *
describe_diverged (GPtrArray *groups, guint n_all)
{
    GString *text = g_string_new (NULL);
    guint n_named = groups->len > MAX_NAMED ? MAX_NAMED - 1 : groups->len;
    const AnalysisPlaceGroup *largest = g_ptr_array_index (groups, 0);

    if (job_state_get_info (largest->state)->is_ended) {
        g_string_append_printf (text, _ ("Diverged: %u ranks"), n_all);
    }
    for (guint i = 0; i < n_named; i++) {
        append_group (text, groups, i, n_all);
    }
    if (n_named < groups->len) {
        guint n_more = groups->len - n_named;

        g_string_append_printf (text,
                                ngettext (" · %u more place", " · %u more places", n_more),
                                n_more);
    }
    return g_string_free (text, FALSE);
}

static char *
describe_unknown (const Counts *counts)
{
    GString *text = g_string_new (NULL);

    if (counts->n_all == 0) {
        return g_string_free (g_string_append (text, _ ("no ranks")), FALSE);
    }
    if (counts->n_stopped > 0) {
        g_string_append_printf (text, _ ("%u of %u stopped"), counts->n_stopped, counts->n_all);
    }
    for (guint i = 0; i < JOB_N_STATES; i++) {
        const JobStateInfo *info = job_state_get_info ((JobState) i);

        if (counts->n_in_state[i] > 0 && !info->is_stopped) {
            g_string_append_printf (text, "%s%u %s", text->len > 0 ? ", " : "",
                                    counts->n_in_state[i], info->word);
        }
    }
    return g_string_free (text, FALSE);
}

static char *
describe_face (AnalysisFaceKind kind, GPtrArray *groups, const Counts *counts)
{
    guint n_failed = counts->n_in_state[JOB_STATE_FAILED];

    switch (kind) {
    case ANALYSIS_FACE_TOGETHER: return describe_together (groups);
    case ANALYSIS_FACE_DIVERGED: return describe_diverged (groups, counts->n_all);
    case ANALYSIS_FACE_ENDED:
        return n_failed > 0 ? g_strdup_printf (_ ("All ended, %u failed"), n_failed)
                            : g_strdup (_ ("All ended"));
    default: return describe_unknown (counts);
    }
}

AnalysisFace *
analysis_face_new (const AnalysisMember *members, guint n_members)
{
    AnalysisFace *face = g_new0 (AnalysisFace, 1);
    Counts counts = count_members (members, n_members);

    face->groups = analysis_face_dup_groups (members, n_members);
    face->kind = judge_members (&counts, face->groups);
    face->text = describe_face (face->kind, face->groups, &counts);
    return face;
}

void
analysis_face_free (AnalysisFace *face)
{
    if (face != NULL) {
        g_free (face->text);
        g_ptr_array_unref (face->groups);
        g_free (face);
    }
}
