/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OTF2 archives, in a process of their own: "--write FOLDER" makes one of FOLDER/spool, or of
 * FOLDER/trace/spool, "--read FILE.otf2" writes one to
 * standard output in the form of a spool, "--part FILE.otf2 BEGIN_NS END_NS" that part of its time, both with what SAMPLES.otf2
 * of the same run has between its events, "--score FILE.otf2" scorep-score's table. The spool ends with a sentence where something is wrong. The reason of another
 * failure is the one line on standard error. */
#include "base/confine.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/place.h"
#include "base/words.h"
#include "profile/exact-lines.h"
#include "profile/otf2-score.h"
#include "profile/otf2-trace.h"
#include "profile/otf2.h"
#include "profile/sums.h"
#include "profile/trace-places.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define DAMAGED PROFILE_SPOOL_NAME ".damaged"
#define OWN ".pddt-archive-"
#define CPU_S 3600
#define KEPT 3 /* base_confine's */
#ifdef __SANITIZE_ADDRESS__
/* Once it is confined the sanitizer can neither look for leaks nor say so. */
int __lsan_is_turned_off (void);

int
__lsan_is_turned_off (void)
{
    return 1;
}
#endif

/* What reading may take: a damaged number makes the library ask for gigabytes. */
#define LEAST_MEMORY ((guint64) 1 << 30)
#define MOST_GROWTH 100u /* for each byte of the archive */

/* ---- writing ---- */

/* The folders of one archive that is being written. Everything is done by these descriptors: whoever owns the folder may
 * have put links into it. */
typedef struct {
    int folder;    /* the measurement's */
    int above;     /* FOLDER/trace, of a traced run; -1 */
    int spool;     /* the spool's folder or file */
    int to;        /* where the archive is to be: one of the first two */
    int own;       /* a folder of this process's own in it, in which the archive is made */
    char name[32]; /* of the latter */
} Places;

/* Root does not write with its own rights into a folder whose owner may put links there. */
static gboolean
become_owner (const char *folder, GError **error)
{
    guint32 uid, gid;

    if (!base_place_is_others_folder (folder, &uid, &gid)) {
        return TRUE;
    }
    base_confine_wipe_environment ();
    /* a kernel may be set to let that user trace it */
    if (base_confine_become (uid, gid) && prctl (PR_SET_DUMPABLE, 0) == 0
        && prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
        return TRUE;
    }
    g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED,
                 "cannot take the rights of the owner of %s: %s", folder, g_strerror (errno));
    return FALSE;
}

static gboolean
fail (const char *what, GError **error)
{
    g_set_error (
        error, BASE_ERROR, BASE_ERROR_DENIED, "cannot use %s: %s", what,
        errno == ELOOP || errno == ENOTDIR
            ? "it is a link or no folder, and pddt follows no link in a measurement's folder"
            : g_strerror (errno));
    return FALSE;
}

static int
open_folder (int at, const char *name)
{
    return openat (at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static gboolean
is_folder (int at, const char *name)
{
    struct stat facts;

    return fstatat (at, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR (facts.st_mode);
}

/* A process of its own, as this is, has its working folder there, so that the library needs no path. */
static gboolean
begin_own (Places *places, GError **error)
{
    for (guint i = 0; i < 100 && places->own < 0; i++) {
        g_snprintf (places->name, sizeof places->name, OWN "%08x", g_random_int ());
        if (mkdirat (places->to, places->name, 0700) == 0) {
            places->own = open_folder (places->to, places->name);
        } else if (errno != EEXIST) {
            break;
        }
    }
    return (places->own >= 0 && fchdir (places->own) == 0) || fail ("the folder", error);
}

/* Of an earlier process that was killed: this one has the folder to itself. */
static void
remove_left (const Places *places)
{
    int fd = open_folder (places->to, ".");
    DIR *folder = fd >= 0 ? fdopendir (fd) : NULL;
    const struct dirent *entry;

    while (folder != NULL && (entry = readdir (folder)) != NULL) {
        if (g_str_has_prefix (entry->d_name, OWN)) {
            base_place_remove_all (places->to, entry->d_name);
        }
    }
    if (folder != NULL) {
        closedir (folder);
    } else if (fd >= 0) {
        close (fd);
    }
}

/* The archive goes to its place; what there is of an earlier one is not whole, as its spool is still there. The anchor,
 * which makes an archive of it, comes last. */
static gboolean
move_own (Places *places, GError **error)
{
    static const char *const names[] = { PROFILE_LINES_NAME, PROFILE_SUMS_NAME,
                                         PROFILE_OTF2_NAME, PROFILE_OTF2_NAME ".def",
                                         PROFILE_OTF2_NAME ".otf2" };

    for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
        base_place_remove_all (places->to, names[i]);
    }
    for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
        if (!base_place_rename (places->own, names[i], places->to, names[i])
            && errno != ENOENT) {
            return fail (names[i], error);
        }
    }
    return TRUE;
}

static void
end_own (Places *places)
{
    if (places->own >= 0 && fchdir (places->to) == 0) {
        base_place_remove_all (places->to, places->name);
        close (places->own);
    }
    places->own = -1;
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

/* What is damaged loses only itself: the archive is of the other processes. */
static gboolean
write_processes (Places *places, ProfileTrace *trace, GError **error)
{
    gint culprit = -1;

    remove_left (places);
    while (begin_own (places, error)) {
        if (profile_otf2_write_trace (trace, ".", &culprit, error)) {
            return profile_exact_lines_write (trace, ".", error) && profile_sums_write (error)
                   && move_own (places, error);
        }
        if (culprit < 0 || trace->processes->len < 2) {
            return FALSE;
        }
        end_own (places);
        profile_trace_drop (trace, (guint) culprit);
        g_clear_error (error);
    }
    return FALSE;
}

static gboolean
write_trace (Places *places, char **ret_problem, GError **error)
{
    g_autofree char *symbols = dup_symbols_program ();
    g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", places->spool);
    g_autoptr (ProfileTrace) trace = profile_trace_load (path, error);

    if (trace == NULL) {
        return FALSE;
    }
    profile_trace_places_name (trace, symbols);
    if (!write_processes (places, trace, error)) {
        return FALSE;
    }
    if (trace->problems->len > 0) { /* what could not be read may still be of use to somebody */
        *ret_problem = g_strdup_printf ("%s; what was recorded stays in " PROFILE_TRACE_FOLDER,
                                        trace->problems->str);
        return TRUE;
    }
    base_place_remove_all (places->above, "spool");
    if (places->to == places->folder) {
        unlinkat (places->folder, "trace", AT_REMOVEDIR);
    }
    return TRUE;
}

static gboolean
write_samples (Places *places, char **ret_problem, GError **error)
{
    g_autoptr (ProfileModel) model = profile_spool_read (places->spool, error);

    if (model == NULL) {
        return FALSE;
    }
    if (profile_model_get_n_samples (model) == 0) {
        const char *problem = profile_model_get_problem (model, BASE_TEXT_ENGLISH);

        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "%s; its spool stays",
                     problem != NULL ? problem : "no sample has been recorded in it");
        return FALSE;
    }
    remove_left (places);
    if (!begin_own (places, error) || !profile_otf2_write (model, ".", error)
        || !profile_sums_write (error) || !move_own (places, error)) {
        return FALSE;
    }
    if (profile_model_get_problem (model, BASE_TEXT_ENGLISH) != NULL) {
        *ret_problem = g_strdup_printf ("%s; what was recorded stays in " DAMAGED,
                                        profile_model_get_problem (model, BASE_TEXT_ENGLISH));
        base_place_rename (places->folder, PROFILE_SPOOL_NAME, places->folder, DAMAGED);
        return TRUE;
    }
    unlinkat (places->folder, PROFILE_SPOOL_NAME, 0);
    return TRUE;
}

/* Whether somebody has what lies there locked so that this lock is not to be had; kept until the end, if it is. */
static gboolean
is_refused (int fd, int lock)
{
    return fd >= 0 && flock (fd, lock | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

static int
open_locked (int folder, const char *name)
{
    return openat (folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

static gboolean
refuse_under_way (const char *folder, GError **error)
{
    g_set_error (error, BASE_ERROR, BASE_ERROR_BUSY,
                 "the run of %s is still under way: its archive is written when it ends",
                 folder);
    return FALSE;
}

/* pddt has what it writes to itself locked, in one of two places. Processes that nobody has started together share a lock
 * (agent/trace-last.c); the last one, for which this is done, has it alone. */
static gboolean
is_trace_under_way (const Places *places)
{
    int shared = open_locked (places->spool, PDDT_TRACE_LOCK);

    return is_refused (open_locked (places->spool, PROFILE_SPOOL_NAME), LOCK_EX)
           || is_refused (open_locked (places->folder, "profile/" PROFILE_SPOOL_NAME), LOCK_EX)
           || (!is_refused (shared, LOCK_SH) && is_refused (shared, LOCK_EX));
}

/* A run that was sampled, too, has both archives in folders of their own. */
static gboolean
open_trace (Places *places, const char *folder, GError **error)
{
    places->above = open_folder (places->folder, "trace");
    places->to = is_folder (places->folder, "profile") ? places->above : places->folder;
    places->spool = places->above >= 0 ? open_folder (places->above, PROFILE_SPOOL_NAME) : -1;
    if (places->spool < 0) {
        return fail (PROFILE_TRACE_FOLDER, error);
    }
    return !is_trace_under_way (places) || refuse_under_way (folder, error);
}

static gboolean
open_samples (Places *places, const char *folder, GError **error)
{
    struct stat facts;

    places->spool = open_locked (places->folder, PROFILE_SPOOL_NAME);
    places->to = places->folder;
    if (is_refused (places->spool, LOCK_EX)) {
        return refuse_under_way (folder, error);
    }
    if (places->spool >= 0 && fstat (places->spool, &facts) == 0 && S_ISREG (facts.st_mode)) {
        return TRUE;
    }
    g_set_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND,
                 "cannot read %s/" PROFILE_SPOOL_NAME ": %s", folder,
                 places->spool >= 0 || errno == ELOOP ? "it is no file" : g_strerror (errno));
    return FALSE;
}

/* *ret_problem: what of it could not be kept. */
static gboolean
write_archive (const char *folder, char **ret_problem, GError **error)
{
    Places places = { -1, -1, -1, -1, -1, "" };
    struct stat facts;
    gboolean is_traced, is_done;

    if (!become_owner (folder, error)) {
        return FALSE;
    }
    places.folder = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (places.folder < 0) {
        return fail (folder, error);
    }
    if (flock (places.folder, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_BUSY,
                     "another pddt is writing the archive of %s", folder);
        return FALSE;
    }
    is_traced = fstatat (places.folder, PROFILE_TRACE_FOLDER, &facts, AT_SYMLINK_NOFOLLOW) == 0;
    is_done = is_traced ? open_trace (&places, folder, error)
                              && write_trace (&places, ret_problem, error)
                        : open_samples (&places, folder, error)
                              && write_samples (&places, ret_problem, error);
    end_own (&places);
    return is_done;
}

/* ---- reading ---- */

/* What would wait for ever, or never end, when OTF2's library or somebody else opens it. prefix: of an archive's files, in
 * a folder that may have others, too; "": all are. NULL: none. */
static BaseText *
find_odd (const char *path, const char *prefix)
{
    g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
    const char *name;

    while (folder != NULL && (name = g_dir_read_name (folder)) != NULL) {
        g_autofree char *file = g_build_filename (path, name, NULL);
        struct stat status;

        if ((g_str_has_prefix (name, prefix) || strcmp (name, PROFILE_LINES_NAME) == 0)
            && stat (file, &status) == 0 && !S_ISREG (status.st_mode)
            && !S_ISDIR (status.st_mode)) {
            return base_text_new (N_ ("%s is a pipe, a device or a socket, and no file"), name);
        }
    }
    return NULL;
}

static BaseText *
find_odd_part (const char *anchor)
{
    g_autofree char *folder = g_path_get_dirname (anchor);
    const char *suffix = strrchr (anchor, '.');
    g_autofree char *events = g_strndup (anchor, suffix != NULL ? (gsize) (suffix - anchor)
                                                                : strlen (anchor));
    g_autofree char *name = g_path_get_basename (events);
    BaseText *odd = find_odd (folder, name);

    return odd != NULL ? odd : find_odd (events, "");
}

/* What an archive says is not to be trusted, and its library does: this process can do nothing any more but
 * read files, with the rights of the archive's owner. */
static gboolean
confine (const char *anchor, const char *samples)
{
    guint64 memory = (guint64) MAX (sysconf (_SC_PHYS_PAGES), 0)
                     * (guint64) MAX (sysconf (_SC_PAGESIZE), 0);
    guint64 size = profile_otf2_get_size (anchor)
                   + (samples != NULL ? profile_otf2_get_size (samples) : 0);
    guint64 wanted = LEAST_MEMORY + MOST_GROWTH * size;
    BaseConfinement confinement = { .uid = getuid (),
                                    .gid = getgid (),
                                    .parent = getppid (),
                                    .cpu_s = CPU_S,
                                    .memory_bytes = MIN (memory / 2, wanted) };
    g_autofree char *language = g_strdup (g_getenv ("LANGUAGE")); /* gettext asks each time */
    gboolean is_confined;
    guint32 uid, gid;

    if (base_place_is_others_folder (anchor, &uid, &gid)) {
        confinement.uid = uid;
        confinement.gid = gid;
    }
    is_confined = base_confine (&confinement, dup (STDOUT_FILENO));
    if (language != NULL) {
        g_setenv ("LANGUAGE", language, TRUE);
    }
    return is_confined;
}

/* What its sums say: NULL: nothing is wrong, or nobody knows. */
static BaseText *
check_sums (const char *anchor)
{
    return profile_sums_check (anchor, profile_otf2_is_summed (anchor));
}

/* samples: the anchor of the same run's samples; NULL: there are none. part: NULL: all of it. */
static int
read_archive (const char *anchor, const char *samples, const ProfilePart *part)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (BaseText) odd = find_odd_part (anchor), problem = NULL, why = NULL;
    ProfileSpool *to;

    if (odd == NULL && samples != NULL) {
        odd = find_odd_part (samples);
    }
    if (!confine (anchor, samples)) {
        return 1;
    }
    to = profile_spool_open_stream (KEPT);
    problem = part == NULL && odd == NULL ? check_sums (anchor) : NULL;
    if (part == NULL && odd == NULL && problem == NULL && samples != NULL) {
        problem = check_sums (samples);
    }
    if (odd != NULL) {
        profile_spool_put_problem (to, odd);
    } else if (!profile_otf2_read (anchor, samples, part, to, &error)) {
        why = base_error_dup_text (error);
        profile_spool_put_problem (to, why);
    } else if (problem != NULL) {
        profile_spool_put_problem (to, problem);
    }
    profile_spool_free (to);
    return 0;
}

static int
read_traced (const char *anchor)
{
    g_autoptr (BaseText) odd = find_odd_part (anchor);
    ProfileSpool *to;

    if (!confine (anchor, NULL)) {
        return 1;
    }
    to = profile_spool_open_stream (KEPT);
    if (odd == NULL) {
        profile_otf2_read_traced (anchor, to);
    }
    profile_spool_free (to);
    return 0;
}

static int
score_archive (const char *anchor)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (BaseText) problem = find_odd_part (anchor);
    g_autofree char *text = NULL;
    FILE *to;

    if (!confine (anchor, NULL)) {
        return 1;
    }
    problem = problem != NULL ? problem : check_sums (anchor);
    text = problem == NULL ? profile_otf2_score (anchor, &error) : NULL;
    to = fdopen (KEPT, "w");
    /* standard error is closed: what is wrong goes the same way, marked */
    if (to == NULL
        || fprintf (to, "%s%s", text != NULL ? "" : "error: ",
                    text != NULL      ? text
                    : problem != NULL ? problem->english
                                      : error->message)
               < 0
        || fclose (to) != 0) {
        return 1;
    }
    return 0;
}

/* What is wrong is said to a window in its language, whose words are read now: later this process has no right to. */
static void
init_words (void)
{
    setlocale (LC_MESSAGES, "");
    base_words_init (GETTEXT_PACKAGE, PDDT_LOCALE_DIR);
    base_text_free (base_text_new (N_ ("it is not a file"))); /* any that is translated */
}

int
main (int argc, char **argv)
{
    static const struct rlimit no_core = { 0, 0 };
    g_autoptr (GError) error = NULL;
    g_autofree char *problem = NULL;

    setrlimit (RLIMIT_CORE, &no_core);
    base_limits_catch_size ();
    init_words ();
    if ((argc == 3 || argc == 4) && strcmp (argv[1], "--read") == 0) {
        return read_archive (argv[2], argc > 3 ? argv[3] : NULL, NULL);
    }
    if (argc == 3 && strcmp (argv[1], "--traced") == 0) {
        return read_traced (argv[2]);
    }
    if ((argc == 5 || argc == 6) && strcmp (argv[1], "--part") == 0) {
        const ProfilePart part = { g_ascii_strtoll (argv[3], NULL, 10),
                                   g_ascii_strtoll (argv[4], NULL, 10) };

        return read_archive (argv[2], argc > 5 ? argv[5] : NULL, &part);
    }
    if (argc == 3 && strcmp (argv[1], "--score") == 0) {
        return score_archive (argv[2]);
    }
    if (argc != 3 || strcmp (argv[1], "--write") != 0) {
        fprintf (
            stderr,
            "usage: pddt-archive --write FOLDER | --read FILE.otf2 [SAMPLES.otf2] | --traced FILE.otf2 |\n"
            "       --part FILE.otf2 BEGIN_NS END_NS [SAMPLES.otf2] | --score FILE.otf2\n");
        return 2;
    }
    if (!write_archive (argv[2], &problem, &error)) {
        fprintf (stderr, "%s\n", error->message);
        return 1;
    }
    if (problem != NULL) {
        fprintf (stderr, "%s\n", problem);
    }
    return 0;
}
