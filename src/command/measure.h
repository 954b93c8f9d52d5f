/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measured runs and their archives, for pddt's main: all that is told goes to standard error. */
#pragma once
#include "profile/model.h"
#include "profile/trace-settings.h"
#include "session/session.h"

/* What is written beside the archive. All borrowed. */
typedef struct {
    const GPtrArray *reports; /* of char*: files, whose suffixes are the forms */
    const GPtrArray
        *exports; /* of char*: FORMAT or FORMAT=FILE; without FILE into FOLDER/export */
} CommandMeasureOutputs;

typedef struct {
    SessionOptions start; /* is_measured */
    gboolean is_sampled;  /* --profile, or neither */
    gboolean is_traced;   /* --trace: of both, each has an archive in a folder of its own */
    ProfileTraceSettings trace;
    const char *output;          /* the archive's folder; NULL: pddt-PROGRAM-N */
    guint duration_ms;           /* 0: until the job ends */
    const char *archive_program; /* path of pddt-archive */
    CommandMeasureOutputs outputs;
} CommandMeasureOptions;

/* Runs the job to its end. Returns pddt's exit status: the launcher's, 3 if pddt failed, 2 where the
 * command line is wrong. */
int command_measure_run (Session *session, const CommandMeasureOptions *options);
/* What `profile` prints of the model. Caller owns. */
char *command_profile_format (const ProfileModel *model, gboolean json);
/* Prints what an archive has, to standard output, or writes the outputs if there are any. Returns pddt's exit
 * status. */
int command_measure_print (const char *archive_program, const char *path, gboolean json,
                           const CommandMeasureOutputs *outputs);
/* The same of what has changed from the archive before to the one of now. */
int command_measure_compare (const char *archive_program, const char *before, const char *now,
                             gboolean json, const GPtrArray *reports);
/* Prints scorep-score's table of an archive. Returns pddt's exit status. */
int command_measure_print_score (const char *archive_program, const char *path);
/* Prints what --filter FILE has the tracer do, as the tracer reads it; filter "": without a filter. Returns pddt's exit
 * status. */
int command_measure_print_settings (const char *filter);
/* Writes the archive of a run that was cut off. Returns pddt's exit status. */
int command_measure_finalize (const char *archive_program, const char *folder);
