#!/usr/bin/env python3
"""Every field of a struct that is saved has a row in its table (base/state.h), and every row a field.

    tests/test_state.py [FOLDER]      the sources there, else those of this tree

Reads the tables and the structs from the sources; prints FILE: struct NAME: field `...' for each field that
no row mentions.  Then plants a field without a row into each struct, which must be reported.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = re.compile(r"struct state_row (\w+)\[\] = \{(.*?)\n?\};", re.S)
ROW = re.compile(r"STATE_[A-Z_]+\(\s*struct (\w+), (\w+)")
GROWN = re.compile(r"STATE_GROWN\(\s*struct \w+, \w+, (\w+), (\w+)")
UNSAVED = re.compile(r"STATE_(?:FIXED|REBUILT|SCRATCH|COUNTED|TAIL)\(([^()]*)\)")
STRUCT = re.compile(r"struct (\w+) \{\n(.*?)\n\}", re.S)

Structs = dict[tuple[str, str] | str, str]  # bodies
Table = tuple[str, str, str, set[str], str]  # file, name, struct, fields mentioned, body of the struct


def sources(root: str) -> Iterator[tuple[str, str]]:
    names = subprocess.run(
        ["git", "ls-files", "*.c", "*.h"], cwd=root, capture_output=True, text=True, check=True
    )
    for name in names.stdout.split():
        if not name.startswith("tests/") and os.path.exists(os.path.join(root, name)):
            with open(os.path.join(root, name), encoding="utf-8") as file:
                yield name, re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)


def fields(body: str) -> Iterator[str]:
    """Names that the body of a struct declares."""
    body = re.sub(r"\([^()]*\)(?=;)", "", re.sub(r"\(\*(\w+)\)", r"\1", body))
    for declaration in body.split(";"):
        for part in declaration.split(","):
            name = re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*(?::\s*\d+\s*)?$", part)
            if name:
                yield name.group(1)


def find(structs: Structs, file: str, name: str) -> str:
    """The body of a struct: from this file, a header in its folder, or any header."""
    return structs.get((file, name)) or structs.get((os.path.dirname(file), name)) or structs[name]


def read(root: str) -> list[Table]:
    """The tables as (file, name, struct, fields mentioned, body of the struct)."""
    tables: list[tuple[str, str, str, set[str]]] = []
    structs: Structs = {}
    for file, text in sources(root):
        for name, body in STRUCT.findall(text):
            structs[(file, name)] = body
            if file.endswith(".h"):
                structs[(os.path.dirname(file), name)] = structs[name] = body
        for name, body in TABLE.findall(text):
            rows = ROW.findall(body)
            mentioned = {field for _, field in rows}
            mentioned |= {field for pair in GROWN.findall(body) for field in pair}
            mentioned |= {word.strip() for row in UNSAVED.findall(body) for word in row.split(",")}
            of = {struct for struct, _ in rows}
            if len(of) > 1:
                sys.exit(f"{file}: {name} has rows of {', '.join(sorted(of))}")
            if of:
                tables.append((file, name, of.pop(), mentioned))
    return [(*table, find(structs, table[0], table[2])) for table in tables]


def missing(tables: Iterable[Table]) -> Iterator[str]:
    for file, table, struct, mentioned, body in tables:
        declared = set(fields(body))
        for field in sorted(declared - mentioned):
            yield f"{file}: struct {struct}: field `{field}' has no row in {table}"
        for field in sorted(mentioned - declared - {""}):
            if field.split(".")[0] not in declared and not field.startswith("call"):
                yield f"{file}: {table}: struct {struct} has no field `{field}'"


def main() -> bool:
    tables = read(sys.argv[1] if len(sys.argv) > 1 else ROOT)
    found = list(missing(tables))
    for text in found:
        print(text)
    for file, table, struct, mentioned, body in tables:
        told = missing([(file, table, struct, mentioned, body + "\n\tuint32_t planted;")])
        if f"{file}: struct {struct}: field `planted' has no row in {table}" not in told:
            print(f"{file}: a field planted into struct {struct} is not missed in {table}")
            found.append(table)
    print(f"test_state: {len(tables)} tables, {len(found)} findings")
    return bool(found) or not tables


if __name__ == "__main__":
    sys.exit(main())
