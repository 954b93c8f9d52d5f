/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A parameter is one for all processes if its name and type are the same, a metric if its name and unit are. */
#include "profile/otf2/values.h"
#include "profile/otf2/metrics.h"
#include "base/array.h"
#include <string.h>

/* Texts that events name are numbered before the archive's strings are written; the others are fewer. */
#define FIRST_TEXT (1u << 30)

typedef struct {
    char *name, *unit;
    guint32 type; /* enum pddt_trace_type */
    guint32 set;  /* of pddt's metrics, which it stands for; 0: it is one of its own */
} Named;

struct _ProfileOtf2Values {
    GPtrArray *parameters, *metrics; /* of Named, by number */
    GHashTable *known;               /* kind, type, name and unit in one text, to number + 1 */
    GPtrArray *texts;                /* of char*, by number */
    GHashTable *known_texts;         /* text to number + 1 */
};

BASE_FREE (free_named, Named, named, g_free (named->name); g_free (named->unit))

ProfileOtf2Values *
profile_otf2_values_new (void)
{
    ProfileOtf2Values *values = g_new0 (ProfileOtf2Values, 1);

    values->parameters = g_ptr_array_new_with_free_func (free_named);
    values->metrics = g_ptr_array_new_with_free_func (free_named);
    values->known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    values->texts = g_ptr_array_new_with_free_func (g_free);
    values->known_texts = g_hash_table_new (g_str_hash, g_str_equal);
    return values;
}

BASE_FREE_PUBLIC (profile_otf2_values_free, ProfileOtf2Values, values,
                  g_ptr_array_unref (values->parameters);
                  g_ptr_array_unref (values->metrics); g_hash_table_unref (values->known);
                  g_hash_table_unref (values->known_texts); g_ptr_array_unref (values->texts))

/* The number in the list of what has that name, type and unit. */
static guint32
add_named (ProfileOtf2Values *values, gboolean is_metric, const char *name, const char *unit,
           guint32 type)
{
    GPtrArray *list = is_metric ? values->metrics : values->parameters;
    g_autofree char *key = g_strdup_printf ("%d\n%u\n%s\n%s", is_metric, type, name, unit);
    guint32 number = GPOINTER_TO_UINT (g_hash_table_lookup (values->known, key));

    if (number == 0) {
        Named *named = g_new0 (Named, 1);

        named->name = g_strdup (name);
        named->unit = g_strdup (unit);
        named->type = type;
        g_ptr_array_add (list, named);
        number = list->len;
        g_hash_table_insert (values->known, g_steal_pointer (&key), GUINT_TO_POINTER (number));
    }
    return number - 1;
}

OTF2_MetricRef
profile_otf2_values_add_metric (ProfileOtf2Values *values, const char *name, const char *unit)
{
    return add_named (values, TRUE, name, unit, PDDT_TRACE_NATURAL);
}

/* G_MAXUINT32: the file does not define it. */
static guint32
find (ProfileOtf2Values *values, const ProfileTraceEvent *event, gboolean is_metric,
      guint32 type)
{
    const struct pddt_trace_named *definition = (const struct pddt_trace_named *)
        profile_trace_file_get_definition (event->file,
                                           is_metric ? PDDT_TRACE_METRIC_NAME
                                                     : PDDT_TRACE_PARAMETER_NAME,
                                           event->id);
    const char *name, *unit;

    if (definition == NULL || definition->head.size < sizeof *definition) {
        return G_MAXUINT32;
    }
    name = profile_trace_file_get_string (event->file, definition->name);
    unit = is_metric && definition->other != 0
               ? profile_trace_file_get_string (event->file, definition->other)
               : NULL;
    return add_named (values, is_metric, name != NULL ? name : "", unit != NULL ? unit : "",
                      type);
}

OTF2_StringRef
profile_otf2_values_add_text (ProfileOtf2Values *values, const char *text)
{
    guint number = GPOINTER_TO_UINT (g_hash_table_lookup (values->known_texts, text));

    if (number == 0) {
        char *own = g_strdup (text);

        g_ptr_array_add (values->texts, own);
        number = values->texts->len;
        g_hash_table_insert (values->known_texts, own, GUINT_TO_POINTER (number));
    }
    return FIRST_TEXT + number - 1;
}

OTF2_StringRef
profile_otf2_values_find_place (ProfileOtf2Values *values, const ProfileTraceEvent *event)
{
    const char *module,
        *text = profile_trace_file_get_place (event->file,
                                              event->extra >> PDDT_TRACE_PLACE_SHIFT, &module);

    return text != NULL ? profile_otf2_values_add_text (values, text) : G_MAXUINT32;
}

static OTF2_ErrorCode
put_parameter (ProfileOtf2Values *values, OTF2_EvtWriter *out, guint64 time,
               const ProfileTraceEvent *event, guint32 number,
               const struct pddt_trace_value *value)
{
    const char *text;

    switch (value->type) {
    case PDDT_TRACE_NATURAL:
        return OTF2_EvtWriter_ParameterUnsignedInt (out, NULL, time, number,
                                                    value->value.natural);
    case PDDT_TRACE_STRING_ID:
        text = profile_trace_file_get_string (event->file, (guint32) value->value.string);
        return OTF2_EvtWriter_ParameterString (out, NULL, time, number,
                                               profile_otf2_values_add_text (values,
                                                                             text != NULL
                                                                                 ? text
                                                                                 : ""));
    default: return OTF2_EvtWriter_ParameterInt (out, NULL, time, number, value->value.integer);
    }
}

guint
profile_otf2_values_put (ProfileOtf2Values *values, ProfileOtf2Out *to, OTF2_EvtWriter *out,
                         guint64 time, const ProfileTraceEvent *event)
{
    const OTF2_Type type = OTF2_TYPE_DOUBLE;
    struct pddt_trace_value value;
    OTF2_MetricValue number = { .floating_point = 0 };
    gboolean is_metric = event->kind == PDDT_TRACE_METRIC;
    guint32 ref;

    if ((!is_metric && event->kind != PDDT_TRACE_PARAMETER) || event->n_more < 1) {
        return 0;
    }
    memcpy (&value, event->payload, sizeof value);
    ref = find (values, event, is_metric, is_metric ? PDDT_TRACE_REAL : (guint32) value.type);
    if (ref == G_MAXUINT32) {
        return 0;
    }
    if (is_metric) {
        number.floating_point = value.value.real;
        profile_otf2_note (to, OTF2_EvtWriter_Metric (out, NULL, time, ref, 1, &type, &number));
    } else {
        profile_otf2_note (to, put_parameter (values, out, time, event, ref, &value));
    }
    return 1;
}

guint
profile_otf2_values_put_metrics (ProfileOtf2Values *values, ProfileOtf2Out *to,
                                 OTF2_EvtWriter *out, guint64 time, const JobMetrics *metrics)
{
    guint32 set = job_metrics_get_known (metrics), number = 0;

    if (set == 0) {
        return 0;
    }
    while (number < values->metrics->len
           && ((const Named *) g_ptr_array_index (values->metrics, number))->set != set) {
        number++;
    }
    if (number == values->metrics->len) {
        Named *named = g_new0 (Named, 1);

        named->set = set;
        g_ptr_array_add (values->metrics, named);
    }
    profile_otf2_metrics_put (to, out, NULL, time, number, set, metrics->values);
    return 1;
}

static void
define_metric (ProfileOtf2Out *to, guint32 number, OTF2_MetricMemberRef member,
               const Named *named)
{
    OTF2_StringRef name = profile_otf2_put_string (to, named->name),
                   about = profile_otf2_put_string (to, ""),
                   unit = profile_otf2_put_string (to,
                                                   *named->unit != '\0' ? named->unit : "#");
    gboolean is_users = named->type != PDDT_TRACE_NATURAL;

    profile_otf2_note (to,
                       OTF2_GlobalDefWriter_WriteMetricMember (to->out, member, name, about,
                                                               is_users
                                                                   ? OTF2_METRIC_TYPE_USER
                                                                   : OTF2_METRIC_TYPE_OTHER,
                                                               is_users
                                                                   ? OTF2_METRIC_ABSOLUTE_POINT
                                                                   : OTF2_METRIC_RELATIVE_POINT,
                                                               is_users ? OTF2_TYPE_DOUBLE
                                                                        : OTF2_TYPE_UINT64,
                                                               OTF2_BASE_DECIMAL, 0, unit));
    profile_otf2_note (to, OTF2_GlobalDefWriter_WriteMetricClass (to->out, number, 1, &member,
                                                                  OTF2_METRIC_ASYNCHRONOUS,
                                                                  OTF2_RECORDER_KIND_CPU));
}

static void
define_metrics (const ProfileOtf2Values *values, ProfileOtf2Out *to)
{
    OTF2_MetricMemberRef next;
    guint32 used = 0;

    for (guint i = 0; i < values->metrics->len; i++) {
        used |= ((const Named *) g_ptr_array_index (values->metrics, i))->set;
    }
    profile_otf2_metrics_define_members (to, used, 0);
    next = (OTF2_MetricMemberRef) __builtin_popcount (used);
    for (guint i = 0; i < values->metrics->len; i++) {
        const Named *named = g_ptr_array_index (values->metrics, i);

        if (named->set != 0) {
            profile_otf2_metrics_define_class (to, i, named->set, used);
        } else {
            define_metric (to, i, next++, named);
        }
    }
}

void
profile_otf2_values_define (const ProfileOtf2Values *values, ProfileOtf2Out *to)
{
    for (guint i = 0; i < values->texts->len; i++) {
        profile_otf2_note (to,
                           OTF2_GlobalDefWriter_WriteString (to->out, FIRST_TEXT + i,
                                                             g_ptr_array_index (values->texts,
                                                                                i)));
    }
    for (guint i = 0; i < values->parameters->len; i++) {
        const Named *named = g_ptr_array_index (values->parameters, i);
        OTF2_StringRef name = profile_otf2_put_string (to, named->name);

        profile_otf2_note (
            to, OTF2_GlobalDefWriter_WriteParameter (to->out, i, name,
                                                     named->type == PDDT_TRACE_NATURAL
                                                         ? OTF2_PARAMETER_TYPE_UINT64
                                                     : named->type == PDDT_TRACE_STRING_ID
                                                         ? OTF2_PARAMETER_TYPE_STRING
                                                         : OTF2_PARAMETER_TYPE_INT64));
    }
    define_metrics (values, to);
}
