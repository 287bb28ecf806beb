# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
"""Checks of the tiles, and of the dialog with one device."""

import json

from harness import check, count, expect, open_device, phone, text
from simulator import APP, CHAT


@check("a push is on its phone with title, text, badge and label, and its text never becomes markup")
def push(page, simulator, _):
    device, other = simulator.boot(name="Anna"), simulator.boot()
    page.wait(f"{count('.phone .screen .apps')} === 2")
    markup = "<img src=x onerror=violations.push(1)>"
    simulator.push(device, {"title": markup, "subtitle": "Line two", "body": markup}, badge=3,
                   **{"interruption-level": "time-sensitive"})
    page.wait(f"{text(phone(device) + ' .banner .title')} === {json.dumps(markup)}")
    page.wait(f"document.querySelector(\"{phone(device)} .frame\").getAnimations({{ subtree: true }}).length > 0")
    expect(page.evaluate(text(f"{phone(device)} .banner .subtitle")) == "Line two", "no subtitle")
    expect(page.evaluate(text(f"{phone(device)} .banner .body")) == markup, "no text")
    expect(page.evaluate(text(f"{phone(device)} .banner .urgent")) == "TIME SENSITIVE", "no label")
    expect("3" in page.evaluate(text(f"{phone(device)} .badge")), "no badge")
    expect(page.evaluate(count("img")) == 0, "the text became markup")
    expect(page.evaluate(count(f"{phone(other)} .banner")) == 0, "the other phone shows it, too")
    page.wait(f"{text('#events')}.includes('Shown Anna')")
    open_device(page, device)
    page.wait(f"{text('#drawer .banner .title')} === {json.dumps(markup)}")
    expect(page.evaluate(count("img")) == 0, "the text became markup in the dialog")
    page.press("Escape")


@check("a phone groups notifications by app, the newest first, and counts the others")
def groups(page, simulator, _):
    device = simulator.boot(APP, CHAT)
    for number in range(8):
        simulator.push(device, {"title": f"Chat {number}"}, CHAT)
    simulator.push(device, {"title": "Latest"})
    page.wait(f"{text(phone(device) + ' .banner .title')} === 'Latest'")
    titles = page.evaluate(f"[...document.querySelectorAll(\"{phone(device)} .banner .title\")]"
                           ".map((title) => title.innerText)")
    expect(titles == ["Latest", "Chat 7"], f"{titles}")
    expect(page.evaluate(text(f"{phone(device)} .more")) == "+7 notifications", "the others are not counted")


@check("notifications for an offline phone wait at APNs, and the latest arrives")
def offline(page, simulator, _):
    device = simulator.boot(online=False)
    for number in range(3):
        simulator.push(device, f"Number {number}")
    page.wait(f"{text(phone(device) + ' .flags')}?.includes('Offline')")
    page.wait(f"{text(phone(device) + ' .flags')}?.includes('1 waiting')")
    page.wait(f"{text(phone(device) + ' .discard')}?.includes('A newer notification of the app replaced it')")
    simulator.change(device, online=True)
    page.wait(f"{text(phone(device) + ' .banner .body')} === 'Number 2'")
    page.wait(f"!{text(phone(device) + ' .flags')}.includes('waiting')")
    expect(not page.evaluate(text(f"{phone(device)} .discard")), "the cause is still there")


@check("a discarded push says why, and what to do, until another one is shown")
def discarded(page, simulator, _):
    device = simulator.boot()
    simulator.change_app(device, permission="denied")
    simulator.push(device)
    page.wait(f"{text(phone(device) + ' .discard')}?.includes('The user does not allow notifications.')")
    expect("Change the permission" in page.evaluate(text(f"{phone(device)} .discard")), "no remedy")
    page.wait(f"{text(phone(device) + ' .flags')}?.includes('Notifications denied')")
    simulator.change_app(device, permission="authorized")
    simulator.push(device)
    page.wait(f"{text(phone(device) + ' .discard')} === ''")


@check("every cause of the API has a sentence and a remedy")
def causes(page, simulator, _):
    known = page.evaluate("import('/wall/causes.js').then(({ causes }) => causes)")
    for cause in ("notStored", "expired", "replaced", "appRemoved", "notificationsDisabled", "nothingToDo", "forceQuit",
                  "noBackgroundMode", "heldReplaced", "complicationBudget", "widgetBudget", "systemTooOld",
                  "otherPushType", "topicDisabled", "activityUnchanged", "olderTimestamp", "undecodable", "overBudget"):
        expect(cause in known, f"no text for {cause}")
    for cause, texts in known.items():
        expect(len(texts) == 2 and all(part.endswith(".") for part in texts), f"{cause}: {texts}")


@check("a Live Activity is on its card and in the Dynamic Island, until it ends and is swiped away")
def activity(page, simulator, _):
    device = simulator.boot()
    ride = simulator.start_activity(device, "Ride", {"minutes": 5, "driver": "Kim"})
    page.wait(f"{text(phone(device) + ' .activity')}?.includes('Kim')")
    expect(page.evaluate(count(f"{phone(device)} .island.busy")) == 1, "the island is empty")
    simulator.call("POST", f"{ride}/update", {"contentState": {"minutes": 4, "driver": "Lee"}})
    page.wait(f"{text(phone(device) + ' .activity')}?.includes('Lee')")
    lesson = simulator.start_activity(device, "Lesson", {"phase": "running"})
    page.wait(f"{count(phone(device) + ' .island.minimal .detached')} === 1")
    simulator.call("POST", f"{lesson}/end", {})
    simulator.call("POST", f"{ride}/end", {"contentState": {"minutes": 0, "driver": "Lee"}})
    page.wait(f"{text(phone(device) + ' .activity')}?.includes('Ended')")
    page.wait(f"{count(phone(device) + ' .island.busy')} === 0")
    open_device(page, device)
    for path in (ride, lesson):
        page.click(f"[data-key='swipe-{path.split('/')[-1]}']")
        page.wait(f"{count('[data-key^=swipe-]')} === {1 if path == ride else 0}")
    page.wait(f"{count(phone(device) + ' .activity')} === 0")


@check("an open device can be renamed, changed and sent a push; Escape returns the focus to its phone")
def drawer(page, simulator, _):
    device = simulator.boot()
    open_device(page, device)
    page.type("#drawer [name=name]", "Berta <b>")
    page.press("Enter")
    page.wait(f"{text('#drawer-title')} === 'Berta <b>'")
    page.type("#drawer [name=title]", "From the page")
    page.click("#drawer .push .primary")
    page.wait(f"{text('#drawer .banner .title')} === 'From the page'")
    page.wait(f"/Sent with the apns-id [0-9a-f-]+/.test({text('#drawer .sent')})")
    page.click("#drawer details.entry summary")
    page.wait(f"{text('#drawer details.entry pre')}?.includes('\"title\": \"From the page\"')")
    page.click("#drawer [data-key=locked]")
    page.wait(f"{text(phone(device) + ' .flags')}?.includes('Locked')")
    page.click("#drawer [data-key=online]")
    page.wait(f"{text(phone(device) + ' .flags')}?.includes('Offline')")
    page.choose(f"#drawer [data-key='permission-{APP}']", "denied")
    page.wait(f"{text(phone(device) + ' .flags')}?.includes('Notifications denied')")
    expect(page.evaluate(count("#drawer details.entry[open]")) == 1, "the payload was closed")
    page.press("Escape")
    page.wait("!document.querySelector('#drawer').open")
    expect(page.evaluate(f"document.activeElement.matches(\"{phone(device)} .name\")"), "the focus is lost")
    page.wait(f"{text(phone(device) + ' .name')} === 'Berta <b>'")


@check("a payload is sent as JSON; malformed JSON and errors of the API are shown")
def payload(page, simulator, _):
    page.allowed.add(400)
    device = simulator.boot()
    open_device(page, device)
    page.click("#drawer .push summary")
    page.wait("document.querySelector('#drawer textarea').value.includes('content-available') === false "
              "&& JSON.parse(document.querySelector('#drawer textarea').value).aps.alert.title === 'Hello'")
    page.type("#drawer textarea", "{")
    page.click("#drawer .push .primary")
    page.wait(f"{text('#payload-error')}.includes('not a JSON object')")
    page.type("#drawer textarea", json.dumps({"aps": {"alert": "x" * 5000}}))
    page.click("#drawer .push .primary")
    page.wait(f"{text('#drawer > .error')}.includes('at most 4096 bytes')")
    page.type("#drawer textarea", json.dumps({"aps": {"alert": {"title": "As JSON"}}, "custom": 1}))
    page.click("#drawer .push .primary")
    page.wait(f"{text('#drawer .banner .title')} === 'As JSON'")
    expect(simulator.call("GET", f"/v1/devices/{device}")["notifications"][0]["payload"]["custom"] == 1, "the payload")


@check("a background push calls the app and shows nothing")
def background(page, simulator, _):
    device = simulator.boot()
    simulator.change_app(device, backgroundModes=["remote-notification"])
    open_device(page, device)
    page.choose("#drawer [name=pushType]", "background")
    page.click("#drawer .push .primary")
    page.wait(f"{text('#drawer .events')}.includes('App called')")
    expect(page.evaluate(count("#drawer .banner")) == 0, "it is shown")


@check("a shown notification can be tapped, which opens the app, and swiped away")
def respond(page, simulator, _):
    device = simulator.boot()
    for title in ("First", "Second"):
        simulator.push(device, {"title": title})
    open_device(page, device)
    page.wait(f"{count('#drawer .banner')} === 2")
    page.click("#drawer .banner [data-key^=swipe-]")
    page.wait(f"{count('#drawer .banner')} === 1")
    expect(page.evaluate(text("#drawer .banner .title")) == "First", "the wrong one was removed")
    page.click("#drawer .banner [data-key^=tap-]")
    page.wait(f"{count('#drawer .banner')} === 0")
    app = simulator.call("GET", f"/v1/devices/{device}")["apps"][0]
    expect(app["state"] == "foreground", "the app was not opened")
    page.wait(f"{text(phone(device) + ' .apps')}.includes('open')")


@check("an app can be reinstalled, uninstalled and installed, and its token is shown")
def install(page, simulator, _):
    device = simulator.boot()
    open_device(page, device)
    page.wait("/[0-9a-f]{64}/.test(document.querySelector('#drawer .token')?.innerText)")
    before = page.evaluate(text("#drawer .token code"))
    page.click(f"[data-key='again-{APP}']")
    page.wait(f"{text('#drawer .token code')} !== '{before}'")
    page.click(f"[data-key='copy-{APP}']")
    page.wait(f"{text('#drawer .sent')}.includes('opied') || {text('#drawer .sent')}.includes('to copy')")
    page.click(f"[data-key='remove-{APP}']")
    page.wait(f"{text('#drawer')}.includes('No app is installed')")
    expect(page.evaluate("document.querySelector('#drawer .push .primary').disabled"), "a push can be sent to no app")
    page.type("#drawer [name=install]", CHAT)
    page.press("Enter")
    page.wait(f"{text('#drawer .entry h4')} === '{CHAT}'")
    page.wait(f"{text(phone(device) + ' .apps')}.includes('chat')")
