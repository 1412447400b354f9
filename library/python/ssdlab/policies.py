"""Policies in Python: victim selection of garbage collection and of the write buffer."""

from typing import Any, Callable, Optional, Tuple, Type, TypeVar

from . import arguments
from .errors import Mistake


class Policy:
    """A function that selects a victim, and its name in results."""

    kind, like = "policy", ""
    takes: Tuple[str, ...] = ()

    def __init__(self, function: Callable[..., Any], name: Optional[str] = None) -> None:
        if isinstance(function, Policy):
            raise Mistake(f"{self.kind} is a {function.kind}; it should be a function")
        if isinstance(function, str):
            raise Mistake(
                f"{self.kind} should be a function; a policy of ssdlab is a setting, {self.like}={function!r}"
            )
        own = getattr(function, "__name__", "callback")
        self.function = arguments.function(self.kind, function, *self.takes)
        self.name = name or (own if own.isidentifier() and own.isascii() else "callback")
        self.__doc__ = function.__doc__

    def __call__(self, *given: Any) -> Any:
        return self.function(*given)


class GcPolicy(Policy):
    """A collection policy: see gc_policy()."""

    kind, like, takes = "gc_policy", "gc__policy", ("plane", "blocks")


class BufferPolicy(Policy):
    """A victim selection of the write buffer: see buffer_policy()."""

    kind, like, takes = "buffer_policy", "buffer", ("pages",)


_Kind = TypeVar("_Kind", bound=Policy)


def policy(given: Any, kind: Type[_Kind]) -> Optional[_Kind]:
    """What Drive() was given as such a policy."""
    return given if given is None or isinstance(given, kind) else kind(given)


def gc_policy(function: Callable[[int, Any], Optional[int]]) -> GcPolicy:
    """Makes a collection policy from a function of (plane, blocks), for Drive(gc_policy=...).

    `blocks` are the full blocks of the plane with at least one invalid page.  The fields are block, plane,
    pages, programmed_pages, valid_pages, erases and age (pages written to the drive since the block became
    full); all are unsigned.  Read blocks[i].age or, with numpy, where this is a record array, blocks["age"].
    The array is in no particular order, but the same in every run, and valid only during the call.

    The function returns an index, or None for the first of the blocks with the fewest valid pages.  (Of these
    gc.policy = greedy takes the one that reached this number first, so its results differ a little.)  It must
    not call the drive.  Forks of the drive call the same function, whose state is not forked.  If it raises
    an exception, the blocks with the fewest valid pages are collected for the rest of the call, which then
    raises the exception.

    Example:
        >>> @ssdlab.gc_policy
        ... def oldest(plane, blocks):
        ...     return blocks["age"].argmax()
    """
    return GcPolicy(function)


def buffer_policy(function: Callable[[Any], Optional[int]]) -> BufferPolicy:
    """Makes a buffer's victim selection from a function of (pages), for Drive(buffer_policy=...).

    `pages` are the buffered pages in order of their last use, with the fields page, sectors, dirty_sectors,
    entered, used and hits; the times `entered` and `used` are counted in accesses.  The function returns the
    index of the page to evict, or None for the least recently used one.  dram.buffer_bytes is the size of
    the buffer.
    """
    return BufferPolicy(function)
