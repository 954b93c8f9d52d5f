/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a trace says of files that ranks have used, of threads that have waited for each other's locks, and of memory. */
#pragma once
#include "profile/model.h"

/* What a rank has done with a file. */
typedef struct {
    guint32 rank;
    char *path;
    guint64 n_opened, n_closed, n_reads, n_writes, n_syncs;
    guint64 read, written; /* bytes */
    double read_s, write_s, sync_s;
} ProfileFileUse;

/* All that a thread has waited for a lock at one place while the same thread had it at the same place. */
typedef struct {
    guint32 rank, thread;
    guint32 owner;             /* thread that had it; 0: not known */
    char *call;                /* "pthread_mutex_lock" */
    char *place, *owner_place; /* "work at app.c:12"; "" unknown */
    guint64 n;
    double seconds, longest_s;
} ProfileLockWait;

/* Memory that a rank has allocated at one place. Bytes are estimates: of each 64 to 512 KiB one block was sampled. */
typedef struct {
    guint32 rank;
    char *place; /* of Python code: "work at app.py:12"; "" none */
    char
        *code; /* of native code that has allocated it: "solve at app.c:12"; NULL: Python has */
    char *callers; /* of that native code, the nearest first; NULL: none */
    guint64 n_samples, allocated;
    guint64 held_middle,
        held_end; /* in the middle of the run, and when the program's code ended */
} ProfileAllocation;

/* Copies. */
void profile_model_add_file_use (ProfileModel *model, const ProfileFileUse *use);
void profile_model_add_lock_wait (ProfileModel *model, const ProfileLockWait *wait);
void profile_model_add_allocation (ProfileModel *model, const ProfileAllocation *allocation);
/* Of ProfileAllocation, of each rank those that hold the most first; borrowed. */
const GArray *profile_model_get_allocations (const ProfileModel *model);
/* Of ProfileFileUse, those with the most time first; borrowed. */
const GArray *profile_model_get_file_uses (const ProfileModel *model);
/* Of ProfileLockWait, those with the most time first; borrowed. */
const GArray *profile_model_get_lock_waits (const ProfileModel *model);
