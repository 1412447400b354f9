"""The C library through ctypes: library/ssdlab.h in Python.

The structs and functions here are those of the header, in its order; tests/test_python.py compares them.
"""

import ctypes
import os
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_char_p,
    c_double,
    c_int,
    c_size_t,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any, Dict, List, Tuple

ABI = 2

OK, MISTAKE, DRIVE_FULL, NO_MEMORY, STOPPED, BROKEN = range(6)
NO_COMPLETIONS, TIMES, PARTS = range(3)

Progress = CFUNCTYPE(c_int, c_void_p, c_uint64, c_double)
Bug = CFUNCTYPE(None, c_void_p, c_char_p, c_int, c_char_p)


class Block(Structure):
    """struct ssdlab_block"""

    _fields_ = [
        ("block", c_uint32),
        ("plane", c_uint32),
        ("pages", c_uint32),
        ("programmed_pages", c_uint32),
        ("valid_pages", c_uint32),
        ("erases", c_uint32),
        ("age", c_uint64),
    ]


class Page(Structure):
    """struct ssdlab_page"""

    _fields_ = [
        ("page", c_uint64),
        ("sectors", c_uint32),
        ("dirty_sectors", c_uint32),
        ("entered", c_uint64),
        ("used", c_uint64),
        ("hits", c_uint32),
        ("reserved", c_uint32),
    ]


GcPick = CFUNCTYPE(c_size_t, c_void_p, c_uint32, POINTER(Block), c_size_t)
BufferPick = CFUNCTYPE(c_size_t, c_void_p, POINTER(Page), c_size_t)


class Options(Structure):
    """struct ssdlab_options"""

    _fields_ = [
        ("size", c_size_t),
        ("parameters", c_char_p),
        ("settings", POINTER(c_char_p)),
        ("setting_count", c_size_t),
        ("verify", c_int),
        ("completions", c_int),
        ("progress", Progress),
        ("progress_context", c_void_p),
        ("bug", Bug),
        ("bug_context", c_void_p),
        ("gc_pick", GcPick),
        ("gc_context", c_void_p),
        ("gc_name", c_char_p),
        ("buffer_pick", BufferPick),
        ("buffer_context", c_void_p),
        ("buffer_name", c_char_p),
        ("ftl", c_void_p),
        ("ftl_toolbox", c_void_p),
    ]


class Request(Structure):
    """struct ssdlab_request"""

    _fields_ = [
        ("arrival_ns", c_uint64),
        ("sector", c_uint64),
        ("tag", c_uint64),
        ("sectors", c_uint32),
        ("device", c_uint32),
        ("kind", c_uint8),
        ("hint", c_uint8),
        ("flags", c_uint8),
        ("reserved", c_uint8 * 5),
    ]


# Of a column: its type, as in a request.
COLUMNS: Dict[str, Any] = {
    "arrival_ns": c_uint64,
    "sector": c_uint64,
    "tag": c_uint64,
    "sectors": c_uint32,
    "device": c_uint32,
    "kind": c_uint8,
    "hint": c_uint8,
    "flags": c_uint8,
}


class Columns(Structure):
    """struct ssdlab_columns: addresses of arrays"""

    _fields_ = [("size", c_size_t), *((name, c_void_p) for name in COLUMNS)]


class Completion(Structure):
    """struct ssdlab_completion"""

    _fields_ = [
        ("tag", c_uint64),
        ("arrival_ns", c_uint64),
        ("start_ns", c_uint64),
        ("completion_ns", c_uint64),
        ("sectors", c_uint32),
        ("kind", c_uint32),
        ("controller_ns", c_uint64),
        ("map_ns", c_uint64),
        ("die_ns", c_uint64),
        ("collection_ns", c_uint64),
        ("bus_ns", c_uint64),
        ("cells_ns", c_uint64),
        ("link_ns", c_uint64),
    ]


_drive = c_void_p
_text = c_void_p  # freed by ssdlab_free(), so ctypes must not convert it to bytes

FUNCTIONS: Dict[str, Tuple[Any, List[Any]]] = {
    "ssdlab_abi": (c_uint32, []),
    "ssdlab_version": (c_char_p, []),
    "ssdlab_open": (c_int, [POINTER(_drive), POINTER(Options)]),
    "ssdlab_close": (c_int, [_drive]),
    "ssdlab_error": (c_char_p, [_drive]),
    "ssdlab_prepare": (c_int, [_drive, c_char_p]),
    "ssdlab_run": (c_int, [_drive, c_char_p]),
    "ssdlab_submit": (c_int, [_drive, POINTER(Request), c_size_t, POINTER(c_size_t)]),
    "ssdlab_submit_columns": (c_int, [_drive, POINTER(Columns), c_size_t, POINTER(c_size_t)]),
    "ssdlab_now": (c_uint64, [_drive]),
    "ssdlab_sectors": (c_uint64, [_drive]),
    "ssdlab_in_flight": (c_uint64, [_drive]),
    "ssdlab_advance": (c_int, [_drive, c_uint64]),
    "ssdlab_next": (c_int, [_drive]),
    "ssdlab_drain": (c_int, [_drive]),
    "ssdlab_completions": (c_int, [_drive, POINTER(Completion), c_size_t, POINTER(c_size_t)]),
    "ssdlab_statistic": (c_int, [_drive, c_char_p, POINTER(c_double)]),
    "ssdlab_json": (c_int, [_drive, c_char_p, c_char_p, c_char_p, POINTER(_text)]),
    "ssdlab_free": (None, [_text]),
    "ssdlab_reset_statistics": (c_int, [_drive]),
    "ssdlab_check": (c_int, [_drive]),
    "ssdlab_blocks": (c_int, [_drive, POINTER(Block), c_size_t, POINTER(c_size_t)]),
    "ssdlab_save": (c_int, [_drive, c_char_p]),
    "ssdlab_load": (c_int, [_drive, c_char_p, c_char_p]),
    "ssdlab_fork": (c_int, [_drive, POINTER(_drive)]),
}


def _load() -> Any:
    """Loads the library beside this file, or the one that SSDLAB_LIBRARY names."""
    path = os.environ.get("SSDLAB_LIBRARY") or os.path.join(os.path.dirname(__file__), "libssdlab.so")
    library = ctypes.CDLL(path)
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    if library.ssdlab_abi() != ABI:
        raise ImportError(f"{path} has ABI {library.ssdlab_abi()}, not {ABI}: install the package again")
    return library


library = _load()
