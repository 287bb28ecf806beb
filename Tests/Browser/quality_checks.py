# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
"""Checks of accessibility, layout and speed."""

import http.client
import itertools
import json
import tempfile
import threading
import time

from browser import Browser
from harness import axe_source, check, count, expect, expect_clean, inspect, open_device, phone, text
from simulator import APP, Simulator

# The longest task of the page under load, in milliseconds.
LONGEST_TASK = 200


@check("axe finds nothing, and nothing scrolls sideways: at 320 and 1440 points, in light and dark, in every state")
def axe(page, simulator, options):
    source = axe_source(options)
    page.wait("!document.querySelector('#empty').hidden")
    inspect(page, "empty", source)
    devices = simulator.fleet()
    page.wait(f"{count('.discard strong')} > 0 && {count('.activity.ended')} > 0")
    inspect(page, "full", source)
    open_device(page, devices["Clara"])
    page.wait("document.querySelector('#drawer .banner') && document.querySelector('#drawer .activity')")
    page.click("#drawer .push summary")
    inspect(page, "open device", source)
    page.press("Escape")
    for name in ("boot", "faults", "reset"):
        page.resize(1440, 900)
        page.click(f"#{name}-open")
        page.wait(f"document.querySelector('#{name}').open")
        inspect(page, name, source)
        page.press("Escape")
    page.open("/?search=unknown")
    page.wait("!document.querySelector('#nothing').hidden")
    inspect(page, "no match", source)


@check("the Tab key reaches every control, each shows its focus, and targets have at least 24 points")
def keyboard(page, simulator, _):
    device = simulator.boot()
    page.wait(text(f"{phone(device)} .name"))
    selector = "a[href], button, input, select, summary, textarea, [tabindex=\"0\"]"
    page.evaluate(f"""globalThis.controls = () => [...document.querySelectorAll('{selector}')]
        .filter((element) => element.checkVisibility() && !element.disabled
            && (document.querySelector('dialog[open]') ?? document.body).contains(element)
            && (document.querySelector('dialog[open]') || !element.closest('dialog')))""")

    def walk(place):
        wanted, seen = page.evaluate("controls().length"), set()
        for _ in range(wanted + 6):
            page.press("Tab")
            index, outline = page.evaluate("[controls().indexOf(document.activeElement), "
                                           "getComputedStyle(document.activeElement).outlineStyle]")
            if index >= 0:
                seen.add(index)
                expect(outline != "none", f"{place}: control {index} does not show its focus")
        missing = [page.evaluate(f"controls()[{index}].outerHTML.slice(0, 100)")
                   for index in range(wanted) if index not in seen]
        expect(not missing, f"{place}: not reached: {missing}")
        small = page.evaluate("""controls().filter((element) => {
            const { width, height } = element.getBoundingClientRect();
            return !element.closest('p:not(.controls, .actions)') && !element.matches('.skip')
                && (width < 24 || height < 24);
        }).map((element) => element.outerHTML.slice(0, 100))""")
        expect(not small, f"{place}: too small: {small}")

    walk("page")
    open_device(page, device)
    walk("device")


@check("a phone lights up without motion if the user prefers that")
def motion(page, simulator, _):
    device = simulator.boot()
    page.wait(text(f"{phone(device)} .name"))
    page.resize(1440, 900, motion="reduce")
    simulator.push(device)
    easing = f"document.querySelector(\"{phone(device)} .frame\").getAnimations({{ subtree: true }})[0]"
    page.wait(f"{easing}?.effect.getTiming().easing.startsWith('steps')")


@check("1,000 phones show a flood of pushes; with --timed, no task of the page takes 200 ms", needs_simulator=True)
def load(options):
    # The page is measured, not how the machine divides its cores. So the page has priority over the simulator.
    with tempfile.TemporaryDirectory() as directory, Simulator(options.apus, directory, niceness=10) as simulator:
        devices = [simulator.boot() for _ in range(1000)]
        with Browser(simulator.origin, page=options.page) as page:
            page.resize(1440, 900)
            page.open("/?columns=8")
            page.wait(f"{count('.phone')} === 1000 && {count('.phone .apps')} > 8")
            first = page.evaluate("longTasks.splice(0)")
            rate = flood(simulator, devices)
            delivered = simulator.call("GET", "/v1/info")["counters"]["delivered"]
            page.wait(f"Number({text('[data-counter=delivered]')}.replaceAll(',', '')) === {delivered}")
            page.wait(f"{count('.phone .banner')} > 0")
            longest = max(page.evaluate("longTasks") or [0])
            expect_clean(page)
    detail = f"{rate:.0f} pushes per second, longest task {longest:.0f} ms, {max(first or [0]):.0f} ms at first"
    # Only an idle machine tells something of the page.
    expect(not options.timed or max(longest, *first or [0]) < LONGEST_TASK, detail)
    return detail


def flood(simulator, devices, seconds=4, connections=4):
    """Sends pushes to one device after the other; returns the number per second."""
    sent = [0] * connections
    start = time.monotonic()

    def send(part):
        connection = http.client.HTTPConnection("127.0.0.1", simulator.port, timeout=60)
        for device in itertools.cycle(devices[part::connections]):
            body = {"bundleID": APP, "payload": {"aps": {"alert": {"title": f"Push {sent[part]}"}}}}
            connection.request("POST", f"/v1/devices/{device}/notifications", json.dumps(body),
                               {"Content-Type": "application/json"})
            connection.getresponse().read()
            sent[part] += 1
            if time.monotonic() > start + seconds:
                return connection.close()

    threads = [threading.Thread(target=send, args=(part,)) for part in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(sent) / (time.monotonic() - start)
