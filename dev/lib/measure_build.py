# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
"""Implements dev/measure-build; that script documents the figures."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

FIGURES = ["demo_cpu_s", "both_cpu_s", "rebuild_cpu_s", "tests_cpu_s", "release_cpu_s"]
ROOT = Path(__file__).resolve().parents[2]
MEMBER = "    /// Measured by dev/measure-build.\n    public var buildMarker = 0\n\n"


def cpu(clone, *command):
    """The CPU seconds of a command and of everything that it starts and waits for."""
    print(f"measuring: {' '.join(command)}", file=sys.stderr)
    process = subprocess.Popen(command, cwd=clone, stdin=subprocess.DEVNULL, stdout=sys.stderr)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"dev/measure-build: {' '.join(command)} failed with status {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime


def add_member(clone):
    path = clone / "Sources/PushModel/Batches/BatchLifecycle.swift"
    text = path.read_text()
    place = text.index("    public let targetCount: Int")
    place = text.rindex("\n\n", 0, place) + 2
    path.write_text(text[:place] + MEMBER + text[place:])


def main():
    wanted = [word for word in sys.argv[1:] if word != "--json"]
    unknown = [word for word in wanted if word not in FIGURES]
    if unknown:
        sys.exit(f"dev/measure-build: there is no figure {unknown[0]}; there are: {', '.join(FIGURES)}")
    wanted = wanted or FIGURES
    result = {}
    with tempfile.TemporaryDirectory(prefix="apus-measure.") as directory:
        clone = Path(directory) / "apus"
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        subprocess.run(["dev/setup", "test"], cwd=clone, check=True)
        if set(wanted) & set(FIGURES[:4]):
            result["demo_cpu_s"] = cpu(clone, "dev/demo", "--once")
        if set(wanted) & set(FIGURES[1:4]):
            result["both_cpu_s"] = result["demo_cpu_s"] + cpu(clone, "dev/test", "--build-only")
        if "tests_cpu_s" in wanted:
            result["tests_cpu_s"] = cpu(clone, "dev/test")
        if "rebuild_cpu_s" in wanted:
            add_member(clone)
            result["rebuild_cpu_s"] = cpu(clone, "dev/test", "--build-only")
        if "release_cpu_s" in wanted:
            script = "source dev/lib/common.sh; source dev/lib/build.sh; build_release_binary"
            result["release_cpu_s"] = cpu(clone, "bash", "-c", script)
    figures = {name: round(result[name]) for name in FIGURES if name in wanted}
    if "--json" in sys.argv[1:]:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:14} {value}")


main()
