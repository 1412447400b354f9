"""Columns of requests as memory that the library reads, without a copy where that is possible."""

import array
import collections.abc
import ctypes
import functools
import importlib
from typing import Any, Tuple

from .errors import Mistake

# Optional packages are imported by name, because type checkers may not have them, either.
numpy: Any
try:
    numpy = importlib.import_module("numpy")
except ImportError:
    numpy = None

_CODES = {ctypes.c_uint8: "B", ctypes.c_uint32: "I", ctypes.c_uint64: "Q"}


def is_flag(value: Any) -> bool:
    """Is it numpy's True or False?"""
    return numpy is not None and isinstance(value, numpy.bool_)


def column(name: str, values: Any, kind: Any) -> Tuple[int, int, Any]:
    """Returns (address, length, owner of the memory) of a column of unsigned integers.

    `values` may be anything that numpy can convert to an array; without numpy, a buffer of that type or any
    iterable of integers.
    """
    kinds = (collections.abc.Mapping, collections.abc.Set, str)
    if isinstance(values, kinds) or (isinstance(values, (bytes, bytearray)) and kind is not ctypes.c_uint8):
        raise Mistake(f"{name} is a {type(values).__name__}, should be a list or an array of whole numbers")
    return (_by_iteration if numpy is None else _by_numpy)(name, values, kind)


def _by_iteration(name: str, values: Any, kind: Any) -> Tuple[int, int, Any]:
    code = _CODES[kind]
    try:
        view = memoryview(values)
        same = view.ndim == 1 and view.contiguous and view.format == code and not view.readonly
    except TypeError:
        same = False
    try:
        owner = values if same else array.array(code, values)
    except (OverflowError, TypeError, ValueError) as error:
        raise Mistake(f"{name} should be a list or an array of whole numbers: {error}") from None
    memory = (kind * len(owner)).from_buffer(owner) if len(owner) else (kind * 0)()
    return ctypes.addressof(memory), len(owner), memory


def _by_numpy(name: str, values: Any, kind: Any) -> Tuple[int, int, Any]:
    wanted = numpy.dtype(kind)
    try:
        owner = numpy.asarray(memoryview(values) if isinstance(values, bytes) else values)
    except (OverflowError, TypeError, ValueError) as error:
        raise Mistake(f"{name} should be a list or an array of whole numbers: {error}") from None
    if owner.ndim != 1:
        raise Mistake(f"{name} should be a list or an array of one dimension, it has {owner.ndim}")
    if owner.dtype != wanted:
        if owner.size and owner.dtype.kind not in "iub":
            raise Mistake(f"{name} should be whole numbers, it is {owner.dtype}")
        if owner.size and (int(owner.min()) < 0 or int(owner.max()) > numpy.iinfo(wanted).max):
            raise Mistake(f"{name} should be from 0 to {numpy.iinfo(wanted).max}")
        owner = owner.astype(wanted)
    owner = numpy.ascontiguousarray(owner)
    return owner.ctypes.data, len(owner), owner


def records(struct: Any, count: int) -> Tuple[Any, Any]:
    """Allocates `count` structs and returns (pointer, rows).  With numpy, rows is a record array.

    rows[i].name is a field of a row; with numpy, rows["name"] is a column, too.
    """
    if numpy is not None:
        rows = numpy.recarray(count, dtype=_dtype(struct))
        return rows.ctypes.data_as(ctypes.POINTER(struct)), rows
    rows = (struct * count)()
    return ctypes.cast(rows, ctypes.POINTER(struct)), rows


def seen(pointer: Any, count: int, struct: Any) -> Any:
    """A view of the library's array of structs, not a copy: valid only during the call."""
    address = ctypes.addressof(pointer.contents)
    if numpy is None:
        return (struct * count).from_address(address)
    memory = (ctypes.c_char * (count * ctypes.sizeof(struct))).from_address(address)
    return numpy.recarray(count, dtype=_dtype(struct), buf=memory)


@functools.lru_cache(maxsize=None)
def _dtype(struct: Any) -> Any:
    return numpy.dtype(struct)
