"""A progress bar, in a terminal or in a notebook."""

import sys
import time

_WIDTH = 30


def bar_for(wanted):
    """What receives the progress: None, the caller's function, or a bar.  True: always a bar."""
    if callable(wanted):
        return wanted
    if wanted is False:
        return None
    notebook = _notebook()
    if notebook:
        return _NotebookBar(notebook)
    return _TerminalBar() if wanted or sys.stderr.isatty() else None


def _notebook():
    """IPython's display module, if this is a notebook."""
    try:
        shell = sys.modules["IPython"].get_ipython()
    except (KeyError, AttributeError):
        return None
    if shell is None or shell.__class__.__name__ != "ZMQInteractiveShell":
        return None
    import IPython.display

    return IPython.display


class _Bar:
    """Shows a line at most five times a second."""

    def __init__(self):
        self.begun = self.shown = time.monotonic()

    def __call__(self, requests, share):
        now = time.monotonic()
        if now - self.shown >= 0.2:
            self.shown = now
            self.show(requests, share, requests / (now - self.begun))


class _TerminalBar(_Bar):
    def show(self, requests, share, speed):
        done = ""
        if share >= 0:
            full = round(share * _WIDTH)
            done = f"[{'#' * full}{' ' * (_WIDTH - full)}] {share:6.1%} "
        sys.stderr.write(f"\r\033[K{done}{requests:,} requests, {speed:,.0f}/s")
        sys.stderr.flush()

    def close(self):
        if self.shown > self.begun:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


class _NotebookBar(_Bar):
    def __init__(self, display):
        super().__init__()
        self.display = display
        self.handle = None

    def show(self, requests, share, speed):
        value = f"value='{share:.4f}'" if share >= 0 else ""
        html = self.display.HTML(f"<progress {value}></progress> {requests:,} requests, {speed:,.0f}/s")
        if self.handle:
            self.handle.update(html)
        else:
            self.handle = self.display.display(html, display_id=True)

    def close(self):
        if self.handle:
            self.handle.update(self.display.HTML(""))
