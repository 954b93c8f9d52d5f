/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A running Python process as these tests see it: its memory, its images, and the report that it
 * writes about its own stacks. */
#pragma once
#include "python/python.h"
#include <sys/types.h>

typedef struct {
    pid_t pid;
    int input;              /* write end; closing it lets the program end */
    char *report;           /* all lines up to "end" */
    BaseMemoryReader *memory;
    GArray *images;         /* of PythonImage */
} Live;

/* Starts the interpreter on tests/python/NAME, or an absolute path, and waits for its report. */
Live *live_start (const char *interpreter, const char *script);
void live_stop (Live *live); /* ends the process and frees */
/* Interpreters that are on this machine and have a layout table; NULL-terminated. */
char **live_list_interpreters (void);
/* The thread's frames, innermost first, a line each: "FUNCTION|FILE|LINE"; or why not. */
char *live_format_stack (PythonRuntime *runtime, const PythonThread *thread);
