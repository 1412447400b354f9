"""What keeps a program of somebody else apart from this machine, where bubblewrap is missing: Landlock, which
names the files that it may open, and a filter of system calls, both of the Linux kernel, for this process and
all that it starts.

Without Landlock (Linux before 5.13, other systems) files are protected by their permissions alone.
"""

import ctypes
import functools
import glob
import os
import platform
import struct
import sys
from collections.abc import Iterable

# What a program sees of the system.
SYSTEM = "/usr /bin /sbin /lib /lib32 /lib64 /etc/ld.so.cache /etc/alternatives /dev/null".split()

# Numbers of <linux/landlock.h> and <linux/prctl.h>; the system calls have the same numbers everywhere.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
FILE_RIGHTS = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15  # execute, write, read, truncate, ioctl
TO_READ = 1 << 0 | 1 << 2 | 1 << 3  # execute, read, list
NOT_TO_MAKE = 1 << 6 | 1 << 9 | 1 << 10 | 1 << 11  # devices, sockets and pipes
RIGHTS = [0, 13, 14, 15, 15, 16]  # number of rights on files that each version knows
NO_NEW_PRIVILEGES, SUBREAPER, SECCOMP = 38, 36, 22

# Calls that are refused, by machine: its number for the kernel, then socket, ptrace, process_vm_readv,
# process_vm_writev and io_uring_setup.
CALLS = {
    "x86_64": (0xC000003E, 41, 101, 310, 311, 425),
    "aarch64": (0xC00000B7, 198, 117, 270, 271, 425),
}


def libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


@functools.lru_cache(None)
def version() -> int:
    """Of Landlock; 0: there is none."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(int(libc().syscall(CREATE_RULESET, None, ctypes.c_size_t(0), 1)), 0)


def must(result: int, what: str) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), what)
    return result


def limit_files(to_read: Iterable[str], to_write: Iterable[str]) -> None:
    """This process opens only files of the system, those below `to_read` and, to write, below `to_write`."""
    call, known = libc().syscall, version()
    handled = (1 << RIGHTS[min(known, len(RIGHTS) - 1)]) - 1
    no_tcp, nobody_else = (3 if known >= 4 else 0), (3 if known >= 6 else 0)
    attributes = struct.pack("=QQQ", handled, no_tcp, nobody_else)
    size = 8 if known < 4 else 16 if known < 6 else 24
    rules = must(call(CREATE_RULESET, attributes, ctypes.c_size_t(size), 0), "Landlock")
    for path, rights in [(path, TO_READ) for path in (*SYSTEM, *to_read)] + [
        (path, handled & ~NOT_TO_MAKE) for path in ("/dev/null", *to_write)
    ]:
        if not os.path.exists(path):
            continue
        if not os.path.isdir(path):
            rights &= FILE_RIGHTS
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        rule = struct.pack("=Qi", rights & handled, place)
        must(call(ADD_RULE, rules, 1, rule, 0), "Landlock")
        os.close(place)
    must(call(RESTRICT_SELF, rules, 0), "Landlock")
    os.close(rules)


def limit_calls() -> None:
    """This process opens no connection and looks into no other process."""
    if platform.machine() not in CALLS:
        return
    machine, *calls = CALLS[platform.machine()]
    load, equal, at_least, end = 0x20, 0x15, 0x35, 0x06
    refuse = len(calls) + 1
    steps = [(load, 0, 0, 4), (equal, 1, 0, machine), (end, 0, 0, 0), (load, 0, 0, 0)]
    steps += [(at_least, refuse, 0, 0x40000000)]
    steps += [(equal, refuse - 1 - i, 0, number) for i, number in enumerate(calls)]
    steps += [(end, 0, 0, 0x7FFF0000), (end, 0, 0, 0x00050001)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(code)))
    must(libc().prctl(SECCOMP, 2, program, 0, 0), "seccomp")


def build(to_read: Iterable[str], to_write: Iterable[str]) -> None:
    """Called in a new process, before its program starts."""
    if not sys.platform.startswith("linux"):
        return
    must(libc().prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0), "no new privileges")
    if version():
        limit_files(to_read, to_write)
    limit_calls()


def adopt() -> None:
    """Processes whose parents have ended become children of this one, whatever session they are in."""
    if sys.platform.startswith("linux"):
        libc().prctl(SUBREAPER, 1, 0, 0, 0)


def children() -> list[int]:
    """Processes whose parent this one is."""
    found = []
    lists = [name + "/children" for name in glob.glob("/proc/self/task/*")]
    if lists and os.path.exists(f"/proc/self/task/{os.getpid()}/children"):
        for name in lists:
            found += [int(word) for word in read(name).split()]
        return found
    for name in glob.glob("/proc/[0-9]*/stat"):  # a kernel without such lists
        words = read(name).rpartition(")")[2].split()
        if words and int(words[1]) == os.getpid():
            found.append(int(name.split("/")[2]))
    return found


def read(path: str) -> str:
    """ "" if the process has ended."""
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""
