/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formats, and the names of their files. */
#include "profile/export/private.h"
#include "base/error.h"
#include "base/place.h"
#include "profile/private.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
    const char *name, *file; /* file: its name in a folder; NULL: the folder itself */
    gboolean (*write) (const ProfileExportTable *table, const char *path, GError **error);
} formats[] = {
    { "pstats", "cpu.prof", profile_export_pstats },
    { "speedscope", "profile.speedscope.json", profile_export_speedscope },
    { "perfetto", "profile.perfetto-trace", profile_export_perfetto },
    { "chrome", "profile.chrome.json", profile_export_chrome },
    { "collapsed", "profile.collapsed", profile_export_collapsed },
    { "dot", "profile.dot", profile_export_dot },
    { "tau", NULL, profile_export_tau },
    { "cubex", "profile.cubex", profile_export_cubex },
    { "csv", "profile.csv", profile_export_csv },
    { "lprof", "lines.lprof", profile_export_lprof },
};

const char *const *
profile_export_get_formats (void)
{
    static const char *names[G_N_ELEMENTS (formats) + 1];

    for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
        names[i] = formats[i].name;
    }
    return names;
}

gboolean
profile_export_is_possible (const ProfileModel *model, const char *format)
{
    return strcmp (format, "lprof") != 0
           || (model->exact_lines != NULL && model->exact_lines->len > 0);
}

gboolean
profile_export (const ProfileModel *model, const char *format, const char *path, GError **error)
{
    g_autoptr (ProfileExportTable) table = NULL;
    g_autofree char *names = g_strjoinv (", ", (char **) profile_export_get_formats ());

    for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
        g_autofree char *file = NULL;

        if (strcmp (format, formats[i].name) != 0) {
            continue;
        }
        if (profile_model_get_n_samples (model) == 0) {
            g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                         "cannot export the profile: it has no samples");
            return FALSE;
        }
        table = profile_export_table_new (model);
        file = formats[i].file != NULL && g_file_test (path, G_FILE_TEST_IS_DIR)
                   ? g_build_filename (path, formats[i].file, NULL)
                   : g_strdup (path);
        return formats[i].write (table, file, error);
    }
    g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                 "no export format \"%s\"; there are: %s", format, names);
    return FALSE;
}

/* ---- files ---- */

gboolean
profile_export_make_folder (const char *path, GError **error)
{
    g_auto (BasePlace) place = { .folder = -1 };
    struct stat facts;

    if (base_place_find (path, TRUE, &place)
        && (base_place_make_folder (&place, 0777)
            || (errno == EEXIST
                && fstatat (place.folder, place.name, &facts, AT_SYMLINK_NOFOLLOW) == 0
                && S_ISDIR (facts.st_mode)))) {
        return TRUE;
    }
    g_set_error (error, BASE_ERROR, errno == ENOENT ? BASE_ERROR_NOT_FOUND : BASE_ERROR_DENIED,
                 "cannot make the folder %s: %s", path,
                 errno == EEXIST  ? "a file is in the way"
                 : errno == ELOOP ? BASE_PLACE_LINK
                                  : g_strerror (errno));
    return FALSE;
}

char *
profile_export_dup_rank_path (const ProfileModel *model, const char *path, guint32 rank)
{
    const char *slash = strrchr (path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr (name, '.');
    gsize stem = dot != NULL && dot > name ? (gsize) (dot - path) : strlen (path);

    g_autofree char *process = NULL;
    guint index;

    process = profile_model_find_index (model, rank, &index)
                      && profile_model_is_child (model, index)
                  ? g_strdup_printf ("-pid%d", profile_model_get_process (model, index)->pid)
                  : g_strdup ("");
    return g_strdup_printf ("%.*s_%u%s%s", (int) stem, path, rank, process, path + stem);
}
