# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""Sends the notifications of a job through aioapns, and says on one line of JSON how that went.

usage: send.py JOB.json [--uvloop]

Nothing of aioapns is changed but where it connects to.
"""

import argparse
import asyncio
import json
import resource
import ssl
import time

from aioapns import APNs, NotificationRequest, PushType
from aioapns.connection import APNsDevelopmentClientProtocol

# The longest that a job may take, in seconds: aioapns waits for ever for an answer that does not come.
LIMIT = 900


def client(job):
    """A client with the library's defaults: as many connections as it finds good, up to 10."""
    APNsDevelopmentClientProtocol.APNS_SERVER = job["host"]
    APNsDevelopmentClientProtocol.APNS_PORT = job["port"]
    with open(job["keyPath"], encoding="utf-8") as file:
        key = file.read()
    return APNs(
        key=key,
        key_id=job["keyID"],
        team_id=job["teamID"],
        topic=job["topic"],
        use_sandbox=True,
        ssl_context=ssl.create_default_context(cafile=job["caPath"]),
    )


async def send(apns, notification):
    """Sends one; returns the answer unless it is 200."""
    alert = {"title": notification["title"], "body": notification["body"]}
    request = NotificationRequest(
        device_token=notification["token"],
        message={"aps": {"alert": alert}, "order": notification["order"]},
        push_type=PushType.ALERT,
        priority=10,
    )
    try:
        result = await apns.send_notification(request)
    except Exception as error:  # what the library gives up on is a refusal too
        return repr(error)
    return None if result.is_successful else f"{result.status} {result.description}"


async def send_all(apns, notifications, concurrency):
    """Sends all, at most `concurrency` at a time; returns what was answered instead of 200."""
    refusals = []
    waiting = iter(notifications)

    async def work():
        for notification in waiting:
            refusal = await send(apns, notification)
            if refusal is not None:
                refusals.append(refusal)

    await asyncio.gather(*(work() for _ in range(concurrency)))
    return refusals


def cpu_seconds():
    """User and system time."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def peak_mebibytes():
    """The largest resident set, by the process table: getrusage counts what the parent had before, too."""
    try:
        with open("/proc/self/status", encoding="ascii") as file:
            return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM:"))
    except OSError:
        return 0


async def run(job):
    with open(job["notificationsPath"], encoding="utf-8") as file:
        notifications = [json.loads(line) for line in file]
    cpu = cpu_seconds()
    start = time.monotonic()
    apns = client(job)
    refusals = await send_all(apns, notifications, job["concurrency"])
    seconds = time.monotonic() - start
    cpu = cpu_seconds() - cpu
    apns.pool.close()
    return {
        "sent": len(notifications),
        "accepted": len(notifications) - len(refusals),
        "refusal": refusals[0] if refusals else None,
        "seconds": seconds,
        "cpuSeconds": cpu,
        "peakMiB": peak_mebibytes(),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("job")
    parser.add_argument("--uvloop", action="store_true")
    arguments = parser.parse_args()
    with open(arguments.job, encoding="utf-8") as file:
        job = json.load(file)
    sending = asyncio.wait_for(run(job), LIMIT)
    if arguments.uvloop:
        import uvloop

        report = uvloop.run(sending)
    else:
        report = asyncio.run(sending)
    print(json.dumps(report), flush=True)


main()
