/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `set logging`, as in gdb: what the language prints is also written to a file; what the ranks print is not. */
#include "command/private.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_FILE "pddt.txt"

struct _CommandLogging {
    char *file;
    gboolean overwrites;
    FILE *stream; /* NULL: it is off */
    char *open;   /* the name of what is written to */
};

void
command_logging_free (CommandLogging *logging)
{
    if (logging != NULL) {
        if (logging->stream != NULL) {
            fclose (logging->stream);
        }
        g_free (logging->file);
        g_free (logging->open);
        g_free (logging);
    }
}

static CommandLogging *
get_logging (CommandContext *context)
{
    if (context->logging == NULL) {
        context->logging = g_new0 (CommandLogging, 1);
        context->logging->file = g_strdup (DEFAULT_FILE);
    }
    return context->logging;
}

void
command_logging_take (CommandLogging *logging, const char *text)
{
    if (logging != NULL && logging->stream != NULL) {
        fputs (text, logging->stream);
        fputc ('\n', logging->stream);
        fflush (logging->stream);
    }
}

static void
say (CommandJob *job, const char *format, const char *name)
{
    g_autofree char *shown = g_filename_display_name (name);
    g_autofree char *text = g_strdup_printf (format, shown);

    command_job_answer (job, NULL, text);
}

static void
end (CommandJob *job, CommandLogging *logging)
{
    gboolean is_bad;

    if (logging->stream == NULL) {
        return;
    }
    is_bad = ferror (logging->stream) != 0;
    is_bad |= fclose (logging->stream) != 0;
    logging->stream = NULL;
    if (is_bad) {
        command_job_fail (job, NULL, "not all of it could be written to %s", logging->open);
    } else {
        say (job, "done logging to %s", logging->open);
    }
}

static void
begin (CommandJob *job, CommandLogging *logging)
{
    FILE *stream;

    if (logging->stream != NULL) {
        command_job_fail (job, NULL, "already logging to %s: set logging off ends that",
                          logging->open);
        return;
    }
    stream = fopen (logging->file, logging->overwrites ? "we" : "ae");
    if (stream == NULL) {
        command_job_fail (job, NULL, "cannot log to %s: %s", logging->file, g_strerror (errno));
        return;
    }
    g_free (logging->open);
    logging->open = g_strdup (logging->file);
    say (job, "logging to %s", logging->open);
    logging->stream = stream;
}

/* What follows a word, which must stand whole at the beginning; NULL: it does not. */
static const char *
find_rest (const char *text, const char *word)
{
    gsize size = strlen (word);

    return strncmp (text, word, size) == 0 && (text[size] == '\0' || text[size] == ' ')
               ? command_skip_spaces (text + size)
               : NULL;
}

void
command_run_set_logging (CommandJob *job)
{
    CommandLogging *logging = get_logging (job->context);
    const char *text = job->arguments, *rest = find_rest (text, "enabled");

    text = rest != NULL ? rest : text;
    if (*text == '\0' || strcmp (text, "on") == 0) {
        begin (job, logging);
    } else if (strcmp (text, "off") == 0) {
        end (job, logging);
    } else if ((rest = find_rest (text, "file")) != NULL && *rest != '\0') {
        g_free (logging->file);
        logging->file = g_strdup (rest);
    } else if ((rest = find_rest (text, "overwrite")) != NULL
               && (*rest == '\0' || strcmp (rest, "on") == 0 || strcmp (rest, "off") == 0)) {
        logging->overwrites = strcmp (rest, "off") != 0;
    } else {
        command_job_fail (job, NULL,
                          "set logging takes on, off, file FILE, or overwrite on|off: what is "
                          "logged is always shown, too");
    }
    command_job_end (job);
}

void
command_run_show_logging (CommandJob *job)
{
    const CommandLogging *logging = get_logging (job->context);

    if (logging->stream != NULL) {
        say (job, "logging to %s", logging->open);
    } else {
        say (job,
             logging->overwrites ? "off; set logging on replaces %s"
                                 : "off; set logging on appends to %s",
             logging->file);
    }
    command_job_end (job);
}
