"""ssdlab: a simulated SSD that a program writes to from its own loop.

    import ssdlab

    drive = ssdlab.Drive("class", ftl="across")
    print(drive.run("lun1")["waf"])

Everything is done through `Drive`; docs/library.md in the sources explains it.
"""

from ._library import library as _loaded
from .drive import Drive, Flags, Kind
from .errors import Broken, DriveFull, Error, Mistake, OutOfMemory, Stopped
from .policies import buffer_policy, gc_policy
from .statistics import Statistics

__version__ = _loaded.ssdlab_version().decode()

__all__ = [
    "Broken",
    "Drive",
    "DriveFull",
    "Error",
    "Flags",
    "Kind",
    "Mistake",
    "OutOfMemory",
    "Statistics",
    "Stopped",
    "buffer_policy",
    "gc_policy",
]
