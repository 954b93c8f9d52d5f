/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The error domain's quark and the names of its codes. */
#include "base/error.h"

static const char *const names[] = {
    "not-found", "invalid",     "fault",   "gone", "busy",
    "denied",    "unsupported", "corrupt", "lost", "timeout",
};

GQuark
base_error_quark (void)
{
    return g_quark_from_static_string ("pddt-base-error-quark");
}

const char *
base_error_get_name (int code)
{
    if (code < 0 || (gsize) code >= G_N_ELEMENTS (names)) {
        return "unknown";
    }
    return names[code];
}
