/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replaces the one internal header that Open MPI's packages leave out: two handles. */
#pragma once
typedef void *peruse_event_h;
typedef void *peruse_comm_spec_t;
