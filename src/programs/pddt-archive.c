/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OTF2 archives, in a process of their own: "--write FOLDER" makes one of FOLDER/spool, or of
 * FOLDER/trace/spool, "--read FILE.otf2" writes one to
 * standard output in the form of a spool, "--part FILE.otf2 BEGIN_NS END_NS" that part of its time, "--score FILE.otf2" scorep-score's table. The spool ends with a sentence where something is wrong. The reason of another
 * failure is the one line on standard error. */
#include "base/confine.h"
#include "base/error.h"
#include "base/limits.h"
#include "profile/exact-lines.h"
#include "profile/otf2-score.h"
#include "profile/otf2-trace.h"
#include "profile/otf2.h"
#include "profile/trace-places.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define CPU_S 3600
#define KEPT 3 /* base_confine's */
/* What reading may take: a damaged number makes the library ask for gigabytes. */
#define LEAST_MEMORY ((guint64) 1 << 30)
#define MOST_GROWTH 100u /* for each byte of the archive */

/* Root does not write with its own rights into a folder whose owner may put links there. */
static gboolean
become_owner (const char *folder, GError **error)
{
    struct stat status;

    if (geteuid () != 0 || stat (folder, &status) != 0 || status.st_uid == 0
        || base_confine_become (status.st_uid, status.st_gid)) {
        return TRUE;
    }
    g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED,
                 "cannot take the rights of the owner of %s: %s", folder, g_strerror (errno));
    return FALSE;
}

/* With the files in it. */
static void
remove_folder (const char *folder)
{
    GDir *dir = g_dir_open (folder, 0, NULL);
    const char *name;

    while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
        g_autofree char *path = g_build_filename (folder, name, NULL);

        g_unlink (path);
    }
    if (dir != NULL) {
        g_dir_close (dir);
    }
    g_rmdir (folder);
}

/* What there is of an archive whose spool is still there: it is not whole, the library writes over no other,
 * and the disk may be full. */
static void
remove_part (const char *folder)
{
    static const char *const suffixes[] = { ".otf2", ".def" };
    g_autofree char *inner = g_build_filename (folder, PROFILE_OTF2_NAME, NULL);

    for (guint i = 0; i < G_N_ELEMENTS (suffixes); i++) {
        g_autofree char *path = g_strconcat (inner, suffixes[i], NULL);

        g_unlink (path);
    }
    remove_folder (inner);
}

/* pddt-symbols stands beside this program. Caller owns. */
static char *
dup_symbols_program (void)
{
    g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
    g_autofree char *folder = self != NULL ? g_path_get_dirname (self) : NULL;

    return folder != NULL ? g_build_filename (folder, "pddt-symbols", NULL)
                          : g_strdup ("pddt-symbols");
}

/* A run that was sampled, too, has both archives in folders of their own. */
static gboolean
write_trace (const char *folder, const char *spool, GError **error)
{
    g_autofree char *beside = g_build_filename (folder, "profile", NULL);
    g_autofree char *above = g_build_filename (folder, "trace", NULL);
    g_autofree char *symbols = dup_symbols_program ();
    gboolean is_double = g_file_test (beside, G_FILE_TEST_IS_DIR);
    const char *to = is_double ? above : folder;
    g_autoptr (ProfileTrace) trace = become_owner (folder, error)
                                         ? profile_trace_load (spool, error)
                                         : NULL;

    if (trace == NULL) {
        return FALSE;
    }
    profile_trace_places_name (trace, symbols);
    remove_part (to);
    if (!profile_otf2_write_trace (trace, to, error)
        || !profile_exact_lines_write (trace, to, error)) {
        remove_part (to);
        return FALSE;
    }
    remove_folder (spool);
    if (!is_double) {
        g_rmdir (above);
    }
    return TRUE;
}

static gboolean
write_archive (const char *folder, GError **error)
{
    g_autofree char *trace = g_build_filename (folder, PROFILE_TRACE_FOLDER, NULL);
    g_autofree char *spool = g_build_filename (folder, PROFILE_SPOOL_NAME, NULL);
    g_autoptr (ProfileModel) model = NULL;

    if (g_file_test (trace, G_FILE_TEST_IS_DIR)) {
        return write_trace (folder, trace, error);
    }
    model = become_owner (folder, error) ? profile_spool_load (spool, error) : NULL;
    if (model == NULL) {
        return FALSE;
    }
    remove_part (folder);
    if (!profile_otf2_write (model, folder, error)) {
        remove_part (folder);
        return FALSE;
    }
    g_unlink (spool);
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

/* Of the anchor's folder and of the one that has the events, which bears the anchor's name. */
static guint64
get_archive_size (const char *anchor)
{
    g_autofree char *folder = g_path_get_dirname (anchor);
    const char *suffix = strrchr (anchor, '.');
    g_autofree char *events = g_strndup (anchor, suffix != NULL ? (gsize) (suffix - anchor)
                                                                : strlen (anchor));

    return get_folder_size (folder) + get_folder_size (events);
}

/* What an archive says is not to be trusted, and its library does: this process can do nothing any more but
 * read files, with the rights of the archive's owner. */
static gboolean
confine (const char *anchor)
{
    guint64 memory = (guint64) MAX (sysconf (_SC_PHYS_PAGES), 0)
                     * (guint64) MAX (sysconf (_SC_PAGESIZE), 0);
    guint64 wanted = LEAST_MEMORY + MOST_GROWTH * get_archive_size (anchor);
    BaseConfinement confinement = { .uid = getuid (),
                                    .gid = getgid (),
                                    .parent = getppid (),
                                    .cpu_s = CPU_S,
                                    .memory_bytes = MIN (memory / 2, wanted) };
    struct stat status;

    if (getuid () == 0 && stat (anchor, &status) == 0) {
        confinement.uid = status.st_uid;
        confinement.gid = status.st_gid;
    }
    return base_confine (&confinement, dup (STDOUT_FILENO));
}

/* part: NULL: all of it. */
static int
read_archive (const char *anchor, const ProfilePart *part)
{
    g_autoptr (GError) error = NULL;
    ProfileSpool *to;

    if (!confine (anchor)) {
        return 1;
    }
    to = profile_spool_open_stream (KEPT);
    if (!profile_otf2_read (anchor, part, to, &error)) {
        profile_spool_put_problem (to, error->message);
    }
    profile_spool_free (to);
    return 0;
}

static int
read_traced (const char *anchor)
{
    ProfileSpool *to;

    if (!confine (anchor)) {
        return 1;
    }
    to = profile_spool_open_stream (KEPT);
    profile_otf2_read_traced (anchor, to);
    profile_spool_free (to);
    return 0;
}

static int
score_archive (const char *anchor)
{
    g_autoptr (GError) error = NULL;
    g_autofree char *text = NULL;
    FILE *to;

    if (!confine (anchor)) {
        return 1;
    }
    text = profile_otf2_score (anchor, &error);
    to = fdopen (KEPT, "w");
    /* standard error is closed: what is wrong goes the same way, marked */
    if (to == NULL
        || fprintf (to, "%s%s",
                    text != NULL ? "" : "error: ", text != NULL ? text : error->message)
               < 0
        || fclose (to) != 0) {
        return 1;
    }
    return 0;
}

int
main (int argc, char **argv)
{
    static const struct rlimit no_core = { 0, 0 };
    g_autoptr (GError) error = NULL;

    setrlimit (RLIMIT_CORE, &no_core);
    base_limits_catch_size ();
    if (argc == 3 && strcmp (argv[1], "--read") == 0) {
        return read_archive (argv[2], NULL);
    }
    if (argc == 3 && strcmp (argv[1], "--traced") == 0) {
        return read_traced (argv[2]);
    }
    if (argc == 5 && strcmp (argv[1], "--part") == 0) {
        const ProfilePart part = { g_ascii_strtoll (argv[3], NULL, 10),
                                   g_ascii_strtoll (argv[4], NULL, 10) };

        return read_archive (argv[2], &part);
    }
    if (argc == 3 && strcmp (argv[1], "--score") == 0) {
        return score_archive (argv[2]);
    }
    if (argc != 3 || strcmp (argv[1], "--write") != 0) {
        fprintf (
            stderr,
            "usage: pddt-archive --write FOLDER | --read FILE.otf2 | --traced FILE.otf2 |\n"
            "       --part FILE.otf2 BEGIN_NS END_NS | --score FILE.otf2\n");
        return 2;
    }
    if (!write_archive (argv[2], &error)) {
        fprintf (stderr, "%s\n", error->message);
        return 1;
    }
    return 0;
}
