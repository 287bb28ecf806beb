# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
"""changed.py: prints the test targets that the changes since the branch main can affect, `kit` for those of the app kit, and
`examples` for the examples, in one line. Changes that are not committed count, and so do new files."""

import json
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: The files of the examples, and what their stories share.
EXAMPLES = re.compile(r"Examples/(.*/|Package.swift)|dev/example|dev/lib/(app|aws|database|example|ios_projects|stage).py")


def output(*command):
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def changed_files():
    known = subprocess.run(
        ["git", "rev-parse", "--verify", "--quiet", "main"], cwd=ROOT, capture_output=True, text=True
    ).returncode
    base = output("git", "merge-base", "main", "HEAD").strip() if known == 0 else "HEAD"
    tracked = output("git", "diff", "--no-renames", "--name-only", base).split("\n")
    new = output("git", "ls-files", "--others", "--exclude-standard").split("\n")
    return [name for name in tracked + new if name]


def main():
    targets = json.loads(output("swift", "package", "dump-package"))["targets"]
    tests = {target["name"] for target in targets if target["type"] == "test"}
    users = {}
    for target in targets:
        for dependency in target["dependencies"]:
            name = (dependency.get("byName") or dependency.get("product") or dependency.get("target"))[0]
            users.setdefault(name, set()).add(target["name"])

    affected, kit, examples = set(), False, False
    for name in changed_files():
        match = re.match(r"(Sources|Tests)/([^/]+)/", name)
        if match:
            affected.add(match[2])
        elif name.startswith(("ApusKit/", "AppleStandIns/")):
            kit = examples = True
        elif EXAMPLES.match(name):
            examples = True
        elif name == "docs/openapi.yaml":
            affected.add("COpenAPI")
        elif name in ("Package.swift", "Tests/XCTMain.swift"):
            affected |= {target["name"] for target in targets}
        else:
            # Documents, examples and scripts are read by tests that look for them from where their source lies.
            affected |= {
                directory.name
                for directory in [*(ROOT / "Tests").iterdir(), *(ROOT / "Sources").iterdir()]
                if any("#filePath" in path.read_text() for path in directory.rglob("*.swift"))
            }
    reached = set()
    while affected:
        name = affected.pop()
        reached.add(name)
        affected |= users.get(name, set()) - reached
    # The tests of the app kit, and the examples, run against the server.
    server = "apus" in reached
    print(*sorted(reached & tests), *(["kit"] if kit or server else []), *(["examples"] if examples or server else []))


main()
