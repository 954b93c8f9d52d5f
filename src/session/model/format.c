/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The contract's state lines: groups equal ranks, formats places, and shortens paths as far as
 * they stay unambiguous in this session. */
#include "session/private.h"
#include <string.h>

void
session_format_note_place (Session *session, const JobLocation *place)
{
    if (place->file != NULL && !g_hash_table_contains (session->texts->files, place->file)) {
        g_hash_table_add (session->texts->files, g_strdup (place->file));
        g_hash_table_remove_all (session->texts->short_files);
    }
}

/* TRUE when another known path ends in the same suffix. */
static gboolean
is_ambiguous (const Session *session, const char *path, const char *suffix)
{
    gpointer other;

    BASE_WALK (session->texts->files, &other, NULL) {
        if (strcmp (other, path) != 0 && job_where_match_file (suffix, other)) {
            return TRUE;
        }
    }
    return FALSE;
}

static const char *
find_suffix (const Session *session, const char *path)
{
    const char *suffix = path + strlen (path);

    while (suffix > path) {
        suffix--;
        while (suffix > path && suffix[-1] != '/') {
            suffix--;
        }
        if (*suffix != '\0' && *suffix != '/' && !is_ambiguous (session, path, suffix)) {
            return suffix;
        }
    }
    return path;
}

char *
session_dup_short_file (const Session *session, const char *path)
{
    const char *known = g_hash_table_lookup (session->texts->short_files, path);

    if (known == NULL) {
        known = find_suffix (session, path);
        g_hash_table_insert (session->texts->short_files, g_strdup (path), g_strdup (known));
        known = g_hash_table_lookup (session->texts->short_files, path);
    }
    return g_strdup (known);
}

char *
session_format_place (BaseTextForm form, const Session *session, const JobLocation *place)
{
    const char *function;
    g_autofree char *file = NULL;

    if (place == NULL) {
        return g_strdup ("");
    }
    function = job_location_get_function (form, place);
    if (place->file != NULL) {
        file = session_dup_short_file (session, place->file);
        /* Translators: a function, its file and a line: "main at app.c:12". */
        return function != NULL ? base_text_print_in (form, "function and line", "%s at %s:%u",
                                                      function, file, place->line)
                                : g_strdup_printf ("%s:%u", file, place->line);
    }
    if (place->module != NULL) {
        return g_strdup_printf ("%s%s(%s+0x%" G_GINT64_MODIFIER "x)",
                                function != NULL ? function : "", function != NULL ? " " : "",
                                place->module, place->offset);
    }
    return g_strdup (function != NULL ? function : "");
}

char *
session_format_fold (BaseTextForm form, const Session *session, const JobStackNode *hidden,
                     const JobStackFold *fold)
{
    GString *text = g_string_new (NULL);

    for (guint i = 0; i < fold->period; i++) {
        g_autofree char *place
            = session_format_place (form, session, &job_stack_fold_skip (hidden, i)->location);

        g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", *place != '\0' ? place : "??");
    }
    return g_string_free (text, FALSE);
}

char *
session_format_reason (BaseTextForm form, const Session *session, const char *reason)
{
    const JobText *said = form == BASE_TEXT_SHOWN
                              ? g_hash_table_lookup (session->texts->reasons, reason)
                              : NULL;

    return said != NULL ? job_text_print (form, said) : g_strdup (reason);
}

char *
session_format_state_and_reason (BaseTextForm form, const Session *session, const char *state,
                                 const char *reason)
{
    g_autofree char *why = reason != NULL ? session_format_reason (form, session, reason)
                                          : NULL;

    /* Translators: a state, and why: "signal SIGSEGV, main at app.c:3: a null pointer". */
    return why != NULL ? base_text_print_in (form, "state and reason", "%s: %s", state, why)
                       : g_strdup (state);
}

/* Stopped and moving ranks have a place, ended ones do not. */
static gboolean
has_place (const JobEvent *event)
{
    return event->place != NULL && !job_state_get_info (event->state)->is_ended;
}

/* What the state is, as after "ranks 0-3: ". */
static char *
format_what (BaseTextForm form, const JobEvent *event)
{
    g_autofree char *number = g_strdup_printf ("%d", event->number);
    const char *text = event->text;

    switch (event->state) {
    case JOB_STATE_RUNNING: return base_text_print_in (form, "state", "running");
    case JOB_STATE_STEPPING: return base_text_print_in (form, "state", "stepping");
    /* Translators: a step that cannot finish. */
    case JOB_STATE_BLOCKED: return base_text_print_in (form, "state", "blocked");
    case JOB_STATE_STOPPED: return base_text_print_in (form, "state", "stopped");
    case JOB_STATE_BREAKPOINT:
        /* Translators: the number of a breakpoint at which ranks have stopped. */
        return event->number > 0
                   ? base_text_print_in (form, "state", "breakpoint %d", event->number)
                   : base_text_print_in (form, "state", "breakpoint");
    case JOB_STATE_EXCEPTION:
        /* Translators: the type of an exception: "exception ValueError". */
        return text != NULL ? base_text_print_in (form, "state", "exception %s", text)
                            : base_text_print_in (form, "state", "exception");
    case JOB_STATE_SIGNAL:
        /* Translators: a signal's name: "signal SIGSEGV". */
        return text != NULL ? base_text_print_in (form, "state", "signal %s", text)
                            : base_text_print_in (form, "state", "signal");
    case JOB_STATE_EXITED: return base_text_print_in (form, "state", "exited 0");
    case JOB_STATE_FAILED:
        /* Translators: an exit status, or the signal that has killed it: "failed 3". */
        return base_text_print_in (form, "state", "failed %s", text != NULL ? text : number);
    case JOB_STATE_LOST:
        if (session_is_detached_text (text)) {
            return base_text_print_in (form, "state", "detached");
        }
        /* Translators: a host that no longer answers. */
        return text != NULL ? base_text_print_in (form, "state", "lost, host %s", text)
                            : base_text_print_in (form, "state", "lost");
    default: return base_text_print_in (form, "state", "not started");
    }
}

char *
session_format_event_state (BaseTextForm form, const Session *session, const JobEvent *event)
{
    g_autofree char *what = format_what (form, event);

    if (has_place (event)) {
        g_autofree char *place = session_format_place (form, session, event->place);

        if (*place != '\0') {
            /* Translators: a state and a place: "stopped, main at app.c:12". */
            return base_text_print_in (form, "state and place", "%s, %s", what, place);
        }
    }
    return g_steal_pointer (&what);
}

char *
session_format_state_event (BaseTextForm form, const Session *session, const JobEvent *event)
{
    g_autofree char *ranks = session->texts->is_brief ? job_rank_set_format_brief (event->ranks)
                                                      : job_rank_set_format (event->ranks);
    g_autofree char *state = session_format_event_state (form, session, event);

    /* Translators: ranks and their state: "0-3: stopped, main at app.c:12". */
    return base_text_print_in (form, "ranks and state", "%s: %s", ranks, state);
}

char *
session_format_make_key (const JobEvent *event, gboolean exact)
{
    const JobLocation *place = has_place (event) ? event->place : NULL;

    return g_strdup_printf ("%d\n%d\n%s\n%s\n%s\n%u\n%s\n%" G_GINT64_MODIFIER "x\n%s",
                            event->state, event->number, event->text != NULL ? event->text : "",
                            place != NULL && place->function != NULL ? place->function : "",
                            place != NULL && place->file != NULL ? place->file : "",
                            place != NULL ? place->line : 0,
                            place != NULL && place->module != NULL ? place->module : "",
                            place != NULL && place->file == NULL ? place->offset : 0,
                            exact && event->text2 != NULL ? event->text2 : "");
}

BASE_ORDER_POINTERS (compare_lowest, JobEvent,
                     job_rank_set_compare_lowest (left->ranks, right->ranks))

/* Takes the event, or merges it into the group with the same line, dropping a differing
 * text2. */
static void
add_group (GHashTable *keys, GPtrArray *groups, JobEvent *event, gboolean exact)
{
    g_autofree char *key = session_format_make_key (event, exact);
    JobEvent *group = g_hash_table_lookup (keys, key);

    if (group != NULL) {
        job_rank_set_merge (group->ranks, event->ranks);
        if (g_strcmp0 (group->text2, event->text2) != 0) {
            g_clear_pointer (&group->text2, g_free);
        }
        job_event_free (event);
    } else {
        g_hash_table_insert (keys, g_steal_pointer (&key), event);
        g_ptr_array_add (groups, event);
    }
}

GPtrArray *
session_dup_state_groups (const Session *session, const JobRankSet *set)
{
    GPtrArray *groups = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    g_autoptr (SessionGrouper) grouper = session_grouping_new (set, SESSION_BY_PLACE);
    g_autoptr (GPtrArray) found = NULL;

    while (!session_grouping_go_on (grouper, session, G_MAXUINT32)) {
    }
    found = session_grouping_take (grouper);
    BASE_EACH (found, SessionRankGroup, group) {
        g_ptr_array_add (groups, g_steal_pointer (&group->event));
    }
    return groups;
}

static char *
format_groups (BaseTextForm form, const Session *session, GPtrArray *groups)
{
    GString *lines = g_string_new (NULL);

    for (guint i = 0; i < groups->len; i++) {
        g_autofree char *line = session_format_state_event (form, session,
                                                            g_ptr_array_index (groups, i));

        g_string_append (lines, line);
        g_string_append_c (lines, '\n');
    }
    return g_string_free (lines, FALSE);
}

char *
session_format_state (BaseTextForm form, const Session *session, const JobRankSet *set)
{
    g_autoptr (GPtrArray) groups = session_dup_state_groups (session, set);

    return format_groups (form, session, groups);
}

/* A lost rank's line names its host, which the event may not carry: one event for each host. */
static void
add_lost (const Session *session, GHashTable *keys, GPtrArray *groups, const JobEvent *event,
          const JobRankSet *ranks)
{
    JOB_EACH_RANK_BELOW (ranks, rank, session->ranks->size) {
        g_autoptr (JobRankSet) one = job_rank_set_new_range (rank, rank + 1);
        JobEvent *lost = job_event_new (JOB_EVENT_STATE, event->request, one);

        lost->state = JOB_STATE_LOST;
        lost->text = g_strdup (session_ranks_get_host (session, rank));
        add_group (keys, groups, lost, FALSE);
    }
}

void
session_format_add_last (const Session *session, GHashTable *keys, GPtrArray *groups,
                         const JobEvent *event, gboolean exact)
{
    if (event->state == JOB_STATE_LOST && !session_is_detached_text (event->text)) {
        add_lost (session, keys, groups, event, event->ranks);
    } else {
        add_group (keys, groups, job_event_dup (event), exact);
    }
}

void
session_format_sort_groups (GPtrArray *groups)
{
    g_ptr_array_sort (groups, compare_lowest);
}

char *
session_format_event_states (const Session *session, GPtrArray *events)
{
    g_autoptr (GPtrArray) groups = session_dup_last_states (session, events, FALSE);

    return format_groups (BASE_TEXT_ENGLISH, session, groups);
}

void
session_set_brief (Session *session, gboolean brief)
{
    session->texts->is_brief = brief;
}
