# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""Runs the job of the listings once, with their client of APNs, against the simulator.

What they leave undefined: the import lines; `settings`, and the class whose method the client's function is, with its
bundle identifier and its host; the job's base class, its context and its result; the database with its table of schedules,
which are those of LISTING_SCHEDULES (JSON).
"""

import asyncio
import json
import os
import sys
import time
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace

import httpx

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from module import load  # noqa: E402

KST = timezone(timedelta(hours=9), "KST")
place = json.loads(os.environ["LISTING_SIMULATOR"])


# The client

settings = SimpleNamespace(
    APNS_AUTH_KEY_PATH=place["keyPath"], APNS_KEY_ID=place["keyID"], APNS_TEAM_ID=place["teamID"]
)
client = load("apns_client", os.environ["LISTING_CLIENT"], httpx=httpx, json=json, settings=settings, time=time)


class APNsClient:
    _bundle_id = os.environ["LISTING_APP"]
    answers = []

    def _host_for(self, environment):
        assert environment == "sandbox", environment
        return f"https://localhost:{place['port']}"

    async def send_live_activity_update(self, **call):
        answer = await client.send_live_activity_update(self, **call)
        self.answers.append(answer)
        return answer


# The table

class Column:
    """A column of a query: its comparisons make conditions on a row."""

    def __set_name__(self, _, name):
        self.name = name

    def between(self, low, high):
        return lambda row: low <= getattr(row, self.name) <= high

    def isnot(self, value):
        return lambda row: getattr(row, self.name) is not value

    def __eq__(self, value):
        return lambda row: getattr(row, self.name) == value


class Schedule:
    end_time, live_activity_token, status = Column(), Column(), Column()


class Query:
    def __init__(self, rows):
        self.rows = rows

    def filter(self, *conditions):
        return Query([row for row in self.rows if all(condition(row) for condition in conditions)])

    def all(self):
        return self.rows


class Database:
    def __init__(self, rows):
        for row in rows:
            row["end_time"] = datetime.fromtimestamp(row["end_time"], KST)
        self.rows = [SimpleNamespace(**row) for row in rows]

    def query(self, table):
        assert table is Schedule
        return Query(self.rows)


# The job

class BaseJob:
    pass


class JobContext:
    pass


@dataclass
class JobResult:
    success: bool
    processed: int


job = load(
    "push_notification_job",
    os.environ["LISTING_JOB"],
    BaseJob=BaseJob,
    JobContext=JobContext,
    JobResult=JobResult,
    KST=KST,
    Schedule=Schedule,
    apns_client=APNsClient(),
    datetime=datetime,
    db=Database(json.loads(os.environ["LISTING_SCHEDULES"])),
    timedelta=timedelta,
).PushNotificationJob()
result = asyncio.run(job.run(JobContext()))
print(json.dumps(vars(result) | {"cron": job.cron, "answers": APNsClient.answers}))
