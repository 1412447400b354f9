"""Exceptions.  Each message is the line that the program `ssd` would print."""


class Error(Exception):
    """Base of all exceptions of ssdlab."""


class Mistake(Error, ValueError):
    """A parameter, a request or a file cannot be used.  The drive still works."""


class DriveFull(Error):
    """The modelled drive is full or worn out: it takes no more requests, but its results can be read."""


class Stopped(Error):
    """The progress function stopped the call."""


class OutOfMemory(Error, MemoryError):
    """There is no memory left; the drive can only be closed."""


class Broken(Error):
    """A bug in an FTL or in ssdlab; the drive can only be closed.

    Attributes:
        file, line: where it was found, in the sources of ssdlab or of the FTL.
    """

    file: str = ""
    line: int = 0
