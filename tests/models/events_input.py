"""Settings and traces for the event model.

Names and defaults of settings are those of `ssd params`; traces are in SSDsim's format
(traces/README.md): time, device, sector, sectors, operation (0 write, 1 read, 2 FLUSH, 4 write with
FUA).
"""

import re
from dataclasses import dataclass
from pathlib import Path

from files import HERE, lines

SECTOR = 512
WRITE, READ, FLUSH, FUA = 0, 1, 2, 4
Settings = dict[str, str]

DEFAULTS = """
flash.channels=8 flash.chips=4 flash.dies=2 flash.planes=2 flash.blocks=2048 flash.pages=64
flash.page_bytes=8192 flash.over_provisioning=0.1 flash.read_ns=75000 flash.program_ns=2000000
flash.erase_ns=15000000 flash.command_ns=200 flash.plane_command_ns=200 flash.bus_mb_per_s=400
flash.bus_order=command_first flash.copyback=true flash.multiplane=off flash.multiplane_copy=false
flash.multiplane_search=256 flash.read_first_limit=1000 flash.suspend=never flash.suspend_ns=20000
flash.resume_ns=20000 flash.forward_bytes=8388608 flash.cell_bits=1 flash.program_unit=page
flash.passes=1 flash.wordline_wait_ns=0 flash.cache_register=off placement.policy=least_loaded
placement.superblock=die gc.policy=greedy gc.threshold=0.1 gc.hysteresis=0 gc.soft=0
gc.copies_per_write=0 gc.together=plane gc.separate=true dram.access_ns=1000 upkeep.idle_ns=0
upkeep.step_pages=8 host.mode=open host.queue_limit=256 host.queue_depth=32 host.tenants=1
host.arbitration=fifo host.classes= host.weights=4,2,1 host.burst=1 host.slots=0 host.write_done=flash
host.write_bytes=0 host.plp=false host.flush_every=0 precondition.mode=none precondition.premap=pages
trace.fold=false ftl=page buffer=none
"""


def pairs(text: str) -> Settings:
    return {word.split("=", 1)[0]: word.split("=", 1)[1] for word in text.split()}


def read_cfg(path: Path) -> Settings:
    """`group: { key = value; }` and `key = value;` of a parameter file."""
    text = re.sub(r"#.*", "", path.read_text())
    found: Settings = {}
    for group, body in re.findall(r"(\w+)\s*:\s*\{(.*?)\}", text, re.S):
        for key, value in re.findall(r"(\w+)\s*=\s*([^;]*);", body):
            found[f"{group}.{key}"] = value.strip().strip('"')
    for key, value in re.findall(r"(\w+)\s*=\s*([^;]*);", re.sub(r"\w+\s*:\s*\{.*?\}", "", text, flags=re.S)):
        found[key] = value.strip().strip('"')
    return found


@dataclass
class Record:
    """A line of a trace."""

    time: int
    device: int
    sector: int
    sectors: int
    operation: int


def read_trace(path: Path) -> list[Record]:
    """Requests by time, which begins with the first one."""
    records = [Record(*map(int, line.split()[:5])) for line in lines(path)]
    records.sort(key=lambda record: record.time)
    begin = records[0].time if records else 0
    for record in records:
        record.time -= begin
    return records


def settings_of(model: str) -> Settings:
    """Of a row of time-counts.tsv or memory-counts.tsv: counts.d/time.cfg and what the row sets."""
    settings = pairs(DEFAULTS) | read_cfg(HERE / "counts.d" / "time.cfg")
    words = pairs(" ".join(word for word in model.split() if "=" in word))
    if "run" in words:
        runs = (HERE / "golden" / "time-runs.tsv").read_text().splitlines()
        commands = dict(line.split("\t") for line in runs if "\t" in line)
        words = pairs(commands[words["run"]])
    unknown = [key for key in words if "." in key and key not in settings]
    if unknown:
        raise SystemExit(f"the model does not know {', '.join(unknown)}")
    return settings | {key: value for key, value in words.items() if "." in key}


def numbers(text: str) -> list[int]:
    return [int(word) for word in text.strip("[]").replace(",", " ").split()]
