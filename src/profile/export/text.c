/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/export/text.h"
#include "base/array.h"
#include "base/error.h"
#include "base/place.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a formula begins with; the last ones are those of East Asian keyboards. */
static const char *const formulas[] = { "=",  "+",      "-",      "@",      "\t",
                                        "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20" };

static gboolean
fail (const char *path, int problem, GError **error)
{
    g_set_error (error, BASE_ERROR,
                 problem == EACCES || problem == EPERM || problem == EROFS ? BASE_ERROR_DENIED
                 : problem == ENOENT || problem == ENOTDIR ? BASE_ERROR_NOT_FOUND
                                                           : BASE_ERROR_UNSUPPORTED,
                 "cannot write %s: %s", path,
                 problem == ELOOP ? BASE_PLACE_LINK : g_strerror (problem));
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
profile_text_save (const char *path, const void *data, gsize size, GError **error)
{
    g_auto (BasePlace) place = { .folder = -1 };
    int fd = base_place_find (path, TRUE, &place)
                 ? base_place_open (&place, O_WRONLY | O_CREAT | O_TRUNC, 0666)
                 : -1;
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
        if (fstatat (place.folder, place.name, &facts, AT_SYMLINK_NOFOLLOW) == 0
            && S_ISREG (facts.st_mode)) {
            unlinkat (place.folder, place.name, 0);
        }
        return fail (path, problem, error);
    }
    return TRUE;
}

void
profile_text_append_number (GString *text, double number, guint digits)
{
    char format[16], buffer[G_ASCII_DTOSTR_BUF_SIZE * 4];

    g_snprintf (format, sizeof format, "%%.%uf", MIN (digits, 12));
    g_string_append (text, g_ascii_formatd (buffer, sizeof buffer, format, number));
}

/* Of XML 1.0. */
static gboolean
is_allowed (gunichar c)
{
    return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c <= 0xd7ff)
           || (c >= 0xe000 && c <= 0xfffd) || c >= 0x10000;
}

void
profile_text_append_xml (GString *to, const char *text)
{
    g_autofree char *valid = g_utf8_make_valid (text, -1);

    for (const char *at = valid; *at != '\0'; at = g_utf8_next_char (at)) {
        gunichar c = g_utf8_get_char (at);

        switch (c) {
        case '<': g_string_append (to, "&lt;"); break;
        case '>': g_string_append (to, "&gt;"); break;
        case '&': g_string_append (to, "&amp;"); break;
        case '"': g_string_append (to, "&quot;"); break;
        case '\'': g_string_append (to, "&#39;"); break;
        default: g_string_append_unichar (to, is_allowed (c) ? c : 0xfffd); break;
        }
    }
}

static gboolean
is_number (const char *text)
{
    char *end;

    g_ascii_strtod (text, &end);
    return *end == '\0' && end > text;
}

static gboolean
is_formula (const char *text)
{
    text += strspn (text, " ");
    return BASE_CHOOSE (i, G_N_ELEMENTS (formulas), g_str_has_prefix (text, formulas[i]),
                        text[strlen (formulas[i])] != '\0' && !is_number (text), FALSE);
}

/* A cell that a spreadsheet would compute begins with an apostrophe, which makes a text of it. Where the comma is the
 * decimal mark a semicolon separates cells, and what follows one is a cell there, whatever is quoted. */
void
profile_text_append_csv (GString *to, const char *text)
{
    g_autoptr (GString) cell = g_string_new (NULL);
    gboolean is_start = TRUE, is_quoted = strpbrk (text, ",;\"\n\r") != NULL;

    for (; *text != '\0'; text++) {
        if (is_start && is_formula (text)) {
            g_string_append_c (cell, '\'');
            is_quoted = TRUE;
        }
        is_start = *text == ';';
        if (*text == '"') {
            g_string_append_c (cell, '"');
        }
        g_string_append_c (cell, *text);
    }
    g_string_append_printf (to, is_quoted ? "\"%s\"" : "%s", cell->str);
}
