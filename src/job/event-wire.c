/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events as variants. The common fields are one block of bytes, because variants for a dozen
 * numbers would cost more than everything else in a state query. Rare fields are parts after
 * it, in this file's order, each announced in the block. */
#include "base/cursor.h"
#include "base/escape.h"
#include "job/event.h"
#include "job/wire-private.h"
#include <string.h>

/* Columns of numbers one after the other (slot, rank, size, pid, host, program, parent), then the
 * texts that host and program count from 1 on: they repeat. */
#define PROCESSES_TYPE "(auaay)"
#define N_COLUMNS 7
#define PLACES_TYPE "a" JOB_WIRE_LOCATION
#define EVENT_TYPE "(ayav)"

/* What the event has; all but said, final and place are parts. */
enum {
    HAS_FINAL = 1 << 0,
    HAS_PLACE = 1 << 1,
    HAS_PLACES = 1 << 2,
    HAS_TREE = 1 << 3,
    HAS_TABLE = 1 << 4,
    HAS_PROCESSES = 1 << 5,
    HAS_BYTES = 1 << 6,
    HAS_QUEUES = 1 << 7,
    HAS_DETAILS = 1 << 8,
    HAS_COSTS = 1 << 9,
    HAS_SAID = 1 << 10,
    HAS_ALL = (1 << 11) - 1
};

static GVariant *
encode_places (JobLocation *const *places, guint n_places)
{
    GVariantBuilder builder;

    g_variant_builder_init (&builder, G_VARIANT_TYPE (PLACES_TYPE));
    for (guint i = 0; i < n_places; i++) {
        g_variant_builder_add_value (&builder, job_wire_put_location (places[i]));
    }
    return g_variant_builder_end (&builder);
}

/* Number of the text, from 1 on; 0 for NULL. Seen texts are known by their number. */
static guint32
count_text (GHashTable *seen, GVariantBuilder *texts, const char *text)
{
    gpointer number = text != NULL ? g_hash_table_lookup (seen, text) : NULL;

    if (text != NULL && number == NULL) {
        number = GUINT_TO_POINTER (g_hash_table_size (seen) + 1);
        g_hash_table_insert (seen, (gpointer) text, number);
        g_variant_builder_add_value (texts, job_wire_put_text (text));
    }
    return GPOINTER_TO_UINT (number);
}

static GVariant *
encode_processes (const GArray *processes)
{
    g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
    guint n = processes != NULL ? processes->len : 0;
    g_autofree guint32 *numbers = g_new (guint32, MAX ((gsize) n * N_COLUMNS, 1));
    GVariantBuilder texts;

    g_variant_builder_init (&texts, G_VARIANT_TYPE ("aay"));
    for (guint i = 0; i < n; i++) {
        const JobProcess *process = JOB_PROCESS (processes, i);
        const guint32 row[N_COLUMNS] = { process->slot,
                                         process->rank,
                                         process->size,
                                         (guint32) process->pid,
                                         count_text (seen, &texts, process->host),
                                         count_text (seen, &texts, process->program),
                                         process->parent };

        for (guint column = 0; column < N_COLUMNS; column++) {
            numbers[(gsize) column * n + i] = row[column];
        }
    }
    return g_variant_new ("(@au@aay)",
                          g_variant_new_fixed_array (G_VARIANT_TYPE_UINT32, numbers,
                                                     (gsize) n * N_COLUMNS, sizeof *numbers),
                          g_variant_builder_end (&texts));
}

static GVariant *
encode_bytes (GBytes *bytes)
{
    gsize size;
    gconstpointer data = g_bytes_get_data (bytes, &size);

    return g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, data, size, 1);
}

static guint
find_what (const JobEvent *event)
{
    return (event->final ? HAS_FINAL : 0) | (event->place != NULL ? HAS_PLACE : 0)
           | (event->places != NULL && event->places->len > 0 ? HAS_PLACES : 0)
           | (event->tree != NULL ? HAS_TREE : 0) | (event->table != NULL ? HAS_TABLE : 0)
           | (event->processes != NULL && event->processes->len > 0 ? HAS_PROCESSES : 0)
           | (event->bytes != NULL ? HAS_BYTES : 0) | (event->queues != NULL ? HAS_QUEUES : 0)
           | (event->details != NULL ? HAS_DETAILS : 0) | (event->costs != NULL ? HAS_COSTS : 0)
           | (event->said != NULL ? HAS_SAID : 0);
}

static GVariant *
encode_head (const JobEvent *event, guint what)
{
    g_autoptr (GByteArray) head = g_byte_array_sized_new (128);

    base_bytes_put_uleb (head, what);
    base_bytes_put_uleb (head, event->kind);
    base_bytes_put_uleb (head, event->state);
    base_bytes_put_uleb (head, event->flags);
    base_bytes_put_uleb (head, event->request);
    base_bytes_put_uleb (head, event->stop);
    job_wire_write_signed (head, event->number);
    job_wire_write_signed (head, event->code);
    job_wire_write_ranks (head, event->ranks);
    job_wire_write_text (head, event->text);
    job_wire_write_text (head, event->text2);
    if (event->place != NULL) {
        job_wire_write_place (head, event->place);
    }
    if (event->said != NULL) {
        job_wire_write_said (head, event->said);
    }
    return g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, head->data, head->len, 1);
}

GVariant *
job_event_encode (const JobEvent *event)
{
    guint what = find_what (event);
    GVariantBuilder parts;

    g_variant_builder_init (&parts, G_VARIANT_TYPE ("av"));
    if (what & HAS_PLACES) {
        g_variant_builder_add (&parts, "v",
                               encode_places ((JobLocation **) event->places->pdata,
                                              event->places->len));
    }
    if (what & HAS_TREE) {
        g_variant_builder_add (&parts, "v", job_stack_tree_encode (event->tree));
    }
    if (what & HAS_TABLE) {
        g_variant_builder_add (&parts, "v", job_value_table_encode (event->table));
    }
    if (what & HAS_PROCESSES) {
        g_variant_builder_add (&parts, "v", encode_processes (event->processes));
    }
    if (what & HAS_BYTES) {
        g_variant_builder_add (&parts, "v", encode_bytes (event->bytes));
    }
    if (what & HAS_QUEUES) {
        g_variant_builder_add (&parts, "v", job_message_table_encode (event->queues));
    }
    if (what & HAS_DETAILS) {
        g_variant_builder_add (&parts, "v", job_wire_put_details (event->details));
    }
    if (what & HAS_COSTS) {
        g_variant_builder_add (&parts, "v", job_costs_encode (event->costs));
    }
    return g_variant_new ("(@ayav)", encode_head (event, what), &parts);
}

static GPtrArray *
decode_places (JobWire *wire, GVariant *list)
{
    gsize n_places = g_variant_n_children (list);
    GPtrArray *places = g_ptr_array_new_with_free_func ((GDestroyNotify) job_location_free);

    for (gsize i = 0; i < n_places && !wire->failed; i++) {
        g_ptr_array_add (places, job_wire_take_location (wire, list, i));
    }
    return places;
}

/* Borrowed of the texts. */
static char *
get_counted (JobWire *wire, GPtrArray *texts, guint32 number)
{
    if (number > texts->len) {
        wire->failed = TRUE;
    }
    return number == 0 || wire->failed ? NULL : g_ptr_array_index (texts, number - 1);
}

static GPtrArray *
decode_texts (JobWire *wire, GVariant *list)
{
    GPtrArray *texts = g_ptr_array_new_with_free_func (g_free);
    gsize n = g_variant_n_children (list);

    for (gsize i = 0; i < n && !wire->failed; i++) {
        g_ptr_array_add (texts, job_wire_take_text (wire, list, i));
    }
    return texts;
}

/* Texts that follow each other and are equal are shared, but need not follow each other. */
static gboolean
spend_process (JobWire *wire, const JobProcess *process)
{
    gsize texts = (process->host != NULL ? strlen (process->host) + 32 : 0)
                  + (process->program != NULL ? strlen (process->program) + 32 : 0);

    return job_wire_spend (wire, sizeof *process + texts);
}

static GArray *
decode_processes (JobWire *wire, GVariant *fields)
{
    g_autoptr (GVariant) column = g_variant_get_child_value (fields, 0);
    g_autoptr (GVariant) list = g_variant_get_child_value (fields, 1);
    g_autoptr (GPtrArray) texts = decode_texts (wire, list);
    g_autoptr (GArray) processes = NULL;
    gsize n_numbers, n;
    const guint32 *numbers = g_variant_get_fixed_array (column, &n_numbers, sizeof *numbers);

    n = n_numbers / N_COLUMNS;
    wire->failed |= n_numbers % N_COLUMNS != 0;
    if (n == 0) {
        return NULL;
    }
    processes = job_process_list_new ();
    for (gsize i = 0; i < n && !wire->failed; i++) {
        const JobProcess process = { .slot = numbers[i],
                                     .rank = numbers[n + i],
                                     .size = numbers[2 * n + i],
                                     .pid = (gint32) numbers[3 * n + i],
                                     .host = get_counted (wire, texts, numbers[4 * n + i]),
                                     .program = get_counted (wire, texts, numbers[5 * n + i]),
                                     .parent = numbers[6 * n + i] };

        if (spend_process (wire, &process)) {
            job_process_list_add (processes, &process);
        }
    }
    return g_steal_pointer (&processes);
}

/* The next part when it is announced; NULL when it is not, or is none of that type. */
static GVariant *
take_part (JobWire *wire, GVariant *parts, guint what, guint part, const char *type,
           gsize *next)
{
    g_autoptr (GVariant) boxed = NULL;
    g_autoptr (GVariant) content = NULL;

    if ((what & part) == 0 || wire->failed) {
        return NULL;
    }
    if (*next >= g_variant_n_children (parts)) {
        wire->failed = TRUE;
        return NULL;
    }
    boxed = g_variant_get_child_value (parts, (*next)++);
    content = g_variant_get_variant (boxed);
    if (type != NULL && !g_variant_is_of_type (content, G_VARIANT_TYPE (type))) {
        wire->failed = TRUE;
        return NULL;
    }
    return g_steal_pointer (&content);
}

static void
decode_parts (JobWire *wire, GVariant *parts, guint what, JobEvent *event)
{
    gsize next = 0;
    g_autoptr (GVariant) places = take_part (wire, parts, what, HAS_PLACES, PLACES_TYPE, &next);
    g_autoptr (GVariant) tree = take_part (wire, parts, what, HAS_TREE, NULL, &next);
    g_autoptr (GVariant) table = take_part (wire, parts, what, HAS_TABLE, NULL, &next);
    g_autoptr (GVariant) processes = take_part (wire, parts, what, HAS_PROCESSES,
                                                PROCESSES_TYPE, &next);
    g_autoptr (GVariant) bytes = take_part (wire, parts, what, HAS_BYTES, "ay", &next);
    g_autoptr (GVariant) queues = take_part (wire, parts, what, HAS_QUEUES, NULL, &next);
    g_autoptr (GVariant) details = take_part (wire, parts, what, HAS_DETAILS, "ay", &next);

    g_autoptr (GVariant) costs = take_part (wire, parts, what, HAS_COSTS, "ay", &next);

    wire->failed |= next != g_variant_n_children (parts);
    if (places != NULL) {
        event->places = decode_places (wire, places);
    }
    if (tree != NULL) {
        event->tree = job_wire_take_tree (wire, tree);
    }
    if (table != NULL) {
        event->table = job_wire_take_table (wire, table);
    }
    if (processes != NULL) {
        event->processes = decode_processes (wire, processes);
    }
    if (queues != NULL) {
        event->queues = job_wire_take_queues (wire, queues);
    }
    if (details != NULL) {
        event->details = job_wire_take_details (wire, details);
    }
    if (costs != NULL) {
        event->costs = job_wire_take_costs (wire, costs);
    }
    if (bytes != NULL && job_wire_spend (wire, g_variant_get_size (bytes))) {
        event->bytes = g_bytes_new (g_variant_get_data (bytes), g_variant_get_size (bytes));
    }
}

/* What the daemon itself composes of several lines. */
static gboolean
has_lines (JobEventKind kind)
{
    return kind == JOB_EVENT_TEXT || kind == JOB_EVENT_FAILURE || kind == JOB_EVENT_NOTICE;
}

/* What the event has. */
static guint
decode_head (JobWire *wire, GVariant *bytes, JobEvent *event)
{
    gsize size;
    const guint8 *data = g_variant_get_fixed_array (bytes, &size, 1);
    BaseCursor head = BASE_CURSOR_INIT (data, size);
    guint32 what = job_wire_read_number (wire, &head);

    event->kind = (JobEventKind) job_wire_read_number (wire, &head);
    event->state = (JobState) job_wire_read_number (wire, &head);
    event->flags = job_wire_read_number (wire, &head) & ~(guint32) JOB_EVENT_STALE;
    event->request = base_cursor_read_uleb (&head);
    event->stop = base_cursor_read_uleb (&head);
    event->number = job_wire_read_signed (wire, &head);
    event->code = job_wire_read_signed (wire, &head);
    event->ranks = job_wire_read_ranks (wire, &head);
    event->final = (what & HAS_FINAL) != 0;
    event->text = base_escape_take (job_wire_read_text (wire, &head),
                                    has_lines (event->kind) ? BASE_ESCAPE_KEEP_LINES
                                                            : BASE_ESCAPE_NAME);
    event->text2 = base_escape_take (job_wire_read_text (wire, &head), BASE_ESCAPE_KEEP_LINES);
    event->place = what & HAS_PLACE ? job_wire_read_place (wire, &head) : NULL;
    event->said = what & HAS_SAID ? job_wire_read_said (wire, &head) : NULL;
    wire->failed |= head.failed || base_cursor_get_left (&head) != 0 || what > HAS_ALL
                    || (guint) event->kind >= JOB_N_EVENTS
                    || (guint) event->state >= JOB_N_STATES;
    return what;
}

JobEvent *
job_event_decode (GVariant *variant, guint32 limit, guint64 *left_bytes, GError **error)
{
    g_autoptr (JobEvent) event = NULL;
    g_autoptr (GVariant) head = NULL;
    g_autoptr (GVariant) parts = NULL;
    JobWire wire = { limit, left_bytes != NULL ? *left_bytes : JOB_EVENT_MAX_BYTES, FALSE,
                     FALSE };
    guint what;

    if (!job_wire_check (variant, EVENT_TYPE, error)) {
        return NULL;
    }
    head = g_variant_get_child_value (variant, 0);
    parts = g_variant_get_child_value (variant, 1);
    event = g_new0 (JobEvent, 1);
    job_wire_spend (&wire, sizeof *event);
    what = decode_head (&wire, head, event);
    decode_parts (&wire, parts, what, event);
    if (left_bytes != NULL) {
        *left_bytes = wire.left;
    }
    if (wire.failed) {
        job_wire_fail (&wire, error, "an event");
        return NULL;
    }
    return g_steal_pointer (&event);
}
