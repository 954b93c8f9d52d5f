/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events as variants. What an event may lack is an array of no or one element. */
#include "job/event.h"
#include "job/wire-private.h"

/* kind request final flags stop ranks state number code text text2, place, places, tree, table,
 * processes, bytes, queues */
/* Columns of numbers one after the other (slot, rank, size, pid, host, program), then the texts
 * that the last two count from 1 on: hosts and programs repeat. */
#define PROCESSES_TYPE "(auaay)"
#define N_COLUMNS 6
#define PLACES_TYPE "a" JOB_WIRE_LOCATION
#define EVENT_TYPE "(utbutayuiiayay" PLACES_TYPE PLACES_TYPE "avav" PROCESSES_TYPE "aayav)"

enum { KIND, REQUEST, FINAL, FLAGS, STOP, RANKS, STATE, NUMBER, CODE, TEXT, TEXT2, PLACE, PLACES,
       TREE, TABLE, PROCESSES, BYTES, QUEUES, N_FIELDS };

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
encode_processes (GPtrArray *processes)
{
    g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
    guint n = processes != NULL ? processes->len : 0;
    g_autofree guint32 *numbers = g_new (guint32, MAX ((gsize) n * N_COLUMNS, 1));
    GVariantBuilder texts;

    g_variant_builder_init (&texts, G_VARIANT_TYPE ("aay"));
    for (guint i = 0; i < n; i++) {
        const JobProcess *process = g_ptr_array_index (processes, i);
        const guint32 row[N_COLUMNS] = { process->slot, process->rank, process->size,
                                         (guint32) process->pid,
                                         count_text (seen, &texts, process->host),
                                         count_text (seen, &texts, process->program) };

        for (guint column = 0; column < N_COLUMNS; column++) {
            numbers[(gsize) column * n + i] = row[column];
        }
    }
    return g_variant_new ("(@au@aay)",
                          g_variant_new_fixed_array (G_VARIANT_TYPE_UINT32, numbers,
                                                     (gsize) n * N_COLUMNS, sizeof *numbers),
                          g_variant_builder_end (&texts));
}

/* An array of type av or aay with `child`, or none when it is NULL. */
static GVariant *
encode_optional (const char *type, GVariant *child)
{
    GVariantBuilder builder;

    g_variant_builder_init (&builder, G_VARIANT_TYPE (type));
    if (child != NULL) {
        g_variant_builder_add_value (&builder, child);
    }
    return g_variant_builder_end (&builder);
}

static GVariant *
encode_bytes (GBytes *bytes)
{
    gsize size;
    gconstpointer data;

    if (bytes == NULL) {
        return encode_optional ("aay", NULL);
    }
    data = g_bytes_get_data (bytes, &size);
    return encode_optional ("aay",
                            g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, data, size, 1));
}

GVariant *
job_event_encode (const JobEvent *event)
{
    GVariant *tree = event->tree != NULL
                         ? g_variant_new_variant (job_stack_tree_encode (event->tree)) : NULL;
    GVariant *table = event->table != NULL
                          ? g_variant_new_variant (job_value_table_encode (event->table)) : NULL;
    GVariant *queues = event->queues != NULL
                           ? g_variant_new_variant (job_message_table_encode (event->queues))
                           : NULL;
    GVariant *fields[N_FIELDS] = {
        [KIND] = g_variant_new_uint32 (event->kind),
        [REQUEST] = g_variant_new_uint64 (event->request),
        [FINAL] = g_variant_new_boolean (event->final),
        [FLAGS] = g_variant_new_uint32 (event->flags),
        [STOP] = g_variant_new_uint64 (event->stop),
        [RANKS] = job_wire_put_ranks (event->ranks),
        [STATE] = g_variant_new_uint32 (event->state),
        [NUMBER] = g_variant_new_int32 (event->number),
        [CODE] = g_variant_new_int32 (event->code),
        [TEXT] = job_wire_put_text (event->text),
        [TEXT2] = job_wire_put_text (event->text2),
        [PLACE] = encode_places (&event->place, event->place != NULL ? 1 : 0),
        [PLACES] = encode_places (event->places != NULL ? (JobLocation **) event->places->pdata
                                                        : NULL,
                                  event->places != NULL ? event->places->len : 0),
        [TREE] = encode_optional ("av", tree),
        [TABLE] = encode_optional ("av", table),
        [PROCESSES] = encode_processes (event->processes),
        [BYTES] = encode_bytes (event->bytes),
        [QUEUES] = encode_optional ("av", queues),
    };

    return g_variant_new_tuple (fields, N_FIELDS);
}

/* The places of a field; NULL when it has none. */
static GPtrArray *
decode_places (JobWire *wire, GVariant *variant, gsize field)
{
    g_autoptr (GVariant) list = g_variant_get_child_value (variant, field);
    gsize n_places = g_variant_n_children (list);
    GPtrArray *places;

    if (n_places == 0) {
        return NULL;
    }
    places = g_ptr_array_new_with_free_func ((GDestroyNotify) job_location_free);
    for (gsize i = 0; i < n_places && !wire->failed; i++) {
        g_ptr_array_add (places, job_wire_take_location (wire, list, i));
    }
    return places;
}

static JobLocation *
decode_place (JobWire *wire, GVariant *variant)
{
    g_autoptr (GVariant) list = g_variant_get_child_value (variant, PLACE);

    if (g_variant_n_children (list) > 1) {
        wire->failed = TRUE;
    }
    return g_variant_n_children (list) == 1 ? job_wire_take_location (wire, list, 0) : NULL;
}

static char *
dup_counted (JobWire *wire, GPtrArray *texts, guint32 number)
{
    if (number > texts->len) {
        wire->failed = TRUE;
    }
    return number == 0 || wire->failed ? NULL : g_strdup (g_ptr_array_index (texts, number - 1));
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

static GPtrArray *
decode_processes (JobWire *wire, GVariant *variant)
{
    g_autoptr (GVariant) fields = g_variant_get_child_value (variant, PROCESSES);
    g_autoptr (GVariant) column = g_variant_get_child_value (fields, 0);
    g_autoptr (GVariant) list = g_variant_get_child_value (fields, 1);
    g_autoptr (GPtrArray) texts = decode_texts (wire, list);
    g_autoptr (GPtrArray) processes = NULL;
    gsize n_numbers, n;
    const guint32 *numbers = g_variant_get_fixed_array (column, &n_numbers, sizeof *numbers);

    n = n_numbers / N_COLUMNS;
    wire->failed |= n_numbers % N_COLUMNS != 0;
    if (n == 0) {
        return NULL;
    }
    processes = g_ptr_array_new_with_free_func ((GDestroyNotify) job_process_free);
    for (gsize i = 0; i < n && !wire->failed; i++) {
        JobProcess *process = job_process_new ();

        process->slot = numbers[i];
        process->rank = numbers[n + i];
        process->size = numbers[2 * n + i];
        process->pid = (gint32) numbers[3 * n + i];
        process->host = dup_counted (wire, texts, numbers[4 * n + i]);
        process->program = dup_counted (wire, texts, numbers[5 * n + i]);
        g_ptr_array_add (processes, process);
    }
    return g_steal_pointer (&processes);
}

/* What stands in the variant of an array of at most one; NULL when there is none. */
static GVariant *
open_optional (JobWire *wire, GVariant *variant, gsize field)
{
    g_autoptr (GVariant) list = g_variant_get_child_value (variant, field);
    g_autoptr (GVariant) child = NULL;

    if (g_variant_n_children (list) > 1) {
        wire->failed = TRUE;
    }
    if (g_variant_n_children (list) != 1) {
        return NULL;
    }
    child = g_variant_get_child_value (list, 0);
    return g_variant_get_variant (child);
}

static void
decode_parts (JobWire *wire, GVariant *variant, JobEvent *event)
{
    g_autoptr (GVariant) tree = open_optional (wire, variant, TREE);
    g_autoptr (GVariant) table = open_optional (wire, variant, TABLE);
    g_autoptr (GVariant) queues = open_optional (wire, variant, QUEUES);
    g_autoptr (GVariant) bytes = g_variant_get_child_value (variant, BYTES);

    if (tree != NULL) {
        event->tree = job_stack_tree_decode (tree, wire->limit, NULL);
        wire->failed |= event->tree == NULL;
    }
    if (table != NULL) {
        event->table = job_value_table_decode (table, wire->limit, NULL);
        wire->failed |= event->table == NULL;
    }
    if (queues != NULL) {
        event->queues = job_message_table_decode (queues, wire->limit, NULL);
        wire->failed |= event->queues == NULL;
    }
    if (g_variant_n_children (bytes) > 0) {
        g_autoptr (GVariant) content = g_variant_get_child_value (bytes, 0);

        event->bytes = g_bytes_new (g_variant_get_data (content), g_variant_get_size (content));
        wire->failed |= g_variant_n_children (bytes) > 1;
    }
}

static void
decode_numbers (JobWire *wire, GVariant *variant, JobEvent *event)
{
    guint32 kind, state;

    g_variant_get_child (variant, KIND, "u", &kind);
    g_variant_get_child (variant, REQUEST, "t", &event->request);
    g_variant_get_child (variant, FINAL, "b", &event->final);
    g_variant_get_child (variant, FLAGS, "u", &event->flags);
    g_variant_get_child (variant, STOP, "t", &event->stop);
    g_variant_get_child (variant, STATE, "u", &state);
    g_variant_get_child (variant, NUMBER, "i", &event->number);
    g_variant_get_child (variant, CODE, "i", &event->code);
    wire->failed |= kind >= JOB_N_EVENTS || state >= JOB_N_STATES;
    event->kind = (JobEventKind) kind;
    event->state = (JobState) state;
}

JobEvent *
job_event_decode (GVariant *variant, guint32 limit, GError **error)
{
    g_autoptr (JobEvent) event = NULL;
    JobWire wire = { limit, JOB_WIRE_MAX_RANGES, FALSE };

    if (!job_wire_check (variant, EVENT_TYPE, error)) {
        return NULL;
    }
    event = g_new0 (JobEvent, 1);
    decode_numbers (&wire, variant, event);
    event->ranks = job_wire_take_ranks (&wire, variant, RANKS);
    event->text = job_wire_take_text (&wire, variant, TEXT);
    event->text2 = job_wire_take_text (&wire, variant, TEXT2);
    event->place = decode_place (&wire, variant);
    event->places = decode_places (&wire, variant, PLACES);
    event->processes = decode_processes (&wire, variant);
    if (!wire.failed) {
        decode_parts (&wire, variant, event);
    }
    if (wire.failed) {
        job_wire_fail (error, "an event");
        return NULL;
    }
    return g_steal_pointer (&event);
}
