# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""Answers every request as its argument says, until standard input ends.

The argument is a JSON object of answers by the beginning of the path; the longest beginning counts. The first line is
the port, and each further line is the path of a request.
"""

import http.server
import json
import sys
import threading

ANSWERS = json.loads(sys.argv[1])


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        print(self.path, flush=True)
        found = [path for path in ANSWERS if self.path.startswith(path)]
        body = ANSWERS[max(found, key=len)].encode() if found else b"{}"
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
