/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every decoder of what comes over the net, from a socket of this host or from another process's memory,
 * on well-formed bytes that were damaged; what one accepts goes on as it does in the programs: merged,
 * encoded again, applied to a session, printed. `fuzz-wire [ROUNDS [DECODER]]`. With a fuzzer the first
 * byte chooses the decoder; `fuzz-wire --corpus FOLDER` writes what it may begin with. */
#include "command/private.h"
#include "mutate.h"
#include "samples.h"
#include "launch/tags.h"
#include "net/events-private.h"
#include "net/packet-private.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define LIMIT 8                                /* ranks of the session that hears it */
#define ALL (NET_BLOCK_SLOTS * NET_MAX_BLOCKS) /* as in the front end */
#define ROOM (G_GUINT64_CONSTANT (1536) << 20) /* bytes of memory for all of it */

#if defined __has_feature
#if __has_feature(address_sanitizer)
#define PDDT_SANITIZED 1
#endif
#endif

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

typedef struct {
    const char *name;
    GPtrArray *(*make) (void);                         /* of GBytes: well-formed ones */
    gboolean (*take) (const guint8 *data, gsize size); /* TRUE: accepted */
} Decoder;

static GBytes *
own_bytes (GVariant *variant)
{
    g_autoptr (GVariant) held = g_variant_ref_sink (variant);
    return g_variant_get_data_as_bytes (held);
}

static GVariant *
make_variant (const char *type, const guint8 *data, gsize size)
{
    g_autoptr (GBytes) bytes = g_bytes_new (data, size);
    return g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE (type), bytes, FALSE));
}

static GPtrArray *
new_list (void)
{
    return g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
}

/* ---- values of job ---- */

static GPtrArray *
make_sets (void)
{
    g_autoptr (GPtrArray) sets = samples_new_sets ();
    GPtrArray *list = new_list ();
    for (guint i = 0; i < sets->len; i++) {
        GByteArray *bytes = g_byte_array_new ();
        job_rank_set_encode (sets->pdata[i], bytes);
        g_ptr_array_add (list, g_byte_array_free_to_bytes (bytes));
    }
    return list;
}

static gboolean
take_set (const guint8 *data, gsize size)
{
    g_autoptr (JobRankSet) set = job_rank_set_decode (data, size, ALL, NULL);
    if (set) {
        g_autoptr (GByteArray) bytes = g_byte_array_new ();
        job_rank_set_encode (set, bytes);
        g_autoptr (JobRankSet) again = job_rank_set_decode (bytes->data, bytes->len, ALL, NULL);
        g_assert_true (again && job_rank_set_equal (set, again));
    }
    return set != NULL;
}

static const char *event_type, *request_type, *tree_type, *table_type, *queues_type;

static void
note_type (const char **type, GVariant *variant)
{
    *type = g_intern_string (g_variant_get_type_string (variant));
}

static GPtrArray *
make_events (void)
{
    g_autoptr (GPtrArray) events = samples_new_events ();
    GPtrArray *list = new_list ();
    for (guint i = 0; i < events->len; i++) {
        GVariant *variant = job_event_encode (events->pdata[i]);
        note_type (&event_type, variant);
        g_ptr_array_add (list, own_bytes (variant));
    }
    return list;
}

static void
ignore_request (const JobRequest *request, gpointer user)
{
}

/* A session of eight ranks that hears whatever was accepted, and is asked for what it knows. */
static void
tell_session (const JobEvent *event)
{
    static Session *session;
    static guint n;
    if (n++ % 500 == 0) {
        g_clear_object (&session);
        session = session_new ();
        session_start_scripted (session, LIMIT, ignore_request, NULL);
    }
    session_apply (session, event);
    g_autofree char *json = command_json_format_event (session, event, "x");
    if (n % 16 == 0) {
        g_autoptr (JobRankSet) all = session_dup_all (session);
        g_autofree char *text = session_format_state (BASE_TEXT_ENGLISH, session, all);
    }
}

static gboolean
take_event (const guint8 *data, gsize size)
{
    g_autoptr (GVariant) variant = make_variant (event_type, data, size);
    g_autoptr (JobEvent) large = job_event_decode (variant, ALL, NULL, NULL);
    g_autoptr (JobEvent) event = large ? job_event_decode (variant, LIMIT, NULL, NULL) : NULL;
    if (event) {
        g_autoptr (JobEvent) copy = job_event_dup (event);
        job_event_merge (copy, event);
        g_autoptr (GVariant) again = g_variant_ref_sink (job_event_encode (copy));
    }
    return event != NULL;
}

static GPtrArray *
make_requests (void)
{
    g_autoptr (GPtrArray) requests = samples_new_requests ();
    GPtrArray *list = new_list ();
    for (guint i = 0; i < requests->len; i++) {
        GVariant *variant = job_request_encode (requests->pdata[i]);
        note_type (&request_type, variant);
        g_ptr_array_add (list, own_bytes (variant));
    }
    return list;
}

static gboolean
take_request (const guint8 *data, gsize size)
{
    g_autoptr (GVariant) variant = make_variant (request_type, data, size);
    g_autoptr (JobRequest) request = job_request_decode (variant, ALL, NULL);
    if (request) {
        g_autoptr (JobRequest) copy = job_request_dup (request);
        g_autoptr (GVariant) again = g_variant_ref_sink (job_request_encode (copy));
        g_assert_cmpstr (job_verb_get_name (copy->verb), !=, NULL);
    }
    return request != NULL;
}

static const JobEvent *
find_event (GPtrArray *events, JobEventKind kind)
{
    for (guint i = 0; i < events->len; i++) {
        if (((JobEvent *) events->pdata[i])->kind == kind) {
            return events->pdata[i];
        }
    }
    return NULL;
}

static GPtrArray *
make_part (JobEventKind kind, const char **type)
{
    g_autoptr (GPtrArray) events = samples_new_events ();
    const JobEvent *event = find_event (events, kind);
    GVariant *variant = kind == JOB_EVENT_STACKS   ? job_stack_tree_encode (event->tree)
                        : kind == JOB_EVENT_VALUES ? job_value_table_encode (event->table)
                                                   : job_message_table_encode (event->queues);
    GPtrArray *list = new_list ();
    note_type (type, variant);
    g_ptr_array_add (list, own_bytes (variant));
    return list;
}

static GPtrArray *
make_trees (void)
{
    return make_part (JOB_EVENT_STACKS, &tree_type);
}

static gboolean
take_tree (const guint8 *data, gsize size)
{
    g_autoptr (GVariant) variant = make_variant (tree_type, data, size);
    g_autoptr (JobStackTree) tree = job_stack_tree_decode (variant, ALL, NULL);
    if (tree) {
        g_autoptr (JobStackTree) copy = job_stack_tree_dup (tree);
        job_stack_tree_merge (copy, tree);
        g_autoptr (GVariant) again = g_variant_ref_sink (job_stack_tree_encode (copy));
    }
    return tree != NULL;
}

static GPtrArray *
make_tables (void)
{
    return make_part (JOB_EVENT_VALUES, &table_type);
}

static gboolean
take_table (const guint8 *data, gsize size)
{
    g_autoptr (GVariant) variant = make_variant (table_type, data, size);
    g_autoptr (JobValueTable) table = job_value_table_decode (variant, ALL, NULL);
    if (table) {
        g_autoptr (JobValueTable) copy = job_value_table_dup (table);
        job_value_table_merge (copy, table);
        g_autoptr (GVariant) again = g_variant_ref_sink (job_value_table_encode (copy));
    }
    return table != NULL;
}

static GPtrArray *
make_queues (void)
{
    return make_part (JOB_EVENT_QUEUES, &queues_type);
}

static gboolean
take_queues (const guint8 *data, gsize size)
{
    g_autoptr (GVariant) variant = make_variant (queues_type, data, size);
    g_autoptr (JobMessageTable) table = job_message_table_decode (variant, ALL, NULL);
    if (table) {
        g_autoptr (JobMessageTable) copy = job_message_table_dup (table);
        job_message_table_merge (copy, table);
        g_autoptr (GVariant) again = g_variant_ref_sink (job_message_table_encode (copy));
    }
    return table != NULL;
}

/* ---- packets of links and tree: header and body in one ---- */

static void
add_packet (GPtrArray *list, NetPacketType type, GVariant *body)
{
    guint8 header[NET_HEADER_SIZE];
    g_autoptr (GBytes) content = own_bytes (body);
    GByteArray *bytes = g_byte_array_new ();
    net_packet_encode_header (type, list->len + 1, 0, header);
    g_byte_array_append (bytes, header, sizeof header);
    g_byte_array_append (bytes, g_bytes_get_data (content, NULL),
                         (guint) g_bytes_get_size (content));
    g_ptr_array_add (list, g_byte_array_free_to_bytes (bytes));
}

static void
add_events_packets (GPtrArray *list)
{
    g_autoptr (GPtrArray) events = samples_new_events ();
    for (guint i = 0; i < events->len; i += 4) {
        GVariantBuilder own, merged, covers;
        g_variant_builder_init (&own, G_VARIANT_TYPE ("av"));
        g_variant_builder_init (&merged, G_VARIANT_TYPE ("av"));
        g_variant_builder_init (&covers, G_VARIANT_TYPE ("a(utt)"));
        for (guint j = i; j < MIN (i + 4, events->len); j++) {
            g_autoptr (GVariant) event = net_events_encode_one (events->pdata[j]);
            g_variant_builder_add_value (&own, event);
            g_variant_builder_add_value (&merged, event);
        }
        g_variant_builder_add (&covers, "(utt)", 0u, (guint64) 1, (guint64) 2);
        add_packet (list, NET_EVENTS, g_variant_new ("(tav)", (guint64) i, &own));
        add_packet (list, NET_MERGED,
                    g_variant_new ("(ta(utt)av)", (guint64) 1, &covers, &merged));
    }
}

static GPtrArray *
make_packets (void)
{
    GPtrArray *list = new_list ();
    g_autoptr (GPtrArray) requests = samples_new_requests ();
    add_events_packets (list);
    add_packet (list, NET_HELLO, g_variant_new ("(ssu)", "session", "node1", 7u));
    add_packet (list, NET_WELCOME, g_variant_new ("(u)", 65536u));
    add_packet (list, NET_PING, g_variant_new ("(t)", (guint64) 3));
    add_packet (list, NET_LEADING, g_variant_new ("(ts)", (guint64) 1, "tcp://10.0.0.1:4000"));
    add_packet (list, NET_TREE,
                g_variant_new ("(tst)", (guint64) 1, "tcp://10.0.0.1:4000", (guint64) 2));
    add_packet (list, NET_JOIN, g_variant_new ("(stu)", "session", (guint64) 1, 65536u));
    add_packet (list, NET_SWITCH, g_variant_new ("(tb)", (guint64) 1, TRUE));
    add_packet (list, NET_CLOCK, g_variant_new ("(x)", (gint64) 5));
    add_packet (list, NET_CLOCKED, g_variant_new ("(xx)", (gint64) 5, (gint64) 7));
    add_packet (list, NET_ASKED, g_variant_new ("(tu)", (guint64) 9, 4u));
    for (guint i = 0; i < requests->len; i += 5) {
        add_packet (list, NET_REQUEST,
                    g_variant_new_variant (job_request_encode (requests->pdata[i])));
    }
    return list;
}

static void
use_list (GVariant *body, gsize index, gboolean is_merged)
{
    g_autoptr (GPtrArray) events
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    g_autoptr (GVariant) list = g_variant_get_child_value (body, index);
    g_autoptr (JobRankSet) known = job_rank_set_new_range (0, LIMIT);
    NetSpeaker speaker, group;
    net_speaker_init (&speaker, 0);
    net_speaker_init_group (&group);
    job_rank_set_add_range (speaker.reported, 0, LIMIT);
    net_speaker_add (&group, &speaker);
    net_events_take (list, is_merged ? &group : &speaker, "fuzz", events);
    net_speaker_clear (&speaker);
    net_speaker_clear (&group);
    job_event_list_merge (events);
    for (guint i = 0; i < events->len; i++) {
        const JobEvent *event = events->pdata[i];
        g_autoptr (GVariant) again = g_variant_ref_sink (job_event_encode (event));
        if (event->kind != JOB_EVENT_RANKS
            && job_rank_set_is_subset (event->ranks,
                                       known)) { /* of the slots' map, which goes before */
            tell_session (event);
        }
    }
}

static gboolean
take_packet (const guint8 *data, gsize size)
{
    gsize head = MIN (size, NET_HEADER_SIZE);
    g_autoptr (NetPacket) packet = net_packet_decode (data, head, data + head, size - head,
                                                      NULL);
    if (packet && packet->type == NET_EVENTS) {
        use_list (packet->body, 1, FALSE);
    } else if (packet && packet->type == NET_MERGED) {
        use_list (packet->body, 2, TRUE);
    } else if (packet && packet->type == NET_REQUEST) {
        g_autoptr (GVariant) content = g_variant_get_variant (packet->body);
        g_autoptr (JobRequest) request = job_request_decode (content, NET_BLOCK_SLOTS, NULL);
    }
    return packet != NULL;
}

/* ---- a launcher's output ---- */

static GPtrArray *
make_tags (void)
{
    static const char *const texts[] = {
        "[1,0]<stdout>:hello\n[1,1]<stderr>:world\n[1,10]<stdout>:a[1,2]<stdout>:b\n",
        "[0,3]<pddt>:text\nno tag\n[0,3]<pddt>:\n",
        "0: a\n10: b\n 3: c\nplain\n",
    };
    GPtrArray *list = new_list ();
    for (gsize i = 0; i < G_N_ELEMENTS (texts); i++) {
        g_ptr_array_add (list, g_bytes_new_static (texts[i], strlen (texts[i])));
    }
    return list;
}

static void
count_text (guint32 rank, const char *text, gsize size, gpointer user)
{
    *(gsize *) user += size;
}

static gboolean
take_tags (const guint8 *data, gsize size)
{
    gsize n = 0;
    for (guint form = LAUNCH_TAGS_NONE; form <= LAUNCH_TAGS_LABEL; form++) {
        LaunchTags *tags = launch_tags_new ((LaunchTagForm) form, G_MAXUINT32, 1, count_text,
                                            &n);
        for (gsize at = 0; at < size; at += 1 + size / 7) {
            launch_tags_feed (tags, (const char *) data + at, MIN (1 + size / 7, size - at));
        }
        launch_tags_finish (tags);
        launch_tags_free (tags);
    }
    return n > 0;
}

/* ---- */

static const Decoder decoders[] = {
    { "rank-set", make_sets, take_set },        { "event", make_events, take_event },
    { "request", make_requests, take_request }, { "stack-tree", make_trees, take_tree },
    { "values", make_tables, take_table },      { "queues", make_queues, take_queues },
    { "packet", make_packets, take_packet },    { "tags", make_tags, take_tags },
};

static GLogWriterOutput
drop_log (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer user)
{
    return (level & G_LOG_FLAG_FATAL) != 0
               ? g_log_writer_default (level, fields, n_fields, user)
               : G_LOG_WRITER_HANDLED;
}

static void
begin (void)
{
    static gboolean is_begun;
    for (gsize i = 0; i < G_N_ELEMENTS (decoders) && !is_begun; i++) {
        g_autoptr (GPtrArray) list = decoders[i].make (); /* notes types */
    }
    if (!is_begun) {
        g_log_set_writer_func (drop_log, NULL, NULL);
    }
    is_begun = TRUE;
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
    begin ();
    if (size > 0) {
        decoders[data[0] % G_N_ELEMENTS (decoders)].take (data + 1, size - 1);
    }
    return 0;
}

#ifndef FUZZ_WITHOUT_MAIN

static void
run_decoder (const Decoder *decoder, GRand *random, guint rounds)
{
    g_autoptr (GPtrArray) list = decoder->make ();
    guint n_accepted = 0;
    for (guint i = 0; i < list->len; i++) {
        gsize size;
        const guint8 *data = g_bytes_get_data (list->pdata[i], &size);
        g_assert_true (decoder->take (data, size) || size == 0);
    }
    for (guint round = 0; round < rounds; round++) {
        gsize size, other_size;
        const guint8 *data = g_bytes_get_data (list->pdata[round % list->len], &size);
        const guint8 *other = g_bytes_get_data (list->pdata[g_rand_int (random) % list->len],
                                                &other_size);
        g_autoptr (GByteArray) bytes = mutate_bytes (random, data, size, other, other_size);
        g_autofree guint8 *exact = g_memdup2 (bytes->data,
                                              bytes->len); /* a read past it is seen */
        n_accepted += decoder->take (exact, bytes->len);
    }
    printf ("# %s: %u damaged, %u of them still well-formed\n", decoder->name, rounds,
            n_accepted);
}

static int
write_corpus (const char *folder)
{
    for (gsize i = 0; i < G_N_ELEMENTS (decoders); i++) {
        g_autoptr (GPtrArray) list = decoders[i].make ();
        for (guint j = 0; j < list->len; j++) {
            gsize size;
            const guint8 *data = g_bytes_get_data (list->pdata[j], &size);
            g_autoptr (GByteArray) bytes = g_byte_array_new ();
            g_autofree char *path = g_strdup_printf ("%s/%s-%u", folder, decoders[i].name, j);
            guint8 number = (guint8) i;
            g_byte_array_append (bytes, &number, 1);
            g_byte_array_append (bytes, data, (guint) size);
            if (!g_file_set_contents (path, (const char *) bytes->data, (gssize) bytes->len,
                                      NULL)) {
                return 1;
            }
        }
    }
    return 0;
}

/* A decoder that takes what the bytes ask for ends the test. */
static void
limit_memory (void)
{
#if !defined __SANITIZE_ADDRESS__ && !defined PDDT_SANITIZED
    const struct rlimit limit = { ROOM, ROOM };
    setrlimit (RLIMIT_AS, &limit);
#endif
}

int
main (int argc, char **argv)
{
    limit_memory ();
    if (argc == 3 && strcmp (argv[1], "--corpus") == 0) {
        return write_corpus (argv[2]);
    }
    guint rounds = argc > 1 ? (guint) strtoul (argv[1], NULL, 10) : 10000;
    g_autoptr (GRand) random = mutate_new_random ();
    begin ();
    for (gsize i = 0; i < G_N_ELEMENTS (decoders); i++) {
        if (argc < 3 || strcmp (argv[2], decoders[i].name) == 0) {
            run_decoder (&decoders[i], random, rounds);
        }
    }
    return 0;
}

#endif
