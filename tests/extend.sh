#!/bin/sh
# Adds an FTL and a buffer to a copy of the tree by the steps that README.md and CONTRIBUTING.md print, builds
# the copy, and lets the conformance suite and verified runs judge them.  Runs from the top of the tree.
set -eu

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fail() {
	echo "extend: $*" >&2
	exit 1
}

# promised FILE LINE: what follows is what the document says, not what this script would like.
promised() {
	grep -qF -e "$2" "$1" || fail "$1 does not say: $2"
}

# run NAME OPTION...: a verified run whose statistics go to NAME.txt.
run() {
	name=$1
	shift
	./ssd run --verify "$@" >"$name.txt" 2>"$name.err" || { cat "$name.err" && fail "ssd run --verify $*"; }
}

# same NAME MODEL: the runs with NAME and with the MODEL it was copied from give the same values.
same() {
	for name in "$1" "$2"; do
		sed -n '/^request\./,$p' "$name.txt" | sed "s/ *#.*//; s/$2/$1/g" >"$name.values"
	done
	[ -s "$2.values" ] || fail "the run with $2 printed no results"
	cmp "$1.values" "$2.values" || fail "$1 is a copy of $2 but its results differ"
}

promised README.md 'cp ftl/skeleton.c ftl/mine.c           # and replace every "skeleton" in it by "mine"'
promised README.md "echo 'FTL(mine)' >> ftl/list.h"
promised README.md './ssd run --verify -s ftl=mine parameters/tiny.cfg uniform'
# shellcheck disable=SC2016 # the backquotes are Markdown's
{
	promised CONTRIBUTING.md '`cp ftl/skeleton.c ftl/mine.c` and replace every `skeleton` in it by `mine`'
	promised CONTRIBUTING.md '`FTL(mine)` to `ftl/list.h`'
	promised CONTRIBUTING.md './ssd run --verify -s ftl=mine parameters/tiny.cfg mixed'
	promised CONTRIBUTING.md '`cp buffer/lru.c buffer/mine.c` and replace every `lru` in it by `mine`'
	promised CONTRIBUTING.md '`BUFFER(mine)` to `buffer/list.h`'
	promised CONTRIBUTING.md './ssd run --verify -s buffer=mine -s dram.buffer_bytes=64K parameters/tiny.cfg mixed'
}

rooms=$(sed -n 's/^ROOMS *:= *//p' Makefile)
# shellcheck disable=SC2086
cp -R Makefile CHANGELOG.md CITATION.cff ./*.c ./*.h $rooms tests scripts "$copy"
cd "$copy"

cp ftl/skeleton.c ftl/mine.c
sed -i.old 's/skeleton/mine/g' ftl/mine.c
echo 'FTL(mine)' >>ftl/list.h
cp buffer/lru.c buffer/mine.c
sed -i.old 's/lru/mine/g' buffer/mine.c
echo 'BUFFER(mine)' >>buffer/list.h

# The values of an outer make (its build folder, its flags) are not the copy's.
unset MAKEFLAGS MAKEOVERRIDES MFLAGS BUILD SSD CFLAGS LDFLAGS 2>/dev/null || true
make --no-print-directory -s -j2 LTO= OPTIMISE=-O1 ssd build/tests/test_ftl >build.txt 2>&1 ||
	{ cat build.txt && fail 'the copy does not build'; }
scripts/lint || fail 'the copies break a house rule'

./ssd list >list.txt
[ "$(grep -cw '^ *mine' list.txt)" = 2 ] || fail 'ssd list does not show the FTL and the buffer'
./ssd params mine.report_partial >/dev/null || fail "the FTL's own parameter is not known"
./ssd list statistics >list.txt
grep -qw 'mine.partial_writes' list.txt || fail "the FTL's own statistic is not listed"

run skeleton -s ftl=skeleton parameters/tiny.cfg uniform
run mine -s ftl=mine parameters/tiny.cfg uniform
same mine skeleton
run mine -s ftl=mine parameters/tiny.cfg mixed
run lru -s buffer=lru -s dram.buffer_bytes=64K parameters/tiny.cfg mixed
run mine -s buffer=mine -s dram.buffer_bytes=64K parameters/tiny.cfg mixed
same mine lru

# The suite takes every FTL and every buffer of the lists: only those cases that one of the new ones is in.
OPERATIONS=500 build/tests/test_ftl mine >suite.txt 2>&1 ||
	{ tail -20 suite.txt && fail 'the conformance suite refuses them'; }
for case in 'conforms:mine+lru+' 'conforms:page+mine+' 'wears-out:mine+' 'saved:mine+'; do
	grep -qF "[       OK ] $case" suite.txt || fail "the conformance suite has no case $case..."
done
echo 'extend: an FTL and a buffer were added as README.md and CONTRIBUTING.md say; both conform'
