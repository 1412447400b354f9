"""Checks of what a caller passes, before it becomes a number of fixed size or a text in C.

Each raises Mistake with one line: the argument, what it is, what it should be.
"""

import difflib
import inspect
import numbers
import operator
import os
import reprlib
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple, Union

from . import columns
from .errors import Mistake

Path = Union[str, "os.PathLike[str]"]

BYTE, WORD, LONG = (1 << 8) - 1, (1 << 32) - 1, (1 << 64) - 1


def shown(value: Any) -> str:
    """The value, shortened to a part of a line."""
    return " ".join(reprlib.repr(value).split())


def near(word: str, known: Iterable[str]) -> str:
    """ "; did you mean ...?" if a known word is spelled alike."""
    found = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean {found[0]}?" if found else ""


def whole(name: str, value: Any, most: int) -> int:
    """A whole number from 0 to `most`; 1e9 is one, too."""
    if type(value) is int and 0 <= value <= most:
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise Mistake(f"{name} is {shown(value)}, should be a whole number") from None
    if not 0 <= number <= most:
        raise Mistake(f"{name} is {shown(number)}, should be from 0 to {most}")
    return number


def flag(name: str, value: Any) -> bool:
    if isinstance(value, bool) or columns.is_flag(value):
        return bool(value)
    raise Mistake(f"{name} is {shown(value)}, should be True or False")


def _without_nul(name: str, text: bytes) -> bytes:
    if b"\0" in text:
        raise Mistake(f"{name} is {shown(text)}: a text ends at the character 0, leave it out")
    return text


def text(name: str, value: Any) -> bytes:
    if not isinstance(value, str):
        raise Mistake(f"{name} is {shown(value)}, should be a text")
    return _without_nul(name, value.encode(errors="surrogateescape"))


def optional_text(name: str, value: Any) -> Optional[bytes]:
    return None if value is None else text(name, value)


def path(name: str, value: Any) -> bytes:
    try:
        return _without_nul(name, os.fsencode(value))
    except TypeError:
        raise Mistake(f"{name} is {shown(value)}, should be a path or a name") from None


def optional_path(name: str, value: Any) -> Optional[bytes]:
    return None if value is None else path(name, value)


def function(name: str, value: Any, *arguments: str) -> Any:
    """A function that can be called with these arguments, as far as it says so."""
    told = f"should be a function of ({', '.join(arguments)})"
    if not callable(value):
        raise Mistake(f"{name} is {shown(value)}, {told}")
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):  # one in C may have none
        return value
    try:
        signature.bind(*arguments)
    except TypeError as error:
        raise Mistake(f"{name} {told}: {error}") from None
    return value


# ---- settings ----


def _value(key: str, value: Any) -> str:
    if isinstance(value, bool) or columns.is_flag(value):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(key, one) for one in value) + "]"
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if not isinstance(value, (str, numbers.Number)):
        raise Mistake(f"{key} is {shown(value)}, should be a number, a text, True or False")
    return str(value)


def _flat(settings: Mapping[str, Any], group: str = "") -> Iterator[Tuple[str, str]]:
    """Yields key and value of each setting; groups are nested, or spelled with a dot or two underscores."""
    for key, value in settings.items():
        if not isinstance(key, str) or "=" in key:
            raise Mistake(f"{shown(key)} is no name of a parameter")
        key = group + key.replace("__", ".")
        if isinstance(value, Mapping):
            yield from _flat(value, key + ".")
        else:
            yield key, _value(key, value)


def settings(*given: Any) -> List[bytes]:
    """ "key=value" of all settings in these mappings, each of which may be set once."""
    found: Dict[str, str] = {}
    for one in given:
        if not isinstance(one, Mapping):
            raise Mistake(f"settings are {shown(one)}, should be a mapping such as {{'gc.threshold': 0.1}}")
        for key, value in _flat(one):
            if key in found:
                raise Mistake(f"{key} is set twice, to {found[key]} and to {value}")
            found[key] = value
    return [text(key, f"{key}={value}") for key, value in found.items()]
