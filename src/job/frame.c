/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames as plain values. */
#include "job/frame.h"
#include "base/array.h"
#include <glib/gi18n.h>

JobFrame *
job_frame_new (void)
{
    return g_new0 (JobFrame, 1);
}

BASE_FREE_PUBLIC (job_frame_free, JobFrame, frame, job_location_clear (&frame->location);
                  g_free (frame->arguments); g_free (frame->locals))

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
job_frame_format_marks (BaseTextForm form, guint32 flags)
{
    static const struct {
        guint32 flag;
        const char *mark;
    } marks[] = {
        /* Translators: marks behind a frame of a stack. */
        { JOB_FRAME_INLINED, N_ ("[inlined]") },
        /* Translators: a frame that is gone, as its function ended by calling the next one. */
        { JOB_FRAME_TAIL_CALL, N_ ("[tail call]") },
        /* Translators: functions between this frame and its caller are not known. */
        { JOB_FRAME_AFTER_GAP, N_ ("[calls missing]") },
        /* Translators: the stack goes on from here, but how is not known. */
        { JOB_FRAME_INCOMPLETE, N_ ("[incomplete]") },
        /* Translators: samples have seen this frame between calls that were recorded. */
        { JOB_FRAME_SAMPLED, N_ ("[sampled]") },
    };
    GString *text = g_string_new (NULL);

    for (guint i = 0; i < G_N_ELEMENTS (marks); i++) {
        if (flags & marks[i].flag) {
            g_string_append_printf (text, " %s",
                                    form == BASE_TEXT_SHOWN ? gettext (marks[i].mark)
                                                            : marks[i].mark);
        }
    }
    return g_string_free (text, FALSE);
}
