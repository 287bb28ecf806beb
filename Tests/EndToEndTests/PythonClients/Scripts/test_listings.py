# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""What dev/check-listings takes for a listing, and which documents it refuses."""

import os
import sys

import pytest

sys.path.insert(0, os.path.join(os.environ["APUS_ROOT"], "dev", "listings"))

import catalogue  # noqa: E402
from extract import Unreadable, listings  # noqa: E402

MARKDOWN = """# A title

```swift
struct A {

    var b = 1
}
```

Some words, `func c()` among them.

~~~sh
echo ```
~~~
"""

PAGE = """A title

    an indented line

First

// A.swift
struct A {
    var b: Int

    var c: Int
}

func d() {
}

Words that follow (and let nobody be fooled)

# e.py
def f():
    return 1

async def g(self, h):
    pass

The end
"""


def found(text):
    return [(one.line, one.language, one.text) for one in listings("document", text)]


def test_fences():
    assert found(MARKDOWN) == [
        (4, "swift", "struct A {\n\n    var b = 1\n}\n"),
        (13, "sh", "echo ```\n"),
    ]


def test_paragraphs():
    swift, python = found(PAGE)
    assert swift[:2] == (7, "swift") and swift[2] == PAGE[PAGE.index("// A.swift") : PAGE.index("\nWords")]
    assert python[:2] == (19, "python") and python[2] == PAGE[PAGE.index("# e.py") : PAGE.index("\nThe end")]


def test_prose_has_none():
    assert found("var and let are words.\nclass is one too:\n\n  • func of a list\n\nimport it all") == []


def test_a_fence_that_is_never_closed():
    with pytest.raises(Unreadable, match="document, line 3"):
        listings("document", MARKDOWN[: MARKDOWN.index("\n```\n")])


def test_what_is_unknown_or_missing(monkeypatch):
    one, other = listings("document", MARKDOWN)
    known = catalogue.Known("000/1", "swift", "a struct", one.digest)
    monkeypatch.setattr(catalogue, "KNOWN", [known])
    assert catalogue.recognise([one]) == {"000/1": one}
    with pytest.raises(catalogue.Unknown, match="document, line 13: a listing in sh .*" + other.digest):
        catalogue.recognise([one, other])
    with pytest.raises(catalogue.Unknown, match=r"000/1 \(a struct\) is in none"):
        catalogue.recognise([])
    changed, = listings("document", "```swift\nstruct B {}\n```")
    with pytest.raises(catalogue.Unknown) as refusal:
        catalogue.recognise([changed])
    assert len(str(refusal.value).splitlines()) == 2
