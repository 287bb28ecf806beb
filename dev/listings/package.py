# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""Lays the Swift listings out as a package beside what they leave undefined, and builds it against the stand-ins."""

import os
import re
import subprocess

#: The files of each program: a listing by its key, or a file that is added.
PROGRAMS = {
    "LessonApp": [
        "000/1", "000/Imports.swift", "000/Activity+Token.swift", "000/Schedule.swift", "000/Backend.swift",
        "000/LessonApp.swift",
    ],
    "DashboardApp": [
        "001/6", "001/7", "001/Imports.swift", "001/App+Body.swift", "001/SupabaseClientManager.swift",
        "001/SimpleDashboardView+Before.swift",
    ],
    "RidingApp": ["003/1", "003/Imports.swift", "003/ContentView.swift", "003/RidingApp.swift"],
    "RidingWidgets": ["003/1", "003/2", "003/Imports.swift", "003/ActivityConfiguration+Withdrawn.swift"],
}

#: A line of an added file that a listing takes the place of.
PLACE = re.compile(r"^ *// LISTING (\S+)\n", re.MULTILINE)


class Package:
    def __init__(self, root, listings):
        self.root, self.listings = root, listings
        self.directory = os.path.join(root, ".build", "listings")
        self.used = set()

    def build(self):
        """Returns what the compiler wrote."""
        self._write("Package.swift", self._added("Package.swift"))
        wanted = set()
        for program, files in PROGRAMS.items():
            for file in files:
                path = os.path.join("Sources", program, file.replace("/", "-").removesuffix(".swift") + ".swift")
                self._write(path, self._content(file))
                wanted.add(path)
        self._remove_all_but(wanted)
        command = ["swift", "build", "--package-path", self.directory]
        built = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if built.returncode:
            raise RuntimeError(f"the listings do not compile:\n{built.stdout}{built.stderr}")
        return built.stdout + built.stderr

    def executable(self, program):
        return os.path.join(self.directory, ".build", "debug", program)

    def _content(self, file):
        if not file.endswith(".swift"):
            return self._listing(file)
        # A listing's own backslashes are to stay as they are.
        return PLACE.sub(lambda place: self._listing(place[1]), self._added(file))

    def _listing(self, key):
        self.used.add(key)
        return self.listings[key].text

    def _added(self, file):
        with open(os.path.join(self.root, "dev", "listings", file), encoding="utf-8") as added:
            return added.read()

    def _write(self, path, text):
        """Leaves a file alone that is as it is to be: it is not compiled again then."""
        path = os.path.join(self.directory, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.exists(path):
            with open(path, encoding="utf-8", newline="") as file:
                if file.read() == text:
                    return
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)

    def _remove_all_but(self, wanted):
        for directory, _, files in os.walk(os.path.join(self.directory, "Sources")):
            for file in files:
                path = os.path.join(directory, file)
                if os.path.relpath(path, self.directory) not in wanted:
                    os.remove(path)
