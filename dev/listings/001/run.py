# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""Runs the worker of the listings and its test through boto3, one after the other, each when a line comes on standard input.

What they leave undefined: the account in the topic's ARN, which the document says is to be filled in; the client of the
database into which the worker writes, with what it writes; and the device and the day of that.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from module import load  # noqa: E402


class Table:
    """The table of summaries; the database takes what the worker writes."""

    def upsert(self, data):
        assert data, "nothing is written"
        return self

    def execute(self):
        return True


class Supabase:
    def table(self, name):
        assert name == "dashboard_summary", name
        return Table()


def listing(name, variable, **undefined):
    if not sys.stdin.readline():
        sys.exit()
    load(name, os.environ[variable], account=os.environ["LISTING_ACCOUNT"], **undefined)
    print("done", flush=True)


device, date = os.environ["LISTING_DEVICE"], os.environ["LISTING_DATE"]
listing(
    "main", "LISTING_WORKER", supabase=Supabase(), data={"device_id": device, "date": date}, device_id=device, date=date
)
listing("test_push_notification", "LISTING_TEST")
