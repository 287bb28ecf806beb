# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
"""Writes the vectors beside this file; run it with .build/python/bin/python3.

botocore.json    what botocore sends for every operation of SNS, signed by it, and what it was called with
signatures.json  requests signed here from the text of the specification, with nothing but hmac and hashlib
"""

import datetime
import hashlib
import hmac
import json
import pathlib
import urllib.parse

import botocore.auth
import botocore.awsrequest
import botocore.session

HERE = pathlib.Path(__file__).parent
NOW = datetime.datetime(2026, 2, 28, 23, 59, 58, tzinfo=datetime.timezone.utc)
KEY, SECRET = "AKIDAPUSEXAMPLE00000", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
TOPIC = "arn:aws:sns:ap-northeast-1:123456789012:watchme-dashboard-updates"
APP = "arn:aws:sns:ap-northeast-1:123456789012:app/APNS/watchme-ios-app"
ENDPOINT = APP.replace(":app/", ":endpoint/") + "/2f1ab0d5-7a52-3b8e-9a4e-0c6f2f9d6f11"
SUBSCRIPTION = TOPIC + ":8a21d249-4329-4871-acc6-7be709c6ea7f"
ATTRIBUTES = {
    "device_id": {"DataType": "String", "StringValue": "1cf67321 é+&=%"},
    "weights": {"DataType": "String.Array", "StringValue": '["a", 1, null]'},
    "raw": {"DataType": "Binary", "BinaryValue": b"\x00\xff+/"},
    "count": {"DataType": "Number", "StringValue": "12.5"},
}

CALLS = [
    ("create_topic", {"Name": "watchme-dashboard-updates"}),
    ("create_topic", {"Name": "t", "Attributes": {"DisplayName": "寿司 & <b>"}, "Tags": [{"Key": "a", "Value": ""}]}),
    ("create_topic", {"Name": "t", "Tags": []}),
    ("delete_topic", {"TopicArn": TOPIC}),
    ("get_topic_attributes", {"TopicArn": TOPIC}),
    ("set_topic_attributes", {"TopicArn": TOPIC, "AttributeName": "DisplayName", "AttributeValue": ""}),
    ("list_topics", {}),
    ("list_topics", {"NextToken": "abc"}),
    ("add_permission", {"TopicArn": TOPIC, "Label": "l", "AWSAccountId": ["123456789012"], "ActionName": ["Publish"]}),
    ("remove_permission", {"TopicArn": TOPIC, "Label": "l"}),
    ("subscribe", {"TopicArn": TOPIC, "Protocol": "application", "Endpoint": ENDPOINT,
                   "Attributes": {"FilterPolicy": '{"device_id":["1cf67321"]}'}, "ReturnSubscriptionArn": True}),
    ("subscribe", {"TopicArn": TOPIC, "Protocol": "https", "Endpoint": "https://example.com:8443/a?b=c"}),
    ("confirm_subscription", {"TopicArn": TOPIC, "Token": "0f" * 64, "AuthenticateOnUnsubscribe": "true"}),
    ("unsubscribe", {"SubscriptionArn": SUBSCRIPTION}),
    ("get_subscription_attributes", {"SubscriptionArn": SUBSCRIPTION}),
    ("set_subscription_attributes", {"SubscriptionArn": SUBSCRIPTION, "AttributeName": "FilterPolicyScope",
                                     "AttributeValue": "MessageBody"}),
    ("list_subscriptions", {"NextToken": "n"}),
    ("list_subscriptions_by_topic", {"TopicArn": TOPIC}),
    ("create_platform_application", {"Name": "watchme-ios-app", "Platform": "APNS", "Attributes": {
        "PlatformCredential": "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
        "PlatformPrincipal": "ABCDE12345", "ApplePlatformTeamID": "TEAM123456",
        "ApplePlatformBundleID": "com.example.watchme"}}),
    ("delete_platform_application", {"PlatformApplicationArn": APP}),
    ("get_platform_application_attributes", {"PlatformApplicationArn": APP}),
    ("set_platform_application_attributes", {"PlatformApplicationArn": APP, "Attributes": {
        "EventDeliveryFailure": TOPIC, "Enabled": "true"}}),
    ("list_platform_applications", {}),
    ("create_platform_endpoint", {"PlatformApplicationArn": APP, "Token": "AB" * 32, "CustomUserData": "user 1"}),
    ("delete_endpoint", {"EndpointArn": ENDPOINT}),
    ("get_endpoint_attributes", {"EndpointArn": ENDPOINT}),
    ("set_endpoint_attributes", {"EndpointArn": ENDPOINT, "Attributes": {"Token": "cd" * 32, "Enabled": "false"}}),
    ("list_endpoints_by_platform_application", {"PlatformApplicationArn": APP, "NextToken": "n"}),
    ("publish", {"TopicArn": TOPIC, "Message": json.dumps({"default": "Dashboard updated", "APNS": "{}"}),
                 "MessageStructure": "json", "MessageAttributes": ATTRIBUTES}),
    ("publish", {"TargetArn": ENDPOINT, "Message": "データ更新完了 \"quoted\" 100% +1", "Subject": "s"}),
    ("publish_batch", {"TopicArn": TOPIC, "PublishBatchRequestEntries": [
        {"Id": f"e{n}", "Message": f"message {n}", "MessageAttributes": ATTRIBUTES} for n in range(10)]}),
    ("tag_resource", {"ResourceArn": TOPIC, "Tags": [{"Key": "stage", "Value": "prod"}, {"Key": "b", "Value": "c"}]}),
    ("untag_resource", {"ResourceArn": TOPIC, "TagKeys": ["stage", "b"]}),
    ("list_tags_for_resource", {"ResourceArn": TOPIC}),
]


def client(endpoint, token=None):
    session = botocore.session.Session()
    session.set_credentials(KEY, SECRET, token)
    return session.create_client("sns", region_name="ap-northeast-1", endpoint_url=endpoint)


def split(url):
    parts = urllib.parse.urlsplit(url)
    return parts.netloc, parts.path, parts.query


def text(value):
    return value.decode() if isinstance(value, bytes) else value


def botocore_vectors():
    botocore.auth.get_current_datetime = lambda remove_tzinfo=True: NOW.replace(tzinfo=None) if remove_tzinfo else NOW
    vectors = []

    def record(endpoint, name, params, token=None):
        sns, sent = client(endpoint, token), []

        def answer(request, **_):
            sent.append(request)
            return botocore.awsrequest.AWSResponse(request.url, 500, {}, None)

        sns.meta.events.register("before-send.sns", answer)
        try:
            getattr(sns, name)(**params)
        except Exception:  # The answer is none; what was sent is what counts.
            pass
        request = sent[0]
        host, path, query = split(request.url)
        headers = [["Host", host]] + [
            [k, text(v)] for k, v in request.headers.items() if k.lower() not in ("user-agent", "amz-sdk-invocation-id")]
        action = "".join(part.capitalize() for part in name.split("_"))
        vectors.append({"action": action, "method": request.method, "path": path, "query": query, "headers": headers,
                        "body": text(request.body) or "", "sessionToken": token})

    for name, params in CALLS:
        record("http://127.0.0.1:8080", name, params)
    record("https://push.example.com/aws%20sns/x", "publish", CALLS[-5][1])
    record("https://push.example.com", "list_topics", {}, "session/token+with=signs")
    for token in (None, "session/token+with=signs"):
        url = client("https://push.example.com", token).generate_presigned_url(
            "publish", Params={"TopicArn": TOPIC, "Message": "a b+c"}, ExpiresIn=3600, HttpMethod="GET")
        host, path, query = split(url)
        vectors.append({"action": "Publish", "method": "GET", "path": path, "query": query,
                        "headers": [["Host", host]], "body": "", "sessionToken": token})
    return vectors


def hash_hex(data):
    return hashlib.sha256(data).hexdigest()


def quote(value):
    return urllib.parse.quote(value, safe="-_.~")


def sign(method, canonical_path, pairs, headers, body, signed, scope, stamp):
    """The steps of the specification, one after the other."""
    canonical_query = "&".join(f"{k}={v}" for k, v in sorted((quote(k), quote(v)) for k, v in pairs))
    values = {}
    for name, value in headers:
        values.setdefault(name.lower(), []).append(value)
    lines = [f"{name}:{' '.join(','.join(values[name]).split())}\n" for name in signed]
    canonical = "\n".join([method, canonical_path, canonical_query, "".join(lines), ";".join(signed), hash_hex(body)])
    to_sign = "\n".join(["AWS4-HMAC-SHA256", stamp, "/".join(scope), hash_hex(canonical.encode())])
    key = ("AWS4" + SECRET).encode()
    for part in scope:
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(key, to_sign.encode(), hashlib.sha256).hexdigest()


def independent_vectors():
    stamp = NOW.strftime("%Y%m%dT%H%M%SZ")
    scope = [stamp[:8], "eu-central-1", "sns", "aws4_request"]
    host = ["Host", "sns.example.com"]
    # name, method, raw path, canonical path, raw query, pairs, further headers, body
    cases = [
        ("empty path", "POST", "", "/", "", [], [], "Action=ListTopics"),
        ("dots and empty parts", "POST", "/a/./b/../c//d/", "/a/c/d/", "", [], [], "x"),
        ("above the root", "POST", "/../../a", "/a", "", [], [], ""),
        ("encoded path", "POST", "/a%20b/%E5%AF%BF", "/a%2520b/%25E5%25AF%25BF", "", [], [], ""),
        ("query out of order", "GET", "/", "/", "b=2&a=%7E1&a1=&A=x%2Fy&c", [
            ("b", "2"), ("a", "~1"), ("a1", ""), ("A", "x/y"), ("c", "")], [], ""),
        ("query with other letters", "GET", "/", "/", "q=%E5%AF%BF%E5%8F%B8%20x", [("q", "寿司 x")], [], ""),
        ("space in headers", "POST", "/", "/", "", [], [["X-Note", "  a   b\tc  "]], ""),
        ("a header twice", "POST", "/", "/", "", [], [["X-Note", "b"], ["x-note", "a"]], ""),
        ("a large body", "POST", "/", "/", "", [], [], "é" * 2000),
    ]
    vectors = []
    for name, method, path, canonical_path, query, pairs, extra, body in cases:
        headers = [host, ["X-Amz-Date", stamp]] + extra
        signed = sorted({key.lower() for key, _ in headers})
        signature = sign(method, canonical_path, pairs, headers, body.encode(), signed, scope, stamp)
        headers.append(["Authorization", f"AWS4-HMAC-SHA256 Credential={KEY}/{'/'.join(scope)},"
                        f"SignedHeaders={';'.join(signed)},Signature={signature}"])
        vectors.append({"action": name, "method": method, "path": path, "query": query, "headers": headers,
                        "body": body, "sessionToken": None})
    return vectors


def write(name, vectors):
    data = {"accessKeyID": KEY, "secret": SECRET, "now": int(NOW.timestamp()), "requests": vectors}
    (HERE / name).write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    write("botocore.json", botocore_vectors())
    write("signatures.json", independent_vectors())
