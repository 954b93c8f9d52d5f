/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Well-formed messages, one of each kind. */
#pragma once
#include "job/event.h"
#include "job/request.h"

GPtrArray *samples_new_events (void);   /* of JobEvent, ranks below 8 */
GPtrArray *samples_new_requests (void); /* of JobRequest, one of each verb */
GPtrArray *samples_new_sets (void);     /* of JobRankSet: empty, ranges, strided, bitmap */
