"""Policies in Python: which block is collected, which page leaves the write buffer."""

from typing import Any, Callable, Optional


class Policy:
    """A function that chooses, and the name by which results know it."""

    def __init__(self, function: Callable[..., Any], name: Optional[str] = None):
        own = getattr(function, "__name__", "callback")
        self.function = function
        self.name = name or (own if own.isidentifier() and own.isascii() else "callback")
        self.__doc__ = function.__doc__

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)


class GcPolicy(Policy):
    """A collection policy: see gc_policy()."""


class BufferPolicy(Policy):
    """A choice of victims of the write buffer: see buffer_policy()."""


def gc_policy(function: Callable[[int, Any], Optional[int]]) -> GcPolicy:
    """Makes a collection policy of a function of (plane, blocks): Drive(gc_policy=...).

    `blocks` are the full blocks of the plane that have a page which is not valid, with the fields block,
    plane, pages, programmed_pages, valid_pages, erases and age, the pages written to the drive since the
    block was full: blocks[i].age and, as this is a record array where there is numpy, blocks["age"].  Its
    numbers are unsigned.  The array is valid during the call.

    The function returns an index; None: the block with the fewest valid pages.  It must not call the drive.
    If it raises an exception, such blocks are chosen for the rest of the call, which then raises it.

    Example:
        >>> @ssdlab.gc_policy
        ... def oldest(plane, blocks):
        ...     return blocks["age"].argmax()
    """
    return GcPolicy(function)


def buffer_policy(function: Callable[[Any], Optional[int]]) -> BufferPolicy:
    """Makes a buffer's choice of victims of a function of (pages): Drive(buffer_policy=...).

    `pages` are the buffered pages in order of their last use, with the fields page, sectors, dirty_sectors,
    entered, used and hits; times are numbers of accesses.  The function returns the index of the page that
    leaves; None: the one that was not used for longest.  dram.buffer_bytes is the size of the buffer.
    """
    return BufferPolicy(function)
