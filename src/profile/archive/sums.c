/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/sums.h"
#include "base/error.h"
#include "base/hash.h"
#include "profile/exact-lines.h"
#include "profile/otf2.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD "pddt sums 1\n"
#define PART (256u << 10)

/* FALSE: it cannot be read. */
static gboolean
sum_file (const char *path, guint64 *ret_hash, guint64 *ret_size)
{
    int fd = open (path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    g_autofree char *part = g_malloc (PART);
    struct stat facts;
    gsize n = 0;
    gssize got = fd >= 0 && fstat (fd, &facts) == 0 && S_ISREG (facts.st_mode) ? 1 : -1;

    *ret_hash = *ret_size = 0;
    while (got > 0) { /* the parts are equally long whenever the file is read */
        got = read (fd, part + n, PART - n);
        n += (gsize) MAX (got, 0);
        if (n == PART || got <= 0) {
            *ret_hash = base_hash_bytes (*ret_hash, part, n);
            *ret_size += n;
            n = 0;
        }
    }
    if (fd >= 0) {
        close (fd);
    }
    return got == 0;
}

static gboolean
add_file (GString *text, const char *name, GError **error)
{
    guint64 hash, size;

    if (!sum_file (name, &hash, &size)) {
        if (errno == ENOENT) {
            return TRUE;
        }
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "cannot read %s: %s", name,
                     g_strerror (errno));
        return FALSE;
    }
    g_string_append_printf (text, "%016" G_GINT64_MODIFIER "x %" G_GUINT64_FORMAT " %s\n", hash,
                            size, name);
    return TRUE;
}

gboolean
profile_sums_write (GError **error)
{
    static const char *const names[] = { PROFILE_LINES_NAME, PROFILE_OTF2_NAME ".def",
                                         PROFILE_OTF2_NAME ".otf2" };
    g_autoptr (GString) text = g_string_new (HEAD);
    g_autoptr (GDir) folder = g_dir_open (PROFILE_OTF2_NAME, 0, NULL);
    const char *name;
    gboolean is_done = TRUE;

    for (guint i = 0; i < G_N_ELEMENTS (names) && is_done; i++) {
        is_done = add_file (text, names[i], error);
    }
    while (is_done && folder != NULL && (name = g_dir_read_name (folder)) != NULL) {
        g_autofree char *path = g_build_filename (PROFILE_OTF2_NAME, name, NULL);

        is_done = add_file (text, path, error);
    }
    g_string_append_printf (text, "%016" G_GINT64_MODIFIER "x\n",
                            base_hash_bytes (0, text->str, text->len));
    return is_done
           && g_file_set_contents (PROFILE_SUMS_NAME, text->str, (gssize) text->len, error);
}

/* FALSE: it is damaged. The last line is cut off then. */
static gboolean
take_text (char *text, gsize size)
{
    char *last = size > 1 && text[size - 1] == '\n'
                     ? g_strrstr_len (text, (gssize) size - 1, "\n")
                     : NULL;
    g_autofree char *wanted = NULL;

    if (last == NULL || strlen (text) != size || !g_str_has_prefix (text, HEAD)) {
        return FALSE;
    }
    wanted = g_strdup_printf ("%016" G_GINT64_MODIFIER "x\n",
                              base_hash_bytes (0, text, (gsize) (last + 1 - text)));
    if (strcmp (last + 1, wanted) != 0) {
        return FALSE;
    }
    *last = '\0';
    return TRUE;
}

/* line: as add_file has written it. */
static gboolean
is_as_written (const char *folder, const char *line)
{
    char *end;
    guint64 hash, size, wanted = g_ascii_strtoull (line, &end, 16);
    guint64 wanted_size = g_ascii_strtoull (end, &end, 10);
    g_autofree char *path = g_build_filename (folder, *end == ' ' ? end + 1 : end, NULL);

    return strstr (end, "..") == NULL && sum_file (path, &hash, &size) && hash == wanted
           && size == wanted_size;
}

BaseText *
profile_sums_check (const char *anchor, gboolean is_summed)
{
    g_autofree char *folder = g_path_get_dirname (anchor), *name = g_path_get_basename (anchor);
    g_autofree char *path = g_build_filename (folder, PROFILE_SUMS_NAME, NULL), *text = NULL;
    g_auto (GStrv) lines = NULL;
    gsize size;

    if (strcmp (name, PROFILE_OTF2_NAME ".otf2") != 0) {
        return NULL;
    }
    if (!g_file_get_contents (path, &text, &size, NULL)) {
        return is_summed ? base_text_new (N_ ("%s is missing, so that nobody knows whether the "
                                              "other files are damaged"),
                                          PROFILE_SUMS_NAME)
                         : NULL;
    }
    if (!take_text (text, size)) {
        return base_text_new (
            N_ ("%s is damaged, so that nobody knows whether the other files are"),
            PROFILE_SUMS_NAME);
    }
    lines = g_strsplit (text, "\n", -1);
    for (guint i = 1; lines[0] != NULL && lines[i] != NULL; i++) {
        if (!is_as_written (folder, lines[i])) {
            const char *space = strrchr (lines[i], ' ');

            return base_text_new (N_ ("%s is not as it was written: it is damaged"),
                                  space != NULL ? space + 1 : lines[i]);
        }
    }
    return NULL;
}
