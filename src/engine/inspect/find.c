/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `find START, END, VALUE…`: where in a rank's memory these values stand one after another, as gdb's find. What is read
 * is read in parts, and between them the loop serves others. */
#include "engine/inspect/private.h"
#include <string.h>

#define PART (1u << 20)
#define MAX_PATTERN (64u << 10)
#define MAX_FOUND 10000u
#define TURN_US 5000
#define PAUSE_US 1000

typedef struct {
    EngineInspection *look;
    const JobFrame *frame; /* in which the expressions are evaluated */
    guint size;            /* of each value; 0: of its own type */
    guint max;
    guint64 low, high; /* what is searched: [low, high) */
    GByteArray *pattern;
    GArray *found; /* of guint64 */
    guint64 end;   /* up to where memory has been read */
    gboolean is_cancelled;
} Search;

/* ---- what is asked ---- */

/* "2w", "b", "b1": how many at most, and the unit. */
static gboolean
parse_format (Search *search, const char *text, GError **error)
{
    static const char sizes[] = "bhwg";

    search->max = MAX_FOUND;
    for (const char *at = text != NULL ? text : ""; *at != '\0';) {
        const char *found = strchr (sizes, *at);
        char *end = NULL;

        if (g_ascii_isdigit (*at)) {
            search->max = (guint) CLAMP (g_ascii_strtoull (at, &end, 10), 1, MAX_FOUND);
            at = end;
        } else if (found != NULL) {
            search->size = 1u << (found - sizes);
            at++;
        } else {
            base_error_set (error, BASE_ERROR_INVALID,
                            "cannot read \"%s\": find takes a number, and a size of b h w g",
                            text);
            return FALSE;
        }
    }
    return TRUE;
}

static JobValue *
evaluate (Search *search, const char *text, char letter, GError **error)
{
    JobValue *value = engine_inspect_evaluate_here (search->look, search->frame, text, letter,
                                                    error);

    if (value != NULL && !engine_inspect_check_value (value, text, error)) {
        g_clear_pointer (&value, job_value_free);
    }
    return value;
}

/* What is shown as a pointer, a function or an integer. FALSE: it is none of them. */
static gboolean
take_integer (const char *shown, guint64 *ret_number)
{
    const char *hex = strstr (shown, "0x");
    char *end = NULL;

    if (hex != NULL && (hex == shown || strchr ("({", *shown) != NULL)) {
        *ret_number = g_ascii_strtoull (hex + 2, &end, 16);
        return end != hex + 2;
    }
    *ret_number = *shown == '-' ? (guint64) g_ascii_strtoll (shown, &end, 10)
                                : g_ascii_strtoull (shown, &end, 10);
    return end != shown && *end == '\0';
}

/* As in C, an array is the address of its first element. */
static gboolean
find_address (Search *search, const char *text, guint64 *ret_address, GError **error)
{
    g_autoptr (JobValue) value = evaluate (search, text, '\0', error);
    const char *shown = value != NULL && value->text != NULL ? value->text : "";

    if (value == NULL) {
        return FALSE;
    }
    if (strchr ("{(\"'", *shown) != NULL && !take_integer (shown, ret_address)) {
        g_autofree char *pointer = g_strdup_printf (search->frame->location.language
                                                            == JOB_LANGUAGE_FORTRAN
                                                        ? "loc (%s)"
                                                        : "&(%s)",
                                                    text);
        g_autoptr (JobValue) place = evaluate (search, pointer, '\0', NULL);

        shown = "";
        if (place != NULL && place->text != NULL && take_integer (place->text, ret_address)) {
            return TRUE;
        }
    }
    if (!take_integer (shown, ret_address)) {
        base_error_set (error, BASE_ERROR_INVALID, "%s is not an address", text);
        return FALSE;
    }
    return TRUE;
}

/* "END", which is part of it, or "+LENGTH". */
static gboolean
find_end (Search *search, const char *text, GError **error)
{
    gboolean is_length = *text == '+';
    guint64 number;

    if (!find_address (search, text + is_length, &number, error)) {
        return FALSE;
    }
    if (is_length ? number == 0 || (gint64) number < 0 || search->low + number < search->low
                  : number < search->low || number == G_MAXUINT64) {
        base_error_set (error, BASE_ERROR_INVALID, "find: nothing lies between START and END");
        return FALSE;
    }
    search->high = is_length ? search->low + number : number + 1;
    return TRUE;
}

/* A unit's lowest bytes, as x86 has them in memory. */
static gboolean
add_unit (Search *search, const char *text, GError **error)
{
    g_autoptr (JobValue) value = evaluate (search, text, 'd', error);
    guint64 number;

    if (value == NULL) {
        return FALSE;
    }
    if (value->text == NULL || !take_integer (value->text, &number)) {
        base_error_set (error, BASE_ERROR_INVALID, "%s is not a number", text);
        return FALSE;
    }
    number = GUINT64_TO_LE (number);
    g_byte_array_append (search->pattern, (const guint8 *) &number, search->size);
    return TRUE;
}

/* gdb's way to leave out the zero that ends a text: {char[5]}"hello". *text is the text then. 0: it is none. */
static gsize
take_text_size (const char **text)
{
    static const char cast[] = "{char";
    const char *at = *text + strlen (cast);
    guint64 size;
    char *end;

    if (!g_str_has_prefix (*text, cast)) {
        return 0;
    }
    at += strspn (at, " ");
    size = *at == '[' ? g_ascii_strtoull (at + 1, &end, 10) : 0;
    if (size == 0 || !g_str_has_prefix (end, "]}")) {
        return 0;
    }
    at = end + 2 + strspn (end + 2, " ");
    *text = *at == '"' ? at : *text;
    return *at == '"' ? (gsize) size : 0;
}

static gboolean
add_value (Search *search, const char *text, GError **error)
{
    g_autoptr (JobValue) value = NULL;
    g_autoptr (GBytes) bytes = NULL;
    gsize size = search->size == 0 ? take_text_size (&text) : 0;

    if (search->size > 0) {
        return add_unit (search, text, error);
    }
    value = evaluate (search, text, '\0', error);
    bytes = value != NULL ? engine_kept_take_noted (search->look->process) : NULL;
    if (value == NULL) {
        return FALSE;
    }
    if (bytes == NULL || search->pattern->len + g_bytes_get_size (bytes) > MAX_PATTERN) {
        base_error_set (error, BASE_ERROR_INVALID,
                        bytes == NULL ? "find: the bytes of %s are not known"
                                      : "find: %s is too large to look for",
                        text);
        return FALSE;
    }
    size = size > 0 ? MIN (size, g_bytes_get_size (bytes)) : g_bytes_get_size (bytes);
    g_byte_array_append (search->pattern, g_bytes_get_data (bytes, NULL), (guint) size);
    return TRUE;
}

static gboolean
parse (Search *search, const JobRequest *request, GError **error)
{
    const char *at = request->text;
    g_autofree char *start = engine_inspect_take_expression (&at);
    g_autofree char *end = engine_inspect_take_expression (&at);
    char *value;

    if (start == NULL || *start == '\0' || end == NULL || *end == '\0' || at == NULL) {
        base_error_set (error, BASE_ERROR_INVALID,
                        "find START, +LENGTH or END, VALUE: one of them is missing");
        return FALSE;
    }
    if (!parse_format (search, request->text2, error)
        || !find_address (search, start, &search->low, error)
        || !find_end (search, end, error)) {
        return FALSE;
    }
    while ((value = engine_inspect_take_expression (&at)) != NULL) {
        g_autofree char *text = value;

        if (*text == '\0') {
            base_error_set (error, BASE_ERROR_INVALID, "find: a value is missing");
            return FALSE;
        }
        if (!add_value (search, text, error)) {
            return FALSE;
        }
    }
    if (search->pattern->len > search->high - search->low) {
        base_error_set (error, BASE_ERROR_INVALID,
                        "find: what is looked for is larger than where it is looked for");
        return FALSE;
    }
    return TRUE;
}

/* ---- looking ---- */

static void
look_at (Search *search, const guint8 *bytes, gsize size, guint64 address)
{
    const guint8 *end = bytes + size, *at = bytes;

    while (search->found->len < search->max
           && (at = memmem (at, (gsize) (end - at), search->pattern->data,
                            search->pattern->len))
                  != NULL) {
        guint64 place = address + (guint64) (at - bytes);

        g_array_append_val (search->found, place);
        at++;
    }
}

/* Parts overlap by what a match at the end of one may need of the next. */
static gboolean
go_through (Search *search, GError **error)
{
    EngineProcess *process = search->look->process;
    guint overlap = search->pattern->len - 1;
    g_autofree guint8 *bytes = g_malloc (PART + MAX_PATTERN);
    gint64 turn = g_get_monotonic_time ();

    search->end = search->low;
    while (search->found->len < search->max && search->high - search->end > overlap) {
        gsize wanted = (gsize) MIN (search->high - search->end, (guint64) PART + overlap);
        gsize size = base_memory_read_some (engine_process_get_memory (process), search->end,
                                            bytes, wanted);

        look_at (search, bytes, size, search->end);
        if (size < wanted) {
            search->end += size;
            return TRUE;
        }
        search->end += size - overlap;
        if (g_get_monotonic_time () - turn > TURN_US) {
            engine_work_pause (process, PAUSE_US);
            turn = g_get_monotonic_time ();
        }
        if (engine_work_is_abandoned () || process->ended) {
            base_error_set (error, BASE_ERROR_GONE, "the rank has ended");
            return FALSE;
        }
        search->is_cancelled = engine_work_take_hurry ();
        if (search->is_cancelled) {
            return TRUE;
        }
    }
    search->end = search->high;
    return TRUE;
}

static char *
format_answer (const Search *search)
{
    EngineProcess *process = search->look->process;
    GString *text = g_string_new (NULL);
    guint n = search->found->len;

    for (guint i = 0; i < n; i++) {
        guint64 address = g_array_index (search->found, guint64, i);
        g_autofree char *at = base_text_format_address (address);
        g_autofree char *name = engine_native_dup_symbol (process, address);

        g_string_append_printf (text, name != NULL ? "%s <%s>\n" : "%s\n", at, name);
    }
    if (n == 0) {
        g_string_append (text, "not found");
    } else {
        g_string_append_printf (text, "%u found", n);
    }
    if (n == search->max) {
        g_string_append (text, ", not looked for more");
    } else if (search->end < search->high) {
        g_autofree char *at = base_text_format_address (search->end);

        g_string_append_printf (text,
                                search->is_cancelled
                                    ? ", cancelled at %s"
                                    : ", %s cannot be read, not looked further",
                                at);
    }
    return g_string_free (text, FALSE);
}

static void
keep_last (const Search *search)
{
    EngineProcess *process = search->look->process;
    gint32 n = (gint32) search->found->len;

    if (n > 0) {
        engine_kept_set (process, "_", "void *",
                         &g_array_index (search->found, guint64, search->found->len - 1),
                         sizeof (guint64));
    }
    engine_kept_set (process, "numfound", "int", &n, sizeof n);
}

/* Addresses and values are those of native code: of a Python frame, of what it has called. */
static const JobFrame *
find_native_frame (EngineProcess *process, const JobRequest *request, GError **error)
{
    const JobFrame *frame = engine_inspect_find_value_frame (process, request, error);

    if (frame == NULL || !job_frame_is_python (frame)) {
        return frame;
    }
    frame = process->selected_frame == 0 && !process->frame_is_chosen
                ? engine_inspect_find_frame (process, 0, NULL)
                : NULL;
    if (frame == NULL || job_frame_is_python (frame)) {
        base_error_set (
            error, BASE_ERROR_UNSUPPORTED,
            "find looks for values of native code: select a frame that is not Python's");
        return NULL;
    }
    return frame;
}

gboolean
engine_inspect_answer_find (EngineInspection *look, const JobRequest *request, GError **error)
{
    g_autoptr (GByteArray) pattern = g_byte_array_new ();
    g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (guint64));
    Search search = { .look = look,
                      .frame = find_native_frame (look->process, request, error),
                      .pattern = pattern,
                      .found = found };
    g_autofree char *text = NULL;

    if (search.frame == NULL || !parse (&search, request, error)
        || !go_through (&search, error)) {
        return FALSE;
    }
    text = format_answer (&search);
    keep_last (&search);
    return engine_inspect_answer_text (look, request->id, text);
}
