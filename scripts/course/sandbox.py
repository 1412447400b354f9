"""Runs untrusted programs so that they can do no harm, for a limited time.

A program sees a folder of its own and the system's programs; it writes only to a temporary folder, which is
removed when it ends.  It has no network, and all that it starts ends with it.  bubblewrap does this, where it
is installed and permitted; elsewhere walls.py.  Started by root, programs run as users of their own.
"""

import contextlib
import functools
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import ClassVar, Self

import walls
from points import Refused

MEGABYTES = 16  # of a file, and of what is printed
ROOM = 64  # megabytes of bubblewrap's /tmp
MEMORY = 1 << 30
PROCESSES = 64  # more than the user already has
NOBODY = 65534
USERS = 0x70000000  # from here on, users of nobody else
PATIENCE = 10  # a submission is stopped after this many times the processor time that it has

Build = Callable[[list[str], list[str]], None]  # called with the folders to read and to write


class Over(Refused):
    """The time of a submission is over: what was not finished is not graded."""


class Limit:
    """The processor time that all runs of a submission have together."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.used = seconds, 0.0
        self.end = time.monotonic() + PATIENCE * seconds

    def check(self) -> None:
        if self.used >= self.seconds:
            raise Over(
                f"refused, run it again: its runs took more than {self.seconds:g} s of processor time "
                "(--seconds) and were not done; perhaps it never ends"
            )
        if time.monotonic() >= self.end:
            raise Over(
                f"refused, run it again: its runs were not done after {PATIENCE * self.seconds:g} s, in "
                f"which they had {self.used:.1f} s of processor time; this machine is busy, or it never ends"
            )


# ---- users ----


@functools.lru_cache(None)
def user(number: int = 0) -> int:
    """Whom programs run as: root has a user for each grader, and a second one for its judge."""
    if os.geteuid() != 0:
        return os.geteuid()
    wanted = USERS + 2 * os.getpid() + number
    try:
        with open("/proc/self/uid_map") as file:
            known = [[int(word) for word in line.split()] for line in file]
    except OSError:
        known = []
    return wanted if any(first <= wanted < first + count for first, _, count in known) else NOBODY


def processes(of: int) -> int:
    """Threads of the user: what RLIMIT_NPROC counts."""
    if of >= USERS:
        return 0
    count = 0
    for name in os.listdir("/proc") if os.path.isdir("/proc/self/task") else ():
        try:
            if name.isdigit() and os.stat("/proc/" + name).st_uid == of:
                count += len(os.listdir(f"/proc/{name}/task"))
        except OSError:
            pass
    return count


def give(folder: str) -> None:
    """Lets the programs of this grader read the folder, and no other programs."""
    if os.geteuid() == 0:
        os.chown(folder, 0, user())
        os.chmod(folder, 0o750)


# ---- a program ----


def limits(seconds: float, threads: int) -> None:
    """Sets limits in the new process, before its program starts."""

    def least(what: int, most: int) -> None:
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))

    least(resource.RLIMIT_CORE, 0)
    least(resource.RLIMIT_CPU, max(1, int(seconds) + 1))
    least(resource.RLIMIT_FSIZE, MEGABYTES << 20)
    least(resource.RLIMIT_AS, MEMORY)
    if os.path.isdir("/proc/self/task"):
        least(resource.RLIMIT_NPROC, threads + PROCESSES)


def become(who: int) -> None:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(user())
        os.setuid(who)


def bubblewrap(folder: str) -> list[str]:
    """bubblewrap's command: of the machine's files, only the folder and the system's programs are visible."""
    system = [word for path in walls.SYSTEM for word in ("--ro-bind-try", path, path) if path != "/dev/null"]
    return [
        shutil.which("bwrap") or "bwrap",
        "--unshare-all",
        "--die-with-parent",
        "--new-session",
        *system,
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--size",
        str(ROOM << 20),
        "--tmpfs",
        "/tmp",
        "--ro-bind",
        folder,
        folder,
        "--chdir",
        folder,
    ]


@functools.lru_cache(None)
def has_bubblewrap() -> bool:
    """Does bubblewrap work here?  GRADE_NO_BWRAP: do not use it."""
    if not shutil.which("bwrap") or os.environ.get("GRADE_NO_BWRAP"):
        return False
    folder = tempfile.mkdtemp()
    try:
        give(folder)
        return Program([*bubblewrap(folder), "true"], folder, Limit(10), nothing).end()[0] == 0
    finally:
        os.rmdir(folder)


@functools.lru_cache(None)
def has_walls() -> bool:
    """Do those of walls.py work here?"""
    folder = tempfile.mkdtemp()
    try:
        give(folder)
        return Program(["true"], folder, Limit(10), walls.build).end()[0] == 0
    except subprocess.SubprocessError:
        return False
    finally:
        os.rmdir(folder)


def lacks_walls() -> str:
    """A line about what protects files here, if it is little; "" else."""
    if has_bubblewrap() or has_walls() and walls.version():
        return ""
    return (
        "programs run without walls: neither bubblewrap nor Landlock works here, and a program that gets "
        f"around the rules reads what {'any user' if os.geteuid() == 0 else 'you'} may read; "
        "install bubblewrap, or grade in a container"
    )


def nothing(*_: object) -> None:
    """In place of walls.build()."""


class Program:
    """A program in the sandbox, as it runs.  `build`: called in its process with the folders that it may read
    and write; None: what works here.  `more`: environment variables."""

    running: ClassVar[set[int]] = set()

    def __init__(
        self,
        command: list[str],
        folder: str,
        limit: Limit,
        build: Build | None = None,
        number: int = 0,
        stdin: int | None = None,
        stdout: int | None = None,
        more: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        limit.check()
        self.limit, self.walled = limit, not build and has_bubblewrap()
        begin = build or (walls.build if not self.walled and has_walls() else nothing)
        self.who, self.scratch = user(number), ""
        if not self.walled:
            self.scratch = tempfile.mkdtemp()
            os.chown(self.scratch, self.who, user())
        self.files = [tempfile.TemporaryFile(), tempfile.TemporaryFile()]  # noqa: SIM115 (end() closes them)
        self.others = set(walls.children())
        threads, left = processes(self.who), limit.seconds - limit.used

        def prepare() -> None:
            limits(left, threads)
            become(self.who)
            begin([folder], [self.scratch])

        walls.adopt()
        self.child = subprocess.Popen(
            [*bubblewrap(folder), *command] if self.walled else command,
            stdin=stdin or subprocess.DEVNULL,
            stdout=stdout or self.files[0],
            stderr=self.files[1],
            start_new_session=True,
            preexec_fn=prepare,
            cwd=folder,
            env=dict(more, PATH="/usr/local/bin:/usr/bin:/bin", LC_ALL="C", TMPDIR=self.scratch or "/tmp"),
        )
        Program.running.add(self.child.pid)

    def wait(self) -> float:
        """Until it ends, or its time is over.  Returns the processor time that it took."""
        pause = 0.0005
        while time.monotonic() < self.limit.end:
            pid, status, usage = os.wait4(self.child.pid, os.WNOHANG)
            if pid:
                self.child.returncode = (
                    -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
                )
                return usage.ru_utime + usage.ru_stime
            time.sleep(pause)
            pause = min(2 * pause, 0.02)
        self.child.kill()
        self.child.wait()
        return 0.0

    def end(self) -> tuple[int, bytes, str]:
        """Its status, what it printed (bytes), and its messages."""
        try:
            self.limit.used += self.wait()
        finally:
            Program.running.discard(self.child.pid)
            self.limit.used += self.end_others()
            if self.scratch:
                shutil.rmtree(self.scratch, ignore_errors=True)
        self.limit.check()
        said = []
        for file in self.files:
            file.seek(0)
            said.append(file.read(MEGABYTES << 20))
            file.close()
        return self.child.returncode, said[0], said[1].decode(errors="replace")

    def end_others(self) -> float:
        """Ends what it has left behind, in whatever session.  Returns the processor time of that; with
        bubblewrap the program itself is among it."""
        took = 0.0
        with contextlib.suppress(OSError):
            os.killpg(self.child.pid, signal.SIGKILL)
        if os.geteuid() == 0 and self.who >= USERS:
            kill_all_of(self.who)
        for _ in range(PROCESSES):
            strays = set(walls.children()) - self.others - Program.running
            for pid in strays:
                os.kill(pid, signal.SIGKILL)
                usage = os.wait4(pid, 0)[2]
                took += usage.ru_utime + usage.ru_stime
            if not strays:
                break
        return took


def kill_all_of(who: int) -> None:
    child = os.fork()
    if not child:
        try:
            os.setuid(who)
            os.kill(-1, signal.SIGKILL)
        finally:
            os._exit(0)
    os.waitpid(child, 0)


class Box:
    """A folder for programs, and the time that they have together."""

    def __init__(self, seconds: float) -> None:
        self.limit = Limit(seconds)

    def __enter__(self) -> Self:
        self.folder = tempfile.mkdtemp()
        give(self.folder)
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def put(self, source: str, name: str | None = None) -> None:
        """Copies a file or a folder."""
        to = self.path(name or source)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        if os.path.isdir(source):
            shutil.copytree(source, to)
        else:
            shutil.copy(source, to)

    def call(self, command: list[str], **more: str) -> tuple[int, str, str]:
        """Runs a program to its end.  Status, what it printed, and its messages; Over: it did not end."""
        status, out, errors = Program(command, self.folder, self.limit, more=more).end()
        return status, out.decode(errors="replace"), errors

    def make(self, name: str, command: str) -> str:
        """Runs a shell command that writes a file, $made, and keeps it.  Messages, if it failed."""
        script = f'made=$(mktemp) && ({command}) >&2 && cat "$made"'
        status, made, errors = Program(["sh", "-c", script], self.folder, self.limit).end()
        if status:
            return errors or ended(status)
        with open(self.path(name), "wb") as out:
            out.write(made)
        os.chmod(self.path(name), 0o755)
        return ""

    def pipe(
        self, command: list[str], judge: list[str], **more: str
    ) -> tuple[tuple[int, str], tuple[int, str, str]]:
        """Runs a program whose descriptor 3 is the standard input of a second one, its judge, which it cannot
        reach otherwise.  Of both: status and messages; of the judge what it printed, too."""
        script = ["sh", "-c", 'exec "$@" 3>&1 >/dev/null', "sh", *command]
        reads, writes = os.pipe()
        try:
            first = Program(script, self.folder, self.limit, stdout=writes, more=more)
        finally:
            os.close(writes)
        try:
            # Its time is not the program's.
            second = Program(judge, self.folder, Limit(self.limit.seconds), number=1, stdin=reads, more=more)
        finally:
            os.close(reads)
        try:
            said = first.end()
        finally:
            told = second.end()
        return (said[0], said[2]), (told[0], told[1].decode(errors="replace"), told[2])


def ended(status: int) -> str:
    """How a program ended that printed no reason.  bubblewrap and a shell add 128 to a signal."""
    number = -status if status < 0 else status - 128
    try:
        name = signal.Signals(number).name
    except ValueError:
        return f"it ends with status {status}"
    described = (signal.strsignal(number) or name).lower()
    return f"it crashed: {described} ({name})"
