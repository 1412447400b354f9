"""A simulated SSD."""

import ctypes
import enum
import os
import threading
import weakref
from typing import Any, Callable, Iterable, Mapping, Optional, Union

from . import _library, columns, errors, picture, policies, progress as bars
from ._library import library
from .statistics import Statistics

_EXCEPTIONS = {
    _library.MISTAKE: errors.Mistake,
    _library.DRIVE_FULL: errors.DriveFull,
    _library.NO_MEMORY: errors.OutOfMemory,
    _library.STOPPED: errors.Stopped,
    _library.BROKEN: errors.Broken,
}
_COMPLETIONS = {None: 0, False: 0, "times": _library.TIMES, True: _library.TIMES, "parts": _library.PARTS}

Path = Union[str, "os.PathLike[str]"]


class Kind(enum.IntEnum):
    """What a request does."""

    READ = 0
    WRITE = 1
    TRIM = 2
    FLUSH = 4  #: of 0 sectors: completed when all data written before it is in flash
    COLLECT = 3  #: a command of 0 sectors, without completion: a block is collected
    UPDATE = 5  #: a command like COLLECT: data with this hint continues in a new reclaim unit


class Flags(enum.IntFlag):
    """Flags of a write."""

    FUA = 1  #: the write is completed when its data is in flash


def _bytes(path: Optional[Path]) -> Optional[bytes]:
    return None if path is None else os.fsencode(path)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(one) for one in value) + "]"
    return str(value)


def _flat(settings: Mapping[str, Any], group: str = "") -> Iterable[str]:
    """Yields "key=value" for each setting; groups are nested, or spelled with a dot or two underscores."""
    for key, value in settings.items():
        key = group + key.replace("__", ".")
        if isinstance(value, Mapping):
            yield from _flat(value, key + ".")
        else:
            yield f"{key}={_value(value)}"


class _Calls:
    """Callbacks of the library; `thread.drive` is the drive that the current thread has called.

    Shared by a drive and its forks, each of which may be used by a thread of its own.
    """

    def __init__(self, gc, buffer):
        self.thread = threading.local()
        self.progress = _library.Progress(self._progress)
        self.bug = _library.Bug(self._bug)
        self.gc, self.buffer = gc, buffer
        self.gc_pick = _library.GcPick(self._gc) if gc else _library.GcPick()
        self.buffer_pick = _library.BufferPick(self._buffer) if buffer else _library.BufferPick()

    def _progress(self, _context, requests, share):
        drive = self.thread.drive
        try:
            if drive._bar is not None:
                return 1 if drive._bar(requests, share) else 0
        except BaseException as error:  # pylint: disable=broad-except
            drive._raised = error
            return 1
        return 0

    def _bug(self, _context, file, line, _text):
        self.thread.drive._bug = (file.decode(), line)

    def _gc(self, _context, plane, blocks, n):
        return self._choose(n, self.gc.function, plane, columns.seen(blocks, n, _library.Block))

    def _buffer(self, _context, pages, n):
        return self._choose(n, self.buffer.function, columns.seen(pages, n, _library.Page))

    def _choose(self, n, function, *arguments):
        drive = self.thread.drive
        if drive._raised is not None:
            return n
        try:
            choice = function(*arguments)
            if choice is None:
                return n
            if not 0 <= choice < n:
                raise errors.Mistake(f"a policy chose {choice} of {n}; an index is from 0 to {n - 1}")
            return int(choice)
        except BaseException as error:  # pylint: disable=broad-except
            drive._raised = error
            return n


class Drive:
    """A simulated SSD that this program writes to.

    Nothing happens by itself: simulated time passes only in submit(), run(), advance(), next() and drain().
    Use a drive from one thread at a time; different drives, forks included, from different threads at once.

    Args:
        parameters: a parameter file, or the name of a drive in `ssd list drives`; or the settings.
        settings: parameters by key: {"ftl": "dftl", "gc.threshold": 0.1} or {"gc": {"threshold": 0.1}}.
        verify: check every sector and every time with two independent judges.
        completions: record each completed request: "times", or "parts", which adds where the time went.
        progress: True: a bar; None: a bar in a terminal or a notebook only; False: no bar; or a function of
            (requests served, share done, negative if unknown).  It is called every 4,096 requests of run(),
            every 65,536 of a submit(), and in prepare(); it stops the call by returning a true value or
            raising an exception.
        gc_policy: selects the block to collect: a function, see gc_policy().
        buffer_policy: selects the page to evict from the write buffer: a function, see buffer_policy().
        **more: settings as keywords, with two underscores for a dot: gc__threshold=0.1.

    Raises:
        Mistake: the parameters cannot be used.

    Example:
        >>> import ssdlab
        >>> with ssdlab.Drive("class", ftl="across", gc__threshold=0.1) as drive:
        ...     statistics = drive.run("lun1")
        >>> statistics["waf"]
    """

    def __init__(
        self,
        parameters: Union[Path, Mapping[str, Any], None] = None,
        settings: Optional[Mapping[str, Any]] = None,
        *,
        verify: bool = False,
        completions: Union[str, bool, None] = None,
        progress: Union[bool, None, Callable[[int, float], Any]] = None,
        gc_policy: Optional[Callable[[int, Any], Optional[int]]] = None,
        buffer_policy: Optional[Callable[[Any], Optional[int]]] = None,
        **more: Any,
    ):
        if isinstance(parameters, Mapping):
            if settings is not None:
                raise TypeError("settings are given twice")
            parameters, settings = None, parameters
        if completions not in _COMPLETIONS:
            raise errors.Mistake(f'completions = {completions!r} should be None, "times" or "parts"')
        words = [word.encode() for word in (*_flat(settings or {}), *_flat(more))]
        gc = _policy(gc_policy, policies.GcPolicy)
        buffer = _policy(buffer_policy, policies.BufferPolicy)
        self._begin(_Calls(gc, buffer), progress)
        options = _library.Options(
            size=ctypes.sizeof(_library.Options),
            parameters=_bytes(parameters),
            settings=(ctypes.c_char_p * len(words))(*words),
            setting_count=len(words),
            verify=bool(verify),
            completions=_COMPLETIONS[completions],
            progress=self._calls.progress,
            bug=self._calls.bug,
            gc_pick=self._calls.gc_pick,
            gc_name=gc.name.encode() if gc else None,
            buffer_pick=self._calls.buffer_pick,
            buffer_name=buffer.name.encode() if buffer else None,
        )
        handle = ctypes.c_void_p()
        self._calls.thread.drive = self
        status = library.ssdlab_open(ctypes.byref(handle), ctypes.byref(options))
        self._adopt(handle)
        try:
            self._check(status)
        except errors.Error:
            self.close()
            raise

    def _begin(self, calls: _Calls, progress) -> None:
        self._calls = calls
        self._progress = progress
        self._handle: Optional[ctypes.c_void_p] = None
        self._bar = None
        self._raised: Optional[BaseException] = None
        self._bug = ("", 0)

    def _adopt(self, handle: ctypes.c_void_p) -> None:
        self._handle = handle
        self._finalizer = weakref.finalize(self, library.ssdlab_close, handle)

    # ---- calls ----

    def _check(self, status: int) -> None:
        if self._raised is not None:
            error, self._raised = self._raised, None
            raise error
        if status == _library.OK:
            return
        text = library.ssdlab_error(self._handle) or b"out of memory"
        error = _EXCEPTIONS[status](text.decode(errors="replace"))
        if status == _library.BROKEN:
            error.file, error.line = self._bug
        raise error

    def _open(self) -> ctypes.c_void_p:
        if self._handle is None:
            raise errors.Mistake("the drive is closed")
        return self._handle

    def _call(self, function, *arguments, bar=None) -> None:
        handle = self._open()
        self._calls.thread.drive = self
        self._bar = bar
        try:
            status = function(handle, *arguments)
        finally:
            self._bar = None
            if hasattr(bar, "close"):
                bar.close()
        self._check(status)

    def close(self) -> None:
        """Frees the drive.  Closing it twice is allowed."""
        if self._handle is not None:
            self._finalizer()
            self._handle = None

    def __enter__(self) -> "Drive":
        return self

    def __exit__(self, *_error) -> None:
        self.close()

    # ---- serving ----

    def prepare(self, workload: Optional[Path] = None) -> "Drive":
        """Brings the drive into the state that precondition.* describe.  Once, before the first request.

        Args:
            workload: the trace file or profile to prepare for, if these parameters depend on one.
        """
        self._call(library.ssdlab_prepare, _bytes(workload), bar=bars.bar_for(self._progress))
        return self

    def run(self, workload: Path) -> Statistics:
        """Serves a trace file or a profile to its end, as `ssd run` does, and returns the statistics.

        In an open loop, arrivals count from now unless these are the drive's first requests.
        """
        self._call(library.ssdlab_run, _bytes(workload), bar=bars.bar_for(self._progress))
        return self.statistics

    def submit(
        self,
        requests: Any = None,
        *,
        sector: Any = None,
        sectors: Any = None,
        kind: Any = None,
        arrival_ns: Any = None,
        tag: Any = None,
        device: Any = None,
        hint: Any = None,
        flags: Any = None,
    ) -> int:
        """Submits requests, given as columns of equal length.

        With host.mode = "open", time passes until each request has arrived, and further while
        host.queue_limit requests are in the drive; with "closed", until one of host.queue_depth slots is
        free.  How requests are divided into calls changes nothing.

        Args:
            requests: a mapping of columns, such as a dict or a DataFrame, or a structured array, with
                columns named like the other arguments.
            sector, sectors: first sector and length, in sectors of 512 bytes.
            kind: 0 read, 1 write, 2 trim, 4 flush; see Kind.
            arrival_ns: ns since the drive was made, ascending; None: each as soon as it can enter.
            tag: returned with the completion; None: number of the request, from 0.
            device, hint: as in a trace.
            flags: of writes; see Flags.

        Each is a numpy array or anything like one; numpy itself is not needed.  Columns of the right type are
        not copied.

        Returns:
            How many requests have entered.

        Raises:
            Mistake: a request cannot be served.  Those before it have entered.
            DriveFull: the drive is full or worn out.
        """
        given = {
            "arrival_ns": arrival_ns,
            "sector": sector,
            "tag": tag,
            "sectors": sectors,
            "device": device,
            "kind": kind,
            "hint": hint,
            "flags": flags,
        }
        for name, values in given.items():
            given[name] = _column_of(requests, name) if values is None else values
        for name in ("sector", "sectors", "kind"):
            if given[name] is None:
                raise errors.Mistake(f"{name} is missing")
        return self._submit_columns(given)

    def _submit_columns(self, given) -> int:
        passed = _library.Columns(size=ctypes.sizeof(_library.Columns))
        types = dict(_library.Columns._fields_)
        owners, length = [], None
        for name, values in given.items():
            if values is None:
                continue
            try:
                pointer, rows, owner = columns.column(name, values, types[name]._type_)
            except ValueError as error:
                raise errors.Mistake(str(error)) from None
            if length is not None and rows != length:
                raise errors.Mistake(f"{name} has {rows} rows, the columns before it {length}")
            setattr(passed, name, pointer)
            owners.append(owner)
            length = rows
        taken = ctypes.c_size_t()
        many = bars.bar_for(self._progress) if length and length > 1 << 16 else None
        self._call(
            library.ssdlab_submit_columns, ctypes.byref(passed), length, ctypes.byref(taken), bar=many
        )
        return taken.value

    def _one(
        self,
        kind: Kind,
        sector: int = 0,
        sectors: int = 0,
        *,
        arrival_ns: Optional[int],
        tag: int,
        hint: int = 0,
        fua: bool = False,
    ):
        arrival = self.now_ns if arrival_ns is None else arrival_ns
        flags = Flags.FUA if fua else 0
        request = _library.Request(arrival, sector, tag, sectors, 0, kind, hint, flags)
        self._call(library.ssdlab_submit, ctypes.byref(request), 1, None)

    def read(self, sector: int, sectors: int, *, arrival_ns: Optional[int] = None, tag: int = 0) -> None:
        """Submits a read.  Each such call takes some microseconds; submit() takes arrays."""
        self._one(Kind.READ, sector, sectors, arrival_ns=arrival_ns, tag=tag)

    def write(
        self,
        sector: int,
        sectors: int,
        *,
        arrival_ns: Optional[int] = None,
        tag: int = 0,
        hint: int = 0,
        fua: bool = False,
    ) -> None:
        """Submits a write.  With `fua` it is completed when its data is in flash."""
        self._one(Kind.WRITE, sector, sectors, arrival_ns=arrival_ns, tag=tag, hint=hint, fua=fua)

    def trim(self, sector: int, sectors: int, *, arrival_ns: Optional[int] = None, tag: int = 0) -> None:
        """Submits a trim: the sectors hold no data any more."""
        self._one(Kind.TRIM, sector, sectors, arrival_ns=arrival_ns, tag=tag)

    def flush(self, *, arrival_ns: Optional[int] = None, tag: int = 0) -> None:
        """Submits a FLUSH: it is completed when all data written before it is in flash."""
        self._one(Kind.FLUSH, arrival_ns=arrival_ns, tag=tag)

    # ---- time ----

    @property
    def now_ns(self) -> int:
        """The current simulated time, in ns since the drive was made."""
        return library.ssdlab_now(self._open())

    @property
    def sectors(self) -> int:
        """Sectors of 512 bytes that the host sees."""
        return library.ssdlab_sectors(self._open())

    @property
    def in_flight(self) -> int:
        """Requests that have entered and are not completed."""
        return library.ssdlab_in_flight(self._open())

    def advance(self, until_ns: int) -> None:
        """Lets time pass up to and including `until_ns`."""
        self._call(library.ssdlab_advance, until_ns)

    def next(self) -> None:
        """Lets time pass to the next completion, if a request is in flight."""
        self._call(library.ssdlab_next)

    def drain(self) -> None:
        """Lets time pass until all requests, and all work behind them, are done."""
        self._call(library.ssdlab_drain)

    def completions(self, most: Optional[int] = None):
        """Takes the completions that have not been taken yet, in order of completion.

        Returns:
            A record array of numpy with the fields tag, arrival_ns, start_ns, completion_ns, sectors,
            kind and, with completions="parts", controller_ns ... link_ns, which add up to
            completion_ns - start_ns (pandas.DataFrame() accepts it).  Without numpy, a list of structs with
            these attributes.
        """
        found = []
        left = 1 << 62 if most is None else most
        taken = ctypes.c_size_t()
        while True:
            room = min(left, 1 << 16)
            pointer, rows = columns.records(_library.Completion, room)
            self._call(library.ssdlab_completions, pointer, room, ctypes.byref(taken))
            found.append(rows[: taken.value])
            left -= taken.value
            if taken.value < room or not left:
                break
        if len(found) == 1:
            return found[0]
        if columns.numpy is not None:
            return columns.numpy.concatenate(found).view(columns.numpy.recarray)
        return [row for rows in found for row in rows]

    # ---- results ----

    def statistic(self, name: str) -> float:
        """One statistic by name; NaN if it has no value yet."""
        value = ctypes.c_double()
        self._call(library.ssdlab_statistic, name.encode(), ctypes.byref(value))
        return value.value

    @property
    def statistics(self) -> Statistics:
        """All statistics now."""
        return Statistics(self.json())

    def json(
        self, command: Optional[str] = None, parameters: Optional[str] = None, workload: Optional[str] = None
    ) -> str:
        """What `ssd run --json` writes; the arguments become run.command, run.parameters and run.workload."""
        text = ctypes.c_void_p()
        words = [None if word is None else word.encode() for word in (command, parameters, workload)]
        self._call(library.ssdlab_json, *words, ctypes.byref(text))
        try:
            return ctypes.string_at(text.value).decode()
        finally:
            library.ssdlab_free(text)

    def reset_statistics(self) -> None:
        """Resets all statistics to zero; requests in flight are not counted."""
        self._call(library.ssdlab_reset_statistics)

    def check(self) -> None:
        """Checks all counts and, with verify=True, every invariant now."""
        self._call(library.ssdlab_check)

    def blocks(self):
        """All blocks, with the fields block, plane, pages, programmed_pages, valid_pages, erases."""
        count = ctypes.c_size_t()
        self._call(library.ssdlab_blocks, None, 0, ctypes.byref(count))
        pointer, rows = columns.records(_library.Block, count.value)
        self._call(library.ssdlab_blocks, pointer, count.value, ctypes.byref(count))
        return rows

    def to_pandas(self, pattern: Optional[str] = None):
        """The statistics as a pandas.DataFrame: Statistics.to_pandas()."""
        return self.statistics.to_pandas(pattern)

    # ---- keeping ----

    def save(self, path: Path) -> None:
        """Saves the drive, whole or not at all; before the first request, as `ssd run --save-drive` does."""
        self._call(library.ssdlab_save, _bytes(path))

    def load(self, path: Path, workload: Optional[Path] = None) -> "Drive":
        """Loads a saved drive of the same parameters, in place of prepare()."""
        self._call(library.ssdlab_load, _bytes(path), _bytes(workload))
        return self

    def fork(self) -> "Drive":
        """Returns a second drive in the same state, with the requests in flight and the statistics.

        The two drives are independent.  Completions not taken yet stay with this one.
        """
        handle = ctypes.c_void_p()
        copy = Drive.__new__(Drive)
        copy._begin(self._calls, self._progress)
        try:
            self._call(library.ssdlab_fork, ctypes.byref(handle))
        except errors.Error:
            library.ssdlab_close(handle)
            raise
        copy._adopt(handle)
        return copy

    # ---- pictures ----

    def __repr__(self) -> str:
        if self._handle is None:
            return "<ssdlab.Drive, closed>"
        return f"<ssdlab.Drive of {self.sectors * 512 / 1e6:,.4g} MB at {self.now_ns / 1e9:.6f} s>"

    def _repr_html_(self) -> str:
        if self._handle is None:
            return "<div>a drive, closed</div>"
        head = (
            f"<div><b>{self.sectors * 512 / 1e6:,.4g} MB</b> at {self.now_ns / 1e9:.6f} s,"
            f" {self.in_flight} requests in flight</div>"
        )
        return head + picture.svg_of(self.blocks())


def _policy(given: Any, kind: type) -> Any:
    return given if given is None or isinstance(given, kind) else kind(given)


def _column_of(requests: Any, name: str) -> Any:
    """A column of a mapping, a DataFrame or a structured array; None if there is none."""
    if requests is None:
        return None
    names = getattr(getattr(requests, "dtype", None), "names", None)
    if names is not None:
        return requests[name] if name in names else None
    return requests[name] if name in requests else None
