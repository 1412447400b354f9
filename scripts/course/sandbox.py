"""Runs untrusted programs so that they can do no harm, for a limited time.

With bubblewrap, where it works, a program sees the system's programs, its own folder and an empty /tmp of
MEGABYTES in memory; no network, no other process; all that it starts ends with it.  Elsewhere only the limits
of the system apply, and its process group is killed as a whole.  Started by root, it runs as nobody.
"""

import functools
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time

MEGABYTES = 64  # of a file, and of the sandbox's /tmp
MEMORY = 4 << 30
PROCESSES = 64  # more than the user already has
NOBODY = 65534


class Limit:
    """The time that all runs of a submission have together."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.end = time.monotonic() + seconds

    @property
    def left(self):
        return self.end - time.monotonic()

    def __str__(self):
        return "the time for all runs together, %g s, is over (--seconds)" % self.seconds


def processes():
    """Threads of the user that runs the programs: what RLIMIT_NPROC counts."""
    user = NOBODY if os.geteuid() == 0 else os.geteuid()
    count = 0
    for name in os.listdir("/proc") if os.path.isdir("/proc/self/task") else ():
        try:
            if name.isdigit() and os.stat("/proc/" + name).st_uid == user:
                count += len(os.listdir("/proc/%s/task" % name))
        except OSError:
            pass
    return count


def limits(harmless, seconds, mine):
    """Sets limits in the new process, before its program starts."""

    def least(what, most):
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))

    least(resource.RLIMIT_CORE, 0)
    least(resource.RLIMIT_CPU, max(1, int(seconds) + 1))
    least(resource.RLIMIT_FSIZE, MEGABYTES << 20)
    least(resource.RLIMIT_AS, MEMORY)
    if harmless:
        return
    if os.path.isdir("/proc/self/task"):
        least(resource.RLIMIT_NPROC, mine + PROCESSES)
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def walls(folder):
    """bubblewrap's command: of the machine's files, only the folder and the system's programs are visible."""
    system = [
        word
        for path in ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache")
        for word in ("--ro-bind-try", path, path)
    ]
    return [
        "bwrap",
        "--unshare-all",
        "--die-with-parent",
        "--new-session",
        *system,
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--size",
        str(MEGABYTES << 20),
        "--tmpfs",
        "/tmp",
        "--ro-bind",
        folder,
        folder,
        "--chdir",
        folder,
    ]


@functools.lru_cache(None)
def walled(folder):
    """Does bubblewrap work here?  GRADE_NO_BWRAP: do not use it."""
    if not shutil.which("bwrap") or os.environ.get("GRADE_NO_BWRAP"):
        return False
    return not start([*walls(folder), "true"], False, 10, folder)[0]


def start(command, harmless, seconds, folder, **more):
    mine = 0 if harmless else processes()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=errors,
            start_new_session=True,
            preexec_fn=lambda: limits(harmless, seconds, mine),
            cwd=folder,
            **more
        )
        try:
            status = child.wait(max(seconds, 0.01))
        except subprocess.TimeoutExpired:
            status = None
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except OSError:
            pass
        child.wait()
        said = []
        for file in (out, errors):
            file.seek(0)
            said.append(file.read(MEGABYTES << 20).decode(errors="replace"))
    return status, said[0], said[1]


def call(command, limit, folder=None, **more):
    """Status, output and messages; status None: it did not end in time.  With a folder, which holds it, the
    program is untrusted."""
    harmless = folder is None
    if limit.left <= 0:
        return None, "", str(limit)
    if not harmless and walled(folder):
        command = [*walls(folder), *command]
    status, out, errors = start(command, harmless, limit.left, folder, **more)
    return (status, out, errors) if status is not None and limit.left > 0 else (None, out, str(limit))
