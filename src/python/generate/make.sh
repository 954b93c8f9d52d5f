#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# make.sh INCLUDE/python3.8 … INCLUDE/python3.14 >layout-fields.h writes the table of all versions;
# make.sh --fields INCLUDE/python3.N "NAME OFFSET" of each field of one.
set -e
here=$(dirname "$0")
program=$(mktemp)
trap 'rm -f "$program"' EXIT

list ()
{
    for include in "$@"; do
        ${CC:-cc} -w -O0 -I"$include" -I"$include/internal" -o "$program" "$here/layout.c"
        "$program"
    done
}

if [ "$1" = --fields ]; then
    list "$2" | grep -v '^release '
    exit
fi
list "$@" | awk -v sort='LC_ALL=C sort | sed "\$s/ .\$//"' '
    $1 == "release" { releases = releases " " $2; count++; next }
    { offset[$1, count] = $2; fields[$1] }
    END {
        print "/* SPDX-License-Identifier: GPL-3.0-or-later */"
        print "/* Byte offsets in structures of CPython on x86-64, written by generate/make.sh from the headers of"
        print " *" releases "."
        print " * A column is a minor version, for all its patch levels; 0 if it has no such field. Not to be edited. */"
        print "#pragma once"
        print "\n/* clang-format off */\n#define PYTHON_LAYOUT_FIELDS(F) \\"
        fflush ()
        for (field in fields) {
            row = sprintf ("    F (%-21s", field ",")
            for (i = 1; i <= count; i++)
                row = row sprintf (" %6s", offset[field, i] + 0 (i < count ? "," : ")"))
            print row " \\" | sort
        }
        close (sort)
        print "/* clang-format on */"
    }'
