/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every archive of ours has, whatever its events are. */
#include "base/error.h"
#include "base/utf8.h"
#include <errno.h>
#include "profile/otf2/private.h"

/* OTF2 fills a chunk of each kind with zeros for each location: as small as it may be, but a record fits in one. */
#define CHUNK (256u << 10)
#define MAX_CHUNK (16u << 20)
#define MAX_TEXT 100000u /* bytes */
#define MEMBER_BYTES 10u /* of a group, at most */

void
profile_otf2_note (ProfileOtf2Out *to, OTF2_ErrorCode code)
{
    if (to->code == OTF2_SUCCESS && code != OTF2_SUCCESS) {
        to->code = code;
        to->number = errno;
    }
}

static gboolean
is_full (int number)
{
    return number == ENOSPC || number == EDQUOT || number == EFBIG;
}

gboolean
profile_otf2_is_full (const ProfileOtf2Out *to)
{
    return to->code != OTF2_SUCCESS && is_full (to->number);
}

OTF2_StringRef
profile_otf2_put_string (ProfileOtf2Out *to, const char *text)
{
    guint id;

    text = text != NULL ? text : "";
    id = GPOINTER_TO_UINT (g_hash_table_lookup (to->strings, text));
    if (id == 0) {
        g_autofree char *cut
            = strlen (text) > MAX_TEXT
                  ? g_strdup_printf ("%.*s…", (int) base_utf8_find_cut (text, MAX_TEXT), text)
                  : NULL;

        id = g_hash_table_size (to->strings) + 1;
        g_hash_table_insert (to->strings, g_strdup (text), GUINT_TO_POINTER (id));
        profile_otf2_note (to, OTF2_GlobalDefWriter_WriteString (to->out, id - 1,
                                                                 cut != NULL ? cut : text));
    }
    return id - 1;
}

static void
put_group_property (ProfileOtf2Out *to, guint32 group, const char *name, guint64 number)
{
    OTF2_StringRef key = profile_otf2_put_string (to, name);
    OTF2_AttributeValue value = { .uint64 = number };

    profile_otf2_note (to, OTF2_GlobalDefWriter_WriteLocationGroupProperty (to->out, group, key,
                                                                            OTF2_TYPE_UINT64,
                                                                            value));
}

/* text: NULL for none. */
void
profile_otf2_put_group_text (ProfileOtf2Out *to, guint32 group, const char *name,
                             const char *text)
{
    OTF2_StringRef key;
    OTF2_AttributeValue value;

    if (text != NULL) {
        key = profile_otf2_put_string (to, name);
        value.stringRef = profile_otf2_put_string (to, text);
        profile_otf2_note (to,
                           OTF2_GlobalDefWriter_WriteLocationGroupProperty (to->out, group, key,
                                                                            OTF2_TYPE_STRING,
                                                                            value));
    }
}

static guint32
put_host (ProfileOtf2Out *to, const char *host)
{
    const char *name = host != NULL ? host : "unknown host";
    guint id = GPOINTER_TO_UINT (g_hash_table_lookup (to->hosts, name));

    if (id == 0) {
        OTF2_StringRef text = profile_otf2_put_string (to, name),
                       kind = profile_otf2_put_string (to, "node");

        id = g_hash_table_size (to->hosts) + 1; /* 0: the machine */
        g_hash_table_insert (to->hosts, g_strdup (name), GUINT_TO_POINTER (id));
        profile_otf2_note (to, OTF2_GlobalDefWriter_WriteSystemTreeNode (to->out, id, text,
                                                                         kind, 0));
    }
    return id;
}

/* The rank that a child process comes from; its parent, a child itself, has been put before it. */
static guint32
note_origin (ProfileOtf2Out *to, guint32 child, guint32 parent)
{
    gpointer known, origin = GUINT_TO_POINTER (parent);

    if (g_hash_table_lookup_extended (to->origins, GUINT_TO_POINTER (parent), NULL, &known)) {
        origin = known;
    }
    g_hash_table_insert (to->origins, GUINT_TO_POINTER (child), origin);
    return GPOINTER_TO_UINT (origin);
}

void
profile_otf2_put_process (ProfileOtf2Out *to, guint32 group, guint32 rank,
                          const ProfileProcess *process, guint64 n_missed, guint kept)
{
    g_autofree char *name = process->parent > 0
                                ? g_strdup_printf ("child %u of rank %u", rank,
                                                   note_origin (to, rank, process->parent - 1))
                                : g_strdup_printf ("rank %u", rank);
    guint32 node = put_host (to, process->host);
    OTF2_StringRef text = profile_otf2_put_string (to, name);

    profile_otf2_note (to, OTF2_GlobalDefWriter_WriteLocationGroup (
                               to->out, group, text, OTF2_LOCATION_GROUP_TYPE_PROCESS, node,
                               OTF2_UNDEFINED_LOCATION_GROUP));
    put_group_property (to, group, PROFILE_OTF2_RANK, rank);
    put_group_property (to, group, PROFILE_OTF2_PARENT, process->parent);
    put_group_property (to, group, PROFILE_OTF2_PID, (guint32) process->pid);
    put_group_property (to, group, PROFILE_OTF2_MISSED, n_missed);
    if (kept != 0) {
        put_group_property (to, group, PROFILE_OTF2_KEPT, kept);
    }
    profile_otf2_put_group_text (to, group, PROFILE_OTF2_PROGRAM, process->program);
    profile_otf2_put_group_text (to, group, PROFILE_OTF2_ENDING, process->ending);
}

void
profile_otf2_put_whole (ProfileOtf2Out *to, guint32 group, guint64 time)
{
    put_group_property (to, group, PROFILE_OTF2_WHOLE, time);
}

static void
put_location_property (ProfileOtf2Out *to, OTF2_LocationRef location, const char *name,
                       guint64 number)
{
    OTF2_StringRef key = profile_otf2_put_string (to, name);
    OTF2_AttributeValue value = { .uint64 = number };

    profile_otf2_note (to,
                       OTF2_GlobalDefWriter_WriteLocationProperty (to->out, location, key,
                                                                   OTF2_TYPE_UINT64, value));
}

void
profile_otf2_put_thread (ProfileOtf2Out *to, OTF2_LocationRef location, guint32 number,
                         gint32 tid, guint64 n_events, guint32 group, guint64 n_missed)
{
    g_autofree char *name = g_strdup_printf ("thread %u", number);
    OTF2_StringRef text = profile_otf2_put_string (to, name);

    profile_otf2_note (to, OTF2_GlobalDefWriter_WriteLocation (to->out, location, text,
                                                               OTF2_LOCATION_TYPE_CPU_THREAD,
                                                               n_events, group));
    put_location_property (to, location, PROFILE_OTF2_THREAD, number);
    if (tid > 0) {
        put_location_property (to, location, PROFILE_OTF2_TID, (guint64) tid);
    }
    if (n_missed > 0) {
        put_location_property (to, location, PROFILE_OTF2_MISSED, n_missed);
    }
}

/* MPI_COMM_WORLD: the first threads of the launcher's ranks. */
void
profile_otf2_put_world (ProfileOtf2Out *to, const GArray *leaders)
{
    OTF2_StringRef name = profile_otf2_put_string (to, "MPI_COMM_WORLD"),
                   empty = profile_otf2_put_string (to, "");
    g_autofree guint64 *members = g_new (guint64, leaders->len);

    for (guint i = 0; i < leaders->len; i++) {
        members[i] = i;
    }
    profile_otf2_note (to, OTF2_GlobalDefWriter_WriteGroup (to->out, 0, empty,
                                                            OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                                            OTF2_PARADIGM_MPI,
                                                            OTF2_GROUP_FLAG_NONE, leaders->len,
                                                            (const guint64 *) (const void *)
                                                                leaders->data));
    profile_otf2_note (to,
                       OTF2_GlobalDefWriter_WriteGroup (to->out, 1, empty,
                                                        OTF2_GROUP_TYPE_COMM_GROUP,
                                                        OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                                        leaders->len, members));
    profile_otf2_note (to,
                       OTF2_GlobalDefWriter_WriteComm (to->out, 0, name, 1, OTF2_UNDEFINED_COMM,
                                                       OTF2_COMM_FLAG_NONE));
}

void
profile_otf2_close_locals (ProfileOtf2Out *to, guint n_locations, ProfileOtf2Local write,
                           gpointer user)
{
    profile_otf2_note (to, OTF2_Archive_CloseEvtFiles (to->archive));
    profile_otf2_note (to, OTF2_Archive_OpenDefFiles (to->archive));
    for (guint i = 0; i < n_locations && to->code == OTF2_SUCCESS; i++) {
        OTF2_DefWriter *out = OTF2_Archive_GetDefWriter (to->archive, i);

        if (out == NULL) {
            profile_otf2_note (to, OTF2_ERROR_PROCESSED_WITH_FAULTS);
            continue;
        }
        if (write != NULL) {
            write (i, out, user);
        }
        profile_otf2_note (to, OTF2_Archive_CloseDefWriter (to->archive, out));
    }
    profile_otf2_note (to, OTF2_Archive_CloseDefFiles (to->archive));
}

gboolean
profile_otf2_begin_definitions (ProfileOtf2Out *to, const ProfileInfo *info, guint64 first_ns,
                                guint64 last_ns)
{
    OTF2_StringRef name, machine;

    to->out = OTF2_Archive_GetGlobalDefWriter (to->archive);
    if (to->out == NULL) {
        profile_otf2_note (to, OTF2_ERROR_PROCESSED_WITH_FAULTS);
        return FALSE;
    }
    profile_otf2_note (to, OTF2_GlobalDefWriter_WriteClockProperties (
                               to->out, 1000000000, first_ns, last_ns - first_ns + 1,
                               info->begin_real_us > 0 ? (guint64) info->begin_real_us * 1000
                                                       : OTF2_UNDEFINED_TIMESTAMP));
    name = profile_otf2_put_string (to, "MPI");
    profile_otf2_note (to, OTF2_GlobalDefWriter_WriteParadigm (to->out, OTF2_PARADIGM_MPI, name,
                                                               OTF2_PARADIGM_CLASS_PROCESS));
    machine = profile_otf2_put_string (to, "machine");
    profile_otf2_note (to, OTF2_GlobalDefWriter_WriteSystemTreeNode (
                               to->out, 0, machine, machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    return TRUE;
}

/* ---- the archive ---- */

static OTF2_FlushType
before_flush (void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller,
              bool is_final)
{
    return OTF2_FLUSH;
}

static void
put_archive_number (ProfileOtf2Out *to, const char *name, gint64 number)
{
    g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, number);

    profile_otf2_note (to, OTF2_Archive_SetProperty (to->archive, name, text, true));
}

static void
put_properties (ProfileOtf2Out *to, const ProfileInfo *info)
{
    profile_otf2_note (to, OTF2_Archive_SetCreator (to->archive, PROFILE_OTF2_CREATOR));
    if (info->command != NULL && *info->command != '\0') {
        profile_otf2_note (to, OTF2_Archive_SetProperty (to->archive, PROFILE_OTF2_COMMAND,
                                                         info->command, true));
    }
    put_archive_number (to, PROFILE_OTF2_RATE, info->rate);
    put_archive_number (to, PROFILE_OTF2_BEGIN, info->begin_us);
    put_archive_number (to, PROFILE_OTF2_END, info->end_us);
    put_archive_number (to, PROFILE_OTF2_REAL, info->begin_real_us);
    put_archive_number (to, PROFILE_OTF2_STATUS, info->wait_status);
    put_archive_number (to, PROFILE_OTF2_SUMMED, 1); /* by who calls this */
}

/* What the library says by itself would go to standard error. Where it could not write because the disk is full, it frees
 * what it has, and then writes that once more and crashes: it must not go on. */
static OTF2_ErrorCode
on_error (void *user, const char *file, uint64_t line, const char *function,
          OTF2_ErrorCode code, const char *format, va_list arguments)
{
    ProfileOtf2Out *to = user;

    if (to->escape != NULL && code != OTF2_SUCCESS && is_full (errno)) {
        profile_otf2_note (to, code);
        longjmp (*to->escape, 1);
    }
    return code;
}

static gboolean
open_archive (ProfileOtf2Out *to, const char *folder, const ProfileInfo *info, guint n_members)
{
    static const OTF2_FlushCallbacks flush = { .otf2_pre_flush = before_flush };

    OTF2_Error_RegisterCallback (on_error, to);
    to->archive
        = OTF2_Archive_Open (folder, PROFILE_OTF2_NAME, OTF2_FILEMODE_WRITE, CHUNK,
                             (guint64) CLAMP ((guint64) n_members * MEMBER_BYTES + CHUNK / 2,
                                              CHUNK, MAX_CHUNK),
                             OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (to->archive == NULL) {
        return FALSE;
    }
    profile_otf2_note (to, OTF2_Archive_SetFlushCallbacks (to->archive, &flush, NULL));
    profile_otf2_note (to, OTF2_Archive_SetSerialCollectiveCallbacks (to->archive));
    put_properties (to, info);
    profile_otf2_note (to, OTF2_Archive_OpenEvtFiles (to->archive));
    return TRUE;
}

static void
close_archive (ProfileOtf2Out *to)
{
    if (to->out != NULL) {
        profile_otf2_note (to, OTF2_Archive_CloseGlobalDefWriter (to->archive, to->out));
    }
    profile_otf2_note (to, OTF2_Archive_Close (to->archive));
}

gboolean
profile_otf2_put_archive (ProfileOtf2Out *to, const char *folder, const ProfileInfo *info,
                          guint n_members, void (*write) (gpointer user), gpointer user,
                          GError **error)
{
    jmp_buf escape;
    gboolean is_done;

    to->strings = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    to->hosts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    to->origins = g_hash_table_new (NULL, NULL);
    to->escape = &escape;
    if (setjmp (escape) == 0 && open_archive (to, folder, info, n_members)) {
        write (user);
        close_archive (to);
    }
    to->escape = NULL;
    is_done = to->archive != NULL && to->code == OTF2_SUCCESS;
    if (!is_done) {
        /* the library's own word for a full disk is "The structural integrity is not given" */
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "%s",
                     profile_otf2_is_full (to) ? g_strerror (to->number)
                     : to->archive == NULL     ? "the folder cannot be written to"
                                               : OTF2_Error_GetDescription (to->code));
    }
    g_hash_table_unref (to->strings);
    g_hash_table_unref (to->hosts);
    g_hash_table_unref (to->origins);
    return is_done;
}
