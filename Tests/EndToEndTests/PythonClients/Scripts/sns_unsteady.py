# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""Answers as SNS does to a key that may not read everything, over connections that are lost, until standard input ends.

The first request of each operation is not answered. Operations that are named as arguments are refused. The first line is
the port.
"""

import http.server
import sys
import threading
import urllib.parse

PLACE = "arn:aws:sns:ap-northeast-1:123456789012:"
seen = set()


def members(name, arns):
    return "".join(f"<member><{name}>{PLACE}{arn}</{name}></member>" for arn in arns)


def result(action, fields):
    if action in sys.argv[1:]:
        return None
    if action == "ListPlatformApplications":
        names = members("PlatformApplicationArn", ["app/APNS/watchme", "app/APNS/secret"])
        return f"<PlatformApplications>{names}</PlatformApplications>"
    if action == "ListEndpointsByPlatformApplication" and fields["PlatformApplicationArn"].endswith("watchme"):
        token = f"<entry><key>Token</key><value>{'ab' * 32}</value></entry>"
        endpoint = f"<EndpointArn>{PLACE}endpoint/APNS/watchme/phone</EndpointArn><Attributes>{token}</Attributes>"
        return f"<Endpoints><member>{endpoint}</member></Endpoints>"
    if action == "ListTopics":
        return f"<Topics>{members('TopicArn', ['open', 'closed'])}</Topics>"
    if action in ["GetTopicAttributes", "ListTagsForResource"] and "closed" not in str(fields):
        return ""
    if action == "ListSubscriptionsByTopic":
        arn = f"<SubscriptionArn>{PLACE}open:0a21d249-4329-4871-acc6-7be709c6ea7f</SubscriptionArn>"
        endpoint = f"<Protocol>application</Protocol><Endpoint>{PLACE}endpoint/APNS/watchme/phone</Endpoint>"
        return f"<Subscriptions><member>{arn}{endpoint}</member></Subscriptions>"
    return None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        fields = dict(urllib.parse.parse_qsl(body))
        action = fields["Action"]
        if action not in seen:
            seen.add(action)
            self.close_connection = True
            return
        found = result(action, fields)
        if found is None:
            status = 403
            error = f"<Code>AuthorizationError</Code><Message>not authorized to perform: SNS:{action}</Message>"
            text = f"<ErrorResponse><Error>{error}</Error></ErrorResponse>"
        else:
            status = 200
            text = f"<{action}Response><{action}Result>{found}</{action}Result></{action}Response>"
        data = text.encode()
        self.send_response(status)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
server.shutdown()
