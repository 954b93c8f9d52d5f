/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/kit/rank-set.h"

G_DEFINE_BOXED_TYPE (JobRankSet, gui_rank_set, job_rank_set_dup, job_rank_set_free)
