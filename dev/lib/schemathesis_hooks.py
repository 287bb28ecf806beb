# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
"""Extends Schemathesis for `dev/fuzz schemathesis`: JSON lines as request bodies."""

import json

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def json_lines(context, value):
    """Writes a generated body as JSON lines: each element of a list on a line, another value on one line."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        # Surrogates are part of the test data, and UTF-8 has none.
        return value.encode("utf-8", errors="surrogatepass")
    values = value if isinstance(value, list) else [value]
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)
