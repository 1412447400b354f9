#!/bin/sh
# Adds an FTL, a buffer, a collection policy and a tool of the store to a copy of the tree by the steps that
# README.md and CONTRIBUTING.md print, builds the copy, and lets the conformance suite and verified runs judge
# them.  Runs from the top of the tree.
set -eu

top=$PWD copy=$(mktemp -d)
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
	promised CONTRIBUTING.md '`make new-tool NAME=mine`'
	promised CONTRIBUTING.md '`make check-tool NAME=mine`'
	promised CONTRIBUTING.md 'make && ./ssd run --verify -s gc.policy=mine parameters/tiny.cfg mixed'
	promised CONTRIBUTING.md '-s buffer=mine -s dram.buffer_bytes=64K parameters/tiny.cfg mixed'
}

rooms=$(sed -n 's/^ROOMS *[:+]= *//p' Makefile)
# shellcheck disable=SC2086
cp -Rp Makefile CHANGELOG.md CITATION.cff ./*.c ./*.h $rooms docs tests scripts "$copy"
# Objects that are there already need not be compiled again.
if [ -d build/dev ]; then
	mkdir "$copy/build" && cp -Rp build/dev "$copy/build/"
fi
cd "$copy"

# The values of an outer make (its build folder, its flags) must not reach the copy.
unset MAKEFLAGS MAKEOVERRIDES MFLAGS BUILD SSD CFLAGS LDFLAGS 2>/dev/null || true
for kind in ftl buffer policy tool; do
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

# A feature of the drive with a parameter, a statistic, state, an event of blocks and work in idle time is a
# file and a line.
diff -rq "$top/gc" gc >changed.txt || true
[ "$(sort changed.txt)" = "Files $top/gc/list.h and gc/list.h differ
Files $top/gc/tools/list.h and gc/tools/list.h differ
Only in gc/tools: mine.c
Only in gc: mine.c" ] ||
	{ cat changed.txt && fail 'a new tool and a new policy are not a file and a line each'; }
run off -s host.mode=open -s host.time_scale=50 parameters/class.cfg zipf
run on -s mine.on=true -s mine.every=2 -s host.mode=open -s host.time_scale=50 parameters/class.cfg zipf
grep -q '^mine.blocks = [1-9]' on.txt || fail 'a new tool does nothing in idle time'
! grep -q '^mine' off.txt || fail 'a tool that is off is reported'
filled='-s mine.on=true -s precondition.mode=fill parameters/class.cfg zipf'
# shellcheck disable=SC2086 # words
./ssd run --save-drive kept --json kept.json $filled >/dev/null 2>&1
# shellcheck disable=SC2086
./ssd run --load-drive kept --json loaded.json $filled >/dev/null 2>&1
sed -i '/run.command/d' kept.json loaded.json
cmp kept.json loaded.json || fail 'state of a new tool is not saved'

# The cases of the suite that use the new FTL, buffer, policy or tool.
for kind in ftl buffer policy tool; do
	quick check-$kind NAME=mine || { tail -20 made.txt && fail "make check-$kind refuses it"; }
	grep -qE '^mine: [0-9]+ cases' made.txt || fail "make check-$kind does not say what it did"
	mv build/dev/conformance.txt "$kind.txt"
done
for case in 'ftl.txt conforms:mine+lru+' 'buffer.txt conforms:page+mine+' \
	'ftl.txt wears-out:mine+' 'ftl.txt saved:mine+' 'tool.txt saved:page+'; do
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
echo 'extend: an FTL, a buffer, a collection policy and a tool were added as the documents say;' \
	'all conform'
