/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A request from the front end to ranks. Daemons accept it at once; nothing waits for its
 * result. A daemon ignores a motion whose id is not above that of the rank's last motion, so
 * that a request sent twice moves no rank twice. */
#pragma once
#include "job/rank-set.h"
#include "job/where.h"

typedef enum {
    JOB_VERB_NONE,
    /* motions: final event is the acceptance (running or stepping); the stop comes later with
     * the same request id, not final */
    JOB_VERB_CONTINUE,
    JOB_VERB_PAUSE,
    JOB_VERB_STEP, /* text: the one function to step into, as code is listed; NULL: any */
    JOB_VERB_NEXT,
    JOB_VERB_FINISH, /* count, 1 when 0 */
    JOB_VERB_STEPI,
    JOB_VERB_NEXTI,
    JOB_VERB_UNTIL,  /* where */
    JOB_VERB_JUMP,   /* where */
    JOB_VERB_RETURN, /* text: EXPR or NULL */
    JOB_VERB_SIGNAL, /* text: "SIGUSR1", "10" or "0" */
    JOB_VERB_KILL,
    JOB_VERB_DETACH,
    /* breakpoints: number is the logical breakpoint's, chosen by the session */
    JOB_VERB_BREAK, /* number, where, condition, every, log, thread, TEMPORARY */
    JOB_VERB_DELETE,
    JOB_VERB_ENABLE,
    JOB_VERB_DISABLE,   /* number */
    JOB_VERB_CONDITION, /* number, condition, every, log: all three from now on */
    JOB_VERB_CATCH,  /* number, text: "signal SIGUSR1", "exception ValueError", "throw", … */
    JOB_VERB_WATCH,  /* number, text */
    JOB_VERB_HANDLE, /* text: signal name; text2: "stop print nopass" … */
    /* queries: the answer's events are final */
    JOB_VERB_STATE, /* STATE events with place; never stops a rank */
    JOB_VERB_WHERE, /* count: innermost frames, 0 all; THREADS, FULL */
    JOB_VERB_PRINT, /* text: expression in the selected frame; text2: NULL, or gdb's letter of print/F */
    JOB_VERB_PRINTF, /* text: C's format, with its escapes; text2: expressions, comma between; answer: TEXT */
    JOB_VERB_SET,  /* text: left side, text2: right side */
    JOB_VERB_CALL, /* text */
    JOB_VERB_EXEC, /* text: Python statement */
    JOB_VERB_LOCALS,
    JOB_VERB_GLOBALS,
    JOB_VERB_WHATIS,
    JOB_VERB_PTYPE,  /* text; text2: gdb's flags, or NULL */
    JOB_VERB_FRAME,  /* number: absolute frame, or RELATIVE: +1 up, -1 down in `delta` */
    JOB_VERB_THREAD, /* number */
    JOB_VERB_THREADS,
    JOB_VERB_MODULES,
    JOB_VERB_MAPS,
    JOB_VERB_SIGNALS,
    JOB_VERB_REGISTERS,
    JOB_VERB_DISASSEMBLE, /* where: its function, or so many bytes from that address on; NONE: the
                            frame's function. text: NULL, or "r": with the bytes */
    JOB_VERB_EXAMINE,     /* text: FMT, where */
    JOB_VERB_FIND, /* text: "START, END, VALUE…", expressions; text2: NULL, or COUNT and a unit's letter; answer:
                             TEXT */
    JOB_VERB_DUMP, /* text: absolute path of the core file to write, for one rank */
    JOB_VERB_INFO, /* text: "frame", "line" or "scope" (where), "place" (where; answer: STACKS of one frame), "symbol" (text2: EXPR), "macro" (text2: expand,
                            once, info or list, a space, the text), "object" (text2: "memory ADDRESS SIZE …",
                            answer: ARRAY of bytes; or PATH, a tab and what engine/inspect/info.c says of
                            types), "source" (text2:
                            the file of Python code that is in none; number: of which character on; answer:
                            TEXT, a part; empty: its end) */
    JOB_VERB_QUEUE,
    JOB_VERB_NAMES, /* text: a part of names; count: how many; delta: JobNameKind; answer: TEXT
                            as job_names_format makes it. Neither stops nor reads a rank. With
                            JOB_NAME_BY_PATTERN text is a GRegex for functions, text2 their file
                            or NULL */
    JOB_VERB_OPTION, /* text: name, text2: value; JOB_OPTION_SKIP: lines of JOB_SKIP_FUNCTION and a
                            name, or JOB_SKIP_FILE and the end of a path */
    JOB_VERB_INPUT, /* text: bytes to feed */
    JOB_VERB_ARRAY, /* text: expression of an array of numbers; answer: ARRAY */
    JOB_VERB_PROFILE, /* rate, 0: end; ms that it lasts. Answer: SAMPLES, the last one final; an end
                            is ACCEPTED. With SUMMED the answer is COSTS, when it has ended in all
                            ranks of a host. With SLOWER the samples of one under way come so many
                            times more rarely, which is ACCEPTED */
    JOB_VERB_CANCEL, /* cancels: a request: interrupts the code that
                            it runs in a rank. Has no answer itself */
    JOB_VERB_START,  /* text: "main", "mpi-init", "none", "start": first motion of a job;
                            sent once, before ranks report; kept by the daemon for later ranks. With MEASURED
                            and "none" nothing stops a rank, forked children are ranks, and all
                            are sampled from their start to their end (rate, metrics); SAMPLES
                            bear its id */
    JOB_N_VERBS
} JobVerb;

#define JOB_OPTION_SKIP "skip"
#define JOB_SKIP_FUNCTION "function "
#define JOB_SKIP_FILE "file "

typedef enum {
    JOB_REQUEST_TEMPORARY = 1 << 0,
    JOB_REQUEST_THREADS = 1 << 1,
    JOB_REQUEST_FULL = 1 << 2,
    JOB_REQUEST_RELATIVE
    = 1 << 3, /* FRAME: by delta. NEXT: not to a line further up in the same call */
    JOB_REQUEST_EOF = 1 << 4, /* INPUT: close after the text */
    JOB_REQUEST_ENDED
    = 1
      << 5, /* PRINT, PRINTF, WHATIS, PTYPE, GLOBALS, INFO, NAMES: ranks that have ended answer
                                   too, by what their files say; the answer has JOB_EVENT_INITIAL where
                                   that is a value */
    JOB_REQUEST_TRUTH = 1 << 6, /* PRINT: only whether it is true matters, as of a condition */
    JOB_REQUEST_MEASURED = 1 << 7, /* START */
    JOB_REQUEST_SLOWER = 1 << 8,   /* PROFILE */
    /* START, with MEASURED: ranks are not sampled */
    JOB_REQUEST_UNSAMPLED = 1 << 9,
    JOB_REQUEST_UNSTOPPED
    = 1 << 11, /* WHERE: no rank is stopped for it; BUSY of one that computes */
    JOB_REQUEST_WHOLE = 1 << 12, /* PRINT: not abbreviated, as far as an answer can be */
    JOB_REQUEST_CALLS_NOTHING
    = 1 << 13, /* PRINT: no function of the program, as under the mouse */
    /* PRINT, PRINTF, LOCALS, REGISTERS: who asks shows a summary, so hosts hand on no more of what differs in more than
       JOB_MAX_GROUPS ways. Nothing is cut without it. */
    JOB_REQUEST_SUMMARY = 1 << 14,
    JOB_REQUEST_SUMMED = 1 << 10, /* PROFILE: COSTS at the end instead of SAMPLES */
} JobRequestFlags;

#define JOB_EVERY_FROM (G_GUINT64_CONSTANT (1) << 32)

/* What the client that asks has selected in these ranks. */
typedef struct {
    JobRankSet *ranks;  /* as the request's */
    guint32 thread;     /* its number; 0: the one that has stopped */
    guint32 frame;      /* among those that are shown; 0 is the innermost */
    gboolean has_frame; /* FALSE: the one that the thread's place is in */
} JobSelection;

typedef struct {
    guint64 id; /* increasing; set by the session */
    JobVerb verb;
    guint32 flags;
    JobRankSet *ranks;  /* ranks in the front end, slots on the wire */
    union {             /* one number on the wire, which each verb calls what it is */
        guint32 number; /* of a breakpoint, thread or frame; of which on */
        guint32 count;  /* of steps, levels, answers */
        guint32
            rate; /* samples of each thread in a second; 0: end, or as many as suit; with SLOWER: times */
    };
    gint32 delta;
    union {              /* likewise */
        guint64 every;   /* hit; 0: each; with JOB_EVERY_FROM, all from that one on */
        guint64 bytes;   /* DISASSEMBLE; 0: the function */
        guint64 ms;      /* PROFILE; 0: until it is told to end */
        guint64 metrics; /* START: a set (job/metric.h); 0: all */
        guint64 cancels; /* CANCEL: id of a request */
    };
    guint32 thread; /* 0: any */
    JobWhere where;
    char *text, *text2, *condition, *log; /* NULL when absent */
    GPtrArray *selections; /* of JobSelection, no rank twice; NULL: nothing is selected */
} JobRequest;

JobRequest *job_request_new (JobVerb verb,
                             const JobRankSet *ranks); /* copies; NULL: empty set */
JobRequest *job_request_dup (const JobRequest *request);
void job_request_select (JobRequest *request, const JobRankSet *ranks, guint32 thread,
                         gboolean has_frame, guint32 frame);
const JobSelection *job_request_find_selection (const JobRequest *request,
                                                guint32 rank); /* NULL */
/* What a breakpoint does where it stands: condition, every and log. */
void job_request_copy_modifiers (const JobRequest *from, JobRequest *to);
void job_request_free (JobRequest *request);
/* Of SET: "x = 1", "x += 1" of text "x +". Caller owns. */
char *job_request_dup_assignment (const JobRequest *request);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (JobRequest, job_request_free)
gboolean job_verb_is_motion (JobVerb verb);
/* It is for ranks that stand: step, next, finish, until, stepi, nexti. */
gboolean job_verb_is_step (JobVerb verb);
/* It may change what a later question to the rank reads, though the rank stays where it is. */
gboolean job_verb_is_write (JobVerb verb);
const char *job_verb_get_name (JobVerb verb);             /* "continue", "where", … */
GVariant *job_request_encode (const JobRequest *request); /* floating */
JobRequest *job_request_decode (GVariant *variant, guint32 limit, GError **error); /* CORRUPT */
