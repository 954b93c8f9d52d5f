/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the thread that runs Python and the main loop say to each other: messages in two queues. Python's side is a module of
 * its own that links libpython, and is opened when the first script runs. */
#pragma once
#include <glib.h>

typedef enum {
    /* to Python */
    SCRIPT_RUN, /* text: source, text2: file or NULL, text3: ranks, number: its first line; answer: DONE */
    SCRIPT_CALL,  /* text: name of a command, text2: arguments, text3: ranks; answer: DONE */
    SCRIPT_HIT,   /* number: breakpoint, text: ranks; answer: JUDGED */
    SCRIPT_EVENT, /* text: JSON; only while it listens */
    SCRIPT_ANSWER, /* to COMMAND and the other questions: text, data, number: whether it is good */
    SCRIPT_WAKE, /* look whether there was an interrupt */
    SCRIPT_END,  /* finalise Python */
    SCRIPT_SHOW, /* text: what printers may show (show.c); text2: instead, a function's call (functions.c); answers: SHOWING, SHOWN */
    /* from Python */
    SCRIPT_STARTED, /* text: NULL, or why it could not */
    SCRIPT_DONE,    /* id: of RUN or CALL; text: NULL, or why it failed */
    SCRIPT_JUDGED,  /* id: of HIT */
    SCRIPT_COMMAND, /* text: a line, number: of its context; answer: its JSON, or text, by lines */
    SCRIPT_WRITE,  /* text: whole lines, number: 1 or 2, or 0 for an error */
    SCRIPT_ADD,    /* text: name of a command, text2: its help; answer */
    SCRIPT_OWN,    /* number: of a breakpoint whose hits come as HIT from now on; answer */
    SCRIPT_DISOWN, /* number */
    SCRIPT_LISTEN, /* number: whether EVENT is wanted */
    SCRIPT_FACTS,  /* answer: "size|all|focus|start" of the job */
    SCRIPT_MOMENT, /* text: ranks; answer: a number that changes with their moment */
    SCRIPT_ARRAY, /* text: ranks, text2: expression; answer: "RANKS SHAPE SIZE" by lines, data: bytes */
    SCRIPT_OBJECT, /* text: ranks, text2: what of their memory and types (JOB_VERB_INFO, "object"), or "print
                      EXPR"; answer: as of ARRAY */
    SCRIPT_SHOWING, /* id: of SHOW, which runs now */
    SCRIPT_SHOWN,   /* id: of SHOW; text: lines */
    SCRIPT_ARM,     /* the user has printers, or text: a function $NAME; answer */
    SCRIPT_PROFILE, /* text: what of a profile (profiles.c), text2: words by lines, number: which; answer: JSON, or
                       "CODE\tREASON" where it is not good; none to "close" */
} ScriptKind;

/* Of SCRIPT_COMMAND: scripts that call scripts run their lines in contexts of their own, two for each depth: of JSON
 * and, above it, of text. */
#define SCRIPT_MAX_DEPTH 8
#define SCRIPT_PLACE 0xff
#define SCRIPT_IN_CALLBACK 0x100 /* other ranks' motions are not waited for */

typedef struct {
    ScriptKind kind;
    guint64 id, number;
    char *text, *text2, *text3; /* NULL: none */
    GBytes *data;               /* NULL */
} ScriptMessage;

ScriptMessage *script_message_new (ScriptKind kind, guint64 id, const char *text);
void script_message_free (ScriptMessage *message);

/* For the thread that runs Python. */
typedef struct {
    ScriptMessage *(*take) (
        gint64 timeout_us); /* waits; NULL: the time is over; below 0: without limit */
    void (*send) (ScriptMessage *message); /* takes it */
    void (*free) (ScriptMessage *message);
    ScriptMessage *(*make) (ScriptKind kind, guint64 id, const char *text);
} ScriptPort;

/* The module's one function: runs Python until END. */
#define SCRIPT_PYTHON_RUN "script_python_run"
typedef void (*ScriptPythonRun) (const ScriptPort *port);
/* Interrupts its Python code. From any thread. */
#define SCRIPT_PYTHON_INTERRUPT "script_python_interrupt"
typedef void (*ScriptPythonInterrupt) (void);
