/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once
#include "command/measure.h"

/* Makes it; one that is there already is never written to. NULL: it cannot be made, and the user knows why. Caller owns. */
char *command_measure_make_folder (Session *session, const CommandMeasureOptions *options);
