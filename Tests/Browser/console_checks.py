# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
"""Checks of the console: what each page shows and does."""

import json

from harness import check, count, expect, text


@check("a notification is previewed, sent to a phone, and its outcome is shown; errors are beside their inputs")
def send(console, _):
    page, server = console.page, console.server
    phone = console.register("phone-1")
    console.open("send")
    page.type("#content [name=title]", "Hello <b>")
    page.type("#content [name=body]", "World")
    page.wait(f"{text('.banner .title')} === 'Hello <b>' && {text('.banner .body')} === 'World'")
    console.says("of 4,096 bytes")
    console.press("Send")
    console.says("Enter at least one ID or token.", "#content form .error")
    expect(page.evaluate("document.activeElement.name") == "targets", "the focus is not on the fault")
    expect(page.evaluate("document.activeElement.getAttribute('aria-describedby')") == "note-targets", "not described")
    page.type("#content [name=targets]", "phone-1")
    console.press("Send")
    console.says("Accepted by APNs")
    shown = server.simulator.call("GET", f"/v1/devices/{phone['id']}")["notifications"]
    expect([push["payload"]["aps"]["alert"] for push in shown] == [{"title": "Hello <b>", "body": "World"}], f"{shown}")
    page.allowed.add(400)
    page.allowed.add(422)
    page.type("#content [name=badge]", "-1")
    console.press("Send")
    page.wait("document.querySelector('#content [name=badge]').getAttribute('aria-invalid') === 'true'")
    page.type("#content [name=targets]", "unknown")
    page.type("#content [name=badge]", "")
    console.press("Send")
    page.wait(f"{text('#content form > .error')} !== ''")
    page.choose("#content [name=compose]", "json")
    page.type("#content [name=payload]", "{")
    console.press("Send")
    console.says("This is not JSON.", "#content form")
    page.type("#content [name=payload]", '{"aps":{"content-available":1},"x":1}')
    page.choose("#content [name=pushType]", "background")
    page.choose("#content [name=kind]", "tokens")
    page.type("#content [name=targets]", phone["tokens"][console.app])
    before = page.evaluate(text("#content [aria-live]"))
    console.press("Send")
    page.wait(f"{text('#content [aria-live]')} !== {json.dumps(before)}")
    console.says("Accepted by APNs", "#content [aria-live]")
    shown = server.simulator.call("GET", f"/v1/devices/{phone['id']}")["notifications"]
    expect(shown[-1]["payload"]["x"] == 1 and len(shown) == 2, f"{shown}")


@check("a campaign is reviewed, paused, resumed and cancelled; a large one asks for its number")
def campaign(console, _):
    page = console.page
    for number in range(3):
        console.register(f"phone-{number}", userID=f"user-{number}")
    lines = "\n".join(json.dumps({"device": f"other-{number}", "token": f"{number:064x}", "environment": "production"})
                      for number in range(1001))
    console.server.lines(console.path("devices:import"), lines)
    console.server.simulator.call("POST", "/v1/faults", {"action": "delay", "milliseconds": 3000})
    console.open("send")
    page.evaluate("""globalThis.streams = []; globalThis.EventSource = class extends EventSource {
        constructor(...words) { super(...words); streams.push(this); }
    }""")
    page.choose("#content [name=kind]", "audience")
    page.type("#content [name=name]", "Spring")
    page.type("#content [name=title]", "Spring is here")
    page.choose("#content [name=audience]", "json")
    page.type("#content [name=audienceJSON]", '{"environment":"sandbox"}')
    page.type("#content [name=rate]", "1")
    console.press("Review and start")
    page.wait("document.querySelector('#confirm').open")
    console.says("3 devices, now", "#confirm")
    expect(page.evaluate("document.querySelector('#confirm-number').hidden"), "a small campaign asks for its number")
    console.confirm("Start the campaign")
    console.says("Spring", "#content h2")
    console.mark("Pause", "#content")
    page.focus("[data-test=Pause]")
    page.press("Enter")
    console.says("Paused")
    # The button is gone; the focus is near its place.
    page.wait("document.activeElement.innerText === 'Resume' || document.activeElement.id === 'main'")
    item = console.call("GET", "campaigns")["campaigns"][0]
    expect(item["progress"]["state"] == "paused" and item["name"] == "Spring", f"{item}")
    page.wait("streams.length === 2 && streams[0].readyState === 2 && streams[1].readyState === 1")
    console.press("Resume")
    console.says("3 of 3")
    console.says("Completed")
    page.wait("streams.every(({ readyState }) => readyState === 2)")
    faults = console.server.simulator.call("GET", "/v1/faults")["faults"]
    console.server.simulator.call("DELETE", f"/v1/faults/{faults[0]['id']}")
    console.press("Failures and resend")
    console.says("3 targets")
    console.open("campaigns")
    console.says("Spring")
    console.open("send")
    page.choose("#content [name=kind]", "audience")
    page.type("#content [name=title]", "To everyone")
    page.choose("#content [name=start]", "at")
    page.evaluate("document.querySelector('#content [name=at]').value = '2040-01-01T09:00'")
    console.press("Review and start")
    page.wait("document.querySelector('#confirm').open && !document.querySelector('#confirm-number').hidden")
    page.type("#confirm [name=number]", "1003")
    console.press("Start the campaign", "#confirm")
    console.says("The number is not 1004.", "#confirm .error")
    expect(len(console.call("GET", "campaigns")["campaigns"]) == 1, "it started nevertheless")
    console.confirm("Start the campaign", "1,004")
    console.says("Scheduled")
    console.press("Cancel the campaign")
    console.confirm("Cancel the campaign")
    console.says("Cancelled")


@check("a device is found by its ID, user or token, and deleted; the token is in no address")
def devices(console, _):
    page = console.page
    # A text is looked up as a device ID first.
    page.allowed.add(404)
    console.register("phone-1", userID="user-1", platform="iOS")
    token = console.register("phone-2", userID="user-1")["tokens"][console.app]
    console.open("devices")
    for wanted in ("phone-2", token):
        page.type("#content [name=wanted]", wanted)
        console.press("Find")
        console.says("phone-2", "#content h2")
        expect(token not in page.evaluate("location.href + document.body.innerHTML"), "the token is shown")
        console.press("Devices", "#pages")
    page.type("#content [name=wanted]", "user-1")
    console.press("Find")
    page.wait(f"{text('#content [aria-live] table')}.includes('phone-1')")
    page.type("#content [name=wanted]", "nobody")
    console.press("Find")
    console.says("No device has this ID")
    console.press("phone-1")
    console.press("Delete")
    console.press("Cancel", "#confirm")
    page.wait("!document.querySelector('#confirm').open")
    console.press("Delete")
    console.confirm("Delete")
    page.wait("location.search.includes('page=devices')")
    expect([item["device"] for item in console.call("GET", "devices")["devices"]] == ["phone-2"], "it was not deleted")


@check("the page Why? finds out that an app was removed, and what became of a push")
def why(console, _):
    page, server = console.page, console.server
    page.allowed.add(404)
    phone = console.register("phone-1", userID="user-1")
    push = {"targets": {"devices": ["phone-1"]}, "notification": {"title": "Hello"}}
    delivered = console.call("POST", "notifications?wait=true", body=push)["outcomes"][0]["apnsID"]
    server.simulator.call("DELETE", f"/v1/devices/{phone['id']}/apps/{console.app}")
    # The device reports that the app is gone at the next push, if not before.
    for _ in range(2):
        sent = console.call("POST", "notifications?wait=true", body=push)
        rejected = sent["outcomes"][0]
        if rejected["state"] == "rejected":
            break
    console.open("why")
    page.type("#content [name=wanted]", "user-1")
    console.press("Show")
    console.says("APNs said Unregistered")
    console.says("registers again at the next start")
    for wanted, words in ((delivered, "does not mean that the device showed it"),
                          (rejected["apnsID"], "410 Unregistered"), (sent["id"], "Its outcomes and failed targets"),
                          ("nobody", "No push, notification or device is known")):
        page.type("#content [name=wanted]", wanted)
        console.press("Show")
        console.says(words)
    console.open("notification", id=sent["id"], reason="Unregistered")
    console.press("Find")
    console.says("phone-1", "#content h2")
    console.says("Unregistered")


@check("a notification is sent again to the targets that can succeed")
def resend(console, _):
    server = console.server
    console.register("phone-1")
    fault = server.simulator.call("POST", "/v1/faults", {"action": "reject", "reason": "TooManyRequests"})
    sent = console.call("POST", "notifications?wait=true", body={
        "targets": {"devices": ["phone-1"]}, "notification": {"title": "Hello"}, "expiration": 0})
    server.simulator.call("DELETE", f"/v1/faults/{fault['id']}")
    console.open("notification", id=sent["id"])
    console.says("TooManyRequests")
    console.press("Resend to targets that can succeed")
    console.confirm("Resend")
    console.says("Resend of")
    console.says("Accepted by APNs")


@check("a Live Activity shows its content, devices and plan; its content is changed after a dry run, and it ends")
def activity(console, _):
    page = console.page
    console.populate()
    console.open("activities")
    console.press("lesson-1")
    console.says("running")
    console.says("planned for")
    console.press("Change the content")
    page.wait("document.querySelector('#confirm [name=patch]')")
    console.call("PATCH", "activities", "lesson-1", body={"patch": {"left": 9007199254740993}})
    page.type("#confirm [name=patch]", "{")
    console.press("Change", "#confirm")
    console.says("The content is not JSON.", "#confirm .error")
    page.type("#confirm [name=patch]", '{"phase":"break","note":"Tea"}')
    console.confirm("Change")
    console.says('"phase": "break"')
    # A change of somebody else, which the page has not seen, stays.
    content = console.call("GET", "activities", "lesson-1")["contentState"]
    expect(content == {"phase": "break", "note": "Tea", "left": 9007199254740993}, f"{content}")
    expect(page.evaluate(count("#confirm textarea")) == 0, "the dialog keeps its input")
    console.press("End")
    console.confirm("End")
    console.says("Ended")
    expect(console.call("GET", "activities", "lesson-1")["state"] == "ended", "it did not end")


@check("a job is paused, resumed and run")
def job(console, _):
    console.populate()
    console.open("jobs")
    console.says("Europe/Berlin")
    console.press("weekly")
    console.press("Pause")
    console.says("Paused")
    expect(console.call("GET", "jobs", "weekly")["paused"], "it is not paused")
    console.press("Resume")
    console.says("Active")
    console.press("Run now")
    console.confirm("Run now")
    console.says("Succeeded")
    console.says("manual")


@check("topics show their subscriptions; a webhook is tested, paused and activated")
def lists(console, _):
    page = console.page
    webhook = console.populate()
    console.open("topics")
    console.press("news")
    console.says("1 subscription")
    console.says('{"kind":["sport"]}')
    console.open("webhooks")
    console.press("https://localhost/<hook>")
    console.press("Pause")
    console.says("Paused")
    expect(console.call("GET", "webhooks", webhook)["state"] == "paused", "it is not paused")
    console.press("Activate")
    console.says("Active")
    console.press("Send a test event")
    console.says("Test: Failed")
    expect(page.evaluate(count("#notice:not([hidden])")) == 0, "an error is shown")


@check("events are listed, followed, filtered and paused")
def events(console, _):
    page = console.page
    console.register("phone-1")

    def push(title):
        return console.call("POST", "notifications?wait=true", body={
            "targets": {"devices": ["phone-1"]}, "notification": {"title": title}})["id"]

    first = push("First")
    console.open("events")
    console.says(first, "#content .events")
    second = push("Second")
    page.wait(f"{text('#content .events li')}.includes('{second}')")
    page.click("#content input[type=checkbox]")
    third = push("Third")
    console.says("not listed.")
    expect(third not in page.evaluate(text("#content .events")), "the list is not paused")
    page.click("#content input[type=checkbox]")
    console.says(third, "#content .events")
    page.choose("#content [name=type]", "campaign.started")
    console.press("Show")
    console.says("None of the last 1,000 events")


@check("an API key is created, shown once, and revoked")
def keys(console, _):
    page, server = console.page, console.server
    page.allowed.update((400, 422))
    console.open("keys")
    console.says("sandbox")
    page.type("#content [name=name]", "Backend")
    console.press("Create")
    console.says("scopes", "#content form .error")
    page.click("#content [value=send]")
    console.press("Create")
    console.says("It is not shown again")
    key = page.evaluate("document.querySelector('#content [aria-live] code').innerText")
    console.register("phone-1")
    push = {"targets": {"devices": ["phone-1"]}, "notification": {"title": "Hello"}}
    server.call("POST", console.path("notifications"), push, key=key)
    console.open("keys")
    expect(key not in page.evaluate("document.body.innerText"), "the key is shown again")
    name = next(item["id"] for item in server.call("GET", "/v1/keys")["keys"] if item.get("app") == console.app)
    page.click(f"[data-key='revoke-{name}']")
    console.confirm("Revoke")
    console.says("Disabled")
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    status = server.status("POST", console.path("notifications"), headers, json.dumps(push).encode())
    expect(status == 401, f"the revoked key works: {status}")


@check("an open circuit is shown with its cause on the overview, and the page follows its end")
def circuit(console, _):
    server = console.server
    console.register("phone-1")
    console.open("overview")
    console.says("Batches waiting")
    fault = server.simulator.call("POST", "/v1/faults", {"action": "reject", "reason": "InvalidProviderToken"})
    console.call("POST", "notifications", body={"targets": {"devices": ["phone-1"]}, "notification": {"title": "Hello"}})
    console.says("Pushes for sandbox wait since")
    console.press("Health", "#pages")
    console.says("InvalidProviderToken")
    server.simulator.call("DELETE", f"/v1/faults/{fault['id']}")
