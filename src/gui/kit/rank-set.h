/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of ranks as values of properties. */
#pragma once
#include <glib-object.h>
#include "job/rank-set.h"

#define GUI_TYPE_RANK_SET (gui_rank_set_get_type ())
GType gui_rank_set_get_type (void);
