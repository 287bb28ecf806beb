# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""A PostgreSQL server of its own (dev/lib/postgres), and statements through psql."""

import json
import os
import subprocess
import tempfile

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "postgres")


class Database:
    """A database by its URL."""

    def __init__(self, url):
        self.url = url
        programs = subprocess.run([SCRIPT, "find"], check=True, capture_output=True, text=True).stdout.strip()
        self._psql = os.path.join(programs, "psql")

    def run(self, statements, **values):
        """Runs statements; returns what they print, a line for each row. `:'name'` in them is a value, quoted by psql."""
        command = [self._psql, "--no-psqlrc", "-qAt", "-v", "ON_ERROR_STOP=1"]
        for name, value in values.items():
            command += ["-v", f"{name}={value}"]
        run = subprocess.run([*command, self.url], input=statements, capture_output=True, text=True)
        if run.returncode:
            raise ValueError(run.stderr.strip())
        return run.stdout.splitlines()

    def rows(self, statement, **values):
        """The rows that a statement returns, each as a dictionary."""
        lines = self.run(f"WITH rows AS ({statement}) SELECT coalesce(json_agg(rows), '[]') FROM rows", **values)
        return json.loads("".join(lines))


class PostgresServer:
    """A server in a temporary directory; a context manager that starts and stops it, and gives its first database."""

    def __enter__(self):
        # The server holds what it inherits, so its words go to a file and not to a pipe.
        with tempfile.TemporaryFile("w+") as words:
            subprocess.run([SCRIPT, "start", "--until", str(os.getpid())], check=True, stdout=words)
            words.seek(0)
            self._directory, url = words.read().split()
        return Database(url)

    def __exit__(self, *_):
        subprocess.run([SCRIPT, "stop", self._directory], check=True)
