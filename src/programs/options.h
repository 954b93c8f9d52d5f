/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words before the user's command, for pddt and for its window program, by one table. */
#pragma once
#include <glib.h>

typedef struct {
    gboolean cli, json, interactive, keep, trust, carry;
    gboolean profile, score, doctor;
    gboolean trace, c_functions, memory,
        native_memory; /* trace: also where another option implies it */
    gboolean help, version, reference, dap, serve, connect;
    const char *remote, *remote_program, *keep_for, *take, *decline, *connect_timeout, *submit,
        *resume;       /* resume: of serve */
    GPtrArray *fields; /* of char*: NAME=VALUE, of submit */
    char *taken;       /* of take, where it was chosen; owned */
    guint keep_for_s, connect_timeout_s;
    const char *completion; /* the shell whose completion is printed */
    const char *stop_at, *input, *timeout;
    const char *socket; /* of dap; NULL: standard input and output */
    const char *attach, *attach_job, *attach_ranks, *choose;
    const char *when_full, *buffer;
    const char *rate, *output, *duration, *metrics, *finalize, *trace_settings, *filter;
    guint timeout_s;            /* 0: not given */
    guint rate_hz, duration_ms; /* 0: not given */
    guint32 metric_set;         /* 0: not given */
    guint64 buffer_size;        /* bytes */
    GPtrArray *cores;           /* of char*, ended by NULL unless it is empty */
    GPtrArray *lines;           /* of char*: "e:COMMAND", "x:FILE" */
    GPtrArray *reports;         /* of char*: files */
    GPtrArray *exports;         /* of char*: FORMAT or FORMAT=FILE */
    GPtrArray *functions;       /* of char*: those whose lines are counted */
    char **words;               /* the user's command; may be empty */
} ProgramOptions;

/* What is borrowed is argv's. FALSE: ret_complaint (caller frees) is for the user. */
gboolean program_options_parse (ProgramOptions *options, char **argv, char **ret_complaint);
void program_options_clear (ProgramOptions *options);
/* Of --help, after the lines that say what pddt can be given; caller frees. */
char *program_options_format_usage (void);
/* One row of the table; help is NULL for what is not for users. value is its word in the help: "a|b" are all that
 * there are, "[=x]" may be left out, NULL: it takes none. */
typedef struct {
    const char *name, *value, *help;
} ProgramOption;
gboolean program_options_get (guint index, ProgramOption *ret_option); /* FALSE: past the end */
/* pddt FILE.pddt */
gboolean program_options_is_saved (const ProgramOptions *options);
gboolean program_options_has_subject (const ProgramOptions *options);
/* pddt FOLDER | FILE.otf2: the path is words[0]; also of a folder without an archive */
gboolean program_options_is_archive (const ProgramOptions *options);
/* The job is to be measured, and not to be stopped: --profile, or a report or export where no command of pddt
 * could debug it. */
gboolean program_options_measures (const ProgramOptions *options);
