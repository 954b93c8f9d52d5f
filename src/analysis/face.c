/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The face: groups ranks by place, and describes them in one sentence. */
#include "analysis/face.h"
#include "analysis/communicators.h"
#include "base/array.h"
#include <glib/gi18n.h>
#include <string.h>

/* The number of places that the sentence names; it counts the others. */
#define MAX_NAMED 4
#define MAX_CRASHES 2 /* kinds of crashes that are named */
#define MAX_KINDS 64  /* that are told apart */

typedef struct {
    guint n_all;
    guint n_stopped;
    guint n_in_state[JOB_N_STATES];
    guint n_placeless; /* stopped ones without a place */
} Counts;

BASE_FREE (free_group, AnalysisPlaceGroup, group, job_rank_set_free (group->ranks);
           job_location_free (group->place))

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

BASE_ORDER_POINTERS (compare_groups, AnalysisPlaceGroup,
                     job_rank_set_compare_counts (right->ranks, left->ranks)
                         ?: job_rank_set_compare_lowest (left->ranks, right->ranks))

/* A group while its members are still looked for. */
typedef struct {
    AnalysisPlaceGroup *group;
    guint8 *wanted; /* by member */
} Gathering;

static Gathering *
find_group (GArray *gatherings, GHashTable *known, const AnalysisMember *member,
            guint n_members)
{
    gboolean is_ended = job_state_get_info (member->state)->is_ended;
    AnalysisPlaceGroup key = { .place = is_ended ? NULL : (JobLocation *) member->place,
                               .state = member->state };
    gpointer index;

    if (!g_hash_table_lookup_extended (known, &key, NULL, &index)) {
        Gathering gathering = { g_new0 (AnalysisPlaceGroup, 1), g_new0 (guint8, n_members) };

        gathering.group->place = job_location_dup (key.place);
        gathering.group->state = member->state;
        index = GUINT_TO_POINTER (gatherings->len);
        g_array_append_val (gatherings, gathering);
        g_hash_table_insert (known, gathering.group, index);
    }
    return &g_array_index (gatherings, Gathering, GPOINTER_TO_UINT (index));
}

/* is_left: by member, those to group; NULL: all. */
static GPtrArray *
dup_groups (const AnalysisRanks *ranks, const guint8 *is_left)
{
    GPtrArray *groups = g_ptr_array_new_with_free_func (free_group);
    g_autoptr (GArray) gatherings = g_array_new (FALSE, FALSE, sizeof (Gathering));
    g_autoptr (GHashTable) known = g_hash_table_new (hash_group, is_equal_group);

    for (guint i = 0; i < ranks->n_members; i++) {
        const AnalysisMember *member = &ranks->members[i];
        Gathering *gathering;

        if (is_left != NULL && !is_left[i]) {
            continue;
        }
        gathering = find_group (gatherings, known, member, ranks->n_members);
        gathering->wanted[i] = 1;
        if (job_state_get_info (member->state)->severity
            > job_state_get_info (gathering->group->state)->severity) {
            gathering->group->state = member->state;
        }
    }
    BASE_EACH_ROW (gatherings, Gathering, gathering) {
        gathering->group->ranks = ranks->dup_ranks (gathering->wanted, ranks->user);
        g_ptr_array_add (groups, gathering->group);
        g_free (gathering->wanted);
    }
    g_ptr_array_sort (groups, compare_groups);
    return groups;
}

static Counts
count_members (const AnalysisRanks *ranks, const guint8 *is_left)
{
    Counts counts = { 0 };

    for (guint i = 0; i < ranks->n_members; i++) {
        const AnalysisMember *member = &ranks->members[i];
        gboolean is_stopped = job_state_get_info (member->state)->is_stopped;
        guint state = (guint) member->state < JOB_N_STATES ? member->state : JOB_STATE_NONE;
        guint n = is_left == NULL || is_left[i] ? member->n_ranks : 0;

        counts.n_all += n;
        counts.n_in_state[state] += n;
        counts.n_stopped += is_stopped ? n : 0;
        counts.n_placeless += is_stopped && member->place == NULL ? n : 0;
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

/* is_first: with the number of all, as nothing stands before it. */
static void
append_group (GString *text, GPtrArray *groups, guint index, gboolean is_first, guint n_all)
{
    const AnalysisPlaceGroup *group = g_ptr_array_index (groups, index);
    guint n_ranks = job_rank_set_get_count (group->ranks);
    g_autofree char *ranks = job_rank_set_format_brief (group->ranks);
    g_autofree char *place = NULL;

    if (job_state_get_info (group->state)->is_ended) {
        /* Translators: a number of ranks, their state, and which ranks these are. */
        g_string_append_printf (text, _ (" · %u %s (%s)"), n_ranks,
                                job_state_get_shown (group->state, n_ranks), ranks);
        return;
    }
    place = format_group (groups, index);
    if (is_first) {
        /* Translators: a number of ranks, that of all, and a place; those of other places follow. */
        g_string_append_printf (text, _ ("Diverged: %u of %u at %s"), n_ranks, n_all, place);
    } else {
        /* Translators: a number of ranks, a place, and which ranks these are, such as "0-3,5". */
        g_string_append_printf (text, _ (" · %u at %s (%s)"), n_ranks, place, ranks);
    }
}

/* n_before: places that are named already. */
static void
append_places (GString *text, GPtrArray *groups, guint n_before, guint n_all)
{
    guint max = MAX_NAMED - n_before;
    guint n_named = groups->len > max ? max - 1 : groups->len;

    for (guint i = 0; i < n_named; i++) {
        append_group (text, groups, i, n_before == 0 && i == 0, n_all);
    }
    if (n_named < groups->len) {
        guint n_more = groups->len - n_named;

        g_string_append_printf (text,
                                ngettext (" · %u more place", " · %u more places", n_more),
                                n_more);
    }
}

static char *
describe_diverged (GPtrArray *groups, guint n_all)
{
    GString *text = g_string_new (NULL);
    const AnalysisPlaceGroup *largest = g_ptr_array_index (groups, 0);

    if (job_state_get_info (largest->state)->is_ended) {
        g_string_append_printf (text, _ ("Diverged: %u ranks"), n_all);
    }
    append_places (text, groups, 0, n_all);
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
                                    counts->n_in_state[i],
                                    job_state_get_shown ((JobState) i, counts->n_in_state[i]));
        }
    }
    return g_string_free (text, FALSE);
}

/* ---- crashes ---- */

/* Ranks with the same fault; of the same text (NULL: none) at the same place. */
typedef struct {
    const AnalysisMember *like;
    guint8 *wanted; /* by member */
    JobRankSet *ranks;
} Crash;

BASE_FREE (free_crash, Crash, crash, job_rank_set_free (crash->ranks); g_free (crash->wanted))

static gboolean
is_crashed (const AnalysisMember *member)
{
    AnalysisRank rank = { .state = member->state, .text = member->text };

    return member->state == JOB_STATE_FAILED || analysis_rank_is_crashed (&rank);
}

static Crash *
find_crash (GPtrArray *crashes, const AnalysisMember *member, guint n_members)
{
    Crash *crash;

    for (guint i = 0; i < crashes->len; i++) {
        crash = g_ptr_array_index (crashes, i);
        if (i == MAX_KINDS - 1
            || (crash->like->state == member->state
                && g_strcmp0 (crash->like->text, member->text) == 0
                && job_location_equal (crash->like->place, member->place))) {
            return crash;
        }
    }
    crash = g_new (Crash, 1);
    *crash = (Crash){ member, g_new0 (guint8, n_members), NULL };
    g_ptr_array_add (crashes, crash);
    return crash;
}

/* Of Crash, by lowest rank as the members come; ranks in *ret_all. */
static GPtrArray *
list_crashes (const AnalysisRanks *ranks, JobRankSet **ret_all)
{
    GPtrArray *crashes = g_ptr_array_new_with_free_func (free_crash);

    *ret_all = job_rank_set_new ();
    for (guint i = 0; i < ranks->n_members; i++) {
        if (is_crashed (&ranks->members[i])) {
            find_crash (crashes, &ranks->members[i], ranks->n_members)->wanted[i] = 1;
        }
    }
    BASE_EACH (crashes, Crash, crash) {
        crash->ranks = ranks->dup_ranks (crash->wanted, ranks->user);
        job_rank_set_merge (*ret_all, crash->ranks);
    }
    return crashes;
}

static char *
describe_crash (const Crash *crash)
{
    const AnalysisMember *like = crash->like;
    guint n = job_rank_set_get_count (crash->ranks);
    g_autofree char *ranks = job_rank_set_format_brief (crash->ranks);
    g_autofree char *place = like->place != NULL ? format_place (like->place) : NULL;
    const char *what = like->text != NULL ? like->text : job_state_get_info (like->state)->word;

    if (job_state_get_info (like->state)->is_ended) {
        /* Translators: which ranks, such as "3" or "0-3,5", and a signal or exit status. */
        return like->text != NULL
                   ? g_strdup_printf (ngettext ("Rank %s failed (%s)", "Ranks %s failed (%s)",
                                                n),
                                      ranks, like->text)
                   : g_strdup_printf (ngettext ("Rank %s failed", "Ranks %s failed", n), ranks);
    }
    if (like->state == JOB_STATE_SIGNAL) {
        /* Translators: which ranks, such as "3" or "0-3,5", a signal, and a place. */
        return place != NULL ? g_strdup_printf (ngettext ("Rank %s crashed (%s) at %s",
                                                          "Ranks %s crashed (%s) at %s", n),
                                                ranks, what, place)
                             : g_strdup_printf (ngettext ("Rank %s crashed (%s)",
                                                          "Ranks %s crashed (%s)", n),
                                                ranks, what);
    }
    /* Translators: which ranks, such as "3" or "0-3,5", an exception's name, and a place. */
    return place != NULL
               ? g_strdup_printf (ngettext ("Rank %s raised %s at %s",
                                            "Ranks %s raised %s at %s", n),
                                  ranks, what, place)
               : g_strdup_printf (ngettext ("Rank %s raised %s", "Ranks %s raised %s", n),
                                  ranks, what);
}

static gboolean
is_blocked (const AnalysisMember *member)
{
    return member->state == JOB_STATE_BLOCKED;
}

/* By member: 1 where it is (or is not) such a one. Caller owns. */
static guint8 *
choose_members (const AnalysisRanks *ranks, gboolean (*is_such) (const AnalysisMember *member),
                gboolean has_such)
{
    guint8 *chosen = g_new0 (guint8, ranks->n_members);

    for (guint i = 0; i < ranks->n_members; i++) {
        chosen[i] = is_such (&ranks->members[i]) == has_such;
    }
    return chosen;
}

/* What those do who are not `is_named`: their places where none of them moves, else how many are in
 * which state. */
static void
append_others (GString *text, const AnalysisRanks *ranks, guint n_all,
               gboolean (*is_named) (const AnalysisMember *member))
{
    g_autofree guint8 *is_left = choose_members (ranks, is_named, FALSE);
    g_autoptr (GPtrArray) groups = NULL;
    Counts counts = count_members (ranks, is_left);

    if (counts.n_all == 0) {
        return;
    }
    groups = dup_groups (ranks, is_left);
    switch (judge_members (&counts, groups)) {
    case ANALYSIS_FACE_TOGETHER:
    case ANALYSIS_FACE_DIVERGED: append_places (text, groups, 1, n_all); break;
    case ANALYSIS_FACE_ENDED:
        /* Translators: a number of ranks, and their state. */
        g_string_append_printf (text, _ (" · %u %s"), counts.n_all,
                                job_state_get_shown (JOB_STATE_EXITED, counts.n_all));
        break;
    default: {
        g_autofree char *moving = describe_unknown (&counts);

        g_string_append_printf (text, " · %s", moving);
    }
    }
}

static char *
describe_crashed (const AnalysisRanks *ranks, GPtrArray *crashes, guint n_all,
                  gsize *ret_main_length)
{
    GString *text = g_string_new (NULL);

    for (guint i = 0; i < MIN (crashes->len, MAX_CRASHES); i++) {
        g_autofree char *one = describe_crash (g_ptr_array_index (crashes, i));

        g_string_append_printf (text, "%s%s", i > 0 ? " · " : "", one);
    }
    if (crashes->len > MAX_CRASHES) {
        guint n_more = 0;

        for (guint i = MAX_CRASHES; i < crashes->len; i++) {
            n_more
                += job_rank_set_get_count (((Crash *) g_ptr_array_index (crashes, i))->ranks);
        }
        g_string_append_printf (text,
                                ngettext (" · %u more crashed", " · %u more crashed", n_more),
                                n_more);
    }
    *ret_main_length = text->len;
    append_others (text, ranks, n_all, is_crashed);
    return g_string_free (text, FALSE);
}

static char *
describe_blocked (const AnalysisRanks *ranks, guint n_all)
{
    g_autofree guint8 *wanted = choose_members (ranks, is_blocked, TRUE);
    g_autoptr (JobRankSet) blocked = ranks->dup_ranks (wanted, ranks->user);
    g_autofree char *brief = job_rank_set_format_brief (blocked);
    GString *text = g_string_new (NULL);

    /* Translators: which ranks, such as "3" or "0-3,5"; they are inside MPI and cannot go on. */
    g_string_append_printf (text,
                            ngettext ("Rank %s blocked", "Ranks %s blocked",
                                      job_rank_set_get_count (blocked)),
                            brief);
    append_others (text, ranks, n_all, is_blocked);
    return g_string_free (text, FALSE);
}

static char *
describe_face (AnalysisFaceKind kind, GPtrArray *groups, const Counts *counts)
{
    switch (kind) {
    case ANALYSIS_FACE_TOGETHER: return describe_together (groups);
    case ANALYSIS_FACE_DIVERGED: return describe_diverged (groups, counts->n_all);
    case ANALYSIS_FACE_ENDED: return g_strdup (_ ("All ended"));
    default: return describe_unknown (counts);
    }
}

AnalysisFace *
analysis_face_new (const AnalysisRanks *ranks)
{
    AnalysisFace *face = g_new0 (AnalysisFace, 1);
    Counts counts = count_members (ranks, NULL);
    g_autoptr (GPtrArray) crashes = NULL;

    face->groups = dup_groups (ranks, NULL);
    face->kind = judge_members (&counts, face->groups);
    face->is_together = face->kind == ANALYSIS_FACE_TOGETHER;
    crashes = list_crashes (ranks, &face->crashed);
    if (crashes->len > 0) {
        face->kind = ANALYSIS_FACE_CRASHED;
        face->text = describe_crashed (ranks, crashes, counts.n_all, &face->main_length);
    } else if (counts.n_in_state[JOB_STATE_BLOCKED] > 0) {
        face->kind = ANALYSIS_FACE_BLOCKED;
        face->text = describe_blocked (ranks, counts.n_all);
    } else {
        face->text = describe_face (face->kind, face->groups, &counts);
    }
    face->main_length = face->main_length > 0 ? face->main_length : strlen (face->text);
    return face;
}

BASE_FREE_PUBLIC (analysis_face_free, AnalysisFace, face, g_free (face->text);
                  g_ptr_array_unref (face->groups); job_rank_set_free (face->crashed))
