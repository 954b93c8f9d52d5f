/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles that scripts have opened: archives, which are read and looked through in a thread of their own, since they may be
 * large, and what the session has sampled, which is the main loop's. */
#include "script/private.h"
#include "base/error.h"
#include "profile/archive.h"
#include "profile/export.h"
#include "profile/part.h"
#include <string.h>

/* A profile, or a part of another one. */
typedef struct _Held Held;
struct _Held {
    gatomicrefcount n_refs;
    const ProfileModel *model;
    ProfileModel *own;     /* NULL: the session's */
    CommandProfile *taken; /* of the session; NULL */
    Held *whole;           /* of which it is a part; NULL */
    char *path;            /* of the archive; NULL */
    char *command, *begun;
    guint rate;
};

typedef struct {
    guint64 id;
    char *what;
    GStrv words;
    char *program; /* pddt-archive; NULL */
    Held *held;    /* NULL: one is to be made */
    Held *made;    /* NULL: none */
    GString *text;
    GError *error;
} Question;

static struct {
    GHashTable *by_number; /* number to Held */
    guint64 last;
    GThreadPool *thread; /* one: models are not made for several */
} profiles;

/* ---- what is held ---- */

static Held *
ref_held (Held *held)
{
    g_atomic_ref_count_inc (&held->n_refs);
    return held;
}

static void
unref_held (gpointer data)
{
    Held *held = data;

    if (held == NULL || !g_atomic_ref_count_dec (&held->n_refs)) {
        return;
    }
    g_clear_pointer (&held->own, profile_model_free);
    command_profile_unref (held->taken);
    unref_held (held->whole);
    g_free (held->path);
    g_free (held->command);
    g_free (held->begun);
    g_free (held);
}

static Held *
new_held (void)
{
    Held *held = g_new0 (Held, 1);

    g_atomic_ref_count_init (&held->n_refs);
    return held;
}

static Held *
hold_archive (ProfileModel *model, const char *path)
{
    const ProfileInfo *info = profile_model_get_info (model);
    g_autoptr (GDateTime) begun = info->begin_real_us > 0
                                      ? g_date_time_new_from_unix_local (info->begin_real_us
                                                                         / G_USEC_PER_SEC)
                                      : NULL;
    Held *held = new_held ();

    held->model = held->own = model;
    held->path = g_strdup (path);
    held->command = g_strdup (info->command);
    held->begun = begun != NULL ? g_date_time_format (begun, "%Y-%m-%d %H:%M:%S") : NULL;
    held->rate = info->rate;
    return held;
}

static Held *
hold_taken (CommandProfile *taken)
{
    ProfileReportFacts facts;
    Held *held = new_held ();

    held->taken = command_profile_ref (taken);
    held->model = command_profile_get_model (taken, &facts);
    held->command = g_strdup (facts.command);
    held->begun = g_strdup (facts.begun);
    held->rate = facts.rate;
    return held;
}

static Held *
hold_part (Held *whole, const ProfileSlice *slice)
{
    Held *held = new_held ();

    held->model = held->own = profile_model_new_slice (whole->model, slice);
    held->whole = ref_held (whole);
    held->command = g_strdup (whole->command);
    held->begun = g_strdup (whole->begun);
    held->rate = whole->rate;
    return held;
}

/* ---- what is asked ---- */

static const char *
get_word (const Question *question, guint number)
{
    return number < g_strv_length (question->words) ? question->words[number] : "";
}

static double
get_time (const Question *question, guint number, double otherwise)
{
    const char *word = get_word (question, number);

    return *word != '\0' ? g_ascii_strtod (word, NULL) : otherwise;
}

/* BEGIN, END, RANKS, CLASS or number of bins. */
static ScriptProfilePart
get_part (const Question *question, JobRankSet **ret_ranks)
{
    const char *ranks = get_word (question, 2);
    ScriptProfilePart part = {
        .begin_s = get_time (question, 0, 0),
        .end_s = get_time (question, 1, profile_model_get_end (question->held->model) + 1e-6),
        .n_bins = (guint) CLAMP (get_time (question, 3, 1), 1, 1e6),
        .scale = 1
    };

    part.ranks = *ret_ranks = *ranks != '\0' ? job_rank_set_parse (ranks, G_MAXUINT32, NULL)
                                             : NULL;
    return part;
}

static int
find_class (const char *name)
{
    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        if (strcmp (job_class_get_name (class), name) == 0) {
            return (int) class;
        }
    }
    return PROFILE_ALL_CLASSES;
}

static void
make_part (Question *question)
{
    g_autoptr (JobRankSet) ranks = NULL;
    ScriptProfilePart part = get_part (question, &ranks);
    ProfileSlice slice = { part.begin_s, part.end_s, part.ranks,
                           find_class (get_word (question, 3)) };

    question->made = hold_part (question->held, &slice);
}

/* Of a part of an archive's time they are read again, since only so many are kept of the whole. */
static void
add_samples (Question *question)
{
    const Held *held = question->held;
    g_autoptr (JobRankSet) ranks = NULL;
    ScriptProfilePart part = get_part (question, &ranks);
    g_autoptr (ProfileModel) read = NULL;

    if (held->path != NULL && question->program != NULL
        && (*get_word (question, 0) != '\0' || *get_word (question, 1) != '\0')) {
        ProfilePart fine = profile_part_new (held->model, part.begin_s, part.end_s);

        read = profile_part_read (question->program, held->path, &fine, NULL);
        if (read != NULL) {
            part.offset = profile_part_get_seconds (&fine, held->model, read, 0);
            part.scale = profile_part_get_seconds (&fine, held->model, read, 1) - part.offset;
        }
    }
    script_profile_add_samples (question->text, read != NULL ? read : held->model, &part);
}

static void
write_file (Question *question, gboolean is_report)
{
    const Held *held = question->held;
    ProfileReportFacts facts = { held->command, held->begun, held->rate };

    if (is_report) {
        profile_report_write (held->model, get_word (question, 0), &facts, &question->error);
    } else {
        profile_export (held->model, get_word (question, 0), get_word (question, 1),
                        &question->error);
    }
}

static void
open_archive (Question *question)
{
    const char *path = get_word (question, 0);
    ProfileModel *model = question->program != NULL
                              ? profile_archive_read (question->program, path, &question->error)
                              : NULL;

    if (model != NULL) {
        question->made = hold_archive (model, path);
    }
}

static void
work (Question *question)
{
    g_autoptr (JobRankSet) ranks = NULL;

    if (strcmp (question->what, "open") == 0) {
        open_archive (question);
    } else if (strcmp (question->what, "part") == 0) {
        make_part (question);
    } else if (strcmp (question->what, "samples") == 0) {
        add_samples (question);
    } else if (strcmp (question->what, "report") == 0) {
        write_file (question, TRUE);
    } else if (strcmp (question->what, "export") == 0) {
        write_file (question, FALSE);
    } else {
        ScriptProfilePart part = get_part (question, &ranks);

        if (!script_profile_add_rows (question->text, question->what, question->held->model,
                                      question->held->path, &part)) {
            g_set_error (&question->error, BASE_ERROR, BASE_ERROR_INVALID,
                         "a profile has no \"%s\"", question->what);
        }
    }
}

static void
free_question (Question *question)
{
    g_free (question->what);
    g_strfreev (question->words);
    g_free (question->program);
    unref_held (question->held);
    g_string_free (question->text, TRUE);
    g_clear_error (&question->error);
    g_free (question);
}

/* Its number, and what is known of the whole. */
static void
keep_made (Question *question)
{
    const Held *held = question->made;
    ProfileReportFacts facts = { held->command, held->begun, held->rate };

    if (profiles.by_number == NULL) {
        profiles.by_number = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                                    unref_held);
    }
    profiles.last++;
    g_hash_table_insert (profiles.by_number, g_memdup2 (&profiles.last, sizeof profiles.last),
                         question->made);
    g_string_append_printf (question->text, "[%" G_GUINT64_FORMAT, profiles.last);
    script_profile_add_head (question->text, held->model, &facts);
    g_string_append_c (question->text, ']');
}

static gboolean
on_worked (gpointer data)
{
    Question *question = data;

    if (question->made != NULL) {
        keep_made (question);
    }
    if (question->error != NULL) {
        g_string_printf (question->text, "%s\t%s",
                         question->error->domain == BASE_ERROR
                             ? base_error_get_name (question->error->code)
                             : "denied",
                         question->error->message);
    }
    script_answer (question->id, question->text->str, question->error == NULL);
    free_question (question);
    return G_SOURCE_REMOVE;
}

static void
work_in_thread (gpointer data, gpointer user)
{
    work (data);
    g_main_context_invoke (NULL, on_worked, data);
}

static void
begin_work (Question *question)
{
    const Held *held = question->held;

    while (held != NULL && held->whole != NULL) {
        held = held->whole;
    }
    if (held != NULL && held->taken != NULL) {
        work (question);
        on_worked (question);
        return;
    }
    if (profiles.thread == NULL) {
        profiles.thread = g_thread_pool_new (work_in_thread, NULL, 1, FALSE, NULL);
    }
    g_thread_pool_push (profiles.thread, question, NULL);
}

/* ---- questions ---- */

static void
take_session (Question *question, CommandProfile *taken)
{
    if (taken == NULL) {
        g_set_error (
            &question->error, BASE_ERROR, BASE_ERROR_NOT_FOUND,
            "there is no profile yet; profile SECONDS takes one, and profile stop ends one that profile start began");
    } else {
        question->made = hold_taken (taken);
    }
    on_worked (question);
}

void
script_profiles_ask (const ScriptMessage *message, CommandProfile *taken, ScriptFind find)
{
    const char *what = message->text != NULL ? message->text : "";
    Held *held = profiles.by_number != NULL
                     ? g_hash_table_lookup (profiles.by_number, &message->number)
                     : NULL;
    Question *question;

    if (strcmp (what, "close") == 0) { /* nobody waits for an answer */
        if (held != NULL) {
            g_hash_table_remove (profiles.by_number, &message->number);
        }
        return;
    }
    question = g_new0 (Question, 1);
    question->id = message->id;
    question->what = g_strdup (what);
    question->words = g_strsplit (message->text2 != NULL ? message->text2 : "", "\n", 0);
    question->text = g_string_new (NULL);
    if (strcmp (what, "taken") == 0) {
        take_session (question, taken);
        return;
    }
    question->held = held != NULL ? ref_held (held) : NULL;
    question->program = find ("pddt-archive",
                              strcmp (what, "open") == 0 ? &question->error : NULL);
    if (held == NULL && strcmp (what, "open") != 0) {
        g_set_error (&question->error, BASE_ERROR, BASE_ERROR_GONE, "this profile is closed");
    }
    if (question->error != NULL) {
        on_worked (question);
    } else {
        begin_work (question);
    }
}
