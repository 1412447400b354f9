#!/bin/sh
# `make dist-test`: the archive of the source builds where there is no git, twice, in folders of different
# names and at different times, to the same program, which knows its commit.  The builder's flags are added
# to those of the project.
set -eu
archive=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for folder in one a-longer-name; do
	mkdir "$work/$folder"
	tar -xzf "$archive" -C "$work/$folder" --strip-components=1
	(cd "$work/$folder" && GIT_DIR=/nowhere make CFLAGS=-pipe -j"$(nproc)" ssd >"$work/said" 2>&1) || {
		cat "$work/said"
		exit 1
	}
done
cmp "$work/one/ssd" "$work/a-longer-name/ssd"
"$work/one/ssd" run --quiet --verify -s trace.limit=1000 -o "$work/out" "$work/one/parameters/tiny.cfg" mixed
"$work/one/ssd" --version
echo "dist-test: two builds, the same program"
