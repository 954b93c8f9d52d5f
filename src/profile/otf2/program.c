/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/otf2/program.h"
#include "base/array.h"
#include <string.h>

typedef struct {
    char *name, *file; /* file: NULL: of a program */
    guint32 line;
    OTF2_RegionRole role;
} Region;

struct _ProfileOtf2Programs {
    OTF2_RegionRef first;
    GPtrArray *regions; /* of Region */
    GHashTable *known;  /* all of a Region as one text, to number + 1 */
};

BASE_FREE (free_region, Region, region, g_free (region->name); g_free (region->file))

ProfileOtf2Programs *
profile_otf2_programs_new (OTF2_RegionRef first)
{
    ProfileOtf2Programs *programs = g_new0 (ProfileOtf2Programs, 1);

    programs->first = first;
    programs->regions = g_ptr_array_new_with_free_func (free_region);
    programs->known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    return programs;
}

void
profile_otf2_programs_free (ProfileOtf2Programs *programs)
{
    g_ptr_array_unref (programs->regions);
    g_hash_table_unref (programs->known);
    g_free (programs);
}

static OTF2_RegionRef
find (ProfileOtf2Programs *programs, const char *name, const char *file, guint32 line,
      OTF2_RegionRole role)
{
    g_autofree char *key = g_strdup_printf ("%u %u %s\n%s", role, line, name,
                                            file != NULL ? file : "");
    guint number = GPOINTER_TO_UINT (g_hash_table_lookup (programs->known, key));

    if (number == 0) {
        Region *region = g_new0 (Region, 1);

        region->name = g_strdup (name);
        region->file = g_strdup (file);
        region->line = line;
        region->role = role;
        g_ptr_array_add (programs->regions, region);
        number = programs->regions->len;
        g_hash_table_insert (programs->known, g_steal_pointer (&key),
                             GUINT_TO_POINTER (number));
    }
    return programs->first + number - 1;
}

typedef struct {
    guint64 first_ns, last_ns, runnable_ns, age_ns; /* age: 0 not known */
} Life;

static void
note_life (const ProfileTraceEvent *event, gpointer user)
{
    const struct pddt_trace_value *value = event->payload;
    Life *life = user;

    life->first_ns = life->first_ns == 0 ? event->time_ns : life->first_ns;
    life->last_ns = event->time_ns;
    if (event->kind == PDDT_TRACE_THREAD_END && event->n_more > 0) {
        life->runnable_ns = value->value.natural;
        life->age_ns = event->n_more > 1 ? value[1].value.natural : 0;
    }
}

static gboolean
has_computed (const ProfileTraceThread *thread)
{
    Life life = { 0 };

    profile_trace_walk (thread, note_life, &life);
    /* what it has recorded may be a part of its life */
    return life.runnable_ns > 0
           && life.runnable_ns >= MAX (life.age_ns, life.last_ns - life.first_ns) / 2;
}

OTF2_RegionRef
profile_otf2_programs_find (ProfileOtf2Programs *programs, const ProfileTraceImage *image,
                            const ProfileTraceThread *thread)
{
    return image->is_python || (thread != NULL && thread->number != 1 && !has_computed (thread))
               ? OTF2_UNDEFINED_REGION
               : find (programs, image->name, NULL, 0, OTF2_REGION_ROLE_ARTIFICIAL);
}

OTF2_RegionRef
profile_otf2_programs_find_start (ProfileOtf2Programs *programs)
{
    return find (programs, PROFILE_OTF2_START, NULL, 0, OTF2_REGION_ROLE_ARTIFICIAL);
}

OTF2_RegionRef
profile_otf2_programs_find_unrecorded (ProfileOtf2Programs *programs)
{
    return find (programs, PROFILE_OTF2_UNRECORDED, NULL, 0, OTF2_REGION_ROLE_ARTIFICIAL);
}

OTF2_RegionRef
profile_otf2_programs_find_construct (ProfileOtf2Programs *programs, const char *name,
                                      OTF2_RegionRole role, const char *place)
{
    const char *end = place != NULL ? strstr (place, " (") : NULL;
    g_autofree char *where = end != NULL ? g_strndup (place, (gsize) (end - place))
                                         : g_strdup (place != NULL ? place : "");
    g_autofree char *base = NULL, *full_name = NULL;
    char *colon = strrchr (where, ':');
    guint64 line;

    if (colon == NULL || colon == where
        || !g_ascii_string_to_unsigned (colon + 1, 10, 1, G_MAXUINT32, &line, NULL)) {
        return OTF2_UNDEFINED_REGION;
    }
    *colon = '\0';
    base = g_path_get_basename (where);
    full_name = g_strdup_printf ("%s @%s:%s", name, base, colon + 1);
    return find (programs, full_name, where, (guint32) line, role);
}

static const char *
describe (const Region *region)
{
    return region->file != NULL ? ""
           : strcmp (region->name, PROFILE_OTF2_START) == 0
               ? "the loader, before any code of the program runs"
           : strcmp (region->name, PROFILE_OTF2_UNRECORDED) == 0
               ? "the program did not run, or nobody has seen what it did"
               : "the program";
}

static void
define (ProfileOtf2Programs *programs, ProfileOtf2Out *to, guint index)
{
    const Region *region = g_ptr_array_index (programs->regions, index);
    gboolean is_program = region->file == NULL;
    OTF2_StringRef name = profile_otf2_put_string (to, region->name);
    OTF2_StringRef about = profile_otf2_put_string (to, describe (region));
    OTF2_StringRef file = is_program ? OTF2_UNDEFINED_STRING
                                     : profile_otf2_put_string (to, region->file);

    profile_otf2_note (to,
                       OTF2_GlobalDefWriter_WriteRegion (to->out, programs->first + index, name,
                                                         name, about, region->role,
                                                         is_program
                                                             ? OTF2_PARADIGM_MEASUREMENT_SYSTEM
                                                             : OTF2_PARADIGM_OPENMP,
                                                         OTF2_REGION_FLAG_NONE, file,
                                                         is_program ? OTF2_UNDEFINED_UINT32
                                                                    : region->line,
                                                         OTF2_UNDEFINED_UINT32));
}

void
profile_otf2_programs_define (ProfileOtf2Programs *programs, ProfileOtf2Out *to)
{
    for (guint i = 0; i < programs->regions->len; i++) {
        define (programs, to, i);
    }
}

static guint64
get_time_ns (const GArray *metrics, guint index)
{
    return (guint64) MAX (g_array_index (metrics, JobMetrics, index).time_us, 0) * 1000;
}

/* Its host's daemon has seen it before it has recorded anything, maybe as what then became the program. */
guint64
profile_otf2_program_get_begin (const ProfileTraceProcess *process, const GArray *metrics)
{
    const ProfileTraceImage *first = &g_array_index (process->images, ProfileTraceImage, 0);

    return first->loaded_ns != 0 ? first->begin_ns
           : metrics != NULL && metrics->len > 0
               ? MIN (process->begin_ns, get_time_ns (metrics, 0))
               : process->begin_ns;
}

guint64
profile_otf2_program_get_end (const ProfileTraceProcess *process, const GArray *metrics)
{
    return metrics != NULL && metrics->len > 0
               ? MAX (process->end_ns, get_time_ns (metrics, metrics->len - 1))
               : process->end_ns;
}
