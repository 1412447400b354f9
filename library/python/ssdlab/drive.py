"""A simulated SSD."""

import ctypes
import enum
import threading
import weakref
from typing import Any, Callable, Dict, Literal, Mapping, NoReturn, Optional, Tuple, Union

from . import _library, arguments, calls, columns, errors, picture, policies
from . import progress as bars
from ._library import library
from .arguments import BYTE, LONG, WORD, Path
from .statistics import Statistics

_EXCEPTIONS = {
    _library.MISTAKE: errors.Mistake,
    _library.DRIVE_FULL: errors.DriveFull,
    _library.NO_MEMORY: errors.OutOfMemory,
    _library.STOPPED: errors.Stopped,
    _library.BROKEN: errors.Broken,
}
_Bar = Callable[[int, float], Any]
_MANY = 1 << 16  # requests of a call that asks the progress function
_SIZE = ctypes.sizeof(_library.Columns)
_PLACES = [getattr(_library.Request, name).offset for name in _library.COLUMNS]


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


def _completions(given: Any) -> int:
    if given is None or given is False:
        return _library.NO_COMPLETIONS
    if given is True or (isinstance(given, str) and given == "times"):
        return _library.TIMES
    if isinstance(given, str) and given == "parts":
        return _library.PARTS
    raise errors.Mistake(f'completions is {arguments.shown(given)}, should be None, "times" or "parts"')


class Drive:
    """A simulated SSD that this program writes to.

    Nothing happens by itself: simulated time passes only in submit(), run(), advance(), next() and drain().
    Use a drive from one thread at a time; different drives, forks included, from different threads at once.

    A request beyond the end of the drive is a Mistake.  Most named drives fold such addresses in `ssd run`,
    which serves traces of larger drives; here they do so with trace__fold=True only, and only then is json()
    that of `ssd run`, to the byte.

    Args:
        parameters: a parameter file, or the name of a drive in `ssd list drives`; or the settings.
        settings: parameters by key: {"ftl": "dftl", "gc.threshold": 0.1} or {"gc": {"threshold": 0.1}}.
        verify: check every sector and every time with two independent judges.
        completions: record each completed request: "times", or "parts", which adds where the time went and
            slows the drive down.
        progress: True: a bar; None: a bar in a terminal or a notebook only; False: no bar; or a function of
            (requests served, share done, negative if unknown).  It is called every 4,096 requests of run(),
            every 65,536 of a submit(), and in prepare(); it stops the call by returning a true value or
            raising an exception.
        gc_policy: selects the block to collect: a function, see gc_policy().
        buffer_policy: selects the page to evict from the write buffer: a function, see buffer_policy().
        **more: settings as keywords, with two underscores for a dot: gc__threshold=0.1.  Each parameter may
            be set once.

    An interrupt (Ctrl-C) stops run(), prepare() and a long submit(), which raises KeyboardInterrupt.  A drive
    that was being prepared then takes no requests.

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
        completions: Union[Literal["times", "parts"], bool, None] = None,
        progress: bars.Progress = None,
        gc_policy: Optional[Callable[[int, Any], Optional[int]]] = None,
        buffer_policy: Optional[Callable[[Any], Optional[int]]] = None,
        **more: Any,
    ) -> None:
        if isinstance(parameters, Mapping):
            if settings is not None:
                raise errors.Mistake("settings are given twice, in place of parameters and behind them")
            parameters, settings = None, parameters
        words = arguments.settings({} if settings is None else settings, more)
        gc = policies.policy(gc_policy, policies.GcPolicy)
        buffer = policies.policy(buffer_policy, policies.BufferPolicy)
        self._begin(calls.Callbacks(gc, buffer), bars.checked(progress))
        options = _library.Options(
            size=ctypes.sizeof(_library.Options),
            parameters=arguments.optional_path("parameters", parameters),
            settings=(ctypes.c_char_p * len(words))(*words),
            setting_count=len(words),
            verify=arguments.flag("verify", verify),
            completions=_completions(completions),
            progress=self._callbacks.progress,
            bug=self._callbacks.bug,
            gc_pick=self._callbacks.gc_pick,
            gc_name=gc.name.encode() if gc else None,
            buffer_pick=self._callbacks.buffer_pick,
            buffer_name=buffer.name.encode() if buffer else None,
        )
        self._make(lambda handle: library.ssdlab_open(handle, ctypes.byref(options)))

    # ---- making and calling ----

    _handle: Optional[ctypes.c_void_p] = None
    # The thread whose call is under way.  In the instance only during a call: see _claim().
    _user: Optional[Tuple[int]] = None

    def _begin(self, callbacks: calls.Callbacks, progress: bars.Progress) -> None:
        self._callbacks = callbacks
        self._progress = progress
        self._prepared = False
        self._bar: Optional[_Bar] = None
        self._raised: Optional[BaseException] = None
        self._bug = ("", 0)

    def _make(self, function: Callable[[Any], int]) -> None:
        """Gets the handle from a function of the library, and closes it if there is an error."""
        handle = ctypes.c_void_p()
        self._finalizer = weakref.finalize(self, library.ssdlab_close, handle)
        caller = self._callbacks.caller
        before, caller.drive = caller.drive, self
        try:
            status = function(ctypes.byref(handle))
            self._handle = handle
            if status != _library.OK:
                self._fail(status)
        except BaseException:
            self._handle = None
            self._finalizer()
            raise
        finally:
            caller.drive = before

    def _fail(self, status: int) -> NoReturn:
        """Raises what a callback raised, else the exception for the status."""
        error, self._raised = self._raised, None
        try:
            if error is None:
                text = library.ssdlab_error(self._handle) or b"out of memory"
                error = _EXCEPTIONS[status](text.decode(errors="replace"))
                if isinstance(error, errors.Broken):
                    error.file, error.line = self._bug
            raise error
        finally:
            del error  # which refers to this frame

    def _refuse(self) -> NoReturn:
        if self._user is not None and self._user[0] != threading.get_ident():
            raise errors.Mistake(
                "another thread is in a call of this drive; a drive is used by one thread at a time,"
                " its forks by others"
            )
        raise errors.Mistake("a callback of a drive must not call that drive")

    def _claim(self, mine: Tuple[int]) -> ctypes.c_void_p:
        """Begins a call, unless one is under way: setdefault() is atomic."""
        if self.__dict__.setdefault("_user", mine) is not mine:
            self._refuse()
        if self._handle is None:
            raise errors.Mistake("the drive is closed")
        return self._handle

    def _call(self, function: Any, *given: Any, bar: Optional[_Bar] = None, long: bool = False) -> None:
        """A call of the library; one that takes long, or calls back, can be interrupted."""
        mine = (threading.get_ident(),)
        caller = self._callbacks.caller
        before = caller.drive
        try:
            handle = self._claim(mine)
            caller.drive, self._bar = self, bar
            if long or self._callbacks.decide or not self._prepared:
                status = calls.interruptible(self, function, handle, *given)
            else:
                status = function(handle, *given)
            if status != _library.OK or self._raised is not None:
                self._fail(status)
        finally:
            if self._user is mine:
                caller.drive, self._bar = before, None
                del self._user
            if bar is not None and hasattr(bar, "close"):
                bar.close()

    def _read(self, function: Any) -> Any:
        """A number of the drive, which its callbacks may ask for, too."""
        mine = (threading.get_ident(),)
        if self._user == mine:
            return function(self._handle)
        try:
            return function(self._claim(mine))
        finally:
            if self._user is mine:
                del self._user

    def close(self) -> None:
        """Frees the drive.  Closing it twice is allowed; closing it in a callback, or while another thread
        uses it, is a Mistake, and it stays open."""
        mine = (threading.get_ident(),)
        try:
            if self.__dict__.setdefault("_user", mine) is not mine:
                self._refuse()
            if self._handle is not None:
                self._handle = None
                self._finalizer()
        finally:
            if self._user is mine:
                del self._user

    def __reduce_ex__(self, _protocol: Any) -> NoReturn:
        raise TypeError(
            "a Drive cannot be copied or pickled: drive.fork() is a second drive in the same state,"
            " drive.save(path) writes that to a file"
        )

    def __enter__(self) -> "Drive":
        return self

    def __exit__(self, *_error: Any) -> None:
        self.close()

    # ---- serving ----

    def prepare(self, workload: Optional[Path] = None) -> "Drive":
        """Brings the drive into the state that precondition.* describe.  Once, before the first request.

        Args:
            workload: the trace file or profile to prepare for, if these parameters depend on one.
        """
        name = arguments.optional_path("workload", workload)
        self._call(library.ssdlab_prepare, name, bar=bars.bar_for(self._progress), long=True)
        self._prepared = True
        return self

    def run(self, workload: Path) -> Statistics:
        """Serves a trace file or a profile to its end, as `ssd run` does, and returns the statistics.

        In an open loop, arrivals count from now unless these are the drive's first requests.
        """
        name = arguments.path("workload", workload)
        self._call(library.ssdlab_run, name, bar=bars.bar_for(self._progress), long=True)
        self._prepared = True
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
                columns named like the other arguments; no column may have another name, or be an argument,
                too.
            sector, sectors: first sector and length, in sectors of 512 bytes.
            kind: 0 read, 1 write, 2 trim, 4 flush; see Kind.
            arrival_ns: ns since the drive was made, ascending, at most 2^63 - 1; None: each as soon as it can
                enter.
            tag: returned with the completion; None: number of the request, from 0.
            device, hint: the placement handle: its number is the hint if fdp.by = hint, the device if
                fdp.by = device.  What the drive does not read must be 0.
            flags: of writes; see Flags.

        Each is a numpy array or anything like one; numpy itself is not needed.  Columns of the right type are
        not copied.

        Returns:
            How many requests have entered.

        Raises:
            Mistake: a request cannot be served, which the message names by its index.  Those before it have
                entered.
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
        for name in _names_of(requests):
            if name not in given:
                raise errors.Mistake(f"{arguments.shown(name)} is no column of requests{_known(name, given)}")
            if given[name] is not None:
                raise errors.Mistake(f"{name} is given twice, in requests and as an argument")
            given[name] = requests[name]
        for name in ("sector", "sectors", "kind"):
            if given[name] is None:
                raise errors.Mistake(f"{name} is missing")
        return self._submit_columns(given)

    def _submit_columns(self, given: Dict[str, Any]) -> int:
        passed = _library.Columns(_SIZE)
        owners, length = [], None
        for name, values in given.items():
            if values is None:
                continue
            address, rows, owner = columns.column(name, values, _library.COLUMNS[name])
            if length is not None and rows != length:
                raise errors.Mistake(f"{name} has {rows} rows, the columns before it {length}")
            setattr(passed, name, address)
            owners.append(owner)
            length = rows
        length = length or 0
        taken = ctypes.c_size_t()
        many = length > _MANY
        bar = bars.bar_for(self._progress) if many else None
        all_of_it = ctypes.byref(passed), length, ctypes.byref(taken)
        self._call(library.ssdlab_submit_columns, *all_of_it, bar=bar, long=many)
        self._prepared = self._prepared or length > 0
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
    ) -> None:
        row = _library.Request(
            0 if arrival_ns is None else arguments.whole("arrival_ns", arrival_ns, LONG),
            arguments.whole("sector", sector, LONG),
            arguments.whole("tag", tag, LONG),
            arguments.whole("sectors", sectors, WORD),
            0,
            kind.value,
            arguments.whole("hint", hint, BYTE),
            1 if arguments.flag("fua", fua) else 0,
        )
        at = ctypes.addressof(row)
        places = [at + place for place in _PLACES]
        if arrival_ns is None:
            places[0] = 0
        self._call(library.ssdlab_submit_columns, ctypes.byref(_library.Columns(_SIZE, *places)), 1, None)
        self._prepared = True

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
        return int(self._read(library.ssdlab_now))

    @property
    def sectors(self) -> int:
        """Sectors of 512 bytes that the host sees."""
        return int(self._read(library.ssdlab_sectors))

    @property
    def in_flight(self) -> int:
        """Requests that have entered and are not completed."""
        return int(self._read(library.ssdlab_in_flight))

    def advance(self, until_ns: int) -> None:
        """Lets time pass up to and including `until_ns`, at most 2^63 - 1; none if that is past."""
        self._call(library.ssdlab_advance, arguments.whole("until_ns", until_ns, LONG))
        self._prepared = True

    def next(self) -> None:
        """Lets time pass to the next completion, if a request is in flight."""
        self._call(library.ssdlab_next)

    def drain(self) -> None:
        """Lets time pass until all requests, and all work behind them, are done."""
        self._call(library.ssdlab_drain)

    def completions(self, most: Optional[int] = None) -> Any:
        """Takes the completions that have not been taken yet, in order of completion.

        Returns:
            A record array of numpy with the fields tag, arrival_ns, start_ns, completion_ns, sectors,
            kind and, with completions="parts", controller_ns ... link_ns, which add up to
            completion_ns - start_ns (pandas.DataFrame() accepts it).  Without numpy, a list of structs with
            these attributes.

        Raises:
            Mistake: the drive was opened without `completions`.
        """
        found = []
        left = LONG if most is None else arguments.whole("most", most, LONG)
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
        self._call(library.ssdlab_statistic, arguments.text("name", name), ctypes.byref(value))
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
        given = {"command": command, "parameters": parameters, "workload": workload}
        words = [arguments.optional_text(name, word) for name, word in given.items()]
        self._call(library.ssdlab_json, *words, ctypes.byref(text))
        try:
            return ctypes.string_at(text.value or 0).decode()
        finally:
            library.ssdlab_free(text)

    def reset_statistics(self) -> None:
        """Resets all statistics to zero; requests in flight are not counted."""
        self._call(library.ssdlab_reset_statistics)

    def check(self) -> None:
        """Checks all counts and, with verify=True, every invariant now."""
        self._call(library.ssdlab_check)

    def blocks(self) -> Any:
        """All blocks, with the fields block, plane, pages, programmed_pages, valid_pages, erases."""
        count = ctypes.c_size_t()
        self._call(library.ssdlab_blocks, None, 0, ctypes.byref(count))
        pointer, rows = columns.records(_library.Block, count.value)
        self._call(library.ssdlab_blocks, pointer, count.value, ctypes.byref(count))
        return rows

    def to_pandas(self, pattern: Optional[str] = None) -> Any:
        """The statistics as a pandas.DataFrame: Statistics.to_pandas()."""
        return self.statistics.to_pandas(pattern)

    # ---- keeping ----

    def save(self, path: Path) -> None:
        """Saves the drive, whole or not at all; before the first request, as `ssd run --save-drive` does."""
        self._call(library.ssdlab_save, arguments.path("path", path))

    def load(self, path: Path, workload: Optional[Path] = None) -> "Drive":
        """Loads a saved drive of the same parameters, in place of prepare()."""
        names = arguments.path("path", path), arguments.optional_path("workload", workload)
        self._call(library.ssdlab_load, *names)
        self._prepared = True
        return self

    def fork(self) -> "Drive":
        """Returns a second drive in the same state, with the requests in flight and the statistics.

        The two drives are independent.  Completions not taken yet stay with this one.  Functions of yours,
        such as a policy, are shared: what they keep is not forked.
        """
        copy = Drive.__new__(Drive)
        copy._begin(self._callbacks, self._progress)
        copy._prepared = self._prepared

        def fork(handle: Any) -> int:
            self._call(library.ssdlab_fork, handle)
            return _library.OK

        copy._make(fork)
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


def _names_of(requests: Any) -> Any:
    """Names of the columns of a mapping, a DataFrame or a structured array."""
    if requests is None:
        return ()
    names = getattr(getattr(requests, "dtype", None), "names", None)
    if names is not None:
        return names
    if isinstance(requests, Mapping):
        return list(requests)
    if hasattr(requests, "columns"):
        return list(requests.columns)
    raise errors.Mistake(
        f"requests are {arguments.shown(requests)}, should be a mapping of columns, a DataFrame or a"
        " structured array"
    )


def _known(name: Any, given: Mapping[str, Any]) -> str:
    return arguments.near(str(name), given) or f"; columns are {', '.join(given)}"
