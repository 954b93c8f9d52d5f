/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/otf2-program.h"

struct _ProfileOtf2Programs {
    OTF2_RegionRef first;
    GPtrArray *names;
};

ProfileOtf2Programs *
profile_otf2_programs_new (OTF2_RegionRef first)
{
    ProfileOtf2Programs *programs = g_new0 (ProfileOtf2Programs, 1);

    programs->first = first;
    programs->names = g_ptr_array_new_with_free_func (g_free);
    return programs;
}

void
profile_otf2_programs_free (ProfileOtf2Programs *programs)
{
    g_ptr_array_unref (programs->names);
    g_free (programs);
}

static gboolean
is_python (const ProfileTraceProcess *process)
{
    for (guint i = 0; i < process->files->len; i++) {
        const ProfileTraceFile *file = g_ptr_array_index (process->files, i);

        if (profile_trace_file_get_header (file)->writer == PDDT_TRACE_PYTHON) {
            return TRUE;
        }
    }
    return FALSE;
}

static char *
dup_name (const ProfileTraceProcess *process)
{
    g_auto (GStrv) words = NULL;

    if (process->process.program == NULL
        || !g_shell_parse_argv (process->process.program, NULL, &words, NULL)) {
        return g_strdup ("program");
    }
    return g_path_get_basename (words[0]);
}

typedef struct {
    guint64 first_ns, last_ns, runnable_ns;
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
    }
}

static gboolean
has_computed (const ProfileTraceThread *thread)
{
    Life life = { 0 };

    profile_trace_walk (thread, note_life, &life);
    return life.runnable_ns > 0 && life.runnable_ns >= (life.last_ns - life.first_ns) / 2;
}

OTF2_RegionRef
profile_otf2_programs_find (ProfileOtf2Programs *programs, const ProfileTraceProcess *process,
                            const ProfileTraceThread *thread)
{
    char *name;
    guint index;

    if (is_python (process)
        || (thread != NULL && thread->number != 1 && !has_computed (thread))) {
        return OTF2_UNDEFINED_REGION;
    }
    name = dup_name (process);
    if (g_ptr_array_find_with_equal_func (programs->names, name, g_str_equal, &index)) {
        g_free (name);
    } else {
        index = programs->names->len;
        g_ptr_array_add (programs->names, name);
    }
    return programs->first + index;
}

void
profile_otf2_programs_define (ProfileOtf2Programs *programs, ProfileOtf2Out *to)
{
    for (guint i = 0; i < programs->names->len; i++) {
        OTF2_StringRef name = profile_otf2_put_string (to,
                                                       g_ptr_array_index (programs->names, i));
        OTF2_StringRef about = profile_otf2_put_string (to, "the program");

        profile_otf2_note (to,
                           OTF2_GlobalDefWriter_WriteRegion (to->out, programs->first + i, name,
                                                             name, about,
                                                             OTF2_REGION_ROLE_ARTIFICIAL,
                                                             OTF2_PARADIGM_MEASUREMENT_SYSTEM,
                                                             OTF2_REGION_FLAG_NONE,
                                                             OTF2_UNDEFINED_STRING,
                                                             OTF2_UNDEFINED_UINT32,
                                                             OTF2_UNDEFINED_UINT32));
    }
}

static guint64
get_time_ns (const GArray *metrics, guint index)
{
    return (guint64) MAX (g_array_index (metrics, JobMetrics, index).time_us, 0) * 1000;
}

/* Its host's daemon has seen it before it has recorded anything. */
guint64
profile_otf2_program_get_begin (const ProfileTraceProcess *process, const GArray *metrics)
{
    return metrics != NULL && metrics->len > 0
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
