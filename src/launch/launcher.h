/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All that pddt knows about launchers, as one table: their programs, how their --version is
 * recognised, how a line counts its ranks, where the shim is hooked in, how output is tagged and
 * how their agents are named. Their other options are in options.c. */
#pragma once
#include "launch/launch.h"

/* How a launcher is told which agent (ssh, rsh, …) starts its daemons on other hosts. */
typedef struct {
    const char *const *parameters; /* "-mca NAME VALUE"; NULL: options "-NAME VALUE" */
    const char *const *names;      /* of the values; the first is what pddt uses */
    const char *prefix;            /* of the parameter's variable */
    const char *const *files; /* of parameters, below the home directory or absolute; NULL */
    const char *variable;     /* for the agent that pddt sets */
    gboolean is_program;      /* a path alone: arguments need a script */
} LaunchAgent;

/* A family of launchers. Lists of names are without dashes, with a space around each. */
typedef struct {
    LaunchKind kind;
    const char *begin;           /* of its --version; NULL: not told by it */
    const char *const *versions; /* texts of which its --version contains one; NULL */
    const char *size_options;    /* number of ranks of one part of the line */
    const char *size_word;       /* the same as pddt writes it, with its dash */
    gboolean joins_letters;      /* "-n4" */
    gboolean has_parts;          /* "a : b" are two programs of one job */
    const char *file_option;     /* names a file with the job's programs */
    gboolean file_is_program;    /* the file's path stands where a program would */
    const char *hook;    /* variable with a command to run before each program; NULL: the
                                    shim stands on the line */
    gboolean hides_size; /* ranks do not learn the job's size from their environment */
    LaunchTagForm tags;
    const char *tag_variable, *tag_option; /* asks for tags; NULL */
    const char *tag_value;         /* of either; NULL: the option takes a pattern with "%r" */
    const char *own_tag_options;   /* the user's, with which pddt does not ask; NULL */
    const char *abort_parameter;   /* seconds that it waits before it ends a broken job; NULL */
    const char *abort_prefix;      /* of that parameter's variable */
    const char *const *host_files; /* that name hosts by themselves; NULL */
    gboolean always_leaves;        /* its ranks may be on other hosts, whatever the line says */
    const LaunchAgent *agent;      /* NULL: it starts its daemons by itself */
} LaunchLauncher;

/* Never NULL: for LAUNCH_NONE a row without hook, tags and agent. */
const LaunchLauncher *launch_launcher_get (LaunchKind kind);
/* The kind by the output of --version; LAUNCH_NONE: no launcher that pddt knows. */
LaunchKind launch_launcher_recognise (const char *version);
/* TRUE when the program's name, with or without a path, is a launcher's. *ret_kind (may be NULL):
 * the kind that usually has that name; mpirun and mpiexec may be of another one, which only
 * --version says. */
gboolean launch_launcher_has_name (const char *program, LaunchKind *ret_kind);
/* Names to offer to somebody who starts a job, best first; NULL-terminated. */
const char *const *launch_launcher_list_names (void);
