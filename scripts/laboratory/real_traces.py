"""Real traces: the files that an experiment asks for, and where they are below a folder.

A section [trace NAME] of a description says what the file is called, what its first line looks like, where it
is from and how long it is (docs/experiments.md).
"""

from __future__ import annotations

import bz2
import fnmatch
import gzip
import io
import lzma
import os
import re
import subprocess
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from laboratory.mistake import Mistake

PACKED = (".gz", ".xz", ".zst", ".bz2", ".lz4")
UNPACK = {".zst": ["zstd", "-dcq"], ".lz4": ["lz4", "-dcq"]}  # others are unpacked by Python
HEAD_BYTES = 1 << 14  # the first line of data is in these
SHOWN = 8  # files that a line of a message names
ENOUGH = 0.9  # of the requests that were asked for
OPTIONS = {"file", "first", "source", "size", "requests", "none"}


@dataclass
class Trace:
    """A file that is wanted, or why there is none."""

    name: str
    file: list[str]  # patterns of its name, without .gz and the like
    first: str  # of its first line of data; "": only its name tells
    source: str
    size: str
    requests: int  # of the whole file, as the paper has it; 0: not known
    none: str  # why there is no such file
    path: str = ""

    @property
    def key(self) -> str:
        """In names of numbers."""
        return re.sub(r"\W", "_", self.name)

    def is_called(self, path: str) -> bool:
        name = os.path.basename(path).lower()
        plain = next((name.removesuffix(end) for end in PACKED if name.endswith(end)), name)
        return any(fnmatch.fnmatchcase(plain, pattern.lower()) for pattern in self.file)

    def described(self) -> str:
        length = f"{self.requests:,} requests" if self.requests else ""
        first = f"first line like {self.first}" if self.first else ""
        return "; ".join(filter(None, [" or ".join(self.file), self.source, length, self.size, first]))


def read_trace(name: str, section: dict[str, str], where: str) -> Trace:
    if wrong := sorted(section.keys() - OPTIONS):
        raise Mistake(f"{where} {wrong[0]}: should be of {' '.join(sorted(OPTIONS))}")
    if not section.get("none") and not (section.get("file") and section.get("source")):
        raise Mistake(f"{where}: should have file and source, or none: why there is no file")
    requests = section.get("requests", "0")
    if not re.fullmatch(r"\d{1,15}", requests, re.ASCII):
        raise Mistake(f"{where} requests = {requests}: should be a number")
    try:
        re.compile(section.get("first", ""))
    except re.error as error:
        raise Mistake(f"{where} first = {section['first']}: {error}") from None
    return Trace(
        name,
        section.get("file", "").split(),
        section.get("first", ""),
        section.get("source", ""),
        section.get("size", ""),
        int(requests),
        section.get("none", ""),
    )


# ---- the folder ----


def below(folder: str) -> Iterator[str]:
    """All files, in order; links are followed, but into no folder twice."""
    if not os.path.isdir(folder):
        raise Mistake(f"traces={folder}: should be a folder with traces")
    seen = set()
    for here, folders, files in os.walk(folder, followlinks=True):
        real = os.path.realpath(here)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        folders.sort()
        yield from (os.path.join(here, name) for name in sorted(files))


def opened(path: str) -> io.BufferedIOBase:
    ending = os.path.splitext(path)[1].lower()
    if ending == ".gz":
        return gzip.open(path)
    if ending == ".xz":
        return lzma.open(path)
    return bz2.open(path) if ending == ".bz2" else open(path, "rb")


def head(path: str) -> bytes:
    """The first bytes, unpacked; none if they cannot be had."""
    unpack = UNPACK.get(os.path.splitext(path)[1].lower())
    try:
        if not unpack:
            with opened(path) as file:
                return file.read(HEAD_BYTES)
        command = [*unpack, path]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
            found = child.stdout.read(HEAD_BYTES) if child.stdout else b""
            child.kill()
            return found
    except (OSError, EOFError, lzma.LZMAError, zlib.error):
        return b""


def first_line(path: str) -> str:
    """Of the data: one that begins with a digit; headings and remarks do not."""
    lines = head(path).decode(errors="replace").splitlines()
    return next((line for line in lines if line.lstrip()[:1].isdigit()), "")


def find(folder: str, traces: list[Trace]) -> None:
    """Sets the path of each trace.  A Mistake lists all that are missing or there twice."""
    files = list(below(folder))
    wanted = [trace for trace in traces if not trace.none]
    named = {trace.name: [path for path in files if trace.is_called(path)] for trace in wanted}
    others = [path for path in files if not any(path in paths for paths in named.values())]
    if any(trace.first and not named[trace.name] for trace in wanted):
        begins = {path: first_line(path) for path in others}
        for trace in wanted:
            if trace.first and not named[trace.name]:
                named[trace.name] = [path for path in others if re.match(trace.first, begins[path])]
    if any(len(paths) != 1 for paths in named.values()):
        raise Mistake("\n  ".join(complaint(folder, wanted, named, others)))
    for trace in wanted:
        (trace.path,) = named[trace.name]


def complaint(
    folder: str, wanted: list[Trace], named: dict[str, list[str]], others: list[str]
) -> Iterator[str]:
    """A heading, and a line for each trace that is wanted."""
    there = sum(len(paths) == 1 for paths in named.values())
    yield (
        f"traces={folder}: {there} of {len(wanted)} traces are there; a number without=NAME,NAME leaves "
        "some out"
    )
    for trace in wanted:
        paths = named[trace.name]
        if not paths:
            yield f"missing: {trace.name}: {trace.described()}"
        elif len(paths) > 1:
            yield f"several: {trace.name}: {' and '.join(cut(paths))}; should be one"
    yield from (f"found: {name}: {paths[0]}" for name, paths in named.items() if len(paths) == 1)
    rest = [path for path in others if not any(path in paths for paths in named.values())]
    if rest:
        yield f"not asked for: {', '.join(cut([os.path.relpath(path, folder) for path in rest]))}"


def cut(paths: list[str]) -> list[str]:
    """The first of them, and how many others there are."""
    return [*paths[:SHOWN], *([f"{len(paths) - SHOWN} others"] if len(paths) > SHOWN else [])]
