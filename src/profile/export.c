/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formats, and the names of their files. */
#include "profile/export-private.h"
#include "base/error.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *name, *file; /* file: its name in a folder; NULL: the folder itself */
    gboolean (*write) (const ProfileExportTable *table, const char *path, GError **error);
} formats[] = {
    { "pstats", "cpu.prof", profile_export_pstats },
    { "speedscope", "profile.speedscope.json", profile_export_speedscope },
    { "collapsed", "profile.collapsed", profile_export_collapsed },
    { "dot", "profile.dot", profile_export_dot },
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

static gboolean
fail (const char *path, int problem, GError **error)
{
    g_set_error (error, BASE_ERROR,
                 problem == EACCES || problem == EPERM || problem == EROFS ? BASE_ERROR_DENIED
                 : problem == ENOENT || problem == ENOTDIR ? BASE_ERROR_NOT_FOUND
                                                           : BASE_ERROR_UNSUPPORTED,
                 "cannot write %s: %s", path, g_strerror (problem));
    return FALSE;
}

static gboolean
write_all (int fd, const char *data, gsize size)
{
    for (gsize done = 0; done < size;) {
        ssize_t n = write (fd, data + done, MIN (size - done, 1u << 30));

        if (n < 0 && errno != EINTR) {
            return FALSE;
        }
        done += (gsize) MAX (n, 0);
    }
    return TRUE;
}

gboolean
profile_export_save (const char *path, const void *data, gsize size, GError **error)
{
    int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    gboolean is_whole;
    struct stat facts;
    int problem;

    if (fd < 0) {
        return fail (path, errno, error);
    }
    is_whole = write_all (fd, data, size);
    problem = errno;
    if (close (fd) != 0 && is_whole) {
        is_whole = FALSE;
        problem = errno;
    }
    if (!is_whole) {
        if (lstat (path, &facts) == 0 && S_ISREG (facts.st_mode)) {
            unlink (path);
        }
        return fail (path, problem, error);
    }
    return TRUE;
}

char *
profile_export_dup_rank_path (const char *path, guint32 rank)
{
    const char *slash = strrchr (path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr (name, '.');
    gsize stem = dot != NULL && dot > name ? (gsize) (dot - path) : strlen (path);

    return g_strdup_printf ("%.*s_%u%s", (int) stem, path, rank, path + stem);
}

void
profile_export_append_number (GString *text, double number, guint digits)
{
    char format[16], buffer[G_ASCII_DTOSTR_BUF_SIZE * 4];

    g_snprintf (format, sizeof format, "%%.%uf", MIN (digits, 12));
    g_string_append (text, g_ascii_formatd (buffer, sizeof buffer, format, number));
}
