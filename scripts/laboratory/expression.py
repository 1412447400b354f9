"""Expressions of descriptions: arithmetic, comparisons, names and calls of functions, written as in Python.

Nothing else is possible: an expression in somebody else's description opens no file and runs no program.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from laboratory.mistake import Mistake, Undefined


class Nothing(Exception):
    """There is no value."""


FORMAT = re.compile(r"([^%]|%%|%(\.\d)?[dfgs])*")  # a format without field widths
MOST_BITS = 4096  # of a whole number
BINARY: dict[type[ast.AST], Callable[..., object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
COMPARE: dict[type[ast.AST], Callable[..., object]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
UNARY: dict[type[ast.AST], Callable[..., object]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}
ALLOWED = (
    *BINARY,
    *COMPARE,
    *UNARY,
    ast.Constant,
    ast.Name,
    ast.Load,
    ast.BinOp,
    ast.Compare,
    ast.UnaryOp,
    ast.BoolOp,
    ast.And,
    ast.Or,
    ast.IfExp,
    ast.Tuple,
    ast.Call,
)


@lru_cache(maxsize=1000)
def parse(text: str) -> ast.expr:
    """Raises a Mistake if the text has anything that this module does not compute."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        for node in ast.walk(tree):
            called = not isinstance(node, ast.Call) or isinstance(node.func, ast.Name)
            if not isinstance(node, ALLOWED) or not called:
                raise Mistake(
                    f"{ast.unparse(node)}: should be made of numbers, names, "
                    "+ - * / // % **, comparisons and calls"
                )
        return tree
    except SyntaxError as error:
        raise Mistake(error.msg) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise Mistake(str(error) or "nested too deeply") from None


def evaluate(text: str, names: Mapping[str, object]) -> object:
    """Raises a Mistake if it has no value; other exceptions of functions in `names` pass through."""
    try:
        return value_of(parse(text), names)
    except (ValueError, OverflowError) as error:
        raise Undefined(str(error)) from None
    except (TypeError, RecursionError, AttributeError) as error:
        raise Mistake(str(error)) from None


def value_of(node: ast.expr, names: Mapping[str, object]) -> object:
    def of(part: ast.expr) -> object:
        return value_of(part, names)

    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        try:
            return names[node.id]
        except KeyError:
            raise Mistake(f"name '{node.id}' is not defined") from None
    if isinstance(node, ast.BinOp):
        return bounded(type(node.op), of(node.left), of(node.right))
    if isinstance(node, ast.UnaryOp):
        return UNARY[type(node.op)](of(node.operand))
    if isinstance(node, ast.Compare):
        if len(node.ops) > 1:
            raise Mistake(f"{ast.unparse(node)}: should compare two values")
        return COMPARE[type(node.ops[0])](of(node.left), of(node.comparators[0]))
    if isinstance(node, ast.BoolOp):
        for part in node.values:
            value = of(part)
            if bool(value) == isinstance(node.op, ast.Or):
                break
        return value
    if isinstance(node, ast.IfExp):
        return of(node.body if of(node.test) else node.orelse)
    if isinstance(node, ast.Tuple):
        return tuple(map(of, node.elts))
    assert isinstance(node, ast.Call)  # parse() lets nothing else through
    if isinstance(node.func, ast.Name) and node.func.id == "either":
        return either(node.args, of)
    return of(node.func)(*map(of, node.args))  # type: ignore[operator]  # a TypeError if it is no function


def either(parts: list[ast.expr], of: Callable[[ast.expr], object]) -> object:
    """The first of them that has a value."""
    for part in parts:
        try:
            return of(part)
        except (Nothing, ZeroDivisionError):
            pass
    raise Nothing


def bounded(op: type, a: object, b: object) -> object:
    """+ joins two texts, and % formats numbers.  Results that would take all memory are refused."""
    if isinstance(a, str) or isinstance(b, str):
        formats = op is ast.Mod and isinstance(a, str) and FORMAT.fullmatch(a)
        if not formats and not (op is ast.Add and isinstance(a, str) and isinstance(b, str)):
            raise Mistake(f'"{a if isinstance(a, str) else b}" is not a number')
        return BINARY[op](a, b)
    bits = a.bit_length() if isinstance(a, int) else 0
    if isinstance(a, int) and isinstance(b, int) and op in (ast.Pow, ast.LShift):
        bits = max(bits, bits * b if op is ast.Pow else bits + b)
    if bits > MOST_BITS:
        raise Mistake("a number of more than 4096 bits")
    return BINARY[op](a, b)


def names_in(text: str) -> set[str]:
    return {node.id for node in ast.walk(parse(text)) if isinstance(node, ast.Name)}
