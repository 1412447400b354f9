"""Traces and golden tables of tests/golden."""

import lzma
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
GOLDEN = HERE / "golden"


def find(trace: str) -> Path | None:
    """A file, or the trace of this name in tests/golden/traces."""
    if Path(trace).is_file():
        return Path(trace)
    return next(iter(sorted((GOLDEN / "traces").glob(trace + ".trace*"))), None)


def lines(path: Path) -> Iterator[str]:
    """Of a trace, without those that are empty or comments."""
    with lzma.open(path, "rt") if path.suffix == ".xz" else path.open() as text:
        for line in text:
            if line.strip() and not line.startswith("#"):
                yield line.strip()


def table(name: str, models: tuple[str, ...] = ("",)) -> dict[tuple[str, str], list[tuple[str, int]]]:
    """Counters by trace and model of tests/golden/NAME, of models that begin with these words."""
    found: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for line in (GOLDEN / name).read_text().splitlines():
        if line and not line.startswith(("#", "set\t")):
            _, trace, model, counter, value = line.split("\t")
            if not f"{model} ".startswith(models):
                continue
            found.setdefault((trace, model), []).append((counter, int(value)))
    return found
