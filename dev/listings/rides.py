# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""Document 003: a ride as a Live Activity, started, changed and ended by the app."""

import json
import re
import subprocess

from app import App
from stage import Stage, until

ADDED_TO_ALL = "import lines (Imports.swift)"


def play(check):
    start, stop = re.findall(r'Button\("([^"]+)"\)', check.listings["003/3"].text)
    with Stage(check.apus) as stage:
        # The listings know no installation secret, like the clients of before.
        stage.admin("PATCH", f"/v1/apps/{stage.app}", {"installationSecrets": "optional"})
        app = App(stage, "RidingApp", check.executable("RidingApp"), stage.phone())
        try:
            ride(check, app, start, stop)
        except BaseException:
            check.tell_of(app)
            raise


def ride(check, app, start, stop):
    rows = check.rows
    assert app.texts() == [start, stop], app.texts()
    rows["003/3"].added += ["the struct around 3 to 7 (ContentView.swift)", "an app around it (RidingApp.swift)"]
    rows["003/3"].seen += ["both buttons are on the screen, and do what 4 to 7 say"]

    app.tap(start)
    activity, = app.activities()
    assert activity["attributesType"] == "RidingAttributes" and activity["state"] == "active", activity
    assert activity["contentState"]["fee"] == 0 and activity.get("token") is None, activity
    app.says(activity["id"])
    app.tap(start)
    assert len(app.activities()) == 1
    rows["003/1"].added += [ADDED_TO_ALL]
    rows["003/1"].seen += ["in the app and in the extension: both name the same type, and its content decodes"]
    rows["003/4"].added += [ADDED_TO_ALL]
    rows["003/4"].seen += [
        "a ride starts, without a token as it asks for none; its id is printed",
        "a second tap starts no other: one activity is on the phone",
    ]

    shown = until(lambda: changed(app), "the timer changes the ride", seconds=60)
    state = shown["contentState"]
    assert state["fee"] == 400 + 150 * int(state["estimatedDistance"]), state
    rows["003/5"].seen += [f"10 s after the start the timer has it changed: {state['fee']} won"]
    rows["003/5"].seen += ["by its text a second tap sets a second timer beside the first, which the end does not stop"]
    rows["003/6"].seen += [f"the phone shows {state['estimatedDistance']:.1f} km, and the fee that follows from that"]
    texts = until(lambda: lock_screen(check, app), "the Lock Screen shows the ride")
    rows["003/2"].added += [
        "ActivityConfiguration(attributesType:), which Apple has withdrawn (ActivityConfiguration+Withdrawn.swift)",
        ADDED_TO_ALL,
    ]
    rows["003/2"].seen += [f"the Lock Screen shows: {' · '.join(texts)}"]

    app.tap(stop)
    ended = until(lambda: next((one for one in app.activities() if one["state"] == "dismissed"), None), "the ride ends")
    assert ended["contentState"]["fee"] == 0 == ended["contentState"]["estimatedDistance"], ended
    rows["003/7"].seen += ["the ride is dismissed at once, with the state of zeros that it is ended with"]
    app.tap(start)
    assert [one["state"] for one in app.activities()] == ["dismissed"]
    rows["003/7"].seen += ["a tap after the end starts no other ride: the property stays set"]


def changed(app):
    activity, = app.activities()
    return activity if activity["contentState"]["fee"] else None


def lock_screen(check, app):
    """What the extension makes of the ride, which is a process of its own as on a phone; nothing when the ride changed meanwhile."""
    environment = app.stage.app_environment(app.phone, app.stage.path(f"{app.name}-home"))
    before = changed(app)["contentState"]["fee"]
    widgets = subprocess.run(
        [check.executable("RidingWidgets")], env=environment, capture_output=True, text=True, timeout=60
    )
    assert widgets.returncode == 0, widgets.stderr
    texts, = [json.loads(line) for line in widgets.stdout.splitlines()]
    if changed(app)["contentState"]["fee"] != before:
        return None
    assert len(texts) == 2 and texts[0].split()[0] == str(before), (texts, before)
    return texts
