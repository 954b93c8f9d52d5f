/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames as plain values. */
#include "job/frame.h"

JobFrame *
job_frame_new (void)
{
    return g_new0 (JobFrame, 1);
}

void
job_frame_free (JobFrame *frame)
{
    if (frame != NULL) {
        job_location_clear (&frame->location);
        g_free (frame->arguments);
        g_free (frame->locals);
        g_free (frame);
    }
}

JobFrame *
job_frame_dup (const JobFrame *frame)
{
    JobFrame *copy;

    if (frame == NULL) {
        return NULL;
    }
    copy = g_new (JobFrame, 1);
    *copy = *frame;
    copy->location.function = g_strdup (frame->location.function);
    copy->location.file = g_strdup (frame->location.file);
    copy->location.module = g_strdup (frame->location.module);
    copy->arguments = g_strdup (frame->arguments);
    copy->locals = g_strdup (frame->locals);
    return copy;
}

gboolean
job_frame_is_python (const JobFrame *frame)
{
    return frame->location.language == JOB_LANGUAGE_PYTHON;
}

char *
job_frame_format_marks (guint32 flags)
{
    return g_strconcat (flags & JOB_FRAME_INLINED ? " [inlined]" : "",
                        flags & JOB_FRAME_TAIL_CALL ? " [tail call]" : "",
                        flags & JOB_FRAME_AFTER_GAP ? " [calls missing]" : "",
                        flags & JOB_FRAME_INCOMPLETE ? " [incomplete]" : "", NULL);
}
