/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once
#include <glib.h>

typedef enum {
    DOCTOR_WATCH_WORKS,
    DOCTOR_WATCH_SILENT,  /* debug registers are accepted and never trigger */
    DOCTOR_WATCH_REFUSED, /* there are none */
} DoctorWatch;

typedef struct {
    gboolean can_write_code;  /* through /proc/PID/mem, as breakpoints do */
    gboolean can_read_vector; /* process_vm_readv */
    DoctorWatch watch;
} DoctorProbe;

/* Traces a child of its own for a moment. FALSE: it may not; DENIED with what to do, TIMEOUT. */
gboolean program_doctor_probe (DoctorProbe *ret_probe, GError **error);
/* Has the processor count this process's own cycles for a moment. 0, or errno: why it does not. */
int program_doctor_probe_counters (void);
