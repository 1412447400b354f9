#!/bin/sh
# README's commands on a machine without cmocka, python3 and gnuplot: `make unit` and `make test` say what
# they install, or what to type, before they compile anything.  Runs from the top of the tree; nothing is
# installed.
# tests/bare.sh fresh: on a new Debian (mmdebstrap, as root), in which README's commands are typed.
set -eu

fail() {
	echo "bare: $*" >&2
	cat "$tools/said" >&2 2>/dev/null
	exit 1
}

tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
unset MAKEFLAGS MAKEOVERRIDES MFLAGS 2>/dev/null || true

# stub NAME: standard input becomes the program of that name.
stub() {
	rm -f "$tools/bin/$1"
	cat >"$tools/bin/$1"
	chmod +x "$tools/bin/$1"
}

# says TARGET TEXT...: `make TARGET` fails, and prints exactly these lines (without those of make itself).
says() {
	target=$1
	shift
	! PATH=$tools/bin make "$target" >"$tools/all" 2>&1 || fail "make $target goes on without its tools"
	grep -v '^make' "$tools/all" >"$tools/said"
	printf '%s\n' "$@" | cmp -s - "$tools/said" || fail "make $target should say: $*"
}

# All programs of this machine but the missing ones, with an apt-get that has no packages.
without_tools() {
	mkdir "$tools/bin"
	for folder in /usr/local/bin /usr/bin /bin /usr/sbin; do
		ln -sf "$folder"/* "$tools/bin/"
	done
	rm -f "$tools/bin/python3" "$tools/bin/gnuplot" "$tools/bin/xz" \
		"$tools/bin/zstd" "$tools/bin/sudo"
	# shellcheck disable=SC2016 # expanded by the stub
	printf '#!/bin/sh\ncase $* in *cmocka*) exit 1 ;; esac\nexec %s "$@"\n' "$(command -v pkg-config)" |
		stub pkg-config
	printf '#!/bin/sh\nexit 0\n' | stub apt-cache
	printf '#!/bin/sh\nexit 100\n' | stub apt-get
}

fresh() {
	root=$tools/root
	trap 'umount "$root/proc"; umount -R "$root/dev"; rm -rf --one-file-system "$tools"' EXIT
	mount --make-rprivate /
	mmdebstrap --quiet --variant=minbase --include=git,ca-certificates stable "$root"
	git clone -q . "$root/ssdlab"
	mount -t proc proc "$root/proc"
	mount --rbind /dev "$root/dev"
	for command in 'scripts/deps && make' './ssd run --verify class lun1' 'make unit' 'make test'; do
		grep -qF -- "$command" README.md || fail "README.md does not say: $command"
		begun=$(date +%s)
		chroot "$root" sh -c "cd ssdlab && $command" >"$tools/said" 2>&1 || fail "$command"
		echo "bare: $(($(date +%s) - begun)) s  $command"
	done
}

# In a mount namespace of its own: even if this is killed, /proc and /dev stay mounted nowhere else.
if [ "${1:-}" = fresh ]; then
	[ "${2:-}" = alone ] || exec unshare --mount tests/bare.sh fresh alone
	fresh
	exit
fi
without_tools
install='apt-get install -y --no-install-recommends'
printf '#!/bin/sh\n[ "$*" = -u ] && echo 0\n' | stub id
says unit 'installing: libcmocka-dev python3' \
	"could not install: libcmocka-dev python3; type:  $install libcmocka-dev python3"
printf '#!/bin/sh\n[ "$*" = -u ] && echo 1000\n' | stub id
says unit "missing: libcmocka-dev python3; as root, type:  $install libcmocka-dev python3"
all='libcmocka-dev python3 gnuplot-nox xz-utils zstd'
says test "missing: $all; as root, type:  $install $all"
echo 'bare: make unit and make test say what is missing, and what installs it'
