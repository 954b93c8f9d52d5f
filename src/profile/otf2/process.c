/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/otf2/process.h"
#include "profile/otf2/counts.h"

#define KEY(id) GUINT_TO_POINTER ((guint) (id))
#define MAX_DEPTH 10000u
#define NOT_RECORDED 0xfffffffeu /* instead of a region */

ProfileOtf2Process *
profile_otf2_process_new (const ProfileOtf2Definitions *definitions, guint32 rank,
                          const ProfileOtf2Group *group)
{
    ProfileOtf2Process *process = g_new0 (ProfileOtf2Process, 1);

    process->rank = rank;
    process->sampled = G_MAXUINT;
    process->missed = group->missed;
    process->kept = group->kept;
    process->whole = group->whole;
    process->tree = job_context_tree_new ();
    process->known = g_hash_table_new (NULL, NULL);
    process->entered = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
    process->classes = g_array_new (FALSE, TRUE, sizeof (guint8));
    process->counts = g_array_new (FALSE, TRUE, sizeof (ProfileCount));
    if (group->counted != NULL && definitions->part == NULL) {
        process->place_counts = g_array_new (FALSE, FALSE, sizeof (JobContextCounts));
        process->counted = profile_otf2_counts_parse_set (group->counted);
    }
    return process;
}

void
profile_otf2_process_free (gpointer data)
{
    ProfileOtf2Process *process = data;

    job_context_tree_free (process->tree);
    g_hash_table_unref (process->known);
    g_hash_table_unref (process->entered);
    g_array_unref (process->classes);
    g_array_unref (process->counts);
    g_clear_pointer (&process->place_counts, g_array_unref);
    g_free (process);
}

void
profile_otf2_process_note_class (ProfileOtf2Process *process, guint32 number, guint8 class)
{
    if (process->classes->len <= number) {
        g_array_set_size (process->classes, number + 1);
    }
    g_array_index (process->classes, guint8, number) = class;
}

/* What the first context of its region says for all of them. */
static void
fill_from_first (const ProfileOtf2Definitions *definitions, const ProfileOtf2Region *region,
                 const ProfileOtf2Context *context, JobLocation *location, guint32 *flags)
{
    const ProfileOtf2Context *first = region != NULL
                                          ? g_hash_table_lookup (definitions->contexts,
                                                                 KEY (region->first))
                                          : NULL;

    if (first == NULL || !first->has_frame || first == context) {
        return;
    }
    *flags = context->has_frame ? context->flags : first->flags;
    location->module = location->module != NULL ? location->module : (char *) first->module;
    if (first->is_nameless) {
        location->function = NULL;
        location->offset = first->offset;
    }
}

/* Inside an MPI call everything is MPI's. */
static guint32
add_frame (const ProfileOtf2Definitions *definitions, ProfileOtf2Process *process,
           guint32 parent, const ProfileOtf2Region *region, const ProfileOtf2Context *context)
{
    JobLocation location = { .function = (char *) (region != NULL ? region->name : NULL) };
    guint8 class = region != NULL ? region->class : JOB_CLASS_UNKNOWN;
    guint32 number, flags = context != NULL ? context->flags : 0;

    location.file = (char *) (context != NULL && context->file != NULL ? context->file
                              : region != NULL                         ? region->file
                                                                       : NULL);
    location.language = context != NULL && context->has_language ? context->language
                        : region != NULL                         ? region->language
                                                                 : JOB_LANGUAGE_UNKNOWN;
    location.line = region != NULL ? region->line : 0;
    if (context != NULL) {
        location.line = context->line != 0 ? context->line : location.line;
        location.module = (char *) context->module;
        location.offset = context->offset;
        location.function = context->is_nameless ? NULL : location.function;
        fill_from_first (definitions, region, context, &location, &flags);
    }
    number = job_context_tree_add (process->tree, parent, &location, flags);
    if (parent != 0 && profile_otf2_process_get_class (process, parent) == JOB_CLASS_MPI) {
        class = JOB_CLASS_MPI;
    }
    profile_otf2_process_note_class (process, number, class);
    return number;
}

/* NULL: it is not defined, which is noted. */
static const ProfileOtf2Region *
find_region (const ProfileOtf2Definitions *definitions, OTF2_RegionRef id)
{
    const ProfileOtf2Region *region = g_hash_table_lookup (definitions->regions, KEY (id));

    if (region == NULL && id != OTF2_UNDEFINED_REGION) {
        g_hash_table_add (definitions->strays, KEY (id));
    }
    return region;
}

guint32
profile_otf2_process_enter (const ProfileOtf2Definitions *definitions,
                            ProfileOtf2Process *process, guint32 parent, OTF2_RegionRef region)
{
    gint64 key = (gint64) parent << 32 | region;
    gpointer known = g_hash_table_lookup (process->entered, &key);

    if (known == NULL) {
        known = KEY (add_frame (definitions, process, parent, find_region (definitions, region),
                                NULL));
        g_hash_table_insert (process->entered, g_memdup2 (&key, sizeof key), known);
    }
    return GPOINTER_TO_UINT (known);
}

guint32
profile_otf2_process_enter_off (const ProfileOtf2Definitions *definitions,
                                ProfileOtf2Process *process, guint32 parent)
{
    static const ProfileOtf2Region off = { .name = PROFILE_OTF2_UNRECORDED,
                                           .class = JOB_CLASS_UNSAMPLED };
    gint64 key = (gint64) parent << 32 | NOT_RECORDED;
    gpointer known = g_hash_table_lookup (process->entered, &key);

    if (known == NULL) {
        known = KEY (add_frame (definitions, process, parent, &off, NULL));
        g_hash_table_insert (process->entered, g_memdup2 (&key, sizeof key), known);
    }
    return GPOINTER_TO_UINT (known);
}

/* Parents may name each other: what is too deep has no more outer frames. */
guint32
profile_otf2_process_find (const ProfileOtf2Definitions *definitions,
                           ProfileOtf2Process *process, OTF2_CallingContextRef id)
{
    g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (guint32));
    const ProfileOtf2Context *context = NULL;
    guint32 number = 0;

    while (open->len < MAX_DEPTH
           && (context = g_hash_table_lookup (definitions->contexts, KEY (id))) != NULL) {
        gpointer known = g_hash_table_lookup (process->known, KEY (id));

        if (known != NULL) {
            number = GPOINTER_TO_UINT (known);
            break;
        }
        g_array_append_val (open, id);
        id = context->parent;
    }
    if (context == NULL && id != OTF2_UNDEFINED_CALLING_CONTEXT) {
        g_hash_table_add (definitions->strays,
                          GSIZE_TO_POINTER ((gsize) id | (gsize) 1 << 32)); /* no region's */
    }
    for (guint i = open->len; i > 0; i--) {
        id = g_array_index (open, guint32, i - 1);
        context = g_hash_table_lookup (definitions->contexts, KEY (id));
        if (context->is_unread) {
            continue;
        }
        number = add_frame (definitions, process, number,
                            find_region (definitions, context->region), context);
        g_hash_table_insert (process->known, KEY (id), KEY (number));
    }
    return number;
}
