/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events as variants. What an event may lack is an array of no or one element. */
#include "job/event.h"
#include "job/wire-private.h"

/* kind request final flags stop ranks state number code text text2, place, places, tree, table,
 * processes, bytes, queues */
#define PROCESS_TYPE "(uuuiayay)"
#define PLACES_TYPE "a" JOB_WIRE_LOCATION
#define EVENT_TYPE "(utbutayuiiayay" PLACES_TYPE PLACES_TYPE "avava" PROCESS_TYPE "aayav)"

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

static GVariant *
encode_processes (GPtrArray *processes)
{
    GVariantBuilder builder;

    g_variant_builder_init (&builder, G_VARIANT_TYPE ("a" PROCESS_TYPE));
    for (guint i = 0; processes != NULL && i < processes->len; i++) {
        const JobProcess *process = g_ptr_array_index (processes, i);

        g_variant_builder_add (&builder, "(uuui@ay@ay)", process->slot, process->rank,
                               process->size, process->pid, job_wire_put_text (process->host),
                               job_wire_put_text (process->program));
    }
    return g_variant_builder_end (&builder);
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

static GPtrArray *
decode_processes (JobWire *wire, GVariant *variant)
{
    g_autoptr (GVariant) list = g_variant_get_child_value (variant, PROCESSES);
    gsize n_processes = g_variant_n_children (list);
    GPtrArray *processes;

    if (n_processes == 0) {
        return NULL;
    }
    processes = g_ptr_array_new_with_free_func ((GDestroyNotify) job_process_free);
    for (gsize i = 0; i < n_processes && !wire->failed; i++) {
        g_autoptr (GVariant) tuple = g_variant_get_child_value (list, i);
        JobProcess *process = job_process_new ();

        g_variant_get_child (tuple, 0, "u", &process->slot);
        g_variant_get_child (tuple, 1, "u", &process->rank);
        g_variant_get_child (tuple, 2, "u", &process->size);
        g_variant_get_child (tuple, 3, "i", &process->pid);
        process->host = job_wire_take_text (wire, tuple, 4);
        process->program = job_wire_take_text (wire, tuple, 5);
        g_ptr_array_add (processes, process);
    }
    return processes;
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
