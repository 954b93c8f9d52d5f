/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events as variants. The common fields are one block of bytes, because variants for a dozen
 * numbers would cost more than everything else in a state query. What the kind of event has beside
 * them comes after it, by the table in this file. */
#include "base/cursor.h"
#include "base/escape.h"
#include "job/wire-private.h"
#include <string.h>

/* Columns of numbers one after the other (slot, rank, size, pid, host, program, parent), then the
 * texts that host and program count from 1 on: they repeat. */
#define PROCESSES_TYPE "(auaay)"
#define N_COLUMNS 7
#define PLACES_TYPE "a" JOB_WIRE_LOCATION
#define EVENT_TYPE "(aymv)"

/* What the event has. */
enum {
    HAS_FINAL = 1 << 0,
    HAS_PLACE = 1 << 1,
    HAS_CONTENT = 1 << 2,
    HAS_SAID = 1 << 3,
    HAS_ALL = (1 << 4) - 1
};

static GVariant *
encode_places (gconstpointer data)
{
    const GPtrArray *places = data;
    GVariantBuilder builder;

    g_variant_builder_init (&builder, G_VARIANT_TYPE (PLACES_TYPE));
    for (guint i = 0; i < places->len; i++) {
        g_variant_builder_add_value (&builder,
                                     job_wire_put_location (g_ptr_array_index (places, i)));
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
encode_processes (gconstpointer data)
{
    const GArray *processes = data;
    g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
    guint n = processes->len;
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
encode_bytes (gconstpointer bytes)
{
    gsize size;
    gconstpointer data = g_bytes_get_data ((GBytes *) bytes, &size);

    return g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, data, size, 1);
}

static guint
find_what (const JobEvent *event)
{
    return (event->final ? HAS_FINAL : 0) | (event->place != NULL ? HAS_PLACE : 0)
           | (job_event_find_content (event) != JOB_CONTENT_NONE ? HAS_CONTENT : 0)
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

static gpointer
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

static gpointer
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

static gpointer
decode_bytes (JobWire *wire, GVariant *variant)
{
    gsize size = g_variant_get_size (variant);

    return job_wire_spend (wire, size) ? g_bytes_new (g_variant_get_data (variant), size)
                                       : NULL;
}

#define ON_THE_WIRE(name, Type, put, take)                                                     \
    static GVariant *encode_##name (gconstpointer content)                                     \
    {                                                                                          \
        return put ((const Type *) content);                                                   \
    }                                                                                          \
    static gpointer decode_##name (JobWire *wire, GVariant *variant)                           \
    {                                                                                          \
        return take (wire, variant);                                                           \
    }

ON_THE_WIRE (tree, JobStackTree, job_stack_tree_encode, job_wire_take_tree)
ON_THE_WIRE (table, JobValueTable, job_value_table_encode, job_wire_take_table)
ON_THE_WIRE (queues, JobMessageTable, job_message_table_encode, job_wire_take_queues)
ON_THE_WIRE (details, GPtrArray, job_wire_put_details, job_wire_take_details)
ON_THE_WIRE (costs, JobCosts, job_costs_encode, job_wire_take_costs)

/* How the content of each kind stands on the wire. */
static const struct {
    const char *type; /* NULL: decode looks at it */
    GVariant *(*encode) (gconstpointer content);
    gpointer (*decode) (JobWire *wire, GVariant *variant); /* may return NULL: nothing */
} wires[JOB_N_CONTENTS] = {
    [JOB_CONTENT_PROCESSES] = { PROCESSES_TYPE, encode_processes, decode_processes },
    [JOB_CONTENT_PLACES] = { PLACES_TYPE, encode_places, decode_places },
    [JOB_CONTENT_TREE] = { NULL, encode_tree, decode_tree },
    [JOB_CONTENT_TABLE] = { NULL, encode_table, decode_table },
    [JOB_CONTENT_QUEUES] = { NULL, encode_queues, decode_queues },
    [JOB_CONTENT_DETAILS] = { "ay", encode_details, decode_details },
    [JOB_CONTENT_COSTS] = { "ay", encode_costs, decode_costs },
    [JOB_CONTENT_BYTES] = { "ay", encode_bytes, decode_bytes },
};

GVariant *
job_event_encode (const JobEvent *event)
{
    guint what = find_what (event);
    JobContent kind = job_event_find_content (event);
    GVariant *content = what & HAS_CONTENT ? wires[kind].encode (event->content) : NULL;

    return g_variant_new ("(@aymv)", encode_head (event, what), content);
}

static void
decode_content (JobWire *wire, GVariant *content, JobEvent *event)
{
    JobContent kind = wire->failed ? JOB_CONTENT_NONE
                                   : job_event_kind_get_content (event->kind);

    if (content == NULL || kind == JOB_CONTENT_NONE
        || (wires[kind].type != NULL
            && !g_variant_is_of_type (content, G_VARIANT_TYPE (wires[kind].type)))) {
        wire->failed |= content != NULL;
        return;
    }
    event->content = wires[kind].decode (wire, content);
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
    g_autoptr (GVariant) content = NULL;
    JobWire wire = { limit, left_bytes != NULL ? *left_bytes : JOB_EVENT_MAX_BYTES, FALSE,
                     FALSE };
    guint what;

    if (!job_wire_check (variant, EVENT_TYPE, error)) {
        return NULL;
    }
    head = g_variant_get_child_value (variant, 0);
    g_variant_get_child (variant, 1, "mv", &content);
    event = g_new0 (JobEvent, 1);
    job_wire_spend (&wire, sizeof *event);
    what = decode_head (&wire, head, event);
    wire.failed |= ((what & HAS_CONTENT) != 0) != (content != NULL);
    decode_content (&wire, content, event);
    if (left_bytes != NULL) {
        *left_bytes = wire.left;
    }
    if (wire.failed) {
        job_wire_fail (&wire, error, "an event");
        return NULL;
    }
    return g_steal_pointer (&event);
}
