#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# pseudo-language.sh POT PO: a catalogue of a language in which each text is its English one within ‹ and ›, so that a
# test sees what came through the catalogue, and in which form. PO.d gets the folders that gettext looks into.
set -e
msgen --no-wrap "$1" | sed 's/^"Plural-Forms:.*/"Plural-Forms: nplurals=2; plural=n != 1;\\n"/' |
    msgfilter --no-wrap --keep-header -o "$2" sed -e '1s/^/‹/' -e '$s/$/›/'
mkdir -p "$2.d/xx/LC_MESSAGES"
# From glibc 2.41 gettext translates nothing in C.UTF-8: the same locale under another name.
[ ! -d /usr/lib/locale/C.utf8 ] || ln -sfn /usr/lib/locale/C.utf8 "$2.d/en_US.utf8"
msgfmt -o "$2.d/xx/LC_MESSAGES/pddt.mo" "$2"
