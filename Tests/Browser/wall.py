#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
"""Tests the page of the device wall in Chromium.

wall.py [--axe FILE] [--only PATTERN] [--page DIRECTORY] [--screenshots DIRECTORY] [--timed] APUS...

APUS is the executable, or a command that runs it. Prints one line for each check. The exit status is 1 if one failed.
"""

import sys
import tempfile

import device_checks  # noqa: F401 (adds checks)
import page_checks  # noqa: F401 (adds checks)
import quality_checks  # noqa: F401 (adds checks)
from browser import Browser
from harness import arguments, expect_clean, report, run, selected
from simulator import Simulator


def prepare(page, simulator):
    """Opens the page of a simulator without devices."""
    # First, the page of the check before ends. It would ask for devices that the reset removes.
    page.blank()
    simulator.call("POST", "/v1/reset")
    page.complaints.clear()
    page.allowed.clear()
    page.resize(1440, 900)
    page.open("/")
    page.wait("document.querySelector('#connection').innerText === 'Connected'")


def take_screenshots(options):
    with tempfile.TemporaryDirectory() as files, Simulator(options.apus, files) as simulator:
        with Browser(simulator.origin, page=options.page) as page:
            page.resize(1440, 900)
            page.open("/?columns=5")
            simulator.fleet()
            page.wait("document.querySelectorAll('.phone .banner').length > 7 && document.querySelector('.discard em')")
            page.wait("document.querySelector('#events').innerText.includes('Shown iPadOS')")
            page.wait("document.getAnimations().every(({ playState }) => playState === 'finished')")
            for scheme in ("light", "dark"):
                page.resize(1440, 900, scheme)
                page.wait(f"matchMedia('(prefers-color-scheme: {scheme})').matches")
                page.screenshot(f"{options.screenshots}/wall-{scheme}.png")


def main():
    options = arguments(__doc__)
    if options.screenshots:
        take_screenshots(options)
        return 0
    checks = selected(options)
    results = []
    if any(not check.needs_simulator for check in checks):
        with tempfile.TemporaryDirectory() as files, Simulator(options.apus, files) as simulator:
            with Browser(simulator.origin, page=options.page) as page:
                for check in checks:
                    if not check.needs_simulator:
                        results.append(run(check.title, lambda: on_page(check.function, page, simulator, options)))
    results += [run(check.title, lambda: check.function(options)) for check in checks if check.needs_simulator]
    return report(results)


def on_page(function, page, simulator, options):
    prepare(page, simulator)
    detail = function(page, simulator, options)
    expect_clean(page)
    return detail


if __name__ == "__main__":
    sys.exit(main())
