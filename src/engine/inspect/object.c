/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `info object`: memory and types for printers that run in the front end, and whether what one of them has read in one rank is
 * the same in others. */
#include "engine/inspect/private.h"
#include "engine/modules/modules.h"
#include <string.h>

#define MAX_RANGES 4096
#define MAX_OBJECT_BYTES (1u << 20)
#define PAGE 4096u
#define N_PAGES 64u /* that a replay keeps */

/* "ADDRESS SIZE …" in hexadecimal: the bytes of all, one after the other; text: how many of each. */
static gboolean
answer_memory (EngineInspection *look, const JobRequest *request, const char *ranges)
{
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    g_autoptr (GString) text = g_string_new (NULL);
    JobEvent *event;
    char *at = (char *) ranges;

    for (guint i = 0; i < MAX_RANGES && *at != '\0'; i++) {
        guint64 address = g_ascii_strtoull (at, &at, 16), size = g_ascii_strtoull (at, &at, 16);
        guint begin = bytes->len;
        gsize got;

        size = MIN (size, MAX_OBJECT_BYTES - begin);
        g_byte_array_set_size (bytes, begin + (guint) size);
        got = size > 0 ? base_memory_read_some (engine_process_get_memory (look->process),
                                                address, bytes->data + begin, size)
                       : 0;
        g_byte_array_set_size (bytes, begin + (guint) got);
        g_string_append_printf (text, "%s%" G_GSIZE_FORMAT, i > 0 ? " " : "", got);
    }
    event = engine_inspect_new_event (look, JOB_EVENT_ARRAY, request->id);
    event->text = g_strdup (text->str);
    event->bytes = g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
    engine_emit (look->process->engine, event);
    return TRUE;
}

/* A file's path, or "" for the one of the frame; what is asked of its types (symbol/typed.h); the text. The answer begins
 * with the path and where the file lies. */
static gboolean
answer_types (EngineInspection *look, const JobRequest *request, const JobFrame *frame,
              const char *words, GError **error)
{
    EngineProcess *process = look->process;
    g_auto (GStrv) parts = g_strsplit (words, "\t", 3);
    g_autofree char *answered = NULL, *text = NULL;
    EngineNative scope;

    if (g_strv_length (parts) != 3) {
        base_error_set (error, BASE_ERROR_INVALID, "the question is malformed");
        return FALSE;
    }
    if (*parts[0] != '\0') {
        answered = index_client_ask_text (process->symbols, "typed", parts[0], 0, 0, parts[1],
                                          parts[2], error);
        return answered != NULL && engine_inspect_answer_text (look, request->id, answered);
    }
    if (job_frame_is_python (frame)) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED, "printers are for values of C and C++");
        return FALSE;
    }
    if (!engine_native_open_frame (&scope, engine_process_get_selected (process),
                                   process->stack, frame, error)) {
        return FALSE;
    }
    if (strcmp (parts[1], "of") == 0 && engine_inspect_is_object (&scope, parts[2])) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED, "printers are for values of C and C++");
        return FALSE;
    }
    answered = index_client_ask_text (process->symbols, "typed",
                                      stack_module_get_file (scope.module), scope.lookup,
                                      scope.inline_depth, parts[1], parts[2], error);
    text = answered != NULL
               ? g_strdup_printf ("M\t%" G_GUINT64_FORMAT "\t%s\n%s", scope.module->bias,
                                  stack_module_get_file (scope.module), answered)
               : NULL;
    return text != NULL && engine_inspect_answer_text (look, request->id, text);
}

/* ---- replay ---- */

/* A word: of an earlier read, with what was added to it; read below 0: the object's place. */
typedef struct {
    gint64 read, offset, delta;
} Word;

typedef struct {
    guint64 address;
    gsize got; /* 0: it is not kept */
    guint8 bytes[PAGE];
} Page;

typedef struct {
    BaseMemoryReader *memory;
    Page *pages; /* N_PAGES, by their addresses: a printer reads many words of few pages */
    guint64 base;
    GArray *begins;    /* of guint: of each read, in bytes; and the end of the last one */
    GByteArray *bytes; /* of all reads */
    GArray *
        followed; /* of guint: where pointers stand among them that were followed or compared */
    GHashTable *shown; /* places among them whose values matter */
    GString *checks;   /* what came of comparisons */
} Replay;

static void
take_word (char **at, Word *ret_word)
{
    ret_word->read = g_ascii_strtoll (*at, at, 10);
    ret_word->offset = g_ascii_strtoll (*at, at, 10);
    ret_word->delta = g_ascii_strtoll (*at, at, 10);
}

/* Where the word stands among the bytes. FALSE: it is the object's place, or lies outside. */
static gboolean
find_word (const Replay *replay, const Word *word, guint *ret_at)
{
    if (word->read < 0 || word->read + 1 >= replay->begins->len || word->offset < 0) {
        return FALSE;
    }
    *ret_at = g_array_index (replay->begins, guint, word->read) + (guint) word->offset;
    return *ret_at + 8 <= replay->bytes->len;
}

static guint64
get_word (const Replay *replay, const Word *word)
{
    guint64 value = replay->base;
    guint at;

    if (find_word (replay, word, &at)) {
        memcpy (&value, replay->bytes->data + at, sizeof value);
    }
    return value + (guint64) word->delta;
}

/* The pointer leads elsewhere in each rank: it does not matter where. */
static void
note_followed (Replay *replay, const Word *word)
{
    guint at;

    if (find_word (replay, word, &at)) {
        g_array_append_val (replay->followed, at);
    }
}

static gboolean
read_from_page (Replay *replay, guint64 address, guint8 *data, gsize size)
{
    guint64 offset = address % PAGE;
    Page *page = &replay->pages[address / PAGE % N_PAGES];

    if (offset + size > PAGE) {
        return FALSE;
    }
    if (page->got == 0 || page->address != address - offset) {
        page->address = address - offset;
        page->got = base_memory_read_some (replay->memory, page->address, page->bytes, PAGE);
    }
    if (offset + size > page->got) {
        return FALSE;
    }
    memcpy (data, page->bytes + offset, size);
    return TRUE;
}

/* FALSE: it cannot be read here. */
static gboolean
replay_read (Replay *replay, guint64 address, guint64 size)
{
    guint begin = replay->bytes->len, end;

    if (size > MAX_OBJECT_BYTES || begin + size > MAX_OBJECT_BYTES) {
        return FALSE;
    }
    end = begin + (guint) size;
    g_byte_array_set_size (replay->bytes, end);
    g_array_append_val (replay->begins, end);
    return read_from_page (replay, address, replay->bytes->data + begin, size)
           || base_memory_read_some (replay->memory, address, replay->bytes->data + begin, size)
                  == size;
}

static gboolean
replay_step (Replay *replay, char **at)
{
    char kind = **at;
    Word word, other;
    guint place;

    ++*at;
    if (kind == 'p') { /* the last read was of a pointer, which matters where it is used */
        place = replay->begins->len > 1
                    ? g_array_index (replay->begins, guint, replay->begins->len - 2)
                    : replay->bytes->len;
        if (place + 8 <= replay->bytes->len) {
            g_array_append_val (replay->followed, place);
        }
        return TRUE;
    }
    if (kind == 'a') { /* ADDRESS SIZE */
        guint64 address = g_ascii_strtoull (*at, at, 10);

        return replay_read (replay, address, g_ascii_strtoull (*at, at, 10));
    }
    take_word (at, &word);
    if (kind != 's') {
        note_followed (replay, &word);
    }
    switch (kind) {
    case 'r': /* WORD SIZE */
        return replay_read (replay, get_word (replay, &word), g_ascii_strtoull (*at, at, 10));
    case 's': /* WORD */
        if (find_word (replay, &word, &place)) {
            g_hash_table_add (replay->shown, GUINT_TO_POINTER (place));
        }
        return TRUE;
    case 'z': /* WORD */
        g_string_append_c (replay->checks, get_word (replay, &word) == 0 ? '0' : '1');
        return TRUE;
    case 'e': /* WORD WORD */
        take_word (at, &other);
        note_followed (replay, &other);
        g_string_append_c (replay->checks,
                           get_word (replay, &word) == get_word (replay, &other) ? '=' : '#');
        return TRUE;
    case 'd': /* WORD WORD */
        take_word (at, &other);
        note_followed (replay, &other);
        g_string_append_printf (replay->checks, " %" G_GINT64_FORMAT " ",
                                (gint64) (get_word (replay, &word)
                                          - get_word (replay, &other)));
        return TRUE;
    default: return FALSE;
    }
}

/* Of all that was read, without pointers that were only followed. */
static char *
make_digest (Replay *replay)
{
    g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);

    for (guint i = 0; i < replay->followed->len; i++) {
        guint at = g_array_index (replay->followed, guint, i);

        if (!g_hash_table_contains (replay->shown, GUINT_TO_POINTER (at))) {
            memset (replay->bytes->data + at, 0, 8);
        }
    }
    g_checksum_update (sum, replay->bytes->data, replay->bytes->len);
    g_checksum_update (sum, (const guchar *) replay->checks->str, (gssize) replay->checks->len);
    return g_strdup (g_checksum_get_string (sum));
}

/* "BASE STEP;STEP;…": reads as a printer has made them in another rank, at the places to which the words lead here. The
 * answer: the digest of what it would have seen, or "" where it would have seen nothing of the kind. */
static gboolean
answer_replay (EngineInspection *look, const JobRequest *request, const char *text)
{
    guint zero = 0;
    char *at = (char *) text;
    gboolean good = TRUE;
    g_autofree char *digest = NULL;
    Replay replay = { .memory = engine_process_get_memory (look->process),
                      .pages = g_new0 (Page, N_PAGES),
                      .base = g_ascii_strtoull (at, &at, 10),
                      .begins = g_array_new (FALSE, FALSE, sizeof (guint)),
                      .bytes = g_byte_array_new (),
                      .followed = g_array_new (FALSE, FALSE, sizeof (guint)),
                      .shown = g_hash_table_new (NULL, NULL),
                      .checks = g_string_new (NULL) };

    g_array_append_val (replay.begins, zero);
    while (good && (*at == ' ' || *at == ';') && at[1] != '\0') {
        at++;
        good = replay_step (&replay, &at);
    }
    digest = good ? make_digest (&replay) : NULL;
    g_free (replay.pages);
    g_array_unref (replay.begins);
    g_byte_array_unref (replay.bytes);
    g_array_unref (replay.followed);
    g_hash_table_unref (replay.shown);
    g_string_free (replay.checks, TRUE);
    return engine_inspect_answer_text (look, request->id, digest != NULL ? digest : "");
}

gboolean
engine_inspect_answer_object (EngineInspection *look, const JobRequest *request,
                              const JobFrame *frame, GError **error)
{
    if (g_str_has_prefix (request->text2, "memory ")) {
        return answer_memory (look, request, request->text2 + strlen ("memory "));
    }
    if (g_str_has_prefix (request->text2, "replay ")) {
        return answer_replay (look, request, request->text2 + strlen ("replay "));
    }
    return answer_types (look, request, frame, request->text2, error);
}
