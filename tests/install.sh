#!/bin/sh
# Installs into a folder and uses what lies there as a user would: program, manual, completion; then takes it
# away.  tests/install.sh SSD, from the top of the tree.
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

# From anywhere, without the tree: profiles and drives are in the program, parameter files where it said.
ssd run --show run.served --verify -s trace.limit=500 tiny lun1 >run.txt || fail 'it does not run'
ssd run --quiet -s trace.limit=500 "$share/ssdlab/parameters/tiny.cfg" lun1 || fail 'no parameter files'
grep -q '^run.served = 500 ' run.txt || fail 'a run from elsewhere serves other requests'
mandoc -Tlint -Wwarning "$share"/man/man1/*.1 || fail 'mandoc warns of the manual'

# after SHELL-SCRIPT WORD...: what the shell's own completion makes of a line.
bash -c '. "$0"; COMP_LINE=$1 COMP_POINT=${#1}; _ssd 2>/dev/null; echo "${COMPREPLY[*]}"' \
	"$share/bash-completion/completions/ssd" 'ssd run -s gc.policy=g' >bash.txt
[ "$(cat bash.txt)" = greedy ] || fail "bash completes gc.policy=g to \"$(cat bash.txt)\""
zsh -fc 'words=(ssd run -s gc.policy=g) CURRENT=4; compadd() { print -r -- $* ${(P)@[-1]} }; . $1' - \
	"$share/zsh/site-functions/_ssd" >zsh.txt
grep -q 'gc.policy=greedy' zsh.txt || fail "zsh completes gc.policy=g to \"$(cat zsh.txt)\""

rm -f ./*.txt
make --no-print-directory -s -C "$top" SSD="$1" uninstall DESTDIR="$to" PREFIX=/usr
left=$(find "$to" -type f)
[ -z "$left" ] || fail "left behind: $left"
echo 'install: program, manual, completion and parameter files came, worked and went'
