# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""A subscriber by URL and its publisher, through boto3, while what posts to the subscriber is killed.

One request, before most messages have come, is never answered: then the script says `posting`. It ends when every message is
here by a request that was answered.
"""

import collections
import itertools
import json
import queue
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import boto3

COUNT = 300
BEFORE = 20
requests = queue.Queue()
unanswered = []
numbers = itertools.count()


class Subscriber(BaseHTTPRequestHandler):
    def do_POST(self):
        document = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if document["Type"] == "Notification" and next(numbers) == BEFORE:
            unanswered.append(document)
            print("posting", flush=True)
            threading.Event().wait()
        requests.put(document)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Subscriber)
threading.Thread(target=server.serve_forever, daemon=True).start()
sns = boto3.client("sns")
topic = sns.create_topic(Name="news")["TopicArn"]
sns.subscribe(TopicArn=topic, Protocol="http", Endpoint=f"http://localhost:{server.server_port}/")
with urllib.request.urlopen(requests.get()["SubscribeURL"]) as answer:
    assert answer.status == 200, answer.status

published = {}
for start in range(0, COUNT, 10):
    entries = [{"Id": str(number), "Message": f"message {number}"} for number in range(start, start + 10)]
    answer = sns.publish_batch(TopicArn=topic, PublishBatchRequestEntries=entries)
    assert answer["Failed"] == [], answer
    published |= {f"message {entry['Id']}": entry["MessageId"] for entry in answer["Successful"]}
assert len(set(published.values())) == COUNT, published

arrivals = collections.Counter()
while len(arrivals) < COUNT:
    document = requests.get()
    assert document["MessageId"] == published[document["Message"]], document
    arrivals[document["Message"]] += 1
assert [document["MessageId"] for document in unanswered] == [published[document["Message"]] for document in unanswered]
print(json.dumps({"arrived": len(arrivals), "requests": arrivals.total() + len(unanswered)}))
