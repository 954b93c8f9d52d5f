/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tag parser: splits a buffer at line ends and tags. Keeps each rank's unfinished line,
 * because pieces of several ranks may share a line of mpirun's. */
#include "launch/tags.h"
#include "base/array.h"
#include <string.h>

#define MAX_TAG 48
#define MAX_OPEN_LINE 65536

struct _LaunchTags {
    LaunchTagForm form;
    guint32 default_rank, rank;
    char word[12]; /* "<stdout>:" */
    LaunchTagsText on_text;
    gpointer user;
    GString *rest;       /* may be the begin of a tag */
    gboolean line_start; /* rest begins a line */
    gboolean after_tag;  /* rest begins behind a tag: no second one */
    gboolean has_job;
    guint64 job;      /* of the first tag seen */
    GHashTable *open; /* rank to GString: its unfinished line */
};

typedef enum { TAG_NO, TAG_YES, TAG_PERHAPS } TagAnswer;

static void
free_string (gpointer data)
{
    g_string_free (data, TRUE);
}

LaunchTags *
launch_tags_new (LaunchTagForm form, guint32 default_rank, int stream, LaunchTagsText on_text,
                 gpointer user)
{
    LaunchTags *tags = g_new0 (LaunchTags, 1);
    tags->form = form;
    tags->default_rank = tags->rank = default_rank;
    g_snprintf (tags->word, sizeof tags->word, "<%s>:%s",
                form == LAUNCH_TAGS_PATTERN ? "pddt"
                : stream == 2               ? "stderr"
                                            : "stdout",
                form == LAUNCH_TAGS_SPACED ? " " : "");
    tags->on_text = on_text;
    tags->user = user;
    tags->rest = g_string_new (NULL);
    tags->line_start = TRUE;
    tags->open = g_hash_table_new_full (NULL, NULL, NULL, free_string);
    return tags;
}

/* Digits at text[*at]; FALSE when there is none and more text follows. */
static gboolean
read_digits (const char *text, gsize size, gsize *at, guint64 *ret_number)
{
    guint64 number = 0;
    gsize start = *at;
    while (*at < size && g_ascii_isdigit (text[*at]) && *at - start < 10) {
        number = number * 10 + (guint64) (text[(*at)++] - '0');
    }
    *ret_number = number;
    return *at > start || *at == size;
}

/* "  7: ", with as many spaces before it as make all ranks' labels equally wide. */
static TagAnswer
read_label (const LaunchTags *tags, const char *text, gsize size, gsize *ret_size,
            guint32 *ret_rank)
{
    gsize at = 0;
    guint64 rank = 0;
    while (at < size && at < 8 && text[at] == ' ') {
        at++;
    }
    if (!tags->line_start || !read_digits (text, size, &at, &rank)
        || (at < size && text[at] != ':') || (at + 1 < size && text[at + 1] != ' ')
        || rank >= G_MAXINT32) {
        return TAG_NO;
    }
    if (at + 2 > size) {
        return TAG_PERHAPS;
    }
    *ret_size = at + 2;
    *ret_rank = (guint32) rank;
    return TAG_YES;
}

static TagAnswer
read_tag (const LaunchTags *tags, const char *text, gsize size, gsize *ret_size,
          guint64 *ret_job, guint32 *ret_rank)
{
    gsize at = 1;
    guint64 job = 0, rank = 0;
    if (tags->form == LAUNCH_TAGS_LABEL) {
        *ret_job = 0;
        return read_label (tags, text, size, ret_size, ret_rank);
    }
    if (text[0] != '[' || !read_digits (text, size, &at, &job)
        || (at < size && text[at] != ',')) {
        return TAG_NO;
    }
    if (at == size) {
        return TAG_PERHAPS;
    }
    at++;
    if (!read_digits (text, size, &at, &rank) || (at < size && text[at] != ']')) {
        return TAG_NO;
    }
    if (at == size) {
        return TAG_PERHAPS;
    }
    at++;
    gsize left = MIN (size - at, strlen (tags->word));
    if (memcmp (text + at, tags->word, left) != 0 || rank >= G_MAXINT32) {
        return TAG_NO;
    }
    if (left < strlen (tags->word)) {
        return TAG_PERHAPS;
    }
    *ret_size = at + left;
    *ret_job = job;
    *ret_rank = (guint32) rank;
    return TAG_YES;
}

static void
give_open (LaunchTags *tags, guint32 rank, GString *line)
{
    if (line->len > 0) {
        tags->on_text (rank, line->str, line->len, tags->user);
        g_string_truncate (line, 0);
    }
}

static void
give (LaunchTags *tags, const char *text, gsize size)
{
    if (size == 0) {
        return;
    }
    GString *line = g_hash_table_lookup (tags->open, GUINT_TO_POINTER (tags->rank));
    if (!line) {
        line = g_string_new (NULL);
        g_hash_table_insert (tags->open, GUINT_TO_POINTER (tags->rank), line);
    }
    g_string_append_len (line, text, (gssize) size);
    if (text[size - 1] == '\n' || line->len >= MAX_OPEN_LINE) {
        give_open (tags, tags->rank, line);
    }
}

/* Length of the text up to the next place where a tag may stand: behind a line end, or a '['. */
static gsize
find_stop (const char *text, gsize size)
{
    for (gsize i = 0; i < size; i++) {
        if (text[i] == '\n') {
            return i + 1;
        }
        if (text[i] == '[' && i > 0) {
            return i;
        }
    }
    return size;
}

/* A piece at the start of a line without a tag belongs to no rank; a tag inside a line must
 * have the job's id. */
static gsize
take_piece (LaunchTags *tags, const char *text, gsize size, gboolean at_end)
{
    gsize tag_size;
    guint64 job;
    guint32 rank;
    TagAnswer answer = tags->after_tag ? TAG_NO
                                       : read_tag (tags, text, size, &tag_size, &job, &rank);
    if (answer == TAG_PERHAPS && !at_end && size < MAX_TAG) {
        return 0;
    }
    if (answer == TAG_YES && (tags->line_start || (tags->has_job && job == tags->job))) {
        tags->has_job = TRUE;
        tags->job = job;
        tags->rank = rank;
        tags->after_tag = TRUE;
        tags->line_start = FALSE;
        return tag_size;
    }
    if (tags->line_start) {
        tags->rank = tags->default_rank;
    }
    gsize piece = find_stop (text, size);
    give (tags, text, piece);
    tags->after_tag = FALSE;
    tags->line_start = text[piece - 1] == '\n';
    return piece;
}

void
launch_tags_feed (LaunchTags *tags, const char *text, gsize size)
{
    if (tags->form == LAUNCH_TAGS_NONE) {
        if (size > 0) {
            tags->on_text (tags->default_rank, text, size, tags->user);
        }
        return;
    }
    g_string_append_len (tags->rest, text, (gssize) size);
    gsize at = 0, taken;
    while (at < tags->rest->len
           && (taken = take_piece (tags, tags->rest->str + at, tags->rest->len - at, FALSE))
                  > 0) {
        at += taken;
    }
    g_string_erase (tags->rest, 0, (gssize) at);
}

gboolean
launch_tags_has_open (const LaunchTags *tags)
{
    gpointer line;
    BASE_WALK (tags->open, NULL, &line) {
        if (((GString *) line)->len > 0) {
            return TRUE;
        }
    }
    return FALSE;
}

void
launch_tags_give_open (LaunchTags *tags)
{
    gpointer rank, line;
    BASE_WALK (tags->open, &rank, &line) {
        give_open (tags, GPOINTER_TO_UINT (rank), line);
    }
}

void
launch_tags_finish (LaunchTags *tags)
{
    gsize at = 0;
    while (at < tags->rest->len) {
        at += take_piece (tags, tags->rest->str + at, tags->rest->len - at, TRUE);
    }
    g_string_truncate (tags->rest, 0);
    launch_tags_give_open (tags);
}

BASE_FREE_PUBLIC (launch_tags_free, LaunchTags, tags, g_string_free (tags->rest, TRUE);
                  g_hash_table_unref (tags->open))
