# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
"""Implements dev/measure-code; that script documents the figures."""

import argparse
import collections
import json
import re
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEST_SUPPORT = {"ApusTesting", "StoreTesting"}
UNLINKED = {"apus-bench", "ApusScheduling"}

# Declarations that implement one mechanism each. An implementation with a new name has to be added here.
MECHANISMS = {
    "worker_loops": r"\b(?:struct|class|actor) (?:\w*ClaimLoop|\w*LaneLoop|LeasedLoop|TurnLoop)\b",
    "lease_keepers": r"\b(?:func (?:keepingLease|underLease)|(?<=\n    private )func keepLease\(\) async ->|\w+LeaseKeeper)\b",
    "backoffs": r"\b(?:struct|class|enum) \w*Backoff\b",
    "json_tokenizers": r"\b(?:struct|class|enum) (?:\w*JSONCursor|\w*JSONScanner|\w*JSONTokenizer|\w*JSONValidator|\w*JSONReader)\b",
}


class Tree:
    """The Swift files of the working tree or of a commit."""

    def __init__(self, commit):
        self.commit = commit
        arguments = ["ls-tree", "-r", "--name-only", commit] if commit else ["ls-files", "-co", "--exclude-standard"]
        names = git(*arguments).split("\n")
        self.names = [name for name in names if name.startswith(("Sources/", "Tests/")) and name.endswith(".swift")]
        if not commit:
            self.names = [name for name in self.names if (ROOT / name).exists()]
        self.texts = dict(zip(self.names, self.read(self.names)))

    def read(self, names):
        if not self.commit:
            return [(ROOT / name).read_text() for name in names]
        request = "".join(f"{self.commit}:{name}\n" for name in names).encode()
        answer = subprocess.run(["git", "cat-file", "--batch"], cwd=ROOT, input=request, capture_output=True, check=True).stdout
        texts = []
        while answer:
            header, _, rest = answer.partition(b"\n")
            size = int(header.split()[-1])
            texts.append(rest[:size].decode())
            answer = rest[size + 1:]
        return texts

    def of(self, *targets):
        return {name: text for name, text in self.texts.items() if name.split("/")[1] in targets}


def git(*arguments):
    result = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"dev/measure-code: git {arguments[0]} failed: {result.stderr.strip()}")
    return result.stdout


def lines(texts):
    return sum(text.count("\n") for text in texts.values())


def is_test(name):
    """Test support lay in Sources before it moved to Tests; it counts as tests in both places."""
    return name.startswith("Tests/") or name.split("/")[1] in TEST_SUPPORT


def is_code(line):
    return bool(line.strip()) and not line.lstrip().startswith("//")


def identical_lines(tree):
    """Lines of code that both stores have, braces aside."""

    def normal(target):
        counts = collections.Counter()
        for text in tree.of(target).values():
            for line in text.split("\n"):
                line = re.sub(r"\$\d+|\?\d*", "?", line.strip())
                line = re.sub(r"SQLite|Postgres|PostgreSQL|SQL", "", line)
                if is_code(line) and len(line) > 2 and "import " not in line:
                    counts[line] += 1
        return counts

    return sum((normal("SQLiteStore") & normal("PostgresStore")).values())


def titles(tree):
    """The titles of tests and suites' checks, in the order of their files."""
    pattern = re.compile(r'(?:@Test|\b\w*Check)\(\s*(?:title: |name: |promise: )?("""(?:.|\n)*?"""|"(?:[^"\\\n]|\\.)*")')
    found = []
    for name, text in tree.texts.items():
        if is_test(name):
            found += [re.sub(r"\s*\n\s*", " ", title.strip('"')).strip() for title in pattern.findall(text)]
    return found


def figures(tree):
    tests = {name: text for name, text in tree.texts.items() if is_test(name)}
    sources = {name: text for name, text in tree.texts.items() if name not in tests}
    sizes = [text.count("\n") for text in sources.values()]
    linked = {name: text for name, text in sources.items() if name.split("/")[1] not in UNLINKED}
    stores = tree.of("PushStore", "SQLStore", "SQLiteStore", "PostgresStore", "Activities")
    stores |= {name: text for name, text in tests.items() if "/ForwardingStore" in name}
    return {
        "lines": lines(sources),
        "files": len(sources),
        "code_lines": sum(is_code(line) for text in sources.values() for line in text.split("\n")),
        "linked_lines": lines(linked),
        "small_files": sum(size <= 40 for size in sizes),
        "long_files": sum(size > 400 for size in sizes),
        "test_lines": lines(tests),
        "test_titles": len(titles(tree)),
        "store_identical_lines": identical_lines(tree),
        "store_lines": lines(stores),
        "mechanisms": {
            name: sum(len(re.findall(pattern, text)) for text in linked.values()) for name, pattern in MECHANISMS.items()
        },
    }


def lost_titles(commit):
    renamed = {}
    for line in (ROOT / "Tests/renamed-tests.txt").read_text().splitlines():
        old, tab, new = line.partition("\t")
        if not tab:
            sys.exit(f"Tests/renamed-tests.txt: expected `old<tab>new` or `old<tab>-`, got: {line}")
        renamed[old] = new
    now = collections.Counter(titles(Tree(None)))
    before = collections.Counter(renamed.get(title, title) for title in titles(Tree(commit)))
    del before["-"]
    lost = sorted((before - now).elements())
    for title in lost:
        print(title)
    print(f"{sum(before.values())} titles at {commit}, {sum(now.values())} now, {len(lost)} lost", file=sys.stderr)
    return bool(lost)


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    parser = argparse.ArgumentParser(prog="dev/measure-code", allow_abbrev=False)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--json", action="store_true", help="print one JSON object")
    mode.add_argument("--titles", action="store_true", help="print the titles of all tests")
    mode.add_argument("--lost-titles", metavar="COMMIT", help="print the titles that COMMIT had and the working tree does not have")
    parser.add_argument("--at", metavar="COMMIT", help="measure a commit instead of the working tree")
    words = parser.parse_args()
    if words.lost_titles:
        if words.at:
            parser.error("--lost-titles compares with the working tree; leave --at out")
        sys.exit(lost_titles(words.lost_titles))
    tree = Tree(words.at)
    if words.titles:
        print("\n".join(titles(tree)))
        return
    result = figures(tree)
    if words.json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        for part, count in value.items() if isinstance(value, dict) else [("", value)]:
            print(f"{part or name:<24}{count:>9,}")


main()
