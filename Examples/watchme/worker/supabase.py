# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""The two calls of Supabase's client that the functions need, over its PostgREST interface.

A deployed function has the package `supabase` in the place of this file, whose calls look the same.
"""

import dataclasses
import json
import urllib.request


@dataclasses.dataclass
class Response:
    """The selected or stored rows."""

    data: list


@dataclasses.dataclass
class Query:
    url: str
    key: str
    row: dict | None = None

    def execute(self):
        headers = {"apikey": self.key, "Content-Type": "application/json"}
        headers["Prefer"] = "resolution=merge-duplicates,return=representation"
        body = None if self.row is None else json.dumps(self.row).encode()
        with urllib.request.urlopen(urllib.request.Request(self.url, body, headers), timeout=10) as response:
            return Response(json.load(response))

    def select(self, columns):
        """Selects all rows; `columns` is `*`."""
        return self

    def upsert(self, row):
        """Inserts a row, or replaces the one with its primary key."""
        return dataclasses.replace(self, row=row)


@dataclasses.dataclass
class Client:
    url: str
    key: str

    def table(self, name):
        return Query(f"{self.url}/rest/v1/{name}", self.key)


def create_client(url, key):
    return Client(url, key)
