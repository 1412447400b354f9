"""Columns of requests as memory that the library reads, without a copy where that is possible."""

import array
import ctypes
import functools

try:
    import numpy
except ImportError:  # optional
    numpy = None

_CODES = {ctypes.c_uint8: "B", ctypes.c_uint32: "I", ctypes.c_uint64: "Q"}


def column(name, values, kind):
    """Returns (pointer, length, owner of the memory) of a column of unsigned integers.

    `values` may be anything that numpy can convert to an array; without numpy, a buffer of that type or any
    iterable of integers.
    """
    if numpy is not None:
        return _by_numpy(name, values, kind)
    code = _CODES[kind]
    try:
        view = memoryview(values)
        same = view.contiguous and view.format == code
    except TypeError:
        same = False
    try:
        owner = values if same and not view.readonly else array.array(code, values)
    except (OverflowError, TypeError) as error:
        raise ValueError(f"{name}: {error}") from None
    memory = (kind * len(owner)).from_buffer(owner)
    return ctypes.cast(memory, ctypes.POINTER(kind)), len(owner), memory


def _by_numpy(name, values, kind):
    wanted = numpy.dtype(kind)
    owner = numpy.asarray(values)
    if owner.ndim != 1:
        raise ValueError(f"{name}: should have one dimension, it has {owner.ndim}")
    if owner.dtype != wanted:
        if owner.size and owner.dtype.kind not in "iub":
            raise ValueError(f"{name}: should be whole numbers, it is {owner.dtype}")
        if owner.size and (int(owner.min()) < 0 or int(owner.max()) > numpy.iinfo(wanted).max):
            raise ValueError(f"{name}: should be from 0 to {numpy.iinfo(wanted).max}")
        owner = owner.astype(wanted)
    owner = numpy.ascontiguousarray(owner)
    return owner.ctypes.data_as(ctypes.POINTER(kind)), len(owner), owner


def records(struct, count):
    """Allocates `count` structs and returns (pointer, rows).  With numpy, rows is a record array.

    rows[i].name is a field of a row; with numpy, rows["name"] is a column, too.
    """
    if numpy is not None:
        rows = numpy.recarray(count, dtype=_dtype(struct))
        return rows.ctypes.data_as(ctypes.POINTER(struct)), rows
    rows = (struct * count)()
    return ctypes.cast(rows, ctypes.POINTER(struct)), rows


def seen(pointer, count, struct):
    """A view of the library's array of structs, not a copy: valid only during the call."""
    address = ctypes.addressof(pointer.contents)
    if numpy is None:
        return (struct * count).from_address(address)
    memory = (ctypes.c_char * (count * ctypes.sizeof(struct))).from_address(address)
    return numpy.recarray(count, dtype=_dtype(struct), buf=memory)


@functools.lru_cache(maxsize=None)
def _dtype(struct):
    return numpy.dtype(struct)
