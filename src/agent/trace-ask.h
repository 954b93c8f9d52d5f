/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line of Python code that has made a call, for writers that are not the Python tracer. */
#pragma once
#include <stdint.h>

/* What the extra of a Leave says of it; 0: this thread runs no Python code. Takes the interpreter's lock, so it is for
 * a caller that gives that up around the call and needs it again right after it. */
__attribute__ ((visibility ("hidden"))) uint16_t trace_ask_line (void);
