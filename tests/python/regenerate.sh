#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The layout tables in the tree are those that each interpreter's own headers give: every version
# whose headers are found is generated again and compared, but for the line that names the release.
set -u
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# take FILE MINOR: the block of that version
take ()
{
    awk -v minor="    .minor = $2," '/^{/ { text = ""; keep = 0 } { text = text $0 "\n" }
        $0 == minor { keep = 1 } /^},/ && keep { printf "%s", text; exit }' "$1"
}

list ()
{
    for folder in /usr/include/python3.* "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/include/python3.*; do
        minor=${folder##*/python3.}
        case $minor in *[!0-9]* | '') continue ;; esac
        [ "$minor" -ge 8 ] && [ "$minor" -le 14 ] && [ -e "$folder/internal" ] && echo "$folder"
    done
}

count=0
failed=0
for folder in $(list); do
    minor=${folder##*/python3.}
    count=$((count + 1))
    if ! sh "$source/src/python/generate/make.sh" "$folder" >"$work/all" 2>"$work/errors"; then
        echo "not ok $count $folder: does not compile"
        sed 's/^/# /' "$work/errors"
        failed=1
        continue
    fi
    take "$work/all" "$minor" >"$work/seen"
    take "$source/src/python/layout.c" "$minor" >"$work/expected"
    if [ -s "$work/seen" ] && diff "$work/expected" "$work/seen" >"$work/difference"; then
        echo "ok $count $folder"
    else
        echo "not ok $count $folder"
        sed 's/^/# /' "$work/difference"
        failed=1
    fi
done
[ $count -gt 0 ] || { echo "1..0 # SKIP no headers of CPython 3.8 to 3.14 here"; exit 0; }
echo "1..$count"
exit $failed
