/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses /proc/PID/maps by hand, because ranks of a job have hundreds of lines each. */
#include "target/maps.h"
#include "base/error.h"
#include "target/process.h"
#include <fcntl.h>
#include <unistd.h>
#include <string.h>

static guint64
take_number (const char **cursor, guint base)
{
    guint64 value = 0;

    for (;; (*cursor)++) {
        guint c = (guint8) * *cursor;
        guint digit = c - '0' < 10 ? c - '0' : c - 'a' < 6 ? c - 'a' + 10 : base;

        if (digit >= base) {
            return value;
        }
        value = value * base + digit;
    }
}

static gboolean
take_char (const char **cursor, char wanted)
{
    if (**cursor != wanted) {
        return FALSE;
    }
    (*cursor)++;
    return TRUE;
}

/* A file's mappings follow each other: that of the line before often has the same path. */
static const char *
intern_path (const char *start, const char *end, const TargetMap *before, gboolean *ret_deleted)
{
    static const char suffix[] = " (deleted)";
    gsize size = (gsize) (end - start), cut = sizeof suffix - 1;
    g_autofree char *path = NULL;

    if (before != NULL && !before->deleted && strncmp (before->path, start, size) == 0
        && before->path[size] == '\0') {
        *ret_deleted = FALSE;
        return before->path;
    }
    *ret_deleted = size > cut && memcmp (end - cut, suffix, cut) == 0;
    path = g_strndup (start, *ret_deleted ? size - cut : size);
    return g_intern_string (path);
}

/* start-end perms offset major:minor inode   path */
static gboolean
parse_line (const char *line, const char *end, const TargetMap *before, TargetMap *map)
{
    const char *cursor = line;
    guint64 major;

    map->start = take_number (&cursor, 16);
    if (!take_char (&cursor, '-')) {
        return FALSE;
    }
    map->end = take_number (&cursor, 16);
    if (!take_char (&cursor, ' ') || end - cursor < 5) {
        return FALSE;
    }
    map->readable = cursor[0] == 'r';
    map->writable = cursor[1] == 'w';
    map->executable = cursor[2] == 'x';
    cursor += 5;
    map->offset = take_number (&cursor, 16);
    if (!take_char (&cursor, ' ')) {
        return FALSE;
    }
    major = take_number (&cursor, 16);
    if (!take_char (&cursor, ':')) {
        return FALSE;
    }
    map->device = major << 20 | take_number (&cursor, 16);
    if (!take_char (&cursor, ' ')) {
        return FALSE;
    }
    map->inode = take_number (&cursor, 10);
    while (cursor < end && *cursor == ' ') {
        cursor++;
    }
    map->path = intern_path (cursor, end, before, &map->deleted);
    return map->start < map->end;
}

GArray *
target_maps_parse (const char *text)
{
    GArray *maps = g_array_new (FALSE, TRUE, sizeof (TargetMap));

    while (*text != '\0') {
        const char *end = strchrnul (text, '\n');
        const TargetMap *before = maps->len > 0
                                      ? &g_array_index (maps, TargetMap, maps->len - 1)
                                      : NULL;
        TargetMap map = { 0 };

        if (parse_line (text, end, before, &map)) {
            g_array_append_val (maps, map);
        }
        text = *end == '\0' ? end : end + 1;
    }
    return maps;
}

/* Reads in large pieces, because the kernel walks the map anew for each read. NULL: the
 * process has ended. */
static char *
read_all (const char *path)
{
    static char piece[16384];
    g_autoptr (GString) text = g_string_new (NULL);
    int fd = open (path, O_RDONLY | O_CLOEXEC);
    gssize got = fd < 0 ? -1 : 1;

    while (got > 0) {
        got = read (fd, piece, sizeof piece);
        g_string_append_len (text, piece, MAX (got, 0));
    }
    if (fd >= 0) {
        close (fd);
    }
    return got < 0 ? NULL : g_string_free (g_steal_pointer (&text), FALSE);
}

/* If the first thread has ended and others live on, only theirs can be read. */
static char *
read_other (pid_t pid)
{
    g_autoptr (GArray) tids = target_process_list_threads (pid);
    char *text = NULL;

    for (guint i = 0; i < tids->len && (text == NULL || text[0] == '\0'); i++) {
        g_autofree char *path = g_strdup_printf ("/proc/%d/task/%d/maps", (int) pid,
                                                 (int) g_array_index (tids, pid_t, i));

        g_free (text);
        text = read_all (path);
    }
    return text;
}

GArray *
target_maps_read (pid_t pid, GError **error)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/maps", (int) pid);
    g_autofree char *text = read_all (path);

    if (text == NULL || text[0] == '\0') {
        g_free (text);
        text = read_other (pid);
    }
    if (text == NULL || text[0] == '\0') {
        base_error_set (error, BASE_ERROR_GONE,
                        "cannot read the memory map of process %d: it has ended", (int) pid);
        return NULL;
    }
    return target_maps_parse (text);
}

const TargetMap *
target_maps_find (const GArray *maps, guint64 address)
{
    guint low = 0, high = maps->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        const TargetMap *map = &g_array_index (maps, TargetMap, middle);

        if (address < map->start) {
            high = middle;
        } else if (address >= map->end) {
            low = middle + 1;
        } else {
            return map;
        }
    }
    return NULL;
}
