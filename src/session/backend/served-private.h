/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The server of --remote: a process with a socket in a folder of its own. */
#pragma once
#include "session/offers.h"

typedef enum {
    SESSION_SERVED_OVER,
    SESSION_SERVED_DECLINED,
    SESSION_SERVED_LATE, /* nobody took the job that is offered */
    SESSION_SERVED_BROKEN
} SessionServedEnd;

typedef struct {
    SessionOffer *offer;
    GVariant *job;   /* "a{sv}" */
    guint timeout_s; /* 0: waits without limit */
} SessionServedJob;

/* Serves those who connect to the listening socket until a front end says that it is over, or none has come for the
 * time that the last one wanted. job: waits for who takes it; NULL: none is offered. */
SessionServedEnd session_served_run (int listener, const char *id, const char *release,
                                     const SessionServedJob *job);
