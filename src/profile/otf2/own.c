/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/otf2/own.h"
#include "profile/values.h"
#include "base/array.h"
#include <string.h>

#define KEY(id) GUINT_TO_POINTER ((guint) (id))
#define MOST_VALUES 10000u /* metrics and parameters of all ranks */
#define OWN_PREFIX "pddt::"

typedef struct {
    const char *name, *unit;
} Member;

struct _ProfileOtf2Own {
    const ProfileOtf2Definitions *definitions;
    GHashTable *members;    /* id to Member */
    GHashTable *metrics;    /* id to GArray of OTF2_MetricMemberRef */
    GHashTable *parameters; /* id to text */
    GHashTable *sums;       /* "RANK NAME\nUNIT" to Sum */
    GHashTable *values;     /* "RANK NAME\nVALUE" to ProfileParameter */
};

typedef struct {
    ProfileOwnMetric metric;
    guint step; /* each so many one is kept */
} Sum;

typedef struct {
    ProfileOtf2Own *own;
    guint32 rank;
} Stream;

/* ---- definitions ---- */

static const char *
get_text (const ProfileOtf2Own *own, OTF2_StringRef id)
{
    const char *text = g_hash_table_lookup (own->definitions->strings, KEY (id));

    return text != NULL ? text : "";
}

static OTF2_CallbackCode
on_member (void *user, OTF2_MetricMemberRef self, OTF2_StringRef name, OTF2_StringRef about,
           OTF2_MetricType type, OTF2_MetricMode mode, OTF2_Type value, OTF2_Base base,
           int64_t exponent, OTF2_StringRef unit)
{
    ProfileOtf2Own *own = user;
    Member member = { get_text (own, name), get_text (own, unit) };

    if (type == OTF2_METRIC_TYPE_USER && *member.name != '\0'
        && !g_str_has_prefix (member.name, OWN_PREFIX)) {
        member.unit = strcmp (member.unit, "#") != 0 ? member.unit : "";
        g_hash_table_insert (own->members, KEY (self), g_memdup2 (&member, sizeof member));
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_class (void *user, OTF2_MetricRef self, uint8_t n, const OTF2_MetricMemberRef *members,
          OTF2_MetricOccurrence occurrence, OTF2_RecorderKind kind)
{
    ProfileOtf2Own *own = user;
    GArray *list = g_array_new (FALSE, FALSE, sizeof *members);

    g_array_append_vals (list, members, n);
    g_hash_table_insert (own->metrics, KEY (self), list);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_parameter (void *user, OTF2_ParameterRef self, OTF2_StringRef name, OTF2_ParameterType type)
{
    ProfileOtf2Own *own = user;

    g_hash_table_insert (own->parameters, KEY (self), (gpointer) get_text (own, name));
    return OTF2_CALLBACK_SUCCESS;
}

BASE_FREE (free_sum, Sum, sum, g_free (sum->metric.name); g_free (sum->metric.unit);
           g_array_unref (sum->metric.points))

BASE_FREE (free_parameter, ProfileParameter, parameter, g_free (parameter->name);
           g_free (parameter->value))

static void
free_own (ProfileOtf2Own *own)
{
    g_hash_table_unref (own->members);
    g_hash_table_unref (own->metrics);
    g_hash_table_unref (own->parameters);
    g_hash_table_unref (own->sums);
    g_hash_table_unref (own->values);
    g_free (own);
}

ProfileOtf2Own *
profile_otf2_own_new (const char *anchor, const ProfileOtf2Definitions *definitions)
{
    OTF2_Reader *reader = profile_otf2_open_reader (anchor, NULL);
    OTF2_GlobalDefReaderCallbacks *callbacks;
    ProfileOtf2Own *own;

    if (reader == NULL) {
        return NULL;
    }
    own = g_new0 (ProfileOtf2Own, 1);
    own->definitions = definitions;
    own->members = g_hash_table_new_full (NULL, NULL, NULL, g_free);
    own->metrics = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
    own->parameters = g_hash_table_new (NULL, NULL);
    own->sums = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_sum);
    own->values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_parameter);
    callbacks = OTF2_GlobalDefReaderCallbacks_New ();
    OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback (callbacks, on_member);
    OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback (callbacks, on_class);
    OTF2_GlobalDefReaderCallbacks_SetParameterCallback (callbacks, on_parameter);
    profile_otf2_read_global (reader, callbacks, own, NULL);
    OTF2_Reader_Close (reader);
    if (g_hash_table_size (own->members) + g_hash_table_size (own->parameters) == 0) {
        g_clear_pointer (&own, free_own);
    }
    return own;
}

/* ---- events ---- */

static gboolean
has_room (const ProfileOtf2Own *own)
{
    return g_hash_table_size (own->sums) + g_hash_table_size (own->values) < MOST_VALUES;
}

static void
keep_point (Sum *sum, gint64 time_us, double value)
{
    GArray *points = sum->metric.points;
    ProfilePoint point = { time_us, value };

    if (points->len == PROFILE_MAX_POINTS) {
        for (guint i = 0; i < points->len / 2; i++) {
            g_array_index (points, ProfilePoint, i) = g_array_index (points, ProfilePoint,
                                                                     2 * i);
        }
        g_array_set_size (points, points->len / 2);
        sum->step *= 2;
    }
    if (sum->metric.n % sum->step == 0) {
        g_array_append_val (points, point);
    }
}

static void
add_metric (Stream *stream, const Member *member, guint64 time, double value)
{
    g_autofree char *key = g_strdup_printf ("%u %s\n%s", stream->rank, member->name,
                                            member->unit);
    Sum *sum = g_hash_table_lookup (stream->own->sums, key);
    ProfileOwnMetric *metric;

    if (sum == NULL) {
        if (!has_room (stream->own)) {
            return;
        }
        sum = g_new0 (Sum, 1);
        sum->step = 1;
        sum->metric.rank = stream->rank;
        sum->metric.name = g_strdup (member->name);
        sum->metric.unit = g_strdup (member->unit);
        sum->metric.points = g_array_new (FALSE, FALSE, sizeof (ProfilePoint));
        sum->metric.least = sum->metric.most = value;
        g_hash_table_insert (stream->own->sums, g_steal_pointer (&key), sum);
    }
    metric = &sum->metric;
    keep_point (sum, profile_otf2_get_us (stream->own->definitions, time), value);
    metric->n++;
    metric->least = MIN (metric->least, value);
    metric->most = MAX (metric->most, value);
    metric->sum += value;
    metric->last = value;
}

static Stream *
get_stream (void *streams)
{
    return ((const ProfileOtf2Streams *) streams)->own;
}

static OTF2_CallbackCode
on_metric (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
           OTF2_AttributeList *list, OTF2_MetricRef id, uint8_t n, const OTF2_Type *types,
           const OTF2_MetricValue *values)
{
    Stream *stream = get_stream (user);
    const GArray *members = g_hash_table_lookup (stream->own->metrics, KEY (id));

    for (guint i = 0; members != NULL && i < MIN (n, members->len); i++) {
        const Member *member
            = g_hash_table_lookup (stream->own->members,
                                   KEY (g_array_index (members, OTF2_MetricMemberRef, i)));

        if (member != NULL) {
            add_metric (stream, member, time,
                        types[i] == OTF2_TYPE_DOUBLE  ? values[i].floating_point
                        : types[i] == OTF2_TYPE_INT64 ? (double) values[i].signed_int
                                                      : (double) values[i].unsigned_int);
        }
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
add_parameter (Stream *stream, OTF2_ParameterRef id, guint64 time, const char *value)
{
    const char *name = g_hash_table_lookup (stream->own->parameters, KEY (id));
    g_autofree char *key = name != NULL
                               ? g_strdup_printf ("%u %s\n%s", stream->rank, name, value)
                               : NULL;
    ProfileParameter *known = key != NULL ? g_hash_table_lookup (stream->own->values, key)
                                          : NULL;

    if (known == NULL && key != NULL && has_room (stream->own)) {
        known = g_new0 (ProfileParameter, 1);
        known->rank = stream->rank;
        known->name = g_strdup (name);
        known->value = g_strdup (value);
        known->first_us = profile_otf2_get_us (stream->own->definitions, time);
        g_hash_table_insert (stream->own->values, g_steal_pointer (&key), known);
    }
    if (known != NULL) {
        known->n++;
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_integer (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
            OTF2_AttributeList *list, OTF2_ParameterRef id, int64_t value)
{
    g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) value);

    return add_parameter (get_stream (user), id, time, text);
}

static OTF2_CallbackCode
on_natural (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
            OTF2_AttributeList *list, OTF2_ParameterRef id, uint64_t value)
{
    g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, (guint64) value);

    return add_parameter (get_stream (user), id, time, text);
}

static OTF2_CallbackCode
on_string (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
           OTF2_AttributeList *list, OTF2_ParameterRef id, OTF2_StringRef value)
{
    Stream *stream = get_stream (user);

    return add_parameter (stream, id, time, get_text (stream->own, value));
}

void
profile_otf2_own_set_callbacks (OTF2_EvtReaderCallbacks *callbacks)
{
    OTF2_EvtReaderCallbacks_SetMetricCallback (callbacks, on_metric);
    OTF2_EvtReaderCallbacks_SetParameterIntCallback (callbacks, on_integer);
    OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback (callbacks, on_natural);
    OTF2_EvtReaderCallbacks_SetParameterStringCallback (callbacks, on_string);
}

gpointer
profile_otf2_own_begin (ProfileOtf2Own *own, guint location)
{
    Stream *stream;

    if (own == NULL) {
        return NULL;
    }
    stream = g_new0 (Stream, 1);
    stream->own = own;
    stream->rank = profile_otf2_find_rank (own->definitions, location);
    return stream;
}

void
profile_otf2_own_end (gpointer stream)
{
    g_free (stream);
}

/* ---- the result ---- */

static gint
compare_keys (gconstpointer a, gconstpointer b)
{
    return strcmp (a, b);
}

void
profile_otf2_own_put (ProfileOtf2Own *own, ProfileSpool *to)
{
    g_autoptr (GList) sums = NULL, values = NULL;

    if (own == NULL) {
        return;
    }
    sums = g_list_sort (g_hash_table_get_keys (own->sums), compare_keys);
    values = g_list_sort (g_hash_table_get_keys (own->values), compare_keys);
    for (const GList *at = sums; at != NULL; at = at->next) {
        profile_spool_put_own_metric (to,
                                      &((const Sum *) g_hash_table_lookup (own->sums, at->data))
                                           ->metric);
    }
    for (const GList *at = values; at != NULL; at = at->next) {
        profile_spool_put_parameter (to, g_hash_table_lookup (own->values, at->data));
    }
    free_own (own);
}
