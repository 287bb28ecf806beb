# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""A worker writes a summary and publishes to an SNS topic; the apps reload it, show a badge, or are opened by a tap."""

import datetime
import json
import os
import sys
import zoneinfo

from app import App
from aws import REGION, key_environment, run_json
from database import PostgresServer
from example import app, tell
from stage import until

HERE = os.path.dirname(os.path.abspath(__file__))
ACCOUNT, TOPIC = "123456789012", "watchme-dashboard-updates"
TOPIC_ARN = f"arn:aws:sns:{REGION}:{ACCOUNT}:{TOPIC}"
DEVICES = ["1cf67321-f1aa-4c51-b642-cbd7837c45d5", "9f1d52c3-6a0e-4f0b-9d07-52f1b3f0a7be"]
#: The number of runs in a day, for one device.
RUNS = 48
#: What AWS Lambda sets for the role of a function, and what no server but AWS can check.
SESSION = {"AWS_SESSION_TOKEN": "IQoJb3JpZ2luX2VjEJr//////////wEaDmFwLW5vcnRoZWFzdC0x"}
ROLE = SESSION | {
    "AWS_ACCESS_KEY_ID": "ASIAIOSFODNN7EXAMPLE",
    "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
}


def zone():
    """Tokyo, unless the day is about to end there: then today would change during the story."""
    tokyo = zoneinfo.ZoneInfo("Asia/Tokyo")
    return tokyo if datetime.datetime.now(tokyo).hour < 23 else zoneinfo.ZoneInfo("Europe/Berlin")


class Phone(App):
    """A phone with the app of one device."""

    def __init__(self, system, device, number):
        self.system, self.device = system, device
        environment = system.supabase | {
            "APUS_DEVICE_PERSON": "allows",
            "WATCHME_DEVICE": device,
            "WATCHME_TIME_ZONE": system.zone.key,
        }
        super().__init__(system.stage, f"phone-{number}", app("watchme-app"), system.stage.phone(), environment)

    @property
    def info(self):
        return self.stage.device(self.phone)

    @property
    def installed(self):
        """The app as it is on the phone: its state, badge and so on."""
        return next(one for one in self.info["apps"] if one["bundleID"] == self.stage.app)

    def shows(self, today, yesterday="no data"):
        """Waits until the screen shows these summaries."""
        expected = [f"{self.system.day(0)}: {today}", f"{self.system.day(1)}: {yesterday}"]
        until(lambda: self.texts() == expected, f"the screen shows {expected}", 30)

    def loads(self):
        """How often the app has loaded a day from the database."""
        return self.stage.log("rest").count(f"GET /rest/v1/dashboard_summary?device_id=eq.{self.device}")


class System:
    """The database, the topic, the platform application and the worker."""

    def __init__(self, stage):
        self.stage, self.zone = stage, zone()
        self.admin = key_environment(stage, stage.make_key("--scope", "admin", "--access-key"))
        self.worker, self.runs = None, 0

    def day(self, ago):
        return str(datetime.datetime.now(self.zone).date() - datetime.timedelta(days=ago))

    def start_database(self):
        self.database = self.stage.resources.enter_context(PostgresServer())
        with open(os.path.join(HERE, "schema.sql"), encoding="utf-8") as file:
            self.database.run(file.read())
        for device in DEVICES:
            self.database.run("INSERT INTO devices VALUES (:'device')", device=device)
        command = [sys.executable, "-B", os.path.join(HERE, "rest.py"), self.database.url]
        port = self.stage.start("rest", command)["port"]
        self.supabase = {"SUPABASE_URL": f"http://127.0.0.1:{port}", "SUPABASE_KEY": "anon"}

    def aws(self, *arguments):
        return run_json(["aws", "sns", *arguments], self.admin)

    def create_topic(self):
        arn = self.aws("create-topic", "--name", TOPIC, "--region", REGION)["TopicArn"]
        assert arn == TOPIC_ARN, arn

    def create_application(self):
        """The platform application, with a certificate of the simulator as a .p12."""
        p12 = self.stage.control("POST", "/v1/certificates", {"bundleID": self.stage.app, "password": ""})["p12"]
        self.application = self.aws(
            "create-platform-application", "--name", "watchme-ios-app", "--platform", "APNS",
            "--attributes", f"PlatformCredential={p12}",
        )["PlatformApplicationArn"]

    def create_endpoints(self):
        environment = self.admin | self.supabase | {"PLATFORM_APPLICATION_ARN": self.application}
        return run_json([sys.executable, "-B", os.path.join(HERE, "worker", "endpoints.py")], environment)

    def start_worker(self):
        """Starts the function with the environment that AWS Lambda and its configuration give it, and nothing else."""
        key = self.stage.make_key("--scope", "send", "--access-key", "--policy", os.path.join(HERE, "policy.json"))
        self.key_environment = key_environment(self.stage, key, **SESSION)
        wrapper = os.path.join(HERE, "worker", "apus-keys")
        environment = self.key_environment | ROLE | self.supabase | {
            "APUS_KEY_ID": key["accessKeyID"],
            "APUS_KEY_SECRET": key["secretAccessKey"],
            "AWS_LAMBDA_EXEC_WRAPPER": wrapper,
            "AWS_LAMBDA_FUNCTION_NAME": "watchme-dashboard-analysis-worker",
            "AWS_REGION": REGION,
            "LAMBDA_TASK_ROOT": os.path.join(HERE, "worker"),
            "_HANDLER": "main.lambda_handler",
        }
        command = [f"{name}={value}" for name, value in environment.items()]
        command += [wrapper, sys.executable, "-B", os.path.join(HERE, "runtime.py")]
        self.stage.start("worker", ["env", "-i", *command])

    def run_worker(self, device, level):
        """Calls the function with a recording; returns the summary."""
        process = self.stage.processes["worker"]
        event = {"device_id": device, "date": self.day(0), "levels": [level, level + 1]}
        process.stdin.write(json.dumps(event).encode() + b"\n")
        process.stdin.flush()
        result = json.loads(process.stdout.readline())
        assert result.get("sent"), (result, self.stage.log("worker"))
        self.runs += 1
        return result["summary"]


def play(story, stage):
    system = System(stage)
    with story.step("the database with the column apns_token, the topic and the platform application"):
        system.start_database()
        system.create_topic()
        system.create_application()
        story.note(f"{TOPIC_ARN}\n          {system.application}")

    with story.step("two phones ask for permission and save their tokens in devices.apns_token"):
        phones = [Phone(system, device, number) for number, device in enumerate(DEVICES, 1)]
        for phone in phones:
            phone.says("saved to Supabase")
            phone.shows("no data")
            saved, = system.database.rows("SELECT apns_token FROM devices WHERE device_id = :'device'", device=phone.device)
            assert saved["apns_token"] == phone.info["tokens"][stage.app], saved

    with story.step("an endpoint for each token, subscribed to the messages of its device"):
        endpoints = system.create_endpoints()
        assert sorted(endpoints) == sorted(DEVICES) and system.create_endpoints() == endpoints, endpoints
        story.count(endpoints=len(endpoints))

    with story.step("the worker starts as in AWS Lambda, with a session token and its key in the environment"):
        system.start_worker()

    phone, other = phones
    foreground(story, system, phone)
    background_and_tap(story, system, phone)
    rights(story, system)
    day(story, stage, system, phone, other)


def foreground(story, system, phone):
    with story.step("foreground: the push removes today from the cache, and the app loads it again"):
        system.database.run(
            "INSERT INTO dashboard_summary (device_id, date, summary) VALUES (:'device', :'date', 'changed since')",
            device=phone.device, date=system.day(1),
        )
        loads = phone.loads()
        summary = system.run_worker(phone.device, 50)
        # Yesterday stays as it was loaded before, although the database has other data: it was not removed.
        phone.shows(summary, yesterday="no data")
        assert phone.loads() == loads + 1, (loads, phone.loads())
        until(lambda: set(phone.installed["presentation"]) == {"banner", "sound"}, "it is presented with banner and sound")
        story.count(foreground=1)
        story.note(f"today: {summary}; yesterday is still in the cache")


def background_and_tap(story, system, phone):
    with story.step("background: the badge only; nothing is loaded"):
        phone.set(state="background")
        shown, loads, before = len(phone.shown()), phone.loads(), phone.texts()
        summary = system.run_worker(phone.device, 60)
        until(lambda: len(phone.shown()) == shown + 1, "the push is in the list")
        assert phone.installed["badge"] == 1, phone.installed
        assert (phone.loads(), phone.texts()) == (loads, before), phone.texts()
        story.count(background=1)

    with story.step("a tap opens the app, which loads today again"):
        identifier = phone.shown()[-1]["identifier"]
        phone.stage.control("POST", f"/v1/devices/{phone.phone}/shown/{identifier}/response")
        phone.shows(summary)
        phone.says("Notification tapped")
        # One since the app left the screen: that of the tap.
        assert phone.installed["state"] == "foreground" and phone.loads() == loads + 1, phone.installed
        story.count(taps=1)


def rights(story, system):
    """What the policy does not allow to the worker's key."""
    with story.step("the worker's key may publish to this topic and do nothing else"):
        other = system.aws("create-topic", "--name", "other")["TopicArn"]
        for command in (
            ["create-topic", "--name", "another"],
            ["publish", "--topic-arn", other, "--message", "?"],
            ["list-endpoints-by-platform-application", "--platform-application-arn", system.application],
        ):
            try:
                run_json(["aws", "sns", *command], system.key_environment)
            except AssertionError as refused:
                assert "AuthorizationError" in str(refused), refused
            else:
                raise AssertionError(f"the worker's key may {command[0]}")
            story.count(refused=1)


def day(story, stage, system, phone, other):
    with story.step(f"the rest of a day: {RUNS} runs for each device"):
        phone.set(state="background")
        done = system.runs
        for device, runs in ((phone.device, RUNS - done), (other.device, RUNS)):
            for run in range(runs):
                summary = system.run_worker(device, 40 + run)
        for one in (phone, other):
            until(lambda one=one: len(one.info["notifications"]) == RUNS, f"{one.name} received {RUNS} pushes")
        other.shows(summary)
        received = sum(len(one.info["notifications"]) for one in (phone, other))
        story.count(published=system.runs, received=received)
        assert received == system.runs == 2 * RUNS, (received, system.runs)
    keys = {name: system.admin[name] for name in ("AWS_ENDPOINT_URL_SNS", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")}
    story.hints += [
        "export " + " ".join(f"{name}={value}" for name, value in keys.items()),
        f"{os.path.join(os.path.dirname(sys.executable), 'aws')} sns publish --region {REGION} --topic-arn {TOPIC_ARN}"
        f" --message Hello --message-attributes 'device_id={{DataType=String,StringValue={phone.device}}}'",
        f"curl '{system.supabase['SUPABASE_URL']}/rest/v1/devices'",
        f"open {stage.control.base}/   # the phones in a browser",
    ]


tell(
    "watchme", play, app="com.example.watchme", environment="production",
    server_arguments=["--sns-account", ACCOUNT, "--sns-ignore-session-token", "true"],
)
