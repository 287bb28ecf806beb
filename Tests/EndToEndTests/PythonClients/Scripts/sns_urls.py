# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""A subscriber by URL and its publisher, through boto3; the server, region and key are those of the environment.

The subscriber verifies every document by the certificate of its SigningCertURL, as AWS tells subscribers to.
"""

import base64
import json
import os
import queue
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import boto3
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

PREFIX = f"arn:aws:sns:{os.environ['AWS_DEFAULT_REGION']}:{os.environ['ACCOUNT']}"
HASHES = {"1": hashes.SHA1(), "2": hashes.SHA256()}
requests = queue.Queue()
statuses = queue.Queue()


class Subscriber(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        requests.put((self.path, self.headers, body))
        self.send_response(200 if statuses.empty() else statuses.get())
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def get(url):
    with urllib.request.urlopen(url) as answer:
        return answer.read()


def verified(body):
    document = json.loads(body)
    if document["Type"] == "Notification":
        names = ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]
    else:
        names = ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]
    text = "".join(f"{name}\n{document[name]}\n" for name in names if name in document)
    certificate = x509.load_pem_x509_certificate(get(document["SigningCertURL"]))
    signature = base64.b64decode(document["Signature"])
    digest = HASHES[document["SignatureVersion"]]
    certificate.public_key().verify(signature, text.encode(), padding.PKCS1v15(), digest)
    return document


server = ThreadingHTTPServer(("127.0.0.1", 0), Subscriber)
threading.Thread(target=server.serve_forever, daemon=True).start()
place = f"http://localhost:{server.server_port}"
sns = boto3.client("sns")

topic = sns.create_topic(Name="news", Attributes={"SignatureVersion": "2"})["TopicArn"]
assert sns.subscribe(TopicArn=topic, Protocol="http", Endpoint=f"{place}/a")["SubscriptionArn"] == "pending confirmation"
path, headers, body = requests.get()
assert path == "/a" and headers["x-amz-sns-message-type"] == "SubscriptionConfirmation", (path, str(headers))
document = verified(body)
confirmed = sns.confirm_subscription(TopicArn=document["TopicArn"], Token=document["Token"])["SubscriptionArn"]
assert confirmed.startswith(f"{PREFIX}:news:"), confirmed

# By the link alone, as most subscribers do.
sns.subscribe(
    TopicArn=topic,
    Protocol="http",
    Endpoint=f"{place}/b",
    Attributes={"FilterPolicy": '{"kind": ["goal"]}', "RawMessageDelivery": "true"},
)
path, _, body = requests.get()
assert path == "/b", path
assert b"ConfirmSubscriptionResult" in get(verified(body)["SubscribeURL"])
listed = sns.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"]
assert {s["Endpoint"] for s in listed} == {f"{place}/a", f"{place}/b"}, listed
assert all(s["Protocol"] == "http" and s["SubscriptionArn"].startswith("arn:") for s in listed), listed

published = sns.publish(TopicArn=topic, Message="寿司", Subject="Lunch")["MessageId"]
path, headers, body = requests.get()
document = verified(body)
assert path == "/a" and headers["x-amz-sns-message-id"] == published == document["MessageId"], str(headers)
assert headers["x-amz-sns-subscription-arn"] == confirmed, str(headers)
assert document["Message"] == "寿司" and document["Subject"] == "Lunch", document
assert "MessageAttributes" not in document, document

kind = {"kind": {"DataType": "String", "StringValue": "goal"}}
sns.publish(TopicArn=topic, Message="1:0", MessageAttributes=kind)
arrived = dict((path, body) for path, _, body in [requests.get(), requests.get()])
assert arrived["/b"] == b"1:0", arrived
assert verified(arrived["/a"])["MessageAttributes"] == {"kind": {"Type": "String", "Value": "goal"}}, arrived

# What fails is tried again, under the same id.
sns.set_topic_attributes(
    TopicArn=topic,
    AttributeName="DeliveryPolicy",
    AttributeValue='{"http": {"defaultHealthyRetryPolicy": {"numRetries": 2, "numNoDelayRetries": 2}}}',
)
statuses.put(503)
published = sns.publish(TopicArn=topic, Message="again")["MessageId"]
assert [requests.get()[1]["x-amz-sns-message-id"] for _ in range(2)] == [published, published]

get(document["UnsubscribeURL"])
assert [s["Endpoint"] for s in sns.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"]] == [f"{place}/b"]
print("done")
