/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GLib's log writer of our programs: one line a message, to a file or to stderr. */
#include "base/log.h"
#include "base/escape.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *log_program;
static int log_fd = -1;
static gboolean log_debug;

static const char *
find_message (const GLogField *fields, gsize n_fields, char *spare, gsize spare_size)
{
    for (gsize i = 0; i < n_fields; i++) {
        if (strcmp (fields[i].key, "MESSAGE") == 0) {
            if (fields[i].length < 0) {
                return fields[i].value;
            }
            g_snprintf (spare, spare_size, "%.*s", (int) MIN (fields[i].length, 8191),
                        (const char *) fields[i].value);
            return spare;
        }
    }
    return "";
}

static const char *
get_level_name (GLogLevelFlags level)
{
    switch (level & G_LOG_LEVEL_MASK) {
    case G_LOG_LEVEL_ERROR: return "error";
    case G_LOG_LEVEL_CRITICAL: return "critical";
    case G_LOG_LEVEL_WARNING: return "warning";
    case G_LOG_LEVEL_MESSAGE: return "message";
    case G_LOG_LEVEL_INFO: return "info";
    default: return "debug";
    }
}

/* Who says the same for days must not fill a disk that others need. Adds the last line when this one
 * reaches the limit; FALSE: there is no room for it. */
static gboolean
make_room (char **line)
{
    struct stat file;

    if (log_fd < 0 || fstat (log_fd, &file) < 0 || !S_ISREG (file.st_mode)) {
        return TRUE;
    }
    if (file.st_size >= BASE_LOG_MAX_BYTES) {
        return FALSE;
    }
    if (file.st_size + (goffset) strlen (*line) >= BASE_LOG_MAX_BYTES) {
        g_autofree char *before = *line;

        *line = g_strconcat (before, "The log is full: nothing more is written.\n", NULL);
    }
    return TRUE;
}

static GLogWriterOutput
write_log (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
    g_autoptr (GDateTime) now = NULL;
    g_autofree char *stamp = NULL;
    g_autofree char *line = NULL;
    char spare[8192];
    const char *message;
    gboolean is_warning
        = (level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING)) != 0;
    gboolean is_wanted = is_warning || log_debug
                         || (log_fd >= 0 && (level & G_LOG_LEVEL_MESSAGE) != 0);

    if (!is_wanted) {
        return G_LOG_WRITER_HANDLED;
    }
    message = find_message (fields, n_fields, spare, sizeof spare);
    if (log_fd < 0) {
        line = g_strdup_printf ("%s: %s: %s\n", log_program, get_level_name (level), message);
    } else {
        now = g_date_time_new_now_local ();
        stamp = g_date_time_format (now, "%Y-%m-%d %H:%M:%S");
        line = g_strdup_printf ("%s.%06d %s[%d] %s: %s\n", stamp,
                                g_date_time_get_microsecond (now), log_program, (int) getpid (),
                                get_level_name (level), message);
    }
    if (!make_room (&line)) {
        return G_LOG_WRITER_HANDLED;
    }
    /* A single write, so that lines of several processes do not mix. Ignores a full disk. */
    if (write (log_fd < 0 ? STDERR_FILENO : log_fd, line, strlen (line)) < 0) {
        return G_LOG_WRITER_UNHANDLED;
    }
    return G_LOG_WRITER_HANDLED;
}

void
base_log_init (const char *program, const char *path)
{
    static gboolean is_set;

    g_free (log_program);
    log_program = g_strdup (program != NULL ? program : "pddt");
    log_debug = g_getenv ("PDDT_DEBUG") != NULL;
    if (log_fd >= 0) {
        close (log_fd);
    }
    log_fd = path == NULL
                 ? -1
                 : open (path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (!is_set) {
        is_set = TRUE; /* GLib allows it once a process */
        g_log_set_writer_func (write_log, NULL, NULL);
    }
}

int
base_log_get_fd (void)
{
    return log_fd;
}

void
base_log_say (const char *format, ...)
{
    g_autofree char *text = NULL, *shown = NULL;
    va_list arguments;

    va_start (arguments, format);
    text = g_strdup_vprintf (format, arguments);
    va_end (arguments);
    shown = base_escape_dup (text, BASE_ESCAPE_NAME);
    fprintf (stderr, "pddt: %s\n", shown);
}
