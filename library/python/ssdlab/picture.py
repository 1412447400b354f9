"""A picture of a drive's blocks as SVG, for notebooks."""

from typing import Any

_FREE, _VALID, _INVALID = "#eef1f4", "#4477aa", "#cc6677"
_MOST = 2048  # blocks drawn at most; of a larger drive, every n-th
_ROW = 64
_SIDE = 12


def svg_of(blocks: Any) -> str:
    """Each block is a square: valid pages at the bottom, invalid ones above, free ones on top."""
    every = -(-len(blocks) // _MOST)
    drawn = blocks[::every]
    rows = -(-len(drawn) // _ROW)
    squares = []
    for i, block in enumerate(drawn):
        pages = int(block.pages)
        valid = int(block.valid_pages) / pages
        programmed = int(block.programmed_pages) / pages
        x, y = i % _ROW * _SIDE, i // _ROW * _SIDE
        side = _SIDE - 1
        title = (
            f"block {block.block}, plane {block.plane}:"
            f" {block.valid_pages} valid of {block.programmed_pages} programmed of"
            f" {pages} pages, erased {block.erases} times"
        )
        squares.append(f"<g><title>{title}</title>{_bar(x, y, side, 1, _FREE)}")
        squares.append(_bar(x, y, side, programmed, _INVALID) + _bar(x, y, side, valid, _VALID) + "</g>")
    size = f"width='{_ROW * _SIDE}' height='{rows * _SIDE}'"
    note = f"every {every}. block; " if every > 1 else ""
    legend = "".join(
        f"<span style='color:{colour}'>&#9632;</span> {text} "
        for colour, text in ((_VALID, "valid"), (_INVALID, "invalid"), ("#b8c0c8", "free"))
    )
    return f"<svg {size} xmlns='http://www.w3.org/2000/svg'>{''.join(squares)}</svg><div>{note}{legend}</div>"


def _bar(x: int, y: int, side: int, share: float, colour: str) -> str:
    if not share:
        return ""
    place = f"x='{x}' y='{y + side * (1 - share):.1f}' width='{side}' height='{side * share:.1f}'"
    return f"<rect {place} fill='{colour}'/>"
