#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Writes the layout tables for the given include folders: make.sh INCLUDE/python3.N… >layout.c
set -e
here=$(dirname "$0")
program=$(mktemp)
trap 'rm -f "$program"' EXIT
cat <<'TEXT'
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layout tables of CPython's minor versions on x86-64, written by generate/make.sh: a version's
 * table holds for all its patch levels. Not to be edited. */
#include "python/layout-private.h"

/* clang-format off */
static const PythonLayout layouts[] = {
TEXT
for include in "$@"; do
    ${CC:-cc} -w -O0 -I"$include" -I"$include/internal" -o "$program" "$here/layout.c"
    "$program"
done
cat <<'TEXT'
};
/* clang-format on */

const PythonLayout *
python_layout_find (guint minor)
{
    for (guint i = 0; i < G_N_ELEMENTS (layouts); i++) {
        if (layouts[i].minor == minor) {
            return &layouts[i];
        }
    }
    return NULL;
}
TEXT
