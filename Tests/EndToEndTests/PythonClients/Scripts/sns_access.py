# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""Who may do what through boto3: a key with a policy, two tenants, and two applications of one bundle ID.

The key of the environment may do everything. Each other key is in the environment as NAME_KEY and NAME_SECRET.
"""

import json
import os

import boto3
from botocore.exceptions import ClientError

APP, OTHER_APP, TOKEN = os.environ["APP"], os.environ["OTHER_APP"], os.environ["TOKEN"]
PREFIX = f"arn:aws:sns:{os.environ['AWS_DEFAULT_REGION']}:{os.environ['ACCOUNT']}"


def client(name):
    return boto3.client(
        "sns", aws_access_key_id=os.environ[f"{name}_KEY"], aws_secret_access_key=os.environ[f"{name}_SECRET"]
    )


def expect(code, call, **parameters):
    try:
        call(**parameters)
    except ClientError as error:
        assert error.response["Error"]["Code"] == code, error
        return error.response["Error"]["Message"]
    raise AssertionError(f"{call} was not refused")


def create(sns, name, bundle, platform="APNS", **more):
    attributes = {
        "PlatformCredential": os.environ["P8"],
        "PlatformPrincipal": os.environ["KEY_ID"],
        "ApplePlatformTeamID": os.environ["TEAM_ID"],
        "ApplePlatformBundleID": bundle,
    }
    answer = sns.create_platform_application(Name=name, Platform=platform, Attributes=attributes | more)
    return answer["PlatformApplicationArn"]


def listed(sns, application):
    pages = sns.get_paginator("list_endpoints_by_platform_application").paginate(PlatformApplicationArn=application)
    return {
        endpoint["EndpointArn"]: endpoint["Attributes"].get("CustomUserData")
        for page in pages
        for endpoint in page["Endpoints"]
    }


admin, worker, own, other = boto3.client("sns"), client("WORKER"), client("OWN"), client("OTHER")

# Two applications with one bundle ID: two endpoints for one token.
applications = [create(admin, name, APP) for name in ("first", "second")]
endpoints = [
    admin.create_platform_endpoint(PlatformApplicationArn=arn, Token=TOKEN, CustomUserData=arn[-6:])["EndpointArn"]
    for arn in applications
]
assert len(set(endpoints)) == 2, endpoints
for arn, endpoint in zip(applications, endpoints):
    assert listed(admin, arn) == {endpoint: arn[-6:]}, listed(admin, arn)
admin.set_endpoint_attributes(EndpointArn=endpoints[0], Attributes={"Enabled": "false"})
expect("EndpointDisabled", admin.publish, TargetArn=endpoints[0], Message="no")
admin.publish(TargetArn=endpoints[1], Message="second application")

# A deleted endpoint leaves its subscription in place.
topic = admin.create_topic(Name="watchme-dashboard-updates")["TopicArn"]
for endpoint in endpoints:
    admin.subscribe(TopicArn=topic, Protocol="application", Endpoint=endpoint)
admin.delete_endpoint(EndpointArn=endpoints[0])
shown = admin.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"]
assert {subscription["Endpoint"] for subscription in shown} == set(endpoints), shown
admin.delete_platform_application(PlatformApplicationArn=applications[0])
expect("NotFound", admin.list_endpoints_by_platform_application, PlatformApplicationArn=applications[0])
assert listed(admin, applications[1]) == {endpoints[1]: "second"}

# The worker's policy allows one action on one topic.
worker.publish(TopicArn=topic, Message="from the worker")
batch = worker.publish_batch(
    TopicArn=topic, PublishBatchRequestEntries=[{"Id": "a", "Message": "from the worker, in a batch"}]
)
assert not batch["Failed"], batch
elsewhere = admin.create_topic(Name="other-updates")["TopicArn"]
message = expect("AuthorizationError", worker.publish, TopicArn=elsewhere, Message="no")
assert message.endswith(
    f"is not authorized to perform: SNS:Publish on resource: {elsewhere}"
    " because no identity-based policy allows the SNS:Publish action"
), message
expect("AuthorizationError", worker.publish, TargetArn=endpoints[1], Message="no")
expect("AuthorizationError", worker.list_topics)
expect("AuthorizationError", worker.delete_topic, TopicArn=topic)
expect("AuthorizationError", worker.create_topic, Name="watchme-dashboard-updates")

# Two tenants: a name of a topic belongs to the one that created it.
news = own.create_topic(Name="news", Attributes={"DisplayName": "Own"}, Tags=[{"Key": "team", "Value": "a"}])["TopicArn"]
for parameters in ({}, {"Attributes": {"DisplayName": "Own"}}, {"Attributes": {"DisplayName": "Other"}}):
    assert "Own" not in expect("AuthorizationError", other.create_topic, Name="news", **parameters)
for call in (other.get_topic_attributes, other.list_subscriptions_by_topic):
    expect("NotFound", call, TopicArn=news)
expect("NotFound", other.publish, TopicArn=news, Message="no")
expect("ResourceNotFound", other.list_tags_for_resource, ResourceArn=news)
assert [found["TopicArn"] for found in other.list_topics()["Topics"]] == []
assert own.get_topic_attributes(TopicArn=news)["Attributes"]["DisplayName"] == "Own"
# Events of endpoints reach only topics of their own app.
expect("InvalidParameter", create, sns=other, name="spy", bundle=OTHER_APP, EventEndpointCreated=news)
expect("AuthorizationError", create, sns=other, name="foreign", bundle=APP)
create(own, "third", APP, EventEndpointCreated=news)

# What SNS refuses.
name = "a" * 257
message = expect("InvalidParameter", create, sns=admin, name=name, bundle=APP)
assert message == f"Invalid parameter: {name} Reason: must be at most 256 characters long", message
subscription = shown[0]["SubscriptionArn"]
for value in ("", "maybe"):
    message = expect(
        "InvalidParameter",
        admin.set_subscription_attributes,
        SubscriptionArn=subscription,
        AttributeName="RawMessageDelivery",
        AttributeValue=value,
    )
    assert message == f"Invalid parameter: RawMessageDelivery: Invalid value [{value}]. Must be true or false.", message
print(json.dumps({"second application": 1, "from the worker": 1, "from the worker, in a batch": 1}))
