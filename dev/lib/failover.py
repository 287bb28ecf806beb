# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""What a database that fails over does to a campaign and to single calls.

    python3 dev/lib/failover.py APUS PROGRAMS [--json] [--rounds N] [--asynchronous] [--hosts] [--devices N] [--rate N] [--calls N]

starts a Patroni cluster (patroni_cluster.py), a simulator and the processes of Apus, plays switchovers and failovers one
after the other during a campaign, and counts what each device received. APUS is the executable, PROGRAMS the directory of
PostgreSQL's programs. Nothing but Python's own library is needed.
"""

import argparse
import base64
import collections
import json
import os
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

from patroni_cluster import Cluster
from stage import Stage, until

APP = "com.example.app"

# Seconds for which a primary replicates nothing before it is killed: the standbys lack its last changes.
LAG = 2


class Processes(Stage):
    """A server that only serves the API, one that delivers and one that plans, on a store that is named from outside."""

    def serve(self, port=0):
        apns = f"--apns-{self.apns}"
        arguments = [f"{apns}-host", "localhost", f"{apns}-port", str(self.endpoints["port"])]
        arguments += [f"{apns}-ca", self.endpoints["caPath"]]
        self.url = self._role("serve", "--with", "none", "--port", str(port), *arguments)["url"]
        self._role("deliver", *arguments)


class Arrivals(threading.Thread):
    """Every push that a device received: the device, the apns-id, and when it was heard of."""

    def __init__(self, stage):
        super().__init__(daemon=True)
        self.answer = urllib.request.urlopen(f"{stage.control.base}/v1/deliveries")
        self.lock = threading.Lock()
        self.received = collections.defaultdict(list)
        self.campaign, self.singles, self.missed = [], {}, 0
        self.start()

    def run(self):
        sequence = 0
        for line in self.answer:
            now = time.monotonic()
            if not line.strip():
                continue
            push = json.loads(line)
            with self.lock:
                self.missed += push["sequence"] - sequence - 1 if sequence else 0
                sequence = push["sequence"]
                self.received[push["device"]].append(push["apnsID"])
                single = push["payload"].get("single")
                if single is None:
                    self.campaign.append((now, push["device"]))
                else:
                    self.singles.setdefault(single, push["device"])

    def campaign_count(self):
        with self.lock:
            return len({device for _, device in self.campaign})

    def next_after(self, instant):
        """The time of the campaign's first push after an instant."""
        with self.lock:
            return next((time for time, _ in self.campaign if time >= instant), None)


class Calls(threading.Thread):
    """Single calls at a steady rate. Each repeats its request, with the same idempotency key, until it is acknowledged."""

    def __init__(self, stage, tokens, rate):
        super().__init__(daemon=True)
        self.stage, self.tokens, self.rate = stage, iter(tokens), rate
        self.acknowledged, self.lock = {}, threading.Lock()
        self.ending, self.open = threading.Event(), []
        self.start()

    def run(self):
        begin = time.monotonic()
        for number, token in enumerate(self.tokens):
            if self.ending.wait(max(0, begin + number / self.rate - time.monotonic())):
                return
            thread = threading.Thread(target=self.call, args=(number, token), daemon=True)
            thread.start()
            self.open.append(thread)

    def call(self, number, token):
        body = {"targets": {"tokens": [token]}, "payload": {"aps": {"alert": "single"}, "single": number}}
        headers = {
            "Content-Type": "application/json",
            "Authorization": f"Bearer {self.stage.admin.key}",
            "Idempotency-Key": f"single-{number}",
        }
        url = f"{self.stage.url}/v1/apps/{self.stage.app}/notifications"
        while True:
            begin = time.monotonic()
            request = urllib.request.Request(url, json.dumps(body).encode(), headers, method="POST")
            try:
                with urllib.request.urlopen(request, timeout=60):
                    with self.lock:
                        self.acknowledged[number] = (begin, time.monotonic())
                    return
            except urllib.error.HTTPError as error:
                assert error.code in (409, 429) or error.code >= 500, f"{error.code}: {error.read()[:300]}"
            except OSError:
                pass
            time.sleep(0.5)

    def next_after(self, instant):
        """When the first call was acknowledged after an instant."""
        with self.lock:
            return min((end for _, end in self.acknowledged.values() if end >= instant), default=None)

    def end(self):
        self.ending.set()
        self.join()
        for thread in self.open:
            thread.join(120)
        return self.acknowledged


class Run:
    """One measurement, with everything that it needs."""

    def __init__(self, stage, cluster, options):
        self.stage, self.cluster, self.options = stage, cluster, options
        self.results = {"switchover": [], "failover": []}

    def tokens(self, skip, count):
        command = [self.stage.apus, "simulate", "tokens", "--population", str(self.options.population)]
        command += ["--population-app", APP, "--skip", str(skip), "--count", str(count)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()

    def register(self, tokens):
        lines = "".join(json.dumps({"device": f"i-{token[:32]}", "token": token}) + "\n" for token in tokens)
        headers = {"Content-Type": "application/x-ndjson", "Authorization": f"Bearer {self.stage.admin.key}"}
        url = f"{self.stage.url}/v1/apps/{APP}/devices:import"
        request = urllib.request.Request(url, lines.encode(), headers, method="POST")
        with urllib.request.urlopen(request, timeout=600) as answer:
            end = json.loads(answer.read().splitlines()[-1])
        assert end["type"] == "end" and end["imported"] == len(tokens), end

    def play(self):
        options = self.options
        self.register(self.tokens(0, options.devices))
        arrivals = Arrivals(self.stage)
        calls = Calls(self.stage, self.tokens(options.devices, options.population - options.devices), options.calls)
        message = {"default": {"notification": {"title": "Failover", "body": "Hello"}}}
        campaign = {"name": "failover", "audience": {"all": True}, "message": message, "ratePerSecond": options.rate}
        self.stage.admin("POST", f"/v1/apps/{APP}/campaigns", campaign)
        until(lambda: arrivals.campaign_count() > 5 * options.rate, "the campaign runs")
        for number in range(2 * options.rounds):
            kind = "failover" if number % 2 else "switchover"
            self.results[kind].append(self.fault(kind, arrivals, calls))
        acknowledged = calls.end()
        until(lambda: arrivals.campaign_count() >= options.devices, "the campaign ends", 600)
        try:
            until(lambda: len(arrivals.singles) >= len(acknowledged), "the last single calls arrive", 90)
        except TimeoutError:
            pass  # They are lost, and counted as such.
        time.sleep(options.settle)
        return self.report(arrivals, acknowledged)

    def fault(self, kind, arrivals, calls):
        """Plays a fault; returns seconds: of the outage, and from its end to the next push and the next acknowledged call."""
        failed, writes = threading.Event(), []

        def probe():
            # The last write before the fault may be done after it was asked for.
            while not writes:
                is_done = self.cluster.sql("INSERT INTO probes VALUES (now())", 3)
                if not is_done:
                    failed.set()
                elif failed.is_set():
                    writes.append(time.monotonic())

        prober = threading.Thread(target=probe, daemon=True)
        prober.start()
        begin = time.monotonic()
        if kind == "failover":
            name = self.cluster.fail_over(LAG)
        else:
            name = None
            self.cluster.switch_over()
        until(lambda: writes, "the database takes writes", 120)
        back = writes[0]
        push = until(lambda: arrivals.next_after(back), "the campaign goes on", 120)
        call = until(lambda: calls.next_after(back), "single calls go on", 120)
        if name:
            self.cluster.start(name)
        self.cluster.wait()
        result = {"outage_s": back - begin, "after_s": push - back, "calls_after_s": call - back}
        print(kind, json.dumps({key: round(value, 2) for key, value in result.items()}), file=sys.stderr)
        return result

    def report(self, arrivals, acknowledged):
        def longest(kind, key):
            return round(max((result[key] for result in self.results[kind]), default=0), 2)

        with arrivals.lock:
            campaign = {device for _, device in arrivals.campaign}
            lost = self.options.devices - len(campaign)
            lost += sum(1 for number in acknowledged if number not in arrivals.singles)
            repeated = [ids for ids in arrivals.received.values() if len(ids) > 1]
            assert arrivals.missed == 0, f"the feed of arrivals left out {arrivals.missed}"
        report = {f"{kind}_after_s": longest(kind, "after_s") for kind in self.results}
        report |= {
            "lost": lost,
            "twice_same_id": sum(len(ids) - len(set(ids)) for ids in repeated),
            "twice_other_id": sum(len(set(ids)) - 1 for ids in repeated),
        }
        report |= {f"{kind}_calls_after_s": longest(kind, "calls_after_s") for kind in self.results}
        report |= {f"{kind}_outage_s": longest(kind, "outage_s") for kind in self.results}
        return report | {"campaign": len(campaign), "calls": len(acknowledged)}


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("apus")
    parser.add_argument("programs")
    parser.add_argument("--json", action="store_true", help="print the result as one object")
    parser.add_argument("--rounds", type=int, default=2, help="switchovers, and as many failovers")
    parser.add_argument("--devices", type=int, default=60_000, help="devices of the campaign")
    parser.add_argument("--rate", type=int, default=200, help="pushes of the campaign in a second")
    parser.add_argument("--calls", type=int, default=10, help="single calls in a second")
    parser.add_argument("--settle", type=int, default=5, help="seconds to wait for pushes that come twice")
    parser.add_argument("--hosts", action="store_true", help="connect by a URL with all hosts, not by HAProxy")
    parser.add_argument("--asynchronous", action="store_true", help="promote standbys that may lack the last commits")
    parsed = parser.parse_args()
    # Each single call has a device of its own.
    parsed.population = parsed.devices + 1200 * parsed.calls
    return parsed


def main():
    parsed = options()
    with Cluster(parsed.programs, synchronous=not parsed.asynchronous) as cluster:
        os.environ["APUS_STORE_URL"] = cluster.hosts_url if parsed.hosts else cluster.url
        os.environ["APUS_MASTER_KEY"] = base64.b64encode(os.urandom(32)).decode()
        simulator = ["--population", str(parsed.population), "--population-app", APP, "--feed-history", "100000"]
        with Processes(parsed.apus, app=APP, simulator_arguments=simulator) as stage:
            try:
                report = Run(stage, cluster, parsed).play()
            except BaseException:
                print(cluster.logs, *(stage.log(name)[-2000:] for name in stage.processes), sep="\n", file=sys.stderr)
                raise
    if parsed.json:
        print(json.dumps(report))
    else:
        for key, value in report.items():
            print(f"{key:26} {value}")


if __name__ == "__main__":
    main()
