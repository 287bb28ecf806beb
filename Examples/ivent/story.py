# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""An afternoon of the academy schedule: two parents' phones, a backend and a scheduler, with Apus and the simulator."""

import contextlib
import json
import os
import sqlite3
import subprocess
import time
from datetime import datetime, timezone

import example
from app import App
from stage import HTTP, Refused, Stage, until

STAFF_KEY = "staff-of-the-academies"
TYPE = "IVENTActivityAttributes"
MINUTE = 60
#: As a real calendar: (lesson, child, title, minutes from now until its end).
LESSONS = [
    ("piano", "jiu", "Piano", 50),
    ("swimming", "min", "Swimming", 62),
    ("ballet", "jiu", "Ballet", 90),
    # No phone shows it, so the scheduler leaves it alone.
    ("chess", "min", "Chess", 45),
]


class Afternoon:
    def __init__(self, story, stage):
        self.story, self.stage = story, stage
        # A full minute, as in a calendar: lessons end when the scheduler checks.
        self.start = int(self.now() / MINUTE + 1) * MINUTE
        self.ends = {lesson: self.start + minutes * MINUTE for lesson, _, _, minutes in LESSONS}
        key = stage.make_key("--scope", "activities", "--app", stage.app)["key"]
        self.environment = {
            "IVENT_APP": stage.app,
            "IVENT_DATABASE": stage.path("ivent.db"),
            "IVENT_CLOCK_SIMULATOR": stage.control.base,
            "IVENT_STAFF_KEY": STAFF_KEY,
            "APUS_URL": stage.url,
            "APUS_API_KEY": key,
            "APUS_DATABASE": os.path.join(stage.path("data"), "apus.db"),
        }
        self.port = 0

    # The processes

    def start_backend(self):
        # After the first start it has the same port, which the apps know.
        environment = self.environment | {"IVENT_PORT": str(self.port)}
        ready = self.stage.start("backend", [self.stage.program("ivent-backend")], environment, signalled=True)
        self.port = int(ready["url"].rsplit(":", 1)[1])
        self.staff = HTTP(ready["url"], STAFF_KEY)

    def start_scheduler(self):
        self.stage.start("scheduler", [self.stage.program("ivent-scheduler")], self.environment, signalled=True)

    def start_app(self, name):
        phone = self.stage.phone()
        # The system gives an update token of an activity that a push starts once the person allows Live Activities.
        path = f"/v1/devices/{phone}/apps/{self.stage.app}/live-activities"
        self.stage.control("PATCH", path, {"allowed": True})
        return App(self.stage, name, example.app("ivent-app"), phone, {"IVENT_BACKEND": self.staff.base})

    # The time

    def now(self):
        return self.stage.control("GET", "/v1/clock")["seconds"]

    def until_minute(self, minute):
        """Lets the time pass until a minute of the story, and waits until the scheduler has checked that minute.

        The last two seconds pass by themselves, so that all processes have the same time when something is due.
        """
        until(lambda: all(self.is_settled(lesson) for lesson in self.ends), "Apus has the outcome of each push")
        moment = self.start + minute * MINUTE
        self.stage.control("POST", "/v1/clock:advance", {"seconds": max(0, moment - 2 - self.now())})
        until(lambda: self.checked() >= moment, f"the scheduler checks minute {minute}")

    def checked(self):
        """The occurrence that the scheduler has processed last, in seconds since 1970."""
        runs = self.stage.admin("GET", f"/v1/apps/{self.stage.app}/jobs/PushNotificationJob/runs")["runs"]
        done = [seconds(run["dueAt"]) for run in runs if run["state"] == "succeeded"]
        return max(done, default=0)

    # What can be looked at

    def row(self, lesson):
        with contextlib.closing(sqlite3.connect(self.stage.path("ivent.db"))) as database:
            database.row_factory = sqlite3.Row
            return dict(database.execute("SELECT * FROM schedules WHERE id = ?", [lesson]).fetchone())

    def shown(self, app, lesson):
        """The lesson's activity on the phone; `None` if it does not show it."""
        return next((one for one in app.activities() if one["attributes"]["scheduleId"] == lesson), None)

    def status(self, app, lesson):
        activity = self.shown(app, lesson)
        return activity and activity["contentState"]["status"]

    def lock_screen(self, app):
        """What the widget extension draws: the texts of each activity."""
        environment = self.stage.app_environment(app.phone, self.stage.path(f"{app.name}-home"))
        extension = subprocess.run(
            [example.app("ivent-widget")], env=os.environ | environment, capture_output=True, text=True, timeout=60
        )
        assert extension.returncode == 0, extension.stderr
        return [json.loads(line) for line in extension.stdout.splitlines()]

    def pushes(self, app):
        """The contents of the pushes that the phone has received, oldest first, as (lesson, event, status, end)."""
        shown = {one["contentState"]["scheduleTitle"]: one["attributes"]["scheduleId"] for one in app.activities()}
        contents = []
        for push in self.stage.device(app.phone)["notifications"]:
            aps = push["payload"]["aps"]
            if "content-state" in aps:
                state = aps["content-state"]
                lesson = shown[state["scheduleTitle"]]
                contents.append((lesson, aps["event"], state["status"], state["endTime"]))
        return contents

    def sent(self, lesson):
        """The pushes of an activity, as Apus has them: those of each update, with the outcomes so far."""
        entries = self.stage.admin("GET", f"/v1/apps/{self.stage.app}/activities/{lesson}/timeline?limit=100")["entries"]
        return [sending for entry in entries for sending in entry.get("sent", [])]

    def is_settled(self, lesson):
        return all(one.get("delivered", 0) >= one["count"] for one in self.sent(lesson))

    def plan(self, lesson):
        """Plans a lesson, or moves it to its present end."""
        _, child, title, _ = next(one for one in LESSONS if one[0] == lesson)
        body = {
            "childId": child, "academyId": "north", "title": title, "timeZone": "Asia/Seoul",
            "startTime": text(self.start - 10 * MINUTE), "endTime": text(self.ends[lesson]),
        }
        return self.staff("PUT", f"/schedules/{lesson}", body)

    # The story

    def play(self):
        step = self.story.step
        with step("the backend starts; the staff enter an academy, two children and four lessons"):
            self.plan_lessons()
        with step("two parents sign in with their invitations, in the app on their phones"):
            self.sign_in()
        with step("the first parent taps Piano and Ballet: their Live Activities start, and both servers have the tokens"):
            self.app_starts()
        with step("the backend starts Swimming by a push, on the phone of the other parent, whose app is in the background"):
            self.backend_starts()
        with step("the scheduler starts; a job in it occupies a core, and both APIs are measured"):
            self.start_scheduler()
            self.measure()
        with step("Ballet is moved by half an hour"):
            self.ends["ballet"] += 30 * MINUTE
            self.plan("ballet")
            until(lambda: self.shows_end(self.first, "ballet"), "the phone shows the new end")
        with step("at minute 33 nothing ends within 16 minutes but Chess, which no phone shows"):
            self.until_minute(33)
            self.expect(piano="active", ballet="active", swimming="active")
            assert self.row("chess")["status"] == "planned"
        with step("at minute 34 the scheduler turns Piano to `ending`"):
            self.until_minute(34)
            until(lambda: self.status(self.first, "piano") == "ending", "the phone shows it")
            until(lambda: self.row("piano")["status"] == "ending", "the scheduler has stored it")
            self.expect(piano="ending", ballet="active", swimming="active")
        with step("the scheduler is killed (SIGKILL), as if before it had stored that, and starts again: Piano stays announced once"):
            self.kill_scheduler()
        with step("the backend is stopped for its new version; meanwhile the scheduler turns Swimming to `ending`"):
            self.redeploy()
        with step("Piano is moved by five minutes: the phone shows the new end, and that it ends soon"):
            self.ends["piano"] += 5 * MINUTE
            self.plan("piano")
            until(lambda: self.shows_end(self.first, "piano"), "the phone shows the new end")
            self.expect(piano="ending", ballet="active", swimming="ending")
        with step("Swimming ends early, by the staff"):
            self.staff("POST", "/schedules/swimming/end")
            until(lambda: self.shown(self.second, "swimming")["state"] == "ended", "the phone shows that it is over")
            assert self.status(self.second, "swimming") == "ended"
        with step("Piano ends on time, by its transition at Apus, and leaves the Lock Screen five minutes later"):
            self.until_minute(55)
            until(lambda: self.shown(self.first, "piano")["state"] == "ended", "the phone shows that it is over")
            assert self.status(self.first, "piano") == "ended"
            self.until_minute(60)
            until(lambda: self.shown(self.first, "piano")["state"] == "dismissed", "it is gone from the Lock Screen")
            assert len(self.lock_screen(self.first)) == 1
        with step("Ballet is turned to `ending` before its new end, not before its first one, and ends"):
            self.until_minute(103)
            self.expect(ballet="active")
            self.until_minute(104)
            until(lambda: self.status(self.first, "ballet") == "ending", "the phone shows it")
            self.until_minute(120)
            until(lambda: self.shown(self.first, "ballet")["state"] == "ended", "the phone shows that it is over")
        with step("each lesson was announced once, and every push that APNs accepted was received by its phone"):
            self.count()

    def plan_lessons(self):
        self.start_backend()
        self.staff("PUT", "/academies/north", {"name": "North Academy"})
        children = {"jiu": ("Jiu", "parent-1"), "min": ("Min", "parent-2")}
        self.invitations = {
            child: self.staff("PUT", f"/children/{child}", {"name": name, "parentId": parent})["invitation"]
            for child, (name, parent) in children.items()
        }
        for lesson in self.ends:
            assert self.plan(lesson)["status"] == "planned"
        pending = self.stage.admin("GET", f"/v1/apps/{self.stage.app}/activities?type={TYPE}")["activities"]
        assert sorted(one["id"] for one in pending) == sorted(self.ends), pending
        try:
            HTTP(self.staff.base)("GET", "/schedules")
            raise AssertionError("the backend answers without a session")
        except Refused as refused:
            assert refused.status == 401, refused

    def sign_in(self):
        self.first, self.second = self.start_app("phone-1"), self.start_app("phone-2")
        for app, child, lesson in ((self.first, "jiu", "Piano"), (self.second, "min", "Swimming")):
            app.set(state="foreground")
            app.type("Invitation", self.invitations[child])
            app.tap("Sign in")
            until(lambda: any(lesson in words for words in app.texts()), f"the app lists {lesson}")
            search = {"userID": "parent-1" if child == "jiu" else "parent-2"}
            devices = f"/v1/apps/{self.stage.app}/devices:search"
            until(lambda: self.stage.admin("POST", devices, search)["devices"], "Apus knows whose phone it is")

    def app_starts(self):
        for lesson, title in (("piano", "Piano"), ("ballet", "Ballet")):
            self.first.tap(f"Show {title} on the Lock Screen")
            activity = until(lambda: self.shown(self.first, lesson), f"{title} is on the Lock Screen")
            assert abs(seconds(activity["staleDate"]) - self.ends[lesson] - 300) < 2, activity
            assert self.shows_end(self.first, lesson), activity
            self.wait_for_token(self.first, lesson)
        self.expect(piano="active", ballet="active")
        texts = self.lock_screen(self.first)
        assert ["Jiu: Piano", "North Academy", "In class"] in [one[:3] for one in texts], texts
        self.story.note(f"the Lock Screen: {' | '.join(texts[0][:3])}")

    def backend_starts(self):
        self.second.set(state="background")
        # The app has registered its push-to-start token at its launch.
        until(lambda: self.staff("POST", "/schedules/swimming/start")["devices"] == 1, "Apus has the push-to-start token")
        until(lambda: self.shown(self.second, "swimming"), "the phone shows it")
        self.wait_for_token(self.second, "swimming")

    def wait_for_token(self, app, lesson):
        participants = f"/v1/apps/{self.stage.app}/activities/{lesson}/participants"
        until(
            lambda: any(one["hasToken"] for one in self.stage.admin("GET", participants)["participants"]),
            "Apus has the token",
        )
        until(lambda: self.row(lesson)["live_activity_token"], "the backend has the token")
        row = self.row(lesson)
        activity = self.shown(app, lesson)
        assert row["live_activity_token"] == activity["token"] and row["activity_id"] == activity["id"], row
        assert (row["apns_environment"], row["status"]) == ("sandbox", "active"), row

    def measure(self):
        jobs = f"/v1/apps/{self.stage.app}/jobs/WeeklyReportJob"
        until(lambda: self.runs_exist(jobs), "the scheduler has registered its jobs")
        apis = {
            "backend": (self.staff, "/schedules"),
            "Apus": (self.stage.admin, f"/v1/apps/{self.stage.app}/activities/piano"),
        }
        quiet = {name: latencies(*api, 300) for name, api in apis.items()}
        run = self.stage.admin("POST", f"{jobs}:run")["id"]
        until(lambda: self.run(jobs, run)["state"] == "running", "the job runs")
        busy = {name: [] for name in apis}
        while True:
            times = {name: latencies(*api, 50) for name, api in apis.items()}
            # Only requests during the job count.
            if self.run(jobs, run)["state"] != "running":
                break
            for name in apis:
                busy[name] += times[name]
        for name in apis:
            assert busy[name], "the job ended before an API was measured"
            self.story.note(f"{name}: {told(quiet[name])}; during the job: {told(busy[name])}")
        done = until(lambda: (lambda one: one["state"] == "succeeded" and one)(self.run(jobs, run)), "the job is done")
        assert done["processedCount"] > 0, done

    def runs_exist(self, jobs):
        try:
            return self.stage.admin("GET", f"{jobs}/runs") is not None
        except Refused:
            return False

    def run(self, jobs, run):
        return next(one for one in self.stage.admin("GET", f"{jobs}/runs")["runs"] if one["id"] == run)

    def kill_scheduler(self):
        self.stage.stop("scheduler", kill=True)
        with contextlib.closing(sqlite3.connect(self.stage.path("ivent.db"))) as database, database:
            database.execute("UPDATE schedules SET status = 'active' WHERE id = 'piano'")
        self.start_scheduler()
        self.until_minute(36)
        until(lambda: self.row("piano")["status"] == "ending", "the scheduler has announced it again")
        self.expect(piano="ending", ballet="active", swimming="active")

    def redeploy(self):
        self.stage.stop("backend")
        self.until_minute(46)
        until(lambda: self.status(self.second, "swimming") == "ending", "the phone shows it")
        self.start_backend()
        self.first.tap("Reload")
        until(lambda: "Jiu: Piano" in self.first.texts(), "the app still has its session")

    def expect(self, **expected):
        """What the phones show of each lesson; fails at once if it is something else."""
        for lesson, status in expected.items():
            app = self.second if lesson in ("swimming", "chess") else self.first
            assert self.status(app, lesson) == status, (lesson, self.shown(app, lesson))

    def shows_end(self, app, lesson):
        # As Swift reads it: seconds since 2001.
        end = self.shown(app, lesson)["contentState"]["endTime"] + 978_307_200
        return abs(end - self.ends[lesson]) < 1

    def count(self):
        received = self.pushes(self.first) + self.pushes(self.second)
        assert len(set(received)) == len(received), f"a push was repeated: {received}"
        for lesson, expected in (("piano", 1), ("swimming", 1), ("ballet", 1), ("chess", 0)):
            statuses = [status for name, _, status, _ in received if name == lesson]
            announced = sum(now == "ending" and before != "ending" for before, now in zip([None, *statuses], statuses))
            assert announced == expected, (lesson, received)
            self.story.count(announced=announced)
        until(lambda: all(self.is_settled(lesson) for lesson in self.ends), "Apus has the outcome of each push")
        sent = sum(one["count"] for lesson in self.ends for one in self.sent(lesson))
        assert sent == len(received), f"APNs accepted {sent} pushes, the phones have {received}"
        self.story.count(sent=sent, received=len(received), lessons=len(LESSONS))


def latencies(api, path, count):
    """The latencies of requests one after another, in milliseconds."""
    times = []
    for _ in range(count):
        began = time.perf_counter()
        api("GET", path)
        times.append((time.perf_counter() - began) * 1000)
    return times


def told(times):
    times = sorted(times)
    return f"{len(times)} requests, p50 {times[len(times) // 2]:.1f} ms, p99 {times[len(times) * 99 // 100]:.1f} ms"


def seconds(moment):
    return datetime.fromisoformat(moment.replace("Z", "+00:00")).timestamp()


def text(moment):
    return datetime.fromtimestamp(int(moment), timezone.utc).isoformat().replace("+00:00", "Z")


def play(story, stage: Stage):
    afternoon = Afternoon(story, stage)
    afternoon.play()
    story.hints += [
        f"curl -H 'Authorization: Bearer {STAFF_KEY}' {afternoon.staff.base}/schedules",
        f"apus activity timeline {stage.app} piano",
        f"apus jobs history {stage.app} PushNotificationJob",
    ]


example.tell("ivent", play, app="com.example.ivent")
