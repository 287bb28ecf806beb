#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
"""Tests the console of the server in Chromium.

console.py [--axe FILE] [--only PATTERN] [--page DIRECTORY] [--screenshots DIRECTORY] APUS...

APUS is the executable, or a command that runs it. Prints one line for each check. The exit status is 1 if one failed.
"""

import contextlib
import itertools
import sys
import tempfile

import console_access_checks  # noqa: F401 (adds checks)
import console_checks  # noqa: F401 (adds checks)
from browser import Browser
from harness import Console, arguments, expect_clean, report, run, selected
from server import Server
from simulator import Simulator


@contextlib.contextmanager
def stage(options):
    """A simulator, a server that sends to it, and a browser that is signed in."""
    with tempfile.TemporaryDirectory() as files, Simulator(options.apus, f"{files}/simulator") as simulator:
        with Server(options.apus, simulator, files) as server, Browser(server.origin, page=options.page) as page:
            console = Console(page, server)
            page.allowed.add(401)
            console.sign_in(server.key)
            yield console


def on_page(check, console, options, number):
    """Runs a check with an app of its own."""
    page, server = console.page, console.server
    page.blank()
    console.app = f"com.example.app{number}"
    server.create_app(console.app)
    page.complaints.clear()
    page.allowed.clear()
    page.resize(1440, 900)
    detail = check.function(console, options)
    expect_clean(page)
    return detail


def take_screenshots(options):
    with stage(options) as console:
        console.app = "com.example.app"
        campaign = console.spring()
        for scheme in ("light", "dark"):
            console.page.resize(1280, 800, scheme)
            console.open("campaign", id=campaign)
            console.says("Unregistered")
            console.page.screenshot(f"{options.screenshots}/console-{scheme}.png")


def main():
    options = arguments(__doc__)
    if options.screenshots:
        take_screenshots(options)
        return 0
    checks, numbers = selected(options), itertools.count(1)
    results = []
    if any(not check.needs_simulator for check in checks):
        with stage(options) as console:
            for check in checks:
                if not check.needs_simulator:
                    results.append(run(check.title, lambda: on_page(check, console, options, next(numbers))))
    results += [run(check.title, lambda: check.function(options)) for check in checks if check.needs_simulator]
    return report(results)


if __name__ == "__main__":
    sys.exit(main())
