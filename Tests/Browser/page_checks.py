# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
"""Checks of the header, the filters, the events and the connection."""

import json
import tempfile

from browser import Browser
from harness import axe_source, check, count, expect, expect_clean, inspect, phone, text
from simulator import APP, Simulator


@check("an empty wall says what to do, and its button boots three phones")
def empty(page, simulator, _):
    page.wait("!document.querySelector('#empty').hidden")
    page.wait(f"{text('#serve-command')}.includes('--apns-sandbox-port {simulator.ready['port']}')")
    expect(simulator.origin in page.evaluate(text("#boot-command")), "the command does not name this simulator")
    page.click("#boot-three")
    page.wait(f"{count('.phone')} === 3")
    page.wait("document.querySelector('#empty').hidden")
    page.wait(f"{text('.phone .name')} === 'iPhone 1'")
    expect(len(simulator.call("GET", "/v1/devices")["devices"]) == 3, "there are not three devices")


@check("the dialog boots devices with any app and system, and shows the reason why it cannot")
def boot(page, simulator, _):
    page.allowed.add(400)
    page.click("#boot-open")
    page.type("#boot [name=app]", "x" * 256)
    page.click("#boot .primary")
    page.wait(f"{text('#boot .error')}.includes('expected')")
    page.type("#boot [name=app]", "com.example.chat")
    page.choose("#boot [name=system]", "watchOS")
    page.type("#boot [name=count]", "2")
    page.press("Enter")
    page.wait(f"{count('.phone')} === 2")
    page.wait("!document.querySelector('#boot').open")
    page.wait(f"{text('.phone .apps')}.includes('chat') && {text('.phone .flags')}.includes('watchOS')")
    expect(page.evaluate("document.activeElement.id") == "boot-open", "the focus is lost")


@check("the clock is advanced, stopped, and set to another speed")
def clock(page, simulator, _):
    device = simulator.boot()
    simulator.push(device)
    page.wait(f"{text(phone(device) + ' .banner time')} === 'now'")
    before = simulator.call("GET", "/v1/clock")["seconds"]
    for seconds in (60, 3600, 86400):
        page.click(f"[data-advance='{seconds}']")
        before += seconds
        page.wait(f"Date.parse(document.querySelector('#now').dateTime) / 1000 >= {before}")
    page.wait(f"{text(phone(device) + ' .banner time')} === 'yesterday'")
    for scale in ("3600", "0"):
        page.choose("#scale", scale)
        page.wait(f"fetch('/v1/clock').then((response) => response.json()).then((clock) => clock.scale === {scale})")
    page.evaluate("document.activeElement.blur()")
    simulator.call("PATCH", "/v1/clock", {"scale": 42})
    page.wait("document.querySelector('#scale').value === '42'")
    # The list is drawn a moment later; the clock has not cleared it.
    page.wait(f"{count('#events li')} > 0")


@check("a fault is added, listed, counted and removed")
def faults(page, simulator, _):
    page.click("#faults-open")
    page.wait(f"{text('#fault-list')}.includes('No fault')")
    page.type("#faults [name=count]", "2")
    page.click("#faults .primary")
    page.wait(f"{text('#fault-list')}.includes('reject ServiceUnavailable: 0 of 2')")
    for action in ("delay", "drop"):
        page.choose("#faults [name=action]", action)
        page.wait(f"document.querySelector('#faults [data-for=delay]').hidden === {json.dumps(action != 'delay')}")
        page.click("#faults .primary")
        page.wait(f"{text('#fault-list')}.includes('{action}')")
    listed = [fault["action"] for fault in simulator.call("GET", "/v1/faults")["faults"]]
    expect(listed == ["reject", "delay", "drop"], f"{listed}")
    page.wait(f"{text('#faults-open')} === 'Faults (3)'")
    page.click("#fault-list button")
    page.wait(f"{count('#fault-list li')} === 2")


@check("a reset names what is lost, and waits for an answer")
def reset(page, simulator, _):
    simulator.boot()
    page.wait(f"{count('.phone')} === 1")
    page.wait(f"{text('#counters')}.startsWith('Devices') && {text('[data-counter=devices]')} === '1'")
    page.click("#reset-open")
    page.wait(f"{text('#reset-text')}.includes('1 device with all tokens')")
    page.click("#reset [value=cancel]")
    page.wait("!document.querySelector('#reset').open")
    expect(len(simulator.call("GET", "/v1/devices")["devices"]) == 1, "it was reset")
    page.click("#reset-open")
    page.click("#reset [value=ok]")
    page.wait("!document.querySelector('#empty').hidden")
    page.wait(f"{count('#events li')} === 0")


@check("a snapshot can be downloaded")
def snapshot(page, simulator, _):
    simulator.boot(name="Anna")
    link = page.evaluate("(({ href, download }) => [href, download])(document.querySelector('nav a.button'))")
    expect(link == [f"{simulator.origin}/v1/snapshot", "simulator-snapshot.json"], f"{link}")
    expect(page.evaluate("fetch('/v1/snapshot').then((response) => response.text())").find("Anna") > 0, "no snapshot")


@check("filters are in the address and survive a reload")
def filters(page, simulator, _):
    anna, berta = simulator.boot(name="Anna"), simulator.boot("com.example.chat", name="Berta", online=False)
    page.wait(f"{count('.phone')} === 2")
    page.type("#filters [name=search]", "ann")
    page.wait(f"{count('.phone')} === 1 && {count(phone(anna))} === 1")
    expect(page.evaluate("location.search") == "?search=ann", "the address has no filter")
    page.wait(f"{text('#count')}.startsWith('1 of 2 devices')")
    page.type("#filters [name=search]", berta[:8])
    page.wait(f"{count(phone(berta))} === 1")
    page.open("/?state=offline&app=com.example.chat&columns=2")
    page.wait(f"{count('.phone')} === 1 && {count(phone(berta))} === 1")
    expect(page.evaluate("document.querySelector('#grid').dataset.columns") == "2", "no columns")
    page.open("/?state=offline")
    simulator.change(anna, online=False)
    page.wait(f"{count('.phone')} === 2")
    page.open("/?search=unknown")
    page.wait("!document.querySelector('#nothing').hidden")
    page.click("#filters-clear")
    page.wait(f"{count('.phone')} === 2 && location.search === ''")


@check("the list of events can be filtered and paused, and a summary is announced")
def ticker(page, simulator, _):
    device = simulator.boot(name="Anna")
    page.wait(f"{count('.phone')} === 1")
    simulator.push(device)
    page.wait(f"{text('#events')}.includes('Delivered Anna')")
    page.choose("#event-kind", "shown")
    page.wait(f"{count('#events li')} === 1")
    page.click("#event-pause")
    simulator.push(device, "Later")
    page.wait(f"{text(phone(device) + ' .banner .body')} === 'Later'")
    page.wait(f"{text('#skipped')}.startsWith('Paused')")
    expect(page.evaluate(count("#events li")) == 1, "the list was not paused")
    page.click("#event-pause")
    page.wait(f"{count('#events li')} === 2")
    page.wait("document.querySelector('#summary').textContent.includes('Shown')")
    expect(page.evaluate("document.querySelector('#summary').ariaLive") == "polite", "it is not polite")


@check("the page reconnects by itself to a simulator that was restarted", needs_simulator=True)
def restart(options):
    with tempfile.TemporaryDirectory() as directory:
        with Simulator(options.apus, directory) as simulator, Browser(simulator.origin, page=options.page) as page:
            page.open("/")
            device = simulator.fleet()["Anna"]
            page.wait(f"{count(phone(device))} === 1")
            simulator.stop()
            page.wait(f"{text('#connection')}.startsWith('Disconnected since')")
            page.wait("document.body.classList.contains('lost')")
            page.click("[data-advance='60']")
            page.wait(f"{text('#notice')}.includes('The simulator does not respond')")
            inspect(page, "disconnected", axe_source(options))
            with Simulator(options.apus, directory, simulator.port) as other:
                page.wait(f"{text('#connection')} === 'Connected'", 120)
                page.wait("!document.querySelector('#empty').hidden")
                other.boot(name="After the restart")
                page.wait(f"{text('.phone .name')} === 'After the restart'")
                expect_clean(page)
