# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""A bicycle ride as a Live Activity: started by the app, updated by the server while the app is suspended, and ended."""

import json
import os
import signal
import subprocess
import sys

from app import App
from stage import Refused, until
from example import app, tell

HERE = os.path.dirname(os.path.abspath(__file__))
START, STOP = "Start Live Activities", "Stop Live Activities"
HOUR = 3600


class Rider(App):
    """A phone with the app, and the rides on it."""

    def __init__(self, stage, name):
        self.stage, self.name, self.phone = stage, name, stage.phone()
        self.launch()

    def launch(self):
        super().__init__(self.stage, self.name, app("ride-app"), self.phone)
        until(lambda: START in self.texts(), "the app is on the screen")

    def kill(self):
        """Swipes the app away in the app switcher."""
        self.set(state="forceQuit")
        self.stage.stop(self.name, kill=True)

    def start(self):
        """Taps the button; returns the ID of the ride once the server can update it."""
        before = {one["id"] for one in self.activities()}
        self.tap(START)
        self.activity, = until(
            lambda: [one["id"] for one in self.activities() if one["id"] not in before], "the ride is on the phone"
        )
        self.ride = self.shown_ride()["attributes"]["ride"]
        until(self.has_token, "the server has the update token")
        return self.ride

    def path(self):
        return f"/v1/apps/{self.stage.app}/activities/{self.ride}"

    def has_token(self):
        try:
            participants = self.stage.admin("GET", f"{self.path()}/participants")["participants"]
        except Refused as refused:
            if refused.status == 404:
                return False
            raise
        return participants and participants[0]["hasToken"]

    def shown_ride(self):
        """The latest ride as the phone has it."""
        return next(one for one in self.activities() if one["id"] == self.activity)

    @property
    def state(self):
        return self.shown_ride()["state"]

    @property
    def content(self):
        return self.shown_ride()["contentState"]

    def lock_screen(self):
        """The texts of the widget extension, a process of its own as on a phone; an empty list without a ride."""
        environment = os.environ | self.stage.app_environment(self.phone, self.stage.path(f"{self.name}-home"))
        widget = subprocess.run([app("ride-widget")], env=environment, check=True, capture_output=True, timeout=60)
        return [json.loads(line) for line in widget.stdout.splitlines()]

    def suspend(self):
        """Leaves the app; iOS then runs nothing of it, so its process is stopped."""
        self.set(state="suspended")
        self.stage.processes[self.name].send_signal(signal.SIGSTOP)

    def resume(self):
        self.stage.processes[self.name].send_signal(signal.SIGCONT)
        self.set(state="foreground")
        until(lambda: START in self.texts(), "the app is on the screen")

    def end(self, end):
        """Ends the ride through the server; returns the outcome."""
        return self.stage.admin("PATCH", f"{self.path()}?wait=true", {"end": end})["outcome"]

    def pushes(self):
        """How many pushes changed the rides on this phone."""
        return sum(
            entry["origin"] == "push" and entry["change"] in ("updated", "ended")
            for one in self.activities()
            for entry in one["timeline"]
        )


def advance(stage, seconds):
    stage.control("POST", "/v1/clock:advance", {"seconds": seconds})


def measure(stage, ride, updates, distance=0.0):
    """Runs the rental's server for some updates; returns what it sent, each with its outcome."""
    environment = os.environ | {"APUS": stage.url, "APUS_API_KEY": stage.admin.key, "APUS_APP": stage.app}
    command = [sys.executable, "-B", os.path.join(HERE, "meter.py"), ride, str(updates), str(distance)]
    lines = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, timeout=60).stdout.splitlines()
    return [json.loads(line) for line in lines]


def ride_with_updates(story, stage, ann):
    """The document's ride, and updates by the server; returns how many pushes were sent."""
    with story.step("the app starts a ride; a second tap starts no other"):
        ann.start()
        ann.tap(START)
        assert len(ann.activities()) == 1, ann.activities()
        story.note(f"ride {ann.ride}; the server has its update token")

    with story.step("10 s later the app has updated the ride itself"):
        state = until(lambda: ann.content if ann.content["fee"] else None, "the timer's update", 60)
        assert state["fee"] == 400 + 150 * int(state["estimatedDistance"]), state
        story.note(f"the Lock Screen shows {ann.lock_screen()[0]}")

    with story.step("the app is suspended, and the rental's server updates the ride"):
        ann.suspend()
        # A push has its timestamp in whole seconds. Within the second of the app's own update the phone ignores it as older.
        second = int(stage.control("GET", "/v1/clock")["seconds"])
        until(lambda: stage.control("GET", "/v1/clock")["seconds"] >= second + 1, "the next second")
        updates = measure(stage, ann.ride, 12, state["estimatedDistance"])
        assert all(update["outcome"]["counts"]["delivered"] == 1 for update in updates), updates
        latest = {name: updates[-1][name] for name in ("fee", "estimatedDistance")}
        assert ann.content | latest == ann.content, (ann.content, latest)
        texts, = ann.lock_screen()
        assert texts[:2] == [f"{latest['fee']} 원", "요금"] and f"{latest['estimatedDistance']:.1f} km" in texts, texts
        assert ann.pushes() == len(updates), ann.shown_ride()["timeline"]
        story.note(f"{len(updates)} pushes; the Lock Screen shows {texts}")

    with story.step("the app is killed, and the ride goes on"):
        ann.kill()
        updates += measure(stage, ann.ride, 3, latest["estimatedDistance"])
        assert ann.state == "active" and ann.pushes() == len(updates), ann.shown_ride()
        story.note(f"3 more pushes; the Lock Screen shows {ann.lock_screen()[0]}")

    with story.step("the app is opened and stops the ride: removed at once, with a state of zeros"):
        ann.launch()
        ann.tap(STOP)
        until(lambda: ann.state == "dismissed", "the ride is removed")
        assert ann.content["fee"] == 0 == ann.content["estimatedDistance"], ann.content
        assert ann.lock_screen() == []
        story.count(immediate=1)
    return len(updates)


def policies(story, stage, ann):
    """The other two dismissal policies, from the server; returns how many pushes were sent."""
    with story.step("a ride that the server ends with the default policy stays on the Lock Screen for 4 hours"):
        end(ann, {})
        advance(stage, 4 * HOUR - 60)
        assert ann.state == "ended" and len(ann.lock_screen()) == 1, ann.shown_ride()
        advance(stage, 60)
        assert ann.state == "dismissed" and ann.lock_screen() == [], ann.shown_ride()
        story.count(default=1)

    with story.step("a ride that is removed after 10 minutes"):
        end(ann, {"afterSeconds": 600})
        advance(stage, 540)
        assert ann.state == "ended" and len(ann.lock_screen()) == 1, ann.shown_ride()
        advance(stage, 60)
        assert ann.state == "dismissed" and ann.lock_screen() == [], ann.shown_ride()
        story.count(after=1)
    return 2


def end(rider, policy):
    """Starts a ride, and ends it through the server while the app is suspended."""
    rider.start()
    rider.suspend()
    outcome = rider.end(policy)
    assert outcome["counts"]["delivered"] == 1 and rider.state == "ended", (outcome, rider.shown_ride())
    rider.resume()


def limits(story, stage, *riders):
    """Rides that are left running, for which the system has limits; returns how many pushes were sent."""
    with story.step(f"{len(riders)} rides are left running: the system ends them after 8 hours"):
        for rider in riders:
            rider.start()
            rider.suspend()
        advance(stage, 8 * HOUR - 60)
        sent = sum(len(measure(stage, rider.ride, 1)) for rider in riders)
        assert [rider.state for rider in riders] == ["active"] * len(riders), [rider.shown_ride() for rider in riders]
        advance(stage, 60)
        for rider in riders:
            ended = rider.shown_ride()["timeline"][-1]
            assert (ended["change"], ended["origin"], rider.state) == ("ended", "system", "ended"), rider.shown_ride()
            assert len(rider.lock_screen()) == 1
        story.count(endedBySystem=len(riders))

    with story.step("the server knows that they are over, and refuses an update"):
        for rider in riders:
            refused = until(lambda rider=rider: refusal(rider), "the server refuses")
            story.note(refused)

    with story.step("after 12 hours they are gone from the Lock Screen"):
        advance(stage, 4 * HOUR - 60)
        assert [rider.state for rider in riders] == ["ended"] * len(riders)
        advance(stage, 60)
        for rider in riders:
            assert rider.state == "dismissed" and rider.lock_screen() == [], rider.shown_ride()
        story.count(removedBySystem=len(riders))
    return sent


def refusal(rider):
    """The reason for which the server sends no more updates to a ride; None while it does."""
    try:
        rider.stage.admin("PATCH", rider.path(), {"patch": {"fee": 1}})
    except Refused as refused:
        return json.loads(refused.body)["detail"]
    return None


def play(story, stage):
    riders = [Rider(stage, "ann"), Rider(stage, "ben")]
    sent = ride_with_updates(story, stage, riders[0]) + policies(story, stage, riders[0]) + limits(story, stage, *riders)
    received = sum(rider.pushes() for rider in riders)
    story.count(rides=sum(len(rider.activities()) for rider in riders), sent=sent, received=received)
    assert received == sent, f"{sent} pushes were sent, and the phones received {received}"
    if not story.options.once:
        riders[0].resume()
        ride = f"{stage.app} {riders[0].start()}"
        story.hints += [
            f"{stage.apus} activity update {ride} --patch '{{\"fee\":1000}}' --wait",
            f"{stage.apus} activity end {ride} --after-seconds 60 --wait",
            f"open {stage.control.base}/   # the phones in a browser",
        ]


tell("ride", play, app="com.example.ride")
