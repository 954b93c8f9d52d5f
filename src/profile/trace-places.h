/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Native code of a trace by its function and line. Only pddt-archive links this. */
#pragma once
#include "profile/trace-files.h"

/* Asks `program` (pddt-symbols) what the run's places of native code are called: profile_trace_file_get_place then says
 * "FILE:LINE (FUNCTION)", or "MODULE+0xOFFSET (FUNCTION)" where there is no line. A place whose module is not there, or is
 * another one by now, stays as it is. */
void profile_trace_places_name (ProfileTrace *trace, const char *program);
