#!/bin/sh
# Installs into a folder, uses program, manual, completion and library there as a user would, and uninstalls
# them.  tests/install.sh SSD, from the top of the tree.
set -eu

to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fail() {
	echo "install: $*" >&2
	exit 1
}

unset MAKEFLAGS MAKEOVERRIDES MFLAGS 2>/dev/null || true
top=$PWD
make --no-print-directory -s SSD="$1" install DESTDIR="$to" PREFIX=/usr >/dev/null
PATH=$to/usr/bin:$PATH
cd "$to"
share=$to/usr/share

# From anywhere, without the tree: profiles and drives are in the program, parameter files are installed.
ssd run --show run.served --verify -s trace.limit=500 tiny lun1 >run.txt || fail 'it does not run'
ssd run --quiet -s trace.limit=500 "$share/ssdlab/parameters/tiny.cfg" lun1 || fail 'no parameter files'
grep -q '^run.served = 500 ' run.txt || fail 'a run from elsewhere serves other requests'
mandoc -Tlint -Wwarning "$share"/man/man1/*.1 || fail 'mandoc warns of the manual'

# The completion of each shell must complete a line.
bash -c '. "$0"; COMP_LINE=$1 COMP_POINT=${#1}; _ssd 2>/dev/null; echo "${COMPREPLY[*]}"' \
	"$share/bash-completion/completions/ssd" 'ssd run -s gc.policy=g' >bash.txt
[ "$(cat bash.txt)" = greedy ] || fail "bash completes gc.policy=g to \"$(cat bash.txt)\""
bash -c '. "$0"; COMP_LINE=$1 COMP_POINT=${#1}; _ssd 2>/dev/null; echo "${COMPREPLY[*]}"' \
	"$share/bash-completion/completions/ssd" 'ssd run ti' >bash.txt
[ "$(cat bash.txt)" = tiny ] || fail "bash completes the drive ti to \"$(cat bash.txt)\""
zsh -fc 'words=(ssd run -s gc.policy=g) CURRENT=4; compadd() { print -r -- $* ${(P)@[-1]} }; . $1' - \
	"$share/zsh/site-functions/_ssd" >zsh.txt
grep -q 'gc.policy=greedy' zsh.txt || fail "zsh completes gc.policy=g to \"$(cat zsh.txt)\""

# A program of its own, in C with the shared library and with the archive, and in C++.
export PKG_CONFIG_SYSROOT_DIR="$to" PKG_CONFIG_PATH="$to/usr/lib/pkgconfig" PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1
export PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
example=$top/library/examples/first.c
# shellcheck disable=SC2046
cc -Wall -Wextra -pedantic -o shared "$example" $(pkg-config --cflags --libs ssdlab) ||
	fail 'no shared library'
PKG_CONFIG_SYSROOT_DIR='' cc -o static "$example" -I"$to/usr/include" "$to/usr/lib/libssdlab.a" \
	$(PKG_CONFIG_SYSROOT_DIR='' pkg-config --libs libconfig libarchive zlib) -lm || fail 'no archive'
for compiler in g++ clang++; do
	$compiler -std=c++11 -Wall -Wextra -pedantic -fsyntax-only -x c++ "$to/usr/include/ssdlab.h" ||
		fail "$compiler does not take ssdlab.h"
done
# shellcheck disable=SC2046
cc -o found "$example" $(pkg-config --cflags --libs ssdlab) -Wl,-rpath,"$to/usr/lib" ||
	fail 'no shared library'
env -u LD_LIBRARY_PATH ./found >found.txt || fail 'a program with an rpath does not find libssdlab.so'
LD_LIBRARY_PATH=$to/usr/lib ./shared >shared.txt && ./static >static.txt || fail 'the example does not run'
cmp shared.txt static.txt && cmp shared.txt found.txt || fail 'the libraries differ'
grep -q 'write amplification' shared.txt || fail 'the example says nothing'
others=$(nm -D --defined-only usr/lib/libssdlab.so | grep -vc ' ssdlab_\| SSDLAB_' || true)
[ "$others" = 0 ] || fail "libssdlab.so exports $others other symbols"
others=$(nm -g --defined-only usr/lib/libssdlab.a | grep ' [A-Z] ' | grep -vc ' ssdlab_' || true)
[ "$others" = 0 ] || fail "libssdlab.a has $others other symbols"
rm -f shared static found

rm -f ./*.txt
make --no-print-directory -s -C "$top" SSD="$1" uninstall DESTDIR="$to" PREFIX=/usr
left=$(find "$to" -mindepth 1)
[ -z "$left" ] || fail "left behind: $left"

# A prefix with blanks, and one in the home folder that the shell has not put in place.
unset PKG_CONFIG_SYSROOT_DIR
# shellcheck disable=SC2088
for prefix in "$to/with a blank" '~/with another'; do
	at=$(echo "$prefix" | sed "s|^~|$to|")
	HOME=$to make --no-print-directory -s -C "$top" SSD="$1" install PREFIX="$prefix" >/dev/null ||
		fail "PREFIX=\"$prefix\" fails"
	"$at/bin/ssd" version >/dev/null || fail "$at/bin/ssd does not run"
	flags=$(PKG_CONFIG_PATH="$at/lib/pkgconfig" pkg-config --cflags --libs ssdlab)
	eval "cc -o example '$example' $flags" || fail "pkg-config does not find $at"
	rm -f example
	HOME=$to make --no-print-directory -s -C "$top" SSD="$1" uninstall PREFIX="$prefix"
	left=$(find "$to" -type f)
	[ -z "$left" ] || fail "left behind: $left"
done
echo 'install: program, manual, completion, parameter files and library came, worked and went'
