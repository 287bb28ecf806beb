# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""Finds the listings of a document, verbatim.

In Markdown they stand between fences. A text without fences, such as a page copied from a browser, has them among its
paragraphs: there a listing begins with a line that only code begins with, and goes on while paragraphs are indented or begin so.
"""

import hashlib
import re
from dataclasses import dataclass

FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})\s*([\w+-]*)")

# How a paragraph of code begins, by language. What is missed or taken in excess changes a listing, and is told of.
OPENERS = {
    "swift": re.compile(
        r"^(// \S+\.swift$|import \w+$|@[A-Za-z]+(\(.*\))?( .*)?$"
        r"|((public|private|fileprivate|internal|open|final|static|indirect) )*"
        r"((struct|class|enum|protocol|extension|actor) \w+.*\{$|func \w+ ?[(<]|(var|let) \w+ ?[:=]))"
    ),
    "python": re.compile(r"^(# \S+\.py$|import [\w.]+( as \w+)?$|from \S+ import |(async )?def \w+\(|class \w+.*:$)"),
}


@dataclass(frozen=True)
class Listing:
    document: str
    #: The line of the document where it begins, from 1.
    line: int
    language: str
    #: Verbatim, each line with its end.
    text: str

    @property
    def digest(self):
        return hashlib.sha256(self.text.encode()).hexdigest()


class Unreadable(Exception):
    """A document whose listings cannot be told from the rest."""


def listings(document, text):
    """The listings of a document, from the top."""
    # Only at line feeds: a listing may have other separators within a text.
    lines = text.split("\n")
    found = fenced(document, lines) if any(FENCE.match(line) for line in lines) else unfenced(lines)
    return [Listing(document, number, language, "".join(f"{line}\n" for line in code)) for number, language, code in found]


def fenced(document, lines):
    found, fence = [], None
    for number, line in enumerate(lines, 1):
        match = FENCE.match(line)
        if fence is None:
            if match:
                fence, language, begin, code = match[1], match[2] or "text", number + 1, []
        elif match and match[1].startswith(fence) and not match[2]:
            found.append((begin, language, code))
            fence = None
        else:
            code.append(line)
    if fence is not None:
        raise Unreadable(f"{document}, line {begin - 1}: the fence is never closed")
    return found


def unfenced(lines):
    found, open_language = [], None
    for number, paragraph in paragraphs(lines):
        first = paragraph[0]
        language = next((name for name, opener in OPENERS.items() if opener.match(first)), None)
        goes_on = open_language and (language == open_language or first[0] in " \t}")
        if goes_on:
            begin, name, code = found[-1]
            code += [""] * (number - begin - len(code)) + paragraph
        elif language:
            found.append((number, language, paragraph))
            open_language = language
        else:
            open_language = None
    return found


def paragraphs(lines):
    """What stands between empty lines, each with the number of its first line."""
    begin, paragraph = 0, []
    for number, line in enumerate([*lines, ""], 1):
        if line.strip():
            begin = begin if paragraph else number
            paragraph.append(line)
        elif paragraph:
            yield begin, paragraph
            paragraph = []
