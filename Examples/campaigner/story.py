# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""A game with many players: a push server that stores their tokens, and one that is handed tokens by a chat.

Counts come from the devices of two simulators, production and sandbox, never from the server.
"""

import json
import os
import subprocess
import sys
import time
from datetime import datetime, timedelta, timezone

import example
import proxy_client
from stage import Stage, until

APP = "com.example.game"
#: The appid under which programs with the protocol of apns-proxy-server name the app.
APP_NUMBER = "14"
BAD_SHARE = 0.01
#: How many tokens of development builds are stored as those of production: 1 of so many.
STRAY_PER = 1000
ROOM, MESSAGES = 500, 10
#: One of so many players has level gold, and one of so many speaks Japanese.
GOLD_PER, JAPANESE_PER = 5, 2


class GameStage(Stage):
    """A stage with a population of devices, and a second simulator for the other environment."""

    def __init__(self, apus, players):
        self.players, self.strays = players, max(10, players // STRAY_PER)
        self.population = population(players, 1) + ["--invalid-rate", str(BAD_SHARE), "--unregistered-rate", str(BAD_SHARE)]
        super().__init__(
            apus,
            app=APP,
            environment="production",
            simulator_arguments=self.population,
            server_arguments=["--proxy-port", "0", "--proxy-pull-port", "0", "--proxy-apps", f"{APP_NUMBER}={APP}"],
        )

    def serve(self, port=0):
        arguments = ["--json", "--exit-on-stdin-close", "--environment", "sandbox", "--dir", self.path("sandbox")]
        arguments += population(self.strays, 2)
        self.sandbox = self.start("sandbox", [self.apus, "simulate", *arguments])
        self.server_arguments += ["--apns-sandbox-host", "localhost", "--apns-sandbox-port", str(self.sandbox["port"])]
        self.server_arguments += ["--apns-sandbox-ca", self.sandbox["caPath"]]
        super().serve(port)
        self.sandbox_control = type(self.control)(f"http://127.0.0.1:{self.sandbox['controlPort']}")

    def _role(self, name, *arguments):
        ready = super()._role(name, *arguments)
        if name == "serve":
            self.proxy_port = ready["proxyPort"]
        return ready

    def tokens(self, arguments, *more):
        """The tokens of a population, one after another, as `apus simulate tokens` prints them."""
        command = [self.apus, "simulate", "tokens", *arguments, *more]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout:
                yield line.strip()
        assert process.returncode == 0, command


def population(count, seed):
    return ["--population", str(count), "--population-app", APP, "--population-seed", str(seed)]


class Game:
    def __init__(self, story, stage):
        self.story, self.stage, self.figures = story, stage, []
        path = f"/v1/apps/{APP}"
        self.path = path
        with open(stage.sandbox["keyPath"]) as file:
            key = {"type": "key", "p8": file.read(), "environments": ["sandbox"]}
        key |= {"keyID": stage.sandbox["keyID"], "teamID": stage.sandbox["teamID"]}
        stage.admin("POST", f"{path}/credentials", key)
        self.environment = {"APUS_URL": stage.url, "APUS_API_KEY": stage.admin.key}
        self.phones = {name: self.boot() for name in ("yuki", "ren", "sora")}

    def boot(self):
        device = self.stage.phone(permission="authorized", state="background")
        return device, self.stage.device(device)["tokens"][APP]

    # What the devices have received

    def delivered(self):
        """How many notifications the devices of both simulators have received."""
        return sum(self.counters(control)["delivered"] for control in self.controls)

    def rejected(self):
        return sum(sum(self.counters(control)["rejected"].values()) for control in self.controls)

    @property
    def controls(self):
        return self.stage.control, self.stage.sandbox_control

    @staticmethod
    def counters(control):
        return control("GET", "/v1/info")["counters"]

    def wait_for(self, count, since, what):
        """Waits until the devices have received so many more, and fails if they receive one too many."""
        limit = 60 + self.stage.players / 1000
        until(lambda: self.delivered() - since >= count, f"{what}: {count} devices have received it", limit)
        received = self.delivered() - since
        assert received == count, f"{what}: {received} notifications were received, expected {count}"
        self.story.count(received=received)

    def inbox(self, name):
        """The payloads that a phone has received, oldest first."""
        return [one["payload"] for one in self.stage.device(self.phones[name][0])["notifications"]]

    def bodies(self, name):
        return [payload["aps"]["alert"]["body"] for payload in self.inbox(name) if "alert" in payload["aps"]]

    def everyone_shows(self, body, names=None):
        for name in names or self.phones:
            assert self.bodies(name)[-1:] == [body], (name, self.bodies(name))

    def figure(self, what, document, seconds, count):
        self.figures.append((what, document, f"{count:,} in {seconds:.2f} s, {count / max(seconds, 1e-6):,.0f} per second"))

    # The story

    def play(self):
        step = self.story.step
        with step(f"the game hands over its table of {self.stage.players:,} players by a pipe, as it is"):
            self.import_players()
        with step("token validation: silent pushes find the bad tokens, and those of the other environment"):
            self.validate()
        with step("a game event begins: a campaign to everyone, at a time, and nobody looks at errors"):
            self.game_event()
        with step("a campaign to a segment: gold players who read Japanese"):
            self.segment()
        with step("five devices, of which B and D are bad: C and E receive the notification all the same"):
            self.five_devices()
        with step(f"a chat room of {ROOM} members: {MESSAGES} messages over a stream"):
            self.chat_by_stream()
        with step("the same room over the protocol of apns-proxy-server"):
            self.chat_by_proxy()
        with step("a mention, to all devices of one user"):
            self.mention()
        with step("the document's performance test: devices in airplane mode, expiration 0, some bad tokens"):
            self.airplane_mode()
        self.compare()

    def import_players(self):
        """The players as their table has them; it takes every token for one of production."""
        self.invalid, self.unregistered = (
            list(self.stage.tokens(self.stage.population, "--only", kind)) for kind in ("invalid", "unregistered")
        )
        self.bad = {*self.invalid, *self.unregistered}
        command = [self.stage.apus, "devices", "import", APP, "-", "--format", "csv", "--json"]
        command += ["--columns", "device=installation,token=apns_token,userID=member,tags.level=level,locale=language"]
        command += ["--url", self.stage.url]
        self.room, self.valid, self.segment_size = [], 0, 0
        began = time.monotonic()
        with open(self.stage.path("import.txt"), "w+") as answers:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=answers, env=os.environ | self.environment)
            with process.stdin as pipe:
                pipe.write(b"installation,member,apns_token,level,language,score\n")
                for rows in chunks(self.rows(), 10_000):
                    pipe.write("".join(rows).encode())
            assert process.wait() == 0
            answers.seek(0)
            end = json.loads(answers.readlines()[-1])
        seconds = time.monotonic() - began
        rows = self.stage.players + self.stage.strays + len(self.phones)
        assert (end["imported"], end["rejected"]) == (rows, 0), end
        self.figure("tokens stored", "-", seconds, rows)
        self.story.count(devices=rows)
        self.story.note(f"{rows:,} tokens in {seconds:.2f} s; {len(self.bad):,} of them bad, {self.stage.strays:,} of development builds")

    def rows(self):
        for number, token in enumerate(self.stage.tokens(self.stage.population)):
            level, language = player(number)
            if token not in self.bad:
                self.valid += 1
                self.segment_size += (level, language) == ("gold", "ja")
                if len(self.room) < ROOM:
                    self.room.append(token)
            yield f"i-{number},m-{number},{token},{level},{language},{number * 7}\n"
        for number, token in enumerate(self.stage.tokens(population(self.stage.strays, 2))):
            self.valid += 1
            yield f"d-{number},developer,{token},silver,en,0\n"
        for name, (_, token) in self.phones.items():
            self.valid += 1
            self.segment_size += 1
            yield f"phone-of-{name},{name},{token},gold,ja,0\n"

    def validate(self):
        since = self.delivered()
        body = {"durationSeconds": 0, "fixEnvironment": True, "name": "before the event"}
        began = time.monotonic()
        one = self.stage.admin("POST", f"{self.path}/token-validations", body)["id"]
        path = f"{self.path}/token-validations/{one}"
        limit = 60 + self.stage.players / 500
        state = until(lambda: (lambda now: now["state"] == "completed" and now)(self.stage.admin("GET", path)), "it is over", limit)
        seconds = time.monotonic() - began
        report = state["report"]
        assert report["invalid"] + report["unregistered"] == len(self.bad), (report, len(self.bad))
        assert report["otherEnvironment"] == report["fixed"] == self.stage.strays, report
        assert report["valid"] == self.valid - self.stage.strays and not report["inconclusive"].get("failed"), report
        self.wait_for(self.valid, since, "the silent push")
        for name in self.phones:
            assert self.inbox(name) == [{"aps": {"content-available": 1}}], self.inbox(name)
            assert not self.stage.device(self.phones[name][0])["shown"], "a silent push was shown"
        for token in self.invalid[:3] + self.unregistered[:3]:
            device, = self.stage.admin("POST", f"{self.path}/devices:search", {"token": token})["devices"]
            assert device["status"]["state"] == "invalid", device
        self.story.count(bad=len(self.bad), fixed=report["fixed"])
        waiting = "10,000 in 83 min, waiting 0.5 s for each error"
        self.figure("token validation, errors checked", waiting, seconds, self.valid + len(self.bad))
        self.story.note(
            f"{report['invalid']:,} bad in both environments and {report['unregistered']:,} unregistered are invalid now; "
            f"{report['fixed']:,} belonged to the sandbox"
        )

    def campaign(self, name, body, count, audience, start=None):
        """A campaign until the last device has received it; returns the seconds since its start."""
        since, rejected = self.delivered(), self.rejected()
        request = {"name": name, "audience": audience, "message": {"default": {"notification": {"title": name, "body": body}}}}
        if start:
            request["start"] = {"at": start.isoformat().replace("+00:00", "Z")}
        began = time.time()
        self.stage.admin("POST", f"{self.path}/campaigns", request)
        if start:
            began = start.timestamp()
            assert self.delivered() == since, "it began before its time"
        self.wait_for(count, since, name)
        seconds = time.time() - began
        assert self.rejected() == rejected, f"{name}: APNs rejected {self.rejected() - rejected}"
        self.everyone_shows(body)
        return seconds

    def game_event(self):
        start = datetime.now(timezone.utc).replace(microsecond=0) + timedelta(seconds=4)
        seconds = self.campaign("Dragon festival", "The dragon has come to town.", self.valid, {"all": True}, start)
        self.figure("game event to everyone, at a time", "1,000,000 within 1 min is wanted", seconds, self.valid)
        self.story.note(f"{self.valid:,} devices {seconds:.2f} s after its time; APNs rejected none")

    def segment(self):
        audience = {"and": [{"tag": {"name": "level", "equals": "gold"}}, {"locale": "ja"}]}
        seconds = self.campaign("Gold week", "A present for gold players.", self.segment_size, audience)
        self.figure("campaign to a segment", "-", seconds, self.segment_size)

    def stream(self, name, tokens, body, expects=0):
        """Sends one payload to tokens through Examples/stream.py; returns what it prints."""
        path = self.stage.path(f"{name}.txt")
        with open(path, "w") as file:
            file.write("".join(token + "\n" for token in tokens))
        payload = {"aps": {"alert": {"title": "Guild", "body": body}, "sound": "default"}}
        command = [sys.executable, "-B", os.path.join(example.ROOT, "Examples", "stream.py"), "--quiet", "--app", APP]
        command += ["--stream", f"{name}-{body}", "--payload", json.dumps(payload), path]
        run = subprocess.run(command, env=os.environ | self.environment, capture_output=True, text=True, timeout=300)
        assert run.returncode == expects, run.stdout[-500:] + run.stderr[-2000:]
        return [json.loads(line) for line in run.stdout.splitlines()]

    def five_devices(self):
        (_, a), (_, c), (_, e) = self.phones.values()
        since = self.delivered()
        failures = self.stream("five", [a, self.invalid[0], c, self.unregistered[0], e], "to A, B, C, D and E", expects=1)
        assert sorted(one["line"] for one in failures) == [2, 4], failures
        self.wait_for(3, since, "the three good ones")
        self.everyone_shows("to A, B, C, D and E")
        self.story.note(", ".join(f"{'ABCDE'[one['line'] - 1]}: {one['reason']}" for one in sorted(failures, key=lambda one: one["line"])))

    def chat_by_stream(self):
        members = self.room + [token for _, token in self.phones.values()]
        since, began = self.delivered(), time.monotonic()
        for number in range(MESSAGES):
            self.stream("room", members, f"message {number}")
        self.wait_for(MESSAGES * len(members), since, "the messages")
        self.figure(f"chat room over {MESSAGES} streams", "no HTTP request for each", time.monotonic() - began, MESSAGES * len(members))
        self.everyone_shows(f"message {MESSAGES - 1}")
        self.large_room()

    def large_room(self):
        bad = self.invalid[:5]
        count = min(100_000, self.stage.players * 9 // 10) - len(bad)
        members = list(self.stage.tokens(self.stage.population, "--only", "valid", "--count", str(count)))
        since, began = self.delivered(), time.monotonic()
        failures = self.stream("large-room", members[: count // 2] + bad + members[count // 2 :], "the war begins", expects=1)
        assert len(failures) == len(bad), failures
        self.wait_for(count, since, "the large room")
        seconds = time.monotonic() - began
        self.figure("a stream, some bad tokens in it", "100,000 within 30 s is wanted", seconds, count + len(bad))

    def chat_by_proxy(self):
        members = self.room + [token for _, token in self.phones.values()]
        gone = self.unregistered[0]
        since, began = self.delivered(), time.monotonic()
        with proxy_client.ProxyClient(self.stage.proxy_port, APP_NUMBER) as client:
            for number in range(MESSAGES):
                alert = {"title": "Guild", "body": f"proxy message {number}"}
                for token in members:
                    client.send(token, alert=alert, sound="default", custom={"room": "guild"})
            self.wait_for(MESSAGES * len(members), since, "the messages")
            seconds = time.monotonic() - began
            self.figure("chat room over apns-proxy", "its own protocol", seconds, MESSAGES * len(members))
            client.send(gone, alert="Are you there?")
            dead = until(lambda: client.feedback(), "the feedback names a dead token")
            assert gone in dead, dead
        for name in self.phones:
            ours = [payload for payload in self.inbox(name) if payload.get("room") == "guild"]
            bodies = sorted(payload["aps"]["alert"]["body"] for payload in ours)
            assert bodies == sorted(f"proxy message {number}" for number in range(MESSAGES)), (name, bodies)
        self.story.note(f"the feedback names the token of a removed app: {gone[:8]}…")

    def mention(self):
        since, began = self.delivered(), time.monotonic()
        body = {"targets": {"users": ["yuki"]}, "notification": {"title": "ren", "body": "@yuki are you coming?"}}
        answer = self.stage.send(body)
        milliseconds = (time.monotonic() - began) * 1000
        assert answer["counts"]["delivered"] == 1, answer
        self.wait_for(1, since, "the mention")
        self.everyone_shows("@yuki are you coming?", ["yuki"])
        self.figures.append(("a mention, until APNs has responded", "0.3 to 0.7 s for an error", f"{milliseconds:.0f} ms"))

    def airplane_mode(self):
        count, bad = min(100_000, self.stage.players * 9 // 10), 5
        tokens = list(self.stage.tokens(self.stage.population, "--only", "valid", "--count", str(count - bad))) + self.invalid[:bad]
        before = self.counters(self.stage.control)
        self.stage.control("PATCH", "/v1/population", {"online": False})
        body = {"targets": {"tokens": tokens}, "notification": {"title": "Test", "body": "nobody sees this"}, "expiration": 0}
        began = time.monotonic()
        one = self.stage.admin("POST", f"{self.path}/notifications", body)["id"]
        path = f"{self.path}/notifications/{one}"
        done = until(lambda: (lambda now: now["remaining"] == 0 and now)(self.stage.admin("GET", path)), "all have an outcome", 300)
        seconds = time.monotonic() - began
        assert sum(done["counts"]["rejected"].values()) == bad, done
        self.stage.control("PATCH", "/v1/population", {"online": True})
        after = self.counters(self.stage.control)
        sent = len(tokens)
        assert after["requests"] - before["requests"] >= sent and after["accepted"] - before["accepted"] == sent - bad, after
        assert after["delivered"] == before["delivered"], "a device received a notification that had expired"
        self.story.count(sentWithoutReceivers=sent - bad)
        self.figure("the performance test, some bad tokens", "100,000 within 30 s is wanted", seconds, sent)
        self.story.note(f"{sent:,} in {seconds:.2f} s; back online, no device received any")

    def compare(self):
        widths = [max(len(row[column]) for row in self.figures) for column in range(3)]
        self.story.say("")
        for row in [("", "the document", "here"), *self.figures]:
            self.story.say("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
        self.story.say("")


def player(number):
    """Level and language of a player."""
    return "gold" if number % GOLD_PER == 0 else "silver", "ja" if number % JAPANESE_PER == 0 else "en"


def chunks(items, size):
    part = []
    for item in items:
        part.append(item)
        if len(part) == size:
            yield part
            part = []
    if part:
        yield part


def players(text):
    count = int(text)
    if count < 2000:
        raise ValueError("the story needs some bad tokens, and a chat room of members")
    return count


def add_options(parser):
    parser.add_argument("--devices", type=players, default=20_000, help="the number of players, from 2000; default 20000")


def play(story, stage):
    Game(story, stage).play()
    story.hints += [
        f"apus campaign create {APP} --title Hello --body 'to everyone' --watch",
        f"apus tokens validate {APP} --duration 0 --fix-environment --watch",
        f"curl -s {stage.control.base}/v1/info | jq .counters",
    ]


example.tell("campaigner", play, add_options, make_stage=lambda options: GameStage(options.apus, options.devices))
