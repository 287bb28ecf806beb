# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""What the stories of the examples share: the command line, the stage, the steps and the result.

    from example import tell

    def play(story, stage):
        with story.step("the app registers"):
            ...
            story.count(registered=1)

    tell("ride", play)

dev/example runs Examples/NAME/story.py with `APUS [--once] [--json]` and the story's own options.
"""

import argparse
import contextlib
import json
import os
import signal
import sys
import time
import traceback

from stage import Stage

#: The directory of the repository, and of the apps that Examples/Package.swift builds.
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
APPS = os.path.join(ROOT, "Examples", ".build", "debug")


class Story:
    """The steps that were told, and what was counted."""

    def __init__(self, name, options):
        self.name, self.options = name, options
        self.steps, self.counts = 0, {}
        #: Lines with commands to try, for a reader of a story that goes on.
        self.hints = []

    def say(self, text):
        print(text, file=sys.stderr, flush=True)

    @contextlib.contextmanager
    def step(self, text):
        """A step: says `text` with the seconds once it is done; `note` adds what was seen."""
        began, self._notes = time.monotonic(), []
        try:
            yield
        except BaseException:
            self.say(f"{time.monotonic() - began:6.2f} s  FAILED: {text}")
            raise
        self.steps += 1
        self.say(f"{time.monotonic() - began:6.2f} s  {text}")
        for note in self._notes:
            self.say(f"          {note}")

    def note(self, text):
        """Something to tell below the line of the step that is under way."""
        self._notes.append(text)

    def count(self, **counts):
        """Adds to the counts of the result."""
        for name, number in counts.items():
            self.counts[name] = self.counts.get(name, 0) + number

    def result(self, succeeded):
        return {"example": self.name, "succeeded": succeeded, "steps": self.steps} | self.counts


def app(name):
    """The executable of an app, or of a widget extension, of Examples/Package.swift."""
    return os.path.join(APPS, name)


def tell(name, play, add_options=None, **stage_options):
    """Plays a story on a stage, and ends the process with its status.

    `add_options` is called with the parser of the command line, for options of the story's own; `stage_options` go to
    `Stage`. With --once the story's processes end with it; otherwise they go on until Ctrl-C.
    """
    parser = argparse.ArgumentParser(prog=f"dev/example {name}")
    parser.add_argument("apus", help=argparse.SUPPRESS)
    parser.add_argument("--once", action="store_true", help="end after the story; otherwise the processes go on")
    parser.add_argument("--json", action="store_true", help="print the result as a JSON object")
    if add_options:
        add_options(parser)
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    story, status = Story(name, options), 1
    try:
        with Stage(options.apus, **stage_options) as stage:
            try:
                play(story, stage)
                status = 0
            except Exception:
                traceback.print_exc()
                for process in stage.processes:
                    lines = stage.log(process).splitlines()[-15:]
                    story.say("\n".join([f"--- the log of {process} ends with:", *lines]))
            _report(story, options, status == 0)
            if status == 0 and not options.once:
                _go_on(story, stage)
    except KeyboardInterrupt:
        status = 130
    sys.exit(status)


def _interrupt(*_):
    raise KeyboardInterrupt


def _report(story, options, succeeded):
    counts = ", ".join(f"{number} {name}" for name, number in story.counts.items())
    story.say(f"{story.name}: {'succeeded' if succeeded else 'FAILED'} after {story.steps} steps; {counts}")
    if options.json:
        print(json.dumps(story.result(succeeded)), flush=True)


def _go_on(story, stage):
    story.say("The processes go on until Ctrl-C. To try:")
    environment = stage.environment
    for hint in [f"export APUS={stage.url} APUS_API_KEY={environment['APUS_STAGE_ADMIN_KEY']}", *story.hints]:
        story.say(f"    {hint}")
    try:
        while True:
            signal.pause()
    except KeyboardInterrupt:
        pass
