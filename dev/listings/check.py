# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""Runs the listings of documents; dev/check-listings says how."""

import os
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "dev", "lib"))

import dashboard  # noqa: E402
import lessons  # noqa: E402
import rides  # noqa: E402
import table  # noqa: E402
from catalogue import KNOWN, Unknown, recognise  # noqa: E402
from extract import Unreadable, listings  # noqa: E402
from package import Package  # noqa: E402


class Check:
    """What the documents' plays share: the listings, the programs, and the rows of the table."""

    def __init__(self, apus, found):
        self.root, self.apus, self.listings = ROOT, apus, found
        self.rows = {known.key: table.Row(known) for known in KNOWN}
        self.package = Package(ROOT, found)

    def executable(self, program):
        return self.package.executable(program)

    def file(self, stage, key, name):
        """Writes a listing, verbatim, into the stage's directory; returns its path."""
        path = stage.path(name)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(self.listings[key].text)
        return path

    def tell_of(self, app):
        """Says what an app has written, where something has failed."""
        print("\n".join(app.lines), app.stage.log(app.name), sep="\n", file=sys.stderr)


def read(directory):
    found = []
    for name in sorted(os.listdir(directory)):
        path = os.path.join(directory, name)
        if os.path.isfile(path) and name.endswith((".txt", ".md")):
            with open(path, encoding="utf-8", newline="") as file:
                here = listings(name, file.read())
            print(f"{name}: {len(here)} listings", file=sys.stderr)
            found += here
    return recognise(found)


def step(label, work):
    began = time.monotonic()
    result = work()
    print(f"{time.monotonic() - began:6.2f} s  {label}", file=sys.stderr, flush=True)
    return result


def main(directory, apus):
    try:
        found = read(directory)
    except (Unknown, Unreadable) as fault:
        sys.exit(f"{fault}\ndev/listings/catalogue.py says which listings are known")
    check = Check(apus, found)
    step("the Swift listings compile, verbatim, beside what is added", check.package.build)
    step("000: lessons", lambda: lessons.play(check))
    step("001: a dashboard", lambda: dashboard.play(check))
    step("003: rides", lambda: rides.play(check))
    unused = [key for key, listing in found.items() if listing.language == "swift" and key not in check.package.used]
    silent = [key for key, row in check.rows.items() if not row.seen]
    assert not unused and not silent, (unused, silent)
    print("\n".join(table.lines(check.rows.values())))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
