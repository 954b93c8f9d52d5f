/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fake ranks for measuring at scale: the daemon answers for them as the engine would for real
 * ones, through the same protocol, sets and merging, but without ptrace and debug
 * information. A profile of them has a thousand contexts, with times that differ from rank to rank by chance,
 * and takes as long as was asked for. */
#pragma once
#include "job/event.h"
#include "job/request.h"

typedef struct {
    guint32 n_ranks, first_rank, size; /* ranks [first_rank, first_rank + n_ranks) of size */
    guint32 seed;                      /* determines the places of the ranks */
} DaemonFakeOptions;

typedef struct _DaemonFake DaemonFake;
typedef void (*DaemonFakeEmit) (const JobEvent *event, gpointer user);

DaemonFake *daemon_fake_new (const DaemonFakeOptions *options, DaemonFakeEmit emit,
                             gpointer user);
void daemon_fake_handle (DaemonFake *fake, const JobRequest *request);
void daemon_fake_free (DaemonFake *fake);
