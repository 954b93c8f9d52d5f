/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One frame of a blended stack. Numbers count shown frames from the innermost, 0. */
#pragma once
#include "base/text.h"
#include "job/location.h"

typedef enum {
    JOB_FRAME_INLINED = 1 << 0,
    JOB_FRAME_INCOMPLETE = 1 << 1, /* nothing outside this frame is certain */
    JOB_FRAME_SIGNAL = 1 << 2,     /* a handler's trampoline */
    JOB_FRAME_INTERPRETER
    = 1 << 3,                     /* CPython's own, the agent's, libffi's: hidden by default */
    JOB_FRAME_PROGRAM = 1 << 7,   /* code of the program's own executable, also without lines */
    JOB_FRAME_LIBRARY = 1 << 4,   /* no line, or code of no user's file: not a "place" */
    JOB_FRAME_TAIL_CALL = 1 << 5, /* it tail-called the function inside it and left no
                                       frame */
    JOB_FRAME_AFTER_GAP = 1 << 6, /* callers outside it did the same; which ones is not
                                       known */
    JOB_FRAME_SAMPLED = 1 << 8,   /* seen by samples, between calls that were recorded */
} JobFrameFlags;

/* Of a sampled frame whose own time is of more than one class: contexts that differ in that alone are one function. */
#define JOB_FRAME_TWIN_SHIFT 16
#define JOB_FRAME_TWINS (0xffu << JOB_FRAME_TWIN_SHIFT)

typedef struct {
    JobLocation location;
    guint32 flags;        /* JobFrameFlags */
    guint64 pc;           /* native: in the rank; for Python: address of the frame object */
    guint64 cfa;          /* native: canonical frame address; Python: its anchor */
    guint32 native_index; /* native: index in the unwound stack (inlined ones share it);
                              Python: index in the thread's Python stack, innermost 0 */
    char *arguments;      /* "(n=3, buf=0x…)" or NULL; only for where … full */
    char *locals;         /* the same of the other variables */
} JobFrame;

JobFrame *job_frame_new (void);
void job_frame_free (JobFrame *frame);
JobFrame *job_frame_dup (const JobFrame *frame);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (JobFrame, job_frame_free)
gboolean job_frame_is_python (const JobFrame *frame);
/* " [inlined]" and the like, each with a space before it. Caller owns. */
char *job_frame_format_marks (BaseTextForm form, guint32 flags);
