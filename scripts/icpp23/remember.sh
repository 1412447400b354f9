#!/bin/sh
# remember.sh FILE TEXT: writes the text, but leaves a file that says so already untouched.
set -eu
mkdir -p "$(dirname "$1")"
[ -f "$1" ] && [ "$(cat "$1")" = "$2" ] || printf '%s\n' "$2" >"$1"
