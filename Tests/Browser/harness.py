# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
"""The list of checks, and what they share."""

import argparse
import collections
import contextlib
import importlib.util
import json
import pathlib
import re
import time
import traceback
import urllib.parse

from browser import Failure

Check = collections.namedtuple("Check", "title function needs_simulator")

CHECKS = []
WIDTHS = (320, 1440)
SCHEMES = ("light", "dark")


def check(title, needs_simulator=False):
    """Adds a function to the checks.

    It gets an open page and a simulator without devices; or, with `needs_simulator`, starts what it needs, with the
    options of the command line.
    """
    def add(function):
        CHECKS.append(Check(title, function, needs_simulator))
        return function
    return add


def installed_axe():
    """The file of axe-core in the package axe-playwright-python; None if it is not installed."""
    package = importlib.util.find_spec("axe_playwright_python")
    return f"{package.submodule_search_locations[0]}/axe.min.js" if package else None


def arguments(documentation):
    parser = argparse.ArgumentParser(
        description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("apus", nargs="+", help="the executable, or a command that runs it")
    parser.add_argument("--axe", default=installed_axe(), help="axe.min.js; default: that of axe-playwright-python")
    parser.add_argument("--only", default="", help="a regular expression for the titles of the checks")
    parser.add_argument("--page", help="load the files of the page from here instead of from the executable")
    parser.add_argument("--screenshots", help="write screenshots in light and dark to this directory, check nothing")
    parser.add_argument("--timed", action="store_true", help="limit the duration of tasks; for an idle machine")
    return parser.parse_args()


def selected(options):
    return [check for check in CHECKS if re.search(options.only, check.title)]


def run(title, function):
    """Runs a check; returns whether it passed."""
    start = time.monotonic()
    try:
        detail = function()
    except Failure as failure:
        print(f"FAIL {title}: {failure}", flush=True)
        return False
    except Exception:
        print(f"FAIL {title}: {traceback.format_exc(limit=-3)}", flush=True)
        return False
    seconds = f"{time.monotonic() - start:.1f} s"
    print(f"ok   {title} ({seconds}{', ' + detail if detail else ''})", flush=True)
    return True


def report(results):
    """Prints the last line, and returns the exit status."""
    if not all(results):
        print(f"{results.count(False)} of {len(results)} checks failed")
        return 1
    print(f"{len(results)} checks passed")
    return 0


def phone(device):
    """The selector of a tile."""
    return f".phone[data-id='{device}']"


def text(selector):
    """JavaScript: the visible text of an element."""
    return f"document.querySelector({json.dumps(selector)})?.innerText"


def count(selector):
    """JavaScript: the number of elements."""
    return f"document.querySelectorAll({json.dumps(selector)}).length"


def expect(condition, message):
    if not condition:
        raise Failure(message)


def expect_clean(page):
    """Fails if the page did what it must not do."""
    violations = page.evaluate("violations")
    expect(not violations, f"security policy: {violations}")
    expect(not page.complaints, f"{page.complaints}")


def open_device(page, device):
    page.click(f"{phone(device)} .name")
    page.wait("document.querySelector('#drawer').open && document.querySelector('#drawer .events li')")


def axe_source(options):
    expect(options.axe, "axe.min.js of axe-core is missing; install axe-playwright-python or use --axe")
    return pathlib.Path(options.axe).read_text()


def inspect(page, state, axe):
    """Runs axe in each width and scheme, and checks that nothing is wider than the window."""
    for width in WIDTHS:
        for scheme in SCHEMES:
            page.resize(width, 900, scheme)
            page.wait(f"innerWidth === {width} && matchMedia('(prefers-color-scheme: {scheme})').matches")
            page.evaluate(axe)
            result = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
            found = [f"{rule['id']}: {node['html'][:120]} {node['failureSummary']}"
                     for rule in result["violations"] for node in rule["nodes"][:2]]
            expect(not found, f"{state}, {width}, {scheme}: {found}")
            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            expect(wide <= 0, f"{state}, {width}: {wide} points too wide")


class Console:
    """The console in a browser, and the server that serves it."""

    def __init__(self, page, server, app="com.example.app"):
        self.page, self.server, self.app = page, server, app

    def sign_in(self, key, path="/console"):
        self.page.open(path)
        self.page.wait("document.querySelector('#sign-in').open")
        self.page.type("#sign-in [name=key]", key)
        self.page.press("Enter")
        self.page.wait("!document.querySelector('#sign-in').open && !document.querySelector('#user').hidden")

    def open(self, page, **parameters):
        """Opens a page, and waits for its content."""
        query = urllib.parse.urlencode({"app": self.app, "page": page} | parameters)
        self.page.open(f"/console?{query}")
        self.page.wait("document.querySelector('#content').childElementCount > 0 "
                       "&& !document.querySelector('#content').innerText.includes('Loading…')")

    def path(self, *parts):
        return self.server.path(*parts, app=self.app)

    def call(self, method, *parts, body=None):
        """Calls the API below the app."""
        return self.server.call(method, self.path(*parts), body)

    def register(self, device, **members):
        return self.server.register(device, self.app, **members)

    def says(self, words, selector="#content"):
        """Waits until an element contains a text."""
        self.page.wait(f"{text(selector)}?.includes({json.dumps(words)})")

    def press(self, label, within="#content"):
        """Clicks the visible button or link with this text."""
        for _ in range(20):
            self.mark(label, within)
            # The page may have drawn the element again.
            with contextlib.suppress(Failure):
                return self.page.click(f"[data-test={json.dumps(label)}]", 1)
        raise Failure(f"{label} is drawn again and again")

    def mark(self, label, within):
        self.page.wait(f"""(() => {{
            const found = [...document.querySelectorAll({json.dumps(f"{within} :is(button, a)")})].find((element) =>
                element.innerText.trim() === {json.dumps(label)} && element.checkVisibility() && !element.disabled);
            document.querySelectorAll('[data-test]').forEach((element) => element.removeAttribute('data-test'));
            found?.setAttribute('data-test', {json.dumps(label)});
            return found;
        }})()""")

    def confirm(self, label, number=None):
        """Presses the button of the dialog that asks."""
        self.page.wait("document.querySelector('#confirm').open")
        if number is not None:
            self.page.type("#confirm [name=number]", str(number))
        self.press(label, "#confirm")
        self.page.wait("!document.querySelector('#confirm').open")

    def spring(self):
        """Starts a slow campaign to 500 devices, of which some have no app any more; returns its ID."""
        lines = []
        for number in range(500):
            token = f"{number:064x}"
            if number < 12:
                booted = self.server.simulator.call("POST", "/v1/devices", {"apps": [self.app], "environment": "sandbox"})
                token = booted["tokens"][self.app]
                if number % 4 == 0:
                    self.server.simulator.call("DELETE", f"/v1/devices/{booted['id']}/apps/{self.app}")
            lines.append(json.dumps({"device": f"phone-{number}", "token": token}))
        self.server.lines(self.path("devices:import"), "\n".join(lines))
        return self.call("POST", "campaigns", body={
            "name": "Spring", "audience": {"all": True}, "ratePerSecond": 12, "message": {"default": {"notification": {
                "title": "Spring is here", "body": "New routes through the park are open."}}}})["id"]

    def populate(self):
        """Devices, campaigns, Live Activities and more, with names that would be markup."""
        for number in range(3):
            self.register(f"phone-{number}", userID=f"user-{number}", platform="iOS", appVersion="1.2", topics=["news"])
        markup = "<img src=x onerror=violations.push(1)>"
        self.register(markup, userID=markup, tags={"plan": markup})
        self.call("POST", "notifications?wait=true", body={
            "targets": {"devices": ["phone-0", "phone-1"]}, "notification": {"title": markup, "body": markup}})
        self.call("POST", "campaigns", body={
            "name": markup, "audience": {"all": True}, "message": {"default": {"notification": {"title": "Hello"}}}})
        self.call("POST", "activities", body={
            "id": "lesson-1", "attributesType": "LessonAttributes", "attributes": {"title": markup},
            "contentState": {"phase": "running", "note": markup}})
        self.call("PUT", "activities", "lesson-1", "transitions", "ending", body={
            "at": "2040-01-01T00:00:00Z", "patch": {"phase": "ending"}})
        self.call("PUT", "jobs", "weekly", body={
            "schedule": {"cron": "0 9 * * 1", "timeZone": "Europe/Berlin"},
            "notification": {"audience": {"all": True}, "message": {"default": {"notification": {"title": "Hello"}}}}})
        self.call("PUT", "topics", "news", body={"displayName": markup})
        self.call("POST", "topics", "news", "subscriptions", body={"device": "phone-0", "filter": {"kind": ["sport"]}})
        return self.call("POST", "webhooks", body={"url": "https://localhost/<hook>"})["id"]
