"""Rules for programs of the course, by their text and by their object.

A program is C, and nothing else: no machine code, no sections of its own, nothing that runs before its
simulator calls it.  The marks do not rest on these rules alone, as the program runs in a process that neither
counts nor judges; they say what a submission is.
"""

import re

TRIGRAPHS = dict(zip("=/'()!<>-", "#\\^[]|{}~"))
# A line that begins with # is one of these, also in a comment: so `#line` cannot hide in one.
DIRECTIVE = re.compile(
    r"""[ \t\f\v]* (?: include [ \t]* (?: "[^"\n]*" | <[^>\n]*> ) | (?: define | undef | if | ifdef | ifndef
    | elif | else | endif | error | warning ) \b | pragma [ \t]+ once \b | $ )""",
    re.X,
)
WORDS = (
    "asm __asm __asm__ section __section__ constructor __constructor__ destructor __destructor__ ifunc "
    "__ifunc__ alias __alias__ naked __naked__ _Pragma __pragma"
).split()
JUDGES = re.compile(r"->\s*(oracle|judge)\s*=[^=]")
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\\n])*"|' r"'(?:\\.|[^'\\\n])*')", re.S)
FORBIDDEN_SECTIONS = re.compile(r"\.(preinit_array|init_array|fini_array|ctors|dtors|init|fini)\b")


def joined(text: str) -> str:
    """The text as the compiler sees it before it looks for words: trigraphs replaced, lines joined."""
    text = re.sub(r"\?\?([=/'()!<>-])", lambda found: TRIGRAPHS[found[1]], text.replace("\r\n", "\n"))
    return re.sub(r"\\[ \t\f\v]*\n", "", text)


def code(text: str) -> str:
    """The text without comments and strings."""
    return COMMENT.sub(lambda found: '""' if found[1] else " ", text)


def words(name: str, text: str) -> str:
    """A complaint if code has words that a program may not have."""
    for line in code(text).split("\n"):
        for word in re.findall(r"\w+", line):
            if word in WORDS:
                return (
                    f"{name}: has the word `{word}`, which programs of the course may not use (machine code, "
                    f"sections, functions that run by themselves): {line.strip()[:100]}"
                )
        if JUDGES.search(line):
            return f"{name}: touches what judges it: {line.strip()[:100]}"
    return ""


def of_text(name: str, text: str) -> str:
    """A complaint about a file as it was handed in, a header, too."""
    strange = re.search(r"[^\t\n\f\v\r\x20-\x7e\x80-\U0010ffff]|\r(?!\n)", text)
    if strange:
        return f"{name}: has the character {strange[0]!r}, which no C text has"
    text = joined(text)
    for found in re.finditer(r"(?:^|\*/)[ \t\f\v]*(?:#|%:)(.*)$", text, re.M):
        if not DIRECTIVE.match(found[1]):
            return (
                f"{name}: {found[0].strip()[:100]}: of lines that begin with #, a program of the course has "
                '#include "..." and <...>, #define, #if ..., #error and #pragma once'
            )
        path = re.match(r'\s*include\s*["<]([^">]*)', found[1])
        if path and (path[1].startswith(("/", "~")) or ".." in path[1].split("/")):
            return f"{name}: includes {path[1]}: of the tree and of what was handed in only, without ../"
    return words(name, text)


def of_compiled(name: str, text: str, own: str) -> str:
    """A complaint about preprocessed text, as macros may have joined words.  Only lines of files that were
    handed in, which are in the folder `own`, are looked at; all others must be of the tree or the system."""
    here, lines = False, []
    for line in text.split("\n"):
        marker = re.match(r'# \d+ "((?:\\.|[^"\\])*)"', line)
        if marker:
            path = marker[1]
            here = path.startswith(own + "/")
            if path.startswith("/") and not path.startswith("/usr/") and not path.endswith("//"):
                return f"{name}: includes {path}, which is not of the tree"
        elif here:
            lines.append(line)
    return words(name, "\n".join(lines))


def of_object(said: str) -> str:
    """A complaint about an object, from what readelf -SsW prints of it."""
    executable = set()
    for number, name, flags in re.findall(
        r"^ +\[ *(\d+)\] (\S+) +\S+ +[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ [0-9a-f]+ +([A-Zop]*) ", said, re.M
    ):
        if FORBIDDEN_SECTIONS.match(name):
            return f"it has code that runs by itself (section {name})"
        if "X" in flags:
            executable.add(number)
            if not re.fullmatch(r"\.text(\.\w+)*", name) or "W" in flags:
                return f"it has code in a section of its own ({name})"
    for kind, section, name in re.findall(r"^ +\d+: [0-9a-f]+ +\w+ (\w+) +\w+ +\w+ +(\w+) (\S*)", said, re.M):
        if kind == "IFUNC" or section in executable and kind not in ("FUNC", "SECTION", "NOTYPE"):
            return f"it has data where code is ({name})"
    return ""
