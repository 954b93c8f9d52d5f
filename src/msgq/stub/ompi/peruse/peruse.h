/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stands for the one header of Open MPI's own that its packages leave out: two handles. */
#pragma once
typedef void *peruse_event_h;
typedef void *peruse_comm_spec_t;
