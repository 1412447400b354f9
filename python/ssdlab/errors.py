"""What can go wrong.  Each message is the line that the program would print."""


class Error(Exception):
    """Base of all exceptions of ssdlab."""


class Mistake(Error, ValueError):
    """A parameter, a request or a file that cannot be used.  The drive goes on."""


class DriveFull(Error):
    """The modelled drive is full or worn out: it takes no more requests, and can be asked."""


class Stopped(Error):
    """The progress function asked for it."""


class OutOfMemory(Error, MemoryError):
    """The drive can only be closed."""


class Broken(Error):
    """A bug of an FTL or of ssdlab; the drive can only be closed.

    Attributes:
        file, line: where it was found, in the sources of ssdlab or of the FTL.
    """

    file: str = ""
    line: int = 0
