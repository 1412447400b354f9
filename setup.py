"""Builds libssdlab.so with make and packs it into a wheel for any Python 3 of this platform."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

HERE = os.path.dirname(os.path.abspath(__file__))


def version() -> str:
    with open(os.path.join(HERE, "base/version.h"), encoding="utf-8") as file:
        found = re.search(r'SSD_VERSION  *"(.*?)"', file.read())
    if not found:
        sys.exit("ssdlab: base/version.h does not say SSD_VERSION")
    return found[1]


class BuildWithLibrary(build_py):
    """The package, and the library beside it."""

    def run(self) -> None:
        super().run()
        jobs = f"-j{os.cpu_count() or 1}"
        if subprocess.run(["make", "-s", jobs, "build/libssdlab.so"], cwd=HERE).returncode:
            sys.exit("ssdlab: make cannot build libssdlab.so; it says above what is missing")
        shutil.copy2(os.path.join(HERE, "build/libssdlab.so"), os.path.join(self.build_lib, "ssdlab"))


class PlatformDistribution(Distribution):
    """It holds machine code, though no module of Python is made of it."""

    def has_ext_modules(self) -> bool:
        return True


class AnyPython(bdist_wheel):
    """ctypes loads the library: one wheel does for every Python 3."""

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


os.makedirs(os.path.join(HERE, "build"), exist_ok=True)
setup(
    version=version(),
    distclass=PlatformDistribution,
    cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": AnyPython},
    options={"build": {"build_base": "build/python"}, "egg_info": {"egg_base": "build"}},
)
