/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of Intel's and AMD's processors: Intel, Software Developer's Manual, volume 3, and its lists of events for each
 * model; AMD, Processor Programming References of families 19h and 1Ah. The lists that perf has name them, too. */
#include "machine/counters.h"
#include <string.h>

#define EVENT(code, unit_mask, counter_mask)                                                   \
    ((guint64) (code) | (guint64) (unit_mask) << 8 | (guint64) (counter_mask) << 24)

typedef struct {
    const char *vendor;
    guint family;
    guint first, last; /* models */
    MachineCounters counters;
} Model;

/* FP_ARITH_INST_RETIRED: two kinds of scalars, four of vectors, and two more with AVX-512. */
#define INTEL_SCALAR EVENT (0xc7, 0x03, 0)
#define INTEL_VECTOR EVENT (0xc7, 0x3c, 0)
#define INTEL_WIDE EVENT (0xc7, 0xfc, 0)
#define INTEL_STALLS EVENT (0xa3, 0x14, 20)     /* CYCLE_ACTIVITY.STALLS_MEM_ANY */
#define INTEL_LOAD_STALLS EVENT (0xa6, 0x21, 5) /* EXE_ACTIVITY.BOUND_ON_LOADS */
/* FP_OPS_RETIRED_BY_WIDTH */
#define AMD_SCALAR EVENT (0x08, 0x04, 0)
#define AMD_VECTOR EVENT (0x08, 0x38, 0)

static const Model models[] = {
    { "GenuineIntel", 6, 0x3d, 0x3d, { 0, INTEL_SCALAR, INTEL_VECTOR } }, /* Broadwell */
    { "GenuineIntel", 6, 0x47, 0x47, { 0, INTEL_SCALAR, INTEL_VECTOR } },
    { "GenuineIntel", 6, 0x4f, 0x4f, { 0, INTEL_SCALAR, INTEL_VECTOR } },
    { "GenuineIntel", 6, 0x56, 0x56, { 0, INTEL_SCALAR, INTEL_VECTOR } },
    { "GenuineIntel",
      6,
      0x4e,
      0x4e,
      { INTEL_STALLS, INTEL_SCALAR, INTEL_VECTOR } }, /* Skylake */
    { "GenuineIntel", 6, 0x5e, 0x5e, { INTEL_STALLS, INTEL_SCALAR, INTEL_VECTOR } },
    { "GenuineIntel", 6, 0x8e, 0x8e, { INTEL_STALLS, INTEL_SCALAR, INTEL_VECTOR } },
    { "GenuineIntel", 6, 0x9e, 0x9e, { INTEL_STALLS, INTEL_SCALAR, INTEL_VECTOR } },
    { "GenuineIntel", 6, 0xa5, 0xa6, { INTEL_STALLS, INTEL_SCALAR, INTEL_VECTOR } },
    { "GenuineIntel", 6, 0x55, 0x55, { INTEL_STALLS, INTEL_SCALAR, INTEL_WIDE } },
    { "GenuineIntel",
      6,
      0x6a,
      0x6a,
      { INTEL_STALLS, INTEL_SCALAR, INTEL_WIDE } }, /* Ice Lake */
    { "GenuineIntel", 6, 0x6c, 0x6c, { INTEL_STALLS, INTEL_SCALAR, INTEL_WIDE } },
    { "GenuineIntel", 6, 0x7d, 0x7e, { INTEL_STALLS, INTEL_SCALAR, INTEL_WIDE } },
    { "GenuineIntel",
      6,
      0x8f,
      0x8f,
      { INTEL_LOAD_STALLS, INTEL_SCALAR, INTEL_WIDE } }, /* Sapphire Rapids */
    { "GenuineIntel", 6, 0xcf, 0xcf, { INTEL_LOAD_STALLS, INTEL_SCALAR, INTEL_WIDE } },
    { "AuthenticAMD", 0x19, 0x10, 0x1f, { 0, AMD_SCALAR, AMD_VECTOR } }, /* Zen 4 */
    { "AuthenticAMD", 0x19, 0x60, 0xaf, { 0, AMD_SCALAR, AMD_VECTOR } },
    { "AuthenticAMD", 0x1a, 0x00, 0x7f, { 0, AMD_SCALAR, AMD_VECTOR } }, /* Zen 5 */
};

/* The value of the first processor's line "name : value"; "" there is none. Caller owns. */
static char *
dup_value (const char *cpuinfo, const char *name)
{
    const char *at = cpuinfo;
    gsize length = strlen (name);

    while (at != NULL) {
        const char *behind = at + length;

        if (strncmp (at, name, length) == 0) {
            behind += strspn (behind, " \t");
            if (*behind == ':') {
                behind += 1 + strspn (behind + 1, " \t");
                return g_strndup (behind, strcspn (behind, "\n"));
            }
        }
        at = strchr (at, '\n');
        at = at != NULL ? at + 1 : NULL;
    }
    return g_strdup ("");
}

MachineCounters
machine_counters_find (const char *cpuinfo)
{
    g_autofree char *vendor = dup_value (cpuinfo, "vendor_id");
    g_autofree char *family = dup_value (cpuinfo, "cpu family");
    g_autofree char *model = dup_value (cpuinfo, "model");
    guint64 family_number, model_number;

    if (!g_ascii_string_to_unsigned (family, 10, 0, G_MAXUINT, &family_number, NULL)
        || !g_ascii_string_to_unsigned (model, 10, 0, G_MAXUINT, &model_number, NULL)) {
        return (MachineCounters){ 0 };
    }
    for (guint i = 0; i < G_N_ELEMENTS (models); i++) {
        const Model *each = &models[i];

        if (strcmp (vendor, each->vendor) == 0 && family_number == each->family
            && model_number >= each->first && model_number <= each->last) {
            return each->counters;
        }
    }
    return (MachineCounters){ 0 };
}
