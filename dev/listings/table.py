# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""What became of each listing, as a table."""

import textwrap
from dataclasses import dataclass, field

WIDTHS = (30, 46, 66)


@dataclass
class Row:
    known: object
    #: What the listing leaves undefined, and where that stands.
    added: list = field(default_factory=list)
    #: What was seen.
    seen: list = field(default_factory=list)


def lines(rows):
    """The table, line by line."""
    yield rule("=")
    yield from row("listing", ["added"], ["seen"])
    yield rule("=")
    for entry in rows:
        known = entry.known
        seen = entry.seen + [f"on an iPhone: {text}" for text in known.differences]
        yield from row(f"{known.key} {known.language}: {known.what}", entry.added or ["nothing"], seen)
        yield rule("-")


def rule(character):
    return "  ".join(character * width for width in WIDTHS)


def row(name, added, seen):
    cells = [wrap([name], WIDTHS[0]), wrap(added, WIDTHS[1]), wrap(seen, WIDTHS[2])]
    for number in range(max(map(len, cells))):
        parts = [cell[number] if number < len(cell) else "" for cell in cells]
        yield "  ".join(part.ljust(width) for part, width in zip(parts, WIDTHS)).rstrip()


def wrap(texts, width):
    """Lines of a cell; where it says several things, each begins with a bullet."""
    bullet = "• " if len(texts) > 1 else ""
    wrapper = textwrap.TextWrapper(
        width, initial_indent=bullet, subsequent_indent=" " * len(bullet), break_on_hyphens=False
    )
    return [line for text in texts for line in wrapper.wrap(text) or [""]]
