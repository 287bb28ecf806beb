# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""One day of an app: the sample app on virtual devices, the simulator, the server and the scheduler, each a process.

    python3 dev/lib/app_day.py APUS APP

plays it with the executable of the server and that of ApusKit's sample app (dev/test-kit does). Each step waits for what it is
to bring about; the script fails at the first that does not come. The clock is moved, so that the day takes seconds.
"""

import json
import os
import signal
import sys
import time
from urllib.parse import urlsplit

from stage import Stage, until

REFRESH = {"action": "refresh_dashboard", "device_id": "sensor-1"}
SILENT = {"pushType": "background", "priority": 5}


class Day:
    def __init__(self, stage, app):
        self.stage, self.app = stage, app
        self.launches = 0
        self.phone = stage.phone()
        self.container = stage.path("home-1")

    # The app

    def launch(self, by_system=False):
        """Starts the app's process, as a tap on its icon does or the system."""
        self.launches += 1
        self.name = f"app-{self.launches}"
        environment = self.stage.app_environment(self.phone, self.container) | self.stage.environment
        environment |= {"APUS_DEVICE_HANDS": "stdin", "APUS_DEVICE_LAUNCH": "system" if by_system else "person"}
        self.stage.start(self.name, [self.app], environment, ready=False)

    def hands(self, line):
        process = self.stage.processes[self.name]
        process.stdin.write(f"{line}\n".encode())
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    def texts(self):
        return self.hands("read")

    def tap(self, label):
        assert self.hands(f"tap {label}") == "tapped", label

    def has_ended(self):
        return self.stage.processes[self.name].poll() is not None

    def set(self, **traits):
        self.stage.control("PATCH", f"/v1/devices/{self.phone}/apps/{self.stage.app}", traits)

    def to_background(self):
        """Has the app leave the screen, and waits until it has: what comes after it finds it there."""
        self.set(state="background")
        count = len(self.calls("didReceiveRemoteNotification"))
        self.clock_runs(False)
        self.push({"aps": {"content-available": 1}, "action": "nothing"}, **SILENT)
        until(
            lambda: any(call["result"] for call in self.calls("didReceiveRemoteNotification")[count:]),
            "the app is in the background",
        )
        self.clock_runs(True)

    def loads(self):
        """How often this process of the app has loaded its screen."""
        return next(int(text.split()[1]) for text in self.texts() if text.startswith("Loaded "))

    def wait_for_end(self):
        until(self.has_ended, "the app's process ends")
        self.stage.stop(self.name)

    def clock_runs(self, runs):
        """Has the simulator's clock stand still meanwhile, so that no deadline passes on a machine that is busy."""
        self.stage.control("PATCH", "/v1/clock", {"scale": 1 if runs else 0})

    def hour(self):
        """Lets an hour pass, after which the system wakes the app for silent pushes again: for three in an hour."""
        self.stage.control("POST", "/v1/clock:advance", {"seconds": 3600})

    # What can be looked at

    @property
    def token(self):
        return self.stage.device(self.phone)["tokens"][self.stage.app]

    def registered(self, token=None):
        token = token or self.token
        devices = self.stage.admin("GET", f"/v1/apps/{self.stage.app}/devices?limit=100")["devices"]
        return next((device for device in devices if device["token"] == token), None)

    def calls(self, method):
        calls = self.stage.control("GET", f"/v1/devices/{self.phone}/calls")["calls"]
        return [call for call in calls if method in call["call"]]

    def activities(self):
        return self.stage.control("GET", f"/v1/devices/{self.phone}/activities")["activities"]

    def running(self):
        return [activity for activity in self.activities() if activity["state"] == "active"]

    def shown(self):
        return self.stage.control("GET", f"/v1/devices/{self.phone}/shown")["shown"]

    def push(self, payload, **more):
        body = {"targets": {"tokens": [self.token]}, "payload": payload} | more
        counts = self.stage.send(body)["counts"]
        assert counts["delivered"] == 1, counts

    # The day

    def play(self):
        for step in (
            self.install, self.permit, self.foreground, self.background, self.hang, self.ended, self.reopened,
            self.force_quit, self.restore, self.ride, self.outage, self.ride_by_server, self.offline, self.uninstall,
        ):
            began = time.monotonic()
            step()
            print(f"{time.monotonic() - began:6.2f} s  {step.__doc__}", flush=True)

    def install(self):
        """installed and opened: the device is registered"""
        self.launch()
        device = until(self.registered, "the device is registered")
        assert device["environment"] == "sandbox", device

    def permit(self):
        """the person allows notifications: the server has it as a tag"""
        self.tap("Allow notifications")
        self.set(permission="authorized")
        until(lambda: self.registered()["tags"].get("permission") == "authorized", "the tag")

    def foreground(self):
        """a push to the app on the screen: the day is loaded anew"""
        self.push({"aps": {"alert": {"title": "New"}}} | REFRESH)
        until(lambda: {"Loaded 1 times", "New"} <= set(self.texts()), "the screen shows it")

    def background(self):
        """a silent push in the background: the badge alone; it is loaded when the app is opened"""
        self.set(state="background")
        self.clock_runs(False)
        self.push({"aps": {"content-available": 1}} | REFRESH, **SILENT)
        until(lambda: [call["result"] for call in self.calls("didReceiveRemoteNotification")] == ["newData"], "the result")
        self.clock_runs(True)
        assert "Loaded 1 times" in self.texts()
        self.set(state="foreground")
        until(lambda: "Loaded 2 times" in self.texts(), "it is loaded")

    def hang(self):
        """an app that hangs in the background: the device takes its time away after 30 seconds, and the app goes on later"""
        self.hour()
        self.to_background()
        self.stage.processes[self.name].send_signal(signal.SIGSTOP)
        self.clock_runs(False)
        self.push({"aps": {"content-available": 1}} | REFRESH, **SILENT)
        call = self.calls("didReceiveRemoteNotification")[-1]
        assert call["result"] is None and not call["missedDeadline"], call
        self.stage.control("POST", "/v1/clock:advance", {"seconds": 31})
        call = self.calls("didReceiveRemoteNotification")[-1]
        assert call["result"] is None and call["missedDeadline"], call
        self.stage.processes[self.name].send_signal(signal.SIGCONT)
        self.clock_runs(True)
        self.set(state="foreground")
        # The push and the way to the screen may each load it.
        until(lambda: self.loads() >= 3, "the app goes on")

    def ended(self):
        """the system has ended the app: a silent push launches it"""
        self.set(state="notLaunched")
        self.wait_for_end()
        self.clock_runs(False)
        self.push({"aps": {"content-available": 1}} | REFRESH, **SILENT)
        assert self.calls("didReceiveRemoteNotification")[-1]["launches"]
        self.launch(by_system=True)
        until(lambda: self.calls("didReceiveRemoteNotification")[-1]["result"] == "newData", "the result")
        self.clock_runs(True)

    def reopened(self):
        """the system has ended it once more before the person opens it: what the silent push told of is loaded"""
        self.set(state="notLaunched")
        self.wait_for_end()
        self.launch()
        until(lambda: "Loaded 1 times" in self.texts(), "the process that comes after loads it")
        due = os.path.join(self.container, "Apus", "refresh-refresh_dashboard.json")
        until(lambda: open(due).read() == "{}", "what is loaded is due no more")

    def force_quit(self):
        """force-quit: silent pushes come to nothing, an alert is shown, and its tap opens the app"""
        self.set(state="forceQuit")
        self.wait_for_end()
        self.hour()
        count = len(self.calls("didReceiveRemoteNotification"))
        self.push({"aps": {"content-available": 1}} | REFRESH, **SILENT)
        assert len(self.calls("didReceiveRemoteNotification")) == count
        self.push({"aps": {"alert": {"title": "Look"}}} | REFRESH, collapseID="look")
        assert [entry["identifier"] for entry in self.shown()][-1] == "look"
        self.stage.control("POST", f"/v1/devices/{self.phone}/shown/look/response")
        self.launch()
        # The tap is there before the view that watches for it.
        until(lambda: {"Loaded 1 times", "Look"} <= set(self.texts()), "the tap reaches its handler and the view")

    def restore(self):
        """restored to a new phone: another token, and an installation of its own"""
        old = self.registered()
        self.stage.stop(self.name)
        self.phone = self.stage.control("POST", f"/v1/devices/{self.phone}/restore")["id"]
        self.container = self.stage.path("home-2")
        self.launch()
        new = until(self.registered, "the new phone is registered")
        assert new["device"] != old["device"] and new["token"] != old["token"]

    def ride(self):
        """a Live Activity from the app: the scheduler changes it on time, the app ends it"""
        path = f"/v1/apps/{self.stage.app}/activities"
        self.tap("Start ride")
        rides = until(lambda: self.stage.admin("GET", f"{path}?type=RideAttributes")["activities"], "the server knows it")
        ride = f"{path}/{rides[0]['id']}"
        until(lambda: self.stage.admin("GET", f"{ride}/participants")["participants"][0]["hasToken"], "the token")
        plan = {"instant": "endsAt", "offsetSeconds": -900, "patch": {"fee": 999}}
        self.stage.admin("PUT", f"{ride}/transitions/ending", plan)
        # The app reads the machine's clock, and the simulator's is hours ahead by now: then the change is due at once, and a
        # push that is under way while the clock is moved would be ignored for its old timestamp.
        due = self.stage.admin("GET", f"{ride}/transitions")["transitions"][0]["dueAt"]
        if due > self.stage.control("GET", "/v1/clock")["now"]:
            self.stage.control("POST", "/v1/clock:advance", {"seconds": 1000})
        until(lambda: self.activities()[0]["contentState"]["fee"] == 999, "the scheduler's change is shown")
        self.tap("Stop ride")
        until(lambda: self.activities()[0]["state"] == "dismissed", "the app has ended it")

    def outage(self):
        """an hour without the server, which is killed: what the app has to say waits on disk, and is told when it is back"""
        path = f"/v1/apps/{self.stage.app}/activities"
        port = urlsplit(self.stage.url).port
        self.stage.stop("serve", kill=True)
        # A start is refused until the app has taken in the end of the ride before.
        running = until(lambda: self.tap("Start ride") or self.running(), "the ride is shown all the same")
        ride = f"{path}/{running[0]['attributes']['ride']}"
        slot = f"activity {running[0]['attributes']['ride']}"
        until(lambda: f"{slot}: no answer; tried again later" in self.stage.log(self.name), "the app finds no server")
        with open(os.path.join(self.container, "Apus", "uploads.json")) as file:
            assert slot in file.read()
        self.hour()
        self.stage.serve(port)
        # The person opens the app.
        self.to_background()
        self.set(state="foreground")
        until(lambda: f"{slot}: the server has it" in self.stage.log(self.name), "the app finds the server")
        participant = self.stage.admin("GET", f"{ride}/participants")["participants"][0]
        assert participant["hasToken"], participant
        self.stage.admin("PATCH", ride, {"patch": {"fee": 777}})
        until(lambda: self.running()[0]["contentState"]["fee"] == 777, "the change by the server that is back")
        self.tap("Stop ride")
        until(lambda: not self.running(), "the app has ended it")

    def ride_by_server(self):
        """a Live Activity from the server, for an app that does not run: it is launched, and its token brings the next change"""
        path = f"/v1/apps/{self.stage.app}/activities"
        self.set(state="notLaunched")
        self.wait_for_end()
        start = {
            "id": "server-ride", "attributesType": "RideAttributes", "attributes": {"ride": "server-ride"},
            "contentState": {"fee": 1, "distance": 0, "endsAt": 0}, "alert": {"title": "Ride", "body": "It begins"},
            "devices": [self.registered()["device"]],
        }
        receipt = self.stage.admin("POST", path, start)
        assert not receipt.get("notStartable"), receipt
        until(self.running, "the push has started it")
        assert self.calls("activityUpdates")[-1]["launches"]
        self.launch(by_system=True)
        self.stage.control("PATCH", f"/v1/devices/{self.phone}/apps/{self.stage.app}/live-activities", {"allowed": True})
        until(
            lambda: self.stage.admin("GET", f"{path}/server-ride/participants")["participants"][0]["hasToken"],
            "the app has told its token",
        )
        self.stage.admin("PATCH", f"{path}/server-ride", {"patch": {"fee": 2}})
        until(lambda: self.running()[0]["contentState"]["fee"] == 2, "the change is shown")
        self.stage.admin("PATCH", f"{path}/server-ride", {"end": {"dismissal": "immediate"}})
        until(lambda: not self.running(), "it is over")

    def offline(self):
        """an hour without a connection: the newest notification is there afterwards, and no other"""
        device = f"/v1/devices/{self.phone}"
        self.stage.control("PATCH", device, {"online": False})
        for number in (1, 2):
            self.push({"aps": {"alert": f"{number}"}}, collapseID=f"offline-{number}")
        self.hour()
        self.stage.control("PATCH", device, {"online": True})
        names = [entry["identifier"] for entry in self.shown()]
        assert "offline-2" in names and "offline-1" not in names, names

    def uninstall(self):
        """removed: the app's process ends, APNs answers 410, and the server sends nothing there any more"""
        token = self.token
        self.stage.control("DELETE", f"/v1/devices/{self.phone}/apps/{self.stage.app}")
        self.wait_for_end()
        body = {"targets": {"tokens": [token]}, "payload": {"aps": {"alert": "?"}}}
        counts = self.stage.send(body)["counts"]
        assert counts["delivered"] == 0 and counts["rejected"] == {"Unregistered": 1}, counts
        until(lambda: self.registered(token)["status"]["state"] == "invalid", "the token is marked as dead")


def main():
    began = time.monotonic()
    with Stage(sys.argv[1]) as stage:
        day = Day(stage, os.path.abspath(sys.argv[2]))
        try:
            day.play()
        except BaseException:
            print(stage.log(day.name) if hasattr(day, "name") else "", file=sys.stderr)
            raise
    total = time.monotonic() - began
    print(f"{total:6.2f} s  the day")
    assert total < 60, "the day takes too long for anybody to run it often"


if __name__ == "__main__":
    main()
