# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""An app as a process on a virtual device, and the hands of the person who has it."""

import json
import queue
import threading

from stage import until


class App:
    def __init__(self, stage, name, executable, phone, environment=None):
        self.stage, self.name, self.phone = stage, name, phone
        #: What the app has printed.
        self.lines = []
        self._answers = queue.Queue()
        variables = stage.app_environment(phone, stage.path(f"{name}-home")) | stage.environment
        variables |= {"APUS_DEVICE_HANDS": "stdin"} | (environment or {})
        stage.start(name, [executable], variables, ready=False)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.stage.processes[self.name].stdout:
            line = line.decode().rstrip("\n")
            # The answers of the stand-ins are JSON; what an app prints begins otherwise.
            if line.startswith(('"', "[")):
                self._answers.put(json.loads(line))
            else:
                self.lines.append(line)
        self._answers.put(None)

    def _hands(self, line):
        process = self.stage.processes[self.name]
        process.stdin.write(f"{line}\n".encode())
        process.stdin.flush()
        answer = self._answers.get(timeout=60)
        assert answer is not None, f"{self.name} has ended:\n" + "\n".join(self.lines) + self.stage.log(self.name)
        return answer

    def texts(self):
        """What is on its screen."""
        return self._hands("read")

    def tap(self, label):
        answer = self._hands(f"tap {label}")
        assert answer == "tapped", f"{label}: {answer}"

    def type(self, title, text):
        answer = self._hands(f"type {title}={text}")
        assert answer == "typed", f"{title}: {answer}"

    def says(self, words):
        """Waits until the app has printed a line with these words, and returns it."""
        def line():
            # What was printed before an answer has come when that has.
            self.texts()
            return next((line for line in self.lines if words in line), None)

        return until(line, f"{self.name} prints {words!r}")

    def set(self, **traits):
        """Changes what the app is doing, or what the person permits."""
        self.stage.control("PATCH", f"/v1/devices/{self.phone}/apps/{self.stage.app}", traits)

    def activities(self):
        """The Live Activities on the phone, with what they show."""
        return self.stage.control("GET", f"/v1/devices/{self.phone}/activities")["activities"]

    def calls(self, method):
        calls = self.stage.control("GET", f"/v1/devices/{self.phone}/calls")["calls"]
        return [call for call in calls if method in call["call"]]

    def shown(self):
        return self.stage.control("GET", f"/v1/devices/{self.phone}/shown")["shown"]

    def stop(self):
        self.stage.stop(self.name)
