/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An archive as a whole: how it is opened, what it says of itself, and what of it could not be read. */
#include "profile/otf2.h"
#include "base/error.h"
#include "profile/otf2/fill.h"
#include "profile/otf2/private.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static gboolean
is_foreign (OTF2_Reader *reader)
{
    char *end = NULL;
    gboolean is_own = OTF2_Reader_GetProperty (reader, PROFILE_OTF2_END, &end) == OTF2_SUCCESS;

    free (end);
    return !is_own;
}

static gint64
get_number (OTF2_Reader *reader, const char *name)
{
    char *text = NULL;
    gint64 number = 0;

    if (OTF2_Reader_GetProperty (reader, name, &text) == OTF2_SUCCESS && text != NULL) {
        number = g_ascii_strtoll (text, NULL, 10);
        free (text);
    }
    return MAX (number, 0);
}

static void
put_info (OTF2_Reader *reader, const ProfileOtf2Definitions *definitions, ProfileSpool *to)
{
    char *command = NULL;
    ProfileInfo info = { .rate = (guint32) get_number (reader, PROFILE_OTF2_RATE),
                         .wait_status = (gint32) get_number (reader, PROFILE_OTF2_STATUS),
                         .begin_us = get_number (reader, PROFILE_OTF2_BEGIN),
                         .end_us = get_number (reader, PROFILE_OTF2_END),
                         .begin_real_us = get_number (reader, PROFILE_OTF2_REAL),
                         .is_foreign = is_foreign (reader) };

    if (info.begin_us == 0 && definitions->resolution > 0) {
        info.begin_us = profile_otf2_get_us (definitions, definitions->offset);
        info.begin_real_us = definitions->real != OTF2_UNDEFINED_TIMESTAMP
                                 ? (gint64) (definitions->real / 1000)
                                 : 0;
    }
    if (OTF2_Reader_GetProperty (reader, PROFILE_OTF2_COMMAND, &command) == OTF2_SUCCESS) {
        info.command = command;
    }
    profile_spool_put_info (to, &info);
    free (command);
}

static OTF2_ErrorCode
on_error (void *user, const char *file, uint64_t line, const char *function,
          OTF2_ErrorCode code, const char *format, va_list arguments)
{
    return code;
}

/* The library ends the process where the anchor is not a file. */
static gboolean
check_anchor (const char *anchor, GError **error)
{
    struct stat status;

    if (stat (anchor, &status) != 0) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND, "%s", g_strerror (errno));
        return FALSE;
    }
    if (!S_ISREG (status.st_mode)) {
        base_error_set (error, BASE_ERROR_INVALID, "it is not a file");
        return FALSE;
    }
    return TRUE;
}

static guint64
get_folder_size (const char *path)
{
    g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
    guint64 size = 0;
    const char *name;

    while (folder != NULL && (name = g_dir_read_name (folder)) != NULL) {
        g_autofree char *file = g_build_filename (path, name, NULL);
        struct stat status;

        if (stat (file, &status) == 0 && S_ISREG (status.st_mode)) {
            size += (guint64) status.st_size;
        }
    }
    return size;
}

guint64
profile_otf2_get_size (const char *anchor)
{
    g_autofree char *folder = g_path_get_dirname (anchor);
    const char *suffix = strrchr (anchor, '.');
    g_autofree char *events = g_strndup (anchor, suffix != NULL ? (gsize) (suffix - anchor)
                                                                : strlen (anchor));

    return get_folder_size (folder) + get_folder_size (events);
}

/* What bounds the events of the archives that were opened. */
static guint64 most_events; /* each takes more than a byte */
static gboolean has_others; /* the locations of ours say how many they have */

static void
note_bounds (OTF2_Reader *reader, const char *anchor)
{
    OTF2_Compression compression = OTF2_COMPRESSION_UNDEFINED;
    gboolean is_plain = OTF2_Reader_GetCompression (reader, &compression) == OTF2_SUCCESS
                        && compression == OTF2_COMPRESSION_NONE;

    most_events = MAX (most_events, is_plain ? profile_otf2_get_size (anchor) : G_MAXUINT64);
    has_others |= is_foreign (reader);
}

static gboolean
has_more (OTF2_Reader *reader, OTF2_EvtReader *events)
{
    OTF2_EvtReaderCallbacks *nothing = OTF2_EvtReaderCallbacks_New ();
    uint64_t n = 0;

    OTF2_Reader_RegisterEvtCallbacks (reader, events, nothing, NULL);
    OTF2_Reader_ReadLocalEvents (reader, events, 1, &n);
    OTF2_EvtReaderCallbacks_Delete (nothing);
    return n > 0;
}

OTF2_ErrorCode
profile_otf2_read_all (OTF2_Reader *reader, OTF2_EvtReader *events,
                       const ProfileOtf2Location *location)
{
    guint64 most = !has_others && location->n_events > 0 ? MIN (location->n_events, most_events)
                                                         : most_events;
    uint64_t n = 0;
    OTF2_ErrorCode code = OTF2_Reader_ReadLocalEvents (reader, events, most, &n);

    return code == OTF2_SUCCESS && n == most && has_more (reader, events)
               ? OTF2_ERROR_INTEGRITY_FAULT
               : code;
}

OTF2_Reader *
profile_otf2_open_reader (const char *anchor, GError **error)
{
    OTF2_Reader *reader;

    if (!check_anchor (anchor, error)) {
        return NULL;
    }
    OTF2_Error_RegisterCallback (on_error, NULL);
    reader = OTF2_Reader_Open (anchor);
    if (reader == NULL) {
        base_error_set (error, BASE_ERROR_INVALID, "it is not an OTF2 archive");
        return NULL;
    }
    OTF2_Reader_SetSerialCollectiveCallbacks (reader);
    note_bounds (reader, anchor);
    return reader;
}

gboolean
profile_otf2_is_summed (const char *anchor)
{
    OTF2_Reader *reader = profile_otf2_open_reader (anchor, NULL);
    gboolean is_summed = reader != NULL && get_number (reader, PROFILE_OTF2_SUMMED) == 1;

    if (reader != NULL) {
        OTF2_Reader_Close (reader);
    }
    return is_summed;
}

/* What of it could not be read; "": nothing. Caller owns. */
static char *
format_damage (const ProfileOtf2Definitions *definitions, guint n_broken, guint n_undefined,
               BaseTextForm form)
{
    g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);
    char *damage = profile_otf2_definitions_dup_damage (definitions, form);

    if (damage != NULL) {
        g_ptr_array_add (parts, damage);
    }
    if (n_undefined > 0) {
        g_ptr_array_add (
            parts,
            base_text_print (form,
                             "the own definitions of %u of its %u locations could not be read: "
                             "their functions may be others",
                             n_undefined, definitions->locations->len));
    }
    if (n_broken > 0) {
        g_ptr_array_add (
            parts,
            base_text_print (form, "%u of its %u locations could not be read to their end",
                             n_broken, definitions->locations->len));
    }
    g_ptr_array_add (parts, NULL);
    return g_strjoinv ("; ", (char **) parts->pdata);
}

gboolean
profile_otf2_check_whole (const ProfileOtf2Definitions *definitions, guint n_broken,
                          guint n_undefined, GError **error)
{
    g_autoptr (BaseText) damage
        = base_text_new_take (format_damage (definitions, n_broken, n_undefined,
                                             BASE_TEXT_ENGLISH),
                              format_damage (definitions, n_broken, n_undefined,
                                             BASE_TEXT_SHOWN));
    gboolean is_whole = *damage->english == '\0';

    if (!is_whole) {
        base_error_set_text (error, BASE_ERROR_CORRUPT, g_steal_pointer (&damage));
    }
    return is_whole;
}

static char *
format_left_out (const GError *why, BaseTextForm form)
{
    return base_text_print (form, "the samples beside it are left out: %s",
                            base_error_get (why, form));
}

/* The samples' own archive as a model; NULL: it has none that could be read. */
static ProfileModel *
read_samples (const char *anchor, GError **error)
{
    g_autoptr (ProfileModel) model = profile_model_new ();
    ProfileSpool *to = profile_spool_open_model (model);
    gboolean is_whole = profile_otf2_read (anchor, NULL, NULL, to, error);

    profile_spool_free (to);
    return is_whole ? g_steal_pointer (&model) : NULL;
}

/* Events have the samples' times: both were moved alike from the clocks of their hosts. */
static gboolean
has_their_times (OTF2_Reader *reader, const ProfileOtf2Definitions *definitions)
{
    return definitions->resolution == 1000000000
           && get_number (reader, PROFILE_OTF2_SAMPLED) == 1;
}

gboolean
profile_otf2_read (const char *anchor, const char *samples, const ProfilePart *part,
                   ProfileSpool *to, GError **error)
{
    g_autoptr (ProfileModel) sampled = NULL;
    ProfileOtf2Fill *fill = NULL;
    g_autoptr (GError) unfilled = NULL;
    ProfileOtf2Definitions *definitions;
    OTF2_Reader *reader = profile_otf2_open_reader (anchor, error);
    guint n_broken, n_undefined = 0;
    gboolean is_whole;

    if (reader == NULL) {
        return FALSE;
    }
    definitions = profile_otf2_definitions_read (reader);
    put_info (reader, definitions, to);
    definitions->part = part;
    if (samples != NULL && !has_their_times (reader, definitions)) {
        base_error_set (&unfilled, BASE_ERROR_UNSUPPORTED,
                        "an earlier version has written it, and its clocks may be others");
    } else if (samples != NULL) {
        sampled = read_samples (samples, &unfilled);
        fill = sampled != NULL ? profile_otf2_fill_new (sampled) : NULL;
    }
    n_broken = profile_otf2_read_events (reader, definitions, fill, to, &n_undefined);
    profile_otf2_fill_free (fill);
    is_whole = profile_otf2_check_whole (definitions, n_broken, n_undefined, error);
    if (is_whole && unfilled != NULL) {
        base_error_set_text (error, BASE_ERROR_CORRUPT,
                             base_text_new_take (format_left_out (unfilled, BASE_TEXT_ENGLISH),
                                                 format_left_out (unfilled, BASE_TEXT_SHOWN)));
        is_whole = FALSE;
    }
    OTF2_Reader_Close (reader);
    profile_otf2_definitions_free (definitions);
    return is_whole;
}
