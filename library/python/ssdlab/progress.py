"""A progress bar, in a terminal or in a notebook."""

import importlib
import sys
import time
from typing import Any, Callable, Optional, Union

from . import arguments

_WIDTH = 30

Progress = Union[bool, None, Callable[[int, float], Any]]


def checked(wanted: Any) -> Progress:
    """What Drive() was given as progress."""
    if wanted is None or isinstance(wanted, bool):
        return wanted
    function: Progress = arguments.function("progress", wanted, "requests", "share")
    return function


def bar_for(wanted: Progress) -> Optional[Callable[[int, float], Any]]:
    """What receives the progress: None, the caller's function, or a bar.  True: always a bar."""
    if callable(wanted):
        return wanted
    if wanted is False:
        return None
    notebook = _notebook()
    if notebook:
        return _NotebookBar(notebook)
    return _TerminalBar() if wanted or sys.stderr.isatty() else None


def _notebook() -> Any:
    """IPython's display module, if this is a notebook."""
    try:
        shell = sys.modules["IPython"].get_ipython()
    except (KeyError, AttributeError):
        return None
    if shell is None or shell.__class__.__name__ != "ZMQInteractiveShell":
        return None
    return importlib.import_module("IPython.display")


class _Bar:
    """Shows a line at most five times a second."""

    def __init__(self) -> None:
        self.begun = self.shown = time.monotonic()

    def __call__(self, requests: int, share: float) -> None:
        now = time.monotonic()
        if now - self.shown >= 0.2:
            self.shown = now
            self.show(requests, share, requests / (now - self.begun))

    def show(self, requests: int, share: float, speed: float) -> None:
        raise NotImplementedError


class _TerminalBar(_Bar):
    def show(self, requests: int, share: float, speed: float) -> None:
        done = ""
        if share >= 0:
            full = round(share * _WIDTH)
            done = f"[{'#' * full}{' ' * (_WIDTH - full)}] {share:6.1%} "
        sys.stderr.write(f"\r\033[K{done}{requests:,} requests, {speed:,.0f}/s")
        sys.stderr.flush()

    def close(self) -> None:
        if self.shown > self.begun:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


class _NotebookBar(_Bar):
    def __init__(self, display: Any) -> None:
        super().__init__()
        self.display = display
        self.handle: Any = None

    def show(self, requests: int, share: float, speed: float) -> None:
        value = f"value='{share:.4f}'" if share >= 0 else ""
        html = self.display.HTML(f"<progress {value}></progress> {requests:,} requests, {speed:,.0f}/s")
        if self.handle:
            self.handle.update(html)
        else:
            self.handle = self.display.display(html, display_id=True)

    def close(self) -> None:
        if self.handle:
            self.handle.update(self.display.HTML(""))
