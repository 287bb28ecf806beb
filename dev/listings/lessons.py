# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""Document 000: an app starts Live Activities of lessons, and a scheduler in a process of its own turns them to `ending`."""

import json
import os
import subprocess
import sys
from datetime import datetime, timedelta, timezone

from app import App
from stage import Stage, until

TYPE = "IVENTActivityAttributes"


def play(check):
    with Stage(check.apus) as stage:
        # The listings know no installation secret, like the clients of before.
        stage.admin("PATCH", f"/v1/apps/{stage.app}", {"installationSecrets": "optional"})
        now = stage.control("GET", "/v1/clock")["seconds"]
        # One ends while the listings' job looks for what ends within 16 minutes, the other long after.
        lessons = {"Ballet": now + 3000, "Piano": now + 600}
        phone = stage.phone(permission="authorized")
        environment = {"LISTING_SCHEDULES": json.dumps(lessons)}
        app = App(stage, "LessonApp", check.executable("LessonApp"), phone, environment)
        try:
            start(check, stage, app, lessons)
            run_job(check, stage, app, lessons)
            schedule(check, stage, app)
        except BaseException:
            check.tell_of(app)
            raise


def shown(app, title):
    return next((one for one in app.activities() if one["contentState"]["scheduleTitle"] == title), None)


def start(check, stage, app, lessons):
    path = f"/v1/apps/{stage.app}/activities"
    for title, end in lessons.items():
        app.tap(title)
        activity = until(lambda: shown(app, title), f"the activity of {title} is on the phone")
        stale = datetime.fromisoformat(activity["staleDate"].replace("Z", "+00:00")).timestamp()
        assert abs(stale - end - 300) < 1 and activity["contentState"]["status"] == "active", activity

        def participants():
            known = stage.admin("GET", f"{path}?type={TYPE}")["activities"]
            if activity["id"] not in [one["id"] for one in known]:
                return []
            return stage.admin("GET", f"{path}/{activity['id']}/participants")["participants"]

        until(lambda: any(one["hasToken"] for one in participants()), f"the token of {title} is at the server")
    check.rows["000/1"].added += [
        "import lines (Imports.swift)",
        "a `request` that asks for a token: the listing names no pushType, and never had one (Activity+Token.swift)",
        "Schedule (Schedule.swift)",
        "registerPushToken, which tells Apus (Backend.swift)",
        "an app around it with a button for each lesson (LessonApp.swift)",
    ]
    check.rows["000/1"].seen += [
        "two lessons started: on the phone both are `active`, out of date 300 s behind their end",
        "the token of each has arrived at the server. On a phone it may come after the `if let`: then nothing is told, "
        "which is why ApusKit follows pushTokenUpdates",
    ]


def run_job(check, stage, app, lessons):
    """The Python listings, with the schedules as their database has them."""
    rows = [
        {
            "child_name": "Jiu", "title": title, "end_time": end, "status": "active",
            "live_activity_token": shown(app, title)["token"], "apns_environment": "sandbox",
        }
        for title, end in lessons.items()
    ]
    environment = {
        "LISTING_APP": stage.app,
        "LISTING_CLIENT": check.file(stage, "000/2", "apns_client.py"),
        "LISTING_JOB": check.file(stage, "000/3", "push_notification_job.py"),
        "LISTING_SCHEDULES": json.dumps(rows),
        "LISTING_SIMULATOR": json.dumps(stage.endpoints),
        # Where httpx finds whom to trust.
        "SSL_CERT_FILE": stage.endpoints["caPath"],
    }
    script = os.path.join(check.root, "dev", "listings", "000", "run.py")
    job = subprocess.run(
        [sys.executable, "-B", script], env=dict(os.environ, **environment), capture_output=True, text=True, timeout=120
    )
    assert job.returncode == 0, job.stdout + job.stderr
    result = json.loads(job.stdout)
    assert result["success"] and result["processed"] == 1, result
    assert [answer["status_code"] for answer in result["answers"]] == [200], result
    piano, ballet = shown(app, "Piano")["contentState"], shown(app, "Ballet")["contentState"]
    assert (piano["status"], ballet["status"]) == ("ending", "active"), (piano, ballet)
    check.cron = result["cron"]
    check.rows["000/2"].added += [
        "import lines, settings, the class with its bundle identifier and its host (000/run.py)",
    ]
    check.rows["000/2"].seen += ["httpx over HTTP/2, an ES256 provider token: APNs (the simulator) answers 200"]
    check.rows["000/3"].added += [
        "import lines, BaseJob, JobContext, JobResult, KST, the table of schedules (000/run.py)",
    ]
    check.rows["000/3"].seen += ["of the two lessons it finds the one that ends within 16 minutes; on the phone it is `ending`"]
    # Apple decodes dates as seconds since 2001, and the listing sends those since 1970.
    assert abs(piano["endTime"] - lessons["Piano"]) < 1, piano
    path = f"/v1/apps/{stage.app}/activities/{shown(app, 'Piano')['id']}"
    warnings = stage.admin("PATCH", path, {"patch": {"endTime": lessons["Piano"], "status": "ending"}})["warnings"]
    assert [one["field"] for one in warnings] == ["patch.endTime"], warnings
    year = (datetime(2001, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=piano["endTime"])).year
    check.rows["000/3"].seen += [f"its endTime is Unix time, which Swift reads as the year {year}; Apus warns of that where it is told the same"]


def schedule(check, stage, app):
    """The same by the server's scheduler, which has the listing's cron expression."""
    job = {
        "schedule": {"cron": check.cron, "timeZone": "Asia/Seoul"},
        "activities": {
            "attributesType": TYPE,
            "instant": {"name": "endsAt", "untilSeconds": 960},
            "where": {"status": "active"},
            "change": {"patch": {"status": "ending"}},
        },
    }
    before = shown(app, "Ballet")["contentState"]
    stage.admin("PUT", f"/v1/apps/{stage.app}/jobs/ending", job)
    stage.control("POST", "/v1/clock:advance", {"seconds": 2200})
    until(lambda: shown(app, "Ballet")["contentState"]["status"] == "ending", "the scheduler turns it to ending")
    assert shown(app, "Ballet")["contentState"] == before | {"status": "ending"}
    check.rows["000/1"].seen += ["40 minutes later Apus' scheduler has turned the other one to `ending`, and nothing else of it"]
    check.rows["000/3"].seen += [f"a job of Apus with its cron ({check.cron}) does the same as a process of its own"]
