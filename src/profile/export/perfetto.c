/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For Perfetto's window and its trace_processor: the TrackEvent packets of its own format (protobuf), by the descriptions in
 * its protos/perfetto/trace. A rank is a track that has its threads and counters as tracks below it, in the order of
 * ranks; a message is an instant at each end and a flow between them. Names are interned: each stands once in the
 * file. */
#include "profile/export/private.h"
#include "profile/messages.h"
#include <string.h>

/* protobuf's kinds of fields on the wire */
typedef enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BLOCK = 2 } Wire;

enum { TRACE_PACKET = 1 };
enum {
    PACKET_TIMESTAMP = 8, /* ns */
    PACKET_SEQUENCE = 10, /* who writes: interned names belong to it */
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_TRACK = 60
};
enum { FLAG_NAMES_BEGIN = 1, FLAG_NEEDS_NAMES = 2 };
enum { INTERNED_EVENT_NAME = 2, INTERNED_PLACE = 4 };
enum { NAME_ID = 1, NAME_TEXT = 2 };
enum { PLACE_ID = 1, PLACE_FILE = 2, PLACE_FUNCTION = 3, PLACE_LINE = 4 };
enum {
    TRACK_ID = 1,
    TRACK_NAME = 2,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    TRACK_ORDER_BELOW = 11,
    TRACK_RANK = 12,
    TRACK_DESCRIPTION = 14
};
enum { COUNTER_UNIT = 3, COUNTER_UNIT_NAME = 6 };
enum { UNIT_BYTES = 3 };
enum { ORDER_EXPLICIT = 3 };
enum {
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_ID = 10,
    EVENT_TRACK = 11,
    EVENT_CATEGORY = 22,
    EVENT_NAME = 23,
    EVENT_PLACE_ID = 34,
    EVENT_VALUE = 44, /* a double */
    EVENT_FLOW = 47,
    EVENT_FLOW_END = 48
};
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { ANNOTATION_NUMBER = 3, ANNOTATION_NAME = 10 };

/* Of tracks: a thread's is its rank's and its own number; the counters' come after all of those. */
#define FIRST_COUNTER (G_GUINT64_CONSTANT (1) << 62)
#define RANK_TRACK(rank) (((guint64) (rank) + 1) << 24)
#define MAX_THREAD ((1u << 24) - 1)

typedef struct {
    ProfileExportTimeline timeline;
    GString *trace;
    GString *packet, *block, *inner; /* while they are written */
    guint8 *is_named;                /* of each function: its names are in the file */
    GHashTable *counters;            /* name to track, of the rank that is written */
    guint64 n_counters;              /* of all ranks */
} Perfetto;

static void
put_varint (GString *to, guint64 value)
{
    for (; value >= 0x80; value >>= 7) {
        g_string_append_c (to, (char) (value | 0x80));
    }
    g_string_append_c (to, (char) value);
}

static void
put_number (GString *to, guint field, guint64 value)
{
    put_varint (to, field << 3 | WIRE_VARINT);
    put_varint (to, value);
}

static void
put_fixed (GString *to, guint field, guint64 value)
{
    guint64 bytes = GUINT64_TO_LE (value);

    put_varint (to, field << 3 | WIRE_FIXED64);
    g_string_append_len (to, (const char *) &bytes, sizeof bytes);
}

static void
put_double (GString *to, guint field, double value)
{
    guint64 bits;

    memcpy (&bits, &value, sizeof bits);
    put_fixed (to, field, bits);
}

static void
put_bytes (GString *to, guint field, const char *data, gsize size)
{
    put_varint (to, field << 3 | WIRE_BLOCK);
    put_varint (to, size);
    g_string_append_len (to, data, (gssize) size);
}

static void
put_text (GString *to, guint field, const char *text)
{
    put_bytes (to, field, text, strlen (text));
}

/* Empties what was put. */
static void
put_string (GString *to, guint field, GString *data)
{
    put_bytes (to, field, data->str, data->len);
    g_string_truncate (data, 0);
}

static void
end_packet (Perfetto *to, guint flags)
{
    put_number (to->packet, PACKET_SEQUENCE, 1);
    put_number (to->packet, PACKET_FLAGS, flags);
    put_string (to->trace, TRACE_PACKET, to->packet);
}

static guint64
get_thread_track (guint32 rank, guint32 thread)
{
    return RANK_TRACK (rank) | MIN (thread, MAX_THREAD);
}

/* The block has the rest of the description; it is emptied. */
static void
put_track (Perfetto *to, guint64 track, guint64 parent, const char *name, guint32 rank)
{
    put_number (to->block, TRACK_ID, track);
    put_text (to->block, TRACK_NAME, name);
    if (parent != 0) {
        put_number (to->block, TRACK_PARENT, parent);
    }
    put_number (to->block, TRACK_ORDER_BELOW, ORDER_EXPLICIT);
    put_number (to->block, TRACK_RANK, MIN (rank, G_MAXINT32)); /* int32 */
    put_string (to->packet, PACKET_TRACK, to->block);
    end_packet (to, FLAG_NEEDS_NAMES);
}

static void
name_rank (gpointer data, const char *name, const char *note)
{
    Perfetto *to = data;

    g_hash_table_remove_all (to->counters);
    if (note != NULL) {
        put_text (to->block, TRACK_DESCRIPTION, note);
    }
    put_track (to, RANK_TRACK (to->timeline.rank), 0, name, to->timeline.rank);
}

static void
name_thread (gpointer data, const char *name)
{
    Perfetto *to = data;
    guint32 rank = to->timeline.rank, thread = to->timeline.thread;

    put_track (to, get_thread_track (rank, thread), RANK_TRACK (rank), name, thread);
}

static void
begin_event (Perfetto *to, guint type, guint64 track, gint64 time_us)
{
    put_number (to->packet, PACKET_TIMESTAMP, (guint64) time_us * 1000);
    put_number (to->block, EVENT_TYPE, type);
    put_number (to->block, EVENT_TRACK, track);
}

static void
end_event (Perfetto *to)
{
    put_string (to->packet, PACKET_TRACK_EVENT, to->block);
    end_packet (to, FLAG_NEEDS_NAMES);
}

/* The packet that needs the names first has them. */
static void
put_names (Perfetto *to, guint32 number)
{
    const ProfileExportFunction *function = profile_export_table_get (to->timeline.table,
                                                                      number);
    g_autoptr (GString) names = g_string_new (NULL);

    put_number (to->inner, NAME_ID, number + 1);
    put_text (to->inner, NAME_TEXT, function->name);
    put_string (names, INTERNED_EVENT_NAME, to->inner);
    if (*function->file != '\0') {
        put_number (to->inner, PLACE_ID, number + 1);
        put_text (to->inner, PLACE_FILE, function->file);
        put_text (to->inner, PLACE_FUNCTION, function->name);
        if (function->line > 0) {
            put_number (to->inner, PLACE_LINE, function->line);
        }
        put_string (names, INTERNED_PLACE, to->inner);
    }
    put_string (to->packet, PACKET_INTERNED, names);
    to->is_named[number] = TRUE;
}

static void
begin_function (gpointer data, gint64 time_us, guint32 number)
{
    Perfetto *to = data;

    if (!to->is_named[number]) {
        put_names (to, number);
    }
    begin_event (to, TYPE_BEGIN, get_thread_track (to->timeline.rank, to->timeline.thread),
                 time_us);
    put_number (to->block, EVENT_NAME_ID, number + 1);
    if (*profile_export_table_get (to->timeline.table, number)->file != '\0') {
        put_number (to->block, EVENT_PLACE_ID, number + 1);
    }
    end_event (to);
}

static void
end_function (gpointer data, gint64 time_us)
{
    Perfetto *to = data;

    begin_event (to, TYPE_END, get_thread_track (to->timeline.rank, to->timeline.thread),
                 time_us);
    end_event (to);
}

static guint64
find_counter (Perfetto *to, const char *name, const char *unit)
{
    guint64 *track = g_hash_table_lookup (to->counters, name);

    if (track != NULL) {
        return *track;
    }
    track = g_new (guint64, 1);
    *track = FIRST_COUNTER + to->n_counters++;
    g_hash_table_insert (to->counters, g_strdup (name), track);
    if (strcmp (unit, "bytes") == 0) {
        put_number (to->inner, COUNTER_UNIT, UNIT_BYTES);
    } else if (*unit != '\0') {
        put_text (to->inner, COUNTER_UNIT_NAME, unit);
    }
    put_string (to->block, TRACK_COUNTER, to->inner);
    put_track (to, *track, RANK_TRACK (to->timeline.rank), name, G_MAXINT32);
    return *track;
}

static void
put_value (gpointer data, gint64 time_us, const char *name, const char *unit, double value)
{
    Perfetto *to = data;
    guint64 track = find_counter (to, name, unit);

    begin_event (to, TYPE_COUNTER, track, time_us);
    put_double (to->block, EVENT_VALUE, value);
    end_event (to);
}

static void
put_annotation (Perfetto *to, const char *name, guint64 value)
{
    put_text (to->inner, ANNOTATION_NAME, name);
    put_number (to->inner, ANNOTATION_NUMBER, value);
    put_string (to->block, EVENT_ANNOTATION, to->inner);
}

static void
put_end_of_flow (Perfetto *to, guint32 rank, gint64 time_us, const char *name, guint field,
                 guint32 number)
{
    begin_event (to, TYPE_INSTANT, get_thread_track (rank, 1), time_us);
    put_text (to->block, EVENT_CATEGORY, "message");
    put_text (to->block, EVENT_NAME, name);
    put_fixed (to->block, field, (guint64) number + 1);
}

static void
put_message (gpointer data, guint32 number, const ProfileMessage *message, gint64 sent_us,
             gint64 received_us)
{
    Perfetto *to = data;
    g_autofree char *there = g_strdup_printf ("message to rank %u", message->to);
    g_autofree char *here = g_strdup_printf ("message from rank %u", message->from);

    put_end_of_flow (to, message->from, sent_us, there, EVENT_FLOW, number);
    put_annotation (to, "tag", message->tag);
    put_annotation (to, "bytes", message->bytes);
    end_event (to);
    put_end_of_flow (to, message->to, received_us, here, EVENT_FLOW_END, number);
    end_event (to);
}

static const ProfileExportWriter writer = { name_rank,    name_thread, begin_function,
                                            end_function, put_value,   put_message };

/* Track 0 is the one above all: who reads it has the ranks in their order. */
static void
put_beginning (Perfetto *to, const ProfileExportTable *table)
{
    g_autofree char *note = profile_export_timeline_dup_note (table);

    if (note != NULL) {
        put_text (to->block, TRACK_DESCRIPTION, note);
    }
    put_number (to->block, TRACK_ID, 0);
    put_number (to->block, TRACK_ORDER_BELOW, ORDER_EXPLICIT);
    put_string (to->packet, PACKET_TRACK, to->block);
    end_packet (to, FLAG_NAMES_BEGIN);
}

gboolean
profile_export_perfetto (const ProfileExportTable *table, const char *path, GError **error)
{
    g_autoptr (GString) trace = g_string_new (NULL), packet = g_string_new (NULL);
    g_autoptr (GString) block = g_string_new (NULL), inner = g_string_new (NULL);
    g_autofree guint8 *is_named = g_new0 (guint8, table->functions->len);
    g_autoptr (GHashTable) counters = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                             g_free);
    Perfetto to = { { 0 }, trace, packet, block, inner, is_named, counters, 0 };

    put_beginning (&to, table);
    profile_export_timeline_write (&to.timeline, table, &writer);
    return profile_text_save (path, trace->str, trace->len, error);
}
