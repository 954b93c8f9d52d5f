/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What samples of the same run say of the time between two events of a thread. A sample tells which functions the call that
 * was under way then had called that nobody recorded. It stands for the time of that call since the sample before it, and
 * the last one before the next event for the rest; what else it stands for, as any sample does for the time since the
 * last one, is the time of the same call where nobody has looked: other times between events, which are shorter than what lies
 * between two samples. So what is filled is never more than the call's own time, nor than what its samples stand for. */
#pragma once
#include "profile/model.h"

typedef struct _ProfileOtf2Fill ProfileOtf2Fill;
typedef struct _ProfileOtf2FillThread ProfileOtf2FillThread;

/* samples: its times are those of the events; borrowed. */
ProfileOtf2Fill *profile_otf2_fill_new (const ProfileModel *samples);
const ProfileModel *profile_otf2_fill_get_samples (const ProfileOtf2Fill *fill);
/* A call of that name would be there: a sample that is in one where no event is was not taken then. file: of a Python
 * function; NULL: a call of MPI. */
void profile_otf2_fill_add_recorded (ProfileOtf2Fill *fill, const char *name, const char *file);
void profile_otf2_fill_free (ProfileOtf2Fill *fill); /* NULL is fine */
/* The index in the model of that process, which has events; G_MAXUINT: it has no samples. */
guint profile_otf2_fill_find (const ProfileOtf2Fill *fill, const char *host, gint32 pid);

/* Those of a thread of the process; NULL: it has none. thread, tid: its number and its host's kernel's id of it in the
 * archive; 0: not known. Both archives mean the same thread by an id, but where one of them lacks it by number 1 alone. A
 * kernel may give an id once more when its thread has ended: events do not tell such threads apart either. tree: the
 * process's, which gets what has been sampled. */
ProfileOtf2FillThread *profile_otf2_fill_begin (ProfileOtf2Fill *fill, guint index,
                                                guint32 thread, gint32 tid,
                                                JobContextTree *tree);
/* Of guint: the threads of the model's process (profile_samples_get) that no profile_otf2_fill_begin has found. */
GArray *profile_otf2_fill_dup_unused (const ProfileOtf2Fill *fill, guint index);
/* TRUE: all of them are known by an id, so that what is unused is no thread that has events. */
gboolean profile_otf2_fill_knows_threads (const ProfileOtf2Fill *fill, guint index);
/* The same of one of these. */
ProfileOtf2FillThread *profile_otf2_fill_begin_unused (ProfileOtf2Fill *fill, guint index,
                                                       guint unused, JobContextTree *tree);
void profile_otf2_fill_end (ProfileOtf2FillThread *thread); /* NULL is fine */
/* From when to when there are samples that are not used yet, in ns. FALSE: there are none. */
gboolean profile_otf2_fill_get_span (const ProfileOtf2FillThread *thread, guint64 *ret_begin_ns,
                                     guint64 *ret_end_ns);

typedef struct {
    guint64 end_ns;
    guint32 context; /* in the process's tree; 0: nobody knows */
    guint8 class;    /* JobClass */
    gboolean is_filled, is_spread;
    gboolean is_blocked; /* in no call, it waited in the kernel */
} ProfileOtf2FillPiece;

/* A time between two events begins. */
void profile_otf2_fill_enter (ProfileOtf2FillThread *thread);
/* How the time from `from` on goes on that the thread has spent in the context of its tree, with that class, up to at most
 * `until`. context: 0: in no call that was recorded. */
ProfileOtf2FillPiece profile_otf2_fill_next (ProfileOtf2FillThread *thread, guint64 from,
                                             guint64 until, guint32 context, guint8 class);
