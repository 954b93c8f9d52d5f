/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/backend/remote-ahead.h"
#include "base/clock.h"

#define FIRST_ID (1u << 30) /* between a client's and the server's own */
#define END_ID (1u << 31)
#define MAX_QUESTIONS 16
#define MAX_KEPT 64
#define FRESH_US 500000 /* so long an answer that has come is what a client would be told now */
#define FRESH_SOURCE_US 2000000

typedef struct {
    guint64 id, motion;
    JobRequest *request;
    GBytes *key;
    JobRankSet *left;   /* see session_ahead_note; empty: it was asked */
    GPtrArray *events;  /* of JobEvent: its answers */
    GArray *users;      /* of User */
    gint64 last_us;     /* when the last one came; 0: none has */
    gboolean is_closed; /* only those who share in it already get its answers */
} Question;

typedef struct {
    guint64 id;
    guint n_given;
} User;

struct _SessionAhead {
    Session *session;
    GPtrArray *asked;     /* of JobRequest: by clients, since the last motion */
    GPtrArray *last;      /* the same before it */
    GPtrArray *questions; /* of Question */
    gboolean has_changed; /* something was asked for that may change answers */
    char *path;           /* of the text that has come unasked; NULL: none */
    GBytes *text;
    gint64 time_us, text_us; /* text_us: when it has come */
    guint64 last_id;
    guint source;
    gboolean *is_gone; /* to be set when this is freed; NULL: nobody asks */
};

gboolean
session_ahead_is_stop (guint64 motion, const JobEvent *event)
{
    return event->kind == JOB_EVENT_STATE && event->request == motion
           && job_state_get_info (event->state)->is_stopped;
}

void
session_ahead_note (JobRankSet *left, guint64 motion, const JobEvent *event)
{
    if (!session_ahead_is_stop (motion, event) || job_rank_set_is_empty (left)) {
        return;
    }
    JOB_EACH_RANK (event->ranks, rank) {
        job_rank_set_remove (left, rank);
    }
}

BASE_FREE (free_question, Question, question, job_request_free (question->request);
           g_bytes_unref (question->key); job_rank_set_free (question->left);
           g_ptr_array_unref (question->events); g_array_unref (question->users))

SessionAhead *
session_ahead_new (Session *session)
{
    SessionAhead *ahead = g_new0 (SessionAhead, 1);

    ahead->session = session;
    ahead->asked = g_ptr_array_new_with_free_func ((GDestroyNotify) job_request_free);
    ahead->last = g_ptr_array_new_with_free_func ((GDestroyNotify) job_request_free);
    ahead->questions = g_ptr_array_new_with_free_func (free_question);
    /* what a front end before this one has asked may still be answered */
    ahead->last_id = FIRST_ID + g_random_int_range (0, G_MAXINT32 / 4);
    return ahead;
}

void
session_ahead_free (SessionAhead *ahead)
{
    g_clear_handle_id (&ahead->source, g_source_remove);
    if (ahead->is_gone != NULL) {
        *ahead->is_gone = TRUE;
    }
    g_ptr_array_unref (ahead->asked);
    g_ptr_array_unref (ahead->last);
    g_ptr_array_unref (ahead->questions);
    g_free (ahead->path);
    g_clear_pointer (&ahead->text, g_bytes_unref);
    g_free (ahead);
}

/* Of what a request asks, without its number. Caller owns. */
static GBytes *
make_key (const JobRequest *request)
{
    g_autoptr (JobRequest) plain = job_request_dup (request);
    g_autoptr (GVariant) packed = NULL;

    plain->id = 0;
    packed = g_variant_ref_sink (job_request_encode (plain));
    return g_variant_get_data_as_bytes (packed);
}

/* It changes nothing, and runs no code of the program. */
static gboolean
is_plain_question (const JobRequest *request)
{
    switch (request->verb) {
    case JOB_VERB_WHERE:
    case JOB_VERB_LOCALS:
    case JOB_VERB_THREADS:
    case JOB_VERB_REGISTERS:
    case JOB_VERB_DISASSEMBLE: return TRUE;
    case JOB_VERB_INFO: return g_strcmp0 (request->text, "frame") == 0;
    case JOB_VERB_PRINT: return (request->flags & JOB_REQUEST_CALLS_NOTHING) != 0;
    default: return FALSE;
    }
}

/* After it the same question may have another answer. */
static gboolean
may_change_answers (const JobRequest *request)
{
    return job_verb_is_motion (request->verb) || job_verb_is_write (request->verb)
           || request->verb == JOB_VERB_OPTION
           || ((request->verb == JOB_VERB_PRINT || request->verb == JOB_VERB_PRINTF)
               && (request->flags & JOB_REQUEST_CALLS_NOTHING) == 0);
}

/* Nobody who asks from now on gets the answers of what was asked before. */
static void
close_questions (SessionAhead *ahead)
{
    ahead->has_changed = TRUE;
    for (guint i = ahead->questions->len; i-- > 0;) {
        Question *question = ahead->questions->pdata[i];

        question->is_closed = TRUE;
        if (question->users->len == 0) {
            g_ptr_array_remove_index (ahead->questions, i);
        }
    }
    while (ahead->questions->len > MAX_KEPT) {
        g_ptr_array_remove_index (ahead->questions, 0);
    }
}

static void
note_asked (SessionAhead *ahead, const JobRequest *request, GBytes *key)
{
    for (guint i = 0; i < ahead->asked->len; i++) {
        g_autoptr (GBytes) other = make_key (ahead->asked->pdata[i]);

        if (g_bytes_equal (key, other)) {
            return;
        }
    }
    if (ahead->asked->len < MAX_QUESTIONS) {
        g_ptr_array_add (ahead->asked, job_request_dup (request));
    }
}

/* ---- the answers ---- */

static void
give (SessionAhead *ahead, const JobEvent *event, guint64 id)
{
    g_autoptr (JobEvent) copy = job_event_dup (event);

    copy->request = id;
    session_apply (ahead->session, copy);
}

/* Listeners may send requests, so that there may be more questions, users and events, and fewer questions, afterwards. */
static gboolean
give_one (SessionAhead *ahead)
{
    for (guint i = 0; i < ahead->questions->len; i++) {
        Question *question = ahead->questions->pdata[i];

        for (guint j = 0; j < question->users->len; j++) {
            User *user = &g_array_index (question->users, User, j);

            if (user->n_given < question->events->len) {
                give (ahead, question->events->pdata[user->n_given++], user->id);
                return TRUE;
            }
        }
    }
    return FALSE;
}

static gboolean
give_all (gpointer data)
{
    SessionAhead *ahead = data;
    g_autoptr (Session) session = g_object_ref (ahead->session);
    g_autofree gboolean *is_gone
        = g_new0 (gboolean, 1); /* as soon as who hears of an answer ends the session */

    ahead->source = 0;
    ahead->is_gone = is_gone;
    while (give_one (ahead) && !*is_gone) {
    }
    if (!*is_gone) {
        ahead->is_gone = NULL;
    }
    return G_SOURCE_REMOVE;
}

static void
begin_giving (SessionAhead *ahead)
{
    if (ahead->source == 0) {
        ahead->source = g_idle_add_full (G_PRIORITY_DEFAULT, give_all, ahead, NULL);
    }
}

gboolean
session_ahead_apply (SessionAhead *ahead, const JobEvent *event)
{
    for (guint i = 0; i < ahead->questions->len; i++) {
        Question *question = ahead->questions->pdata[i];

        session_ahead_note (question->left, question->motion, event);
        if (question->id == event->request) {
            g_ptr_array_add (question->events, job_event_dup (event));
            question->last_us = base_clock_get_us ();
            begin_giving (ahead);
        }
    }
    return event->request >= FIRST_ID && event->request < END_ID;
}

/* ---- the questions ---- */

static Question *
find_question (SessionAhead *ahead, GBytes *key)
{
    gint64 now_us = base_clock_get_us ();

    for (guint i = ahead->questions->len; i-- > 0;) {
        Question *question = ahead->questions->pdata[i];

        if (!question->is_closed && job_rank_set_is_empty (question->left)
            && (question->last_us == 0 || now_us - question->last_us < FRESH_US)
            && g_bytes_equal (question->key, key)) {
            return question;
        }
    }
    return NULL;
}

gboolean
session_ahead_take (SessionAhead *ahead, const JobRequest *request)
{
    g_autoptr (GBytes) key = NULL;
    Question *question;

    if (may_change_answers (request)) {
        close_questions (ahead);
    }
    if (!is_plain_question (request)) {
        return FALSE;
    }
    key = make_key (request);
    note_asked (ahead, request, key);
    question = find_question (ahead, key);
    if (question != NULL) {
        BASE_APPEND (question->users, User, request->id, 0);
        begin_giving (ahead);
    }
    return question != NULL;
}

/* NULL: the ranks will not all stand then. */
static JobRankSet *
find_left (SessionAhead *ahead, const JobRequest *motion, const JobRequest *question)
{
    g_autoptr (JobRankSet) left = job_rank_set_intersect (question->ranks, motion->ranks);
    g_autoptr (JobRankSet) others = job_rank_set_subtract (question->ranks, motion->ranks);

    JOB_EACH_RANK (others, rank) {
        if (rank >= session_get_size (ahead->session)
            || !job_state_get_info (session_get_states (ahead->session)[rank])->is_stopped) {
            return NULL;
        }
    }
    return job_rank_set_is_empty (left) ? NULL : g_steal_pointer (&left);
}

/* Of no motion, until it gets one. */
static Question *
add_question (SessionAhead *ahead, const JobRequest *request, guint64 id)
{
    Question *question = g_new0 (Question, 1);

    question->id = id;
    question->request = job_request_dup (request);
    question->request->id = id;
    question->key = make_key (request);
    question->left = job_rank_set_new ();
    question->events = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    question->users = g_array_new (FALSE, FALSE, sizeof (User));
    g_ptr_array_add (ahead->questions, question);
    return question;
}

void
session_ahead_follow (SessionAhead *ahead, const JobRequest *motion,
                      void (*tell) (Session *session, guint64 motion, const JobRankSet *left,
                                    const JobRequest *question))
{
    if (ahead->asked->len > 0) {
        GPtrArray *asked = ahead->asked;

        ahead->asked = ahead->last;
        ahead->last = asked;
        g_ptr_array_set_size (ahead->asked, 0);
    }
    for (guint i = 0; i < ahead->last->len; i++) {
        const JobRequest *again = ahead->last->pdata[i];
        g_autoptr (JobRankSet) left = find_left (ahead, motion, again);
        Question *question;

        if (left == NULL) {
            continue;
        }
        question = add_question (ahead, again, ++ahead->last_id);
        question->motion = motion->id;
        job_rank_set_free (question->left);
        question->left = g_steal_pointer (&left);
        tell (ahead->session, motion->id, question->left, question->request);
    }
}

/* ---- the start ---- */

void
session_ahead_foresee (SessionAhead *ahead, const JobRequest *question,
                       void (*tell) (Session *session, guint64 motion, const JobRankSet *left,
                                     const JobRequest *question))
{
    g_autoptr (JobRequest) numbered = job_request_dup (question);

    numbered->id = ++ahead->last_id;
    tell (ahead->session, 0, NULL, numbered);
}

gboolean
session_ahead_note_asked (SessionAhead *ahead, const JobRequest *question)
{
    if (question->id <= FIRST_ID || question->id > ahead->last_id
        || !is_plain_question (question) || ahead->questions->len >= MAX_KEPT) {
        return FALSE;
    }
    if (!ahead->has_changed) {
        add_question (ahead, question, question->id);
    }
    return TRUE;
}

gboolean
session_ahead_note_source (SessionAhead *ahead, const char *path, gint64 time_us, GBytes *text)
{
    gsize size;
    const char *data = g_bytes_get_data (text, &size);

    if (size == 0 || data[size - 1] != '\0') {
        return FALSE;
    }
    g_free (ahead->path);
    g_clear_pointer (&ahead->text, g_bytes_unref);
    ahead->path = g_strdup (path);
    ahead->text = g_bytes_ref (text);
    ahead->time_us = MAX (time_us, 0);
    ahead->text_us = base_clock_get_us ();
    return TRUE;
}

gboolean
session_ahead_answer (SessionAhead *ahead, SessionAsk ask, GTask *task)
{
    const SessionWanted *wanted = g_task_get_task_data (task);

    if ((ask != SESSION_ASK_TIME && ask != SESSION_ASK_SOURCE) || ahead->path == NULL
        || wanted->folders != NULL || g_strcmp0 (wanted->path, ahead->path) != 0
        || base_clock_get_us () - ahead->text_us > FRESH_SOURCE_US) {
        return FALSE;
    }
    if (ask == SESSION_ASK_TIME) {
        g_task_return_int (task, (gssize) ahead->time_us);
        return TRUE;
    }
    if (g_bytes_get_size (ahead->text) > wanted->limit + 1) {
        return FALSE;
    }
    g_task_return_pointer (task, g_bytes_ref (ahead->text), (GDestroyNotify) g_bytes_unref);
    return TRUE;
}

guint64
session_ahead_find (const SessionAhead *ahead, guint64 id)
{
    for (guint i = 0; i < ahead->questions->len; i++) {
        const Question *question = ahead->questions->pdata[i];

        if (BASE_ANY (j, question->users->len,
                      g_array_index (question->users, User, j).id == id)) {
            return question->id;
        }
    }
    return id;
}
