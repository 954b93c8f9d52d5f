/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is recorded, by the file "settings" in the spool's folder. Each line is a word, a space and a value:
 * "file +PATTERN", "file -PATTERN", "region +PATTERN", "region -PATTERN" in the order of a filter
 * file (the last that matches decides), "lines FUNCTION", "calls c", "calls none" (until
 * the program asks for them), "names modules" (a region is MODULE:NAME), "memory python", "buffer first BYTES",
 * "buffer last BYTES" (trace-keep.c).
 * src/profile/trace-settings.c writes it. */
#include "agent/trace-python.h"
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct {
    enum { FILE_RULE, REGION_RULE, LINES } kind;
    int is_included, has_matched;
    unsigned line; /* in the settings, from 0 on */
    char *pattern;
} Rule;

int trace_wants_c, trace_wants_modules;
static Rule *rules;
static size_t n_rules;
static char settings_folder[4096];

/* pddt says at the end which rules have matched nothing in any process: the others have left a file. */
static void
note_match (Rule *rule)
{
    char path[sizeof settings_folder + 32];
    long fd;

    if (!rule->has_matched) {
        rule->has_matched = 1;
        snprintf (path, sizeof path, "%s/" PDDT_TRACE_MATCHED "%u", settings_folder,
                  rule->line);
        fd = syscall (SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        if (fd >= 0) {
            syscall (SYS_close, fd);
        }
    }
}

static void
add_rule (int kind, int is_included, const char *pattern, unsigned line)
{
    Rule *more = realloc (rules, (n_rules + 1) * sizeof *rules);
    char *copy = strdup (pattern);

    if (more == NULL || copy == NULL) {
        free (copy);
        return;
    }
    rules = more;
    rules[n_rules].kind = kind;
    rules[n_rules].is_included = is_included;
    rules[n_rules].has_matched = 0;
    rules[n_rules].line = line;
    rules[n_rules++].pattern = copy;
}

static void
take_line (const char *line, unsigned number)
{
    const char *value = strchr (line, ' ');
    size_t length = value != NULL ? (size_t) (value - line) : 0;

    if (value == NULL) {
        return;
    }
    value++;
    if (length == 4 && strncmp (line, "file", 4) == 0 && *value != '\0') {
        add_rule (FILE_RULE, *value == '+', value + 1, number);
    } else if (length == 6 && strncmp (line, "region", 6) == 0 && *value != '\0') {
        add_rule (REGION_RULE, *value == '+', value + 1, number);
    } else if (length == 5 && strncmp (line, "lines", 5) == 0) {
        add_rule (LINES, 1, value, number);
    } else if (length == 6 && strncmp (line, "memory", 6) == 0) {
        trace_wants_memory |= strcmp (value, "python") == 0;
    } else if (length == 5 && strncmp (line, "names", 5) == 0) {
        trace_wants_modules |= strcmp (value, "modules") == 0;
    } else if (length == 5 && strncmp (line, "calls", 5) == 0) {
        trace_wants_c |= strcmp (value, "c") == 0;
        trace_pause |= strcmp (value, "none") == 0 ? TRACE_NO_CALLS : 0;
    }
}

void
trace_filter_load (const char *folder)
{
    char path[4200], *line = NULL;
    size_t room = 0;
    unsigned number = 0;
    FILE *file;

    snprintf (settings_folder, sizeof settings_folder, "%s", folder);
    snprintf (path, sizeof path, "%s/settings", folder);
    file = fopen (path, "re");
    while (file != NULL && getline (&line, &room, file) > 0) {
        line[strcspn (line, "\n")] = '\0';
        take_line (line, number++);
    }
    free (line);
    if (file != NULL) {
        fclose (file);
    }
}

/* "PREFIX:NAME" or "PREFIX.NAME". */
static int
is_named_in (const char *pattern, const char *prefix, int length, const char *name)
{
    char text[1024];

    snprintf (text, sizeof text, "%.*s:%s", length, prefix, name);
    if (fnmatch (pattern, text, 0) == 0) {
        return 1;
    }
    text[strcspn (text, ":")] = '.';
    return fnmatch (pattern, text, 0) == 0;
}

/* "work", "Solver.work"; "solver:Solver.work" or "solver.Solver.work", where the file is solver.py; or
 * "package.solver:Solver.work" and "__main__:work", by the module's name. Score-P's Python bindings have the plain name
 * there, "package.solver:work". */
static int
is_named (const char *pattern, const TraceFunction *function)
{
    const char *slash = strrchr (function->file, '/');
    const char *base = slash != NULL ? slash + 1 : function->file, *dot = strrchr (base, '.');
    int length = dot != NULL ? (int) (dot - base) : (int) strlen (base);

    return fnmatch (pattern, function->name, 0) == 0
           || fnmatch (pattern, function->full_name, 0) == 0
           || is_named_in (pattern, base, length, function->full_name)
           || (function->module != NULL
               && (is_named_in (pattern, function->module, (int) strlen (function->module),
                                function->full_name)
                   || is_named_in (pattern, function->module, (int) strlen (function->module),
                                   function->name)));
}

/* A function is recorded if neither its file nor its name is excluded. */
int
trace_filter_is_recorded (const TraceFunction *function)
{
    int has_file = 1, has_name = 1;

    if (trace_names_is_own (function->file)) {
        return 0;
    }
    for (size_t i = 0; i < n_rules; i++) {
        if (rules[i].kind == FILE_RULE && fnmatch (rules[i].pattern, function->file, 0) == 0) {
            has_file = rules[i].is_included;
            note_match (&rules[i]);
        } else if (rules[i].kind == REGION_RULE && is_named (rules[i].pattern, function)) {
            has_name = rules[i].is_included;
            note_match (&rules[i]);
        }
    }
    return has_file && has_name;
}

int
trace_filter_has_lines (const TraceFunction *function)
{
    int has_lines = 0;

    for (size_t i = 0; i < n_rules;
         i++) { /* all of them: each is told whether it has matched */
        if (rules[i].kind == LINES && is_named (rules[i].pattern, function)) {
            note_match (&rules[i]);
            has_lines = 1;
        }
    }
    return has_lines;
}

int
trace_filter_needs_modules (void)
{
    if (trace_wants_modules) {
        return 1;
    }
    for (size_t i = 0; i < n_rules; i++) {
        if (rules[i].kind != FILE_RULE) {
            return 1;
        }
    }
    return 0;
}
