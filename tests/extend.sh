#!/bin/sh
# Adds an FTL, a buffer and a collection policy to a copy of the tree by the steps that README.md and
# CONTRIBUTING.md print, builds the copy, and lets the conformance suite and verified runs judge them.  Runs
# from the top of the tree.
set -eu

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fail() {
	echo "extend: $*" >&2
	exit 1
}

# promised FILE LINE: the document has this line, so that the steps below are those of the document.
promised() {
	grep -qF -e "$2" "$1" || fail "$1 does not say: $2"
}

# run NAME OPTION...: a verified run whose statistics go to NAME.txt.
run() {
	name=$1
	shift
	./ssd run --all --verify "$@" >"$name.txt" 2>"$name.err" && return
	cat "$name.err"
	fail "ssd run --verify $*"
}

# same NAME MODEL: the runs with NAME and with the MODEL it was copied from give the same values.
same() {
	for name in "$1" "$2"; do
		sed -n '/^request\./,$p' "$name.txt" | sed "s/ *#.*//; s/$2/$1/g" >"$name.values"
	done
	[ -s "$2.values" ] || fail "the run with $2 printed no results"
	cmp "$1.values" "$2.values" || fail "$1 is a copy of $2 but its results differ"
}

promised README.md 'make new-ftl NAME=mine'
promised README.md 'make check-ftl NAME=mine'
promised README.md 'make && ./ssd run --verify -s ftl=mine parameters/class.cfg zipf'
# shellcheck disable=SC2016 # the backquotes are Markdown's
{
	promised CONTRIBUTING.md '`make new-ftl NAME=mine`'
	promised CONTRIBUTING.md '`make check-ftl NAME=mine`'
	promised CONTRIBUTING.md 'make && ./ssd run --verify -s ftl=mine parameters/tiny.cfg mixed'
	promised CONTRIBUTING.md '`make new-buffer NAME=mine`'
	promised CONTRIBUTING.md '`make check-buffer NAME=mine`'
	promised CONTRIBUTING.md '`make new-policy NAME=mine`'
	promised CONTRIBUTING.md '`make check-policy NAME=mine`'
	promised CONTRIBUTING.md 'make && ./ssd run --verify -s gc.policy=mine parameters/tiny.cfg mixed'
	promised CONTRIBUTING.md '-s buffer=mine -s dram.buffer_bytes=64K parameters/tiny.cfg mixed'
}

rooms=$(sed -n 's/^ROOMS *[:+]= *//p' Makefile)
# shellcheck disable=SC2086
cp -Rp Makefile CHANGELOG.md CITATION.cff ./*.c ./*.h $rooms library docs tests scripts "$copy"
# Objects that are there already need not be compiled again.
if [ -d build/dev ]; then
	mkdir "$copy/build" && cp -Rp build/dev "$copy/build/"
fi
cd "$copy"

# The values of an outer make (its build folder, its flags) must not reach the copy.
unset MAKEFLAGS MAKEOVERRIDES MFLAGS BUILD SSD CFLAGS LDFLAGS 2>/dev/null || true
for kind in ftl buffer policy; do
	make --no-print-directory new-$kind NAME=mine >next.txt || fail "make new-$kind fails"
	grep -qxF "  make check-$kind NAME=mine" next.txt || fail "make new-$kind does not say what is next"
	make -s new-$kind NAME=mine 2>next.txt && fail "make new-$kind takes a name twice"
	grep -q 'is there already' next.txt || fail "make new-$kind refuses a name without a word"
done
quick() {
	make -s -j2 "$@" >made.txt 2>&1
}
quick build/dev/ssd build/dev/tests/test_ftl || { cat made.txt && fail 'the copy does not build'; }
cp build/dev/ssd .
scripts/lint || fail 'the copies break a house rule'

./ssd list >list.txt
[ "$(grep -cw '^ *mine' list.txt)" = 3 ] || fail 'ssd list does not show what was added'
./ssd params mine.report_partial >/dev/null || fail "the FTL's own parameter is not known"
./ssd list statistics >list.txt
grep -qw 'mine.partial_writes' list.txt || fail "the FTL's own statistic is not listed"

run skeleton -s ftl=skeleton parameters/class.cfg zipf
run mine -s ftl=mine parameters/class.cfg zipf
same mine skeleton
run mine -s ftl=mine parameters/tiny.cfg mixed
run lru -s buffer=lru -s dram.buffer_bytes=64K parameters/tiny.cfg mixed
run mine -s buffer=mine -s dram.buffer_bytes=64K parameters/tiny.cfg mixed
same mine lru
run fifo -s gc.policy=fifo parameters/tiny.cfg mixed
run mine -s gc.policy=mine parameters/tiny.cfg mixed
same mine fifo

# The cases of the suite that use the new FTL, buffer or policy.
for kind in ftl buffer policy; do
	quick check-$kind NAME=mine || { tail -20 made.txt && fail "make check-$kind refuses it"; }
	grep -qE '^mine: [0-9]+ cases' made.txt || fail "make check-$kind does not say what it did"
	mv build/dev/conformance.txt "$kind.txt"
done
for case in 'ftl.txt conforms:mine+lru+' 'buffer.txt conforms:page+mine+' \
	'ftl.txt wears-out:mine+' 'ftl.txt saved:mine+'; do
	grep -qF "[       OK ] ${case#* }" "${case%% *}" || fail "the conformance suite has no case $case..."
done
grep -q '^\[       OK \] conforms:.*/mine' policy.txt ||
	fail 'the conformance suite has no case of the collection policy'
# Every FTL of the tree passes the check that authors of one run.
for ftl in $(sed -n 's/^FTL(\(.*\))$/\1/p' ftl/list.h); do
	OPERATIONS=60 quick check-ftl NAME="$ftl" ||
		{ tail -20 made.txt && fail "make check-ftl refuses $ftl"; }
	grep -qE "^$ftl: [1-9][0-9]* cases .* and two verified runs$" made.txt ||
		fail "make check-ftl NAME=$ftl does not say what it did"
done
make -s new-policy NAME=switch 2>next.txt && fail "make new-policy takes a word of C"
! quick check-ftl NAME=main || fail 'make check-ftl takes a name that nothing has'
echo 'extend: an FTL, a buffer and a collection policy were added as README.md and CONTRIBUTING.md say;' \
	'all conform'
