"""Child processes of the lab, which end with it, however it ends."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from typing import IO

GRACE = 0.5  # seconds from SIGTERM to SIGKILL


class Children:
    """Each child runs in a process group of its own.  A watchdog learns through a pipe which groups are
    running, and ends them when the pipe closes, which also happens when the lab gets SIGKILL."""

    def __init__(self) -> None:
        listen, self.tell = os.pipe()
        self.lock, self.ended = threading.Lock(), False
        self.watchdog = os.fork()
        if not self.watchdog:
            os.close(self.tell)
            watch(listen)
        os.close(listen)

    def start(self, command: list[str], stdin: IO[str] | None = None) -> subprocess.Popen[str]:
        with self.lock:
            if self.ended:
                raise KeyboardInterrupt
            process = subprocess.Popen(
                command,
                stdin=stdin or subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                process_group=0,
            )
            os.write(self.tell, f"{process.pid}\n".encode())
        return process

    def finish(self, process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
        out, err = process.communicate()
        with self.lock:
            if not self.ended:
                os.write(self.tell, f"-{process.pid}\n".encode())
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def run(self, command: list[str], stdin: IO[str] | None = None) -> subprocess.CompletedProcess[str]:
        return self.finish(self.start(command, stdin))

    def end(self) -> None:
        """Ends all children; no other can start after that."""
        with self.lock:
            if not self.ended:
                self.ended = True
                os.close(self.tell)
                os.waitpid(self.watchdog, 0)


def watch(listen: int) -> None:
    """The watchdog: outside the lab's process group, which a signal may end, and without its terminal."""
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
    running = set()
    with os.fdopen(listen) as lines:
        for line in lines:
            running.add(int(line)) if int(line) > 0 else running.discard(-int(line))
    for number, wait in ((signal.SIGTERM, GRACE), (signal.SIGKILL, 0)):
        for group in running:
            with contextlib.suppress(OSError):  # it has ended
                os.killpg(group, number)
        time.sleep(wait if running else 0)
    os._exit(0)
