# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
"""A simulator in its own process, and calls of its control API."""

import json
import subprocess
import urllib.request

APP = "com.example.app"
CHAT = "com.example.chat"


class Simulator:
    """A simulator that ends with the `with` block.

    `command` is the executable, or the words of a command that runs it, such as `docker run …`. `niceness` lowers its
    priority.
    """

    def __init__(self, command, directory, control_port=0, niceness=0):
        command = [*command, "simulate", "--json", "--exit-on-stdin-close", "--dir", directory]
        command += ["--control-port", str(control_port)]
        if niceness:
            command = ["nice", "-n", str(niceness), *command]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ready = json.loads(self.process.stdout.readline())
        self.port = self.ready["controlPort"]
        self.origin = f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            try:
                self.process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.origin + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as response:
            text = response.read()
        return json.loads(text) if text else None

    def boot(self, *apps, **members):
        return self.call("POST", "/v1/devices", {"apps": apps or [APP]} | members)["id"]

    def push(self, device, alert="Hello", app=APP, **aps):
        body = {"bundleID": app, "payload": {"aps": {"alert": alert} | aps}}
        return self.call("POST", f"/v1/devices/{device}/notifications", body)["apnsID"]

    def change(self, device, **members):
        return self.call("PATCH", f"/v1/devices/{device}", members)

    def change_app(self, device, app=APP, **members):
        return self.call("PATCH", f"/v1/devices/{device}/apps/{app}", members)

    def start_activity(self, device, attributes_type, content_state):
        """Starts a Live Activity, which needs an app in the foreground, and returns its path."""
        self.change_app(device, state="foreground")
        path = f"/v1/devices/{device}/activities"
        body = {"bundleID": APP, "attributesType": attributes_type, "contentState": content_state}
        return f"{path}/{self.call('POST', path, body)['id']}"

    def fleet(self):
        """Boots devices in many states."""
        anna, berta, clara = (self.boot(APP, CHAT, name=name) for name in ("Anna", "Berta", "Clara"))
        dora, emil = (self.boot(name=name) for name in ("Dora", "Emil"))
        self.push(anna, {"title": "يصل خلال ٥ دقائق", "body": "يصل خلال ٥ دقائق"})
        self.push(anna, {"title": "Your ride is here", "body": "Silver van. It waits at the north entrance."}, badge=2,
                  **{"interruption-level": "time-sensitive"})
        for number in range(5):
            alert = {"title": f"Message {number}", "subtitle": "Family", "body": "See you at eight. " * number}
            self.push(berta, alert, CHAT, badge=number)
        self.push(berta, "Good morning")
        self.change(berta, locked=True)
        ride = self.start_activity(clara, "RideAttributes", {"driver": "Kim", "minutes": 5, "fee": 1150})
        lesson = self.start_activity(clara, "LessonAttributes", {"phase": "running", "left": 45})
        self.call("POST", f"{lesson}/end", {"contentState": {"phase": "over", "left": 0}})
        self.call("POST", f"{ride}/update", {"contentState": {"driver": "Kim", "minutes": 4, "fee": 1150}})
        self.push(clara, {"title": "Ben", "body": "On my way"}, CHAT, badge=1)
        self.change(dora, online=False, lowPower=True)
        self.push(dora)
        self.change_app(dora, state="forceQuit")
        self.change_app(emil, permission="denied")
        self.push(emil)
        for name in ("watchOS", "macOS", "iPadOS"):
            self.push(self.boot(name=name, systemName=name), {"title": "Hello", "body": f"Shown on {name}"}, badge=1)
        return {"Anna": anna, "Berta": berta, "Clara": clara, "Dora": dora, "Emil": emil}
