"""What the library calls back, and what an interrupt does meanwhile."""

import functools
import importlib
import operator
import threading
from signal import SIGINT
from typing import Any, Callable, Optional

from . import _library, columns
from .errors import Mistake
from .policies import BufferPolicy, GcPolicy

# The functions of the module signal convert to enumerations, which takes longer than serving a request.
_signal: Any = importlib.import_module("_signal")


class Caller(threading.local):
    """The drive that the current thread has called."""

    drive: Any = None


class Callbacks:
    """The callbacks of a drive and its forks, each of which may be used by a thread of its own.

    They know their drive by `caller` during a call only, so that a drive is in no cycle of references.
    """

    def __init__(self, gc: Optional[GcPolicy], buffer: Optional[BufferPolicy]) -> None:
        caller = self.caller = Caller()
        self.decide = gc is not None or buffer is not None
        self.progress = _library.Progress(functools.partial(_progress, caller))
        self.bug = _library.Bug(functools.partial(_bug, caller))
        self.gc_pick, self.buffer_pick = _library.GcPick(0), _library.BufferPick(0)
        if gc:
            self.gc_pick = _library.GcPick(functools.partial(_gc, caller, gc.function))
        if buffer:
            self.buffer_pick = _library.BufferPick(functools.partial(_buffer, caller, buffer.function))


def _progress(caller: Caller, _context: Any, requests: int, share: float) -> int:
    drive = caller.drive
    try:
        if drive._raised is None and drive._bar is not None:
            return 1 if drive._bar(requests, share) else 0
    except BaseException as error:  # pylint: disable=broad-except
        drive._raised = error
    return 0 if drive._raised is None else 1


def _bug(caller: Caller, _context: Any, file: bytes, line: int, _text: bytes) -> None:
    caller.drive._bug = (file.decode(), line)


def _gc(caller: Caller, function: Callable[..., Any], _context: Any, plane: int, blocks: Any, n: int) -> int:
    return _choose(caller.drive, n, function, plane, columns.seen(blocks, n, _library.Block))


def _buffer(caller: Caller, function: Callable[..., Any], _context: Any, pages: Any, n: int) -> int:
    return _choose(caller.drive, n, function, columns.seen(pages, n, _library.Page))


def _choose(drive: Any, n: int, function: Callable[..., Any], *shown: Any) -> int:
    """The index that a policy returns; n, which is none, after an exception."""
    if drive._raised is not None:
        return n
    try:
        choice = function(*shown)
        return n if choice is None else _index(choice, n)
    except BaseException as error:  # pylint: disable=broad-except
        drive._raised = error
        return n


def _index(choice: Any, n: int) -> int:
    try:
        if isinstance(choice, bool):
            raise TypeError
        index = operator.index(choice)
    except TypeError:
        raise Mistake(f"a policy chose {choice!r}; an index is a whole number from 0 to {n - 1}") from None
    if not 0 <= index < n:
        raise Mistake(f"a policy chose {index} of {n}; an index is from 0 to {n - 1}")
    return index


def interruptible(drive: Any, call: Callable[..., Any], *given: Any) -> Any:
    """Makes the call.  An interrupt meanwhile becomes an exception of `drive`, which its callbacks obey.

    Python would raise it inside a callback, before its first statement, where ctypes prints it and goes on
    with any result.  Signals are the main thread's: in others there is nothing to do.
    """
    before = _signal.getsignal(SIGINT)
    if not callable(before) or threading.get_ident() != threading.main_thread().ident:
        return call(*given)

    def note(number: int, frame: Any) -> None:
        try:
            before(number, frame)
        except BaseException as error:  # pylint: disable=broad-except
            drive._raised = error

    try:
        _signal.signal(SIGINT, note)
        return call(*given)
    finally:
        _signal.signal(SIGINT, before)
