# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""The part of PostgREST, which Supabase serves, that the app and the worker use, over a database of PostgreSQL.

    rest.py DATABASE-URL

GET and PATCH of rows with `?column=eq.value`, and POST that replaces the row with the same primary key. It prints its port
as JSON, logs each request, and ends with standard input.
"""

import http.server
import json
import re
import sys
import threading
import urllib.parse

from database import Database

KEYS = {"devices": ["device_id"], "dashboard_summary": ["device_id", "date"]}
COLUMN = re.compile("[a-z_]+")


class Refused(Exception):
    """A request that this server does not serve."""


def column(name):
    if not COLUMN.fullmatch(name):
        raise Refused(f"no column can be named {name!r}")
    return f'"{name}"'


class Statement:
    """A statement and the values of its variables. psql quotes these, so none of them can be read as SQL."""

    def __init__(self, table, query):
        if table not in KEYS:
            raise Refused(f"there is no table {table!r}")
        self.table, self.values = table, {}
        conditions = [self._condition(name, value) for name, value in urllib.parse.parse_qsl(query)]
        self.where = f"WHERE {' AND '.join(conditions)}" if conditions else ""

    def variable(self, value):
        name = f"v{len(self.values)}"
        self.values[name] = value
        return f":'{name}'"

    def _condition(self, name, value):
        operator, _, operand = value.partition(".")
        if operator != "eq":
            raise Refused(f"{name}={value}: only eq. is served")
        return f"{column(name)}::text = {self.variable(operand)}"

    def select(self):
        return f"SELECT * FROM {self.table} {self.where}"

    def update(self, row):
        changes = ", ".join(f"{column(name)} = {self.variable(value)}" for name, value in row.items())
        return f"UPDATE {self.table} SET {changes} {self.where} RETURNING *"

    def upsert(self, row):
        names = [column(name) for name in row]
        values = ", ".join(self.variable(value) for value in row.values())
        changes = ", ".join(f"{name} = excluded.{name}" for name in names)
        keys = ", ".join(KEYS[self.table])
        return (
            f"INSERT INTO {self.table} ({', '.join(names)}) VALUES ({values}) "
            f"ON CONFLICT ({keys}) DO UPDATE SET {changes} RETURNING *"
        )


class Handler(http.server.BaseHTTPRequestHandler):
    database = None
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self._answer(lambda statement, row: statement.select())

    def do_PATCH(self):
        self._answer(Statement.update)

    def do_POST(self):
        self._answer(Statement.upsert)

    def _answer(self, make):
        try:
            path, _, query = self.path.partition("?")
            statement = Statement(path.removeprefix("/rest/v1/"), query)
            length = int(self.headers.get("Content-Length", 0))
            sql = make(statement, json.loads(self.rfile.read(length)) if length else None)
            status, body = 200, self.database.rows(sql, **statement.values)
        except Exception as error:
            status, body = 400, {"message": str(error)}
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def main():
    Handler.database = Database(sys.argv[1])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"port": server.server_port}), flush=True)
    sys.stdin.read()


main()
