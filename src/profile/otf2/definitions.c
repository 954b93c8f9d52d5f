/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The definitions of an archive, whoever has written it: nothing that they name needs to be there. */
#include "profile/otf2/counts.h"
#include "profile/otf2/private.h"
#include "base/array.h"
#include "base/array.h"
#include "base/array.h"
#include <string.h>

#define KEY(id) GUINT_TO_POINTER ((guint) (id))

typedef ProfileOtf2Definitions Definitions;

/* What is not there yet may come later. */
static const char *
find_string (Definitions *to, OTF2_StringRef id)
{
    const char *text = g_hash_table_lookup (to->strings, KEY (id));

    if (text == NULL && id != OTF2_UNDEFINED_STRING) {
        g_hash_table_add (to->awaited, KEY (id));
    }
    return text;
}

static OTF2_CallbackCode
on_clock (void *user, uint64_t resolution, uint64_t offset, uint64_t length, uint64_t real)
{
    Definitions *to = user;

    to->resolution = resolution;
    to->offset = offset;
    to->length = length;
    to->real = real;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_string (void *user, OTF2_StringRef self, const char *text)
{
    Definitions *to = user;

    /* others may point to the first of that id */
    if (!g_hash_table_contains (to->strings, KEY (self))) {
        g_hash_table_insert (to->strings, KEY (self), g_strdup (text != NULL ? text : ""));
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_node (void *user, OTF2_SystemTreeNodeRef self, OTF2_StringRef name, OTF2_StringRef kind,
         OTF2_SystemTreeNodeRef parent)
{
    Definitions *to = user;
    ProfileOtf2Node *node = g_new0 (ProfileOtf2Node, 1);

    node->name = find_string (to, name);
    node->is_host = g_strcmp0 (find_string (to, kind), "node") == 0;
    node->parent = parent;
    g_hash_table_insert (to->nodes, KEY (self), node);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_group (void *user, OTF2_LocationGroupRef self, OTF2_StringRef name,
          OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node,
          OTF2_LocationGroupRef creator)
{
    Definitions *to = user;
    ProfileOtf2Group *group;

    if (g_hash_table_contains (to->groups, KEY (self))) {
        return OTF2_CALLBACK_SUCCESS;
    }
    group = g_new0 (ProfileOtf2Group, 1);
    group->self = self;
    group->creator = creator;
    group->is_process = type == OTF2_LOCATION_GROUP_TYPE_PROCESS;
    group->is_accelerator = type == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR;
    group->name = find_string (to, name);
    group->node = node;
    group->rank = G_MAXUINT32;
    g_hash_table_insert (to->groups, KEY (self), group);
    g_ptr_array_add (to->group_list, group);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_group_property (void *user, OTF2_LocationGroupRef self, OTF2_StringRef name, OTF2_Type type,
                   OTF2_AttributeValue value)
{
    Definitions *to = user;
    ProfileOtf2Group *group = g_hash_table_lookup (to->groups, KEY (self));
    const char *key = find_string (to, name);

    if (group == NULL || key == NULL) {
        return OTF2_CALLBACK_SUCCESS;
    }
    if (type == OTF2_TYPE_STRING && strcmp (key, PROFILE_OTF2_PROGRAM) == 0) {
        group->program = find_string (to, value.stringRef);
    } else if (type == OTF2_TYPE_STRING && strcmp (key, PROFILE_OTF2_ENDING) == 0) {
        group->ending = find_string (to, value.stringRef);
    } else if (type == OTF2_TYPE_STRING && strcmp (key, PROFILE_OTF2_COUNTED) == 0) {
        group->counted = find_string (to, value.stringRef);
    } else if (type == OTF2_TYPE_UINT64 && strcmp (key, PROFILE_OTF2_RANK) == 0) {
        group->rank = (guint32) MIN (value.uint64, G_MAXUINT32);
    } else if (type == OTF2_TYPE_UINT64 && strcmp (key, PROFILE_OTF2_PARENT) == 0) {
        group->parent = (guint32) value.uint64;
    } else if (type == OTF2_TYPE_UINT64 && strcmp (key, PROFILE_OTF2_PID) == 0) {
        group->pid = (guint32) value.uint64;
    } else if (type == OTF2_TYPE_UINT64 && strcmp (key, PROFILE_OTF2_MISSED) == 0) {
        group->missed = value.uint64;
    } else if (type == OTF2_TYPE_UINT64 && strcmp (key, PROFILE_OTF2_KEPT) == 0) {
        group->kept = value.uint64;
    } else if (type == OTF2_TYPE_UINT64 && strcmp (key, PROFILE_OTF2_WHOLE) == 0) {
        group->whole = value.uint64;
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_location (void *user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
             uint64_t n_events, OTF2_LocationGroupRef group)
{
    Definitions *to = user;
    ProfileOtf2Location location = { .self = self, .group = group, .n_events = n_events };

    if (type != OTF2_LOCATION_TYPE_METRIC) {
        g_array_append_val (to->locations, location);
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_location_property (void *user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_Type type,
                      OTF2_AttributeValue value)
{
    Definitions *to = user;
    const char *key = find_string (to, name);
    guint i = to->locations->len;
    ProfileOtf2Location *location;

    while (i > 0 && g_array_index (to->locations, ProfileOtf2Location, i - 1).self != self) {
        i--; /* it follows its location */
    }
    if (type != OTF2_TYPE_UINT64 || key == NULL || i == 0) {
        return OTF2_CALLBACK_SUCCESS;
    }
    location = &g_array_index (to->locations, ProfileOtf2Location, i - 1);
    if (strcmp (key, PROFILE_OTF2_THREAD) == 0) {
        location->thread = (guint32) MIN (value.uint64, G_MAXUINT32);
    } else if (strcmp (key, PROFILE_OTF2_TID) == 0) {
        location->tid = value.uint64 <= G_MAXINT32 ? (gint32) value.uint64 : 0;
    } else if (strcmp (key, PROFILE_OTF2_MISSED) == 0) {
        location->missed = value.uint64;
    }
    return OTF2_CALLBACK_SUCCESS;
}

static JobClass
find_class (OTF2_RegionRole role, OTF2_Paradigm paradigm, JobLanguage language)
{
    gboolean is_wait = role == OTF2_REGION_ROLE_BARRIER
                       || role == OTF2_REGION_ROLE_IMPLICIT_BARRIER
                       || role == OTF2_REGION_ROLE_TASK_WAIT;

    if (paradigm == OTF2_PARADIGM_MPI) {
        return JOB_CLASS_MPI;
    }
    if (role == OTF2_REGION_ROLE_FILE_IO || role == OTF2_REGION_ROLE_FILE_IO_METADATA) {
        return JOB_CLASS_IO;
    }
    if (paradigm == OTF2_PARADIGM_CUDA || paradigm == OTF2_PARADIGM_HIP
        || paradigm == OTF2_PARADIGM_OPENCL || paradigm == OTF2_PARADIGM_OPENACC) {
        return JOB_CLASS_ACCELERATOR;
    }
    if (is_wait && paradigm == OTF2_PARADIGM_OPENMP) {
        return JOB_CLASS_OPENMP;
    }
    if (role == OTF2_REGION_ROLE_THREAD_WAIT && paradigm == OTF2_PARADIGM_USER) {
        return JOB_CLASS_WAIT; /* our archives have sleep so */
    }
    if (is_wait || role == OTF2_REGION_ROLE_THREAD_WAIT) {
        return JOB_CLASS_LOCK;
    }
    return language == JOB_LANGUAGE_PYTHON ? JOB_CLASS_PYTHON : JOB_CLASS_NATIVE;
}

static JobLanguage
guess_language (const char *about, const char *file)
{
    JobLanguage language = job_language_find (about);

    if (language != JOB_LANGUAGE_UNKNOWN) {
        return language;
    }

    return file != NULL && g_str_has_suffix (file, ".py") ? JOB_LANGUAGE_PYTHON
                                                          : JOB_LANGUAGE_UNKNOWN;
}

static OTF2_CallbackCode
on_region (void *user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical_name,
           OTF2_StringRef description, OTF2_RegionRole role, OTF2_Paradigm paradigm,
           OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin_line, uint32_t end_line)
{
    Definitions *to = user;
    ProfileOtf2Region *region = g_new0 (ProfileOtf2Region, 1);

    region->name = find_string (to, name);
    region->file = find_string (to, file);
    if (region->file != NULL && *region->file == '\0') {
        region->file = NULL;
    }
    region->line = begin_line != OTF2_UNDEFINED_UINT32 ? begin_line : 0;
    region->is_mpi = paradigm == OTF2_PARADIGM_MPI
                     || (region->name != NULL
                         && (g_str_has_prefix (region->name, "MPI_")
                             || g_str_has_prefix (region->name, "PMPI_")));
    region->is_function = paradigm == OTF2_PARADIGM_COMPILER;
    region->language = guess_language (find_string (to, description), region->file);
    region->class = region->is_mpi ? JOB_CLASS_MPI
                    : role == OTF2_REGION_ROLE_ARTIFICIAL
                            && g_strcmp0 (region->name, PROFILE_OTF2_UNRECORDED) == 0
                        ? JOB_CLASS_UNSAMPLED
                        : find_class (role, paradigm, region->language);
    region->first = G_MAXUINT32;
    to->last_class = &region->class;
    g_hash_table_insert (to->regions, KEY (self), region);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_attribute (void *user, OTF2_AttributeRef self, OTF2_StringRef name,
              OTF2_StringRef description, OTF2_Type type)
{
    Definitions *to = user;

    if (g_strcmp0 (find_string (to, name), PROFILE_OTF2_OPENED) == 0) {
        to->opened = self;
    }
    if (g_strcmp0 (find_string (to, name), PROFILE_OTF2_CONTEXT) == 0) {
        to->context = self;
    }
    to->has_owners |= g_strcmp0 (find_string (to, name), PROFILE_OTF2_OWNER) == 0;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_place (void *user, OTF2_SourceCodeLocationRef self, OTF2_StringRef file, uint32_t line)
{
    Definitions *to = user;
    ProfileOtf2Place *place = g_new0 (ProfileOtf2Place, 1);

    place->file = find_string (to, file);
    place->line = line;
    g_hash_table_insert (to->places, KEY (self), place);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_context (void *user, OTF2_CallingContextRef self, OTF2_RegionRef region,
            OTF2_SourceCodeLocationRef place_id, OTF2_CallingContextRef parent)
{
    Definitions *to = user;
    const ProfileOtf2Place *place = g_hash_table_lookup (to->places, KEY (place_id));
    ProfileOtf2Region *of = g_hash_table_lookup (to->regions, KEY (region));
    ProfileOtf2Context *context = g_new0 (ProfileOtf2Context, 1);

    if (of != NULL && of->first == G_MAXUINT32) {
        of->first = self;
    }
    context->region = region;
    context->parent = parent;
    context->file = place != NULL ? place->file : NULL;
    context->line = place != NULL && place->line != OTF2_UNDEFINED_UINT32 ? place->line : 0;
    context->class = JOB_N_CLASSES;
    to->last_class = &context->class;
    g_hash_table_insert (to->contexts, KEY (self), context);
    return OTF2_CALLBACK_SUCCESS;
}

static guint8
parse_class (const char *name)
{
    guint8 class = 0;

    while (class < JOB_CLASS_UNKNOWN && g_strcmp0 (name, job_class_get_name (class)) != 0) {
        class ++;
    }
    return class;
}

static void
note_text (Definitions *to, ProfileOtf2Context *context, const char *key, const char *text)
{
    if (strcmp (key, PROFILE_OTF2_CLASS) == 0) {
        context->class = parse_class (text);
        to->has_classes = TRUE;
    } else if (strcmp (key, PROFILE_OTF2_MODULE) == 0) {
        context->module = text;
    } else if (strcmp (key, PROFILE_OTF2_LANGUAGE) == 0 && text != NULL) {
        context->language = job_language_find (text);
        context->has_language = TRUE;
    }
}

static void
note_number (ProfileOtf2Context *context, const char *key, guint64 number)
{
    if (strcmp (key, PROFILE_OTF2_BLOCKED) == 0) {
        context->is_blocked = number != 0;
    } else if (strcmp (key, PROFILE_OTF2_UNREAD) == 0) {
        context->is_unread = number != 0;
    } else if (strcmp (key, PROFILE_OTF2_NAMELESS) == 0) {
        context->is_nameless = number != 0;
    } else if (strcmp (key, PROFILE_OTF2_FLAGS) == 0 || strcmp (key, PROFILE_OTF2_FRAME) == 0) {
        context->flags = (guint32) number;
        context->has_frame = strcmp (key, PROFILE_OTF2_FRAME) == 0;
    } else if (strcmp (key, PROFILE_OTF2_OFFSET) == 0) {
        context->offset = number;
    }
}

static OTF2_CallbackCode
on_context_property (void *user, OTF2_CallingContextRef self, OTF2_StringRef name,
                     OTF2_Type type, OTF2_AttributeValue value)
{
    Definitions *to = user;
    ProfileOtf2Context *context = g_hash_table_lookup (to->contexts, KEY (self));
    const char *key = find_string (to, name);

    if (context != NULL && key != NULL && type == OTF2_TYPE_STRING) {
        note_text (to, context, key, find_string (to, value.stringRef));
    } else if (context != NULL && key != NULL && type == OTF2_TYPE_UINT64) {
        note_number (context, key, value.uint64);
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_member (void *user, OTF2_MetricMemberRef self, OTF2_StringRef name,
           OTF2_StringRef description, OTF2_MetricType type, OTF2_MetricMode mode,
           OTF2_Type value_type, OTF2_Base base, int64_t exponent, OTF2_StringRef unit)
{
    Definitions *to = user;
    const char *text = find_string (to, name);
    JobCount count = text != NULL ? profile_otf2_counts_find_member (text) : JOB_N_COUNTS;

    if (count < JOB_N_COUNTS) {
        g_hash_table_insert (to->members, KEY (self),
                             KEY (1 + PROFILE_OTF2_FIRST_COUNT + count));
    }
    to->has_memory |= g_strcmp0 (text, PROFILE_OTF2_ALLOCATED) == 0;
    for (guint i = 0; text != NULL && i < JOB_N_METRICS; i++) {
        if (g_str_has_prefix (text, PROFILE_OTF2_METRIC) && value_type == OTF2_TYPE_UINT64
            && strcmp (text + strlen (PROFILE_OTF2_METRIC), job_metric_get_info (i)->name)
                   == 0) {
            g_hash_table_insert (to->members, KEY (self), KEY (i + 1));
            to->lasting |= (mode & OTF2_METRIC_TIMING_MASK) == OTF2_METRIC_TIMING_NEXT ? 1u << i
                                                                                       : 0;
        }
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_metric (void *user, OTF2_MetricRef self, uint8_t n_members,
           const OTF2_MetricMemberRef *members, OTF2_MetricOccurrence occurrence,
           OTF2_RecorderKind kind)
{
    Definitions *to = user;
    GArray *metric = g_array_new (FALSE, FALSE, sizeof (guint8));

    for (guint i = 0; i < n_members; i++) {
        guint known = GPOINTER_TO_UINT (g_hash_table_lookup (to->members, KEY (members[i])));
        guint8 which = (guint8) (known != 0 ? known - 1 : JOB_N_METRICS);

        g_array_append_val (metric, which);
    }
    g_hash_table_insert (to->metrics, KEY (self), metric);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_file (void *user, OTF2_IoFileRef self, OTF2_StringRef name, OTF2_SystemTreeNodeRef scope)
{
    Definitions *to = user;

    find_string (to, name);
    g_hash_table_add (to->files, KEY (self));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_handle (void *user, OTF2_IoHandleRef self, OTF2_StringRef name, OTF2_IoFileRef file,
           OTF2_IoParadigmRef paradigm, OTF2_IoHandleFlag flags, OTF2_CommRef comm,
           OTF2_IoHandleRef parent)
{
    Definitions *to = user;

    to->has_files = TRUE;
    if (file != OTF2_UNDEFINED_IO_FILE) {
        g_hash_table_add (to->used_files, KEY (file));
    }
    return OTF2_CALLBACK_SUCCESS;
}

static void
set_callbacks (OTF2_GlobalDefReaderCallbacks *callbacks)
{
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback (callbacks, on_clock);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback (callbacks, on_string);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback (callbacks, on_node);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback (callbacks, on_group);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback (callbacks,
                                                                    on_group_property);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback (callbacks, on_location);
    OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback (callbacks, on_location_property);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback (callbacks, on_region);
    OTF2_GlobalDefReaderCallbacks_SetAttributeCallback (callbacks, on_attribute);
    OTF2_GlobalDefReaderCallbacks_SetIoRegularFileCallback (callbacks, on_file);
    OTF2_GlobalDefReaderCallbacks_SetIoDirectoryCallback (callbacks, on_file);
    OTF2_GlobalDefReaderCallbacks_SetIoHandleCallback (callbacks, on_handle);
    OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback (callbacks, on_member);
    OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback (callbacks, on_metric);
    OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback (callbacks, on_place);
    OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback (callbacks, on_context);
    OTF2_GlobalDefReaderCallbacks_SetCallingContextPropertyCallback (callbacks,
                                                                     on_context_property);
}

gboolean
profile_otf2_read_global (OTF2_Reader *reader, OTF2_GlobalDefReaderCallbacks *callbacks,
                          void *user, guint64 *ret_n_read)
{
    OTF2_GlobalDefReader *global = OTF2_Reader_GetGlobalDefReader (reader);
    OTF2_ErrorCode code = OTF2_ERROR_INVALID;
    uint64_t n_read = 0, n_defined = 0;

    if (global != NULL) {
        OTF2_Reader_RegisterGlobalDefCallbacks (reader, global, callbacks, user);
        code = OTF2_Reader_ReadAllGlobalDefinitions (reader, global, &n_read);
        OTF2_Reader_CloseGlobalDefReader (reader, global);
    }
    OTF2_GlobalDefReaderCallbacks_Delete (callbacks);
    if (ret_n_read != NULL) {
        *ret_n_read = n_read;
    }
    return code == OTF2_SUCCESS
           && OTF2_Reader_GetNumberOfGlobalDefinitions (reader, &n_defined) == OTF2_SUCCESS
           && n_read == n_defined;
}

/* Of the ids that are wanted, those that have no definition. */
static guint
count_missing (GHashTable *wanted, GHashTable *defined)
{
    gpointer id;
    guint n = 0;

    BASE_WALK (wanted, &id, NULL) {
        n += !g_hash_table_contains (defined, id);
    }
    return n;
}

ProfileOtf2Definitions *
profile_otf2_definitions_read (OTF2_Reader *reader)
{
    Definitions *to = g_new0 (Definitions, 1);
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New ();

    to->opened = to->context = G_MAXUINT32;
    to->strings = g_hash_table_new_full (NULL, NULL, NULL, g_free);
    to->awaited = g_hash_table_new (NULL, NULL);
    to->strays = g_hash_table_new (NULL, NULL);
    to->files = g_hash_table_new (NULL, NULL);
    to->used_files = g_hash_table_new (NULL, NULL);
    to->regions = g_hash_table_new_full (NULL, NULL, NULL, g_free);
    to->places = g_hash_table_new_full (NULL, NULL, NULL, g_free);
    to->contexts = g_hash_table_new_full (NULL, NULL, NULL, g_free);
    to->groups = g_hash_table_new_full (NULL, NULL, NULL, g_free);
    to->nodes = g_hash_table_new_full (NULL, NULL, NULL, g_free);
    to->members = g_hash_table_new (NULL, NULL);
    to->metrics = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
    to->group_list = g_ptr_array_new ();
    to->locations = g_array_new (FALSE, FALSE, sizeof (ProfileOtf2Location));
    set_callbacks (callbacks);
    to->is_whole = profile_otf2_read_global (reader, callbacks, to, &to->n_read);
    OTF2_Reader_GetNumberOfGlobalDefinitions (reader, &to->n_defined);
    to->n_missing = count_missing (to->awaited, to->strings)
                    + count_missing (to->used_files, to->files);
    if (!to->is_whole && to->last_class != NULL) {
        *to->last_class = JOB_CLASS_UNKNOWN;
    }
    return to;
}

/* Local definitions map a location's own numbers to those of all. */
guint
profile_otf2_read_locals (OTF2_Reader *reader, const ProfileOtf2Definitions *definitions)
{
    guint n_broken = 0;

    if (OTF2_Reader_OpenDefFiles (reader) != OTF2_SUCCESS) {
        return 0; /* it has none */
    }
    for (guint i = 0; i < definitions->locations->len; i++) {
        OTF2_LocationRef id
            = g_array_index (definitions->locations, ProfileOtf2Location, i).self;
        OTF2_DefReader *local = OTF2_Reader_GetDefReader (reader, id);
        uint64_t n_read = 0;

        if (local == NULL) {
            n_broken++;
            continue;
        }
        n_broken += OTF2_Reader_ReadAllLocalDefinitions (reader, local, &n_read)
                    != OTF2_SUCCESS;
        OTF2_Reader_CloseDefReader (reader, local);
    }
    OTF2_Reader_CloseDefFiles (reader);
    return n_broken;
}

char *
profile_otf2_definitions_dup_damage (const ProfileOtf2Definitions *definitions,
                                     BaseTextForm form)
{
    guint n_missing = definitions->n_missing + g_hash_table_size (definitions->strays);

    if (definitions->locations->len == 0) {
        return base_text_print (form, "its definitions are damaged: it has no location");
    }
    if (!definitions->is_whole && definitions->n_read >= definitions->n_defined) {
        return base_text_print (
            form,
            "its definitions are damaged: not all of them could be read, and what belongs to the others is "
            "unknown"); /* the last one that came is false, or their number */
    }
    if (!definitions->is_whole) {
        g_autofree char *n_read = g_strdup_printf ("%" G_GUINT64_FORMAT, definitions->n_read);
        g_autofree char *n = g_strdup_printf ("%" G_GUINT64_FORMAT, definitions->n_defined);

        return base_text_print (form,
                                "its definitions are damaged: %s of %s could be read, and what "
                                "belongs to the others is unknown",
                                n_read, n);
    }
    return n_missing > 0 ? base_text_print (
               form, "its definitions are damaged: %u of the names in them are not there",
               n_missing)
                         : NULL;
}

void
profile_otf2_definitions_free (ProfileOtf2Definitions *definitions)
{
    g_hash_table_unref (definitions->strings);
    g_hash_table_unref (definitions->awaited);
    g_hash_table_unref (definitions->strays);
    g_hash_table_unref (definitions->files);
    g_hash_table_unref (definitions->used_files);
    g_hash_table_unref (definitions->regions);
    g_hash_table_unref (definitions->places);
    g_hash_table_unref (definitions->contexts);
    g_hash_table_unref (definitions->groups);
    g_hash_table_unref (definitions->nodes);
    g_hash_table_unref (definitions->members);
    g_hash_table_unref (definitions->metrics);
    g_ptr_array_unref (definitions->group_list);
    g_array_unref (definitions->locations);
    g_free (definitions);
}
