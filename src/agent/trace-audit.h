/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PDDT_AGENT_TRACE_AUDIT_H
#define PDDT_AGENT_TRACE_AUDIT_H

/* In a program that has CPython 3.8 or later, before that is set up: start is called once, when the user's script is
 * about to run, with the GIL held. Does nothing in other programs. */
void trace_audit_begin (void (*start) (void));

#endif
