"""The files that a run depends on, and what was in them when the run was named.

Words of a command name files: a trace, a plug-in, a saved drive.  Drives and profiles also have names, which
are looked up here as the simulator does (drive/settings.c, traces/generate_find.c).  A parameter file or a
profile may include others.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from laboratory.mistake import Mistake

PROFILES = "traces/profiles"
INCLUDE = re.compile(rb'@include[ \t]+"([^"\n]*)"')
DIGITS = 16  # of a digest, in the name of a run
TEXT_BYTES = 1 << 16  # parameter files and profiles up to this size are kept whole
INCLUDING_BYTES = 1 << 20  # the simulator reads no larger parameter file
Digests = dict[str, str]  # path: digest of the content


@dataclass
class Content:
    sha256: str
    state: tuple[int, ...]  # of the file, when it was read
    text: str  # of a small file
    includes: list[str]

    @property
    def size(self) -> int:
        return self.state[0]


def state_of(path: str) -> tuple[int, ...]:
    found = os.stat(path)
    return found.st_size, found.st_ino, found.st_mtime_ns, found.st_ctime_ns


def read(path: str, state: tuple[int, ...]) -> Content:
    with open(path, "rb") as file:
        if state[0] > INCLUDING_BYTES:
            return Content(hashlib.file_digest(file, "sha256").hexdigest(), state, "", [])
        whole = file.read()
    text = whole.decode(errors="replace") if state[0] <= TEXT_BYTES else ""
    includes = [os.fsdecode(name) for name in INCLUDE.findall(whole)]
    return Content(hashlib.sha256(whole).hexdigest(), state, text, includes)


def is_inside(path: str) -> bool:
    """True if the path leads to no place outside the folder that it begins in."""
    return bool(path) and not os.path.isabs(path) and ".." not in path.split("/")


class Files:
    def __init__(self, ssd: str) -> None:
        beside = os.path.join(os.path.dirname(os.path.realpath(ssd)), PROFILES)
        self.profiles = [*filter(None, [os.environ.get("SSDLAB_PROFILES")]), beside, PROFILES]
        self.contents: dict[str, Content] = {}  # the newest
        self.named: dict[tuple[str, str], Content] = {}  # by path and digest
        self.kept_as: dict[str, str] = {}  # parameter files and profiles: where `lab rerun` puts them

    # ---- what is in them ----

    def content(self, path: str) -> Content:
        """Reads the file once, and again when it has changed."""
        for _ in range(10):
            state, known = state_of(path), self.contents.get(path)
            if known and known.state == state:
                return known
            self.contents[path] = read(path, state)
        raise Mistake(f"{path}: changes while it is read; wait until it is whole")

    def digests(self, paths: Iterable[str]) -> Digests:
        found = {}
        for path in paths:
            content = self.content(path)
            found[path] = content.sha256[:DIGITS]
            self.named[path, found[path]] = content
        return found

    def changed(self, before: Digests) -> str:
        """The first of the files that is no longer what it was; "" if all are."""
        return next(
            (
                path
                for path, was in before.items()
                if not os.path.isfile(path) or self.digests([path])[path] != was
            ),
            "",
        )

    def kept(self, path: str, digest: str) -> dict[str, Any]:
        """What a manifest says of a file, as it was when it had this digest."""
        content = self.named[path, digest]
        found: dict[str, Any] = {"sha256": content.sha256, "bytes": content.size}
        kept_as = self.kept_as.get(path, "")
        return found | {"text": content.text, "as": kept_as} if kept_as and content.text else found

    # ---- which they are ----

    def of_drive(self, name: str) -> Digests:
        path = name if os.path.isfile(name) else f"parameters/{name}.cfg"
        folder = hashlib.sha256(os.path.dirname(path).encode()).hexdigest()[:DIGITS]
        return self.with_included(path, path if is_inside(path) else f"{folder}/{os.path.basename(path)}")

    def of_workload(self, name: str) -> Digests:
        """A trace, or a profile; none for a profile that is built into the simulator."""
        if os.path.isfile(name):
            return self.digests([name])
        paths = (os.path.join(folder, f"{name}.cfg") for folder in self.profiles)
        path = next(filter(os.path.isfile, paths), "")
        near = os.path.relpath(path) if path else ""
        return self.with_included(near if is_inside(near) else path, f"{PROFILES}/{name}.cfg")

    def of_words(self, words: Iterable[str]) -> Digests:
        """`words`: KEY=VALUE, and lines KEY = "VALUE" of `ssd run --check`."""
        found: Digests = {}
        for word in words:
            key, _, value = (part.strip(' "') for part in word.partition("="))
            if os.path.isfile(value) or key == "precondition.trace":
                found |= self.of_workload(value)
        return found

    def with_included(self, path: str, kept_as: str) -> Digests:
        """A parameter file or profile, and the files that it includes, each relative to its own folder."""
        found: Digests = {}
        waiting = [(path, kept_as)]
        while waiting:
            path, kept_as = waiting.pop(0)
            if path in found or not os.path.isfile(path):
                continue
            found |= self.digests([path])
            self.kept_as[path] = kept_as
            for name in self.contents[path].includes:
                beside = os.path.normpath(os.path.join(os.path.dirname(kept_as), name))
                waiting.append(
                    (
                        os.path.join(os.path.dirname(path), name),
                        beside if kept_as and is_inside(beside) else "",
                    )
                )
        return found
