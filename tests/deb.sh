#!/bin/sh
# `make deb-test`: lintian accepts the package, which is the same when it is made again, and the program in it
# runs.
set -eu
package=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
lintian --fail-on warning --allow-root "$package"
cp "$package" "$work/before.deb"
make deb >/dev/null
cmp "$package" "$work/before.deb"
dpkg-deb -x "$package" "$work/root"
cd "$work"
root/usr/bin/ssd run --verify --show waf -s trace.limit=1000 tiny mixed 2>/dev/null | grep '^waf = '
echo "deb-test: $(basename "$package")"
