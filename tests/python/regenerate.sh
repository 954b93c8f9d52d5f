#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The layout table in the tree is what each interpreter's own headers give: the column of every
# version whose headers are found is generated again and compared.
set -u
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# take MINOR: the column of that version
take ()
{
    sed -n 's/^    F (\(.*\)).*/\1/p' "$source/src/python/layout-fields.h" | tr -d , |
        awk -v column=$(($1 - 6)) '{ print $1, $column }'
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
    if ! sh "$source/src/python/generate/make.sh" --fields "$folder" >"$work/given" 2>"$work/errors"; then
        echo "not ok $count $folder: does not compile"
        sed 's/^/# /' "$work/errors"
        failed=1
        continue
    fi
    # A field that the version has not is 0 in the table.
    grep -v ' 0$' "$work/given" | LC_ALL=C sort >"$work/seen"
    take "$minor" | grep -v ' 0$' >"$work/expected"
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
