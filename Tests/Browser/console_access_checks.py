# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
"""Checks of the console: sign-in, sessions, scopes, accessibility, and the connection."""

import tempfile
import time

from browser import Browser
from harness import Console, axe_source, check, count, expect, expect_clean, inspect, text
from server import Server
from simulator import Simulator

LISTED = ("overview", "send", "campaigns", "devices", "why", "activities", "jobs", "topics", "webhooks", "events",
          "health", "keys")


def cookies(page):
    return page.command("Network.getCookies", urls=[page.origin])["cookies"]


@check("signing in needs a valid key, which is stored nowhere; a reload keeps the session, signing out ends it")
def sign_in(console, _):
    page, server = console.page, console.server
    page.allowed.update((401, 422))
    console.open("overview")
    console.press("Sign out", "header")
    page.wait("document.querySelector('#sign-in').open")
    for wrong, says in (("nonsense", "an API key"), (server.key[:-1] + ("0" if server.key[-1] != "0" else "1"), "no API key")):
        page.type("#sign-in [name=key]", wrong)
        page.press("Enter")
        console.says(says, "#sign-in .error")
    page.open("/console")
    page.wait("document.querySelector('#sign-in').open")
    for _ in range(3):
        page.press("Escape")
    page.wait("document.querySelector('#sign-in').open")
    page.type("#sign-in [name=key]", server.key)
    page.press("Enter")
    page.wait("!document.querySelector('#sign-in').open")
    console.says("Ada <b>", "#user-name")
    expect(page.evaluate("[localStorage.length, sessionStorage.length, document.cookie]") == [0, 0, ""],
           "something is stored")
    expect(page.evaluate("document.querySelector('#sign-in [name=key]').value") == "", "the input keeps the key")
    expect(not page.evaluate(f"document.documentElement.outerHTML.includes('{server.key}')"), "the key is in the page")
    found = cookies(page)
    expect(len(found) == 1 and found[0]["httpOnly"] and found[0]["sameSite"] == "Strict", f"{found}")
    expect(server.key.split("_")[-1] not in found[0]["value"], "the cookie has the secret")
    console.open("campaigns")
    expect(not page.evaluate("document.querySelector('#sign-in').open"), "the session is lost")


@check("a cookie authenticates no request of another origin, and no change without the header")
def origins(console, _):
    page, server = console.page, console.server
    cookie = {"Cookie": "; ".join(f"{item['name']}={item['value']}" for item in cookies(page))}
    same, header = {"Sec-Fetch-Site": "same-origin"}, {"X-Apus-Console": "1"}
    host = {"Origin": server.origin}
    path, session = console.path("devices"), "/console/session"
    cases = [
        ("GET", path, same, 200), ("GET", path, {}, 200), ("GET", path, host, 200),
        ("GET", path, {"Sec-Fetch-Site": "cross-site"}, 403), ("GET", path, {"Sec-Fetch-Site": "same-site"}, 403),
        ("GET", path, {"Sec-Fetch-Site": "none"}, 403), ("GET", path, {"Origin": "http://evil.example"}, 401),
        ("DELETE", f"{path}/none", same, 403), ("DELETE", f"{path}/none", header, 403),
        ("DELETE", f"{path}/none", same | header, 404), ("DELETE", f"{path}/none", host | header, 404),
        ("DELETE", f"{path}/none", {"Origin": "null"} | header, 401),
        ("DELETE", session, {"Sec-Fetch-Site": "cross-site"} | header, 403),
        ("POST", session, header, 403),
    ]
    for method, where, headers, expected in cases:
        status = server.status(method, where, cookie | headers)
        expect(status == expected, f"{method} {where} {headers}: {status} instead of {expected}")
    name, value = cookie["Cookie"].split("=")
    for changed in (value[:-1] + ("0" if value[-1] != "0" else "1"), value.replace(".", ".1", 1), "x" * 10_000, ""):
        status = server.status("GET", path, {"Cookie": f"{name}={changed}"} | same)
        expect(status == 401, f"a changed cookie: {status}")


@check("a key that is revoked ends the session within two seconds; what is typed stays")
def revoked(console, _):
    page, server = console.page, console.server
    page.allowed.update((401, 422))
    other = server.call("POST", "/v1/keys", {"name": "Berta", "scopes": ["admin"]})
    page.command("Network.clearBrowserCookies")
    console.sign_in(other["key"], f"/console?app={console.app}&page=send")
    page.wait("document.querySelector('#content [name=title]')")
    page.type("#content [name=title]", "Draft")
    page.type("#content [name=targets]", "phone-1")
    server.call("DELETE", f"/v1/keys/{other['id']}")
    time.sleep(1)
    console.press("Send")
    page.wait("document.querySelector('#sign-in').open")
    page.type("#sign-in [name=key]", server.key)
    page.press("Enter")
    page.wait("!document.querySelector('#sign-in').open")
    console.says("can be reached", "#content form")
    expect(page.evaluate("document.querySelector('#content [name=title]').value") == "Draft", "the draft is lost")


@check("a stream that ends with its key asks for another one, and continues")
def stream(console, _):
    page, server = console.page, console.server
    page.allowed.add(401)
    other = server.call("POST", "/v1/keys", {"name": "Berta", "scopes": ["read"]})
    page.command("Network.clearBrowserCookies")
    console.sign_in(other["key"], f"/console?app={console.app}&page=events")
    console.says("No event is stored")
    expect(page.evaluate(count("#pages a")) > 3, "there is no menu")
    server.call("DELETE", f"/v1/keys/{other['id']}")
    page.wait("document.querySelector('#sign-in').open")
    page.type("#sign-in [name=key]", server.key)
    page.press("Enter")
    page.wait("!document.querySelector('#sign-in').open && document.querySelector('#pages [data-page=keys]')")
    console.register("phone-1")
    console.call("POST", "notifications", body={"targets": {"devices": ["phone-1"]}, "notification": {"title": "Hello"}})
    console.says("notification.accepted")
    page.wait(f"{text('#connection')} === ''")


@check("a poll that fails is repeated, and its error does not stay")
def poll(console, _):
    page = console.page
    console.open("health")
    console.says("No batch waits")
    page.evaluate("""globalThis.realFetch = fetch; globalThis.fetch = async () => new Response(
        '{"code":"too_many_failures","title":"Busy","detail":"Wait."}', { status: 429 })""")
    page.wait(f"{text('#connection')}.startsWith('Disconnected since')")
    console.says("No batch waits")
    page.evaluate("""globalThis.fetch = async () => new Response(
        '{"code":"app_not_found","title":"Gone","detail":"There is no app."}', { status: 404 })""")
    console.says("There is no app.")
    page.evaluate("globalThis.fetch = realFetch")
    console.says("No batch waits")


@check("a key sees only what its scopes and its app allow")
def scopes(console, _):
    page, server = console.page, console.server
    page.allowed.add(401)
    console.populate()
    key = server.call("POST", "/v1/keys", {"name": "Reader", "scopes": ["read"], "app": console.app})["key"]
    page.command("Network.clearBrowserCookies")
    console.sign_in(key, "/console")
    page.wait(f"document.querySelector('#app').value === '{console.app}'")
    expect(page.evaluate(count("#app option")) == 1, "other apps are listed")
    expect("Send" not in page.evaluate(text("#pages")).split(), "the menu has a page that the key may not use")
    for name, words in (("devices", "phone-0"), ("activities", "lesson-1"), ("jobs", "weekly"), ("topics", "news")):
        console.open(name)
        console.says(words)
    console.open("activity", id="lesson-1")
    expect(page.evaluate(count("#content button")) == 0, "there are buttons that the key may not use")
    page.allowed.add(403)
    page.open("/console?app=com.example.app&page=devices")
    console.says("may be used below")
    page.command("Network.clearBrowserCookies")
    console.sign_in(server.key)


def pages(console, webhook):
    campaign = console.call("GET", "campaigns")["campaigns"][0]["id"]
    return [(name, {}) for name in LISTED] + [
        ("why", {"wanted": "phone-0"}), ("why", {"wanted": "nobody"}), ("device", {"id": "phone-0"}),
        ("campaign", {"id": campaign}), ("notification", {"id": campaign}), ("activity", {"id": "lesson-1"}),
        ("job", {"id": "weekly"}), ("topic", {"id": "news"}), ("webhook", {"id": webhook})]


@check("axe finds nothing, nothing scrolls sideways, and no text becomes markup: on every page, full and empty")
def axe(console, options):
    page, source = console.page, axe_source(options)
    page.allowed.add(404)
    for name in LISTED:
        console.open(name)
        inspect(page, f"empty {name}", source)
    webhook = console.populate()
    for name, parameters in pages(console, webhook):
        console.open(name, **parameters)
        inspect(page, name, source)
        expect(page.evaluate(count("img")) == 0, f"{name}: a text became markup")
    console.open("device", id="unknown")
    console.says("Try again")
    inspect(page, "error", source)
    console.open("device", id="phone-0")
    page.resize(1440, 900)
    console.press("Delete")
    page.wait("document.querySelector('#confirm').open")
    inspect(page, "question", source)


@check("the Tab key reaches every control of every page; each shows its focus and has at least 24 points")
def keyboard(console, _):
    page = console.page
    page.allowed.add(404)
    webhook = console.populate()
    selector = "a[href], button, input, select, textarea, summary, [tabindex=\"0\"]"
    for name, parameters in pages(console, webhook):
        console.open(name, **parameters)
        page.evaluate(f"""globalThis.controls = () => [...document.querySelectorAll('{selector}')].filter((element) =>
            element.checkVisibility() && !element.disabled && element.tabIndex >= 0)""")
        wanted, seen = page.evaluate("controls().length"), set()
        for _ in range(wanted + 6):
            page.press("Tab")
            index, outline = page.evaluate("[controls().indexOf(document.activeElement), "
                                           "getComputedStyle(document.activeElement).outlineStyle]")
            if index >= 0:
                seen.add(index)
                expect(outline != "none", f"{name}: control {index} does not show its focus")
        missing = [page.evaluate(f"controls()[{index}]?.outerHTML.slice(0, 100)")
                   for index in range(wanted) if index not in seen]
        expect(not missing, f"{name}: not reached: {missing}")
        small = page.evaluate("""controls().filter((element) => {
            const { height } = element.getBoundingClientRect();
            return !element.closest('p:not(.controls, .actions), dd') && !element.matches('.skip') && height < 24;
        }).map((element) => element.outerHTML.slice(0, 100))""")
        expect(not small, f"{name}: too small: {small}")


@check("links, the back button, the app switcher and the search key work without a reload")
def navigation(console, _):
    page = console.page
    console.populate()
    console.open("overview")
    page.evaluate("globalThis.isSamePage = true")
    console.press("Devices", "#pages")
    console.says("phone-0")
    expect(page.evaluate("document.activeElement.id") == "main", "the focus is not on the page")
    expect(page.evaluate("document.title") == "Devices – Apus", "the title is that of another page")
    console.press("phone-1")
    console.says("First registered")
    page.evaluate("history.back()")
    console.says("phone-2")
    page.choose("#content [name=status]", "invalid")
    console.press("Show")
    console.says("No device is registered")
    expect("status=invalid" in page.evaluate("location.search"), "the filter is not in the address")
    page.choose("#app", "com.example.app")
    console.says("Devices", "#title")
    page.wait("new URLSearchParams(location.search).get('app') === 'com.example.app'")
    page.choose("#app", console.app)
    console.press("Jobs", "#pages")
    console.says("weekly")
    page.evaluate("document.activeElement.blur()")
    page.command("Input.dispatchKeyEvent", type="keyDown", key="/", text="/")
    page.wait("location.search.includes('page=devices')")
    expect(page.evaluate("globalThis.isSamePage"), "the page was loaded again")


@check("the page says since when the server does not respond, and continues when it is back", needs_simulator=True)
def restart(options):
    with tempfile.TemporaryDirectory() as files, Simulator(options.apus, f"{files}/simulator") as simulator:
        with Server(options.apus, simulator, files) as server, Browser(server.origin, page=options.page) as page:
            page.allowed.add(401)
            console = Console(page, server)
            console.sign_in(server.key)
            console.open("health")
            console.says("The store can be read and written")
            server.stop()
            page.wait(f"{text('#connection')}.startsWith('Disconnected since')")
            with Server(options.apus, simulator, files, server.port, server.key):
                page.wait(f"{text('#connection')} === ''", 120)
                console.says("The store can be read and written")
                console.open("devices")
                console.says("No device is registered")
                expect_clean(page)


@check("the first page has less than 150 KB and is there within a second", needs_simulator=True)
def size(options):
    with tempfile.TemporaryDirectory() as files, Simulator(options.apus, f"{files}/simulator") as simulator:
        with Server(options.apus, simulator, files) as server, Browser(server.origin, page=options.page) as page:
            page.allowed.add(401)
            Console(page, server).sign_in(server.key)
            page.open("/console?app=com.example.app")
            page.wait("document.querySelector('.tile')")
            sizes = page.evaluate("performance.getEntriesByType('resource').map(({ decodedBodySize }) => decodedBodySize)")
            time_of = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")
            total = sum(sizes) + page.evaluate("performance.getEntriesByType('navigation')[0].decodedBodySize")
            expect(len(sizes) > 15 and total < 150_000, f"{total} bytes in {len(sizes)} files")
            return f"{total} bytes in {len(sizes)} files, first paint after {time_of:.0f} ms"
