/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One file of a spool. The process that wrote it may have been killed at any moment, or have scribbled over it: what is
 * not consistent is left out. */
#include "profile/trace/private.h"
#include "base/error.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* By how much another host's clock may be wrong. */
#define OTHER_CLOCK_NS (G_GINT64_CONSTANT (3600) * 1000000000)
#define MAX_DEFINITIONS (1u << 26)

/* ---- the header ---- */

/* A count that its process has written. */
static gboolean
take_units (guint64 *count)
{
    gboolean is_right = *count % PDDT_TRACE_UNIT == 0;

    *count /= PDDT_TRACE_UNIT;
    return is_right;
}

static gboolean
take_counts (struct pddt_trace_header *header)
{
    gboolean is_right = take_units (&header->n_begun) && take_units (&header->n_lost)
                        && take_units (&header->problem);

    for (guint i = 0; i < PDDT_TRACE_LOST_THREADS; i++) {
        is_right = is_right && take_units (&header->lost[i].tid)
                   && take_units (&header->lost[i].n);
    }
    return is_right;
}

/* What has been set after its beginning. A process that is killed may not have come to the sums. */
static gboolean
take_later (struct pddt_trace_header *header)
{
    const struct pddt_trace_full *full = &header->full;
    guint64 sum = full->time_ns != 0 ? pddt_trace_close (pddt_trace_mix (0, full->time_ns, 0))
                                     : 0;
    gboolean is_ended = header->end.sum != 0, is_renamed = header->later.sum != 0;

    if ((full->sum != sum && (full->sum != 0 || is_ended))
        || (is_ended && header->end.sum != pddt_trace_sum_end (&header->end))
        || (is_renamed && header->later.sum != pddt_trace_sum_rank (&header->later))) {
        return FALSE;
    }
    if (is_renamed) {
        header->first_rank = header->later.rank;
        header->first_size = header->later.size;
    }
    if (!is_ended) {
        header->end.end_ns = header->end.end_real_ns = 0;
        header->end.state = PDDT_TRACE_RUNNING;
    }
    return TRUE;
}

/* FALSE: the file does not begin as one of a traced process does, or this was damaged. */
static gboolean
take_header (struct pddt_trace_header *header, GMappedFile *bytes, const char *name,
             GError **error)
{
    if (g_mapped_file_get_length (bytes) >= PDDT_TRACE_HEADER_SIZE) {
        memcpy (header, g_mapped_file_get_contents (bytes), sizeof *header);
    }
    if (header->magic != PDDT_TRACE_MAGIC) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                     "%s is not what a traced process has recorded", name);
        return FALSE;
    }
    if (header->version != PDDT_TRACE_VERSION || header->header_size != PDDT_TRACE_HEADER_SIZE
        || header->chunk_size != PDDT_TRACE_CHUNK_SIZE) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                     "%s was recorded by another version of pddt, or is damaged", name);
        return FALSE;
    }
    if (header->sum != pddt_trace_sum (0, header, offsetof (struct pddt_trace_header, sum))
        || !take_counts (header) || !take_later (header)) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "%s is damaged and left out", name);
        return FALSE;
    }
    header->host[PDDT_TRACE_HOST - 1] = '\0';
    header->inherited[PDDT_TRACE_NAME - 1] = '\0';
    header->command_size = MIN (header->command_size, PDDT_TRACE_COMMAND);
    return TRUE;
}

/* ---- definitions ---- */

static gboolean
is_whole (const struct pddt_trace_definition *definition)
{
    static const guint32 least[PDDT_TRACE_N_DEFINITIONS] = {
        [PDDT_TRACE_STRING] = sizeof (struct pddt_trace_string),
        [PDDT_TRACE_REGION] = sizeof (struct pddt_trace_region),
        [PDDT_TRACE_COMMUNICATOR] = sizeof (struct pddt_trace_communicator),
        [PDDT_TRACE_PARAMETER_NAME] = sizeof (struct pddt_trace_named),
        [PDDT_TRACE_METRIC_NAME] = sizeof (struct pddt_trace_named),
        [PDDT_TRACE_FILE] = sizeof (struct pddt_trace_named),
        [PDDT_TRACE_WINDOW] = sizeof (struct pddt_trace_named),
        [PDDT_TRACE_PROPERTY] = sizeof (struct pddt_trace_named),
        [PDDT_TRACE_PLACE] = offsetof (struct pddt_trace_place, build_id),
    };

    return definition->kind > 0 && definition->kind < PDDT_TRACE_N_DEFINITIONS
           && definition->size >= least[definition->kind] && definition->id > 0
           && definition->id < MAX_DEFINITIONS;
}

static void
take_definitions (ProfileTraceFile *file, const struct pddt_trace_chunk *chunk)
{
    guint32 used = pddt_trace_get_used (chunk);
    const char *bytes = (const char *) (chunk + 1);

    for (guint32 at = 0; used - at >= sizeof (struct pddt_trace_definition);) {
        const struct pddt_trace_definition *definition = (const void *) (bytes + at);
        GArray *list;

        if (definition->size < sizeof *definition || definition->size > used - at) {
            file->is_damaged = TRUE;
            break;
        }
        if (!is_whole (definition)) {
            file->is_damaged = TRUE;
        } else {
            list = file->definitions[definition->kind];
            if (list->len <= definition->id) {
                g_array_set_size (list, definition->id + 1);
            }
            g_array_index (list, const struct pddt_trace_definition *, definition->id)
                = definition;
        }
        at += (definition->size + 15) & ~15u;
        at = MIN (at, used);
    }
}

/* An id of the parent, or NULL. */
static const ProfileTraceFile *
find_owner (const ProfileTraceFile *file, guint32 kind, guint32 id)
{
    for (guint i = 0; file != NULL && id <= file->header.n_inherited[kind]; i++) {
        file = i < 1000 ? file->parent : NULL;
    }
    return file;
}

const struct pddt_trace_definition *
profile_trace_file_get_definition (const ProfileTraceFile *file, guint32 kind, guint32 id)
{
    const GArray *list;

    file = find_owner (file, kind, id);
    list = file != NULL ? file->definitions[kind] : NULL;
    return list != NULL && id < list->len
               ? g_array_index (list, const struct pddt_trace_definition *, id)
               : NULL;
}

guint32
profile_trace_file_get_n (const ProfileTraceFile *file, guint32 kind)
{
    return MAX (file->definitions[kind]->len, 1) - 1;
}

guint
profile_trace_file_get_image (const ProfileTraceFile *file)
{
    return file->image;
}

const struct pddt_trace_header *
profile_trace_file_get_header (const ProfileTraceFile *file)
{
    return &file->header;
}

const char *
profile_trace_file_get_string (const ProfileTraceFile *file, guint32 id)
{
    file = find_owner (file, PDDT_TRACE_STRING, id);
    return file != NULL && id < file->strings->len
               ? g_array_index (file->strings, const char *, id)
               : NULL;
}

guint32
profile_trace_file_get_region (const ProfileTraceFile *file, guint32 id)
{
    file = find_owner (file, PDDT_TRACE_REGION, id);
    return file != NULL && id < file->regions->len ? g_array_index (file->regions, guint32, id)
                                                   : 0;
}

const char *
profile_trace_file_get_place (const ProfileTraceFile *file, guint32 id, const char **ret_module)
{
    const ProfileTracePlace *place;

    file = find_owner (file, PDDT_TRACE_PLACE, id);
    place = file != NULL && id < file->places->len
                ? &g_array_index (file->places, ProfileTracePlace, id)
                : NULL;
    if (place == NULL || place->text == NULL) {
        return NULL;
    }
    *ret_module = place->module != NULL ? place->module : "";
    return place->text;
}

/* ---- names that all files share ---- */

const char *
profile_trace_intern (ProfileTrace *trace, const char *bytes, gsize size)
{
    char *text = g_utf8_make_valid (bytes, (gssize) strnlen (bytes, size));
    char *known = g_hash_table_lookup (trace->texts, text);

    if (known != NULL) {
        g_free (text);
        return known;
    }
    g_hash_table_add (trace->texts, text);
    return text;
}

static guint
hash_region (gconstpointer key)
{
    const ProfileTraceRegion *region = key;

    /* texts of a run are the same where they are equal */
    return g_direct_hash (region->full_name) * 31 + g_direct_hash (region->file) * 7
           + region->line;
}

static gboolean
equal_regions (gconstpointer a, gconstpointer b)
{
    const ProfileTraceRegion *left = a, *right = b;

    return left->name == right->name && left->full_name == right->full_name
           && left->file == right->file && left->line == right->line
           && left->paradigm == right->paradigm && left->flags == right->flags;
}

static guint32
number_region (ProfileTrace *trace, const ProfileTraceRegion *region)
{
    gpointer known;

    if (trace->known_regions == NULL) {
        trace->known_regions = g_hash_table_new_full (hash_region, equal_regions, g_free, NULL);
    }
    known = g_hash_table_lookup (trace->known_regions, region);
    if (known == NULL) {
        known = GUINT_TO_POINTER (trace->regions->len);
        g_array_append_val (trace->regions, *region);
        g_hash_table_insert (trace->known_regions, g_memdup2 (region, sizeof *region), known);
    }
    return GPOINTER_TO_UINT (known);
}

static const char *
find_text (ProfileTrace *trace, const ProfileTraceFile *file, guint32 id, const char *otherwise)
{
    const char *text = id != 0 ? profile_trace_file_get_string (file, id) : NULL;

    return text != NULL ? text : profile_trace_intern (trace, otherwise, strlen (otherwise));
}

static void
resolve_strings (ProfileTrace *trace, ProfileTraceFile *file)
{
    const GArray *list = file->definitions[PDDT_TRACE_STRING];

    g_array_set_size (file->strings, list->len);
    for (guint id = 1; id < list->len; id++) {
        const struct pddt_trace_string *string
            = (const void *) g_array_index (list, const struct pddt_trace_definition *, id);

        if (string != NULL) {
            g_array_index (file->strings, const char *, id)
                = profile_trace_intern (trace, string->text,
                                        string->head.size - sizeof *string);
        }
    }
}

static ProfileTracePlace
make_place (ProfileTrace *trace, const ProfileTraceFile *file,
            const struct pddt_trace_place *definition)
{
    const char *path = find_text (trace, file, definition->file, "");
    gboolean has_build_id = definition->head.size >= sizeof *definition
                            && definition->build_id != 0;
    ProfileTracePlace place = { 0 };
    g_autofree char *text = definition->line > 0
                                ? g_strdup_printf ("%s:%u", path, definition->line)
                                : g_strdup_printf ("%s+0x%" G_GINT64_MODIFIER "x", path,
                                                   definition->offset);

    place.text = profile_trace_intern (trace, text, strlen (text));
    if (definition->line == 0) {
        place.module = path;
        place.offset = definition->offset;
        place.build_id = find_text (trace, file, has_build_id ? definition->build_id : 0, "");
    }
    return place;
}

static void
resolve_places (ProfileTrace *trace, ProfileTraceFile *file)
{
    const GArray *list = file->definitions[PDDT_TRACE_PLACE];

    g_array_set_size (file->places, list->len);
    for (guint id = 1; id < list->len; id++) {
        const struct pddt_trace_definition *definition
            = g_array_index (list, const struct pddt_trace_definition *, id);

        if (definition != NULL) {
            g_array_index (file->places, ProfileTracePlace, id)
                = make_place (trace, file, (const void *) definition);
        }
    }
}

void
profile_trace_file_resolve (ProfileTrace *trace, ProfileTraceFile *file)
{
    const GArray *list = file->definitions[PDDT_TRACE_REGION];

    resolve_strings (trace, file);
    resolve_places (trace, file);
    g_array_set_size (file->regions, list->len);
    for (guint id = 1; id < list->len; id++) {
        const struct pddt_trace_region *region
            = (const void *) g_array_index (list, const struct pddt_trace_definition *, id);
        ProfileTraceRegion entry;

        if (region == NULL) {
            continue;
        }
        entry = (ProfileTraceRegion){ .name = find_text (trace, file, region->name, "??"),
                                      .file = find_text (trace, file, region->file, ""),
                                      .line = region->first_line,
                                      .paradigm = region->paradigm,
                                      .flags = region->flags };
        entry.full_name = find_text (trace, file, region->full_name, entry.name);
        g_array_index (file->regions, guint32, id) = number_region (trace, &entry);
    }
}

/* ---- chunks ---- */

static gint
compare_chunks (gconstpointer a, gconstpointer b)
{
    const struct pddt_trace_chunk *left = ((const ProfileTraceChunk *) a)->chunk;
    const struct pddt_trace_chunk *right = ((const ProfileTraceChunk *) b)->chunk;

    if (left->tid != right->tid) {
        return left->tid < right->tid ? -1 : 1;
    }
    if (left->begin_ns != right->begin_ns) {
        return left->begin_ns < right->begin_ns ? -1 : 1;
    }
    return (int) (right->kind == PDDT_TRACE_STACK) - (int) (left->kind == PDDT_TRACE_STACK);
}

/* Its sum is that of what is in it. */
static gboolean
is_right (const struct pddt_trace_chunk *chunk)
{
    guint32 used = pddt_trace_get_used (chunk);
    gsize size = chunk->kind == PDDT_TRACE_DEFINITIONS ? used : (gsize) used * 16;
    guint64 sum;

    if (size > PDDT_TRACE_CHUNK_ROOM) {
        return FALSE;
    }
    sum = pddt_trace_begin_sum (chunk, chunk->kind);
    if (chunk->kind != PDDT_TRACE_LINES) {
        sum = pddt_trace_sum (sum, chunk + 1, size);
    } else if (used > 0) {
        sum = pddt_trace_mix (sum, used, 0);
    }
    return chunk->filled == pddt_trace_fill (used, sum);
}

static gboolean
is_right_line (const struct pddt_trace_line *line)
{
    return line->hits % PDDT_TRACE_UNIT == 0
           && line->time[1] == pddt_trace_sum_line (line, line->time[0]);
}

static void
take_lines (ProfileTraceFile *file, ProfileTraceChunk entry)
{
    const struct pddt_trace_line *lines = (const void *) (entry.chunk + 1);

    g_array_append_val (file->lines, entry);
    for (guint32 i = 0; i < entry.n_used / 2; i++) {
        file->is_damaged |= !is_right_line (&lines[i]);
    }
}

/* A process that is killed may have begun one that is of no kind yet, or in which nothing is yet. */
static void
take_chunk (ProfileTraceFile *file, const struct pddt_trace_chunk *chunk)
{
    ProfileTraceChunk entry = { chunk, pddt_trace_get_used (chunk) };

    file->n_chunks += chunk->kind != 0;
    if (chunk->kind == PDDT_TRACE_FREE || chunk->filled == 0) {
        return;
    }
    if (chunk->kind == 0 || chunk->kind > PDDT_TRACE_STACK || !is_right (chunk)) {
        file->is_damaged = TRUE;
    } else if (chunk->kind == PDDT_TRACE_DEFINITIONS) {
        take_definitions (file, chunk);
    } else if (chunk->kind == PDDT_TRACE_EVENTS && entry.n_used > 0) {
        g_array_append_val (file->events, entry);
    } else if (chunk->kind == PDDT_TRACE_STACK) {
        g_array_append_val (file->stacks, entry);
    } else if (chunk->kind == PDDT_TRACE_LINES) {
        take_lines (file, entry);
    }
}

/* The thread's newest stack; NULL: it has lost nothing. */
static const struct pddt_trace_chunk *
find_stack (const ProfileTraceFile *file, const struct pddt_trace_chunk *chunk)
{
    const struct pddt_trace_chunk *newest = NULL;

    for (guint i = 0; i < file->stacks->len; i++) {
        const struct pddt_trace_chunk *stack
            = g_array_index (file->stacks, ProfileTraceChunk, i).chunk;

        if (stack->thread == chunk->thread && stack->tid == chunk->tid
            && (newest == NULL || stack->number > newest->number)) {
            newest = stack;
        }
    }
    return newest;
}

/* Of what has been lost only the stacks stay, each in front of the events that are left. */
static void
take_stacks (ProfileTraceFile *file)
{
    guint n = 0;

    for (guint i = 0; i < file->events->len && file->stacks->len > 0; i++) {
        ProfileTraceChunk entry = g_array_index (file->events, ProfileTraceChunk, i);
        const struct pddt_trace_chunk *stack = find_stack (file, entry.chunk);

        if (stack == NULL || entry.chunk->number >= stack->number) {
            g_array_index (file->events, ProfileTraceChunk, n++) = entry;
        }
    }
    if (file->stacks->len > 0) {
        g_array_set_size (file->events, n);
    }
    for (guint i = 0; i < file->stacks->len; i++) {
        ProfileTraceChunk entry = g_array_index (file->stacks, ProfileTraceChunk, i);

        if (entry.chunk == find_stack (file, entry.chunk)) {
            g_array_append_val (file->events, entry);
        }
    }
}

static void
take_chunks (ProfileTraceFile *file)
{
    const char *bytes = g_mapped_file_get_contents (file->bytes);
    gsize size = g_mapped_file_get_length (file->bytes);

    for (gsize at = PDDT_TRACE_FIRST_CHUNK; at + PDDT_TRACE_CHUNK_SIZE <= size;
         at += PDDT_TRACE_CHUNK_SIZE) {
        take_chunk (file, (const void *) (bytes + at));
    }
    take_stacks (file);
    g_array_sort (file->events, compare_chunks);
}

/* A regular file, and no link: whoever owns the folder may have put anything there. */
static GMappedFile *
map_file (const char *folder, const char *name, GError **error)
{
    g_autofree char *path = g_build_filename (folder, name, NULL);
    int fd = open (path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int reason = errno;
    struct stat facts;
    GMappedFile *bytes = NULL;

    if (fd >= 0 && fstat (fd, &facts) == 0 && S_ISREG (facts.st_mode)) {
        bytes = g_mapped_file_new_from_fd (fd, FALSE, error);
    } else {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "cannot read %s: %s", name,
                     fd >= 0 || reason == ELOOP ? "it is no file" : g_strerror (reason));
    }
    if (fd >= 0) {
        close (fd);
    }
    return bytes;
}

/* The process was killed before its header had its sum, and so before it has recorded anything. */
static gboolean
is_only_begun (GMappedFile *bytes)
{
    struct pddt_trace_header header;
    gsize length = g_mapped_file_get_length (bytes);

    if (length == PDDT_TRACE_HEADER_SIZE) {
        memcpy (&header, g_mapped_file_get_contents (bytes), sizeof header);
    }
    return length == 0 || (length == PDDT_TRACE_HEADER_SIZE && header.sum == 0);
}

ProfileTraceFile *
profile_trace_file_open (const char *folder, const char *name, GError **error)
{
    GMappedFile *bytes = map_file (folder, name, error);
    struct pddt_trace_header header = { 0 };
    ProfileTraceFile *file;

    if (bytes == NULL || is_only_begun (bytes) || !take_header (&header, bytes, name, error)) {
        g_clear_pointer (&bytes, g_mapped_file_unref);
        return NULL;
    }
    file = g_new0 (ProfileTraceFile, 1);
    file->name = g_strdup (name);
    file->bytes = bytes;
    file->header = header;
    file->last_possible_ns = G_MAXUINT64;
    file->events = g_array_new (FALSE, FALSE, sizeof (ProfileTraceChunk));
    file->lines = g_array_new (FALSE, FALSE, sizeof (ProfileTraceChunk));
    file->stacks = g_array_new (FALSE, FALSE, sizeof (ProfileTraceChunk));
    file->strings = g_array_new (FALSE, TRUE, sizeof (const char *));
    file->regions = g_array_new (FALSE, TRUE, sizeof (guint32));
    file->places = g_array_new (FALSE, TRUE, sizeof (ProfileTracePlace));
    for (guint i = 0; i < PDDT_TRACE_N_DEFINITIONS; i++) {
        file->definitions[i] = g_array_new (FALSE, TRUE,
                                            sizeof (const struct pddt_trace_definition *));
    }
    take_chunks (file);
    return file;
}

gboolean
profile_trace_file_set_times (ProfileTraceFile *file, gint64 begin_real_ns, gint64 end_real_ns)
{
    struct pddt_trace_header *header = &file->header;
    gboolean is_here = strcmp (header->host, g_get_host_name ()) == 0;
    gint64 slack = is_here ? G_GINT64_CONSTANT (1000000000) : OTHER_CLOCK_NS;
    gint64 real = (gint64) header->begin_real_ns, begin = (gint64) header->begin_ns;
    gint64 first = begin - MAX (real - begin_real_ns, 0) - slack;

    if (begin < 0 || real < begin_real_ns - slack || real > end_real_ns + slack) {
        return FALSE;
    }
    file->first_possible_ns = (guint64) MAX (first, 0);
    file->last_possible_ns = (guint64) (begin + MAX (end_real_ns - real, 0) + slack);
    header->end.end_ns = MIN (header->end.end_ns, file->last_possible_ns);
    return TRUE;
}

guint64
profile_trace_file_count_missing (const ProfileTraceFile *file)
{
    return file->header.n_begun > file->n_chunks ? file->header.n_begun - file->n_chunks : 0;
}

gboolean
profile_trace_file_is_damaged (const ProfileTraceFile *file)
{
    return file->is_damaged;
}

void
profile_trace_file_free (ProfileTraceFile *file)
{
    if (file == NULL) {
        return;
    }
    for (guint i = 0; i < PDDT_TRACE_N_DEFINITIONS; i++) {
        g_array_unref (file->definitions[i]);
    }
    g_array_unref (file->events);
    g_array_unref (file->stacks);
    g_array_unref (file->lines);
    g_array_unref (file->strings);
    g_array_unref (file->regions);
    g_array_unref (file->places);
    g_mapped_file_unref (file->bytes);
    g_free (file->name);
    g_free (file);
}

void
profile_trace_file_walk_lines (const ProfileTraceFile *file, ProfileTraceLineFunc func,
                               gpointer user)
{
    for (guint i = 0; i < file->lines->len; i++) {
        const ProfileTraceChunk *part = &g_array_index (file->lines, ProfileTraceChunk, i);
        const struct pddt_trace_line *lines = (const void *) (part->chunk + 1);

        for (guint32 j = 0; j < part->n_used / 2; j++) {
            guint32 region = profile_trace_file_get_region (file, lines[j].region);
            ProfileTraceLine line = { region, lines[j].line, lines[j].hits / PDDT_TRACE_UNIT,
                                      lines[j].time[0] };

            if (region != 0 && is_right_line (&lines[j])) {
                func (&line, user);
            }
        }
    }
}
