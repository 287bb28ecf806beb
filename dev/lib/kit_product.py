# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""Checks the product by which an app adds ApusKit by the URL of this repository, as far as that is possible on Linux.

    python3 dev/lib/kit_product.py

On Apple's systems Package.swift always has the product, on Linux only with APUS_APP_KIT=1. Expects the same target there as in
ApusKit/Package.swift: the same sources, settings and systems, and no dependencies.
"""

import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def manifest(directory, **environment):
    run = subprocess.run(
        ["swift", "package", "dump-package"],
        cwd=directory, env=os.environ | {"APUS_STRICT": "0"} | environment, capture_output=True, text=True,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def named(name, values):
    found = [value for value in values if value["name"] == name]
    assert len(found) <= 1, found
    return found[0] if found else None


def main():
    assert named("ApusKit", manifest(ROOT)["products"]) is None, "on Linux the product is for this test alone"
    root, kit = manifest(ROOT, APUS_APP_KIT="1"), manifest(ROOT / "ApusKit")
    product = named("ApusKit", root["products"])
    assert "library" in product["type"] and product["targets"] == ["ApusKit"], product
    target, own = named("ApusKit", root["targets"]), named("ApusKit", kit["targets"])
    assert target["dependencies"] == [] and target["settings"] == own["settings"], (target, own)
    assert (ROOT / target["path"]).samefile(ROOT / "ApusKit" / "Sources" / "ApusKit"), target
    versions = [{one["platformName"]: one["version"] for one in each["platforms"]} for each in (root, kit)]
    assert versions[0]["ios"] == versions[1]["ios"], versions


main()
