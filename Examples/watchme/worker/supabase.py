# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""The one call of Supabase's client that the worker needs, over the PostgREST interface that SUPABASE_URL names.

A deployed function installs the package `supabase` instead, whose calls look the same.
"""

import json
import os
import urllib.request


class Upsert:
    def __init__(self, table, data):
        self.table, self.data = table, data

    def execute(self):
        """Inserts the row, or replaces the one with its primary key; returns the stored rows."""
        request = urllib.request.Request(
            f"{os.environ['SUPABASE_URL']}/rest/v1/{self.table}",
            data=json.dumps(self.data).encode(),
            headers={
                "apikey": os.environ["SUPABASE_KEY"],
                "Content-Type": "application/json",
                "Prefer": "resolution=merge-duplicates,return=representation",
            },
        )
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.load(response)


class Table:
    def __init__(self, name):
        self.name = name

    def upsert(self, data):
        return Upsert(self.name, data)


class Supabase:
    def table(self, name):
        return Table(name)


supabase = Supabase()
